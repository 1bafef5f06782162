"""Parquet files: pyarrow in one place."""

from __future__ import annotations

from importlib import import_module
from os import fspath
from typing import Any

from errorbar.core.errors import InputError, MissingExtraError, Place, Problem
from errorbar.formats.opening import Source, display_name


def open_parquet(path: Source) -> Any:  # noqa: ANN401 - pyarrow publishes no types
    """Open a Parquet file with pyarrow.

    Raises:
        InputError: If the file is not Parquet or cannot be opened.
        MissingExtraError: If pyarrow is not installed.
    """
    try:
        parquet = import_module("pyarrow.parquet")
    except ImportError:
        raise MissingExtraError("parquet", "reading Parquet") from None
    try:
        return parquet.ParquetFile(fspath(path))
    except (OSError, ValueError) as error:
        what = f"cannot be read as Parquet: {str(error).splitlines()[0]}"
        raise InputError(Problem("judgments-parquet", what, Place(display_name(path)))) from None
