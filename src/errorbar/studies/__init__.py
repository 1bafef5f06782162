"""Everything that a report shows of some data, computed at once."""

from errorbar.studies.browse import Browse, BrowseEdit, BrowseUnit
from errorbar.studies.model import BudgetStep, CorpusStudy, CrowdStudy, CrowdSystem, HooStudy, SampleStudy, Study

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
]
