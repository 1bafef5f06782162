"""Alternative answers: corrections that teams defend, judged one by one, and joined to the gold edits.

An answer is a whole annotation of a sentence, as in CoNLL-2014: accepted, it stands beside the annotators' own, and a
system may be scored against it for that sentence.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from errorbar.core.corpus import Annotation, Corpus, Sentence, source_record
from errorbar.core.edit import Edit
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.edits.apply import apply_edits
from errorbar.formats.reference import ALL, NamedFile, reference_chunks

_ID = 10


@dataclass(frozen=True, slots=True)
class Answer:
    """An alternative answer.

    Attributes:
        team: Who proposes it.
        sentence: Number of the sentence, counted from 1.
        source: The sentence.
        edits: The annotation.
        place: Where it was read.
    """

    team: str
    sentence: int
    source: str
    edits: Annotation
    place: Place

    @property
    def id(self) -> str:
        """Names the answer in the list for judging: hash of team, place in the corpus, source and edits."""
        said = f"{self.team}\n{self.sentence}\n{self.source}\n{_meaning(self.edits)!r}"
        return hashlib.sha256(said.encode("utf-8", "surrogatepass")).hexdigest()[:_ID]

    @property
    def text(self) -> str:
        """What the sentence becomes."""
        return " ".join(apply_edits(self.source.split(), self.edits, problems=Problems(lenient=True)))


def read_answers(files: Sequence[NamedFile], corpus: Corpus, problems: Problems) -> list[Answer]:
    """Read teams' files (M2 or JSONL) and check what they propose.

    Every sentence must be one of the corpus; a file may hold all of them or some. An answer that is an annotator's
    already, or that another team gave before, is left out with a note; a sentence without any A line is no answer.

    Args:
        files: The files, by team.
        corpus: The gold edits.
        problems: Where problems are recorded; the caller raises them.

    Raises:
        InputError: If a file cannot be read.
    """
    known = {
        (number, _meaning(edits))
        for number, sentence in enumerate(corpus.sentences, 1)
        for edits in sentence.annotations.values()
    }
    answers: list[Answer] = []
    for file in files:
        for answer in _of_file(file, corpus, problems):
            meaning = (answer.sentence, _meaning(answer.edits))
            if meaning in known:
                what = f"team {answer.team}: the answer for sentence {answer.sentence} is there already"
                problems.note("task-answer-known", what, answer.place, fix="left out")
                continue
            known.add(meaning)
            answers.append(answer)
    return answers


def with_answers(corpus: Corpus, accepted: Sequence[Answer]) -> Corpus:
    """The gold edits with accepted answers as annotations of further annotators, named after the teams."""
    sentences = [
        Sentence(each.text, dict(each.annotations), each.document, each.writer, each.line) for each in corpus.sentences
    ]
    annotators = dict.fromkeys(corpus.annotators)
    for answer in accepted:
        annotations = sentences[answer.sentence - 1].annotations
        name, number = answer.team, 1
        while name in annotations or name in corpus.annotators:
            number += 1
            name = f"{answer.team}.{number}"
        annotations[name] = answer.edits
        annotators[name] = None
    return Corpus(sentences, tuple(annotators), corpus.name)


def _of_file(file: NamedFile, corpus: Corpus, problems: Problems) -> Iterator[Answer]:
    place = Place(file.path)
    chunks = list(reference_chunks([file], problems, unmarked="absent", size=ALL))
    sentences = [sentence for chunk in chunks for sentence in chunk.sentences]
    records = [source_record(sentence) for sentence in corpus.sentences]
    whole = [source_record(sentence) for sentence in sentences] == records
    numbers: dict[str, int] = {}
    for number, record in enumerate(records, 1):
        numbers.setdefault(record, number)
    n_answers = 0
    for at, sentence in enumerate(sentences, 1):
        here = Place(file.path, sentence.line)
        found = at if whole else numbers.get(source_record(sentence))
        if found is None:
            what = f"the sentence '{sentence.text[:40]}' is not one of the corpus"
            problems.error("task-other-source", what, here, expected="sentences of the test data as they were given")
            continue
        for edits in sentence.annotations.values():
            n_answers += 1
            yield Answer(file.name, found, records[found - 1], edits, here)
    if not n_answers:
        problems.error("task-no-answers", "the file proposes nothing", place, expected="A lines")


def _meaning(edits: Annotation) -> tuple[tuple[int, int, tuple[str, ...]], ...]:
    """What two equal answers share: neither types nor comments."""
    return tuple(sorted((edit.start, edit.end, edit.replacements) for edit in edits))


def edit_text(edit: Edit, tokens: Sequence[str]) -> str:
    """An edit as a judge reads it: ``go → goes``; an insertion or deletion shows ∅."""
    before = " ".join(tokens[edit.start : edit.end]) or "∅"
    after = " | ".join(text or "∅" for text in edit.replacements) or "?"
    return f"{before} → {after}"
