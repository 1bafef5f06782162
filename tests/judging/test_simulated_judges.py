"""Simulated judges do what they say, in every scheme and through the whole protocol."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from errorbar.core import UsageError
from errorbar.judging import JudgedItem, load_scheme
from errorbar.judging.answers import label_of
from tests.judging.simulated_judges import SimulatedJudge, truth_of

N = 2000
TRUTHS = {"error-ok": "error", "preposition": "incorrect", "choice": "second", "cloze": "near"}


def item(scheme: str) -> JudgedItem:
    candidates = ("on", "in") if scheme == "choice" else ()
    return JudgedItem("i", "He sat on it .", (7, 9), candidates=candidates, hidden={"truth": TRUTHS[scheme]})


@pytest.mark.parametrize("name", TRUTHS)
def test_they_are_right_as_often_as_they_say(name: str) -> None:
    scheme, generator = load_scheme(name), np.random.default_rng(1)
    judge = SimulatedJudge("test", 0.2, {TRUTHS[name]: 0.8})
    labels = []
    for n in range(N):
        answer = judge.answer(scheme, item(name), bool(n % 2), generator)
        labels.append(label_of(scheme, bool(n % 2), answer))
    assert labels.count(TRUTHS[name]) / N == pytest.approx(0.8, abs=4 * (0.16 / N) ** 0.5)


def test_who_leans_says_top() -> None:
    scheme, generator = load_scheme("choice"), np.random.default_rng(2)
    judge = SimulatedJudge("test", 0.5, lean=0.6)
    tops = [judge.answer(scheme, item("choice"), bool(n % 2), generator)["better"] for n in range(N)].count("top")
    # 60 % without looking; of the others half are right, and the right side is on top half of the time.
    assert tops / N > 0.6 + 0.4 * 0.25 - 0.04


def test_time_and_unsure() -> None:
    generator = np.random.default_rng(3)
    judge = SimulatedJudge("test", unsure=0.3, seconds=2.5)
    assert np.median([judge.milliseconds(generator) for _ in range(N)]) == pytest.approx(2500, rel=0.06)
    scheme = load_scheme("error-ok")
    said = [judge.answer(scheme, item("error-ok"), False, generator)["judgment"] for _ in range(N)]
    assert said.count("unknown") / N == pytest.approx(0.3, abs=0.04)


def test_what_is_true_of_an_item() -> None:
    scheme = load_scheme("error-ok")
    assert truth_of(scheme, JudgedItem("g", "x", kind="gold", answers=("ok",), hidden={"truth": "error"})) == "ok"
    assert truth_of(load_scheme("cloze"), JudgedItem("i", "He sat On it", (7, 9))) == "on"
    drawn = [truth_of(scheme, JudgedItem(f"i{n}", "x")) for n in range(400)]
    assert set(drawn) == {"ok", "error"}
    assert drawn == [truth_of(scheme, JudgedItem(f"i{n}", "x")) for n in range(400)]


@pytest.mark.parametrize("wrong", [{"accuracy": 1.2}, {"seconds": 0}])
def test_those_that_cannot_be(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError):
        SimulatedJudge("x", **wrong)
