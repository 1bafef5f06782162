"""The protocol over HTTP: claim items, send answers, look back."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from sqlalchemy import Connection, select
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from errorbar.judging.claims import claim
from errorbar.judging.exchange import JUDGED, Lease, Receipt, Round, Work
from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.scheme import Scheme
from errorbar.judging.screens import fragment
from errorbar.judging.store_tables import ANSWER, ASSIGNMENT, ITEM
from errorbar.judging.submissions import submit
from errorbar.judging.web.bodies import read_json, submissions, wanted
from errorbar.judging.web.desk import Terms, address, desk_of, refuse_elsewhere, refuse_forged
from errorbar.judging.web.refusals import signed_out
from errorbar.judging.web.sessions import RATER_COOKIE, Session, open_session, read_session
from errorbar.judging.web.shown_items import ShownItems

RECENT = 10


async def claim_items(request: Request) -> Response:
    """Hold items to work on."""
    desk, session = desk_of(request), await _seated(request)
    want = wanted(await read_json(request))

    def work(tx: Connection) -> tuple[Terms, Work]:
        terms = desk.terms(tx)
        return terms, claim(tx, terms.rules, _rater(session), want, desk.clock())

    terms, found = await desk.writer.do(work)
    return _json({"work": work_record(terms.scheme, found)})


async def return_to_work(request: Request) -> Response:
    """Sign a rater in again whose cookie is lost, by the word that their page keeps on the device."""
    desk = desk_of(request)
    desk.tries.take(address(request))
    refuse_elsewhere(request)
    device = (await read_json(request)).get("device")

    def work(tx: Connection) -> Session:
        now = desk.clock()
        before = read_session(tx, device) if isinstance(device, str) else None
        if before is None or before.rater is None or before.expires <= now:
            raise signed_out()
        return open_session(tx, before.rater, now)

    session = await desk.writer.do(work)
    response = _json({"csrf": session.csrf})
    desk.set_cookie(response, RATER_COOKIE, session.token)
    return response


async def answer_items(request: Request) -> Response:
    """Store answers, and hold what comes next, in one transaction; said when it is on disk."""
    desk, session = desk_of(request), await _seated(request)
    body = await read_json(request)
    answers, want = submissions(body), wanted(body)

    def work(tx: Connection) -> tuple[Terms, list[Receipt], Work]:
        terms, now, rater = desk.terms(tx), desk.clock(), _rater(session)
        receipts = submit(tx, terms.scheme, terms.rules, rater, answers, now)
        return terms, list(receipts), claim(tx, terms.rules, rater, want, now)

    terms, receipts, found = await desk.writer.do(work)
    records = [receipt_record(receipt) for receipt in receipts]
    return _json({"receipts": records, "work": work_record(terms.scheme, found)})


async def recent_items(request: Request) -> Response:
    """The rater's last answers, newest first; not those of the quiz."""
    desk = desk_of(request)
    session = await desk.signed_in(request, RATER_COOKIE)

    def look(snapshot: Connection) -> tuple[Terms, list[Lease]]:
        return desk.terms(snapshot), recent(snapshot, _rater(session))

    terms, leases = await desk.read(look)
    return _json({"items": [lease_record(terms.scheme, lease) for lease in leases]})


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
            bool(row.reversed),
            row.version,
            json.loads(row.answer),
        )
        for row in tx.execute(query)
    ]


def work_record(scheme: Scheme, work: Work) -> dict[str, Any]:
    """What the page is told."""
    items = [lease_record(scheme, lease) for lease in work.leases]
    return {"standing": work.standing, "items": items, "done": work.done, "of": work.of, "code": work.code}


def lease_record(scheme: Scheme, lease: Lease) -> dict[str, Any]:
    """An item as the page gets it: nothing tells gold or a repeat from work."""
    text_hash, html = _shown.of(scheme, lease)
    shown_round: Round = "quiz" if lease.round == "quiz" else "main"
    return {
        "assignment": lease.token,
        "text_hash": text_hash,
        "round": shown_round,
        "html": html,
        "proposed": lease.item.proposed,
        "version": lease.version,
        "answer": lease.answer,
    }


def receipt_record(receipt: Receipt) -> dict[str, Any]:
    """What the page is told of an answer; one that came too late for its place is saved too, and gold has no places."""
    told = asdict(receipt)
    told["status"] = "saved" if receipt.status == "extra" else receipt.status
    return {"submission": told.pop("id"), **told}


_shown = ShownItems(fragment)


async def _seated(request: Request) -> Session:
    """The rater who posts, by cookie and header."""
    session = await desk_of(request).signed_in(request, RATER_COOKIE)
    refuse_forged(session.token, request.headers.get("x-csrf-token", ""), request)
    return session


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
