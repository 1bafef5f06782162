"""Classifiers that choose an article, or the form of a word, from native text: what is right is what is written.

Formula
    Probabilities by maximum entropy (``learning.py``) over the features below. The score of a form
    is the logarithm of the summed probabilities of the tags that it has: of those of its nouns, verbs, and other words
    each, the tags with at least ``LEAST_SHARE`` of its occurrences.
Conventions
    ``EPOCHS`` passes by task. Words are in lower case. A word that the training text does not have has no tag.
Source
    Berger et al. (1996) for maximum entropy; features and classes are ours.

The places that a corrector may change: articles, and forms of words.

Conventions
    ``articles``: no article, *a* (or *an*), *the*, before every word where a noun phrase begins without another
    determiner. The text is looked at without its articles, so that none is in its own context. ``forms``: the tag of a
    noun, verb, adjective or adverb, whose lemma is seen and whose form is not.
Source
    Knight and Chander (1994) for articles learned from native text; Rozovskaya et al. (2014) for a classifier of each
    type of error.

Features of the places where a corrector chooses an article or a form.

Conventions
    ``w-1`` is the word before the place, ``t+2`` the tag of the second after it; an article's place is between two
    words. ``next``, ``verb``, ``noun`` are the lemmas of heads (``prepositions.py``), ``T:next`` the tag of one. Of
    articles ``then`` is the word after the phrase's head. Of forms ``l`` is the lemma of the word, ``det`` the nearest
    determiner, possessive or number in the phrase before it, ``aux`` the nearest verb before, ``then`` the next verb,
    ``subject`` the head of the phrase before the verbs: a pronoun as it is, else its tag. Several parts make one
    feature, their combination.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.core.arrays import Floats, Ints
from errorbar.core.problems import Problem, UsageError
from errorbar.detectors.learning import (
    HASH,
    Classes,
    Codes,
    Layout,
    Lexicon,
    Sentences,
    Weights,
    code,
    log_probabilities,
    states,
    train_maxent,
)
from errorbar.detectors.model_file import Model, check_made, check_tagger, fingerprint, fitting, stored_weights
from errorbar.detectors.prepositions import (
    BEFORE_NOUNS,
    LEAST,
    NOUNS,
    VERBS,
    WITH_NOUNS,
    Known,
    States,
    find_heads,
    last_place,
    lemma_codes,
    next_place,
)
from errorbar.detectors.tagger import Lemmas, TaggedText, Tagger

Task = Literal["articles", "forms"]
TASKS: tuple[Task, ...] = get_args(Task)
CLASSES: Mapping[Task, tuple[str, ...]] = {
    "articles": ("", "a", "the"),
    "forms": ("NN", "NNS", "VB", "VBP", "VBZ", "VBG", "VBD", "VBN", "JJ", "RB"),
}
ARTICLES: Mapping[str, int] = {"a": 1, "an": 1, "the": 2}
"""The class of each article."""
IN_PHRASE = (*BEFORE_NOUNS, *WITH_NOUNS, "PRP$")
_DETERMINERS = ("DT", "PDT", "PRP$", "POS")


@dataclass(frozen=True, slots=True, eq=False)
class Slots:
    """Places of a block of sentences."""

    text: TaggedText  # tagged; of ``articles``, without them
    places: Ints  # where in its layout; of an article, the place of the word after it
    written: Classes  # which class stands there
    sentence: Ints  # number of each one's sentence in the block
    tokens: Ints  # number of its token in the block as it was given; of an article, of the word after it


def find_slots(task: Task, text: TaggedText) -> Slots:
    """The slots of a task in tagged sentences."""
    return _article_slots(text) if task == "articles" else _form_slots(text)


def _article_slots(text: TaggedText) -> Slots:
    layout = text.layout
    # "A" as a letter or in a name has another tag than DT.
    articles = _article_numbers(text)[layout.words] * text.flags(("DT",))
    kept = articles == 0
    stay = kept[layout.places]
    old = layout.places[stay]
    ends = np.concatenate([[0], np.cumsum(stay)])
    bare = Layout(layout.words[kept], (np.cumsum(kept) - 1)[old], ends[layout.spans])
    bare_text = TaggedText(text.lexicon, bare, text.tags, text.classes[kept])
    before = articles[old - 1]
    chosen = np.flatnonzero(_phrases(bare_text) | (before > 0))
    tokens = np.flatnonzero(stay)[chosen]
    sentence = np.searchsorted(layout.spans[:, 1], tokens, side="right")
    return Slots(bare_text, bare.places[chosen], before[chosen].astype(np.int8), sentence, tokens)


def _article_numbers(text: TaggedText) -> NDArray[np.int8]:
    numbers = np.zeros(len(text.lexicon.names), np.int8)
    for word, number in ARTICLES.items():
        for form in (word, word.capitalize(), word.upper()):
            if (at := text.lexicon.numbers.get(form)) is not None:
                numbers[at] = number
    return numbers


def _phrases(text: TaggedText) -> NDArray[np.bool_]:
    """At which tokens a noun phrase begins that has no determiner."""
    places = text.layout.places
    inside = text.flags(IN_PHRASE)
    starts = inside[places] & ~inside[places - 1] & ~text.flags(_DETERMINERS)[places]
    return np.asarray(starts & (next_place(text.flags(NOUNS))[places] < next_place(~inside)[places]))


def _form_slots(text: TaggedText) -> Slots:
    numbers = np.full(len(text.tags) + 1, -1, np.int8)
    for number, tag in enumerate(CLASSES["forms"]):
        if tag in text.tags:
            numbers[text.number(tag)] = number
    layout = text.layout
    written = numbers[text.classes[layout.places]]
    tokens = np.flatnonzero(written >= 0)
    sentence = np.searchsorted(layout.spans[:, 1], tokens, side="right")
    return Slots(text, layout.places[tokens], written[tokens], sentence, tokens)


FEATURES = "choices-1"  # what model files name; other templates are another name
_WINDOW = """w-1 w-2 w-3 w+1 w+2 w+3 t-1 t-2 t+1 t+2 w-1,w+1 w-2,w-1 w+1,w+2 w-2,w-1,w+1 w-1,w+1,w+2 t-1,t+1 t-2,t-1
    t+1,t+2 t-2,t-1,t+1,t+2 w-3,w-2,w-1 w+1,w+2,w+3"""
_OF_ARTICLES = """next verb noun T:next verb,next noun,w-1,next w-1,next w-2,w-1,next w-1,T:next then next,then
    T:next,then w+1,T:next w-1,next,then next,then,then+1 w-1,w+1,next t-1,w+1 next,T:next
    w-1,next,T:next verb,next,T:next w+1,next,T:next w-1,T:next,then"""
_OF_FORMS = """l l,w-1 l,w+1 l,t-1 l,t+1 l,t-1,t+1 l,w-1,w+1 l,w-2,w-1 l,w+1,w+2 det l,det det,t+1 det,w-1,t+1 aux
    aux,w-1 l,aux aux,t-1 noun T:noun T:noun,aux noun,l T:noun,t-1 then T:then det,T:then det,then verb,w+1 l,next
    subject subject,aux,t-1 subject,t-1"""


def _templates(names: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(template.split(",")) for template in names.split())


TEMPLATES: Mapping[Task, tuple[tuple[str, ...], ...]] = {
    "articles": _templates(_WINDOW + " " + _OF_ARTICLES),
    "forms": _templates(_WINDOW + " " + _OF_FORMS),
}
_OFFSETS = (-3, -2, -1, 1, 2, 3)
_AS_IT_IS = ("PRP", "WDT", "WP", "EX", "DT")


def slot_states(task: Task, slots: Slots, lemmas: Lemmas) -> States:
    """The features of every slot as states (``learning.py``); shape (slots, templates)."""
    parts = _parts(task, slots, lemmas)
    table = np.empty((len(slots.places), len(TEMPLATES[task])), np.uint32)
    for number, names in enumerate(TEMPLATES[task]):
        table[:, number] = states(number, *(parts[name] for name in names))
    return table


def _parts(task: Task, slots: Slots, lemmas: Lemmas) -> dict[str, Codes]:
    text, places, between = slots.text, slots.places, task == "articles"
    layout = text.layout
    forms = text.lexicon.codes(Lexicon.FORM)[layout.words]
    tags = np.array([*map(code, text.tags), 0], np.uint32)[text.classes]
    parts: dict[str, Codes] = {}
    for offset in _OFFSETS:
        at = places + offset - (between and offset > 0)
        parts[f"w{offset:+d}"], parts[f"t{offset:+d}"] = forms[at], tags[at]
    first, last = layout.places[layout.spans[slots.sentence] - [0, 1]].T
    heads = find_heads(text, places - 1, places + (not between), first)
    for name in ("next", "verb", "noun"):
        parts[name] = lemma_codes(text, heads[name], lemmas)
    for name in ("next", "noun"):
        parts[f"T:{name}"] = tags[heads[name]]
    if between:
        then = np.minimum(heads["next"] + 1, last + 1)
        return parts | {"then": forms[then], "then+1": forms[np.minimum(then + 1, last + 1)]}
    parts["l"] = lemma_codes(text, places, lemmas)
    around = _around(text, places, first, last)
    for name in ("det", "aux", "then"):
        parts[name] = forms[around[name]]
    subject = around["subject"]
    parts["T:then"] = tags[around["then"]]
    parts["subject"] = np.where(text.flags(_AS_IT_IS)[subject], forms[subject], tags[subject])
    return parts


def _around(text: TaggedText, places: Ints, first: Ints, last: Ints) -> dict[str, Ints]:
    """Words that agree with a noun or a verb; 0, a gap, for none."""
    inside, verbs, nouns = (text.flags(tags) for tags in (IN_PHRASE, VERBS, NOUNS))
    before = places - 1
    det = last_place(text.flags(("DT", "PDT", "PRP$", "CD", "POS")))[before]
    aux = last_place(verbs)[before]
    then = next_place(verbs)[places + 1]
    subject = last_place(~text.flags((*VERBS, "RB", "TO")))[before]
    # In "the list of items is" the subject is the noun before the preposition.
    of = last_place(~inside)[subject]
    subject = np.where(text.flags(("IN",))[of] & nouns[of - 1] & nouns[subject], of - 1, subject)
    return {
        "det": np.where(det > last_place(~inside)[before], det, 0),
        "aux": np.where(aux >= first, aux, 0),
        "then": np.where(then <= last, then, 0),
        "subject": np.where(subject >= first, subject, 0),
    }


BITS = 21
EPOCHS: Mapping[Task, int] = {"articles": 4, "forms": 3}
LEAST_SHARE = 0.03
FAMILIES = (range(2), range(2, 8), range(8, 10))  # nouns, verbs and the others among the classes of forms
Masks = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class WordTags:
    """The tags of the forms of a text: bits, by word in lower case, in the order of the classes of ``forms``."""

    bits: Mapping[str, int]

    @classmethod
    def of_counts(cls, counts: Mapping[str, NDArray[np.int64]]) -> WordTags:
        """The tags by counts of each word with each tag."""
        bits = {}
        for word in sorted(counts):
            seen = counts[word]
            bits[word] = sum(
                1 << tag for family in FAMILIES for tag in family if seen[tag] > LEAST_SHARE * seen[family].sum()
            )
        return cls(bits)

    def masks(self, words: Sequence[str]) -> Masks:
        """The tags of some words; shape (words, tags)."""
        bits = np.array([self.bits.get(word.lower(), 0) for word in words], np.int64)
        return (bits[:, None] >> np.arange(len(CLASSES["forms"])) & 1).astype(np.bool_)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """The arrays of a model file."""
        named = "\n".join(self.bits).encode("utf-8", "surrogatepass")
        return {"words": np.frombuffer(named, np.uint8), "tags": np.array([*self.bits.values()], np.int16)}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> WordTags:
        """The tags of a model file; a ``ValueError`` if they do not fit."""
        words = arrays["words"].tobytes().decode("utf-8", "surrogatepass").split("\n")
        return cls(dict(zip(words, arrays["tags"].tolist(), strict=True)) if words != [""] else {})


@dataclass(frozen=True, slots=True, eq=False)
class Chooser:
    """A trained classifier."""

    task: Task  # the task
    known: Known  # the features that have weights of their own
    weights: Weights  # the weights of the features
    words: WordTags  # the tags of words, for ``forms``
    tagger: Tagger  # whose tags and lemmas the features are made of
    made: Mapping[str, Any]  # how it was trained
    text: Mapping[str, Any]  # the text it was trained on

    def scores(self, slots: Slots) -> Floats:
        """The natural logarithm of each class's probability in each slot; shape (slots, classes)."""
        rows = self.known.rows(slot_states(self.task, slots, self.tagger.lemmas))
        scores = self.weights.scores(rows)
        return log_probabilities(scores) if len(scores) else scores

    def model(self) -> Model:
        """The classifier as a model file."""
        arrays = self.weights.arrays() | {"known": self.known.marks} | self.words.arrays()
        return Model(self.task, self.made, self.text, arrays)


def train_chooser(
    task: Task,
    sentences: Sentences,
    tagger: Tagger,
    text: Mapping[str, Any],
    *,
    bits: int = BITS,
    least: int = LEAST,
    seed: int = 0,
) -> Chooser:
    """Train on tokenized native sentences; the same seed gives the same classifier.

    Args:
        task: ``articles`` or ``forms``.
        sentences: Native text.
        tagger: The tagger of the text.
        text: The model's description of its text.
        bits: The table of weights has 2^bits rows.
        least: In how many examples a feature must occur to have weights of its own.
        seed: The seed of the orders of examples.

    Raises:
        UsageError: If there is no noun phrase, or no noun, verb, adjective or adverb, in the text.
    """
    parts: list[tuple[States, Classes]] = []
    counts: dict[str, NDArray[np.int64]] = {}
    for block in tagger.blocks(sentences):
        slots = find_slots(task, block)
        parts.append((slot_states(task, slots, tagger.lemmas), slots.written))
        if task == "forms":
            _count(counts, slots)
    states, right = (np.concatenate(column) for column in zip(*parts, strict=True))
    if not len(right):
        raise UsageError(Problem("text-no-slot", f"there is no place for {task} in the text", fix="give more text"))
    known = Known.of_examples(states, bits, least)
    weights = train_maxent(known.rows(states), right, len(CLASSES[task]), bits, epochs=EPOCHS[task], seed=seed)
    about = {"tagger": fingerprint(tagger.model()), "features": FEATURES, "hash": HASH, "bits": bits, "seed": seed}
    header = about | {"examples": len(right)}
    return Chooser(task, known, weights, WordTags.of_counts(counts), tagger, header, text)


def _count(counts: dict[str, NDArray[np.int64]], slots: Slots) -> None:
    names, n_classes = slots.text.lexicon.names, len(CLASSES["forms"])
    pairs = slots.text.layout.words[slots.places].astype(np.int64) * n_classes + slots.written
    for pair, n in zip(*(column.tolist() for column in np.unique(pairs, return_counts=True)), strict=True):
        counts.setdefault(names[pair // n_classes].lower(), np.zeros(n_classes, np.int64))[pair % n_classes] += n


def load_chooser(model: Model, path: str, tagger: Tagger) -> Chooser:
    """The classifier of a model file; an ``InputError`` if it was made with another tagger, features or hash."""
    check_tagger(model, path, fingerprint(tagger.model()))
    check_made(model, path, {"features": FEATURES, "hash": HASH})
    with fitting(path):
        task: Task = "articles" if model.kind == "articles" else "forms"
        weights = stored_weights(model, len(CLASSES[task]))
        known, words = Known.stored(model.arrays["known"], weights.bits), WordTags.of_arrays(model.arrays)
    return Chooser(task, known, weights, words, tagger, model.made, model.text)
