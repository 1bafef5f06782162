"""Sentences and corpora: who looked, and content hashes that do not depend on the file."""

from __future__ import annotations

import pytest

from errorbar.core.corpus import ContentHash, reference_record, source_record
from errorbar.core.edit import Edit
from errorbar.core.errors import UsageError
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
