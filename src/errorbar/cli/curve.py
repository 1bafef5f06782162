"""``errorbar curve``: systems along the agreement of the crowd."""

from __future__ import annotations

from dataclasses import asdict

import click

from errorbar.cli.crowd_options import (
    JudgedOptions,
    crowd_metric_options,
    crowd_options,
    without_method,
)
from errorbar.cli.intervals import IntervalOptions, interval_options
from errorbar.cli.options import INPUT
from errorbar.cli.show import output_options, show_result
from errorbar.core.errors import Problem, UsageError

SCHEMA = "errorbar.curve/1"


@click.command("curve")
@click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
@click.argument("systems", nargs=-1, type=INPUT, required=True, metavar="SYSTEM...")
@click.option("--bins", default="0.5,0.75,0.9,1", show_default=True, help="Edges of the bins of agreement.")
@click.option(
    "--thresholds", default="0.5,0.6,0.7,0.8,0.9,1", show_default=True, help="Smallest agreement of the curve's points."
)
@click.option(
    "--prevalence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.1,
    show_default=True,
    help="Share of errors that kappa is standardised to.",
)
@click.option("--kappa", is_flag=True, help="The kappa-agreement curve in place of the bins.")
@crowd_metric_options
@interval_options(default="up to 20,000 items", elsewhere=("seed",))
@crowd_options
@output_options
def command(
    judgments: str,
    systems: tuple[str, ...],
    bins: str,
    thresholds: str,
    prevalence: float,
    kappa: bool,
    spec: str,
    intervals: IntervalOptions,
    judged: JudgedOptions,
    output: str | None,
    style: str,
) -> None:
    """Follow systems along the agreement of a crowd: P and R by agreement bin, or the kappa-agreement curve.

    Arguments are those of `errorbar crowd score`. JSON has both the bins and the curve.

    \b
    errorbar curve votes.csv mine=flags.csv
    errorbar curve 'A*.m2' CAMB AMU --items words --kappa --lenient
    """
    from errorbar.studies.curve import View, curve

    edges, marks = _numbers(bins, "--bins"), _numbers(thresholds, "--thresholds")
    view: View = "both" if style == "json" else "kappa" if kappa else "bins"
    result = curve(
        judgments,
        systems,
        bins=edges,
        thresholds=marks,
        prevalence=prevalence,
        view=view,
        metric=spec,
        **without_method(intervals),
        **asdict(judged),
    )
    show_result(result, style, schema=SCHEMA, output=output)


def _numbers(text: str, option: str) -> list[float]:
    try:
        return [float(part) for part in text.split(",")]
    except ValueError:
        raise UsageError(Problem("curve-numbers", f"{option} {text}", expected="numbers between commas")) from None
