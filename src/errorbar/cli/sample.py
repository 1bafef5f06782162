"""``errorbar sample``: plan, draw and estimate from a few hundred judgments."""

from __future__ import annotations

from typing import Any

import click

from errorbar.cli.command import OUTPUT, Command, progress_bar, tell, together
from errorbar.cli.main import Group
from errorbar.cli.options import (
    INPUT,
    FiniteNumber,
    FiniteRange,
    choice,
    confidence_option,
    items_option,
    labels_option,
    lenient_option,
    option,
    refuse_given,
    seed_option,
)
from errorbar.cli.output import OutputOptions, output_options, show_notes

MOST = 10**10
"""Items of a corpus: a thousand times what anybody has flagged."""
_OF_FRAMES = ("flags", "corpus", "items")
"""Parameters that say what was voted on."""

item_options = together(
    click.option("--corpus", type=INPUT, metavar="FILE", help="Source sentences; flags are then the systems' outputs."),
    items_option("With --corpus: what its items are."),
)
frame_options = together(
    click.argument("flags", nargs=-1, type=INPUT, metavar="[FLAGS]..."),
    item_options,
    option(
        "--bands", type=click.IntRange(1, 1000), default=1, help="Divide each stratum into so many bands of the score."
    ),
)
size_options = together(
    option("--flagged", type=click.IntRange(1, MOST), help="Instead of FLAGS: items that are flagged."),
    option("--unflagged", type=click.IntRange(1, MOST), help="Instead of FLAGS: items that are not flagged."),
)
beta_option = option("--beta", type=FiniteRange(0, 1000, min_open=True), default=1.0, help="Weight of recall in F.")
aim_options = together(
    option(
        "--target",
        type=click.Choice(("P", "R", "F")),
        default="R",
        help="The score whose interval should be narrowest.",
    ),
    beta_option,
    option("--floor", type=click.IntRange(1, MOST), default=30, help="The fewest items of a stratum."),
    option("--precision", type=FiniteNumber(), default=0.7, help="A guess: the share of errors in flagged items."),
    option("--miss-rate", type=FiniteNumber(), default=0.05, help="A guess: the share of errors in the others."),
)
plan_options = together(
    aim_options,
    option("--budget", type=click.IntRange(2, MOST), help="Items to judge; with --costs, what all may cost."),
    option(
        "--half-width",
        type=FiniteRange(0, 1, min_open=True),
        help="Instead of a budget: the half-width of the interval, e.g. 0.05.",
    ),
    click.option("--costs", default="", metavar="A,B", help="What an item of each stratum costs, in their order."),
)


@click.group("sample", cls=Group)
def command() -> None:
    """Plan a sample, draw it blind, and estimate P, R and F of a whole corpus.

    FLAGS are tables of item, flag and maybe score (CSV, JSON lines, gzipped or not), one for each of one or two
    systems; with --corpus, the systems' outputs, whose changes are the flags.

    \b
    errorbar sample plan flags.csv --budget 300
    errorbar sample draw flags.csv --budget 300 --out set.csv --key key.json
    errorbar sample estimate judged.csv --key key.json
    errorbar sample rehearse flags.csv --judged votes.csv --budget 300
    """


@command.command("plan", cls=Command, short_help="Say how many items to judge.")
@frame_options
@size_options
@plan_options
@option("--raters", type=click.IntRange(1, 10_000), default=1, help="Judgments of each item.")
@option("--price", type=FiniteRange(0, 1e9), help="Price of one judgment.")
@option("--minutes", type=FiniteRange(0, 1e9), help="Working time of one judgment.")
@option(
    "--looks", type=click.IntRange(1, 100), help="How often, equally spaced, results may be looked at; default: once."
)
@lenient_option
@output_options
def plan(output: OutputOptions, **options: Any) -> None:
    """Say how many items of which stratum to judge, how sure that makes you, and what it costs.

    \b
    errorbar sample plan flags.csv --budget 300 --price 0.02
    errorbar sample plan --flagged 1000 --unflagged 9000 --half-width 0.05 --looks 5
    """
    from errorbar.api.sample import sample_plan

    _refuse_useless(options)
    output.show(sample_plan(**options), "errorbar.sample.plan/1")


@command.command("compare", cls=Command, short_help="Compare designs at one budget.")
@frame_options
@size_options
@plan_options
@lenient_option
@output_options
def compare(output: OutputOptions, **options: Any) -> None:
    """Say what the same budget gives with other designs: what stratifying buys.

    \b
    errorbar sample compare flags.csv --budget 300
    """
    from errorbar.api.sample import sample_plan

    _refuse_useless(options)
    output.show(sample_plan(**options).compare(), "errorbar.sample.compare/1")


@command.command("draw", cls=Command, short_help="Draw items for blind judging.")
@frame_options
@plan_options
@click.option(
    "--out", required=True, type=OUTPUT, metavar="FILE", help="The annotation set: .csv or .jsonl, maybe .gz."
)
@click.option("--key", required=True, type=OUTPUT, metavar="FILE", help="The private key, a new file.")
@option("--rater", multiple=True, default=("rater-1",), help="Who is to judge; repeatable.")
@click.option("--after", type=INPUT, metavar="KEY", help="Go on with this sample; with --judged, by what it showed.")
@click.option("--judged", multiple=True, type=INPUT, metavar="FILE", help="The filled-in sets of --after; repeatable.")
@labels_option()
@seed_option
@lenient_option
def draw(out: str, key: str, **options: Any) -> None:
    """Draw items and write them blind and shuffled; the key tells the strata and stays private.

    \b
    errorbar sample draw flags.csv --budget 60 --out pilot.csv --key pilot.json
    errorbar sample draw flags.csv --budget 300 --after pilot.json --judged pilot-done.csv \\
      --out rest.csv --key key.json
    """
    from errorbar.api.sample import sample_draw
    from errorbar.api.sample_results import refuse_names

    _refuse_useless(options)
    if options["after"] is not None:
        refuse_given(("bands", "seed"), "was chosen with the pilot and stays as its key says")
        refuse_given(("precision", "miss_rate"), "is a guess, and --judged shows what the pilot found")
    if not options["judged"]:
        refuse_given(("labels",), "is about the labels of --judged, and there are none")
    refuse_names(out, key)  # before the work
    result = sample_draw(**options)
    show_notes(result.notes)
    result.save(out, key)
    drawn = result.key.rounds[-1]
    tell(f"set {drawn.name}: {len(drawn.items)} items written to {out}, their key to {key}")


@command.command("estimate", cls=Command, short_help="Estimate P, R and F of the corpus.")
@click.argument("judgments", nargs=-1, type=INPUT, metavar="[JUDGMENTS]...")
@click.option("--key", type=INPUT, metavar="FILE", help="The key that was written with the set.")
@click.option(
    "--counts",
    multiple=True,
    metavar="SIDE:N:n:x",
    help="Instead of files: flagged or unflagged, items, judged, errors; repeatable.",
)
@choice("--truth", ("majority", "any", "graded"), "How several raters of an item make one truth.")
@labels_option()
@click.option("--votes", type=INPUT, metavar="FILE", help="Cheap judgments of many items; needs --flags or --corpus.")
@click.option(
    "--flags",
    multiple=True,
    type=INPUT,
    metavar="FILE",
    help="With --votes: the table of flags that the sample was drawn from.",
)
@item_options
@beta_option
@choice("--method", ("near-exact", "logit", "wald"), "How intervals are made.")
@click.option("--anytime", is_flag=True, help="Intervals that hold however often one looks, and whenever one stops.")
@click.option("--looks", default="", metavar="K/N", help="Which of how many planned looks this is, e.g. 2/5.")
@option("--half-width", type=FiniteRange(0, 1, min_open=True), help="Wanted: say which scores are known so well.")
@confidence_option
@seed_option
@lenient_option
@output_options
def estimate(output: OutputOptions, **options: Any) -> None:
    """Estimate hits, misses, false positives, P, R and F of the whole corpus.

    \b
    errorbar sample estimate judged.csv --key key.json
    errorbar sample estimate judged-so-far.csv --key key.json --anytime --half-width 0.05
    errorbar sample estimate --counts flagged:1000:750:600 --counts unflagged:9000:1500:450
    """
    from errorbar.api.sample import sample_estimate

    if options["anytime"]:
        refuse_given(("method", "seed"), "is about plain intervals, and --anytime makes others")
    elif options["looks"]:
        refuse_given(("seed",), "is about Bayesian intervals, which --looks leaves out")
    if options["counts"]:
        refuse_given((*_OF_FRAMES, "truth", "labels"), "is about files, and --counts stands for all")
    elif options["votes"] is None and options["key"] is not None:
        refuse_given(_OF_FRAMES, "is about what --votes are cast on", "add --votes, or leave it out")
    _refuse_useless(options)
    output.show(sample_estimate(**options), "errorbar.sample.estimate/1")


@command.command("rehearse", cls=Command, short_help="Draw many samples of a corpus that is judged whole.")
@frame_options
@aim_options
@click.option("--budget", type=click.IntRange(2, MOST), required=True, help="Items of a sample.")
@click.option("--judged", multiple=True, required=True, type=INPUT, metavar="FILE", help="Judgments of every item.")
@option("--raters", type=click.IntRange(1, 10_000), help="Judgments of each drawn item, of raters drawn anew.")
@choice("--truth", ("majority", "any", "graded"), "How several raters of an item make one truth.")
@option("--repetitions", type=click.IntRange(2, 1_000_000), default=1000, help="How many samples are drawn.")
@option("--minutes", type=FiniteRange(0, 1e9), help="Working time of one judgment.")
@labels_option()
@confidence_option
@seed_option
@lenient_option
@output_options
def rehearse(output: OutputOptions, **options: Any) -> None:
    """Draw many samples of a corpus that is judged whole: bias, spread and coverage of what they tell.

    \b
    errorbar sample rehearse flags.csv --judged votes.csv --budget 500
    errorbar sample rehearse flags.csv --judged votes.csv --budget 500 --truth graded --raters 3
    """
    from errorbar.api.sample import sample_rehearse

    _refuse_useless(options)
    with progress_bar("samples", options["repetitions"]) as progress:
        result = sample_rehearse(progress=progress, **options)
    output.show(result, "errorbar.sample.rehearse/1")


def _refuse_useless(options: dict[str, Any]) -> None:
    """Refuse options about items and sizes of which nothing would come."""
    if options.get("flagged") is not None or options.get("unflagged") is not None:
        refuse_given(("corpus", "bands"), "needs items, and --flagged and --unflagged say only how many there are")
    if options["corpus"] is None:
        refuse_given(("items",), "is about the items of --corpus, and a table names its own")
