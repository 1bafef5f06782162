"""A report as one web page that needs nothing but a browser: no network, no folder beside it.

Whatever comes from data is escaped by the template engine or the writer of tables, or stands in a JSON block that
scripts read as text; a content security policy names the page's own scripts and styles by their hashes, so that
nothing else can run.
"""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from errorbar.core.errors import InputError, MissingExtraError, visible, visible_json
from errorbar.datasets.cards import cache_root
from errorbar.formats.saving import save_bytes
from errorbar.reporting.blocks import Report, Sentences
from errorbar.reporting.browser_data import browser_data
from errorbar.reporting.charts.chart_boxes import boxes
from errorbar.reporting.charts.theme import DARK, LIGHT, PALETTE
from errorbar.tables.html_text import html_table
from errorbar.tables.shown import shown

if TYPE_CHECKING:
    from jinja2 import Environment

EXTRA = "report"
_SCRIPTS = (
    "page.js",
    "marks.js",
    "charts.js",
    "matrix.js",
    "pool.js",
    "facets.js",
    "edits.js",
    "saving.js",
    "browser.js",
)
"""In this order: later ones use what earlier ones define."""


def page_html(report: Report) -> str:
    """Make the page, which ends with a line break; the same report gives the same text to the character."""
    environment = _environment()
    browsers = [block for block in report.blocks if isinstance(block, Sentences)]
    specs = {chart.name: chart.spec for chart in report.charts}
    page_style, scripts = style(), [script(), *([chart_library()] if specs else [])]
    sizes = {name: found for name, spec in specs.items() if (found := boxes(spec))}
    page = environment.get_template("page.html").render(
        report=report,
        policy=policy(scripts, [page_style]),
        style=page_style,
        scripts=scripts,
        browsers=browsers,
        chart_data=_json({"light": LIGHT, "dark": DARK, "specs": specs, "sizes": sizes} if specs else {}),
        receipt_data=_json(report.receipt[1]) if report.receipt else "",
        browser_data=[_json(browser_data(block.browse, block.first)) for block in browsers],
    )
    return f"{page.removesuffix(chr(10))}\n"


def _environment() -> Environment:
    try:
        jinja2: Any = import_module("jinja2")
    except ImportError:
        raise MissingExtraError(EXTRA, "a page") from None
    environment: Environment = jinja2.Environment(
        loader=jinja2.FunctionLoader(template),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
        finalize=_finalize,
    )
    markup = import_module("markupsafe").Markup
    environment.filters |= {
        "kind": lambda block: type(block).__name__,
        "table": lambda table: markup(html_table(shown(table))),
        # An address that stays beside the page: no scheme, no host, no query, whatever its characters.
        "relative": lambda target: "./" + quote(target, safe="/"),
    }
    return environment


def _finalize(value: object) -> object:
    """Text as it is shown everywhere; line feeds do nothing in a page. What is safe by its type is ours."""
    return "\n".join(map(visible, value.split("\n"))) if type(value) is str else value


def _json(value: Mapping[str, object]) -> str:
    """JSON that cannot close the script element it stands in."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return visible_json(text).replace("<", "\\u003c")


@cache
def template(name: str) -> str:
    """The text of a file of the folder ``templates``."""
    return (files("errorbar.reporting") / "templates" / name).read_text(encoding="utf-8")


def style() -> str:
    """The page's style sheet; its main colors are those of the charts."""
    light, dark = PALETTE["light"], PALETTE["dark"]
    colors = "".join(f"  --{name}: light-dark({light[name]}, {dark[name]});\n" for name in light)
    return f":root {{\n{colors}}}\n{template('page.css')}"


def script() -> str:
    """The page's own script."""
    return "(() => {\n'use strict';\n" + "".join(template(name) for name in _SCRIPTS) + "})();\n"


def chart_library(folder: Path | None = None) -> str:
    """Vega, Vega-Lite and Vega-Embed as one script that sets ``vegaEmbed``.

    Bundling takes seconds, so the script is kept in a folder (None: the usual cache), one for every version of
    vl-convert, behind its own hash: a damaged copy is made anew. Where the folder cannot be written the script is
    bundled every time.
    """
    try:
        converter = import_module("vl_convert")
    except ImportError:
        raise MissingExtraError(EXTRA, "a page with charts") from None
    kept = (folder or cache_root() / "report") / f"vega-{converter.__version__}.js"
    with suppress(OSError, UnicodeDecodeError):
        digest, _, text = kept.read_bytes().decode("utf-8").partition("\n")
        if digest == f"// {_sha256(text).hex()}":
            return text
    # What a browser hashes has line feeds only, and ends where a script could be closed.
    bundled = str(converter.javascript_bundle()).replace("\r\n", "\n").replace("\r", "\n")
    bundled = bundled.replace("</script", "<\\/script")
    with suppress(OSError, InputError):
        kept.parent.mkdir(parents=True, exist_ok=True)
        save_bytes(f"// {_sha256(bundled).hex()}\n{bundled}".encode(), str(kept))
    return bundled


def policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """The content security policy: scripts and styles of these texts, pictures inside the page, and nothing else."""
    allowed = {
        "default-src": "'none'",
        "script-src": _hashes(scripts),
        "style-src": _hashes(styles),
        "img-src": "data: blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    return "; ".join(f"{what} {where}" for what, where in allowed.items())


def _hashes(texts: Sequence[str]) -> str:
    return " ".join(f"'sha256-{base64.b64encode(_sha256(text)).decode()}'" for text in texts) or "'none'"


def _sha256(text: str) -> bytes:
    return hashlib.sha256(text.encode("utf-8")).digest()
