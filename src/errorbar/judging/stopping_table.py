"""The table of a study's question: what is known, what was wanted, and what it saves to stop."""

from __future__ import annotations

from errorbar.core.labels import counted
from errorbar.judging.stop_decision import StopDecision
from errorbar.tables.table import Cell, Column, Table

LOOKS = {
    "anytime": "anytime: with 95 % the interval holds at every look, whenever one stops",
    "width": "plain interval: right if one stops by its width, too short if by what it says",
    "peeked": "plain interval, looked at again and again: too short; interval=anytime holds at every look",
}


def stopping_table(now: StopDecision) -> Table:
    """A row for each figure."""
    saves = "stopping saved" if now.halted else "stopping now saves" if now.decided else "still to be judged"
    notes = [LOOKS[now.looks]]
    if now.n_tested < now.n_items:
        notes.append("that is for labels that stay: raters whom gold has not tested may be excluded yet")
    if now.n_excluded:
        judged = f"raters who are excluded now had judged {counted(now.n_excluded, 'items')} of these"
        notes.append(
            f"{judged}, of which {now.n_turned:,} have another label since: earlier intervals may have been wrong"
        )
    rows: list[list[Cell]] = [
        [now.of, _value(now)],
        ["wanted", _wanted(now)],
        ["verdict", verdict(now)],
        ["rests on", _rests(now)],
        [saves, saving(now)],
    ]
    if now.halted:
        rows.append(["handing out", f"ended: {now.halted}"])
    columns = [Column("", key="figure"), Column("now", key="value")]
    return Table(columns, rows, "When to stop", "stopping", [*notes, f"question: {now.question}"])


def verdict(now: StopDecision) -> str:
    """Whether one knows enough, in a few words."""
    if now.doubtful:
        return f"go on: not yet by the {counted(now.n_tested, 'items')} whose raters gold has tested"
    if not now.decided:
        return "go on" if now.left or now.waits_for else "not decided, and everything is judged"
    if now.threshold is None:
        return "narrow enough to stop"
    made, value = now.estimate.interval, now.estimate.value
    low = made.low if made is not None else value  # everything judged: no interval, and the value is known
    return f"decided: {'above' if low is not None and low > now.threshold else 'below'} {100 * now.threshold:g}"


def reason_of(now: StopDecision) -> str:
    """Why a study is halted, in one line that its items keep."""
    return f"{now.of} is {_value(now)}: {verdict(now)}"


def saving(now: StopDecision) -> str:
    """Judgments, minutes and money."""
    parts = [counted(now.left, "judgments")]
    if now.minutes is not None:
        parts.append(f"{now.minutes:,.1f} minutes")
    return ", ".join([*parts, *([now.money] if now.money else [])])


def _value(now: StopDecision) -> str:
    value, made = now.estimate.value, now.estimate.interval
    if value is None:
        return "– (too little is judged)"
    if made is None:
        return f"{100 * value:.2f}, no interval: {now.estimate.no_interval}"
    half = 50 * (made.high - made.low)
    return f"{100 * value:.2f} ({100 * made.low:.2f}–{100 * made.high:.2f}, ± {half:.2f}; {made.method})"


def _wanted(now: StopDecision) -> str:
    if now.half_width is not None:
        return f"± {100 * now.half_width:g}"
    return f"above or below {100 * (now.threshold or 0):g}"


def _rests(now: StopDecision) -> str:
    first = f"the first {counted(now.n_items, 'items')}, with all judgments"
    if now.n_tested < now.n_items:
        first += f", {now.n_tested:,} of them by raters whom gold has tested"
    return first + (f"; {now.n_beyond:,} more wait for {now.waits_for}" if now.n_beyond else "")
