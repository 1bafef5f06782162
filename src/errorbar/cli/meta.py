"""``errorbar meta``: how metrics agree with a human ranking."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from errorbar.cli.intervals import IntervalOptions, interval_options
from errorbar.cli.options import INPUT, FiniteRange, lenient_option, refuse_given
from errorbar.cli.progress import progress_bar
from errorbar.cli.rank import METHODS, by_option
from errorbar.cli.show import output_options, show_result
from errorbar.core.errors import Problem, UsageError

if TYPE_CHECKING:
    from errorbar.tables.table import Table

SCHEMA = "errorbar.meta/1"


@click.command("meta")
@click.argument("human", type=INPUT, metavar="HUMAN")
@click.argument("scores", nargs=-1, type=INPUT, required=True, metavar="SCORES...")
@click.option(
    "--method", type=click.Choice(METHODS), default=METHODS[0], show_default=True, help="How judgments become scores."
)
@click.option(
    "--beta", type=FiniteRange(0, 1000, min_open=True), metavar="B", multiple=True, help="Further F; repeatable."
)
@click.option("--sentences", is_flag=True, help="Show pairwise accuracy of sentence scores, ties calibrated.")
@click.option(
    "--first-sentence",
    type=click.IntRange(-(10**9), 10**9),
    metavar="N",
    default=1,
    show_default=True,
    help="How HUMAN numbers the first sentence.",
)
@click.option("--tests", is_flag=True, help="Show whether one metric agrees better than another: Williams, swapping.")
@click.option(
    "--permutations",
    type=click.IntRange(1, 10_000_000),
    metavar="N",
    default=10_000,
    show_default=True,
    help="Ways to swap scores.",
)
@click.option(
    "--window",
    type=click.IntRange(0),
    metavar="N",
    default=0,
    help="Show correlations in windows of so many neighbors.",
)
@by_option
@interval_options(jobs=False, default="up to 20,000 items", elsewhere=("confidence", "seed"))
@lenient_option
@output_options
def command(
    human: str,
    scores: tuple[str, ...],
    sentences: bool,
    tests: bool,
    window: int,
    intervals: IntervalOptions,
    style: str,
    output: str | None,
    **options: Any,
) -> None:
    """Tell how metrics agree with a human ranking.

    HUMAN is a file of judgments, as errorbar rank reads them, or a table with the columns system and score. SCORES are
    tables (system, score, maybe metric and sentence), JSON of errorbar score, or lines of a system and its score;
    name=path names a metric. Higher must be better.

    \b
    errorbar meta judgments.xml scores.m2 scores.bleu --beta 0.25 --tests
    errorbar meta judgments.xml scores.json --sentences --first-sentence 0
    errorbar meta human.csv metrics.csv --window 4
    """
    from errorbar.studies.meta import meta

    if style == "csv" and sum((sentences, tests, window > 0)) > 1:
        what = "--sentences, --tests and --window give a table each, and CSV holds one"
        raise UsageError(Problem("meta-one-table", what, fix="ask for one at a time, or use --format json"))
    if not tests and style != "json":
        refuse_given(("permutations",), "is about --tests", "add --tests, or leave it out")
    how = asdict(intervals)
    del how["jobs"], how["ci_method"]
    with progress_bar("resamples", intervals.resamples) as progress:
        found = meta(
            human,
            scores,
            sentences=sentences,
            tests=tests or style == "json",
            window=window,
            progress=progress,
            **how,
            **options,
        )
    tables: list[Table] = []
    if sentences:
        tables.append(found.sentence_table())
    if tests:
        tables.append(found.test_table())
    if window:
        tables.append(found.window_table())
    show_result(found, style, schema=SCHEMA, output=output, tables=tables or None)
