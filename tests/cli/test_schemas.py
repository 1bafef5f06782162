"""Every JSON document against the schema that the documentation publishes for it."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import pytest

from errorbar.testing import accurate, simulate
from tests.cli.schema import SCHEMAS, validated
from tests.helpers.cli import CommandLine
from tests.helpers.crowd import write_judgments

ROOT = Path(__file__).parents[2]
COUNTS = ("--counts", "flagged:1000:750:600", "--counts", "unflagged:9000:1500:450")
BUDGET = ("--budget", "100", "--floor", "10")
FRAMES = ("--flags", "flags.csv", "--flags", "other.csv")
M2 = "S a b c .\nA 0 1|||Det|||X|||REQUIRED|||-NONE-|||0\n\n"

# Name of the schema, and commands whose output it describes.
CALLS: dict[str, list[tuple[str, ...]]] = {
    "crowd-score": [
        ("crowd", "score", "votes.csv", "s=flags.csv"),
        ("crowd", "score", "votes.csv", "s=flags.csv", "none=none.csv", "--metric", "crowd(shares=trust,ties=unknown)"),
        ("crowd", "score", "votes.csv", "s=flags.csv", "--no-ci"),
        ("crowd", "score", "gold.m2", "system.txt"),
    ],
    "crowd-aggregate": [
        ("crowd", "aggregate", "votes.csv"),
        ("crowd", "aggregate", "votes.csv", "--method", "one-coin", "--summary"),
        ("crowd", "aggregate", "few.csv", "--differing"),
    ],
    "crowd-raters": [
        ("crowd", "raters", "votes.csv", "--gold", "gold.csv"),
        ("crowd", "raters", "votes.csv", "--rates"),
        ("crowd", "raters", "one.csv"),
    ],
    "crowd-howmany": [
        ("crowd", "howmany", "votes.csv", "--truth", "gold.csv", "--draws", "20"),
        ("crowd", "howmany", "votes.csv", "--experts", "accurate-1,accurate-2,accurate-3", "--draws", "20"),
    ],
    "crowd-models": [
        ("crowd", "models", "votes.csv", "model.csv"),
        ("crowd", "models", "votes.csv", "model.csv", "--gold", "gold.csv", "--people", "fixed"),
    ],
    "crowd-sweep": [
        ("crowd", "sweep", "votes.csv", "s=item-scores.csv", "--resamples", "50"),
        ("crowd", "sweep", "votes.csv", "s=item-scores.csv", "--truth", "any", "--recalls", "0.5", "--no-ci"),
    ],
    "crowd-mine": [
        ("crowd", "mine", "--counts", "counts", "text.txt", "--n", "1"),
        ("crowd", "mine", "--counts", "counts", "text.txt", "--n", "1", "--key", "mined.csv"),
    ],
    "curve": [
        ("curve", "votes.csv", "s=flags.csv", "none=none.csv", "--resamples", "50"),
        ("curve", "few.csv", "s=few-flags.csv", "--lenient", "--resamples", "20"),
    ],
    "sample-plan": [
        ("sample", "plan", "flags.csv", *BUDGET),
        ("sample", "plan", "flags.csv", *BUDGET, "--price", "0.02", "--minutes", "0.4", "--costs", "2,1"),
        ("sample", "plan", "flags.csv", "other.csv", *BUDGET),
        ("sample", "plan", "flags.csv", "other.csv", *BUDGET, "--looks", "3"),
    ],
    "sample-compare": [("sample", "compare", "flags.csv", *BUDGET)],
    "sample-estimate": [
        ("sample", "estimate", *COUNTS),
        ("sample", "estimate", "--counts", "flagged:10:10:10", "--counts", "unflagged:90:20:0"),
        ("sample", "estimate", "judged.csv", "--key", "key.json"),
        ("sample", "estimate", "judged.csv", "--key", "key.json", "--anytime", "--half-width", "0.2"),
        ("sample", "estimate", "judged.csv", "--key", "key.json", "--looks", "1/3"),
        ("sample", "estimate", "judged.csv", "--key", "key.json", "--truth", "graded"),
        ("sample", "estimate", "judged.csv", "--key", "key.json", "--assist", "votes.csv", *FRAMES),
    ],
    "plan-judging": [
        ("plan-judging", "--gold", "two.m2", "system.txt", "other.txt", "--minutes", "1", "--budget", "2h"),
        ("plan-judging", "--gold", "two.m2", "system.txt", "--pilots", "0", "--design", "9x3"),
    ],
    "attack": [
        ("attack", "--gold", "gold.m2", "system.txt", "--metric", "m2", "--metric", "gleu", "--resamples", "20"),
        ("attack", "--gold", "gold.m2", "--only", "unchanged", "--no-ci"),
        ("attack", "--gold", "gold.m2", "system.txt", "--only", "unchanged", "--scores", "lm=scores.csv"),
    ],
    "check": [("check", "gold.m2"), ("check", "--gold", "gold.m2", "system.txt"), ("check", "votes.csv", "flags.csv")],
    "metrics": [("metrics",)],
    "explain": [("explain",), ("explain", "two-judges")],
    "doctor": [("doctor",)],
    "references": [
        ("references", "--gold", "gold.m2", "--closest-of", "two.m2", "system.txt", "--resamples", "50"),
        (
            "references",
            "--gold",
            "gold.m2",
            "--reference-of",
            "system=other.txt",
            "--seconds",
            "times.csv",
            "system.txt",
        ),
        ("references", "--gold", "gold.m2", "--reference-of", "system=two.m2", "system.txt", "--resamples", "50"),
        ("references", "--gold", "gold.m2", "--independent", "two.m2", "system.txt", "other.txt", "--no-ci"),
    ],
    "data-list": [("data", "list")],
    "data-show": [("data", "show", "hoo2011"), ("data", "show", "jfleg")],
}
ELSEWHERE = {
    "agree",
    "judge-import",  # tests/api/test_import_judgments.py
    "agree-spans",  # tests/api/test_agree_spans.py
    "audit-estimate",  # tests/cli/test_audit.py
    "judges-fit",  # tests/cli/test_judges_fit.py
    "ceiling",
    "compare",
    "reproduce",
    "score",
    "data-fetch",  # tests/datasets/test_data_command.py, which has a server
    *(f"judge-{name}" for name in ("invite", "raters", "change", "backup", "restore")),  # tests/cli/test_judge.py
    "judge-forget",  # tests/judging/test_withdrawal.py
    "judge-llm",  # tests/llm/test_judge_llm.py
    "sample-key",  # below
    *("judge-analyze", "judge-status"),  # tests/judging/test_study_at_work.py, which has studies
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Votes of ten raters, flags of two systems, gold items, text and counts."""
    path = tmp_path_factory.mktemp("schemas")
    made = simulate([accurate(0.85)] * 10, np.random.default_rng(1), n_items=200, per_item=10, prevalence=0.3)
    items, truth = made.judgments.items, made.truth.tolist()
    (path / "votes.csv").write_text("\n".join(write_judgments(made.judgments)) + "\n")
    scores = "".join(f"{item},1,{number % 7}\n" for number, item in enumerate(items))
    (path / "item-scores.csv").write_text(f"item,flag,score\n{scores}")
    (path / "flags.csv").write_text(
        "item,flag\n" + "".join(f"{i},{int(t)}\n" for i, t in zip(items, truth, strict=True))
    )
    (path / "other.csv").write_text(
        "item,flag\n"
        + "".join(f"{i},{int(t or k % 5 == 0)}\n" for k, (i, t) in enumerate(zip(items, truth, strict=True)))
    )
    said = "".join(f"{i},m,{'error' if t else 'ok'},model\n" for i, t in zip(items, truth, strict=True))
    (path / "model.csv").write_text(f"item,rater,label,rater_kind\n{said}")
    (path / "none.csv").write_text("item,flag\n" + "".join(f"{i},0\n" for i in items))
    (path / "gold.csv").write_text("item,label\n" + "".join(f"{i},{t}\n" for i, t in made.gold(range(200)).items()))
    (path / "few.csv").write_text("item,rater,label\nx,a,error\nx,b,ok\ny,a,ok\ny,b,ok\n")
    (path / "few-flags.csv").write_text("item,flag\nx,1\nelsewhere,0\n")
    (path / "one.csv").write_text("item,rater,label\nx,a,error\ny,a,ok\n")
    (path / "gold.m2").write_text(M2 * 3)
    second = "A 1 2|||Det|||Y|||REQUIRED|||-NONE-|||1\n\n"
    (path / "two.m2").write_text(M2.replace("\n\n", f"\n{second}") * 3)
    (path / "other.txt").write_text("X Y c .\na b c .\na b c .\n")
    (path / "system.txt").write_text("X b c .\na b c .\nX b d .\n")
    times = "source,a,1,9\nsystem,a,1,5\nsource,b,1,9\nsystem,b,1,7\nsource,c,1,9\nsystem,c,1,8\n"
    (path / "times.csv").write_text(f"system,editor,sentence,seconds\n{times}")
    (path / "scores.csv").write_text("system,score\nunchanged,1\nsystem,2\n")
    (path / "text.txt").write_text("we discuss about the plan\nlook at the plan\nlook at the plan\n")
    (path / "good.txt").write_text("we discuss the plan\nlook at the plan\n" * 5)
    return path


@pytest.fixture
def drawn(folder: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine) -> Path:
    """The folder with n-gram counts, and a sample of two systems that three raters judged."""
    monkeypatch.chdir(folder)
    if not Path("counts").exists():
        assert errorbar("crowd", "mine", "--build", "--counts", "counts", "good.txt").code == 0
    if not Path("key.json").exists():
        draw = ("sample", "draw", "flags.csv", "other.csv", *BUDGET, "--out", "set.csv", "--key", "key.json")
        assert errorbar(*draw).code == 0
        key = json.loads(Path("key.json").read_text())
        names = [item for one in key["rounds"] for item in one["items"]]
        rows = [
            f"{item},{rater},{'ok' if (number * 7 + rater) % 5 else 'error'}"
            for number, item in enumerate(names)
            for rater in range(3)
        ]
        Path("judged.csv").write_text("item,rater,label\n" + "\n".join(rows) + "\n")
    return folder


@pytest.mark.parametrize(("name", "call"), [(name, call) for name, calls in CALLS.items() for call in calls])
def test_output_is_what_the_schema_says(drawn: Path, errorbar: CommandLine, name: str, call: tuple[str, ...]) -> None:
    done = errorbar(*call, "--format", "json")
    assert done.code == (1 if "flags.csv" in call and name == "check" else 0), done.err
    document = validated(name, done.out)
    assert document["schema"] == f"errorbar.{name.replace('-', '.')}/1"


@pytest.mark.parametrize("metric", ["gleu", "imeasure", "behavior(average=sentence)"])
@pytest.mark.parametrize("name", ["score", "compare", "ceiling", "attack"])
def test_whatever_the_metric_measures(folder: Path, errorbar: CommandLine, name: str, metric: str) -> None:
    """Measures have other names than F, and the I-measure goes below 0, and differences of it beyond 1."""
    files = "--gold", folder / "two.m2", folder / "system.txt", folder / "other.txt"
    validated(name, errorbar(name, *files, "--metric", metric, "--resamples", "20", "--format", "json").out)


@pytest.mark.parametrize("aggregate", ["corpus", "expected-wins", "trueskill"])
@pytest.mark.parametrize("scores", [{"a": [3, 2, 9], "b": [-4, 1, 5]}, {"a": [1, 2, 3], "b": [1, 2, 3]}])
def test_recorded_scores(tmp_path: Path, errorbar: CommandLine, scores: dict[str, list[int]], aggregate: str) -> None:
    """On whatever scale, and where no system wins or loses anything."""
    rows = [f"{system},{k},{score}" for system, own in scores.items() for k, score in enumerate(own, 1)]
    (tmp_path / "it.csv").write_text("\n".join(["system,sentence,score", *rows]) + "\n")
    done = errorbar("compare", "--scores", tmp_path / "it.csv", "--aggregate", aggregate, "--format", "json")
    assert len(validated("compare", done.out)["systems"]) == 2


def test_the_key_of_a_sample_is_what_the_schema_says(drawn: Path) -> None:
    validated("sample-key", Path("key.json").read_text())


def test_every_schema_is_tested_and_linked() -> None:
    names = {re.sub(r"-\d+$", "", path.stem) for path in SCHEMAS.glob("*.json")}
    assert names >= set(CALLS) | ELSEWHERE
    ours = [path.name for path in SCHEMAS.glob("*.json") if re.sub(r"-\d+$", "", path.stem) in set(CALLS) | ELSEWHERE]
    linked = (ROOT / "docs" / "cli.md").read_text(encoding="utf-8")
    assert [name for name in ours if f"schemas/{name}" not in linked] == []
