"""Human ceilings: annotators scored against each other, and systems beside them."""

from errorbar.ceilings.study import Ceiling, Study, ceiling, prepare_study, repeat
from errorbar.ceilings.subsets import Subsets, annotator_subsets

__all__ = ["Ceiling", "Study", "Subsets", "annotator_subsets", "ceiling", "prepare_study", "repeat"]
