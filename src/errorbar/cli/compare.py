"""``errorbar compare``: is the difference real?"""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import Command
from errorbar.cli.intervals import interval_options
from errorbar.cli.metric_options import metric_options
from errorbar.cli.options import (
    ADJUSTMENTS,
    BOOTSTRAPS,
    INPUT,
    choice,
    essays_option,
    option,
    scoring_options,
)
from errorbar.cli.show import Output, output_options


@click.command("compare", cls=Command)
@click.argument("systems", nargs=-1, type=INPUT, required=True, metavar="SYSTEM SYSTEM...")
@scoring_options
@essays_option
@metric_options
@click.option(
    "--pairs", is_flag=True, help="Show every pair (difference, interval, p, power) of four systems or more too."
)
@choice(
    "--adjust",
    ADJUSTMENTS,
    "How p-values are adjusted for the number of pairs: step-down max-T, or Holm, which takes more swaps.",
)
@option(
    "--swaps",
    type=click.IntRange(1),
    help="Random ways to swap the outputs of two systems.  [default: 2000, or as many as the level asks for]",
)
@interval_options(methods=BOOTSTRAPS, default="yes", elsewhere=("confidence", "seed"))
@output_options
def command(pairs: bool, output: Output, **options: Any) -> None:
    """Tell whether systems differ by more than chance, on the same corpus.

    Approximate randomization gives p-values, adjusted for the number of pairs; a paired bootstrap gives intervals of
    differences. Documents are swapped and resampled where they are known, else sentences. Of two or three systems every
    pair is shown below the scores; csv has one table, that of the systems, or with --pairs that of the pairs.

    \b
    errorbar compare --gold official-2014.combined.m2 CAMB CUUI AMU
    errorbar compare --gold gold.m2 --documents essays.sgml ours.txt theirs.txt
    """
    from errorbar.studies.compare import compare

    found = compare(**options)
    tables = None
    if output.style == "csv":
        tables = [found.pair_table() if pairs else found.system_table()]
    elif pairs:
        tables = [found.system_table(), found.pair_table()]
    output.show(found, "errorbar.compare/1", tables)
