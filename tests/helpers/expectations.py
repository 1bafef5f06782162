"""What tests expect in a line: a value that is there, and a refusal by its code."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TypeVar

import pytest

from errorbar import ErrorbarError
from errorbar.core import UsageError

T = TypeVar("T")


def require(value: T | None) -> T:
    """The value, which must be there."""
    assert value is not None
    return value


@contextmanager
def expect_refusal(
    code: str, match: str | None = None, kind: type[ErrorbarError] = UsageError
) -> Iterator[pytest.ExceptionInfo[ErrorbarError]]:
    """Expect an error of a kind with this code, and a message in which the pattern ``match`` is found."""
    with pytest.raises(kind, match=match) as caught:
        yield caught
    assert caught.value.code == code
