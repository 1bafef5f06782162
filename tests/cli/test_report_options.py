"""``errorbar report`` on judgments and a judged sample: what the options say reaches the numbers."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from errorbar.demo import demo_files
from tests.helpers.cli import CommandLine

FAST = ("--resamples", "20", "-o", "r.md")


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Votes of three raters on twelve items, and flags of a system."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    votes = [f"i{k},r{r},{'bad' if (k + r) % 3 == 0 else 'fine'}" for k in range(12) for r in range(3)]
    Path("votes.csv").write_text("\n".join(["item,rater,label", *votes]) + "\n")
    Path("flags.csv").write_text("item,flag\n" + "".join(f"i{k},{k % 2}\n" for k in range(12)))


def report(errorbar: CommandLine, *arguments: str) -> str:
    done = errorbar("report", *arguments, *FAST)
    assert done.code == 0, done.err
    return Path("r.md").read_text(encoding="utf-8")


@pytest.fixture
def sample(errorbar: CommandLine) -> tuple[str, ...]:
    """A judged sample of 200 items, a fifth of them flagged; the arguments that name it."""
    Path("frame.csv").write_text("item,flag\n" + "".join(f"i{k},{int(k % 5 == 0)}\n" for k in range(200)))
    draw = ("sample", "draw", "frame.csv", "--budget", "80", "--out", "s.csv", "--key", "k.json")
    assert errorbar(*draw).code == 0
    drawn = [item for one in json.loads(Path("k.json").read_text())["rounds"] for item in one["items"]]
    rows = [f"{item},r,{'bad' if int(item[1:]) % 3 == 0 else 'fine'}\n" for item in drawn]
    Path("done.csv").write_text("item,rater,label\n" + "".join(rows))
    return ("--sample", "k.json", "--sample", "done.csv")


def test_the_label_of_an_error_is_the_one_named(errorbar: CommandLine) -> None:
    call = ("--judgments", "votes.csv", "odd=flags.csv")
    hits = {}
    for label in ("bad", "fine"):
        text = report(errorbar, *call, "--labels", f"error={label}")
        scored = errorbar(
            "crowd", "score", "votes.csv", "odd=flags.csv", "--labels", f"error={label}", "--format", "json"
        )
        weighted = json.loads(scored.out)["rows"][0]
        hits[label] = weighted["hits"]
        assert f"{100 * weighted['P']['value']:.2f}" in text
    assert hits["bad"] != hits["fine"]
    refused = errorbar("report", *call, *FAST)
    assert (refused.code, "[crowd-error-label]" in refused.err) == (2, True)


def test_labels_of_a_sample_are_those_named(errorbar: CommandLine, sample: tuple[str, ...]) -> None:
    text = report(errorbar, *sample, "--labels", "error=bad", "--labels", "ok=fine")
    call = (
        "sample",
        "estimate",
        "done.csv",
        "--key",
        "k.json",
        "--labels",
        "error=bad",
        "--labels",
        "ok=fine",
        "--format",
        "json",
    )
    found = {row["name"]: row for row in json.loads(errorbar(*call).out)["systems"][0]["estimates"]}
    assert f"{100 * found['R']['value']:.2f}" in text
    for missing in (("--labels", "error=bad"), ("--labels", "ok=fine")):
        refused = errorbar("report", *sample, *missing, *FAST)
        assert (refused.code, "[sample-label]" in refused.err) == (2, True)


def test_the_level_of_a_sample_is_that_of_the_report(errorbar: CommandLine, sample: tuple[str, ...]) -> None:
    labels = ("--labels", "error=bad", "--labels", "ok=fine")
    text = report(errorbar, *sample, *labels, "--confidence", "0.8")
    assert ("80%" in text or "80 %" in text, re.search(r"95 ?%", text)) == (True, None)


def test_bad_rows_are_left_out_where_asked_for(errorbar: CommandLine, sample: tuple[str, ...]) -> None:
    for name in ("votes.csv", "done.csv"):
        Path(name).write_text(Path(name).read_text() + "too,few\n")
    for call in (("--judgments", "votes.csv"), (*sample, "--labels", "ok=fine")):
        asked = ("report", *call, "--labels", "error=bad", *FAST)
        refused = errorbar(*asked)
        assert (refused.code, "use --lenient" in refused.err, Path("r.md").exists()) == (2, True, False)
        repaired = errorbar(*asked, "--lenient")
        assert (repaired.code, "repaired: the row is left out" in repaired.err) == (0, True)
        Path("r.md").unlink()


def test_beta_is_short_for_the_parameter_of_the_metric(errorbar: CommandLine) -> None:
    with demo_files() as (gold, (one, *_)):
        call = ("--gold", str(gold), str(one))
        short, long = report(errorbar, *call, "--beta", "2"), report(errorbar, *call, "--metric", "m2(beta=2.0)")
    assert "F2" in short
    assert short.replace("--beta 2.0", "--metric 'm2(beta=2.0)'") == long  # the page shows the command as it was given
