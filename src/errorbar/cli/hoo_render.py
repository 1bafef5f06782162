"""Tables and JSON records of HOO scores; computes nothing."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from errorbar.cli.render import Cell, Table, interval_record, interval_text, percent
from errorbar.core.estimate import Estimate, Undefined
from errorbar.metrics.hoo import CONDITIONS, FIGURES, MEASURES
from errorbar.metrics.hoo_rows import TypeRecall, code_recalls, row_recalls
from errorbar.metrics.hoo_score import HooScore, Prf, best_runs
from errorbar.metrics.hoo_statistics import TYPE_COLUMNS
from errorbar.stats.resampling import Resampling

PLAIN, BONUS = CONDITIONS


def score_table(scores: Sequence[HooScore], style: str) -> Table:
    """A row for each run and measure: P, R, F without and with bonus."""
    if style == "csv":
        return _data_table(scores)
    if _asked(scores):
        return _interval_table(scores)
    names, labels = _labels(scores)
    rows: list[list[Cell]] = []
    for label, score in zip(labels, scores, strict=True):
        for measure in MEASURES:
            row: list[Cell] = [*label, measure]
            for condition in CONDITIONS:
                row += [_value(each) for each in _three(score.figures[condition, measure])]
            rows.append(row)
    return Table([*names, "measure", "P", "R", "F", "P+", "R+", "F+"], rows, len(names) + 1, _footer(scores))


def _interval_table(scores: Sequence[HooScore]) -> Table:
    """A row for each run, measure and condition: P, R, F, each with its interval."""
    names, labels = _labels(scores)
    rows: list[list[Cell]] = []
    for label, score in zip(labels, scores, strict=True):
        for condition in CONDITIONS:
            for measure in MEASURES:
                row: list[Cell] = [*label, condition, measure]
                for each in _three(score.figures[condition, measure]):
                    row += [_value(each), interval_text(each)]
                rows.append(row)
    figures = [name for each in "PRF" for name in (each, f"interval of {each}")]
    return Table([*names, "condition", "measure", *figures], rows, len(names) + 2, _footer(scores))


def best_table(scores: Sequence[HooScore], style: str) -> Table:
    """The best run of each team: tables 2 to 7."""
    rows: list[list[Cell]] = []
    with_intervals = style != "csv" and _asked(scores)
    for condition, measure, score in best_runs(scores):
        values: list[Cell] = []
        for each in _three(score.figures[condition, measure]):
            values.append(each.value if style == "csv" else _value(each))
            if with_intervals:
                values.append(interval_text(each))
        rows.append([measure, condition, score.team, score.run, *values])
    figures = [
        name for each in ("P", "R", "F") for name in ([each, f"interval of {each}"] if with_intervals else [each])
    ]
    columns = ["measure", "condition", "team", "run", *figures]
    if len({score.signature.spec for score in scores}) > 1:
        columns.append("metric")
        for row, (_, _, score) in zip(rows, best_runs(scores), strict=True):
            row.append(score.signature.spec)
    return Table(columns, rows, 4, _footer(scores))


def type_table(
    scores: Sequence[HooScore], overrides: Mapping[str, str], style: str, resampling: Resampling | None = None
) -> Table:
    """Recall of each row of table 8, with its interval over fragments where asked for."""
    names, labels = _labels(scores)
    rows: list[list[Cell]] = []
    recalls: list[Estimate] = []
    for label, score in zip(labels, scores, strict=True):
        for found in row_recalls(score, overrides, resampling):
            row: list[Cell] = [*label, found.type, found.counts[0]]
            for each in found.recalls:
                recalls.append(each)
                if style == "csv":
                    row += [each.value, *(_ends(each) if resampling else ())]
                else:
                    row += [percent(each.value), *([interval_text(each)] if resampling else ())]
            rows.append(row)
    columns = [*names, "type", "gold"]
    for measure in MEASURES:
        more = [f"{measure}_low", f"{measure}_high"] if style == "csv" else ["interval"]
        columns += [measure, *(more if resampling else ())]
    footer = ["recall; – where no gold edit is of the type", *_no_interval(recalls), *_signatures(scores)]
    return Table(columns, rows, len(names) + 1, footer)


def fragment_table(scores: Sequence[HooScore], style: str, *, asked: bool = False) -> Table:
    """P, R and F of each fragment; there is no interval, and where one was asked for, the footer says why."""
    names, labels = _labels(scores)
    rows: list[list[Cell]] = []
    for label, score in zip(labels, scores, strict=True):
        for unit, name in enumerate(score.statistics.units):
            for m, measure in enumerate(MEASURES):
                values = [*score.by_fragment[unit, 0, m].tolist(), *score.by_fragment[unit, 1, m].tolist()]
                rows.append([*label, name, measure, *(values if style == "csv" else map(percent, values))])
    columns = [*names, "fragment", "measure", "P", "R", "F", "P+", "R+", "F+"]
    footer = ["+: with bonus", *([f"no interval of a fragment: {Undefined.ONE_UNIT}"] if asked else ())]
    return Table(columns, rows, len(names) + 2, footer)


def score_record(
    score: HooScore, overrides: Mapping[str, str], resampling: Resampling | None = None
) -> dict[str, object]:
    """A score as it stands in JSON output; with ``resampling``, recall by type has intervals too."""
    why = {"no_interval": str(Undefined.ONE_UNIT)} if resampling else {}
    return {
        "run": score.run,
        "team": score.team,
        "metric": score.signature.spec,
        "counts": dict(score.counts),
        "scores": [
            {"measure": measure, "bonus": condition == BONUS, **_prf_record(score.figures[condition, measure])}
            for condition in CONDITIONS
            for measure in MEASURES
        ],
        "by_row": [_recall_record(each) for each in row_recalls(score, overrides, resampling)],
        "by_code": [_recall_record(each) for each in code_recalls(score, resampling)],
        "by_fragment": [
            {
                "fragment": name,
                "measure": measure,
                "bonus": condition == BONUS,
                **dict(zip(FIGURES, score.by_fragment[unit, c, m].tolist(), strict=True)),
                **why,
            }
            for unit, name in enumerate(score.statistics.units)
            for c, condition in enumerate(CONDITIONS)
            for m, measure in enumerate(MEASURES)
        ],
        "signature": str(score.signature),
    }


def best_records(scores: Sequence[HooScore]) -> list[dict[str, object]]:
    """The best run of each team as it stands in JSON output."""
    return [
        {
            "measure": measure,
            "bonus": condition == BONUS,
            "team": score.team,
            "run": score.run,
            "metric": score.signature.spec,
            **_prf_record(score.figures[condition, measure]),
        }
        for condition, measure, score in best_runs(scores)
    ]


def _recall_record(recall: TypeRecall) -> dict[str, object]:
    record: dict[str, object] = {"type": recall.type, **dict(zip(TYPE_COLUMNS, recall.counts, strict=True))}
    if any(each.interval or each.no_interval for each in recall.recalls):
        record["intervals"] = {
            measure: interval_record(each) for measure, each in zip(MEASURES, recall.recalls, strict=True)
        }
    return record


def _asked(scores: Sequence[HooScore]) -> bool:
    """Whether intervals were asked for."""
    return any(each.interval or each.no_interval for s in scores for f in s.figures.values() for each in _three(f))


def _ends(estimate: Estimate) -> tuple[float | None, float | None]:
    interval = estimate.interval
    return (None, None) if interval is None else (interval.low, interval.high)


def _no_interval(estimates: Iterable[Estimate]) -> list[str]:
    reasons = dict.fromkeys(str(each.no_interval) for each in estimates if each.no_interval is not None)
    return [f"– no interval: {', '.join(reasons)}"] if reasons else []


def _signatures(scores: Sequence[HooScore]) -> list[str]:
    return [f"signature {each}" for each in dict.fromkeys(str(replace(s.signature, hypothesis="…")) for s in scores)]


def _three(figures: Prf) -> tuple[Estimate, Estimate, Estimate]:
    return figures.precision, figures.recall, figures.f


def _named(figures: Prf) -> list[tuple[str, Estimate]]:
    return list(zip(FIGURES, _three(figures), strict=True))


def _prf_record(figures: Prf) -> dict[str, object]:
    record: dict[str, object] = {name: estimate.value for name, estimate in _named(figures)}
    record["undefined"] = {name: str(each.undefined) for name, each in _named(figures) if each.undefined is not None}
    if any(each.interval or each.no_interval for _, each in _named(figures)):
        record["intervals"] = {name: interval_record(each) for name, each in _named(figures)}
    return record


def _data_table(scores: Sequence[HooScore]) -> Table:
    """One row for each run, measure and condition, at full precision: CSV is read by programs."""
    asked = _asked(scores)
    rows: list[list[Cell]] = []
    for score in scores:
        for condition in CONDITIONS:
            for measure in MEASURES:
                figures = _three(score.figures[condition, measure])
                values = [each.value for each in figures]
                ends = [end for each in figures for end in _ends(each)] if asked else []
                counts = list(score.counts.values())
                label = [score.run, score.team, score.signature.spec, measure, condition]
                rows.append([*label, *values, *ends, *counts, str(score.signature)])
    bounds = [f"{figure}_{end}" for figure in FIGURES for end in ("low", "high")] if asked else []
    names = list(scores[0].counts) if scores else []
    return Table(["run", "team", "metric", "measure", "condition", *FIGURES, *bounds, *names, "signature"], rows, 5)


def _labels(scores: Sequence[HooScore]) -> tuple[list[str], list[list[Cell]]]:
    """The leading columns that tell rows apart."""
    if len({score.signature.spec for score in scores}) == 1:
        return ["run"], [[score.run] for score in scores]
    return ["run", "metric"], [[score.run, score.signature.spec] for score in scores]


def _value(estimate: Estimate) -> str:
    # An empty case that the convention fills with 0 looks like a measured 0, so it is marked too.
    return percent(estimate.value) + ("*" if estimate.undefined is not None and estimate.value is not None else "")


def _footer(scores: Sequence[HooScore]) -> list[str]:
    reasons = dict.fromkeys(
        str(each.undefined)
        for score in scores
        for figures in score.figures.values()
        for each in _three(figures)
        if each.undefined is not None
    )
    footer = [f"{'bonus' if _asked(scores) else '+: with bonus, which'} counts missing optional edits as found"]
    if reasons:
        footer.append(f"* by convention: {', '.join(reasons)}")
    every = (each for score in scores for figures in score.figures.values() for each in _three(figures))
    return [*footer, *_no_interval(every), *_signatures(scores)]
