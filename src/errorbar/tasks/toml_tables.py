"""TOML read by declared fields: the type of each key's value, the line it stands in, and everything wrong at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from errorbar.core.errors import InputError, Place, Problem, nearest, shortened
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
    """A TOML document and where its parts stand: the line of each table's header, and of each key of each table."""

    path: Path
    document: dict[str, Any]
    problems: Problems
    tables: dict[Where, int] = field(default_factory=dict)
    keys: dict[tuple[Where, str], int] = field(default_factory=dict)

    def place(self, where: Where, key: str = "") -> Place:
        """Where a key stands; without one, or where it is not found, its table's header."""
        line = self.keys.get((where, key)) or self.tables.get(where, 0)
        return Place(str(self.path), line)


@dataclass(frozen=True, slots=True)
class Field:
    """A key: how its value is read, what stands for it where nothing is said, and whether something must be."""

    read: Callable[[Table, str, Any], Any]
    default: Any = None
    required: bool = False


class _WrongError(Exception):
    """A value is not what it must be."""

    def __init__(self, expected: str, fix: str = "") -> None:
        self.expected = expected
        self.fix = fix


@dataclass(slots=True)
class Table:
    """One table of a file, whose values are read as its fields say."""

    values: Mapping[str, Any]
    file: TomlFile
    where: Where = ("", 0)

    def place(self, key: str = "") -> Place:
        """Where a key stands."""
        return self.file.place(self.where, key)

    def error(self, code: str, what: str, key: str = "", *, expected: str = "", fix: str = "") -> None:
        """Record what is wrong with a key, or with the table."""
        self.file.problems.error(code, what, self.place(key), expected=expected, fix=fix)

    def note(self, code: str, what: str, place: Place, *, fix: str = "") -> None:
        """Record what somebody should know."""
        self.file.problems.note(code, what, place, fix=fix)

    def read(self, fields: Mapping[str, Field]) -> dict[str, Any]:
        """The value of every field; what is wrong is recorded, and the default stands for it."""
        self.only(fields)
        return {key: self.value(key, field) for key, field in fields.items()}

    def only(self, known: Iterable[str]) -> None:
        """Refuse keys that the table does not have; the nearest that it has is named."""
        names = list(known)
        table, _ = self.where
        for key in self.values:
            if key not in names:
                what = f"[{table}] has no key '{key}'" if table else f"a task has no table or key '{key}'"
                # A table's header is where it stands; of several of one name the first.
                header = self.file.place((f"{table}.{key}" if table else key, 0))
                place = header if header.line else self.place(key)
                self.file.problems.error("task-key", what, place, fix=nearest(key, names))

    def value(self, key: str, field: Field) -> Any:  # noqa: ANN401 - whatever the field reads
        """The value of one field."""
        value = self.values.get(key)
        if value is None:
            if field.required:
                what = f"[{self.where[0]}] has no {key}"
                self.error("task-value", what, expected=f'{key} = "..."')
            return field.default
        try:
            return field.read(self, key, value)
        except _WrongError as wrong:
            got = shortened(repr(value) if isinstance(value, str) else str(value))
            self.error("task-value", f"{key} must be {wrong.expected}, got {got}", key, fix=wrong.fix)
            return field.default

    def each(self, key: str) -> Iterator[Table]:
        """Every table of a list of tables, e.g. ``[[corpus]]``."""
        found = self.values.get(key, [])
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            what = f"'{key}' is not a list of tables"
            self.file.problems.error("task-value", what, self.file.place((key, 0)), expected=f"[[{key}]]")
            return
        yield from (Table(table, self.file, (key, number)) for number, table in enumerate(found))


def raw(table: Table, key: str, value: object) -> object:
    """A value that is looked into elsewhere."""
    return value


def text(table: Table, key: str, value: object) -> str:
    """A text, trimmed."""
    if not isinstance(value, str):
        raise _WrongError("a text in quotes")
    return " ".join(value.split())


def file_name(table: Table, key: str, value: object) -> str:
    """A text that can be the name of a file."""
    said = name(table, key, value)
    if "/" in said or said.startswith(".") or not said.isprintable():
        raise _WrongError("a name that can be the name of a file")
    return said


def name(table: Table, key: str, value: object) -> str:
    """A text with something in it."""
    said = text(table, key, value)
    if not said:
        raise _WrongError("a text in quotes with something in it")
    return said


def whole(table: Table, key: str, value: object) -> int:
    """A whole number above 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        raise _WrongError("a whole number above 0")
    return value


def flag(table: Table, key: str, value: object) -> bool:
    """True or false."""
    if not isinstance(value, bool):
        raise _WrongError("true or false")
    return value


def one_of(*words: str) -> Callable[[Table, str, object], str]:
    """One of some words."""

    def read(table: Table, key: str, value: object) -> str:
        if value not in words:
            raise _WrongError(" or ".join(words), nearest(value, words) if isinstance(value, str) else "")
        return str(value)

    return read


def texts(table: Table, key: str, value: object) -> tuple[str, ...]:
    """A text or a list of texts."""
    found = [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(each, str) and each.strip() for each in found):
        raise _WrongError("a text or a list of texts")
    return tuple(found)


def moment(table: Table, key: str, value: object) -> datetime:
    """A date, or a date and time; without an offset it is UTC, and a date alone means its end."""
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    if isinstance(value, date):
        return datetime.combine(value, time.max, UTC)
    raise _WrongError("a date or time without quotes, e.g. 2026-11-21T18:00:00Z")


def paths(table: Table, key: str, value: object) -> tuple[Path, ...]:
    """Files or folders that exist; a pattern with ``*`` stands for the files it matches, A2 before A10."""
    return tuple(path for said in texts(table, key, value) for path in existing(table, key, said))


def path(table: Table, key: str, value: object) -> Path | None:
    """A file or folder that exists, or None."""
    return next(iter(existing(table, key, text(table, key, value))), None)


def inside(table: Table, key: str, value: object) -> Path | None:
    """A folder to write to, which must be below that of the TOML file: a task comes from somebody else."""
    folder = table.file.path.parent
    said = text(table, key, value)
    if "\0" in said or not (folder / said).resolve().is_relative_to(folder.resolve()):
        fix = f"give it on the command line if that is meant: --{key} DIR"
        what = f"{key} = {shortened(said)!r} is not inside the folder of the TOML file"
        table.error("task-outside", what, key, expected="a folder below it", fix=fix)
        return None
    return folder / said


def existing(table: Table, key: str, said: str) -> list[Path]:
    """The paths that a text stands for, seen from the TOML file's folder."""
    folder = table.file.path.parent
    what, fix = "", ""
    if "\0" in said:
        what = f"{key} has a character 0, which no path can have"
    elif set(said) & set("*?["):
        from errorbar.formats.reference import expand_files  # noqa: PLC0415 - patterns are rare

        try:
            return [Path(file.path) for file in expand_files([str(folder / said)])]
        except InputError:
            what = f"no file matches {key} = '{said}'"
    else:
        path = folder / said
        try:
            if path.exists():
                return [path]
            siblings = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
            hint = nearest(path.name, siblings)
            what = f"no such file: {key} = '{said}'"
            fix = hint if hint.startswith("did") else "paths are seen from the folder of the TOML file"
        except OSError as error:  # e.g. a name that is too long
            what, fix = f"{key} = '{shortened(said)}' cannot be looked for", str(error.strerror)
    table.error("task-no-file", what, key, fix=fix)
    return []


def read_toml(path: Path, problems: Problems) -> TomlFile:
    """Read a TOML file; the standard reader gives values without places, so these are looked up in the text.

    Raises:
        InputError: If it cannot be opened or is no TOML; the line is named.
    """
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
    file = TomlFile(path, document, problems)
    _find_places(lines, file)
    return file


def _find_places(lines: list[str], file: TomlFile) -> None:
    where: Where = ("", 0)
    counts: dict[str, int] = {}
    inside_text = ""
    for number, line in enumerate(lines, 1):
        if inside_text:  # over several lines
            inside_text = "" if inside_text in line else inside_text
            continue
        header = _HEADER.match(line)
        if header:
            found = "".join(header[1].split())
            where = (found, counts.get(found, 0))
            counts[found] = where[1] + 1
            file.tables[where] = number
        elif key := _KEY.match(line):
            file.keys.setdefault((where, key[1] or key[2] or key[3]), number)
        inside_text = next((quotes for quotes in _QUOTES if line.count(quotes) % 2), "")
