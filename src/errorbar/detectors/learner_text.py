"""Learners' sentences with the edits of annotators: what is learned from labels is learned from these."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from errorbar.core.corpus import ContentHash, Corpus, Sentence, reference_record, source_record, type_record
from errorbar.core.problems import Problems
from errorbar.formats.look import Source
from errorbar.formats.reference import NamedFile, read_named


@dataclass(frozen=True, slots=True)
class LearnerText:
    """A learner text with edits.

    Attributes:
        corpus: Its sentences, each with the edits of those who looked at it.
        described: ``labels``, a hash of sentences, edits and types; ``sentences``, ``tokens`` and ``edits``, how many
            there are: what a model says of the labels it was made of.
    """

    corpus: Corpus = field(repr=False)
    described: dict[str, str | int]

    @property
    def tokens(self) -> list[Sequence[str]]:
        """The tokens of each sentence."""
        return [sentence.tokens for sentence in self.corpus.sentences]


def read_learner_text(files: Sequence[Source], problems: Problems) -> LearnerText:
    """Read M2, or another format of annotated sentences: each file a text of its own, one after the other."""
    corpora = [read_named([NamedFile(str(file), str(file))], problems) for file in files]
    return learner_text([each for corpus in corpora for each in corpus.sentences])


def learner_text(sentences: list[Sentence]) -> LearnerText:
    """Sentences with edits as a learner text."""
    content = ContentHash()
    for sentence in sentences:
        content.add(
            (source_record(sentence), reference_record(sentence.annotations), type_record(sentence.annotations))
        )
    described: dict[str, str | int] = {
        "labels": content.short(),
        "sentences": len(sentences),
        "tokens": sum(len(sentence.tokens) for sentence in sentences),
        "edits": sum(len(edits) for sentence in sentences for edits in sentence.annotations.values()),
    }
    annotators = dict.fromkeys(name for sentence in sentences for name in sentence.annotations)
    return LearnerText(Corpus(sentences, tuple(annotators)), described)
