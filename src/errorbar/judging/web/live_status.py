"""A process beside the server for what takes seconds in a large study: raters share no thread of Python with it.

It also draws the charts of the manager's first page, as a report's are.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from threading import Lock
from typing import Any, Generic, TypeVar

from sqlalchemy import func, select

from errorbar.core.estimate import Estimate
from errorbar.core.labels import format_count
from errorbar.execute import without_script
from errorbar.judging.quality import find_doubts
from errorbar.judging.stopping.decision import StopDecision, stop_decision
from errorbar.judging.store.engines import store_error
from errorbar.judging.store.store import Store
from errorbar.judging.store.tables import ASSIGNMENT
from errorbar.judging.study.columns import ItemFacts, StudyColumns, read_study
from errorbar.judging.study.export import To, judge_export
from errorbar.judging.study.figures import Forecast, ItemFigures, RaterFigures, haste_of_raters, item_figures
from errorbar.judging.study.folder import Study
from errorbar.judging.study.rules import study_clock
from errorbar.judging.study.status import StudyStatus, agreement_table, minute, status_of
from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts.plane import progress_chart
from errorbar.reporting.charts.rows import Dot, dot_chart
from errorbar.reporting.charts.vega import DARK, LIGHT, Axis
from errorbar.reporting.export import draw_spec
from errorbar.stats.resampling import Resampling

S = TypeVar("S")
T = TypeVar("T")
_KIND = 15
"""How far it stands back behind the server where both want the machine."""


class Clerk(Generic[S]):
    """Starts when it is asked for the first time, does one thing after the other, and ends with the server.

    Args:
        prepare: Makes what its works are done with, in its process; a function of a module, as they are.
        arguments: Of ``prepare``.
    """

    def __init__(self, prepare: Callable[..., S], *arguments: object) -> None:
        self._prepare, self._arguments = prepare, arguments
        self._one = threading.Lock()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._closed = False

    def ask(self, work: Callable[..., T], *arguments: object) -> T:
        """``work`` of what was prepared, and of the arguments; what it raises is raised here.

        Raises:
            StoreError: If the process was ended meanwhile; the next that asks gets another one.
        """
        with self._one:
            try:
                pipe = self._reached()
                pipe.send((work, arguments))
                went_well, reply = pipe.recv()
            except (EOFError, OSError):
                self._end()
                message = "the process that computes figures and exports has ended"
                raise store_error("store-failed", message, "try again") from None
        if not went_well:
            raise reply
        result: T = reply
        return result

    def close(self) -> None:
        """End it, whatever it is at; who waits for it is told."""
        self._closed = True
        self._end()

    def _reached(self) -> Connection:
        if self._closed:
            raise EOFError
        if self._process is not None and not self._process.is_alive():
            self._end()
        if self._pipe is None:
            context = multiprocessing.get_context("spawn")
            ours, theirs = context.Pipe()
            arguments = theirs, self._prepare, self._arguments
            started = context.Process(target=_serve, args=arguments, name="errorbar judge clerk", daemon=True)
            with without_script():
                started.start()
            theirs.close()
            self._process, self._pipe = started, ours
            if self._closed:  # meanwhile, by another thread, which found no process to end
                raise EOFError
        return self._pipe

    def _end(self) -> None:
        process, self._process, self._pipe = self._process, None, None
        if process is not None and process.pid is not None:
            process.kill()  # it writes nothing but files that are complete or not there
            process.join(5)


def _serve(pipe: Connection, prepare: Callable[..., Any], arguments: tuple[object, ...]) -> None:
    """One thing after the other, until nobody is there to ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all: the server says when it is over
    if hasattr(os, "nice"):
        os.nice(_KIND)
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    prepared = None
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            work, call_arguments = pipe.recv()
            try:
                prepared = prepare(*arguments) if prepared is None else prepared
                answer = True, work(prepared, *call_arguments)
            except Exception as error:  # noqa: BLE001 - whoever asked is told, whatever it was
                answer = False, error
            pipe.send(answer)


def _end_with_the_server() -> None:
    """Also in the middle of something."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(0)


# The status of a study for pages that people look at while raters work: computed at most every few seconds, once.
#
# Where a study is large, a process of its own computes it, and writes exports: Python runs one thread at a time, and
# the server's is the raters'. A page that does not get new figures in time shows the last ones, and of which moment
# they are.


KEPT_SECONDS, TIMES = 5.0, 10.0
"""How long a status is kept at least; and how many times as long as it took to compute: a tenth of one core at most."""
LARGE = 50_000
"""Assignments from which on a status takes longer than what a rater notices."""


@dataclass(frozen=True, slots=True)
class LiveFigures:
    """A study as it stands, for the manager's pages.

    Attributes:
        status: Its figures.
        doubts: Raters, by their keys, whom the manager should look at, and why.
    """

    status: StudyStatus
    doubts: Mapping[int, str]


class Figures:
    """Computes them, in whichever process; keeps what it read last, and items' texts, which do not change."""

    def __init__(self, study: Study, store: Store, clock: Callable[[], float]) -> None:
        self._study, self._store, self._clock = study, store, clock
        self._known: dict[int, ItemFacts] = {}
        self._last: StudyColumns | None = None
        self._reading = Lock()

    @classmethod
    def apart(cls, folder: Path) -> Figures:
        """In a process that has the store not open yet."""
        study = Study.open(folder)
        return cls(study, study.store(read_only=True), study_clock())

    def is_large(self) -> bool:
        """Whether the server should not compute by itself."""
        with self._store.read() as tx:
            return (tx.scalar(select(func.max(ASSIGNMENT.c.id))) or 0) > LARGE

    def status(self) -> StudyStatus:
        """As it stands, read in a snapshot that stops no writer."""
        self._last = self._read()
        return status_of(self._last, self._clock(), Resampling("percentile"))

    def live(self) -> LiveFigures:
        """The same with what the manager's pages need besides."""
        status = self.status()
        assert self._last is not None
        with self._store.read() as tx:
            return LiveFigures(status, find_doubts(tx, haste_of_raters(self._last)))

    def decision(self) -> StopDecision | None:
        """Of the study's question, as it stands."""
        return stop_decision(self._read(), None)

    def _read(self) -> StudyColumns:
        """One thread after the other, as items are remembered."""
        with self._reading, self._store.read() as tx:
            return read_study(tx, self._known)

    def items(self, first: int, most: int) -> tuple[Sequence[ItemFigures], int]:
        """Some items as the last status had them, and how many there are."""
        if self._last is None:
            self.status()
        assert self._last is not None
        return item_figures(self._last, first, most), len(self._last.work)

    def export(self, to: To, out: str) -> tuple[str, ...]:
        """As ``errorbar judge export`` does; codes of what it notes."""
        return tuple(note.code for note in judge_export(self._study, out, to=to).notes)


class BeingComputedError(Exception):
    """There are no figures yet, and somebody computes them."""


class LiveStatus:
    """Keeps what was computed last. Any number of threads may ask; one computes."""

    def __init__(self, study: Study, store: Store, clock: Callable[[], float] = time.time) -> None:
        self._here = Figures(study, store, clock)
        self._computing, self._exporting = (Clerk(Figures.apart, study.folder.absolute()) for _ in range(2))
        self._thread = ThreadPoolExecutor(1, "errorbar-figures")
        self._asking = Lock()
        self._coming: Future[LiveFigures] | None = None
        self._until = float("-inf")
        self._is_forgotten = False
        self._last: LiveFigures | None = None

    def is_large(self) -> bool:
        """Whether figures take longer than what a rater notices."""
        return self._here.is_large()

    def status(self, seconds: float | None = None) -> StudyStatus:
        """The status alone; as ``figures``."""
        return self.figures(seconds).status

    def figures(self, seconds: float | None = None) -> LiveFigures:
        """Figures that are a few seconds old at most, or ten times as long as it takes to compute them.

        Args:
            seconds: How long new figures are waited for, until the last ones will do; None: in any case.

        Raises:
            BeingComputedError: If there are none in time, and were none before.
        """
        with self._asking:
            if self._coming is None or (self._coming.done() and time.monotonic() >= self._until):
                self._coming = self._thread.submit(self._compute)
            coming = self._coming
        try:
            return coming.result(seconds)
        except TimeoutError:
            if self._last is None:
                raise BeingComputedError from None
            return self._last

    def _compute(self) -> LiveFigures:
        self._is_forgotten, began = False, time.monotonic()
        self._last = self._done(self._computing, Figures.live)
        took = time.monotonic() - began
        self._until = float("-inf") if self._is_forgotten else time.monotonic() + max(KEPT_SECONDS, TIMES * took)
        return self._last

    def decision(self) -> StopDecision | None:
        """Of the study's question, as it stands now."""
        return self._done(self._computing, Figures.decision)

    def items(self, first: int, most: int, seconds: float | None = None) -> tuple[Sequence[ItemFigures], int]:
        """Some items for work, and how many there are, as in ``status``, but for that they are not kept.

        Raises:
            BeingComputedError: If there are none in time.
        """
        self.status(seconds)
        coming = self._thread.submit(self._done, self._computing, Figures.items, first, most)
        try:
            return coming.result(seconds)
        except TimeoutError:
            coming.cancel()
            raise BeingComputedError from None

    def export(self, to: To, out: str) -> tuple[str, ...]:
        """Write a file as ``errorbar judge export`` does; codes of what it notes."""
        return self._done(self._exporting, Figures.export, to, out)

    def forget(self) -> None:
        """Something was changed by hand: whoever looks next sees it."""
        self._until, self._is_forgotten = float("-inf"), True

    def close(self) -> None:
        """End what still computes."""
        self._thread.shutdown(wait=False, cancel_futures=True)
        self._computing.close()
        self._exporting.close()

    def _done(self, clerk: Clerk[Figures], work: Callable[..., T], *arguments: object) -> T:
        if self._here.is_large():
            return clerk.ask(work, *arguments)
        return work(self._here, *arguments)


MOST_RATERS = 20
"""Of a chart; the table has all."""
HOW_TO_READ = "1 means that raters always say the same; of alpha and kappa, 0 is what chance alone would give."
LONGEST_AHEAD = 4.0
"""Times that a study has taken so far until its expected end, beyond which a chart would show little else."""
WIDTHS = {"narrow": 320, "wide": 400}
"""Pixels of the place of a chart, on a phone and on a wider screen."""
PADDING = {"left": 24, "top": 4, "right": 8, "bottom": 4}
"""Pixels around a chart: names may be wider in the font of who looks at it than in that of the machine that draws."""
SCHEMES = {"light": {**LIGHT, "padding": PADDING}, "dark": {**DARK, "padding": PADDING}}


@dataclass(frozen=True, slots=True)
class StudyChart:
    """A chart of the manager's first page.

    Attributes:
        name: In its address.
        title: Its heading.
        summary: The same in words, for who does not see it.
        draw: Makes its specification.
        note: How to read it; empty: it needs nothing.
    """

    name: str
    title: str
    summary: str
    draw: Callable[[], Spec]
    note: str = ""


def study_charts(status: StudyStatus) -> list[StudyChart]:
    """The charts for which there is something to show."""
    charts = [_progress_chart(status)] if status.history else []
    tested = sorted(
        (rater for rater in status.raters if rater.gold.value is not None), key=lambda rater: rater.gold.value or 0.0
    )
    charts += [_gold_chart(tested)] if tested else []
    return charts + ([_agreement_chart(status)] if status.agreement.n_paired else [])


def _progress_chart(status: StudyStatus) -> StudyChart:
    going, ahead, points = status.progress, status.forecast, [*status.history, (status.at, status.history[-1][1])]
    summary = (
        f"{going.counted:,} of {format_count(going.wanted, 'judgments')} on {minute(status.at)};"
        f" the first one was given on {minute(points[0][0])}."
    )
    goal = going.wanted if ahead.to_go else None
    end = _visible_end(ahead, points[0][0], status.at)
    return StudyChart(
        "progress",
        "Judgments over time",
        summary,
        partial(progress_chart, points, goal, "judgments that count", end),
    )


def _visible_end(ahead: Forecast, first: float, now: float) -> tuple[float, float, float] | None:
    """The expected end with its interval, where there is room for it beside what was."""
    if ahead.finish is None or ahead.earliest is None or ahead.latest is None:
        return None
    end = ahead.finish, ahead.earliest, ahead.latest
    return end if ahead.latest - now <= LONGEST_AHEAD * (now - first) else None


def _gold_chart(tested: Sequence[RaterFigures]) -> StudyChart:
    shown = tested[:MOST_RATERS]
    dots = [_dot(f"{rater.rater} (excluded)" if rater.excluded else rater.rater, rater.gold, 100) for rater in shown]
    title = "Gold items right, by rater"
    if len(shown) < len(tested):
        title += f": the {MOST_RATERS} lowest of the {len(tested):,} who answered any"
    summary = "; ".join(f"{rater.rater} {percent(rater.gold)}" for rater in shown)
    axis = Axis("right (%), with 95 % interval", most=100)
    return StudyChart("gold", title, f"{summary}.", partial(dot_chart, dots, axis, name_title="rater"))


def _agreement_chart(status: StudyStatus) -> StudyChart:
    rows = agreement_table(status.agreement, gold=status.progress.n_gold > 0).rows
    names = [str(name).removeprefix("Cohen's ") if "gold" in str(name) else str(name) for name, *_ in rows]
    estimates = [(name, row[2]) for name, row in zip(names, rows, strict=True) if isinstance(row[2], Estimate)]
    dots = [_dot(name, value, 1) for name, value in estimates]
    summary = "; ".join(f"{name} {_plain(value)}" for name, value in estimates)
    axis = Axis("agreement, with 95 % interval", "number", 1)
    draw = partial(dot_chart, dots, axis, name_title="coefficient")
    note = f"{summary[:1].upper()}{summary[1:]}. {HOW_TO_READ}"
    return StudyChart("agreement", "Agreement", f"{summary}.", draw, note)


def _dot(name: str, estimate: Estimate, factor: int) -> Dot:
    interval = estimate.interval
    low, high = (None, None) if interval is None else (factor * interval.low, factor * interval.high)
    return Dot(name, None if estimate.value is None else factor * estimate.value, low, high)


def percent(estimate: Estimate) -> str:
    """A share in percent with its interval, for people."""
    if estimate.value is None:
        return "–"
    interval = estimate.interval
    ends = "" if interval is None else f" ({100 * interval.low:.0f}–{100 * interval.high:.0f})"
    return f"{100 * estimate.value:.0f} %{ends}"


def _plain(estimate: Estimate) -> str:
    if estimate.value is None:
        return "not known"
    interval = estimate.interval
    return f"{estimate.value:.2f}" + ("" if interval is None else f" ({interval.low:.2f} to {interval.high:.2f})")


def can_draw() -> bool:
    """True if the library that draws charts is installed."""
    return find_spec("vl_convert") is not None


def draw_picture(_: object, spec: Spec, width: str, scheme: str) -> bytes:
    """A chart as SVG in the colors of a scheme, without a background of its own."""
    return draw_spec(spec, "svg", WIDTHS[width], SCHEMES[scheme])


def draw_nothing(_: object) -> None:
    """Start the library that draws, which takes half a second."""
    draw_spec(dot_chart([Dot("", 0)], Axis("")), "svg")


class ChartPictures:
    """The pictures of the last status, each drawn once, when it is first asked for. Any number of threads may ask."""

    def __init__(self) -> None:
        self._clerk = Clerk(object)
        self._lock = Lock()
        self._at = 0.0
        self._pictures: dict[tuple[str, str, str], bytes] = {}

    def get(self, status: StudyStatus, name: str, width: str, scheme: str) -> bytes | None:
        """A picture; None: there is no such chart."""
        chart = next((chart for chart in study_charts(status) if chart.name == name), None)
        if chart is None or width not in WIDTHS or scheme not in SCHEMES:
            return None
        with self._lock:
            if status.at != self._at:
                self._at, self._pictures = status.at, {}
            picture = self._pictures.get((name, width, scheme))
        if picture is None:
            picture = self._clerk.ask(draw_picture, chart.draw(), width, scheme)
            with self._lock:
                if status.at == self._at:
                    self._pictures[name, width, scheme] = picture
        return picture

    def prepare(self) -> None:
        """Start the process that draws, so that the first chart takes less."""
        self._clerk.ask(draw_nothing)

    def close(self) -> None:
        """End the process that draws."""
        self._clerk.close()
