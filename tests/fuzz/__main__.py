"""Run the fuzzer: ``make fuzz``, or ``python -m tests.fuzz --inputs 250000``; see docs/design/fuzzing.md."""

from __future__ import annotations

import argparse
import math
import sys
import time
from collections import Counter
from pathlib import Path

from tests.fuzz import seeds
from tests.fuzz.checked import is_checked, run_again
from tests.fuzz.pool import BATCH, Batch, run_batches, warm_up
from tests.fuzz.readers import Reader
from tests.fuzz.table_readers import READERS
from tests.fuzz.trial import Outcome, Result, make_trial, run_trial, save, saved

FOUND = Path(".fuzz")
"""Where inputs that failed are kept; git ignores it."""
LEAST_READ = 0.2
"""Share of a reader's inputs that must be read, but for chance: mutants that all fail at once test nothing."""
MOST_SAVED = 3
"""Of one kind of failure."""


def main(arguments: list[str] | None = None) -> int:
    """Run, print a table, and return 1 if anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("folders", nargs="*", type=Path, help="inputs that were kept, to be read again")
    parser.add_argument("--inputs", type=int, default=20_000, help="how many, over all readers")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--only", action="append", default=[], metavar="READER", help="repeatable")
    parser.add_argument("--checked", action="store_true", help="with kernels that check indexes and memory")
    given = parser.parse_args(arguments)
    if given.checked and not is_checked():
        return run_again(sys.argv[1:] if arguments is None else arguments)
    if given.folders:
        return _again(given.folders)
    readers = [reader for reader in READERS if not given.only or reader.name in given.only]
    if not readers:
        parser.error(f"readers: {', '.join(reader.name for reader in READERS)}")
    if not seeds.DATA.is_dir():
        print("no research corpora in ../shared/data: seeds are those of the demo corpus and made up")
    warm_up(readers)
    return Run(readers, given.inputs, given.seed, given.jobs).run()


class Run:
    """One run and its counts."""

    def __init__(self, readers: list[Reader], inputs: int, seed: int, jobs: int) -> None:
        self.readers = readers
        self.inputs = inputs
        self.seed = seed
        self.jobs = jobs
        self.counts: dict[str, Counter[Outcome]] = {reader.name: Counter() for reader in readers}
        self.kinds: Counter[tuple[Outcome, str]] = Counter()

    def run(self) -> int:
        """Read every input and say what came of them; 1 if any failed or too few were read."""
        of_each_reader = -(-self.inputs // len(self.readers))
        batches = [
            Batch(reader, start, min(start + BATCH, of_each_reader))
            for start in range(0, of_each_reader, BATCH)
            for reader in self.readers
        ]
        started = time.monotonic()
        try:
            run_batches(batches, self.seed, self.jobs, self._report)
        except KeyboardInterrupt:
            print("interrupted; this is what was read so far")
        self._print()
        n = sum(counts.total() for counts in self.counts.values())
        print(f"{n:,} inputs, seed {self.seed}, {time.monotonic() - started:.0f} s")
        poor = [name for name, counts in self.counts.items() if counts and _too_few(counts)]
        if poor:
            print(f"fewer than {LEAST_READ:.0%} are read of: {', '.join(poor)}; the mutations must become gentler")
        if self.kinds:
            print(f"inputs that failed are in {FOUND}/; read one again: python -m tests.fuzz {FOUND}/NAME")
        return 1 if poor or self.kinds else 0

    def _report(self, reader: Reader, number: int, result: Result) -> None:
        self.counts[reader.name][result.outcome] += 1
        if not result.outcome.failed:
            return
        kind = (result.outcome, f"{reader.name}: {result.kind}")
        self.kinds[kind] += 1
        if self.kinds[kind] <= MOST_SAVED:
            kept = save(make_trial(reader, self.seed, number), reader, result, FOUND)
            if self.kinds[kind] == 1:
                last = result.detail.strip().splitlines()[-1:] or [""]
                print(f"{result.outcome}: {kind[1]}: {_plain(last[0])}\n  python -m tests.fuzz {kept}", flush=True)

    def _print(self) -> None:
        print(
            f"\n{'reader':18}{'inputs':>9}{'read':>8}"
            + "".join(f"{_short(outcome):>10}" for outcome in list(Outcome)[1:])
        )
        for name, counts in self.counts.items():
            others = "".join(f"{counts[outcome]:10,}" for outcome in list(Outcome)[1:])
            print(f"{name:18}{counts.total():9,}{_share(counts):8.0%}{others}")
        for (outcome, kind), count in self.kinds.most_common():
            print(f"{count:8,} {outcome} {kind}")


def _share(counts: Counter[Outcome]) -> float:
    return counts[Outcome.READ] / max(1, counts.total())


def _too_few(counts: Counter[Outcome]) -> bool:
    return _share(counts) < LEAST_READ - 2 * math.sqrt(LEAST_READ * (1 - LEAST_READ) / max(1, counts.total()))


def _short(outcome: Outcome) -> str:
    return {Outcome.PLACED: "placed", Outcome.UNPLACED: "unplaced"}.get(outcome, str(outcome))


def _plain(text: str) -> str:
    return text[:200].encode("unicode_escape").decode()


def _again(folders: list[Path]) -> int:
    readers = {reader.name: reader for reader in READERS}
    failed = 0
    for folder in folders:
        name, trial = saved(folder)
        warm_up([readers[name]])
        result = run_trial(readers[name], trial, folder / "scratch")
        failed += result.outcome.failed
        print(f"{folder}: {result.outcome} {result.kind}\n{result.detail}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
