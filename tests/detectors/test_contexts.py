"""Prepositions in hand-tagged sentences: which tokens count, which heads are found, which features come out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from errorbar.detectors.learning import PREPOSITIONS, Lexicon, code, row_of, state, step_one
from errorbar.detectors.prepositions import (
    LEAST,
    PAPERS,
    TEMPLATES,
    Known,
    PrepositionBlock,
    feature_states,
    find_contexts,
    is_infinitive,
)
from errorbar.detectors.tagger import Lemmas, TaggedText, lemma_by_rule
from errorbar.edits import PREPOSITIONS as ITEMS

TAGS = ("CD", "DT", "IN", "JJ", "NN", "NNS", "POS", "PRP", "RB", "TO", "VB", "VBD", "VBG", "VBZ", ",")
LEMMAS = Lemmas({("went", "VBD"): "go", ("houses", "NNS"): "house"})


def tagged(*sentences: str) -> TaggedText:
    """Sentences of ``word/TAG``."""
    pairs = [[token.rsplit("/", 1) for token in sentence.split()] for sentence in sentences]
    lexicon = Lexicon()
    layout = lexicon.lay_out([[word for word, _ in sentence] for sentence in pairs])
    classes = np.full(len(layout.words), len(TAGS), np.int8)
    classes[layout.places] = [TAGS.index(tag) for sentence in pairs for _, tag in sentence]
    return TaggedText(lexicon, layout, TAGS, classes)


def heads(sentence: str) -> list[dict[str, str]]:
    text = tagged(sentence)
    contexts = find_contexts(text)
    names = [*text.lexicon.names[:1], *text.lexicon.names[1:]]
    return [
        {name: names[text.layout.words[places[at]]].strip("\0") for name, places in contexts.heads.items()}
        for at in range(len(contexts.tokens))
    ]


def test_the_prepositions_are_those_of_the_items() -> None:
    assert len(PREPOSITIONS) == 34
    assert frozenset(PREPOSITIONS) == ITEMS


def test_which_tokens_count() -> None:
    text = tagged("IN/IN the/DT house/NN", "he/PRP went/VBD to/TO look/VB to/IN me/PRP", "no/DT one/NN", "")
    for every, tokens in ((False, [0, 7]), (True, [0, 5, 7])):
        contexts = find_contexts(text, every)
        assert contexts.tokens.tolist() == tokens
        assert [PREPOSITIONS[number] for number in contexts.written] == ["in", "to", "to"][:1] + ["to"] * (
            len(tokens) - 1
        )


@pytest.mark.parametrize(
    ("sentence", "verb", "noun", "near", "next"),
    [
        ("he/PRP went/VBD to/IN the/DT two/CD old/JJ town/NN houses/NNS quickly/RB", "went", "he", "went", "houses"),
        ("she/PRP saw/VBD men/NNS with/IN dogs/NNS", "saw", "men", "men", "dogs"),
        ("good/JJ at/IN making/VBG good/JJ tea/NN", "", "", "good", "making"),
        ("by/IN working/VBG hours/NNS", "", "", "", "hours"),
        ("it/PRP is/VBZ for/IN her/PRP", "is", "it", "is", "her"),
        ("born/VB in/IN 1990/CD ,/, he/PRP", "born", "", "born", "1990"),
        ("in/IN the/DT man/NN 's/POS house/NN", "", "", "", "house"),
        ("as/IN", "", "", "", ""),
        ("of/IN ,/, men/NNS", "", "", "", ","),
    ],
)
def test_heads(sentence: str, verb: str, noun: str, near: str, next: str) -> None:
    assert heads(sentence)[0] == {"verb": verb, "noun": noun, "near": near, "next": next}


@pytest.mark.parametrize(
    ("sentence", "infinitives"),
    [
        ("they/PRP came/VBD to/TO outside/RB ,/,", [False]),  # the example of Tetreault and Chodorow (2008)
        ("he/PRP wants/VBZ to/TO really/RB go/VB to/TO there/RB", [True, False]),
        ("back/RB to/TO next/JJ house/NN", [False]),
        ("to/TO families/NNS", [False]),
        ("they/PRP went/VBD to/IN go/VB", [False]),
        ("he/PRP had/VBD to/TO", [True]),
        ("he/PRP had/VBD to/TO ,/, but/RB", [True]),
        ("house/NN to/TO", [True]),
    ],
)
def test_a_mark_of_the_infinitive_has_a_verb_or_nothing_after_it(sentence: str, infinitives: list[bool]) -> None:
    text = tagged(sentence, "go/VB house/NN")  # the next sentence is none of its business
    contexts = find_contexts(text, every=True)
    none = np.zeros(len(contexts.tokens), np.int64)
    assert is_infinitive(PrepositionBlock(text, contexts, none, none)).tolist() == infinitives


def test_heads_stay_in_their_sentence() -> None:
    text = tagged("he/PRP saw/VBD men/NNS", "of/IN", "men/NNS saw/VBD")
    assert all(not text.layout.words[places[0]] for places in find_contexts(text).heads.values())


def test_features_of_a_sentence_by_hand() -> None:
    text = tagged("He/PRP went/VBD to/IN houses/NNS")
    found = feature_states(text, find_contexts(text), LEMMAS)
    assert found.shape == (1, len(TEMPLATES))
    gap, none = code("\0"), 0
    value = {
        **{"w-3": gap, "w-2": code("he"), "w-1": code("went"), "w+1": code("houses"), "w+2": gap, "w+3": gap},
        **{"t-2": code("PRP"), "t-1": code("VBD"), "t+1": code("NNS"), "t+2": none},
        **{"verb": code("go"), "noun": code("he"), "near": code("go"), "next": code("house")},
        **{"T:verb": code("VBD"), "T:noun": code("PRP"), "T:near": code("VBD"), "T:next": code("NNS")},
    }
    for number, names in enumerate(TEMPLATES):
        h = state(number)
        for name in names:
            h = step_one(h, value[name])
        assert int(found[0, number]) == h, names
    assert PAPERS == 25
    page = (Path(__file__).parents[2] / "docs" / "detectors" / "perc.md").read_text(encoding="utf-8")
    words_of_paper, more_words = (row for row in page.splitlines() if "`w-2 w-1" in row and row.startswith("|"))
    for number, names in enumerate(TEMPLATES):
        if all(name[0] == "w" for name in names):
            row = words_of_paper if number < PAPERS else more_words
            assert f"`{' '.join(names)}`" in row
    assert len(set(TEMPLATES)) == len(TEMPLATES)


def test_the_preposition_is_in_no_feature_of_its_own() -> None:
    one, two = (tagged(f"he/PRP went/VBD {word}/IN houses/NNS") for word in ("to", "From"))
    states = [feature_states(text, find_contexts(text), LEMMAS) for text in (one, two)]
    assert states[0].tolist() == states[1].tolist()


def test_features_seen_once_share_a_row() -> None:
    h = np.zeros((3, len(TEMPLATES)), np.uint32)
    h[:, 0] = 5, 5, 6
    known = Known.of_examples(h, 10)
    rows = known.rows(h)
    assert LEAST == 2
    assert rows[:, 0].tolist() == [row_of(5, 10), row_of(5, 10), 0]
    assert (rows[:, 1] == row_of(0, 10)).all()
    assert known.rows(h + np.uint32(99))[:, 3].tolist() == [3, 3, 3]  # never seen


@pytest.mark.parametrize(
    ("form", "tag", "lemma"),
    [
        ("houses", "NNS", "house"),
        ("cities", "NNS", "city"),
        ("classes", "NNS", "class"),
        ("glass", "NNS", "glass"),
        ("boxes", "NNS", "box"),
        ("watches", "VBZ", "watch"),
        ("carried", "VBD", "carry"),
        ("stopped", "VBN", "stop"),
        ("making", "VBG", "mak"),  # the exceptions of a treebank mend it
        ("relating", "VBG", "relate"),
        ("passing", "VBG", "pass"),
        ("s", "NNS", "s"),
        ("ed", "VBD", "ed"),
        ("red", "JJ", "red"),
    ],
)
def test_lemmas_by_rule(form: str, tag: str, lemma: str) -> None:
    assert lemma_by_rule(form, tag) == lemma


def test_lemmas_round_trip() -> None:
    assert LEMMAS.lemma("Went", "VBD") == "go"
    assert LEMMAS.lemma("Went", "NN") == "went"
    assert Lemmas.of_arrays(LEMMAS.arrays()) == LEMMAS
    assert Lemmas.of_arrays(Lemmas({}).arrays()) == Lemmas({})
