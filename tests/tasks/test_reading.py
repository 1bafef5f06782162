"""A task's TOML file: what it means, and one clear line for whatever is wrong with it."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from errorbar.core import InputError
from errorbar.tasks import read_task
from errorbar.tasks.config import run_number
from tests.tasks.small import TASK, make_task


def test_runs_are_found_and_numbered_by_their_names(tmp_path: Path) -> None:
    task = read_task(make_task(tmp_path))
    assert [run.name for run in task.submissions("test")] == ["one-1", "one-2", "two-1"]
    assert task.metrics == ("m2", "m2(beta=1)")
    assert [corpus.role for corpus in task.corpora] == ["test", "dev"]


@pytest.mark.parametrize(
    ("name", "number"),
    [("CAMB-1.m2", 1), ("CAMB-12.m2.gz", 12), ("CAMB.m2", None), ("CAMB-3.txt", 3), ("run4", 4), ("CAMB-1.tok", None)],
)
def test_the_ending_of_a_file_is_no_number(name: str, number: int | None) -> None:
    assert run_number(Path(name)) == number


def test_names_without_numbers_are_numbered_in_their_order(tmp_path: Path) -> None:
    path = make_task(tmp_path)
    (tmp_path / "one" / "run1.txt").rename(tmp_path / "one" / "second")
    (tmp_path / "one" / "run2.txt").rename(tmp_path / "one" / "first")
    runs = [run for run in read_task(path).submissions("test") if run.team == "one"]
    assert [(run.run, run.path.name) for run in runs] == [(1, "first"), (2, "second")]


def test_runs_can_be_described_one_by_one(tmp_path: Path) -> None:
    runs = """\
[[team.run]]
number = 7
file = "one/run1.txt"
submitted = 2026-01-02T00:00:01Z

[[team.run]]
number = 8
file = "one/run2.txt"
submitted = 2026-01-02
"""
    text = TASK.replace('submissions = "one"\n', runs).replace("[[corpus]]", "\n[[corpus]]", 1)
    text = text.replace('name = "Small"', 'name = "Small"\ndeadline = 2026-01-02T00:00:00Z')
    one = read_task(make_task(tmp_path, text)).teams[0]
    # A date alone means its end.
    assert [(run.run, run.late) for run in one.submissions] == [(7, True), (8, True)]
    assert one.submissions[1].submitted == datetime(2026, 1, 2, 23, 59, 59, 999999, tzinfo=UTC)


def test_lateness_is_told_by_the_files_unless_it_is_said(tmp_path: Path) -> None:
    text = TASK.replace('name = "Small"', 'name = "Small"\ndeadline = 2026-01-02T00:00:00+01:00')
    path = make_task(tmp_path, text.replace('name = "two"', 'name = "two"\nlate = false'))
    for file, when in (("one/run1.txt", 22), ("one/run2.txt", 23), ("two/run1.txt", 23)):
        moment = datetime(2026, 1, 1, when, 0, 1 if when == 23 else 0, tzinfo=UTC).timestamp()
        os.utime(tmp_path / file, (moment, moment))
    runs = read_task(path).submissions("test")
    assert [(run.name, run.late) for run in runs] == [("one-1", False), ("one-2", True), ("two-1", False)]


WRONG = {
    "two teams of one name": (
        'name = "two"',
        'name = "one"',
        "task.toml:20: two teams are called 'one'",
        "task-same-name",
    ),
    "two corpora of one name": ('name = "dev"', 'name = "test"', "two corpora are called 'test'", "task-same-name"),
    "a key misspelt": ("submissions", "submision", "did you mean 'submissions'?", "task-key"),
    "a key of the task misspelt": (
        "metrics",
        "metric",
        "task.toml:3: [task] has no key 'metric'; did you mean",
        "task-key",
    ),
    "a table misspelt": (
        "[[team]]",
        "[[teams]]",
        "task.toml:15: a task has no table or key 'teams'; did you mean 'team'?",
        "task-key",
    ),
    "a table in a table misspelt": (
        'name = "one"',
        'name = "one"\n[[team.ran]]\nnumber = 1',
        "task.toml:17: [team] has no key 'ran'; did you mean 'run'?",
        "task-key",
    ),
    "a key given twice": (
        'name = "Small"',
        'name = "Small"\nname = "Large"',
        "task.toml:3: not valid TOML: this key or table is there already (expected each once); keep one of the two",
        "task-toml",
    ),
    "a table given twice": (
        "[[corpus]]",
        '[task]\nname = "Large"\n\n[[corpus]]',
        "not valid TOML: this key or table is there already",
        "task-toml",
    ),
    "a run beyond the allowed number": (
        'name = "Small"',
        'name = "Small"\nruns_per_team = 1',
        "run 2 of team one (run2.txt) is one more than the 1 allowed",
        "task-too-many-runs",
    ),
    "a missing folder": ('"two"\n', '"tow"\n', "did you mean 'two'?", "task-no-file"),
    "a missing gold file": ('gold = "gold.m2"', 'gold = "god.m2"', "did you mean 'gold.m2'?", "task-no-file"),
    "a pattern without files": ('gold = "gold.m2"', 'gold = "A*.m2"', "no file matches", "task-no-file"),
    "not valid TOML": ('name = "Small"', "name = Small", "task.toml:2: not valid TOML: invalid value", "task-toml"),
    "an unclosed text": ('submissions = "two"', 'submissions = "two', "not valid TOML", "task-toml"),
    "a metric misspelt": ('["m2", ', '["m3", ', "no metric is called 'm3'", "unknown-metric"),
    "a role misspelt": ('role = "dev"', 'role = "dve"', "did you mean 'dev'?", "task-value"),
    "a wrong type": (
        'name = "Small"',
        'name = "Small"\nruns_per_team = "many"',
        "a whole number above 0",
        "task-value",
    ),
    "a name that is no text": (
        'name = "Small"',
        "name = 3",
        "task.toml:2: name must be a text in quotes with something in it, got 3",
        "task-value",
    ),
    "an empty name": (
        'name = "Small"',
        'name = " "',
        "name must be a text in quotes with something in it, got ' '",
        "task-value",
    ),
    "submissions for a corpus that is none": (
        'submissions = "two"',
        'submissions = { tset = "two" }',
        "task.toml:21: no corpus is called 'tset'; did you mean 'test'?",
        "task-value",
    ),
    "a run for a corpus that is none": (
        'submissions = "two"',
        '[[team.run]]\nfile = "two/run1.txt"\ncorpus = "tset"',
        "no corpus is called 'tset'; did you mean 'test'?",
        "task-value",
    ),
    "a number among texts": (
        'submissions = "two"',
        'submissions = ["two", 3]',
        "submissions must be a text or a list of texts, got ['two', 3]",
        "task-value",
    ),
    "a number for texts": (
        'gold = "gold.m2"',
        "gold = 3",
        "gold must be a text or a list of texts, got 3",
        "task-value",
    ),
    "a run without a file": ('submissions = "two"', "[[team.run]]\nnumber = 1", 'expected file = "..."', "task-value"),
    "two test corpora and submissions for neither": (
        'role = "dev"\n',
        "",
        "2 test corpora, and the runs must name theirs",
        "task-value",
    ),
    "a date in quotes": ('name = "Small"', 'name = "Small"\ndeadline = "Friday"', "without quotes", "task-value"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_is_wrong_is_said_with_its_place(case: str, tmp_path: Path) -> None:
    old, new, message, code = WRONG[case]
    assert old in TASK
    with pytest.raises(InputError) as caught:
        read_task(make_task(tmp_path, TASK.replace(old, new)))
    assert message in str(caught.value)
    assert code in [problem.code for problem in caught.value.problems]
    assert all("\n" not in str(problem) and "task.toml" in str(problem) for problem in caught.value.problems)


def test_one_table_is_no_list_of_tables(tmp_path: Path) -> None:
    text = TASK.rpartition("[[team]]")[0].replace("[[team]]", "[team]")
    with pytest.raises(InputError, match=r"task.toml:15: 'team' is not a list of tables \(expected \[\[team\]\]\)"):
        read_task(make_task(tmp_path, text))
    with pytest.raises(InputError, match=r"'corpus' is not a list of tables"):
        read_task(make_task(tmp_path, 'corpus = "test"\n[task]\nname = "x"\n'))


def test_everything_wrong_is_said_at_once(tmp_path: Path) -> None:
    text = TASK.replace("metrics", "metric").replace('"two"\n', '"tow"\n')
    text = text.replace('name = "Small"', 'name = "Small"\nruns_per_team = 0')
    with pytest.raises(InputError) as caught:
        read_task(make_task(tmp_path, text))
    assert {problem.code for problem in caught.value.problems} == {"task-key", "task-no-file", "task-value"}


def test_two_runs_of_one_number(tmp_path: Path) -> None:
    path = make_task(tmp_path)
    (tmp_path / "one" / "again-2.txt").write_text("x\n")
    with pytest.raises(InputError, match=r"team one has two runs of number 2 .*task-same-run"):
        read_task(path)


def test_the_file_itself_is_missing_or_no_text(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no-such-file"):
        read_task(tmp_path / "none.toml")
    (tmp_path / "bad.toml").write_bytes(b'[task]\nname = "\xff"\n')
    with pytest.raises(InputError, match=r"bad.toml:2: byte 0xFF.*not-utf8"):
        read_task(tmp_path / "bad.toml")


def test_as_a_team_has_it_gold_edits_are_not_missed(tmp_path: Path) -> None:
    path = make_task(tmp_path, TASK.replace('gold = "gold.m2"', 'gold = "hidden.m2"', 1))
    with pytest.raises(InputError, match="hidden"):
        read_task(path)
    task = read_task(path, for_teams=True)
    assert task.corpus("test").gold == ()
    assert task.teams == ()


def test_as_a_team_has_it_a_list_is_kept_where_all_of_it_is_there(tmp_path: Path) -> None:
    for gold, n_files in (('["gold.m2", "hidden.m2"]', 0), ('"gold*.m2"', 1), ('"hidden*.m2"', 0)):
        path = make_task(tmp_path, TASK.replace('gold = "gold.m2"', f"gold = {gold}", 1))
        assert len(read_task(path, for_teams=True).corpus("test").gold) == n_files, gold


def test_a_run_may_be_named_without_its_folder(tmp_path: Path) -> None:
    text = TASK.replace('submissions = "one"', 'submissions = ["one/run2.txt", "two"]')
    runs = read_task(make_task(tmp_path, text)).teams[0].submissions
    assert [(run.run, run.path.parent.name) for run in runs] == [(1, "two"), (2, "one")]


def test_what_is_not_said(tmp_path: Path) -> None:
    task = read_task(make_task(tmp_path))
    assert (task.runs_per_team, task.deadline, task.cache) == (10, None, tmp_path / ".errorbar-task")
    corpus = task.corpus("test")
    assert (corpus.role, corpus.kind, corpus.unmarked) == ("test", "m2", "auto")
    assert (corpus.lenient, corpus.missing_as_empty, corpus.line) == (False, False, 5)
    assert [(run.late, run.submitted) for run in task.submissions("test")] == [(False, None)] * 3


def test_a_task_without_data(tmp_path: Path) -> None:
    (tmp_path / "task.toml").write_text('[task]\nname = "Nothing"\n')
    with pytest.raises(InputError, match=r"task.toml:1: the task has no corpus \(expected \[\[corpus\]\]\)"):
        read_task(tmp_path / "task.toml")
    (tmp_path / "task.toml").write_text("")
    with pytest.raises(InputError, match=r"the table \[task\] is missing"):
        read_task(tmp_path / "task.toml")


def test_a_path_with_a_character_0(tmp_path: Path) -> None:
    """TOML can hold what no system's path can."""
    path = make_task(tmp_path)
    text = path.read_text()
    assert 'gold = "gold.m2"' in text
    for name in (r"a\u0000b", r"a\u0000*", "n" * 5000):
        path.write_text(text.replace('gold = "gold.m2"', f'gold = "{name}"'))
        with pytest.raises(InputError, match=r"task\.toml:\d+: .*task-no-file"):
            read_task(path)
    path.write_text(text.replace('gold = "gold.m2"', f'gold = "{"n" * 5000}"'))
    assert "source = " in text
    with pytest.raises(InputError, match=r"task\.toml:\d+: .*task-no-file"):
        read_task(path, for_teams=True)


@pytest.mark.parametrize("cache", ["../elsewhere", "/elsewhere", "link/elsewhere", r"a\u0000b"])
def test_a_cache_outside_the_folder_is_not_written_to_unasked(tmp_path: Path, cache: str) -> None:
    """A task is somebody else's file; `--cache` is the user's own word."""
    folder = tmp_path / "task"
    folder.mkdir()
    path = make_task(folder)
    (folder / "link").symlink_to(tmp_path)
    path.write_text(path.read_text().replace("[task]\n", f'[task]\ncache = "{cache}"\n', 1))
    outside = r"task\.toml:\d+: cache = .* is not inside the folder .*cache=.*task-outside"
    with pytest.raises(InputError, match=outside):
        read_task(path)


def test_a_cache_inside_the_folder(tmp_path: Path) -> None:
    path = make_task(tmp_path)
    path.write_text(path.read_text().replace("[task]\n", '[task]\ncache = "some/counts"\n', 1))
    assert read_task(path).cache == tmp_path / "some" / "counts"
