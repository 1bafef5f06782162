"""The check of an installation passes here, and notices implementations that disagree."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from errorbar import Corpus
from errorbar.demo import demo_files, selftest
from errorbar.edits import Matches, MatchRules, match_corpus
from errorbar.edits.matching import COMPILED


def test_the_files_are_there() -> None:
    with demo_files() as (gold, systems):
        assert gold.name == "gold.jsonl"
        assert [path.name for path in systems] == ["careful.txt", "greedy.txt", "articles.txt", "copy.txt"]
        assert all(path.is_file() for path in (gold, *systems))


def test_it_passes() -> None:
    twins = "kernel and twin agree, " if COMPILED else ""
    assert selftest.self_test() == f"passed ({twins}demo counts as recorded)"


@pytest.mark.parametrize("wrong", [True, False])
def test_implementations_that_disagree_are_noticed(monkeypatch: pytest.MonkeyPatch, wrong: bool) -> None:
    """One of the two counts an edit more in the second system's text."""
    with demo_files() as (_, (_, greedy, *_)):
        lines = greedy.read_text(encoding="utf-8").splitlines()

    def other(corpus: Corpus, hypothesis: Sequence[str], rules: MatchRules) -> Matches:
        found = match_corpus(corpus, hypothesis, rules if COMPILED else MatchRules(kernel=False))
        return found._replace(counts=found.counts + 1) if rules.kernel is wrong and list(hypothesis) == lines else found

    monkeypatch.setattr(selftest, "COMPILED", True)
    monkeypatch.setattr(selftest, "match_corpus", other)
    assert selftest.self_test() == "FAILED (other counts: greedy (kernel and twin))"
