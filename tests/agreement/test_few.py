"""Intervals of agreement where few items have another label than the commonest: how often they hold, and a warning."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from errorbar import Judgments, agree
from tests.agreement.few_runs import SETTINGS, coverage, row
from tests.helpers.page_rows import rows_of_page

MEASURED = (Path(__file__).parents[1] / "measured/agreement.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(("n", "warned"), [(0, False), (1, True), (24, True), (25, False)])
def test_few_items_with_another_label_are_named(n: int, warned: bool) -> None:
    """An item that one rater judged shows nothing, and of intervals that are not made nothing is said."""
    pairs: list[tuple[str | None, ...]] = [("error", "ok")] * n
    judgments = Judgments.from_matrix([*pairs, *[("ok", "ok")] * 500, *[("error", None)] * 40], labels=("ok", "error"))
    notes = {note.code: note.what for note in agree(judgments, resamples=50).notes}
    assert ("agreement-few" in notes) is warned
    if warned:
        items = "1 item has" if n == 1 else f"{n} items have"
        assert notes["agreement-few"] == f"only {items} another label than 'ok': intervals are too narrow"
    assert "agreement-few" not in {note.code for note in agree(judgments, ci=False).notes}


@pytest.mark.parametrize("labels", [("ok", "error"), ("error", "ok")])
def test_the_commonest_label_is_that_of_most_items(labels: tuple[str, str]) -> None:
    """Not of most patterns: of (ok, ok), (error, error) and (error, ok) each stands once."""
    rows = [("ok", "ok")] * 1000 + [("error", "error")] * 10 + [("error", "ok")] * 3
    notes = [note.what for note in agree(Judgments.from_matrix(rows, labels=labels), resamples=50).notes]
    assert "only 13 items have another label than 'ok': intervals are too narrow" in notes


def test_few_essays_are_named() -> None:
    """Of 12 essays of eight items each, three raters, alpha's intervals hold the truth in .91."""
    judgments = Judgments.from_matrix([("error", "ok"), ("ok", "ok"), ("error", "error")] * 50)
    for n, warned in ((1, False), (24, True), (25, False)):
        notes = [note.what for note in agree(judgments, clusters=np.arange(150) % n, resamples=50).notes]
        assert (f"the items are of only {n} essays or other clusters: intervals are too narrow" in notes) is warned


def test_usual_intervals_hold_more_often_than_percentiles() -> None:
    """30 items, two raters: .94 against .91 in so few runs; the page has more."""
    n, n_raters, rate, sure = SETTINGS[1]
    given, held, _ = coverage(n, n_raters, rate, sure, runs=150)
    assert given > 0.98
    assert held > coverage(n, n_raters, rate, sure, "percentile", runs=150)[1]
    assert "ci:bca," in agree(Judgments.from_matrix(np.array([["ok", "error"], ["ok", "ok"]]).tolist())).signature


@pytest.mark.parametrize(("n", "n_raters", "rate", "sure"), rows_of_page(SETTINGS))
def test_every_row_of_the_page(n: int, n_raters: int, rate: float, sure: float) -> None:
    assert row(n, n_raters, rate, sure) in MEASURED
