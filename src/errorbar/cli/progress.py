"""A progress line on stderr, on a terminal only, and only for work that takes a while."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import click

from errorbar.cli.talk import is_quiet

PATIENCE = 1.5
"""Seconds before anything is shown."""
INTERVAL = 0.2


@contextmanager
def progress_bar(unit: str, total: int = 0) -> Iterator[Callable[[int], None]]:
    """Yield a function that is told how many units are done.

    Args:
        unit: What is counted.
        total: How many there will be; 0 where nobody knows.
    """
    start = shown = time.monotonic()
    on_terminal = sys.stderr.isatty() and not is_quiet()
    used = False

    def progress(done: int) -> None:
        nonlocal shown, used
        now = time.monotonic()
        if not on_terminal or now - start < PATIENCE or now - shown < INTERVAL:
            return
        shown, used = now, True
        share = f" of {total:,} ({100 * done / total:.0f} %)" if total else ""
        click.echo(f"\r{done:,}{share} {unit}, {done / (now - start):,.0f} a second ", nl=False, err=True)

    try:
        yield progress
    finally:
        if used:
            click.echo("\r" + " " * 78 + "\r", nl=False, err=True)
