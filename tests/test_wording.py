"""Messages name options that exist, written so that Python and the command line can both show them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import click

import errorbar
from errorbar.core.problems import ROLES
from tests.helpers.commands import every_command
from tests.helpers.source import parse_nodes

PACKAGE = Path(errorbar.__file__).parent
OPTION = re.compile(r"(?<![\w-])--([a-z][a-z-]*)(?: ([^\s,;()]+))?")
WHOLE_COMMAND = re.compile(r"\berrorbar [a-z]+(?: [^;,()]*)?")
MAKERS = {"Problem", "error", "repairable", "note", "_refuse", "refuse"}


def options() -> dict[str, set[str]]:
    """Every option of every command, without its dashes, with the values that it offers."""
    found: dict[str, set[str]] = {name: set() for name in ("help", "config", "quiet", "notes", *ROLES)}
    for _, command in every_command():
        for each in command.params:
            if isinstance(each, click.Option):
                offered = set(each.type.choices) if isinstance(each.type, click.Choice) else set()
                for name in (*each.opts, *each.secondary_opts):
                    found.setdefault(name.lstrip("-"), set()).update(offered)
    return found


OPTIONS = options()


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """The texts of a module that are no docstrings; what is put into one shows as ``X``."""
    parsed = parse_nodes(path)
    docs = {id(node.value) for node in parsed if isinstance(node, ast.Expr)}
    inner = {id(part) for node in parsed if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in parsed:
        if isinstance(node, ast.JoinedStr):
            parts = [part.value if isinstance(part, ast.Constant) else "X" for part in node.values]
            yield node.lineno, "".join(map(str, parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docs | inner:
            yield node.lineno, node.value


LIBRARY = [path for path in sorted(PACKAGE.rglob("*.py")) if path.relative_to(PACKAGE).parts[0] != "cli"]


def wrong_option(match: re.Match[str]) -> str:
    """Say why an option of a message is wrong; nothing if it is right."""
    name, after = match[1], match[2] or ""
    if name not in OPTIONS:
        return f"no command has --{name}"
    if after in OPTIONS[name] | {"local"} or set("=|") & set(after) or after[:1] in {"'", '"', "X"}:
        return f"write --{name}={after}, which Python can show too"
    return ""


def test_messages_of_the_library_suit_both_sides() -> None:
    wrong = [
        f"{path.relative_to(PACKAGE)}:{line}: {reason}: {text}"
        for path in LIBRARY
        for line, text in texts(path)
        for match in OPTION.finditer(WHOLE_COMMAND.sub("", text))
        if (reason := wrong_option(match))
    ]
    assert wrong == []
