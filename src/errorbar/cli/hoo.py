"""``errorbar score`` and ``errorbar reproduce`` of HOO data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from errorbar.cli.progress import progress_bar
from errorbar.cli.show import show_result
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
