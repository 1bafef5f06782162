"""Through the door: what is behind a link, what somebody agrees to, and how they become a rater.

To look takes nothing: only posts do.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from errorbar.judging.invitations import (
    MOST_PARTICIPANT,
    ClosedError,
    Invite,
    TakenError,
    find_invite,
    folded_name,
    join,
    rater_of,
)
from errorbar.judging.random_tokens import derived, fresh_token
from errorbar.judging.rater_pages import introduction_of, notice_page, welcome_page
from errorbar.judging.rules import Rules
from errorbar.judging.web.bodies import read_form, storable
from errorbar.judging.web.desk import Desk, Terms, address, desk_of, refuse_forged_form, root_of
from errorbar.judging.web.refusals import RefusalError
from errorbar.judging.web.sessions import (
    FORM_COOKIE,
    RATER_COOKIE,
    Session,
    close_sessions_of,
    form_word,
    open_session,
    read_session,
)

PARTICIPANT = ("participant", "PROLIFIC_PID", "workerId")
"""Parameters of a link by which services say who it is."""
_CLOSED = {
    "expired": "This link has expired.",
    "revoked": "This link is not valid any more.",
    "used up": "As many people as were wanted have come by this link.",
}


@dataclass(frozen=True, slots=True)
class _Door:
    """What is behind a link: the study, the invitation, and whether its person came before."""

    terms: Terms
    invite: Invite
    known: bool


async def welcome(request: Request) -> Response:
    """Behind a link, before anything is taken."""
    desk = desk_of(request)
    desk.tries.take(address(request))
    participant = _participant(request.query_params)
    door = await desk.read(lambda snapshot: _door(desk, snapshot, request, participant))
    session = await desk.session(request, RATER_COOKIE)
    working = session is not None and session.rater is not None and session.expires > desk.clock()
    if working and not door.invite.is_personal:  # another id of the same browser makes no second rater
        return RedirectResponse(f"{root_of(request)}/work", 303)
    if session is None and (shut := _shut(desk, door)):
        return _closed(shut, request)
    return _asked(request, door, participant)


async def enter(request: Request) -> Response:
    """Agree, and become a rater."""
    desk = desk_of(request)
    desk.tries.take(address(request))
    form = await read_form(request)
    participant = _participant(form)
    door = await desk.read(lambda snapshot: _door(desk, snapshot, request, participant))
    try:
        word = refuse_forged_form(form, request)
    except RefusalError as refusal:
        shut = _shut(desk, door)  # a form to send again would only be refused again
        return _closed(shut, request) if shut else _asked(request, door, participant, refusal.message, refusal.status)
    if not door.known and (problem := _problem(form, door, participant)):
        return _asked(request, door, participant, problem, 422)
    if not door.known and any(form.get(f"eligible-{n}") == "no" for n in range(len(door.terms.rules.eligibility))):
        said = ["This study looks for other raters. Thank you for your time."]
        return HTMLResponse(notice_page("Thank you", said, kind="not-eligible", root=root_of(request)))
    before = await desk.session(request, RATER_COOKIE)
    agreed = _agreement(door.terms.rules, desk.clock())

    # From the form's word, so that a form that is sent again, as its reply was lost, proves who sends it.
    token = derived(desk.key, "session", word, str(door.invite.id), participant)
    who = participant or derived(desk.key, "nameless", word, str(door.invite.id))  # sent twice, it is one rater

    def work(tx: Connection) -> Session:
        now = desk.clock()
        sent_before = read_session(tx, token)
        proven = {each.rater for each in (before, sent_before) if each is not None}
        joined = join(tx, door.invite, who, agreed, now, proven)
        if not (joined.new or joined.rater in proven or door.invite.is_personal or door.invite.kind == "trusting"):
            close_sessions_of(tx, joined.rater)  # nobody shares the work of a rater who had not begun
        return open_session(tx, joined.rater, now, token)

    try:
        session = await desk.writer.do(work)
    except ClosedError as closed:
        return _closed(closed.state, request)
    except TakenError:
        said = [
            "Somebody works with this name in another browser already.",
            "If it is you, go on in that browser, or ask for a link of your own.",
        ]
        page = notice_page("This name is taken", said, kind="taken", study=desk.name, root=root_of(request))
        return HTMLResponse(page, 409)
    response = RedirectResponse(f"{root_of(request)}/work", 303)
    desk.set_cookie(response, RATER_COOKIE, session.token)
    desk.delete_cookie(response, FORM_COOKIE)
    return response


def _door(desk: Desk, snapshot: Connection, request: Request, participant: str) -> _Door:
    invite = find_invite(snapshot, request.path_params["invite"])
    if invite is None:
        what, fix = "There is no such link.", "Open the link as you were given it, or ask for another."
        raise RefusalError(404, "no-invite", what, fix)
    return _Door(desk.terms(snapshot), invite, rater_of(snapshot, invite, participant) is not None)


def _shut(desk: Desk, door: _Door) -> str:
    """Why a link lets nobody new in; nothing where it is open, or where its person came before."""
    state = "open" if door.known else door.invite.state(desk.clock())
    return "" if state == "open" else state


def _participant(fields: Mapping[str, str]) -> str:
    """Who the link or the form says it is."""
    said = next((fields[name].strip() for name in PARTICIPANT if fields.get(name, "").strip()), "")
    if len(said) > MOST_PARTICIPANT or not storable(said):
        what = f"A participant's name has at most {MOST_PARTICIPANT} characters, and U+0000 is not among them."
        raise RefusalError(400, "participant", what)
    return said


def _asked(request: Request, door: _Door, participant: str, problem: str = "", status: int = 200) -> Response:
    """The form; a browser that has no cookie for it gets one."""
    desk = desk_of(request)
    cookie = desk.cookie_of(request, FORM_COOKIE) or fresh_token()
    rules = door.terms.rules if not door.known else Rules(pay=door.terms.rules.pay)  # agreed already
    page = welcome_page(
        door.terms.scheme.title,
        action=f"{root_of(request)}/j/{request.path_params['invite']}",
        rules=rules,
        csrf=form_word(desk.key, cookie),
        participant=participant,
        ask_participant=door.invite.kind == "named" and not participant,
        problem=problem,
        introduction=introduction_of(door.terms.scheme, door.terms.rules, known=door.known),
        study="" if door.invite.is_personal else desk_of(request).name,
        root=root_of(request),
    )
    response = HTMLResponse(page, status)
    desk.set_cookie(response, FORM_COOKIE, cookie)
    return response


def _problem(form: Mapping[str, str], door: _Door, participant: str) -> str:
    """What is missing in the form."""
    rules = door.terms.rules
    if door.invite.kind == "named" and not folded_name(participant):
        return "Please say who you are."
    if any(form.get(f"eligible-{n}") not in ("yes", "no") for n in range(len(rules.eligibility))):
        return "Please answer every question."
    if rules.consent and form.get("consent") != "yes":
        return "To take part you must agree."
    return ""


def _agreement(rules: Rules, now: float) -> dict[str, object]:
    """What somebody agreed to, as it is stored: the text by its hash, the questions as they were put."""
    found: dict[str, object] = {"at": now}
    if rules.consent:
        found["consent"] = hashlib.sha256(rules.consent.encode()).hexdigest()
    if rules.eligibility:
        found["eligible"] = dict.fromkeys(rules.eligibility, "yes")
    return found


def _closed(state: str, request: Request) -> Response:
    said = [_CLOSED[state], "Ask whom you had it from for another one."]
    kind, study = state.replace(" ", "-"), desk_of(request).name
    return HTMLResponse(notice_page("No entrance here", said, kind=kind, study=study, root=root_of(request)), 410)


ROUTES = [
    Route("/j/{invite}", welcome),
    Route("/j/{invite}", enter, methods=["POST"]),
]
