"""Crowds in one call: judgments of a long table, counts and scores of columns."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from errorbar import Judgments, Problems, Resampling
from errorbar.core import RepeatPolicy
from errorbar.formats import Source, read_judgment_table
from errorbar.metrics import Crowd, CrowdScore, CrowdStatistics, Estimand, Votes, score_kinds
from errorbar.metrics.crowd_weighted import Ties

Clusters = Sequence[int] | NDArray[np.int64] | None


def write_judgments(judgments: Judgments, kind: str = "csv") -> Iterator[str]:
    """The lines of a table of judgments, CSV or JSON lines, without line ends; names have none either."""
    columns = {name: list(column) for name, column in judgments.to_columns().items()}
    if kind == "jsonl":
        for values in zip(*columns.values(), strict=True):
            yield json.dumps(dict(zip(columns, values, strict=True)), ensure_ascii=False)
        return
    yield ",".join(columns)
    for values in zip(*columns.values(), strict=True):
        yield ",".join(_csv_field(str(value)) for value in values)


def _csv_field(text: str) -> str:
    # A space at the edge of a field is kept by readers only inside quotes.
    quoted = not text or text != text.strip() or "," in text or '"' in text
    return '"' + text.replace('"', '""') + '"' if quoted else text


def read_judgments(
    path: Source,
    problems: Problems | None = None,
    *,
    columns: Mapping[str, str] | None = None,
    labels: Sequence[str] = (),
    repeats: RepeatPolicy = "refuse",
) -> Judgments:
    table = read_judgment_table(
        path, problems or Problems(), layout="long", columns=columns, labels=labels, repeats=repeats
    )
    return table.judgments


def measure_crowd(
    share: NDArray[np.float64],
    flag: NDArray[np.bool_],
    n_judgments: NDArray[np.int64],
    clusters: Clusters = None,
    *,
    estimand: Estimand = "weighted",
    ties: Ties = "half",
) -> CrowdStatistics:
    return Crowd(estimand=estimand, ties=ties).measure(Votes(share, n_judgments, clusters), flag)


def crowd_score(
    share: NDArray[np.float64],
    flag: NDArray[np.bool_],
    n_judgments: NDArray[np.int64],
    clusters: Clusters = None,
    *,
    estimand: Estimand = "weighted",
    ties: Ties = "half",
    beta: float = 1.0,
    resampling: Resampling | None = None,
) -> CrowdScore:
    metric = Crowd(beta, estimand, "votes", ties)
    return score_kinds(metric, metric.measure(Votes(share, n_judgments, clusters), flag), resampling=resampling)
