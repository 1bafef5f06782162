"""``judge analyze`` of the preposition scheme: the counts of Tetreault and Chodorow 2008 as judgments of a study."""

from __future__ import annotations

import csv
from collections.abc import Sequence
from importlib.resources import files

import pytest

from errorbar import Resampling
from errorbar.agreement import PairTable
from errorbar.judging import JudgedItem, load_scheme, read_study
from errorbar.judging.analysis.study_analysis import StudyAnalysis, analysis_of
from tests.judging.small_stores import StoredAnswer, filled

SCHEME = load_scheme("preposition")
NAMES = {"extraneous": "extraneous", "wrong_choice": "incorrect", "ok": "correct"}
DRAWN = Resampling("percentile", 300)


def published(name: str) -> list[dict[str, str]]:
    text = files("errorbar.reproduce").joinpath("published", name).read_text(encoding="utf-8")
    return list(csv.DictReader(text.splitlines()))


def answer(rating: str, confidence: str = "high", **marks: Sequence[int]) -> dict[str, object]:
    none: dict[str, Sequence[int]] = {"spelling": [], "determiner": [], "grammar": []}
    return {**none, **marks, "rating": rating, "confidence": confidence}


def analyzed(said: Sequence[StoredAnswer], **hidden: dict[str, str]) -> StudyAnalysis:
    names = dict.fromkeys(each.item for each in said)
    items = [JudgedItem(name, "He sat on it .", (7, 9), hidden=hidden.get(name, {})) for name in names]
    with filled(SCHEME, items, said) as tx:
        return analysis_of(read_study(tx, whole=True), intervals=DRAWN)


def test_the_published_table_gives_the_published_agreement_and_kappa() -> None:
    """Table 3 has .952 and .630, of three categories."""
    said: list[StoredAnswer] = []
    for row in published("tetreault_chodorow2008_table3_confusion.csv"):
        for column, name in NAMES.items():
            for _ in range(int(row[column])):
                item = f"i{len(said) // 2}"
                said += [
                    StoredAnswer("first", item, answer(NAMES[row["rater1"]])),
                    StoredAnswer("second", item, answer(name)),
                ]
    found = analyzed(said)
    facts = {row["fact"]: float(row["value"]) for row in published("tetreault_chodorow2008_facts.csv")}
    for of in ("3 categories", "no context error", "all sure"):
        assert found.figure("categories", of, "items").value == 1336
        agreement, kappa = (found.figure("categories", of, measure) for measure in ("agreement", "kappa"))
        assert agreement.value is not None
        assert kappa.value is not None
        assert round(agreement.value, 3) == facts["overall_agreement"]
        assert round(kappa.value, 3) == facts["overall_kappa"]
        assert kappa.interval is not None
        assert (kappa.interval.low, kappa.interval.high) == pytest.approx((0.546, 0.713), abs=0.02)
    assert found.figure("categories", "2 categories", "kappa").value == pytest.approx(0.630524, abs=1e-6)
    assert found.figure("categories", "context errors", "items").value == 0
    assert isinstance(found.confusion, PairTable)
    assert (found.raters, found.confusion.labels) == (("first", "second"), ("extraneous", "incorrect", "ok"))
    assert found.confusion.counts.tolist() == [[17, 0, 6], [1, 42, 20], [4, 33, 1213]]


def test_items_by_context_errors_confidence_and_batch() -> None:
    said = [
        *(StoredAnswer("a", "i1", answer("correct")), StoredAnswer("b", "i1", answer("equal"))),
        *(StoredAnswer("a", "i2", answer("correct", grammar=[1])), StoredAnswer("b", "i2", answer("incorrect"))),
        *(StoredAnswer("a", "i3", answer("incorrect", "low")), StoredAnswer("b", "i3", answer("incorrect"))),
        *(StoredAnswer("a", "i4", answer("extraneous")), StoredAnswer("b", "i4", answer("incorrect"))),
    ]
    found = analyzed(said, i1={"batch": "1"}, i2={"batch": "1"}, i3={"batch": "2"})

    def observed(of: str) -> tuple[float | None, float | None]:
        items, agreement = (found.figure("categories", of, name).value for name in ("items", "agreement"))
        return items, agreement

    assert observed("4 categories") == (4, 0.25)
    assert observed("3 categories") == (4, 0.5)
    assert observed("2 categories") == (4, 0.75)
    assert observed("no context error") == pytest.approx((3, 2 / 3))
    assert observed("context errors") == (1, 0)
    assert observed("somebody unsure") == (1, 1)
    assert (observed("batch 1"), observed("batch 2")) == ((2, 0.5), (1, 1))


def test_one_rater_and_three() -> None:
    one = analyzed([StoredAnswer("a", "i1", answer("correct"))])
    assert str(one.figure("categories", "3 categories", "kappa").undefined) == "no item was judged by two raters"
    assert one.figure("agreement", "all judgments", "alpha").value is None
    three = analyzed([StoredAnswer(who, "i1", answer("correct")) for who in "abc"])
    assert str(three.figure("categories", "3 categories", "kappa").undefined) == "every judgment has the same label"
    assert three.raters == ()
    assert [table.name for table in three.tables()][-1] == "confusion"
