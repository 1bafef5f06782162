"""Signatures of what is computed from a whole corpus: those of ``compare``, ``ceiling`` and ``agree``."""

from __future__ import annotations

import json
from collections.abc import Sequence
from hashlib import sha256
from typing import TYPE_CHECKING

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
from errorbar.core.estimate import Signature
from errorbar.core.labels import natural_order
from errorbar.version import __version__

if TYPE_CHECKING:  # agreement brings scipy, which not every command needs
    from errorbar.agreement.cohen import Weighting
    from errorbar.agreement.krippendorff import Level
    from errorbar.agreement.label_counts import Clusters
    from errorbar.core.judgments import Judgments
    from errorbar.stats.resampling import Resampling

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
    resampling: Resampling | None = None,
    clusters: Clusters = None,
    unknown: Sequence[str] = (),
    level: Level = "nominal",
    weighting: Weighting | None = None,
    order: Sequence[str] | None = None,
) -> str:
    """The signature of agreement coefficients: the same for the same judgments in whatever order they come.

    Args:
        judgments: What was compared.
        how: What the judgments are, e.g. ``items=tokens,labels=error``, or ``GIVEN``.
        resampling: How intervals were made; None: there are none.
        clusters: Number of the cluster of each item; None: items were resampled.
        unknown: Labels that mean "cannot say".
        level: What the labels measure.
        weighting: How Cohen's kappa weighs labels, where it is not the usual way.
        order: The labels from lowest to highest, where the level is ordinal.
    """
    judged = np.unique(judgments.item)
    names = natural_order(judgments.raters[code] for code in np.unique(judgments.rater))
    by_name = judged[np.argsort(np.array([judgments.items[code] for code in judged], object), kind="stable")]
    place = np.full(len(judgments.items), -1, np.int64)
    place[by_name] = np.arange(len(by_name))
    known = {name: at for at, name in enumerate(names)}
    rater = np.array([known.get(name, -1) for name in judgments.raters], np.int64)[judgments.rater]
    rows = np.lexsort((judgments.label, rater, place[judgments.item]))
    content, groups = ContentHash(), ContentHash()
    for part in (tuple(judgments.items[code] for code in by_name), names, judgments.labels, tuple(order or ())):
        content.add([json.dumps(part)])
    for column in (place[judgments.item], rater, judgments.label):
        content.add([sha256(column[rows].astype("<i8").tobytes()).hexdigest()])
    if clusters is not None:
        # Which items are drawn together, and in what order the clusters stand.
        _, codes = np.unique(np.asarray(clusters)[by_name], return_inverse=True)
        groups.add([sha256(codes.astype("<i8").tobytes()).hexdigest()])
    scale = [] if level == "nominal" else [f"scale={level}", *([] if weighting is None else [f"weights={weighting}"])]
    parts = [
        f"agree({','.join([how, *scale])})",
        f"judgments:{content.short()}",
        f"n:{len(judgments)}",
        *(f"unknown:{label}" for label in sorted(set(unknown))),
        *([] if clusters is None else [f"clusters:{groups.short()}"]),
        *([] if resampling is None else [resampling.convention("item" if clusters is None else "cluster")]),
        f"v:{__version__}",
    ]
    return "|".join(parts)


def crowd_signature(
    spec: str,
    judgments: Judgments,
    flags: NDArray[np.bool_] | None,
    conventions: Sequence[str],
    clusters: NDArray[np.int64] | None = None,
) -> str:
    """The signature of something computed from a crowd's judgments.

    Args:
        spec: What was computed.
        judgments: The judgments.
        flags: What a system flags; None: no system takes part.
        conventions: Whatever else can change a digit, e.g. ``seed:0``.
        clusters: Number of the cluster of each item; None: items were resampled, or nothing was.
    """
    source, reference, said, groups = ContentHash(), ContentHash(), ContentHash(), ContentHash()
    source.add(judgments.items)
    reference.add([*judgments.raters, *judgments.labels])
    for column in (judgments.item, judgments.rater, judgments.label, judgments.weight):
        reference.add(["" if column is None else sha256(column.tobytes()).hexdigest()])
    if flags is not None:
        said.add([sha256(flags.tobytes()).hexdigest()])
    hypothesis = said.short() if flags is not None else "none"
    n, raters = len(judgments.items), len(np.unique(judgments.rater))
    if clusters is not None:
        _, codes = np.unique(clusters, return_inverse=True)
        groups.add([sha256(codes.astype("<i8").tobytes()).hexdigest()])
        conventions = [*conventions, f"clusters:{groups.short()}"]
    return str(Signature(spec, source.short(), reference.short(), hypothesis, n, raters, tuple(conventions)))
