"""Statistics: numbers in, numbers out; streams are passed in. The first call that needs scipy loads it."""

from __future__ import annotations

from functools import cache, wraps
from types import FunctionType

from errorbar.core.problems import Problem, UsageError
from errorbar.core.public_names import import_name, read_stub

_MODULES = read_stub(__spec__)
__all__ = list(_MODULES)


@cache
def _refusing(value: object) -> object:
    """The same function, which refuses numbers that no float or machine integer holds; other objects as they are."""
    if not isinstance(value, FunctionType):
        return value

    @wraps(value)
    def refuse(*args: object, **options: object) -> object:
        try:
            return value(*args, **options)
        except OverflowError as error:
            message = f"{value.__name__}: a number is too large to compute with"
            expected = "at most 1e308, whole numbers below 2^63"
            raise UsageError(Problem("number-too-large", message, expected=expected)) from error

    return refuse


def __getattr__(name: str) -> object:
    """A public name when it is first used: the modules, and what they load, take as long as a short command."""
    return _refusing(import_name(name, _MODULES, __name__))
