"""Writing HOO edit files: the same bytes for the same edits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeVar
from xml.sax.saxutils import escape, quoteattr

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment, StandoffEdit
from errorbar.formats.hoo_detect import GOLD, RAW
from errorbar.formats.saving import STANDARD_OUTPUT, save_lines

Part = TypeVar("Part")
_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_edits(fragment: Fragment, problems: Problems) -> Iterator[str]:
    """Yield the lines of an edit file, without line ends (a text may contain some).

    Edits without an index are numbered ``NAME-0001``. Characters that XML cannot hold are an error.
    """
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield "<edits>"
    for number, edit in enumerate(fragment.edits, 1):
        _check(edit, fragment, problems)
        yield from _edit(edit, edit.index or f"{fragment.name}-{number:04d}")
    yield "</edits>"


def _edit(edit: StandoffEdit, index: str) -> Iterator[str]:
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
    # A carriage return would be read back as a line feed.
    return escape(text, {"\r": "&#13;"}) if text else "<empty/>"


def _check(edit: StandoffEdit, fragment: Fragment, problems: Problems) -> None:
    parts: Iterable[str] = (edit.original, *edit.corrections, edit.type, edit.group, edit.index)
    if any(_NOT_XML.search(part) for part in parts):
        what = f"fragment {fragment.name}: the edit {edit.start} {edit.end} has a character that XML cannot hold"
        problems.error("hoo-not-xml", what, Place(fragment.file), fix="take the control character out of the text")


def save_fragments(fragments: Sequence[Fragment], out: str, problems: Problems, *, texts: bool = False) -> None:
    """Write edit files: one file for one fragment, else a folder.

    Args:
        fragments: What to write.
        out: A file (a name that ends in ``.xml`` or ``.gz``, or ``-``), or a folder that is made if need be.
        problems: Where problems are recorded; they are raised before anything is written.
        texts: Also write the source texts: the folder gets ``Gold`` and ``Raw``.

    Raises:
        InputError: If something cannot be written, or several fragments should go into one file.
    """
    written = {fragment.name: list(write_edits(fragment, problems)) for fragment in fragments}
    problems.raise_errors()
    if out == STANDARD_OUTPUT or out.endswith((".xml", ".gz")):
        save_lines(_only(written, "fragments", "edit file", out), out)
        return
    folder = Path(out)
    for name, lines in written.items():
        save_lines(lines, str(_in_folder(folder / GOLD if texts else folder, f"{name}.xml")))
    for fragment in fragments if texts else ():
        save_text(fragment.text or "", str(_in_folder(folder / RAW, f"{fragment.name}.txt")))


def save_texts(texts: Mapping[str, str], out: str) -> None:
    """Write texts: one text into one file, else a folder.

    Args:
        texts: Texts by the names of their fragments.
        out: A folder, made if need be; or a file (a name that ends in ``.txt`` or ``.gz``, ``-``, or whatever is no
            folder where there is one text).

    Raises:
        InputError: If something cannot be written, or several texts should go into one file.
    """
    one_file = out == STANDARD_OUTPUT or out.endswith((".txt", ".gz")) or Path(out).is_file()
    if one_file or (len(texts) == 1 and not Path(out).is_dir()):
        save_text(_only(texts, "corrected texts", "file", out), out)
        return
    for name, text in texts.items():
        save_text(text, str(_in_folder(Path(out), f"{name}.txt")))


def _only(parts: Mapping[str, Part], many: str, one: str, out: str) -> Part:
    if len(parts) != 1:
        what = f"{len(parts)} {many} cannot go into one {one}"
        raise InputError(Problem("hoo-one-file", what, Place(out), fix="name a folder: --out FOLDER"))
    return next(iter(parts.values()))


def save_text(text: str, out: str) -> None:
    """Write a text, the last line ended; ``-`` is standard output."""
    # A text without a last line end gains one: no offset changes.
    save_lines(text.removesuffix("\n").split("\n"), out)


def _in_folder(folder: Path, name: str) -> Path:
    if "/" in name or name.startswith("."):
        what = f"the fragment's name {name!r} cannot be a file name"
        raise InputError(Problem("hoo-file-name", what, Place(str(folder)), fix="give the sentences another document"))
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(Problem("cannot-write", f"cannot be made: {error.strerror}", Place(str(folder)))) from None
    return folder / name
