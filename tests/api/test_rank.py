"""rank, meta and the functions of sample: paths or objects in, what the commands print out."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from errorbar import Corpus, Hypothesis, Judgments, Sentence, meta, rank, sample_draw, sample_estimate, sample_plan
from errorbar.api import compare_pairs
from errorbar.core import Comparisons, MetricScores, UsageError
from errorbar.formats import read_metric_scores, read_rankings
from errorbar.sampling import Frame
from errorbar.tables import Result
from tests.helpers.cli import CommandLine

PAIRS = "system1,system2,winner\n" + "A,B,A\n" * 6 + "A,B,B\n" * 4 + "B,C,B\n" * 7 + "B,C,C\n" * 3 + "A,C,tie\n" * 2
SCORES = "system,metric,score\nA,x,3\nB,x,2\nC,x,1\nA,y,1\nB,y,3\nC,y,2\n"


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pairs.csv").write_text(PAIRS)
    Path("scores.csv").write_text(SCORES)
    flags = "".join(f"i{k},{int(k % 5 == 0)}\n" for k in range(300))
    Path("flags.csv").write_text(f"item,flag\n{flags}")


def printed(errorbar: CommandLine, *words: object) -> object:
    done = errorbar(*words, "--format", "json")
    assert done.code == 0, done.err
    document = json.loads(done.out)
    return {key: value for key, value in document.items() if key not in ("schema", "warnings")}


def as_json(result: Result) -> object:
    return json.loads(json.dumps(result.to_dict()))


def test_the_command_prints_what_the_function_returns(errorbar: CommandLine) -> None:
    found = rank("pairs.csv", ["bradley-terry", "trueskill"], resamples=30, seed=4)
    options = ("--method", "bradley-terry", "--method", "trueskill", "--resamples", 30, "--seed", 4)
    assert as_json(found) == printed(errorbar, "rank", "pairs.csv", *options)
    agreed = meta("pairs.csv", ["scores.csv"], resamples=30, permutations=20)
    given = ("pairs.csv", "scores.csv", "--resamples", 30, "--show", "tests=20")
    assert as_json(agreed) == printed(errorbar, "meta", *given)
    plan = sample_plan("flags.csv", budget=90, costs=[2, 1], raters=3, price=0.1)
    wanted = ("--budget", 90, "--costs", "2,1", "--raters", 3, "--price", 0.1)
    assert as_json(plan) == printed(errorbar, "sample", "plan", "flags.csv", *wanted)
    assert as_json(sample_plan(flagged=100, unflagged=900, half_width=0.1).compare()) == printed(
        errorbar, "sample", "compare", "--flagged", 100, "--unflagged", 900, "--half-width", 0.1
    )
    assert [note.code for note in found.notes] == ["ranking-rows"]


def test_objects_are_taken_as_files_are() -> None:
    comparisons = read_rankings("pairs.csv")
    assert rank(comparisons, resamples=20).to_dict() == rank(Path("pairs.csv"), resamples=20).to_dict()
    metrics = read_metric_scores("scores.csv")
    assert meta(comparisons, metrics, ci=False).to_dict() == meta("pairs.csv", "scores.csv", ci=False).to_dict()
    human = MetricScores("human", {"A": 3.0, "B": 2.0, "C": 1.0})
    assert [agreement.metric for agreement in meta(human, metrics).agreements] == ["x", "y"]
    assert compare_pairs(comparisons).to_dict()["head_to_head"] == rank(comparisons, ci=False).to_dict()["head_to_head"]
    frame = Frame(tuple(f"i{k}" for k in range(300)), np.arange(300)[None] % 5 == 0, ("flags",))
    assert sample_plan(frame, budget=90).to_dict() == sample_plan("flags.csv", budget=90).to_dict()


def test_a_corpus_and_an_output_make_the_frame() -> None:
    corpus = Corpus([Sentence("a b c", {}) for _ in range(40)], ())
    output = Hypothesis("s", ["a x c" if k % 2 else "a b c" for k in range(40)])
    plan = sample_plan(output, corpus=corpus, budget=50, floor=5)
    assert dict(zip(plan.plan.strata.names, plan.plan.strata.sizes.tolist(), strict=True)) == {
        "flagged": 20,
        "unflagged": 100,
    }


def test_from_a_draw_to_an_estimate_without_a_file() -> None:
    drawn = sample_draw("flags.csv", budget=120, seed=2, rater=["ann"])
    items = list(drawn.key.items())
    judged = Judgments.from_columns(items, ["ann"] * 120, ["error" if int(i[1:]) % 5 == 0 else "ok" for i in items])
    found = sample_estimate(judged, key=drawn.key)
    precision = found.found.systems[0]["P"].estimate
    assert precision.value == 1
    assert drawn.to_dict() == {"set": drawn.key.rounds[0].name, "items": items}
    assert [column.title for column in found.tables()[0].columns[:4]] == ["system", "quantity", "", "value"]
    again = sample_draw("flags.csv", budget=160, after=drawn.key, judged=judged)
    assert (len(again.key.rounds), len(again.key.items())) == (2, 160)
    again.save("set.csv", "key.json")
    with pytest.raises(UsageError, match="sample-key-exists"):
        again.save("other.csv", "key.json")


@pytest.mark.parametrize(
    ("call", "what"),
    [
        (lambda: rank(5), "judgments must be a path or Comparisons, got 5"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: meta("pairs.csv", {"m": 1}), "scores must be a path, MetricScores or a list of .*, got dict of int"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: meta(None, "scores.csv"), "human must be a path, Comparisons or MetricScores, got None"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: sample_plan(3.5, budget=9), "flags must be a path, .*, got 3.5"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: sample_plan("flags.csv", budget=90, target="Q"), "target must be one of P, R or F, got 'Q'"),  # type: ignore[arg-type]  # wrong on purpose
        (lambda: sample_plan("flags.csv"), "give one of budget and half_width"),
        (lambda: sample_estimate("judged.csv"), "give key"),
        (lambda: sample_draw("flags.csv", budget=90, judged="x.csv"), "give after"),
        (lambda: rank(Comparisons.from_pairs([("A", "B", 1)]), systems="A,B"), "systems is about a file"),
        (lambda: Comparisons.from_pairs([("A", "B", 1), ("A", "B", 0.5)]), "an outcome is none of the three"),  # type: ignore[list-item]  # wrong on purpose
        (lambda: rank("pairs.csv", "elo"), "method must be one of .* or a list of them, got 'elo'"),  # type: ignore[arg-type]  # wrong on purpose
    ],
)
def test_what_is_wrong_is_said_in_python(call: Callable[[], object], what: str) -> None:
    with pytest.raises(UsageError, match=what):
        call()


def test_results_show_themselves() -> None:
    assert repr(rank("pairs.csv", ci=False)).startswith("Ranking(3 rows")
    assert "<table" in sample_plan("flags.csv", budget=90)._repr_html_()
