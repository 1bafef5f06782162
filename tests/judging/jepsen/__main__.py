"""``python -m tests.judging.jepsen --seconds 60 --workers 4 --store sqlite --seed 0 --history out.jsonl``."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tests.judging.jepsen.run import Plan, summary, timed


def main() -> None:
    usual = Plan()
    parser = argparse.ArgumentParser(prog="python -m tests.judging.jepsen", description=__doc__)
    parser.add_argument("--seconds", type=float, default=usual.seconds, help="with the nemesis")
    parser.add_argument("--workers", type=int, default=usual.workers, help="processes of the server")
    parser.add_argument("--store", choices=("sqlite", "postgresql"), default=usual.store)
    parser.add_argument("--seed", type=int, default=usual.seed)
    parser.add_argument("--raters", type=int, default=usual.raters)
    parser.add_argument("--rate", type=float, default=usual.rate, help="answers a second that they aim at together")
    parser.add_argument("--every", type=float, default=usual.every, help="seconds between two faults; 0: none")
    parser.add_argument("--edits", action="store_true", help="raters write the edits of sentences")
    parser.add_argument("--history", type=Path, help="file for the history, JSON lines")
    parser.add_argument("--keep", type=Path, help="new folder in which the study and the server's log stay")
    said = vars(parser.parse_args())
    file: Path | None = said.pop("history")
    plan = Plan(**said)
    outcome, seconds = timed(plan, file)
    print("\n".join(summary(plan, outcome, seconds)))
    sys.exit(0 if outcome.well() else 1)


if __name__ == "__main__":
    main()
