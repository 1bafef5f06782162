"""The cost of a change: the commands of two source trees, run in turn on the same data.

Run ``python benchmarks/before_after.py BEFORE AFTER``: two folders with the package in them (``src`` of two checkouts,
kernels built). Each command runs in both trees, turn by turn, so that whatever else the machine does hits both alike;
the figure is the median of the processor time (user) of the command; workers of ``--jobs`` are nobody's children and
are not counted (``scale.py`` looks at them). The last column is after / before:
above 1.1 is a loss. Where the trees have other options for the same work, ``Case`` names both.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from timing import table

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
LOSS = 1.1
VOTES = 10_000_000
SENTENCES = 1_000_000


@dataclass(frozen=True, slots=True)
class Case:
    """A command to compare.

    Attributes:
        title: What it does.
        after: Its arguments in the tree after the change.
        before: Its arguments in the tree before; None: the same.
        repeats: How often it runs, if not as often as is asked for.
    """

    title: str
    after: Sequence[object]
    before: Sequence[object] | None = None
    repeats: int | None = None


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("before", type=Path, help="folder with the package before")
    parser.add_argument("after", type=Path, help="folder with the package after")
    parser.add_argument("--data", type=Path, default=DATA, help="folder laid out like the shared corpora")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--votes", type=int, default=VOTES, help="judgments to make and score; 0: none")
    parser.add_argument("--sentences", type=int, default=SENTENCES, help="sentences to make and score; 0: none")
    parser.add_argument("--only", default="", help="expression that titles of cases must hold")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # as where the package is installed
        os.environ["PYTHONPYCACHEPREFIX"] = str(Path(folder) / "bytecode")
        cases = [
            *_on_corpora(arguments.data, Path(folder)),
            *_on_judgments(arguments.votes, Path(folder), arguments.only),
            *_on_sentences(arguments.sentences, Path(folder), arguments.only),
            *(Case(f"{name} --help", [*name.split(), "--help"]) for name in commands(arguments.after)),
        ]
        rows = [
            _compared(case, arguments.before, arguments.after, arguments.repeats)
            for case in cases
            if re.search(arguments.only, case.title)
        ]
    table("User seconds, medians", ["command", "before", "after", "after / before", ""], rows)


def _on_corpora(data: Path, folder: Path) -> Iterator[Case]:
    if not data.is_dir():
        print(f"skipped: no corpora at {data} (give --data)")
        return
    two = ["--gold", data / "conll14/noalt/official-2014.combined.m2"]
    ten = [option for k in range(1, 11) for option in ("--gold", data / f"bn2015_10gec/A{k}.m2")]
    submissions = data / "conll14_systems/official_submissions"
    systems = sorted(path for path in submissions.iterdir() if path.name != "INPUT")
    camb = submissions / "CAMB"
    for count, gold in (("two", two), ("ten", ten)):
        plain = ["score", *gold, camb, "--lenient"]
        yield Case(f"score CAMB, {count} annotators", [*plain, "--no-ci"], plain)
        yield Case(f"score CAMB, {count} annotators, intervals", plain, [*plain, "--ci"])
    yield Case("compare 12 systems, two annotators", ["compare", *two, *systems, "--lenient"])
    yield Case("ceiling of ten annotators", ["ceiling", *ten, "--lenient"])
    report = ["report", *ten, *systems, "--lenient", "-o", folder / "report.html"]
    yield Case("report, 12 systems, ten annotators", report, repeats=3)


def _on_judgments(n: int, folder: Path, only: str) -> Iterator[Case]:
    title = f"crowd score, {n:,} judgments"
    if not n or not re.search(only, title):
        return
    import numpy as np  # noqa: PLC0415 - a few cases need it

    from errorbar.testing import accurate, biased, simulate, spammer  # noqa: PLC0415 - as above

    raters = [biased(0.75, 0.95)] * 400 + [accurate(0.8)] * 50 + [spammer()] * 50
    simulation = simulate(raters, np.random.default_rng(0), n_items=n // 20, per_item=20)
    votes, flags = folder / "votes.csv", folder / "flags.csv"
    with votes.open("w", encoding="utf-8") as stream:
        columns = simulation.judgments.to_columns()
        csv.writer(stream).writerows([tuple(columns), *zip(*columns.values(), strict=True)])
    with flags.open("w", encoding="utf-8") as stream:
        stream.write("item,flag\n")
        labels = simulation.judgments.labels
        rows = zip(simulation.judgments.items, simulation.truth.tolist(), strict=True)
        stream.writelines(f"{item},{labels[label]}\n" for item, label in rows)
    plain = ["crowd", "score", votes, flags]
    yield Case(title, plain, repeats=3)


def _on_sentences(n: int, folder: Path, only: str) -> Iterator[Case]:
    title = f"score {n:,} sentences"
    if not n or not re.search(only, title):
        return
    from stream import generate  # noqa: PLC0415 - needs the package

    gold, system = generate(folder, n)
    for jobs in (1, 2):
        plain = ["score", "--gold", gold, system, "--jobs", jobs]
        note = "" if jobs == 1 else f", of {jobs + 1} processes the one that reads"
        yield Case(f"{title}{note}", [*plain, "--no-ci"], plain, repeats=3)


def commands(tree: Path) -> list[str]:
    """Every command and subcommand of a tree, as its help lists them."""
    names_of_commands: list[str] = []
    waiting = [""]
    while waiting:
        parent = waiting.pop(0)
        shown = _run(tree, [*parent.split(), "--help"], capture=True).output
        for listed in re.findall(r"^\s*\{([\w,-]+)\}", shown, re.MULTILINE) or [",".join(_listed(shown))]:
            names = [f"{parent} {name}".strip() for name in listed.split(",") if name]
            names_of_commands += names
            waiting += names if not parent else []
    return names_of_commands


def _listed(shown: str) -> list[str]:
    """Names in a help's list of commands."""
    _, _, listing = shown.partition("ommands:\n")
    return re.findall(r"^  (?:  )?([a-z][\w-]*)(?:\s{2,}|$)", listing, re.MULTILINE)


def _compared(case: Case, before: Path, after: Path, repeats: int) -> list[str]:
    arguments = {before: case.after if case.before is None else case.before, after: case.after}
    seconds: dict[Path, list[float]] = {before: [], after: []}
    for turn in range(1 + (case.repeats or repeats)):
        for tree, words in arguments.items():
            done = _run(tree, words)
            if turn:  # the first warms the file cache
                seconds[tree].append(done.seconds)
    old, new = (statistics.median(seconds[tree]) for tree in (before, after))
    ratio = new / old
    row = [case.title, f"{old:.3f}", f"{new:.3f}", f"{ratio:.2f}", "LOSS" if ratio > LOSS else ""]
    print("\t".join(row), file=sys.stderr)
    return row


@dataclass(frozen=True, slots=True)
class _Done:
    seconds: float
    output: str


def _run(tree: Path, words: Sequence[object], *, capture: bool = False) -> _Done:
    """Run a command of a tree to its end; user seconds of its own process."""
    command = [sys.executable, "-m", "errorbar", *map(str, words)]
    environment = {**os.environ, "PYTHONPATH": str(tree)}
    process = subprocess.Popen(
        command, env=environment, stdout=subprocess.PIPE if capture else subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    output = process.stdout.read().decode() if process.stdout is not None else ""
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} exited with {process.returncode}")
    return _Done(usage.ru_utime, output)


if __name__ == "__main__":
    main()
