"""``errorbar crowd``: what many raters say, how far to trust them, and how many are enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click

from errorbar.cli.command import OUTPUT, OUTPUT_PLACE, Command, progress_bar, tell
from errorbar.cli.main import Group
from errorbar.cli.options import NUMBERS, SYSTEMS, option, options_of, refuse_given
from errorbar.cli.output import OutputOptions, output_options

JUDGMENTS = {"argument": "JUDGMENTS", "several": False}
NO_ROLES: dict[str, None] = dict.fromkeys(("error", "unknown", "type"))
"""Roles of labels, which are arguments in Python alone: here ``--labels`` says them."""
ROLES_OF_JUDGMENTS: dict[str, None] = dict.fromkeys(("unknown", "type"))


@click.group("crowd", cls=Group)
def command() -> None:
    """Judgments of many raters: scores, answers, raters, how many are enough, what to ask."""


@command.command("score", cls=Command, short_help="Score systems against a crowd, weighted and by majority.")
@options_of("errorbar.api.crowd:crowd", judgments=JUDGMENTS, systems=SYSTEMS, beta={"hidden": False}, **NO_ROLES)
@output_options
def score(output: OutputOptions, **options: Any) -> None:
    """Score systems against a crowd: crowd-weighted and majority hits, misses, false positives, P, R and F.

    JUDGMENTS is a table (item, rater, label), batch results, or an M2 or JSONL corpus, whose annotators' edits become
    judgments; a quoted pattern stands for several files. A SYSTEM is a table item,flag, or, with a corpus, one
    corrected sentence per line.

    \b
    errorbar crowd score votes.csv mine=flags.csv
    errorbar crowd score 'A*.m2' CAMB AMU --items words --lenient
    """
    from errorbar.api.crowd import crowd

    output.show(crowd(**options), "errorbar.crowd.score/1")


@command.command("sweep", cls=Command, short_help="Show precision at each recall, under every threshold.")
@options_of("errorbar.api.crowd:crowd_sweep", judgments=JUDGMENTS, systems=SYSTEMS, recalls=NUMBERS, **NO_ROLES)
@output_options
def sweep(output: OutputOptions, **options: Any) -> None:
    """Sweep a detector's threshold: precision at each recall, with a band, and average precision.

    A SYSTEM is a table item,flag,score: the higher the score, the more of an error the item is to it. JUDGMENTS are
    those of `errorbar crowd score`.

    \b
    errorbar crowd sweep votes.csv mine=scores.csv --recalls 0.1,0.25
    errorbar crowd sweep 'A*.m2' --items words --truth any me=detections.csv --lenient
    """
    from errorbar.api.crowd import crowd_sweep

    output.show(crowd_sweep(**options), "errorbar.crowd.sweep/1")


@command.command("judgments", cls=Command, short_help="Write judgments as one table, whatever they came as.")
@options_of("errorbar.api.crowd:crowd_judgments", judgments=JUDGMENTS, drawn={"metavar": "SET"}, **ROLES_OF_JUDGMENTS)
@output_options
def judgments(output: OutputOptions, **options: Any) -> None:
    """Write judgments as one table of item, rater and label: those of another layout, or of annotators' edits.

    The table on the screen counts labels; csv and json have every judgment.

    \b
    errorbar crowd judgments 'A*.m2' --items words --labels type=Prep --lenient -o votes.csv
    errorbar crowd judgments 'A*.m2' --items words --labels type=Prep --lenient --drawn set.csv -o judged.csv
    errorbar crowd judgments batch.csv -o votes.csv
    """
    from errorbar.api.crowd import crowd_judgments

    result = crowd_judgments(**options)
    output.show(result, "errorbar.crowd.judgments/1", [result.every()] if output.style == "csv" else None)


@command.command("aggregate", cls=Command, short_help="Turn judgments into answers by several methods.")
@options_of(
    "errorbar.api.crowd_answers:crowd_aggregate",
    judgments=JUDGMENTS,
    ties={"metavar": "LABEL"},
    prior={"type": (float, float), "metavar": "RIGHT WRONG", "multiple": False},
    **ROLES_OF_JUDGMENTS,
)
@output_options
def aggregate(output: OutputOptions, **options: Any) -> None:
    """Turn judgments into answers: majority, trust-weighted, one-coin and Dawid-Skene next to each other.

    Each row is an item with its number of judgments and, for each method, the answer and its share or probability.

    \b
    errorbar crowd aggregate votes.csv --differing
    errorbar crowd aggregate votes.csv --method dawid-skene --format csv > answers.csv
    """
    from errorbar.api.crowd_answers import crowd_aggregate

    output.show(crowd_aggregate(**options), "errorbar.crowd.aggregate/1")


@command.command("raters", cls=Command, short_help="Describe raters and say whom to keep, watch or drop.")
@options_of(
    "errorbar.api.crowd_answers:crowd_raters",
    judgments=JUDGMENTS,
    gold={"names": ("--gold",)},
    **ROLES_OF_JUDGMENTS,
)
@output_options
def raters(output: OutputOptions, **options: Any) -> None:
    """Describe raters: how much, how well, how fast, with what leaning; keep, watch or drop.

    Without --gold nobody can be tested and everybody is watched. The error rates of the rule, exact, stand below.

    \b
    errorbar crowd raters votes.csv --gold known.csv
    errorbar crowd raters votes.csv --column seconds=time --rule posterior --gold known.csv
    """
    from errorbar.api.crowd_answers import crowd_raters

    output.show(crowd_raters(**options), "errorbar.crowd.raters/1")


@command.command("models", cls=Command, short_help="Tell what kind of rater a language model is.")
@options_of(
    "errorbar.api.model_raters:crowd_models",
    judgments={"argument": "JUDGMENTS"},
    gold={"names": ("--gold",)},
    about={"metavar": "ITEMS"},
    by={"metavar": "COLUMN"},
    family={"metavar": "MODEL=SYSTEMS"},
    error=None,
    unknown=None,
)
@output_options
def models(output: OutputOptions, **options: Any) -> None:
    """Tell what kind of rater each language model is, beside the people who judged the same items.

    Agreement with people, and of people with each other; sensitivity and specificity, also by stratum and type; whether
    it favors the first position, the longer output or its own family; whether it says the same again; how it drifts.
    The column rater_kind says who is a model.

    \b
    errorbar crowd models judgments.csv
    errorbar crowd models judgments.csv --about study.jsonl --family 'small=small-corrector' --by topic
    """
    from errorbar.api.model_raters import crowd_models

    output.show(crowd_models(**options), "errorbar.crowd.models/1")


@command.command("howmany", cls=Command, short_help="Tell how many raters equal an expert.")
@options_of(
    "errorbar.api.crowd_answers:crowd_howmany",
    judgments=JUDGMENTS,
    experts={"default": "", "metavar": "A,B", "multiple": False},
    **ROLES_OF_JUDGMENTS,
)
@output_options
def howmany(output: OutputOptions, **options: Any) -> None:
    """Tell how many raters equal an expert: accuracy (exact) and kappa of the majority of k, and the expert's line.

    \b
    errorbar crowd howmany votes.csv --truth expert.csv
    errorbar crowd howmany votes.csv --experts anna,ben,carla
    """
    from errorbar.api.crowd_answers import crowd_howmany

    output.show(crowd_howmany(**options), "errorbar.crowd.howmany/1")


@command.command("mine", cls=Command, short_help="Find likely errors to put before raters.")
@options_of(
    "errorbar.api.crowd_answers:crowd_mine",
    corpus={"argument": "CORPUS"},
    counts={"type": OUTPUT_PLACE, "help": "Counts of n-grams; --build writes them."},
    blind=None,
)
@click.option("--build", is_flag=True, help="Count the n-grams of CORPUS, which has one tokenized sentence per line.")
@option(
    "--min-count", type=click.IntRange(1), default=1, help="With --build: keep n-grams that occur so often or more."
)
@click.option(
    "--key", type=OUTPUT, metavar="FILE", help="Write scores and kinds to this file, and leave the set blind."
)
@output_options
def mine(build: bool, min_count: int, key: str | None, output: OutputOptions, **options: Any) -> None:
    """Find words that the text does better without, mixed with likely correct ones, to put before raters.

    CORPUS has one tokenized sentence per line. Build counts from much text of good writers first.

    \b
    errorbar crowd mine --build --counts good.counts good.txt
    errorbar crowd mine --counts good.counts learners.txt --n 500 --key key.csv --format csv > questions.csv
    """
    from errorbar.api.crowd_answers import crowd_mine
    from errorbar.formats.saving import save_lines

    if build:
        refuse_given(("n", "error_rate", "key", "seed", "style", "output"), "is about questions, and --build asks none")
        _build(options["corpus"], options["counts"], options["words"], min_count, lenient=options["lenient"])
        return
    refuse_given(("min_count",), "is about --build", "add --build, or leave it out")
    questions = crowd_mine(blind=key is not None, **options)
    n_mined = sum(item.kind == "candidate" for item in questions.items)
    tell(f"{n_mined} likely errors among {len(questions.items)} items ({100 * n_mined / len(questions.items):.1f} %)")
    if key:
        save_lines(questions.key(), key, private=True)
    output.show(questions, "errorbar.crowd.mine/1")


def _build(corpus: str, path: str, words: str, least: int, *, lenient: bool) -> None:
    from errorbar.api.crowd_answers import crowd_counts
    from errorbar.core.problems import Problems
    from errorbar.formats.look import Lines
    from errorbar.formats.saving import save_lines

    problems = Problems(lenient=lenient)
    counts = crowd_counts(_count_lines(Lines(corpus, problems)), words=words, min_count=least)
    problems.raise_errors()
    save_lines(counts.lines(), path)
    tell(f"{len(counts.pairs):,} pairs and {len(counts.triples):,} triples in {path}")


def _count_lines(lines: Iterable[str]) -> Iterator[str]:
    with progress_bar("sentences") as progress:
        for number, line in enumerate(lines, 1):
            yield line
            progress(number)
