"""``errorbar plan-judging``: how many texts to judge, by how many judges."""

from __future__ import annotations

from typing import Any, cast

import click

from errorbar.cli.command import OUTPUT, Command
from errorbar.cli.options import (
    FiniteRange,
    confidence_option,
    judges_option,
    metric_options,
    option,
    scoring_options,
    seed_option,
    systems_argument,
)
from errorbar.cli.output import PICTURES, OutputOptions, by_ending, check_output, output_options


@click.command("plan-judging", cls=Command)
@systems_argument
@scoring_options
@metric_options
@judges_option
@click.option("--have", default="", metavar="NxM", help="What is added to: documents by judges.  [default: all]")
@option("--more", type=click.IntRange(1), default=200, hidden=True, help="Sentences more, of one of the designs.")
@click.option("--design", "designs", multiple=True, metavar="NxM", help="A further design, e.g. 100x5; repeatable.")
@option("--minutes", type=FiniteRange(0, min_open=True), help="Minutes that a judge takes for a sentence.")
@click.option(
    "--budget",
    metavar="N|HOURSh",
    help="Judgments of a sentence by a judge that can be paid, or hours such as 40h: the best split is shown.",
)
@click.option(
    "--difference",
    type=FiniteRange(0, min_open=True),
    metavar="POINTS",
    help="Show how likely two systems that truly differ by so much are found to differ.",
)
@option(
    "--pilots",
    "n_pilots",
    type=click.IntRange(0),
    default=100,
    hidden=True,
    help="Pilots of each size that are tried; 0: none.",
)
@click.option(
    "--chart",
    type=OUTPUT,
    metavar="FILE",
    help="Draw half-widths of the first system by judges and documents, with lines of equal cost: .svg, .png or .pdf.",
)
@confidence_option
@seed_option
@output_options
def command(chart: str | None, output: OutputOptions, **options: Any) -> None:
    """Plan how many texts to judge, by how many judges: the intervals to expect, and the differences they would show.

    Takes a corpus that is judged already, and shows for each score and each difference of two systems the half-width
    that 'errorbar score' and 'errorbar compare' would print with more texts or judges, and how far it may be from that.

    \b
    errorbar plan-judging --gold 'A*.m2' --documents essays.sgml CAMB CUUI --difference 3
    errorbar plan-judging --gold 'A*.m2' --minutes 1.5 --budget 40h --design 100x5 CAMB CUUI
    """
    from errorbar.api.plan_judging import plan_judging

    if chart is not None:
        check_output(chart)
        picture = by_ending(chart, PICTURES, "")
    found = plan_judging(**options)
    if chart is not None:
        from errorbar.reporting.figures import draw_plan

        draw_plan(found, chart, cast("Any", picture))
    output.show(found, found.schema)
