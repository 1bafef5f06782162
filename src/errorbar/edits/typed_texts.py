"""Texts of references and systems as ERRANT's edits, for metrics over edits; what was made is kept for other days."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import closing
from dataclasses import replace
from hashlib import blake2b
from threading import Lock
from typing import NamedTuple, cast

from errorbar.core.corpus import Annotation, Corpus, Corrected, TextEdits, wrong_count
from errorbar.core.errors import InputError, Place, Problem, shortened
from errorbar.datasets.cards import cache_root
from errorbar.edits.errant_edits import EditCache, Maker, Pair
from errorbar.edits.texts import apply_edits

_ONE = Lock()
"""A pipeline parses one text at a time."""


class TypedReference(NamedTuple):
    """A corpus whose annotators' edits are typed; ``made_by``: what made them, empty where they were given.

    It sorts behind what is said of a system's edits, so that of several parts of a corpus the largest says most.
    """

    corpus: Corpus
    made_by: str


class TypedOutput(NamedTuple):
    """A system's edits, sentence by sentence; ``made_by`` as of a reference."""

    edits: Sequence[Annotation]
    made_by: str


def kept_edits(maker: Maker) -> EditCache:
    """The file in the cache folder that keeps what a pipeline makes.

    Raises:
        InputError: If it cannot be used.
        UsageError: If the pipeline is not installed.
    """
    name = blake2b(maker.signature.encode(), digest_size=8).hexdigest()
    return EditCache(cache_root() / "edits" / f"{name}.sqlite", maker.signature)


def typed_reference(corpus: Corpus, pipeline: str) -> TypedReference:
    """The corpus, edits of annotators who gave a text made by ERRANT; one corpus is made anew once.

    Raises:
        UsageError: If something that makes edits is not installed.
    """
    key = f"typed by {pipeline}"
    if key not in corpus.cache:
        corpus.cache[key] = _typed(corpus, pipeline)
    return cast("TypedReference", corpus.cache[key])


def _typed(corpus: Corpus, pipeline: str) -> TypedReference:
    given = [
        (unit, name, " ".join(apply_edits(sentence.tokens, edits)))
        for unit, sentence in enumerate(corpus.sentences)
        for name, edits in sentence.annotations.items()
        if isinstance(edits, TextEdits)
    ]
    if not given:
        return TypedReference(corpus, "")
    sentences = [replace(sentence, annotations=dict(sentence.annotations)) for sentence in corpus.sentences]
    made, made_by = _made(((corpus.sentences[unit].text, text) for unit, _, text in given), pipeline)
    for (unit, name, _), edits in zip(given, made, strict=True):
        sentences[unit].annotations[name] = edits
    made_corpus = Corpus(sentences, corpus.annotators, corpus.name, cache={"checked": True})
    return TypedReference(made_corpus, f"reference-{made_by}")  # whose record is that of the edits it had, too


def given_edits(corpus: Corpus, lines: Sequence[str]) -> list[Annotation]:
    """The edits that a system has of its own, empty ``TextEdits`` where it has a text.

    Raises:
        InputError: If they are edits of other sentences, or the numbers of sentences differ.
    """
    if len(lines) != len(corpus):
        raise InputError(Problem("line-count", wrong_count(len(lines), len(corpus)), Place(corpus.name)))
    edits: list[Annotation] = []
    for number, (sentence, line) in enumerate(zip(corpus.sentences, lines, strict=True), 1):
        if not isinstance(line, Corrected) or isinstance(line.edits, TextEdits):
            edits.append(TextEdits())
            continue
        if line.source is not None and line.source.split() != sentence.tokens:
            what = f"the system's edits are of another sentence: {shortened(line.source)}"
            place = Place(corpus.name, sentence.line or number)
            raise InputError(Problem("system-sentence", what, place, shortened(sentence.text)))
        edits.append(line.edits)
    return edits


def typed_output(corpus: Corpus, lines: Sequence[str], pipeline: str) -> TypedOutput:
    """A system's edits: its own where it has some, of its texts those that ERRANT makes.

    Raises:
        InputError: If they are edits of other sentences.
        UsageError: If something that makes edits is not installed.
    """
    edits = given_edits(corpus, lines)
    texts = [number for number, own in enumerate(edits) if isinstance(own, TextEdits)]
    if not texts:
        return TypedOutput(edits, "")
    made, made_by = _made(((corpus.sentences[number].text, lines[number]) for number in texts), pipeline)
    for number, found in zip(texts, made, strict=True):
        edits[number] = found
    return TypedOutput(edits, made_by)


def _made(pairs: Iterable[Pair], pipeline: str) -> tuple[list[Annotation], str]:
    """The edits of pairs of source and corrected text, and what made them."""
    wanted, maker = [(source, str(text)) for source, text in pairs], Maker(pipeline)
    with _ONE, closing(kept_edits(maker)) as cache:
        known = cache.find(dict.fromkeys(wanted))
        if missing := [pair for pair in dict.fromkeys(wanted) if pair not in known]:
            fresh = dict(zip(missing, maker.edits(missing), strict=True))
            cache.add(fresh)
            known |= fresh
    return [known[pair] for pair in wanted], f"edits:{maker.signature}"
