"""Forms of raters who are signed in: the comprehension check before the work, and withdrawal from the study."""

from __future__ import annotations

from sqlalchemy import Connection, select
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from errorbar.core.labels import whole_number
from errorbar.judging.protocol.exclusions import withdraw
from errorbar.judging.random_tokens import derive_token
from errorbar.judging.store.tables import RATER
from errorbar.judging.study.guidance import CheckResult, check_result, questions_of, try_check
from errorbar.judging.web.pages import check_page, notice_page, withdraw_page, withdrawal_sentence
from errorbar.judging.web.requests import read_form
from errorbar.judging.web.server_state import (
    RATER_COOKIE,
    Desk,
    Session,
    Terms,
    desk_of,
    refuse_forged,
    root_of,
    study_guidelines,
)


async def check(request: Request) -> Response:
    """The questions on the guidelines, or that they were failed; who passed them goes on to the work."""
    desk = desk_of(request)
    session = await desk.signed_in(request, RATER_COOKIE)
    return await _render_check(request, desk, session)


async def answer_check(request: Request) -> Response:
    """Take the answers to the questions on the guidelines."""
    desk, session, form = await _read_form(request)

    def work(tx: Connection) -> CheckResult:
        rules = desk.terms(tx).rules
        answers = [form.get(f"answer-{n}") for n in range(len(questions_of(rules.comprehension)))]
        nth = whole_number(form.get("try", "")) or 0
        return try_check(tx, rules, _rater(session), answers, nth, desk.clock())

    await desk.writer.do(work)
    return RedirectResponse(f"{root_of(request)}/check", 303)


async def _render_check(request: Request, desk: Desk, session: Session) -> Response:
    def look(snapshot: Connection) -> tuple[Terms, str, CheckResult]:
        agreed = snapshot.scalar(select(RATER.c.agreed).where(RATER.c.id == session.rater)) or "{}"
        return desk.terms(snapshot), study_guidelines(desk, snapshot), check_result(agreed)

    terms, guidelines, result = await desk.read(look)
    root, language, say = root_of(request), terms.language, terms.language.say
    if not terms.rules.comprehension or result.passed:
        return RedirectResponse(f"{root}/work", 303)
    if result.state == "failed":
        sentences = [
            say("Not all answers to the questions on the guidelines were right, also in the second try."),
            say("So there is no work for you in this study. Thank you for your time."),
        ]
        contact = terms.rules.contact
        page = notice_page(
            say("Thank you"), sentences, kind="check-failed", contact=contact, root=root, language=language
        )
        return HTMLResponse(page)
    nth = result.tries + 1
    page = check_page(terms.title, terms.rules, csrf=session.csrf, nth=nth, guidelines=guidelines, root=root)
    return HTMLResponse(page)


async def ask_withdrawal(request: Request) -> Response:
    """What becomes of the answers of who withdraws, and the form that does it."""
    desk = desk_of(request)
    session = await desk.signed_in(request, RATER_COOKIE)
    terms = await desk.read(desk.terms)
    say = terms.language.say
    sentences = [
        withdrawal_sentence(terms.rules),
        say("Answers that wait in this browser are not sent any more, and you get no further work."),
    ]
    if terms.rules.withdrawal == "remove":
        sentences.append(say("A completion code that you have does not count any more."))
    contact, root = terms.rules.contact, root_of(request)
    page = withdraw_page(sentences, csrf=session.csrf, contact=contact, root=root, language=terms.language)
    return HTMLResponse(page)


async def take_withdrawal(request: Request) -> Response:
    """Withdraw; said when it is on disk."""
    desk, session, form = await _read_form(request)
    if form.get("sure") != "yes":
        return RedirectResponse(f"{root_of(request)}/withdraw", 303)

    def work(tx: Connection) -> tuple[Terms, bool]:
        terms = desk.terms(tx)
        return terms, withdraw(tx, terms.rules, _rater(session), desk.clock()).removed

    terms, removed = await desk.writer.do(work)
    desk.sessions.forget(session.token)
    say = terms.language.say
    stored = say("Your answers were removed.") if removed else say("The answers that you gave before are kept.")
    page = notice_page(
        say("You have withdrawn from the study"),
        [stored, say("Thank you for your time.")],
        kind="withdrawn",
        contact=terms.rules.contact,
        root=root_of(request),
        language=terms.language,
        left=derive_token(desk.key, "owner", str(session.rater)),
    )
    response = HTMLResponse(page)
    desk.delete_cookie(response, RATER_COOKIE)
    return response


async def _read_form(request: Request) -> tuple[Desk, Session, dict[str, str]]:
    """The rater who posts a form, by cookie and word, and its fields."""
    desk = desk_of(request)
    session = await desk.signed_in(request, RATER_COOKIE)
    form = await read_form(request)
    refuse_forged(session.token, form.get("csrf", ""), request)
    return desk, session, form


def _rater(session: Session) -> int:
    assert session.rater is not None
    return session.rater


FORM_ROUTES = [
    Route("/check", check),
    Route("/check", answer_check, methods=["POST"]),
    Route("/withdraw", ask_withdrawal),
    Route("/withdraw", take_withdrawal, methods=["POST"]),
]
