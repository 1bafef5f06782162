"""``errorbar attack``: a metric's crash test."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import OUTPUT_PLACE, Command
from errorbar.cli.options import options_of
from errorbar.cli.output import OutputOptions, output_options


@click.command("attack", cls=Command)
@options_of(
    "errorbar.api.attack:attack",
    systems={"argument": "[SYSTEM...]"},
    write={"type": OUTPUT_PLACE, "metavar": "DIR"},
)
@output_options
def command(output: OutputOptions, **options: Any) -> None:
    """Show how a metric ranks degenerate systems among real ones: a crash test.

    They are made of the corpus: one that does nothing (unchanged), says nothing (empty), drops function words, gives
    the first SYSTEM's lines to other sentences (shuffled), empties hard sentences, hands in an annotator's text
    (pasted), corrects every error by rote, or hands in the texts of all annotators in a row (concatenated). Each is
    ranked alone among the SYSTEMs.

    \b
    errorbar attack --gold gold.m2 --metric m2 --metric gleu CAMB AMU CUUI
    errorbar attack --gold gold.m2 CAMB AMU --write attacks/
    errorbar attack --gold gold.m2 CAMB AMU --scores mine=scores.csv
    """
    from errorbar.api.attack import attack

    output.show(attack(**options), "errorbar.attack/1")
