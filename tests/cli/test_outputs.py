"""No output of any command harms what is read: every option that writes, against every path that is read."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest

from errorbar import convert
from errorbar.cli.command import Command, OutputPath
from errorbar.formats import STUDY_FILES, looking, save_bytes
from tests.helpers.cli import CommandLine
from tests.helpers.commands import every_command

CONTENT = "a file that must stay as it is\n"
PATHS = [
    "FILE",
    "DIR",
    "FOLDER",
    "CSV",
    "ZIP",
    "OUT",
    "OUTPUT",
    "BACKUP",
    "TASK.toml",
    "SYSTEM",
    "[TEAM=]FILE",
    "INPUT",
]
"""How helps call files and folders."""
REQUIRED = {"names": "jfleg", "budget": "7"}
"""Values of options that a command requires, where they cannot be any word."""


def _is_output(parameter: click.Parameter) -> bool:
    return isinstance(parameter.type, OutputPath)


def _words(parameter: click.Parameter, value: str) -> list[str]:
    return [value] if isinstance(parameter, click.Argument) else [parameter.opts[0], value]


def _arguments(command: click.Command, values: dict[click.Parameter, str]) -> list[str]:
    """Options first, then arguments in their order; what is required and has no value is a file of its own."""
    words: list[str] = []
    for parameter in sorted(command.params, key=lambda each: isinstance(each, click.Argument)):
        if parameter in values:
            words += _words(parameter, values[parameter])
        elif parameter.required:
            choices = getattr(parameter.type, "choices", None)
            words += _words(parameter, choices[0] if choices else REQUIRED.get(str(parameter.name), "other"))
    return words


def _pairs() -> Iterator[tuple[str, click.Command, click.Parameter, click.Parameter]]:
    """Every option that writes with every other path of its command."""
    for name, command in every_command():
        paths = [each for each in command.params if isinstance(each.type, click.Path)]
        for output in filter(_is_output, paths):
            yield from ((name, command, output, other) for other in paths if other is not output)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_path_says_whether_it_is_written() -> None:
    for name, command in every_command():
        assert isinstance(command, Command), name
        for parameter in command.params:
            if str(getattr(parameter, "metavar", "")).removesuffix("...") in PATHS:
                assert isinstance(parameter.type, click.Path), f"{name} {parameter.opts}"
            if isinstance(parameter, click.Option) and {"-o", "--output", "--out"} & set(parameter.opts):
                assert _is_output(parameter), f"{name} {parameter.opts}"


def test_no_output_of_any_command_is_one_of_its_inputs(folder: Path, errorbar: CommandLine) -> None:
    pairs = [*_pairs()]
    assert len(pairs) > 200
    for name, command, output, other in pairs:
        target = folder / f"input{'.csv' if output.name != 'chart' else '.svg'}"
        target.write_text(CONTENT, encoding="utf-8")
        done = errorbar(*name.split(), *_arguments(command, {output: str(target), other: str(target)}))
        case = f"{name} {output.opts[0]} {other.opts[0]}: {done.err}"
        expected = "two-outputs" if _is_output(other) else "output-over-input"
        assert done.code == 2, case
        assert done.err.rstrip().endswith(f"[{expected}]"), case
        assert target.read_text(encoding="utf-8") == CONTENT, case
        target.unlink()
        assert not [*folder.iterdir()], case


def test_no_output_of_any_command_lies_in_a_study(folder: Path, errorbar: CommandLine) -> None:
    for file in STUDY_FILES:
        (folder / file).write_text(CONTENT, encoding="utf-8")
    commands = dict(every_command())
    outputs = [
        (name, command, each) for name, command in commands.items() for each in command.params if _is_output(each)
    ]
    assert len(outputs) > 50
    for name, command, output in outputs:
        for target in ("secrets.json", "new.csv"):
            done = errorbar(*name.split(), *_arguments(command, {output: target}))
            assert (done.code, done.err.rstrip().rsplit(" ", 1)[-1]) == (2, "[output-in-study]"), f"{name}: {done.err}"
    assert {file.name: file.read_text(encoding="utf-8") for file in folder.iterdir()} == dict.fromkeys(
        STUDY_FILES, CONTENT
    )


def test_a_file_that_cannot_be_written_is_refused_before_the_work(folder: Path, errorbar: CommandLine) -> None:
    """Inputs are missing, so a command that began to work would miss them: of every option that writes a file."""
    (folder / "there").mkdir()
    outputs = [
        (name, command, option)
        for name, command in every_command()
        for option in command.params
        if isinstance(option.type, OutputPath) and option.type.is_file
    ]
    assert {"score", "report"} <= {name for name, _, _ in outputs}
    for name, command, option in outputs:
        for target, said in (("none/o.csv", "there is no folder none"), ("there", "this is a folder")):
            done = errorbar(*name.split(), *_arguments(command, {option: target}))
            assert (done.code, said in done.err, "[cannot-write]" in done.err) == (2, True, True), f"{name}: {done.err}"
    for words in (("--to", "text"), ("--to", "m2"), ()):
        done = errorbar("convert", "missing.m2", *words, "-o", "none/o.m2")
        assert "none/o.m2: there is no folder none; make it, or name another place [cannot-write]" in done.err
    assert [*folder.iterdir()] == [folder / "there"]


@pytest.mark.parametrize("way", ["as it is", "relative", "through a link", "through a hard link", "by its number"])
def test_an_input_is_known_by_every_name(folder: Path, errorbar: CommandLine, way: str) -> None:
    text, name = folder / "text.m2", "./sub/../text.m2"
    text.write_text("S a\n\n", encoding="utf-8")
    (folder / "sub").mkdir()
    if way == "through a link":
        (folder / "link").symlink_to("text.m2")
        name = "link"
    elif way == "through a hard link":
        (folder / "hard").hardlink_to(text)
        name = "hard"
    if way == "by its number" and not sys.platform.startswith("linux"):
        pytest.skip("numbers of open files are names on Linux")
    with text.open("rb+") as opened:
        if way == "by its number":
            name = f"/dev/fd/{opened.fileno()}"
        done = errorbar("convert", "text.m2" if way != "as it is" else text, "--to", "text", "-o", name)
    assert "[output-over-input]" in done.err
    assert text.read_text(encoding="utf-8") == "S a\n\n"


def test_files_that_a_task_names_are_inputs_too(folder: Path, errorbar: CommandLine) -> None:
    """Whatever the file of the task is called."""
    assert errorbar("demo", "--save", ".").code == 0
    table = '[task]\nname = "t"\n[[corpus]]\nname = "c"\ngold = ["gold.jsonl"]\n'
    team = '[[team]]\nname = "A"\n[[team.run]]\nnumber = 1\ncorpus = "c"\nfile = "careful.txt"\n'
    (folder / "small.toml").write_text(table + team, encoding="utf-8")
    before = {file: file.read_bytes() for file in folder.iterdir()}
    for target in before.keys() - {folder / "greedy.txt", folder / "copy.txt", folder / "articles.txt"}:
        for _ in range(2):  # the second time from the cache
            done = errorbar("task", "run", "small.toml", "--no-receipt", "-o", target, "--format", "csv")
            assert "[output-over-input]" in done.err, target
    assert {file: file.read_bytes() for file in before} == before


TASK = """[task]
name = "t"
[[corpus]]
name = "c"
gold = ["gold.m2"]
source = "data/source.txt"
[[team]]
name = "A"
submissions = { c = ["runs/*.txt"] }
"""


def test_no_output_of_any_command_is_a_file_of_a_task(folder: Path, errorbar: CommandLine) -> None:
    """Whatever the command reads; other files of the same folder are made again as often as one likes."""
    files = ("task.toml", "gold.m2", "data/source.txt", "runs/A-1.txt")
    for name in (*files, "runs/notes.csv"):
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(TASK if name == "task.toml" else CONTENT, encoding="utf-8")
    outputs = [
        (name, command, each) for name, command in every_command() for each in command.params if _is_output(each)
    ]
    assert len(outputs) > 50
    for name, command, output in outputs:
        for target in files:
            done = errorbar(*name.split(), *_arguments(command, {output: target}))
            assert (done.code, "[output-in-task]" in done.err) == (2, True), f"{name}: {done.err}"
        assert "[output-in-task]" not in errorbar(*name.split(), *_arguments(command, {output: "runs/notes.csv"})).err
    assert (folder / "task.toml").read_text(encoding="utf-8") == TASK
    assert {(folder / name).read_text(encoding="utf-8") for name in files[1:]} == {CONTENT}


def test_a_function_does_not_write_over_what_it_reads(folder: Path) -> None:
    from errorbar.core import UsageError

    source, link = folder / "source.m2", folder / "link.m2"
    source.write_text("S He go .\nA 1 2|||Vform|||goes|||REQUIRED|||-NONE-|||0\n", encoding="utf-8")
    os.link(source, link)
    for out in (source, link):
        with pytest.raises(UsageError, match="overwrite an input"):
            convert(source, out, to="jsonl")
    assert source.read_text(encoding="utf-8").startswith("S He go .")
    convert(source, folder / "new.jsonl")  # what one call has read, the next may write
    convert(folder / "new.jsonl", source)


def test_what_has_no_option_of_its_own_is_looked_at_when_it_is_saved(folder: Path) -> None:
    """A receipt, a chart or a page of a folder: whatever was opened in the same command."""
    from errorbar.core import UsageError
    from errorbar.formats.look import look

    file = folder / "read.txt"
    file.write_text(CONTENT, encoding="utf-8")
    with looking(command=True):
        with look(file).open() as stream:
            stream.read()
        os.link(file, folder / "other.txt")
        with pytest.raises(UsageError, match="overwrite an input"):
            save_bytes(b"", str(folder / "other.txt"))
        save_bytes(b"new", str(folder / "new.txt"))
    save_bytes(b"later", str(file))
    assert file.read_text(encoding="utf-8") == "later"
