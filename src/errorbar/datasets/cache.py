"""The cache folder: where it is, what was seen in it first, and one writer at a time."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any

from errorbar.core.errors import InputError, Place, Problem
from errorbar.datasets.cards import Dataset, dataset

FOLDER = "ERRORBAR_DATA"
"""The environment variable that names the cache folder."""
SCHEMA = "errorbar.cache/1"
MANIFEST = "manifest.json"
LOCK = ".lock"
POLL = 0.2
"""Seconds between two looks at a lock that another process holds."""

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
    """The folder of a corpus in the cache.

    Args:
        corpus: A name of the catalog, or a corpus of your own.
        root: The cache folder; None for the usual one.

    Raises:
        UsageError: If there is no corpus of that name.
        InputError: If it is not in the cache.
    """
    found = dataset(corpus) if isinstance(corpus, str) else corpus
    folder = (root or cache_root()) / found.name
    if not is_cached(found, root or cache_root()):
        what = f"the corpus '{found.name}' is not in the cache"
        raise InputError(Problem("data-missing", what, Place(str(folder)), fix=f"errorbar data fetch {found.name}"))
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
    file = root / MANIFEST
    try:
        text = file.read_text("utf-8")
    except FileNotFoundError:
        return {"schema": SCHEMA, "datasets": {}}
    try:
        manifest = json.loads(text)
    except ValueError:
        manifest = None
    if not isinstance(manifest, dict) or manifest.get("schema") != SCHEMA:
        fix = "delete it: the hashes of unpinned files are then recorded anew"
        raise InputError(Problem("data-manifest", "the manifest of the cache is damaged", Place(str(file)), fix=fix))
    return manifest


@contextmanager
def lock(root: Path, say: Callable[[str], object]) -> Iterator[None]:
    """Hold the cache's lock; wait for another process that holds it. A killed process releases it."""
    with (root / LOCK).open("w") as handle:
        waiting = False
        while not _try_lock(handle):
            if not waiting:
                say(f"waiting for another errorbar that works in {root}")
                waiting = True
            time.sleep(POLL)
        yield
