"""Plain data as YAML and TOML, for files that people read: errorbar takes no library that writes them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence

from errorbar.core.errors import visible_json

Plain = str | int | bool | Sequence["Plain"] | Mapping[str, "Plain"]


def scalar(value: object) -> str:
    """A text, number or truth value, as YAML and TOML both have it: JSON, whose strings are theirs too."""
    return visible_json(json.dumps(value, ensure_ascii=False))


def yaml_text(value: Mapping[str, Plain]) -> str:
    """A document in block style."""
    return "\n".join(_block(value)) + "\n"


def _block(value: Plain) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            if isinstance(inner, Mapping | list | tuple) and inner:
                yield f"{key}:"
                yield from (f"  {line}" for line in _block(inner))
            else:
                yield f"{key}: {scalar(inner)}"
    elif isinstance(value, list | tuple):
        for inner in value:
            first, *others = _block(inner)
            yield f"- {first}"
            yield from (f"  {line}" for line in others)
    else:
        yield scalar(value)


def toml_table(header: str, values: Mapping[str, Plain]) -> list[str]:
    """The lines of a table of texts, truth values and lists of texts; what is empty or false is left out."""
    lines = [header]
    for key, value in values.items():
        if value:
            said = f"[{', '.join(map(scalar, value))}]" if isinstance(value, list | tuple) else scalar(value)
            lines.append(f"{key} = {said}")
    return lines
