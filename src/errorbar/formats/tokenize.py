"""Treebank-style tokens as the CoNLL-2014 release cut them, and sentences of raw text.

Sentences are found by nltk's Punkt algorithm (the extra ``tokenize``) with the abbreviations named here: no trained
model is needed, and none is fetched.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from errorbar.core.errors import MissingExtraError

if TYPE_CHECKING:
    from nltk.tokenize.punkt import PunktSentenceTokenizer

ABBREVIATIONS = (
    *("mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs", "etc", "e.g", "i.e", "cf", "fig", "no", "vol", "pp"),
    *("ed", "al", "inc", "ltd", "co", "corp", "dept", "u.s", "u.k", "u.n", "a.m", "p.m"),
)  # a full stop after them ends no sentence; in lower case, without their last full stop

_CONTRACTION = re.compile(r"(.)('ll|'re|'ve|n't|'s|'m|'d)\b", re.IGNORECASE)
_CANNOT = re.compile(r"\b(can)(not)\b", re.IGNORECASE)
# ASCII as in Python 2: the release cuts letters with accents off their word.
_PUNCTUATION = re.compile(r"([^\w.'\-/,&])", re.ASCII)
_COMMA = re.compile(r"(,\s)")
_QUOTE = re.compile(r"('\s)")
_INNER_END = re.compile(r"(?<=[.?!])(?<!\b[A-Z]\.)(?<!\betc\.)\s+(?=[A-Z])|(?<=[.?!])\s*\n")


def treebank_tokens(text: str) -> list[str]:
    """Cut a text into tokens as the CoNLL-2014 release does.

    Conventions
        Contractions come apart (``do n't``, ``it 's``, ``can not``). Every punctuation mark stands alone but for
        hyphens, slashes and ``&`` inside words. A comma or an apostrophe is cut off before white space only, a full
        stop at the end of a sentence only: ``known,the`` stays one token. Quotation marks keep their form. A
        sentence ends inside a text where white space and a capital follow its ``. ? !``, single letters and
        ``etc.`` excepted, or where a line feed follows.

    Source
        Found from the data: all 1,312 sentences of the CoNLL-2014 test set come out as released. The rules were
        made to fit that set, so this is a description of it, not a measurement of what happens elsewhere.
    """
    return [token for sentence in _INNER_END.split(text) for token in _cut(sentence)]


def _cut(sentence: str) -> list[str]:
    text = _CONTRACTION.sub(r"\1 \2", sentence)
    text = _CANNOT.sub(r"\1 \2", text)
    text = _PUNCTUATION.sub(r" \1 ", text)
    text = _COMMA.sub(r" \1", text)
    text = _QUOTE.sub(r" \1", text)
    # A stop with nothing but closing marks after it is the last; a pattern would look at every run of spaces n² times.
    before = text.rstrip().rstrip("\"')]").rstrip()
    return [*before[:-1].split(), *(".", *text[len(before) :].split())] if before.endswith(".") else text.split()


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """The half-open character spans of the sentences of a paragraph, without surrounding white space, in order."""
    spans: list[tuple[int, int]] = []
    for start, end in _punkt().span_tokenize(text):
        sentence = text[start:end].strip()
        if sentence:
            first = text.index(sentence, start)
            spans.append((first, first + len(sentence)))
    return spans


@lru_cache(maxsize=1)
def _punkt() -> PunktSentenceTokenizer:
    try:
        from nltk.tokenize.punkt import PunktParameters, PunktSentenceTokenizer  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError("tokenize", "finding sentences in raw essays") from None
    parameters = PunktParameters()
    parameters.abbrev_types = set(ABBREVIATIONS)
    return PunktSentenceTokenizer(parameters)
