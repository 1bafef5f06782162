"""``errorbar crowd howmany``: how many raters equal an expert."""

from __future__ import annotations

from dataclasses import asdict

import click

from errorbar.cli.crowd_options import JudgedOptions, judged_options
from errorbar.cli.options import INPUT, seed_option
from errorbar.cli.show import output_options, show_result

SCHEMA = "errorbar.crowd.howmany/1"


@click.command("howmany")
@click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
@click.option(
    "--experts", default="", metavar="A,B", help="Raters of JUDGMENTS who are experts; the rest is the crowd."
)
@click.option("--truth", type=INPUT, metavar="FILE", help="Table item,label of expert answers.")
@click.option("--draws", type=click.IntRange(1), default=200, show_default=True, help="Subsets drawn for kappa.")
@judged_options
@seed_option
@output_options
def command(
    judgments: str,
    experts: str,
    truth: str | None,
    draws: int,
    judged: JudgedOptions,
    seed: int,
    output: str | None,
    style: str,
) -> None:
    """Tell how many raters equal an expert: accuracy (exact) and kappa of the majority of k, and the expert's line.

    \b
    errorbar crowd howmany votes.csv --truth expert.csv
    errorbar crowd howmany votes.csv --experts anna,ben,carla
    """
    from errorbar.studies.crowd_answers import crowd_howmany

    names = [name for name in experts.split(",") if name]
    result = crowd_howmany(judgments, experts=names, truth=truth or None, draws=draws, seed=seed, **asdict(judged))
    show_result(result, style, schema=SCHEMA, output=output)
