"""``errorbar crowd``: what many raters say, how far to trust them, and how many are enough."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import click

from errorbar.cli.command import OUTPUT, OUTPUT_PLACE, Command, progress_bar, tell, together
from errorbar.cli.main import Group
from errorbar.cli.options import (
    INPUT,
    beta_option,
    choice,
    interval_options,
    judged_options,
    lenient_option,
    numbers,
    option,
    refuse_given,
    seed_option,
    systems_argument,
)
from errorbar.cli.output import OutputOptions, output_options

METHODS = ("majority", "trust", "one-coin", "dawid-skene")
TRUTHS = ("weighted", "majority", "any")
RULES = ("sprt", "posterior", "running", "fixed")


judgments_argument = click.argument("judgments", type=INPUT, metavar="JUDGMENTS")
crowd_options = together(
    judgments_argument,
    systems_argument,
    option(
        "--metric",
        metavar="SPEC",
        default="crowd",
        help="What is computed, e.g. 'crowd(shares=trust,ties=unknown)': what the share of an item is (votes, trust, "
        "dawid-skene), and what a tie is to the majority (half, unknown, error, ok).",
    ),
    interval_options(default="up to 20,000 items", elsewhere=("seed",)),
    judged_options(error=True),
    output_options,
)
"""Of commands that compare systems with a crowd's errors."""


@click.group("crowd", cls=Group)
def command() -> None:
    """Judgments of many raters: scores, answers, raters, how many are enough, what to ask."""


@command.command("score", cls=Command, short_help="Score systems against a crowd, weighted and by majority.")
@crowd_options
@beta_option()
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
@crowd_options
@choice("--truth", TRUTHS, "An error is the share of raters who say so, what most say, or what any one says.")
@option(
    "--recalls",
    default="0.05,0.1,0.2,0.3,0.4,0.5,0.6,0.7,0.8,0.9,1",
    metavar="A,B,...",
    help="Where precision is wanted.",
)
def sweep(recalls: str, output: OutputOptions, **options: Any) -> None:
    """Sweep a detector's threshold: precision at each recall, with a band, and average precision.

    A SYSTEM is a table item,flag,score: the higher the score, the more of an error the item is to it. JUDGMENTS are
    those of `errorbar crowd score`.

    \b
    errorbar crowd sweep votes.csv mine=scores.csv --recalls 0.1,0.25
    errorbar crowd sweep 'A*.m2' --items words --truth any me=detections.csv --lenient
    """
    from errorbar.api.crowd import crowd_sweep

    output.show(crowd_sweep(recalls=numbers(recalls, "--recalls"), **options), "errorbar.crowd.sweep/1")


@command.command("judgments", cls=Command, short_help="Write judgments as one table, whatever they came as.")
@judgments_argument
@click.option(
    "--drawn", type=INPUT, metavar="SET", help="Only the items of this set of 'sample draw', filled in as raters would."
)
@judged_options()
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

    found = crowd_judgments(**options)
    output.show(found, "errorbar.crowd.judgments/1", [found.every()] if output.style == "csv" else None)


@command.command("aggregate", cls=Command, short_help="Turn judgments into answers by several methods.")
@judgments_argument
@click.option(
    "--method",
    type=click.Choice(METHODS),
    multiple=True,
    help="How judgments become labels; repeatable.  [default: all]",
)
@option("--ties", default="unknown", metavar="LABEL", help="The label that wins ties.")
@option(
    "--prior",
    type=(float, float),
    default=(2.0, 0.5),
    metavar="RIGHT WRONG",
    help="Pseudo-counts of right and of wrong judgments.",
)
@option("--starts", type=click.IntRange(1), default=4, help="How often EM is started.")
@option(
    "--min-items",
    type=float,
    default=20,
    help="Refuse models where raters have fewer judgments of shared items than this on average.",
)
@option("--passes", type=click.IntRange(1), default=200, help="Most passes of EM.")
@click.option("--differing", is_flag=True, help="Only the items on which methods differ.")
@click.option("--summary", is_flag=True, help="Counts of answers and runs of EM in place of items.")
@judged_options()
@seed_option
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
@judgments_argument
@click.option("--gold", type=INPUT, metavar="FILE", help="Table item,label of items whose answer is known.")
@choice("--rule", RULES, "Which test keeps or drops raters.")
@option("--good", type=float, default=0.85, help="Accuracy of a rater to keep, for sprt.")
@option("--bad", type=float, default=0.60, help="Accuracy of a rater to drop, for sprt.")
@option("--threshold", type=float, default=0.70, help="The other rules drop raters below this accuracy.")
@click.option("--together", is_flag=True, help="Run the rule through all gold items, not for each true label alone.")
@option("--most", type=click.IntRange(1), default=20, help="Most gold items that a rater sees, for the error rates.")
@click.option("--rates", is_flag=True, help="Error rates of all rules in place of raters.")
@judged_options()
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


@command.command("howmany", cls=Command, short_help="Tell how many raters equal an expert.")
@judgments_argument
@click.option(
    "--experts", default="", metavar="A,B", help="Raters of JUDGMENTS who are experts; the rest is the crowd."
)
@click.option("--truth", type=INPUT, metavar="FILE", help="Table item,label of expert answers.")
@option("--draws", type=click.IntRange(1), default=200, help="Subsets drawn for kappa.")
@judged_options()
@seed_option
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
@click.argument("corpus", type=INPUT, metavar="CORPUS")
@click.option(
    "--counts", required=True, type=OUTPUT_PLACE, metavar="FILE", help="Counts of n-grams; with --build it is written."
)
@click.option("--build", is_flag=True, help="Count the n-grams of CORPUS, one tokenized sentence per line.")
@option(
    "--min-count", type=click.IntRange(1), default=1, help="With --build: keep n-grams that occur at least so often."
)
@option("--words", default="prepositions", help="Words to look at: prepositions, articles, or a,b,c.")
@option("--n", type=click.IntRange(1), default=500, help="Number of likely errors.")
@option("--error-rate", type=float, default=0.5, help="Share of likely errors in the set.")
@click.option("--key", type=OUTPUT, metavar="FILE", help="Write scores and kinds here, so that the set is blind.")
@seed_option
@lenient_option
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
    made = crowd_mine(blind=key is not None, **options)
    n_mined = sum(item.kind == "candidate" for item in made.items)
    tell(f"{n_mined} likely errors among {len(made.items)} items ({100 * n_mined / len(made.items):.1f} %)")
    if key:
        save_lines(made.key(), key, private=True)
    output.show(made, "errorbar.crowd.mine/1")


def _build(corpus: str, path: str, words: str, least: int, *, lenient: bool) -> None:
    from errorbar.api.crowd_answers import crowd_counts
    from errorbar.core.problems import Problems
    from errorbar.formats.look import Lines
    from errorbar.formats.saving import save_lines

    problems = Problems(lenient=lenient)
    made = crowd_counts(_counted(Lines(corpus, problems)), words=words, min_count=least)
    problems.raise_errors()
    save_lines(made.lines(), path)
    tell(f"{len(made.pairs):,} pairs and {len(made.triples):,} triples in {path}")


def _counted(lines: Iterable[str]) -> Iterator[str]:
    with progress_bar("sentences") as progress:
        for number, line in enumerate(lines, 1):
            yield line
            progress(number)
