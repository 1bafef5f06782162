"""Counting HOO runs: folders of stand-off edits or corrected texts against gold edits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from threading import Lock

import numpy as np

from errorbar.core.problems import Problems
from errorbar.core.signature import Signature
from errorbar.core.standoff import Fragment, fragments_hash, texts_hash
from errorbar.edits.standoff_reading import read_run
from errorbar.formats.hoo_folder import raw_folder, read_gold
from errorbar.metrics.hoo import Hoo, parse_hoo
from errorbar.metrics.hoo_score import HooScore, score_statistics, warn_above_1
from errorbar.metrics.hoo_statistics import HooStatistics
from errorbar.metrics.hoo_types import count_rows
from errorbar.tasks.config import Submission, Task, TaskCorpus
from errorbar.tasks.counter import Counter
from errorbar.tasks.keys import FileHashes, class_hash, key_of
from errorbar.tasks.results import HooResults, HooRunScores
from errorbar.tasks.sentences import note_records, notes_of
from errorbar.tasks.store import Entry
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
            "source": texts_hash(gold),
            "reference": fragments_hash(gold),
            "rows": count_rows(edit.type for fragment in gold for edit in fragment.edits),
            "notes": self._notes,
        }
        return Entry({}, meta)

    def count(self, submission: Submission, metric: Hoo) -> Entry:
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
        said = [Fragment(one.name, tuple(each)) for one, each in zip(gold, edits, strict=True)]
        self.hashes.check((submission.path,))
        return Entry(
            {"counts": statistics.counts, "by_type": statistics.by_type},
            {
                "units": list(statistics.units),
                "types": list(statistics.types),
                "hypothesis": fragments_hash(said),
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

    def one(run: Submission) -> HooRunScores:
        scores: list[HooScore] = []
        problems = Problems()
        entry = None
        for metric in metrics:
            key = key_of(
                "hoo",
                target.key,
                counter.hashes.of(run.path),
                corpus.missing_as_empty,
                str(metric.spec),
                class_hash(Hoo),
            )
            entry = counter.entry(key, partial(target.count, run, metric))
            conventions = ("missing:empty",) if entry.meta["missing"] else ()
            signature = Signature(
                str(metric.spec),
                str(facts["source"]),
                str(facts["reference"]),
                str(entry.meta["hypothesis"]),
                n_fragments,
                1,
                conventions,
            )
            made = score_statistics(run.name, metric, _statistics(entry), signature, None, None)
            scores.append(replace(made, team=run.team))  # not guessed from the run's name
            warn_above_1(made, problems)
        assert entry is not None  # there is a metric
        return HooRunScores(run, tuple(scores), (*notes_of(entry.meta, run.path), *problems.notes))

    runs = counter.every(one, task.submissions(corpus.name))
    return HooResults(corpus, n_fragments, {str(k): int(v) for k, v in rows.items()}, runs, notes_of(facts))


def _statistics(entry: Entry) -> HooStatistics:
    def names(key: str) -> Sequence[str]:
        found = entry.meta[key]
        assert isinstance(found, list)
        return [str(each) for each in found]

    counts, by_type = (np.asarray(entry.arrays[name], np.int64) for name in ("counts", "by_type"))
    return HooStatistics(tuple(names("units")), counts, tuple(names("types")), by_type)
