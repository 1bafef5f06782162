"""A report as files: a page, Markdown or LaTeX; its charts as SVG and PDF for papers and PNG for slides."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from html import escape
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Literal, get_args

from errorbar.core.errors import InputError, MissingExtraError, Place, Problem, UsageError
from errorbar.formats.saving import save_bytes, save_lines
from errorbar.reporting.blocks import Chart, Report, Spec
from errorbar.reporting.charts.chart_boxes import fixed_width
from errorbar.reporting.charts.theme import LIGHT
from errorbar.reporting.page import EXTRA, page_html
from errorbar.reporting.report_text import latex, markdown
from errorbar.studies.model import Study

Kind = Literal["html", "markdown", "latex"]
Picture = Literal["svg", "png", "pdf"]
KINDS: dict[Kind, tuple[str, ...]] = {"html": (".html", ".htm"), "markdown": (".md", ".markdown"), "latex": (".tex",)}
"""Kinds of text to the endings of their files."""
PICTURES: tuple[Picture, ...] = get_args(Picture)
WRITERS = {"html": page_html, "markdown": markdown, "latex": latex}
PIXELS = {"full": 640, "half": 420}  # widths of charts that are as wide as their place
SCALE = 2  # of PNG: pixels for each pixel on a page
EPOCH = "SOURCE_DATE_EPOCH"
FRAME = '<iframe srcdoc="{}" width="100%" height="800" style="border:0" sandbox="allow-scripts"></iframe>'


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class MadeReport:
    """A report that can be looked at and saved.

    Attributes:
        report: What it shows, as plain data.
        studies: What was computed.
        notes: Warnings and repairs.
        missing: Which sections the data does not allow, and why.
    """

    report: Report
    studies: Sequence[Study]
    notes: Sequence[Problem]
    missing: Sequence[Problem]

    def save(self, path: str | os.PathLike[str], kind: Kind | None = None) -> int:
        """Write the report, whole or not at all.

        Args:
            path: The file: ``.html``, ``.md`` or ``.tex``; ``-``: standard output.
            kind: ``html``, ``markdown`` or ``latex``; None: as the ending says; to standard output a page.

        Returns:
            Bytes written.

        Raises:
            InputError: If the file cannot be written.
            MissingExtraError: If a library that a page takes is not installed.
            UsageError: If nothing says what the file is to be.
        """
        name = os.fspath(path)
        fitting: list[Kind] = [one for one, endings in KINDS.items() if name.lower().endswith(endings)]
        if kind is None and not fitting and name != "-":
            fix = "name a file that ends in .html, .md or .tex, or say which kind"
            raise UsageError(Problem("output-format", f"nothing says what '{name}' is to be", fix=fix))
        return save_report(self.report, name, kind or (fitting[0] if fitting else "html"))

    def save_charts(self, folder: str | os.PathLike[str]) -> list[Path]:
        """Write each chart as SVG, PNG and PDF.

        Raises:
            InputError: If the folder or a file cannot be written.
            MissingExtraError: If the library that draws is not installed.
        """
        return save_charts(self.report, Path(folder))

    def _repr_html_(self) -> str:
        """The page in a frame of its own, as a notebook shows it."""
        return FRAME.format(escape(page_html(self.report)))

    def __repr__(self) -> str:
        return f"MadeReport({self.report.title!r}: {', '.join(one.title for one in self.report.sections)})"


def save_report(report: Report, path: str, kind: Kind = "html") -> int:
    """Write a report, whole or not at all, to a file or to ``-``, standard output; how many bytes it has."""
    text = WRITERS[kind](report)
    save_lines([text.removesuffix("\n")], path)
    return len(text.encode())


def save_charts(report: Report, folder: Path, pictures: Sequence[Picture] = PICTURES) -> list[Path]:
    """Write every chart of a report, each file whole or not at all and named after its chart, on white."""
    drawn = {f"{chart.name}.{kind}": draw(chart, kind) for chart in report.charts for kind in pictures}
    make_folder(folder)
    for name, content in drawn.items():
        save_bytes(content, str(folder / name))
    return [folder / name for name in drawn]


def make_folder(folder: Path) -> None:
    """Make a folder; raises ``InputError`` if it cannot be made."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"the folder cannot be made: {error.strerror}"
        raise InputError(Problem("cannot-write", what, Place(str(folder)), fix="name another folder")) from None


def draw(chart: Chart, kind: Picture) -> bytes:
    """One chart as the content of a file; raises ``MissingExtraError`` if the library that draws is not installed."""
    return draw_spec(chart.spec, kind, PIXELS[chart.width])


def draw_spec(spec: Spec, kind: Picture, pixels: int = PIXELS["full"]) -> bytes:
    """A chart that stands in no report; as ``draw``."""
    try:
        library: Any = import_module("vl_convert")
    except ImportError:
        raise MissingExtraError(EXTRA, "drawing charts into files") from None
    how: dict[str, Any] = {"config": {**LIGHT, "background": "white"}, **({"scale": SCALE} if kind == "png" else {})}
    drawn = getattr(library, f"vegalite_to_{kind}")(json.dumps(fixed_width(spec, pixels)), **how)
    return drawn.encode() if isinstance(drawn, str) else bytes(drawn)


def need(kind: Kind, *, pictures: bool = False) -> None:
    """Raise ``MissingExtraError`` unless what a report, or drawing charts, takes is installed; nothing is loaded."""
    libraries = {"jinja2": kind == "html", "vl_convert": kind == "html" or pictures}
    if any(wanted and find_spec(name) is None for name, wanted in libraries.items()):
        raise MissingExtraError(EXTRA, "a page" if kind == "html" else "drawing charts into files")


def today() -> str:
    """The date of a report; that of SOURCE_DATE_EPOCH where builds must not differ by day."""
    fixed = os.environ.get(EPOCH, "")
    return str(datetime.fromtimestamp(int(fixed), UTC).date() if fixed.isdecimal() else date.today())
