"""A study as it stands: ``errorbar judge status``, ``errorbar.judge_status`` and the manager's page."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from datetime import UTC, datetime
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from errorbar.core.errors import Problem
from errorbar.core.estimate import Estimate
from errorbar.core.problems import Problems
from errorbar.judging.forecast import Forecast, forecast
from errorbar.judging.rater_figures import RaterFigures, rater_figures
from errorbar.judging.status_tables import (
    agreement_table,
    item_table,
    progress_table,
    rater_table,
    system_table,
)
from errorbar.judging.stop_decision import StopDecision, stop_decision
from errorbar.judging.stopping_table import stopping_table
from errorbar.judging.study_agreement import StudyAgreement, study_agreement, system_scores
from errorbar.judging.study_columns import StudyColumns, read_study
from errorbar.judging.study_folder import Study
from errorbar.judging.study_progress import ItemFigures, Progress, item_figures, progress
from errorbar.metrics.crowd_weighted import CrowdScore
from errorbar.stats.resampling import Resampling
from errorbar.studies.crowd import Systems
from errorbar.studies.door import Working, public, resampling
from errorbar.tables.records import estimate_record
from errorbar.tables.result import Result
from errorbar.tables.table import Table

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


@dataclass(frozen=True, slots=True, repr=False)
class StudyStatus(Result):
    """A study as it stands.

    Attributes:
        at: The moment, in seconds since 1970.
        scheme: Name of its scheme.
        raters_per_item: Judgments that an item needs.
        progress: How far it is.
        forecast: When it will be complete.
        agreement: How far raters agree with each other and with the gold.
        raters: Every rater.
        systems: Name and score of every system under test, by two estimands.
        items: Every item for work; none unless they were asked for.
        stopping: Whether its question is decided; None: it has none.
        notes: Warnings.
    """

    at: float
    scheme: str
    raters_per_item: int
    progress: Progress
    forecast: Forecast
    agreement: StudyAgreement
    raters: Sequence[RaterFigures]
    systems: Sequence[tuple[str, CrowdScore]]
    items: Sequence[ItemFigures]
    stopping: StopDecision | None = None
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """Progress, forecast, agreement, raters, systems and items."""
        ahead = {name: _moment(getattr(self.forecast, name)) for name in ("finish", "earliest", "latest")}
        return {
            "at": _moment(self.at),
            "scheme": self.scheme,
            "raters_per_item": self.raters_per_item,
            "progress": asdict(self.progress),
            "forecast": {**asdict(self.forecast), **ahead},
            "agreement": _record(self.agreement),
            "raters": [{**_record(each), "last": _moment(each.last)} for each in self.raters],
            "systems": [{"system": name, **_record(score)} for name, score in self.systems],
            "items": [_record(each) for each in self.items],
            "stopping": None if self.stopping is None else _record(self.stopping),
        }

    def tables(self) -> Sequence[Table]:
        """``progress``, ``raters``, ``agreement``; ``stopping``, ``systems`` and ``items`` where there are some."""
        title = f"{self.scheme}, {self.raters_per_item} judgments of each item"
        tables = [
            progress_table(title, self.progress, self.forecast),
            *([] if self.stopping is None else [stopping_table(self.stopping)]),
            agreement_table(self.agreement, gold=self.progress.n_gold > 0),
            rater_table(self.raters),
        ]
        tables += [system_table(self.systems)] if self.systems else []
        return [*tables, item_table(self.items)] if self.items else tables


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _record(figures: DataclassInstance) -> dict[str, object]:
    """The fields of a dataclass, estimates as JSON has them."""
    return {each.name: _plain(getattr(figures, each.name)) for each in fields(figures)}


def _plain(value: object) -> object:
    if isinstance(value, Estimate):
        return estimate_record(value)
    if isinstance(value, Mapping):
        return {name: _plain(each) for name, each in value.items()}
    return list(value) if isinstance(value, tuple) else value


@public()
def judge_status(
    study: str | PathLike[str] | Study,
    *,
    systems: Systems | None = None,
    items: bool = False,
    **shared: Unpack[Working],
) -> StudyStatus:
    """Tell how a study stands: who, how many, how fast, gold, agreement, the systems under test, when it will end.

    Args:
        study: Its folder.
        systems: Flags of the systems under test, as of ``crowd``; None: hidden columns of the items, ``flag`` or
            ``flag:NAME``.
        items: Tell of every item too.
        shared: How intervals are made.

    Raises:
        InputError: If there is no study, or it cannot be read.
        UsageError: If an argument will not do.
    """
    with Study.open(study).snapshot() as tx:
        columns = read_study(tx)
    drawn = None if shared["ci"] is False else resampling(shared, jobs=shared["jobs"])
    return status_of(columns, time.time(), drawn, systems, items=items)


def status_of(
    study: StudyColumns,
    now: float,
    drawn: Resampling | None = None,
    systems: Systems | None = None,
    *,
    items: bool = False,
) -> StudyStatus:
    """The status of a study that was read, at some moment; without ``drawn`` agreement and scores have no intervals."""
    problems = Problems()
    going = progress(study)
    level = 0.95 if drawn is None else drawn.confidence_level
    return StudyStatus(
        now,
        study.about.scheme.name,
        study.about.rules.raters_per_item,
        going,
        forecast(study.at[study.judged], going.wanted - going.counted, now),
        study_agreement(study, drawn),
        rater_figures(study, level),
        system_scores(study, systems, drawn, problems),
        item_figures(study, confidence=level) if items else [],
        stop_decision(study, going.median_seconds),
        tuple(problems.notes),
    )
