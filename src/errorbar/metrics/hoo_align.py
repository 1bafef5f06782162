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


def align(gold: Fragment, system: Sequence[StandoffEdit], rules: Rules) -> Alignment:
    """Align a system's edits with the gold edits of a fragment.

    Raises:
        InputError: If ``edge_space`` needs the source text and the fragment has none.
    """
    edits = gold.edits
    optional = np.array([_is_optional(edit, rules.optional) for edit in edits], bool)
    start, end = _offsets(edits)
    s_start, s_end = _offsets(system)
    start, end = start[:, None], end[:, None]
    same = (start == s_start) & (end == s_end)
    strict, lenient = same.copy(), same | _overlap(start, end, s_start, s_end, rules.insertion)
    from_system = lenient.copy()
    if rules.insertion in ("touch", "text"):
        _touch(edits, system, rules, strict, lenient, from_system)
    fits = np.zeros_like(same)
    for g, s in zip(*np.nonzero(strict), strict=True):
        fits[g, s] = _fits(edits[g], system[s], rules)
    if rules.edge_space:
        _edge_space(gold, system, rules, strict, fits)
        lenient |= strict
        from_system |= strict
    detected, recognized, corrected = lenient.any(1), strict.any(1), fits.any(1)
    forgiven = optional & ~detected
    if rules.sets_together:
        _together(edits, system, fits, rules, detected, corrected, forgiven)
    counted = int(fits.any(0).sum()) if rules.count_system else int(corrected.sum())
    spurious = ~(from_system if rules.apart else lenient).any(0)
    return Alignment(detected, recognized, corrected, optional, forgiven, spurious, counted, fits.any(0))


def _offsets(edits: Sequence[StandoffEdit]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    spans = np.array([(edit.start, edit.end) for edit in edits], np.int64).reshape(-1, 2)
    return spans[:, 0], spans[:, 1]


def _overlap(
    start: NDArray[np.int64], end: NDArray[np.int64], s_start: NDArray[np.int64], s_end: NDArray[np.int64], rule: str
) -> Flags:
    overlap: Flags = (start < s_end) & (s_start < end)
    if rule == "same":
        overlap &= (start < end) & (s_start < s_end)
    return overlap


def _is_optional(edit: StandoffEdit, rule: str) -> bool:
    if rule == "first":
        return edit.optional and edit.null_at == 0
    return edit.optional and (rule == "any" or "" not in edit.corrections)


def _touch(
    gold: Sequence[StandoffEdit],
    system: Sequence[StandoffEdit],
    rules: Rules,
    strict: Flags,
    lenient: Flags,
    from_system: Flags,
) -> None:
    """Insertions at the edge of a span."""
    start, end = _offsets(gold)
    s_start, s_end = _offsets(system)
    start, end = start[:, None], end[:, None]
    touches = (start <= s_end) & (s_start <= end) & ((start == end) ^ (s_start == s_end))
    for g, s in zip(*np.nonzero(touches & ~lenient), strict=True):
        one, other = gold[g], system[s]._replace(corrections=system[s].corrections[:1])
        point, span = (one, other) if one.is_insertion else (other, one)
        if rules.insertion == "text" and not _same_at_edge(point, span):
            continue
        lenient[g, s] = True
        # Seen from the system's side, only the system's own insertion is compared with the other's text.
        from_system[g, s] = rules.insertion == "touch" or other.is_insertion
        strict[g, s] = rules.one_character and span.end - span.start == 1


def _same_at_edge(point: StandoffEdit, span: StandoffEdit) -> bool:
    """Whether one of the span's corrections begins (or ends) with a text of the insertion at its start (or end).

    White space counts: ``a `` is the end of ``Such a ``, where the span takes the space along.
    """
    texts = [text for text in point.corrections if text]
    if point.start == span.start:
        return any(whole.startswith(text) for whole in span.corrections for text in texts)
    return any(whole.endswith(text) for whole in span.corrections for text in texts)


def _fits(gold: StandoffEdit, system: StandoffEdit, rules: Rules) -> bool:
    if gold.unknown:
        return rules.accept_unknown
    if not system.corrections:
        return False
    said = system.corrections[0]
    if rules.ignore_case:
        return said.lower() in [text.lower() for text in gold.corrections]
    return said in gold.corrections


def _edge_space(gold: Fragment, system: Sequence[StandoffEdit], rules: Rules, strict: Flags, fits: Flags) -> None:
    """Pairs of edits whose spans differ by no more than a space at each edge.

    They are the same extent if both replace something. Their corrections, and the extents of insertions, are compared
    by the text that the edits make of the characters under either span.
    """
    text = gold.text
    if text is None:
        what = f"fragment {gold.name} has no source text, which edge_space=true compares edits by"
        raise InputError(Problem("hoo-no-text", what, Place(gold.file), fix="--source FOLDER"))
    start, end = _offsets(gold.edits)
    s_start, s_end = _offsets(system)
    near = (abs(start[:, None] - s_start) <= 1) & (abs(end[:, None] - s_end) <= 1) & ~strict
    for g, s in zip(*np.nonzero(near), strict=True):
        one, other = gold.edits[g], system[s]
        low, high = min(one.start, other.start), max(one.end, other.end)
        edges = text[low : max(one.start, other.start)] + text[min(one.end, other.end) : high]
        if edges.strip():
            continue
        made = [_made(one, said, text, low, high) for said in one.corrections]
        said = _made(other, other.corrections[0], text, low, high) if other.corrections else None
        if rules.ignore_case:
            made, said = [each.lower() for each in made], said.lower() if said is not None else None
        equal = said in made
        strict[g, s] = equal or not (one.is_insertion or other.is_insertion)
        fits[g, s] = equal or (one.unknown and rules.accept_unknown and bool(strict[g, s]))


def _made(edit: StandoffEdit, correction: str, text: str, low: int, high: int) -> str:
    return text[low : edit.start] + correction + text[edit.end : high]


def _together(
    gold: Sequence[StandoffEdit],
    system: Sequence[StandoffEdit],
    fits: Flags,
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
    for members in sets.values():
        if len(members) == 1:
            continue
        if detected[members].any():
            forgiven[members] = False
        whole = bool(corrected[members].all())
        if whole and len({len(gold[g].corrections) for g in members}) == 1 and gold[members[0]].corrections:
            ways = [
                _alternatives(gold[g], [system[s] for s in np.flatnonzero(fits[g]).tolist()], rules) for g in members
            ]
            whole = bool(set.intersection(*ways))
        if not whole:
            corrected[members] = False
            fits[members] = False


def _alternatives(gold: StandoffEdit, system: Sequence[StandoffEdit], rules: Rules) -> set[int]:
    """Which of a gold edit's corrections the system gives."""
    fold = str.lower if rules.ignore_case else str
    said = {fold(edit.corrections[0]).strip() if rules.edge_space else fold(edit.corrections[0]) for edit in system}
    return {
        at
        for at, text in enumerate(gold.corrections)
        if (fold(text).strip() if rules.edge_space else fold(text)) in said
    }
