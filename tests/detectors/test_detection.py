"""PERC, ME and the baseline: from native text to judgments of every preposition, through files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from errorbar import Corpus, Sentence
from errorbar.core import InputError, UsageError
from errorbar.detectors.detect import USUAL_PRIOR, log_odds, read_detector
from errorbar.detectors.detection import PrepositionMargins, detect_prepositions, find_margins
from errorbar.detectors.learning import PREPOSITIONS
from errorbar.detectors.model_file import Model, load_model, save_model
from errorbar.detectors.prepositions import PAPERS, TEMPLATES
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
from errorbar.detectors.text import Treebank, read_treebank
from errorbar.edits import edit_items

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
    found = detect_prepositions(classifier, learner)
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
    found = detect_prepositions(classifier, [text.split() for text in texts])
    assert tuple(found.items()) == edit_items(corpus, "words", words="prepositions").judgments.items


def test_text_with_nothing_to_find(classifier: Classifier) -> None:
    texts: list[list[list[str]]] = [[], [[]], [["word"]], [["Er", "ging", "nach", "Hause"], []]]
    for sentences in texts:
        assert len(detect_prepositions(classifier, sentences)) == 0
    one = detect_prepositions(classifier, [["of"]])
    assert (one.items(), len(one.labels(0))) == (["1:0-1"], 1)


def test_a_long_sentence(classifier: Classifier) -> None:
    long = ["town", "of"] * 2_500
    found = detect_prepositions(classifier, [long])
    assert len(found) == 2_500
    assert len(set(found.margin[10:-10].tolist())) == 1  # the same context everywhere but at the ends


def test_margins_by_hand() -> None:
    best, margin = find_margins(
        np.array([[0.0, 2.0, 1.0], [0.0, 2.0, 1.0], [3.0, 3.0, 1.0]]), np.array([0, 1, 1], np.int8)
    )
    assert best.tolist() == [1, 2, 0]
    assert margin.tolist() == [2, -1, 0]


def test_me_gives_probabilities(tagger: Tagger) -> None:
    me = train_classifier("me", find_examples(NATIVE, tagger), tagger, TEXT, bits=BITS)
    scores = me.score_states(find_examples(NATIVE, tagger).states)
    np.testing.assert_allclose(np.exp(scores).sum(axis=1), 1, rtol=1e-12)


def test_the_majority_is_a_baseline(tagger: Tagger) -> None:
    native = [*NATIVE, NATIVE[0]]
    majority = train_majority(find_examples(native, tagger), tagger, TEXT)
    found = detect_prepositions(majority, [["He", "went", "in", "the", "town"], ["of"], NATIVE[0]])
    assert found.suggestions() == ["to", "to", "by"]
    expected = [np.log(4.5 / 3.5), np.log(4.5 / 0.5), np.log(3.5 / 4.5)]
    np.testing.assert_allclose(found.margin, expected, rtol=1e-12)


def test_a_file_keeps_the_selector(classifier: Classifier, tagger: Tagger, tmp_path: Path) -> None:
    again = train_classifier(classifier.kind, find_examples(NATIVE, tagger), tagger, TEXT, bits=BITS)
    for name, one in (("one", classifier), ("two", again)):
        save_model(one.model(), tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    kept = load_selector(load_model(tmp_path / "one", classifier.kind), "one", tagger)
    assert same(detect_prepositions(kept, NATIVE), detect_prepositions(classifier, NATIVE))
    majority = train_majority(find_examples(NATIVE, tagger), tagger, TEXT)
    save_model(majority.model(), tmp_path / "majority")
    kept = load_selector(load_model(tmp_path / "majority", "majority"), "majority", tagger)
    assert same(detect_prepositions(kept, NATIVE), detect_prepositions(majority, NATIVE))


def same(one: PrepositionMargins, other: PrepositionMargins) -> bool:
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


EXTRANEOUS = {
    "We know some of people .": ["DT", "IN", "NNS"],
    "We know most of young people .": ["JJS", "IN", "JJ", "NNS"],
    "We know some of the people .": ["DT", "IN", "DT", "NNS"],
    "We know some of them .": ["DT", "IN", "PRP"],
    "We know a lot of people .": ["DT", "NN", "IN", "NNS"],
    "We live with with people .": ["IN", "IN", "NNS"],
    "We live with of people .": ["IN", "IN", "NNS"],
}


@pytest.fixture(scope="module")
def paper() -> Classifier:
    """ME of the paper's features, and a tagger that has seen the sentences that it will judge."""
    forms = [*NATIVE, *(text.split() for text in EXTRANEOUS)]
    tags = [["PRP", "VBD", "IN", "DT", "NN"]] * len(NATIVE)
    tags += [["PRP", "VBP", *middle, "."] for middle in EXTRANEOUS.values()]
    tagger = train_tagger(Treebank(forms * 3, forms * 3, tags * 3, "00"), bits=16)
    return train_classifier("me-paper", find_examples(NATIVE, tagger), tagger, TEXT, bits=BITS)


def test_the_papers_features_are_the_first_25_alone(paper: Classifier) -> None:
    examples = find_examples(NATIVE, paper.tagger)
    assert examples.states.shape[1] == len(TEMPLATES) > PAPERS
    other = examples.states.copy()
    other[:, PAPERS:] += 1
    assert (paper.score_states(other) == paper.score_states(examples.states)).all()
    other[:, PAPERS - 1] += 1
    assert (paper.score_states(other) != paper.score_states(examples.states)).any()
    assert paper.made["features"] == "prepositions-1-paper"


def test_extraneous_use_is_what_two_rules_say(paper: Classifier) -> None:
    """Repeated prepositions, and a quantifier with "of" and a bare plural; others are a matter of margins."""
    text = [sentence.split() for sentence in EXTRANEOUS]
    found = detect_prepositions(paper, text)
    extraneous = {(s, t) for s, t, m in zip(found.sentence, found.token, found.margin, strict=True) if m == np.inf}
    assert {(int(s), int(t)) for s, t in extraneous} == {(0, 3), (1, 3), (5, 3)}
    suggestions = dict(zip(zip(found.sentence, found.token, strict=True), found.suggestions(), strict=True))
    assert all((suggestion == "") == (at in extraneous) for at, suggestion in suggestions.items())
    assert found.flags(1e9).sum() == 3
    others = train_classifier("me", find_examples(NATIVE, paper.tagger), paper.tagger, TEXT, bits=BITS)
    assert np.isfinite(detect_prepositions(others, text).margin).all()


def test_the_model_of_the_papers_features_is_read_again(paper: Classifier, tmp_path: Path) -> None:
    save_model(paper.model(), tmp_path / "me-paper.model")
    again = load_selector(load_model(tmp_path / "me-paper.model", "me-paper"), "it", paper.tagger)
    assert detect_prepositions(again, NATIVE).margin.tolist() == detect_prepositions(paper, NATIVE).margin.tolist()
    with pytest.raises(InputError) as refused:
        load_selector(replace(paper.model(), kind="me"), "it", paper.tagger)
    assert refused.value.code == "model-features"


def test_how_the_papers_detector_is_called() -> None:
    assert read_detector("me(features=paper)") == ("me-paper", 4.0, None, "me(features=paper,threshold=4)")
    assert read_detector("me(threshold=3)") == ("me", 3.0, None, "me(threshold=3)")
    with pytest.raises(UsageError, match="all or paper"):
        read_detector("me(features=mine)")
    with pytest.raises(UsageError, match="no detector is called 'me-paper'"):
        read_detector("me-paper")
    with pytest.raises(UsageError):
        read_detector("perc(features=paper)")


def test_a_detector_with_a_prior() -> None:
    said = ("combined", -1.0, 0.01, "combined(threshold=-1,prior=0.01)")
    assert read_detector("combined(prior=0.01)") == read_detector("combined", 0.01) == said
    with pytest.raises(UsageError, match="give one of them") as refused:
        read_detector("combined(prior=0.01)", 0.02)
    assert refused.value.code == "two-choices"
    with pytest.raises(UsageError, match="votes") as refused:
        read_detector("perc", 0.01)
    assert refused.value.code == "useless-option"
    for prior in (0, 1, -0.1, float("nan")):
        with pytest.raises(UsageError, match="a share between 0 and 1"):
            read_detector("me", prior)


def test_a_prior_makes_log_odds_those_of_text_with_so_many_errors() -> None:
    """Bayes' rule: the odds of an error by what is seen, at one share of errors, are those at another by a factor."""
    chance = np.random.default_rng(26)
    for share in (0.01, 0.3):
        wrong = chance.random(500_000) < share
        seen = chance.normal(np.where(wrong, 1.0, -1.0))  # ln p(seen | wrong) - ln p(seen | right) is 2 * seen
        at_usual = 2 * seen + log_odds(USUAL_PRIOR)
        probability = 1 / (1 + np.exp(-(at_usual + log_odds(share) - log_odds(USUAL_PRIOR))))
        assert probability.mean() == pytest.approx(wrong.mean(), rel=0.05)
        sure = probability > 0.5
        assert probability[sure].mean() == pytest.approx(wrong[sure].mean(), abs=0.03)
