"""``errorbar score`` and ``errorbar reproduce`` of HOO data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from errorbar.cli.progress import progress_bar
from errorbar.cli.show import show_result
from errorbar.core.problems import Problems
from errorbar.studies.hoo_scores import HooOptions, score_hoo

if TYPE_CHECKING:
    from errorbar.stats.resampling import Resampling

SCHEMA = "errorbar.hoo-score/1"


def show_hoo(
    systems: Sequence[str],
    gold: Sequence[str],
    specs: Sequence[str],
    options: HooOptions,
    *,
    view: str,
    resampling: Resampling | None,
    style: str,
) -> None:
    """Score runs against HOO gold edits and print the result.

    Raises:
        InputError: If a file is bad or a run lacks a fragment.
        UsageError: If an option does not fit.
    """
    with progress_bar("fragments") as progress:
        found = score_hoo(gold, systems, specs, options, resampling=resampling, view=view, progress=progress)
    show_result(found, style, schema=SCHEMA)


def reproduce_hoo2011(data: str | None, *, style: str, seed: int = 0) -> None:
    """Print table 8 of the HOO 2011 paper, and tables 2 to 7 and 9 to 21 for simulated teams.

    Raises:
        InputError: If the data is not there or not readable.
    """
    from errorbar.reproduce.hoo2011 import recompute

    found = recompute(data, Problems(lenient=True), seed=seed)
    show_result(found, style, schema="errorbar.reproduce-hoo2011/1")
