"""Reading what the official M2 scorer wrote, and what the papers print."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path

_COUNT = re.compile(r"# (correct|proposed|gold) +: (\d+)")
_CHOSEN = re.compile(r">> Chosen Annotator for line (\d+) : (\d+)")
_TOTAL = re.compile(r"(CORRECT|PROPOSED|GOLD) EDITS +: (\d+)")
_PRINTED = re.compile(r"(Precision|Recall|F_0\.5) +: (\d\.\d{4})$")


@dataclass
class ReportLine:
    """One sentence of a verbose report.

    ``cumulative`` holds, for every annotator who looked, correct, proposed and gold edits of all earlier sentences
    (under the annotators chosen there) and of this one.
    """

    cumulative: dict[str, tuple[int, ...]] = field(default_factory=dict)
    chosen: str = ""


@dataclass
class Report:
    """A verbose report of the official scorer: every sentence, the totals, and P, R, F as printed."""

    lines: list[ReportLine]
    totals: tuple[int, ...]
    printed: tuple[str, ...]


def read_report(path: Path) -> Report:
    """Read a verbose report (``m2scorer -v``)."""
    lines: list[ReportLine] = []
    current, annotator = ReportLine(), ""
    counts: list[int] = []
    totals: list[int] = []
    printed: list[str] = []
    for row in path.read_text(encoding="utf-8").split("\n"):
        if row.startswith(">> Annotator: "):
            annotator, counts = row.removeprefix(">> Annotator: "), []
        elif count := _COUNT.fullmatch(row.strip()):
            counts.append(int(count[2]))
            current.cumulative[annotator] = tuple(counts)
        elif chosen := _CHOSEN.fullmatch(row.strip()):
            assert int(chosen[1]) == len(lines) + 1
            current.chosen = chosen[2]
            lines.append(current)
            current = ReportLine()
        elif total := _TOTAL.fullmatch(row.strip()):
            totals.append(int(total[2]))
        elif figure := _PRINTED.match(row):
            printed.append(figure[2])
    return Report(lines, tuple(totals), tuple(printed))


def read_table(path: Path) -> list[dict[str, str]]:
    """Rows of a published table, lines of comment apart."""
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(line for line in stream if not line.startswith("#")))


def read_lines(path: Path) -> list[str]:
    """A system's sentences."""
    return path.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def percents(values: Iterable[float | None]) -> list[str]:
    """Fractions as the papers print them: percent with two digits."""
    return ["none" if value is None else f"{100 * value:.2f}" for value in values]
