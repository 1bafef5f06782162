"""JSON from anybody: whatever cannot be read is one kind of error with one line to say."""

from __future__ import annotations

import json
import re

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""An escape for half of a character beyond U+FFFF; two make one."""


class NotJsonError(Exception):
    """A text is not JSON, or JSON that cannot be held; its message says why. Readers turn it into a problem."""


def parse_json(text: str) -> object:
    """Read one JSON value.

    Raises:
        NotJsonError: If the text is not JSON, is nested too deeply, has a number of thousands of digits, or half of a
            surrogate pair.
    """
    try:
        value: object = json.loads(text)
        if _HALF.search(text):
            json.dumps(value, ensure_ascii=False).encode()
        return value
    except json.JSONDecodeError as error:
        raise NotJsonError(f"{error.msg} at column {error.colno}") from None
    except RecursionError:
        raise NotJsonError("it is nested too deeply") from None
    except UnicodeEncodeError as error:
        half = f"\\u{ord(error.object[error.start]):04x}"
        raise NotJsonError(f"it has {half} alone, which is half of a surrogate pair and no text") from None
    except ValueError:  # Python refuses whole numbers of more than 4,300 digits
        raise NotJsonError("it has a number with thousands of digits") from None
