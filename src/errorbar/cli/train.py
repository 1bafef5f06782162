"""``errorbar train``: detectors from plain text."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import OUTPUT_PLACE, Command, say
from errorbar.cli.options import INPUT, choice, lenient_option, option, seed_option
from errorbar.cli.output import OutputOptions, format_option

PARTS = (
    "tagger",
    "words",
    "ngrams",
    "majority",
    "perc",
    "me",
    "me-paper",
    "articles",
    "forms",
    "combiner",
    "correctors",
)
TAGGERS = ("perceptron", "errorbar-en")


@click.command("train", cls=Command)
@click.argument("texts", nargs=-1, type=INPUT, metavar="TEXT...")
@option(
    "-o", "--output", "--out", "out", default="models", type=OUTPUT_PLACE, metavar="DIR", help="Folder for the models."
)
@click.option(
    "--treebank",
    type=INPUT,
    metavar="FILE",
    help="Treebank with Penn tags, in CoNLL-U, that the tagger learns from.  [default: the folder has a tagger]",
)
@choice("--tagger", TAGGERS, "What tags: a perceptron, or the spaCy pipeline errorbar-en, if it is installed.")
@click.option(
    "--labels",
    multiple=True,
    type=INPUT,
    metavar="FILE",
    help="Learners' text with edits, M2, that 'combiner' and 'correctors' learn from; repeatable.",
)
@click.option(
    "--part", multiple=True, type=click.Choice(PARTS), help="Train this alone; repeatable.  [default: all but me-paper]"
)
@option("--order", type=click.IntRange(1, 9), default=4, help="Words of the longest n-grams.")
@click.option("--fallback", is_flag=True, help="Take fixed discounts where a text is too small for its own.")
@click.option("--small", is_flag=True, help="Leave out what weighs little and round the rest: a tenth of the size.")
@option(
    "--license",
    default="unknown",
    metavar="TEXT",
    help="Of the text, or without one of treebank or labels; the models say it.",
)
@option("--provenance", default="unknown", metavar="TEXT", help="Where that is from; the models say it.")
@lenient_option
@seed_option
@format_option
def command(style: str, **options: Any) -> None:
    """Train detectors and correctors: an n-gram model, a tagger, classifiers, and what combines them.

    A TEXT is plain native English, a paragraph or a sentence a line, gzipped or not; a quoted pattern stands for
    several. What is there already, of the same text and made in the same way, is kept. Treebank and labels need no TEXT
    where the other models are.

    \b
    errorbar train 'textbooks/*.txt' --treebank en_ewt-ud-train.conllu --license 'CC BY 4.0' -o models
    errorbar train more.txt --part ngrams --order 5 -o larger
    errorbar train --labels official-2013.m2 -o models
    """
    from errorbar.api.training import train

    found = train(tell=lambda what: say(f"{what} ..."), **options)
    OutputOptions(style, None).show(found, "errorbar.train/1")
