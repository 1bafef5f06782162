"""Writes the tables and the figure of "How many annotators do I need?" from the corpora.

    python docs/build_annotators.py [--data DIR]

The page includes what this writes to docs/annotators/; the CSV files are the figure's data.
"""

from __future__ import annotations

import argparse
import csv
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from errorbar.core.problems import Problems
from errorbar.formats.nucle import add_documents
from errorbar.metrics.ceiling import Ceiling, ceiling, essay_spread, prepare_study
from errorbar.metrics.folding import Documents
from errorbar.metrics.m2 import M2
from errorbar.reproduce import Sources
from errorbar.reproduce.bryant_ng2015 import RATIO_SYSTEMS
from errorbar.stats.resampling import Resampling

OUT = Path(__file__).parent / "annotators"
DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
ESSAYS = (5, 10, 20, 30)
REPEATS = 200
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 560, 320, 46, 14, 90, 40
COLORS = {"human": "#222222", "CAMB": "#0072b2", "CUUI": "#d55e00", "AMU": "#009e73"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    sources = Sources(parser.parse_args().data)
    problems = Problems(lenient=True)
    corpus = sources.ten_annotators(problems)
    add_documents(corpus, str(sources.file("conll2014", "noalt/official-2014.0.sgml")), problems)
    systems = [sources.system(name) for name in RATIO_SYSTEMS]
    study = prepare_study(corpus, systems, M2(), problems)
    found = ceiling(study)
    OUT.mkdir(exist_ok=True)
    write_ratio(found)
    documents = Documents()
    documents.add(corpus.sentences)
    rows = []
    for n in ESSAYS:
        spread = essay_spread(study, documents.clusters(), n, Resampling("percentile", REPEATS))
        for size in (1, 2, 9):
            k = found.sizes.index(size)
            s = RATIO_SYSTEMS.index("CAMB")
            values = 100 * spread.ratios[:, s, k]
            low, middle, high = np.quantile(values, (0.025, 0.5, 0.975))
            rows.append([n, size, f"{middle:.1f}", f"{low:.1f}", f"{high:.1f}", f"{values.std(ddof=1):.1f}"])
    write("essays.csv", ["essays", "references", "median ratio %", "2.5%", "97.5%", "SD"], rows)
    (OUT / "ratio.svg").write_text(figure(found), encoding="utf-8")


def write_ratio(found: Ceiling) -> None:
    columns = ["references", "human F0.5", "human lowest", "human highest"]
    for name in found.systems:
        columns += [f"{name} F0.5", f"{name} / human %"]
    rows = []
    for k, size in enumerate(found.sizes):
        humans = 100 * found.humans[:, k, 2]
        row: list[object] = [size, f"{humans.mean():.2f}", f"{humans.min():.2f}", f"{humans.max():.2f}"]
        for s in range(len(found.systems)):
            row += [f"{100 * found.scores[s, k, 2]:.2f}", f"{100 * found.ratio[s, k]:.2f}"]
        rows.append(row)
    write("ratio.csv", columns, rows)


def write(name: str, columns: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
    with (OUT / name).open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)


def figure(found: Ceiling) -> str:
    """F0.5 by number of references, from 0 to 100, as SVG."""
    lines = {"human": found.human[:, 2], **{name: found.scores[s, :, 2] for s, name in enumerate(found.systems)}}
    last = found.sizes[-1]

    def x(size: float) -> float:
        return LEFT + (size - 1) / (last - 1) * (WIDTH - LEFT - RIGHT)

    def y(value: float) -> float:
        return HEIGHT - BOTTOM - value * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'font-size="12">',
        "<title>F0.5 of annotators and systems by number of references</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for tick in range(0, 101, 20):
        at = y(tick / 100)
        parts.append(f'<path d="M{LEFT} {at:.1f}H{WIDTH - RIGHT}" stroke="#ddd"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{at + 4:.1f}" text-anchor="end">{tick}</text>')
    for size in found.sizes:
        parts.append(f'<text x="{x(size):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{size}</text>')
    middle = (LEFT + WIDTH - RIGHT) / 2
    parts.append(f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle">number of reference annotators</text>')
    for name, values in lines.items():
        points = " ".join(f"{x(size):.1f},{y(value):.1f}" for size, value in zip(found.sizes, values, strict=True))
        color = COLORS[name]
        parts.append(f'<polyline points="{points}" fill="none" stroke="{color}" stroke-width="2"/>')
        shift = {"CAMB": -3, "CUUI": 5, "AMU": 13}.get(name, 4)
        parts.append(f'<text x="{x(last) + 8:.1f}" y="{y(values[-1]) + shift:.1f}" fill="{color}">{name}</text>')
    return "\n".join([*parts, "</svg>"]) + "\n"


if __name__ == "__main__":
    main()
