"""What public functions take: paths or objects, made into a corpus and systems; commands read through here too.

A corpus is a path, several paths over the same sentences, ``name=path``, a pattern, a mapping of names to paths, or a
``Corpus``. Systems are paths, ``name=path``, ``Hypothesis`` objects, or a mapping of names to paths or sentences.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from os import PathLike
from typing import TYPE_CHECKING, Any, cast

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.errors import InputError, Problem, UsageError, nearest
from errorbar.core.problems import Problems, in_file_order
from errorbar.edits.admission import Admission
from errorbar.execute import Executor, Serial
from errorbar.formats.catalog import is_hoo
from errorbar.formats.opening import Source, display_name
from errorbar.formats.reference import (
    ALL,
    UNMARKED,
    NamedFile,
    Unmarked,
    named_files,
    read_named,
    reading_conventions,
    reference_chunks,
    refuse_same_names,
)
from errorbar.formats.text import HypothesisReader
from errorbar.metrics.documents import Documents
from errorbar.metrics.measuring import InMemory
from errorbar.metrics.scoring import Ending, corpus_pieces, piece_size
from errorbar.studies.signatures import CorpusSignatures

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Gold = Source | Corpus | Sequence[Source] | Mapping[str, Source]
System = Source | Hypothesis
Systems = System | Sequence[System] | Mapping[str, Source | Sequence[str]]


@dataclass(frozen=True, slots=True)
class ReadingOptions:
    """How a corpus and systems are read.

    Attributes:
        unmarked: Who looked at a sentence of M2 without any A line (``errorbar.formats.reference``).
        documents: NUCLE SGML that tells the essay of each sentence; None: what the corpus itself says.
        lenient: Repair what can be repaired and note it; otherwise refuse it.
        as_written: Keep reference edits as they stand in the file, in its order and repeated ones too.
        admission: How systems' texts are taken.
    """

    unmarked: Unmarked = "auto"
    documents: Source | None = None
    lenient: bool = False
    as_written: bool = False
    admission: Admission = Admission()  # noqa: RUF009 - frozen

    def __post_init__(self) -> None:
        if self.unmarked not in UNMARKED:
            what = f"unmarked must be one of {', '.join(UNMARKED)}, got {self.unmarked!r}"
            raise UsageError(Problem("bad-parameter", what, fix=nearest(str(self.unmarked), UNMARKED)))

    @property
    def conventions(self) -> tuple[str, ...]:
        """What joins signatures; nothing for the usual way."""
        said = reading_conventions(self.unmarked, as_written=self.as_written)
        return (*said, *self.admission.conventions)

    def problems(self) -> Problems:
        """A notebook for whoever reads this way."""
        return Problems(lenient=self.lenient, as_written=self.as_written)


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
            fix = "add --documents essays.sgml, or use JSONL with documents (errorbar convert --documents)"
            raise UsageError(Problem("no-documents", what, fix=fix))
        return self.documents.clusters()

    def types(self) -> str:
        """What joins the signature where error types count."""
        return CorpusSignatures(self.corpus, self.systems, self.conventions).types()

    def signature(self, spec: str, *conventions: str) -> str:
        """The signature of something computed from all of it."""
        return CorpusSignatures(self.corpus, self.systems, self.conventions).of(spec, *conventions)


@dataclass(slots=True)
class Pieces:
    """A corpus and systems that are read piece by piece, in order, in memory that does not grow.

    Attributes:
        pieces: What ``errorbar.execute`` hands to workers.
        systems: The systems' names, and whoever checks their length at the end.
        problems: What was noted on the way; in the order of the files once all is read.
        conventions: What joins the signature, but for how systems' texts are taken.
        admission: How systems' texts are taken.
    """

    pieces: Iterable[Any]
    systems: Sequence[Ending]
    problems: Problems
    conventions: tuple[str, ...]
    admission: Admission


def read_corpus(
    gold: Gold,
    problems: Problems | None = None,
    *,
    unmarked: Unmarked = "auto",
    documents: Source | None = None,
    lenient: bool = False,
    as_written: bool = False,
) -> Corpus:
    """Read a whole reference corpus into memory.

    Args:
        gold: One M2 or JSONL file, or several over the same sentences: paths, ``name=path``, patterns such as
            ``"A*.m2"``, or ``{name: path}``. A ``Corpus`` is returned as it is (with its documents, if they are given).
        problems: Where notes go, with a mode of its own; None: a new notebook. The notes are on the corpus too.
        unmarked: Who looked at a sentence of M2 without any A line: ``auto``, ``official``, ``all``, ``everywhere`` or
            ``absent``.
        documents: NUCLE SGML that tells the essay of each sentence.
        lenient: Repair what can be repaired and note it; otherwise refuse it.
        as_written: Keep reference edits as they stand in the file, in its order and repeated ones too.

    Raises:
        InputError: If a file is bad, or the files are not over the same sentences.
        UsageError: If no file is named, two have one name, or an argument is of the wrong type.
    """
    options = ReadingOptions(unmarked, documents, lenient, as_written)
    return _corpus(gold, options, options.problems() if problems is None else problems)


def read_system(
    system: System,
    gold: Gold | None = None,
    *,
    lenient: bool = False,
    force: bool = False,
    retokenize: bool = False,
) -> Hypothesis:
    """Read a system's output, one corrected sentence per line.

    Args:
        system: A path, ``name=path``, or a ``Hypothesis``.
        gold: The corpus that it corrects, as ``read_corpus`` takes it; None: the text is not looked into.
        lenient: Repair what can be repaired; otherwise refuse it.
        force: Take a text that is not a correction of this corpus.
        retokenize: Give lines that look untokenized the source's tokens.

    Raises:
        InputError: If the file is bad, has another number of lines than there are sentences, or is not a correction
            of them.
        UsageError: If an argument is of the wrong type.
    """
    options = ReadingOptions(lenient=lenient, admission=Admission(force, retokenize))
    if gold is not None:
        return load(gold, system, options).systems[0]
    problems = options.problems()
    (stream,) = system_streams(system_list(system), problems)
    found = Hypothesis(stream.name, list(stream.take(ALL)))
    problems.raise_errors()
    return found


def load(gold: Gold, systems: Systems = (), options: ReadingOptions = ReadingOptions()) -> Loaded:
    """Read everything.

    Raises:
        InputError: If a file is bad, files do not fit together, or a system is not a correction of the source.
        UsageError: If two files have one name, or an argument is of the wrong type.
    """
    problems = options.problems()
    outputs = system_list(systems)
    corpus = _corpus(gold, options, problems)
    texts = [sentence.text for sentence in corpus.sentences]
    hypotheses = []
    for stream in system_streams(outputs, problems):
        lines = stream.take(len(corpus))
        stream.finish(len(corpus))
        problems.raise_errors()
        hypotheses.append(Hypothesis(stream.name, options.admission.take(stream.name, texts, lines, problems)))
    problems.raise_errors()
    documents = Documents()
    documents.add(corpus.sentences)
    return Loaded(corpus, hypotheses, documents, problems, options.conventions)


@contextmanager
def read_pieces(gold: Gold, systems: Systems, options: ReadingOptions, executor: Executor) -> Iterator[Pieces]:
    """A corpus and systems in pieces; M2 is cut into stretches that workers read, where there are several.

    Problems come in the order of the files and their lines, whoever found them.

    Args:
        gold: As for ``read_corpus``.
        systems: The systems.
        options: How they are read.
        executor: Who gets the pieces.

    Raises:
        InputError: If a file is bad, or files do not fit together; also while the pieces are taken.
        UsageError: If two files have one name, or an argument is of the wrong type.
    """
    problems = options.problems()
    said = reading_conventions(options.unmarked, as_written=options.as_written)
    outputs = system_list(systems)
    corpus = gold if isinstance(gold, Corpus) else None
    references = [] if isinstance(gold, Corpus) else corpus_files(gold)
    files = [*references, *(each for each in outputs if isinstance(each, NamedFile))]
    with problems_in_order(problems, [display_name(file.path) for file in files]):
        if _can_cut(references, outputs, options, executor):
            from errorbar.formats.pieces import CutSystem, cut_pieces  # noqa: PLC0415 - one process needs none

            carry = not executor.sees([file.path for file in files])
            size = piece_size(len(outputs))
            cut = [CutSystem(each, problems, carry=carry) for each in outputs if isinstance(each, NamedFile)]
            pieces: Iterable[Any] = cut_pieces(
                references, cut, problems, unmarked=options.unmarked, size=size, carry=carry
            )
            yield Pieces(pieces, cut, problems, said, options.admission)
            return
        streams = list(system_streams(outputs, problems))
        if corpus is not None or options.documents is not None:
            chunks: Iterable[Corpus] = [_corpus(gold, options, problems)]
        else:
            chunks = reference_chunks(references, problems, unmarked=options.unmarked)
        pieces = corpus_pieces(chunks, streams, executor)
        yield Pieces(pieces, streams, problems, said, options.admission)


def corpus_files(gold: Source | Sequence[Source] | Mapping[str, Source]) -> list[NamedFile]:
    """The files of a corpus, patterns expanded.

    Raises:
        InputError: If a pattern matches no file.
        UsageError: If there is no file, an argument is of the wrong type, or a file is HOO data.
    """
    files = named_files(gold, "gold", patterns=True)
    if not files:
        raise UsageError(Problem("no-reference", "no reference file is named", expected="at least one"))
    for file in files:
        if is_hoo(file.path):
            what = f"{file.path} is HOO data, which score, report, task, check and convert read"
            raise UsageError(Problem("hoo-metric", what, fix="errorbar convert --to m2 makes M2 of it"))
    return files


def system_list(
    systems: Systems | Sequence[NamedFile | Hypothesis], *, one_name: bool = False
) -> list[NamedFile | Hypothesis]:
    """The systems: files and what to call them, or what is in memory already; several may share a name if told so.

    Raises:
        UsageError: If two have one name, or an argument is of the wrong type.
    """
    found: list[NamedFile | Hypothesis] = []
    if isinstance(systems, Mapping):
        for name, said in systems.items():
            path = isinstance(said, str | PathLike)
            found += named_files({name: said}, "systems") if path else [Hypothesis(str(name), cast("list[str]", said))]
    elif isinstance(systems, Iterable) and not isinstance(systems, str):
        found = [_system(each) for each in systems]
    else:
        found = [_system(systems)]
    if not one_name:
        refuse_same_names(found, "systems")
    return found


def _system(value: object) -> NamedFile | Hypothesis:
    if isinstance(value, Hypothesis | NamedFile):
        return value
    return named_files([value], "a system", "a path or a Hypothesis")[0]


def _corpus(gold: Gold, options: ReadingOptions, problems: Problems) -> Corpus:
    if not isinstance(gold, Corpus):
        corpus = read_named(corpus_files(gold), problems, unmarked=options.unmarked)
    elif options.unmarked != "auto" or options.as_written:
        what = "unmarked and as_written say how files are read, and this corpus is in memory"
        raise UsageError(Problem("useless-option", what, fix="give them where it is read"))
    else:
        corpus = gold.check()
        problems.take(gold.notes)
        if options.documents is not None:
            corpus = replace(gold, sentences=[replace(sentence) for sentence in gold.sentences], cache={})
    if options.documents is not None:
        from errorbar.formats.nucle_project import add_documents  # noqa: PLC0415 - most corpora know their own

        add_documents(corpus, named_files(options.documents, "documents")[0].path, problems)
    return corpus


def system_streams(
    systems: Sequence[NamedFile | Hypothesis], problems: Problems
) -> Iterator[HypothesisReader | InMemory]:
    """Whoever gives each system's sentences in step with the source; a file is opened when its turn comes."""
    for each in systems:
        yield (
            HypothesisReader(each.path, each.name, problems)
            if isinstance(each, NamedFile)
            else InMemory(each, problems)
        )


def _can_cut(
    references: Sequence[NamedFile],
    systems: Sequence[NamedFile | Hypothesis],
    options: ReadingOptions,
    executor: Executor,
) -> bool:
    if isinstance(executor, Serial) or not references or options.documents is not None:
        return False
    files = [each for each in systems if isinstance(each, NamedFile)]
    if len(files) < len(systems):
        return False
    from errorbar.formats.pieces import can_cut  # noqa: PLC0415 - one process needs none

    return can_cut(references, files)


@contextmanager
def problems_in_order(problems: Problems, files: Sequence[str]) -> Iterator[None]:
    """Put what was found, or was the end of it, in the order of files and lines."""
    try:
        yield
    except InputError as error:
        raise InputError(in_file_order(error.problems, files)) from None
    problems.notes = in_file_order(problems.notes, files)
