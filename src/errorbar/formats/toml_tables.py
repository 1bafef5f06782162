"""TOML read by declared fields: the type of each key's value, the line it stands in, and everything wrong at once."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import Any

from errorbar.core.problems import InputError, Place, Problem, Problems, nearest, nearest_file, shorten_text
from errorbar.formats.look import Lines, note_input

_HEADER = re.compile(r"\s*\[\[?([\w.\-\s]+)\]\]?\s*(?:#.*)?$")
_KEY = re.compile(r"""\s*(?:"([^"]+)"|'([^']+)'|([\w\-]+))\s*(?:\.[\w\-.\s]+)?=""")
_AT = re.compile(r"\(at (?:line (\d+), column (\d+)|end of document)\)")
Where = tuple[str, int]  # a table's name and its number, counted from 0, among those of the name


@dataclass(slots=True)
class TomlFile:
    """A TOML document and where its parts stand: the line of each table's header, and of each key of each table."""

    path: Path
    document: dict[str, Any]
    problems: Problems
    kind: str  # what the file describes; first word of the codes of errors
    tables: dict[Where, int] = field(default_factory=dict)
    keys: dict[tuple[Where, str], int] = field(default_factory=dict)

    def place(self, where: Where, key: str = "") -> Place:
        """Where a key stands; where it is not found, the header of its table, or the key that holds the table."""
        line = self.keys.get((where, key)) or self.tables.get(where, 0)
        if line or not where[0]:
            return Place(str(self.path), line)
        outer, _, name = where[0].rpartition(".")
        return self.place((outer, 0), name)


class _WrongError(Exception):
    """The type that a value must have, and how to mend it."""


@dataclass(slots=True)
class TomlTable:
    """One table of a file, whose values are read as its fields say."""

    values: Mapping[str, Any]
    file: TomlFile
    where: Where = ("", 0)

    def place(self, key: str = "") -> Place:
        """Where a key of the table stands; without one, or where it is not found, the table itself."""
        return self.file.place(self.where, key)

    def error(self, code: str, what: str, key: str = "", *, expected: str = "", fix: str = "") -> None:
        """Record what is wrong with a key, or with the table."""
        self.file.problems.error(code, what, self.place(key), expected=expected, fix=fix)

    def read(self, fields: Mapping[str, Field]) -> dict[str, Any]:
        """The value of every field; what is wrong is recorded, and the default stands for it."""
        self.only(fields)
        return {key: self.value(key, field) for key, field in fields.items()}

    def only(self, known: Collection[str]) -> None:
        """Refuse keys that the table does not have; the nearest that it has is named."""
        table, _ = self.where
        for key in self.values:
            if key not in known:
                kind = self.file.kind
                message = f"[{table}] has no key '{key}'" if table else f"a {kind} has no table or key '{key}'"
                # A table's header is where it stands; of several of one name the first.
                inner = (f"{table}.{key}" if table else key, 0)
                place = self.place(key) if (self.where, key) in self.file.keys else self.file.place(inner)
                self.file.problems.error(f"{kind}-key", message, place, fix=nearest(key, known))

    def value(self, key: str, field: Field) -> Any:  # noqa: ANN401 - whatever the field reads
        """The value of one field."""
        value = self.values.get(key)
        if value is None:
            if field.required:
                whose = f"[{self.where[0]}]" if self.where[0] else f"a {self.file.kind}"
                self.error(f"{self.file.kind}-value", f"{whose} has no {key}", expected=f'{key} = "..."')
            return field.default
        try:
            return field.read(self, key, value)
        except _WrongError as wrong:
            expected, fix = wrong.args
            got = shorten_text(repr(value) if isinstance(value, str) else str(value))
            self.error(f"{self.file.kind}-value", f"{key} must be {expected}, got {got}", key, fix=fix)
            return field.default

    def table(self, key: str) -> TomlTable:
        """The table of a key, e.g. ``[codabench]``; an empty one where it is missing."""
        values = self.values.get(key, {})
        table = TomlTable(values if isinstance(values, dict) else {}, self.file, (key, 0))
        if not isinstance(values, dict):
            table.error(f"{self.file.kind}-value", f"'{key}' is not a table", expected=f"[{key}]")
        return table

    def each(self, key: str) -> Iterator[TomlTable]:
        """Every table of a list of tables, e.g. ``[[corpus]]``."""
        tables = self.values.get(key, [])
        if isinstance(tables, list) and all(isinstance(each, dict) for each in tables):
            yield from (TomlTable(table, self.file, (key, number)) for number, table in enumerate(tables))
        else:
            whole = TomlTable({}, self.file, (key, 0))
            whole.error(f"{self.file.kind}-value", f"'{key}' is not a list of tables", expected=f"[[{key}]]")


Read = Callable[[TomlTable, str, Any], Any]


@dataclass(frozen=True, slots=True)
class Field:
    """A key: how its value is read, what stands for it where nothing is said, and whether something must be."""

    read: Read
    default: Any = None
    required: bool = False


def make_reader(expected: str, fits: Callable[[Any], object], made: Callable[[Any], Any] = lambda value: value) -> Read:
    """A reader of values that fit, and what is made of them."""

    def read(table: TomlTable, key: str, value: Any) -> Any:  # noqa: ANN401 - of any kind
        if not fits(value):
            raise _WrongError(expected, "")
        return made(value)

    return read


def _join_spaces(value: str) -> str:
    return " ".join(value.split())


def is_list(value: object) -> bool:
    """Whether it is a text, or a list of texts, with something in each."""
    listed = [value] if isinstance(value, str) else value
    return isinstance(listed, list) and all(isinstance(each, str) and each.strip() for each in listed)


def _is_file_name(value: object) -> bool:
    name = _join_spaces(value) if isinstance(value, str) else "."
    return name[:1] not in ("", ".") and "/" not in name and name.isprintable()


def _moment(value: date, of_day: time = time.max) -> datetime:
    """Without an offset it is UTC, and a date alone means its end, or another time of the day."""
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    return datetime.combine(value, of_day, UTC)


raw = make_reader("", lambda _: True)
text = make_reader("a text in quotes", lambda value: isinstance(value, str), _join_spaces)
name = make_reader(
    "a text in quotes with something in it", lambda said: isinstance(said, str) and said.strip(), _join_spaces
)
file_name = make_reader("a name that can be the name of a file", _is_file_name, _join_spaces)
whole = make_reader("a whole number above 0", lambda value: type(value) is int and value > 0)
whole_or_zero = make_reader("a whole number from 0", lambda value: type(value) is int and value >= 0)
flag = make_reader("true or false", lambda value: isinstance(value, bool))
texts = make_reader(
    "a text or a list of texts", is_list, lambda said: (said,) if isinstance(said, str) else tuple(said)
)
_MOMENT = "a date or time without quotes, e.g. 2026-11-21T18:00:00Z"
moment = make_reader(_MOMENT, lambda said: isinstance(said, date), _moment)
beginning = make_reader(_MOMENT, lambda said: isinstance(said, date), lambda said: _moment(said, time.min))


def long_text(table: TomlTable, key: str, value: object) -> str:
    """A text that keeps its lines."""
    text(table, key, value)
    return str(value).strip()


def one_of(*words: str) -> Read:
    """One of some words."""

    def read(table: TomlTable, key: str, value: object) -> object:
        if value not in words:
            raise _WrongError(" or ".join(words), nearest(value, words) if isinstance(value, str) else "")
        return value

    return read


def paths(table: TomlTable, key: str, value: object) -> tuple[Path, ...]:
    """Files or folders that exist; a pattern with ``*`` stands for the files it matches, A2 before A10."""
    return tuple(path for pattern in texts(table, key, value) for path in existing(table, key, pattern))


def path(table: TomlTable, key: str, value: object) -> Path | None:
    """A file or folder that exists, or None."""
    paths: list[Path] = existing(table, key, text(table, key, value))
    return paths[0] if paths else None


def inside(table: TomlTable, key: str, value: object) -> Path | None:
    """A folder to write to, which must be below that of the TOML file: a task comes from somebody else."""
    folder, name = table.file.path.parent, str(text(table, key, value))
    if "\0" in name or not (folder / name).resolve().is_relative_to(folder.resolve()):
        fix = f"give it on the command line if that is meant: --{key} DIR"
        message = f"{key} = {shorten_text(name)!r} is not inside the folder of the TOML file"
        table.error(f"{table.file.kind}-outside", message, key, expected="a folder below it", fix=fix)
        return None
    return folder / name


def existing(table: TomlTable, key: str, pattern: str) -> list[Path]:
    """The paths that a text stands for, seen from the TOML file's folder."""
    folder, fix = table.file.path.parent, ""
    if "\0" in pattern:
        message = f"{key} has a character 0, which no path can have"
    elif set(pattern) & set("*?["):
        from errorbar.formats.reference import expand_files  # noqa: PLC0415 - patterns are rare

        try:
            return [Path(file.path) for file in expand_files([str(folder / pattern)])]
        except InputError:
            message = f"no file matches {key} = '{pattern}'"
    else:
        path = folder / pattern
        try:
            if path.exists():
                note_input(path)
                return [path]
            message = f"no such file: {key} = '{pattern}'"
            fix = nearest_file(pattern, folder) or "paths are seen from the folder of the TOML file"
        except OSError as error:  # e.g. a name that is too long
            message, fix = f"{key} = '{shorten_text(pattern)}' cannot be looked for", str(error.strerror)
    table.error(f"{table.file.kind}-no-file", message, key, fix=fix)
    return []


def read_toml(path: Path, problems: Problems, kind: str) -> TomlFile:
    """Read a TOML file; the standard reader gives values without places, so these are looked up in the text."""
    lines = list(Lines(path, problems))
    problems.raise_errors()
    line = expected = fix = ""
    try:
        file = TomlFile(path, tomllib.loads("\n".join(lines)), problems, kind)
    except tomllib.TOMLDecodeError as error:
        place = _AT.search(str(error))
        line = (place and place[1]) or str(len(lines))
        message = f"not valid TOML: {_AT.sub('', str(error)).strip().lower()}"
        expected, fix = 'key = "value"', "text stands in quotes, tables in [brackets]"
        if "overwrite" in message or "twice" in message:  # two ways in which tomllib says it
            message = "not valid TOML: this key or table is there already"
            expected, fix = "each once", "keep one of the two"
    except RecursionError:  # lists within lists within lists
        message = f"not valid TOML of a {kind}: lists or tables are nested too deeply"
    except ValueError:  # thousands of digits
        message = f"not valid TOML of a {kind}: a number is too long"
    else:
        _find_places(lines, file)
        return file
    raise InputError(Problem(f"{kind}-toml", message, Place(str(path), int(line or 0)), expected, fix))


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
            header_name = "".join(header[1].split())
            where = (header_name, counts.get(header_name, 0))
            counts[header_name] = where[1] + 1
            file.tables[where] = number
        elif key := _KEY.match(line):
            file.keys.setdefault((where, key[1] or key[2] or key[3]), number)
        inside_text = next((quotes for quotes in ('"""', "'''") if line.count(quotes) % 2), "")
