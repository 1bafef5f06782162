"""The output of a task's baselines: made of the source by models, and kept by the content of both.

A corrector's output is a text, a detector's a table of items with flags and scores, of which labels of tokens are made:
a word that it calls an error is incorrect.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from errorbar.core.corpus import Sentence, source_record
from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.formats.item_tables import read_flags
from errorbar.formats.saving import save_lines
from errorbar.formats.token_labels import CORRECT, INCORRECT
from errorbar.studies.correct import correct
from errorbar.studies.detect import detect
from errorbar.studies.model_folder import file_of, models_folder
from errorbar.tables.writers import tables_text
from errorbar.tasks.config import Submission
from errorbar.tasks.task_cache import CACHE_ERROR, TaskCache

ROOMS = ("core", "detectors", "edits", "formats", "metrics", "stats", "studies", "tables")
"""Whose code an output depends on."""


@dataclass(frozen=True, slots=True)
class Maker:
    """Makes the output of systems for sentences, and keeps it in a cache."""

    sentences: Sequence[Sentence]
    cache: TaskCache

    def made(self, run: Submission) -> Submission:
        """The run with its output; one that a team handed in as it is.

        Raises:
            InputError: If a model is missing or does not fit, or the file names no such system.
        """
        if run.made is None:
            return run
        models = run.made.models if run.made.models is not None else models_folder(None, Problems())
        models_hash = _hash_of(models)
        source = hashlib.sha256("\n".join(map(source_record, self.sentences)).encode("utf-8", "surrogatepass"))
        parts = [run.made.kind, run.made.spec, models_hash, source.hexdigest()]
        try:
            path = self.cache.output(parts, ROOMS, lambda out: self._make(run, models, out))
        except UsageError as error:  # it is the file of the task that names it
            place = run.made.place
            raise InputError([replace(each, place=place) for each in error.problems]) from None
        made = replace(run.made, models_hash=models_hash)
        if made.kind == "corrector":
            return replace(run, path=path, made=made)
        labels = self.cache.output([*parts, "labels"], ROOMS, lambda out: save_lines(self._labels(path), str(out)))
        return replace(run, path=labels, made=replace(made, table=path))

    def _make(self, run: Submission, models: Any, out: Path) -> None:  # noqa: ANN401 - as ``correct`` takes them
        assert run.made is not None
        with TemporaryDirectory() as folder:
            text = Path(folder) / "source.txt"
            save_lines((" ".join(sentence.tokens) for sentence in self.sentences), str(text))
            if run.made.kind == "corrector":
                correct(text, out, corrector=run.made.spec, models=models)
            else:
                found = detect(text, run.made.spec, models=models)
                save_lines(tables_text([found.every()], "csv").rstrip("\n").split("\n"), str(out))

    def _labels(self, table: Path) -> Iterator[str]:
        flags = read_flags(table, Problems()).flags
        flagged = {item for item, flag in flags.items() if flag}
        for number, sentence in enumerate(self.sentences, 1):
            if not sentence.tokens:
                what = f"sentence {number} is empty, and labels of tokens have no empty sentences"
                raise InputError(Problem("task-detector", what, Place(str(table)), fix="leave the detector out"))
            for at, token in enumerate(sentence.tokens):
                yield f"{token}\t{INCORRECT if f'{number}:{at}-{at + 1}' in flagged else CORRECT}"
            yield ""


def make_all(runs: Sequence[Submission], maker: Maker, refused: dict[str, list[Problem]]) -> list[Submission]:
    """Every run with its output; what is wrong with those that have none goes to ``refused``, by path."""
    found = []
    for run in runs:
        try:
            found.append(maker.made(run))
        except InputError as error:
            if error.code == CACHE_ERROR:
                raise
            refused[str(run.path)] = list(error.problems)
            found.append(run)
    return found


def _hash_of(models: Any) -> str:  # noqa: ANN401 - as ``correct`` takes them
    """Hash of all models of a folder: which of them a system reads is for the system to know."""
    sha = hashlib.sha256()
    for file in sorted(file_of(models, "tagger").parent.glob("*.model")):
        sha.update(file.name.encode() + b"\0" + hashlib.sha256(file.read_bytes()).digest())
    return sha.hexdigest()
