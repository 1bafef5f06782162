"""What the check of a submission found."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from errorbar.core.problems import Problems
from errorbar.metrics.score import Score
from errorbar.tasks.config import Role

DEV: Role = "dev"


@dataclass(frozen=True, slots=True)
class Validation:
    """What was seen of a submission.

    Attributes:
        path: The submission.
        corpus: The corpus it is for.
        n_units: Sentences or texts.
        n_changed: How many of them it changes.
        kept: Share of the source's words that it keeps; None for HOO runs and where lines are not in step.
        problems: What is wrong and what is worth a look.
        dry: Scores on the development data, where these were asked for and can be made.
    """

    path: Path
    corpus: str
    n_units: int
    n_changed: int
    kept: float | None
    problems: Problems
    dry: Sequence[Score] = ()

    @property
    def valid(self) -> bool:
        """Whether it can be sent."""
        return not self.problems.errors
