"""A large study: how long a claim takes in it, and how much memory its export needs.

``python -m benchmarks.judging_scale`` from the checkout; 100,000 items of 20 judgments make a SQLite file of 1.5 GB.
The rows are written by SQL as the protocol leaves them, since two million answers through it would take half an hour;
``store_check`` says that they are what they should be (``--check``).
"""

from __future__ import annotations

import argparse
import json
import random
import resource
import statistics
import time

from tests.judging.jepsen.large_study import RATERS, export_memory, fill
from tests.judging.jepsen.run import bench
from tests.judging.jepsen.study import write_items

from errorbar.judging.protocol.claims import claim
from errorbar.judging.protocol.submissions import submit
from errorbar.judging.scheme import Submission
from errorbar.judging.scheme_files import load_scheme
from errorbar.judging.scheme_kinds import shown_hash
from errorbar.judging.store.store import Store
from errorbar.judging.study.backup import check
from errorbar.judging.study.make import judge_init
from errorbar.judging.study.rules import current_rules


def claim_times(url: str, n: int) -> tuple[list[float], list[float]]:
    """Milliseconds of a claim within its transaction, and of an answer with the claim after it, commit included."""
    scheme = load_scheme("error-ok")
    claims, answers = [], []
    draw = random.Random(2)
    with Store.open(url) as store:
        for number in range(n):
            rater = draw.randrange(1, RATERS + 1)

            def look(tx, rater=rater):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
                start = time.perf_counter()
                work = claim(tx, current_rules(tx), rater, 2, 1.0)
                claims.append((time.perf_counter() - start) * 1000)
                return work

            leases = store.write(look).leases
            if not leases:
                continue
            text_hash = shown_hash(scheme, leases[0].item, leases[0].reversed)
            submission = Submission(f"x{number}", leases[0].token, text_hash, 0, {"judgment": "ok"})

            def both(tx, rater=rater, submission=submission):  # type: ignore[no-untyped-def]  # noqa: ANN001, ANN202
                submit(tx, scheme, current_rules(tx), rater, [submission], 1.0)
                claim(tx, current_rules(tx), rater, 2, 1.0)

            start = time.perf_counter()
            store.write(both)
            answers.append((time.perf_counter() - start) * 1000)
    return claims, answers


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--items", type=int, default=100_000)
    parser.add_argument("--raters-per-item", type=int, default=20)
    parser.add_argument("--claims", type=int, default=2000)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    with bench() as folder:
        work, gold = write_items(folder, options.items, 40, 0)
        study = folder / "study"
        judge_init(study, work, gold_items=gold, raters_per_item=options.raters_per_item, policy="none")
        store = next(study.glob("*.sqlite3"))
        fill(store, options.raters_per_item)
        print(json.dumps({"megabytes of the store": round(store.stat().st_size / 2**20)}), flush=True)
        if options.check:
            with Store.open(str(store)) as opened:
                print([f"{problem.what}: {problem.rows}" for problem in check(opened)])
        for name, times in zip(("claim", "answer and claim"), claim_times(str(store), options.claims), strict=True):
            cuts = statistics.quantiles(times, n=100)
            print(f"{name}: p50 {cuts[49]:.2f} ms, p99 {cuts[98]:.2f} ms, n = {len(times)}", flush=True)
        for out in ("judgments.csv", "everything.jsonl"):
            megabytes, seconds, lines = export_memory(study, folder / out)
            print(f"export {out}: {lines:,} lines in {seconds:.0f} s, {megabytes:.0f} MB at most", flush=True)
    print(f"this process: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB at most")


if __name__ == "__main__":
    main()
