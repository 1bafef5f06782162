"""Stand-off edits as edits of tokens: sentences, edits that meet in a word, and what tokens lose."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Edit, Problems, Sentence
from errorbar.core import Fragment, Place, StandoffEdit, check_annotation, in_text_order
from errorbar.edits import (
    WORD,
    apply_edits,
    apply_standoff,
    check_sentences,
    corrected_text,
    fragment_sentences,
    note_spacing,
)
from errorbar.formats import sentences_fragments
from tests.helpers.effort import draw_examples
from tests.helpers.standoff import fragment, read_real, standoff

MEETING = {
    "test": [
        "fragment 1001: as tokens, edits 1001-0035 and 1001-0036 meet in one word; made one edit",
        "fragment 1015: as tokens, edits 1015-0041 and 1015-0042 meet in one word; made one edit",
        "fragment 1066: as tokens, edit 1066-0043 changes nothing but white space; left out",
    ],
    "develop": [
        "fragment 0004: as tokens, edits 0004-0046 and 0004-0047 meet in one word; made one edit",
    ],
}


class TestTokens:
    def sentences(self, text: str, *edits: StandoffEdit) -> tuple[list[Sentence], Problems]:
        problems = Problems()
        return list(fragment_sentences(fragment(*edits, text=text), "0", problems)), problems

    def test_characters_become_tokens(self) -> None:
        text = "In such manner, word aligned model works. It end."
        edits = [
            standoff(3, 14, "this way"),
            standoff(20, 28, "-aligned"),  # grows together with "word"
            standoff(34, 34, "s", kind="FN", group="1"),  # behind "model"
            standoff(45, 48, "ends", optional=True),
        ]
        (first, second), problems = self.sentences(text, *edits)
        assert first.text == "In such manner , word aligned model works ."
        assert [(e.start, e.end, e.replacements) for e in first.annotations["0"]] == [
            (1, 3, ("this way",)),
            (4, 6, ("word-aligned",)),
            (6, 7, ("models",)),
        ]
        assert second.text == "It end ."
        (edit,) = second.annotations["0"]
        assert (edit.start, edit.end, edit.optional) == (1, 2, True)
        assert problems.notes == []

    def test_insertions_between_sentences_belong_to_where_they_stand(self) -> None:
        (first, second), _ = self.sentences("One\nTwo", standoff(3, 3, "."), standoff(4, 4, "Then "))
        assert [(e.start, e.replacements) for e in first.annotations["0"]] == [(1, (".",))]
        assert [(e.start, e.replacements) for e in second.annotations["0"]] == [(0, ("Then",))]

    def test_a_sentence_does_not_end_inside_of_an_edit(self) -> None:
        (only,), _ = self.sentences("It ends. Here it is.", standoff(3, 13, "ends here"))
        assert len(only.tokens) == 7

    def test_what_tokens_cannot_hold_is_noted(self) -> None:
        _, problems = self.sentences("a  b", standoff(1, 3, " "))
        assert [note.code for note in problems.notes] == ["hoo-cannot-hold"]

    def test_no_text_is_an_error(self) -> None:
        problems = Problems()
        assert list(fragment_sentences(fragment(standoff(0, 0, "x")), "0", problems)) == []
        assert [problem.code for problem in problems.errors] == ["hoo-no-text"]

    def test_tokens_become_characters(self) -> None:
        annotations = {
            "0": (
                Edit(0, 0, ("The",), "MD", comment="1-0007"),
                Edit(1, 2, ("", "b"), "U", optional=True, group="2"),
                Edit(3, 3, ("!",), "MP", comment="odd"),
            ),
            "1": (),
        }
        problems = Problems()
        (one,) = sentences_fragments([Sentence("x y z", annotations), Sentence("u", {"0": ()})], "0", problems)
        assert one.text == "x y z\nu\n"
        assert one.edits == (
            StandoffEdit("1-0007", 0, 0, "", ("The ",), type="MD"),
            StandoffEdit("", 2, 4, "y ", ("", "b "), True, 0, "U", "2"),
            StandoffEdit("", 5, 5, "", (" !",), type="MP"),
        )
        lost = sorted(note.what for note in problems.notes)
        assert [("comments" in what, "annotator 1" in what) for what in lost] == [(False, True), (True, False)]

    def test_sentences_of_a_document_are_lines_of_its_text(self) -> None:
        """``x y``, ``u`` and ``v w`` begin at 0, 4 and 6; ``p`` is another document."""
        sentences = [
            Sentence("x y", {"0": (Edit(1, 2, ("Y",)),)}, "d"),
            Sentence("u", {"0": (Edit(0, 1, ("U",)),)}, "d"),
            Sentence("p", {"0": (Edit(0, 1, ("P",)),)}, "e"),
            Sentence("v w", {"0": (Edit(1, 2, ("W",)),)}, "d"),
        ]
        first, second = sentences_fragments(sentences, "0", Problems())
        assert (first.name, first.text, second.name, second.text) == ("d", "x y\nu\nv w\n", "e", "p\n")
        assert [(e.start, e.end, e.original) for e in first.edits] == [(2, 3, "y"), (4, 5, "u"), (8, 9, "w")]
        assert [(e.start, e.end, e.original) for e in second.edits] == [(0, 1, "p")]

    @pytest.mark.parametrize("first", [Edit(1, 2, ("",)), Edit(1, 2, ("u", "")), Edit(2, 2, ("u",))])
    def test_a_deletion_at_the_end_beside_another_edit(self, first: Edit) -> None:
        """Both would take the one space between them, as in two sentences of CoNLL-2014's annotator 0."""
        edits = (first, Edit(2, 3, ("",)))
        (one,) = sentences_fragments([Sentence("x y z", {"0": edits})], "0", Problems())
        assert apply_standoff(one.text or "", one.edits).split() == apply_edits(["x", "y", "z"], edits)

    def test_an_edit_without_a_correction_takes_no_space_along(self) -> None:
        (one,) = sentences_fragments([Sentence("x y z", {"0": (Edit(1, 2, ("",), "Um"),)})], "0", Problems())
        assert [(edit.original, edit.corrections) for edit in one.edits] == [("y", ())]

    def test_how_often_something_is_lost_is_said(self) -> None:
        edits = (Edit(0, 1, ("y",), comment="odd"),)
        sentences = [
            Sentence("x", {"0": edits, "1": ()}, writer="w"),
            Sentence("x", {"0": edits, "2": ()}),
            Sentence("x", {"1": ()}),
            Sentence("x", {}),
        ]
        problems = Problems()
        sentences_fragments(sentences, "0", problems)
        assert [note.what.removeprefix("HOO cannot hold ") for note in problems.notes] == [
            "annotator 1 beside 0 (2 times); left out",
            "annotator 2 beside 0 (1 time); left out",
            "comments (2 times); left out",
            "that annotator 0 did not look (2 times); left out",
            "the writer (1 time); left out",
        ]

    @given(st.data())
    def test_there_and_back(self, data: st.DataObject) -> None:
        """Token edits -> characters -> tokens: the same corrected tokens."""
        tokens = data.draw(st.lists(st.sampled_from(["ab", "c", "dé", ","]), min_size=1, max_size=8))
        edits, at = [], 0
        while at <= len(tokens):
            start = data.draw(st.integers(at, len(tokens)))
            end = data.draw(st.integers(start, min(len(tokens), start + 2)))
            said = data.draw(st.sampled_from(["", "new", "two new"] if end > start else ["new", "two new"]))
            edits.append(Edit(start, end, (said,)))
            at = end + (start == end)
        sentence = Sentence(" ".join(tokens), {"0": tuple(edits)}, "d")
        (one,) = sentences_fragments([sentence], "0", Problems())
        expected = apply_edits(tokens, edits)
        assert one.text is not None
        assert apply_standoff(one.text, one.edits).split() == expected
        again = list(fragment_sentences(one, "0", Problems()))
        words = [token for s in again for token in corrected_text(s, "0", Problems()).split()]
        assert words == expected

    @pytest.mark.parametrize(("part", "n_edits", "n_kept"), [("test", 1_017, 1_014), ("develop", 1_264, 1_263)])
    def test_all_edits_of_hoo_2011_go_there_and_back(self, data: Path, part: str, n_edits: int, n_kept: int) -> None:
        """One edit of the test set (1066-0043) changes white space only, and three pairs of edits meet in one word:
        tokens cannot hold that, and notes name fragment and edits.
        """
        ones = read_real(data, part)[0]
        problems = Problems()
        sentences = [s for one in ones for s in fragment_sentences(one, "0", problems)]
        assert sum(len(one.edits) for one in ones) == n_edits
        assert sum(len(s.annotations["0"]) for s in sentences) == n_kept
        assert [note.what for note in problems.notes] == MEETING[part]
        back = sentences_fragments(sentences, "0", problems)
        assert [one.name for one in back] == [one.name for one in ones]
        before = {e.index: (e.type, e.optional, e.group, len(e.corrections)) for one in ones for e in one.edits}
        after = {e.index: (e.type, e.optional, e.group, len(e.corrections)) for one in back for e in one.edits}
        joined = {index for index in after if "+" in index}
        assert len(joined) == len(MEETING[part]) - (part == "test")
        assert len(before.items() - after.items()) == n_edits - n_kept + len(joined)
        assert (after.items() - before.items()) == {(index, after[index]) for index in joined}

    @pytest.mark.parametrize("part", ["test", "develop"])
    def test_corrected_tokens_are_those_of_the_corrected_text(self, data: Path, part: str) -> None:
        """On every fragment; strictly, so that no edits overlap."""
        lenient = Problems(lenient=True)
        for one in read_real(data, part)[0]:
            strict = Problems()
            sentences = list(fragment_sentences(one, "0", Problems()))
            tokens = [word for s in sentences for word in corrected_text(s, "0", strict).split()]
            strict.raise_errors()
            assert tokens == WORD.findall(apply_standoff(one.text or "", one.edits, problems=lenient)), one.name


class TestMeetingEdits:
    """Edits of characters that are none of words one by one."""

    @pytest.mark.parametrize(
        ("text", "edits", "expected"),
        [
            # 1015: two edits touch, and the second would grow together with the word that the first replaces.
            ("as humankind.", [standoff(3, 12, "humans"), standoff(12, 12, "do")], [(1, 2, ("humansdo",))]),
            # 1001: of two insertions at one point the second would grow together with the word before.
            ("and otherwise", [standoff(3, 3, ","), standoff(3, 3, "it is")], [(1, 1, (", it is",))]),
            ("abcd", [standoff(0, 1, ""), standoff(3, 4, "e")], [(0, 1, ("bce",))]),  # both inside of one word
            ("ab,.cd", [standoff(2, 3, ""), standoff(3, 4, "")], [(0, 4, ("abcd",))]),  # what lay between is gone
            ("a b", [standoff(1, 1, " x"), standoff(2, 2, "x ")], [(1, 1, ("x x",))]),  # the same, twice at one place
            ("a b", [standoff(1, 1, ","), standoff(2, 2, "x ")], [(1, 1, (",",)), (1, 1, ("x",))]),
            ("abcd", [standoff(0, 1, "x", "y"), standoff(3, 4, "e", "f", "g")], [(0, 1, ("xbce", "ybcf", "xbcg"))]),
            ("abcd", [standoff(0, 1), standoff(3, 4, "e")], [(0, 1, ("abce",))]),  # one without a correction
            ("abcd ef", [standoff(0, 7, "x"), standoff(5, 7, "y")], [(0, 2, ("x",))]),  # overlap: the first alone
            # The third edit grows together with the first one, though the second, left out, ends further to the left.
            ("abcd ,.", [standoff(0, 6, "x"), standoff(1, 2, "y"), standoff(6, 7, "'s")], [(0, 3, ("x's",))]),
        ],
    )
    def test_become_one(self, text: str, edits: list[StandoffEdit], expected: list[object]) -> None:
        problems = Problems()
        sentences = list(fragment_sentences(fragment(*edits, text=text), "0", problems))
        assert [(e.start, e.end, e.replacements) for s in sentences for e in s.annotations["0"]] == expected
        assert ("made one edit" in "".join(note.what for note in problems.notes)) == (len(expected) < len(edits))

    def test_what_the_note_says(self) -> None:
        edits = [
            StandoffEdit("1-0001", 0, 7, "", ("x",), optional=True, group="1"),
            StandoffEdit("1-0002", 5, 7, "", ("y",), group="2"),
        ]
        problems = Problems()
        ((only,),) = [s.annotations["0"] for s in fragment_sentences(fragment(*edits, text="abcd ef"), "0", problems)]
        assert (only.comment, only.optional, only.group) == ("1-0001+1-0002", False, "1")
        assert [note.what for note in problems.notes] == [
            "fragment 1: as tokens, edits 1-0001 and 1-0002 meet in one word; made one edit of consistency set 1, and"
            " no longer of 2, not optional, without 1-0002, which overlaps an earlier one"
        ]

    @draw_examples(400)
    @given(st.data())
    def test_any_edits_make_tidy_tokens_of_the_same_text(self, data: st.DataObject) -> None:
        """What is written is read strictly, and says what the character edits say."""
        text = data.draw(st.text("ab ,.'", min_size=1, max_size=14))
        edits = []
        for _ in range(data.draw(st.integers(1, 4))):
            start = data.draw(st.integers(0, len(text)))
            end = data.draw(st.integers(start, min(len(text), start + 4)))
            said = data.draw(st.lists(st.sampled_from(["", "x", " y", "z ", ",", "a b", "-"]), max_size=2, unique=True))
            edits.append(standoff(start, end, *said))
        one = Fragment("1", in_text_order(edits), text)
        sentences = list(fragment_sentences(one, "0", Problems()))
        strict = Problems()
        for sentence in sentences:
            check_annotation(list(sentence.annotations["0"]), sentence.tokens, lambda _: Place(), strict)
        tokens = [word for s in sentences for word in corrected_text(s, "0", strict).split()]
        strict.raise_errors()
        assert tokens == WORD.findall(apply_standoff(text, one.edits, problems=Problems(lenient=True)))


class TestWhatTokensLose:
    def test_white_space_is_named_by_fragment(self) -> None:
        ones = [fragment(text="a b\n", name="1"), fragment(text="a  b.", name="2")]
        problems = Problems()
        note_spacing([(one, list(fragment_sentences(one, "0", problems))) for one in ones], problems)
        (note,) = problems.notes
        assert "the text of 1 of 2 fragments does not come back (2)" in note.what
        problems = Problems()
        note_spacing([(one, list(fragment_sentences(one, "0", problems))) for one in ones[:1]], problems)
        assert problems.notes == []

    def test_sentences_that_were_changed_beside_their_fragment(self) -> None:
        one = fragment(standoff(0, 1, "x"), text="a b\n")
        (good,) = fragment_sentences(one, "0", Problems())
        problems = Problems()
        check_sentences([one], [good], "0", problems)
        assert (problems.errors, problems.notes) == ([], [])
        changed = Sentence(good.text, {"0": (), "2": (), "1": good.annotations["0"]}, good.document)
        check_sentences([one], [changed, Sentence("more", {}, "9")], "0", problems)
        assert [problem.code for problem in problems.errors] == ["hoo-changed", "hoo-changed"]
        assert [note.what for note in problems.notes] == [
            f"HOO cannot hold the edits of annotator {name} beside those of 0 ({count} edits); left out"
            for name, count in (("1", 1), ("2", 0))
        ]
