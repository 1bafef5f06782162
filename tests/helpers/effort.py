"""The number of examples of a property test."""

from __future__ import annotations

from hypothesis import settings

THOROUGH = 100
"""The examples of a property that asks for none, in the profile ``thorough``."""


def draw_examples(number: int) -> settings:
    """Ask for ``number`` examples in the profile ``thorough``, and for as many times fewer as the profile draws."""
    return settings(max_examples=max(1, number * settings().max_examples // THOROUGH))
