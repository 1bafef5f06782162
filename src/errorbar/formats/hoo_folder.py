"""HOO data: which files are about which fragment, and reading gold edits with their source texts."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from errorbar.core.edit import Fragment
from errorbar.core.errors import InputError, Place, Problem, nearest
from errorbar.core.problems import Problems
from errorbar.formats.catalog import GOLD, RAW, is_xml
from errorbar.formats.hoo_edits import read_edits
from errorbar.formats.hoo_xml import DataFile
from errorbar.formats.look import decoded, read_once
from errorbar.formats.reference import NamedFile, refuse_same_names

_NAME = re.compile(r"(\d+)[A-Z]{2,}\d*")
_DATA = (".xml", ".txt", ".xml.gz", ".txt.gz")


@dataclass(frozen=True, slots=True)
class FragmentFiles:
    """The files about a fragment, unread."""

    name: str
    edits: DataFile
    text: DataFile | None
    need_text: bool = False  # without a text it is an error: it was asked for, or other fragments have one
    runs: tuple[DataFile | None, ...] = ()  # the edit file or corrected text of each run; None where it has none

    @property
    def paths(self) -> list[str]:
        """Where all of them are."""
        return [str(file.path) for file in (self.edits, self.text, *self.runs) if file is not None]

    def loaded(self) -> FragmentFiles:
        """The same with their contents, for workers that cannot open them."""
        text, *runs = (None if file is None else file.loaded() for file in (self.text, *self.runs))
        return replace(self, edits=self.edits.loaded(), text=text, runs=tuple(runs))

    def read(self, problems: Problems) -> Fragment:
        """Read the gold edits and the source text."""
        text = None if self.text is None else read_text(self.text, problems)
        if text is None and self.need_text:
            what, place = f"no source text for fragment {self.name}", Place(str(self.edits.path))
            fix = "name the source texts: --documents=FOLDER, of check and convert --source=FOLDER"
            problems.error("hoo-no-text", what, place, fix=fix)
        return read_edits(self.edits, self.name, problems, text=text)


def read_gold(path: str, problems: Problems, *, source: str | None = None, need_text: bool = False) -> list[Fragment]:
    """Read gold edits, and their source texts where these can be found (``list_gold``)."""
    return [files.read(problems) for files in list_gold(path, source=source, need_text=need_text)]


def read_source(path: str, problems: Problems) -> list[Fragment]:
    """Read source texts as fragments without edits."""
    files = list_files(Path(path), ".txt").items()
    return [Fragment(name, (), read_text(DataFile(file), problems), str(file)) for name, file in files]


def read_text(file: DataFile, problems: Problems) -> str:
    """Read a text as it is: offsets count its characters, so no line end is changed; a byte order mark is not text."""
    return decoded(file.read(), Place(str(file.path), 1), problems).removeprefix("\ufeff")


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
    known = {name: DataFile(file) for name, file in texts.items()}
    return [FragmentFiles(name, DataFile(file), known.get(name), need_text) for name, file in edits.items()]


def list_run(path: str, name: str, fragments: Sequence[str], problems: Problems) -> Mapping[str, DataFile]:
    """Find the files of a run by fragment: a folder of edit files or corrected texts, or a single one.

    A single file is about the only fragment. Files about other fragments are noted; without any other, an error.
    """
    known = dict.fromkeys(fragments)
    found: dict[str, DataFile] = {}
    for fragment, file in list_files(Path(path), ".xml", ".txt").items():
        called = fragments[0] if len(fragments) == 1 and not Path(path).is_dir() else fragment
        if called in known:
            found[called] = DataFile(file)
            continue
        what = f"fragment {called} of run {name} is not scored"
        problems.note("hoo-not-in-gold", what, Place(str(file)), nearest(called, known))
    if not found:
        what = f"no file of run {name} is about a fragment of the gold set"
        expected = f"e.g. {fragments[0]}.txt" if fragments else ""
        raise InputError(Problem("hoo-no-files", what, Place(path), expected, "are these other texts?"))
    return found


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
        DataFile(path).read()  # there is nothing to read, and this says so
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
