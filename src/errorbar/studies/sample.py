"""Plan, draw and estimate a sample: what ``errorbar sample`` does.

Flags are tables of item, flag and maybe score, one for each of one or two systems; with a corpus, the systems' outputs,
whose changes are the flags; or a ``Frame``. Formulas stand in ``errorbar.sampling``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike

import numpy as np

from errorbar.core.corpus import Hypothesis
from errorbar.core.errors import Problem, UsageError, nearest, wrong_type
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
from errorbar.studies.inputs import Gold, ReadingOptions, load
from errorbar.studies.sample_results import SampleDraw, SampleEstimation, SamplePlan

Flags = Source | Hypothesis | Frame
MOST_ITEMS = 10**10
"""Items of a corpus: a thousand times what anybody has flagged."""
MOST_COST, LEAST_COST = 1e9, 1e-9
_SUFFIX = re.compile(r"\.(csv|tsv|jsonl)(\.gz)?$")


def sample_plan(
    flags: Flags | Sequence[Flags] = (),
    *,
    corpus: Gold | None = None,
    items: str = "tokens",
    bands: int = 1,
    flagged: int | None = None,
    unflagged: int | None = None,
    budget: int | None = None,
    half_width: float | None = None,
    target: Target = "R",
    beta: float = 1.0,
    floor: int = 30,
    precision: float = 0.7,
    miss_rate: float = 0.05,
    costs: str | Sequence[float] = (),
    raters: int = 1,
    price: float | None = None,
    minutes: float | None = None,
    lenient: bool = False,
) -> SamplePlan:
    """Say how many items of which stratum to judge, how sure that makes one, and what it costs.

    Args:
        flags: What one or two systems flag; see the head of this module.
        corpus: Source sentences, where flags are the systems' outputs.
        items: With a corpus: what its items are: ``tokens``, ``gaps``, ``words:articles``, ``words:a,b,c``, ...
        bands: Bands of score into which unflagged items are cut.
        flagged: Instead of flags: how many items are flagged.
        unflagged: The others.
        budget: Items to judge, or with costs what all may cost.
        half_width: Instead of a budget: the wanted half-width of the target's interval, e.g. .05.
        target: What shall be known best: P, R or F; of two systems their difference.
        beta: Weight of recall in F.
        floor: The fewest items of a stratum.
        precision: Supposed share of errors in flagged items.
        miss_rate: Supposed share of errors in the others.
        costs: What an item of each stratum costs.
        raters: Judgments of each item.
        price: Of one judgment.
        minutes: Working time of one judgment.
        lenient: Repair what can be repaired in files.

    Raises:
        InputError: If a file is bad.
        UsageError: If arguments do not fit each other or the strata.
    """
    problems = Problems(lenient=lenient)
    files = _listed(flags)
    if flagged is None and unflagged is None:
        frame = _frame(files, corpus, items, problems)
        strata = stratify(frame, score_edges(frame, bands))[0]
    elif flagged is None or unflagged is None or files:
        what = "sizes and flags" if files else "only one of --flagged and --unflagged"
        raise UsageError(Problem("sample-systems", what, fix="give FLAGS, or both --flagged and --unflagged"))
    else:
        strata = Strata.of_sizes(flagged, unflagged)
    plan = _planned(
        strata, (precision, miss_rate), (budget, half_width), Aim(target, beta), floor, _costs(costs, strata)
    )
    return SamplePlan(plan, plan.cost(raters=raters, price=price, minutes=minutes), tuple(problems.notes))


def sample_draw(
    flags: Flags | Sequence[Flags],
    *,
    corpus: Gold | None = None,
    items: str = "tokens",
    bands: int = 1,
    budget: int | None = None,
    half_width: float | None = None,
    target: Target = "R",
    beta: float = 1.0,
    floor: int = 30,
    precision: float = 0.7,
    miss_rate: float = 0.05,
    costs: str | Sequence[float] = (),
    rater: Sequence[str] = ("rater-1",),
    after: Source | Key | None = None,
    judged: Source | Sequence[Source] | Judgments = (),
    error: Sequence[str] = ("error",),
    ok: Sequence[str] = ("ok",),
    unknown: Sequence[str] = (),
    seed: int = 0,
    lenient: bool = False,
) -> SampleDraw:
    """Draw items of each stratum, blind and shuffled; ``SampleDraw.save`` writes the set and its private key.

    Args:
        flags: What one or two systems flag, as for ``sample_plan``, like everything down to ``costs``.
        corpus: Source sentences, where flags are outputs.
        items: With a corpus: what its items are.
        bands: Bands of score.
        budget: Items to judge, or what all may cost; after a round, that of all rounds together.
        half_width: Instead of a budget: that of the target's interval.
        target: What shall be known best.
        beta: Weight of recall in F.
        floor: The fewest items of a stratum.
        precision: Supposed share of errors in flagged items.
        miss_rate: Supposed share of errors in the others.
        costs: What an item of each stratum costs.
        rater: Names of raters, each of whom gets every item.
        after: The key of a sample to go on with, whose bands and seed are kept; rates are those that were judged.
        judged: With ``after``: the judgments so far, filled-in sets or an object.
        error: Labels that mean error, or rules such as ``<4``.
        ok: Labels that mean none.
        unknown: Labels that mean "cannot say".
        seed: Of what is drawn, and its order.
        lenient: Repair what can be repaired in files.

    Raises:
        InputError: If a file is bad or belongs to another sample.
        UsageError: If arguments do not fit each other or the strata.
    """
    problems = Problems(lenient=lenient)
    files, aim = _listed(flags), Aim(target, beta)
    raters = (rater,) if isinstance(rater, str) else tuple(rater)
    if after is None:
        if not isinstance(judged, Sequence) or judged:
            what = "judged files without the key of their sample"
            raise UsageError(Problem("sample-key", what, fix="give --after KEY"))
        frame = _frame(files, corpus, items, problems)
        edges = score_edges(frame, bands)
        strata = stratify(frame, edges)[0]
        wanted, guess = (budget, half_width), (precision, miss_rate)
        n = _planned(strata, guess, wanted, aim, floor, _costs(costs, strata)).n
        return SampleDraw(draw_sample(frame, n, edges=edges, seed=seed), frame, raters, tuple(problems.notes))
    key = after if isinstance(after, Key) else read_key(after)
    done = _judged(judged, key, Labels(error, ok, unknown), "majority", problems)
    frame = _frame(files, corpus, items, problems)
    if budget is None or half_width is not None:
        what = "after a pilot the budget is the number of items in all"
        raise UsageError(Problem("sample-budget", what, fix="give --budget"))
    drawn = np.bincount(list(key.items().values()), minlength=len(key.strata))
    least = np.maximum(drawn, np.minimum(floor, key.strata.sizes))
    rates = done.sample.rates(key.strata)
    plan = plan_sample(key.strata, rates, budget, aim, floor=least, costs=_costs(costs, key.strata))
    return SampleDraw(draw_sample(frame, plan.n, after=key), frame, raters, tuple(problems.notes))


def sample_estimate(
    judgments: Source | Sequence[Source] | Judgments = (),
    *,
    key: Source | Key | None = None,
    counts: Sequence[str] = (),
    truth: Truth = "majority",
    error: Sequence[str] = ("error",),
    ok: Sequence[str] = ("ok",),
    unknown: Sequence[str] = (),
    votes: Source | Judgments | None = None,
    flags: Flags | Sequence[Flags] = (),
    corpus: Gold | None = None,
    items: str = "tokens",
    beta: float = 1.0,
    method: Method = "near-exact",
    confidence: float = 0.95,
    seed: int = 0,
    lenient: bool = False,
) -> SampleEstimation:
    """Estimate hits, misses, false positives, P, R and F of the whole corpus.

    Args:
        judgments: The filled-in sets of a drawn sample, or an object.
        key: Its key.
        counts: Instead of both: ``side:items:judged:errors``, e.g. ``flagged:1000:750:600``, for each stratum.
        truth: How several raters make one truth: majority, any or graded.
        error: Labels that mean error, or rules such as ``<4``.
        ok: Labels that mean none.
        unknown: Labels that mean "cannot say"; they count as not judged.
        votes: Cheap judgments of many items, which are combined with those of the experts.
        flags: With votes: what the sample was drawn from.
        corpus: With votes: source sentences, where flags are outputs.
        items: With a corpus: what its items are.
        beta: Weight of recall in F.
        method: Of the intervals: near-exact, logit or wald.
        confidence: Confidence level of intervals.
        seed: Of the Bayesian intervals.
        lenient: Repair what can be repaired in files.

    Raises:
        InputError: If a file is bad or belongs to another sample.
        UsageError: If arguments do not fit, a label is not declared, or nothing was judged.
    """
    problems = Problems(lenient=lenient)
    how = Estimation(beta, method, confidence, seed)
    if counts:
        if not isinstance(judgments, Sequence) or judgments or key or votes:
            what = "counts and files"
            raise UsageError(Problem("sample-counts", what, fix="give either --counts, or JUDGMENTS and --key"))
        return estimation(*counted(counts), how)
    if key is None:
        what = "no key tells which stratum the items are from"
        raise UsageError(Problem("sample-key", what, fix="give --key, the file that 'sample draw' wrote"))
    known = key if isinstance(key, Key) else read_key(key)
    labels = Labels(error, ok, unknown)
    judged = _judged(judgments, known, labels, truth, problems)
    assisted = None
    if votes is not None:
        frame = _frame(_listed(flags), corpus, items, problems)
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
    """Estimates of what was judged; notes of its reading come first.

    Raises:
        UsageError: If the sample does not fit the strata.
    """
    found = estimate_systems(strata, sample, how, assisted=assisted)
    every = tuple(dict.fromkeys([*notes, *found.notes]))
    return SampleEstimation(strata, sample, found, how, assisted, truth, every)


MOST_STRATA = 500
"""Strata whose counts are named one by one."""


def counted(counts: Sequence[str]) -> tuple[Strata, Sample]:
    """Strata and a sample from ``side:items:judged:errors``.

    Raises:
        UsageError: If a count is not written so, or a side is missing.
    """
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


def _listed(flags: Flags | Sequence[Flags]) -> list[Flags]:
    found: list[Flags] = []
    for each in flags if isinstance(flags, list | tuple) else [flags]:
        if not isinstance(each, str | PathLike | Hypothesis | Frame):
            raise wrong_type("flags", "paths, a Frame, or with a corpus Hypotheses", each)
        found.append(each)
    return found


def _frame(flags: Sequence[Flags], corpus: Gold | None, items: str, problems: Problems) -> Frame:
    if not flags:
        what = "no table of flags"
        fix = "give item,flag tables; or --corpus and a system's output; or --flagged and --unflagged to plan"
        raise UsageError(Problem("sample-systems", what, fix=fix))
    if isinstance(flags[0], Frame):
        return flags[0]
    if corpus is None:
        files = [NamedFile.parse(str(path)) for path in flags if isinstance(path, str | PathLike)]
        return read_frame([file.path for file in files], problems, [_SUFFIX.sub("", file.name) for file in files])
    how = ReadingOptions(lenient=problems.lenient, admission=Admission(force=True))
    data = load(corpus, [flag for flag in flags if not isinstance(flag, Frame)], how)
    problems.take(data.problems.notes)
    projection, words = split_items(items)
    return frame_of_systems(data.corpus, data.systems, projection, words=words)


def _judged(
    judgments: Source | Sequence[Source] | Judgments, key: Key, labels: Labels, truth: Truth, problems: Problems
) -> Judged:
    if not isinstance(judgments, Judgments):
        files: list[Source] = []
        for each in judgments if isinstance(judgments, list | tuple) else [judgments]:
            if not isinstance(each, str | PathLike):
                raise wrong_type("judgments", "paths or Judgments", each)
            files.append(each)
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


def _planned(
    strata: Strata,
    guess: tuple[float, float],
    wanted: tuple[int | None, float | None],
    aim: Aim,
    floor: int,
    costs: Sequence[float] | None,
) -> Plan:
    """A plan from guesses of precision and miss rate, for a budget or else a half-width."""
    rates, (budget, half_width) = guessed_rates(strata, *guess), wanted
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
