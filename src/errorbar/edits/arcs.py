"""Merging neighboring edits into longer ones (readable twin of the kernel).

Formula
    For every vertex k in order, every arc (i, k) and every lattice edge (k, j): if dist(i, k) + 1 < dist(i, j) and
    the unchanged words of both parts number at most ``max_unchanged``, (i, j) becomes an arc of that length.
Conventions
    The first shortest path found fixes an arc's number of unchanged words. An arc that is shortened stands in
    the list again. The official scorer merges arcs with arcs, Floyd-Warshall like; as an arc starting in k is
    only ever found after k was handled, its second part is always a single lattice edge, as here.
    Arcs of unchanged words only are taken out again, while iterating over the list, so that the entry after a
    removed one is never looked at; the survivors cost what single steps cost and stay.
Source
    Dahlmeier & Ng 2012, section 3.2; behavior of the official M2 scorer, release 3.2.
"""

from __future__ import annotations

import math
from bisect import insort
from dataclasses import dataclass

from errorbar.edits.kernel import MAX_ARCS, MAX_VERTICES
from errorbar.edits.lattice import Edge, Lattice, Vertex


@dataclass(frozen=True, slots=True)
class Arcs:
    """Lattice edges and merged arcs.

    Attributes:
        order: Every entry in the order of discovery, lattice edges first; entries may repeat.
        length: Lattice steps of an arc; infinite if it was taken out.
        unchanged: Arcs made of unchanged words only.
    """

    order: list[Edge]
    length: dict[Edge, float]
    unchanged: set[Edge]


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
