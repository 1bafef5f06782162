"""Edits by ERRANT's rules: each pair is made once, and kept; with a pipeline at hand, a few by hand."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path
from threading import Barrier

import pytest

from errorbar import Edit
from errorbar.core import InputError, UsageError
from errorbar.edits import EditMaker, errant_edits
from errorbar.edits.errant import EditCache, Edits, Pair

TEXTS: list[tuple[str, Sequence[str]]] = [
    ("a b", ["a c", "a  b", "a c"]),
    ("", ["x"]),
    ("a b", ["a c", "d b"]),
]


@dataclass(frozen=True, slots=True)
class Whole(EditMaker):
    """One edit of everything; notes what it was asked for."""

    asked: list[Pair] = field(default_factory=list)

    def edits(self, pairs: Iterable[Pair]) -> list[Edits]:
        found: list[Edits] = []
        for pair in pairs:
            self.asked.append(pair)
            source, text = (each.split() for each in pair)
            found.append((Edit(0, len(source), (" ".join(text),), "R:OTHER"),) if source != text else ())
        return found


def whole(n: int, text: str) -> Edits:
    return (Edit(0, n, (text,), "R:OTHER"),)


EXPECTED = [[whole(2, "a c"), (), whole(2, "a c")], [whole(0, "x")], [whole(2, "a c"), whole(2, "d b")]]


def test_each_pair_is_made_once() -> None:
    maker = Whole()
    assert list(errant_edits(TEXTS, maker)) == EXPECTED
    assert len(maker.asked) == len(set(maker.asked)) == 4


def test_what_is_kept_is_not_made_again(tmp_path: Path) -> None:
    path = tmp_path / "new" / "edits.sqlite"
    first = EditCache(path, "it:1")
    assert list(errant_edits(TEXTS[:2], Whole(), cache=first)) == EXPECTED[:2]
    first.close()
    maker, again = Whole(), EditCache(path, "it:1")
    assert list(errant_edits(TEXTS, maker, cache=again)) == EXPECTED
    assert maker.asked == [("a b", "d b")]


@pytest.mark.parametrize(
    "change",
    [
        "UPDATE edits SET edits = replace(edits, 'a c', 'z z')",
        "UPDATE edits SET edits = substr(edits, 18)",  # as they were kept before they had checksums
        "UPDATE edits SET edits = ''",
        "UPDATE edits SET edits = NULL",
        "UPDATE edits SET edits = (SELECT max(edits) FROM edits)",  # of another pair
    ],
)
def test_a_changed_row_is_made_anew_with_a_word(tmp_path: Path, caplog: pytest.LogCaptureFixture, change: str) -> None:
    path = tmp_path / "edits.sqlite"
    with closing(EditCache(path, "it:1")) as first:
        list(errant_edits(TEXTS, Whole(), cache=first))
    with closing(sqlite3.connect(path)) as file, file:
        file.execute(change)
    for expected in (True, False):
        maker = Whole()
        with closing(EditCache(path, "it:1")) as again:
            assert list(errant_edits(TEXTS, maker, cache=again)) == EXPECTED
        assert bool(maker.asked) is expected
        assert ("are damaged, and are made anew [edit-cache-damaged]" in caplog.text) is expected
        caplog.clear()


def test_what_was_made_before_an_interruption_stays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    @dataclass(frozen=True, slots=True)
    class Failing(Whole):
        def edits(self, pairs: Iterable[Pair]) -> list[Edits]:
            if self.asked:
                raise KeyboardInterrupt
            return Whole.edits(self, pairs)

    monkeypatch.setattr("errorbar.edits.errant.SOURCES", 1)
    kept = EditCache(tmp_path / "edits.sqlite", "it:1")
    with pytest.raises(KeyboardInterrupt):
        list(errant_edits(TEXTS, Failing(), cache=kept))
    kept.close()
    assert EditCache(tmp_path / "edits.sqlite", "it:1").find([("a b", "a c")]) == {("a b", "a c"): whole(2, "a c")}


def test_a_new_cache_is_opened_by_many_at_once(tmp_path: Path) -> None:
    """SQLite said to some of them that it is locked."""
    with ThreadPoolExecutor(8) as pool:
        for number in range(60):
            path, start = tmp_path / f"{number}.sqlite", Barrier(8)

            def open_it(_: int, path: Path = path, start: Barrier = start) -> dict[Pair, Edits]:
                start.wait()
                with closing(EditCache(path, "it:1")) as cache:
                    return cache.find([("a b", "a c")])

            assert list(pool.map(open_it, range(8))) == [{}] * 8


def test_edits_of_another_pipeline_are_not_used(tmp_path: Path) -> None:
    EditCache(tmp_path / "edits.sqlite", "it:1").close()
    with pytest.raises(InputError, match="were made by it:1, not by it:2; name another file"):
        EditCache(tmp_path / "edits.sqlite", "it:2")


def test_a_file_that_is_no_cache_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "text"
    path.write_text("hello\n" * 200, encoding="utf-8")
    with pytest.raises(InputError, match="cannot be used as a cache of edits: file is not a database"):
        EditCache(path, "it:1")


def test_white_space_makes_no_difference(tmp_path: Path) -> None:
    kept = EditCache(tmp_path / "edits.sqlite", "it:1")
    kept.add({("a b", "a c"): whole(2, "a c")})
    assert kept.find([("a  b", "a c ")]) == {("a  b", "a c "): whole(2, "a c")}
    assert kept.find([("a b", "a\tc")]) != {}
    assert kept.find([("a b a", "c")]) == {}


def test_what_is_not_installed_is_named() -> None:
    pytest.importorskip("errant")
    with pytest.raises(UsageError, match="no spaCy pipeline is installed as en_nothing"):
        _ = EditMaker("en_nothing").signature


@pytest.mark.parametrize(
    ("source", "text", "edits"),
    [
        ("I has a apple .", "I have an apple .", [(1, 2, "have", "R:VERB:SVA"), (2, 3, "an", "R:DET")]),
        ("He go home yesterday", "He went home yesterday", [(1, 2, "went", "R:VERB:TENSE")]),
        ("same", "same", []),
        ("", "New", [(0, 0, "New", "M:ADJ")]),
    ],
)
def test_a_few_by_hand(source: str, text: str, edits: list[tuple[int, int, str, str]]) -> None:
    pytest.importorskip("errorbar_en")
    found = [(e.start, e.end, e.replacements[0], e.type) for e in EditMaker().edits([(source, text)])[0]]
    assert found == edits
