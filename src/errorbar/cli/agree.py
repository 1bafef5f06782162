"""``errorbar agree``: how far annotators or raters agree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import click

from errorbar.cli.command import Command
from errorbar.cli.options import INPUT, options_of, refuse_given
from errorbar.cli.output import OutputOptions, output_options
from errorbar.core.problems import Problem, UsageError

OF_LABELS = ("layout", "column", "items", "repeats", "scale", "weights", "judges", "pools", "pairs", "confusion")
"""Options of which nothing would come with ``--spans``."""


@click.command("agree", cls=Command)
@options_of(
    "errorbar.api.agree:agree",
    judgments={"argument": "FILE..."},
    repeats={"type": click.Choice(("refuse", "first", "last")), "hidden": True},
    clusters=None,
    unknown=None,
    type=None,
    weights={"hidden": True},
    unmarked={"hidden": True},
)
@click.option("--spans", is_flag=True, help="Measure agreement on where spans begin and end: unitizing alpha, gamma.")
@click.option(
    "--against",
    type=INPUT,
    multiple=True,
    metavar="FILE",
    help="With --spans: other annotations of the same texts, whose agreement is compared; repeatable.",
)
@click.option("--pairs", is_flag=True, help="Show Cohen's kappa of every pair.")
@click.option("--confusion", is_flag=True, help="Show which labels meet on one item.")
@output_options
def command(
    spans: bool, against: Sequence[str], pairs: bool, confusion: bool, output: OutputOptions, **options: Any
) -> None:
    """Measure agreement between annotators or raters.

    FILEs are M2 or errorbar JSONL over the same sentences, whose annotators' edits are turned into judgments of
    tokens (or gaps, sentences, words); or tables of judgments: CSV, JSON lines or Parquet with item, rater and
    label, a column for each rater (--layout wide), or batch results of Mechanical Turk.

    \b
    errorbar agree official-2014.0.m2 official-2014.1.m2
    errorbar agree --items words:articles 'A*.m2' --lenient
    errorbar agree votes.csv
    errorbar agree ratings.csv --scale ordinal
    errorbar agree --spans 'A*.m2' --against 'B*.m2'
    """
    if spans:
        refuse_given(OF_LABELS, "is about labels, and --spans measures where spans begin and end")
        from errorbar.api.agree_spans import agree_spans

        kept = {name: value for name, value in options.items() if name not in OF_LABELS and name != "judgments"}
        output.show(agree_spans(options["judgments"], against=against or None, **kept), "errorbar.agree-spans/1")
        return
    if against:
        raise UsageError(Problem("useless-option", "--against is about --spans", fix="add --spans, or leave it out"))
    from errorbar.api.agree import agree

    if pairs and confusion:
        raise UsageError(Problem("two-views", "--pairs and --confusion cannot be combined", fix="give one of them"))
    result = agree(**options)
    shown = [result.view("pairs" if pairs else "confusion")] if pairs or confusion else result.printed_tables()
    output.show(result, "errorbar.agree/1", shown)
