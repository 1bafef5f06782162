"""The studies by name."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.reproduce import bryant_ng2015, conll2014, madnani2011, tetreault_chodorow2008
from errorbar.reproduce.cells import Cell
from errorbar.reproduce.sources import Sources

STUDIES: dict[str, Callable[[Sources], Iterator[Cell]]] = {
    "conll2014": conll2014.cells,
    "bryant-ng2015": bryant_ng2015.cells,
    "madnani2011": madnani2011.cells,
    "tetreault-chodorow2008": tetreault_chodorow2008.cells,
}
"""Every study that can be recomputed."""


def reproduce(study: str, sources: Sources) -> Iterator[Cell]:
    """Recompute a study's tables.

    Args:
        study: Its name.
        sources: Where the corpora are.

    Raises:
        UsageError: If there is no such study.
        InputError: If a corpus is not there.
    """
    if study not in STUDIES:
        raise UsageError(Problem("unknown-study", f"no study is called '{study}'", fix=nearest(study, STUDIES)))
    return STUDIES[study](sources)
