"""The files that the kept commands read, under short names in one folder."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from errorbar.demo import demo_files
from errorbar.testing import accurate, simulate
from tests.helpers.crowd import write_judgments

WINS = {("A", "B"): (6, 4, 2), ("A", "C"): (8, 2, 1), ("B", "C"): (7, 3, 3)}
METRICS = {"good": (4, 3, 2, 1), "poor": (1, 3, 2, 4)}
CONLL = "conll14_systems/official_submissions"
LINKS = {
    "two.m2": "conll14/noalt/official-2014.combined.m2",
    "alternatives.m2": "conll14/alt/official-2014.combined-withalt.m2",
    "essays.sgml": "conll14/noalt/official-2014.0.sgml",
    "nucle.sgml": "conll13/original/official.sgml",
    "hoo": "hoo2011/test/Gold",
    "Raw": "hoo2011/test/Raw",
    "workers.csv": "crowd_corrections_choshen2018/confirmation_batch.pseudonymised.csv",
    "rankings.xml": "rankings_grundkiewicz2015/judgments.xml",
    "m2scores": "rankings_grundkiewicz2015/metrics/scores.m2",
    "bleu": "rankings_grundkiewicz2015/metrics/scores.bleu",
    **{f"A{k}.m2": f"bn2015_10gec/A{k}.m2" for k in range(1, 11)},
    **{name: f"{CONLL}/{name}" for name in ("AMU", "CAMB", "CUUI", "NTHU")},
    "corpora": ".",
}


def write_demo(folder: Path) -> dict[str, str]:
    """The bundled corpus, and votes, flags, rankings and scores of our own making; names for the calls."""
    made = simulate([accurate(0.85)] * 10, np.random.default_rng(1), n_items=200, per_item=10, prevalence=0.3)
    items, truth = made.judgments.items, made.truth.tolist()
    flags = [int(t or k % 5 == 0) for k, t in enumerate(truth)]
    tables = {
        "votes": write_judgments(made.judgments),
        "flags": ["item,flag", *(f"{item},{flag}" for item, flag in zip(items, flags, strict=True))],
        "truth": ["item,label", *(f"{item},{label}" for item, label in made.gold(range(200)).items())],
        "pairs": ["system1,system2,winner", *(row for pair, counts in WINS.items() for row in _rows(*pair, counts))],
        "human": ["system,score", "A,.9", "B,.8", "C,.7", "D,.1"],
        "scores": [
            "system,metric,score",
            *(f"{s},{name},{x}" for name, row in METRICS.items() for s, x in zip("ABCD", row, strict=True)),
        ],
    }
    for name, rows in tables.items():
        (folder / f"{name}.csv").write_text("\n".join(rows) + "\n", encoding="utf-8")
    with demo_files() as (gold, systems):
        for path in (gold, *systems):
            (folder / path.name).write_bytes(path.read_bytes())
        names = [gold.name, *(path.name for path in systems)]
    return {Path(name).stem: name for name in (*(f"{table}.csv" for table in tables), *names)}


def link_shared(folder: Path, data: Path) -> dict[str, str]:
    """Links to the research corpora, so that no message holds a path of this machine; names for the calls."""
    for name, target in LINKS.items():
        (folder / name).symlink_to((data / target).resolve())
    return {**{Path(name).stem: name for name in LINKS}, "ten": "A*.m2"}


def _rows(first: str, second: str, counts: tuple[int, int, int]) -> list[str]:
    return [
        f"{first},{second},{winner}" for winner, n in zip((first, second, "tie"), counts, strict=True) for _ in range(n)
    ]
