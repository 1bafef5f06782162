"""HOO data counted from its files, by one worker or several, is what is counted in memory."""

from __future__ import annotations

import os
import random
import shutil
import threading
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from errorbar import Problems, Score
from errorbar.core import Fragment, InputError, Problem, StandoffEdit, edits_record, text_record
from errorbar.edits import FragmentReading, apply_standoff, cut_fragments, read_run, standoff_runs
from errorbar.edits.standoff_runs import FragmentPiece
from errorbar.execute import Executor, Processes, Serial, choose_executor
from errorbar.formats import expand_runs, list_gold, list_run, read_gold, save_fragments
from errorbar.formats.hoo import save_text
from errorbar.metrics import Hoo, Run, hoo_plan, score_pieces, score_runs
from errorbar.metrics.hoo import COLUMNS, join
from tests.helpers.cli import CommandLine
from tests.helpers.standoff import fragment, standoff

METRICS = (Hoo(), Hoo(matching="maxmatch", edge_space=True))
N = 23


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Gold edits of 23 texts; a run of edits, one of corrected texts, and one of either."""
    rng = random.Random(3)
    gold, some = [], []
    for n in range(N):
        words = [rng.choice(("the", "cat", "sit", "on", "mats")) for _ in range(20)]
        text = " ".join(words) + "\n"
        edits = []
        for k in range(0, 20, 4):
            start = len(" ".join(words[:k])) + bool(k)
            kind = rng.choice(("MD", "RN", "S"))
            edits.append(
                StandoffEdit(f"{n}-{k}", start, start + len(words[k]), words[k], (f"w{n}",), n % 5 == k, type=kind)
            )
        gold.append(Fragment(str(1000 + n), tuple(edits), text))
        some.append(replace(gold[-1], edits=tuple(edits[: rng.randint(0, 5)])))
    save_fragments(gold, str(tmp_path / "set"), Problems(), texts=True)
    save_fragments(some, str(tmp_path / "T/edits"), Problems())
    save_fragments(some[::2], str(tmp_path / "T/mixed"), Problems())
    (tmp_path / "T/texts").mkdir()
    for n, one in enumerate(some):
        corrected = apply_standoff(one.text or "", one.edits)
        save_text(corrected, str(tmp_path / f"T/texts/{one.name}.txt"))
        if n % 2:
            save_text(corrected, str(tmp_path / f"T/mixed/{one.name}.txt"))
    return tmp_path


class Elsewhere(Serial):
    """Workers that cannot open the files."""

    def sees(self, paths: Sequence[str]) -> bool:
        return False


def counted(
    folder: Path, executor: Executor, *, lenient: bool = False, as_empty: bool = False
) -> tuple[list[Score], list[Problem]]:
    problems = Problems(lenient=lenient)
    gold = list_gold(str(folder / "set"))
    names = [one.name for one in gold]
    runs = {name: list_run(path, name, names, problems) for name, path in expand_runs([str(folder / "T")])}
    files = [replace(one, runs=tuple(run.get(one.name) for run in runs.values())) for one in gold]
    endings = [Run(run, problems, [n for n in names if n not in found], as_empty) for run, found in runs.items()]
    with executor:
        carry = not executor.sees([path for one in files for path in one.paths])
        pieces = cut_fragments(files, len(runs), lenient=lenient, carry=carry)
        scores = score_pieces(pieces, endings, hoo_plan(METRICS), problems, executor=executor)
    return scores, problems.notes


def in_memory(folder: Path, *, lenient: bool = False, as_empty: bool = False) -> tuple[list[Score], list[Problem]]:
    problems = Problems(lenient=lenient)
    gold = read_gold(str(folder / "set"), problems)
    runs = {
        name: read_run(path, name, gold, problems, missing_as_empty=as_empty)
        for name, path in expand_runs([str(folder / "T")])
    }
    problems.raise_errors()
    return score_runs(gold, runs, METRICS, problems), problems.notes


def comparable(outcome: tuple[list[Score], list[Problem]]) -> object:
    scores, notes = outcome
    return scores, sorted(str(note) for note in notes)


@pytest.mark.parametrize("files", [1, 30, pytest.param(1000, marks=pytest.mark.slow)])
def test_pieces_of_any_size_by_any_worker(folder: Path, files: int, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = comparable(in_memory(folder))
    monkeypatch.setattr(standoff_runs, "PIECE", files)
    for executor in (Serial(), Elsewhere(), Processes(2)):
        assert comparable(counted(folder, executor)) == expected


@pytest.mark.slow
def test_a_dask_cluster(folder: Path) -> None:
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    assert comparable(counted(folder, choose_executor(2, "local"))) == comparable(in_memory(folder))


def test_what_workers_cannot_open_is_sent_to_them(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All of its files are gone before the work on a piece begins."""
    expected = comparable(in_memory(folder))
    monkeypatch.setattr(FragmentPiece, "read", without_files(FragmentPiece.read))
    assert comparable(counted(folder, Elsewhere())) == expected


Read = Callable[[FragmentPiece], FragmentReading]


def without_files(read: Read) -> Read:
    """Reads a piece after its files are gone."""

    def late(piece: FragmentPiece) -> FragmentReading:
        moved = [(Path(path), Path(f"{path}.gone")) for one in piece.files for path in one.paths]
        for path, gone in moved:
            path.rename(gone)
        try:
            return read(piece)
        finally:
            for path, gone in moved:
                gone.rename(path)

    return late


def test_the_command_sends_along_what_workers_cannot_open(
    folder: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["score", "--metric", "hoo", "--gold", str(folder / "set"), str(folder / "T")]
    expected = errorbar(*arguments)
    monkeypatch.setattr("errorbar.api.hoo_score.choose_executor", lambda *_: Elsewhere())
    monkeypatch.setattr(FragmentPiece, "read", without_files(FragmentPiece.read))
    assert errorbar(*arguments) == expected


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
def test_nobody_looks_at_a_pipe_before_it_is_read(
    folder: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As a shell's ``<(zcat 1000.xml.gz)``: what a look takes from it is gone."""
    run, pipe = str(folder / "T/edits/1000.xml"), folder / "pipe"
    expected = errorbar("score", "--metric", "hoo", "--gold", str(folder / "set/Gold/1000.xml"), run)
    monkeypatch.setattr("errorbar.api.hoo_score.choose_executor", lambda *_: Elsewhere())
    os.mkfifo(pipe)
    content = (folder / "set/Gold/1000.xml").read_bytes()
    writing = threading.Thread(target=pipe.write_bytes, args=(content,), daemon=True)
    writing.start()
    text = str(folder / "set/Raw/1000.txt")
    done = errorbar("score", "--metric", "hoo", "--gold", str(pipe), run, "--source", text)
    writing.join(5)
    assert (done.code, figures(done.out)) == (0, figures(expected.out))


def figures(table: str) -> list[str]:
    return [line for line in table.splitlines() if not line.startswith("signature")]


def test_every_run_without_a_source_is_named_before_a_metric_needs_it(folder: Path, errorbar: CommandLine) -> None:
    shutil.rmtree(folder / "set/Raw")
    for file in sorted((folder / "set/Gold").iterdir())[2:]:  # two of them make errors enough
        file.unlink()
    runs = [str(folder / name) for name in ("a", "b")]
    for run in runs:
        shutil.copytree(folder / "T/texts", run)
    spec = "hoo(matching=maxmatch,edge_space=true)"
    done = errorbar("score", "--metric", spec, "--gold", str(folder / "set/Gold"), *runs)
    assert done.code == 2
    assert [f"error: {run}/1000.txt: no source text" in done.err for run in runs] == [True, True], done.err


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
def test_problems_come_gold_first_and_then_run_by_run(
    folder: Path, jobs: int, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine
) -> None:
    monkeypatch.setattr(standoff_runs, "PIECE", 4)
    for file in ("set/Gold/1003.xml", "set/Gold/1020.xml", "T/edits/1001.xml", "T/mixed/1022.xml"):
        place = folder / file
        place.write_text(place.read_text().replace("<original>", "<original>x", 1))
    (folder / "T/texts/1009.txt").write_text("Quite another story was told by quite other people in other words.\n")
    (folder / "T/texts/1010.txt").unlink()
    call = ("score", "--gold", folder / "set", folder / "T", "--jobs", jobs, "--no-ci")
    said = errorbar(*call).err.splitlines()
    order = ["set/Gold/1003.xml", "set/Gold/1020.xml", "T/edits/1001.xml", "T/mixed/1022.xml", "T/texts/1009.txt"]
    assert [line.split(":")[1].strip() for line in said] == [*(str(folder / file) for file in order), "T-texts"]
    assert errorbar(*call, "--lenient", "--metric", "hoo(missing=empty)").code == 0
    found = counted(folder, choose_executor(jobs), lenient=True, as_empty=True)
    notes = in_memory(folder, lenient=True, as_empty=True)[1]
    assert sorted(map(str, found[1])) == sorted(map(str, notes))


def test_reading_stops_where_nobody_reads_more_errors(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standoff_runs, "PIECE", 4)
    for n in range(N):
        (folder / f"T/texts/{1000 + n}.txt").write_text("Another story, told by quite other people in other words.\n")
    problems = Problems(limit=5)
    seen: list[int] = []
    gold = list_gold(str(folder / "set"))
    run = list_run(str(folder / "T/texts"), "it", [one.name for one in gold], problems)
    files = [replace(one, runs=(run.get(one.name),)) for one in gold]
    pieces = cut_fragments(files, 1, lenient=False)
    with pytest.raises(InputError) as error:
        score_pieces(pieces, [Run("it", problems)], hoo_plan(METRICS), problems, progress=seen.append)
    assert [each.code for each in error.value.problems] == ["hoo-not-a-correction"] * 5
    assert seen == [2, 4]


def test_a_fragment_without_a_text_is_an_error_before_any_metric_needs_it(folder: Path) -> None:
    (folder / "set/Raw/1004.txt").unlink()
    with pytest.raises(InputError) as error:
        counted(folder, Serial())
    assert {each.code for each in error.value.problems} == {"hoo-no-text"}
    assert str(folder / "set/Gold/1004.xml") in str(error.value)


def test_progress_is_told_in_fragments(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(standoff_runs, "PIECE", 10)
    seen: list[int] = []
    gold = list_gold(str(folder / "set"))
    pieces = cut_fragments(gold, 0, lenient=False)
    score_pieces(pieces, [], hoo_plan(METRICS), Problems(), progress=seen.append)
    assert seen == [10, 20, 23]


@pytest.mark.parametrize(
    "view",
    [
        ["--by", "type"],
        *(pytest.param(["--by", part], marks=pytest.mark.slow) for part in ("fragment", "team")),
        ["--ci", "--resamples", "50"],
    ],
)
def test_the_command_prints_the_same(
    folder: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch, view: list[str]
) -> None:
    monkeypatch.setattr(standoff_runs, "PIECE", 4)
    arguments = ["score", "--metric", "hoo", "--gold", str(folder / "set"), str(folder / "T"), *view]
    one = errorbar(*arguments, "--jobs", "1")
    assert one.code == 0
    assert errorbar(*arguments, "--jobs", "2") == one


def test_counts_are_joined_by_type() -> None:
    gold = [
        fragment(standoff(0, 1, "x", kind="MD"), name="a"),
        fragment(name="b"),
        fragment(standoff(0, 1, "x", kind="A"), standoff(2, 3, "x", kind="MD"), name="c"),
    ]
    system = [one.edits[:1] for one in gold]
    whole = Hoo().measure(gold, system)
    parts = join([Hoo().measure(gold[k : k + 1], system[k : k + 1]) for k in range(3)])
    assert parts.types == whole.types
    assert parts.counts.tolist() == whole.counts.tolist()
    assert parts.by_type.tolist() == whole.by_type.tolist()
    assert join([]).counts.shape == (0, len(COLUMNS))


def test_hashes_know_what_belongs_to_whom() -> None:
    """A text that moves to another fragment, or a name that moves its border, is another text."""
    one, two = fragment(text="a", name="1"), fragment(text="b", name="2")
    records = {text_record(each) for each in (one, two, replace(one, text="b"), replace(two, text="a"))}
    records |= {text_record(fragment(text="bc", name="a")), text_record(fragment(text="c", name="ab"))}
    assert len(records) == 6
    edits = (standoff(0, 1, "x"),)
    assert edits_record("1", edits) != edits_record("2", edits)
    assert edits_record("1", edits) != edits_record("1", (standoff(0, 1, "x", optional=True),))
    two_edits = (standoff(0, 1, "x", kind="MD"), standoff(2, 3, "y\n"))
    assert edits_record("1", two_edits) == edits_record("1", [two_edits[1], two_edits[0]._replace(type="")])
    assert "\n" not in edits_record("1\n", two_edits)
