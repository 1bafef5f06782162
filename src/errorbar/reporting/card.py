"""The share card: headline and leaderboard as a picture that other pages show beside a link to the report."""

from __future__ import annotations

from html import escape
from importlib import import_module
from typing import TYPE_CHECKING, Any

from errorbar.core.problems import MissingExtraError, visible
from errorbar.reporting.charts.vega import MEASURED, PALETTE, USUAL, draw_place, text_width

if TYPE_CHECKING:
    from errorbar.reporting.blocks import Report

SIZE = 1200, 630
"""Width and height in pixels, as pages that show cards ask for."""
MARGIN, BAR = 48, 10
TITLE, LARGE, SMALL, NOTE = 26, 46, 34, 20
"""Sizes of the title, of headlines, large where that takes few lines, and of what bars mean."""
MOST_LINES = 3
BOLD = 1.06  # how much wider bold letters are
LEADING = 1.22


def card_png(report: Report) -> bytes:
    """Draw the card of a report: its title, its headline, or else its first sentence, and the leaderboard.

    Raises:
        MissingExtraError: If the library that draws is not installed.
    """
    try:
        library: Any = import_module("vl_convert")
    except ImportError:
        raise MissingExtraError("report", "drawing the share card") from None
    return bytes(library.svg_to_png(card_svg(report), scale=1))


def card_svg(report: Report) -> str:
    """Make the card as SVG."""
    width, height = SIZE
    colors, room = PALETTE["light"], width - 2 * MARGIN
    sentence = report.headline or next(iter(report.summary), "")
    size, lines = next(
        (size, lines)
        for size in (LARGE, SMALL)
        if len(lines := wrap(sentence, room, size, bold=True)) <= MOST_LINES or size == SMALL
    )
    parts = [
        f'<rect width="{width}" height="{height}" fill="{colors["paper"]}"/>',
        f'<rect width="{BAR}" height="{height}" fill="{colors["accent"]}"/>',
    ]
    y = MARGIN + TITLE
    (title, *_) = wrap(report.title, room, TITLE) or [""]
    parts.append(_line(title, y, TITLE, colors["muted"]))
    y += 12
    for line in _cut(lines, room, size):
        y += round(LEADING * size)
        parts.append(_line(line, y, size, colors["ink"], "bold"))
    y += 26
    if report.card is not None:
        bars = report.card.bars
        left = height - y - MARGIN // 2 - (2 * NOTE if bars else 0)
        picture = draw_place(report.card.spec).picture
        if picture is not None:
            # As high as there is room for, and then drawn as wide as the card.
            _, _, wide, high = map(float, _view(picture).split())
            fitting = round(USUAL + room * high / left - wide)
            if fitting > USUAL:
                picture = draw_place(report.card.spec, fitting).picture or picture
            parts.append(_place(picture, y, room, left))
            parts.append(_line(bars, height - MARGIN // 2, NOTE, colors["muted"]))
    inside = "".join(parts)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" font-family="{MEASURED}">{inside}</svg>'
    )


def wrap(text: str, room: float, size: int, *, bold: bool = False) -> list[str]:
    """Break a text into lines that are no wider than the room, in the widest of usual fonts."""
    lines: list[str] = []
    for word in visible(text).split():
        longer = f"{lines[-1]} {word}" if lines else word
        if lines and text_width(longer, size) * (BOLD if bold else 1) <= room:
            lines[-1] = longer
        else:
            lines.append(word)
    return lines


def _cut(lines: list[str], room: float, size: int) -> list[str]:
    """No more lines than there is room for; the last one says that the text goes on."""
    if len(lines) <= MOST_LINES:
        return lines
    last = lines[MOST_LINES - 1]
    while text_width(f"{last} …", size) * BOLD > room and " " in last:
        last = last.rpartition(" ")[0]
    return [*lines[: MOST_LINES - 1], f"{last} …"]


def _line(text: str, y: int, size: int, color: str, weight: str = "normal") -> str:
    """A line of text; Arial is narrower than what lines were broken by, so it ends inside the card."""
    place = f'x="{MARGIN}" y="{y}" font-size="{size}" font-weight="{weight}" fill="{color}"'
    return f"<text {place}>{escape(text)}</text>"


def _place(picture: str, y: int, width: int, height: int) -> str:
    """A picture in a place, as large as fits there."""
    place = f'x="{MARGIN}" y="{y}" width="{width}" height="{height}" preserveAspectRatio="xMinYMin meet"'
    return f'<svg {place} viewBox="{_view(picture)}">{picture.partition(">")[2]}'


def _view(picture: str) -> str:
    """The part of the plane that a picture shows: left, top, width and height."""
    return picture[picture.index("viewBox=") :].split('"')[1]
