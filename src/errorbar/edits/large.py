"""The same search for pairs too large to list every arc (readable twin of the kernel).

Formula
    Among all ways to cut a path of the lattice into unchanged words, reference edits and other edits, each edit
    with at most ``max_unchanged`` unchanged words: as many reference edits as possible, then the fewest lattice
    steps outside them, then the fewest other edits. A dynamic program with whole-number keys, so no rounding decides
    anything. Its states are (layer, column, unchanged words of the open edit). Layers are the source positions, and one
    more for each reference insertion at a position: who is in it has passed that insertion, matched or not.
Conventions
    This is the objective that the official scorer's costs stand for, without two accidents of its arithmetic: an
    entry that stands twice in its list costs twice, and ties are broken by rounding and list order. A reference
    edit that changes nothing is never matched. docs/design/large-lattices.md has the argument and the measurements.
Source
    Dahlmeier & Ng 2012, section 3.3, as an integer objective.
"""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.edits.lattice import Edge, Lattice, ReferenceEdit, Vertex

STEP = 1 << 20
HIT = 1 << 40
_KEEP, _SKIP, _OPEN, _EXTEND, _CLOSE, _HIT = range(6)
_CLOSED = -1

_State = tuple[int, int, int]  # layer, column, unchanged words or _CLOSED


def cheapest_path_large(lattice: Lattice, reference: Sequence[ReferenceEdit], max_unchanged: int) -> list[Edge]:
    """Find the edits of the best path by the integer objective; time and memory linear in the lattice."""
    search = _Search(lattice, reference, max_unchanged)
    for layer, (i, _) in enumerate(search.layers):
        for j in search.columns[i]:
            search.arrive(layer, j)
    return search.walk_back()


class _Search:
    def __init__(self, lattice: Lattice, reference: Sequence[ReferenceEdit], max_unchanged: int) -> None:
        self.lattice = lattice
        self.max_unchanged = max_unchanged
        self.edges = set(lattice.edges)
        self.columns: dict[int, list[int]] = {}
        for i, j in lattice.vertices:
            self.columns.setdefault(i, []).append(j)
        insertions: dict[int, list[ReferenceEdit]] = {}
        self.spans: dict[int, list[ReferenceEdit]] = {}  # by their ends
        for edit in reference:
            (insertions if edit.start == edit.end else self.spans).setdefault(edit.end, []).append(edit)
        self.layers: list[tuple[int, ReferenceEdit | None]] = []
        self.last: list[int] = []  # layer that a source position is left from
        for i in range(len(lattice.source) + 1):
            self.layers += [(i, None), *((i, edit) for edit in insertions.get(i, ()))]
            self.last.append(len(self.layers) - 1)
        self.key: dict[_State, int] = {(0, 0, _CLOSED): 0}
        self.arrived: dict[_State, tuple[_State, int]] = {}

    def arrive(self, layer: int, j: int) -> None:
        """Find the smallest key of every state of a layer and a column."""
        i, passed = self.layers[layer]
        above = self.last[i - 1] if i else 0
        closed = (layer, j, _CLOSED)
        diagonal = ((i - 1, j - 1), (i, j))
        kept = int(diagonal in self.edges and self.lattice.is_match(diagonal))
        for words in range(self.max_unchanged + 1):
            state = (layer, j, words)
            if passed is not None:
                self._reach(state, (layer - 1, j, words), 0, _SKIP)
            self._edit(state, (layer, j - 1), ((i, j - 1), (i, j)), 0)
            if passed is None:
                self._edit(state, (above, j), ((i - 1, j), (i, j)), 0)
                self._edit(state, (above, j - 1), diagonal, kept)
        if passed is not None:
            self._reach(closed, (layer - 1, j, _CLOSED), 0, _SKIP)
        elif kept:
            self._reach(closed, (above, j - 1, _CLOSED), STEP, _KEEP)
        for words in range(self.max_unchanged + 1):
            self._reach(closed, (layer, j, words), 0, _CLOSE)
        for edit in self.spans.get(i, ()) if passed is None else (passed,):
            begun = self.last[edit.start] if passed is None else layer - 1
            for tokens in edit.replacements:
                if tokens != tuple(self.lattice.source[edit.start : i]):
                    self._hit(closed, begun, (edit.start, j - len(tokens)), (i, j), tokens)

    def _edit(self, state: _State, before: tuple[int, int], edge: Edge, kept: int) -> None:
        """Begin an edit with a step of the lattice, or go on with it."""
        if edge in self.edges:
            if state[2] == kept:
                self._reach(state, (*before, _CLOSED), STEP + 1, _OPEN)
            if state[2] >= kept:
                self._reach(state, (*before, state[2] - kept), STEP, _EXTEND)

    def _hit(self, closed: _State, layer: int, start: Vertex, end: Vertex, tokens: tuple[str, ...]) -> None:
        if (layer, start[1], _CLOSED) in self.key and tuple(self.lattice.hypothesis[start[1] : end[1]]) == tokens:
            words = self._fewest_unchanged(start, end)
            if words is not None and words <= self.max_unchanged:
                self._reach(closed, (layer, start[1], _CLOSED), -HIT, _HIT)

    def _reach(self, state: _State, origin: _State, cost: int, how: int) -> None:
        if origin in self.key:
            key = self.key[origin] + cost
            if key < self.key.get(state, key + 1):
                self.key[state] = key
                self.arrived[state] = (origin, how)

    def _fewest_unchanged(self, start: Vertex, end: Vertex) -> int | None:
        fewest = {start: 0}
        for i in range(start[0], end[0] + 1):
            for j in range(start[1], end[1] + 1):
                for before in ((i, j - 1), (i - 1, j), (i - 1, j - 1)):
                    edge = (before, (i, j))
                    if before in fewest and edge in self.edges:
                        words = fewest[before] + self.lattice.is_match(edge)
                        fewest[i, j] = min(words, fewest.get((i, j), words))
        return fewest.get(end)

    def walk_back(self) -> list[Edge]:
        """The edits of the best path."""
        state = (len(self.layers) - 1, len(self.lattice.hypothesis), _CLOSED)
        path: list[Edge] = []
        end = self._vertex(state)
        while state in self.arrived:
            origin, how = self.arrived[state]
            if how == _CLOSE:
                end = self._vertex(state)
            elif how == _OPEN:
                path.append((self._vertex(origin), end))
            elif how == _HIT:
                path.append((self._vertex(origin), self._vertex(state)))
            state = origin
        return path[::-1]

    def _vertex(self, state: _State) -> Vertex:
        return self.layers[state[0]][0], state[1]
