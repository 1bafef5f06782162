"""``errorbar curve``: systems along the agreement of the crowd."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import Command
from errorbar.cli.crowd import JUDGMENTS, NO_ROLES
from errorbar.cli.options import NUMBERS, SYSTEMS, options_of
from errorbar.cli.output import OutputOptions, output_options


@click.command("curve", cls=Command)
@options_of(
    "errorbar.api.curve:curve",
    judgments=JUDGMENTS,
    systems=SYSTEMS,
    bins=NUMBERS,
    thresholds=NUMBERS,
    view=None,
    **NO_ROLES,
)
@click.option("--kappa", is_flag=True, help="The kappa-agreement curve in place of the bins.")
@output_options
def command(kappa: bool, output: OutputOptions, **options: Any) -> None:
    """Follow systems along the agreement of a crowd: P and R by agreement bin, or the kappa-agreement curve.

    Arguments are those of `errorbar crowd score`. JSON has both the bins and the curve.

    \b
    errorbar curve votes.csv mine=flags.csv
    errorbar curve 'A*.m2' CAMB AMU --items words --kappa --lenient
    """
    from errorbar.api.curve import View, curve

    view: View = "both" if output.style == "json" else "kappa" if kappa else "bins"
    output.show(curve(view=view, **options), "errorbar.curve/1")
