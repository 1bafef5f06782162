"""The column ``rater_kind``: what a model says is read, and never counts as what people say."""

from __future__ import annotations

from pathlib import Path

import pytest

import errorbar
from errorbar import Problems
from errorbar.core import InputError, UsageError
from errorbar.formats import read_judgment_table
from errorbar.formats.judgments import read_assistants, read_people

BOTH = (
    "item,rater,label,seconds,rater_kind\n"
    "1,ann,error,3,human\n1,model:m@01234567,ok,,model\n2,ben,ok,5,\n2,model:m@01234567,ok,,model\n3,ann,ok,7,human\n"
)


def save(folder: Path, content: str, name: str = "both.csv") -> Path:
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def test_models_are_known_and_left_out_where_people_are_asked_for(tmp_path: Path) -> None:
    path, problems = save(tmp_path, BOTH), Problems()
    table = read_judgment_table(path, problems)
    assert table.models == {"model:m@01234567"}
    assert (len(table.judgments), problems.notes) == (5, [])
    people = read_people(path, problems)
    assert people.to_columns() == {
        "item": ["1", "2", "3"],
        "rater": ["ann", "ben", "ann"],
        "label": ["error", "ok", "ok"],
    }
    assert people.raters == ("ann", "ben")
    assert [(note.code, note.what) for note in problems.notes] == [
        ("judgments-models", "2 judgments of models (model:m@01234567) do not count as people's")
    ]
    assert table.of_raters(["ben", "ann"]).seconds is not None
    assert read_assistants(path, problems).judgments.to_columns()["item"] == ["1", "2"]


def test_a_table_of_people_alone_has_the_digits_it_had(tmp_path: Path) -> None:
    people = "\n".join(line for line in BOTH.splitlines() if "model:" not in line) + "\n"
    alone = save(tmp_path, people.replace(",human", "").replace("5,\n", "5\n").replace(",rater_kind", ""), "alone.csv")
    assert errorbar.agree(save(tmp_path, BOTH)).to_dict() == errorbar.agree(alone).to_dict()
    rows = errorbar.read_judgments(save(tmp_path, BOTH)).to_columns()
    assert rows == errorbar.read_judgments(alone).to_columns()


def test_a_table_in_memory_says_it_too() -> None:
    rows: dict[str, list[object]] = {
        "item": [1, 1],
        "rater": ["ann", "m"],
        "label": ["ok", "ok"],
        "rater_kind": [None, "model"],
    }
    assert errorbar.read_judgments(rows).raters == ("ann",)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("7,human", "7,robot", "rater ann has the rater_kind 'robot'"),
        ("7,human", "7,model", "rater ann is a model here, and a human in an earlier row"),
    ],
)
def test_kinds_that_cannot_be(tmp_path: Path, old: str, new: str, message: str) -> None:
    with pytest.raises(InputError) as refusal:
        read_judgment_table(save(tmp_path, BOTH.replace(old, new)), Problems())
    assert [(problem.code, problem.what) for problem in refusal.value.problems] == [("rater-kind", message)]
    assert str(refusal.value.problems[0].place).endswith("both.csv:6")


def test_models_alone_are_nobody(tmp_path: Path) -> None:
    models = "item,rater,label,rater_kind\n1,m,ok,model\n2,m,ok,model\n"
    with pytest.raises(InputError, match="all 2 judgments are of models: m"):
        read_people(save(tmp_path, models), Problems())


def test_a_name_is_of_one_kind_in_all_files(tmp_path: Path) -> None:
    other = save(tmp_path, "item,rater,label\n9,model:m@01234567,ok\n", "other.csv")
    with pytest.raises(UsageError, match="is a model in one table and not in another"):
        errorbar.read_judgments([save(tmp_path, BOTH), other])


def test_repeated_answers_of_a_model_are_a_share_and_those_of_a_crowd_are_refused(tmp_path: Path) -> None:
    repeated = "item,rater,label,rater_kind\n1,m,ok,{0}\n1,m,error,{0}\n"
    assert len(read_assistants(save(tmp_path, repeated.format("model")), Problems()).judgments) == 2
    with pytest.raises(UsageError, match="1 judgment repeats an item"):
        read_assistants(save(tmp_path, repeated.format("human")), Problems())
