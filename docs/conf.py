"""Sphinx configuration: MyST Markdown, one theme, nothing fetched from outside."""

import sys
from pathlib import Path

from sphinx.application import Sphinx

from errorbar.version import __version__

sys.path.insert(0, str(Path(__file__).parent))  # notebook_pages, the extension that runs docs/notebooks

project = "errorbar"
author = "The errorbar developers"
copyright = "2026, the errorbar developers"
version = release = __version__

extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon", "notebook_pages"]
myst_enable_extensions = ["colon_fence", "dollarmath"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_static_path = ["_static"]

html_theme = "furo"
html_title = f"errorbar {__version__}"
autodoc_member_order = "bysource"
autodoc_typehints = "signature"

MEMBERS = {"measure", "fold", "only", "code"}
"""What the page of Python says of classes beside their attributes."""


def setup(app: Sphinx) -> None:
    """List every public name on the page of Python, without the inner ones of classes."""
    app.connect("autodoc-process-docstring", drop_module_docstring)
    app.connect("autodoc-skip-member", is_inner)


def drop_module_docstring(
    _app: Sphinx, what: str, _name: str, _object: object, _options: object, lines: list[str]
) -> None:
    """Leave out what a package says of itself: the page does."""
    if what == "module":
        lines.clear()


def is_inner(_app: Sphinx, what: str, name: str, _object: object, _skip: bool, _options: object) -> bool | None:
    """Whether to leave a member of a class out; None: as usual."""
    return True if what in ("class", "exception") and name not in MEMBERS else None
