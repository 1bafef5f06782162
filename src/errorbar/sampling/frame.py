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
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from errorbar.core.arrays import Counts, Floats
from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.labels import as_number
from errorbar.core.problems import Place, Problem, Problems, UsageError, nearest
from errorbar.edits.items import Projection, find_changed_items
from errorbar.formats.look import Source, display_name
from errorbar.formats.tables import table_rows

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
            message = f"{len(self.items)} items, {len(self.systems)} systems, flags of shape {self.flags.shape}"
            raise UsageError(
                Problem("sample-frame", message, expected="different items and systems, one flag for each")
            )

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
    first, *others = tables = [_read_frame(path, problems) for path in paths]
    for other in others:
        for missing, where in ((first.keys() - other, "missing here"), (other.keys() - first, "only here")):
            if missing:
                message = f"{len(missing)} items are {where}, e.g. '{min(missing)}'"
                place, fix = Place(display_name(paths[1])), "flag the same items for both systems"
                problems.error("sample-frames-differ", message, place, expected="the items of the first file", fix=fix)
    problems.raise_errors()
    flags = np.array([[table[item][0] for item in first] for table in tables], np.bool_)
    _, scores, texts = zip(*first.values(), strict=True)
    score = None if None in scores else np.array(scores, np.float64)
    return Frame(tuple(first), flags, names, score, texts if any(texts) else None)


def _read_frame(path: Source, problems: Problems) -> dict[str, tuple[bool, float | None, str]]:
    table: dict[str, tuple[bool, float | None, str]] = {}
    for row, place in table_rows(path, problems, ("item", "flag")):
        item, flag, score_text = (
            row["item"].strip(),
            FLAGS.get(row["flag"].strip().casefold()),
            row.get("score", "").strip(),
        )
        if not item:
            problems.error("sample-item", "the row names no item", place, expected="a name for every item")
        elif item in table:
            problems.error("sample-item", f"item '{item}' stands twice", place, expected="one row for each item")
        elif flag is None:
            message, fix = f"the flag of item '{item}' is '{row['flag']}'", nearest(row["flag"], FLAGS)
            problems.error("sample-flag", message, place, expected="1 or 0", fix=fix)
        else:
            score = as_number(score_text) if score_text else None
            if score is not None and isnan(score):
                message = f"the score of item '{item}' is '{score_text}'"
                problems.error("sample-score", message, place, expected="a number")
            table[item] = (flag, score, row.get("text", ""))
    scored = sum(score is not None for _, score, _ in table.values())
    if not table and not problems.errors:
        place = Place(display_name(path))
        problems.error("sample-no-items", "no item in the file", place, expected="rows of item and flag")
    if 0 < scored < len(table):
        message = f"{scored} of {len(table)} items have a score"
        problems.error(
            "sample-score", message, Place(display_name(path)), expected="a score for every item or for none"
        )
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
            message = f"'{system.name}' has {len(system.lines)} lines for {len(corpus)} sentences"
            raise UsageError(Problem("sample-frame", message, expected="one line for each sentence"))
    items, flags = find_changed_items(corpus, systems, projection, words=words)
    names, texts = (system.name for system in systems), (_show_item(item, corpus) for item in items)
    return Frame(items, flags, tuple(names), texts=tuple(texts))


def _show_item(item: str, corpus: Corpus) -> str:
    """``sentence:start-end`` as the sentence with brackets; a sentence as it is."""
    number, _, span = item.partition(":")
    tokens = corpus.sentences[int(number) - 1].tokens
    if not span:
        return " ".join(tokens)
    start, end = (int(side) for side in span.split("-"))
    return " ".join([*tokens[:start], f"[{' '.join(tokens[start:end])}]", *tokens[end:]])


@dataclass(frozen=True, slots=True, eq=False)
class Strata:
    """The strata of a sample; raises ``UsageError`` if shapes do not fit or a system flags nothing or everything."""

    names: tuple[str, ...]
    sizes: Counts  # (strata,)
    flags: NDArray[np.bool_]  # (systems, strata)
    systems: tuple[str, ...] = ("system",)

    def __post_init__(self) -> None:
        n = len(self.names)
        if self.sizes.shape != (n,) or self.flags.shape != (len(self.systems), n) or (self.sizes < 1).any():
            message = f"{n} strata with sizes of shape {self.sizes.shape} and flags of shape {self.flags.shape}"
            raise UsageError(
                Problem("sample-strata", message, expected="a size of at least 1 and flags for each stratum")
            )
        for system, flags in zip(self.systems, self.flags, strict=True):
            if flags.all() or not flags.any():
                which = "every item" if flags.any() else "no item"
                message = f"'{system}' flags {which}: there is no difference between flagged and unflagged to sample"
                raise UsageError(Problem("sample-one-class", message, fix="check the flags, or count by hand"))

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
    first, last = frame.systems[0], frame.systems[-1]
    called = (FLAGGED, UNFLAGGED) if first == last else ("both", f"only {first}", f"only {last}", "neither")
    names = [
        f"{called[group]} {at + 1}/{bands}" if bands > 1 else called[group]
        for group, at in zip(*(part.tolist() for part in np.divmod(present, bands)), strict=True)
    ]
    return Strata(tuple(names), sizes.astype(np.int64), flags, frame.systems), codes.ravel().astype(np.int64)


# The errors in each stratum of a sample, and the scores that are functions of them, with variances.
#
# Formula
#     Of N items of a stratum n were drawn without replacement, with truths y between 0 and 1 that sum to x.
#     Plain: T = N x / n, Var T = N² (1 − n/N) s² / n with s² the variance of y (divisor n − 1; p (1 − p) n / (n − 1)
#     where every y is 0 or 1). Smoothed: the unsampled items get the rate p' = (x + w/2) / (n + w), so
#     T = x + (N − n) p', and p' (1 − p') stands for p (1 − p) in s². Two stages: if the truth of an item is a mean of k
#     judgments with variance v_i, N Σ v_i / n is added.
#     T_h are the errors of stratum h, N_h its size, a_h = 1 if the system flags it, else 0. H = Σ a_h T_h (hits),
#     A = Σ T_h, F₁ = Σ a_h N_h. P = H / F₁; R = H / A; F = (1 + β²) H / (β² A + F₁); the rate of misses among what is
#     not flagged, Q = (A − H) / Σ (1 − a_h) N_h.
#     ∂P = a_h / F₁; ∂R = (a_h − R) / A; ∂F = ((1 + β²) a_h − β² F) / (β² A + F₁); ∂Q = (1 − a_h) / Σ (1 − a_h) N_h.
#     With totals T_h of variances V_h: Var θ = Σ ∂θ_h² V_h.
# Conventions
#     w = 1 is shared by the strata with the same flags in proportion to their sizes, so that cutting a stratum into
#     bands does not smooth more. A stratum of which one item was judged takes s² = p' (1 − p'). Where all items are
#     drawn nothing is smoothed. With one judgment for each item of a graded truth v_i is not known; then there is no
#     finite-population correction, which makes the variance large enough. R is NaN where there is no error. P exists
#     always: a system that flags nothing is refused before.
# Source
#     Cochran 1977, Sampling Techniques, sections 2.6, 5.3 and 10.3; the half as in Brown, Cai and DasGupta 2001;
#     Tetreault and Chodorow 2008, section 6; van Rijsbergen's F.


Target = Literal["P", "R", "F"]
Name = Literal["P", "R", "F", "Q"]
TARGETS: tuple[Target, ...] = ("P", "R", "F")
HALF = 0.5
FEW = 5  # fewer errors than this on a side are few
Totals = tuple[Floats, Floats]  # errors in each stratum, and the variances of that; shape (..., strata) each


@dataclass(frozen=True, slots=True, eq=False)
class Sample:
    """Counts of judged items in each stratum; all of shape (..., strata)."""

    n: Counts
    x: Floats  # sum of the truths of the n judged items
    spread: Floats | None = None  # variance of the truths by that of 0/1 truths of the same mean; None: all are 0 or 1
    within: Floats | None = None  # mean variance of a truth that comes from asking k raters only; None: they are exact
    corrected: Floats | None = None  # whether the finite-population correction is made; None: everywhere

    @property
    def is_binary(self) -> bool:
        """Whether every truth is 0 or 1."""
        return self.spread is None

    @classmethod
    def of(cls, n: list[int], x: list[float]) -> Sample:
        """Judged items and errors among them, by stratum."""
        return cls(np.array(n, np.int64), np.array(x, np.float64))

    def check(self, strata: Strata) -> None:
        """Raise ``UsageError`` if the sample cannot be from the strata, or nothing was judged in one of them."""
        if self.n.shape != (len(strata),) or self.x.shape != self.n.shape:
            message = f"a sample of {self.n.size} strata for {len(strata)} strata"
            raise UsageError(Problem("sample-strata", message, expected="one count for each stratum"))
        for name, size, n, x in zip(strata.names, strata.sizes.tolist(), self.n.tolist(), self.x.tolist(), strict=True):
            if n > size:
                message = f"{n} items of stratum '{name}' were judged, but it has {size}"
                raise UsageError(Problem("sample-size", message, expected=f"at most {size}"))
            if not 0 <= x <= n:
                message = f"{x:g} errors among {n} judged items of stratum '{name}'"
                raise UsageError(Problem("sample-size", message, expected="between 0 and the judged items"))
            if n == 0:
                message = f"nobody judged an item of stratum '{name}', which has {size}"
                raise UsageError(Problem("sample-unseen", message, fix="judge at least 2 items of every stratum"))

    def rates(self, strata: Strata, add: float = HALF) -> Floats:
        """The share of errors with ``add`` errors more on each side, so that none is 0 or 1."""
        extra = add * strata.shares
        return np.asarray((self.x + extra) / (self.n + 2 * extra))


def estimated_totals(sample: Sample, strata: Strata, *, add: float = HALF) -> Totals:
    """Errors in each stratum and the variance of that estimate; shape (..., strata) each.

    ``add`` successes are added on each side, a half; 0: plain.
    """
    sizes, n = strata.sizes.astype(np.float64), sample.n.astype(np.float64)
    with np.errstate(divide="ignore", invalid="ignore"):
        rate = sample.rates(strata, add)
        totals = sample.x + (sizes - n) * rate
        # One item says nothing of the spread: plain, its stratum would seem to have none.
        judged = np.where(n > 1, rate, sample.rates(strata))
        square = judged * (1 - judged) * (1.0 if sample.spread is None else sample.spread)
        square = square * n / np.maximum(n - 1, 1)
        open_share = 1 - n / sizes
        if sample.corrected is not None:
            open_share = np.where(sample.corrected > 0, open_share, 1.0)
        variances = sizes**2 * open_share * square / n
        if sample.within is not None:
            variances = variances + sizes * sample.within
    return totals, variances


@dataclass(frozen=True, slots=True, eq=False)
class Quantity:
    """A score of one system as a function of the errors in each stratum; Q: misses among what is not flagged."""

    name: Name
    strata: Strata
    system: int = 0
    beta: float = 1.0

    @property
    def flags(self) -> NDArray[np.bool_]:
        """Whether the system flags the items of each stratum; shape (strata,)."""
        return np.asarray(self.strata.flags[self.system])

    @property
    def flagged(self) -> int:
        """Items that the system flags."""
        return int(self.strata.sizes[self.flags].sum())

    @property
    def unflagged(self) -> int:
        """Items that it does not flag."""
        return int(self.strata.sizes[~self.flags].sum())

    def value(self, totals: Floats) -> Floats:
        """The value for errors of shape (..., strata); shape (...), NaN where undefined."""
        hits, errors = totals[..., self.flags].sum(axis=-1), totals.sum(axis=-1)
        square = self.beta**2
        with np.errstate(divide="ignore", invalid="ignore"):
            if self.name == "P":
                return np.asarray(hits / self.flagged)
            if self.name == "R":
                return np.asarray(hits / errors)
            if self.name == "F":
                return np.asarray((1 + square) * hits / (square * errors + self.flagged))
            return np.asarray((errors - hits) / self.unflagged)

    def gradient(self, totals: Floats) -> Floats:
        """The derivative by the errors of each stratum; shape (..., strata)."""
        flagged = np.broadcast_to(self.flags.astype(np.float64), totals.shape)
        if self.name == "P":
            return flagged / self.flagged
        if self.name == "Q":
            return (1 - flagged) / self.unflagged
        value = self.value(totals)[..., None]
        errors = totals.sum(axis=-1)[..., None]
        if self.name == "R":
            return np.asarray((flagged - value) / errors)
        square = self.beta**2
        return np.asarray(((1 + square) * flagged - square * value) / (square * errors + self.flagged))

    def standard_error(self, totals: Floats, variances: Floats) -> Floats:
        """The standard error of the value; shape (...)."""
        return np.asarray(np.sqrt((self.gradient(totals) ** 2 * variances).sum(axis=-1)))


def random_sampling_error(quantity: Quantity, rates: ArrayLike, budget: int) -> float:
    """The expected standard error of P, R or F from a simple random sample.

    Formula
        n of N items count hits, false positives and misses; a score θ is a ratio of means Σ u / Σ v (P: u hits, v
        flagged; R: v errors; F: u (1 + β²) hits, v β² errors + flagged): (1 − n/N) mean((u − θ v)²) / (n mean(v)²).
    Source
        Cochran 1977, section 6.3.
    """
    sizes, flags, square = quantity.strata.sizes, quantity.flags.astype(np.float64), quantity.beta**2
    p, total = np.asarray(rates, np.float64), float(sizes.sum())
    value, deviation, mean = float(quantity.value(p * sizes)), 0.0, 0.0
    for error, expected in ((0.0, 1 - p), (1.0, p)):
        share = sizes / total * expected
        hits, errors = flags * error, np.full(len(flags), error)
        ratios = {"P": (hits, flags), "R": (hits, errors), "F": ((1 + square) * hits, square * errors + flags)}
        u, v = ratios[quantity.name]
        deviation += float((share * (u - value * v) ** 2).sum())
        mean += float((share * v).sum())
    return float(np.sqrt((1 - budget / total) * deviation / budget) / mean)
