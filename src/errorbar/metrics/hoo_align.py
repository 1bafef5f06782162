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

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.standoff import Fragment, StandoffEdit

MOST_PAIRS = 250_000
"""Pairs of one fragment; where no annotator's edits overlap there are about as many as edits."""
Numbers = NDArray[np.int64]
Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides an alignment: those parameters of ``errorbar.metrics.hoo.Hoo`` that its map knows.

    Attributes:
        corrected: What counts as corrected: ``gold`` edits or ``system`` edits.
        insertion: When an insertion aligns with a span: ``inside`` of it, at its edge too (``touch``), never
            (``same``: only at the same point), or inside and where the texts agree at the edge (``text``).
        one_character: An insertion that aligns at the edge of a span of one character aligns strictly.
        sides: Spurious edits: seen from both sides ``together`` or from the system's alone (``apart``).
        case: Corrections are compared ``exact`` or with case ignored (``ignore``).
        edge_space: Edits that differ in a space at an edge can be the same edit.
        optional: Optional is an edit with a null correction: ``any``, only as the ``first``, or not in
            an optional deletion (``replacement``).
        unknown: Corrections of edits for which none is known: ``reject`` or ``accept`` all.
        csets: Consistency sets are scored edit by edit (``apart``) or as a whole (``together``).
    """

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


@dataclass(frozen=True, slots=True)
class Alignment:
    """What became of every edit of a fragment.

    Attributes:
        detected: Gold edits with an alignment; shape (gold,).
        recognized: Gold edits with a strict alignment.
        corrected: Gold edits with a strict alignment that offers one of their corrections.
        optional: Gold edits that are optional.
        forgiven: Missing optional gold edits: what the bonus adds.
        spurious: System edits without an alignment; shape (system,).
        n_corrected: How many corrections count.
        fitting: System edits whose correction counts; shape (system,).
    """

    detected: Flags
    recognized: Flags
    corrected: Flags
    optional: Flags
    forgiven: Flags
    spurious: Flags
    n_corrected: int
    fitting: Flags


@dataclass(slots=True)
class _Pairs:
    """The pairs of a gold and a system edit that stand at one place, and what is known of each; shape (pairs,).

    Attributes:
        g: Number of the gold edit.
        s: Number of the system edit.
        strict: They align strictly.
        lenient: They align, strictly or leniently.
        from_system: They align, seen from the system's side.
        fits: They align strictly, and the correction is one of the gold edit's.
    """

    g: Numbers
    s: Numbers
    strict: Flags
    lenient: Flags
    from_system: Flags
    fits: Flags

    def gold(self, flags: Flags, n: int) -> Flags:
        """Which of n gold edits have a pair so marked."""
        return _marked(self.g[flags], n)

    def system(self, flags: Flags, n: int) -> Flags:
        """Which of n system edits have a pair so marked."""
        return _marked(self.s[flags], n)


def _marked(numbers: Numbers, n: int) -> Flags:
    marked = np.zeros(n, np.bool_)
    marked[numbers] = True
    return marked


def align(gold: Fragment, system: Sequence[StandoffEdit], rules: Rules) -> Alignment:
    """Align a system's edits with the gold edits of a fragment.

    Raises:
        InputError: If ``edge_space`` needs the source text and the fragment has none, or too many edits overlap.
    """
    edits, n_gold, n_system = gold.edits, len(gold.edits), len(system)
    optional = np.array([_is_optional(edit, rules.optional) for edit in edits], bool)
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
    detected, recognized = pairs.gold(pairs.lenient, n_gold), pairs.gold(pairs.strict, n_gold)
    corrected = pairs.gold(pairs.fits, n_gold)
    forgiven = optional & ~detected
    if rules.csets == "together":
        _together(edits, system, pairs, rules, detected, corrected, forgiven)
    fitting = pairs.system(pairs.fits, n_system)
    counted = int(fitting.sum()) if rules.corrected == "system" else int(corrected.sum())
    spurious = ~pairs.system(pairs.from_system if rules.sides == "apart" else pairs.lenient, n_system)
    return Alignment(detected, recognized, corrected, optional, forgiven, spurious, counted, fitting)


def _overlapping(gold: Fragment, system: Sequence[StandoffEdit], rules: Rules) -> _Pairs:
    """Pairs near each other, those of one span and those that overlap marked."""
    g, s = near_pairs(gold, system, 1 if rules.edge_space else 0)
    (start, end), (s_start, s_end) = offsets(gold.edits), offsets(system)
    start, end, s_start, s_end = start[g], end[g], s_start[s], s_end[s]
    same = (start == s_start) & (end == s_end)
    overlap = (start < s_end) & (s_start < end)
    if rules.insertion == "same":
        overlap &= (start < end) & (s_start < s_end)
    lenient = same | overlap
    return _Pairs(g, s, same, lenient, lenient.copy(), np.zeros_like(same))


def offsets(edits: Sequence[StandoffEdit]) -> tuple[Numbers, Numbers]:
    """Where edits start and end."""
    spans = np.array([(edit.start, edit.end) for edit in edits], np.int64).reshape(-1, 2)
    return spans[:, 0], spans[:, 1]


def near_pairs(gold: Fragment, system: Sequence[StandoffEdit], slack: int) -> tuple[Numbers, Numbers]:
    """Find the pairs whose spans overlap, touch, or leave no more than ``slack`` characters between them.

    Takes time in proportion to the edits and the pairs.

    Args:
        gold: The gold edits.
        system: The system's edits.
        slack: Characters that may lie between.

    Returns:
        Numbers of the gold edit and of the system edit of each pair, by gold edit, then by system edit.

    Raises:
        InputError: If there are more than ``MOST_PAIRS``.
    """
    (start, end), (s_start, s_end) = offsets(gold.edits), offsets(system)
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


def _is_optional(edit: StandoffEdit, rule: str) -> bool:
    if rule == "first":
        return edit.optional and edit.null_at == 0
    return edit.optional and (rule == "any" or "" not in edit.corrections)


def _touch(gold: Sequence[StandoffEdit], system: Sequence[StandoffEdit], rules: Rules, pairs: _Pairs) -> None:
    """Insertions at the edge of a span."""
    (start, end), (s_start, s_end) = offsets(gold), offsets(system)
    touches = (start[pairs.g] <= s_end[pairs.s]) & (s_start[pairs.s] <= end[pairs.g])
    touches &= (start == end)[pairs.g] ^ (s_start == s_end)[pairs.s]
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
    if point.start == span.start:
        return any(whole.startswith(texts) for whole in span.corrections)
    return any(whole.endswith(texts) for whole in span.corrections)


def _edge_space(gold: Fragment, system: Sequence[StandoffEdit], rules: Rules, pairs: _Pairs) -> None:
    """Pairs of edits whose spans differ by no more than a space at each edge.

    They are the same extent if both replace something. Their corrections, and the extents of insertions, are compared
    by the text that the edits make of the characters under either span.
    """
    text = gold.text
    if text is None:
        what = f"fragment {gold.name} has no source text, which edge_space=true compares edits by"
        raise InputError(Problem("hoo-no-text", what, Place(gold.file), fix="--documents=FOLDER"))
    (start, end), (s_start, s_end) = offsets(gold.edits), offsets(system)
    near = (abs(start[pairs.g] - s_start[pairs.s]) <= 1) & (abs(end[pairs.g] - s_end[pairs.s]) <= 1) & ~pairs.strict
    for k in np.flatnonzero(near).tolist():
        one, other = gold.edits[pairs.g[k]], system[pairs.s[k]]
        low, high = min(one.start, other.start), max(one.end, other.end)
        edges = text[low : max(one.start, other.start)] + text[min(one.end, other.end) : high]
        if edges.strip():
            continue
        made = [rules.folded(_made(one, each, text, low, high)) for each in one.corrections]
        said = [rules.folded(_made(other, each, text, low, high)) for each in other.corrections[:1]]
        equal = any(each in made for each in said)
        pairs.strict[k] = equal or not (one.is_insertion or other.is_insertion)
        pairs.fits[k] = equal or (one.unknown and rules.unknown == "accept" and bool(pairs.strict[k]))


def _made(edit: StandoffEdit, correction: str, text: str, low: int, high: int) -> str:
    return text[low : edit.start] + correction + text[edit.end : high]


def _together(
    gold: Sequence[StandoffEdit],
    system: Sequence[StandoffEdit],
    pairs: _Pairs,
    rules: Rules,
    detected: Flags,
    corrected: Flags,
    forgiven: Flags,
) -> None:
    """A consistency set is corrected as a whole, by the same alternative, or not; and left as it is as a whole."""
    sets: dict[str, list[int]] = {}
    for g, edit in enumerate(gold):
        if edit.group:
            sets.setdefault(edit.group, []).append(g)
    fitting: dict[int, list[StandoffEdit]] = {}
    for k in np.flatnonzero(pairs.fits).tolist():
        fitting.setdefault(int(pairs.g[k]), []).append(system[pairs.s[k]])
    failed = np.zeros(len(gold), np.bool_)
    for members in sets.values():
        if len(members) == 1:
            continue
        if detected[members].any():
            forgiven[members] = False
        whole = bool(corrected[members].all())
        if whole and len({len(gold[g].corrections) for g in members}) == 1 and gold[members[0]].corrections:
            whole = bool(set.intersection(*(_alternatives(gold[g], fitting[g], rules) for g in members)))
        failed[members] = not whole
    corrected[failed] = False
    pairs.fits[failed[pairs.g]] = False


def _alternatives(gold: StandoffEdit, system: Sequence[StandoffEdit], rules: Rules) -> set[int]:
    """Which of a gold edit's corrections the system gives."""
    said = {_plain(edit.corrections[0], rules) for edit in system}
    return {at for at, text in enumerate(gold.corrections) if _plain(text, rules) in said}


def _plain(text: str, rules: Rules) -> str:
    folded = rules.folded(text)
    return folded.strip() if rules.edge_space else folded
