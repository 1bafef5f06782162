"""``errorbar agree``: how far annotators or raters agree."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import former
from errorbar.cli.crowd_options import (
    LAYOUTS,
    items_option,
    labels_option,
    role_option,
    without_method,
    words_option,
)
from errorbar.cli.intervals import IntervalOptions, interval_options
from errorbar.cli.options import INPUT, documents_option, lenient_option, unmarked_option
from errorbar.cli.show import output_options, show_result
from errorbar.core.errors import Problem, UsageError

SCHEMA = "errorbar.agree/1"
SCALES = ("nominal", "ordinal", "interval", "ratio")
WEIGHTS = ("none", "linear", "quadratic")
REPEATS = ("refuse", "first", "last")


@click.command("agree")
@click.argument("files", nargs=-1, type=INPUT, required=True, metavar="FILE...")
@items_option("What annotators of an M2 or JSONL corpus judge; see the docs for insertions.")
@words_option
@labels_option("the ranks from lowest to highest, A,B; or, of a corpus, 'type': edits say their type, not 'error'")
@former("--type", "labels", lambda said, type: [*said, f"type={type}"], metavar="TYPE")
@role_option("--unknown")
@former("--order", "labels", lambda said, order: [*said, order], metavar="A,B")
@documents_option
@unmarked_option
@click.option(
    "--layout",
    type=click.Choice(LAYOUTS),
    default="auto",
    show_default=True,
    help="Layout of a table of judgments: a row for each, a column for each rater (wide), or batch results.",
)
@click.option("--column", multiple=True, metavar="ROLE=NAME", help="E.g. rater=worker; repeatable.")
@click.option(
    "--repeats",
    type=click.Choice(REPEATS),
    default="refuse",
    show_default=True,
    help="Which judgment counts where a rater judged an item twice.",
)
@click.option(
    "--scale",
    type=click.Choice(SCALES),
    default="nominal",
    show_default=True,
    help="What labels are: names, ranks, numbers, or numbers with a true zero.",
)
@click.option(
    "--weights",
    type=click.Choice(WEIGHTS),
    help="Weights of Cohen's kappa.  [default: none for names, linear for ranks, quadratic for numbers]",
)
@interval_options(default="yes")
@click.option("--pairs", is_flag=True, help="Show Cohen's kappa of every pair.")
@click.option("--confusion", is_flag=True, help="Show which labels meet on one item.")
@lenient_option
@output_options
def command(
    files: tuple[str, ...],
    intervals: IntervalOptions,
    pairs: bool,
    confusion: bool,
    style: str,
    output: str | None,
    **reading: Any,
) -> None:
    """Tell how far annotators or raters agree.

    FILEs are M2 or errorbar JSONL over the same sentences, whose annotators' edits are turned into judgments of
    tokens (or gaps, sentences, words); or tables of judgments: CSV, JSON lines or Parquet with item, rater and
    label, a column for each rater (--layout wide), or batch results of Mechanical Turk.

    \b
    errorbar agree official-2014.0.m2 official-2014.1.m2
    errorbar agree --items words:articles 'A*.m2' --lenient
    errorbar agree votes.csv
    errorbar agree ratings.csv --scale ordinal
    """
    from errorbar.studies.agree import agree

    if pairs and confusion:
        raise UsageError(Problem("two-views", "--pairs and --confusion cannot be combined", fix="give one of them"))
    result = agree(files, **without_method(intervals), **reading)
    shown = result.view("pairs" if pairs else "confusion" if confusion else "agreement")
    show_result(result, style, schema=SCHEMA, output=output, tables=[shown])
