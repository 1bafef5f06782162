"""The top of the manager's first page: what to do next, how far the study is, and when it will end."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from sqlalchemy import Connection, func, select, text

from errorbar.core.labels import format_count
from errorbar.judging.protocol.assignments import HALTED
from errorbar.judging.protocol.halting import why_closed, why_halted
from errorbar.judging.stopping.decision import StopDecision
from errorbar.judging.store.tables import ITEM, RATER
from errorbar.judging.study.figures import WINDOW_HOURS, Forecast
from errorbar.judging.study.invitations import Link
from errorbar.judging.study.rules import current_rules
from errorbar.judging.study.status import minute

StudyState = Literal["open", "complete", "paused", "closed"]
STATES: dict[StudyState, str] = {
    "open": "Raters are given items.",
    "complete": "Every item has its judgments.",
    "paused": "Nothing more is handed out.",
    "closed": "Nothing more is handed out, and its links are revoked.",
}


@dataclass(frozen=True, slots=True)
class StudyCounts:
    """The counts of a study that one short look at its store gives, however large it is.

    Attributes:
        counted: Judgments that count.
        wanted: Judgments that all items together need; of items that were stopped one by one those that they have.
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
    k = current_rules(tx).raters_per_item
    of_work = ITEM.c.kind == "work"
    is_wanted = (ITEM.c.stopped == "") | ITEM.c.stopped.startswith(HALTED, autoescape=True)
    counts = select(
        func.coalesce(func.sum(ITEM.c.taken), 0),
        func.count().filter(is_wanted),
        func.coalesce(func.sum(ITEM.c.taken).filter(~is_wanted), 0),
    )
    taken, n_wanted, of_stopped = tx.execute(counts.where(of_work)).one()
    in_hand, in_hand_of_stopped = tx.execute(_IN_HAND, {"halted": HALTED}).one()
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
    """

    title: str
    why: str
    page: str = ""
    label: str = ""
    share: Link | None = None


EXPORT = "#downloads", "Downloads"
INVITE = "/invitations", "Make a link"


def next_step(
    counts: StudyCounts,
    links: Sequence[Link],
    ahead: Forecast | None = None,
    n_doubts: int = 0,
    decision: StopDecision | None = None,
) -> NextStep:
    """Choose what the manager should do next.

    Args:
        counts: Of the study.
        links: Those that are open.
        ahead: When it will be complete; None: not computed yet.
        n_doubts: Raters to look at.
        decision: Of the study's question; None: it has none.
    """
    return next(_steps(counts, links, ahead, n_doubts, decision))


def _steps(
    counts: StudyCounts, links: Sequence[Link], ahead: Forecast | None, n_doubts: int, decision: StopDecision | None
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
    if n_doubts:
        why = "Too few of their answers to gold items are right."
        yield NextStep(f"Look at {format_count(n_doubts, 'raters')}", why, "/raters?show=doubtful", "Show them")
    if state == "complete":
        yield NextStep("Export the judgments", "Every item has its judgments.", *EXPORT)
    if not counts.n_raters and not links:
        yield NextStep("Invite raters", "Nobody can take part yet.", *INVITE)
    if not counts.n_raters:
        yield NextStep("Share the link", "Nobody has come yet. Send this link to your raters.", share=_widest(links))
    n_able = counts.n_active + sum(_free_places(link, counts) for link in links)
    if n_able < counts.raters_per_item:
        why = f"Each item needs {counts.raters_per_item} raters, and only {n_able} can take part."
        yield NextStep("Invite more raters", why, *INVITE)
    if ahead is not None and ahead.why == "nobody is at work" and links:
        why = f"Nobody has judged in the last {WINDOW_HOURS:g} hours."
        yield NextStep("Share the link again", why, share=_widest(links))
    yield NextStep("Wait", "Raters are at work, and nothing needs you now.")


def _free_places(link: Link, counts: StudyCounts) -> int:
    """Raters who may still come by a link, as many as an item needs at most."""
    most, kind = link.invite.most_uses, link.invite.kind
    return 0 if kind == "back" else counts.raters_per_item if most is None else max(0, most - link.invite.uses)


def _widest(links: Sequence[Link]) -> Link:
    """The link for many raters, if there is one."""
    return next((link for link in links if not link.invite.is_personal), links[0])


def describe_end(counts: StudyCounts, ahead: Forecast | None, now: float) -> str:
    """When the study is expected to end."""
    if counts.paused or counts.closed:
        return "While nothing is handed out, no end is expected."
    if ahead is None:
        return "The expected end is being computed."
    if not ahead.to_go:
        return "Nothing is left to judge."
    if ahead.finish is None or ahead.earliest is None:
        why = {"too early": "it is too early to tell"}.get(ahead.why, ahead.why)
        return f"Expected end: not known, {why}."
    today = minute(now)[:10]
    finish, earliest = minute(ahead.finish), minute(ahead.earliest)
    latest = "" if ahead.latest is None else minute(ahead.latest)
    ends = f"between {earliest} and {latest}" if latest else f"{earliest} at the earliest"
    return f"Expected end: {finish}, {ends}.".replace(f"{today} ", "")
