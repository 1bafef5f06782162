"""The texts of a study for raters before and after their work: rules of it, which a TOML file can hold together."""

from __future__ import annotations

from collections.abc import Collection
from os import fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

from errorbar.core.problems import Problem, Problems, UsageError, shorten_text
from errorbar.formats import toml_tables as toml
from errorbar.formats.look import Source
from errorbar.formats.toml_tables import Field, TomlTable
from errorbar.judging.protocol.completion_codes import check_return_url
from errorbar.judging.study.comprehension import read_questions
from errorbar.judging.study.rules import PageTongue, Withdrawing

if TYPE_CHECKING:
    from errorbar.judging.study.rules import StudyRules

MOST_LINE = 200
"""Characters of a line that raters read."""
_LINES = ("title", "contact", "pay_total")
_FACE = {
    "title": Field(toml.text),
    "contact": Field(toml.text),
    "minutes": Field(toml.whole_or_zero),
    "pay": Field(toml.text),
    "pay_total": Field(toml.text),
    "consent": Field(toml.long_text),
    "eligibility": Field(toml.texts),
    "return_url": Field(toml.text),
    "training": Field(toml.whole_or_zero),
    "withdrawal": Field(toml.one_of(*get_args(Withdrawing))),
    "page_language": Field(toml.one_of(*get_args(PageTongue))),
    "break_minutes": Field(toml.whole_or_zero),
    "break_items": Field(toml.whole_or_zero),
}
"""The rules that a file can have, by the names that they have everywhere."""


def read_face(path: Source, options: Collection[str] = ()) -> dict[str, Any]:
    """Read the rules of a file, those that it names.

    Args:
        path: The file.
        options: Names of rules that are said by options: the file must not say them, too.

    Raises:
        InputError: If it is no such file, with everything that is wrong with it.
        UsageError: If something is said twice.
    """
    problems = Problems()
    file = toml.read_toml(Path(fspath(path)), problems, "study")
    table = TomlTable(file.document, file)
    table.only({*_FACE, "comprehension"})
    face = {key: table.value(key, field) for key, field in _FACE.items() if key in file.document}
    if "comprehension" in file.document:
        face["comprehension"] = read_questions(table, "comprehension")
    problems.raise_errors()
    for name in face:
        if name in options:
            message = f"--{name.replace('_', '-')} and {name} in the file of --about"
            raise UsageError(Problem("two-choices", message, table.place(name), fix="give one of them"))
    return face


def check_face(rules: StudyRules) -> None:
    """See that raters can be shown what the rules say.

    Raises:
        UsageError: If a line is too long or is none, or the address to go back to is none.
    """
    for name in _LINES:
        text = getattr(rules, name)
        if len(text) > MOST_LINE or not text.isprintable():
            message = f"--{name.replace('_', '-')} must be one line of at most {MOST_LINE} characters"
            raise UsageError(Problem("bad-parameter", f"{message}, got '{shorten_text(text)}'"))
    check_return_url(rules.return_url)
