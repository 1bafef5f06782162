"""``errorbar rank``: systems from human rankings or pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import click

from errorbar.cli.intervals import IntervalOptions, interval_options
from errorbar.cli.options import INPUT, lenient_option, refuse_given
from errorbar.cli.progress import progress_bar
from errorbar.cli.show import output_options, show_result

if TYPE_CHECKING:
    from errorbar.ranking.ranked import Method
    from errorbar.ranking.wins import By

SCHEMA = "errorbar.rank/1"
METHODS: tuple[Method, ...] = (
    "expected-wins",
    "expected-wins-half-ties",
    "bradley-terry",
    "bradley-terry-no-ties",
    "trueskill",
    "trueskill-original",
    "trueskill-wmt",
)
by_option = click.option(
    "--by",
    type=click.Choice(("item", "sentence", "comparison")),
    default="item",
    show_default=True,
    help="What of the judgments is drawn as one.",
)


@click.command("rank")
@click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
@click.option(
    "--method",
    "methods",
    type=click.Choice((*METHODS, "all")),
    multiple=True,
    help="How to rank; repeatable.  [default: expected-wins]",
)
@click.option("--systems", default="", metavar="A,B,C", help="The systems there are; another name is refused.")
@click.option("--without-identical", is_flag=True, help="Leave out ties of systems that wrote the same text.")
@click.option("--head-to-head", is_flag=True, help="Show wins, losses and ties of each pair that was compared instead.")
@by_option
@interval_options(jobs=False, default="up to 20,000 items", elsewhere=("seed",))
@lenient_option
@output_options
def command(
    judgments: str,
    methods: tuple[Method | Literal["all"], ...],
    systems: str,
    without_identical: bool,
    head_to_head: bool,
    by: By,
    intervals: IntervalOptions,
    lenient: bool,
    style: str,
    output: str | None,
) -> None:
    """Rank systems from human rankings or pairs.

    JUDGMENTS is XML as the WMT's annotation tool writes it, or CSV: pairs (system1, system2, winner), rankings in rows
    (item, system, rank) or in columns (system1Id, system1rank, ...).

    \b
    errorbar rank judgments.xml
    errorbar rank judgments.xml --method all --without-identical
    errorbar rank pairs.csv --head-to-head
    """
    from errorbar.studies.rank import compare_pairs, rank

    if head_to_head and style != "json":
        ranked = ("methods", "by", "ci", "confidence", "resamples", "seed")
        refuse_given(ranked, "is about the ranking, and --head-to-head shows none")
        pairs = compare_pairs(judgments, systems=systems, without_identical=without_identical, lenient=lenient)
        show_result(pairs, style, schema=SCHEMA, output=output)
        return
    with progress_bar("resamples", intervals.resamples) as progress:
        found = rank(
            judgments,
            methods,
            systems=systems,
            without_identical=without_identical,
            by=by,
            ci=intervals.ci,
            confidence=intervals.confidence,
            resamples=intervals.resamples,
            seed=intervals.seed,
            lenient=lenient,
            progress=progress,
        )
    show_result(found, style, schema=SCHEMA, output=output)
