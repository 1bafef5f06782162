"""Flags from a system's output: an item is flagged where the system changes it."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from errorbar.core.corpus import Corpus, Hypothesis, Sentence
from errorbar.core.errors import Problem, UsageError
from errorbar.edits.extract import extract_edits
from errorbar.edits.items import ERROR, Projection, edit_items
from errorbar.sampling.frame import MOST_SYSTEMS, Frame


def frame_of_systems(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    projection: Projection = "tokens",
    *,
    words: str | Collection[str] = "prepositions",
) -> Frame:
    """Make the frame of a corpus whose text one or two systems corrected.

    The edits that turn the source into the output flag items as an annotator's edits would; annotations of the corpus
    play no part. The text of an item is its sentence with the item in brackets.

    Args:
        corpus: The source sentences.
        systems: One or two outputs, a line for each sentence.
        projection: What the items are.
        words: With the projection ``words``, which.

    Raises:
        UsageError: If there are no or more than two systems, an output has not a line for each sentence, or there is
            no item.
    """
    if not 1 <= len(systems) <= MOST_SYSTEMS:
        raise UsageError(Problem("sample-systems", f"{len(systems)} systems", expected="one system, or two to compare"))
    names = tuple(system.name for system in systems)
    for system in systems:
        if len(system.lines) != len(corpus):
            what = f"'{system.name}' has {len(system.lines)} lines for {len(corpus)} sentences"
            raise UsageError(Problem("sample-frame", what, expected="one line for each sentence"))
    sentences = [
        Sentence(
            sentence.text,
            {system.name: tuple(extract_edits(sentence.tokens, system.lines[at].split())) for system in systems},
        )
        for at, sentence in enumerate(corpus.sentences)
    ]
    judgments = edit_items(Corpus(sentences, names, corpus.name), projection, words=words).judgments
    flags = np.zeros((len(names), len(judgments.items)), np.bool_)
    flags[judgments.rater, judgments.item] = judgments.label == judgments.labels.index(ERROR)
    texts = tuple(_shown(item, corpus) for item in judgments.items)
    return Frame(judgments.items, flags, names, texts=texts)


def _shown(item: str, corpus: Corpus) -> str:
    """``sentence:start-end`` as the sentence with brackets; a sentence as it is."""
    number, _, span = item.partition(":")
    tokens = corpus.sentences[int(number) - 1].tokens
    if not span:
        return " ".join(tokens)
    start, end = (int(side) for side in span.split("-"))
    return " ".join([*tokens[:start], f"[{' '.join(tokens[start:end])}]", *tokens[end:]])
