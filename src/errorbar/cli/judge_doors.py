"""What is printed once a study is served: the link, as a QR code too, and the way to the manager's page."""

from __future__ import annotations

import io
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

import click

from errorbar.cli.show import show_notes
from errorbar.cli.talk import say, show_lines

if TYPE_CHECKING:
    import segno

    from errorbar.judging.judge_serving import Doors


def show_doors(doors: Doors) -> None:
    """The link, as a QR code too, and the way to the manager's page."""
    if doors.link:
        import segno

        show_lines(f"To judge, open {doors.link}")
        if sys.stdout.isatty():
            click.echo("\n".join(_qr_lines(segno.make(doors.link))))
    else:
        show_lines("To judge, raters open their own links: errorbar judge invite STUDY lists them.")
    show_lines(f"To manage, open {doors.manager} and give {doors.token}")
    show_notes(doors.notes)
    say("Ctrl-C stops it.")
    sys.stdout.flush()


def _qr_lines(code: segno.QRCode) -> Iterator[str]:
    """In colors of its own, dark on light with its margin: read off a dark terminal as well as off a light one."""
    drawn = io.StringIO()
    code.terminal(drawn, compact=True)
    for line in drawn.getvalue().splitlines():
        yield f"\x1b[38;5;231;48;5;16m{line}\x1b[0m"
