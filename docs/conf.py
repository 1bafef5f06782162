"""Sphinx configuration: MyST Markdown, one theme, nothing fetched from outside."""

import sys
from pathlib import Path

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
