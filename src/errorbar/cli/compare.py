"""``errorbar compare``: is the difference real?"""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import OUTPUT, Command
from errorbar.cli.intervals import interval_options
from errorbar.cli.metric_options import metric_options
from errorbar.cli.options import (
    ADJUSTMENTS,
    BOOTSTRAPS,
    INPUT,
    FiniteRange,
    choice,
    judges_option,
    option,
    scoring_options,
)
from errorbar.cli.show import Output, output_options


@click.command("compare", cls=Command)
@click.argument("systems", nargs=-1, type=INPUT, required=True, metavar="SYSTEM SYSTEM...")
@scoring_options
@metric_options
@click.option(
    "--pairs", is_flag=True, help="Show every pair (difference, interval, p, power) of four systems or more too."
)
@choice(
    "--adjust",
    ADJUSTMENTS,
    "How p-values of random swaps (as many as --swaps N says, or as the level asks for) are adjusted for the number of "
    "pairs: step-down max-T, or Holm, which takes more swaps.",
    hidden=True,
)
@option(
    "--swaps",
    type=click.IntRange(1),
    hidden=True,
    help="Random ways to swap the outputs of two systems.  [default: 2000, or as many as the level asks for]",
)
@option(
    "--fail-if-worse",
    type=FiniteRange(0),
    metavar="POINTS",
    help="Exit with code 1 if the interval of SYSTEM - first SYSTEM, the one that decides here, lies below -POINTS; "
    "also told as JUnit XML (--junit FILE) and to GitHub Actions (--github).",
)
@click.option(
    "--junit", hidden=True, type=OUTPUT, metavar="FILE", help="Write what --fail-if-worse decided as JUnit XML."
)
@click.option("--github", is_flag=True, hidden=True, help="Annotate the run of GitHub Actions, and add to its summary.")
@judges_option
@interval_options(methods=BOOTSTRAPS, default="yes", elsewhere=("confidence", "seed"))
@output_options
def command(pairs: bool, junit: str | None, github: bool, output: Output, **options: Any) -> None:
    """Tell whether systems differ by more than chance, on the same corpus.

    Where judges can be drawn anew, a joint test over texts and judges decides what is significant; where they are
    fixed, approximate randomization does. JSON and CSV have both. Both are adjusted for the number of pairs (--adjust).
    A paired bootstrap gives intervals of differences over texts. Documents are swapped and
    resampled where they are known, else sentences. Of two or three systems every pair is shown below the scores; csv
    has one table, that of the systems, or with --pairs that of the pairs. Text for a paper follows the tables, on
    standard error.

    \b
    errorbar compare --gold official-2014.combined.m2 CAMB CUUI AMU
    errorbar compare --gold gold.m2 --documents essays.sgml ours.txt theirs.txt
    errorbar compare --gold gold.m2 old.txt new.txt --fail-if-worse 0.5
    """
    from errorbar.cli.gate_output import check_gate_output, leave_by_gate, write_gate
    from errorbar.studies.compare import compare

    check_gate_output(asked=options["fail_if_worse"] is not None)
    found = compare(**options)
    tables = found.chosen_tables(pairs=True) if pairs else found.tables()
    if output.style == "csv":
        tables = [found.pair_table() if pairs else found.system_table()]
    write_gate(found, junit, github=github, output=output)
    with leave_by_gate(found.gate):
        output.show(found, "errorbar.compare/1", tables)
        output.show_for_paper(found)
