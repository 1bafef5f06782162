"""The study's texts as HTML: guidelines, and what a rater sees of one item, the same in every round, for gold and work.

Of Markdown, guidelines have headings, paragraphs, lists, bold, italics and code; everything else is text. The markup of
items that raters hold is kept, since a page shows each ten times; in so many characters and no more.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Callable, Iterator
from functools import cache
from html import escape
from typing import TYPE_CHECKING

from errorbar.judging.items.item import JudgedItem, Lease
from errorbar.judging.page_languages import ENGLISH, PageLanguage
from errorbar.judging.scheme_kinds import kind_of, shown_hash
from errorbar.judging.web.pages import pages, words_in

if TYPE_CHECKING:
    from jinja2 import Template

    from errorbar.judging.scheme import Scheme

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
            tag, content = _start(line)
            if tag == "p" and lines and lines[-1][0] not in ("h2", "h3", "h4"):
                lines[-1] = (lines[-1][0], f"{lines[-1][1]} {content}")
            else:
                lines.append((tag, content))
        yield from _listed(lines)


def _listed(lines: list[tuple[str, str]]) -> Iterator[str]:
    """Lines as elements, entries of one list within one list."""
    inside = ""
    for tag, content in lines:
        kind = tag if tag in ("ul", "ol") else ""
        if inside and kind != inside:
            yield f"</{inside}>"
        if kind and kind != inside:
            yield f"<{kind}>"
        inside = kind
        element = "li" if kind else tag
        yield f"<{element}>{_inline(content)}</{element}>"
    if inside:
        yield f"</{inside}>"


def _start(line: str) -> tuple[str, str]:
    """The element that a line begins, and its text."""
    if match := _HEADING.fullmatch(line):
        return f"h{min(4, len(match[1]) + 1)}", match[2]
    if match := _BULLET.fullmatch(line):
        return "ul", match[1]
    if match := _NUMBER.fullmatch(line):
        return "ol", match[1]
    return "p", line


def _inline(text: str) -> str:
    parts: list[str] = []
    at = 0
    for match in _INLINE.finditer(text):
        parts.append(escape(text[at : match.start()]))
        group = match.lastindex or 1
        inner = escape(match[group]) if group == 1 else _inline(match[group])
        parts.append(f"<{_TAGS[group - 1]}>{inner}</{_TAGS[group - 1]}>")
        at = match.end()
    return "".join((*parts, escape(text[at:])))


@cache
def _template() -> Template:
    return pages().get_template("item.html")


def fragment(scheme: Scheme, item: JudgedItem, reversed_: int = 0, language: PageLanguage = ENGLISH) -> str:
    """The item as HTML.

    Args:
        scheme: Says what is shown (``shows``) and how many words around the target are tinted (``context_words``).
        item: What is asked.
        reversed_: In which order the candidates stand, if the scheme lets them change places.
        language: In which those who hear the page are told what differs.

    Returns:
        Markup without any script, style or address in it. Tokens are ``span`` elements with ``data-token``; a token
        that the target cuts has several. The target is ``mark.target``.
    """
    content = {
        "shows": scheme.shows,
        "before": item.before,
        "after": item.after,
        **kind_of(scheme).content(scheme, item, reversed_),
    }
    return (
        _template().render(content, **words_in(language)).replace("\r", "&#13;")
    )  # a bare one would be read as a line feed


MOST_CHARACTERS = 32_000_000
"""Of all markup together, in each process: 20,000 sentences, or a few texts of a book."""

Shown = tuple[str, str]
"""Hash of what is shown, and its markup."""


class ShownItems:
    """By the random names of assignments; what was asked for longest ago goes first. Of one thread: the loop's."""

    def __init__(
        self, make: Callable[[Scheme, JudgedItem, int, PageLanguage], str], most: int = MOST_CHARACTERS
    ) -> None:
        self._make = make
        self._most = most
        self._found: OrderedDict[tuple[str, str], Shown] = OrderedDict()
        self.size = 0

    def of(self, scheme: Scheme, lease: Lease, language: PageLanguage) -> Shown:
        """The markup of an item."""
        key = lease.token, language.tag
        cached = self._found.get(key)
        if cached is not None:
            self._found.move_to_end(key)
            return cached
        markup = self._make(scheme, lease.item, lease.reversed, language)
        shown = shown_hash(scheme, lease.item, lease.reversed), markup
        self._found[key] = shown
        self.size += len(shown[1])
        while self.size > self._most:  # the newest too, if it alone is too large
            _, (_, markup) = self._found.popitem(last=False)
            self.size -= len(markup)
        return shown
