"""Counts of correction behavior: by hand, and what the page says."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Corpus, Edit, Hypothesis, Problems, Score, parse_metric
from errorbar.core import CorrectedSentence, InputError, TextEdits, Undefined, UsageError
from errorbar.metrics.behavior import Behavior
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.effort import draw_examples
from tests.helpers.scoring import counts_of, score

# Of annotator 0: "the" before c is needed, d -> D, f -> F, h is to go.
GOLD = [edit(2, 2, "the", kind="Det"), edit(3, 4, "D", kind="V"), edit(5, 6, "F", kind="N"), edit(7, 8, "", kind="N")]
SOURCE = "a b c d e f g h i"


def one(*said: str, gold: Corpus | None = None, metric: str = "behavior", by_type: bool = False) -> Score:
    reference = gold or corpus(sentence(SOURCE, {"0": GOLD}))
    (found,) = score(reference, [Hypothesis("it", said)], [metric], by_type=by_type)
    return found


def test_one_of_each() -> None:
    # "the" is there (hit), d -> X (wrong), f is left (under), h is gone (hit), i -> I (over); h and i touch, and so
    # h i -> I against h i -> i is one chunk: wrong.
    found = one("a b the c X e f g I")
    assert found.counts == {"n_hit": 1, "n_wrong": 2, "n_under": 1, "n_over": 0}
    found = one("A b the c X e f g i")
    assert found.counts == {"n_hit": 2, "n_wrong": 1, "n_under": 1, "n_over": 1}
    assert [each.value for each in found.estimates.values()] == pytest.approx(
        [2 / 4, 1 / 4, 1 / 4, 1 / 4, 0.45 / 2 + 0.35 * 3 / 4 + 0.15 * 3 / 4 + 0.05 * 3 / 4]
    )
    assert found.estimate == found["score"]
    assert {measure.name for measure in found.measures if measure.better == "lower"} == {"wrong", "under", "over"}


def test_other_annotators_edits_join_chunks() -> None:
    """c -> C of annotator 1 joins "the" and d -> D, so that what was a hit and a wrong chunk is a wrong one."""
    gold = corpus(sentence(SOURCE, {"0": GOLD, "1": [edit(2, 3, "C")]}))
    found = one("a b the c X e F g i", gold=gold, metric="behavior(choose=0)")
    assert found.counts == {"n_hit": 2, "n_wrong": 1, "n_under": 0, "n_over": 0}
    alone = one("a b the c X e F g i")
    assert alone.counts == {"n_hit": 3, "n_wrong": 1, "n_under": 0, "n_over": 0}


def test_types_are_those_of_whoever_changes_the_chunk() -> None:
    made = CorrectedSentence("A b c D e f g i", (edit(0, 1, "A", kind="Orth"), edit(3, 4, "D"), edit(7, 8, "")))
    found = one(made, by_type=True)
    assert {row.type: tuple(row.counts.values()) for row in found.by_type} == {
        "Det": (0, 0, 1, 0, 1),
        "V": (1, 0, 0, 0, 1),
        "N": (1, 0, 1, 0, 2),
        "Orth": (0, 0, 0, 1, 0),
    }
    assert {row.type: row["hit"].value for row in found.by_type} == {"Det": 0, "V": 1, "N": 0.5, "Orth": None}


def test_edits_of_a_system_are_taken_as_they_are() -> None:
    """As one edit from b to d the same text is one hit; to e it touches f, which the annotator changes too."""
    whole = CorrectedSentence("a b the c D e f g h i", (edit(1, 4, "b the c D"),))
    longer = CorrectedSentence(str(whole), (edit(1, 5, "b the c D e"),))
    assert counts_of(one(longer)) == (0, 1, 1, 0)
    assert counts_of(one(whole)) == (1, 0, 2, 0)
    assert counts_of(one(str(whole))) == (2, 0, 2, 0)
    text = CorrectedSentence(str(whole), TextEdits())
    assert counts_of(one(text)) == (2, 0, 2, 0)
    with pytest.raises(InputError, match="the system's edits are of another sentence: a x"):
        one(CorrectedSentence("a b", (), "a x"))


def test_alternatives_unclear_edits_and_edits_without_effect() -> None:
    alternatives = corpus(sentence("a b", {"0": [Edit(0, 1, ("x", "y"))]}))
    assert counts_of(one("y b", gold=alternatives)) == (1, 0, 0, 0)
    assert counts_of(one("z b", gold=alternatives)) == (0, 1, 0, 0)
    unclear = corpus(sentence("a b", {"0": [edit(0, 1, "", kind="Um"), Edit(1, 2, ())]}))
    assert counts_of(one("a b", gold=unclear)) == (0, 0, 0, 0)
    assert counts_of(one("b", gold=unclear)) == (0, 0, 0, 1)
    assert counts_of(one(CorrectedSentence("a b", (edit(0, 1, "a"),)), gold=unclear)) == (0, 0, 0, 0)


def test_the_annotator_with_the_best_score_so_far_is_chosen() -> None:
    """Alone, the second sentence would go to 0 by its tie; after the first a hit outweighs."""
    texts = {"0": [edit(0, 1, "x")], "1": [edit(0, 1, "y")]}
    gold = corpus(sentence("a b", texts), sentence("a b", texts))
    found = score(gold, [Hypothesis("it", ["y b", "z b"])], ["behavior"], by_sentence=True)[0]
    assert [row.annotator for row in found.by_unit] == ["1", "0"]
    assert found.counts == {"n_hit": 1, "n_wrong": 1, "n_under": 0, "n_over": 0}


def test_empty_cases_are_named() -> None:
    nothing = corpus(sentence("a b", {"0": []}))
    found = one("a b", gold=nothing)
    assert [each.value for each in found.estimates.values()] == pytest.approx([0, 0, 0, 0, 0.55])
    assert [each.undefined for each in found.estimates.values()] == [
        *[Undefined.NOTHING_IN_REFERENCE] * 3,
        Undefined.NOTHING_PROPOSED,
        Undefined.NO_EDITS,
    ]
    assert one("a", gold=nothing)["score"].undefined is Undefined.NOTHING_IN_REFERENCE
    idle = one(SOURCE)
    assert idle["over"].undefined is Undefined.NOTHING_PROPOSED
    assert idle["score"].value == pytest.approx(0.4)
    assert idle["score"].undefined is None


def test_edits_that_overlap_are_counted_and_told() -> None:
    problems = Problems()
    gold = corpus(sentence("a b c", {"0": [edit(0, 2, "x"), edit(1, 3, "y")]}))
    (found,) = score(gold, [Hypothesis("it", ["x c"])], ["behavior"], problems=problems)
    assert counts_of(found) == (1, 0, 0, 0)
    assert [(note.code, note.what) for note in problems.notes] == [
        ("apply-overlap", "edits of annotators that overlap others and were left out: 1")
    ]


def test_an_annotator_who_changes_nothing_is_named() -> None:
    """Two sentences with four errors each by 0: a system that finds one has 1 hit of 1 if 1 left all as it is."""
    problems = Problems()
    gold = corpus(*[sentence(SOURCE, {"0": GOLD, "1": []})] * 2)
    system = Hypothesis("it", ["a b the c D e F g i", "A b c d e f g h i"])
    (found,) = score(gold, [system], ["behavior"], problems=problems)
    assert found.counts == {"n_hit": 4, "n_wrong": 0, "n_under": 0, "n_over": 1}
    assert found.estimate.value == pytest.approx(0.45 + 0.35 + 0.15 + 0.05 * 4 / 5)
    (note,) = problems.notes
    assert (note.code, note.severity) == ("annotator-unchanged", "warning")
    assert "annotator 1 changes 0.0% of the sentences, the others 100.0%" in note.what
    problems = Problems()
    score(gold, [system], ["behavior(assumption=independent)"], problems=problems)
    assert "what an annotator leaves is not under-corrected" in problems.notes[0].what
    for metric in ("behavior(choose=0)", "behavior(choose=1)"):
        problems = Problems()
        score(gold, [system], [metric], problems=problems)
        assert not problems.notes


def test_annotators_who_all_change_little_are_not_warned_of() -> None:
    problems = Problems()
    gold = corpus(*[sentence(SOURCE, {"0": [], "1": []})] * 9, sentence(SOURCE, {"0": GOLD, "1": GOLD[:1]}))
    score(gold, [Hypothesis("it", [SOURCE] * 10)], ["behavior"], problems=problems)
    assert not problems.notes


def test_edits_of_a_hit_are_shown_as_correct() -> None:
    gold = corpus(sentence(SOURCE, {"0": GOLD}), sentence("a", {}))
    (first, second) = Behavior().system_edits(gold, ["A b the c X e f g i", "b"], ["0", None])
    assert [(each.start, each.end, each.replacement, each.matched) for each in first] == [
        (0, 1, "A", False),
        (2, 2, "the", True),
        (3, 4, "X", False),
        (7, 8, "", True),
    ]
    assert list(second) == []


def test_a_pipeline_is_for_errants_edits() -> None:
    with pytest.raises(UsageError, match="needs no pipeline"):
        parse_metric("behavior(pipeline=mine)")
    assert parse_metric("behavior(edits=errant,pipeline=mine)").makes_edits
    with pytest.raises(UsageError, match="minimal or errant"):
        parse_metric("behavior(edits=small)")


def test_an_independent_chunk_is_met_by_any_annotator_and_left_only_against_all() -> None:
    """a: changed by both; c: by 0 alone; e: by nobody. Whom each chunk suits is another annotator."""
    texts = {"0": [edit(0, 1, "x"), edit(2, 3, "C")], "1": [edit(0, 1, "y")]}
    gold = corpus(sentence("a b c d e", texts))
    metric = "behavior(assumption=independent)"
    for said, counts in {
        "y b C d e": (2, 0, 0, 0),  # against 0 alone a is wrong, against 1 alone c is over-corrected
        "z b Z d e": (0, 2, 0, 0),
        "a b c d E": (0, 0, 1, 1),  # 1 leaves c: so may the system
        "a b c d e": (0, 0, 1, 0),
    }.items():
        assert counts_of(one(said, gold=gold, metric=metric)) == counts, said
    assert counts_of(one("a b c d e", gold=gold, metric="behavior(assumption=independent,choose=0)")) == (0, 0, 2, 0)


def test_means_over_sentences_have_their_own_weights() -> None:
    """A sentence with a hit and an error left, one without errors, and one where all is over-corrected."""
    gold = corpus(
        sentence("a b c", {"0": [edit(0, 1, "x"), edit(2, 3, "z")]}), sentence("a", {"0": []}), sentence("a", {"0": []})
    )
    (result,) = score(gold, [Hypothesis("it", ["x b c", "a", "b"])], ["behavior(average=sentence)"])
    assert result.counts == {"n_hit": 1, "n_wrong": 0, "n_under": 1, "n_over": 1}
    scores = [0.35 / 2 + 0.25 + 0.20 / 2 + 0.20, 0.65, 0.45]
    assert [one.value for one in result.estimates.values()] == pytest.approx([1 / 6, 0, 1 / 6, 1 / 3, sum(scores) / 3])


def test_the_annotator_of_a_mean_is_chosen_by_the_weights_of_means() -> None:
    """Against 0 one hit, one left, one over-corrected (.675 and .625); against 1 a hit and a wrong one (.6 and .7)."""
    texts = {"0": [edit(0, 1, "x"), edit(4, 5, "z")], "1": [edit(0, 1, "x"), edit(2, 3, "y")]}
    gold = corpus(sentence("a b c d e", texts))
    for metric, annotator, value in (("behavior", "0", 0.675), ("behavior(average=sentence)", "1", 0.7)):
        (result,) = score(gold, [Hypothesis("it", ["x b w d e"])], [metric], by_sentence=True)
        assert [row.annotator for row in result.by_unit] == [annotator]
        assert result["score"].value == pytest.approx(value)


def test_systems_with_chunks_of_unlike_number_are_compared_sentence_by_sentence() -> None:
    gold = corpus(*[sentence("a b c d e", {"0": [edit(0, 1, "x")], "1": []})] * 2)
    metric = Behavior(assumption="independent")
    first, second = (metric.measure(gold, lines) for lines in (["x b c d e"] * 2, ["x b c d e", "x b y d z"]))
    assert metric.differ(first, second).tolist() == [False, True]
    assert metric.differ(second, first).tolist() == [False, True]


def test_what_other_ways_of_counting_refuse() -> None:
    for parameters, why in {"assumption=independent": "no annotator is chosen", "average=sentence": "already"}.items():
        with pytest.raises(UsageError, match=why):
            parse_metric(f"behavior({parameters},choose=sentence)")
        assert parse_metric(f"behavior({parameters},choose=0)").annotator == "0"
        assert parse_metric(f"behavior({parameters})").variants() == ()
    gold = corpus(sentence("a b", {"0": []}))
    with pytest.raises(UsageError, match="no scores by error type"):
        one("a b", gold=gold, metric="behavior(assumption=independent)", by_type=True)


def test_types_beside_means_are_of_the_annotators_chosen_by_sentence() -> None:
    gold = corpus(sentence("a b c", {"0": [edit(0, 1, "x", kind="X")], "1": [edit(0, 1, "y", kind="Y")]}))
    result = one("y b c", gold=gold, metric="behavior(average=sentence)", by_type=True)
    assert {row.type: tuple(row.counts.values()) for row in result.by_type if any(row.counts.values())} == {
        "Y": (1, 0, 0, 0, 1)
    }
    assert result["score"].value == pytest.approx(1)


def test_edits_that_any_annotator_makes_are_shown_as_correct() -> None:
    gold = corpus(sentence("a b c", {"0": [edit(0, 1, "x")], "1": [edit(2, 3, "z")]}))
    metric = Behavior(assumption="independent")
    ((first, second),) = metric.system_edits(gold, ["x b z"], [None])
    assert (first.matched, second.matched) == (True, True)
    ((first, second),) = metric.system_edits(gold, ["x b z"], ["1"])
    assert (first.matched, second.matched) == (False, True)


def _count_by_hand(source: list[str], ours: list[Edit], sides: list[list[Edit]]) -> tuple[int, int, int, int]:
    """The paper's counts under the independence assumption, of edits of single tokens two or more apart."""
    counts = [0, 0, 0, 0]
    for at, token in enumerate(source):
        mine = next((edit.replacements[0] for edit in ours if edit.start == at), token)
        theirs = [next((edit.replacements[0] for edit in side if edit.start == at), token) for side in sides]
        if mine != token:
            counts[0 if mine in theirs else 1 if {*theirs} != {token} else 3] += 1
        elif token not in theirs:
            counts[2] += 1
    return counts[0], counts[1], counts[2], counts[3]


@draw_examples(100)
@given(st.lists(st.lists(st.lists(st.sampled_from(("", "x", "y")), min_size=3, max_size=3), min_size=2, max_size=5)))
def test_independent_counts_and_means_against_a_twin(drawn: list[list[list[str]]]) -> None:
    """Tokens 0, 2 and 4 of each sentence are changed by the system, which is first, and by each annotator, or not."""
    source = ["a", "b", "c", "d", "e"]
    sentences, texts, expected = [], [], []
    for rows in drawn:
        ours, *sides = [[edit(2 * k, 2 * k + 1, text) for k, text in enumerate(row) if text] for row in rows]
        sentences.append(sentence(" ".join(source), {str(k): side for k, side in enumerate(sides)}))
        made = [
            next((own.replacements[0] for own in ours if own.start == at), token) for at, token in enumerate(source)
        ]
        texts.append(" ".join(made))
        expected.append(_count_by_hand(source, ours, sides))
    system = Hypothesis("it", texts)
    way = "behavior(assumption=independent{})"
    pooled, mean = (score(corpus(*sentences), [system], [way.format(more)])[0] for more in ("", ",average=sentence"))
    assert counts_of(pooled) == counts_of(mean) == tuple(map(sum, zip(*expected, strict=True))) or not drawn
    values = []
    for hit, wrong, under, over in expected:
        needed, changed = hit + wrong + under or 1, hit + wrong + over or 1
        parts = hit / needed, 1 - wrong / needed, 1 - under / needed, 1 - over / changed
        values.append(sum(weight * part for weight, part in zip((0.35, 0.25, 0.20, 0.20), parts, strict=True)))
    assert mean["score"].value == (pytest.approx(sum(values) / len(values)) if values else None)
