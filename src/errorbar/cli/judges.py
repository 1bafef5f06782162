"""``errorbar judges``: how judges of a kind vary."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import OUTPUT, Command
from errorbar.cli.main import Group
from errorbar.cli.options import options_of
from errorbar.cli.output import OutputOptions, check_output, output_options


@click.group("judges", cls=Group)
def command() -> None:
    """Make what intervals of few judges lean on.

    \b
    errorbar judges fit --gold 'A*.m2' --save own.json CAMB CUUI AMU
    errorbar score --gold two.m2 --judges 'random(population=own.json)' mine.txt
    """


@command.command("fit", cls=Command, short_help="Fit how scores vary over the judges of a corpus.")
@options_of(
    "errorbar.api.fit_judges:fit_judges",
    systems={"argument": "[SYSTEM]..."},
    name={"metavar": "NAME"},
    described={"metavar": "TEXT"},
    hold_out={"metavar": "NAME"},
    up_to={"hidden": True},
    floor={"hidden": True},
    df={"hidden": True},
)
@click.option("--save", "file", type=OUTPUT, metavar="FILE", help="Write the population, which other commands read.")
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
