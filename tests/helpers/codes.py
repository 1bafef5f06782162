"""Every code of an error or a warning: ``python -m tests.helpers.codes`` writes docs/errors.md.

Codes come from the source, under the folder that raises them; what they mean is what ``errorbar explain`` shows.
"""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

from errorbar.cli.explain import read_explanations, read_meanings
from tests.helpers.source import parse_nodes

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "src" / "errorbar"
ERRORS_PAGE = ROOT / "docs" / "errors.md"
CODE = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
ROOMS = {
    "formats": "Files and formats",
    "edits": "Edits",
    "metrics": "Scores, comparisons and ceilings",
    "stats": "Statistics",
    "agreement": "Agreement",
    "crowdsourcing": "Crowds",
    "ranking": "Rankings",
    "sampling": "Samples and audits",
    "detectors": "Detectors and correctors",
    "judging": "Collecting judgments",
    "tasks": "Shared tasks",
    "codabench": "Codabench",
    "reporting": "Reports",
    "receipts": "Receipts",
    "datasets": "Corpora",
    "reproduce": "Published tables",
    "harnesses": "Evaluation harnesses",
    "execute": "Many workers",
    "tables": "Output",
    "testing": "Simulated judgments",
    "demo": "The demo corpus",
    "core": "Input and use",
    "api": "Functions and commands",
    "cli": "The command line",
}
"""Headings of the page, by the folder of the source that raises a code; a code stands under the first that does."""
BEFORE = """# Errors and warnings

```console
$ errorbar demo --save demo
$ errorbar check demo/careful.txt --gold demo/gold.jsonl
demo/careful.txt: 63 lines, 41 sentences changed; no problem
```

Every message ends with its code in brackets. An error refuses the input: the exit code is 2, and nothing is printed
on standard output. "Lenient" is what `--lenient` does instead. A warning or a note does not stop the command; one line
says the most important one and counts the others, and `--notes` shows all of them. `errorbar explain CODE` shows what
stands here.
"""
Nodes = list[ast.AST]


def takers(modules: list[Nodes]) -> dict[str, int]:
    """Functions that take a code, and which of their arguments it is."""
    found = {"Problem": 0}
    for node in (node for nodes in modules for node in nodes):
        if isinstance(node, ast.FunctionDef):
            names = [arg.arg for arg in node.args.args if arg.arg != "self"]
            found |= {node.name: names.index("code")} if "code" in names else {}
    return found


def constants(node: ast.AST) -> set[str]:
    """The codes that are written in a piece of source."""
    found = {
        inner.value for inner in ast.walk(node) if isinstance(inner, ast.Constant) and isinstance(inner.value, str)
    }
    return {text for text in found if CODE.fullmatch(text)}


def codes_of(nodes: Nodes, makers: dict[str, int]) -> tuple[set[str], set[str]]:
    """The codes that a module gives to problems, and endings of codes.

    A code stands in the call itself, or a name that a code is assigned to, or the end of one: ``f"{kind}-empty"``.
    """
    codes, endings, names = set(), set(), set()
    for node in nodes:
        if not isinstance(node, ast.Call):
            continue
        called = getattr(node.func, "id", getattr(node.func, "attr", ""))
        if called == "TableFields":
            codes |= {code for arg in node.args for code in constants(arg) if "-" in code}
        if called not in makers or len(node.args) <= makers[called]:
            continue
        given = node.args[makers[called]]
        if isinstance(given, ast.JoinedStr):
            endings |= {str(part.value) for part in given.values if isinstance(part, ast.Constant)}
        elif isinstance(given, ast.Constant):
            codes |= constants(given)
        else:
            codes |= {code for code in constants(given) if "-" in code}
            names |= {getattr(inner, "id", getattr(inner, "attr", "")) for inner in ast.walk(given)} - {"self", ""}
    assigned = [node for node in nodes if isinstance(node, ast.Assign | ast.AnnAssign)]
    targets = [(node.targets[0] if isinstance(node, ast.Assign) else node.target, node.value) for node in assigned]
    for target, value in targets:
        if getattr(target, "id", "") == "remarks" and isinstance(value, ast.Dict):  # of a metric, by code
            names |= {getattr(key, "id", "") for key in value.keys}
    for target, value in targets:
        if getattr(target, "id", "") in names and value is not None:
            codes |= {code for code in constants(value) if "-" in code}
    return codes, endings


@cache
def scanned() -> tuple[dict[str, str], dict[str, str]]:
    """The codes that the source gives to problems, and endings of codes that it puts together, each with its folder."""
    modules = {path: parse_nodes(path) for path in sorted(PACKAGE.rglob("*.py"))}
    makers = takers(list(modules.values()))
    order = list(ROOMS)
    codes: dict[str, str] = {}
    endings: dict[str, str] = {}
    for path, nodes in modules.items():
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        room = room if room in ROOMS else "core"
        for rooms, names in zip((codes, endings), codes_of(nodes, makers), strict=True):
            for name in names:
                rooms[name] = min(room, rooms.get(name, room), key=order.index)
    return codes, endings


def codes_by_room() -> dict[str, str]:
    """The folder that raises each code."""
    return scanned()[0]


def endings_by_room() -> dict[str, str]:
    """The folder that puts codes of each ending together."""
    return scanned()[1]


def render_page() -> str:
    """The page of all codes."""
    codes, endings = scanned()
    tables: dict[str, list[str]] = {room: [] for room in ROOMS}
    for code, meaning in read_meanings().items():
        room = codes.get(code) or next(room for end, room in endings.items() if code.endswith(end))
        tables[room].append(f"| `{code}` | {meaning} |")
    parts = [BEFORE]
    for room, rows in tables.items():
        if rows:
            parts.append("\n".join((f"## {ROOMS[room]}", "", "| code | meaning |", "|---|---|", *rows, "")))
    parts.append("## Warnings explained\n")
    parts += [f"### {code}\n\n{text}\n" for code, text in read_explanations().items()]
    return "\n".join(parts)


if __name__ == "__main__":
    ERRORS_PAGE.write_text(render_page(), encoding="utf-8")
