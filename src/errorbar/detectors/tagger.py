"""Penn tags by an averaged perceptron over hashed features, decoded from left to right without a beam.

Formula
    Of a token's classes the one whose weights over the token's features sum to most. The features are the words
    and parts of words of two tokens to each side, and the last two tags given (``STATIC``, ``HISTORY``).
Conventions
    Words count in lower case with every digit as 0. Beyond a sentence's ends are empty words and no tags. Training
    guesses the history as decoding does.
Source
    Collins (2002) for the averaged perceptron and its features, Ratnaparkhi (1996) for parts of words.

Lemmas of tagged words come from a few rules for endings, and a treebank's exceptions to them.

``PipelineTagger`` has the tags of errorbar-en's spaCy pipeline in place of the perceptron's. It needs spaCy, for
training and for use. docs/detectors/perc.md says what it brings: nothing that the detectors' figures would show.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from importlib import metadata
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.core.problems import InputError, Place, Problem, UsageError
from errorbar.detectors.learning import (
    HASH,
    MOST_CLASSES,
    Classes,
    Codes,
    Layout,
    Lexicon,
    Rows,
    Sentences,
    Weights,
    average_weights,
    code,
    kernel,
    rows_of,
    state,
    states,
    tables,
)
from errorbar.detectors.model_file import Model, check_made, fitting, stored_weights
from errorbar.detectors.text import Treebank
from errorbar.stats.resampling import stream

# By Penn tag: endings, and what stands in their place; the first that fits.
_PLURAL = (
    ("sses", "ss"),
    ("shes", "sh"),
    ("ches", "ch"),
    ("xes", "x"),
    ("ies", "y"),
    ("ss", "ss"),
    ("us", "us"),
    ("s", ""),
)
_PAST = (("ied", "y"), ("eed", "ee"), ("ed", ""))
_ING = (("ying", "y"), ("ing", ""))
RULES = {"NNS": _PLURAL, "NNPS": _PLURAL, "VBZ": _PLURAL, "VBD": _PAST, "VBN": _PAST, "VBG": _ING}
_ARRAYS = ("lemma_forms", "lemma_tags", "lemmas")
_DOUBLED = frozenset("bdgmnprt")
_SHORTEST = 2  # letters of a stem
_LONGEST = 100  # letters of a word that is an exception: a model file has as much room for each as the longest needs
_VOWELS = frozenset("aeiouy")


def lemma_by_rule(form: str, tag: str) -> str:
    """The lemma that the rules give a form in lower case."""
    for ending, instead in RULES.get(tag, ()):
        stem = form[: len(form) - len(ending)]
        if form.endswith(ending) and len(stem) >= _SHORTEST and _VOWELS & set(stem + instead):
            cut = tag in ("VBD", "VBN", "VBG") and not instead
            return _verb(stem) if cut else stem + instead
    return form


def _verb(stem: str) -> str:
    """The verb of a stem without -ed or -ing: one letter of two taken, or an e put back."""
    if stem[-1] == stem[-2] and stem[-1] in _DOUBLED:
        return stem[:-1]
    ends = (stem[-1] in "cgsuvz" and stem[-2:] not in ("ss", "zz", "ng")) or stem[-2:] in (
        "at",
        "ut",
        "bl",
        "pl",
        "tl",
        "dl",
    )
    return stem + "e" if ends else stem


def learn_lemmas(bank: Treebank) -> Lemmas:
    """Take the most frequent lemma of every form and tag of a treebank where the rules give another."""
    seen: dict[tuple[str, str], Counter[str]] = {}
    for forms, tags, lemmas in zip(bank.forms, bank.tags, bank.lemmas, strict=True):
        for form, tag, lemma in zip(forms, tags, lemmas, strict=True):
            if tag in RULES and max(len(form), len(lemma)) <= _LONGEST:
                seen.setdefault((form.lower(), tag), Counter())[lemma.lower()] += 1
    best = {key: min(counts, key=lambda lemma: (-counts[lemma], lemma)) for key, counts in seen.items()}
    return Lemmas({key: lemma for key, lemma in best.items() if lemma_by_rule(*key) != lemma})


@dataclass(frozen=True, slots=True)
class Lemmas:
    """Rules and exceptions."""

    exceptions: Mapping[tuple[str, str], str]  # the lemma of a form in lower case and its tag

    def lemma(self, form: str, tag: str) -> str:
        """The lemma of a form with a Penn tag, in lower case; a form the rules do not speak of is its own."""
        form = form.lower()
        return self.exceptions.get((form, tag)) or lemma_by_rule(form, tag)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of a model file: three parallel columns of words."""
        columns = [(form, tag, lemma) for (form, tag), lemma in sorted(self.exceptions.items())]
        return {name: np.array([row[at] for row in columns], "U") for at, name in enumerate(_ARRAYS)}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Lemmas:
        """The lemmas of a model file."""
        forms, tags, lemmas = (arrays[name].tolist() for name in _ARRAYS)
        return cls(dict(zip(zip(forms, tags, strict=True), lemmas, strict=True)))


KIND, FEATURES = "tagger", "tagger-1"
BITS, EPOCHS = 19, 8
BLOCK = 4_000  # sentences at a time, which bounds memory

_FORM, _END1, _END2, _END3 = Lexicon.FORM, Lexicon.END1, Lexicon.END2, Lexicon.END3
_START, _SHAPE = Lexicon.START, Lexicon.SHAPE
# Of each feature known beforehand: (column of the lexicon, how far to the right); several make one combination.
STATIC: tuple[tuple[tuple[int, int], ...], ...] = (
    ((_FORM, 0),),
    ((_END1, 0),),
    ((_END2, 0),),
    ((_END3, 0),),
    ((_START, 0),),
    ((_SHAPE, 0),),
    ((_SHAPE, 0), (_SHAPE, -1)),
    ((_SHAPE, 0), (_SHAPE, 1)),
    ((_FORM, -1),),
    ((_FORM, -2),),
    ((_FORM, 1),),
    ((_FORM, 2),),
    ((_END3, -1),),
    ((_END3, 1),),
    ((_FORM, -1), (_FORM, 0)),
    ((_FORM, 0), (_FORM, 1)),
)
# Of each feature of the history: how many of the last tags, and what stands with them.
HISTORY: tuple[tuple[int, tuple[tuple[int, int], ...]], ...] = (
    (1, ()),
    (2, ()),
    (1, ((_FORM, 0),)),
    (1, ((_FORM, 1),)),
    (2, ((_END2, 0),)),
)
DEPTHS = np.array([depth for depth, _ in HISTORY], np.int8)


@dataclass(frozen=True, slots=True, eq=False)
class TaggedText:
    """Tagged sentences."""

    lexicon: Lexicon  # the words
    layout: Layout  # where they are
    tags: tuple[str, ...]  # the tag set
    classes: Classes  # the tag of each place by its number; in the gaps the number after the last

    def number(self, tag: str) -> int:
        """The number of a tag; -1 if the tag set lacks it."""
        return self.tags.index(tag) if tag in self.tags else -1

    def flags(self, tags: Iterable[str]) -> NDArray[np.bool_]:
        """Flag the places that have one of some tags."""
        is_wanted = np.zeros(len(self.tags) + 1, np.bool_)
        is_wanted[[self.number(tag) for tag in tags if tag in self.tags]] = True
        flagged: NDArray[np.bool_] = is_wanted[self.classes]
        return flagged


@dataclass(frozen=True, slots=True, eq=False)
class Tagger:
    """A trained tagger."""

    tags: tuple[str, ...]  # the tag set, in the order of classes
    weights: Weights  # the weights of its features
    lemmas: Lemmas  # the lemmas of the words it tags; learned from the same treebank
    made: dict[str, Any]  # how it was trained
    text: dict[str, Any]  # the text it was trained on
    lexicon: Lexicon = field(default_factory=Lexicon, repr=False)

    def blocks(self, sentences: Sentences) -> Iterator[TaggedText]:
        """Tag sentences a block at a time; of no sentence, one empty block. Use each before asking for the next."""
        for first in range(0, max(len(sentences), 1), BLOCK):
            layout = self.lexicon.lay_out(sentences[first : first + BLOCK])
            yield self.tagged(layout)

    def tagged(self, layout: Layout) -> TaggedText:
        """Tag the words of a layout."""
        rows, h = _features(self.lexicon, layout, self.weights.bits)
        w, classes = self.weights, np.zeros(len(rows), np.int8)
        kernel().tag_tokens(
            rows, h, DEPTHS, _codes(self.tags), layout.spans, w.offsets, w.classes, w.wide, classes, w.bits
        )
        return TaggedText(self.lexicon, layout, self.tags, pad_classes(layout, classes, len(self.tags)))

    def tag(self, sentences: Sentences) -> list[list[str]]:
        """Tag tokenized sentences."""
        tags: list[list[str]] = []
        for text in self.blocks(sentences):
            named = [self.tags[number] for number in text.classes[text.layout.places].tolist()]
            tags += [named[start:end] for start, end in text.layout.spans.tolist()]
        return tags

    def model(self) -> Model:
        """The tagger as a model file."""
        return Model(KIND, self.made, self.text, self.weights.arrays() | self.lemmas.arrays())


def load_tagger(model: Model, path: str) -> Tagger:
    """The tagger of a model file; one that was made for other features is refused."""
    check_made(model, path, {"features": FEATURES, "hash": HASH})
    with fitting(path):
        tags = stored_tags(model)
        weights, lemmas = stored_weights(model, len(tags)), Lemmas.of_arrays(model.arrays)
    return Tagger(tags, weights, lemmas, dict(model.made), dict(model.text))


def stored_tags(model: Model) -> tuple[str, ...]:
    """The tag set of a model file; a ``ValueError`` if it is none."""
    tags = model.made["tags"]
    if not (isinstance(tags, list) and all(isinstance(tag, str) for tag in tags) and len({*tags}) == len(tags)):
        raise ValueError("no tag set")
    if not 1 <= len(tags) <= MOST_CLASSES:
        raise ValueError(f"{len(tags)} tags")
    return tuple(tags)


def train_tagger(
    bank: Treebank, about: Mapping[str, str] | None = None, *, epochs: int = EPOCHS, bits: int = BITS, seed: int = 0
) -> Tagger:
    """Train on a treebank; the same seed gives the same tagger.

    Args:
        bank: Sentences with their tags.
        about: The model's description of them besides their hash and number: ``license``, ``provenance``.
        epochs: Passes over all sentences, each in an order of its own.
        bits: The table of weights has 2^bits rows.
        seed: The seed of the orders.
    """
    tags = tuple(sorted({tag for sentence in bank.tags for tag in sentence}))
    numbers = {tag: number for number, tag in enumerate(tags)}
    right = np.array([numbers[tag] for sentence in bank.tags for tag in sentence], np.int8)
    lexicon = Lexicon()
    layout = lexicon.lay_out(bank.forms)
    rows, h = _features(lexicon, layout, bits)
    table, totals = tables(bits, len(tags))
    chance = stream(seed, KIND)
    at = 1
    for _ in range(epochs):
        spans = layout.spans[chance.permutation(len(layout.spans))]
        kernel().learn_tags(rows, h, DEPTHS, _codes(tags), right, spans, table, totals, at, bits)
        at += len(right)
    header = {"features": FEATURES, "hash": HASH, "bits": bits, "tags": list(tags), "epochs": epochs, "seed": seed}
    text = {"sha256": bank.sha256, "tokens": bank.n_tokens, **(about or {})}
    return Tagger(tags, average_weights(table, totals, at), learn_lemmas(bank), header, text)


def pad_classes(layout: Layout, classes: Classes, none: int) -> Classes:
    """The tag of each place, of the tags of tokens: ``none`` in the gaps."""
    padded_classes = np.full(len(layout.words), none, np.int8)
    padded_classes[layout.places] = classes
    return padded_classes


def _codes(tags: tuple[str, ...]) -> Codes:
    return np.array([*map(code, tags), 0], np.uint32)


def _features(lexicon: Lexicon, layout: Layout, bits: int) -> tuple[Rows, Codes]:
    """Rows of what is known beforehand, shape (tokens, ``STATIC``), and states of the history's features."""
    near = {
        part: lexicon.codes(part[0])[layout.words[layout.places + part[1]]]
        for part in {part for parts in (*STATIC, *(parts for _, parts in HISTORY)) for part in parts}
    }
    n = len(layout.places)
    rows, h = np.empty((n, len(STATIC)), np.int32), np.empty((n, len(HISTORY)), np.uint32)
    for number, parts in enumerate(STATIC):
        rows[:, number] = rows_of(states(number, *(near[part] for part in parts)), bits)
    for number, (_, parts) in enumerate(HISTORY):
        template = len(STATIC) + number
        h[:, number] = states(template, *(near[part] for part in parts)) if parts else state(template)
    return rows, h


PIPELINE = "errorbar_en"
_UNUSED = ("parser", "morphologizer", "attribute_ruler", "lemmatizer")
_BATCH = 256
_NONE = Weights(1, 1, np.empty(0, np.int32), np.empty(0, np.int8), np.empty(0, np.float16))


@dataclass(frozen=True, slots=True, eq=False)
class PipelineTagger(Tagger):
    """A tagger without weights of its own."""

    pipeline: Any = None  # the spaCy pipeline

    def tagged(self, layout: Layout) -> TaggedText:
        """Tag the words of a layout."""
        from spacy.tokens import Doc  # noqa: PLC0415 - an extra, and slow to load

        names = [name.encode("utf-8", "replace").decode() for name in self.lexicon.names]  # spaCy takes valid Unicode
        words = layout.words[layout.places].tolist()
        texts = ([names[word] for word in words[start:end]] for start, end in layout.spans.tolist())
        docs = self.pipeline.pipe((Doc(self.pipeline.vocab, words=text) for text in texts), batch_size=_BATCH)
        numbers = {tag: number for number, tag in enumerate(self.tags)}
        classes = np.array([numbers[token.tag_] for token in chain.from_iterable(docs)], np.int8)
        return TaggedText(self.lexicon, layout, self.tags, pad_classes(layout, classes, len(self.tags)))


def pipeline_tagger(bank: Treebank, about: Mapping[str, str]) -> PipelineTagger:
    """The pipeline's tags, and lemmas of a treebank; a ``UsageError`` if it is not installed."""
    pipeline, version = _pipeline()
    tags = tuple(sorted(pipeline.get_pipe("tagger").labels))
    header = {"features": PIPELINE, "version": version, "hash": HASH, "tags": list(tags)}
    text = {"sha256": bank.sha256, "tokens": bank.n_tokens, **about}
    return PipelineTagger(tags, _NONE, learn_lemmas(bank), header, text, pipeline=pipeline)


def load_any_tagger(model: Model, path: str) -> Tagger:
    """The tagger of a model file; one of another version of the pipeline is refused."""
    if model.made.get("features") != PIPELINE:
        return load_tagger(model, path)
    check_made(model, path, {"hash": HASH})
    pipeline, version = _pipeline()
    if model.made.get("version") != version:
        message = f"it was made with {PIPELINE} {model.made.get('version')}"
        raise InputError(
            Problem("model-tagger", message, Place(path), f"{version}, which is installed", "train it again")
        )
    with fitting(path):
        tags, lemmas = stored_tags(model), Lemmas.of_arrays(model.arrays)
        if {*pipeline.get_pipe("tagger").labels} - {*tags}:
            raise ValueError("other tags")
    return PipelineTagger(tags, _NONE, lemmas, dict(model.made), dict(model.text), pipeline=pipeline)


def pipeline_version() -> str | None:
    """The version of the pipeline that is installed, if one is."""
    try:
        return metadata.version(PIPELINE.replace("_", "-"))
    except metadata.PackageNotFoundError:
        return None


def _pipeline() -> tuple[Any, str]:
    try:
        import spacy  # noqa: PLC0415 - an extra

        return spacy.load(PIPELINE, exclude=_UNUSED), metadata.version(PIPELINE.replace("_", "-"))
    except (ImportError, OSError, metadata.PackageNotFoundError):
        message = f"tags of {PIPELINE} need spaCy and that pipeline"
        fix = "in a checkout of errorbar: make errant; or take --tagger=perceptron"
        raise UsageError(Problem("no-pipeline", message, fix=fix)) from None
