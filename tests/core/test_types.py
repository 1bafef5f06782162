"""What is of another type than a public function takes is refused in one line of errorbar's own, where it enters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

import errorbar
from errorbar import Corpus, Edit, Hypothesis, Judgments, Sentence
from errorbar.core import UsageError
from errorbar.edits import apply_edits, edit_items, extract_edits

# The wrong types are the point of this file: what is of type Any is passed anywhere.
TEXT: Any = "a b"
NUMBER: Any = 5
LINES: Any = [Hypothesis("s", ["a c"])]


def edited(**fields: Any) -> Corpus:  # noqa: ANN401 - of any type, on purpose
    """A corpus with one edit, some of whose fields are given."""
    return Corpus([Sentence("a b", {"A": (Edit(1, 2, ("c",))._replace(**fields),)})], ("A",))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: errorbar.max_match(TEXT, ["a"], []), "the source must be a list of tokens, got str"),
        (lambda: errorbar.max_match(["a"], TEXT, []), "the hypothesis must be a list of tokens, got str"),
        (lambda: errorbar.max_match(["a"], [NUMBER], []), "a token of the hypothesis must be a text, got int"),
        (lambda: errorbar.max_match(["a"], ["b"], TEXT), "the reference must be a list of edits, got str"),
        (
            lambda: errorbar.max_match(["a"], ["b"], Edit(0, 1, ("b",))),  # type: ignore[arg-type]  # one edit alone
            "the reference must be a list of edits, got Edit",
        ),
        (lambda: errorbar.max_match(["a"], ["b"], [TEXT]), "an edit of the reference must be an Edit, got str"),
        (lambda: errorbar.max_match(["a"], ["b"], [], max_unchanged=TEXT), "max_unchanged must be a whole number"),
        (lambda: apply_edits(TEXT, []), "the source must be a list of tokens, got str"),
        (lambda: apply_edits(["a"], [Edit(0, 1, TEXT)]), "replacements of an edit of the sentence must be a tuple"),
        (lambda: extract_edits(TEXT, ["a"]), "the source must be a list of tokens, got str"),
        (lambda: extract_edits(["a"], TEXT), "the target must be a list of tokens, got str"),
        (lambda: Hypothesis("x", TEXT), "a hypothesis' lines must be a list of sentences, got str"),
        (lambda: Hypothesis("x", [NUMBER]), "a line of the hypothesis x must be a text, got int"),
        (lambda: Hypothesis(NUMBER, []), "a hypothesis' name must be a text, got int"),
        (lambda: Sentence(NUMBER), "a sentence's text must be a text, got int"),
        (
            lambda: Sentence("a", NUMBER),
            "a sentence's annotations must be a dict of annotators and their edits, got int",
        ),
        (lambda: Corpus(NUMBER, ()), "a corpus' sentences must be a list of sentences, got int"),
        (lambda: Corpus([], TEXT), "a corpus' annotators must be a tuple of names, got str"),
        (lambda: edit_items(TEXT), "the corpus must be a Corpus, got str"),
        (lambda: edit_items(Corpus([TEXT], ())), "sentence 1 must be a Sentence, got str"),
        (lambda: Judgments(TEXT, TEXT, TEXT, (), (), ()), "the column 'item' must be an array of codes"),
        (lambda: Judgments.from_columns(NUMBER, [], []), "the column 'item' must be a list of values, got int"),
    ],
)
def test_arguments(call: Callable[[], object], message: str) -> None:
    with pytest.raises(UsageError, match=message) as refused:
        call()
    assert refused.value.code == "wrong-type"
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"start": "1"}, "start of an edit of annotator A in sentence 1 must be a whole number, got str"),
        ({"end": 2.0}, "end of an edit of annotator A in sentence 1 must be a whole number, got float"),
        (
            {"replacements": "c"},
            "replacements of an edit of annotator A in sentence 1 must be a tuple of texts, got str",
        ),
        ({"replacements": ["c"]}, "replacements of an edit of .* must be a tuple of texts, got list"),
        ({"replacements": ("c", 5)}, "a replacement of an edit of annotator A in sentence 1 must be a text, got int"),
        ({"type": None}, "type of an edit of annotator A in sentence 1 must be a text, got NoneType"),
    ],
)
@pytest.mark.parametrize(
    "use",
    [
        lambda corpus: errorbar.score(corpus, LINES),
        lambda corpus: errorbar.report(corpus, LINES),
        lambda corpus: errorbar.compare(corpus, [*LINES, Hypothesis("t", ["a b"])]),
        lambda corpus: errorbar.M2().measure(corpus, ["a c"]),
        lambda corpus: errorbar.check(LINES, gold=corpus),
        errorbar.agree,
        lambda corpus: errorbar.convert(corpus, to="m2"),
        edit_items,
    ],
)
def test_fields_of_edits(use: Callable[[Corpus], object], fields: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        use(edited(**fields))


def test_a_bare_edit_in_place_of_several_is_refused() -> None:
    one: Any = Edit(1, 2, ("c",))
    with pytest.raises(UsageError, match="annotator A in sentence 1 must be a list of edits, got Edit"):
        errorbar.score(Corpus([Sentence("a b", {"A": one})], ("A",)), LINES)
