"""Tasks that somebody set up oddly: nothing stale is served, and nothing is left out in silence."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from errorbar import ErrorbarError, Problems
from errorbar.core import InputError
from errorbar.tasks import TaskResults, read_task, run_task
from tests.helpers.cli import CommandLine
from tests.tasks.small import TASK, make_task

EDITS = """\
<edits file="0001">
<edit type="RV" index="0001-0001" start="3" end="5"><original>go</original><corrections>
<correction>{}</correction></corrections></edit>
</edits>
"""


def hoo_task(folder: Path, gold: str) -> Path:
    """One fragment, one run."""
    for name in ("real/Gold", "real/Raw", "runs/one"):
        (folder / name).mkdir(parents=True)
    (folder / "real/Gold/0001GE.xml").write_text(EDITS.format("goes"))
    (folder / "real/Raw/0001.txt").write_text("He go home.")
    (folder / "runs/one/0001.txt").write_text("He goes home.")
    path = folder / "task.toml"
    path.write_text(
        f'[task]\nname = "H"\nmetrics = ["hoo"]\n\n[[corpus]]\nname = "test"\nkind = "hoo"\ngold = "{gold}"\n\n'
        '[[team]]\nname = "one"\nsubmissions = "runs"\n'
    )
    return path


def run(path: Path, problems: Problems | None = None) -> TaskResults:
    results = run_task(path)
    if problems is not None:
        problems.notes += results.notes
    return results


def corrected(results: TaskResults) -> float | None:
    (corpus,) = results.corpora
    return corpus.runs[0].gold[0]["correction_f"].value


def test_gold_edits_in_a_linked_folder_are_not_taken_from_the_cache_once_they_change(tmp_path: Path) -> None:
    path = hoo_task(tmp_path, "linked")
    (tmp_path / "linked").mkdir()
    for name in ("Gold", "Raw"):
        (tmp_path / "linked" / name).symlink_to(tmp_path / "real" / name)
    assert corrected(run(path)) == 1
    (tmp_path / "real/Gold/0001GE.xml").write_text(EDITS.format("went"))
    assert corrected(run(path)) == 0


def test_a_text_beside_a_single_gold_file_is_part_of_what_counts_depend_on(tmp_path: Path) -> None:
    path = hoo_task(tmp_path, "real/Gold/0001GE.xml")
    assert corrected(run(path)) == 1
    (tmp_path / "real/Raw/0001.txt").write_text("He go away.")  # so that the run's edit is now "go away"
    assert corrected(run(path)) == 0


def test_an_answer_for_one_sentence_says_nothing_of_the_others_whatever_unmarked_says(tmp_path: Path) -> None:
    path = make_task(
        tmp_path,
        TASK.replace(
            'gold = "gold.m2"\n\n[[corpus]]',
            'gold = "gold.m2"\nunmarked = "all"\nalternatives = "alt.m2"\n\n[[corpus]]',
        ),
    )
    gold = (tmp_path / "gold.m2").read_text()
    answer = "A 1 2|||SVA|||goes to|||REQUIRED|||-NONE-|||2\n"
    (tmp_path / "alt.m2").write_text(gold.replace("\n\n", f"\n{answer}\n", 1))
    (corpus,) = run(path).corpora
    # Nobody wrote the answer, so it must not change a score; an annotator who "found nothing" elsewhere would.
    for scored in corpus.runs:
        assert scored.alternatives[0].counts == scored.gold[0].counts


def test_what_is_no_run_is_said_to_be_left_out(tmp_path: Path) -> None:
    path = make_task(tmp_path)
    (tmp_path / "one/nested").mkdir()
    (tmp_path / "one/gone.txt").symlink_to(tmp_path / "nowhere")
    problems = Problems()
    task = read_task(path, problems)
    assert [submission.run for submission in task.submissions("test") if submission.team == "one"] == [1, 2]
    left_out = sorted((note.code, Path(note.place.file).name) for note in problems.notes)
    assert left_out == [("task-not-a-run", "gone.txt"), ("task-not-a-run", "nested")]


def test_a_file_changed_in_a_folder_after_the_deadline_makes_a_run_late(tmp_path: Path) -> None:
    path = hoo_task(tmp_path, "real")
    path.write_text(path.read_text().replace("[task]\n", "[task]\ndeadline = 2026-01-02\n"))
    early = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
    late = datetime(2026, 1, 3, tzinfo=UTC).timestamp()
    text = tmp_path / "runs/one/0001.txt"
    for moment, expected in ((early, False), (late, True)):
        os.utime(text, (moment, moment))
        os.utime(text.parent, (early, early))
        assert [each.late for each in read_task(path).submissions("test")] == [expected]


def test_the_last_second_of_the_deadline_is_in_time(tmp_path: Path) -> None:
    path = make_task(tmp_path, TASK.replace("[task]\n", "[task]\ndeadline = 2026-01-02\n"))
    moment = datetime(2026, 1, 2, 23, 59, 59, 500_000, tzinfo=UTC).timestamp()
    for each in tmp_path.glob("*/run*.txt"):
        os.utime(each, (moment, moment))
    assert not any(each.late for each in read_task(path).submissions("test"))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a = " + "[" * 5000 + "]" * 5000, "nested too deeply"),
        ("a = " + "1" * 5000, "a number is too long"),
    ],
)
def test_toml_beyond_every_measure(tmp_path: Path, text: str, said: str) -> None:
    path = make_task(tmp_path, TASK + text + "\n")
    with pytest.raises(InputError, match=said):
        read_task(path)


def test_a_long_line_of_spaces_is_looked_through_once(tmp_path: Path) -> None:
    path = make_task(tmp_path, TASK + "x = [\n[" + " " * 200_000 + "'a'],\n]\n")
    with pytest.raises(InputError, match="has no key 'x'"):
        read_task(path)


def test_a_table_of_runs_with_spaces_in_its_header_has_its_line(tmp_path: Path) -> None:
    path = make_task(tmp_path, TASK + '\n[[ team . run ]]\nfle = "two/run1.txt"\n')
    with pytest.raises(InputError, match=f"task.toml:{len(path.read_text().splitlines())}: "):
        read_task(path)


def test_two_teams_without_a_name_do_not_share_one(tmp_path: Path) -> None:
    path = make_task(tmp_path, TASK.replace('name = "one"\n', "").replace('name = "two"\n', ""))
    with pytest.raises(InputError) as error:
        read_task(path)
    assert [problem.code for problem in error.value.problems] == ["task-value", "task-value"]


def test_old_counts_are_removed_when_asked(errorbar: CommandLine, tmp_path: Path) -> None:
    path = make_task(tmp_path)
    first = errorbar("task", "run", str(path))
    entries = set((tmp_path / ".errorbar-task").glob("*/*.statistics"))
    (tmp_path / "one/run1.txt").write_text((tmp_path / "one/run2.txt").read_text())
    errorbar("task", "run", str(path))
    pruned = errorbar("task", "run", str(path), "--prune")
    left = set((tmp_path / ".errorbar-task").glob("*/*.statistics"))
    assert left < entries  # run1 is now what run2 is, so nothing had to be added
    assert len(entries) - len(left) == 1
    assert "1 old measurement removed" in pruned.err
    assert "0 measured" in errorbar("task", "run", str(path)).err
    assert first.code == pruned.code == 0


def test_names_of_which_only_some_have_a_number_are_numbered_aloud(tmp_path: Path) -> None:
    path = make_task(tmp_path)
    (tmp_path / "one/last.txt").write_text((tmp_path / "one/run1.txt").read_text())
    problems = Problems()
    numbers = {each.path.name: each.run for each in read_task(path, problems).submissions("test") if each.team == "one"}
    assert numbers == {"last.txt": 1, "run1.txt": 2, "run2.txt": 3}
    (note,) = problems.notes
    assert note.code == "task-run-numbers"
    assert "run1.txt is run 2" in note.what


def test_a_source_that_is_not_that_of_the_gold_edits(tmp_path: Path) -> None:
    path = make_task(tmp_path)
    (tmp_path / "source.txt").write_text("Something else .\n" * 4)
    with pytest.raises(InputError, match=r"source.txt and gold.m2 differ in sentences .*\[task-other-source\]"):
        run(path)


def test_what_is_wrong_with_every_run_is_said_once(tmp_path: Path) -> None:
    path = make_task(tmp_path, TASK.replace("m2(beta=1)", "m2(choose=Bob)"))
    with pytest.raises(ErrorbarError) as error:
        run(path)
    assert [problem.code for problem in error.value.problems] == ["unknown-annotator"]


def test_a_path_longer_than_any_file_name(tmp_path: Path) -> None:
    path = make_task(tmp_path, TASK.replace('submissions = "two"', f'submissions = "{"x" * 300}"'))
    with pytest.raises(InputError, match=r"task.toml:21: .*\[task-no-file\]"):
        read_task(path)
