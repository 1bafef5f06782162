"""Every phrase of raters' pages, as the sources say it: in scripts, templates, and on the server."""

from __future__ import annotations

import ast
import re
from pathlib import Path

JUDGING = Path(__file__).parents[2] / "src" / "errorbar" / "judging"
_SAID = re.compile(r"""(?<![\w.#])(?:say|phrase)\(\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)")""")
_SPEAKERS = ("say", "phrase")


def phrases_of_pages() -> dict[str, str]:
    """Each phrase in English, with the file that says it."""
    phrases: dict[str, str] = {}
    for path in sorted([*(JUDGING / "web" / "static").glob("*.js"), *(JUDGING / "web" / "templates").glob("*.html")]):
        for single, double in _SAID.findall(path.read_text(encoding="utf-8")):
            phrases.setdefault((single or double).replace("\\'", "'"), path.name)
    for path in sorted(JUDGING.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and node.args and _name(node.func) in _SPEAKERS:
                match node.args[0]:
                    case ast.Constant(value=str(english)):
                        phrases.setdefault(english, path.name)
    return phrases


def _name(function: ast.expr) -> str:
    return (
        function.id if isinstance(function, ast.Name) else function.attr if isinstance(function, ast.Attribute) else ""
    )
