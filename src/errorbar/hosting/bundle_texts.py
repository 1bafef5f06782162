"""The texts of a bundle, which stand in files of their own."""

from __future__ import annotations

from importlib.resources import files


def filled(file: str, /, **values: str) -> bytes:
    """A text in which each value stands for its name: ``version`` for ``@VERSION@``."""
    text = (files("errorbar.hosting") / "templates" / file).read_text(encoding="utf-8")
    for key, value in values.items():
        text = text.replace(f"@{key.upper()}@", value)
    return text.encode()
