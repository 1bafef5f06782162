"""Measure grammatical error detection and correction against many human judges, with error bars.

One function for each command, with its words: ``errorbar.score("gold.m2", ["a.txt", "b.txt"])``. Results are frozen
values with ``to_dict()``, ``to_frame()``, tables in notebooks, and ``notes``: warnings and repairs. The public names
are listed in ``__init__.pyi``; each is imported when it is first used, so that importing the package costs nothing.
"""

from __future__ import annotations

from errorbar.core.public_names import import_name, read_stub

_MODULES = read_stub(__spec__)
__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    """Import a public name; where that needs what is missing, using it says so."""
    from errorbar.core.problems import MissingExtraError, MissingPartError  # noqa: PLC0415 - importing the package costs nothing

    try:
        return import_name(name, _MODULES, __name__)
    except (MissingExtraError, MissingPartError) as error:
        return _refusing(error)


def _refusing(error: Exception) -> object:
    """The stand-in for a function that cannot be imported here, so that the other names can be."""

    def refuse(*_arguments: object, **_options: object) -> object:
        raise error

    return refuse


def __dir__() -> list[str]:
    """The public names, for completion."""
    return sorted(__all__)
