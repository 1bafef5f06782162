"""The page of correctors has the settings that are used without labels."""

from __future__ import annotations

import re
from pathlib import Path

from errorbar.detectors.corrector import Setting
from errorbar.detectors.correctors import DEFAULTS, Name

PAGE = Path(__file__).parents[2] / "docs" / "detectors" / "correctors.md"
GROUPS = {
    "article missing": ["M:ArtOrDet"],
    "article unnecessary": ["U:ArtOrDet"],
    "noun of the other number": ["R:Nn"],
    "form of a verb": ["R:Vform"],
    "word of one stem": ["R:Wform"],
    "comma missing": ["M:Comma"],
    "preposition replaced; unnecessary": ["R:Prep", "U:Prep"],
    "spelling; word written as two": ["R:Mec", "U:Split"],
}


def test_settings_are_those_of_the_page() -> None:
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in PAGE.read_text(encoding="utf-8").splitlines()]
    said = {row[0]: row[1:] for row in rows if row and row[0] in GROUPS}
    assert said.keys() == GROUPS.keys()
    columns: tuple[Name, ...] = ("lm", "lm+classifiers")
    for number, name in enumerate(columns):
        found = {}
        for group, cells in said.items():
            for code, cell in zip(GROUPS[group], cells[number].split(";"), strict=True):
                if cell.strip() != "–":
                    read = re.fullmatch(r"([\d.]+)(?: \(weight (\d)\))?", cell.strip())
                    assert read is not None
                    threshold, weight = read.groups()
                    found[code] = Setting(float(weight or 0), float(threshold))
        assert found == DEFAULTS[name]
