"""Tables of judgments and of comparisons: what is refused, and what is counted."""

from __future__ import annotations

import pickle
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from errorbar import Judgments
from errorbar.core import Comparisons, UsageError

TABLE = Judgments.from_columns("xxyy", "abab", ["n", "y"] * 2, [1.0, 2.0, 0.0, 0.5])
PAIRS = Comparisons.from_pairs([("A", "B", 1), ("B", "C", 0), ("C", "A", -1)], items="xyx")


def codes(*values: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int32]]:
    return np.array(values, np.int32)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rater": codes(0, 1, 0)}, r"the column 'rater' has shape \(3,\) \(expected shape \(4,\)\)"),
        ({"label": codes(0, 1, 0, 1).reshape(2, 2)}, r"the column 'label' has shape \(2, 2\)"),
        ({"label": codes(0, 1, 0, 1).reshape(4, 1)}, r"the column 'label' has shape \(4, 1\)"),
        ({"item": codes(0, 0, 1, 2)}, "a code of 'item' is outside its 2 names"),
        ({"item": codes(0, 0, 1, -1)}, "a code of 'item' is outside its 2 names"),
        ({"raters": ("a", "a")}, "a name of 'rater' is empty or stands twice"),
        ({"raters": ("a", "")}, "a name of 'rater' is empty or stands twice"),
        ({"weight": np.ones(3)}, r"the column 'weight' has shape \(3,\)"),
        ({"weight": np.array([1, 1, 1, np.inf])}, "a weight is negative or not finite"),
        ({"weight": np.array([1, 1, 1, np.nan])}, "a weight is negative or not finite"),
        ({"weight": np.array([1, 1, 1, -1.0])}, "a weight is negative or not finite"),
    ],
)
def test_columns_that_do_not_fit_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        replace(TABLE, **change)  # type: ignore[arg-type]  # wrong on purpose


def test_columns_of_different_lengths_are_refused() -> None:
    with pytest.raises(UsageError, match="the columns item, rater and label have 2, 2 and 1 rows"):
        Judgments.from_columns("xy", "ab", "n")
    with pytest.raises(UsageError, match="the column 'weight' has 1 rows"):
        Judgments.from_columns("xy", "ab", "nn", [1.0])


def test_a_table_of_items_and_raters() -> None:
    made = Judgments.from_matrix([["y", None, "n"], ["n", "n", ""]], raters=("p", "q", "r"), labels=("n", "y"))
    assert made.to_columns() == {"item": ["1", "1", "2", "2"], "rater": ["p", "r", "p", "q"], "label": list("ynnn")}
    assert (made.raters, made.labels) == (("p", "q", "r"), ("n", "y"))
    assert Judgments.from_matrix([["y", "n"]]).raters == ("1", "2")
    assert len(Judgments.from_matrix([])) == 0
    for rows, raters in (([["y", "n"], ["y"]], ()), ([["y", "n"]], ("p",)), ([["y"], ["y", "n"]], ())):
        with pytest.raises(UsageError, match="the rows of the table differ in length"):
            Judgments.from_matrix(rows, raters=raters)


def test_judgments_are_repeated_wherever_they_stand() -> None:
    assert TABLE.n_repeated() == 0
    assert Judgments.from_columns("xyyzy", "aabab", "nnnnn").n_repeated() == 1
    assert Judgments.from_columns("zyyyx", "abbba", "nynyn").n_repeated() == 2


def test_weights_of_labels_add_up() -> None:
    assert TABLE.label_weights().tolist() == [[1, 2], [0, 0.5]]
    assert replace(TABLE, weight=None).label_weights().tolist() == [[1, 1], [1, 1]]


def test_too_large_a_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorbar.core.judgments.MAX_CELLS", 4)
    assert TABLE.label_weights().shape == (2, 2)
    monkeypatch.setattr("errorbar.core.judgments.MAX_CELLS", 3)
    with pytest.raises(UsageError, match="a table of 2 items and 2 labels has more than 3 cells"):
        TABLE.label_weights()


def test_only_some_raters_in_their_new_order() -> None:
    only = TABLE.only(["b"])
    assert only.to_columns() == {"item": ["x", "y"], "rater": ["b", "b"], "label": ["y", "y"], "weight": [2.0, 0.5]}
    assert TABLE.only(["b", "a"]).raters == ("b", "a")
    assert TABLE.only(["b", "a"]).to_columns() == TABLE.to_columns()
    with pytest.raises(UsageError, match="no rater 'c' in the judgments; known: a, b"):
        TABLE.only(["c"])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"judge": codes(0, 0)}, r"the column 'judge' has shape \(2,\) \(expected shape \(3,\)\)"),
        ({"first": codes(0, 1, 3)}, "a code of 'first' is outside its 3 names"),
        ({"second": codes(1, 2, -1)}, "a code of 'second' is outside its 3 names"),
        ({"shown": np.ones(2, np.bool_)}, "a column of marks has another length"),
        ({"identical": np.zeros(2, np.bool_)}, "a column of marks has another length"),
        ({"outcome": np.array([1, 0, 2], np.int8)}, "an outcome is none of the three"),
        ({"second": codes(1, 1, 0)}, "a system is compared with itself"),
    ],
)
def test_comparisons_that_do_not_fit_are_refused(change: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        replace(PAIRS, **change)  # type: ignore[arg-type]  # wrong on purpose


def test_comparisons_of_pairs_were_shown_to_judges() -> None:
    assert (PAIRS.systems, PAIRS.items, PAIRS.item.tolist()) == (("A", "B", "C"), ("x", "y"), [0, 1, 0])
    assert PAIRS.shown.all()
    assert not PAIRS.identical.any()
    with pytest.raises(UsageError, match="1 items for 2 comparisons"):
        Comparisons.from_pairs([("A", "B", 1), ("B", "A", 1)], items="x")


def test_judgments_are_equal_if_their_rows_are() -> None:
    table, same = (Judgments.from_matrix(cast("Any", np.array([["x", "y"], ["x", "x"]]))) for _ in range(2))
    assert table == same
    assert hash(table) == hash(same)
    assert pickle.loads(pickle.dumps(table)) == table
    assert table == replace(table, weight=np.ones(4))
    for other in (table.take(np.arange(3)), replace(table, raters=("1", "3")), replace(table, weight=np.zeros(4)), 3):
        assert table != other


@pytest.mark.parametrize("rows", [None, "ab", [1, 2], ["ab"]])
def test_what_is_no_table_is_refused(rows: Any) -> None:  # noqa: ANN401 - of any type
    with pytest.raises(UsageError, match="table must be a list"):
        Judgments.from_matrix(rows)


def test_numbers_of_a_column_are_numbers() -> None:
    with pytest.raises(UsageError, match="'weight' has something else than numbers"):
        Judgments.from_columns([1], ["a"], ["x"], cast("Any", ["heavy"]))
