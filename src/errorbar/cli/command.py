"""The parts of a command beyond click's: help in groups, defaults of the config file, outputs that are refused."""

from __future__ import annotations

import os
import shlex
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import copy
from glob import glob
from pathlib import Path
from typing import Any, cast

import click
from click.core import ParameterSource

from errorbar.cli.config import find_config, load_config
from errorbar.core.problems import KINDS, Place, Problem, UsageError, as_options, visible

# Lines for people; whatever is in them, each stays one line and moves nothing on the terminal.


PATIENCE = 1.5
"""Seconds of work before a line of progress is shown, on terminals only."""
INTERVAL = 0.2
_QUIET = "errorbar.quiet"


def tell(line: str) -> None:
    """Say something on stderr."""
    click.echo(visible(line), err=True)


def say(line: str) -> None:
    """Say something on stderr that ``--quiet`` silences."""
    if not is_quiet():
        tell(line)


def be_quiet(context: click.Context) -> None:
    """Silence notes and progress of a command."""
    context.meta[_QUIET] = True


def is_quiet() -> bool:
    """Whether notes and progress are silenced."""
    context = click.get_current_context(silent=True)
    return context is not None and bool(context.meta.get(_QUIET))


MOST_NOTES = 5
"""How many notes of one kind ``--notes`` shows before the rest is counted."""
_KEPT = "errorbar.notes"
_EVERY = "errorbar.every-note"
_FIRST = """not-this-source not-english shuffled-lines shifted-lines unlike-lines source-not-tokenized not-tokenized
    numbered-lines other-quotes other-accents empty-lines types-differ annotator-absent one-unit one-judge two-judges
    few-documents few-resamples"""
_RANKS = {code: rank for rank, code in enumerate(_FIRST.split())}
"""The warnings that matter most, in this order: what makes a score wrong, then what makes an interval rough."""


def show_every_note(context: click.Context) -> None:
    """Let every note of a command be shown, whole."""
    context.meta[_EVERY] = True


def keep_note(note: Problem) -> None:
    """Keep a note until the command shows those of its result, or ends."""
    click.get_current_context().meta.setdefault(_KEPT, []).append(note)


def take_kept_notes() -> list[Problem]:
    """The notes that were kept, which are not shown again."""
    context = click.get_current_context(silent=True)
    return [] if context is None else context.meta.pop(_KEPT, [])


def show_notes(notes: Sequence[Problem]) -> None:
    """Show the notes that were kept and these on stderr: a line on the most important one, which counts the others."""
    context = click.get_current_context(silent=True)
    notes = [*take_kept_notes(), *notes]
    if context is not None and context.meta.get(_EVERY):
        _show_each(notes)
    elif notes:
        say(_sum_up(notes))


def _sum_up(notes: Sequence[Problem]) -> str:
    first = min(notes, key=_rank)
    counts: Counter[str] = Counter()
    for note in notes:
        counts[note.kind] += note.others or 1
    counts[first.kind] -= first.others or 1
    nouns = {kind: f"{'more ' * (kind == first.kind)}{kind}{'s' * (counts[kind] != 1)}" for kind in KINDS}
    others = [f"{counts[kind]:,} {noun}" for kind, noun in nouns.items() if counts[kind]]
    more = f" ({', '.join(others)}: --notes)" if others else ""
    return f"{first.kind}: {first.short_line(as_options)}; errorbar explain {first.code}{more}"


def _rank(note: Problem) -> tuple[int, int]:
    return KINDS.index(note.kind), _RANKS.get(note.code, len(_RANKS))


def _show_each(notes: Sequence[Problem]) -> None:
    """Show notes whole, at most a few of each code and kind."""
    counts: Counter[tuple[str, str]] = Counter()
    for note in notes:
        counts[note.kind, note.code] += note.others or 1
    shown: Counter[tuple[str, str]] = Counter()
    for note in notes:
        key = note.kind, note.code
        shown[key] += 1
        if shown[key] <= MOST_NOTES:
            say(f"{'warning' if note.severity == 'warning' else 'note'}: {note.line(as_options)}")
        if shown[key] == MOST_NOTES and counts[key] > MOST_NOTES:
            say(f"note: and {counts[key] - MOST_NOTES:,} more [{note.code}]")


def show_lines(*lines: str) -> None:
    """Print lines on stdout."""
    for line in lines:
        click.echo(visible(line))


def show_click_error(error: click.ClickException) -> None:
    """Show what click found wrong with the arguments, which it quotes as they are."""
    if isinstance(error, click.exceptions.NoArgsIsHelpError | click.MissingParameter):
        error.show()  # helps and lists, in lines of their own; nothing is quoted
    elif isinstance(error, click.UsageError):
        click.UsageError(visible(error.format_message()), error.ctx).show()
    else:
        click.ClickException(visible(error.format_message())).show()


@contextmanager
def progress_bar(unit: str, total: int = 0) -> Iterator[Callable[[int], None]]:
    """Yield a function that is told how many units are done, of ``total`` if that is known."""
    start = shown = time.monotonic()
    on_terminal = sys.stderr.isatty() and not is_quiet()
    used = False

    def progress(done: int) -> None:
        nonlocal shown, used
        now = time.monotonic()
        if not on_terminal or now - start < PATIENCE or now - shown < INTERVAL:
            return
        shown, used = now, True
        share = f" of {total:,} ({100 * done / total:.0f} %)" if total else ""
        click.echo(f"\r{done:,}{share} {unit}, {done / (now - start):,.0f} a second ", nl=False, err=True)

    try:
        yield progress
    finally:
        if used:
            click.echo("\r" + " " * 78 + "\r", nl=False, err=True)


_INPUTS = """gold reference-of independent closest-of seconds documents unmarked as-written source corpus human
    judgments flags layout column labels unknown repeats counts truth key sample-key judged scores systems sentences
    first-sentence data from from-file tokens lenient force retokenize models treebank text"""
_INTERVALS = "ci ci-method confidence resamples permutations adjust swaps judges"
_OUTPUT = "format output out write to save chart charts browse tables-only report summary differing"
_OTHER = "seed jobs cache prune version help"
GROUPS: Mapping[str, frozenset[str]] = {
    "Inputs": frozenset(_INPUTS.split()),
    "What to compute": frozenset(),
    "Intervals": frozenset(_INTERVALS.split()),
    "Output": frozenset(_OUTPUT.split()),
    "Other": frozenset(_OTHER.split()),
}
"""The groups of every help, in order, and the options of each; what is in none says what to compute."""
RARE = "Rarely needed"
"""The last group: options that are hidden elsewhere, so that a reader sees the others first."""
_OF_DRAWS = {"seed", "jobs"}
"""Stand among the intervals where a command has intervals."""
Decorator = Callable[[Any], Any]
_CONFIGURED = "errorbar.configured"


class OutputPath(click.Path):
    """A file or folder to write; every output of every command has this type, every other path is an input.

    That a file can be written is seen before the work; where it is none (``is_file``), as folders are made and counts
    may only be read, by the command itself.
    """

    is_output = True  # no config file names one: it may lie in any folder above, and be a stranger's

    def __init__(self, *, is_file: bool = True, path_type: type[Path] | None = None) -> None:
        super().__init__(path_type=path_type)
        self.is_file = is_file


OUTPUT, OUTPUT_PLACE = OutputPath(), OutputPath(is_file=False)


def together(*options: Decorator) -> Decorator:
    """Options as one decorator, in the order of the help."""

    def decorate(command: Any) -> Any:
        for option in reversed(options):
            command = option(command)
        return command

    return decorate


def long_name(option: click.Parameter) -> str:
    """The name of an option: its first long name without dashes; ``ci`` of ``--ci/--no-ci``."""
    return max(option.opts, key=lambda name: name.startswith("--")).lstrip("-")


class Command(click.Command):
    """A command as the command line shows it."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take defaults from the config file; put several files where a name stands for them."""
        remaining = self._own(ctx, args)
        config = find_config(ctx)
        words = ctx.command_path.split()[1:]
        defaults = config.defaults_for(words, self.params)
        ctx.meta[_CONFIGURED] = frozenset(defaults)
        ctx.default_map = {**(ctx.default_map or {}), **defaults}
        try:
            left = super().parse_args(ctx, remaining)
        except click.NoSuchOption as error:
            from difflib import get_close_matches

            shown = [name for each in self.get_params(ctx) if not _hidden(each) for name in each.opts]
            near = get_close_matches(error.option_name, shown)
            raise click.NoSuchOption(error.option_name, possibilities=near, ctx=ctx) from None
        except click.BadParameter as error:
            if not _from_config(ctx, error.param):
                raise
            raise config.bad_value(words, error) from None
        if ctx.resilient_parsing:
            return left
        for each in self.params:
            if isinstance(each.type, click.Path) and isinstance(files := ctx.params.get(each.name or ""), tuple):
                named = (config.corpora.get(name, (name,)) for name in files)
                ctx.params[each.name or ""] = tuple(file for several in named for file in several)
        return left

    def _own(self, ctx: click.Context, args: Sequence[str]) -> list[str]:
        """Obey the options of all commands, which may stand after the command too, and leave them out.

        A second metric where one is computed is refused: the first would be lost without a word. Of other options the
        last wins, as everywhere: aliases and scripts rely on it.
        """
        remaining: list[str] = []
        one_metric = any(long_name(each) == "metric" and not getattr(each, "multiple", False) for each in self.params)
        words = iter(args)
        for argument in words:
            name, equals, value = argument.partition("=")
            if argument == "--":
                remaining += (argument, *words)
            elif argument == "--quiet":
                be_quiet(ctx)
            elif argument == "--notes":
                show_every_note(ctx)
            elif name == "--config":
                _use_config(ctx, value if equals else next(words, None))
            elif name == "--metric" and one_metric and any(each.partition("=")[0] == name for each in remaining):
                message = "--metric is given twice, and takes one value"
                raise UsageError(Problem("option-twice", message, fix="leave one of them out"))
            else:
                remaining.append(argument)
        return remaining

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; first refuse outputs that would harm inputs, and say what the config file decided."""
        _refuse_outputs(ctx)
        decided = [each for each in self.params if each.name in ctx.params and _from_config(ctx, each)]
        if decided:
            settings = ", ".join(
                f"--{long_name(each)} {_format_value(ctx.params[each.name or ''])}" for each in decided
            )
            place = Place(str(find_config(ctx).path))
            keep_note(Problem("config", f"set here: {settings}", place, severity="repaired"))
        try:
            return super().invoke(ctx)
        finally:
            show_notes(())

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Write the options group by group, in the order of ``GROUPS``; hidden ones are written last."""
        options = [each for each in self.get_params(ctx) if isinstance(each, click.Option)]
        has_intervals = any(long_name(each) in GROUPS["Intervals"] for each in options)
        groups: dict[str, list[tuple[str, str]]] = {title: [] for title in GROUPS}
        for option in options:
            name = long_name(option)
            title = next((title for title, names in GROUPS.items() if name in names), "What to compute")
            title = RARE if option.hidden else "Intervals" if has_intervals and name in _OF_DRAWS else title
            shown = copy(option)
            shown.hidden = False
            if record := shown.get_help_record(ctx):
                groups.setdefault(title, []).append(record)
        for title, records in groups.items():
            if records:
                with formatter.section(title):
                    formatter.write_dl(records)


def _refuse_outputs(context: click.Context) -> None:
    """Remember what the command reads; refuse outputs that are among it, cannot be written, or are one file."""
    config = find_config(context).path
    outputs: list[tuple[str, click.Parameter]] = []
    inputs = [str(config)] if config.name else []
    for parameter in context.command.params:
        value = context.params.get(parameter.name or "")
        if isinstance(parameter.type, click.Path) and value is not None:
            paths = [str(path) for path in (value if isinstance(value, tuple) else (value,))]
            if isinstance(parameter.type, OutputPath):
                outputs += [(path, parameter) for path in paths]
            else:
                inputs += paths
    if not outputs:
        return
    from errorbar.formats.look import note_input, own_folder
    from errorbar.formats.reference import NamedFile
    from errorbar.formats.saving import is_stream, refuse_input, refuse_unwritable

    for argument in inputs:
        path = NamedFile.parse(argument).path
        for file in (path, *path.split(","), *glob(argument)):  # noqa: PTH207 - Path.glob refuses absolute patterns
            note_input(file)
    options: dict[str, str] = {}
    for path, parameter in outputs:
        option = parameter.opts[0]
        refuse_input(path)
        own_folder(path)
        if cast("OutputPath", parameter.type).is_file:
            refuse_unwritable(path)
        other = options.setdefault(os.path.realpath(path), option)
        if other != option and not is_stream(path):
            message = f"{other} and {option} name the same file"
            raise UsageError(Problem("two-outputs", message, Place(path), fix="name another file"))


def command_line(context: click.Context) -> str:
    """The command that was given, in a form that a shell takes: options that were not given are left out.

    On one line, whatever the files are called: a page shows it to be copied.
    """
    words, arguments = ["errorbar", str(context.info_name)], []
    for parameter in context.command.params:
        name = str(parameter.name)
        if context.get_parameter_source(name) != ParameterSource.COMMANDLINE:
            continue
        value = context.params[name]
        values = (
            list(value) if isinstance(value, tuple) else [_format_value(value) if isinstance(value, list) else value]
        )
        flag = f"--{long_name(parameter)}"
        if isinstance(parameter, click.Argument):
            arguments += [str(each) for each in values]
        elif isinstance(value, bool):
            words.append((parameter.opts if value else parameter.secondary_opts)[-1])
        else:
            words += [word for each in values for word in (flag, str(each))]
    if any(each.startswith("-") and each != "-" for each in arguments):
        words.append("--")
    return visible(shlex.join([*words, *arguments]))


def _use_config(ctx: click.Context, file: str | None) -> None:
    """Read the file of a ``--config`` that stands after the command."""
    if file is None:
        raise click.BadOptionUsage("--config", "Option '--config' requires an argument.", ctx)
    root = ctx.find_root().command
    ctx.obj = load_config(file, lambda: root.list_commands(ctx) if isinstance(root, click.Group) else ())
    if ctx.obj.quiet:
        be_quiet(ctx)
    if ctx.obj.notes:
        show_every_note(ctx)


def _from_config(ctx: click.Context, parameter: click.Parameter | None) -> bool:
    name = parameter.name or "" if parameter is not None else ""
    return name in ctx.meta[_CONFIGURED] and ctx.get_parameter_source(name) is ParameterSource.DEFAULT_MAP


def _hidden(parameter: click.Parameter) -> bool:
    return not isinstance(parameter, click.Option) or parameter.hidden


def _format_value(value: object) -> str:
    if isinstance(value, list):  # numbers between commas
        return ",".join(f"{number:g}" for number in value)
    values = value if isinstance(value, tuple) else (value,)
    return " ".join(str(each).lower() if isinstance(each, bool) else str(each) for each in values)
