"""Which files of HOO data are about which fragment: gold edits, source texts, runs. Nothing is parsed here."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem, UsageError, nearest
from errorbar.core.problems import Problems
from errorbar.formats.hoo_detect import GOLD, is_xml
from errorbar.formats.hoo_xml import read_bytes
from errorbar.formats.opening import read_once
from errorbar.formats.reference import NamedFile

RAW = "Raw"
_NAME = re.compile(r"(\d+)[A-Z]{2,}\d*")
_DATA = (".xml", ".txt", ".xml.gz", ".txt.gz")
_ENDINGS = (".gz", ".xml", ".txt")


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that somebody else may have to read.

    Attributes:
        path: Where it is.
        content: What is in it, unpacked, for readers who cannot open it; None: they can.
    """

    path: Path
    content: bytes | None = field(default=None, repr=False)

    def read(self) -> bytes:
        """What is in it, unpacked.

        Raises:
            InputError: If it cannot be opened or is too large.
        """
        return read_bytes(self.path) if self.content is None else self.content

    def loaded(self) -> DataFile:
        """The same with its content.

        Raises:
            InputError: If it cannot be opened or is too large.
        """
        return replace(self, content=self.read())


@dataclass(frozen=True, slots=True)
class FragmentFiles:
    """The files of a fragment.

    Attributes:
        name: The fragment's name.
        edits: Its gold edits.
        text: Its source text; None where there is none.
        need_text: Without a source text it is an error: it was asked for, or other fragments have one.
    """

    name: str
    edits: DataFile
    text: DataFile | None
    need_text: bool = False

    def loaded(self) -> FragmentFiles:
        """The same with their contents.

        Raises:
            InputError: If one cannot be opened or is too large.
        """
        return replace(self, edits=self.edits.loaded(), text=None if self.text is None else self.text.loaded())


@dataclass(frozen=True, slots=True)
class RunFiles:
    """The files of a run.

    Attributes:
        name: The run's name in tables.
        files: An edit file or a corrected text for each fragment that the run has something about.
    """

    name: str
    files: Mapping[str, DataFile]

    def lacking(self, fragments: Sequence[str]) -> list[str]:
        """Those of some fragments that the run has nothing about."""
        return [name for name in fragments if name not in self.files]

    def about(self, fragments: Sequence[str]) -> RunFiles:
        """Those about some fragments."""
        return replace(self, files={name: self.files[name] for name in fragments if name in self.files})

    def loaded(self) -> RunFiles:
        """The same with their contents.

        Raises:
            InputError: If one cannot be opened or is too large.
        """
        return replace(self, files={name: file.loaded() for name, file in self.files.items()})


def expand_runs(arguments: Sequence[str]) -> list[tuple[str, str]]:
    """Read run arguments: ``path`` or ``name=path``; a folder of folders is a team with a run in each.

    A folder that is called by a number, ``UI/9``, is a run of the team whose folder it stands in: ``UI-9``.

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
            name = file.name.removesuffix(".xml")
            team = path.resolve().parent.name
            numbered = name.isdecimal() and name == path.name and path.is_dir() and team
            runs.append((f"{team}-{name}" if numbered else name, file.path))
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


def list_gold(path: str, *, source: str | None = None, need_text: bool = False) -> list[FragmentFiles]:
    """Find gold edits, and their source texts where there are any.

    Args:
        path: An edit file, a folder of them, or a folder that has them in ``Gold``.
        source: A folder of source texts, or the text of the only file; None: looked for in ``Raw`` beside ``Gold``.
        need_text: A fragment without a text is an error.

    Raises:
        InputError: If nothing is there, ``source`` was named and has no text, or two files are about one fragment.
    """
    edits = list_files(Path(path), ".xml")
    texts = _list_texts(Path(path), source)
    need_text = need_text or bool(texts)
    return [
        FragmentFiles(name, DataFile(file), DataFile(texts[name]) if name in texts else None, need_text)
        for name, file in edits.items()
    ]


def list_run(path: str, name: str, fragments: Sequence[str], problems: Problems) -> RunFiles:
    """Find the files of a run: a folder of edit files or corrected texts, or a single one.

    Args:
        path: The folder or file.
        name: The run's name.
        fragments: The fragments it should be about; a single file is about the only one, whatever it is called.
        problems: Where files about other fragments are noted.

    Raises:
        InputError: If nothing is there, nothing is about these fragments, or two files are about one fragment.
    """
    known = dict.fromkeys(fragments)
    found: dict[str, DataFile] = {}
    for fragment, file in list_files(Path(path), ".xml", ".txt").items():
        called = fragments[0] if len(fragments) == 1 and not Path(path).is_dir() else fragment
        if called in known:
            found[called] = DataFile(file)
            continue
        what = f"fragment {called} of run {name} is not scored"
        problems.note("hoo-not-in-gold", what, Place(str(file)), fix=nearest(called, known))
    if not found:
        what = f"no file of run {name} is about a fragment of the gold set"
        expected = f"e.g. {fragments[0]}.txt" if fragments else ""
        raise InputError(Problem("hoo-no-files", what, Place(path), expected, "are these other texts?"))
    return RunFiles(name, found)


def every_path(gold: Sequence[FragmentFiles], runs: Sequence[RunFiles]) -> list[str]:
    """Where all of these files are."""
    files = [file for one in gold for file in (one.edits, one.text) if file is not None]
    files += [file for run in runs for file in run.files.values()]
    return [str(file.path) for file in files]


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
    """The files of a folder by fragment, in order; a file is a folder of one.

    Raises:
        InputError: If there is nothing at the path, no file of the folder ends so, or two are about one fragment.
    """
    if not path.exists() and not read_once(path):
        read_bytes(path)  # there is nothing to read, and this says so
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
