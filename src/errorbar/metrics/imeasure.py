"""I-measure: how much a system improves the text, as a share of what could be improved; below 0 it harms.

Formula
    Source, output and reference of a sentence are aligned in columns of three tokens or gaps, such that the sum over
    the pairs of each column is smallest: 0 for what is alike, 3 for two tokens, 2 for a token and a gap. Columns are
    TN (all alike), FP (only the output differs), FN (only the reference differs from the other two), TP (output and
    reference alike, the source not) and FPN (all unlike). Over the sentences of a corpus, with a weight w,
    WAcc = (w TP + TN) / (w (TP + FP) + TN + FN + FPN (w + 1) / 2), and of the source left as it is
    WAcc₀ = (TN + FP) / (TN + FP + FN + TP + FPN).
    I = (WAcc - WAcc₀) / (1 - WAcc₀) if WAcc > WAcc₀, WAcc / WAcc₀ - 1 if it is less, else 0, or 1 where both are 1.
Conventions
    A sentence counts with the reference of its largest WAcc; ties go to the larger I, to the larger share of TP and TN,
    to the larger WAcc and I of detection (where FPN is TP), then to the first annotator. Of alignments that cost as
    little, the one that, from the end of the sentence, has no gap as long as it can, then one in the reference, the
    output, the source, then two. Corrections of several annotators are not mixed (``-nomix`` of the program).
    References are the annotators' texts: the source with the first alternative of each edit applied.
Source
    Felice & Briscoe 2015, "Towards a standard evaluation method for grammatical error detection and correction", NAACL;
    ties of alignments and references are those of the authors' program, which the tests compare with count by count.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from heapq import heappop, heappush
from typing import ClassVar

import numpy as np

from errorbar.core.arrays import Floats, divide
from errorbar.core.spec import Parameter, Value
from errorbar.metrics.additive import ReferenceTexts
from errorbar.metrics.base import Measure

GAP, MISMATCH = 2, 3
MOST_WEIGHT = 1000.0
COLUMNS = ("tp", "tn", "fp", "fn", "fpn")
Column = tuple[str | None, str | None, str | None]
Place = tuple[int, int, int]
"""How many tokens of each text are behind."""
_MOVES: Sequence[Place] = ((1, 1, 1), (1, 1, 0), (1, 0, 1), (0, 1, 1), (1, 0, 0), (0, 1, 0), (0, 0, 1))
"""Texts that a column takes a token of; of equal cost the first is taken."""


def align_three(source: Sequence[str], output: Sequence[str], reference: Sequence[str]) -> list[Column]:
    """The columns of the cheapest alignment of three texts; None is a gap."""
    if source == output:
        return [(one, one, other) for one, other in align_two(source, reference)]
    if source == reference:
        return [(one, other, one) for one, other in align_two(source, output)]
    texts = source, output, reference
    at, costs = (len(source), len(output), len(reference)), _find_costs(texts)
    columns: list[Column] = []
    while any(at):
        for move in _MOVES:
            back = at[0] - move[0], at[1] - move[1], at[2] - move[2]
            if back in costs and costs[back] + _column_cost(texts, back, move) == costs[at]:
                columns.append(_column(texts, back, move))
                at = back
                break
    return columns[::-1]


def _find_costs(texts: tuple[Sequence[str], Sequence[str], Sequence[str]]) -> dict[Place, int]:
    """The least cost of aligning the beginnings of three texts, exact at every place that a cheapest alignment passes.

    Best-first search (A*): the rest of an alignment costs at least as much as the rests of the three pairs alone, so
    that of texts which are nearly alike few places are looked at. Source: Carrillo & Lipman 1988.
    """
    s, h, r = map(len, texts)
    sh, sr, hr = (cost_table(texts[one][::-1], texts[other][::-1]) for one, other in ((0, 1), (0, 2), (1, 2)))
    costs: dict[Place, int] = {(0, 0, 0): 0}
    waiting: list[tuple[int, Place]] = [(sh[s][h] + sr[s][r] + hr[h][r], (0, 0, 0))]
    done: set[Place] = set()
    least: int | None = None
    while waiting:
        bound, at = heappop(waiting)
        if least is not None and bound > least:
            break
        if at in done:
            continue
        done.add(at)
        if at == (s, h, r):
            least = bound
        for move in _MOVES:
            i, j, k = place = at[0] + move[0], at[1] + move[1], at[2] + move[2]
            if i > s or j > h or k > r:
                continue
            cost = costs[at] + _column_cost(texts, at, move)
            if cost < costs.get(place, cost + 1):
                costs[place] = cost
                heappush(waiting, (cost + sh[s - i][h - j] + sr[s - i][r - k] + hr[h - j][r - k], place))
    return costs


def _column(texts: Sequence[Sequence[str]], at: Place, move: Place) -> Column:
    """The tokens of the texts that a move takes."""
    s, h, r = (text[place] if step else None for text, place, step in zip(texts, at, move, strict=True))
    return s, h, r


def _column_cost(texts: Sequence[Sequence[str]], at: Place, move: Place) -> int:
    """The cost over the three pairs of a column; two gaps cost nothing."""
    if (n := sum(move)) == 1:
        return 2 * GAP
    tokens = [token for token in _column(texts, at, move) if token is not None]
    if n == 2:
        return 2 * GAP + MISMATCH * (tokens[0] != tokens[1])
    return MISMATCH * ((tokens[0] != tokens[1]) + (tokens[0] != tokens[2]) + (tokens[1] != tokens[2]))


def cost_table(first: Sequence[str], second: Sequence[str]) -> list[list[int]]:
    """The least cost of aligning the beginnings of two texts; shape (tokens of the first + 1, of the second + 1)."""
    table = [[GAP * j for j in range(len(second) + 1)]]
    for i, one in enumerate(first, 1):
        above, left = table[-1], GAP * i
        row = [left]
        for j, other in enumerate(second):
            cost = above[j] if one == other else above[j] + MISMATCH
            left = min(cost, left + GAP, above[j + 1] + GAP)
            row.append(left)
        table.append(row)
    return table


def align_two(first: Sequence[str], second: Sequence[str]) -> Iterator[tuple[str | None, str | None]]:
    """The cheapest alignment of two texts; of equal ones that which, from the end, has no gap as long as it can."""
    table = cost_table(first, second)
    i, j = len(first), len(second)
    pairs: list[tuple[str | None, str | None]] = []
    while i or j:
        if i and j and table[i][j] == table[i - 1][j - 1] + MISMATCH * (first[i - 1] != second[j - 1]):
            i, j = i - 1, j - 1
            pairs.append((first[i], second[j]))
        elif i and table[i][j] == table[i - 1][j] + GAP:
            i -= 1
            pairs.append((first[i], None))
        else:
            j -= 1
            pairs.append((None, second[j]))
    return reversed(pairs)


def _check_weight(value: Value) -> str:
    expected = f"a number from 1 to {MOST_WEIGHT:g}"
    return "" if isinstance(value, float) and 1 <= value <= MOST_WEIGHT else expected


@dataclass(frozen=True, slots=True)
class IMeasure(ReferenceTexts):
    """The metric.

    Attributes:
        weight: How many tokens left alone a changed token weighs.
        only: Score against this annotator's text alone.
    """

    name: ClassVar[str] = "imeasure"
    summary: ClassVar[str] = "I-measure: improvement of weighted accuracy over the source left as it is"
    parameters: ClassVar[tuple[Parameter, ...]] = (
        Parameter("weight", float, 2.0, "How many tokens left alone a changed token weighs.", _check_weight),
        Parameter("only", str, "", "Score against this annotator's text alone."),
    )
    fold_only: ClassVar[frozenset[str]] = frozenset({"weight", "only"})
    counted: ClassVar[tuple[str, ...]] = COLUMNS
    measures: ClassVar[tuple[Measure, ...]] = (Measure("wacc", "WAcc"), Measure("i", "I", bounds=(-1.0, 1.0)))

    weight: float = 2.0
    only: str = ""

    def compare(self, source: str, reference: str, output: str) -> Sequence[float]:
        """Columns of each kind."""
        kinds = Counter(
            ("tn" if r == s else "fn") if h == s else "fp" if r == s else "tp" if h == r else "fpn"
            for s, h, r in align_three(source.split(), output.split(), reference.split())
        )
        return [kinds[kind] for kind in COLUMNS]

    def costs(self, counts: Floats) -> Sequence[Floats]:
        """The loss of WAcc, then of what its ties go by."""
        tp, tn, fp, fn, fpn = np.moveaxis(np.asarray(counts, np.float64), -1, 0)
        alike = divide(tp + tn, tp + tn + fp + fn + fpn)
        detection = self.rate(np.stack([tp + fpn, tn, fp, fn, np.zeros_like(fpn)], axis=-1))
        wacc, i = np.moveaxis(self.rate(counts), -1, 0)
        keys = wacc, i, alike, detection[..., 0], detection[..., 1]
        return [-np.nan_to_num(key) for key in keys]

    def rate(self, sums: Floats) -> Floats:
        """WAcc and I."""
        tp, tn, fp, fn, fpn = np.moveaxis(np.asarray(sums, np.float64), -1, 0)
        w = self.weight
        reached = divide(w * tp + tn, w * (tp + fp) + tn + fn + fpn * (w + 1) / 2)
        source = divide(tn + fp, tn + fp + fn + tp + fpn)
        with np.errstate(divide="ignore", invalid="ignore"):
            gain = np.where(reached > source, (reached - source) / (1 - source), reached / source - 1)
        i = np.where(reached == source, np.floor(reached), gain)
        return np.stack([reached, i], axis=-1)
