"""Human ceilings: annotators scored against each other, and systems beside them."""

from errorbar.ceilings.spread import repeat
from errorbar.ceilings.study import Ceiling, Study, StudyPlan, affordable_subsets, ceiling, prepare_study, usual_sizes
from errorbar.metrics.subsets import annotator_subsets

__all__ = [
    "Ceiling",
    "Study",
    "StudyPlan",
    "affordable_subsets",
    "annotator_subsets",
    "ceiling",
    "prepare_study",
    "repeat",
    "usual_sizes",
]
