"""``errorbar crowd aggregate``: answers from judgments."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import click

from errorbar.cli.crowd_options import JudgedOptions, judged_options
from errorbar.cli.options import INPUT, seed_option
from errorbar.cli.show import output_options, show_result

SCHEMA = "errorbar.crowd.aggregate/1"
METHODS = ("majority", "trust", "one-coin", "dawid-skene")


@click.command("aggregate")
@click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
@click.option(
    "--method",
    type=click.Choice(METHODS),
    multiple=True,
    help="How judgments become labels; repeatable.  [default: all]",
)
@click.option("--ties", default="unknown", show_default=True, metavar="LABEL", help="The label that wins ties.")
@click.option(
    "--prior",
    type=(float, float),
    default=(2.0, 0.5),
    show_default=True,
    help="Pseudo-counts of right and of wrong judgments.",
)
@click.option("--starts", type=click.IntRange(1), default=4, show_default=True, help="How often EM is started.")
@click.option("--min-items", type=float, default=20, show_default=True, help="Fewest judgments of a rater, on average.")
@click.option("--passes", type=click.IntRange(1), default=200, show_default=True, help="Most passes of EM.")
@click.option("--differing", is_flag=True, help="Only the items on which methods differ.")
@click.option("--summary", is_flag=True, help="Counts of answers and runs of EM in place of items.")
@judged_options
@seed_option
@output_options
def command(
    judgments: str,
    judged: JudgedOptions,
    output: str | None,
    style: str,
    **options: Any,
) -> None:
    """Turn judgments into answers: majority, trust-weighted, one-coin and Dawid-Skene next to each other.

    Each row is an item with its number of judgments and, for each method, the answer and its share or probability.

    \b
    errorbar crowd aggregate votes.csv --differing
    errorbar crowd aggregate votes.csv --method dawid-skene --format csv > answers.csv
    """
    from errorbar.studies.crowd_answers import crowd_aggregate

    result = crowd_aggregate(judgments, **options, **asdict(judged))
    show_result(result, style, schema=SCHEMA, output=output)
