"""Sentences and corpora: who looked, and content hashes that do not depend on the file."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, cast

import pytest

import errorbar
from errorbar import Corpus, Edit, Hypothesis, Sentence
from errorbar.core import UNCLEAR, ContentHash, InputError, UsageError, annotator_order, reference_record, source_record
from tests.helpers.build import corpus, edit, sentence


def test_tokens_are_what_any_white_space_separates() -> None:
    assert sentence("a \u00a0b\t c\u2028d ", {}).tokens == ["a", "b", "c", "d"]


def test_only_keeps_who_is_asked_for_and_remembers_who_did_not_look() -> None:
    both = corpus(sentence("a", {"0": [], "1": [edit(0, 1, "b")]}), sentence("c", {"0": []}))
    one = both.only(["1"])
    assert one.annotators == ("1",)
    assert [each.annotations for each in one.sentences] == [{"1": (edit(0, 1, "b"),)}, {}]
    assert both.annotators == ("0", "1")


def test_only_warns_of_who_did_not_look() -> None:
    three = corpus(*(sentence(text, {"0": []}) for text in "ab"), sentence("c", {"0": [], "1": []}))
    assert three.only(["0"]).notes == []
    (note,) = three.only(["0", "1"]).notes
    assert (note.code, note.severity) == ("annotator-absent", "warning")
    assert note.what.startswith("annotator 1 has no line for 2 of 3 sentences")


def test_only_names_an_unknown_annotator() -> None:
    with pytest.raises(UsageError, match="no annotator 'teachr' in the reference; did you mean 'teacher'"):
        corpus(sentence("a", {"teacher": []})).only(["teachr"])


def digest(*records: str) -> str:
    content = ContentHash()
    content.add(records)
    return content.short()


def test_a_hash_depends_on_records_and_their_order_not_on_how_they_are_grouped() -> None:
    together, apart = ContentHash(), ContentHash()
    together.add(["a", "b"])
    apart.add(["a"])
    apart.add(["b"])
    assert together.short() == apart.short()
    assert len({digest("a", "b"), digest("b", "a"), digest("a b"), digest()}) == 4
    assert len(digest("a")) == 12


def test_a_source_record_is_its_tokens() -> None:
    assert source_record(sentence(" a\tb ", {})) == source_record(sentence("a b", {}))


def test_a_reference_record_tells_what_matters_apart() -> None:
    annotations: list[dict[str, tuple[Edit, ...]]] = [
        {},
        {"0": ()},
        {"1": ()},
        {"0": (), "1": ()},
        {"0": (edit(0, 1, "x"),)},
        {"0": (edit(0, 1, "x", "y"),)},
        {"0": (edit(0, 1, ""),)},
        {"0": (edit(0, 1, "x")._replace(optional=True),)},
        {"0": (edit(0, 1, "x"), edit(1, 2, "y"))},
        {"0": (edit(0, 1, "x"),), "1": (edit(1, 2, "y"),)},
    ]
    assert len({reference_record(each) for each in annotations}) == len(annotations)


def test_an_unknown_correction_is_not_a_deletion() -> None:
    unknown, deletion = edit(0, 1), edit(0, 1, "")
    assert reference_record({"0": (unknown,)}) != reference_record({"0": (deletion,)})


def test_types_and_comments_do_not_matter() -> None:
    plain = edit(0, 1, "x")
    assert reference_record({"0": (plain,)}) == reference_record({"0": (plain._replace(type="T", comment="c"),)})


class TestReferenceRecord:
    """Two annotations have one record only if every score of them is the same."""

    @pytest.mark.parametrize(
        ("first", "second"),
        [
            (Edit(0, 1, ("no?",)), Edit(0, 1, ("no",), optional=True)),
            (Edit(0, 1, ("no!",)), Edit(0, 1, ("no",), UNCLEAR)),
            (Edit(0, 1, ("no?",), UNCLEAR), Edit(0, 1, ("no",), UNCLEAR, optional=True)),
            (Edit(0, 1, ("a\x1fb",)), Edit(0, 1, ("a", "b"))),
            (Edit(0, 1, ("\x00",)), Edit(0, 1, ())),
            (Edit(0, 1, ("a\x1e1 2 b",)), Edit(0, 1, ("a",))),
            (Edit(0, 1, ("a  b",)), Edit(0, 1, ("a b",))),
            (Edit(0, 1, ("a", "b")), Edit(0, 1, ("b", "a"))),  # the first is what an annotator's text is made of
        ],
    )
    def test_differs(self, first: Edit, second: Edit) -> None:
        assert reference_record({"0": (first,)}) != reference_record({"0": (second,)})

    def test_is_one_line(self) -> None:
        assert "\n" not in reference_record({"a\nb": (Edit(0, 1, ("c\nd",)),)})

    def test_says_nothing_of_types_comments_and_the_order_of_annotators(self) -> None:
        one, other = Edit(0, 1, ("a",), "T", comment="c"), Edit(1, 1, ("b",))
        assert reference_record({"2": (one,), "10": (other,)}) == reference_record(
            {"10": (other,), "2": (Edit(0, 1, ("a",)),)}
        )


@pytest.mark.parametrize(
    ("names", "order"),
    [
        (["10", "9", "b", "a", "A10", "A2"], ["9", "10", "A2", "A10", "a", "b"]),
        (["A1.10", "A1", "A1.9", "A"], ["A", "A1", "A1.9", "A1.10"]),
        (["01", "1", "0"], ["0", "01", "1"]),
        (["1" * 5000, "2" * 4999], ["2" * 4999, "1" * 5000]),
        (["٣", "3"], ["3", "٣"]),
        (["b", "a", "b"], ["a", "b"]),
    ],
)
def test_annotators_go_by_number_and_by_name(names: list[str], order: list[str]) -> None:
    assert list(annotator_order(names)) == order
    assert Corpus([], tuple(names)).annotators == tuple(order)


def test_an_exchanged_annotation_or_text_is_seen_by_the_next_score() -> None:
    # What is kept for the next system must not outlive what it was made of: all numbers are those of a new corpus.
    def make(correction: str, text: str = "a b c") -> Corpus:
        return Corpus([Sentence(text, {"A": (Edit(1, 2, (correction,)),), "B": ()})], ("A", "B"))

    systems = [Hypothesis("x", ["a y c"]), Hypothesis("z", ["a b z"])]
    edited = make("x")
    ceiling = errorbar.ceiling(edited, systems, beta=1).to_dict()
    first = errorbar.score(edited, systems).to_dict()
    edited.sentences[0].annotations["A"] = (Edit(1, 2, ("y",)),)
    assert errorbar.score(edited, systems).to_dict() == errorbar.score(make("y"), systems).to_dict() != first
    assert errorbar.ceiling(edited, systems, beta=1).to_dict() == errorbar.ceiling(make("y"), systems, beta=1).to_dict()
    assert errorbar.ceiling(edited, systems, beta=1).to_dict() != ceiling
    edited.sentences[0].text = "a d c"
    assert errorbar.score(edited, systems).to_dict() == errorbar.score(make("y", "a d c"), systems).to_dict()
    del edited.sentences[0].annotations["B"]
    alone = Corpus([Sentence("a d c", {"A": (Edit(1, 2, ("y",)),)})], ("A", "B"))
    assert errorbar.score(edited, systems).to_dict() == errorbar.score(alone, systems).to_dict()


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Corpus([], cast("Any", (1,))), "a name of a corpus' annotators must be a text, got int"),
        (lambda: Corpus([], cast("Any", None)), "a corpus' annotators must be a tuple of names, got NoneType"),
        (lambda: Corpus([], ("A1",)).only("A1"), "annotators must be a tuple of names, got str"),
        (lambda: Corpus([Sentence("a", {cast("Any", 1): ()})], ("A",)), "an annotator of a sentence must be a text"),
        (lambda: Corpus([Sentence("a", {}, cast("Any", 3))], ("A",)), "the document of a sentence must be a text"),
        (lambda: Corpus([Sentence("a", {"A": ()})], ()), "the corpus has no annotators, but annotations"),
    ],
)
def test_a_corpus_made_by_hand_is_refused_in_a_line(make: Callable[[], Corpus], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        errorbar.score(make(), {"s": ["a"]}, ci=False)


@pytest.mark.parametrize("metric", ["m2", "errant", "gleu", "imeasure", "tokens", "green", "behavior"])
@pytest.mark.parametrize("span", [(1, 9), (2, 1), (-1, 1)])
def test_every_metric_refuses_a_span_outside_its_sentence(metric: str, span: tuple[int, int]) -> None:
    data = Corpus([Sentence("a b c", {"A": (Edit(*span, ("d",)),)})], ("A",))
    with pytest.raises(InputError, match=r"annotator A, sentence 1: the span .* is outside the sentence of 3 tokens"):
        errorbar.score(data, {"s": ["a d c"]}, metric, ci=False)


def test_what_was_spoiled_after_a_score_is_refused_by_the_next() -> None:
    data = Corpus([Sentence("a b", {"A": (Edit(0, 1, ("c",)),)}), Sentence("a b", {"A": ()})], ("A",))
    score = partial(errorbar.score, data, {"s": ["a b", "a b"]}, ci=False)
    score()
    data.sentences[1].annotations["A"] = (Edit(cast("Any", "x"), 1, ("c",)),)
    with pytest.raises(UsageError, match="start of an edit of annotator A in sentence 2 must be a whole number"):
        score()
    data.sentences[1] = cast("Any", "a b")
    with pytest.raises(UsageError, match="sentence 2 must be a Sentence, got str"):
        score()
