"""Measure grammatical error detection and correction against many human judges, with error bars.

    scores = errorbar.score("gold.m2", ["a.txt", "b.txt"])

Each command has a function of its name and with its words; ``help(errorbar.score)`` explains one.

score systems     score compare references ceiling attack meta observe
study judges      agree agree_spans fit_judges plan_judging crowd crowd_aggregate crowd_howmany crowd_judgments
                  crowd_mine crowd_models crowd_raters crowd_sweep curve rank audit_draw audit_estimate
collect           judge judge_init judge_serve judge_invite judge_llm judge_status judge_raters judge_forget
                  judge_change judge_export judge_import judge_analyze judge_adjudicate judge_backup judge_restore
                  judge_upgrade judge_demo sample_plan sample_draw sample_estimate sample_rehearse
publish           report run_task bundle_task score_submission verify
files             read_corpus read_system read_judgments check convert
detect, correct   train detect correct
parts             max_match parse_metric M2 Resampling Corpus Hypothesis Sentence Edit Judgments Score

Results are frozen values with ``to_dict()``, ``to_frame()``, tables in notebooks, and ``notes``: warnings and repairs,
as ``Problems`` collects them. Failures are an ``ErrorbarError`` with a code, which ``errorbar explain CODE`` explains.
"""

from __future__ import annotations

from errorbar.core.public_names import import_name, is_asked_by_help, read_stub

_MODULES = read_stub(__spec__)
__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    """Import a public name; where that needs what is missing, using it says so."""
    from errorbar.core.problems import MissingExtraError, MissingPartError  # noqa: PLC0415 - importing the package costs nothing

    try:
        return import_name(name, _MODULES, __name__)
    except (MissingExtraError, MissingPartError) as error:
        return _refusing(error)


def _refusing(error: Exception) -> object:
    """The stand-in for a function that cannot be imported here, so that the other names can be."""

    def refuse(*_arguments: object, **_options: object) -> object:
        raise error

    return refuse


def __dir__() -> list[str]:
    """The public names, for completion; none for ``help(errorbar)``, whose page lists them above."""
    return [] if is_asked_by_help() else sorted(__all__)
