"""Speed of what needs many annotators: the whole Bryant & Ng 2015 study, its fold, resampling, agreement.

Run ``python benchmarks/annotators.py --data DIR``. Prints medians beside the targets and beside a calibration (starting
Python and importing numpy), because machines differ and are noisy.
"""

from __future__ import annotations

import argparse
import sys
from functools import partial
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from timing import ERRORBAR, median_call, median_process, table

from errorbar.agreement.krippendorff import krippendorff_alpha
from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.formats.reference import read_corpus
from errorbar.metrics.base import Selection, Statistics
from errorbar.metrics.ceiling import CeilingData, ceiling, prepare_study
from errorbar.metrics.intervals import fold_resampled_values
from errorbar.metrics.m2 import M2
from errorbar.stats.resampling import Resampling

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
ANNOTATORS = [f"bn2015_10gec/A{k}.m2" for k in range(1, 11)]
SYSTEMS = ("AMU", "CAMB", "CUUI")
N_RESAMPLES = 10_000
N_ITEMS, N_RATERS = 200_000, 5


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder laid out like the shared corpora")
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--jobs", type=int, default=2, help="cores for what can use several")
    arguments = parser.parse_args()
    data: Path = arguments.data
    repeats: int = arguments.repeats
    calibration = median_process([sys.executable, "-c", "import numpy"], repeats).seconds
    print(f"calibration: python -c 'import numpy' takes {calibration:.3f} s")
    if data.is_dir():
        whole_study(data, repeats, calibration, arguments.jobs)
        folds(data, repeats, calibration, arguments.jobs)
    else:
        print(f"skipped: no corpora at {data} (give --data)")
    agreement(repeats, calibration)


def whole_study(data: Path, repeats: int, calibration: float, jobs: int) -> None:
    gold = [option for name in ANNOTATORS for option in ("--gold", str(data / name))]
    systems = [str(data / "conll14_systems/official_submissions" / name) for name in SYSTEMS]
    rows = []
    for n in sorted({1, jobs}):
        run = median_process([ERRORBAR, "ceiling", "--lenient", *gold, *systems, "--jobs", str(n)], repeats)
        name = f"errorbar ceiling, ten annotators, three systems, {n} core{'s' * (n > 1)}"
        rows.append([name, f"{run.seconds:.3f}", "12", f"{run.seconds / calibration:.1f}", f"{run.megabytes:.0f}"])
    run = median_process([ERRORBAR, "reproduce", "bryant-ng2015", "--data", str(data)], repeats)
    figures = [f"{run.seconds:.3f}", "12", f"{run.seconds / calibration:.1f}", f"{run.megabytes:.0f}"]
    rows.append(["errorbar reproduce bryant-ng2015, 1 core", *figures])
    table("Whole process, from the M2 files", ["command", "s", "target", "x calibration", "MB"], rows)


def folds(data: Path, repeats: int, calibration: float, jobs: int) -> None:
    study, corpus = _study(data)
    camb = SYSTEMS.index("CAMB")
    combined = read_corpus([data / "conll14/noalt/official-2014.combined.m2"])
    text = (data / "conll14_systems/official_submissions/CAMB").read_text(encoding="utf-8").split("\n")[:-1]
    measured = {"two": study.metric.measure(combined, text), "ten": study.systems[camb].statistics}
    n_folds = sum(len(study.subsets[text.author].masks) for text in (*study.humans, *study.systems))
    units = np.arange(len(corpus), dtype=np.int64)

    def resample(statistics: Statistics, n: int) -> object:
        def fold(selection: Selection) -> NDArray[np.float64]:
            return study.metric.fold(statistics, selection).values

        return fold_resampled_values(study.metric, fold, units, Resampling(replicates=N_RESAMPLES, jobs=n))

    rows = []
    for n in sorted({1, jobs}):
        cores = f"{n} core{'s' * (n > 1)}"
        fold = median_call(partial(ceiling, study, jobs=n), repeats)
        rows.append([f"fold over {n_folds:,} subsets, {cores}", f"{fold:.3f}", "1.5", f"{fold / calibration:.1f}"])
        for annotators, statistics in measured.items():
            drawn = median_call(partial(resample, statistics, n), repeats)
            name = f"{N_RESAMPLES:,} resamples of {len(corpus):,} sentences, {annotators} annotators, {cores}"
            rows.append([name, f"{drawn:.3f}", "1", f"{drawn / calibration:.1f}"])
    table("In the process", ["work", "s", "target", "x calibration"], rows)


def agreement(repeats: int, calibration: float) -> None:
    rng = np.random.default_rng(0)
    hard = rng.random(N_ITEMS)
    item = np.repeat(np.arange(N_ITEMS, dtype=np.int32), N_RATERS)
    rater = np.tile(np.arange(N_RATERS, dtype=np.int32), N_ITEMS)
    label = (rng.random(len(item)) < hard[item]).astype(np.int32)
    names = tuple(map(str, range(N_ITEMS))), tuple(map(str, range(N_RATERS)))
    judgments = Judgments(item, rater, label, *names, ("ok", "error"))
    seconds = median_call(lambda: krippendorff_alpha(judgments), repeats)
    row = [f"Krippendorff's alpha of {len(item):,} judgments", f"{seconds:.3f}", "1", f"{seconds / calibration:.1f}"]
    table("Agreement", ["work", "s", "target", "x calibration"], [row])


def _study(data: Path) -> tuple[CeilingData, Corpus]:
    problems = Problems(lenient=True)
    corpus = read_corpus([data / name for name in ANNOTATORS], problems)
    folder = data / "conll14_systems/official_submissions"
    systems = [Hypothesis(n, (folder / n).read_text(encoding="utf-8").split("\n")[:-1]) for n in SYSTEMS]
    return prepare_study(corpus, systems, M2(), problems), corpus


if __name__ == "__main__":
    main()
