"""Many samples of a corpus that is judged whole: each is one that a user could have drawn, judged and estimated."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from numpy.typing import NDArray

import errorbar as library
from errorbar import ErrorbarError, Judgments
from errorbar.core import UsageError
from errorbar.sampling import Frame, judge_sample
from errorbar.sampling.draw import Truth
from errorbar.sampling.estimators import Rehearsal, rehearse
from errorbar.stats import stream
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

N, FLAGGED, RATERS = 600, 150, 5
ITEMS = tuple(f"i{number:03}" for number in range(N))
SHARES = np.where(np.arange(N) < FLAGGED, 0.6, 0.08)
RNG = np.random.default_rng(6)
SAID = np.asarray(RNG.random((N, RATERS)) < RNG.beta(SHARES, 1 - SHARES)[:, None])
VOTES = Judgments.from_matrix([["error" if said else "ok" for said in row] for row in SAID.tolist()])
VOTES = Judgments(VOTES.item, VOTES.rater, VOTES.label, ITEMS, VOTES.raters, VOTES.labels)
FLAGS = np.arange(N) < FLAGGED
FRAME = Frame(ITEMS, FLAGS[None])
PLAN: dict[str, Any] = {"budget": 120, "target": "F"}


def test_a_sample_of_a_rehearsal_is_one_that_can_be_drawn_and_estimated() -> None:
    """The first of them, with the commands' own functions."""
    seed = int(stream(4, "sample", "rehearsal", "draws").integers(2**31, size=3)[0])
    drawn = library.sample_draw(FRAME, seed=seed, **PLAN)
    rows = np.flatnonzero(np.isin(VOTES.item, [ITEMS.index(item) for item in drawn.key.items()]))
    said = library.sample_estimate(VOTES.take(rows), key=drawn.key, truth="graded").found.systems[0]
    n = np.bincount(list(drawn.key.items().values()))
    found = rehearse(FRAME, VOTES, Rehearsal(n, truth="graded", seed=4), 3)
    for row in found:
        estimate = said[row.name].estimate
        assert estimate.interval is not None
        assert (row.values[0], row.lows[0], row.highs[0]) == (
            estimate.value,
            estimate.interval.low,
            estimate.interval.high,
        )
    # More repetitions change none of the first ones.
    more = rehearse(FRAME, VOTES, Rehearsal(n, truth="graded", seed=4, raters=2), 5)
    less = rehearse(FRAME, VOTES, Rehearsal(n, truth="graded", seed=4, raters=2), 2)
    assert [row.values[:2].tolist() for row in more] == [row.values.tolist() for row in less]


def test_the_frame_is_hashed_once_however_many_samples_are_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    start_hash = Mock(side_effect=sha256)
    monkeypatch.setattr("errorbar.sampling.frame.sha256", start_hash)
    rehearse(Frame(ITEMS, FLAGS[None]), VOTES, Rehearsal(np.array([60, 60])), 5)
    start_hash.assert_called_once_with()


@pytest.mark.parametrize(("truth", "estimand"), [("graded", "weighted"), ("majority", "majority")])
def test_the_truth_is_what_the_crowd_says_of_everything(truth: Truth, estimand: str) -> None:
    found = library.sample_rehearse(FRAME, VOTES, truth=truth, repetitions=2, **PLAN)
    (row,) = [row for row in library.crowd(VOTES, {"mine": FLAGS}, ci=False).rows if row.score.estimand == estimand]
    values = [row.score.precision.value, row.score.recall.value, row.score.f.value]
    assert [row.truth for row in found.rows] == pytest.approx(values, abs=1e-12)
    any_ = library.sample_rehearse(FRAME, VOTES, truth="any", repetitions=2, **PLAN).rows
    errors: NDArray[np.bool_] = np.asarray(SAID.any(axis=1))
    assert [row.truth for row in any_[:2]] == pytest.approx([errors[FLAGS].mean(), errors[FLAGS].sum() / errors.sum()])


@pytest.mark.slow
def test_intervals_hold_the_truth_as_often_as_they_say() -> None:
    """2,000 samples: a share is known to ± 1 point; near-exact intervals are a little wide."""
    one_rater = VOTES.only(["1"])
    found = library.sample_rehearse(FRAME, one_rater, repetitions=2000, **PLAN)
    for row in found.rows:
        assert row.bias.interval is not None
        assert abs(row.bias.value or 0) < 0.015
        assert 0.935 < (row.coverage.value or 0) < 0.985
        assert row.coverage.interval is not None
        assert row.coverage.interval.low < (row.coverage.value or 0) < row.coverage.interval.high
        # Half-widths are those of the spread: 1.96 standard deviations, wider for the exactness.
        assert 1.8 < (row.half_width or 0) / row.spread < 2.7
    assert found.judgments == (120, N)


@pytest.mark.slow
def test_asking_fewer_raters_keeps_graded_scores_and_moves_those_of_a_majority() -> None:
    graded = library.sample_rehearse(FRAME, VOTES, truth="graded", raters=2, repetitions=600, **PLAN)
    assert graded.judgments == (240, 2 * N)
    for row in graded.rows:
        assert abs(row.bias.value or 0) < 0.02
        assert (row.coverage.value or 0) > 0.93
    anybody = library.sample_rehearse(FRAME, VOTES, truth="any", raters=1, repetitions=200, **PLAN)
    assert all((row.bias.value or 0) < -0.02 for row in anybody.rows[:1])  # one rater is not all five


def test_raters_are_drawn_anew_for_each_item(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Judgments] = []

    def keep(judgments: Judgments, *rest: Any, **more: Any) -> Any:  # noqa: ANN401 - passes on what it gets
        asked.append(judgments)
        return judge_sample(judgments, *rest, **more)

    monkeypatch.setattr("errorbar.sampling.estimators.judge_sample", keep)
    rehearse(FRAME, VOTES, Rehearsal(np.array([40, 60]), raters=2, truth="graded"), 20)
    whole, *samples = asked
    assert len(whole) == N * RATERS
    times = np.zeros(RATERS)
    for sample in samples:
        assert set(np.bincount(sample.item)[np.unique(sample.item)].tolist()) == {2}
        assert (len(np.unique(sample.item)), sample.n_repeated()) == (100, 0)
        times += np.bincount(sample.rater, minlength=RATERS)
    # 4,000 judgments: each rater gives a fifth of them, within 4 standard deviations.
    assert np.abs(times - 800).max() < 4 * np.sqrt(4000 * 0.2 * 0.8)


def test_where_everything_is_judged_nothing_is_left_open() -> None:
    one_rater = VOTES.only(["1"])
    found = library.sample_rehearse(FRAME, one_rater, budget=N, repetitions=3)
    for row in found.rows:
        assert row.bias.value == pytest.approx(0, abs=1e-12)
        assert row.spread == pytest.approx(0, abs=1e-12)
        assert (row.half_width, row.coverage.value, row.bias.interval) == (None, 1.0, None)
    assert any("600 judgments in place of 600, 0.00 % fewer" in note for note in found.tables()[0].notes)


def test_two_systems_and_their_difference(errorbar: CommandLine, tmp_path: Path) -> None:
    other = FLAGS.copy()
    other[100:200] = ~other[100:200]
    for name, flags in (("a", FLAGS), ("b", other)):
        rows = [f"{item},{int(flag)}" for item, flag in zip(ITEMS, flags.tolist(), strict=True)]
        (tmp_path / f"{name}.csv").write_text("item,flag\n" + "\n".join(rows))
    columns = VOTES.to_columns()
    rows = [
        ",".join(map(str, row)) for row in zip(*(columns[name] for name in ("item", "rater", "label")), strict=True)
    ]
    (tmp_path / "votes.csv").write_text("item,rater,label\n" + "\n".join(rows))
    files = [tmp_path / name for name in ("a.csv", "b.csv")]
    words = ("sample", "rehearse", *files, "--judged", tmp_path / "votes.csv", "--budget", 200, "--repetitions", 30)
    shown = errorbar(*words, "--truth", "graded", "--minutes", "0.5")
    assert shown.code == 0, shown.err
    assert [line.split()[:4] for line in shown.out.splitlines()[8:11]] == [["a", "−", "b", name] for name in "PRF"]
    assert "1,000 judgments in place of 3,000, 66.67 % fewer; 8.3 hours in place of 25.0" in shown.out
    found = validated("sample-rehearse", errorbar(*words, "--truth", "graded", "--format", "json").out)
    truths = {(row["system"], row["name"]): row["truth"] for row in found["rows"]}
    assert truths["", "P"] == pytest.approx(truths["a", "P"] - truths["b", "P"])
    assert errorbar(*words, "--truth", "graded", "--format", "json").out == json.dumps(found, indent=1) + "\n"


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"raters": 6}, "600 of 600 items have fewer than 6 judgments, first 'i000'"),
        ({"error": ["wrong"], "ok": ["error", "ok"]}, "nobody calls an item an error"),
        ({"ok": ["fine"]}, "no rater was to say 'ok'"),
        ({"budget": 601}, "at most 600"),
        ({"budget": None}, "neither a budget nor a half-width"),
        ({"truth": "most"}, "got 'most'"),
        ({"unknown": ["ok"], "ok": ["fine"]}, "items have no judgment, first"),
    ],
)
def test_what_cannot_be_rehearsed(change: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        library.sample_rehearse(FRAME, VOTES, **{**PLAN, "repetitions": 2, **change})


def test_files_that_will_not_do(tmp_path: Path) -> None:
    corpus, some = tmp_path / "gold.m2", tmp_path / "some.csv"
    corpus.write_text("S a b\nA 0 1|||X|||c|||REQUIRED|||-NONE-|||0\n")
    some.write_text("item,rater,label\ni000,a,error\n")
    for file, said in ((corpus, "this is a corpus"), (some, "599 of 600 items have no judgment, first 'i001'")):
        with pytest.raises(ErrorbarError, match=said):
            library.sample_rehearse(FRAME, file, **PLAN)
    key = library.sample_draw(FRAME, **PLAN).key
    with pytest.raises(ErrorbarError, match=r"this is a corpus.*errorbar crowd judgments makes one"):
        library.sample_estimate(corpus, key=key)


@pytest.mark.parametrize("wrong", [{"repetitions": 0}, {"raters": 0}])
def test_nothing_drawn_or_nobody_asked_is_refused(wrong: dict[str, Any]) -> None:
    (name,) = wrong
    with pytest.raises(UsageError, match=f"{name} must be from [12] to 1.*, got 0"):
        library.sample_rehearse(FRAME, VOTES, **{"repetitions": 2, **PLAN, **wrong})
