"""``errorbar doctor``: what is installed and which kernel is active."""

from __future__ import annotations

import platform
import sys
from importlib import metadata
from importlib.util import find_spec

import click

from errorbar.cli.options import format_option
from errorbar.cli.render import Table, show, show_json
from errorbar.version import __version__

SCHEMA = "errorbar.doctor/1"
LIBRARIES = ("numpy", "scipy", "click")
EXTRAS = {
    "tokenize": ("nltk", "sentences of raw essays"),
    "parquet": ("pyarrow", "judgments from Parquet files"),
}


@click.command("doctor")
@format_option
def command(style: str) -> None:
    """Say what is installed, which kernel is active and why, and whether its numbers are right here."""
    from errorbar.datasets import cache_root
    from errorbar.demo.selftest import self_test
    from errorbar.edits.kernel import KERNEL, explain

    facts = {
        "errorbar": __version__,
        "Python": f"{platform.python_version()} ({sys.executable})",
        "machine": f"{platform.system()} {platform.machine()}",
        "kernel": explain(),
        "self-test": self_test(),
        **{name: metadata.version(name) for name in LIBRARIES},
    }
    for extra, (library, purpose) in EXTRAS.items():
        there = find_spec(library) is not None
        facts[f"extra '{extra}'"] = f"{metadata.version(library) if there else 'not installed'} ({purpose})"
    facts["corpora"] = str(cache_root())
    if style == "json":
        show_json({"schema": SCHEMA, "kernel_active": KERNEL, **facts})
    else:
        show(Table(["what", "found"], list(facts.items()), 2), style)
    if not facts["self-test"].startswith("passed"):
        sys.exit(1)
