"""Sentences for looking at: spans of characters, what the metric counts, and how much annotators differ."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import M2, Corpus, Edit, Hypothesis, Problems
from errorbar.api import Browse, BrowseEdit, Memory, cache_metric
from errorbar.api.browse import browse_corpus, disagreement
from errorbar.edits import apply_edits, corrected_text
from tests import strategies
from tests.helpers.build import corpus as build_corpus
from tests.helpers.build import edit, sentence
from tests.helpers.folds import chosen as chosen_columns


def browse(corpus: Corpus, *lines: list[str], metric: M2 | None = None) -> Browse:
    systems = [Hypothesis(f"s{k}", line) for k, line in enumerate(lines)]
    return browse_corpus(corpus, systems, cache_metric(metric or M2(), Memory(corpus)))


def applied(text: str, edits: tuple[BrowseEdit, ...]) -> str:
    """The text with the first replacement of each edit, from left to right."""
    made, at = "", 0
    for each in edits:
        if each.replacements:
            made += text[at : each.start] + f" {each.replacements[0]} "
            at = each.end
    return made + text[at:]


class TestSpans:
    # text: "He go to school ."   starts: 0 3 6 9 16
    TEXT = "He  go to\tschool ."

    def shown(self, *edits: Edit) -> tuple[BrowseEdit, ...]:
        (unit,) = browse(build_corpus(sentence(self.TEXT, {"A": edits}))).units
        assert unit.text == "He go to school ."
        (found,) = unit.annotators
        assert found is not None
        return found

    @pytest.mark.parametrize(
        ("made", "browsed"),
        [
            (edit(1, 3, "goes to", "went to", kind="SVA"), BrowseEdit(3, 8, ("goes to", "went to"), "SVA")),
            (edit(2, 3, ""), BrowseEdit(6, 8, ("",))),  # a deletion
            (edit(3, 3, "the"), BrowseEdit(9, 9, ("the",))),  # an insertion stands before its token
            (edit(5, 5, "!"), BrowseEdit(17, 17, ("!",))),  # or at the end
            (Edit(0, 1, ("She",), "Pref", optional=True), BrowseEdit(0, 2, ("She",), "Pref", True)),
            (edit(0, 5, "", kind="Um"), BrowseEdit(0, 17, (), "Um", written=("",))),  # unclear meaning
        ],
    )
    def test_the_span_of_an_edit(self, made: Edit, browsed: BrowseEdit) -> None:
        assert self.shown(made) == (browsed,)

    def test_edits_stand_in_text_order(self) -> None:
        assert [each.start for each in self.shown(edit(3, 3, "the"), edit(0, 1, "She"))] == [0, 9]

    def test_an_empty_sentence_takes_an_insertion(self) -> None:
        (unit,) = browse(build_corpus(sentence("", {"A": [edit(0, 0, "Yes")]}))).units
        assert unit.annotators == ((BrowseEdit(0, 0, ("Yes",)),),)


class TestSystems:
    CORPUS = build_corpus(
        sentence("a b c .", {"A": [edit(0, 1, "X")], "B": [edit(1, 2, "Y")]}),
        sentence("a b c .", {"B": [edit(1, 2, "Y", "Z")]}),
        sentence("a b c .", {}),
        annotators=("A", "B"),
    )

    def test_edits_are_matched_with_the_chosen_annotator(self) -> None:
        first, second, _ = browse(self.CORPUS, ["a Y d ."] * 3).units
        assert first.chosen == (1,)
        # MaxMatch takes "c ." -> "d ." for the second edit: longer edits cost it less. Shown is what changes.
        assert first.systems[0] == (BrowseEdit(2, 3, ("Y",), matched=True), BrowseEdit(4, 5, ("d",), matched=False))
        assert first.counts == ((1, 2, 1),)
        assert second.systems == first.systems
        assert second.annotators[0] is None

    def test_where_nobody_looked_edits_are_shown_and_do_not_count(self) -> None:
        third = browse(self.CORPUS, ["a Y c ."] * 3).units[2]
        assert (third.chosen, third.counts) == ((-1,), ((0, 0, 0),))
        assert third.systems == ((BrowseEdit(2, 3, ("Y",), matched=False),),)
        assert third.annotators == (None, None)
        assert third.disagreement is None

    def test_a_named_annotator_is_the_chosen_one(self) -> None:
        units = browse(self.CORPUS, ["a Y c ."] * 3, metric=M2(choose="A")).units
        assert [unit.chosen for unit in units] == [(0,), (-1,), (-1,)]
        assert [unit.counts for unit in units] == [((0, 1, 1),), ((0, 0, 0),), ((0, 0, 0),)]

    def test_edits_are_found_with_the_options_of_the_metric(self) -> None:
        corpus = build_corpus(sentence("a b c d", {"A": [edit(0, 3, "x b y")]}))
        whole, parts = (browse(corpus, ["x b y d"], metric=M2(max_unchanged=n)).units[0] for n in (1, 0))
        assert whole.systems == ((BrowseEdit(0, 5, ("x b y",), matched=True),),)
        assert whole.counts == ((1, 1, 1),)
        assert parts.systems == ((BrowseEdit(0, 1, ("x",), matched=False), BrowseEdit(4, 5, ("y",), matched=False)),)
        assert parts.counts == ((0, 2, 1),)
        corpus = build_corpus(sentence("the cat sat", {"A": [edit(2, 3, "sits")]}))
        every, fewer = (
            browse(corpus, ["The cat sits"], metric=M2(ignore_case_space=ignore)).units[0] for ignore in (False, True)
        )
        assert [system.start for system in every.systems[0]] == [0, 8]
        assert [system.start for system in fewer.systems[0]] == [8]
        assert (every.counts, fewer.counts) == (((1, 2, 1),), ((1, 1, 1),))

    def test_names_are_numbers_and_documents_stay(self) -> None:
        corpus = build_corpus(sentence("a", {"A": []}), sentence("b", {"A": []}))
        corpus.sentences[1].document = "essay 7"
        found = browse(corpus)
        assert [(unit.name, unit.document) for unit in found.units] == [("1", ""), ("2", "essay 7")]
        assert (found.annotators, found.systems, found.unit) == (("A",), (), "sentence")


class TestDisagreement:
    X, Y, Z = edit(0, 1, "x"), edit(1, 2, "y"), edit(1, 2, "z")

    @pytest.mark.parametrize(
        ("annotations", "expected"),
        [
            ([(X,), (X,)], 0),
            ([(), (), ()], 0),
            ([(Y,), (Z,)], 1),
            ([(X,), ()], 1),
            ([(X, Y), (X,), ()], 5 / 6),  # overlaps: {x, y} and {x}: 1/2; {x, y} and {}: 0; {x} and {}: 0. Mean 1/6.
            ([(), (), (X,)], 2 / 3),  # pairs: {} {}: 1; {} {x}: 0; {} {x}: 0
        ],
    )
    def test_mean_over_pairs(self, annotations: list[tuple[Edit, ...]], expected: float) -> None:
        assert disagreement(annotations) == pytest.approx(expected)

    def test_types_do_not_count(self) -> None:
        assert disagreement([(edit(0, 1, "x", kind="P"),), (edit(0, 1, "x", kind="Q"),)]) == 0

    def test_one_annotator_has_none(self) -> None:
        assert disagreement([(self.X,)]) is None


@given(strategies.corpora(max_size=4), st.builds(M2, choose=st.sampled_from(("running", "sentence"))))
def test_what_holds_of_every_corpus(pair: tuple[Corpus, list[str]], metric: M2) -> None:
    corpus, lines = pair
    found = browse(corpus, lines, metric=metric)
    statistics = metric.measure(corpus, lines)
    chosen = chosen_columns(metric, statistics)
    assert len(found.units) == len(corpus)
    for number, (unit, source) in enumerate(zip(found.units, corpus.sentences, strict=True)):
        assert unit.text.split() == source.tokens
        assert unit.chosen == (chosen[number],)
        shown = [each for edits in (*unit.annotators, *unit.systems) for each in edits or ()]
        assert all(0 <= each.start <= each.end <= len(unit.text) for each in shown)
        for name, edits in zip(corpus.annotators, unit.annotators, strict=True):
            theirs = source.annotations.get(name)
            assert (edits is None) == (theirs is None)
            assert len(edits or ()) == len(theirs or ())
        (edits,) = unit.systems
        (counts,) = unit.counts
        if unit.chosen == (-1,):
            assert counts == (0, 0, 0)
        else:
            assert counts == tuple(statistics.counts[number, chosen[number]].tolist())
            assert len(edits) == counts[1]
            matched = sum(bool(each.matched) for each in edits)
            assert bool(matched) == bool(counts[0])
            spans = [annotation.span for annotation in source.annotations[corpus.annotators[chosen[number]]]]
            if len(spans) == len(set(spans)):  # else one edit may match several of the annotator's
                assert matched == counts[0]
        assert applied(unit.text, edits).split() == lines[number].split()


@given(st.data())
def test_an_annotators_edits_make_their_text(data: st.DataObject) -> None:
    tokens = data.draw(strategies.tokens())
    edits = data.draw(strategies.disjoint_edits(tokens))
    source = sentence(" ".join(tokens), {"A": edits})
    (unit,) = browse(build_corpus(source)).units
    (shown,) = unit.annotators
    assert shown is not None
    assert applied(unit.text, shown).split() == corrected_text(source, "A", Problems()).split()


def test_overlapping_edits_are_all_shown() -> None:
    edits = [edit(0, 2, "x"), edit(1, 3, "y")]
    (unit,) = browse(build_corpus(sentence("a b c", {"A": edits}))).units
    assert unit.annotators == ((BrowseEdit(0, 3, ("x",)), BrowseEdit(2, 5, ("y",))),)
    assert apply_edits(["a", "b", "c"], edits, problems=Problems(lenient=True)) == ["x", "c"]
