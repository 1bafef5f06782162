"""Readers of texts and edits, and the steps just behind them where a small input can be costly."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from errorbar import Corpus, Hypothesis, Judgments, Problems, Resampling, score
from errorbar.agreement import agreement_report
from errorbar.core import InputError, Place, Problem
from errorbar.edits import cut_fragments, edit_items, extract_edits, open_system, parallel_sentences
from errorbar.formats import (
    FORMATS,
    CutSystem,
    HypothesisReader,
    Lines,
    NamedFile,
    add_documents,
    can_cut,
    cut_pieces,
    list_gold,
    list_run,
    read_corpus,
    read_parallel,
    read_standoff,
    save_lines,
    write_jsonl,
    write_m2,
)
from errorbar.formats.text import write_text
from errorbar.metrics import Hoo, score_runs
from tests.fuzz import seeds, shapes
from tests.fuzz.seeds import Case
from tests.fuzz.shapes import Shape

HOO = (Hoo(), Hoo(matching="maxmatch"))
SCORED = 300
"""Sentences that go the steps behind: scoring all that a packed file can hold takes its time, sentence by sentence."""
RESAMPLES = 10
"""Resampling takes what it takes; one draw or a thousand make no difference to a reader."""


COMMAND = 2.0
"""Seconds that a command may take."""


@dataclass(frozen=True, slots=True, eq=False)
class Reader:
    """A reader under test.

    Attributes:
        name: What it is called in the table of outcomes.
        seeds: Makes inputs that it takes.
        read: Reads the files of a folder, leniently or not, and goes the steps behind.
        fixed: Files that stand beside every input and are never mutated.
        shape: How its files are mutated; None: as their endings tell.
        most_seconds: Of processor time. A reader may take one; where scoring follows, as much as a command may.
    """

    name: str
    seeds: Callable[[], list[Case]]
    read: Callable[[Path, bool], None]
    fixed: Case | None = None
    most_seconds: float = 1.0
    shape: Shape | None = None


_SHAPES = {
    ".m2": shapes.TEXT,
    ".txt": shapes.TEXT,
    ".md": shapes.TEXT,
    ".tsv": shapes.TEXT,
    ".toml": shapes.TEXT,
    ".csv": shapes.TABLE,
    ".xml": shapes.MARKUP,
    ".sgml": shapes.MARKUP,
    ".json": shapes.JSON,
    ".jsonl": shapes.JSON_LINES,
    ".parquet": shapes.PARQUET,
    ".archive": shapes.ARCHIVE,
    ".model": shapes.MODEL,
    ".cache": shapes.CACHE,
    ".sqlite": shapes.STORE,
    ".arpa": shapes.TEXT,
    ".conllu": shapes.TEXT,
}


def shape_of(name: str) -> Shape:
    """How a file is mutated, by its ending."""
    return _SHAPES[Path(name).suffix]


def written(lines: Iterable[str], folder: Path) -> None:
    """Write what a command would write."""
    save_lines(lines, str(folder / "written"))


def read_and_score(path: Path, system: Path, *, lenient: bool) -> None:
    problems = Problems(lenient=lenient)
    corpus = read_corpus(path, problems)
    for write in (write_jsonl, write_m2, write_text):
        written(write(corpus.sentences, Problems()), path.parent)
    first = Corpus(corpus.sentences[:SCORED], corpus.annotators, corpus.name)
    made = [
        Hypothesis(change.__name__, [change(sentence.text) for sentence in first.sentences])
        for change in (_mended, _other)
    ]
    score(first, made, ["m2"], ci=False)
    agree(edit_items(first, "tokens").judgments)
    reader = HypothesisReader(system, "system", problems)
    lines = reader.take(len(corpus))
    reader.finish(len(corpus))
    problems.raise_errors()
    score(first, [Hypothesis("system", lines[:SCORED])], ["m2"], ci=False)


def _mended(text: str) -> str:
    """What a system would make of a sentence: as long as that is, and different in many places."""
    tokens = text.split()
    tokens[::5] = [f"{token}s" for token in tokens[::5]]
    del tokens[::11]
    return " ".join(tokens)


def _other(text: str) -> str:
    """As many words, and no sentence of theirs."""
    return " ".join(f"{token}{number}" for number, token in enumerate(reversed(text.split())))


def agree(judgments: Judgments) -> None:
    agreement_report(judgments, resampling=Resampling("percentile", RESAMPLES))


def _m2(folder: Path, lenient: bool) -> None:
    read_and_score(folder / "a.m2", folder / "system.txt", lenient=lenient)


def _pieces(folder: Path, lenient: bool) -> None:
    """M2 and a system as ``--jobs 2`` reads them."""
    problems = Problems(lenient=lenient)
    references = [NamedFile(str(folder / "a.m2"), "a")]
    systems = [NamedFile(str(folder / "system.txt"), "system")]
    if not can_cut(references, systems):
        raise InputError(Problem("unknown-format", "read whole", Place("a.m2")))
    cut = [CutSystem(file, problems, carry=False) for file in systems]
    n = 0
    for piece in cut_pieces(references, cut, problems, size=4, carry=False):
        reading = piece.read()
        problems.collect(reading.problems)
        n += len(reading.corpus)
    for system in cut:
        system.finish(n)
    problems.raise_errors()


def _jsonl(folder: Path, lenient: bool) -> None:
    read_and_score(folder / "a.jsonl", folder / "system.txt", lenient=lenient)


def _nucle(folder: Path, lenient: bool) -> None:
    problems = Problems(lenient=lenient)
    sentences = list(FORMATS["nucle"].read(Lines(folder / "a.sgml", problems), problems))
    problems.raise_errors()
    written(write_m2(sentences, Problems()), folder)


def _documents(folder: Path, lenient: bool) -> None:
    problems = Problems(lenient=lenient)
    add_documents(read_corpus(folder / "a.m2", problems), str(folder / "a.sgml"), problems)


def _hoo(folder: Path, lenient: bool) -> None:
    problems = Problems(lenient=lenient)
    gold = list_gold(str(folder / "Gold"))
    run = list_run(str(folder / "run"), "run", [file.name for file in gold], problems)
    files = [replace(file, runs=(run.get(file.name),)) for file in gold]
    for piece in cut_fragments(files, 1, lenient=lenient):
        reading = piece.read()
        problems.collect(reading.problems)
        problems.raise_errors()
        if len(run) == len(gold):
            score_runs(reading.gold, {"run": reading.runs[0]}, HOO, problems)


def _hoo_jsonl(folder: Path, lenient: bool) -> None:
    problems = Problems(lenient=lenient)
    fragments, sentences, _ = read_standoff(Lines(folder / "a.jsonl", problems), problems)
    problems.raise_errors()
    written(write_jsonl(sentences, Problems()), folder)
    score_runs(fragments, {"run": [fragment.edits for fragment in fragments]}, HOO, problems)


def _parallel(folder: Path, lenient: bool) -> None:
    problems = Problems(lenient=lenient)
    corrected = [Lines(folder / f"{name}.txt", problems) for name in ("careful", "greedy")]
    for line in read_parallel(Lines(folder / "source.txt", problems), corrected, problems):
        for text in line.corrected:
            extract_edits(line.source.split(), (text or "").split())
    problems.raise_errors()


def _essays(folder: Path, lenient: bool) -> None:
    """A source of essays, a reference and a system, aligned by their ids."""
    problems = Problems(lenient=lenient)
    source, reference = (Lines(folder / f"{name}.md", problems) for name in ("source", "reference"))
    sentences = list(parallel_sentences(read_parallel(source, [reference], problems), ["reference"]))
    problems.raise_errors()
    written(write_jsonl(sentences, Problems()), folder)
    _score_file(Corpus(sentences, ("reference",)), folder / "system.md", "m2", problems)


def _labels(folder: Path, lenient: bool) -> None:
    problems = Problems(lenient=lenient)
    corpus = read_corpus([folder / "a.tsv", folder / "b.tsv"], problems)
    written(write_jsonl(corpus.sentences, Problems()), folder)
    agree(edit_items(Corpus(corpus.sentences[:SCORED], corpus.annotators), "tokens").judgments)
    _score_file(corpus, folder / "system.tsv", "tokens", problems)


def _score_file(corpus: Corpus, path: Path, metric: str, problems: Problems) -> None:
    reader = open_system(path, "system", problems, edits=metric == "tokens", labels=metric == "tokens")
    lines = reader.take_for(corpus.sentences)
    reader.finish(len(corpus))
    problems.raise_errors()
    first = Corpus(corpus.sentences[:SCORED], corpus.annotators)
    score(first, [Hypothesis("system", lines[:SCORED])], [metric], ci=False, force=True)


def _bea(folder: Path, lenient: bool) -> None:
    problems = Problems(lenient=lenient)
    sentences = list(FORMATS["bea"].read(Lines(folder / "a.jsonl", problems), problems))
    problems.raise_errors()
    written(write_m2(sentences, Problems()), folder)


CORPORA: tuple[Reader, ...] = (
    Reader("m2", seeds.m2, _m2, most_seconds=COMMAND),
    Reader("pieces", seeds.m2, _pieces, most_seconds=COMMAND),
    Reader("jsonl", seeds.jsonl, _jsonl, most_seconds=COMMAND),
    Reader("nucle", seeds.nucle, _nucle),
    Reader("documents", seeds.documents, _documents),
    Reader("hoo-xml", seeds.hoo_xml, _hoo, most_seconds=COMMAND),
    Reader("hoo-text", seeds.hoo_text, _hoo, most_seconds=COMMAND),
    Reader("hoo-jsonl", seeds.hoo_jsonl, _hoo_jsonl, most_seconds=COMMAND),
    Reader("parallel", seeds.parallel, _parallel, most_seconds=COMMAND),
    Reader("essays", seeds.essays, _essays, most_seconds=COMMAND),
    Reader("labels", seeds.labels, _labels, most_seconds=COMMAND),
    Reader("bea", seeds.bea, _bea),
)
