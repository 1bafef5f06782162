"""What ``errorbar train`` is told, and what it says of each model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict, get_args

from errorbar.detectors.corpus_text import UNKNOWN
from errorbar.formats.look import Source
from errorbar.studies.door import Lenient, Said

Part = Literal[
    "tagger", "words", "ngrams", "majority", "perc", "me", "me-paper", "articles", "forms", "combiner", "correctors"
]
PARTS: tuple[Part, ...] = get_args(Part)
ON_REQUEST: tuple[Part, ...] = ("me-paper",)
"""What is trained only where it is named."""
Tagging = Literal["perceptron", "errorbar-en"]
Told = Callable[[str], object]


class About(TypedDict, total=False):
    """What models say of their text."""

    license: Annotated[str, Said(UNKNOWN, "Of the text, or without one of treebank or labels; the models say it.")]
    provenance: Annotated[str, Said(UNKNOWN, "Where that is from; the models say it.")]


class Learning(About, total=False):
    """How models are trained."""

    treebank: Annotated[
        Source | None,
        Said(None, "Treebank with Penn tags in CoNLL-U, for the tagger; None: the folder has a tagger."),
    ]
    tagger: Annotated[
        Tagging, Said("perceptron", "What tags: a ``perceptron``, or the spaCy pipeline ``errorbar-en``, if installed.")
    ]
    labels: Annotated[
        Source | Sequence[Source],
        Said(
            (),
            "Learners' text with edits, M2, for ``combiner`` and ``correctors``; several: one after the other.",
        ),
    ]
    order: Annotated[int, Said(4, "Words of the longest n-grams.")]
    fallback: Annotated[bool, Said(False, "Take fixed discounts where a text is too small for its own.")]
    small: Annotated[bool, Said(False, "Leave out what weighs little, and round numbers: files of a few megabytes.")]
    seed: Annotated[int, Said(0, "Of the orders of examples.")]
    lenient: Lenient


@dataclass(frozen=True, slots=True)
class TrainedPart:
    """A model that was made, or was there already.

    Attributes:
        part: What it is.
        file: Where it is.
        n_bytes: Its size.
        learned_from: How many tokens, or of classifiers examples.
        found: Whether it was there already, made of the same text in the same way.
    """

    part: str
    file: str
    n_bytes: int
    learned_from: int
    found: bool
