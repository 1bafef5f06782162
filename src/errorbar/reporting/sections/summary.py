"""A report's headline and its summary in two or three plain sentences, true for any input.

Nothing is called better, worse or different unless the two were compared and the adjusted p-value says so; "not
significantly better" is said of pairs, never of chains, and only where some difference could have been significant.

The headline is one sentence for readers who know no statistics; beside it stands what its words mean. It claims no more
than the summary below it: a system is best alone only where the test says so of every pair with it,
and a share of a person is given only where annotators show what a person scores.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from errorbar.api.corpus_results import CorpusStudy, CrowdStudy, HooStudy, SampleStudy, Study
from errorbar.api.paper import editors_line
from errorbar.api.pools import best_line
from errorbar.core.estimate import Interval
from errorbar.core.labels import join_words
from errorbar.metrics.comparison import level_text
from errorbar.metrics.scores import Score
from errorbar.reporting.sections.annotators import references_sentence
from errorbar.reporting.sections.crowd import detector_summary
from errorbar.reporting.sections.figures import (
    MOST_LISTED,
    TWO,
    UNTESTED,
    HumanShare,
    as_sentence,
    count_noun,
    ends_text,
    human_share,
    judges_interval,
    main_measure,
    of_all_text,
    phrase_estimate,
    rank_systems,
    superlative,
    value_text,
)
from errorbar.reporting.sections.types import CORRECTION, order_runs, plain_f
from errorbar.tables.table import Column

WHOLE = Column("", "percent", digits=0)


def summary(studies: Sequence[Study]) -> list[str]:
    """Two or three sentences for each study, the most important first."""
    return [sentence for study in studies for sentence in (*_sentences(study), *_detectors(study))]


def _detectors(study: Study) -> list[str]:
    detectors = study.detectors if isinstance(study, CorpusStudy | CrowdStudy) else None
    return [] if detectors is None else [detector_summary(detectors)]


def _sentences(study: Study) -> list[str]:
    if isinstance(study, CorpusStudy):
        line = editors_line(study.editors) if study.editors else ""
        lines = [line, "" if study.references is None else references_sentence(study.references)]
        own = [as_sentence(line) for line in lines if line]
        return [_scores(study), *_comparison(study), *own, *_pools(study), *_human(study)]
    if isinstance(study, HooStudy):
        return _hoo(study)
    return _crowd(study) if isinstance(study, CrowdStudy) else _sample(study)


def whose_references(study: CorpusStudy) -> str:
    """The words for what systems are scored against: ``2 annotators``, or references made for each."""
    return "references of its own output" if study.editors else count_noun(len(study.annotators), "annotator")


def _scores(study: CorpusStudy) -> str:
    """A sentence on the highest score, without a claim that the difference is real."""
    against = f"{whose_references(study)} on {count_noun(study.n_sentences, 'sentence')}"
    if not study.scores:
        return f"No system was scored; {against} are described."
    order = [study.scores[k] for k in rank_systems(study)]
    best, n, measure = order[0], len(order), main_measure(order[0])
    main, name = best[best.main], measure.title
    if main.value is None and n == 1:
        return f"{best.system} has no {name} against {against}: {main.undefined or 'it is undefined'}."
    if main.value is None:
        return f"None of {count_noun(n, 'system')} has a value of {name} against {against}."
    top = [score.system for score in order if score[score.main].value == main.value]
    if main.value == 0 and measure.better == "higher" and n > 1:
        others = "" if len(top) == n else f"; {count_noun(n - len(top), 'other')} without a value"
        return (
            f"{name} of {count_noun(len(top), 'system')} is {value_text(0.0, measure.kind)} against {against}{others}."
        )
    shown = phrase_estimate(main, measure.kind, judges_interval(best))
    shown = shown.replace("texts and judges", "texts and editors") if best.own else shown
    # A score that a convention makes is said to be one.
    why = next((e.undefined for e in (main, *best.estimates.values()) if e.undefined is not None), None)
    filled = f" That value is set by convention: {why}." if why is not None and main.value and len(top) == 1 else ""
    if n == 1:
        return f"{best.system} scores {name} {shown} against {against}.{filled}"
    if len(top) == n == 2:
        claim = f"{join_words(top)} have the same {name}"
    else:
        who = f"{join_words(top, MOST_LISTED)} {'has' if len(top) == 1 else 'have'}"
        known = n if order[-1][best.main].value is not None else 0  # nobody is higher than one without a value
        of = of_all_text(n, "system") if known else f"of {n} systems"
        claim = f"{who} the {superlative(measure.better, known)} {name} {of}"
    return f"{claim}, {shown}, against {against}.{filled}"


def _comparison(study: CorpusStudy) -> list[str]:
    """The conclusion on the first system from its own pairs.

    Not to differ significantly is not transitive, so only pairs with the first system count, not letters or chains.
    """
    if len(study.scores) < 2:
        return []
    if study.comparison is None:
        return [UNTESTED]
    alpha, unit = 1 - study.confidence_level, study.unit
    if len(study.scores) == 2:
        return [f"{study.comparison.pairs[0].sentence(unit, main_measure(study.scores[0]).sign)}."]
    # By what the pairs are about: against sets of judges another system may be ahead than against all of them.
    best, *others = (row.name for row in study.comparison.ranking())
    every_pair = study.comparison.found.pairs
    pairs = {p.second if p.first == best else p.first: p for p in every_pair if best in (p.first, p.second)}
    why = next((pair.why_undecided(unit) for pair in every_pair if pair.undecided), "")
    n, level = len(others), f"at the {level_text(alpha)} level, adjusted for all pairs"
    # No other system has a better value, so a significant difference is in its favor.
    better = [name for name in others if pairs[name].significant]
    undecided = [name for name in others if pairs[name].undecided]
    equal = [name for name in others if name not in {*better, *undecided}]
    if len(better) == n:
        return [f"{best} is significantly better than each of the other {n} {level}."]
    if len(undecided) == n:
        return [f"Whether {best} is better than any of the other {n} is undecided: {why} {level}."]
    claims = []
    if equal:
        which = f"any of the other {n}" if len(equal) == n else join_words(equal, MOST_LISTED)
        claims.append(f"is not significantly better than {which}")
    if better:  # counted, since their names may be many
        many = f"{len(better)} of the other {n}" if undecided else f"the other {len(better)}"
        claims.append(f"is significantly better than {better[0] if len(better) == 1 else many}")
    text = f"{best} {claims[0]} {level}" + "".join(f"; it {claim}" for claim in claims[1:])
    if undecided:
        text += f"; against {join_words(undecided, MOST_LISTED)} it is undecided: {why}"
    return [f"{text}."]


def _pools(study: CorpusStudy) -> list[str]:
    """Who has the best score in each pool of judges, and pairs whose order depends on the pool."""
    compared = None if study.comparison is None else study.comparison.pools
    if compared is None:
        return []
    winners = [(name, compared.best(at)) for at, name in enumerate(compared.pool_names)]
    depends = [compared.sentence(pair) for pair in compared.pairs if compared.order_depends(pair)]
    n = len(depends) - 1
    more = f" and {count_noun(n, 'more pair')} {'is' if n == 1 else 'are'} so" if n > 0 else ""
    lines = [best_line(winners), *(f"{line}{more}" for line in depends[:1])]
    return [as_sentence(line, compared.names) for line in lines]


def _human(study: CorpusStudy) -> list[str]:
    if study.ceiling is None:
        alone = len(study.annotators) == 1 and not study.editors
        return ["With one annotator nothing says what a human would score."] if alone else []
    by_size = study.ceiling.found
    measure = by_size.measures[by_size.main]
    name, against = measure.title, count_noun(by_size.sizes[-1], "reference")
    human = value_text(float(by_size.human[-1, by_size.main]), measure.kind)
    best = study.scores[rank_systems(study)[0]].system if study.scores else ""
    if best not in by_size.systems:
        return [f"A human scores {name} {human} against {against}."]
    share = human_share(study, best)
    if share is None:
        return [f"Against {against} a human scores {name} {human}, so there is no share of it to give."]
    mine = value_text(float(by_size.scores[by_size.systems.index(best), -1, by_size.main]), measure.kind)
    most = int(np.nanargmax(by_size.ratio[:, -1]))
    other, further = by_size.systems[most], float(by_size.ratio[most, -1])
    # The leaderboard has every annotator for a reference, this comparison one fewer: another system may lead here.
    more = f"; {other} comes closest to a human, at {100 * further:.0f}%" if further > share.value else ""
    n = share.n_humans
    reached = f"{100 * share.value:.0f}%{ends_text(share.ends, WHOLE, share.wider, '%')}"
    if share.is_unclear:
        who = "Two annotators" if n == TWO else f"{n} annotators"
        phrase = "each scores against the other" if n == TWO else "they score against each other"
        return [
            f"{who} cannot tell what a human scores: {best} reaches {reached} of what {phrase} ({name} {mine} against "
            f"{human}){more}."
        ]
    of = "a human scores" if share.wider is not None else f"these {n} annotators score"
    why = f", since a human is scored against the other {f'{n - 1} annotators' if n > 2 else 'annotator'}"
    against += f"{why if by_size.sizes[-1] == n - 1 else ''},"
    return [f"With {against} {best} reaches {reached} of what {of} ({name} {mine} against {human}){more}."]


def _hoo(study: HooStudy) -> list[str]:
    if not study.scores:
        return ["No run was scored."]
    order = order_runs(study.scores)
    best = order[0]
    correction, detection = (plain_f(best, measure) for measure in (CORRECTION, "detection"))
    value = f"{phrase_estimate(correction)}; for detection it is {phrase_estimate(detection)}"
    if len(order) == 1:
        return [f"{best.system} has F of correction {value}."]
    if not correction.value:
        return [f"None of {len(order)} runs corrects anything as the gold edits do: F of correction is 0 or undefined."]
    n = len(order)
    rank = f"the {superlative('higher', n)} F of correction {of_all_text(n, 'run')} without bonus"
    return [f"{best.system} has {rank}, {value}.", UNTESTED]


def _crowd(study: CrowdStudy) -> list[str]:
    lines = [
        f"{count_noun(study.n_raters, 'rater')} gave {count_noun(study.n_judgments, 'judgment')} of "
        f"{count_noun(study.n_items, 'item')}{_alpha(study)}."
    ]
    named = [(row.system, row.score) for row in study.scores.rows if row.score.estimand == "weighted"]
    if not named:
        return lines
    system, score = max(named, key=lambda pair: -1.0 if pair[1].f.value is None else pair[1].f.value)
    title, value = f"The crowd-weighted F{score.beta:g} of {system}", phrase_estimate(score.f)
    if len(named) == 1 or score.f.value is None:
        return [*lines, f"{title} is {value}."]
    n = len(named)
    of = "of the two" if n == 2 else f"of {n} systems"
    return [*lines, f"{title}, {value}, is the {superlative('higher', n)} {of}; no test was run."]


def _alpha(study: CrowdStudy) -> str:
    if study.agreement is None:
        return ""
    alpha = study.agreement.report.coefficients["krippendorff"]
    if alpha.value is None:
        return f"; Krippendorff's alpha is undefined ({alpha.undefined})" if alpha.undefined else ""
    ends = alpha.interval
    shown = "" if ends is None else f" ({100 * ends.confidence_level:g}% interval {ends.low:.2f}–{ends.high:.2f})"
    return f", with Krippendorff's alpha {alpha.value:.2f}{shown}"


def _sample(study: SampleStudy) -> list[str]:
    lines = []
    for system in study.systems[:2]:
        precision, recall = system["P"].estimate, system["R"].estimate
        lines.append(
            f"From {study.n_judged:,} judged of {study.n_items:,} items, precision of {system.system} is estimated at "
            f"{phrase_estimate(precision)} and recall at {phrase_estimate(recall)}."
        )
    f = next((apart for apart in study.differences if apart.name == "F"), None)
    if f is not None and f.estimate.value is not None and f.estimate.interval is not None:
        ends = f.estimate.interval
        real = "does not hold 0" if ends.low > 0 or ends.high < 0 else "holds 0"
        shown = f"{100 * ends.low:+.2f} to {100 * ends.high:+.2f}"
        lines.append(
            f"Their difference in F is {100 * f.estimate.value:+.2f} points; its {100 * ends.confidence_level:g}% "
            f"interval, {shown}, {real}."
        )
    return lines


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
