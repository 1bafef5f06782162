"""Frames, strata, drawing, keys and the way back from judgments."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Iterable
from pathlib import Path

import numpy as np
import pytest

from errorbar.core.corpus import Corpus, Hypothesis, Sentence
from errorbar.core.errors import ErrorbarError, InputError, UsageError
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.sampling import (
    Frame,
    Key,
    blind_set,
    draw_more,
    draw_sample,
    frame_of_systems,
    judge_sample,
    read_frame,
    read_judged_files,
    read_key,
    score_edges,
    stratify,
    write_key,
)
from errorbar.sampling.judged import TRUTHS

FLAGS = "item,flag,score\n" + "".join(f"i{k},{int(k % 4 == 0)},{k / 40}\n" for k in range(40))


@pytest.fixture
def frame(tmp_path: Path) -> Frame:
    path = tmp_path / "flags.csv"
    path.write_text(FLAGS)
    return read_frame([path])


def save(lines: Iterable[str], path: Path) -> Path:
    path.write_text("\n".join(lines) + "\n")
    return path


def test_the_same_frame_from_csv_jsonl_and_gzip(frame: Frame, tmp_path: Path) -> None:
    rows = list(csv.DictReader(FLAGS.splitlines()))
    lines = [json.dumps({"item": r["item"], "flag": r["flag"] == "1", "score": float(r["score"])}) for r in rows]
    jsonl = save(lines, tmp_path / "flags.jsonl")
    packed = tmp_path / "flags.csv.gz"
    packed.write_bytes(gzip.compress(FLAGS.replace(",", "\t").encode()))
    for path in (jsonl, packed):
        assert read_frame([path]).content_hash() == frame.content_hash()
    assert frame.flags.sum() == 10
    assert len(frame) == 40


@pytest.mark.parametrize(
    ("text", "code", "where"),
    [
        ("", "table-empty", "f.csv"),
        ("item,flagged\na,1\n", "table-column", "f.csv:1"),
        ("item,flag\n", "sample-no-items", "f.csv"),
        ("item,flag\na,1\na,0\n", "sample-item", "f.csv:3"),
        ("item,flag\na,maybe\n", "sample-flag", "f.csv:2"),
        ("item,flag\n,1\n", "sample-item", "f.csv:2"),
        ("item,flag\na,1,2\n", "table-fields", "f.csv:2"),
        ("item,flag,score\na,1,x\n", "sample-score", "f.csv:2"),
        ("item,flag,score\na,1,.5\nb,0,\n", "sample-score", "f.csv"),
        ('{"item": "a", "flag": 1}\n{"item": "b"\n', "table-json", "f.csv:2"),
        ('{"item": "a", "flag": 1}\n{"item": "b"}\n', "table-column", "f.csv:2"),
    ],
)
def test_bad_flags_are_named_with_their_place(text: str, code: str, where: str, tmp_path: Path) -> None:
    path = tmp_path / "f.csv"
    path.write_text(text)
    with pytest.raises(InputError) as caught:
        read_frame([path])
    assert caught.value.code == code
    assert str(caught.value.problems[0].place).endswith(where)


def test_two_systems_cross_their_flags(tmp_path: Path) -> None:
    one = save(["item,flag", "a,1", "b,1", "c,0", "d,0", "e,0"], tmp_path / "one.csv")
    two = save(["item,flag", "e,0", "d,0", "c,1", "b,0", "a,1"], tmp_path / "two.csv")
    strata, codes = stratify(read_frame([one, two]))
    assert strata.names == ("both", "only one", "only two", "neither")
    assert strata.sizes.tolist() == [1, 1, 1, 2]
    assert codes.tolist() == [0, 1, 2, 3, 3]
    assert strata.flags.tolist() == [[True, True, False, False], [True, False, True, False]]
    three = save(["item,flag", "x,0"], tmp_path / "three.csv")
    with pytest.raises(InputError) as caught:
        read_frame([one, three])
    assert [problem.code for problem in caught.value.problems] == ["sample-frames-differ"] * 2


def test_score_bands(frame: Frame) -> None:
    edges = score_edges(frame, 3)
    strata, codes = stratify(frame, edges)
    assert strata.names[0] == "flagged 1/3"
    assert strata.sizes.sum() == 40
    assert frame.score is not None
    for at, name in enumerate(strata.names):
        band = int(name[-3]) - 1
        scores = frame.score[codes == at]
        assert (np.searchsorted(edges, scores, side="right") == band).all()
    plain = Frame(frame.items, frame.flags)
    for bad in (lambda: score_edges(plain, 2), lambda: stratify(plain, [0.5]), lambda: score_edges(frame, 0)):
        with pytest.raises(UsageError) as caught:
            bad()
        assert caught.value.code == "sample-bands"


def test_flags_from_a_system_output() -> None:
    corpus = Corpus([Sentence("I go in school ."), Sentence("All is well .")], ())
    found = frame_of_systems(corpus, [Hypothesis("s", ["I go to school .", "All is well ."])], "tokens")
    assert [item for item, flag in zip(found.items, found.flags[0], strict=True) if flag] == ["1:2-3"]
    assert found.texts is not None
    assert found.texts[2] == "I go [in] school ."
    with pytest.raises(UsageError) as caught:
        frame_of_systems(corpus, [Hypothesis("s", ["one line"])])
    assert caught.value.code == "sample-frame"


def test_the_set_is_blind_and_drawn_from_the_right_strata(frame: Frame) -> None:
    key = draw_sample(frame, np.array([5, 12]), seed=3)
    rows = list(csv.DictReader(blind_set(key, frame, ["r1", "r2"])))
    assert set(rows[0]) == {"item", "set", "rater", "label"}
    assert len({row["set"] for row in rows}) == 1
    assert {row["label"] for row in rows} == {""}
    flags = dict(zip(frame.items, frame.flags[0].tolist(), strict=True))
    drawn = [row["item"] for row in rows if row["rater"] == "r1"]
    assert len(set(drawn)) == 17
    assert sum(flags[item] for item in drawn) == 5
    assert [flags[item] for item in drawn] != sorted((flags[item] for item in drawn), reverse=True)
    assert all((stratum == 0) == flags[item] for item, stratum in key.items().items())
    assert draw_sample(frame, np.array([5, 12]), seed=3).items() == key.items()
    assert draw_sample(frame, np.array([5, 12]), seed=4).items() != key.items()


def test_who_knows_the_seed_alone_cannot_tell_the_strata() -> None:
    # Two frames over the same items with other flags: were the order told by the seed, the strata drawn would come out
    # at the same places of both sets.
    items = tuple(f"i{k}" for k in range(60))
    places = []
    for start in (0, 30):
        flags = np.array([[start <= k < start + 30 for k in range(60)]])
        drawn = draw_sample(Frame(items, flags), np.array([30, 30])).rounds[-1]
        places.append(list(drawn.items.values()))
    assert places[0] != places[1]


def test_every_item_is_drawn_equally_often(frame: Frame) -> None:
    counts = dict.fromkeys(frame.items, 0)
    for seed in range(400):
        for item in draw_sample(frame, np.array([5, 12]), seed=seed).items():
            counts[item] += 1
    drawn = np.array(list(counts.values()))
    for flagged, share, size in ((True, 5 / 10, 10), (False, 12 / 30, 30)):
        seen = drawn[frame.flags[0] == flagged]
        expected = 400 * share
        # Sum of squares of 400 draws without replacement: (size - 1) degrees of freedom; 3.3 standard errors.
        statistic = ((seen - expected) ** 2 / (expected * (1 - share))).sum() * (size - 1) / size
        assert abs(statistic - (size - 1)) < 3.3 * np.sqrt(2 * (size - 1))


def test_a_second_round_goes_on(frame: Frame) -> None:
    pilot = draw_sample(frame, np.array([3, 5]), seed=9)
    whole = draw_more(frame, np.array([6, 15]), pilot)
    assert len(whole.rounds) == 2
    assert not set(whole.rounds[0].items) & set(whole.rounds[1].items)
    # One draw and two rounds choose the same items: together the rounds are one simple random sample.
    assert set(whole.items()) == set(draw_sample(frame, np.array([6, 15]), seed=9).items())
    with pytest.raises(UsageError) as nothing:
        draw_more(frame, np.array([3, 5]), pilot)
    assert nothing.value.code == "sample-budget"
    other = Frame(frame.items, ~frame.flags)
    with pytest.raises(InputError) as caught:
        draw_more(other, np.array([6, 15]), pilot)
    assert caught.value.code == "sample-frame-other"


def test_more_than_there_is_cannot_be_drawn(frame: Frame) -> None:
    with pytest.raises(UsageError) as caught:
        draw_sample(frame, np.array([11, 5]))
    assert caught.value.code == "sample-size"


def test_keys_survive_and_changes_are_noticed(frame: Frame, tmp_path: Path) -> None:
    key = draw_sample(frame, np.array([5, 12]), seed=3)
    path = save(write_key(key), tmp_path / "key.json")
    again = read_key(path)
    assert again.items() == key.items()
    assert (again.frame, again.seed, again.strata.names) == (key.frame, 3, key.strata.names)
    record = json.loads(path.read_text())
    record["strata"][1]["size"] += 1
    path.write_text(json.dumps(record))
    with pytest.raises(InputError) as caught:
        read_key(path)
    assert caught.value.code == "sample-key-changed"
    del record["strata"]
    for text in ("item,flag\n", json.dumps(record)):
        path.write_text(text)
        with pytest.raises(InputError) as refused:
            read_key(path)
        assert refused.value.code == "sample-key"


def filled(key: Key, frame: Frame, raters: list[str]) -> list[str]:
    lines = list(blind_set(key, frame, raters))
    return [lines[0], *(line + ("error" if k % 3 == 0 else "ok") for k, line in enumerate(lines[1:]))]


def test_judgments_of_another_set_are_refused(frame: Frame, tmp_path: Path) -> None:
    key, other = (draw_sample(frame, np.array([5, 12]), seed=seed) for seed in (3, 4))
    mine = save(filled(key, frame, ["r"]), tmp_path / "mine.csv")
    problems = Problems()
    judged = judge_sample(read_judged_files([mine], key, problems), key, problems)
    assert problems.notes == []
    assert judged.sample.n.tolist() == [5, 12]
    assert judged.sample.x.sum() == 6
    with pytest.raises(InputError) as caught:
        read_judged_files([mine], other, Problems())
    assert caught.value.code == "sample-other-set"
    nameless = save(["item,rater,label", "i99,r,ok"], tmp_path / "nameless.csv")
    with pytest.raises(InputError) as unknown:
        read_judged_files([nameless], key, Problems())
    assert unknown.value.code == "sample-other-set"
    item = next(iter(key.items()))
    save(["item,rater,label", f"{item},r,ok"], nameless)
    problems = Problems()
    read_judged_files([nameless], key, problems)
    assert [note.code for note in problems.notes] == ["sample-no-set"]
    with pytest.raises(UsageError) as twice:
        read_judged_files([mine, mine], key, Problems())
    assert twice.value.code == "sample-twice"


def judgments(key: Key, labels: list[str]) -> Judgments:
    """The first drawn item with these labels, by as many raters; the others: ok."""
    first, *others = key.items()
    items = [first] * len(labels) + others
    raters = [f"r{k}" for k in range(len(labels))] + ["r0"] * len(others)
    return Judgments.from_columns(items, raters, labels + ["ok"] * len(others))


@pytest.mark.parametrize(
    ("labels", "majority", "anyone", "graded"),
    [
        (["error", "error", "ok"], 1, 1, 2 / 3),
        (["error", "ok", "ok"], 0, 1, 1 / 3),
        (["error", "ok"], 0.5, 1, 0.5),
    ],
)
def test_truths(frame: Frame, labels: list[str], majority: float, anyone: float, graded: float) -> None:
    key = draw_sample(frame, np.array([5, 12]), seed=3)
    table = judgments(key, labels)
    problems = Problems()
    found = [judge_sample(table, key, problems, truth=t).truth[0] for t in TRUTHS]
    assert found == pytest.approx([majority, anyone, graded])
    assert [note.code for note in problems.notes] == (["sample-ties"] if majority == 0.5 else [])


def test_labels_and_missing_judgments(frame: Frame) -> None:
    key = draw_sample(frame, np.array([5, 12]), seed=3)
    with pytest.raises(UsageError) as caught:
        judge_sample(judgments(key, ["eror"]), key, Problems())
    assert caught.value.code == "sample-label"
    assert "did you mean 'error'" in str(caught.value)
    problems = Problems()
    judged = judge_sample(judgments(key, ["dunno"]), key, problems, unknown=["dunno"])
    assert len(judged.items) == 16
    assert [note.code for note in problems.notes] == ["sample-unjudged"]
    empty = Judgments.from_columns([], [], [])
    with pytest.raises(ErrorbarError) as nothing:
        judge_sample(empty, key, Problems())
    assert nothing.value.code == "sample-no-judgments"
