"""The package's own source, as tests read it."""

from __future__ import annotations

import ast
from collections.abc import Collection, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path

SMALL = 80
"""Lines below which a module is no page of its own if one neighbor alone imports it."""


@cache
def parse_nodes(path: Path) -> list[ast.AST]:
    """Parse a module, once in a process, and list every node of its tree; the tree itself comes first."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def count_lines(path: Path) -> int:
    """Count the lines of a file."""
    return len(path.read_text(encoding="utf-8").splitlines())


def find_splinters(paths: Collection[Path], root: Path) -> Iterator[Path]:
    """Find short modules that one other imports, of the same folder."""
    names = {".".join(path.relative_to(root).with_suffix("").parts): path for path in paths}
    importers: dict[Path, set[Path]] = {}
    for path in paths:
        for node in parse_nodes(path):
            if isinstance(node, ast.ImportFrom) and node.module is not None:
                for name in (node.module, *(f"{node.module}.{alias.name}" for alias in node.names)):
                    if name in names:
                        importers.setdefault(names[name], set()).add(path)
    for path, importing in importers.items():
        is_alone = [importer.parent for importer in importing] == [path.parent]
        if is_alone and count_lines(path) < SMALL and path.name != "__init__.py":
            yield path


def find_homes(paths: Collection[Path]) -> dict[str, list[Path]]:
    """Find the modules of each public class by its name."""
    homes: dict[str, list[Path]] = {}
    for path in paths:
        for node in ast.iter_child_nodes(parse_nodes(path)[0]):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes.setdefault(node.name, []).append(path)
    return homes


def find_repeated_lines(paths: Collection[Path], least: int = 6) -> list[tuple[str, str]]:
    """Find runs of ``least`` lines of code that stand in two places.

    Blank lines, comments, imports and docstrings do not count, nor lines without a name; indentation is ignored.

    Returns:
        The two places of each run, ``file:line``, the first run of each pair of neighbors in a file.
    """
    places: dict[tuple[str, ...], list[tuple[Path, int]]] = {}
    for path in paths:
        lines = list(_code_lines(path))
        for start in range(len(lines) - least + 1):
            run = tuple(text for _, text in lines[start : start + least])
            places.setdefault(run, []).append((path, lines[start][0]))
    return [
        (f"{first.name}:{line}", f"{second.name}:{other}")
        for where in places.values()
        for (first, line), (second, other) in pairwise(where)
    ]


def _code_lines(path: Path) -> Iterator[tuple[int, str]]:
    tree = parse_nodes(path)
    left_out: set[int] = set()
    for node in tree:
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if is_text or isinstance(node, ast.Import | ast.ImportFrom):
            assert isinstance(node, ast.stmt)
            left_out.update(range(node.lineno, (node.end_lineno or node.lineno) + 1))
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        text = line.strip()
        if number not in left_out and not text.startswith("#") and any(character.isalnum() for character in text):
            yield number, text
