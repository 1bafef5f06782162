"""Public names of a package, which its stub lists once; each is imported when it is first used."""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from importlib.machinery import ModuleSpec


def read_stub(spec: ModuleSpec) -> dict[str, str]:
    """Read the module of each name from a package's stub, whose lines are ``from MODULE import NAME as NAME``."""
    loader: Any = spec.loader
    (folder,) = spec.submodule_search_locations or [""]
    lines = loader.get_data(f"{folder}/__init__.pyi").decode().splitlines()
    return {line.split()[3]: line.split()[1] for line in lines if line.startswith("from ")}


def import_name(name: str, modules: Mapping[str, str], package: str) -> Any:  # noqa: ANN401 - of any kind
    """Import a public name for a package's ``__getattr__``.

    Raises:
        AttributeError: If the package has no such name.
        MissingPartError: If the folder of the package that has it is not there.
    """
    if name not in modules:
        raise AttributeError(f"module {package!r} has no attribute {name!r}")
    try:
        return getattr(import_module(modules[name]), name)
    except ModuleNotFoundError as error:
        if error.name is None or not f"{modules[name]}.".startswith(f"{error.name}."):
            raise
        from errorbar.core.problems import MissingPartError  # noqa: PLC0415 - only needed here

        folder = ".".join(modules[name].split(".")[:2])
        raise MissingPartError(f"{package}.{name}", folder) from None


def is_asked_by_help() -> bool:
    """Whether ``help`` asks for the names of a package: it would print the whole documentation of each one."""
    frame = sys._getframe()
    while frame.f_back is not None and frame.f_code.co_name != "docmodule":
        frame = frame.f_back
    return frame.f_code.co_name == "docmodule" and frame.f_code.co_filename.endswith("pydoc.py")


def lazy_names(spec: ModuleSpec) -> Callable[[str], Any]:
    """Make the ``__getattr__`` of a package whose stub is read when a name is first asked for, or all by ``dir``."""
    modules = cache(lambda: read_stub(spec))

    def get_name(name: str) -> Any:  # noqa: ANN401 - of any kind
        if name == "__all__":  # for ``import *``
            return list(modules())
        return import_name(name, {} if name.startswith("__") else modules(), spec.name)

    vars(sys.modules[spec.name])["__dir__"] = lambda: sorted(modules())

    return get_name
