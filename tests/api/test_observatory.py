"""meta --all: what it computes, by hand and by meta; how often claims hold that are not so; faults of its file."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

import errorbar
from errorbar.core import InputError, Undefined, UsageError
from errorbar.ranking.observatory import Observed, Statistic, View, observe_metrics
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

SYSTEMS = ("a", "b", "c", "d", "e", "f")
ALL = np.arange(len(SYSTEMS))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Four judges compare outputs of thirty sentences; the metric near has scores of sentences, flat of systems."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(3)
    quality = dict(zip(SYSTEMS, np.linspace(1, 0, len(SYSTEMS)), strict=True))
    judged, near = ["system1,system2,winner,item,judge,sentence"], ["system,metric,sentence,score"]
    for sentence in range(1, 31):
        for one, two in combinations(SYSTEMS, 2):
            apart = quality[one] - quality[two] + rng.normal(0, 0.6)
            judged.append(f"{one},{two},{one if apart > 0 else two},{sentence},j{sentence % 4},{sentence}")
        near += [f"{system},near,{sentence},{quality[system] + rng.normal(0, 0.5):.4f}" for system in SYSTEMS]
    Path("judged.csv").write_text("\n".join(judged) + "\n")
    Path("near.csv").write_text("\n".join(near) + "\n")
    Path("flat.csv").write_text("system,metric,score\n" + "".join(f"{s},flat,{ord(s) % 3}\n" for s in SYSTEMS))
    Path("known.csv").write_text("system,score\n" + "".join(f"{s},{quality[s]}\n" for s in SYSTEMS))
    Path("all.toml").write_text(
        '[[ranking]]\nname = "judged"\nhuman = "judged.csv"\nscores = ["near.csv", "flat.csv"]\nwindow = 4\n'
        'aggregate = ["corpus", "expected-wins"]\n[ranking.subsets]\nbest = ["a", "b", "c", "d"]\n\n'
        '[[ranking]]\nname = "known"\nhuman = "known.csv"\nscores = ["near.csv", "flat.csv"]\n'
    )


def test_values_are_those_of_meta() -> None:
    result = errorbar.observe("all.toml")
    assert [(one.ranking, one.subset) for one in result.rankings] == [
        ("judged", "all systems"),
        ("judged", "best"),
        *(("judged", f"places {at}–{at + 3}") for at in (1, 2, 3)),
        ("known", "all systems"),
    ]
    first = result.rankings[0].observed
    assert first.metrics == ("near", "near expected-wins", "flat")
    same = errorbar.meta("judged.csv", ["near.csv", "flat.csv"], tests=False, ci=False)
    for at, metric in ((0, "near"), (2, "flat")):
        agreement = next(one for one in same.agreements if one.metric == metric)
        assert first.agreements["pearson"][at].value == pytest.approx(agreement.correlations["pearson"].value)
    assert first.agreements["spa"][0].value == pytest.approx(same.soft[0].accuracy.value)
    assert first.agreements["spa"][2].value is None
    assert set(first.alone["spa"]) == {"systems", "texts", "judges"}
    assert set(result.rankings[-1].observed.alone["pearson"]) == {"systems"}


def test_the_jackknife_by_hand() -> None:
    """Over systems: z = artanh r without each of six; V = 5/6 of the sum of squares about their mean; t of 5."""
    human, metric = np.array([6.0, 5, 4, 3, 2, 1]), np.array([5.0, 6, 3, 4, 2, 0])
    observed = observe_metrics(["it"], View(human, metric[None]), {}, ALL)
    z = [np.arctanh(np.corrcoef(np.delete(human, at), np.delete(metric, at))[0, 1]) for at in range(6)]
    spread = np.sqrt(5 / 6 * ((np.array(z) - np.mean(z)) ** 2).sum())
    whole = np.arctanh(np.corrcoef(human, metric)[0, 1])
    (estimate,) = observed.agreements["pearson"]
    assert estimate.value == pytest.approx(np.tanh(whole))
    assert estimate.interval is not None
    ends = estimate.interval.low, estimate.interval.high
    assert ends == pytest.approx(np.tanh([whole - 2.570582 * spread, whole + 2.570582 * spread]), abs=1e-6)


def test_a_source_that_varies_makes_the_interval_wider() -> None:
    rng = np.random.default_rng(8)
    human, metrics = np.linspace(1, 0, 6), rng.normal(0, 0.3, (2, 6)) + np.linspace(1, 0, 6)
    whole = View(human, metrics)
    views = [View(human + rng.normal(0, 0.05, 6), metrics + rng.normal(0, 0.05, (2, 6))) for _ in range(10)]
    alone = observe_metrics(["one", "two"], whole, {}, ALL).agreements["pearson"][0].interval
    both = observe_metrics(["one", "two"], whole, {"texts": views}, ALL).agreements["pearson"][0].interval
    assert alone is not None
    assert both is not None
    assert both.high - both.low > alone.high - alone.low


@pytest.mark.slow
@pytest.mark.parametrize("n", [8, 15])
def test_claims_that_are_not_so_seldom_hold(n: int) -> None:
    """Three metrics that agree equally well, 400 times: a claim holds in .05 of them or fewer, but for its error."""
    rng, wrong, studies = np.random.default_rng(n), 0, 400
    for _ in range(studies):
        human = rng.normal(0, 1, n)
        metrics = human + rng.normal(0, 0.8, n) * 0.5 + rng.normal(0, 0.8, (3, n))
        observed = observe_metrics(list("xyz"), View(human, metrics), {}, np.arange(n))
        wrong += any(claim.survives(0.05) for claim in observed.claims)
    assert wrong / studies <= 0.05 + 3 * (0.05 * 0.95 / studies) ** 0.5


@pytest.mark.slow
def test_a_claim_that_is_so_holds() -> None:
    rng, held = np.random.default_rng(1), 0
    for _ in range(50):
        human = rng.normal(0, 1, 15)
        metrics = human + np.array([[0.1], [3.0]]) * rng.normal(0, 1, (2, 15))
        observed = observe_metrics(["good", "bad"], View(human, metrics), {}, np.arange(15))
        held += observed.claims[0].survives(0.05) and observed.claims[0].first == "good"
    assert held >= 40


def test_the_command_says_what_the_function_does(errorbar: CommandLine) -> None:
    document = validated("observatory", errorbar("meta", "--all", "all.toml", "--format", "json").out)
    assert [one["subset"] for one in document["rankings"]][:2] == ["all systems", "best"]
    claims = document["rankings"][0]["claims"]
    assert {claim["first"] for claim in claims} <= {"near", "near expected-wins", "flat"}
    assert all(claim["survives"] == (claim["adjusted"] <= document["alpha"]) for claim in claims)
    shown = errorbar("meta", "--all", "all.toml").out
    assert "claims 'the one agrees better than the other' hold at 0.05" in shown
    assert json.dumps(document["rankings"][0]["metrics"][0]["spa"]["over"]).count("low") == 3


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ('human = "judged.csv"', 'human = "gone.csv"', "ranking-file-no-file"),
        ('name = "judged"', 'nam = "judged"', "ranking-file-key"),
        ("window = 4", 'window = "4"', "ranking-file-value"),
        ('"expected-wins"', '"wins"', "ranking-file-value"),
        ('scores = ["near.csv", "flat.csv"]\nwindow', "window", "ranking-file-value"),
        ('best = ["a"', 'best = ["z"', "meta-unknown-system"),
        ('best = ["a", "b", "c", "d"]', 'best = ["a", "b"]', "meta-few-systems"),
        ("[[ranking]]", "[[ranking", "ranking-file-toml"),
        ('aggregate = ["corpus", "expected-wins"]', "aggregate = []", "ranking-file-value"),
        ("window = 4", 'metrics = ["m2"]', "ranking-file-value"),
        ("window = 4", "window = 7", "meta-window"),
        ("best = [", '"all systems" = [', "meta-same-name"),
        ('name = "known"', 'name = "judged"', "ranking-file-value"),
    ],
)
def test_faults_of_the_file(before: str, after: str, code: str) -> None:
    text = Path("all.toml").read_text()
    assert before in text
    Path("all.toml").write_text(text.replace(before, after, 1))
    with pytest.raises((InputError, UsageError)) as caught:
        errorbar.observe("all.toml")
    assert code in [problem.code for problem in caught.value.problems]


def _observe(**scores: list[str]) -> Observed:
    """All systems of the judgments, against tables of rows."""
    for name, rows in scores.items():
        Path(f"{name}.csv").write_text("\n".join(["system,sentence,score", *rows, ""]))
    listed = ", ".join(f'"{name}.csv"' for name in ("near", *scores))
    Path("all.toml").write_text(
        f'[[ranking]]\nname = "judged"\nhuman = "judged.csv"\nscores = [{listed}]\n'
        'aggregate = ["corpus", "expected-wins"]\n'
    )
    return errorbar.observe("all.toml").rankings[0].observed


def _why(observed: Observed, metric: str, statistic: Statistic = "pearson") -> tuple[float | None, Undefined | None]:
    """A metric's value, and why it has none, or no interval."""
    estimate = observed.agreements[statistic][observed.metrics.index(metric)]
    return estimate.value, estimate.undefined or estimate.no_interval


def test_a_metric_without_a_value_in_a_part_of_the_text_has_no_interval() -> None:
    """``few`` has two sentences; ``once`` tells systems apart in two, and ties in all others."""
    few = [f"{system},{k},{ord(system) % 5 + k}" for system in SYSTEMS for k in (1, 2)]
    once = [f"{system},{k},{ord(system) % 5 if k < 3 else 0}" for system in SYSTEMS for k in range(1, 31)]
    observed = _observe(few=few, once=once)
    for metric in ("few", "few expected-wins", "once", "once expected-wins"):
        value, why = _why(observed, metric)
        assert value is not None
        assert why is Undefined.WITHOUT_A_TEXT
    assert _why(observed, "few", "spa")[1] is Undefined.WITHOUT_A_TEXT
    assert _why(observed, "near")[1] is None
    assert all(claim.p == 1 for claim in observed.claims if "few" in (claim.first, claim.second))


def test_a_metric_that_says_the_same_of_all_has_no_correlation() -> None:
    same = [f"{system},{k},1" for system in SYSTEMS for k in range(1, 31)]
    for system in SYSTEMS[:2]:  # each wins once
        same += [f"{system},{ord(system)},1", *(f"{other},{ord(system)},0" for other in SYSTEMS if other != system)]
    balance = [f"{other},3{k},{int(k == at)}" for k in range(2, 6) for at, other in enumerate(SYSTEMS)]
    assert _why(_observe(same=[*same, *balance]), "same") == (None, Undefined.CONSTANT)


@pytest.mark.parametrize(
    ("left", "why"),
    [
        (lambda row: row[4] == "j0", None),  # one judge alone: nobody knows how judges vary
        (lambda row: "f" not in row[:2] or row[4] == "j0", Undefined.WITHOUT_A_JUDGE),
        (lambda row: "f" not in row[:2] or row[5] in ("1", "2"), Undefined.WITHOUT_A_TEXT),
    ],
)
def test_a_system_that_one_part_decides_on_is_compared(
    left: Callable[[list[str]], bool], why: Undefined | None
) -> None:
    head, *rows = Path("judged.csv").read_text().splitlines()
    Path("judged.csv").write_text("\n".join([head, *(row for row in rows if left(row.split(",")))]) + "\n")
    value, reason = _why(_observe(), "near")
    assert value is not None
    assert reason is why


def test_other_numbers_of_sentences_are_noted() -> None:
    near = Path("near.csv").read_text().splitlines()
    moved = [",".join([system, metric, str(int(k) + 1), score]) for system, metric, k, score in map(_cells, near[1:])]
    Path("near.csv").write_text("\n".join([near[0], *moved, ""]))
    (note,) = (note for note in errorbar.observe("all.toml").notes if note.code == "meta-left-out")
    assert note.what == "near lacks scores for 1 of the 30 judged sentences"


def _cells(row: str) -> list[str]:
    return row.split(",")


def test_hidden_files_are_no_systems() -> None:
    Path("texts").mkdir()
    for at, name in enumerate((*SYSTEMS, ".DS_Store")):
        Path("texts", name).write_text("".join(f"a {'b' if k % 7 < at else 'c'} .\n" for k in range(30)))
    for name, word in (("source", "c"), ("reference", "b")):
        Path(name).write_text(f"a {word} .\n" * 30)
    errorbar.convert("reference", "gold.m2", source="source")
    Path("all.toml").write_text(
        '[[ranking]]\nname = "judged"\nhuman = "judged.csv"\ngold = "gold.m2"\nsystems = "texts"\nmetrics = "gleu"\n'
    )
    assert errorbar.observe("all.toml").rankings[0].systems == SYSTEMS


def test_scores_of_systems_alone_have_no_wins() -> None:
    text = 'scores = ["near.csv", "flat.csv"]\nwindow = 4\naggregate = ["corpus", "expected-wins"]'
    changed = Path("all.toml").read_text().replace(text, 'scores = "flat.csv"\naggregate = "expected-wins"')
    Path("all.toml").write_text(changed)
    with pytest.raises(UsageError, match="no metric of the ranking 'judged' has scores of sentences"):
        errorbar.observe("all.toml")


def test_what_the_file_says_is_not_said_again(errorbar: CommandLine) -> None:
    assert "--method is not used with --all" in errorbar("meta", "--all", "all.toml", "--method", "trueskill").err
    assert "--all and near.csv" in errorbar("meta", "--all", "all.toml", "near.csv").err
