"""``errorbar rank``: systems from human rankings or pairs."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import Command, progress_bar
from errorbar.cli.options import options_of, refuse_given
from errorbar.cli.output import OutputOptions, output_options


@click.command("rank", cls=Command)
@options_of(
    "errorbar.api.rank:rank",
    judgments={"argument": "JUDGMENTS"},
    systems={"default": "", "metavar": "A,B,C", "multiple": False},
    progress=None,
)
@click.option("--head-to-head", is_flag=True, help="Show wins, losses and ties of each pair that was compared instead.")
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

    if head_to_head and output.style != "json":
        ranked = ("method", "anytime", "by", "ci", "confidence", "resamples", "seed")
        refuse_given(ranked, "is about the ranking, and --head-to-head shows none")
        taken = {name: options[name] for name in ("systems", "without_identical", "lenient")}
        output.show(compare_pairs(judgments, **taken), "errorbar.rank/1")
        return
    with progress_bar("resamples", options.get("resamples", 0)) as progress:
        result = rank(judgments, progress=progress, **options)
    output.show(result, "errorbar.rank/1")
