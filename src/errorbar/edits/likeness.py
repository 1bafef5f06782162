"""Evidence, over a whole file, that a text is a correction of a source: counted in pieces, and summed.

Formula
    Of a line that differs from its source line, S and H are the sets of words. It is *unlike* its source where
    2|S ∩ H| < ``ALIKE`` (|S| + |H|) and the same share of letter triples (case and white space ignored) is below
    ``UNLIKE``. ``moved`` is the share of word triples of the unlike source lines that stand anywhere in the unlike
    lines of the text, or of the text's that stand in the source, whichever is smaller.
Conventions
    A source line of fewer than ``SHORTEST`` different words says nothing, and neither does an empty line, which is
    counted apart. A mark is *joined* where the source has it apart, the line does not, and a new word of the line ends
    with it. A line has *other quotes* where a word of it differs from the source's only in the form of quotation marks
    or apostrophes, has *other accents* where one differs only in how its letters and marks are composed (NFC, NFD), and
    is *numbered* where it begins with ``1.``, ``1)`` or a tab behind the number, unlike its source line. A source line
    is *whole* where its last word ends in a full stop, ``?`` or ``!``, as in text that nobody tokenized. Word triples
    are drawn by their hash, at most ``MOST_TRIPLES`` of either side, so that memory does not grow; how a file is cut
    changes nothing.
Source
    errorbar's own; thresholds: docs/design/hypotheses.md.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import accumulate, pairwise
from unicodedata import normalize
from zlib import crc32

Words = frozenset[str]
Changed = tuple[int, Words, Words]  # a line with other words: its number, from 0; the source's words; its own

SHORTEST = 4  # words of a source line that is judged
ALIKE = 0.5  # of words: 98 % of the sentences of very free rewritings share more
UNLIKE = 0.3  # of letter triples: corrections that share fewer words keep .4 and more, unrelated sentences .25 at most
MOST_TRIPLES, MOST_WAITING = 4096, 1 << 17  # kept of a side; held before a sample is drawn
SHOWN, MOST_NAMED = 30, 5  # characters of a line that are quoted; lines that are named
_DOUBLE = re.compile(r"``|''|[“”„‟«»]")
_SINGLE = str.maketrans("’‘‛`´", "'''''")
_QUOTES = frozenset("“”„‟«»’‘‛`´'\"")
_NUMBERED = re.compile(r"\s*\(?\d+([.):](?=\s)|\t)")
_ENDS = frozenset(".?!")
_MARKS = frozenset(".,;:?!()[]{}%\"'")


@dataclass(slots=True)
class NamedLines:
    """How many lines, and the numbers of the first ones, counted from 1."""

    n: int = 0
    first: list[int] = field(default_factory=list)
    example: tuple[str, str] = ("", "")  # from the first of them: a word of the line, and what the source has

    def note(self, number: int, example: tuple[str, str] = ("", "")) -> None:
        """Count one."""
        self.add(NamedLines(1, [number], example), 0)

    def add(self, other: NamedLines, before: int) -> None:
        """Take those of a later piece, which so many lines come before."""
        self.n += other.n
        self.first += [before + number for number in other.first[: MOST_NAMED - len(self.first)]]
        self.example = self.example if self.example[0] else other.example

    def __str__(self) -> str:
        return f"{'line' if self.n == 1 else 'lines'} {self._name_lines()}"

    def are(self, what: str) -> str:
        """``line 2 is empty``; ``6 lines (2, 3, 4, 5, 6, ...) are empty``."""
        return (
            f"line {self._name_lines()} is {what}"
            if self.n == 1
            else f"{self.n:,} lines ({self._name_lines()}) are {what}"
        )

    def _name_lines(self) -> str:
        return ", ".join(map(str, self.first)) + (", ..." if self.n > len(self.first) else "")


@dataclass(slots=True)
class TripleSample:
    """Hashes of word triples: those that end in ``level`` zero bits, of which there are ``MOST_TRIPLES`` at most."""

    level: int = 0
    hashes: set[int] = field(default_factory=set)

    def add(self, hashes: Iterable[int], level: int = 0) -> None:
        """Take some more, of which only those of a level are given."""
        self.level = max(self.level, level)
        self.hashes.update(hashes)
        self.hashes = self.at(self.level)
        while len(self.hashes) > MOST_TRIPLES:
            self.level += 1
            self.hashes = self.at(self.level)

    def at(self, level: int) -> set[int]:
        """Those of a level."""
        mask = (1 << level) - 1
        return {each for each in self.hashes if not each & mask}

    def shared(self, other: TripleSample) -> float:
        """The smaller of the shares of either that stand in the other; 0 without any."""
        ours, theirs = (side.at(max(self.level, other.level)) for side in (self, other))
        return len(ours & theirs) / max(len(ours), len(theirs), 1)


@dataclass(slots=True)
class LikenessEvidence:
    """Counts of a text beside its source; triples are of words, and of the unlike lines alone."""

    n_lines: int = 0
    changed: int = 0  # lines with other words than the source
    short: int = 0  # of them, those whose source is too short to be judged
    unlike: NamedLines = field(default_factory=NamedLines)
    n_unlike_words: int = 0  # different words of the unlike and of the emptied source lines
    empty: NamedLines = field(default_factory=NamedLines)  # where the source has words
    joined: NamedLines = field(default_factory=NamedLines)
    quotes: NamedLines = field(default_factory=NamedLines)
    accents: NamedLines = field(default_factory=NamedLines)
    numbered: NamedLines = field(default_factory=NamedLines)
    n_whole: int = 0  # source lines, changed or not
    pair: tuple[str, str] = ("", "")  # the beginnings of the first unlike source line and of the text's line
    there: TripleSample = field(default_factory=TripleSample)  # triples of the source
    written: TripleSample = field(default_factory=TripleSample)  # those of the text

    @property
    def moved(self) -> float:
        """Share of the unlike lines' word triples that stand elsewhere on the other side."""
        return self.there.shared(self.written)

    @property
    def n_triples(self) -> int:
        """How many word triples that rests on: of the side that has fewer."""
        return min(len(self.there.hashes), len(self.written.hashes))

    @property
    def quoted(self) -> str:
        """The pair as a message names it."""
        source, line = (" ".join(text.split()) for text in self.pair)
        source, line = (side if len(side) <= SHOWN else f"{side[:SHOWN]}…" for side in (source, line))
        return f"{line!r} for {source!r}"

    def add(self, other: LikenessEvidence) -> None:
        """Take what was seen of the lines that follow."""
        for name in ("unlike", "empty", "joined", "quotes", "accents", "numbered"):
            getattr(self, name).add(getattr(other, name), self.n_lines)
        self.n_whole += other.n_whole
        self.n_lines += other.n_lines
        self.changed += other.changed
        self.short += other.short
        self.n_unlike_words += other.n_unlike_words
        self.pair = self.pair if self.pair[0] else other.pair
        self.there.add(other.there.hashes, other.there.level)
        self.written.add(other.written.hashes, other.written.level)


def find_changed_lines(sources: Sequence[str], lines: Sequence[str]) -> list[Changed]:
    """The lines that have other words than their source lines; how often, and in what order, does not count."""
    differing = [number for number, (source, line) in enumerate(zip(sources, lines, strict=True)) if source != line]
    words = ((number, frozenset(sources[number].split()), frozenset(lines[number].split())) for number in differing)
    return [each for each in words if each[1] != each[2]]


def evidence(
    sources: Sequence[str], lines: Sequence[str], changed: Sequence[Changed] | None = None
) -> LikenessEvidence:
    """See whether lines look like corrections of the source lines; the changed ones may be known already."""
    seen = LikenessEvidence(len(sources), n_whole=sum(map(ends_in_a_mark, sources)))
    there: set[int] = set()
    triples: set[int] = set()
    for at, old, new in find_changed_lines(sources, lines) if changed is None else changed:
        lost = old - new
        seen.changed += 1
        if not new:
            seen.empty.note(at + 1)
            seen.n_unlike_words += len(old)
            continue
        if _NUMBERED.match(lines[at]) and not _NUMBERED.match(sources[at]):
            seen.numbered.note(at + 1)
        if lost:
            _see_joined(seen.joined, lost, new, at + 1)
            quoted = [word for word in lost if not _QUOTES.isdisjoint(word)]
            _see_spelling(seen.quotes, quoted, new - old, plain, at + 1)
            _see_spelling(seen.accents, [word for word in lost if not word.isascii()], new - old, _compose, at + 1)
        if len(old) < SHORTEST:
            seen.short += 1
        elif 2 * (len(old) - len(lost)) < ALIKE * (len(old) + len(new)) and _alike(sources[at], lines[at]) < UNLIKE:
            seen.unlike.note(at + 1)
            seen.pair = seen.pair if seen.pair[0] else (sources[at][: 2 * SHOWN], lines[at][: 2 * SHOWN])
            seen.n_unlike_words += len(old)
            there |= _triples(sources[at])
            triples |= _triples(lines[at])
            if len(there) + len(triples) > MOST_WAITING:
                seen.there.add(there)
                seen.written.add(triples)
                there, triples = set(), set()
    seen.there.add(there)
    seen.written.add(triples)
    return seen


def _see_joined(found: NamedLines, lost: Words, new: Words, number: int) -> None:
    marks = {mark: plain(mark) for mark in lost if not mark.isalnum() and is_attached(mark)}
    joined = (
        (word, mark)
        for mark, letters in marks.items()
        for word in new
        if len(bare := plain(word)) > len(letters) and bare.endswith(letters)
    )
    first = min(joined, default=None) if not found.n else next(joined, None)  # sets have no order
    if first is not None:
        found.note(number, first)


def _see_spelling(found: NamedLines, lost: Sequence[str], new: Words, fold: Callable[[str], str], number: int) -> None:
    """Note a line with words that differ from lost ones only in what folding takes away."""
    folded = {fold(word): word for word in lost}
    pairs = [(word, folded[form]) for word in new if folded and (form := fold(word)) in folded]
    if pairs:
        found.note(number, min(pairs))  # sets have no order


def _compose(word: str) -> str:
    return normalize("NFC", word)


def ends_in_a_mark(line: str) -> bool:
    """Whether a line ends in a word with a mark, as untokenized text does."""
    end = line.rstrip()[-2:]
    return len(end) == 2 and end[1] in _ENDS and end[0].isalnum()


def _alike(source: str, line: str) -> float:
    packed = ("".join(text.split()).casefold() for text in (source, line))
    old, new = ({text[k : k + 3] for k in range(len(text) - 2)} for text in packed)
    return 2 * len(old & new) / (len(old) + len(new) or 1)


def _triples(text: str) -> set[int]:
    words = text.casefold().split()
    triples = zip(words, words[1:], words[2:], strict=False)
    return {crc32(" ".join(each).encode("utf-8", "surrogatepass")) for each in triples}


def plain(token: str) -> str:
    """A token with plain quotation marks and apostrophes."""
    return plain_apostrophes(_DOUBLE.sub('"', token))


def plain_apostrophes(text: str) -> str:
    """A text as long, with plain apostrophes."""
    return text.translate(_SINGLE)


def is_attached(token: str) -> bool:
    """Whether a token is a mark or a contraction that untokenized text joins to a word."""
    bare = plain(token)
    return bare in _MARKS or (len(bare) > 1 and (bare[0] == "'" or bare.lower() == "n't"))


# The source's own tokens in a system's text that is not tokenized, as language models write it.
#
# Formula Both texts are compared without their white space: words and marks first, then the letters of what differs. A
# source token is *intact* where its letters stand together in the system's text. A system's word is cut where an
# intact token begins with a mark or ends with one, and where an intact contraction begins and ends, as the source is
# cut there; never inside an intact token. Elsewhere it is cut by the rules of ``formats.nucle``. Conventions White
# space that is there stays, and two words written as one (``ice cream``, ``icecream``) stay one: both are changes of
# the system's. A line is left alone, byte for byte, unless more marks and contractions of the source are joined to
# words in it than closing marks stand apart; without any of either, unless the rules cut something. Quotation marks
# and apostrophes of another form are the same letter: in a line that is cut, an intact token takes the form that it
# has in the source, and other tokens have plain apostrophes where the source has no curly one. Stretches of more than
# ``MOST_LETTERS`` letter pairs count as rewritten. Source errorbar's own; measured in docs/design/hypotheses.md.


MOST_LETTERS = 10_000  # of a changed stretch, source letters times system letters: a hundred of each
_UNIT = re.compile(r"``|''|.", re.DOTALL)
_ATOM = re.compile(r"[^\W_]+|.", re.DOTALL)
_CLOSING = frozenset({*".,;:?!)%", "..."})  # nobody writes them after a space, unless the text is tokenized


def _cut_words(source: str, line: str) -> list[tuple[str, list[str]]] | None:
    """Each word of a line and its tokens; None where no word is to be cut."""
    if line == source:
        return None
    tokens, words = source.split(), line.split()
    apart = sum(word in _CLOSING for word in words)
    lost = any(is_attached(token) for token in set(tokens).difference(words))
    if apart and not lost:
        return None
    from errorbar.formats.nucle import treebank_tokens  # noqa: PLC0415 - few lines come so far

    ruled = treebank_tokens(plain_apostrophes(line))
    if not lost and (len(ruled) == len(words) or treebank_tokens(source) != tokens):
        return None
    aligned = _Aligned(tokens, words, ruled)
    if apart and aligned.joined() <= apart:
        return None
    pieces = aligned.cut()
    return list(zip(words, pieces, strict=True)) if any(len(each) > 1 for each in pieces) else None


@dataclass(slots=True)
class Retokenization:
    """The changes in some lines."""

    n_lines: int = 0  # looked at
    lines: NamedLines = field(default_factory=NamedLines)  # that were cut
    n_cut: int = 0  # words that were cut
    example: tuple[str, str] = ("", "")  # a word, and what it was cut into

    def add(self, other: Retokenization) -> None:
        """Take what was changed in the lines that follow."""
        self.lines.add(other.lines, self.n_lines)
        self.n_lines += other.n_lines
        self.n_cut += other.n_cut
        self.example = self.example if self.example[0] else other.example


def retokenize_lines(sources: Sequence[str], lines: Sequence[str]) -> tuple[list[str], Retokenization]:
    """Give the lines of a text that look untokenized the source's tokens; also say what was changed."""
    done = Retokenization(len(sources))
    new_lines = []
    for number, (source, line) in enumerate(zip(sources, lines, strict=True), 1):
        words = _cut_words(source, line)
        new_lines.append(line if words is None else " ".join(" ".join(tokens) for _, tokens in words))
        cut = [(word, " ".join(tokens)) for word, tokens in words or () if len(tokens) > 1]
        if cut:
            done.lines.note(number)
            done.n_cut += len(cut)
            done.example = done.example if done.example[0] else cut[0]
    return new_lines, done


class _Aligned:
    """Two texts without white space, and where the source's tokens stand in the system's."""

    def __init__(self, tokens: Sequence[str], words: Sequence[str], ruled: Sequence[str]) -> None:
        self.tokens = tokens
        self.units = [unit for word in words for unit in _UNIT.findall(word)]
        number = {place: at for at, place in enumerate(accumulate(map(len, self.units), initial=0))}
        # After how many units words end; the rules may cut a quotation mark of two letters in the middle.
        ends = (accumulate(map(len, each), initial=0) for each in (words, ruled))
        self.spaces, self.ruled = ({number[end] for end in each if end in number} for each in ends)
        self.intact = self._intact("".join(map(plain, self.units)))

    def _intact(self, said: str) -> dict[int, tuple[int, int]]:
        """Number of a source token to where all of it stands, with no space inside."""
        spelled = [plain(token) for token in self.tokens]
        place = {a + k: b + k for a, b, n in _same_letters("".join(spelled), said) for k in range(n)}
        places = {}
        for number, (start, end) in enumerate(pairwise(accumulate(map(len, spelled), initial=0))):
            at = place.get(start, -1)
            together = at >= 0 and all(place.get(start + k) == at + k for k in range(1, end - start))
            if together and self.spaces.isdisjoint(range(at + 1, at + end - start)):
                places[number] = (at, at + end - start)
        return places

    def joined(self) -> int:
        """How many marks and contractions of the source are joined to a word."""
        return sum(
            is_attached(self.tokens[number]) and not self.spaces.issuperset(place)
            for number, place in self.intact.items()
        )

    def cut(self) -> list[list[str]]:
        """The tokens of each word of the system's, as the source would have them."""
        ends = set(self.spaces)
        kept: set[int] = set()
        for number, (start, end) in self.intact.items():
            token = self.tokens[number]
            contraction = is_attached(token)
            if contraction or not token[0].isalnum():
                ends.add(start)
            # The apostrophe of "families '" may have become that of "family 's", which the rules know.
            if not (token == "'" and start in self.ruled) and (contraction or not token[-1].isalnum()):
                ends.add(end)
            kept.update(range(start + 1, end))
        whole = {place: self.tokens[number] for number, place in self.intact.items()}
        pieces: list[list[str]] = []
        for place in pairwise(sorted((ends | self.ruled) - (kept - self.spaces))):
            if place[0] in self.spaces:
                pieces.append([])
            pieces[-1].append(whole.get(place) or self._write_token("".join(self.units[slice(*place)])))
        return pieces

    def _write_token(self, token: str) -> str:
        """A token of the system's own, with apostrophes as the source writes them."""
        plain = plain_apostrophes(token)
        return token if plain == token or any(plain_apostrophes(each) != each for each in self.tokens) else plain


def _same_letters(source: str, said: str) -> Iterator[tuple[int, int, int]]:
    """Stretches that stand in both: where in the source, where in the system's text, how long."""
    from errorbar.edits.standoff import find_changed_blocks  # noqa: PLC0415 - few lines come so far

    atoms, others = _ATOM.findall(source), _ATOM.findall(said)
    starts, places = ([0, *accumulate(map(len, each))] for each in (atoms, others))
    at = to = 0
    for low, high, first, last in [
        *find_changed_blocks(atoms, others),
        (len(atoms), len(atoms), len(others), len(others)),
    ]:
        yield at, to, starts[low] - at
        here, there = source[starts[low] : starts[high]], said[places[first] : places[last]]
        if len(here) * len(there) <= MOST_LETTERS:
            for a, b, n in SequenceMatcher(None, here, there, autojunk=False).get_matching_blocks():
                yield starts[low] + a, places[first] + b, n
        at, to = starts[high], places[last]
