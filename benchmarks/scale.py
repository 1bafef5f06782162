"""Scoring at scale: generated sentences, one and two processes, and a Dask cluster of two local workers.

For each size and way of working: time, throughput, processor time of the client and of its workers, largest resident
memory of both, and whether everything that is printed (totals and signature) is the same to the last digit. Processor
times say what a machine that does nothing else would reach. Prints a Markdown table.
"""

from __future__ import annotations

import argparse
import os
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from timing import ERRORBAR

WAYS = {
    "1 process": [],
    "2 processes": ["--jobs", "2"],
    "Dask, 2 workers": ["--jobs", "local:2"],
}
BLOCK = 10_000
"""Sentences that one random stream makes."""
N_WORDS = 20_000
N_ANNOTATORS = 2
KINDS = ("ArtOrDet", "Prep", "Nn", "SVA", "Vt", "Wform")
ERROR_RATE = 0.08
FOUND = 0.4
"""Share of the errors that the generated system corrects."""
TICK = 1 / os.sysconf("SC_CLK_TCK")


@dataclass
class Watched:
    """A command that was run, with the processes it started.

    Attributes:
        output: What it printed.
        seconds: From start to exit.
        cpu: Processor seconds of each process, the client first.
        megabytes: Largest resident memory of each process.
    """

    output: str
    seconds: float
    cpu: dict[int, float] = field(default_factory=dict)
    megabytes: dict[int, float] = field(default_factory=dict)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    columns = [
        "sentences",
        "way",
        "s",
        "sentences/s",
        "client µs",
        "workers µs",
        "client MB",
        "largest worker MB",
        "same",
    ]
    print(f"| {' | '.join(columns)} |\n|{'---|' * len(columns)}", flush=True)
    for size in arguments.sizes:
        first = ""
        with tempfile.TemporaryDirectory() as folder:
            gold, system = generate(Path(folder), size, arguments.seed)
            for way in arguments.ways:
                run = watch(
                    [ERRORBAR, "score", "--no-ci", "--format", "csv", "--gold", str(gold), str(system), *WAYS[way]]
                )
                first = first or run.output
                print(f"| {' | '.join(row(size, way, run, same=run.output == first))} |", flush=True)


def row(size: int, way: str, run: Watched, *, same: bool) -> list[str]:
    client, *workers = run.cpu.values()
    memory, *others = run.megabytes.values()
    return [
        f"{size:,}",
        way,
        f"{run.seconds:.1f}",
        f"{size / run.seconds:,.0f}",
        f"{1e6 * client / size:.1f}",
        f"{1e6 * sum(workers) / size:.1f}" if workers else "",
        f"{memory:.0f}",
        f"{max(others):.0f}" if others else "",
        "yes" if same else "NO",
    ]


def watch(command: Sequence[str]) -> Watched:
    """Run a command to its end and look at its processes five times a second."""
    start = time.perf_counter()
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        run = Watched("", 0.0, {process.pid: 0.0}, {process.pid: 0.0})
        while process.poll() is None:
            for pid in family(process.pid):
                look(pid, run)
            time.sleep(0.2)
        assert process.stdout is not None
        run.output = process.stdout.read()
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} exited with {process.returncode}")
    run.seconds = time.perf_counter() - start
    return run


def family(pid: int) -> Iterator[int]:
    """A process and all that descend from it."""
    yield pid
    try:
        children = Path(f"/proc/{pid}/task/{pid}/children").read_text(encoding="ascii")
        threads = [path.name for path in Path(f"/proc/{pid}/task").iterdir() if path.name != str(pid)]
        children += " ".join(
            Path(f"/proc/{pid}/task/{thread}/children").read_text(encoding="ascii") for thread in threads
        )
    except OSError:  # it has just ended
        return
    for child in children.split():
        yield from family(int(child))


def look(pid: int, run: Watched) -> None:
    try:
        numbers = Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()
        status = Path(f"/proc/{pid}/status").read_text(encoding="utf-8")
    except OSError:  # it has just ended
        return
    run.cpu[pid] = (int(numbers[11]) + int(numbers[12])) * TICK
    for line in status.splitlines():
        if line.startswith("VmHWM:"):
            run.megabytes[pid] = int(line.split()[1]) / 1024


def generate(folder: Path, size: int, seed: int) -> tuple[Path, Path]:
    """Write a reference and a system's output; the first sentences are those of a smaller size."""
    gold, system = folder / "gold.m2", folder / "system.txt"
    maker = random.Random(seed)
    words = ["".join(maker.choices("abcdefghijklmnopqrtuvwxyz", k=maker.randint(1, 9))) for _ in range(N_WORDS)]
    with gold.open("w", encoding="utf-8") as m2, system.open("w", encoding="utf-8") as text:
        for block in range(0, size, BLOCK):
            stream = random.Random(f"{seed}/{block}")
            for _ in range(min(BLOCK, size - block)):
                reference, line = sentence(stream, words)
                m2.write(reference)
                text.write(line)
    return gold, system


def sentence(stream: random.Random, words: Sequence[str]) -> tuple[str, str]:
    """One M2 block and the system's line; frequent words are frequent."""
    n = stream.randint(6, 34)
    tokens = [words[int(N_WORDS * stream.random() ** 3)] for _ in range(n)]
    lines = [f"S {' '.join(tokens)}"]
    corrected = list(tokens)
    wrong = [at for at in range(n) if stream.random() < ERROR_RATE]
    right = {at: f"{words[int(N_WORDS * stream.random() ** 3)]}s" for at in wrong}  # never what stands there
    for annotator in range(N_ANNOTATORS):
        edits = [at for at in wrong if stream.random() < 0.7]
        for at in edits:
            kind = KINDS[at % len(KINDS)]
            lines.append(f"A {at} {at + 1}|||{kind}|||{right[at]}|||REQUIRED|||-NONE-|||{annotator}")
        if not edits:
            lines.append(f"A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||{annotator}")
    for at in range(n):
        if at in right and stream.random() < FOUND:
            corrected[at] = right[at]
        elif stream.random() < 0.02:
            corrected[at] = words[int(N_WORDS * stream.random() ** 3)]
    return "\n".join([*lines, "", ""]), " ".join(corrected) + "\n"


if __name__ == "__main__":
    main()
