"""``errorbar detect``: what a detector says of every preposition of a text."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import Command
from errorbar.cli.options import INPUT, FiniteRange, lenient_option, models_option, option, retokenize_option
from errorbar.cli.output import OutputOptions, output_options


@click.command("detect", cls=Command)
@click.argument("text", type=INPUT, metavar="TEXT")
@option(
    "--detector",
    default="me",
    metavar="SPEC",
    help="What judges: lm, me, perc, combined or majority, maybe with a threshold: 'me(threshold=4)'; "
    "'me(features=paper)' is the published detector.",
)
@option(
    "--prior",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Share of the prepositions that are expected to be wrong; scores move by its log odds.  "
    "[default: 0.07, that of CoNLL-2013]",
)
@retokenize_option
@models_option
@lenient_option
@output_options
def command(output: OutputOptions, **options: Any) -> None:
    """Judge every preposition of a text.

    TEXT has one tokenized sentence per line. The table shows what the detector calls errors, the surest first; csv and
    json have every preposition with its score: item, rater, label, flag, score, word, suggestion, text, as
    'crowd score', 'crowd sweep', 'curve', 'sample draw' and 'agree' read them.

    Take it as what to read first: of the words sorted by the score of 'combined' (small models), the first 12 to 18 %
    hold half of an annotator's preposition errors, in essays and on websites. On websites few of its flags are right
    (30 of 459, 24 of 439): --prior 0.01 says that few errors are expected.

    \b
    errorbar detect essays.txt --detector 'me(threshold=4)' -o me.csv
    errorbar detect website.txt --detector combined --prior 0.01
    errorbar crowd sweep 'A*.m2' me=me.csv --items words --labels type=Prep --truth any
    """
    from errorbar.api.detect import detect

    found = detect(**options)
    output.show(found, "errorbar.detect/1", [found.every()] if output.style == "csv" else None)
