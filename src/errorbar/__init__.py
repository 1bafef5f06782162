"""Measure grammatical error detection and correction against many human judges, with error bars.

One function for each command, with its words: ``errorbar.score("gold.m2", ["a.txt", "b.txt"])``. Results are frozen
values with ``to_dict()``, ``to_frame()``, tables in notebooks, and ``notes``: warnings and repairs. The public names
are listed in ``__all__``; each is imported when it is first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from errorbar.version import __version__

if TYPE_CHECKING:
    from errorbar.core.corpus import Corpus, Hypothesis, Sentence
    from errorbar.core.edit import Edit
    from errorbar.core.errors import ErrorbarError
    from errorbar.core.judgments import Judgments
    from errorbar.core.problems import Problems
    from errorbar.edits.maxmatch import max_match
    from errorbar.hosting.bundling import bundle_task
    from errorbar.hosting.submission_scoring import score_submission
    from errorbar.judging.analysis.study_analysis import judge_analyze
    from errorbar.judging.inviting import judge_invite
    from errorbar.judging.judge_demo import judge_demo
    from errorbar.judging.judge_serving import judge_serve
    from errorbar.judging.rater_list import judge_raters
    from errorbar.judging.study_changing import judge_change
    from errorbar.judging.study_copies import judge_backup, judge_restore, judge_upgrade
    from errorbar.judging.study_export import judge_export
    from errorbar.judging.study_making import judge_init
    from errorbar.judging.study_status import judge_status
    from errorbar.judging.study_view import judge
    from errorbar.metrics.m2 import M2
    from errorbar.metrics.registry import parse_metric
    from errorbar.metrics.scored import Score
    from errorbar.receipts.verifying import verify
    from errorbar.reporting.make import report
    from errorbar.stats.resampling import Resampling
    from errorbar.studies.agree import agree
    from errorbar.studies.attack import attack
    from errorbar.studies.audit import audit_draw, audit_estimate
    from errorbar.studies.ceiling import ceiling
    from errorbar.studies.check import check
    from errorbar.studies.compare import compare
    from errorbar.studies.convert import convert
    from errorbar.studies.correct import correct
    from errorbar.studies.crowd import crowd
    from errorbar.studies.crowd_answers import crowd_aggregate, crowd_howmany
    from errorbar.studies.crowd_judgments import crowd_judgments
    from errorbar.studies.crowd_raters import crowd_mine, crowd_raters
    from errorbar.studies.curve import curve
    from errorbar.studies.detect import detect
    from errorbar.studies.fit_judges import fit_judges
    from errorbar.studies.inputs import read_corpus, read_system
    from errorbar.studies.judgment_input import read_judgments
    from errorbar.studies.meta import meta
    from errorbar.studies.plan_judging import plan_judging
    from errorbar.studies.rank import rank
    from errorbar.studies.rehearse import sample_rehearse
    from errorbar.studies.sample import sample_draw, sample_estimate, sample_plan
    from errorbar.studies.score import score
    from errorbar.studies.sweep import crowd_sweep
    from errorbar.studies.training import train
    from errorbar.tasks.running import run_task

_HOMES = {
    "Corpus": "core.corpus",
    "Edit": "core.edit",
    "ErrorbarError": "core.errors",
    "Hypothesis": "core.corpus",
    "Judgments": "core.judgments",
    "M2": "metrics.m2",
    "Problems": "core.problems",
    "Resampling": "stats.resampling",
    "Score": "metrics.scored",
    "Sentence": "core.corpus",
    "agree": "studies.agree",
    "attack": "studies.attack",
    "audit_draw": "studies.audit",
    "audit_estimate": "studies.audit",
    "bundle_task": "hosting.bundling",
    "ceiling": "studies.ceiling",
    "check": "studies.check",
    "compare": "studies.compare",
    "convert": "studies.convert",
    "correct": "studies.correct",
    "crowd": "studies.crowd",
    "crowd_aggregate": "studies.crowd_answers",
    "crowd_howmany": "studies.crowd_answers",
    "crowd_judgments": "studies.crowd_judgments",
    "crowd_mine": "studies.crowd_raters",
    "crowd_raters": "studies.crowd_raters",
    "crowd_sweep": "studies.sweep",
    "curve": "studies.curve",
    "plan_judging": "studies.plan_judging",
    "detect": "studies.detect",
    "fit_judges": "studies.fit_judges",
    "judge": "judging.study_view",
    "judge_analyze": "judging.analysis.study_analysis",
    "judge_export": "judging.study_export",
    "judge_init": "judging.study_making",
    "judge_backup": "judging.study_copies",
    "judge_change": "judging.study_changing",
    "judge_demo": "judging.judge_demo",
    "judge_invite": "judging.inviting",
    "judge_raters": "judging.rater_list",
    "judge_restore": "judging.study_copies",
    "judge_serve": "judging.judge_serving",
    "judge_status": "judging.study_status",
    "judge_upgrade": "judging.study_copies",
    "max_match": "edits.maxmatch",
    "meta": "studies.meta",
    "parse_metric": "metrics.registry",
    "rank": "studies.rank",
    "read_corpus": "studies.inputs",
    "read_judgments": "studies.judgment_input",
    "read_system": "studies.inputs",
    "report": "reporting.make",
    "run_task": "tasks.running",
    "sample_draw": "studies.sample",
    "sample_estimate": "studies.sample",
    "sample_plan": "studies.sample",
    "sample_rehearse": "studies.rehearse",
    "score": "studies.score",
    "score_submission": "hosting.submission_scoring",
    "train": "studies.training",
    "verify": "receipts.verifying",
}

__all__ = [
    "M2",
    "Corpus",
    "Edit",
    "ErrorbarError",
    "Hypothesis",
    "Judgments",
    "Problems",
    "Resampling",
    "Score",
    "Sentence",
    "__version__",
    "agree",
    "attack",
    "audit_draw",
    "audit_estimate",
    "bundle_task",
    "ceiling",
    "check",
    "compare",
    "convert",
    "correct",
    "crowd",
    "crowd_aggregate",
    "crowd_howmany",
    "crowd_judgments",
    "crowd_mine",
    "crowd_raters",
    "crowd_sweep",
    "curve",
    "detect",
    "fit_judges",
    "judge",
    "judge_analyze",
    "judge_backup",
    "judge_change",
    "judge_demo",
    "judge_export",
    "judge_init",
    "judge_invite",
    "judge_raters",
    "judge_restore",
    "judge_serve",
    "judge_status",
    "judge_upgrade",
    "max_match",
    "meta",
    "parse_metric",
    "plan_judging",
    "rank",
    "read_corpus",
    "read_judgments",
    "read_system",
    "report",
    "run_task",
    "sample_draw",
    "sample_estimate",
    "sample_plan",
    "sample_rehearse",
    "score",
    "score_submission",
    "train",
    "verify",
]


def __getattr__(name: str) -> object:
    """Import a public name from its home; where that needs an extra that is missing, using it says so."""
    if name in _HOMES:
        from errorbar.core.errors import MissingExtraError  # noqa: PLC0415 - importing the package costs nothing

        try:
            return getattr(import_module(f"errorbar.{_HOMES[name]}"), name)
        except MissingExtraError as error:
            return _refusing(error)
    raise AttributeError(f"module 'errorbar' has no attribute {name!r}")


def _refusing(error: Exception) -> object:
    """What stands for a function that cannot be imported here, so that the other names can be."""

    def refuse(*_arguments: object, **_options: object) -> object:
        raise error

    return refuse


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)
