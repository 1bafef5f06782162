"""The manager's first page: the next step, progress, charts, and the study's state, which can be changed there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TYPE_CHECKING, Literal

from sqlalchemy import Connection, func, select, text
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from errorbar.core.labels import format_count
from errorbar.core.problems import UsageError
from errorbar.judging.protocol.assignments import HALTED
from errorbar.judging.protocol.changes import count_lacking, halt, pausing_mark, resume, why_closed, why_halted
from errorbar.judging.scheme_kinds import kind_of
from errorbar.judging.stopping.decision import StopDecision, reason_of, saving, stopping_table, verdict
from errorbar.judging.store.tables import ITEM, RATER
from errorbar.judging.study.changing import close_study
from errorbar.judging.study.figures import Forecast, Progress
from errorbar.judging.study.invitations import Link
from errorbar.judging.study.raters import MANAGER
from errorbar.judging.study.rules import current_rules
from errorbar.judging.study.status import (
    StudyStatus,
    agreement_table,
    explain_no_end,
    minute,
    progress_table,
    study_title,
    system_table,
)
from errorbar.judging.web import manager
from errorbar.judging.web.live_status import BeingComputedError, can_draw, study_charts
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
from errorbar.judging.web.requests import RefusalError
from errorbar.tables.table import Column, Table

if TYPE_CHECKING:
    from errorbar.judging.web.live_status import LiveFigures

StudyState = Literal["open", "complete", "paused", "closed"]
STATES: dict[StudyState, str] = {
    "open": "Raters are given items.",
    "complete": "Every item has its judgments.",
    "paused": "Nothing more is handed out.",
    "closed": "Nothing more is handed out, and no link that was open lets anybody in.",
}


@dataclass(frozen=True, slots=True)
class StudyCounts:
    """The counts of a study that one short look at its store gives, however large it is.

    Attributes:
        counted: Judgments that count.
        wanted: Judgments that all items together need; of items that were stopped for good those that they have.
        n_raters: Raters who came.
        n_active: Of them those who are not excluded.
        raters_per_item: Judgments that an item needs.
        paused: Why nothing is handed out; empty: it is.
        closed: Why the study is closed; empty: it is not.
    """

    counted: int
    wanted: int
    n_raters: int
    n_active: int
    raters_per_item: int
    paused: str
    closed: str = ""

    @property
    def state(self) -> StudyState:
        """The state of the study."""
        if self.closed or self.paused:
            return "closed" if self.closed else "paused"
        return "complete" if 0 < self.wanted <= self.counted else "open"


_IN_HAND = text(
    f"SELECT count(*), count(CASE WHEN i.stopped <> '' AND substr(i.stopped, 1, {len(HALTED)}) <> :halted THEN 1 END)"
    " FROM assignment a JOIN item i ON i.id = a.item"
    " WHERE a.state = 'open' AND a.round = 'main' AND i.kind = 'work'"
)


def count_study(tx: Connection) -> StudyCounts:
    """Count judgments by the places of items that are taken, less those that raters have in hand."""
    k, halted = current_rules(tx).raters_per_item, pausing_mark(tx)
    of_work = ITEM.c.kind == "work"
    is_wanted = (ITEM.c.stopped == "") | (func.substr(ITEM.c.stopped, 1, len(HALTED)) == halted)
    counts = select(
        func.coalesce(func.sum(ITEM.c.taken), 0),
        func.count().filter(is_wanted),
        func.coalesce(func.sum(ITEM.c.taken).filter(~is_wanted), 0),
    )
    taken, n_wanted, of_stopped = tx.execute(counts.where(of_work)).one()
    in_hand, in_hand_of_stopped = tx.execute(_IN_HAND, {"halted": halted}).one()
    n_raters, n_active = tx.execute(select(func.count(), func.count().filter(RATER.c.status == "active"))).one()
    wanted = n_wanted * k + of_stopped - in_hand_of_stopped
    return StudyCounts(int(taken - in_hand), int(wanted), n_raters, n_active, k, why_halted(tx), why_closed(tx))


@dataclass(frozen=True, slots=True)
class NextStep:
    """The next step of the manager.

    Attributes:
        title: What to do.
        why: Why, in a sentence.
        page: Where it is done, behind ``/manage``; empty: nowhere, or there is a link to share.
        label: Of the button that leads there.
        share: A link to copy; None: none.
        is_aside: Whether there is something else to do besides.
    """

    title: str
    why: str
    page: str = ""
    label: str = ""
    share: Link | None = None
    is_aside: bool = False


WAIT = "Wait"
EXPORT = "#downloads", "Downloads"
INVITE = "/invitations", "Make a link"


def next_steps(
    counts: StudyCounts,
    links: Sequence[Link],
    ahead: Forecast | None = None,
    n_doubts: int = 0,
    decision: StopDecision | None = None,
    going: Progress | None = None,
) -> list[NextStep]:
    """Choose what the manager should do next, and what after that; where that is to wait, it is left out.

    Args:
        counts: Of the study.
        links: Those that are open.
        ahead: When it will be complete; None: not computed yet.
        n_doubts: Raters to look at.
        decision: Of the study's question; None: it has none.
        going: How far the study is; None: not computed yet.
    """
    first, second = islice(_steps(counts, links, ahead, n_doubts, decision, going), 2)
    return [first, second] if first.is_aside and second.title != WAIT else [first]


def _steps(
    counts: StudyCounts,
    links: Sequence[Link],
    ahead: Forecast | None,
    n_doubts: int,
    decision: StopDecision | None,
    going: Progress | None,
) -> Iterator[NextStep]:
    """The steps that make sense, the most urgent first."""
    state = counts.state
    if state == "closed":
        yield NextStep("Export the judgments", f"Nothing is handed out any more: {counts.closed}.", *EXPORT)
    if state == "paused":
        yield NextStep(
            "Resume the study, or close it", f"Nothing is handed out: {counts.paused}.", "#state", "Go there"
        )
    if decision is not None and decision.decided and not decision.acts:
        why = "Enough is known to answer the study's question."
        yield NextStep("Pause the study", why, "/handing-out/halt", "Pause the study")
    is_wide = any(link.invite.most_uses is None and link.invite.kind != "back" for link in links)
    lack = ""
    if going is not None and ahead is not None and not is_wide and ahead.coming < ahead.to_go:
        more = -(-(ahead.to_go - ahead.coming) // max(going.of_one_more, 1))
        needed = f"{format_count(ahead.to_go, 'judgments')} {'is' if ahead.to_go == 1 else 'are'} still needed"
        may = f"those who take part, or may come by an open link, can give {ahead.coming:,} of them at most"
        lack = f"{needed}; {may}. Invite {format_count(more, 'raters')} or more."
    if lack and (links or counts.n_raters):
        yield NextStep("Invite more raters", lack, *INVITE, is_aside=True)
    if n_doubts:
        why = "Their answers to gold items are wrong, or come too fast to have read the text."
        title = f"Look at {format_count(n_doubts, 'raters')}"
        yield NextStep(title, why, "/raters?show=doubtful", "Show them", is_aside=True)
    if state == "complete":
        yield NextStep("Export the judgments", "Every item has its judgments.", *EXPORT)
    if not counts.n_raters and not links:
        yield NextStep("Invite raters", "Nobody can take part yet.", *INVITE)
    if not counts.n_raters:
        yield _share(links, "Nobody has come yet.")
    n_able = counts.n_active + sum(_free_places(link, counts) for link in links)
    if n_able < counts.raters_per_item and not lack:
        why = f"Each item needs {counts.raters_per_item} raters, and only {n_able} can take part."
        yield NextStep("Invite more raters", why, *INVITE)
    if ahead is not None and ahead.why == "nobody is at work":
        yield _share(links, f"Nobody has judged since {minute(ahead.last or 0.0)}.", again=True)
    while True:
        yield NextStep(WAIT, "Raters are at work, and nothing needs you now.")


def _share(links: Sequence[Link], why: str, *, again: bool = False) -> NextStep:
    """To pass a link on: that for many raters, if there is one; a link of one rater is for nobody else."""
    crowd = next((link for link in links if not link.invite.is_personal), None)
    if crowd is not None:
        return NextStep(f"Share the link{' again' * again}", f"{why} Send this link to your raters.", share=crowd)
    what = (
        "They go on by the links that they have." if again else "Each rater has a link of their own: send it to them."
    )
    title = "Remind your raters" if again else "Send the links"
    return NextStep(title, f"{why} {what}", "/invitations", "Show the links")


def _free_places(link: Link, counts: StudyCounts) -> int:
    """Raters who may still come by a link, as many as an item needs at most."""
    most, kind = link.invite.most_uses, link.invite.kind
    return 0 if kind == "back" else counts.raters_per_item if most is None else max(0, most - link.invite.uses)


def describe_end(counts: StudyCounts, ahead: Forecast | None, now: float) -> str:
    """When the study is expected to end."""
    if counts.paused or counts.closed:
        return "While nothing is handed out, no end is expected."
    if ahead is None:
        return "The expected end is being computed."
    if not ahead.to_go:
        return "Nothing is left to judge."
    if ahead.finish is None or ahead.earliest is None:
        unknown = "" if ahead.why == "too few raters" else "not known, "
        return f"Expected end: {unknown}{explain_no_end(ahead)}."
    today = minute(now)[:10]
    finish, earliest = minute(ahead.finish), minute(ahead.earliest)
    latest = "" if ahead.latest is None else minute(ahead.latest)
    ends = f"between {earliest} and {latest}" if latest else f"{earliest} at the earliest"
    return f"Expected end: {finish}, {ends}.".replace(f"{today} ", "")


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
    n_items, links = await seat.desk.read(count_lacking), await _open_links(request, seat)
    rest = f"{format_count(n_items, 'items')} without all judgments will not be handed out any more."
    effects = [
        rest if n_items else "Every item has its judgments: nothing is left to hand out.",
        "Raters may still judge what they have in hand, and it counts.",
    ]
    if change == "close":
        effects.append("Whoever asks for more is thanked, and gets a completion code if one is due.")
        n_open = f"{format_count(len(links), 'open links')} will let nobody new in, also after Resume."
        effects.append(n_open if links else "No link is open that lets anybody new in.")
        effects.append(
            "Raters work on where they are signed in; only who has a personal link in use can come back by it."
        )
        effects.append("Nothing is deleted. Resume hands out the rest again; new raters will need new links.")
        return confirm_page(request, seat, "", "Close the study?", effects, "Close the study", "", CLOSED)
    if change == "resume":
        effects = ["Items without all judgments will be handed out again.", "Links that were revoked stay revoked."]
        return confirm_page(request, seat, "", "Resume the study?", effects, "Resume the study", "")
    effects.append("Whoever asks for more reads that the study is paused, with their completion code if one is due.")
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
    going = None if status is None else status.progress
    n_doubts = 0 if figures is None else len(figures.doubts)
    parts = {
        "steps": next_steps(counts, links, ahead, n_doubts, decision, going),
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
    tables = [progress_table(study_title(status), status.progress, status.forecast, status.halted, status.closed)]
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
    return replace(table, columns=[system, Column("judgments are"), *columns])


FRONT_ROUTES = [
    Route("/manage", front),
    Route("/manage/handing-out/{what}", ask_about_state),
    Route("/manage/handing-out/{what}", change_state, methods=["POST"]),
    Route("/manage/charts/{name}-{width}-{scheme}.svg", picture),
]
