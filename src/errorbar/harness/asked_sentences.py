"""Sentences of a corpus as a harness asks for them, and answers as lines that are scored.

Conventions
    A model is shown ordinary text (``ordinary_text``), unless the source's tokens would not come back from it; so who
    repeats the text has changed nothing. Of an answer all that is not white space counts, over however many lines; it
    gets the source's tokens as ``--retokenize`` gives them. An empty answer leaves the sentence as it is.
Source
    errorbar's own; docs/integrations.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from errorbar.core.corpus import Corpus, Sentence, source_record
from errorbar.core.problems import Problems
from errorbar.edits.retokenize import retokenize_lines
from errorbar.edits.texts import corrected_text
from errorbar.formats.jsonl import read_jsonl, write_jsonl
from errorbar.formats.look import Lines
from errorbar.formats.ordinary_text import ordinary_text
from errorbar.studies.inputs import Gold, read_corpus


@dataclass(frozen=True, slots=True)
class Asked:
    """A sentence that a model is asked to correct."""

    text: str  # what the model is shown
    record: str  # the sentence with its annotations, a line of errorbar JSONL
    document: str  # "": none is known
    targets: tuple[str, ...]  # what the annotators made of it, each once, as ordinary text


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model answered, as it is scored."""

    record: str  # of the sentence
    line: str
    empty: bool = False  # it answered nothing


def asked_sentences(gold: Gold, *, tokens: bool = False, lenient: bool = False) -> Iterator[Asked]:
    """Every sentence of a reference.

    Args:
        gold: What ``errorbar.read_corpus`` takes.
        tokens: Show the source's tokens with a space between any two, as the reference has them.
        lenient: Repair what can be repaired in the reference.

    Yields:
        The sentences, in order.

    Raises:
        InputError: If a file is bad.
        UsageError: If no file is named.
    """
    corpus = read_corpus(gold, lenient=lenient)
    records = write_jsonl(corpus.sentences, Problems(), corpus.annotators)
    next(records)  # the header
    problems = Problems(lenient=True)
    for sentence, record in zip(corpus.sentences, records, strict=True):
        corrected = [corrected_text(sentence, name, problems) for name in sentence.annotations]
        targets = tuple(dict.fromkeys(text if tokens else ordinary_text(text.split()) for text in corrected))
        yield Asked(source_record(sentence) if tokens else _shown(sentence), record, sentence.document, targets)


def _shown(sentence: Sentence) -> str:
    source = source_record(sentence)
    shown = ordinary_text(source.split())
    return shown if retokenize_lines([source], [shown])[0] == [source] else source


def answered(record: str, completion: str) -> Answer:
    """What a model said of a sentence."""
    source, line = source_record(corpus_of([record]).sentences[0]), " ".join(completion.split())
    return Answer(record, retokenize_lines([source], [line])[0][0] if line else source, not line)


def corpus_of(records: list[str], documents: list[str] | None = None) -> Corpus:
    """The corpus of some sentences, in the documents that are named or in their own."""
    problems = Problems(lenient=True)
    sentences = list(read_jsonl(Lines("samples", problems, cut=["\n".join(records).encode()]), problems))
    problems.raise_errors()
    if documents is not None:
        pairs = zip(sentences, documents, strict=True)
        sentences = [replace(sentence, document=document) for sentence, document in pairs]
    return Corpus(sentences, tuple({name for sentence in sentences for name in sentence.annotations}), "samples")
