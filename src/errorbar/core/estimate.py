"""A number and what must travel with it: its interval or why there is none, and what was computed on which data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from math import exp, inf, isinf, isnan
from typing import Literal, NamedTuple

from errorbar.version import __version__

BootstrapMethod = Literal["bca", "percentile", "basic"]
Method = Literal["bca", "percentile", "basic", "closed"]
"""How intervals are made: the bootstraps, and closed formulas."""
REPLICATES = 2000
"""Resamples of an interval, where nobody says how many."""
MOST_UNASKED = 20_000
"""Sentences or items up to which intervals are made where nobody says whether to."""


class Undefined(StrEnum):
    """Why a value does not exist, or exists by convention only."""

    NOTHING_PROPOSED = "nothing was proposed"
    NOTHING_IN_REFERENCE = "nothing is in the reference"
    NOTHING_CORRECT = "precision and recall are both 0"
    NO_UNITS = "no unit was scored"
    NO_GOLD = "no gold item was judged"
    NOT_PAIRED = "no sentence has a time both from the source and from the output"
    NO_EDITS = "no edit was proposed and none is in the reference"
    ONE_UNIT = "a single unit does not show how units vary"
    TOO_FEW_UNITS = "too few units for the formula"
    ZERO_WIDTH = "the formula gives an interval of zero width here"
    NO_VARIATION = "all resamples give the same value"
    ONE_SIDED = "nearly all resamples lie on one side of the value"
    RESAMPLES_UNDEFINED = "the value is undefined in too many resamples"
    NOT_COMPARABLE = "the value of one of the two is undefined"
    NO_DISAGREEMENT = "the two score alike everywhere"
    NO_DIFFICULTY = "every system that is compared is right everywhere, so that nothing weighs anything"
    TOO_SHORT = "the sentences are too short for n-grams of some order"
    SAME_DIFFERENCE = "leaving out any one unit changes the difference by the same amount"
    CONSTANT = "one of the variables never changes"
    NOT_A_SHARE = "more is correct than was proposed, and the formula is of a share"
    DEPENDENT_UNITS = "the formula needs independent units; resample the clusters"
    TOO_FEW_RATERS = "no item was judged by two raters"
    ONE_JUDGE = "a single judge does not show how judges vary"
    ONE_LABEL = "every judgment has the same label"
    LABEL_NOT_USED = "nobody used the label"
    NO_SPANS = "nobody marked anything"
    SYSTEMS_ALONE = "no scores of sentences"
    NOT_CONNECTED = "no chain of wins connects all systems"
    ONLY_TIES = "all comparisons of the system are ties"
    NO_VALUE = "there is no value"
    WITHOUT_A_JUDGE = "without one of the judges there is no value"
    WITHOUT_A_TEXT = "without one of the documents or sentences there is no value"
    SAME_JUDGES = "leaving out any one judge changes nothing"
    SAME_TEXTS = "leaving out any one document or sentence changes nothing"
    ONE_TEXT_OF_A_JUDGE = "one of the judges looked at a single document or sentence"
    NO_PRIOR = "so few judges, and no population that says how others vary in this measure"
    TOO_FEW_JUDGES = "too few judges: nearly every value is possible"
    TOO_FEW_TEXTS = "too few documents or sentences: nearly every value is possible"
    NO_VOTES = "items that people judged have no cheap label"
    NOT_TRUSTED = "the cheap labels were not used"
    UNINFORMATIVE = "the cheap labels tell errors from the rest no better than chance"
    TOO_FEW_JUDGMENTS = "too few judgments: nearly every value is possible"
    TOO_FEW_SYSTEMS = "too few systems: their rank correlation jumps"
    RUNS_ALONE = "the runs of the method do not show how judgments vary"
    TOO_FEW_POOLS = "too few pools: nearly every value is possible"
    TOO_FEW_RUNS = "too few runs: nearly every value is possible"
    AT_AN_END = "the value is an end of its range, which does not show how it varies"
    ON_REQUEST = "it takes long, and is made on request"


def value_or_none(value: float) -> float | None:
    """The value, or None where it is not a number."""
    return None if isnan(value) else float(value)


class Interval(NamedTuple):
    """A confidence interval, of a nominal coverage (a fraction), made by a method."""

    low: float
    high: float
    confidence_level: float
    method: str

    def covering(self, narrower: Interval | Undefined | None) -> Interval:
        """The same interval, drawn out to the ends of one that takes less into account, where it lies inside those."""
        if not isinstance(narrower, Interval) or (self.low <= narrower.low and narrower.high <= self.high):
            return self
        low, high = min(self.low, narrower.low), max(self.high, narrower.high)
        return self._replace(low=low, high=high, method=f"{self.method}, drawn out to {narrower.method}")


class Scale(NamedTuple):
    """The range of a measure: where its values, and the ends of their intervals, can lie.

    Formula
        Within low and high an interval is made on the scale of logits, g(x) = log((x - low) / (high - x)), above low
        alone on that of logarithms, g(x) = log(x - low): its ends are those x where g(x) = g(value) -+ g'(value) half
        (delta method). A difference is cut at its range, so that the interval holds 0 exactly where the test of no
        difference says so.
    Source
        Agresti 2013, Categorical Data Analysis, section 3.1.6, for logits; docs/judges.md measures their coverage.
    """

    low: float = -inf
    high: float = inf
    cut: bool = False  # ends beyond the range are put at its end: differences

    @property
    def of_differences(self) -> Scale:
        """The range of a difference of two values."""
        width = self.high - self.low
        return Scale(-width, width, cut=True)

    def ends(self, value: float, half: float) -> tuple[float, float] | None:
        """The ends of an interval that would be value -+ half; None where the value is itself an end of the range."""
        if self.cut or isinf(self.low):
            return self.within(value - half, value + half)
        below, above = value - self.low, self.high - value
        if below <= 0 or above <= 0:
            return None
        step = min(half / below + half / above, 700.0)  # exp takes no more

        def end(factor: float) -> float:
            if isinf(above):
                return self.low + below * factor
            odds = below / above * factor
            return self.low + (self.high - self.low) * (odds / (1 + odds) if odds < 1 else 1 / (1 + 1 / odds))

        return end(exp(-step)), end(exp(step))

    def within(self, low: float, high: float) -> tuple[float, float]:
        """Ends, cut at the range."""
        return max(low, self.low), min(high, self.high)

    def says_little(self, low: float, high: float) -> bool:
        """Whether ends leave nearly every value possible: nine tenths of the range, or above low alone tenfold."""
        if isinf(self.high):
            return not isinf(self.low) and high - self.low > 10 * (low - self.low)
        return high - low > 0.9 * (self.high - self.low)


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its company."""

    value: float | None  # a fraction; None where it is undefined
    n_units: int  # how many it rests on
    interval: Interval | None = None  # None: none was asked for
    n_clusters: int | None = None  # groups of dependent units; None: units count as independent
    undefined: Undefined | None = None  # why there is no value, or which empty case a convention filled
    no_interval: Undefined | None = None  # why there is none although one was asked for

    @property
    def interval_or_reason(self) -> Interval | Undefined | None:
        """The interval, or why there is none although one was asked for; None: none was."""
        return self.interval if self.interval is not None else self.no_interval

    def with_interval(self, interval: Interval | Undefined, *, n_clusters: int | None = None) -> Estimate:
        """The same value with its interval, or with the reason why it has none."""
        known, missing = (None, interval) if isinstance(interval, Undefined) else (interval, None)
        return replace(self, interval=known, no_interval=missing, n_clusters=n_clusters)


class Signature(NamedTuple):
    """Names what can change a digit and nothing else, in one comparable line."""

    spec: str  # in its short form
    source: str  # a content hash, as the next two
    reference: str
    hypothesis: str
    n_units: int
    n_annotators: int
    conventions: tuple[str, ...] = ()  # further named choices, e.g. how unmarked sentences were read
    version: str = __version__

    def __str__(self) -> str:
        data = f"src:{self.source}|ref:{self.reference}|hyp:{self.hypothesis}|n:{self.n_units}|ann:{self.n_annotators}"
        return "|".join([self.spec, data, *self.conventions, f"v:{self.version}"])

    def comparable(self, other: Signature) -> bool:
        """Whether two rows may be ranked together: everything but the hypothesis agrees."""
        return self._replace(hypothesis="") == other._replace(hypothesis="")
