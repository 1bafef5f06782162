"""HOO scores: hand-worked cases, options, invariances."""

from __future__ import annotations

import random
from dataclasses import fields, replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Problems
from errorbar.core import Fragment, InputError, StandoffEdit, Undefined, UsageError
from errorbar.edits import apply_standoff
from errorbar.edits.standoff import extract_standoff
from errorbar.metrics import CONVENTIONS, MEASURES, Hoo, Selection, parse_hoo, score_runs
from tests.helpers.effort import draw_examples
from tests.helpers.standoff import fragment, standoff
from tests.metrics.hoo_examples import BONUS, CORRECTION, DETECTION, PLAIN, RECOGNITION, figures_of, prf, scored, three


class TestHandWorked:
    """Each case with its arithmetic; definitions: Dale & Kilgarriff 2011, section 3."""

    def test_four_edits_in_the_shape_of_figure_1(self) -> None:
        """One gold edit corrected, one recognized, one detected, one (optional) missing; one system edit spurious.

        G = 4, S = 4, spurious 1, detected 3, recognized 2, corrected 1, missing optional 1.
        """
        gold = fragment(
            standoff(0, 4, "a"),
            standoff(10, 14, "b"),
            standoff(20, 24, "c"),
            standoff(30, 34, "d", optional=True),
        )
        system = [standoff(0, 4, "a"), standoff(10, 14, "x"), standoff(22, 26, "c"), standoff(50, 54, "y")]
        score = scored(gold, system)
        assert three(score) == (3, 2, 1)
        assert (score.counts["missing_optional"], score.counts["missing_mandatory"]) == (1, 0)
        assert score.counts["spurious"] == 1
        assert prf(score, DETECTION) == (3 / 4, 3 / 4, 3 / 4)
        assert prf(score, RECOGNITION) == (2 / 4, 2 / 4, 2 / 4)
        assert prf(score, CORRECTION) == (1 / 4, 1 / 4, 1 / 4)
        # With bonus, P of detection (3 + 1) / (1 + 3 + 1), of the others (H + 1) / (4 + 1), R = (H + 1) / 4,
        # F = 2 P R / (P + R) = 2 (H + 1) / (5 + 4).
        assert prf(score, DETECTION, BONUS) == (4 / 5, 4 / 4, pytest.approx(8 / 9))
        assert prf(score, RECOGNITION, BONUS) == (3 / 5, 3 / 4, pytest.approx(6 / 9))
        assert prf(score, CORRECTION, BONUS) == (2 / 5, 2 / 4, pytest.approx(4 / 9))

    def test_all_gold_edits_optional_and_a_silent_system(self) -> None:
        """The paper's text says that P and R are both zero; its footnote 2 makes P = 0/0 = 1. With bonus both are 1.

        Without: P = 0/0, R = 0/2, F = 0, in all three measures. With: P = (0 + 2) / (0 + 2), R = (0 + 2) / 2.
        """
        gold = fragment(standoff(0, 1, "x", optional=True), standoff(5, 5, "y", optional=True))
        score = scored(gold, [])
        for measure in MEASURES:
            assert prf(score, measure) == (1.0, 0.0, 0.0)
            figures = figures_of(score, PLAIN, measure)
            assert figures.precision.undefined is figures.f.undefined is Undefined.NOTHING_PROPOSED
            assert prf(score, measure, BONUS) == (1.0, 1.0, 1.0)
            assert prf(scored(gold, [], "hoo(empty=zero)"), measure) == (0.0, 0.0, 0.0)
            assert prf(scored(gold, [], "hoo(unrecognized=one)"), measure) == (1.0, 0.0, 0.0)

    def test_what_the_bonus_adds_counts_as_proposed(self) -> None:
        """P = (H + O) / (S + O) is 0/0 only where both are nothing: here O = 1 with S = 0 and with S = 1."""
        optional, other = standoff(0, 1, "x", optional=True), standoff(5, 6, "y")
        for system, p in (([], 1 / 1), ([other], 2 / 2)):
            score = scored(fragment(optional, other), system)
            assert score.counts["missing_optional"] == 1
            assert figures_of(score, BONUS, DETECTION).precision.value == p
            assert figures_of(score, BONUS, DETECTION).precision.undefined is None
            plain = figures_of(score, PLAIN, DETECTION).precision.undefined
            assert plain is (None if system else Undefined.NOTHING_PROPOSED)

    def test_nothing_in_gold_and_nothing_proposed(self) -> None:
        """Footnote 2: 0/0 is 1 in all computations of P and R. The text: where nothing is recognized, the scores of
        recognition and correction are 0.
        """
        score = scored(fragment(), [])
        for condition in (PLAIN, BONUS):
            assert prf(score, DETECTION, condition) == (1.0, 1.0, 1.0)
            assert prf(score, RECOGNITION, condition) == prf(score, CORRECTION, condition) == (1.0, 1.0, 0.0)
            for measure in MEASURES:
                figures = figures_of(score, condition, measure)
                assert figures.precision.undefined is Undefined.NOTHING_PROPOSED
                assert figures.recall.undefined is Undefined.NOTHING_IN_REFERENCE
                assert figures.f.undefined is Undefined.NO_EDITS
        for measure in MEASURES:
            assert prf(scored(fragment(), [], "hoo(unrecognized=one)"), measure) == (1.0, 1.0, 1.0)
            for spec in ("hoo(empty=zero)", "hoo(empty=zero,unrecognized=one)"):
                assert prf(scored(fragment(), [], spec), measure) == (0.0, 0.0, 0.0)

    def test_nothing_in_gold_and_something_proposed(self) -> None:
        """P = 0 / (1 + 0) or 0 / 1, R = 0/0 = 1, F = 0."""
        score = scored(fragment(), [standoff(0, 1, "x")])
        for measure in MEASURES:
            assert prf(score, measure) == prf(score, measure, BONUS) == (0.0, 1.0, 0.0)
            assert figures_of(score, PLAIN, measure).f.undefined is Undefined.NOTHING_IN_REFERENCE

    def test_nothing_found(self) -> None:
        """P = 0/1, R = 0/1: F is 0/0, and no other figure is filled."""
        figures = figures_of(scored(fragment(standoff(0, 1, "x")), [standoff(5, 6, "x")]), PLAIN, DETECTION)
        assert (figures.precision.undefined, figures.recall.undefined) == (None, None)
        assert figures.f.undefined is Undefined.NOTHING_CORRECT

    def test_one_gold_edit_split_in_two(self) -> None:
        """Detected once, not recognized: neither system edit is spurious, so P = 1 / (0 + 1); the others 0/2."""
        score = scored(fragment(standoff(0, 9, "b d")), [standoff(0, 4, "b"), standoff(5, 9, "d")])
        assert three(score) == (1, 0, 0)
        assert score.counts["spurious"] == 0
        assert prf(score, DETECTION) == (1.0, 1.0, 1.0)
        assert prf(score, RECOGNITION) == (0.0, 0.0, 0.0)

    def test_two_gold_edits_merged(self) -> None:
        """Both are detected by the one system edit: P = 2 / (0 + 2)."""
        problems = Problems()
        gold = fragment(standoff(0, 4, "b"), standoff(5, 9, "d"))
        (score,) = score_runs([gold], {"run": [(standoff(0, 9, "b d"),)]}, [Hoo()], problems)
        assert three(score) == (2, 0, 0)
        assert prf(score, DETECTION) == (1.0, 1.0, 1.0)
        assert problems.notes == []

    def test_two_gold_edits_at_one_place(self) -> None:
        """Both are recognized by the one system edit: P = 2/1, which is not cut; detection P = 2 / (0 + 2)."""
        problems = Problems()
        gold = fragment(standoff(4, 4, "b", "d"), standoff(4, 4, "d"), standoff(8, 9, "e", optional=True))
        (score,) = score_runs([gold], {"run": [(standoff(4, 4, "d"),)]}, [Hoo()], problems)
        assert three(score) == (2, 2, 2)
        assert prf(score, DETECTION)[:2] == (2 / 2, 2 / 3)
        assert prf(score, DETECTION, BONUS) == (3 / 3, 3 / 3, 1.0)
        for measure in (RECOGNITION, CORRECTION):
            assert prf(score, measure) == (2.0, 2 / 3, 1.0)
            assert prf(score, measure, BONUS) == (3 / 2, 3 / 3, pytest.approx(2 * 1.5 / 2.5))
        assert [note.what for note in problems.notes] == [
            f"{measure} precision is above 1 in 2 places (1, the data set)" for measure in (RECOGNITION, CORRECTION)
        ]
        assert {note.code for note in problems.notes} == {"hoo-above-1"}

    @pytest.mark.parametrize(
        ("merged", "spurious", "places"),
        [
            ("1", 0, "2 places (1, the data set)"),  # 2 of 1 in fragment 1; 2 of 1 in all
            ("1", 1, "1 place (1)"),  # 2 of 1; in all 2 of 2
            ("24", 2, "2 places (2, 4)"),  # 4 of 4
            ("135", 1, "4 places (1, 3, 5, ...)"),  # 6 of 4
            ("", 1, ""),
        ],
    )
    def test_where_precision_is_above_1_is_named(self, merged: str, spurious: int, places: str) -> None:
        """Five fragments; in some one system edit meets two gold edits. The first and the last have no other edits."""
        gold = [fragment(standoff(4, 4, "b"), standoff(4, 4, "d"), name=str(n)) for n in range(1, 6)]
        both, none = (standoff(4, 4, "x"),), tuple(standoff(20 + k, 21 + k, "z") for k in range(spurious))
        edits = [both if one.name in merged else none if one.name in {"2", "3"} else () for one in gold]
        problems = Problems()
        score_runs(gold, {"run": edits}, [Hoo()], problems)
        assert [note.what for note in problems.notes] == (
            [f"recognition precision is above 1 in {places}"] if places else []
        )

    def test_the_mean_above_1_is_that_of_the_fragments(self) -> None:
        """P of recognition 2/1 and 0/3: their mean is 1, the pooled one 2/4; 2/1 and 1/1: 3/2 in either."""
        gold = [fragment(standoff(4, 4, "b"), standoff(4, 4, "d"), name=name) for name in "12"]
        both, wide = (standoff(4, 4, "x"),), tuple(standoff(20 + k, 21 + k, "z") for k in range(3))
        for other, places in ((wide, "1 place (1)"), (both, "3 places (1, 2, the data set)")):
            problems = Problems()
            score_runs(gold, {"run": [both, other]}, [Hoo(aggregate="mean")], problems)
            assert [note.what for note in problems.notes] == [f"recognition precision is above 1 in {places}"]

    @pytest.mark.parametrize(
        ("gold", "system", "expected"),
        [
            ((5, 5), (5, 5), {"inside": 2, "touch": 2, "same": 2, "text": 2}),  # the same point: strict
            ((5, 5), (4, 4), {"inside": 0, "touch": 0, "same": 0, "text": 0}),  # other points
            ((2, 8), (5, 5), {"inside": 1, "touch": 1, "same": 0, "text": 1}),  # enclosed in a span
            ((5, 5), (2, 8), {"inside": 1, "touch": 1, "same": 0, "text": 1}),
            ((5, 8), (5, 5), {"inside": 0, "touch": 1, "same": 0, "text": 0}),  # at an edge, other text
            ((5, 5), (2, 5), {"inside": 0, "touch": 1, "same": 0, "text": 0}),
            ((4, 5), (5, 5), {"inside": 0, "touch": 1, "same": 0, "text": 0}),  # at the edge of one character
            ((5, 8), (8, 9), {"inside": 0, "touch": 0, "same": 0, "text": 0}),  # spans that touch do not overlap
            ((5, 8), (7, 9), {"inside": 1, "touch": 1, "same": 1, "text": 1}),
        ],
    )
    def test_insertions_and_spans(
        self, gold: tuple[int, int], system: tuple[int, int], expected: dict[str, int]
    ) -> None:
        """0: no alignment, 1: lenient, 2: strict, under each rule."""
        for rule, level in expected.items():
            score = scored(fragment(standoff(*gold, "gg")), [standoff(*system, "ss")], f"hoo(insertion={rule})")
            assert three(score)[0] + three(score)[1] == level, rule

    def test_an_insertion_at_an_edge_where_the_texts_agree(self) -> None:
        gold = fragment(standoff(5, 8, "the dog"))
        assert three(scored(gold, [standoff(5, 5, "the ")], "hoo(insertion=text)")) == (1, 0, 0)
        assert three(scored(gold, [standoff(8, 8, "the ")], "hoo(insertion=text)")) == (0, 0, 0)
        assert three(scored(gold, [standoff(8, 8, " dog")], "hoo(insertion=text)")) == (1, 0, 0)
        # One of the gold corrections is enough.
        several = fragment(standoff(5, 8, "a cat", "the dog"))
        assert three(scored(several, [standoff(5, 5, "the ")], "hoo(insertion=text)")) == (1, 0, 0)
        assert three(scored(several, [standoff(8, 8, " dog")], "hoo(insertion=text)")) == (1, 0, 0)
        for point in (standoff(5, 5, "an ", "the "), standoff(8, 8, " cow", " dog")):
            assert three(scored(fragment(point), [standoff(5, 8, "the dog")], "hoo(insertion=text)")) == (1, 0, 0)

    def test_white_space_counts_where_texts_agree_at_an_edge(self) -> None:
        """The span takes its space along, so its correction ends as the insertion does: ``Such a `` in ``a ``."""
        gold, system = standoff(5, 5, "a "), standoff(0, 5, "Such a ")
        text = "Such manner"
        assert apply_standoff(text, [gold]) == apply_standoff(text, [system]) == "Such a manner"
        for wanted, said in ((gold, system), (system, gold)):
            assert three(scored(fragment(wanted), [said], "hoo(insertion=text)")) == (1, 0, 0)
            for tool in ("hoo2011-tool", "hoo2012-tool"):
                assert three(scored(fragment(wanted, text=text), [said], f"hoo(conventions={tool})"))[0] == 1
        for other in ("Such a", "Such an ", "Such "):
            assert three(scored(fragment(gold), [standoff(0, 5, other)], "hoo(insertion=text)")) == (0, 0, 0)
        # An insertion of nothing but a space agrees with what begins with one; one of nothing with no text.
        assert three(scored(fragment(standoff(5, 5, " ")), [standoff(5, 8, " x")], "hoo(insertion=text)")) == (1, 0, 0)
        assert three(scored(fragment(standoff(5, 5, "")), [standoff(5, 8, " x")], "hoo(insertion=text)")) == (0, 0, 0)

    @pytest.mark.parametrize("tool", ["hoo2011-tool", "hoo2012-tool"])
    def test_at_an_edge_too_only_the_first_correction_of_a_system_counts(self, tool: str) -> None:
        text = "a b c dog e"
        gold = fragment(standoff(6, 9, "the cat"), text=text)
        for said, expected in ((("the ", "zzz "), 1), (("zzz ", "the "), 0)):
            assert three(scored(gold, [standoff(6, 6, *said)], f"hoo(conventions={tool})"))[0] == expected
        # Of the annotators' corrections each counts, on either side.
        point = fragment(standoff(6, 6, "zzz ", "the "), text=text)
        assert three(scored(point, [standoff(6, 9, "the cat", "dog")], f"hoo(conventions={tool})"))[0] == 1
        assert three(scored(point, [standoff(6, 9, "dog", "the cat")], f"hoo(conventions={tool})"))[0] == 0

    def test_overlapping_edits_are_scored_under_every_matching(self) -> None:
        gold = replace(fragment(standoff(6, 9, "x")), text="a b c dog e")
        system = [standoff(6, 9, "x"), standoff(2, 9, "y")]
        for spec in ("hoo", "hoo(matching=maxmatch)"):
            assert three(scored(gold, system, spec)) == (1, 1, 1)

    def test_one_character_at_an_edge(self) -> None:
        gold, system = fragment(standoff(4, 5, "x")), [standoff(5, 5, "x")]
        assert three(scored(gold, system, "hoo(insertion=touch)")) == (1, 0, 0)
        assert three(scored(gold, system, "hoo(insertion=touch,one_character=true)")) == (1, 1, 1)
        for name in ("hoo2011-tool", "hoo2012-tool"):
            assert three(
                scored(fragment(standoff(4, 5, "x"), text="abcd e"), system, Hoo.read({"conventions": name}))
            ) == (
                1,
                1,
                1,
            )
        wide = fragment(standoff(3, 5, "x"))
        assert three(scored(wide, system, "hoo(insertion=touch,one_character=true)")) == (1, 0, 0)

    def test_an_edit_without_a_known_correction(self) -> None:
        """Recognized, never corrected; ``accept`` takes any correction."""
        gold, system = fragment(standoff(0, 4)), [standoff(0, 4, "x")]
        assert three(scored(gold, system)) == (1, 1, 0)
        assert three(scored(gold, system, "hoo(unknown=accept)")) == (1, 1, 1)

    def test_several_corrections(self) -> None:
        """Any of the gold edit's; only the first of the system's."""
        gold = fragment(standoff(0, 4, "a", "b"))
        assert three(scored(gold, [standoff(0, 4, "b")])) == (1, 1, 1)
        assert three(scored(gold, [standoff(0, 4, "x", "b")])) == (1, 1, 0)
        assert three(scored(gold, [standoff(0, 4)])) == (1, 1, 0)

    def test_deletions(self) -> None:
        gold = fragment(standoff(0, 4, "", optional=True))
        assert three(scored(gold, [standoff(0, 4, "")])) == (1, 1, 1)
        silent = scored(gold, [])
        assert silent.counts["missing_optional"] == 1
        silent = scored(gold, [], "hoo(optional=replacement)")  # the tools take it for mandatory
        assert (silent.counts["missing_optional"], silent.counts["missing_mandatory"]) == (0, 1)

    def test_a_null_correction_that_is_not_the_first(self) -> None:
        gold = fragment(standoff(0, 4, "x", optional=True, null_at=1))
        assert scored(gold, []).counts["missing_optional"] == 1
        assert scored(gold, [], "hoo(optional=first)").counts["missing_optional"] == 0

    def test_case(self) -> None:
        gold, system = fragment(standoff(0, 4, "The")), [standoff(0, 4, "the")]
        assert three(scored(gold, system)) == (1, 1, 0)
        assert three(scored(gold, system, "hoo(case=ignore)")) == (1, 1, 1)

    @pytest.mark.parametrize(
        ("gold", "system"),
        [
            ((1, 1, " big"), (2, 2, "big ")),  # the same insertion, with the space on the other side
            ((1, 5, ""), (2, 6, "")),  # the same deletion of "dog"
            ((2, 6, ""), (1, 6, " ")),  # a deletion and a replacement
            ((2, 5, "cat"), (2, 6, "cat ")),
        ],
    )
    def test_a_space_at_the_edge(self, gold: tuple[int, int, str], system: tuple[int, int, str]) -> None:
        """Text: ``a dog ran``. Both edits make the same text of it."""
        one, other = fragment(standoff(*gold), text="a dog ran"), [standoff(*system)]
        assert apply_standoff("a dog ran", one.edits) == apply_standoff("a dog ran", other)
        assert three(scored(one, other))[1:] == (0, 0)
        assert three(scored(one, other, "hoo(edge_space=true)")) == (1, 1, 1)

    def test_a_space_at_the_edge_does_not_join_other_edits(self) -> None:
        one = fragment(standoff(1, 1, ","), text="a dog ran")
        assert three(scored(one, [standoff(2, 2, "big ")], "hoo(edge_space=true)")) == (0, 0, 0)
        two = fragment(standoff(2, 5, "cat"), text="a dog ran")
        assert three(scored(two, [standoff(2, 6, "cow ")], "hoo(edge_space=true)")) == (1, 1, 0)
        assert three(scored(two, [standoff(3, 5, "cat")], "hoo(edge_space=true)")) == (1, 0, 0)
        other_case = [standoff(2, 6, "Cat ")]
        assert three(scored(two, other_case, "hoo(edge_space=true)")) == (1, 1, 0)
        assert three(scored(two, other_case, "hoo(edge_space=true,case=ignore)")) == (1, 1, 1)
        # More than one space at one edge: of the system's edit first, then of the gold edit.
        three_spaces = "a   dog   ran"
        for start, end, said in ((2, 7, "  cat"), (4, 9, "cat  ")):
            wide, narrow = standoff(start, end, said), standoff(4, 7, "cat")
            for wanted, found in ((narrow, wide), (wide, narrow)):
                score = scored(fragment(wanted, text=three_spaces), [found], "hoo(edge_space=true)")
                assert three(score) == (1, 0, 0)
        with pytest.raises(InputError, match="edge_space"):
            scored(fragment(standoff(0, 0, "x")), [], "hoo(edge_space=true)")

    def test_consistency_sets(self) -> None:
        """Three members; together: corrected by the same alternative everywhere, or not at all."""
        members = [standoff(k, k + 4, "output", "result", group="1", optional=True) for k in (0, 10, 20)]
        gold, together = fragment(*members, standoff(30, 34, "x")), "hoo(csets=together)"
        same = [standoff(k, k + 4, "result") for k in (0, 10, 20)]
        assert three(scored(gold, same)) == three(scored(gold, same, together)) == (3, 3, 3)
        mixed = [*same[:2], standoff(20, 24, "output")]
        assert three(scored(gold, mixed)) == (3, 3, 3)
        assert three(scored(gold, mixed, together)) == (3, 3, 0)
        some = scored(gold, same[:2], together)
        assert three(some) == (2, 2, 0)
        assert some.counts["missing_optional"] == 0  # a set that was changed in part is not left as it is
        assert scored(gold, same[:2]).counts["missing_optional"] == 1
        assert scored(gold, [], together).counts["missing_optional"] == 3

    def test_a_consistency_set_of_other_alternatives(self) -> None:
        """Members with one and with two corrections have no alternative in common: any will do, but in all members."""
        gold = fragment(standoff(0, 1, "x", "y", group="1"), standoff(4, 5, "z", group="1"))
        said = [standoff(0, 1, "y"), standoff(4, 5, "z")]
        assert three(scored(gold, said, "hoo(csets=together)")) == (2, 2, 2)
        assert three(scored(gold, said[:1], "hoo(csets=together)")) == (1, 1, 0)

    def test_consistency_sets_compare_as_edits_do(self) -> None:
        """Two members; the system gives the second alternative, in another case or with a space at another edge."""
        gold = fragment(*(standoff(k, k + 1, "Xx", "Yy", group="1") for k in (0, 4)), text="a   b   c")
        case = [standoff(0, 1, "yy"), standoff(4, 5, "YY")]
        assert three(scored(gold, case, "hoo(csets=together)")) == (2, 2, 0)
        assert three(scored(gold, case, "hoo(csets=together,case=ignore)")) == (2, 2, 2)
        space = [standoff(0, 2, "Yy "), standoff(3, 5, " Yy")]
        assert three(scored(gold, space, "hoo(csets=together)")) == (2, 0, 0)
        assert three(scored(gold, space, "hoo(csets=together,edge_space=true)")) == (2, 2, 2)
        mixed = [standoff(0, 2, "Xx "), standoff(3, 5, " Yy")]
        assert three(scored(gold, mixed, "hoo(csets=together,edge_space=true)")) == (2, 2, 0)

    def test_what_counts_as_corrected(self) -> None:
        """One gold edit, two identical system edits: one gold edit corrected, by two system edits."""
        gold, system = fragment(standoff(0, 4, "x")), [standoff(0, 4, "x"), standoff(0, 4, "x")]
        assert prf(scored(gold, system), CORRECTION)[:2] == (1 / 2, 1.0)
        problems = Problems()
        (score,) = score_runs([gold], {"run": [system]}, [Hoo(corrected="system")], problems)
        assert prf(score, CORRECTION)[:2] == (2 / 2, 2.0)
        assert [note.what for note in problems.notes] == ["correction recall is above 1 in 2 places (1, the data set)"]

    def test_spurious_edits_seen_from_one_side(self) -> None:
        """A gold insertion at the edge of a system's replacement: the gold edit is met, the system edit spurious."""
        gold, system = fragment(standoff(5, 5, "the ")), [standoff(5, 8, "the cat")]
        score = scored(gold, system, "hoo(insertion=text,sides=apart)")
        assert (three(score)[0], score.counts["spurious"]) == (1, 1)
        assert prf(score, DETECTION)[:2] == (1 / (1 + 1), 1.0)
        score = scored(gold, system, "hoo(insertion=text)")
        assert (three(score)[0], score.counts["spurious"]) == (1, 0)
        assert prf(score, DETECTION)[:2] == (1 / (0 + 1), 1.0)
        # Where touching is enough, and where the insertion is the system's own, both sides see the same.
        for wanted, said, rule in (
            (gold, system, "touch"),
            (fragment(system[0]), list(gold.edits), "touch"),
            (fragment(system[0]), list(gold.edits), "text"),
        ):
            score = scored(wanted, said, f"hoo(insertion={rule},sides=apart)")
            assert (three(score)[0], score.counts["spurious"]) == (1, 0), rule

    def test_pooled_counts_and_the_mean_of_fragments(self) -> None:
        """1 of 1 and 0 of 3 gold edits: pooled R = 1/4, mean R = (1 + 0) / 2; P = 1/1 and 0/0 = 1.

        A third fragment without edits has P = R = 0/0 = 1, and F of 1 in detection, of 0 in recognition.
        """
        gold = [
            fragment(standoff(0, 1, "x"), name="1"),
            fragment(*(standoff(k, k + 1, "x") for k in (0, 2, 4)), name="2"),
        ]
        runs = {"run": [(standoff(0, 1, "x"),), ()]}
        pooled, mean = score_runs(gold, runs, [Hoo(), Hoo(aggregate="mean")], Problems())
        assert prf(pooled, DETECTION)[:2] == (1.0, 1 / 4)
        assert prf(mean, DETECTION) == (1.0, 1 / 2, 1 / 2)  # F: (1 + 0) / 2
        assert [unit.values["detection_recall"] for unit in pooled.by_unit] == [1.0, 0.0]
        again = score_runs(
            [*gold, fragment(name="3")], {"run": [*runs["run"], ()]}, [Hoo(), Hoo(aggregate="mean")], Problems()
        )
        assert prf(again[0], RECOGNITION) == prf(pooled, RECOGNITION)
        assert prf(again[1], DETECTION) == (1.0, 2 / 3, 2 / 3)
        assert prf(again[1], RECOGNITION) == (1.0, 2 / 3, 1 / 3)

    def test_maxmatch_measures_what_decomposition_costs(self) -> None:
        """The paper's own deficiency: the right text, cut otherwise than the annotators did."""
        text = "She go home"
        gold = fragment(standoff(0, 3, "He"), standoff(4, 6, "goes"), text=text)
        system = extract_standoff(text, "He goes home")
        assert three(scored(gold, system)) == (2, 0, 0)
        assert three(scored(gold, system, "hoo(matching=maxmatch)")) == (2, 2, 2)


class TestSpec:
    @pytest.mark.parametrize(
        "text",
        [
            "hoo",
            "hoo(beta=0.5)",
            "hoo(conventions=hoo2011-tool)",
            "hoo(conventions=hoo2012-tool)",
            "hoo(conventions=hoo2012-tool,case=exact)",
            "hoo(matching=maxmatch,max_unchanged=1)",
        ],
    )
    def test_the_short_form(self, text: str) -> None:
        assert str(parse_hoo(text).spec) == text

    @given(st.data())
    def test_a_spec_says_everything(self, data: st.DataObject) -> None:
        values: dict[str, object] = {}
        for parameter in Hoo.parameters:
            names = getattr(parameter.check, "names", None)
            if names:
                values[parameter.name] = data.draw(st.sampled_from(names))
            elif parameter.kind is bool:
                values[parameter.name] = data.draw(st.booleans())
        metric = replace(Hoo(), **values)  # type: ignore[arg-type]  # drawn from what each parameter allows
        assert parse_hoo(str(metric.spec)) == metric

    def test_the_smallest_and_the_largest_number(self) -> None:
        assert [parse_hoo(f"hoo(max_unchanged={n})").max_unchanged for n in (0, 100)] == [0, 100]

    def test_every_field_is_declared_with_its_default(self) -> None:
        assert {p.name for p in Hoo.parameters} == {each.name for each in fields(Hoo)}
        defaults = {each.name: each.default for each in fields(Hoo)}
        for parameter in Hoo.parameters:
            assert parameter.default == defaults[parameter.name]
            assert type(parameter.default) is parameter.kind
            assert parameter.check(parameter.default) == ""

    def test_named_conventions_are_valid(self) -> None:
        for name, values in CONVENTIONS.items():
            metric = Hoo.read({"conventions": name})
            assert {key: getattr(metric, key) for key in values} == dict(values)
        assert Hoo.read({"conventions": "paper"}) == Hoo()

    @pytest.mark.parametrize(
        ("text", "message"),
        [
            ("hoo(insertion=beside)", "inside or touch"),
            ("hoo(conventions=hoo2013-tool)", "paper or hoo2011-tool or hoo2012-tool"),
            ("hoo(betta=1)", "did you mean 'beta'"),
            ("m2", "m2 scores sentences"),
            ("hoo(beta=0)", "a number above 0"),
            ("hoo(beta=inf)", "a number above 0"),
            ("hoo(max_unchanged=-1)", "a whole number from 0 to 100"),
            ("hoo(max_unchanged=101)", "a whole number from 0 to 100"),
        ],
    )
    def test_what_will_not_do(self, text: str, message: str) -> None:
        with pytest.raises(UsageError, match=message):
            parse_hoo(text)


@st.composite
def aligned(draw: st.DrawFn) -> tuple[list[Fragment], list[tuple[StandoffEdit, ...]]]:
    def edits(optional: bool) -> tuple[StandoffEdit, ...]:
        made = []
        for start, length, said, null in draw(
            st.lists(st.tuples(st.integers(0, 8), st.integers(0, 3), st.sampled_from("xy"), st.booleans()), max_size=4)
        ):
            made.append(standoff(start, start + length, said, optional=optional and null, kind=said.upper()))
        return tuple(made)

    n = draw(st.integers(1, 4))
    gold = [fragment(*edits(True), name=str(k), text="a b c d e f g") for k in range(n)]
    return gold, [edits(False) for _ in range(n)]


METRICS = [
    Hoo(),
    Hoo.read({"conventions": "hoo2011-tool"}),
    Hoo.read({"conventions": "hoo2012-tool"}),
    Hoo(insertion="touch"),
]


class TestInvariances:
    @given(aligned(), st.sampled_from(METRICS), st.randoms(use_true_random=False))
    def test_order_of_files_and_edits(
        self, example: tuple[list[Fragment], list[tuple[StandoffEdit, ...]]], metric: Hoo, rng: random.Random
    ) -> None:
        gold, system = example
        (there,) = score_runs(gold, {"a": system}, [metric], Problems())
        order = rng.sample(range(len(gold)), len(gold))
        shuffled = [replace(gold[k], edits=tuple(rng.sample(gold[k].edits, len(gold[k].edits)))) for k in order]
        again = [tuple(rng.sample(system[k], len(system[k]))) for k in order]
        (back,) = score_runs(shuffled, {"a": again}, [metric], Problems())
        assert back.counts == there.counts
        if order == sorted(order):  # files are read in the order of their names
            assert back.signature == there.signature
        for name, estimate in there.estimates.items():
            assert back[name].value == pytest.approx(estimate.value)

    @given(aligned(), st.sampled_from(METRICS))
    def test_gold_against_itself(
        self, example: tuple[list[Fragment], list[tuple[StandoffEdit, ...]]], metric: Hoo
    ) -> None:
        gold = [one for one in example[0] if one.edits]
        if gold:
            (score,) = score_runs(gold, {"a": [one.edits for one in gold]}, [metric], Problems())
            for measure in MEASURES:
                assert prf(score, measure) == (1.0, 1.0, 1.0)

    @given(aligned(), st.sampled_from([*METRICS, Hoo(insertion="text", sides="apart", csets="together")]))
    def test_detection_is_never_above_1(
        self, example: tuple[list[Fragment], list[tuple[StandoffEdit, ...]]], metric: Hoo
    ) -> None:
        """Equation 1: what P divides by holds what it counts; footnote 2: 0/0 is at most 1."""
        (score,) = score_runs(example[0], {"a": example[1]}, [metric], Problems())
        assert (
            max(
                max(unit.values["detection_precision"], unit.values["detection_precision_bonus"])
                for unit in score.by_unit
            )
            <= 1
        )
        assert max(figures_of(score, condition, DETECTION).precision.value or 0.0 for condition in (PLAIN, BONUS)) <= 1

    @draw_examples(50)
    @given(aligned(), st.sampled_from(METRICS))
    def test_the_fold_of_resamples_is_the_score_of_each(
        self, example: tuple[list[Fragment], list[tuple[StandoffEdit, ...]]], metric: Hoo
    ) -> None:
        """The vectorised fold against scoring the resampled fragments one set at a time."""
        gold, system = example
        statistics = metric.measure(gold, system)
        rows = [[0] * len(gold), list(range(len(gold)))]
        weights = np.array([np.bincount(row, minlength=len(gold)) for row in rows], np.float64)
        folded = metric.fold(statistics, Selection(weights=weights))
        by_units = metric.fold(statistics, Selection(np.array(rows)))
        for k, row in enumerate(rows):
            drawn = metric.measure([gold[k] for k in row], [system[k] for k in row])
            alone = metric.fold(drawn)
            np.testing.assert_allclose(folded.values[k], alone.values[0])
            np.testing.assert_array_equal(folded.values, by_units.values)
            assert folded.counts[k].tolist() == alone.counts[0].tolist()
            half = metric.fold(metric.measure([gold[row[0]]], [system[row[0]]]))
            rest = metric.measure([gold[k] for k in row[1:]], [system[k] for k in row[1:]])
            np.testing.assert_allclose(metric.fold(rest, start=half).values, alone.values)

    def test_no_fragment(self) -> None:
        (score,) = score_runs([], {"a": []}, [Hoo()], Problems())
        assert figures_of(score, PLAIN, DETECTION).f.value is None
        assert figures_of(score, PLAIN, DETECTION).f.undefined is Undefined.NO_UNITS
