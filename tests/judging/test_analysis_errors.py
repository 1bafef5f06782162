"""``judge analyze`` of Error/OK studies, of a scheme of one's own, and of nothing."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

import errorbar
from errorbar import Resampling
from errorbar.core import UsageError
from errorbar.crowdsourcing.howmany import majority_accuracy
from errorbar.judging import JudgedItem, Store, Study, StudyRules, load_scheme, read_study
from errorbar.judging.analysis.kind_findings import read_pay
from errorbar.judging.analysis.study_analysis import AnalysisOptions, StudyAnalysis, analysis_of
from errorbar.judging.scheme import Option
from errorbar.judging.study.status import status_of
from tests.judging.small_stores import StoredAnswer, fill, filled
from tests.judging.test_analysis_prepositions import published

SCHEME = load_scheme("error-ok")
OK, ERROR, UNKNOWN = ({"judgment": label} for label in ("ok", "error", "unknown"))


def votes(errors: Sequence[int], k: int) -> list[StoredAnswer]:
    """Items i0, i1, ... of which so many of k raters say Error."""
    return [
        StoredAnswer(f"r{(n + at) % (2 * k)}", f"i{n}", ERROR if at < e else OK)
        for n, e in enumerate(errors)
        for at in range(k)
    ]


def analyzed(
    said: Sequence[StoredAnswer],
    asked: AnalysisOptions | None = None,
    rules: StudyRules | None = None,
    gold: Sequence[JudgedItem] = (),
) -> StudyAnalysis:
    known = {each.name for each in gold}
    items = [JudgedItem(name, "x y") for name in dict.fromkeys(each.item for each in said) if name not in known]
    with filled(SCHEME, [*items, *gold], said, rules) as tx:
        return analysis_of(read_study(tx, whole=True), asked or AnalysisOptions(), Resampling("percentile", 100))


@pytest.mark.slow
def test_the_published_bins_and_the_published_bill() -> None:
    """923 items of 20 judgments: 93, 114 and 716 with majorities below 75, below 90 and from 90 % on; 325 dollars."""
    facts = {row["fact"]: float(row["value"]) for row in published("madnani2011_facts.csv")}
    bins = [("50 to 75 %", 14, "bin_50_75_n"), ("75 to 90 %", 5, "bin_75_90_n"), ("90 to 100 %", 1, "bin_90_100_n")]
    errors = [e for _, e, name in bins for _ in range(int(facts[name]))]
    each = facts["cost_usd"] / (facts["instances"] * facts["judgments_per_instance"])
    found = analyzed(votes(errors, 20), AnalysisOptions(pay=each))
    for of, _, name in bins:
        assert found.figure("distribution", of, "items").value == facts[name]
        assert found.figure("distribution", of, "share").value == pytest.approx(facts[name] / 923)
    assert found.figure("money", "all answers, gold and repeats too", "cost").value == pytest.approx(325)
    assert found.figure("money", "an item, as judged", "cost").value == pytest.approx(325 / 923)


def test_the_edges_of_the_bins() -> None:
    found = analyzed(votes([10, 15, 18, 20], 20))
    counts = [found.figure("distribution", of, "items").value for of in ("50 to 75 %", "75 to 90 %", "90 to 100 %")]
    assert counts == [1, 1, 2]


def test_raters_against_the_gold() -> None:
    gold = [JudgedItem(f"g{n}", "x", kind="gold", answers=(right,)) for n, right in enumerate(("error", "ok", "error"))]
    said = [
        StoredAnswer(f"r{at}", f"g{n}", ERROR if at < e else OK) for n, e in enumerate((14, 6, 10)) for at in range(20)
    ]
    found = analyzed([*said, StoredAnswer("r0", "i", OK)], gold=gold)
    assert found.sizes is not None
    curve = {point.k: point.accuracy for point in found.sizes.curve}
    assert (curve[1], curve[3], curve[9]) == pytest.approx((0.633333, 0.698830, 0.808050), abs=1e-6)  # STATISTICS 5
    assert curve[5] == pytest.approx(majority_accuracy([14, 14, 10], [20] * 3, 5))


def test_raters_against_experts_and_a_truth() -> None:
    said = [
        StoredAnswer(who, f"i{n}", ERROR if n < 3 else OK) for n in range(6) for who in ("ann", "bob", "x1", "y1", "z1")
    ]
    found = analyzed(said, AnalysisOptions(experts=["ann", "bob"], pay=0.5))
    assert found.sizes is not None
    assert (found.sizes.n_experts, found.sizes.enough, found.sizes.expert_accuracy) == (2, 1, 1)
    assert found.figure("money", "an item, of the 1 that equal an expert", "cost").value == 0.5
    truth = {f"i{n}": "error" if n < 3 else "ok" for n in range(6)}
    told = analyzed(said, AnalysisOptions(truth=truth))
    assert told.sizes is not None
    assert told.sizes.curve[0].accuracy == 1
    with pytest.raises(UsageError, match="the truth has the label 'wrong'"):
        analyzed(said, AnalysisOptions(truth={"i0": "wrong"}))


def test_pay_that_the_rules_say() -> None:
    found = analyzed(votes([1, 2], 2), rules=StudyRules(pay="0,05 € per item"))
    assert found.figure("money", "an item, as judged", "cost").value == pytest.approx(0.1)
    with pytest.raises(UsageError):
        analyzed(votes([1, 2], 2), rules=StudyRules(pay="a book")).figure("money", "a judgment", "cost")


def test_nothing_one_and_all_alike() -> None:
    with pytest.raises(UsageError, match="nobody judged anything"):
        analyzed([StoredAnswer("ann", "i", None, state="open")])
    one = analyzed([StoredAnswer("ann", "i", OK)])
    assert str(one.figure("agreement", "all judgments", "kappa").undefined) == "no item was judged by two raters"
    alike = analyzed([StoredAnswer(who, f"i{n}", OK) for n in range(3) for who in ("ann", "bob")])
    assert str(alike.figure("agreement", "all judgments", "kappa").undefined) == "every judgment has the same label"
    assert alike.figure("distribution", "90 to 100 %", "items").value == 3
    split = analyzed([StoredAnswer("ann", "i", OK), StoredAnswer("bob", "i", ERROR)])
    assert split.figure("agreement", "all judgments", "agreement").value == 0
    unknown = analyzed([StoredAnswer("ann", "i", UNKNOWN), StoredAnswer("bob", "i", UNKNOWN)])
    assert str(unknown.figure("agreement", "all judgments", "alpha").undefined) == "no unit was scored"


def test_a_scheme_of_ones_own() -> None:
    question = replace(SCHEME.questions[0], options=tuple(Option(x, x) for x in ("good", "fair", "poor")))
    own = replace(SCHEME, name="mine", questions=(question,))
    said = [
        StoredAnswer(who, "i", {"judgment": label}, milliseconds=2000)
        for who, label in zip("abc", ("good", "good", "poor"), strict=True)
    ]
    with filled(own, [JudgedItem("i", "x")], said) as tx:
        found = analysis_of(read_study(tx, whole=True), intervals=None)
    assert found.figure("labels", "good", "share").value == pytest.approx(2 / 3)
    assert found.figure("seconds", "median", "seconds").value == 2
    assert found.figure("distribution", "50 to 75 %", "items").value == 1
    assert {each.section for each in found.findings} == {"agreement", "labels", "distribution", "seconds"}


def test_from_a_folder(tmp_path: Path) -> None:
    def made(study: Study) -> None:
        with Store.create(study.url) as store, store.exclusive() as tx:
            fill(tx, SCHEME, [JudgedItem(f"i{n}", "x") for n in range(3)], votes([1, 2, 0], 2))

    Study.create(tmp_path / "study", made)
    found = errorbar.judge_analyze(tmp_path / "study", resamples=100)
    assert json.loads(json.dumps(found.to_dict(), allow_nan=False))["scheme"] == "error-ok"
    (tmp_path / "truth.csv").write_text("item,label\ni0,Error\n")
    assert errorbar.judge_analyze(tmp_path / "study", truth=tmp_path / "truth.csv", ci=False).sizes is not None
    for wrong in ({"accuracy": 1.5}, {"pay": -1.0}, {"experts": "r0", "truth": {"i0": "OK"}}, {"experts": "nobody"}):
        with pytest.raises(UsageError):
            errorbar.judge_analyze(tmp_path / "study", **wrong)


PAY = {"$.02": 0.02, "$0.025": 0.025, "$1,000.50": 1000.5, "1.234,5 kr": 1234.5, "3 cents": 3.0}
NO_PAY = ("$1,000", "2 of 3 $", "", ".")


@pytest.mark.parametrize(("text", "pay"), [*PAY.items(), *((text, None) for text in NO_PAY)])
def test_pay_is_read_only_where_it_can_be_read_in_one_way(text: str, pay: float | None) -> None:
    assert read_pay(text) == pay


def test_repeats_are_paid_too() -> None:
    said = [StoredAnswer("ann", "a", OK), StoredAnswer("bob", "a", OK), StoredAnswer("ann", "a", OK, round="repeat")]
    assert (
        analyzed(said, AnalysisOptions(pay=2)).figure("money", "all answers, gold and repeats too", "cost").value == 6
    )


def test_systems_wait_while_all_say_that_they_cannot_tell() -> None:
    items = [JudgedItem("a", "x y", hidden={"flag": "1"})]
    with filled(SCHEME, items, [StoredAnswer("ann", "a", UNKNOWN)]) as tx:
        study = read_study(tx, whole=True)
    assert status_of(study, 10.0).systems == []
    found = analysis_of(study)
    assert not [each for each in found.findings if each.section == "systems"]


def test_few_errors_are_worth_a_warning_once_the_study_is_analyzed() -> None:
    """Not while it goes on: the first answers are always few."""
    items = [JudgedItem("a", "x y", hidden={"flag": "1"}), JudgedItem("b", "x y", hidden={"flag": "0"})]
    with filled(SCHEME, items, [StoredAnswer("ann", "a", ERROR), StoredAnswer("ann", "b", OK)]) as tx:
        study = read_study(tx, whole=True)
    how = Resampling("percentile", 20)
    now, found = status_of(study, 10.0, how), analysis_of(study, intervals=how)
    assert [note.code for note in now.notes] == []
    assert "crowd-few" in [note.code for note in found.notes]


def test_experts_are_of_errors() -> None:
    scheme = load_scheme("cloze")
    with filled(scheme, [JudgedItem("a", "x y", (0, 1))], [StoredAnswer("ann", "a", {"word": ["x"]})]) as tx:
        study = read_study(tx, whole=True)
    for asked in (AnalysisOptions(experts=["ann"]), AnalysisOptions(truth={"a": "x"})):
        with pytest.raises(UsageError, match="schemes that ask about errors, and the scheme is cloze"):
            analysis_of(study, asked)


def test_analyses_with_other_numbers_have_other_signatures() -> None:
    said = votes([1, 2, 0], 3)
    truth = {f"i{n}": "error" if n else "ok" for n in range(3)}
    asked = [
        AnalysisOptions(),
        AnalysisOptions(experts=["r0"]),
        AnalysisOptions(experts=["r1"]),
        AnalysisOptions(truth=truth),
        AnalysisOptions(truth=truth | {"i0": "error"}),
        AnalysisOptions(pay=0.05),
        AnalysisOptions(pay=0.06),
        AnalysisOptions(batch="day"),
        AnalysisOptions(systems={"x": [True, False, True]}),
        AnalysisOptions(systems={"x": [True, True, True]}),
        AnalysisOptions(systems={"y": [True, True, True]}),
    ]
    signatures = [analyzed(said, options).signature for options in asked]
    assert len(set(signatures)) == len(signatures)
    assert analyzed(said).signature == signatures[0]
    slow = [replace(answer, milliseconds=answer.milliseconds + 1000) for answer in said]
    assert analyzed(slow).signature not in signatures
    assert analyzed(said, rules=StudyRules(pay="0.05")).signature == signatures[5]
