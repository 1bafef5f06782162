"""``errorbar crowd score``: systems against the crowd, weighted and by majority."""

from __future__ import annotations

from dataclasses import asdict

import click

from errorbar.cli.crowd_options import (
    JudgedOptions,
    crowd_metric_options,
    crowd_options,
    without_method,
)
from errorbar.cli.intervals import IntervalOptions, interval_options
from errorbar.cli.metric_options import beta_option
from errorbar.cli.options import INPUT
from errorbar.cli.show import output_options, show_result

SCHEMA = "errorbar.crowd.score/1"


@click.command("score")
@click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
@click.argument("systems", nargs=-1, type=INPUT, required=True, metavar="SYSTEM...")
@crowd_metric_options
@beta_option
@interval_options(default="up to 20,000 items", elsewhere=("seed",))
@crowd_options
@output_options
def command(
    judgments: str,
    systems: tuple[str, ...],
    spec: str,
    beta: float | None,
    intervals: IntervalOptions,
    judged: JudgedOptions,
    output: str | None,
    style: str,
) -> None:
    """Score systems against a crowd: crowd-weighted and majority hits, misses, false positives, P, R and F.

    JUDGMENTS is a table (item, rater, label), batch results, or an M2 or JSONL corpus, whose annotators' edits become
    judgments; a quoted pattern stands for several files. A SYSTEM is a table item,flag, or, with a corpus, one
    corrected sentence per line.

    \b
    errorbar crowd score votes.csv mine=flags.csv
    errorbar crowd score 'A*.m2' CAMB AMU --items words --lenient
    """
    from errorbar.studies.crowd import crowd

    result = crowd(judgments, systems, metric=spec, beta=beta, **without_method(intervals), **asdict(judged))
    show_result(result, style, schema=SCHEMA, output=output)
