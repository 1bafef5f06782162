"""Plain text inside Markdown."""

from __future__ import annotations

import re

from errorbar.core.visible import visible

_SPECIAL = re.compile(r"([\\`*_{}\[\]<>#|~$]|&(?=#?\w+;))")
_LIST = re.compile(r"^(\s*)([-+]|\d+[.)])(\s)")


def escape_markdown(text: str) -> str:
    """Text that Markdown shows as it is, on one line: no markup, no HTML, no cell that ends early."""
    line = _SPECIAL.sub(r"\\\1", visible(" ".join(text.split())))
    return _LIST.sub(r"\1\\\2\3", line) if not line[:1].isdigit() else re.sub(r"^(\d+)([.)])(\s)", r"\1\\\2\3", line)
