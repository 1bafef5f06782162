"""Gamma: agreement on spans that are first aligned as well as they can be (Mathet, Widlöcher and Métivier 2015).

Formula
    An alignment puts every span of a text into a tuple of at most one span of each of its n annotators. The disorder of
    a tuple is the mean over its C(n, 2) pairs of annotators of d = ((|s - s'| + |e - e'|) / (l + l'))² + [c ≠ c'], with
    starts s, ends e, lengths l and types c of two spans; 1 where one of the two has no span in the tuple. The best
    alignment has the least sum of disorders. δ_o is that sum over all texts, divided by the spans that an annotator has
    on average; δ_e the same of annotations put together at random; γ = 1 - δ_o / δ_e.
Conventions
    The best alignment is exact: an assignment problem for two annotators, a set partition for more. Chance: n copies
    of all texts in a row, each with what one annotator of a text drawn at random marked there, turned against each
    other by random numbers of places at least half a mean span apart; as many draws as bring the standard error
    of δ_e to ``PRECISION``, or ``MOST_SPANS``. A text of one annotator is left out; with numbers of annotators that
    differ, δ_e is made for each. In a resample, a tuple of chance weighs the product of how often the texts occur that
    lie over each other there, so that δ_e varies as over new texts. Undefined without a span.
    Spans of many annotators can be too close to each other for an exact alignment (``MOST_TUPLES``). Gamma of pairs is
    there for them: δ_o of a text is the mean over its pairs of annotators, δ_e that of two. It is not the gamma of all
    annotators at once, but asks the same of each two of them.
Source
    Mathet, Widlöcher and Métivier 2015, Computational Linguistics 41(3), sections 4 and 5. Random annotations are
    made as there, in section 5.2, from all texts in place of one.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, chain, combinations, pairwise
from math import comb, sqrt
from operator import add

import numpy as np

from errorbar.agreement.coefficients import Kernel, ratio
from errorbar.core.arrays import Floats, Ints
from errorbar.core.problems import Problem, UsageError
from errorbar.core.spans import Span, SpannedText

Slotted = tuple[int, Span]
"""A span and the number of its annotator."""
Aligned = tuple[float, tuple[int, ...]]
"""A disorder, and the numbers of the spans that it is of."""
PRECISION = 0.005
FEWEST_DRAWS = 5
MOST_DRAWS = 300
MOST_SPANS = 40_000
"""Spans in all draws together; the draw that reaches it is the last, but for the fewest."""
MOST_TUPLES = 50_000
"""Tuples that spans close to each other can be put in, of which the best are chosen."""
MOST_WAYS = 20_000
"""Sets of spans left over that are followed up before a solver is asked."""


def dissimilarity(first: Span, second: Span) -> float:
    """The dissimilarity of two spans: 0 where they are the same."""
    apart = abs(first.start - second.start) + abs(first.end - second.end)
    return (apart / (first.end - first.start + second.end - second.start)) ** 2 + (first.type != second.type)


def best_alignment(spans: Sequence[Slotted], n_annotators: int) -> list[Aligned]:
    """The alignment of least disorder.

    Args:
        spans: Those of all annotators, in any order.
        n_annotators: How many looked, with spans or without.

    Returns:
        Tuples with their disorders; numbers of spans as in ``spans``.

    Raises:
        UsageError: If too many spans lie too close to each other.
    """
    aligned: list[Aligned] = []
    for part in _components(spans, n_annotators):
        origin = min(spans[at][1].start for at in part)
        local = tuple(
            (slot, Span(span.start - origin, span.end - origin, span.type)) for slot, span in (spans[at] for at in part)
        )
        aligned += [(disorder, tuple(part[at] for at in chosen)) for disorder, chosen in _align(local, n_annotators)]
    return aligned


def _components(spans: Sequence[Slotted], n: int) -> list[list[int]]:
    """Numbers of spans that may share a tuple, directly or by others in between."""
    # Beside k - 1 others, a span whose distances to them sum up to C(n, 2) + k - 1 or more is better left alone.
    limit = comb(n, 2) + n - 1
    reach = sqrt(limit)
    order = sorted(range(len(spans)), key=lambda at: spans[at][1])
    longest = max((span.end - span.start for _, span in spans), default=0)
    leader = list(range(len(spans)))

    def lead(at: int) -> int:
        while leader[at] != at:
            leader[at] = leader[leader[at]]
            at = leader[at]
        return at

    for rank, at in enumerate(order):
        slot, span = spans[at]
        far = span.start + reach * (span.end - span.start + longest)
        for later in range(rank + 1, len(order)):
            other_slot, other = spans[order[later]]
            if other.start > far:
                break
            if other_slot != slot and dissimilarity(span, other) < limit:
                leader[lead(order[later])] = lead(at)
    parts: dict[int, list[int]] = {}
    for at in order:
        parts.setdefault(lead(at), []).append(at)
    return [*parts.values()]


@lru_cache(maxsize=1 << 16)
def _align(spans: tuple[Slotted, ...], n: int) -> tuple[Aligned, ...]:
    """The best alignment of a component; spans of few places lie in few ways, so that most were aligned before."""
    if len(spans) == 1:
        return ((1.0, (0,)),)
    if n == 2:
        return _assign(spans)
    tuples = _useful_tuples(spans, n)
    return _partition(tuples, len(spans)) or _solve(tuples, len(spans))


def _assign(spans: tuple[Slotted, ...]) -> tuple[Aligned, ...]:
    """The best alignment of two annotators: pairs that save most of the 2 that both cost alone."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - loading it takes a while

    first, second = (
        [at for at, (slot, _) in enumerate(spans) if (slot == spans[0][0]) is side] for side in (True, False)
    )
    cost = np.array([[dissimilarity(spans[a][1], spans[b][1]) for b in second] for a in first])
    rows, columns = linear_sum_assignment(np.minimum(cost - 2, 0))
    pairs = [(float(cost[i, j]), (first[i], second[j])) for i, j in zip(rows, columns, strict=True) if cost[i, j] < 2]
    paired = {at for _, pair in pairs for at in pair}
    return (*pairs, *((1.0, (at,)) for at in range(len(spans)) if at not in paired))


def _useful_tuples(spans: tuple[Slotted, ...], n: int) -> list[Aligned]:
    """Every tuple that a best alignment could have: from each of its spans, the others are near enough."""
    pairs = comb(n, 2)
    apart = [[dissimilarity(a, b) for _, b in spans] for _, a in spans]
    most = pairs + n - 1
    tuples: list[Aligned] = []

    def extend(chosen: tuple[int, ...], sums: tuple[float, ...], others: list[int]) -> None:
        """Take a tuple, and each that is longer by one of the spans that are near to all of it."""
        k = len(chosen)
        if k and all(total < pairs + k - 1 for total in sums):
            tuples.append(((sum(sums) / 2 + pairs - comb(k, 2)) / pairs, chosen))
            if len(tuples) > MOST_TUPLES:
                message = f"more than {MOST_TUPLES:,} ways to align {len(spans)} spans of {n} annotators"
                raise UsageError(Problem("spans-alignment", message))
        for place, at in enumerate(others):
            distances = apart[at]
            more = [distances[other] for other in chosen]
            longer = (*map(add, sums, more), sum(more))
            if max(longer) < most:
                slot = spans[at][0]
                near = [at for at in others[place + 1 :] if spans[at][0] != slot and distances[at] < most]
                extend((*chosen, at), longer, near)

    extend((), (), [*range(len(spans))])
    return tuples


def _partition(tuples: Sequence[Aligned], n_spans: int) -> tuple[Aligned, ...] | None:
    """The partition of least disorder, tuples put in by their first spans; None: too many ways to go on.

    Spans are in order, and tuples reach a little way: few sets of spans are ever left over beyond the first one left.
    """
    by_first: list[list[tuple[float, int, Aligned]]] = [[] for _ in range(n_spans)]
    least = [1.0] * n_spans  # share of a span in any tuple, at least
    for disorder, chosen in tuples:
        by_first[min(chosen)].append((disorder, sum(1 << at for at in chosen), (disorder, chosen)))
        for at in chosen:
            least[at] = min(least[at], disorder / len(chosen))
    most = _greedy_disorder(tuples) + 1e-9
    # Covered spans to the least disorder of covering them, the least that must be added, and how.
    ways: list[dict[int, tuple[float, float, tuple[int, Aligned]]]] = [{} for _ in range(n_spans + 1)]
    ways[0][0] = (0.0, sum(least), (0, (0.0, ())))
    n_ways = 0
    for first in range(n_spans):
        for covered, (disorder, rest, _) in ways[first].items():
            for more, mask, aligned in by_first[first]:
                if mask & covered:
                    continue
                total, left = disorder + more, rest - sum(least[at] for at in aligned[1])
                if total + left > most:
                    continue
                both = covered | mask
                after = (~both & (both + 1)).bit_length() - 1  # the first span left
                known = ways[after].get(both)
                if known is None or total < known[0]:
                    ways[after][both] = (total, left, (covered, aligned))
        n_ways += len(ways[first])
        if n_ways > MOST_WAYS:
            return None
    best: list[Aligned] = []
    covered, after = (1 << n_spans) - 1, n_spans
    while covered:
        covered, aligned = ways[after][covered][2]
        best.append(aligned)
        after = min(aligned[1])  # the first span left before it
    return tuple(best[::-1])


def _greedy_disorder(tuples: Sequence[Aligned]) -> float:
    """The disorder of an alignment that takes the tuple of least disorder per span that still fits, and so on."""
    taken: set[int] = set()
    total = 0.0
    for disorder, chosen in sorted(tuples, key=lambda aligned: aligned[0] / len(aligned[1])):
        if taken.isdisjoint(chosen):
            taken.update(chosen)
            total += disorder
    return total


def _solve(tuples: Sequence[Aligned], n_spans: int) -> tuple[Aligned, ...]:
    """The partition of least disorder as an integer program, solved to the end by HiGHS."""
    from scipy.optimize import Bounds, LinearConstraint, milp  # noqa: PLC0415 - loading it takes a while
    from scipy.sparse import csr_array  # noqa: PLC0415

    rows = np.fromiter(chain.from_iterable(chosen for _, chosen in tuples), np.int64)
    columns = np.repeat(np.arange(len(tuples)), [len(chosen) for _, chosen in tuples])
    table = csr_array((np.ones(len(rows)), (rows, columns)), shape=(n_spans, len(tuples)))
    cost = np.array([disorder for disorder, _ in tuples])
    solution = milp(
        cost, integrality=np.ones(len(tuples)), bounds=Bounds(0, 1), constraints=LinearConstraint(table, 1, 1)
    )
    return tuple(tuples[at] for at in np.flatnonzero(solution.x > 0.5).tolist())


@dataclass(frozen=True, slots=True)
class ChanceAlignments:
    """The best alignments of random annotations by some number of annotators.

    Attributes:
        disorder: Of all tuples of a row; shape (rows,).
        size: How many spans they have; shape (rows,).
        texts: The number of the text that lies there for each annotator, or of the first text that always occurs as
            often; each row once; shape (rows, annotators).
        n_draws: How many random annotations they are of.
        precision: Half the width of a 95 % interval for δ_e, relative to δ_e, from the draws' variation.
    """

    disorder: Floats
    size: Floats
    texts: Ints
    n_draws: int
    precision: float

    def expected(self, weights: Floats) -> Floats:
        """δ_e per span and annotator, from how often each text occurs; shape (replicates,)."""
        by_text = np.ascontiguousarray(weights.T)  # rows are gathered much faster than columns
        first, *others = self.texts.T
        weight = by_text[first]
        for column in others:
            weight *= by_text[column]
        n = float(self.texts.shape[1])
        return n * ratio(self.disorder @ weight, self.size @ weight)


def _least_disorder(annotations: Sequence[Sequence[Span]]) -> float:
    """The disorder of the best alignment of annotators' spans of a text."""
    spans = [(slot, span) for slot, own in enumerate(annotations) for span in own]
    return sum(disorder for disorder, _ in best_alignment(spans, len(annotations))) if spans else 0.0


def _mean_of_pairs(annotations: Sequence[Sequence[Span]]) -> float:
    """The mean over pairs of annotators of the disorder of the best alignment of their spans of a text."""
    from scipy.optimize import linear_sum_assignment  # noqa: PLC0415 - loading it takes a while

    spans = [span for own in annotations for span in own]
    kinds = {kind: number for number, kind in enumerate({span.type for span in spans})}
    start, end, kind = np.array([(span.start, span.end, kinds[span.type]) for span in spans]).reshape(-1, 3).T
    apart = np.abs(start[:, None] - start) + np.abs(end[:, None] - end)
    cost = (apart / np.maximum((end - start)[:, None] + end - start, 1)) ** 2 + (kind[:, None] != kind)
    saved = np.minimum(cost - 2, 0)  # two spans cost 1 each on their own
    ends = [*accumulate(map(len, annotations), initial=0)]
    slots = [slice(first, last) for first, last in pairwise(ends) if last > first]
    total = float(len(spans) * (len(annotations) - 1))
    for rows, columns in combinations(slots, 2):
        table = saved[rows, columns]
        if table.any():
            total += float(table[linear_sum_assignment(table)].sum())
    return total / comb(len(annotations), 2)


class GammaCounts:
    """The disorder of each text, and of chance.

    Args:
        texts: Each looked at by two annotators or more.
        rng: For the random annotations.
        clusters: The number of the cluster of each text, which only occurs with all others of its cluster; None: each
            is its own.
        pairs: Align the spans of each two annotators, in place of all at once.
    """

    def __init__(
        self,
        texts: Sequence[SpannedText],
        rng: np.random.Generator,
        clusters: Ints | None = None,
        *,
        pairs: bool = False,
    ) -> None:
        self.observed = np.zeros(len(texts))
        self.spans = np.zeros(len(texts))  # of each text, per annotator
        self.n_annotators = np.array([2 if pairs else len(text.spans) for text in texts], np.int64)
        for row, text in enumerate(texts):
            annotations = [*text.spans.values()]
            self.observed[row] = (_mean_of_pairs if pairs else _least_disorder)(annotations)
            self.spans[row] = sum(map(len, annotations)) / len(annotations)
        first = np.arange(len(texts))
        if clusters is not None:
            _, start, cluster = np.unique(clusters, return_index=True, return_inverse=True)
            first = start[cluster]
        numbers = np.unique(self.n_annotators[self.spans > 0]).tolist()
        self.chance = {n: _random_alignments(texts, n, rng, first) for n in numbers}

    @property
    def width(self) -> int:
        """Numbers that are held for one resample."""
        return max((len(chance.disorder) for chance in self.chance.values()), default=1)

    @property
    def precision(self) -> float:
        """That of the least precise δ_e, relative to it."""
        return max((chance.precision for chance in self.chance.values()), default=0.0)

    @property
    def n_draws(self) -> int:
        """Random annotations in all."""
        return sum(chance.n_draws for chance in self.chance.values())

    def kernel(self) -> Kernel:
        """Gamma as a function of how often each text occurs."""

        def gamma(weights: Floats) -> Floats:
            expected = np.zeros(len(weights))
            for n, chance in self.chance.items():
                expected += chance.expected(weights) * (weights @ np.where(self.n_annotators == n, self.spans, 0.0))
            return 1 - ratio(weights @ self.observed, expected)

        return gamma


def _random_alignments(texts: Sequence[SpannedText], n: int, rng: np.random.Generator, first: Ints) -> ChanceAlignments:
    """The best alignments of as many random annotations as are enough; ``first``: each text's first of its cluster."""
    starts = [*accumulate((text.length for text in texts), initial=0)]
    annotations = [[*text.spans.values()] for text in texts]
    marked = [row for row, own in enumerate(annotations) if any(own)]
    lengths = [span.end - span.start for own in annotations for spans in own for span in spans]
    apart = float(np.mean(lengths)) / 2
    tuples: list[tuple[float, int, list[int]]] = []
    means: list[float] = []
    n_spans = 0
    while not _is_enough(means, n_spans):
        turns = _draw_turns(starts[-1], n, apart, rng)
        spans: list[Slotted] = []
        origin: list[int] = []
        for slot, turn in enumerate(turns):
            picks = rng.random(len(texts)).tolist()
            for row in marked:
                own, at = annotations[row], starts[row] + turn
                for start, end, kind in own[int(picks[row] * len(own))]:
                    place = (at + start) % starts[-1]
                    spans.append((slot, Span(place, place + end - start, kind)))
                    origin.append(row)
        if not spans:
            continue
        alignment = best_alignment(spans, n)
        means.append(sum(disorder for disorder, _ in alignment) / len(spans))
        n_spans += len(spans)
        for disorder, chosen in alignment:
            middle = spans[chosen[0]][1].start
            over = [bisect_right(starts, (middle - turn) % starts[-1]) - 1 for turn in turns]
            for at in chosen:
                over[spans[at][0]] = origin[at]
            tuples.append((disorder, len(chosen), over))
    disorders, sizes, lying = zip(*tuples, strict=True)
    known, number = np.unique(first[np.array(lying, np.int64)], axis=0, return_inverse=True)
    total, n_in = (
        np.bincount(number.ravel(), np.array(column, np.float64)).astype(np.float64) for column in (disorders, sizes)
    )
    return ChanceAlignments(total, n_in, known, len(means), _relative_error(means))


def _is_enough(means: Sequence[float], n_spans: int) -> bool:
    if len(means) < FEWEST_DRAWS:
        return False
    return len(means) >= MOST_DRAWS or n_spans >= MOST_SPANS or _relative_error(means) <= 1.96 * PRECISION


def _relative_error(means: Sequence[float]) -> float:
    return 1.96 * float(np.std(means, ddof=1)) / (float(np.mean(means)) * sqrt(len(means)))


def _draw_turns(length: int, n: int, apart: float, rng: np.random.Generator) -> list[int]:
    """Random turns of a circle of places, none nearer to another than asked for, where there is room for it."""
    turns: list[int] = []
    for candidates in rng.integers(length, size=(n, 20)).tolist():
        fitting = (
            turn
            for turn in candidates
            if all(min((turn - other) % length, (other - turn) % length) >= apart for other in turns)
        )
        turns.append(next(fitting, candidates[0]))
    return turns
