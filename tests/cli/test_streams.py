"""Standard streams and signals as shells hand them over: one line, the right exit code, never half a result."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import sys
import time
from functools import cache
from pathlib import Path

import pytest

import errorbar.demo
from tests.tasks.small import make_task

DEMO = Path(errorbar.demo.__file__).parent
GOLD, SYSTEM = DEMO / "gold.jsonl", DEMO / "careful.txt"
ERRORBAR = f"{shlex.quote(sys.executable)} -c 'from errorbar.cli.main import run; run()'"
SCORE = f"score --gold {GOLD} é={SYSTEM} --no-ci"
INTERVALS = f"{SCORE.removesuffix(' --no-ci')} --resamples 20"


def shell(command: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run ``command`` in bash with E for errorbar; the exit code is that of errorbar, in a pipe too."""
    return subprocess.run(
        ["bash", "-c", f'E() {{ {ERRORBAR} "$@"; }}; {command}; exit ${{PIPESTATUS[0]}}'],
        capture_output=True,
        check=False,
        encoding="utf-8",
        errors="surrogateescape",
        env={**os.environ, **environment},
        timeout=120,
    )


@cache
def usual(command: str) -> subprocess.CompletedProcess[str]:
    """What it prints in UTF-8."""
    return shell(command)


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """More than any pipe holds."""
    path = tmp_path_factory.mktemp("streams") / "large.jsonl"
    header, *sentences = GOLD.read_text("utf-8").splitlines(keepends=True)
    path.write_text(header + "".join(sentences) * 40, "utf-8")
    return path


def test_a_reader_who_has_seen_enough_is_no_failure(large: Path) -> None:
    done = shell(f"E convert {large} --to jsonl | head -1")
    assert (done.returncode, done.stdout.count("\n"), done.stderr) == (0, 1, "")
    done = shell("E metrics | true")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "code"), [("check bad.m2", 1), ("task validate task.toml bad.m2", 2), ("task run task.toml", 2)]
)
def test_what_was_found_is_the_exit_code_though_nobody_reads_it(command: str, code: int, tmp_path: Path) -> None:
    """``errorbar check FILE | head`` in a script that looks at every code of a pipe."""
    make_task(tmp_path)
    for name in ("bad.m2", "two/run1.txt"):
        (tmp_path / name).write_text("S a b\nA 9 9|||x\n")
    reader, writer = os.pipe()
    os.close(reader)
    words = [sys.executable, "-m", "errorbar", *command.split(), "--quiet"]
    done = subprocess.run(words, cwd=tmp_path, stdout=writer, stderr=writer, check=False, timeout=1500)
    os.close(writer)
    assert done.returncode == code


@pytest.mark.parametrize(
    "command",
    [
        SCORE,
        *(
            pytest.param(command, marks=pytest.mark.slow)
            for command in ("metrics", f"check {GOLD}", f"convert {GOLD} --to jsonl")
        ),
    ],
)
@pytest.mark.parametrize(
    ("end", "why"), [(">/dev/full", "No space left on device"), (">&-", "standard output is closed")]
)
def test_output_that_goes_nowhere(command: str, end: str, why: str) -> None:
    done = shell(f"E {command} {end}")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == f"error: the output cannot be written: {why} [cannot-write]\n"


def test_what_needs_no_output_runs_with_all_streams_closed(tmp_path: Path) -> None:
    """The next file opened would take the number of a closed stream."""
    done = shell(f"E convert {GOLD} -o {tmp_path}/out.jsonl <&- >&- 2>&-")
    assert done.returncode == 0
    assert (tmp_path / "out.jsonl").read_text("utf-8") == shell(f"E convert {GOLD} --to jsonl").stdout


@pytest.mark.parametrize(
    "command",
    [
        f"score --gold - {SYSTEM}",
        *(
            pytest.param(each, marks=pytest.mark.slow)
            for each in ("convert - --to jsonl", "agree -", "rank -", "crowd raters -")
        ),
    ],
)
def test_input_that_comes_from_nowhere(command: str) -> None:
    done = shell(f"E {command} <&-")
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "error: <stdin>: standard input is closed [cannot-open]\n"


class TestEncodings:
    """Results are text in UTF-8 like every file; a terminal or a user may ask for less."""

    def test_no_locale_changes_what_goes_into_a_file(self) -> None:
        plain = shell(f"E {SCORE}", LC_ALL="C", PYTHONUTF8="0", PYTHONCOERCECLOCALE="0")
        assert usual(f"E {SCORE}").returncode == plain.returncode == 0
        name = r"\udcc3\udca9"  # the argument itself could not be read in this locale
        cells = [
            [word for word in out.split() if set(word) != {"─"}] for out in (plain.stdout, usual(f"E {SCORE}").stdout)
        ]
        assert cells[0] == [word.replace("é", name) for word in cells[1]]

    @pytest.mark.parametrize(
        "encoding",
        ["ascii", *(pytest.param(each, marks=pytest.mark.slow) for each in ("latin-1", "cp437", "ascii:strict"))],
    )
    @pytest.mark.parametrize(
        "style", ["table", *(pytest.param(each, marks=pytest.mark.slow) for each in ("csv", "markdown", "latex"))]
    )
    def test_what_an_encoding_lacks_is_written_plainly(self, encoding: str, style: str) -> None:
        command = f"E {INTERVALS} --format {style}"
        done = shell(command, PYTHONIOENCODING=encoding)
        assert done.returncode == 0
        notes, _, paper = done.stderr.partition("\nFor a paper:\n")
        assert all(line.startswith("warning: ") for line in notes.splitlines())  # few documents
        assert paper.startswith("  sentence: The F0.5 of ") == (style == "table")
        assert done.stdout.count("\n") == usual(command).stdout.count("\n")
        assert "67.07" in done.stdout or "0.6707" in done.stdout

    def test_json_stays_json(self) -> None:
        done = shell(f"E {SCORE} --format json", PYTHONIOENCODING="ascii")
        assert json.loads(done.stdout)["rows"][0]["system"] == "é"
        assert done.stdout.isascii()


@pytest.mark.parametrize(
    "name", ["SIGINT", "SIGKILL", *(pytest.param(each, marks=pytest.mark.slow) for each in ("SIGTERM", "SIGHUP"))]
)
def test_a_stopped_convert_leaves_nothing(tmp_path: Path, large: Path, name: str) -> None:
    """It is stopped while it waits in the middle of its input; by force as well: Linux knows files without names."""
    target = tmp_path / "out.jsonl"
    target.write_text("old")
    command = [sys.executable, "-c", "from errorbar.cli.main import run; run()", "convert", "-", "-o", str(target)]
    errors = tmp_path.parent / "errors"
    with errors.open("wb") as said:
        process = subprocess.Popen(command, stdin=subprocess.PIPE, stderr=said)
    assert process.stdin is not None
    process.stdin.write(large.read_bytes())
    process.stdin.flush()
    while not any(link.resolve().is_relative_to(target.parent) for link in _open_files(process.pid)):
        time.sleep(0.02)
    process.send_signal(getattr(signal, name))
    code = process.wait(60)
    process.stdin.close()
    assert [each.name for each in tmp_path.iterdir()] == ["out.jsonl"]
    assert target.read_text() == "old"
    expected = {"SIGINT": (130, "interrupted\n"), "SIGKILL": (-9, "")}
    number = int(getattr(signal, name))
    assert (code, errors.read_text().lstrip("\n")) == expected.get(name, (128 + number, f"stopped by {name}\n"))


def _open_files(process: int) -> list[Path]:
    return list(Path(f"/proc/{process}/fd").iterdir())


def test_an_ignored_signal_stays_ignored(tmp_path: Path) -> None:
    """``nohup`` is asked for by those who leave."""
    done = shell(
        f"trap '' HUP; (sleep 1; cat {GOLD}) | E convert - -o {tmp_path}/out.jsonl & sleep 0.5; kill -HUP $!; wait $!"
    )
    assert done.returncode == 0
    assert (tmp_path / "out.jsonl").exists()
