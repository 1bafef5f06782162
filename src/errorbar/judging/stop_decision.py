"""Whether a study's question is decided, and what it saves to stop now.

Conventions
    The order of a study's items is random, and its raters judge them in that order. An estimate rests on the first t of
    them, t as large as it can be with all their k judgments there: so what counts does not depend on how long an item
    took, and an interval that holds at all t together holds at any moment, for whatever reason one looks at it. Items
    that a manager stopped one by one, and items of which nobody could tell, are left out as if they had not been drawn.
    An item is one unit: its label is what most of its raters say; ties and abstentions count as not judged. Saved are
    the judgments that nobody gave or holds; their time is the median one of the study.
Source
    ``sampling.stopping``, ``sampling.anytime``; docs/stopping.md.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.judging.changes import HALTED
from errorbar.judging.halting import END
from errorbar.judging.stop_estimates import LEVEL, estimate_of, name_of
from errorbar.judging.stop_question import StopQuestion
from errorbar.judging.stop_raters import by_tested_raters, turned
from errorbar.judging.study_columns import ROUNDS, STATES, Ints, StudyColumns
from errorbar.judging.study_key import parsed_key
from errorbar.sampling import StopRule

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
    known = sure = _decided(question, estimate)
    if known and len(tested) < len(order.counted):
        sure = _decided(question, estimate_of(question, study, tested, key))
    n_excluded, n_turned = turned(study, order.counted)
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
    """Which items a question rests on; ``halting.front`` says the same in SQL."""
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


def _decided(question: StopQuestion, estimate: Estimate) -> bool:
    """Nothing is decided without an interval, unless everything was judged."""
    made = estimate.interval
    if made is None and estimate.value is not None and estimate.no_interval is Undefined.ZERO_WIDTH:
        made = Interval(estimate.value, estimate.value, LEVEL, "everything judged")
    return made is not None and StopRule(question.half_width, question.threshold).settled(made)


def money_for(pay: str, judgments: int) -> str:
    """What judgments cost, in the words of the study's pay; empty: it names no sum."""
    found = _PAY.fullmatch(pay.strip())
    if found is None:
        return ""
    before, number, after = found.groups()
    amount = f"{before}{judgments * float(number.replace(',', '.')):,.2f}"
    return f"{amount} {after}" if after else amount
