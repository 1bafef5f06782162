"""TOML with line numbers: the standard reader gives values without places, so the places are looked up in the text."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.opening import Lines

_HEADER = re.compile(r"\s*\[\[?([\w.\-\s]+)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*(?:"([^"]+)"|'([^']+)'|([\w\-]+))\s*(?:\.[\w\-.\s]+)?=""")
_AT = re.compile(r"\s*\(at (?:line (\d+), column (\d+)|end of document)\)")
_QUOTES = ('"""', "'''")
Where = tuple[str, int]
"""A table's name and its number, counted from 0, among those of the name."""


@dataclass(slots=True)
class TomlFile:
    """A TOML document and where its parts stand.

    Attributes:
        path: The file.
        document: Its values.
        tables: Line of each table's header.
        keys: Line of each key of each table.
    """

    path: Path
    document: dict[str, object]
    tables: dict[Where, int] = field(default_factory=dict)
    keys: dict[tuple[Where, str], int] = field(default_factory=dict)

    def place(self, where: Where, key: str = "") -> Place:
        """Where a key stands; without one, or where it is not found, its table's header."""
        line = self.keys.get((where, key)) or self.tables.get(where, 0)
        return Place(str(self.path), line)


def read_toml(path: Path) -> TomlFile:
    """Read a TOML file.

    Raises:
        InputError: If it cannot be opened or is no TOML; the line is named.
    """
    problems = Problems()
    lines = list(Lines(path, problems))
    problems.raise_errors()
    try:
        document = tomllib.loads("\n".join(lines))
    except tomllib.TOMLDecodeError as error:
        found = _AT.search(str(error))
        line = int(found[1]) if found and found[1] else len(lines)
        what = f"no TOML: {_AT.sub('', str(error)).lower()}"
        place = Place(str(path), line)
        if "overwrite" in what or "twice" in what:  # two ways in which tomllib says it
            what = "no TOML: this key or table is there already"
            raise InputError(Problem("task-toml", what, place, "each once", "keep one of the two")) from None
        fix = "text stands in quotes, tables in [brackets]"
        raise InputError(Problem("task-toml", what, place, 'key = "value"', fix)) from None
    except (RecursionError, ValueError) as error:  # lists within lists within lists; a number of thousands of digits
        what = "lists or tables are nested too deeply" if isinstance(error, RecursionError) else "a number is too long"
        raise InputError(Problem("task-toml", f"no TOML of a task: {what}", Place(str(path)))) from None
    file = TomlFile(path, document)
    _find_places(lines, file)
    return file


def _find_places(lines: list[str], file: TomlFile) -> None:
    where: Where = ("", 0)
    counts: dict[str, int] = {}
    inside = ""
    for number, line in enumerate(lines, 1):
        if inside:  # a text over several lines
            inside = "" if inside in line else inside
            continue
        header = _HEADER.match(line)
        if header:
            name = "".join(header[1].split())
            where = (name, counts.get(name, 0))
            counts[name] = where[1] + 1
            file.tables[where] = number
        elif key := _KEY.match(line):
            file.keys.setdefault((where, key[1] or key[2] or key[3]), number)
        inside = next((quotes for quotes in _QUOTES if line.count(quotes) % 2), "")
