"""What a team checks before sending a run: no gold edits of the test data are needed, and none of it is scored."""

from __future__ import annotations

from pathlib import Path

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.errors import InputError, Place, Problem, UsageError, nearest
from errorbar.core.problems import Problems
from errorbar.formats.hypothesis import HypothesisReader
from errorbar.formats.opening import Lines
from errorbar.formats.reference import NamedFile, read_named
from errorbar.metrics.score import Score
from errorbar.metrics.scoring import score
from errorbar.tasks.config import Task, TaskCorpus
from errorbar.tasks.signs import kept_share, look_at
from errorbar.tasks.validated import DEV, Validation
from errorbar.tasks.wording import of_gold, of_run


def choose_corpus(task: Task, name: str | None) -> TaskCorpus:
    """The corpus of a name, or the only one that submissions are for.

    Raises:
        UsageError: If there is none of that name, or no name and several.
    """
    if name is not None:
        names = [corpus.name for corpus in task.corpora]
        if name not in names:
            what = f"no corpus is called '{name}'"
            raise UsageError(Problem("task-value", what, Place(str(task.file)), fix=nearest(name, names)))
        return task.corpus(name)
    tests = task.with_role("test")
    if len(tests) != 1:
        what = f"the task has {len(tests)} test corpora"
        raise UsageError(Problem("task-value", what, Place(str(task.file)), fix="say which one: --corpus NAME"))
    return tests[0]


def validate(task: Task, corpus: TaskCorpus, path: Path, *, dev: Path | None = None) -> Validation:
    """Check a submission.

    Args:
        task: The task.
        corpus: What the submission is for; development data is scored.
        path: The submission.
        dev: The same system's output for the development data, for a dry score.

    Raises:
        InputError: If the task's own data cannot be read.
        UsageError: If a dry score is asked for and there is no development data with gold edits.
    """
    if corpus.kind == "hoo":
        from errorbar.tasks.fragments import validate_hoo  # noqa: PLC0415 - the other kind of task

        found = validate_hoo(task, corpus, path)
    else:
        found = _validate_sentences(task, corpus, path)
    found.problems.errors = of_run(found.problems.errors)
    if dev is None or not found.valid:
        return found
    data = next((each for each in task.with_role(DEV) if each.gold), None)
    if data is None:
        what = "the task has no development data with gold edits"
        raise UsageError(Problem("task-no-gold", what, Place(str(task.file)), fix='[[corpus]] with role = "dev"'))
    dry = validate(task, data, dev)
    found.problems.errors += dry.problems.errors
    found.problems.notes += dry.problems.notes
    return Validation(found.path, found.corpus, found.n_units, found.n_changed, found.kept, found.problems, dry.dry)


def _validate_sentences(task: Task, corpus: TaskCorpus, path: Path) -> Validation:
    sources = _sources(corpus)
    problems = Problems()
    lines: list[str] = []
    kept: float | None = None  # lines that are not in step cannot be compared
    try:
        reader = HypothesisReader(NamedFile(str(path), path.name), problems)
        lines = reader.take(len(sources))
        reader.finish(len(sources))
    except InputError as error:  # the next submission is checked all the same
        problems.errors += [problem for problem in error.problems if problem not in problems.errors]
    if not problems.errors:
        look_at(str(path), sources, lines, problems)
        kept = kept_share(sources, lines)
    changed = sum(line.split() != text.split() for line, text in zip(lines, sources, strict=False))
    dry: list[Score] = []
    if corpus.role == DEV and corpus.gold and not problems.errors:
        dry = score(_gold(corpus), [Hypothesis(path.name, lines)], task.metrics)
    return Validation(path, corpus.name, len(sources), changed, kept, problems, dry)


def _sources(corpus: TaskCorpus) -> list[str]:
    if corpus.source is None:
        return [sentence.text for sentence in _gold(corpus).sentences]
    problems = Problems()
    lines = list(Lines(corpus.source, problems))
    problems.raise_errors()
    return lines


def _gold(corpus: TaskCorpus) -> Corpus:
    problems = Problems(lenient=corpus.lenient)
    named = [NamedFile(str(path), NamedFile.parse(str(path)).name) for path in corpus.gold]
    with of_gold():
        return read_named(named, problems, unmarked=corpus.unmarked)
