"""What annotators delete, edit by edit."""

from __future__ import annotations

import pytest

from errorbar.core.corpus import Corpus, Sentence
from errorbar.core.edit import Edit
from errorbar.edits.items import edit_items
from errorbar.edits.texts import only_deletions

TEXT = "They discuss about in the book of of that ."


@pytest.mark.parametrize(
    ("edit", "deleted"),
    [
        (Edit(2, 3, ("",), "Prep"), ["about"]),
        (Edit(1, 3, ("discuss",)), ["about"]),
        (Edit(1, 4, ("discuss",)), ["about", "in"]),
        (Edit(2, 4, ("",)), ["about", "in"]),
        (Edit(3, 5, ("the",), "Rloc-"), ["in"]),
        (Edit(3, 5, ("", "in a")), ["in", "the"]),  # the first correction counts
        (Edit(6, 8, ("of",)), ["of"]),  # one of two
        (Edit(2, 3, ("on",)), []),  # another one stands there
        (Edit(2, 6, ("the book about in",)), []),  # moved
        (Edit(2, 6, ("the book about",)), ["in"]),  # moved, and one is gone
        (Edit(2, 2, ("on",)), []),
        (Edit(2, 3, ()), []),
        (Edit(2, 3, ("",), "Um"), []),
    ],
)
def test_what_is_deleted(edit: Edit, deleted: list[str]) -> None:
    corpus = Corpus([Sentence(TEXT, {"a": (edit,), "b": ()}, document="essay")], ("a", "b", "c"), "x")
    made = only_deletions(corpus)
    (sentence,) = made.sentences
    tokens = TEXT.split()
    found = sentence.annotations["a"]
    assert [tokens[each.start] for each in found] == deleted
    assert all((each.end - each.start, each.replacements, each.type) == (1, ("",), edit.type) for each in found)
    # Who looked stays known, and so does the essay; the corpus that was given is as it was.
    assert (sentence.annotations["b"], "c" in sentence.annotations, sentence.document) == ((), False, "essay")
    assert (made.annotators, made.name, corpus.sentences[0].annotations["a"]) == (("a", "b", "c"), "x", (edit,))


def test_they_become_judgments() -> None:
    corpus = Corpus([Sentence(TEXT, {"a": (Edit(1, 4, ("discuss",)),), "b": (Edit(2, 3, ("on",)),)})], ("a", "b"))
    columns = edit_items(only_deletions(corpus), "words").judgments.to_columns()
    errors = {
        (item, rater)
        for item, rater, label in zip(*(columns[name] for name in ("item", "rater", "label")), strict=True)
        if label == "error"
    }
    assert errors == {("1:2-3", "a"), ("1:3-4", "a")}
