"""What a report is called whose maker did not say: by the names of its data, as people know them."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path

from errorbar.core.labels import natural_order
from errorbar.datasets.cards import cache_root, catalog
from errorbar.formats.reference import NamedFile, expand_files

FILLERS = frozenset(
    [
        "annotation",
        "annotations",
        "answers",
        "data",
        "gold",
        "golden",
        "key",
        "judgments",
        "m2",
        "original",
        "ref",
        "refs",
        "reference",
        "references",
        "revised",
    ]
)
"""Names of files and folders that say nothing of what is in them."""
PARTS = frozenset(["dev", "development", "test", "train", "training", "valid", "validation"])
"""Names that say which part of a corpus it is, and not of which."""


def corpus_title(paths: Sequence[str]) -> str:
    """What data are called: by ``name=path``, by their card, by the file, or by the folder that holds them all.

    Only folders that were named count, so that the same command makes the same page wherever it is run.
    """
    files = expand_files(paths)
    if len(files) == 1 and files[0].path != paths[0]:
        return files[0].name
    places = [Path(file.path) for file in files]
    if card := _by_card([place.absolute() for place in places]):
        return card
    folder = Path(os.path.commonpath([place.parent for place in places]))
    part = ""
    for place in (*places[:1], *places[0].parents) if len(places) == 1 else (folder, *folder.parents):
        name = _stem(place.name)
        if name.casefold() in PARTS and not part:
            part = name
        elif name and name.casefold() not in FILLERS | PARTS:
            return f"{name}, {part}" if part else name
    return files_text([_stem(place.name) for place in places])


def files_text(names: Sequence[str]) -> str:
    """Files by their names: ``10 files, A1 to A10`` where these count on, else the first and how many more."""
    more = len(names) - 1
    if not more:
        return names[0]
    ordered = natural_order(names)
    counts = [re.fullmatch(r"(.*?)([0-9]{1,9})", name) for name in ordered]
    known = [(each[1], int(each[2])) for each in counts if each]
    if more > 1 and len(known) == len(names) and known == [(known[0][0], known[0][1] + k) for k in range(len(names))]:
        return f"{len(names):,} files, {ordered[0]} to {ordered[-1]}"
    return f"{names[0]} and {more:,} more file{'s' * (more > 1)}"


def _by_card(places: Sequence[Path]) -> str:
    """The title of the corpus that ``errorbar data fetch`` put there, without what its card says in detail."""
    root = cache_root().absolute()
    folders = {place.relative_to(root).parts[0] for place in places if place.is_relative_to(root)}
    known = catalog()
    if len(folders) != 1 or not all(place.is_relative_to(root) for place in places) or not folders <= known.keys():
        return ""
    return re.split(r": | \(", known[folders.pop()].title)[0]


def _stem(name: str) -> str:
    """The name of a file without endings that say what format it has."""
    return NamedFile.parse(re.sub(r"\.(csv|json|xml)$", "", name)).name
