"""Pools of judges from a TOML file, or from names in memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path

from errorbar.core.pools import Pool, Pools, check_pools
from errorbar.core.problems import Place, Problems
from errorbar.formats import toml_tables as toml
from errorbar.formats.toml_tables import Field, read_toml

PoolNames = Mapping[str, str | Sequence[str]]
"""The judges, or a pattern, of each pool by its name."""


def read_pools(pools: str | PathLike[str] | PoolNames, *, sampled: bool = False) -> Pools:
    """Read pools from a file, or make them of names; ``sampled``: they are a random sample, whatever a file says.

    Raises:
        InputError: If the file is bad.
        UsageError: If there are fewer than two pools, or fewer than three that are a sample.
    """
    if isinstance(pools, Mapping):
        listed = {name: (judges,) if isinstance(judges, str) else tuple(judges) for name, judges in pools.items()}
        return check_pools(Pools(tuple(Pool(str(name), judges) for name, judges in listed.items()), sampled))
    problems = Problems()
    file = read_toml(Path(pools), problems, "pool-file")
    top = toml.TomlTable(file.document, file)
    top.only(("pools", "described", "random"))
    declared, described = top.table("pools"), top.table("described")
    random = bool(top.value("random", Field(toml.flag, False)))
    names = list(declared.values)
    judges = declared.read({name: Field(toml.texts, ()) for name in names})
    texts = described.read({name: Field(toml.text, "") for name in names})
    problems.raise_errors()
    read = tuple(Pool(name, judges[name], texts[name], declared.place(name)) for name in names)
    return check_pools(Pools(read, sampled or random), Place(str(pools)))
