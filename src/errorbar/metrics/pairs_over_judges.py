"""Pairs of systems over texts and judges: the t of their difference, and how likely the first is ahead elsewhere.

Formula
    The difference is taken set by set of judges; its variance and t are those of errorbar.stats.two_way, adjusted by
    Holm. Ahead under other judges: Phi(U / sqrt(zeta_k)); and on other texts too: Phi(U / sqrt(zeta_k + V_E1 -
    V_EA m/k)), where V_E1 is the mean variance over texts against one set. Won: the share of the sets against which the
    first is ahead, with a standard error by leaving out judges.
Conventions
    zeta_k is that of two sets that share nobody; with fewer than 2k judges it is V_A m/k, which the jackknife knows.
    They are about these runs of systems that have several. No interval of these chances was studied. Ahead means a
    better value: lower, where lower is better.
Source
    docs/judges.md; Holm 1979.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import isnan, sqrt

from errorbar.core.estimate import Interval, Undefined
from errorbar.metrics.base import Measure, Metric, Opaque
from errorbar.metrics.judge_sets import JudgedValues, Judging
from errorbar.metrics.judges import JudgeRule
from errorbar.metrics.runs import RunSpread
from errorbar.stats.multiple import adjust
from errorbar.stats.two_way import TwoWay, chance_above, jackknife


@dataclass(frozen=True, slots=True)
class Ahead:
    """How likely the first of two systems is ahead where the difference was not measured; None: not known."""

    sets_won: int
    n_sets: int
    won_error: float | None  # standard error of the share of sets; None: there is one set
    new_judges: float | None
    new_judges_and_texts: float | None


@dataclass(frozen=True, slots=True)
class JudgedPair:
    """Two systems compared over texts and judges; where judges are fixed, over texts and runs."""

    value: float  # of the main measure, against the sets of judges
    interval: Interval | Undefined
    found: TwoWay | None
    p_unadjusted: float | None  # of the t, for this pair alone
    p: float | None  # adjusted for all pairs by Holm: the one that decides
    ahead: Ahead | None  # None: judges are fixed
    whole: bool  # a set is all judges


def judge_pairs(
    metric: Metric,
    systems: Sequence[Opaque],
    pairs: Sequence[tuple[int, int]],
    judging: Judging,
    rule: JudgeRule,
    level: float,
) -> tuple[list[float], list[JudgedPair]]:
    """The main measure of every system against the sets of judges, and pairs of systems."""
    main = metric.main
    values = [only(judging.values(metric, statistics), main) for statistics in systems]
    runs = [judging.spreads(metric, statistics)[main] for statistics in systems]
    measure = metric.measures[main]
    found = [_pair(values[a] - values[b], rule, level, measure, runs[a] - runs[b]) for a, b in pairs]
    return [float(each.means(0)[0, 0]) for each in values], adjusted_by_holm(found)


def adjusted_by_holm(pairs: Sequence[JudgedPair]) -> list[JudgedPair]:
    """Adjust the p-values of pairs for how many there are; one without a p-value counts for none."""
    known = [k for k, one in enumerate(pairs) if one.p_unadjusted is not None]
    adjusted: Mapping[int, float] = {}
    if known:
        p_values = adjust([pairs[k].p_unadjusted or 0.0 for k in known], method="holm")
        adjusted = dict(zip(known, p_values.tolist(), strict=True))
    return [replace(one, p=adjusted.get(k)) for k, one in enumerate(pairs)]


def only(values: JudgedValues, measure: int) -> JudgedValues:
    """The values of one measure."""
    return replace(values, table=values.table[:, :, measure : measure + 1])


def _pair(apart: JudgedValues, rule: JudgeRule, level: float, measure: Measure, runs: RunSpread) -> JudgedPair:
    sign = measure.sign
    parts, whole = apart.components(0, rule.prior, runs), rule.k == rule.n_judges
    value = float(apart.means(0)[0, 0])
    if isinstance(parts, Undefined):
        return JudgedPair(value, parts, None, None, None, _ahead(apart, None, sign), whole)
    interval = parts.interval(level, measure.scale.of_differences)
    return JudgedPair(value, interval, parts, parts.p_value, None, _ahead(apart, parts, sign), whole)


def _ahead(apart: JudgedValues, parts: TwoWay | None, sign: float) -> Ahead:
    won = sign * apart.each(0) > 0
    panel = apart.panel
    error = None
    if panel.n_sets > 1 and panel.k < panel.n_judges:
        weights = panel.weights[1:, : panel.n_sets]
        error = sqrt(jackknife(weights @ won))
    if parts is None:
        return Ahead(int(won.sum()), panel.n_sets, error, None, None)
    zeta = apart.zeta(0)
    scale = panel.n_judges / panel.k
    fresh = parts.judges * scale if zeta is None or parts.moderated else float(zeta[-1])
    both = fresh + apart.texts_of_one_set(0) - parts.both * scale
    value = sign * parts.value
    chances = [chance_above(value, variance) for variance in (fresh, max(both, fresh))]
    judges, texts = (None if isnan(each) else each for each in chances)
    return Ahead(int(won.sum()), panel.n_sets, error, judges, None if isnan(both) else texts)
