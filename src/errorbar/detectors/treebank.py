"""Sentences of a treebank in CoNLL-U: forms, lemmas and Penn tags."""

from __future__ import annotations

from dataclasses import dataclass, replace
from hashlib import sha256

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.detectors.sparse import MOST_CLASSES
from errorbar.formats.look import Lines, Source

_COLUMNS, _FORM, _LEMMA, _TAG = 10, 1, 2, 4


@dataclass(frozen=True, slots=True)
class Treebank:
    """Sentences of tokens with what annotators said of them; all lists are parallel."""

    forms: list[list[str]]
    lemmas: list[list[str]]
    tags: list[list[str]]
    sha256: str  # of the lines, each with a line feed

    @property
    def n_tokens(self) -> int:
        """How many tokens there are."""
        return sum(map(len, self.forms))


def read_treebank(path: Source) -> Treebank:
    """Read a CoNLL-U file; words of a multiword token count, the whole does not, and neither do empty nodes.

    Raises:
        InputError: If there is no such file, it is not UTF-8, a line has no ten columns, there is no word, or there are
            more tags than ``MOST_CLASSES``.
    """
    noted, digest = Problems(), sha256()
    bank = Treebank([], [], [], "")
    new = True
    lines = (line for block in Lines(path, noted, last=True).blocks() for line in block)
    for number, line in enumerate(lines, 1):
        digest.update(f"{line}\n".encode("utf-8", "surrogatepass"))
        if not line.strip():
            new = True
        elif not line.startswith("#"):
            columns = line.split("\t")
            if len(columns) != _COLUMNS:
                what = f"{len(columns)} columns"
                raise InputError(Problem("conllu", what, Place(str(path), number), f"{_COLUMNS} columns of CoNLL-U"))
            if columns[0].isdigit():
                for sentences, column in ((bank.forms, _FORM), (bank.lemmas, _LEMMA), (bank.tags, _TAG)):
                    if new:
                        sentences.append([])
                    sentences[-1].append(columns[column])
                new = False
    noted.raise_errors()
    if not bank.forms:
        raise InputError(Problem("conllu", "there is no word in it", Place(str(path)), "sentences in CoNLL-U"))
    if (n_tags := len({tag for tags in bank.tags for tag in tags})) > MOST_CLASSES:
        what, fix = f"{n_tags} tags in the fifth column", "the fifth column must hold Penn tags"
        raise InputError(Problem("conllu", what, Place(str(path)), f"at most {MOST_CLASSES}", fix))
    return replace(bank, sha256=digest.hexdigest())
