"""``errorbar sample``: plan, draw and estimate from a few hundred judgments."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from errorbar.cli.options import (
    INPUT,
    FiniteRange,
    format_option,
    lenient_option,
    note_record,
    refuse_given,
    refuse_words,
    seed_option,
    show_notes,
)
from errorbar.cli.render import show, show_json
from errorbar.cli.sample_input import (
    MOST_ITEMS,
    FrameInput,
    Labels,
    Pilot,
    Wish,
    draw_input,
    planned,
    read_input,
    refuse_names,
    sizes_input,
)
from errorbar.cli.sample_render import (
    design_table,
    designs_record,
    estimates_record,
    estimates_table,
    plan_record,
    plan_table,
)
from errorbar.cli.talk import tell
from errorbar.core.errors import InputError, Problem, UsageError
from errorbar.core.problems import Problems

if TYPE_CHECKING:
    from errorbar.sampling.judged import Truth
    from errorbar.sampling.quantities import Target

PLAN_SCHEMA = "errorbar.sample.plan/1"
COMPARE_SCHEMA = "errorbar.sample.compare/1"
ESTIMATE_SCHEMA = "errorbar.sample.estimate/1"
Command = TypeVar("Command", bound=Callable[..., Any])
Sizes = tuple[int | None, int | None]
_OF_FRAMES = ("flag_files", "corpus", "items", "words")
"""Parameters that say what was voted on."""
PROJECTIONS = ("tokens", "tokens-before", "tokens-after", "tokens-gaps", "gaps", "sentences", "words")


@click.group("sample")
def command() -> None:
    """Plan a sample, draw it blind, and estimate P, R and F of a whole corpus.

    FLAGS are tables of item, flag and maybe score (CSV, JSON lines, gzipped or not), one for each of one or two
    systems; with --corpus, the systems' outputs, whose changes are the flags.

    \b
    errorbar sample plan flags.csv --budget 300
    errorbar sample draw flags.csv --budget 300 --out set.csv --key key.json
    errorbar sample estimate judged.csv --key key.json
    """


def frame_options(function: Command) -> Command:
    """``--corpus``, ``--items``, ``--words``, ``--bands``: the command gets them as one argument, ``frame``."""

    @click.argument("flags", nargs=-1, type=INPUT, metavar="[FLAGS]...")
    @click.option("--corpus", type=INPUT, metavar="FILE", help="Source sentences; FLAGS are then the systems' outputs.")
    @click.option("--items", type=click.Choice(PROJECTIONS), default="tokens", show_default=True, help="With --corpus.")
    @click.option("--words", default="prepositions", show_default=True, help="With --items words: a class, or a,b,c.")
    @click.option("--bands", type=click.IntRange(1, 1000), default=1, show_default=True, help="Cut strata by score.")
    @wraps(function)
    def wrapped(
        *args: Any, flags: tuple[str, ...], corpus: str | None, items: Any, words: str, bands: int, **options: Any
    ) -> Any:
        _refuse_items(corpus, items)
        return function(*args, frame=FrameInput(flags, corpus, items, words, bands), **options)

    return wrapped  # type: ignore[return-value]  # click passes options by name; the decorated command keeps its type


def plan_options(function: Command) -> Command:
    """``--budget`` or ``--half-width``, ``--target``, costs, and what is supposed, as one argument, ``wish``."""

    @click.option(
        "--budget", type=click.IntRange(2, MOST_ITEMS), help="Items to judge; with --costs, what all may cost."
    )
    @click.option("--half-width", type=FiniteRange(0, 1, min_open=True), help="Wanted, e.g. 0.05.")
    @click.option("--target", type=click.Choice(("P", "R", "F")), default="R", show_default=True, help="Best for.")
    @click.option("--beta", type=FiniteRange(0, 1000, min_open=True), default=1.0, show_default=True, help="Of F.")
    @click.option(
        "--floor", type=click.IntRange(1, MOST_ITEMS), default=30, show_default=True, help="Least of a stratum."
    )
    @click.option("--precision", type=float, default=0.7, show_default=True, help="Guess: errors in flagged.")
    @click.option("--miss-rate", type=float, default=0.05, show_default=True, help="Guess: errors in the rest.")
    @click.option("--costs", default="", metavar="A,B", help="Of an item of each stratum, in their order.")
    @wraps(function)
    def wrapped(
        *args: Any,
        budget: int | None,
        half_width: float | None,
        target: Target,
        beta: float,
        floor: int,
        precision: float,
        miss_rate: float,
        costs: str,
        **options: Any,
    ) -> Any:
        wish = Wish(budget, half_width, target, beta, floor, precision, miss_rate, costs)
        return function(*args, wish=wish, **options)

    return wrapped  # type: ignore[return-value]  # click passes options by name; the decorated command keeps its type


def label_options(function: Command) -> Command:
    """``--error``, ``--ok``, ``--unknown``: what labels mean, as one argument, ``labels``."""

    @click.option(
        "--error", "errors", multiple=True, default=("error",), show_default=True, help="Labels that mean error."
    )
    @click.option("--ok", "others", multiple=True, default=("ok",), show_default=True, help="Labels that mean none.")
    @click.option("--unknown", multiple=True, metavar="LABEL", help="Labels that mean 'cannot say'.")
    @wraps(function)
    def wrapped(
        *args: Any, errors: tuple[str, ...], others: tuple[str, ...], unknown: tuple[str, ...], **options: Any
    ) -> Any:
        return function(*args, labels=Labels(errors, others, unknown), **options)

    return wrapped  # type: ignore[return-value]  # as above


def size_options(function: Command) -> Command:
    """``--flagged``, ``--unflagged``: guesses instead of a table, as one argument, ``sizes``."""

    @click.option("--flagged", type=click.IntRange(1, MOST_ITEMS), help="Instead of FLAGS: items flagged.")
    @click.option("--unflagged", type=click.IntRange(1, MOST_ITEMS), help="Instead of FLAGS: items not flagged.")
    @wraps(function)
    def wrapped(*args: Any, flagged: int | None, unflagged: int | None, **options: Any) -> Any:
        if flagged is not None or unflagged is not None:
            refuse_given(("corpus", "bands"), "needs items, and --flagged and --unflagged say only how many there are")
        return function(*args, sizes=(flagged, unflagged), **options)

    return wrapped  # type: ignore[return-value]  # as above


@command.command("plan")
@frame_options
@size_options
@plan_options
@click.option("--raters", type=click.IntRange(1, 10_000), default=1, show_default=True, help="Judgments of each item.")
@click.option("--price", type=FiniteRange(0, 1e9), help="Of one judgment.")
@click.option("--minutes", type=FiniteRange(0, 1e9), help="Working time of one judgment.")
@lenient_option
@format_option
def plan(
    frame: FrameInput,
    sizes: Sizes,
    wish: Wish,
    raters: int,
    price: float | None,
    minutes: float | None,
    lenient: bool,
    style: str,
) -> None:
    """Say how many items of which stratum to judge, how sure that makes you, and what it costs.

    \b
    errorbar sample plan flags.csv --budget 300 --price 0.02
    errorbar sample plan --flagged 1000 --unflagged 9000 --half-width 0.05
    """
    problems = Problems(lenient=lenient)
    made = planned(sizes_input(frame, *sizes) or read_input(frame, problems)[1], wish)
    cost = made.cost(raters=raters, price=price, minutes=minutes)
    if style == "json":
        show_json({"schema": PLAN_SCHEMA, **plan_record(made, cost), "warnings": _records(problems)})
        return
    show_notes(problems.notes)
    show(plan_table(made, cost), style)


@command.command("compare")
@frame_options
@size_options
@plan_options
@lenient_option
@format_option
def compare(
    frame: FrameInput,
    sizes: Sizes,
    wish: Wish,
    lenient: bool,
    style: str,
) -> None:
    """Say what the same budget gives with other designs: what stratifying buys.

    \b
    errorbar sample compare flags.csv --budget 300
    """
    from errorbar.sampling import compare_designs

    problems = Problems(lenient=lenient)
    made = planned(sizes_input(frame, *sizes) or read_input(frame, problems)[1], wish)
    if made.costs is not None:
        what = "designs are compared at one number of items, not at one cost"
        raise UsageError(Problem("sample-cost", what, fix="leave out --costs"))
    designs = compare_designs(made, beta=wish.beta)
    if style == "json":
        show_json({"schema": COMPARE_SCHEMA, **designs_record(made, designs), "warnings": _records(problems)})
        return
    show_notes(problems.notes)
    show(design_table(made, designs), style)


@command.command("draw")
@frame_options
@plan_options
@click.option("--out", required=True, metavar="FILE", help="The annotation set: .csv or .jsonl, maybe .gz.")
@click.option("--key", "key_file", required=True, metavar="FILE", help="The private key, a new file.")
@click.option("--rater", "raters", multiple=True, default=("rater-1",), show_default=True, help="Who; repeatable.")
@click.option("--after", type=INPUT, metavar="KEY", help="Go on with this sample; with --judged, by what it showed.")
@click.option("--judged", multiple=True, type=INPUT, metavar="FILE", help="The filled-in sets of --after.")
@label_options
@seed_option
@lenient_option
def draw(
    frame: FrameInput,
    wish: Wish,
    out: str,
    key_file: str,
    raters: tuple[str, ...],
    after: str | None,
    judged: tuple[str, ...],
    labels: Labels,
    seed: int,
    lenient: bool,
) -> None:
    """Draw items and write them blind and shuffled; the key tells the strata and stays private.

    \b
    errorbar sample draw flags.csv --budget 60 --out pilot.csv --key pilot.json
    errorbar sample draw flags.csv --budget 300 --after pilot.json --judged pilot-done.csv \\
      --out rest.csv --key key.json
    """
    from errorbar.formats.saving import save_lines
    from errorbar.sampling import blind_set, write_key

    if after is not None:
        refuse_given(("bands", "seed"), "was chosen with the pilot and stays as its key says")
        refuse_given(("precision", "miss_rate"), "is a guess, and --judged shows what the pilot found")
    if not judged:
        refuse_given(("errors", "others", "unknown"), "is about the labels of --judged, and there are none")
    refuse_names(out, key_file)
    problems = Problems(lenient=lenient)
    whole, key = draw_input(frame, wish, Pilot(after, judged, labels), seed, problems)
    show_notes(problems.notes)
    kind = out.removesuffix(".gz").rpartition(".")[2]
    lines = blind_set(key, whole, raters, "jsonl" if kind == "jsonl" else "csv")
    save_lines(write_key(key), key_file)  # first: a set is worth nothing without its key
    try:
        save_lines(lines, out)
    except InputError:
        Path(key_file).unlink()  # a key without its set would be in the way of the next try
        raise
    drawn = key.rounds[-1]
    tell(f"set {drawn.name}: {len(drawn.items)} items written to {out}, their key to {key_file}")


@command.command("estimate")
@click.argument("judgments", nargs=-1, type=INPUT, metavar="[JUDGMENTS]...")
@click.option("--key", "key_file", type=INPUT, metavar="FILE", help="The key that was written with the set.")
@click.option(
    "--counts",
    multiple=True,
    metavar="SIDE:N:n:x",
    help="Instead of files: flagged or unflagged, items, judged, errors; repeatable.",
)
@click.option(
    "--truth",
    type=click.Choice(("majority", "any", "graded")),
    default="majority",
    show_default=True,
    help="Of several raters.",
)
@label_options
@click.option("--votes", type=INPUT, metavar="FILE", help="Cheap judgments of many items; needs --flags or --corpus.")
@click.option(
    "--flags", "flag_files", multiple=True, type=INPUT, metavar="FILE", help="What the sample was drawn from."
)
@click.option("--corpus", type=INPUT, metavar="FILE", help="With --votes: source sentences; --flags are then outputs.")
@click.option("--items", type=click.Choice(PROJECTIONS), default="tokens", show_default=True, help="With --corpus.")
@click.option("--words", default="prepositions", show_default=True, help="With --items words.")
@click.option("--beta", type=FiniteRange(0, 1000, min_open=True), default=1.0, show_default=True, help="Of F.")
@click.option(
    "--method",
    type=click.Choice(("near-exact", "logit", "wald")),
    default="near-exact",
    show_default=True,
    help="Intervals.",
)
@click.option(
    "--confidence",
    type=FiniteRange(0, 1, min_open=True, max_open=True),
    default=0.95,
    show_default=True,
    help="Confidence level.",
)
@seed_option
@lenient_option
@format_option
def estimate(
    judgments: tuple[str, ...],
    key_file: str | None,
    counts: tuple[str, ...],
    truth: Truth,
    labels: Labels,
    votes: str | None,
    flag_files: tuple[str, ...],
    corpus: str | None,
    items: Any,
    words: str,
    beta: float,
    method: Any,
    confidence: float,
    seed: int,
    lenient: bool,
    style: str,
) -> None:
    """Estimate hits, misses, false positives, P, R and F of the whole corpus.

    \b
    errorbar sample estimate judged.csv --key key.json
    errorbar sample estimate --counts flagged:1000:750:600 --counts unflagged:9000:1500:450
    """
    from errorbar.cli.sample_input import counted_input, judged_input, votes_input
    from errorbar.sampling import estimate_systems

    problems = Problems(lenient=lenient)
    assisted = None
    if counts:
        if judgments or key_file or votes:
            what = "counts and files"
            raise UsageError(Problem("sample-counts", what, fix="give either --counts, or JUDGMENTS and --key"))
        refuse_given(
            (*_OF_FRAMES, "truth", "errors", "others", "unknown"), "is about files, and --counts stands for all"
        )
        strata, sample = counted_input(counts)
    else:
        if key_file is None:
            what = "no key tells which stratum the items are from"
            raise UsageError(Problem("sample-key", what, fix="give --key, the file that 'sample draw' wrote"))
        if votes is None:
            refuse_given(_OF_FRAMES, "is about what --votes are cast on", "add --votes, or leave it out")
        key, judged = judged_input(judgments, key_file, truth, labels, problems)
        strata, sample = key.strata, judged.sample
        if votes is not None:
            _refuse_items(corpus, items)
            source = FrameInput(flag_files, corpus, items, words, 1)
            assisted = votes_input(votes, source, key, judged, labels, problems)
    estimates = estimate_systems(
        strata, sample, beta=beta, method=method, confidence_level=confidence, seed=seed, assisted=assisted
    )
    found, differences = estimates.systems, estimates.differences
    notes = [*problems.notes, *estimates.notes]
    if style == "json":
        record = estimates_record(strata, sample, found, differences, assisted, truth)
        show_json({"schema": ESTIMATE_SCHEMA, **record, "warnings": [note_record(note) for note in notes]})
        return
    show_notes(notes)
    show(estimates_table(strata, sample, found, differences, assisted, truth), style)


def _refuse_items(corpus: str | None, items: str) -> None:
    """See that options of a corpus have one."""
    if corpus is None:
        refuse_given(("items", "words"), "is about the items of --corpus, and a table names its own")
    else:
        refuse_words(items)


def _records(problems: Problems) -> list[dict[str, object]]:
    return [note_record(note) for note in problems.notes]
