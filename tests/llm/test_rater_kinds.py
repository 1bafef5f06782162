"""From a live study of people and a model to what kind of rater the model is."""

from __future__ import annotations

import csv
import json
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from errorbar import crowd_models, judge_export, judge_init, judge_llm
from errorbar.crowdsourcing.model_raters import ModelMeasure
from tests.helpers.cli import CommandLine
from tests.judging.simulated import work
from tests.llm.server import ModelServer

MONTH = 30 * 86_400.0
PAIRS = "item,text,candidate1,candidate2,system1,system2\n" + "".join(
    f"item-{n},He depends [of] him number {n} .,of,upon,old-sys,new-sys\n" for n in range(30)
)


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A choice test that people judged, and a model that always takes the text at the top, asked in both orders."""
    folder = tmp_path_factory.mktemp("pairs")
    (folder / "items.csv").write_text(PAIRS, encoding="utf-8")
    judge_init(folder / "study", folder / "items.csv", scheme="choice")
    work(folder / "study")
    with ModelServer() as server:
        judge_llm(folder / "study", endpoint=server.url, model="tiny")
    judge_export(folder / "study", folder / "both.csv", models="beside", include="repeats")
    judge_export(folder / "study", folder / "people.csv", models="none", include="repeats")
    judge_export(folder / "study", folder / "models.csv", models="only", include="repeats")
    judge_export(folder / "study", folder / "study.jsonl")
    return folder


def measures(*paths: Path, **options: Path) -> dict[str, ModelMeasure]:
    return {row.measure: row for row in crowd_models([str(path) for path in paths], **options).measures}  # type: ignore[arg-type]


def test_a_model_that_always_takes_the_first_position_is_shown_to(study: Path) -> None:
    found = measures(study / "both.csv")
    first, turned = found["first position"], found["same answer in the other order"]
    assert (first.estimate.value, first.n_judgments, first.estimate.n_units) == (1, 60, 30)
    assert first.estimate.interval is not None
    assert first.estimate.interval.low > 0.85
    assert first.people.value is not None
    assert turned.estimate.value == 0


def test_a_study_and_its_recorded_tables_give_the_same_analysis(study: Path) -> None:
    live = crowd_models(str(study / "both.csv")).to_dict()
    recorded = crowd_models([str(study / "models.csv"), str(study / "people.csv")]).to_dict()
    assert live == recorded


def record_by_hand(exported: Path, path: Path, columns: Sequence[str]) -> None:
    """A table of the same judgments with these columns alone: item after item, people and models mixed, last first."""
    with exported.open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    items = [*dict.fromkeys(row["item"] for row in rows)]
    rows.reverse()
    with path.open("w", encoding="utf-8", newline="") as file:
        table = csv.DictWriter(file, columns, extrasaction="ignore")
        table.writeheader()
        table.writerows(sorted(rows, key=lambda row: items.index(row["item"])))


def test_pairs_that_were_recorded_by_hand_give_what_the_live_study_gives(study: Path) -> None:
    columns = ("at", "rater_kind", "label", "rater", "top", "system2", "system1", "item")
    record_by_hand(study / "both.csv", study / "recorded.csv", columns)
    assert crowd_models(study / "recorded.csv").to_dict() == crowd_models(study / "both.csv").to_dict()


@pytest.mark.parametrize("command", ["models", "raters"])
def test_a_table_that_was_recorded_by_hand_gives_what_the_live_study_gives(
    command: str, tmp_path: Path, errorbar: CommandLine
) -> None:
    """Of people and two models, one of which gold excludes: every figure, verdict and interval."""
    items = "".join(f"item-{n},He depends [of] him number {n} .\n" for n in range(12))
    gold = "".join(f"gold-{n},She goes [to] school number {n} .,ok\n" for n in range(12))
    (tmp_path / "items.csv").write_text(f"item,text\n{items}", encoding="utf-8")
    (tmp_path / "gold.csv").write_text(f"item,text,label\n{gold}", encoding="utf-8")
    judge_init(tmp_path / "study", tmp_path / "items.csv", gold_items=tmp_path / "gold.csv", scheme="error-ok")
    work(tmp_path / "study", answer=lambda scheme, lease, random: {"judgment": random.choice(["error", "ok", "ok"])})
    with ModelServer(answer=lambda body: {"judgment": "error" if body["model"] == "bad" else "ok"}) as server:
        for model in ("good", "bad"):
            judge_llm(tmp_path / "study", endpoint=server.url, model=model)
    live, recorded = tmp_path / "live.csv", tmp_path / "recorded.csv"
    judge_export(tmp_path / "study", live, models="beside", include=["gold", "excluded"])
    record_by_hand(live, recorded, ("label", "seconds", "at", "rater_kind", "item", "rater"))
    results = []
    for table in (live, recorded):
        done = errorbar("crowd", command, table, "--gold", tmp_path / "gold.csv", "--format", "json")
        assert done.code == 0, done.err
        results.append(json.loads(done.out))
        del results[-1]["warnings"]  # that raters have no use for times, which is not said of exports
    assert results[0] == results[1]
    assert all(f'"model:{name}@' in done.out for name in ("good", "bad"))


def test_lengths_of_outputs_come_from_the_export_of_the_study(study: Path) -> None:
    assert "longer output" not in measures(study / "both.csv")
    longer = measures(study / "both.csv", about=study / "study.jsonl")["longer output"]
    assert longer.estimate.value == pytest.approx(0.5)  # in one of the two orders the longer one stands at the top
    assert longer.people.value is not None


def test_a_model_that_drifts_is_shown_to_in_the_export_of_its_study(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Asked again a month later, it calls everything an error: the times of its replies come from the ledger."""
    items = "".join(f"item-{n},He depends [of] him number {n} .\n" for n in range(20))
    (tmp_path / "items.csv").write_text(f"item,text\n{items}", encoding="utf-8")
    judge_init(tmp_path / "study", tmp_path / "items.csv", scheme="error-ok")
    work(tmp_path / "study", answer=lambda scheme, lease, random: {"judgment": "ok"})
    now = time.time()
    with ModelServer(answer=lambda body: {"judgment": "ok"}) as server:
        judge_llm(tmp_path / "study", endpoint=server.url, model="tiny")
        server.answer = lambda body: {"judgment": "error"}
        monkeypatch.setattr(time, "time", lambda: now + MONTH)
        judge_llm(tmp_path / "study", endpoint=server.url, model="tiny", times=2)
    judge_export(tmp_path / "study", tmp_path / "both.csv", models="beside", include="repeats")
    with (tmp_path / "both.csv").open(encoding="utf-8", newline="") as file:
        times = [(row["rater_kind"], row["round"], row["at"]) for row in csv.DictReader(file)]
    assert {at for kind, _, at in times if kind == "human"} == {""}
    assert all(float(at) < now + MONTH / 2 for _, round_, at in times if round_ == "main" and at)
    assert {float(at) for _, round_, at in times if round_ == "repeat"} == {now + MONTH}
    drifts = measures(tmp_path / "both.csv")
    assert (drifts["drift"].estimate.value, drifts["drift of errors"].estimate.value) == (-1, 1)
    assert drifts["drift"].estimate.n_units == 20
