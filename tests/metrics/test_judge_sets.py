"""Scores over texts and judges for any metric of the seam: the same as folding by hand, and named limits."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from math import isnan
from pathlib import Path

import numpy as np
import pytest

from errorbar import M2, Corpus, Edit, Hypothesis, Problems, Resampling, Score, parse_metric
from errorbar.api import plan_judges
from errorbar.core import InputError, Undefined, UsageError
from errorbar.metrics import Documents, JudgePlan, JudgeVariances, Metric, ScoringPlan, judging_of, score_corpus
from errorbar.metrics.edit_metric import EditStatistics
from errorbar.metrics.gleu import Gleu
from errorbar.metrics.judge_sets import GROUPS, MOST_TEXTS, make_panel
from errorbar.metrics.tokens import Tokens
from errorbar.stats import Components, TwoWay, VariancePrior
from errorbar.stats.two_way import moderate
from tests.ceilings.examples import random_corpus
from tests.helpers import plain_judges as by_hand
from tests.helpers.build import corpus, edit, sentence
from tests.thirdparty.character_rate import CharacterRate

HOW = Resampling(replicates=20)
DEFAULT = M2()


def clusters_of(data: Corpus) -> np.ndarray:
    documents = Documents()
    documents.add(data.sentences)
    return documents.clusters()


def without(data: Corpus, judge: int, document: int) -> Corpus:
    """A corpus that lacks a judge and a document, by number; -1: nobody, nothing."""
    codes = clusters_of(data)
    names = [name for k, name in enumerate(data.annotators) if k != judge]
    kept = [
        replace(one, annotations={name: edits for name, edits in one.annotations.items() if name in names})
        for one, code in zip(data.sentences, codes, strict=True)
        if code != document
    ]
    return Corpus(kept, tuple(names))


def rescored(metric: Metric, data: Corpus, lines: list[str], judge: int = -1, document: int = -1) -> float:
    own = [line for line, code in zip(lines, clusters_of(data), strict=True) if code != document]
    smaller = without(data, judge, document)
    return float(metric.resampled.fold(metric.measure(smaller, own)).values[0, metric.main])


@pytest.mark.parametrize(
    "metric",
    [
        M2(),
        Gleu(),
        Tokens(),
        pytest.param(CharacterRate(), marks=pytest.mark.slow),  # aligns everything anew
        parse_metric("m2(choose=sentence)"),
    ],
    ids=str,
)
def test_against_everybody_it_is_the_score_of_smaller_corpora(metric: Metric) -> None:
    """For every metric: everything measured anew without each judge and each document."""
    data, systems = random_corpus()
    lines = [str(line) for line in systems[0].lines]
    n, m = len(np.unique(clusters_of(data))), len(data.annotators)
    judging = judging_of(metric, metric.measure(data, lines), m, clusters_of(data), None)
    means = judging.values(metric, metric.measure(data, lines)).means(metric.main)
    assert means.shape == (1 + n, 1 + m)
    for e in (-1, 0, n - 1):
        for i in (-1, 0):
            assert means[1 + e, 1 + i] == pytest.approx(rescored(metric, data, lines, i, e)), (e, i)


def test_sets_of_two_judges() -> None:
    panel = make_panel([0, 1, 2], 4, 2)
    assert panel.masks.tolist() == [[1, 1, 0, 0], [1, 0, 1, 0], [0, 1, 1, 0]]
    assert panel.weights.tolist() == [[1 / 3] * 3, [0, 0, 1], [0, 1, 0], [1, 0, 0]]
    with pytest.raises(UsageError, match="sets of 4 judges need at least 4, got 3"):
        make_panel([0, 1, 2], 3, 4)


def test_too_many_sets_are_drawn() -> None:
    panel = make_panel(range(16), 16, 8, most=50)
    assert (panel.n_sets, panel.exact, len(panel.masks)) == (50, False, 50)
    assert panel.weights.sum(axis=1) == pytest.approx(np.ones(17))


def scored(
    data: Corpus, lines: list[str], judges: str | None = None, metric: Metric = DEFAULT
) -> tuple[Score, list[str]]:
    problems = Problems(lenient=True)
    plan = ScoringPlan([metric], resampling=HOW, judges=asked(judges))
    (score,) = score_corpus(data, [Hypothesis("it", lines)], plan, problems)
    return score, [note.code for note in problems.notes]


def asked(judges: str | None) -> JudgePlan:
    return plan_judges({"judges": judges, "tokens": "spaces"})


X, Y = edit(0, 1, "X"), edit(1, 2, "Y")
LINES = ["X b c", "a Y c", "X b c", "a b c", "a b C", "X Y c"]


def judged(*judges: Mapping[int, tuple[Edit, ...]]) -> Corpus:
    """Six sentences; of each judge the edits by sentence."""
    return corpus(*(sentence("a b c", {str(k): own[u] for k, own in enumerate(judges) if u in own}) for u in range(6)))


ALL = {u: (X,) if u % 2 == 0 else (Y,) for u in range(6)}
FEW = {u: (X,) if u < 3 else () for u in range(6)}
SOME = dict.fromkeys(range(6), (Y,))


def test_three_judges_have_both_intervals() -> None:
    score, codes = scored(judged(ALL, FEW, SOME), LINES)
    assert codes == ["few-judges"]
    assert score.judges is not None
    main = score.judges.measures["f"]
    assert main.estimate.value == pytest.approx(score.estimate.value)
    assert isinstance(main.components, TwoWay)
    assert str(score.signature).split("|")[-2] == "judges:random,k:3,population:bn2015"


def test_one_judge_leans_on_the_population_alone() -> None:
    score, codes = scored(judged(ALL), LINES)
    assert codes == ["one-judge"]
    assert score.judges is not None
    found = score.judges.measures["f"].components
    assert found is not None
    assert found.judges_df == 3
    assert found.judges == pytest.approx(1e-4 * (2 + 104 * (score.f.value or 0) ** 2))
    assert "|judges:random,k:1,population:bn2015|" in str(score.signature)
    assert scored(judged(ALL), LINES, "fixed")[1] == []


@pytest.mark.parametrize("judges", [None, "random", "random(population=none)"])
def test_one_judge_of_whom_no_population_is_known_is_fixed_and_said(judges: str | None) -> None:
    metric = DEFAULT if judges and "none" in judges else M2(beta=0.7)
    score, codes = scored(judged(ALL), LINES, judges, metric)
    assert (codes, score.judges) == (["judges-fixed"], None)
    assert "judges:" not in str(score.signature)


def test_one_annotator_of_several_is_fixed_and_said() -> None:
    score, codes = scored(judged(ALL, FEW, SOME), LINES, metric=parse_metric("m2(choose=1)"))
    assert (codes, score.judges) == (["judges-fixed"], None)


def test_two_judges_lean_on_a_population_that_is_named(tmp_path: Path) -> None:
    score, codes = scored(judged(ALL, FEW), LINES)
    assert codes == ["two-judges"]
    assert score.judges is not None
    assert score.judges.measures["f"].components is not None
    assert score.judges.measures["f"].components.moderated
    assert "|judges:random,k:2,population:bn2015|" in str(score.signature)
    path = tmp_path / "ours.json"
    path.write_text(json.dumps(population(floor=9, df=7)), encoding="utf-8")
    own, _ = scored(judged(ALL, FEW), LINES, f"random(population={path})")
    assert re.search(r"\|judges:random,k:2,population:ours:[0-9a-f]{12}\|", str(own.signature))
    assert own.judges is not None
    assert own.judges.measures["precision"].estimate.no_interval is Undefined.NO_PRIOR
    found = own.judges.measures["f"].components
    assert found is not None
    assert found.judges_df == 8
    plain, _ = scored(judged(ALL, FEW), LINES, "random(population=none)")
    assert plain.judges is not None
    found = plain.judges.measures["f"].components
    assert found is not None
    assert found.judges_df == 1


def population(**table: object) -> dict[str, object]:
    """A population of judges, as a file has it."""
    table = {"metric": "m2", "measure": "f", "constants": {"2": 10.0}, **table}
    head = {"format": "errorbar-judge-population", "version": 1, "name": "ours", "described": "our judges"}
    return head | {"tables": [table]}


@pytest.mark.parametrize(
    ("record", "what"),
    [
        ([], "no JSON of the format"),
        (population() | {"version": 2}, "version 1"),
        (population() | {"name": "a|b"}, "name must be"),
        (population() | {"described": 1}, "described"),
        (population(metric=1), "must be texts"),
        (population(constants={"0": 1}), "1 to 5 judges"),
        (population(constants={"9" * 5000: 1}), "1 to 5 judges"),
        (population(constants={"2": float("nan")}), "number"),
        (population(constants={"2": True}), "must be a number"),
        (population(floor=-1), "'floor'"),
        (population(df=0), "'df'"),
        (population(exponent=1e300), "'exponent'"),
    ],
)
def test_a_bad_population_is_refused(record: object, what: str, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(InputError, match=what):
        asked(f"random(population={path})")
    with pytest.raises(InputError, match="no such file"):
        asked(f"random(population={tmp_path / 'none.json'})")


def test_what_varies_alike_over_texts_varies_alike_over_judges() -> None:
    """JUDGES.md section 8: CAMB and CUUI against A1 and A2."""
    known = JudgeVariances("m2", "f", {2: 15.0}, floor=1.0, exponent=1.5)
    first, second = (known.of_score(f, 2, 2) for f in (0.38665039, 0.34579164))
    assert (1e4 * first, 1e4 * second) == pytest.approx((3.242478, 2.793578), abs=2e-6)
    apart = known.of_difference(first, second, (0.925470, 1.576466, 1.979136))
    assert 1e4 * apart == pytest.approx(4.246708, abs=2e-5)
    assert known.of_difference(first, second, (1.0, 1.0, 3.0)) == first + second
    assert known.of_score(0.5, 2, 4) == pytest.approx(known.of_score(0.5, 2, 2) / 2)


def test_two_judges_without_a_population_are_fixed_unless_asked_for() -> None:
    score, codes = scored(judged(ALL, FEW), LINES, metric=M2(beta=0.7))
    assert (codes, score.judges) == (["judges-fixed"], None)
    score, codes = scored(judged(ALL, FEW), LINES, "random", M2(beta=0.7))
    assert codes == ["two-judges", "judges-short"]
    assert score.judges is not None
    assert score.judges.sets.rule.population is None


def test_more_than_five_judges_speak_for_themselves() -> None:
    score, codes = scored(judged(ALL, FEW, SOME, ALL, FEW, {0: (X,), 1: (X,)}), LINES)
    assert "few-judges" not in codes
    assert score.judges is not None
    assert score.judges.sets.rule.population is None


def test_judges_who_say_the_same_have_no_interval_but_a_reason() -> None:
    score, _ = scored(judged(ALL, ALL, ALL), LINES, "random(population=none)")
    assert score.judges is not None
    assert score.judges.measures["f"].estimate.no_interval is Undefined.SAME_JUDGES


def test_judges_who_looked_at_parts_are_named() -> None:
    part = dict.fromkeys(range(2), (Y,))
    score, codes = scored(judged(ALL, FEW, part), LINES)
    assert codes == ["judges-parts", "few-judges"]
    assert score.judges is not None
    assert score.judges.measures["f"].components is not None


def test_a_judge_with_a_single_text_is_a_reason() -> None:
    score, codes = scored(judged(ALL, FEW, {0: (X,)}), LINES)
    assert "judges-parts" in codes
    assert score.judges is not None
    assert score.judges.measures["f"].estimate.no_interval is Undefined.ONE_TEXT_OF_A_JUDGE


def test_who_looked_at_nothing_is_no_judge() -> None:
    data = corpus(*judged(ALL, FEW, SOME).sentences, annotators=("0", "1", "2", "3"))
    statistics = M2().measure(data, LINES)
    assert judging_of(M2(), statistics, 4, np.arange(6), None).judges == (0, 1, 2)


def test_one_text_is_a_reason() -> None:
    data = judged(ALL, FEW, SOME)
    for one in data.sentences:
        one.document = "essay"
    score, _ = scored(data, LINES)
    assert score.judges is not None
    assert score.judges.measures["f"].estimate.no_interval is Undefined.ONE_UNIT


def test_many_sentences_are_left_out_in_groups() -> None:
    rng = np.random.default_rng(3)
    order = rng.integers(6, size=MOST_TEXTS + 1)
    small = judged(ALL, FEW, SOME)
    sentences, lines = [small.sentences[u] for u in order], [LINES[u] for u in order]
    statistics = M2().measure(Corpus(sentences, small.annotators), lines)
    many = judging_of(M2(), statistics, 3, np.arange(len(order)), None)
    assert (many.grouped, many.n_left_out, many.n_texts) == (True, GROUPS, MOST_TEXTS + 1)
    found = many.values(M2(), statistics).components(2)
    assert isinstance(found, TwoWay)
    alone = statistics.take(np.arange(500))
    few = judging_of(M2(), alone, 3, np.arange(500), None)
    assert not few.grouped
    other = few.values(M2(), alone).components(2)
    assert isinstance(other, TwoWay)
    assert found.texts * 2001 == pytest.approx(other.texts * 500, rel=0.4)
    score, _ = scored(Corpus(sentences, small.annotators), lines)
    assert f",groups:{GROUPS}|" in str(score.signature)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "some",
        "random(",
        "random(k=0)",
        "random(k=two)",
        "random(k=99999999999999)",
        "random(population=)",
        "random(prior=1)",
        "fixed(k=2)",
    ],
)
def test_what_cannot_be_read_is_refused(text: str) -> None:
    with pytest.raises(UsageError, match="judges must be fixed, random"):
        asked(text)


def test_a_population_that_does_not_fit_is_never_dropped_in_silence(tmp_path: Path) -> None:
    path = tmp_path / "ours.json"
    path.write_text(json.dumps(population(metric="m2(beta=0.5)")), encoding="utf-8")
    named = f"random(population={path})"
    (rule,) = {asked(named).rule(metric, 2) for metric in (DEFAULT,)}
    assert rule.population is not None  # parameters at their defaults are left out
    two, codes = scored(judged(ALL, FEW), LINES, named, M2(beta=0.7))
    assert (codes, two.judges) == (["judges-fixed"], None)
    why = asked(named).rule(M2(beta=0.7), 3).unknown
    assert why == "the population ours has no constants of m2(beta=0.7) against sets of 3"
    with pytest.raises(UsageError, match="has no effect with 6 judges"):
        asked(named).rule(DEFAULT, 6)
    assert asked("random(population=bn2015)") == asked("random")


@pytest.mark.parametrize("record", [population() | {"described": " "}, population(constants={"2": 10**400})])
def test_what_describes_nobody_or_is_no_number_is_refused(record: object, tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    with pytest.raises(InputError, match=r"described|number from"):
        asked(f"random(population={path})")


# Intervals over texts and judges are those of a second derivation by loops, on small cases of every kind.


F = 2
KINDS = ("plain", "judges who agree", "a judge of some texts", "judges of some sentences", "nothing right", "all right")


def small(kind: str, rng: np.random.Generator, n: int, m: int) -> tuple[list[EditStatistics], np.ndarray]:
    """Two systems on a few short texts of unequal length."""
    texts = np.repeat(np.arange(n), rng.integers(1, 5, size=n))
    gold = rng.integers(0, 4, size=(len(texts), m))
    present = np.ones(gold.shape, np.uint8)
    if kind == "judges who agree":
        gold[:] = gold[:, :1]
    elif kind == "a judge of some texts":
        present[:, -1] = texts < max(1, n // 2)
    elif kind == "judges of some sentences":
        present[:] = rng.random(gold.shape) < 0.7
    made = []
    for _ in range(2):
        proposed = np.broadcast_to(rng.integers(0, 4, size=(len(texts), 1)), gold.shape)
        correct = np.minimum(rng.integers(0, 3, size=gold.shape), np.minimum(proposed, gold))
        if kind == "judges who agree":
            correct = np.minimum(correct[:, :1], gold)
        elif kind in ("nothing right", "all right"):
            correct = np.minimum(proposed, gold) if kind == "all right" else np.zeros_like(gold)
        counts = np.stack([correct, proposed, gold], axis=-1).astype(np.int32) * present[..., None]
        made.append(EditStatistics(np.ascontiguousarray(counts), present, tuple(map(str, range(m)))))
    return made, texts


@pytest.mark.parametrize("kind", KINDS)
def test_the_same_to_the_last_digit(kind: str) -> None:
    rng, known = np.random.default_rng(KINDS.index(kind)), Counter[str]()
    for _ in range(25):
        n, m = int(rng.integers(1, 6)), int(rng.integers(1, 6))
        statistics, texts = small(kind, rng, n, m)
        looked = [judge for judge in range(m) if statistics[0].present[:, judge].any()]
        if not looked:
            continue
        k = int(rng.integers(1, len(looked) + 1))
        judging = judging_of(M2(), statistics[0], m, texts.astype(np.int64), k)
        values = [judging.values(M2(), each) for each in statistics]
        tables = [
            by_hand.scores(each.counts.tolist(), each.present.tolist(), texts.tolist(), looked, k)
            for each in statistics
        ]
        for ours, table in ((values[0], tables[0]), (values[0] - values[1], by_hand.minus(*tables))):
            found = ours.components(F)
            if isinstance(found, Undefined):
                known[found.name] += 1
                assert found is not Undefined.ONE_JUDGE or len(looked) == 1
                assert found is not Undefined.ONE_UNIT or n == 1
                continue
            known["interval"] += 1
            compare(found, by_hand.plain(table, looked, k))
            zeta, ours_zeta = by_hand.zetas(table, k), ours.zeta(F)
            assert (zeta is None) == (ours_zeta is None)
            if zeta is not None and ours_zeta is not None:
                assert float(ours_zeta[-1]) == pytest.approx(zeta[-1], rel=1e-9, abs=1e-15)
                if (unbiased := ours.unbiased(F)) is not None:
                    assert unbiased == pytest.approx(by_hand.unbiased(zeta, len(looked)), rel=1e-9, abs=1e-15)
    assert known["interval"] or kind in ("judges who agree", "nothing right"), known
    assert len(known) > 1, known


def compare(found: TwoWay, plain: by_hand.Plain) -> None:
    ours = (found.value, found.texts, found.judges, found.df, found.half_width(0.95), found.p_value)
    theirs = (plain.value, plain.texts, plain.judges, plain.df(), plain.half_width(), plain.p_value())
    assert ours == pytest.approx(theirs, rel=1e-9, abs=1e-15)
    assert isnan(found.both) == isnan(plain.both)
    if not isnan(plain.both):
        made = Components.of(found, plain.n)
        assert (made.judges, made.texts, made.both) == pytest.approx(plain.components(), rel=1e-7, abs=1e-15)
    assert moderate(found, VariancePrior(1.45e-4, 4)).half_width(0.95) == pytest.approx(
        plain.moderated(1.45e-4), rel=1e-9
    )


def test_a_variance_that_comes_out_negative_is_0() -> None:
    """Judges who vary less than judges and texts together can."""
    parts = Components.of(TwoWay(0.5, 2e-4, 1e-5, 2e-5, 10, 3, 2.0), 10)
    assert (parts.judges, parts.texts, parts.both) == pytest.approx((0.0, 10 * 1.8e-4, 30 * 2e-5))
    assert (parts.over_texts(10, 3), parts.over_judges(10, 3)) == pytest.approx((2e-4, 2e-5))
