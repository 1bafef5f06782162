"""The look of every chart: one type scale, two color schemes, and the named roles that specifications use.

A specification holds no color. A mark names its role (``mark: {"type": "point", "style": "estimate"}``) and a color
scale names its kind (``category``, ``ramp``, ``diverging``: the ranges that Vega-Lite takes by the type of a field);
``LIGHT`` and ``DARK`` are Vega-Lite configurations that say what those look like. So a page follows its reader's
scheme by rendering the same specification with the other configuration.

The categorical colors are shades of those of Okabe and Ito (2008), which readers with any of the common color-vision
deficiencies can tell apart, with contrast of 3:1 or more against the background of their scheme, without orange, which
means annotators. Ramps run from near the background to the other end of lightness in equal steps of OKLCH, which is
what readers who see few hues go by; figures in cells are black or white, whichever is the more readable.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

Config = Mapping[str, Any]  # a Vega-Lite configuration

FONT: Final = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', 'Liberation Sans', Arial, sans-serif"

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
"""How much color a cell keeps that counts too little to be compared."""
_HUMAN = {"light": "#b94a00", "dark": "#f2914a"}


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
