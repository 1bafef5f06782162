"""The source's own tokens in a system's text that is not tokenized, as language models write it.

Formula
    Both texts are compared without their white space: words and marks first, then the letters of what differs. A
    source token is *intact* where its letters stand together in the system's text. A system's word is cut where an
    intact token begins with a mark or ends with one, and where an intact contraction begins and ends, as the source is
    cut there; never inside an intact token. Elsewhere it is cut by the rules of ``formats.tokenize``.
Conventions
    White space that is there stays, and two words written as one (``ice cream``, ``icecream``) stay one: both are
    changes of the system's. A line is left alone, byte for byte, unless more marks and contractions of the source are
    joined to words in it than closing marks stand apart; without any of either, unless the rules cut something.
    Quotation marks and apostrophes of another form are the same letter: in a line that is cut, an intact token takes
    the form that it has in the source, and other tokens have plain apostrophes where the source has no curly one.
    Stretches of more than ``MOST_LETTERS`` letter pairs count as rewritten.
Source
    errorbar's own; measured in docs/design/hypotheses.md.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from itertools import accumulate, pairwise

from errorbar.edits.likeness import NamedLines, is_attached, plain, plain_apostrophes
from errorbar.edits.standoff_texts import changed_blocks
from errorbar.formats.tokenize import treebank_tokens

MOST_LETTERS = 10_000  # of a changed stretch, source letters times system letters: a hundred of each
_UNIT = re.compile(r"``|''|.", re.DOTALL)
_ATOM = re.compile(r"[^\W_]+|.", re.DOTALL)
_CLOSING = frozenset({*".,;:?!)%", "..."})  # nobody writes them after a space, unless the text is tokenized


def _cut(source: str, line: str) -> list[tuple[str, list[str]]] | None:
    """Each word of a line and its tokens; None where no word is to be cut."""
    if line == source:
        return None
    tokens, words = source.split(), line.split()
    apart = sum(word in _CLOSING for word in words)
    lost = any(is_attached(token) for token in set(tokens).difference(words))
    if apart and not lost:
        return None
    ruled = treebank_tokens(plain_apostrophes(line))
    if not lost and (len(ruled) == len(words) or treebank_tokens(source) != tokens):
        return None
    aligned = _Aligned(tokens, words, ruled)
    if apart and aligned.joined() <= apart:
        return None
    made = aligned.cut()
    return list(zip(words, made, strict=True)) if any(len(each) > 1 for each in made) else None


@dataclass(slots=True)
class Retokenized:
    """What was changed in some lines."""

    n_lines: int = 0  # looked at
    lines: NamedLines = field(default_factory=NamedLines)  # that were cut
    n_cut: int = 0  # words that were cut
    example: tuple[str, str] = ("", "")  # a word, and what it was cut into

    def add(self, other: Retokenized) -> None:
        """Take what was changed in the lines that follow."""
        self.lines.add(other.lines, self.n_lines)
        self.n_lines += other.n_lines
        self.n_cut += other.n_cut
        self.example = self.example if self.example[0] else other.example


def retokenize_lines(sources: Sequence[str], lines: Sequence[str]) -> tuple[list[str], Retokenized]:
    """Give the lines of a text that look untokenized the source's tokens; also say what was changed."""
    done = Retokenized(len(sources))
    made = []
    for number, (source, line) in enumerate(zip(sources, lines, strict=True), 1):
        words = _cut(source, line)
        made.append(line if words is None else " ".join(" ".join(tokens) for _, tokens in words))
        cut = [(word, " ".join(tokens)) for word, tokens in words or () if len(tokens) > 1]
        if cut:
            done.lines.note(number)
            done.n_cut += len(cut)
            done.example = done.example if done.example[0] else cut[0]
    return made, done


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
        found = {}
        for number, (start, end) in enumerate(pairwise(accumulate(map(len, spelled), initial=0))):
            at = place.get(start, -1)
            together = at >= 0 and all(place.get(start + k) == at + k for k in range(1, end - start))
            if together and self.spaces.isdisjoint(range(at + 1, at + end - start)):
                found[number] = (at, at + end - start)
        return found

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
        made: list[list[str]] = []
        for place in pairwise(sorted((ends | self.ruled) - (kept - self.spaces))):
            if place[0] in self.spaces:
                made.append([])
            made[-1].append(whole.get(place) or self._written("".join(self.units[slice(*place)])))
        return made

    def _written(self, token: str) -> str:
        """A token of the system's own, with apostrophes as the source writes them."""
        said = plain_apostrophes(token)
        return token if said == token or any(plain_apostrophes(each) != each for each in self.tokens) else said


def _same_letters(source: str, said: str) -> Iterator[tuple[int, int, int]]:
    """Stretches that stand in both: where in the source, where in the system's text, how long."""
    atoms, others = _ATOM.findall(source), _ATOM.findall(said)
    starts, places = ([0, *accumulate(map(len, each))] for each in (atoms, others))
    at = to = 0
    for low, high, first, last in [*changed_blocks(atoms, others), (len(atoms), len(atoms), len(others), len(others))]:
        yield at, to, starts[low] - at
        here, there = source[starts[low] : starts[high]], said[places[first] : places[last]]
        if len(here) * len(there) <= MOST_LETTERS:
            for a, b, n in SequenceMatcher(None, here, there, autojunk=False).get_matching_blocks():
                yield starts[low] + a, places[first] + b, n
        at, to = starts[high], places[last]
