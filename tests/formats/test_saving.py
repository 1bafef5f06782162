"""Writing files whole or not at all."""

from __future__ import annotations

import gzip
import os
import resource
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from errorbar.core import InputError
from errorbar.formats import save_bytes, save_lines
from errorbar.formats.saving import PREFIX


def failing() -> Iterator[str]:
    yield "one"
    raise ValueError("no more")


def test_writes_lines(tmp_path: Path) -> None:
    save_lines(["a", "é\u2028b"], str(tmp_path / "x.txt"))
    assert (tmp_path / "x.txt").read_bytes() == "a\né\u2028b\n".encode()
    assert [file.name for file in tmp_path.iterdir()] == ["x.txt"]


def test_compresses_the_same_lines_to_the_same_bytes(tmp_path: Path) -> None:
    first, second = tmp_path / "x.gz", tmp_path / "y.gz"
    save_lines(["a"], str(first))
    save_lines(["a"], str(second))
    assert gzip.decompress(first.read_bytes()) == b"a\n"
    assert first.read_bytes() == second.read_bytes()


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_failure_leaves_everything_as_it_was(tmp_path: Path, ending: str) -> None:
    target = tmp_path / f"x{ending}"
    target.write_text("old")
    with pytest.raises(ValueError, match="no more"):
        save_lines(failing(), str(target))
    assert target.read_text() == "old"
    assert list(tmp_path.iterdir()) == [target]


def test_a_failure_leaves_standard_output_empty(capfd: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(ValueError, match="no more"):
        save_lines(failing(), "-")
    assert capfd.readouterr().out == ""


def test_what_is_no_file_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with ThreadPoolExecutor(1) as readers:
        read = readers.submit(pipe.read_bytes)
        save_lines(["a", "b"], str(pipe))
        assert read.result(30) == b"a\nb\n"
    assert pipe.is_fifo()
    assert list(tmp_path.iterdir()) == [pipe]


def test_keeps_the_rights_of_a_file_and_gives_usual_ones_to_a_new_one(tmp_path: Path) -> None:
    old, new, usual = tmp_path / "old", tmp_path / "new", tmp_path / "usual"
    old.write_text("")
    old.chmod(0o640)
    usual.write_text("")
    save_lines(["a"], str(old))
    save_lines(["a"], str(new))
    assert old.stat().st_mode & 0o777 == 0o640
    assert new.stat().st_mode == usual.stat().st_mode


def test_a_folder_that_is_missing(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written: No such file"):
        save_lines(["a"], str(tmp_path / "none" / "x"))


def test_half_a_surrogate_pair(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="character 2 of output line 2"):
        save_lines(["a", "b\ud800"], str(tmp_path / "x"))
    assert not list(tmp_path.iterdir())


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    target = tmp_path / "x.png"
    target.write_bytes(b"old")
    target.chmod(0o640)
    save_bytes(b"\x89PNG\r\n", str(target))
    assert target.read_bytes() == b"\x89PNG\r\n"
    assert target.stat().st_mode & 0o777 == 0o640
    with pytest.raises(InputError, match="cannot-write"):
        save_bytes(b"x", str(tmp_path / "no/such/folder/x.png"))
    assert [file.name for file in tmp_path.iterdir()] == ["x.png"]


class TestLinks:
    """As ``cp`` and every shell do: what a link names is written, and the link stays."""

    def test_a_link_is_written_through(self, tmp_path: Path) -> None:
        (tmp_path / "far").mkdir()
        real, link = tmp_path / "far" / "real.txt", tmp_path / "link.txt"
        real.write_text("old")
        real.chmod(0o640)
        link.symlink_to("far/real.txt")
        save_lines(["new"], str(link))
        assert (link.is_symlink(), real.read_text(), real.stat().st_mode & 0o777) == (True, "new\n", 0o640)
        assert [each.name for each in (tmp_path / "far").iterdir()] == ["real.txt"]

    def test_a_link_to_nothing_makes_what_it_names(self, tmp_path: Path) -> None:
        (tmp_path / "link").symlink_to("real")
        save_lines(["new"], str(tmp_path / "link"))
        assert (tmp_path / "link").is_symlink()
        assert (tmp_path / "real").read_text() == "new\n"

    def test_a_name_that_asks_for_compression_may_be_a_link(self, tmp_path: Path) -> None:
        (tmp_path / "out.gz").symlink_to("store")
        save_lines(["new"], str(tmp_path / "out.gz"))
        assert gzip.decompress((tmp_path / "store").read_bytes()) == b"new\n"

    def test_a_link_that_leads_to_a_pipe(self) -> None:
        """As /dev/stdout does in ``errorbar ... -o /dev/stdout | head``: its path cannot be resolved, only opened."""
        read, write = os.pipe()
        save_lines(["new"], f"/dev/fd/{write}")
        os.close(write)
        with os.fdopen(read, "rb") as stream:
            assert stream.read() == b"new\n"

    def test_a_link_that_leads_to_itself(self, tmp_path: Path) -> None:
        (tmp_path / "loop").symlink_to("loop")
        with pytest.raises(InputError, match="cannot be written: Too many levels of symbolic links"):
            save_lines(["new"], str(tmp_path / "loop"))
        assert (tmp_path / "loop").is_symlink()


@pytest.mark.parametrize(
    ("target", "why"),
    [
        (".", "Is a directory"),
        ("/dev/full", "No space left on device"),
        ("/proc/none", "No such file or directory"),
        ("file/x", "Not a directory"),
        ("n" * 300, "File name too long"),
    ],
)
def test_where_nothing_can_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, why: str) -> None:
    monkeypatch.chdir(tmp_path)
    Path("file").write_text("")
    with pytest.raises(InputError) as refused:
        save_lines(["new"], target)
    assert str(refused.value) == f"{target}: cannot be written: {why} [cannot-write]"
    assert [each.name for each in Path().iterdir()] == ["file"]


@pytest.mark.parametrize("ending", ["", ".gz"])
def test_a_full_disk_is_blamed_on_the_target(tmp_path: Path, ending: str) -> None:
    """A limit of the size of files fails in the same place as a full disk."""
    target = tmp_path / f"x{ending}"
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 12, before[1]))
    try:
        with pytest.raises(InputError, match=r"x\S*: cannot be written: File too large"):
            save_bytes(os.urandom(1 << 16), str(target))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not list(tmp_path.iterdir())


def test_systems_without_nameless_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "O_TMPFILE", raising=False)
    seen: list[list[str]] = []

    def watching() -> Iterator[str]:
        seen.append([each.name[: len(PREFIX)] for each in tmp_path.iterdir()])
        yield "a"

    (tmp_path / "usual").write_text("")
    save_lines(watching(), str(tmp_path / "x"))
    assert (tmp_path / "x").stat().st_mode == (tmp_path / "usual").stat().st_mode
    with pytest.raises(ValueError, match="no more"):
        save_lines(failing(), str(tmp_path / "x"))
    assert (tmp_path / "x").read_text() == "a\n"
    assert sorted(each.name for each in tmp_path.iterdir()) == ["usual", "x"]
    assert sorted(seen[0]) == [PREFIX, "usual"]
