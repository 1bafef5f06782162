"""The combiner: a regression worked by hand, what it learns from labels, and files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from errorbar import Problems
from errorbar.core import InputError, UsageError
from errorbar.detectors.combined import (
    PrepositionEvidence,
    errors_of,
    find_evidence,
    fit_combiner,
    load_combiner,
)
from errorbar.detectors.detection import detect_prepositions
from errorbar.detectors.learning import fit_logistic, log_probabilities
from errorbar.detectors.model_file import load_model, save_model
from errorbar.detectors.selectors import (
    Examples,
    Selector,
    find_examples,
    fit_log_linear,
    log_linear,
    train_classifier,
    train_majority,
)
from errorbar.detectors.tagger import train_tagger
from errorbar.detectors.text import Treebank, read_learner_text


def evidence(n: int, seed: int = 0) -> tuple[PrepositionEvidence, np.ndarray]:
    """Prepositions of which one is an error where its score is high, or it is ``of`` and its score not low."""
    chance = np.random.default_rng(seed)
    score = chance.normal(size=n)
    of = chance.random(n) < 0.5
    errors = score + of > 0.5 + chance.normal(size=n) / 2
    marks = [["written of" if each else "written in", "rare"][: 1 + (at == 0)] for at, each in enumerate(of)]
    none = np.zeros(n, np.int8)
    return PrepositionEvidence(np.arange(n), np.zeros(n, np.int64), {"me margin": score}, marks, none, none), errors


def test_logistic_by_hand() -> None:
    # Three of four with the column are errors, one of four without: odds 3 and 1/3 where the ridge vanishes.
    columns = np.array([[1.0]] * 4 + [[0.0]] * 4)
    labels = np.array([1, 1, 1, 0, 1, 0, 0, 0], np.bool_)
    fitted = fit_logistic(columns, labels, 1e-9)
    assert fitted.constant == pytest.approx(-np.log(3), abs=1e-5)
    assert fitted.weights[0] == pytest.approx(2 * np.log(3), abs=1e-5)
    # With a ridge the slope of the loss is ridge * w: sum of (p - y) x = -ridge * w, sum of (p - y) = 0.
    fitted = fit_logistic(columns, labels, 0.7)
    wrong = 1 / (1 + np.exp(-fitted.log_odds(columns))) - labels
    assert wrong.sum() == pytest.approx(0, abs=1e-5)
    assert wrong[:4].sum() == pytest.approx(-0.7 * fitted.weights[0], abs=1e-5)


def test_a_combiner_learns_scores_and_words() -> None:
    known, errors = evidence(600)
    combiner = fit_combiner(known, errors, 1.0, {})
    assert combiner.names == ("me margin", "written in", "written of")  # "rare" is
    new, truth = evidence(600, seed=1)
    odds = combiner.log_odds(new)
    assert ((odds > 0) == truth).mean() > 0.8
    assert combiner.detect(new).margin.tobytes() == odds.tobytes()
    assert odds[[mark[0] == "written of" for mark in new.marks]].mean() > odds.mean()


def test_labels_of_one_kind_are_refused() -> None:
    known, errors = evidence(20)
    for labels in (np.zeros_like(errors), np.ones_like(errors)):
        with pytest.raises(UsageError) as error:
            fit_combiner(known, labels, 1.0, {})
        assert error.value.code == "labels-one"


def test_a_file_keeps_the_combiner(tmp_path: Path) -> None:
    known, errors = evidence(100)
    combiner = fit_combiner(known, errors, 1.0, {"license": "CC0"})
    save_model(combiner.model(), tmp_path / "model")
    model = load_model(tmp_path / "model", "combiner")
    kept = load_combiner(model, "model")
    assert kept.log_odds(known).tobytes() == combiner.log_odds(known).tobytes()
    for changed in (
        replace(model, made={}),
        replace(model, made={**model.made, "scores": 7}),
        replace(model, arrays={**model.arrays, "weights": np.zeros(1)}),
        replace(model, arrays={}),
    ):
        with pytest.raises(InputError) as error:
            load_combiner(changed, "here")
        assert error.value.code == "model-features"


def test_evidence_of_selectors() -> None:
    native = [["He", "went", "to", "town"], ["He", "went", "by", "sea"]]
    forms, tags = (
        [*native, ["He", "wants", "to", "go"]],
        [["PRP", "VBD", "IN", "NN"]] * 2 + [["PRP", "VBZ", "TO", "VB"]],
    )
    tagger = train_tagger(Treebank(forms, forms, tags, "00"), bits=10)
    examples: Examples = find_examples(native * 3, tagger)
    selectors: dict[str, Selector] = {
        "me": train_classifier("me", examples, tagger, {}, bits=10),
        "majority": train_majority(examples, tagger, {}),
    }
    text = [["no"], ["He", "went", "by", "town"], ["He", "wants", "to", "go"]]
    found = find_evidence(selectors, text)
    assert found.items() == ["2:2-3", "3:2-3"]
    assert (found.sentence.tolist(), found.token.tolist()) == ([1, 2], [2, 2])
    assert [*found.scores] == [f"{name} {what}" for name in selectors for what in ("margin", "excess", "written")]
    me = detect_prepositions(selectors["me"], text)
    assert found.scores["me margin"][0] == me.margin[0] > 0
    assert found.scores["me excess"][0] == me.margin[0]
    assert found.marks[0] == ["written by", "suggested to"]
    assert found.marks[1][-1] == "infinitive"
    assert len(find_evidence(selectors, [["no"]]).token) == 0
    assert len(find_evidence(selectors, []).token) == 0


# A log-linear combination: the weights that made the data are found again, and nothing else matters to them.


def drawn(weights: list[float], n: int = 20_000, seed: int = 0) -> tuple[list[np.ndarray], np.ndarray]:
    """Scores of selectors, and classes drawn with the probabilities of their combination."""
    chance = np.random.default_rng(seed)
    scores = [chance.normal(size=(n, 5)) * scale for scale in (1.0, 30.0, 0.1)[: len(weights)]]
    p = np.exp(log_probabilities(log_linear(scores, np.array(weights))))
    right = (p.cumsum(axis=1) < chance.random((n, 1))).sum(axis=1)
    return scores, right.astype(np.int8)


def test_the_weights_of_the_data_are_found() -> None:
    scores, right = drawn([0.5, 0.04, 7.0])
    found = fit_log_linear(scores, right)
    # Standard errors by the inverse information, about 1 % of each.
    assert found == pytest.approx([0.5, 0.04, 7.0], rel=0.05)


def test_no_other_weights_make_the_data_more_probable() -> None:
    scores, right = drawn([0.5, 0.04], n=500)
    found = fit_log_linear(scores, right)

    def loss(weights: np.ndarray) -> float:
        return -float(log_probabilities(log_linear(scores, weights))[np.arange(500), right].mean())

    least = loss(found)
    for change in ([0.02, 0], [-0.02, 0], [0, 0.002], [0, -0.002]):
        assert loss(found + np.array(change)) > least


def test_units_of_scores_change_nothing() -> None:
    scores, right = drawn([0.5, 0.04], n=500)
    one = log_linear(scores, fit_log_linear(scores, right))
    scaled = [scores[0] * 1000, scores[1] + 5.0]  # what is added to all classes of a context is in no difference
    other = log_linear(scaled, fit_log_linear(scaled, right))
    assert (one.argmax(axis=1) == other.argmax(axis=1)).mean() > 0.99


def test_a_selector_that_says_nothing_has_no_weight() -> None:
    scores, right = drawn([0.5, 0.04], n=200)
    found = fit_log_linear([scores[0], np.ones_like(scores[0])], right)
    assert found[0] > 0
    assert found[1] == 0
    assert fit_log_linear([np.zeros((3, 5))], np.zeros(3, np.int8)).tolist() == [0]


# Which prepositions are errors to the labels that a combiner learns from.


SEVERAL = """S She depends of him at home .
A 2 3|||R:PREP|||on|||REQUIRED|||-NONE-|||0
A 4 6|||R:NOUN|||in the house|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S They go to sea by ship .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A 1 5|||Prep|||sail by|||REQUIRED|||-NONE-|||1
"""


def test_errors_are_what_anybody_calls_a_wrong_preposition(tmp_path: Path) -> None:
    file = tmp_path / "learners.m2"
    file.write_text(SEVERAL, encoding="utf-8")
    text = read_learner_text([file, file], Problems())
    assert [len(tokens) for tokens in text.tokens] == [7, 7] * 2
    places = [(0, 2), (0, 4), (1, 2), (1, 4), (2, 2), (2, 4), (3, 2), (3, 4)]
    none = np.zeros(8, np.int8)
    sentence, token = np.array(places).T
    found = PrepositionEvidence(sentence, token, {}, [[]] * 8, none, none)
    # of (ERRANT's type), at (another type), to and by (in the span of an edit of the second annotator)
    assert errors_of(text, found).tolist() == [True, False, True, True] * 2


def test_what_labels_say_of_themselves(tmp_path: Path) -> None:
    file, other = tmp_path / "one.m2", tmp_path / "two.m2"
    file.write_text(SEVERAL, encoding="utf-8")
    other.write_text(SEVERAL.replace("R:PREP", "R:OTHER"), encoding="utf-8")
    one, two = (read_learner_text([path], Problems()).described for path in (file, other))
    assert {**one, "labels": ""} == {"labels": "", "sentences": 2, "tokens": 14, "edits": 3}
    assert one["labels"] != two["labels"]  # types count


@pytest.mark.parametrize(
    "page", ["docs/detectors.md", "docs/detectors/combined.md", "packages/errorbar-models/README.md"]
)
def test_pages_say_whose_errors_a_precision_counts(page: str) -> None:
    """Any of ten annotators; beside it what remains of it where five of the ten have to agree, .596 on all words."""
    text = (Path(__file__).parents[2] / page).read_text(encoding="utf-8")
    assert "any of ten" in text or "any of the ten" in text
    assert "five of the ten" in text
    assert ".596" in text
