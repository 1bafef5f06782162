"""The texts of a bundle, and its picture, which stand in files of their own."""

from __future__ import annotations

from importlib.resources import files


def filled(file: str, /, **values: str) -> bytes:
    """The content of a file in which each value stands for its name: ``version`` for ``@VERSION@``."""
    content = (files("errorbar.hosting") / "templates" / file).read_bytes()
    for key, value in values.items():
        content = content.replace(f"@{key.upper()}@".encode(), value.encode())
    return content
