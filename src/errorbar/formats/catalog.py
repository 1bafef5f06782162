"""The table of formats: how each is recognized, read and written, and what it holds; HOO data beside them.

A package has formats of its own by the entry points ``errorbar.formats``, each of which is a ``Format``. They are
asked about files whose names end otherwise than ours, before all others.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cache, partial
from importlib import import_module
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast

from errorbar.core.corpus import Sentence
from errorbar.core.edit import OVERLAPPING
from errorbar.core.entry_points import find_registered
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, nearest
from errorbar.core.spec import split_spec
from errorbar.formats.look import LOOKED, Input, Lines, look

HOO = "hoo"
GOLD, RAW = "Gold", "Raw"
ENTRY_POINTS = "errorbar.formats"
OUR_ENDINGS = frozenset(("", ".csv", ".json", ".jsonl", ".m2", ".md", ".out", ".sgml", ".src", ".tsv", ".txt", ".xml"))
_HOO_EDITS = re.compile(rb"<edits[\s>/]")
Holds = Literal["edits", "labels", "essays", "texts", "rows", "fragments"]
Row = tuple[int, Mapping[str, object]]
"""The line of a table's row, and its values by the names of the columns."""


class Format(NamedTuple):
    """A format.

    Attributes:
        name: What it is called, also after ``--from``.
        ending: How names of such files end.
        holds: ``edits`` of annotators, ``labels`` of tokens, ``rows`` of a table; ours also ``essays`` and ``texts``.
        begins: Whether a first line, without the blank ones before it, is one of this format.
        read: Gives the sentences of lines, or the rows; what is wrong is recorded, with its place.
        write: Gives the lines of sentences and notes what is lost; None: the format is only read.
        counts: What ``check`` counts.
        silent: A sentence without annotations does not say who looked at it.
    """

    name: str
    ending: str
    holds: Holds
    begins: Callable[[str], bool]
    read: Callable[[Lines, Problems], Iterator[Any]]
    write: Callable[[Iterable[Sentence], Problems], Iterator[str]] | None = None
    counts: Sequence[str] = ("sentences", "tokens", "annotators", "edits")
    silent: bool = False


def _later(function: str) -> Callable[..., Any]:
    """A function of a module that is loaded when it is called: few formats are used at a time."""
    module, _, name = function.partition(":")

    def call(*arguments: object) -> object:
        return getattr(import_module(module), name)(*arguments)

    return call


_is_bea, _is_essays, _is_labels = map(
    _later,
    (
        "errorbar.formats.bea_essays:is_bea",
        "errorbar.formats.essay_texts:is_essays",
        "errorbar.formats.token_labels:is_labels",
    ),
)
_MARKUP = ("<DOC", "<?XML", "<!DOCTYPE")
_EDITS = ("sentences", "tokens", "annotators", "edits")
_LINES = (*_EDITS, "sentences without an A line")
_LABELS = ("sentences", "tokens", "tokens labeled i")
_is_json_list, _is_doccano, _is_prodigy, _is_potato, _is_brat, _is_appraise = (
    _later(f"errorbar.formats.exports:is_{tool}")
    for tool in ("json_list", "doccano", "prodigy", "potato", "brat", "appraise")
)
_ROWS = ("judgments",)
_LISTED = (
    Format(
        "bea",
        ".json",
        "edits",
        lambda line: '"edits"' in line and _is_bea(line),
        _later("errorbar.formats.bea_essays:read_bea"),
        counts=("essays", *_EDITS),
    ),
    Format(
        "json-list",
        ".json",
        "rows",
        lambda line: line[:1] == "[" and _is_json_list(line),
        _later("errorbar.formats.exports:read_json_list"),
        counts=_ROWS,
    ),
    Format(
        "prodigy",
        ".jsonl",
        "rows",
        lambda line: line[:1] == "{" and '"_task_hash"' in line and _is_prodigy(line),
        _later("errorbar.formats.exports:read_prodigy"),
        counts=_ROWS,
    ),
    Format(
        "doccano",
        ".jsonl",
        "rows",
        lambda line: line[:1] == "{" and '"text"' in line and _is_doccano(line),
        _later("errorbar.formats.exports:read_doccano"),
        counts=_ROWS,
    ),
    Format(
        "potato",
        ".json",
        "rows",
        lambda line: line[:1] == "{" and ("label" in line or line.strip() == "{") and _is_potato(line),
        _later("errorbar.formats.exports:read_potato"),
        counts=_ROWS,
    ),
    Format(
        "brat",
        ".ann",
        "rows",
        lambda line: line[:1] in ("T", "R", "#", "*") and "\t" in line and _is_brat(line),
        _later("errorbar.formats.exports:read_brat"),
        counts=_ROWS,
    ),
    Format(
        "appraise",
        ".csv",
        "rows",
        lambda line: line.count(",") in (8, 10, 12) and _is_appraise(line),
        _later("errorbar.formats.exports:read_appraise"),
        counts=_ROWS,
    ),
    Format(
        "jsonl",
        ".jsonl",
        "edits",
        lambda line: line[:1] == "{",
        _later("errorbar.formats.jsonl:read_jsonl"),
        _later("errorbar.formats.jsonl:write_jsonl"),
        _LINES,
    ),
    Format(
        "m2",
        ".m2",
        "edits",
        lambda line: line[:2] in ("S ", "S"),
        _later("errorbar.formats.m2:read_m2"),
        _later("errorbar.formats.m2:write_m2"),
        _LINES,
        silent=True,
    ),
    Format(
        "nucle",
        ".sgml",
        "essays",
        lambda line: line.upper().startswith(_MARKUP),
        _later("errorbar.formats.nucle:read_nucle_sentences"),
    ),
    Format(
        "multigec",
        ".md",
        "texts",
        lambda line: line[:1] == "#" and _is_essays(line),
        _later("errorbar.formats.essay_texts:read_essays_as_sentences"),
        counts=("essays", "tokens"),
    ),
    Format(
        "multiged",
        ".tsv",
        "labels",
        lambda line: "\t" in line and _is_labels(line),
        _later("errorbar.formats.token_labels:read_token_labels"),
        counts=_LABELS,
    ),
    Format(
        "text",
        ".txt",
        "texts",
        lambda _: True,
        _later("errorbar.formats.text:read_text"),
        _later("errorbar.formats.text:write_text"),
    ),
)  # in the order in which they are tried on a file
FORMATS = {known.name: known for known in _LISTED}
OVERLAPS = "overlap=allowed"
"""The dialect of M2 and JSONL in which edits of one annotator may overlap, by their scheme: all are kept."""


def other_formats() -> Mapping[str, Format]:
    """The formats of other packages, by name."""
    return _others(tuple(sys.path))


@cache
def _others(path: tuple[str, ...]) -> Mapping[str, Format]:
    """Formats of the packages that are installed on a path, loaded once."""
    others: dict[str, Format] = {}
    for point in find_registered(ENTRY_POINTS).values():
        other = point.load()
        if not isinstance(other, Format) or other.holds not in ("edits", "labels", "rows"):
            message = f"the entry point {point.name} = {point.value} is not a Format that holds edits, labels or rows"
            raise UsageError(Problem("bad-format", message, fix="correct the package, or uninstall it"))
        others[other.name] = other
    return others


def find_format(name: str) -> Format:
    """Look a format up, or its dialect, as ``m2(overlap=allowed)``; an unknown name is a ``UsageError``."""
    base, _, dialect = name.removesuffix(")").partition("(")
    if base in ("m2", "jsonl") and dialect.replace(" ", "") == OVERLAPS:
        return FORMATS[base]._replace(read=partial(_read_overlaps, FORMATS[base]))
    known = FORMATS.get(name) or other_formats().get(name)
    if known is None:
        fix = nearest(name, [*FORMATS, *other_formats(), HOO])
        raise UsageError(Problem("unknown-format", f"no format '{name}'", fix=fix))
    return known


def _read_overlaps(known: Format, lines: Lines, problems: Problems) -> Iterator[Sentence]:
    """Read a file whose edits may overlap."""
    problems.ignored = {*problems.ignored, OVERLAPPING}
    yield from known.read(lines, problems)


def recognize_line(first: str, name: str = "") -> Format:
    """The format of a file of some name by the first line that is not blank; plain text where nothing else fits."""
    line, ending = first.lstrip(), Path(name.removesuffix(".gz")).suffix.lower()
    if ending == ".ann" and not line:  # brat makes such a file for every text, and nothing was marked in this one
        return FORMATS["brat"]
    others = () if ending in OUR_ENDINGS else tuple(other_formats().values())
    return next(known for known in (*others, *FORMATS.values()) if known.begins(line))


def format_of(source: Input | Lines) -> Format:
    """The format of an input, or of its lines before any is taken: as somebody said, or by its first line."""
    origin = source if isinstance(source, Input) else source.input
    asked = None if origin is None else cast("Format | None", origin.format)
    return recognize_line(source.peek(), source.name) if asked is None else asked


def recognize(path: str) -> Format:
    """The format of a file that must be of a known one, and not empty."""
    source = look(path)
    place, first = Place(source.name), source.peek()
    if not first.strip():
        raise InputError(Problem("empty-file", "the file is empty", place))
    known = format_of(source)
    if known.name == "text" and (first.lstrip().startswith("<") or first.strip() == "["):
        kind = "JSON" if first.strip() == "[" else "markup"
        message = f"{kind} that errorbar does not know; it starts {first.strip()[:30]!r}"
        raise InputError(Problem("unknown-format", message, place, fix="if it is plain text all the same: --from=text"))
    return known


def holds(path: str) -> Holds | None:
    """The kind of data in a file or folder; None where nothing can be read, and its reader says why."""
    source, place = look(path), Path(path)
    if source.is_folder:
        return "fragments" if (place / GOLD).is_dir() or any(map(is_xml, place.iterdir())) else None
    if not source.is_pipe and (not source.is_file or begins_edits(source.start)):
        return "fragments" if source.is_file else None
    try:
        if source.is_pipe and begins_edits("\n".join(source.ahead(LOOKED)).encode()):
            return "fragments"
        return format_of(source).holds
    except InputError:
        return None


def is_hoo(path: str) -> bool:
    """Whether a path is HOO data: a folder with edit files (perhaps in ``Gold``), or an edit file."""
    return holds(path) == "fragments"


def begins_edits(start: bytes) -> bool:
    """Whether these are the first bytes of an edit file."""
    return _HOO_EDITS.search(start) is not None


def is_xml(path: Path) -> bool:
    """Whether a file is called like an edit file."""
    return path.name.endswith((".xml", ".xml.gz"))


def wants_hoo(gold: object, metrics: object = None) -> bool:
    """Whether a public function's reference files or metrics ask for HOO scores; half and half is a ``UsageError``."""
    names = [
        split_spec(each)[0] if isinstance(each, str) else getattr(each, "name", None) for each in _as_list(metrics)
    ]
    asked = [name == HOO for name in names]
    paths = [str(fspath(path)) for path in _as_list(gold) if isinstance(path, str | PathLike)]
    data = [is_hoo(path) for path in paths]
    if any(data) and not all(asked):
        message = "HOO edit files hold stand-off edits, which only the metric hoo scores"
        raise UsageError(Problem("hoo-metric", message, fix="errorbar convert --to m2 makes M2 of them"))
    if any(asked) and not all(asked):
        raise UsageError(Problem("hoo-metric", "hoo and other metrics do not score the same data", fix="two commands"))
    # A broken edit file is left to its reader.
    others = (path for path, hoo in zip(paths, data, strict=True) if not hoo and not is_xml(Path(path)))
    if any(asked) and (other := next((path for path in others if look(path).is_file), "")):
        message = f"{other} is no HOO edit file"
        raise UsageError(Problem("hoo-metric", message, fix="errorbar convert --to hoo makes one of M2 and JSONL"))
    return any(asked) or any(data)


def _as_list(value: object) -> Sequence[object]:
    if isinstance(value, Mapping):
        return list(value.values())
    return [] if value is None else value if isinstance(value, list | tuple) else [value]
