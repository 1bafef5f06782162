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

from errorbar.cli.score import show_scores
from errorbar.core.corpus import Corpus, Hypothesis, Sentence
from errorbar.core.counts import Counts
from errorbar.core.edit import Edit
from errorbar.core.errors import UsageError
from errorbar.core.problems import Problems
from errorbar.edits.apply import apply_edits
from errorbar.formats.jsonl import read_jsonl, write_jsonl
from errorbar.formats.m2 import read_m2, write_m2
from errorbar.metrics.base import Metric, Selection
from errorbar.metrics.edit_statistics import concatenate
from errorbar.metrics.m2 import M2
from errorbar.metrics.registry import metric_class, metric_names, parse_metric
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.read import lines_of
from tests.helpers.scoring import score
from tests.strategies import corpora, disjoint_edits, m2_metrics, tokens

ALL = metric_names()
every_metric = pytest.mark.parametrize("metric", [parse_metric(name) for name in ALL], ids=ALL)
FEW = settings(max_examples=40)


@every_metric
@FEW
@given(corpora(min_size=1))
def test_the_source_itself_proposes_nothing(metric: Metric, example: tuple[Corpus, list[str]]) -> None:
    reference, _ = example
    (result,) = score(reference, [Hypothesis("source", [s.text for s in reference.sentences])], [metric])
    assert result.counts.proposed == 0
    if result.n_sentences:
        assert result.precision.value == 1.0
        assert result.recall.value == (0.0 if result.counts.gold else 1.0)


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
    assert result.counts.correct == result.counts.proposed == result.counts.gold
    assert (result.precision.value, result.recall.value, result.f.value) == (1.0, 1.0, 1.0)


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
        assert folded.totals[0].tolist() == list(direct.counts)
        assert folded.n_units[0] == direct.n_sentences


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
    second = metric.fold(parts[1], start=first.totals)
    whole = metric.fold(concatenate(parts))
    assert second.totals.tolist() == whole.totals.tolist()


@every_metric
def test_a_corpus_without_sentences(metric: Metric) -> None:
    (result,) = score(Corpus([], ("0",)), [Hypothesis("it", [])], [metric])
    assert result.n_sentences == 0
    assert result.f.value is None
    assert result.f.undefined is not None


@every_metric
def test_the_json_output_holds_the_score(metric: Metric, capsys: pytest.CaptureFixture[str]) -> None:
    reference = corpus(sentence("a b c", {"0": [edit(0, 1, "X", kind="Det")]}), sentence("a", {"0": []}))
    (result,) = score(reference, [Hypothesis("it", ["X b c", "b"])], [metric], by_type=True, by_sentence=True)
    show_scores([result], [], "json", by_type=True, by_sentence=True)
    document = json.loads(capsys.readouterr().out)
    (row,) = document["rows"]
    assert (row["correct"], row["proposed"], row["gold"]) == tuple(result.counts)
    assert (row["precision"], row["recall"], row["f"]) == (
        result.precision.value,
        result.recall.value,
        result.f.value,
    )
    assert row["signature"] == str(result.type_signature)
    assert sum(part["proposed"] for part in row["by_sentence"]) == result.counts.proposed


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
    assert metric_names() == ["m2", "aa", "zz"]
    assert (metric_class("m2"), metric_class("zz").__name__) == (M2, "Spec")
    with pytest.raises(UsageError, match="no metric is called 'zy'; did you mean 'zz'") as caught:
        metric_class("zy")
    assert caught.value.code == "unknown-metric"
    with pytest.raises(UsageError, match="HOO edit files only") as caught:
        metric_class("hoo")
    assert caught.value.code == "hoo-metric"


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
    counts = Counts(*replace(metric, choose="running").fold(statistics).totals[0].tolist())
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
