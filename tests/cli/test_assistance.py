"""A model's labels beside people's: estimates with its help, sealed prompts, and what the model alone would say."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errorbar import sample_estimate
from errorbar.core import InputError
from errorbar.sampling.seal import Seal
from tests.helpers.cli import CommandLine

SEAL = Seal("0123456789abcdef" * 4, {"model": "m"}, "2026-01-31")
MODEL = f"model:m@{SEAL.short_identity}"
FLAGGED = np.arange(2000) < 400
ERRORS = np.random.default_rng(11).random(2000) < np.where(FLAGGED, 0.75, 0.15)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine) -> Path:
    """Flags of 2,000 items, a judged sample of 300, and a model that errs by one rate where a system flags, or two."""
    monkeypatch.chdir(tmp_path)
    flags = "".join(f"i{at},{int(at < 400)}\n" for at in range(2000))
    (tmp_path / "flags.csv").write_text(f"item,flag\n{flags}", encoding="utf-8")
    draw = ("sample", "draw", "flags.csv", "--budget", 300, "--out", "set.csv", "--key", "key.json")
    assert errorbar(*draw).code == 0
    rows = list(csv.DictReader((tmp_path / "set.csv").read_text(encoding="utf-8").splitlines()))
    people = "".join(f"{row['item']},ann,{label(ERRORS[int(row['item'][1:])])},human\n" for row in rows)
    rng = np.random.default_rng(12)
    # The second model misses half of the errors that the system flags, and few others.
    for name, rates in (("even", 0.1), ("uneven", np.where(FLAGGED & ERRORS, 0.5, 0.05))):
        wrong = rng.random(2000) < rates
        model = "".join(f"i{at},{MODEL},{label(ERRORS[at] != wrong[at])},model\n" for at in range(2000))
        (tmp_path / f"{name}.csv").write_text(f"item,rater,label,rater_kind\n{people}{model}", encoding="utf-8")
    (tmp_path / "judged.csv").write_text(f"item,rater,label,rater_kind\n{people}", encoding="utf-8")
    return tmp_path


def label(is_error: object) -> str:
    return "error" if is_error else "ok"


def estimate(errorbar: CommandLine, judged: str, *more: object) -> dict[str, Any]:
    done = errorbar("sample", "estimate", judged, "--key", "key.json", *more, "--format", "json")
    assert done.code == 0, done.err
    record = json.loads(done.out)
    assert "assistance" in record or not more
    return {row["name"]: row for row in record.get("assistance", record["systems"][0]["estimates"])}


def test_one_table_of_people_and_a_model_is_both_judgments_and_help(folder: Path, errorbar: CommandLine) -> None:
    alone = estimate(errorbar, "judged.csv")
    weighed = estimate(errorbar, "even.csv", "--assist", "even.csv", "--flags", "flags.csv")
    for name in ("P", "R", "F"):
        row = weighed[name]
        assert row["alone"]["value"] == alone[name]["value"]  # what the model says is no label
        assert row["alone"]["interval"] == alone[name]["interval"]
        saved = row["saved"]
        assert saved["interval"]["low"] < saved["value"] < saved["interval"]["high"]
        assert saved["value"] > 10
        width = {key: row[key]["interval"]["high"] - row[key]["interval"]["low"] for key in ("alone", "assisted")}
        assert width["assisted"] < width["alone"]
        assert row["disagree"] is False
    assert weighed["P"]["cheap_only"] == pytest.approx(0.75 * 0.9 + 0.25 * 0.1, abs=0.06)


def test_a_table_in_memory_keeps_who_is_a_model(folder: Path) -> None:
    """As columns, as rows and as the file: the same estimates; under a seal, no other model."""
    SEAL.save("seal.json")
    with (folder / "even.csv").open(encoding="utf-8", newline="") as file:
        rows = [*csv.DictReader(file)]
    columns = {name: [row[name] for row in rows] for name in rows[0]}
    named = {"key": "key.json", "flags": "flags.csv"}
    results = [
        sample_estimate("judged.csv", **named, assist=table, seal="seal.json")  # type: ignore[arg-type]
        for table in ("even.csv", columns, rows)
    ]
    assert results[0].to_dict() == results[1].to_dict() == results[2].to_dict()
    assert {result.source for result in results} == {"model"}
    other = columns | {"rater": [name.replace(MODEL, "model:m@ffffffff") for name in columns["rater"]]}
    with pytest.raises(InputError, match="seal-model"):
        sample_estimate("judged.csv", **named, assist=other, seal="seal.json")  # type: ignore[arg-type]


def test_where_the_model_errs_differently_by_stratum_the_two_corrections_disagree(
    folder: Path, errorbar: CommandLine
) -> None:
    weighed = estimate(errorbar, "judged.csv", "--assist", "uneven.csv", "--flags", "flags.csv")
    assert weighed["P"]["disagree"] is True
    low, high = (weighed["P"]["assisted"]["interval"][end] for end in ("low", "high"))
    assert low < ERRORS[:400].mean() < high
    call = ("sample", "estimate", "judged.csv", "--key", "key.json", "--assist", "uneven.csv", "--flags", "flags.csv")
    shown = errorbar(*call)
    assert "the cheap labels err differently in them: trust the assisted estimate" in shown.out
    assert "model-only" in shown.out
    assert "[assist-unsealed]" in shown.err


def test_labels_that_the_sealed_prompt_has_seen_are_refused_by_name(folder: Path, errorbar: CommandLine) -> None:
    drawn = [row.split(",")[0] for row in (folder / "judged.csv").read_text(encoding="utf-8").splitlines()[1:]]
    Seal(SEAL.identity, SEAL.model, SEAL.sealed, drawn[:2], drawn[2:3]).save("seal.json")
    call = ("sample", "estimate", "judged.csv", "--key", "key.json", "--assist", "even.csv", "--flags", "flags.csv")
    refused = errorbar(*call, "--seal", "seal.json")
    assert (refused.code, refused.out) == (2, "")
    assert f"labels of 2 items tuned the prompt: {', '.join(sorted(drawn[:2]))}" in refused.err
    assert f"labels of 1 item stand in the prompt: {drawn[2]}" in refused.err
    lenient = errorbar(*call, "--seal", "seal.json", "--lenient", "--format", "json")
    assert lenient.code == 0, lenient.err
    assert sum(stratum["judged"] for stratum in json.loads(lenient.out)["strata"]) == len(drawn) - 3
    Seal("f" * 64, SEAL.model).save("other.json")
    other = errorbar(*call, "--seal", "other.json")
    assert "[seal-model]" in other.err
    assert errorbar("sample", "estimate", "judged.csv", "--key", "key.json", "--seal", "seal.json").code == 2


def test_what_the_model_says_of_sealed_items_is_not_used_and_renamed_ones_are_told(
    folder: Path, errorbar: CommandLine
) -> None:
    drawn = {row.split(",")[0] for row in (folder / "judged.csv").read_text(encoding="utf-8").splitlines()[1:]}
    tune = [f"i{at}" for at in range(2000) if f"i{at}" not in drawn][:500]
    Seal(SEAL.identity, SEAL.model, SEAL.sealed, tune).save("seal.json")
    call = ("judged.csv", "--assist", "model.csv", "--flags", "flags.csv", "--seal", "seal.json")
    rows = (folder / "even.csv").read_text(encoding="utf-8").splitlines(keepends=True)
    results = []
    for says in ("error", "ok"):
        other = [f"{row.split(',')[0]},{MODEL},{says},model\n" if row.split(",")[0] in tune else row for row in rows]
        (folder / "model.csv").write_text("".join(other), encoding="utf-8")
        results.append(estimate(errorbar, *call))
    assert results[0] == results[1]
    Seal(SEAL.identity, SEAL.model, SEAL.sealed, [*tune, "s1:4"]).save("seal.json")
    done = errorbar("sample", "estimate", *call, "--key", "key.json", "--notes")
    assert done.code == 0
    assert "the model did not judge 1 of 501 sealed items: s1:4" in done.err


def test_a_plan_by_the_power_that_a_pilot_shows(folder: Path, errorbar: CommandLine) -> None:
    pilot = ("--after", "key.json", "--judged", "judged.csv")
    helped = ("flags.csv", *pilot, "--assist", "even.csv")
    plan = ("sample", "plan", "--half-width", 0.02, "--format", "json")
    alone, with_model = (errorbar(*plan, *more) for more in (("flags.csv", *pilot), helped))
    assert alone.code == with_model.code == 0, alone.err + with_model.err
    people, both = json.loads(alone.out), json.loads(with_model.out)
    assert both["power"]["n_alone"] == [stratum["n"] for stratum in people["strata"]]
    assert both["cost"]["items"] < people["cost"]["items"]
    # The model is right in nine of ten: φ² = d² p (1 − p) / (q (1 − q)) with d = .8 and q = .8 p + .1 the share that
    # it flags. A pilot of some hundred items is read carefully, so a good deal less.
    for correlation, p in zip(both["power"]["correlation"], (0.75, 0.15), strict=True):
        q = 0.8 * p + 0.1
        assert 0.3 < correlation < np.sqrt(0.64 * p * (1 - p) / (q * (1 - q))) + 0.05
    shown = errorbar("sample", "plan", "--half-width", 0.02, *helped).out
    assert f"people alone: {people['cost']['items']:,} items" in shown
    assert errorbar("sample", "plan", "flags.csv", "--half-width", 0.02, "--assist", "even.csv").code == 2
