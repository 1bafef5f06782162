"""Every regular expression of the package takes time in proportion to the text, whatever the text is."""

from __future__ import annotations

import ast
import re
import time
from collections.abc import Iterator
from importlib import import_module
from itertools import chain, product
from pathlib import Path

import errorbar

ANYWHERE = ("search", "finditer", "findall", "sub", "subn", "split")
METHODS = (*ANYWHERE, "match", "fullmatch")
SHORT, LONG = 500, 2_000
MOST_SECONDS = 0.003
"""Of processor time for ``LONG`` characters: a tenth of it is usual."""


def uses() -> Iterator[tuple[str, re.Pattern[str], str]]:
    """Every use of a pattern of texts: where, the pattern, the method."""
    root = Path(errorbar.__path__[0])
    for path in sorted(root.rglob("*.py")):
        source = path.read_text(encoding="utf-8")
        if "import re\n" not in source:
            continue
        module = ".".join(("errorbar", *path.relative_to(root).with_suffix("").parts))
        tree = ast.parse(source)
        written = dict(_written(tree))
        for node in ast.walk(tree):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in METHODS):
                continue
            holder, where = node.func.value, f"{module}:{node.lineno}"
            if isinstance(holder, ast.Name) and holder.id == "re" and isinstance(node.args[0], ast.Constant):
                yield where, re.compile(str(node.args[0].value)), node.func.attr
            elif isinstance(holder, ast.Name) and holder.id == "re" and isinstance(node.args[0], ast.Name):
                text = getattr(import_module(module), node.args[0].id, None)  # compiled at its first use
                if isinstance(text, str):
                    yield f"{where} {node.args[0].id}", re.compile(text), node.func.attr
            elif isinstance(holder, ast.Name) and holder.id.isupper():
                pattern = written.get(holder.id) or getattr(import_module(module), holder.id, None)
                if isinstance(pattern, re.Pattern) and isinstance(pattern.pattern, str):
                    yield f"{where} {holder.id}", pattern, node.func.attr


def _written(tree: ast.Module) -> Iterator[tuple[str, re.Pattern[str]]]:
    """Patterns that stand in a module as plain texts, so that it need not be imported."""
    for node in tree.body:
        match node:
            case ast.Assign([ast.Name(name)], ast.Call(ast.Attribute(ast.Name("re"), "compile"), [ast.Constant(text)])):
                yield name, re.compile(str(text))


def attacks(pattern: re.Pattern[str], size: int) -> Iterator[str]:
    """Texts in which one or two characters that the pattern may know come again and again, with odd ends."""
    literals = dict.fromkeys(re.sub(r"\\.|[\\()|?*+{}$^]", " ", pattern.pattern)[:60])
    units = dict.fromkeys(chain(' \n.,:a0A"(', (c for c in literals if c.isprintable())))
    pairs = (f"{one}{other}" for one, other in product(list(units)[:9], repeat=2) if one != other)
    starts = ("", ".", "a", "0")
    for unit in chain(units, pairs):
        for start in starts if len(unit) == 1 else ("",):
            yield f"{start}{unit * (size // len(unit))}\x00"


def seconds(pattern: re.Pattern[str], method: str, text: str) -> float:
    """How long one use takes, at best of two."""
    call = getattr(pattern, method)
    took = []
    for _ in range(2):
        started = time.process_time()
        if method in ("sub", "subn"):
            call(" ", text)
        elif method == "finditer":
            for _match in call(text):
                pass
        else:
            call(text)
        took.append(time.process_time() - started)
        if took[0] < MOST_SECONDS:
            break
    return min(took)


def grows(pattern: re.Pattern[str], method: str) -> str:
    """A text on which a use takes much longer than on a fourth of it; "" where there is none."""
    for text in attacks(pattern, LONG):
        took = seconds(pattern, method, text)
        if took > MOST_SECONDS and took > 8 * seconds(pattern, method, text[:SHORT] + text[-1:]):
            return f"{text[:6]!r} takes {took:.3f} s"
    return ""


def test_no_pattern_takes_more_than_linear_time() -> None:
    seen = {(pattern, method): where for where, pattern, method in uses()}
    slow = [
        f"{where} {method} {grown}" for (pattern, method), where in seen.items() if (grown := grows(pattern, method))
    ]
    assert not slow, "\n".join(slow)
    assert len(seen) > 60


def test_what_took_quadratic_time_is_seen() -> None:
    """Patterns that the package once had."""
    assert grows(re.compile(r"\.(\s*[\"')\]]*\s*)$"), "sub")
    assert grows(re.compile(r"[\d.,]*\d"), "findall")
    assert grows(re.compile(r"\s*\|\s*"), "split")
