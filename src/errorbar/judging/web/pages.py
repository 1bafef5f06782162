"""The pages that raters see, from templates; who may see which is for the server to say.

Every page works without script but the one on which one judges. Addresses in them begin with ``root``, the path under
which the server is reached, empty if there is none.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from html import escape
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from errorbar.core.problems import MissingExtraError
from errorbar.judging.page_languages import ENGLISH, PageLanguage, page_language
from errorbar.judging.scheme_kinds import kind_of
from errorbar.judging.study.comprehension import questions_of
from errorbar.judging.web.assets import STATIC, assets_version

if TYPE_CHECKING:
    from jinja2 import Environment

    from errorbar.judging.scheme import Scheme
    from errorbar.judging.study.rules import StudyRules


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


_OF_KINDS = {"edits": ("edits.js", "types.js"), "ranks": ("rank.js",), "rewrite": ("post_edit.js",)}
"""Scripts that only questions of a kind need."""
_OF_OTHER_PAGES = ("completion.js", "device.js", "dom.js")
"""Scripts that say something on pages on which nobody judges."""


def _script_phrases(language: PageLanguage, scheme: Mapping[str, Any] | None = None) -> dict[str, object]:
    kinds = None if scheme is None else frozenset(question["kind"] for question in scheme["questions"])
    return language.for_script(_script_source(kinds))


@cache
def _script_source(kinds: frozenset[str] | None) -> str:
    """The script of a page with questions of these kinds; None: of a page on which nobody judges."""
    others = {name for kind, names in _OF_KINDS.items() if kinds is None or kind not in kinds for name in names}
    every = (path.name for path in sorted(STATIC.glob("*.js")))
    names = _OF_OTHER_PAGES if kinds is None else [name for name in every if name not in others]
    return "".join((STATIC / name).read_text(encoding="utf-8") for name in names)


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
        yield say("Texts"), say("{n} at most", n=rules.items_per_rater)
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
    rules: StudyRules,
    consent: str = "",
    text: str = "",
    csrf: str = "",
    participant: str = "",
    ask_participant: bool = False,
    problem: str = "",
    introduction: Sequence[str] = (),
    study: str = "",
    root: str = "",
) -> str:
    """Behind an invitation: what it is, what it pays, what one agrees to; a form that is posted to ``action``.

    Its fields: ``csrf``, ``participant``, ``consent`` ("yes"), ``text``, ``eligible-0`` and so on ("yes" or "no").

    Args:
        title: Of the study.
        action: Where the form goes.
        rules: Time, pay, contact, eligibility questions.
        consent: HTML that one agrees to, safe already; empty: to nothing.
        text: Names it; sent back with the form.
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
            facts=[*facts_of(rules)],
            consent=_safe(consent),
            text=text,
            csrf=csrf,
            participant=participant,
            ask_participant=ask_participant,
            problem=problem,
            introduction=introduction,
            study=study,
            root=root,
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
        left: Of a rater who has withdrawn, the word under which a browser keeps what is theirs, to remove it.
    """
    template = pages().get_template("notice.html")
    variables = {"title": title, "paragraphs": paragraphs, "link": link, "kind": kind, "contact": contact}
    return template.render(**variables, study=study, root=root, left=left, **words_in(language))


def done_page(
    title: str,
    *,
    code: str,
    back: str = "",
    paragraphs: Sequence[str] = (),
    root: str = "",
    language: PageLanguage = ENGLISH,
) -> str:
    """The end, with the completion code, and the way back to where the rater came from.

    Args:
        title: Its heading.
        code: Of the rater.
        back: Where they go now (``return_address``); empty: nowhere.
        paragraphs: Plain text.
        root: The path under which the server is reached.
        language: Of the page, and of heading and paragraphs.
    """
    template = pages().get_template("done.html")
    variables = {"title": title, "code": code, "back": back, "host": urlsplit(back).hostname or ""}
    return template.render(**variables, paragraphs=paragraphs, root=root, **words_in(language))


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


def guidelines_page(
    title: str, guidelines: str, *, contact: str = "", root: str = "", language: PageLanguage = ENGLISH
) -> str:
    """The guidelines (HTML, safe already) as a page of their own."""
    template = pages().get_template("guidelines.html")
    variables = {"title": title, "guidelines": _safe(guidelines), "contact": contact, "root": root}
    return template.render(**variables, **words_in(language))
