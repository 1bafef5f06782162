"""Every pair of systems on the page, and where an interval of a difference and the test say different things."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from errorbar.api import CorpusStudy
from errorbar.core import Interval
from errorbar.metrics import Comparison, Pair
from errorbar.metrics.over_judges import TTest
from errorbar.reporting import Chart, Fold, Matrix, Prose, Report, format_markdown, latex, page_html
from errorbar.reporting.sections.leaderboard import pair_blocks, pair_sentence, why_apart
from tests.helpers.pairs import with_swaps
from tests.reporting.pages import prose, report_of, tables, text_rows
from tests.reporting.studies import comparison, score, study, systems, whole

pytest.importorskip("altair", reason="needs the extra 'report'")

THREE = {"b": 0.2, "a": 0.4, "c": 0.1}


def matrix_of(report: Report) -> Matrix:
    """The only matrix."""
    (matrix,) = (block for section in report.sections for block in section.blocks if isinstance(block, Matrix))
    return matrix


def with_pair(compared: Comparison, **changes: object) -> Comparison:
    """The comparison with its first pair changed."""
    first, *others = compared.pairs
    changed: dict[str, Any] = changes
    return replace(compared, pairs=(replace(first, **changed), *others))


def apart(low: float, high: float) -> Interval:
    """An interval of a difference."""
    return Interval(low, high, 0.95, "bootstrap-bca")


def over_judges(compared: Comparison, ends: Interval, p: float, adjusted: float, *, few: bool = False) -> Comparison:
    """The comparison with judges drawn anew, of the first pair with these numbers."""
    sets: Any = type("Sets", (), {"whole": True})()
    pairs = []
    for at, pair in enumerate(compared.pairs):
        here = (ends, p, adjusted) if at == 0 else (apart(0.1, 0.2), 0.001, 0.001)
        own = apart(0.1, 0.2) if at else pair.interval
        t = TTest(pair.difference, here[0], None, here[1], here[2])
        test = replace(pair.test, over=("texts", "judges"), judges=sets, few=few)
        pairs.append(replace(pair, t=t, test=test, interval=own))
    return replace(compared, pairs=tuple(pairs))


class TestMatrix:
    def three(self) -> CorpusStudy:
        return systems(THREE, {("a", "b"): 0.01, ("a", "c"): 0.002, ("b", "c"): 0.4})

    def test_the_best_system_has_the_first_row(self) -> None:
        matrix = matrix_of(report_of([self.three()]))
        assert list(matrix.names) == ["a", "b", "c"]
        cells = {pair: (cell.text, cell.look, cell.verdict) for pair, cell in matrix.cells.items()}
        assert cells == {
            ("a", "b"): ("+20.00", "significant", "significant"),
            ("a", "c"): ("+30.00", "significant", "significant"),
            ("b", "c"): ("+10.00", "not", "n.s."),
        }
        assert (
            matrix.notes[0]
            == "F of the row's system minus F of the column's, in points; the best system has the first row."
        )
        assert "n.s.: not significant" in matrix.notes[1]

    def test_a_pair_that_was_compared_the_other_way_round_is_turned(self) -> None:
        cell = matrix_of(report_of([self.three()])).cells["a", "b"]  # b was given first: -20 points, -21 to -19
        assert dict(cell.facts) == {
            "of": "a minus b",
            "the test says": "significant",
            "95% interval": "+19.00 to +21.00",
            "p (max-T)": "0.0100",
        }

    def test_undecided_pairs_and_systems_that_never_differ(self) -> None:
        corpus_study = systems(THREE, {("a", "c"): 0.01, ("b", "c"): None}, floor=105 / 2001)
        cells = matrix_of(report_of([corpus_study])).cells
        assert [cell.look for cell in cells.values()] == ["undecided", "significant", "none"]
        assert [cell.verdict for cell in cells.values()] == ["undecided", "significant", "same"]
        assert "same: the two score alike everywhere" in matrix_of(report_of([corpus_study])).notes[1]

    def test_of_many_systems_the_best(self) -> None:
        names = {f"s{k:02}": 0.5 - k / 100 for k in range(17)}
        report = report_of([systems(names)])
        matrix = matrix_of(report)
        assert (len(matrix.names), len(matrix.cells), matrix.names[0]) == (15, 105, "s00")
        assert matrix.notes[-1] == "The best 15 of 17 systems."
        assert len(tables(report)["pairs"].rows) == 16
        assert "of all 136 pairs" in tables(report)["pairs"].notes[-1]

    def test_the_long_table_stands_behind_it_and_texts_have_it_alone(self) -> None:
        report = report_of([self.three()])
        (fold, *_) = [block for block in report.sections[0].blocks if isinstance(block, Fold)]
        assert fold.inside.name == "pairs"  # type: ignore[union-attr]
        text = format_markdown(report)
        assert "### Every pair of systems\n" in text
        assert "differences of F0.5" not in text
        assert len(text_rows(tables(report)["pairs"])) == 3
        assert r"never" not in text
        assert "Every pair of systems" in latex(report)
        held = re.search(r'id="latex-data">(.*?)</script>', page_html(report))
        assert held is not None
        assert json.loads(held[1])["pairs"].count("significant") == 3

    def test_one_system_has_neither(self) -> None:
        blocks = report_of([study([score("mine", 0.3)])]).sections[0].blocks
        assert [type(block) for block in blocks] == [Chart]

    def test_the_scores_need_no_click(self) -> None:
        chart = report_of([self.three()]).charts[0]
        assert (chart.name, chart.open) == ("leaderboard-chart", True)
        assert not any(other.open for other in report_of([self.three()]).charts[1:])


class TestTwo:
    def test_a_sentence_with_difference_interval_and_p(self) -> None:
        corpus_study = systems({"b": 0.2, "a": 0.4}, {("a", "b"): 0.01})
        assert corpus_study.comparison is not None
        assert pair_sentence(corpus_study.comparison) == (
            "F0.5 of a is 20.00 points higher than that of b (95% interval of the difference +19.00 to +21.00; "
            "p = 0.0100 by max-T). a is significantly better than b at the 5% level."
        )
        report = report_of([corpus_study])
        assert prose(report, "leaderboard").startswith(pair_sentence(corpus_study.comparison))
        assert not any(isinstance(block, Matrix) for block in report.sections[0].blocks)
        assert len(tables(report)["pairs"].rows) == 1

    def test_over_judges_it_has_both_intervals(self) -> None:
        compared = over_judges(comparison({"a": 0.4, "b": 0.2}, {("a", "b"): 0.01}), apart(-0.1, 0.5), 0.3, 0.3)
        assert pair_sentence(whole(compared)) == (
            "F0.5 of a is 20.00 points higher than that of b (95% intervals of the difference +19.00 to +21.00 "
            "over texts and -10.00 to +50.00 over texts and judges; p = 0.3000 by t over texts and judges, max-T). a "
            "is not significantly better than b at the 5% level."
        )

    def test_equal_and_undefined(self) -> None:
        same = comparison({"a": 0.4, "b": 0.4}, {})
        assert pair_sentence(whole(same)).startswith("F0.5 of a is that of b (95% interval of the difference -1.00 ")
        bare = with_pair(same, difference=float("nan"))
        assert pair_sentence(whole(bare)) == "b is not significantly better than a at the 5% level."


class TestWhyApart:
    """The first pair is a and b; the others agree."""

    def compare(self, p: float, adjusted: float, ends: Interval) -> Comparison:
        compared = comparison({"a": 0.4, "b": 0.3, "c": 0.1}, {("a", "b"): p, ("a", "c"): 0.001, ("b", "c"): 0.001})
        first, *others = compared.pairs
        return replace(compared, pairs=(replace(with_swaps(first, p=adjusted), interval=ends), *others))

    def explain(self, compared: Comparison) -> list[str]:
        return why_apart(whole(compared))

    def test_where_they_agree_nothing_is_said(self) -> None:
        assert self.explain(self.compare(0.01, 0.02, apart(0.05, 0.15))) == []
        assert self.explain(self.compare(0.4, 0.6, apart(-0.05, 0.25))) == []
        assert self.explain(with_pair(self.compare(0.4, 0.6, apart(0.05, 0.25)), interval=None)) == []

    def test_the_test_is_adjusted_for_all_pairs(self) -> None:
        assert self.explain(self.compare(0.03, 0.08, apart(0.001, 0.2))) == [
            "Of a and b the 95% interval of the difference leaves out 0, yet the test does not reject: the interval is "
            "of one pair alone, and the test is adjusted for all 3 pairs, since among so many some interval leaves out "
            "0 by chance."
        ]

    def test_resampling_and_swapping_differ_with_few_texts(self) -> None:
        (line,) = self.explain(self.compare(0.06, 0.08, apart(0.001, 0.2)))
        assert line.endswith("with few texts such intervals are too short; the test decides.")

    def test_the_other_way_round(self) -> None:
        (line,) = self.explain(self.compare(0.03, 0.04, apart(-0.001, 0.2)))
        assert "holds 0, yet the test rejects: the interval draws texts anew, the test swaps the outputs" in line

    def test_over_judges(self) -> None:
        compared = self.compare(0.001, 0.001, apart(0.001, 0.2))
        (kept,) = self.explain(over_judges(compared, apart(-0.1, 0.3), 0.2, 0.4))
        assert kept.startswith("Of a and b the 95% interval of the difference over texts leaves out 0, yet")
        assert kept.endswith(
            "that interval takes the judges as they are, and the test asks what other judges would give too."
        )
        (adjusted,) = self.explain(over_judges(compared, apart(0.001, 0.3), 0.04, 0.08))
        assert "over texts and judges leaves out 0" in adjusted
        assert "adjusted for all 3 pairs" in adjusted
        narrow = replace(compared, pairs=(replace(compared.pairs[0], interval=apart(-0.1, 0.3)), *compared.pairs[1:]))
        (other,) = self.explain(over_judges(narrow, apart(0.001, 0.3), 0.001, 0.003))
        assert "over texts holds 0, yet the test rejects: that interval takes the judges as they are" in other

    def test_of_few_texts_swaps_keep_the_test_from_rejecting(self) -> None:
        compared = over_judges(self.compare(0.06, 0.08, apart(0.001, 0.2)), apart(0.001, 0.3), 0.01, 0.02, few=True)
        (line,) = self.explain(compared)
        assert line.endswith("of fewer than 25 texts it rejects only where swaps of the two outputs do so too.")

    def test_several_pairs_are_named_and_many_counted(self) -> None:
        compared = comparison({f"s{k}": k / 10 for k in range(5)}, {})

        def close(pair: Pair) -> Pair:
            return replace(with_swaps(pair, p=0.3, alone_p_value=0.03), interval=apart(0.001, 0.2))

        (line,) = self.explain(replace(compared, pairs=tuple(map(close, compared.pairs))))
        assert line.startswith("Of 10 pairs (s0 and s1; s0 and s2; s0 and s3; s0 and s4; s1 and s2; 5 more) the 95% ")

    def test_it_stands_beside_the_pairs(self) -> None:
        corpus_study = systems({"a": 0.4, "b": 0.3, "c": 0.1})
        assert corpus_study.comparison is not None
        compared = whole(self.compare(0.03, 0.08, apart(0.001, 0.2)))
        kinds = [type(block).__name__ for block in pair_blocks(corpus_study, compared, Prose(["How."]))]
        assert kinds == ["Prose", "Matrix", "Prose", "Fold"]
        assert "adjusted for all 3 pairs" in prose(
            report_of([replace(corpus_study, comparison=compared)]), "leaderboard"
        )
