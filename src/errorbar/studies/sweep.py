"""Detectors under every threshold, against a crowd: what ``errorbar crowd sweep`` shows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Unpack

import numpy as np

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.formats.item_tables import read_flags
from errorbar.formats.look import Source
from errorbar.formats.reference import NamedFile, refuse_same_names
from errorbar.metrics.base import Floats, Metric
from errorbar.metrics.crowd_weighted import Crowd
from errorbar.metrics.threshold_sweep import RECALLS, Sweep, Truth, sweep_scores
from errorbar.stats.resampling import Resampling
from errorbar.studies.crowd import Against, crowd_metric, read_against
from errorbar.studies.door import public
from errorbar.studies.inputs import need_systems
from errorbar.studies.judgment_input import CrowdJudging, Votes, paths_of
from errorbar.tables.records import estimate_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

_USUAL = Crowd()
Scored = Source | Sequence[Source] | Mapping[str, Source | Mapping[str, float]]


@dataclass(frozen=True, slots=True, repr=False)
class Sweeps(Result):
    """Systems, in the order given, under every threshold of their scores.

    Attributes:
        systems: The sweep of each.
        signatures: What can change a digit of each.
        unit: What intervals resample.
        notes: What was noted on the way.
    """

    systems: Mapping[str, Sweep]
    signatures: Mapping[str, str]
    unit: str
    notes: Sequence[Problem]

    def to_dict(self) -> dict[str, object]:
        """Average precision and points of every system."""
        return {"rows": [self._record(name, sweep) for name, sweep in self.systems.items()]}

    def _record(self, name: str, sweep: Sweep) -> dict[str, object]:
        points = [
            {
                "recall": each.recall,
                "threshold": each.threshold,
                "n_flagged": each.n_flagged,
                "P": estimate_record(each.precision),
            }
            for each in sweep.points
        ]
        said = {"truth": sweep.truth, "n_items": sweep.n_items, "errors": sweep.errors}
        average = estimate_record(sweep.average_precision)
        return {"system": name, **said, "AP": average, "points": points, "signature": self.signatures[name]}

    def tables(self) -> list[Table]:
        """P at each recall, and a line with the average precision of each system."""
        columns = [Column("system"), Column("recall %", "percent", "recall"), Column("threshold", "number", digits=3)]
        columns += [Column("flagged", "count"), Column("P", "percent", "P")]
        body: list[list[Cell]] = [
            [name, each.recall, each.threshold, each.n_flagged, each.precision]
            for name, sweep in self.systems.items()
            for each in sweep.points
        ]
        of_all: list[list[Cell]] = [
            [name, sweep.n_items, sweep.errors, sweep.average_precision] for name, sweep in self.systems.items()
        ]
        whole = [Column("system"), Column("items", "count"), Column("errors", "number", digits=1)]
        truth = next((sweep.truth for sweep in self.systems.values()), "")
        said = {"any": "one rater says so", "majority": "most raters say so", "weighted": "the share who say so"}
        notes = [f"an error: {said.get(truth, '')}; intervals resample {self.unit}"]
        return [
            Table([*whole, Column("AP", "percent", "AP")], of_all, "Average precision", "sweep"),
            Table(columns, body, "Precision at recall", "sweep-points", notes),
        ]


@public()
def crowd_sweep(
    judgments: Votes,
    systems: Scored,
    *,
    truth: Truth = "weighted",
    recalls: Sequence[float] = RECALLS,
    metric: Metric | str = "crowd",
    **shared: Unpack[CrowdJudging],
) -> Sweeps:
    """Sweep detectors' scores against a crowd: precision at each recall, with a band.

    Args:
        judgments: As of ``crowd``.
        systems: Tables ``item,flag,score`` of detectors, ``name=path``, or ``{name: {item: score}}``.
        truth: What an error is: what ``any`` rater calls one, what the ``majority`` does, or, ``weighted``, the share
            of raters who do.
        recalls: Where precision is wanted, fractions above 0.
        metric: As of ``crowd``: what the share of an item is, and what a tie is to the majority.
        shared: How judgments are read and intervals made.

    Raises:
        InputError: If a file is bad, or a judged item has no score.
        UsageError: If an argument does not fit.
    """
    need_systems(systems)
    asked = crowd_metric(metric)
    _see_parameters(asked, truth)
    against, problems, drawn = read_against(judgments, asked, shared)
    items = against.judged.judgments.items
    scores = {name: _of_items(name, given, items, problems) for name, given in _read(systems, problems).items()}
    problems.raise_errors()
    found = sweeps(against, scores, truth, drawn, recalls)
    return replace(found, notes=tuple(problems.notes))


def sweeps(
    against: Against,
    scores: Mapping[str, Floats],
    truth: Truth,
    drawn: Resampling | None,
    recalls: Sequence[float] = RECALLS,
) -> Sweeps:
    """Sweep scores of each judged item, by system; a ``UsageError`` if one is no number."""
    asked = against.metric
    found = {
        name: sweep_scores(given, against.votes, truth, ties=asked.ties, recalls=recalls, resampling=drawn)
        for name, given in scores.items()
    }
    how = f"truth={truth},shares={asked.shares}" + f",ties={asked.ties}" * (asked.ties != _USUAL.ties)
    spec = f"sweep({how},recalls={'+'.join(f'{each:g}' for each in recalls)})"
    signed = {name: against.signature(spec, given, drawn) for name, given in scores.items()}
    return Sweeps(found, signed, against.unit, ())


def _see_parameters(metric: Crowd, truth: Truth) -> None:
    """Refuse what would change nothing, and what rests on no single rater."""
    what = ""
    if metric.beta != _USUAL.beta:
        what = "beta weighs F, and a sweep has none"
    elif metric.ties != _USUAL.ties and truth != "majority":
        what = f"ties= is about what most raters say (--truth=majority), and --truth is {truth}"
    elif truth == "any" and metric.shares == "dawid-skene":
        what = "shares=dawid-skene gives chances of errors, and of no item is that what one rater says"
    if what:
        raise UsageError(Problem("useless-option", what, fix="leave it out"))


def _read(systems: Scored, problems: Problems) -> dict[str, Mapping[str, float]]:
    if isinstance(systems, Mapping):
        return {
            name: given if isinstance(given, Mapping) else read_flags(given, problems, name).scores
            for name, given in systems.items()
        }
    files = [NamedFile.parse(path) for path in paths_of(systems, "systems")]
    refuse_same_names(files, "systems")
    return {file.name: read_flags(file.path, problems, file.name).scores for file in files}


def _of_items(name: str, scores: Mapping[str, float], items: Sequence[str], problems: Problems) -> Floats:
    """The score of each judged item."""
    missing = [item for item in items if item not in scores]
    if missing:
        what = f"{len(missing):,} of {len(items):,} judged items have no score, first '{missing[0]}'"
        fix = "a sweep needs the score of every item: a table with the columns item, flag and score"
        problems.error("sweep-no-score", what, Place(name), fix=fix)
    return np.array([scores.get(item, np.nan) for item in items])
