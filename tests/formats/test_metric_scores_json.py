"""Scores of metrics from JSON that nobody would write: one line that says where and why."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errorbar.core.errors import InputError
from errorbar.formats.metric_scores import read_metric_scores


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('{"a":' * 100_000, "scores.json: not JSON: it is nested too deeply"),
        ('{"a":' + "9" * 5_000 + "}", "scores.json: not JSON: it has a number with thousands of digits"),
        ('{"schema": "errorbar.score/1",\n "rows": [{]}', "scores.json:2: not JSON: "),
        (
            json.dumps({"schema": "errorbar.score/1", "rows": [{"system": "a", "metric": "m", "f": 10**400}]}),
            "row 1 has no system, metric and F",
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
