"""A reader's notebook: collects problems instead of stopping at the first."""

from __future__ import annotations

import copyreg
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar, Literal, NamedTuple, TypeVar
from unicodedata import normalize

# What can go wrong, said in one line: where, what, what was expected, how to fix it.


HERE = Path()
Named = TypeVar("Named")
Severity = Literal["error", "repaired", "warning"]
KINDS = ("warning", "repair", "note")
"""Kinds of notes, the most important first."""
REPAIRED = "repaired: "  # begins the fix of a problem that lenient reading repaired
LONGEST_HEADLINE = 80  # characters
_CLAUSE = re.compile(rf".{{{LONGEST_HEADLINE // 2},{LONGEST_HEADLINE}}}(?=[,;:] )")  # most clauses of a headline
LONGEST_QUOTE = 1000  # characters of a message before its middle is left out: it may quote a whole file

# Control characters, which a terminal obeys, and line breaks, which forge a line; separators that some programs take
# for line breaks; marks that turn the direction of writing; characters that nobody sees; halves of surrogate pairs,
# which no encoding can write. The joiners U+200C and U+200D stay: Persian, Indic scripts and emoji are written with
# them.
_BEYOND = "\x7f-\x9f\xad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
_BEYOND += "\ud800-\udfff\U000e0000-\U000e007f"
_HIDDEN = re.compile(f"[\x00-\x1f{_BEYOND}]")
_HIDDEN_IN_JSON = f"[{_BEYOND}]"  # a text, as other patterns that few runs need: ``re`` compiles it at its first use


def visible(text: str) -> str:
    r"""The text on one line, ``\n`` or ``\u202e`` for what would not show as itself; backslashes stay as they are."""
    return _HIDDEN.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def visible_json(text: str) -> str:
    r"""JSON with the same characters as ``\u`` escapes: another spelling of the same data."""
    return re.sub(_HIDDEN_IN_JSON, _escaped_in_json, text)


def _escaped_in_json(match: re.Match[str]) -> str:
    units = match[0].encode("utf-16-be", "surrogatepass")
    return "".join(f"\\u{units[at]:02x}{units[at + 1]:02x}" for at in range(0, len(units), 2))


class Place(NamedTuple):
    """Where a problem is: a file (or the name of a stream) and a line counted from 1."""

    file: str = ""
    line: int = 0

    def __str__(self) -> str:
        if not self.line:
            return self.file
        return f"{self.file}:{self.line}" if self.file else f"line {self.line}"


_OPTION = r"""(?x)
        (?P<shell>\berrorbar\ [a-z]+(?:\ [^;,()]*)?)                              # a whole command stays one
        |(?<![\w'"-])--(?P<name>[a-z][a-z-]*)
        (?:=(?P<value>'[^']*'|[^\s,;()]*[^\s,;():])|\ (?P<plain>[A-Z]+\b|\d[\d.]*\b))?"""
_SWITCHES = "again all as-written ci fallback force lenient pairs retokenize trust"
_TURNED = {name: f"{name.replace('-', '_')}=True" for name in _SWITCHES.split()}
ROLES = frozenset(("error", "ok", "unknown", "type"))  # what ``--labels`` says of labels; arguments of functions
_TURNED |= {"strict": "lenient=False", "no-ci": "ci=False"}


def as_options(text: str) -> str:
    """A message as the command line shows it: ``--adjust holm``, and ``--labels ok=LABEL`` for ``--ok=LABEL``."""

    def option(found: re.Match[str]) -> str:
        if found["name"] in ROLES:
            return " ".join(("--labels", f"{found['name']}={found['value'] or found['plain'] or ''}"))
        return found[0].replace("=", " ", 1) if found["value"] else found[0]

    return re.sub(_OPTION, option, text)


def as_arguments(text: str) -> str:
    """A message as Python shows it: ``--lenient`` becomes ``lenient=True``, ``--adjust=holm`` ``adjust="holm"``."""

    def argument(found: re.Match[str]) -> str:
        name, value = found["name"], found["value"] or found["plain"]
        if not name:
            return found[0]
        if value is None:
            return _TURNED.get(name, name.replace("-", "_"))
        values = [each if re.fullmatch(r"[A-Z]+|[\d.]+", each) else f'"{each}"' for each in value.strip("'").split("|")]
        return f"{name.replace('-', '_')}={'|'.join(values)}"

    return re.sub(_OPTION, argument, text)


@dataclass(frozen=True, slots=True)
class Problem:
    """One thing that is wrong with an input; its texts name options as ``--name`` or ``--name=VALUE``.

    The command line shows them by ``as_options``; what Python shows, ``str(problem)``, is by ``as_arguments``.
    """

    code: str  # short and stable, e.g. span-outside; the docs list every code
    what: str
    place: Place = Place()
    expected: str = ""  # what would have been right
    fix: str = ""  # what the user can do
    severity: Severity = "error"  # refused; "repaired": lenient reading repaired it as ``fix`` says
    others: int = 0  # how many problems of its code it stands for, which are not listed; 0: for itself
    headline: str = field(default="", compare=False)  # ``what`` in a few words; empty: its beginning

    def __str__(self) -> str:
        """One line, whatever is quoted in it, with options as arguments of Python."""
        return self.line(as_arguments)

    def line(self, words: Callable[[str], str]) -> str:
        """One line, with options as ``words`` shows them, and without the middle of long parts."""
        half = LONGEST_QUOTE // 2
        parts = (self.what, self.expected, self.fix)
        short = (each if len(each) <= LONGEST_QUOTE else f"{each[:half]} … {each[-half:]}" for each in parts)
        message, expected, fix = map(words, short)
        place = f"{self.place}: " if str(self.place) else ""
        expected = f" (expected {expected})" if expected else ""
        return visible(f"{place}{message}{expected}{f'; {fix}' if fix else ''} [{self.code}]")

    def short_line(self, words: Callable[[str], str]) -> str:
        """The headline with its place, without expectation, fix and code."""
        place = f"{self.place}: " if str(self.place) else ""
        return visible(f"{place}{_cut(words(self.headline or self.what))}")

    @property
    def kind(self) -> str:
        """The kind of a note, one of ``KINDS``: ``repair`` is one of an input, ``note`` is anything else."""
        if self.severity == "warning":
            return "warning"
        return "repair" if self.fix.startswith(REPAIRED) else "note"


def _cut(text: str) -> str:
    """The beginning of a long message, without a parenthesis that stays open; a whole sentence needs no ``…``."""
    if len(text) <= LONGEST_HEADLINE:
        return text
    clause = _CLAUSE.match(text[: LONGEST_HEADLINE + 2])
    start = clause[0] if clause else text[:LONGEST_HEADLINE].rpartition(" ")[0]
    while start.count("(") > start.count(")"):
        start = start.rpartition("(")[0]
    start = start.rstrip(" ,:;") or text[:LONGEST_HEADLINE]
    return start if text.startswith("; ", len(start)) else f"{start} …"


class ErrorbarError(Exception):
    """The root of every failure that errorbar names.

    Attributes:
        problems: What was found, at least one, in the order found.
        exit_code: What the command line exits with.
    """

    exit_code: ClassVar[int] = 2

    def __init__(self, problems: Problem | Iterable[Problem]) -> None:
        self.problems: tuple[Problem, ...] = (problems,) if isinstance(problems, Problem) else tuple(problems)
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[object, ...]:
        """Errors cross processes: a subclass may be made of something else than its problems."""
        return copyreg.__newobj__, (type(self), str(self)), {"problems": self.problems}  # type: ignore[attr-defined]  # typeshed hides it

    @property
    def code(self) -> str:
        """The code of the first problem."""
        return self.problems[0].code


class InputError(ErrorbarError):
    """A file or record is not what it must be."""


class UsageError(ErrorbarError):
    """An option, a parameter or a combination of them does not fit."""


def wrong_type(what: str, expected: str, got: object) -> UsageError:
    """Make the error for an argument of another type than the function takes."""
    return UsageError(Problem("wrong-type", f"{what} must be {expected}, got {type(got).__name__}"))


def refuse_halves(what: str, text: str) -> None:
    """Refuse text with one half of a surrogate pair, which no encoding can write."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        message = f"{what} must be text, got half of a character: {text[error.start]!r}"
        raise UsageError(Problem("bad-parameter", message, fix="write it anew")) from None


class MissingExtraError(ErrorbarError):
    """An optional library is needed; the message names the extra that brings it."""

    def __init__(self, extra: str, purpose: str) -> None:
        message = f"{purpose} needs the extra '{extra}', which is not installed"
        super().__init__(Problem("missing-extra", message, fix=f"in a checkout of errorbar: make {extra}"))


class MissingPartError(ErrorbarError):
    """A folder of the package is needed that was deleted, or left out."""

    def __init__(self, purpose: str, folder: str) -> None:
        message = f"{purpose} needs {folder}, which is not installed here"
        super().__init__(Problem("missing-part", message, fix="install the whole of errorbar"))


def unknown_ending(file: str, known: Sequence[str], option: str = "") -> UsageError:
    """Of a file to be written whose name does not end in one of the known ways; ``option`` says it, too."""
    ending = Path(file.lower().removesuffix(".gz")).suffix
    message = f"unknown file ending '{ending}'" if ending else f"the name '{file}' has no ending"
    otherwise = f", or give {option}" if option else ""
    fix = f"name a file that ends in {' or '.join(filter(None, (', '.join(known[:-1]), known[-1])))}{otherwise}"
    return UsageError(Problem("output-format", message, fix=fix))


def shell_words(*words: object) -> str:
    """Words as a shell takes them, for a command that is suggested: names of files may have spaces in them."""
    import shlex  # noqa: PLC0415 - only needed where a command is suggested

    return shlex.join(map(str, words))


def shorten_text(text: str, most: int = 40) -> str:
    """The text as a message quotes it: its beginning, where it is long."""
    return text if len(text) <= most else f"{text[:most]}..."


def nearest(word: object, known: Iterable[str]) -> str:
    """Say which of the known words was meant: ``did you mean 'x'?`` where one is near, else ``known: a, b, c``."""
    names = list(known)
    near = _near(str(word), names)
    if not near:
        return f"known: {', '.join(names)}"
    looks_alike = near[0] != word and normalize("NFC", near[0]) == normalize("NFC", str(word))
    return f"did you mean '{near[0]}'{', whose accents are coded otherwise (Unicode NFC, NFD)' * looks_alike}?"


def pick(name: str, known: Mapping[str, Named], kind: str, code: str) -> Named:
    """The value of that name; without one, a ``UsageError`` that names those that there are."""
    if name not in known:
        raise UsageError(Problem(code, f"there is no {kind} '{name}'", fix=nearest(name, known)))
    return known[name]


def nearest_file(path: str | os.PathLike[str], start: Path = HERE) -> str:
    """Say which file or folder beside it was meant, with its folder as it was written; empty: none is near.

    A relative path begins at ``start``, else where the program runs.
    """
    folder = Path(path).parent
    try:
        beside = sorted(each.name for each in (start / folder).iterdir())
    except OSError:  # no such folder either, or not ours to list
        return ""
    stem = _stem(Path(path).name)  # endings alone make names of files alike
    name = Path(path).name
    near = [each for each in _near(name, beside) if each != name and _near(stem, [_stem(each)])]
    return f"did you mean '{folder / near[0]}'?" if near else ""


def _near(word: str, known: list[str]) -> list[str]:
    """Those of which no more than a slip of the pen makes the word, the nearest first."""
    from difflib import get_close_matches  # noqa: PLC0415 - only needed once something is wrong

    return get_close_matches(word, known, n=5, cutoff=0.6)


def _stem(name: str) -> str:
    return name.partition(".")[0]


_LEFT_OUT = "the row is left out"
MOST_KEPT = 10_000  # notes of one code: some megabytes; the others are counted, so that memory ends somewhere


class Problems:
    """Collects what a reader finds, up to a limit, and refuses the input once at the end.

    In strict mode (the default) every error refuses the input. In lenient mode errors that have a defined
    repair are mended and kept as notes of severity ``repaired``; the others refuse the input all the same.

    Args:
        lenient: Mend what can be mended.
        limit: How many errors are collected before reading stops.
        as_written: Keep each annotator's edits as they stand in the file, in its order and repeated ones too.
        ignored: Codes of what could be mended and does not matter to the caller: it is mended without a word.
    """

    def __init__(
        self, *, lenient: bool = False, limit: int = 50, as_written: bool = False, ignored: Collection[str] = ()
    ) -> None:
        self.lenient = lenient
        self.ignored = ignored
        self.as_written = as_written
        self.limit = limit
        self.errors: list[Problem] = []
        self.notes: list[Problem] = []
        self._kept: Counter[str] = Counter()
        self._rest: dict[str, int] = {}  # by code, where among the notes the one stands that counts the others

    def error(self, code: str, what: str, place: Place, expected: str = "", fix: str = "") -> None:
        """Record an error that no mode can mend; an ``InputError`` when the limit is reached."""
        self.errors.append(Problem(code, what, place, expected, fix))
        if len(self.errors) >= self.limit:
            self.raise_errors()

    def repairable(
        self, code: str, what: str, place: Place, repair: str = _LEFT_OUT, expected: str = "", hint: str = ""
    ) -> None:
        """Record an error that lenient reading mends as ``repair`` says; ``hint``: what was meant, by ``nearest``."""
        if code in self.ignored:
            return
        if self.lenient:
            self.take([Problem(code, what, place, expected, f"{REPAIRED}{repair}", "repaired")])
        else:
            opening = f"{hint}{' ' if hint.endswith('?') else '; '}" if hint else ""
            self.error(code, what, place, expected=expected, fix=f"{opening}correct it or use --lenient ({repair})")

    def note(
        self, code: str, what: str, place: Place, fix: str = "", severity: Severity = "warning", headline: str = ""
    ) -> None:
        """Record something that a user should know and that does not stop the reading; ``headline``: in a few words."""
        self.take([Problem(code, what, place, "", fix, severity, headline=headline)])

    def take(self, notes: Iterable[Problem]) -> None:
        """Keep notes; of each code the first ``MOST_KEPT``, after which one note says how many more there are."""
        for note in notes:
            if not note.others and self._kept[note.code] < MOST_KEPT:
                self._kept[note.code] += 1
                self.notes.append(note)
                continue
            at = self._rest.setdefault(note.code, len(self.notes))
            first = self.notes[at] if at < len(self.notes) else note
            others = (note.others or 1) + (first.others if first is not note else 0)
            message = f"{others:,} more of these, not listed"
            self.notes[at : at + 1] = [Problem(note.code, message, severity=first.severity, others=others)]

    def collect(self, found: Problems) -> None:
        """Take over what was found elsewhere, e.g. by another process that read a piece."""
        self.take(found.notes)
        for problem in found.errors:
            self.error(problem.code, problem.what, problem.place, expected=problem.expected, fix=problem.fix)

    def raise_errors(self) -> None:
        """Refuse the input, with every error recorded so far, if there is any."""
        if self.errors:
            raise InputError(self.errors)


def in_file_order(problems: Iterable[Problem], files: Sequence[str]) -> list[Problem]:
    """Problems by file and line, however many workers found them and in whatever order; those of no file come last."""
    places = {file: number for number, file in enumerate(files)}
    # What was found in one line stays in its order, and so does what is about no line of these files.
    return sorted(
        problems,
        key=lambda each: (places[each.place.file], each.place.line) if each.place.file in places else (len(places), 0),
    )
