"""Tokens other than those between spaces: texts cut by character or by a named tokenizer, edits taken along.

Conventions
    White space ends a token, whatever the tokenizer: its tokens are parts of what stands between spaces. An edit
    therefore keeps its place, whatever the tokens were before: its span begins and ends where it did, and its
    corrections are cut by the same tokenizer. Edits that were made of a corrected text are made anew.
    By character, a token is a base character with the marks that combine with it (Unicode's categories M, joiners and
    variation selectors, a second emoji or regional indicator that they join), so that é is one token, however it is
    encoded; a string of Latin letters is as many tokens as it has letters, as in ChERRANT's scores by character.
Source
    Zhang et al. 2022 (MuCGEC) score by character, since Chinese words are what a segmenter says. Unicode Standard
    Annex 29 defines grapheme clusters; the rules here are those of them that concern marks.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import accumulate
from pathlib import Path
from typing import Any, Protocol

from errorbar.core.corpus import Annotation, Corpus, CorrectedSentence, Sentence, TextEdits
from errorbar.core.problems import Place, Problem, UsageError, shorten_text
from errorbar.edits.texts import extract_edits
from errorbar.formats.text import CHARACTERS, SPACES, ParallelLine

SYNTOK = "syntok"
_JOINER = "\u200d"
LANGUAGE = re.compile(r"[a-z]{2,3}")


@dataclass(frozen=True, slots=True)
class Tokenizer:
    """A way to cut texts into tokens.

    Attributes:
        name: What a user calls it.
        signature: The name, with the versions that its tokens depend on.
        cut: Gives the tokens of a text.
    """

    name: str
    signature: str
    cut: Callable[[str], Sequence[str]] = field(compare=False)

    def split(self, text: str) -> list[str]:
        """The tokens of a text: together they are the text without its white space.

        Raises:
            UsageError: If the tokenizer changes the text instead of cutting it.
        """
        tokens = " ".join(self.cut(str(text))).split()  # spaCy takes no subclass, as a text that knows its edits is
        if "".join(tokens) != "".join(text.split()):
            message = f"the tokenizer {self.name} changes the text {shorten_text(text)!r} instead of cutting it"
            raise UsageError(Problem("tokens-changed", message, fix="name another tokenizer"))
        return tokens

    def refuse_labels(self, name: str) -> UsageError:
        """The error for a file, or a corpus, whose tokens have labels."""
        message = f"{name} labels tokens, which --tokens={self.name} would cut into others"
        return UsageError(Problem("useless-option", message, fix="leave it out"))

    def join(self, text: str) -> str:
        """The text with one space between two tokens."""
        return " ".join(self.split(text))


def find_tokenizer(name: str) -> Tokenizer | None:
    """Look a tokenizer up; None for ``spaces``, which cuts nothing.

    Args:
        name: ``spaces``, ``characters``, ``syntok``, a spaCy pipeline (its name or its folder), or the code of a
            language, for the rules that spaCy has for it.

    Raises:
        UsageError: If there is no such tokenizer, or what it needs is not installed.
    """
    if name == SPACES:
        return None
    if name == CHARACTERS:
        return Tokenizer(name, name, split_characters)
    return _named_tokenizer(name)


@cache
def _named_tokenizer(name: str) -> Tokenizer:
    from importlib import metadata  # noqa: PLC0415 - takes its time

    if name == SYNTOK:
        try:
            from syntok.tokenizer import Tokenizer as Syntok  # noqa: PLC0415 - a package that few have
        except ImportError:
            raise _no_tokenizer(name, "needs the package syntok", "install it: pip install syntok") from None
        rules: Any = Syntok(emit_hyphen_or_underscore_sep=True, replace_not_contraction=False)
        version = f"{name}:{metadata.version('syntok')}"
        return Tokenizer(name, version, lambda text: [token.value for token in rules.tokenize(text)])
    try:
        import spacy  # noqa: PLC0415 - seconds
    except ImportError:
        known = f"known without it: {SPACES}, {CHARACTERS}, {SYNTOK}"
        raise _no_tokenizer(name, "is none of errorbar's, and spaCy is not installed", known) from None
    try:
        is_language = LANGUAGE.fullmatch(name) and not Path(name).is_dir()
        pipeline: Any = spacy.blank(name) if is_language else spacy.load(name, exclude=["ner"])
    except (ImportError, OSError, ValueError, KeyError) as error:
        fix = f"name {CHARACTERS}, {SYNTOK}, the code of a language, an installed spaCy pipeline, or its folder"
        raise _no_tokenizer(name, f"cannot be loaded by spaCy: {shorten_text(str(error), 80)}", fix) from None
    versions = [name if is_language else f"{pipeline.meta['name']}:{pipeline.meta['version']}"]
    versions.append(f"spacy:{metadata.version('spacy')}")
    return Tokenizer(name, ",".join(versions), lambda text: [token.text for token in pipeline.make_doc(text)])


def _no_tokenizer(name: str, reason: str, fix: str) -> UsageError:
    return UsageError(Problem("no-tokenizer", f"the tokenizer '{name}' {reason}", fix=fix))


def split_characters(text: str) -> list[str]:
    """The characters of a text without its white space, each with the marks that combine with it."""
    characters: list[str] = []
    for word in text.split():
        joins = is_flag = False  # whether the next character belongs to the one before it
        for at, letter in enumerate(word):
            if at and (joins or _combines(letter) or (is_flag and _is_regional(letter))):
                characters[-1] += letter
                is_flag = False
            else:
                characters.append(letter)
                is_flag = _is_regional(letter)
            joins = letter == _JOINER
    return characters


def _combines(letter: str) -> bool:
    """Whether a character is a mark of the one before it, a joiner, or the color of an emoji's skin."""
    return not letter.isascii() and (
        unicodedata.category(letter)[0] == "M" or letter in "\u200c\u200d" or "\U0001f3fb" <= letter <= "\U0001f3ff"
    )


def _is_regional(letter: str) -> bool:
    return "\U0001f1e6" <= letter <= "\U0001f1ff"


def retokenize_sentence(sentence: Sentence, tokenizer: Tokenizer) -> Sentence:
    """The sentence in a tokenizer's tokens, with the edits of its annotators.

    Raises:
        InputError: If edits are made anew and the texts are too large to compare.
        UsageError: If the tokenizer changes the text.
    """
    tokens = tokenizer.split(sentence.text)
    text = " ".join(tokens)
    if not sentence.annotations:
        return replace(sentence, text=text)
    places = _places(sentence.tokens, tokens)
    annotations = {
        name: _retokenize_edits(edits, tokens, places, tokenizer) for name, edits in sentence.annotations.items()
    }
    return replace(sentence, text=text, annotations=annotations)


def _places(before: Sequence[str], after: Sequence[str]) -> list[int]:
    """Where in the new tokens each of the old ones begins, and where the last one ends."""
    begins = {length: place for place, length in enumerate(accumulate(map(len, after), initial=0))}
    return [begins[length] for length in accumulate(map(len, before), initial=0)]


def _retokenize_edits(
    edits: Annotation, tokens: Sequence[str], places: Sequence[int], tokenizer: Tokenizer
) -> Annotation:
    if isinstance(edits, TextEdits) and edits.text is not None:
        return TextEdits.of_text(extract_edits(tokens, tokenizer.split(edits.text)), edits.text)
    moved = (
        edit._replace(
            start=places[edit.start],
            end=places[edit.end],
            replacements=tuple(tokenizer.join(text) for text in edit.replacements),
        )
        for edit in edits
    )
    return TextEdits(moved) if isinstance(edits, TextEdits) else tuple(moved)


def retokenize_corpus(corpus: Corpus, tokenizer: Tokenizer) -> Corpus:
    """The corpus in a tokenizer's tokens."""
    sentences = [retokenize_sentence(sentence, tokenizer) for sentence in corpus.sentences]
    return replace(corpus, sentences=sentences, cache={})


def retokenize_lines(lines: Iterable[ParallelLine], tokenizer: Tokenizer) -> Iterator[ParallelLine]:
    """Parallel texts in a tokenizer's tokens."""
    for line in lines:
        corrected = tuple(None if text is None else tokenizer.join(text) for text in line.corrected)
        yield line._replace(source=tokenizer.join(line.source), corrected=corrected)


class SystemStream(Protocol):
    """A reader of a system in step with the source."""

    @property
    def name(self) -> str:
        """The system's name."""
        ...

    @property
    def count(self) -> int:
        """How many sentences were taken."""
        ...

    def take(self, size: int) -> Sequence[str]:
        """Take the next sentences, as many as there are up to ``size``."""
        ...

    def take_for(self, sentences: Sequence[Sentence]) -> Sequence[str]:
        """Take the lines of the next sentences."""
        ...

    def finish(self, n_sentences: int) -> None:
        """Complain if there are not as many sentences as the source has."""
        ...


class RetokenizedStream:
    """A system in a tokenizer's tokens."""

    def __init__(self, stream: SystemStream, tokenizer: Tokenizer) -> None:
        self.name = stream.name
        self._stream, self._tokenizer = stream, tokenizer

    @property
    def count(self) -> int:
        """How many sentences were taken."""
        return self._stream.count

    def take(self, size: int) -> Sequence[str]:
        """The next sentences, as many as there are up to ``size``."""
        return [retokenize_line(line, self._tokenizer) for line in self._stream.take(size)]

    def take_for(self, sentences: Sequence[Sentence]) -> Sequence[str]:
        """The lines of the next sentences."""
        return [retokenize_line(line, self._tokenizer) for line in self._stream.take_for(sentences)]

    def finish(self, n_sentences: int) -> None:
        """Check that it has as many sentences as the source."""
        self._stream.finish(n_sentences)


def retokenize_line(line: str, tokenizer: Tokenizer) -> str:
    """A corrected sentence in a tokenizer's tokens, with its edits where it has some.

    Raises:
        UsageError: If it has edits and does not know of which sentence they are, or the tokenizer changes the text.
    """
    if not isinstance(line, CorrectedSentence):
        return tokenizer.join(line)
    if line.source is None:
        message = "the edits of a system that is in memory do not say which sentence they are of"
        fix = "give CorrectedSentence its source, or leave tokens out"
        raise UsageError(Problem("useless-option", message, Place(), fix=fix))
    tokens = tokenizer.split(line.source)
    edits = _retokenize_edits(line.edits, tokens, _places(line.source.split(), tokens), tokenizer)
    return CorrectedSentence(tokenizer.join(line), edits, " ".join(tokens))
