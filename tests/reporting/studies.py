"""Small studies with known numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from itertools import combinations

import numpy as np

from errorbar import M2, Problems, Resampling, Score
from errorbar.api import (
    CeilingResult,
    ComparisonResult,
    CorpusStudy,
    CrowdStudy,
    HooData,
    HooStudy,
    ReadJudgments,
    SampleStudy,
    study_crowd,
    study_hoo,
    study_sample,
)
from errorbar.api.crowd import CrowdRow
from errorbar.api.paper import ScoredData
from errorbar.api.sample import estimation
from errorbar.core import Estimate, Fragment, Interval, Problem, Signature, Undefined
from errorbar.edits import Edits
from errorbar.metrics import Ceiling, CeilingIntervals, Comparison, DecidingTest, Hoo, Metric, Pair, TypeScore
from errorbar.metrics.gleu import Gleu
from errorbar.metrics.swaps import SwapTest
from errorbar.sampling import Estimation, Sample, Strata
from errorbar.stats import PairedPower, Randomization
from errorbar.testing import accurate, simulate
from tests.helpers.standoff import fragment, standoff


def estimate(value: float | None, half: float | None = None, undefined: Undefined | None = None) -> Estimate:
    """A value with an interval of that half-width."""
    result = Estimate(value, 100, undefined=undefined)
    if half is None or value is None:
        return result
    return result.with_interval(Interval(max(value - half, 0), value + half, 0.95, "bootstrap-bca"))


def score(
    name: str,
    f: float | None,
    *,
    half: float | None = 0.02,
    precision: Estimate | None = None,
    recall: Estimate | None = None,
    undefined: Undefined | None = None,
    types: Sequence[TypeScore] = (),
    spec: str = "m2",
    beta: float = 0.5,
) -> Score:
    """A score whose P and R are F too unless they are given."""
    whole = estimate(f, half, undefined)
    return Score(
        name,
        M2(beta=beta).measures,
        "f",
        {"precision": precision or whole, "recall": recall or whole, "f": whole},
        {"correct": 1, "proposed": 2, "gold": 3},
        100,
        ("A",),
        Signature(spec, "s", "r", f"hyp-{name}", 100, 2, ("ci:bca,0.95,2000,by:sentence,seed:0",)),
        types,
        beta=beta,
    )


def gleu_score(name: str, value: float) -> Score:
    """A score under GLEU."""
    signature = Signature("gleu", "s", "r", f"hyp-{name}", 100, 2, ())
    return Score(name, Gleu().measures, "gleu", {"gleu": estimate(value)}, {}, 100, ("A",), signature, ())


def comparison(
    values: Mapping[str, float], p_values: Mapping[tuple[str, str], float | None], floor: float = 1 / 2001
) -> Comparison:
    """Systems with adjusted p-values; those not named have p = 1. None can be below the floor."""
    pairs = []
    for first, second in combinations(values, 2):
        p = p_values.get((first, second), p_values.get((second, first), 1.0))
        difference = values[first] - values[second]
        undefined = Undefined.NO_DISAGREEMENT if p is None else None
        alone = Randomization(difference, p, round(2001 * (p or 0)), 2000, exact=False, undefined=undefined)
        interval = Interval(difference - 0.01, difference + 0.01, 0.95, "bootstrap-bca")
        least = None if p is None else floor
        power = PairedPower(100, 0.1, 0.01)
        pairs.append(
            Pair(
                first=first,
                second=second,
                difference=difference,
                interval=interval,
                power=power,
                test=DecidingTest(),
                swaps=SwapTest(alone, p, least),
            )
        )
    scores = np.array([[value, value, value] for value in values.values()])
    why = dict.fromkeys(values, (None, None, None))
    return Comparison(tuple(values), M2().measures, 2, scores, tuple(pairs), scores[:, 2], why)


def ceiling(human: float, systems: Mapping[str, float], size: int = 9) -> Ceiling:
    """Ten annotators who all score the same."""
    humans = np.full((size + 1, 1, 3), human)
    scores = np.array([[[value, value, value]] for value in systems.values()]).reshape(len(systems), 1, 3)
    return Ceiling(
        M2().measures,
        2,
        tuple(f"A{k}" for k in range(size + 1)),
        tuple(systems),
        (size,),
        humans,
        scores,
        (10,),
        (True,),
    )


def curves(*, exact: bool = True) -> Ceiling:
    """Two annotators' texts against one and two references; ``b`` overtakes ``a``."""
    humans = np.array([[[0.5] * 3, [0.6] * 3], [[0.3] * 3, [0.4] * 3]])  # means 0.4 and 0.5
    scores = np.array([[[0.3] * 3, [0.35] * 3], [[0.2] * 3, [0.45] * 3]])
    return Ceiling(M2().measures, 2, ("A0", "A1"), ("a", "b"), (1, 2), humans, scores, (4, 1), (exact, True))


def whole(compared: Comparison) -> ComparisonResult:
    """The result of ``compare``."""
    return ComparisonResult(compared, 0.95, "sentence", "m2|compared", ScoredData("m2", 9, None, 2))


def human(humans: Ceiling, intervals: CeilingIntervals | None = None) -> CeilingResult:
    """The result of ``ceiling``."""
    return CeilingResult(humans, intervals, None, None, "m2|human")


def study(
    scores: Sequence[Score],
    compared: Comparison | None = None,
    *,
    humans: Ceiling | None = None,
    annotators: Sequence[str] = ("A", "B"),
    others: Mapping[str, Sequence[Score]] | None = None,
    notes: Sequence[Problem] = (),
    metric: Metric | None = None,
) -> CorpusStudy:
    """A study of a corpus of 100 sentences."""
    return CorpusStudy(
        "corpus",
        "sentence",
        100,
        None,
        tuple(annotators),
        scores,
        others or {},
        None if compared is None else whole(compared),
        None if humans is None else human(humans),
        None,
        None,
        notes,
        0.95,
        metric or M2(),
    )


def systems(
    values: Mapping[str, float],
    p_values: Mapping[tuple[str, str], float | None] | None = None,
    *,
    humans: Ceiling | None = None,
    notes: Sequence[Problem] = (),
    floor: float = 1 / 2001,
) -> CorpusStudy:
    """Systems with those F, compared."""
    compared = comparison(values, p_values or {}, floor)
    return study([score(name, value) for name, value in values.items()], compared, humans=humans, notes=notes)


@cache
def crowd_study() -> CrowdStudy:
    """Five raters of 60 items; ``a`` flags every error, ``b`` others too."""
    simulated = simulate([accurate(0.8)] * 5, np.random.default_rng(1), n_items=60, per_item=5, prevalence=0.4)
    errors = np.asarray(simulated.truth) == 1
    flags = {"a": errors, "b": errors | np.roll(errors, 7)}
    return study_crowd(ReadJudgments(simulated.judgments), flags, Problems(), Resampling(replicates=20), "votes")


def with_rows(crowd: CrowdStudy, rows: Sequence[CrowdRow]) -> CrowdStudy:
    """The study with some of its systems' scores."""
    return replace(crowd, scores=replace(crowd.scores, rows=tuple(rows)))


@cache
def sample_study() -> SampleStudy:
    """Two systems that flag 100 of 1,000 items each, 50 of them the same; 160 are judged."""
    flags = np.array([[True, True, False, False], [True, False, True, False]])
    strata = Strata(("both", "a", "b", "none"), np.array([50, 50, 50, 850]), flags, ("a", "b"))
    sample = Sample(np.array([20, 20, 20, 100]), np.array([15.0, 10.0, 5.0, 4.0]))
    return study_sample(estimation(strata, sample, Estimation(seed=0)), "essays")


@cache
def hoo_study() -> HooStudy:
    """Three runs of two teams on three fragments with four gold edits."""
    text = "They go to school every day ."
    verb, noun = standoff(5, 7, "went", kind="AGV"), standoff(24, 27, "days", "week", kind="AGN")
    optional = standoff(0, 4, "He", kind="RN", optional=True)
    gold: list[Fragment] = [
        fragment(optional, verb, noun, text=text, name="1"),
        fragment(standoff(0, 4, "She", kind="AGV"), text=text, name="2"),
        fragment(text=text, name="3"),
    ]
    wrong = standoff(8, 10, "at")
    runs: dict[str, list[Edits]] = {
        "AA0": [(standoff(5, 7, "goes"),), (), ()],
        "AA1": [(standoff(0, 4, "He"), verb, standoff(24, 27, "month")), (standoff(0, 4, "She"),), ()],
        "BB0": [(verb,), (wrong,), (wrong,)],
    }
    return study_hoo(HooData(gold, runs, "small"), Hoo(), Problems(), Resampling(replicates=50))
