"""The JSON of comparisons is what the schema says, whatever the metric and the options."""

from __future__ import annotations

import pytest

from errorbar.demo import demo_files
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine


@pytest.mark.parametrize(
    "options",
    [
        ("--metric", "gleu", "--resamples", "50"),
        ("--metric", "behavior", "--resamples", "50", "--judges", "fixed"),
        ("--metric", "tokens", "--no-ci"),
        ("--judges", "random(k=2)", "--no-ci", "--confidence", ".9"),
    ],
)
def test_of_any_metric(errorbar: CommandLine, options: tuple[str, ...]) -> None:
    with demo_files() as (gold, systems):
        paths = [str(path) for path in systems[:3]]
        done = errorbar("compare", "--gold", str(gold), *paths, *options, "--swaps", "100", "--format", "json")
    document = validated("compare", done.out)
    assert len(document["pairs"]) == 3
    measures = [set(row) - {"system"} for row in document["systems"]]
    assert all(own == measures[0] and own for own in measures)
