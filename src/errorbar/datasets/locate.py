"""Where a corpus's files stand in a folder or archive: publishers and their readers wrap it in folders at will."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.datasets.corpora import Dataset

if TYPE_CHECKING:
    from errorbar.datasets.contents import Member


def locate(dataset: Dataset, members: Sequence[Member], place: Place) -> dict[str, str]:
    """Find the folder that holds most of the corpus's files.

    Args:
        dataset: The corpus.
        members: Every file there is.
        place: The folder or archive, for messages.

    Returns:
        Path in the corpus by name of the member. Other members (scripts, other corpora) are left where they are.

    Raises:
        InputError: With every file that is missing.
    """
    names = {member.name for member in members if not member.is_link}
    by_last: dict[str, list[str]] = {}
    for file in dataset.files:
        by_last.setdefault(PurePosixPath(file.path).name, []).append(file.path)
    votes: Counter[str] = Counter()
    for name in names:
        for path in by_last.get(name.rsplit("/", 1)[-1], []):
            if name == path or name.endswith("/" + path):
                votes[name.removesuffix(path)] += 1
    if not votes:
        what = f"it has none of the {len(dataset.files)} files of the corpus '{dataset.name}'"
        fix = f"errorbar data show {dataset.name} lists them"
        raise InputError(Problem("data-file-missing", what, place, f"{dataset.files[0].path} and others", fix))
    # Most files first; among equals the folder that is nearest to the top.
    top = min(votes, key=lambda prefix: (-votes[prefix], len(prefix), prefix))
    problems = Problems(limit=len(dataset.files) + 1)
    for file in dataset.files:
        if top + file.path not in names and not file.optional:
            problems.error("data-file-missing", f"'{top}{file.path}' is not there", place, fix="the copy is incomplete")
    problems.raise_errors()
    return {top + file.path: file.path for file in dataset.files if top + file.path in names}
