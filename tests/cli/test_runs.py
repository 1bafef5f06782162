"""Systems of several runs: ``name=run1,run2`` scores their mean, and says how it varies over runs."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable
from pathlib import Path
from statistics import mean, variance
from typing import Any

import numpy as np
import pytest
from scipy import stats

from errorbar import compare
from errorbar.demo import demo_files
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

FAST = ("--resamples", "50", "--format", "json")
RUNS = ("careful", "greedy", "articles")
MINE = "mine=careful.txt,greedy.txt,articles.txt"


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[str, str]:
    """The option that names the gold, in a folder with the systems."""
    monkeypatch.chdir(tmp_path)
    with demo_files() as (gold, systems):
        for path in (gold, *systems):
            Path(path.name).write_bytes(path.read_bytes())
    return "--gold", "gold.jsonl"


def rows(errorbar: CommandLine, *call: str) -> dict[str, Any]:
    document = validated("score", errorbar("score", *call, *FAST).out)
    return {row["system"]: row for row in document["rows"]}


@pytest.fixture
def compared(errorbar: CommandLine) -> Callable[..., Any]:
    """What compares systems: JSON, validated."""

    def compare(*call: str) -> Any:  # noqa: ANN401 - JSON
        return validated("compare", errorbar("compare", *call, "--swaps", "100", *FAST).out)

    return compare


def test_a_score_is_the_mean_of_its_runs(demo: tuple[str, str], errorbar: CommandLine) -> None:
    found = rows(errorbar, *demo, MINE, "copy.txt", "--ci")
    single = rows(errorbar, *demo, "careful.txt", "greedy.txt", "articles.txt", "copy.txt", "--ci")
    mine = found["mine"]
    for measure in ("precision", "recall", "f"):
        values = [single[name][measure] for name in RUNS]
        assert mine[measure] == pytest.approx(mean(values))
        assert [run[measure] for run in mine["runs"]["scores"]] == values
        assert mine["runs"]["standard_deviation"][measure] ** 2 == pytest.approx(variance(values))
        judged = mine["judges"]["measures"][measure]
        assert judged["variance_runs"] == pytest.approx(variance(values) / 3)
    assert {**found["copy"], "signature": ""} == {**single["copy"], "signature": ""}


def test_the_interval_holds_the_runs(demo: tuple[str, str], errorbar: CommandLine) -> None:
    """The same output three times varies over texts and judges alone; three outputs vary over runs, too."""
    for name in ("b", "c"):
        Path(f"{name}.txt").write_bytes(Path("careful.txt").read_bytes())
    call = "same=careful.txt,b.txt,c.txt", "mine=careful.txt,copy.txt,gold.txt", "careful.txt"
    Path("gold.txt").write_bytes(Path("articles.txt").read_bytes())
    judged = {name: row["judges"]["measures"] for name, row in rows(errorbar, *demo, *call, "--ci").items()}
    for name in judged["careful"]:
        same, mine, alone = (judged[system][name] for system in ("same", "mine", "careful"))
        assert same["interval"]["low"] == pytest.approx(alone["interval"]["low"])
        assert mine["variance_runs"] > same.get("variance_runs", 0.0)


def test_runs_that_differ_widely_are_too_few(demo: tuple[str, str], errorbar: CommandLine) -> None:
    """Precision of 96, 64 and 63: two degrees of freedom, and t -+ half would be 27 to 122 percent."""
    measures = rows(errorbar, *demo, MINE, "--ci", "--judges", "random(population=none)")["mine"]["judges"]["measures"]
    assert measures["recall"]["interval"]["reason"] == "too few runs: nearly every value is possible"
    for one in measures.values():
        assert one["interval"]["low"] is None or 0 < one["interval"]["low"] < one["interval"]["high"] < 1


def test_a_comparison_is_of_means(demo: tuple[str, str], errorbar: CommandLine, compared: Callable[..., Any]) -> None:
    document = compared(*demo, "mine=careful.txt,greedy.txt", "articles.txt")
    single = rows(errorbar, *demo, "careful.txt", "greedy.txt", "articles.txt")
    values = [single[name]["f"] for name in RUNS]
    (pair,) = document["pairs"]
    assert pair["difference"] == pytest.approx(mean(values[:2]) - values[2])
    assert pair["judges"]["variance_runs"] == pytest.approx(variance(values[:2]) / 2)
    assert "|runs:mine=2|" in document["signature"]
    assert pair["p"] is not None


def test_equal_runs_are_one_system(demo: tuple[str, str], compared: Callable[..., Any]) -> None:
    """A comparison of copies says what that of the output itself says, swap by swap."""
    Path("again.txt").write_bytes(Path("careful.txt").read_bytes())
    one, other = (
        compared(*demo, system, "greedy.txt")["pairs"][0] for system in ("careful=careful.txt,again.txt", "careful.txt")
    )
    assert one == other


@pytest.mark.parametrize("metric", ["m2", "gleu"])
def test_where_judges_are_fixed_p_values_are_over_texts_and_runs(
    demo: tuple[str, str],
    errorbar: CommandLine,
    compared: Callable[..., Any],
    metric: str,
) -> None:
    """One set of judges, several seeds: the variance over runs is in the interval, its degrees of freedom in the t."""
    call = *demo, "--metric", metric, "--judges", "fixed"
    document = compared(*call, MINE, "copy.txt", "--confidence", ".9")
    (pair,) = document["pairs"]
    found = pair["runs"]
    value, v_e, v_r = (found[name] for name in ("value", "variance_texts", "variance_runs"))
    main = "f" if metric == "m2" else "gleu"
    single = rows(errorbar, *call, "careful.txt", "greedy.txt", "articles.txt")
    rough = 1e-9 if metric == "m2" else 0.02  # GLEU's value rests on draws of references, its intervals do not
    assert v_r == pytest.approx(variance([single[name][main] for name in RUNS]) / 3, rel=rough)
    df = (v_e + v_r) ** 2 / (v_e**2 / 5 + v_r**2 / 2)
    assert found["df"] == pytest.approx(df)
    half = stats.t.ppf(0.95, df) * np.sqrt(v_e + v_r)
    assert (found["interval"]["low"], found["interval"]["high"]) == pytest.approx((value - half, value + half))
    p = max(2 * stats.t.sf(abs(value) / np.sqrt(v_e + v_r), df), pair["p_swaps"])  # six texts
    assert pair["p"] == found["p"] == found["p_unadjusted"] == pytest.approx(p)
    assert found["swaps_bound_p"]
    assert pair["result"] == ("significant" if p <= 0.1 else "not significant")
    assert "|runs:mine=3|runs:random|" in document["signature"]


def test_seeds_decide_where_swaps_of_these_runs_would(demo: tuple[str, str], errorbar: CommandLine) -> None:
    """Swaps of these runs say that they differ; by how runs vary, others may not."""
    call = *demo, "mine=careful.txt,articles.txt", "copy.txt", "--judges", "fixed", "--no-ci"
    done = errorbar("compare", *call, "--format", "json")
    (pair,) = validated("compare", done.out)["pairs"]
    assert pair["p_swaps"] <= 0.05 < pair["p"]
    assert pair["result"] == "not significant"
    shown = errorbar("compare", *call)
    assert "mine is not significantly better than copy" in shown.out
    assert "t over texts and runs and swaps, Holm over all pairs" in shown.out
    assert "copy: one run, so that how others would vary" in shown.err


def test_a_score_with_fixed_judges_has_an_interval_over_runs(demo: tuple[str, str], errorbar: CommandLine) -> None:
    call = *demo, MINE, "copy.txt", "--judges", "fixed", "--ci"
    found = rows(errorbar, *call)
    measures = found["mine"]["runs"]["measures"]
    for name, one in measures.items():
        deviation = found["mine"]["runs"]["standard_deviation"][name]
        assert one["variance_runs"] == pytest.approx(deviation**2 / 3)
        said = one["interval"].get("method") or one["interval"]["reason"]
        assert said in ("jackknife over texts and runs, t", "too few runs: nearly every value is possible")
    assert "runs:random" in found["mine"]["signature"]
    assert "runs:random" not in found["copy"]["signature"]
    assert "texts+runs" in errorbar("score", *call, "--resamples", "50").out


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (("mine=careful.txt,careful.txt",), "careful.txt is twice a run of mine; name it once [same-run]"),
        (("mine=careful.txt,nobody.txt",), "nobody.txt: no such file"),
        (("mine=careful.txt,greedy.txt", "--by", "type"), "--by type is about single runs"),
        (("mine=careful.txt,greedy.txt", "--ci-method", "closed"), "--ci-method closed is about single runs"),
    ],
)
def test_what_cannot_be_done(demo: tuple[str, str], errorbar: CommandLine, call: tuple[str, ...], said: str) -> None:
    done = errorbar("score", *demo, *call)
    assert done.code == 2
    assert said in done.err


def test_a_file_whose_name_has_a_comma_is_that_file(demo: tuple[str, str], errorbar: CommandLine) -> None:
    Path("careful.txt,greedy.txt").write_bytes(Path("greedy.txt").read_bytes())
    both = rows(errorbar, *demo, "mine=careful.txt,greedy.txt", "greedy.txt")
    assert both["mine"]["f"] == both["greedy"]["f"]
    assert "runs" not in both["mine"]


def test_other_commands_say_who_takes_runs(demo: tuple[str, str], errorbar: CommandLine) -> None:
    done = errorbar("ceiling", *demo, "mine=careful.txt,greedy.txt")
    assert done.code == 2
    assert "mine has several runs, which only score and compare against one gold take; name each run" in done.err


def test_runs_without_a_name_are_called_by_all_their_files(demo: tuple[str, str], errorbar: CommandLine) -> None:
    assert list(rows(errorbar, *demo, "careful.txt,greedy.txt", "--ci")) == ["careful,greedy"]


def test_p_is_the_one_that_decides_wherever_it_stands(demo: tuple[str, str], errorbar: CommandLine) -> None:
    """Of greedy and articles the swaps say .03125, the t over texts and judges .0565: no safe result."""
    systems = ("careful.txt", "greedy.txt", "articles.txt")
    pair = compare(demo[1], list(systems)).pairs[2]
    assert (f"{pair.p:.4f}", pair.significant, pair.p_swaps) == ("0.0565", False, 0.03125)
    record = validated("compare", errorbar("compare", *demo, *systems, "--format", "json").out)["pairs"][2]
    assert (record["p"], record["p_swaps"], record["result"]) == (pair.p, pair.p_swaps, "not significant")
    assert (record["judges"]["p"], record["p_unadjusted"]) == (pair.p, pair.p_unadjusted)
    row = list(csv.DictReader(io.StringIO(errorbar("compare", *demo, *systems, "--pairs", "--format", "csv").out)))[2]
    assert (float(row["p"]), float(row["p_swaps"])) == (pair.p, pair.p_swaps)
    assert float(row["p_unadjusted"]) == pair.p_unadjusted


@pytest.mark.parametrize("metric", ["m2", "gleu"])
@pytest.mark.parametrize("method", ["bca", "basic"])
def test_every_interval_lies_inside_its_measure(
    demo: tuple[str, str], errorbar: CommandLine, metric: str, method: str
) -> None:
    """Precision of careful was said to reach from 85 to 107 percent (``precision_judges_high`` 1.0668)."""
    call = "--metric", metric, "--judges", "random", "--ci", "--ci-method", method
    for row in rows(errorbar, *demo, "careful.txt", "greedy.txt", "copy.txt", *call).values():
        for one in row["judges"]["measures"].values():
            low, high = one["interval"]["low"], one["interval"]["high"]
            assert low is None or 0 <= low <= one["value"] <= high <= 1
            assert low is not None or one["interval"]["reason"]
