"""g, h, s and the ratio on one sentence, worked by hand.

Annotators 1 = {X, Y}, 2 = {X}, 3 = {Y, Z}; the system makes {X}. With beta = 1, F(t, r) = 2 |t ∩ r| / (|t| + |r|):
F(1, 2) = 2/3, F(1, 3) = 2/4, F(2, 3) = 0, and the system against 1, 2, 3 is 2/3, 1, 0. With one sentence, the running
choice takes the annotator with the largest F.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from errorbar import M2, Corpus, Hypothesis, Problems
from errorbar.api import CeilingResult
from errorbar.core import InputError, UsageError
from errorbar.metrics import CeilingData, EssaySpread, StudyPlan, prepare_study, type_rows
from errorbar.metrics.ceiling import ceiling, repeat, type_recall
from tests.ceilings.examples import TEXT, X, Y, by_hand, only_x, random_corpus
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.scoring import score


def study(
    data: Corpus | None = None, metric: M2 | None = None, *, sizes: tuple[int, ...] = (), by_type: bool = False
) -> CeilingData:
    return prepare_study(
        data or by_hand(), [only_x()], metric or M2(beta=1.0), Problems(), StudyPlan(sizes, by_type=by_type)
    )


def test_humans() -> None:
    found = ceiling(study())
    assert found.sizes == (1, 2)
    # k = 1: means over two references; k = 2: the better of two.
    expected = [[(2 / 3 + 1 / 2) / 2, 2 / 3], [(2 / 3 + 0) / 2, 2 / 3], [(1 / 2 + 0) / 2, 1 / 2]]
    np.testing.assert_allclose(found.humans[:, :, 2], expected, rtol=1e-14)
    np.testing.assert_allclose(found.human[:, 2], [7 / 18, 11 / 18], rtol=1e-14)
    assert found.n_subsets == (2, 1)
    assert found.exact == (True, True)


def test_precision_and_recall_are_means_too() -> None:
    # Text 1 = {X, Y} against 2: P 1/2, R 1/1; against 3: P 1/2, R 1/2.
    np.testing.assert_allclose(ceiling(study()).humans[0, 0], [1 / 2, 3 / 4, 7 / 12], rtol=1e-14)


def test_a_system_and_its_ratio() -> None:
    found = ceiling(study())
    np.testing.assert_allclose(found.scores[0, :, 2], [5 / 9, (1 + 2 / 3 + 1) / 3], rtol=1e-14)
    np.testing.assert_allclose(found.ratio[0], [(5 / 9) / (7 / 18), (8 / 9) / (11 / 18)], rtol=1e-14)


def test_the_mean_over_all_subsets_is_the_mean_over_left_out_annotators() -> None:
    """Bryant & Ng define s(k) as the mean over i of g(output, k, i)."""
    data, systems = random_corpus()
    whole = prepare_study(data, systems, M2(), Problems())
    for k in range(len(whole.sizes)):
        parts = []
        for column in range(len(data.annotators)):
            parts.append(whole.g(replace(whole.systems[0], author=column))[k])  # subsets without this annotator
        np.testing.assert_allclose(ceiling(whole).scores[0, k], np.mean(parts, axis=0), rtol=1e-12)


def test_every_subset_is_the_ordinary_score_against_these_annotators() -> None:
    data, systems = random_corpus()
    whole = prepare_study(data, systems, M2(), Problems(), StudyPlan((2,)))
    subsets = whole.subsets[-1]
    scores = []
    for mask in subsets.masks.astype(bool):
        some = data.only([name for name, there in zip(data.annotators, mask, strict=True) if there])
        scores.append(score(some, systems[:1], [M2()])[0].f.value or 0.0)
    assert len(scores) == 6  # two of four
    assert ceiling(whole).scores[0, 0, 2] == pytest.approx(np.mean(scores), rel=1e-14)


def test_type_recall() -> None:
    """X and Z are Det, Y is Prep. Size 1: text 1 finds Det in 2 (1/1), not in 3 (0/1), and Prep in 3 (1/1)."""
    made = study(by_type=True)
    types = made.humans[0].statistics.types
    det, prep = types.index("Det"), types.index("Prep")
    one = np.stack([type_recall(made, text, 1) for text in made.humans])
    np.testing.assert_allclose(one[:, det], [1 / 2, 1 / 2, 0])
    np.testing.assert_allclose(one[:, prep], [1, 0, 1])
    human = {row.type: row.human for row in type_rows(made, 1)}
    assert (human["Det"], human["Prep"]) == pytest.approx((1 / 3, 2 / 3))
    # Size 2: the chosen annotators are 2, 1 and 1; 2 has no Prep, which is not a recall of 0.
    two = np.stack([type_recall(made, text, 2) for text in made.humans])
    np.testing.assert_allclose(two[:, det], [1, 1, 0])
    np.testing.assert_array_equal(two[:, prep], [np.nan, 0, 1])
    human = {row.type: row.human for row in type_rows(made, 2)}
    assert (human["Det"], human["Prep"]) == pytest.approx((2 / 3, 1 / 2))
    # The system finds Det in 2 of 3 subsets of size 1, humans in a third on average; it never finds Prep.
    rows = type_rows(made, 1)
    assert [row.type for row in rows] == ["Det", "Prep"]
    assert [row.human for row in rows] == pytest.approx([1 / 3, 2 / 3])
    assert [row.systems for row in rows] == [pytest.approx((2 / 3,)), (0,)]
    assert [row.ratios for row in rows] == [pytest.approx((2.0,)), (0,)]


def test_the_type_recall_of_a_subset_is_that_of_the_score() -> None:
    data, systems = random_corpus()
    made = prepare_study(data, systems, M2(), Problems(), StudyPlan((3,), by_type=True))
    recalls = []
    for left_out in data.annotators:
        some = data.only([name for name in data.annotators if name != left_out])
        (found,) = score(some, systems[:1], [M2()], by_type=True)
        recalls.append({row.type: row["recall"].value for row in found.by_type})
    ours = dict(zip(made.systems[0].statistics.types, type_recall(made, made.systems[0], 3).tolist(), strict=True))
    for name, recall in ours.items():
        assert recall == pytest.approx(np.mean([row[name] or 0.0 for row in recalls]))


def test_types_must_have_been_counted() -> None:
    made = study()
    with pytest.raises(ValueError, match="without by_type"):
        type_recall(made, made.systems[0], 1)


def test_unclear_meaning_stays_in_an_annotators_text() -> None:
    """With the Um edit unapplied, text 1 is {X}; against 2 that is perfect. Applied, it would propose two edits."""
    unclear = edit(5, 6, "", kind="Um")
    found = ceiling(study(corpus(sentence(TEXT, {"1": [X, unclear], "2": [X]}))))
    np.testing.assert_allclose(found.humans[0, 0], [1, 1, 1])
    np.testing.assert_allclose(found.humans[1, 0], [1, 1 / 2, 2 / 3])


def test_overlapping_edits_are_refused_or_noted() -> None:
    overlapping = corpus(sentence(TEXT, {"1": [X, edit(0, 2, "W")], "2": [X]}))
    with pytest.raises(InputError, match="overlaps"):
        study(overlapping)
    problems = Problems(lenient=True)
    made = prepare_study(overlapping, [], M2(), problems)
    assert [note.code for note in problems.notes] == ["apply-overlap"]
    assert str(problems.notes[0].place) == "annotator 1, sentence 1"  # a corpus made by hand has no lines
    np.testing.assert_allclose(ceiling(made).humans[0, 0], [1, 1, 1])  # only X is left


def test_where_humans_never_agree_there_is_no_ratio() -> None:
    found = ceiling(study(corpus(sentence(TEXT, {"1": [X], "2": [Y]}))))
    assert found.human[0, 2] == 0
    assert np.isnan(found.ratio).all()
    assert found.no_ratio(0, 0) == "the human score is 0"


@pytest.mark.parametrize(
    ("human", "system", "why"),
    [
        (0.5, 0.25, ""),
        (0.0, 0.25, "the human score is 0"),
        (-0.5, 0.25, "the human score is below 0"),
        (np.nan, 0.25, "the human score is undefined"),
        (0.5, np.nan, "the system's score is undefined"),
    ],
)
def test_why_there_is_no_ratio(human: float, system: float, why: str) -> None:
    found = ceiling(study(sizes=(1,)))
    humans, scores = np.full_like(found.humans, human), np.full_like(found.scores, system)
    found = replace(found, humans=humans, scores=scores)
    assert found.no_ratio(0, 0) == why
    assert np.isnan(found.ratio[0, 0]) == bool(why)
    assert found.ratio_notes() == ([f"– no ratio: {why}"] if why else [])


def test_a_ratio_of_errors_is_explained() -> None:
    found = ceiling(study())
    lower = replace(found, measures=tuple(measure._replace(better="lower") for measure in found.measures))
    assert found.ratio_notes() == []
    assert lower.ratio_notes() == ["lower is better: a system above 100% of the human score is worse than a human"]


def test_the_spread_of_a_number_is_not_in_percent() -> None:
    found = ceiling(study(sizes=(1,)))
    spread = EssaySpread(1, 2, np.array([[2.0], [4.0]]), np.array([[[0.5]], [[0.7]]]))
    (percent,) = CeilingResult(found, None, spread, None, "").tables()[1:]
    measures = tuple(measure._replace(kind="number") for measure in found.measures)
    human, ratio = CeilingResult(replace(found, measures=measures), None, spread, None, "").tables()[1:]
    assert [[column.kind for column in table.columns[2:]] for table in (percent, human, ratio)] == [
        ["percent"] * 7,
        ["number"] * 7,
        ["percent"] * 7,
    ]
    assert [*human.rows, *ratio.rows] == list(percent.rows)


def test_an_annotator_who_did_not_look_is_noted() -> None:
    problems = Problems()
    data = corpus(sentence(TEXT, {"1": [X], "2": [X]}), sentence(TEXT, {"1": [X]}))
    prepare_study(data, [], M2(), problems)
    (note,) = problems.notes
    assert note.code == "annotator-absent"
    assert note.what.startswith(
        "annotator 2 has no line for 1 of 2 sentences, which count as unchanged in this annotator's text"
    )


def test_without_systems_and_with_chosen_sizes() -> None:
    made = prepare_study(by_hand(), [], M2(beta=1.0), Problems(), StudyPlan((2,)))
    found = ceiling(made)
    assert (found.scores.shape, found.ratio.shape, found.sizes) == ((0, 1, 3), (0, 1), (2,))


def test_a_selection_of_sentences_is_the_study_of_that_corpus() -> None:
    data, systems = random_corpus()
    units = np.array([3, 4, 4, 17, 29], np.int64)
    padded = np.concatenate([units, [-1, -1]])
    sub = Corpus([data.sentences[u] for u in units], data.annotators)
    lines = [Hypothesis(s.name, [s.lines[u] for u in units]) for s in systems]
    direct = ceiling(prepare_study(sub, lines, M2(), Problems()))
    (found,) = repeat(prepare_study(data, systems, M2(), Problems()), [padded])
    np.testing.assert_array_equal(found.humans, direct.humans)
    np.testing.assert_array_equal(found.scores, direct.scores)


class TestMisuse:
    def test_one_annotator(self) -> None:
        with pytest.raises(UsageError, match="at least two annotators: one is scored against the others"):
            study(corpus(sentence("a", {"1": []})))

    @pytest.mark.parametrize("size", [0, 3, 10])
    def test_a_size_that_does_not_fit(self, size: int) -> None:
        with pytest.raises(
            UsageError, match=rf"sizes={size} with 2 annotators besides the author of a text \(expected 1 to 2\)"
        ):
            study(sizes=(size,))

    def test_a_metric_of_one_annotator(self) -> None:
        with pytest.raises(UsageError, match="scores against one annotator only"):
            study(metric=M2(choose="1"))

    def test_order_free_choice_will_do(self) -> None:
        assert ceiling(study(metric=M2(beta=1.0, choose="sentence"))).human[0, 2] == pytest.approx(7 / 18)
