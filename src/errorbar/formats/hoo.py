"""HOO edit files: stand-off edits, their offsets checked against the text and repaired; and edits of tokens as such."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import accumulate
from pathlib import Path
from typing import NamedTuple, TypeVar

from errorbar.core.corpus import Sentence
from errorbar.core.edit import UNCLEAR, Edit, Fragment, StandoffEdit, in_text_order
from errorbar.core.labels import error_types, whole_number
from errorbar.core.problems import InputError, Place, Problem, Problems, nearest
from errorbar.formats.catalog import GOLD, RAW, begins_edits, is_xml
from errorbar.formats.limits import MOST_EDIT_BYTES, MOST_REPAIRS
from errorbar.formats.look import START, decode_text, display_name, read_once, refuse_other
from errorbar.formats.reference import NamedFile, refuse_same_names
from errorbar.formats.saving import STANDARD_OUTPUT, cannot_write, save_lines
from errorbar.formats.untrusted import XmlReader, read_limited

# The XML of HOO edit files: read so that no file can do harm, written as the same bytes for the same edits.


Part = TypeVar("Part")
_INSIDE = {"": {"edits"}, "edits": {"edit"}, "edit": {"corrections", "original"}, "corrections": {"correction"}}
_INSIDE |= {"correction": {"empty"}, "original": {"empty"}, "empty": set()}
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(slots=True)
class RawEdit:
    """An ``edit`` element as it stands in the file; None where an element is missing, or a correction says nothing."""

    line: int
    attributes: dict[str, str]
    original: str | None = None
    corrections: list[str | None] | None = None


@dataclass(slots=True)
class Repairs:
    """The repairs of one file; a file with too many is not an edit file."""

    problems: Problems
    name: str
    n_found: int = 0

    def mend(self, code: str, message: str, place: Place, repair: str, expected: str = "") -> None:
        """Record one thing; too many of them, mended or not, are an ``InputError``."""
        self.n_found += 1
        if self.n_found > MOST_REPAIRS:
            message = f"more than {MOST_REPAIRS:,} things are wrong in the file"
            raise InputError(Problem("hoo-broken", message, Place(self.name), "a file of edits"))
        self.problems.repairable(code, message, place, repair, expected)


@dataclass(frozen=True, slots=True)
class HooFile:
    """A file that somebody else may have to read; ``content`` is what is in it, for readers who cannot open it."""

    path: Path
    content: bytes | None = field(default=None, repr=False)

    @property
    def has_edits(self) -> bool:
        """Whether it is an edit file rather than a text: by its name, or where that has no ending by its beginning."""
        return is_xml(self.path) or (not self.path.suffix and begins_edits(self.read()[:START]))

    def read(self) -> bytes:
        """Its contents, unpacked; a file that is too large is an ``InputError``, and not read to its end."""
        if self.content is not None:
            return self.content
        return read_limited(self.path, MOST_EDIT_BYTES, "hoo-too-large", "name the file of one fragment")

    def load(self) -> HooFile:
        """The same with its content."""
        return replace(self, content=self.read())


def parse_edits(content: bytes, repairs: Repairs) -> list[RawEdit]:
    """Parse an edit file, XML whose root is ``edits``; elements and text out of place are mended."""
    reader = _Reader(repairs)
    reader.parse(content)
    return reader.edits


class _Reader(XmlReader):
    """Collects ``edit`` elements."""

    kind, called, expected = "hoo", "edit files", "an <edits> element"

    def __init__(self, repairs: Repairs) -> None:
        super().__init__(repairs.name)
        self.repairs = repairs
        self.edits: list[RawEdit] = []
        self.path: list[str] = []
        self.parts: list[str] = []  # of an original or a correction: the parser gives it in pieces
        self.empty = False  # it holds an <empty/> element
        self.skipping = 0

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        above = self.path[-1] if self.path else ""
        if self.skipping:
            self.skipping += 1
            return
        if tag not in _INSIDE[above]:
            if not self.path:
                raise InputError(Problem("hoo-root", f"the root element is <{tag}>", self.place, "<edits>"))
            inside = ", ".join(f"<{name}>" for name in sorted(_INSIDE[above])) or "nothing"
            self._mend(f"<{tag}> stands inside <{above}>", "the element is left out", f"{inside} inside it")
            self.skipping = 1
            return
        self.path.append(tag)
        if tag == "edit":
            self.edits.append(RawEdit(self.parser.CurrentLineNumber, attributes))
        elif tag == "empty":
            self.empty = True
        elif tag != "edits":
            edit = self.edits[-1]
            if getattr(edit, tag, None) is not None:
                self._mend(f"a second <{tag}>", "the last one is used", "one")
            if tag == "corrections":
                edit.corrections = []
            self.empty = False

    def end(self, tag: str) -> None:
        if self.skipping:
            self.skipping -= 1
            return
        self.path.pop()
        if tag not in ("original", "correction"):
            return
        edit, text = self.edits[-1], "" if self.empty else "".join(self.parts)
        self.parts.clear()
        if tag == "original":
            edit.original = text
        elif edit.corrections is not None:
            edit.corrections.append(text if text or self.empty else None)

    def data(self, data: str) -> None:
        if self.skipping:
            return
        if self.path[-1] in ("original", "correction"):
            self.parts.append(data)
        elif data.strip():
            # The parser has read to the next tag already.
            line = self.parser.CurrentLineNumber - data.lstrip().count("\n")
            self._mend(f"text inside <{self.path[-1]}>: {data.strip()[:30]!r}", "left out", "elements", line)

    def _mend(self, what: str, repair: str, expected: str, line: int = 0) -> None:
        edit = f"edit {self.edits[-1].attributes.get('index', '?')}: " if self.edits and len(self.path) > 1 else ""
        place = Place(self.name, line or self.parser.CurrentLineNumber)
        self.repairs.mend("hoo-element", f"{edit}{what}", place, repair, expected)


def write_edits(fragment: Fragment, problems: Problems) -> Iterator[str]:
    """Yield the lines of an edit file; edits without an index are numbered; what XML cannot hold is an error."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<edits>"
    for number, edit in enumerate(fragment.edits, 1):
        if any(map(_NOT_XML.search, (edit.original, *edit.corrections, edit.type, edit.group, edit.index))):
            message = f"fragment {fragment.name}: the edit {edit.start} {edit.end} has a character that XML cannot hold"
            problems.error(
                "hoo-not-xml", message, Place(fragment.file), fix="take the control character out of the text"
            )
        yield from _edit_lines(edit, edit.index or f"{fragment.name}-{number:04d}")
    yield "</edits>"


def _edit_lines(edit: StandoffEdit, index: str) -> Iterator[str]:
    from xml.sax.saxutils import quoteattr  # noqa: PLC0415 - brings what opens addresses on the web

    group = f" cset={quoteattr(edit.group)}" if edit.group else ""
    kind = f" type={quoteattr(edit.type)}" if edit.type else ""
    yield f'  <edit index={quoteattr(index)} start="{edit.start}" end="{edit.end}"{kind}{group}>'
    yield f"    <original>{_text(edit.original)}</original>"
    if not edit.unknown:
        yield "    <corrections>"
        texts = [f"<correction>{_text(text)}</correction>" for text in edit.corrections]
        if edit.optional:
            texts.insert(edit.null_at, "<correction/>")
        yield from (f"      {text}" for text in texts)
        yield "    </corrections>"
    yield "  </edit>"


def _text(text: str) -> str:
    from xml.sax.saxutils import escape  # noqa: PLC0415 - as above

    # A carriage return would be read back as a line feed.
    return escape(text, {"\r": "&#13;"}) if text else "<empty/>"


def save_fragments(fragments: Sequence[Fragment], out: str, problems: Problems, *, texts: bool = False) -> None:
    """Write edit files; problems are raised before anything is written.

    ``out`` is a file for the only fragment (``*.xml``, ``*.gz``, ``-``) or a folder, with ``texts`` of two.
    """
    written = {fragment.name: list(write_edits(fragment, problems)) for fragment in fragments}
    problems.raise_errors()
    if out == STANDARD_OUTPUT or out.endswith((".xml", ".gz")):
        save_lines(_only(written, "fragments", "edit file", out), out)
        return
    folder = Path(out)
    for name, lines in written.items():
        save_lines(lines, _in_folder(folder / GOLD if texts else folder, f"{name}.xml"))
    for fragment in fragments if texts else ():
        save_text(fragment.text or "", _in_folder(folder / RAW, f"{fragment.name}.txt"))


def save_texts(texts: Mapping[str, str], out: str) -> None:
    """Write texts by the names of their fragments: one into a file that is named as one, several into a folder."""
    one_file = out == STANDARD_OUTPUT or out.endswith((".txt", ".gz")) or Path(out).is_file()
    if one_file or (len(texts) == 1 and not Path(out).is_dir()):
        save_text(_only(texts, "corrected texts", "file", out), out)
        return
    for name, text in texts.items():
        save_text(text, _in_folder(Path(out), f"{name}.txt"))


def _only(parts: Mapping[str, Part], many: str, one: str, out: str) -> Part:
    if len(parts) != 1:
        message = f"{len(parts)} {many} cannot go into one {one}"
        raise InputError(Problem("hoo-one-file", message, Place(out), fix="name a folder: --out FOLDER"))
    return next(iter(parts.values()))


def save_text(text: str, out: str) -> None:
    """Write a text as it is; ``-`` is standard output."""
    save_lines([text], out, end="")


def _in_folder(folder: Path, name: str) -> str:
    if "/" in name or name.startswith("."):
        message = f"the fragment's name {name!r} cannot be a file name"
        raise InputError(
            Problem("hoo-file-name", message, Place(str(folder)), fix="give the sentences another document")
        )
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise cannot_write(str(folder), "made", error) from None
    return str(folder / name)


_SWALLOWED = re.compile(r"""(?P<type>\w+)\s+c?set\s*=\s*["']?(?P<set>\w+)["']?""")
_ATTRIBUTES = {"type", "index", "start", "end", "cset"}
_INDENTED = re.compile(r"\s*\n[ \t]+")  # what a program that indents XML makes of an empty element
SEVERAL = "several corrections"
_OWN_INDEX = re.compile(r"\S+-\d+")


class _Remarks(NamedTuple):
    """Where what is said of one edit goes."""

    repairs: Repairs
    place: Place
    called: str

    def note(self, code: str, what: str, fix: str) -> None:
        self.repairs.problems.note(code, f"edit {self.called}: {what}", self.place, fix)

    def mend(self, code: str, what: str, repair: str, expected: str = "") -> None:
        self.repairs.mend(code, f"edit {self.called}: {what}", self.place, repair, expected)


_Found = list[tuple[_Remarks, StandoffEdit]]


def read_edits(
    file: HooFile, name: str, problems: Problems, *, text: str | None = None, system: bool = False
) -> Fragment:
    """Read a fragment's edits; offsets are checked against ``text``. Of a ``system`` other things are remarked."""
    shown = display_name(file.path)
    repairs = Repairs(problems, shown)
    edits: _Found = []
    for raw in parse_edits(file.read(), repairs):
        remarks = _Remarks(repairs, Place(shown, raw.line), raw.attributes.get("index") or f"of line {raw.line}")
        edit = _edit(raw, remarks, system=system)
        if edit is not None:
            edits.append((remarks, edit))
    if text is not None:
        edits = _check_text(edits, text)
    without = [remarks.place for remarks, edit in edits if not edit.type]
    if without and not system:
        message = f"{len(without)} of {len(edits)} edits have no error type"
        problems.note("hoo-type", message, without[0], "they count as Other")
    _check_together(edits)
    return Fragment(name, in_text_order(edit for _, edit in edits), text, shown)


def _edit(raw: RawEdit, remarks: _Remarks, *, system: bool) -> StandoffEdit | None:
    offsets = [raw.attributes.get(key, "").strip() for key in ("start", "end")]
    start, end = map(whole_number, offsets)
    if start is None or end is None:
        message = f"the offsets {offsets[0]!r}, {offsets[1]!r} cannot be read"
        remarks.mend("hoo-offsets", message, "the edit is dropped", "whole numbers")
        return None
    if start > end:
        remarks.mend("hoo-offsets", f"the span {start} {end} runs backwards", "the edit is dropped", "start <= end")
        return None
    for key in raw.attributes.keys() - _ATTRIBUTES:
        remarks.mend("hoo-attribute", f"unknown attribute '{key}'", "it is left out")
    kind, group = _type(raw, remarks)
    if not system and kind and kind not in error_types():
        remarks.note("hoo-type", f"unknown error type '{kind}'", "it counts as Other")
    nulls = [at for at, each in enumerate(raw.corrections or ()) if each is None]
    corrections = tuple(each for each in raw.corrections or () if each is not None)
    if nulls and nulls[0] > 0:
        message = "the null correction that makes it optional is not the first"
        remarks.note("hoo-null-not-first", message, "it counts as optional; optional=first reads it otherwise")
    if system and len(corrections) > 1:
        remarks.note("hoo-several", f"a system's edit with {SEVERAL}", "only the first is scored")
    if any(map(_INDENTED.fullmatch, corrections)):
        message = "a correction of nothing but a line end and an indentation"
        remarks.note("hoo-blank", message, "if it should be the null correction, write <correction/>")
    if raw.original is None and start < end:
        remarks.mend("hoo-original", "no <original>", "taken from the text")
    index, at = raw.attributes.get("index", ""), nulls[0] if nulls else 0
    return StandoffEdit(index, start, end, raw.original or "", corrections, bool(nulls), at, kind, group)


def _type(raw: RawEdit, remarks: _Remarks) -> tuple[str, str]:
    """The type and the set; a set swallowed into the type, as in the 2011 test data, is taken out of it."""
    kind, group = raw.attributes.get("type", "").strip(), raw.attributes.get("cset", "").strip()
    swallowed = _SWALLOWED.fullmatch(kind)
    if swallowed is None:
        return kind, group
    repair = f"read as type {swallowed['type']} and set {swallowed['set']}"
    remarks.mend("hoo-attribute", f"the type {kind!r} has swallowed a consistency set", repair, 'type="…" cset="…"')
    return swallowed["type"], group or swallowed["set"]


def _check_text(edits: _Found, text: str) -> _Found:
    """Compare spans with the text. A file whose offsets count bytes is read by bytes."""
    edits = _in_characters(edits, text)
    kept: _Found = []
    for remarks, edit in edits:
        if edit.end > len(text):
            message = f"the span {edit.start} {edit.end} ends past the text of {len(text)} characters"
            remarks.mend("hoo-outside", message, "the edit is dropped", "start <= end <= length of the text")
            continue
        there = text[edit.start : edit.end]
        if there != edit.original:
            message = f"the original {edit.original[:30]!r} is not the text of the span, {there[:30]!r}"
            # A writer of pretty XML adds or takes off white space at the edges; the offsets then say what was meant.
            only_space = edit.original.strip() == there.strip()
            right = "the offsets are right, the original lost or gained white space"
            remarks.mend(
                "hoo-original", message, right if only_space else "the offsets are used", "the text of the span"
            )
        kept.append((remarks, edit._replace(original=there)))
    return kept


def _in_characters(found: _Found, text: str) -> _Found:
    """The edits by characters, also where more originals are the text at their offsets if these count bytes."""
    if text.isascii():
        return found
    raw = text.encode("utf-8", "surrogatepass")
    more_bytes = 0
    for _, edit in found:
        if edit.original:
            characters = text[edit.start : edit.end] == edit.original
            more_bytes += (raw[edit.start : edit.end] == edit.original.encode("utf-8", "surrogatepass")) - characters
    if more_bytes <= 0:
        return found
    # For each byte offset the character that begins there or has begun before it; one more for the end.
    at = [number for number, char in enumerate(text) for _ in char.encode("utf-8", "surrogatepass")] + [len(text)]
    read: _Found = []
    for remarks, edit in found:
        start, end = edit.start, edit.end
        if end < len(at):  # else it is past the end either way, which is said later
            start, end = at[start], at[end]
        if (start, end) != (edit.start, edit.end):
            message = f"the offsets {edit.start} {edit.end} count bytes"
            remarks.mend("hoo-byte-offsets", message, f"read as characters {start} {end}", "characters")
        read.append((remarks, edit._replace(start=start, end=end)))
    return read


def _check_together(found: _Found) -> None:
    """Overlaps, indexes that stand twice, and sets of one edit."""
    last: tuple[_Remarks, StandoffEdit] | None = None
    for remarks, edit in sorted(found, key=lambda pair: (pair[1].start, pair[1].end)):
        if last is not None and edit.start < last[1].end:
            message = f"it overlaps edit {last[0].called}"
            remarks.note("hoo-overlap", message, "scores count both; a text can have only one")
        if last is None or edit.end > last[1].end:
            last = remarks, edit
    seen: dict[str, int] = {}
    for remarks, edit in found:
        if edit.index and edit.index in seen:
            remarks.mend("hoo-index", f"the index stands twice (line {seen[edit.index]})", "both edits are kept")
        seen.setdefault(edit.index, remarks.place.line)
    sizes = Counter(edit.group for _, edit in found)
    for remarks, edit in found:
        if edit.group and sizes[edit.group] == 1:
            message = f"the only one of consistency set {edit.group}"
            remarks.note("hoo-lone-set", message, "it counts like an edit without a set")


def sentences_fragments(
    sentences: Iterable[Sentence], annotator: str, problems: Problems, *, name: str = "text"
) -> list[Fragment]:
    """Join sentences into fragments with one annotator's character edits; what HOO cannot hold is noted.

    Sentences of one document, ``name`` where there is none, are lines of one text, a space between tokens.
    """
    lines: dict[str, list[str]] = {}
    edits: dict[str, list[StandoffEdit]] = {}
    sizes = Counter[str]()
    lost = Counter[str]()
    for sentence in sentences:
        document = sentence.document or name
        line = " ".join(sentence.tokens)
        starts = [0, *accumulate(len(token) + 1 for token in sentence.tokens)]
        own, at = sentence.annotations.get(annotator, ()), sizes[document]
        # Other edits take the space before these tokens along, or put words behind it.
        taken = {edit.end for edit in own if edit.is_insertion or "" in edit.replacements}
        edits.setdefault(document, []).extend(_standoff_edit(edit, line, starts, at, lost, taken) for edit in own)
        lines.setdefault(document, []).append(f"{line}\n")
        sizes[document] += len(line) + 1
        if annotator not in sentence.annotations:
            lost[f"that annotator {annotator} did not look"] += 1
        lost.update(f"annotator {other} beside {annotator}" for other in sentence.annotations.keys() - {annotator})
        lost["the writer"] += bool(sentence.writer)
        lost["the paragraph"] += sentence.paragraph > 0
    for part, count in sorted((+lost).items()):
        message = f"HOO cannot hold {part} ({count} {'time' if count == 1 else 'times'}); left out"
        problems.note("hoo-cannot-hold", message, Place())
    return [Fragment(document, in_text_order(edits[document]), "".join(text)) for document, text in lines.items()]


def _standoff_edit(
    edit: Edit, text: str, starts: Sequence[int], at: int, lost: Counter[str], taken: set[int]
) -> StandoffEdit:
    """An edit of tokens as one of characters: tokens start at ``starts`` of the text, which starts at ``at``.

    A deletion at the end of the text takes the space before it along, but before tokens of ``taken``.
    """
    n_tokens = len(starts) - 1
    start, end = starts[edit.start], max(starts[edit.start], starts[edit.end] - 1)
    head = tail = ""
    if edit.is_insertion:
        if edit.start == n_tokens:
            start = end = len(text)
            head = " " if n_tokens else ""
        else:
            end, tail = start, " "
    elif "" in edit.replacements and edit.type != UNCLEAR:  # a deletion takes one space along
        if edit.end < n_tokens:
            end, tail = end + 1, " "
        elif edit.start and edit.start not in taken:
            start, head = start - 1, " "
    corrections = tuple(f"{head}{each}{tail}" if each else "" for each in edit.replacements)
    if edit.type == UNCLEAR:
        corrections = ()  # its empty correction stands for none
    index = edit.comment if _OWN_INDEX.fullmatch(edit.comment) else ""
    lost["comments"] += bool(edit.comment and not index)
    span = (at + start, at + end, text[start:end])
    return StandoffEdit(index, *span, corrections, edit.optional, 0, edit.type, edit.group)


# HOO data: which files are about which fragment, and reading gold edits with their source texts.


_NAME = re.compile(r"(\d+)[A-Z]{2,}\d*")
_DATA = (".xml", ".txt", ".xml.gz", ".txt.gz")


@dataclass(frozen=True, slots=True)
class FragmentFiles:
    """The files about a fragment, unread."""

    name: str
    edits: HooFile
    text: HooFile | None
    need_text: bool = False  # without a text it is an error: it was asked for, or other fragments have one
    runs: tuple[HooFile | None, ...] = ()  # the edit file or corrected text of each run; None where it has none

    @property
    def paths(self) -> list[str]:
        """Where all of them are."""
        return [str(file.path) for file in (self.edits, self.text, *self.runs) if file is not None]

    def load(self) -> FragmentFiles:
        """The same with their contents, for workers that cannot open them."""
        text, *runs = (None if file is None else file.load() for file in (self.text, *self.runs))
        return replace(self, edits=self.edits.load(), text=text, runs=tuple(runs))

    def read(self, problems: Problems) -> Fragment:
        """Read the gold edits and the source text."""
        text = None if self.text is None else read_text(self.text, problems)
        if text is None and self.need_text:
            message, place = f"no source text for fragment {self.name}", Place(str(self.edits.path))
            fix = "name the source texts: --source=FOLDER"
            problems.error("hoo-no-text", message, place, fix=fix)
        return read_edits(self.edits, self.name, problems, text=text)


def read_gold(path: str, problems: Problems, *, source: str | None = None, need_text: bool = False) -> list[Fragment]:
    """Read gold edits, and their source texts where these can be found (``list_gold``)."""
    return [files.read(problems) for files in list_gold(path, source=source, need_text=need_text)]


def read_source(path: str, problems: Problems) -> list[Fragment]:
    """Read source texts as fragments without edits."""
    files = list_files(Path(path), ".txt").items()
    return [Fragment(name, (), read_text(HooFile(file), problems), str(file)) for name, file in files]


def read_text(file: HooFile, problems: Problems) -> str:
    """Read a text as it is: offsets count its characters, so no line end is changed; a byte order mark is not text."""
    content = file.read()
    refuse_other(content, str(file.path))
    return decode_text(content, Place(str(file.path), 1), problems).removeprefix("\ufeff")


def expand_runs(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Name and path of each run: ``path`` or ``name=path``; a folder of folders is a team with a run in each.

    A folder called by a number, ``UI/9``, is a run of the team it stands in: ``UI-9``. Names must differ.
    """
    runs: list[tuple[str, str]] = []
    for argument in arguments:
        file = NamedFile.parse(argument)
        path = Path(file.path)
        inside = sorted(path.iterdir()) if path.is_dir() else []
        folders = [each for each in inside if each.is_dir() and each.name not in (GOLD, RAW)]
        if folders and not any(each.name.endswith(_DATA) for each in inside):
            named = [(each.name if each.name.startswith(file.name) else f"{file.name}-{each.name}") for each in folders]
            runs += zip(named, map(str, folders), strict=True)
        else:
            name = file.name.removesuffix(".xml")
            team = path.resolve().parent.name
            numbered = name.isdecimal() and name == path.name and path.is_dir() and team
            runs.append((f"{team}-{name}" if numbered else name, file.path))
    refuse_same_names([NamedFile(path, name) for name, path in runs], "runs")
    return runs


def fragment_name(path: Path) -> str:
    """The fragment a file is about: ``1005`` for ``1005.txt``, ``1005GE.xml`` and ``1005UI0.xml``."""
    stem = path.name.removesuffix(".gz").removesuffix(".xml").removesuffix(".txt")
    match = _NAME.fullmatch(stem)
    return match[1] if match else stem


def list_gold(path: str, *, source: str | None = None, need_text: bool = False) -> list[FragmentFiles]:
    """Find gold edits (a file, a folder, or its ``Gold``), and their source texts; ``need_text``: there must be all.

    ``source`` is a folder of texts or the text of the only file; None: looked for in ``Raw`` beside ``Gold``.
    """
    edits = list_files(Path(path), ".xml")
    texts = _list_texts(Path(path), source)
    need_text = need_text or bool(texts)
    known = {name: HooFile(file) for name, file in texts.items()}
    return [FragmentFiles(name, HooFile(file), known.get(name), need_text) for name, file in edits.items()]


def list_run(path: str, name: str, fragments: Sequence[str], problems: Problems) -> Mapping[str, HooFile]:
    """Find the files of a run by fragment: a folder of edit files or corrected texts, or a single one.

    A single file is about the only fragment. Files about other fragments are noted; without any other, an error.
    """
    known = dict.fromkeys(fragments)
    files: dict[str, HooFile] = {}
    for fragment, file in list_files(Path(path), ".xml", ".txt").items():
        called = fragments[0] if len(fragments) == 1 and not Path(path).is_dir() else fragment
        if called in known:
            files[called] = HooFile(file)
            continue
        message = f"fragment {called} of run {name} is not scored"
        problems.note("hoo-not-in-gold", message, Place(str(file)), nearest(called, known))
    if not files:
        message = f"no file of run {name} is about a fragment of the gold set"
        expected = f"e.g. {fragments[0]}.txt" if fragments else ""
        raise InputError(Problem("hoo-no-files", message, Place(path), expected, "are these other texts?"))
    return files


def _list_texts(gold: Path, source: str | None) -> dict[str, Path]:
    """Source texts by fragment: those of ``source``, else of the ``Raw`` folder beside or inside ``gold``."""
    if source is not None:
        named = Path(source)
        if named.is_file() or read_once(named):
            return {fragment_name(named if gold.is_dir() else gold): named}
        return list_files(named, ".txt")
    folder = gold if gold.is_dir() else gold.parent
    raw = next((each for each in (folder / RAW, folder.parent / RAW) if each.is_dir()), None)
    texts = {} if raw is None else list_files(raw, ".txt")
    if not gold.is_dir():  # the others are about other fragments
        texts = {name: file for name, file in texts.items() if name == fragment_name(gold)}
    return texts


def list_files(path: Path, *endings: str) -> dict[str, Path]:
    """The files of a folder by fragment, in order, at least one, no two about one; a file is a folder of one."""
    if not path.exists() and not read_once(path):
        HooFile(path).read()  # there is nothing to read, and this says so
    if path.is_dir() and (path / GOLD).is_dir() and not any(is_xml(each) for each in path.iterdir()):
        path /= GOLD
    wanted = tuple(end for ending in endings for end in (ending, f"{ending}.gz"))
    files = sorted(each for each in path.iterdir() if each.name.endswith(wanted)) if path.is_dir() else [path]
    if not files:
        expected = " or ".join(f"*{ending}" for ending in endings)
        raise InputError(Problem("hoo-no-files", "no file in the folder", Place(str(path)), expected))
    named: dict[str, Path] = {}
    for file in files:
        name = fragment_name(file)
        if name in named:
            message = f"a second file about fragment {name}, after {named[name].name}"
            raise InputError(Problem("hoo-two-files", message, Place(str(file)), fix="keep one"))
        named[name] = file
    return named
