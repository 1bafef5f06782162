"""The study of the pages docs/judge/quality.md and analysis.md: 240 sentences, eight simulated judges, one seed."""

from __future__ import annotations

import json
import random
from pathlib import Path

import numpy as np

import errorbar
from errorbar.judging import Study
from tests.judging.simulated_judges import SimulatedJudge
from tests.judging.simulated_work import simulate_work

TEXT = "He sat on the chair with number {} ."
JUDGES = (
    SimulatedJudge("anna", 0.95, seconds=6),
    SimulatedJudge("ben", 0.9),
    SimulatedJudge("carla", 0.88, unsure=0.02),
    SimulatedJudge("dilip", 0.9, {"ok": 0.8}),
    SimulatedJudge("eva", 0.87, seconds=3),
    SimulatedJudge("fritz", 0.92, seconds=5),
    SimulatedJudge("coin", 0.5, seconds=0.7),
    SimulatedJudge("always-ok", 0.0, {"ok": 1.0}, seconds=1.2),
)


def made(folder: Path) -> Path:
    """Make it, and let them judge until nothing is left."""
    generator, rows, gold = random.Random(16), [], []
    for n in range(240):
        wrong = generator.random() < 0.25
        flag = generator.random() < (0.55 if wrong else 0.05)
        row = {"item": f"i{n}", "text": TEXT.format(n), "start": 7, "end": 9, "truth": "error" if wrong else "ok"}
        rows.append(json.dumps({**row, "flag_lm": int(flag)}))
    for n in range(80):
        row = {
            "item": f"g{n}",
            "text": TEXT.format(1000 + n),
            "start": 7,
            "end": 9,
            "answer": "error" if n % 2 else "ok",
        }
        gold.append(json.dumps(row))
    (folder / "items.jsonl").write_text("\n".join(rows) + "\n")
    (folder / "gold.jsonl").write_text("\n".join(gold) + "\n")
    rules = {"raters_per_item": 4, "gold_per_page": 2, "repeats": 0.05, "pay": "0.02 USD"}
    errorbar.judge_init(folder / "study", folder / "items.jsonl", gold_items=folder / "gold.jsonl", **rules)  # type: ignore[arg-type]
    with Study.open(folder / "study").store() as store:
        simulate_work(store, JUDGES, np.random.default_rng(16), start=1_790_000_000.0)
    return folder / "study"
