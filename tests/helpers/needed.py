"""What is said where a test needs a program that this machine lacks."""

from __future__ import annotations

import os
from typing import NoReturn

import pytest


def missing(what: str) -> NoReturn:
    """Say what is missing and skip, but where nobody would notice fail."""
    if os.environ.get("CI"):
        pytest.fail(f"needs {what}, and CI is set")
    pytest.skip(f"needs {what}")
