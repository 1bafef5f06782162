"""Where Altair comes in, and what all charts have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib.util import find_spec
from math import ceil, log10
from types import ModuleType
from typing import Any

from errorbar.core.errors import MissingExtraError, visible
from errorbar.reporting.blocks import Spec

WIDTH = "container"
"""Charts with a continuous axis are as wide as the place they stand in; an export gives them a number."""
HEIGHT = 300
ROW = 24
"""Height of a row with a name."""
TICKS = 6
"""Marks of an axis of numbers, about: labels at every second point hide the ends of bars."""
Row = Mapping[str, object]


def altair() -> ModuleType:
    """The library.

    Raises:
        MissingExtraError: If it is not installed.
    """
    try:
        import altair as alt  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError("report", "a chart") from None
    return alt


@contextmanager
def unchecked() -> Iterator[None]:
    """Let charts be made without checking each part against the schema of Vega-Lite, which takes longer than the rest.

    Tests make the same charts with the check on.
    """
    if find_spec("altair") is None:
        yield  # whether that matters is said by what needs a chart
        return
    from altair.utils.schemapi import debug_mode  # noqa: PLC0415 - an extra

    with debug_mode(False):
        yield


def rows(alt: ModuleType, data: Iterable[Row]) -> object:
    """Data that stands in the specification."""
    return alt.InlineData(values=[dict(row) for row in data])


def legend(alt: ModuleType) -> object:
    """A legend above the chart, so that a narrow page keeps its width for the chart."""
    return alt.Legend(orient="top", direction="horizontal", columns=5)


def finish(chart: Any, *, height: int | None = None, step: int | None = None) -> Spec:  # noqa: ANN401 - of an extra
    """A chart as a plain specification without a look of its own, every text in it shown as on the page.

    The library that draws charts into files ends the whole process at a control character.

    Args:
        chart: The Altair chart.
        height: Height in pixels; None: by the rows of the chart.
        step: Width of a column in pixels; None: the width of the place.
    """
    size: dict[str, Any] = {"width": WIDTH if step is None else {"step": step}}
    if height is not None:
        size["height"] = height
    if step is None:
        size["autosize"] = {"type": "fit-x", "contains": "padding"}
    # Checking against the schema of Vega-Lite takes as long as all the rest, and tests do it.
    made: dict[str, Any] = chart.properties(**size).to_dict(validate=False)
    made.pop("config", None)  # the look is the theme's
    return {key: _shown(value) for key, value in made.items()}


def _shown(value: object) -> object:
    if isinstance(value, dict):
        return {visible(str(key)): _shown(each) for key, each in value.items()}
    if isinstance(value, list):
        return [_shown(each) for each in value]
    return visible(value) if isinstance(value, str) else value


def percent_top(values: Iterable[float | None], *, room: float = 1.0) -> float:
    """Where an axis of percent ends: a round number at or above all values, at most 100 unless one is above.

    Args:
        values: What must fit; None is left out.
        room: Factor for text beside the last mark.
    """
    largest = max((value for value in values if value is not None), default=0.0)
    top = round_top(largest * room)
    return min(top, 100.0) if largest <= 100 else top


def round_top(largest: float) -> float:
    """The next of 1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 10 times a power of ten; 10 where all is 0."""
    if largest <= 0:
        return 10.0
    power = 10.0 ** (ceil(log10(largest)) - 1)
    return float(
        next(step * power for step in (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 10) if step * power >= largest * (1 - 1e-9))
    )


def tips(alt: ModuleType, **titles: str) -> list[object]:
    """What a tooltip shows: field to title."""
    return [alt.Tooltip(f"{field}:{'Q' if field == 'x' else 'N'}", title=title) for field, title in titles.items()]


def between(low: float | None, high: float | None, digits: int) -> str:
    """An interval as tooltips show it."""
    return "none" if low is None or high is None else f"{low:.{digits}f}–{high:.{digits}f}"
