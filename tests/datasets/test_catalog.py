from __future__ import annotations

import re
import shutil
from collections.abc import Callable
from pathlib import Path, PurePosixPath

import pytest

from errorbar.core import InputError
from errorbar.datasets import cache_root, catalog, fetch, path
from errorbar.datasets.fetching import look

COPIES = {
    "conll2014": "conll14",
    "conll2014-systems": "conll14_systems",
    "bryant-ng2015": "bn2015_10gec",
    "hoo2011": "hoo2011",
}
REARRANGED: dict[str, tuple[str, Callable[[str], str]]] = {
    "conll2013": ("conll13", lambda file: file.replace("/data/", "/")),
    "cweb": ("cweb_dev", lambda file: PurePosixPath(file).name),
}
"""Copies whose folders are not those of the publisher: folder, and where in it a file of the corpus stands."""


def test_what_there_is() -> None:
    names = [
        *("bryant-ng2015", "conll2013", "conll2014", "conll2014-systems", "cweb"),
        *("estgec-l2", "falko-merlin", "grundkiewicz2015", "hoo2011", "jfleg", "mucgec", "multiged2023", "ua-gec"),
    ]
    assert list(catalog()) == names
    # Counts of the published releases: 12 teams and INPUT; ten annotators as M2 and SGML, and a README;
    # 19 development and 19 test texts, raw and gold; two splits of one source and four references.
    counts = {name: len(found.files) for name, found in catalog().items()}
    assert counts["conll2014-systems"] == 13
    assert counts["bryant-ng2015"] == 21
    assert counts["grundkiewicz2015"] == 1 + 6  # judgments, and the scores of six metrics
    assert counts["hoo2011"] == 2 * (19 + 19)
    assert counts["jfleg"] == 2 * 5
    assert counts["cweb"] == 2 * (3 + 3)  # of G and S: texts; M2 of both annotators together and of each
    assert counts["conll2013"] == 1 + 2 * 2
    assert counts["multiged2023"] == 5 * 2  # languages, development and test part
    assert counts["estgec-l2"] == 4 * 2  # levels, annotated and plain
    assert counts["falko-merlin"] == 3 * 2  # parts, source and corrected


@pytest.mark.parametrize("name", catalog())
def test_entries_are_sound(name: str) -> None:
    found = catalog()[name]
    assert re.fullmatch("[a-z0-9-]+", found.name)
    for text in (found.title, found.license, found.citation, *found.traps):
        assert text
    for url in (found.page, found.citation_url, *found.addresses):
        assert url.startswith("https://")
    paths = [file.path for file in found.files]
    assert len(set(paths)) == len(paths)
    for file in found.files:
        assert not PurePosixPath(file.path).is_absolute()
        assert ".." not in PurePosixPath(file.path).parts
        assert file.sha256 is None or re.fullmatch("[0-9a-f]{64}", file.sha256)
        assert (file.sha256 is None) == (file.n_bytes is None)


@pytest.mark.parametrize("name", COPIES)
def test_hashes_meet_the_corpora_at_hand(data: Path, root: Path, name: str) -> None:
    fetched = fetch(name, from_file=data / COPIES[name])
    required = [file for file in catalog()[name].files if not file.optional]
    assert fetched.n_verified == fetched.n_files == len(required)
    assert fetched.n_bytes == catalog()[name].n_bytes
    assert fetched.notes == ()
    assert path(name) == root / name
    seen = look(catalog()[name], root / name)
    assert {file.path: (file.sha256, file.n_bytes) for file in required} == seen


@pytest.mark.parametrize("name", REARRANGED)
def test_hashes_meet_rearranged_copies(data: Path, root: Path, tmp_path: Path, name: str) -> None:
    folder, place = REARRANGED[name]
    for file in catalog()[name].files:
        copy = tmp_path / "copy" / file.path
        copy.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(data / folder / place(file.path), copy)
    fetched = fetch(name, from_file=tmp_path / "copy")
    assert fetched.n_verified == fetched.n_files == len(catalog()[name].files)
    assert fetched.notes == ()
    assert path(name) == root / name


def test_cache_folder(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("USERPROFILE", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("ERRORBAR_DATA", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_root() == tmp_path / ".cache/errorbar"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")  # the XDG specification: ignore it
    assert cache_root() == tmp_path / ".cache/errorbar"
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "xdg"))
    assert cache_root() == tmp_path / "xdg/errorbar"
    monkeypatch.setenv("ERRORBAR_DATA", "here")
    assert cache_root() == tmp_path / "here"
    monkeypatch.setenv("ERRORBAR_DATA", "~/there")
    assert cache_root() == tmp_path / "there"


def test_path_of_a_corpus_that_is_not_there(root: Path) -> None:
    with pytest.raises(InputError, match="'jfleg' is not in the cache; errorbar data fetch jfleg"):
        path("jfleg")
