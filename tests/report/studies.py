"""Small studies with known numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations

import numpy as np

from errorbar.ceiling import Ceiling
from errorbar.core.counts import Counts
from errorbar.core.errors import Problem
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.signature import Signature
from errorbar.metrics.comparison import Comparison, Pair
from errorbar.metrics.score import Score, TypeRecall
from errorbar.stats.comparison import Randomization
from errorbar.stats.letters import shared_letters
from errorbar.stats.power import PairedPower
from errorbar.studies.model import CorpusStudy


def estimate(value: float | None, half: float | None = None, undefined: Undefined | None = None) -> Estimate:
    """A value with an interval of that half-width."""
    made = Estimate(value, 100, undefined=undefined)
    if half is None or value is None:
        return made
    return made.with_interval(Interval(max(value - half, 0), value + half, 0.95, "bootstrap-bca"))


def score(
    name: str,
    f: float | None,
    *,
    half: float | None = 0.02,
    precision: Estimate | None = None,
    recall: Estimate | None = None,
    undefined: Undefined | None = None,
    types: Sequence[TypeRecall] = (),
    spec: str = "m2",
) -> Score:
    """A score whose P and R are F too unless they are given."""
    whole = estimate(f, half, undefined)
    return Score(
        name,
        0.5,
        precision or whole,
        recall or whole,
        whole,
        Counts(1, 2, 3),
        100,
        ("A",),
        Signature(spec, "s", "r", f"hyp-{name}", 100, 2, ("ci:bca,0.95,2000,by:sentence,seed:0",)),
        types,
    )


def comparison(values: Mapping[str, float], p_values: Mapping[tuple[str, str], float | None]) -> Comparison:
    """Systems with adjusted p-values; pairs that are not named have p = 1."""
    pairs = []
    for first, second in combinations(values, 2):
        p = p_values.get((first, second), p_values.get((second, first), 1.0))
        difference = values[first] - values[second]
        undefined = Undefined.NO_DISAGREEMENT if p is None else None
        test = Randomization(difference, p, 0, 2000, exact=False, undefined=undefined)
        interval = Interval(difference - 0.01, difference + 0.01, 0.95, "bootstrap-bca")
        pairs.append(Pair(first, second, difference, interval, test, p, PairedPower(100, 0.1, 0.01)))
    scores = np.array([[value, value, value] for value in values.values()])
    return Comparison(tuple(values), scores, tuple(pairs))


def letters(found: Comparison) -> list[str]:
    """Group letters in the order of the systems, which run with the rank."""
    order = np.argsort(-found.scores[:, 2], kind="stable")
    ranked = shared_letters(found.p_table()[np.ix_(order, order)])
    return [ranked[list(order).index(k)] for k in range(len(order))]


def ceiling(human: float, systems: Mapping[str, float], size: int = 9) -> Ceiling:
    """Ten annotators who all score the same."""
    humans = np.full((size + 1, 1, 3), human)
    scores = np.array([[[value, value, value]] for value in systems.values()]).reshape(len(systems), 1, 3)
    return Ceiling(tuple(f"A{k}" for k in range(size + 1)), tuple(systems), (size,), humans, scores, (10,), (True,))


def study(
    scores: Sequence[Score],
    compared: Comparison | None = None,
    *,
    found: Ceiling | None = None,
    annotators: Sequence[str] = ("A", "B"),
    others: Mapping[str, Sequence[Score]] | None = None,
    notes: Sequence[Problem] = (),
) -> CorpusStudy:
    """A study of a corpus of 100 sentences."""
    groups = [""] * len(scores) if compared is None else letters(compared)
    return CorpusStudy(
        "corpus",
        "sentence",
        100,
        None,
        tuple(annotators),
        scores,
        others or {},
        compared,
        groups,
        found,
        None,
        None,
        None,
        {f"score: {one.system}": str(one.signature) for one in scores},
        notes,
        0.95,
    )


def systems(
    values: Mapping[str, float],
    p_values: Mapping[tuple[str, str], float | None] | None = None,
    *,
    found: Ceiling | None = None,
    notes: Sequence[Problem] = (),
) -> CorpusStudy:
    """Systems with those F, compared."""
    compared = comparison(values, p_values or {})
    return study([score(name, value) for name, value in values.items()], compared, found=found, notes=notes)
