"""``errorbar.toml``: named corpora and systems, and defaults of options, for all commands run below its folder."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import click

from errorbar.core.problems import InputError, Place, Problem, nearest

if TYPE_CHECKING:
    from errorbar.formats.toml_tables import TomlFile

NAME = "errorbar.toml"
VARIABLE = "ERRORBAR_CONFIG"
TABLES = ("corpora", "systems", "defaults")
_OF_ALL = "ci ci-method confidence resamples seed jobs adjust format quiet notes lenient unmarked"
OF_ALL = _OF_ALL.split()
"""The options that ``[defaults]`` may set for every command that has them."""
POPULATION = r"\b(population=)(?!(?:known|none|bn2015)[,)])([^,)\s]+)"
"""The file that ``--judges`` names."""


@dataclass(frozen=True, slots=True)
class Config:
    """The contents of a config file; paths in it start at its folder."""

    path: Path = Path()  # "." where there is none
    corpora: Mapping[str, Sequence[str]] = field(default_factory=dict)  # name to files, each as --gold takes it
    systems: Mapping[str, str] = field(default_factory=dict)  # name to file
    defaults: Mapping[str, Mapping[str, object]] = field(default_factory=dict)  # "crowd score" to options; "": of all
    toml: TomlFile | None = None  # where each key stands

    @property
    def quiet(self) -> bool:
        """Whether notes and progress are silenced."""
        return bool(self.defaults.get("", {}).get("quiet"))

    @property
    def notes(self) -> bool:
        """Whether every note is shown."""
        return bool(self.defaults.get("", {}).get("notes"))

    def defaults_for(self, command: Sequence[str], parameters: Sequence[click.Parameter]) -> dict[str, object]:
        """The defaults of a command such as ``["crowd", "score"]``, as click takes them; unknown ones are refused."""
        options = {
            name.lstrip("-"): each
            for each in parameters
            if isinstance(each, click.Option)
            for name in each.opts
            if name.startswith("--")
        }
        own = self.defaults.get(" ".join(command), {})
        table = ".".join(("defaults", *command))
        for key in own:
            if key not in options:
                shown = [name for name, each in options.items() if not each.hidden]
                raise self.unknown(table, key, shown)
            if getattr(options[key].type, "is_output", False):
                message = f"[{table}] {key} names an output, which only a command line may do"
                raise InputError(Problem("config-value", message, self.place(table, key), fix=f"give --{key}"))
        shared = {key: value for key, value in self.defaults.get("", {}).items() if key in options}
        return {options[key].name or "": self._taken(value, options[key]) for key, value in {**shared, **own}.items()}

    def _taken(self, value: object, option: click.Option) -> object:
        """A value as click takes it: files from the config's folder, a single one where there may be several."""
        values = value if isinstance(value, list) else [value]
        if isinstance(option.type, click.Path):
            values = [each if each in self.corpora or each in self.systems else self.file(str(each)) for each in values]
        if option.name == "judges":
            values = [
                re.sub(POPULATION, lambda match: f"{match[1]}{self.file(match[2])}", str(each)) for each in values
            ]
        return values if option.multiple else values[0] if len(values) == 1 else values

    def one_file(self, value: str) -> str:
        """A file as it was given, or the one that has the name here; refused where there are several."""
        if value in self.systems:
            return f"{value}={self.systems[value]}"
        files = self.corpora.get(value, (value,))
        if len(files) > 1:
            message = f"'{value}' is a corpus of {len(files)} files, and one is read here"
            raise InputError(Problem("config-value", message, self.place("corpora", value), fix="name the file itself"))
        return files[0]

    def file(self, text: str) -> str:
        """A path, or ``name=path``, that starts at the file's folder."""
        name, equals, path = text.partition("=")
        if equals and name and path and "/" not in name:
            return f"{name}={self.path.parent / path}"
        return str(self.path.parent / text)

    def unknown(self, table: str, key: str, known: Collection[str]) -> InputError:
        """Make the error for a key that nothing reads."""
        message = f"[{table}] {key} is not a setting of errorbar"
        return InputError(Problem("config-key", message, self.place(table, key), fix=nearest(key, known)))

    def bad_value(self, command: Sequence[str], error: click.BadParameter) -> InputError:
        """Make the error for a value that the option of a command does not take."""
        option = error.param.opts[0].lstrip("-") if error.param is not None else ""
        message = f"the default of '{option}' is not taken: {error.message.rstrip('.')}"
        table = ".".join(("defaults", *command)) if option in self.defaults.get(" ".join(command), {}) else "defaults"
        return InputError(Problem("config-value", message, self.place(table, option)))

    def place(self, table: str, key: str) -> Place:
        """Where a key, or a table within the table, stands in the file."""
        return self.toml.place((f"{table}.{key}", 0)) if self.toml else Place(str(self.path))


def find_config(context: click.Context | None) -> Config:
    """The config that the command line was started with; one that says nothing where there is no file."""
    return (context.find_object(Config) if context is not None else None) or Config()


def load_config(named: str | None, commands: Callable[[], Collection[str]]) -> Config:
    """Read the config file that was named (empty: none), or that of the working directory or nearest folder above.

    ``commands`` gives the names of all commands; what nothing reads is refused.
    """
    if named is not None:
        return _read_config(Path(named), commands) if named else Config()
    here = Path.cwd()
    nearest_file = next((path for folder in (here, *here.parents) if (path := folder / NAME).is_file()), None)
    return _read_config(nearest_file, commands) if nearest_file else Config()


def _read_config(path: Path, commands: Callable[[], Collection[str]]) -> Config:
    from errorbar.core.problems import Problems
    from errorbar.formats.toml_tables import Field, TomlTable, is_list, make_reader, read_toml

    toml = read_toml(path, Problems(), "config")
    config = Config(path, toml=toml)
    top = TomlTable(toml.document, toml)
    top.only(TABLES)
    corpora, systems, defaults = map(top.table, TABLES)
    file = Field(make_reader("a file", lambda value: isinstance(value, str)), "")
    files = Field(make_reader("a file or a list of files", lambda value: value and is_list(value)), ())
    named = {name: corpora.value(name, files) for name in corpora.values}
    outputs = {name: systems.value(name, file) for name in systems.values}
    toml.problems.raise_errors()
    return replace(
        config,
        corpora={name: [*map(config.file, [f] if isinstance(f, str) else f)] for name, f in named.items()},
        systems={name: config.file(output) for name, output in outputs.items()},
        defaults=_defaults(config, defaults.values, commands),
    )


def _defaults(
    config: Config, table: Mapping[str, object], commands: Callable[[], Collection[str]]
) -> dict[str, dict[str, object]]:
    defaults: dict[str, dict[str, object]] = {"": {}}
    for key, value in table.items():
        known = commands() if isinstance(value, dict) else OF_ALL
        if key not in known:
            raise config.unknown("defaults", key, known)
        if not isinstance(value, dict):
            defaults[""][key] = value
            continue
        for inner, each in value.items():
            name = f"{key} {inner}" if isinstance(each, dict) else key
            defaults.setdefault(name, {}).update(each if isinstance(each, dict) else {inner: each})
    return defaults
