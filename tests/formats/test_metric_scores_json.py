"""Scores of metrics from JSON that nobody would write: one line that says where and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errorbar import Problems
from errorbar.api import ReadingOptions
from errorbar.api.meta import Outputs
from errorbar.core import InputError, MetricScores
from errorbar.demo import demo_files
from errorbar.formats import read_metric_scores
from errorbar.metrics import parse_metrics
from tests.helpers.cli import CommandLine


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a":' * 100_000, "scores.json: not JSON: it is nested too deeply"),
        ('{"a":' + "9" * 5_000 + "}", "scores.json: not JSON: it has a number with thousands of digits"),
        ('{"schema": "errorbar.score/1",\n "rows": [{]}', "scores.json:2: not JSON: "),
        (
            json.dumps({"schema": "errorbar.score/1", "rows": [{"system": "a", "metric": "m", "f": 10**400}]}),
            "row 1 must have a system, a metric and its score",
        ),
    ],
)
def test_hostile_json(text: str, said: str, tmp_path: Path) -> None:
    path = tmp_path / "scores.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError) as caught:
        read_metric_scores(path)
    assert said in str(caught.value)
    assert caught.value.code == "scores-json"


def test_the_main_measure_of_any_metric_is_its_score(tmp_path: Path) -> None:
    """An edit rate, where lower is better: turned around, so that higher is; sentences have it too."""
    rows = [
        {
            "system": system,
            "metric": "cer",
            "insertions": 1.0,
            "rate": rate,
            "main": "rate",
            "lower_is_better": ["insertions", "rate"],
            "by_sentence": [{"sentence": 1, "rate": rate, "edits": 3}],
        }
        for system, rate in (("a", 0.2), ("b", 0.5))
    ]
    path = tmp_path / "scores.json"
    path.write_text(json.dumps({"schema": "errorbar.score/1", "rows": rows}), encoding="utf-8")
    (found,) = read_metric_scores(path, betas=[1], first_sentence=0)
    assert (found.metric, found.systems) == ("cer", {"a": -0.2, "b": -0.5})
    assert found.sentences == {"0": {"a": -0.2, "b": -0.5}}


@pytest.mark.parametrize("metric", ["green", "gotoscorer", "imeasure", "behavior(average=sentence)"])
def test_what_score_prints_is_what_meta_computes(metric: str, tmp_path: Path, errorbar: CommandLine) -> None:
    """Of metrics that say themselves what the score of a sentence alone is, or that it has none."""
    with demo_files() as (gold, systems):
        done = errorbar("score", "--gold", gold, *systems, "--metric", metric, "--by", "sentence", "--format", "json")
        (tmp_path / "scores.json").write_text(done.out, encoding="utf-8")
        (found,) = read_metric_scores(tmp_path / "scores.json")
        human = MetricScores("human", dict(zip(found.systems, range(len(found.systems)), strict=True)))
        outputs = Outputs(gold, systems, parse_metrics(metric), ReadingOptions(edits=True), first_sentence=1, seed=0)
        (computed,) = outputs.compute(human.systems, Problems())
    assert computed.scores.systems == pytest.approx(found.systems)
    assert computed.scores.sentences.keys() == found.sentences.keys()
    for sentence, scores in computed.scores.sentences.items():
        assert found.sentences[sentence] == pytest.approx(scores), sentence


def test_f_of_sentences_with_another_beta(tmp_path: Path) -> None:
    """Of a metric that says P and R of a sentence itself: P 1, R .5, F1 2/3; one where nothing was scored; F alone."""
    sentences = [
        {"sentence": 1, "right_grams": 4, "precision": 1.0, "recall": 0.5, "f": 5 / 9},
        {"sentence": 2, "right_grams": 0, "precision": None, "recall": None, "f": None},
        {"sentence": 3, "f": 0.25},
    ]
    row = {"system": "a", "metric": "green", "precision": 1.0, "recall": 0.5, "f": 5 / 9, "beta": 2.0}
    document = {"schema": "errorbar.score/1", "rows": [{**row, "by_sentence": sentences}]}
    (tmp_path / "scores.json").write_text(json.dumps(document), encoding="utf-8")
    own, other = read_metric_scores(tmp_path / "scores.json", betas=[1])
    assert own.sentences == {"1": {"a": 5 / 9}, "3": {"a": 0.25}}
    assert other.metric == "green F1"
    assert other.sentences["1"]["a"] == pytest.approx(2 / 3)
    assert other.sentences.keys() == {"1"}
