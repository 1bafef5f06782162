"""Characters and tokens: stand-off edits as token edits of sentences, and back.

Tokens are the words of ``errorbar.edits.standoff``. An edit that touches part of a word becomes an edit of the whole
word. The index of an edit travels in the comment, so that it comes back.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Sequence

from errorbar.core.corpus import Sentence
from errorbar.core.edit import UNCLEAR, Edit
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment, StandoffEdit, in_text_order
from errorbar.edits.standoff import WORD

_SENTENCE_END = re.compile(r"[.?!][\"')\]]*\s+(?=[\"'(]?[A-Z])|\s*\n\s*")
_INDEX = re.compile(r"\S+-\d+")


def fragment_sentences(fragment: Fragment, annotator: str, problems: Problems) -> Iterator[Sentence]:
    """Cut a fragment into sentences with one annotator's token edits.

    A sentence ends with a line, and at a full stop, question or exclamation mark before white space and a capital;
    never inside of an edit. The white space of the text is not kept; edits that change nothing else are left out. Notes
    say both.

    Args:
        fragment: The text and its edits; a fragment without a text gives nothing and is recorded as an error.
        annotator: Whose edits they are.
        problems: Where what was left out is recorded.
    """
    text = fragment.text
    if text is None:
        problems.error("hoo-no-text", f"fragment {fragment.name}: no source text", Place(fragment.file))
        return
    words = [match.span() for match in WORD.finditer(text)]
    starts, ends = [start for start, _ in words], [end for _, end in words]
    placed: list[tuple[Edit, int]] = []
    for edit in fragment.edits:
        found = _token_edit(edit, text, starts, ends)
        if found is None:
            what = f"edit {edit.index}: it changes white space only, which tokens cannot hold; left out"
            problems.note("hoo-cannot-hold", what, Place(fragment.file))
        else:
            placed.append((found, edit.start))
    cuts = _cuts(text, starts, ends, [edit for edit, _ in placed])
    tokens = [text[start:end] for start, end in words]
    for low, high in zip([0, *cuts], [*cuts, len(words)], strict=True):
        mine = [
            edit._replace(start=edit.start - low, end=edit.end - low)
            for edit, at in placed
            if low <= edit.start and edit.end <= high and _belongs(edit, at, low, high, ends)
        ]
        ordered = tuple(sorted(mine, key=lambda edit: edit.span))
        yield Sentence(" ".join(tokens[low:high]), {annotator: ordered}, fragment.name)


def _belongs(edit: Edit, at: int, low: int, high: int, ends: Sequence[int]) -> bool:
    """Whose an insertion between two sentences is: the first one's where it stands right behind its last word."""
    if edit.start < edit.end or low < edit.start < high:
        return True
    behind = edit.start > 0 and at == ends[edit.start - 1]
    if edit.start == high and high < len(ends):
        return behind and low < high
    return not (edit.start == low and low > 0 and behind)


def _token_edit(edit: StandoffEdit, text: str, starts: Sequence[int], ends: Sequence[int]) -> Edit | None:
    low, high = bisect_right(ends, edit.start), bisect_left(starts, edit.end)
    if low > high:  # an insertion inside of a word
        low, high = high, low
    # A neighbor on each side shows whether the correction grows together with it ("model" + "s").
    wide_low, wide_high = max(low - 1, 0), min(high + 1, len(starts))
    head = text[starts[wide_low] : edit.start] if wide_low < len(starts) else ""
    tail = text[edit.end : ends[wide_high - 1]] if wide_high else ""
    made = [WORD.findall(head + correction + tail) for correction in edit.corrections]
    if made and wide_low < low:
        word = text[starts[wide_low] : ends[wide_low]]
        if all(tokens[:1] == [word] for tokens in made):
            made, wide_low = [tokens[1:] for tokens in made], low
    else:
        wide_low = low
    if made and wide_high > high:
        word = text[starts[high] : ends[high]]
        if all(tokens[-1:] == [word] for tokens in made):
            made, wide_high = [tokens[:-1] for tokens in made], high
    else:
        wide_high = high
    replacements = tuple(" ".join(tokens) for tokens in made)
    before = " ".join(text[a:b] for a, b in zip(starts[wide_low:wide_high], ends[wide_low:wide_high], strict=True))
    if replacements and all(each == before for each in replacements):
        return None
    return Edit(wide_low, wide_high, replacements, edit.type, edit.optional, edit.group, edit.index)


def _cuts(text: str, starts: Sequence[int], ends: Sequence[int], edits: Iterable[Edit]) -> list[int]:
    """First words of sentences, without the very first."""
    inside = {k for edit in edits for k in range(edit.start + 1, edit.end)}
    found = {bisect_left(starts, match.end()) for match in _SENTENCE_END.finditer(text)}
    return sorted(k for k in found - inside if 0 < k < len(starts))


def sentences_fragments(
    sentences: Iterable[Sentence], annotator: str, problems: Problems, *, name: str = "text"
) -> list[Fragment]:
    """Join sentences into fragments with one annotator's character edits.

    Sentences of one document are lines of one text, tokens separated by one space. What HOO cannot hold is noted.

    Args:
        sentences: The sentences.
        annotator: Whose edits to take; where they did not look, the sentence has none, and a note says so.
        problems: Where notes go.
        name: What to call the fragment of sentences without a document.
    """
    lines: dict[str, list[str]] = {}
    edits: dict[str, list[StandoffEdit]] = {}
    sizes: dict[str, int] = {}
    lost: dict[str, int] = {}
    for sentence in sentences:
        document = sentence.document or name
        at = sizes.get(document, 0)
        tokens = sentence.tokens
        for edit in sentence.annotations.get(annotator, ()):
            edits.setdefault(document, []).append(_standoff_edit(edit, tokens, at, lost))
        lines.setdefault(document, []).append(" ".join(tokens))
        sizes[document] = at + len(lines[document][-1]) + 1
        if annotator not in sentence.annotations:
            lost[f"that annotator {annotator} did not look"] = (
                lost.get(f"that annotator {annotator} did not look", 0) + 1
            )
        for other in sentence.annotations.keys() - {annotator}:
            lost[f"the edits of annotator {other}"] = lost.get(f"the edits of annotator {other}", 0) + 1
        if sentence.writer:
            lost["the writer"] = lost.get("the writer", 0) + 1
    for what, count in sorted(lost.items()):
        problems.note("hoo-cannot-hold", f"HOO cannot hold {what} ({count} times); left out", Place())
    return [
        Fragment(document, in_text_order(edits.get(document, ())), "\n".join(lines[document]) + "\n")
        for document in lines
    ]


def _standoff_edit(edit: Edit, tokens: Sequence[str], at: int, lost: dict[str, int]) -> StandoffEdit:
    text = " ".join(tokens)
    starts = [0]
    for token in tokens:
        starts.append(starts[-1] + len(token) + 1)
    start, end = starts[edit.start], max(starts[edit.start], starts[edit.end] - 1)
    head = tail = ""
    if edit.is_insertion:
        if edit.start == len(tokens):
            start = end = len(text)
            head = " " if tokens else ""
        else:
            end, tail = start, " "
    elif "" in edit.replacements:  # a deletion takes one space along
        if edit.end < len(tokens):
            end, tail = end + 1, " "
        elif edit.start:
            start, head = start - 1, " "
    corrections = tuple(f"{head}{each}{tail}" if each else "" for each in edit.replacements)
    index = edit.comment if _INDEX.fullmatch(edit.comment) else ""
    if edit.comment and not index:
        lost["comments"] = lost.get("comments", 0) + 1
    if edit.type == UNCLEAR:
        corrections = ()  # its empty correction stands for none
    return StandoffEdit(
        index, at + start, at + end, text[start:end], corrections, edit.optional, 0, edit.type, edit.group
    )
