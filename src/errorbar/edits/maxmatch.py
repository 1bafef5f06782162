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

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from errorbar.core.edit import Edit, check_edits, check_tokens
from errorbar.core.errors import InputError, Place, Problem, wrong_type
from errorbar.edits.large import cheapest_path_large
from errorbar.edits.lattice import MAX_ARCS, Arcs, Edge, Lattice, ReferenceEdit, cheapest_path, edit_lattice, merge

EPSILON = 0.001
MAX_CELLS = 1 << 25  # of the distance table, (source tokens + 1) * (hypothesis tokens + 1); larger pairs are refused
# States of the large search for all annotators of a sentence, beyond which a pair is refused (.4 s); of each:
# (source tokens + 1 + reference insertions) * (hypothesis tokens + 1) * (``max_unchanged`` + 2).
MAX_STATES = 1 << 26

_Groups = dict[tuple[int, int], list[Edge]]


@dataclass(frozen=True, slots=True)
class Rules:
    """How edits are found."""

    max_unchanged: int = 2  # words that an edit may span, as in the official scorer
    ignore_case_space: bool = False  # drop proposed edits that only change letter case or white space
    kernel: bool | None = None  # by the kernel, by its twin, or by the kernel where there is one
    arc_limit: int = MAX_ARCS  # entries of the arc list beyond which ``errorbar.edits.large`` takes over


DEFAULT_RULES = Rules()


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
        return match_all(source, hypothesis, [reference], Rules(max_unchanged, ignore_case_space))[0]
    except PairTooLargeError:
        raise too_large("the source", len(source), len(hypothesis), Place()) from None


def too_large(what: str, n_source: int, n_hypothesis: int, place: Place) -> InputError:
    """The refusal of a text that is too long to be compared with its hypothesis."""
    said = f"{what} has {n_source} tokens and its hypothesis {n_hypothesis}: too many to compare"
    all_different = f"where most of them differ, {MAX_STATES // 4:,} divided by the annotators"
    expected = f"at most {MAX_CELLS:,} pairs of their tokens; {all_different}; fewer with a larger max_unchanged"
    return InputError(Problem("pair-too-large", said, place, expected, "split the line"))


def replacement_tokens(text: str) -> list[str]:
    """The tokens of a correction as written: only a single space is between two, and other white space matches none."""
    return text.split(" ") if text else []


def match_all(
    source: Sequence[str], hypothesis: Sequence[str], references: Sequence[Sequence[Edit]], rules: Rules
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
        wanted = [ReferenceEdit(*edit.span, said) for edit, said in zip(reference, texts, strict=True)]
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
            edits = [each for each in edits if _folded(source[each.start : each.end]) != _folded(each.replacements[0])]
        matched, hits = _matched(edits, wanted)
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
        found = next((index for index in candidates if _hit(lattice, arc, reference[index])), None)
        if found is None:
            cost[arc] += EPSILON
            if from_left:
                low, current = low + 1, high
            else:
                high, current = high - 1, low
            continue
        cost[arc] = hit_cost
        if from_left:
            first, low = found + 1, low + 1
            while low < len(group) and group[low][0] != arc[1]:
                cost[group[low]] += EPSILON
                low += 1
            current = low
        else:
            last, high = found - 1, high - 1
            while high >= 0 and group[high][1] != arc[0]:
                cost[group[high]] += EPSILON
                high -= 1
            current = high
    return cost


def _hit(lattice: Lattice, arc: Edge, edit: ReferenceEdit) -> bool:
    return tuple(lattice.hypothesis[arc[0][1] : arc[1][1]]) in edit.replacements


def _matched(proposed: list[ReferenceEdit], reference: list[ReferenceEdit]) -> tuple[list[int], list[bool]]:
    """Match proposed edits with reference edits, both left to right; a repeated reference edit matches again."""
    matched: list[int] = []
    hits: list[bool] = []
    for start, end, (tokens,) in proposed:
        rest = range(matched[-1] + 1 if matched else 0, len(reference))
        found = [at for at in rest if (start, end) == reference[at][:2] and tokens in reference[at].replacements]
        matched += found
        hits.append(bool(found))
    return matched, hits


def _folded(tokens: Sequence[str]) -> str:
    return "".join([character.lower() for token in tokens for character in token])
