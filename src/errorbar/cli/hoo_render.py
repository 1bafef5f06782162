"""Tables and JSON records of HOO scores; computes nothing."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from errorbar.cli.render import Cell, Table, interval_record, interval_text, percent
from errorbar.core.estimate import Estimate
from errorbar.metrics.hoo import CONDITIONS, FIGURES, MEASURES
from errorbar.metrics.hoo_score import HooScore, Prf, best_runs, recall_by_code, recall_by_row
from errorbar.metrics.hoo_statistics import TYPE_COLUMNS

PLAIN, BONUS = CONDITIONS


def score_table(scores: Sequence[HooScore], style: str) -> Table:
    """A row for each run and measure: P, R, F without and with bonus."""
    if style == "csv":
        return _data_table(scores)
    names, labels = _labels(scores)
    with_intervals = any(score.figures[PLAIN, m].f.interval for score in scores for m in MEASURES)
    rows: list[list[Cell]] = []
    for label, score in zip(labels, scores, strict=True):
        for measure in MEASURES:
            row: list[Cell] = [*label, measure]
            for condition in CONDITIONS:
                figures = score.figures[condition, measure]
                row += [_value(each) for each in _three(figures)]
                if with_intervals:
                    row.append(interval_text(figures.f))
            rows.append(row)
    plain = ["P", "R", "F", *(["interval of F"] if with_intervals else [])]
    columns = [*names, "measure", *plain, *(f"{name}+" for name in plain)]
    return Table(columns, rows, len(names) + 1, _footer(scores))


def best_table(scores: Sequence[HooScore], style: str) -> Table:
    """The best run of each team: tables 2 to 7."""
    rows: list[list[Cell]] = []
    with_intervals = style != "csv" and any(
        each.interval for s in scores for f in s.figures.values() for each in _three(f)
    )
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


def type_table(scores: Sequence[HooScore], overrides: Mapping[str, str], style: str) -> Table:
    """Recall of each row of table 8."""
    names, labels = _labels(scores)
    rows: list[list[Cell]] = []
    for label, score in zip(labels, scores, strict=True):
        for row, (gold, *found) in recall_by_row(score, overrides).items():
            recalls = [each / gold if gold else None for each in found]
            rows.append([*label, row, gold, *(recalls if style == "csv" else map(percent, recalls))])
    return Table(
        [*names, "type", "gold", *MEASURES], rows, len(names) + 1, ["recall; – where no gold edit is of the type"]
    )


def fragment_table(scores: Sequence[HooScore], style: str) -> Table:
    """P, R and F of each fragment."""
    names, labels = _labels(scores)
    rows: list[list[Cell]] = []
    for label, score in zip(labels, scores, strict=True):
        for unit, name in enumerate(score.statistics.units):
            for m, measure in enumerate(MEASURES):
                values = [*score.by_fragment[unit, 0, m].tolist(), *score.by_fragment[unit, 1, m].tolist()]
                rows.append([*label, name, measure, *(values if style == "csv" else map(percent, values))])
    columns = [*names, "fragment", "measure", "P", "R", "F", "P+", "R+", "F+"]
    return Table(columns, rows, len(names) + 2, ["+: with bonus"])


def score_record(score: HooScore, overrides: Mapping[str, str]) -> dict[str, object]:
    """A score as it stands in JSON output."""
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
        "by_row": [
            {"type": row, **dict(zip(TYPE_COLUMNS, counts, strict=True))}
            for row, counts in recall_by_row(score, overrides).items()
        ],
        "by_code": [
            {"type": code, **dict(zip(TYPE_COLUMNS, counts, strict=True))}
            for code, counts in recall_by_code(score).items()
        ],
        "by_fragment": [
            {
                "fragment": name,
                "measure": measure,
                "bonus": condition == BONUS,
                **dict(zip(FIGURES, score.by_fragment[unit, c, m].tolist(), strict=True)),
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
    rows: list[list[Cell]] = []
    for score in scores:
        for condition in CONDITIONS:
            for measure in MEASURES:
                values = [each.value for each in _three(score.figures[condition, measure])]
                counts = list(score.counts.values())
                label = [score.run, score.team, score.signature.spec, measure, condition]
                rows.append([*label, *values, *counts, str(score.signature)])
    names = list(scores[0].counts) if scores else []
    return Table(["run", "team", "metric", "measure", "condition", *FIGURES, *names, "signature"], rows, 5)


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
    footer = ["+: with bonus, which counts missing optional edits as found"]
    if reasons:
        footer.append(f"* by convention: {', '.join(reasons)}")
    signatures = dict.fromkeys(str(replace(score.signature, hypothesis="…")) for score in scores)
    return footer + [f"signature {signature}" for signature in signatures]
