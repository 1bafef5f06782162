"""Stand-off edits and texts: applying edits, and finding the edits between two texts.

Formula
    Words (runs of letters and digits with inner apostrophes and hyphens, and the inner stops of 3.5 and e.g.) and
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
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from itertools import accumulate, pairwise

from errorbar.core.edit import StandoffEdit, in_text_order
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.edits.texts import extract_edits

_STOP = r"\.(?:(?<=\d\.)(?=\d)|(?<=\b[^\W\d_]\.)(?=[^\W\d_]\b))"  # looked around only where one is
WORD = re.compile(rf"\w+(?:(?:['’-]|{_STOP})\w+)*|[^\w\s]")
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
    place: Place = Place(),  # noqa: B008 - frozen
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
            what = f"edit {edit.called}: it overlaps another one or ends past the text"
            notebook.repairable("hoo-overlap", what, place, "it is not applied")
            continue
        parts += text[done : edit.start], edit.corrections[0]
        done = edit.end
    if problems is None:
        notebook.raise_errors()
    return "".join([*parts, text[done:]])


def extract_standoff(source: str, target: str, name: str = "") -> list[StandoffEdit]:
    """The edits that turn a source text into a target text, in text order; ``name`` is for their indexes."""
    before, after = words_of(source), words_of(target)
    found = _spans(before, after, changed_blocks(before.tokens, after.tokens))
    spans = enumerate(found, 1)
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


def changed_blocks(source: Sequence[str], target: Sequence[str]) -> list[_Block]:
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
    found: dict[tuple[str, ...], int] = {}
    for at, run in enumerate(zip(*(words[k:] for k in range(length)), strict=False)):
        found[run] = -1 if run in found else at
    return {run: at for run, at in found.items() if at >= 0}


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
