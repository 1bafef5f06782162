"""The headline of a report: one sentence for readers who know no statistics, and what its words mean.

It claims no more than the summary below it: a system is best alone only where the test says so of every pair with it,
and a share of a person is given only where annotators show what a person scores.
"""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.api.corpus_results import CorpusStudy, HooStudy, Study
from errorbar.core.estimate import Interval
from errorbar.core.labels import join_words
from errorbar.metrics.scores import Score
from errorbar.reporting.sections.figures import (
    MOST_LISTED,
    TWO,
    HumanShare,
    human_share,
    main_measure,
    of_all_text,
    rank_systems,
    value_text,
)
from errorbar.reporting.sections.hoo import order_runs, plain_f

PARTS = {1 / 4: "a quarter", 1 / 3: "a third", 1 / 2: "half", 2 / 3: "two thirds", 3 / 4: "three quarters"}
NEAR = 0.02
"""A share this near to one of ``PARTS`` is called by its name."""
CHANCE = "no test was run, so the lead may be chance"


def headline(studies: Sequence[Study]) -> str:
    """The sentence on the first study that has one; empty where none has."""
    return next(filter(None, map(_headline, studies)), "")


def _headline(study: Study) -> str:
    if isinstance(study, HooStudy):
        return _of_runs(study)
    return _of_systems(study) if isinstance(study, CorpusStudy) and study.scores else ""


def _of_runs(study: HooStudy) -> str:
    if not study.scores:
        return ""
    order, n = order_runs(study.scores), len(study.scores)
    if not plain_f(order[0]).value:
        return f"None of {n} runs corrects anything as the gold edits do." if n > 1 else ""
    return f"{order[0].system} corrects best {of_all_text(n, 'run')}, but {CHANCE}." if n > 1 else ""


def _of_systems(study: CorpusStudy) -> str:
    order = [study.scores[k] for k in rank_systems(study)]
    n, compared = len(order), study.comparison
    best = order[0] if compared is None else _named(order, compared.ranking()[0].name)
    measure, value = main_measure(best), best[best.main].value
    if value is None:
        why = best[best.main].undefined or "it is undefined"
        return f"{best.system} has no score: {why}." if n == 1 else f"None of {n} systems has a score."
    if value == 0 and measure.better == "higher":
        nothing = f"{'finds' if _detects(study) else 'corrects'} nothing as the annotators do"
        return f"{best.system} {nothing}." if n == 1 else f"No system of {n} {nothing.replace('nothing', 'anything')}."
    judged, these = "", f"these {len(study.annotators)} annotators"
    if compared is not None and compared.found.test.judges is None and len(study.annotators) > 1:
        judged = f"By the judgment of {these}, "
    share = human_share(study, best.system)
    person, unknown = _person(study, share, "one of them" if judged else f"one of {these}")
    if n == 1:
        score = f"scores {value_text(value, measure.kind)}{' of 100' * (measure.kind == 'percent')}"
        claim = f"{_verb(study)} {person}" if person else score
        return f"{best.system} {claim}.{unknown}"
    tied = [score.system for score in order if score[score.main].value == value]
    who, plural = join_words(tied, MOST_LISTED), len(tied) > 1
    if len(tied) == n:
        return f"{judged}{who} score alike{f', {person}' if person else ''}.{unknown}"
    first = "share the first place" if plural else f"{_verb(study)} best"
    among = f" among {n} systems" if plural else f" {of_all_text(n, 'system')}"
    beside = f", {person}" if person else ""
    return f"{judged}{who} {first}{among}{beside}{_doubt(study, best.system, tied)}.{unknown}"


def _named(scores: Sequence[Score], name: str) -> Score:
    return next(score for score in scores if score.system == name)


def _doubt(study: CorpusStudy, best: str, tied: Sequence[str]) -> str:
    """The systems that may be as good as the best one; empty where the test rules them all out."""
    if study.comparison is None:
        return f", but {CHANCE}"
    results: dict[str, list[str]] = {}
    for pair in study.comparison.pairs:
        other = pair.second if pair.first == best else pair.first
        if best in (pair.first, pair.second) and other not in tied:
            results.setdefault(pair.verdict.result, []).append(other)
    n = len(study.scores) - len(tied)
    equal = results.get("not significant", []) + results.get("score alike", [])
    undecided = results.get("undecided", [])
    if len(undecided) == n:
        return ", but there is too little data to tell which is best"
    doubts = []
    if equal:
        which = join_words(equal, MOST_LISTED) if len(equal) < n or n == 1 else f"any of the other {n}"
        doubts.append(f"{which} may be as good")
    if undecided:
        doubts.append(f"there is too little data to tell of {join_words(undecided, MOST_LISTED)}")
    return f", but {' and '.join(doubts)}" if doubts else ""


def _person(study: CorpusStudy, share: HumanShare | None, annotator: str) -> tuple[str, str]:
    """How well a system does beside a person, and a sentence where nothing shows that; either is empty.

    Where judges are not drawn anew, it is beside these annotators, of whom one is called ``annotator``.
    """
    n = len(study.annotators)
    if n == 1:
        return "", " One annotator cannot show how well a person does."
    if share is None or share.lower_is_better:
        return "", ""
    if share.is_unclear:
        return "", f" {'Two' if n == TWO else n} annotators cannot show how well a person does."
    person = "a person" if share.wider is not None else annotator
    ends = share.wider or share.ends
    if isinstance(ends, Interval) and ends.low > 1:
        return f"better than {person}", ""
    if share.value > 1 - NEAR or (isinstance(ends, Interval) and ends.high >= 1):
        return f"{'about' if share.value > 1 - NEAR else 'perhaps'} as well as {person}", ""
    near = min(PARTS, key=lambda part: abs(part - share.value))
    part = PARTS[near] if abs(near - share.value) <= NEAR else f"{100 * share.value:.0f}%"
    return f"about {part} as well as {person}", ""


def _detects(study: CorpusStudy) -> bool:
    """Whether the metric looks where errors are and not at corrections."""
    return study.metric.detects or str(getattr(study.metric, "mode", "")).startswith("d")


def _verb(study: CorpusStudy) -> str:
    if _detects(study):
        return "detects errors"
    return "corrects" if study.metric.name in ("m2", "errant", "gleu", "behavior") else "scores"


def terms(studies: Sequence[Study]) -> list[str]:
    """The words of headline and summary, explained where they first stand."""
    study = next((study for study in studies if isinstance(study, CorpusStudy) and study.scores), None)
    if study is None:
        return []
    score = study.scores[0]
    measure = main_measure(score)
    summary = study.metric.summary
    lines = [f"{summary}." if summary.startswith(measure.title) else f"{measure.title} ({summary})."]
    if {"precision", "recall", "f"} <= score.estimates.keys() and score.beta is not None:
        flags, errors = ("flags", "errors") if _detects(study) else ("corrections", "corrections")
        lines = [
            f"{measure.title} runs from 0 to 100 and joins precision (the share of a system's {flags} that are right) "
            f"and recall (the share of the annotators' {errors} that it finds); {_weight(score.beta)}."
        ]
    best = study.scores[rank_systems(study)[0]].system
    share = human_share(study, best)
    if share is not None and not (share.lower_is_better or share.is_unclear):
        lines.append(
            "A person: each annotator's own corrections, scored like a system's against those of the others. Their "
            f"mean {measure.title} counts as 100%."
        )
    return lines


def _weight(beta: float) -> str:
    """The weights of precision and recall in words."""
    if beta == 1:
        return "both count alike"
    more, times = ("precision", 1 / beta) if beta < 1 else ("recall", beta)
    return f"{more} counts {'twice' if times == TWO else f'{times:g} times'} as much"
