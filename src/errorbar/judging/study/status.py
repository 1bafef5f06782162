"""The tables of a study's status."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import UTC, datetime
from os import PathLike
from typing import TYPE_CHECKING, Unpack

from errorbar.api.arguments import Working, public, resampling
from errorbar.api.crowd import Systems, judgments_text
from errorbar.core.estimate import Estimate
from errorbar.core.labels import format_count
from errorbar.core.problems import Problem, Problems
from errorbar.judging.protocol.assignments import HALTED
from errorbar.judging.stopping.decision import StopDecision, halted_reason, stop_decision, stopping_table
from errorbar.judging.study.columns import StudyColumns, read_study
from errorbar.judging.study.figures import (
    FEWEST,
    SHORTEST_HOURS,
    Forecast,
    HistoryPoint,
    ItemFigures,
    Progress,
    RaterFigures,
    StudyAgreement,
    coming_judgments,
    forecast,
    history,
    item_figures,
    progress,
    rater_figures,
    study_agreement,
    system_scores,
)
from errorbar.judging.study.folder import Study
from errorbar.metrics.crowd_weighted import CrowdScore
from errorbar.stats.resampling import Resampling
from errorbar.tables.plain import estimate_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

if TYPE_CHECKING:
    from _typeshed import DataclassInstance


def progress_table(title: str, going: Progress, ahead: Forecast, halted: str = "", closed: str = "") -> Table:
    """How far it is, how fast, and when it will end; or why nothing more is handed out."""
    finish = "closed" if closed else "paused" if halted else _finish(ahead)
    rows: list[list[Cell]] = [
        ["judgments", f"{going.counted:,} of {going.wanted:,}"],
        [
            "items",
            f"{going.n_done:,} done, {going.n_open:,} open, {going.n_untouched:,} untouched, of {going.n_items:,}",
        ],
        ["stopped early", f"{going.n_stopped:,}"],
        ["gold items", f"{going.n_gold:,}"],
        ["handed out, not yet answered", f"{going.held:,}"],
        ["not counted", f"{going.extra:,} extra, {going.aside:,} of excluded raters, {going.skipped:,} skipped"],
        ["raters", _count_raters(going)],
        ["seconds per answer", "–" if going.median_seconds is None else f"{going.median_seconds:.1f} (median)"],
        ["judgments per hour", _rate(ahead)],
        ["expected end", finish],
    ]
    columns = [Column("", key="figure"), Column("now", key="value")]
    return Table(columns, rows, title, "progress", handing_out_notes(halted, closed))


def _count_raters(going: Progress) -> str:
    """Raters, and those who left; that somebody was forgotten is said wherever figures of the study are."""
    counts = f"{going.raters:,}, {going.excluded:,} excluded"
    counts += f", {going.withdrawn:,} withdrawn" if going.withdrawn else ""
    return counts + (f", {going.forgotten:,} forgotten" if going.forgotten else "")


def handing_out_notes(halted: str, closed: str) -> list[str]:
    """That a study is paused or closed, and why; none: it is neither."""
    if closed:
        return [f"the study is closed: {closed}"]
    return [f"nothing more is handed out: {halted}"] if halted else []


def _rate(ahead: Forecast) -> str:
    if ahead.per_hour is None:
        return "–"
    return f"{ahead.per_hour:,.0f} (of the last {_window(ahead.window_hours)})"


def _window(hours: float) -> str:
    minutes = max(1, round(60 * hours))
    return f"{hours:.1f} hours" if hours >= 1 else "minute" if minutes == 1 else f"{minutes} minutes"


def _finish(ahead: Forecast) -> str:
    if ahead.finish is None or ahead.earliest is None:
        return explain_no_end(ahead) if ahead.to_go else "done"
    latest = "open" if ahead.latest is None else minute(ahead.latest)
    return f"{minute(ahead.finish)} ({minute(ahead.earliest)} to {latest})"


def explain_no_end(ahead: Forecast) -> str:
    """Why no end of a study is expected."""
    if ahead.why == "too few raters":
        of = f"{ahead.coming:,} of the {format_count(ahead.to_go, 'judgments')} that are left"
        return f"never with these raters, who can give {of} at most"
    if ahead.why == "too early":
        return f"too early to tell before {FEWEST} judgments in {_window(max(ahead.window_hours, SHORTEST_HOURS))}"
    if ahead.why == "nobody is at work":
        return f"nobody is at work, the last judgment came {minute(ahead.last or 0.0)}"
    return ahead.why


def minute(seconds: float) -> str:
    """A moment, in UTC; what no calendar has is only far."""
    try:
        return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%d %H:%M UTC")
    except (OverflowError, ValueError):
        return "in thousands of years"


def agreement_table(agreement: StudyAgreement, *, gold: bool) -> Table:
    """Coefficients, those with the gold where there is ``gold``."""
    raters = f"{agreement.n_raters} rater{'s' * (agreement.n_raters != 1)}"
    of = f"{raters}, {agreement.n_judgments:,} judgments of {agreement.n_items:,} items"
    rows: list[list[Cell]] = [
        ["observed agreement", agreement.n_paired, agreement.observed],
        ["Krippendorff's alpha", agreement.n_paired, agreement.alpha],
        ["Cohen's kappa" if agreement.n_raters == 2 else "Fleiss' kappa", agreement.n_paired, agreement.kappa],
    ]
    note = "n: items that two raters or more judged"
    if gold:
        rows.append(["Cohen's kappa with the gold", agreement.gold.n_units, agreement.gold])
        note += "; of the gold, answers to gold items"
    columns = [Column("", key="coefficient"), Column("n", "count"), Column("value", "number", interval="beside")]
    return Table(columns, rows, "Agreement", "agreement", [of, note])


def rater_table(raters: Sequence[RaterFigures]) -> Table:
    """Raters."""
    classes = list(dict.fromkeys(name for rater in raters for name in rater.gold_by_class))
    columns = [Column("rater"), Column("status"), Column("judgments", "count"), Column("gold", "count")]
    columns += [Column(name, "percent", name, 1, "beside") for name in ("right", *classes)]
    columns += [Column("agree", "percent", "rest", 1), Column("seconds", "number", "median_seconds", 1)]
    columns += [Column("an hour", "number", "per_hour", 0), Column("too fast", "count", "hasty")]
    columns += [Column("pauses", "count")]
    sided = any(rater.top is not None for rater in raters)
    repeated = any(rater.repeats.n_units for rater in raters)
    columns += [Column("alike", "percent", "repeats", 1, "beside")] if repeated else []
    columns += [Column("top", "percent", "top", 1, "beside")] if sided else []
    rows: list[list[Cell]] = []
    for rater in raters:
        row: list[Cell] = [rater.rater, rater.status, rater.n_judgments, rater.gold.n_units, rater.gold]
        row += [rater.gold_by_class.get(name) for name in classes]
        row += [rater.rest, rater.median_seconds, rater.per_hour, rater.n_hasty, rater.n_pauses]
        row += [rater.repeats] if repeated else []
        rows.append([*row, rater.top] if sided else row)
    notes = [f"{rater.rater}: {rater.excluded}" for rater in raters if rater.excluded]
    alike = "; alike: repeated items" if repeated else ""
    notes.append(f"agree: mean share of the other raters of an item who say the same{alike}")
    return Table(columns, rows, "Raters", "raters", notes)


def system_table(systems: Sequence[tuple[str, CrowdScore]]) -> Table:
    """Systems under test."""
    beta = systems[0][1].beta
    columns = [*map(Column, ("system", "estimand", "judgments")), Column("items", "count")]
    columns += [Column(name, "percent", name) for name in ("P", "R", f"F{beta:g}")]
    rows: list[list[Cell]] = [
        [name, s.estimand, judgments_text(s.n_judgments), s.n_items, s.precision, s.recall, s.f] for name, s in systems
    ]
    note = "of the items judged so far; intervals are for other items and these raters"
    return Table(columns, rows, "Systems as they stand", "systems", [note])


def _state(item: ItemFigures) -> str:
    """The state of an item, for people: one that a pause of the study stopped goes on when it is resumed."""
    return "paused" if item.stopped.startswith(HALTED) and item.state == "stopped" else item.state


def item_table(items: Sequence[ItemFigures], texts: Mapping[str, str] | None = None) -> Table:
    """Items for work; with their texts by name, where they are given."""
    columns = [*map(Column, ("item", "state")), Column("judgments", "count"), Column("label")]
    columns += [Column("share", "percent", interval="beside"), Column("stopped")]
    rows: list[list[Cell]] = [
        [item.item, _state(item), item.n_judgments, item.label, item.share, item.stopped.removeprefix(HALTED)]
        for item in items
    ]
    if texts is not None:
        columns.append(Column("text"))
        rows = [[*row, texts.get(item.item, "")] for row, item in zip(rows, items, strict=True)]
    return Table(columns, rows, "Items", "items")


# A study as it stands: ``errorbar judge status``, ``errorbar.judge_status`` and the manager's page.


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
        history: Judgments that counted at some moments since the first; not in ``to_dict``.
        halted: Why nothing more is handed out; empty: it is.
        closed: Why the study is closed; empty: it is not.
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
    history: Sequence[HistoryPoint] = ()
    halted: str = ""
    closed: str = ""

    def to_dict(self) -> dict[str, object]:
        """Progress, forecast, agreement, raters, systems and items."""
        ahead = {name: _moment(getattr(self.forecast, name)) for name in ("finish", "earliest", "latest", "last")}
        return {
            "at": _moment(self.at),
            "scheme": self.scheme,
            "raters_per_item": self.raters_per_item,
            "progress": asdict(self.progress),
            "forecast": {**asdict(self.forecast), **ahead},
            "agreement": _record(self.agreement),
            "raters": [{**_record(rater), "last": _moment(rater.last)} for rater in self.raters],
            "systems": [{"system": name, **_record(score)} for name, score in self.systems],
            "items": [_record(item) for item in self.items],
            "stopping": None if self.stopping is None else _record(self.stopping),
            "halted": self.halted or None,
            "closed": self.closed or None,
        }

    def tables(self) -> Sequence[Table]:
        """``progress``, ``raters``, ``agreement``; ``stopping``, ``systems`` and ``items`` where there are some."""
        tables = [
            progress_table(study_title(self), self.progress, self.forecast, self.halted, self.closed),
            *([] if self.stopping is None else [stopping_table(self.stopping)]),
            agreement_table(self.agreement, gold=self.progress.n_gold > 0),
            rater_table(self.raters),
        ]
        tables += [system_table(self.systems)] if self.systems else []
        return [*tables, item_table(self.items)] if self.items else tables


def study_title(status: StudyStatus) -> str:
    """The heading of a status."""
    return f"{status.scheme}, {format_count(status.raters_per_item, 'judgments')} of each item"


def _moment(seconds: float | None) -> str | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


def _record(figures: DataclassInstance) -> dict[str, object]:
    """The fields of a dataclass, estimates as JSON has them."""
    return {field.name: _plain(getattr(figures, field.name)) for field in fields(figures)}


def _plain(value: object) -> object:
    if isinstance(value, Estimate):
        return estimate_record(value)
    if isinstance(value, Mapping):
        return {name: _plain(part) for name, part in value.items()}
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
        systems: Flags of the systems under test, as of ``crowd``. None: hidden columns of the items, ``flag`` or
            ``flag:NAME``.
        items: Tell of every item too.
        shared: How intervals are made.

    Raises:
        InputError: If there is no study, or it cannot be read.
        UsageError: If an argument will not do.
    """
    with Study.open(study).snapshot() as tx:
        columns = read_study(tx)
    intervals = None if shared["ci"] is False else resampling(shared, jobs=shared["jobs"])
    return status_of(columns, time.time(), intervals, systems, items=items)


def status_of(
    study: StudyColumns,
    now: float,
    intervals: Resampling | None = None,
    systems: Systems | None = None,
    *,
    items: bool = False,
) -> StudyStatus:
    """The status of a study that was read, at some moment, with or without intervals."""
    problems = Problems()
    going, halted = progress(study), halted_reason(study)
    ahead = forecast(study.at[study.judged], going.wanted - going.counted, now, coming_judgments(study, now))
    if (halted or study.closed) and ahead.to_go:
        ahead = replace(ahead, finish=None, earliest=None, latest=None, why="paused")
    level = 0.95 if intervals is None else intervals.confidence_level
    return StudyStatus(
        now,
        study.about.scheme.name,
        study.about.rules.raters_per_item,
        going,
        ahead,
        study_agreement(study, intervals),
        rater_figures(study, level),
        system_scores(study, systems, intervals, problems),
        item_figures(study, confidence=level) if items else [],
        stop_decision(study, going.median_seconds),
        tuple(problems.notes),
        history(study.at[study.judged]),
        halted,
        study.closed,
    )
