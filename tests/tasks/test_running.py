"""Scores of a task: those of ``errorbar score``, counted once, and never from an entry that belongs to other bytes."""

from __future__ import annotations

import errno
import json
import random
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from errorbar import Corpus, Hypothesis, Problems, Resampling, Score
from errorbar.api import CorpusStudy
from errorbar.core import InputError
from errorbar.formats import read_corpus
from errorbar.reporting import board_report, format_markdown
from errorbar.tasks import CorpusResults, TaskResults, baselines, run_task, study_best
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine
from tests.helpers.scoring import score
from tests.tasks.small import GOLD, RUNS, SOURCE, TASK, make_task

KILLS = 50


def results_of(path: Path, problems: Problems | None = None, jobs: int = 1) -> TaskResults:
    results = run_task(path, jobs=jobs)
    if problems is not None:
        problems.notes += results.notes
    return results


def corpus_of(results: TaskResults) -> CorpusResults:
    (corpus,) = results.corpora
    return corpus


def f_values(results: TaskResults) -> dict[str, list[float | None]]:
    return {run.submission.name: [score.f.value for score in run.gold] for run in corpus_of(results).runs}


def plain(corpus: Corpus, text: Hypothesis, *specs: str) -> list[Score]:
    return score(corpus, [text], specs, by_type=True)


@pytest.mark.parametrize("jobs", [1, 3])
def test_scores_and_signatures_are_those_of_score(jobs: int, tmp_path: Path) -> None:
    path = make_task(tmp_path)
    corpus = read_corpus(tmp_path / "gold.m2")
    for results in (results_of(path, jobs=jobs), results_of(path, jobs=jobs)):  # counted, and then from the cache
        for run in corpus_of(results).runs:
            text = Hypothesis(run.submission.name, RUNS[f"{run.submission.team}/run{run.submission.run}.txt"])
            assert list(run.gold) == plain(corpus, text, "m2", "m2(beta=1)")
            for annotator, single in run.single.items():
                assert [single] == score(corpus, [text], [f"m2(choose={annotator})"])


def test_the_best_run_of_each_team_best_first(tmp_path: Path) -> None:
    corpus = corpus_of(results_of(make_task(tmp_path)))
    assert [run.submission.name for run in corpus.best()] == ["one-2", "two-1"]


def test_the_best_team_comes_first_wherever_it_stands(tmp_path: Path) -> None:
    head, first, second = TASK.split("[[team]]")
    corpus = corpus_of(results_of(make_task(tmp_path, "[[team]]".join((head, second + "\n", first)))))
    assert [run.submission.name for run in corpus.runs] == ["two-1", "one-1", "one-2"]
    assert [run.submission.name for run in corpus.best()] == ["one-2", "two-1"]
    (tmp_path / "one" / "run1.txt").write_text("\n".join(RUNS["one/run2.txt"]) + "\n")
    (tmp_path / "two" / "run1.txt").write_text("\n".join(RUNS["one/run2.txt"]) + "\n")
    # Of equal runs the first, of equal teams the one that the file names first.
    assert [run.submission.name for run in corpus_of(results_of(tmp_path / "task.toml")).best()] == ["two-1", "one-1"]


def test_changed_sentences_and_annotators_against_each_other(tmp_path: Path) -> None:
    for _ in range(2):  # counted, and then from the cache
        corpus = corpus_of(results_of(make_task(tmp_path)))
        assert {run.submission.name: run.n_changed for run in corpus.runs} == {"one-1": 2, "one-2": 4, "two-1": 3}
        pairs = {(writer, judge): counts.counts for writer, judge, counts in corpus.pairs}
        # 0 makes five edits, 1 three; both change "like" to "likes", and that alone.
        assert {names: tuple(counts.values()) for names, counts in pairs.items()} == {
            ("0", "1"): (1, 5, 3),
            ("1", "0"): (1, 3, 5),
        }


def test_an_unchanged_task_counts_nothing_and_a_new_run_itself(tmp_path: Path) -> None:
    path = make_task(tmp_path)
    first = results_of(path)
    # Three runs, two annotators' texts.
    assert (first.n_measured, first.n_found) == (5, 0)
    again = results_of(path)
    assert (again.n_measured, again.n_found, f_values(again)) == (0, 5, f_values(first))
    assert (tmp_path / ".errorbar-task" / ".gitignore").read_text().splitlines()[-1] == "*"
    (tmp_path / "two" / "run2.txt").write_text("\n".join(RUNS["one/run1.txt"]) + "\n")
    assert results_of(path).n_measured == 0, "the same bytes as another run"
    (tmp_path / "two" / "run2.txt").write_text("\n".join(RUNS["one/run1.txt"]).replace("goes", "went") + "\n")
    assert results_of(path).n_measured == 1


def test_notes_are_the_same_from_the_cache(tmp_path: Path) -> None:
    path = make_task(tmp_path, TASK.replace('gold = "gold.m2"', 'gold = "gold.m2"\nlenient = true', 1))
    twice = "A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0\n"
    (tmp_path / "gold.m2").write_text(GOLD.replace(twice, twice + twice))
    first, second = Problems(), Problems()
    results_of(path, first)
    results_of(path, second)
    assert [note.code for note in first.notes] == ["edit-duplicate"]
    assert second.notes == first.notes


def test_a_lenient_board_takes_edits_that_overlap(errorbar: CommandLine, tmp_path: Path) -> None:
    path = make_task(tmp_path, TASK.replace('gold = "gold.m2"', 'gold = "gold.m2"\nlenient = true', 1))
    edit = "A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0\n"
    overlapping = "A 1 3|||Vform|||goes|||REQUIRED|||-NONE-|||0\n"
    (tmp_path / "gold.m2").write_text(GOLD.replace(edit, edit + overlapping))
    board = errorbar("task", "board", path, "-o", tmp_path / "board", "--resamples", "50")
    assert board.code == 0, board.err
    assert (tmp_path / "board" / "index.html").is_file()


def test_a_changed_gold_file_is_counted_again(tmp_path: Path) -> None:
    path = make_task(tmp_path)
    before = f_values(results_of(path))
    (tmp_path / "gold.m2").write_text(GOLD.replace("|||goes|||", "|||going|||"))
    changed = results_of(path)
    assert changed.n_found == 0
    assert f_values(changed)["one-1"] != before["one-1"]
    (tmp_path / "gold.m2").write_text(GOLD)
    assert (results_of(path).n_measured, f_values(results_of(path))) == (0, before)


def test_a_changed_parameter_of_the_map_is_counted_again_and_one_of_the_fold_is_not(tmp_path: Path) -> None:
    path = make_task(tmp_path)
    results_of(path)
    path.write_text(TASK.replace('"m2", ', '"m2(max_unchanged=0)", '))
    assert results_of(path).n_measured == 5
    path.write_text(TASK.replace('"m2", ', '"m2(beta=2)", '))
    assert results_of(path).n_measured == 0


def test_another_version_counts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_task(tmp_path)
    results_of(path)
    monkeypatch.setattr(baselines, "__version__", "9.9.9")
    assert results_of(path).n_found == 0


def test_the_hash_of_the_code_is_of_names_and_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    module = tmp_path / "metrics" / "sub" / "one.py"
    module.parent.mkdir(parents=True)
    monkeypatch.setattr(baselines, "files", lambda _: tmp_path)

    def now() -> str:
        baselines.code_hash.cache_clear()
        return baselines.code_hash()

    try:
        seen = [now()]
        module.write_text("x = 1\n")
        seen.append(now())
        module.write_text("x = 2\n")
        seen.append(now())
        module = module.rename(module.with_name("two.py"))
        seen.append(now())
        module.with_suffix(".so").write_bytes(b"1")
        seen.append(now())
        assert len(set(seen)) == 5
        module.with_suffix(".txt").write_text("no code")
        assert now() == seen[-1]
    finally:
        baselines.code_hash.cache_clear()


def test_changed_code_counts_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_task(tmp_path)
    results_of(path)
    monkeypatch.setattr(baselines, "code_hash", lambda: "other code")
    assert results_of(path).n_found == 0


def entries(folder: Path) -> list[Path]:
    return sorted((folder / ".errorbar-task").glob("*/*.statistics"))


@pytest.mark.parametrize("damage", ["cut", "bit", "empty", "swapped"])
def test_damaged_entries_are_counted_again_with_a_note(damage: str, tmp_path: Path) -> None:
    path = make_task(tmp_path)
    right = f_values(results_of(path))
    for entry in entries(tmp_path):
        content = bytearray(entry.read_bytes())
        if damage == "bit":
            content[len(content) * 3 // 4] ^= 4
        elif damage == "swapped":  # a whole entry of another key
            content = bytearray(entries(tmp_path)[0].read_bytes())
        entry.write_bytes(content[: {"cut": len(content) // 2, "empty": 0}.get(damage, len(content))])
    problems = Problems()
    results = results_of(path, problems)
    assert f_values(results) == right
    # Of the swapped ones the first is still itself.
    assert [note.code for note in problems.notes] == ["task-cache-damaged"] * (4 if damage == "swapped" else 5)
    assert results_of(path).n_measured == 0


def test_bad_runs_are_listed_and_the_others_scored(tmp_path: Path, errorbar: CommandLine) -> None:
    path = make_task(tmp_path)
    (tmp_path / "one" / "run2.txt").write_text("too short\n")
    (tmp_path / "two" / "run1.txt").write_bytes(b"\xff\n" * 4)
    for _ in range(2):  # measured, and then from the cache
        results = results_of(path)
        assert [(each.submission.name, [p.code for p in each.problems]) for each in results.refused] == [
            ("one-2", ["line-count"]),
            ("two-1", ["not-utf8"] * 4),
        ]
        (run,) = corpus_of(results).runs
        assert run.submission.name == "one-1"
        assert list(run.gold) == plain(
            read_corpus(tmp_path / "gold.m2"), Hypothesis("one-1", RUNS["one/run1.txt"]), "m2", "m2(beta=1)"
        )
    done = errorbar("task", "run", path, "--format", "json")
    assert done.code == 2
    (corpus,) = validated("task-run", done.out)["corpora"]
    assert [run["team"] for run in corpus["runs"]] == ["one"]
    assert [(each["team"], each["errors"][0]["code"]) for each in corpus["refused"]] == [
        ("one", "line-count"),
        ("two", "not-utf8"),
    ]
    assert "run2.txt: 1 line for 4 sentences" in done.err
    board = errorbar("task", "board", path, "--tables-only", "-o", tmp_path / "board")
    assert board.code == 2
    assert "one-2 | 1" in (tmp_path / "board" / "tables.md").read_text()


@pytest.mark.parametrize("key", ["alternatives", "annotators"])
def test_references_over_other_sentences(key: str, tmp_path: Path) -> None:
    path = make_task(tmp_path, TASK.replace('gold = "gold.m2"', f'gold = "gold.m2"\n{key} = "alt.m2"', 1))
    (tmp_path / "alt.m2").write_text(GOLD.replace("He go", "She go"))
    with pytest.raises(InputError, match=r"alt.m2 and gold.m2 differ in sentences.*task-other-source"):
        results_of(path)


def test_a_cache_that_cannot_be_written(tmp_path: Path) -> None:
    path = make_task(tmp_path)
    (tmp_path / ".errorbar-task").write_text("a file, not a folder")
    with pytest.raises(InputError, match=r"the cache cannot be used.*task-cache"):
        results_of(path)


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = make_task(tmp_path)
    (tmp_path / ".errorbar-task").mkdir()

    def full(*_: object) -> None:
        raise OSError(errno.ENOSPC, "no space left")

    monkeypatch.setattr(Path, "replace", full)
    with pytest.raises(InputError, match=r"the cache cannot be used: .*no space left; name another folder: cache="):
        results_of(path)
    assert [each.name for each in (tmp_path / ".errorbar-task").glob("*/*")] == []


@dataclass(frozen=True)
class Inner:
    """Arrays in a part of statistics."""

    counts: NDArray[np.int32]
    names: tuple[str, ...]


@dataclass(frozen=True)
class Outer:
    """Everything that statistics are made of."""

    table: NDArray[np.int64]
    empty: NDArray[np.int32]
    inner: Inner | None
    nothing: Inner | None
    number: int
    share: float


def test_an_entry_is_what_was_put() -> None:
    outer = Outer(
        np.arange(6).reshape(2, 3), np.zeros((0, 2), np.int32), Inner(np.ones(2, np.int32), ("ü", "")), None, 3, 0.5
    )
    content = baselines.pack(outer, "key")
    unpacked = baselines.unpack(content, "key", Outer)
    assert isinstance(unpacked, Outer)
    for mine, theirs in ((unpacked.table, outer.table), (unpacked.empty, outer.empty)):
        assert (mine.tolist(), mine.dtype, mine.shape) == (theirs.tolist(), theirs.dtype, theirs.shape)
    assert unpacked.inner is not None
    assert (unpacked.inner.counts.tolist(), unpacked.inner.names) == ([1, 1], ("ü", ""))
    assert (unpacked.nothing, unpacked.number, unpacked.share) == (None, 3, 0.5)
    assert baselines.unpack(content, "other", Outer) is None
    assert baselines.unpack(content, "key", Inner) is None, "of another making"
    for at in range(0, len(content), 7):
        damaged = bytearray(content)
        damaged[at] ^= 1
        assert baselines.unpack(bytes(damaged), "key", Outer) is None


def command(path: Path) -> list[str]:
    return [
        str(Path(sys.executable).with_name("errorbar")),
        "task",
        "run",
        str(path),
        "--format",
        "json",
        "--jobs",
        "2",
    ]


def many_runs(folder: Path, n_lines: int) -> Path:
    """A task with five teams of four runs, large enough to be interrupted."""
    path = make_task(
        folder,
        TASK.split("[[team]]")[0] + "".join(f'[[team]]\nname = "t{k}"\nsubmissions = "t{k}"\n' for k in range(5)),
    )
    (folder / "gold.m2").write_text((GOLD + "\n") * n_lines)
    (folder / "source.txt").write_text("\n".join(SOURCE * n_lines) + "\n")
    rng = random.Random(0)
    texts = list(RUNS.values())
    for team in range(5):
        (folder / f"t{team}").mkdir()
        for run in range(4):
            lines = [rng.choice(texts)[at] for _ in range(n_lines) for at in range(4)]
            (folder / f"t{team}" / f"run{run}.txt").write_text("\n".join(lines) + "\n")
    return path


def scores_in(output: str) -> list[object]:
    return [[run["gold"] for run in corpus["runs"]] for corpus in json.loads(output)["corpora"]]


def test_two_at_once_do_no_harm(tmp_path: Path) -> None:
    path = many_runs(tmp_path, 50)
    both = [
        subprocess.Popen(command(path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) for _ in range(2)
    ]
    ended = [process.communicate(timeout=1500) for process in both]
    assert [process.returncode for process in both] == [0, 0], ended
    assert scores_in(ended[0][0]) == scores_in(ended[1][0])
    problems = Problems()
    again = results_of(path, problems)
    assert problems.notes == []
    assert f_values(again) == {
        f"{run['team']}-{run['run']}": [row["f"] for row in run["gold"]]
        for run in json.loads(ended[0][0])["corpora"][0]["runs"]
    }


@pytest.mark.slow
def test_killed_at_any_moment_it_resumes_and_no_number_is_wrong(tmp_path: Path) -> None:
    """Fifty kills, at moments from before anything is imported to the end of what a whole run takes here and now."""
    path = many_runs(tmp_path, 400)
    rng = random.Random(14)
    start = time.monotonic()
    uncached = subprocess.run(
        [*command(path), "--cache", str(tmp_path / "elsewhere")],
        capture_output=True,
        text=True,
        check=True,
        timeout=1500,
    )
    whole = time.monotonic() - start
    right = scores_in(uncached.stdout)
    n_entries = len(list((tmp_path / "elsewhere").glob("*/*.statistics")))
    n_killed = n_amid = 0
    for _ in range(4 * KILLS):
        before = entries(tmp_path)
        process = subprocess.Popen(command(path), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        time.sleep(rng.uniform(0.05, whole))
        process.send_signal(signal.SIGKILL)
        output, _ = process.communicate(timeout=1500)
        after = entries(tmp_path)
        if process.returncode == 0:
            assert scores_in(output) == right
        else:
            assert process.returncode == -signal.SIGKILL
            n_killed += 1
            n_amid += len(before) < len(after) < n_entries
        if n_killed == KILLS:
            break
        if rng.random() < 0.4:  # what is there now is right, whatever was stopped; the next ones need something to do
            for entry in after:
                if rng.random() < 0.7:
                    entry.unlink()
    assert n_killed == KILLS
    assert n_amid > 0  # some were stopped between two entries
    done = subprocess.run(command(path), capture_output=True, text=True, check=True, timeout=1500)
    assert scores_in(done.stdout) == right
    assert json.loads(done.stdout)["warnings"] == []


def test_what_the_command_prints_follows_its_schema(tmp_path: Path, errorbar: CommandLine) -> None:
    path = make_task(tmp_path, TASK.replace('gold = "gold.m2"', 'gold = "gold.m2"\nalternatives = "gold.m2"', 1))
    done = errorbar("task", "run", path, "--format", "json")
    document = validated("task-run", done.out)
    assert done.err == "3 runs: 5 measured, 3 from the cache\n", "the alternatives are the same bytes"
    assert [run["run"] for run in document["corpora"][0]["runs"]] == [1, 2, 1]
    table = errorbar("task", "run", path)
    assert [line.split()[0] for line in table.out.splitlines()[2:8]] == ["one-2"] * 2 + ["one-1"] * 2 + ["two-1"] * 2


def test_notes_of_the_same_bytes_name_each_run(tmp_path: Path) -> None:
    path = make_task(tmp_path)
    sources = [" ".join(f"{letter}{word}" for word in range(8)) for letter in "abcdefghijklmnop"]
    (tmp_path / "gold.m2").write_text(
        "".join(f"S {line}\nA 0 1|||X|||x|||REQUIRED|||-NONE-|||0\n\n" for line in sources)
    )
    (tmp_path / "source.txt").write_text("\n".join(sources) + "\n")
    shifted = [*sources[:4], *[line + " !" for line in sources[5:8]], *sources[7:]]
    for name in RUNS:
        (tmp_path / name).write_text("\n".join(shifted) + "\n")
    for _ in range(2):
        problems = Problems()
        results_of(path, problems)
        shown = [note.place.file for note in problems.notes if note.code == "shifted-lines"]
        assert shown == [str(tmp_path / name) for name in RUNS]


def test_a_bad_gold_file_says_the_key_that_has_it_repaired(tmp_path: Path) -> None:
    path = make_task(tmp_path)
    (tmp_path / "gold.m2").write_text(GOLD.replace("A 4 5|||Nn", "A 4 15|||Nn"))
    with pytest.raises(
        InputError, match=r"gold.m2:7: .*or set lenient = true \(the edit is dropped\) \[span-outside\]"
    ):
        results_of(path)


def test_a_run_for_other_data_of_the_same_length_is_refused(tmp_path: Path) -> None:
    path = make_task(tmp_path)
    (tmp_path / "gold.m2").write_text("\n".join([GOLD] * 6))
    for name, lines in {"source.txt": SOURCE, **RUNS}.items():
        (tmp_path / name).write_text("\n".join(lines * 6) + "\n")
    (tmp_path / "two" / "run1.txt").write_text("other words in every line of this file\n" * 24)
    results = results_of(path)
    assert [run.submission.name for run in corpus_of(results).runs] == ["one-1", "one-2"]
    (refused,) = results.refused
    assert "two/run1.txt:1: of 24 lines, 24 are unlike the source's" in str(refused.problems[0])
    assert [each.code for each in refused.problems] == ["not-this-source"]


def test_without_gold_edits_or_runs_there_is_nothing_to_score_and_no_failure(tmp_path: Path) -> None:
    path = make_task(tmp_path, TASK.replace('gold = "gold.m2"\n', "", 1))
    problems = Problems()
    assert results_of(path, problems).corpora == ()
    assert [note.code for note in problems.notes] == ["task-no-gold"]
    path.write_text(TASK.split("[[team]]")[0] + '[[team]]\nname = "later"\n')
    results = results_of(path)
    assert corpus_of(results).runs == []
    assert "later" in format_markdown(board_report(results))


def test_a_study_has_every_metric_and_the_essays(tmp_path: Path) -> None:
    documents = 'gold = "gold.m2"\ndocuments = "essays.sgml"'
    path = make_task(tmp_path, TASK.replace('gold = "gold.m2"', documents, 1))
    essay = '<DOC nid="{}">\n<TEXT>\n<P>\n{}\n</P>\n</TEXT>\n<ANNOTATION teacher_id="0">\n</ANNOTATION>\n</DOC>\n'
    texts = [" ".join(SOURCE[:1]), " ".join(SOURCE[1:])]
    (tmp_path / "essays.sgml").write_text(
        "".join(essay.format(nid, text.replace(" .", ".")) for nid, text in enumerate(texts, 1))
    )
    results = results_of(path)
    assert corpus_of(results).n_documents == 2
    (study,) = study_best(results, Problems(), Resampling(replicates=20), browse=False)
    assert isinstance(study, CorpusStudy)
    assert [each.system for each in study.scores] == ["one", "two"]
    assert "m2(beta=1)" in study.others
    assert (study.n_documents, study.unit, study.browse) == (2, "document", None)


@pytest.mark.parametrize("out", ["board", "boards/spring"])
def test_a_task_that_is_refused_leaves_no_folder(errorbar: CommandLine, tmp_path: Path, out: str) -> None:
    path = make_task(tmp_path, TASK.replace("[task]", "[task]\nnonsense = 1", 1))
    before = {*tmp_path.iterdir()}
    assert errorbar("task", "board", path, "--tables-only", "-o", tmp_path / out).code == 2
    assert {*tmp_path.iterdir()} == before
