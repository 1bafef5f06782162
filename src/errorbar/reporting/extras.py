"""Whether the libraries of a report are there, asked before the work starts."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec

from errorbar.core.errors import MissingExtraError

EXTRA = "report"
CHARTS = ("altair", "jinja2")
"""Altair itself cannot be loaded without Jinja2."""
PAGE = (*CHARTS, "vl_convert")
FILES = PAGE


def need(libraries: Sequence[str], purpose: str) -> None:
    """See that libraries are installed, without loading them.

    Args:
        libraries: Their names.
        purpose: What they are needed for.

    Raises:
        MissingExtraError: If one is not.
    """
    if any(find_spec(name) is None for name in libraries):
        raise MissingExtraError(EXTRA, purpose)
