"""Words with lemma, part of speech and features, from whatever parses a language: for types that know none.

Conventions
    A text is parsed as the tokens that it has. Parts of speech and features are those of Universal Dependencies; of a
    token of several syntactic words (German zum) the first word's lemma and part of speech are taken, and the features
    of all. Every distinct text is parsed once.
Source
    CoNLL-U: universaldependencies.org/format.html. The interfaces of spaCy 3, Stanza 1 and UDPipe 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple, Protocol

from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, nearest_file, shorten_text
from errorbar.formats.look import Lines

STANZA = "stanza:"
FILES = (".conllu", ".conllu.gz", ".udpipe")
_COLUMNS = 10
_NOTHING = "_"


class Word(NamedTuple):
    """A token as a parser sees it; of a text that nobody parsed only ``form`` is known."""

    form: str
    lemma: str = ""
    part: str = ""  # of speech, e.g. NOUN
    features: Mapping[str, str] = {}


Parse = Sequence[Word]


class Parser(Protocol):
    """A parser of the texts of a language."""

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse texts, whose tokens are what stands between spaces."""
        ...


def find_parser(name: str) -> Parser:
    """Look a parser up.

    Args:
        name: A spaCy pipeline (its name or its folder), ``stanza:LANGUAGE``, a UDPipe model (a file that ends in
            ``.udpipe``), or parses in CoNLL-U (``.conllu``).

    Raises:
        InputError: If a file cannot be read.
        UsageError: If there is no such parser, or what it needs is not installed.
    """
    if name.endswith(FILES) and not Path(name).is_file():
        raise InputError(Problem("no-such-file", "there is no such file", Place(name), fix=nearest_file(name)))
    if name.endswith(FILES[:2]):
        return ParsedFile(name)
    if name.endswith(FILES[2]):
        return UdpipeParser(name)
    return StanzaParser(name.removeprefix(STANZA)) if name.startswith(STANZA) else SpacyParser(name)


def read_conllu(lines: Iterable[str], name: str, problems: Problems) -> Iterator[list[Word]]:
    """Read CoNLL-U sentence by sentence; comments and empty nodes are left out."""
    words: list[Word] = []
    ends_at = 0  # the last syntactic word of the token that is being read
    for number, line in enumerate(lines, 1):
        if not line.strip():
            if words:
                yield words
            words, ends_at = [], 0
            continue
        if line.startswith("#"):
            continue
        fields = line.rstrip("\n").split("\t")
        if len(fields) != _COLUMNS:
            message = f"a line of {len(fields)} columns"
            problems.error("conllu-columns", message, Place(name, number), f"CoNLL-U: {_COLUMNS} columns")
            continue
        first, _, last = fields[0].partition("-")
        if "." in first or not first.isdecimal():
            continue
        form = "_".join(fields[1].split())
        if last.isdecimal():
            words.append(Word(form))
            ends_at = int(last)
            continue
        lemma, part, features = fields[2], fields[3], _read_features(fields[5])
        if int(first) > ends_at:
            words.append(Word(form, lemma, part, features))
        else:
            token = words[-1]
            words[-1] = Word(token.form, token.lemma or lemma, token.part or part, {**features, **token.features})
    if words:
        yield words


def _read_features(field: str) -> dict[str, str]:
    pairs = (pair.partition("=") for pair in field.split("|") if field != _NOTHING)
    return {name: value for name, _, value in pairs}


class ParsedFile:
    """Parses in a file, of source and corrected texts, in whatever order."""

    def __init__(self, path: str) -> None:
        self._path = path
        problems = Problems()
        sentences = read_conllu(Lines(path, problems), path, problems)
        self._parses = {" ".join(word.form for word in words): words for words in sentences}
        problems.raise_errors()

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Find the parses of texts.

        Raises:
            InputError: If a text is not among them.
        """
        for text in texts:
            if text and text not in self._parses:
                message = f"the text {shorten_text(text)!r} is not among the parses"
                fix = "parse the source and every corrected text, with the tokens that they have"
                raise InputError(Problem("parse-missing", message, Place(self._path), fix=fix))
        return [self._parses.get(text, []) for text in texts]


class SpacyParser:
    """A spaCy pipeline."""

    def __init__(self, pipeline: str) -> None:
        try:
            import spacy  # noqa: PLC0415 - seconds

            self._nlp: Any = spacy.load(pipeline, exclude=["ner"])
        except ImportError:
            raise _no_parser(pipeline, "needs spaCy", "install it: pip install spacy") from None
        except (OSError, ValueError, KeyError) as error:
            fix = "name an installed spaCy pipeline or its folder, stanza:LANGUAGE, or a .udpipe or .conllu file"
            raise _no_parser(pipeline, f"cannot be loaded by spaCy: {shorten_text(str(error))}", fix) from None

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse texts."""
        from spacy.tokens import Doc  # noqa: PLC0415 - seconds

        docs = (Doc(self._nlp.vocab, words=text.split()) for text in texts)
        return [
            [Word(token.text, token.lemma_, token.pos_, token.morph.to_dict()) for token in doc]
            for doc in self._nlp.pipe(docs)
        ]


class StanzaParser:
    """A Stanza pipeline, whose models are downloaded already."""

    def __init__(self, language: str) -> None:
        try:
            import stanza  # noqa: PLC0415 - seconds
        except ImportError:
            raise _no_parser(STANZA + language, "needs Stanza", "install it: pip install stanza") from None
        try:
            self._nlp: Any = stanza.Pipeline(
                language,
                processors="tokenize,pos,lemma",
                tokenize_pretokenized=True,
                download_method=None,
                verbose=False,
            )
        except Exception as error:  # noqa: BLE001 - Stanza and its libraries have errors of many classes
            fix = f"download its models: python -c \"import stanza; stanza.download('{language}')\""
            raise _no_parser(STANZA + language, f"cannot be loaded: {shorten_text(str(error))}", fix) from None

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse texts."""
        full = [text.split() for text in texts if text]
        sentences = iter(self._nlp(full).sentences if full else ())
        return [[_stanza_word(token) for token in next(sentences).tokens] if text else [] for text in texts]


def _stanza_word(token: Any) -> Word:  # noqa: ANN401 - Stanza has no types here
    word = token.words[0]
    return Word(token.text, word.lemma or "", word.upos or "", _read_features(word.feats or _NOTHING))


class UdpipeParser:
    """A UDPipe model in a file."""

    def __init__(self, path: str) -> None:
        try:
            from ufal import udpipe  # noqa: PLC0415 - few have it
        except ImportError:
            raise _no_parser(path, "needs UDPipe", "install it: pip install ufal.udpipe") from None
        model = udpipe.Model.load(path)
        if model is None:
            raise InputError(Problem("bad-model", "UDPipe cannot read this model", Place(path)))
        kind = udpipe.Pipeline
        self._model = model  # which the pipeline uses and does not own
        self._pipeline: Any = kind(model, "horizontal", kind.DEFAULT, kind.NONE, "conllu")

    def parse(self, texts: Sequence[str]) -> list[Parse]:
        """Parse texts."""
        return [self._parse(text) if text else [] for text in texts]

    def _parse(self, text: str) -> Parse:
        problems = Problems()
        lines = self._pipeline.process(text).split("\n")
        words = [word for sentence in read_conllu(lines, "UDPipe", problems) for word in sentence]
        problems.raise_errors()
        return words


def _no_parser(name: str, reason: str, fix: str) -> UsageError:
    return UsageError(Problem("no-parser", f"the parser '{name}' {reason}", fix=fix))
