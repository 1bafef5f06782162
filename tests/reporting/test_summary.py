"""The summary is true: each sentence is derived by hand from the numbers of the study."""

from __future__ import annotations

from dataclasses import replace

import pytest

from errorbar.api import CeilingResult, CorpusStudy, Study
from errorbar.core import Estimate, Interval, Undefined
from errorbar.metrics import CONDITIONS, MEASURES, CeilingIntervals, prf
from errorbar.reporting.sections.summary import summary
from tests.helpers.expectations import require
from tests.helpers.pairs import with_swaps
from tests.reporting.studies import (
    ceiling,
    comparison,
    crowd_study,
    estimate,
    hoo_study,
    sample_study,
    score,
    study,
    systems,
    whole,
    with_rows,
)


def summarize(corpus_study: CorpusStudy) -> str:
    return " ".join(summary([corpus_study]))


def test_two_that_do_not_differ_significantly_and_the_share_of_a_human() -> None:
    # 0.365 / 0.5 = 0.73; p of the pair is 1.
    corpus_study = systems({"CAMB": 0.365, "CUUI": 0.36}, humans=ceiling(0.5, {"CAMB": 0.365, "CUUI": 0.36}))
    assert summary([corpus_study]) == [
        "CAMB has the higher F0.5 of the two systems, 36.50 (95% interval 34.50–38.50), against 2 annotators on "
        "100 sentences.",
        "CAMB is not significantly better than CUUI at the 5% level.",
        "With 9 references, since a human is scored against the other 9 annotators, CAMB reaches 73% of what these 10 "
        "annotators score (F0.5 36.50 against 50.00).",
    ]


def test_a_difference_that_the_test_shows() -> None:
    assert "A is significantly better than B at the 5% level." in summarize(
        systems({"B": 0.2, "A": 0.4}, {("A", "B"): 0.01})
    )


@pytest.mark.parametrize(("p", "different"), [(0.05, True), (0.0501, False)])
def test_the_level_itself_is_significant(p: float, different: bool) -> None:
    text = summarize(systems({"A": 0.4, "B": 0.2}, {("A", "B"): p}))
    assert ("A is significantly better" in text) is different
    assert ("A is not significantly better" in text) is not different


def test_letters_that_are_not_transitive() -> None:
    # A–B and B–C are alike, A–C differ: groups a, ab, b. Of A only its own pairs may be told.
    corpus_study = systems({"A": 0.4, "B": 0.38, "C": 0.36}, {("A", "C"): 0.01})
    assert list(corpus_study.groups) == ["a", "ab", "b"]
    assert summary([corpus_study])[1] == (
        "A is not significantly better than B at the 5% level, adjusted for all pairs; it is significantly better "
        "than C."
    )


def test_a_lower_system_may_differ_where_a_higher_one_does_not() -> None:
    # Alike are B and D, not C between them: no chain, no cut by rank.
    corpus_study = systems({"A": 0.4, "B": 0.39, "C": 0.38, "D": 0.37}, {("A", "C"): 0.01})
    assert "is not significantly better than B and D at the 5% level" in summarize(corpus_study)
    assert "it is significantly better than C." in summarize(corpus_study)


def test_the_best_is_better_than_all_others() -> None:
    text = summarize(systems({"A": 0.4, "B": 0.2, "C": 0.1}, {("A", "B"): 0.01, ("A", "C"): 0.01}))
    assert "A is significantly better than each of the other 2 at the 5% level, adjusted for all pairs." in text


def test_the_best_differs_from_none() -> None:
    assert summarize(systems({"A": 0.4, "B": 0.2, "C": 0.1})).endswith(
        "A is not significantly better than any of the other 2 at the 5% level, adjusted for all pairs."
    )


class TestUndecided:
    """No sentence draws anything from a pair whose p-value could not have been small: here not below 105 / 2001."""

    FLOOR = 105 / 2001
    WHY = "with these sentences and swaps no difference, however large, could be significant"

    def test_two_systems(self) -> None:
        corpus_study = systems({"A": 0.67, "B": 0.0}, {("A", "B"): self.FLOOR}, floor=self.FLOOR)
        assert summary([corpus_study])[1] == f"Whether A is better than B is undecided: {self.WHY} at the 5% level."

    def test_every_pair(self) -> None:
        corpus_study = systems({"A": 0.67, "B": 0.3, "C": 0.0}, floor=self.FLOOR)
        assert summary([corpus_study])[1] == (
            f"Whether A is better than any of the other 2 is undecided: {self.WHY} at the 5% level, adjusted for all "
            "pairs."
        )

    def test_some_pairs(self) -> None:
        corpus_study = systems({"A": 0.67, "B": 0.3, "C": 0.2, "D": 0.0}, {("A", "C"): 0.01, ("A", "D"): 0.01})
        assert corpus_study.comparison is not None
        pairs = [with_swaps(p, smallest_p=self.FLOOR) if p.second == "B" else p for p in corpus_study.comparison.pairs]
        compared = replace(corpus_study.comparison.found, pairs=tuple(pairs))
        assert summary([replace(corpus_study, comparison=whole(compared))])[1] == (
            "A is significantly better than 2 of the other 3 at the 5% level, adjusted for all pairs; against B it is "
            f"undecided: {self.WHY}."
        )
        three = replace(compared, pairs=tuple(with_swaps(p, p=0.3) if p.second == "C" else p for p in pairs))
        assert summary([replace(corpus_study, comparison=whole(three))])[1] == (
            "A is not significantly better than C at the 5% level, adjusted for all pairs; it is significantly better "
            f"than D; against B it is undecided: {self.WHY}."
        )

    @pytest.mark.parametrize("n", [2, 3, 15])
    def test_the_words_of_a_finding_are_not_said(self, n: int) -> None:
        text = summarize(systems({f"s{k}": 0.6 - k / 100 for k in range(n)}, floor=self.FLOOR))
        assert "not significantly" not in text
        assert "told apart" not in text
        assert "undecided" in text


def test_systems_that_never_differ_have_no_p_value_and_are_alike() -> None:
    text = summarize(systems({"A": 0.4, "B": 0.4}, {("A", "B"): None}))
    assert "A and B have the same F0.5, 40.00" in text
    assert text.endswith("A and B score alike in every sentence.")


def test_200_systems_are_counted_rather_than_listed() -> None:
    # s0 0.4, s1 0.399, ...: all alike to s0 but for the last one.
    values = {f"s{k}": 0.4 - k / 1000 for k in range(200)}
    text = summarize(systems(values, {("s0", "s199"): 0.001}))
    assert "s0 has the highest F0.5 of 200 systems" in text
    assert (
        "is not significantly better than s1, s2, s3, s4 and 194 more at the 5% level" in text
    )  # 198 alike, 4 are named
    assert text.endswith("it is significantly better than s199.")


def test_one_system_is_not_compared() -> None:
    text = summarize(study([score("mine", 0.3)]))
    assert text == "mine scores F0.5 30.00 (95% interval 28.00–32.00) against 2 annotators on 100 sentences."


def test_one_annotator_has_no_ceiling_and_no_interval_is_no_claim() -> None:
    corpus_study = study([score("mine", 0.3, half=None), score("other", 0.2, half=None)], annotators=["A"])
    assert summary([corpus_study]) == [
        "mine has the higher F0.5 of the two systems, 30.00, against 1 annotator on 100 sentences.",
        "No test was run, so which differences are real is not known.",
        "With one annotator nothing says what a human would score.",
    ]


def test_all_zero_has_no_best_system() -> None:
    corpus_study = study([score("a", 0.0), score("b", 0.0)], comparison({"a": 0.0, "b": 0.0}, {("a", "b"): None}))
    first = summary([corpus_study])[0]
    assert first == "F0.5 of 2 systems is 0.00 against 2 annotators on 100 sentences."
    assert "highest" not in summarize(corpus_study)


def test_undefined_values_are_named() -> None:
    none = score("a", None, undefined=Undefined.NO_UNITS)
    assert summarize(study([none])).startswith(
        "a has no F0.5 against 2 annotators on 100 sentences: no unit was scored."
    )
    assert "None of 2 systems has a value of F0.5" in summarize(study([none, score("b", None)]))
    mixed = summarize(study([score("a", 0.0), none]))
    assert mixed.startswith("F0.5 of 1 system is 0.00 against 2 annotators on 100 sentences; 1 other without a value.")


def test_a_value_by_convention_is_said_to_be_one() -> None:
    full = score("copy", 1.0, half=None, undefined=Undefined.NO_EDITS)
    assert "That value is set by convention: no edit was proposed and none is in the reference." in summarize(
        study([full])
    )


def test_no_system_at_all() -> None:
    assert summary([study([], humans=ceiling(0.5, {}))]) == [
        "No system was scored; 2 annotators on 100 sentences are described.",
        "A human scores F0.5 50.00 against 9 references.",
    ]


def test_a_human_score_of_zero_has_no_share() -> None:
    text = summarize(study([score("a", 0.1)], humans=ceiling(0.0, {"a": 0.1})))
    assert "a human scores F0.5 0.00, so there is no share" in text


def test_another_system_may_reach_a_higher_share() -> None:
    # The leaderboard scores against all annotators, the ceiling against fewer: orders may differ.
    # 0.4 / 0.5 and 0.45 / 0.5.
    corpus_study = systems({"a": 0.5, "b": 0.49}, humans=ceiling(0.5, {"a": 0.4, "b": 0.45}))
    assert "a reaches 80% of what these 10 annotators score" in summarize(corpus_study)
    assert "b comes closest to a human, at 90%" in summarize(corpus_study)


def test_two_annotators_cannot_tell_what_a_human_scores() -> None:
    """T5 on CoNLL-2014: 125 % (119-130) of two annotators, 112 % of ten; the interval knows texts alone."""
    humans = ceiling(0.4, {"T5": 0.5}, size=1)
    row = (Interval(0.4, 0.6, 0.95, "jackknife, t"),)
    over = CeilingIntervals(row, (row,), ((Interval(1.19, 1.30, 0.95, "jackknife, t"),),))
    corpus_study = study([score("T5", 0.6)])
    text = summarize(replace(corpus_study, ceiling=CeilingResult(humans, over, None, None, "m2")))
    assert text.endswith(
        "Two annotators cannot tell what a human scores: T5 reaches 125% (95% interval 119–130%) of what each scores "
        "against the other (F0.5 50.00 against 40.00)."
    )


def test_an_interval_that_leaves_everything_open_cannot_tell() -> None:
    humans = ceiling(0.5, {"a": 0.42}, size=2)
    row = (Interval(0.4, 0.6, 0.95, "jackknife, t"),)
    over, judged = (
        CeilingIntervals(row, (row,), ((Interval(low, high, 0.95, "jackknife, t"),),))
        for low, high in ((0.79, 0.89), (0.47, 1.49))
    )
    corpus_study = study([score("a", 0.6)])
    text = summarize(replace(corpus_study, ceiling=CeilingResult(humans, over, None, None, "m2", judged=judged)))
    assert (
        "3 annotators cannot tell what a human scores: a reaches 84% (95% intervals 79–89% over texts, 47–149%" in text
    )


def test_a_system_above_humans_is_told_plainly() -> None:
    assert "reaches 120% of what" in summarize(study([score("a", 0.6)], humans=ceiling(0.5, {"a": 0.6})))


def test_precision_by_convention_is_not_the_highest() -> None:
    from errorbar.reporting.sections.leaderboard import precision_recall

    copy = score("copy", 0.0, precision=estimate(1.0, None, Undefined.NOTHING_PROPOSED), recall=estimate(0.0))
    section = require(precision_recall(study([score("mine", 0.3), copy])))
    text = section.blocks[0].description  # type: ignore[union-attr]  # the first block is a chart
    assert "mine has the highest precision" in text
    assert "a convention places copy" in text


def percent_text(fraction: Estimate) -> str:
    """A fraction in percent with its interval."""
    assert fraction.value is not None
    assert fraction.interval is not None
    ends = fraction.interval
    return f"{100 * fraction.value:.2f} (95% interval {100 * ends.low:.2f}–{100 * ends.high:.2f})"


class TestCrowd:
    def test_agreement_and_the_highest(self) -> None:
        crowd = crowd_study()
        alpha = require(crowd.agreement).report.coefficients["krippendorff"]
        assert alpha.interval is not None
        weighted = {row.system: row.score.f for row in crowd.scores.rows if row.score.estimand == "weighted"}
        assert max(weighted, key=lambda name: weighted[name].value or 0) == "a"
        assert summary([crowd]) == [
            f"5 raters gave 300 judgments of 60 items, with Krippendorff's alpha {alpha.value:.2f} (95% interval "
            f"{alpha.interval.low:.2f}–{alpha.interval.high:.2f}).",
            f"The crowd-weighted F1 of a, {percent_text(weighted['a'])}, is the higher of the two; no test was run.",
        ]
        # In whatever order they are given.
        assert summary([with_rows(crowd, crowd.scores.rows[::-1])]) == summary([crowd])

    def test_one_system_and_none(self) -> None:
        crowd = crowd_study()
        second = [row for row in crowd.scores.rows if row.system == "b"]
        value = percent_text(next(row.score.f for row in second if row.score.estimand == "weighted"))
        assert summary([with_rows(crowd, second)])[1:] == [f"The crowd-weighted F1 of b is {value}."]
        assert len(summary([with_rows(crowd, ())])) == 1

    def test_alpha_without_a_value_and_without_agreement(self) -> None:
        crowd = with_rows(crowd_study(), ())
        assert crowd.agreement is not None
        assert summary([replace(crowd, agreement=None)]) == ["5 raters gave 300 judgments of 60 items."]
        for alpha, ending in (
            (
                estimate(None, undefined=Undefined.NO_UNITS),
                f"; Krippendorff's alpha is undefined ({Undefined.NO_UNITS}).",
            ),
            (estimate(None), "."),
            (estimate(0.5), ", with Krippendorff's alpha 0.50."),
        ):
            known = crowd.agreement.report
            report = replace(known, coefficients={**known.coefficients, "krippendorff": alpha})
            changed = replace(crowd, agreement=replace(crowd.agreement, report=report))
            assert summary([changed]) == [f"5 raters gave 300 judgments of 60 items{ending}"]


class TestSample:
    def test_both_systems_and_their_difference(self) -> None:
        sample = sample_study()
        first, second, apart = summary([sample])
        for text, system in ((first, sample.systems[0]), (second, sample.systems[1])):
            assert text == (
                f"From 160 judged of 1,000 items, precision of {system.system} is estimated at "
                f"{percent_text(system['P'].estimate)} and recall at {percent_text(system['R'].estimate)}."
            )
        (f,) = (difference.estimate for difference in sample.differences if difference.name == "F")
        assert f.value is not None
        assert f.interval is not None
        ends = f"{100 * f.interval.low:+.2f} to {100 * f.interval.high:+.2f}"
        assert (
            apart == f"Their difference in F is {100 * f.value:+.2f} points; its 95% interval, {ends}, does not hold 0."
        )

    @pytest.mark.parametrize(
        ("low", "high", "real"),
        [
            (0.01, 0.2, "does not hold 0"),
            (-0.2, -0.01, "does not hold 0"),
            (-0.1, 0.1, "holds 0"),
            (0.0, 0.1, "holds 0"),
        ],
    )
    def test_whether_the_interval_holds_0(self, low: float, high: float, real: str) -> None:
        sample = sample_study()
        changed = Estimate((low + high) / 2, 160).with_interval(Interval(low, high, 0.9, "logit"))
        text = summary(
            [replace(sample, differences=[replace(difference, estimate=changed) for difference in sample.differences])]
        )[-1]
        assert text.endswith(f"its 90% interval, {100 * low:+.2f} to {100 * high:+.2f}, {real}.")

    def test_one_system_has_no_difference(self) -> None:
        sample = sample_study()
        assert len(summary([replace(sample, systems=sample.systems[:1], differences=[])])) == 1


class TestRuns:
    def test_the_best_by_correction_without_bonus(self) -> None:
        runs = hoo_study()
        (best,) = (score for score in runs.scores if score.system == "AA1")
        detection, correction = (prf(best, CONDITIONS[0], MEASURES[k]).f for k in (0, -1))
        assert detection.value == 1
        assert correction.value == 0.75
        first, second = summary([runs])
        assert first == (
            "AA1 has the highest F of correction of 3 runs without bonus, "
            f"{percent_text(correction)}; for detection it is 100.00."
        )
        assert second == "No test was run, so which differences are real is not known."

    def test_one_run_none_and_none_that_corrects(self) -> None:
        runs = hoo_study()
        (worst,) = (score for score in runs.scores if score.system == "AA0")
        assert summary([replace(runs, scores=[worst])])[0].startswith(
            "AA0 has F of correction 0.00; for detection it is 40.00"
        )
        assert summary([replace(runs, scores=[])]) == ["No run was scored."]
        assert summary([replace(runs, scores=[worst, replace(worst, system="AA2")])]) == [
            "None of 2 runs corrects anything as the gold edits do: F of correction is 0 or undefined."
        ]


def test_several_studies_one_after_the_other() -> None:
    both: list[Study] = [study([score("mine", 0.3)]), sample_study()]
    assert summary(both) == [*summary(both[:1]), *summary(both[1:])]
