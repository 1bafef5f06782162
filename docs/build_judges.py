"""Writes the figures of "Error bars that include the judges" and their data from the corpora.

    python docs/build_judges.py [--data DIR]

The page includes what this writes to docs/judges/.
"""

from __future__ import annotations

import argparse
import csv
from itertools import combinations
from math import inf
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import errorbar
from errorbar.api.inputs import ReadingOptions, load
from errorbar.core.estimate import Interval
from errorbar.metrics.judge_sets import judging_of, make_panel
from errorbar.metrics.m2 import M2
from errorbar.metrics.over_judges import only
from errorbar.metrics.populations import known_population
from errorbar.reporting.export import draw_spec
from errorbar.reporting.figures import plan_chart
from errorbar.stats.two_way import VariancePrior

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
    with TemporaryDirectory() as folder:
        corrected = Path(folder) / "A3"
        errorbar.convert(gold[2], corrected, to="text", annotator="0", lenient=True)
        pairs("pairs", "F0.5 of A3's own corrections", [*gold[:2], *gold[3:]], essays, corrected)
    plan = errorbar.plan_judging(gold, files, documents=essays, lenient=True, have="50x2", n_pilots=0)
    picture("plan.svg", plan_chart(plan, plan.targets[0]))


def picture(name: str, spec: dict[str, object]) -> None:
    (OUT / name).write_bytes(draw_spec(spec, "svg", PIXELS))


def pairs(name: str, title: str, gold: list[Path], essays: Path, system: Path) -> None:
    """F0.5 of a system against every pair, with what the pair shows of other texts, and of other judges too."""
    read = load(gold, [system], ReadingOptions(documents=essays, lenient=True))
    metric = M2()
    measure = metric.measures[metric.main]
    statistics = metric.measure(read.corpus, read.systems[0].lines)
    every = judging_of(metric, statistics, len(gold), read.documents.clusters(), 2)
    truth = 100 * float(every.values(metric, statistics).means(metric.main)[0, 0])
    known = known_population().find("m2", measure.name, 2)
    rows = []
    for pair in combinations(range(len(gold)), 2):
        values = only(every._replace(panel=make_panel(pair, len(gold), 2)).values(metric, statistics), metric.main)
        value = float(values.means(0)[0, 0])
        both = values.components(0, VariancePrior(known.of_score(value, 2, 2), known.df))
        texts = both._replace(judges=0.0, judges_df=inf)
        ends = [100 * end for one in (texts, both) for end in _ends(one.interval(0.95, measure.scale))]
        rows.append([" ".join(read.corpus.annotators[k] for k in pair), 100 * value, *ends])
    rows.sort(key=lambda row: row[1])
    columns = ["judges", "F0.5", "texts low", "texts high", "texts+judges low", "texts+judges high"]
    write(f"{name}.csv", columns, [[row[0], *(f"{each:.2f}" for each in row[1:])] for row in rows])
    picture(f"{name}.svg", pairs_chart(rows, truth, f"{title}; the line: mean over all pairs"))


def _ends(interval: Interval) -> tuple[float, float]:
    return interval.low, interval.high


def pairs_chart(rows: list[list[Any]], truth: float, title: str) -> dict[str, object]:
    """A row for each pair: its value, a thick bar over texts, a thin one over texts and judges; the truth as a line."""
    names = ("judges", "value", "low", "high", "outer_low", "outer_high")
    values = [{**dict(zip(names, row, strict=True)), "at": at} for at, row in enumerate(rows)]
    for one in values:
        one["holds"] = "yes" if one["low"] <= truth <= one["high"] else "no"
    x = {"type": "quantitative", "scale": {"domain": [round(truth) - 14, round(truth) + 14], "zero": False}}
    y = {"field": "at", "type": "ordinal", "axis": None}
    color = {"field": "holds", "type": "nominal", "legend": None}
    color["scale"] = {"domain": ["yes", "no"], "range": ["#2f6f8f", "#c2571a"]}

    def bar(low: str, high: str, size: float) -> dict[str, object]:
        ends = {"x": {"field": low, "title": title, **x}, "x2": {"field": high}}
        return {"mark": {"type": "rule", "strokeWidth": size}, "encoding": {**ends, "y": y, "color": color}}

    line = {"mark": {"type": "rule", "strokeDash": [4, 3], "color": "#444"}, "encoding": {"x": {"datum": truth, **x}}}
    point = {"field": "value", "title": title, **x}
    dot = {"mark": {"type": "point", "filled": True, "size": 28}, "encoding": {"x": point, "y": y, "color": color}}
    layers = [bar("outer_low", "outer_high", 1), bar("low", "high", 3.5), dot, line]
    return {
        "$schema": "https://vega.github.io/schema/vega-lite/v6.json",
        "data": {"values": values},
        "height": {"step": 9},
        "width": 480,
        "layer": layers,
    }


def write(name: str, columns: list[str], rows: list[list[str]]) -> None:
    with (OUT / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


if __name__ == "__main__":
    main()
