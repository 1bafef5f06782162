"""Characters and tokens: stand-off edits as token edits of sentences, and back.

Conventions
    Tokens are the words of ``errorbar.edits.standoff_texts``. An edit that touches part of a word covers all of it.
    Edits are joined where, one by one, they would not give the text that they give together: where they share a word,
    where their order would change, or where two insertions at one place say the same. The k-th correction of a joined
    edit is made of the k-th ones (of the first one of an edit that has fewer); type and consistency set are the first
    ones given, and it is optional if all are. An edit that overlaps an earlier one is left out of it, as
    ``apply_standoff`` leaves it out. The index of an edit travels in the comment, so that it comes back.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from errorbar.core.corpus import Sentence
from errorbar.core.edit import Edit, Fragment, StandoffEdit, in_text_order
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.edits.standoff_texts import WORD, Words
from errorbar.edits.texts import apply_edits

MOST_TOGETHER = 100  # edits that meet where no white space parts them; three pairs of the 2,281 edits of 2011 do
MOST_NEIGHBORS = 50  # words looked at on either side where no white space parts them: a text of stops has no end
_SENTENCE_END = re.compile(r"[.?!][\"')\]]*\s+(?=[\"'(]?[A-Z])|\n\s*")


@dataclass(frozen=True, slots=True)
class Placed:
    """A character edit, or several joined, as an edit of words."""

    edit: Edit | None  # None where only white space changes
    of: tuple[StandoffEdit, ...]  # in text order
    left_out: tuple[StandoffEdit, ...] = ()  # those of them that overlap an earlier one

    @property
    def start(self) -> int:
        """The first character of its span."""
        return self.of[0].start

    @property
    def end(self) -> int:
        """One past the last character of its span."""
        return max(each.end for each in self.of)


def place_edits(edits: Iterable[StandoffEdit], words: Words, place: Place) -> list[Placed]:
    """Edits of words from the character edits of a text, in text order; none overlap. ``InputError``: too many meet."""
    placed: list[Placed] = []
    for edit in in_text_order(edits):
        new = Placed(word_edit(edit, words), (edit,))
        while placed and _meet(placed, new, words, place):
            new = _join((*placed.pop().of, *new.of), words)
            if len(new.of) > MOST_TOGETHER:
                raise _too_dense(new, place)
        placed.append(new)
    return placed


def fragment_sentences(fragment: Fragment, annotator: str, problems: Problems) -> Iterator[Sentence]:
    """Cut a fragment into sentences with one annotator's token edits.

    A sentence ends with a line, and at a full stop, question or exclamation mark before white space and a capital;
    never inside of an edit. Edits that change nothing but white space are left out and noted.
    """
    if fragment.text is None:
        problems.error("hoo-no-text", f"fragment {fragment.name}: no source text", Place(fragment.file))
        return
    words = Words(fragment.text)
    found = place_edits(fragment.edits, words, Place(fragment.file))
    for each in found:
        _note_changes(each, fragment, problems)
    placed = [(each.edit, each.start) for each in found if each.edit is not None]
    inside = {k for edit, _ in placed for k in range(edit.start + 1, edit.end)}
    ends = {bisect_left(words.starts, match.end()) for match in _SENTENCE_END.finditer(words.text)}
    cuts = sorted(k for k in ends - inside if 0 < k < len(words.tokens))
    placed.sort(key=lambda pair: pair[0].start)  # of equal ones the first stays first
    starts = [edit.start for edit, _ in placed]
    for low, high in zip([0, *cuts], [*cuts, len(words.tokens)], strict=True):
        near = placed[bisect_left(starts, low) : bisect_right(starts, high)]
        own = [edit for edit, at in near if edit.end <= high and _belongs(edit, at, low, high, words.ends)]
        mine = [edit._replace(start=edit.start - low, end=edit.end - low) for edit in own]
        mine.sort(key=lambda edit: edit.span)
        yield Sentence(" ".join(words.tokens[low:high]), {annotator: tuple(mine)}, fragment.name)


def _note_changes(placed: Placed, fragment: Fragment, problems: Problems) -> None:
    """Say what tokens cannot hold of an edit, or of several that meet in one word."""
    called = [edit.called for edit in placed.of]
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
            said += f", without {', '.join(edit.called for edit in placed.left_out)}, which overlaps an earlier one"
    problems.note("hoo-cannot-hold", f"fragment {fragment.name}: as tokens, {said}", Place(fragment.file))


def note_spacing(sentences: Iterable[tuple[Fragment, Sequence[Sentence]]], problems: Problems) -> None:
    """Name the fragments whose text is more than its tokens, a space between them, a line for each sentence."""
    pairs = list(sentences)
    lost = [one.name for one, made in pairs if one.text != "".join(f"{' '.join(each.tokens)}\n" for each in made)]
    if lost:
        what = f"tokens cannot hold white space: the text of {len(lost)} of {len(pairs)} fragments does not come back"
        what += f" ({', '.join(lost)})"
        problems.note("hoo-cannot-hold", what, Place(), "--to=jsonl keeps the text and every character")


def check_sentences(
    fragments: Iterable[Fragment], sentences: Iterable[Sentence], annotator: str, problems: Problems
) -> None:
    """Record where sentences say something else than the fragments, whose edits are used instead of theirs."""
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
            expected = "both unchanged, or no record"
            problems.repairable("hoo-changed", what, Place(one.file), "the stand-off record is used", expected)
    for name in there:
        what = f"the sentences of document '{name}' have no stand-off record beside those that have"
        problems.repairable("hoo-changed", what, Place(), "they are left out", "a record for each")
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


def _meet(placed: Sequence[Placed], new: Placed, words: Words, place: Place) -> bool:
    """Whether the new edit must be joined with the last one (and then perhaps with the one before)."""
    if new.edit is not None:
        before = (each.edit for each in reversed(placed) if each.edit is not None)
        for number, edit in enumerate(before):
            if not number and edit.end > new.edit.start:
                return True
            if edit.span != new.edit.span:
                break
            said, again = edit.replacements, new.edit.replacements
            if not edit.is_insertion or said == again or not set(said).isdisjoint(again):
                return True
    # Where no white space parts edits, words may grow together that each edit alone leaves apart.
    chain = [new]
    for each in reversed(placed):
        if any(char.isspace() for char in words.text[each.end : chain[0].start]):
            break
        chain.insert(0, each)
        if len(chain) > MOST_TOGETHER:
            raise _too_dense(new, place)
    if len(chain) == 1:
        return False
    apart = [each.edit for each in chain if each.edit is not None]
    joined = _join([edit for each in chain for edit in each.of], words).edit
    together = [] if joined is None else [joined]
    low = min((edit.start for edit in (*apart, *together)), default=0)
    high = max((edit.end for edit in (*apart, *together)), default=0)
    one, other = (
        [edit._replace(start=edit.start - low, end=edit.end - low, type="") for edit in edits]
        for edits in (apart, together)
    )
    window = words.tokens[low:high]
    return apply_edits(window, one) != apply_edits(window, other)


def _too_dense(new: Placed, place: Place) -> InputError:
    what = f"more than {MOST_TOGETHER} edits meet where no white space parts them, up to character {new.end}"
    return InputError(Problem("hoo-too-dense", what, place, fix="are edits repeated? words cannot hold so many"))


def _join(edits: Sequence[StandoffEdit], words: Words) -> Placed:
    ordered = in_text_order(edits)
    start, end = ordered[0].start, max(edit.end for edit in ordered)
    kept, left_out = list[StandoffEdit](), list[StandoffEdit]()
    done = 0
    for edit in ordered:
        clash = bool(edit.corrections) and edit.start < done
        (left_out if clash else kept).append(edit)
        done = edit.end if edit.corrections and not clash else done
    corrections = []
    for k in range(max(len(edit.corrections) for edit in kept)):
        parts: list[str] = []
        done = start
        for edit in kept:
            if edit.corrections:
                parts += words.text[done : edit.start], edit.corrections[k if k < len(edit.corrections) else 0]
                done = edit.end
        corrections.append("".join([*parts, words.text[done:end]]))
    index = "+".join(edit.index for edit in ordered if edit.index)
    optional, group = all(edit.optional for edit in ordered), next((edit.group for edit in ordered if edit.group), "")
    said = (words.text[start:end], tuple(dict.fromkeys(corrections)), optional, 0, ordered[0].type, group)
    joined = StandoffEdit(index, start, end, *said)
    return Placed(word_edit(joined, words), ordered, tuple(left_out))


def word_edit(edit: StandoffEdit, words: Words) -> Edit | None:
    """One character edit as an edit of words; None where only white space changes."""
    text, starts, ends = words.text, words.starts, words.ends
    low, high = bisect_right(ends, edit.start), bisect_left(starts, edit.end)
    if low > high:  # an insertion inside of a word
        low, high = high, low
    # Neighbors on each side, as far as no white space parts them, show what the correction grows together with
    # ("model" + "s", "x" + "'a").
    wide_low, wide_high = max(low - 1, 0), min(high + 1, len(starts))
    first, last = wide_low - MOST_NEIGHBORS, wide_high + MOST_NEIGHBORS
    while wide_low > max(first, 0) and ends[wide_low - 1] == starts[wide_low]:
        wide_low -= 1
    while 0 < wide_high < min(last, len(starts)) and ends[wide_high - 1] == starts[wide_high]:
        wide_high += 1
    head = text[starts[wide_low] : edit.start] if wide_low < len(starts) else ""
    tail = text[edit.end : ends[wide_high - 1]] if wide_high else ""
    made = [WORD.findall(head + correction + tail) for correction in edit.corrections]
    if not made:
        wide_low, wide_high = low, high
    while wide_low < low and all(tokens[:1] == [words.tokens[wide_low]] for tokens in made):
        made, wide_low = [tokens[1:] for tokens in made], wide_low + 1
    while wide_high > high and all(tokens[-1:] == [words.tokens[wide_high - 1]] for tokens in made):
        made, wide_high = [tokens[:-1] for tokens in made], wide_high - 1
    replacements = tuple(" ".join(tokens) for tokens in made)
    before = " ".join(words.tokens[wide_low:wide_high])
    if replacements and all(each == before for each in replacements):
        return None
    return Edit(wide_low, wide_high, replacements, edit.type, edit.optional, edit.group, edit.index)
