r"""N-gram models as ARPA files, the format of SRILM, KenLM and IRSTLM, out and in; gzipped where the name ends in .gz.

Format
    ``\data\`` with a line ``ngram n=COUNT`` for each order; a section ``\n-grams:`` for each order with a line
    ``log10 p <tab> words <tab> log10 b`` for each n-gram, where b may be missing, as it is in the highest order;
    ``\end\``.
Conventions
    Numbers are written with as few digits as name the same 32-bit number (at most 9), so that a model that is written
    and read gives the same probabilities to the last bit. A file may lack ``<unk>`` (``<UNK>`` is the same): its
    log10 p is then -100, as KenLM has it. All but the last word of an n-gram must be an n-gram of the file too.
"""

from __future__ import annotations

import re
from array import array
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.problems import InputError, Place, Problem, Problems
from errorbar.detectors.ngrams import (
    BOS,
    EOS,
    LARGEST_ORDER,
    LEAST_LOG,
    MOST_NODES,
    SPECIAL,
    UNK,
    NgramModel,
    Tree,
    children,
)
from errorbar.formats.look import Lines
from errorbar.formats.saving import save_lines

NO_UNK = -100.0
_AT_ONCE = 1 << 16
_TWICE = "this n-gram stands in the file before"
_COUNT = re.compile(r"ngram\s+(\d{1,2})\s*=\s*(\d{1,12})")
_FIELDS = re.compile(r"[ \t]+")


def write_arpa(model: NgramModel, path: str | Path) -> None:
    """Write a model as an ARPA file; an ``InputError`` if it cannot be written."""
    save_lines(_lines(model), str(path))


def _lines(model: NgramModel) -> Iterator[str]:
    tree = model.tree
    ends = tree.level_ends()
    yield "\\data\\"
    for n, (start, end) in enumerate(zip([0, *ends], ends, strict=False), 1):
        yield f"ngram {n}={end - start}"
    grams = list(model.words)
    for n, (start, end) in enumerate(zip([0, *ends], ends, strict=False), 1):
        yield f"\n\\{n}-grams:"
        for at in range(start, end, _AT_ONCE):
            stop = min(at + _AT_ONCE, end)
            probs = tree.log10_prob[at:stop].astype("U16").tolist()
            texts = grams[at - start : stop - start]
            if n < tree.order:
                backoffs = tree.log10_backoff[at:stop].astype("U16").tolist()
                yield from map("{}\t{}\t{}".format, probs, texts, backoffs)
            else:
                yield from map("{}\t{}".format, probs, texts)
        if n < tree.order:
            first = tree.first[start : end + 1].tolist()
            words = [model.words[k] for k in tree.word[end : ends[n]].tolist()]
            grams = [
                f"{gram} {word}"
                for gram, low, high in zip(grams, first, first[1:], strict=False)
                for word in words[low - end : high - end]
            ]
    yield "\n\\end\\"


@dataclass(slots=True)
class _Section:
    """The n-grams of one order as the file has them."""

    line: int  # of the first
    ids: array[int] = field(default_factory=lambda: array("i"))
    probs: array[float] = field(default_factory=lambda: array("f"))
    backoffs: array[float] = field(default_factory=lambda: array("f"))


def read_arpa(path: str | Path) -> NgramModel:
    """Read an ARPA file, gzipped or not, made by any program.

    Raises:
        InputError: If it cannot be read or is no ARPA file, naming the line.
    """
    problems = Problems()
    lines = Lines(path, problems)
    model = _Reader(lines).read()
    problems.raise_errors()
    return model


class _Reader:
    def __init__(self, lines: Lines) -> None:
        self.name = lines.name
        self.lines = enumerate(lines, 1)
        self.at = 0
        self.numbers = dict(zip(SPECIAL, (UNK, BOS, EOS), strict=True))

    def read(self) -> NgramModel:
        counts = self._read_counts()
        levels = _Levels()
        for n, count in enumerate(counts, 1):
            section = self._read_section(n, count, n == len(counts))
            wrong = levels.start(section, len(self.numbers)) if n == 1 else levels.add(section, n)
            if wrong is not None:
                self.at = section.line + wrong[0]
                raise self._error(wrong[1])
        if (line := self._next("\\end\\")) != "\\end\\":
            raise self._error(f"'{line[:60]}'", "\\end\\")
        about = {"counts": levels.sizes(), "order": len(counts), "smoothing": "as in the ARPA file"}
        return NgramModel(levels.tree(), tuple(self.numbers), about, {"provenance": self.name})

    def _next(self, expected: str) -> str:
        for at, line in self.lines:
            self.at = at
            if line := line.strip(" \t"):
                return line
        self.at = 0
        raise self._error("the file ends too early", expected, "the file may be cut off: get or make it again")

    def _error(self, message: str, expected: str = "", fix: str = "") -> InputError:
        return InputError(Problem("arpa", message, Place(self.name, self.at), expected, fix))

    def _read_counts(self) -> list[int]:
        while self._next("\\data\\") != "\\data\\":  # a comment may stand before it
            pass
        counts: list[int] = []
        while not (line := self._next("ngram n=COUNT")).startswith("\\"):
            match = _COUNT.fullmatch(line)
            if not match or int(match[1]) != len(counts) + 1:
                raise self._error(f"'{line[:60]}'", f"ngram {len(counts) + 1}=COUNT")
            counts.append(int(match[2]))
        if not 1 <= len(counts) <= LARGEST_ORDER or sum(counts) > MOST_NODES:
            message = f"a model of {len(counts)} orders and {sum(counts):,} n-grams"
            raise self._error(message, f"1 to {LARGEST_ORDER} orders, at most {MOST_NODES:,} n-grams")
        self._expect_section(line, 1)
        return counts

    def _expect_section(self, line: str, n: int) -> None:
        if line != f"\\{n}-grams:":
            raise self._error(f"'{line[:60]}'", f"\\{n}-grams:")

    def _read_section(self, n: int, count: int, last: bool) -> _Section:
        if n > 1:
            self._expect_section(self._next(f"\\{n}-grams:"), n)
        section = _Section(self.at + 1)
        for at, line in self.lines if count else ():
            self.at = at
            self._take(_FIELDS.split(line.strip(" \t")), n, last, section)
            if len(section.probs) == count:
                return section
        if count:
            self.at = 0
            message = f"the file ends after {len(section.probs):,} {n}-grams"
            raise self._error(message, f"{count:,}", "the file may be cut off: get or make it again")
        return section

    def _take(self, fields: list[str], n: int, last: bool, section: _Section) -> None:
        """Take an n-gram: its words as numbers, p and b; b may be missing."""
        try:
            prob, *words = fields
            backoff = float(words.pop()) if len(words) == n + 1 else 0.0
            value = float(prob)
            if len(words) != n or not (LEAST_LOG <= value <= 0 and LEAST_LOG <= backoff <= -LEAST_LOG):
                raise ValueError
        except ValueError:
            expected = f"log10 p, at most 0, {n} word{'s' * (n > 1)}{'' if last else ', log10 b'}"
            raise self._error(f"'{' '.join(fields)[:60]}'", expected) from None
        if n == 1:
            word = "<unk>" if words[0] == "<UNK>" else words[0]
            section.ids.append(self.numbers.setdefault(word, len(self.numbers)))
        else:
            try:
                section.ids.extend([self.numbers["<unk>" if word == "<UNK>" else word] for word in words])
            except KeyError as error:
                raise self._error(f"the word {error} is not among the 1-grams") from None
        section.probs.append(value)
        section.backoffs.append(backoff)


def _find_repeated_row(columns: NDArray[Any]) -> int | None:
    order = np.lexsort(columns[::-1])
    columns = columns[:, order]
    same = np.all(columns[:, 1:] == columns[:, :-1], axis=0)
    return int(order[1:][same].min()) if np.any(same) else None


class _Levels:
    def __init__(self) -> None:
        self.words: list[NDArray[np.int32]] = []
        self.probs: list[NDArray[np.float32]] = []
        self.backoffs: list[NDArray[np.float32]] = []
        self.first: list[NDArray[np.int64]] = []

    def start(self, section: _Section, n_words: int) -> tuple[int, str] | None:
        """Take the unigrams; as ``add``."""
        ids = np.array(section.ids, np.int32)
        if (row := _find_repeated_row(ids[None])) is not None:
            return row, _TWICE
        prob, backoff = np.full(n_words, NO_UNK, np.float32), np.zeros(n_words, np.float32)
        prob[ids], backoff[ids] = section.probs, section.backoffs
        self._append(np.arange(n_words, dtype=np.int32), prob, backoff)
        self.first.append(np.array([n_words], np.int64))
        return None

    def add(self, section: _Section, n: int) -> tuple[int, str] | None:
        """Add an order; the row of an n-gram that cannot stand there, and why."""
        ids = np.array(section.ids, np.int32).reshape(-1, n)
        lower = self.tree()
        parent = ids[:, 0].astype(np.int64)
        for k in range(1, n - 1):
            parent = children(lower, parent, ids[:, k])
        if np.any(parent < 0):
            return int(np.argmax(parent < 0)), f"the first {n - 1} words are no {n - 1}-gram of the file"
        if (row := _find_repeated_row(np.stack([parent, ids[:, -1]]))) is not None:
            return row, _TWICE
        order = np.lexsort((ids[:, -1], parent))
        parent, word = parent[order], ids[order, -1]
        end = sum(self.sizes())
        start = end - len(self.words[-1])
        n_children = np.bincount(parent - start, minlength=end - start)
        self.first.append(self.first[-1][-1] + np.cumsum(n_children))
        self._append(word, np.array(section.probs, np.float32)[order], np.array(section.backoffs, np.float32)[order])
        return None

    def _append(self, word: NDArray[np.int32], prob: NDArray[np.float32], backoff: NDArray[np.float32]) -> None:
        self.words.append(word)
        self.probs.append(prob)
        self.backoffs.append(backoff)

    def sizes(self) -> list[int]:
        return [len(word) for word in self.words]

    def tree(self) -> Tree:
        """The tree of the orders so far."""
        first = np.concatenate(self.first).astype(np.int32)
        backoffs = np.concatenate([np.empty(0, np.float32), *self.backoffs[:-1]])
        return Tree(np.concatenate(self.words), np.concatenate(self.probs), first, backoffs, len(self.words))
