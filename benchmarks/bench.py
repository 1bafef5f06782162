"""Speed of the main job. Anybody can run it: ``make bench``, or ``python benchmarks/bench.py --data DIR``.

Prints medians beside the target and beside a calibration (starting Python and importing numpy), because machines
differ and are noisy: compare the last column rather than seconds. ``--peer`` times another scorer in the same run;
``peers.py`` has errant and GLEU beside the programs they stand for.
"""

from __future__ import annotations

import argparse
import shlex
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from peers import beside_peers
from timing import ERRORBAR, median_call, median_process, table

from errorbar.core.corpus import Corpus, Sentence
from errorbar.core.edit import Edit
from errorbar.edits.matching import COMPILED, match_corpus
from errorbar.edits.maxmatch import MatchRules
from errorbar.formats.reference import read_corpus

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
OFFICIAL_SECONDS = {"CAMB": "7.5", "NTHU": "213", "CAMB, ten annotators": "30"}
"""The official scorer on a like machine, recorded (Python 2.7)."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder laid out like the shared corpora")
    parser.add_argument("--repeats", type=int, default=7)
    parser.add_argument("--peer", help="another scorer to time, e.g. 'python2 m2scorer.py {hypothesis} {gold}'")
    arguments = parser.parse_args()
    repeats: int = arguments.repeats
    calibration = median_process([sys.executable, "-c", "import numpy"], repeats).seconds
    print(f"calibration: python -c 'import numpy' takes {calibration:.3f} s")
    start_up(repeats, calibration)
    if arguments.data.is_dir():
        whole_process(arguments.data, repeats, calibration, arguments.peer)
        in_process(arguments.data, repeats)
        beside_peers(arguments.data, repeats)
    else:
        print(f"skipped: no corpora at {arguments.data} (give --data)")
    heavy_pairs(repeats)


def start_up(repeats: int, calibration: float) -> None:
    seconds = median_process([ERRORBAR, "--help"], repeats).seconds
    demo = median_process([ERRORBAR, "demo"], repeats).seconds
    rows = [
        ["errorbar --help", f"{seconds:.3f}", "0.2", f"{seconds / calibration:.2f}"],
        ["errorbar demo", f"{demo:.3f}", "", f"{demo / calibration:.2f}"],
    ]
    table("Start-up", ["command", "s", "target", "x calibration"], rows)


def whole_process(data: Path, repeats: int, calibration: float, peer: str | None) -> None:
    gold = data / "conll14/noalt/official-2014.combined.m2"
    systems = data / "conll14_systems/official_submissions"
    ten = [option for k in range(1, 11) for option in ("--gold", str(data / f"bn2015_10gec/A{k}.m2"))]
    cases = [
        ("CAMB", ["--gold", str(gold), str(systems / "CAMB")], "0.30"),
        ("NTHU", ["--gold", str(gold), str(systems / "NTHU")], "0.40"),
        ("CAMB, ten annotators", ["--lenient", *ten, str(systems / "CAMB")], "0.40"),
    ]
    rows = []
    for name, options, target in cases:
        run = median_process([ERRORBAR, "score", "--no-ci", *options], repeats)
        official = OFFICIAL_SECONDS[name]
        ratio = float(official) / run.seconds
        relative = run.seconds / calibration
        row = [name, f"{run.seconds:.3f}", target, f"{relative:.2f}", f"{run.megabytes:.0f}", official, f"{ratio:.0f}"]
        if peer and len(options) == 3:
            command = shlex.split(peer.format(hypothesis=options[-1], gold=gold))
            seconds = median_process(command, 1).seconds
            row += [f"{seconds:.2f}", f"{seconds / run.seconds:.0f}"]
        rows.append(row)
    columns = ["errorbar score", "s", "target", "x calibration", "MB", "official s (recorded)", "ratio"]
    table("Whole process, from the shell", columns + ["peer s", "ratio"] * bool(peer), rows)


def in_process(data: Path, repeats: int) -> None:
    corpus = read_corpus([data / "conll14/noalt/official-2014.combined.m2"])
    lines = (data / "conll14_systems/official_submissions/CAMB").read_text(encoding="utf-8").split("\n")[:-1]
    rows = []
    for name, kernel, target, n in (("kernel", True, 40_000, repeats), ("readable twin", False, 1_500, 3)):
        if kernel and not COMPILED:
            continue
        seconds = median_call(_matcher(corpus, lines, kernel), n)
        rows.append([name, f"{len(corpus) / seconds:,.0f}", f"{target:,}"])
    table("One process, one core, two annotators", ["implementation", "pairs a second", "target"], rows)


def heavy_pairs(repeats: int) -> None:
    rewritten = [f"s{k}" for k in range(100)], [f"h{k}" for k in range(100)]
    repeated = ["a", "b"] * 113 + ["a"], ["b", "a", "c"] * 226 + ["a", "b"]
    rows = []
    cases = (("100 tokens, no word kept", rewritten, "0.05"), ("227 x 680 tokens of repetition", repeated, "2"))
    for name, (source, hypothesis), target in cases:
        sentence = Sentence(" ".join(source), {"0": (Edit(3, 5, ("h4",)),), "1": ()})
        corpus = Corpus([sentence], ("0", "1"))
        seconds = [
            median_call(_matcher(corpus, [" ".join(hypothesis)], kernel), repeats if kernel else 1)
            for kernel in (True, False)
            if COMPILED or not kernel
        ]
        rows.append([name, target, *(f"{s:.4f}" for s in seconds)])
    table("Heavy pairs, seconds", ["pair", "target", *(["kernel"] if COMPILED else []), "readable twin"], rows)


def _matcher(corpus: Corpus, lines: Sequence[str], kernel: bool) -> Callable[[], object]:
    return lambda: match_corpus(corpus, lines, MatchRules(kernel=kernel))


if __name__ == "__main__":
    main()
