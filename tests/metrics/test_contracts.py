"""What holds of every registered metric, whatever it measures: a metric that is added is tested here at once."""

from __future__ import annotations

import inspect
import json
import re
from collections.abc import Callable
from dataclasses import fields, replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from errorbar import M2, Corpus, Edit, Hypothesis, Problems, Score, Sentence, parse_metric
from errorbar.api import Scores
from errorbar.core import CorrectedSentence, InputError, Undefined, UsageError, split_spec
from errorbar.core.entry_points import Registered
from errorbar.edits import apply_edits
from errorbar.formats import read_jsonl, read_m2, write_jsonl, write_m2
from errorbar.metrics import Folded, Metric, Selection, lacking, metric_class, metric_names, registry
from errorbar.metrics.base import Feature, Swapping
from errorbar.metrics.registry import metrics_for
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.counts import Counts
from tests.helpers.effort import draw_examples
from tests.helpers.read import lines_of
from tests.helpers.scoring import score
from tests.metrics.contract_examples import examples
from tests.strategies import corpora, disjoint_edits, m2_metrics, tokens
from tests.thirdparty.character_rate import CharacterRate

PAGES = Path(__file__).resolve().parents[2] / "docs/metrics"

OTHER_WAYS = (
    "m2(choose=sentence)",
    "m2(choose=0)",
    "behavior(assumption=independent)",
    "behavior(average=sentence)",
    "behavior(assumption=independent,average=sentence)",
    "hoo(aggregate=mean,by=code)",
    "crowd(estimand=majority,ties=unknown)",
)
"""What changes how a metric folds."""
METRICS: list[Metric] = [*map(parse_metric, (*metric_names(), *OTHER_WAYS)), CharacterRate()]
"""All that are registered; with them goes one that another package could have."""
ALONE = [one for one in (*map(parse_metric, metrics_for("sentences")), CharacterRate()) if not one.joint]
"""Metrics of a system whatever other systems there are; tests/metrics/test_gotoscorer.py has the rest."""
every_metric = pytest.mark.parametrize("metric", METRICS, ids=[str(each.spec) for each in METRICS])
of_sentences = pytest.mark.parametrize("metric", ALONE, ids=[each.name for each in ALONE])
LATEST = ("green", "imeasure", "gotoscorer")
"""Metrics that were added to a finished house."""
FEW = draw_examples(25)


def goodness(metric: Metric, score: Score) -> float:
    value = score[score.main].value
    assert value is not None
    return metric.measures[metric.main].sign * value


def _own(one: Sentence) -> CorrectedSentence:
    return CorrectedSentence(" ".join(apply_edits(one.tokens, one.annotations["0"])), one.annotations["0"])


@of_sentences
@FEW
@given(corpora(min_size=1))
def test_nothing_is_better_than_an_annotators_own_text(metric: Metric, example: tuple[Corpus, list[str]]) -> None:
    reference, lines = example
    # An edit of unclear meaning or without a correction leaves the text as it is, so that the text is without it.
    said = [[edit for edit in s.annotations.get("0", ()) if edit.applicable] for s in reference.sentences]
    own = [Sentence(s.text, {"0": tuple(edits)}) for s, edits in zip(reference.sentences, said, strict=True)]
    try:
        texts = [_own(s) for s in own]
    except InputError:  # edits that overlap have no text
        return
    systems = [Hypothesis("own", texts), Hypothesis("other", lines)]
    own_score, other = score(Corpus(own, ("0",)), systems, [metric])
    # MaxMatch looks for the edits in the text. Of edits that touch, or among repeated words, it may not find all: with
    # "a" put first and "a" in place of the rest "a a a" is "a a", which says only that one word was deleted.
    if isinstance(metric, M2) and own_score["recall"].value not in (1, None):
        return
    if own_score[own_score.main].value is not None:
        assert goodness(metric, own_score) >= goodness(metric, other) - 1e-12


@st.composite
def applicable(draw: st.DrawFn) -> Sentence:
    source = draw(tokens())
    return Sentence(" ".join(source), {"0": draw(disjoint_edits(source))})


@of_sentences
@draw_examples(100)
@given(st.lists(applicable(), min_size=1, max_size=4))
def test_an_annotators_own_text_is_perfect(metric: Metric, sentences: list[Sentence]) -> None:
    text = [_own(s) for s in sentences]
    (result,) = score(Corpus(sentences, ("0",)), [Hypothesis("annotator", text)], [metric])
    for measure in metric.measures:
        found, best = result[measure.name], 1.0 if measure.better == "higher" else 0.0
        assert found.value in (best, None) or found.undefined in (
            Undefined.NOTHING_IN_REFERENCE,
            Undefined.NO_EDITS,
        ), measure.name


@of_sentences
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


@of_sentences
def test_a_corpus_without_sentences(metric: Metric) -> None:
    (result,) = score(Corpus([], ("0",)), [Hypothesis("it", [])], [metric])
    assert result.n_units == 0
    assert [one.value for one in result.estimates.values()] == [None] * len(metric.measures)
    assert all(one.undefined is not None for one in result.estimates.values())


@of_sentences
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


def same(one: Folded, other: Folded) -> None:
    """Sums of numbers that are not whole may differ in their last digit."""
    np.testing.assert_allclose(one.counts, other.counts, atol=1e-12)
    np.testing.assert_allclose(one.values, other.values, atol=1e-12)
    np.testing.assert_array_equal(one.n_units, other.n_units)


def some_units(size: int, min_size: int = 0) -> st.SearchStrategy[list[int]]:
    """Units in any order, some more than once."""
    return st.lists(st.integers(0, size - 1), min_size=min_size, max_size=8)


@every_metric
@FEW
@given(st.data())
def test_a_fold_of_some_units_is_the_score_of_the_sub_corpus(metric: Metric, data: st.DataObject) -> None:
    example = data.draw(examples(metric, 1))
    units = data.draw(some_units(example.size))
    direct = metric.fold(example.take(units).measured(metric))
    statistics, chosen = example.measured(metric), np.array([units], np.int64)
    same(metric.fold(statistics, Selection(chosen)), direct)
    same(metric.fold(statistics.take(chosen[0])), direct)
    padded = np.append(chosen, [[-1, -1]], axis=1)
    same(metric.fold(statistics, Selection(padded)), direct)


@every_metric
@FEW
@given(st.data())
def test_parts_fold_on_from_each_other(metric: Metric, data: st.DataObject) -> None:
    example = data.draw(examples(metric, 2))
    cut = data.draw(st.integers(0, example.size))
    whole = example.measured(metric)
    parts = [example.take(range(*ends)).measured(metric) for ends in ((0, cut), (cut, example.size))]
    first = metric.fold(parts[0])
    same(metric.fold(parts[1], start=first), metric.fold(whole))
    same(metric.fold(metric.join(parts)), metric.fold(whole))
    one_by_one, at_once = metric.parts(parts[1], start=first), metric.parts(whole)
    np.testing.assert_allclose(one_by_one.counts, at_once.counts[cut:], atol=1e-12)
    assert list(one_by_one.annotators) == list(at_once.annotators[cut:])


@every_metric
@FEW
@given(st.data())
def test_single_units_add_up(metric: Metric, data: st.DataObject) -> None:
    example = data.draw(examples(metric))
    statistics = example.measured(metric)
    folded, parts = metric.fold(statistics), metric.parts(statistics)
    assert len(statistics) == len(parts.annotators) == example.size
    assert parts.counts.shape == (example.size, len(metric.counted))
    np.testing.assert_allclose(parts.counts.sum(axis=0), folded.counts[0][: len(metric.counted)], atol=1e-12)
    if parts.values is not None:
        assert parts.values.shape == (example.size, len(metric.measures))


@every_metric
@FEW
@given(st.data())
def test_every_value_that_is_missing_has_a_reason(metric: Metric, data: st.DataObject) -> None:
    folded = metric.fold(data.draw(examples(metric)).measured(metric))
    reasons = metric.reasons(folded)
    assert folded.values.shape == (1, len(metric.measures)) == (1, len(reasons))
    assert not [name for name, why in zip(np.isnan(folded.values[0]), reasons, strict=True) if name and why is None]
    assert (folded.n_units[0] == 0) <= (set(reasons) == {Undefined.NO_UNITS})


@every_metric
@given(st.data())
@settings(max_examples=1)
def test_nothing_is_no_value(metric: Metric, data: st.DataObject) -> None:
    for statistics in (metric.join([]), data.draw(examples(metric, 1)).take([]).measured(metric)):
        folded = metric.fold(statistics)
        assert (len(statistics), folded.n_units.tolist()) == (0, [0])
        assert list(metric.reasons(folded)) == [Undefined.NO_UNITS] * len(metric.measures)


@every_metric
@FEW
@given(st.data())
def test_weights_and_units_say_the_same(metric: Metric, data: st.DataObject) -> None:
    """Of a metric in which the order of units does not matter; of every metric a mask of all annotators is none."""
    example = data.draw(examples(metric, 1))
    statistics = example.measured(metric)
    units = np.array([sorted(data.draw(some_units(example.size, 1)))], np.int64)
    folded = metric.fold(statistics, Selection(units))
    if isinstance(example.reference, Corpus):
        every = np.ones((1, len(example.reference.annotators)), np.uint8)
        np.testing.assert_array_equal(metric.fold(statistics, Selection(units, annotators=every)).values, folded.values)
    if metric.additive:
        same(metric.fold(statistics, Selection(weights=Selection(units).as_weights(example.size))), folded)


@every_metric
@FEW
@given(st.data())
def test_swapping_is_taking_the_other_systems_units(metric: Metric, data: st.DataObject) -> None:
    example = data.draw(examples(metric, 1))
    n = example.size
    first, second = (example.measured(metric, which) for which in (0, 1))
    swaps = np.array([[False] * n, [True] * n, data.draw(st.lists(st.booleans(), min_size=n, max_size=n))])
    both = metric.join([first, second])
    mixed = metric.fold(both, Selection(swapping=Swapping(swaps, np.arange(n))))
    for row, values in zip(swaps, mixed.values, strict=True):
        np.testing.assert_allclose(values, metric.fold(both.take(np.arange(n) + n * row)).values[0], atol=1e-12)
    np.testing.assert_allclose(mixed.values[1], metric.fold(second).values[0], atol=1e-12)
    never = Selection(swapping=Swapping(swaps[1:2], np.full(n, -1)))
    np.testing.assert_allclose(metric.fold(both, never).values, metric.fold(first).values, atol=1e-12)
    alike = ~metric.differ(first, second)
    assert alike.shape == (n,)
    where_alike = np.flatnonzero(alike)
    same(metric.fold(first.take(where_alike)), metric.fold(second.take(where_alike)))


@every_metric
@FEW
@given(st.data())
def test_error_types(metric: Metric, data: st.DataObject) -> None:
    """A fold by type has a row for each; of a sub-corpus it is that of its own statistics."""
    if "types" in metric.lacks:
        return
    example = data.draw(examples(metric, 1))
    statistics = example.measured(metric)
    units = np.array([data.draw(some_units(example.size))], np.int64)
    names, counts = metric.types(statistics), metric.fold_types(statistics)
    assert counts.shape == (1, len(names), len(metric.type_counted))
    assert metric.type_values(counts).shape == (1, len(names), len(metric.type_measures))
    chosen = metric.fold_types(statistics, Selection(units))
    np.testing.assert_array_equal(chosen, metric.fold_types(statistics.take(units[0])))
    pairs = metric.type_units(statistics)
    assert {names[column] for column in pairs[:, 1]} == {
        name for name, row in zip(names, counts[0].tolist(), strict=True) if row[metric.type_counted.index("gold")]
    }


@every_metric
def test_what_it_lacks_is_said_in_a_line(metric: Metric) -> None:
    for feature, why in metric.lacks.items():
        assert why
        assert "\n" not in why
        assert metric.name in lacking(metric, feature).problems[0].what
    nothing = metric.join([])
    asked: dict[Feature, Callable[[], object]] = {
        "annotators": lambda: metric.against("A1"),
        "types": lambda: metric.types(nothing),
        "closed": lambda: metric.closed_intervals(metric.fold(nothing), 0.95),
    }
    for feature, ask in asked.items():
        if feature in metric.lacks:
            with pytest.raises(UsageError, match=re.escape(metric.lacks[feature])):
                ask()
        elif feature == "types":
            ask()
    if "annotators" not in metric.lacks and metric == type(metric)():  # no rule is named
        assert metric.against("A1").annotator == "A1"


@every_metric
def test_names_and_spec(metric: Metric) -> None:
    names = [measure.name for measure in metric.measures]
    assert len({*names, *metric.counted}) == len(names) + len(metric.counted)
    assert 0 <= metric.main < len(names)
    assert metric.summary
    assert type(metric).read(dict(split_spec(str(metric.spec))[1])) == metric
    assert metric.fold_only <= {parameter.name for parameter in metric.parameters}


@pytest.mark.parametrize("name", metric_names())
class TestParameters:
    def test_every_field_is_declared_with_its_default_and_documented(self, name: str) -> None:
        cls = metric_class(name)
        page = (PAGES / f"{name}.md").read_text(encoding="utf-8")
        declared = {parameter.name: parameter for parameter in cls.parameters}
        assert set(declared) == {each.name for each in fields(cls)}  # type: ignore[arg-type]  # the protocol is no dataclass
        for each in fields(cls):  # type: ignore[arg-type]  # as above
            parameter = declared[each.name]
            assert parameter.default == each.default
            assert type(parameter.default) is parameter.kind
            assert parameter.doc.endswith(".")
            assert f"| `{each.name}`" in page
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

    points = {name: Registered(name, "errorbar.core.spec:Spec", "another") for name in ("zz", "aa", "m2")}
    monkeypatch.setattr(registry, "find_registered", lambda group: points if group == "errorbar.metrics" else {})
    assert metric_names() == [
        "m2",
        "errant",
        "gleu",
        "green",
        "imeasure",
        "gotoscorer",
        "behavior",
        "tokens",
        "hoo",
        "crowd",
        "aa",
        "zz",
    ]
    assert (metric_class("m2"), metric_class("zz").__name__) == (M2, "Spec")
    with pytest.raises(UsageError, match="no metric is called 'zzz'; did you mean 'zz'") as caught:
        metric_class("zzz")
    assert caught.value.code == "unknown-metric"


def test_a_metric_touches_few_files() -> None:
    """Its own, the registry, and at most one that calls it by another name than its own."""
    source = Path(registry.__file__).parents[1]
    texts = {path: path.read_text(encoding="utf-8") for path in source.rglob("*.py")}
    for name in LATEST:
        files = [
            path.relative_to(source) for path, text in texts.items() if re.search(rf'"{name}"|metrics\.{name}\b', text)
        ]
        assert len(files) <= 3, (name, files)


@draw_examples(300)
@given(m2_metrics())
def test_a_spec_says_everything(metric: M2) -> None:
    assert parse_metric(str(metric.spec)) == metric
    assert parse_metric(str(metric.spec)).spec == metric.spec


@draw_examples(100)
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
@draw_examples(100)
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
