"""The entry points of this folder: its detectors, correctors, tagger, and cells of published tables.

Nothing that takes long to load is loaded before it is used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorbar.api.installed_systems import TrainedSystem
from errorbar.core.problems import Problems
from errorbar.detectors.detect import (
    correct,
    detect,
    known_corrector,
    models_folder,
    read_detector,
    read_tagger,
)
from errorbar.formats.saving import save_lines
from errorbar.reproduce.cells import AddedCells, Cell, Sources
from errorbar.tables.writers import tables_text

if TYPE_CHECKING:
    from errorbar.detectors.tagger import Tagger


def _fingerprint(models: Path | None) -> tuple[Path, str]:
    """The folder, and a hash of all its models: which of them a system reads is for the system to know."""
    folder = models_folder(models, Problems())
    sha = hashlib.sha256()
    for file in sorted(folder.glob("*.model")):
        sha.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return folder, sha.hexdigest()


def _write_corrections(text: Path, out: Path, spec: str, models: Path) -> None:
    correct(text, out, corrector=spec, models=models)


def _write_judgments(text: Path, out: Path, spec: str, models: Path) -> None:
    judgments = detect(text, spec, models=models).every()
    save_lines(tables_text([judgments], "csv").rstrip("\n").split("\n"), str(out))


CORRECTOR = TrainedSystem(known_corrector, _fingerprint, _write_corrections, "detectors")
DETECTOR = TrainedSystem(read_detector, _fingerprint, _write_judgments, "detectors")


def usual_tagger(models: Path | None, problems: Problems) -> Tagger:
    """The tagger of a folder of models, or of the usual one."""
    return read_tagger(models_folder(models, problems))


def _correctors(sources: Sources) -> Iterator[Cell]:
    from errorbar.detectors.published_tables import corrector_cells  # noqa: PLC0415 - with what it loads

    return corrector_cells(sources)


def _judged(sources: Sources) -> Iterator[Cell]:
    from errorbar.detectors.judged_detectors import judged_cells  # noqa: PLC0415 - with what it loads

    return judged_cells(sources)


def _selection(sources: Sources) -> Iterator[Cell]:
    from errorbar.detectors.published_tables import judge_cells, selection_cells  # noqa: PLC0415 - with what it loads

    yield from judge_cells(sources)
    yield from selection_cells(sources)


def _draw_figures(sources: Sources, path: str, picture: Any) -> None:  # noqa: ANN401 - as it is drawn
    from errorbar.detectors.figures import draw_figures  # noqa: PLC0415 - with what draws

    draw_figures(sources, path, picture)


def _draw_curves(sources: Sources, path: str, picture: Any) -> None:  # noqa: ANN401 - as it is drawn
    from errorbar.detectors.figures import draw_curves  # noqa: PLC0415 - with what draws

    draw_curves(sources, path, picture)


CONLL2014 = AddedCells(_correctors)
MADNANI2011 = AddedCells(_judged, _draw_figures)
TETREAULT_CHODOROW2008 = AddedCells(_selection, _draw_curves)
