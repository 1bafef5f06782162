"""``errorbar crowd score``: systems against the crowd, weighted and by majority."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.crowd_options import interval_options, reading_options, share_options
from errorbar.cli.options import INPUT, format_option
from errorbar.cli.show import output_option, show_result

SCHEMA = "errorbar.crowd.score/1"


@click.command("score")
@click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
@click.argument("systems", nargs=-1, type=INPUT, required=True, metavar="SYSTEM...")
@share_options
@click.option(
    "--beta",
    type=click.FloatRange(0, min_open=True),
    default=1.0,
    show_default=True,
    help="Weight of recall against precision in F.",
)
@interval_options(2000)
@reading_options
@output_option
@format_option
def command(
    judgments: str,
    systems: tuple[str, ...],
    wanted: dict[str, Any],
    beta: float,
    intervals: dict[str, Any],
    reading: dict[str, Any],
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

    result = crowd(judgments, systems, beta=beta, **wanted, **intervals, **reading)
    show_result(result, style, schema=SCHEMA, output=output)
