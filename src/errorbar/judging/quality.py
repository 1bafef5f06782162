"""The quality of a rater while they work: gold answers, haste, self-consistency, a leaning to one side.

Formula
    Trust: (c + 1) / (n + 2) after c of n gold answers were right, the mean accuracy under a uniform prior.
    Haste: an answer is hasty below 300 ms and 40 ms for each word that the rater had not read before: at 1,500 words a
    minute nobody reads, and nobody decides and presses a key in less than 300 ms.
    Self-consistency: the share of repeated items that the rater answered alike both times, in the items' own terms, so
    that sides do not matter. Position: P(top), the share of the upper candidate among the answers that chose a side.
    Both with Wilson's interval.
Conventions
    A gold answer counts as it stands now, in the order of the first answers; an answer that is right or wrong of no
    item (Unknown) does not count. Those given before a rater was readmitted do not count any more: who readmits knew of
    them. A text that the rater has answered before, about another place perhaps, has no new words.
    Every answer, to gold or not, reads, writes and tests the rater's gold answers so far, which stand in the rater's
    row: if only gold did, the time until it is acknowledged would tell it.
Source
    Crowd platforms for hidden gold; Laplace for trust; Wilson 1927. Adults read 238 words a minute silently, most of
    them 175 to 300 (Brysbaert 2019, Journal of Memory and Language 109).
"""

from __future__ import annotations

import json
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sqlalchemy import Connection, and_, func, select

from errorbar.core.arrays import Floats
from errorbar.core.labels import format_count
from errorbar.crowdsourcing.rater_table import RaterRule, RaterVerdict, fixed, follow, posterior, sprt
from errorbar.judging.answers import is_right
from errorbar.judging.question_kinds import kind_of_question
from errorbar.judging.scheme import JudgedItem, Scheme
from errorbar.judging.store.tables import ANSWER, ASSIGNMENT, EXCLUSION, ITEM, RATER
from errorbar.judging.study.rules import StudyRules, read_about

if TYPE_CHECKING:
    from sqlalchemy import Row


# When answers to gold items are reason enough to exclude a rater: a test for each class, after every gold answer.
#
# Formula The rules are those of ``errorbar.crowdsourcing.rater_table``. ``sequential``: Wald's test of an accuracy of
# .85 against .60 with 5 % of either error: after c of n gold items of a class were right, L = c log(.85/.60) + (n - c)
# log(.15/.40); the class fails once L <= -log 19, passes once L >= log 19, and what is decided stays decided.
# ``posterior``: fails once P(accuracy < ``policy_share`` | Beta(c + 1, n - c + 1)) > .95, from 4 gold items on.
# ``fixed``: fails if c/n < ``policy_share`` at n = ``policy_gold``, all classes taken together. Conventions A rater is
# excluded once any class fails: who answers OK to everything is right on nine tenths of a gold set that is nine tenths
# OK, and wrong on every error. A class without a gold answer fails nobody. Where right answers are not from a list
# (the cloze test), all gold items are one class. Source Wald 1945, Sequential tests of statistical hypotheses, Annals
# of Mathematical Statistics 16(2).


POLICY = "policy"
"""By whom raters are excluded for their gold answers."""
GOOD, BAD, ERROR = 0.85, 0.60, 0.05
"""Accuracies that the sequential test tells apart, and how often it may err."""
TOGETHER = "gold"
"""The class of all gold items where they are not told apart."""


@dataclass(frozen=True, slots=True)
class ClassTest:
    """The gold answers of a rater to the items of one class."""

    label: str  # the right answer
    n: int
    right: int
    verdict: RaterVerdict


def rule_of(rules: StudyRules) -> RaterRule | None:
    """The rule of a study's policy; None: no rater is excluded by it."""
    if rules.policy == "sequential":
        return sprt(GOOD, BAD, ERROR)
    if rules.policy == "posterior":
        return posterior(rules.policy_share)
    return fixed(rules.policy_share, rules.policy_gold) if rules.policy == "fixed" else None


def class_tests(rules: StudyRules, answers: Sequence[tuple[str, bool]]) -> list[ClassTest]:
    """The verdict of the policy on a rater's gold answers.

    Args:
        rules: Of the study.
        answers: Class, and whether the answer was right, in the order in which they were given.
    """
    rule = rule_of(rules)
    named = [(TOGETHER, right) for _, right in answers] if rules.policy == "fixed" else answers
    return [
        ClassTest(label, len(run), sum(run), RaterVerdict.WATCH if rule is None else follow(rule, run))
        for label, run in _by_class(named)
    ]


def _by_class(answers: Sequence[tuple[str, bool]]) -> list[tuple[str, list[bool]]]:
    """Whether answers were right, for each class, in the order in which they were given."""
    runs: dict[str, list[bool]] = {}
    for label, right in answers:
        runs.setdefault(label, []).append(right)
    return sorted(runs.items())


def describe_failures(rules: StudyRules, answers: Sequence[tuple[str, bool]]) -> str:
    """The classes that a rater with these gold answers fails, for the manager to read; empty: none."""
    failed = [test for test in class_tests(rules, answers) if test.verdict is RaterVerdict.DROP]
    return "; ".join(_describe_failure(test.label, test.right, test.n) for test in failed)


def _describe_failure(label: str, right: int, n: int) -> str:
    of_class = "" if label == TOGETHER else f" where '{label}' is right"
    return f"{right} of {format_count(n, 'gold items')} right{of_class}"


def reason_to_exclude(rules: StudyRules, answers: Sequence[tuple[str, bool]]) -> str | None:
    """Why a rater with these gold answers is to be excluded, for the manager to read; None: there is no reason."""
    failures = describe_failures(rules, answers)
    return f"{failures} (policy: {rules.policy})" if failures else None


DECIDING, PER_WORD = 300, 40
"""Milliseconds of an answer, and of each word that is new to the rater: static/haste.js has the same."""
IN_A_ROW = 3
"""Hasty answers after which a rater is asked to pause."""


@dataclass(frozen=True, slots=True)
class GoldAnswers:
    """A rater's answers to hidden gold items so far, in the order in which they were first given.

    Attributes:
        answers: Number of the assignment, class, and whether the answer that stands is right (None: it does not count).
    """

    answers: tuple[tuple[int, str, bool | None], ...] = ()

    @classmethod
    def from_json(cls, text: str) -> GoldAnswers:
        """Of what stands in the rater's row."""
        return cls(tuple((number, label, right) for number, label, right in json.loads(text)))

    def to_json(self) -> str:
        """For the rater's row."""
        return json.dumps(self.answers, ensure_ascii=False, separators=(",", ":"))

    def having(self, assignment: int, label: str, right: bool | None, *, first: bool) -> GoldAnswers:
        """With an answer, at its end or in the place of the one before; one from before a readmission stays out."""
        new = (assignment, label, right)
        return GoldAnswers(
            (*self.answers, new)
            if first
            else tuple(new if answer[0] == assignment else answer for answer in self.answers)
        )

    def counted(self) -> list[tuple[str, bool]]:
        """Class, and whether the answer is right, of those that count."""
        return [(label, right) for _, label, right in self.answers if right is not None]


def after_answer(rules: StudyRules, gold: GoldAnswers) -> str | None:
    """Why a rater with these gold answers is to be excluded; None: there is no reason."""
    return None if rules.policy == "none" else reason_to_exclude(rules, gold.counted())


CLEARLY = posterior(least=3)
"""Gold answers that are worth a look whatever the policy: all together, or of a class, nearly certainly below .70."""
HASTY_SHARE = 0.2
"""The share of answers that came too fast from which on a rater is worth a look."""


def find_doubts(tx: Connection, haste: Mapping[str, tuple[Floats, NDArray[np.bool_]]]) -> dict[int, str]:
    """Raters, by their keys, whom the manager should look at, and why.

    That is, whose gold answers fail the study's policy (without one, ``sequential``) or are nearly certainly too often
    wrong, or who answered too fast too often. A policy excludes raters by itself; it may need more gold answers than
    anybody gives. Who was readmitted is judged by what came since; the policy excludes for gold answers alone, so that
    answers before an exclusion of its own were too fast still.

    Args:
        tx: A snapshot of the store.
        haste: By the name of each rater when their answers came, and which were too fast.
    """
    about = read_about(tx)
    rules = replace(about.rules, policy="sequential") if about.rules.policy == "none" else about.rules
    looked_at = select(EXCLUSION.c.rater, func.max(EXCLUSION.c.until)).where(EXCLUSION.c.by != POLICY)
    since = {rater: until for rater, until in tx.execute(looked_at.group_by(EXCLUSION.c.rater)) if until}
    doubts = {}
    fields = (RATER.c.id, RATER.c.name, RATER.c.gold)
    for rater in tx.execute(select(*fields).where(RATER.c.status == "active")).all():
        gold = gold_answers(tx, about.scheme, rater.id) if rater.gold is None else GoldAnswers.from_json(rater.gold)
        failure = describe_failures(rules, gold.counted()) or _describe_clear_failures(gold.counted())
        at, flags = haste.get(rater.name, (np.zeros(0), np.zeros(0, np.bool_)))
        flags = flags[at > since.get(rater.id, 0.0)]
        n, of = int(flags.sum()), format_count(len(flags), "answers")
        too_fast = (
            f"{n:,} of {of} too fast to have read the text" if n >= max(IN_A_ROW, HASTY_SHARE * len(flags)) else ""
        )
        doubts[rater.id] = "; ".join(filter(None, [failure, too_fast]))
    return {rater: doubt for rater, doubt in doubts.items() if doubt}


def _describe_clear_failures(answers: Sequence[tuple[str, bool]]) -> str:
    """The classes whose answers are clearly bad, else all answers together if these are; empty: neither."""
    tests = [(label, sum(run), len(run)) for label, run in _by_class(answers)]
    failed = [test for test in tests if CLEARLY.decide(test[2], test[1]) is RaterVerdict.DROP]
    right, n = sum(test[1] for test in tests), len(answers)
    if not failed and CLEARLY.decide(n, right) is RaterVerdict.DROP:
        failed = [(TOGETHER, right, n)]
    return "; ".join(_describe_failure(*test) for test in failed)


def fewest_to_fail(rules: StudyRules) -> int | None:
    """How many gold answers, all wrong, the policy needs to exclude a rater; None: it excludes nobody."""
    rule = rule_of(rules)
    if rule is None:
        return None
    # Who has more wrong answers and none right is no better: by halves, as a policy may need thousands.
    return 1 + bisect_left(range(1, 2**31), True, key=lambda n: rule.decide(n, 0) is RaterVerdict.DROP)


def count_gold_of_rater(rules: StudyRules, gold: Mapping[str, int], n_work: int) -> dict[str, int]:
    """How many gold items of each class hide at most in the work of one rater.

    Args:
        rules: Of the study.
        gold: How many there are of each class.
        n_work: Items for work.
    """
    left, seen = dict(gold), dict.fromkeys(gold, 0)

    def take(n: int) -> None:
        for _ in range(min(n, sum(left.values()))):
            label = min((label for label in left if left[label]), key=lambda label: seen[label])
            left[label] -= 1
            seen[label] += 1

    take(rules.quiz + rules.training)
    seen = dict.fromkeys(gold, 0)
    of_work = max(rules.page - rules.gold_per_page, 1)
    pages, rest = divmod(rules.items_per_rater, rules.page) if rules.items_per_rater else (-(-n_work // of_work), 0)
    take(pages * rules.gold_per_page + min(rest, rules.gold_per_page))
    return seen


def gold_answers(tx: Connection, scheme: Scheme, rater_id: int) -> GoldAnswers:
    """A rater's gold answers, counted from the tables."""
    readmitted = tx.scalar(select(func.max(EXCLUSION.c.until)).where(EXCLUSION.c.rater == rater_id))
    rows = _read_answers(tx, rater_id, readmitted or 0.0)
    return GoldAnswers(tuple((row.id, class_of(scheme, row.gold_class), _right(scheme, row)) for row in rows))


def class_of(scheme: Scheme, label: str) -> str:
    """The class in which a gold item is tested, by its first right answer."""
    return label if has_answer_classes(scheme) else TOGETHER


def has_answer_classes(scheme: Scheme) -> bool:
    """Whether the right answers of gold items are few enough to test each alone: options of a list."""
    return kind_of_question(scheme.question(scheme.main)).has_classes


def _read_answers(tx: Connection, rater_id: int, since: float) -> Sequence[Row[Any, Any, Any, Any, Any]]:
    first = ANSWER.alias("first")
    joined = (
        ASSIGNMENT.join(ITEM, ITEM.c.id == ASSIGNMENT.c.item)
        .join(ANSWER, and_(ANSWER.c.assignment == ASSIGNMENT.c.id, ANSWER.c.version == ASSIGNMENT.c.version))
        .join(first, and_(first.c.assignment == ASSIGNMENT.c.id, first.c.version == 1))
    )
    wanted = and_(
        ASSIGNMENT.c.rater == rater_id,
        ASSIGNMENT.c.round == "main",
        ITEM.c.kind == "gold",
        first.c.at > since,
    )
    columns = (ASSIGNMENT.c.id, ITEM.c.payload, ITEM.c.gold_class, ASSIGNMENT.c.reversed, ANSWER.c.answer)
    return tx.execute(select(*columns).select_from(joined).where(wanted).order_by(first.c.id)).all()


def _right(scheme: Scheme, row: Row[Any, Any, Any, Any, Any]) -> bool | None:
    answer = json.loads(row.answer)
    return None if answer is None else is_right(scheme, JudgedItem.from_json(row.payload), bool(row.reversed), answer)


def trust(right: int, n: int) -> float:
    """The smoothed share of right gold answers; 0.5 without any."""
    return (right + 1) / (n + 2)


def flag_hasty_answers(milliseconds: ArrayLike, words: ArrayLike, texts: ArrayLike) -> NDArray[np.bool_]:
    """Flag answers of one rater that came too fast to have read the text.

    Args:
        milliseconds: Of each answer, in their order; shape (answers,); 0 and less: not known, never hasty.
        words: Of each text.
        texts: A number for each text, the same for equal texts: one that was read before has no new words.
    """
    times, numbers = np.asarray(milliseconds, np.float64), np.asarray(texts)
    is_new = np.zeros(len(times), np.bool_)
    is_new[np.unique(numbers, return_index=True)[1]] = True
    least = DECIDING + PER_WORD * np.where(is_new, np.asarray(words, np.float64), 0)
    return np.asarray((times > 0) & (times < least), np.bool_)


def pauses(flags: ArrayLike) -> int:
    """How many runs of hasty answers are long enough to ask the rater to pause; answers in their order."""
    n_pauses = run = 0
    for flag in np.asarray(flags, np.bool_).tolist():
        run = run + 1 if flag else 0
        n_pauses += run == IN_A_ROW
    return n_pauses
