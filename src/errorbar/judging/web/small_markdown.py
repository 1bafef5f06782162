"""Guidelines as HTML: headings, paragraphs, lists, bold, italics and code of Markdown; everything else is text."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import escape

_INLINE = re.compile(r"`([^`]+)`|\*\*(.+?)\*\*|\*(\S(?:.*?\S)?)\*")
_TAGS = ("code", "strong", "em")
_BULLET = re.compile(r"[*-] +(.*)")
_NUMBER = re.compile(r"\d+[.)] +(.*)")
_HEADING = re.compile(r"(#{1,4}) +(.*)")


def markdown_html(text: str) -> str:
    """HTML without links, pictures or addresses; whatever is not known is shown as it is written."""
    return "\n".join(_blocks(text))


def _blocks(text: str) -> Iterator[str]:
    for block in re.split(r"\n\s*\n", text.replace("\r\n", "\n")):
        lines: list[tuple[str, str]] = []  # tag and text; a line that starts nothing goes on with the one before
        for line in filter(None, map(str.strip, block.split("\n"))):
            tag, said = _start(line)
            if tag == "p" and lines and lines[-1][0] not in ("h2", "h3", "h4"):
                lines[-1] = (lines[-1][0], f"{lines[-1][1]} {said}")
            else:
                lines.append((tag, said))
        yield from _listed(lines)


def _listed(lines: list[tuple[str, str]]) -> Iterator[str]:
    """Lines as elements, entries of one list within one list."""
    inside = ""
    for tag, said in lines:
        kind = tag if tag in ("ul", "ol") else ""
        if inside and kind != inside:
            yield f"</{inside}>"
        if kind and kind != inside:
            yield f"<{kind}>"
        inside = kind
        element = "li" if kind else tag
        yield f"<{element}>{_inline(said)}</{element}>"
    if inside:
        yield f"</{inside}>"


def _start(line: str) -> tuple[str, str]:
    """What element a line begins, and its text."""
    if found := _HEADING.fullmatch(line):
        return f"h{min(4, len(found[1]) + 1)}", found[2]
    if found := _BULLET.fullmatch(line):
        return "ul", found[1]
    if found := _NUMBER.fullmatch(line):
        return "ol", found[1]
    return "p", line


def _inline(text: str) -> str:
    parts: list[str] = []
    at = 0
    for found in _INLINE.finditer(text):
        parts.append(escape(text[at : found.start()]))
        group = found.lastindex or 1
        inner = escape(found[group]) if group == 1 else _inline(found[group])
        parts.append(f"<{_TAGS[group - 1]}>{inner}</{_TAGS[group - 1]}>")
        at = found.end()
    return "".join((*parts, escape(text[at:])))
