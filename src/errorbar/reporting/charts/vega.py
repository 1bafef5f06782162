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
"""Charts are as wide as the place they stand in; an export gives them a number."""
PLACE = "place"
"""What expressions call the width of that place in pixels: ``width`` is that of the plot, which follows from what
stands beside it, so that what stands there cannot depend on it."""
ROW = 24  # height of a row with a name
TICKS = 6  # marks of an axis of numbers, about: labels at every second point hide the ends of bars
LEGEND = {"orient": "top", "direction": "horizontal", "columns": 5}
"""Above the chart, so that a narrow page keeps its width for the chart."""
POINT = {"filled": True, "size": 36, "opacity": 1}
STEPS = (1, 1.5, 2, 2.5, 3, 4, 5, 6, 7, 8, 9, 10)
THICK, THIN = 4, 1
"""Widths of bars where there are two."""
WIDER = "texts and judges"
"""What a tooltip calls the wider interval."""
Row = Mapping[str, object]
Ends = tuple[float, float]
Part = dict[str, Any]  # a part of a specification


class Axis(NamedTuple):
    """What an axis is called, what its values are (percent, things that are counted, or plain numbers), and their end.

    It goes no further than ``most`` unless a value does; None: to the next round number.
    """

    title: str
    kind: Kind = "percent"
    most: float | None = None


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


def measured(
    value: float | None, low: float | None, high: float | None, digits: int, outer: Ends | None = None
) -> Part:
    """A value with its interval, maybe with the ends of a wider one: numbers to draw, and texts for tooltips."""

    def text(ends: tuple[float | None, float | None]) -> str:
        return "none" if None in ends else f"{ends[0]:.{digits}f}–{ends[1]:.{digits}f}"

    wider = {} if outer is None else {"outer_low": outer[0], "outer_high": outer[1], "outer": text(outer)}
    own = {"value": value, "low": low, "high": high, "shown": f"{value:.{digits}f}", "interval": text((low, high))}
    return {**own, **wider}


def has_outer(rows: Iterable[Row]) -> bool:
    """Whether some row has a wider interval."""
    return any("outer" in row for row in rows)


def tips_of(rows: Iterable[Row], title: str, **titles: str) -> list[Part]:
    """What a tooltip of measured values shows: these fields, the value, and its intervals."""
    wider = {"outer": WIDER} if has_outer(rows) else {}
    return tips(**titles, shown=title, interval="interval", **wider)


def bars(rows: Sequence[Row], along: str, scale: Part, look: Part, **channels: object) -> list[Part]:
    """Intervals along an axis, ``x`` or ``y``: where there are wider ones, these are thin, and the others thick."""
    wide = has_outer(rows)
    thin = [row for row in rows if "outer" in row]
    thick = [row for row in rows if row["low"] is not None]

    def rules(own: Sequence[Row], start: str, more: Part) -> Part:
        ends = {along: number(f"{start}low", **scale), f"{along}2": {"field": f"{start}high"}}
        return layer(own, "rule", look | more, **ends, **channels)

    made = [rules(thin, "outer_", {"strokeWidth": THIN})] if wide else []
    return [*made, *([rules(thick, "", {"strokeWidth": THICK} if wide else {})] if thick else [])]


def along(axis: Axis, values: Iterable[float | None], *, room: float, top: float | None = None) -> Part:
    """An axis of numbers from 0, or from below where a value is, to a round number above all values times ``room``."""
    known = [value for value in values if value is not None]
    lowest, largest = min(known, default=0.0), max(known, default=0.0)
    if top is None:
        top = percent_top(known, room=room) if axis.kind == "percent" else round_top(largest * room)
        top = top if axis.most is None or largest > axis.most else min(top, axis.most)
    domain = [0 if lowest >= 0 else -round_top(-lowest), top]
    return {"title": axis.title, "scale": {"domain": domain, "nice": False}, "axis": {"tickCount": TICKS}}


class Room(NamedTuple):
    """What a chart says of the width of its place in pixels; Vega-Lite does nothing with it (``usermeta``).

    It is no narrower than ``least``, no wider than ``most`` where that is given, and at ``edges`` its height changes.
    """

    least: int = 0
    most: int = 0
    edges: Sequence[int] = ()


def finish(layers: Sequence[Part], *, height: int, room: Room | None = None) -> Spec:
    """A specification of layers, every text in it shown as on the page: a control character ends who draws it.

    Layers of the same data share it.
    """
    datasets: list[Sequence[Row]] = []
    for one in layers:
        if one["data"] not in datasets:
            datasets.append(one["data"])
    made: Part = {
        "$schema": SCHEMA,
        "params": [{"name": PLACE, "expr": "width && isFinite(containerSize()[0]) ? containerSize()[0] : 640"}],
        "datasets": {f"data-{at}": rows for at, rows in enumerate(datasets)},
        "layer": [{**one, "data": {"name": f"data-{datasets.index(one['data'])}"}} for one in layers],
        "height": height,
        "width": WIDTH,
        "autosize": {"type": "fit-x", "contains": "padding"},
    }
    if said := {key: pixels for key, pixels in (room or Room())._asdict().items() if pixels}:
        made["usermeta"] = said
    return {key: _shown(value) for key, value in made.items()}


def _shown(value: object) -> object:
    if isinstance(value, dict):
        return {visible(str(key)): _shown(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(each) for each in value]
    return visible(value) if isinstance(value, str) else value


def text_width(text: str, size: int = 12) -> float:
    """Pixels of a text at most, about: in the widest of the fonts that charts ask for."""
    return size * sum(_width(character) for character in text)


def _width(character: str) -> float:  # in ems
    if character >= "\u1100":  # from Hangul on: full width
        return 1.0 if character >= "\u2e80" else 0.75
    if character in "mwMW@%":
        return 1.0
    if character in "ijlI.,:;|!'()[] ":
        return 0.42
    return 0.75 if character.isupper() else 0.65


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
