"""A number and what must travel with it: its interval or why there is none, and what was computed on which data."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from errorbar.version import __version__


class Undefined(StrEnum):
    """Why a value does not exist, or exists by convention only."""

    NOTHING_PROPOSED = "nothing was proposed"
    NOTHING_IN_REFERENCE = "nothing is in the reference"
    NOTHING_CORRECT = "precision and recall are both 0"
    NO_UNITS = "no unit was scored"
    NO_GOLD = "no gold item was judged"
    NO_EDITS = "no edit was proposed and none is in the reference"
    ONE_UNIT = "a single unit does not show how units vary"
    TOO_FEW_UNITS = "too few units for the formula"
    ZERO_WIDTH = "the formula gives an interval of zero width here"
    NO_VARIATION = "all resamples give the same value"
    ONE_SIDED = "nearly all resamples lie on one side of the value"
    RESAMPLES_UNDEFINED = "the value is undefined in too many resamples"
    NOT_COMPARABLE = "the value of one of the two is undefined"
    NO_DISAGREEMENT = "the two never differ"
    TOO_SHORT = "the sentences are too short for n-grams of some order"
    SAME_DIFFERENCE = "leaving out any one unit changes the difference by the same amount"
    CONSTANT = "one of the variables never changes"
    DEPENDENT_UNITS = "the formula needs independent units; resample the clusters"
    TOO_FEW_RATERS = "no item was judged by two raters"
    ONE_JUDGE = "a single judge does not show how judges vary"
    ONE_LABEL = "every judgment has the same label"
    LABEL_NOT_USED = "nobody used the label"
    SYSTEMS_ALONE = "no scores of sentences"
    NOT_CONNECTED = "no chain of wins connects all systems"
    NO_VALUE = "there is no value"
    WITHOUT_A_JUDGE = "without one of the judges there is no value"
    WITHOUT_A_TEXT = "without one of the documents or sentences there is no value"
    SAME_JUDGES = "leaving out any one judge changes nothing"
    SAME_TEXTS = "leaving out any one document or sentence changes nothing"
    ONE_TEXT_OF_A_JUDGE = "one of the judges looked at a single document or sentence"
    NO_PRIOR = "two judges, and no prior that says how others vary in this measure"


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval, of a nominal coverage (a fraction), made by a method."""

    low: float
    high: float
    confidence_level: float
    method: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its company."""

    value: float | None  # a fraction; None where it is undefined
    n_units: int  # how many it rests on
    interval: Interval | None = None  # None: none was asked for
    n_clusters: int | None = None  # groups of dependent units; None: units count as independent
    undefined: Undefined | None = None  # why there is no value, or which empty case a convention filled
    no_interval: Undefined | None = None  # why there is none although one was asked for

    def with_interval(self, interval: Interval | Undefined, *, n_clusters: int | None = None) -> Estimate:
        """The same value with its interval, or with the reason why it has none."""
        made, missing = (None, interval) if isinstance(interval, Undefined) else (interval, None)
        return replace(self, interval=made, no_interval=missing, n_clusters=n_clusters)


@dataclass(frozen=True, slots=True)
class Signature:
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
        return replace(self, hypothesis="") == replace(other, hypothesis="")
