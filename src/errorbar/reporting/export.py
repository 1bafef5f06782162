"""A report as files: a page, Markdown or LaTeX; its charts as SVG and PDF for papers and PNG for slides."""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, Literal, get_args

from errorbar.core.errors import InputError, MissingExtraError, Place, Problem
from errorbar.formats.saving import save_bytes, save_lines
from errorbar.reporting.blocks import Chart, Report, Spec
from errorbar.reporting.charts.theme import LIGHT
from errorbar.reporting.charts.vega import WIDTH
from errorbar.reporting.latex import latex
from errorbar.reporting.markdown import markdown
from errorbar.reporting.page import page_html

Kind = Literal["html", "markdown", "latex"]
Picture = Literal["svg", "png", "pdf"]
KINDS: dict[Kind, tuple[str, ...]] = {"html": (".html", ".htm"), "markdown": (".md", ".markdown"), "latex": (".tex",)}
"""Kinds of text to the endings of their files."""
PICTURES: tuple[Picture, ...] = get_args(Picture)
WRITERS = {"html": page_html, "markdown": markdown, "latex": latex}
PIXELS = {"full": 640, "half": 420}
"""Widths of charts that are as wide as their place."""
SCALE = 2
"""Of PNG: pixels for each pixel on a page."""
EXTRA = "report"


def save_report(report: Report, path: str, kind: Kind = "html") -> int:
    """Write a report, whole or not at all.

    Args:
        report: What it shows.
        path: The file, or ``-`` for standard output.
        kind: What to write.

    Returns:
        Bytes written.

    Raises:
        InputError: If the file cannot be written; what was there stays as it was.
        MissingExtraError: If a library that a page takes is not installed.
    """
    text = WRITERS[kind](report)
    save_lines([text.removesuffix("\n")], path)
    return len(text.encode())


def save_charts(report: Report, folder: str, pictures: Sequence[Picture] = PICTURES) -> list[Path]:
    """Write every chart of a report, each file whole or not at all, on white.

    Args:
        report: The report.
        folder: Where to; it is made if it is not there.
        pictures: Which kinds of files.

    Returns:
        The files, named after their charts.

    Raises:
        InputError: If the folder or a file cannot be written.
        MissingExtraError: If the library that draws is not installed.
    """
    drawn = {f"{chart.name}.{kind}": draw(chart, kind) for chart in report.charts for kind in pictures}
    try:
        Path(folder).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"no folder for the charts: {error.strerror}"
        raise InputError(Problem("cannot-write", what, Place(folder), fix="name another folder")) from None
    for name, content in drawn.items():
        save_bytes(content, str(Path(folder) / name))
    return [Path(folder) / name for name in drawn]


def draw(chart: Chart, kind: Picture) -> bytes:
    """One chart as the content of a file.

    Raises:
        MissingExtraError: If the library that draws is not installed.
    """
    library = _vl_convert()
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


def need(kind: Kind, *, pictures: bool = False) -> None:
    """See that what a report takes is installed, without loading it, before the work starts.

    ``pictures``: charts are to be drawn into files.

    Raises:
        MissingExtraError: If something is not.
    """
    libraries = {"jinja2": kind == "html", "vl_convert": kind == "html" or pictures}
    if any(wanted and find_spec(name) is None for name, wanted in libraries.items()):
        raise MissingExtraError(EXTRA, "a page" if kind == "html" else "drawing charts into files")


def _vl_convert() -> ModuleType:
    try:
        import vl_convert as library  # noqa: PLC0415 - an extra
    except ImportError:
        raise MissingExtraError(EXTRA, "drawing charts into files") from None
    return library
