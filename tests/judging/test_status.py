"""A study as it stands."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import errorbar
from errorbar import Resampling
from errorbar.core import Undefined
from errorbar.judging import RATER, JudgedItem, Scheme, Store, Study, StudyRules, load_scheme, read_study
from errorbar.judging.quality import gold_answers
from errorbar.judging.study.figures import forecast, item_figures
from errorbar.judging.study.status import StudyStatus, explain_no_end, progress_table, status_of
from errorbar.judging.web.live_status import LiveStatus
from tests.judging.small_stores import StoredAnswer, fill, filled

ERROR_OK, CHOICE = load_scheme("error-ok"), load_scheme("choice")
OK, ERROR, UNKNOWN = ({"judgment": label} for label in ("ok", "error", "unknown"))
WORK = [JudgedItem(f"w{n}", "He sat on it .", (7, 9), hidden={"flag_a": str(n % 2), "flag_b": "yes"}) for n in range(4)]
GOLD = [JudgedItem(f"g{n}", "He sat", kind="gold", answers=(("error", "ok")[n % 2],)) for n in range(4)]
RULES = StudyRules(raters_per_item=2)


def status(
    said: Sequence[StoredAnswer],
    items: Sequence[JudgedItem] = (*WORK, *GOLD),
    scheme: Scheme = ERROR_OK,
    rules: StudyRules = RULES,
) -> StudyStatus:
    with filled(scheme, items, said, rules) as tx:
        return status_of(read_study(tx), 1000.0, Resampling("percentile", 200), items=True)


BOTH = [StoredAnswer(who, f"w{n}", OK if n % 2 else ERROR) for n in range(4) for who in ("ann", "bob")]


def test_a_study_that_is_complete() -> None:
    found = status(BOTH)
    going = found.progress
    assert (going.n_items, going.n_done, going.n_open, going.n_untouched, going.n_gold) == (4, 4, 0, 0, 4)
    assert (going.counted, going.wanted, going.raters, going.median_seconds) == (8, 8, 2, 3.0)
    assert (found.forecast.to_go, found.forecast.why) == (0, "complete")
    assert found.agreement.alpha.value == found.agreement.kappa.value == 1
    assert [(x.item, x.state, x.label, x.labels) for x in found.items[:2]] == [
        ("w0", "done", "error", {"error": 2}),
        ("w1", "done", "ok", {"ok": 2}),
    ]


def test_what_counts_and_what_does_not() -> None:
    said = [
        StoredAnswer("ann", "w0", OK),
        StoredAnswer("ann", "w1", None, state="open"),
        StoredAnswer("ann", "w2", None, state="skipped", skip="unreadable"),
        StoredAnswer("bob", "w0", ERROR, state="extra"),
        StoredAnswer("eve", "w3", OK, state="aside"),
        StoredAnswer("ann", "g0", OK),
        StoredAnswer("ann", "w3", UNKNOWN),
    ]
    found = status(said)
    going = found.progress
    assert (going.counted, going.held, going.skipped, going.extra, going.aside) == (2, 1, 1, 1, 1)
    assert (going.n_open, going.n_untouched) == (2, 2)
    assert found.agreement.n_judgments == 1  # Unknown is a judgment not given
    assert [(x.rater, x.n_judgments, x.n_counted) for x in found.raters] == [
        ("ann", 2, 2),
        ("bob", 1, 0),
        ("eve", 1, 0),
    ]


def test_nobody_yet() -> None:
    found = status([])
    assert found.forecast.why == "nobody judged yet"
    assert found.agreement.alpha.undefined is Undefined.NO_UNITS
    assert (found.raters, found.systems) == ([], [])
    assert [table.name for table in found.tables()] == ["progress", "agreement", "raters", "items"]


@pytest.mark.parametrize(
    ("said", "why"),
    [
        ([StoredAnswer("ann", "w0", OK)], Undefined.TOO_FEW_RATERS),
        ([StoredAnswer("ann", "w0", OK), StoredAnswer("bob", "w1", OK)], Undefined.TOO_FEW_RATERS),
        ([StoredAnswer("ann", "w0", OK), StoredAnswer("bob", "w0", OK)], Undefined.ONE_LABEL),
    ],
    ids=["one", "apart", "alike"],
)
def test_agreement_that_there_is_none_of_has_a_reason(said: list[StoredAnswer], why: Undefined) -> None:
    found = status(said).agreement
    assert (found.alpha.value, found.alpha.undefined) == (None, why)


def test_nobody_agrees() -> None:
    found = status([StoredAnswer("ann", "w0", OK), StoredAnswer("bob", "w0", ERROR)]).agreement
    assert found.observed.value == 0
    assert found.alpha.value == 0  # one item: what is observed is what is expected
    assert found.alpha.no_interval is Undefined.ONE_UNIT


def test_gold_by_class_trust_and_kappa_with_the_gold() -> None:
    said = [StoredAnswer("ann", f"g{n}", OK) for n in range(4)]
    found = status([*said, StoredAnswer("bob", "g0", ERROR), StoredAnswer("bob", "g1", UNKNOWN)])
    ann, bob = found.raters
    assert {name: (x.value, x.n_units) for name, x in ann.gold_by_class.items()} == {"error": (0, 2), "ok": (1, 2)}
    assert (ann.gold.value, ann.trust) == (0.5, 0.5)
    assert (bob.gold.value, bob.gold.n_units, bob.trust) == pytest.approx((1, 1, 2 / 3))
    # Five answers: said OK OK OK OK Error; true Error OK Error OK Error. A_o 3/5, A_e (1*3 + 4*2)/25.
    assert found.agreement.gold.value == pytest.approx((0.6 - 0.44) / 0.56)
    assert found.agreement.gold.n_clusters == 2


def test_who_is_excluded_is_not_in_the_kappa_with_the_gold() -> None:
    good = [StoredAnswer("ann", f"g{n}", (ERROR, OK)[n % 2]) for n in range(4)]
    bad = [StoredAnswer("bob", f"g{n}", (OK, ERROR)[n % 2]) for n in range(4)]
    assert status([*good, *bad]).agreement.gold.value == pytest.approx(0)
    with filled(ERROR_OK, (*WORK, *GOLD), [*good, *bad], RULES) as tx:
        tx.execute(RATER.update().where(RATER.c.name == "bob").values(status="excluded"))
        found = status_of(read_study(tx), 1000.0, Resampling("percentile", 200), items=True)
    assert (found.agreement.gold.value, found.agreement.gold.n_units) == (1, 4)


def test_systems_by_their_hidden_flags() -> None:
    found = {(name, score.estimand): score for name, score in status(BOTH).systems}
    assert set(found) == {(name, kind) for name in ("a", "b") for kind in ("weighted", "majority")}
    assert found["b", "weighted"].precision.value == 0.5
    assert (found["a", "weighted"].hits, found["a", "weighted"].misses) == (0, 2)  # it flags w1 and w3, which are OK
    assert status(BOTH, scheme=ERROR_OK, items=[JudgedItem(f"w{n}", "x") for n in range(4)]).systems == []


def test_hidden_columns_of_flags_are_called_so_and_are_whole() -> None:
    """Also those that the first item does not have; of a drawn set, a note says what their scores are not."""
    some = [{"flagged": "yes", "set": "0123456789abcdef"}, {"flagged": "no", "flag:lm": "1", "flagship": "no"}] * 2
    items = [JudgedItem(f"w{n}", "He sat on it .", (7, 9), hidden=hidden) for n, hidden in enumerate(some)]
    found = status(BOTH, items)
    assert {name for name, _ in found.systems} == {"flagged"}
    assert {score.f.value for _, score in found.systems} == {1}
    assert [note.code for note in found.notes] == ["judge-flags", "crowd-drawn"]
    assert "'flag:lm' says neither yes nor no of 2 of 4 items, first 'w0'" in found.notes[0].what


def test_flags_that_are_given() -> None:
    with filled(ERROR_OK, WORK, BOTH, RULES) as tx:
        found = status_of(read_study(tx), 0.0, None, {"mine": {f"w{n}": n % 2 == 0 for n in range(4)}})
    assert [(name, score.f.value) for name, score in found.systems] == [("mine", 1), ("mine", 1)]


def test_repeats_and_sides() -> None:
    items = [JudgedItem(f"c{n}", "on it", (0, 2), candidates=("on", "in"), names=("x", "y")) for n in range(3)]
    top, bottom = {"better": "top"}, {"better": "bottom"}
    said = [
        StoredAnswer("ann", "c0", top),
        StoredAnswer("ann", "c1", top, reversed=True),
        StoredAnswer("ann", "c2", {"better": "equal"}),
        StoredAnswer("ann", "c0", bottom, round="repeat", reversed=True),
        StoredAnswer("ann", "c1", top, round="repeat"),
    ]
    (ann,) = status(said, items, CHOICE).raters
    assert (ann.repeats.value, ann.repeats.n_units) == (0.5, 2)
    assert ann.top is not None
    assert (ann.top.value, ann.top.n_units) == (1, 2)


def test_haste_and_speed() -> None:
    said = [StoredAnswer("ann", f"w{n}", OK, milliseconds=100, at=1000.0 + 30 * n) for n in range(3)]
    (ann,) = status([*said, StoredAnswer("ann", "w3", OK, milliseconds=9000, at=9000.0)]).raters
    assert (ann.n_hasty, ann.n_pauses, ann.median_seconds) == (3, 1, 0.1)
    assert ann.per_hour == pytest.approx(120)  # the pause of two hours is taken out
    assert ann.last == 9000


def test_an_item_that_was_stopped_needs_no_more() -> None:
    with filled(ERROR_OK, WORK[:2], BOTH[:3], RULES, stopped={"w1": "enough"}) as tx:
        found = status_of(read_study(tx), 0.0, items=True)
    assert (found.progress.wanted, found.progress.counted, found.progress.n_stopped) == (3, 3, 1)
    assert (found.forecast.why, found.items[1].state, found.items[1].stopped) == ("complete", "stopped", "enough")


def test_a_page_of_items() -> None:
    with filled(ERROR_OK, [*WORK, *GOLD], BOTH) as tx:
        study = read_study(tx)
    assert [each.item for each in item_figures(study, 1, 2)] == ["w1", "w2"]
    assert item_figures(study, 9, 2) == []


def test_how_long_the_rate_was_measured_is_said_in_minutes_at_first() -> None:
    with filled(ERROR_OK, WORK, BOTH) as tx:
        found = status_of(read_study(tx), 0.0)
    said = []
    for hours in (0.004, 0.2, 2.5):
        table = progress_table("", found.progress, replace(found.forecast, per_hour=60.0, window_hours=hours))
        said.append({row[0]: row[1] for row in table.rows})
    assert [each["judgments per hour"] for each in said] == [
        "60 (of the last minute)",
        "60 (of the last 12 minutes)",
        "60 (of the last 2.5 hours)",
    ]


def test_the_forecast_by_hand() -> None:
    at = np.array([60.0 * n + 30 for n in range(120)])  # one a minute for two hours
    found = forecast(at, 60, 7200.0)
    assert found.window_hours == pytest.approx(7170 / 3 / 3600)
    assert found.per_hour == pytest.approx(40 / found.window_hours)
    assert found.finish == pytest.approx(7200 + 3600, abs=20)
    half = 2.200985 * 40**0.5 / found.window_hours
    assert found.earliest == pytest.approx(7200 + 3600 * 60 / (found.per_hour + half))
    assert found.latest == pytest.approx(7200 + 3600 * 60 / (found.per_hour - half))


@pytest.mark.parametrize(
    ("at", "now", "why"),
    [
        ([], 0.0, "nobody judged yet"),
        ([400.0 * n for n in range(19)], 7200.0, "too early"),
        ([float(n) for n in range(500)], 500.0, "too early"),
        ([float(n) for n in range(500)], 1e6, "nobody is at work"),
        ([7.0], 7.0, "too early"),
    ],
    ids=["none", "few", "short", "gone", "now"],
)
def test_no_forecast_without_a_rate(at: list[float], now: float, why: str) -> None:
    found = forecast(np.array(at), 10, now)
    assert (found.finish, found.why) == (None, why)


def test_one_burst_leaves_the_end_open() -> None:
    found = forecast(np.array([0.0, *(float(n) for n in range(5400, 5460)), 6400.0]), 10, 7200.0)
    assert found.finish is not None
    assert found.latest is None


def test_a_burst_at_the_start_promises_no_end() -> None:
    burst = [2.4 * n for n in range(500)]  # twenty minutes
    slow = [1200.0 + 120 * n for n in range(1, 61)]  # then one in two minutes, for two hours
    found = forecast(np.array([*burst, *slow]), 200, 8400.0)
    assert found.finish == pytest.approx(8400 + 200 * 120, rel=0.05)
    rare = [1200.0 + 300 * n for n in range(1, 25)]
    found = forecast(np.array([*burst, *rare]), 200, 8400.0)
    assert (found.finish, found.why) == (None, "too early")
    assert explain_no_end(found) == "too early to tell before 20 judgments in 47 minutes"


def test_from_a_folder(tmp_path: Path) -> None:
    def made(study: Study) -> None:
        with Store.create(study.url) as store, store.exclusive() as tx:
            fill(tx, ERROR_OK, [*WORK, *GOLD], BOTH, RULES)

    study = Study.create(tmp_path / "study", made)
    found = errorbar.judge_status(tmp_path / "study", items=True, resamples=100)
    json.dumps(found.to_dict(), allow_nan=False)
    assert found.to_dict()["progress"] == errorbar.judge_status(study, ci=False).to_dict()["progress"]
    with study.store(read_only=True) as store:
        live = LiveStatus(study, store, clock=lambda: 5.0)
        first = live.status()
        assert (first.at, first.progress, live.status() is first) == (5.0, found.progress, True)
        items, of = live.items(1, 2)
        assert ([each.item for each in items], of) == ([each.item for each in found.items[1:3]], len(found.items))


@pytest.mark.parametrize("raters", [("r10", "r9"), ("r10", "r2", "r9")], ids=["two", "three"])
def test_agreement_has_the_digits_of_agree_on_the_export_in_any_order(raters: Sequence[str], tmp_path: Path) -> None:
    items = [JudgedItem(f"w{n}", "He sat on it .", (7, 9)) for n in range(30)]
    options = [{"validity": label} for label in ("valid", "not-valid", "cannot-tell")]
    labels = np.random.default_rng(1).choice(3, (len(items), len(raters)), p=[0.6, 0.35, 0.05])
    said = [
        StoredAnswer(rater, item.name, options[label])
        for item, row in zip(items, labels, strict=True)
        for rater, label in zip(raters, row, strict=True)
    ]

    def made(study: Study) -> None:
        with Store.create(study.url) as store, store.exclusive() as tx:
            fill(tx, load_scheme("edit-valid"), items, said, RULES)

    study = Study.create(tmp_path / "study", made)
    errorbar.judge_export(study, tmp_path / "j.csv")
    header, *rows = (tmp_path / "j.csv").read_text().splitlines()
    (tmp_path / "turned.csv").write_text("\n".join([header, *rows[::-1]]))
    found = errorbar.judge_status(study, resamples=200).agreement
    for name in ("j.csv", "turned.csv"):
        table = errorbar.agree(tmp_path / name, labels="unknown=cannot-tell", resamples=200).report.coefficients
        kappa = table["cohen" if len(raters) == 2 else "fleiss"]
        assert (found.observed, found.alpha, found.kappa) == (table["observed"], table["krippendorff"], kappa)


def test_the_same_on_every_store(store_url: str) -> None:
    with Store.create(store_url) as store:
        store.write(lambda tx: fill(tx, ERROR_OK, [*WORK, *GOLD], [*BOTH, StoredAnswer("ann", "g0", OK)], RULES))
        with store.read() as tx:
            found = status_of(read_study(tx), 1000.0, Resampling("percentile", 200), items=True)
        with store.exclusive() as tx:
            assert gold_answers(tx, ERROR_OK, 1).counted() == [("error", False)]
    expected = status([*BOTH, StoredAnswer("ann", "g0", OK)])
    assert found.to_dict() == expected.to_dict()
