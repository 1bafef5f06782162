"""The protocol over HTTP: claim items, send answers, look back."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from random import Random
from typing import Any, Literal

from sqlalchemy import Connection, Row, func, select
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.routing import Route

from errorbar.judging.page_languages import ENGLISH, PageLanguage, phrase
from errorbar.judging.protocol.assignments import count_items_of, may_go_on
from errorbar.judging.protocol.changes import is_paused, why_no_work
from errorbar.judging.protocol.claims import claim
from errorbar.judging.protocol.completion_codes import is_earned, return_address
from errorbar.judging.protocol.submissions import RECENT, submit
from errorbar.judging.random_tokens import derive_token, fresh_token
from errorbar.judging.scheme import JUDGED, JudgedItem, Lease, Round, SubmissionReceipt, Work, turn_sides
from errorbar.judging.store.tables import ANSWER, ASSIGNMENT, ITEM, RATER
from errorbar.judging.study.guidance import check_result
from errorbar.judging.study.invitations import (
    MOST_PARTICIPANT,
    NAMELESS,
    ClosedError,
    Invite,
    TakenError,
    find_invite,
    folded_name,
    is_let_in_again,
    join,
    participant_id,
    rater_of,
)
from errorbar.judging.study.rules import StudyRules
from errorbar.judging.web.pages import (
    ShownItems,
    assets,
    done_page,
    fragment,
    guidelines_page,
    notice_page,
    sign_out_page,
    welcome_page,
    work_page,
)
from errorbar.judging.web.requests import (
    RefusalError,
    is_storable,
    parse_wanted,
    read_form,
    read_json,
    signed_out_error,
    submissions,
)
from errorbar.judging.web.server_state import (
    FORM_COOKIE,
    RATER_COOKIE,
    Desk,
    Session,
    Terms,
    address,
    close_session,
    close_sessions_of,
    desk_of,
    form_word,
    open_session,
    read_session,
    refuse_elsewhere,
    refuse_forged,
    refuse_forged_form,
    root_of,
    study_guidelines,
)


async def claim_items(request: Request) -> Response:
    """Hold items to work on."""
    desk = desk_of(request)
    rater, body = await _read_post(request)
    want = parse_wanted(body)

    def work(tx: Connection) -> tuple[Terms, Work, str]:
        terms = desk.terms(tx)
        claimed = _told(tx, terms.rules, rater, claim(tx, terms.rules, rater, want, desk.clock()))
        return terms, claimed, _way_back(tx, terms.rules, rater, claimed.code)

    terms, claimed, back = await desk.writer.do(work)
    return _json({"work": work_record(terms, claimed, back)})


async def return_to_work(request: Request) -> Response:
    """Sign a rater in again whose cookie is lost, by the word that their page keeps on the device."""
    desk = desk_of(request)
    desk.tries.take(address(request))
    refuse_elsewhere(request)
    device = (await read_json(request)).get("device")

    def work(tx: Connection) -> Session:
        now = desk.clock()
        before = read_session(tx, device) if isinstance(device, str) and is_storable(device) else None
        if before is None or before.rater is None or before.expires <= now:
            raise signed_out_error()
        return open_session(tx, before.rater, now, before=before.token)

    session = await desk.writer.do(work)
    response = _json({"csrf": session.csrf})
    desk.set_cookie(response, RATER_COOKIE, session.token)
    return response


async def answer_items(request: Request) -> Response:
    """Store answers, and hold what comes next, in one transaction; said when it is on disk."""
    desk = desk_of(request)
    rater, body = await _read_post(request)
    answers, want = submissions(body), parse_wanted(body)

    def work(tx: Connection) -> tuple[Terms, list[SubmissionReceipt], Work, str]:
        terms, now = desk.terms(tx), desk.clock()
        receipts = submit(tx, terms.scheme, terms.rules, rater, answers, now)
        claimed = _told(tx, terms.rules, rater, claim(tx, terms.rules, rater, want, now))
        return terms, list(receipts), claimed, _way_back(tx, terms.rules, rater, claimed.code)

    terms, receipts, claimed, back = await desk.writer.do(work)
    records = [receipt_record(receipt, terms.language) for receipt in receipts]
    return _json({"receipts": records, "work": work_record(terms, claimed, back)})


async def recent_items(request: Request) -> Response:
    """The rater's last answers, newest first; not those of the quiz."""
    desk = desk_of(request)
    session = await desk.signed_in(request, RATER_COOKIE)

    def look(snapshot: Connection) -> tuple[Terms, list[Lease]]:
        return desk.terms(snapshot), recent(snapshot, _rater(session))

    terms, leases = await desk.read(look)
    return _json({"items": [lease_record(terms, lease) for lease in leases]})


def recent(tx: Connection, rater: int) -> list[Lease]:
    """The last items that a rater answered, with the answers that stand."""
    last = select(ANSWER.c.at, ANSWER.c.id, ANSWER.c.answer).add_columns(
        ASSIGNMENT.c.token, ASSIGNMENT.c.round, ASSIGNMENT.c.reversed, ASSIGNMENT.c.version, ITEM.c.payload
    )
    joined = ANSWER.join(ASSIGNMENT, ANSWER.c.assignment == ASSIGNMENT.c.id).join(ITEM, ITEM.c.id == ASSIGNMENT.c.item)
    mine = (ASSIGNMENT.c.rater == rater, ASSIGNMENT.c.round != "quiz", ASSIGNMENT.c.version == ANSWER.c.version)
    answered = ASSIGNMENT.c.state.in_(JUDGED)
    query = last.select_from(joined).where(*mine, answered).order_by(ANSWER.c.id.desc()).limit(RECENT)
    return [
        Lease(
            row.token,
            JudgedItem.from_json(row.payload),
            row.round,
            row.reversed,
            row.version,
            json.loads(row.answer),
        )
        for row in tx.execute(query)
    ]


def _told(tx: Connection, rules: StudyRules, rater: int, work: Work) -> Work:
    """The work as the page is told of it: that there is none while the study is paused is not the end."""
    is_done = work.of and work.done >= work.of
    if work.standing == "finished" and not is_done and is_paused(tx) and may_go_on(tx, rules, rater):
        return replace(work, standing="paused")
    return work


def work_record(terms: Terms, work: Work, back: str) -> dict[str, Any]:
    """The reply to the page."""
    items = [lease_record(terms, lease) for lease in work.leases]
    counts = {"done": work.done, "of": work.of}
    return {"standing": work.standing, "items": items, **counts, "code": work.code, "back": back}


def lease_record(terms: Terms, lease: Lease) -> dict[str, Any]:
    """An item as the page gets it: nothing tells gold or a repeat from work."""
    text_hash, html = _shown.of(terms.scheme, lease, terms.language)
    shown_round: Round = "quiz" if lease.round == "quiz" else "main"
    choices = {"choices": _shown_choices(terms, lease)} if lease.item.choices else {}
    return {
        "assignment": lease.token,
        "text_hash": text_hash,
        "round": shown_round,
        "html": html,
        "proposed": lease.item.proposed,
        "version": lease.version,
        "answer": lease.answer,
        **choices,
    }


def _shown_choices(terms: Terms, lease: Lease) -> list[dict[str, Any]]:
    """The answers to choose from, in an order of this assignment's own; nothing tells whose they are.

    The item has them in the order of the raters: no browser may know from what the order that it gets was drawn.
    """
    choices = [
        {
            "answer": turn_sides(terms.scheme, choice.answer) if lease.reversed else choice.answer,
            "count": choice.shown_count,
        }
        for choice in lease.item.choices
    ]
    Random(derive_token(terms.key, "choices", lease.token)).shuffle(choices)
    return choices


def receipt_record(receipt: SubmissionReceipt, language: PageLanguage = ENGLISH) -> dict[str, Any]:
    """The reply to an answer; one that came too late for its place is saved too, and gold has no places."""
    record = asdict(receipt)
    record["status"] = "saved" if receipt.status == "extra" else receipt.status
    return {"submission": record.pop("id"), **record, "why": language.say(receipt.why)}


def _way_back(tx: Connection, rules: StudyRules, rater: int, code: str) -> str:
    """Where a rater goes who has their code; before that nobody is told, as the address alone may be worth pay."""
    if not (code and rules.return_url):
        return ""
    participant = tx.scalar(select(RATER.c.participant).where(RATER.c.id == rater)) or ""
    return return_address(rules.return_url, participant_id(participant), code)


_shown = ShownItems(fragment)


async def _read_post(request: Request) -> tuple[int, dict[str, Any]]:
    """The rater who posts, by cookie and header, and the body, which is read for nobody else."""
    desk = desk_of(request)
    session = await desk.signed_in(request, RATER_COOKIE)
    refuse_forged(session.token, request.headers.get("x-csrf-token", ""), request)
    rater = _rater(session)
    with desk.bodies.reading(rater):
        return rater, await read_json(request)


def _rater(session: Session) -> int:
    assert session.rater is not None
    return session.rater


def _json(document: dict[str, Any]) -> Response:
    text = json.dumps(document, ensure_ascii=False, separators=(",", ":"))
    return Response(text.encode(errors="replace"), media_type="application/json")


ROUTES = [
    Route("/api/claim", claim_items, methods=["POST"]),
    Route("/api/answer", answer_items, methods=["POST"]),
    Route("/api/return", return_to_work, methods=["POST"]),
    Route("/api/recent", recent_items, methods=["GET"]),
]


# Through the door: what is behind a link, what somebody agrees to, and how they become a rater.
#
# To look takes nothing: only posts do.


PARTICIPANT = ("participant", "PROLIFIC_PID", "workerId")
"""Parameters of a link by which services say who it is."""
_CLOSED = {
    "expired": phrase("This link has expired."),
    "in use": phrase("As many people as were wanted have come by this link."),
    "revoked": phrase("This link is not valid any more."),
    "used up": phrase("As many people as were wanted have come by this link."),
}


@dataclass(frozen=True, slots=True)
class _Door:
    """The study and the invitation behind a link, whether its person came before, and why there is no work if so."""

    terms: Terms
    invite: Invite
    known: bool
    no_work: Literal["paused", "over", ""]

    def say(self, english: str) -> str:
        """A phrase in the language of the study's pages."""
        return self.terms.language.say(english)


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
        return _render_closed(shut, door, request)
    return _render_no_work(door, request) or _render_form(request, door, participant)


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
        problem = " ".join(refusal.sentences(door.terms.language))
        return (
            _render_closed(shut, door, request)
            if shut
            else _render_form(request, door, participant, problem, refusal.status)
        )
    if not door.known and (refused := _refuse_new(form, door, participant, request)):
        return refused
    before = await desk.session(request, RATER_COOKIE)
    agreed = _agreement(door.terms.rules, desk.clock())

    # From the form's word, so that a form that is sent again, as its reply was lost, proves who sends it.
    token = derive_token(desk.key, "session", word, str(door.invite.id), participant)
    nameless = derive_token(desk.key, "nameless", word, str(door.invite.id))  # sent twice, it is one rater
    who = participant or f"{NAMELESS}{nameless}"

    def work(tx: Connection) -> Session:
        now = desk.clock()
        sent_before = read_session(tx, token)
        proven = {each.rater for each in (before, sent_before) if each is not None}
        joined = join(tx, door.invite, who, agreed, now, proven)
        if not (joined.new or joined.rater in proven or door.invite.is_personal or door.invite.kind == "trusting"):
            close_sessions_of(tx, joined.rater)  # nobody shares the work of a rater who had not begun
        known = next((each for each in (before, sent_before) if each and each.rater == joined.rater), None)
        return open_session(tx, joined.rater, now, token, before="" if known is None else known.token)

    try:
        session = await desk.writer.do(work)
    except ClosedError as closed:
        return _render_closed(closed.state, door, request)
    except TakenError:
        paragraphs = [
            door.say("Somebody works with this name in another browser already."),
            door.say("If it is you, go on in that browser, or ask for a link of your own."),
        ]
        return HTMLResponse(_notice(door.say("This name is taken"), paragraphs, "taken", door, request), 409)
    response = RedirectResponse(f"{root_of(request)}/work", 303)
    desk.set_cookie(response, RATER_COOKIE, session.token)
    desk.delete_cookie(response, FORM_COOKIE)
    return response


def _refuse_new(form: Mapping[str, str], door: _Door, participant: str, request: Request) -> Response | None:
    """The page of somebody new who cannot take part, or not yet; None: they can."""
    if no_work := _render_no_work(door, request):
        return no_work
    if problem := _problem(form, door, participant):
        return _render_form(request, door, participant, problem, 422)
    if any(form.get(f"eligible-{n}") == "no" for n in range(len(door.terms.rules.eligibility))):
        return _render_ineligible(door, request)
    return None


def _door(desk: Desk, snapshot: Connection, request: Request, participant: str) -> _Door:
    invite = find_invite(snapshot, request.path_params["invite"])
    if invite is None:
        message = phrase("There is no such link.")
        fix = phrase("Open the link as you were given it, or ask for another.")
        raise RefusalError(404, "no-invite", message, fix)
    is_known = rater_of(snapshot, invite, participant) is not None
    return _Door(desk.terms(snapshot), invite, is_known, why_no_work(snapshot))


def _shut(desk: Desk, door: _Door) -> str:
    """Why a link lets nobody new in; nothing where it is open, or where its person came before."""
    state = "open" if door.known else door.invite.state(desk.clock())
    return "" if state == "open" else state


def _participant(fields: Mapping[str, str]) -> str:
    """Who the link or the form says it is."""
    participant = next((fields[name].strip() for name in PARTICIPANT if fields.get(name, "").strip()), "")
    if len(participant) > MOST_PARTICIPANT or not is_storable(participant):
        message = phrase("The name of a participant has at most {n} characters, and U+0000 is not among them.")
        raise RefusalError(400, "participant", message, number=MOST_PARTICIPANT)
    return participant


def _render_form(request: Request, door: _Door, participant: str, problem: str = "", status: int = 200) -> Response:
    """The form; a browser that has no cookie for it gets one."""
    desk = desk_of(request)
    cookie = desk.cookie_of(request, FORM_COOKIE) or fresh_token()
    rules = door.terms.rules
    if door.known:  # they agreed before
        rules = replace(rules, consent="", eligibility=())
    page = welcome_page(
        door.terms.title,
        action=f"{root_of(request)}/j/{request.path_params['invite']}",
        scheme=door.terms.scheme,
        rules=rules,
        known=door.known,
        text=_name_terms(rules),
        csrf=form_word(desk.key, cookie),
        participant=participant,
        ask_participant=door.invite.kind == "named" and not participant,
        problem=problem,
        study="" if door.invite.is_personal else desk_of(request).name,
        root=root_of(request),
    )
    response = HTMLResponse(page, status)
    desk.set_cookie(response, FORM_COOKIE, cookie)
    return response


def _problem(form: Mapping[str, str], door: _Door, participant: str) -> str:
    """The parts that are missing in the form."""
    rules = door.terms.rules
    if door.invite.kind == "named" and not folded_name(participant):
        return door.say("Please say who you are.")
    if any(form.get(f"eligible-{n}") not in ("yes", "no") for n in range(len(rules.eligibility))):
        return door.say("Please answer every question.")
    if rules.consent and form.get("consent") != "yes":
        return door.say("To take part you must agree.")
    if form.get("text", _name_terms(rules)) != _name_terms(rules):
        return door.say("What you are asked or agree to has changed meanwhile. Please read it again.")
    return ""


def _name_text(text: str) -> str:
    """The name of a consent text, by which the store keeps it."""
    return hashlib.sha256(text.encode()).hexdigest()


def _name_terms(rules: StudyRules) -> str:
    """The name of all that a rater agrees to and answers, which forms bring back; empty: there is nothing."""
    terms = [rules.consent, *rules.eligibility]
    return _name_text(json.dumps(terms)) if any(terms) else ""


def _agreement(rules: StudyRules, now: float) -> dict[str, object]:
    """The consent as it is stored: the text by its hash, the questions as they were put."""
    agreement: dict[str, object] = {"at": now}
    if rules.consent:
        agreement["consent"] = _name_text(rules.consent)
    if rules.eligibility:
        agreement["eligible"] = dict.fromkeys(rules.eligibility, "yes")
    return agreement


def _render_closed(state: str, door: _Door, request: Request) -> Response:
    paragraphs = [door.say(_CLOSED[state]), door.say("Ask whom you had it from for another one.")]
    return HTMLResponse(_notice(door.say("No entrance here"), paragraphs, state.replace(" ", "-"), door, request), 410)


def _render_no_work(door: _Door, request: Request) -> Response | None:
    """To somebody new while there is nothing to judge: nothing is asked of them. None: there is."""
    if door.known or not door.no_work:
        return None
    if door.no_work == "paused":
        title = door.say("The study is paused")
        paragraphs = [door.say("Nothing is handed out just now. Please come back later by the same link.")]
    else:
        title = door.say("The study is over")
        paragraphs = [door.say("It needs no further judgments. Thank you for coming.")]
    return HTMLResponse(_notice(title, paragraphs, door.no_work, door, request))


def _render_ineligible(door: _Door, request: Request) -> Response:
    """To somebody whom the study does not look for."""
    title, sentence = door.say("Thank you"), door.say("This study looks for other raters. Thank you for your time.")
    page = notice_page(
        title,
        [sentence],
        kind="not-eligible",
        contact=door.terms.rules.contact,
        root=root_of(request),
        language=door.terms.language,
    )
    return HTMLResponse(page)


def _notice(title: str, paragraphs: Sequence[str], kind: str, door: _Door, request: Request) -> str:
    """A notice to somebody who came by a link; who worked in this browser before can go on."""
    contact, study = door.terms.rules.contact, desk_of(request).name
    language = door.terms.language
    return notice_page(
        title, paragraphs, kind=kind, contact=contact, study=study, root=root_of(request), language=language
    )


ENTRY_ROUTES = [
    Route("/j/{invite}", welcome),
    Route("/j/{invite}", enter, methods=["POST"]),
]


# The pages of raters who are signed in: the work, the guidelines, the end. To look takes no work: only posts do.


async def home(request: Request) -> Response:
    """Who are you?"""
    session = await desk_of(request).session(request, RATER_COOKIE)
    if session is not None and session.rater is not None and session.expires > desk_of(request).clock():
        return RedirectResponse(f"{root_of(request)}/work", 303)
    desk = desk_of(request)
    say = desk.language.say
    paragraphs = [
        say("To judge, open the link that you were given."),
        say("The manager of the study signs in at /manage."),
    ]
    root = root_of(request)
    page = notice_page("errorbar judge", paragraphs, kind="who", study=desk.name, root=root, language=desk.language)
    return HTMLResponse(page)


async def work(request: Request) -> Response:
    """The page on which one judges; the items come by themselves."""
    desk = desk_of(request)
    session = await desk.signed_in(request, RATER_COOKIE)
    rater = _rater(session)

    def look(snapshot: Connection) -> tuple[Terms, str, int, bool]:
        terms = desk.terms(snapshot)
        has_quota = terms.rules.items_per_rater > 0
        agreed = snapshot.scalar(select(RATER.c.agreed).where(RATER.c.id == rater)) or "{}"
        is_checked = not terms.rules.comprehension or check_result(agreed).passed
        total = 0 if has_quota else count_items_of(snapshot, terms.rules, rater)
        return terms, study_guidelines(desk, snapshot), total, is_checked

    terms, guidelines, total, is_checked = await desk.read(look)
    if not is_checked:
        return RedirectResponse(f"{root_of(request)}/check", 303)
    owner = derive_token(desk.key, "owner", str(rater))
    page = work_page(
        terms.title,
        terms.scheme,
        terms.rules,
        who={"owner": owner, "study": desk.name, "device": session.device},
        csrf=session.csrf,
        guidelines=guidelines,
        total=total,
        root=root_of(request),
    )
    return HTMLResponse(page)


async def guidelines(request: Request) -> Response:
    """The instructions to raters, on a page of their own."""
    desk = desk_of(request)
    await desk.signed_in(request, RATER_COOKIE)
    terms, html = await desk.read(lambda snapshot: (desk.terms(snapshot), study_guidelines(desk, snapshot)))
    contact, language = terms.rules.contact, terms.language
    return HTMLResponse(guidelines_page(terms.title, html, contact=contact, root=root_of(request), language=language))


async def done(request: Request) -> Response:
    """The end, with the completion code once it was issued."""
    desk = desk_of(request)
    session = await desk.signed_in(request, RATER_COOKIE)
    mine = select(RATER).where(RATER.c.id == session.rater)
    skips = select(func.count()).where(
        ASSIGNMENT.c.rater == session.rater, ASSIGNMENT.c.state == "skipped", ASSIGNMENT.c.round != "quiz"
    )

    def look(snapshot: Connection) -> tuple[Row[Any], int, Terms]:
        return snapshot.execute(mine).one(), snapshot.scalar(skips) or 0, desk.terms(snapshot)

    row, n_skipped, terms = await desk.read(look)
    rules, language, say = terms.rules, terms.language, terms.language.say
    if row.code is None or not is_earned(row.status, row.judged, row.code_for):
        paragraphs = [say("You are not through yet. The code is shown here once all items that are yours are judged.")]
        if n_skipped:
            skipped = say("You skipped {n} {n|item|items}.", n=n_skipped)
            paragraphs += [f"{skipped} {say('A skipped item does not count as judged; to judge it, press Back.')}"]
        link = {"href": f"{root_of(request)}/work", "text": say("Go on")}
        page = notice_page(
            say("Not yet"),
            paragraphs,
            link=link,
            kind="not-done",
            contact=rules.contact,
            root=root_of(request),
            language=language,
        )
        return HTMLResponse(page)
    paragraphs = [say("All items that were yours are judged, and every answer is stored. Thank you.")]
    back = return_address(rules.return_url, participant_id(row.participant), row.code)
    page = done_page(
        scheme=terms.scheme,
        code=row.code,
        back=back,
        paragraphs=paragraphs,
        root=root_of(request),
        language=language,
    )
    return HTMLResponse(page)


async def service_worker(_: Request) -> Response:
    """Lies beside the page that it keeps, since it may keep nothing above it."""
    return Response(assets()["service-worker.js"].content, media_type="text/javascript")


async def ask_sign_out(request: Request) -> Response:
    """How one comes back who signs out, and the form that does it."""
    desk = desk_of(request)
    session = await desk.signed_in(request, RATER_COOKIE)

    def look(snapshot: Connection) -> tuple[Terms, bool]:
        return desk.terms(snapshot), is_let_in_again(snapshot, _rater(session), desk.clock())

    terms, comes_back = await desk.read(look)
    say = terms.language.say
    sentences = [
        say("Sign out where others use this browser. Before, wait until all your answers are saved."),
        say("To go on later, open the link that you were given once more.")
        if comes_back
        else say(
            "Your link does not let you in again. To go on later, ask for a link of your own before you sign out."
        ),
    ]
    contact, root = terms.rules.contact, root_of(request)
    return HTMLResponse(
        sign_out_page(sentences, csrf=session.csrf, contact=contact, root=root, language=terms.language)
    )


async def sign_out(request: Request) -> Response:
    """Leave the browser to somebody else."""
    desk = desk_of(request)
    desk.tries.take(address(request))
    form = await read_form(request)
    token = desk.cookie_of(request, RATER_COOKIE)
    refuse_forged(token, form.get("csrf", ""), request)

    def work(tx: Connection) -> tuple[Terms, Session | None]:
        terms, session = desk.terms(tx), read_session(tx, token)
        close_session(tx, token)
        return terms, session

    terms, session = await desk.writer.do(work)
    desk.sessions.forget(token)
    say = terms.language.say
    page = notice_page(
        say("You have signed out"),
        [say("Thank you for your time.")],
        kind="signed-out",
        contact=terms.rules.contact,
        root=root_of(request),
        language=terms.language,
        left=derive_token(desk.key, "owner", str(session.rater)) if session else "",
    )
    response = HTMLResponse(page)
    desk.delete_cookie(response, RATER_COOKIE)
    return response


PAGE_ROUTES = [
    Route("/", home),
    Route("/work", work),
    Route("/guidelines", guidelines),
    Route("/done", done),
    Route("/signout", ask_sign_out),
    Route("/signout", sign_out, methods=["POST"]),
    Route("/service-worker.js", service_worker),
]
