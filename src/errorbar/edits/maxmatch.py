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
from bisect import insort
from collections.abc import Sequence
from typing import NamedTuple

from errorbar.core.edit import Edit, check_edits, check_tokens
from errorbar.core.problems import InputError, Place, Problem, wrong_type

# Text pair -> the lattice of minimal edit paths, and its edits merged into longer ones (readable twin of the kernel).
#
# Formula Two tables of edit distance between source tokens s[1..n] and hypothesis tokens h[1..m], with insertion and
# deletion at cost 1 and substitution at cost 1 (first table) or 2 (second). A vertex (i, j) means that i source and j
# hypothesis tokens are consumed. Every edge on some minimal path of a table belongs to the lattice. Merging: for every
# vertex k in order, every arc (i, k) and every lattice edge (k, j): if dist(i, k) + 1 < dist(i, j) and the unchanged
# words of both parts number at most ``max_unchanged``, (i, j) becomes an arc of that length. Conventions Tokens are
# compared exactly. An edge that is minimal in both tables stands twice in the edge list; the official scorer weighs it
# twice, so it matters. The first shortest path found fixes an arc's number of unchanged words. An arc that is
# shortened stands in the list again. The official scorer merges arcs with arcs, Floyd-Warshall like; as an arc
# starting in k is only ever found after k was handled, its second part is always a single lattice edge, as here. Arcs
# of unchanged words only are taken out again, while iterating over the list, so that the entry after a removed one is
# never looked at; the survivors cost what single steps cost and stay. Source Dahlmeier & Ng 2012, sections 3.1 and
# 3.2; behavior of the official M2 scorer, release 3.2.


MAX_ARCS = 1 << 18  # entries of the arc list beyond which the search of ``errorbar.edits.maxmatch`` takes over
MAX_VERTICES = 2048  # of the lattice, beyond which it does so at once

Vertex = tuple[int, int]
Edge = tuple[Vertex, Vertex]


class ReferenceEdit(NamedTuple):
    """A reference edit whose alternatives are tuples of tokens, as written; ``()`` deletes the span."""

    start: int
    end: int
    replacements: tuple[tuple[str, ...], ...]


class Lattice(NamedTuple):
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
        reached = {last}
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
            stack += [step for step in steps if step not in reached]
            reached.update(steps)
        vertices |= reached
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


class Arcs(NamedTuple):
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
    return Arcs(_drop_long_matches(order, length, unchanged), length, unchanged)


def _drop_long_matches(order: list[Edge], length: dict[Edge, float], unchanged: set[Edge]) -> list[Edge]:
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


# The same search for pairs too large to list every arc (readable twin of the kernel).
#
# Formula Among all ways to cut a path of the lattice into unchanged words, reference edits and other edits, each edit
# with at most ``max_unchanged`` unchanged words: as many reference edits as possible, then the fewest lattice steps
# outside them, then the fewest other edits. A dynamic program with whole-number keys, so no rounding decides anything.
# Its states are (layer, column, unchanged words of the open edit). Layers are the source positions, and one more for
# each reference insertion at a position: who is in it has passed that insertion, matched or not. Conventions This is
# the objective that the official scorer's costs stand for, without two accidents of its arithmetic: an entry that
# stands twice in its list costs twice, and ties are broken by rounding and list order. A reference edit that changes
# nothing is never matched. docs/design/large-lattices.md has the argument and the measurements. Source Dahlmeier & Ng
# 2012, section 3.3, as an integer objective.


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


EPSILON = 0.001
MAX_CELLS = 1 << 25  # of the distance table, (source tokens + 1) * (hypothesis tokens + 1); larger pairs are refused
# States of the large search for all annotators of a sentence, beyond which a pair is refused (.4 s); of each:
# (source tokens + 1 + reference insertions) * (hypothesis tokens + 1) * (``max_unchanged`` + 2).
MAX_STATES = 1 << 26

_Groups = dict[tuple[int, int], list[Edge]]


class MatchRules(NamedTuple):
    """How edits are found."""

    max_unchanged: int = 2  # words that an edit may span, as in the official scorer
    ignore_case_space: bool = False  # drop proposed edits that only change letter case or white space
    kernel: bool | None = None  # by the kernel, by its twin, or by the kernel where there is one
    arc_limit: int = MAX_ARCS  # entries of the arc list beyond which ``errorbar.edits.maxmatch`` takes over


DEFAULT_RULES = MatchRules()


class Match(NamedTuple):
    """How a hypothesis compares with one annotator's edits.

    Attributes:
        proposed: The hypothesis as edits of the source, left to right.
        matched: Indices of the reference edits that were matched, ascending.
        large: The pair was too large for the official search order (docs/design/large-lattices.md).
        hits: Whether each proposed edit equals a reference edit after those that earlier ones matched.
    """

    proposed: list[Edit]
    matched: list[int]
    large: bool
    hits: list[bool]


class PairTooLargeError(Exception):
    """A sentence pair is beyond the limits; whoever knows its place says so."""


def max_match(
    source: Sequence[str],
    hypothesis: Sequence[str],
    reference: Sequence[Edit],
    *,
    max_unchanged: int = 2,
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

    Raises:
        InputError: If the pair is too large to be compared.
        UsageError: If the texts are no lists of tokens, or the reference no edits.
    """
    check_tokens("the source", source)
    check_tokens("the hypothesis", hypothesis)
    check_edits("the reference", reference)
    if not isinstance(max_unchanged, int):
        raise wrong_type("max_unchanged", "a whole number", max_unchanged)
    try:
        return match_all(source, hypothesis, [reference], MatchRules(max_unchanged, ignore_case_space))[0]
    except PairTooLargeError:
        raise too_large("the source", len(source), len(hypothesis), Place()) from None


def too_large(what: str, n_source: int, n_hypothesis: int, place: Place) -> InputError:
    """The refusal of a text that is too long to be compared with its hypothesis."""
    message = f"{what} has {n_source} tokens and its hypothesis {n_hypothesis}: too many to compare"
    all_different = f"where most of them differ, {MAX_STATES // 4:,} divided by the annotators"
    expected = f"at most {MAX_CELLS:,} pairs of their tokens; {all_different}; fewer with a larger max_unchanged"
    return InputError(Problem("pair-too-large", message, place, expected, "split the line"))


def replacement_tokens(text: str) -> list[str]:
    """The tokens of a correction as written: only a single space is between two, and other white space matches none."""
    return text.split(" ") if text else []


def match_all(
    source: Sequence[str], hypothesis: Sequence[str], references: Sequence[Sequence[Edit]], rules: MatchRules
) -> list[Match]:
    """As ``max_match``, for several annotators of one sentence; PairTooLargeError beyond the limits of this module."""
    if (len(source) + 1) * (len(hypothesis) + 1) > MAX_CELLS:
        raise PairTooLargeError
    lattice = edit_lattice(source, hypothesis)
    arcs = merge(lattice, rules.max_unchanged, rules.arc_limit)
    base, by_span = _base_costs(arcs) if arcs else ({}, {})
    matches: list[Match] = []
    without_hit: list[Edge] | None = None
    states = 0
    for reference in references:
        texts = [tuple(tuple(replacement_tokens(text)) for text in edit.replacements) for edit in reference]
        wanted = [
            ReferenceEdit(*edit.span, texts_of_edit) for edit, texts_of_edit in zip(reference, texts, strict=True)
        ]
        if arcs is None:
            n_layers = len(source) + 1 + sum(edit.is_insertion for edit in reference)
            states += n_layers * (len(hypothesis) + 1) * (rules.max_unchanged + 2)
            if states > MAX_STATES:
                raise PairTooLargeError
            path = cheapest_path_large(lattice, wanted, rules.max_unchanged)
        else:
            cost = _costs_with_hits(lattice, arcs, base, by_span, wanted)
            if cost is not None:
                path = cheapest_path(lattice.vertices, arcs.order, cost)
            else:  # every annotator without a hit gives the same costs
                without_hit = without_hit or cheapest_path(lattice.vertices, arcs.order, base)
                path = without_hit
            path = [arc for arc in path if arc not in arcs.unchanged]
        edits = [ReferenceEdit(i, i2, (tuple(hypothesis[j:j2]),)) for (i, j), (i2, j2) in path]
        if rules.ignore_case_space:
            edits = [
                each for each in edits if _fold_case(source[each.start : each.end]) != _fold_case(each.replacements[0])
            ]
        matched, hits = _match_edits(edits, wanted)
        proposed = [Edit(each.start, each.end, (" ".join(each.replacements[0]),)) for each in edits]
        matches.append(Match(proposed, matched, arcs is None, hits))
    return matches


def _base_costs(arcs: Arcs) -> tuple[dict[Edge, float], _Groups]:
    """Costs without any hit, and the list's entries by the source span they cover."""
    cost: dict[Edge, float] = dict(arcs.length)
    by_span: _Groups = {}
    for arc in arcs.order:
        by_span.setdefault((arc[0][0], arc[1][0]), []).append(arc)
        if arc not in arcs.unchanged:
            cost[arc] += EPSILON
    return cost, by_span


def _costs_with_hits(
    lattice: Lattice, arcs: Arcs, base: dict[Edge, float], by_span: _Groups, reference: list[ReferenceEdit]
) -> dict[Edge, float] | None:
    """Costs for one annotator, or None where no arc is a reference edit."""
    hit_cost = float(-len(arcs.order))
    hits: dict[Edge, float] = {}
    wanted: dict[tuple[int, int], list[ReferenceEdit]] = {}
    for edit in reference:
        wanted.setdefault(edit[:2], []).append(edit)
    for span, rivals in wanted.items():
        group = by_span.get(span, [])
        met = [arc for arc in group if any(_hit(lattice, arc, edit) for edit in rivals)]
        if met and span[0] == span[1]:
            hits |= _match_insertions(lattice, arcs, sorted(group), rivals, hit_cost)
        else:
            hits |= dict.fromkeys(met, hit_cost)
    return {**base, **hits} if hits else None


def _match_insertions(
    lattice: Lattice, arcs: Arcs, group: list[Edge], reference: list[ReferenceEdit], hit_cost: float
) -> dict[Edge, float]:
    """Match insertions at one point from the left and the right end in turn, as the official scorer does."""
    cost: dict[Edge, float] = {arc: arcs.length[arc] for arc in group}
    low = current = first = 0
    high, last = len(group) - 1, len(reference) - 1
    while low <= high:
        from_left = current == low
        arc = group[current]
        candidates = range(first, last + 1) if from_left else range(last, first - 1, -1)
        hit = next((index for index in candidates if _hit(lattice, arc, reference[index])), None)
        if hit is None:
            cost[arc] += EPSILON
            if from_left:
                low, current = low + 1, high
            else:
                high, current = high - 1, low
            continue
        cost[arc] = hit_cost
        if from_left:
            first, low = hit + 1, low + 1
            while low < len(group) and group[low][0] != arc[1]:
                cost[group[low]] += EPSILON
                low += 1
            current = low
        else:
            last, high = hit - 1, high - 1
            while high >= 0 and group[high][1] != arc[0]:
                cost[group[high]] += EPSILON
                high -= 1
            current = high
    return cost


def _hit(lattice: Lattice, arc: Edge, edit: ReferenceEdit) -> bool:
    return tuple(lattice.hypothesis[arc[0][1] : arc[1][1]]) in edit.replacements


def _match_edits(proposed: list[ReferenceEdit], reference: list[ReferenceEdit]) -> tuple[list[int], list[bool]]:
    """Match proposed edits with reference edits, both left to right; a repeated reference edit matches again."""
    matched: list[int] = []
    hits: list[bool] = []
    for start, end, (tokens,) in proposed:
        later = range(matched[-1] + 1 if matched else 0, len(reference))
        matching = [at for at in later if (start, end) == reference[at][:2] and tokens in reference[at].replacements]
        matched += matching
        hits.append(bool(matching))
    return matched, hits


def _fold_case(tokens: Sequence[str]) -> str:
    return "".join([character.lower() for token in tokens for character in token])
