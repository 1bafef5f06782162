"""Judgments from Parquet in blocks."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar.core.errors import InputError, MissingExtraError, UsageError
from errorbar.formats.parquet_blocks import parquet_blocks


def test_a_column_that_judgments_do_not_have(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="judgments have no column 'raters'; did you mean 'rater'"):
        list(parquet_blocks(tmp_path / "x.parquet", {"raters": "w"}))


def test_without_the_extra_or_with_it(tmp_path: Path) -> None:
    path = tmp_path / "votes.parquet"
    try:
        import pyarrow.parquet
    except ImportError:
        with pytest.raises(MissingExtraError, match=r"errorbar\[parquet\]"):
            list(parquet_blocks(path))
        return
    rows = {"item": ["a", "a", "b"], "worker": [1, 2, 1], "label": ["ok", None, "error"]}
    pyarrow.parquet.write_table(pyarrow.table(rows), path)
    (block,) = parquet_blocks(path, {"rater": "worker"})
    assert [list(column) for column in block] == [["a", "a", "b"], ["1", "2", "1"], ["ok", "", "error"]]
    with pytest.raises(InputError, match="no column 'rater'; there are item, worker, label"):
        list(parquet_blocks(path))
    pyarrow.parquet.write_table(pyarrow.table({**rows, "item": ["a", None, "b"]}), path)
    with pytest.raises(InputError, match="a row from 1 to 3 has no item or rater"):
        list(parquet_blocks(path, {"rater": "worker"}))
