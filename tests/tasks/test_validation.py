"""Checks that a team runs before sending: without the gold edits of the test data."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar import Problems
from errorbar.core import Fragment, StandoffEdit
from errorbar.formats import save_fragments
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine
from tests.tasks.small import GOLD, RUNS, SOURCE, TASK, make_task


@pytest.fixture
def task(tmp_path: Path) -> Path:
    """As a team has it: no gold edits of the test data, no submissions of others."""
    path = make_task(tmp_path, TASK.replace('gold = "gold.m2"', 'gold = "secret.m2"', 1))
    for name in RUNS:
        (tmp_path / name).unlink()
    return path


def lines_in(folder: Path, lines: list[str]) -> Path:
    path = folder / "output.txt"
    path.write_text("\n".join(lines) + "\n")
    return path


def test_a_good_one(task: Path, errorbar: CommandLine) -> None:
    done = errorbar("task", "validate", task, lines_in(task.parent, RUNS["one/run2.txt"]))
    assert (done.code, done.err) == (0, "")
    # 4 of 5, 4 of 6, 3 of 4 and 4 of 6 words stay: 15 of 21.
    assert done.out.splitlines()[2].split() == ["output.txt", "ok", "4", "of", "4", "71.4"]


NOTES = {
    "empty lines": (["He goes to school .", "", *SOURCE[2:]], "output.txt:2: line 2 is empty, which deletes the whole"),
    "unchanged": (SOURCE, "no sentence is changed"),
    "not tokenized": (
        [line.replace(" .", ".") for line in SOURCE],
        "looks untokenized: of 4 changed lines, 4 (lines 1, 2, 3, 4) join",
    ),
}


@pytest.mark.parametrize("case", NOTES)
def test_what_is_worth_a_look(case: str, task: Path, errorbar: CommandLine) -> None:
    lines, message = NOTES[case]
    done = errorbar("task", "validate", task, lines_in(task.parent, lines))
    assert done.code == 0
    assert message in done.err


def test_text_without_full_stops_is_not_said_to_be_untokenized(task: Path, errorbar: CommandLine) -> None:
    sources = ["he go home", "to school", "we stay", "This is fine ."]
    (task.parent / "source.txt").write_text("\n".join(sources) + "\n")
    done = errorbar("task", "validate", task, lines_in(task.parent, ["he goes home", *sources[1:]]))
    assert (done.code, done.err) == (0, "")


def test_of_many_lines_the_first_five_are_named(task: Path, errorbar: CommandLine) -> None:
    long = "He go to school . " * 9
    for n_empty, message in ((5, "5 lines (2, 3, 4, 5, 6) are empty"), (6, "6 lines (2, 3, 4, 5, 6, ...) are empty")):
        (task.parent / "source.txt").write_text("\n".join([long, *["He go ."] * n_empty]) + "\n")
        done = errorbar("task", "validate", task, lines_in(task.parent, [long, *[""] * n_empty]))
        assert message in done.err


def test_shifted_lines(tmp_path: Path, errorbar: CommandLine) -> None:
    (tmp_path / "task.toml").write_text('[task]\nname = "x"\n[[corpus]]\nname = "test"\nsource = "source.txt"\n')
    sources = [" ".join(f"{letter}{word}" for word in range(8)) for letter in "abcdefghijklmnop"]
    (tmp_path / "source.txt").write_text("\n".join(sources) + "\n")
    shifted = [*sources[:4], *[line + " !" for line in sources[5:8]], *sources[7:]]
    done = errorbar("task", "validate", tmp_path / "task.toml", lines_in(tmp_path, shifted))
    assert done.code == 0
    assert "look shifted against the source" in done.err
    assert "ok, 1 warning " in done.out


WRONG = {
    "too few lines": ("\n".join(SOURCE[:3]) + "\n", "3 lines for 4 sentences of the source", "line-count"),
    "too many lines": ("\n".join([*SOURCE, "One more ."]) + "\n", "5 lines for 4 sentences", "line-count"),
    "empty": ("", "the file is empty", "hypothesis-empty"),
    "M2": ("S He\nA 0 1|||X|||She|||REQUIRED|||-NONE-|||0\n\nS x\n", "this is M2", "hypothesis-m2"),
}


@pytest.mark.parametrize("case", WRONG)
def test_what_cannot_be_sent(case: str, task: Path, errorbar: CommandLine) -> None:
    text, message, code = WRONG[case]
    path = task.parent / "output.txt"
    path.write_text(text)
    done = errorbar("task", "validate", task, path)
    assert done.code == 2
    assert message in done.err
    assert f"[{code}]" in done.err
    assert done.err.count("\n") == 1
    assert "Traceback" not in done.err


def test_the_gold_edits_are_no_source(task: Path, errorbar: CommandLine) -> None:
    (task.parent / "source.txt").write_bytes((task.parent / "gold.m2").read_bytes())
    done = errorbar("task", "validate", task, lines_in(task.parent, SOURCE))
    assert done.code == 2
    assert "source.txt:1: this is M2, and a source is a text (expected one sentence per line)" in done.err


def test_a_missing_line_is_named(tmp_path: Path, errorbar: CommandLine) -> None:
    (tmp_path / "task.toml").write_text('[task]\nname = "x"\n[[corpus]]\nname = "test"\nsource = "source.txt"\n')
    sources = [" ".join(f"{letter}{word}" for word in range(8)) for letter in "abcdefghijklmnop"]
    (tmp_path / "source.txt").write_text("\n".join(sources) + "\n")
    done = errorbar("task", "validate", tmp_path / "task.toml", lines_in(tmp_path, [*sources[:4], *sources[5:]]))
    assert done.code == 2
    assert "line 5 of the source seems to be missing here; with it, the other lines fit [line-count]" in done.err


def test_other_data(task: Path, errorbar: CommandLine) -> None:
    """As ``score`` refuses it, by the same evidence and the same code; four lines would not be enough of it."""
    (task.parent / "source.txt").write_text("\n".join(SOURCE * 6) + "\n")
    other = "A completely different text , with as many lines as wanted"
    done = errorbar("task", "validate", task, lines_in(task.parent, [other] * 24))
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert "of 24 lines, 24 are unlike the source's (lines 1, 2, 3, 4, 5, ...: 'A completely" in done.err
    assert "[not-this-source]" in done.err
    assert "--force" not in done.err
    few = errorbar("task", "validate", task, "--corpus", "dev", lines_in(task.parent, [other] * 4))
    assert few.code == 0
    assert "4 of 4 lines are unlike their source lines" in few.err
    assert "[unlike-lines]" in few.err


def test_bad_encoding_and_a_missing_file_do_not_keep_the_next_from_being_checked(
    task: Path, errorbar: CommandLine
) -> None:
    (task.parent / "latin").write_bytes("\n".join(SOURCE).replace("fine", "naïve").encode("latin-1"))
    good = lines_in(task.parent, RUNS["one/run2.txt"])
    done = errorbar("task", "validate", task, task.parent / "latin", task.parent / "none", good, "--format", "json")
    assert done.code == 2
    submissions = {
        Path(submission["submission"]).name: submission
        for submission in validated("task-validate", done.out)["submissions"]
    }
    assert {name: submission["valid"] for name, submission in submissions.items()} == {
        "latin": False,
        "none": False,
        "output.txt": True,
    }
    assert [[error["code"] for error in submission["errors"]] for submission in submissions.values()] == [
        ["not-utf8"],
        ["no-such-file"],
        [],
    ]


def test_a_dry_score_on_development_data(task: Path, errorbar: CommandLine) -> None:
    right = task.parent / "dev.txt"
    right.write_text("\n".join(RUNS["one/run1.txt"]) + "\n")
    run = lines_in(task.parent, RUNS["one/run2.txt"])
    done = errorbar("task", "validate", task, run, "--dev", right, "--format", "json")
    # Against annotator 0 for sentences 1 and 2 and the empty annotation of 1 for sentence 4, by hand: 2 of 2 proposed
    # edits are right; the annotations chosen hold 1 + 1 + 1 + 0 edits.
    assert validated("task-validate", done.out)["submissions"][0]["dry"]["precision"] == 1
    assert validated("task-validate", done.out)["submissions"][0]["dry"]["recall"] == pytest.approx(2 / 3)
    same = errorbar("task", "validate", task, "--corpus", "dev", right)
    assert same.out.splitlines()[2].split()[-3:] == ["100.00", "66.67", "90.91"]


def test_bad_development_output_is_said_and_keeps_the_run_from_being_valid(task: Path, errorbar: CommandLine) -> None:
    run, bad = lines_in(task.parent, RUNS["one/run2.txt"]), task.parent / "dev.txt"
    bad.write_text("He go to school .\n")
    done = errorbar("task", "validate", task, run, "--dev", bad)
    assert done.code == 2
    assert "dev.txt: 1 line for 4 sentences" in done.err


def test_development_data_is_read_as_the_task_says(task: Path, errorbar: CommandLine) -> None:
    twice = "A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0\n"
    (task.parent / "gold.m2").write_text(GOLD.replace(twice, twice + twice))
    run = lines_in(task.parent, RUNS["one/run2.txt"])
    refused = errorbar("task", "validate", task, "--corpus", "dev", run)
    assert refused.code == 2
    assert "set lenient = true" in refused.err
    task.write_text(task.read_text().replace('role = "dev"', 'role = "dev"\nlenient = true'))
    assert errorbar("task", "validate", task, "--corpus", "dev", run).code == 0


def test_test_data_is_never_scored(tmp_path: Path, errorbar: CommandLine) -> None:
    path = make_task(tmp_path)
    done = errorbar("task", "validate", path, tmp_path / "one" / "run1.txt", "--format", "json")
    assert validated("task-validate", done.out)["submissions"][0]["dry"] is None


def test_an_unknown_corpus(task: Path, errorbar: CommandLine) -> None:
    done = errorbar("task", "validate", task, "--corpus", "tset", task)
    assert done.code == 2
    assert "no corpus is called 'tset'; did you mean 'test'?" in done.err


def hoo_task(folder: Path) -> Path:
    """A HOO task of two texts, gold edits at hand for the development data only."""
    texts = {"0001": "He go home .\n", "0002": "They likes it .\n"}
    spans = {
        "0001": StandoffEdit("1", 3, 5, "go", ("goes",), type="FV"),
        "0002": StandoffEdit("1", 5, 10, "likes", ("like",)),
    }
    gold = [Fragment(name, (spans[name],), text) for name, text in texts.items()]
    save_fragments(gold, str(folder / "dev"), Problems(), texts=True)
    save_fragments(
        [Fragment(one.name, (one.edits[0]._replace(start=one.edits[0].start + 90, end=95),)) for one in gold],
        str(folder / "far"),
        Problems(),
    )
    save_fragments(gold, str(folder / "run"), Problems())
    path = folder / "task.toml"
    path.write_text(
        '[task]\nname = "HOO"\n[[corpus]]\nname = "test"\nkind = "hoo"\nsource = "dev/Raw"\n'
        '[[corpus]]\nname = "dev"\nrole = "dev"\nkind = "hoo"\ngold = "dev"\n'
    )
    return path


def test_a_hoo_run_may_leave_texts_as_they_are_but_not_all(tmp_path: Path, errorbar: CommandLine) -> None:
    task = hoo_task(tmp_path)
    edit = StandoffEdit("1", 3, 5, "go", ("goes",))
    for name, edits in (("half", (edit,)), ("none", ())):
        save_fragments([Fragment("0001", edits), Fragment("0002", ())], str(tmp_path / name), Problems())
    half = errorbar("task", "validate", task, tmp_path / "half")
    assert (half.code, half.err) == (0, "")
    assert half.out.splitlines()[2].split()[:5] == ["half", "ok", "1", "of", "2"]
    none = errorbar("task", "validate", task, tmp_path / "none")
    assert none.code == 0
    assert "no edit is proposed" in none.err


def test_hoo_runs(tmp_path: Path, errorbar: CommandLine) -> None:
    task = hoo_task(tmp_path)
    good = errorbar("task", "validate", task, tmp_path / "run", "--dev", tmp_path / "run")
    assert good.code == 0
    assert good.out.splitlines()[2].split() == ["run", "ok", "2", "of", "2", "–", "100.00", "100.00", "100.00"]
    far = errorbar("task", "validate", task, tmp_path / "far")
    assert far.code == 2
    assert "outside" in far.err or "past the end" in far.err
    dev = errorbar("task", "validate", task, "--corpus", "dev", tmp_path / "far", "--format", "json")
    assert dev.code == 2
    assert validated("task-validate", dev.out)["submissions"][0]["dry"] is None
    (tmp_path / "run" / "0002.xml").unlink()
    missing = errorbar("task", "validate", task, tmp_path / "run")
    assert missing.code == 2
    assert "no file for fragment 0002" in missing.err
