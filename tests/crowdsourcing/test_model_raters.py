"""What kind of rater a model is: every figure against its definition, every interval against the jackknife by hand."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable, Sequence
from itertools import permutations
from math import sqrt
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from errorbar import crowd_howmany, crowd_models, crowd_raters
from errorbar.api.model_raters import AssistedShare
from errorbar.core import UsageError
from errorbar.crowdsourcing.howmany import ModelWorth
from errorbar.crowdsourcing.model_raters import ModelMeasure
from tests.helpers.cli import CommandLine
from tests.helpers.expectations import require

MODEL = "model:small@0011aabb"
Row = dict[str, object]


def judged(item: str, rater: str, label: str, **more: object) -> Row:
    kind = "model" if rater.startswith("model:") else "human"
    return {"item": item, "rater": rater, "label": label, "rater_kind": kind, **more}


def simulate(
    seed: int,
    model: Callable[[np.random.Generator, bool], bool],
    *,
    n_items: int = 30,
    n_people: int = 6,
    each: int = 4,
    name: str = MODEL,
) -> list[Row]:
    """People who are right four times of five, and a model; an item is an error three times of ten."""
    rng = np.random.default_rng(seed)
    rows: list[Row] = []
    for number in range(n_items):
        item, truth = f"i{number}", bool(rng.random() < 0.3)
        for person in rng.choice(n_people, each, replace=False):
            says = truth == bool(rng.random() < 0.8)
            rows.append(judged(item, f"h{person}", "error" if says else "ok"))
        rows.append(judged(item, name, "error" if model(rng, truth) else "ok"))
    return rows


def right_often(rng: np.random.Generator, truth: bool) -> bool:
    return truth == bool(rng.random() < 0.75)


def measure(
    rows: Sequence[Row],
    name: str = "agreement",
    group: str = "",
    **options: Any,  # noqa: ANN401
) -> ModelMeasure:
    result = crowd_models(rows, **options)
    (found,) = [row for row in result.measures if (row.measure, row.group) == (name, group)]
    return found


def by_definition(rows: Sequence[Row], name: str) -> tuple[float, float]:
    """A model's figure and people's, by going through pairs of judgments."""
    sums = np.zeros((2, 2))
    for item in {row["item"] for row in rows}:
        own = [row for row in rows if row["item"] == item]
        people = [row["label"] for row in own if row["rater_kind"] == "human"]
        (model,) = [row["label"] for row in own if row["rater_kind"] == "model"]
        if len(people) < 2:
            continue
        pairs = [*permutations(people, 2)]
        if name == "agreement":
            sums[0] += float(np.mean([model == label for label in people])), 1
            sums[1] += float(np.mean([a == b for a, b in pairs])), 1
            continue
        wanted = "error" if name == "sensitivity" else "ok"
        share = np.mean([label == wanted for label in people])
        sums[0] += share * (model == wanted), share
        sums[1] += np.mean([a == b == wanted for a, b in pairs]), share
    return float(sums[0, 0] / sums[0, 1]), float(sums[1, 0] / sums[1, 1])


def items_of(rows: Sequence[Row], name: str) -> set[str]:
    """The items that a figure is about: those that somebody calls an error, or correct."""
    wanted = {"agreement": ("error", "ok"), "sensitivity": ("error",), "specificity": ("ok",)}[name]
    return {str(row["item"]) for row in rows if row["rater_kind"] == "human" and row["label"] in wanted}


@pytest.mark.parametrize("name", ["agreement", "sensitivity", "specificity"])
def test_figures_are_those_of_the_definition(name: str) -> None:
    rows = simulate(1, right_often)
    of_model, of_people = by_definition(rows, name)
    found = measure(rows, name)
    assert found.estimate.value == pytest.approx(of_model, abs=1e-12)
    assert found.people.value == pytest.approx(of_people, abs=1e-12)
    assert found.difference.value == pytest.approx(of_model - of_people, abs=1e-12)
    assert (found.n_judgments, found.estimate.n_units) == (30, len(items_of(rows, name)))


@pytest.mark.parametrize("name", ["agreement", "sensitivity", "specificity"])
def test_the_interval_of_a_difference_is_the_jackknife_by_hand(name: str) -> None:
    """Each item and each person left out in turn, and the figures made anew; halves add up as Howe's do."""
    rows = simulate(2, right_often, n_items=14)
    people = {str(row["rater"]) for row in rows if row["rater_kind"] == "human"}

    def value(left: Sequence[Row]) -> float:
        of_model, of_people = by_definition(left, name)
        return of_model - of_people

    squared = 0.0
    for key, names in (("item", items_of(rows, name)), ("rater", people)):
        left = np.array([value([row for row in rows if row[key] != name_]) for name_ in sorted(names)])
        n = len(left)
        squared += float(stats.t.ppf(0.975, n - 1)) ** 2 * (n - 1) / n * float(((left - left.mean()) ** 2).sum())
    interval = measure(rows, name).difference.interval
    assert interval is not None
    assert (interval.high - interval.low) / 2 == pytest.approx(sqrt(squared), rel=1e-9)
    assert (interval.high + interval.low) / 2 == pytest.approx(value(rows), abs=1e-9)


def test_the_same_figures_whoever_came_first_in_the_table() -> None:
    rows = simulate(3, right_often)
    shuffled = [rows[at] for at in np.random.default_rng(0).permutation(len(rows))]
    assert crowd_models(rows).to_dict() == crowd_models(shuffled).to_dict()


def test_people_who_are_kept_give_a_shorter_interval() -> None:
    rows = simulate(4, right_often)
    widths = []
    for people in ("random", "fixed"):
        interval = measure(rows, people=people).estimate.interval
        assert interval is not None
        widths.append(interval.high - interval.low)
    assert widths[0] > widths[1]


def test_repeated_judgments_of_a_model_share_a_vote_and_show_how_steady_it_is() -> None:
    rows = simulate(5, right_often)
    own = [row for row in rows if row["rater_kind"] == "model"]
    alike = crowd_models([*rows, *own])
    assert [row.estimate.value for row in alike.measures[:3]] == [
        measure(rows, name).estimate.value for name in ("agreement", "sensitivity", "specificity")
    ]
    other = [{**row, "label": "ok" if row["label"] == "error" else "error"} for row in own[:10]]
    again = measure([*rows, *own[10:], *other], "same answer again")
    assert again.estimate.value == pytest.approx(20 / 30)
    assert again.people.value is None


def test_by_true_labels_a_model_has_its_own_sensitivity() -> None:
    rows = [judged(f"i{n}", rater, "error") for n in range(4) for rater in ("h1", "h2", MODEL)]
    rows += [judged("i9", rater, "ok") for rater in ("h1", "h2", MODEL)]
    gold = {"i0": "error", "i1": "error", "i2": "ok", "i9": "ok"}
    assert measure(rows, "sensitivity", gold=gold).estimate.value == 1
    assert measure(rows, "specificity", gold=gold).estimate.value == 0.5
    assert measure(rows, "specificity", gold=gold).people.value == 0.5


def test_strata_and_types_have_rows_of_their_own() -> None:
    rows = [{**row, "stratum": "flagged" if str(row["item"]) < "i2" else "other"} for row in simulate(6, right_often)]
    part = [row for row in rows if row["stratum"] == "flagged"]
    found, alone = measure(rows, "sensitivity", "stratum=flagged"), measure(part, "sensitivity")
    assert found[3:] == alone[3:]


def choices(model: Callable[[np.random.Generator, int, int], int], seed: int = 0, n: int = 150) -> list[Row]:
    """Of each pair one output is better, and people mostly see that; the model is asked in both orders."""
    rng = np.random.default_rng(seed)
    rows, sides = [], ("first", "second")
    for number in range(n):
        better, item = int(rng.integers(2)), f"p{number}"
        texts = {"candidate1": "a" * int(rng.integers(5, 15)), "candidate2": "b" * 10, "system1": "A", "system2": "B"}
        for person in range(4):
            said = better if rng.random() < 0.8 else 1 - better
            rows.append(judged(item, f"h{person}", sides[said], top=sides[int(rng.integers(2))], **texts))
        for top in (0, 1):
            rows.append(judged(item, MODEL, sides[model(rng, top, better)], top=sides[top], **texts))
    return rows


def test_a_model_that_favors_the_first_position_is_shown_to() -> None:
    rows = choices(lambda rng, top, better: top if rng.random() < 0.7 else better)
    found = measure(rows, "first position")
    assert found.estimate.interval is not None
    assert found.difference.interval is not None
    assert found.estimate.interval.low > 0.6
    assert found.difference.interval.low > 0.1
    swapped = measure(rows, "same answer in the other order").estimate
    assert swapped.value is not None
    assert swapped.value < 0.5


def test_a_model_without_a_leaning_is_not_shown_to_have_one() -> None:
    found = measure(choices(lambda rng, _, better: better if rng.random() < 0.8 else 1 - better), "first position")
    assert found.estimate.interval is not None
    assert found.estimate.interval.low < 0.5 < found.estimate.interval.high


def test_longer_outputs_and_those_of_the_own_family() -> None:
    rows = choices(lambda *_: 0)
    longer = measure(rows, "longer output")
    of_model = [row for row in rows if row["rater_kind"] == "model"]
    uneven = [len(str(row["candidate1"])) > 10 for row in of_model if len(str(row["candidate1"])) != 10]
    assert longer.estimate.value == pytest.approx(np.mean(uneven))
    own = measure(rows, "own family", family="small=A")
    assert own.estimate.value == 1
    assert own.estimate.interval is not None
    assert own.difference.interval is not None
    assert own.difference.interval.low > 0
    assert measure(rows, "own family", family=f"{MODEL}=B,C").estimate.value == 0


def test_drift_is_the_change_from_the_first_to_the_last_judgment() -> None:
    rows = [judged(f"i{n}", rater, "error" if n < 5 else "ok") for n in range(10) for rater in ("h1", "h2", "h3")]
    for n in range(10):
        rows.append(judged(f"i{n}", MODEL, "error" if n < 5 else "ok", at="2026-01-31T12:00:00Z"))
        rows.append(judged(f"i{n}", MODEL, "error", at="2026-03-31T12:00:00Z"))
    assert measure(rows, "drift").estimate.value == pytest.approx(-0.5)
    assert measure(rows, "drift of errors").estimate.value == pytest.approx(0.5)
    assert crowd_models(rows).to_dict() == crowd_models(rows[::-1]).to_dict()


def test_rankings_are_read_as_pairs() -> None:
    rows = []
    for number in range(20):
        for rater in ("h1", "h2", "h3"):
            rows.append(judged(f"s{number}", rater, "1 2 3", shown="A / B / C", ranking="A > B = C"))
        rows.append(judged(f"s{number}", MODEL, "1 2 3", shown="C / B / A", ranking="C > B > A"))
    agreement = measure(rows)
    assert (agreement.estimate.value, agreement.n_judgments, agreement.estimate.n_units) == (0, 60, 20)
    first = measure(rows, "first position")
    assert (first.estimate.value, first.people.value) == (1, 1)


def test_a_model_alone_or_people_alone_are_refused() -> None:
    rows = simulate(7, right_often, n_items=4)
    for kind in ("human", "model"):
        with pytest.raises(UsageError, match="models"):
            crowd_models([row for row in rows if row["rater_kind"] == kind])


def save(rows: Sequence[Row], path: Path) -> None:
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, [*rows[0]])
        writer.writeheader()
        writer.writerows(rows)


def test_the_command_reads_tables_and_facts_of_items(errorbar: CommandLine, tmp_path: Path) -> None:
    rows = simulate(8, right_often)
    save(rows, tmp_path / "judgments.csv")
    facts: list[Row] = [{"item": f"i{n}", "topic": "work" if n % 2 else "home"} for n in range(30)]
    save(facts, tmp_path / "items.csv")
    done = errorbar(
        *("crowd", "models", tmp_path / "judgments.csv", "--about", tmp_path / "items.csv", "--by", "topic"),
        *("--format", "json"),
    )
    document = json.loads(done.out)
    assert {row["group"] for row in document["measures"]} == {"", "topic=home", "topic=work"}
    whole = [row for row in document["measures"] if not row["group"]]
    assert whole == crowd_models(rows).to_dict()["measures"]


def test_gold_excludes_a_model_that_calls_everything_an_error() -> None:
    rows = simulate(10, lambda *_: True, n_items=60)
    truth = {f"i{n}": "error" if n % 2 else "ok" for n in range(60)}
    result = crowd_raters(rows, gold=truth)
    (model,) = [row for row in result.raters if row.rater == MODEL]
    assert (model.verdict, model.by_label) == ("drop", {"error": "keep", "ok": "drop"})
    assert [row["kind"] for row in result.to_dict()["raters"]] == ["human"] * 6 + ["model"]  # type: ignore[attr-defined]


def test_a_model_among_raters_changes_nothing_about_people() -> None:
    rows = simulate(11, right_often)
    alone = crowd_raters([row for row in rows if row["rater_kind"] == "human"]).to_dict()["raters"]
    beside = crowd_raters(rows).to_dict()["raters"]
    assert [{**row, "kind": "human"} for row in alone] == beside[:-1]  # type: ignore[attr-defined, index]


def test_shares_of_errors_without_and_with_a_model() -> None:
    """The first half is judged by people too; the model is right more often than they are."""
    rows = simulate(13, lambda _, truth: truth, n_items=400)
    half = [row for row in rows if row["rater_kind"] == "model" or int(str(row["item"])[1:]) < 200]
    (row,) = crowd_models(half).shares
    y, f, u = (
        np.array([np.mean([r["label"] == "error" for r in half if r["item"] == f"i{n}" and r["rater_kind"] == kind])
                  for n in range(*ends)])
        for kind, ends in (("human", (0, 200)), ("model", (0, 200)), ("model", (200, 400)))
    )  # fmt: skip
    trust = np.cov(y, f, ddof=0)[0, 1] / ((1 + 200 / 200) * np.concatenate([f, u]).var())
    assert row.people.value == pytest.approx(y.mean())
    assert row.assisted is not None
    assert row.trust == pytest.approx(trust)
    assert row.assisted.value == pytest.approx(trust * u.mean() + (y - trust * f).mean())
    assert row.model_only.value == pytest.approx(np.concatenate([f, u]).mean())
    assert row.model_only.interval is None  # the narrowest of all, and its bias in none
    own, helped = row.people.interval, row.assisted.interval
    assert own is not None
    assert helped is not None
    assert helped.high - helped.low < own.high - own.low
    assert row.n_further == 200


def share_of_study(rng: np.random.Generator, n_judged: int) -> tuple[AssistedShare, float]:
    """The shares of a study of 300 items, a tenth errors, of which a model misses four in ten; and the truth."""
    truth = rng.random(300) < 0.1
    says = np.where(truth, rng.random(300) < 0.6, rng.random(300) < 0.01)
    label = np.array(["ok", "error"])
    people = [judged(f"i{n}", "h", label[int(truth[n])]) for n in rng.choice(300, n_judged, replace=False).tolist()]
    model = [judged(f"i{n}", MODEL, label[int(says[n])]) for n in range(300)]
    (row,) = crowd_models([*people, *model]).shares
    return row, float(truth.mean())


def test_shares_with_a_model_hold_the_truth_where_few_items_were_judged() -> None:
    """The few errors that people saw do not show how many the model misses."""
    rng = np.random.default_rng(23)
    runs = [share_of_study(rng, 40) for _ in range(60)]
    ends = [(require(row.assisted).interval, true) for row, true in runs]
    held = [interval.low <= true <= interval.high for interval, true in ends if interval is not None]
    assert len(held) > 40
    assert np.mean(held) >= 0.87  # .95 less 3 standard errors; .78 with the plain variance
    assert share_of_study(rng, 9)[0].trust == 0


def test_without_further_items_a_model_helps_nothing() -> None:
    (row,) = crowd_models(simulate(14, right_often)).shares
    assert (row.assisted, row.n_further, row.trust) == (None, 0, 0)


def worth(rows: Sequence[Row], truth: dict[str, str]) -> ModelWorth:
    (found,) = crowd_howmany(rows, truth=truth, draws=1).worths
    return found


def test_a_model_is_worth_as_many_people_as_have_its_accuracy() -> None:
    """Four of five people are right about each item: one is right in .8 of all cases, the majority of three always."""
    rows = [judged(f"i{n}", f"h{p}", "error" if p else "ok") for n in range(20) for p in range(5)]
    truth = {f"i{n}": "error" for n in range(20)}

    def with_model(n_right: int) -> ModelWorth:
        return worth([*rows, *(judged(f"i{n}", MODEL, "error" if n < n_right else "ok") for n in range(20))], truth)

    assert with_model(16).people.value == pytest.approx(1)  # .8
    assert with_model(18).people.value == pytest.approx(2)  # .9, half way to the majority of three: always right
    assert with_model(13).people.value == pytest.approx(0.5)  # .65, half way from a coin to one person
    assert with_model(5).people.value == 0
    assert with_model(20).people.value == pytest.approx(3)
    interval = with_model(16).people.interval
    assert interval is not None
    assert 0 < interval.low < 1 < interval.high <= 5


def test_experts_tell_what_a_model_is_worth_too() -> None:
    rows = simulate(12, lambda _, truth: truth, n_items=60)
    (found,) = crowd_howmany(rows, experts="h0,h1,h2", draws=1).worths
    assert found.people.value is not None
    assert found.people.value > 1
    assert "models" not in crowd_howmany([r for r in rows if r["rater"] != MODEL], experts="h0,h1", draws=1).to_dict()


@pytest.mark.slow
@pytest.mark.parametrize("accuracy", [0.75, 0.9])
def test_intervals_cover_over_items_and_people(accuracy: float) -> None:
    """People are right with chances from .7 to .9, .8 on average; both right, or both wrong, is agreement."""
    rng, covered, n = np.random.default_rng(9), 0, 200
    truth_value = accuracy * 0.8 + (1 - accuracy) * 0.2
    for _ in range(n):
        skill = rng.uniform(0.7, 0.9, 12)
        rows: list[Row] = []
        for number in range(80):
            truth = bool(rng.random() < 0.3)
            for person in rng.choice(12, 4, replace=False):
                says = truth == bool(rng.random() < skill[person])
                rows.append(judged(f"i{number}", f"h{person}", "error" if says else "ok"))
            rows.append(judged(f"i{number}", MODEL, "error" if truth == bool(rng.random() < accuracy) else "ok"))
        interval = measure(rows).estimate.interval
        assert interval is not None
        covered += interval.low <= truth_value <= interval.high
    assert covered / n >= 0.93
