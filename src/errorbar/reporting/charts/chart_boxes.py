"""How much room a chart takes, so that a page can keep it before the chart is drawn."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from importlib import import_module
from itertools import pairwise
from threading import Thread
from typing import Any

from errorbar.reporting.blocks import Spec
from errorbar.reporting.charts.theme import LIGHT
from errorbar.reporting.charts.vega import PLACE, WIDTH

USUAL = 640
"""Width of the place that a chart is drawn in where its height is the same in every one."""
SPARE = 8
"""Pixels for turned names of columns, whose length depends on the reader's fonts."""


def fixed_width(spec: Spec, pixels: int) -> Spec:
    """A specification that needs no page to take its width from; as wide as its smallest width asks for."""
    if spec.get("width") != WIDTH:
        return spec
    wide = max(pixels, *_bounds(spec).get("least", [0]))
    return {**spec, "width": wide, "params": [{"name": PLACE, "value": wide}]}


def _bounds(spec: Spec) -> Mapping[str, list[int]]:
    """What a chart says of its place: see ``vega.finish``."""
    found = spec.get("usermeta")
    return (
        {key: each if isinstance(each, list) else [each] for key, each in found.items()}
        if isinstance(found, dict)
        else {}
    )


def wake() -> None:
    """Start what draws charts, which takes half a second, in a thread of its own: another core reads data meanwhile."""
    Thread(target=box, args=({"mark": "point", "data": {"values": []}},)).start()


def boxes(spec: Spec) -> list[tuple[int, int, int]]:
    """Up to which width of its place (0: any) a chart has which width (0: that of its place) and height in pixels.

    Empty where it cannot be drawn.
    """
    edges = _bounds(spec).get("edges", [])
    found = [box(spec, (low + high) // 2) for low, high in pairwise([320, *edges, 2 * USUAL])] if edges else [box(spec)]
    return [(edge, *each) for edge, each in zip([*edges, 0], found, strict=True) if each is not None]


def box(spec: Spec, place: int = USUAL) -> tuple[int, int] | None:
    """Width and height in pixels, the width 0 of a chart that is as wide as its place; None: it cannot be drawn."""
    library: Any = import_module("vl_convert")
    try:
        drawn = library.vegalite_to_svg(json.dumps(fixed_width(spec, place)), config=dict(LIGHT))
    except ValueError:  # the page says so in the place of the chart
        return None
    found = re.match(r'<svg[^>]* width="(\d+)[^"]*" height="(\d+)', drawn)
    if found is None:
        return None
    width, height = int(found[1]), int(found[2])
    return (0, height) if spec.get("width", WIDTH) == WIDTH else (width, height + SPARE)
