"""Published tables, recomputed from the corpora, cell by cell."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from itertools import chain
from typing import cast

from errorbar.core.entry_points import registered
from errorbar.core.problems import Problem, UsageError, nearest
from errorbar.reproduce.cells import AddedCells, Cell, Number, Outcome, Reproduction, Sources, cell_table, published

__all__ = [
    "STUDIES",
    "Cell",
    "Number",
    "Outcome",
    "Reproduction",
    "Sources",
    "added_cells",
    "cell_table",
    "published",
    "reproduce",
]


def _cells(module: str, function: str, sources: Sources) -> Iterator[Cell]:
    """Recompute a study, whose module is loaded only then."""
    cells: Iterator[Cell] = getattr(import_module(f"errorbar.reproduce.{module}"), function)(sources)
    return cells


STUDIES: dict[str, Callable[[Sources], Iterator[Cell]]] = {
    "conll2014": partial(_cells, "conll2014", "cells"),
    "bryant-ng2015": partial(_cells, "bryant_ng2015", "cells"),
    "madnani2011": partial(_cells, "prepositions", "madnani2011"),
    "tetreault-chodorow2008": partial(_cells, "prepositions", "tetreault_chodorow2008"),
}
"""Every study that is recomputed cell by cell."""
HOO = "hoo2011"
"""The study with tables of its own shape: ``errorbar.reproduce.hoo2011``."""


def reproduce(study: str, sources: Sources) -> Iterator[Cell]:
    """Recompute a study's tables, one of ``STUDIES``, with the cells that packages add."""
    if study not in STUDIES:
        fix = nearest(study, [*STUDIES, HOO])
        raise UsageError(Problem("unknown-study", f"no study is called '{study}'", fix=fix))
    added = added_cells(study)
    return chain(STUDIES[study](sources), () if added is None else added.cells(sources))


def added_cells(study: str) -> AddedCells | None:
    """The cells that a package adds to a study, by the entry point ``errorbar.reproductions``; None: nothing."""
    known = registered("errorbar.reproductions").get(study)
    return None if known is None else cast("AddedCells", known.load())
