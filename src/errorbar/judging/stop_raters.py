"""How far a study's question rests on raters who may be excluded yet, and on labels that exclusions have turned.

Conventions
    An interval that holds at every look does so for labels that stay. When a rater is excluded, others judge in their
    place, and labels that had counted may turn. So where gold items exclude raters, a question is decided only if the
    items whose raters gold has tested decide it too. Tested is who passed the quiz, and who answered so many gold items
    of each class that one who is always wrong would have been excluded. Which raters an item gets does not depend on
    what it is, so that such items are a random part of those that count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from errorbar.crowdsourcing.rater_table import RaterVerdict, follow
from errorbar.judging.rater_quality import classed
from errorbar.judging.sequential import TOGETHER, rule_of
from errorbar.judging.study_columns import Ints, StudyColumns

_MOST = 100
Flags = NDArray[np.bool_]


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
    apart = rules.policy != "fixed" and classed(study.about.scheme)
    names = np.array([item.gold if apart else TOGETHER for item in study.items])  # no other items are in the rows
    rows = study.tested[study.right >= 0]
    tested = np.ones(n, np.bool_)
    for name in sorted({*gold}) if apart else [TOGETHER]:
        there = gold.count(name) if apart else len(gold)
        had = np.bincount(study.rater[rows[names[study.item[rows]] == name]], minlength=n)
        tested &= had >= min(enough, there)
    return tested | quiz


def turned(study: StudyColumns, items: Ints) -> tuple[int, int]:
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
    """What most say; -1: a tie."""
    counts = np.bincount(labels, minlength=1)
    return int(counts.argmax()) if len(labels) and (counts == counts.max()).sum() == 1 else -1
