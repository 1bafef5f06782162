"""Writes the picture of "Metrics and human rankings" and all of its numbers from the corpora.

    python docs/build_observatory.py [--data DIR]

The page includes what this writes to docs/measurements/.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from tempfile import TemporaryDirectory

import errorbar
from errorbar.api.observatory import ObservedRanking
from errorbar.reporting.charts.rows import Dot, dot_chart
from errorbar.reporting.charts.vega import Axis
from errorbar.reporting.export import draw_spec

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs/measurements"
LISTED = ROOT / "tests/measured/observatory"
DATA = ROOT.parent / "shared/data"
PICTURED = ("SEEDA sentence", ("twelve neural", "with human outputs"))
PIXELS = 640


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    data = parser.parse_args().data
    with TemporaryDirectory() as name:
        result = errorbar.observe(list_rankings(data, Path(name)))
    (OUT / "observatory.json").write_text(json.dumps(result.to_dict(), indent=1) + "\n", encoding="utf-8")
    (OUT / "observatory.svg").write_bytes(draw_spec(draw(result.rankings), "svg", PIXELS))


def list_rankings(data: Path, folder: Path) -> Path:
    """Write the file of rankings with the folder of the corpora in it, beside the tables that it names."""
    for table in LISTED.glob("*.csv"):
        (folder / table.name).write_bytes(table.read_bytes())
    text = (LISTED / "rankings.toml").read_text(encoding="utf-8").replace("DATA", data.resolve().as_posix())
    (folder / "rankings.toml").write_text(text, encoding="utf-8")
    return folder / "rankings.toml"


def draw(rankings: list[ObservedRanking] | tuple[ObservedRanking, ...]) -> dict[str, object]:
    """Correlations of each metric among neural systems, and with human outputs among them."""
    ranking, subsets = PICTURED
    dots = []
    for one in rankings:
        if one.ranking == ranking and one.subset in subsets:
            for metric, estimate in zip(one.observed.metrics, one.observed.agreements["pearson"], strict=True):
                ends = estimate.interval
                low, high = (ends.low, ends.high) if ends else (None, None)
                dots.append(Dot(metric, estimate.value, low, high, series=one.subset))
    return dot_chart(
        dots,
        Axis("Pearson's r with human scores", "number", most=1.0),
        name_title="metric",
        series_title="systems",
        guide=0.0,
    )


if __name__ == "__main__":
    main()
