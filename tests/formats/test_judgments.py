"""Files of judgments: what is read, what is refused, and that nothing is lost in writing."""

from __future__ import annotations

import csv
import gzip
import json
from collections.abc import Callable
from math import nan
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.core.errors import ErrorbarError, InputError, MissingExtraError, UsageError
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problems
from errorbar.formats.flags import read_flags
from errorbar.formats.judgment_blocks import judgment_blocks
from errorbar.formats.judgment_files import judgment_rows, read_judgments, read_seconds
from errorbar.formats.judgments_write import write_judgments
from errorbar.formats.saving import save_lines
from tests.helpers.read import lines_of

CSV = "item,rater,label\n1,ann,error\n1,ben,ok\n2,ann,ok\n"


def save(folder: Path, content: str, name: str = "judgments.csv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def codes(folder: Path, content: str, *, lenient: bool = False) -> list[str]:
    """Codes of the errors, or of the notes where there is none."""
    problems = Problems(lenient=lenient)
    try:
        read_judgments(save(folder, content), problems)
    except InputError as error:
        return [problem.code for problem in error.problems]
    return [note.code for note in problems.notes]


@pytest.mark.parametrize(
    "content",
    [
        CSV,
        CSV.replace(",", "\t"),
        CSV.replace(",", ";"),
        CSV.replace("\n", "\r\n"),
        "\ufeff" + CSV,
        'label,"item",rater\nerror,1,ann\nok,1,ben\n\nok,2,"ann"\n',
        '{"item": 1, "rater": "ann", "label": "error"}\n\n{"item": "1", "rater": "ben", "label": "ok"}\n'
        '{"label": "ok", "item": 2, "rater": "ann"}\n',
    ],
    ids=["comma", "tab", "semicolon", "crlf", "bom", "quoted", "jsonl"],
)
def test_forms_of_one_table(tmp_path: Path, content: str) -> None:
    path = tmp_path / "file"
    path.write_bytes(content.encode())
    assert read_judgments(path).to_columns() == {
        "item": ["1", "1", "2"],
        "rater": ["ann", "ben", "ann"],
        "label": ["error", "ok", "ok"],
    }


def test_gzip_and_weights(tmp_path: Path) -> None:
    path = tmp_path / "judgments.csv.gz"
    path.write_bytes(gzip.compress(b"item,rater,label,weight\n1,a,x,0.5\n1,b,y,2\n"))
    judgments = read_judgments(path)
    assert judgments.weight is not None
    assert judgments.weight.tolist() == [0.5, 2.0]


def test_other_column_names_and_declared_labels(tmp_path: Path) -> None:
    path = save(tmp_path, "hit,worker,time,answer\nh1,w1,12,yes\nh1,w2,9,no\n")
    problems = Problems()
    columns = {"item": "hit", "rater": "worker", "label": "answer"}
    judgments = read_judgments(path, problems, columns=columns, labels=["no", "yes", "cannot say"])
    assert judgments.labels == ("no", "yes", "cannot say")
    assert judgments.label.tolist() == [1, 0]
    assert [note.code for note in problems.notes] == ["judgments-extra"]
    with pytest.raises(UsageError, match="did you mean 'rater'"):
        read_judgments(path, columns={"raters": "worker"})


def test_a_row_without_a_label_is_a_missing_judgment(tmp_path: Path) -> None:
    problems = Problems()
    judgments = read_judgments(save(tmp_path, CSV + "3,ben,\n"), problems)
    assert len(judgments) == 3
    assert judgments.items == ("1", "2", "3")
    assert [(note.code, note.severity) for note in problems.notes] == [("judgments-no-label", "warning")]


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("", "judgments-empty"),
        ("item,rater,label\n", "judgments-empty"),
        ("item,worker,label\n1,a,x\n", "judgments-header"),
        ("item,rater,label,label\n1,a,x,y\n", "judgments-header"),
        (CSV + '2,"ben,ok\n', "judgments-csv"),
        ('{"item": 1, "rater": "a"}\n', "judgments-json"),
        ('{"item": 1, "rater": "a", "label": "x"}\n[1]\n', "judgments-json"),
        ('{"item": 1, "rater": "a", "label": "x"}\n{"item"\n', "judgments-json"),
        (
            '{"item": 1, "rater": "a", "label": "x"}\n{"item": 1, "rater": "b", "label": "x", "weight": 1}\n',
            "judgments-weight",
        ),
    ],
)
def test_refused_in_every_mode(tmp_path: Path, content: str, code: str) -> None:
    for lenient in (False, True):
        assert codes(tmp_path, content, lenient=lenient) == [code]


@pytest.mark.parametrize(
    ("row", "code"),
    [
        ("3,ann", "judgments-fields"),
        ("3,ann,ok,1", "judgments-fields"),
        (",ann,ok", "judgments-name"),
        ("3,,ok", "judgments-name"),
        ("1,ann,ok", "judgments-repeated"),
    ],
)
def test_mended_in_lenient_mode(tmp_path: Path, row: str, code: str) -> None:
    content = f"{CSV}{row}\n3,ben,ok\n"
    assert codes(tmp_path, content) == [code]
    problems = Problems(lenient=True)
    judgments = read_judgments(save(tmp_path, content), problems)
    assert judgments.to_columns()["item"] == ["1", "1", "2", "3"]
    assert judgments.to_columns()["label"] == ["error", "ok", "ok", "ok"]
    assert [(note.code, note.place.line) for note in problems.notes] == [(code, 5)]


@pytest.mark.parametrize("weight", ["-1", "nan", "inf", "much", ""])
def test_bad_weights(tmp_path: Path, weight: str) -> None:
    content = f"item,rater,label,weight\n1,a,x,1\n1,b,x,{weight}\n"
    assert codes(tmp_path, content) == ["judgments-weight"]
    assert codes(tmp_path, content, lenient=True) == ["judgments-weight"]


@pytest.mark.parametrize("value", ["true", "[1]", "{}"])
def test_a_label_is_text_or_a_number(tmp_path: Path, value: str) -> None:
    content = f'{{"item": 1, "rater": "a", "label": "x"}}\n{{"item": 2, "rater": "a", "label": {value}}}\n'
    assert codes(tmp_path, content) == ["judgments-value"]


@pytest.mark.parametrize(
    "content", ["item,rater,label,note\nx,a,E,good\n", '{"item": "x", "rater": "a", "label": "E", "note": 1}\n']
)
def test_columns_of_no_use_are_named_unless_another_reader_uses_them(content: str, tmp_path: Path) -> None:
    assert codes(tmp_path, content) == ["judgments-extra"]
    problems = Problems()
    read_judgments(save(tmp_path, content), problems, used=["note"])
    assert problems.notes == []


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_time_may_be_unknown_and_a_weight_may_not(ending: str, tmp_path: Path) -> None:
    names, rows = ("item", "rater", "label", "t", "extra"), [("x", "a", "E", 2.5, 1), ("x", "b", "E", None, 1)]
    lines = [",".join(names), *(",".join("" if each is None else str(each) for each in row) for row in rows)]
    if ending == "jsonl":
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    path = save(tmp_path, "\n".join(lines) + "\n", f"times.{ending}")
    problems = Problems()
    assert read_seconds(path, "t", problems).tolist() == pytest.approx([2.5, nan], nan_ok=True)
    assert problems.notes == []  # columns of no use are named once, with the judgments
    with pytest.raises(InputError, match=r"the weight .* will not do .*judgments-weight"):
        read_judgments(path, columns={"weight": "t"})


def test_columns_without_a_name_are_what_spreadsheets_leave(tmp_path: Path) -> None:
    problems = Problems()
    table = read_judgments(save(tmp_path, "item,rater,label,,\n1,ann,ok,,\n"), problems)
    assert len(table) == 1
    assert problems.notes == []


@pytest.mark.parametrize(("value", "said"), [("[" * 200_000, "nested too deeply"), ("1" * 5000, "thousands of digits")])
def test_json_that_python_cannot_hold(tmp_path: Path, value: str, said: str) -> None:
    path = save(tmp_path, f'{{"item": "1", "rater": "a", "label": {value}}}\n', "votes.jsonl")
    for read in (read_judgments, lambda file: list(judgment_blocks(file, Problems(limit=1)))):
        with pytest.raises(InputError, match=said):
            read(path)
    flags = save(tmp_path, f'{{"item": "1", "flag": {value}}}\n', "flags.jsonl")
    with pytest.raises(InputError, match=said):
        read_flags(flags, Problems())


def test_repeats_may_be_kept(tmp_path: Path) -> None:
    path = save(tmp_path, CSV + "1,ann,ok\n")
    judgments = read_judgments(path, repeats="keep")
    assert (len(judgments), judgments.n_repeated()) == (4, 1)
    with pytest.raises(InputError, match="judged item '1' before, in line 2"):
        read_judgments(path)


def test_rows_come_one_by_one() -> None:
    """The first row is there before the bad one is read."""
    problems = Problems()
    with lines_of(CSV + "2\n", problems) as lines:
        rows = judgment_rows(lines, problems, {})
        assert next(rows) == ("1", "ann", "error", None, 2)
        assert not problems.errors
        assert len(list(rows)) == 2
    assert [problem.place.line for problem in problems.errors] == [5]


names = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5)


@given(
    st.dictionaries(st.tuples(names, names), st.tuples(names, st.floats(0, 1e6)), min_size=1, max_size=6),
    st.booleans(),
    st.sampled_from(["csv", "jsonl"]),
)
def test_nothing_is_lost(table: dict[tuple[str, str], tuple[str, float]], weighted: bool, kind: str) -> None:
    items, raters = zip(*table, strict=True)
    labels, weights = zip(*table.values(), strict=True)
    judgments = Judgments.from_columns(items, raters, labels, weights if weighted else None)
    problems = Problems()
    if kind == "csv" and any(sign in name for name in (*items, *raters, *labels) for sign in "\r\n"):
        with pytest.raises(InputError, match="judgments-line-break"):
            list(write_judgments(judgments))
        return
    text = "".join(f"{line}\n" for line in write_judgments(judgments, "csv" if kind == "csv" else "jsonl"))
    with lines_of(text, problems) as lines:
        rows = list(judgment_rows(lines, problems, {}))
    assert not problems.errors
    again = Judgments.from_columns(
        [row.item for row in rows],
        [row.rater for row in rows],
        [row.label for row in rows],
        [row.weight or 0.0 for row in rows] if weighted else None,
    )
    assert again.to_columns() == judgments.to_columns()


def test_written_files_are_what_other_readers_expect(tmp_path: Path) -> None:
    judgments = Judgments.from_columns(["a,b", '"c"'], ["r", "r"], [" x", "y"], [1, 0.25])
    save_lines(write_judgments(judgments), str(tmp_path / "out.csv"))
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as stream:
        assert list(csv.reader(stream)) == [
            ["item", "rater", "label", "weight"],
            ["a,b", "r", " x", "1.0"],
            ['"c"', "r", "y", "0.25"],
        ]
    lines = list(write_judgments(judgments, "jsonl"))
    assert json.loads(lines[1]) == {"item": '"c"', "rater": "r", "label": "y", "weight": 0.25}


def test_columns_of_other_libraries() -> None:
    """NaN and None are what pandas and polars have for a missing value."""
    judgments = Judgments.from_columns([1, 1, 2, 2], ["a", "b", "a", "b"], [1, 0, float("nan"), None])
    assert judgments.to_columns() == {"item": ["1", "1"], "rater": ["a", "b"], "label": ["1", "0"]}
    assert judgments.items == ("1", "2")


def test_tables_of_codes_are_checked() -> None:
    judgments = Judgments.from_matrix([["x", "y"], [None, "y"]], raters=("a", "b"))
    assert judgments.label_weights().tolist() == [[1, 1], [0, 1]]
    assert judgments.only(["b"]).label_weights().tolist() == [[0, 1], [0, 1]]
    assert judgments.without(["x"]).labels == ("y",)
    bad_tables: tuple[Callable[[], Judgments], ...] = (
        lambda: Judgments.from_columns("ab", "a", "ab"),
        lambda: Judgments.from_columns("ab", "ab", "ab", [1]),
        lambda: Judgments.from_columns("ab", "ab", "ab", [1, -1]),
        lambda: Judgments.from_columns(["", "b"], "ab", "ab"),
        lambda: Judgments.from_matrix([["x"], ["x", "y"]]),
        lambda: Judgments(judgments.item, judgments.rater, judgments.label, ("1",), ("a", "b"), ("x", "y")),
    )
    for bad in bad_tables:
        with pytest.raises(UsageError, match="judgments-unfit"):
            bad()
    with pytest.raises(UsageError, match="did you mean 'x'"):
        judgments.without(["xx"])


def test_parquet(tmp_path: Path) -> None:
    """Reads a table of pyarrow's, or names the extra that brings pyarrow."""
    path = tmp_path / "judgments.parquet"
    columns = {"item": [1, 1, 2], "rater": ["a", "b", "a"], "label": ["x", "y", None], "weight": [1.0, 0.5, 1.0]}
    try:
        import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]
        import pyarrow.parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]
    except ImportError:
        with pytest.raises(MissingExtraError, match=r"errorbar\[parquet\]"):
            read_judgments(path)
        return
    pyarrow.parquet.write_table(pyarrow.table(columns), path)
    judgments = read_judgments(path)
    assert judgments.to_columns() == {"item": ["1", "1"], "rater": ["a", "b"], "label": ["x", "y"], "weight": [1, 0.5]}
    save(tmp_path, "no parquet", "judgments.parquet")
    with pytest.raises(ErrorbarError, match="judgments-parquet"):
        read_judgments(path)


def test_crowd_votes_of_choshen_2018(data: Path) -> None:
    """Counts of the data's README: 3,264 judgments, 96 workers, 2,568 yes and 696 no."""
    path = data / "crowd_corrections_choshen2018/confirmation_batch.pseudonymised.csv"
    if not path.exists():
        pytest.skip(f"needs {path.name} of the research corpora")
    columns = {"item": "hit", "rater": "worker", "label": "Answer.Q1Answer"}
    judgments = read_judgments(path, columns=columns, repeats="keep")
    totals = dict(zip(judgments.labels, judgments.label_weights().sum(axis=0).tolist(), strict=True))
    assert (len(judgments), len(judgments.raters), totals) == (3264, 96, {"No": 696, "Yes": 2568})
