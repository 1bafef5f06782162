"""Stand-off edits and texts: applying edits, and finding the edits between two texts.

Formula
    Words (runs of letters, their marks and digits, with inner apostrophes, hyphens, and the stops of 3.5 and e.g.) and
    single other characters that are not white space are aligned with the fewest inserted, deleted and substituted
    ones, then with the fewest edits (errorbar.edits.texts). Every run of changed words becomes one edit; the white
    space around it decides where an edit begins and ends.
Conventions
    Edits begin and end at words, so words changed side by side form one edit. A deleted word takes the white space
    after it along, where the white space before it stays (``such manner`` + space, as the annotators of HOO do),
    else that before it. A word is inserted before the next word with a space after it, a comma behind the last word.
    Changed white space between kept words is an edit of its own. Applying the edits gives the target to the
    character, undoing them the source. In texts of more than ``SMALL`` word pairs, runs of eight (then four, then
    two) words that occur once in either text are fixed first, and the fewest changes are looked for between them.
Source
    errorbar's own; the examples of where edits begin and end are those of the HOO 2011 gold edits.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import accumulate, pairwise
from unicodedata import category

from errorbar.core.corpus import Sentence
from errorbar.core.edit import Edit, Fragment, StandoffEdit, in_text_order
from errorbar.core.problems import InputError, Place, Problem, Problems
from errorbar.edits.texts import apply_edits, extract_edits

_MARKS = "".join(map(chr, (code for code in range(0x300, 0x10000) if category(chr(code))[0] == "M")))
LETTERS = rf"\w[\w{_MARKS}\u200c\u200d]*"  # with their marks (accents, vowel signs; of the basic plane) and joiners
_STOP = r"\.(?:(?<=\d\.)(?=\d)|(?<=\b[^\W\d_]\.)(?=[^\W\d_]\b))"  # looked around only where one is
WORD = re.compile(rf"{LETTERS}(?:(?:['’-]|{_STOP}){LETTERS})*|[^\w\s]")
SMALL = 2_500  # word pairs that are compared one with each other without fixing anything first
# Word pairs that are compared in all, and more for each word of the texts. Larger stretches beyond are one edit each.
MOST_PAIRS, PAIRS_A_WORD = 1_000_000, 20
_RUNS = (8, 4, 2, 1)

_Block = tuple[int, int, int, int]


def apply_standoff(
    text: str,
    edits: Iterable[StandoffEdit],
    *,
    problems: Problems | None = None,
    place: Place = Place(),
) -> str:
    """Apply each edit's first correction; edits without one leave the text as it is.

    Several insertions at one point are applied in the order given, before an edit that replaces what follows. Edits
    that overlap are recorded in ``problems``, and the later one is left out; None: they are an ``InputError``.
    """
    notebook = Problems() if problems is None else problems
    parts: list[str] = []
    done = 0
    for edit in in_text_order(edits):
        if not edit.corrections:
            continue
        if edit.start < done or edit.end > len(text):
            message = f"edit {edit.called}: it overlaps another one or ends past the text"
            notebook.repairable("hoo-overlap", message, place, "it is not applied")
            continue
        parts += text[done : edit.start], edit.corrections[0]
        done = edit.end
    if problems is None:
        notebook.raise_errors()
    return "".join([*parts, text[done:]])


def extract_standoff(source: str, target: str, name: str = "") -> list[StandoffEdit]:
    """The edits that turn a source text into a target text, in text order; ``name`` is for their indexes."""
    before, after = words_of(source), words_of(target)
    changes = _spans(before, after, find_changed_blocks(before.tokens, after.tokens))
    spans = enumerate(changes, 1)
    return [StandoffEdit(f"{name}-{at:04d}", low, high, source[low:high], (text,)) for at, (low, high, text) in spans]


class Words:
    """A text cut into words: where each of them, and the white space before it and at the end, starts and ends."""

    def __init__(self, text: str) -> None:
        self.text = text
        spans = [match.span() for match in WORD.finditer(text)]
        self.tokens = [text[start:end] for start, end in spans]
        self.starts = [start for start, _ in spans]
        self.ends = [end for _, end in spans]
        self.gap_starts = [0, *self.ends]
        self.gap_ends = [*self.starts, len(text)]

    def gap(self, before: int) -> str:
        """White space before a word (of the number one past the last: at the end of the text)."""
        return self.text[self.gap_starts[before] : self.gap_ends[before]]


@lru_cache(maxsize=64)
def words_of(text: str) -> Words:
    """A text's words; kept, as many runs correct one source, and a text is judged before it is compared."""
    return Words(text)


def _spans(source: Words, target: Words, blocks: Sequence[_Block]) -> Iterator[tuple[int, int, str]]:
    """Character spans and corrections of changed words and of changed white space between kept ones."""
    i = j = 0
    for low, high, first, last in [*blocks, (len(source.tokens) + 1, 0, 0, 0)]:
        # Mostly, the text from the gap before word i to that before the block is the same on both sides.
        here = source.text[source.gap_starts[i] : source.gap_ends[low - 1]] if low > i else ""
        if low > i and here != target.text[target.gap_starts[j] : target.gap_ends[j + low - 1 - i]]:
            for gap in range(i, low):
                there = target.gap(j + gap - i)
                if source.gap(gap) != there:
                    yield source.gap_starts[gap], source.gap_ends[gap], there
        if low <= len(source.tokens):
            yield _edit_span(source, target, (low, high, first, last))
        # The gap after the block belongs to it.
        i, j = high + 1, last + 1


def _edit_span(source: Words, target: Words, block: _Block) -> tuple[int, int, str]:
    low, high, first, last = block
    before, after = source.gap(low), source.gap(high)
    new_before, new_after = target.gap(first), target.gap(last)
    if low == high:  # an insertion: the one white space becomes two
        if before == new_before:
            at = source.gap_ends[low]
            return at, at, target.text[target.gap_ends[first] : target.gap_ends[last]]
        if before == new_after:
            at = source.gap_starts[low]
            return at, at, target.text[target.gap_starts[first] : target.gap_starts[last]]
    elif first == last:  # a deletion: of two white spaces one is left
        if new_before == before:
            return source.gap_ends[low], source.gap_ends[high], ""
        if new_before == after:
            return source.gap_starts[low], source.gap_starts[high], ""
    else:
        start, begin = source.gap_ends[low], target.gap_ends[first]
        end, stop = source.gap_starts[high], target.gap_starts[last]
        if before != new_before:
            start, begin = source.gap_starts[low], target.gap_starts[first]
        if after != new_after:
            end, stop = source.gap_ends[high], target.gap_ends[last]
        return start, end, target.text[begin:stop]
    return source.gap_starts[low], source.gap_ends[high], target.text[target.gap_starts[first] : target.gap_ends[last]]


def find_changed_blocks(source: Sequence[str], target: Sequence[str]) -> list[_Block]:
    """Changed blocks: source words low to high became target words first to last."""
    blocks: list[_Block] = []
    stretches = [
        (i, j, i2, j2)
        for (i, j), (i2, j2) in pairwise([(0, 0), *_cuts(source, target, 0, 0, 0), (len(source), len(target))])
        if source[i:i2] != target[j:j2]
    ]
    largest = _largest([(i2 - i) * (j2 - j) for i, j, i2, j2 in stretches], len(source) + len(target))
    for i, j, i2, j2 in stretches:
        old, new = source[i:i2], target[j:j2]
        if len(old) * len(new) > largest:
            blocks.append((i, i2, j, j2))
            continue
        shift = j - i
        for edit in extract_edits(old, new):
            low, high = i + edit.start, i + edit.end
            first = low + shift
            last = first + len(edit.replacements[0].split())
            shift += last - first - (high - low)
            blocks.append((low, high, first, last))
    return blocks


def _largest(sizes: Sequence[int], n_words: int) -> int:
    """Word pairs of the largest stretch that is compared, so that all those up to it are affordable together."""
    most = MOST_PAIRS + PAIRS_A_WORD * n_words
    ordered = sorted(sizes)
    together = dict(zip(ordered, accumulate(ordered), strict=True))  # of equal sizes, the last sum
    return max((size for size, total in together.items() if total <= most), default=0)


def _cuts(source: Sequence[str], target: Sequence[str], i: int, j: int, level: int) -> Iterator[tuple[int, int]]:
    """Places (source word, target word) where the texts are cut: inside of runs that occur once in either."""
    if len(source) * len(target) <= SMALL or level == len(_RUNS) or source == target:
        return
    length = _RUNS[level]
    here, there = _single_runs(source, length), _single_runs(target, length)
    pairs = [(at, other) for run, at in here.items() if (other := there.get(run, -1)) >= 0]
    middle = length // 2
    places = [(a + middle, b + middle) for a, b in _borders(_ascending(pairs))]
    for (a, b), (a2, b2) in pairwise([(0, 0), *places, (len(source), len(target))]):
        if (a, b) != (0, 0):
            yield i + a, j + b
        yield from _cuts(source[a:a2], target[b:b2], i + a, j + b, level + 1)


def _borders(chain: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """The first and the last of places that follow each other in both texts: nothing changes between them."""
    same = [b[0] - a[0] == 1 == b[1] - a[1] for a, b in pairwise(chain)]
    inner = [False, *(left and right for left, right in pairwise(same)), False]
    return [place for place, skip in zip(chain, inner, strict=True) if not skip] if len(chain) > 2 else list(chain)


def _single_runs(words: Sequence[str], length: int) -> dict[tuple[str, ...], int]:
    """Where each run of words stands that occurs once, in text order."""
    places: dict[tuple[str, ...], int] = {}
    for at, run in enumerate(zip(*(words[k:] for k in range(length)), strict=False)):
        places[run] = -1 if run in places else at
    return {run: at for run, at in places.items() if at >= 0}


def _ascending(pairs: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """A longest part of the pairs whose second numbers ascend too; mostly, all of them do."""
    if all(a[1] < b[1] for a, b in pairwise(pairs)):
        return list(pairs)
    tails: list[int] = []
    ends: list[int] = []
    before: list[int] = []
    for number, (_, second) in enumerate(pairs):
        at = bisect_left(tails, second)
        before.append(ends[at - 1] if at else -1)
        tails[at : at + 1] = [second]
        ends[at : at + 1] = [number]
    chain = []
    number = ends[-1]
    while number >= 0:
        chain.append(pairs[number])
        number = before[number]
    return chain[::-1]


# Characters and tokens: stand-off edits as token edits of sentences, and back.
#
# Conventions
#     Tokens are the words of ``errorbar.edits.standoff``. An edit that touches part of a word covers all of it.
#     Edits are joined where, one by one, they would not give the text that they give together: where they share a word,
#     where their order would change, or where two insertions at one place say the same. The k-th correction of a joined
#     edit is made of the k-th ones (of the first one of an edit that has fewer); type and consistency set are the first
#     ones given, and it is optional if all are. An edit that overlaps an earlier one is left out of it, as
#     ``apply_standoff`` leaves it out. The index of an edit travels in the comment, so that it comes back.


MOST_TOGETHER = 100  # edits that meet where no white space parts them; three pairs of the 2,281 edits of 2011 do
MOST_NEIGHBORS = 50  # words looked at on either side where no white space parts them: a text of stops has no end
_SENTENCE_END = re.compile(r"[.?!][\"')\]]*\s+(?=[\"'(]?[A-Z])|\n\s*")


@dataclass(frozen=True, slots=True)
class TokenEdit:
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


def place_edits(edits: Iterable[StandoffEdit], words: Words, place: Place) -> list[TokenEdit]:
    """Edits of words from the character edits of a text, in text order; none overlap. ``InputError``: too many meet."""
    placed: list[TokenEdit] = []
    for edit in in_text_order(edits):
        new = TokenEdit(word_edit(edit, words), (edit,))
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
    token_edits = place_edits(fragment.edits, words, Place(fragment.file))
    for token_edit in token_edits:
        _note_changes(token_edit, fragment, problems)
    placed = [(token_edit.edit, token_edit.start) for token_edit in token_edits if token_edit.edit is not None]
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


def _note_changes(placed: TokenEdit, fragment: Fragment, problems: Problems) -> None:
    """Say what tokens cannot hold of an edit, or of several that meet in one word."""
    called = [edit.called for edit in placed.of]
    if placed.edit is None:
        message = f"edit {', '.join(called)} changes nothing but white space; left out"
    elif len(called) == 1:
        return
    else:
        message = f"edits {' and '.join(called)} meet in one word; made one edit"
        groups = list(dict.fromkeys(edit.group for edit in placed.of if edit.group))
        if len(groups) > 1:
            message += f" of consistency set {groups[0]}, and no longer of {' and '.join(groups[1:])}"
        if any(edit.optional for edit in placed.of) and not placed.edit.optional:
            message += ", not optional"
        if placed.left_out:
            message += f", without {', '.join(edit.called for edit in placed.left_out)}, which overlaps an earlier one"
    problems.note("hoo-cannot-hold", f"fragment {fragment.name}: as tokens, {message}", Place(fragment.file))


def note_spacing(sentences: Iterable[tuple[Fragment, Sequence[Sentence]]], problems: Problems) -> None:
    """Name the fragments whose text is more than its tokens, a space between them, a line for each sentence."""
    pairs = list(sentences)
    lost = [
        one.name
        for one, cut_sentences in pairs
        if one.text != "".join(f"{' '.join(each.tokens)}\n" for each in cut_sentences)
    ]
    if lost:
        message = (
            f"tokens cannot hold white space: the text of {len(lost)} of {len(pairs)} fragments does not come back"
        )
        message += f" ({', '.join(lost)})"
        problems.note("hoo-cannot-hold", message, Place(), "--to=jsonl keeps the text and every character")


def check_sentences(
    fragments: Iterable[Fragment], sentences: Iterable[Sentence], annotator: str, problems: Problems
) -> None:
    """Record where sentences say something else than the fragments, whose edits are used instead of theirs."""
    there: dict[str, list[Sentence]] = {}
    others = Counter[str]()
    for sentence in sentences:
        there.setdefault(sentence.document, []).append(sentence)
        others.update({name: len(edits) for name, edits in sentence.annotations.items() if name != annotator})
    for fragment in fragments:
        projected = [
            (s.text, s.annotations[annotator]) for s in fragment_sentences(fragment, annotator, Problems(lenient=True))
        ]
        sentences_there = [(s.text, s.annotations.get(annotator)) for s in there.pop(fragment.name, [])]
        if projected != sentences_there:
            message = f"fragment {fragment.name}: its sentences are not those of its stand-off record"
            expected = "both unchanged, or no record"
            problems.repairable("hoo-changed", message, Place(fragment.file), "the stand-off record is used", expected)
    for name in there:
        message = f"the sentences of document '{name}' have no stand-off record beside those that have"
        problems.repairable("hoo-changed", message, Place(), "they are left out", "a record for each")
    for name, count in sorted(others.items()):
        message = f"HOO cannot hold the edits of annotator {name} beside those of {annotator} ({count} edits); left out"
        problems.note("hoo-cannot-hold", message, Place())


def _belongs(edit: Edit, at: int, low: int, high: int, ends: Sequence[int]) -> bool:
    """Whose an insertion between two sentences is: the first one's where it stands right behind its last word."""
    if edit.start < edit.end or low < edit.start < high:
        return True
    behind = edit.start > 0 and at == ends[edit.start - 1]
    if edit.start == high and high < len(ends):
        return behind and low < high
    return not (edit.start == low and low > 0 and behind)


def _meet(placed: Sequence[TokenEdit], new: TokenEdit, words: Words, place: Place) -> bool:
    """Whether the new edit must be joined with the last one (and then perhaps with the one before)."""
    if new.edit is not None:
        before = (each.edit for each in reversed(placed) if each.edit is not None)
        for number, edit in enumerate(before):
            if not number and edit.end > new.edit.start:
                return True
            if edit.span != new.edit.span:
                break
            texts, again = edit.replacements, new.edit.replacements
            if not edit.is_insertion or texts == again or not set(texts).isdisjoint(again):
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


def _too_dense(new: TokenEdit, place: Place) -> InputError:
    message = f"more than {MOST_TOGETHER} edits meet where no white space parts them, up to character {new.end}"
    return InputError(Problem("hoo-too-dense", message, place, fix="are edits repeated? words cannot hold so many"))


def _join(edits: Sequence[StandoffEdit], words: Words) -> TokenEdit:
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
    fields = (words.text[start:end], tuple(dict.fromkeys(corrections)), optional, 0, ordered[0].type, group)
    joined = StandoffEdit(index, start, end, *fields)
    return TokenEdit(word_edit(joined, words), ordered, tuple(left_out))


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
    texts = [WORD.findall(head + correction + tail) for correction in edit.corrections]
    if not texts:
        wide_low, wide_high = low, high
    while wide_low < low and all(tokens[:1] == [words.tokens[wide_low]] for tokens in texts):
        texts, wide_low = [tokens[1:] for tokens in texts], wide_low + 1
    while wide_high > high and all(tokens[-1:] == [words.tokens[wide_high - 1]] for tokens in texts):
        texts, wide_high = [tokens[:-1] for tokens in texts], wide_high - 1
    replacements = tuple(" ".join(tokens) for tokens in texts)
    before = " ".join(words.tokens[wide_low:wide_high])
    if replacements and all(each == before for each in replacements):
        return None
    return Edit(wide_low, wide_high, replacements, edit.type, edit.optional, edit.group, edit.index)
