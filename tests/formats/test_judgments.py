"""Files of judgments: what is read, what is refused, and that nothing is lost in writing."""

from __future__ import annotations

import gzip
import json
import tracemalloc
from collections.abc import Callable
from math import nan
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar import ErrorbarError, Judgments, Problems
from errorbar.core import InputError, MissingExtraError, UsageError, is_list
from errorbar.formats import read_flags, read_judgment_table
from tests.helpers.crowd import read_judgments, write_judgments

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
        ('{"item": 1, "rater": "a"}\n', "judgments-header"),
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
    table = read_judgment_table(save(tmp_path, content.replace("good", "7")), problems, columns={"seconds": "note"})
    assert (problems.notes, table.seconds is not None) == ([], True)


@pytest.mark.parametrize("ending", ["csv", "jsonl"])
def test_a_time_may_be_unknown_and_a_weight_may_not(ending: str, tmp_path: Path) -> None:
    names, rows = ("item", "rater", "label", "t", "extra"), [("x", "a", "E", 2.5, 1), ("x", "b", "E", None, 1)]
    lines = [",".join(names), *(",".join("" if each is None else str(each) for each in row) for row in rows)]
    if ending == "jsonl":
        lines = [json.dumps(dict(zip(names, row, strict=True))) for row in rows]
    path = save(tmp_path, "\n".join(lines) + "\n", f"times.{ending}")
    problems = Problems()
    seconds = read_judgment_table(path, problems, columns={"seconds": "t"}).seconds
    assert seconds is not None
    assert seconds.tolist() == pytest.approx([2.5, nan], nan_ok=True)
    assert [note.what[-7:] for note in problems.notes] == [": extra"]
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
    with pytest.raises(InputError, match=said):
        read_judgments(path)
    flags = save(tmp_path, f'{{"item": "1", "flag": {value}}}\n', "flags.jsonl")
    with pytest.raises(InputError, match=said):
        read_flags(flags, Problems())


def test_repeats_may_be_kept(tmp_path: Path) -> None:
    path = save(tmp_path, CSV + "1,ann,ok\n")
    judgments = read_judgments(path, repeats="keep")
    assert (len(judgments), judgments.n_repeated()) == (4, 1)
    with pytest.raises(InputError, match="judged item '1' before, in line 2"):
        read_judgments(path)


PLAIN = [f"i{k % 700},r{k // 700},{'ok' if k % 3 else 'error'}" for k in range(3000)]


@pytest.mark.parametrize(
    ("odd", "line", "code"),
    [
        ("i7,r9,", 0, "judgments-no-label"),
        (",r1,ok", 2502, "judgments-name"),
        ("i1,r1", 2502, "judgments-fields"),
        ("i1,r9,[1]", 2502, "judgments-list"),
        ("i1,r0,ok", 2502, "judgments-repeated"),
        ('"i\n1",r1,ok\n,r1,ok', 2504, "judgments-name"),
        ("\n,r1,ok", 2503, "judgments-name"),
    ],
)
def test_one_odd_row_among_thousands(tmp_path: Path, odd: str, line: int, code: str) -> None:
    """Blocks are read as columns; the one with something odd row by row, with the right line and nothing lost."""
    rows = [*PLAIN[:2500], odd, *PLAIN[2500:]]
    problems = Problems(lenient=True)
    table = read_judgments(save(tmp_path, "item,rater,label\n" + "\n".join(rows) + "\n"), problems)
    assert [(note.code, note.place.line) for note in problems.notes] == [(code, line)]
    kept = [",".join(map(str, row)) for row in zip(*table.to_columns().values(), strict=True)]
    assert [row for row in kept if "\n" not in row] == PLAIN


def test_problems_come_in_the_order_of_the_file(tmp_path: Path) -> None:
    rows = [*PLAIN[:5], "i1", *PLAIN[5:9], ",r1,ok", "i1,r1,[1]", "x", '"open']
    with pytest.raises(InputError) as caught:
        read_judgments(save(tmp_path, "item,rater,label\n" + "\n".join(rows)))
    assert [problem.place.line for problem in caught.value.problems] == [7, 12, 13, 14, 15]


def test_json_lines_with_other_keys_and_numbers(tmp_path: Path) -> None:
    lines = ['{"item": 1, "rater": "a", "label": 2.5}', '{"rater": "b", "label": 3, "item": 1, "note": "x"}']
    problems = Problems()
    table = read_judgments(save(tmp_path, "\n".join(lines * 2), "v.jsonl"), problems, repeats="keep")
    assert table.to_columns() == {"item": ["1"] * 4, "rater": ["a", "b"] * 2, "label": ["2.5", "3"] * 2}
    assert [note.what for note in problems.notes] == ["columns that judgments have no use for: note"]


@pytest.mark.slow
def test_memory_is_that_of_the_codes(tmp_path: Path) -> None:
    """Some 12 bytes for each judgment, where a row of texts takes hundreds."""
    peaks = []
    for n in (40_000, 120_000):
        path = tmp_path / f"{n}.csv"
        with path.open("w") as out:
            out.write("item,rater,label\n")
            out.writelines(f"i{k % 1000},r{k // 1000},{'ok' if k % 7 else 'error'}\n" for k in range(n))
        tracemalloc.start()
        assert len(read_judgments(path, repeats="keep")) == n
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] - peaks[0] < 80_000 * 40


texts = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n"), min_size=1, max_size=5)
names = texts.map(str.strip).filter(bool)


@given(
    st.dictionaries(st.tuples(names, names), st.tuples(names, st.floats(0, 1e6)), min_size=1, max_size=6),
    st.booleans(),
    st.sampled_from(["csv", "jsonl"]),
)
def test_nothing_is_lost(table: dict[tuple[str, str], tuple[str, float]], weighted: bool, kind: str) -> None:
    items, raters = zip(*table, strict=True)
    labels, weights = zip(*table.values(), strict=True)
    judgments = Judgments.from_columns(items, raters, labels, weights if weighted else None)
    with TemporaryDirectory() as folder:
        path = Path(folder) / "a"
        lines = write_judgments(judgments, kind)
        path.write_bytes("".join(f"{line}\n" for line in lines).encode())
        if any(is_list(label) for label in labels):
            with pytest.raises(InputError, match="judgments-list"):
                read_judgments(path)
            return
        again = read_judgments(path)
    assert again.to_columns() == judgments.to_columns()


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
        import pyarrow  # type: ignore[import-not-found,import-untyped,unused-ignore]  # optional, and untyped in some versions
        import pyarrow.parquet  # type: ignore[import-not-found,import-untyped,unused-ignore]  # optional, and untyped in some versions
    except ImportError:
        with pytest.raises(MissingExtraError, match="make parquet"):
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
