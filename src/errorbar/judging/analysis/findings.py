"""Findings: the figures of an analysis in sections, and how they become tables.

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

from errorbar.agreement.coefficients import Shares, estimates, item_counts
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.judgments import Judgments
from errorbar.judging.study.figures import agreement_of
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
    tables = []
    for section in dict.fromkeys(finding.section for finding in findings):
        own = [finding for finding in findings if finding.section == section]
        measures = {finding.measure: finding.kind for finding in own}
        cells = {(finding.of, finding.measure): finding.estimate for finding in own}
        columns = [Column("", key="of")]
        for name, kind in measures.items():
            estimates_of = [finding.estimate for finding in own if finding.measure == name]
            has_intervals = any(estimate.interval or estimate.no_interval for estimate in estimates_of)
            columns.append(Column(name, kind, interval="beside" if has_intervals else "hidden"))
        rows: list[list[Cell]] = []
        for of in dict.fromkeys(finding.of for finding in own):
            row: list[Cell] = [of]
            for name, kind in measures.items():
                cell = cells.get((of, name))
                row.append(int(cell.value) if kind == "count" and cell and cell.value is not None else cell)
            rows.append(row)
        tables.append(Table(columns, rows, titles.get(section, section), section))
    return tables


def count_figure(value: float) -> Estimate:
    """A count, as a figure."""
    return Estimate(float(value), int(value))


def agreement_findings(
    section: str, of: str, judgments: Judgments, intervals: Resampling | None, gold: Estimate | None = None
) -> Iterator[Finding]:
    """Items, observed agreement, kappa and alpha of some judgments."""
    agreement = agreement_of(judgments, gold or NO_GOLD, intervals)
    yield Finding(section, of, "items", count_figure(agreement.n_paired), "count")
    yield Finding(section, of, "agreement", agreement.observed)
    yield Finding(section, of, "kappa", agreement.kappa)
    yield Finding(section, of, "alpha", agreement.alpha)
    if gold is not None:
        yield Finding(section, of, "kappa with the gold", gold)


def label_shares(judgments: Judgments, intervals: Resampling | None) -> dict[str, Estimate]:
    """The share of each label."""
    if not len(judgments):
        return dict.fromkeys(judgments.labels, NO_GOLD)
    table = item_counts(judgments)
    n_items = int(table.units.frequency.sum())
    results = estimates(
        table.units, {"shares": Shares(table).labels}, n_items, Undefined.NO_UNITS, intervals, len(table.labels)
    )
    return dict(zip(table.labels, results["shares"], strict=True))


def merge_labels(judgments: Judgments, groups: Mapping[str, str]) -> Judgments:
    """The judgments with labels grouped: label to the name of its group; one that is not named keeps its name."""
    names = [groups.get(label, label) for label in judgments.labels]
    known = list(dict.fromkeys(names))
    codes = np.array([known.index(name) for name in names], np.int32)
    return replace(judgments, label=codes[judgments.label], labels=tuple(known))


def take_items(judgments: Judgments, items: NDArray[np.bool_]) -> Judgments:
    """The judgments of some items; ``items`` says which, shape (items,)."""
    return judgments.take(items[judgments.item])


def drop_unused_labels(judgments: Judgments) -> Judgments:
    """The judgments with the labels alone that somebody gave."""
    used, codes = np.unique(judgments.label, return_inverse=True)
    return replace(judgments, label=codes.astype(np.int32), labels=tuple(judgments.labels[at] for at in used.tolist()))
