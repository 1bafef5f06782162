"""HOO alignment: which gold edits a system's edits detect, recognize and correct, in one fragment.

Formula
    A system edit s aligns with a gold edit g strictly if both have the same span, leniently if the spans overlap:
    start(s) < end(g) and start(g) < end(s), which for an insertion says that it stands inside of the other's span.
    g is detected if some s aligns with it in either way, recognized if some s aligns strictly, corrected if the
    correction of such an s is one of g's. Gold edits without an alignment are missing, system edits spurious.
Conventions
    Only the first correction of a system edit counts. Everything else is a parameter (errorbar.metrics.hoo).
Source
    Dale & Kilgarriff 2011, section 3; where the paper is silent, docs/design/hoo.md says what was chosen and why.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.edit import Fragment, StandoffEdit
from errorbar.core.errors import InputError, Place, Problem
from errorbar.metrics.hoo_counts import Alignment, Flags

MOST_PAIRS = 250_000  # of one fragment; where no annotator's edits overlap there are about as many as edits
Numbers = NDArray[np.int64]
_OPTIONAL: dict[str, Callable[[StandoffEdit], bool]] = {
    "any": lambda edit: True,
    "first": lambda edit: edit.null_at == 0,
    "replacement": lambda edit: "" not in edit.corrections,
}
"""Which edits with a null correction are optional."""


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides an alignment: those parameters of ``errorbar.metrics.hoo.Hoo`` that its map knows, as said there."""

    corrected: str = "gold"
    insertion: str = "inside"
    one_character: bool = False
    sides: str = "together"
    case: str = "exact"
    edge_space: bool = False
    optional: str = "any"
    unknown: str = "reject"
    csets: str = "apart"

    def folded(self, text: str) -> str:
        """A correction as it is compared."""
        return text.lower() if self.case == "ignore" else text


@dataclass(slots=True)
class _Pairs:
    """The pairs of a gold edit g and a system edit s that stand at one place, and what is known of each."""

    g: Numbers
    s: Numbers
    spans: Numbers  # where g and s start and end, in this order; shape (4, pairs)
    strict: Flags
    lenient: Flags  # they align, strictly or leniently
    from_system: Flags  # they align, seen from the system's side
    fits: Flags  # they align strictly, and the correction is one of the gold edit's


def _marked(numbers: Numbers, n: int) -> Flags:
    """Flags of n edits, up for those numbers."""
    marked = np.zeros(n, np.bool_)
    marked[numbers] = True
    return marked


def align(gold: Fragment, system: Sequence[StandoffEdit], rules: Rules) -> Alignment:
    """Align a system's edits with the gold edits of a fragment.

    Raises:
        InputError: If ``edge_space`` needs the source text and the fragment has none, or too many edits overlap.
    """
    edits, n_gold, n_system = gold.edits, len(gold.edits), len(system)
    optional = np.array([edit.optional and _OPTIONAL[rules.optional](edit) for edit in edits], bool)
    pairs, accept = _overlapping(gold, system, rules), rules.unknown == "accept"
    if rules.insertion in ("touch", "text"):
        _touch(edits, system, rules, pairs)
    wanted = [frozenset(rules.folded(text) for text in edit.corrections) for edit in edits]
    said = [rules.folded(edit.corrections[0]) if edit.corrections else None for edit in system]
    for k in np.flatnonzero(pairs.strict).tolist():
        g = pairs.g[k]
        pairs.fits[k] = accept if edits[g].unknown else said[pairs.s[k]] in wanted[g]
    if rules.edge_space:
        _edge_space(gold, system, rules, pairs)
        pairs.lenient |= pairs.strict
        pairs.from_system |= pairs.strict
    if rules.csets == "together":
        failed = _failed_sets(edits, system, pairs, rules)
        pairs.fits[np.isin(pairs.g, failed)] = False
    detected, recognized, corrected = (
        _marked(pairs.g[flags], n_gold) for flags in (pairs.lenient, pairs.strict, pairs.fits)
    )
    forgiven = optional & ~detected
    if rules.csets == "together":
        for members in _sets(edits):
            forgiven[members] &= not detected[members].any()  # a set is left as it is as a whole
    fitting = _marked(pairs.s[pairs.fits], n_system)
    counted = int(fitting.sum()) if rules.corrected == "system" else int(corrected.sum())
    met = pairs.s[pairs.from_system if rules.sides == "apart" else pairs.lenient]
    return Alignment(detected, recognized, corrected, optional, forgiven, counted, ~_marked(met, n_system), fitting)


def _overlapping(gold: Fragment, system: Sequence[StandoffEdit], rules: Rules) -> _Pairs:
    """Pairs near each other, those of one span and those that overlap marked."""
    g, s = near_pairs(gold, system, 1 if rules.edge_space else 0)
    start, end, s_start, s_end = spans = np.concatenate([_spans(gold.edits)[:, g], _spans(system)[:, s]])
    same = (start == s_start) & (end == s_end)
    overlap = (start < s_end) & (s_start < end)
    if rules.insertion == "same":
        overlap &= (start < end) & (s_start < s_end)
    lenient = same | overlap
    return _Pairs(g, s, spans, same, lenient, lenient.copy(), np.zeros_like(same))


def _spans(edits: Sequence[StandoffEdit]) -> Numbers:
    """Where edits start and end; shape (2, edits)."""
    return np.array([(edit.start, edit.end) for edit in edits], np.int64).reshape(-1, 2).T


def near_pairs(gold: Fragment, system: Sequence[StandoffEdit], slack: int) -> tuple[Numbers, Numbers]:
    """Find the pairs whose spans overlap, touch, or leave no more than ``slack`` characters between them.

    Takes time in proportion to the edits and the pairs. These are numbers of a gold and a system edit, in this order.

    Raises:
        InputError: If there are more than ``MOST_PAIRS``.
    """
    (start, end), (s_start, s_end) = _spans(gold.edits), _spans(system)
    by_start, s_by_start = np.argsort(start, kind="stable"), np.argsort(s_start, kind="stable")
    # System edits that start within a gold edit's span, and gold edits whose start lies behind a system edit's.
    starts, s_starts = start[by_start], s_start[s_by_start]
    inner = np.searchsorted(s_starts, start - slack, "left"), np.searchsorted(s_starts, end + slack, "right")
    outer = np.searchsorted(starts, s_start + slack, "right"), np.searchsorted(starts, s_end + slack, "right")
    total = int(sum((high - low).sum() for low, high in (inner, outer)))
    if total > MOST_PAIRS:
        what = f"fragment {gold.name}: {total:,} pairs of a gold and a system edit overlap or touch"
        expected = f"no more than {MOST_PAIRS:,}"
        raise InputError(Problem("hoo-too-dense", what, Place(gold.file), expected, "are edits repeated?"))
    inner_g, inner_s = _ranges(*inner)
    outer_s, outer_g = _ranges(*outer)
    g = np.concatenate([inner_g, by_start[outer_g]])
    s = np.concatenate([s_by_start[inner_s], outer_s])
    order = np.lexsort((s, g))
    return g[order], s[order]


def _ranges(low: Numbers, high: Numbers) -> tuple[Numbers, Numbers]:
    """The numbers from each low to its high, and whose range each is of."""
    sizes = high - low
    owner = np.repeat(np.arange(len(low)), sizes)
    return owner, np.arange(len(owner)) - np.repeat(np.cumsum(sizes) - sizes, sizes) + low[owner]


def _touch(gold: Sequence[StandoffEdit], system: Sequence[StandoffEdit], rules: Rules, pairs: _Pairs) -> None:
    """Insertions at the edge of a span."""
    start, end, s_start, s_end = pairs.spans
    touches = (start <= s_end) & (s_start <= end) & ((start == end) ^ (s_start == s_end))
    for k in np.flatnonzero(touches & ~pairs.lenient).tolist():
        one, whole = gold[pairs.g[k]], system[pairs.s[k]]
        other = whole._replace(corrections=whole.corrections[:1])
        point, span = (one, other) if one.is_insertion else (other, one)
        if rules.insertion == "text" and not _same_at_edge(point, span):
            continue
        pairs.lenient[k] = True
        # Seen from the system's side, only the system's own insertion is compared with the other's text.
        pairs.from_system[k] = rules.insertion == "touch" or other.is_insertion
        pairs.strict[k] = rules.one_character and span.end - span.start == 1


def _same_at_edge(point: StandoffEdit, span: StandoffEdit) -> bool:
    """Whether one of the span's corrections begins (or ends) with a text of the insertion at its start (or end).

    White space counts: ``a `` is the end of ``Such a ``, where the span takes the space along.
    """
    texts = tuple(text for text in point.corrections if text)
    agrees = str.startswith if point.start == span.start else str.endswith
    return any(agrees(whole, texts) for whole in span.corrections)


def _edge_space(gold: Fragment, system: Sequence[StandoffEdit], rules: Rules, pairs: _Pairs) -> None:
    """Pairs of edits whose spans differ by no more than a space at each edge.

    They are the same extent if both replace something. Their corrections, and the extents of insertions, are compared
    by the text that the edits make of the characters under either span.
    """
    text = gold.text
    if text is None:
        what = f"fragment {gold.name} has no source text, which edge_space=true compares edits by"
        raise InputError(Problem("hoo-no-text", what, Place(gold.file), fix="--documents=FOLDER"))
    near = (np.abs(pairs.spans[:2] - pairs.spans[2:]) <= 1).all(axis=0) & ~pairs.strict
    for k in np.flatnonzero(near).tolist():
        one, other = gold.edits[pairs.g[k]], system[pairs.s[k]]
        low, high = min(one.start, other.start), max(one.end, other.end)
        if (text[low : max(one.start, other.start)] + text[min(one.end, other.end) : high]).strip():
            continue
        made, said = (
            {rules.folded(text[low : edit.start] + each + text[edit.end : high]) for each in corrections}
            for edit, corrections in ((one, one.corrections), (other, other.corrections[:1]))
        )
        equal = bool(made & said)
        pairs.strict[k] = equal or not (one.is_insertion or other.is_insertion)
        pairs.fits[k] = equal or (one.unknown and rules.unknown == "accept" and bool(pairs.strict[k]))


def _sets(gold: Sequence[StandoffEdit]) -> Iterator[list[int]]:
    """The gold edits of each consistency set of two or more."""
    sets: dict[str, list[int]] = {}
    for g, edit in enumerate(gold):
        if edit.group:
            sets.setdefault(edit.group, []).append(g)
    return (members for members in sets.values() if len(members) > 1)


def _failed_sets(
    gold: Sequence[StandoffEdit], system: Sequence[StandoffEdit], pairs: _Pairs, rules: Rules
) -> list[int]:
    """Gold edits of sets that are not corrected as a whole, by the same alternative."""
    fitting: dict[int, list[StandoffEdit]] = {}
    for k in np.flatnonzero(pairs.fits).tolist():
        fitting.setdefault(int(pairs.g[k]), []).append(system[pairs.s[k]])

    def plain(text: str) -> str:
        folded = rules.folded(text)
        return folded.strip() if rules.edge_space else folded

    def given(g: int) -> set[int]:
        said = {plain(edit.corrections[0]) for edit in fitting[g]}
        return {at for at, text in enumerate(gold[g].corrections) if plain(text) in said}

    failed = []
    for members in _sets(gold):
        whole = all(g in fitting for g in members)
        if whole and len({len(gold[g].corrections) for g in members}) == 1 and gold[members[0]].corrections:
            whole = bool(set.intersection(*map(given, members)))
        failed += [] if whole else members
    return failed
