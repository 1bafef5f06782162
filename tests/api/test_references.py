"""Systems under several golds: one reference for all changes nothing, own ones are those of ``score``; whose order."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errorbar
from errorbar import M2, Corpus, Problems
from errorbar.api.reference_cost import count_word_edits
from errorbar.api.references import ReferencesResult
from errorbar.core import InputError, Undefined, UsageError
from errorbar.edits import corrected_text
from errorbar.metrics.golds import choose_closest
from tests.helpers.build import corpus, edit, sentence

DEMO = Path(errorbar.__file__).parent / "demo"
SYSTEMS = [str(DEMO / f"{name}.txt") for name in ("careful", "greedy", "articles")]
NAMES = ("careful", "greedy", "articles")


@pytest.fixture(scope="module")
def gold() -> Corpus:
    return errorbar.read_corpus(DEMO / "gold.jsonl")


def values(result: ReferencesResult, gold: str, measure: str = "f") -> list[float | None]:
    return [score.estimates[measure].value for score in result.scores if score.gold == gold]


@pytest.mark.parametrize("metric", ["m2", "m2(choose=sentence)", "gleu", "tokens"])
def test_one_reference_for_all_changes_nothing(gold: Corpus, metric: str) -> None:
    own = dict.fromkeys(NAMES, gold)
    result = errorbar.references(gold, SYSTEMS, metric, reference_of=own, resamples=200)
    common, theirs = result.scores[:3], result.scores[3:]
    assert [score.estimates for score in theirs] == [score.estimates for score in common]
    assert [score.rank for score in theirs] == [score.rank for score in common]
    for score in theirs:
        assert {change.value for change in score.changes.values()} == {0.0}
        assert {change.no_interval for change in score.changes.values()} == {Undefined.NO_VARIATION}
    assert result.sentences() == []


def test_scores_are_those_of_score(gold: Corpus) -> None:
    own = {name: gold.only([str(k)]) for k, name in enumerate(NAMES)}
    result = errorbar.references(gold, SYSTEMS, reference_of=own)
    alone = errorbar.score(systems=SYSTEMS, reference_of=own, order="input")
    assert [score.estimates for score in result.scores[3:]] == [dict(score.estimates) for score in alone]
    common = errorbar.score(gold, SYSTEMS, order="input")
    assert [score.estimates for score in result.scores[:3]] == [dict(score.estimates) for score in common]


@pytest.mark.parametrize("times", [1, 7])
def test_two_editors_widen_intervals_as_in_score(gold: Corpus, times: int) -> None:
    """Over texts and editors: the interval of ``score``; of the change with the variance over editors of the score.

    Of 441 sentences both leave out one by one, too.
    """
    sentences = (
        gold.sentences if times == 1 else [replace(one, document="", writer="") for one in gold.sentences] * times
    )
    gold = Corpus(sentences, gold.annotators)
    systems = {
        name: Path(path).read_text("utf-8").splitlines() * times for name, path in zip(NAMES, SYSTEMS, strict=True)
    }
    own = dict.fromkeys(NAMES, gold.only(["0", "2"]))
    result = errorbar.references(gold.only(["1"]), systems, reference_of=own, resamples=50)
    alone = errorbar.score(systems=systems, reference_of=own, order="input", resamples=50)
    for score, beside in zip(result.scores[3:], alone, strict=True):
        assert beside.judges is not None
        both = beside.judges.measures["f"]
        assert score.over_editors is not None
        assert score.over_editors.value == both.estimate.value
        both_ways = score.over_editors, both.estimate
        ours, theirs = (one.interval and (one.interval.low, one.interval.high) for one in both_ways)
        assert ours == (theirs and pytest.approx(theirs, abs=1e-12))
        assert score.over_editors.no_interval == both.estimate.no_interval
        assert score.change_over_editors is not None
        assert score.change_over_editors.value == score.changes["f"].value
    assert all(score.over_editors is None for score in result.scores[:3])


def test_editors_of_one_mind_add_nothing() -> None:
    """REFERENCES.md: two editors that always agree have V_e = 0, so that the jackknife over texts is left.

    Twelve sentences, of which the system corrects k = 4 of 9: F without one by hand; t(11) = 2.2009852.
    """
    both = [edit(0, 1, "x")]
    own = corpus(*[sentence("a b", {"e1": both, "e2": both} if k < 9 else {"e1": [], "e2": []}) for k in range(12)])
    lines = ["x b" if k < 4 else "a b" for k in range(12)]
    result = errorbar.references(own.only(["e1"]), {"s": lines}, reference_of={"s": own})
    estimate = result.scores[1].over_editors
    assert estimate is not None
    assert estimate.interval is not None
    f = [_f(4 - (k < 4), 9 - (k < 9)) for k in range(12)]
    value, mean = _f(4, 9), sum(f) / 12
    half = 2.2009852 * (11 / 12 * sum((one - mean) ** 2 for one in f)) ** 0.5
    step = half / (value * (1 - value))  # on the scale of logits
    odds = value / (1 - value)
    ends = [odds * factor / (1 + odds * factor) for factor in (math.exp(-step), math.exp(step))]
    assert [estimate.interval.low, estimate.interval.high] == pytest.approx(ends, abs=1e-6)


def _f(correct: int, gold: int) -> float:
    """F0.5 of a system that proposes nothing wrong."""
    recall = correct / gold
    return 1.25 * recall / (0.25 + recall)


def test_a_change_is_paired_over_texts() -> None:
    """The same resamples of sentences under both golds: those of numpy, folded by a loop."""
    words = "a b c d"
    common = corpus(*[sentence(words, {"A": [edit(k % 4, k % 4 + 1, "x")]}) for k in range(12)])
    own = corpus(*[sentence(words, {"E": [edit(0, 1, "x")] if k % 3 else []}) for k in range(12)])
    lines = [f"{'x' if k % 2 else 'a'} b c d" for k in range(12)]
    result = errorbar.references(
        common, {"s": lines}, reference_of={"s": own}, ci_method="percentile", resamples=300, seed=4
    )
    metric = M2()
    counts = [metric.measure(each, lines).counts[:, 0] for each in (common, own)]
    drawn = np.random.Generator(_stream(4)).integers(12, size=(300, 12))

    def f(gold: int, rows: Sequence[int]) -> float:
        correct, proposed, reference = counts[gold][list(rows)].sum(axis=0)
        p, r = correct / proposed if proposed else 1.0, correct / reference if reference else 1.0
        return float(1.25 * p * r / (0.25 * p + r)) if p + r else 0.0

    changes = [f(1, rows) - f(0, rows) for rows in drawn.tolist()]
    change = result.scores[1].changes["f"]
    assert change.value == pytest.approx(f(1, range(12)) - f(0, range(12)), abs=1e-12)
    assert change.interval is not None
    assert (change.interval.low, change.interval.high) == pytest.approx(np.quantile(changes, (0.025, 0.975)), abs=1e-12)


def _stream(seed: int) -> np.random.BitGenerator:
    from errorbar.stats import stream

    return stream(seed, "bootstrap", 0).bit_generator


def test_the_closest_reference_scores_a_sentence_best(gold: Corpus) -> None:
    """A loop over sentences and annotators, each scored alone by ``score``; ties by fewest edits, then by order."""
    lines = Path(SYSTEMS[1]).read_text(encoding="utf-8").splitlines()
    metric = M2()
    expected = []
    for one, line in zip(gold.sentences, lines, strict=True):
        keys = []
        for k, name in enumerate(gold.annotators):
            alone = errorbar.score(Corpus([one], gold.annotators), {"s": [line]}, f"m2(choose={name})", ci=False)
            keys.append((-(alone[0].f.value or 0.0), len(one.annotations[name]), k))
        expected.append(min(keys)[2])
    assert choose_closest(metric, gold, metric.measure(gold, lines)).tolist() == expected
    assert len(set(expected)) == 3


def test_ties_go_to_the_fewest_edits_then_to_the_first() -> None:
    one = sentence("a b", {"A": [edit(0, 1, "x"), edit(1, 2, "y")], "B": [edit(0, 1, "x")], "C": [edit(1, 2, "z")]})
    two = sentence("a b", {"A": [edit(0, 1, "x")], "B": [edit(1, 2, "y")]})
    three = sentence("a b", {})
    own = corpus(one, two, three)
    metric = M2()
    assert choose_closest(metric, own, metric.measure(own, ["a b", "a b", "a b"])).tolist() == [1, 0, -1]


def test_the_closest_favors_systems_over_each_reference_alone(gold: Corpus) -> None:
    common = gold.only(["0"])
    for metric in ("m2", "gleu"):
        result = errorbar.references(common, SYSTEMS, metric, closest_of=gold, ci=False)
        name = result.metric.measures[result.metric.main].name
        for k, system in enumerate(SYSTEMS):
            rows = [errorbar.score(gold.only([who]), system, metric, ci=False)[0] for who in gold.annotators]
            closest = result.scores[3 + k].estimates[name].value
            assert closest is not None
            scores = [row[name].value or 0.0 for row in rows]
            assert closest > max(scores)
            assert result.alone[k] == pytest.approx(sum(scores) / len(scores), abs=1e-12)
    assert result.n_closest == 3
    assert all(score.n_references == 1 for score in result.scores[3:])


@pytest.mark.parametrize("metric", ["m2", "gleu"])
def test_an_annotator_who_looked_at_nothing_is_none_of_n(gold: Corpus, metric: str) -> None:
    two = gold.only(["0", "1"])
    three = Corpus(two.sentences, ("0", "nobody", "1"))
    result, expected = (
        errorbar.references(gold, SYSTEMS[:1], metric, closest_of=own, ci=False) for own in (three, two)
    )
    assert result.n_closest == 2
    assert result.alone == expected.alone
    assert result.scores == expected.scores
    (own,) = errorbar.references(gold, SYSTEMS[:1], metric, reference_of={"careful": three}, ci=False).costs
    (score,) = errorbar.score(systems=SYSTEMS[:1], metric=metric, reference_of={"careful": three}, ci=False)
    assert (own.n_editors, score.annotators) == (2, ("0", "1"))


def test_golds_that_are_texts_stand_beside_the_common_gold_as_text(gold: Corpus, tmp_path: Path) -> None:
    problems = Problems(lenient=True)
    texts = {who: [corrected_text(one, who, problems) for one in gold.sentences] for who in gold.annotators}
    for who, lines in texts.items():
        (tmp_path / f"{who}.txt").write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    own = dict.fromkeys(NAMES, tmp_path / "0.txt")
    result = errorbar.references(gold.only(["0"]), SYSTEMS, reference_of=own, resamples=200)
    assert list(result.golds) == ["common", "common-text", "own"]
    assert values(result, "own") == values(result, "common-text") != values(result, "common")
    assert {score.changes["f"].value for score in result.scores[6:]} == {0.0}
    (tmp_path / "source.txt").write_text("".join(f"{one.text}\n" for one in gold.sentences), encoding="utf-8")
    alone = errorbar.score(tmp_path / "0.txt", SYSTEMS, source=tmp_path / "source.txt", ci=False, order="input")
    assert values(result, "own") == [score.f.value for score in alone]
    of_texts = errorbar.references(gold.only(["0"]), SYSTEMS, "gleu", reference_of=own, ci=False)
    assert list(of_texts.golds) == ["common", "own"]  # GLEU sees no edits


WORDS = "a b c d e f g h i j"
ALL = [edit(k, k + 1, "x") for k in range(10)]


def _turned(n: int = 30) -> ReferencesResult:
    """A finds all of the common gold and half of its own, B half of the common gold and all of its own."""
    rng = np.random.default_rng(1)
    half = [sorted(rng.choice(10, rng.integers(4, 7), replace=False).tolist()) for _ in range(n)]
    full = " ".join("x" * 10)
    some = [" ".join("x" if k in own else word for k, word in enumerate(WORDS.split())) for own in half]
    common = corpus(*[sentence(WORDS, {"0": ALL})] * n)
    own = {"A": corpus(*[sentence(WORDS, {"e": [ALL[k] for k in rows]}) for rows in half])}
    own["B"] = own["A"]
    return errorbar.references(
        common, {"A": [full] * n, "B": some}, reference_of=own, metric="m2(max_unchanged=0)", force=True
    )


def test_sentences_say_whose_order_another_gold_turns() -> None:
    result = _turned()
    assert [(pair.gold, pair.ahead) for pair in result.pairs] == [("common", "A"), ("own", "B")]
    assert [score.rank for score in result.scores] == [1, 2, 2, 1]
    (pair,) = result.turned
    assert (pair.ahead, pair.other, pair.turn) == ("A", "B", "reversed")
    assert result.sentences() == ["A is ahead of B under the common gold, and behind under their own references."]


def test_a_lead_that_is_lost_is_said_so() -> None:
    lines = {"A": ["x b"] * 10 + ["a b"] * 10, "B": ["a b"] * 20}
    common = corpus(*[sentence("a b", {"0": [edit(0, 1, "x")]})] * 20)
    own = corpus(*[sentence("a b", {"e": []}), sentence("a b", {"e": [edit(1, 2, "y")]})] * 10)
    result = errorbar.references(common, lines, reference_of={"A": own, "B": own})
    assert [pair.ahead for pair in result.pairs] == ["A", ""]
    assert result.sentences() == ["A is ahead of B under the common gold, not under their own references."]


def test_a_lead_that_no_resample_changes_is_not_said_to_be_lost() -> None:
    """A is its own reference, 100 in every resample, and B the source, 0: the largest difference there can be."""
    lines = {"A": ["x b"] * 10 + ["a y"] * 10, "B": ["a b"] * 20}
    common = corpus(*[sentence("a b", {"0": [edit(0, 1, "x")]})] * 20)
    result = errorbar.references(common, lines, reference_of={"A": lines["A"], "B": ["a z"] * 20})
    assert [pair.ahead for pair in result.pairs] == ["A", "A", ""]
    assert values(result, "own") == [1, 0]
    assert result.pairs[-1].difference.no_interval == Undefined.NO_VARIATION
    assert (result.turned, result.sentences()) == ([], [])


def test_without_intervals_nobody_is_ahead(gold: Corpus, tmp_path: Path) -> None:
    """Nor are there intervals of what editors changed, and of the time that is saved."""
    (tmp_path / "times.csv").write_text(TIMES + "source,a,1,9\ncareful,a,1,5\nsource,b,2,9\ncareful,b,2,8\n")
    own = dict.fromkeys(NAMES, gold)
    result = errorbar.references(
        gold, SYSTEMS, closest_of=gold, reference_of=own, seconds=tmp_path / "times.csv", ci=False
    )
    assert {(pair.p, pair.ahead) for pair in result.pairs} == {(None, "")}
    assert "ci:" not in result.signature
    assert {one.interval_or_reason for one in [*(cost.hter for cost in result.costs), result.times[0].saved]} == {None}
    assert "interval" not in str(result)


def test_golds_with_more_references_are_said_to_have_an_advantage(gold: Corpus) -> None:
    own = {name: gold.only(["0", "1"] if name == "greedy" else ["0"]) for name in NAMES}
    shown = str(errorbar.references(gold, SYSTEMS, reference_of=own, independent=gold.only(["2"]), ci=False))
    assert "references of a sentence: common 3, independent 1, own 1 to 2; more are an advantage where a" in shown
    one = gold.only(["1"])
    alike = errorbar.references(one, SYSTEMS, reference_of=dict.fromkeys(NAMES, one), closest_of=gold, ci=False)
    assert "references of a sentence" not in str(alike)


def test_one_editor_is_named_where_other_systems_have_more(gold: Corpus) -> None:
    own = {name: gold.only(["0", "1"] if name == "greedy" else ["0"]) for name in NAMES}
    shown = str(errorbar.references(gold, SYSTEMS, reference_of=own, ci=False))
    assert "own references are of one editor of careful and articles, and editors may differ in strictness" in shown


def test_references_in_memory_correct_the_source_of_the_common_gold(gold: Corpus) -> None:
    systems = {name: Path(path).read_text("utf-8").splitlines() for name, path in zip(NAMES, SYSTEMS, strict=True)}
    source = [one.text for one in gold.sentences]
    own: dict[str, Any] = {"careful": systems["greedy"], "greedy": gold, "articles": {"ann": systems["careful"]}}
    result = errorbar.references(gold, systems, reference_of=own, ci=False)
    files: dict[str, Any] = {"careful": SYSTEMS[1], "greedy": gold, "articles": f"ann={SYSTEMS[0]}"}
    assert result.scores == errorbar.references(gold, SYSTEMS, reference_of=files, ci=False).scores
    ours = errorbar.references(gold={"x": source}, systems=systems, source=source, reference_of=own, ci=False)
    assert values(ours, "own") == values(result, "own")


def test_a_warning_on_texts_is_said_once_for_all_systems(gold: Corpus, tmp_path: Path) -> None:
    path = tmp_path / "own.txt"
    path.write_text("".join(f"{one.text}\n" for one in gold.sentences), encoding="utf-8")
    result = errorbar.references(gold, SYSTEMS, reference_of=dict.fromkeys(NAMES, path), ci=False)
    assert [note.code for note in result.notes] == ["reference-texts"]


def test_references_of_other_sentences_have_a_warning_and_those_of_none_are_refused(gold: Corpus) -> None:
    systems = {"copy": [sentence.text for sentence in gold.sentences]}
    every_other = [replace(one, annotations=one.annotations if k % 2 else {}) for k, one in enumerate(gold.sentences)]
    half = Corpus(every_other, gold.annotators)
    result = errorbar.references(gold, systems, reference_of={"copy": half}, ci=False)
    (note,) = [note for note in result.notes if note.code == "reference-parts"]
    assert f"(the common gold {len(half)} and copy {len(half) // 2})" in note.what
    nobody = Corpus([replace(one, annotations={}) for one in gold.sentences], ())
    for golds in ({"reference_of": {"copy": nobody}}, {"independent": nobody}):
        with pytest.raises(UsageError, match="reference-nobody"):
            errorbar.references(gold, systems, **golds, ci=False)
    with pytest.raises(UsageError, match="reference-nobody"):
        errorbar.score(systems=systems, reference_of={"copy": nobody})


def test_of_one_system_the_table_says_what_intervals_are_over(gold: Corpus) -> None:
    lines = [sentence.text for sentence in gold.sentences]
    result = str(errorbar.references(gold, {"copy": [*lines[:-1], "other words"]}, independent=gold, resamples=20))
    assert "intervals are over" in result
    assert "ahead:" not in result


def test_every_gold_is_in_the_signature(gold: Corpus) -> None:
    one, other = (
        errorbar.references(gold, SYSTEMS, reference_of=dict.fromkeys(NAMES, gold.only([who])), ci=False).signature
        for who in ("0", "1")
    )
    assert one != other
    assert "|own:" in one


@pytest.mark.parametrize(
    ("options", "code", "where"),
    [
        ({}, "one-gold", ""),
        ({"reference_of": {"careful": "gold"}}, "reference-of-missing", "greedy"),
        ({"reference_of": {"carefull": "gold"}}, "reference-of-system", "did you mean 'careful'"),
        ({"independent": "short"}, "reference-lengths", "short.m2"),
        ({"closest_of": "other"}, "source-mismatch", "other.m2:1"),
        ({"closest_of": "gold", "metric": "m2(choose=0)"}, "two-choices", "leave the annotator out"),
        ({"independent": "gold", "metric": "gleu(only=0)"}, "two-choices", "leave the annotator out"),
    ],
)
def test_golds_that_do_not_fit_are_refused(
    gold: Corpus, tmp_path: Path, options: dict[str, object], code: str, where: str
) -> None:
    block = "S {}\nA 0 1|||Det|||X|||REQUIRED|||-NONE-|||0\n\n"
    (tmp_path / "short.m2").write_text(block.format(gold.sentences[0].text), encoding="utf-8")
    (tmp_path / "other.m2").write_text(
        "".join(block.format(text) for text in ["other text", *(one.text for one in gold.sentences[1:])]), "utf-8"
    )
    known = {"gold": gold, "short": str(tmp_path / "short.m2"), "other": str(tmp_path / "other.m2")}

    def filled(value: object) -> Any:  # noqa: ANN401 - of the argument's own type
        if isinstance(value, dict):
            return {name: known.get(own, own) for name, own in value.items()}
        return known.get(str(value), value)

    with pytest.raises((InputError, UsageError)) as refused:
        errorbar.references(gold, SYSTEMS, **{name: filled(value) for name, value in options.items()})
    (problem,) = refused.value.problems
    assert problem.code == code
    assert where in str(problem)


# What editors changed: by hand, and by the textbook's table.


def test_word_edits_by_hand() -> None:
    assert count_word_edits(["a", "b", "c"], ["a", "x", "c", "d"]) == 2  # b replaced, d inserted
    assert count_word_edits(["a", "b", "c"], ["c", "a", "b"]) == 2  # a move is a deletion and an insertion here
    assert count_word_edits([], ["a", "b"]) == 2
    assert count_word_edits(["a", "b"], ["a", "b"]) == 0


def test_word_edits_are_the_levenshtein_distance_of_words() -> None:
    rng = np.random.default_rng(2)
    for _ in range(300):
        one, other = (rng.integers(4, size=rng.integers(8)).astype(str).tolist() for _ in range(2))
        assert count_word_edits(one, other) == levenshtein(one, other)


def levenshtein(one: Sequence[str], other: Sequence[str]) -> int:
    """The textbook's table (Wagner & Fischer 1974)."""
    row = list(range(len(other) + 1))
    for i, word in enumerate(one, 1):
        before, row[0] = row[0], i
        for j, another in enumerate(other, 1):
            before, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, before + (word != another))
    return row[-1]


def test_hter_is_edits_per_word_of_the_references() -> None:
    own = corpus(
        sentence("a b c d", {"e1": [edit(0, 1, "x")], "e2": [edit(0, 1, "x"), edit(3, 4, "")]}),
        sentence("a b", {"e1": [], "e2": []}),
    )
    common = corpus(sentence("a b c d", {"0": []}), sentence("a b", {"0": []}))
    result = errorbar.references(common, {"s": ["x b c d", "a b z"]}, reference_of={"s": own}, ci=False)
    (cost,) = result.costs
    # e1: 0 of 4 words, 1 of 2; e2: 1 of 3 words, 1 of 2.
    assert (cost.edits, cost.words, cost.n_editors, cost.touched) == (3, 11, 2, 0.75)
    assert cost.hter.value == pytest.approx(3 / 11)
    assert cost.hter.n_units == 2


TIMES = "system,editor,sentence,seconds\n"


def saved(rows: str, tmp_path: Path, n: int = 2) -> ReferencesResult:
    (tmp_path / "times.csv").write_text(TIMES + rows)
    common = corpus(*[sentence("a b c d e", {"0": []})] * n)
    return errorbar.references(common, {"s": ["a b c d e"] * n}, seconds=tmp_path / "times.csv", resamples=20)


def test_saved_time_by_hand(tmp_path: Path) -> None:
    """Editors a, b, c: 10, 20, 30 s from the source, 5, 16, 27 s from the output, one sentence of 5 words each.

    48 / 60 = .8 of the time. Without a .86, without b .8, without c .7: mean .78667, sum of squares .0130667, times 2/3
    .0087111, s.e. .0933333. t(2) = 4.3026527: half .4015809, of .8 .5019762 on logarithms: .4842666 to 1.3215861.
    """
    source = "".join(f"source,{who},1,{seconds}\n" for who, seconds in zip("abc", (10, 20, 30), strict=True))
    output = "".join(f"s,{who},1,{seconds}\n" for who, seconds in zip("abc", (5, 16, 27), strict=True))
    (time,) = saved(source + output, tmp_path).times
    assert (time.n_sentences, time.n_editors, time.over) == (1, 3, "editors")
    assert (time.from_source, time.from_output, time.median_source, time.median_output) == (20, 16, 20, 16)
    assert time.saved.value == pytest.approx(0.2)
    assert time.saved.interval is not None
    assert (time.saved.interval.low, time.saved.interval.high) == pytest.approx((-0.3215861, 0.5157334), abs=1e-6)


def test_times_are_in_the_signature_in_any_order(tmp_path: Path) -> None:
    rows = ["source,a,1,10", "s,a,1,5"]
    one, again, other = (saved("\n".join(each) + "\n", tmp_path) for each in (rows, rows[::-1], [rows[0], "s,a,1,6"]))
    assert one.signature == again.signature != other.signature
    assert "|times:" in one.signature


def test_only_sentences_with_both_times_count(tmp_path: Path) -> None:
    result = saved("source,a,1,10\ns,a,1,5\ns,a,2,500\n", tmp_path)
    (time,) = result.times
    assert (time.n_sentences, time.from_output, time.over) == (1, 5, "sentences")
    assert time.saved.value == pytest.approx(0.5)
    assert time.saved.no_interval == Undefined.ONE_UNIT
    assert [note.code for note in result.notes] == ["times-unpaired"]
    (alone,) = saved("source,a,1,10\ns,a,2,5\n", tmp_path).times
    assert (alone.saved.value, alone.saved.undefined) == (None, Undefined.NOT_PAIRED)


def test_two_editors_hardly_show_how_editors_vary(tmp_path: Path) -> None:
    (time,) = saved("source,a,1,10\ns,a,1,5\nsource,b,1,20\ns,b,1,16\n", tmp_path).times
    assert time.saved.no_interval == Undefined.TOO_FEW_JUDGES


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("s,,1,5", "times-editor"),
        ("s,a,3,5", "times-sentence"),
        ("s,a,x,5", "times-sentence"),
        pytest.param(f"s,a,{'9' * 5000},5", "times-sentence", id="more digits than Python reads"),
        ("s,a,1,0", "times-seconds"),
        ("s,a,1,1e999", "times-seconds"),
        ("s,a,1,5\ns,a,1,6", "times-twice"),
    ],
)
def test_times_that_cannot_be_are_refused(tmp_path: Path, row: str, code: str) -> None:
    with pytest.raises(InputError) as refused:
        saved(f"{row}\n", tmp_path)
    assert [problem.code for problem in refused.value.problems] == [code]
    assert "times.csv" in str(refused.value)


def test_a_file_of_times_has_rows(tmp_path: Path) -> None:
    for rows in ("", "other,a,1,5\n", "source,a,1,5\n"):
        with pytest.raises(InputError, match="times-empty"):
            saved(rows, tmp_path)


def test_times_of_other_systems_do_not_count(tmp_path: Path) -> None:
    result = saved("source,a,1,10\ns,a,1,5\nss,a,1,5\nss,a,2,5\n", tmp_path)
    (note,) = result.notes
    assert note.code == "times-system"
    assert "2 rows of 'ss'" in note.what
    assert note.fix == "did you mean 's'?"


def test_no_system_is_called_source(tmp_path: Path) -> None:
    (tmp_path / "times.csv").write_text(TIMES + "source,a,1,5\n")
    common = corpus(sentence("a b", {"0": []}))
    with pytest.raises(UsageError, match="reserved-name"):
        errorbar.references(common, {"source": ["a b"]}, seconds=tmp_path / "times.csv", ci=False)
