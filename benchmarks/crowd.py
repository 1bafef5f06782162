"""Speed of a million judgments (50,000 items × 20 of 500 raters), and of streaming ten million.

Run: ``python benchmarks/crowd.py`` (a million) or ``python benchmarks/crowd.py --stream 10000000``.
"""

from __future__ import annotations

import argparse
import resource
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent))
from timing import median_call, table

from errorbar.core.judgments import Judgments
from errorbar.crowdsourcing.answers import majority
from errorbar.crowdsourcing.rater_models import dawid_skene, one_coin
from errorbar.crowdsourcing.rater_table import rater_rows
from errorbar.formats.judgments_write import write_judgments
from errorbar.formats.parquet_blocks import parquet_blocks
from errorbar.formats.plain_judgments import plain_blocks, read_judgments_fast
from errorbar.metrics.crowd import crowd_score
from errorbar.testing import SimulatedRater, accurate, biased, simulate, spammer

RATERS: list[SimulatedRater] = [biased(0.75, 0.95)] * 400 + [accurate(0.8)] * 50 + [spammer()] * 50
REPEATS = 3


def megabytes() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def million(folder: Path) -> None:
    made = simulate(RATERS, np.random.default_rng(0), n_items=50_000, per_item=20)
    path = folder / "votes.csv"
    with path.open("w", encoding="utf-8") as stream:
        stream.writelines(f"{line}\n" for line in write_judgments(made.judgments))
    votes: Judgments = made.judgments
    flag = made.truth == 1
    rng = np.random.default_rng(1)
    answers = majority(votes)
    share, k = answers.shares[:, 1], answers.n_judgments
    rows = [
        ["read CSV", median_call(lambda: read_judgments_fast(path), REPEATS)],
        ["majority", median_call(lambda: majority(votes), REPEATS)],
        ["weighted score, no interval", median_call(lambda: crowd_score(share, flag, k), REPEATS)],
        ["Dawid-Skene, 4 starts", median_call(lambda: dawid_skene(votes, rng), REPEATS)],
        ["one coin, 4 starts", median_call(lambda: one_coin(votes, rng), REPEATS)],
        ["raters, 500 gold items", median_call(lambda: rater_rows(votes, made.gold(range(500))), REPEATS)],
    ]
    right = {
        "majority": float((answers.answer == made.truth).mean()),
        "Dawid-Skene": float((dawid_skene(votes, rng)[0].answer == made.truth).mean()),
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


def streamed(folder: Path, n: int, *, parquet: bool) -> None:
    rng = np.random.default_rng(0)
    path = folder / "stream.csv"
    per_item = 20
    with path.open("w", encoding="utf-8") as stream:
        stream.write("item,rater,label\n")
        for start in range(0, n // per_item, 10_000):
            labels = np.where(rng.random((10_000, per_item)) < 0.15, "error", "ok").tolist()
            lines = [
                f"i{start + i},w{(i + r) % 997},{row[r]}\n" for i, row in enumerate(labels) for r in range(per_item)
            ]
            stream.writelines(lines)
    rows = []
    tally, done, begin = Tally(("ok", "error")), 0, time.perf_counter()
    mark = n // 5
    for block in parquet_blocks(to_parquet(path)) if parquet else plain_blocks(path):
        tally.add(block.items, block.labels)
        done += len(block.items)
        if done >= mark:
            rows.append(
                [f"{done:,}", f"{len(tally.items):,}", f"{time.perf_counter() - begin:.1f}", f"{megabytes():.0f}"]
            )
            mark += n // 5
    share = tally.shares()[:, 1]
    k = tally.counts().sum(axis=1).astype(np.int64)
    score = crowd_score(share, rng.random(len(share)) < 0.2, k)
    rows.append([f"{done:,} scored", f"{score.n_items:,}", f"{time.perf_counter() - begin:.1f}", f"{megabytes():.0f}"])
    table("streaming", ["judgments", "items", "seconds", "MB"], rows)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--stream", type=int, default=0, metavar="N", help="stream N judgments instead")
    parser.add_argument("--parquet", action="store_true", help="stream Parquet (needs the extra)")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if options.stream:
            streamed(Path(folder), options.stream, parquet=options.parquet)
        else:
            million(Path(folder))


if __name__ == "__main__":
    main()
