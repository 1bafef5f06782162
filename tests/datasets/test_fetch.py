from __future__ import annotations

import json
import threading
from dataclasses import replace
from pathlib import Path

import pytest

from errorbar.core import InputError, UsageError
from errorbar.datasets import CorpusFile, Dataset, Talk, fetch, path
from errorbar.datasets.cards import lock
from tests.datasets.conftest import FILES, corpus, folder, sha256, tar, zipped
from tests.datasets.server import Page, Site


def content(root: Path) -> dict[str, bytes]:
    here = root / "tiny"
    return {file.relative_to(here).as_posix(): file.read_bytes() for file in here.rglob("*") if file.is_file()}


def refused(dataset: Dataset, code: str, *, from_file: Path | None = None, again: bool = False) -> str:
    with pytest.raises(InputError) as caught:
        fetch(dataset, from_file=from_file, again=again)
    assert caught.value.code == code, str(caught.value)
    return str(caught.value)


def test_archive(site: Site, root: Path) -> None:
    published = tar({**FILES, "scripts/run.py": b"1"})
    tiny = corpus(site.put("/tiny.tar.gz", Page(published)), archive_sha256=sha256(published))
    fetched = fetch(tiny)
    assert fetched.path == root / "tiny" == path(tiny)
    assert (fetched.n_files, fetched.n_verified, fetched.notes) == (2, 2, ())
    assert content(root) == FILES  # without the scripts
    assert sorted(entry.name for entry in root.iterdir()) == [".lock", "manifest.json", "partial", "tiny"]
    assert list((root / "partial").iterdir()) == []


def test_second_fetch_asks_nobody(site: Site, root: Path) -> None:
    tiny = corpus(site.put("/tiny.tar.gz", Page(tar(FILES))))
    fetch(tiny)
    assert fetch(tiny).source == "cache"
    assert len(site.log) == 1


def test_archive_with_wrong_checksum(site: Site, root: Path) -> None:
    published = tar(FILES)
    tiny = corpus(site.put("/tiny.tar.gz", Page(published)), archive_sha256="0" * 64)
    message = refused(tiny, "data-hash")
    assert f"/tiny.tar.gz: sha256 {sha256(published)}" in message
    assert f"(expected {'0' * 64})" in message
    assert not (root / "tiny").exists()
    assert list((root / "partial" / "tiny").iterdir()) == []


def test_file_with_wrong_checksum(site: Site, root: Path) -> None:
    tiny = corpus(site.put("/tiny.tar.gz", Page(tar({**FILES, "a.txt": b"other"}))))
    message = refused(tiny, "data-hash")
    assert f"tiny/a.txt: sha256 {sha256(b'other')}, 5 bytes (expected {sha256(FILES['a.txt'])}, 11 bytes)" in message
    assert not (root / "tiny").exists()
    assert not (root / "manifest.json").exists()


def test_second_address_where_the_first_fails(site: Site, root: Path) -> None:
    tiny = corpus(site.base + "/gone.zip", site.put("/tiny.zip", Page(zipped(FILES))))
    fetched = fetch(tiny)
    assert content(root) == FILES
    assert fetched.source.endswith("/tiny.zip")
    assert ["404" in note.what and note.severity for note in fetched.notes] == ["warning"]


def test_web_page_instead_of_an_archive(site: Site, root: Path) -> None:
    url = site.put("/tiny.tar.gz", Page(b"<!DOCTYPE html><p>We have moved."))
    assert f"{url}: it is a web page, not an archive" in refused(corpus(url), "data-archive-broken")


def test_truncated_archive_without_announced_length(site: Site, root: Path) -> None:
    url = site.put("/tiny.tar.gz", Page(tar(FILES)[:-30], length=False))
    assert refused(corpus(url), "data-archive-broken").startswith(url)


def test_interrupted_download_goes_on(site: Site, root: Path) -> None:
    published = tar(FILES)
    page = Page(published, cut=1)
    tiny = corpus(site.put("/tiny.tar.gz", page))
    half = len(published) // 2

    def vanish(line: str) -> None:
        if "trying again" in line:
            page.failures = [404]

    with pytest.raises(InputError, match="404"):
        fetch(tiny, talk=Talk(vanish))
    assert (root / "partial/tiny/tiny.tar.gz.part").read_bytes() == published[:half]
    assert not (root / "tiny").exists()
    fetch(tiny)
    assert content(root) == FILES
    assert site.log[-1] == ("/tiny.tar.gz", f"bytes={half}-", len(published) - half)


def test_bad_part_costs_one_more_download(site: Site, root: Path) -> None:
    published = tar(FILES)
    tiny = corpus(site.put("/tiny.tar.gz", Page(published, etag="")))
    folder(root / "partial" / "tiny", {"tiny.tar.gz.part": b"left by an older release"})
    said: list[str] = []
    fetch(tiny, talk=Talk(said.append))
    assert content(root) == FILES
    assert any("the resumed download is bad (data-archive-broken)" in line for line in said)
    assert [asked for _, asked, _ in site.log] == ["bytes=24-", ""]


def test_files_published_one_by_one(site: Site, root: Path) -> None:
    site.put("/raw/a.txt", Page(FILES["a.txt"]))
    tiny = corpus(files=site.base + "/raw")
    assert "/raw/sub/b.m2: the server says 404" in refused(tiny, "data-download")
    site.put("/raw/sub/b.m2", Page(FILES["sub/b.m2"]))
    assert fetch(tiny).n_verified == 2
    assert content(root) == FILES
    assert [asked for asked, _, _ in site.log] == ["/raw/a.txt", "/raw/sub/b.m2", "/raw/sub/b.m2"]  # a.txt once


def test_files_published_one_by_one_with_wrong_checksum(site: Site, root: Path) -> None:
    site.put("/raw/a.txt", Page(b"other"))
    assert "/raw/a.txt: sha256" in refused(corpus(files=site.base + "/raw"), "data-hash")


def test_unpinned_files_are_trusted_once(site: Site, root: Path) -> None:
    page = Page(tar(FILES))
    tiny = corpus(site.put("/tiny.tar.gz", page), pinned=False)
    first = fetch(tiny)
    assert first.n_verified == 0
    assert [note.code for note in first.notes] == ["data-unverified"] * 2
    assert sha256(FILES["a.txt"]) in first.notes[0].what
    recorded = json.loads((root / "manifest.json").read_text())["datasets"]["tiny"]
    assert recorded["files"]["a.txt"] == {"sha256": sha256(FILES["a.txt"]), "bytes": 11}

    page.content, page.etag = tar({**FILES, "a.txt": b"second\n"}), '"2"'
    assert "trust=True" in refused(tiny, "data-changed", again=True)
    assert content(root) == FILES  # the old folder stays

    assert [note.code for note in fetch(tiny, again=True, trust=True).notes] == ["data-changed"]
    assert content(root)["a.txt"] == b"second\n"
    assert fetch(tiny).notes == ()  # now it is the one that is recorded


def test_unpinned_files_stay_known_when_the_folder_is_deleted(root: Path, tmp_path: Path) -> None:
    tiny = corpus(pinned=False)
    fetch(tiny, from_file=folder(tmp_path / "one", FILES))
    for name in FILES:
        (root / "tiny" / name).unlink()
    (root / "tiny" / "sub").rmdir()
    (root / "tiny").rmdir()
    refused(tiny, "data-changed", from_file=folder(tmp_path / "two", {**FILES, "a.txt": b"x"}))


@pytest.mark.parametrize("top", ["", "deep/er/"])
@pytest.mark.parametrize("kind", ["folder", "tar", "zip"])
def test_from_file(root: Path, tmp_path: Path, kind: str, top: str) -> None:
    files = {top + name: file for name, file in FILES.items()} | {"a.txt.bak": b"", "other/a.txt": b"not this one"}
    source = tmp_path / "copy"
    if kind == "folder":
        folder(source, files)
    else:
        source.write_bytes(tar(files) if kind == "tar" else zipped(files))
    assert fetch(corpus(), from_file=source).source == str(source)
    assert content(root) == FILES


def test_from_file_lists_everything_that_is_missing(root: Path, tmp_path: Path) -> None:
    source = folder(tmp_path / "copy", {"x/sub/b.m2": FILES["sub/b.m2"]})
    assert "'x/a.txt' is not there" in refused(corpus(), "data-file-missing", from_file=source)
    empty = folder(tmp_path / "empty", {"notes": b""})
    assert "none of the 2 files of the corpus 'tiny'" in refused(corpus(), "data-file-missing", from_file=empty)
    assert "no such file or folder" in refused(corpus(), "data-no-file", from_file=tmp_path / "nothing")


def test_from_file_names_every_bad_file_and_changed_line_ends(root: Path, tmp_path: Path) -> None:
    crlf = FILES["a.txt"].replace(b"\n", b"\r\n")
    source = folder(tmp_path / "copy", {"a.txt": crlf, "sub/b.m2": b"damaged"})
    first, second = refused(corpus(), "data-hash", from_file=source).split("\n")
    assert "line ends were changed to CRLF" in first
    assert "tiny/sub/b.m2" in second
    assert "the copy is damaged" in second


def test_no_address(root: Path) -> None:
    assert "no address of the corpus 'tiny' is known; get a copy" in refused(corpus(), "data-no-address")


def test_damage_in_the_cache_is_found_and_mended(root: Path, tmp_path: Path) -> None:
    source = folder(tmp_path / "copy", FILES)
    fetch(corpus(), from_file=source)
    (root / "tiny/a.txt").write_bytes(b"edited")
    (root / "tiny/sub/b.m2").unlink()
    message = refused(corpus(), "data-hash")
    assert message.count("errorbar data fetch --again tiny") == 2
    fetch(corpus(), from_file=source, again=True)
    assert content(root) == FILES


def test_a_change_in_the_cache_may_be_trusted(root: Path, tmp_path: Path) -> None:
    tiny = corpus(pinned=False)
    fetch(tiny, from_file=folder(tmp_path / "copy", FILES))
    (root / "tiny/a.txt").write_bytes(b"edited")
    refused(tiny, "data-changed")
    trusted = fetch(tiny, trust=True)
    assert (trusted.source, [note.code for note in trusted.notes]) == ("cache", ["data-changed"])
    assert fetch(tiny).notes == ()  # it is recorded now


def test_another_cache_folder(root: Path, tmp_path: Path) -> None:
    elsewhere = tmp_path / "made" / "for it"
    fetched = fetch(corpus(), from_file=folder(tmp_path / "copy", FILES), root=elsewhere)
    assert fetched.path == elsewhere / "tiny" == path(corpus(), root=elsewhere)
    assert fetched.n_bytes == sum(map(len, FILES.values()))
    assert not root.exists()


def test_most_files_count_more_than_a_place_near_the_top(root: Path, tmp_path: Path) -> None:
    deep = {f"z/full/{name}": file for name, file in FILES.items()}
    fetch(corpus(), from_file=folder(tmp_path / "copy", {**deep, "a.txt": b"not this one", "b/a.txt": b"nor this"}))
    assert content(root) == FILES
    near = {f"z/{name}": file for name, file in FILES.items()}
    far = {f"a/copy/{name}": b"not these" for name in FILES}
    fetch(corpus(), from_file=folder(tmp_path / "two", {**near, **far}), again=True)
    assert content(root) == FILES


def test_half_of_an_archive_with_a_published_hash_goes_on(site: Site, root: Path) -> None:
    published = tar(FILES)
    tiny = corpus(site.put("/tiny.tar.gz", Page(published)), archive_sha256=sha256(published))
    folder(root / "partial" / "tiny", {"tiny.tar.gz.part": published[:100]})
    fetch(tiny)
    assert content(root) == FILES
    assert site.log == [("/tiny.tar.gz", "bytes=100-", len(published) - 100)]


def test_files_published_one_by_one_in_folders_of_folders(site: Site, root: Path) -> None:
    names = ("x/y/one.txt", "x/y/two.txt")
    files = tuple(CorpusFile(name, sha256(b"1"), 1, url=site.put(f"/{name}", Page(b"1"))) for name in names)
    tiny = replace(corpus(), files=files)
    assert tiny.addresses == tuple(file.url for file in files)
    fetch(tiny)
    assert content(root) == dict.fromkeys(names, b"1")


def test_leftovers_of_a_killed_process_are_cleared(root: Path, tmp_path: Path) -> None:
    fetch(corpus(), from_file=folder(tmp_path / "copy", FILES))
    (root / "tiny").rename(root / ".old-tiny")  # killed between the two renames of --again
    folder(root / ".new-tiny", {"half": b""})
    assert fetch(corpus()).source == "cache"
    assert content(root) == FILES
    assert not list(root.glob(".*-tiny"))


def test_second_process_waits_and_finds_the_corpus(root: Path, tmp_path: Path) -> None:
    source = folder(tmp_path / "copy", FILES)
    root.mkdir()
    waiting = threading.Event()
    with lock(root, print):
        other = threading.Thread(
            target=lambda: fetch(corpus(), from_file=source, talk=Talk(lambda line: waiting.set()))
        )
        other.start()
        assert waiting.wait(10)
        assert not (root / "tiny").exists()
    other.join()
    assert content(root) == FILES


def test_damaged_manifest(root: Path, tmp_path: Path) -> None:
    folder(root, {"manifest.json": b"[]"})
    assert "the manifest of the cache is damaged" in refused(corpus(), "data-manifest")


def test_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ERRORBAR_DATA", str(tmp_path / "file"))
    assert "ERRORBAR_DATA names another folder" in refused(corpus(), "data-io")


def test_unknown_name(root: Path) -> None:
    with pytest.raises(UsageError, match=r"no corpus 'conll2041'; did you mean 'conll2014'\?"):
        fetch("conll2041")
    assert not root.exists()
