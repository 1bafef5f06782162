"""Text pair -> the lattice of minimal edit paths, and its edits merged into longer ones (readable twin of the kernel).

Formula
    Two tables of edit distance between source tokens s[1..n] and hypothesis tokens h[1..m], with insertion and
    deletion at cost 1 and substitution at cost 1 (first table) or 2 (second). A vertex (i, j) means that i source
    and j hypothesis tokens are consumed. Every edge on some minimal path of a table belongs to the lattice.
    Merging: for every vertex k in order, every arc (i, k) and every lattice edge (k, j): if dist(i, k) + 1 < dist(i, j)
    and the unchanged words of both parts number at most ``max_unchanged``, (i, j) becomes an arc of that length.
Conventions
    Tokens are compared exactly. An edge that is minimal in both tables stands twice in the edge list; the official
    scorer weighs it twice, so it matters. The first shortest path found fixes an arc's number of unchanged words. An
    arc that is shortened stands in the list again. The official scorer merges arcs with arcs, Floyd-Warshall like; as
    an arc starting in k is only ever found after k was handled, its second part is always a single lattice edge, as
    here. Arcs of unchanged words only are taken out again, while iterating over the list, so that the entry after a
    removed one is never looked at; the survivors cost what single steps cost and stay.
Source
    Dahlmeier & Ng 2012, sections 3.1 and 3.2; behavior of the official M2 scorer, release 3.2.
"""

from __future__ import annotations

import math
from bisect import insort
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

MAX_ARCS = 1 << 18  # entries of the arc list beyond which the search of ``errorbar.edits.large`` takes over
MAX_VERTICES = 2048  # of the lattice, beyond which it does so at once

Vertex = tuple[int, int]
Edge = tuple[Vertex, Vertex]


class ReferenceEdit(NamedTuple):
    """A reference edit whose alternatives are tuples of tokens, as written; ``()`` deletes the span."""

    start: int
    end: int
    replacements: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Lattice:
    """Every minimal way to turn a source into a hypothesis; vertices are sorted, and so in topological order."""

    source: Sequence[str]
    hypothesis: Sequence[str]
    vertices: list[Vertex]
    edges: list[Edge]  # sorted; an edge of both tables stands twice

    def is_match(self, edge: Edge) -> bool:
        """Whether the edge keeps one source token as it is."""
        (i, j), (i2, j2) = edge
        return i2 == i + 1 and j2 == j + 1 and self.source[i] == self.hypothesis[j]


def edit_lattice(source: Sequence[str], hypothesis: Sequence[str]) -> Lattice:
    """Build the lattice of minimal edit paths between two token sequences."""
    last = (len(source), len(hypothesis))
    vertices = {last}
    edges: list[Edge] = []
    for substitution in (1, 2):
        distance = _distances(source, hypothesis, substitution)
        found = {last}
        stack = [last]
        while stack:
            i, j = stack.pop()
            here = distance[i][j]
            steps: list[Vertex] = []
            if i and j and here == distance[i - 1][j - 1] + (0 if source[i - 1] == hypothesis[j - 1] else substitution):
                steps.append((i - 1, j - 1))
            if i and here == distance[i - 1][j] + 1:
                steps.append((i - 1, j))
            if j and here == distance[i][j - 1] + 1:
                steps.append((i, j - 1))
            edges += [(step, (i, j)) for step in steps]
            stack += [step for step in steps if step not in found]
            found.update(steps)
        vertices |= found
    return Lattice(source, hypothesis, sorted(vertices), sorted(edges))


def _distances(s: Sequence[str], h: Sequence[str], substitution: int) -> list[list[int]]:
    previous = list(range(len(h) + 1))
    table = [previous]
    for i, token in enumerate(s, 1):
        row = [i]
        left = i
        for j, other in enumerate(h):
            diagonal = previous[j] if token == other else previous[j] + substitution
            up = previous[j + 1] + 1
            left += 1  # the smallest of three; min() would take half as long again
            if up < left:
                left = up
            if diagonal < left:
                left = diagonal
            row.append(left)
        table.append(row)
        previous = row
    return table


@dataclass(frozen=True, slots=True)
class Arcs:
    """Lattice edges and merged arcs."""

    order: list[Edge]  # in the order of discovery, lattice edges first; entries may repeat
    length: dict[Edge, float]  # in lattice steps; infinite for an arc that was taken out
    unchanged: set[Edge]  # arcs made of unchanged words only


def merge(lattice: Lattice, max_unchanged: int, arc_limit: int = MAX_ARCS) -> Arcs | None:
    """Close the lattice under merging; None where the list would grow beyond ``arc_limit`` entries."""
    if len(lattice.vertices) > MAX_VERTICES:
        return None
    order = list(lattice.edges)
    n_unchanged = {edge: int(lattice.is_match(edge)) for edge in order}
    only_unchanged = {edge: bool(count) for edge, count in n_unchanged.items()}
    length: dict[Edge, float] = dict.fromkeys(order, 1)
    after: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in lattice.vertices}
    before: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in lattice.vertices}
    for start, end in length:
        after[start].append(end)
        before[end].append(start)
    for k in lattice.vertices:
        for i in before[k]:
            for j in after[k]:
                arc = (i, j)
                steps = length[i, k] + 1
                words = n_unchanged[i, k] + n_unchanged[k, j]
                if words <= max_unchanged and steps < length.get(arc, math.inf):
                    if arc not in length:
                        insort(before[j], i)
                    order.append(arc)
                    length[arc] = steps
                    n_unchanged[arc] = words
                    only_unchanged[arc] = only_unchanged[i, k] and only_unchanged[k, j]
        if len(order) > arc_limit:
            return None
    unchanged = {arc for arc, only in only_unchanged.items() if only}
    return Arcs(_without_long_matches(order, length, unchanged), length, unchanged)


def _without_long_matches(order: list[Edge], length: dict[Edge, float], unchanged: set[Edge]) -> list[Edge]:
    kept: list[Edge] = []
    skipped: set[Edge] = set()
    entries = iter(order)
    for arc in entries:
        if arc not in unchanged or length[arc] == 1:
            kept.append(arc)
            continue
        length[arc] = math.inf
        unchanged.discard(arc)
        if arc in skipped:  # its first entry stands earlier: that one goes, and this one slides out of sight
            kept.remove(arc)
            kept.append(arc)
        for following in entries:  # slides into the place just looked at
            skipped.add(following)
            kept.append(following)
            break
    return kept


def cheapest_path(vertices: list[Vertex], order: list[Edge], cost: dict[Edge, float]) -> list[Edge]:
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
