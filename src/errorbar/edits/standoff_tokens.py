"""Characters and tokens: stand-off edits as token edits of sentences, and back.

Tokens are the words of ``errorbar.edits.standoff_texts``; how edits of characters become edits of words is told in
``errorbar.edits.standoff_words``. The index of an edit travels in the comment, so that it comes back.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import accumulate

from errorbar.core.corpus import Sentence
from errorbar.core.edit import UNCLEAR, Edit
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment, StandoffEdit, in_text_order
from errorbar.edits.standoff_texts import Words
from errorbar.edits.standoff_words import Placed, place_edits

_SENTENCE_END = re.compile(r"[.?!][\"')\]]*\s+(?=[\"'(]?[A-Z])|\n\s*")
_INDEX = re.compile(r"\S+-\d+")


def fragment_sentences(fragment: Fragment, annotator: str, problems: Problems) -> Iterator[Sentence]:
    """Cut a fragment into sentences with one annotator's token edits.

    A sentence ends with a line, and at a full stop, question or exclamation mark before white space and a capital;
    never inside of an edit. The white space of the text is not kept; edits that change nothing else are left out. Notes
    say both.

    A fragment without a text gives nothing and is recorded as an error.
    """
    text = fragment.text
    if text is None:
        problems.error("hoo-no-text", f"fragment {fragment.name}: no source text", Place(fragment.file))
        return
    words = Words(text)
    placed: list[tuple[Edit, int]] = []
    for each in place_edits(fragment.edits, words, Place(fragment.file)):
        _note_changes(each, fragment, problems)
        if each.edit is not None:
            placed.append((each.edit, each.start))
    cuts = _cuts(text, words.starts, [edit for edit, _ in placed])
    placed.sort(key=lambda pair: pair[0].start)  # of equal ones the first stays first
    starts = [edit.start for edit, _ in placed]
    for low, high in zip([0, *cuts], [*cuts, len(words.tokens)], strict=True):
        mine = [
            edit._replace(start=edit.start - low, end=edit.end - low)
            for edit, at in placed[bisect_left(starts, low) : bisect_right(starts, high)]
            if edit.end <= high and _belongs(edit, at, low, high, words.ends)
        ]
        ordered = tuple(sorted(mine, key=lambda edit: edit.span))
        yield Sentence(" ".join(words.tokens[low:high]), {annotator: ordered}, fragment.name)


def _note_changes(placed: Placed, fragment: Fragment, problems: Problems) -> None:
    """Say what tokens cannot hold of an edit, or of several that meet in one word."""
    called = [edit.index or f"{edit.start} {edit.end}" for edit in placed.of]
    if placed.edit is None:
        said = f"edit {', '.join(called)} changes nothing but white space; left out"
    elif len(called) == 1:
        return
    else:
        said = f"edits {' and '.join(called)} meet in one word; made one edit"
        groups = list(dict.fromkeys(edit.group for edit in placed.of if edit.group))
        if len(groups) > 1:
            said += f" of consistency set {groups[0]}, and no longer of {' and '.join(groups[1:])}"
        if any(edit.optional for edit in placed.of) and not placed.edit.optional:
            said += ", not optional"
        if placed.left_out:
            rest = ", ".join(edit.index or f"{edit.start} {edit.end}" for edit in placed.left_out)
            said += f", without {rest}, which overlaps an earlier one"
    problems.note("hoo-cannot-hold", f"fragment {fragment.name}: as tokens, {said}", Place(fragment.file))


def note_spacing(sentences: Iterable[tuple[Fragment, Sequence[Sentence]]], problems: Problems) -> None:
    """Name the fragments whose text is more than its tokens, a space between them, a line for each sentence."""
    pairs = list(sentences)
    lost = [
        one.name for one, made in pairs if one.text != "".join(f"{' '.join(sentence.tokens)}\n" for sentence in made)
    ]
    if lost:
        what = f"tokens cannot hold white space: the text of {len(lost)} of {len(pairs)} fragments does not come back"
        fix = "--to=jsonl keeps the text and every character"
        problems.note("hoo-cannot-hold", f"{what} ({', '.join(lost)})", Place(), fix=fix)


def check_sentences(
    fragments: Iterable[Fragment], sentences: Iterable[Sentence], annotator: str, problems: Problems
) -> None:
    """See that sentences are still those that were made of the fragments, whose edits are used instead of theirs.

    Differences are recorded, and so are annotators whose edits are not used.
    """
    there: dict[str, list[Sentence]] = {}
    others = Counter[str]()
    for sentence in sentences:
        there.setdefault(sentence.document, []).append(sentence)
        others.update({name: len(edits) for name, edits in sentence.annotations.items() if name != annotator})
    for one in fragments:
        made = [(s.text, s.annotations[annotator]) for s in fragment_sentences(one, annotator, Problems(lenient=True))]
        found = [(s.text, s.annotations.get(annotator)) for s in there.pop(one.name, [])]
        if made != found:
            what = f"fragment {one.name}: its sentences are not those of its stand-off record"
            expected, repair = "both unchanged, or no record", "the stand-off record is used"
            problems.repairable("hoo-changed", what, Place(one.file), expected=expected, repair=repair)
    for name in there:
        what = f"the sentences of document '{name}' have no stand-off record beside those that have"
        problems.repairable("hoo-changed", what, Place(), expected="a record for each", repair="they are left out")
    for name, count in sorted(others.items()):
        what = f"HOO cannot hold the edits of annotator {name} beside those of {annotator} ({count} edits); left out"
        problems.note("hoo-cannot-hold", what, Place())


def _belongs(edit: Edit, at: int, low: int, high: int, ends: Sequence[int]) -> bool:
    """Whose an insertion between two sentences is: the first one's where it stands right behind its last word."""
    if edit.start < edit.end or low < edit.start < high:
        return True
    behind = edit.start > 0 and at == ends[edit.start - 1]
    if edit.start == high and high < len(ends):
        return behind and low < high
    return not (edit.start == low and low > 0 and behind)


def _cuts(text: str, starts: Sequence[int], edits: Iterable[Edit]) -> list[int]:
    """First words of sentences, without the very first."""
    inside = {k for edit in edits for k in range(edit.start + 1, edit.end)}
    found = {bisect_left(starts, match.end()) for match in _SENTENCE_END.finditer(text)}
    return sorted(k for k in found - inside if 0 < k < len(starts))


def sentences_fragments(
    sentences: Iterable[Sentence], annotator: str, problems: Problems, *, name: str = "text"
) -> list[Fragment]:
    """Join sentences into fragments with one annotator's character edits.

    Sentences of one document are lines of one text, tokens separated by one space. What HOO cannot hold is noted.

    Sentences without a document become the fragment ``name``; where the annotator did not look, there is no edit, and
    a note says so.
    """
    lines: dict[str, list[str]] = {}
    edits: dict[str, list[StandoffEdit]] = {}
    sizes: dict[str, int] = {}
    lost = Counter[str]()
    for sentence in sentences:
        document = sentence.document or name
        at = sizes.get(document, 0)
        tokens = sentence.tokens
        line = " ".join(tokens)
        starts = [0, *accumulate(len(token) + 1 for token in tokens)]
        for edit in sentence.annotations.get(annotator, ()):
            edits.setdefault(document, []).append(_standoff_edit(edit, line, starts, at, lost))
        lines.setdefault(document, []).append(line)
        sizes[document] = at + len(lines[document][-1]) + 1
        if annotator not in sentence.annotations:
            lost[f"that annotator {annotator} did not look"] += 1
        lost.update(f"the edits of annotator {other}" for other in sentence.annotations.keys() - {annotator})
        if sentence.writer:
            lost["the writer"] += 1
    for part, count in sorted(lost.items()):
        what = f"HOO cannot hold {part} ({count} {'time' if count == 1 else 'times'}); left out"
        problems.note("hoo-cannot-hold", what, Place())
    return [
        Fragment(document, in_text_order(edits.get(document, ())), "\n".join(lines[document]) + "\n")
        for document in lines
    ]


def _standoff_edit(edit: Edit, text: str, starts: Sequence[int], at: int, lost: Counter[str]) -> StandoffEdit:
    """An edit of tokens as one of characters: tokens start at ``starts`` of the text, which starts at ``at``."""
    n_tokens = len(starts) - 1
    start, end = starts[edit.start], max(starts[edit.start], starts[edit.end] - 1)
    head = tail = ""
    if edit.is_insertion:
        if edit.start == n_tokens:
            start = end = len(text)
            head = " " if n_tokens else ""
        else:
            end, tail = start, " "
    elif "" in edit.replacements:  # a deletion takes one space along
        if edit.end < n_tokens:
            end, tail = end + 1, " "
        elif edit.start:
            start, head = start - 1, " "
    corrections = tuple(f"{head}{each}{tail}" if each else "" for each in edit.replacements)
    index = edit.comment if _INDEX.fullmatch(edit.comment) else ""
    if edit.comment and not index:
        lost["comments"] += 1
    if edit.type == UNCLEAR:
        corrections = ()  # its empty correction stands for none
    return StandoffEdit(
        index, at + start, at + end, text[start:end], corrections, edit.optional, 0, edit.type, edit.group
    )
