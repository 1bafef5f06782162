"""The pages that raters see, from templates; who may see which is for the server to say.

Every page works without script but the one on which one judges. Addresses in them begin with ``root``, the path under
which the server is reached, empty if there is none.

The study's texts as HTML are the same in every round, for gold and for work.

Of Markdown, guidelines have headings, paragraphs, lists, bold, italics and code; everything else is text. The markup of
items that raters hold is kept, since a page shows each ten times; in so many characters and no more.

The files that pages load: scripts joined into one, all of them compressed once, kept by browsers until they change.

A page of modules would be loaded in as many rounds as its imports are deep, each of which takes a second on a slow
network. A script is therefore sent with all that it imports, but for the kinds of questions that the study does not
ask; in the folder each part stands by itself.
"""

from __future__ import annotations

import gzip
import hashlib
import json
import re
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from errorbar.core.problems import MissingExtraError
from errorbar.judging.page_languages import ENGLISH, PageLanguage, page_language
from errorbar.judging.scheme import JudgedItem, Lease
from errorbar.judging.scheme_kinds import kind_of, shown_hash
from errorbar.judging.study.guidance import questions_of

if TYPE_CHECKING:
    from jinja2 import Environment, Template

    from errorbar.judging.scheme import Scheme
    from errorbar.judging.study.rules import StudyRules

STATIC = Path(__file__).parent / "static"
_TYPES = {".js": "text/javascript", ".css": "text/css", ".svg": "image/svg+xml"}
_IMPORT = re.compile(r"^import (?:(\{[^}]*\}) from )?'\./([\w.]+)';[^\n]*\n", re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:async )?(?:function|class|const) (\w+))", re.MULTILINE)
_COMMENT = re.compile(r"^[ ]*(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/)\n", re.MULTILINE)
_AFTER_CODE = re.compile(r" // [^\n`'\"]{0,200}$", re.MULTILINE)
_BLANK = re.compile(r"\n\s*")
_CSS_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*\*/")
_YEAR = 365 * 86400
_OF_KINDS = {"edits": "edits.js", "ranks": "rank.js", "rewrite": "post_edit.js"}
"""The script that only questions of a kind need."""


@dataclass(frozen=True, slots=True)
class Asset:
    """A file as it is sent.

    Attributes:
        content: Its bytes.
        compressed: The same by gzip.
        media_type: What it is.
        tag: Names the content (``ETag``).
    """

    content: bytes
    compressed: bytes
    media_type: str
    tag: str


def bundle_script(name: str, folder: Path = STATIC, without: Collection[str] = ()) -> str:
    """Join a script with all that it imports, each of these in a scope of its own, before those that import it.

    Args:
        name: Of the script, whose imports stand on one line each, in the form ``import { a, b } from './part.js';`` or
            ``import './part.js';``.
        folder: Where it and its parts are.
        without: Parts that are left out, with what they alone import; nothing is taken from them by name.

    Returns:
        One module without imports, comments and indentation. No template of a script has lines.

    Raises:
        ValueError: If a part imports itself by way of others.
    """
    parts: dict[str, str] = {}

    def add(part: str, importers: tuple[str, ...]) -> None:
        if part in importers:
            raise ValueError(f"{' imports '.join((*importers, part))}")
        if part in parts:
            return
        source = _COMMENT.sub("", (folder / part).read_text(encoding="utf-8"))
        for _, imported in _IMPORT.findall(source):
            if imported not in without:
                add(imported, (*importers, part))
        exported = ", ".join(_EXPORT.findall(source))
        body = _EXPORT.sub("", _IMPORT.sub(_take_names, source))
        in_scope = f"const {_scope(part)} = (() => {{\n{body}return {{ {exported} }};\n}})();\n"
        parts[part] = in_scope if importers else body

    add(name, ())
    return _BLANK.sub("\n", _AFTER_CODE.sub("", "".join(parts.values())))


def _take_names(imports: re.Match[str]) -> str:
    return f"const {imports[1]} = {_scope(imports[2])};\n" if imports[1] else ""


def _scope(part: str) -> str:
    return f"${part.removesuffix('.js').replace('-', '_')}"


def _shorten(path: Path) -> bytes:
    if path.suffix == ".js":
        return bundle_script(path.name).encode()
    if path.suffix == ".css":
        return _BLANK.sub("\n", _CSS_COMMENT.sub("", path.read_text(encoding="utf-8"))).encode()
    return path.read_bytes()


@cache
def assets() -> dict[str, Asset]:
    """All files by their names."""
    files: dict[str, Asset] = {}
    for path in sorted(STATIC.iterdir()):
        files[path.name] = _compress(_shorten(path), _TYPES[path.suffix])
    return files


@cache
def _judging_script(kinds: str) -> Asset:
    """The script of raters' pages in a study that asks questions of these kinds (``script_kinds``)."""
    others = [script for kind, script in _OF_KINDS.items() if kind not in kinds.split(".")]
    return _compress(bundle_script("judge.js", without=others).encode(), _TYPES[".js"])


def _compress(content: bytes, media_type: str) -> Asset:
    tag = f'"{hashlib.sha256(content).hexdigest()[:16]}"'
    return Asset(content, gzip.compress(content, 9, mtime=0), media_type, tag)


def script_kinds(scheme: Scheme) -> str:
    """The kinds of a scheme's questions whose scripts are sent, as the address of the script names them."""
    return _join_kinds(question.kind for question in scheme.questions)


def _join_kinds(kinds: Iterable[str]) -> str:
    return ".".join(sorted(_OF_KINDS.keys() & set(kinds)))


@cache
def assets_version() -> str:
    """A word that changes whenever one of the files does; pages name it in the addresses of what they load."""
    return hashlib.sha256("".join(asset.tag for asset in assets().values()).encode()).hexdigest()[:12]


async def send_asset(request: Request) -> Response:
    """A file; under the address that names its version it is kept for a year, else it is asked for again.

    ``kinds`` of the judging script: the kinds of questions that it is for (``script_kinds``); without it, all.
    """
    name = request.path_params["name"]
    asset = assets().get(name)
    if asset is None:
        raise HTTPException(404)
    if name == "judge.js" and "kinds" in request.query_params:
        asset = _judging_script(_join_kinds(request.query_params["kinds"].split(".")))
    is_versioned = request.query_params.get("v") == assets_version()
    headers = {"etag": asset.tag, "vary": "Accept-Encoding"}
    headers["cache-control"] = f"public, max-age={_YEAR}, immutable" if is_versioned else "no-cache"
    if asset.tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    if "gzip" not in request.headers.get("accept-encoding", ""):
        return Response(asset.content, headers=headers, media_type=asset.media_type)
    return Response(asset.compressed, headers={**headers, "content-encoding": "gzip"}, media_type=asset.media_type)


class RaterCompression(GZipMiddleware):
    """Compresses replies to raters.

    Not the manager's pages: words of raters stand there beside the word that the manager's posts must bring, and the
    length of what is compressed together tells of one what is known of the other.
    """

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer."""
        path = scope.get("path", "").removeprefix(scope.get("root_path", ""))
        answer = self.app if path.startswith("/manage") else super().__call__
        await answer(scope, receive, send)


TEMPLATES = Path(__file__).parent / "templates"


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
    environment.filters["linked"] = link_contact
    environment.filters["script_phrases"] = _script_phrases
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False}
    environment.globals |= {"version": assets_version(), **words_in(ENGLISH)}
    return environment


def words_in(language: PageLanguage) -> dict[str, object]:
    """The variables with which templates speak a language: ``say`` for phrases, as HTML, and the language itself."""

    def say(english: str, **values: object) -> object:
        phrase = language.phrases.get(english, english)
        escaped = {name: value if isinstance(value, int) else escape_html(value) for name, value in values.items()}
        return _safe(language.fill(escape(phrase, quote=False).replace('"', "&quot;"), escaped))

    return {"language": language, "say": say}


def escape_html(value: object) -> str:
    """A value as HTML; what is HTML already stays."""
    return str(import_module("markupsafe").escape(value))


_OF_OTHER_PAGES = ("completion.js", "device.js", "dom.js")
"""Scripts that say something on pages on which nobody judges."""


@cache
def _script_phrases(language: PageLanguage, kinds: str | None) -> dict[str, object]:
    """What the script says, of a page with questions of these kinds (``script_kinds``); None: nobody judges there."""
    if kinds is None:
        return language.for_script("".join((STATIC / name).read_text(encoding="utf-8") for name in _OF_OTHER_PAGES))
    return language.for_script(_judging_script(kinds).content.decode())


def _safe(html: str) -> object:
    return import_module("markupsafe").Markup(html)


_MAIL = re.compile(r"[\w.+-]+@[\w-][\w.-]*")


def link_contact(contact: str) -> object:
    """A contact as HTML: addresses of mail and of the web in it can be opened, all else is text."""
    return _safe("".join(map(_link_word, re.split(r"(\s+)", contact))))


def _link_word(word: str) -> str:
    """A word as HTML: opened by a click where it is an address, beside its punctuation."""
    address = word.strip(".,;:!?()<>\"'")
    is_web = address.startswith("https://")
    if not is_web and not (_MAIL.fullmatch(address) and "." in address.partition("@")[2]):
        return escape(word)
    before, _, after = word.partition(address)
    target = address if is_web else f"mailto:{address}"
    return f'{escape(before)}<a href="{escape(target)}">{escape(address)}</a>{escape(after)}'


def work_page(
    title: str,
    scheme: Scheme,
    rules: StudyRules,
    *,
    who: Mapping[str, str],
    csrf: str,
    guidelines: str,
    total: int = 0,
    root: str = "",
) -> str:
    """The shell in which one judges; there is no item in it.

    Args:
        title: Of the study.
        scheme: What is asked.
        rules: Of the study.
        who: ``owner`` names the rater and the study, the same whenever this rater comes back and no other's: what waits
            in a browser is kept under it. ``study`` names the study alone, ``device`` signs this browser in again.
        csrf: What requests of the page send as ``X-CSRF-Token``.
        guidelines: HTML that is shown beside the work, safe already.
        total: About how many items are theirs (``count_items_of``), where the rules do not say it.
        root: The path under which the server is reached.
    """
    kind = kind_of(scheme)
    data = {
        **who,
        "page": rules.page,
        "lease_minutes": rules.lease_minutes,
        "break_minutes": rules.break_minutes,
        "break_items": rules.break_items,
        "contact": rules.contact,
        "total": total,
        "language": rules.language,
        "direction": rules.direction,
        "quiz_needed": [rules.quiz_needed(asked) for asked in range(rules.quiz + 1)],
        "scheme": {**json.loads(scheme.to_json()), "compares": kind.compares or kind.ranks},
    }
    template = pages().get_template("work.html")
    variables = {"title": title, "csrf": csrf, "data": data, "guidelines": _safe(guidelines), "root": root}
    variables["kinds"] = script_kinds(scheme)
    return template.render(**variables, contact=rules.contact, **words_in(page_language(rules)))


def introduction_of(scheme: Scheme, rules: StudyRules, *, known: bool) -> list[str]:
    """The questions to somebody who never saw the study."""
    say = page_language(rules).say
    if known:
        return [say("Welcome back. You go on where you stopped.")]
    asked = scheme.question(scheme.main).ask.rstrip(" .:")
    question = f"{asked}{'' if asked.endswith(('?', '？', '؟')) else '?'}"
    paragraphs = [say("You see one text at a time, and are asked: {question}", question=question)]
    if rules.comprehension:
        paragraphs.append(say("First there are questions on the guidelines. Who fails them twice gets no work here."))
    if rules.training:
        training = say(
            "Then you practice with {n} {n|example|examples}, which {n|does|do} not count.", n=rules.training
        )
        paragraphs.append(training)
    if rules.quiz:
        quiz = say(
            "Before the work you read the guidelines and take a quiz of {n} {n|question|questions}, which tells you"
            " after each answer what is right and why.",
            n=rules.quiz,
        )
        passing = say(
            "{n} right {n|answer passes|answers pass} it; who has fewer gets no further work here.",
            n=rules.quiz_needed(rules.quiz),
        )
        paragraphs.append(f"{quiz} {passing}")
    paragraphs.append(say("You may stop at any time, and go on later in this browser: what you have judged is kept."))
    paragraphs.append(withdrawal_sentence(rules))
    return paragraphs


def withdrawal_sentence(rules: StudyRules) -> str:
    """The sentence on the answers of a rater who withdraws."""
    say = page_language(rules).say
    if rules.withdrawal == "remove":
        return say("You may withdraw from the study at any time; all your answers are removed then.")
    return say("You may withdraw from the study at any time; the answers that you gave before are kept.")


def facts_of(rules: StudyRules) -> Iterator[tuple[str, str]]:
    """The facts that raters want before they agree: name and text of each fact; the contact is one of its own."""
    say = page_language(rules).say
    if rules.items_per_rater:
        yield say("Items"), say("{n} at most", n=rules.items_per_rater)
    if rules.minutes:
        yield say("Time"), say("about {n} {n|minute|minutes}", n=rules.minutes)
    if rules.pay:
        yield say("Pay per item"), rules.pay
    if rules.pay_total:
        yield say("Pay in all"), rules.pay_total


def welcome_page(
    title: str,
    *,
    action: str,
    scheme: Scheme,
    rules: StudyRules,
    known: bool = False,
    text: str = "",
    csrf: str = "",
    participant: str = "",
    ask_participant: bool = False,
    problem: str = "",
    study: str = "",
    root: str = "",
) -> str:
    """Behind an invitation: what it is, what it pays, what one agrees to; a form that is posted to ``action``.

    Its fields: ``csrf``, ``participant``, ``consent`` ("yes"), ``text``, ``eligible-0`` and so on ("yes" or "no").

    Args:
        title: Of the study.
        action: Where the form goes.
        scheme: What is asked; its script is loaded while one reads.
        rules: Time, pay, contact, eligibility questions.
        known: Whether they were here before, and agreed.
        text: Names it; sent back with the form.
        csrf: Sent back with the form.
        participant: Who it is, by the link or by what was typed before.
        ask_participant: Whether the name is typed here.
        problem: What was wrong with the form that was posted; empty: nothing.
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
            facts=[*facts_of(rules)],
            consent=_safe(markdown_html(rules.consent)),
            text=text,
            csrf=csrf,
            participant=participant,
            ask_participant=ask_participant,
            problem=problem,
            introduction=introduction_of(scheme, rules, known=known),
            study=study,
            root=root,
            kinds=script_kinds(scheme),
            **words_in(page_language(rules)),
        )
    )


def notice_page(
    title: str,
    paragraphs: Sequence[str],
    *,
    link: Mapping[str, str] | None = None,
    kind: str = "",
    contact: str = "",
    study: str = "",
    root: str = "",
    language: PageLanguage = ENGLISH,
    left: str = "",
) -> str:
    """A page that says one thing: who are you, signed out, a link that has expired, an error, not eligible.

    Args:
        title: Its heading.
        paragraphs: Plain text.
        link: ``href`` and ``text`` of the way on.
        kind: Of the notice, a name for style sheets and tests.
        contact: To whom one can write; empty: nobody is named.
        study: As for ``welcome_page``.
        root: The path under which the server is reached.
        language: Of the page; heading, paragraphs and the link's text are in it already.
        left: Of a rater who has left, the word under which a browser keeps what is theirs, to remove it.
    """
    template = pages().get_template("notice.html")
    variables = {"title": title, "paragraphs": paragraphs, "link": link, "kind": kind, "contact": contact}
    return template.render(**variables, study=study, root=root, left=left, **words_in(language))


def done_page(
    *,
    scheme: Scheme,
    code: str,
    back: str = "",
    paragraphs: Sequence[str] = (),
    root: str = "",
    language: PageLanguage = ENGLISH,
) -> str:
    """The end, with the completion code, and the way back to where the rater came from.

    Args:
        scheme: What was asked, whose script the browser has.
        code: Of the rater.
        back: Where they go now (``return_address``); empty: nowhere.
        paragraphs: Plain text.
        root: The path under which the server is reached.
        language: Of the page, and of the paragraphs.
    """
    template = pages().get_template("done.html")
    variables = {
        "title": language.say("Done"),
        "code": code,
        "back": back,
        "host": urlsplit(back).hostname or "",
        "root": root,
    }
    return template.render(**variables, paragraphs=paragraphs, kinds=script_kinds(scheme), **words_in(language))


def check_page(title: str, rules: StudyRules, *, csrf: str, nth: int, guidelines: str, root: str = "") -> str:
    """The comprehension check: the guidelines (HTML, safe already), and a form that is posted to ``/check``.

    Its fields: ``csrf``, ``try`` (``nth``, from 1 on), ``answer-0`` and so on, each an option of its question.
    """
    language, questions = page_language(rules), questions_of(rules.comprehension)
    again = language.say("Not all answers were right. Please read the guidelines once more; this is the last try.")
    variables = {"title": title, "questions": questions, "csrf": csrf, "nth": nth, "guidelines": _safe(guidelines)}
    template = pages().get_template("check.html")
    return template.render(**variables, problem=again if nth > 1 else "", root=root, **words_in(language))


def withdraw_page(
    paragraphs: Sequence[str], *, csrf: str, contact: str = "", root: str = "", language: PageLanguage = ENGLISH
) -> str:
    """Before a rater withdraws: what becomes of their answers, and a form that is posted (``csrf``, ``sure``)."""
    variables = {"title": language.say("Withdraw from the study"), "paragraphs": paragraphs, "csrf": csrf}
    return pages().get_template("withdraw.html").render(**variables, contact=contact, root=root, **words_in(language))


def sign_out_page(
    paragraphs: Sequence[str], *, csrf: str, contact: str = "", root: str = "", language: PageLanguage = ENGLISH
) -> str:
    """Before a rater signs out: how they come back, and a form that is posted (``csrf``)."""
    variables = {"title": language.say("Sign out"), "paragraphs": paragraphs, "csrf": csrf}
    return pages().get_template("signout.html").render(**variables, contact=contact, root=root, **words_in(language))


def guidelines_page(
    title: str, guidelines: str, *, contact: str = "", root: str = "", language: PageLanguage = ENGLISH
) -> str:
    """The guidelines (HTML, safe already) as a page of their own."""
    template = pages().get_template("guidelines.html")
    variables = {"title": title, "guidelines": _safe(guidelines), "contact": contact, "root": root}
    return template.render(**variables, **words_in(language))


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
