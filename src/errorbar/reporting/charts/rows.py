"""Rows with names: points with error bars, bars of counts, and grids with a color for each value."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Literal

from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts import vega


@dataclass(frozen=True, slots=True)
class Dot:
    """A value to draw in the row of a name, in the unit of the axis, with the ends of its interval.

    ``note`` stands behind the bar, such as group letters; ``series`` tells points of one row apart, e.g. the measure;
    ``role`` is whom the value is of, which shows in color and shape. A row without a value stays.
    """

    name: str
    value: float | None
    low: float | None = None
    high: float | None = None
    note: str = ""
    series: str = ""
    outer: vega.Ends | None = None  # ends of a wider interval, drawn as a thin bar below the thick one
    role: Literal["estimate", "human", "attack"] = "estimate"


SHAPES = {"human": {"shape": "square", "size": 50}, "attack": {"shape": "diamond", "size": 60}}
"""The shapes of those points that are of no system, so that they differ in more than color."""


def dot_chart(
    dots: Sequence[Dot],
    axis: vega.Axis,
    *,
    name_title: str = "name",
    series_title: str = "",
    top: float | None = None,
    guide: float | None = None,
) -> Spec:
    """Draw points with error bars, rows in the order given.

    ``name_title`` says what the rows are, in tooltips; ``series_title`` that of the legend where there are several
    series; ``top`` where the axis ends, if not at a round number above all values; ``guide`` is the place of a line to
    read by.
    """
    names = list(dict.fromkeys(dot.name for dot in dots))
    series = list(dict.fromkeys(dot.series for dot in dots))
    digits = 2 if axis.kind == "percent" else 4
    data = [
        {
            "name": dot.name,
            "note": dot.note,
            "series": dot.series,
            "role": dot.role,
            "end": max(end for end in (dot.value, dot.high, *(dot.outer or ())) if end is not None),
            **vega.make_value_row(dot.value, dot.low, dot.high, digits, dot.outer),
        }
        for dot in dots
        if dot.value is not None
    ]
    x = vega.along(
        axis, [end for dot in dots for end in (dot.value, dot.low, dot.high, *(dot.outer or ()))], room=1.12, top=top
    )
    y = vega.name("name", title=None, scale={"domain": names})
    tooltips = {"name": name_title}
    several: vega.Part = {}
    if len(series) > 1:
        own = {"domain": series}
        several["color"] = vega.name("series", title=series_title, scale=own, legend=vega.LEGEND)
        several["yOffset"] = vega.name("series", scale=own)
        tooltips["series"] = series_title
    shared = {"y": y, **several, "tooltip": vega.tips_of(data, axis.title, **tooltips)}
    layers: list[vega.Part] = []
    if guide is not None:
        layers.append(vega.layer([{"x": guide}], "rule", {"style": "guide", "tooltip": None}, x=vega.number("x", **x)))
    for role in dict.fromkeys(dot.role for dot in dots):
        own_rows = [row for row in data if row["role"] == role]
        bar_look: vega.Part = {} if several else {"style": "interval" if role == "estimate" else role}
        point_look = {} if several else {"style": role, **SHAPES.get(role, {})}
        layers += [
            *vega.bars(own_rows, "x", x, bar_look, **shared),
            vega.layer(own_rows, "point", vega.POINT | point_look, x=vega.number("value", **x), **shared),
        ]
    if any(dot.note for dot in dots):
        look = {"align": "left", "dx": 8, "style": "letter"}
        layers.append(vega.layer(data, "text", look, x=vega.number("end", **x), y=y, text=vega.text("note")))
    row = vega.ROW + 8 * (len(series) - 1) if several else vega.ROW
    return vega.finish(layers, height=max(3 * vega.ROW, row * len(names)))


def bar_chart(counts: Mapping[str, int], *, x_title: str, y_title: str) -> Spec:
    """Draw a bar for each count, in the order given, its number above it."""
    data = [{"name": name, "count": count, "text": f"{count:,}"} for name, count in counts.items()]
    shared = {
        "x": vega.name("name", title=x_title, axis={"labelAngle": 0, "labelOverlap": True}),
        "y": vega.number("count", title=y_title, scale={"zero": True}),
        "tooltip": vega.tips(name=x_title, text=y_title),
    }
    figures = vega.layer(data, "text", {"style": "figure", "dy": -7}, **shared, text=vega.text("text"))
    return vega.finish([vega.layer(data, "bar", {"style": "bar"}, **shared), figures], height=220)


LIMIT = 360  # pixels of a name; the rest of a longer one is cut
FIGURE = 11  # size of the figures in cells
ROOM = 6  # pixels beside a figure or a name
PHONE, DESK = 520, 860
"""Pixels of a chart below which names of rows stand alone, and from which a number stands behind them."""
MOST_PLACE = 2000  # pixels of the widest place
WIDEST = 150  # pixels of a column at most: wider ones would part what is to be compared
READABLE = (
    "contrast(scale('color', datum.value), 'black') > contrast(scale('color', datum.value), 'white') ?"
    " 'black' : 'white'"
)
"""The color of a figure on the color of its cell, whatever the scheme: one of the two has a contrast of 4.5 or more."""


@dataclass(frozen=True, slots=True)
class HeatCell:
    """A cell of a grid.

    ``value`` is what its color says (None: no value), ``text`` what stands in it, ``detail`` what its tooltip says
    instead. A cell that is ``few`` has too few data to be compared, and is faded. ``asks`` is what the sentence browser
    is asked for at a click, such as a system and a type.
    """

    row: str
    column: str
    value: float | None
    text: str
    detail: str = ""
    few: bool = False
    asks: Mapping[str, str] | None = None


@dataclass(frozen=True, slots=True)
class RowNames:
    """The names of rows.

    ``title`` is what a row is; ``meaning`` says in words what names stand for; ``behind`` is a number that stands
    behind names where there is room, and ``counted`` what it is of.
    """

    title: str
    meaning: Mapping[str, str] = field(default_factory=dict)
    behind: Mapping[str, str] = field(default_factory=dict)
    counted: str = "number"

    def labels(self, name: str) -> tuple[str, str, str]:
        """A name as it stands on a phone, in a place as wide as paper, and on a desk."""
        spoken = f"{name}: {self.meaning[name]}" if name in self.meaning else name
        whole = f"{spoken} ({self.behind[name]})" if name in self.behind else spoken
        return name, spoken if self.meaning else whole, whole

    @property
    def tooltips(self) -> dict[str, str]:
        """The titles of tooltips by their fields."""
        return {"row": self.title} | ({"said": "that is"} if self.meaning else {})


def heat_chart(
    cells: Sequence[HeatCell],
    rows: RowNames,
    *,
    column_title: str,
    value_title: str,
    domain: tuple[float, float] | None = None,
) -> Spec:
    """Draw a grid, rows and columns in the order of the cells; a cell that is not there stays blank.

    ``domain`` has the values at both ends of the colors; None: they are percent, from 0 to what cells show that are not
    ``few``.
    """
    columns = list(dict.fromkeys(cell.column for cell in cells))
    names = list(dict.fromkeys(cell.row for cell in cells))
    if domain is None:
        firm = [cell.value for cell in cells if not cell.few]
        domain = (0, vega.percent_top(firm or [cell.value for cell in cells]))
    place = {"x": _band("column", columns), "y": _band("row", names)}
    tooltips = {"tooltip": vega.tips(**rows.tooltips, column=column_title, detail=value_title)}
    color = vega.number(
        "value",
        title=value_title,
        scale={"domain": list(domain), "clamp": True},
        legend={"orient": "bottom", "direction": "horizontal", "gradientLength": 200, "tickCount": 5},
    )
    firm_rows = [_row(cell, rows) for cell in cells if cell.value is not None and not cell.few]
    few_rows = [_row(cell, rows) for cell in cells if cell.value is not None and cell.few]
    gaps = [_row(cell, rows) for cell in cells if cell.value is None]
    figure = {"text": vega.text("text"), **place, **tooltips}
    hand = {"cursor": "pointer"} if any(cell.asks for cell in cells) else {}
    margins = [_margin(labels) for labels in zip(*map(rows.labels, names), strict=True)]
    layers = [
        vega.layer(firm_rows, "rect", {"style": "cell", **hand}, color=color, **place, **tooltips),
        vega.layer(few_rows, "rect", {"style": "faded", **hand}, color=color, **place, **tooltips),
        vega.layer(gaps, "rect", {"style": "gap"}, **place, **tooltips),
        vega.layer(firm_rows, "text", {"style": "figure", "color": {"expr": READABLE}, **hand}, **figure),
        vega.layer(few_rows, "text", {"style": "figure", **hand}, **figure),
        vega.layer(gaps, "text", {"style": "figure"}, **figure),
        _row_names(names, rows, place["y"]),
        *_column_names(columns, column_title, place["x"], _by_width(*margins)),
    ]
    figures = max((vega.text_width(cell.text, FIGURE) for cell in cells), default=0)
    step = max(figures + ROOM, 1.7 * FIGURE)
    least, most = round(margins[0] + len(columns) * step), round(margins[-1] + len(columns) * WIDEST)
    height = vega.ROW * len(names)
    # Names of columns are turned where these are narrow, and names of rows get longer: there the height may change.
    turned = len(columns) * _longest(columns)
    edges: dict[int, int] = {}  # to the pixels of names up to there
    for margin, (low, high) in zip(margins, pairwise((least, PHONE, DESK, max(MOST_PLACE, least + 1))), strict=True):
        if low < margin + turned < high:
            edges[round(margin + turned)] = _top(columns, turned=True)
        edges[high] = _top(columns, turned=high <= margin + turned)
    *ends, last = sorted(edge for edge in edges if edge > least)
    room = vega.Room(least, max(least, most), ends, [edges[edge] for edge in (*ends, last)])
    return vega.finish([part for part in layers if part["data"]], height=height, room=room)


def _margin(names: Sequence[str]) -> int:
    return round(min(LIMIT, max(map(vega.text_width, names), default=0))) + 2 * ROOM


def _band(field: str, names: Sequence[str]) -> vega.Part:
    return vega.name(field, scale={"domain": list(names)}, axis=None)


def _row(cell: HeatCell, rows: RowNames) -> vega.Part:
    value = None if cell.value is None else round(cell.value, 4)
    own = {"row": cell.row, "column": cell.column, "value": value, "text": cell.text}
    own["detail"] = cell.detail or cell.text
    meaning = {"said": rows.meaning.get(cell.row, "")} if rows.meaning else {}
    return {**own, **meaning, **({} if cell.asks is None else {"asks": dict(cell.asks)})}


def _by_width(phone: object, paper: object, desk: object) -> str:
    """An expression that chooses by the width of the place."""
    return f"({vega.PLACE} < {PHONE} ? {phone} : {vega.PLACE} < {DESK} ? {paper} : {desk})"


def _row_names(names: Sequence[str], rows: RowNames, y: vega.Part) -> vega.Part:
    """Names as marks, which have tooltips, as labels of an axis do not; the more of each the more room there is."""
    data: list[vega.Part] = []
    for name in names:
        own = {"row": name, "said": rows.meaning.get(name, "")} if rows.meaning else {"row": name}
        if rows.behind:
            own |= {"behind": rows.behind.get(name, "")}
        if rows.meaning or rows.behind:
            own |= dict(zip(("row", "spoken", "whole"), rows.labels(name), strict=True))
        data.append(own)
    tooltips = rows.tooltips | ({"behind": rows.counted} if rows.behind else {})
    shown = {"value": {"expr": _by_width("datum.row", "datum.spoken", "datum.whole")}}
    return vega.layer(
        data,
        "text",
        {"style": "label", "align": "right", "dx": -ROOM, "limit": LIMIT},
        text=shown if rows.meaning or rows.behind else vega.text("row"),
        x={"value": 0},
        y=y,
        tooltip=vega.tips(**tooltips),
    )


def _column_names(columns: Sequence[str], title: str, x: vega.Part, beside: str) -> list[vega.Part]:
    """Names above their columns, turned where these are narrow; ``beside`` is the width of what is no column."""
    longest = _longest(columns)
    narrow = f"({vega.PLACE} - {beside}) / {len(columns)} < {longest:.0f}"
    turned = {
        "angle": {"expr": f"{narrow} ? -90 : 0"},
        "align": {"expr": f"{narrow} ? 'left' : 'center'"},
        "baseline": {"expr": f"{narrow} ? 'middle' : 'bottom'"},
        "dx": {"expr": f"{narrow} ? 4 : 0"},
        "dy": {"expr": f"{narrow} ? 0 : -4"},
    }
    look = {"style": "label", "limit": LIMIT, **turned}
    data = [{"column": name} for name in columns]
    tooltips = vega.tips(column=title)
    # So that the room above is the same in every font.
    above = {turned: f"-{_top(columns, turned=turned)}" for turned in (True, False)}
    stake = {"x": {"value": 0}, "y": {"value": {"expr": f"{narrow} ? {above[True]} : {above[False]}"}}}
    return [
        vega.layer(data, "text", look, text=vega.text("column"), x=x, y={"value": 0}, tooltip=tooltips),
        vega.layer([{}], "point", {"opacity": 0, "size": 1, "tooltip": None}, **stake),
    ]


def _top(columns: Sequence[str], *, turned: bool) -> int:
    """The pixels that names of columns take above them."""
    return round(min(LIMIT, _longest(columns))) if turned else 2 * ROOM + 4


def _longest(columns: Sequence[str]) -> float:
    return max(map(vega.text_width, columns), default=0) + ROOM
