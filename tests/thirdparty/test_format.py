"""A format of another package is known to check, convert, score and agree by one file and its entry point."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import errorbar
from errorbar.core import InputError, UsageError
from errorbar.core.entry_points import Registered
from errorbar.formats import catalog
from tests.helpers.cli import CommandLine

GOLD = "%brackets\nHe [go|goes] home .\nThey are [|very] glad .\n"
OTHER = "%brackets\nHe [go|went] home .\nThey are [|very] glad .\n"
SYSTEM = "He goes home .\nThey are glad .\n"
M2 = """S He go home .
A 1 2|||X|||goes|||REQUIRED|||-NONE-|||0

S They are glad .
A 2 2|||X|||very|||REQUIRED|||-NONE-|||0

"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The package is installed, and files of its formats are here."""
    installed(monkeypatch, "BRACKETS", "VOTES")
    monkeypatch.chdir(tmp_path)
    Path("gold.brackets").write_text(GOLD)
    Path("other.brackets").write_text(OTHER)
    Path("gold.m2").write_text(M2)
    Path("system.txt").write_text(SYSTEM)
    yield tmp_path
    catalog._others.cache_clear()


def installed(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    points = {name: Registered(name, f"tests.thirdparty.brackets:{name}", "brackets") for name in names}
    catalog._others.cache_clear()
    monkeypatch.setattr(catalog, "find_registered", lambda _: points)


def test_check_counts_and_says_what_is_wrong_with_its_place() -> None:
    (checked,) = errorbar.check("gold.brackets").files
    assert checked.counts == {"sentences": 2, "tokens": 8, "annotators": 1, "edits": 2}
    Path("bad.brackets").write_text("%brackets\nHe [go home .\n")
    (checked,) = errorbar.check("bad.brackets").files
    assert [(problem.place.line, problem.code) for problem in checked.problems] == [(2, "brackets-open")]


def test_convert_reads_and_writes_it() -> None:
    assert errorbar.convert("gold.brackets", to="m2").text == M2
    assert errorbar.convert("gold.m2", "new.brackets").format == "brackets"
    assert Path("new.brackets").read_text() == GOLD
    with pytest.raises(UsageError, match="unmarked has no meaning for input in the format brackets"):
        errorbar.convert("gold.brackets", to="m2", unmarked="all")


def test_the_command_takes_its_name_where_the_ending_does_not_tell(errorbar: CommandLine) -> None:
    Path("gold.txt").write_text(GOLD)
    assert errorbar("convert", "--from", "brackets", "gold.txt", "--to", "m2").out == M2
    assert errorbar("convert", "gold.m2", "--to", "brackets").out == GOLD
    assert "'bracket' is not one of 'bea'" in errorbar("convert", "--from", "bracket", "gold.txt").err


@pytest.mark.parametrize("metric", ["m2", "gleu", "tokens"])
def test_score_takes_it_as_reference_and_as_system(metric: str) -> None:
    wanted = errorbar.score("gold.m2", "system.txt", metric).scores[0].estimates
    assert errorbar.score("gold.brackets", "system.txt", metric).scores[0].estimates == wanted
    Path("system.brackets").write_text("%brackets\nHe [go|goes] home .\nThey are glad .\n")
    assert errorbar.score("gold.brackets", "system.brackets", metric).scores[0].estimates == wanted


def test_agree_makes_judgments_of_its_edits_and_takes_its_rows() -> None:
    Path("other.m2").write_text(errorbar.convert("other.brackets", to="m2").text)
    wanted = errorbar.agree(["A=gold.m2", "B=other.m2"]).to_dict()
    assert errorbar.agree(["A=gold.brackets", "B=other.brackets"]).to_dict() == wanted
    votes = [("ann", "a", "error"), ("bob", "a", "ok"), ("ann", "b", "ok"), ("bob", "b", "ok")]
    Path("all.votes").write_text("".join(f"{rater}: {item} {label}\n" for rater, item, label in votes))
    Path("all.csv").write_text("rater,item,label\n" + "".join(f"{','.join(vote)}\n" for vote in votes))
    assert errorbar.agree("all.votes").to_dict() == errorbar.agree("all.csv").to_dict()
    (checked,) = errorbar.check("all.votes").files
    assert checked.counts == {"judgments": 4, "items": 2, "raters": 2, "labels": 2}


def test_what_is_wrong_with_a_row_is_said_with_its_line() -> None:
    Path("bad.votes").write_text("ann: a error\nbob: a\n")
    with pytest.raises(InputError, match=r"bad\.votes:2: not a vote: .*votes-line"):
        errorbar.agree("bad.votes")


def test_what_is_no_format_is_refused_where_packages_are_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    installed(monkeypatch, "NOTHING")
    assert errorbar.check("gold.m2").good
    with pytest.raises(UsageError, match=r"NOTHING = tests\.thirdparty\.brackets:NOTHING is not a Format .*bad-format"):
        errorbar.check("gold.brackets")
