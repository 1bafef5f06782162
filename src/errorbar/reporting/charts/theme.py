"""The look of every chart: one type scale, two color schemes, and the named roles that specifications use.

A specification holds no color. A mark names its role (``mark: {"type": "point", "style": "estimate"}``) and a color
scale names its kind (``category``, ``ramp``, ``diverging``: the ranges that Vega-Lite takes by the type of a field);
``LIGHT`` and ``DARK`` are Vega-Lite configurations that say what those look like. So a page follows its reader's
scheme by rendering the same specification with the other configuration.

The categorical colors are shades of those of Okabe and Ito (2008), which readers with any of the common color-vision
deficiencies can tell apart, with contrast of 3:1 or more against the background of their scheme; orange is left out of
them, because it means annotators. The ramps
stay on one side of middle gray, so that figures in the cells of a heat map are readable over the whole ramp.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

Config = Mapping[str, Any]
"""A Vega-Lite configuration."""

FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif"

ROLES: Final = ("estimate", "interval", "human", "guide", "label", "figure", "quiet", "cell", "gap", "letter", "bar")
"""Styles a mark can name.

estimate: a point or line that is a measured value of a system; interval: its error bar; human: what annotators score;
guide: lines to read by (F contours, chance); label: names beside points; figure: numbers in cells; quiet: lines in the
background of others; cell: the rectangles of a heat map; gap: a cell without a value; letter: letters of groups; bar:
the bars of a histogram.
"""


def config(*, ink: str, muted: str, faint: str, paper: str, accent: str, human: str, scales: Scales) -> Config:
    """A configuration from the few colors it consists of.

    Args:
        ink: Text.
        muted: Secondary text, axes, and lines to read by.
        faint: Grid lines and empty cells.
        paper: The background, for the outline of points that overlap; the chart's own background is transparent.
        accent: Systems, and everything that is not said to be something else.
        human: Annotators.
        scales: Ranges of the color scales.

    Returns:
        The configuration.
    """
    return {
        "background": None,
        "font": FONT,
        "padding": 4,
        "view": {"stroke": None},
        "mark": {"color": accent, "tooltip": True},
        "axis": {
            "domainColor": muted,
            "gridColor": faint,
            "labelColor": ink,
            "labelFontSize": 12,
            "labelLimit": 180,
            "tickColor": muted,
            "titleColor": ink,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
            "titlePadding": 8,
        },
        "legend": {
            "labelColor": ink,
            "labelFontSize": 12,
            "labelLimit": 220,
            "titleColor": ink,
            "titleFontSize": 12,
            "titleFontWeight": "normal",
        },
        "header": {"labelColor": ink, "labelFontSize": 12, "titleColor": ink, "titleFontSize": 12},
        "title": {"color": ink, "fontSize": 14, "fontWeight": "normal", "anchor": "start"},
        "text": {"color": ink, "fontSize": 12},
        "range": dict(scales),
        "style": {
            "estimate": {"color": accent, "stroke": accent, "strokeWidth": 2},
            "interval": {"color": accent, "stroke": accent, "strokeWidth": 1.5},
            "human": {"color": human, "stroke": human, "strokeWidth": 2},
            "guide": {"color": muted, "stroke": muted, "strokeWidth": 1, "strokeDash": [4, 3]},
            "label": {"color": ink, "stroke": None, "fontSize": 12},
            "figure": {"color": ink, "stroke": None, "fontSize": 11},
            "quiet": {"color": muted, "stroke": muted, "strokeWidth": 1, "opacity": 0.6},
            "cell": {"stroke": paper, "strokeWidth": 1},
            "gap": {"color": faint, "stroke": paper, "strokeWidth": 1},
            "letter": {"color": muted, "stroke": None, "fontSize": 12},
            "bar": {"color": accent, "stroke": paper},
        },
    }


Scales = Mapping[str, Sequence[str]]
"""Kind of color scale to its colors."""

PALETTE: Final[Mapping[str, Mapping[str, str]]] = {
    "light": {"ink": "#1d2430", "muted": "#5b6472", "faint": "#e3e7ec", "paper": "#ffffff", "accent": "#0b62a4"},
    "dark": {"ink": "#e7eaef", "muted": "#9aa4b2", "faint": "#2c3440", "paper": "#12161c", "accent": "#6cb6f5"},
}
"""The few colors that charts and page share; the style sheet of the page is given them by these names."""

CATEGORY_LIGHT: Final = ("#0b62a4", "#00795a", "#a3447d", "#8a6a00", "#3f8fc0")
CATEGORY_DARK: Final = ("#6cb6f5", "#3cc79c", "#e08fbf", "#e0bd3a", "#b9dcf7")

LIGHT: Final[Config] = config(
    **PALETTE["light"],
    human="#b94a00",
    scales={
        "category": CATEGORY_LIGHT,
        "ramp": ("#f2f7fb", "#84b7dd"),
        "heatmap": ("#f2f7fb", "#84b7dd"),
        "ordinal": ("#f2f7fb", "#84b7dd"),
        "diverging": ("#efa877", "#fbfaf8", "#84b7dd"),
    },
)
"""On white paper; also what exported files use."""

DARK: Final[Config] = config(
    **PALETTE["dark"],
    human="#f2914a",
    scales={
        "category": CATEGORY_DARK,
        "ramp": ("#1a222c", "#2a6698"),
        "heatmap": ("#1a222c", "#2a6698"),
        "ordinal": ("#1a222c", "#2a6698"),
        "diverging": ("#8f4a17", "#20262f", "#2a6698"),
    },
)
"""On a dark screen."""
