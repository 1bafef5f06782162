"""A corrector at work on a text: what ``errorbar correct`` writes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from math import isfinite

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.problems import Problems
from errorbar.detectors.corpus_text import read_sentences
from errorbar.detectors.corrector import changed
from errorbar.detectors.correctors import CORRECTORS, Name
from errorbar.formats.look import Source
from errorbar.formats.saving import save_lines
from errorbar.studies.door import Lenient, Progress, public
from errorbar.studies.model_folder import models_folder, read_corrector
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table


@dataclass(frozen=True, slots=True, repr=False)
class Corrected(Result):
    """What a corrector did to a text.

    Attributes:
        corrector: Its spec.
        n_sentences: How many sentences there are.
        n_changed: In how many of them something was changed.
        types: Changes by type.
        lines: The corrected sentences, unless they were written to a file.
        notes: What was noted on the way.
    """

    corrector: str
    n_sentences: int
    n_changed: int
    types: dict[str, int]
    lines: tuple[str, ...] = field(default=(), repr=False)
    notes: tuple[Problem, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """The counts."""
        counts = {"sentences": self.n_sentences, "changed": self.n_changed, "types": self.types}
        return {"corrector": self.corrector, **counts}

    def tables(self) -> list[Table]:
        """Changes by type."""
        rows: list[list[Cell]] = [[kind, n] for kind, n in sorted(self.types.items(), key=lambda row: -row[1])]
        note = f"{self.n_changed:,} of {self.n_sentences:,} sentences changed by {self.corrector}"
        return [Table([Column("type"), Column("changes", "count")], rows, name="changes", notes=[note])]


def known_corrector(name: str) -> Name:
    """The corrector of a name; a ``UsageError`` if there is none."""
    found = next((each for each in CORRECTORS if each == name), None)
    if found is None:
        what = f"no corrector is called '{name}'"
        raise UsageError(Problem("unknown-corrector", what, fix=nearest(name, CORRECTORS)))
    return found


@public()
def correct(
    text: Source,
    out: Source | None = None,
    *,
    corrector: str = "lm",
    models: Source | None = None,
    least: float | None = None,
    explain: bool = False,
    retokenize: bool = False,
    lenient: Lenient = False,
    progress: Progress = lambda _: None,
) -> Corrected:
    """Correct a text by a corrector that ``train`` made.

    Args:
        text: One tokenized sentence per line.
        out: File to write, ``-`` for standard output; None: the result has the lines.
        corrector: ``lm``, ``lm+classifiers`` or ``ranked``.
        models: The folder that ``train`` wrote; None: ``models``, or without that the package errorbar-models.
        least: The score that a change needs, in the corrector's unit (nats, of ``ranked`` log odds); None: one above
            0. Above 0 there are fewer changes and surer ones, below 0 more.
        explain: Write a JSON object for each sentence instead: its source, the corrected text, and each change with
            its type and score.
        retokenize: Cut each line into tokens first, as the text was cut that the models learned from.
        lenient: Repair what can be repaired of the text and note it; otherwise refuse it.
        progress: Is told the number of sentences done.

    Raises:
        InputError: If the text is bad, a model is missing or damaged, or the file cannot be written.
        UsageError: If there is no such corrector, or the least score is none.
    """
    name = known_corrector(corrector)
    problems, types, n, n_changed = Problems(lenient=lenient), dict[str, int](), 0, 0
    if least is not None and not isfinite(least):
        raise UsageError(Problem("bad-parameter", f"--least must be a finite number, got {least}"))
    made = replace(read_corrector(models_folder(models, problems), name), least=least)
    sentences = read_sentences(text, problems, retokenize=retokenize)

    def corrected() -> Iterator[str]:
        nonlocal n, n_changed
        for tokens, changes in made.changes(sentences):
            n += 1
            n_changed += bool(changes)
            for change in changes:
                types[change.type] = types.get(change.type, 0) + 1
            said = " ".join(changed(tokens, changes))
            progress(n)
            if explain:
                listed = [{**each._asdict(), "replacement": " ".join(each.replacement)} for each in changes]
                yield json.dumps({"source": " ".join(tokens), "text": said, "changes": listed}, ensure_ascii=False)
            else:
                yield said
        problems.raise_errors()

    kept: tuple[str, ...] = ()
    if out is None:
        kept = tuple(corrected())
    else:
        save_lines(corrected(), str(out))
    return Corrected(corrector, n, n_changed, types, kept, tuple(problems.notes))
