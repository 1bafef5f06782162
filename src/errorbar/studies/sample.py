"""Plan, draw and estimate a sample: what ``errorbar sample`` does. Formulas stand in ``errorbar.sampling``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from os import PathLike
from typing import Unpack

import numpy as np

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.formats.judgment_files import read_judgment_table
from errorbar.formats.look import Source, display_name
from errorbar.sampling import (
    Aim,
    Assisted,
    Estimation,
    Judged,
    Key,
    Labels,
    Sample,
    Strata,
    draw_sample,
    estimate_systems,
    judge_sample,
    plan_looks,
    plan_sample,
    read_judged_files,
    read_key,
    score_edges,
    stratify,
    voted_totals,
)
from errorbar.sampling.estimators import Method
from errorbar.sampling.frame import FLAGGED, UNFLAGGED
from errorbar.sampling.judged import Truth
from errorbar.studies.door import public
from errorbar.studies.sample_input import (
    Drawn,
    Flags,
    Items,
    Labeling,
    Planning,
    costs_of,
    frame_of,
    labels_of,
    listed,
    looked,
    planned,
)
from errorbar.studies.sample_results import SampleDraw, SampleEstimation, SamplePlan

Filled = Source | Sequence[Source] | Judgments
MOST_ITEMS = 10**10
"""Items of a corpus: a thousand times what anybody has flagged."""
MOST_STRATA = 200
"""Strata whose counts are named one by one."""


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
    looks: int | None = None,
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
        looks: How many times, equally spaced, the results may be looked at, by O'Brien and Fleming's boundaries;
            half-widths are those of the last look. None: once, at the end.
        shared: What there is to judge, and how well it shall be known.

    Raises:
        InputError: If a file is bad.
        UsageError: If arguments do not fit each other or the strata.
    """
    problems = Problems(lenient=shared["lenient"])
    files = listed(flags)
    if flagged is None and unflagged is None:
        frame = frame_of(files, shared, problems)
        strata = stratify(frame, score_edges(frame, shared["bands"]))[0]
    elif flagged is None or unflagged is None or files:
        what = "sizes and flags" if files else "only one of --flagged and --unflagged"
        raise UsageError(Problem("sample-systems", what, fix="give FLAGS, or both --flagged and --unflagged"))
    else:
        strata = Strata.of_sizes(flagged, unflagged)
    plan = planned(strata, shared, looks)
    cost = plan.cost(raters=raters, price=price, minutes=minutes)
    return SamplePlan(plan, cost, tuple(problems.notes), () if looks is None else plan_looks(plan, looks))


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
    problems, files = Problems(lenient=shared["lenient"]), listed(flags)
    raters = (rater,) if isinstance(rater, str) else tuple(rater)
    if after is None:
        if not isinstance(judged, Sequence) or judged:
            what = "judged files without the key of their sample"
            raise UsageError(Problem("sample-key", what, fix="give --after KEY"))
        frame = frame_of(files, shared, problems)
        edges = score_edges(frame, shared["bands"])
        n = planned(stratify(frame, edges)[0], shared).n
        return SampleDraw(draw_sample(frame, n, edges=edges, seed=seed), frame, raters, tuple(problems.notes))
    key = after if isinstance(after, Key) else read_key(after)
    done = _judged(judged, key, labels_of(shared), "majority", problems)
    frame = frame_of(files, shared, problems)
    budget = shared["budget"]
    if budget is None or shared["half_width"] is not None:
        what = "after a pilot the budget is the number of items in all"
        raise UsageError(Problem("sample-budget", what, fix="give --budget"))
    drawn = np.bincount(list(key.items().values()), minlength=len(key.strata))
    least = np.maximum(drawn, np.minimum(shared["floor"], key.strata.sizes))
    rates, costs = done.sample.rates(key.strata), costs_of(shared["costs"], key.strata)
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
    anytime: bool = False,
    looks: str = "",
    half_width: float | None = None,
    **shared: Unpack[Estimated],
) -> SampleEstimation:
    """Estimate hits, misses, false positives, P, R and F of the whole corpus.

    Args:
        judgments: The filled-in sets of a drawn sample, or an object.
        key: Its key.
        counts: Instead of both: ``side:items:judged:errors``, e.g. ``flagged:1000:750:600``, for each stratum.
        truth: How several raters make one truth: majority (a tie is half an error, with ``anytime`` not judged), any or
            graded.
        votes: Cheap judgments of many items, which are combined with those of the experts.
        flags: With votes: what the sample was drawn from.
        beta: Weight of recall in F.
        method: Of the intervals: near-exact, logit or wald.
        confidence: Confidence level of intervals.
        seed: Of the Bayesian intervals.
        anytime: Whether intervals shall hold however often one looks, and whenever one stops.
        looks: Instead: which of how many planned looks this is, e.g. ``2/5``.
        half_width: Wanted of P, R and F, so that judging may stop: which are narrow enough is said. Asymptotic
            intervals of ``anytime`` are narrowest in comparison where they are so wide; None: .05.
        shared: With votes what they are cast on; what labels mean.

    Raises:
        InputError: If a file is bad or belongs to another sample.
        UsageError: If arguments do not fit, a label is not declared, or nothing was judged.
    """
    problems = Problems(lenient=shared["lenient"])
    how = Estimation(beta, method, confidence, seed, looked(anytime, looks, half_width))
    if anytime and votes is not None:
        what = "--anytime and --votes: how far votes are trusted is tuned on what was judged"
        raise UsageError(Problem("two-choices", what, fix="leave one of them out, or plan looks: --looks"))
    if counts:
        if not isinstance(judgments, Sequence) or judgments or key or votes:
            what = "counts and files"
            raise UsageError(Problem("sample-counts", what, fix="give either --counts, or JUDGMENTS and --key"))
        return replace(estimation(*counted([counts] if isinstance(counts, str) else counts), how), wanted=half_width)
    if key is None:
        what = "no key tells which stratum the items are from"
        raise UsageError(Problem("sample-key", what, fix="give --key, the file that 'sample draw' wrote"))
    known = key if isinstance(key, Key) else read_key(key)
    labels = labels_of(shared)
    judged = _judged(judgments, known, labels, truth, problems, ties=not anytime)
    assisted = None
    if votes is not None:
        frame = frame_of(listed(flags), shared, problems)
        file = "" if isinstance(votes, Judgments) else display_name(votes)
        if not isinstance(votes, Judgments):
            votes = read_judgment_table(votes, problems, repeats="refuse").judgments
        voted, shares, _ = labels.shares(votes, "vote", file)
        assisted = voted_totals(frame, known, judged, dict(zip(voted, shares.tolist(), strict=True)), problems)
    found = estimation(known.strata, judged.sample, how, assisted=assisted, truth=truth, notes=problems.notes)
    return replace(found, wanted=half_width, rounds=len(known.rounds))


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
            what = f"'{text[:60]}' is not a stratum"
            expected = "side:items:judged:errors, e.g. flagged:1000:750:600"
            fix = nearest(side, (FLAGGED, UNFLAGGED)) if side not in (FLAGGED, UNFLAGGED) else ""
            raise UsageError(Problem("sample-counts", what, expected=expected, fix=fix))
        if any(len(part) > len(str(MOST_ITEMS)) or int(part) > MOST_ITEMS for part in rest):
            raise UsageError(Problem("sample-counts", f"'{text[:60]}'", expected=f"at most {MOST_ITEMS:,} items"))
        sides.append(side)
        numbers.append([int(part) for part in rest])
    missing = next((side for side in (FLAGGED, UNFLAGGED) if side not in sides), None)
    if missing is not None:
        what = f"--counts={counts[-1][:60]}: no stratum is {missing}" if counts else f"no stratum is {missing}"
        fix = f"give --counts={missing}:ITEMS:JUDGED:ERRORS too"
        raise UsageError(Problem("sample-one-class", what, fix=fix))
    names = [
        side if sides.count(side) == 1 else f"{side} {sides[: at + 1].count(side)}" for at, side in enumerate(sides)
    ]
    sizes, n, x = np.array(numbers, np.int64).T
    strata = Strata(tuple(names), sizes, np.array([[side == FLAGGED for side in sides]]))
    return strata, Sample(n, x.astype(np.float64))


def _judged(
    judgments: Filled, key: Key, labels: Labels, truth: Truth, problems: Problems, *, ties: bool = True
) -> Judged:
    if not isinstance(judgments, Judgments):
        files = [judgments] if isinstance(judgments, str | PathLike) else judgments
        judgments = read_judged_files(files, key, problems)
    return judge_sample(judgments, key, problems, truth=truth, labels=labels, ties=ties)
