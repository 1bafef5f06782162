"""Correctors by hand: which changes are made, what settings and what is right, with numbers that can be added up."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import Corpus, Edit, Sentence
from errorbar.core import UsageError
from errorbar.detectors import correctors
from errorbar.detectors import ranker as ranking
from errorbar.detectors.candidates import GROUPS, Candidate, Proposals
from errorbar.detectors.corrector import (
    NEVER,
    Change,
    Setting,
    WeightedScorer,
    apply_changes,
    check_settings,
    choose_candidates,
)
from errorbar.detectors.correctors import tune_settings
from errorbar.detectors.learning import Logistic, code, step_one
from errorbar.detectors.learning import state as first_state
from errorbar.detectors.ranker import (
    MARKS,
    NUMBERS,
    SHARED,
    Ranker,
    are_plausible,
    count_annotated_edits,
    f_half,
    find_features,
    fit_ranker,
    right_changes,
    trim_edit,
)

NAN = float("nan")
Row = tuple[int, Candidate, float, float]  # sentence, what may be changed, what the model and a classifier say
ONE = Candidate(0, 1, ("b",), "Nn")


def proposals(rows: Sequence[Row], sentences: Sequence[str] = ("a b c d e f",)) -> Proposals:
    """Candidates of sentences, every word a noun."""
    numbers, candidates, model, classifiers = zip(*rows, strict=True) if rows else ((), (), (), ())
    tokens = [sentence.split() for sentence in sentences]
    return Proposals(
        tokens,
        [["NN"] * len(words) for words in tokens],
        np.array(numbers, np.int64),
        candidates,
        np.array([GROUPS.index(candidate.group) for candidate in candidates], np.int64),
        np.array(model, np.float64),
        np.array(classifiers, np.float64),
    )


def corpus(*sentences: tuple[str, dict[str, list[Edit]]]) -> Corpus:
    names = dict.fromkeys(name for _, said in sentences for name in said)
    return Corpus([Sentence(text, {k: tuple(v) for k, v in said.items()}) for text, said in sentences], tuple(names))


def test_a_weighed_score() -> None:
    rows = [(0, ONE, 4.0, 1.0), (0, ONE, 4.0, NAN), (0, ONE._replace(type="Wform"), 4.0, 1.0)]
    found = WeightedScorer({"R:Nn": Setting(2.0, 3.0)}).scores(proposals(rows))
    assert found.tolist() == [(4 + 2 * 1 - 3) / 3, NEVER, NEVER]
    alone = WeightedScorer({"R:Nn": Setting(0.0, 3.0)}).scores(proposals(rows))
    assert alone.tolist() == [1.0, 1.0, NEVER]


def test_the_best_changes_are_made_where_none_is_in_the_way() -> None:
    spans = [(0, 2), (1, 3), (2, 2), (3, 4), (3, 3), (5, 6)]
    rows: list[Row] = [(0, Candidate(*span, ("x",), "Prep"), 0.0, NAN) for span in spans]
    rows.append((1, Candidate(0, 2, ("x",), "Prep"), 0.0, NAN))
    said = proposals(rows, ["a b c d e f"] * 2)
    scores = np.array([2.0, 3.0, 9.0, 5.0, 5.0, 0.0, 1.0])
    # 2-2 first; it touches 0-2 and 1-3. Of 3-4 and 3-3 with equal scores the first; 5-6 is not above 0.
    assert choose_candidates(said, scores) == [2, 3, 6]
    assert choose_candidates(said, scores, 4.0) == [2, 3]
    assert choose_candidates(said, np.full(7, NEVER)) == []


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2), st.floats(-3, 3)), max_size=12))
def test_changes_never_touch_and_none_is_left_out_for_nothing(drawn: list[tuple[int, int, float]]) -> None:
    rows: list[Row] = [(0, Candidate(at, at + wide, ("x",), "Prep"), 0.0, NAN) for at, wide, _ in drawn]
    scores = np.array([score for *_, score in drawn])
    made = choose_candidates(proposals(rows), scores)
    spans = [rows[at][1][:2] for at in made]
    assert all(a[1] < b[0] or b[1] < a[0] for a, b in product(spans, spans) if a is not b)
    for at in set(range(len(rows))) - set(made):
        start, end = rows[at][1][:2]
        better = [rows[each][1] for each in made if scores[each] >= scores[at]]
        assert scores[at] <= 0 or any(start <= each.end and each.start <= end for each in better)


def test_changed() -> None:
    changes = [Change(0, 2, ("X",), "Prep", 1.0), Change(3, 3, ("y", "z"), "Prep", 1.0), Change(5, 6, (), "Prep", 1.0)]
    assert apply_changes(["a", "b", "c", "d", "e", "f"], changes) == ["X", "c", "y", "z", "d", "e"]
    assert apply_changes([], []) == []


@pytest.mark.parametrize(
    ("edit", "kept"),
    [
        ((0, 2, ("Cat",)), (0, 1, ())),  # The cat: the capital is no change of its own
        ((0, 1, ("A", "the")), (0, 0, ("a",))),
        ((1, 1, ("x",)), (1, 1, ("x",))),
        ((1, 2, ("Cat",)), (1, 1, ())),
        ((0, 2, ("the", "dog")), (1, 2, ("dog",))),
        ((0, 2, ()), (0, 2, ())),
    ],
)
def test_trimmed(edit: tuple[int, int, tuple[str, ...]], kept: tuple[int, int, tuple[str, ...]]) -> None:
    assert trim_edit(["The", "cat", "sat"], *edit) == kept


def test_right_is_what_any_annotator_makes() -> None:
    text = corpus(
        ("The cats sat", {"A": [Edit(0, 2, ("Cats", "A cat"))], "B": [Edit(1, 2, ("cat",), "Nn")]}),
        ("he sit here", {"A": [Edit(1, 2, ("sits",)), Edit(0, 0, ("",)), Edit(2, 3, ("here",))], "B": []}),
    )
    rows: list[Row] = [
        (0, Candidate(0, 2, ("Cats",), "ArtOrDet"), 0, NAN),
        (0, Candidate(1, 2, ("cat",), "Nn"), 0, NAN),
        (0, Candidate(0, 1, ("A",), "ArtOrDet"), 0, NAN),
        (1, Candidate(1, 2, ("sits",), "Vform"), 0, NAN),
        (1, Candidate(0, 1, ("He",), "Case"), 0, NAN),  # an edit that changes nothing makes no change right
        (1, Candidate(2, 3, ("Here",), "Case"), 0, NAN),
    ]
    said = proposals(rows, [sentence.text for sentence in text.sentences])
    assert right_changes(said, text).tolist() == [True, True, False, True, False, False]
    assert count_annotated_edits(text) == (1 + 1 + 3) / 2


def test_edits_are_counted_by_those_who_looked() -> None:
    """Two annotators of a part each, as two files of labels have them: nobody left out the other's part."""
    edits = [Edit(0, 1, ("he",)), Edit(1, 2, ("sits",))]
    parts = corpus(("He sit", {"A": edits}), ("He sit", {"B": edits[:1]}), ("He sit", {}))
    assert count_annotated_edits(parts) == 3


def test_f_half() -> None:
    right = np.array([True, False, True, True])
    scores = np.array([4.0, 3.0, 2.0, 1.0])
    # Three are made, two are right: P = 2/3, R = 2/5.
    assert f_half([0, 1, 2, 3], scores, right, 5.0, 1.5) == pytest.approx(1.25 * 2 / 3 * 2 / 5 / (0.25 * 2 / 3 + 2 / 5))
    assert f_half([0, 1], scores, right, 5.0, 4.0) == 0.0


def test_tuning_finds_the_best_of_all_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(correctors, "LEAST", 1)
    chance = np.random.default_rng(5)
    edit = Edit(0, 1, ("b",))
    text = corpus(*(("a c", {"A": [edit] if right else []}) for right in chance.random(60) < 0.4))
    kinds = ("Nn", "Wform", "Vform")
    rows: list[Row] = []
    for number, kind in enumerate(chance.integers(0, 3, 60).tolist()):
        sure = bool(text.sentences[number].annotations["A"])
        model, classifier = chance.normal(2.5 * sure, 2.0), chance.normal(2.0 * sure, 1.5)
        rows.append((number, ONE._replace(type=kinds[kind]), float(model), float(classifier)))
    said = proposals(rows, ["a c"] * 60)
    right, wanted = right_changes(said, text), count_annotated_edits(text)

    def counted(group: str, weight: float, threshold: float) -> tuple[int, int]:
        made = [
            at
            for at, (_, one, model, classifier) in enumerate(rows)
            if one.group == group and model + weight * classifier > threshold
        ]
        return len(made), int(right[made].sum())

    # All settings of three groups: what each makes and gets right are points, of which a handful differ.
    points = [
        {(0, 0), *(counted(f"R:{kind}", *each) for each in product(correctors.WEIGHTS, correctors.THRESHOLDS))}
        for kind in kinds
    ]
    best = max(
        1.25 * sum(hit for _, hit in each) / (sum(made for made, _ in each) + 0.25 * wanted)
        for each in product(*points)
    )
    found = tune_settings(said, text, classifiers=True)
    each = [counted(name, one.weight, one.threshold) for name, one in found.items()]
    assert 1.25 * sum(hit for _, hit in each) / (sum(n for n, _ in each) + 0.25 * wanted) == pytest.approx(best)
    scores = WeightedScorer(found).scores(said)
    assert len(choose_candidates(said, scores)) == sum(n for n, _ in each)
    assert {setting.weight for setting in tune_settings(said, text, classifiers=False).values()} <= {0.0}
    monkeypatch.setattr(correctors, "LEAST", 61)
    assert tune_settings(said, text, classifiers=True) == {}


def _log_odds(one: Ranker, said: Proposals) -> list[float]:
    """The same with a dictionary of marks and a loop, for words that are all known and all nouns."""
    weights = one.fitted.weights.tolist()
    n = len(GROUPS) * len(NUMBERS)
    of_marks = dict(zip(one.marks.tolist(), weights[n + len(SHARED) :], strict=True))
    odds: list[float] = []
    for number, candidate in zip(said.sentence.tolist(), said.candidates, strict=True):
        at = len(odds)
        tokens, model = said.sentences[number], float(said.model[at])
        spoken = not np.isnan(said.classifiers[at])
        m = float(said.classifiers[at]) if spoken else 0.0
        rivals = {
            grouped: max(
                (
                    float(said.model[k])
                    for k, other in enumerate(said.candidates)
                    if k != at
                    and (said.sentence[k], other.start) == (number, candidate.start)
                    and (not grouped or other.group == candidate.group)
                ),
                default=-np.inf,
            )
            for grouped in (True, False)
        }
        new = candidate.replacement[0]
        old = tokens[candidate.start]
        frequency = log((1 + one.counts[new]) / (1 + one.counts[old]))
        numbers = [1, model / 5, max(model, 0) / 5, min(max(model, -2), 4) / 3, spoken, m / 3, max(m, 0) / 3]
        numbers += [spoken * min(max(model / 2 + m, -3), 8) / 4, spoken and model > 0 and m > 0]
        numbers += [spoken * min(model / 2, m) / 2, min(max(model - rivals[True], -10), 10) / 5, frequency / 5, 0, 0, 0]
        shared = [model / 5, m / 3, 0, candidate.start == 0, max(rivals[False] - model, 0) / 5]
        group = GROUPS.index(candidate.group)
        first = group * len(NUMBERS)
        total = one.fitted.constant + sum(w * x for w, x in zip(weights[first:], numbers, strict=False))
        total += sum(w * x for w, x in zip(weights[n:], shared, strict=False))
        before = tokens[candidate.start - 1] if candidate.start else "#"
        after = tokens[candidate.end] if candidate.end < len(tokens) else "#"
        tags = ["NN" if each != "#" else "#" for each in (before, after)]
        parts = {"old": old, "new": new, "before": before, "after": after, "tag-1": tags[0], "tag+1": tags[1]}
        parts |= {"tag": "NN", "ends": f"{old[-2:]}>{new[-2:]}", "end": new[-2:]}
        for template, names in enumerate(MARKS):
            h = step_one(first_state(template), code(candidate.group))
            for name in names:
                h = step_one(h, code(parts[name]))
            total += of_marks.get(h, 0.0)
        odds.append(total)
    return odds


def some_labels(n: int = 60) -> tuple[Proposals, Corpus]:
    """Sentences with three candidates, of which annotators made some."""
    chance = np.random.default_rng(3)
    words = ["ab", "bc", "cd", "de"]
    rows: list[Row] = []
    sentences = []
    for number in range(n):
        text = " ".join(chance.choice(words, 4))
        right = Edit(1, 2, ("xy",))
        sentences.append((text, {"A": [right] if chance.random() < 0.5 else [], "B": []}))
        made = bool(sentences[-1][1]["A"])
        for at, kind, new in ((0, "Nn", "xz"), (1, "Nn", "xy"), (1, "Wform", "yy")):
            says = chance.normal(1.5 * (made and at == 1), 1.0, 2)
            rows.append((number, Candidate(at, at + 1, (new,), kind), float(says[0]), float(says[1])))
    rows[4] = (*rows[4][:3], NAN)
    return proposals(rows, [text for text, _ in sentences]), corpus(*sentences)


COUNTS = {"ab": 50, "bc": 70, "cd": 90, "de": 30, "xy": 40, "xz": 25, "yy": 1000}


def test_log_odds_are_those_of_a_plain_sum() -> None:
    said, text = some_labels()
    one, about = fit_ranker(said, text, COUNTS)
    one.check()
    assert about["examples"] == are_plausible(said).sum() == 180
    assert about["right"] == sum(len(sentence.annotations["A"]) for sentence in text.sentences)
    assert len(one.marks) > 20
    odds = one.log_odds(find_features(said, COUNTS))
    np.testing.assert_allclose(odds, _log_odds(one, said), rtol=0, atol=1e-9)
    np.testing.assert_allclose(one.scores(said), odds - one.threshold, rtol=0, atol=1e-12)
    assert 0.5 < about["precision"] <= 1
    assert about["f0.5"] == pytest.approx(
        1.25 * about["precision"] * about["recall"] / (0.25 * about["precision"] + about["recall"])
    )
    again, _ = fit_ranker(said, text, COUNTS)
    assert np.array_equal(again.fitted.weights, one.fitted.weights)
    assert np.array_equal(again.fitted.weights, again.fitted.weights.round(ranking.DIGITS))


def test_a_fold_is_ranked_without_its_own_labels(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ranking, "FOLDS", 3)  # each is fitted anew for the labels of each
    said, text = some_labels()
    features, right = find_features(said, COUNTS), right_changes(said, text)
    folds = said.sentence * ranking.FOLDS // len(text.sentences)
    odds = ranking.cross_validate(features, right, folds)
    for fold in range(ranking.FOLDS):
        own = folds == fold
        other = ranking.cross_validate(features, np.where(own, ~right, right), folds)
        assert np.array_equal(other[own], odds[own])
        assert not np.array_equal(other[~own], odds[~own])


def test_folds_that_leave_nothing_to_tell_apart() -> None:
    said, _ = some_labels()
    features = find_features(said, COUNTS)
    folds = np.arange(len(said.candidates)) % 3 // 2
    odds = ranking.cross_validate(features, folds == 1, folds)  # without one fold, all or none are right
    assert odds.tolist() == [NEVER] * len(folds)


def test_labels_without_a_right_candidate() -> None:
    said, text = some_labels()
    nobody = Corpus([Sentence(sentence.text, {"A": ()}) for sentence in text.sentences], ("A",))
    with pytest.raises(UsageError, match="0 of 180 candidates are right"):
        fit_ranker(said, nobody, COUNTS)
    with pytest.raises(UsageError, match="0 of 0"):
        fit_ranker(proposals([]), nobody, COUNTS)


def test_implausible_candidates_are_never_made() -> None:
    said, text = some_labels()
    one, _ = fit_ranker(said, text, COUNTS)
    said.model[:] = -4.0
    said.classifiers[:] = -0.5
    assert one.scores(said).tolist() == [NEVER] * 180
    assert one.scores(proposals([])).tolist() == []


def test_a_damaged_ranker_is_refused() -> None:
    marks, n = np.array([3, 5], np.uint32), len(GROUPS) * len(NUMBERS) + len(SHARED)
    weights = np.zeros(n + 2)
    Ranker(marks, Logistic(0.0, weights), 0.0, {}).check()
    for bad in (
        Ranker(marks, Logistic(0.0, weights[1:]), 0.0, {}),
        Ranker(marks[::-1], Logistic(0.0, weights), 0.0, {}),
        Ranker(marks, Logistic(NAN, weights), 0.0, {}),
        Ranker(marks, Logistic(0.0, weights + np.inf), 0.0, {}),
        Ranker(marks, Logistic(0.0, weights), NAN, {}),
    ):
        with pytest.raises(ValueError, match=r"marks|columns|weight"):
            bad.check()
    for name, setting in (("R:None", Setting(0, 0)), ("R:Nn", Setting(-1, 0)), ("R:Nn", Setting(0, NAN))):
        with pytest.raises(ValueError, match="no setting"):
            check_settings({name: setting})
