"""JSON from anybody: whatever cannot be read is one kind of error with one line to say."""

from __future__ import annotations

import json
import re

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
_HALVES = re.compile("[\ud800-\udfff]")


class NotJsonError(Exception):
    """A text is not JSON, or JSON that cannot be held; its message says why. Readers turn it into a problem.

    Attributes:
        line: The line of the text; 0 where the error is none of one place.
    """

    def __init__(self, why: str, line: int = 0) -> None:
        super().__init__(why)
        self.line = line


def parse_json(text: str) -> object:
    """Read one JSON value.

    Raises:
        NotJsonError: If the text is not JSON, is nested too deeply, has a number of thousands of digits, or half a
            character, which no file or terminal can show.
    """
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        raise NotJsonError(f"{error.msg} at column {error.colno}", error.lineno) from None
    except RecursionError:
        raise NotJsonError("it is nested too deeply") from None
    except ValueError:  # Python refuses whole numbers of more than 4,300 digits
        raise NotJsonError("it has a number with thousands of digits") from None
    if _HALF.search(text) and _HALVES.search(json.dumps(value, ensure_ascii=False)):
        raise NotJsonError("it has half a character (a lone surrogate, \\ud800 to \\udfff)")
    return value
