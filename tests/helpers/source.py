"""The package's own source, as tests read it."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def parse_nodes(path: Path) -> list[ast.AST]:
    """Parse a module, once in a process, and list every node of its tree; the tree itself comes first."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
