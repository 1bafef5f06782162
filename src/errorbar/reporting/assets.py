"""What a page carries along so that it needs nothing else: its style, its scripts, the chart library, its policy."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from tempfile import NamedTemporaryFile

from errorbar.core.errors import MissingExtraError
from errorbar.datasets.cards import cache_root
from errorbar.reporting.charts.theme import PALETTE

EXTRA = "report"
_SCRIPTS = ("page.js", "charts.js", "pool.js", "edits.js", "browser.js")
"""In this order: later ones use what earlier ones define."""


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

    Bundling takes seconds, so the script is kept in the cache folder, one for every version of vl-convert, behind
    its own hash: a damaged copy is made anew. Where the folder cannot be written the script is bundled every time.

    Args:
        folder: Where it is kept; None for the usual cache folder.

    Raises:
        MissingExtraError: If vl-convert is not installed.
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
    bundled = (
        str(converter.javascript_bundle()).replace("\r\n", "\n").replace("\r", "\n").replace("</script", "<\\/script")
    )
    with suppress(OSError):
        _keep(f"// {_sha256(bundled).hex()}\n{bundled}", kept)
    return bundled


def policy(scripts: Sequence[str], styles: Sequence[str]) -> str:
    """The content security policy: these scripts and styles, pictures inside the page, and nothing else.

    Args:
        scripts: The texts of the scripts, to the character as they stand in the page.
        styles: The texts of the style sheets.
    """
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


def _keep(text: str, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Moved into place once it is whole: another errorbar may read it right now.
    with NamedTemporaryFile("wb", dir=path.parent, prefix=f".{path.name}.", delete=False) as temporary:
        temporary.write(text.encode("utf-8"))
    Path(temporary.name).replace(path)
