"""Folders of HOO data: gold edits with their source texts, and runs of edit files or corrected texts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem, UsageError, nearest
from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment
from errorbar.formats.hoo import read_edits
from errorbar.formats.hoo_detect import GOLD, is_xml
from errorbar.formats.hoo_xml import read_bytes
from errorbar.formats.reference import NamedFile

RAW = "Raw"
_NAME = re.compile(r"(\d+)[A-Z]{2,}\d*")
_DATA = (".xml", ".txt", ".xml.gz", ".txt.gz")
_ENDINGS = (".gz", ".xml", ".txt")


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
    texts: dict[str, str]


def expand_runs(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Read run arguments: ``path`` or ``name=path``; a folder of folders is a team with a run in each.

    Returns:
        Name and path of each run.

    Raises:
        UsageError: If two runs have one name.
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
            runs.append((file.name.removesuffix(".xml"), file.path))
    names = [name for name, _ in runs]
    for name in names:
        if names.count(name) > 1:
            raise UsageError(Problem("same-name", f"two runs are called '{name}'", fix="rename one: name=path"))
    return runs


def fragment_name(path: Path) -> str:
    """The fragment a file is about: ``1005`` for ``1005.txt``, ``1005GE.xml`` and ``1005UI0.xml``."""
    stem = path.name
    for ending in _ENDINGS:
        stem = stem.removesuffix(ending)
    match = _NAME.fullmatch(stem)
    return match[1] if match else stem


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
    files = _files(Path(path), ".xml")
    texts = source_texts(Path(path), problems, source=source)
    fragments = []
    for name, file in files.items():
        text = texts.get(name)
        if text is None and (need_text or texts):
            problems.error(
                "hoo-no-text", f"no source text for fragment {name}", Place(str(file)), fix="--source FOLDER"
            )
        fragments.append(read_edits(file, name, problems, text=text))
    return fragments


def source_texts(gold: Path, problems: Problems, *, source: str | None = None) -> dict[str, str]:
    """Source texts by fragment: those of ``source``, else of the ``Raw`` folder beside or inside ``gold``.

    Raises:
        InputError: If ``source`` was named and has no text.
    """
    if source is not None:
        named = Path(source)
        if named.is_file():
            name = fragment_name(gold) if gold.is_file() else fragment_name(named)
            return {name: read_text(named, problems)}
        return {name: read_text(file, problems) for name, file in _files(named, ".txt").items()}
    folder = gold if gold.is_dir() else gold.parent
    for raw in (folder / RAW, folder.parent / RAW):
        if raw.is_dir():
            wanted = {fragment_name(gold)} if gold.is_file() else None
            found = _files(raw, ".txt").items()
            return {name: read_text(file, problems) for name, file in found if wanted is None or name in wanted}
    return {}


def read_source(path: str, problems: Problems) -> list[Fragment]:
    """Read source texts as fragments without edits.

    Raises:
        InputError: If nothing is there.
    """
    return [
        Fragment(name, (), read_text(file, problems), str(file)) for name, file in _files(Path(path), ".txt").items()
    ]


def read_run(path: str, name: str, gold: Sequence[Fragment], problems: Problems) -> Run:
    """Read a run: a folder of edit files or corrected texts, or a single one.

    Args:
        path: The folder or file.
        name: The run's name.
        gold: The fragments it should be about; their texts are what its offsets are checked against.
        problems: Where problems are recorded; the caller raises them.

    Raises:
        InputError: If nothing is there, or two files are about one fragment.
    """
    texts = {fragment.name: fragment.text for fragment in gold}
    edits: dict[str, Fragment] = {}
    corrected: dict[str, str] = {}
    for fragment, file in _files(Path(path), ".xml", ".txt").items():
        called = gold[0].name if Path(path).is_file() and len(gold) == 1 else fragment
        if called not in texts:
            fix = nearest(called, texts)
            problems.note(
                "hoo-not-in-gold", f"fragment {called} of run {name} is not scored", Place(str(file)), fix=fix
            )
        elif is_xml(file):
            edits[called] = read_edits(file, called, problems, text=texts[called], system=True)
        else:
            corrected[called] = read_text(file, problems)
    return Run(name, edits, corrected)


def read_text(path: Path, problems: Problems) -> str:
    """Read a text as it is: offsets count its characters, so no line end is changed; a byte order mark is not text.

    Raises:
        InputError: If it cannot be opened or is too large.
    """
    content = read_bytes(path)
    try:
        return content.decode().removeprefix("\ufeff")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        what = f"byte 0x{content[error.start]:02X} at offset {error.start} is not UTF-8"
        problems.repairable(
            "not-utf8", what, Place(str(path), line), expected="UTF-8 text", repair="replaced by U+FFFD"
        )
        return content.decode(errors="replace").removeprefix("\ufeff")


def _files(path: Path, *endings: str) -> dict[str, Path]:
    """The files of a folder by fragment, in order; a file is a folder of one."""
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
            what = f"a second file about fragment {name}, after {named[name].name}"
            raise InputError(Problem("hoo-two-files", what, Place(str(file)), fix="keep one"))
        named[name] = file
    return named
