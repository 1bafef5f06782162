"""A report as one web page that needs nothing but a browser: no network, no folder beside it.

Whatever comes from data is escaped by the template engine or the writer of tables, or stands in a JSON block that
scripts read as text; a content security policy names the page's own scripts and styles by their hashes, so that
nothing else can run.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from importlib import import_module
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from errorbar.core.errors import MissingExtraError, visible, visible_json
from errorbar.reporting import assets
from errorbar.reporting.blocks import Report, Sentences
from errorbar.reporting.browser_data import browser_data
from errorbar.reporting.charts.theme import DARK, LIGHT
from errorbar.tables.html_text import html_table
from errorbar.tables.shown import shown
from errorbar.tables.table import Table

if TYPE_CHECKING:
    from jinja2 import Environment


def page_html(report: Report) -> str:
    """Make the page; the same report gives the same text to the character.

    Args:
        report: What it shows.

    Returns:
        A whole HTML document, which ends with a line break.

    Raises:
        MissingExtraError: If Jinja2 is missing, or vl-convert where there are charts.
    """
    environment = _environment()
    browsers = [block for block in report.blocks if isinstance(block, Sentences)]
    style, scripts = assets.style(), [assets.script()]
    specs = {chart.name: chart.spec for chart in report.charts}
    if specs:
        scripts.append(assets.chart_library())
    page = environment.get_template("page.html").render(
        report=report,
        policy=assets.policy(scripts, [style]),
        style=style,
        scripts=scripts,
        browsers=browsers,
        chart_data=_json({"light": LIGHT, "dark": DARK, "specs": specs} if specs else {}),
        browser_data=[_json(browser_data(block.browse, block.first)) for block in browsers],
    )
    return f"{page.removesuffix(chr(10))}\n"


def _environment() -> Environment:
    try:
        jinja2: Any = import_module("jinja2")
    except ImportError:
        raise MissingExtraError("report", "a page") from None
    environment: Environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(assets.template),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
    )
    markup = import_module("markupsafe").Markup

    def table(one: Table) -> object:
        return markup(html_table(shown(one)))

    environment.filters |= {"kind": lambda block: type(block).__name__, "table": table, "relative": _relative}
    return environment


def _finalize(value: object) -> object:
    """Text as it is shown everywhere; line feeds do nothing in a page. What is safe by its type is ours."""
    return "\n".join(map(visible, value.split("\n"))) if type(value) is str else value


def _relative(target: str) -> str:
    """A path as an address that stays beside the page: no scheme, no host, no query, whatever its characters."""
    return "./" + quote(target, safe="/")


def _json(value: Mapping[str, object]) -> str:
    """JSON that cannot close the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return visible_json(text).replace("<", "\\u003c")
