"""Text from files, arguments and servers, shown so that it can do nothing but be read."""

from __future__ import annotations

import re

# Control characters, which a terminal obeys, and line breaks, which forge a line; separators that some programs take
# for line breaks; marks that turn the direction of writing; characters that nobody sees; halves of surrogate pairs,
# which no encoding can write. The joiners U+200C and U+200D stay: Persian, Indic scripts and emoji are written with
# them.
_BEYOND = "\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
_BEYOND += "\ud800-\udfff\U000e0000-\U000e007f"
_HIDDEN = re.compile(f"[\x00-\x1f{_BEYOND}]")
_HIDDEN_IN_JSON = re.compile(f"[{_BEYOND}]")
_SHORT = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}


def visible(text: str) -> str:
    r"""The text on one line, with ``\n``, ``\x1b`` or ``\u202e`` for every character that would not show as itself.

    Backslashes of the text stay as they are, so that paths do; what is shown is for people, not to be read back.
    """
    return _HIDDEN.sub(_escaped, text)


def visible_json(text: str) -> str:
    r"""JSON with the same characters as ``\u`` escapes: another spelling of the same data."""
    return _HIDDEN_IN_JSON.sub(_escaped_in_json, text)


def _escaped(match: re.Match[str]) -> str:
    code = ord(match[0])
    if code < 0x100:
        return _SHORT.get(match[0]) or f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _escaped_in_json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))
