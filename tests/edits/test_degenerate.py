"""Degenerate systems, word by word."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from errorbar import Corpus, Edit, Sentence
from errorbar.edits import KINDS, DegenerateSystems, is_degenerate, make_degenerate
from tests.helpers.build import corpus, edit, sentence

SOURCE = ("A cat sat on mat .", "He go to school .", "I like it .", "We discussed about the plan .")
THE = edit(4, 4, "the", kind="Det")
SMALL = corpus(
    sentence(
        SOURCE[0],
        {"A": [edit(4, 4, "the", kind="Det")], "B": [edit(0, 1, "The", kind="Det"), edit(4, 4, "a", kind="Det")]},
    ),
    sentence(SOURCE[1], {"A": [edit(1, 2, "goes", kind="Verb")], "B": []}),
    sentence(SOURCE[2], {"A": []}),  # B did not look
    sentence(SOURCE[3], {"A": [edit(2, 3, "", kind="Prep")], "B": [edit(2, 3, "", kind="Prep")]}),
)


def made(
    data: Corpus = SMALL, *kinds: str, output: tuple[str, Sequence[str]] | None = None, seed: int = 0
) -> DegenerateSystems:
    return make_degenerate(data, kinds or list(KINDS), output=output, seed=seed)


def text(name: str, data: Corpus = SMALL) -> tuple[str, ...]:
    """The lines of one of them."""
    return next(each.lines for each in made(data).systems if each.name == name)


def test_every_text_is_known() -> None:
    assert text("unchanged") == SOURCE
    assert text("empty") == ("", "", "", "")
    assert text("no-function-words") == ("cat sat mat .", "He go school .", "I like it .", "We discussed plan .")
    # Hardness: (1 + 2) / 2, (1 + 0) / 2, 0 and (1 + 1) / 2, of 3 in all; the first holds half.
    assert text("hard-deleted") == ("", *SOURCE[1:])
    goes, plan = "He goes to school .", "We discussed the plan ."
    assert text("pasted-A") == ("A cat sat on the mat .", goes, SOURCE[2], plan)
    assert text("pasted-B") == ("The cat sat on a mat .", SOURCE[1], SOURCE[2], plan)
    # A and B have three edits each, so A's errors count; of "the" and "a", inserted once each, "a" is the first.
    assert text("by-rote") == ("A cat sat on a mat .", goes, SOURCE[2], plan)
    both = "A cat sat on the mat . The cat sat on a mat ."
    assert text("concatenated") == (both, f"{goes} {SOURCE[1]}", SOURCE[2], f"{plan} {plan}")
    names = ["unchanged", "empty", "no-function-words", "shuffled", "hard-deleted", "pasted-A", "pasted-B"]
    assert [each.name for each in made().systems] == [*names, "by-rote", "concatenated"]
    assert made().left_out == {}


def rote(*sentences: tuple[str, dict[str, list[Edit]]]) -> tuple[str, ...]:
    data = corpus(*(sentence(source, annotations) for source, annotations in sentences))
    (one,) = make_degenerate(data, ["by-rote"]).systems
    return one.lines


class TestByRote:
    def test_a_type_has_one_correction_for_insertions_and_one_for_the_rest(self) -> None:
        lines = rote(
            ("cat sat", {"A": [edit(0, 0, "the", kind="Det"), edit(1, 2, "sits", kind="Verb")]}),
            ("dog ran", {"A": [edit(0, 0, "a", kind="Det"), edit(1, 2, "runs", kind="Verb")]}),
            ("cow the ate", {"A": [edit(0, 0, "the", kind="Det"), edit(1, 2, "", kind="Det")]}),
            ("ox lay", {"A": [edit(1, 2, "sits", kind="Verb")]}),
        )
        # Det: "the" is inserted twice, "a" once; what is replaced is deleted. Verb: "sits" twice, "runs" once.
        assert lines == ("the cat sits", "the dog sits", "the cow ate", "ox sits")

    def test_of_equally_frequent_ones_the_first_in_the_alphabet(self) -> None:
        lines = rote(
            ("x y", {"A": [edit(0, 1, "zoo", kind="N")]}),
            ("x y", {"A": [edit(0, 1, "ant", kind="N")]}),
        )
        assert lines == ("ant y", "ant y")

    def test_all_annotators_are_counted_and_the_errors_are_those_of_the_busiest(self) -> None:
        lines = rote(
            ("x y", {"A": [edit(0, 1, "q", kind="N")], "B": [edit(0, 1, "r", kind="N"), edit(1, 2, "r", kind="N")]}),
            ("x y", {"A": [edit(0, 1, "r", kind="N")], "B": [edit(1, 2, "r", kind="N")]}),
        )
        assert lines == ("r r", "x r")  # B has three edits, A two

    def test_of_equally_busy_annotators_the_first(self) -> None:
        assert rote(("x y", {"B": [edit(1, 2, "b", kind="M")], "A": [edit(0, 1, "a", kind="N")]})) == ("a y",)

    def test_without_types_the_words_of_the_span_decide(self) -> None:
        lines = rote(
            ("a x a y", {"A": [edit(0, 1, "the"), edit(2, 3, "the")]}),
            ("a x b y", {"A": [edit(0, 1, "an"), edit(2, 3, "c")]}),
            ("x", {"A": [edit(0, 0, "oh")]}),
        )
        assert lines == ("the x the y", "the x c y", "oh x")

    def test_a_type_is_not_the_words_of_a_span(self) -> None:
        lines = rote(
            ("N x", {"A": [edit(0, 1, "text")]}), ("z x", {"A": [edit(0, 1, "type", kind="N")]}), ("N", {"A": []})
        )
        assert lines == ("text x", "type x", "N")

    def test_what_has_no_correction_is_neither_counted_nor_changed(self) -> None:
        lines = rote(
            ("x y", {"A": [edit(0, 1, "", kind="Um"), edit(1, 2, kind="N")]}),
            ("x y", {"A": [edit(1, 2, "n", kind="N")]}),
        )
        assert lines == ("x y", "x n")


class TestLeftOut:
    def test_one_sentence(self) -> None:
        found = made(corpus(sentence("A cat sat", {"A": [edit(2, 3, "sits", kind="V")]})))
        assert [each.name for each in found.systems] == ["unchanged", "empty", "no-function-words", "pasted-A"]
        assert found.left_out == {
            "shuffled": "there is no other sentence",
            "hard-deleted": "it has the text of empty",
            "by-rote": "it has the text of pasted-A",
            "concatenated": "there are no two annotators",
        }

    def test_nobody_found_anything(self) -> None:
        found = made(corpus(sentence("x y", {"A": [], "B": []}), sentence("z w", {"A": []})))
        assert [each.name for each in found.systems] == ["unchanged", "empty", "shuffled", "concatenated"]
        assert found.systems[-1].lines == ("x y x y", "z w")
        assert found.left_out == {
            "no-function-words": "the source has no function word of English",
            "hard-deleted": "no annotator has an edit",
            "by-rote": "no annotator has an edit with a correction",
            "pasted-A": "it has the text of unchanged",
            "pasted-B": "it has the text of unchanged",
        }

    def test_unclear_meaning_alone_is_hard_but_not_corrected(self) -> None:
        data = corpus(sentence("x y", {"A": [edit(0, 2, "", kind="Um")]}), sentence("z w", {"A": []}))
        found = made(data)
        assert text("hard-deleted", data) == ("", "z w")
        assert found.left_out["by-rote"] == "no annotator has an edit with a correction"

    def test_nobody_at_all(self) -> None:
        found = made(Corpus([Sentence("the x"), Sentence("y")], ()))
        assert [each.name for each in found.systems] == ["unchanged", "empty", "no-function-words", "shuffled"]
        assert found.left_out["pasted"] == "there is no annotator"

    def test_only_some_are_asked_for(self) -> None:
        found = made(SMALL, "concatenated", "unchanged")
        assert [each.name for each in found.systems] == ["unchanged", "concatenated"]  # in the order of the kinds


class TestShuffled:
    LINES = tuple(f"line {number}" for number in range(30))
    DATA = corpus(*(sentence(f"x {number}", {"A": []}) for number in range(30)))

    def lines(self, seed: int) -> tuple[str, ...]:
        (found,) = made(self.DATA, "shuffled", output=("mine", self.LINES), seed=seed).systems
        assert found.does == "gives the lines of mine to other sentences"
        return found.lines

    @pytest.mark.parametrize("seed", range(20))
    def test_no_line_keeps_its_place(self, seed: int) -> None:
        found = self.lines(seed)
        assert sorted(found) == sorted(self.LINES)
        assert not any(line == own for line, own in zip(found, self.LINES, strict=True))

    def test_the_seed_decides(self) -> None:
        assert self.lines(3) == self.lines(3)
        assert self.lines(3) != self.lines(4)

    def test_two_lines_change_places(self) -> None:
        data = corpus(sentence("a", {"A": []}), sentence("b", {"A": []}))
        (found,) = made(data, "shuffled").systems
        assert found.lines == ("b", "a")
        assert found.does == "gives the lines of the source to other sentences"


def test_fewest_sentences_hold_half_of_the_edits_and_of_equal_ones_the_first() -> None:
    counts = (1, 2, 0, 2, 1)  # 6 in all: one of the two with 2 holds less than half, both hold more
    data = corpus(
        *(sentence(f"{number} y z", {"A": [edit(k, k + 1, "q") for k in range(n)]}) for number, n in enumerate(counts))
    )
    assert text("hard-deleted", data) == ("0 y z", "", "2 y z", "", "4 y z")
    data = corpus(*(sentence(f"{number} y", {"A": [edit(0, 1, "q")]}) for number in range(4)))
    assert text("hard-deleted", data) == ("", "", "2 y", "3 y")


def test_overlapping_edits_are_counted() -> None:
    data = corpus(sentence("x y z", {"A": [edit(0, 2, "q"), edit(1, 3, "r")]}), sentence("w", {"A": []}))
    assert text("pasted-A", data) == ("q z", "w")
    assert made(data).n_overlaps == 1


def test_names_are_good_for_files() -> None:
    data = corpus(sentence("x", {"../a b": [edit(0, 1, "1")], ".._a b": [edit(0, 1, "2")], "é": [edit(0, 1, "3")]}))
    names = [each.name for each in made(data, "pasted").systems]
    assert sorted(names) == ["pasted-.._a_b", "pasted-.._a_b-2", "pasted-é"]
    assert all(is_degenerate(name) for name in [*names, *KINDS])
    assert not is_degenerate("CAMB")
