"""Counting a run against M2 references: what has to be parsed is parsed only when something was not counted before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from threading import Lock

import numpy as np

from errorbar.core.corpus import ContentHash, Corpus, reference_record, source_record, type_record
from errorbar.core.errors import Place, Problem
from errorbar.core.problems import Problems
from errorbar.edits.apply import corrected_text
from errorbar.formats.hypothesis import HypothesisReader
from errorbar.formats.reference import NamedFile, read_named
from errorbar.metrics.base import Metric
from errorbar.metrics.statistics import Documents, Statistics
from errorbar.metrics.type_counts import TypeCounts
from errorbar.tasks.config import TaskCorpus
from errorbar.tasks.keys import FileHashes, class_hash, key_of
from errorbar.tasks.signs import look_at
from errorbar.tasks.store import Entry, Store
from errorbar.tasks.wording import of_gold

TYPE_ARRAYS = ("type_slot", "type_number", "type_count")
"""What is kept of ``TypeCounts``."""
OWN = "\0"
"""Stands for a run's path in the notes that are kept of it."""


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of references without parsing them again.

    Attributes:
        n_sentences: How many sentences.
        annotators: The annotators.
        source: Content hash of the source.
        reference: Content hash of the annotations.
        types: Content hash of the error types.
        n_documents: How many essays; None where they are not known.
        absent: Annotator to number of sentences that they did not look at.
        notes: What the readers noted.
    """

    n_sentences: int
    annotators: tuple[str, ...]
    source: str
    reference: str
    types: str
    n_documents: int | None
    absent: Mapping[str, int]
    notes: tuple[Problem, ...]


@dataclass(slots=True)
class SentenceTarget:
    """Some reference files of a corpus; every run is counted against each target once.

    Attributes:
        corpus: The corpus of the task.
        files: The reference files.
        hashes: Of the files.
        store: Where counts are kept.
    """

    corpus: TaskCorpus
    files: tuple[Path, ...]
    hashes: FileHashes
    store: Store
    _key: str = ""
    _read: Corpus | None = None
    _facts: Facts | None = None
    _lock: Lock = field(default_factory=Lock)

    @property
    def key(self) -> str:
        """What the references depend on; names too, because annotators are called by them."""
        if not self._key:  # asked for with every run
            names = [NamedFile.parse(str(path)).name for path in self.files]
            hashes = [self.hashes.of(path) for path in self.files]
            documents = self.hashes.of(self.corpus.documents) if self.corpus.documents else ""
            self._key = key_of("sentences", names, hashes, self.corpus.unmarked, self.corpus.lenient, documents)
        return self._key

    def read(self) -> Corpus:
        """Parse the references, once.

        Raises:
            InputError: If a file is bad.
        """
        with self._lock:
            if self._read is None:
                from errorbar.edits.encode import encode_references  # noqa: PLC0415

                problems = Problems(lenient=self.corpus.lenient)
                with of_gold():
                    named = [NamedFile(str(path), NamedFile.parse(str(path)).name) for path in self.files]
                    corpus = read_named(named, problems, unmarked=self.corpus.unmarked)
                    if self.corpus.documents:
                        from errorbar.formats.documents import add_documents  # noqa: PLC0415 - some have none

                        add_documents(corpus, str(self.corpus.documents), problems)
                        problems.raise_errors()
                corpus.notes = list(problems.notes)
                encode_references(corpus)  # before threads share it
                self.hashes.check((*self.files, *([self.corpus.documents] if self.corpus.documents else [])))
                self._read = corpus
            return self._read

    @property
    def facts(self) -> Facts:
        """What is known of the references; from the cache where it can be.

        Raises:
            InputError: If a file is bad.
        """
        if self._facts is None:
            key = key_of("facts", self.key, list(map(str, self.files)))  # the notes name the files
            entry = self.store.get(key)
            if entry is None:
                entry = Entry({}, _facts_record(self.read()))
                self.store.put(key, entry)
            self._facts = _facts(entry.meta)
        return self._facts

    def entry_key(self, run: str, metric: Metric) -> str:
        """Key of a run's counts: ``run`` is the hash of its bytes, or the annotator whose text it is."""
        return key_of("counts", self.key, run, metric.measure_key, class_hash(type(metric)))

    def count_file(self, path: Path, metric: Metric) -> Entry:
        """Count a submitted file.

        Raises:
            InputError: If it cannot be read, is not in step with the source or is for other data.
        """
        corpus = self.read()
        problems = Problems()
        reader = HypothesisReader(NamedFile(str(path), path.name), problems)
        lines = reader.take(len(corpus))
        reader.finish(len(corpus))
        self.hashes.check((path,))  # before what was read is judged
        problems.raise_errors()
        look_at(str(path), [sentence.text for sentence in corpus.sentences], lines, problems)
        problems.raise_errors()
        return _entry(metric, corpus, lines, problems.notes, path)

    def count_annotator(self, annotator: str, metric: Metric) -> Entry:
        """Count what an annotator's edits make of the source, as if a system had written it.

        Raises:
            InputError: If the annotator's edits overlap and the corpus is not read leniently.
        """
        corpus = self.read()
        problems = Problems(lenient=self.corpus.lenient)
        lines = [corrected_text(each, annotator, problems, file=corpus.name) for each in corpus.sentences]
        problems.raise_errors()
        return _entry(metric, corpus, lines, problems.notes)


def statistics_of(entry: Entry, annotators: Sequence[str]) -> Statistics:
    """The statistics that an entry keeps."""
    types = entry.meta["types"]
    assert isinstance(types, list)  # as _entry wrote it
    arrays = {name: np.asarray(array) for name, array in entry.arrays.items()}
    large = entry.meta["n_large"]
    assert isinstance(large, int)
    present = arrays["present"]
    kept = (arrays[name].astype(np.int64) for name in TYPE_ARRAYS)
    by_type = TypeCounts((*present.shape, len(types)), *kept)
    return Statistics(
        arrays["counts"].astype(np.int32), present, tuple(annotators), by_type, tuple(map(str, types)), large
    )


def _entry(
    metric: Metric, corpus: Corpus, lines: Sequence[str], notes: Sequence[Problem], path: Path | None = None
) -> Entry:
    statistics = metric.measure(corpus, lines, by_type=True)
    content = ContentHash()
    content.add([" ".join(line.split()) for line in lines])
    assert statistics.by_type is not None  # asked for
    changed = sum(line.split() != sentence.tokens for line, sentence in zip(lines, corpus.sentences, strict=True))
    by_type = statistics.by_type
    kept = dict(zip(TYPE_ARRAYS, (by_type.slot, by_type.type, by_type.count), strict=True))
    return Entry(
        {"counts": statistics.counts, "present": statistics.present, **kept},
        {
            "types": list(statistics.types),
            "n_large": statistics.n_large,
            "hypothesis": content.short(),
            "n_changed": changed,
            "notes": note_records(notes, path),
        },
    )


def note_records(notes: Sequence[Problem], path: Path | None = None) -> list[dict[str, object]]:
    """Notes as JSON; the same bytes may be handed in elsewhere, so the run's own path is left open."""

    def file(note: Problem) -> str:
        file = note.place.file
        own = path is not None and (file == str(path) or file.startswith((f"{path}:", f"{path}/")))
        return f"{OWN}{file[len(str(path)) :]}" if own else file

    return [asdict(replace(note, place=Place(file(note), note.place.line))) for note in notes]


def notes_of(meta: Mapping[str, object], path: Path | None = None) -> tuple[Problem, ...]:
    """The notes that an entry keeps, of a run with the run's path."""
    records = meta["notes"]
    assert isinstance(records, list)
    notes = [Problem(**{**record, "place": Place(**record["place"])}) for record in records]
    if path is None:
        return tuple(notes)
    return tuple(replace(note, place=Place(note.place.file.replace(OWN, str(path)), note.place.line)) for note in notes)


def _facts_record(corpus: Corpus) -> dict[str, object]:
    source, reference, types, documents = ContentHash(), ContentHash(), ContentHash(), Documents()
    source.add(map(source_record, corpus.sentences))
    reference.add([reference_record(sentence.annotations) for sentence in corpus.sentences])
    types.add([type_record(sentence.annotations) for sentence in corpus.sentences])
    documents.add(corpus.sentences)
    return {
        "n_sentences": len(corpus),
        "annotators": list(corpus.annotators),
        "source": source.short(),
        "reference": reference.short(),
        "types": types.short(),
        "n_documents": documents.n_clusters if documents.unit == "document" else None,
        "absent": {name: sum(name not in s.annotations for s in corpus.sentences) for name in corpus.annotators},
        "notes": note_records(corpus.notes),
    }


def _facts(meta: Mapping[str, object]) -> Facts:
    values = {**meta, "notes": notes_of(meta)}
    annotators = values["annotators"]
    assert isinstance(annotators, list)
    values["annotators"] = tuple(annotators)
    return Facts(**values)  # type: ignore[arg-type]  # as _facts_record wrote them
