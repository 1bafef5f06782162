"""The table of corpus formats: what each can hold, how it is recognized, read and written."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from enum import StrEnum

from errorbar.core.corpus import Sentence
from errorbar.core.errors import InputError, Place, Problem, UsageError, nearest
from errorbar.core.problems import Problems
from errorbar.formats.jsonl import read_jsonl, write_jsonl
from errorbar.formats.m2_file import read_m2, write_m2
from errorbar.formats.opening import Lines, display_name, read_once
from errorbar.formats.pipes import pipes_are_kept
from errorbar.formats.text import read_text, write_text


class Holds(StrEnum):
    """What a format can hold besides the tokens of its sentences."""

    EDITS = "edits of several annotators, and who looked at which sentence"
    NAMES = "names of annotators"
    TYPES = "error types"
    ALTERNATIVES = "alternative corrections"
    UNKNOWN = "edits without a known correction"
    OPTIONAL = "optional edits"
    COMMENTS = "comments"
    GROUPS = "consistency sets"
    DOCUMENTS = "documents and writers"
    SPACING = "white space between tokens"


@dataclass(frozen=True, slots=True)
class Format:
    """A corpus format.

    Attributes:
        name: Its name on the command line.
        title: What it is, in a few words.
        holds: What it can hold.
        ending: How its files are usually called, e.g. ``.m2``.
        begins: Whether a file's first line that is not blank looks like it; the first format that says yes is taken.
        read: Reads sentences one by one. Problems are recorded; the caller raises them after the last sentence.
        write: Yields lines without line ends, and notes what could not be written; None: errorbar only reads it.
    """

    name: str
    title: str
    holds: frozenset[Holds]
    ending: str
    begins: Callable[[str], bool]
    read: Callable[[Lines, Problems], Iterator[Sentence]]
    write: Callable[[Iterable[Sentence], Problems], Iterator[str]] | None = None


def _begins_m2(line: str) -> bool:
    return line.startswith("S ") or line == "S"


def _begins_nucle(line: str) -> bool:
    return line.upper().startswith(("<DOC", "<?XML", "<!DOCTYPE"))


def _read_nucle(lines: Lines, problems: Problems) -> Iterator[Sentence]:
    """Essays with tokens of our own; ``project_essays`` takes given ones."""
    # Loaded when needed: every scoring knows the registry, few read NUCLE.
    from errorbar.formats.nucle import read_nucle  # noqa: PLC0415
    from errorbar.formats.nucle_project import project_essays, split_essays  # noqa: PLC0415

    for essay in read_nucle(lines, problems):
        yield from project_essays([essay], split_essays([essay]), problems, name=lines.name)


def _write_jsonl(sentences: Iterable[Sentence], problems: Problems) -> Iterator[str]:
    return write_jsonl(sentences, problems)


FORMATS = {
    known.name: known
    for known in (
        Format(
            "jsonl",
            "errorbar's own format, one JSON object per sentence; lossless",
            frozenset(Holds),
            ".jsonl",
            lambda line: line.startswith("{"),
            read_jsonl,
            _write_jsonl,
        ),
        Format(
            "m2",
            "M2, as the CoNLL and BEA shared tasks use it",
            frozenset({Holds.EDITS, Holds.TYPES, Holds.ALTERNATIVES, Holds.OPTIONAL, Holds.COMMENTS}),
            ".m2",
            _begins_m2,
            read_m2,
            write_m2,
        ),
        Format(
            "nucle",
            "NUCLE SGML: essays with stand-off annotations",
            frozenset({Holds.EDITS, Holds.NAMES, Holds.TYPES, Holds.COMMENTS, Holds.DOCUMENTS}),
            ".sgml",
            _begins_nucle,
            _read_nucle,
        ),
        Format(
            "text",
            "plain text, one tokenized sentence per line",
            frozenset(),
            ".txt",
            lambda _: True,
            read_text,
            write_text,
        ),
    )
}
"""Every format by name, in the order in which they are tried on a file."""


def find_format(name: str) -> Format:
    """Look a format up.

    Raises:
        UsageError: If there is none of that name.
    """
    if name not in FORMATS:
        raise UsageError(Problem("unknown-format", f"no format '{name}'", fix=nearest(name, [*FORMATS, "hoo"])))
    return FORMATS[name]


def recognize_line(first: str) -> Format:
    """Tell a format by the first line that is not blank; plain text where nothing else fits."""
    line = first.lstrip()
    return next(known for known in FORMATS.values() if known.begins(line))


def recognize(path: str) -> Format:
    """Tell a file's format by its first line; what that takes from a pipe is kept only within ``keeping_pipes``.

    Raises:
        InputError: If the file cannot be opened, holds nothing, or is markup of an unknown kind.
    """
    if read_once(path) and not pipes_are_kept():
        what = "a look at a pipe would take its beginning away"
        raise UsageError(Problem("read-once", what, Place(display_name(path)), fix="write it into a file first"))
    first = Lines(path, Problems(lenient=True)).peek()
    place = Place(display_name(path))
    if not first.strip():
        raise InputError(Problem("empty-file", "the file is empty", place))
    known = recognize_line(first)
    if known.name == "text" and first.lstrip().startswith("<"):
        what = f"markup that errorbar does not know; it starts {first.strip()[:30]!r}"
        raise InputError(Problem("unknown-format", what, place, fix="if it is plain text all the same: --from=text"))
    return known
