"""The text of sections beside their tables: sentences, notes, and which rows come first."""

from __future__ import annotations

import re
import sys
from dataclasses import replace

import numpy as np
import pytest

from errorbar import M2, Score
from errorbar.api import Browse, BrowseEdit, BrowseUnit
from errorbar.core import Interval, Place, Problem, Undefined, join_words
from errorbar.metrics import CONDITIONS, Ceiling, CeilingIntervals, SwapPlan, prf
from errorbar.reporting import Chart, Prose, SentenceBrowser, build_report, page_html, slug
from errorbar.reporting.sections.annotators import ceiling as ceiling_section
from errorbar.reporting.sections.assemble import MOST_SENTENCES
from errorbar.reporting.sections.types import MOST_TYPES
from tests.helpers.expectations import require
from tests.helpers.pairs import with_tests
from tests.helpers.scoring import type_score
from tests.reporting.pages import charts, drawn, headings, notes, prose, report_of, tables, text_rows
from tests.reporting.studies import (
    ceiling,
    comparison,
    crowd_study,
    curves,
    estimate,
    gleu_score,
    hoo_study,
    human,
    score,
    study,
    systems,
    whole,
)

pytest.importorskip("altair", reason="needs the extra 'report'")
PLAIN, _ = CONDITIONS


class TestLeaderboard:
    def test_in_words(self) -> None:
        chart = charts(report_of([systems({"b": 0.2, "a": 0.4, "c": 0.1}, {("a", "c"): 0.01})]))["leaderboard-chart"]
        assert chart.description == (
            "Best first. A bar says how far a value may be from that on other texts. Letters behind the bars: "
            "systems that share one do not differ significantly."
        )
        assert text_rows(chart.table)[0][-1] == "a"
        assert headings(chart.table)[-1] == "group"
        assert notes(chart.table) == [
            "intervals resample by sentence",
            "systems that share a group letter do not differ significantly at the 5% level (max-T over all pairs); "
            "that does not make them equal",
        ]

    def test_one_system_has_no_last_and_no_letters(self) -> None:
        chart = charts(report_of([study([score("mine", 0.3)])]))["leaderboard-chart"]
        assert chart.description == "Best first. A bar says how far a value may be from that on other texts."
        assert headings(chart.table)[-1] == "gold"
        assert notes(chart.table) == ["intervals resample by sentence"]

    def test_a_system_with_a_warning_has_a_sign_that_leads_to_it(self) -> None:
        warning = Problem("shifted-lines", 'lines 3-4 "shift"', Place("b"), severity="warning")
        repair = Problem("edit-overlap", "two overlap", Place("a"), fix="repaired: both are kept", severity="repaired")
        report = report_of([study([score("a", 0.3), score("b", 0.2)], notes=[repair, warning])])
        page = page_html(report)
        signs = re.findall(r'scope="row" dir="auto">(\w+) <a class="sign" href="#([a-z-]+)" title="([^"]*)"', page)
        assert signs == [("b", "table-warnings", "warning: lines 3-4 &quot;shift&quot;")]
        assert notes(charts(report)["leaderboard-chart"].table)[-1].endswith(
            "there are warnings on b (shifted-lines): see Warnings and repairs"
        )
        assert [row[:3] for row in text_rows(tables(report)["warnings"])] == [
            ["warning", "shifted-lines", "b"],
            ["repair", "edit-overlap", "a"],
        ]

    def test_edits_that_differ_by_system_are_explained(self) -> None:
        few = replace(score("b", 0.2), counts={"correct": 1, "proposed": 2, "gold": 2})
        table = charts(report_of([study([score("a", 0.3), few])]))["leaderboard-chart"].table
        assert notes(table)[-1].startswith("gold: edits of the annotators that a system is scored against")

    def test_what_was_not_compared_is_said(self) -> None:
        report = report_of([study([score("a", 0.3), score("b", 0.2)])])
        said = "No test was run, so which differences are real is not known."
        assert prose(report, "leaderboard") == said
        assert "pairs" not in tables(report)

    def test_how_systems_were_compared_is_said(self) -> None:
        text = prose(report_of([replace(systems({"a": 0.4, "b": 0.2}), unit="document")]), "leaderboard")
        assert "document by document" in text
        assert "at the 5% level" in text
        assert "undecided" not in text

    def test_undecided_pairs_are_said_in_words_letters_and_the_table(self) -> None:
        """A floor of .0525 (105 / 2001) decides b–a and b–c; of a–c .01 was found, and says so."""
        reported = systems({"a": 0.4, "b": 0.3, "c": 0.2}, {("a", "c"): 0.01}, floor=105 / 2001)
        assert list(reported.groups) == ["?", "?", "?"]
        report = report_of([reported])
        text = prose(report, "leaderboard")
        assert "2 pairs of 3 are undecided: with these sentences and swaps no difference, however large, could" in text
        assert "Their systems share no letter" in text
        chart = charts(report)["leaderboard-chart"]
        assert "A question mark: no difference from some other system could have been significant." in chart.description
        assert notes(chart.table)[-1].startswith("?: the system has undecided pairs, of which nothing can be said")
        assert [row[6] for row in text_rows(tables(report)["pairs"])] == ["undecided", "significant", "undecided"]

    def test_holm_is_named_where_it_adjusted(self) -> None:
        reported = systems({"a": 0.4, "b": 0.2})
        by_holm = with_tests(require(reported.comparison).found, swaps=SwapPlan("holm"), adjust="holm")
        report = report_of([replace(reported, comparison=whole(by_holm))])
        assert "adjusted for the number of pairs (Holm)" in prose(report, "leaderboard")
        assert "p: by swaps of the two outputs (Holm)" in tables(report)["pairs"].notes
        assert "p-values adjusted by Holm's method" in " ".join(
            text
            for section in report.sections
            for block in section.blocks
            if isinstance(block, Prose)
            for text in block.paragraphs
        )

    def test_of_many_pairs_those_with_the_best_are_shown(self) -> None:
        # 15 systems make 105 pairs, which are all shown; of 16 and 120 pairs the best has 15.
        every = tables(report_of([systems({f"s{k}": 0.1 + k / 100 for k in range(15)})]))["pairs"]
        assert len(every.rows) == 105
        best = tables(report_of([systems({f"s{k}": 0.1 + k / 100 for k in range(16)})]))["pairs"]
        assert len(best.rows) == 15
        assert all("s15" in row[:2] for row in text_rows(best))
        assert "only pairs with s15, the best system, of all 120 pairs" in best.notes

    def test_a_pair(self) -> None:
        compared = comparison({"a": 0.4, "b": 0.375}, {("a", "b"): 0.0321})
        (pair,) = compared.pairs
        known = replace(pair, power=replace(pair.power, power=0.567, detectable=0.0234))
        for compared_pair, last in ((pair, ["–", "–"]), (known, ["2.34", "57"])):
            reported = replace(
                systems({"a": 0.4, "b": 0.375}), comparison=whole(replace(compared, pairs=(compared_pair,)))
            )
            (row,) = text_rows(tables(report_of([reported]))["pairs"])
            assert row == ["a", "b", "+2.50", "+1.50 to +3.50", "0.0321", "significant", *last]

    def test_why_a_pair_has_no_p_value_is_said(self) -> None:
        table = tables(report_of([systems({"a": 0.4, "b": 0.4}, {("a", "b"): None})]))["pairs"]
        assert text_rows(table)[0][4:6] == ["–", "score alike"]
        assert f"– a, b: {Undefined.NO_DISAGREEMENT}" in table.notes


class TestPlane:
    def test_highest_precision_and_recall(self) -> None:
        first = score("careful", 0.3, precision=estimate(0.6), recall=estimate(0.1))
        second = score("greedy", 0.25, precision=estimate(0.2), recall=estimate(0.5))
        neither = score("none", None, undefined=Undefined.NO_UNITS)
        reported = study([second, first, neither])
        assert charts(report_of([reported]))["precision-recall-plane"].description == (
            "Further right finds more, further up is right more often; along a dashed line F0.5 is the same. careful "
            "has the higher precision, greedy the higher recall. "
            "1 system without a value of P or R cannot be drawn."
        )

    def test_equal_values_are_highest_together(self) -> None:
        """And of one system alone nothing is the highest."""
        fine = [score(name, 0.3, precision=estimate(1.0), recall=estimate(r)) for name, r in (("a", 0.5), ("b", 0.25))]
        plane = "precision-recall-plane"
        for (p, r), told in {
            (1.0, 0.25): "a and b have the same precision; a has the higher recall.",
            (0.9, 0.5): "a has the higher precision; a and b have the same recall.",
            (1.0, 0.5): "a and b have the same precision and the same recall.",
            (0.9, 0.25): "a has the higher precision and the higher recall.",
        }.items():
            two = [fine[0], score("b", 0.3, precision=estimate(p), recall=estimate(r))]
            assert charts(report_of([study(two)]))[plane].description.endswith(f"is the same. {told}")
        three = [*fine, score("c", 0.2, precision=estimate(0.5), recall=estimate(0.1))]
        told = " a and b have the highest precision, a the highest recall."
        assert charts(report_of([study(three)]))[plane].description.endswith(told)
        alone = charts(report_of([study(fine[:1])]))["precision-recall-plane"]
        assert alone.description.endswith(" F0.5 is the same.")

    def test_a_system_without_one_of_both_is_not_drawn(self) -> None:
        half = score("half", 0.2, precision=estimate(None, undefined=Undefined.NO_UNITS), recall=estimate(0.5))
        chart = charts(report_of([study([score("whole", 0.3), half])]))["precision-recall-plane"]
        assert {row["name"] for row in drawn(chart) if "name" in row} == {"whole"}
        assert [row[0] for row in text_rows(chart.table)] == ["whole", "half"]
        assert f"– no value: {Undefined.NO_UNITS}" in notes(chart.table)


class TestTypes:
    def test_frequent_types_first_and_in_words(self) -> None:
        rare, often = type_score("Rare", 1, 3), type_score("Often", 5, 20)
        other = type_score("Often", 6, 15)
        reported = study([score("low", 0.1, types=(other,)), score("high", 0.3, types=(rare, often))])
        chart = charts(report_of([reported]))["type-recall-map"]
        assert text_rows(chart.table) == [["Often", "15–20", "25.00", "40.00"], ["Rare", "3", "33.33", "–"]]
        assert text_rows(tables(report_of([reported]))["type-counts"]) == [
            ["Often", "5 / 20", "6 / 15"],
            ["Rare", "1 / 3", "–"],
        ]
        assert text_rows(tables(report_of([reported]))["type-missed"]) == [
            ["high", "17", "Often: 15 of 20; Rare: 2 of 3"],
            ["low", "9", "Often: 9 of 15"],
        ]
        assert headings(chart.table) == ["type", "edits", "high", "low"]
        assert chart.description == (
            "Recall in percent, frequent types and the best systems first: along a row who finds a type, down a column "
            "what a system misses. Of the most frequent, Often, low finds more than high. Faded: fewer than 20 "
            "edits, too few to compare. Beside a type, where there is room: its edits in the reference, from the "
            "fewest to the most that a system was scored against."
        )
        assert len(notes(chart.table)) == 2
        assert notes(chart.table)[1].startswith("edits: smallest and largest number")

    def test_numbers_that_the_chart_has_not_are_not_explained_there(self) -> None:
        """The type whose edits differ by system is beyond those that are drawn; the table has it, and says so."""
        often = tuple(type_score(f"T{k}", 5, 30) for k in range(MOST_TYPES))
        two = [
            score(name, f, types=(*often, type_score("Rare", 1, n))) for name, f, n in (("a", 0.3, 3), ("b", 0.1, 2))
        ]
        chart = charts(report_of([study(two)]))["type-recall-map"]
        assert "Beside a type" not in chart.description
        assert notes(chart.table)[1].startswith("edits: smallest and largest number")

    def test_equal_recall_is_told_of_all(self) -> None:
        found = {"a": 5, "b": 5, "c": 1, "d": 1}
        reported = study([score(name, 0.3, types=(type_score("T", n, 20),)) for name, n in found.items()])
        text = charts(report_of([reported]))["type-recall-map"].description
        assert "Of the most frequent, T, a and b find most and c and d least." in text

    def test_without_ranges_no_word_about_them(self) -> None:
        reported = study([score("only", 0.3, types=(type_score("T", 1, 4),))])
        chart = charts(report_of([reported]))["type-recall-map"]
        assert chart.description.endswith(" what a system misses. Faded: fewer than 20 edits, too few to compare.")
        assert len(notes(chart.table)) == 1


class TestCeiling:
    ONE = study([score("a", 0.3), score("b", 0.2)], humans=curves())

    def test_references_that_lower_a_score_raise_none(self) -> None:
        """GLEU averages over references: one more may lower it."""
        falling = replace(curves(), scores=curves().scores[:, ::-1])
        report = report_of([study([score("a", 0.3), score("b", 0.2)], humans=falling)])
        why = "Scores change with the number of references"
        only = "so only scores against the same number of references can be compared."
        assert f"{why}, {only}" in prose(report, "ceiling")
        assert charts(report)["ceiling-curves"].description.startswith(f"{why}: compare curves only")
        rising = prose(report_of([self.ONE]), "ceiling")
        assert f"More references raise scores, {only}" in rising

    def test_bars_that_nobody_has_are_not_explained(self) -> None:
        """Of one document there is no interval: neither over texts nor over judges."""
        none = Undefined.ONE_UNIT
        rows = CeilingIntervals((none, none), ((none, none),) * 2, ((none, none),) * 2)
        made = replace(human(curves(), rows), judged=rows)
        reported = replace(study([score("a", 0.3), score("b", 0.2)], humans=curves()), ceiling=made)
        said = prose(report_of([reported]), "ceiling")
        assert said.endswith(f" There are no intervals: {none}.")
        assert "Thick bars" not in said
        assert not [note for note in notes(charts(report_of([reported]))["ceiling-curves"].table) if "95% CI:" in note]

    def test_nobody_comes_nearest_to_a_human_from_beyond(self) -> None:
        beyond = replace(curves(), scores=curves().scores + 0.2)
        text = charts(report_of([study([score("a", 0.3), score("b", 0.2)], humans=beyond)]))[
            "ceiling-curves"
        ].description
        assert text.endswith(" The gap to the human line is what a system could still gain.")

    def test_curves(self) -> None:
        chart = charts(report_of([self.ONE]))["ceiling-curves"]
        assert headings(chart.table) == ["references", "human", "b", "a"]  # by F with most references
        assert text_rows(chart.table) == [
            ["1 (4 subsets)", "40.00", "20.00", "30.00"],
            ["2 (1 subset)", "50.00", "45.00", "35.00"],
        ]
        assert chart.description == (
            "More references raise the curves: compare curves only at the same number of references. The gap to the "
            "human line is what a system could still gain; b comes closest."
        )
        assert notes(chart.table) == ["F0.5 in percent: mean over annotators and subsets"]
        shown = {(row["series"], row["x"]): row["shown"] for row in drawn(chart)}
        assert shown == {
            ("human", 1): "40.00",
            ("human", 2): "50.00",
            ("b", 1): "20.00",
            ("b", 2): "45.00",
            ("a", 1): "30.00",
            ("a", 2): "35.00",
        }

    def test_shares(self) -> None:
        chart = charts(report_of([self.ONE]))["ceiling-ratio"]
        assert text_rows(chart.table) == [["1 (4 subsets)", "50.00", "75.00"], ["2 (1 subset)", "90.00", "70.00"]]
        assert chart.description == (
            "F of a system as a share of what a human scores against the same number of references: 100 is a human. A "
            "flat curve is a share that does not depend on how many references there are."
        )
        assert notes(chart.table) == ["system F over human F against the same number of references, in percent"]

    def test_no_share_of_zero(self) -> None:
        found = curves()
        found = replace(found, humans=np.zeros_like(found.humans))
        chart = charts(report_of([replace(self.ONE, ceiling=human(found))]))["ceiling-ratio"]
        assert {row[1] for row in text_rows(chart.table)} == {"–"}
        assert notes(chart.table)[1:] == ["– no ratio: the human score is 0"]

    def test_why_there_is_a_reference_fewer_than_in_the_leaderboard(self) -> None:
        ten = ceiling(0.5, {"a": 0.4})
        reported = study([score("a", 0.45)], humans=ten, annotators=ten.annotators)
        said = (
            "A human is scored against the other 9, never against their own corrections: so systems are scored against "
            "at most 9 references here, and their scores are not those of the leaderboard, where all 10 annotators are "
            "references."
        )
        assert said in prose(report_of([reported]), "ceiling")
        (line,) = (line for line in report_of([reported]).summary if "reaches" in line)
        assert line.startswith("With 9 references, since a human is scored against the other 9 annotators, a reaches")
        alone = study([], humans=replace(ten, systems=()), annotators=ten.annotators)
        assert "never against their own" not in prose(report_of([alone]), "ceiling")

    def test_missing_intervals_and_drawn_subsets_are_said(self) -> None:
        text = prose(report_of([self.ONE]), "ceiling")
        assert text.startswith("Against 2 references a human scores F0.5 50.00.\nEach of the 2 annotators' own ")
        assert text.endswith(" No intervals were computed; they are made on request.")
        assert "were drawn" not in text
        some = report_of([replace(self.ONE, ceiling=human(curves(exact=False)))])
        assert "as many as the table says were drawn." in prose(some, "ceiling")
        assert [row[0] for row in text_rows(tables(some)["ceiling-scores"])] == ["1 (4 subsets drawn)", "2 (1 subset)"]

    def test_intervals_stand_beside_their_curve(self) -> None:
        def near(value: float) -> Interval:
            return Interval(value - 0.01, value + 0.02, 0.9, "percentile")

        found = curves()
        intervals = CeilingIntervals(
            tuple(near(float(v)) for v in found.human[:, 2]),
            tuple(tuple(near(float(v)) for v in row) for row in found.scores[:, :, 2]),
            tuple(tuple(near(float(v)) for v in row) for row in found.ratio),
        )
        report = report_of([replace(self.ONE, ceiling=human(found, intervals))])
        table = tables(report)["ceiling-scores"]
        assert table.columns == ["references", "human", "90% CI", "b", "90% CI", "a", "90% CI"]
        assert text_rows(table)[1][1:] == ["50.00", "49.00–52.00", "45.00", "44.00–47.00", "35.00", "34.00–37.00"]
        assert text_rows(tables(report)["ceiling-ratios"])[1][1:] == ["90.00", "89.00–92.00", "70.00", "69.00–72.00"]
        assert "No intervals were computed" not in prose(report, "ceiling")
        said = "Against 2 references a human scores F0.5 50.00 (90% interval 49.00–52.00)."
        assert prose(report, "ceiling").startswith(said)
        # The best of the leaderboard is a: its own share, and that b comes nearer.
        assert report.summary[-1] == (
            "Two annotators cannot tell what a human scores: a reaches 70% (90% interval 69–72%) of what each scores "
            "against the other (F0.5 35.00 against 50.00); b comes closest to a human, at 90%."
        )

    def test_more_curves_than_colors_are_said(self) -> None:
        def text(n: int) -> str:
            values = {f"s{k}": 0.4 - k / 1000 for k in range(n)}
            found = Ceiling(
                M2().measures,
                2,
                ("A", "B"),
                tuple(values),
                (1,),
                np.full((2, 1, 3), 0.5),
                np.array([[[v] * 3] for v in values.values()]),
                (1,),
                (True,),
            )
            section = require(ceiling_section(study([score(name, v) for name, v in values.items()], humans=found)))
            chart = section.blocks[1]
            assert isinstance(chart, Chart)
            return str(chart.description)

        assert "gray" not in text(5)
        assert text(6).endswith(" The best 5 have colors, the others are gray.")
        assert "The chart shows" not in text(40)
        assert " The chart shows the best 40 of 41 systems, the table all." in text(41)


class TestChoices:
    MAIN = (score("a", 0.4), score("b", 0.3), score("c", None, undefined=Undefined.NO_UNITS))

    def section(self, *others: Score) -> tuple[list[list[str]], str]:
        report = report_of([study(self.MAIN, others={"m2(x=1)": list(others)})])
        return text_rows(tables(report)["choice-m2-x-1"]), prose(report, "choices")

    def test_ranks_that_change(self) -> None:
        new = score("b", 0.45, precision=estimate(0.5), recall=estimate(0.35))
        rows, text = self.section(new, score("a", 0.41), self.MAIN[2])
        assert rows == [
            ["a", "40.00", "1", "41.00", "41.00", "41.00", "2", "+1.00"],
            ["b", "30.00", "2", "50.00", "35.00", "45.00", "1", "+15.00"],
            ["c", "–", "–", "–", "–", "–", "–", "–"],
        ]
        assert text.endswith(
            "m2(x=1) in place of m2 changes F of 2 systems of 3, by up to 15.00 points, and the rank of a and b."
        )
        assert text.startswith("With several annotators a scorer chooses one for each sentence.")

    def test_no_rank_changes(self) -> None:
        _, text = self.section(score("a", 0.39), score("b", 0.3), self.MAIN[2])
        assert text.endswith(" changes F of 1 system of 3, by up to 1.00 points, and no rank.")

    def test_no_digit_changes(self) -> None:
        _, text = self.section(*self.MAIN)
        assert text.endswith("m2(x=1) in place of m2 changes no digit of F that is shown, and no rank.")

    def test_another_measure_has_a_table_of_its_own(self) -> None:
        f1 = [replace(system_score, measures=M2(beta=1).measures) for system_score in (self.MAIN[1], self.MAIN[0])]
        gleu = [gleu_score("a", 0.64), gleu_score("b", 0.65)]
        others = {"m2(choose=sentence)": self.MAIN[:2], "m2(beta=1)": f1, "gleu": gleu}
        report = report_of([study(self.MAIN[:2], others=others)])
        found = tables(report)
        assert [name for name in found if name.startswith("choice")] == ["choice-m2-choose-sentence"]
        assert "beta=1" not in prose(report, "choices")
        assert "gleu" not in prose(report, "choices")
        assert found["scores-m2-beta-1"].columns == ["system", "P", "R", "F1"]
        assert text_rows(found["scores-m2-beta-1"]) == [[n, v, v, v] for n, v in (("a", "40.00"), ("b", "30.00"))]
        assert found["scores-gleu"].columns == ["system", "GLEU"]
        assert text_rows(found["scores-gleu"]) == [["b", "65.00"], ["a", "64.00"]]
        assert found["scores-gleu"].notes == ["GLEU in percent"]
        assert found["scores-m2-beta-1"].notes == ["P, R and F in percent"]
        assert "What the choices change" not in [
            section.title for section in report_of([study(self.MAIN[:2], others={"gleu": gleu})]).sections
        ]

    def test_one_annotator_leaves_no_choice(self) -> None:
        reported = study(
            self.MAIN,
            others={"m2(max_unchanged=3)": self.MAIN},
            annotators=["A"],
        )
        report = report_of([reported])
        assert prose(report, "choices").startswith("m2(max_unchanged=3) in place of m2 ")
        columns = tables(report)["choice-m2-max-unchanged-3"].columns
        assert columns == ["system", "F0.5", "rank", "new P", "new R", "new F0.5", "new rank", "change"]


class TestRunsUnderOtherConventions:
    def test_rank_and_change_beside_each_run(self) -> None:
        reported, spec = hoo_study(), "hoo(conventions=hoo2011-tool)"
        table = tables(report_of([reported]))["hoo-hoo-conventions-hoo2011-tool"]
        before, after = (
            {run.system: prf(run, PLAIN, "detection").f.value or 0 for run in scores}
            for scores in (reported.scores, reported.variants[spec])
        )
        rows = [row for row in text_rows(table) if row[1] == "detection"]
        assert rows == [
            [
                run,
                "detection",
                f"{100 * before[run]:.2f}",
                str(1 + sum(f > before[run] for f in before.values())),
                f"{100 * after[run]:.2f}",
                str(1 + sum(f > after[run] for f in after.values())),
                f"{100 * (after[run] - before[run]):+.2f}",
            ]
            for run in ("AA1", "BB0", "AA0")  # by F of correction
        ]
        changed = [f"{row[0]} ({row[1]})" for row in text_rows(table) if row[3] != row[5]]
        assert changed
        assert list(table.notes) == [f"new: under {spec}", f"the rank differs: {', '.join(changed)}"]
        same = tables(report_of([reported]))["hoo-hoo-matching-maxmatch"]
        assert list(same.notes)[1:] == ["no rank differs"]

    def test_best_runs_stand_only_where_a_team_has_several(self) -> None:
        reported = hoo_study()
        assert "hoo-best" in tables(report_of([reported]))
        runs = [run for run in reported.scores if run.system != "AA0"]
        assert "hoo-best" not in tables(report_of([replace(reported, scores=runs, variants={})]))

    def test_the_bonus_is_explained(self) -> None:
        found = tables(report_of([hoo_study()]))
        assert "with bonus: missing optional edits count as found" in found["hoo-bonus-values"].notes
        assert not any("bonus" in note for note in found["hoo-plain-values"].notes)


def test_lists_and_names() -> None:
    assert [join_words(list("ABCDEFG")[:n], 4) for n in (0, 1, 2, 5, 6)] == [
        "none",
        "A",
        "A and B",
        "A, B, C, D and E",
        "A, B, C, D and 2 more",
    ]
    assert (slug("M2(beta=1)"), slug("日本")) == ("m2-beta-1", "x")


def test_pairs_that_agree_alike_are_counted() -> None:
    """Not one of them named for all; where all agree alike nobody does most."""
    crowd = crowd_study()
    assert crowd.agreement is not None
    report = crowd.agreement.report
    for values, said in (
        ((0.5, 0.1, 0.1), " agree most; 9 other pairs agree least."),
        ((0.1, 0.1, 0.1), " to the one that agrees most."),
    ):
        kappas = [values[min(k, 2)] for k in range(len(report.pairwise))]
        pairs = [
            replace(pair, kappa=replace(pair.kappa, estimate=estimate(value)))
            for pair, value in zip(report.pairwise, kappas, strict=True)
        ]
        told = replace(crowd, agreement=replace(crowd.agreement, report=replace(report, pairwise=tuple(pairs))))
        text = charts(report_of([told]))["agreement-matrix"].description
        assert text.endswith(said)


class TestSentences:
    def browse(self, n: int) -> Browse:
        """Sentence ``k`` has ``k % 7`` edits that the system made in vain, and annotators that differ by ``k % 3``."""
        edit = BrowseEdit(0, 3, ("x",))
        return Browse(
            ("A",),
            ("mine",),
            [
                BrowseUnit(f"{k + 1}", "The words .", "", ((edit,),), ((edit,),), ((0, k % 7, 0),), (0,), (k % 3) / 2)
                for k in range(n)
            ],
        )

    def test_the_most_telling_ones_are_kept_in_their_order(self) -> None:
        kept = self.browse(42).most_telling(4, 1_000_000)
        # Six edits in vain: sentences 7, 14, 21, 28, 35, 42; annotators differ most in 21 and 42, then in 14 and 35.
        assert [unit.name for unit in kept.units] == ["14", "21", "35", "42"]
        assert kept.n_left_out == 38

    def test_long_texts_count_by_their_characters(self) -> None:
        size = len("The words .") + 2 * 10
        assert len(self.browse(42).most_telling(1000, 5 * size + 1).units) == 5
        assert self.browse(42).most_telling(42, 42 * size).n_left_out == 0

    @pytest.mark.parametrize(("most", "shown"), [(None, MOST_SENTENCES), (10, 10), (sys.maxsize, 6000)])
    def test_a_page_has_a_limit_and_says_so(self, most: int | None, shown: int) -> None:
        whole_study = replace(study([score("mine", 0.3)]), browse=self.browse(6000))
        report = build_report([whole_study], title="t", command="", most_sentences=most)
        (section,) = [section for section in report.sections if section.name == "sentences"]
        (browser,) = [block for block in section.blocks if isinstance(block, SentenceBrowser)]
        assert len(browser.browse.units) == shown
        said = str(section.blocks[0])
        assert (f"{shown:,} of 6,000 sentences" in said) == (shown < 6000)
        assert ("sentences=all" in said) == (shown < 6000)
        assert len(page_html(report)) < 3_500_000
