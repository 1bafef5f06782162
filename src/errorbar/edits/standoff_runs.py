"""Runs as edits of every fragment: edit files as they are, corrected texts compared with the source."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment, StandoffEdit
from errorbar.edits.standoff import extract_standoff
from errorbar.edits.standoff_likeness import why_no_correction
from errorbar.execute import Executor, Serial
from errorbar.formats.hoo_folder import Run

PIECE = 100_000
"""Characters of source text compared by a worker at a time: a quarter of a second."""
Edits = tuple[StandoffEdit, ...]


def text_edits(fragment: Fragment, corrected: str, place: Place, problems: Problems) -> list[StandoffEdit]:
    """Find the edits that turn a fragment's text into a corrected text.

    Args:
        fragment: The fragment; without a text, an error is recorded.
        corrected: The corrected text.
        place: Where it is from, for messages.
        problems: Where problems are recorded: also a text that has little in common with the source.
    """
    if fragment.text is None:
        what = f"no source text of fragment {fragment.name}, so the edits of a corrected text cannot be found"
        problems.error("hoo-no-text", what, place, fix="--source FOLDER")
        return []
    reason = why_no_correction(fragment.text, corrected)
    if reason:
        what = f"fragment {fragment.name}: this text seems to be another one: {reason}"
        repair = "scored as it is"
        problems.repairable("hoo-not-a-correction", what, place, expected="a corrected version of it", repair=repair)
        if not problems.lenient:
            return []
    return extract_standoff(fragment.text, corrected, fragment.name)


@dataclass(frozen=True, slots=True)
class _Texts:
    """Corrected texts to be compared with their sources, by whichever worker has them."""

    texts: tuple[tuple[Fragment, str, Place], ...]
    lenient: bool

    def compare(self) -> list[tuple[Edits, Problems]]:
        found = []
        for each in self.texts:
            problems = Problems(lenient=self.lenient, limit=sys.maxsize)  # whoever collects them sets the limit
            found.append((tuple(text_edits(*each, problems)), problems))
        return found


def run_edits(run: Run, gold: Sequence[Fragment], problems: Problems, *, missing_as_empty: bool = False) -> list[Edits]:
    """A run's edits of each gold fragment.

    Args:
        run: What was read.
        gold: The fragments.
        problems: Where fragments that the run lacks are recorded.
        missing_as_empty: Take a fragment that the run lacks for one without edits, and note it.
    """
    return edits_of_runs([run], gold, problems, missing_as_empty=missing_as_empty)[run.name]


def edits_of_runs(
    runs: Sequence[Run],
    gold: Sequence[Fragment],
    problems: Problems,
    *,
    missing_as_empty: bool = False,
    executor: Executor | None = None,
) -> dict[str, list[Edits]]:
    """Every run's edits of each gold fragment, by the run's name; as ``run_edits``, in the order of the runs.

    Args:
        runs: What was read.
        gold: The fragments.
        problems: Where fragments that a run lacks are recorded.
        missing_as_empty: Take a fragment that a run lacks for one without edits, and note it.
        executor: Who compares corrected texts with their sources; None: this process. Changes nothing that is found.
    """
    worker = executor or Serial()
    found: dict[str, list[Edits]] = {}
    pieces = _pieces(runs, gold, lenient=problems.lenient)
    compared = chain.from_iterable(worker.map_ordered(_Texts.compare, pieces))
    for run in runs:
        edits: list[Edits] = []
        missing: list[str] = []
        for fragment in gold:
            if fragment.name in run.edits:
                edits.append(run.edits[fragment.name].edits)
            elif fragment.name in run.texts:
                own, noted = next(compared)
                problems.collect(noted)
                edits.append(own)
            else:
                missing.append(fragment.name)
                edits.append(())
        _say_missing(run, missing, problems, missing_as_empty=missing_as_empty)
        found[run.name] = edits
    return found


def _pieces(runs: Sequence[Run], gold: Sequence[Fragment], *, lenient: bool) -> Iterator[_Texts]:
    texts: list[tuple[Fragment, str, Place]] = []
    size = 0
    for run in runs:
        for fragment in gold:
            if fragment.name in run.edits or fragment.name not in run.texts:
                continue
            place = Place(f"{run.name}: {fragment.name}")
            texts.append((replace(fragment, edits=()), run.texts[fragment.name], place))
            size += len(fragment.text or "")
            if size >= PIECE:
                yield _Texts(tuple(texts), lenient)
                texts, size = [], 0
    if texts:
        yield _Texts(tuple(texts), lenient)


def _say_missing(run: Run, missing: Sequence[str], problems: Problems, *, missing_as_empty: bool) -> None:
    what = f"no file for fragment {', '.join(missing)}"
    if missing and missing_as_empty:
        problems.note("hoo-missing", what, Place(run.name), fix="scored as if nothing were proposed there")
    elif missing:
        problems.error("hoo-missing", what, Place(run.name), fix="add it, or use --missing-as-empty")
