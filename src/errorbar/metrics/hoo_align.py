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
from errorbar.metrics.hoo_pairs import Numbers, near_pairs, offsets

Flags = NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Rules:
    """What decides an alignment; the fields are those of ``errorbar.metrics.hoo.Hoo``.

    Attributes:
        insertion: When an insertion aligns with a span: ``inside``, ``touch``, ``same`` or ``text``.
        one_character: An insertion that aligns at the edge of a span of one character aligns strictly.
        apart: Look for spurious edits from the system's side alone.
        ignore_case: Compare corrections without regard to case.
        edge_space: Edits that differ in a space at an edge can be the same.
        optional: Which edits are optional: ``any``, ``first`` or ``replacement``.
        accept_unknown: Any correction will do where none is known.
        sets_together: Score consistency sets as a whole.
        count_system: Count corrected system edits, not gold edits.
    """

    insertion: str
    one_character: bool
    apart: bool
    ignore_case: bool
    edge_space: bool
    optional: str
    accept_unknown: bool
    sets_together: bool
    count_system: bool


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
    pairs = _overlapping(gold, system, rules)
    if rules.insertion in ("touch", "text"):
        _touch(edits, system, rules, pairs)
    wanted = [frozenset(_folded(text, rules) for text in edit.corrections) for edit in edits]
    said = [_folded(edit.corrections[0], rules) if edit.corrections else None for edit in system]
    for k in np.flatnonzero(pairs.strict).tolist():
        g = pairs.g[k]
        pairs.fits[k] = rules.accept_unknown if edits[g].unknown else said[pairs.s[k]] in wanted[g]
    if rules.edge_space:
        _edge_space(gold, system, rules, pairs)
        pairs.lenient |= pairs.strict
        pairs.from_system |= pairs.strict
    detected, recognized = pairs.gold(pairs.lenient, n_gold), pairs.gold(pairs.strict, n_gold)
    corrected = pairs.gold(pairs.fits, n_gold)
    forgiven = optional & ~detected
    if rules.sets_together:
        _together(edits, system, pairs, rules, detected, corrected, forgiven)
    fitting = pairs.system(pairs.fits, n_system)
    counted = int(fitting.sum()) if rules.count_system else int(corrected.sum())
    spurious = ~pairs.system(pairs.from_system if rules.apart else pairs.lenient, n_system)
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


def _is_optional(edit: StandoffEdit, rule: str) -> bool:
    if rule == "first":
        return edit.optional and edit.null_at == 0
    return edit.optional and (rule == "any" or "" not in edit.corrections)


def _folded(text: str, rules: Rules) -> str:
    return text.lower() if rules.ignore_case else text


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
        raise InputError(Problem("hoo-no-text", what, Place(gold.file), fix="--source FOLDER"))
    (start, end), (s_start, s_end) = offsets(gold.edits), offsets(system)
    near = (abs(start[pairs.g] - s_start[pairs.s]) <= 1) & (abs(end[pairs.g] - s_end[pairs.s]) <= 1) & ~pairs.strict
    for k in np.flatnonzero(near).tolist():
        one, other = gold.edits[pairs.g[k]], system[pairs.s[k]]
        low, high = min(one.start, other.start), max(one.end, other.end)
        edges = text[low : max(one.start, other.start)] + text[min(one.end, other.end) : high]
        if edges.strip():
            continue
        made = [_folded(_made(one, each, text, low, high), rules) for each in one.corrections]
        said = [_folded(_made(other, each, text, low, high), rules) for each in other.corrections[:1]]
        equal = any(each in made for each in said)
        pairs.strict[k] = equal or not (one.is_insertion or other.is_insertion)
        pairs.fits[k] = equal or (one.unknown and rules.accept_unknown and bool(pairs.strict[k]))


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
    folded = _folded(text, rules)
    return folded.strip() if rules.edge_space else folded
