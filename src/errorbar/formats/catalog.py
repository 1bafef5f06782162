"""The table of corpus formats: how each is recognized, read and written; and HOO data beside them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from os import PathLike, fspath
from pathlib import Path
from typing import NamedTuple

from errorbar.core.corpus import Sentence
from errorbar.core.errors import InputError, Place, Problem, UsageError, nearest
from errorbar.core.problems import Problems
from errorbar.core.spec import split_spec
from errorbar.formats.essay_texts import is_essays, read_essays_as_sentences
from errorbar.formats.jsonl import read_jsonl, write_jsonl
from errorbar.formats.m2_file import read_m2, write_m2
from errorbar.formats.opening import Lines, display_name, first_line, open_bytes, read_once
from errorbar.formats.pipes import is_there, pipes_are_kept
from errorbar.formats.text import read_text, write_text
from errorbar.formats.token_labels import is_labels, read_token_labels

HOO = "hoo"
GOLD, RAW = "Gold", "Raw"
_EDITS = re.compile(rb"<edits[\s>/]")
_HEAD = 4096


class Format(NamedTuple):
    """A corpus format; the first one that the first line of a file looks like is taken."""

    name: str
    ending: str
    begins: Callable[[str], bool]
    read: Callable[[Lines, Problems], Iterator[Sentence]]
    write: Callable[[Iterable[Sentence], Problems], Iterator[str]] | None = None  # None: errorbar only reads it


def _read_nucle(lines: Lines, problems: Problems) -> Iterator[Sentence]:
    """Essays with tokens of our own; ``project_essays`` takes given ones."""
    # Loaded when needed: every scoring knows the registry, few read NUCLE.
    from errorbar.formats.nucle import read_nucle  # noqa: PLC0415
    from errorbar.formats.nucle_project import project_essays, split_essays  # noqa: PLC0415

    for essay in read_nucle(lines, problems):
        yield from project_essays([essay], split_essays([essay]), problems, name=lines.name)


def _is_bea(line: str) -> bool:
    if not line.startswith("{") or '"edits"' not in line:
        return False
    from errorbar.formats.bea_essays import is_bea  # noqa: PLC0415 - few read such essays

    return is_bea(line)


def _read_bea(lines: Lines, problems: Problems) -> Iterator[Sentence]:
    from errorbar.formats.bea_essays import read_bea  # noqa: PLC0415 - few read such essays

    return read_bea(lines, problems)


FORMATS = {
    known.name: known
    for known in (
        Format("bea", ".json", _is_bea, _read_bea),
        Format("jsonl", ".jsonl", lambda line: line.startswith("{"), read_jsonl, write_jsonl),
        Format("m2", ".m2", lambda line: line.startswith("S ") or line == "S", read_m2, write_m2),
        Format("nucle", ".sgml", lambda line: line.upper().startswith(("<DOC", "<?XML", "<!DOCTYPE")), _read_nucle),
        Format("multigec", ".md", is_essays, read_essays_as_sentences),
        Format("multiged", ".tsv", is_labels, read_token_labels),
        Format("text", ".txt", lambda _: True, read_text, write_text),
    )
}  # in the order in which they are tried on a file


def find_format(name: str) -> Format:
    """Look a format up; an unknown name is a ``UsageError``."""
    if name not in FORMATS:
        raise UsageError(Problem("unknown-format", f"no format '{name}'", fix=nearest(name, [*FORMATS, "hoo"])))
    return FORMATS[name]


def recognize_line(first: str) -> Format:
    """Tell a format by the first line that is not blank; plain text where nothing else fits."""
    line = first.lstrip()
    return next(known for known in FORMATS.values() if known.begins(line))


def recognize(path: str) -> Format:
    """Tell a file's format by its first line; what that takes from a pipe is kept only within ``keeping_pipes``."""
    place = Place(display_name(path))
    if read_once(path) and not pipes_are_kept():
        what = "a look at a pipe would take its beginning away"
        raise UsageError(Problem("read-once", what, place, fix="write it into a file first"))
    first = first_line(path)
    if not first.strip():
        raise InputError(Problem("empty-file", "the file is empty", place))
    known = recognize_line(first)
    if known.name == "text" and (first.lstrip().startswith("<") or first.strip() == "["):
        kind = "JSON" if first.strip() == "[" else "markup"
        what = f"{kind} that errorbar does not know; it starts {first.strip()[:30]!r}"
        raise InputError(Problem("unknown-format", what, place, fix="if it is plain text all the same: --from=text"))
    return known


def is_hoo(path: str) -> bool:
    """Whether a path is HOO data: a folder with edit files (perhaps in ``Gold``), or an edit file."""
    place = Path(path)
    if not is_there(path):
        return False
    if place.is_dir():
        return any(is_xml(each) for folder in (place, place / GOLD) if folder.is_dir() for each in folder.iterdir())
    if not place.is_file():
        return False
    try:
        with open_bytes(place) as stream:
            return _EDITS.search(stream.read(_HEAD)) is not None
    except InputError:  # the reader of lines will say what is wrong with it
        return False


def labels_tokens(path: str) -> bool:
    """Whether a file is one of token labels; a pipe that nobody keeps is not looked into."""
    if (read_once(path) and not pipes_are_kept()) or not (read_once(path) or (is_there(path) and Path(path).is_file())):
        return False
    try:
        return is_labels(first_line(path))
    except InputError:  # its reader will say what is wrong with it
        return False


def is_xml(path: Path) -> bool:
    """Whether a file is called like an edit file."""
    return path.name.endswith((".xml", ".xml.gz"))


def wants_hoo(gold: object, metrics: object = None) -> bool:
    """Whether a public function's reference files or metrics ask for HOO scores; half and half is a ``UsageError``."""
    names = [split_spec(each)[0] if isinstance(each, str) else getattr(each, "name", None) for each in _listed(metrics)]
    asked = [name == HOO for name in names]
    paths = [str(fspath(path)) for path in _listed(gold) if isinstance(path, str | PathLike)]
    data = [is_hoo(path) for path in paths]
    if any(data) and not all(asked):
        what = "HOO edit files hold stand-off edits, which only the metric hoo scores"
        raise UsageError(Problem("hoo-metric", what, fix="errorbar convert --to m2 makes M2 of them"))
    if any(asked) and not all(asked):
        raise UsageError(Problem("hoo-metric", "hoo and other metrics do not score the same data", fix="two commands"))
    # A broken edit file is left to its reader.
    others = (path for path, hoo in zip(paths, data, strict=True) if not hoo and not is_xml(Path(path)))
    if any(asked) and (other := next((path for path in others if is_there(path) and Path(path).is_file()), "")):
        what = f"{other} is no HOO edit file"
        raise UsageError(Problem("hoo-metric", what, fix="errorbar convert --to hoo makes one of M2 and JSONL"))
    return any(asked) or any(data)


def _listed(value: object) -> Sequence[object]:
    return [] if value is None else value if isinstance(value, list | tuple) else [value]
