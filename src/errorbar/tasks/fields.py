"""One table of a task's TOML file, read key by key; what is wrong is collected."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import UTC, date, datetime, time
from pathlib import Path
from typing import TypeVar

from errorbar.core.errors import Place, nearest
from errorbar.core.problems import Problems
from errorbar.tasks.toml_lines import TomlFile, Where

Word = TypeVar("Word", bound=str)


class Fields:
    """A table whose keys are taken one by one with the type they must have.

    Args:
        values: The table.
        file: The file it is from.
        where: Which of its tables.
        problems: Where problems are recorded.
    """

    def __init__(self, values: Mapping[str, object], file: TomlFile, where: Where, problems: Problems) -> None:
        self.values = values
        self.file = file
        self.where = where
        self.problems = problems

    def place(self, key: str = "") -> Place:
        """Where a key stands."""
        return self.file.place(self.where, key)

    def only(self, known: Iterable[str]) -> None:
        """Refuse keys that the table does not have; the nearest that it has is named."""
        names = list(known)
        for key in self.values:
            if key not in names:
                self._unknown(key, names)

    def _unknown(self, key: str, names: list[str]) -> None:
        table, _ = self.where
        what = f"[{table}] has no key '{key}'" if table else f"a task has no table or key '{key}'"
        # A table's header is where it stands; of several of one name the first.
        place = self.file.place((f"{table}.{key}" if table else key, 0))
        self.problems.error("task-key", what, self.place(key) if not place.line else place, fix=nearest(key, names))

    def text(self, key: str, *, required: bool = False) -> str:
        """A text, trimmed; ``""`` where there is none."""
        value = self.values.get(key)
        if value is None:
            if required:
                what = f"[{self.where[0]}] has no {key}"
                self.problems.error("task-value", what, self.place(), expected=f'{key} = "..."')
            return ""
        if not isinstance(value, str) or (required and not value.strip()):
            self.wrong(key, value, "a text in quotes")
            return ""
        return " ".join(value.split())

    def whole(self, key: str, default: int) -> int:
        """A whole number above 0."""
        value = self.values.get(key, default)
        if not isinstance(value, int) or isinstance(value, bool) or value < 1:
            self.wrong(key, value, "a whole number above 0")
            return default
        return value

    def flag(self, key: str) -> bool | None:
        """True or false; None where nothing is said."""
        value = self.values.get(key)
        if value is not None and not isinstance(value, bool):
            self.wrong(key, value, "true or false")
            return None
        return value

    def one_of(self, key: str, words: tuple[Word, ...], default: Word) -> Word:
        """One of some words."""
        value = self.values.get(key, default)
        if value not in words:
            fix = nearest(value, words) if isinstance(value, str) else ""
            self.wrong(key, value, " or ".join(words), fix=fix)
            return default
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """A text or a list of texts."""
        value = self.values.get(key, [])
        found = [value] if isinstance(value, str) else value
        if not isinstance(found, list) or not all(isinstance(each, str) and each.strip() for each in found):
            self.wrong(key, value, "a text or a list of texts")
            return ()
        return tuple(found)

    def paths(self, key: str) -> tuple[Path, ...]:
        """Files or folders that exist; a pattern with ``*`` stands for the files it matches, A2 before A10."""
        return tuple(path for said in self.texts(key) for path in self.existing(key, said))

    def path(self, key: str) -> Path | None:
        """A file or folder that exists, or None."""
        said = self.text(key)
        return next(iter(self.existing(key, said)), None) if said else None

    def existing(self, key: str, said: str) -> list[Path]:
        """The paths that a text stands for, seen from the TOML file's folder."""
        folder = self.file.path.parent
        if "\0" in said:
            self.problems.error("task-no-file", f"{key} has a character 0, which no path can have", self.place(key))
            return []
        if set(said) & set("*?["):
            from errorbar.core.errors import InputError  # noqa: PLC0415 - patterns are rare
            from errorbar.formats.reference import expand_files  # noqa: PLC0415

            try:
                return [Path(file.path) for file in expand_files([str(folder / said)])]
            except InputError:
                self.problems.error("task-no-file", f"no file matches {key} = '{said}'", self.place(key))
                return []
        path = folder / said
        try:
            found = path.exists()
        except OSError as error:  # e.g. a name that is too long
            self.problems.error(
                "task-no-file", f"{key} = '{said[:40]}' cannot be looked for", self.place(key), fix=str(error.strerror)
            )
            return []
        if found:
            return [path]
        siblings = [each.name for each in path.parent.iterdir()] if path.parent.is_dir() else []
        hint = nearest(path.name, siblings)
        what = f"no such file: {key} = '{said}'"
        fix = hint if hint.startswith("did") else "paths are seen from the folder of the TOML file"
        self.problems.error("task-no-file", what, self.place(key), fix=fix)
        return []

    def inside(self, key: str, default: str) -> Path:
        """A folder to write to, which must be below that of the TOML file: a task comes from somebody else."""
        folder = self.file.path.parent
        said = self.text(key) or default
        if "\0" in said or not (folder / said).resolve().is_relative_to(folder.resolve()):
            fix = "give it on the command line if that is meant: --cache DIR" if key == "cache" else ""
            what = f"{key} = {said[:40]!r} is not inside the folder of the TOML file"
            self.problems.error("task-outside", what, self.place(key), expected="a folder below it", fix=fix)
            return folder / default
        return folder / said

    def moment(self, key: str) -> datetime | None:
        """A date, or a date and time; without an offset it is UTC, and a date alone means its end."""
        return self.as_moment(key, self.values.get(key))

    def as_moment(self, key: str, value: object) -> datetime | None:
        """As ``moment``, of a value within the key."""
        if value is None:
            return None
        if isinstance(value, datetime):
            return value if value.tzinfo else value.replace(tzinfo=UTC)
        if isinstance(value, date):
            return datetime.combine(value, time.max, UTC)
        self.wrong(key, value, "a date or time without quotes, e.g. 2026-11-21T18:00:00Z")
        return None

    def each(self, key: str, read: Callable[[Fields], None]) -> None:
        """Read every table of a list of tables, e.g. ``[[corpus]]``."""
        found = self.values.get(key, [])
        if not isinstance(found, list) or not all(isinstance(each, dict) for each in found):
            what = f"'{key}' is not a list of tables"
            self.problems.error("task-value", what, self.file.place((key, 0)), expected=f"[[{key}]]")
            return
        for number, table in enumerate(found):
            read(Fields(table, self.file, (key, number), self.problems))

    def wrong(self, key: str, value: object, expected: str, *, fix: str = "") -> None:
        """Record that a value will not do."""
        shown = f"'{value}'" if isinstance(value, str) else str(value)
        self.problems.error(
            "task-value", f"{key} = {shown[:40]} will not do", self.place(key), expected=expected, fix=fix
        )
