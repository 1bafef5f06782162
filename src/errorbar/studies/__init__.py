"""Everything that a report shows of some data, computed at once."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from errorbar.studies.browse import Browse, BrowseEdit, BrowseUnit
    from errorbar.studies.browsing import browse_corpus, disagreement
    from errorbar.studies.budgets import budget_steps, study_sample
    from errorbar.studies.corpus import study_corpus
    from errorbar.studies.crowd_study import study_crowd
    from errorbar.studies.hoo_study import browse_hoo, study_hoo
    from errorbar.studies.model import BudgetStep, CorpusStudy, CrowdStudy, CrowdSystem, HooStudy, SampleStudy, Study

# Each is imported when it is first used: a study of a corpus need not wait for what a crowd's needs.
_HOMES = {
    "Browse": "errorbar.studies.browse",
    "BrowseEdit": "errorbar.studies.browse",
    "BrowseUnit": "errorbar.studies.browse",
    "BudgetStep": "errorbar.studies.model",
    "CorpusStudy": "errorbar.studies.model",
    "CrowdStudy": "errorbar.studies.model",
    "CrowdSystem": "errorbar.studies.model",
    "HooStudy": "errorbar.studies.model",
    "SampleStudy": "errorbar.studies.model",
    "Study": "errorbar.studies.model",
    "browse_corpus": "errorbar.studies.browsing",
    "browse_hoo": "errorbar.studies.hoo_study",
    "budget_steps": "errorbar.studies.budgets",
    "disagreement": "errorbar.studies.browsing",
    "study_corpus": "errorbar.studies.corpus",
    "study_crowd": "errorbar.studies.crowd_study",
    "study_hoo": "errorbar.studies.hoo_study",
    "study_sample": "errorbar.studies.budgets",
}

__all__ = [
    "Browse",
    "BrowseEdit",
    "BrowseUnit",
    "BudgetStep",
    "CorpusStudy",
    "CrowdStudy",
    "CrowdSystem",
    "HooStudy",
    "SampleStudy",
    "Study",
    "browse_corpus",
    "browse_hoo",
    "budget_steps",
    "disagreement",
    "study_corpus",
    "study_crowd",
    "study_hoo",
    "study_sample",
]


def __getattr__(name: str) -> object:
    """Import a public name from its home."""
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module 'errorbar.studies' has no attribute {name!r}")
