"""Intervals over texts and judges by loops, as the formulas say: a second derivation that shares no code with errorbar.

Counts are those of sentences and judges (correct, proposed, gold); F0.5 chooses annotators as the official M2 scorer
does, in whole numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import comb, nan, sqrt

from scipy.stats import t as student

Counts = Sequence[Sequence[Sequence[int]]]
"""Of each sentence, of each judge: correct, proposed and gold edits."""
Scores = Mapping[tuple[int, ...], Sequence[float]]
"""Of each set of judges: on everything, then without each text."""


def f_half(counts: Counts, present: Sequence[Sequence[int]], units: Sequence[int], judges: Sequence[int]) -> float:
    """F0.5 against some judges, the best of whom is chosen sentence by sentence, totals so far counted in."""
    total = (0, 0, 0)
    looked = False
    for unit in units:
        best: tuple[tuple[int, int], tuple[int, int, int]] | None = None
        for judge in judges:
            if not present[unit][judge]:
                continue
            c, p, g = (int(a) + b for a, b in zip(counts[unit][judge], total, strict=True))
            weight = 4 * p + g
            ratio = (5 * c, weight) if weight else (int(c == 0), 1)
            if best is None:
                best = ratio, (c, p, g)
                continue
            new, old = ratio[0] * best[0][1], best[0][0] * ratio[1]
            _, (c_old, p_old, g_old) = best
            better = new > old or (new == old and (c > c_old or (c == c_old and weight < 4 * p_old + g_old)))
            best = (ratio, (c, p, g)) if better else best
        if best is not None:
            looked, total = True, best[1]
    if not looked:
        return nan
    precision, recall = (total[0] / total[1] if total[1] else 1.0), (total[0] / total[2] if total[2] else 1.0)
    return 1.25 * precision * recall / (0.25 * precision + recall) if precision + recall else 0.0


def scores(
    counts: Counts, present: Sequence[Sequence[int]], texts: Sequence[int], judges: Sequence[int], k: int
) -> Scores:
    """Every set of k judges, and of k - 1 where k is all of them."""
    sets = list(combinations(judges, k))
    if 1 < k == len(judges):
        sets += combinations(judges, k - 1)
    every = range(len(texts))
    left = [list(every), *([u for u in every if texts[u] != text] for text in sorted(set(texts)))]
    return {own: [f_half(counts, present, units, own) for units in left] for own in sets}


def minus(first: Scores, second: Scores) -> Scores:
    """Differences of two systems, set by set."""
    return {own: [a - b for a, b in zip(first[own], second[own], strict=True)] for own in first}


@dataclass(frozen=True)
class Plain:
    """U, its parts, and what the interval is made of."""

    value: float
    texts: float
    judges: float
    both: float
    n: int
    m: int

    def df(self, judges: float | None = None, judges_df: float | None = None) -> float:
        v_a = self.judges if judges is None else judges
        return (self.texts + v_a) ** 2 / (self.texts**2 / (self.n - 1) + v_a**2 / (judges_df or self.m - 1))

    def half_width(self, judges: float | None = None, judges_df: float | None = None) -> float:
        v_a = self.judges if judges is None else judges
        return float(student.ppf(0.975, self.df(judges, judges_df)) * sqrt(self.texts + v_a))

    def p_value(self) -> float:
        return float(2 * student.sf(abs(self.value) / sqrt(self.texts + self.judges), self.df()))

    def moderated(self, prior: float) -> float:
        return self.half_width((4 * prior + (self.m - 1) * self.judges) / (self.m + 3), self.m + 3)

    def components(self) -> tuple[float, float, float]:
        m, n = self.m, self.n
        return (
            max(0.0, m * (self.judges - self.both)),
            max(0.0, n * (self.texts - self.both)),
            max(0.0, n * m * self.both),
        )


def plain(found: Scores, judges: Sequence[int], k: int) -> Plain:
    """The two-way jackknife."""
    m = len(judges)
    full = [own for own in found if len(own) == k]
    n = len(found[full[0]]) - 1

    def without(judge: int) -> list[float]:
        kept = [own for own in found if judge not in own and (len(own) == k - 1 if k == m else len(own) == k)]
        return [_mean([found[own][e] for own in kept]) for e in range(n + 1)]

    u = [_mean([found[own][e] for own in full]) for e in range(n + 1)]
    rows = [without(judge) for judge in judges]
    texts = (n - 1) / n * _squares(u[1:])
    by_judge = (m - 1) / m * _squares([row[0] for row in rows])
    cells = [row[1:] for row in rows]
    grand = _mean([_mean(row) for row in cells])
    columns = [_mean([row[e] for row in cells]) for e in range(n)]
    rest = sum((row[e] - _mean(row) - columns[e] + grand) ** 2 for row in cells for e in range(n))
    return Plain(u[0], texts, by_judge, (m - 1) * (n - 1) / (m * n) * rest, n, m)


def zetas(found: Scores, k: int) -> list[float] | None:
    """zeta_1 to zeta_k; None where no two sets share nobody."""
    halves: dict[int, list[float]] = {}
    for first, second in combinations([own for own in found if len(own) == k], 2):
        halves.setdefault(len(set(first) & set(second)), []).append((found[first][0] - found[second][0]) ** 2 / 2)
    if 0 not in halves:
        return None
    fresh = _mean(halves[0])
    return [*(fresh - _mean(halves[c]) for c in range(1, k)), fresh]


def unbiased(zeta: Sequence[float], m: int) -> float:
    """Var U without bias."""
    k = len(zeta)
    return sum(comb(k, c) * comb(m - k, k - c) / comb(m, k) * variance for c, variance in enumerate(zeta, 1))


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _squares(values: Sequence[float]) -> float:
    return sum((value - _mean(values)) ** 2 for value in values)
