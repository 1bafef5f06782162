"""PERC, ME and the baseline: from native text to judgments of every preposition, through files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from errorbar.core.corpus import Corpus, Sentence
from errorbar.core.errors import InputError, UsageError
from errorbar.detectors.detection import Detected, detect, margins
from errorbar.detectors.lexicon import PREPOSITIONS
from errorbar.detectors.model_file import Model, load_model, save_model
from errorbar.detectors.selectors import (
    KINDS,
    Classifier,
    Kind,
    find_examples,
    load_selector,
    train_classifier,
    train_majority,
)
from errorbar.detectors.tagger import Tagger, train_tagger
from errorbar.detectors.treebank import Treebank, read_treebank
from errorbar.edits.items import edit_items

PLACES = {"town": "to", "house": "in", "sea": "by"}
NATIVE = [["He", "went", preposition, "the", noun] for noun, preposition in PLACES.items() for _ in "abc"]
TEXT = {"sha256": "00", "license": "CC0"}
BITS = 12


@pytest.fixture(scope="module")
def tagger() -> Tagger:
    forms = [*NATIVE, ["He", "wants", "to", "go"]]
    tags = [*(["PRP", "VBD", "IN", "DT", "NN"] for _ in NATIVE), ["PRP", "VBZ", "TO", "VB"]]
    return train_tagger(Treebank(forms, forms, tags, "00"), bits=BITS)


@pytest.fixture(scope="module", params=KINDS)
def classifier(request: pytest.FixtureRequest, tagger: Tagger) -> Classifier:
    kind: Kind = request.param
    return train_classifier(kind, find_examples(NATIVE, tagger), tagger, TEXT, bits=BITS)


def test_examples_of_native_text(tagger: Tagger) -> None:
    found = find_examples([["no"], *NATIVE[:4], ["He", "wants", "to", "go"]], tagger)
    assert found.sentence.tolist() == [1, 2, 3, 4]
    assert [PREPOSITIONS[number] for number in found.right] == ["to", "to", "to", "in"]
    with pytest.raises(UsageError, match="no preposition") as error:
        find_examples([["no"], []], tagger)
    assert error.value.code == "text-no-preposition"


def test_what_was_learned_is_suggested(classifier: Classifier) -> None:
    learner = [["He", "went", "in", "the", "town"], ["He", "wants", "to", "go"], ["He", "went", "BY", "the", "sea"]]
    found = detect(classifier, learner)
    assert found.items() == ["1:2-3", "2:2-3", "3:2-3"]
    assert found.suggestions()[0] == "to"
    assert found.margin[0] > 0 > found.margin[2]
    assert found.margin[1] == -np.inf  # the mark of an infinitive
    assert found.labels(0) == ["error", "ok", "ok"]
    assert found.labels(float(found.margin[0])) == ["error", "ok", "ok"]
    assert found.flags(float(found.margin[0]) + 1e-9).sum() == 0


def test_items_are_named_as_those_of_edits(classifier: Classifier) -> None:
    texts = ["He went by the town", "no word", "In the sea to go of"]
    corpus = Corpus([Sentence(text, {"a": ()}) for text in texts], ("a",))
    found = detect(classifier, [text.split() for text in texts])
    assert tuple(found.items()) == edit_items(corpus, "words", words="prepositions").judgments.items


def test_text_with_nothing_to_find(classifier: Classifier) -> None:
    texts: list[list[list[str]]] = [[], [[]], [["word"]], [["Er", "ging", "nach", "Hause"], []]]
    for sentences in texts:
        assert len(detect(classifier, sentences)) == 0
    one = detect(classifier, [["of"]])
    assert (one.items(), len(one.labels(0))) == (["1:0-1"], 1)


def test_a_long_sentence(classifier: Classifier) -> None:
    long = ["town", "of"] * 2_500
    found = detect(classifier, [long])
    assert len(found) == 2_500
    assert len(set(found.margin[10:-10].tolist())) == 1  # the same context everywhere but at the ends


def test_margins_by_hand() -> None:
    best, margin = margins(np.array([[0.0, 2.0, 1.0], [0.0, 2.0, 1.0], [3.0, 3.0, 1.0]]), np.array([0, 1, 1], np.int8))
    assert best.tolist() == [1, 2, 0]
    assert margin.tolist() == [2, -1, 0]


def test_me_gives_probabilities(tagger: Tagger) -> None:
    me = train_classifier("me", find_examples(NATIVE, tagger), tagger, TEXT, bits=BITS)
    scores = me.score_states(find_examples(NATIVE, tagger).states)
    np.testing.assert_allclose(np.exp(scores).sum(axis=1), 1, rtol=1e-12)


def test_the_majority_is_a_baseline(tagger: Tagger) -> None:
    native = [*NATIVE, NATIVE[0]]
    majority = train_majority(find_examples(native, tagger), tagger, TEXT)
    found = detect(majority, [["He", "went", "in", "the", "town"], ["of"], NATIVE[0]])
    assert found.suggestions() == ["to", "to", "by"]
    expected = [np.log(4.5 / 3.5), np.log(4.5 / 0.5), np.log(3.5 / 4.5)]
    np.testing.assert_allclose(found.margin, expected, rtol=1e-12)


def test_a_file_keeps_the_selector(classifier: Classifier, tagger: Tagger, tmp_path: Path) -> None:
    again = train_classifier(classifier.kind, find_examples(NATIVE, tagger), tagger, TEXT, bits=BITS)
    for name, one in (("one", classifier), ("two", again)):
        save_model(one.model(), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    kept = load_selector(load_model(tmp_path / "one", classifier.kind), "one", tagger)
    assert same(detect(kept, NATIVE), detect(classifier, NATIVE))
    majority = train_majority(find_examples(NATIVE, tagger), tagger, TEXT)
    save_model(majority.model(), tmp_path / "majority")
    kept = load_selector(load_model(tmp_path / "majority", "majority"), "majority", tagger)
    assert same(detect(kept, NATIVE), detect(majority, NATIVE))


def same(one: Detected, other: Detected) -> bool:
    return one.items() == other.items() and one.margin.tobytes() == other.margin.tobytes()


def test_what_does_not_fit_is_refused(classifier: Classifier, tagger: Tagger) -> None:
    model = classifier.model()
    other = train_tagger(Treebank([["He"]], [["he"]], [["PRP"]], "00"), bits=BITS)
    majority = train_majority(find_examples(NATIVE, tagger), tagger, TEXT).model()
    for changed, who, code in (
        (model, other, "model-tagger"),
        (replace(model, made={**model.made, "prepositions": ["in"]}), tagger, "model-prepositions"),
        (replace(model, made={**model.made, "features": "prepositions-0"}), tagger, "model-features"),
        (replace(model, made={**model.made, "hash": "md5"}), tagger, "model-features"),
        (replace(model, made={**model.made, "bits": BITS - 1}), tagger, "model-features"),
        (replace(model, arrays={**model.arrays, "known": np.zeros(3, np.uint8)}), tagger, "model-features"),
        (replace(majority, arrays={"counts": np.zeros(3, np.int64)}), tagger, "model-features"),
        (majority, other, "model-tagger"),
    ):
        assert refused(changed, who) == code


def refused(model: Model, tagger: Tagger) -> str:
    with pytest.raises(InputError) as error:
        load_selector(model, "here", tagger)
    assert "here" in str(error.value)
    return error.value.code


@pytest.mark.slow
def test_on_the_english_web_treebank(data: Path) -> None:
    """Trained on 18,000 prepositions only: what a learning curve starts from."""
    banks = [read_treebank(data / f"ud_english_ewt/en_ewt-ud-{part}.conllu") for part in ("train.rebuilt", "test")]
    tagger = train_tagger(banks[0])
    native, new = (find_examples(bank.forms, tagger) for bank in banks)
    for kind in KINDS:
        found = train_classifier(kind, native, tagger, TEXT).score_states(new.states).argmax(axis=1)
        assert 0.40 < (found == new.right).mean() < 0.60
    assert 0.15 < (new.right == np.bincount(native.right).argmax()).mean() < 0.20
