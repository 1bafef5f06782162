"""Old names of options do what the new ones do, with a warning, for one more release; messages name the new ones."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.helpers.cli import CommandLine

A_LINE = "A 1 2|||Noun|||x|||REQUIRED|||-NONE-|||"
SGML = '<DOC nid="{}">\n<TEXT>\n<P>\na b c .\n</P>\n</TEXT>\n<ANNOTATION teacher_id="0">\n</ANNOTATION>\n</DOC>\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Six essays of a sentence each, two annotators, two systems."""
    monkeypatch.chdir(tmp_path)
    Path("gold.m2").write_text(f"S a b c .\n{A_LINE}0\n{A_LINE}1\n\n" * 6)
    Path("essays.sgml").write_text("".join(SGML.format(number) for number in range(6)))
    Path("one.txt").write_text("a x c .\n" * 4 + "a b c .\n" * 2)
    Path("two.txt").write_text("a b c .\n" * 2 + "a x c .\n" * 4)


OLD = [
    ("score --gold gold.m2 one.txt", "--essays essays.sgml", "--documents essays.sgml"),
    ("compare --gold gold.m2 one.txt two.txt", "--essays essays.sgml", "--documents essays.sgml"),
    ("agree gold.m2", "--essays=essays.sgml", "--documents essays.sgml"),
    ("convert gold.m2 --to jsonl", "--essays essays.sgml", "--documents essays.sgml"),
    ("ceiling --gold gold.m2 --documents essays.sgml", "--essays 3 --repeats 4", "--n-documents 3x4"),
    ("ceiling --gold gold.m2 one.txt", "--ci 50", "--ci --resamples 50"),
    ("ceiling --gold gold.m2 one.txt", "--ci=50", "--ci --resamples 50"),
]


@pytest.mark.parametrize(("call", "old", "new"), OLD)
def test_old_names_are_handed_over(errorbar: CommandLine, call: str, old: str, new: str) -> None:
    before, now = errorbar(*call.split(), *old.split()), errorbar(*call.split(), *new.split())
    assert (before.code, before.out) == (0, now.out)
    assert "ends with the next release [renamed-option]" in before.err
    assert "[renamed-option]" not in now.err


def test_a_file_that_is_called_like_a_number_is_no_old_form(errorbar: CommandLine) -> None:
    Path("one.txt").rename("50")
    done = errorbar("ceiling", "--gold", "gold.m2", "--format", "json", "--ci", "--", "50")
    assert (done.code, '"50"' in done.out, "[renamed-option]" in done.err) == (0, True, False)


def test_old_names_are_suggested_to_nobody(errorbar: CommandLine) -> None:
    done = errorbar("score", "--gold", "gold.m2", "one.txt", "--missing-as-empt")
    assert done.code == 2
    assert "--missing-as-empty" not in done.err
    assert "Did you mean '--documents'?" in errorbar("score", "--gold", "gold.m2", "one.txt", "--document").err
    Path("errorbar.toml").write_text("[defaults.score]\nmissing-as-empt = true\n")
    done = errorbar("score", "--gold", "gold.m2", "one.txt")
    assert done.code == 2
    assert "missing-as-empty" not in done.err


def test_the_note_about_a_config_file_says_what_an_old_name_became(errorbar: CommandLine) -> None:
    Path("errorbar.toml").write_text("[defaults.score]\nby-type = true\n")
    done = errorbar("score", "--gold", "gold.m2", "one.txt", "--no-ci")
    assert done.code == 0
    assert "set here: --by type [config]" in done.err


def test_files_under_old_names_start_at_the_folder_of_the_config_file(
    errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    Path("errorbar.toml").write_text("[defaults.score]\nessays = 'essays.sgml'\n")
    Path("below").mkdir()
    monkeypatch.chdir("below")
    done = errorbar("score", "--gold", "../gold.m2", "../one.txt")
    assert (done.code, "by:document" in done.out) == (0, True), done.err
