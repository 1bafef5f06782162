"""Changes of a study from the outside: what is added comes from files and pipes, while raters work."""

from __future__ import annotations

import os
from pathlib import Path
from threading import Thread

import pytest

import errorbar
from errorbar.core import InputError
from errorbar.judging import Study
from errorbar.judging.study.changing import JudgeChange
from tests.judging.simulated import work

HEAD = "item,text,start,end\n"
GOOD = "".join(f"more{n},It rains on us .,9,11\n" for n in range(3))
BAD = "more9,It rains .,3,99\n"


@pytest.fixture
def study(tmp_path: Path) -> Path:
    (tmp_path / "items.csv").write_text(HEAD + "".join(f"i{n},He sat on it .,7,9\n" for n in range(4)))
    errorbar.judge_init(tmp_path / "study", tmp_path / "items.csv", raters_per_item=2)
    return tmp_path / "study"


def items(folder: Path) -> list[tuple[str, int, str]]:
    with Study.open(folder).store(read_only=True) as store, store.read() as tx:
        return [(row[0], row[1], row[2]) for row in tx.exec_driver_sql("SELECT name, taken, stopped FROM item")]


@pytest.mark.parametrize("last", [GOOD, BAD], ids=["good", "bad"])
def test_a_pipe_that_takes_its_time_stops_nobody(study: Path, last: str) -> None:
    """Half of a table has come; raters work on, by rules as they were; then the rest of it comes, good or bad."""
    ours, theirs = os.pipe()
    outcome: list[JudgeChange | InputError] = []

    def change() -> None:
        try:
            rules = {"raters_per_item": 1}
            add = f"/dev/fd/{ours}"
            outcome.append(errorbar.judge_change(study, rules=rules, add=add, stop="i3", reason="cut off"))
        except InputError as error:
            outcome.append(error)

    changing = Thread(target=change, daemon=True)
    changing.start()
    with os.fdopen(theirs, "wb", buffering=0) as pipe:
        pipe.write((HEAD + "more8,It rains on us .,9,11\n").encode())
        work(study, raters=2, answer=lambda *_: {"judgment": "ok"})
        assert [taken for _, taken, _ in items(study)] == [2, 2, 2, 2]
        assert changing.is_alive()
        pipe.write(last.encode())
    changing.join(30)
    os.close(ours)
    (said,) = outcome
    if last == BAD:
        assert isinstance(said, InputError)
        assert [problem.code for problem in said.problems] == ["judge-item-span"]
        assert len(items(study)) == 4
        assert errorbar.judge_change(study).rules.raters_per_item == 2
        return
    assert isinstance(said, JudgeChange)
    assert (said.n_added, said.rules.raters_per_item, said.stopped) == (4, 1, ("i3",))
    assert [name for name, _, why in items(study) if why] == ["i3"]


def test_what_is_added_is_repaired_on_request(study: Path, tmp_path: Path) -> None:
    corpus = tmp_path / "flawed.m2"
    corpus.write_text("S It rains on us .\nA 9 9|||X|||of|||REQUIRED|||-NONE-|||0\n\n")
    with pytest.raises(InputError, match="lenient=True"):
        errorbar.judge_change(study, add=corpus)
    made = errorbar.judge_change(study, add=corpus, lenient=True)
    assert (made.n_added, len(made.notes)) == (1, 1)
