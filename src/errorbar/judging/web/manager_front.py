"""The manager's first page: the next step, progress, charts, and the study's state, which can be changed there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from sqlalchemy import Connection
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from errorbar.core.labels import format_count
from errorbar.core.problems import UsageError
from errorbar.judging.protocol.halting import halt, resume, to_halt
from errorbar.judging.scheme_kinds import kind_of
from errorbar.judging.stopping.watch import reason_of, saving, stopping_table, verdict
from errorbar.judging.study.changing import close_study
from errorbar.judging.study.raters import MANAGER
from errorbar.judging.study.status import StudyStatus, agreement_table, progress_table, system_table
from errorbar.judging.web import manager
from errorbar.judging.web.live_status import BeingComputedError
from errorbar.judging.web.manager import (
    MOST_REASON,
    Seat,
    after,
    confirm_page,
    login_page,
    moment_of,
    page,
    posted,
    read_links,
    seated,
    tables_html,
)
from errorbar.judging.web.overview import STATES, count_study, describe_end, next_step
from errorbar.judging.web.requests import RefusalError
from errorbar.judging.web.study_charts import can_draw, study_charts
from errorbar.tables.table import Column, Table

if TYPE_CHECKING:
    from errorbar.judging.study.invitations import Link
    from errorbar.judging.web.live_status import LiveFigures

FRONT_PATIENCE = 0.5
"""Seconds for which the first page of a large study waits for figures; it shows counts alone where they take longer."""
EVERY = 10
"""Seconds after which a page that is looked at is brought up to date."""
REFRESH = "3"
"""The same where there are no figures yet."""
PAUSED, CLOSED = "paused by the manager", "closed by the manager"
Download = tuple[str, str]
DOWNLOADS: tuple[Download, ...] = (
    ("/manage/export.csv", "Judgments (CSV)"),
    ("/manage/export.jsonl", "Everything (JSONL)"),
    ("/manage/figures.json", "Figures (JSON)"),
)
PAIRS: Download = ("/manage/export.pairs", "Pairs, for ‘errorbar rank’ (CSV)")
RANKINGS: Download = ("/manage/export.xml", "Rankings, for ‘errorbar rank’ (XML)")
CORRECTIONS: Download = ("/manage/export.m2", "Corrections (M2)")


async def front(request: Request) -> Response:
    """Show how the study stands; who has no session is asked for the token."""
    try:
        seat = await seated(request)
    except RefusalError:
        return login_page(request)
    return await _front(request, seat)


async def ask_about_state(request: Request) -> Response:
    """Say what a pause or the close of the study will do, and ask."""
    return await _ask(request, await seated(request))


async def change_state(request: Request) -> Response:
    """Pause, resume or close the study."""
    seat, form = await posted(request)
    change, reason = _change_of(request), form.get("reason", "").strip()[:MOST_REASON]

    def work(tx: Connection) -> None:
        now = seat.desk.clock()
        if change == "resume":
            resume(tx, MANAGER, now)
        elif change == "close":
            close_study(tx, reason, now)
        else:
            halt(tx, reason, MANAGER, now)

    try:
        response = await after(request, "", work)
    except UsageError as error:
        return await _ask(request, seat.failed(error))
    seat.desk.live.forget()
    return response


async def picture(request: Request) -> Response:
    """A chart of the first page, in the colors of a scheme, for a narrow or a wide page."""
    desk = (await seated(request)).desk
    name, width, scheme = (request.path_params[part] for part in ("name", "width", "scheme"))
    svg = await desk.long(lambda: desk.pictures.get(desk.live.figures(manager.PATIENCE).status, name, width, scheme))
    if svg is None:
        raise RefusalError(404, "no-page", "There is no such chart.")
    return Response(svg, media_type="image/svg+xml")


def _change_of(request: Request) -> str:
    change = str(request.path_params["what"])
    if change not in ("halt", "resume", "close"):
        raise RefusalError(404, "no-page", "There is no such page.")
    return change


async def _open_links(request: Request, seat: Seat) -> list[Link]:
    return [link for link in await read_links(request, seat.desk) if link.state == "open"]


async def _ask(request: Request, seat: Seat) -> Response:
    change = _change_of(request)
    n_items, links = await seat.desk.read(to_halt), await _open_links(request, seat)
    effects = [
        f"{format_count(n_items, 'items')} without all judgments will not be handed out any more.",
        "Raters may still judge what they have in hand, and it counts. Whoever asks for more is thanked, and gets a"
        " completion code if one is due.",
    ]
    if change == "close":
        effects.append(f"{format_count(len(links), 'open links')} will let nobody new in, also after Resume.")
        effects.append("Nothing is deleted. Resume hands out the rest again; new raters will need new links.")
        return confirm_page(request, seat, "", "Close the study?", effects, "Close the study", "", CLOSED)
    if change == "resume":
        effects = ["Items without all judgments will be handed out again.", "Links that were revoked stay revoked."]
        return confirm_page(request, seat, "", "Resume the study?", effects, "Resume the study", "")
    effects.append("Nothing is deleted. Resume hands out the rest again, and raters come back by the same links.")
    figures = await _figures(seat)
    decision = None if figures is None else figures.status.stopping
    reason = reason_of(decision) if decision is not None and decision.decided else PAUSED
    return confirm_page(request, seat, "", "Pause the study?", effects, "Pause the study", "", reason)


async def _figures(seat: Seat) -> LiveFigures | None:
    """Figures; None: the first ones are being computed."""
    live = seat.desk.live
    try:
        return await seat.desk.long(lambda: live.figures(FRONT_PATIENCE if live.is_large() else manager.PATIENCE))
    except BeingComputedError:
        return None


async def _front(request: Request, seat: Seat) -> Response:
    links, figures = await _open_links(request, seat), await _figures(seat)
    counts, terms = await seat.desk.read(lambda tx: (count_study(tx), seat.desk.terms(tx)))
    kind = kind_of(terms.scheme)
    downloads = [*DOWNLOADS, *([PAIRS] if kind.compares or kind.ranks else []), *([RANKINGS] if kind.ranks else [])]
    downloads += [CORRECTIONS] if kind.gives_corrections(terms.scheme) else []
    status = None if figures is None else figures.status
    if status is not None:  # all figures of a page are of one moment
        counts = replace(counts, counted=status.progress.counted)
    ahead, decision = (None, None) if status is None else (status.forecast, status.stopping)
    now = seat.desk.clock() if status is None else status.at
    parts = {
        "step": next_step(counts, links, ahead, 0 if figures is None else len(figures.doubts), decision),
        "counts": counts,
        "share": int(100 * counts.counted / counts.wanted) if counts.wanted else 0,
        "end": describe_end(counts, ahead, now),
        "as_of": "" if status is None else moment_of(status),
        "every": EVERY,
        "state": counts.state,
        "states": STATES,
        "decision": decision,
        "verdict": "" if decision is None else f"{decision.of}: {verdict(decision)}",
        "saving": "" if decision is None else saving(decision),
        "charts": [] if status is None else study_charts(status),
        "can_draw": can_draw(),
        "moment": "" if status is None else f"{status.at:.0f}",
        "tables": [] if status is None else tables_html(_tables(status)),
        "downloads": downloads,
    }
    response = page(request, seat, "manage_front.html", "", parts)
    if status is None:
        response.headers["refresh"] = REFRESH
    return response


def _tables(status: StudyStatus) -> Sequence[Table]:
    """The tables of a status, but that of raters, which has a page of its own."""
    title = f"{status.scheme}, {status.raters_per_item} judgments of each item"
    tables = [progress_table(title, status.progress, status.forecast, status.halted, status.closed)]
    if status.stopping is not None:
        table = stopping_table(status.stopping)
        tables.append(replace(table, notes=table.notes[:-1]))  # the last one is how a command writes the question
    if status.agreement.n_judgments:
        tables.append(agreement_table(status.agreement, gold=status.progress.n_gold > 0))
    return [*tables, _systems(status)] if status.systems else tables


def _systems(status: StudyStatus) -> Table:
    """The scores of systems; the ways to count raters in the words of the page."""
    table = system_table(status.systems)
    system, _, *columns = table.columns
    words = {"weighted": "each by its share", "majority": "by majority"}
    rows = [[name, words[str(kind)], *cells] for name, kind, *cells in table.rows]
    return replace(table, columns=[system, Column("raters count"), *columns], rows=rows)


FRONT_ROUTES = [
    Route("/manage", front),
    Route("/manage/handing-out/{what}", ask_about_state),
    Route("/manage/handing-out/{what}", change_state, methods=["POST"]),
    Route("/manage/charts/{name}-{width}-{scheme}.svg", picture),
]
