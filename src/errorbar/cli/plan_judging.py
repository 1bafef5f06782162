"""``errorbar plan-judging``: how many texts to judge, by how many judges."""

from __future__ import annotations

from typing import Any, cast

import click

from errorbar.cli.command import OUTPUT, Command
from errorbar.cli.options import SYSTEMS, options_of
from errorbar.cli.output import PICTURES, OutputOptions, by_ending, check_output, output_options


@click.command("plan-judging", cls=Command)
@options_of(
    "errorbar.api.plan_judging:plan_judging",
    systems=SYSTEMS,
    have={"metavar": "NxM"},
    more={"hidden": True},
    designs={"names": ("--design",), "metavar": "NxM"},
    budget={"metavar": "N|HOURSh"},
    difference={"metavar": "POINTS"},
    n_pilots={"names": ("--pilots",), "hidden": True},
)
@click.option(
    "--chart",
    type=OUTPUT,
    metavar="FILE",
    help="Draw half-widths of the first system by judges and documents, with lines of equal cost: .svg, .png or .pdf.",
)
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
    result = plan_judging(**options)
    if chart is not None:
        from errorbar.reporting.figures import draw_plan

        draw_plan(result, chart, cast("Any", picture))
    output.show(result, result.schema)
