"""Plan, draw and estimate a sample: what ``errorbar sample`` does. Formulas stand in ``errorbar.sampling``."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from os import PathLike
from typing import Annotated, Any, TypedDict, Unpack

import numpy as np

from errorbar.core.corpus import Hypothesis
from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.edits.items import split_items
from errorbar.formats.judgment_files import read_judgment_table
from errorbar.formats.opening import Source, display_name, rereadable
from errorbar.formats.reference import NamedFile
from errorbar.sampling import (
    Aim,
    Assisted,
    Estimation,
    Frame,
    Judged,
    Key,
    Labels,
    Plan,
    Sample,
    Strata,
    budget_for_half_width,
    draw_sample,
    estimate_systems,
    frame_of_systems,
    guessed_rates,
    judge_sample,
    plan_sample,
    read_frame,
    read_judged_files,
    read_key,
    score_edges,
    stratify,
    voted_totals,
)
from errorbar.sampling.estimators import Method
from errorbar.sampling.frame import FLAGGED, UNFLAGGED
from errorbar.sampling.judged import Truth
from errorbar.sampling.totals import Target
from errorbar.studies.door import Lenient, Said, part, public
from errorbar.studies.inputs import Gold, ReadingOptions, load
from errorbar.studies.judgment_input import ITEMS, LABELS, labels_by_role
from errorbar.studies.sample_results import SampleDraw, SampleEstimation, SamplePlan

Flags = Source | Hypothesis | Frame
Filled = Source | Sequence[Source] | Judgments
MOST_ITEMS = 10**10
"""Items of a corpus: a thousand times what anybody has flagged."""
MOST_STRATA = 200
"""Strata whose counts are named one by one."""
MOST_COST, LEAST_COST = 1e9, 1e-9
_SUFFIX = re.compile(r"\.(csv|tsv|jsonl)(\.gz)?$")


class Items(TypedDict, total=False):
    """What there is to judge."""

    corpus: Annotated[Gold | None, Said(None, "Source sentences, where flags are the systems' outputs.")]
    items: Annotated[str, Said("tokens", f"With a corpus: what its items are: {ITEMS}.")]
    lenient: Lenient


class Planning(Items, total=False):
    """How a sample is planned."""

    bands: Annotated[int, Said(1, "Bands of score into which unflagged items are cut.")]
    budget: Annotated[int | None, Said(None, "Items to judge, or with costs what all may cost.")]
    half_width: Annotated[
        float | None, Said(None, "Instead: the wanted half-width of the target's interval, e.g. .05.")
    ]
    target: Annotated[Target, Said("R", "What shall be known best: P, R or F; of two systems their difference.")]
    beta: Annotated[float, Said(1.0, "Weight of recall in F.")]
    floor: Annotated[int, Said(30, "The fewest items of a stratum.")]
    precision: Annotated[float, Said(0.7, "Supposed share of errors in flagged items.")]
    miss_rate: Annotated[float, Said(0.05, "Supposed share of errors in the others.")]
    costs: Annotated[str | Sequence[float], Said((), "What an item of each stratum costs: numbers, or a text of them.")]


class Labeling(TypedDict, total=False):
    """What labels of a sample mean."""

    labels: Annotated[str | Sequence[str], Said((), f"{LABELS}.")]
    error: Annotated[str | Sequence[str], Said((), "Labels that mean error, or rules such as ``<4``; none: ``error``.")]
    ok: Annotated[str | Sequence[str], Said((), "Labels that mean no error; none: ``ok``.")]
    unknown: Annotated[str | Sequence[str], Said((), 'Labels that mean "cannot say"; they count as not judged.')]


class Drawn(Planning, Labeling, total=False):
    """How a sample is drawn."""


class Estimated(Items, Labeling, total=False):
    """What estimating takes."""


@public()
def sample_plan(
    flags: Flags | Sequence[Flags] = (),
    *,
    flagged: int | None = None,
    unflagged: int | None = None,
    raters: int = 1,
    price: float | None = None,
    minutes: float | None = None,
    **shared: Unpack[Planning],
) -> SamplePlan:
    """Say how many items of which stratum to judge, how sure that makes one, and what it costs.

    Args:
        flags: What one or two systems flag: tables of item, flag and maybe score; with a corpus, the systems' outputs,
            whose changes are the flags; or a ``Frame``.
        flagged: Instead of flags: how many items are flagged.
        unflagged: The others.
        raters: Judgments of each item.
        price: Of one judgment.
        minutes: Working time of one judgment.
        shared: What there is to judge, and how well it shall be known.

    Raises:
        InputError: If a file is bad.
        UsageError: If arguments do not fit each other or the strata.
    """
    problems = Problems(lenient=shared["lenient"])
    files = _listed(flags)
    if flagged is None and unflagged is None:
        frame = _frame(files, shared, problems)
        strata = stratify(frame, score_edges(frame, shared["bands"]))[0]
    elif flagged is None or unflagged is None or files:
        what = "sizes and flags" if files else "only one of --flagged and --unflagged"
        raise UsageError(Problem("sample-systems", what, fix="give FLAGS, or both --flagged and --unflagged"))
    else:
        strata = Strata.of_sizes(flagged, unflagged)
    plan = _planned(strata, shared)
    return SamplePlan(plan, plan.cost(raters=raters, price=price, minutes=minutes), tuple(problems.notes))


@public()
def sample_draw(
    flags: Flags | Sequence[Flags],
    *,
    rater: str | Sequence[str] = ("rater-1",),
    after: Source | Key | None = None,
    judged: Filled = (),
    seed: int = 0,
    **shared: Unpack[Drawn],
) -> SampleDraw:
    """Draw items of each stratum, blind and shuffled; ``SampleDraw.save`` writes the set and its private key.

    Args:
        flags: What one or two systems flag, as for ``sample_plan``.
        rater: Names of raters, each of whom gets every item.
        after: The key of a sample to go on with, whose bands and seed are kept; rates are those that were judged.
        judged: With ``after``: the judgments so far, filled-in sets or an object.
        seed: Of what is drawn, and its order.
        budget: Items to judge, or with costs what all may cost; after a round, that of all rounds together.
        shared: As for ``sample_plan``, and what the labels of the judgments mean.

    Raises:
        InputError: If a file is bad or belongs to another sample.
        UsageError: If arguments do not fit each other or the strata.
    """
    problems, files = Problems(lenient=shared["lenient"]), _listed(flags)
    raters = (rater,) if isinstance(rater, str) else tuple(rater)
    if after is None:
        if not isinstance(judged, Sequence) or judged:
            what = "judged files without the key of their sample"
            raise UsageError(Problem("sample-key", what, fix="give --after KEY"))
        frame = _frame(files, shared, problems)
        edges = score_edges(frame, shared["bands"])
        n = _planned(stratify(frame, edges)[0], shared).n
        return SampleDraw(draw_sample(frame, n, edges=edges, seed=seed), frame, raters, tuple(problems.notes))
    key = after if isinstance(after, Key) else read_key(after)
    done = _judged(judged, key, _labels(shared), "majority", problems)
    frame = _frame(files, shared, problems)
    budget = shared["budget"]
    if budget is None or shared["half_width"] is not None:
        what = "after a pilot the budget is the number of items in all"
        raise UsageError(Problem("sample-budget", what, fix="give --budget"))
    drawn = np.bincount(list(key.items().values()), minlength=len(key.strata))
    least = np.maximum(drawn, np.minimum(shared["floor"], key.strata.sizes))
    rates, costs = done.sample.rates(key.strata), _costs(shared["costs"], key.strata)
    plan = plan_sample(key.strata, rates, budget, Aim(shared["target"], shared["beta"]), floor=least, costs=costs)
    return SampleDraw(draw_sample(frame, plan.n, after=key), frame, raters, tuple(problems.notes))


@public()
def sample_estimate(
    judgments: Filled = (),
    *,
    key: Source | Key | None = None,
    counts: str | Sequence[str] = (),
    truth: Truth = "majority",
    votes: Source | Judgments | None = None,
    flags: Flags | Sequence[Flags] = (),
    beta: float = 1.0,
    method: Method = "near-exact",
    confidence: float = 0.95,
    seed: int = 0,
    **shared: Unpack[Estimated],
) -> SampleEstimation:
    """Estimate hits, misses, false positives, P, R and F of the whole corpus.

    Args:
        judgments: The filled-in sets of a drawn sample, or an object.
        key: Its key.
        counts: Instead of both: ``side:items:judged:errors``, e.g. ``flagged:1000:750:600``, for each stratum.
        truth: How several raters make one truth: majority, any or graded.
        votes: Cheap judgments of many items, which are combined with those of the experts.
        flags: With votes: what the sample was drawn from.
        beta: Weight of recall in F.
        method: Of the intervals: near-exact, logit or wald.
        confidence: Confidence level of intervals.
        seed: Of the Bayesian intervals.
        shared: With votes what they are cast on; what labels mean.

    Raises:
        InputError: If a file is bad or belongs to another sample.
        UsageError: If arguments do not fit, a label is not declared, or nothing was judged.
    """
    problems = Problems(lenient=shared["lenient"])
    how = Estimation(beta, method, confidence, seed)
    if counts:
        if not isinstance(judgments, Sequence) or judgments or key or votes:
            what = "counts and files"
            raise UsageError(Problem("sample-counts", what, fix="give either --counts, or JUDGMENTS and --key"))
        return estimation(*counted([counts] if isinstance(counts, str) else counts), how)
    if key is None:
        what = "no key tells which stratum the items are from"
        raise UsageError(Problem("sample-key", what, fix="give --key, the file that 'sample draw' wrote"))
    known = key if isinstance(key, Key) else read_key(key)
    labels = _labels(shared)
    judged = _judged(judgments, known, labels, truth, problems)
    assisted = None
    if votes is not None:
        frame = _frame(_listed(flags), shared, problems)
        file = "" if isinstance(votes, Judgments) else display_name(votes)
        if not isinstance(votes, Judgments):
            votes = read_judgment_table(rereadable(votes), problems, repeats="refuse").judgments
        voted, shares, _ = labels.shares(votes, "vote", file)
        assisted = voted_totals(frame, known, judged, dict(zip(voted, shares.tolist(), strict=True)), problems)
    return estimation(known.strata, judged.sample, how, assisted=assisted, truth=truth, notes=problems.notes)


def estimation(
    strata: Strata,
    sample: Sample,
    how: Estimation,
    *,
    assisted: Assisted | None = None,
    truth: Truth = "majority",
    notes: Sequence[Problem] = (),
) -> SampleEstimation:
    """Estimates of what was judged; notes of its reading come first."""
    found = estimate_systems(strata, sample, how, assisted=assisted)
    every = tuple(dict.fromkeys([*notes, *found.notes]))
    return SampleEstimation(strata, sample, found, how, assisted, truth, every)


def counted(counts: Sequence[str]) -> tuple[Strata, Sample]:
    """Strata and a sample from ``side:items:judged:errors``."""
    if len(counts) > MOST_STRATA:  # the intervals take a table of each
        what = f"{len(counts):,} strata are too many, the last '{counts[-1][:60]}'"
        raise UsageError(Problem("sample-counts", what, expected=f"at most {MOST_STRATA}"))
    sides, numbers = [], []
    for text in counts:
        side, *rest = text.split(":")
        if side not in (FLAGGED, UNFLAGGED) or len(rest) != 3 or not all(part.isdecimal() for part in rest):
            what = f"'{text[:60]}' does not tell a stratum"
            expected = "side:items:judged:errors, e.g. flagged:1000:750:600"
            fix = nearest(side, (FLAGGED, UNFLAGGED)) if side not in (FLAGGED, UNFLAGGED) else ""
            raise UsageError(Problem("sample-counts", what, expected=expected, fix=fix))
        if any(len(part) > len(str(MOST_ITEMS)) or int(part) > MOST_ITEMS for part in rest):
            raise UsageError(Problem("sample-counts", f"'{text[:60]}'", expected=f"at most {MOST_ITEMS:,} items"))
        sides.append(side)
        numbers.append([int(part) for part in rest])
    names = [
        side if sides.count(side) == 1 else f"{side} {sides[: at + 1].count(side)}" for at, side in enumerate(sides)
    ]
    sizes, n, x = np.array(numbers, np.int64).T
    strata = Strata(tuple(names), sizes, np.array([[side == FLAGGED for side in sides]]))
    return strata, Sample(n, x.astype(np.float64))


def _listed(flags: Flags | Sequence[Flags]) -> Sequence[Flags]:
    return [flags] if isinstance(flags, str | PathLike | Hypothesis | Frame) else flags


def meanings(given: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """The labels of ``error``, ``ok`` and ``unknown``, and ``type`` of who takes it; one without a role is refused."""
    said = labels_by_role(part(Labeling, given) | {role: given[role] for role in ("type",) if role in given})
    if bare := said.pop(""):
        what = f"--labels={bare[0]} must say what the label means"
        raise UsageError(Problem("bad-parameter", what, expected="error=LABEL, ok=LABEL or unknown=LABEL"))
    return said


def _labels(given: Labeling) -> Labels:
    """What labels mean: ``error`` and ``ok`` what they say, unless others are named."""
    said = meanings(given)
    return Labels(said["error"] or ("error",), said["ok"] or ("ok",), said["unknown"])


def _frame(flags: Sequence[Flags], given: Items, problems: Problems) -> Frame:
    if not flags:
        what = "no table of flags"
        fix = "give item,flag tables; or --corpus and a system's output; or --flagged and --unflagged to plan"
        raise UsageError(Problem("sample-systems", what, fix=fix))
    if isinstance(flags[0], Frame):
        return flags[0]
    if given["corpus"] is None:
        files = [NamedFile.parse(str(path)) for path in flags if isinstance(path, str | PathLike)]
        return read_frame([file.path for file in files], problems, [_SUFFIX.sub("", file.name) for file in files])
    how = ReadingOptions(lenient=problems.lenient, admission=Admission(force=True))
    data = load(given["corpus"], [flag for flag in flags if not isinstance(flag, Frame)], how)
    problems.take(data.problems.notes)
    projection, words = split_items(given["items"])
    return frame_of_systems(data.corpus, data.systems, projection, words=words)


def _judged(judgments: Filled, key: Key, labels: Labels, truth: Truth, problems: Problems) -> Judged:
    if not isinstance(judgments, Judgments):
        files = [judgments] if isinstance(judgments, str | PathLike) else judgments
        judgments = read_judged_files(files, key, problems)
    return judge_sample(judgments, key, problems, truth=truth, labels=labels)


def _costs(costs: str | Sequence[float], strata: Strata) -> list[float] | None:
    """What an item of each stratum costs; None: 1 each."""
    if not len(costs):
        return None
    try:
        made = [float(cost) for cost in (costs.split(",") if isinstance(costs, str) else costs)]
    except ValueError:
        made = []
    if len(made) != len(strata) or not all(LEAST_COST <= cost <= MOST_COST for cost in made):
        expected = f"{len(strata)} numbers from {LEAST_COST:g} to {MOST_COST:g} between commas, of "
        what = f"--costs={str(costs)[:60]}"
        raise UsageError(Problem("sample-cost", what, expected=expected + ", ".join(strata.names)))
    return made


def _planned(strata: Strata, given: Planning) -> Plan:
    """A plan from guesses of precision and miss rate, for a budget or else a half-width."""
    rates, aim = guessed_rates(strata, given["precision"], given["miss_rate"]), Aim(given["target"], given["beta"])
    budget, half_width, floor, costs = (
        given["budget"],
        given["half_width"],
        given["floor"],
        _costs(given["costs"], strata),
    )
    if budget is None and half_width is not None:
        if costs is not None:
            what = "costs and a half-width: the fewest items are not the cheapest"
            raise UsageError(Problem("sample-cost", what, fix="give --budget, what all may cost, with --costs"))
        budget = budget_for_half_width(strata, rates, half_width, aim, floor=floor)
    elif budget is None or half_width is not None:
        what = "neither a budget nor a half-width" if budget is None else "a budget and a half-width"
        raise UsageError(Problem("sample-budget", what, fix="give one of --budget and --half-width"))
    total = int(strata.sizes.sum())
    if costs is None and budget > total:
        what = f"a budget of {budget} items"
        raise UsageError(Problem("sample-budget", what, expected=f"at most {total}, all there are"))
    return plan_sample(strata, rates, budget, aim, floor=floor, costs=costs)
