"""Frames, strata, drawing, keys and the way back from judgments."""

from __future__ import annotations

import csv
import gzip
import json
import re
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from errorbar import Corpus, Hypothesis, Judgments, Problems, Sentence
from errorbar.core import InputError, natural_key
from errorbar.sampling import (
    Frame,
    Key,
    Labels,
    Quantity,
    Strata,
    blind_set,
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
from errorbar.sampling.draw import TRUTHS
from tests.helpers.expectations import expect_refusal, require

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
        assert read_frame([path]).content_hash == frame.content_hash
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
    with expect_refusal(code, kind=InputError) as caught:
        read_frame([path])
    assert str(caught.value.problems[0].place).endswith(where)


def test_two_systems_cross_their_flags(tmp_path: Path) -> None:
    first = save(["item,flag", "a,1", "b,1", "c,0", "d,0", "e,0"], tmp_path / "one.csv")
    second = save(["item,flag", "e,0", "d,0", "c,1", "b,0", "a,1"], tmp_path / "two.csv")
    strata, codes = stratify(read_frame([first, second]))
    assert strata.names == ("both", "only one", "only two", "neither")
    assert strata.sizes.tolist() == [1, 1, 1, 2]
    assert codes.tolist() == [0, 1, 2, 3, 3]
    assert strata.flags.tolist() == [[True, True, False, False], [True, False, True, False]]
    third = save(["item,flag", "x,0"], tmp_path / "three.csv")
    with pytest.raises(InputError) as caught:
        read_frame([first, third])
    assert [problem.code for problem in caught.value.problems] == ["sample-frames-differ"] * 2


def test_score_bands(frame: Frame) -> None:
    edges = score_edges(frame, 3)
    strata, codes = stratify(frame, edges)
    assert strata.names[0] == "flagged 1/3"
    assert strata.sizes.sum() == 40
    for at, name in enumerate(strata.names):
        band = int(name[-3]) - 1
        scores = require(frame.score)[codes == at]
        assert (np.searchsorted(edges, scores, side="right") == band).all()
    plain = Frame(frame.items, frame.flags)
    for bad in (lambda: score_edges(plain, 2), lambda: stratify(plain, [0.5]), lambda: score_edges(frame, 0)):
        with expect_refusal("sample-bands"):
            bad()


def test_flags_from_a_system_output() -> None:
    corpus = Corpus([Sentence("I go in school ."), Sentence("All is well .")], ())
    found = frame_of_systems(corpus, [Hypothesis("s", ["I go to school .", "All is well ."])], "tokens")
    assert [item for item, flag in zip(found.items, found.flags[0], strict=True) if flag] == ["1:2-3"]
    assert require(found.texts)[2] == "I go [in] school ."
    with expect_refusal("sample-frame"):
        frame_of_systems(corpus, [Hypothesis("s", ["one line"])])


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
    whole = draw_sample(frame, np.array([6, 15]), after=pilot)
    assert len(whole.rounds) == 2
    assert not set(whole.rounds[0].items) & set(whole.rounds[1].items)
    # One draw and two rounds choose the same items: together the rounds are one simple random sample.
    assert set(whole.items()) == set(draw_sample(frame, np.array([6, 15]), seed=9).items())
    with expect_refusal("sample-budget"):
        draw_sample(frame, np.array([3, 5]), after=pilot)
    other = Frame(frame.items, ~frame.flags)
    with expect_refusal("sample-frame-other", kind=InputError):
        draw_sample(other, np.array([6, 15]), after=pilot)


def test_more_than_there_is_cannot_be_drawn(frame: Frame) -> None:
    with expect_refusal("sample-size"):
        draw_sample(frame, np.array([11, 5]))


def test_keys_survive_and_changes_are_noticed(frame: Frame, tmp_path: Path) -> None:
    key = draw_sample(frame, np.array([5, 12]), seed=3)
    path = save(write_key(key), tmp_path / "key.json")
    again = read_key(path)
    assert again.items() == key.items()
    assert (again.frame, again.seed, again.strata.names) == (key.frame, 3, key.strata.names)
    record = json.loads(path.read_text())
    record["strata"][1]["size"] += 1
    path.write_text(json.dumps(record))
    with expect_refusal("sample-key-changed", kind=InputError):
        read_key(path)
    endless = re.sub(r'("items": \{"[^"]+": )\d+', r"\g<1>1e999", path.read_text())
    del record["strata"]
    for text in ("item,flag\n", json.dumps(record), endless):
        path.write_text(text)
        with expect_refusal("sample-key", kind=InputError):
            read_key(path)


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
    with expect_refusal("sample-other-set", kind=InputError):
        read_judged_files([mine], other, Problems())
    nameless = save(["item,rater,label", "i99,r,ok"], tmp_path / "nameless.csv")
    with expect_refusal("sample-other-set", kind=InputError):
        read_judged_files([nameless], key, Problems())
    item = next(iter(key.items()))
    save(["item,rater,label", f"{item},r,ok"], nameless)
    problems = Problems()
    read_judged_files([nameless], key, problems)
    assert [note.code for note in problems.notes] == ["sample-no-set"]
    with expect_refusal("sample-twice"):
        read_judged_files([mine, mine], key, Problems())


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
    with expect_refusal("sample-label") as caught:
        judge_sample(judgments(key, ["eror"]), key, Problems())
    assert "did you mean 'error'" in str(caught.value)
    problems = Problems()
    judged = judge_sample(judgments(key, ["dunno"]), key, problems, labels=Labels(unknown=["dunno"]))
    assert len(judged.items) == 16
    assert [note.code for note in problems.notes] == ["sample-unjudged"]
    empty = Judgments.from_columns([], [], [])
    with expect_refusal("sample-no-judgments"):
        judge_sample(empty, key, Problems())


def test_the_contents_of_a_frame_are_hashed_as_ever() -> None:
    # Keys that were written before name the frame by this.
    frame = Frame(("a", "b"), np.array([[True, False], [True, True]]), ("s", "t"), np.array([0.5, -1.0]))
    content = "a\x1f11\x1f0.5\nb\x1f01\x1f-1.0\n"
    assert frame.content_hash == sha256(content.encode()).hexdigest()[:12]
    bare = Frame(("a", "b"), np.array([[True, False]]), texts=("x", "y"))
    assert bare.content_hash == sha256(b"a\x1f1\x1f\nb\x1f0\x1f\n").hexdigest()[:12]


OLD_KEY = """{"format": "errorbar-sample-key", "version": 1, "frame": "8918d8d52e9e", "seed": 7, "edges": [-0.5],
"systems": ["system"], "strata": [{"name": "flagged 2/2", "size": 2, "flags": [true]},
{"name": "unflagged 1/2", "size": 1, "flags": [false]}, {"name": "unflagged 2/2", "size": 1, "flags": [false]}],
"rounds": [{"set": "b16df4eec081f837", "items": {"c": 1, "a": 0, "é": 2}}]}"""


def test_a_key_of_the_first_version_is_read_for_good(tmp_path: Path) -> None:
    key = read_key(save([OLD_KEY], tmp_path / "key.json"))
    assert (key.frame, key.seed, key.edges) == ("8918d8d52e9e", 7, (-0.5,))
    assert (key.strata.names[1], key.strata.sizes.tolist()) == ("unflagged 1/2", [2, 1, 1])
    assert key.strata.flags.tolist() == [[True, False, False]]
    assert [(draw_round.name, dict(draw_round.items)) for draw_round in key.rounds] == [
        ("b16df4eec081f837", {"c": 1, "a": 0, "é": 2})
    ]
    written = "\n".join(write_key(key))
    assert json.loads(written) == json.loads(OLD_KEY)
    assert '"é": 2' in written


@pytest.mark.parametrize(
    "change",
    [
        {"format": "other"},
        {"version": 2},
        {"rounds": []},
        {"rounds": {}},
        {"strata": {}},
        {"edges": "1"},
        {"systems": "system"},
        {"seed": "7"},
        {"rounds": [{"set": "b16df4eec081f837", "items": {"c": 3}}]},
        {"rounds": [{"set": "b16df4eec081f837", "items": {"c": -1}}]},
    ],
)
def test_what_is_no_key_is_refused(change: dict[str, object], tmp_path: Path) -> None:
    path = save([json.dumps({**json.loads(OLD_KEY), **change})], tmp_path / "key.json")
    with expect_refusal("sample-key", kind=InputError):
        read_key(path)


def test_words_for_flags_and_texts_of_some_items(tmp_path: Path) -> None:
    rows = ["item,flag,text", "a,TRUE,", "b,Yes,so be it", "c,error,", "d,1,", "e,False,", "f,no,", "g,OK,", "h,0,"]
    path = save(rows, tmp_path / "name.of.csv")
    frame = read_frame([path])
    assert frame.flags.tolist() == [[True] * 4 + [False] * 4]
    assert frame.texts == ("", "so be it", *[""] * 6)
    assert frame.systems == ("name",)
    assert frame.score is None
    assert read_frame([path, path], systems=("x", "y")).systems == ("x", "y")
    for paths, code in (([path, path], "same-name"), ([], "sample-systems"), ([path] * 3, "sample-systems")):
        with expect_refusal(code):
            read_frame(paths)


@pytest.mark.parametrize(
    ("items", "shape", "systems", "others", "code"),
    [
        ("ab", (1, 2), (), {}, "sample-systems"),
        ("ab", (3, 2), ("x", "y", "z"), {}, "sample-systems"),
        ("ab", (1, 3), ("x",), {}, "sample-frame"),
        ("aa", (1, 2), ("x",), {}, "sample-frame"),
        ("", (1, 0), ("x",), {}, "sample-frame"),
        ("ab", (2, 2), ("x", "x"), {}, "sample-frame"),
        ("ab", (1, 2), ("x",), {"score": np.zeros(3)}, "sample-frame"),
        ("ab", (1, 2), ("x",), {"texts": ("one",)}, "sample-frame"),
    ],
)
def test_frames_that_do_not_fit_are_refused(
    items: str, shape: tuple[int, int], systems: tuple[str, ...], others: dict[str, object], code: str
) -> None:
    with expect_refusal(code):
        Frame(tuple(items), np.zeros(shape, np.bool_), systems, **others)  # type: ignore[arg-type]  # wrong on purpose


def test_bands_are_of_equal_size_among_what_nobody_flags() -> None:
    # Items 0 to 3 are flagged by one system or both; the scores 4 to 11 of the others are cut at 6 and 2/3, 9 and 1/3.
    flags = np.array([[k < 2 for k in range(12)], [1 <= k < 4 for k in range(12)]])
    frame = Frame(tuple(f"i{k}" for k in range(12)), flags, ("s", "t"), np.arange(12.0))
    edges = score_edges(frame, 3)
    assert edges == pytest.approx((4 + 7 / 3, 4 + 14 / 3))
    strata, codes = stratify(frame, edges[::-1])  # in any order
    assert strata.names == ("both 1/3", "only s 1/3", "only t 1/3", "neither 1/3", "neither 2/3", "neither 3/3")
    assert strata.sizes.tolist() == [1, 1, 2, 3, 2, 3]
    assert codes.tolist() == [1, 0, 2, 2, 3, 3, 3, 4, 4, 5, 5, 5]
    assert [Quantity("P", strata, system).flagged for system in (0, 1)] == [2, 3]
    assert score_edges(Frame(frame.items, flags[:1]), 1) == ()
    whole = Frame(frame.items, np.ones((1, 12), np.bool_), score=np.arange(12.0))
    assert score_edges(whole, 3) == ()


def test_strata_that_do_not_fit_are_refused() -> None:
    for sizes, flags, systems, code in (
        ([1, 0], [[True, False]], ("s",), "sample-strata"),
        ([1], [[True, False]], ("s",), "sample-strata"),
        ([1, 1], [[True, False]], ("s", "t"), "sample-strata"),
        ([1, 1], [[True, False], [True, True]], ("s", "t"), "sample-one-class"),
        ([1, 1], [[False, False], [True, False]], ("s", "t"), "sample-one-class"),
    ):
        with expect_refusal(code):
            Strata(("a", "b"), np.array(sizes), np.array(flags), systems)


def test_as_many_numbers_as_strata_are_drawn(frame: Frame) -> None:
    for n in ([5], [5, 5, 5], [5, -1]):
        with expect_refusal("sample-strata"):
            draw_sample(frame, np.array(n))
    with expect_refusal("sample-budget"):
        draw_sample(frame, np.array([0, 0]))


def test_whole_sentences_of_two_systems() -> None:
    corpus = Corpus([Sentence("I go in school ."), Sentence("All is well .")], ())
    outputs = [
        Hypothesis("s", ["I go to school .", "All is well ."]),
        Hypothesis("t", ["I go to school .", "All was well ."]),
    ]
    found = frame_of_systems(corpus, outputs, "sentences")
    assert found.flags.tolist() == [[True, False], [True, True]]
    assert found.texts == ("I go in school .", "All is well .")
    chosen = frame_of_systems(corpus, outputs[:1], "words", words=("in", "All"))
    assert dict(zip(chosen.items, chosen.flags[0].tolist(), strict=True)) == {"1:2-3": True, "2:0-1": False}
    for systems in ([], [*outputs, Hypothesis("u", ["", ""])]):
        with expect_refusal("sample-systems"):
            frame_of_systems(corpus, systems)


def test_a_graded_sample_by_hand(frame: Frame) -> None:
    # Five of stratum 0, of which one has 2 of 3 raters who say error: x = 2/3, mean 2/15, mean of squares 4/45;
    # spread (4/45 - 4/225) / (2/15 * 13/15) = 8/13. That item adds 2/3 * 1/3 / 2 = 1/9; the others have one rater each.
    key = draw_sample(frame, np.array([5, 12]), seed=3)
    first = next(item for item, stratum in key.items().items() if stratum == 0)
    others = [item for item in key.items() if item != first]
    table = Judgments.from_columns(
        [first] * 3 + others, ["a", "b", "c"] + ["a"] * 16, ["error", "error", "ok"] + ["ok"] * 16
    )
    sample = judge_sample(table, key, Problems(), truth="graded").sample
    assert (sample.n.tolist(), sample.x.tolist()) == ([5, 12], pytest.approx([2 / 3, 0]))
    assert require(sample.spread).tolist() == pytest.approx([8 / 13, 1])
    assert require(sample.within).tolist() == pytest.approx([1 / 9, 0])
    assert require(sample.corrected).tolist() == [1, 0]
    # Ties of a majority have a spread, too, but are exact.
    tie = Judgments.from_columns([first] * 2 + others, ["a", "b"] + ["a"] * 16, ["error", "ok"] + ["ok"] * 16)
    half = judge_sample(tie, key, Problems()).sample
    # mean .1, mean of squares .05: (.05 - .01) / .09.
    assert require(half.spread).tolist() == pytest.approx([4 / 9, 1])
    assert (half.within, half.corrected) == (None, None)
    # Where every rater stands alone nothing is known of how they vary.
    alone = judge_sample(judgments(key, ["error"]), key, Problems(), truth="graded").sample
    assert alone.is_binary
    assert require(alone.corrected).tolist() == [0, 0]
    agreed = judge_sample(judgments(key, ["ok", "ok"]), key, Problems(), truth="graded").sample
    assert sorted(require(agreed.corrected).tolist()) == [0, 1]


def test_strata_without_a_judgment_count_none(frame: Frame) -> None:
    key = draw_sample(frame, np.array([5, 12]), seed=3)
    flagged = [item for item, stratum in key.items().items() if stratum == 0]
    for truth in TRUTHS:
        table = Judgments.from_columns(flagged[:1] * 2 + flagged[1:], ["b", *["a"] * 5], ["error", *["ok"] * 5])
        found = judge_sample(table, key, Problems(), truth=truth).sample
        assert found.n.tolist() == [5, 0]
        assert found.x.tolist() == [1 if truth == "any" else 0.5, 0]


def test_bad_use_of_judgments_has_a_name(frame: Frame, tmp_path: Path) -> None:
    key = draw_sample(frame, np.array([5, 12]), seed=3)
    stranger = Judgments.from_columns([*key.items(), "i99"], ["a"] * 18, ["ok"] * 18)
    for call, code in (
        (lambda: read_judged_files([], key, Problems()), "sample-no-judgments"),
        (lambda: judge_sample(stranger, key, Problems()), "sample-other-set"),
        (lambda: judge_sample(stranger, key, Problems(), truth="mean"), "sample-truth"),  # type: ignore[arg-type]  # wrong on purpose
    ):
        with expect_refusal(code):
            call()
    item, name = next(iter(key.items())), key.rounds[0].name
    other = save(["item,rater,label,set", f"{item},r,ok,0123"], tmp_path / "other.csv")
    with pytest.raises(InputError, match=f"the row is of the set 0123, the key of {name}"):
        read_judged_files([other], key, Problems())
    heavy = save(["item,text,rater,label,weight,set,mood", f"{item},t,r,ok,2,{name},fine"], tmp_path / "heavy.csv")
    problems = Problems()
    read_judged_files([heavy], key, problems)
    assert [note.code for note in problems.notes] == ["judgments-extra", "sample-weights"]
    shown = save(["item,text,rater,label,set", f"{item},t,r,ok,{name}"], tmp_path / "shown.csv")
    problems = Problems()
    read_judged_files([shown], key, problems)
    assert problems.notes == []


@pytest.mark.parametrize(("order", "sorted_first"), [("drawn", False), ("name", True), ("text", True)])
def test_a_set_that_was_sorted_and_judged_in_part_is_told(frame: Frame, order: str, sorted_first: bool) -> None:
    """What was judged is then no random part; the first ones in the order of drawing are."""
    key = draw_sample(frame, np.array([5, 12]), seed=3)
    drawn = list(key.items())
    part = {"drawn": drawn, "name": sorted(drawn, key=natural_key), "text": sorted(drawn)}[order][:8]
    problems = Problems()
    judge_sample(Judgments.from_columns(part, ["r"] * 8, ["ok"] * 8), key, problems)
    (note,) = problems.notes
    assert note.code == "sample-unjudged"
    assert ("the set was sorted" in note.what) == sorted_first
