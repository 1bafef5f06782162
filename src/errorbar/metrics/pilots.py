"""Forecasts, from judgments at hand, of the intervals that other texts and judges will give, and how far to trust them.

Formula
    Variances are those of errorbar.stats.two_way. Of the score against k judges, its value, V_E, V_A and V_EA are
    those against sets of k of the judges at hand. Of more judges than there are the value is that against all of them,
    and V_E falls as if it were the mean over sets, which came closer than V_E as it is (docs/judges.md).
Conventions
    The score that is planned for is the one that ``score`` gives: against all judges of a design, or against k of them
    where a k is asked for. Where the population is not known of k judges, the V_A to expect is that of the k at hand.
Source
    docs/judges.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations, repeat
from math import comb, inf, isfinite, log, sqrt

import numpy as np
from numpy.typing import NDArray

from errorbar.core.estimate import Undefined
from errorbar.metrics.base import Metric, Opaque
from errorbar.metrics.judge_sets import GROUPS, MOST_TEXTS, JudgeCoverage, JudgedValues, make_panel
from errorbar.metrics.judges import JudgePlan
from errorbar.metrics.over_judges import only
from errorbar.metrics.populations import JudgeVariances
from errorbar.stats.resampling import cluster_members, stream
from errorbar.stats.two_way import HIGH, LOW, Components, PlannedInterval, TwoWay, VariancePrior, moderated_variance

MOST_SETS = 120
"""Sets of judges of one size that a plan looks at."""


@dataclass(frozen=True, slots=True)
class JudgeAim:
    """The aim of a plan: the main measure of a metric, over judges drawn anew."""

    metric: Metric
    judges: JudgePlan

    def variances(self, k: int) -> JudgeVariances | None:
        """How the measure varies over sets of k judges of the population."""
        return self.judges.variances(self.metric, k)

    def find_constants(self, n_judges: int) -> JudgeVariances | None:
        """The variances that the interval against so many judges will lean on."""
        return self.judges.rule(self.metric, n_judges).variances(self.metric.measures[self.metric.main])

    def values(self, statistics: Sequence[Opaque], judging: JudgeCoverage, k: int, seed: int) -> list[JudgedValues]:
        """The measure of every system against sets of k of the judges at hand."""
        n_annotators = judging.panel.masks.shape[1]
        against = judging._replace(panel=make_panel(judging.judges, n_annotators, k, seed, MOST_SETS))
        return [only(against.values(self.metric, system), self.metric.main) for system in statistics]


@dataclass(frozen=True, slots=True)
class PilotScore:
    """How a score, or a difference of two, varies in the judgments at hand, against sets of k judges."""

    k: int
    n_texts: int  # or groups of them that were left out
    parts: TwoWay  # as it is printed
    components: Components
    systems: Sequence[tuple[float, float]]  # score and V_E of the one, or of both

    @classmethod
    def of(cls, aim: JudgeAim, systems: Sequence[JudgedValues], judging: JudgeCoverage) -> PilotScore | Undefined:
        """Those of a score, or of the difference of two systems; or why they are not known."""
        values = systems[0] if len(systems) == 1 else systems[0] - systems[1]
        k, m = values.panel.k, values.panel.n_judges
        scores = [(float(system.means(0)[0, 0]), system.over_texts(0)) for system in systems]
        known = replace(aim, judges=aim.judges._replace(k=k)).find_constants(m)
        prior = (
            None if known is None else VariancePrior(_variance(known, (k, m), scores, values.over_texts(0)), known.df)
        )
        parts = values.components(0, prior)
        if isinstance(parts, Undefined):
            return parts
        components = Components.of(parts._replace(judges=values.over_judges(0)), judging.n_texts)
        return cls(k, judging.n_left_out, parts, components, scores)

    def plan(self, aim: JudgeAim, n_texts: float, n_judges: int) -> PlannedInterval:
        """The interval to expect from so many other texts and judges."""
        own, fixed = self.parts.n_judges, aim.judges.k is not None
        k, m = (aim.judges.k or n_judges), (n_judges if fixed else self.k)
        texts, judges = self.components.over_texts(n_texts, n_judges), self.components.over_judges(n_texts, m)
        df, spread = own - 1.0, 0.0
        here, there, printed = aim.variances(self.k), aim.variances(k), aim.find_constants(n_judges)
        if here is not None:
            shown = self.components.over_judges(n_texts, own) / self._variance(here, (self.k, own))
            ratio = moderated_variance(shown, df, 1.0, here.df)
            known, sets = (here, (self.k, m)) if there is None else (there, (k, n_judges))
            judges, df = ratio * self._variance(known, sets), df + here.df
            high, low = (self._variance(known, sets, move) for move in (1.0, -1.0))
            spread = log(high / low) / 2
        prior = None if printed is None else VariancePrior(self._variance(printed, (k, n_judges)), printed.df)
        left_out = n_texts if n_texts <= MOST_TEXTS else GROUPS
        pilot = self.n_texts - 1.0, df
        follows = 0.0 if printed is None or len(self.systems) == 1 else printed.exponent
        return PlannedInterval(self.parts.value, texts, judges, left_out, n_judges, *pilot, prior, follows, spread)

    def _variance(self, known: JudgeVariances, sets: tuple[int, int], move: float = 0.0) -> float:
        """The population's; ``move``: with scores so many standard errors of a second corpus higher."""
        scores = self.systems
        if move:
            errors = [sqrt(2 * (texts + known.of_score(value, *sets))) for value, texts in scores]
            scores = [
                (max(0.0, value + move * error), texts) for (value, texts), error in zip(scores, errors, strict=True)
            ]
        return _variance(known, sets, scores, self.parts.texts)


def _variance(
    known: JudgeVariances, sets: tuple[int, int], scores: Sequence[tuple[float, float]], over_texts: float
) -> float:
    """The population's variance of a score, or of the difference of two, over sets of k of so many judges."""
    variances = [known.of_score(value, *sets) for value, _ in scores]
    if len(variances) == 1:
        return variances[0]
    return known.of_difference(variances[0], variances[1], (scores[0][1], scores[1][1], over_texts))


@dataclass(frozen=True, slots=True)
class Pilot:
    """The half-widths with all texts and judges that pilots of one size would have planned.

    A pilot that could plan nothing counts as wider than any other; None: so many could not.
    """

    n_texts: int
    n_judges: int
    k: int  # judges that scores are against
    low: float | None  # the 10% quantile
    median: float | None
    high: float | None  # the 90% quantile
    n_pilots: int  # that could plan anything
    whole: float | None  # as all texts and judges plan it


def pilots(
    aim: JudgeAim,
    statistics: Opaque,
    whole: JudgeCoverage,
    clusters: NDArray[np.int64],
    designs: Sequence[tuple[int, int]],
    level: float,
    draws: tuple[int, int],
) -> list[Pilot]:
    """The half-widths that pilots of some designs (texts, judges) would plan for the whole.

    Scores are against as many judges as a pilot has, or against k of them where a k is asked for. ``draws``: how many
    of a design, from which seed; where there are no more sets of judges, each is taken once.
    """
    members, number, metric = cluster_members(clusters), draws[0], aim.metric
    scale = metric.measures[metric.main].scale

    def half_width(own: JudgeAim, judged: Opaque, judging: JudgeCoverage, k: int) -> float | None:
        score = PilotScore.of(own, own.values([judged], judging, k, draws[1]), judging)
        if isinstance(score, Undefined):
            return None
        return score.plan(own, len(members), len(whole.judges)).half_width(level, scale)

    rows = []
    for n, m in designs:
        rng = stream(draws[1], "pilots", n, m)
        own = replace(aim, judges=aim.judges._replace(k=aim.judges.k or m))
        k = own.judges.k or m
        several = n == len(members) and comb(len(whole.judges), m) <= number
        sets = [*combinations(whole.judges, m)] if several else repeat((), number)
        planned = []
        for drawn in sets:
            judges = drawn or tuple(sorted(rng.choice(whole.judges, m, replace=False).tolist()))
            texts = np.sort(rng.choice(len(members), n, replace=False))
            units = np.concatenate([members[t] for t in texts])
            groups = np.concatenate([np.full(len(members[t]), t) for t in texts])
            judging = JudgeCoverage(groups, whole.panel, n, judges, (n,) * m, n)
            planned.append(half_width(own, statistics.take(units), judging, k))
        known = [half for half in planned if half is not None]
        if known:
            halves = known + [inf] * (len(planned) - len(known))
            last = np.quantile(halves, [LOW, 0.5, HIGH], method="higher").tolist()  # the widest that has a weight
            between = np.quantile(np.minimum(halves, max(known)), [LOW, 0.5, HIGH]).tolist()
            low, median, high = (half if isfinite(end) else None for half, end in zip(between, last, strict=True))
            rows.append(Pilot(n, m, k, low, median, high, len(known), half_width(own, statistics, whole, k)))
    return rows
