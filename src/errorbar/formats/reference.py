"""Reference corpora: from one or several annotated files to chunks of sentences with all their annotators."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from glob import glob
from itertools import islice, zip_longest
from os import PathLike, fspath
from pathlib import Path
from typing import Literal, NamedTuple, get_args

from errorbar.core.corpus import Annotation, Corpus, Hypothesis, Sentence, annotator_order
from errorbar.core.labels import natural_key
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, wrong_type
from errorbar.formats.catalog import FORMATS, find_format, format_of
from errorbar.formats.look import Lines, Source, display_name, is_there, list_paths, look
from errorbar.formats.m2 import m2_annotators, no_blank_line, read_m2
from errorbar.formats.text import Cutter, HypothesisReader, Stretch

Unmarked = Literal["auto", "official", "all", "everywhere", "absent"]
UNMARKED: tuple[Unmarked, ...] = get_args(Unmarked)
"""Who looked at a sentence without any A line.

``official``: annotator 0 looked and found nothing, nobody else looked (the official scorer). ``all``: every
annotator of the file looked at it and found nothing; at a sentence that some marked looked only those who did.
``everywhere``: every annotator of the file looked at every sentence, also at those that only others marked.
``absent``: nobody looked. ``auto``: ``all`` where the file has one annotator, else ``official``.
"""
OF_ALL: frozenset[Unmarked] = frozenset(("all", "everywhere"))  # what takes it to know every annotator of the file
FIRST_ANNOTATOR = "0"
CHUNK = 4096
ALL = 1 << 62  # a chunk size that takes everything at once


def reading_conventions(unmarked: Unmarked, *, as_written: bool) -> tuple[str, ...]:
    """How references were read, as it stands in signatures; nothing for the usual way."""
    conventions = () if unmarked == "auto" else (f"unmarked:{unmarked}",)
    return (*conventions, "gold:as-written") if as_written else conventions


class NamedFile(NamedTuple):
    """A file, or ``-``, and its name in tables."""

    path: str
    name: str

    @classmethod
    def parse(cls, argument: str) -> NamedFile:
        """Read ``path`` or ``name=path``; without a name, the file name without its directory and ``.gz``, ``.m2``.

        Several runs, ``run1,run2``, without a name are called by all their files.
        """
        name, equals, path = argument.partition("=")
        if equals and name and path and "/" not in name:
            return cls(path, name)
        runs = [argument] if "," not in argument or is_there(argument) else argument.split(",")
        return cls(argument, ",".join(dict.fromkeys(map(_stem, runs))) or argument)


def _stem(path: str) -> str:
    """The name of a file without its directory and usual endings."""
    stem = Path(path).name
    for ending in (".gz", ".m2", ".jsonl", ".txt", ".sgml", ".md", ".tsv", ".csv"):
        stem = stem.removesuffix(ending)
    return stem


def expand_files(arguments: Sequence[str]) -> list[NamedFile]:
    """Read ``--gold`` arguments; one with ``*``, ``?`` or ``[`` stands for the files it matches, A2 before A10."""
    return [NamedFile.parse(path) for argument in arguments for path in expand_pattern(argument)]


def expand_pattern(path: str) -> list[str]:
    """The files that a pattern matches, A2 before A10, or a path that is none.

    Raises:
        InputError: If no file matches.
    """
    if not set(path) & set("*?[") or is_there(path):
        return [path]
    matches = sorted(glob(path), key=natural_key)  # noqa: PTH207 - Path.glob refuses absolute patterns
    if not matches:
        raise InputError(Problem("no-such-file", "no file has such a name", Place(path)))
    return matches


def named_files(given: object, what: str, expected: str = "a path", *, patterns: bool = False) -> list[NamedFile]:
    """The files given as ``what``: a path, ``name=path``, several, or a mapping; ``patterns``: as ``expand_files``."""
    if isinstance(given, Mapping):
        return [NamedFile(_path(path, f"{what}[{name!r}]", expected), str(name)) for name, path in given.items()]
    several = given if isinstance(given, Iterable) and not isinstance(given, str) else [given]
    paths = [_path(each, what, expected) for each in several]
    return expand_files(paths) if patterns else [NamedFile.parse(path) for path in paths]


def _path(value: object, what: str, expected: str) -> str:
    if not isinstance(value, str | PathLike):
        raise wrong_type(what, expected, value)
    return str(fspath(value))


def refuse_same_names(files: Sequence[NamedFile | Hypothesis], what: str, example: str = "name=path") -> None:
    """Rows of one name could not be told apart: a ``UsageError``."""
    names = [file.name for file in files]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(Problem("same-name", f"two {what} are called '{name}'", fix=f"rename one: {example}"))


RunNames = dict[str, tuple[str, ...]]
"""Systems that are given as several runs, and what these are called."""


def split_runs(systems: Sequence[NamedFile | Hypothesis]) -> tuple[list[NamedFile | Hypothesis], RunNames]:
    """The systems, those of several runs (``name=run1,run2``) in their place run by run, and what they are called.

    A file whose name has a comma is that file.
    """
    listed: list[NamedFile | Hypothesis] = []
    runs: RunNames = {}
    for system in systems:
        paths = [] if isinstance(system, Hypothesis) else system.path.split(",")
        if isinstance(system, Hypothesis) or not _several(system.path, paths):
            listed.append(system)
            continue
        if again := [path for path in dict.fromkeys(paths) if paths.count(path) > 1]:
            raise UsageError(Problem("same-run", f"{again[0]} is twice a run of {system.name}", fix="name it once"))
        runs[system.name] = tuple(f"{system.name}#{k}" for k in range(1, len(paths) + 1))
        listed += map(NamedFile, paths, runs[system.name])
    if runs:
        refuse_same_names(listed, "systems")
    return listed, runs


def _several(path: str, paths: Sequence[str]) -> bool:
    return len(paths) > 1 and all(paths) and not is_there(path) and any(map(is_there, paths))


def refuse_runs(names: RunNames) -> None:
    """Raise ``UsageError`` if a system has several runs: what does not know what to do with them takes none."""
    if names:
        message = f"{next(iter(names))} has several runs, which only score and compare against one gold take"
        raise UsageError(Problem("several-runs", message, fix="name each run as a system of its own"))


def read_sentences(lines: Lines, problems: Problems) -> Iterator[Sentence]:
    """Read annotated sentences of any format."""
    first = lines.peek().lstrip()
    known = format_of(lines) if first else find_format("m2")  # which says that the file is empty
    if known.holds in ("edits", "labels"):
        return known.read(lines, problems)
    message = f"neither M2 nor errorbar JSONL; it starts {first[:30]!r}"
    fix = "if it is a corrected text, add --source=FILE: what it corrects"
    if first.startswith("<"):
        fix = "errorbar convert makes M2 of NUCLE SGML and of parallel text"
    if known.name == "multigec":
        message = "these are texts of essays, without edits"
        fix = "errorbar convert --source orig.md ref1.md -o gold.jsonl"
    raise InputError(Problem("unknown-format", message, Place(lines.name, 1), "a line that starts with S or {", fix))


def reference_chunks(
    files: Sequence[NamedFile], problems: Problems, *, unmarked: Unmarked = "auto", size: int = CHUNK
) -> Iterator[Corpus]:
    """Read annotated files in step and yield corpora of at most ``size`` sentences; then raise all problems.

    Annotators of a single file keep their ids. With several files annotator 0 of each takes the name of its file, any
    other id becomes ``name.id``.
    """
    refuse_same_names(files, "reference files", "--gold=name=path")
    streams = [_open_reference(file, problems, unmarked, rename=len(files) > 1) for file in files]
    at = 0
    while any(parts := [stream.take(size) for stream in streams]):
        _check_lengths(streams, parts, at)
        at += len(parts[0])
        yield corpus_of(parts, streams)
    problems.raise_errors()


def read_corpus(
    files: Source | Sequence[Source], problems: Problems | None = None, *, unmarked: Unmarked = "auto"
) -> Corpus:
    """Read a whole reference corpus, one M2 or JSONL file or several over the same sentences; None: read strictly."""
    return read_named([*map(NamedFile.parse, list_paths(files))], problems or Problems(), unmarked=unmarked)


def read_named(files: Sequence[NamedFile], problems: Problems, *, unmarked: Unmarked = "auto") -> Corpus:
    """As ``read_corpus``, for files with names of their own; the corpus has the notes too."""
    if not files:
        raise UsageError(Problem("no-reference", "no reference file is named", expected="at least one"))
    # One chunk: every annotator of every file is known before a sentence is filled in.
    (corpus,) = [*reference_chunks(files, problems, unmarked=unmarked, size=ALL)] or [Corpus([], (), files[0].name)]
    corpus.notes = list(problems.notes)
    return corpus


@dataclass(slots=True)
class ReferenceStream:
    """One reference file or a part of it, taken in step with others."""

    file: NamedFile
    sentences: Iterator[Sentence]
    unmarked: Unmarked
    rename: bool  # its annotators are called after the file, since there are several
    seen: dict[str, None] = field(default_factory=dict)  # the annotators known so far
    complete: bool = False  # they are all that it takes to know what a sentence means

    def take(self, size: int) -> list[Sentence]:
        """The next sentences, as many as there are up to ``size``, with an entry for everybody who looked."""
        taken = list(islice(self.sentences, size)) if size < ALL else list(self.sentences)
        for sentence in taken:
            if not self.seen.keys() >= sentence.annotations.keys():
                self.seen.update(dict.fromkeys(sentence.annotations))
        if len(taken) == size and not self.complete and (self.unmarked == "auto" or self.unmarked in OF_ALL):
            # More may follow, and what a bare sentence means depends on who annotated the whole file.
            from errorbar.formats.m2 import m2_annotators  # noqa: PLC0415 - only of large files

            self.seen.update(dict.fromkeys(m2_annotators(self.file.path)))
        self.complete = True
        self.fill(taken)
        return taken

    def annotator_name(self, name: str) -> str:
        """The corpus's name of an annotator of this file."""
        if not self.rename:
            return name
        return self.file.name if name == FIRST_ANNOTATOR else f"{self.file.name}.{name}"

    def fill(self, sentences: list[Sentence]) -> None:
        """Give sentences without annotations those that they stand for."""
        if self.unmarked == "absent":
            return
        if self.unmarked in OF_ALL:
            for sentence in sentences:
                if sentence.annotations and self.unmarked == "all":
                    continue
                sentence.annotations = {name: sentence.annotations.get(name, ()) for name in annotator_order(self.seen)}
            return
        bare = [sentence for sentence in sentences if not sentence.annotations]
        if bare:
            only = next(iter(self.seen)) if self.unmarked == "auto" and len(self.seen) == 1 else FIRST_ANNOTATOR
            self.seen.setdefault(only)
            for sentence in bare:
                sentence.annotations = {only: ()}


def _open_reference(file: NamedFile, problems: Problems, unmarked: Unmarked, *, rename: bool) -> ReferenceStream:
    lines = Lines(file.path, problems)
    known = format_of(lines)
    meaning: Unmarked = "absent" if known.holds in ("edits", "labels") and not known.silent else unmarked
    return ReferenceStream(file, read_sentences(lines, problems), meaning, rename)


def _check_lengths(streams: list[ReferenceStream], parts: list[list[Sentence]], at: int) -> None:
    if len({len(part) for part in parts}) == 1:
        return
    totals = [at + len(part) + sum(1 for _ in stream.sentences) for stream, part in zip(streams, parts, strict=True)]
    totals_by_name = ", ".join(f"{stream.file.name}: {total}" for stream, total in zip(streams, totals, strict=True))
    message = f"the reference files have different numbers of sentences ({totals_by_name})"
    raise InputError(Problem("reference-lengths", message, fix="give files over the same text"))


def corpus_of(parts: Sequence[list[Sentence]], streams: Sequence[ReferenceStream]) -> Corpus:
    """Join what was taken from each stream, as many sentences of each."""
    annotators = tuple(stream.annotator_name(name) for stream in streams for name in stream.seen)
    if len(parts) == 1:
        return Corpus(parts[0], annotators, streams[0].file.name)
    names = [{name: stream.annotator_name(name) for name in stream.seen} for stream in streams]
    joined = [_merge(group, streams, names) for group in zip(*parts, strict=True)]
    files: dict[str, tuple[str, Sequence[int]]] = {}
    for stream, part in zip(streams, parts, strict=True):
        own = display_name(stream.file.path), [sentence.line for sentence in part]
        files |= {stream.annotator_name(name): own for name in stream.seen}
    return Corpus(joined, annotators, streams[0].file.name, files=files)


def _merge(
    group: tuple[Sentence, ...], streams: Sequence[ReferenceStream], names: Sequence[Mapping[str, str]]
) -> Sentence:
    first = group[0]
    annotations: dict[str, Annotation] = {}
    for sentence, stream, own_names in zip(group, streams, names, strict=True):
        if sentence.text != first.text and sentence.tokens != first.tokens:
            pairs = zip_longest(first.tokens, sentence.tokens)
            position, (a, b) = next((i, pair) for i, pair in enumerate(pairs) if pair[0] != pair[1])
            name, place = streams[0].file.name, Place(display_name(stream.file.path), sentence.line)
            message = f"the sentence is not that of {name}: token {position} is {b!r}, there (line {first.line}) {a!r}"
            raise InputError(Problem("source-mismatch", message, place, fix="give files over the same text"))
        for name, edits in sentence.annotations.items():
            annotations[own_names[name]] = edits
    about = next((sentence for sentence in group if sentence.document or sentence.writer), first)
    return Sentence(first.text, annotations, about.document, about.writer, first.line, about.paragraph)


# References and systems cut into pieces for the workers of ``errorbar.execute``, which read them.
#
# Whole lines, or sentences of M2 with their A lines, are cut without understanding them: a fiftieth of the time of
# reading, so that one process can feed many.


class PieceContents(NamedTuple):
    """The contents of a piece: sentences, their annotators, and the lines of systems, fewer where a file has ended."""

    corpus: Corpus
    lines: list[list[str]]
    problems: Problems


class ReferencePart(NamedTuple):
    """A reference file's part of a piece, and what is known of the whole file."""

    file: NamedFile
    stretch: Stretch
    unmarked: Unmarked  # ``auto`` only where ``known`` is the file's only annotator
    known: tuple[str, ...]  # annotators of the file, as far as a meaning depends on them
    rename: bool  # there are several files

    def stream(self, problems: Problems) -> ReferenceStream:
        """The stretch, read as the whole file would be."""
        lines = self.stretch.lines(problems)
        if not self.stretch.separated:
            lines.peek()  # what cannot be decoded is said first, as in a whole file
            no_blank_line(Place(lines.name, lines.before + 1), problems)
        known = dict.fromkeys(self.known)
        return ReferenceStream(self.file, read_m2(lines, problems), self.unmarked, self.rename, known, complete=True)


class TextPiece(NamedTuple):
    """Sentences of the references and the systems' lines for them, unread."""

    references: tuple[ReferencePart, ...]
    systems: tuple[Stretch, ...]
    lenient: bool
    as_written: bool = False

    def read(self) -> PieceContents:
        """Read it; whoever collects the pieces sets the limit of problems."""
        problems = Problems(lenient=self.lenient, limit=sys.maxsize, as_written=self.as_written)
        streams = [part.stream(problems) for part in self.references]
        corpus = corpus_of([stream.take(ALL) for stream in streams], streams)
        return PieceContents(corpus, [list(stretch.lines(problems)) for stretch in self.systems], problems)


class CutSystem(HypothesisReader):
    """A system's file, cut in step with the references; complains at the end if its length differs."""

    def __init__(self, file: NamedFile, problems: Problems, *, carry: bool) -> None:
        super().__init__(file.path, file.name, Problems(lenient=True))  # looks at the first lines only
        self.problems = problems
        self.cutter = Cutter(file.path, sentences=False, carry=carry)

    def cut(self, size: int) -> Stretch:
        """The next lines, as many as there are up to ``size``."""
        stretch, n = self.cutter.take(size)
        self.count += n
        return stretch

    def finish(self, n_sentences: int) -> None:
        """Check that the file has as many sentences as the source."""
        self.lines = Lines(self.cutter.path, self.problems, cut=self.cutter.rest(), before=self.count)
        super().finish(n_sentences)


def can_cut(references: Sequence[NamedFile], systems: Sequence[NamedFile]) -> bool:
    """Whether these files can be read in pieces: references in M2, systems line by line, nothing read only once."""
    outputs, golds = ([look(file.path) for file in files] for files in (systems, references))
    if any(source.is_pipe for source in (*golds, *outputs)):
        return False
    # A missing file of a system is better known before workers start.
    kinds = [format_of(source).name for source in outputs]
    if any(kind not in FORMATS or kind in ("multigec", "multiged") for kind in kinds):
        return False
    return all(format_of(source).name == "m2" for source in golds)


def cut_pieces(
    references: Sequence[NamedFile],
    systems: Sequence[CutSystem],
    problems: Problems,
    *,
    unmarked: Unmarked = "auto",
    size: int,
    carry: bool,
) -> Iterator[TextPiece]:
    """Cut references, M2 files over the same sentences, and systems in step into pieces of ``size`` sentences.

    The mode of ``problems`` is that of the pieces; ``carry``: they hold their text.
    """
    refuse_same_names(references, "reference files", "--gold=name=path")
    known = [_known_annotators(file, unmarked) for file in references]
    cutters = [Cutter(file.path, sentences=True, carry=carry) for file in references]
    at = 0
    while True:
        taken = [cutter.take(size) for cutter in cutters]
        n = taken[0][1]
        if any(other != n for _, other in taken) or not (at or n):
            for _ in reference_chunks(references, problems, unmarked=unmarked):  # which says what is wrong
                pass
        if not n:
            break
        at += n
        each = zip(references, taken, known, strict=True)
        parts = tuple(ReferencePart(file, stretch, *policy, len(references) > 1) for file, (stretch, _), policy in each)
        yield TextPiece(parts, tuple(system.cut(n) for system in systems), problems.lenient, problems.as_written)
    problems.raise_errors()


def _known_annotators(file: NamedFile, unmarked: Unmarked) -> tuple[Unmarked, tuple[str, ...]]:
    """The meaning of sentences without edits, and the annotators that decide it; no more is read than is needed."""
    if unmarked in OF_ALL:
        return unmarked, tuple(m2_annotators(file.path))
    if unmarked != "auto":
        return unmarked, ()
    known = tuple(m2_annotators(file.path, most=2))
    return ("auto", known) if len(known) == 1 else ("official", ())
