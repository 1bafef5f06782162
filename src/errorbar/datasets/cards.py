"""The catalog: a card for each corpus (JSON), with address, license, citation, traps and the hash of every file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Any

from errorbar.core.errors import Problem, UsageError, nearest

SCHEMA = "errorbar.dataset/1"


@dataclass(frozen=True, slots=True)
class Archive:
    """A published archive.

    Attributes:
        url: Its address.
        sha256: Hash of the whole archive, or None where no hash is known; its files are then checked instead.
    """

    url: str
    sha256: str | None = None


@dataclass(frozen=True, slots=True)
class DataFile:
    """One file of a corpus.

    Attributes:
        path: Where it stands in the corpus's folder, with forward slashes.
        sha256: Its hash, or None where errorbar does not know it (the first one seen is then recorded).
        n_bytes: Its size, or None.
        url: Where it is published by itself, or "" if it comes out of an archive.
        optional: Whether a copy without it counts as complete.
    """

    path: str
    sha256: str | None = None
    n_bytes: int | None = None
    url: str = ""
    optional: bool = False


@dataclass(frozen=True, slots=True)
class Dataset:
    """A corpus.

    Attributes:
        name: Short name, also the name of its folder in the cache.
        title: What it is, in one line.
        release: The publisher's release, or "".
        page: The publisher's page.
        license: Terms of use, in one line.
        citation: The paper to cite.
        citation_url: Address of the paper.
        traps: What goes wrong for those who do not know, one sentence or two each.
        archives: Published archives with the same content; the first that answers is used.
        files: Every file.
    """

    name: str
    title: str
    release: str
    page: str
    license: str
    citation: str
    citation_url: str
    traps: tuple[str, ...]
    archives: tuple[Archive, ...]
    files: tuple[DataFile, ...]

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
    """The corpus of that name.

    Raises:
        UsageError: If there is none; the message names the nearest.
    """
    known = catalog()
    if name not in known:
        raise UsageError(Problem("data-unknown", f"no corpus '{name}'", fix=nearest(name, known)))
    return known[name]


def _dataset(document: dict[str, Any]) -> Dataset:
    assert document.pop("schema") == SCHEMA
    archives = tuple(Archive(**archive) for archive in document.pop("archives"))
    files = tuple(DataFile(n_bytes=file.pop("bytes"), **file) for file in document.pop("files"))
    traps, release = tuple(document.pop("traps")), document.pop("release") or ""
    return Dataset(**document, release=release, traps=traps, archives=archives, files=files)
