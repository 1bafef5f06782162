"""Sentences and corpora: who looked, and content hashes that do not depend on the file."""

from __future__ import annotations

import pytest

from errorbar import Corpus, Edit
from errorbar.core import UNCLEAR, ContentHash, UsageError, annotator_order, reference_record, source_record
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
