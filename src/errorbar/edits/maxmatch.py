"""MaxMatch: the hypothesis edits that agree best with a reference (readable twin of the kernel).

Formula
    Every arc costs its length, plus 0.001 for each entry it has in the arc list unless it only keeps words; an
    arc that is a reference edit costs minus the number of entries instead. The hypothesis edits are the arcs of
    the cheapest path from (0, 0) to (n, m) that change something.
Conventions
    Costs are summed in double precision along the list order and compared strictly (Bellman-Ford), because
    ties between paths are decided by that order. Insertions at one point are matched from both ends inward.
    An arc equals a reference edit if span and one of its replacements agree.
Source
    Dahlmeier & Ng 2012, section 3.3; behavior of the official M2 scorer, release 3.2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from errorbar.core.edit import Edit
from errorbar.edits.encode import ReferenceEdit, reference_edits
from errorbar.edits.kernel import (
    DEFAULT_MAX_UNCHANGED,
    MAX_ARCS,
    MAX_CELLS,
    MAX_STATES,
    MOST_ANNOTATORS,
    PairTooLargeError,
    states_of,
)
from errorbar.edits.large import cheapest_path_large
from errorbar.edits.lattice import Arcs, Edge, Lattice, Vertex, edit_lattice, merge

EPSILON = 0.001


class Match(NamedTuple):
    """How a hypothesis compares with one annotator's edits.

    Attributes:
        proposed: The hypothesis as edits of the source, left to right.
        matched: Indices of the reference edits that were matched, ascending.
        large: The pair was too large for the official search order (see docs/design/large-lattices.md).
    """

    proposed: list[Edit]
    matched: list[int]
    large: bool


def max_match(
    source: Sequence[str],
    hypothesis: Sequence[str],
    reference: Sequence[Edit],
    *,
    max_unchanged: int = DEFAULT_MAX_UNCHANGED,
    ignore_case_space: bool = False,
) -> Match:
    """Find the hypothesis edits that match one annotator's edits best.

    Args:
        source: Source tokens.
        hypothesis: Hypothesis tokens.
        reference: The annotator's edits in text order.
        max_unchanged: How many unchanged words an edit may span.
        ignore_case_space: Drop proposed edits that only change letter case or white space.

    Returns:
        The edits that the hypothesis is read as, and which of them match.
    """
    return match_all(source, hypothesis, [reference], max_unchanged=max_unchanged, ignore_case_space=ignore_case_space)[
        0
    ]


def match_all(
    source: Sequence[str],
    hypothesis: Sequence[str],
    references: Sequence[Sequence[Edit]],
    *,
    max_unchanged: int = DEFAULT_MAX_UNCHANGED,
    ignore_case_space: bool = False,
    arc_limit: int = MAX_ARCS,
) -> list[Match]:
    """As ``max_match``, for several annotators of one sentence; the lattice is built once.

    Raises:
        PairTooLargeError: If the pair is beyond the limits of ``errorbar.edits.kernel``.
    """
    if (len(source) + 1) * (len(hypothesis) + 1) > MAX_CELLS:
        raise PairTooLargeError
    lattice = edit_lattice(source, hypothesis)
    arcs = merge(lattice, max_unchanged, arc_limit)
    base, by_span = _base_costs(arcs) if arcs else ({}, {})
    matches: list[Match] = []
    without_hit: list[Edge] | None = None
    states = 0
    for reference in references:
        wanted = reference_edits(reference)
        if arcs is None:
            n_insertions = sum(edit.start == edit.end for edit in reference)
            states += states_of(len(source), len(hypothesis), n_insertions, max_unchanged)
            if states > MOST_ANNOTATORS * MAX_STATES:
                raise PairTooLargeError
            path = cheapest_path_large(lattice, wanted, max_unchanged)
        else:
            cost = _costs_with_hits(lattice, arcs, base, by_span, wanted)
            if cost is not None:
                path = _cheapest_path(lattice.vertices, arcs.order, cost)
            else:  # every annotator without a hit gives the same costs
                without_hit = without_hit or _cheapest_path(lattice.vertices, arcs.order, base)
                path = without_hit
            path = [arc for arc in path if arc not in arcs.unchanged]
        edits = [(i, i2, tuple(hypothesis[j:j2])) for (i, j), (i2, j2) in path]
        if ignore_case_space:
            edits = [edit for edit in edits if _folded(source[edit[0] : edit[1]]) != _folded(edit[2])]
        proposed = [Edit(i, i2, (" ".join(tokens),)) for i, i2, tokens in edits]
        matches.append(Match(proposed, _matched(edits, wanted), arcs is None))
    return matches


def _base_costs(arcs: Arcs) -> tuple[dict[Edge, float], dict[tuple[int, int], list[Edge]]]:
    """Costs without any hit, and the list's entries by the source span they cover."""
    cost: dict[Edge, float] = dict(arcs.length)
    by_span: dict[tuple[int, int], list[Edge]] = {}
    for arc in arcs.order:
        by_span.setdefault((arc[0][0], arc[1][0]), []).append(arc)
        if arc not in arcs.unchanged:
            cost[arc] += EPSILON
    return cost, by_span


def _costs_with_hits(
    lattice: Lattice,
    arcs: Arcs,
    base: dict[Edge, float],
    by_span: dict[tuple[int, int], list[Edge]],
    reference: list[ReferenceEdit],
) -> dict[Edge, float] | None:
    """Costs for one annotator, or None where no arc is a reference edit."""
    hit_cost = float(-len(arcs.order))
    hits: dict[Edge, float] = {}
    seen: set[int] = set()
    for edit in reference:
        group = by_span.get((edit.start, edit.end), [])
        if edit.start < edit.end:
            hits.update((arc, hit_cost) for arc in group if _hit(lattice, arc, edit))
        elif edit.start not in seen:
            seen.add(edit.start)
            rivals = [other for other in reference if other.start == other.end == edit.start]
            if any(_hit(lattice, arc, rival) for arc in group for rival in rivals):
                hits |= _match_insertions(lattice, arcs, sorted(group), rivals, hit_cost)
    return {**base, **hits} if hits else None


def _match_insertions(
    lattice: Lattice, arcs: Arcs, group: list[Edge], reference: list[ReferenceEdit], hit_cost: float
) -> dict[Edge, float]:
    """Match insertions at one point from the left and the right end in turn, as the official scorer does."""
    cost: dict[Edge, float] = {arc: arcs.length[arc] for arc in group}
    low, high = 0, len(group) - 1
    first, last = 0, len(reference) - 1
    current = low
    while low <= high:
        from_left = current == low
        arc = group[current]
        candidates = range(first, last + 1) if from_left else range(last, first - 1, -1)
        found = next((index for index in candidates if _hit(lattice, arc, reference[index])), None)
        if found is None:
            cost[arc] += EPSILON
            if from_left:
                low, current = low + 1, high
            else:
                high, current = high - 1, low
            continue
        cost[arc] = hit_cost
        if from_left:
            first, low = found + 1, low + 1
            while low < len(group) and group[low][0] != arc[1]:
                cost[group[low]] += EPSILON
                low += 1
            current = low
        else:
            last, high = found - 1, high - 1
            while high >= 0 and group[high][1] != arc[0]:
                cost[group[high]] += EPSILON
                high -= 1
            current = high
    return cost


def _hit(lattice: Lattice, arc: Edge, edit: ReferenceEdit) -> bool:
    return tuple(lattice.hypothesis[arc[0][1] : arc[1][1]]) in edit.replacements


def _cheapest_path(vertices: list[Vertex], order: list[Edge], cost: dict[Edge, float]) -> list[Edge]:
    """Bellman-Ford over the arc list; stopping after a pass without change is exact."""
    distance = dict.fromkeys(vertices, math.inf)
    distance[vertices[0]] = 0.0
    arrived: dict[Vertex, Vertex] = {}
    costs = [cost[arc] for arc in order]
    changed = True
    while changed:
        changed = False
        for (start, end), step in zip(order, costs, strict=True):
            total = distance[start] + step
            if total < distance[end]:
                distance[end] = total
                arrived[end] = start
                changed = True
    path: list[Edge] = []
    end = vertices[-1]
    while end != vertices[0]:
        start = arrived[end]
        path.append((start, end))
        end = start
    return path[::-1]


def _matched(proposed: list[tuple[int, int, tuple[str, ...]]], reference: list[ReferenceEdit]) -> list[int]:
    """Match proposed edits with reference edits, both left to right; a repeated reference edit matches again."""
    matched: list[int] = []
    last = 0
    for start, end, tokens in proposed:
        for index in range(last, len(reference)):
            edit = reference[index]
            if start == edit.start and end == edit.end and tokens in edit.replacements:
                matched.append(index)
                last = index + 1
    return matched


def _folded(tokens: Sequence[str]) -> str:
    return "".join([character.lower() for token in tokens for character in token])
