"""What a study's question is about, estimated from the items that count."""

from __future__ import annotations

import numpy as np

from errorbar.core.errors import ErrorbarError
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.judging.corpus_questions import SEVERAL
from errorbar.judging.stop_question import SCORES, StopQuestion
from errorbar.judging.study_columns import Ints, StudyColumns
from errorbar.judging.study_key import StudyKey, systems_of
from errorbar.sampling import Anytime, Key, Tally, anytime_audit
from errorbar.sampling.anytime import WANTED
from errorbar.sampling.audited import estimate_audit
from errorbar.sampling.stopping import tally_interval
from errorbar.studies.audit_frame import AuditKey
from errorbar.studies.audit_judged import judge_edits
from errorbar.studies.audit_verdicts import Rule, read_verdicts
from errorbar.studies.sample import sample_estimate

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
    """What is estimated, in words."""
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
        found = sample_estimate(
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
    systems = found.found.systems
    one = next((each for each in systems if each.system == question.system), systems[0])
    return one[question.of].estimate


def _precision(question: StopQuestion, judgments: Judgments, key: AuditKey) -> Estimate:
    """As ``errorbar audit estimate`` has it of the study's export."""
    try:
        found = judge_edits(key, read_verdicts(judgments, Problems()), Rule.of(question.valid), Problems())
    except ErrorbarError:
        return NOTHING
    at = systems_of(key).index(question.system) if question.system else 0
    strata = key.frame.strata
    if question.interval == "anytime":
        return anytime_audit(strata, found.heard, at, how=Anytime(question.half_width or WANTED), level=LEVEL)
    return estimate_audit(strata, found.heard, level=LEVEL)[0][at].precision


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
    votes, against = (np.bincount(item[each], minlength=n) for each in (yes, no))
    tally = Tally(int((votes > against).sum()), int((votes != against).sum()), size)
    if not tally.judged:
        return NOTHING
    made = tally_interval(tally, LEVEL, anytime=question.interval == "anytime")
    return Estimate(tally.positive / tally.judged, tally.judged).with_interval(made)


def sides(question: StopQuestion, study: StudyColumns) -> Ints:
    """Of each item 1 where the first candidate is that of ``first``, -1 where it is the second, 0: other texts."""
    if not question.first:
        return np.ones(len(study.items), np.int64)
    found = []
    for facts in study.items:
        one, two = ([name.strip() for name in names.split(SEVERAL)] for names in (facts.names or ("", "")))
        forward = question.first in one and question.second in two
        found.append(int(forward) - int(question.first in two and question.second in one))
    return np.array(found, np.int64)
