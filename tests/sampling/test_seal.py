"""Seals of model raters: what was sealed cannot be changed, and labels that a prompt has seen are refused by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errorbar import Problems
from errorbar.core import InputError, Place, UsageError
from errorbar.sampling.seal import Seal, read_seal, split_items

SEAL = Seal("0123456789abcdef" * 4, {"model": "m", "prompt": "Größe"}, "2026-01-31", ("b", "a"), ("x",))


def test_round_trip_and_every_change_is_found(tmp_path: Path) -> None:
    path = tmp_path / "seal.json"
    SEAL.save(str(path))
    assert read_seal(path).hash == SEAL.hash
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["format"] == "errorbar seal 1"
    assert (record["tune"], record["examples"]) == (["a", "b"], ["x"])
    changes = {"identity": "f" * 64, "model": {"model": "n"}, "sealed": "2026-02-01", "tune": ["a"], "examples": []}
    for name, value in changes.items():
        path.write_text(json.dumps(record | {name: value}), encoding="utf-8")
        with pytest.raises(InputError, match="was changed after it was written"):
            read_seal(path)
    path.write_text(json.dumps({name: value for name, value in record.items() if name != "tune"}), encoding="utf-8")
    with pytest.raises(InputError, match="not a seal"):
        read_seal(path)
    Seal("f" * 64, {}, tune=[["a"]]).save(str(path))  # type: ignore[list-item]  # no text, as it should not be
    with pytest.raises(InputError, match="not a seal"):
        read_seal(path)


def test_labels_that_the_prompt_has_seen_are_named() -> None:
    with pytest.raises(InputError) as refusal:
        SEAL.seen(["a", "c", "x"], Problems(), Place("judged.csv"))
    assert [problem.what for problem in refusal.value.problems] == [
        "labels of 1 item tuned the prompt: a",
        "labels of 1 item stand in the prompt: x",
    ]
    lenient = Problems(lenient=True)
    assert SEAL.seen(["a", "c", "x"], lenient, Place()) == {"a", "x"}
    assert len(lenient.notes) == 2
    assert not SEAL.seen(["c"], Problems(), Place())


def test_other_models_are_refused() -> None:
    SEAL.refuse_models(["model:m@01234567"], Place())
    for models in (["model:m@01234567", "model:m@76543210"], []):
        with pytest.raises(InputError):
            SEAL.refuse_models(models, Place())


def test_the_split_is_of_names_and_not_of_order() -> None:
    names = [f"s{number}" for number in range(20_000)]
    tune, calibrate = split_items(names, 0.2, 5)
    assert split_items(names[::-1], 0.2, 5) == (tune, calibrate)
    assert sorted([*tune, *calibrate]) == sorted(names)
    assert len(tune) / len(names) == pytest.approx(0.2, abs=0.01)  # 3.5 standard errors
    assert {*split_items(names[:100], 0.2, 5)[0]} == {*tune} & {*names[:100]}  # more items change no other's side
    other = {*split_items(names, 0.2, 6)[0]}
    assert len(other & {*tune}) / len(names) == pytest.approx(0.04, abs=0.01)
    with pytest.raises(UsageError, match="a share of 1"):
        split_items(names, 1.0, 5)
