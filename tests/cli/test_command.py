"""What every command has: help in groups, notes that can be silenced."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

import click
import pytest

from errorbar.__main__ import main
from errorbar.cli.main import COMMANDS, SECTIONS, added_commands
from tests.helpers.cli import CommandLine
from tests.helpers.commands import every_command

MOST_OPTIONS = 20
"""Of one command: a help that fits on a screen or two."""


def sections(text: str) -> dict[str, list[str]]:
    """The options of a help by the heading they stand under."""
    found: dict[str, list[str]] = {}
    for line in text.splitlines():
        if line.endswith(":") and not line.startswith(" "):
            found[line[:-1]] = []
        elif line.startswith("  -") and found:
            found[next(reversed(found))].append(line.split()[0].rstrip(","))
    return found


def test_help_comes_in_groups(errorbar: CommandLine) -> None:
    found = sections(errorbar("compare", "--help").out)
    assert list(found) == ["Inputs", "What to compute", "Intervals", "Output", "Other", "Rarely needed"]
    assert "--gold" in found["Inputs"]
    assert "--metric" in found["What to compute"]
    assert {"--confidence", "--seed"} <= set(found["Intervals"])
    assert found["Output"][0] == "--format"
    assert "-h" in found["Other"]
    assert "--swaps" in found["Rarely needed"]
    assert "--seed" in sections(errorbar("crowd", "mine", "--help").out)["Other"]


def test_an_option_that_is_missing_is_named(errorbar: CommandLine) -> None:
    assert "Missing option '--counts'" in errorbar("crowd", "mine", __file__).err


def test_commands_come_in_groups(errorbar: CommandLine) -> None:
    """Every command once, also those of packages; nothing heavy is imported for it."""
    shown = errorbar("--help").out
    headings = [line[:-1] for line in shown.splitlines() if line.endswith(":") and not line.startswith(" ")]
    sections = {title for title, commands in SECTIONS.items() if {*COMMANDS, *added_commands()} & {*commands.split()}}
    assert headings == ["Options", *(title for title in SECTIONS if title in sections)]
    names = re.findall(r"^  ([a-z][a-z-]+)  ", shown, re.MULTILINE)
    assert len(names) == len(set(names))
    assert set(names) == {*COMMANDS, *added_commands()}


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z-]*")
CALL = re.compile(r"errorbar ((?:[a-z-]+ )?[a-z-]+)")


@cache
def helps() -> dict[str, str]:
    """The help of each command."""
    return {name: command.get_help(click.Context(command)) for name, command in every_command()}


def explained_options(text: str) -> set[str]:
    """The options that have an entry in a help."""
    entries = (line.strip().partition("  ")[0] for line in text.splitlines() if line.startswith("  -"))
    return {option for entry in entries for option in OPTION.findall(entry)}


@pytest.mark.parametrize("name", [name for name, _ in every_command()])
def test_options_that_a_help_names_are_explained_in_it(name: str) -> None:
    """Or in the help of the command that the same line calls."""
    for line in helps()[name].splitlines():
        called = {other for words in CALL.findall(line) for other in (words, words.split()[0])} & helps().keys()
        explained = set().union(*(explained_options(helps()[other]) for other in (name, *called)))
        assert set(OPTION.findall(line)) <= explained, f"{name}: {line.strip()}"


@pytest.mark.parametrize(("name", "command"), [*every_command()])
def test_no_command_has_more_options_than_a_reader_takes_in(name: str, command: click.Command) -> None:
    options = [each for each in command.params if isinstance(each, click.Option) and not each.hidden]
    assert len(options) <= MOST_OPTIONS, name


@pytest.mark.parametrize(("name", "command"), [*every_command()])
def test_every_option_is_explained_in_a_sentence(name: str, command: click.Command) -> None:
    for each in command.params:
        if isinstance(each, click.Option) and not each.hidden:
            text = (each.help or "").partition("  [default")[0]
            assert text[:1].isupper(), f"{name} {each.opts[0]}: {text}"
            assert text.endswith("."), f"{name} {each.opts[0]}: {text}"
            assert len(text.split()) > 2, f"{name} {each.opts[0]}: {text}"


@pytest.mark.parametrize("words", [("score",), ("crowd", "score"), ("crowd",)])
def test_help_is_a_command_too(errorbar: CommandLine, words: tuple[str, ...]) -> None:
    assert errorbar("help", *words).out == errorbar(*words, "--help").out
    assert errorbar("help").out == errorbar("--help").out
    assert "no command 'scor'; did you mean 'score'?" in errorbar("help", "scor").err


def test_the_version_says_how_to_cite(errorbar: CommandLine) -> None:
    from errorbar import __version__

    out = errorbar("--version").out
    assert out.startswith(f"errorbar {__version__}\n")
    assert "To cite it:" in out
    assert f"Version {__version__}." in out


def test_quiet_leaves_results_and_errors(errorbar: CommandLine, tmp_path: Path) -> None:
    gold, system = tmp_path / "gold.m2", tmp_path / "system.txt"
    gold.write_text("S a cat\nA 0 1|||Det|||a|||REQUIRED|||-NONE-|||0\n\n")
    system.write_text("a cat\n")
    call = ("score", "--gold", gold, system)
    loud = errorbar(*call)
    assert "[edit-no-change]" in loud.err
    for quiet in (errorbar(*call, "--quiet"), errorbar("--quiet", *call)):
        assert (quiet.code, quiet.out, quiet.err) == (0, loud.out, "")
    (tmp_path / "errorbar.toml").write_text("[defaults]\nquiet = true\n")
    assert errorbar(*call, "--config", tmp_path / "errorbar.toml").err == ""
    assert "[bad-spec]" in errorbar(*call, "--quiet", "--metric", "(").err
    assert "requires an argument" in errorbar(*call, "--config").err


# The program's entry: Ctrl-C before anything runs.


class Interrupted:
    """Ctrl-C while the command line is imported."""

    def find_spec(self, name: str, *_: object) -> None:
        if name == "errorbar.cli.main":
            raise KeyboardInterrupt


def test_an_interruption_while_modules_are_imported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.delitem(sys.modules, "errorbar.cli.main", raising=False)
    monkeypatch.setattr(sys, "meta_path", [Interrupted(), *sys.meta_path])
    with pytest.raises(SystemExit) as ended:
        main()
    assert ended.value.code == 130
    assert capsys.readouterr().err == "interrupted\n"
