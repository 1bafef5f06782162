"""The parts that all charts share: layers, channels, axes, tooltips, colors, and the room that a chart takes."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from importlib import import_module
from itertools import pairwise
from math import ceil, log10
from threading import Thread
from typing import Any, Final, NamedTuple

from errorbar.core.problems import visible
from errorbar.reporting.blocks import Spec
from errorbar.tables.table import Kind

SCHEMA = "https://vega.github.io/schema/vega-lite/v6.json"
WIDTH = "container"
"""Charts are as wide as the place they stand in; an export gives them a number."""
PLACE = "place"
"""The name in expressions of the width of that place in pixels: ``width`` is that of the plot, which follows from what
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
"""The name of the wider interval in tooltips."""
Row = Mapping[str, object]
Ends = tuple[float, float]
Part = dict[str, Any]  # a part of a specification


class Axis(NamedTuple):
    """The title of an axis, the kind of its values (percent, counts or plain numbers), and their end.

    It goes no further than ``most`` unless a value does; None: to the next round number.
    """

    title: str
    kind: Kind = "percent"
    most: float | None = None


def layer(rows: Iterable[Row], mark: str, look: Part, **channels: object) -> Part:
    """A layer: a kind of mark for some rows of data."""
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
    """The rows of a tooltip, from field to title."""
    return [{**(number(field) if field == "x" else text(field)), "title": title} for field, title in titles.items()]


def make_value_row(
    value: float | None, low: float | None, high: float | None, digits: int, outer: Ends | None = None
) -> Part:
    """A value with its interval, maybe with the ends of a wider one: numbers to draw, and texts for tooltips."""

    def text(ends: tuple[float | None, float | None]) -> str:
        return "none" if None in ends else f"{ends[0]:.{digits}f}–{ends[1]:.{digits}f}"

    wider = {} if outer is None else {"outer_low": outer[0], "outer_high": outer[1], "outer": text(outer)}
    own = {"value": value, "low": low, "high": high, "shown": f"{value:.{digits}f}", "interval": text((low, high))}
    return {**own, **wider}


def has_outer(rows: Iterable[Row]) -> bool:
    """True if some row has a wider interval."""
    return any("outer" in row for row in rows)


def tips_of(rows: Iterable[Row], title: str, **titles: str) -> list[Part]:
    """The rows of a tooltip of measured values: these fields, the value, and its intervals."""
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

    wider = [rules(thin, "outer_", {"strokeWidth": THIN})] if wide else []
    return [*wider, *([rules(thick, "", {"strokeWidth": THICK} if wide else {})] if thick else [])]


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
    """The widths in pixels that a chart asks of its place; Vega-Lite does nothing with them (``usermeta``).

    It is no narrower than ``least``, no wider than ``most`` where that is given, and at ``edges`` its height changes.
    ``tops``, where only the names above the plot change it, has their pixels before, between and after the edges.
    """

    least: int = 0
    most: int = 0
    edges: Sequence[int] = ()
    tops: Sequence[int] = ()


def finish(layers: Sequence[Part], *, height: int, room: Room | None = None) -> Spec:
    """A specification of layers, every text in it shown as on the page: a control character ends who draws it.

    Layers of the same data share it.
    """
    datasets: list[Sequence[Row]] = []
    for part in layers:
        if part["data"] not in datasets:
            datasets.append(part["data"])
    spec: Part = {
        "$schema": SCHEMA,
        "params": [{"name": PLACE, "expr": "width && isFinite(containerSize()[0]) ? containerSize()[0] : 640"}],
        "datasets": {f"data-{at}": rows for at, rows in enumerate(datasets)},
        "layer": [{**part, "data": {"name": f"data-{datasets.index(part['data'])}"}} for part in layers],
        "height": height,
        "width": WIDTH,
        "autosize": {"type": "fit-x", "contains": "padding"},
    }
    if bounds := {key: pixels for key, pixels in (room or Room())._asdict().items() if pixels}:
        spec["usermeta"] = bounds
    return {key: _show_controls(value) for key, value in spec.items()}


def _show_controls(value: object) -> object:
    if isinstance(value, dict):
        return {visible(str(key)): _show_controls(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [_show_controls(part) for part in value]
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
    """The end of an axis of percent: a round number at or above all values, at most 100 unless one is above.

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


# The look of every chart: one type scale, two color schemes, and the named roles that specifications use.
#
# A specification holds no color. A mark names its role (``mark: {"type": "point", "style": "estimate"}``) and a color
# scale names its kind (``category``, ``ramp``, ``diverging``: the ranges that Vega-Lite takes by the type of a field);
# ``LIGHT`` and ``DARK`` are Vega-Lite configurations that say what those look like. So a page follows its reader's
# scheme by rendering the same specification with the other configuration.
#
# The categorical colors are shades of those of Okabe and Ito (2008), which readers with any of the common color-vision
# deficiencies can tell apart, with contrast of 3:1 or more against the background of their scheme, without orange,
# which means annotators. Ramps run from near the background to the other end of lightness in equal steps of OKLCH,
# which is what readers who see few hues go by; figures in cells are black or white, whichever is the more readable.


Config = Mapping[str, Any]  # a Vega-Lite configuration

FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif"

MEASURED: Final = "Arial, 'Liberation Sans', Arimo, Helvetica, sans-serif"
"""Fonts as wide as the one by which pictures are laid out."""

PALETTE: Final[Mapping[str, Mapping[str, str]]] = {
    "light": {"ink": "#1d2430", "muted": "#5b6472", "faint": "#e3e7ec", "paper": "#ffffff", "accent": "#0b62a4"},
    "dark": {"ink": "#e7eaef", "muted": "#9aa4b2", "faint": "#2c3440", "paper": "#12161c", "accent": "#6cb6f5"},
}
"""The few colors that charts and page share; the style sheet of the page is given them by these names."""


_CATEGORY = {
    "light": ("#0b62a4", "#00795a", "#a3447d", "#8a6a00", "#3f8fc0"),
    "dark": ("#6cb6f5", "#3cc79c", "#e08fbf", "#e0bd3a", "#b9dcf7"),
}
_DIVERGING = {"light": ("#efa877", "#fbfaf8", "#84b7dd"), "dark": ("#8f4a17", "#20262f", "#2a6698")}
_RAMP = {
    # Lightness .975 to .27 and hue 115 to 275 degrees; then .235 to .95 and 275 to 112; chroma as far as screens go.
    "light": ("#f6fae3", "#c8e4b9", "#87d1a1", "#3eb99e", "#029a9b", "#027a8f", "#025b80", "#003b78", "#1a1c5a"),
    "dark": ("#191c31", "#163459", "#025273", "#027183", "#09908f", "#0db291", "#65ce89", "#b1e389", "#f0f796"),
}
FADED: Final = 0.3
"""The share of its color that a cell with too few data keeps."""
_HUMAN = {"light": "#b94a00", "dark": "#f2914a"}
_ATTACK = {"light": "#a3447d", "dark": "#e08fbf"}


def _config(scheme: str) -> Config:
    colors, ramp = PALETTE[scheme], _RAMP[scheme]
    ink, muted, faint, paper, accent = (colors[name] for name in ("ink", "muted", "faint", "paper", "accent"))

    def line(color: str, width: float, **more: object) -> dict[str, object]:
        return {"color": color, "stroke": color, "strokeWidth": width, **more}

    def words(size: int, color: str = ink) -> dict[str, object]:
        return {"color": color, "stroke": None, "fontSize": size}

    titled = {"labelColor": ink, "labelFontSize": 12, "titleColor": ink, "titleFontSize": 12}
    plain = {"titleFontWeight": "normal", **titled}
    lines = {"domainColor": muted, "gridColor": faint, "tickColor": muted}
    return {
        "background": None,
        "font": FONT,
        "padding": 4,
        "view": {"stroke": None},
        "mark": {"color": accent, "tooltip": True},
        "axis": {"labelLimit": 180, "titlePadding": 8, **lines, **plain},
        "legend": {"labelLimit": 220, **plain},
        "header": titled,
        "title": {"color": ink, "fontSize": 14, "fontWeight": "normal", "anchor": "start"},
        "text": {"color": ink, "fontSize": 12},
        "range": {
            "category": _CATEGORY[scheme],
            **dict.fromkeys(("ramp", "heatmap", "ordinal"), ramp),
            "diverging": _DIVERGING[scheme],
        },
        "style": {
            "estimate": line(accent, 2),  # what is measured of a system
            "interval": line(accent, 1.5),  # its error bar
            "band": {"opacity": 0.16},  # intervals along a curve
            "human": line(_HUMAN[scheme], 2),  # what annotators score
            "attack": line(_ATTACK[scheme], 2),  # what nobody would want scores
            "guide": line(muted, 1, strokeDash=[4, 3]),  # lines to read by: F contours, chance
            "label": words(12),  # names beside points
            "figure": words(11),  # numbers in cells
            "quiet": line(muted, 1, opacity=0.6),  # lines in the background of others
            "leader": line(muted, 1),  # from a point to its name
            "cell": {"stroke": paper, "strokeWidth": 1},  # of a heat map
            "faded": {"stroke": paper, "strokeWidth": 1, "fillOpacity": FADED},  # a cell of too few
            "gap": {"color": faint, "stroke": paper, "strokeWidth": 1},  # a cell without a value
            "letter": words(12, muted),  # letters of groups
            "bar": {"color": accent, "stroke": paper},  # of a histogram
        },
    }


LIGHT: Final[Config] = _config("light")  # on white paper; also what exported files use
DARK: Final[Config] = _config("dark")  # on a dark screen


USUAL = 640
"""Width of the place that a chart is drawn in where its height is the same in every one."""
WIDER_FONT, WIDER_NOTE = 36, 16
"""Pixels to the left and right of pictures, for texts in a font that is wider than that by which they were laid out."""
SPARE = 8
"""Pixels for turned names of columns, whose length depends on the reader's fonts."""


def fixed_width(spec: Spec, pixels: int) -> Spec:
    """A specification that needs no page to take its width from; as wide as its smallest width asks for."""
    if spec.get("width") != WIDTH:
        return spec
    wide = max(pixels, *_bounds(spec).get("least", [0]))
    return {**spec, "width": wide, "params": [{"name": PLACE, "value": wide}]}


def _bounds(spec: Spec) -> Mapping[str, list[int]]:
    """The widths that ``finish`` wrote into a specification."""
    bounds = spec.get("usermeta")
    return (
        {key: value if isinstance(value, list) else [value] for key, value in bounds.items()}
        if isinstance(bounds, dict)
        else {}
    )


def wake() -> None:
    """Start what draws charts, which takes half a second, in a thread of its own: another core reads data meanwhile."""
    Thread(target=_svg, args=({"mark": "point", "data": {"values": []}},)).start()


class ChartPicture(NamedTuple):
    """A chart as it stands on a page before, or without, its scripts.

    Attributes:
        sizes: Up to which width of its place (0: any) it has which width (0: that of its place) and height in pixels.
        picture: The chart as SVG, as wide as paper; None: it cannot be drawn, and then there are no sizes either.
    """

    sizes: Sequence[tuple[int, int, int]]
    picture: str | None


def draw_place(spec: Spec, place: int = USUAL) -> ChartPicture:
    """Draw a chart for the places that it may stand in; ``place`` is the width of the picture's."""
    flexible = spec.get("width", WIDTH) == WIDTH
    svg = _svg(spec, place)
    box = None if svg is None else _box(svg, flexible=flexible)
    if svg is None or box is None:
        return ChartPicture((), None)
    edges, tops = (_bounds(spec).get(key, []) for key in ("edges", "tops"))
    if edges and not tops:  # drawn in a place of each width
        places = [(low + high) // 2 for low, high in pairwise([320, *edges, 2 * USUAL])]
        boxes = [_box(own, flexible=flexible) if (own := _svg(spec, place)) else None for place in places]
    else:
        usual = sum(edge <= USUAL for edge in edges)
        boxes = [(box[0], box[1] + top - tops[usual]) for top in tops] if edges else [box]
    sizes = [(edge, *own) for edge, own in zip([*edges, 0], boxes, strict=True) if own is not None]
    return ChartPicture(sizes, _shorten(svg))


def _shorten(svg: str) -> str:
    """The same picture without what says to machines what its parts are, fonts named once, in hundredths of pixels."""
    svg = re.sub(r' (?:role|aria-[a-z]+|class|font-family)="[^"]*"', "", svg)
    svg = re.sub(r"(\.\d\d)\d+", r"\1", svg)

    def widen(match: re.Match[str]) -> str:
        width = WIDER_FONT + int(match[2]) + WIDER_NOTE
        return (
            f'<svg font-family="{MEASURED}"{match[1]} width="{width}" height="{match[3]}" '
            f'viewBox="{-WIDER_FONT} 0 {width} {match[3]}"'
        )

    return re.sub(r'<svg(.*?) width="(\d+)" height="(\d+)" viewBox="0 0 [^"]*"', widen, svg, count=1)


def _svg(spec: Spec, place: int = USUAL) -> str | None:
    library: Any = import_module("vl_convert")
    config = {**LIGHT, "aria": False}  # a picture has one text alternative
    drawn, config = map(_drop_tooltips, (fixed_width(spec, place), config))
    try:
        return number_definitions(library.vegalite_to_svg(json.dumps(drawn), config=config))
    except ValueError:  # the page says so in the place of the chart
        return None


def _drop_tooltips(part: Any) -> Any:  # noqa: ANN401 - part of a specification
    """The part without tooltips, which no picture shows and which take a tenth of the time to draw it."""
    if isinstance(part, dict):
        kept = ((key, value) for key, value in part.items() if key != "tooltip")
        return {key: value if key == "datasets" else _drop_tooltips(value) for key, value in kept}
    return [_drop_tooltips(value) for value in part] if isinstance(part, list) else part


def number_definitions(svg: str) -> str:
    """The same picture, its gradients and clips counted from 0: Vega counts on over all that a process draws."""
    if "gradient_" not in svg and "clip" not in svg:
        return svg
    numbers: dict[str, str] = {}

    def renumber(match: re.Match[str]) -> str:
        name = match[1]
        return numbers.setdefault(match[0], f"{name}{sum(each.startswith(name) for each in numbers)}")

    return re.sub(r"(?<=[\"#])(gradient_|clip)\d+\b", renumber, svg)


def _box(svg: str, *, flexible: bool) -> tuple[int, int] | None:
    """Width and height in pixels, the width 0 of a chart that is as wide as its place."""
    match = re.match(r'<svg[^>]* width="(\d+)[^"]*" height="(\d+)', svg)
    if match is None:
        return None
    width, height = int(match[1]), int(match[2])
    return (0, height) if flexible else (width, height + SPARE)
