"""``errorbar curve``: systems along the agreement of the crowd."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import Command
from errorbar.cli.crowd import crowd_options
from errorbar.cli.options import numbers, option
from errorbar.cli.output import OutputOptions


@click.command("curve", cls=Command)
@crowd_options
@option("--bins", default="0.5,0.75,0.9,1", metavar="A,B,...", help="Edges of the bins of agreement.")
@option(
    "--thresholds", default="0.5,0.6,0.7,0.8,0.9,1", metavar="A,B,...", help="Smallest agreement of the curve's points."
)
@option(
    "--prevalence",
    type=click.FloatRange(0, 1, min_open=True, max_open=True),
    default=0.1,
    help="Share of errors that kappa is standardized to.",
)
@click.option("--kappa", is_flag=True, help="The kappa-agreement curve in place of the bins.")
def command(bins: str, thresholds: str, kappa: bool, output: OutputOptions, **options: Any) -> None:
    """Follow systems along the agreement of a crowd: P and R by agreement bin, or the kappa-agreement curve.

    Arguments are those of `errorbar crowd score`. JSON has both the bins and the curve.

    \b
    errorbar curve votes.csv mine=flags.csv
    errorbar curve 'A*.m2' CAMB AMU --items words --kappa --lenient
    """
    from errorbar.api.curve import View, curve

    view: View = "both" if output.style == "json" else "kappa" if kappa else "bins"
    edges, marks = numbers(bins, "--bins"), numbers(thresholds, "--thresholds")
    output.show(curve(bins=edges, thresholds=marks, view=view, **options), "errorbar.curve/1")
