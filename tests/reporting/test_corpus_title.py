"""What a report is called."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar.core.corpus import Corpus
from errorbar.reporting.make import _title, corpus_title


@pytest.mark.parametrize(
    ("paths", "title"),
    [
        (["learners=x/gold.m2"], "learners"),
        (["essays.m2"], "essays"),
        (["demo/gold.jsonl"], "demo"),
        (["corpora/jfleg/dev.m2"], "jfleg, dev"),
        (["/there/conll/data/revised/official.m2"], "official"),
        (["/there/conll/data/gold/test.m2.gz"], "conll, test"),
        (["bn2015/A1.m2", "bn2015/A2.m2"], "bn2015"),
        (["essays/one/a.m2", "essays/two/a.m2"], "essays"),
        (["A1.m2", "A2.m2", "A3.m2"], "3 files, A1 to A3"),
        (["A2.m2", "A10.m2", "A1.m2"], "A2 and 2 more files"),
        (["A10.m2", "A8.m2", "A9.m2"], "3 files, A8 to A10"),
        (["ann.m2", "bob.m2", "eve.m2"], "ann and 2 more files"),
        (["a.m2", "b.m2"], "a and 1 more file"),
        (["gold.jsonl"], "gold"),
        (["votes.csv"], "votes"),
    ],
)
def test_it_is_named_as_people_know_it(paths: list[str], title: str) -> None:
    assert corpus_title(paths) == title


def test_a_corpus_that_was_fetched_has_the_title_of_its_card(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ERRORBAR_DATA", str(tmp_path))
    folder = tmp_path / "bryant-ng2015"
    folder.mkdir()
    for name in ("A1.m2", "A2.m2"):
        (folder / name).touch()
    assert corpus_title([f"{folder}/*.m2"]) == "Ten annotators of the CoNLL-2014 test set"
    assert corpus_title([str(tmp_path / "jfleg" / "ref0.txt")]) == "JFLEG"
    assert corpus_title([str(tmp_path / "unknown" / "ref0.txt")]) == "ref0"


def test_several_kinds_of_data_are_all_named() -> None:
    assert _title(["x/gold.m2"], "votes.csv", None) == "x and votes"
    assert _title(Corpus([], (), "learners"), None, None) == "learners"
    assert _title(Corpus([], ()), None, None) == "Report"
