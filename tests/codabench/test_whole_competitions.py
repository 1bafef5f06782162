"""Competitions as organizers have them: a published shared task, two corpora, edits by ERRANT, boards with pages."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
import yaml

from errorbar import bundle_task
from errorbar.reporting.export import EPOCH
from tests.codabench.test_bundle import everything, expected
from tests.codabench.worker import inner, pack, work
from tests.helpers.cli import CommandLine
from tests.tasks.small import GOLD, RUNS, TASK, make_task

pytestmark = pytest.mark.slow
EXAMPLE = Path(__file__).parents[2] / "examples" / "conll2014.toml"


def test_conll_2014(data: Path, tmp_path: Path, errorbar: CommandLine) -> None:
    """Two annotators, accepted alternatives, essays: the official submission of a team, to the last digit."""
    head, _, _ = EXAMPLE.read_text(encoding="utf-8").partition("[[team]]")
    submissions = data / "conll14_systems" / "official_submissions"
    team = f'[[team]]\nname = "CAMB"\nsubmissions = "{submissions / "CAMB"}"\n'
    task = tmp_path / "task.toml"
    task.write_text(head.replace("../../shared/data", str(data)) + team, encoding="utf-8")
    made = bundle_task(task, tmp_path / "b.zip", pages=False)
    (found,) = made.results.corpora
    assert found.runs[0].gold[0].f.value == pytest.approx(0.3733, abs=5e-5), "table 7 of the overview"
    worked = work(tmp_path / "b.zip", pack({"test.txt": (submissions / "CAMB").read_bytes()}), tmp_path / "app")
    assert worked.code == 0, worked.err
    (corpus,) = json.loads(errorbar("task", "run", task, "--format", "json").out)["corpora"]
    assert worked.scores == expected(corpus["runs"][0])
    assert {"f_alternatives", "changed"} <= set(made.columns)
    for name, content in everything((tmp_path / "b.zip").read_bytes()):
        assert str(data).encode() not in content, name
        assert str(tmp_path).encode() not in content, name


def test_each_corpus_is_a_task_and_one_submission_holds_all(tmp_path: Path, errorbar: CommandLine) -> None:
    text = TASK.replace('role = "dev"\ngold = "gold.m2"', 'gold = "other.m2"').replace('name = "dev"', 'name = "Other"')
    for team in ("one", "two"):
        text = text.replace(f'submissions = "{team}"', f'submissions = {{ test = "{team}", Other = "{team}" }}')
    task = make_task(tmp_path, text)
    (tmp_path / "other.m2").write_text(GOLD.replace("goes", "gos"))
    bundle_task(task, tmp_path / "b.zip", pages=False)
    settings = yaml.safe_load(inner(tmp_path / "b.zip", "competition.yaml"))
    assert [phase["tasks"] for phase in settings["phases"]] == [[0, 1]]
    lines = ("\n".join(RUNS["one/run1.txt"]) + "\n").encode()
    submission = pack({"test.txt": lines, "other.txt": lines})
    corpora = json.loads(errorbar("task", "run", task, "--format", "json").out)["corpora"]
    found = [work(tmp_path / "b.zip", submission, tmp_path / f"app{at}", at).scores for at in (0, 1)]
    assert found == [expected(corpus["runs"][0]) for corpus in corpora]
    assert found[0] != found[1]
    lacking = work(tmp_path / "b.zip", pack({"test.txt": lines}), tmp_path / "app2", 1)
    assert (lacking.code, lacking.scores) == (2, None)
    assert "there is no other.txt in the submission" in lacking.err


def test_edits_by_errant(tmp_path: Path, errorbar: CommandLine) -> None:
    pytest.importorskip("errant")
    pytest.importorskip("errorbar_en")
    task = make_task(tmp_path, TASK.replace('"m2", "m2(beta=1)"', '"errant"'))
    made = bundle_task(task, tmp_path / "b.zip", pages=False)
    assert any("errorbar-en" in note.what for note in made.notes if note.code == "bundle-no-wheel")
    assert "errorbar[report,errant]" in inner(tmp_path / "b.zip", "container/requirements.txt").decode()
    submission = pack({"test.txt": "\n".join(RUNS["two/run1.txt"]) + "\n"})
    worked = work(tmp_path / "b.zip", submission, tmp_path / "app")
    assert worked.code == 0, worked.err
    (corpus,) = json.loads(errorbar("task", "run", task, "--format", "json").out)["corpora"]
    assert worked.scores == expected(next(run for run in corpus["runs"] if run["team"] == "two"))


LENIENT = TASK.replace('gold = "gold.m2"', 'gold = "secret.m2"\nlenient = true', 1)
REPAIRED = GOLD.replace("A 4 5|||Nn|||dogs", "A 4 15|||Nn|||secretly")
NOTED = "He go to a school .\n\nThis is fine .\nWe have seen it yesterday .\n"  # a sentence is deleted


def noted(folder: Path) -> Path:
    """A task of which there is something to say: of its gold edits, of a run, and of one that is refused."""
    folder.mkdir()
    task = make_task(folder, LENIENT)
    (folder / "secret.m2").write_text(REPAIRED)
    (folder / "two" / "run1.txt").write_text(NOTED)
    (folder / "two" / "run2.txt").write_text("too short\n")
    return task


def test_boards_with_pages_are_the_same_bytes_on_another_day_and_show_no_sentence(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = []
    for name, day in (("a", "1700000000"), ("b", "1800000000")):
        monkeypatch.setenv(EPOCH, day)
        bundle_task(noted(tmp_path / name), tmp_path / name / "b.zip")
        made.append((tmp_path / name / "b.zip").read_bytes())
    assert made[0] == made[1]
    with zipfile.ZipFile(tmp_path / "a" / "b.zip") as archive:
        pages = [archive.read(name) for name in archive.namelist() if name.startswith("boards/")]
    assert len(pages) == 5
    assert not any(b"yesterday" in page or str(tmp_path).encode() in page for page in pages)
    assert sum(b"<html" in page for page in pages) == 3
    assert any(b"run1.txt:2: line 2 is empty" in page for page in pages)
    assert any(b"run2.txt: 1 line for 4 sentences" in page for page in pages)


def test_the_page_of_a_submission_says_what_is_odd_in_it_and_nothing_of_the_references(tmp_path: Path) -> None:
    bundle_task(noted(tmp_path / "a"), tmp_path / "b.zip", pages=False)
    worked = work(tmp_path / "b.zip", pack({"test.txt": NOTED}), tmp_path / "app")
    assert worked.code == 0, worked.err
    assert worked.err == "warning: line 2 is empty, which deletes the whole sentence [empty-lines]\n"
    page = (worked.output / "detailed_results.html").read_text(encoding="utf-8")
    assert "test.txt:2: line 2 is empty" in page
    for hidden in (str(tmp_path), "yesterday", "secretly", "secret.m2", "4 15", "goes"):
        assert hidden not in page, hidden
