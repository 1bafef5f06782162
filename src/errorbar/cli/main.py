"""The entry point: finds the command, turns named failures into one line each and an exit code."""

from __future__ import annotations

import codecs
import errno
import io
import os
import re
import signal
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader, find_spec
from keyword import iskeyword
from pathlib import Path
from types import FrameType, MappingProxyType, ModuleType
from typing import TYPE_CHECKING, Any, NoReturn, TextIO, cast

import click

from errorbar.cli.command import be_quiet, show_click_error, show_every_note, tell
from errorbar.cli.config import VARIABLE, load_config
from errorbar.core.entry_points import Registered, find_registered
from errorbar.core.problems import ErrorbarError, InputError, Problem, as_options, nearest
from errorbar.formats.look import looking
from errorbar.version import __version__

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


# Standard streams and signals as a command finds them: closed, full, in another encoding, told to stop.


ENCODING = "PYTHONIOENCODING"
HANDLER = "errorbar.plain"
STOPPING = ("SIGTERM", "SIGHUP")
"""Signals that end a command as Ctrl-C does: what is half-written goes with it."""


PLAIN = {"─": "-", "–": "-", "−": "-", "…": "...", "±": "+/-", "×": "x", "≤": "<=", "≥": ">=", "→": "->", "·": "."}
"""The characters of tables and signatures beyond ASCII, with their substitutes for terminals that lack them."""


class StoppedError(BaseException):
    """A signal, ``number``, asked the command to stop; nothing but the outermost level catches it."""

    def __init__(self, number: int) -> None:
        self.number = number
        super().__init__(signal.Signals(number).name)


class _Closed(io.RawIOBase):
    """Standard output that was closed (``>&-``): Python would drop what is written, and nobody would know."""

    def writable(self) -> bool:
        return True

    def write(self, data: ReadableBuffer, /) -> int:
        raise OSError(errno.EBADF, "standard output is closed")


def prepare_streams() -> None:
    """Make standard output take every character, and fail where it takes nothing.

    What goes to a file or a pipe is UTF-8 whatever the locale, as every file that errorbar reads and writes, unless
    ``PYTHONIOENCODING`` says otherwise. What an encoding lacks is written plainly, or as an escape such as ``\\u0141``.
    """
    codecs.register_error(HANDLER, _plain)
    _occupy_closed()
    if sys.stderr is None:
        sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 - for the whole process
    if sys.stdout is None:
        sys.stdout = io.TextIOWrapper(io.BufferedWriter(_Closed(), 1), encoding="utf-8", write_through=True)
    elif isinstance(sys.stdout, io.TextIOWrapper):
        if not sys.stdout.isatty() and not os.environ.get(ENCODING):
            sys.stdout.reconfigure(encoding="utf-8", errors=HANDLER)
        else:
            sys.stdout.reconfigure(errors=HANDLER)


def _plain(error: UnicodeError) -> tuple[str, int]:
    """An error handler of ``codecs``: another way to write what cannot be encoded."""
    assert isinstance(error, UnicodeEncodeError)
    characters = (
        PLAIN.get(each) or each.encode("ascii", "backslashreplace").decode()
        for each in error.object[error.start : error.end]
    )
    return "".join(characters), error.end


def _occupy_closed() -> None:
    """Fill the places of closed standard streams: the next file opened would take them, and what is said go into it."""
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # takes the lowest number that is free: this one


def stop_on_signals() -> None:
    """Let the signals that end a command raise, so that half-written files go; an ignored one stays ignored."""
    for name in STOPPING:
        number = getattr(signal, name, None)
        if number is not None and signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, _stop)


def _stop(number: int, frame: FrameType | None) -> NoReturn:
    signal.signal(number, signal.SIG_IGN)  # once is enough: a second would stop the tidying up
    raise StoppedError(number)


def finish_output() -> None:
    """Write out what is buffered while there is still somebody to tell that it cannot be written (``OSError``)."""
    if sys.stdout is not None:
        sys.stdout.flush()


@contextmanager
def while_read() -> Iterator[None]:
    """Go on where the reader of what is shown has gone: neither other outputs nor the exit code depend on it."""
    try:
        yield
    except BrokenPipeError:
        _drop_broken()


def _drop_broken() -> None:
    """Forget what no reader takes any more of standard output or of standard error, each by itself."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            _drop(stream)
        except (OSError, ValueError, AttributeError):  # another matter, which is told where it is met
            continue


def drop_output() -> None:
    """Forget what could not be written: it would fail again when the interpreter goes."""
    _drop(sys.stdout)


def _drop(stream: TextIO) -> None:
    try:
        number = stream.fileno()
    except (OSError, ValueError, AttributeError):
        return
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)


DEBUG = "ERRORBAR_DEBUG"
MOST_ALIKE = 5
"""How many problems of one kind are printed before the rest is counted."""
CHECKED = "(batch|edits?|hoo|hypothesis|jsonl|judgments|m2|ranking|span|wide)-|not-utf8"
"""How codes of problems begin that ``errorbar check`` lists, all of them."""
EXIT_BAD_INPUT, EXIT_INTERNAL, EXIT_INTERRUPTED = 2, 3, 130
EXIT_STOPPED = 128
"""The exit code to which shells add a signal's number."""

COMMANDS = {
    "score": "Score systems against annotators.",
    "compare": "Tell whether systems differ by more than chance.",
    "agree": "Measure agreement between annotators or raters.",
    "ceiling": "Score annotators against each other, and systems beside them.",
    "plan-judging": "Estimate how much more judges or sentences would help.",
    "judges": "Make what intervals of few judges lean on.",
    "crowd": "Score against a crowd; aggregate its judgments; judge its raters.",
    "curve": "Follow systems along the crowd's agreement.",
    "sample": "Estimate P and R of a corpus from a few hundred judgments.",
    "references": "Score systems under a common gold and references of their own, side by side.",
    "audit": "Ask judges about edits that match no annotator.",
    "rank": "Rank systems from human rankings or pairs.",
    "meta": "Tell how metrics agree with a human ranking.",
    "attack": "Show how a metric ranks degenerate systems: a crash test.",
    "report": "Put scores, charts and sentences on one page.",
    "judge": "Collect judgments from raters, in the browser.",
    "task": "Run a shared task: check, score and publish the teams' runs.",
    "verify": "Recompute a receipt's numbers and list differences.",
    "reproduce": "Recompute published tables, cell by cell.",
    "check": "List every problem of a file.",
    "convert": "Convert between formats.",
    "data": "List and fetch corpora.",
    "demo": "Score the bundled demo corpus.",
    "metrics": "List metrics and their parameters.",
    "explain": "Explain the code that a message ends with.",
    "doctor": "Say what is installed and which kernel is active.",
    "completion": "Print a shell completion script.",
}
"""The commands of this folder with their one-line help; a command's module is imported only when it runs."""
SECTIONS = {
    "Score systems": "score compare references ceiling attack meta",
    "Study judges and judgments": "agree judges plan-judging crowd curve rank",
    "Collect judgments": "judge sample audit",
    "Publish": "report task verify reproduce",
    "Files and corpora": "check convert data demo",
    "Detect and correct": "train detect correct",
    "About errorbar": "metrics explain doctor completion",
}
"""The headings of the help, with the commands below each; a command that none names is of another package."""


def added_commands(group: str = "") -> dict[str, tuple[str, str]]:
    """The commands that packages add to a group, "" of all, with the one-line help and the place of each.

    An entry point of ``errorbar.commands`` is a mapping: ``{"NAME": ("Its help.", "module:attribute")}``, where a name
    such as ``task bundle`` is one of the group ``task``. A mapping that cannot be loaded is shown as an error, and left
    out.
    """
    return {own: place for own, (place, _) in _added_commands(group).items()}


def _added_commands(group: str) -> dict[str, tuple[tuple[str, str], Registered]]:
    """The same, each with the entry point that adds it."""
    commands: dict[str, tuple[tuple[str, str], Registered]] = {}
    for entry in find_registered("errorbar.commands").values():
        try:
            mapping = _checked_mapping(entry)
        except ErrorbarError as error:
            show_problems(error)
            continue
        for name, place in mapping.items():
            parent, _, own = name.rpartition(" ")
            if parent == group:
                commands.setdefault(own, (place, entry))
    return commands


def _checked_mapping(entry: Registered) -> Mapping[str, tuple[str, str]]:
    """Load what an entry point of ``errorbar.commands`` names, and see that it is a mapping of commands."""
    mapping = entry.load()
    fits = isinstance(mapping, Mapping) and all(
        isinstance(name, str)
        and isinstance(place, tuple | list)
        and len(place) == 2
        and all(isinstance(part, str) for part in place)
        for name, place in mapping.items()
    )
    if not fits:
        message = f"{entry.value}, which the package {entry.package} registers as '{entry.name}', holds no commands"
        expected = '{"NAME": ("Its help.", "module:attribute")}'
        raise InputError(Problem("bad-entry-point", message, expected=expected))
    return cast("Mapping[str, tuple[str, str]]", mapping)


def _added_command(group: str, name: str) -> click.Command | None:
    if (added := _added_commands(group).get(name)) is None:
        return None
    (_, place), entry = added
    return cast("click.Command", entry._replace(value=place).load())


CITATION = """\
To cite it:
  The errorbar developers. errorbar: measuring grammatical error detection and correction against many human judges.
  Version %(version)s.
and the paper of each metric that you report; its page in the documentation names it."""


class Group(click.Group):
    """A group of commands, in the order in which they were made, and behind them those of packages.

    ``module`` holds commands with the names and one-line help of ``helps``; it is imported only when one of them runs.
    """

    def __init__(
        self, *args: Any, module: str = "", helps: Mapping[str, str] = MappingProxyType({}), **attributes: Any
    ) -> None:
        super().__init__(*args, **attributes)
        self.module, self.helps = module, helps

    @property
    def path(self) -> str:
        """The words before a command's name, by which packages add commands."""
        return self.name or ""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names of the commands."""
        return list(dict.fromkeys([*self.commands, *self.helps, *added_commands(self.path)]))

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Its own command, or that of a package."""
        if cmd_name in self.helps:
            command: click.Command = getattr(
                import_module(self.module), f"{cmd_name}_" if iskeyword(cmd_name) else cmd_name
            )
            return command
        return super().get_command(ctx, cmd_name) or _added_command(self.path, cmd_name)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands, without importing those that have their help here."""
        if not self.helps:
            super().format_commands(ctx, formatter)
            return
        helps = {**{name: text for name, (text, _) in added_commands(self.path).items()}, **self.helps}
        with formatter.section("Commands"):
            formatter.write_dl([(name, helps[name]) for name in self.list_commands(ctx)])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Read ``help X`` as ``X --help``; name the nearest command where there is none of that name."""
        if args and args[0] in self.helps:  # without reading what other packages add
            return super().resolve_command(ctx, args)
        known = self.list_commands(ctx)
        if args[:1] == ["help"] and "help" not in known:
            if not args[1:]:
                click.echo(ctx.get_help())
                ctx.exit()
            return self.resolve_command(ctx, [*args[1:], "--help"])
        if args and args[0] not in known and not args[0].startswith("-"):
            ctx.fail(f"no command '{args[0]}'; {nearest(args[0], known)}")
        return super().resolve_command(ctx, args)


class LazyGroup(Group):
    """The commands of this folder, each imported only when it runs, so that help and completion cost nothing."""

    path = ""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands below the headings of ``SECTIONS``."""
        helps = {**{name: text for name, (text, _) in added_commands().items()}, **self.helps}
        sections = {title: [name for name in names.split() if name in helps] for title, names in SECTIONS.items()}
        sections["From other packages"] = sorted(helps.keys() - set(" ".join(SECTIONS.values()).split()))
        width = max(map(len, helps))
        for title, names in sections.items():
            if names:
                with formatter.section(title):
                    formatter.write_dl([(f"{name:<{width}}", helps[name]) for name in names])

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Import the command's module, which is called as the command is; without one, the function's options do."""
        if cmd_name not in self.helps:
            return _added_command("", cmd_name)
        module = cmd_name.replace("-", "_")
        if find_spec(f"errorbar.cli.{module}") is None:
            from errorbar.cli.output import plain_command

            return plain_command(cmd_name)
        command: click.Command = import_module(f"errorbar.cli.{module}").command
        return command

    def invoke(self, ctx: click.Context) -> Any:
        """Run the command; click would call it a failure where the reader of the output has seen enough."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            return 0
        except EOFError as error:  # nobody is asked anything here, and click would call it an interruption
            raise RuntimeError(f"unexpected end of data ({error})") from error


@click.group(
    cls=LazyGroup,
    helps=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="errorbar", message=f"%(prog)s %(version)s\n\n{CITATION}")
@click.option(
    "--config",
    metavar="FILE",
    envvar=VARIABLE,
    help="Read named corpora, systems and defaults from this file.  [default: errorbar.toml here or in a folder above]",
)
@click.option("--quiet", is_flag=True, help="Show no notes and no progress, only results and errors.")
@click.option("--notes", is_flag=True, help="Show all warnings and notes, not just a line on them.")
@click.pass_context
def cli(ctx: click.Context, config: str | None, quiet: bool, notes: bool) -> None:
    """Measure grammatical error correction against many human judges.

    Start with `errorbar demo`, then `errorbar score --gold GOLD.m2 SYSTEM...`. `errorbar help COMMAND` explains a
    command, `errorbar explain CODE` a message. --config, --quiet and --notes may also stand after the command.
    """
    ctx.obj = load_config(config, lambda: [*COMMANDS, *added_commands()])
    if quiet or ctx.obj.quiet:
        be_quiet(ctx)
    if notes or ctx.obj.notes:
        show_every_note(ctx)
    ctx.with_resource(looking(command=True))


def show_problems(error: ErrorbarError) -> None:
    """One line for each problem, at most a few of each kind."""
    counts: dict[str, int] = {}
    for problem in error.problems:
        counts[problem.code] = counts.get(problem.code, 0) + 1
        if counts[problem.code] <= MOST_ALIKE:
            tell(f"error: {problem.line(as_options)}")
    for code, count in counts.items():
        if count > MOST_ALIKE:
            listed = "; errorbar check FILE lists all" if re.match(CHECKED, code) else ""
            tell(f"error: and {count - MOST_ALIKE} more of this kind{listed} [{code}]")


POSTPONED = frozenset(
    {
        *("numpy._core._add_newdocs", "numpy._core._add_newdocs_scalars"),
        *("numpy.f2py", "numpy.polynomial", "numpy.testing"),
    }
)
"""Docstrings of numpy, and parts that scipy names: they would be loaded with both, and no command uses one."""


class _Postponing:
    """The finder of ``POSTPONED``: each is loaded when something of it is used; without, scipy takes twice as long."""

    @staticmethod
    def find_spec(fullname: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target) if fullname in POSTPONED else None
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def run() -> None:
    """Run the command line and exit: 0 done, 1 a gate failed, 2 bad input or use, 3 internal error."""
    sys.meta_path.insert(0, _Postponing)
    prepare_streams()
    stop_on_signals()
    code = _outcome()
    try:
        finish_output()
    except BrokenPipeError:  # the reader of our output has seen enough, e.g. `head`
        drop_output()
    except OSError as error:
        code = max(code, _report_failure(error))
    sys.exit(code)


def _outcome() -> int:
    """Run the command, say what is to be said, and return the exit code."""
    try:
        code = cli.main(prog_name="errorbar", standalone_mode=False)
    except SystemExit as left:
        code = left.code
    except (ErrorbarError, click.ClickException) as error:
        show_problems(error) if isinstance(error, ErrorbarError) else show_click_error(error)
        return error.exit_code
    except (click.Abort, KeyboardInterrupt):
        tell("interrupted")
        return EXIT_INTERRUPTED
    except StoppedError as stopped:
        tell(f"stopped by {stopped}")
        return EXIT_STOPPED + stopped.number
    except OSError as error:
        return _report_failure(error)
    except Exception as error:
        if os.environ.get(DEBUG):
            raise
        tell(f"internal error: {type(error).__name__}: {error}; set {DEBUG}=1 for the traceback")
        return EXIT_INTERNAL
    return code if isinstance(code, int) else 0


def _report_failure(error: OSError) -> int:
    """Report an error of the output, or of a folder that is gone; an input names itself where it is opened."""
    if error.filename:
        tell(f"error: {error.filename}: cannot be opened: {error.strerror} [cannot-open]")
    else:
        drop_output()
        tell(f"error: the output cannot be written: {error.strerror or error} [cannot-write]")
    return EXIT_BAD_INPUT
