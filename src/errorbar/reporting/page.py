"""A report as one web page that needs nothing but a browser: no network, no folder beside it.

Whatever comes from data is escaped by the template engine or stands in a JSON block that scripts read as text; a
content security policy names the page's own scripts and styles by their hashes, so that nothing else can run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from importlib import import_module
from typing import TYPE_CHECKING
from urllib.parse import quote

from errorbar.core.errors import MissingExtraError
from errorbar.core.visible import visible, visible_json
from errorbar.formats.saving import save_lines
from errorbar.reporting import assets
from errorbar.reporting.browser_data import browser_data
from errorbar.reporting.charts.theme import DARK, LIGHT
from errorbar.reporting.model import Block, Cell, Chart, Report, Sentences, Shown

if TYPE_CHECKING:
    from jinja2 import Environment


def page_html(report: Report) -> str:
    """Make the page; the same report gives the same text to the character.

    Args:
        report: What it shows.

    Returns:
        A whole HTML document.

    Raises:
        MissingExtraError: If Jinja2 is missing, or vl-convert where there are charts.
    """
    environment = _environment()
    charts = [block for block in _blocks(report) if isinstance(block, Chart)]
    browsers = [block for block in _blocks(report) if isinstance(block, Sentences)]
    style, scripts = assets.style(), [assets.script()]
    if charts:
        scripts.append(assets.chart_library())
    return environment.get_template("page.html").render(
        report=report,
        policy=assets.policy(scripts, [style]),
        style=style,
        scripts=scripts,
        browsers=browsers,
        chart_data=_json(
            {"light": LIGHT, "dark": DARK, "specs": {chart.name: chart.spec for chart in charts}} if charts else {}
        ),
        browser_data=[_json(browser_data(block.browse, block.first)) for block in browsers],
    )


def save_page(report: Report, path: str) -> int:
    """Write the page, whole or not at all.

    Args:
        report: What it shows.
        path: The file, or ``-`` for standard output.

    Returns:
        Bytes written.

    Raises:
        InputError: If the file cannot be written; what was there stays as it was.
        MissingExtraError: As ``page_html`` does.
    """
    page = page_html(report).removesuffix("\n")
    save_lines([page], path)
    return len(page.encode("utf-8")) + 1


def _environment() -> Environment:
    try:
        jinja2 = import_module("jinja2")
    except ImportError:
        raise MissingExtraError("report", "a page") from None
    loader = jinja2.FunctionLoader(assets.template)
    environment: Environment = jinja2.Environment(
        loader=loader,
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
    )
    environment.filters |= {"kind": _kind, "shown": _shown, "sort_value": _sort_value, "relative": _relative}
    return environment


def _blocks(report: Report) -> Iterator[Block]:
    for section in report.sections:
        yield from section.blocks


def _finalize(value: object) -> object:
    """Text as it is shown everywhere; line feeds do nothing in a page. What is safe by its type is ours."""
    return "\n".join(map(visible, value.split("\n"))) if type(value) is str else value


def _kind(block: Block) -> str:
    return type(block).__name__


def _shown(cell: Cell) -> str:
    return cell.text if isinstance(cell, Shown) else cell


def _relative(target: str) -> str:
    """A path as an address that stays beside the page: no scheme, no host, no query, whatever its characters."""
    return "./" + quote(target, safe="/")


def _sort_value(cell: Cell) -> str:
    return "" if isinstance(cell, str) or cell.value is None else repr(float(cell.value))


def _json(value: Mapping[str, object]) -> str:
    """JSON that cannot close the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return visible_json(text).replace("<", "\\u003c")
