"""What agreement says of single cases and of files that are no JSON, and an interval by Student's t."""

from __future__ import annotations

from pathlib import Path

import pytest
from scipy import stats

from errorbar.agreement.cohen import cohen_kappa
from errorbar.agreement.krippendorff import krippendorff_alpha
from errorbar.agreement.report import agreement_report, without_unknown
from errorbar.core.judgments import Judgments
from errorbar.core.problems import UsageError
from tests.agreement.examples import PREPOSITION_RATERS
from tests.helpers.cli import CommandLine


def test_interval_by_students_t() -> None:
    """irrCAC takes t with n - 1 degrees of freedom: .546197 to .713236, wider than ours by .00008."""
    kappa = cohen_kappa(PREPOSITION_RATERS)
    assert kappa.estimate.value is not None
    assert kappa.standard_error is not None
    half = stats.t.ppf(0.975, PREPOSITION_RATERS.n_items - 1) * kappa.standard_error
    value = kappa.estimate.value
    assert (value - half, value + half) == pytest.approx((0.546197, 0.713236), abs=1.5e-6)
    assert kappa.estimate.interval is not None
    assert kappa.estimate.interval.high < value + half < kappa.estimate.interval.high + 1e-4


def test_one_is_said_as_one() -> None:
    rows = [["E", "E", None], ["O", "E", None], ["O", None, None], ["O", "unsure", None]]
    kept, (note,) = without_unknown(Judgments.from_matrix(rows), ["unsure"])
    assert note.what == "1 judgment has a label that means unknown; it counts as not given"
    notes = [note.what for note in agreement_report(kept).notes]
    assert "2 items have one judgment, which says nothing about agreement" in notes
    del rows[3]
    notes = [note.what for note in agreement_report(Judgments.from_matrix(rows)).notes]
    assert "1 item has one judgment, which says nothing about agreement" in notes
    for others, said in (("c", "1 rater judged nothing and is"), ("cd", "2 raters judged nothing and are")):
        table = Judgments.from_columns("1122" + "3" * len(others), "abab" + others, "x" * (4 + len(others)))
        (note,) = agreement_report(table.take(table.item < 2)).notes
        assert note.what == f"{said} left out"
    alone, nobody = Judgments.from_matrix([["E", "unsure"], ["O", None]]), Judgments.from_matrix([["unsure", "unsure"]])
    for table, who in ((alone, "only rater '1'"), (nobody, "nobody")):
        with pytest.raises(UsageError, match=f"{who} judged anything"):
            agreement_report(table.without(["unsure"]))
    with pytest.raises(UsageError, match="1 judgment repeats an item"):
        krippendorff_alpha(Judgments.from_columns("xxxy", "aabb", "EOEE"))


@pytest.mark.parametrize("text", ['{"a":' * 100_000, '{"a":' + "9" * 5_000 + "}", '{"rater": '])
def test_a_first_line_that_is_no_json_is_one_line(text: str, tmp_path: Path, errorbar: CommandLine) -> None:
    path = tmp_path / "votes.jsonl"
    path.write_text(text + "\n", encoding="utf-8")
    done = errorbar("agree", path)
    assert done.code == 2
    assert "votes.jsonl:1" in done.err
    assert "Traceback" not in done.err
    assert done.err.count("\n") == 1
