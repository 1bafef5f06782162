"""``errorbar judges``: how judges of a kind vary."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import OUTPUT, Command
from errorbar.cli.main import Group
from errorbar.cli.options import (
    INPUT,
    FiniteRange,
    beta_option,
    confidence_option,
    jobs_option,
    option,
    scoring_options,
    seed_option,
)
from errorbar.cli.output import OutputOptions, check_output, output_options


@click.group("judges", cls=Group)
def command() -> None:
    """Make what intervals of few judges lean on.

    \b
    errorbar judges fit --gold 'A*.m2' --save own.json CAMB CUUI AMU
    errorbar score --gold two.m2 --judges 'random(population=own.json)' mine.txt
    """


@command.command("fit", cls=Command, short_help="Fit how scores vary over the judges of a corpus.")
@click.argument("systems", nargs=-1, type=INPUT, metavar="[SYSTEM]...")
@scoring_options
@click.option(
    "--metric", multiple=True, metavar="SPEC", help="What is computed; repeatable.  [default: m2; tokens of labels]"
)
@beta_option(hidden=True)
@option("--name", default="own", metavar="NAME", help="Name of the population, which signatures show.")
@click.option("--described", default="", metavar="TEXT", help="Who the judges are, as a sentence names them.")
@click.option(
    "--hold-out",
    multiple=True,
    metavar="NAME",
    help="A system, or an annotator's text, that takes no part in the fit and shows what it is worth; repeatable.",
)
@option(
    "--up-to", hidden=True, type=click.IntRange(1, 5), default=5, help="The most judges for whom constants are made."
)
@click.option(
    "--floor",
    hidden=True,
    type=FiniteRange(0, 1e6, min_open=True),
    help="The least variance, squared points.  [default: fitted]",
)
@option(
    "--exponent", type=FiniteRange(0, 10), default=0.75, help="How a difference's variance falls with that over texts."
)
@option(
    "--df", hidden=True, type=FiniteRange(1, 1000), default=3.0, help="Degrees of freedom that the variance counts for."
)
@option("--draws", type=click.IntRange(0), default=1000, help="Simulated corpora for each system and pair; 0: none.")
@click.option("--save", "file", type=OUTPUT, metavar="FILE", help="Write the population, for --judges.")
@confidence_option
@seed_option
@jobs_option
@output_options
def fit(file: str | None, output: OutputOptions, **options: Any) -> None:
    """Fit how scores vary over the judges of a corpus with three annotators or more.

    Annotators are systems, too, each scored against the others. The tables show the constants and how often the
    intervals that lean on them hold the truth.

    \b
    errorbar judges fit --gold 'A*.m2' --documents essays.sgml --hold-out CUUI --save own.json CAMB CUUI AMU
    """
    from errorbar.api.fit_judges import fit_judges

    if file is not None:
        check_output(file)
    fitted = fit_judges(**options)
    if file is not None:
        fitted.save(file)
    output.show(fitted, fitted.schema, fitted.printed_tables())
