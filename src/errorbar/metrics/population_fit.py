"""The constants of a population of judges, fitted to a corpus that several of them annotated, and what they are worth.

Formula
    D_c is half the mean squared difference of scores against two sets of k judges that share c of them; zeta_k = D_0 is
    the variance over fresh sets. With 2k - 1 judges any two sets share one, and 2 D_1 - D_2 is taken: D is convex in c
    (Hoeffding 1948), so this is rather too large. With fewer zeta_k is not known.
    c_k is the geometric mean of zeta_k / F^2 over systems, for k = 1 its upper quartile: what is taken of a single
    judge, no data correct. The floor is half the geometric mean of zeta_2 (of zeta_1 where that is not known), so that
    no lucky or tiny score has a narrow interval. Squared points.
    Systems whose standard error over texts is above ``SMALL`` of their score against two judges take no part.
    Coverage: texts are redrawn with replacement, a set of k judges is drawn. A score is U + sum_e w_e I_e / n, where
    I_e = (n - 1) (U - U(-e)) is the influence of text e and w_e how often it was drawn; V_E is the sum of w_e (I_e -
    mean)^2 / (n (n - 1)), V_A the jackknife of the same with each judge left out. What a set adds to the mean over all
    sets is stretched to the variance zeta_k, since sets of a few of ten judges vary less than fresh ones. The interval
    is the one that scores and comparisons print; the truth is the mean over all sets.
Conventions
    Annotators are systems too, scored against the others. Beyond ``MOST_SETS`` sets of a size as many are drawn.
Source
    docs/measurements/judge-populations.md, where redrawn texts were also folded anew; Efron 1982, The Jackknife,
    chapter 6, for I_e.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats
from errorbar.core.estimate import Scale
from errorbar.metrics.base import Metric, Opaque, Selection
from errorbar.metrics.judge_sets import annotator_subsets, fold_without_each, values_of
from errorbar.metrics.populations import SQUARED_POINT, JudgeVariances
from errorbar.stats.resampling import stream, tails
from errorbar.stats.two_way import half_squares, moderated_variance

MOST_SETS = 300
"""Sets of one size that are scored against."""
SMALL = 0.08
"""Of a score: a standard error over texts above which a system is too small to show how judges vary."""
EXPONENT = 0.75
DF = 3.0
Judges = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class JudgedText:
    """A text, of a system or an annotator, scored against sets of judges who did not write it."""

    name: str
    author: int  # column of the annotator who wrote it, -1 for a system
    sets: Mapping[Judges, int] = field(repr=False)  # rows of the tables
    values: Floats = field(repr=False)  # shape (sets,)
    influence: Floats = field(repr=False)  # of each text of the corpus, mean 0; shape (sets, texts)
    _fresh: dict[int, FreshVariance | None] = field(default_factory=dict, repr=False)  # so far

    def fresh_variance(self, k: int) -> FreshVariance | None:
        """zeta_k as a fraction squared; None where too few judges are left."""
        if k not in self._fresh:
            self._fresh[k] = fresh_variance(self, None, k)
        return self._fresh[k]

    def size(self) -> float:
        """The standard error over texts as a share of the score, against two judges or as many as there are."""
        k = min(2, max(map(len, self.sets)))
        rows = [row for judges, row in self.sets.items() if len(judges) == k]
        n = self.influence.shape[1]
        error = np.sqrt(np.mean(self.influence[rows] ** 2) / (n - 1))
        mean = self.values[rows].mean()
        return float(error / mean) if mean > 0 else float("inf")


@dataclass(frozen=True, slots=True)
class FreshVariance:
    """How a score, or a difference, varies over fresh sets of k judges."""

    mean: float
    variance: float
    from_above: bool  # no two sets share nobody: an upper bound


def choose_sets(judges: Sequence[int], largest: int, seed: int = 0) -> list[Judges]:
    """All sets of one to so many judges, or drawn ones with the smaller sets that are inside them, by size."""
    every: dict[Judges, None] = {}
    for k in range(largest, 0, -1):
        subsets = annotator_subsets(len(judges), (k,), partial(stream, seed, "population"), most=MOST_SETS)
        own = [tuple(judges[i] for i in np.flatnonzero(mask).tolist()) for mask in subsets.masks]
        inside = [
            judges_of[:i] + judges_of[i + 1 :] for judges_of in every if len(judges_of) == k + 1 for i in range(k + 1)
        ]
        every |= dict.fromkeys(sorted({*own, *inside}))
    return sorted(every, key=lambda own: (len(own), own))


def judge_text(
    metric: Metric,
    statistics: Opaque,
    name: tuple[str, int],
    sets: Sequence[Judges],
    groups: NDArray[np.int64],
    n_annotators: int,
) -> list[JudgedText]:
    """Each measure of a text, its name and author given, against those of the sets that its author is not in."""
    own = [judges for judges in sets if name[1] not in judges]
    masks = np.zeros((len(own), n_annotators), np.uint8)
    for row, judges in enumerate(own):
        masks[row, list(judges)] = 1
    values = values_of(metric, statistics, Selection(annotators=masks))
    left_out = fold_without_each(metric, statistics, masks, groups)
    influence = (len(left_out) - 1) * (values - left_out)
    influence -= influence.mean(axis=0)
    rows = {judges: row for row, judges in enumerate(own)}
    return [
        JudgedText(*name, rows, values[:, k], np.ascontiguousarray(influence[:, :, k].T))
        for k in range(len(metric.measures))
    ]


def fresh_variance(first: JudgedText, second: JudgedText | None, k: int) -> FreshVariance | None:
    """zeta_k of a text, or of the difference of two against judges who wrote neither; None where it is not known."""
    sets = common_sets(first, second, k)
    if len(sets) < 2:
        return None
    values = _values(first, second, sets)
    halves = half_squares(values, _members(sets))
    mean = float(values.mean())
    if not np.isnan(halves[0]):
        return FreshVariance(mean, float(halves[0]), from_above=False)
    if k == 1 or np.isnan(halves[1]):
        return None
    return FreshVariance(mean, float(max(2 * halves[1] - halves[2], halves[1])), from_above=True)


def common_sets(first: JudgedText, second: JudgedText | None, k: int) -> list[Judges]:
    """Sets of k judges against whom both texts are scored."""
    return [judges for judges in first.sets if len(judges) == k and (second is None or judges in second.sets)]


def fit_constants(
    texts: Sequence[JudgedText],
    largest: int,
    *,
    floor: float | None,
    exponent: float,
    df: float,
    named: tuple[str, str],
) -> JudgeVariances | None:
    """The constants of a measure, named by metric and measure, of texts that are large enough; None where none is."""
    constants: dict[int, float] = {}
    variances: dict[int, list[float]] = {}
    for k in range(1, largest + 1):
        known = [text.fresh_variance(k) for text in texts]
        shares = [fresh.variance / fresh.mean**2 for fresh in known if fresh is not None and fresh.variance > 0]
        variances[k] = [fresh.variance for fresh in known if fresh is not None]
        if shares:
            central = np.quantile(shares, 0.75) if k == 1 else np.exp(np.mean(np.log(shares)))
            constants[k] = _round_digits(float(central) / SQUARED_POINT)
    if not constants:
        return None
    if floor is None:
        usual = float(np.exp(np.mean(np.log(np.maximum(variances.get(2) or variances[1], 1e-12))))) / SQUARED_POINT
        floor = max(float(f"{usual / 2:.1g}"), 1e-9)
    return JudgeVariances(*named, constants, floor, exponent, df)


def fit_slope(texts: Sequence[JudgedText], largest: int) -> float | None:
    """The exponent that these texts alone would give: slope of log(zeta_D / (zeta_A + zeta_B)) in log r, within k."""
    points: list[Floats] = []
    for k in range(1, largest + 1):
        own = []
        for a, b in combinations(texts, 2):
            apart, alone = fresh_variance(a, b, k), [text.fresh_variance(k) for text in (a, b)]
            if apart is None or alone[0] is None or alone[1] is None or apart.variance <= 0:
                continue
            of_each, of_both = (_mean_over_texts(text, other, k) for text, other in ((a, None), (a, b)))
            ratio = of_both / (of_each + _mean_over_texts(b, None, k)) if of_both > 0 else 0.0
            if ratio <= 0 or alone[0].variance + alone[1].variance <= 0:
                continue
            own.append((np.log(ratio), np.log(apart.variance / (alone[0].variance + alone[1].variance))))
        if len(own) > 2:
            points.append(np.array(own) - np.mean(own, axis=0))
    if not points:
        return None
    x, y = np.concatenate(points).T
    return float(x @ y / (x @ x)) if x @ x > 0 else None


@dataclass(frozen=True, slots=True)
class Draws:
    """Texts redrawn and sets of k judges drawn for one text, or the difference of two."""

    names: tuple[str, ...]
    n_texts: int
    truth: float
    values: Floats  # shape (draws,)
    scores: tuple[Floats, ...]  # of the text, or of both; shape (draws,) each
    over_texts: tuple[Floats, ...]  # V_E of the value, then of both texts if it is a difference
    over_judges: Floats  # V_A


@dataclass(frozen=True, slots=True)
class Coverage:
    """How often the interval of a text, or of the difference of two, holds the truth."""

    names: tuple[str, ...]
    k: int
    holds: float  # share of the intervals that are given
    half_width: float  # the median
    given: float  # share of draws that have an interval


class CoverageSimulation:
    """Draws that are the same for every text: what each text and each set comes to is summed up once."""

    def __init__(self, texts: Sequence[JudgedText], n_draws: int, seed: int = 0) -> None:
        self._n = texts[0].influence.shape[1]
        rng = stream(seed, "coverage")
        self._weights = rng.multinomial(self._n, np.full(self._n, 1 / self._n), n_draws).astype(np.float64)
        self._places = rng.random(n_draws)
        self._redrawn = {id(text): text.values + self._weights @ text.influence.T / self._n for text in texts}

    def draw(self, first: JudgedText, second: JudgedText | None, k: int) -> Draws | None:
        """Redrawn values of a text, or of a difference; None where their variance over judges is not known."""
        fresh = fresh_variance(first, second, k)
        alone = [first.fresh_variance(k), None if second is None else second.fresh_variance(k)]
        if fresh is None or alone[0] is None or (second is not None and alone[1] is None):
            return None
        sets = common_sets(first, second, k)
        picks = (self._places * len(sets)).astype(np.int64)
        texts = [first] if second is None else [first, second]
        scores: list[Floats] = []
        influences: list[Floats] = []
        over_texts: tuple[Floats, ...]
        for text, own in zip(texts, alone, strict=False):
            rows = np.array([text.sets[judges] for judges in sets])
            scores.append(
                self._at(text, sets, picks) + _stretch(text.values[rows], own.variance if own else 0.0)[picks]
            )
            influences.append(text.influence[rows[picks]])
        if second is None:
            values, over_texts = scores[0], (self._over_texts(influences[0]),)
        else:
            values = self._at(first, sets, picks) - self._at(second, sets, picks)
            values = values + _stretch(_values(first, second, sets), fresh.variance)[picks]
            apart = influences[0] - influences[1]
            over_texts = tuple(self._over_texts(influence) for influence in (apart, *influences))
        names = tuple(text.name for text in texts)
        over_judges = self._over_judges(first, second, sets, picks)
        return Draws(names, self._n, fresh.mean, values, tuple(scores), over_texts, over_judges)

    def _at(self, text: JudgedText, sets: Sequence[Judges], picks: NDArray[np.int64]) -> Floats:
        """Redrawn values against the set of each draw."""
        rows = np.array([text.sets[judges] for judges in sets])[picks]
        return np.asarray(self._redrawn[id(text)][np.arange(len(picks)), rows], np.float64)

    def _over_texts(self, influence: Floats) -> Floats:
        mean = (self._weights * influence).sum(axis=1, keepdims=True) / self._n
        squares = (self._weights * (influence - mean) ** 2).sum(axis=1)
        return np.asarray(squares / (self._n * (self._n - 1)), np.float64)

    def _over_judges(
        self, first: JudgedText, second: JudgedText | None, sets: Sequence[Judges], picks: NDArray[np.int64]
    ) -> Floats:
        """V_A by the jackknife: 0 for one judge."""
        k = len(sets[0])
        if k == 1:
            return np.zeros(len(picks))
        without = []
        for i in range(k):
            smaller = [judges[:i] + judges[i + 1 :] for judges in sets]
            values = self._at(first, smaller, picks)
            without.append(values if second is None else values - self._at(second, smaller, picks))
        table = np.stack(without)
        return np.asarray((k - 1) / k * ((table - table.mean(axis=0)) ** 2).sum(axis=0), np.float64)


def cover(draws: Draws, known: JudgeVariances | None, k: int, level: float, scale: Scale) -> Coverage:
    """How often intervals hold the truth; ``known`` None: of V_A as it is, with k - 1 degrees of freedom."""
    over_judges, df = draws.over_judges, max(1.0, k - 1.0)
    if known is not None:
        spread = np.sum([known.of_score(score, k, k) for score in draws.scores], axis=0)
        if len(draws.scores) > 1:
            apart, first, second = draws.over_texts
            spread = spread * np.minimum(1.0, apart / np.maximum(first + second, 1e-300)) ** known.exponent
        over_judges, df = moderated_variance(over_judges, k - 1, spread, known.df), known.df + k - 1
    half = _half_widths(draws.over_texts[0], draws.n_texts - 1, over_judges, df, level)
    if len(draws.scores) > 1:
        return Coverage(
            draws.names, k, float(np.mean(np.abs(draws.values - draws.truth) <= half)), float(np.median(half)), 1.0
        )
    holds, widths = [], []
    for value, own in zip(draws.values.tolist(), half.tolist(), strict=True):
        ends = scale.ends(value, own) if scale.low < value < scale.high else None
        if ends is not None and not scale.says_little(*ends):
            holds.append(ends[0] <= draws.truth <= ends[1])
            widths.append((ends[1] - ends[0]) / 2)
    if not holds:
        return Coverage(draws.names, k, float("nan"), float("nan"), 0.0)
    return Coverage(draws.names, k, float(np.mean(holds)), float(np.median(widths)), len(holds) / len(half))


def _half_widths(over_texts: Floats, df_texts: float, over_judges: Floats, df_judges: float, level: float) -> Floats:
    """Half-widths of t intervals, as ``t_half_width`` makes one."""
    from scipy.special import stdtrit  # noqa: PLC0415 - scipy takes its time

    variance = over_texts + over_judges
    below = over_texts**2 / df_texts + over_judges**2 / df_judges
    df = np.divide(variance**2, below, out=np.full(len(variance), float(df_texts)), where=below > 0)
    return np.asarray(stdtrit(df, tails(level)[1]) * np.sqrt(variance), np.float64)


def _stretch(values: Floats, variance: float) -> Floats:
    """The terms, one added to each value against all sets, that give them the variance over fresh ones."""
    apart = values - values.mean()
    own = float(np.mean(apart**2))
    return np.asarray((np.sqrt(variance / own) - 1) * apart if own > 0 else apart, np.float64)


def _values(first: JudgedText, second: JudgedText | None, sets: Sequence[Judges]) -> Floats:
    values = first.values[[first.sets[judges] for judges in sets]]
    if second is not None:
        values = values - second.values[[second.sets[judges] for judges in sets]]
    return np.asarray(values, np.float64)


def _members(sets: Sequence[Judges]) -> NDArray[np.uint8]:
    members = np.array(sets)
    masks = np.zeros((len(sets), 1 + int(members.max())), np.uint8)
    masks[np.arange(len(sets))[:, None], members] = 1
    return masks


def _mean_over_texts(first: JudgedText, second: JudgedText | None, k: int) -> float:
    """The mean variance over texts of a score, or of a difference, against sets of k judges."""
    sets = common_sets(first, second, k)
    influence = first.influence[[first.sets[judges] for judges in sets]]
    if second is not None:
        influence = influence - second.influence[[second.sets[judges] for judges in sets]]
    return float(np.mean(influence**2))


def _round_digits(value: float) -> float:
    """Three digits from 10 on, two below."""
    return float(f"{value:.3g}" if value >= 10 else f"{value:.2g}")
