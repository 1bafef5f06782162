"""Choice tests: how often the second candidate is better, equally good, or worse than the first.

Formula
    s is the share of items' judgments that find the second candidate equally good or better; a the share of all
    instances on which the two writers agree, so that nobody was asked about them. Counting what is as good, accuracy is
    a + (1 - a) s: the agreed ones, and that share of the others. Its interval is that of s, a being known.
    Position: P(top) of all answers that chose a side, with Wilson's interval; one half where raters do not lean.
Conventions
    An item counts once, however many judged it. Pairs of writers are told apart by the names of the candidates; a text
    that several wrote counts for each of them, as in pairs for ``rank``, and once for all together. Answers to hidden
    gold items count for sides and repeats.
Source
    Tetreault and Chodorow 2008, section 4.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

import numpy as np
from numpy.typing import NDArray

from errorbar.core.estimate import Estimate, Interval
from errorbar.core.judgments import Judgments
from errorbar.judging.analysis.findings import Finding, count, label_shares, merged, of_items
from errorbar.judging.corpus_questions import SEVERAL
from errorbar.judging.rater_figures import RaterFigures
from errorbar.judging.study_columns import StudyColumns
from errorbar.stats.proportion import proportion_estimate
from errorbar.stats.resampling import Resampling

WORDS = {"first": "first better", "equal": "equally good", "second": "second better", "neither": "equally bad"}
AS_GOOD = "second as good or better"


def choice_findings(
    study: StudyColumns, judgments: Judgments, accuracy: float | None, drawn: Resampling | None
) -> Iterator[Finding]:
    """Shares for all items, and for each pair of writers where there are several."""
    pairs: dict[tuple[str, ...], dict[int, bool]] = {}  # places, and whether the two stand the other way round there
    for place, at in enumerate(study.work.tolist()):
        whole = study.items[at].whole
        names = [each.split(SEVERAL) for each in whole.names] if whole is not None else []
        for pair in product(*names):
            other = bool(pair) and pair[::-1] in pairs
            pairs.setdefault(pair[::-1] if other else pair, {})[place] = other
    for pair, places in pairs.items():
        chosen, turned = (np.zeros(len(study.work), np.bool_) for _ in range(2))
        chosen[[*places]] = True
        turned[[*places]] = [*places.values()]
        of = " and ".join(pair) or "all"
        yield from _shares(of, _turned(of_items(judgments, chosen), turned), accuracy, drawn)
    if len(pairs) > 1:
        yield from _shares("all", judgments, accuracy, drawn)


def _turned(judgments: Judgments, items: NDArray[np.bool_]) -> Judgments:
    """The judgments with first and second exchanged at some items."""
    first, second = (judgments.labels.index(side) for side in ("first", "second"))
    codes = np.arange(len(judgments.labels), dtype=np.int32)
    codes[[first, second]] = second, first
    return replace(judgments, label=np.where(items[judgments.item], codes[judgments.label], judgments.label))


def _shares(of: str, judgments: Judgments, accuracy: float | None, drawn: Resampling | None) -> Iterator[Finding]:
    shares = label_shares(judgments, drawn)
    yield Finding("preferences", of, "items", count(len(np.unique(judgments.item))), "count")
    for label, name in WORDS.items():
        if label in shares:
            yield Finding("preferences", of, name, shares[label], "percent")
    groups = {"second": AS_GOOD, "equal": AS_GOOD, "first": "worse", "neither": "worse"}
    good = label_shares(merged(judgments, groups), drawn).get(AS_GOOD)
    if good is None:
        return
    yield Finding("accuracy", of, AS_GOOD, good, "percent")
    if accuracy is not None:
        yield Finding("accuracy", of, "before", Estimate(accuracy, good.n_units), "percent")
        yield Finding("accuracy", of, "after", raised(accuracy, good), "percent")


def raised(accuracy: float, good: Estimate) -> Estimate:
    """Accuracy once what is as good counts as right."""
    if good.value is None:
        return good

    def after(share: float) -> float:
        return accuracy + (1 - accuracy) * share

    made = Estimate(after(good.value), good.n_units)
    if good.interval is None:
        return made if good.no_interval is None else made.with_interval(good.no_interval)
    inner = good.interval
    interval = Interval(after(inner.low), after(inner.high), inner.confidence_level, inner.method)
    return made.with_interval(interval, n_clusters=good.n_clusters)


def position_findings(raters: list[RaterFigures], confidence: float) -> Iterator[Finding]:
    """P(top) and self-consistency, of each rater who says something about them, and of all."""
    for measure, name in (("P(top)", "top"), ("alike when repeated", "repeats")):
        known = [(each.rater, getattr(each, name)) for each in raters]
        known = [(rater, found) for rater, found in known if found is not None and found.n_units]
        total = sum(found.n_units for _, found in known)
        right = sum(round(found.value * found.n_units) for _, found in known)
        if total:
            everyone = proportion_estimate(right, total, confidence_level=confidence)
            yield Finding("consistency", "all raters", measure, everyone, "percent")
        for rater, found in known:
            yield Finding("consistency", rater, measure, found, "percent")
