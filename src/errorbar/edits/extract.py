"""A text pair -> edits: a small, deterministic set of edits that turns one text into the other.

Formula
    Among the paths of the lattice of minimal edit paths: fewest inserted, deleted and substituted tokens
    (Levenshtein distance), then fewest edits once neighbouring changes are merged, then most tokens kept.
Conventions
    Tokens are compared exactly. Changes without an unchanged token between them form one edit, so no two edits
    touch. What both texts begin with is never part of an edit, and neither is what they end with; of the remaining
    ties the path wins that is found first when the lattice is read from left to right. Edits have no type
    (``""``): the writer of M2 leaves that field empty. ``UNK`` would be wrong: ERRANT writes it where an annotator
    gave no correction.
    Time and memory grow with the product of the two lengths without their common beginning and end.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from errorbar.core.corpus import Annotation, Sentence
from errorbar.core.edit import Edit
from errorbar.edits.lattice import Edge, Lattice, Vertex, edit_lattice
from errorbar.formats.text import ParallelLine

_Key = tuple[int, int, int]  # changed tokens, edits, minus tokens kept
_State = tuple[Vertex, bool]  # where, and whether an edit is open


def extract_edits(source: Sequence[str], target: Sequence[str]) -> list[Edit]:
    """Find the edits that turn a source into a target.

    ``apply_edits(source, extract_edits(source, target))`` gives back the target.

    Args:
        source: Source tokens.
        target: Corrected tokens.

    Returns:
        Edits of type ``""`` in text order, with at least one unchanged token between any two.
    """
    first, rest = _common_ends(source, target)
    path = _best_path(edit_lattice(source[first : len(source) - rest], target[first : len(target) - rest]))
    edits: list[Edit] = []
    for start, end in path:
        i, i2, j, j2 = (first + n for n in (start[0], end[0], start[1], end[1]))
        edits.append(Edit(i, i2, (" ".join(target[j:j2]),)))
    return edits


def parallel_sentences(lines: Iterable[ParallelLine], annotators: Sequence[str]) -> Iterator[Sentence]:
    """Turn lines of parallel text into annotated sentences, one annotator per corrected text."""
    for line in lines:
        tokens = line.source.split()
        annotations: dict[str, Annotation] = {
            name: tuple(extract_edits(tokens, text.split()))
            for name, text in zip(annotators, line.corrected, strict=True)
        }
        yield Sentence(line.source, annotations, line=line.number)


def _common_ends(source: Sequence[str], target: Sequence[str]) -> tuple[int, int]:
    shorter = min(len(source), len(target))
    first = 0
    while first < shorter and source[first] == target[first]:
        first += 1
    rest = 0
    while rest < shorter - first and source[-1 - rest] == target[-1 - rest]:
        rest += 1
    return first, rest


def _best_path(lattice: Lattice) -> list[Edge]:
    """The edits of the best path as arcs of the lattice, left to right."""
    start = (lattice.vertices[0], False)
    best: dict[_State, _Key] = {start: (0, 0, 0)}
    arrived: dict[_State, _State] = {}
    for edge in dict.fromkeys(lattice.edges):  # sorted by their first vertex, so every state is final when it is left
        kept = lattice.is_match(edge)
        for is_open in (False, True):
            key = best.get((edge[0], is_open))
            if key is None:
                continue
            changed, n_edits, n_kept = key
            new = (changed, n_edits, n_kept - 1) if kept else (changed + 1, n_edits + (not is_open), n_kept)
            state = (edge[1], not kept)
            if state not in best or new < best[state]:
                best[state] = new
                arrived[state] = (edge[0], is_open)
    last = lattice.vertices[-1]
    state = min((s for s in ((last, False), (last, True)) if s in best), key=lambda s: best[s])
    edits: list[Edge] = []
    end: Vertex | None = None
    while True:
        vertex, is_open = state
        if is_open and end is None:
            end = vertex
        elif not is_open and end is not None:
            edits.append((vertex, end))
            end = None
        if state not in arrived:
            return edits[::-1]
        state = arrived[state]
