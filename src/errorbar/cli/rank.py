"""``errorbar rank``: systems from human rankings or pairs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from errorbar.cli.command import Command, progress_bar
from errorbar.cli.options import INPUT, choice, interval_options, lenient_option, refuse_given
from errorbar.cli.output import OutputOptions, output_options

if TYPE_CHECKING:
    from errorbar.ranking.ranked import Method

METHODS: tuple[Method, ...] = (
    "expected-wins",
    "expected-wins-half-ties",
    "bradley-terry",
    "bradley-terry-no-ties",
    "trueskill",
    "trueskill-original",
    "trueskill-wmt",
)
by_option = choice("--by", ("item", "sentence", "comparison"), "What of the judgments is drawn as one.")


@click.command("rank", cls=Command)
@click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
@click.option(
    "--method",
    type=click.Choice((*METHODS, "all")),
    multiple=True,
    help="How to rank; repeatable.  [default: expected-wins]",
)
@click.option("--systems", default="", metavar="A,B,C", help="The systems there are; another name is refused.")
@click.option("--without-identical", is_flag=True, help="Leave out ties of systems that wrote the same text.")
@click.option("--head-to-head", is_flag=True, help="Show wins, losses and ties of each pair that was compared instead.")
@click.option(
    "--anytime", is_flag=True, help="Say which pairs are decided, by intervals that hold however often one looks."
)
@by_option
@interval_options(jobs=False, default="up to 20,000 items", elsewhere=("seed",))
@lenient_option
@output_options
def command(judgments: str, head_to_head: bool, output: OutputOptions, **options: Any) -> None:
    """Rank systems from human rankings or pairs.

    JUDGMENTS is XML as the WMT's annotation tool writes it, or CSV: pairs (system1, system2, winner), rankings in rows
    (item, system, rank) or in columns (system1Id, system1rank, ...).

    \b
    errorbar rank judgments.xml
    errorbar rank judgments.xml --method all --without-identical
    errorbar rank pairs.csv --head-to-head
    errorbar rank pairs-so-far.csv --anytime
    """
    from errorbar.api.rank import compare_pairs, rank

    if options["anytime"]:
        refuse_given(("by", "resamples"), "is about rank ranges, and --anytime leaves them out")
    if head_to_head and output.style != "json":
        ranked = ("method", "anytime", "by", "ci", "confidence", "resamples", "seed")
        refuse_given(ranked, "is about the ranking, and --head-to-head shows none")
        taken = {name: options[name] for name in ("systems", "without_identical", "lenient")}
        output.show(compare_pairs(judgments, **taken), "errorbar.rank/1")
        return
    with progress_bar("resamples", options["resamples"]) as progress:
        found = rank(judgments, progress=progress, **options)
    output.show(found, "errorbar.rank/1")
