"""Speed of a million judgments (50,000 items × 20 of 500 raters), and of reading and scoring ten million.

Run: ``python benchmarks/crowd.py`` (a million) or ``python benchmarks/crowd.py --judgments 10000000``.
"""

from __future__ import annotations

import argparse
import csv
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from timing import median_call, table

from errorbar.api.crowd import crowd
from errorbar.api.judgment_input import read_judgments
from errorbar.core.judgments import Judgments
from errorbar.crowdsourcing.answers import majority
from errorbar.crowdsourcing.hidden_labels import dawid_skene, one_coin
from errorbar.crowdsourcing.rater_table import rater_rows
from errorbar.testing import SimulatedRater, accurate, biased, simulate, spammer

RATERS: list[SimulatedRater] = [biased(0.75, 0.95)] * 400 + [accurate(0.8)] * 50 + [spammer()] * 50
REPEATS = 3


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def million(folder: Path) -> None:
    simulation = simulate(RATERS, np.random.default_rng(0), n_items=50_000, per_item=20)
    path = folder / "votes.csv"
    with path.open("w", encoding="utf-8") as stream:
        columns = simulation.judgments.to_columns()
        csv.writer(stream).writerows([tuple(columns), *zip(*columns.values(), strict=True)])
    votes: Judgments = simulation.judgments
    flags = {"s": simulation.truth == 1}
    rng = np.random.default_rng(1)
    answers = majority(votes)
    rows = [
        ["read CSV", median_call(lambda: read_judgments(path), REPEATS)],
        ["majority", median_call(lambda: majority(votes), REPEATS)],
        ["scores, no interval", median_call(lambda: crowd(votes, flags, ci=False), REPEATS)],
        ["Dawid-Skene, 4 starts", median_call(lambda: dawid_skene(votes, rng), REPEATS)],
        ["one coin, 4 starts", median_call(lambda: one_coin(votes, rng), REPEATS)],
        ["raters, 500 gold items", median_call(lambda: rater_rows(votes, simulation.gold(range(500))), REPEATS)],
    ]
    right = {
        "majority": float((answers.answer == simulation.truth).mean()),
        "Dawid-Skene": float((dawid_skene(votes, rng)[0].answer == simulation.truth).mean()),
    }
    table("one million judgments", ["step", "seconds"], [[str(name), f"{value:.2f}"] for name, value in rows])
    print(f"right answers: {right}; largest memory {megabytes():.0f} MB")


def to_parquet(path: Path) -> Path:
    """The same table as Parquet, written in pieces."""
    from pyarrow import csv, parquet  # noqa: PLC0415 - an extra

    target = path.with_suffix(".parquet")
    with csv.open_csv(path) as reader, parquet.ParquetWriter(target, reader.schema) as writer:
        for batch in reader:
            writer.write_batch(batch)
    return target


def large(folder: Path, n: int, *, parquet: bool) -> None:
    rng = np.random.default_rng(0)
    path = folder / "votes.csv"
    per_item = 20
    with path.open("w", encoding="utf-8") as stream:
        stream.write("item,rater,label\n")
        for start in range(0, n // per_item, 10_000):
            labels = np.where(rng.random((10_000, per_item)) < 0.15, "error", "ok").tolist()
            lines = [
                f"i{start + i},w{(i + r) % 997},{row[r]}\n" for i, row in enumerate(labels) for r in range(per_item)
            ]
            stream.writelines(lines)
    begin = time.process_time()
    judgments = read_judgments(to_parquet(path) if parquet else path)
    rows = [[f"{len(judgments):,} read", f"{time.process_time() - begin:.1f}", f"{megabytes():.0f}"]]
    result = crowd(judgments, {"s": rng.random(len(judgments.items)) < 0.2})
    rows.append(
        [f"{result.rows[0].score.n_items:,} scored", f"{time.process_time() - begin:.1f}", f"{megabytes():.0f}"]
    )
    table("a large table", ["judgments, items", "seconds", "MB"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--judgments", type=int, default=0, metavar="N", help="read and score N judgments instead")
    parser.add_argument("--parquet", action="store_true", help="from Parquet (needs the extra)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.judgments:
            large(Path(folder), options.judgments, parquet=options.parquet)
        else:
            million(Path(folder))


if __name__ == "__main__":
    main()
