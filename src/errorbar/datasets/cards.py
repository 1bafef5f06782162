"""The catalog, a card for each corpus (JSON: address, license, citation, traps, hashes), and the cache folder."""

from __future__ import annotations

import hashlib
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any, NamedTuple

from errorbar.core.problems import InputError, Place, Problem, UsageError, nearest

SCHEMA, CACHE_SCHEMA = "errorbar.dataset/1", "errorbar.cache/1"
FOLDER = "ERRORBAR_DATA"  # the environment variable that names the cache folder
MANIFEST = "manifest.json"
_SILENT: AbstractContextManager[Callable[[int], None]] = nullcontext(lambda done: None)
POLL = 0.2  # seconds between two looks at a lock that another process holds

if sys.platform == "win32":
    import msvcrt

    def _try_lock(handle: IO[str]) -> bool:
        try:
            msvcrt.locking(handle.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _try_lock(handle: IO[str]) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True


class Talk(NamedTuple):
    """The functions that messages go to: lines, and progress, for which a function is opened by (unit, total)."""

    say: Callable[[str], object] = lambda line: None
    progress: Callable[[str, int], AbstractContextManager[Callable[[int], None]]] = lambda unit, total: _SILENT


@dataclass(frozen=True, slots=True)
class Archive:
    """A published archive."""

    url: str
    sha256: str | None = None  # None where no hash is known; its files are then checked instead


@dataclass(frozen=True, slots=True)
class CorpusFile:
    """One file of a corpus."""

    path: str  # in the corpus's folder, with forward slashes
    sha256: str | None = None  # None where errorbar does not know it (the first one seen is then recorded)
    n_bytes: int | None = None
    url: str = ""  # where it is published by itself, or "" if it comes out of an archive
    optional: bool = False  # whether a copy without it counts as complete


@dataclass(frozen=True, slots=True)
class Dataset:
    """A corpus."""

    name: str  # also of its folder in the cache
    title: str
    release: str
    page: str
    license: str
    citation: str
    citation_url: str
    traps: tuple[str, ...]  # what goes wrong for those who do not know
    archives: tuple[Archive, ...]  # of the same content; the first that answers is used
    files: tuple[CorpusFile, ...]
    short: str = ""  # what pages about some of its files are called; empty: as its title

    @property
    def n_bytes(self) -> int | None:
        """Size of all files that must be there, or None if one is unknown."""
        sizes = [file.n_bytes for file in self.files if not file.optional]
        return None if None in sizes else sum(size for size in sizes if size is not None)

    @property
    def addresses(self) -> tuple[str, ...]:
        """Everything that can be downloaded; empty where no address is known."""
        return tuple(archive.url for archive in self.archives) or tuple(file.url for file in self.files if file.url)


@cache
def catalog() -> Mapping[str, Dataset]:
    """Every corpus errorbar knows, by name."""
    folder = files("errorbar.datasets")
    documents = [json.loads(entry.read_text("utf-8")) for entry in folder.iterdir() if entry.name.endswith(".json")]
    datasets = sorted((_dataset(document) for document in documents), key=lambda dataset: dataset.name)
    return MappingProxyType({dataset.name: dataset for dataset in datasets})


def dataset(name: str) -> Dataset:
    """The corpus of that name; raises ``UsageError`` if there is none."""
    known = catalog()
    if name not in known:
        raise UsageError(Problem("data-unknown", f"no corpus '{name}'", fix=nearest(name, known)))
    return known[name]


def identify(paths: Collection[Path]) -> Dataset | None:
    """Find the corpus that all these files are of, by their content, wherever they are and however they are called."""
    known: dict[tuple[int, str], set[str]] = {}
    for corpus in catalog().values():
        for file in corpus.files:
            if file.n_bytes and file.sha256:
                known.setdefault((file.n_bytes, file.sha256), set()).add(corpus.name)
    sizes = {n_bytes for n_bytes, _ in known}
    names = set(catalog())
    for path in paths:
        try:
            n_bytes = path.stat().st_size
            content = path.read_bytes() if n_bytes in sizes and path.is_file() else b""
        except OSError:
            return None
        names &= known.get((n_bytes, hashlib.sha256(content).hexdigest()), set())
    return catalog()[min(names)] if paths and names else None


def _dataset(document: dict[str, Any]) -> Dataset:
    if document.pop("schema") != SCHEMA:
        raise AssertionError(f"a card of this package has no schema {SCHEMA}")
    archives = tuple(Archive(**archive) for archive in document.pop("archives"))
    files = tuple(CorpusFile(n_bytes=file.pop("bytes"), **file) for file in document.pop("files"))
    traps, release = tuple(document.pop("traps")), document.pop("release") or ""
    return Dataset(**document, release=release, traps=traps, archives=archives, files=files)


def locate(corpus: Dataset, names: Collection[str], place: Place) -> dict[str, str]:
    """Path in the corpus by name of a file, in the folder that holds most of them: they are wrapped in folders at will.

    Other files are left where they are; every one that is missing is said.
    """
    paths = {file.path: file.optional for file in corpus.files}
    # Every end of a name, from a slash on, that is a path of the corpus is a vote for what stands before it.
    ends = ((name, "/".join(name.split("/")[at:])) for name in names for at in range(name.count("/") + 1))
    votes = Counter(name.removesuffix(end) for name, end in ends if end in paths)
    if not votes:
        message = f"it has none of the {len(paths)} files of the corpus '{corpus.name}'"
        fix = f"errorbar data show {corpus.name} lists them"
        raise InputError(Problem("data-file-missing", message, place, f"{corpus.files[0].path} and others", fix))
    # Most files first; among equals the folder that is nearest to the top.
    top = min(votes, key=lambda prefix: (-votes[prefix], len(prefix), prefix))
    if missing := [top + path for path, optional in paths.items() if top + path not in names and not optional]:
        fix = "the copy is incomplete"
        raise InputError([Problem("data-file-missing", f"'{name}' is not there", place, fix=fix) for name in missing])
    return {top + path: path for path in paths if top + path in names}


def cache_root() -> Path:
    """The cache folder: ``ERRORBAR_DATA``, else ``XDG_CACHE_HOME/errorbar``, else ``~/.cache/errorbar``.

    A relative ``XDG_CACHE_HOME`` is ignored, as the XDG specification demands.
    """
    own = os.environ.get(FOLDER)
    if own:
        return Path(own).expanduser().absolute()
    shared = Path(os.environ.get("XDG_CACHE_HOME", ""))
    return (shared if shared.is_absolute() else Path.home() / ".cache") / "errorbar"


def path(corpus: str | Dataset, *, root: Path | None = None) -> Path:
    """The folder of a corpus, of the catalog or your own, in the cache folder (None: the usual one).

    Raises:
        UsageError: If there is no corpus of that name.
        InputError: If it is not in the cache.
    """
    card, root = dataset(corpus) if isinstance(corpus, str) else corpus, root or cache_root()
    folder = root / card.name
    if not is_cached(card, root):
        message = f"the corpus '{card.name}' is not in the cache"
        raise InputError(Problem("data-missing", message, Place(str(folder)), fix=f"errorbar data fetch {card.name}"))
    return folder


def is_cached(corpus: Dataset, root: Path) -> bool:
    """Whether a corpus's folder is in the cache and holds anything."""
    folder = root / corpus.name
    return folder.is_dir() and any(folder.iterdir())


def read_recorded(root: Path, name: str) -> dict[str, str]:
    """The sha256 of every file of a corpus as it was first accepted, by path."""
    entry = _read_manifest(root)["datasets"].get(name, {"files": {}})
    return {file: str(seen["sha256"]) for file, seen in entry["files"].items()}


def write_recorded(root: Path, name: str, source: str, seen: dict[str, tuple[str, int]]) -> None:
    """Record where a corpus came from and the (sha256, bytes) of its files; the caller holds the lock."""
    manifest = _read_manifest(root)
    files = {file: {"sha256": sha256, "bytes": n_bytes} for file, (sha256, n_bytes) in sorted(seen.items())}
    manifest["datasets"][name] = {"source": source, "files": files}
    new = root / (MANIFEST + ".new")
    new.write_text(json.dumps(manifest, ensure_ascii=False, indent=1) + "\n", "utf-8")
    new.replace(root / MANIFEST)


def _read_manifest(root: Path) -> dict[str, Any]:
    file, manifest = root / MANIFEST, None
    with suppress(ValueError):
        manifest = json.loads(file.read_text("utf-8")) if file.exists() else {"schema": CACHE_SCHEMA, "datasets": {}}
    if not isinstance(manifest, dict) or manifest.get("schema") != CACHE_SCHEMA:
        fix = "delete it: the hashes of unpinned files are then recorded anew"
        raise InputError(Problem("data-manifest", "the manifest of the cache is damaged", Place(str(file)), fix=fix))
    return manifest


@contextmanager
def lock(root: Path, say: Callable[[str], object]) -> Iterator[None]:
    """Hold the cache's lock; wait for another process that holds it. A killed process releases it."""
    with (root / ".lock").open("w") as handle:
        if not _try_lock(handle):
            say(f"waiting for another errorbar that works in {root}")
            while not _try_lock(handle):
                time.sleep(POLL)
        yield
