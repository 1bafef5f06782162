"""The combiner: a regression worked by hand, what it learns from labels, and files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from errorbar.core.problems import InputError, UsageError
from errorbar.detectors.combined import (
    PrepositionEvidence,
    find_evidence,
    fit_combiner,
    load_combiner,
)
from errorbar.detectors.detection import detect
from errorbar.detectors.linear import fit_logistic
from errorbar.detectors.model_file import load_model, save_model
from errorbar.detectors.selectors import Examples, Selector, find_examples, train_classifier, train_majority
from errorbar.detectors.tagger import train_tagger
from errorbar.detectors.text import Treebank


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
    me = detect(selectors["me"], text)
    assert found.scores["me margin"][0] == me.margin[0] > 0
    assert found.scores["me excess"][0] == me.margin[0]
    assert found.marks[0] == ["written by", "suggested to"]
    assert found.marks[1][-1] == "infinitive"
    assert len(find_evidence(selectors, [["no"]]).token) == 0
    assert len(find_evidence(selectors, []).token) == 0
