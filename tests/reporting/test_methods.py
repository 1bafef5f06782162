"""Around the numbers: facts, order and names of sections, methods, and what is said to be left out."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from errorbar import Corpus
from errorbar.api import CorpusStudy, Study
from errorbar.core import Place, Problem
from errorbar.metrics.gleu import Gleu
from errorbar.reporting import Code, Fold, Report, build_report
from errorbar.reporting.make import _title, corpus_title
from errorbar.reporting.sections.methods import list_missing
from tests.helpers.scoring import type_score
from tests.reporting.pages import charts, prose, report_of, tables, text_rows
from tests.reporting.studies import (
    comparison,
    crowd_study,
    curves,
    gleu_score,
    hoo_study,
    sample_study,
    score,
    study,
    systems,
    with_rows,
)

pytest.importorskip("altair", reason="needs the extra 'report'")


def code(report: Report, label: str) -> list[str]:
    """The lines of what stands under that label in the methods."""
    (found,) = (
        block for block in report.sections[-1].blocks if isinstance(block, Code) and block.label.startswith(label)
    )
    return found.text.splitlines()


class TestFacts:
    def test_of_each_kind(self) -> None:
        reported = replace(systems({"a": 0.4, "b": 0.2}), n_documents=7)
        assert list(report_of([reported]).facts) == [
            ("data", "corpus"),
            ("sentences", "100"),
            ("documents", "7"),
            ("annotators", "2"),
            ("systems", "2"),
            ("metric", "m2 (F0.5)"),
        ]
        assert list(report_of([hoo_study()]).facts) == [
            ("data", "small"),
            ("fragments", "3"),
            ("runs", "3"),
            ("metric", "hoo"),
        ]
        assert list(report_of([crowd_study()]).facts) == [
            ("data", "votes"),
            ("items", "60"),
            ("raters", "5"),
            ("judgments", "300"),
            ("systems", "2"),
        ]
        assert list(report_of([sample_study()]).facts) == [("data", "essays"), ("items", "1,000"), ("judged", "160")]

    def test_of_several_studies(self) -> None:
        report = report_of([study([score("mine", 0.3)]), sample_study()])
        assert list(report.facts) == [
            ("corpus", "100 sentences, 2 annotators, 1 system, metric m2 (F0.5)"),
            ("essays", "1,000 items, 160 judged"),
        ]


def test_sections_stand_in_order_and_methods_last() -> None:
    report = report_of([systems({"a": 0.4, "b": 0.2}, humans=curves()), crowd_study(), sample_study()])
    assert [section.name for section in report.sections] == [
        "leaderboard",
        "precision-recall",
        "ceiling",
        "crowd",
        "agreement",
        "sampling",
        "methods",
    ]
    assert [section.title for section in report.sections[:2]] == ["Leaderboard", "Precision and recall"]


def test_two_studies_of_a_kind_keep_apart() -> None:
    report = report_of([crowd_study(), replace(crowd_study(), name="more votes")])
    assert [section.name for section in report.sections] == ["crowd", "agreement", "crowd-2", "agreement-2", "methods"]
    assert [section.title for section in report.sections[:3]] == [
        "Against the crowd: votes",
        "How far raters agree: votes",
        "Against the crowd: more votes",
    ]
    shown, found = charts(report), tables(report)
    assert {"crowd-scores", "crowd-scores-2"} <= set(shown)
    assert {"crowd-scores-values", "crowd-scores-values-2", "crowd-agreement-2"} <= set(found)
    n_blocks = len(tables(report_of([crowd_study()]))) - 1  # signatures and warnings stand once
    assert len(found) - 1 == 2 * n_blocks


class TestMethods:
    def cited(self, reported: Study) -> list[str]:
        return code(report_of([reported]), "How to cite")[1:]

    def test_papers_behind_what_is_shown(self) -> None:
        maxmatch = "MaxMatch: Dahlmeier and Ng 2012; the shared task that made F0.5 its measure: Ng et al. 2014."
        bca = "Intervals: Efron 1987 (BCa)."
        tests = (
            "Tests: Noreen 1989, Westfall and Young 1993, Romano and Wolf 2005, Koehn 2004; group letters: Piepho 2004."
        )
        human = "Human ceiling and ratio: Bryant and Ng 2015."
        assert self.cited(study([score("mine", 0.3)])) == [maxmatch, bca]
        assert self.cited(systems({"a": 0.4, "b": 0.2}, humans=curves())) == [maxmatch, bca, tests, human]
        assert self.cited(sample_study()) == ["Sampling: Tetreault and Chodorow 2008; variances: Cochran 1977."]
        crowd, agreement = self.cited(crowd_study())
        assert crowd.endswith("Madnani et al. 2011.")
        assert agreement.startswith("Agreement: Cohen 1960")
        assert self.cited(hoo_study()) == ["Scores: Dale and Kilgarriff 2011 (HOO).", bca]
        first = study([score("mine", 0.3)]).scores[0]
        percentile = replace(first, signature=first.signature._replace(conventions=("ci:percentile,0.95",)))
        assert self.cited(study([percentile])) == [maxmatch]

    def test_papers_of_the_metrics_that_are_used(self) -> None:
        def names(reported: Study) -> list[str]:
            return [line.partition(":")[0] for line in self.cited(reported)]

        gleu = [gleu_score("a", 0.4)]
        assert names(study(gleu, metric=Gleu())) == ["GLEU"]
        others = {"m2(choose=sentence)": [score("a", 0.3)], "errant(beta=1)": [score("a", 0.3)], "gleu": gleu}
        reported = study([score("a", 0.3, half=None)], others=others)
        assert [name for name in names(reported) if name != "Intervals"] == ["MaxMatch", "ERRANT", "GLEU"]
        assert "arXiv:1605.02592" in self.cited(study(gleu, metric=Gleu()))[0]

    def test_hoo_data_without_runs(self) -> None:
        nothing = replace(hoo_study(), scores=[], variants={})
        assert self.cited(nothing) == ["Scores: Dale and Kilgarriff 2011 (HOO)."]

    def test_warnings_that_were_only_counted_are_counted(self) -> None:
        notes = [Problem("many", f"number {k}", severity="warning") for k in range(40)]
        more = Problem("many", "960 more of these, not listed", severity="warning", others=960)
        table = tables(report_of([replace(hoo_study(), notes=[*notes, more])]))["warnings"]
        assert (table.title, table.notes[-1]) == ("Warnings and repairs: 1,000 warnings", "and 980 more warnings many")
        assert len(table.rows) == 20

    def test_each_paper_once(self) -> None:
        lines = code(report_of([crowd_study(), replace(crowd_study(), name="more")]), "How to cite")
        assert len(lines) == len(set(lines)) == 3

    def test_how_numbers_were_made(self) -> None:
        reported = replace(systems({"a": 0.4, "b": 0.2}), n_documents=7, unit="document")
        text = prose(report_of([reported]), "methods")
        assert (
            "corpus: 100 sentences of 7 documents, 2 annotators.\n95% intervals: bootstrap-bca, resampled by " in text
        )
        assert "\nDifferences: approximate randomization" in text
        alone = prose(report_of([study([score("a", 0.4, half=None)])]), "methods")
        assert "corpus: 100 sentences, 2 annotators.\n" in alone
        assert "intervals" not in alone
        assert "Differences" not in alone
        assert "votes: 300 judgments of 60 items by 5 raters. 95% " in prose(report_of([crowd_study()]), "methods")
        assert "from 160 judged of 1,000 items" in prose(report_of([sample_study()]), "methods")

    def test_signatures_of_other_choices_too(self) -> None:
        reported = study([score("a", 0.4)], others={"m2(beta=1)": [score("a", 0.4, spec="m2(beta=1)")]})
        rows = text_rows(tables(report_of([reported]))["signatures"])
        assert [row[:2] for row in rows] == [["corpus", "score: a"], ["corpus", "score: a, m2(beta=1)"]]
        assert [row[2].split("|")[0] for row in rows] == ["m2", "m2(beta=1)"]

    def test_the_command_stands_last_and_only_where_there_is_one(self) -> None:
        assert code(report_of([sample_study()]), "This page") == ["errorbar report x"]
        bare = build_report([sample_study()], title="t", command="")
        assert not [block for block in bare.sections[-1].blocks if isinstance(block, Code) and "page" in block.label]

    def test_a_warning_stands_before_repairs_of_its_code(self) -> None:
        repairs = [
            Problem("overlap", f"edit {k}", Place("f", k), fix="repaired: dropped", severity="repaired")
            for k in range(1, 25)
        ]
        warning = Problem("overlap", "a system's edit", Place("s"), severity="warning")
        table = tables(report_of([study([score("a", 0.4)], notes=[*repairs, warning])]))["warnings"]
        assert table.title == "Warnings and repairs: 1 warning, 24 repairs"
        assert text_rows(table)[0] == ["warning", "overlap", "s", "a system's edit"]
        assert list(table.notes)[1:] == ["and 4 more repairs overlap"]

    def test_warnings(self) -> None:
        notes = [
            Problem("odd", f"line is odd {k}", Place("f", k), fix="look", severity="warning") for k in range(1, 23)
        ]
        rare = Problem("rare", "once", Place("g"), severity="warning")
        table = tables(report_of([study([score("a", 0.4)], notes=[*notes, rare, rare])]))["warnings"]
        rows = text_rows(table)
        assert table.title == "Warnings and repairs: 23 warnings"
        assert len(rows) == 21  # 20 of one kind, one of the other
        assert rows[0] == ["warning", "odd", str(notes[0].place), "line is odd 1; look"]
        assert rows[-1] == ["warning", "rare", "g", "once"]
        assert list(table.notes) == [
            "errorbar explain CODE says what one means, and what to do",
            "and 2 more warnings odd",
        ]
        said = "No warning was raised, and nothing was repaired."
        assert said in prose(report_of([study([score("a", 0.4)])]), "methods")


class TestLeftOut:
    def said(self, reported: Study) -> list[str]:
        return [note.what for note in list_missing([reported])]

    def test_of_a_corpus(self) -> None:
        human = "no section on the human ceiling: "
        agree = "no section on agreement: it takes two annotators of the same sentences"
        choice = "no section on what the choices change: it takes two annotators, or a second --metric with F0.5"
        kinds = "no section on error types: no edit of the reference has one"
        pair = "no comparison in the leaderboard: it takes two systems"
        assert self.said(study([])) == [
            "no leaderboard: no system was given",
            f"{human}the metric names one annotator",
            agree,
        ]
        alone = [pair, kinds, f"{human}it takes two annotators", agree, choice]
        assert self.said(study([score("a", 0.4)], annotators=["A"])) == alone
        few = self.said(study([score("a", 0.4), score("b", 0.4)]))
        assert few[0] == "no comparison in the leaderboard: it takes two essays or sentences, and resampling"
        typed = [score(name, 0.4, types=(type_score("T", 1, 2),)) for name in "ab"]
        whole: CorpusStudy = replace(
            study(typed, comparison({"a": 0.4, "b": 0.4}, {}), humans=curves(), others={"m2(beta=1)": typed}),
            agreement=crowd_study().agreement,
        )
        assert self.said(whole) == []

    def test_what_the_metric_cannot_give(self) -> None:
        said = self.said(study([gleu_score("a", 0.4)], metric=Gleu()))
        assert "no section on precision and recall: gleu gives neither" in said
        assert "no section on error types: gleu has no scores by error type: texts have no error types" in said
        choice = "gleu does not choose between annotators, and no second --metric has GLEU"
        assert f"no section on what the choices change: {choice}" in said

    def test_of_the_others(self) -> None:
        assert [self.said(reported) for reported in (crowd_study(), hoo_study(), sample_study())] == [[], [], []]
        assert self.said(replace(with_rows(crowd_study(), ()), agreement=None)) == [
            "no scores against the crowd: no flags of a system were given",
            "no section on agreement: it takes two raters",
        ]
        assert self.said(replace(hoo_study(), scores=[])) == ["no section of runs: no run was given"]
        assert self.said(replace(sample_study(), budget=[])) == [
            "nothing on what more judgments would buy: no error was seen in the sample"
        ]

    def test_each_names_its_study(self) -> None:
        (note,) = list_missing([replace(hoo_study(), scores=[])])
        assert (note.code, note.place.file, note.severity) == ("report-no-section", "small", "warning")


class TestSignatures:
    def test_what_they_share_is_said_once_and_of_each_what_is_its_own(self) -> None:
        report = report_of([systems({"a": 0.4, "b": 0.2}, humans=curves())])
        found = tables(report)
        assert text_rows(found["signature-systems"]) == [["a", "hyp-a"], ["b", "hyp-b"]]
        shared = {row[0]: row[1] for row in text_rows(found["signature-parts"])}
        assert (shared["src"], shared["ref"], shared["n"], shared["ann"]) == ("s", "r", "100", "2")
        assert shared["ci"] == "bca,0.95,2000,by:sentence,seed:0"
        own = text_rows(found["signature-own"])
        assert own == [["score, 2 systems", "nothing else"], ["compare", "m2|compared"], ["ceiling", "m2|human"]]
        whole = [row[2] for row in text_rows(found["signatures"])]
        assert all("|v:" in line and "|hyp:hyp-" in line for line in whole[:2])
        for line in whole[:2]:  # whatever stands in a signature stands in one of the tables
            parts = {f"{row[0]}:{row[1]}" for row in text_rows(found["signature-parts"])} | {"m2"}
            assert {part for part in line.split("|") if not part.startswith("hyp:")} <= parts

    def test_they_stand_last_and_whole_ones_behind_a_click(self) -> None:
        blocks = report_of([systems({"a": 0.4, "b": 0.2})]).sections[-1].blocks
        assert isinstance(blocks[-1], Fold)
        assert blocks[-1].label == "All 3 signatures, whole, to copy"

    def test_a_single_one_is_shown_as_it_is(self) -> None:
        report = report_of([study([score("a", 0.4)])])
        assert "signature-parts" not in tables(report)
        assert len(tables(report)["signatures"].rows) == 1


# What a report is called.


@pytest.mark.parametrize(
    ("paths", "title"),
    [
        (["learners=x/gold.m2"], "learners"),
        (["essays.m2"], "essays"),
        (["demo/gold.jsonl"], "demo"),
        (["corpora/jfleg/dev.m2"], "jfleg, dev"),
        (["/there/conll/data/revised/official.m2"], "official"),
        (["/there/conll/data/gold/test.m2.gz"], "conll, test"),
        (["bn2015/A1.m2", "bn2015/A2.m2"], "bn2015"),
        (["essays/one/a.m2", "essays/two/a.m2"], "essays"),
        (["A1.m2", "A2.m2", "A3.m2"], "3 files, A1 to A3"),
        (["A2.m2", "A10.m2", "A1.m2"], "A2 and 2 more files"),
        (["A10.m2", "A8.m2", "A9.m2"], "3 files, A8 to A10"),
        (["ann.m2", "bob.m2", "eve.m2"], "ann and 2 more files"),
        (["a.m2", "b.m2"], "a and 1 more file"),
        (["gold.jsonl"], "gold"),
        (["votes.csv"], "votes"),
    ],
)
def test_it_is_named_as_people_know_it(paths: list[str], title: str) -> None:
    assert corpus_title(paths) == title


def test_a_corpus_that_was_fetched_has_the_title_of_its_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRORBAR_DATA", str(tmp_path))
    folder = tmp_path / "bryant-ng2015"
    folder.mkdir()
    for name in ("A1.m2", "A2.m2"):
        (folder / name).touch()
    assert corpus_title([f"{folder}/*.m2"]) == "Ten annotators of the CoNLL-2014 test set"
    assert corpus_title([str(tmp_path / "jfleg" / "ref0.txt")]) == "JFLEG"
    assert corpus_title([str(tmp_path / "unknown" / "ref0.txt")]) == "ref0"


def test_several_kinds_of_data_are_all_named() -> None:
    assert _title(["x/gold.m2"], "votes.csv", None) == "x and votes"
    assert _title(Corpus([], (), "learners"), None, None) == "learners"
    assert _title(Corpus([], ()), None, None) == "Report"
