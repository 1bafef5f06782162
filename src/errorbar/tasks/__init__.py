"""Shared tasks: teams, their runs, scores that are computed once, and what a team should check before sending."""

from __future__ import annotations

from errorbar.core.public_names import import_name, read_stub

_MODULES = read_stub(__spec__)
__all__ = list(_MODULES)


def __getattr__(name: str) -> object:
    """Import a public name when it is first used."""
    return import_name(name, _MODULES, __name__)
