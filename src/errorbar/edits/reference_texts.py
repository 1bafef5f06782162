"""References that are texts: a source and corrected versions of it, one annotator each, as corpora of minimal edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from typing import cast

from errorbar.core.corpus import Corpus, Hypothesis, Sentence
from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.edits.admission import Admission, Look
from errorbar.edits.texts import parallel_sentences
from errorbar.formats.catalog import format_of
from errorbar.formats.look import Lines, Source
from errorbar.formats.m2_file import is_m2
from errorbar.formats.reference import CHUNK, NamedFile, refuse_same_names
from errorbar.formats.text import ParallelLine, read_parallel

AS_REFERENCE = Admission(advise=False, free=True)
"""How a text is taken where nobody can ask for more."""


def text_chunks(
    source: NamedFile | Hypothesis,
    references: Sequence[NamedFile | Hypothesis],
    problems: Problems,
    *,
    size: int = CHUNK,
    admission: Admission = AS_REFERENCE,
) -> Iterator[Corpus]:
    """Read a source and its corrected versions in step, corpora of at most ``size`` sentences; then raise all problems.

    A text is a file, or lines in memory under a name. Annotators are called after their texts. A text that is no
    correction of the source is refused, as that of a system.
    """
    refuse_same_names(references, "references", "--reference=name=path")
    lines = [
        Lines.kept(text.name, text.lines) if isinstance(text, Hypothesis) else opened_text(text.path, problems)
        for text in (source, *references)
    ]
    names = tuple(text.name for text in references)
    looks = [Look() for _ in references]
    rows = _looked_at(read_parallel(lines[0], lines[1:], problems), looks, retokenize=admission.retokenize)
    sentences = parallel_sentences(rows, names)
    try:
        while taken := list(islice(sentences, size)):
            yield Corpus(taken, names, source.name, cache={"checked": True})
    except InputError as error:  # a pair that is too large knows its line alone
        raise InputError(
            [
                each if each.place.file else replace(each, place=Place(lines[0].name, each.place.line))
                for each in error.problems
            ]
        ) from None
    problems.raise_errors()
    for name, look in zip(names, looks, strict=True):
        admission.say(name, look, problems)
    problems.raise_errors()


def _looked_at(lines: Iterable[ParallelLine], looks: Sequence[Look], *, retokenize: bool) -> Iterator[ParallelLine]:
    """The lines as they are taken, each reference looked at on the way where somebody has a text for them."""
    rows = iter(lines)
    while block := list(islice(rows, CHUNK)):
        taken: list[list[str | None]] = [list(line.corrected) for line in block]
        for k, look in enumerate(looks):
            there = [at for at, line in enumerate(block) if line.corrected[k] is not None]
            texts = [cast("str", block[at].corrected[k]) for at in there]
            texts = look.add([block[at].source for at in there], texts, retokenize=retokenize)
            for at, text in zip(there, texts, strict=True):
                taken[at][k] = text
        yield from (line._replace(corrected=tuple(texts)) for line, texts in zip(block, taken, strict=True))


def source_corpus(path: Source, problems: Problems) -> Corpus:
    """A source alone, of lines, of essays or of token labels: nobody looked."""
    lines = Lines(path, problems)
    known = format_of(lines)
    if known.name == "multigec" or known.holds == "labels":
        return Corpus([replace(one, annotations={}) for one in known.read(lines, problems)], ())
    return Corpus([Sentence(line) for line in lines], ())


def are_texts(file: NamedFile, problems: Problems) -> bool:
    """Whether a reference is a text, and no annotated file."""
    with closing(Lines(file.path, problems)) as lines:
        return not _annotated(lines)


def _annotated(lines: Lines) -> str:
    """The format of an annotated file, before any line is taken; empty for texts, which can begin with ``S``."""
    if is_m2(lines):
        return "M2"
    known = format_of(lines)
    return "" if known.holds == "texts" or known.name == "m2" else known.name


def opened_text(path: Source, problems: Problems, what: str = "with --source references are texts") -> Lines:
    """The lines of a text; an ``InputError`` if it is an annotated file, which ``what`` says it cannot be."""
    lines = Lines(path, problems)
    if found := _annotated(lines):
        fix = "leave --source out: annotated files hold their source"
        expected = "one sentence per line"
        raise InputError(
            Problem("reference-not-text", f"this is {found}, and {what}", Place(lines.name, 1), expected, fix)
        )
    return lines
