"""The rows of a page of measurements, of which CI computes a part."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from _pytest.mark.structures import ParameterSet


def rows_of_page(rows: Iterable[Any], *, in_ci: Collection[int] = (0,)) -> list[ParameterSet]:
    """Mark the rows with these indexes ``slow`` and all others ``measured``: they run before the page changes."""
    return [
        pytest.param(
            *(row if isinstance(row, tuple) else (row,)),
            marks=pytest.mark.slow if number in in_ci else pytest.mark.measured,
        )
        for number, row in enumerate(rows)
    ]
