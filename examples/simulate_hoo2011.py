"""Make the runs of six made-up HOO 2011 teams, because those of the real ones were never released.

    python examples/simulate_hoo2011.py ../shared/data/hoo2011/test examples/hoo2011-runs

Every run has a random stream of its own, so the same seed makes the same files.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from errorbar.core.edit import Fragment
from errorbar.core.problems import Problems
from errorbar.formats.hoo import read_gold, save_fragments
from errorbar.reproduce.hoo2011 import DARING, TEAMS, simulate_run
from errorbar.stats.resampling import stream


def simulate(gold_folder: Path, out: Path, seed: int) -> int:
    """Write the runs, a folder for each team and in it one for each run.

    Args:
        gold_folder: HOO data with ``Gold`` and ``Raw``.
        out: Where to write.
        seed: Where the random numbers begin.

    Returns:
        How many runs were written.
    """
    problems = Problems(lenient=True)
    gold = read_gold(str(gold_folder), problems, need_text=True)
    problems.raise_errors()
    n_runs = 0
    for team in TEAMS:
        for number, daring in enumerate(DARING):
            edits = simulate_run(gold, team, daring, stream(seed, "hoo", team.name, number))
            run = [Fragment(one.name, tuple(each)) for one, each in zip(gold, edits, strict=True)]
            save_fragments(run, str(out / team.name / f"{team.name}-{number}"), problems)
            n_runs += 1
    problems.raise_errors()
    (out / ".gitignore").write_text("*\n", encoding="utf-8")  # they can be made again
    return n_runs


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Make the runs of six made-up HOO 2011 teams.")
    parser.add_argument("gold", type=Path, help="HOO data with Gold and Raw")
    parser.add_argument("out", type=Path, help="folder to write to")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    print(f"{simulate(given.gold, given.out, given.seed)} runs in {given.out}")  # noqa: T201 - a script
