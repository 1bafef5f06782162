"""A text pair -> a small, deterministic set of edits that turns one into the other; and edits -> the corrected text.

Formula
    Among all ways to align the two token sequences: fewest inserted, deleted and substituted tokens (Levenshtein
    distance), then fewest edits once neighboring changes are merged, then most tokens kept. A dynamic program
    over (source tokens read, target tokens read, whether an edit is open) with whole-number keys.
Conventions
    Tokens are compared exactly. Changes without an unchanged token between them form one edit, so no two edits touch.
    What both texts begin with is never part of an edit, and neither is what they end with. Of the remaining ties, read
    from the right, a substituted token goes before a deleted one, and a deleted one before an inserted one. Edits have
    no type (``""``): the writer of M2 leaves that field empty. ``UNK`` would be wrong: ERRANT writes it where an
    annotator gave no correction. These are paths of the lattice of minimal edit paths, but the lattice itself is not
    built: it has an entry for nearly every pair of tokens where the texts have little in common. Time and memory grow
    with the product of the two lengths without their common beginning and end.
Source
    The distance is that of Levenshtein 1966; the choice among its alignments is errorbar's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from functools import cache, partial
from operator import itemgetter

from errorbar.core.corpus import Annotation, Corpus, Sentence, TextEdits
from errorbar.core.edit import Edit, check_edits, check_span, check_tokens
from errorbar.core.problems import InputError, Place, Problem, Problems
from errorbar.formats.text import ParallelLine

MOST_CELLS = 4_000_000  # pairs of tokens that are compared: without the kernel two seconds, 300 MB
_SPAN = itemgetter(0, 1)  # of an edit
_KEPT = -1
_EDIT = 1 << 20
_CHANGED = 1 << 40
_NEVER = 1 << 80

_Table = list[list[int]]


def apply_edits(
    tokens: Sequence[str],
    edits: Sequence[Edit],
    *,
    alternative: int = 0,
    optional: bool = True,
    problems: Problems | None = None,
    place: Place = Place(),
) -> list[str]:
    """Apply one annotator's edits to a sentence in text order; the corrected tokens.

    Edits of type ``Um`` (unclear meaning) and edits whose correction is unknown leave the text as it is. Several
    insertions at one point apply in the order given, before the edit that replaces the token there. An edit that has
    fewer alternatives than ``alternative``, counted from 0, gives its first. Overlapping edits and spans outside the
    sentence are recorded in ``problems`` and skipped; None: they are an ``InputError``.
    """
    check_tokens("the source", tokens)
    check_edits("the sentence", edits)
    notebook = Problems() if problems is None else problems
    corrected = _apply(tokens, edits, notebook, lambda: place, alternative, optional)
    if problems is None:
        notebook.raise_errors()
    return corrected


def _apply(
    tokens: Sequence[str],
    edits: Sequence[Edit],
    notebook: Problems,
    where: Callable[[], Place],
    alternative: int = 0,
    optional: bool = True,
) -> list[str]:
    """Apply edits that were looked at; ``where`` makes the place of the sentence, which few need."""
    corrected: list[str] = []
    last, n_tokens = Edit(0, 0, ()), len(tokens)
    # A stable sort: equal insertions keep their order.
    for edit in sorted(edits, key=_SPAN) if len(edits) > 1 else edits:
        start, end, replacements = edit[:3]
        if not replacements or not edit.applicable or (edit.optional and not optional):
            continue
        if not 0 <= start <= end <= n_tokens and not check_span(start, end, n_tokens, where(), notebook):
            continue
        if start < last.end:
            message = f"the edit {start} {end} overlaps the edit {last.start} {last.end}"
            message += " of the same annotator: both cannot be applied"
            notebook.repairable("apply-overlap", message, where(), "the later one is not applied")
            continue
        corrected += tokens[last.end : start]
        corrected += replacements[alternative if 0 <= alternative < len(replacements) else 0].split()
        last = edit
    return [*corrected, *tokens[last.end :]]


def overlaps(edit: Edit, last: Edit) -> bool:
    """Whether an edit cannot be applied after one that stands before it in text order."""
    return edit.start < last.end or (edit.span == last.span and not edit.is_insertion)


def corrected_text(
    sentence: Sentence,
    annotator: str,
    problems: Problems,
    alternative: int = 0,
    optional: bool = True,
    place: Place | None = None,
) -> str:
    """One annotator's version of a sentence; the source where they did not look; as ``apply_edits``.

    ``place`` is where the annotator's edits stand; None: in the line of the sentence.
    """
    tokens, edits, place = sentence.tokens, sentence.annotations.get(annotator), place or Place("", sentence.line)
    if not edits:
        return " ".join(tokens)
    corrected = apply_edits(tokens, edits, alternative=alternative, optional=optional, problems=problems, place=place)
    return " ".join(corrected)


def corrected_texts(corpus: Corpus, problems: Problems) -> dict[str, tuple[str, ...]]:
    """Each annotator's version of every sentence, as ``corrected_text``; edits stand where the corpus says."""

    def correct() -> dict[str, tuple[str, ...]] | None:
        try:
            return {annotator: _correct(corpus, annotator, Problems(limit=1)) for annotator in corpus.annotators}
        except InputError:  # which every caller is told
            return None

    texts = corpus.once("texts", correct)
    return texts or {annotator: _correct(corpus, annotator, problems) for annotator in corpus.annotators}


def _correct(corpus: Corpus, annotator: str, problems: Problems) -> tuple[str, ...]:
    texts = []
    for number, sentence in enumerate(corpus.check().sentences):
        tokens, edits = sentence.tokens, sentence.annotations.get(annotator)
        corrected = _apply(tokens, edits, problems, partial(corpus.place, number, annotator)) if edits else tokens
        texts.append(" ".join(corrected))
    return tuple(texts)


def extract_edits(source: Sequence[str], target: Sequence[str]) -> list[Edit]:
    """Find the edits that turn a source into a target: ``apply_edits`` with them gives back the target.

    They have the type ``""`` and stand in text order, at least one unchanged token between any two. Texts that differ
    in so much that the table of their tokens would have over ``MOST_CELLS`` cells are an ``InputError``.
    """
    check_tokens("the source", source)
    check_tokens("the target", target)
    first, n_after = common_ends(source, target)
    middle, new = source[first : len(source) - n_after], target[first : len(target) - n_after]
    if len(middle) * len(new) > MOST_CELLS:
        message = f"a pair of texts that differ in {len(middle):,} and {len(new):,} tokens is too large to compare"
        expected = f"at most {MOST_CELLS:,} pairs of tokens, such as 2,000 and 2,000"
        raise InputError(Problem("pair-too-large", message, Place(), expected, "split the line"))
    return [Edit(first + i, first + i2, (" ".join(new[j:j2]),)) for i, i2, j, j2 in _aligner()(middle, new)]


def whole_edit(source: Sequence[str], target: Sequence[str]) -> list[Edit]:
    """One edit of all that lies between the first and the last difference; none where there is no difference."""
    first, n_after = common_ends(source, target)
    new = target[first : len(target) - n_after]
    return [Edit(first, len(source) - n_after, (" ".join(new),))] if new or first + n_after < len(source) else []


def parallel_sentences(lines: Iterable[ParallelLine], annotators: Sequence[str]) -> Iterator[Sentence]:
    """Turn lines of parallel text into annotated sentences, one annotator per corrected text."""
    for line in lines:
        source, texts = line.source.split(), zip(annotators, line.corrected, strict=True)
        annotations: dict[str, Annotation] = {}
        try:
            annotations |= {
                name: TextEdits.of_text(extract_edits(source, text.split()), text)
                for name, text in texts
                if text is not None
            }
        except InputError as error:
            raise InputError([replace(each, place=Place("", line.number)) for each in error.problems]) from None
        yield Sentence(line.source, annotations, line.document, line=line.number)


def common_ends(source: Sequence[str], target: Sequence[str]) -> tuple[int, int]:
    """How many tokens both begin with, and how many of the others both end with."""
    shorter = min(len(source), len(target))
    first = next((k for k in range(shorter) if source[k] != target[k]), shorter)
    left = shorter - first
    return first, next((k for k in range(left) if source[-1 - k] != target[-1 - k]), left)


_Spans = list[tuple[int, int, int, int]]


@cache
def _aligner() -> Callable[[Sequence[str], Sequence[str]], _Spans]:
    """The kernel, or its twin."""
    from errorbar.edits.matching import KERNEL  # noqa: PLC0415 - numpy

    try:
        from errorbar.edits._minimal import align  # noqa: PLC0415 - absent without a compiler
    except ImportError:
        return _align
    return align if KERNEL else _align


def _align(source: Sequence[str], target: Sequence[str]) -> _Spans:
    """The edits of the best alignment, left to right: source span and target span of each."""
    closed, opened = _tables(source, target)
    i, j = len(source), len(target)
    in_edit = opened[i][j] < closed[i][j]
    end = (i, j)
    edits: _Spans = []
    while i or j:
        if not in_edit:
            i, j = i - 1, j - 1
            in_edit, end = opened[i][j] < closed[i][j], (i, j)
            continue
        before = opened[i][j] - _CHANGED
        for i_before, j_before in ((i - 1, j - 1), (i - 1, j), (i, j - 1)):
            if i_before < 0 or j_before < 0:
                continue
            if i_before < i and j_before < j and source[i_before] == target[j_before]:
                continue  # an equal pair is kept, not substituted
            begins = closed[i_before][j_before] + _EDIT == before
            if begins or opened[i_before][j_before] == before:
                i, j, in_edit = i_before, j_before, not begins
                break
        if not in_edit:
            edits.append((i, end[0], j, end[1]))
    return edits[::-1]


def _tables(source: Sequence[str], target: Sequence[str]) -> tuple[_Table, _Table]:
    """Smallest key of every pair of prefixes, if it ends between edits and if it ends in one."""
    closed_row, open_row = [0], [_NEVER]
    for _ in target:
        closed_row.append(_NEVER)
        open_row.append(_CHANGED + min(closed_row[-2] + _EDIT, open_row[-1]))
    closed, opened = [closed_row], [open_row]
    for token in source:
        best = [min(pair) for pair in zip(closed_row, open_row, strict=True)]
        enter = [min(between + _EDIT, inside) for between, inside in zip(closed_row, open_row, strict=True)]
        left = enter[0] + _CHANGED
        closed_row, open_row = [_NEVER], [left]
        for j, other in enumerate(target):
            if token == other:
                key = best[j] + _KEPT
                closed_row.append(key)
                here = min(enter[j + 1], left) + _CHANGED
                left = min(key + _EDIT, here)
            else:
                closed_row.append(_NEVER)
                left = here = min(enter[j], enter[j + 1], left) + _CHANGED
            open_row.append(here)
        closed.append(closed_row)
        opened.append(open_row)
    return closed, opened


# A sentence cut where several sets of its edits agree to leave it: chunks that each set changes as a whole or not.


Span = tuple[int, int]


def select_applied(edits: Iterable[Edit]) -> list[Edit]:
    """The edits that say what the text should become, in text order; of those that overlap, the first."""
    kept: list[Edit] = []
    for edit in sorted((each for each in edits if each.applicable), key=lambda each: each.span):
        if not kept or not overlaps(edit, kept[-1]):
            kept.append(edit)
    return kept


def find_changed_chunks(sides: Iterable[Sequence[Edit]]) -> list[Span]:
    """The chunks that some side changes: the spans of all edits, joined where they overlap or touch."""
    chunks: list[Span] = []
    for start, end in sorted(edit.span for edits in sides for edit in edits):
        if chunks and start <= chunks[-1][1]:
            chunks[-1] = chunks[-1][0], max(end, chunks[-1][1])
        else:
            chunks.append((start, end))
    return chunks


def within(edits: Sequence[Edit], chunk: Span) -> list[Edit]:
    """A side's edits of a chunk."""
    return [edit for edit in edits if chunk[0] <= edit.start and edit.end <= chunk[1]]


def chunk_text(tokens: Sequence[str], chunk: Span, edits: Sequence[Edit]) -> list[str]:
    """The text of a chunk after the first alternatives of a side's edits."""
    return [token for one in _pieces(tokens, chunk, edits) for token in one[0]]


def says(tokens: Sequence[str], chunk: Span, edits: Sequence[Edit], text: Sequence[str]) -> bool:
    """Whether some alternatives of a side's edits make this text of a chunk."""
    ends = {0}
    for alternatives in _pieces(tokens, chunk, edits):
        ends = {at + len(words) for at in ends for words in alternatives if list(text[at : at + len(words)]) == words}
    return len(text) in ends


def _pieces(tokens: Sequence[str], chunk: Span, edits: Sequence[Edit]) -> Iterable[list[list[str]]]:
    """The alternatives of each piece of a chunk, edited or not."""
    at = chunk[0]
    for edit in edits:
        yield [list(tokens[at : edit.start])]
        yield [text.split() for text in edit.replacements]
        at = edit.end
    yield [list(tokens[at : chunk[1]])]


# What annotators delete: of each edit the tokens that its correction does not have and puts nothing in place of.
#
# Conventions An edit is cut into the smallest ones (``extract_edits``) between its tokens and its first correction;
# those that replace or insert something are left out. So ``in the`` to ``the`` deletes ``in``, ``on`` to ``in``
# nothing. A token that the correction has as often as the source was moved, not deleted. Edits of unclear meaning and
# those without a correction delete nothing.


GONE = ("",)


def only_deletions(corpus: Corpus) -> Corpus:
    """The corpus with nothing but deletions, token by token, of the types of their edits; who looked stays known."""
    sentences = [
        replace(
            sentence,
            annotations={
                name: tuple(piece for edit in edits for piece in _delete_word_by_word(edit, sentence.tokens))
                for name, edits in sentence.annotations.items()
            },
        )
        for sentence in corpus.sentences
    ]
    return Corpus(sentences, corpus.annotators, corpus.name)


def _delete_word_by_word(edit: Edit, tokens: Sequence[str]) -> Iterator[Edit]:
    if not edit.applicable or edit.is_insertion:
        return
    source, target = tokens[edit.start : edit.end], edit.replacements[0].split()
    gone = Counter(source) - Counter(target)
    for piece in extract_edits(source, target):
        if piece.replacements != GONE:
            continue
        for at in range(piece.start, piece.end):
            if gone[source[at]] > 0:
                gone[source[at]] -= 1
                yield edit._replace(start=edit.start + at, end=edit.start + at + 1, replacements=GONE)


# Edits cut into minimal pieces: what they change, without the unchanged words that they carry along.
#
# Conventions A piece is a stretch of the source and what stands there instead, with no unchanged token in it. The
# longest stretch that both texts share is kept first, then the longest on either side of it. Two edits that change the
# same are the same pieces, wherever they begin and end. An edit that changes nothing has no piece. Source Ratcliff &
# Metzener 1988, Pattern matching: the gestalt approach, Dr. Dobb's Journal, as Python's difflib has it.


Piece = tuple[int, int, str]
"""First token, one past the last, what stands there instead."""


def minimal_pieces(tokens: Sequence[str], start: int, end: int, replacement: str) -> tuple[Piece, ...]:
    """The pieces of an edit of some tokens, in text order."""
    before, after = list(tokens[start:end]), replacement.split()
    return tuple(
        (start + one, start + two, " ".join(after[three:four]))
        for kind, one, two, three, four in SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        if kind != "equal"
    )


def as_edits(pieces: Sequence[Piece], kind: str = "") -> list[Edit]:
    """Pieces as edits of a type."""
    return [Edit(start, end, (text,), kind) for start, end, text in pieces]


def apply_pieces(tokens: Sequence[str], start: int, end: int, pieces: Sequence[Piece]) -> str:
    """The tokens from ``start`` to ``end`` after the pieces, which lie in them."""
    shown, at = list[str](), start
    for first, last, text in pieces:
        shown += [*tokens[at:first], *([text] if text else [])]
        at = last
    return " ".join([*shown, *tokens[at:end]])
