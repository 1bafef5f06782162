"""Detectors' models from plain text: what ``errorbar train`` makes, a file each in one folder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Unpack

from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.formats.look import Source
from errorbar.formats.reference import expand_files
from errorbar.studies.door import public
from errorbar.studies.model_folder import file_of
from errorbar.studies.training_arguments import ON_REQUEST, PARTS, Learning, Part, Told, TrainedPart
from errorbar.studies.training_parts import LABELED, STEPS, TEXTLESS, Training
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table


@dataclass(frozen=True, slots=True, repr=False)
class Trained(Result):
    """The models of a folder.

    Attributes:
        parts: In the order of training.
        text: What they say of the training text.
        notes: What was noted on the way.
    """

    parts: Sequence[TrainedPart]
    text: Mapping[str, Any]
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """Every model, and the text."""
        names = ("part", "file", "n_bytes", "learned_from", "found")
        return {"models": [{name: getattr(each, name) for name in names} for each in self.parts], "text": {**self.text}}

    def tables(self) -> list[Table]:
        """A row for each model."""
        columns = [Column("model"), Column("file"), Column("bytes", "count"), Column("learned from", "count")]
        rows: list[list[Cell]] = [
            [each.part, each.file, each.n_bytes, each.learned_from, "was there" if each.found else "made"]
            for each in self.parts
        ]
        about = ", ".join(f"{name} {value}" for name, value in self.text.items() if name != "sha256")
        return [Table([*columns, Column("")], rows, name="models", notes=[f"text: {about}"] if about else [])]


@public()
def train(
    texts: Source | Sequence[Source] = (),
    out: Source = "models",
    *,
    part: Part | Sequence[Part] = (),
    tell: Told = lambda _: None,
    **shared: Unpack[Learning],
) -> Trained:
    """Train detectors and correctors: an n-gram model, a tagger, classifiers, and what combines them.

    A model that is there already, of the same text and made in the same way, is kept: an interrupted training goes on
    with what is missing.

    Args:
        texts: Plain text files of native English, a paragraph or sentence a line; patterns such as ``"*.txt"``. None:
            for what learns from a treebank or from labels, with the other models that the folder has.
        out: Folder for the models.
        part: What to train, ``tagger``, ``words``, ``ngrams``, ``majority``, ``perc``, ``me``, ``me-paper``,
            ``articles``, ``forms``, ``combiner``, ``correctors``; none: all but ``me-paper``, without a tagger what
            needs none, without labels what learns from none.
        tell: Is told what begins.
        shared: How models are trained.

    Raises:
        InputError: If a file is bad or empty, there is no tagger, or a model cannot be written.
        UsageError: If the order is out of range, there is no preposition in the text, or there are no labels where
            some are needed.
    """
    paths = [texts] if isinstance(texts, str | PathLike) else list(texts)
    files = [each.path for each in expand_files([fspath(path) for path in paths])]
    folder = Path(out)
    wanted = _wanted([part] if isinstance(part, str) else part, folder, shared, text=bool(files))
    if not files and not (wanted and {*wanted} <= {*TEXTLESS}):
        raise UsageError(Problem("no-files", "no text to train on is named", expected="at least one file"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        what = f"no folder for the models can be made: {error.strerror}"
        raise InputError(Problem("cannot-write", what, Place(str(folder)), fix="name another folder")) from None
    training = Training(files, folder, shared, tell)
    if {*wanted} & {*LABELED}:
        _ = training.labels  # bad ones are refused before minutes of training, not after
    rows = [training.part(each) for each in wanted]
    _say_stale(training, wanted)
    described = training.text.described if files and wanted != ["tagger"] else {}
    return Trained(rows, described, tuple(training.problems.notes))


def _say_stale(training: Training, wanted: Sequence[Part]) -> None:
    """Warn of models of the folder that are fitted to others than those that were made now."""
    stale = [
        each
        for each in PARTS
        if each not in wanted and training.changed & {*STEPS[each].needs} and file_of(training.folder, each).exists()
    ]
    if stale:
        what = f"{', '.join(stale)} of the folder {'fits' if len(stale) == 1 else 'fit'} the models before, not these"
        fix = "make them anew from the same text and labels, or take them away"
        training.problems.note("models-stale", what, Place(str(training.folder)), fix=fix)


def _wanted(asked: Sequence[Part], folder: Path, said: Learning, *, text: bool) -> list[Part]:
    """What is to be trained, in the order of training: what is asked for, or all that there is something for."""
    labeled, bank = bool(said["labels"]), said["treebank"] is not None
    if asked:
        if labeled and not {*asked} & {*LABELED}:
            what = f"--labels is for {', '.join(LABELED)}"
            raise UsageError(Problem("useless-option", what, fix=f"leave it out, or add --part={LABELED[0]}"))
        return [each for each in PARTS if each in asked]
    tagged = bank or file_of(folder, "tagger").exists()
    of_text = {each: tagged or "tagger" not in STEPS[each].needs for each in PARTS} if text else {}
    there = {**of_text, **dict.fromkeys(LABELED, labeled), "tagger": tagged if text else bank}
    return [each for each in PARTS if there.get(each) and each not in ON_REQUEST]
