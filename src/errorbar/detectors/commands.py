"""``errorbar train``, ``correct`` and ``detect``: detectors and correctors from plain text, and at work on a text."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import OUTPUT, OUTPUT_PLACE, Command, progress_bar, say, show_notes
from errorbar.cli.options import (
    INPUT,
    FiniteNumber,
    FiniteRange,
    choice,
    lenient_option,
    models_option,
    option,
    options_of,
    retokenize_option,
    seed_option,
)
from errorbar.cli.output import OutputOptions, format_option, output_options

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
HIDDEN = {"hidden": True}
OF_MODELS: dict[str, Any] = {
    "llm": {"metavar": "URL"},
    "model": {"metavar": "NAME"},
    "calls": {"type": OUTPUT_PLACE},
    "answers": {"type": OUTPUT_PLACE},
    **dict.fromkeys(
        ("max_tokens", "decoding_seed", "price_in", "price_out", "jobs", "per_minute", "retries", "timeout"), HIDDEN
    ),
}
"""Options about language models, of which detect and correct have the others by themselves."""


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
@options_of(
    "errorbar.detectors.training:train",
    **dict.fromkeys(("texts", "out", "treebank", "tagger", "labels", "part", "order", "fallback", "small", "license")),
    **dict.fromkeys(("provenance", "lenient", "seed")),
)
def train_models(style: str, **options: Any) -> None:
    """Train detectors and correctors: an n-gram model, a tagger, classifiers, and what combines them.

    A TEXT is plain native English, a paragraph or a sentence a line, gzipped or not; a quoted pattern stands for
    several. What is there already, of the same text and made in the same way, is kept. Treebank and labels need no TEXT
    where the other models are.

    \b
    errorbar train 'textbooks/*.txt' --treebank en_ewt-ud-train.conllu --license 'CC BY 4.0' -o models
    errorbar train more.txt --part ngrams --order 5 -o larger
    errorbar train --labels official-2013.m2 -o models
    """
    from errorbar.detectors.training import train

    result = train(tell=lambda step: say(f"{step} ..."), **options)
    OutputOptions(style, None).show(result, "errorbar.train/1")


@click.command("correct", cls=Command)
@click.argument("text", type=INPUT, metavar="TEXT")
@option(
    "--corrector",
    default="lm",
    metavar="NAME",
    help="The corrector: lm, a language model; lm+classifiers; ranked, a ranker of both; or that of another package.",
)
@models_option
@option("--least", type=FiniteNumber(), metavar="SCORE", help="A change needs this score at least.  [default: above 0]")
@retokenize_option
@click.option("--explain", is_flag=True, help="Write a JSON object for each sentence: text, changes, types and scores.")
@lenient_option
@option(
    "-o",
    "--output",
    "--out",
    "out",
    default="-",
    type=OUTPUT,
    metavar="FILE",
    help="Write the corrected text to this file.",
)
@options_of(
    "errorbar.detectors.detect:correct",
    **dict.fromkeys(("text", "out", "corrector", "models", "least", "explain", "retokenize", "lenient")),
    **OF_MODELS,
)
def correct_text(out: str, **options: Any) -> None:
    """Correct a text, one tokenized sentence per line.

    These are baselines, learned from essays like those of CoNLL-2014. Of the changes of 'ranked' (small models) no
    annotator makes 55 % on CoNLL-2014, 44 % on JFLEG, where a spell checker has the higher GLEU, and 91 to 95 % on
    websites (CWEB), whose GLEU falls from 91.5 to 88.3 and from 94.6 to 90.8. With --least 1 it makes the surest
    third or fewer, and no annotator makes 33 %, 28 % and 81 to 87 % of these.

    With --llm a language model corrects the text; its key is read from the environment alone, ERRORBAR_LLM_KEY or
    OPENAI_API_KEY. What it answered is kept in the ledger --calls and never paid for twice.

    \b
    errorbar correct essays.txt --models models -o corrected.txt
    errorbar correct essays.txt --corrector ranked --explain | head -3
    errorbar correct essays.txt --corrector ranked --least 1 -o surer.txt
    errorbar correct essays.txt --llm http://localhost:8000/v1 --model qwen3-8b --answers receipt.json -o corrected.txt
    """
    from errorbar.detectors.detect import correct

    with progress_bar("sentences") as progress:
        result = correct(out=out, progress=progress, **options)
    show_notes(result.notes)
    types = ", ".join(f"{kind} {n:,}" for kind, n in sorted(result.types.items(), key=lambda row: -row[1]))
    say(f"{result.n_changed:,} of {result.n_sentences:,} sentences changed{f': {types}' if types else ''}")
    if result.llm is not None:
        say(result.llm.words())


@click.command("detect", cls=Command)
@click.argument("text", type=INPUT, metavar="TEXT")
@option(
    "--detector",
    default="me",
    metavar="SPEC",
    help="The detector: lm, me, perc, combined or majority, maybe with a threshold: 'me(threshold=4)'; "
    "'me(features=paper)' is the published one; or the name of another package's.",
)
@option(
    "--prior",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    metavar="SHARE",
    help="Share of the prepositions that are expected to be wrong; scores move by its log odds.  "
    "[default: scores as for 0.07, that of CoNLL-2013; of combined that of its labels]",
)
@retokenize_option
@models_option
@lenient_option
@options_of(
    "errorbar.detectors.detect:detect",
    **dict.fromkeys(("text", "detector", "prior", "models", "retokenize", "lenient")),
    **OF_MODELS,
)
@output_options
def detect_errors(output: OutputOptions, **options: Any) -> None:
    """Judge every preposition of a text.

    TEXT has one tokenized sentence per line. The table shows what the detector calls errors, the surest first; csv and
    json have every preposition with its score: item, rater, label, flag, score, word, suggestion, text, as
    'crowd score', 'crowd sweep', 'curve', 'sample draw' and 'agree' read them.

    Use the table as a list of what to read first: of the words sorted by the score of 'combined' (small models), the
    first 12 to 18 % hold half of an annotator's preposition errors, in essays and on websites. On websites few of its
    flags are right (30 of 459, 24 of 439): give --prior 0.01 where few errors are expected.

    \b
    errorbar detect essays.txt --detector 'me(threshold=4)' -o me.csv
    errorbar detect website.txt --detector combined --prior 0.01
    errorbar detect essays.txt --llm http://localhost:8000/v1 --model qwen3-8b -o flags.csv
    errorbar crowd sweep 'A*.m2' me=me.csv --items words --labels type=Prep --truth any
    """
    from errorbar.detectors.detect import detect

    result = detect(**options)
    output.show(result, "errorbar.detect/1", [result.every()] if output.style == "csv" else None)
