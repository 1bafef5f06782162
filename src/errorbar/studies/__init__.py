"""Everything that a report shows of some data, computed at once."""

from errorbar.studies.browse import Browse, BrowseEdit, BrowseUnit
from errorbar.studies.browsing import browse_corpus, disagreement
from errorbar.studies.corpus import study_corpus
from errorbar.studies.crowd import study_crowd
from errorbar.studies.hoo import browse_hoo, study_hoo
from errorbar.studies.model import BudgetStep, CorpusStudy, CrowdStudy, CrowdSystem, HooStudy, SampleStudy, Study
from errorbar.studies.sample import budget_steps, study_sample

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
