"""``errorbar compare``: is the difference real?"""

from __future__ import annotations

from dataclasses import asdict
from typing import Literal

import click

from errorbar.cli.intervals import IntervalOptions, interval_options
from errorbar.cli.metric_options import beta_option, metric_option
from errorbar.cli.options import (
    BOOTSTRAPS,
    INPUT,
    GoldOptions,
    SystemOptions,
    gold_options,
    lenient_option,
    swap_options,
    system_options,
)
from errorbar.cli.show import output_options, show_result

SCHEMA = "errorbar.compare/1"


@click.command("compare")
@click.argument("systems", nargs=-1, type=INPUT, required=True, metavar="SYSTEM SYSTEM...")
@gold_options
@system_options
@lenient_option
@metric_option
@beta_option
@click.option(
    "--pairs", is_flag=True, help="Show every pair (difference, interval, p, power) of four systems or more too."
)
@swap_options
@interval_options(methods=BOOTSTRAPS, default="yes", elsewhere=("confidence", "seed"))
@output_options
def command(
    systems: tuple[str, ...],
    gold: GoldOptions,
    taken: SystemOptions,
    lenient: bool,
    spec: str,
    beta: float | None,
    pairs: bool,
    adjust: Literal["max-t", "holm"],
    swaps: int | None,
    intervals: IntervalOptions,
    style: str,
    output: str | None,
) -> None:
    """Tell whether systems differ by more than chance, on the same corpus.

    Approximate randomization gives p-values, adjusted for the number of pairs; a paired bootstrap gives intervals of
    differences. Documents are swapped and resampled where they are known, else sentences. Of two or three systems every
    pair is shown below the scores; csv has one table, that of the systems, or with --pairs that of the pairs.

    \b
    errorbar compare --gold official-2014.combined.m2 CAMB CUUI AMU
    errorbar compare --gold gold.m2 --documents essays.sgml ours.txt theirs.txt
    """
    from errorbar.studies.compare import compare

    found = compare(
        systems=list(systems),
        metric=spec,
        beta=beta,
        adjust=adjust,
        swaps=swaps,
        lenient=lenient,
        **asdict(gold),
        **asdict(taken),
        **asdict(intervals),
    )
    tables = None
    if pairs:
        tables = [found.pair_table()] if style == "csv" else [found.system_table(), found.pair_table()]
    elif style == "csv":
        tables = [found.system_table()]
    show_result(found, style, schema=SCHEMA, output=output, tables=tables)
