"""Human ceilings: annotators scored against each other, and systems beside them."""

from errorbar.ceilings.study import Ceiling, Study, ceiling, prepare_study, repeat
from errorbar.ceilings.subsets import Subsets, annotator_subsets
from errorbar.ceilings.types import TypeRow, type_rows

__all__ = [
    "Ceiling",
    "Study",
    "Subsets",
    "TypeRow",
    "annotator_subsets",
    "ceiling",
    "prepare_study",
    "repeat",
    "type_rows",
]
