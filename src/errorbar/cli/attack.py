"""``errorbar attack``: a metric's crash test."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import OUTPUT_PLACE, Command
from errorbar.cli.options import BOOTSTRAPS, INPUT, beta_option, interval_options, option, refuse_given, scoring_options
from errorbar.cli.output import OutputOptions, output_options

ATTACKS = (
    *("unchanged", "empty", "no-function-words", "shuffled", "hard-deleted", "pasted", "by-rote", "concatenated"),
)


@click.command("attack", cls=Command)
@click.argument("systems", nargs=-1, type=INPUT, metavar="[SYSTEM...]")
@scoring_options
@option(
    "--metric",
    multiple=True,
    metavar="SPEC",
    help="What to test, e.g. 'm2(beta=1)' (short: --beta 1); repeatable.  [default: m2, or none beside --scores]",
)
@beta_option(hidden=True)
@click.option("--only", multiple=True, type=click.Choice(ATTACKS), help="Make this attack only; repeatable.")
@click.option(
    "--scores",
    multiple=True,
    type=INPUT,
    metavar="FILE",
    help="Scores by a metric from elsewhere of the attacks and systems, as of errorbar meta; name=FILE; repeatable.",
)
@click.option(
    "--write",
    type=OUTPUT_PLACE,
    metavar="DIR",
    help="Write the attacks' texts there, for a metric from elsewhere to score.",
)
@interval_options(methods=(*BOOTSTRAPS, "closed"), elsewhere=("seed",))
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
    if options["scores"] and not options["metric"] and options["beta"] is None:
        names = ("ci", "ci_method", "resamples", "confidence", "jobs", "as_written")
        refuse_given(names, "is about a --metric, and there is none beside --scores", "add --metric, or leave it out")
    from errorbar.api.attack import attack

    output.show(attack(**options), "errorbar.attack/1")
