"""The entry points of this folder: its detectors, correctors, tagger, and cells of published tables.

Nothing that takes long to load is loaded before it is used.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from errorbar.api.installed_systems import Tokens, TrainedSystem
from errorbar.core.problems import Place, Problems
from errorbar.detectors.combined import KIND as COMBINER
from errorbar.detectors.correctors import KIND as CORRECTORS
from errorbar.detectors.detect import (
    correct,
    detect,
    file_of,
    known_corrector,
    models_folder,
    read_detector,
    read_tagger,
)
from errorbar.detectors.model_file import fitting, load_model
from errorbar.detectors.text import stored_codes, warn_of_learned
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


def _warn_of_learned(sentences: Tokens, part: str, models: Path, place: Place, problems: Problems) -> None:
    path = file_of(models, part)
    model = load_model(path, part)
    with fitting(str(path)):
        learned = stored_codes(model.arrays)
    warn_of_learned(learned, sentences, place, problems)


def _warn_of_corrector(sentences: Tokens, place: Place, _: str, models: Path, problems: Problems) -> None:
    if file_of(models, CORRECTORS).exists():
        _warn_of_learned(sentences, CORRECTORS, models, place, problems)


def _warn_of_detector(sentences: Tokens, place: Place, spec: str, models: Path, problems: Problems) -> None:
    if read_detector(spec).name == "combined":
        _warn_of_learned(sentences, COMBINER, models, place, problems)


CORRECTOR = TrainedSystem(known_corrector, _fingerprint, _write_corrections, "detectors", _warn_of_corrector)
DETECTOR = TrainedSystem(read_detector, _fingerprint, _write_judgments, "detectors", _warn_of_detector)


def usual_tagger(models: Path | None, problems: Problems) -> Tagger:
    """The tagger of a folder of models, or of the usual one."""
    return read_tagger(models_folder(models, problems))


def _lazy(module: str, name: str) -> Callable[..., Any]:
    """A function of this folder, whose module is loaded when it is called."""

    def call(*arguments: object) -> Any:  # noqa: ANN401 - as the function
        return getattr(import_module(f"errorbar.detectors.{module}"), name)(*arguments)

    return call


def _selection(sources: Sources) -> Iterator[Cell]:
    yield from _lazy("published_tables", "judge_cells")(sources)
    yield from _lazy("published_tables", "selection_cells")(sources)


CONLL2014 = AddedCells(_lazy("published_tables", "corrector_cells"))
MADNANI2011 = AddedCells(_lazy("figures", "judged_cells"), _lazy("figures", "draw_figures"))
TETREAULT_CHODOROW2008 = AddedCells(_selection, _lazy("figures", "draw_curves"))
