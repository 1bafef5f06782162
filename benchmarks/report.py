"""The report of twelve systems and ten annotators with everything on: its time, its size, and what it is to its parts.

Run: ``python benchmarks/report.py``. Beside the report runs ``errorbar compare`` of the same files, turn by turn, which
is most of what any report of them has to compute: the ratio tells a slow report from a busy machine. Seconds of the
wall are promised on two cores that nobody else uses; processor time is what other work changes less.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from timing import ERRORBAR, Run, run_process, table

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
PROMISED = 8.0, 3.0  # seconds, MB


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA, help="folder laid out like the shared corpora")
    parser.add_argument("--repeats", type=int, default=3)
    arguments = parser.parse_args()
    outputs = sorted((arguments.data / "conll14_systems/official_submissions").iterdir())
    systems = [str(path) for path in outputs if path.name != "INPUT"]
    gold = ["--lenient", "--gold", str(arguments.data / "bn2015_10gec/A*.m2"), *systems]
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder) / "report.html"
        commands = {"report": ["report", *gold, "-o", str(page)], "compare": ["compare", *gold]}
        runs: dict[str, list[Run]] = {name: [] for name in commands}
        for command in commands.values():  # warms the file cache, and bundles the charts' library where nobody has yet
            run_process([ERRORBAR, *command])
        for _ in range(arguments.repeats):
            for name, command in commands.items():
                runs[name].append(run_process([ERRORBAR, *command]))
        size = page.stat().st_size / 1e6
    rows = []
    for name, measured in runs.items():
        wall, cpu = (statistics.median(getattr(run, figure) for run in measured) for figure in ("seconds", "cpu"))
        rows.append([name, f"{wall:.1f}", f"{cpu:.1f}", f"{max(run.megabytes for run in measured):.0f}"])
    table("12 systems, 10 annotators, 1,312 sentences", ["command", "seconds", "processor", "MB of memory"], rows)
    ratio = statistics.median(a.cpu / b.cpu for a, b in zip(runs["report"], runs["compare"], strict=True))
    print(f"report / compare, processor time: {ratio:.2f}")
    print(f"the page: {size:.2f} MB (promised: {PROMISED[1]:.0f} MB, and {PROMISED[0]:.0f} s of an idle machine)")


if __name__ == "__main__":
    main()
