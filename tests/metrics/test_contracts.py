"""What holds of every registered metric, whatever it measures: a metric that is added is tested here at once."""

from __future__ import annotations

import inspect
import json
import sys
from dataclasses import fields, replace
from importlib import metadata
from importlib.metadata import EntryPoint

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorbar.core.corpus import Corpus, Hypothesis, Sentence
from errorbar.core.edit import Edit
from errorbar.core.errors import InputError, UsageError
from errorbar.core.problems import Problems
from errorbar.edits.apply import apply_edits
from errorbar.formats.jsonl import read_jsonl, write_jsonl
from errorbar.formats.m2 import read_m2, write_m2
from errorbar.metrics.base import Metric, Selection, Swapping, lacking
from errorbar.metrics.m2 import M2
from errorbar.metrics.registry import metric_class, metric_names, metrics_for, parse_metric
from errorbar.metrics.score import Score
from errorbar.studies.score_result import Scores
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.counts import Counts
from tests.helpers.read import lines_of
from tests.helpers.scoring import score
from tests.strategies import corpora, disjoint_edits, m2_metrics, tokens
from tests.thirdparty.character_rate import CharacterRate

ALL = metrics_for("sentences")
"""Registered metrics of sentences; with them goes one that another package could have."""
METRICS: list[Metric] = [*map(parse_metric, ALL), CharacterRate()]
every_metric = pytest.mark.parametrize("metric", METRICS, ids=[each.name for each in METRICS])
FEW = settings(max_examples=40)


def goodness(metric: Metric, score: Score) -> float:
    value = score[score.main].value
    assert value is not None
    return metric.measures[metric.main].sign * value


@every_metric
@FEW
@given(corpora(min_size=1))
def test_nothing_is_better_than_an_annotators_own_text(metric: Metric, example: tuple[Corpus, list[str]]) -> None:
    reference, lines = example
    own = [Sentence(s.text, {"0": s.annotations.get("0", ())}) for s in reference.sentences]
    try:
        texts = [" ".join(apply_edits(s.tokens, s.annotations["0"])) for s in own]
    except InputError:  # edits that overlap have no text
        return
    systems = [Hypothesis("own", texts), Hypothesis("other", lines)]
    own_score, other = score(Corpus(own, ("0",)), systems, [metric])
    if own_score[own_score.main].value is not None:
        assert goodness(metric, own_score) >= goodness(metric, other) - 1e-12


@st.composite
def applicable(draw: st.DrawFn) -> Sentence:
    source = draw(tokens())
    return Sentence(" ".join(source), {"0": draw(disjoint_edits(source))})


@every_metric
@settings(max_examples=100)
@given(st.lists(applicable(), min_size=1, max_size=4))
def test_an_annotators_own_text_is_perfect(metric: Metric, sentences: list[Sentence]) -> None:
    text = [" ".join(apply_edits(s.tokens, s.annotations["0"])) for s in sentences]
    (result,) = score(Corpus(sentences, ("0",)), [Hypothesis("annotator", text)], [metric])
    best = {"percent": 1.0} if metric.measures[metric.main].better == "higher" else {"percent": 0.0}
    assert {one.value for one in result.estimates.values()} in ({best["percent"]}, {None})


@every_metric
@FEW
@given(corpora(min_size=1))
def test_systems_do_not_touch_each_other(metric: Metric, example: tuple[Corpus, list[str]]) -> None:
    reference, lines = example
    systems = [Hypothesis("a", lines), Hypothesis("b", [s.text for s in reference.sentences])]
    there = score(reference, systems, [metric])
    back = score(reference, systems[::-1], [metric])
    alone = score(Corpus(reference.sentences, reference.annotators), systems[:1], [metric])
    assert there == back[::-1]
    assert there[:1] == alone


@every_metric
@FEW
@given(corpora(min_size=1), st.data())
def test_a_fold_of_some_units_is_the_score_of_the_sub_corpus(
    metric: Metric, example: tuple[Corpus, list[str]], data: st.DataObject
) -> None:
    reference, lines = example
    units = data.draw(st.lists(st.integers(0, len(lines) - 1), max_size=8))
    sub = Corpus([reference.sentences[unit] for unit in units], reference.annotators)
    (direct,) = score(sub, [Hypothesis("it", [lines[unit] for unit in units])], [metric])
    statistics = metric.measure(reference, lines)
    chosen = np.array([units], np.int64)
    for folded in (metric.fold(statistics, Selection(chosen)), metric.fold(statistics.take(chosen[0]))):
        assert folded.counts[0].tolist() == list(direct.counts.values())
        assert folded.n_units[0] == direct.n_units


@every_metric
@FEW
@given(corpora(min_size=2))
def test_parts_fold_on_from_each_other(metric: Metric, example: tuple[Corpus, list[str]]) -> None:
    reference, lines = example
    parts = [
        metric.measure(Corpus(reference.sentences[at], reference.annotators), lines[at])
        for at in (slice(1), slice(1, None))
    ]
    first = metric.fold(parts[0])
    second = metric.fold(parts[1], start=first)
    whole = metric.fold(metric.join(parts))
    assert second.counts.tolist() == whole.counts.tolist()


@every_metric
def test_a_corpus_without_sentences(metric: Metric) -> None:
    (result,) = score(Corpus([], ("0",)), [Hypothesis("it", [])], [metric])
    assert result.n_units == 0
    assert [one.value for one in result.estimates.values()] == [None] * len(metric.measures)
    assert all(one.undefined is not None for one in result.estimates.values())


@every_metric
def test_the_json_output_holds_the_score(metric: Metric) -> None:
    reference = corpus(sentence("a b c", {"0": [edit(0, 1, "X", kind="Det")]}), sentence("a", {"0": []}))
    by_type = "types" not in metric.lacks
    (result,) = score(reference, [Hypothesis("it", ["X b c", "b"])], [metric], by_type=by_type, by_sentence=True)
    (row,) = json.loads(json.dumps(Scores([result], by_type=by_type, by_sentence=True).to_dict()))["rows"]
    assert {name: row[name] for name in result.counts} == result.counts
    assert {name: row[name] for name in result.estimates} == {name: e.value for name, e in result.estimates.items()}
    assert row["signature"] == str(result.type_signature)
    for name, total in result.counts.items():
        assert sum(part[name] for part in row["by_sentence"]) == total


@every_metric
@FEW
@given(corpora(min_size=2), st.data())
def test_weights_and_units_say_the_same(metric: Metric, example: tuple[Corpus, list[str]], data: st.DataObject) -> None:
    """Of a metric in which the order of units does not matter; of every metric a mask of all annotators is none."""
    reference, lines = example
    statistics = metric.measure(reference, lines)
    units = np.array([sorted(data.draw(st.lists(st.integers(0, len(lines) - 1), min_size=1, max_size=6)))], np.int64)
    folded = metric.fold(statistics, Selection(units))
    every = np.ones((1, len(reference.annotators)), np.uint8)
    np.testing.assert_array_equal(metric.fold(statistics, Selection(units, annotators=every)).values, folded.values)
    if metric.additive:
        weights = Selection(weights=Selection(units).as_weights(len(lines)))
        np.testing.assert_allclose(metric.fold(statistics, weights).values, folded.values)


@every_metric
def test_swapping_everything_is_the_other_system(metric: Metric) -> None:
    reference = corpus(sentence("a b c", {"0": [edit(0, 1, "X")]}), sentence("d e", {"0": [edit(1, 2, "Y")]}))
    first, second = (metric.measure(reference, lines) for lines in (["X b c", "d e"], ["a b c", "d Y Z"]))
    both = metric.join([first, second])
    swaps = np.array([[False, False], [True, True], [True, False]])
    mixed = metric.fold(both, Selection(swapping=Swapping(swaps, np.arange(2)))).values
    np.testing.assert_allclose(mixed[0], metric.fold(first).values[0])
    np.testing.assert_allclose(mixed[1], metric.fold(second).values[0])
    half = metric.join([second.take(slice(0, 1)), first.take(slice(1, 2))])
    np.testing.assert_allclose(mixed[2], metric.fold(half).values[0])
    assert metric.differ(first, second).tolist() == [True, True]


@every_metric
def test_what_it_lacks_is_said_in_a_line(metric: Metric) -> None:
    for feature, why in metric.lacks.items():
        assert why
        assert metric.name in lacking(metric, feature).problems[0].what
    if "annotators" not in metric.lacks:
        assert metric.against("A1").annotator == "A1"


@pytest.mark.parametrize("name", ALL)
class TestParameters:
    def test_every_field_is_declared_with_its_default_and_documented(self, name: str) -> None:
        cls = metric_class(name)
        assert issubclass(cls, object)
        declared = {parameter.name: parameter for parameter in cls.parameters}
        assert list(declared) == [each.name for each in fields(cls)]  # type: ignore[arg-type]  # the protocol is no dataclass
        docstring = inspect.getdoc(cls) or ""
        for each in fields(cls):  # type: ignore[arg-type]  # as above
            parameter = declared[each.name]
            assert parameter.default == each.default
            assert type(parameter.default) is parameter.kind
            assert parameter.doc.endswith(".")
            assert f"{each.name}:" in docstring
            assert parameter.check(parameter.default) == ""

    def test_the_module_states_formula_conventions_and_source(self, name: str) -> None:
        module = inspect.getmodule(metric_class(name))
        docstring = inspect.getdoc(module) or ""
        assert [word for word in ("Formula", "Conventions", "Source") if f"\n{word}\n" not in docstring] == []

    def test_an_unknown_parameter_is_refused_with_the_nearest_name(self, name: str) -> None:
        known = metric_class(name).parameters[0].name
        with pytest.raises(UsageError, match=f"did you mean '{known}'"):
            parse_metric(f"{name}({known}x=1)")


def test_metrics_of_other_packages(monkeypatch: pytest.MonkeyPatch) -> None:
    """Built-in names come first and cannot be taken; the others follow in the order of their names."""

    def installed(*, group: str, name: str | None = None) -> list[EntryPoint]:
        assert group == "errorbar.metrics"
        points = [EntryPoint(each, "errorbar.core.spec:Spec", group) for each in ("zz", "aa", "m2")]
        return [point for point in points if name in (None, point.name)]

    monkeypatch.setattr(metadata, "entry_points", installed)
    monkeypatch.setattr(sys, "path", [*sys.path, "another"])  # metrics are looked for once on each path
    assert metric_names() == ["m2", "hoo", "crowd", "aa", "zz"]
    assert (metric_class("m2"), metric_class("zz").__name__) == (M2, "Spec")
    with pytest.raises(UsageError, match="no metric is called 'zy'; did you mean 'zz'") as caught:
        metric_class("zy")
    assert caught.value.code == "unknown-metric"


@settings(max_examples=300)
@given(m2_metrics())
def test_a_spec_says_everything(metric: M2) -> None:
    assert parse_metric(str(metric.spec)) == metric
    assert parse_metric(str(metric.spec)).spec == metric.spec


@settings(max_examples=100)
@given(m2_metrics())
def test_every_beta_that_a_spec_allows_gives_an_f_between_p_and_r(metric: M2) -> None:
    statistics = M2().measure(
        corpus(sentence("a b c d e f", {"0": [edit(0, 1, "X"), edit(4, 5, "Y")]})), ["X b c d e f"]
    )
    counts = Counts(*replace(metric, choose="running").fold(statistics).counts[0].tolist())
    assert 0.5 - 1e-12 <= counts.f(metric.beta) <= 1 + 1e-12  # P = 1, R = 1/2


def without_rivals(edits: tuple[Edit, ...]) -> tuple[Edit, ...]:
    """Leave out edits that share a span and a correction with an earlier one, as lenient reading does."""
    kept: list[Edit] = []
    for each in edits:
        if not any(k.span == each.span and set(k.replacements) & set(each.replacements) for k in kept):
            kept.append(each)
    return tuple(kept)


@pytest.mark.parametrize("style", ["m2", "jsonl"])
@settings(max_examples=100)
@given(corpora(min_size=1))
def test_what_a_format_writes_it_reads_again(style: str, example: tuple[Corpus, list[str]]) -> None:
    """Lenient reading: random edits may overlap. Repeated ones are dropped, so they are left out here."""
    reference, _ = example
    for each in reference.sentences:
        each.annotations = {
            str(number): tuple(dict.fromkeys(edits)) for number, edits in enumerate(each.annotations.values())
        }
        for name, edits in each.annotations.items():
            each.annotations[name] = without_rivals(edits)
    problems = Problems(lenient=True)
    written = list((write_m2 if style == "m2" else write_jsonl)(reference.sentences, problems))
    with lines_of("\n".join(written) + "\n", problems) as lines:
        again = list((read_m2 if style == "m2" else read_jsonl)(lines, problems))
    problems.raise_errors()
    assert [(s.tokens, s.annotations) for s in again] == [(s.tokens, s.annotations) for s in reference.sentences]
