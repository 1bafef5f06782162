"""JSON output against the schemas that the documentation publishes."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator  # has no type hints

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


@cache
def validator(name: str) -> Draft202012Validator:
    """Read a schema of the documentation, once in a process: looking it through takes longer than using it."""
    schema = json.loads((SCHEMAS / f"{name}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    return Draft202012Validator(schema)


def validated(name: str, output: str, version: int = 1) -> dict[str, Any]:
    """Parse what a command printed and check it against ``docs/schemas/<name>-<version>.json``; NaN is no JSON."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    document: dict[str, Any] = json.loads(output, parse_constant=refuse)
    errors = validator(f"{name}-{version}").iter_errors(document)
    assert [f"{'/'.join(map(str, error.path))}: {error.message}" for error in errors] == []
    return document
