"""The sampling frame, every item of a corpus with what one or two systems say about it, and its strata.

Conventions
    Every item of a stratum has the same flags: all flagged by a system or none. With scores, each group of equal flags
    is cut into bands at the edges given; an item whose score equals an edge is in the upper band. Bands without an
    item are left out.
Source
    Tetreault and Chodorow 2008, section 6 (one stratum flagged, one not); Bennett and Carvalho 2010 for score bands.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from math import isnan
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.errors import Place, Problem, UsageError, nearest
from errorbar.core.labels import as_number
from errorbar.core.problems import Problems
from errorbar.edits.items import Projection, changed_items
from errorbar.formats.look import Source, display_name
from errorbar.formats.tables import table_rows

Floats = NDArray[np.float64]
Counts = NDArray[np.int64]
FLAGS = {"1": True, "true": True, "yes": True, "error": True, "0": False, "false": False, "no": False, "ok": False}
FLAGGED, UNFLAGGED = "flagged", "unflagged"


@dataclass(frozen=True, eq=False)  # no slots: the hash is kept
class Frame:
    """Items and flags; raises ``UsageError`` if they do not fit each other or there are more than two systems."""

    items: tuple[str, ...]
    flags: NDArray[np.bool_]  # (systems, items)
    systems: tuple[str, ...] = ("system",)
    score: Floats | None = None  # of the first system, higher for likelier errors
    texts: tuple[str, ...] | None = None  # what a rater is shown

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

    @cached_property
    def content_hash(self) -> str:
        """The first 12 hexadecimal digits of a hash of items, flags and scores; computed once."""
        sha = sha256()
        for at, item in enumerate(self.items):
            flags = "".join("1" if flag else "0" for flag in self.flags[:, at].tolist())
            score = "" if self.score is None else repr(float(self.score[at]))
            sha.update(f"{item}\x1f{flags}\x1f{score}\n".encode("utf-8", "surrogatepass"))
        return sha.hexdigest()[:12]

    def scores(self) -> Floats:
        """The scores, which bands need."""
        if self.score is None:
            fix = "give the flags a column 'score', or leave the bands out"
            raise UsageError(Problem("sample-bands", "score bands need a score for every item", fix=fix))
        return self.score


def check_systems(n: int) -> None:
    """Refuse other numbers of systems than one and two."""
    if not 1 <= n <= 2:
        raise UsageError(Problem("sample-systems", f"{n} systems", expected="one system, or two to compare"))


def read_frame(paths: Sequence[Source], problems: Problems | None = None, systems: Sequence[str] = ()) -> Frame:
    """Read the flags of one or two systems: CSV or JSON lines with item, flag (``FLAGS``) and maybe score and text."""
    problems = problems or Problems()
    check_systems(len(paths))
    names = tuple(systems) or tuple(Path(display_name(path)).name.split(".")[0] for path in paths)
    if len(set(names)) < len(names):
        raise UsageError(Problem("same-name", f"two systems are called '{names[0]}'", fix="rename one: name=path"))
    first, *others = tables = [_read(path, problems) for path in paths]
    for other in others:
        for missing, where in ((first.keys() - other, "missing here"), (other.keys() - first, "only here")):
            if missing:
                what = f"{len(missing)} items are {where}, e.g. '{min(missing)}'"
                place, fix = Place(display_name(paths[1])), "flag the same items for both systems"
                problems.error("sample-frames-differ", what, place, expected="the items of the first file", fix=fix)
    problems.raise_errors()
    flags = np.array([[table[item][0] for item in first] for table in tables], np.bool_)
    _, scores, texts = zip(*first.values(), strict=True)
    score = None if None in scores else np.array(scores, np.float64)
    return Frame(tuple(first), flags, names, score, texts if any(texts) else None)


def _read(path: Source, problems: Problems) -> dict[str, tuple[bool, float | None, str]]:
    table: dict[str, tuple[bool, float | None, str]] = {}
    for row, place in table_rows(path, problems, ("item", "flag")):
        item, flag, said = row["item"].strip(), FLAGS.get(row["flag"].strip().casefold()), row.get("score", "").strip()
        if not item:
            problems.error("sample-item", "the row names no item", place, expected="a name for every item")
        elif item in table:
            problems.error("sample-item", f"item '{item}' stands twice", place, expected="one row for each item")
        elif flag is None:
            what, fix = f"the flag of item '{item}' is '{row['flag']}'", nearest(row["flag"], FLAGS)
            problems.error("sample-flag", what, place, expected="1 or 0", fix=fix)
        else:
            score = as_number(said) if said else None
            if score is not None and isnan(score):
                what = f"the score of item '{item}' is '{said}'"
                problems.error("sample-score", what, place, expected="a number")
            table[item] = (flag, score, row.get("text", ""))
    scored = sum(score is not None for _, score, _ in table.values())
    if not table and not problems.errors:
        place = Place(display_name(path))
        problems.error("sample-no-items", "no item in the file", place, expected="rows of item and flag")
    if 0 < scored < len(table):
        what = f"{scored} of {len(table)} items have a score"
        problems.error("sample-score", what, Place(display_name(path)), expected="a score for every item or for none")
    return table


def frame_of_systems(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    projection: Projection = "tokens",
    *,
    words: str | Collection[str] = "prepositions",
) -> Frame:
    """Make the frame of a corpus that one or two systems corrected: their edits flag items as an annotator's would.

    Annotations play no part. The text of an item is its sentence with the item in brackets.
    """
    check_systems(len(systems))
    for system in systems:
        if len(system.lines) != len(corpus):
            what = f"'{system.name}' has {len(system.lines)} lines for {len(corpus)} sentences"
            raise UsageError(Problem("sample-frame", what, expected="one line for each sentence"))
    items, flags = changed_items(corpus, systems, projection, words=words)
    names, texts = (system.name for system in systems), (_shown(item, corpus) for item in items)
    return Frame(items, flags, tuple(names), texts=tuple(texts))


def _shown(item: str, corpus: Corpus) -> str:
    """``sentence:start-end`` as the sentence with brackets; a sentence as it is."""
    number, _, span = item.partition(":")
    tokens = corpus.sentences[int(number) - 1].tokens
    if not span:
        return " ".join(tokens)
    start, end = (int(side) for side in span.split("-"))
    return " ".join([*tokens[:start], f"[{' '.join(tokens[start:end])}]", *tokens[end:]])


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """What is sampled from; raises ``UsageError`` if shapes do not fit or a system flags nothing or everything."""

    names: tuple[str, ...]
    sizes: Counts  # (strata,)
    flags: NDArray[np.bool_]  # (systems, strata)
    systems: tuple[str, ...] = ("system",)

    def __post_init__(self) -> None:
        n = len(self.names)
        if self.sizes.shape != (n,) or self.flags.shape != (len(self.systems), n) or (self.sizes < 1).any():
            what = f"{n} strata with sizes of shape {self.sizes.shape} and flags of shape {self.flags.shape}"
            raise UsageError(Problem("sample-strata", what, expected="a size of at least 1 and flags for each stratum"))
        for system, flags in zip(self.systems, self.flags, strict=True):
            if flags.all() or not flags.any():
                which = "every item" if flags.any() else "no item"
                what = f"'{system}' flags {which}: there is no difference between flagged and unflagged to sample"
                raise UsageError(Problem("sample-one-class", what, fix="check the flags, or count by hand"))

    def __len__(self) -> int:
        return len(self.names)

    @classmethod
    def of_sizes(cls, flagged: int, unflagged: int) -> Strata:
        """One system and two strata."""
        return cls((FLAGGED, UNFLAGGED), np.array([flagged, unflagged], np.int64), np.array([[True, False]]))

    @property
    def shares(self) -> Floats:
        """Share of each stratum in the items with the same flags; shape (strata,)."""
        same = (self.flags[:, :, None] == self.flags[:, None, :]).all(axis=0)
        return np.asarray(self.sizes / (same @ self.sizes), np.float64)


def score_edges(frame: Frame, bands: int) -> tuple[float, ...]:
    """Edges that cut the unflagged items into bands of about equal size, by score."""
    if bands < 1:
        raise UsageError(Problem("sample-bands", f"{bands} bands", expected="at least 1"))
    unflagged = frame.scores()[~frame.flags.any(axis=0)] if bands > 1 else np.empty(0)
    return tuple(np.unique(np.quantile(unflagged, np.arange(1, bands) / bands)).tolist()) if len(unflagged) else ()


def stratify(frame: Frame, edges: Sequence[float] = ()) -> tuple[Strata, Counts]:
    """Cut a frame into strata, at score ``edges`` too, and tell the number of each item's stratum; shape (items,)."""
    bands = len(edges) + 1
    band = np.searchsorted(np.sort(edges), frame.scores(), side="right") if edges else 0
    powers = 2 ** np.arange(len(frame.systems))[::-1]
    # Flagged by all comes first.
    present, codes, sizes = np.unique((~frame.flags).T @ powers * bands + band, return_inverse=True, return_counts=True)
    flags = (present // bands & powers[:, None]) == 0
    one, two = frame.systems[0], frame.systems[-1]
    called = (FLAGGED, UNFLAGGED) if one == two else ("both", f"only {one}", f"only {two}", "neither")
    names = [
        f"{called[group]} {at + 1}/{bands}" if bands > 1 else called[group]
        for group, at in zip(*(part.tolist() for part in np.divmod(present, bands)), strict=True)
    ]
    return Strata(tuple(names), sizes.astype(np.int64), flags, frame.systems), codes.ravel().astype(np.int64)
