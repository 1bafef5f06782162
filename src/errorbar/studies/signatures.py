"""Signatures of what is computed from a whole corpus: those of ``compare``, ``ceiling`` and ``agree``."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import (
    ContentHash,
    Corpus,
    Hypothesis,
    reference_record,
    source_record,
    type_record,
)
from errorbar.core.judgments import Judgments
from errorbar.core.signature import Signature
from errorbar.version import __version__

GIVEN = "items=given"
"""Judgments that were read as they are, not made of annotators' edits."""


class CorpusSignatures:
    """Signatures over one corpus and systems; everything is hashed once.

    Args:
        corpus: The corpus.
        systems: The systems; none: the annotators alone.
        conventions: What joins every signature.
    """

    def __init__(self, corpus: Corpus, systems: Sequence[Hypothesis], conventions: tuple[str, ...]) -> None:
        source, reference, hypotheses = ContentHash(), ContentHash(), ContentHash()
        source.add(map(source_record, corpus.sentences))
        reference.add([reference_record(sentence.annotations) for sentence in corpus.sentences])
        for system in systems:
            hypotheses.add([" ".join(line.split()) for line in system.lines])
        self._corpus = corpus
        self._hashes = source.short(), reference.short(), hypotheses.short() if systems else "none"
        self._sizes = len(corpus), len(corpus.annotators)
        self._conventions = conventions

    def types(self) -> str:
        """What joins the signature where error types count."""
        content = ContentHash()
        content.add([type_record(sentence.annotations) for sentence in self._corpus.sentences])
        return f"types:{content.short()}"

    def of(self, spec: str, *conventions: str) -> str:
        """The signature of a metric's result on all of it."""
        return str(Signature(spec, *self._hashes, *self._sizes, (*self._conventions, *conventions)))


def agreement_signature(
    judgments: Judgments,
    how: str,
    *,
    replicates: int,
    seed: int,
    unit: str,
    confidence_level: float = 0.95,
    unknown: Sequence[str] = (),
) -> str:
    """The signature of agreement coefficients.

    Args:
        judgments: What was compared.
        how: What the judgments are, e.g. ``items=tokens,labels=error``, or ``GIVEN``.
        replicates: Resamples.
        seed: Of the resamples.
        unit: What was resampled: ``cluster`` or ``item``.
        confidence_level: Of the intervals.
        unknown: Labels that mean "cannot say".
    """
    judged = ContentHash()
    columns = (judgments.item.tolist(), judgments.rater.tolist(), judgments.label.tolist())
    judged.add([f"{i} {r} {k}" for i, r, k in zip(*columns, strict=True)])
    judged.add([*judgments.raters, *judgments.labels])
    parts = [
        f"agree({how})",
        f"judgments:{judged.short()}",
        f"n:{len(judgments)}",
        *(f"unknown:{label}" for label in unknown),
        f"ci:percentile,{confidence_level},{replicates},by:{unit},seed:{seed}",
        f"v:{__version__}",
    ]
    return "|".join(parts)


def crowd_signature(
    spec: str, judgments: Judgments, flags: NDArray[np.bool_] | None, conventions: Sequence[str]
) -> str:
    """The signature of something computed from a crowd's judgments.

    Args:
        spec: What was computed.
        judgments: The judgments.
        flags: What a system flags; None: no system takes part.
        conventions: Whatever else can change a digit, e.g. ``seed:0``.
    """
    source, reference, said = ContentHash(), ContentHash(), ContentHash()
    source.add(judgments.items)
    reference.add([*judgments.raters, *judgments.labels])
    for column in (judgments.item, judgments.rater, judgments.label, judgments.weight):
        reference.add(["" if column is None else sha256(column.tobytes()).hexdigest()])
    if flags is not None:
        said.add([sha256(flags.tobytes()).hexdigest()])
    hypothesis = said.short() if flags is not None else "none"
    n, raters = len(judgments.items), len(np.unique(judgments.rater))
    return str(Signature(spec, source.short(), reference.short(), hypothesis, n, raters, tuple(conventions)))
