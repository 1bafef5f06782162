"""Reading HOO data: gold edits with their source texts, and runs of edit files or corrected texts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment
from errorbar.formats.hoo import read_edits
from errorbar.formats.hoo_detect import is_xml
from errorbar.formats.hoo_files import DataFile, FragmentFiles, RunFiles, list_files, list_gold, list_run
from errorbar.formats.opening import display_name


@dataclass(frozen=True, slots=True)
class CorrectedText:
    """What a run made of a source text.

    Attributes:
        text: Its characters.
        file: Where it is from, for messages.
    """

    text: str
    file: str


@dataclass(frozen=True, slots=True)
class Run:
    """What one run proposes: for each fragment either edits or a corrected text.

    Attributes:
        name: The run's name in tables.
        edits: Fragments of edit files, by name.
        texts: Corrected texts, by fragment.
    """

    name: str
    edits: dict[str, Fragment]
    texts: dict[str, CorrectedText]


def read_gold(path: str, problems: Problems, *, source: str | None = None, need_text: bool = False) -> list[Fragment]:
    """Read gold edits, and their source texts where these can be found.

    Args:
        path: An edit file, a folder of them, or a folder that has them in ``Gold``.
        problems: Where problems are recorded; the caller raises them.
        source: A folder of source texts, or the text of the only file; None: looked for in ``Raw`` beside ``Gold``.
        need_text: A fragment without a text is an error.

    Raises:
        InputError: If nothing is there, two files are about one fragment, or a file is not XML.
    """
    return [read_fragment(files, problems) for files in list_gold(path, source=source, need_text=need_text)]


def read_fragment(files: FragmentFiles, problems: Problems) -> Fragment:
    """Read the gold edits of one fragment, and its source text.

    Raises:
        InputError: If a file cannot be opened, or the edits are not XML.
    """
    text = None if files.text is None else read_text(files.text, problems)
    if text is None and files.need_text:
        what = f"no source text for fragment {files.name}"
        problems.error("hoo-no-text", what, Place(str(files.edits.path)), fix="--source FOLDER")
    return read_edits(files.edits, files.name, problems, text=text)


def read_source(path: str, problems: Problems) -> list[Fragment]:
    """Read source texts as fragments without edits.

    Raises:
        InputError: If nothing is there.
    """
    return [
        Fragment(name, (), read_text(DataFile(file), problems), str(file))
        for name, file in list_files(Path(path), ".txt").items()
    ]


def read_run(path: str, name: str, gold: Sequence[Fragment], problems: Problems) -> Run:
    """Read a run: a folder of edit files or corrected texts, or a single one.

    Args:
        path: The folder or file.
        name: The run's name.
        gold: The fragments it should be about; their texts are what its offsets are checked against.
        problems: Where problems are recorded; the caller raises them.

    Raises:
        InputError: If nothing is there, two files are about one fragment, or a file is not XML.
    """
    return read_run_files(list_run(path, name, [each.name for each in gold], problems), gold, problems)


def read_run_files(run: RunFiles, gold: Sequence[Fragment], problems: Problems) -> Run:
    """Read what a run has about some fragments.

    Args:
        run: Its files.
        gold: The fragments; their texts are what its offsets are checked against.
        problems: Where problems are recorded; the caller raises them.

    Raises:
        InputError: If a file cannot be opened, or an edit file is not XML.
    """
    edits: dict[str, Fragment] = {}
    corrected: dict[str, CorrectedText] = {}
    for fragment in gold:
        file = run.files.get(fragment.name)
        if file is None:
            continue
        if is_xml(file.path):
            edits[fragment.name] = read_edits(file, fragment.name, problems, text=fragment.text, system=True)
        else:
            corrected[fragment.name] = CorrectedText(read_text(file, problems), display_name(file.path))
    return Run(run.name, edits, corrected)


def read_text(file: DataFile, problems: Problems) -> str:
    """Read a text as it is: offsets count its characters, so no line end is changed; a byte order mark is not text.

    Raises:
        InputError: If it cannot be opened or is too large.
    """
    content = file.read()
    try:
        return content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{content[error.start]:02X} at offset {error.start} is not UTF-8"
        place = Place(str(file.path), line)
        problems.repairable("not-utf8", what, place, expected="UTF-8 text", repair="replaced by U+FFFD")
        return content.decode(errors="replace").removeprefix("\ufeff")
