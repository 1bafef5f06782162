"""The manager's page of raters: one table, sorted and filtered by its address; exclusion, which is asked and undone."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from operator import itemgetter
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from sqlalchemy import Connection, and_, select
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response
from starlette.routing import Route

from errorbar.core.estimate import Estimate
from errorbar.core.labels import natural_key, whole_number
from errorbar.core.problems import UsageError
from errorbar.judging.protocol.changes import is_decided, why_closed, why_halted
from errorbar.judging.protocol.exclusions import exclude, foresee_exclusion, foresee_readmission, readmit
from errorbar.judging.store.tables import EXCLUSION, RATER
from errorbar.judging.study.invitations import participant_id
from errorbar.judging.study.raters import MANAGER
from errorbar.judging.study.rules import current_rules
from errorbar.judging.web import manager
from errorbar.judging.web.live_status import percent
from errorbar.judging.web.manager import (
    MOST_REASON,
    ROWS_A_PAGE,
    Seat,
    code_state,
    confirm_page,
    first_row,
    moment_of,
    page,
    paging,
    posted,
    seated,
)
from errorbar.judging.web.requests import RefusalError
from errorbar.judging.web.server_state import root_of

if TYPE_CHECKING:
    from errorbar.judging.study.figures import RaterFigures
    from errorbar.judging.web.live_status import LiveFigures

QUIZ = {"due": "in the quiz", "failed": "failed the quiz"}


@dataclass(frozen=True, slots=True)
class RaterStanding:
    """A rater as the manager sees them: standing and code as they are now, figures as they were last computed.

    Attributes:
        id: In the store.
        name: As exports name them.
        participant: The id by which they came; empty: they came without one.
        standing: ``active``, ``excluded`` or ``withdrawn``.
        reason: Why they are excluded; empty: they are not.
        by: Who excluded them.
        quiz: What there is to say of their quiz.
        judged: Items that they judged, gold ones and repeats included.
        code: The state of their completion code.
        doubt: Why to look at them; empty: nothing speaks for it.
        figures: What was computed of them; None: they came since.
    """

    id: int
    name: str
    participant: str
    standing: str
    reason: str
    by: str
    quiz: str
    judged: int
    code: str
    doubt: str
    figures: RaterFigures | None

    @property
    def gold(self) -> str:
        """The share of right answers to gold items, for people."""
        return "–" if self.figures is None or not self.figures.gold.n_units else percent(self.figures.gold)

    @property
    def agree(self) -> str:
        """Mean agreement with others, for people."""
        rest = None if self.figures is None else self.figures.rest
        return "–" if rest is None else f"{100 * rest:.0f} %"

    @property
    def seconds(self) -> str:
        """Median seconds of an answer, for people."""
        median = None if self.figures is None else self.figures.median_seconds
        return "–" if median is None else f"{median:.1f}"

    @property
    def last(self) -> datetime | None:
        """When their last answer came."""
        at = None if self.figures is None else self.figures.last
        return None if at is None else datetime.fromtimestamp(at, UTC)


Key = Callable[[RaterStanding], str | float | list[tuple[int, int, str]] | None]


def _figure(read: Callable[[RaterFigures], float | None]) -> Key:
    return lambda row: None if row.figures is None else read(row.figures)


def _value(estimate: Estimate) -> float | None:
    return estimate.value


SORTS: Mapping[str, tuple[str, Key]] = {
    "rater": ("Rater", lambda row: natural_key(row.name.casefold())),
    "standing": ("Status", lambda row: row.standing),
    "judged": ("Judged", lambda row: row.judged),
    "counted": ("Counted", _figure(lambda figures: figures.n_counted)),
    "gold": ("Gold right", _figure(lambda figures: _value(figures.gold))),
    "agree": ("Agree", _figure(lambda figures: figures.rest)),
    "seconds": ("Seconds", _figure(lambda figures: figures.median_seconds)),
    "hasty": ("Too fast", _figure(lambda figures: figures.n_hasty)),
    "last": ("Last answer", _figure(lambda figures: figures.last)),
    "code": ("Code", lambda row: row.code or None),
}
"""The columns: heading, and what they are sorted by: all texts or all numbers, None where there is nothing."""
NUMBERS = ("judged", "counted", "gold", "agree", "seconds", "hasty")
SHOWS: Mapping[str, tuple[str, Callable[[RaterStanding], bool]]] = {
    "all": ("All raters", lambda _: True),
    "doubtful": ("To look at", lambda row: bool(row.doubt)),
    "active": ("Active", lambda row: row.standing == "active"),
    "excluded": ("Excluded", lambda row: row.standing == "excluded"),
    "withdrawn": ("Withdrawn", lambda row: row.standing == "withdrawn"),
}


@dataclass(frozen=True, slots=True)
class RaterView:
    """The part of the table that is shown, and its order.

    Attributes:
        show: A key of ``SHOWS``.
        name: A part of the names or participant ids that are shown.
        sort: A key of ``SORTS``; empty: those to look at first, then as they came.
        down: Whether the largest value comes first.
    """

    show: str = "all"
    name: str = ""
    sort: str = ""
    down: bool = False

    @classmethod
    def of(cls, request: Request) -> RaterView:
        """The view that an address asks for; what it asks for wrongly is left out."""
        query = request.query_params
        show, sort = query.get("show", ""), query.get("sort", "")
        return cls(
            show if show in SHOWS else "all",
            query.get("name", "").strip()[:MOST_REASON],
            sort if sort in SORTS else "",
            query.get("down", "") == "1",
        )

    def address(self, **changes: str) -> str:
        """The query of this view with some changes."""
        parts = {"show": self.show, "name": self.name, "sort": self.sort, "down": "1" if self.down else ""} | changes
        return "?" + urlencode({key: value for key, value in parts.items() if value})

    def rows(self, raters: Sequence[RaterStanding]) -> list[RaterStanding]:
        """The raters that are shown, in their order; those without a value come last."""
        shows, name = SHOWS[self.show][1], self.name.casefold()
        rows = [
            row for row in raters if shows(row) and (name in row.name.casefold() or name in row.participant.casefold())
        ]
        if not self.sort:
            return sorted(rows, key=lambda row: not row.doubt)
        key = SORTS[self.sort][1]
        known = [(value, row) for row in rows if (value := key(row)) is not None]
        known.sort(key=itemgetter(0), reverse=self.down)
        return [row for _, row in known] + [row for row in rows if key(row) is None]


async def raters(request: Request) -> Response:
    """Show who takes part."""
    return await _raters(request, await seated(request))


async def ask_about_rater(request: Request) -> Response:
    """Say what an exclusion, or taking it back, will do, and ask."""
    return await _ask(request, await seated(request))


async def change_rater(request: Request) -> Response:
    """Exclude or readmit."""
    seat, form = await posted(request)
    rater, change = _change_of(request)
    reason = form.get("reason", "").strip()[:MOST_REASON]
    if change == "exclude" and not reason:
        return await _ask(request, Seat(seat.desk, seat.session, "Say why the rater is excluded.", wrong=True))

    def work(tx: Connection) -> bool:
        now = seat.desk.clock()
        return exclude(tx, rater, reason, MANAGER, now) if change == "exclude" else readmit(tx, rater, MANAGER, now)

    try:
        await seat.desk.writer.do(work)
    except UsageError as error:
        return await _raters(request, seat.failed(error))
    seat.desk.live.forget()
    return RedirectResponse(f"{root_of(request)}/manage/raters?changed={rater}", 303)


def _change_of(request: Request) -> tuple[int, str]:
    rater, change = whole_number(request.path_params["rater"]), str(request.path_params["what"])
    if rater is None or change not in ("exclude", "readmit"):
        raise RefusalError(404, "no-page", "There is no such page.")
    return rater, change


async def _ask(request: Request, seat: Seat) -> Response:
    rater, change = _change_of(request)

    def look(snapshot: Connection) -> tuple[str | None, list[str]]:
        row = snapshot.execute(select(RATER.c.name, RATER.c.judged).where(RATER.c.id == rater)).one_or_none()
        if row is None:
            return None, []
        if change == "readmit":
            return row.name, _foresee_readmission(snapshot, rater, row.judged)
        effect = foresee_exclusion(snapshot, rater)
        paused = [_of_paused(snapshot)] if effect.n_items and why_halted(snapshot) else []
        return row.name, [f"{effect}.", *paused, "They get no more items."]

    name, effects = await seat.desk.read(look)
    if name is None:
        raise RefusalError(404, "judge-no-rater", "There is no such rater.")
    if change == "readmit":
        return confirm_page(request, seat, "/raters", f"Readmit {name}?", effects, f"Readmit {name}", "/raters")
    effects += [
        "Their completion code does not count while they are excluded.",
        "Nothing is deleted: Undo brings back every judgment whose place nobody has filled meanwhile.",
    ]
    return confirm_page(request, seat, "/raters", f"Exclude {name}?", effects, f"Exclude {name}", "/raters", "")


def _foresee_readmission(tx: Connection, rater: int, judged: int) -> list[str]:
    """The effects of a readmission, a sentence each."""
    quota = current_rules(tx).items_per_rater
    effects = [f"{foresee_readmission(tx, rater)}.", "Their test by gold items starts afresh."]
    if quota and judged >= quota:
        return [*effects, f"They get no more items: they have judged the {quota:,} that are wanted of a rater."]
    return [*effects, "They can judge again by the same link."]


def _of_paused(tx: Connection) -> str:
    """A sentence on complete items of a study that hands out nothing, if a judgment of them is set aside."""
    if why_closed(tx):
        return "The study is closed: these items wait until it is resumed."
    if is_decided(tx):
        return "The study is paused, as its question is decided; complete items that lose a judgment are handed out."
    return "The study is paused: these items wait until it is resumed."


async def _raters(request: Request, seat: Seat) -> Response:
    figures = await seat.desk.long(lambda: seat.desk.live.figures(manager.PATIENCE))
    changed = request.query_params.get("changed", "")
    rows, has_quiz, change = await seat.desk.read(lambda tx: _read(tx, figures, changed))
    view, first = RaterView.of(request), first_row(request)
    shown = view.rows(rows)
    parts = {
        "raters": shown[first : first + ROWS_A_PAGE],
        "n_shown": len(shown),
        "n_raters": len(rows),
        "n_doubts": sum(bool(row.doubt) for row in rows),
        "view": view,
        "shows": SHOWS,
        "sorts": SORTS,
        "numbers": NUMBERS,
        "change": change,
        "has_quiz": has_quiz,
        "as_of": moment_of(figures.status),
    }
    return page(request, seat, "manage_raters.html", "/raters", parts | paging(first, len(shown)))


@dataclass(frozen=True, slots=True)
class LastChange:
    """A change of a rater's standing, for the page that tells it and offers to undo it."""

    id: int
    name: str
    standing: str
    n_aside: int


def _read(tx: Connection, figures: LiveFigures, changed: str) -> tuple[list[RaterStanding], bool, LastChange | None]:
    """Every rater, whether the study has a quiz, and whose standing was changed."""
    has_quiz = current_rules(tx).quiz > 0
    now_excluded = and_(EXCLUSION.c.rater == RATER.c.id, EXCLUSION.c.until.is_(None))
    fields = (RATER.c.id, RATER.c.name, RATER.c.participant, RATER.c.status, RATER.c.quiz, RATER.c.judged)
    codes = (RATER.c.code, RATER.c.code_used, RATER.c.code_for)
    joined = RATER.outerjoin(EXCLUSION, now_excluded)
    query = select(*fields, *codes, EXCLUSION.c.reason, EXCLUSION.c.by).select_from(joined).order_by(RATER.c.id)
    by_name = {rater.rater: rater for rater in figures.status.raters}
    rows = [
        RaterStanding(
            id=row.id,
            name=row.name,
            participant=participant_id(row.participant),
            standing=row.status,
            reason=row.reason or "",
            by=row.by or "",
            quiz=QUIZ.get(row.quiz, "") if has_quiz else "",
            judged=row.judged,
            code=code_state(row),
            doubt=figures.doubts.get(row.id, "") if row.status == "active" else "",
            figures=by_name.get(row.name),
        )
        for row in tx.execute(query)
    ]
    change = next((row for row in rows if str(row.id) == changed), None)
    if change is None:
        return rows, has_quiz, None
    n_aside = foresee_readmission(tx, change.id)
    of_change = LastChange(change.id, change.name, change.standing, n_aside.n_judgments + n_aside.n_extra)
    return rows, has_quiz, of_change


RATER_LIST_ROUTES = [
    Route("/manage/raters", raters),
    Route("/manage/raters/{rater}/{what}", ask_about_rater),
    Route("/manage/raters/{rater}/{what}", change_rater, methods=["POST"]),
]
