"""What raters said of edits, and when an edit is valid: rules that are part of the result's spec.

Formula
    Of the k raters of an edit who could tell, v say valid. ``majority``: v > k / 2; ``any``: v >= 1; ``all``: v = k; a
    number m: v >= m; ``graded``: the edit counts as the share v / k, an estimate of the share among all possible
    raters. With ``unclear`` those who could not tell are left out (``missing``), or counted as if they had said
    ``valid`` or ``not-valid``.
Conventions
    A tie is not a majority. Where one of the judges of an edit is left out and a further one would decide, the edit
    counts as what that judge would make of it on average: of a tie a half; of m - 1 who say valid, where m must, their
    share of those who are left. Of fewer than m raters an edit is not valid, which a warning counts.
Source
    Madnani, Tetreault, Chodorow & Rozovskaya 2011, ACL, section 3, for majority and shares; docs/audit.md compares the
    rules.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import InputError, Place, Problem, UsageError, nearest
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.formats.judgment_files import read_judgment_table
from errorbar.formats.look import Source, display_name
from errorbar.formats.tables import header_of, table_rows
from errorbar.sampling.frame import Counts, Floats
from errorbar.sampling.judged import refuse_corpus

VALID, INVALID, UNKNOWN = "valid", "not-valid", "cannot-tell"
LABELS = (VALID, INVALID, UNKNOWN)
GRADED = "graded"
RULES = ("majority", "any", "all", GRADED)
MOST_VOTES = 10_000
BETTER = "better"
"""The column of what a rater finds better."""
Unclear = Literal["missing", "not-valid", "valid"]
UNCLEAR: tuple[Unclear, ...] = get_args(Unclear)
Filled = Source | Sequence[Source] | Judgments


@dataclass(frozen=True, slots=True)
class Rule:
    """When an edit is valid."""

    valid: str = "majority"
    unclear: Unclear = "missing"

    @classmethod
    def of(cls, valid: str, unclear: Unclear = "missing") -> Rule:
        """The rule, if there is one of the name."""
        if valid not in RULES and not (
            valid.isdecimal() and len(valid) <= len(str(MOST_VOTES)) and 1 <= int(valid) <= MOST_VOTES
        ):
            expected = f"{', '.join(RULES)}, or how many raters must say so"
            what = f"the rule for valid is '{valid[:30]}'"
            raise UsageError(Problem("audit-rule", what, expected=expected, fix=nearest(valid, RULES)))
        if unclear not in UNCLEAR:
            what = f"edits of which raters cannot tell are to count as '{unclear}'"
            raise UsageError(Problem("audit-rule", what, fix=nearest(unclear, UNCLEAR)))
        return cls(valid, unclear)

    @property
    def convention(self) -> str:
        """What it adds to a spec."""
        said = "" if self.unclear == "missing" else f"|unclear:{self.unclear}"
        return f"valid:{self.valid}{said}"

    @property
    def words(self) -> str:
        """By whom an edit is valid."""
        named = {"majority": "the majority of raters", "any": "any rater", "all": "all raters"}
        return named.get(self.valid, f"at least {self.valid} raters" if self.valid != GRADED else "shares of raters")

    @property
    def least(self) -> int:
        """How many raters an edit must have to be valid."""
        return int(self.valid) if self.valid.isdecimal() else 1

    def truths(self, valid: Counts, told: Counts, short: NDArray[np.bool_] | None = None) -> Floats:
        """Whether edits are valid, 0 to 1, of how many raters say so and how many could tell; one at least.

        ``short``: of which edits one of the raters was left out.
        """
        lacks = np.zeros(valid.shape, np.bool_) if short is None else short
        if self.valid == GRADED:
            return np.asarray(valid / told)
        if self.valid == "majority":
            return np.where(2 * valid > told, 1.0, np.where(lacks & (2 * valid == told), 0.5, 0.0))
        if self.valid == "all":
            return np.asarray(valid == told, np.float64)
        decided = lacks & (valid == self.least - 1)
        return np.where(valid >= self.least, 1.0, np.where(decided, valid / told, 0.0))


@dataclass(frozen=True, slots=True, eq=False)
class Verdicts:
    """What raters said of edits; ``table`` has the labels of ``LABELS``, coded in their order."""

    table: Judgments
    better: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    """Of an edit what raters find better, and who."""

    def items(self) -> frozenset[str]:
        """Edits that somebody judged, even if nobody could tell."""
        return frozenset(self.table.items[at] for at in np.unique(self.table.item).tolist())

    def rows(self, items: Sequence[str]) -> Counts:
        """The place of each judgment's edit among ``items``; -1: it is of another edit."""
        places = {item: at for at, item in enumerate(items)}
        known = np.array([places.get(item, -1) for item in self.table.items], np.int64)
        return known[self.table.item] if len(known) else np.empty(0, np.int64)

    def counts(self, items: Sequence[str], unclear: Unclear, without: int | None = None) -> tuple[Counts, Counts]:
        """How many raters say valid, and how many could tell, of each of ``items``; without one rater."""
        at, label = self.rows(items), self.table.label
        used = at >= 0 if without is None else (at >= 0) & (self.table.rater != without)
        told = used if unclear != "missing" else used & (label != LABELS.index(UNKNOWN))
        good = label == LABELS.index(VALID)
        if unclear == "valid":
            good = good | (label == LABELS.index(UNKNOWN))
        return np.bincount(at[told & good], minlength=len(items)), np.bincount(at[told], minlength=len(items))

    def shares(self) -> dict[str, float]:
        """The share of those who could tell who say valid, of each edit of which somebody could."""
        valid, told = self.counts(self.table.items, "missing")
        return {item: v / k for item, v, k in zip(self.table.items, valid.tolist(), told.tolist(), strict=True) if k}


def read_verdicts(judgments: Filled, problems: Problems) -> Verdicts:
    """What raters said of edits; several files are joined, a rater who judged an edit twice is refused."""
    if isinstance(judgments, Judgments):
        return Verdicts(_labeled(judgments, ""))
    files = [judgments] if isinstance(judgments, str | PathLike) else list(judgments)
    tables: list[Judgments] = []
    seen: set[tuple[str, str]] = set()
    better: defaultdict[str, defaultdict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for path in files:
        refuse_corpus(path)
        place = Place(display_name(path))
        table = _labeled(read_judgment_table(path, problems).judgments, place.file)
        columns = table.to_columns()
        pairs = set(zip(map(str, columns["item"]), map(str, columns["rater"]), strict=True))
        if both := sorted(seen & pairs):
            what = f"rater {both[0][1]} judged edit {both[0][0]} in two files"
            raise InputError(Problem("audit-twice", what, place, fix="give each judgment once"))
        seen |= pairs
        tables.append(table)
        if BETTER in header_of(path):
            for row, _ in table_rows(path, Problems(lenient=True)):
                if text := " ".join(row.get(BETTER, "").split()):
                    better[row["item"]][text].append(row["rater"])
    return Verdicts(Judgments.joined(tables) if tables else Judgments.from_columns([], [], [], labels=LABELS), better)


def _labeled(judgments: Judgments, file: str) -> Judgments:
    """The same judgments with the labels of ``LABELS``."""
    names = []
    for label in judgments.labels:
        name = "-".join(label.casefold().replace("_", " ").replace("-", " ").split())
        if name not in LABELS:
            what = f"the label '{label}' says nothing of an edit"
            raise InputError(
                Problem("audit-label", what, Place(file), f"one of {', '.join(LABELS)}", nearest(name, LABELS))
            )
        names.append(LABELS.index(name))
    codes = np.array(names, np.int32)
    said = codes[judgments.label] if names else judgments.label
    return Judgments(judgments.item, judgments.rater, said, judgments.items, judgments.raters, LABELS)
