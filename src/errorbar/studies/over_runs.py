"""How scores of systems with several runs are shown: columns of tables, fields of JSON, and the words about them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from errorbar.metrics.base import Measure
from errorbar.metrics.scored import Score
from errorbar.studies.over_judges import RUNS_TITLE, TITLE, interval_of, level_of, run_variances_record, runs_line
from errorbar.tables.records import interval_record
from errorbar.tables.table import Cell, Column


def run_columns(scores: Sequence[Score], measures: Sequence[Measure]) -> list[tuple[Column, Callable[[Score], Cell]]]:
    """Intervals over runs where judges are fixed, how many runs there are, and how they vary; none of single runs."""
    several = [score for score in scores if score.runs]
    if not several:
        return []
    mains = {score.main for score in several}
    made: list[tuple[Column, Callable[[Score], Cell]]] = []
    for measure in measures if any(score.over_runs is not None for score in several) else ():
        title = RUNS_TITLE if len(mains) == 1 else f"{measure.title}, {RUNS_TITLE}"
        only: Literal["", "data"] = "" if measure.name in mains else "data"
        column = Column(title, measure.kind, f"{measure.name}_runs", interval="only", only=only)
        made.append((column, _cell(measure.name)))
    main = next(measure for measure in several[0].measures if measure.name == several[0].main)
    return [
        *made,
        (Column("runs", "count"), lambda score: max(1, len(score.runs))),
        (Column("SD of runs", main.kind, f"{main.name}_runs_sd"), lambda score: score.run_deviation(score.main)),
    ]


def _cell(name: str) -> Callable[[Score], Cell]:
    def cell(score: Score) -> Cell:
        known = None if score.over_runs is None else score.over_runs.get(name)
        return None if known is None else interval_of(known.estimate)

    return cell


def run_lines(scores: Sequence[Score]) -> list[str]:
    """What a score of several runs is."""
    several = next((score for score in scores if score.runs), None)
    if several is None:
        return []
    said = ["scores of systems with several runs are means over them"]
    if several.over_runs is not None:
        return [*said, runs_line(level_of(several))]
    if several.has_intervals:
        said.append(f"{100 * level_of(several):g}% CI: these runs")
    if any(score.judges is not None for score in scores):
        said.append(f"{TITLE}: other runs, too")
    return ["; ".join(said)]


def runs_record(score: Score) -> dict[str, object]:
    """The runs of a system, as JSON has them: deviations and values are fractions."""
    names = list(score.estimates)
    record: dict[str, object] = {
        "n_runs": len(score.runs),
        "standard_deviation": {name: score.run_deviation(name) for name in names},
        "scores": [
            {"run": run.system, **{name: run.estimates[name].value for name in names}, **run.counts}
            for run in score.runs
        ],
    }
    if score.over_runs is not None:
        record["measures"] = {
            name: {
                "value": one.estimate.value,
                "interval": interval_record(one.estimate),
                **run_variances_record(one.components),
            }
            for name, one in score.over_runs.items()
        }
    return record
