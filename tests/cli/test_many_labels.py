"""Small tables with many labels: memory that grows with judgments, or a refusal that names the limit."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from errorbar.agreement.report import agreement_report
from errorbar.core.judgments import Judgments
from errorbar.stats.resampling import Resampling
from tests.cli.schema import validated
from tests.cli.test_agree_tables import refused, table
from tests.helpers.cli import CommandLine


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


class TestManyLabels:
    @pytest.mark.parametrize("clustered", [False, True])
    def test_memory_grows_with_judgments(self, clustered: bool) -> None:
        """750 labels took 3.3 GB in a table of labels cubed; all that is allocated is now below 100 MB."""
        generator = np.random.default_rng(2)
        said = generator.integers(0, 750, 1500).tolist()
        judgments = Judgments.from_columns([n // 2 for n in range(1500)], ["a", "b"] * 750, said)
        clusters = np.arange(750) // 3 if clustered else None
        tracemalloc.start()
        report = agreement_report(judgments, clusters=clusters, resampling=Resampling("percentile", 20))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 100_000_000
        assert report.coefficients["cohen"].value is not None
        assert (report.confusion, report.specific) == (None, {})

    @pytest.mark.slow
    def test_one_item_with_every_label(self, errorbar: CommandLine) -> None:
        rows = [("x", f"r{n}", str(n)) for n in range(3000)]
        tracemalloc.start()
        for scale in ("nominal", "ordinal", "interval"):
            done = errorbar("agree", table("v.csv", rows), "--scale", scale, "--resamples", "5", "--format", "json")
            # One item: what is expected by chance is what is observed, but for drawing without replacement.
            assert validated("agree", done.out)["coefficients"]["krippendorff"]["value"] == pytest.approx(0, abs=1e-6)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 100_000_000
        assert "too many for a matrix" in errorbar("agree", "v.csv", "--scale", "ratio").err

    @pytest.mark.slow
    def test_views_that_are_too_large_are_refused(self, errorbar: CommandLine) -> None:
        rows = [(str(n // 2), "ab"[n % 2], f"L{n}") for n in range(3200)]
        path = table("v.csv", rows)
        crossed = refused(errorbar("agree", path, "--confusion"))
        assert "too many for specific agreement and a confusion matrix" in crossed
        assert "too many for a pairwise matrix" in refused(errorbar("agree", path, "--pairs"))

    @pytest.mark.parametrize("command", [("raters",), ("aggregate", "--method", "dawid-skene")])
    def test_rates_of_too_many_labels_are_refused(self, errorbar: CommandLine, command: tuple[str, ...]) -> None:
        rows = [(str(n // 2), "ab"[n % 2], f"L{n // 2}") for n in range(600)]
        line = refused(errorbar("crowd", *command, table("v.csv", rows)))
        assert "300 different labels are too many" in line

    def test_an_empty_table_of_items_and_labels_is_refused(self, errorbar: CommandLine) -> None:
        rows = [(str(n), "a", f"L{n}") for n in range(4000)]
        path = table("v.csv", rows)
        assert "has more than 5,000,000 cells" in refused(errorbar("crowd", "aggregate", path))
