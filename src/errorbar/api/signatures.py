"""Signatures of what is computed from all of the data: those of ``compare``, ``ceiling``, ``agree`` and of crowds."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import (
    ContentHash,
    Corpus,
    Hypothesis,
    reference_records,
    source_record,
    system_records,
    type_record,
)
from errorbar.core.estimate import Signature
from errorbar.core.labels import natural_order
from errorbar.metrics.base import Metric, Opaque
from errorbar.version import __version__

if TYPE_CHECKING:  # agreement brings scipy, which not every command needs
    from errorbar.agreement.coefficients import Clusters
    from errorbar.core.judgments import Judgments
    from errorbar.stats.resampling import Resampling

GIVEN = "items=given"
"""Judgments that were read as they are, not made of annotators' edits."""


def corpus_signature(
    spec: str, references: Sequence[Corpus], systems: Sequence[Hypothesis], conventions: tuple[str, ...]
) -> str:
    """The signature of a metric's result on a whole corpus, or those of each system; without systems, of annotators."""
    corpus, names = references[0], {name for corpus in references for name in corpus.annotators}
    source, reference, hypotheses = ContentHash(), ContentHash(), ContentHash()
    source.add(map(source_record, corpus.sentences))
    for own in references:
        reference.add(reference_records(own))
    for system in systems:
        hypotheses.add(system_records(system.lines))
    hashes = source.short(), reference.short(), hypotheses.short() if systems else "none"
    return str(Signature(spec, *hashes, len(corpus), len(names), conventions))


def made_by(metric: Metric, statistics: Iterable[Opaque]) -> tuple[str, ...]:
    """The parts of a signature that say what made the edits of texts; none where nothing did."""
    return tuple(filter(None, dict.fromkeys(map(metric.made_by, statistics))))


def types_convention(corpus: Corpus) -> str:
    """The part of a signature that stands for the error types, where they count."""
    content = ContentHash()
    content.add([type_record(sentence.annotations) for sentence in corpus.sentences])
    return f"types:{content.short()}"


def agreement_signature(
    judgments: Judgments,
    how: str,
    *,
    resampling: Resampling | None = None,
    clusters: Clusters = None,
    unknown: Sequence[str] = (),
    order: Sequence[str] | None = None,
    judges: str = "fixed",
) -> str:
    """The signature of agreement coefficients: the same for the same judgments in whatever order they come.

    ``how`` says what the judgments and their scale are, e.g. ``items=tokens,labels=error``, or ``GIVEN``; ``order`` the
    labels from lowest to highest, where they are ranks.
    """
    judged = np.unique(judgments.item)
    names = natural_order(judgments.raters[code] for code in np.unique(judgments.rater))
    by_name = judged[np.argsort(np.array([judgments.items[code] for code in judged], object), kind="stable")]
    place = np.full(len(judgments.items), -1, np.int64)
    place[by_name] = np.arange(len(by_name))
    known = {name: at for at, name in enumerate(names)}
    rater = np.array([known.get(name, -1) for name in judgments.raters], np.int64)[judgments.rater]
    rows = np.lexsort((judgments.label, rater, place[judgments.item]))
    content = ContentHash()
    for part in (tuple(judgments.items[code] for code in by_name), names, judgments.labels, tuple(order or ())):
        content.add([json.dumps(part)])
    content.add(_digest(column[rows].astype("<i8")) for column in (place[judgments.item], rater, judgments.label))
    parts = [
        f"agree({how})",
        f"judgments:{content.short()}",
        f"n:{len(judgments)}",
        *(f"unknown:{label}" for label in sorted(set(unknown))),
        *([] if clusters is None else [_clusters(np.asarray(clusters)[by_name])]),
        *([] if resampling is None else [resampling.convention("item" if clusters is None else "cluster")]),
        *([] if resampling is None or judges == "fixed" else [f"judges:{judges}"]),
        f"v:{__version__}",
    ]
    return "|".join(parts)


def crowd_signature(
    spec: str,
    judgments: Judgments,
    flags: NDArray[np.bool_] | NDArray[np.float64] | None,
    conventions: Sequence[str],
    clusters: NDArray[np.int64] | None = None,
) -> str:
    """The signature of something computed from a crowd's judgments; without flags no system takes part."""
    source, reference, system = ContentHash(), ContentHash(), ContentHash()
    source.add(judgments.items)
    reference.add([*judgments.raters, *judgments.labels])
    for column in (judgments.item, judgments.rater, judgments.label, judgments.weight):
        reference.add(["" if column is None else _digest(column)])
    if flags is not None:
        system.add([_digest(flags)])
    hashes = source.short(), reference.short(), "none" if flags is None else system.short()
    how = (*conventions, *([] if clusters is None else [_clusters(clusters)]))
    return str(Signature(spec, *hashes, len(judgments.items), len(np.unique(judgments.rater)), how))


def _clusters(numbers: NDArray[np.int64]) -> str:
    """Which items are drawn together, and in what order the clusters stand."""
    groups = ContentHash()
    groups.add([_digest(np.unique(numbers, return_inverse=True)[1].astype("<i8"))])
    return f"clusters:{groups.short()}"


def _digest(column: NDArray[Any]) -> str:
    return sha256(column.tobytes()).hexdigest()
