"""``errorbar score``: systems against annotators."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import Command, progress_bar
from errorbar.cli.options import (
    BOOTSTRAPS,
    OF_INTERVALS,
    beta_option,
    choice,
    interval_options,
    judges_option,
    option,
    refuse_given,
    scoring_options,
    systems_argument,
)
from errorbar.cli.output import OutputOptions, output_options

VIEWS = ("type", "sentence", "fragment", "team")


@click.command("score", cls=Command)
@systems_argument
@scoring_options
@option(
    "--metric",
    multiple=True,
    metavar="SPEC",
    help="What to compute, e.g. 'm2(beta=1)' (short: --beta 1; 'errorbar metrics' lists all); repeatable.  [default: "
    "m2; tokens of labels]",
)
@beta_option(hidden=True)
@click.option(
    "--by",
    type=click.Choice(VIEWS),
    help="Show the scores of each error type, the part of each sentence (of HOO data: fragment), or, of HOO data, the "
    "best run of each team.",
)
@choice("--order", ("best", "input"), "List systems the best first, or as they were given.")
@interval_options(methods=(*BOOTSTRAPS, "closed"), cluster=True)
@judges_option
@output_options
def command(output: OutputOptions, **options: Any) -> None:
    """Score systems against one or several annotators.

    A SYSTEM is a file with one corrected sentence per line, or name=file; '-' is standard input. Gzipped files are read
    as they are. Systems of the metrics errant and behavior can be M2, too, those of tokens M2 or token labels.
    Text for a paper follows the table, on standard error.

    \b
    errorbar score --gold official-2014.combined.m2 CAMB AMU CUUI
    errorbar score --gold A1.m2 --gold A2.m2 --metric 'm2(beta=1)' mine=output.txt
    errorbar score --source dev.src --reference dev.ref0 --reference dev.ref1 --metric gleu mine=output.txt
    errorbar score --metric hoo --gold Gold/ team=corrected_texts/
    """
    by = options["by"]
    if by in ("sentence", "fragment") and options["ci"] is None:
        refuse_given(
            (*OF_INTERVALS, "judges"), f"is about intervals, and --by {by} has none", "add --ci, or leave it out"
        )
    from errorbar.api.score import score

    with progress_bar("sentences") as progress:
        found = score(progress=progress, **options)
    rows = found.type_rows() if by == "type" and output.style == "csv" else None
    output.show(found, found.schema, rows)
    if by is None:
        output.show_for_paper(found)
