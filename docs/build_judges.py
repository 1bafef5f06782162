"""Writes the figures of "Error bars that include the judges" and their data from the corpora.

    python docs/build_judges.py [--data DIR]

The page includes what this writes to docs/judges/.
"""

from __future__ import annotations

import argparse
import csv
from pathlib import Path

import numpy as np

import errorbar
from errorbar.metrics.judge_sets import judging_of
from errorbar.metrics.m2 import M2
from errorbar.reporting.charts.dots import Dot, bar_chart, dot_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.export import draw_spec
from errorbar.reporting.judging_chart import plan_chart
from errorbar.studies.inputs import ReadingOptions, load

OUT = Path(__file__).parent / "judges"
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
SYSTEMS = ("CAMB", "CUUI", "AMU")
PIXELS = 560


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    data = parser.parse_args().data
    gold = [data / f"bn2015_10gec/A{i}.m2" for i in range(1, 11)]
    essays = data / "conll14/noalt/official-2014.0.sgml"
    files = [data / "conll14_systems/official_submissions" / name for name in SYSTEMS]
    OUT.mkdir(exist_ok=True)
    pairs(gold, essays, files)
    bars([data / f"conll14/noalt/official-2014.{i}.m2" for i in (0, 1)], essays, files)
    plan = errorbar.plan_judging(gold, files, documents=essays, lenient=True, have="50x2", n_pilots=0)
    picture("plan.svg", plan_chart(plan, plan.targets[0]))


def picture(name: str, spec: dict[str, object]) -> None:
    (OUT / name).write_bytes(draw_spec(spec, "svg", PIXELS))


def pairs(gold: list[Path], essays: Path, files: list[Path]) -> None:
    """F0.5 of CAMB against every pair of the ten."""
    read = load(gold, files[:1], ReadingOptions(documents=essays, lenient=True))
    statistics = M2().measure(read.corpus, read.systems[0].lines)
    judging = judging_of(M2(), statistics, 10, read.documents.clusters(), 2)
    values = 100 * judging.values(M2(), statistics).each(2)
    names = read.corpus.annotators
    rows = [
        [" ".join(names[k] for k in np.flatnonzero(mask)), f"{value:.2f}"]
        for mask, value in zip(judging.panel.masks, values, strict=True)
    ]
    write("pairs.csv", ["judges", "F0.5"], rows)
    low, high = int(values.min()), int(values.max())
    counts = {f"{n}–{n + 1}": int(((values >= n) & (values < n + 1)).sum()) for n in range(low, high + 1)}
    picture("pairs.svg", bar_chart(counts, x_title="F0.5 of CAMB", y_title="pairs of judges"))


def bars(gold: list[Path], essays: Path, files: list[Path]) -> None:
    """Three systems against the two official annotators, as the report draws them."""
    scores = errorbar.score(gold, files, documents=essays)
    dots = []
    rows = []
    for score in scores:
        texts, both = score.f.interval, score.judges.measures["f"].estimate.interval
        ends = [100 * end for end in (texts.low, texts.high, both.low, both.high)]
        dots.append(Dot(score.system, 100 * score.f.value, ends[0], ends[1], outer=(ends[2], ends[3])))
        rows.append([score.system, f"{100 * score.f.value:.2f}", *(f"{end:.2f}" for end in ends)])
    write("bars.csv", ["system", "F0.5", "texts low", "texts high", "texts+judges low", "texts+judges high"], rows)
    picture("bars.svg", dot_chart(dots, Axis("F0.5 (percent)", "percent"), name_title="system"))


def write(name: str, columns: list[str], rows: list[list[str]]) -> None:
    with (OUT / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
