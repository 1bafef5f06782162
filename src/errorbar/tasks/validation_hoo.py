"""What a team of a HOO task checks before sending a run."""

from __future__ import annotations

from pathlib import Path

from errorbar.core.errors import InputError, Place
from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment
from errorbar.edits.standoff_reading import read_run
from errorbar.formats.hoo_folder import read_gold, read_source
from errorbar.metrics.hoo import parse_hoo
from errorbar.metrics.hoo_score import HooScore, score_runs
from errorbar.tasks.config import Task, TaskCorpus
from errorbar.tasks.validated import DEV, Validation


def validate_hoo(task: Task, corpus: TaskCorpus, path: Path) -> Validation:
    """Check a run: every text is there, offsets and originals are those of the source, something is proposed.

    Raises:
        InputError: If the source texts cannot be read.
    """
    fragments = _fragments(corpus)
    problems = Problems()
    try:
        edits = read_run(str(path), path.name, fragments, problems, missing_as_empty=corpus.missing_as_empty)
    except InputError as error:  # the next submission is checked all the same
        problems.errors += [problem for problem in error.problems if problem not in problems.errors]
        return Validation(path, corpus.name, len(fragments), 0, None, problems)
    if not any(edits) and not problems.errors:
        problems.note("task-unchanged", "no edit is proposed", Place(str(path)), fix="send the output, not the source")
    dry: list[HooScore] = []
    if corpus.role == DEV and corpus.gold and not problems.errors:
        dry = score_runs(fragments, {path.name: edits}, [parse_hoo(spec) for spec in task.metrics], problems)
    return Validation(path, corpus.name, len(fragments), sum(map(bool, edits)), None, problems, dry)


def _fragments(corpus: TaskCorpus) -> list[Fragment]:
    problems = Problems(lenient=corpus.lenient)
    if corpus.gold:
        source = None if corpus.source is None else str(corpus.source)
        found = read_gold(str(corpus.gold[0]), problems, source=source, need_text=True)
    else:
        assert corpus.source is not None  # the reader of the task has seen to one of the two
        found = read_source(str(corpus.source), problems)
    problems.raise_errors()
    return found
