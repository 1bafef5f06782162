"""Precision against recall, with contours of equal F."""

from __future__ import annotations

from errorbar.core.estimate import Estimate
from errorbar.reporting.blocks import Chart, Section
from errorbar.reporting.charts.plane import PlanePoint, plane_chart
from errorbar.reporting.sections.figures import f_name, listed, plural
from errorbar.reporting.sections.ranking import ranked
from errorbar.studies.model import CorpusStudy, Study
from errorbar.tables.shown import percent
from errorbar.tables.table import Column, Table


def precision_recall(study: Study) -> Section | None:
    """The plane, or None where no system has both P and R."""
    if not isinstance(study, CorpusStudy):
        return None
    scores = [
        study.scores[k] for k in ranked(study) if {"precision", "recall", "f"} <= study.scores[k].estimates.keys()
    ]
    points = [
        PlanePoint(s.system, 100 * s.precision.value, 100 * s.recall.value, _ends(s.precision), _ends(s.recall))
        for s in scores
        if s.precision.value is not None and s.recall.value is not None
    ]
    if not points:
        return None
    beta = scores[0].beta or 1.0
    name = f_name(beta)
    text = f"Precision against recall of {plural(len(points), 'system')}, both from 0, with contours of equal {name}."
    measured = [s for s in scores if s.precision.undefined is None and s.recall.undefined is None]
    if measured:
        precise = max(measured, key=lambda score: score.precision.value or 0)
        complete = max(measured, key=lambda score: score.recall.value or 0)
        text += (
            f" Highest precision: {precise.system}, {percent(precise.precision.value)} percent at recall "
            f"{percent(precise.recall.value)}. Highest recall: {complete.system}, {percent(complete.recall.value)} "
            f"percent at precision {percent(complete.precision.value)}."
        )
    filled = [point.name for point in points if point.name not in {score.system for score in measured}]
    if filled:
        text += f" Where nothing was proposed or nothing is in the reference, a convention places {listed(filled)}."
    if len(points) < len(scores):
        text += f" {plural(len(scores) - len(points), 'system')} without a value of P or R cannot be drawn."
    columns = [Column("system"), Column("P", "percent", "precision"), Column("R", "percent", "recall")]
    rows = [(s.system, s.precision, s.recall) for s in scores]
    table = Table(
        columns, rows, "Precision and recall, in percent", "precision-recall-values", (), study.confidence_level
    )
    spec = plane_chart(points, beta=beta, f_name=name)
    chart = Chart("precision-recall-plane", f"Precision and recall, with lines of equal {name}", text, spec, table)
    return Section("precision-recall", "Precision and recall", [chart])


def _ends(estimate: Estimate) -> tuple[float, float] | None:
    ends = estimate.interval
    return None if ends is None else (100 * ends.low, 100 * ends.high)
