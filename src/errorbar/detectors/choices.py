"""Places that a corrector may change, with what stands there: articles, and forms of words.

Conventions
    ``articles``: no article, *a* (or *an*), *the*, before every word where a noun phrase begins without another
    determiner. The text is looked at without its articles, so that none is in its own context. ``forms``: the tag of a
    noun, verb, adjective or adverb, whose lemma is seen and whose form is not.
Source
    Knight and Chander (1994) for articles learned from native text; Rozovskaya et al. (2014) for a classifier of each
    type of error.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import NDArray

from errorbar.detectors.contexts import BEFORE_NOUNS, NOUNS, WITH_NOUNS, next_place
from errorbar.detectors.learning import Classes
from errorbar.detectors.lexicon import Ints, Layout
from errorbar.detectors.tagger import Tagged

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
    """Places of a block of sentences.

    Attributes:
        text: Tagged; of ``articles``, without them.
        places: Where in its layout; of an article, the place of the word after it.
        written: Which class stands there.
        sentence: Number of each one's sentence in the block.
        tokens: Number of its token in the block as it was given; of an article, of the word after it.
    """

    text: Tagged
    places: Ints
    written: Classes
    sentence: Ints
    tokens: Ints


def find_slots(task: Task, text: Tagged) -> Slots:
    """The slots of a task in tagged sentences."""
    return _article_slots(text) if task == "articles" else _form_slots(text)


def _article_slots(text: Tagged) -> Slots:
    layout = text.layout
    # "A" as a letter or in a name has another tag than DT.
    articles = _article_numbers(text)[layout.words] * text.flags(("DT",))
    kept = articles == 0
    stay = kept[layout.places]
    old = layout.places[stay]
    ends = np.concatenate([[0], np.cumsum(stay)])
    bare = Layout(layout.words[kept], (np.cumsum(kept) - 1)[old], ends[layout.spans])
    rest = Tagged(text.lexicon, bare, text.tags, text.classes[kept])
    before = articles[old - 1]
    chosen = np.flatnonzero(_phrases(rest) | (before > 0))
    tokens = np.flatnonzero(stay)[chosen]
    sentence = np.searchsorted(layout.spans[:, 1], tokens, side="right")
    return Slots(rest, bare.places[chosen], before[chosen].astype(np.int8), sentence, tokens)


def _article_numbers(text: Tagged) -> NDArray[np.int8]:
    found = np.zeros(len(text.lexicon.names), np.int8)
    for word, number in ARTICLES.items():
        for form in (word, word.capitalize(), word.upper()):
            if (at := text.lexicon.numbers.get(form)) is not None:
                found[at] = number
    return found


def _phrases(text: Tagged) -> NDArray[np.bool_]:
    """At which tokens a noun phrase begins that has no determiner."""
    places = text.layout.places
    inside = text.flags(IN_PHRASE)
    starts = inside[places] & ~inside[places - 1] & ~text.flags(_DETERMINERS)[places]
    return np.asarray(starts & (next_place(text.flags(NOUNS))[places] < next_place(~inside)[places]))


def _form_slots(text: Tagged) -> Slots:
    numbers = np.full(len(text.tags) + 1, -1, np.int8)
    for number, tag in enumerate(CLASSES["forms"]):
        if tag in text.tags:
            numbers[text.number(tag)] = number
    layout = text.layout
    written = numbers[text.classes[layout.places]]
    tokens = np.flatnonzero(written >= 0)
    sentence = np.searchsorted(layout.spans[:, 1], tokens, side="right")
    return Slots(text, layout.places[tokens], written[tokens], sentence, tokens)
