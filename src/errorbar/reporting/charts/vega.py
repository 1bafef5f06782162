"""What all charts have in common: layers, channels, axes of numbers, tooltips, sizes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import ceil, log10
from typing import Any, NamedTuple

from errorbar.core.errors import visible
from errorbar.reporting.blocks import Spec
from errorbar.tables.table import Kind

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH = "container"
"""Charts with a continuous axis are as wide as the place they stand in; an export gives them a number."""
ROW = 24  # height of a row with a name
TICKS = 6  # marks of an axis of numbers, about: labels at every second point hide the ends of bars
LEGEND = {"orient": "top", "direction": "horizontal", "columns": 5}
"""Above the chart, so that a narrow page keeps its width for the chart."""
POINT = {"filled": True, "size": 36, "opacity": 1}
STEPS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 10)
Row = Mapping[str, object]
Part = dict[str, Any]  # a part of a specification


class Axis(NamedTuple):
    """What an axis is called, and what its values are: percent, things that are counted, or plain numbers."""

    title: str
    kind: Kind = "percent"


def layer(rows: Iterable[Row], mark: str, look: Part, **channels: object) -> Part:
    """One kind of mark for some rows of data."""
    return {"data": list(rows), "mark": {"type": mark, **look}, "encoding": channels}


def number(field: str, **how: object) -> Part:
    """A channel of numbers."""
    return {"field": field, "type": "quantitative", **how}


def name(field: str, **how: object) -> Part:
    """A channel of names, in the order of the data."""
    return {"field": field, "type": "nominal", "sort": None, **how}


def text(field: str) -> Part:
    """A channel of texts that are shown as they are."""
    return {"field": field, "type": "nominal"}


def tips(**titles: str) -> list[Part]:
    """What a tooltip shows: field to title."""
    return [{**(number(field) if field == "x" else text(field)), "title": title} for field, title in titles.items()]


def measured(value: float | None, low: float | None, high: float | None, digits: int) -> Part:
    """A value with its interval: numbers to draw, and texts for tooltips."""
    ends = "none" if low is None or high is None else f"{low:.{digits}f}–{high:.{digits}f}"
    return {"value": value, "low": low, "high": high, "shown": f"{value:.{digits}f}", "interval": ends}


def along(axis: Axis, values: Iterable[float | None], *, room: float, top: float | None = None) -> Part:
    """An axis of numbers from 0, or from below where a value is, to a round number above all values times ``room``."""
    known = [value for value in values if value is not None]
    lowest, largest = min(known, default=0.0), max(known, default=0.0)
    if top is None:
        top = percent_top(known, room=room) if axis.kind == "percent" else round_top(largest * room)
    domain = [0 if lowest >= 0 else -round_top(-lowest), top]
    return {"title": axis.title, "scale": {"domain": domain, "nice": False}, "axis": {"tickCount": TICKS}}


def finish(layers: Sequence[Part], *, height: int, step: int | None = None) -> Spec:
    """A specification of layers, every text in it shown as on the page: a control character ends who draws it.

    Layers of the same data share it. ``step`` is the width of a column in pixels; without it a chart fits its place.
    """
    datasets: list[Sequence[Row]] = []
    for one in layers:
        if one["data"] not in datasets:
            datasets.append(one["data"])
    made: Part = {
        "$schema": SCHEMA,
        "datasets": {f"data-{at}": rows for at, rows in enumerate(datasets)},
        "layer": [{**one, "data": {"name": f"data-{datasets.index(one['data'])}"}} for one in layers],
        "height": height,
        "width": WIDTH if step is None else {"step": step},
    }
    if step is None:
        made["autosize"] = {"type": "fit-x", "contains": "padding"}
    return {key: _shown(value) for key, value in made.items()}


def _shown(value: object) -> object:
    if isinstance(value, dict):
        return {visible(str(key)): _shown(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(each) for each in value]
    return visible(value) if isinstance(value, str) else value


def percent_top(values: Iterable[float | None], *, room: float = 1.0) -> float:
    """Where an axis of percent ends: a round number at or above all values, at most 100 unless one is above.

    ``room`` is a factor for text beside the last mark.
    """
    largest = max((value for value in values if value is not None), default=0.0)
    top = round_top(largest * room)
    return min(top, 100.0) if largest <= 100 else top


def round_top(largest: float) -> float:
    """The next of ``STEPS`` times a power of ten; 10 where all is 0."""
    if largest <= 0:
        return 10.0
    power = 10.0 ** (ceil(log10(largest)) - 1)
    return float(next(step * power for step in STEPS if step * power >= largest * (1 - 1e-9)))
