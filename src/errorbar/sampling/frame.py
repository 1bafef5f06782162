"""The sampling frame: every item of a corpus with what one or two systems say about it.

A system flags an item where a table says so, or where its output changes the text.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import isfinite
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.errors import Place, Problem, UsageError, nearest
from errorbar.core.problems import Problems
from errorbar.edits.items import Projection, changed_items
from errorbar.formats.opening import Source, display_name
from errorbar.formats.tables import table_rows

FLAGS = {"1": True, "true": True, "yes": True, "error": True, "0": False, "false": False, "no": False, "ok": False}
MOST_SYSTEMS = 2


@dataclass(frozen=True, slots=True, eq=False)
class Frame:
    """Items and flags.

    Attributes:
        items: Names of the items, all different.
        flags: Whether each system flags each item; shape (systems, items).
        systems: Names of one or two systems.
        score: The first system's score of each item, higher for likelier errors, or None; shape (items,).
        texts: What a rater is shown for each item, or None.

    Raises:
        UsageError: If there are more than two systems, shapes do not fit, or an item stands twice.
    """

    items: tuple[str, ...]
    flags: NDArray[np.bool_]
    systems: tuple[str, ...] = ("system",)
    score: NDArray[np.float64] | None = None
    texts: tuple[str, ...] | None = None

    def __post_init__(self) -> None:
        check_systems(len(self.systems))
        fits = self.flags.shape == (len(self.systems), len(self.items)) and len(set(self.items)) == len(self.items)
        fits &= self.score is None or self.score.shape == (len(self.items),)
        fits &= self.texts is None or len(self.texts) == len(self.items)
        if not fits or not self.items or len(set(self.systems)) < len(self.systems):
            what = f"{len(self.items)} items, {len(self.systems)} systems, flags of shape {self.flags.shape}"
            raise UsageError(Problem("sample-frame", what, expected="different items and systems, one flag for each"))

    def __len__(self) -> int:
        return len(self.items)

    def content_hash(self) -> str:
        """The first 12 hexadecimal digits of a hash of items, flags and scores."""
        sha = sha256()
        for at, item in enumerate(self.items):
            flags = "".join("1" if flag else "0" for flag in self.flags[:, at].tolist())
            score = "" if self.score is None else repr(float(self.score[at]))
            sha.update(f"{item}\x1f{flags}\x1f{score}\n".encode("utf-8", "surrogatepass"))
        return sha.hexdigest()[:12]


def check_systems(n: int) -> None:
    """See that there are one or two systems.

    Raises:
        UsageError: If not.
    """
    if not 1 <= n <= MOST_SYSTEMS:
        raise UsageError(Problem("sample-systems", f"{n} systems", expected="one system, or two to compare"))


def read_frame(paths: Sequence[Source], problems: Problems | None = None, systems: Sequence[str] = ()) -> Frame:
    """Read the flags of one or two systems: CSV or JSON lines, gzipped or not, with item, flag and maybe score, text.

    A flag is 1, true, yes or error, or 0, false, no or ok, in any case. Systems are called as their files, or as told.

    Raises:
        InputError: If a file is bad, or the second does not have the items of the first.
        UsageError: If there are no or more than two files, or both have one name.
    """
    notebook = Problems() if problems is None else problems
    check_systems(len(paths))
    names = tuple(systems) or tuple(Path(display_name(path)).name.split(".")[0] for path in paths)
    if len(set(names)) < len(names):
        what = f"two systems are called '{names[0]}'"
        raise UsageError(Problem("same-name", what, fix="rename one: name=path"))
    tables = [_read(path, notebook) for path in paths]
    first = tables[0]
    for path, table in zip(paths[1:], tables[1:], strict=True):
        _check_same(first, table, display_name(path), notebook)
    notebook.raise_errors()
    items = tuple(first)
    flags = np.array([[table[item][0] for item in items] for table in tables], np.bool_)
    scores = [first[item][1] for item in items]
    texts = [first[item][2] for item in items]
    score = None if None in scores else np.array(scores, np.float64)
    return Frame(items, flags, names, score, tuple(texts) if any(texts) else None)


def frame_of_systems(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    projection: Projection = "tokens",
    *,
    words: str | Collection[str] = "prepositions",
) -> Frame:
    """Make the frame of a corpus whose text one or two systems corrected.

    The edits that turn the source into the output flag items (``projection``) as an annotator's would; annotations play
    no part. The text of an item is its sentence with the item in brackets.

    Raises:
        UsageError: If there are no or more than two systems, an output has not a line for each sentence, or there is no
            item.
    """
    check_systems(len(systems))
    names = tuple(system.name for system in systems)
    for system in systems:
        if len(system.lines) != len(corpus):
            what = f"'{system.name}' has {len(system.lines)} lines for {len(corpus)} sentences"
            raise UsageError(Problem("sample-frame", what, expected="one line for each sentence"))
    items, flags = changed_items(corpus, systems, projection, words=words)
    return Frame(items, flags, names, texts=tuple(_shown(item, corpus) for item in items))


def _shown(item: str, corpus: Corpus) -> str:
    """``sentence:start-end`` as the sentence with brackets; a sentence as it is."""
    number, _, span = item.partition(":")
    tokens = corpus.sentences[int(number) - 1].tokens
    if not span:
        return " ".join(tokens)
    start, end = (int(side) for side in span.split("-"))
    return " ".join([*tokens[:start], f"[{' '.join(tokens[start:end])}]", *tokens[end:]])


_Row = tuple[bool, float | None, str]


def _read(path: Source, problems: Problems) -> dict[str, _Row]:
    table: dict[str, _Row] = {}
    n_scores = 0
    name = display_name(path)
    for row, place in table_rows(path, problems, ("item", "flag")):
        item, flag = row["item"].strip(), FLAGS.get(row["flag"].strip().casefold())
        if not item:
            problems.error("sample-item", "the row names no item", place, expected="a name for every item")
        elif item in table:
            problems.error("sample-item", f"item '{item}' stands twice", place, expected="one row for each item")
        elif flag is None:
            fix = nearest(row["flag"], FLAGS)
            problems.error(
                "sample-flag", f"the flag of item '{item}' is '{row['flag']}'", place, expected="1 or 0", fix=fix
            )
        else:
            score = _score(row.get("score", "").strip(), item, place, problems)
            n_scores += score is not None
            table[item] = (flag, score, row.get("text", ""))
    if not table and not problems.errors:
        problems.error("sample-no-items", "no item in the file", Place(name), expected="rows of item and flag")
    if 0 < n_scores < len(table):
        what = f"{n_scores} of {len(table)} items have a score"
        problems.error("sample-score", what, Place(name), expected="a score for every item or for none")
    return table


def _score(text: str, item: str, place: Place, problems: Problems) -> float | None:
    if not text:
        return None
    try:
        score = float(text)
    except ValueError:
        score = float("nan")
    if isfinite(score):
        return score
    problems.error("sample-score", f"the score of item '{item}' is '{text}'", place, expected="a number")
    return None


def _check_same(first: dict[str, _Row], other: dict[str, _Row], name: str, problems: Problems) -> None:
    for missing, where in ((first.keys() - other.keys(), "missing here"), (other.keys() - first.keys(), "only here")):
        if missing:
            what = f"{len(missing)} items are {where}, e.g. '{min(missing)}'"
            fix = "flag the same items for both systems"
            problems.error("sample-frames-differ", what, Place(name), expected="the items of the first file", fix=fix)
