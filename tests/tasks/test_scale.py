"""Thirteen teams with ten runs each against ten annotators: what is measured, and what a new run costs."""

from __future__ import annotations

import random
import subprocess
import sys
from pathlib import Path

import pytest

TEAMS = 13
RUNS = 10


def said_of(path: Path) -> str:
    program = str(Path(sys.executable).with_name("errorbar"))
    done = subprocess.run(
        [program, "task", "run", str(path), "--jobs", "2"], capture_output=True, text=True, check=True, timeout=1500
    )
    return done.stderr.splitlines()[0]


@pytest.mark.slow
def test_a_task_of_130_runs(data: Path, tmp_path: Path) -> None:
    """Runs are mixtures of the systems' released outputs: real edits, and no two files alike."""
    released = sorted((data / "conll14_systems" / "official_submissions").iterdir())
    outputs = [file.read_text(encoding="utf-8").split("\n") for file in released if file.name != "INPUT"]
    rng = random.Random(2014)
    gold = data / "bn2015_10gec" / "A*.m2"
    described = f'[task]\nname = "x"\n[[corpus]]\nname = "test"\nlenient = true\ngold = "{gold}"\n'
    for team in range(TEAMS):
        (tmp_path / f"t{team}").mkdir()
        described += f'[[team]]\nname = "t{team}"\nsubmissions = "t{team}"\n'
        for run in range(RUNS):
            base, other = outputs[team % len(outputs)], outputs[(team + run + 1) % len(outputs)]
            lines = [b if rng.random() < run / RUNS else a for a, b in zip(base, other, strict=True)]
            (tmp_path / f"t{team}" / f"run{run}.txt").write_text("\n".join(lines), encoding="utf-8")
    path = tmp_path / "task.toml"
    path.write_text(described)
    assert said_of(path) == "130 runs: 139 measured, 0 from the cache"
    assert said_of(path) == "130 runs: 0 measured, 139 from the cache"
    changed = tmp_path / "t3" / "run5.txt"
    changed.write_text(changed.read_text(encoding="utf-8").replace(" the ", " a ", 3), encoding="utf-8")
    assert said_of(path) == "130 runs: 1 measured, 138 from the cache"
