"""Inventories of error types, kept as data: a JSON file each."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from errorbar.core.errors import Problem, UsageError, nearest


@dataclass(frozen=True, slots=True)
class Inventory:
    """A closed set of error types.

    Attributes:
        name: Short name, e.g. ``nucle``.
        title: What it is.
        source: Where it is defined.
        types: Code to description, in the source's order.
    """

    name: str
    title: str
    source: str
    types: Mapping[str, str]


def inventory_names() -> list[str]:
    """The inventories that ship with errorbar."""
    return sorted(entry.name.removesuffix(".json") for entry in files(__package__).iterdir() if ".json" in entry.name)


@cache
def inventory(name: str) -> Inventory:
    """An inventory by name.

    Raises:
        UsageError: If there is none of that name.
    """
    if name not in inventory_names():
        fix = nearest(name, inventory_names())
        raise UsageError(Problem("unknown-inventory", f"no inventory of error types is called '{name}'", fix=fix))
    return Inventory(**json.loads(files(__package__).joinpath(f"{name}.json").read_text(encoding="utf-8")))
