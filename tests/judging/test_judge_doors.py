"""What is printed when a study is served: the QR code reads as the link, off any terminal."""

from __future__ import annotations

import re

import segno

from errorbar.cli.judge import _qr_lines

COLORED = re.compile(r"\x1b\[38;5;231;48;5;16m([ ▀▄█]+)\x1b\[0m")
QUIET = 4
"""Light modules around a code, by its standard."""
UPPER, LOWER = {"▀", "█"}, {"▄", "█"}


def test_the_code_has_its_own_colors_and_a_quiet_zone() -> None:
    code = segno.make("http://127.0.0.1:8765/j/TuiO4qu6jq5kOBS71-ROx4I8VJIqI4oy")
    lines = [COLORED.fullmatch(line) for line in _qr_lines(code)]
    assert all(lines)  # white on black is said, and left to no terminal
    light = [[mark in half for mark in line[1]] for line in lines if line for half in (UPPER, LOWER)]
    modules = [list(map(bool, row)) for row in code.matrix]
    size = len(modules)
    assert [[not each for each in row[QUIET : QUIET + size]] for row in light[QUIET : QUIET + size]] == modules
    assert all(map(all, light[:QUIET] + light[QUIET + size : 2 * QUIET + size]))
    assert all(
        all(row[:QUIET] + row[QUIET + size :]) and len(row) == size + 2 * QUIET for row in light[: 2 * QUIET + size]
    )
