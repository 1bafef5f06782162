"""Every command, and every way in which its input can come: the same output, or one line that says why not.

The expected output is that of the command on a plain file, which other tests compare with published numbers. What
comes through a pipe is larger than the pipe and than a block of reading: whoever opens it twice loses the beginning.
"""

from __future__ import annotations

import gzip
import os
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest

import errorbar.demo
from errorbar.formats.look import BLOCK
from errorbar.testing import accurate, simulate
from tests.helpers.cli import CommandLine, Outcome
from tests.helpers.crowd import write_judgments

IN = "{}"
"""Where the input stands that comes in different ways; the others are plain files."""
FOLDER = Path(errorbar.demo.__file__).parent
MANY = 60
"""Copies of the demo corpus: its smallest file is then larger than a block."""
JSON = ("--format", "json")
TASK = """[task]
name = "T"
[[corpus]]
name = "test"
gold = "gold.m2"
"""

# Each with the plain file that is its input.
CASES: dict[str, tuple[str, tuple[str, ...]]] = {
    "convert m2": ("large.m2", ("convert", IN, "--to", "jsonl")),
    "convert jsonl": ("large.jsonl", ("convert", IN, "--to", "m2")),
    "convert named format": ("large.m2", ("convert", IN, "--from", "m2", "--to", "jsonl")),
    "convert text": ("large.txt", ("convert", IN, "--to", "text")),
    "convert parallel": ("large.txt", ("convert", "--source", "large-copy.txt", f"a={IN}", "--to", "m2")),
    "convert source": ("large-copy.txt", ("convert", "--source", IN, "a=large.txt", "--to", "m2")),
    "convert nucle": ("essays.sgml", ("convert", IN, "--to", "jsonl")),
    "convert tokens": ("tokens.m2", ("convert", "essays.sgml", "--tokens", IN, "--to", "m2")),
    "convert essays": ("essays.sgml", ("convert", "tokens.m2", "--documents", IN, "--to", "jsonl")),
    "convert two": ("one.m2", ("convert", f"a={IN}", "b=other.m2", "--to", "jsonl")),
    "check m2": ("large.m2", ("check", IN, *JSON)),
    "check system": ("large.txt", ("check", "--gold", "large.m2", f"s={IN}", *JSON)),
    "check gold": ("large.m2", ("check", "--gold", IN, "large.txt", *JSON)),
    "score gold": ("large.m2", ("score", "--gold", IN, "s=large.txt", *JSON)),
    "score system": ("large.txt", ("score", "--gold", "large.m2", f"s={IN}", *JSON)),
    "score jobs": ("large.txt", ("score", "--gold", "large.m2", f"s={IN}", "--jobs", "2", *JSON)),
    "score documents": ("essays.sgml", ("score", "--gold", "tokens.m2", "tokens.txt", "--documents", IN, *JSON)),
    "compare gold": ("gold.m2", ("compare", "--gold", IN, "a=careful.txt", "b=greedy.txt", "--resamples", "50", *JSON)),
    "compare system": (
        "careful.txt",
        ("compare", "--gold", "gold.m2", f"a={IN}", "b=greedy.txt", "--resamples", "50", *JSON),
    ),
    "ceiling": ("gold.m2", ("ceiling", "--gold", IN, "a=careful.txt", *JSON)),
    "agree corpus": ("gold.m2", ("agree", IN, "--resamples", "20", *JSON)),
    "agree judgments": ("votes.csv", ("agree", IN, "--resamples", "20", *JSON)),
    "agree lines": ("votes.jsonl", ("agree", IN, "--resamples", "20", *JSON)),
    "crowd score": ("votes.csv", ("crowd", "score", IN, "s=flags.csv", *JSON)),
    "crowd score flags": ("flags.csv", ("crowd", "score", "votes.csv", f"s={IN}", *JSON)),
    "crowd aggregate": ("votes.csv", ("crowd", "aggregate", IN, "--method", "majority", *JSON)),
    "crowd raters": ("votes.csv", ("crowd", "raters", IN, *JSON)),
    "crowd raters gold": ("truth.csv", ("crowd", "raters", "votes.csv", "--gold", IN, *JSON)),
    "crowd howmany": ("truth.csv", ("crowd", "howmany", "votes.csv", "--truth", IN, "--draws", "5", *JSON)),
    "crowd mine": ("large.txt", ("crowd", "mine", "--counts", "counts", IN, "--n", "5", *JSON)),
    "crowd mine counts": ("counts", ("crowd", "mine", "--counts", IN, "large.txt", "--n", "5", *JSON)),
    "curve": ("votes.csv", ("curve", IN, "s=flags.csv", "--resamples", "20", *JSON)),
    "curve flags": ("flags.csv", ("curve", "votes.csv", f"s={IN}", "--resamples", "20", *JSON)),
    "sample plan": ("flags.csv", ("sample", "plan", f"s={IN}", "--budget", "100", *JSON)),
    "sample compare": ("flags.csv", ("sample", "compare", f"s={IN}", "--budget", "100", *JSON)),
    "sample estimate": ("judged.csv", ("sample", "estimate", IN, "--key", "key.json", *JSON)),
    "sample key": ("key.json", ("sample", "estimate", "judged.csv", "--key", IN, *JSON)),
    "sample votes": (
        "votes.csv",
        ("sample", "estimate", "judged.csv", "--key", "key.json", "--assist", IN, "--flags", "flags.csv", *JSON),
    ),
    "rank": ("pairs.csv", ("rank", IN, "--resamples", "5", *JSON)),
    "rank xml": ("ranks.xml", ("rank", IN, "--resamples", "5", *JSON)),
    "meta": ("pairs.csv", ("meta", IN, "metrics.csv", "--resamples", "5", *JSON)),
    "meta scores": ("metrics.csv", ("meta", "pairs.csv", IN, "--resamples", "5", *JSON)),
    "report gold": (
        "gold.m2",
        (
            "report",
            "--gold",
            IN,
            "a=careful.txt",
            "--resamples",
            "20",
            "--page",
            "title=T",
            "--page",
            "format=markdown",
            "-o",
            "-",
        ),
    ),
    "report judgments": (
        "votes.csv",
        ("report", "--judgments", IN, "--resamples", "20", "--page", "title=T", "--page", "format=markdown", "-o", "-"),
    ),
    "task validate": ("careful.txt", ("task", "validate", "task.toml", IN, *JSON)),
}
"""A command for every input of every command."""
REPORTING = {"check m2": 1, "check system": 1, "check gold": 1, "task validate": 2}
"""Those whose result is what is wrong with a file, with their exit code."""

Way = Callable[[Path], "Iterator[tuple[str, bytes]]"]


def plain(path: Path) -> Iterator[tuple[str, bytes]]:
    yield str(path), b""


def packed(path: Path) -> Iterator[tuple[str, bytes]]:
    there = path.with_name(f"{path.name}.gz")
    there.write_bytes(gzip.compress(path.read_bytes()))
    yield str(there), b""


def standard_input(path: Path) -> Iterator[tuple[str, bytes]]:
    yield "-", path.read_bytes()


def packed_standard_input(path: Path) -> Iterator[tuple[str, bytes]]:
    yield "-", gzip.compress(path.read_bytes())


def pipe(path: Path) -> Iterator[tuple[str, bytes]]:
    yield from _through_pipe(path.read_bytes())


def packed_pipe(path: Path) -> Iterator[tuple[str, bytes]]:
    yield from _through_pipe(gzip.compress(path.read_bytes(), 1))


def named_pipe(path: Path) -> Iterator[tuple[str, bytes]]:
    there = path.with_name("fifo")
    there.unlink(missing_ok=True)
    os.mkfifo(there)
    content = path.read_bytes()

    def feed() -> None:
        with suppress(BrokenPipeError), there.open("wb") as stream:
            stream.write(content)

    writer = threading.Thread(target=feed, daemon=True)
    writer.start()
    yield str(there), b""
    with os.fdopen(os.open(there, os.O_RDONLY | os.O_NONBLOCK), "rb"):  # a writer whom nobody read can go
        writer.join()


def crlf(path: Path) -> Iterator[tuple[str, bytes]]:
    yield from _changed(path, path.read_bytes().replace(b"\n", b"\r\n"))


def byte_order_mark(path: Path) -> Iterator[tuple[str, bytes]]:
    yield from _changed(path, b"\xef\xbb\xbf" + path.read_bytes())


def _changed(path: Path, content: bytes) -> Iterator[tuple[str, bytes]]:
    folder = path.with_name("changed")
    folder.mkdir(exist_ok=True)
    there = folder / path.name
    there.write_bytes(content)
    yield str(there), b""


def _through_pipe(content: bytes) -> Iterator[tuple[str, bytes]]:
    ours, theirs = os.pipe()

    def feed() -> None:
        with suppress(BrokenPipeError), os.fdopen(theirs, "wb") as stream:
            stream.write(content)

    writer = threading.Thread(target=feed, daemon=True)
    writer.start()
    yield f"/dev/fd/{ours}", b""
    os.close(ours)  # ends a writer whom nobody read
    writer.join()


WAYS: tuple[Way, ...] = (
    packed,
    standard_input,
    packed_standard_input,
    pipe,
    packed_pipe,
    named_pipe,
    crlf,
    byte_order_mark,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Every input as a plain file; those of the fast commands are larger than a block."""
    path = tmp_path_factory.mktemp("ways")
    for name in ("careful", "greedy", "copy"):
        text = (FOLDER / f"{name}.txt").read_text("utf-8")
        (path / f"{name}.txt").write_text(text * 3, "utf-8")
        (path / f"large{'' if name == 'careful' else f'-{name}'}.txt").write_text(text * MANY, "utf-8")
    header, *sentences = (FOLDER / "gold.jsonl").read_text("utf-8").splitlines(keepends=True)
    (path / "gold.jsonl").write_text(header + "".join(sentences) * 3, "utf-8")
    (path / "large.jsonl").write_text(header + "".join(sentences) * MANY, "utf-8")
    made = simulate([accurate(0.85)] * 10, np.random.default_rng(1), n_items=3000, per_item=10, prevalence=0.3)
    votes = list(write_judgments(made.judgments))
    (path / "votes.csv").write_text("\n".join(votes) + "\n")
    rows = [line.split(",") for line in votes[1:]]
    lines = [f'{{"item": "{item}", "rater": "{rater}", "label": "{label}"}}\n' for item, rater, label in rows]
    (path / "votes.jsonl").write_text("".join(lines))
    items, truth = made.judgments.items, made.truth.tolist()
    flags = [f"{item},{int(error)}\n" for item, error in zip(items, truth, strict=True)]
    (path / "flags.csv").write_text("item,flag\n" + "".join(flags))
    gold = made.gold(range(3000))
    (path / "truth.csv").write_text("item,label\n" + "".join(f"{item},{label}\n" for item, label in gold.items()))
    winners = [
        f"{a},{b},{(a, b, 'tie')[(k * k) % 3]}\n" for k in range(9000) for a, b in [("ABC"[k % 3], "BCA"[k % 3])]
    ]
    (path / "pairs.csv").write_text("system1,system2,winner\n" + "".join(winners))
    ranks = "".join(
        f'<ranking-item id="{k}" src-id="{k}" user="u{k % 4}">\n<translation rank="1" system="{"AB"[k % 2]}"/>'
        f'<translation rank="2" system="C"/>\n</ranking-item>\n'
        for k in range(3000)
    )
    (path / "ranks.xml").write_text(f"<r>\n{ranks}</r>\n")
    (path / "metrics.csv").write_text("system,metric,score\nA,m,3\nB,m,1\nC,m,2\n")
    essays = "".join(
        f'<DOC nid="{k}">\n<TEXT>\n<P>\nHe go to school {k} . It is fine .\n</P>\n</TEXT>\n'
        '<ANNOTATION teacher_id="1">\n'
        '<MISTAKE start_par="0" start_off="3" end_par="0" end_off="5">\n<TYPE>SVA</TYPE>\n'
        "<CORRECTION>goes</CORRECTION>\n</MISTAKE>\n</ANNOTATION>\n</DOC>\n"
        for k in range(1500)
    )
    (path / "essays.sgml").write_text(essays)
    tokens = "".join(f"S He go to school {k} .\n\nS It is fine .\n\n" for k in range(1500))
    (path / "tokens.m2").write_text(tokens)
    (path / "tokens.txt").write_text("".join(f"He go to school {k} .\nIt is fine .\n" for k in range(1500)))
    (path / "one.m2").write_text("S a b\nA 0 1|||T|||c|||REQUIRED|||-NONE-|||0\n\n" * 8000)
    (path / "other.m2").write_text("S a b\nA 1 2|||T|||c|||REQUIRED|||-NONE-|||0\n\n" * 8000)
    (path / "task.toml").write_text(TASK)
    return path


@pytest.fixture
def place(folder: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine) -> Path:
    """The folder, with what only commands can make."""
    monkeypatch.chdir(folder)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "0")
    if not Path("judged.csv").exists():
        for size in ("gold", "large"):
            assert errorbar("convert", f"{size}.jsonl", "-o", f"{size}.m2").code == 0
        assert errorbar("crowd", "mine", "--build", "--counts", "counts", "large-copy.txt").code == 0
        drawn = errorbar("sample", "draw", "flags.csv", "--budget", 900, "--out", "set.csv", "--key", "key.json")
        assert drawn.code == 0
        rows = [line.split(",") for line in Path("set.csv").read_text().splitlines()]
        at, n = rows[0].index("label"), len(rows[0])
        for number, row in enumerate(rows[1:]):
            row[at] = "error" if number % 3 else "ok"
            assert len(row) == n
        Path("judged.csv").write_text("\n".join(map(",".join, rows)) + "\n")
    return folder


def call(errorbar: CommandLine, case: str, path: str, stdin: bytes = b"") -> Outcome:
    arguments = [each.replace(IN, path) for each in CASES[case][1]]
    done = errorbar(*arguments, stdin=stdin)
    out = done.out.replace("<stdin>", path)
    # A dash also stands between numbers.
    out = re.sub(r'(?<=["=])-(?=")', "FILE", out) if path == "-" else out.replace(path, "FILE")
    return Outcome(done.code, out, done.err)


expected: dict[str, Outcome] = {}
"""What each command prints for a plain file; each is run once."""


def by_file(errorbar: CommandLine, case: str) -> Outcome:
    if case not in expected:
        expected[case] = call(errorbar, case, CASES[case][0])
        assert expected[case].code == 0, expected[case].err
    return expected[case]


def test_inputs_are_larger_than_what_is_read_at_a_time(place: Path) -> None:
    for name in ("large.m2", "large.jsonl", "large.txt", "votes.csv", "essays.sgml", "one.m2", "ranks.xml"):
        assert (place / name).stat().st_size > BLOCK, name


RARE = (packed, standard_input, packed_standard_input, packed_pipe, named_pipe, crlf, byte_order_mark)
"""Ways that are others put together, or of which readers have tests of their own; all of them take a minute."""


USUAL = {
    *("convert m2", "convert text", "check system", "score gold", "ceiling", "agree judgments", "crowd score", "curve"),
    *("sample estimate", "rank xml", "meta scores", "report judgments", "task validate"),
}
"""A command for every kind of file; the other commands read through the same readers."""
QUICK_FIRST = [pytest.param(case, marks=[pytest.mark.slow] * (case not in USUAL)) for case in CASES]


@pytest.mark.parametrize(
    ("case", "way"),
    [
        pytest.param(case, way, marks=[pytest.mark.slow] if way in RARE or case not in USUAL else [])
        for case in CASES
        for way in WAYS
    ],
)
def test_every_way_in_gives_the_same(place: Path, errorbar: CommandLine, case: str, way: Way) -> None:
    wanted = by_file(errorbar, case)
    for path, stdin in way(place / CASES[case][0]):
        done = call(errorbar, case, path, stdin)
        assert done.code == 0, done.err
        if case.startswith("report"):  # which calls its data after the last part of the name, in sentences too
            unnamed = [line for line in wanted.out.splitlines() if Path(CASES[case][0]).stem not in line]
            there = iter(done.out.splitlines())
            assert [line for line in unnamed if "FILE" not in line and line not in there] == []
        else:
            assert done.out == wanted.out
        assert done.err.count("\n") == wanted.err.count("\n")


@pytest.mark.parametrize("case", QUICK_FIRST)
def test_utf16_is_called_by_its_name(place: Path, errorbar: CommandLine, case: str) -> None:
    source = place / CASES[case][0]
    (place / "wide").mkdir(exist_ok=True)
    path = place / "wide" / source.name
    path.write_bytes(source.read_text("utf-8").encode("utf-16"))
    done = call(errorbar, case, str(path))
    if case in REPORTING:
        assert (done.code, "looks like UTF-16" in done.out) == (REPORTING[case], True)
    else:
        assert (done.code, done.out) == (2, "")
        assert "looks like UTF-16" in done.err
        assert "iconv -f UTF-16 -t UTF-8" in done.err
        assert done.err.count("\n") == 1


def _damaged(path: Path) -> dict[str, bytes]:
    content = gzip.compress(path.read_bytes())
    return {
        "cut.gz": content[: len(content) // 2],
        "checksum.gz": content[:-8] + b"\1\2\3\4" + content[-4:],
        "more.gz": content + b"garbage",
        "empty": b"",
        "noise": bytes(range(255, -1, -1)) * 20,
        "zeros": bytes(5000),
    }


@pytest.mark.slow
@pytest.mark.parametrize("case", CASES)
def test_damaged_inputs_are_refused_by_name(place: Path, errorbar: CommandLine, case: str) -> None:
    """Never an internal error (exit code 3), and nothing on standard output but what a checking command reports."""
    for name, content in _damaged(place / CASES[case][0]).items():
        (place / name).write_bytes(content)
        done = call(errorbar, case, name)
        assert done.code == REPORTING.get(case, 2), (name, done.err)
        if case not in REPORTING:
            assert (done.out, done.err.startswith(("error: ", "warning: ", "note: "))) == ("", True), name
        assert "internal error" not in done.err
        if name.endswith(".gz"):
            assert "the compressed data is damaged" in done.out + done.err


@pytest.mark.parametrize("case", QUICK_FIRST)
def test_a_directory_is_refused(place: Path, errorbar: CommandLine, case: str) -> None:
    (place / "directory").mkdir(exist_ok=True)
    done = call(errorbar, case, "directory")
    assert done.code == REPORTING.get(case, 2), done.err
    assert "internal" not in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("score", "--gold", "-", "-"),
        ("score", "--gold", "large.m2", "a=-", "b=-"),
        ("convert", "--source", "-", "a=-", "--to", "m2"),
        ("compare", "--gold", "-", "-", "large.txt"),
        ("crowd", "score", "-", "s=-"),
        ("sample", "estimate", "-", "--key", "-"),
        ("meta", "-", "-"),
        ("check", "--gold", "-", "-"),
        ("report", "--gold", "-", "-"),
        ("report", "--judgments", "-", "s=-"),
        ("agree", "-", "--documents", "-"),
    ],
)
def test_standard_input_is_one_input(place: Path, errorbar: CommandLine, arguments: tuple[str, ...]) -> None:
    done = errorbar(*arguments, stdin=(place / "gold.m2").read_bytes())
    assert (done.code, done.out) == (2, "")
    assert "can be read only once" in done.err
    assert "two-stdin" in done.err


def test_a_pipe_is_one_input_under_all_its_names(place: Path, errorbar: CommandLine) -> None:
    for path, _ in pipe(place / "gold.m2"):
        done = errorbar("score", "--gold", path, path.replace("/dev/fd/", "/proc/self/fd/"))
        assert (done.code, "two-stdin" in done.err) == (2, True)
