"""Scheme files: TOML, those that are shipped and those of a user's own; what is wrong is reported with its line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib.resources import files
from pathlib import Path
from typing import Any

from errorbar.core.labels import error_types, format_count
from errorbar.core.problems import Place, Problem, Problems, UsageError, nearest, shorten_text
from errorbar.formats import toml_tables as toml
from errorbar.formats.look import Lines
from errorbar.formats.toml_tables import Field, TomlTable
from errorbar.judging.question_kinds import QUESTION_KINDS, QuestionKind, kind_of_question
from errorbar.judging.scheme import FRAME_KEYS, SIDES, Option, Question, Scheme
from errorbar.judging.scheme_kinds import SCHEME_KINDS


def scheme_names() -> list[str]:
    """The schemes that are shipped."""
    return sorted(
        path.name.removesuffix(".toml") for path in _shipped_folder().iterdir() if path.name.endswith(".toml")
    )


def load_scheme(name: str | Path) -> Scheme:
    """A scheme that is shipped, by its name, or one of a TOML file."""
    return read_scheme(_path(name))


def scheme_text(name: str | Path) -> str:
    """The TOML of a scheme, as it stands."""
    return _path(name).read_text(encoding="utf-8")


def _path(name: str | Path) -> Path:
    path = _shipped_folder() / f"{name}.toml" if name in scheme_names() else Path(name)
    if not path.is_file():
        message = f"no scheme is called '{name}', and no file either"
        raise UsageError(Problem("judge-scheme", message, fix=nearest(name, scheme_names())))
    return path


def _shipped_folder() -> Path:
    return Path(str(files("errorbar.judging") / "schemes"))


_ID = "a lower-case word of letters, digits and hyphens that does not begin with a sign"
_RESERVED = frozenset(
    (
        *("item", "rater", "label", "weight", "seconds", "round", "state", "version", "comment", "skip", "pause"),
        *("top", "system1", "system2", "shown", "ranking", "provenance", "accepted_of", "rater_kind", "at"),
        "constructor",  # which every object of a page's script has
    )
)
"""Columns of exports, names in trails and in pages, which no question may be called."""


def _two_texts(table: TomlTable, key: str, value: object) -> tuple[str, ...]:
    """A list of two texts."""
    if not (isinstance(value, list) and len(value) == 2 and all(isinstance(text, str) and text for text in value)):
        table.error("scheme-value", f"{key} = {value!r}", key, expected='["of the first text", "of the second"]')
        return ()
    return tuple(value)


_SCHEME = {
    "name": Field(toml.name, "", required=True),
    "title": Field(toml.name, "", required=True),
    "version": Field(toml.whole, 1),
    "source": Field(toml.text, ""),
    "shows": Field(toml.one_of(*SCHEME_KINDS), "span", required=True),
    "main": Field(toml.name, "", required=True),
    "questions": Field(toml.raw, required=True),
    "guidelines": Field(toml.long_text, ""),
    "context_words": Field(toml.whole_or_zero, 0),
    "reversible": Field(toml.flag, False),
    "headings": Field(_two_texts, ()),
    "needs_span": Field(toml.flag, False),
}
_QUESTION = {
    "id": Field(toml.name, "", required=True),
    "kind": Field(toml.one_of(*QUESTION_KINDS), "text", required=True),
    "ask": Field(toml.name, "", required=True),
    "options": Field(toml.raw),
    "required": Field(toml.flag, True),
    "when": Field(toml.raw),
    "most": Field(toml.whole, 1),
    "key": Field(toml.text, ""),
    "help": Field(toml.text, ""),
    "step": Field(toml.whole, 1),
    "proposed": Field(toml.one_of("verb"), ""),
    "nothing": Field(toml.text, ""),
    "types": Field(toml.raw),
}
_OPTION = {
    "value": Field(toml.name, "", required=True),
    "label": Field(toml.name, "", required=True),
    "key": Field(toml.text, ""),
    "help": Field(toml.text, ""),
    "abstains": Field(toml.flag, False),
}


def read_scheme(path: Path) -> Scheme:
    """Read a scheme.

    Raises:
        InputError: With everything that is wrong with it.
    """
    problems = Problems()
    file = toml.read_toml(path, problems, "scheme")
    table = TomlTable(file.document, file)
    fields = table.read(_SCHEME)
    placed = [(_question(own), own) for own in table.each("questions")]
    _check_together(fields, placed, table)
    problems.raise_errors()
    return Scheme(**fields | {"questions": tuple(question for question, _ in placed)})


def _question(table: TomlTable) -> Question:
    fields = table.read(_QUESTION)
    name, kind = fields["id"], QUESTION_KINDS[fields["kind"]]
    if name in _RESERVED or not _is_id(name):
        expected = f"{_ID}, and no column of the exports or name of the pages" if name in _RESERVED else _ID
        table.error("scheme-value", f"a question cannot be called '{name}'", "id", expected=expected)
    options = tuple(_options(table, fields["options"] or []))
    if fields["proposed"] and not kind.takes_proposal:
        message = f"for question '{name}' a verb is proposed, and its kind is {kind.name}"
        takers = [known for known in QUESTION_KINDS.values() if known.takes_proposal]
        table.error("scheme-value", message, "proposed", expected=f"a question of the kind {_names(takers)}")
    values = [option.value for option in options]
    if len(options) < kind.least_options:
        message = f"question '{name}' has {format_count(len(options), 'options')}"
        table.error("scheme-value", message, "options", expected=f"at least {kind.least_options}")
    elif options and not kind.takes_options:
        message = f"question '{name}' has options, and its kind is {kind.name}"
        takers = [known for known in QUESTION_KINDS.values() if known.takes_options]
        table.error("scheme-value", message, "options", expected=f"options of the kinds {_names(takers)}")
    for value in dict.fromkeys(value for value in values if values.count(value) > 1):
        table.error("scheme-twice", f"two options of question '{name}' have the value '{value}'", "options")
    types = tuple(_types(table, fields["types"]))
    if types and not kind.takes_types:
        message = f"question '{name}' has types, and its kind is {kind.name}"
        table.error("scheme-value", message, "types", expected="types of the kind edits")
    when = fields["when"] or {}
    if not isinstance(when, dict) or not all(isinstance(values, list) for values in when.values()):
        table.error("scheme-value", f"when of question '{name}'", "when", expected='{ other = ["value"] }')
        when = {}
    conditions = {earlier: tuple(map(str, values)) for earlier, values in when.items()}
    return Question(**fields | {"options": options, "when": conditions, "types": types})


def _names(kinds: Iterable[QuestionKind]) -> str:
    return " and ".join(kind.name for kind in kinds)


def _options(table: TomlTable, rows: object, key: str = "options") -> Iterator[Option]:
    """The options of a question, or its types; a text is value and label at once."""
    if not isinstance(rows, list):
        table.error("scheme-value", f"{key} are no list", key, expected='["a", "b"] or [{ value = "a", ... }]')
        return
    for number, row in enumerate(rows):
        if isinstance(row, str) and row.strip():
            yield Option(row, row)
        elif isinstance(row, dict):
            where = (f"questions.{key} {number + 1}", table.where[1])
            table.file.tables[where] = table.place(key).line
            yield Option(**TomlTable(row, table.file, where).read(_OPTION))
        else:
            table.error("scheme-value", f"{key[:-1]} {number + 1} is {row!r}", key, expected="a text, or a table")


INVENTORIES = ("nucle", "errant")
"""Names of the lists of error types that are shipped."""


def _types(table: TomlTable, types: object) -> Iterator[Option]:
    """The types of a question: the name of an inventory, a list as of options, or none."""
    if isinstance(types, str) and types in INVENTORIES:
        yield from shipped_types(types)
    elif isinstance(types, str):
        expected = f"{', '.join(INVENTORIES)}, or a list"
        table.error("scheme-value", f"no list of types is called '{types}'", "types", expected=expected)
    elif types is not None:
        yield from _options(table, types, "types")


def shipped_types(name: str) -> tuple[Option, ...]:
    """The error types of an inventory, each with its description."""
    return tuple(Option(code, description) for code, description in error_types(name).items())


def with_types(scheme: Scheme, types: str) -> Scheme:
    """The scheme with other error types.

    Args:
        scheme: One that asks for edits.
        types: ``nucle``, ``errant``, ``none``, or a file with a type in each line: its code, and after white space a
            description or nothing.

    Raises:
        InputError: If the file names no type, or one twice.
        UsageError: If the scheme does not ask for edits.
    """
    if not any(kind_of_question(question).takes_types for question in scheme.questions):
        message = f"the scheme {scheme.name} asks for no edits, which have types"
        raise UsageError(Problem("useless-option", message, fix="leave --types out"))
    if types == "none":
        options: tuple[Option, ...] = ()
    else:
        options = shipped_types(types) if types in INVENTORIES else tuple(_read_types(Path(types)))
    questions = (
        replace(question, types=options) if kind_of_question(question).takes_types else question
        for question in scheme.questions
    )
    return replace(scheme, questions=tuple(questions))


def _read_types(path: Path) -> Iterator[Option]:
    if not path.is_file():
        message = f"no list of types is called '{path}', and no file either"
        raise UsageError(Problem("judge-types", message, fix=nearest(str(path), [*INVENTORIES, "none"])))
    problems, known = Problems(), set[str]()
    for number, line in enumerate(Lines(path, problems), 1):
        code, _, description = line.strip().partition("\t" if "\t" in line else " ")
        if code in known:
            problems.error("judge-types", f"the type '{shorten_text(code)}' stands twice", Place(str(path), number))
        elif code:
            known.add(code)
            yield Option(code, description.strip() or code)
    if not known:
        problems.error("judge-types", "the file names no type", Place(str(path)), "a code in each line")
    problems.raise_errors()


def _is_id(name: str) -> bool:
    letters = name.replace("-", "").replace("_", "")
    return name.isascii() and name == name.lower() and letters.isalnum() and name[0].isalnum()


def _check_together(fields: dict[str, Any], placed: list[tuple[Question, TomlTable]], table: TomlTable) -> None:
    """The rules between questions, and the scheme of them."""
    earlier: dict[str, Question] = {}
    keys: dict[str, str] = {}
    step = 1
    for question, own in placed:
        if question.id in earlier:
            own.error("scheme-twice", f"two questions are called '{question.id}'", "id")
        for name, values in question.when.items():
            if name not in earlier:
                message = f"when of question '{question.id}' names '{name}', which is no earlier question"
                own.error("scheme-when", message, "when", fix=nearest(name, earlier) if earlier else "")
            elif unknown := [value for value in values if value not in earlier[name].values()]:
                message = f"when of question '{question.id}': '{name}' has no option '{unknown[0]}'"
                own.error("scheme-when", message, "when", fix=nearest(unknown[0], earlier[name].values()))
        if question.step < step:
            message = f"question '{question.id}' of step {question.step} stands after one of step {step}"
            own.error("scheme-step", message, "step", expected="questions in the order of their steps")
        step = max(step, question.step)
        earlier.setdefault(question.id, question)
        _check_keys(question, own, keys)
    if fields["main"] not in earlier and earlier:
        table.error("scheme-value", f"main is '{fields['main']}'", "main", fix=nearest(fields["main"], earlier))
    elif earlier:
        main = earlier[fields["main"]]
        if not main.required or main.when:
            table.error(
                "scheme-value", f"main is '{main.id}'", "main", expected="a question that everybody must answer"
            )
        if fields["reversible"] and not {*SIDES} <= {*main.values()}:
            message = f"the sides change places, and question '{main.id}' does not say which"
            table.error(
                "scheme-value", message, "reversible", expected=f"options with the values {' and '.join(SIDES)}"
            )
    compares = SCHEME_KINDS[fields["shows"]].compares
    if fields["headings"] and (fields["reversible"] or not compares):
        message = "headings name two texts, which must always stand in the same order"
        table.error("scheme-value", message, "headings", expected='shows = "choice" without reversible')
    if fields["reversible"] and not compares:
        table.error(
            "scheme-value", f"a {fields['shows']} has no sides to change", "reversible", expected='shows = "choice"'
        )


def _check_keys(question: Question, table: TomlTable, keys: dict[str, str]) -> None:
    """Keys within a step, which are all awake at once, and those of marks, which start from any."""
    own = [(question.key, f"question '{question.id}'", "key")]
    own += [
        (option.key, f"option '{option.value}' of question '{question.id}'", "options") for option in question.options
    ]
    for key, owner, where in own:
        if not key:
            continue
        if len(key) > 1:
            table.error("scheme-key-taken", f"the key of {owner} is '{key}'", where, expected="one character")
        elif key.lower() in FRAME_KEYS:
            message = f"the key '{key}' of {owner} is the frame's: {', '.join(sorted(FRAME_KEYS))} are for "
            table.error("scheme-key-taken", f"{message}help and undo", where, fix="choose another")
        elif key.lower() in keys:
            table.error("scheme-key-taken", f"the key '{key}' of {owner} is that of {keys[key.lower()]}", where)
        else:
            keys[key.lower()] = owner
