"""The charts of the manager's first page, drawn as a report's are, by a process that keeps no rater waiting."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from threading import Lock

from errorbar.core.estimate import Estimate
from errorbar.core.labels import format_count
from errorbar.judging.study.figures import Forecast, RaterFigures
from errorbar.judging.study.status import StudyStatus, agreement_table, minute
from errorbar.judging.web.live_status import Clerk
from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts.curves import progress_chart
from errorbar.reporting.charts.rows import Dot, dot_chart
from errorbar.reporting.charts.vega import DARK, LIGHT, Axis
from errorbar.reporting.export import draw_spec

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
