"""Text for models: tokenized sentences to train on or to judge, learners' text, treebanks, and counts of words.

Conventions
    Every line is a paragraph or a sentence; no sentence goes over its end. Inside a line a sentence ends after
    ``. ? !`` with closing quotation marks and brackets, where white space and a capital or a digit follow, perhaps
    after opening ones; not after the abbreviations of ``formats.nucle``, nor after a single capital letter and a
    full stop.
    Tokens are those of the CoNLL-2014 release (``treebank_tokens``), and characters as there, so that a model meets in
    learners' essays what it has seen: typographic quotation marks and apostrophes become ``"`` and ``'``; a long dash
    becomes ``-`` and stands alone, a short one and the minus sign become ``-``; an ellipsis becomes three full stops,
    and soft hyphens and marks of width or direction nothing. Letters outside ASCII come off their word, as there.
    The hash of a text is the SHA-256 of its lines, each with a line feed, file after file: it is the same for a file
    gzipped or not, with LF or CR LF.
    Text is held out in blocks of 100 consecutive sentences: neighbors repeat each other's words, and single sentences
    drawn at random would make any model look better than it is.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from errorbar.core.corpus import ContentHash, Corpus, Sentence, reference_record, source_record, type_record
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError
from errorbar.detectors.learning import MOST_CLASSES
from errorbar.detectors.model_file import Model, fitting
from errorbar.edits.likeness import ends_in_a_mark
from errorbar.formats.look import Lines, Source
from errorbar.formats.nucle import ABBREVIATIONS, treebank_tokens
from errorbar.formats.reference import NamedFile, read_named
from errorbar.stats.resampling import stream

BLOCK = 100
UNKNOWN = "unknown"
SHORT = 5  # tokens; shorter sentences stand in many texts
SHARE_LEARNED = 0.1
"""Share of the sentences of a text from which on a warning says that a model learned from their labels."""

_CHARACTERS = {
    **dict.fromkeys("‘’‚‛′", "'"),
    **dict.fromkeys("“”„‟«»″", '"'),
    **dict.fromkeys("‐‑−", "-"),
    **dict.fromkeys("—―", " - "),
    **dict.fromkeys("\xad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff"),
    "–": "-",
    "…": " ... ",
}
_PLAIN = str.maketrans(_CHARACTERS)
_END = re.compile(r"""[.?!]["')\]]*\s+(?=["'(\[]*[A-Z0-9])""")
_ABBREVIATED = frozenset(ABBREVIATIONS)
_LAST_WORD = re.compile(r"[^\s\"'(\[]*\Z")
_REACH = 12  # characters before a full stop that are looked at; no abbreviation is longer


@dataclass(frozen=True, slots=True)
class CorpusText:
    """A tokenized text.

    Attributes:
        sentences: Tokens, sentence by sentence.
        described: ``sha256`` of the text, ``sentences`` and ``tokens`` (numbers), ``license``, ``provenance``: what
            a model says of the text it was made of.
    """

    sentences: list[list[str]] = field(repr=False)
    described: dict[str, str | int]


def read_corpus_text(
    files: Sequence[Source], *, license: str = UNKNOWN, provenance: str = UNKNOWN, problems: Problems | None = None
) -> CorpusText:
    """Read plain text files, gzipped or not, and cut them into sentences and tokens.

    Args:
        files: Paths, or ``-``; read in this order as one text.
        license: Under which the text may be used; nobody can tell that from the text.
        provenance: Where it comes from.
        problems: Where lenient reading keeps its notes.

    Raises:
        InputError: If a file cannot be read, or there is no word in any.
    """
    noted = Problems() if problems is None else problems
    digest = sha256()
    same: dict[str, str] = {}  # one copy of each word: a text of millions of tokens has some ten thousand
    sentences: list[list[str]] = []
    for file in files:
        for block in Lines(file, noted, last=True).blocks():
            digest.update("".join(f"{line}\n" for line in block).encode("utf-8", "surrogatepass"))
            for line in block:
                sentences += [
                    [same.setdefault(token, token) for token in sentence] for sentence in tokenize_paragraph(line)
                ]
    if problems is None:
        noted.raise_errors()
    if not sentences:
        place = Place(", ".join(map(str, files)))
        raise InputError(Problem("text-empty", "there is no word in it", place, "plain text", "give it text"))
    described: dict[str, str | int] = {
        "sha256": digest.hexdigest(),
        "sentences": len(sentences),
        "tokens": sum(map(len, sentences)),
        "license": license,
        "provenance": provenance,
    }
    return CorpusText(sentences, described)


def read_sentences(text: Source, problems: Problems, *, retokenize: bool = False) -> Iterator[list[str]]:
    """The tokens of each line of a text to be judged or corrected; a warning at its end if they look like none.

    Args:
        text: One sentence a line, tokens between spaces.
        problems: Where what was noted is kept.
        retokenize: Cut each line into tokens as training text is cut.
    """
    n_lines = n_whole = 0
    lines = Lines(text, problems, last=True)
    for line in lines:
        n_lines += bool(line.strip())
        n_whole += ends_in_a_mark(line)
        yield [token for tokens in tokenize_paragraph(line) for token in tokens] if retokenize else line.split()
    if n_whole > n_lines / 2 and not retokenize:
        message = (
            f"looks untokenized: of {n_lines:,} lines, {n_whole:,} end in a word with a mark, and words with marks are"
        )
        message += " unknown words to the models"
        fix = "put spaces around marks, or use --retokenize"
        problems.note("not-tokenized", message, Place(lines.name), fix, severity="warning")


def to_plain(text: str) -> str:
    """A text in the characters of the CoNLL data."""
    return text if text.isascii() else text.translate(_PLAIN)


def tokenize_paragraph(paragraph: str) -> Iterator[list[str]]:
    """The sentences of a paragraph in tokens."""
    text = to_plain(paragraph)
    start = 0
    for end in (*_ends(text), len(text)):
        if tokens := treebank_tokens(text[start:end]):
            yield tokens
        start = end


def _ends(text: str) -> Iterator[int]:
    """The ends of sentences inside a paragraph."""
    for match in _END.finditer(text):
        at = match.start()
        word = _LAST_WORD.search(text, max(0, at - _REACH), at)
        if text[at] != "." or word is None or not _goes_on(word[0]):
            yield match.end()


def _goes_on(word: str) -> bool:
    return word.lower() in _ABBREVIATED or (len(word) == 1 and word.isupper())


def held_out(n_sentences: int, share: float, seed: int = 0) -> NDArray[np.bool_]:
    """Flag the sentences to hold out, in whole blocks of 100 consecutive ones, as many as the share asks for.

    Args:
        n_sentences: How many there are.
        share: The share of all blocks, rounded; from 0 to 1.
        seed: The seed of the choice of blocks.
    """
    if not 0 <= share <= 1:
        raise UsageError(Problem("bad-parameter", f"the share to hold out must be from 0 to 1, got {share}"))
    n_blocks = -(-n_sentences // BLOCK)
    chosen = stream(seed, "held out").permutation(n_blocks)[: round(share * n_blocks)]
    return np.isin(np.arange(n_sentences) // BLOCK, chosen)


def split_sentences(sentences: Iterable[list[str]], out: NDArray[np.bool_]) -> tuple[list[list[str]], list[list[str]]]:
    """The sentences that stay and those that are held out."""
    parts: tuple[list[list[str]], list[list[str]]] = ([], [])
    for sentence, held in zip(sentences, out.tolist(), strict=True):
        parts[held].append(sentence)
    return parts


@dataclass(frozen=True, slots=True)
class LearnerText:
    """A learner text with edits.

    Attributes:
        corpus: Its sentences, each with the edits of those who looked at it.
        described: ``labels``, a hash of sentences, edits and types; ``sentences``, ``tokens`` and ``edits``, how many
            there are: what a model says of the labels it was made of.
    """

    corpus: Corpus = field(repr=False)
    described: dict[str, str | int]

    @property
    def tokens(self) -> list[Sequence[str]]:
        """The tokens of each sentence."""
        return [sentence.tokens for sentence in self.corpus.sentences]


def sentence_codes(sentences: Iterable[Sequence[str]]) -> NDArray[np.uint32]:
    """The code of every sentence that is not short, sorted, each once."""
    return np.array(sorted({_code(tokens) for tokens in sentences if len(tokens) >= SHORT}), np.uint32)


def _code(tokens: Sequence[str]) -> int:
    """CRC-32 of the tokens between spaces."""
    return crc32(" ".join(tokens).encode("utf-8", "surrogatepass"))


def stored_codes(arrays: Mapping[str, NDArray[Any]]) -> NDArray[np.uint32]:
    """The codes of a model file, none if it was made before they were kept; a ``ValueError`` if they are no codes."""
    codes = arrays.get("learned", np.empty(0, np.uint32))
    if codes.dtype != np.uint32 or codes.ndim != 1:
        raise ValueError("no codes of sentences")
    return codes


class LearnedSentences:
    """Counts the sentences of a text whose labels a model learned from, short ones aside."""

    def __init__(self, learned: NDArray[np.uint32]) -> None:
        self.learned = frozenset(learned.tolist())
        self.n = self.n_learned = 0

    def add(self, tokens: Sequence[str]) -> None:
        """Count a sentence."""
        if len(tokens) >= SHORT and self.learned:
            self.n += 1
            self.n_learned += _code(tokens) in self.learned

    def warn(self, place: Place, problems: Problems) -> None:
        """Note a warning if there are many such sentences."""
        if self.n_learned and self.n_learned >= SHARE_LEARNED * self.n:
            message = f"the model learned from the labels of {self.n_learned:,} of these {self.n:,} sentences"
            fix = "score it on other text: it looks better on these than it is"
            problems.note("model-learned", message, place, fix=fix, severity="warning")


def warn_of_learned(
    learned: NDArray[np.uint32], sentences: Iterable[Sequence[str]], place: Place, problems: Problems
) -> None:
    """Note a warning if a model learned from the labels of many of the sentences; their codes as ``sentence_codes``."""
    seen = LearnedSentences(learned)
    for tokens in sentences:
        seen.add(tokens)
    seen.warn(place, problems)


def read_learner_text(files: Sequence[Source], problems: Problems) -> LearnerText:
    """Read M2, or another format of annotated sentences: each file a text of its own, one after the other."""
    corpora = [read_named([NamedFile(str(file), str(file))], problems) for file in files]
    return learner_text([sentence for corpus in corpora for sentence in corpus.sentences])


def learner_text(sentences: list[Sentence]) -> LearnerText:
    """Sentences with edits as a learner text."""
    content = ContentHash()
    for sentence in sentences:
        content.add(
            (source_record(sentence), reference_record(sentence.annotations), type_record(sentence.annotations))
        )
    described: dict[str, str | int] = {
        "labels": content.short(),
        "sentences": len(sentences),
        "tokens": sum(len(sentence.tokens) for sentence in sentences),
        "edits": sum(len(edits) for sentence in sentences for edits in sentence.annotations.values()),
    }
    annotators = dict.fromkeys(name for sentence in sentences for name in sentence.annotations)
    return LearnerText(Corpus(sentences, tuple(annotators)), described)


_COLUMNS, _FORM, _LEMMA, _TAG = 10, 1, 2, 4
_PENN = (
    "CC CD DT EX FW IN JJ JJR JJS LS MD NN NNS NNP NNPS PDT POS PRP PRP$ RB RBR RBS RP SYM TO UH VB VBD VBG VBN VBP "
    "VBZ WDT WP WP$ WRB . , : `` '' $ # ( ) -LRB- -RRB-"
)
"""Marcus, Santorini and Marcinkiewicz 1993, table 2, with brackets as treebanks write them."""


@dataclass(frozen=True, slots=True)
class Treebank:
    """Sentences of a treebank: forms, lemmas and Penn tags; all lists are parallel."""

    forms: list[list[str]]
    lemmas: list[list[str]]
    tags: list[list[str]]
    sha256: str  # of the lines, each with a line feed

    @property
    def n_tokens(self) -> int:
        """The number of tokens."""
        return sum(map(len, self.forms))


def read_treebank(path: Source) -> Treebank:
    """Read a CoNLL-U file; words of a multiword token count, the whole does not, and neither do empty nodes.

    Raises:
        InputError: If there is no such file, it is not UTF-8, a line has no ten columns, there is no word, or there are
            more tags than ``MOST_CLASSES``.
    """
    noted, digest = Problems(), sha256()
    bank = Treebank([], [], [], "")
    new = True
    lines = (line for block in Lines(path, noted, last=True).blocks() for line in block)
    for number, line in enumerate(lines, 1):
        digest.update(f"{line}\n".encode("utf-8", "surrogatepass"))
        if not line.strip():
            new = True
        elif not line.startswith("#"):
            columns = line.split("\t")
            if len(columns) != _COLUMNS:
                message = f"{len(columns)} columns"
                raise InputError(Problem("conllu", message, Place(str(path), number), f"{_COLUMNS} columns of CoNLL-U"))
            if columns[0].isdigit():
                for sentences, column in ((bank.forms, _FORM), (bank.lemmas, _LEMMA), (bank.tags, _TAG)):
                    if new:
                        sentences.append([])
                    sentences[-1].append(columns[column])
                new = False
    noted.raise_errors()
    if not bank.forms:
        raise InputError(Problem("conllu", "there is no word in it", Place(str(path)), "sentences in CoNLL-U"))
    if (n_tags := len({tag for tags in bank.tags for tag in tags})) > MOST_CLASSES:
        message, fix = f"{n_tags} tags in the fifth column", "the fifth column must hold Penn tags"
        raise InputError(Problem("conllu", message, Place(str(path)), f"at most {MOST_CLASSES}", fix))
    return replace(bank, sha256=digest.hexdigest())


def check_tags(bank: Treebank, path: Source) -> None:
    """Refuse a treebank for a tagger, by an ``InputError``, if less than half of its words have Penn tags."""
    known = frozenset(_PENN.split())
    n_penn = sum(tag in known for tags in bank.tags for tag in tags)
    if 2 * n_penn < bank.n_tokens:
        message = f"{n_penn:,} of {bank.n_tokens:,} words have a Penn tag in the fifth column"
        fix = "take a treebank of English with Penn tags, such as UD-EWT"
        raise InputError(Problem("conllu", message, Place(str(path)), "Penn tags, such as IN and NN", fix))


KIND = "words"


def count_words(sentences: Iterable[Sequence[str]], text: Mapping[str, Any]) -> Model:
    """Count words in lower case, for spelling and stems; those that occur twice are kept, in alphabetical order."""
    counts = Counter(token.lower() for sentence in sentences for token in sentence)
    kept = {word: counts[word] for word in sorted(counts) if counts[word] > 1}
    arrays: dict[str, NDArray[Any]] = {
        "words": np.frombuffer("\n".join(kept).encode("utf-8", "surrogatepass"), np.uint8),
        "counts": np.array([*kept.values()], np.int32),
    }
    return Model(KIND, {}, text, arrays)


def stored_counts(model: Model, path: str) -> dict[str, int]:
    """The counts of a model file; an ``InputError`` if they fit no words."""
    with fitting(path):
        counts = model.arrays["counts"].tolist()
        words = model.arrays["words"].tobytes().decode("utf-8", "surrogatepass").split("\n")
        return dict(zip(words, counts, strict=True)) if counts or words != [""] else {}
