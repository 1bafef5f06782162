"""Plan, draw and estimate a sample: what ``errorbar sample`` does. Formulas stand in ``errorbar.sampling``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np

from errorbar.api.arguments import (
    ArgumentDoc,
    Bounds,
    Confidence,
    HalfWidth,
    Lenient,
    Progress,
    Useless,
    Whole,
    part,
    public,
)
from errorbar.api.assistance import SEAL_ALONE, Cheap, drop_seen, note_unsealed, read_cheap
from errorbar.api.inputs import Gold, ReadingOptions, load
from errorbar.api.judgment_input import ITEMS, Files, labels_by_role, paths_of
from errorbar.api.sample_results import Performance, SampleDraw, SampleEstimation, SamplePlan, SampleRehearsal
from errorbar.core.arrays import Counts, Floats
from errorbar.core.corpus import Hypothesis
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problem, Problems, UsageError, nearest
from errorbar.edits.admission import Admission
from errorbar.edits.items import split_items
from errorbar.formats.judgments import read_people
from errorbar.formats.look import Source, list_paths
from errorbar.formats.reference import NamedFile
from errorbar.sampling import (
    Aim,
    Anytime,
    AssistedTotals,
    Estimation,
    Frame,
    Key,
    Labels,
    Look,
    Plan,
    Sample,
    Strata,
    budget_for_half_width,
    draw_sample,
    estimate_systems,
    frame_of_systems,
    guessed_rates,
    judge_sample,
    plan_looks,
    plan_sample,
    read_frame,
    read_judged_files,
    read_key,
    score_edges,
    stratify,
    voted_totals,
)
from errorbar.sampling.assistance import weigh_sample
from errorbar.sampling.draw import Truth, name_raters, refuse_corpus
from errorbar.sampling.estimators import Method, Rehearsal, rehearse
from errorbar.sampling.frame import FLAGGED, UNFLAGGED, Target
from errorbar.sampling.prediction_powered import variance_kept
from errorbar.sampling.seal import Seal
from errorbar.sampling.stopping import WANTED

# What the functions of samples take: frames, plans, and what labels mean.


Flags = Source | Hypothesis | Frame
Filled = Source | Sequence[Source] | Judgments
MOST_COST, LEAST_COST = 1e9, 1e-9
LEVEL = 0.95
"""Confidence level of plans."""
MOST_DIGITS = 10
"""Of two numbers of looks and what stands between them."""
_SUFFIX = re.compile(r"\.(csv|tsv|jsonl)(\.gz)?$")
MOST_ITEMS = 10_000_000_000
"""Items of a corpus: a thousand times what anybody has flagged."""
ItemCount = Annotated[int, Bounds(1, MOST_ITEMS)]
Beta = Annotated[Annotated[float, Bounds(0, 1000, "low")], ArgumentDoc(1.0, "Weight of recall in F.")]
Repeated = Annotated[int, Bounds(1, 10_000)]
Amount = Annotated[float, Bounds(0, 1e9)]


class SampleItems(TypedDict, total=False):
    """The options about the items to judge."""

    corpus: Annotated[
        Gold | None, ArgumentDoc(None, "Corpus of source sentences; the flags are then the systems' outputs.")
    ]
    items: Annotated[str, ArgumentDoc("tokens", f"With ``corpus``: its items are {ITEMS}.")]
    lenient: Lenient


class Planning(SampleItems, total=False):
    """How a sample is planned."""

    bands: Annotated[
        Annotated[int, Bounds(1, 1000)], ArgumentDoc(1, "Divide each stratum into so many bands of the score.")
    ]
    budget: Annotated[
        Annotated[int, Bounds(2, MOST_ITEMS)] | None,
        ArgumentDoc(None, "Number of items to judge; with ``costs``, what all of them may cost."),
    ]
    half_width: Annotated[
        HalfWidth | None,
        ArgumentDoc(None, "Half-width that the target's interval shall have, e.g. 0.05, in place of a budget."),
    ]
    target: Annotated[
        Target, ArgumentDoc("R", "Score whose interval shall be narrowest; of two systems their difference in it.")
    ]
    beta: Beta
    floor: Annotated[ItemCount, ArgumentDoc(30, "Fewest items of a stratum.")]
    precision: Annotated[float, ArgumentDoc(0.7, "Guessed share of errors in flagged items.")]
    miss_rate: Annotated[float, ArgumentDoc(0.05, "Guessed share of errors in the other items.")]
    costs: Annotated[
        str | Sequence[float], ArgumentDoc((), "Cost of an item of each stratum, in the order of the strata.")
    ]


class Labeling(TypedDict, total=False):
    """The options about the meanings of labels."""

    labels: Annotated[
        str | Sequence[str],
        ArgumentDoc(
            (),
            "What labels mean, as ROLE=LABEL (error=: an error, also a rule such as '<4'; ok=: no error; unknown=: "
            "'cannot say').",
        ),
    ]
    error: Annotated[
        str | Sequence[str], ArgumentDoc((), "Labels that mean error, or rules such as ``<4``; none: ``error``.")
    ]
    ok: Annotated[str | Sequence[str], ArgumentDoc((), "Labels that mean no error; none: ``ok``.")]
    unknown: Annotated[str | Sequence[str], ArgumentDoc((), 'Labels that mean "cannot say"; they count as not judged.')]


class Drawn(Planning, Labeling, total=False):
    """How a sample is drawn."""


def list_flags(flags: Flags | Sequence[Flags]) -> Sequence[Flags]:
    """Flags of one system or two, as a list."""
    return [flags] if isinstance(flags, str | PathLike | Hypothesis | Frame) else [*flags]


def meanings(arguments: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The labels of ``error``, ``ok`` and ``unknown``, and ``type`` of who takes it; one without a role is refused."""
    labels = labels_by_role(
        part(Labeling, arguments) | {role: arguments[role] for role in ("type",) if role in arguments}
    )
    if bare := labels.pop(""):
        message = f"--labels={bare[0]} must say what the label means"
        raise UsageError(Problem("bad-parameter", message, expected="error=LABEL, ok=LABEL or unknown=LABEL"))
    return labels


def labels_of(arguments: Labeling) -> Labels:
    """The meanings of labels: ``error`` and ``ok`` mean what they say, unless others are named."""
    labels = meanings(arguments)
    return Labels(labels["error"] or ("error",), labels["ok"] or ("ok",), labels["unknown"])


def frame_of(flags: Sequence[Flags], arguments: SampleItems, problems: Problems) -> Frame:
    """Every item with its flags: tables, or what systems change in a corpus."""
    if not flags:
        message = "no table of flags"
        fix = "give item,flag tables; or --corpus and a system's output; or --flagged and --unflagged to plan"
        raise UsageError(Problem("sample-systems", message, fix=fix))
    if isinstance(flags[0], Frame):
        return flags[0]
    if arguments["corpus"] is None:
        files = [NamedFile.parse(str(path)) for path in flags if isinstance(path, str | PathLike)]
        return read_frame([file.path for file in files], problems, [_SUFFIX.sub("", file.name) for file in files])
    how = ReadingOptions(lenient=problems.lenient, admission=Admission(force=True))
    data = load(arguments["corpus"], [flag for flag in flags if not isinstance(flag, Frame)], how)
    problems.take(data.problems.notes)
    projection, words = split_items(arguments["items"])
    return frame_of_systems(data.corpus, data.systems, projection, words=words)


def costs_of(costs: str | Sequence[float], strata: Strata) -> list[float] | None:
    """The cost of an item of each stratum; None: 1 each."""
    if not len(costs):
        return None
    try:
        numbers = [float(cost) for cost in (costs.split(",") if isinstance(costs, str) else costs)]
    except ValueError:
        numbers = []
    if len(numbers) != len(strata) or not all(LEAST_COST <= cost <= MOST_COST for cost in numbers):
        expected = f"{len(strata)} numbers from {LEAST_COST:g} to {MOST_COST:g} between commas, of "
        message = f"--costs={str(costs)[:60]}"
        raise UsageError(Problem("sample-cost", message, expected=expected + ", ".join(strata.names)))
    return numbers


def read_looks(anytime: bool, looks: str, half_width: float | None) -> Anytime | Look | None:
    """The looks that intervals are to withstand: any number, planned ones (``2/5``: the second of five), or one."""
    if anytime and looks:
        message = f"--anytime and --looks={looks}"
        raise UsageError(Problem("two-choices", message, fix="give one of them: --anytime allows any number of looks"))
    if half_width is not None and not 0 < half_width < 1:
        raise UsageError(Problem("sample-half-width", f"a half-width of {half_width:g}", expected="above 0, below 1"))
    if anytime:
        return Anytime(WANTED if half_width is None else half_width)
    if not looks:
        return None
    at, _, of = looks.partition("/")
    if not (at.isdecimal() and of.isdecimal() and len(looks) < MOST_DIGITS):
        expected = "the number of this look and of all, e.g. 2/5"
        raise UsageError(Problem("look-number", f"--looks={looks[:20]}", expected=expected))
    return Look(int(at), int(of))


class Piloted(Drawn, total=False):
    """How a sample is planned, and what a pilot shows."""

    after: Annotated[
        Source | Key | None,
        ArgumentDoc(None, "Key of a pilot, whose judgments show the rates; its items are part of the plan."),
    ]
    judged: Annotated[Filled, ArgumentDoc((), "With ``after``: the filled-in set of the pilot.")]
    assist: Annotated[
        Cheap | None,
        ArgumentDoc(
            None,
            "With ``after``: cheap judgments of a crowd or a model, which is to judge all items: how they go with "
            "those of the pilot says how many judgments of people they save.",
        ),
    ]
    seal: Annotated[
        Source | Seal | None,
        ArgumentDoc(
            None, "With ``assist``: the seal of the model, whose prompt must not have seen the labels of the pilot."
        ),
    ]


@dataclass(frozen=True, slots=True, eq=False)
class SamplePilot:
    """The figures of a pilot that a plan needs."""

    rates: Floats
    floor: Counts  # what is drawn already, or the fewest items of each stratum
    kept: Floats | None = None  # the share of variance that cheap labels leave in each stratum


def make_plan(strata: Strata, arguments: Planning, looks: int | None = None, pilot: SamplePilot | None = None) -> Plan:
    """A plan from guesses or a pilot, for a budget or a half-width at the last of the looks."""
    guesses = guessed_rates(strata, arguments["precision"], arguments["miss_rate"])
    rates, kept = (guesses, None) if pilot is None else (pilot.rates, pilot.kept)
    level = LEVEL if looks is None else Look(looks, looks).nominal(LEVEL)
    shares = None if kept is None else tuple(kept.tolist())
    aim = Aim(arguments["target"], arguments["beta"], level, shares)
    budget, half_width = arguments["budget"], arguments["half_width"]
    floor: int | Counts = arguments["floor"] if pilot is None else pilot.floor
    costs = costs_of(arguments["costs"], strata)
    if budget is None and half_width is not None:
        if costs is not None:
            message = "costs and a half-width: the fewest items are not the cheapest"
            raise UsageError(Problem("sample-cost", message, fix="give --budget, what all may cost, with --costs"))
        budget = budget_for_half_width(strata, rates, half_width, aim, floor=floor, kept=kept)
    elif budget is None or half_width is not None:
        message = "neither a budget nor a half-width" if budget is None else "a budget and a half-width"
        raise UsageError(Problem("sample-budget", message, fix="give one of --budget and --half-width"))
    total = int(strata.sizes.sum())
    if costs is None and budget > total:
        message = f"a budget of {budget} items"
        raise UsageError(Problem("sample-budget", message, expected=f"at most {total}, all there are"))
    return plan_sample(strata, rates, budget, aim, floor=floor, costs=costs)


MOST_STRATA = 200
"""Strata whose counts are named one by one."""


class Estimated(SampleItems, Labeling, total=False):
    """How a sample is read and its intervals are made."""

    beta: Beta
    method: Annotated[Method, ArgumentDoc("near-exact", "Method of the intervals.")]
    confidence: Annotated[Confidence, ArgumentDoc(0.95, "Confidence level of intervals, a fraction.")]
    seed: Annotated[Whole, ArgumentDoc(0, "Seed of the Bayesian intervals.")]
    anytime: Annotated[
        bool, ArgumentDoc(False, "Make intervals that hold however often you look, and whenever you stop.")
    ]
    looks: Annotated[
        str, ArgumentDoc("", "Number of this look among the planned ones, e.g. 2/5; intervals hold for all of them.")
    ]
    half_width: Annotated[
        HalfWidth | None,
        ArgumentDoc(
            None,
            "Half-width that P, R and F shall have: those whose intervals are so narrow are named. With ``anytime`` "
            "asymptotic intervals are narrowest in comparison at this half-width, or at 0.05.",
        ),
    ]


OF_SIZES = Useless(
    "corpus bands",
    "needs items, and --flagged and --unflagged say only how many there are",
    lambda arguments: arguments["flagged"] is not None or arguments["unflagged"] is not None,
)
OF_CORPUS = Useless(
    "items",
    "is about the items of --corpus, and a table names its own",
    lambda arguments: arguments["corpus"] is None,
)


@public(
    OF_SIZES,
    OF_CORPUS,
    Useless(
        "judged assist seal labels error ok unknown",
        "is about a pilot",
        lambda arguments: arguments["after"] is None,
        fix="add --after, the key of the pilot, or leave it out",
    ),
    Useless(
        "bands precision miss_rate",
        "is a guess, and the pilot shows it",
        lambda arguments: arguments["after"] is not None,
    ),
    SEAL_ALONE,
)
def sample_plan(
    flags: Flags | Sequence[Flags] = (),
    *,
    flagged: ItemCount | None = None,
    unflagged: ItemCount | None = None,
    raters: Repeated = 1,
    price: Amount | None = None,
    minutes: Amount | None = None,
    looks: Annotated[int, Bounds(1, 100)] | None = None,
    **shared: Unpack[Piloted],
) -> SamplePlan:
    """Say how many items of which stratum to judge, how sure that makes one, and what it costs.

    Args:
        flags: What one or two systems flag: tables of item, flag and maybe score; with a corpus, the systems' outputs,
            whose changes are the flags; or a ``Frame``.
        flagged: Number of flagged items, in place of tables of flags.
        unflagged: Number of items that are not flagged, in place of tables of flags.
        raters: Number of judgments of each item.
        price: Price of one judgment.
        minutes: Working time of one judgment, in minutes.
        looks: Number of times, equally spaced, at which the results may be looked at. Boundaries are those of O'Brien
            and Fleming, half-widths those of the last look. None: once, at the end.
        shared: What there is to judge, how well it shall be known, and what a pilot shows.

    Raises:
        InputError: If a file is bad.
        UsageError: If arguments do not fit each other or the strata.
    """
    problems = Problems(lenient=shared["lenient"])
    files = list_flags(flags)
    pilot, alone, source = None, None, ""
    after, assist = shared["after"], shared["assist"]
    if after is not None:
        if flagged is not None or unflagged is not None:
            message = "sizes and a pilot, which has strata of its own"
            raise UsageError(Problem("two-choices", message, fix="leave --flagged and --unflagged out"))
        key = after if isinstance(after, Key) else read_key(after)
        strata = key.strata
        pilot, source = _read_pilot(key, shared["judged"], (assist, shared["seal"]), (files, shared), problems)
        if pilot.kept is not None:
            alone = make_plan(strata, shared, looks, replace(pilot, kept=None))
    elif flagged is None and unflagged is None:
        frame = frame_of(files, shared, problems)
        strata = stratify(frame, score_edges(frame, shared["bands"]))[0]
    elif flagged is None or unflagged is None or files:
        message = "sizes and flags" if files else "only one of --flagged and --unflagged"
        raise UsageError(Problem("sample-systems", message, fix="give FLAGS, or both --flagged and --unflagged"))
    else:
        strata = Strata.of_sizes(flagged, unflagged)
    plan = make_plan(strata, shared, looks, pilot)
    cost = plan.cost(raters=raters, price=price, minutes=minutes)
    planned = () if looks is None else plan_looks(plan, looks)
    return SamplePlan(plan, cost, tuple(problems.notes), planned, alone, source)


def _read_pilot(
    key: Key,
    judged: Filled,
    help: tuple[Cheap | None, Source | Seal | None],
    items: tuple[Sequence[Flags], Drawn],
    problems: Problems,
) -> tuple[SamplePilot, str]:
    """Read the figures of a pilot, of cheap labels too; and whose these are."""
    (assist, seal), (files, shared) = help, items
    labels = labels_of(shared)
    cheap, sealed = (None, None) if assist is None else read_cheap(assist, seal, problems)
    if not isinstance(judged, Judgments):
        judged = read_judged_files(list_paths(judged), key, problems)
    pilot = judge_sample(drop_seen(judged, sealed, problems), key, problems, labels=labels)
    drawn = np.bincount(list(key.items().values()), minlength=len(key.strata))
    floor = np.maximum(drawn, np.minimum(shared["floor"], key.strata.sizes))
    result = SamplePilot(pilot.sample.rates(key.strata), floor)
    if cheap is None:
        return result, ""
    note_unsealed(cheap, sealed, problems)
    voted, shares, _ = labels.shares(cheap.judgments, "vote", cheap.file)
    votes = dict(zip(voted, shares.tolist(), strict=True))
    assisted = voted_totals(frame_of(files, shared, problems), key, pilot, votes, problems)
    return replace(result, kept=variance_kept(assisted)), cheap.source


@public(
    Useless(
        "bands seed",
        "was chosen with the pilot and stays as its key says",
        lambda arguments: arguments["after"] is not None,
    ),
    Useless(
        "precision miss_rate",
        "is a guess, and --judged shows what the pilot found",
        lambda arguments: arguments["after"] is not None,
    ),
    Useless(
        "labels error ok unknown",
        "is about the labels of --judged, and there are none",
        lambda arguments: isinstance(arguments["judged"], Sequence) and not arguments["judged"],
    ),
    OF_CORPUS,
)
def sample_draw(
    flags: Flags | Sequence[Flags],
    *,
    rater: str | Sequence[str] = ("rater-1",),
    after: Source | Key | None = None,
    judged: Filled = (),
    seed: Whole = 0,
    **shared: Unpack[Drawn],
) -> SampleDraw:
    """Draw items of each stratum, blind and shuffled; ``SampleDraw.save`` writes the set and its private key.

    Args:
        flags: What one or two systems flag, as for ``sample_plan``.
        rater: Name of a rater, who gets every item.
        after: Key of a sample to go on with; its bands and seed are kept, and rates are those that were judged.
        judged: With ``after``: a filled-in set of that sample. In Python also an object.
        seed: Seed of everything random.
        budget: Number of items to judge, after a round those of all rounds; with ``costs``, what all of them may cost.
        shared: As for ``sample_plan``, and what the labels of the judgments mean.

    Raises:
        InputError: If a file is bad or belongs to another sample.
        UsageError: If arguments do not fit each other or the strata.
    """
    problems, files = Problems(lenient=shared["lenient"]), list_flags(flags)
    raters = name_raters(rater)
    if after is None:
        if not isinstance(judged, Sequence) or judged:
            message = "judged files without the key of their sample"
            raise UsageError(Problem("sample-key", message, fix="give --after KEY"))
        frame = frame_of(files, shared, problems)
        edges = score_edges(frame, shared["bands"])
        n = make_plan(stratify(frame, edges)[0], shared).n
        return SampleDraw(draw_sample(frame, n, edges=edges, seed=seed), frame, raters, tuple(problems.notes))
    key = after if isinstance(after, Key) else read_key(after)
    pilot, _ = _read_pilot(key, judged, (None, None), (files, shared), problems)
    frame = frame_of(files, shared, problems)
    budget = shared["budget"]
    if budget is None or shared["half_width"] is not None:
        message = "after a pilot the budget is the number of items in all"
        raise UsageError(Problem("sample-budget", message, fix="give --budget"))
    costs, aim = costs_of(shared["costs"], key.strata), Aim(shared["target"], shared["beta"])
    plan = plan_sample(key.strata, pilot.rates, budget, aim, floor=pilot.floor, costs=costs)
    return SampleDraw(draw_sample(frame, plan.n, after=key), frame, raters, tuple(problems.notes))


_FRAME = "flags corpus items"


@public(
    Useless(
        "method seed",
        "is about plain intervals, and --anytime makes others",
        lambda arguments: arguments["anytime"],
    ),
    Useless(
        "seed",
        "is about Bayesian intervals, which --looks leaves out",
        lambda arguments: bool(arguments["looks"]) and not arguments["anytime"],
    ),
    Useless(
        f"{_FRAME} truth labels error ok unknown",
        "is about files, and --counts stands for all",
        lambda arguments: bool(arguments["counts"]),
    ),
    Useless(
        _FRAME,
        "is about what --assist judges",
        lambda arguments: arguments["assist"] is None and arguments["key"] is not None and not arguments["counts"],
        fix="add --assist, or leave it out",
    ),
    SEAL_ALONE,
    OF_CORPUS,
)
def sample_estimate(
    judgments: Filled = (),
    *,
    key: Source | Key | None = None,
    counts: str | Sequence[str] = (),
    truth: Truth = "majority",
    assist: Cheap | None = None,
    seal: Source | Seal | None = None,
    flags: Flags | Sequence[Flags] = (),
    **shared: Unpack[Estimated],
) -> SampleEstimation:
    """Estimate hits, misses, false positives, P, R and F of the whole corpus.

    Args:
        judgments: The filled-in sets of a drawn sample, or an object.
        key: The key that was written with the set.
        counts: A stratum in place of files: flagged or unflagged, its items, how many were judged, and the errors among
            them, e.g. flagged:1000:750:600.
        truth: How several raters of an item make one truth. By majority a tie is half an error, with ``anytime`` not
            judged.
        assist: Cheap judgments of many items, by a crowd or a model, which make intervals narrower where they help;
            needs ``flags`` or ``corpus``. Of a table with models those of the models. In Python also a table in memory;
            a ``Judgments`` object is of a crowd.
        seal: With ``assist``: the seal of the model, whose prompt must not have seen the labels that people gave.
        flags: With ``assist``: the table of flags that the sample was drawn from.
        shared: With ``assist`` what it judges; what labels mean; how intervals are made.

    Raises:
        InputError: If a file is bad or belongs to another sample.
        UsageError: If arguments do not fit, a label is not declared, or nothing was judged.
    """
    problems, anytime, half_width = Problems(lenient=shared["lenient"]), shared["anytime"], shared["half_width"]
    looks = read_looks(anytime, shared["looks"], half_width)
    how = Estimation(shared["beta"], shared["method"], shared["confidence"], shared["seed"], looks)
    if anytime and assist is not None:
        message = "--anytime and --assist: how far votes are trusted is tuned on what was judged"
        raise UsageError(Problem("two-choices", message, fix="leave one of them out, or plan looks: --looks"))
    if counts:
        if not isinstance(judgments, Sequence) or judgments or key or assist:
            message = "counts and files"
            raise UsageError(Problem("sample-counts", message, fix="give either --counts, or JUDGMENTS and --key"))
        return replace(
            estimation(*read_counts([counts] if isinstance(counts, str) else counts), how), wanted=half_width
        )
    if key is None:
        message = "no key tells which stratum the items are from"
        raise UsageError(Problem("sample-key", message, fix="give --key, the file that 'sample draw' wrote"))
    known = key if isinstance(key, Key) else read_key(key)
    labels = labels_of(shared)
    cheap, sealed = (None, None) if assist is None else read_cheap(assist, seal, problems)
    if not isinstance(judgments, Judgments):
        judgments = read_judged_files(list_paths(judgments), known, problems)
    judgments = drop_seen(judgments, sealed, problems)
    judged = judge_sample(judgments, known, problems, truth=truth, labels=labels, ties=not anytime)
    if cheap is None:
        result = estimation(known.strata, judged.sample, how, truth=truth, notes=problems.notes)
        return replace(result, wanted=half_width, rounds=len(known.rounds))
    note_unsealed(cheap, sealed, problems)
    frame = frame_of(list_flags(flags), shared, problems)
    voted, shares, _ = labels.shares(cheap.judgments, "vote", cheap.file)
    assisted = voted_totals(frame, known, judged, dict(zip(voted, shares.tolist(), strict=True)), problems)
    result = estimation(known.strata, judged.sample, how, assisted=assisted, truth=truth, notes=problems.notes)
    weighed = weigh_sample(known.strata, judged.sample, how, assisted, result.found)
    assistance = replace(result, assistance=weighed, source=cheap.source)
    return replace(assistance, wanted=half_width, rounds=len(known.rounds))


def estimation(
    strata: Strata,
    sample: Sample,
    how: Estimation,
    *,
    assisted: AssistedTotals | None = None,
    truth: Truth = "majority",
    notes: Sequence[Problem] = (),
) -> SampleEstimation:
    """Estimates of what was judged; notes of its reading come first."""
    estimates = estimate_systems(strata, sample, how, assisted=assisted)
    every = tuple(dict.fromkeys([*notes, *estimates.notes]))
    return SampleEstimation(strata, sample, estimates, how, assisted, truth, every)


def read_counts(counts: Sequence[str]) -> tuple[Strata, Sample]:
    """Strata and a sample from ``side:items:judged:errors``."""
    if len(counts) > MOST_STRATA:  # the intervals take a table of each
        message = f"{len(counts):,} strata are too many, the last '{counts[-1][:60]}'"
        raise UsageError(Problem("sample-counts", message, expected=f"at most {MOST_STRATA}"))
    sides, numbers = [], []
    for text in counts:
        side, *fields = text.split(":")
        if side not in (FLAGGED, UNFLAGGED) or len(fields) != 3 or not all(part.isdecimal() for part in fields):
            message = f"'{text[:60]}' is not a stratum"
            expected = "side:items:judged:errors, e.g. flagged:1000:750:600"
            fix = nearest(side, (FLAGGED, UNFLAGGED)) if side not in (FLAGGED, UNFLAGGED) else ""
            raise UsageError(Problem("sample-counts", message, expected=expected, fix=fix))
        if any(len(part) > len(str(MOST_ITEMS)) or int(part) > MOST_ITEMS for part in fields):
            raise UsageError(Problem("sample-counts", f"'{text[:60]}'", expected=f"at most {MOST_ITEMS:,} items"))
        sides.append(side)
        numbers.append([int(part) for part in fields])
    missing = next((side for side in (FLAGGED, UNFLAGGED) if side not in sides), None)
    if missing is not None:
        message = f"--counts={counts[-1][:60]}: no stratum is {missing}" if counts else f"no stratum is {missing}"
        fix = f"give --counts={missing}:ITEMS:JUDGED:ERRORS too"
        raise UsageError(Problem("sample-one-class", message, fix=fix))
    names = [
        side if sides.count(side) == 1 else f"{side} {sides[: at + 1].count(side)}" for at, side in enumerate(sides)
    ]
    sizes, n, x = np.array(numbers, np.int64).T
    strata = Strata(tuple(names), sizes, np.array([[side == FLAGGED for side in sides]]))
    return strata, Sample(n, x.astype(np.float64))


@public(OF_CORPUS)
def sample_rehearse(
    flags: Flags | Sequence[Flags],
    judged: Files | Judgments,
    *,
    raters: Repeated | None = None,
    repetitions: Annotated[int, Bounds(2, 1_000_000)] = 1000,
    truth: Truth = "majority",
    minutes: Amount | None = None,
    confidence: Confidence = 0.95,
    progress: Progress = lambda _: None,
    seed: Whole = 0,
    **shared: Unpack[Drawn],
) -> SampleRehearsal:
    """Draw many samples of a corpus that is judged whole, and compare what they tell with the truth.

    Args:
        flags: What one or two systems flag, as for ``sample_plan``.
        judged: Judgments of every item. In Python also an object.
        raters: Number of judgments of each drawn item, by raters drawn anew. None: those of all raters.
        repetitions: Number of samples that are drawn.
        truth: How several raters of an item make one truth. That of the corpus rests on all raters.
        minutes: Working time of one judgment, in minutes.
        confidence: Confidence level of intervals, a fraction.
        progress: Is told the number of samples done.
        seed: Seed of everything random.
        budget: Number of items of a sample; with ``costs``, what all of them may cost.
        shared: How each sample is planned, and what labels mean.

    Raises:
        InputError: If a file is bad.
        UsageError: If arguments do not fit each other, or an item has too few judgments.
    """
    problems, labels = Problems(lenient=shared["lenient"]), labels_of(shared)
    frame = frame_of(list_flags(flags), shared, problems)
    table = judged if isinstance(judged, Judgments) else _read_judgments(judged, problems)
    edges = score_edges(frame, shared["bands"])
    strata, _ = stratify(frame, edges)
    n = make_plan(strata, shared).n
    how = Estimation(shared["beta"], confidence_level=confidence)
    rehearsal = Rehearsal(n, edges, raters, truth, labels, how, seed)
    scores = rehearse(frame, table, rehearsal, repetitions, progress)
    per_item = raters or len(table) / len(table.items)
    counts = round(int(n.sum()) * per_item), round(len(frame) * per_item)
    rows = [Performance.of(score, confidence) for score in scores]
    return SampleRehearsal(rows, strata, n.tolist(), repetitions, counts, minutes, truth, seed, tuple(problems.notes))


def _read_judgments(judged: Files, problems: Problems) -> Judgments:
    tables = []
    for path in paths_of(judged, "judged"):
        refuse_corpus(path)
        tables.append(read_people(path, problems))
    joined = Judgments.joined(tables)
    return joined.take(joined.settled("refuse"))
