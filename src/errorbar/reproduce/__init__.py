"""Published tables, recomputed from the corpora, cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.reproduce.cells import Cell, Outcome, Reproduction, Sources, cell_table

__all__ = ["STUDIES", "Cell", "Outcome", "Reproduction", "Sources", "cell_table", "reproduce"]


def _of(module: str) -> Callable[[Sources], Iterator[Cell]]:
    """The study of a module, which is loaded when the study is made."""
    return lambda sources: import_module(f"errorbar.reproduce.{module}").cells(sources)


STUDIES: dict[str, Callable[[Sources], Iterator[Cell]]] = {
    "conll2014": _of("conll2014"),
    "bryant-ng2015": _of("bryant_ng2015"),
    "madnani2011": _of("madnani2011"),
    "tetreault-chodorow2008": _of("tetreault_chodorow2008"),
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
        raise UsageError(
            Problem("unknown-study", f"no study is called '{study}'", fix=nearest(study, [*STUDIES, "hoo2011"]))
        )
    return STUDIES[study](sources)
