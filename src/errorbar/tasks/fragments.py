"""HOO runs of a task, folders of stand-off edits or corrected texts: checked before sending, and counted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock

import numpy as np

from errorbar.core.corpus import ContentHash
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.core.signature import Signature
from errorbar.core.standoff import Fragment, edits_record, text_record
from errorbar.edits.standoff_reading import read_run
from errorbar.formats.hoo_folder import raw_folder, read_gold, read_source
from errorbar.metrics.base import Metric
from errorbar.metrics.hoo_counts import HooStatistics, count_rows
from errorbar.metrics.hoo_scoring import hoo_plan, parse_hoo, score_runs, warn_above_1
from errorbar.metrics.score import Score
from errorbar.metrics.scoring import score_statistics
from errorbar.studies.hoo_scores import HooScores, both_ways
from errorbar.tasks.config import Submission, Task, TaskCorpus
from errorbar.tasks.counter import Counter
from errorbar.tasks.keys import FileHashes, class_hash, key_of
from errorbar.tasks.results import HooResults, HooRunScores
from errorbar.tasks.sentences import note_records, notes_of
from errorbar.tasks.store import Entry
from errorbar.tasks.validated import DEV, Validation
from errorbar.tasks.wording import of_gold

MISSING = "hoo-missing"


@dataclass(slots=True)
class FragmentTarget:
    """The gold edits of a corpus.

    Attributes:
        corpus: The corpus of the task.
        hashes: Of files.
    """

    corpus: TaskCorpus
    hashes: FileHashes
    _read: list[Fragment] | None = None
    _notes: list[dict[str, object]] = field(default_factory=list)
    _lock: Lock = field(default_factory=Lock)

    @property
    def files(self) -> tuple[Path, ...]:
        """What is read: the gold edits, and the texts that stand beside them or were named."""
        gold = self.corpus.gold[0]
        texts = self.corpus.source or raw_folder(gold)
        return (gold,) if texts is None else (gold, texts)

    @property
    def key(self) -> str:
        """What the gold edits depend on."""
        return key_of("fragments", [self.hashes.of(path) for path in self.files], self.corpus.lenient)

    def read(self) -> list[Fragment]:
        """Parse the gold edits, once.

        Raises:
            InputError: If a file is bad.
        """
        with self._lock:
            if self._read is None:
                problems = Problems(lenient=self.corpus.lenient)
                source = None if self.corpus.source is None else str(self.corpus.source)
                with of_gold():
                    found = read_gold(str(self.corpus.gold[0]), problems, source=source)
                    problems.raise_errors()
                self._notes = note_records(problems.notes)
                self.hashes.check(self.files)
                self._read = found
            return self._read

    def facts(self) -> Entry:
        """Hashes, rows of the type table and notes."""
        gold = self.read()
        meta = {
            "n_fragments": len(gold),
            "source": _hash(map(text_record, gold)),
            "reference": _hash(edits_record(one.name, one.edits) for one in gold),
            "rows": count_rows(edit.type for fragment in gold for edit in fragment.edits),
            "notes": self._notes,
        }
        return Entry({}, meta)

    def count(self, submission: Submission, metric: Metric) -> Entry:
        """Count a run.

        Raises:
            InputError: If a file is bad or a text is missing.
        """
        gold = self.read()
        problems = Problems()
        path, as_empty = str(submission.path), self.corpus.missing_as_empty
        edits = read_run(path, path, gold, problems, missing_as_empty=as_empty)
        problems.raise_errors()
        statistics = metric.measure(gold, edits)
        self.hashes.check((submission.path,))
        return Entry(
            {"counts": statistics.counts, "by_type": statistics.by_type},
            {
                "units": list(statistics.units),
                "types": list(statistics.types),
                "hypothesis": _hash(edits_record(one.name, own) for one, own in zip(gold, edits, strict=True)),
                "missing": any(note.code == MISSING for note in problems.notes),
                "notes": note_records(problems.notes, submission.path),
            },
        )


def score_fragments(task: Task, corpus: TaskCorpus, counter: Counter) -> HooResults:
    """Score every run for a corpus of stand-off edits.

    Raises:
        InputError: If a gold file is bad, or with the problems of every bad run.
    """
    target = FragmentTarget(corpus, counter.hashes)
    facts = counter.entry(key_of("facts", target.key, list(map(str, target.files))), target.facts).meta
    metrics = [parse_hoo(spec) for spec in task.metrics]
    n_fragments, rows = facts["n_fragments"], facts["rows"]
    assert isinstance(n_fragments, int)
    assert isinstance(rows, dict)  # as they were written
    code = class_hash(type(metrics[0]))

    def one(run: Submission) -> HooRunScores:
        problems = Problems()
        scores: list[Score] = []
        names: Sequence[str] = ()
        notes: tuple[Problem, ...] = ()
        for metric in metrics:
            keyed = (counter.hashes.of(run.path), corpus.missing_as_empty, metric.measure_key, code)
            entry = counter.entry(key_of("hoo", target.key, *keyed), partial(target.count, run, metric))
            conventions = ("missing:empty",) if entry.meta["missing"] else ()
            hashes = (str(facts["source"]), str(facts["reference"]), str(entry.meta["hypothesis"]))
            signature = Signature(str(metric.spec), *hashes, n_fragments, 1, conventions)
            statistics = _statistics(entry)
            for each in both_ways([metric]):
                own = replace(signature, spec=str(each.spec))
                scores.append(score_statistics(run.name, each, statistics, own, hoo_plan([each])))
            names, notes = statistics.units, notes_of(entry.meta, run.path)
        by_code = [score.by_type for score in scores[1::2]]
        for score in scores[::2]:
            warn_above_1(score, names, problems)
        # Whose a run is, is not guessed from its name.
        made = HooScores(scores[::2], by_code, names, teams={run.name: run.team})
        return HooRunScores(run, made, (*notes, *problems.notes))

    runs = counter.every(one, task.submissions(corpus.name))
    return HooResults(corpus, n_fragments, {str(k): int(v) for k, v in rows.items()}, runs, notes_of(facts))


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
    dry: list[Score] = []
    if corpus.role == DEV and corpus.gold and not problems.errors:
        metrics = [parse_hoo(spec) for spec in task.metrics]
        dry = score_runs(fragments, {path.name: edits}, metrics, problems)
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


def _hash(records: Iterable[str]) -> str:
    content = ContentHash()
    content.add(records)
    return content.short()


def _statistics(entry: Entry) -> HooStatistics:
    def names(key: str) -> Sequence[str]:
        found = entry.meta[key]
        assert isinstance(found, list)
        return [str(each) for each in found]

    counts, by_type = (np.asarray(entry.arrays[name], np.int64) for name in ("counts", "by_type"))
    return HooStatistics(tuple(names("units")), counts, tuple(names("types")), by_type)
