"""Pairs of systems with other numbers, on which they decide anew."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from errorbar.metrics import Comparison, Pair


def with_swaps(pair: Pair, **changes: Any) -> Pair:  # noqa: ANN401 - fields of what swaps say, alone or among all pairs
    """The pair whose swaps say something else; ``alone_`` stands before what they say of the pair alone."""
    alone = {name.removeprefix("alone_"): value for name, value in changes.items() if name.startswith("alone_")}
    among = {name: value for name, value in changes.items() if not name.startswith("alone_")}
    return replace(pair, swaps=replace(pair.swaps, alone=replace(pair.swaps.alone, **alone), **among))


def with_test(pair: Pair, **changes: Any) -> Pair:  # noqa: ANN401 - fields of the test
    """The pair on which another test decides, e.g. at another level."""
    return replace(pair, test=replace(pair.test, **changes))


def with_tests(comparison: Comparison, **changes: Any) -> Comparison:  # noqa: ANN401 - fields of the test
    """The comparison on whose pairs another test decides."""
    return replace(comparison, pairs=tuple(with_test(pair, **changes) for pair in comparison.pairs))
