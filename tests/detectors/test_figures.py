"""The picture of a learning curve: every point with its error bar, the extrapolations, and the published point."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from errorbar import Resampling
from errorbar.detectors.figures import learning_chart
from errorbar.detectors.selection import LearningCurve, fit_learning_curve
from errorbar.reporting import draw_spec

PUBLISHED = {"published: 77.4": (3_200_000.0, 0.774)}


def curve(sizes: list[int], blocks: int = 30) -> LearningCurve:
    chance = np.random.default_rng(0)
    right = {n: chance.binomial(100, 0.1 + 0.04 * np.log2(n), (3, blocks)).astype(np.float64) for n in sizes}
    return fit_learning_curve(right, np.full(blocks, 100.0), 3_200_000, Resampling("percentile", 200))


def rows(spec: Any, at: int) -> list[dict[str, Any]]:  # noqa: ANN401 - a specification
    layer = spec["layer"][at]
    found: list[dict[str, Any]] = spec["datasets"][layer["data"]["name"]]
    return found


def test_it_keeps_to_the_schema_and_holds_no_color() -> None:
    altair = pytest.importorskip("altair", reason="needs the extra 'report'")
    pytest.importorskip("vl_convert", reason="needs the extra 'report'")
    spec = learning_chart({"held-out text": curve([1000, 4000]), "treebank": curve([1000, 4000])}, PUBLISHED)
    altair.Chart.from_dict(dict(spec))
    assert "#" not in json.dumps(spec).replace(str(spec["$schema"]), "")
    drawn = draw_spec(spec, "svg").decode()
    for text in ("held-out text", "treebank", "line", "power law", "published: 77.4", "extrapolated"):
        assert text in drawn


def test_points_fits_and_what_was_published() -> None:
    found = curve([1000, 4000])
    spec = learning_chart({"held-out text": found}, PUBLISHED)
    bars = rows(spec, 1)
    ends = {row["form"]: row for row in bars if "form" in row}
    assert {row["n"] for row in bars} == {1000, 4000, 3_200_000}
    for fit, name in zip(found.fits, ("line", "power law"), strict=True):
        assert fit.ahead.value is not None
        assert fit.ahead.interval is not None
        assert ends[name]["value"] == pytest.approx(100 * fit.ahead.value)
        assert ends[name]["low"] == pytest.approx(100 * fit.ahead.interval.low)
    assert rows(spec, -1) == [{"name": "published: 77.4", "n": 3_200_000.0, "value": pytest.approx(77.4)}]


@pytest.mark.parametrize(("sizes", "blocks"), [([1000], 30), ([1000, 4000], 1)])
def test_one_size_and_one_block(sizes: list[int], blocks: int) -> None:
    spec = learning_chart({"held-out text": curve(sizes, blocks)}, PUBLISHED)
    assert {row["n"] for row in rows(spec, 2)} == set(sizes)
    assert all(row["low"] is not None for row in rows(spec, 1))
