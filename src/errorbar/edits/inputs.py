"""References that are texts: a source and corrected versions of it, one annotator each, as corpora of minimal edits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, cast

from errorbar.core.corpus import (
    Annotation,
    Corpus,
    CorrectedSentence,
    Hypothesis,
    Sentence,
    annotator_order,
    wrong_count,
)
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, shell_words, shorten_text
from errorbar.edits.admission import Admission, TextInspection
from errorbar.edits.texts import apply_edits, parallel_sentences
from errorbar.formats.catalog import FORMATS, Format, format_of
from errorbar.formats.look import Lines, Source
from errorbar.formats.m2 import is_m2
from errorbar.formats.reference import CHUNK, NamedFile, refuse_same_names
from errorbar.formats.text import HypothesisReader, ParallelLine, read_parallel

if TYPE_CHECKING:
    from errorbar.edits.tokenizers import Tokenizer
    from errorbar.formats.essay_texts import EssayReader


AS_REFERENCE = Admission(advise=False, free=True)
"""How a text is taken where nobody can ask for more."""


def text_chunks(
    source: NamedFile | Hypothesis,
    references: Sequence[NamedFile | Hypothesis],
    problems: Problems,
    *,
    size: int = CHUNK,
    admission: Admission = AS_REFERENCE,
    tokenizer: Tokenizer | None = None,
) -> Iterator[Corpus]:
    """Read a source and its corrected versions in step, corpora of at most ``size`` sentences; then raise all problems.

    A text is a file, or lines in memory under a name. Annotators are called after their texts. A text that is no
    correction of the source is refused, as that of a system. ``tokenizer`` cuts all texts; None: spaces do.
    """
    refuse_same_names(references, "references", "--reference=name=path")
    lines = [
        Lines.kept(text.name, text.lines) if isinstance(text, Hypothesis) else opened_text(text.path, problems)
        for text in (source, *references)
    ]
    names = tuple(text.name for text in references)
    looks = [TextInspection() for _ in references]
    read = read_parallel(lines[0], lines[1:], problems)
    if tokenizer is not None:
        from errorbar.edits.tokenizers import retokenize_lines  # noqa: PLC0415 - few name a tokenizer

        read = retokenize_lines(read, tokenizer)
    rows = _looked_at(read, looks, retokenize=admission.retokenize)
    sentences = parallel_sentences(rows, names)
    try:
        while taken := list(islice(sentences, size)):
            yield Corpus(taken, names, source.name)
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


def _looked_at(
    lines: Iterable[ParallelLine], looks: Sequence[TextInspection], *, retokenize: bool
) -> Iterator[ParallelLine]:
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
    """A source alone, of lines, of essays or of token labels: nobody looked.

    Raises:
        InputError: If it is an annotated file, which nobody gives to those who correct its text.
    """
    lines = Lines(path, problems)
    known = format_of(lines)
    if known.name == "multigec" or known.holds == "labels":
        return Corpus([replace(one, annotations={}) for one in known.read(lines, problems)], ())
    if kind := _annotated_format(lines):
        message, place = f"this is {kind}, and a source is a text", Place(lines.name, 1)
        fix = f"errorbar convert {shell_words(lines.name)} --to text writes it"
        raise InputError(Problem("reference-not-text", message, place, "one sentence per line", fix))
    return Corpus([Sentence(line) for line in lines], ())


def are_texts(file: NamedFile, problems: Problems) -> bool:
    """Whether a reference is a text, and no annotated file."""
    with closing(Lines(file.path, problems)) as lines:
        return not _annotated_format(lines)


def _annotated_format(lines: Lines) -> str:
    """The format of an annotated file, before any line is taken; empty for texts, which can begin with ``S``."""
    if is_m2(lines):
        return "M2"
    known = format_of(lines)
    return "" if known.holds == "texts" or known.name == "m2" else known.name


def opened_text(path: Source, problems: Problems, what: str = "with --source references are texts") -> Lines:
    """The lines of a text; an ``InputError`` if it is an annotated file, which ``what`` says it cannot be."""
    lines = Lines(path, problems)
    if kind := _annotated_format(lines):
        fix = "leave --source out: annotated files hold their source"
        expected = "one sentence per line"
        raise InputError(
            Problem("reference-not-text", f"this is {kind}, and {what}", Place(lines.name, 1), expected, fix)
        )
    return lines


# Systems: lines of text, essays, token labels or M2, whose sentences know their edits, and annotators as systems.


LONGEST_ROW = 3  # words of a line of token labels, with a number before the token


def open_system(
    path: Source, name: str, problems: Problems, *, edits: bool = False, labels: bool = False, retokenize: bool = False
) -> HypothesisReader | EssayReader | EditsReader:
    """Whoever reads a system's file in step with the source, seen from its beginning.

    Args:
        path: The file.
        name: What the system is called.
        problems: Where problems go.
        edits: It can be M2 or JSONL, for metrics over edits.
        labels: It can be token labels, for metrics that only look where errors are.
        retokenize: Somebody asked for other tokens, which M2 and labels do not get.

    Raises:
        InputError: If the file is not what is wanted.
        UsageError: If other tokens are asked for of what is no text.
    """
    lines = Lines(path, problems, last=True)
    first = lines.peek()
    kind = format_of(lines)
    if kind.name == "multigec":
        from errorbar.formats.essay_texts import EssayReader  # noqa: PLC0415 - few systems are essays

        return EssayReader(lines, name, problems)
    columns = "\t" in first and len(first.split()) <= LONGEST_ROW  # of labels gone wrong, which their reader names
    of_labels = kind.holds == "labels" or (labels and columns)
    own_format = kind.name not in FORMATS and kind.holds == "edits"
    of_edits = own_format or (edits and (kind.name == "jsonl" or is_m2(lines)))
    if of_labels and not labels:
        message, expected = "these are labels of tokens, which correct nothing", "corrected sentences"
        fix = "--metric=tokens scores them"
        raise InputError(Problem("hypothesis-labels", message, Place(lines.name, 1), expected, fix))
    if retokenize and (of_labels or of_edits):
        own = "token labels" if of_labels else "JSONL" if kind.name == "jsonl" else "M2"
        message = f"--retokenize is for texts, and this system is {own}"
        raise UsageError(Problem("useless-option", message, Place(lines.name), fix="leave it out"))
    if of_labels:
        return LabelReader(lines, name, problems, kind if kind.holds == "labels" else FORMATS["multiged"])
    if of_edits:
        return EditsReader(lines, name, problems, kind if kind.holds == "edits" else FORMATS["m2"])
    return HypothesisReader(lines, name, problems)


def correct_sentence(sentence: Sentence, edits: Annotation) -> CorrectedSentence:
    """A sentence with its edits applied; of those that overlap the later one is left out of the text."""
    text = apply_edits(sentence.tokens, edits, problems=Problems(lenient=True))  # whoever read them has complained
    return CorrectedSentence(" ".join(text), edits, sentence.text)


def annotator_as_system(corpus: Corpus) -> Hypothesis:
    """The only annotator of a corpus as a system, who leaves what they did not look at."""
    if len(corpus.annotators) != 1:
        message = (
            f"the edits of a system must be one annotator's, got those of {', '.join(corpus.annotators) or 'nobody'}"
        )
        fix = f"""give corpus.only(["{corpus.annotators[0]}"])""" if corpus.annotators else "give one with edits"
        raise UsageError(Problem("system-annotators", message, Place(corpus.name), fix=fix))
    (name,) = corpus.check().annotators
    return Hypothesis(
        name, [correct_sentence(sentence, sentence.annotations.get(name, ())) for sentence in corpus.sentences]
    )


class EditsReader:
    """Reads a system's M2, JSONL or their like, in step with the source; its edits are one annotator's."""

    def __init__(self, lines: Lines, name: str, problems: Problems, kind: Format) -> None:
        self.name = name
        self.count = 0
        self._labels = kind.holds == "labels"
        self._problems, self._file = problems, lines.name
        self._sentences: Iterator[Sentence] = kind.read(lines, problems)

    def take(self, size: int) -> list[CorrectedSentence]:
        """The next sentences, as many as there are up to ``size``."""
        return list(map(self._output, self._next(size)))

    def _next(self, size: int) -> list[Sentence]:
        taken = list(islice(self._sentences, size))
        self.count += len(taken)
        return taken

    def _output(self, sentence: Sentence) -> CorrectedSentence:
        if len(sentence.annotations) > 1:
            several = ", ".join(annotator_order(sentence.annotations))
            message = f"the edits of a system must be one annotator's, got those of {several}"
            fix = "errorbar convert --annotator NAME keeps one"
            self._problems.error("system-annotators", message, Place(self._file, sentence.line), fix=fix)
        edits = next(iter(sentence.annotations.values()), ())
        return (
            CorrectedSentence(sentence.text, edits, sentence.text)
            if self._labels
            else correct_sentence(sentence, edits)
        )

    def take_for(self, sentences: Sequence[Sentence]) -> list[CorrectedSentence]:
        """The next sentences, as many as the source's.

        Raises:
            InputError: At the first that is another one: those behind it are wrong for the same reason.
        """
        taken = self._next(len(sentences))
        for sentence, own in zip(sentences, taken, strict=False):
            if not self._is_same(own, sentence) and not self._problems.errors:  # which may be why
                self._refuse(own, sentence)
        return list(map(self._output, taken))

    def _is_same(self, own: Sentence, sentence: Sentence) -> bool:
        return "".join(own.tokens) == "".join(sentence.tokens)  # the corpus may have been given other tokens

    def _refuse(self, own: Sentence, sentence: Sentence) -> None:
        message = f"the system's edits are of another sentence: {shorten_text(own.text)}"
        place, fix = Place(self._file, own.line), "edits must be of the reference's sentences, in their order"
        self._problems.error("system-sentence", message, place, shorten_text(sentence.text), fix)
        self._problems.raise_errors()

    def finish(self, n_sentences: int) -> None:
        """Check that the file has as many sentences as the source."""
        self.count += sum(1 for _ in self._sentences)
        if self.count != n_sentences:
            message = wrong_count(self.count, n_sentences).replace("line", "sentence", 1)
            self._problems.error("line-count", message, Place(self._file), expected=f"{n_sentences} sentences")


class LabelReader(EditsReader):
    """Reads a system's token labels in step with the source, whose tokens they must have."""

    def _is_same(self, own: Sentence, sentence: Sentence) -> bool:
        return own.tokens == sentence.tokens

    def _refuse(self, own: Sentence, sentence: Sentence) -> None:
        ours, theirs = own.tokens, sentence.tokens
        shorter = min(len(ours), len(theirs))
        at = next((k for k in range(shorter) if ours[k] != theirs[k]), shorter)
        message = f"the token is {shorten_text(ours[at])!r}" if at < len(ours) else "the sentence ends"
        expected = shorten_text(theirs[at]) if at < len(theirs) else "the end of the sentence"
        place = Place(self._file, own.line + at)
        self._problems.error("labels-other-token", message, place, f"{expected}, as the reference has it")
        self._problems.raise_errors()
