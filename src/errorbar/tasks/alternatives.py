"""Alternative answers: corrections that teams defend, judged one by one, and joined to the gold edits.

An answer is a whole annotation of a sentence, as in CoNLL-2014: accepted, it stands beside the annotators' own, and a
system may be scored against it for that sentence.
"""

from __future__ import annotations

import csv
import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count
from pathlib import Path

from errorbar.api.arguments import public
from errorbar.api.score_result import measure_column
from errorbar.core.corpus import Annotation, Corpus, source_record
from errorbar.core.csv_cells import unguard_cell
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.edits.texts import apply_edits
from errorbar.formats.jsonl import write_jsonl
from errorbar.formats.look import Lines
from errorbar.formats.m2 import write_m2
from errorbar.formats.reference import ALL, NamedFile, reference_chunks
from errorbar.formats.saving import save_lines
from errorbar.tables.plain import csv_lines
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table
from errorbar.tasks.config import Task, TaskCorpus, read_task
from errorbar.tasks.running import SentenceData, run_task
from errorbar.tasks.task_results import CorpusResults
from errorbar.tasks.validation import choose_corpus

_ID = 10
COLUMNS = ("id", "team", "sentence", "source", "answer", "edits", "gold", "verdict")
YES = ("yes", "y", "1", "accept", "accepted")
NO = ("no", "n", "0", "reject", "rejected")


@dataclass(frozen=True, slots=True)
class AlternativeAnswer:
    """An alternative answer of a team: the annotation of a sentence, which is counted from 1."""

    team: str
    sentence: int
    source: str
    edits: Annotation
    place: Place

    @property
    def id(self) -> str:
        """The answer's name in the list for judging: a hash of team, place in the corpus, source and edits."""
        content = f"{self.team}\n{self.sentence}\n{self.source}\n{_meaning(self.edits)!r}"
        return hashlib.sha256(content.encode("utf-8", "surrogatepass")).hexdigest()[:_ID]

    @property
    def text(self) -> str:
        """The corrected sentence."""
        return " ".join(apply_edits(self.source.split(), self.edits, problems=Problems(lenient=True)))


@dataclass(frozen=True, slots=True)
class AlternativeProposals:
    """Answers for a corpus whose gold edits are ``reference``; those that are there already are left out."""

    task: Task
    corpus: TaskCorpus
    reference: Corpus
    answers: Sequence[AlternativeAnswer]
    problems: Problems

    def list(self, target: str) -> None:
        """Write the answers as a table for judges."""
        save_lines([csv_lines(_judging_rows(self.answers, self.reference)).removesuffix("\n")], target)

    def judge(self, verdicts: str, gold: str, *, cache: str | Path | None = None, jobs: int = 1) -> JudgedRuns:
        """Join accepted answers to the gold edits, write these as the name says, and score every run with and without.

        ``verdicts`` is the table, filled in; ``cache`` and ``jobs`` are those of ``run_task``.
        """
        accepted = read_verdicts(verdicts, self.answers, self.problems)
        self.problems.raise_errors()
        extended = with_answers(self.reference, accepted)
        if ".jsonl" in gold:
            save_lines(write_jsonl(extended.sentences, self.problems), gold)
        else:
            save_lines(write_m2(extended.sentences, self.problems, extended.annotators), gold)
        changed = replace(self.corpus, alternatives=(Path(gold),), role="test")  # answers may be about any corpus
        results = run_task(replace(self.task, corpora=(changed,)), jobs=jobs, cache=cache)
        return JudgedRuns(len(self.answers), accepted, gold, results.corpora[0], tuple(self.problems.notes))


@dataclass(frozen=True, slots=True, repr=False)
class JudgedRuns(Result):
    """Runs for a corpus with accepted answers and without; ``gold``: where the gold edits with them are."""

    n_answers: int
    accepted: Sequence[AlternativeAnswer]
    gold: str
    runs: CorpusResults
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """The answers that were accepted, and every run."""
        accepted = [answer.id for answer in self.accepted]
        return {"answers": self.n_answers, "accepted": accepted, "gold": self.gold, "corpora": [self.runs.to_dict()]}

    def tables(self) -> Sequence[Table]:
        """Every run under the first metric, best first."""
        runs = self.runs.runs
        measures = runs[0].gold[0].measures if runs else ()
        columns = [Column("run"), *map(measure_column, measures)]
        columns += [
            Column(f"{measure.title} alt.", measure.kind, f"{measure.name}_alternatives") for measure in measures
        ]
        rows: list[list[Cell]] = []
        for run in sorted(runs, key=lambda run: run.gold[0].rank_key):
            values = (score[measure.name] for score in (run.gold[0], run.alternatives[0]) for measure in measures)
            rows.append([run.submission.name, *values])
        notes = ["alt.: with accepted answers"]
        return [Table(columns, rows, name="runs", notes=notes), *self.runs.tables()[1:]]


@public()
def propose(task: str | Path | Task, files: Sequence[str], *, corpus: str | None = None) -> AlternativeProposals:
    """Read and check the answers that teams propose.

    Args:
        task: The task, or its TOML file.
        files: Answers, M2 or JSONL: ``team=path``.
        corpus: The corpus that the answers belong to. None: the only test corpus.

    Raises:
        InputError: If a file is bad: with all that is wrong.
        UsageError: If there is no such corpus, or it has no gold edits of sentences.
    """
    problems = Problems()
    read = task if isinstance(task, Task) else read_task(task, problems)
    chosen = choose_corpus(read, corpus)
    if chosen.kind == "hoo" or not chosen.gold:
        message = f"corpus '{chosen.name}' has no gold edits of sentences"
        place = Place(str(read.file), chosen.line)
        raise UsageError(Problem("task-no-gold", message, place, fix="name another: --corpus"))
    reference = SentenceData(replace(chosen, documents=None), chosen.gold).reference
    answers = read_answers([NamedFile.parse(file) for file in files], reference, problems)
    problems.raise_errors()
    return AlternativeProposals(read, chosen, reference, answers, problems)


def read_answers(files: Sequence[NamedFile], corpus: Corpus, problems: Problems) -> list[AlternativeAnswer]:
    """Read teams' files, which may hold some sentences of the corpus; the caller raises what is wrong.

    An answer that equals an annotator's, or an earlier one of any team, is left out with a note; a sentence without any
    A line is not an answer.
    """
    sentences = enumerate(corpus.sentences, 1)
    known = {(number, _meaning(edits)) for number, sentence in sentences for edits in sentence.annotations.values()}
    answers: list[AlternativeAnswer] = []
    for answer in chain.from_iterable(_read_file(file, corpus, problems) for file in files):
        meaning = (answer.sentence, _meaning(answer.edits))
        if meaning in known:
            message = f"team {answer.team}: the answer for sentence {answer.sentence} is there already"
            problems.note("task-answer-known", message, answer.place, fix="left out")
        else:
            known.add(meaning)
            answers.append(answer)
    return answers


def with_answers(corpus: Corpus, accepted: Sequence[AlternativeAnswer]) -> Corpus:
    """The gold edits with accepted answers as annotations of further annotators, named after the teams."""
    sentences = [replace(sentence, annotations=dict(sentence.annotations)) for sentence in corpus.sentences]
    annotators = dict.fromkeys(corpus.annotators)
    for answer in accepted:
        annotations = sentences[answer.sentence - 1].annotations
        names = chain([answer.team], (f"{answer.team}.{number}" for number in count(2)))
        name = next(name for name in names if name not in annotations and name not in corpus.annotators)
        annotations[name] = answer.edits
        annotators[name] = None
    return Corpus(sentences, tuple(annotators), corpus.name)


def _read_file(file: NamedFile, corpus: Corpus, problems: Problems) -> Iterator[AlternativeAnswer]:
    chunks = reference_chunks([file], problems, unmarked="absent", size=ALL)
    sentences = [sentence for chunk in chunks for sentence in chunk.sentences]
    records = [source_record(sentence) for sentence in corpus.sentences]
    theirs = [source_record(sentence) for sentence in sentences]
    first = {record: number for number, record in reversed(list(enumerate(records, 1)))}
    whole, n_answers = theirs == records, 0
    for at, (sentence, record) in enumerate(zip(sentences, theirs, strict=True), 1):
        here = Place(file.path, sentence.line)
        number = at if whole else first.get(record)
        if number is None:
            message = f"the sentence '{sentence.text[:40]}' is not one of the corpus"
            problems.error("task-other-source", message, here, expected="sentences of the test data as they were given")
            continue
        for edits in sentence.annotations.values():
            n_answers += 1
            yield AlternativeAnswer(file.name, number, records[number - 1], edits, here)
    if not n_answers:
        problems.error("task-no-answers", "the file proposes nothing", Place(file.path), expected="A lines")


def _meaning(edits: Annotation) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
    """The key that two equal answers share: neither types nor comments."""
    return tuple(sorted((edit.start, edit.end, edit.replacements) for edit in edits))


def _text(edits: Annotation, tokens: Sequence[str]) -> str:
    """Edits as a judge reads them: ``go → goes``; an insertion or deletion shows ∅."""
    before = (" ".join(tokens[edit.start : edit.end]) or "∅" for edit in edits)
    after = (" | ".join(text or "∅" for text in edit.replacements) or "?" for edit in edits)
    return "; ".join(map("{} → {}".format, before, after)) or "nothing"


def _judging_rows(answers: Sequence[AlternativeAnswer], corpus: Corpus) -> Iterator[Sequence[str | int]]:
    yield COLUMNS
    for answer in answers:
        sentence = corpus.sentences[answer.sentence - 1]
        tokens = sentence.tokens
        gold = " / ".join(f"{name}: {_text(edits, tokens)}" for name, edits in sentence.annotations.items())
        edits = _text(answer.edits, tokens)
        yield (answer.id, answer.team, answer.sentence, answer.source, answer.text, edits, gold, "")


def read_verdicts(path: str, answers: Sequence[AlternativeAnswer], problems: Problems) -> list[AlternativeAnswer]:
    """Read the answers that judges accepted; those without a verdict are noted. Columns may be moved or added."""
    rows = csv.DictReader(f"{line}\n" for line in Lines(path, problems))
    known = {answer.id: answer for answer in answers}
    verdicts: dict[str, str] = {}
    if not {"id", "verdict"} <= set(rows.fieldnames or ()):
        problems.error("task-verdict", "no columns id and verdict", Place(path, 1), expected=",".join(COLUMNS))
        return []
    for row in rows:
        place = Place(path, rows.line_num)
        name, verdict = unguard_cell((row["id"] or "").strip()), (row["verdict"] or "").strip().lower()
        if name not in known:
            message = f"the answer '{name}' is not one of those proposed"
            problems.error("task-verdict", message, place, fix="name the files that were listed; do not change ids")
        elif verdict and verdict not in YES + NO:
            problems.error("task-verdict", f"the verdict '{verdict}'", place, expected="yes or no")
        elif name in verdicts and verdicts[name] != verdict:
            problems.error("task-verdict", f"two verdicts on the answer '{name}'", place, expected="one")
        else:
            verdicts[name] = verdict
    n_open = sum(not verdicts.get(answer.id) for answer in answers)
    if n_open and not problems.errors:
        message = f"{n_open} of {len(answers)} answers have no verdict"
        problems.note("task-not-judged", message, Place(path), fix="they are not accepted")
    return [answer for answer in answers if verdicts.get(answer.id) in YES]
