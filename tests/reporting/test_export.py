"""Charts as files."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from errorbar.core.problems import InputError
from errorbar.reporting import export
from errorbar.reporting.blocks import Report
from errorbar.reporting.charts.vega import fixed_width
from errorbar.reporting.export import save_charts
from errorbar.reporting.sections.assemble import build_report
from tests.reporting.pages import charts
from tests.reporting.studies import score, study

pytest.importorskip("vl_convert", reason="needs the extra 'report'")
pytest.importorskip("altair", reason="needs the extra 'report'")


@pytest.fixture
def small() -> Report:
    """One chart in the leaderboard, one in the plane."""
    return build_report([study([score("mine", 0.3)])], title="t", command="")


def test_every_chart_in_every_format(small: Report, tmp_path: Path) -> None:
    files = save_charts(small, tmp_path / "new/folder")
    kinds = {file.suffix: file.read_bytes()[:8] for file in files if file.stem == "leaderboard-chart"}
    assert kinds[".png"] == b"\x89PNG\r\n\x1a\n"
    assert kinds[".pdf"].startswith(b"%PDF-")
    assert kinds[".svg"].startswith(b"<svg")
    assert {file.stem for file in files} == set(charts(small))
    assert sorted(file.name for file in (tmp_path / "new/folder").iterdir()) == sorted(file.name for file in files)


def test_an_exported_chart_is_on_white_in_the_light_colors(small: Report, tmp_path: Path) -> None:
    save_charts(small, tmp_path, ("svg",))
    svg = (tmp_path / "leaderboard-chart.svg").read_text(encoding="utf-8")
    assert "mine" in svg
    assert 'fill="white"' in svg
    assert "#0b62a4" in svg


def test_a_folder_that_is_a_file(small: Report, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError) as caught:
        save_charts(small, tmp_path / "file")
    assert caught.value.code == "cannot-write"


def test_failing_half_way_leaves_no_file(small: Report, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(KeyboardInterrupt):
        save_charts(small, tmp_path, ("svg",))
    assert list(tmp_path.iterdir()) == []


def test_a_width_of_its_own_is_kept() -> None:
    assert fixed_width({"width": {"step": 5}}, 600) == {"width": {"step": 5}}
    made = fixed_width({"width": "container"}, 600)
    assert made == {"width": 600, "params": [{"name": "place", "value": 600}]}
    # Figures in narrower cells could not be read.
    assert fixed_width({"width": "container", "usermeta": {"least": 700}}, 600)["width"] == 700
    assert export.PIXELS["half"] < export.PIXELS["full"]
