"""Recall of each error type: humans against humans, and systems beside them.

Formula
    For a text and a subset of annotators, each sentence has its chosen annotator; the recall of a type is the matched
    edits of that type over all of them, as in ``errorbar score --by type``. Means are taken over subsets, and over
    annotators, as for F.
Conventions
    A subset in which the chosen annotators have no edit of a type does not count for it; a type that no subset has
    is not a number. The ratio of a system to humans is a mean recall over a mean recall, and undefined where humans
    find nothing.
Source
    Ng et al. 2014, tables 9 and 10, for the recall; Bryant & Ng 2015 for the means.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.ceilings.study import Study, Text
from errorbar.metrics.base import Selection


@dataclass(frozen=True, slots=True)
class TypeRow:
    """One error type.

    Attributes:
        type: Its name.
        human: Mean recall of the annotators; None where there is nothing to find.
        systems: The same of each system, in the order of the study.
        ratios: Each system's recall over the humans'; None where either is undefined or humans find nothing.
    """

    type: str
    human: float | None
    systems: tuple[float | None, ...]
    ratios: tuple[float | None, ...]


def type_rows(study: Study, size: int) -> list[TypeRow]:
    """Recall of every type against subsets of one size, by name of the type.

    Raises:
        ValueError: If types were not counted.
    """
    human = human_type_recall(study, size)
    systems = [type_recall(study, text, size) for text in study.systems]
    ratios = [np.divide(one, human, out=np.full(human.shape, np.nan), where=human > 0) for one in systems]
    return sorted(
        (
            TypeRow(name, _known(human[k]), tuple(_known(x[k]) for x in systems), tuple(_known(x[k]) for x in ratios))
            for k, name in enumerate(study.metric.types(study.humans[0].statistics))
        ),
        key=lambda row: row.type,
    )


def _known(value: float) -> float | None:
    return None if np.isnan(value) else float(value)


def type_recall(study: Study, text: Text, size: int) -> NDArray[np.float64]:
    """Mean recall of each type over the subsets of one size; shape (types,), NaN where there is nothing to find.

    Raises:
        ValueError: If types were not counted.
    """
    metric = study.metric
    subsets = study.subsets[text.author]
    place = subsets.sizes.index(size)
    first = sum(subsets.n_subsets[:place])
    masks = subsets.masks[first : first + subsets.n_subsets[place]]
    counts = metric.fold_types(text.statistics, Selection(annotators=masks))
    return _mean(metric.type_values(counts)[..., metric.type_measures.index("recall")])


def human_type_recall(study: Study, size: int) -> NDArray[np.float64]:
    """Mean over the annotators' texts; shape (types,)."""
    return _mean(np.stack([type_recall(study, text, size) for text in study.humans]))


def _mean(rows: NDArray[np.float64]) -> NDArray[np.float64]:
    known = ~np.isnan(rows)
    total = np.where(known, rows, 0.0).sum(axis=0)
    count = known.sum(axis=0)
    mean: NDArray[np.float64] = np.divide(total, count, out=np.full(total.shape, np.nan), where=count > 0)
    return mean
