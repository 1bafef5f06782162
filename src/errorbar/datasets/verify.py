"""Hashes: what a corpus's files must be, and what they are."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import Path

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.datasets.corpora import Dataset

Seen = dict[str, tuple[str, int]]
"""(sha256, bytes) of the files that are there, by path."""


def sha256_of(file: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def look(dataset: Dataset, folder: Path) -> Seen:
    """Hash every file of the corpus that is in the folder."""
    there = [(file.path, folder / file.path) for file in dataset.files if (folder / file.path).is_file()]
    return {name: (sha256_of(file), file.stat().st_size) for name, file in there}


def check(
    dataset: Dataset, folder: Path, recorded: Mapping[str, str], problems: Problems, *, trust: bool = False
) -> Seen:
    """Compare a folder with the catalog, and unpinned files with what was recorded the first time.

    Args:
        dataset: The corpus.
        folder: Where its files are.
        recorded: sha256 by path as first accepted.
        problems: Receives every file that is missing or different, and a note for every file that nothing can verify.
        trust: Accept unpinned files that differ from the recorded ones.

    Returns:
        What was seen.
    """
    seen = look(dataset, folder)
    for file in dataset.files:
        place = Place(f"{dataset.name}/{file.path}")
        if file.path not in seen:
            if not file.optional:
                problems.error("data-file-missing", "the file is not there", place, fix="the copy is incomplete")
            continue
        sha256, n_bytes = seen[file.path]
        if file.sha256 is not None:
            if sha256 != file.sha256:
                what = f"sha256 {sha256}, {n_bytes:,} bytes"
                size = "" if file.n_bytes is None else f", {file.n_bytes:,} bytes"
                fix = _why(folder / file.path, file.sha256)
                problems.error("data-hash", what, place, expected=file.sha256 + size, fix=fix)
        elif file.path not in recorded:
            what = f"sha256 {sha256}, {n_bytes:,} bytes, could not be verified: no hash is published"
            problems.note("data-unverified", what, place, fix="recorded; a later change will be refused")
        elif recorded[file.path] != sha256:
            what = f"sha256 {sha256} differs from the one first seen"
            if trust:
                problems.note("data-changed", what, place, fix="accepted and recorded, as asked by --trust")
            else:
                fix = "if the publisher changed it, repeat with --trust"
                problems.error("data-changed", what, place, expected=recorded[file.path], fix=fix)
    return seen


def _why(file: Path, sha256: str) -> str:
    unix = file.read_bytes().replace(b"\r\n", b"\n")
    if hashlib.sha256(unix).hexdigest() == sha256:
        return "its line ends were changed to CRLF; take a copy that no program has converted"
    return "the copy is damaged, or the publisher changed the file"
