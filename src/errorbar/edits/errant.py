"""errant's edits of two parsed texts, aligned by the kernel where there is one: nine tenths of its time are that."""

from __future__ import annotations

import json
import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from functools import cache
from hashlib import blake2b
from importlib import metadata
from itertools import chain, islice
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple, cast

import numpy as np

from errorbar.core.corpus import Annotation, Corpus, CorrectedSentence, Sentence, TextEdits, wrong_count
from errorbar.core.edit import OWN_PIPELINE, Edit
from errorbar.core.problems import InputError, Place, Problem, UsageError, refuse_halves, shorten_text
from errorbar.core.sqlite import write_ahead
from errorbar.datasets.cards import cache_root
from errorbar.edits.matching import KERNEL
from errorbar.edits.texts import apply_edits
from errorbar.execute import Executor, Serial

if TYPE_CHECKING:
    import sqlite3


KNOWN = {"3.0.2"}
"""Versions of errant that the kernel aligns as; others do it themselves."""


def annotate(annotator: Any, source: Any, text: Any) -> list[Any]:  # noqa: ANN401 - errant and spaCy have no types here
    """The edits that ``annotator.annotate`` gives for two parsed texts."""
    if not _kernel_serves():
        return list(annotator.annotate(source, text))
    return [annotator.classify(edit) for edit in annotator.merge(_alignment_class()(source, text))]


@cache
def _kernel_serves() -> bool:
    try:
        from errorbar.edits import _aligned  # noqa: F401, PLC0415 - absent without a compiler
    except ImportError:
        return False
    return KERNEL and metadata.version("errant") in KNOWN


@cache
def _alignment_class() -> Any:  # noqa: ANN401 - as above
    """A class of alignments for errant's rules of merging."""
    from errant.alignment import Alignment  # noqa: PLC0415 - seconds
    from spacy.attrs import LEMMA, LOWER, ORTH, POS  # noqa: PLC0415 - seconds

    from errorbar.edits._aligned import align  # noqa: PLC0415 - absent without a compiler

    content = np.array(sorted(Alignment._open_pos), np.uint64)

    class KernelAlignment(Alignment):  # type: ignore[misc]  # errant has no types
        def __init__(self, orig: Any, cor: Any) -> None:  # noqa: ANN401 - as above
            self.orig, self.cor = orig, cor
            self.align_seq = align(*_read(orig), *_read(cor), content)

    def _read(doc: Any) -> tuple[Any, list[str]]:  # noqa: ANN401 - as above
        return doc.to_array([ORTH, LOWER, LEMMA, POS]), [token.text for token in doc]

    return KernelAlignment


# Typed edits between texts as ERRANT makes them: a spaCy pipeline parses, the package errant aligns and classifies.
#
# Conventions
#     Tokens are what white space separates. Every distinct text is parsed once, however many texts it is compared with.
#     The rules need Penn tags, lemmas and dependencies named as ClearNLP does. Spans and types change with the pipeline
#     and with errant, so what makes them is named in ``Maker.signature``.
# Source
#     Bryant, Felice & Briscoe 2017; the program errant, which is called here.


LEFT_OUT = f"leave --pipeline out for {OWN_PIPELINE}"
SOURCES = 256
"""Source texts, with all that are compared with them, that a worker gets at a time."""
_BATCH = 256
_LATEST = 4096
"""Texts whose parses are kept, some 60 MB: a source is met again with each system."""
_PENN = {"NN", "VBZ", "IN"}
_NEEDED = ("errant", "spacy")
_LOGGER = logging.getLogger("errorbar")
WORDS, ENGLISH = "words", "common words of English"
_ENGLISH = frozenset(
    ["the", "of", "and", "to", "that", "it", "with", "this", "are", "have", "not", "be", "as", "on", "you", "they"]
)
_FEW_ENGLISH = 0.08  # of all tokens; .19 to .23 of CoNLL-2014, JFLEG and CWEB, next to none of other languages
_FEWEST_WORDS = 100  # with fewer nobody can tell

Pair = tuple[str, str]
Edits = tuple[Edit, ...]


@dataclass(frozen=True, slots=True)
class EditMaker:
    """A maker of edits.

    Attributes:
        pipeline: An installed spaCy pipeline, or the folder of one.
    """

    pipeline: str = OWN_PIPELINE

    @property
    def signature(self) -> str:
        """The versions that the edits depend on: ``errant:3.0.2,errorbar_en:0.1.0,spacy:3.8.11``.

        Raises:
            UsageError: If something is not installed.
        """
        return ",".join(f"{name}:{version}" for name, version in sorted(_versions(self.pipeline).items()))

    def edits(self, pairs: Iterable[Pair]) -> list[Edits]:
        """The edits of pairs of source and corrected text, here and now.

        Raises:
            UsageError: If the pipeline does not give what the rules need.
        """
        from spacy.tokens import Doc  # noqa: PLC0415 - seconds

        annotator, latest, wanted = _annotator(self.pipeline), _latest(self.pipeline), list(pairs)
        texts = dict.fromkeys(text for pair in wanted if _differ(pair) for text in pair)
        missing = [text for text in texts if text not in latest]
        empty = (Doc(annotator.nlp.vocab, words=text.split()) for text in missing)
        parsed = {text: latest[text] for text in texts if text in latest}
        parsed |= zip(missing, annotator.nlp.pipe(empty, batch_size=_BATCH), strict=True)
        for text, doc in parsed.items():  # these are the latest now
            latest.pop(text, None)
            latest[text] = doc
        for text in list(islice(latest, max(0, len(latest) - _LATEST))):
            del latest[text]
        return [
            tuple(map(_edit, annotate(annotator, parsed[pair[0]], parsed[pair[1]]))) if _differ(pair) else ()
            for pair in wanted
        ]

    def __call__(self, pairs: Sequence[Pair]) -> list[Edits]:
        """As ``edits``, for executors."""
        return self.edits(pairs)


def count_english(sentences: Iterable[Sentence]) -> Counter[str]:
    """How many tokens sentences have, and how many of them are common words of English."""
    tokens = [token.lower() in _ENGLISH for sentence in sentences for token in sentence.tokens]
    return Counter({WORDS: len(tokens), ENGLISH: sum(tokens)})


def language_notes(counted: Mapping[str, int]) -> Iterator[Problem]:
    """A warning if texts of which ERRANT made the edits do not look English."""
    if counted.get(WORDS, 0) >= _FEWEST_WORDS and counted.get(ENGLISH, 0) < _FEW_ENGLISH * counted[WORDS]:
        message = "the source does not look English, and ERRANT makes edits of texts for English: spans and types are"
        message += " wrong"
        fix = "give M2 that an ERRANT of this language wrote, or use errorbar convert --edits universal"
        yield Problem("not-english", message, fix=fix, severity="warning")


def _differ(pair: Pair) -> bool:
    return pair[0].split() != pair[1].split()


def _edit(found: Any) -> Edit:  # noqa: ANN401 - errant has no types
    return Edit(found.o_start, found.o_end, (found.c_str,), found.type)


def _versions(pipeline: str) -> dict[str, str]:
    from importlib import metadata  # noqa: PLC0415 - takes its time

    versions = {}
    for name in (*_NEEDED, pipeline):
        try:
            versions[name] = metadata.version(name)
        except (metadata.PackageNotFoundError, ValueError):
            if name == pipeline and Path(name).is_dir():
                versions[Path(name).resolve().name] = _content(Path(name))
            elif name in (*_NEEDED, OWN_PIPELINE):
                fix = "in a checkout of errorbar: make errant"
                message = f"edits of texts as ERRANT makes them need {name}"
                raise UsageError(Problem("no-errant", message, fix=fix)) from None
            else:
                message = f"no spaCy pipeline is installed as {name}, and it is no folder of one"
                raise UsageError(Problem("no-pipeline", message, fix=LEFT_OUT)) from None
    return versions


def _content(folder: Path) -> str:
    """The identity of a pipeline in a folder: a hash of its files, since another training changes no version."""
    content = blake2b(digest_size=6)
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            content.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return content.hexdigest()


@cache
def _annotator(pipeline: str) -> Any:  # noqa: ANN401 - errant has no types
    _versions(pipeline)
    import errant  # noqa: PLC0415 - seconds
    import spacy  # noqa: PLC0415 - as above

    try:
        nlp: Any = spacy.load(pipeline, exclude=["ner"])
    except (OSError, ValueError, KeyError) as error:  # of a damaged pipeline, or one of other versions
        message = f"the pipeline {pipeline} cannot be loaded: {shorten_text(str(error))}"
        raise UsageError(Problem("no-pipeline", message, fix=LEFT_OUT)) from None
    tags = set().union(*(nlp.get_pipe(name).labels for name in nlp.pipe_names if name == "tagger"))
    if not tags >= _PENN:
        message = f"the pipeline {pipeline} must give Penn tags (NN, VBZ, ...), which the rules of ERRANT read"
        raise UsageError(Problem("no-penn-tags", message, fix=f"name another, or {LEFT_OUT}"))
    return errant.load("en", nlp)


@cache
def _latest(pipeline: str) -> dict[str, Any]:
    """The texts that were parsed last, the oldest first."""
    return {}


class EditCache:
    """A file of edits by the content of the texts, for one maker.

    Raises:
        InputError: If the file is no such cache, or was made by another pipeline or another version of it.
    """

    def __init__(self, path: Path, signature: str) -> None:
        import sqlite3  # noqa: PLC0415 - only with a cache

        self._path, self._wrong = path, (sqlite3.Error, OSError)
        with self._naming_file():
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file: sqlite3.Connection = sqlite3.connect(path, timeout=60)
            write_ahead(self._file, 60)
            with self._file:
                self._file.execute("CREATE TABLE IF NOT EXISTS made (signature TEXT)")
                self._file.execute("CREATE TABLE IF NOT EXISTS edits (key BLOB PRIMARY KEY, edits TEXT) WITHOUT ROWID")
                row = self._file.execute("SELECT signature FROM made").fetchone()
                if row is None:
                    self._file.execute("INSERT INTO made VALUES (?)", (signature,))
        if row is not None and row[0] != signature:
            self._file.close()
            message = f"the edits in {path} were made by {row[0]}, not by {signature}"
            raise InputError(Problem("edit-cache", message, fix="name another file, or delete this one"))

    @contextmanager
    def _naming_file(self) -> Iterator[None]:
        """Say of the file what SQLite or the system says."""
        try:
            yield
        except self._wrong as error:
            message = f"{self._path} cannot be used as a cache of edits: {error}"
            raise InputError(Problem("edit-cache", message, fix="if it is damaged, delete it")) from None

    def find(self, pairs: Iterable[Pair]) -> dict[Pair, Edits]:
        """The edits of pairs that are known; what is damaged is not, and a warning counts it."""
        known, n_damaged = {}, 0
        with self._naming_file():
            for pair in pairs:
                key = _key(pair)
                row = self._file.execute("SELECT edits FROM edits WHERE key = ?", (key,)).fetchone()
                if row is None:
                    continue
                checksum, _, edits = str(row[0]).partition(" ")
                if checksum == _checksum(key, edits):
                    known[pair] = tuple(Edit(a, b, (c,), kind) for a, b, c, kind in json.loads(edits))
                else:
                    n_damaged += 1
        if n_damaged:
            message = f"the edits of {n_damaged:,} kept texts are damaged, and are made anew"
            _LOGGER.warning("warning: %s", Problem("edit-cache-damaged", message, Place(str(self._path))))
        return known

    def add(self, found: Mapping[Pair, Edits]) -> None:
        """Keep edits, all of them or none."""
        rows = []
        for pair, edits in found.items():
            key, fields = _key(pair), [(edit.start, edit.end, edit.replacements[0], edit.type) for edit in edits]
            text = json.dumps(fields, ensure_ascii=False)
            rows.append((key, f"{_checksum(key, text)} {text}"))
        with self._naming_file(), self._file:
            self._file.executemany("INSERT OR REPLACE INTO edits VALUES (?, ?)", rows)

    def close(self) -> None:
        """Close the file."""
        self._file.close()


def _key(pair: Pair) -> bytes:
    texts = "\n".join(" ".join(text.split()) for text in pair)
    refuse_halves("a sentence whose edits ERRANT makes", texts)
    return blake2b(texts.encode(), digest_size=16).digest()


def _checksum(key: bytes, edits: str) -> str:
    """Tells a changed row from what was kept; not who changed it."""
    return blake2b(key + edits.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()


def errant_edits(
    texts: Iterable[tuple[str, Sequence[str]]],
    maker: EditMaker = EditMaker(),
    *,
    cache: EditCache | None = None,
    executor: Executor | None = None,
) -> Iterator[list[Edits]]:
    """Yield, for each source text, the edits to each of its corrected texts.

    What was found is kept in the cache stretch by stretch, so that an interrupted run goes on where it was.

    Args:
        texts: Source texts, each with its corrected texts.
        maker: What makes the edits.
        cache: Where edits are looked for first, and kept.
        executor: Who works; None: this process.

    Raises:
        UsageError: If something is not installed, or the pipeline does not give what the rules need.
    """
    worker = executor or Serial()
    rows = iter(texts)
    while stretch := list(islice(rows, SOURCES * 4 * worker.n_workers)):
        pairs = dict.fromkeys((source, text) for source, others in stretch for text in others)
        known = {} if cache is None else cache.find(pairs)
        by_source: dict[str, list[Pair]] = {}
        for pair in pairs:
            if pair not in known:
                by_source.setdefault(pair[0], []).append(pair)
        groups = list(by_source.values())
        chunks = [list(chain(*groups[at : at + SOURCES])) for at in range(0, len(groups), SOURCES)]
        for chunk, edits in zip(chunks, worker.map_ordered(maker, chunks), strict=True):
            fresh = dict(zip(chunk, edits, strict=True))
            known |= fresh
            if cache is not None:
                cache.add(fresh)
        for source, others in stretch:
            yield [known[source, text] for text in others]


# Texts of references and systems as ERRANT's edits, for metrics over edits; what was made is kept for other days.


_ONE = Lock()
"""A pipeline parses one text at a time."""


class TypedReference(NamedTuple):
    """A corpus whose annotators' edits are typed; ``made_by``: what made them, empty where they were given.

    It sorts behind what is said of a system's edits, so that of several parts of a corpus the largest says most.
    """

    corpus: Corpus
    made_by: str


class TypedOutput(NamedTuple):
    """A system's edits, sentence by sentence; ``made_by`` as of a reference."""

    edits: Sequence[Annotation]
    made_by: str


def kept_edits(maker: EditMaker) -> EditCache:
    """The file in the cache folder that keeps what a pipeline makes.

    Raises:
        InputError: If it cannot be used.
        UsageError: If the pipeline is not installed.
    """
    name = blake2b(maker.signature.encode(), digest_size=8).hexdigest()
    return EditCache(cache_root() / "edits" / f"{name}.sqlite", maker.signature)


def type_reference(corpus: Corpus, pipeline: str) -> TypedReference:
    """The corpus, edits of annotators who gave a text made by ERRANT; one corpus is made anew once.

    Raises:
        UsageError: If something that makes edits is not installed.
    """
    key = f"typed by {pipeline}"
    if key not in corpus.cache:
        corpus.cache[key] = _type_reference(corpus, pipeline)
    return cast("TypedReference", corpus.cache[key])


def _type_reference(corpus: Corpus, pipeline: str) -> TypedReference:
    wanted = [
        (unit, name, " ".join(apply_edits(sentence.tokens, edits)))
        for unit, sentence in enumerate(corpus.sentences)
        for name, edits in sentence.annotations.items()
        if isinstance(edits, TextEdits)
    ]
    if not wanted:
        return TypedReference(corpus, "")
    sentences = [replace(sentence, annotations=dict(sentence.annotations)) for sentence in corpus.sentences]
    made_edits, made_by = _make_edits(((corpus.sentences[unit].text, text) for unit, _, text in wanted), pipeline)
    for (unit, name, _), edits in zip(wanted, made_edits, strict=True):
        sentences[unit].annotations[name] = edits
    made_corpus = Corpus(sentences, corpus.annotators, corpus.name)
    return TypedReference(made_corpus, f"reference-{made_by}")  # whose record is that of the edits it had, too


def select_own_edits(corpus: Corpus, lines: Sequence[str]) -> list[Annotation]:
    """The edits that a system has of its own, empty ``TextEdits`` where it has a text.

    Raises:
        InputError: If they are edits of other sentences, or the numbers of sentences differ.
    """
    if len(lines) != len(corpus):
        raise InputError(Problem("line-count", wrong_count(len(lines), len(corpus)), Place(corpus.name)))
    edits: list[Annotation] = []
    for number, (sentence, line) in enumerate(zip(corpus.sentences, lines, strict=True), 1):
        if not isinstance(line, CorrectedSentence) or isinstance(line.edits, TextEdits):
            edits.append(TextEdits())
            continue
        if line.source is not None and line.source.split() != sentence.tokens:
            message = f"the system's edits are of another sentence: {shorten_text(line.source)}"
            place = Place(corpus.name, sentence.line or number)
            raise InputError(Problem("system-sentence", message, place, shorten_text(sentence.text)))
        edits.append(line.edits)
    return edits


def type_output(corpus: Corpus, lines: Sequence[str], pipeline: str) -> TypedOutput:
    """A system's edits: its own where it has some, of its texts those that ERRANT makes.

    Raises:
        InputError: If they are edits of other sentences.
        UsageError: If something that makes edits is not installed.
    """
    edits = select_own_edits(corpus, lines)
    texts = [number for number, own in enumerate(edits) if isinstance(own, TextEdits)]
    if not texts:
        return TypedOutput(edits, "")
    made_edits, made_by = _make_edits(((corpus.sentences[number].text, lines[number]) for number in texts), pipeline)
    for number, edits_of_text in zip(texts, made_edits, strict=True):
        edits[number] = edits_of_text
    return TypedOutput(edits, made_by)


def _make_edits(pairs: Iterable[Pair], pipeline: str) -> tuple[list[Annotation], str]:
    """The edits of pairs of source and corrected text, and what made them."""
    wanted, maker = [(source, str(text)) for source, text in pairs], EditMaker(pipeline)
    with _ONE, closing(kept_edits(maker)) as cache:
        known = cache.find(dict.fromkeys(wanted))
        if missing := [pair for pair in dict.fromkeys(wanted) if pair not in known]:
            fresh = dict(zip(missing, maker.edits(missing), strict=True))
            cache.add(fresh)
            known |= fresh
    return [known[pair] for pair in wanted], f"edits:{maker.signature}"
