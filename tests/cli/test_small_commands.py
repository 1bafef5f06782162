"""Commands around the scoring: doctor, metrics, completion, check, demo; and colors."""

from __future__ import annotations

import importlib.util
import json
import os
import pty
import re
import subprocess
import sys
import tomllib
from dataclasses import fields
from pathlib import Path

import pytest
from click.testing import CliRunner

from errorbar.cli.doctor import EXTRAS
from errorbar.cli.doctor import command as doctor
from errorbar.metrics import Hoo
from tests.helpers.cli import CommandLine

ROOT = Path(__file__).parents[2]
ERRORBAR = str(Path(sys.executable).with_name("errorbar"))


class TestDoctor:
    def test_says_which_kernel_is_active_and_that_the_numbers_are_right(self, errorbar: CommandLine) -> None:
        done = errorbar("doctor", "--format", "json")
        document = json.loads(done.out)
        assert done.code == 0
        assert document["schema"] == "errorbar.doctor/1"
        assert document["self-test"].startswith("passed")
        assert ("compiled" in document["kernel"]) == document["kernel_active"]

    @pytest.mark.slow
    def test_without_the_kernel(self) -> None:
        environment = {**os.environ, "ERRORBAR_KERNEL": "off"}
        done = subprocess.run(
            [ERRORBAR, "doctor"], capture_output=True, text=True, check=True, env=environment, timeout=100
        )
        assert "readable twin, because" in done.stdout
        assert "passed" in done.stdout

    def test_a_wrong_number_is_a_failure(self, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
        from errorbar.demo import selftest

        monkeypatch.setitem(selftest.RECORDED, "careful", (1, 2, 3))
        done = errorbar("doctor")
        assert done.code == 1
        assert "FAILED (other counts: careful)" in done.out

    def test_every_extra_is_listed_with_its_purpose_and_whether_it_works(self, errorbar: CommandLine) -> None:
        project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        declared = project["optional-dependencies"]
        (everything,) = declared.pop("all")
        apart = {"postgresql", "inspect", "lm-eval"}  # under the LGPL; for who works in a harness
        assert everything == f"errorbar[{','.join(extra for extra in declared if extra not in apart)}]"
        assert {
            extra: [re.split(r"[^\w-]", requirement)[0] for requirement in requirements]
            for extra, requirements in declared.items()
        } == {
            extra: [name for name in modules.values() if name != "errorbar-models"]  # on no index: it is not declared
            for extra, (_, modules) in EXTRAS.items()
        }
        document = json.loads(errorbar("doctor", "--format", "json").out)
        for extra, (purpose, _) in EXTRAS.items():
            works = all(importlib.util.find_spec(module.partition(".")[0]) for module in EXTRAS[extra][1])
            assert document[f"extra '{extra}'"].startswith("works: " if works else "not installed")
            assert works or extra in ("errant", "detect", "inspect", "lm-eval")  # the tests bring the others
            assert document[f"extra '{extra}'"].endswith(f"({purpose})")

    def test_an_extra_that_is_not_there_or_does_not_load(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "damaged.py").write_text("raise OSError('no such symbol')\n")
        monkeypatch.syspath_prepend(tmp_path)
        monkeypatch.setitem(EXTRAS, "dask", ("clusters", {"absent_x": "absent-x"}))
        monkeypatch.setitem(EXTRAS, "report", ("pages", {"json": "click", "absent_x": "absent-x"}))
        monkeypatch.setitem(EXTRAS, "tokenize", ("tokens", {"damaged": "damaged"}))
        (tmp_path / "bare.py").touch()
        monkeypatch.setitem(EXTRAS, "errant", ("edits", {"bare": "absent-x"}))
        found = CliRunner().invoke(doctor, ["--format", "csv"]).stdout
        assert "extra 'dask',not installed (clusters)" in found
        assert "extra 'report',incomplete: no absent-x (pages)" in found
        assert "extra 'tokenize',damaged does not load: OSError: no such symbol (tokens)" in found
        assert "works: absent-x on Python's path, which is not installed" in found


def test_metrics_lists_every_parameter_with_its_default(errorbar: CommandLine) -> None:
    metrics = {entry["metric"]: entry for entry in json.loads(errorbar("metrics", "--format", "json").out)["metrics"]}
    m2, hoo = metrics["m2"], metrics["hoo"]
    assert {p["name"]: p["default"] for p in m2["parameters"]} == {
        "beta": 0.5,
        "max_unchanged": 2,
        "ignore_case_space": False,
        "choose": "running",
        "edits": "minimal",
        "pipeline": "errorbar_en",
    }
    listed = {p["name"]: p["default"] for p in hoo["parameters"]}
    assert listed.pop("conventions") == "paper"
    assert listed == {name: getattr(Hoo(), name) for name in listed}
    assert len(listed) == len(fields(Hoo))
    assert "hoo2012-tool" in errorbar("metrics").out


class TestCompletion:
    @pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
    def test_scripts(self, errorbar: CommandLine, shell: str) -> None:
        done = errorbar("completion", shell)
        assert done.code == 0
        assert "_ERRORBAR_COMPLETE" in done.out

    def test_another_shell(self, errorbar: CommandLine) -> None:
        done = errorbar("completion", "bsh")
        assert done.code == 2
        assert "did you mean 'bash'?" in done.err

    def test_commands_and_files_complete(self) -> None:
        def complete(words: str, position: int) -> str:
            environment = {
                **os.environ,
                "_ERRORBAR_COMPLETE": "bash_complete",
                "COMP_WORDS": words,
                "COMP_CWORD": str(position),
            }
            return subprocess.run(
                [ERRORBAR], capture_output=True, text=True, check=False, env=environment, timeout=100
            ).stdout

        assert "plain,score" in complete("errorbar sc", 1)
        assert complete("errorbar score --gold de", 3).startswith("file,")


class TestCheck:
    def test_lists_every_problem_with_its_line_and_how_to_mend_it(self, errorbar: CommandLine, tmp_path: Path) -> None:
        bad = tmp_path / "bad.m2"
        bad.write_text("S a b\nA 0 5|||T|||x|||REQUIRED|||-NONE-|||0\nA 1 0|||T|||x|||REQUIRED|||-NONE-|||0\n\n")
        done = errorbar("check", str(bad), "--format", "json")
        assert done.code == 1
        (report,) = json.loads(done.out)["files"]
        assert [(p["line"], p["code"]) for p in report["problems"]] == [(2, "span-outside"), (3, "span-backwards")]
        assert "correct it or use --lenient (the edit is dropped)" in errorbar("check", str(bad)).out

    def test_a_good_file(self, errorbar: CommandLine, tmp_path: Path) -> None:
        good = tmp_path / "good.m2"
        good.write_text("S a b\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||0\n\n")
        done = errorbar("check", str(good))
        assert done.code == 0
        assert done.out.strip().endswith("no problem")

    def test_counts_of_one(self, errorbar: CommandLine, tmp_path: Path) -> None:
        one = tmp_path / "one.m2"
        one.write_text("S a\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||0\n\n")
        done = errorbar("check", one)
        assert f"{one}: 1 sentence, 1 token, 1 annotator, 1 edit, 0 sentences without an A line; no problem" in done.out
        one.write_text("S a\nA 0 1|||T|||a|||REQUIRED|||-NONE-|||0\n\n")
        assert "; 1 problem\n" in errorbar("check", one).out

    def test_countless_warnings(self, errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        """All are counted, the first are listed, and that there are more is said after them."""
        monkeypatch.setattr("errorbar.core.problems.MOST_KEPT", 3)
        many = tmp_path / "many.m2"
        many.write_text("S a\nA 0 1|||T|||a|||REQUIRED|||-NONE-|||0\n\n" * 12)
        assert "; 12 problems\n" in errorbar("check", many).out
        (report,) = json.loads(errorbar("check", many, "--format", "json").out)["files"]
        assert [(each["line"], each["what"][:12]) for each in report["problems"]] == [
            *((line, "the edit 0 1") for line in (2, 5, 8)),
            (0, "9 more of th"),
        ]

    def test_what_it_counts(self, errorbar: CommandLine, tmp_path: Path) -> None:
        gold = tmp_path / "gold.m2"
        gold.write_text("S a b\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||0\n\nS c d\n\nS e\n\n")
        (file,) = json.loads(errorbar("check", gold, "--format", "json").out)["files"]
        names = ("sentences", "tokens", "annotators", "edits", "sentences without an A line")
        assert tuple(file[name] for name in names) == (3, 5, 1, 1, 2)
        (tmp_path / "system").write_text("x b\nc  d\nf\n")  # more space is no change
        (file,) = json.loads(errorbar("check", "--gold", gold, tmp_path / "system", "--format", "json").out)["files"]
        assert (file["lines"], file["sentences changed"]) == (3, 2)

    def test_a_file_that_cannot_be_read(self, errorbar: CommandLine, tmp_path: Path) -> None:
        done = errorbar("check", tmp_path / "nowhere")
        assert done.code == 1
        assert "nowhere: not read to the end; 1 problem\n" in done.out

    def test_a_system_with_a_line_too_few(self, errorbar: CommandLine, tmp_path: Path) -> None:
        (tmp_path / "gold.m2").write_text("S a b\n\nS c d\n\n")
        (tmp_path / "system").write_text("a b\n")
        done = errorbar("check", "--gold", str(tmp_path / "gold.m2"), str(tmp_path / "system"))
        assert done.code == 1
        assert "1 line for 2 sentences" in done.out


def test_the_demo_is_written_once_and_again(errorbar: CommandLine, tmp_path: Path) -> None:
    for _ in range(2):
        assert errorbar("demo", "--save", str(tmp_path / "demo")).code == 0
    (tmp_path / "demo" / "copy.txt").write_text("mine\n")
    done = errorbar("demo", "--save", str(tmp_path / "demo"))
    assert (done.code, "another file of that name" in done.err) == (2, True)
    assert (tmp_path / "demo" / "copy.txt").read_text() == "mine\n"


def on_a_terminal(*arguments: str, no_color: bool) -> str:
    """What a command prints when standard output is a terminal."""
    master, slave = pty.openpty()
    environment = {**os.environ, "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    if no_color:
        environment["NO_COLOR"] = "1"
    with subprocess.Popen([ERRORBAR, *arguments], stdout=slave, stderr=subprocess.DEVNULL, env=environment) as process:
        os.close(slave)
        chunks = []
        while True:
            try:
                chunk = os.read(master, 65536)
            except OSError:  # the other end is closed
                break
            if not chunk:
                break
            chunks.append(chunk)
        process.wait(timeout=100)
    os.close(master)
    return b"".join(chunks).decode()


class TestColors:
    def test_on_a_terminal_only(self) -> None:
        assert "\x1b[1m" in on_a_terminal("demo", no_color=False)
        piped = subprocess.run([ERRORBAR, "demo"], capture_output=True, text=True, check=True, timeout=100)
        assert "\x1b" not in piped.stdout + piped.stderr

    def test_not_if_asked_not_to(self) -> None:
        assert "\x1b" not in on_a_terminal("demo", no_color=True)


def test_no_text_of_the_input_orders_a_terminal(tmp_path: Path) -> None:
    (file := tmp_path / "a.txt").write_text("A \x1b]0;title\x07 cat\tsits .\n", encoding="utf-8")
    command = ("convert", "--source", str(file), f"a={file}", "--to", "text")
    assert r"A \x1b]0;title\x07 cat" in on_a_terminal(*command, no_color=True)
    piped = subprocess.run([ERRORBAR, *command], capture_output=True, check=True, timeout=100)
    assert b"\x1b]0;title\x07" in piped.stdout


def test_an_output_that_cannot_be_written() -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [ERRORBAR, "demo"], stdout=full, stderr=subprocess.PIPE, text=True, check=False, timeout=100
        )
    assert done.returncode == 2
    assert "[cannot-write]" in done.stderr
