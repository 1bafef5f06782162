"""The papers whose tables are recomputed, by name, and ``reproduce_paper``, which recomputes all of one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import chain
from pathlib import Path
from typing import Any, cast

from errorbar.api.arguments import Progress, Useless, Whole, public
from errorbar.core.entry_points import find_registered
from errorbar.core.problems import Problem, Problems, UsageError, nearest, unknown_ending
from errorbar.formats.look import Source, list_paths
from errorbar.formats.saving import PICTURE_ENDINGS
from errorbar.reproduce.cells import AddedCells, Cell, Reproduction, Sources
from errorbar.tables.result import Result


def _cells(module: str, function: str, sources: Sources) -> Iterator[Cell]:
    """Recompute a study, whose module is loaded only then."""
    cells: Iterator[Cell] = getattr(import_module(f"errorbar.reproduce.{module}"), function)(sources)
    return cells


CHOICES = "tetreault-chodorow2008"
"""The study in which prepositions are chosen in native text."""
STUDIES: dict[str, Callable[[Sources], Iterator[Cell]]] = {
    "conll2014": partial(_cells, "conll2014", "cells"),
    "bryant-ng2015": partial(_cells, "bryant_ng2015", "cells"),
    "madnani2011": partial(_cells, "prepositions", "madnani2011"),
    CHOICES: partial(_cells, "prepositions", "tetreault_chodorow2008"),
}
"""Every study that is recomputed cell by cell."""
HOO = "hoo2011"
"""The study with tables of its own shape: ``errorbar.reproduce.hoo2011``."""
WITH_FIGURES = ("madnani2011", CHOICES)
WITH_DETECTORS = ("conll2014", *WITH_FIGURES)


def reproduce(study: str, sources: Sources) -> Iterator[Cell]:
    """Recompute a study's tables, one of ``STUDIES``, with the cells that packages add."""
    if study not in STUDIES:
        fix = nearest(study, [*STUDIES, HOO])
        raise UsageError(Problem("unknown-study", f"no study is called '{study}'", fix=fix))
    added = added_cells(study)
    return chain(STUDIES[study](sources), () if added is None else added.cells(sources))


def added_cells(study: str) -> AddedCells | None:
    """The cells that a package adds to a study, by the entry point ``errorbar.reproductions``; None: nothing."""
    known = find_registered("errorbar.reproductions").get(study)
    return None if known is None else cast("AddedCells", known.load())


def _useless(
    names: str, why: str, when: Callable[[str, Mapping[str, Any]], bool], fix: str = "leave it out"
) -> Useless:
    """Make a rule on arguments of a study that exists."""
    return Useless(names, why, lambda own: own["study"] in (*STUDIES, HOO) and when(own["study"], own), fix)


_ADD_MODELS = "add --models=DIR, which 'errorbar train' wrote"


@public(
    _useless(
        "models",
        "is about detectors and correctors, and {study} has none",
        lambda study, _: study not in WITH_DETECTORS,
    ),
    _useless(
        "chart", "is about figures, and those of {study} are not drawn", lambda study, _: study not in WITH_FIGURES
    ),
    _useless("text treebank", f"is about choosing prepositions in {CHOICES}", lambda study, _: study != CHOICES),
    _useless(
        "treebank chart",
        "is about choices in native text, and there is none",
        lambda study, own: study == CHOICES and not own["text"],
        "add --text=FILE",
    ),
    _useless("text", "needs a tagger", lambda _, own: own["models"] is None, _ADD_MODELS),
    _useless("chart", "needs models", lambda _, own: own["models"] is None, _ADD_MODELS),
    _useless("seed", f"is about the simulated teams of {HOO}", lambda study, _: study != HOO),
)
def reproduce_paper(
    study: str,
    *,
    data: Source | None = None,
    models: Source | None = None,
    text: Source | Sequence[Source] = (),
    treebank: Source | Sequence[Source] = (),
    chart: Source | None = None,
    seed: Whole = 0,
    tell: Callable[[str], object] = lambda _: None,
    progress: Progress = lambda _: None,
) -> Reproduction | Result:
    """Recompute a paper's tables from the corpora and compare every cell.

    Args:
        study: conll2014, bryant-ng2015, madnani2011, tetreault-chodorow2008 or hoo2011.
        data: Folder with the corpora. None: the cache of ``errorbar data``.
        models: Folder that ``errorbar train`` wrote, for tables that need detectors.
        text: Native text to train on in part and to choose prepositions in; minutes the first time.
        treebank: Other native text to choose prepositions in, in CoNLL-U.
        chart: Draw the learning curve, or the figures by agreement, to this file: .svg, .png or .pdf.
        seed: Seed of everything random.
        tell: Called with the name of each slow step.
        progress: Told how many cells are done.

    Raises:
        InputError: If a corpus is not there or not readable.
        UsageError: If no study has the name, or the figures cannot be drawn.
    """
    folder = None if data is None else Path(data)
    if study == HOO:
        from errorbar.reproduce.hoo2011 import recompute  # noqa: PLC0415 - much to load, for this study alone

        return recompute(None if folder is None else str(folder), Problems(lenient=True), seed=seed)
    sources = Sources(
        folder, None if models is None else Path(models), tuple(list_paths(text)), tuple(list_paths(treebank)), tell
    )
    recomputed = reproduce(study, sources)
    draw = None if chart is None else _find_drawing(study, str(chart))
    cells: list[Cell] = []
    for cell in recomputed:
        cells.append(cell)
        progress(len(cells))
    if draw is not None:
        draw(sources, str(chart), Path(str(chart)).suffix[1:].lower())
    return Reproduction(study, cells)


def _find_drawing(study: str, chart: str) -> Callable[[Sources, str, Any], None]:
    """Find the function that draws the figures of a study."""
    if not chart.lower().endswith(PICTURE_ENDINGS):
        raise unknown_ending(chart, PICTURE_ENDINGS)
    added = added_cells(study)
    if added is None or added.draw is None:
        message = f"the figures of {study} are drawn by errorbar.detectors, which is not installed here"
        raise UsageError(Problem("missing-part", message, fix="leave out --chart"))
    return added.draw
