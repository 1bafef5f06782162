"""Systems against a crowd: how far it agrees, and how systems do where it agrees more or less."""

from __future__ import annotations

from collections.abc import Callable

from errorbar.core.estimate import Estimate
from errorbar.metrics.crowd_agreement import CurvePoint
from errorbar.metrics.crowd_weighted import CrowdScore
from errorbar.reporting.charts import Dot, LinePoint, bar_chart, dot_chart, line_chart
from errorbar.reporting.model import Block, Cell, Chart, Prose, Section, Shown, Table
from errorbar.reporting.sections.figures import (
    count,
    ends_cell,
    estimate_cell,
    f_name,
    in_sentence,
    interval_heading,
    low_high,
    percent,
    plain,
    plain_ends,
    plural,
    points,
    reasons,
)
from errorbar.studies.model import CrowdStudy, CrowdSystem, Study

Take = Callable[[CurvePoint], Estimate]


def crowd(study: Study) -> Section | None:
    """The crowd and the systems, or None where there are no judgments."""
    if not isinstance(study, CrowdStudy):
        return None
    blocks: list[Block] = [_histogram(study)]
    if study.systems:
        blocks += [_scores(study), _bins(study), _curve_prose(study), *_curves(study)]
    return Section("crowd", "Against the crowd", blocks)


def crowd_level(study: CrowdStudy) -> float:
    """The confidence level of its intervals."""
    scores = [score for system in study.systems for score in system.scores.values()]
    every = [e.interval for score in scores for e in (score.precision, score.recall, score.f)]
    if study.agreement is not None:
        every += [estimate.interval for estimate in study.agreement.coefficients.values()]
    return next((interval.confidence_level for interval in every if interval is not None), 0.95)


def _span(low: float, high: float) -> str:
    return f"{low:g}–{high:g}"


def _histogram(study: CrowdStudy) -> Chart:
    counts = {_span(*edges): n for edges, n in study.histogram.items()}
    total = sum(counts.values())
    rows: list[list[Cell]] = [[name, count(n), percent(n / total if total else None)] for name, n in counts.items()]
    notes = ["a range holds its low edge, the last one also its high edge"]
    table = Table("crowd-agreement", "Items by share of the majority", ["majority", "items", "%"], rows, 1, notes)
    text = f"{plural(study.n_items, 'item')} by the share of raters who agree with the majority. "
    text += "; ".join(f"{name}: {n:,}" for name, n in counts.items()) + "."
    spec = bar_chart(counts, x_title="share of the majority", y_title="items")
    return Chart("crowd-histogram", "Agreement of the crowd", text, spec, table, "half")


def _judged(score: CrowdScore) -> str:
    low, mean, high = score.n_judgments
    return str(low) if low == high else f"{low}–{high}, mean {mean:.1f}"


def _named(study: CrowdStudy) -> list[tuple[CrowdSystem, CrowdScore]]:
    return [(system, score) for system in study.systems for score in system.scores.values()]


def _scores(study: CrowdStudy) -> Chart:
    rows: list[list[Cell]] = []
    for system, score in _named(study):
        parts = [Shown(f"{part:.1f}", part) for part in (score.hits, score.false_positives, score.misses)]
        row: list[Cell] = [system.name, score.estimand, _judged(score), count(score.n_items), *parts]
        for estimate in (score.precision, score.recall, score.f):
            row += [estimate_cell(estimate), ends_cell(estimate.interval)]
        rows.append(row)
    name = f_name(_named(study)[0][1].beta)
    ci = interval_heading(crowd_level(study))
    columns = ["system", "estimand", "judgments", "items", "hits", "FP", "misses", "P", ci, "R", ci, name, ci]
    every = [e for _, s in _named(study) for e in (s.precision, s.recall, s.f)]
    notes = [
        "weighted: an item counts as the share of raters who call it an error; majority: as most of them do",
        *reasons(every),
    ]
    dots = [
        Dot(system.name, points(score.f.value), *low_high(score.f.interval), "", score.estimand)
        for system, score in _named(study)
    ]
    text = f"{name} against the crowd, weighted and by majority, with intervals. "
    text += "; ".join(f"{system.name}, {score.estimand}: {in_sentence(score.f)}" for system, score in _named(study)[:6])
    spec = dot_chart(dots, title=f"{name} (percent)", name_title="system", series_title="estimand")
    table = Table("crowd-scores-values", "Scores against the crowd, in percent", columns, rows, 3, notes)
    return Chart("crowd-scores", f"{name} against the crowd", text + ".", spec, table, "half")


def _bins(study: CrowdStudy) -> Chart:
    rows: list[list[Cell]] = []
    dots: list[Dot] = []
    estimates = []
    for system in study.systems:
        for part in system.bins:
            for score in part.scores.values():
                row: list[Cell] = [system.name, _span(part.low, part.high), score.estimand]
                row += [count(score.n_items), _judged(score)]
                for estimate in (score.precision, score.recall):
                    row += [estimate_cell(estimate), ends_cell(estimate.interval)]
                    estimates.append(estimate)
                rows.append(row)
            weighted = part.scores.get("weighted")
            for name, estimate in () if weighted is None else (("P", weighted.precision), ("R", weighted.recall)):
                label = f"{system.name} at {_span(part.low, part.high)}"
                dots.append(Dot(label, points(estimate.value), *low_high(estimate.interval), "", name))
    ci = interval_heading(crowd_level(study))
    columns = ["system", "agreement", "estimand", "items", "judgments", "P", ci, "R", ci]
    notes = ["agreement: share of the majority; a bin holds its low edge, the last one also its high edge"]
    table = Table("crowd-bins-values", "P and R by agreement, in percent", columns, rows, 3, notes + reasons(estimates))
    shown, cut = dots[:120], ""
    if len(shown) < len(dots):
        cut = f" The chart shows the first {len(shown)} of {len(dots)} values, the table all."
    text = f"Weighted precision and recall of {plural(len(study.systems), 'system')} on items by agreement. "
    text += "; ".join(
        f"{dot.series} of {dot.name}: {'undefined' if dot.value is None else f'{dot.value:.2f}'}" for dot in dots[:6]
    )
    spec = dot_chart(shown, title="percent", name_title="system at agreement", series_title="quantity")
    return Chart("crowd-bins", "Precision and recall by agreement", f"{text}.{cut}", spec, table)


def _curve_prose(study: CrowdStudy) -> Prose:
    return Prose(
        [
            "As only items on which the crowd agrees more are kept, the share of errors among them changes, and kappa "
            "changes with it even where a system errs as often as before. Compare systems on different data by "
            f"Youden's J, the odds ratio, or kappa at one share of errors ({study.reference_prevalence:g}), which "
            "do not depend on it."
        ]
    )


def _curves(study: CrowdStudy) -> list[Chart]:
    at = f"Kappa at {study.reference_prevalence:g}"
    curves: list[tuple[str, str, Take]] = [
        ("crowd-kappa", "Kappa", lambda p: p.kappa),
        ("crowd-youden", "Youden's J", lambda p: p.youden),
        ("crowd-kappa-at", at, lambda p: p.kappa_at),
        ("crowd-odds", "Log odds ratio", lambda p: p.log_odds),
    ]
    return [_curve(study, name, title, take) for name, title, take in curves]


def _curve(study: CrowdStudy, name: str, title: str, take: Take) -> Chart:
    rows: list[list[Cell]] = []
    drawn = []
    for system in study.systems:
        for p in system.curve:
            estimate = take(p)
            row: list[Cell] = [
                system.name,
                f">= {p.threshold:g}",
                count(p.n_items),
                count(p.n_ties),
                percent(p.kept),
                percent(p.prevalence),
            ]
            rows.append([*row, plain(estimate.value, 3), plain_ends(estimate.interval, 3)])
            drawn.append(LinePoint(system.name, p.threshold, estimate.value, *low_high(estimate.interval, 1)))
    columns = [
        "system",
        "agreement",
        "items",
        "ties",
        "kept %",
        "errors %",
        title,
        interval_heading(crowd_level(study)),
    ]
    notes = ["ties: items left out because half of the raters call them an error"]
    notes += reasons([take(p) for system in study.systems for p in system.curve])
    table = Table(f"{name}-values", f"{title} by agreement", columns, rows, 2, notes)
    first = study.systems[0]
    ends = [(p.threshold, take(p).value) for p in (*first.curve[:1], *first.curve[-1:])]
    text = f"{title} on the items on which at least such a share of the raters agree. {first.name}: "
    text += ", ".join(f"{'undefined' if v is None else f'{v:.3f}'} at {t:g}" for t, v in dict.fromkeys(ends))
    spec = line_chart(
        drawn, x_title="share of raters who agree, at least", y_title=title, whole=False, percent=False, height=220
    )
    return Chart(name, f"{title} by agreement of the crowd", text + ".", spec, table, "half")
