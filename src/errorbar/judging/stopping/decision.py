"""The decision about a study's question, its table, what it saves to stop now, and the watch that halts the study.

Conventions
    The order of a study's items is random, and its raters judge them in that order. An estimate rests on the first t of
    them, t as large as it can be with all their k judgments there: so what counts does not depend on how long an item
    took, and an interval that holds at all t together holds at any moment, for whatever reason one looks at it. Items
    that a manager stopped one by one, and items of which nobody could tell, are left out as if they had not been drawn.
    An item is one unit: its label is what most of its raters say; ties and abstentions count as not judged. Saved are
    the judgments that nobody gave or holds; their time is the median one of the study.
Source
    ``sampling.stopping``, ``sampling.stopping``; docs/stopping.md.
"""

from __future__ import annotations

import asyncio
import logging
import re
import time
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from sqlalchemy import Connection, text

from errorbar.api.audit_edits import AuditKey, ValidityRule, judge_edits, read_verdicts
from errorbar.api.sample import sample_estimate
from errorbar.core.arrays import Flags, Ints
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.labels import format_count
from errorbar.core.problems import ErrorbarError, Problems
from errorbar.crowdsourcing.rater_table import RaterVerdict, follow
from errorbar.judging.protocol.assignments import HALTED
from errorbar.judging.protocol.changes import END, RULE, halt, to_halt
from errorbar.judging.quality import TOGETHER, has_answer_classes, rule_of
from errorbar.judging.scheme import SEVERAL
from errorbar.judging.stopping.question import SCORES, StopQuestion
from errorbar.judging.store.store import GroupCommit, Store, StoreError
from errorbar.judging.study.columns import ROUNDS, STATES, StudyColumns
from errorbar.judging.study.rules import StudyKey, current_rules, parsed_key, systems_of
from errorbar.judging.web.requests import STORE_FAILS
from errorbar.sampling import Anytime, Key, StopRule, Tally, anytime_audit
from errorbar.sampling.audit import estimate_audit
from errorbar.sampling.stopping import WANTED, tally_interval
from errorbar.tables.table import Cell, Column, Table

# What a study's question is about, estimated from the items that count.


LEVEL = 0.95
NOTHING = Estimate(None, 0, undefined=Undefined.NO_UNITS, no_interval=Undefined.TOO_FEW_UNITS)


def estimate_of(question: StopQuestion, study: StudyColumns, items: Ints, key: StudyKey | None) -> Estimate:
    """The estimate with the interval that the question asks for.

    Args:
        question: What is to be known.
        study: At one moment.
        items: Numbers of the items that count, each with all its judgments.
        key: Of the sample or audit.
    """
    rows = study.judged[np.isin(study.item[study.judged], items)]
    if not len(rows):
        return NOTHING
    if question.of in SCORES:
        assert isinstance(key, Key)
        return _score(question, study, study.judgments(rows), key)
    if question.of == "precision":
        assert isinstance(key, AuditKey)
        return _precision(question, study.judgments(rows), key)
    return _share(question, study, rows)


def name_of(question: StopQuestion, key: StudyKey | None) -> str:
    """The estimate, in words."""
    if question.of == "share":
        return f"share of '{question.label}'"
    if question.of == "win":
        return f"wins of {question.first} over {question.second}" if question.first else "wins of the first candidate"
    system = question.system or (systems_of(key)[0] if key is not None else "")
    return f"{'audited precision' if question.of == 'precision' else question.of} of {system}"


def _score(question: StopQuestion, study: StudyColumns, judgments: Judgments, key: Key) -> Estimate:
    """As ``errorbar sample estimate`` has it of the study's export."""
    unsure = study.about.scheme.abstaining()
    others = [label for label in study.labels if label != question.error and label not in unsure]
    anytime = question.interval == "anytime"
    try:
        result = sample_estimate(
            judgments,
            key=key,
            error=question.error,
            ok=others,
            unknown=list(unsure),
            beta=question.beta,
            anytime=anytime,
            half_width=question.half_width if anytime else None,
        )
    except ErrorbarError:  # a stratum without a judgment
        return NOTHING
    systems = result.found.systems
    asked = next((system for system in systems if system.system == question.system), systems[0])
    return asked[question.of].estimate


def _precision(question: StopQuestion, judgments: Judgments, key: AuditKey) -> Estimate:
    """As ``errorbar audit estimate`` has it of the study's export."""
    try:
        result = judge_edits(key, read_verdicts(judgments, Problems()), ValidityRule.of(question.valid), Problems())
    except ErrorbarError:
        return NOTHING
    at = systems_of(key).index(question.system) if question.system else 0
    strata = key.frame.strata
    if question.interval == "anytime":
        return anytime_audit(strata, result.heard, at, how=Anytime(question.half_width or WANTED), level=LEVEL)
    return estimate_audit(strata, result.heard, level=LEVEL)[0][at].precision


def _share(question: StopQuestion, study: StudyColumns, rows: Ints) -> Estimate:
    """Of items, by what most of their raters say; ties and abstentions count as not judged."""
    n = len(study.items)
    labels, item = np.array([*study.labels, ""])[study.label[rows]], study.item[rows]
    if question.of == "share":
        yes = labels == question.label
        no = ~yes & ~np.isin(labels, study.about.scheme.abstaining())
        size: int | None = len(study.work)
    else:
        side = sides(question, study)[item]
        yes, no = (labels == "first") & (side > 0), (labels == "second") & (side > 0)
        yes, no = yes | (labels == "second") & (side < 0), no | (labels == "first") & (side < 0)
        size = None
    votes, against = (np.bincount(item[sided], minlength=n) for sided in (yes, no))
    tally = Tally(int((votes > against).sum()), int((votes != against).sum()), size)
    if not tally.judged:
        return NOTHING
    interval = tally_interval(tally, LEVEL, anytime=question.interval == "anytime")
    return Estimate(tally.positive / tally.judged, tally.judged).with_interval(interval)


def sides(question: StopQuestion, study: StudyColumns) -> Ints:
    """Of each item 1 where the first candidate is that of ``first``, -1 where it is the second, 0: other texts."""
    if not question.first:
        return np.ones(len(study.items), np.int64)
    signs = []
    for facts in study.items:
        first, second = ([name.strip() for name in names.split(SEVERAL)] for names in (facts.names or ("", "")))
        forward = question.first in first and question.second in second
        signs.append(int(forward) - int(question.first in second and question.second in first))
    return np.array(signs, np.int64)


# How far a study's question rests on raters who may be excluded yet, and on labels that exclusions have turned.
#
# Conventions An interval that holds at every look does so for labels that stay. When a rater is excluded, others judge
# in their place, and labels that had counted may turn. So where gold items exclude raters, a question is decided only
# if the items whose raters gold has tested decide it too. Tested is who passed the quiz, and who answered so many gold
# items of each class that one who is always wrong would have been excluded. Which raters an item gets does not depend
# on what it is, so that such items are a random part of those that count.


_MOST = 100


def by_tested_raters(study: StudyColumns, items: Ints) -> Ints:
    """Of some items with all their judgments those whose raters gold has tested; all, where gold excludes nobody."""
    tested = tested_raters(study)
    if tested is None:
        return items
    rows = study.rows()
    unsure = np.unique(study.item[rows[~tested[study.rater[rows]]]])
    return items[~np.isin(items, unsure)]


def tested_raters(study: StudyColumns) -> Flags | None:
    """Which raters gold has tested; None: it excludes nobody."""
    rules, n = study.about.rules, len(study.raters)
    quiz = np.array([rater.quiz == "passed" for rater in study.raters], np.bool_)
    gold = [item.gold for item, why in zip(study.items, study.stopped, strict=True) if item.gold and not why]
    rule = rule_of(rules)
    if not gold:
        return None
    if rule is None or not rules.gold_per_page:
        return quiz if rules.quiz else None
    enough = next((k for k in range(1, _MOST) if follow(rule, [False] * k) is RaterVerdict.DROP), _MOST)
    apart = rules.policy != "fixed" and has_answer_classes(study.about.scheme)
    names = np.array([item.gold if apart else TOGETHER for item in study.items])  # no other items are in the rows
    rows = study.tested[study.right >= 0]
    tested = np.ones(n, np.bool_)
    for name in sorted({*gold}) if apart else [TOGETHER]:
        there = gold.count(name) if apart else len(gold)
        had = np.bincount(study.rater[rows[names[study.item[rows]] == name]], minlength=n)
        tested &= had >= min(enough, there)
    return tested | quiz


def count_turned_labels(study: StudyColumns, items: Ints) -> tuple[int, int]:
    """Of some items how many judged raters who are excluded now; and how many of them have another label since.

    The label before: what most of the first k judgments say, those that were set aside included.
    """
    k, both = study.about.rules.raters_per_item, study.rows("main", "done", "aside")
    both = both[study.label[both] >= 0]
    aside = study.set_aside[both]
    some = np.intersect1d(items, study.item[both[aside]])
    both = both[np.isin(study.item[both], some)]
    both = both[np.lexsort((study.at[both], study.item[both]))]
    other = 0
    for rows in np.split(both, np.searchsorted(study.item[both], some)[1:]) if len(some) else ():
        now = rows[~study.set_aside[rows]]
        other += _most(study.label[rows[:k]]) != _most(study.label[now])
    return len(some), int(other)


def _most(labels: Ints) -> int:
    """The label of the majority; -1: a tie."""
    counts = np.bincount(labels, minlength=1)
    return int(counts.argmax()) if len(labels) and (counts == counts.max()).sum() == 1 else -1


_PAY = re.compile(
    r"([^\d\s]*)\s*(\d+(?:[.,]\d+)?)\s*([^\d\s]*)"
    r"(?:\s+(?:each|(?:an?|per|for each|for an?)\s+(?:item|judgment|answer|sentence)))?"
)
"""A sum for one item: ``$0.02``, ``2 cents per item``; what is paid per hour, or for all, is none."""


@dataclass(frozen=True, slots=True)
class StopDecision:
    """A study's question as it stands.

    Attributes:
        question: As the rules have it.
        of: What is estimated, in words.
        estimate: Its value, with the interval that the question asks for.
        half_width: Wanted; None: a threshold decides.
        threshold: To be above or below of.
        decided: Whether the interval is as narrow as wanted, or does not hold the threshold; also with the items alone
            whose raters gold has tested, where gold excludes raters.
        doubtful: Whether it would be decided if it were not for raters whom gold has not tested.
        looks: ``anytime``: the interval holds whenever one looks; ``width``: a plain one, which stopping by its width
            does no harm; ``peeked``: a plain one that is looked at again and again, too short.
        n_items: Items at the front of the order, with all judgments, that it rests on.
        n_tested: Of these, the items whose raters gold has tested; all, where gold excludes nobody.
        n_excluded: Of these, the items that raters judged who are excluded now.
        n_turned: Of these again, the items that have another label since: earlier intervals may have been wrong.
        n_beyond: Items with all judgments beyond them, which count once those before them have theirs.
        waits_for: The first item that lacks judgments; empty: none does.
        left: Judgments that nobody gave or holds: what stopping saves.
        minutes: Of raters, for these; None: not known.
        money: For these; empty: not known.
        halted: Why the study hands out nothing more; empty: it does.
        acts: Whether it halts by itself once this is decided.
    """

    question: str
    of: str
    estimate: Estimate
    half_width: float | None
    threshold: float | None
    decided: bool
    doubtful: bool
    looks: str
    n_items: int
    n_tested: int
    n_excluded: int
    n_turned: int
    n_beyond: int
    waits_for: str
    left: int
    minutes: float | None
    money: str
    halted: str
    acts: bool


def stop_decision(study: StudyColumns, seconds: float | None) -> StopDecision | None:
    """The question of a study that was read; None: it has none.

    Args:
        study: At one moment.
        seconds: Of a judgment; None: not known.
    """
    rules = study.about.rules
    if not rules.stop:
        return None
    question = StopQuestion.parse(rules.stop)
    order = study_order(study)
    key = parsed_key(study.about.key) if study.about.key else None
    estimate = estimate_of(question, study, order.counted, key)
    tested = by_tested_raters(study, order.counted)
    known = sure = _is_decided(question, estimate)
    if known and len(tested) < len(order.counted):
        sure = _is_decided(question, estimate_of(question, study, tested, key))
    n_excluded, n_turned = count_turned_labels(study, order.counted)
    plain = "peeked" if question.half_width is None else "width"
    return StopDecision(
        str(question),
        name_of(question, key),
        estimate,
        question.half_width,
        question.threshold,
        decided=sure,
        doubtful=known and not sure,
        looks="anytime" if question.interval == "anytime" else plain,
        n_items=len(order.counted),
        n_tested=len(tested),
        n_excluded=n_excluded,
        n_turned=n_turned,
        n_beyond=order.n_beyond,
        waits_for="" if order.waiting is None else study.items[order.waiting].name,
        left=order.left,
        minutes=None if seconds is None else order.left * seconds / 60,
        money=money_for(rules.pay, order.left),
        halted=halted_reason(study),
        acts=question.act,
    )


@dataclass(frozen=True, slots=True, eq=False)
class StudyOrder:
    """The items of a study in their order."""

    counted: Ints  # numbers of those that a question rests on
    n_beyond: int  # complete ones behind the first that waits
    waiting: int | None  # number of the first that lacks judgments; None: none does
    left: int  # judgments that nobody gave or holds


def study_order(study: StudyColumns) -> StudyOrder:
    """Which items a question rests on; ``changes.front`` says the same in SQL."""
    k, n, work = study.about.rules.raters_per_item, len(study.items), ~study.is_gold
    done = np.bincount(study.item[study.rows()], minlength=n)
    held = (study.round == ROUNDS.index("main")) & (study.state == STATES.index("open"))
    short = np.maximum(k - done, 0)
    by_hand = np.array([bool(why) and not why.startswith(HALTED) for why in study.stopped], np.bool_)
    waits = np.flatnonzero(work & (short > 0) & ~by_hand)
    complete = work & (short == 0)
    first = int(waits[study.place[waits].argmin()]) if len(waits) else None
    end = END if first is None else int(study.place[first])
    left = np.maximum(short - np.bincount(study.item[held], minlength=n), 0)
    return StudyOrder(
        np.flatnonzero(complete & (study.place < end)),
        int((complete & (study.place > end)).sum()),
        first,
        int(left[work & ~by_hand].sum()),
    )


def halted_reason(study: StudyColumns) -> str:
    """Why a study hands out nothing more; empty: it does."""
    return next((why.removeprefix(HALTED) for why in study.stopped if why.startswith(HALTED)), "")


def _is_decided(question: StopQuestion, estimate: Estimate) -> bool:
    """Nothing is decided without an interval, unless everything was judged."""
    interval = estimate.interval
    if interval is None and estimate.value is not None and estimate.no_interval is Undefined.ZERO_WIDTH:
        interval = Interval(estimate.value, estimate.value, LEVEL, "everything judged")
    return interval is not None and StopRule(question.half_width, question.threshold).settled(interval)


def money_for(pay: str, judgments: int) -> str:
    """The cost of judgments, in the words of the study's pay; empty where it names no sum."""
    match = _PAY.fullmatch(pay.strip())
    if match is None:
        return ""
    before, number, after = match.groups()
    amount = f"{before}{judgments * float(number.replace(',', '.')):,.2f}"
    return f"{amount} {after}" if after else amount


# The table of a study's question: what is known, what was wanted, and what it saves to stop.


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
        judged = f"raters who are excluded now had judged {format_count(now.n_excluded, 'items')} of these"
        notes.append(
            f"{judged}, of which {now.n_turned:,} have another label since: earlier intervals may have been wrong"
        )
    rows: list[list[Cell]] = [
        [now.of, _value(now)],
        ["wanted", _describe_wanted(now)],
        ["verdict", verdict(now)],
        ["rests on", _rests(now)],
        [saves, saving(now)],
    ]
    if now.halted:
        rows.append(["handing out", f"ended: {now.halted}"])
    columns = [Column("", key="figure"), Column("now", key="value")]
    return Table(columns, rows, "When to stop", "stopping", [*notes, f"question: {now.question}"])


def verdict(now: StopDecision) -> str:
    """The decision in a few words: go on, narrow enough, or decided."""
    if now.doubtful:
        return f"go on: not yet by the {format_count(now.n_tested, 'items')} whose raters gold has tested"
    if not now.decided:
        return "go on" if now.left or now.waits_for else "not decided, and everything is judged"
    if now.threshold is None:
        return "narrow enough to stop"
    interval, value = now.estimate.interval, now.estimate.value
    low = interval.low if interval is not None else value  # everything judged: no interval, and the value is known
    return f"decided: {'above' if low is not None and low > now.threshold else 'below'} {100 * now.threshold:g}"


def reason_of(now: StopDecision) -> str:
    """Why a study is halted, in one line that its items keep."""
    return f"{now.of} is {_value(now)}: {verdict(now)}"


def saving(now: StopDecision) -> str:
    """Judgments, minutes and money."""
    parts = [format_count(now.left, "judgments")]
    if now.minutes is not None:
        parts.append(f"{now.minutes:,.1f} minutes")
    return ", ".join([*parts, *([now.money] if now.money else [])])


def _value(now: StopDecision) -> str:
    value, interval = now.estimate.value, now.estimate.interval
    if value is None:
        return "– (too little is judged)"
    if interval is None:
        return f"{100 * value:.2f}, no interval: {now.estimate.no_interval}"
    half = 50 * (interval.high - interval.low)
    return f"{100 * value:.2f} ({100 * interval.low:.2f}–{100 * interval.high:.2f}, ± {half:.2f}; {interval.method})"


def _describe_wanted(now: StopDecision) -> str:
    if now.half_width is not None:
        return f"± {100 * now.half_width:g}"
    return f"above or below {100 * (now.threshold or 0):g}"


def _rests(now: StopDecision) -> str:
    first = f"the first {format_count(now.n_items, 'items')}, with all judgments"
    if now.n_tested < now.n_items:
        first += f", {now.n_tested:,} of them by raters whom gold has tested"
    return first + (f"; {now.n_beyond:,} more wait for {now.waits_for}" if now.n_beyond else "")


SECONDS, TIMES = 10.0, 10.0
"""Between two looks at least; and how many times as long as a look took: a tenth of one core at most."""
_LOG = logging.getLogger("uvicorn.error")
_LAST = text("SELECT coalesce(max(id), 0) FROM event")


class StopWatch:
    """Looks at a study now and then. Each process of a server has one; to halt twice changes nothing.

    Args:
        store: Of the study.
        clock: The study's.
        decide: The decision as it stands, of a large study by a process beside the server (``LiveStatus.decision``).
    """

    def __init__(self, store: Store, clock: Callable[[], float], decide: Callable[[], StopDecision | None]) -> None:
        self._store, self._clock, self._decide = store, clock, decide
        self._seen = -1

    def look(self) -> StopDecision | None:
        """The decision by which the study is to halt; None: there is none, or nothing has happened since."""
        with self._store.read() as tx:
            rules, last = current_rules(tx), int(tx.scalar(_LAST))
            if last == self._seen or not rules.stop or not StopQuestion.parse(rules.stop).act:
                return None
            some = to_halt(tx) > 0
        now = self._decide() if some else None
        self._seen = last
        return now if now is not None and now.decided else None

    def act(self, tx: Connection, now: StopDecision) -> int:
        """Halt, unless the question was changed since; how many items are stopped by it."""
        same = current_rules(tx).stop == now.question
        return halt(tx, reason_of(now), RULE, self._clock()) if same else 0

    async def run(self, writer: GroupCommit) -> None:
        """Look until cancelled; whatever fails is told in the server's log, and looked at again."""
        while True:
            began = time.monotonic()
            try:
                now = await asyncio.to_thread(self.look)
                if now is not None:
                    decided = now
                    await writer.do(lambda tx: self.act(tx, decided))  # noqa: B023 - awaited here
            except StoreError as error:
                STORE_FAILS.log(error)
                self._seen = -1
            except Exception:  # noqa: BLE001 - one look less, and the next one comes
                _LOG.exception("the study's question could not be looked at")
                self._seen = -1
            await asyncio.sleep(max(SECONDS, TIMES * (time.monotonic() - began)))
