"""The package's own source, as tests read it."""

from __future__ import annotations

import ast
from pathlib import Path


def parse_nodes(path: Path) -> list[ast.AST]:
    """Parse a module and list every node of its tree."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))
