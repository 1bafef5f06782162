"""Scoring files by one worker or many."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from errorbar.cli.progress import progress_bar
from errorbar.core.errors import Problem
from errorbar.execute import choose_executor
from errorbar.metrics.base import Metric
from errorbar.metrics.score import Score
from errorbar.metrics.scoring import score_pieces
from errorbar.studies.inputs import ReadingOptions, read_pieces

if TYPE_CHECKING:
    from errorbar.stats.resampling import Resampling


def score_files(
    gold: Sequence[str],
    systems: Sequence[str],
    metrics: Sequence[Metric],
    options: ReadingOptions,
    *,
    by_type: bool = False,
    by_sentence: bool = False,
    resampling: Resampling | None = None,
    jobs: int = 1,
    dask: str | None = None,
) -> tuple[list[Score], list[Problem]]:
    """Score systems' files against reference files, and say what was noted on the way.

    Raises:
        ErrorbarError: As the library functions called here do.
    """
    with (
        choose_executor(jobs, dask) as executor,
        progress_bar("sentences") as progress,
        read_pieces(gold, systems, options, executor) as read,
    ):
        scores = score_pieces(
            read.pieces,
            read.systems,
            metrics,
            read.problems,
            by_type=by_type,
            by_sentence=by_sentence,
            resampling=resampling,
            conventions=read.conventions,
            admission=read.admission,
            progress=progress,
            executor=executor,
        )
    return scores, read.problems.notes
