"""The same search for pairs too large to list every arc (readable twin of the kernel).

Formula
    Among all ways to cut a path of the lattice into unchanged words, reference edits and other edits, each edit
    with at most ``max_unchanged`` unchanged words: as many reference edits as possible, then the fewest lattice
    steps outside them, then the fewest other edits. A dynamic program over (vertex, next reference insertion at
    this point, unchanged words of the open edit) with whole-number keys, so no rounding decides anything.
Conventions
    This is the objective that the official scorer's costs stand for, without two accidents of its arithmetic: an
    entry that stands twice in its list costs twice, and ties are broken by rounding and list order. A reference
    edit that changes nothing is never matched. docs/design/large-lattices.md has the argument and the measurements.
Source
    Dahlmeier & Ng 2012, section 3.3, as an integer objective.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errorbar.edits.lattice import Edge, Lattice, Vertex
from errorbar.edits.reference import ReferenceEdit

STEP = 1 << 20
HIT = 1 << 40
_KEEP, _OPEN, _EXTEND, _CLOSE = -1, -2, -3, -4
_CLOSED = -1

_State = tuple[Vertex, int, int]  # vertex, next reference insertion at this point, unchanged words or _CLOSED


@dataclass(frozen=True, slots=True)
class LargePath:
    """The best path.

    Attributes:
        arcs: Its edits, left to right, as lattice arcs.
        matched: Indices of the reference edits among them.
    """

    arcs: list[Edge]
    matched: list[int]


def cheapest_path_large(lattice: Lattice, reference: Sequence[ReferenceEdit], max_unchanged: int) -> LargePath:
    """Find the best path by the integer objective; time and memory linear in the lattice."""
    return _Search(lattice, reference, max_unchanged).run()


class _Search:
    def __init__(self, lattice: Lattice, reference: Sequence[ReferenceEdit], max_unchanged: int) -> None:
        self.lattice = lattice
        self.max_unchanged = max_unchanged
        self.after: dict[Vertex, list[Vertex]] = {vertex: [] for vertex in lattice.vertices}
        for start, end in sorted(set(lattice.edges)):
            self.after[start].append(end)
        self.insertions: dict[int, list[tuple[int, ReferenceEdit]]] = {}
        self.spans: dict[int, list[tuple[int, ReferenceEdit]]] = {}
        for index, edit in enumerate(reference):
            table = self.insertions if edit.start == edit.end else self.spans
            table.setdefault(edit.start, []).append((index, edit))
        self.key: dict[_State, int] = {}
        self.arrived: dict[_State, tuple[_State, int]] = {}

    def run(self) -> LargePath:
        first, last = self.lattice.vertices[0], self.lattice.vertices[-1]
        self.key[first, 0, _CLOSED] = 0
        for vertex in self.lattice.vertices:
            slots = range(len(self.insertions.get(vertex[0], ())) + 1)
            for slot in slots:
                for words in range(self.max_unchanged + 1):
                    state = (vertex, slot, words)
                    if state in self.key:
                        self._reach((vertex, slot, _CLOSED), state, 0, _CLOSE)
            for slot in slots:
                for words in range(_CLOSED, self.max_unchanged + 1):
                    if (vertex, slot, words) in self.key:
                        self._step((vertex, slot, words))
        ends = [(last, slot, _CLOSED) for slot in range(len(self.insertions.get(last[0], ())) + 1)]
        return self._walk_back(min((state for state in ends if state in self.key), key=lambda state: self.key[state]))

    def _reach(self, state: _State, origin: _State, cost: int, how: int) -> None:
        key = self.key[origin] + cost
        best = self.key.get(state)
        if best is None or key < best:
            self.key[state] = key
            self.arrived[state] = (origin, how)

    def _step(self, state: _State) -> None:
        vertex, slot, words = state
        for target in self.after[vertex]:
            kept = self.lattice.is_match((vertex, target))
            next_slot = slot if target[0] == vertex[0] else 0
            if words == _CLOSED:
                if kept:
                    self._reach((target, next_slot, _CLOSED), state, STEP, _KEEP)
                if kept <= self.max_unchanged:
                    self._reach((target, next_slot, int(kept)), state, STEP + 1, _OPEN)
            elif words + kept <= self.max_unchanged:
                self._reach((target, next_slot, words + kept), state, STEP, _EXTEND)
        if words == _CLOSED:
            for index, edit in self.spans.get(vertex[0], ()):
                self._hit(state, index, edit, 0)
            for number, (index, edit) in enumerate(self.insertions.get(vertex[0], ())[slot:], slot + 1):
                self._hit(state, index, edit, number)

    def _hit(self, state: _State, index: int, edit: ReferenceEdit, next_slot: int) -> None:
        (i, j), source, hypothesis = state[0], self.lattice.source, self.lattice.hypothesis
        for tokens in edit.replacements:
            target = (edit.end, j + len(tokens))
            changes = tokens != tuple(source[i : edit.end])
            if changes and target in self.after and tuple(hypothesis[j : target[1]]) == tokens:
                words = self._fewest_unchanged(state[0], target)
                if words is not None and words <= self.max_unchanged:
                    self._reach((target, next_slot, _CLOSED), state, -HIT, index)

    def _fewest_unchanged(self, start: Vertex, end: Vertex) -> int | None:
        fewest = {start: 0}
        for i in range(start[0], end[0] + 1):
            for j in range(start[1], end[1] + 1):
                here = fewest.get((i, j))
                for target in self.after.get((i, j), ()) if here is not None else ():
                    words = (here or 0) + self.lattice.is_match(((i, j), target))
                    if words < fewest.get(target, words + 1):
                        fewest[target] = words
        return fewest.get(end)

    def _walk_back(self, state: _State) -> LargePath:
        arcs: list[Edge] = []
        matched: list[int] = []
        end = state[0]
        while state in self.arrived:
            origin, how = self.arrived[state]
            if how == _CLOSE:
                end = state[0]
            elif how == _OPEN:
                arcs.append((origin[0], end))
            elif how >= 0:
                arcs.append((origin[0], state[0]))
                matched.append(how)
            state = origin
        return LargePath(arcs[::-1], matched[::-1])
