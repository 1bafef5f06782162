"""The charts of a report as files: SVG and PDF for papers, PNG for slides."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args

from errorbar.core.errors import InputError, MissingExtraError, Place, Problem
from errorbar.formats.saving import save_bytes
from errorbar.reporting.charts.build import WIDTH
from errorbar.reporting.charts.theme import LIGHT
from errorbar.reporting.model import Chart, Report, Spec

Format = Literal["svg", "png", "pdf"]
FORMATS: tuple[Format, ...] = get_args(Format)
PIXELS = {"full": 640, "half": 420}
"""Widths of charts that are as wide as their place."""
SCALE = 2
"""Of PNG: pixels for each pixel on a page."""


def save_charts(report: Report, folder: str, formats: Sequence[Format] = FORMATS) -> list[Path]:
    """Write every chart of a report, each file whole or not at all, on white.

    Args:
        report: The report.
        folder: Where to; it is made if it is not there.
        formats: Which kinds of files.

    Returns:
        The files, named after their charts.

    Raises:
        InputError: If the folder or a file cannot be written.
        MissingExtraError: If the library that draws is not installed.
    """
    charts = [block for section in report.sections for block in section.blocks if isinstance(block, Chart)]
    drawn = [(f"{chart.name}.{kind}", draw(chart, kind)) for chart in charts for kind in formats]
    make_folder(folder)
    files = []
    for name, content in drawn:
        path = Path(folder) / name
        save_bytes(content, str(path))
        files.append(path)
    return files


def make_folder(folder: str) -> None:
    """Make a folder where there is none.

    Raises:
        InputError: If that is not possible.
    """
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"no folder for the charts: {error.strerror}"
        raise InputError(Problem("cannot-write", what, Place(folder), fix="name another folder")) from None


def draw(chart: Chart, kind: Format) -> bytes:
    """One chart as the content of a file.

    Raises:
        MissingExtraError: If the library that draws is not installed.
    """
    library = vl_convert()
    spec = json.dumps(fixed_width(chart.spec, PIXELS[chart.width]))
    look: dict[str, Any] = {**LIGHT, "background": "white"}
    if kind == "svg":
        return str(library.vegalite_to_svg(spec, config=look)).encode()
    if kind == "png":
        return bytes(library.vegalite_to_png(spec, config=look, scale=SCALE))
    return bytes(library.vegalite_to_pdf(spec, config=look))


def fixed_width(spec: Spec, pixels: int) -> Spec:
    """A specification that needs no page to take its width from."""
    return {**spec, "width": pixels} if spec.get("width") == WIDTH else spec


def vl_convert() -> ModuleType:
    """The library that draws.

    Raises:
        MissingExtraError: If it is not installed.
    """
    try:
        import vl_convert as library  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError("report", "drawing charts into files") from None
    return library
