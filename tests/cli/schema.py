"""JSON output against the schemas that the documentation publishes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from jsonschema import Draft202012Validator  # has no type hints

SCHEMAS = Path(__file__).parents[2] / "docs" / "schemas"


def validated(name: str, output: str, version: int = 1) -> dict[str, Any]:
    """Parse what a command printed and check it against ``docs/schemas/<name>-<version>.json``; NaN is no JSON."""

    def refuse(constant: str) -> None:
        raise AssertionError(f"{constant} is not JSON")

    document: dict[str, Any] = json.loads(output, parse_constant=refuse)
    schema = json.loads((SCHEMAS / f"{name}-{version}.json").read_text(encoding="utf-8"))
    Draft202012Validator.check_schema(schema)
    found = [
        f"{'/'.join(map(str, error.path))}: {error.message}"
        for error in Draft202012Validator(schema).iter_errors(document)
    ]
    assert found == []
    return document
