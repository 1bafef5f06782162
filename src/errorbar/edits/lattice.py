"""Text pair -> the lattice of minimal edit paths (readable twin of the kernel).

Formula
    Two tables of edit distance between source tokens s[1..n] and hypothesis tokens h[1..m], with insertion and
    deletion at cost 1 and substitution at cost 1 (first table) or 2 (second). A vertex (i, j) means that i source
    and j hypothesis tokens are consumed. Every edge on some minimal path of a table belongs to the lattice.
Conventions
    Tokens are compared exactly. An edge that is minimal in both tables stands twice in the edge list; the
    official scorer weighs it twice, so it matters.
Source
    Dahlmeier & Ng 2012, section 3.1; behavior of the official M2 scorer, release 3.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

Vertex = tuple[int, int]
Edge = tuple[Vertex, Vertex]

SUBSTITUTION_COSTS = (1, 2)


@dataclass(frozen=True, slots=True)
class Lattice:
    """Every minimal way to turn a source into a hypothesis.

    Attributes:
        source: Source tokens.
        hypothesis: Hypothesis tokens.
        vertices: Sorted; the first is (0, 0), the last (n, m), and the order is topological.
        edges: Sorted, with an edge of both tables standing twice.
    """

    source: Sequence[str]
    hypothesis: Sequence[str]
    vertices: list[Vertex]
    edges: list[Edge]

    def is_match(self, edge: Edge) -> bool:
        """Whether the edge keeps one source token as it is."""
        (i, j), (i2, j2) = edge
        return i2 == i + 1 and j2 == j + 1 and self.source[i] == self.hypothesis[j]


def edit_lattice(source: Sequence[str], hypothesis: Sequence[str]) -> Lattice:
    """Build the lattice of minimal edit paths between two token sequences."""
    vertices: set[Vertex] = set()
    edges: list[Edge] = []
    for substitution in SUBSTITUTION_COSTS:
        found, on_paths = _minimal_paths(source, hypothesis, substitution)
        vertices |= found
        edges += on_paths
    return Lattice(source, hypothesis, sorted(vertices), sorted(edges))


def _minimal_paths(s: Sequence[str], h: Sequence[str], substitution: int) -> tuple[set[Vertex], list[Edge]]:
    n, m = len(s), len(h)
    distance = _distances(s, h, substitution)
    found = {(n, m)}
    edges: list[Edge] = []
    stack = [(n, m)]
    while stack:
        i, j = stack.pop()
        here = distance[i][j]
        steps: list[Vertex] = []
        if i and j and here == distance[i - 1][j - 1] + (0 if s[i - 1] == h[j - 1] else substitution):
            steps.append((i - 1, j - 1))
        if i and here == distance[i - 1][j] + 1:
            steps.append((i - 1, j))
        if j and here == distance[i][j - 1] + 1:
            steps.append((i, j - 1))
        for step in steps:
            edges.append((step, (i, j)))
            if step not in found:
                found.add(step)
                stack.append(step)
    return found, edges


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
