"""Reading a whole corpus and systems into memory, for the commands that need them all at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any, TypeVar

import click
import numpy as np
from numpy.typing import NDArray

from errorbar.cli.options import INPUT
from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.errors import Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission
from errorbar.formats.documents import add_documents
from errorbar.formats.hoo_detect import is_hoo
from errorbar.formats.hypothesis import HypothesisReader
from errorbar.formats.reference import (
    UNMARKED,
    UNMARKED_HELP,
    NamedFile,
    Unmarked,
    expand_files,
    read_named,
    reading_conventions,
    refuse_same_names,
)
from errorbar.metrics.statistics import Documents
from errorbar.studies.signatures import CorpusSignatures

Command = TypeVar("Command", bound=Callable[..., Any])


@dataclass(frozen=True, slots=True)
class CorpusInput:
    """What the shared options say about the corpus.

    Attributes:
        gold: ``--gold`` arguments.
        documents: File that tells the essay of each sentence, or None.
        unmarked: Who looked at a sentence without any A line.
    """

    gold: tuple[str, ...]
    documents: str | None
    unmarked: Unmarked


def corpus_options(command: Command) -> Command:
    """``--gold``, ``--documents``, ``--unmarked``: the command gets them as one argument, ``corpus``."""

    @click.option(
        "--gold",
        type=INPUT,
        multiple=True,
        required=True,
        metavar="FILE",
        help="Reference; repeatable, or a pattern.",
    )
    @click.option("--documents", type=INPUT, metavar="FILE", help="NUCLE SGML that tells the essay of each sentence.")
    @click.option("--unmarked", type=click.Choice(UNMARKED), default="auto", help=UNMARKED_HELP)
    @wraps(command)
    def wrapped(*args: Any, gold: tuple[str, ...], documents: str | None, unmarked: Unmarked, **options: Any) -> Any:
        return command(*args, corpus=CorpusInput(gold, documents, unmarked), **options)

    return wrapped  # type: ignore[return-value]  # click passes options by name; the decorated command keeps its type


@dataclass(slots=True)
class Loaded:
    """A corpus and systems in memory.

    Attributes:
        corpus: Sentences and annotations.
        systems: The systems' sentences.
        documents: Which essay each sentence is from.
        problems: What was noted on the way.
        conventions: What joins the signature.
    """

    corpus: Corpus
    systems: list[Hypothesis]
    documents: Documents
    problems: Problems
    conventions: tuple[str, ...]

    def need_documents(self, option: str) -> NDArray[np.int64]:
        """Document number of each sentence.

        Raises:
            UsageError: If the corpus has no documents.
        """
        if self.documents.unit != "document":
            what = f"{option} needs to know which essay each sentence is from"
            fix = "add --documents essays.sgml, or use JSONL with documents (errorbar convert --essays)"
            raise UsageError(Problem("no-documents", what, fix=fix))
        return self.documents.clusters()

    def types(self) -> str:
        """What joins the signature where error types count."""
        return CorpusSignatures(self.corpus, self.systems, self.conventions).types()

    def signature(self, spec: str, *conventions: str) -> str:
        """The signature of something computed from all of it."""
        return CorpusSignatures(self.corpus, self.systems, self.conventions).of(spec, *conventions)


def load(
    source: CorpusInput, systems: Sequence[str], *, lenient: bool, admission: Admission, as_written: bool = False
) -> Loaded:
    """Read everything.

    Raises:
        InputError: If a file is bad, files do not fit together, or a system is not a correction of the source.
        UsageError: If two files have one name.
    """
    gold = expand_files(source.gold)
    for file in gold:
        if is_hoo(file.path):
            what = f"{file.path} is HOO data, which score, report, task, check and convert read"
            raise UsageError(Problem("hoo-metric", what, fix="errorbar convert --to m2 makes M2 of it"))
    problems = Problems(lenient=lenient, as_written=as_written)
    corpus = read_named(gold, problems, unmarked=source.unmarked)
    if source.documents:
        add_documents(corpus, source.documents, problems)
    files = [NamedFile.parse(system) for system in systems]
    refuse_same_names(files, "systems")
    texts = [sentence.text for sentence in corpus.sentences]
    hypotheses = []
    for file in files:
        reader = HypothesisReader(file, problems)
        lines = reader.take(len(corpus))
        reader.finish(len(corpus))
        problems.raise_errors()
        hypotheses.append(Hypothesis(file.name, admission.take(file.name, texts, lines, problems)))
    problems.raise_errors()
    documents = Documents()
    documents.add(corpus.sentences)
    conventions = reading_conventions(source.unmarked, as_written=as_written)
    return Loaded(corpus, hypotheses, documents, problems, (*conventions, *admission.conventions))
