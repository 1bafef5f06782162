"""Every command gives what it gave: the net under changes of structure."""

from __future__ import annotations

import json
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from tests.golden.calls import DEMO, SHARED
from tests.golden.files import link_shared, write_demo
from tests.golden.kept import EPOCH, FOLDER, kept, words
from tests.helpers.cli import CommandLine
from tests.helpers.page_rows import rows_of_page

NEAR = 1e-9
"""Relative: the last bits of a sum may differ from one build of numpy to the next."""


def differences(found: Any, expected: Any, at: str = "") -> list[str]:  # noqa: ANN401 - what JSON holds
    """Where two documents differ."""
    if isinstance(found, dict) and isinstance(expected, dict):
        keys = [key for key in {**expected, **found} if (key in found) != (key in expected)]
        return [f"{at}/{key}: only in {'the result' if key in found else 'the record'}" for key in keys] + [
            line for key in found if key in expected for line in differences(found[key], expected[key], f"{at}/{key}")
        ]
    if isinstance(found, list) and isinstance(expected, list) and len(found) == len(expected):
        return [
            line
            for k, (own, kept) in enumerate(zip(found, expected, strict=True))
            for line in differences(own, kept, f"{at}/{k}")
        ]
    same = found == pytest.approx(expected, rel=NEAR) if isinstance(expected, float) else found == expected
    return [] if same and type(found) is type(expected) else [f"{at}: {expected!r} became {found!r}"]


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("demo")
    return folder, write_demo(folder)


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, data: Path) -> tuple[Path, dict[str, str]]:
    folder = tmp_path_factory.mktemp("shared")
    return folder, link_shared(folder, data)


@pytest.mark.parametrize("name", DEMO)
def test_the_bundled_corpus(
    errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch, demo: tuple[Path, dict[str, str]], name: str
) -> None:
    folder, files = demo
    monkeypatch.chdir(folder)
    monkeypatch.setenv(*next(iter(EPOCH.items())))
    done = errorbar(*words(DEMO[name], files))
    assert done.code == 0, done.err
    expected = json.loads((FOLDER / "demo" / f"{name}.json").read_text(encoding="utf-8"))
    assert differences(kept(done.out, whole=True), expected) == []


@pytest.mark.parametrize("name", rows_of_page(SHARED, in_ci=[n for n, name in enumerate(SHARED) if name != "rank"]))
def test_the_research_corpora(
    errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch, shared: tuple[Path, dict[str, str]], name: str
) -> None:
    if name == "reproduce-bryant-ng2015" and find_spec("errorbar_en"):
        pytest.skip("recorded without ERRANT, which adds a table: tests/reproduce/test_studies.py has it")
    folder, files = shared
    monkeypatch.chdir(folder)
    done = errorbar(*words(SHARED[name], files))
    assert done.code in (0, 1), done.err
    expected = json.loads((FOLDER / "shared" / f"{name}.json").read_text(encoding="utf-8"))
    assert differences(kept(done.out, whole=False), expected) == []


def test_what_is_kept_is_what_is_called() -> None:
    for corpus, calls in (("demo", DEMO), ("shared", SHARED)):
        assert sorted(path.stem for path in (FOLDER / corpus).glob("*.json")) == sorted(calls)


def test_differences_are_found() -> None:
    document = {"a": [1, 2.0, "x"], "b": None}
    assert differences(document, {"a": [1, 2.0 + 1e-12, "x"], "b": None}) == []
    assert differences(document, {"a": [1, 2.5, "x"]}) == ["/b: only in the result", "/a/1: 2.5 became 2.0"]
    assert differences(True, 1) == [": 1 became True"]
