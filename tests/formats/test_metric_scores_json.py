"""Scores of metrics from JSON that nobody would write: one line that says where and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errorbar.core import InputError
from errorbar.formats import read_metric_scores


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
