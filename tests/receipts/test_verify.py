"""Receipts: their content, that ``verify`` computes it again, and that a receipt from a stranger does no harm."""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from inspect import signature
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

import errorbar
import errorbar.demo
from errorbar.cli.main import run
from errorbar.core import InputError, MissingExtraError
from errorbar.receipts import receipt as receipts
from errorbar.receipts import verify
from errorbar.receipts.arguments import PLAIN, SEVERAL, SINGLE, DataFiles, safe_name
from errorbar.receipts.receipt import compare_values, digest, round_value
from errorbar.tables import Plain
from tests.cli.schema import SCHEMAS, validated
from tests.helpers.cli import CommandLine

Change = Callable[[Callable[[Any], object]], None]
DEMO = Path(errorbar.demo.__file__).parent
FAST = ("--resamples", "20", "--page", "sentences=no", "--page", "attacks=no", "--quiet")
NAMES = ("gold.jsonl", "careful.txt", "greedy.txt")


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A project with data, a report in Markdown, and its receipt."""
    folder = tmp_path_factory.mktemp("project")
    (folder / "data").mkdir()
    for name in NAMES:  # the header of the corpus, and a dozen sentences
        lines = (DEMO / name).read_text(encoding="utf-8").splitlines(keepends=True)
        (folder / "data" / name).write_text("".join(lines[: 13 if name == NAMES[0] else 12]), encoding="utf-8")
    before = Path.cwd()
    os.chdir(folder)
    try:
        with pytest.MonkeyPatch.context() as patch:
            files = ("--gold", "data/gold.jsonl", "data/careful.txt", "new=data/greedy.txt")
            patch.setattr("sys.argv", ["errorbar", "report", *files, "-o", "r.md", *FAST])
            with pytest.raises(SystemExit) as left:
                run()
        assert left.value.code == 0
    finally:
        os.chdir(before)
    return folder


@pytest.fixture
def project(whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    folder = tmp_path / "copy"
    shutil.copytree(whole, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def change(project: Path) -> Change:
    """Changes the receipt's document."""

    def change_document(edit: Callable[[Any], object]) -> None:
        document = json.loads((project / "r.receipt.json").read_text())
        edit(document)
        (project / "r.receipt.json").write_text(json.dumps(document))

    return change_document


def replace_values(document: dict[str, Any], values: dict[str, Any]) -> None:
    """Put other values into a document, and their hash."""
    results = document["results"]
    results["values"].update(values)
    results["sha256"] = digest(results["values"])


def rename_file(document: dict[str, Any], name: str) -> None:
    """Give the last file another name, wherever it stands."""
    document["files"][2]["name"] = document["arguments"]["systems"][1]["file"] = name


def receipt_of(path: str | Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(Path(path).read_text())
    schema = json.loads((SCHEMAS / "receipt-1.json").read_text())
    Draft202012Validator.check_schema(schema)
    assert [error.message for error in Draft202012Validator(schema).iter_errors(document)] == []
    return document


class TestReceipt:
    def test_it_names_data_versions_and_results_and_nobody(self, project: Path) -> None:
        document = receipt_of("r.receipt.json")
        assert [file["name"] for file in document["files"]] == [f"data/{name}" for name in NAMES]
        assert document["arguments"]["systems"] == [
            {"file": "data/careful.txt"},
            {"name": "new", "file": "data/greedy.txt"},
        ]
        assert (document["specs"][0], document["seed"]) == ("m2", 0)
        assert {"errorbar", "python", "numpy", "scipy"} <= set(document["versions"])
        assert document["results"]["sha256"] == digest(document["results"]["values"])
        values = document["results"]["values"]
        assert not any(path.startswith(("signature", "warning")) for path in values)
        assert not any(errorbar.__version__ in str(value) for value in values.values() if isinstance(value, str))
        text = (project / "r.receipt.json").read_text()
        for private in (str(project.parent), str(Path.home()), os.uname().nodename):
            assert private not in text or private == "/"

    def test_values_are_those_of_the_result(self, project: Path) -> None:
        values = receipt_of("r.receipt.json")["results"]["values"]
        scores = errorbar.score("data/gold.jsonl", {"new": "data/greedy.txt"}, ci=False)
        assert values["scores/new/f"] == round_value(scores["new"]["f"].value)

    def test_none_for_a_pipe_or_on_request(self, project: Path, errorbar: CommandLine) -> None:
        words = ("report", "--gold", "data/gold.jsonl", "data/careful.txt", *FAST)
        assert errorbar(*words, "-o", "-", "--page", "format=markdown").code == 0
        assert errorbar(*words, "-o", "x.md", "--page", "receipt=no").code == 0
        assert sorted(path.name for path in project.iterdir()) == ["data", "r.md", "r.receipt.json", "x.md"]

    def test_of_a_pipe_it_says_that_nobody_can_read_it_again(self, project: Path, errorbar: CommandLine) -> None:
        gold = (project / "data/gold.jsonl").read_bytes()
        assert errorbar("report", "--gold", "-", "data/careful.txt", *FAST, "-o", "p.md", stdin=gold).code == 0
        document = receipt_of("p.receipt.json")
        assert document["files"][0] == {"name": "<pipe 1>", "pipe": True}
        done = errorbar("verify", "p.receipt.json")
        assert done.code == 1
        assert "<pipe 1>: came through a pipe, which nobody can read again" in done.err

    def test_names_tell_no_more_than_it_takes(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        for name in ("out", "work/data", "far/a", "far/b"):
            (tmp_path / name).mkdir(parents=True)
        paths = [tmp_path / name for name in ("work/data/gold", "far/a/x", "far/b/x", "far/a/y", "out/z")]
        for path in paths:
            path.write_text(str(path))
        monkeypatch.setattr(Path, "home", lambda: tmp_path / "home")
        files = DataFiles(tmp_path / "out", tmp_path / "work")
        assert [files.add(str(path)) for path in paths] == ["data/gold", "x", "b/x", "y", "z"]
        assert [files.add(str(path)) for path in paths] == ["data/gold", "x", "b/x", "y", "z"]
        (tmp_path / "out/a\\b.m2").write_text("a name that another system takes for a path")
        assert files.add(str(tmp_path / "out/a\\b.m2")) == "file-1"
        assert DataFiles(tmp_path, tmp_path).add(str(paths[0])) == "gold"  # would tell whose home it is

    def test_of_a_folder_with_a_name_that_other_systems_lack_there_is_none(self, tmp_path: Path) -> None:
        """A file is renamed; in a folder its reader looks for it under its name."""
        (tmp_path / "run").mkdir()
        (tmp_path / "run/a\\b.txt").write_text("x")
        with pytest.raises(InputError, match=r"'a\\b\.txt' is a name that a receipt cannot hold.*no_receipt"):
            DataFiles(tmp_path, tmp_path).add(str(tmp_path / "run"))


class TestVerify:
    def test_the_same_everywhere(self, project: Path, errorbar: CommandLine) -> None:
        moved = project.parent / "moved"
        project.rename(moved)
        done = errorbar("verify", moved / "r.receipt.json")
        assert (done.code, done.err) == (0, "")
        values = len(receipt_of(moved / "r.receipt.json")["results"]["values"])
        assert done.out == f"r.receipt.json: all 3 files are the same; all {values} values are the same to 12 digits.\n"

    def test_tokens_and_units_other_than_the_usual(self, project: Path, errorbar: CommandLine) -> None:
        words = ("report", "--gold", "data/gold.jsonl", "data/careful.txt", *FAST, "--tokens", "characters")
        assert errorbar(*words, "-o", "t.md").code == 0
        assert receipt_of("t.receipt.json")["arguments"]["tokens"] == "characters"
        assert errorbar("verify", "t.receipt.json").code == 0
        text = "### essay_id = 1\nHe go home . She go , too .\n\n### essay_id = 2\nAll go .\n"
        (project / "source.md").write_text(text)
        (project / "reference.md").write_text(text.replace("go", "goes"))
        (project / "mine.md").write_text(text.replace("He go", "He goes"))
        essays = ("--source", "source.md", "--gold", "reference.md", "mine.md", "--essays", "sentences")
        assert errorbar("report", *essays, *FAST, "-o", "e.md").code == 0
        assert errorbar("verify", "e.receipt.json").code == 0

    def test_whatever_changes_a_number_is_recorded(self) -> None:
        """All other arguments of a report are about the page."""
        page = {"jobs", "title", "no_sentences", "most_sentences", "image", "command", "warn"}
        assert {*signature(errorbar.report).parameters} == {*SEVERAL, *SINGLE, *PLAIN, "reference_of", *page}

    def test_the_data_may_be_anywhere_below_the_folder_that_is_named(
        self, project: Path, errorbar: CommandLine
    ) -> None:
        (project / "data/deep").mkdir()
        (project / "data/greedy.txt").rename(project / "data/deep/greedy.txt")
        (project / "elsewhere").mkdir()
        (project / "r.receipt.json").rename(project / "elsewhere/r.receipt.json")
        done = errorbar("verify", "elsewhere/r.receipt.json")
        assert (done.code, "--data FOLDER" in done.err, "[receipt-data]" in done.err) == (1, True, True)
        done = errorbar("verify", "elsewhere/r.receipt.json", "--data", "data", "--jobs", "2", "--format", "json")
        document = validated("verify", done.out)
        assert (done.code, document["verified"], document["differences"]) == (0, True, [])

    def test_files_of_several_folders_are_found(self, project: Path, errorbar: CommandLine) -> None:
        for folder, name in (
            ("outputs", "greedy.txt"),
            ("outputs", "careful.txt"),
            ("corpora", "gold.jsonl"),
            ("old", "r.receipt.json"),
        ):
            (project / folder).mkdir(exist_ok=True)
            (project / ("data" if folder != "old" else "") / name).rename(project / folder / name)
        (project / "corpora/careful.txt").write_text("another system of the same name\n")
        done = errorbar("verify", "old/r.receipt.json", "--data", "outputs")
        assert (done.code, "[receipt-data]" in done.err) == (1, True)
        for folders in (["corpora", "outputs"], ["outputs", "corpora"]):
            options = [word for folder in folders for word in ("--data", folder)]
            assert errorbar("verify", "old/r.receipt.json", *options).code == 0
            assert verify.verify("old/r.receipt.json", data=folders).good

    def test_a_byte_of_the_gold_standard(self, project: Path, errorbar: CommandLine) -> None:
        path = project / "data/gold.jsonl"
        text = path.read_text()
        at = text.index('"goes"') if '"goes"' in text else text.index('"the"')
        path.write_text(f"{text[: at + 1]}X{text[at + 2 :]}")
        done = errorbar("verify", "r.receipt.json", "--format", "json")
        document = validated("verify", done.out)
        assert (done.code, document["verified"]) == (1, False)
        assert [entry["name"] for entry in document["files"] if entry["state"] == "changed"] == ["data/gold.jsonl"]
        assert document["differences"]
        assert all(entry["recorded"] != entry["here"] for entry in document["differences"])

    def test_a_file_that_cannot_be_read_any_more(self, project: Path, errorbar: CommandLine) -> None:
        (project / "data/gold.jsonl").write_text("no corpus\n")
        done = errorbar("verify", "r.receipt.json")
        assert (done.code, " data/gold.jsonl  changed " in done.out) == (1, True)
        assert done.err.startswith("error: data/gold.jsonl:1: ")

    def test_each_number_with_old_and_new(self, project: Path, change: Change, errorbar: CommandLine) -> None:
        change(lambda document: replace_values(document, {"scores/new/f": 0.5, "scores/gone/f": 1}))
        done = errorbar("verify", "r.receipt.json")
        assert done.code == 1
        assert "2 of " in done.out
        assert [line.split() for line in done.out.splitlines() if line.startswith(" scores/")] == [
            ["scores/new/f", "0.5", "0.673076923077"],
            ["scores/gone/f", "1", "–"],
        ]

    @pytest.mark.slow
    @pytest.mark.parametrize("stream", ["stdout", "stderr"])
    def test_a_reader_who_has_seen_enough_does_not_make_it_good(
        self, stream: str, project: Path, change: Change
    ) -> None:
        if stream == "stdout":
            change(lambda document: replace_values(document, {"scores/new/f": 0.5}))
        else:
            (project / "data/greedy.txt").unlink()
        reader, writer = os.pipe()
        os.close(reader)
        streams: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: writer}
        words = [sys.executable, "-m", "errorbar", "verify", "r.receipt.json"]
        done = subprocess.run(words, **streams, check=False)
        os.close(writer)
        assert done.returncode == 1

    def test_another_version_alone_is_no_failure(
        self, project: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine
    ) -> None:
        monkeypatch.setattr(receipts, "__version__", "0.9.9")
        done = errorbar("verify", "r.receipt.json")
        assert done.code == 0
        assert done.out.splitlines()[1] == "Made elsewhere: errorbar 0.1.0, here 0.9.9."

    def test_a_missing_extra(self, project: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine) -> None:
        def missing(**_: object) -> None:
            raise MissingExtraError("errant", "the metric errant")

        monkeypatch.setattr(verify, "report", missing)
        done = errorbar("verify", "r.receipt.json")
        assert (done.code, "[missing-extra]" in done.err) == (2, True)

    def test_numbers_within_the_tolerance_are_counted(self) -> None:
        different, near = compare_values({"a": 1.0, "b": 0.5, "c": None, "d": 1}, {"a": 1 + 1e-11, "b": 0.5, "d": True})
        assert ([value.path for value in different], near) == (["d"], 1)
        assert round_value(2 / 3) == 0.666666666667

    def test_digits_of_a_solver_are_compared_less_strictly(self) -> None:
        """numpy 2.4 with scipy 1.17 against 2.1 with 1.14: a detectable difference moved by 1.1e-8 of its size."""
        fields = ("detectable_difference", "power_at_one_point", "difference")
        recorded = {f"pairs/a, b/{field}": 0.0123456789012 for field in fields} | {"a/units_needed_for_one_point": 900}
        moved = {path: value * (1 + 1.1e-8) for path, value in recorded.items()} | {"a/units_needed_for_one_point": 901}
        different, near = compare_values(recorded, moved)
        assert ([value.path for value in different], near) == (["pairs/a, b/difference"], 3)
        further = {path: value * (1 + 1.1e-5) for path, value in recorded.items()} | {
            "a/units_needed_for_one_point": 902
        }
        assert len(compare_values(recorded, further)[0]) == 4

    def test_the_hash_is_that_of_the_page(self) -> None:
        """As docs/receipts.md says: JSON in ASCII, keys sorted, no white space outside of texts."""
        values: dict[str, Plain] = {"é/b c": "1 / 2", "a": 0.5}
        text = '{"a":0.5,"\\u00e9/b c":"1 / 2"}'
        assert digest(values) == hashlib.sha256(text.encode("ascii")).hexdigest()
        assert "as JSON in ASCII" in (Path(__file__).parents[2] / "docs" / "receipts.md").read_text(encoding="utf-8")


class TestStrangers:
    @pytest.mark.parametrize("name", ["../x", "/etc/passwd", "a//b", "a/./b", "", "a\\..\\b", "a\0b", 3])
    def test_names_that_lead_out(self, name: object, change: Change, errorbar: CommandLine) -> None:
        assert not safe_name(name)
        change(lambda document: document["files"][0].update(name=name))
        done = errorbar("verify", "r.receipt.json")
        assert (done.code, done.out, "[receipt-file]" in done.err) == (2, "", True)

    @pytest.mark.parametrize(
        ("edit", "code"),
        [
            (lambda d: d.update(schema="errorbar.receipt/9"), "receipt-version"),
            (lambda d: d.update(schema="other"), "receipt-broken"),
            (lambda d: d.update(command="task board"), "receipt-command"),
            (lambda d: d.update(command=["report"]), "receipt-command"),
            (lambda d: d.pop("files"), "receipt-broken"),
            (lambda d: d.update(results=[]), "receipt-broken"),
            (lambda d: d["results"]["values"].update(x=[1]), "receipt-broken"),
            (lambda d: d["files"].append(d["files"][0]), "receipt-file"),
            (lambda d: d["files"][0].pop("size"), "receipt-broken"),
            (lambda d: d["files"][1].update(name="data/gold.jsonl/x"), "receipt-broken"),
            (lambda d: d["arguments"].update(command="rm"), "receipt-broken"),
            (lambda d: d["arguments"].update(jobs=99), "receipt-broken"),
            (lambda d: d["arguments"].update(gold=["/etc/passwd"]), "receipt-broken"),
            (lambda d: d["arguments"].update(gold=[{"file": "r.md"}]), "receipt-broken"),
            (lambda d: d["arguments"].update(source={"file": "../x"}), "receipt-broken"),
            (lambda d: d["arguments"].update(resamples="x"), "wrong-type"),
            (lambda d: d["arguments"].update(resamples=10**30), "receipt-broken"),
            (lambda d: d["arguments"].update(seed=7), "receipt-broken"),
            (lambda d: d.update(seed=7), "receipt-broken"),
            (lambda d: d.update(specs="m2"), "receipt-broken"),
            (lambda d: d["results"].update(sha256="0" * 64), "receipt-broken"),
            (lambda d: d["results"]["values"].update({"scores/new/f": 0.5}), "receipt-broken"),
            (lambda d: d["results"]["values"].update({"scores/new/f": 10**400}), "receipt-broken"),
            (lambda d: d["results"]["values"].update({"scores/new/f": float("nan")}), "receipt-broken"),
            (lambda d: d["files"].insert(0, {**d["files"][0], "name": "data/gold.jsonl/x"}), "receipt-broken"),
            (lambda d: d["arguments"]["systems"][1].update(name="x=/dev/zero,"), "receipt-broken"),
            (lambda d: d["arguments"]["systems"][1].update(name="../../x,"), "receipt-broken"),
            (lambda d: d["arguments"]["systems"][1].update(name=5), "receipt-broken"),
            (lambda d: rename_file(d, f"{'x' * 300}/greedy.txt"), "receipt-file"),
            (lambda d: rename_file(d, f"{'x/' * 900}greedy.txt"), "receipt-file"),
            (lambda d: rename_file(d, "\ud800/greedy.txt"), "receipt-file"),
            (lambda d: d["arguments"].update(metric=["errant(pipeline=./evil)"]), "receipt-pipeline"),
            (lambda d: d["arguments"].update(tokens="./evil"), "receipt-pipeline"),
            (lambda d: d["arguments"].update(tokens="data"), "receipt-pipeline"),
            (lambda d: d["arguments"].update(tokens=7), "receipt-broken"),
            (lambda d: d["arguments"].update(metric=[{}]), "receipt-broken"),
        ],
    )
    def test_a_document_that_errorbar_would_not_write(
        self, edit: Callable[[Any], object], code: str, change: Change, errorbar: CommandLine
    ) -> None:
        change(edit)
        done = errorbar("verify", "r.receipt.json")
        assert (done.code, done.err.endswith(f"[{code}]\n"), done.err.count("\n")) == (2, True, 1), done.err

    def test_the_metrics_that_it_names_are_those_of_its_arguments(self, change: Change, errorbar: CommandLine) -> None:
        """They stand at its head, for people, and are computed from the arguments."""
        change(lambda document: document.update(specs=["errant"]))
        done = errorbar("verify", "r.receipt.json")
        assert done.code == 1
        assert re.search(r"^ specs +errant +m2, m2\(choose=sentence\)$", done.out, re.MULTILINE)

    @pytest.mark.parametrize("text", ["", "[]", "{}", "[" * 100_000, '{"schema": 1e999}', "\xff"])
    def test_a_file_that_is_not_a_receipt(self, text: str, project: Path) -> None:
        (project / "r.receipt.json").write_text(text, encoding="latin-1")
        with pytest.raises(InputError, match="receipt-broken"):
            errorbar.verify("r.receipt.json")

    def test_a_page_in_place_of_its_receipt(self, project: Path) -> None:
        (project / "r.html").write_text("<!DOCTYPE html>\n<html></html>\n", encoding="utf-8")
        with pytest.raises(InputError, match=r"this is a page, not its receipt; name the \.receipt\.json beside it"):
            errorbar.verify("r.html")

    def test_a_link_that_leads_out_shows_nothing_of_what_is_there(self, project: Path, errorbar: CommandLine) -> None:
        outside = project.parent / "secret"
        (project / "data/careful.txt").rename(outside)
        (project / "data/careful.txt").symlink_to(outside)
        assert errorbar("verify", "r.receipt.json").code == 0  # its bytes are known to the receipt
        outside.write_text("secret")
        done = errorbar("verify", "r.receipt.json", "--format", "json")
        (other,) = (file for file in json.loads(done.out)["files"] if file["state"] != "same")
        assert (done.code, other["state"], other["here"]) == (1, "outside", None)

    def test_nothing_is_written(self, project: Path, errorbar: CommandLine) -> None:
        before = {path: path.read_bytes() for path in project.rglob("*") if path.is_file()}
        assert errorbar("verify", "r.receipt.json").code == 0
        assert {path: path.read_bytes() for path in project.rglob("*") if path.is_file()} == before
