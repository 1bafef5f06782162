"""Small tables row by row, and what they say of items: flags, scores and true labels."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from errorbar import Problems
from errorbar.core import InputError, Place, UsageError
from errorbar.formats import read_answers, read_flags, table_rows
from errorbar.formats.judgments import read_batch, read_wide


def save(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def said(path: Path, needed: tuple[str, ...] = ()) -> list[str]:
    """What is wrong with a table, without the name of its folder."""
    problems = Problems()
    list(table_rows(path, problems, needed))
    return [str(problem).removeprefix(f"{path.parent}/") for problem in problems.errors]


def test_an_empty_file(tmp_path: Path) -> None:
    assert said(save(tmp_path, "")) == ["table.csv: the file is empty (expected a line of column names) [table-empty]"]


def test_rows_of_csv_with_their_lines(tmp_path: Path) -> None:
    rows = list(table_rows(save(tmp_path, ' a ;b\n\n"1\n2";x\n3;\n'), Problems()))
    assert [row.values for row in rows] == [{"a": "1\n2", "b": "x"}, {"a": "3", "b": ""}]
    assert [row.place.line for row in rows] == [4, 5]


def test_rows_of_json_with_their_lines(tmp_path: Path) -> None:
    path = save(tmp_path, '{"a": 1.5, "b": true}\n\n{"a": null, "b": false, "c": "x"}\n', "table.jsonl")
    rows = list(table_rows(path, Problems(), ("a",)))
    assert [row.values for row in rows] == [{"a": "1.5", "b": "true"}, {"a": "", "b": "false", "c": "x"}]
    assert [row.place for row in rows] == [Place(str(path), 1), Place(str(path), 3)]


def test_every_bad_line_of_json_is_said(tmp_path: Path) -> None:
    path = save(tmp_path, '{"a": 1}\n{"a"\n["a"]\n{"a": [1]}\n{"b": 1}\n', "table.jsonl")
    flat = "not a flat object (expected keys with texts, numbers, true or false) [table-json]"
    first, *others = said(path, ("a",))
    assert first.startswith("table.jsonl:2: not JSON: ")
    assert others[:2] == [f"table.jsonl:3: {flat}", f"table.jsonl:4: {flat}"]
    assert others[2].startswith("table.jsonl:5: no column 'a'")


def test_a_json_array_is_no_table_of_many_odd_columns(tmp_path: Path) -> None:
    path = save(tmp_path, '[{"item": 1, "flag": 0}, {"item": 2, "flag": 1}]', "table.json")
    (only,) = said(path, ("item", "flag"))
    assert only.startswith("table.json:1: this is a JSON array (expected an object on each line); jq -c '.[]'")


def test_a_row_of_parquet_that_is_not_flat(tmp_path: Path) -> None:
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"a": [None, [1], [2]]}), path)
    flat = "not a flat row (expected texts, numbers, true or false) [table-parquet]"
    assert said(path) == [f"table.parquet:2: {flat}", f"table.parquet:3: {flat}"]
    pq.write_table(pa.table({"a": pa.array([], pa.string())}), path)
    assert said(path) == ["table.parquet: the file has no row [table-empty]"]


def test_a_small_parquet_file_is_not_read_as_a_large_one(tmp_path: Path) -> None:
    """Columns of one value pack to nothing: 26 kB of 3,000,000 rows took minutes; SECURITY.md promises a second."""
    pa = pytest.importorskip("pyarrow")
    pq = pytest.importorskip("pyarrow.parquet")
    path = tmp_path / "table.parquet"
    pq.write_table(pa.table({"a": pa.repeat("x", 200_000)}), path, compression="zstd")
    with pytest.raises(InputError, match="200,000 rows"):
        said(path)
    pq.write_table(pa.table({"a": pa.repeat("x" * 20_000, 10_000)}), path, compression="zstd")
    tracemalloc.start()
    rows = list(table_rows(path, Problems(), ()))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(rows) == 10_000
    assert peak < 10_000_000  # a text that comes again is held once; as many texts had 200 MB


def test_flags_and_what_is_left_out_of_them(tmp_path: Path) -> None:
    text = "item,flag,score\nx,Yes,.5\ny,,\nx,0,\n,1,\nz,maybe,\nv,1,high\nw,1,inf\n"
    problems = Problems(lenient=True)
    found = read_flags(save(tmp_path, text), problems)
    assert found.flags == {"x": True, "y": False, "v": True, "w": True}
    assert found.scores == {"x": 0.5}
    assert [(note.place.line, note.what) for note in problems.notes] == [
        (4, "item 'x' was flagged before"),
        (5, "the row names no item"),
        (6, "the flag is 'maybe'"),
        (7, "the score 'high' is no number"),
        (8, "the score 'inf' is no number"),
    ]
    with pytest.raises(InputError, match=r"table.csv:4: .*flags-item"):
        read_flags(tmp_path / "table.csv", Problems())


def test_true_labels_and_what_is_left_out_of_them(tmp_path: Path) -> None:
    problems = Problems(lenient=True)
    found = read_answers(save(tmp_path, "item,label\nx,ok\n,ok\ny,\nx,error\nx,ok\n"), problems)
    assert found == {"x": "ok"}
    assert [(note.place.line, note.what) for note in problems.notes] == [
        (3, "the row names no item"),
        (4, "item 'y' has no label"),
        (5, "item 'x' is 'error' here and 'ok' before"),
    ]


BATCH = """\
HITId,WorkerId,WorkTimeInSeconds,Input.text,Answer.q,Answer.why
h1,w1,-3,a,error,x
h1,,5,a,error,x
,w2,5,a,error,x
h2,w2,0,c,okay,x
h2,w3,soon,c,ok,x
"""


def test_rows_of_a_batch_that_are_left_out(tmp_path: Path) -> None:
    problems = Problems(lenient=True)
    found = read_batch(save(tmp_path, BATCH), problems, answer="q", labels=["ok", "error"])
    assert found.judgments.to_columns() == {"item": ["h1", "h2"], "rater": ["w1", "w3"], "label": ["error", "ok"]}
    assert found.seconds.tolist() == pytest.approx([float("nan")] * 2, nan_ok=True)
    assert [(note.place.line, note.what[:24]) for note in problems.notes] == [
        (3, "the row names no worker"),
        (4, "the row names no item"),
        (5, "the answer 'okay' is not"),
    ]


def test_the_answer_of_a_batch_must_be_known(tmp_path: Path) -> None:
    path = save(tmp_path, BATCH)
    with pytest.raises(UsageError, match=r"2 columns could be the answer .*name one of: Answer.q, Answer.why"):
        read_batch(path, Problems())
    with pytest.raises(UsageError, match=r"no column 'wyh' .*did you mean 'Answer.why'"):
        read_batch(path, Problems(), answer="wyh")
    with pytest.raises(UsageError, match=r"no column number or Input\.number"):
        read_batch(path, Problems(), answer="q", item="number")
    assert read_batch(path, Problems(lenient=True), answer="Answer.why", item="text").judgments.items == ("a", "c")


def test_rows_of_a_wide_table_that_are_left_out(tmp_path: Path) -> None:
    problems = Problems(lenient=True)
    table = read_wide(save(tmp_path, "item,a\nx,ok\nx,error\n,ok\n"), problems)
    assert table.to_columns() == {"item": ["x"], "rater": ["a"], "label": ["ok"]}
    assert [note.place.line for note in problems.notes] == [3, 4]
    with pytest.raises(InputError, match=r"no judgment in the file \(expected a column per rater\)"):
        read_wide(save(tmp_path, "item,a\nx,\n"), Problems())
