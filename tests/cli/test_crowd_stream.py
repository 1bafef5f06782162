"""``--stream``: the same numbers as from the whole table, and one line for what cannot be streamed."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from errorbar.core.problems import Problems

from errorbar.formats.judgment_blocks import judgment_blocks
from errorbar.formats.judgments_write import write_judgments
from errorbar.testing import accurate, simulate
from tests.helpers.cli import CommandLine


@pytest.fixture
def votes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made = simulate([accurate(0.8)] * 8, np.random.default_rng(3), n_items=300, per_item=6, prevalence=0.3)
    Path("votes.csv").write_text("\n".join(write_judgments(made.judgments)) + "\n")
    flags = zip(made.judgments.items, made.truth.tolist(), strict=True)
    Path("flags.csv").write_text("item,flag\n" + "".join(f"{item},{flag}\n" for item, flag in flags))
    return Path("votes.csv")


def test_the_majority_is_that_of_the_whole_table(votes: Path, errorbar: CommandLine) -> None:
    whole = errorbar("crowd", "aggregate", votes, "--method", "majority", "--format", "csv").out
    assert len(whole.splitlines()) == 301
    done = errorbar("crowd", "aggregate", votes, "--stream", "--format", "csv")
    assert (done.code, done.out) == (0, whole)
    assert "[crowd-stream-repeats]" in done.err
    assert errorbar("crowd", "aggregate", votes, "--stream", "--repeats", "keep", "--format", "csv").err == ""
    for options in ((), ("--summary",), ("--ties", "error")):
        call = ("crowd", "aggregate", votes, *options)
        assert errorbar(*call, "--stream").out == errorbar(*call, "--method", "majority").out


def test_scores_and_curves_are_those_of_the_whole_table(votes: Path, errorbar: CommandLine) -> None:
    for call in (("crowd", "score"), ("curve",), ("curve", "--kappa")):
        arguments = (*call, votes, "s=flags.csv", "--resamples", "50")
        assert errorbar(*arguments, "--stream").out == errorbar(*arguments).out
    rows = json.loads(errorbar("crowd", "score", votes, "s=flags.csv", "--stream", "--format", "json").out)["rows"]
    whole = json.loads(errorbar("crowd", "score", votes, "s=flags.csv", "--format", "json").out)["rows"]
    assert "|streamed|" in rows[0]["signature"]
    assert "|n:300|ann:8|" in rows[0]["signature"]
    assert [{**row, "signature": ""} for row in rows] == [{**row, "signature": ""} for row in whole]
    Path("flags.csv").write_text(Path("flags.csv").read_text().replace(",1\n", ",0\n", 1))
    other = json.loads(errorbar("crowd", "score", votes, "s=flags.csv", "--stream", "--format", "json").out)["rows"]
    assert other[0]["signature"] != rows[0]["signature"]


@pytest.mark.parametrize(
    "content",
    [
        "item,rater,label\nx,a,error\nx,b,ok\nx,c,error\ny,a,ok\n",
        "label;item;rater\r\nerror;x;a\r\nok;x;b\r\nerror;x;c\r\nok;y;a\r\n",
        "item,rater,label,time\nx,a,error,1\nx,b,ok,2\nx,c,error,3\ny,a,ok,4\n",
        "item,rater,label\nx,a,error\nx,b,ok\nx,c,error\nx,d,\ny,a,ok\nz,a,\n",
        '{"item":"x","rater":"a","label":"error"}\n{"item":"x","rater":"b","label":"ok"}\n'
        '{"item":"x","rater":"c","label":"error"}\n{"item":"y","rater":"a","label":"ok"}\n',
    ],
)
@pytest.mark.parametrize("zipped", [False, True])
def test_any_long_table_can_be_streamed(tmp_path: Path, errorbar: CommandLine, content: str, zipped: bool) -> None:
    path = tmp_path / ("votes.gz" if zipped else "votes.csv")
    path.write_bytes(gzip.compress(content.encode()) if zipped else content.encode())
    made = errorbar("crowd", "aggregate", path, "--stream", "--format", "csv")
    assert made.code == 0
    lines = made.out.splitlines()
    assert lines[:3] == [
        "item,majority,judgments,majority share",
        f"x,error,3,{2 / 3}",
        "y,ok,1,1.0",
    ]
    assert lines[3:] == (["z,unknown,0,"] if "z,a," in content else [])
    assert errorbar("crowd", "aggregate", "-", "--stream", "--format", "csv", stdin=path.read_bytes()).out == made.out


def test_a_table_that_stops_being_plain_is_read_on(tmp_path: Path) -> None:
    """The fast reader gives up after two of its blocks; every row comes once all the same."""
    rows = [f"i{k % 700},r{k % 5},{'ok' if k % 3 else 'error'}" for k in range(3000)]
    rows[2500] = "i7,r1,"
    path = tmp_path / "votes.csv"
    path.write_text("item,rater,label\n" + "\n".join(rows) + "\n")
    blocks = list(judgment_blocks(path, Problems()))
    read = [",".join(row) for block in blocks for row in zip(block.items, block.raters, block.labels, strict=True)]
    assert read == rows


def test_parquet_is_streamed_or_names_its_extra(tmp_path: Path, errorbar: CommandLine) -> None:
    path = tmp_path / "votes.parquet"
    try:
        import pyarrow.parquet
    except ImportError:
        done = errorbar("crowd", "aggregate", path, "--stream")
        assert (done.code, "errorbar[parquet]" in done.err) == (2, True)
        return
    rows = {"item": ["x", "x", "x", "y"], "rater": list("abca"), "label": ["error", "ok", "error", "ok"]}
    pyarrow.parquet.write_table(pyarrow.table(rows), path)
    out = errorbar("crowd", "aggregate", path, "--stream", "--format", "csv").out
    assert out.splitlines()[1:] == [f"x,error,3,{2 / 3}", "y,ok,1,1.0"]
    flags = tmp_path / "flags.parquet"
    pyarrow.parquet.write_table(pyarrow.table({"item": ["x", "y"], "flag": [1, 0]}), flags)
    for extra in ((), ("--stream",)):
        found = json.loads(errorbar("crowd", "score", path, flags, "--format", "json", *extra).out)["rows"]
        assert found[0]["hits"] == pytest.approx(2 / 3)
    pyarrow.parquet.write_table(pyarrow.table({**rows, "weight": [1.0] * 4}), path)
    assert "[judgments-stream]" in errorbar("crowd", "aggregate", path, "--stream").err


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("aggregate", "votes.csv", "--method", "dawid-skene"), "--method dawid-skene needs all judgments at once"),
        (("aggregate", "votes.csv", "--method", "trust"), "--method trust needs all judgments at once"),
        (("score", "votes.csv", "flags.csv", "--shares", "trust"), "--shares trust needs all judgments at once"),
        (("aggregate", "votes.csv", "--repeats", "first"), "--repeats first needs all judgments at once"),
        (("aggregate", "votes.csv", "--layout", "wide"), "--layout wide with --stream"),
        (("aggregate", "votes.csv", "--column", "seconds=t"), "--column seconds= with --stream"),
        (("aggregate", "votes.csv", "--column", "weight=t"), "judgments with weights cannot be counted"),
        (("aggregate", "weighted.csv"), "judgments with weights cannot be counted"),
        (("aggregate", "gold.m2"), "a corpus with --stream"),
        (("aggregate", "votes.csv", "--labels", "error,okay"), "judgments say 'ok', which is not declared"),
        (("aggregate", "votes.csv", "--unknown", "perhaps"), "no label 'perhaps' in the judgments"),
        (("aggregate", "empty.csv"), "there is no judgment"),
    ],
)
def test_what_cannot_be_streamed_is_one_line(
    votes: Path, errorbar: CommandLine, call: tuple[str, ...], said: str
) -> None:
    Path("weighted.csv").write_text("item,rater,label,weight\nx,a,ok,2\n")
    Path("gold.m2").write_text("S a b .\nA 0 1|||Det|||X|||REQUIRED|||-NONE-|||0\n\n")
    Path("empty.csv").write_text("item,rater,label\nx,a,\n")
    done = errorbar("crowd", *call, "--stream")
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert said in line


def test_labels_that_mean_unknown_are_left_out(tmp_path: Path, errorbar: CommandLine) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("item,rater,label\nx,a,skip\nx,b,ok\ny,a,skip\n")
    done = errorbar("crowd", "aggregate", path, "--stream", "--unknown", "skip", "--format", "csv")
    assert done.out.splitlines()[1:] == ["x,ok,1,1.0", "y,unknown,0,"]
    assert "2 judgments have a label that means unknown" in done.err
    assert "1 item has no judgment" in done.err


def test_memory_grows_with_items_and_not_with_judgments(tmp_path: Path) -> None:
    peaks = []
    for n in (40_000, 160_000):
        path = tmp_path / f"{n}.csv"
        with path.open("w") as out:
            out.write("item,rater,label\n")
            out.writelines(f"i{k % 1000},r{k % 40},{'ok' if k % 7 else 'error'}\n" for k in range(n))
        tally = Tally()
        tracemalloc.start()
        for block in judgment_blocks(path, Problems()):
            tally.add(block.items, block.labels)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert tally.counts().sum() == n
        assert len(tally.items) == 1000
    # A judgment kept whole would take some 30 bytes at least: 3.6 MB more.
    assert abs(peaks[1] - peaks[0]) < 200_000


@pytest.mark.parametrize(
    "option", [["--differing"], ["--prior", "1", "1"], ["--starts", "2"], ["--min-items", "3"], ["--passes", "9"]]
)
def test_options_of_what_cannot_be_streamed_are_refused(votes: Path, errorbar: CommandLine, option: list[str]) -> None:
    done = errorbar("crowd", "aggregate", votes, "--stream", *option)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {option[0]} is about methods that need all judgments at once")
    done = errorbar("crowd", "aggregate", votes, "--stream", "--items", "gaps")
    assert "--items is about edits that become judgments, and this is a table" in done.err
