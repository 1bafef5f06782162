"""Memory and time of scoring a stream: 10 thousand, 100 thousand and a million generated sentences.

The sentences are those of the demo corpus over and over, numbered so that no two are the same.
"""

from __future__ import annotations

import argparse
import tempfile
from itertools import cycle, islice
from pathlib import Path

from timing import ERRORBAR, run_process, table

from errorbar.core.corpus import Sentence
from errorbar.core.problems import Problems
from errorbar.demo import demo_files
from errorbar.formats.m2 import write_m2
from errorbar.formats.reference import read_corpus


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    arguments = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for size in arguments.sizes:
            gold, system = generate(Path(folder), size)
            run = run_process([ERRORBAR, "score", "--no-ci", "--gold", str(gold), str(system)])
            rows.append([f"{size:,}", f"{run.seconds:.2f}", f"{1e6 * run.seconds / size:.1f}", f"{run.megabytes:.0f}"])
            gold.unlink()
            system.unlink()
    table("errorbar score, streamed", ["sentences", "s", "us a sentence", "MB"], rows)


def generate(folder: Path, size: int) -> tuple[Path, Path]:
    with demo_files() as (reference, systems):
        corpus = read_corpus([reference])
        lines = systems[1].read_text(encoding="utf-8").splitlines()
    gold, system = folder / "gold.m2", folder / "system.txt"
    with gold.open("w", encoding="utf-8") as m2, system.open("w", encoding="utf-8") as text:
        pairs = cycle(zip(corpus.sentences, lines, strict=True))
        for number, (sentence, line) in enumerate(islice(pairs, size)):
            numbered = Sentence(f"{sentence.text} {number}", sentence.annotations)
            m2.writelines(f"{part}\n" for part in write_m2([numbered], Problems()))
            text.write(f"{line} {number}\n")
    return gold, system


if __name__ == "__main__":
    main()
