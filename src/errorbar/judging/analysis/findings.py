"""What an analysis finds: figures in sections, each of something, and how they become tables.

Formula
    Share of a label: the mean over items of the item's own share of it, so that an item counts once however many
    judged it. Its interval resamples items with all their judgments.
Conventions
    A judgment that says that one cannot tell is not given. Without a judgment there is no share.
Source
    The label shares of ``errorbar.agreement``, as its coefficients take them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.coefficients import estimates
from errorbar.agreement.label_counts import Shares, item_counts
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.judgments import Judgments
from errorbar.judging.study_agreement import agreement_of
from errorbar.stats.resampling import Resampling
from errorbar.tables.table import Cell, Column, Table

FigureKind = Literal["percent", "number", "count"]
NO_GOLD = Estimate(None, 0, undefined=Undefined.NO_UNITS)


@dataclass(frozen=True, slots=True)
class Finding:
    """One figure.

    Attributes:
        section: What it belongs to: a table.
        of: What it is a figure of: a row.
        measure: What it measures: a column.
        estimate: The figure.
        kind: ``percent``: a share; ``number``; ``count``.
    """

    section: str
    of: str
    measure: str
    estimate: Estimate
    kind: FigureKind = "number"


def section_tables(findings: Sequence[Finding], titles: Mapping[str, str]) -> list[Table]:
    """A table for each section, in order of appearance."""
    found = []
    for section in dict.fromkeys(each.section for each in findings):
        own = [each for each in findings if each.section == section]
        measures = {each.measure: each.kind for each in own}
        cells = {(each.of, each.measure): each.estimate for each in own}
        columns = [Column("", key="of")]
        for name, kind in measures.items():
            said = [each for each in own if each.measure == name]
            some = any(each.estimate.interval or each.estimate.no_interval for each in said)
            columns.append(Column(name, kind, interval="beside" if some else "hidden"))
        rows: list[list[Cell]] = []
        for of in dict.fromkeys(each.of for each in own):
            row: list[Cell] = [of]
            for name, kind in measures.items():
                cell = cells.get((of, name))
                whole = kind == "count" and cell is not None and cell.value is not None
                row.append(int(cell.value) if whole and cell is not None and cell.value is not None else cell)
            rows.append(row)
        found.append(Table(columns, rows, titles.get(section, section), section))
    return found


def count(value: float) -> Estimate:
    """A count, as a figure."""
    return Estimate(float(value), int(value))


def agreement_findings(
    section: str, of: str, judgments: Judgments, drawn: Resampling | None, gold: Estimate | None = None
) -> Iterator[Finding]:
    """Items, observed agreement, kappa and alpha of some judgments."""
    found = agreement_of(judgments, gold or NO_GOLD, drawn)
    yield Finding(section, of, "items", count(found.n_paired), "count")
    yield Finding(section, of, "agreement", found.observed)
    yield Finding(section, of, "kappa", found.kappa)
    yield Finding(section, of, "alpha", found.alpha)
    if gold is not None:
        yield Finding(section, of, "kappa with the gold", gold)


def label_shares(judgments: Judgments, drawn: Resampling | None) -> dict[str, Estimate]:
    """The share of each label."""
    if not len(judgments):
        return dict.fromkeys(judgments.labels, NO_GOLD)
    table = item_counts(judgments)
    n_items = int(table.units.frequency.sum())
    made = estimates(
        table.units, {"shares": Shares(table).labels}, n_items, Undefined.NO_UNITS, drawn, len(table.labels)
    )
    return dict(zip(table.labels, made["shares"], strict=True))


def merged(judgments: Judgments, groups: Mapping[str, str]) -> Judgments:
    """The judgments with labels grouped: label to the name of its group; one that is not named keeps its name."""
    names = [groups.get(label, label) for label in judgments.labels]
    known = list(dict.fromkeys(names))
    codes = np.array([known.index(name) for name in names], np.int32)
    return replace(judgments, label=codes[judgments.label], labels=tuple(known))


def of_items(judgments: Judgments, items: NDArray[np.bool_]) -> Judgments:
    """The judgments of some items; ``items`` says which, shape (items,)."""
    return judgments.take(items[judgments.item])


def used_labels(judgments: Judgments) -> Judgments:
    """The judgments with the labels alone that somebody gave."""
    used, codes = np.unique(judgments.label, return_inverse=True)
    return replace(judgments, label=codes.astype(np.int32), labels=tuple(judgments.labels[at] for at in used.tolist()))
