"""The pages that raters see, from templates; who may see which is for the server to say.

Every page works without script but the one on which one judges. Addresses in them begin with ``root``, the path under
which the server is reached, empty if there is none.
"""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorbar.core.problems import MissingExtraError
from errorbar.judging.items.item import JudgedItem, Lease
from errorbar.judging.scheme_kinds import kind_of, shown_hash

if TYPE_CHECKING:
    from jinja2 import Environment, Template

    from errorbar.judging.scheme import Scheme
    from errorbar.judging.study.rules import StudyRules


TEMPLATES = Path(__file__).parent / "templates"
STATIC = Path(__file__).parent / "static"


@cache
def pages() -> Environment:
    """The templates: everything is escaped, and nothing is undefined."""
    try:
        jinja2: Any = import_module("jinja2")
    except ImportError:
        raise MissingExtraError("judge", "a page") from None
    environment: Environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(TEMPLATES),
        autoescape=True,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=False,
    )
    return environment


def _safe(html: str) -> object:
    return import_module("markupsafe").Markup(html)


def work_page(
    scheme: Scheme, rules: StudyRules, *, who: Mapping[str, str], csrf: str, guidelines: str, root: str = ""
) -> str:
    """The shell in which one judges; there is no item in it.

    Args:
        scheme: What is asked.
        rules: Of the study.
        who: ``owner`` names the rater and the study, the same whenever this rater comes back and no other's: what waits
            in a browser is kept under it. ``study`` names the study alone, ``device`` signs this browser in again.
        csrf: What requests of the page send as ``X-CSRF-Token``.
        guidelines: HTML that is shown beside the work, safe already.
        root: The path under which the server is reached.
    """
    data = {
        **who,
        "page": rules.page,
        "language": rules.language,
        "direction": rules.direction,
        "quiz_needed": [rules.quiz_needed(asked) for asked in range(rules.quiz + 1)],
        "scheme": {**json.loads(scheme.to_json()), "compares": kind_of(scheme).compares},
    }
    return (
        pages()
        .get_template("work.html")
        .render(title=scheme.title, csrf=csrf, data=data, guidelines=_safe(guidelines), root=root)
    )


def introduction_of(scheme: Scheme, rules: StudyRules, *, known: bool) -> list[str]:
    """The questions to somebody who never saw the study."""
    if known:
        return ["Welcome back. You go on where you stopped."]
    asked = scheme.question(scheme.main).ask.rstrip(" .:")
    paragraphs = [f"You see one text at a time, and are asked: {asked}{'' if asked.endswith('?') else '?'}"]
    if most := rules.items_per_rater:
        paragraphs.append(f"There are {most:,} of them at most for you.")
    if rules.quiz:
        needed = rules.quiz_needed(rules.quiz)
        paragraphs.append(
            f"First you read the guidelines and take a quiz of {rules.quiz} questions, which tells you after each"
            f" answer what is right and why. {needed} right answers pass it; who has fewer gets no further work here."
        )
    return paragraphs


def welcome_page(
    title: str,
    *,
    action: str,
    rules: StudyRules,
    csrf: str = "",
    participant: str = "",
    ask_participant: bool = False,
    problem: str = "",
    introduction: Sequence[str] = (),
    study: str = "",
    root: str = "",
) -> str:
    """Behind an invitation: what it is, what it pays, what one agrees to; a form that is posted to ``action``.

    Its fields: ``csrf``, ``participant``, ``consent`` ("yes"), ``eligible-0`` and so on ("yes" or "no").

    Args:
        title: Of the study.
        action: Where the form goes.
        rules: Pay, consent text, eligibility questions.
        csrf: Sent back with the form.
        participant: Who it is, by the link or by what was typed before.
        ask_participant: Whether the name is typed here.
        problem: What was wrong with the form that was posted; empty: nothing.
        introduction: What it is, in plain text.
        study: Names the study, for who worked in this browser before and lost the cookie; empty: it is not looked for.
        root: The path under which the server is reached.
    """
    return (
        pages()
        .get_template("welcome.html")
        .render(
            title=title,
            action=action,
            rules=rules,
            csrf=csrf,
            participant=participant,
            ask_participant=ask_participant,
            problem=problem,
            introduction=introduction,
            study=study,
            root=root,
        )
    )


def notice_page(
    title: str,
    paragraphs: Sequence[str],
    *,
    link: Mapping[str, str] | None = None,
    kind: str = "",
    study: str = "",
    root: str = "",
) -> str:
    """A page that says one thing: who are you, signed out, a link that has expired, an error, not eligible.

    Args:
        title: Its heading.
        paragraphs: Plain text.
        link: ``href`` and ``text`` of the way on.
        kind: Of the notice, a name for style sheets and tests.
        study: As for ``welcome_page``.
        root: The path under which the server is reached.
    """
    template = pages().get_template("notice.html")
    return template.render(title=title, paragraphs=paragraphs, link=link, kind=kind, study=study, root=root)


def done_page(title: str, *, code: str = "", paragraphs: Sequence[str] = (), root: str = "") -> str:
    """The end, with the completion code where one is due."""
    return pages().get_template("done.html").render(title=title, code=code, paragraphs=paragraphs, root=root)


def guidelines_page(title: str, guidelines: str, *, root: str = "") -> str:
    """The guidelines (HTML, safe already) as a page of their own."""
    return pages().get_template("guidelines.html").render(title=title, guidelines=_safe(guidelines), root=root)


# Guidelines as HTML: headings, paragraphs, lists, bold, italics and code of Markdown; everything else is text.


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


# What a rater sees of one item: a fragment of HTML, the same in every round and for gold and work.


@cache
def _template() -> Template:
    return pages().get_template("item.html")


def fragment(scheme: Scheme, item: JudgedItem, reversed_: bool = False) -> str:
    """The item as HTML.

    Args:
        scheme: Says what is shown (``shows``) and how many words around the target are tinted (``context_words``).
        item: What is asked.
        reversed_: Whether the two candidates change places, if the scheme lets them.

    Returns:
        Markup without any script, style or address in it. Tokens are ``span`` elements with ``data-token``; a token
        that the target cuts has several. The target is ``mark.target``.
    """
    content = {"shows": scheme.shows, "before": item.before, **kind_of(scheme).content(scheme, item, reversed_)}
    return _template().render(content).replace("\r", "&#13;")  # a bare one would be read as a line feed


# Markup of items that raters hold, kept since a page shows each ten times; in so many characters and no more.


MOST_CHARACTERS = 32_000_000
"""Of all markup together, in each process: 20,000 sentences, or a few texts of a book."""

Shown = tuple[str, str]
"""Hash of what is shown, and its markup."""


class ShownItems:
    """By the random names of assignments; what was asked for longest ago goes first. Of one thread: the loop's."""

    def __init__(self, make: Callable[[Scheme, JudgedItem, bool], str], most: int = MOST_CHARACTERS) -> None:
        self._make = make
        self._most = most
        self._found: OrderedDict[str, Shown] = OrderedDict()
        self.size = 0

    def of(self, scheme: Scheme, lease: Lease) -> Shown:
        """The markup of an item."""
        cached = self._found.get(lease.token)
        if cached is not None:
            self._found.move_to_end(lease.token)
            return cached
        shown = shown_hash(scheme, lease.item, lease.reversed), self._make(scheme, lease.item, lease.reversed)
        self._found[lease.token] = shown
        self.size += len(shown[1])
        while self.size > self._most:  # the newest too, if it alone is too large
            _, (_, markup) = self._found.popitem(last=False)
            self.size -= len(markup)
        return shown
