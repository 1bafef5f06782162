"""``errorbar meta``: how metrics agree with a human ranking."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import Command
from errorbar.cli.intervals import interval_options
from errorbar.cli.options import INPUT, FiniteRange, choice, lenient_option, option, refuse_given
from errorbar.cli.rank import METHODS, by_option
from errorbar.cli.show import Output, output_options
from errorbar.cli.talk import progress_bar
from errorbar.core.errors import Problem, UsageError


@click.command("meta", cls=Command)
@click.argument("human", type=INPUT, metavar="HUMAN")
@click.argument("scores", nargs=-1, type=INPUT, required=True, metavar="SCORES...")
@choice("--method", METHODS, "How judgments become scores.")
@option(
    "--beta",
    type=FiniteRange(0, 1000, min_open=True),
    metavar="B",
    multiple=True,
    help="Also compute F with this beta; repeatable.",
)
@click.option("--sentences", is_flag=True, help="Show pairwise accuracy of sentence scores, ties calibrated.")
@option(
    "--first-sentence", type=click.IntRange(-(10**9), 10**9), default=1, help="How HUMAN numbers the first sentence."
)
@click.option("--tests", is_flag=True, help="Show whether one metric agrees better than another: Williams, swapping.")
@option("--permutations", type=click.IntRange(1, 10_000_000), default=10_000, help="Ways to swap scores.")
@click.option("--window", type=click.IntRange(0), default=0, help="Show correlations in windows of so many neighbors.")
@by_option
@interval_options(jobs=False, default="up to 20,000 items", elsewhere=("seed",))
@lenient_option
@output_options
def command(sentences: bool, tests: bool, window: int, output: Output, **options: Any) -> None:
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

    if output.style == "csv" and sum((sentences, tests, window > 0)) > 1:
        what = "--sentences, --tests and --window give a table each, and CSV holds one"
        raise UsageError(Problem("meta-one-table", what, fix="ask for one at a time, or use --format json"))
    tested = tests or output.style == "json"
    if not tested:
        refuse_given(("permutations",), "is about --tests", "add --tests, or leave it out")
    with progress_bar("resamples", options["resamples"]) as progress:
        found = meta(sentences=sentences, tests=tested, window=window, progress=progress, **options)
    if found.method is None:
        refuse_given(("method", "by", "ci", "resamples"), "is about judgments, and HUMAN has scores of systems")
    asked = ((sentences, found.sentence_table), (tests, found.test_table), (window, found.window_table))
    output.show(found, "errorbar.meta/1", [table() for wanted, table in asked if wanted] or None)
