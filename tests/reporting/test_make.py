"""``errorbar.report`` from Python: the same report from paths and from objects, saved and looked at."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from errorbar import Hypothesis, read_corpus
from errorbar.demo import demo_files
from errorbar.reporting import MadeReport, format_markdown, report
from tests.helpers.expectations import expect_refusal
from tests.reporting.pages import text_rows

pytest.importorskip("altair", reason="needs the extra 'report'")


@pytest.fixture(scope="module")
def made() -> MadeReport:
    with demo_files() as (gold, systems):
        return report(str(gold), [str(path) for path in systems[:2]], resamples=20, browse=False)


def test_objects_give_what_paths_give(made: MadeReport) -> None:
    with demo_files() as (gold, systems):
        corpus = read_corpus(gold)
        outputs = [Hypothesis(path.stem, path.read_text(encoding="utf-8").splitlines()) for path in systems[:2]]
    other = report(corpus, outputs, "m2", resamples=20, browse=False, title=made.report.title)
    ours, theirs = (made_report.studies[0] for made_report in (made, other))
    assert ours.signatures == theirs.signatures
    first, again = (next(chart for chart in made_report.report.charts) for made_report in (made, other))
    assert text_rows(first.table) == text_rows(again.table)


def test_beta_is_an_argument_of_its_own() -> None:
    with demo_files() as (gold, (system, *_)):
        given: list[dict[str, Any]] = [{"beta": 1}, {"metric": ["m2(beta=1)"]}, {"metric": "m2(beta=1)"}]
        made = [report(gold, system, **choices, ci_method="closed", browse=False).studies[0] for choices in given]
    assert "m2(beta=1" in str(made[0].signatures)
    assert made[0].signatures == made[1].signatures == made[2].signatures


def test_it_names_itself_and_what_is_missing(made: MadeReport) -> None:
    assert repr(made).startswith("MadeReport('demo': Leaderboard, Precision and recall, Error types, ")
    assert made.missing == ()
    assert "left out on request" in format_markdown(made.report)


@pytest.mark.parametrize(("name", "start"), [("r.md", "# demo"), ("r.tex", "% Made by errorbar")])
def test_saved_as_its_ending_says(made: MadeReport, tmp_path: Path, name: str, start: str) -> None:
    size = made.save(tmp_path / name)
    assert (tmp_path / name).stat().st_size == size
    assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)


def test_in_a_notebook_the_page_stands_in_a_frame_of_its_own(made: MadeReport) -> None:
    pytest.importorskip("vl_convert", reason="needs the extra 'report'")
    shown = made._repr_html_()
    assert shown.startswith('<iframe srcdoc="&lt;!doctype html&gt;')


def test_what_does_not_fit_is_refused() -> None:
    wrong: list[tuple[dict[str, Any], str]] = [
        ({}, "report-nothing"),
        ({"systems": ["s"], "sample_key": "k", "judged": ["d"]}, "report-systems"),
        ({"sample_key": "k"}, "report-sample"),
        ({"judgments": "v.csv", "swaps": 9}, "useless-option"),
        ({"judgments": "v.csv", "beta": 2}, "useless-option"),
        ({"judgments": "v.csv", "labels": ["bad"]}, "bad-parameter"),
    ]
    for given, code in wrong:
        with expect_refusal(code) as caught:
            report(**given)
        assert "--" not in str(caught.value)  # options are arguments here
