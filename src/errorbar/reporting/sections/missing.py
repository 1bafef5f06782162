"""Which sections a report does without, and why: nothing is left out silently."""

from __future__ import annotations

from collections.abc import Sequence

from errorbar.core.errors import Place, Problem
from errorbar.studies.model import CorpusStudy, CrowdStudy, HooStudy, Study


def left_out(studies: Sequence[Study]) -> list[Problem]:
    """What is said of each part that the data does not allow."""
    return [
        Problem("report-no-section", line, Place(study.name), severity="warning")
        for study in studies
        for line in _lines(study)
    ]


def _lines(study: Study) -> list[str]:
    if isinstance(study, CorpusStudy):
        return _corpus(study)
    if isinstance(study, HooStudy):
        return [] if study.scores else ["no section of runs: no run was given"]
    if isinstance(study, CrowdStudy):
        scored = [] if study.systems else ["no scores against the crowd: no flags of a system were given"]
        return scored + ([] if study.agreement else ["no section on agreement: it takes two raters"])
    return [] if study.budget else ["nothing on what more judgments would buy: no error was seen in the sample"]


def _corpus(study: CorpusStudy) -> list[str]:
    lines = []
    if not study.scores:
        lines.append("no leaderboard: no system was given")
    elif study.comparison is None and len(study.scores) == 1:
        lines.append("no comparison in the leaderboard: it takes two systems")
    elif study.comparison is None:
        lines.append("no comparison in the leaderboard: it takes two essays or sentences, and resampling")
    if study.scores and not any(score.by_type for score in study.scores):
        lines.append("no section on error types: no edit of the reference has one")
    if study.ceiling is None:
        why = "it takes two annotators" if len(study.annotators) < 2 else "the metric names one annotator"
        lines.append(f"no section on the human ceiling: {why}")
    if study.agreement is None:
        lines.append("no section on agreement: it takes two annotators of the same sentences")
    if study.scores and not study.others:
        lines.append("no section on what the choices change: it takes two annotators or a second --metric")
    return lines
