"""Submissions that are not what they must be: no scores, one line that says where and how to mend it, and no harm."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import zipfile
from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest

from errorbar import bundle_task, score_submission
from errorbar.core import InputError
from errorbar.version import __version__
from tests.codabench.worker import inner, layout, pack, unpack, work
from tests.tasks.small import RUNS, make_task
from tests.tasks.test_attacks import hoo_task

GOOD = "\n".join(RUNS["one/run2.txt"]) + "\n"


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("bundle")
    bundle_task(make_task(folder), folder / "b.zip", pages=False)
    return folder / "b.zip"


@pytest.fixture(scope="module")
def reference(bundle: Path) -> Path:
    return unpack(inner(bundle, "reference_test.zip"), bundle.parent / "reference")


BAD: dict[str, tuple[dict[str, str | bytes], str]] = {
    "a line is missing": ({"test.txt": GOOD.partition("\n")[2]}, "test.txt: 3 lines for 4 sentences"),
    "a line too many": ({"test.txt": GOOD + "More .\n"}, "test.txt: 5 lines for 4 sentences"),
    "another name": ({"out.txt": GOOD}, "there is no test.txt in the submission .* rename out.txt to test.txt"),
    "in a folder": ({"mine/test.txt": GOOD}, "it is in the folder mine: zip test.txt itself, not the folder"),
    "a zip in it": ({"mine.zip": pack({"test.txt": GOOD})}, "mine.zip is a zip within the zip: upload that one"),
    "nothing": ({}, "the zip is empty"),
    "several others": ({"a.txt": GOOD, "b.txt": GOOD}, "the zip holds a.txt, b.txt"),
    "empty": ({"test.txt": ""}, "test.txt: the file is empty"),
    "not UTF-8": ({"test.txt": GOOD.encode().replace(b"went", b"w\xe9nt")}, "test.txt:1: byte 0xE9 at column 5"),
    "UTF-16": ({"test.txt": GOOD.encode("utf-16")}, "test.txt: this looks like UTF-16"),
    "only CR": ({"test.txt": GOOD.replace("\n", "\r")}, "test.txt: 1 line for 4 sentences"),
    "a zip by another name": ({"test.txt": pack({"test.txt": GOOD})}, "test.txt: this is a zip archive"),
    "large": ({"test.txt": "x" * (1 << 21)}, "test.txt: 2,097,152 bytes .*at most 1,048,576 bytes"),
    "a folder of the name": ({"test.txt/a": GOOD}, "test.txt: this is a link, a folder or a device"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_submission_has_no_scores_and_one_line(name: str, reference: Path, tmp_path: Path) -> None:
    files, said = BAD[name]
    (tmp_path / "res").mkdir()
    unpack(pack(files), tmp_path / "res")
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "scores.json").write_text('{"f": 1}')  # of somebody else
    with pytest.raises(InputError, match=said) as raised:
        score_submission(reference, tmp_path / "res", tmp_path / "out")
    assert "\n" not in str(raised.value.problems[0])
    assert str(tmp_path) not in str(raised.value), "participants know no path of the worker"
    assert [each.name for each in (tmp_path / "out").iterdir()] == ["detailed_results.html"]
    assert "This submission was not scored" in (tmp_path / "out" / "detailed_results.html").read_text()


@pytest.mark.parametrize("ends", ["\r\n", "\n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_and_a_byte_order_mark_change_nothing(ends: str, mark: str, reference: Path, tmp_path: Path) -> None:
    (tmp_path / "res").mkdir()
    (tmp_path / "res" / "test.txt").write_bytes((mark + GOOD.replace("\n", ends)).encode())
    results = score_submission(reference, tmp_path / "res", tmp_path / "out", details=False)
    assert results.corpora[0].runs[0].gold[0].f.value == 1.0


def test_what_systems_pack_along_is_not_looked_at(reference: Path, tmp_path: Path) -> None:
    files: dict[str, str | bytes] = {
        "test.txt": GOOD,
        "__MACOSX/._test.txt": b"\0",
        ".DS_Store": b"\0",
        "metadata": "exitCode: 0",
        "notes.md": "!",
    }
    unpack(pack(files), tmp_path / "res")
    score_submission(reference, tmp_path / "res", tmp_path / "out", details=False)
    assert (tmp_path / "out" / "scores.json").exists()


def linked(folder: Path, secret: Path) -> None:
    (folder / "test.txt").symlink_to(secret)


def fifo(folder: Path, secret: Path) -> None:
    os.mkfifo(folder / "test.txt")


@pytest.mark.parametrize("make", [linked, fifo])
def test_links_and_pipes_are_not_opened(make: Callable[[Path, Path], None], reference: Path, tmp_path: Path) -> None:
    """A worker's unpacking makes none; another one might."""
    (tmp_path / "res").mkdir()
    (tmp_path / "secret.txt").write_text(GOOD)
    make(tmp_path / "res", tmp_path / "secret.txt")
    with pytest.raises(InputError, match=r"test\.txt: this is a link, a folder or a device"):
        score_submission(reference, tmp_path / "res", tmp_path / "out")


def test_a_zip_of_a_link_and_of_names_that_lead_out_reads_nothing_of_ours(bundle: Path, tmp_path: Path) -> None:
    """As the worker unpacks them, the link is a file with the name of what it led to."""
    content = BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        link = zipfile.ZipInfo("test.txt")
        link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
        archive.writestr(link, "../ref/gold/gold.m2")
        archive.writestr("../../program/score.py", "raise SystemExit('taken over')")
    command, folder = layout(bundle, content.getvalue(), tmp_path)
    assert "taken over" not in (folder / "score.py").read_text()
    with pytest.raises(InputError, match=r"test\.txt: 1 line for 4 sentences"):
        score_submission(tmp_path / "input/ref", tmp_path / "input/res", tmp_path / "output")
    assert command[1].endswith("program/score.py")


HOO_BAD: dict[str, tuple[dict[str, str | bytes], str]] = {
    "no folder": ({"0001.txt": "He goes home."}, "put the files into a folder test and zip that"),
    "a file": ({"test": "He goes home."}, "test: this is no folder"),
    "too deep": ({"mine/test/0001.txt": "He goes home."}, "it is in the folder mine"),
    "other texts": ({"test/0002.txt": "He goes home."}, "no file of run .* is about a fragment"),
    "no XML": ({"test/0001.xml": "<edits"}, "0001.xml"),
    "large": ({"test/0001.txt": "x" * (1 << 21)}, "test/0001.txt: 2,097,152 bytes"),
    "many": ({f"test/{k}.txt": "" for k in range(30)}, "30 files for 1 text"),
    "a folder in it": ({"test/0001.txt/a": ""}, "test/0001.txt: this is a link, a folder or a device"),
}


@pytest.mark.parametrize("name", HOO_BAD)
def test_a_bad_submission_of_hoo_data(name: str, tmp_path: Path) -> None:
    files, said = HOO_BAD[name]
    bundle_task(hoo_task(tmp_path, "real"), tmp_path / "b.zip", pages=False)
    unpack(inner(tmp_path / "b.zip", "reference_test.zip"), tmp_path / "ref")
    unpack(pack(files), tmp_path / "res")
    with pytest.raises(InputError, match=said) as raised:
        score_submission(tmp_path / "ref", tmp_path / "res", tmp_path / "out", details=False)
    assert str(tmp_path) not in str(raised.value)
    assert not (tmp_path / "out" / "scores.json").exists()


def test_the_program_exits_with_2_and_one_line(bundle: Path, tmp_path: Path) -> None:
    worked = work(bundle, pack({"test.txt": GOOD.encode().replace(b"e", b"\xe9")}), tmp_path)
    assert (worked.code, worked.scores, worked.out) == (2, None, "")
    (line,) = worked.err.splitlines()
    assert line.startswith("error: test.txt:1: byte 0xE9")
    assert line.endswith("[not-utf8] (and 3 more)")


@pytest.mark.slow
def test_the_page_of_a_submission_has_no_word_of_the_gold_edits(bundle: Path, tmp_path: Path) -> None:
    worked = work(bundle, pack({"test.txt": "\n".join(RUNS["two/run1.txt"]) + "\n"}), tmp_path)
    assert worked.code == 0, worked.err
    page = (worked.output / "detailed_results.html").read_text(encoding="utf-8")
    assert "Sentences and their gold edits are the organizers" in page
    for secret in ("goes", "likes", "These", "saw", "yesterday"):
        assert f'"{secret}"' not in page
        assert f">{secret}<" not in page
    assert "yesterday" not in page


@pytest.mark.slow
@pytest.mark.parametrize("closed", ["<&-", "</dev/null"])
def test_the_program_needs_no_standard_input(closed: str, bundle: Path, tmp_path: Path) -> None:
    command, folder = layout(bundle, pack({"test.txt": GOOD}), tmp_path)
    program = " ".join([sys.executable, *command[1:]])
    done = subprocess.run(
        f"{program} {closed}", shell=True, cwd=folder, capture_output=True, text=True, check=False, timeout=1500
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert (tmp_path / "output" / "scores.json").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("import errorbar\n", "import errorbar_not_there\n", "was not built"),
        ('VERSION = "', 'VERSION = "9.', f"the image has {__version__}"),
    ],
)
def test_another_image_is_named(old: str, new: str, said: str, bundle: Path, tmp_path: Path) -> None:
    command, folder = layout(bundle, pack({"test.txt": GOOD}), tmp_path)
    text = (folder / "score.py").read_text()
    assert text.count(old) == 1
    (folder / "score.py").write_text(text.replace(old, new))
    done = subprocess.run(
        [sys.executable, *command[1:]], cwd=folder, capture_output=True, text=True, check=False, timeout=1500
    )
    assert done.returncode == 3
    assert said in done.stderr
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.slow
def test_the_program_says_in_a_line_that_it_cannot_write(bundle: Path, tmp_path: Path) -> None:
    """As on a file system that is read-only."""
    command, folder = layout(bundle, pack({"test.txt": GOOD}), tmp_path)
    (tmp_path / "sitecustomize.py").write_text("import tempfile\ntempfile.tempdir = '/nowhere/at/all'\n")
    path = os.pathsep.join([str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, *command[1:]],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=1500,
    )
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr == "error: No such file or directory: scoring was stopped\n"
