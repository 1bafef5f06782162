"""Speed of HOO scoring: the test set with ten runs of corrected texts, and 10,000 fragments in memory and from files.

Prints medians beside the targets. Needs the HOO 2011 test set (``--data``: a folder with ``Gold`` and ``Raw``); without
it, a generated set of the same size serves.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from timing import ERRORBAR, Run, median_call, median_process, run_process, table

from errorbar.core.edit import Fragment, StandoffEdit
from errorbar.core.problems import Problems
from errorbar.edits.standoff import apply_standoff, extract_standoff
from errorbar.formats.hoo import read_gold, save_fragments, save_text
from errorbar.metrics.hoo import Hoo
from errorbar.metrics.hoo_scoring import score_runs

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "hoo2011" / "test"
RUNS = 10
MANY = 10_000
WORDS = ("the", "a", "of", "in", "model", "data", "results", "we", "show", "that")
SCRIPT = """
import sys
from errorbar.api.score import score
score(sys.argv[1], sys.argv[2:], "hoo", ci=False, lenient=True).to_dict()
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--repeats", type=int, default=5)
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        gold = arguments.data if arguments.data.is_dir() else generated(Path(folder) / "set")
        fragments = read_gold(str(gold), Problems(lenient=True))
        team = runs(fragments, Path(folder) / "UI")
        run = median_process([sys.executable, "-c", SCRIPT, str(gold), str(team)], arguments.repeats)
        texts = [
            (fragment, (team / "4" / f"{fragment.name}.txt").read_text(encoding="utf-8")) for fragment in fragments
        ]
        compared = median_call(
            lambda: [extract_standoff(fragment.text or "", text) for fragment, text in texts], arguments.repeats
        )
        many = [Fragment(f"{k}", *parts(fragments[k % len(fragments)])) for k in range(MANY)]
        edits = [simulated(fragment) for fragment in many]
        scored = median_call(lambda: score_runs(many, {"run": edits}, [Hoo()], Problems()), 1)
        from_files = files_of_many(many, edits, Path(folder) / "many")
    rows = [
        [
            f"{len(fragments)} fragments, {RUNS} runs of texts, whole process",
            f"{run.seconds:.2f}",
            "2",
            f"{run.megabytes:.0f}",
        ],
        ["texts of one run compared with the source", f"{compared:.3f}", "", ""],
        [f"{MANY:,} fragments, edits given, in process", f"{scored:.2f}", "30", ""],
    ]
    for kind, done in from_files.items():
        rows.append(
            [f"{MANY:,} fragments, {kind}, whole process", f"{done.seconds:.1f}", "30", f"{done.megabytes:.0f}"]
        )
    table("HOO", ["what", "s", "target", "MB"], rows)


def files_of_many(many: list[Fragment], edits: list[tuple[StandoffEdit, ...]], folder: Path) -> dict[str, Run]:
    """A run of edit files and one of corrected texts, scored by one process and by two; each once."""
    save_fragments(many, str(folder / "set"), Problems(), texts=True)
    save_fragments(
        [replace(fragment, edits=own) for fragment, own in zip(many, edits, strict=True)], str(folder / "E"), Problems()
    )
    (folder / "T").mkdir()
    for fragment, own in zip(many, edits, strict=True):
        text = apply_standoff(fragment.text or "", own, problems=Problems(lenient=True))
        save_text(text, str(folder / "T" / f"{fragment.name}.txt"))
    command = [ERRORBAR, "score", "--metric", "hoo", "--lenient", "--gold", str(folder / "set")]
    return {
        f"{kind}, --jobs {jobs}": run_process([*command, str(folder / run), "--jobs", jobs])
        for kind, run in (("a run of edit files", "E"), ("a run of texts", "T"))
        for jobs in ("1", "2")
    }


def parts(fragment: Fragment) -> tuple[tuple[StandoffEdit, ...], str | None]:
    return fragment.edits, fragment.text


def simulated(fragment: Fragment) -> tuple[StandoffEdit, ...]:
    return fragment.edits[::2]


def runs(fragments: list[Fragment], team: Path) -> Path:
    """Ten runs: each applies a tenth of the gold edits more."""
    for run in range(RUNS):
        (team / str(run)).mkdir(parents=True)
        for fragment in fragments:
            chosen = [edit for k, edit in enumerate(fragment.edits) if k % RUNS <= run]
            text = apply_standoff(fragment.text or "", chosen, problems=Problems(lenient=True))
            save_text(text, str(team / str(run) / f"{fragment.name}.txt"))
    return team


def generated(folder: Path) -> Path:
    rng = random.Random(0)
    fragments = []
    for number in range(19):
        words = [rng.choice(WORDS) for _ in range(1_000)]
        text = " ".join(words)
        edits = []
        for k in range(0, 1_000, 18):
            start = len(" ".join(words[:k])) + bool(k)
            edits.append(StandoffEdit(f"{number}-{k}", start, start + len(words[k]), words[k], ("other",), type="RN"))
        fragments.append(Fragment(f"{1000 + number}", tuple(edits), text + "\n"))
    save_fragments(fragments, str(folder), Problems(), texts=True)
    return folder


if __name__ == "__main__":
    main()
