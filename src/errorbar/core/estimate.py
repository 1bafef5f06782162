"""A number and what must travel with it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Undefined(StrEnum):
    """Why a value does not exist, or exists by convention only."""

    NOTHING_PROPOSED = "nothing was proposed"
    NOTHING_IN_REFERENCE = "nothing is in the reference"
    NOTHING_CORRECT = "precision and recall are both 0"
    NO_UNITS = "no unit was scored"


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval.

    Attributes:
        low: Lower end.
        high: Upper end.
        confidence_level: Nominal coverage, a fraction.
        method: How it was made.
    """

    low: float
    high: float
    confidence_level: float
    method: str


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value with its company.

    Attributes:
        value: The value, a fraction; None where it is undefined.
        n_units: How many units it rests on.
        interval: Its interval, or None if none was asked for.
        n_clusters: How many groups of dependent units, or None if units count as independent.
        undefined: Why there is no value, or, if there is one, which empty case a convention filled.
    """

    value: float | None
    n_units: int
    interval: Interval | None = None
    n_clusters: int | None = None
    undefined: Undefined | None = None
