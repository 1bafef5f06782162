"""Competition bundles: what Codabench reads in them, the same bytes every time, and nothing that must not be there."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Iterator, Sequence
from datetime import datetime
from pathlib import Path
from tempfile import gettempdir
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from errorbar import ErrorbarError, bundle_task, parse_metric
from errorbar.codabench.bundle import Wheel, container_files
from errorbar.core import MissingExtraError, UsageError
from errorbar.metrics import registry
from errorbar.version import __version__
from tests.codabench.worker import inner, pack, work
from tests.formats.test_essay_texts import HYPO, ORIG, REF1, REF2
from tests.formats.test_token_labels import OTHER, REF, SYSTEM
from tests.helpers.cli import CommandLine
from tests.tasks.small import GOLD, TASK, make_task
from tests.tasks.test_attacks import hoo_task
from tests.thirdparty.character_rate import CharacterRate

FULL = TASK.replace('gold = "gold.m2"\n', 'gold = "gold.m2"\nalternatives = "gold.m2"\n', 1).replace(
    'name = "Small"\n', 'name = "Small: \\"ä\\" #1"\ndeadline = 2026-12-24T23:59:59+01:00\nruns_per_team = 3\n'
)
FULL += """
[codabench]
docker_image = "somebody/small:1"
contact_email = "a@example.org"
dev_start = 2026-11-01
start = 2026-12-01
submissions_per_day = 2
terms = "terms.md"
pages = ["more_words.md"]
"""


def full(folder: Path) -> Path:
    (folder / "terms.md").write_text("Be kind.")
    (folder / "more_words.md").write_text("# More")
    return make_task(folder, FULL)


def everything(content: bytes, where: str = "") -> Iterator[tuple[str, bytes]]:
    """Every file of a zip, also of zips in it."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        for name in archive.namelist():
            yield f"{where}{name}", archive.read(name)
            if name.endswith(".zip"):
                yield from everything(archive.read(name), f"{where}{name}/")


def settings_of(bundle: Path) -> dict[str, Any]:
    found: dict[str, Any] = yaml.safe_load(inner(bundle, "competition.yaml"))
    return found


def test_the_settings_are_what_codabench_takes(tmp_path: Path) -> None:
    made = bundle_task(full(tmp_path), tmp_path / "b.zip", pages=False)
    found = settings_of(tmp_path / "b.zip")
    assert (found["version"], found["title"], found["docker_image"]) == (2, 'Small: "ä" #1', "somebody/small:1")
    assert found["enable_detailed_results"] is True
    assert found["make_programs_available"] is found["make_input_data_available"] is False
    named = [found["image"], found["terms"], *(page["file"] for page in found["pages"])]
    named += [task[key] for task in found["tasks"] for key in ("scoring_program", "reference_data")]
    named += [phase["starting_kit"] for phase in found["phases"]]
    assert set(named) <= set(made.files)
    assert all(inner(tmp_path / "b.zip", name) for name in named), "Codabench refuses pages that are empty"
    assert [page["title"] for page in found["pages"]] == ["Overview", "Submissions", "Evaluation", "More words"]
    assert inner(tmp_path / "b.zip", found["terms"]) == b"Be kind."
    assert inner(tmp_path / "b.zip", "logo.png").startswith(b"\x89PNG\r\n\x1a\n")
    dev, test = found["phases"]
    assert [dev[key] for key in ("start", "end", "tasks")] == ["2026-11-01 00:00:00", "2026-12-01 00:00:00", [0]]
    assert [test[key] for key in ("start", "end", "tasks")] == ["2026-12-01 00:00:00", "2026-12-24 22:59:59", [1]]
    assert all(isinstance(phase[key], str) for phase in (dev, test) for key in ("start", "end"))
    assert datetime.fromisoformat(test["start"]) >= datetime.fromisoformat(dev["end"]), "phases follow each other"
    assert (test["max_submissions"], test["max_submissions_per_day"]) == (3, 2)


def test_without_pyyaml_the_extra_is_named_before_anything_is_scored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(MissingExtraError, match=r"a competition bundle needs the extra 'codabench'.* make codabench"):
        bundle_task(tmp_path / "not-read.toml", tmp_path / "b.zip")


def test_columns_are_those_of_the_scores_and_the_first_ranks(tmp_path: Path, errorbar: CommandLine) -> None:
    task = full(tmp_path)
    made = bundle_task(task, tmp_path / "b.zip", pages=False)
    (board,) = settings_of(tmp_path / "b.zip")["leaderboards"]
    columns = board["columns"]
    assert [column["index"] for column in columns] == list(range(len(columns)))
    keys = [column["key"] for column in columns]
    assert tuple(keys) == made.columns
    assert len(set(keys)) == len(keys)
    assert max(len(column[key]) for column in columns for key in ("key", "title")) <= 36
    assert columns[0]["key"] == "m2_f"
    assert columns[0]["title"] == "F0.5 (m2)"
    (corpus,) = json.loads(errorbar("task", "run", task, "--format", "json").out)["corpora"]
    assert set(keys) == set(expected(corpus["runs"][0]))


def expected(run: dict[str, Any]) -> dict[str, float]:
    """What ``task run`` writes of a run, by the names of columns; of alternatives the measures."""
    several = len(run["gold"]) > 1
    found: dict[str, float] = {}
    for ending, scores in (("", run["gold"]), ("_alternatives", run.get("alternatives", []))):
        for score in scores:
            before = re.sub(r"\W+", "_", score["metric"]).strip("_") + "_" if several else ""
            values = {**score, **score.get("counts", {})}
            for each in score.get("scores", []):  # of fragments
                bonus = "_bonus" if each["bonus"] else ""
                values |= {f"{each['measure']}_{name}{bonus}": each[name] for name in ("precision", "recall", "f")}
            measures = {measure.name for measure in parse_metric(score["metric"]).measures}
            for name, value in values.items():
                if isinstance(value, int | float) and (name in measures or not ending):
                    found[f"{before}{name}{ending}"] = value
    return found | ({"changed": run["changed"]} if "changed" in run else {})


def test_the_same_bytes_wherever_and_whenever_and_no_path_of_this_machine(tmp_path: Path) -> None:
    made = []
    for name in ("a", "another/b"):
        folder = tmp_path / name
        folder.mkdir(parents=True)
        task = full(folder)
        for path in folder.rglob("*"):
            os.utime(path, (10**9, 10**9 + len(name)))
        bundle_task(task, folder / "b.zip", pages=False)
        made.append((folder / "b.zip").read_bytes())
    assert made[0] == made[1]
    for name, content in everything(made[0]):
        assert str(tmp_path).encode() not in content, name
        assert not Path(name).is_absolute()
    with zipfile.ZipFile(io.BytesIO(made[0])) as archive:
        assert archive.namelist() == sorted(archive.namelist())
        assert {entry.date_time for entry in archive.infolist()} == {(1980, 1, 1, 0, 0, 0)}


@pytest.mark.parametrize("given", ["relative", "absolute"])
def test_no_path_of_this_machine_is_packed_however_files_are_given(
    given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Pages and reports included: of a task file and inputs with absolute paths, and of all by relative ones."""
    monkeypatch.chdir(tmp_path)
    task = full(tmp_path)
    if given == "absolute":
        named = r'"([\w/.]+\.(?:m2|md|txt))"|(?<=submissions = )"(\w+)"'
        text = re.sub(named, lambda found: f'"{tmp_path / (found[1] or found[2])}"', task.read_text())
        assert text.count(f'"{tmp_path}') == 8
        task.write_text(text)
        bundle_task(task, tmp_path / "b.zip")
    else:
        bundle_task(task.name, "b.zip")
    names = set()
    for name, content in everything((tmp_path / "b.zip").read_bytes()):
        names.add(name)
        for path in (tmp_path, tmp_path.resolve(), gettempdir(), Path(__file__).parents[2], sys.prefix):
            assert f"{path}/".encode() not in content, name
        assert not name.startswith("/")
        assert ".." not in Path(name).parts
    assert {"starting_kit.zip/task.toml", "boards/index.html"} <= names


def test_gold_edits_of_test_data_stand_where_only_organizers_look(tmp_path: Path) -> None:
    text = TASK.replace('gold = "gold.m2"', 'gold = "secret.m2"', 1)
    task = make_task(tmp_path, text)
    (tmp_path / "secret.m2").write_text(GOLD.replace("goes", "wanders"))
    (tmp_path / "gold.m2").write_text("S These is another sentences .\nA 1 2|||SVA|||are|||REQUIRED|||-NONE-|||0\n")
    bundle_task(task, tmp_path / "b.zip", pages=False)
    holding = [name for name, text in everything((tmp_path / "b.zip").read_bytes()) if b"wanders" in text]
    assert holding == ["reference_test.zip/gold/secret.m2"]
    kit = dict(everything(inner(tmp_path / "b.zip", "starting_kit.zip")))
    assert {"dev/gold/gold.m2", "test/source/source.txt", "task.toml", "README.md"} <= kit.keys()


def test_the_starting_kit_is_what_a_team_needs(tmp_path: Path, errorbar: CommandLine) -> None:
    bundle_task(full(tmp_path), tmp_path / "b.zip", pages=False)
    for phase, corpus, n in (("starting_kit.zip", "test", 3), ("starting_kit_dev.zip", "dev", 2)):
        kit = tmp_path / phase.removesuffix(".zip")
        with zipfile.ZipFile(io.BytesIO(inner(tmp_path / "b.zip", phase))) as archive:
            archive.extractall(kit)
        with zipfile.ZipFile(kit / "sample_submission.zip") as archive:
            archive.extractall(kit)
        done = errorbar("task", "validate", kit / "task.toml", "--corpus", corpus, kit / f"{corpus}.txt")
        assert done.code == 0, done.err
        assert len((kit / "task.toml").read_text().split("[[corpus]]")) == n, "test data only in its phase"


def test_what_is_advised_can_be_written(tmp_path: Path) -> None:
    """The line of the warning, put into the file as it is: TOML takes no time without seconds."""
    task = make_task(tmp_path)
    advised = {note.code: note.fix for note in bundle_task(task, tmp_path / "b.zip", pages=False).notes}
    with task.open("a") as file:
        for code in ("bundle-no-start", "bundle-no-image"):
            file.write(f"\n{advised[code].replace(' with ', chr(10))}\n".replace("[codabench]\ndocker", "docker"))
    found = {note.code for note in bundle_task(task, tmp_path / "b.zip", pages=False).notes}
    assert not {"bundle-no-start", "bundle-no-image"} & found
    assert [phase["name"] for phase in settings_of(tmp_path / "b.zip")["phases"]] == ["Development", "Test"]
    readme = inner(tmp_path / "b.zip", "README.md").decode()
    assert "of `starting_kit_dev.zip` in the phase Development, `starting_kit.zip` in the phase Test as" in readme


def notes(task: Path, out: Path, wheels: Sequence[Path] = ()) -> dict[str, str]:
    return {note.code: note.what for note in bundle_task(task, out, pages=False, wheels=wheels).notes}


def test_what_organizers_are_told(tmp_path: Path) -> None:
    found = notes(make_task(tmp_path), tmp_path / "b.zip")
    assert {"bundle-no-image", "bundle-no-start", "bundle-no-wheel", "bundle-public-gold"} <= found.keys()
    assert "4 of 4 texts" in found["bundle-public-gold"] or "3 of 3 texts" in found["bundle-public-gold"]
    assert settings_of(tmp_path / "b.zip")["docker_image"] == f"small:{__version__}"
    wheel = tmp_path / f"errorbar-{__version__}-cp312-cp312-linux_x86_64.whl"
    wheel.write_bytes(pack({"errorbar/__init__.py": ""}))
    assert (
        not {"bundle-no-image", "bundle-no-start", "bundle-no-wheel"}
        & notes(full(tmp_path), tmp_path / "b.zip", wheels=[wheel]).keys()
    )
    recipe = inner(tmp_path / "b.zip", "container/Dockerfile").decode()
    assert "FROM python:3.12-slim" in recipe
    assert "USER" not in recipe, "the folders of a worker are root's"
    assert f"errorbar[report]=={__version__}\n" in inner(tmp_path / "b.zip", "container/requirements.txt").decode()
    assert inner(tmp_path / "b.zip", f"container/wheels/{wheel.name}") == wheel.read_bytes()


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("errorbar-0.0.9-py3-none-any.whl", "this is errorbar 0.0.9"),
        ("errorbar.zip", "this is no wheel"),
        (f"errorbar-{__version__}-cp312-cp312-macosx_11_0_arm64.whl", "this is for macosx_11_0_arm64"),
    ],
)
def test_a_wheel_that_the_image_cannot_use_is_refused(name: str, said: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(pack({"a": ""}))
    with pytest.raises(UsageError, match=said):
        bundle_task(make_task(tmp_path), tmp_path / "b.zip", wheels=[tmp_path / name])
    assert not (tmp_path / "b.zip").exists()


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ('gold = "gold.m2"\n\n[[corpus]]\nname = "dev"', '\n[[corpus]]\nname = "dev"', "no test data with gold edits"),
        ('name = "dev"', 'name = "Test!"', "would both be called test"),
        ('name = "Small"', 'name = "Small"\ndeadline = 2026-01-01', "start must be before the deadline"),
        ("start = 2026-12-01", "dev_start = 2026-12-01", "dev_start without start"),
        ("start = 2026-12-01", 'star = "a"', "\\[codabench\\] has no key 'star'; did you mean 'start'"),
        ("start = 2026-12-01", 'terms = "none.md"', "no such file: terms"),
    ],
)
def test_what_cannot_be_bundled_is_refused_by_name(old: str, new: str, said: str, tmp_path: Path) -> None:
    text = TASK + "\n[codabench]\nstart = 2026-12-01\n"
    assert old in text
    task = make_task(tmp_path, text.replace(old, new, 1))
    with pytest.raises(ErrorbarError, match=said):
        bundle_task(task, tmp_path / "b.zip", pages=False)
    assert not (tmp_path / "b.zip").exists()


def test_a_metric_of_another_package_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    point = SimpleNamespace(load=lambda: CharacterRate)
    monkeypatch.setattr(registry, "find_registered", lambda _: {"cer": point})
    with pytest.raises(UsageError, match="the metric cer is of another package"):
        bundle_task(make_task(tmp_path, TASK.replace("m2(beta=1)", "cer")), tmp_path / "b.zip")


def test_long_specs_are_numbers_in_keys(tmp_path: Path) -> None:
    made = bundle_task(
        make_task(tmp_path, TASK.replace("m2(beta=1)", "m2(beta=1,choose=sentence)")), tmp_path / "b.zip", pages=False
    )
    assert {"m2_f", "metric2_f", "metric2_correct"} <= set(made.columns)
    assert b"under 1. `m2`, 2. `m2(beta=1,choose=sentence)`" in inner(tmp_path / "b.zip", "pages/evaluation.md")


@pytest.mark.slow
def test_a_bundle_can_go_to_standard_output(tmp_path: Path) -> None:
    program = [sys.executable, "-m", "errorbar", "task", "bundle", str(make_task(tmp_path)), "-o", "-", "--tables-only"]
    done = subprocess.run(program, capture_output=True, check=True, timeout=1500)
    assert "competition.yaml" in zipfile.ZipFile(io.BytesIO(done.stdout)).namelist()


def test_the_command(tmp_path: Path, errorbar: CommandLine) -> None:
    done = errorbar("task", "bundle", make_task(tmp_path), "-o", tmp_path / "b.zip", "--tables-only")
    assert done.code == 0, done.err
    assert done.out.split() == sorted(zipfile.ZipFile(tmp_path / "b.zip").namelist())
    assert "boards/tables.md" in done.out
    assert "ranks by m2_f; README.md in it says what comes next" in done.err
    text = inner(tmp_path / "b.zip", "boards/tables.md").decode()
    assert "| 1 | one | 2 |" in text


def essays(folder: Path) -> Path:
    for name, text in {"orig": ORIG, "ref1": REF1, "ref2": REF2, "run1": HYPO}.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    return toml(folder, 'metrics = ["m2"]', 'source = "orig.md"\ngold = ["ref1.md", "ref2.md"]', "run1.md")


def labels(folder: Path) -> Path:
    for name, text in {"ref": REF, "other": OTHER, "run1": SYSTEM}.items():
        (folder / f"{name}.tsv").write_text(text, encoding="utf-8")
    return toml(folder, 'metrics = ["tokens"]', 'gold = ["ref.tsv", "other.tsv"]', "run1.tsv")


def toml(folder: Path, metrics: str, corpus: str, run: str) -> Path:
    path = folder / "task.toml"
    path.write_text(
        f'[task]\nname = "T"\n{metrics}\n\n[[corpus]]\nname = "The test"\n{corpus}\n\n'
        f'[[team]]\nname = "one"\nsubmissions = "{run}"\n'
    )
    return path


def many(folder: Path) -> Path:
    text, _, _ = FULL.replace('"m2", "m2(beta=1)"', '"m2", "gleu", "behavior", "tokens"').partition("[codabench]")
    return make_task(folder, text)


def fragments(folder: Path) -> Path:
    task = hoo_task(folder, "real")
    (folder / "runs/one/0001.txt").write_text("He goed to home.")
    return task


FORMS = {
    "several metrics": (many, {"test.txt": "one/run2.txt"}, "one", 2),
    "essays": (essays, {"the-test.md": "run1.md"}, "one", 1),
    "labels": (labels, {"the-test.tsv": "run1.tsv"}, "one", 1),
    "hoo": (fragments, {"test/0001.txt": "runs/one/0001.txt"}, "one", 1),
}


@pytest.mark.parametrize("form", [pytest.param(form, marks=[pytest.mark.slow] * (form != "essays")) for form in FORMS])
def test_the_scoring_program_writes_the_digits_of_task_run(form: str, tmp_path: Path, errorbar: CommandLine) -> None:
    make, files, team, number = FORMS[form]
    task = make(tmp_path)
    bundle_task(task, tmp_path / "b.zip", pages=False)
    for path in tmp_path.glob("*.m2"):
        path.rename(path.with_suffix(".gone"))  # the bundle holds all that it takes
    submission = pack({name: (tmp_path / path).read_bytes() for name, path in files.items()})
    worked = work(tmp_path / "b.zip", submission, tmp_path / "app")
    assert worked.code == 0, worked.err
    for path in tmp_path.glob("*.gone"):
        path.rename(path.with_suffix(".m2"))
    (corpus,) = json.loads(errorbar("task", "run", task, "--format", "json").out)["corpora"]
    run = next(entry for entry in corpus["runs"] if (entry["team"], entry["run"]) == (team, number))
    assert worked.scores == expected(run)
    assert "<h1" in (worked.output / "detailed_results.html").read_text(encoding="utf-8")


def test_the_image_has_the_pipeline_that_a_metric_needs() -> None:
    """No requirement of errorbar names it, so a recipe without it would build an image that scores nothing."""
    for metrics, needed in ((["m2", "errant(beta=1)"], True), (["m2"], False)):
        required = container_files("a/b:1", [], metrics)["requirements.txt"].decode().splitlines()
        assert any(re.fullmatch(r"errorbar-en(==\S+)?", line) for line in required) == needed
    wheel = Wheel("errorbar_en-9-py3-none-any.whl", "errorbar-en", "9", "", b"")
    required = container_files("a/b:1", [wheel], ["errant"])["requirements.txt"].decode().splitlines()
    assert [line for line in required if "errorbar-en" in line] == ["errorbar-en==9"]
