"""What a metric gave to systems: a score each, and maybe a score for each of their sentences."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class MetricScores:
    """The scores of one metric; higher is better.

    Attributes:
        metric: Its name.
        systems: System to score.
        sentences: Sentence to system to score; empty where there are none.
    """

    metric: str
    systems: Mapping[str, float]
    sentences: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
