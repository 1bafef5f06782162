"""The cost of the correctors and of their training: tokens a second, seconds and memory. Medians, one core.

``python benchmarks/correctors.py TEXT --models DIR`` corrects a tokenized text; ``--train TEXTS... --treebank FILES...
--labels FILE`` trains every model in a new folder first, which takes minutes.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from tempfile import TemporaryDirectory

from timing import ERRORBAR, median_call, median_process, run_process, table

from errorbar.detectors.corrector import Corrector
from errorbar.detectors.correctors import CORRECTORS
from errorbar.detectors.detect import read_corrector


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("text", type=Path, help="one tokenized sentence per line")
    parser.add_argument("--models", type=Path, required=True)
    parser.add_argument("--train", nargs="+", default=[], help="plain native text")
    parser.add_argument("--treebank", nargs="+", default=[])
    parser.add_argument("--labels", default="")
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    if options.train:
        train(options.train, options.treebank, options.labels)
    correct(options.text, options.models, options.repeats)


def train(texts: list[str], treebanks: list[str], labels: str) -> None:
    options = [*(f"--treebank={file}" for file in treebanks), f"--labels={labels}", "--lenient", "--seed=0"]
    with TemporaryDirectory() as folder:
        run = run_process([ERRORBAR, "train", *texts, *options, "-o", folder])
    figures = [f"{run.seconds:.0f}", f"{run.cpu:.0f}", f"{run.megabytes / 1000:.1f}"]
    rows = [["measured", *figures], ["target", "240", "", "4.0"]]
    table("errorbar train, every model", ["", "s", "s of processor time", "GB"], rows)


def correct(text: Path, models: Path, repeats: int) -> None:
    sentences = [line.split() for line in text.read_text(encoding="utf-8").splitlines()]
    n = sum(map(len, sentences))
    rows = []
    for name in CORRECTORS:
        corrector = read_corrector(models, name)

        def run(corrector: Corrector = corrector) -> None:
            for _ in corrector.changes(iter(sentences)):
                pass

        stream = median_call(run, repeats)
        whole = median_process([ERRORBAR, "correct", str(text), "--corrector", name, "--models", str(models)], repeats)
        rows.append(
            [name, f"{n / stream:,.0f}", f"{n / whole.cpu:,.0f}", f"{whole.cpu:.1f}", f"{whole.megabytes / 1000:.1f}"]
        )
    columns = ["corrector", "tokens/s, loaded", "tokens/s, whole command", "s of processor time", "GB"]
    table(f"errorbar correct, {n:,} tokens (target: 8,000 tokens/s)", columns, rows)


if __name__ == "__main__":
    main()
