"""Texts and stand-off edits: applying, undoing, finding; tokens and characters; MaxMatch on stand-off edits."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Problems
from errorbar.core import Fragment, InputError
from errorbar.edits import WORD, apply_standoff, corrected_text, extract_edits, read_run, redecompose, text_edits
from errorbar.edits.standoff import extract_standoff
from errorbar.edits.standoff_runs import LONG, kept_pairs, kept_triples, why_no_correction
from errorbar.formats import read_corpus
from tests.helpers.effort import draw_examples
from tests.helpers.standoff import fragment, read_real, standoff, undo_standoff

texts = st.text("ab c,.'-\n\tX é", max_size=24)


def found(source: str, target: str) -> list[tuple[int, int, str]]:
    return [(edit.start, edit.end, edit.corrections[0]) for edit in extract_standoff(source, target)]


class TestExtract:
    @pytest.mark.parametrize(
        ("source", "target", "edits"),
        [
            # Where edits begin and end follows the gold edits of HOO 2011 (their indexes beside each).
            ("from parallel corpus", "from a parallel corpus", [(5, 5, "a ")]),  # 1005-0001
            ("the word aligned data", "the word-aligned data", [(4, 16, "word-aligned")]),  # 1005-0002
            ("in such manner that", "in that", [(3, 15, "")]),  # 1005-0007
            ("At first we", "At first, we", [(8, 8, ",")]),  # 1005-0009
            # Adjacent words changed together form one edit.
            ("one two three four", "one zwei drei four", [(4, 13, "zwei drei")]),
            # A comma goes without the space that stays.
            ("go, now", "go now", [(2, 3, "")]),
            # Marks belong to the letters before them.
            ("deux cafe\u0301 la", "deux cafe\u0301s la", [(5, 10, "cafe\u0301s")]),
            (
                "\u0915\u093f\u0924\u093e\u092c",
                "\u0915\u093f\u0924\u093e\u092c\u0947",
                [(0, 5, "\u0915\u093f\u0924\u093e\u092c\u0947")],
            ),
            # White space between kept words.
            ("a  b", "a b", [(1, 3, " ")]),
            ("a", "a b", [(1, 1, " b")]),
            ("a b", "b", [(0, 2, "")]),
            ("", "a", [(0, 0, "a")]),
            ("a", "", [(0, 1, "")]),
        ],
    )
    def test_where_edits_begin_and_end(self, source: str, target: str, edits: list[tuple[int, int, str]]) -> None:
        assert found(source, target) == edits

    @draw_examples(500)
    @given(texts, texts)
    def test_text_to_edits_to_text_is_the_identity(self, source: str, target: str) -> None:
        edits = extract_standoff(source, target)
        assert apply_standoff(source, edits) == target
        assert undo_standoff(target, edits) == source
        assert all(source[edit.start : edit.end] == edit.original for edit in edits)
        assert all(before.end < after.start for before, after in pairwise(edits))  # none touch
        assert (edits == []) == (source == target)

    @draw_examples(200)
    @given(texts, texts)
    def test_no_more_words_change_than_must(self, source: str, target: str) -> None:
        """As many edits of words as the token aligner finds, whose own tests show that it is minimal."""
        edits = extract_standoff(source, target)
        n_words = sum(bool(WORD.search(edit.original) or WORD.search(edit.corrections[0])) for edit in edits)
        assert n_words == len(extract_edits(WORD.findall(source), WORD.findall(target)))

    @draw_examples(30)
    @given(st.randoms(use_true_random=False))
    def test_long_texts_with_fixed_runs_change_as_little_as_without(self, rng: random.Random) -> None:
        """A text of 300 words of which 12 are changed: as many edited words as the aligner finds in the whole text."""
        words = [
            rng.choice(["the", "a", "of", "in", "to", "cat", "dog", "ran"]) + rng.choice(["", "s", "ing"])
            for _ in range(300)
        ]
        changed = list(words)
        for _ in range(12):
            changed[rng.randrange(300)] = rng.choice(["new", "", "words here"])
        source, target = " ".join(words), " ".join(word for word in changed if word)
        exact = extract_edits(WORD.findall(source), WORD.findall(target))
        edits = extract_standoff(source, target)
        size = sum(max(edit.end - edit.start, len(edit.replacements[0].split())) for edit in exact)
        assert (
            sum(max(len(WORD.findall(edit.original)), len(WORD.findall(edit.corrections[0]))) for edit in edits) == size
        )
        assert apply_standoff(source, edits) == target

    def test_edits_are_numbered_from_1(self) -> None:
        assert [edit.index for edit in extract_standoff("a b c", "x b y", "9")] == ["9-0001", "9-0002"]

    def test_words_that_moved_in_a_long_text(self) -> None:
        """60 words, of which the first ten go to the end: ten fewest words are deleted and ten inserted.

        60 * 60 pairs are more than ``SMALL``, and the runs that both texts share are not in one order.
        """
        words = [f"w{k}" for k in range(60)]
        source, target = " ".join(words), " ".join([*words[10:], *words[:10]])
        moved = " ".join(words[:10])
        assert found(source, target) == [(0, len(moved) + 1, ""), (len(source), len(source), f" {moved}")]
        # The words 30 to 39 go to the front: those before and those behind them stay.
        moved, target = " ".join(words[30:40]), " ".join([*words[30:40], *words[:30], *words[40:]])
        at = source.index(moved)
        assert found(source, target) == [(0, 0, f"{moved} "), (at, at + len(moved) + 1, "")]

    def test_rewritten_text_takes_no_ages(self) -> None:
        source = " ".join(f"s{k}" for k in range(3000))
        target = " ".join(f"t{k}" for k in range(3000))
        assert len(extract_standoff(source, target)) == 1  # beyond MOST_PAIRS: one edit

    @pytest.mark.parametrize("part", ["test", "develop"])
    @pytest.mark.parametrize("share", [*(pytest.param(x, marks=pytest.mark.slow) for x in (0.3, 1.0)), 0.7])
    def test_all_fragments_of_hoo_2011(self, data: Path, part: str, share: float) -> None:
        """Systems made by applying random subsets of the gold edits, on all 37 fragments."""
        rng = random.Random(f"{part} {share}")
        for one in read_real(data, part)[0]:
            assert one.text is not None
            chosen = [edit for edit in one.edits if rng.random() < share]
            corrected = apply_standoff(one.text, chosen, problems=Problems(lenient=True))
            edits = extract_standoff(one.text, corrected, one.name)
            assert apply_standoff(one.text, edits) == corrected
            assert undo_standoff(corrected, edits) == one.text


class TestApply:
    def test_overlapping_edits_are_refused_or_left_out(self) -> None:
        edits = [standoff(0, 3, "x"), standoff(2, 4, "y")]
        with pytest.raises(InputError, match="edit 2 4: it overlaps another one"):
            apply_standoff("abcd", edits)
        problems = Problems(lenient=True)
        assert apply_standoff("abcd", edits, problems=problems) == "xd"
        assert [note.code for note in problems.notes] == ["hoo-overlap"]

    def test_an_insertion_goes_before_the_edit_at_its_point(self) -> None:
        assert apply_standoff("abc", [standoff(1, 2, "X"), standoff(1, 1, "-")]) == "a-Xc"

    def test_an_edit_without_a_correction_changes_nothing(self) -> None:
        assert apply_standoff("abc", [standoff(1, 2)]) == "abc"
        assert undo_standoff("abc", [standoff(1, 2)]) == "abc"


class TestRuns:
    gold = fragment(text="a small text of some more words", name="1")

    def test_a_text_that_is_no_correction_of_the_source(self) -> None:
        other = "completely unrelated prose stands here instead of it"
        problems = Problems()
        text_edits(self.gold, other, "run.txt", problems)
        assert [(problem.code, str(problem.place)) for problem in problems.errors] == [
            ("hoo-not-a-correction", "run.txt")
        ]
        problems = Problems(lenient=True)
        assert text_edits(self.gold, other, "run.txt", problems)
        assert [note.severity for note in problems.notes] == ["repaired"]

    def test_real_corrections_keep_far_more_than_unrelated_texts(self, data: Path) -> None:
        """What the threshold rests on: every gold text against its source, and each source against the next one."""
        ones = [one for part in ("test", "develop") for one in read_real(data, part)[0]]
        corrected = [apply_standoff(one.text or "", one.edits, problems=Problems(lenient=True)) for one in ones]
        assert min(kept_pairs(one.text or "", text) for one, text in zip(ones, corrected, strict=True)) > 0.7
        assert max(kept_pairs(a.text or "", b.text or "") for a, b in pairwise(ones)) < 0.2
        for one, other, text in zip(ones, [*ones[1:], ones[0]], corrected, strict=True):
            assert why_no_correction(one.text or "", text) == ""
            assert "word pairs" in why_no_correction(one.text or "", other.text or "")

    @pytest.mark.parametrize(
        ("source", "target"),
        [
            ("goed", "went"),  # one word: nothing can be told
            ("Informations", "Information"),
            ("He goed", "She went"),
            ("i likes dog", "I like dogs"),
            ("Tears showed nothing", "Her tears did nothing"),
            ("He go at home", "He went home"),
            ("Me want buy a apples", "I want to buy apples"),
            ("Him no speaks good english", "He does not speak English well"),
            ("Albinism is one of the examples", "Albinism is an example"),
            ("Yesterday I go to school by feets", "I went to school on foot yesterday"),
            ("In a nutshell every sword has two edges here", "In summary there are two sides to every sword"),
            (
                "The seriousness can be larger than our imagination of it",
                "The consequences may be greater than we imagine",
            ),
        ],
    )
    def test_a_short_text_may_change_heavily(self, source: str, target: str) -> None:
        """1 to 10 words, most of them changed; most keep no pair of words in a row."""
        assert why_no_correction(source, target) == ""

    @pytest.mark.parametrize(
        ("source", "target"),
        [
            ("Hello", "A report of forty pages begins with these words, which nobody said when they greeted him."),
            (
                "He go home",
                "Quarterly figures show that our output of sugar, rice and wheat rose by a third over two years.",
            ),
            ("He go at home", "Profits rising"),
            ("Me want buy a apples", "Quarterly profits rose sharply"),
            ("Him no speaks good english", "Two tall ships left port"),
            ("Albinism is one of the examples", "Quarterly growth hurt small firms"),
            ("Yesterday I go to school by feets", "Profits rose sharply in spring"),
            ("In a nutshell every sword has two edges here", "Profits grew by a third last summer"),
            ("The seriousness can be larger than our imagination of it", "Quickly melt butter, stir, and add flour"),
        ],
    )
    def test_a_short_text_that_is_clearly_another_one(self, source: str, target: str) -> None:
        assert why_no_correction(source, target)

    def test_a_short_text_may_become_three_times_as_long_and_ten_words(self) -> None:
        """5 words: 3 * 5 + 10 = 25. Of the source's letter triples all stay."""
        source = "He go to school today"
        assert why_no_correction(source, source + " and" * 20) == ""
        assert why_no_correction(source, source + " and" * 21) == "it has 26 words, the source 5"

    def test_sentences_of_ten_annotators(self, data: Path) -> None:
        """No version that an annotator wrote is refused; of unrelated sentences of the same length most are."""
        folder = data / "bn2015_10gec"
        corpus = read_corpus([folder / "A1.m2", folder / "A10.m2"], Problems(lenient=True))
        sentences = [s for s in corpus.sentences if len(WORD.findall(s.text)) < LONG]
        refused = []
        for sentence in sentences:
            for name in sentence.annotations:
                text = corrected_text(sentence, name, Problems(lenient=True))
                if text and why_no_correction(sentence.text, text):
                    refused.append((sentence.text, text))
        assert refused == []
        others = [
            bool(why_no_correction(a.text, b.text))
            for a, b in pairwise(sorted(sentences, key=lambda s: (len(s.tokens), s.text)))
        ]
        assert sum(others) / len(others) > 0.5

    def test_shares_of_nothing(self) -> None:
        assert kept_pairs("one", "x") == kept_triples("", "x") == 1.0

    def test_a_missing_fragment_is_named_or_scored_as_empty(self, tmp_path: Path) -> None:
        (tmp_path / "2.txt").write_text("a")
        gold, problems = [self.gold, fragment(text="a", name="2")], Problems()
        assert read_run(str(tmp_path), "me", gold, problems) == [(), ()]
        assert [(problem.code, str(problem.place)) for problem in problems.errors] == [("hoo-missing", "me")]
        assert "fragment 1" in problems.errors[0].what
        problems = Problems()
        assert read_run(str(tmp_path), "me", gold, problems, missing_as_empty=True) == [(), ()]
        assert [note.code for note in problems.notes] == ["hoo-missing"]

    def test_a_text_without_a_source(self) -> None:
        problems = Problems()
        text_edits(fragment(), "x", "run.txt", problems)
        assert [problem.code for problem in problems.errors] == ["hoo-no-text"]


class TestMaxMatch:
    def test_a_merged_edit_is_cut_as_the_gold_edits_are(self) -> None:
        """The system changed two words at once; the annotators made two edits of them."""
        gold = fragment(standoff(0, 3, "He"), standoff(4, 6, "goes"), text="She go home")
        system = extract_standoff("She go home", "He goes home")
        assert [(e.start, e.end) for e in system] == [(0, 6)]
        found = redecompose(gold, system)
        assert [(e.start, e.end, e.corrections) for e in found] == [(0, 3, ("He",)), (4, 6, ("goes",))]

    def test_one_of_several_gold_corrections_is_enough(self) -> None:
        gold = fragment(standoff(0, 3, "It", "He"), standoff(4, 6, "goes", "went"), text="She go home")
        found = redecompose(gold, extract_standoff("She go home", "He goes home"))
        assert [(e.start, e.end, e.corrections) for e in found] == [(0, 3, ("He",)), (4, 6, ("goes",))]

    def test_a_changed_case_is_a_change(self) -> None:
        gold = fragment(standoff(0, 3, "The"), standoff(8, 10, "goes"), text="the dog go")
        found = redecompose(gold, [standoff(0, 10, "The dog goes")])
        assert [(e.start, e.end, e.corrections) for e in found] == [(0, 3, ("The",)), (8, 10, ("goes",))]

    def test_a_gold_edit_may_begin_inside_of_a_word(self) -> None:
        """The annotators took the ending away, the system replaced the word."""
        gold = fragment(standoff(3, 4, ""), text="dogs ran")
        (one,) = redecompose(gold, [standoff(0, 4, "dog")])
        assert (one.start, one.end, one.original, one.corrections) == (3, 4, "s", ("",))

    def test_two_edits_are_joined_as_the_gold_edit_is(self) -> None:
        gold = fragment(standoff(0, 11, "He went home"), text="She go home")
        found = redecompose(gold, extract_standoff("She go home", "He went home"))
        assert [(e.start, e.end, e.corrections) for e in found] == [
            (0, 11, ("He went home",))
        ]  # spans an unchanged word
        gold = fragment(standoff(0, 6, "He at last goes"), text="She go home")
        split = [standoff(0, 3, "He"), standoff(4, 4, "at last "), standoff(4, 6, "goes")]
        assert [(e.start, e.end) for e in redecompose(gold, split)] == [(0, 6)]

    def test_a_space_moves_to_the_side_the_annotators_took(self) -> None:
        gold = fragment(standoff(1, 1, " big"), text="a dog")
        found = redecompose(gold, [standoff(2, 2, "big ")])
        assert [(e.start, e.end, e.corrections) for e in found] == [(1, 1, (" big",))]

    def test_edits_without_a_correction_and_far_from_gold_stay(self) -> None:
        text = "a b c d e f g h i j"
        far, unknown = standoff(18, 19, "J"), standoff(0, 1)
        assert redecompose(fragment(standoff(0, 1, "x"), text=text), [far, unknown]) == [unknown, far]

    def test_edits_that_overlap_stay_as_they_are(self) -> None:
        """No text is made of them; those that overlap nothing are cut anew all the same."""
        text = "She go home and he run"
        gold = fragment(standoff(0, 3, "He"), standoff(4, 6, "goes"), standoff(19, 22, "runs"), text=text)
        merged = standoff(0, 6, "He goes")
        over = [standoff(16, 22, "she ran"), standoff(19, 22, "runs")]
        found = redecompose(gold, [*over, merged])
        assert [(e.start, e.end) for e in found] == [(0, 3), (4, 6), (16, 22), (19, 22)]
        inside = [standoff(0, 22, "x"), standoff(4, 6, "goes"), standoff(7, 11, "away")]  # all in one
        assert redecompose(gold, inside) == inside

    def test_the_changed_text_stays_the_same_and_gold_finds_itself(self, data: Path) -> None:
        rng = random.Random(4)
        for one in read_real(data, "test")[0]:
            assert one.text is not None
            chosen = [edit for edit in one.edits if rng.random() < 0.5]
            corrected = apply_standoff(one.text, chosen, problems=Problems(lenient=True))
            anew = redecompose(one, extract_standoff(one.text, corrected))
            assert apply_standoff(one.text, anew) == corrected

    def test_no_text_is_an_error(self) -> None:
        with pytest.raises(InputError) as error:
            redecompose(Fragment("1", ()), [standoff(0, 0, "x")])
        assert error.value.code == "hoo-no-text"
