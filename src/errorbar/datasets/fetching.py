"""A corpus into the cache: download or copy, unpack, verify, and only then put the folder in its place."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, TypeVar

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.datasets.cache import FOLDER, cache_root, is_cached, lock, read_recorded, write_recorded
from errorbar.datasets.cards import Archive, DataFile, Dataset, dataset

if TYPE_CHECKING:
    from errorbar.datasets.archives import Member
    from errorbar.datasets.download import Progress

Result = TypeVar("Result")
Seen = dict[str, tuple[str, int]]
"""(sha256, bytes) of the files that are there, by path."""
PARTIAL = "partial"
"""The folder for unfinished downloads, in the cache folder."""


@dataclass(frozen=True, slots=True)
class Fetched:
    """A corpus in the cache.

    Attributes:
        dataset: The corpus.
        path: Its folder.
        source: Where it came from: addresses, a path, or "cache" if it was there already.
        n_files: How many files it has.
        n_bytes: Their size.
        n_verified: How many of them have a published hash, which they meet; the others are trusted on first use.
        notes: What a user should know: files that nothing could verify, addresses that did not answer.
    """

    dataset: Dataset
    path: Path
    source: str
    n_files: int
    n_bytes: int
    n_verified: int
    notes: tuple[Problem, ...]


def fetch(
    corpus: str | Dataset,
    *,
    from_file: Path | None = None,
    root: Path | None = None,
    again: bool = False,
    trust: bool = False,
    progress: Progress | None = None,
    say: Callable[[str], object] = lambda line: None,
) -> Fetched:
    """Put a corpus into the cache, or verify the one that is there.

    Every file is compared with its published hash before the corpus's folder appears. Files without a published
    hash are trusted the first time, recorded, and refused if they differ later. A download that fails or is
    killed leaves a ``.part`` in ``partial/``, which the next one completes.

    Args:
        corpus: A name of the catalog, or a corpus of your own.
        from_file: A folder or an archive at hand, taken instead of the publisher's.
        root: The cache folder; None for the usual one.
        again: Fetch it although it is there.
        trust: Accept unpinned files that differ from those recorded.
        progress: Opens a progress line for (unit, total).
        say: Is told what is going on, a line at a time.

    Raises:
        UsageError: If there is no corpus of that name.
        InputError: If it cannot be had, read, verified or written; the cache is then as it was.
    """
    found = dataset(corpus) if isinstance(corpus, str) else corpus
    root = root or cache_root()
    try:
        root.mkdir(parents=True, exist_ok=True)
        with lock(root, say):
            job = _Job(found, root, trust=trust, progress=progress, say=say)
            job.tidy()
            return job.verify_cached() if is_cached(found, root) and not again else job.fetch(from_file)
    except OSError as error:
        what = f"{error.strerror or error}"
        fix = f"look at the permissions and the space left; {FOLDER} names another folder for the cache"
        raise InputError(Problem("data-io", what, Place(str(error.filename or root)), fix=fix)) from error


class _Job:
    """One fetch: the corpus, the cache folder, sha256 of its files as first accepted, and what the user wants."""

    def __init__(
        self, dataset: Dataset, root: Path, *, trust: bool, progress: Progress | None, say: Callable[[str], object]
    ) -> None:
        self.dataset = dataset
        self.root = root
        self.recorded = read_recorded(root, dataset.name)
        self.trust = trust
        self.progress = progress or (lambda unit, total: nullcontext(lambda done: None))
        self.say = say
        self.notes: list[Problem] = []
        self.target = root / dataset.name
        self.old = root / f".old-{dataset.name}"  # where a folder waits that is being replaced
        self.staging = root / f".new-{dataset.name}"
        self.partial = root / PARTIAL / dataset.name

    def tidy(self) -> None:
        """Clear away what a killed process left."""
        if self.old.exists() and not self.target.exists():
            self.old.replace(self.target)
        shutil.rmtree(self.old, ignore_errors=True)
        shutil.rmtree(self.staging, ignore_errors=True)

    def fetch(self, from_file: Path | None) -> Fetched:
        try:
            if from_file is not None:
                seen, source = self._unpack(from_file.expanduser()), str(from_file)
            elif self.dataset.archives:
                seen, source = self._from_archives()
            else:
                seen, source = self._from_single_files(), self.dataset.page
            write_recorded(self.root, self.dataset.name, source, seen)
            if self.target.exists():  # the new folder is whole: between the two renames only a kill can hide the corpus
                self.target.replace(self.old)
            self.staging.replace(self.target)
            shutil.rmtree(self.old, ignore_errors=True)
        finally:
            shutil.rmtree(self.staging, ignore_errors=True)
        shutil.rmtree(self.partial, ignore_errors=True)
        return self._fetched(seen, source)

    def verify_cached(self) -> Fetched:
        try:
            seen = self._check(self.target)
        except InputError as error:
            fix = f"the folder was changed; errorbar data fetch --again {self.dataset.name}"
            raise InputError([replace(each, fix=fix) for each in error.problems]) from None
        if self.notes:
            write_recorded(self.root, self.dataset.name, "cache", seen)
        return self._fetched(seen, "cache")

    def _fetched(self, seen: Seen, source: str) -> Fetched:
        n_verified = sum(file.sha256 is not None for file in self.dataset.files if file.path in seen)
        n_bytes = sum(size for _, size in seen.values())
        return Fetched(self.dataset, self.target, source, len(seen), n_bytes, n_verified, tuple(self.notes))

    def _from_archives(self) -> tuple[Seen, str]:
        """Fill the staging folder from the first archive that answers and holds what it should."""
        failures: list[Problem] = []
        for archive in self.dataset.archives:
            part = self.partial / (archive.url.rsplit("/", 1)[-1] + ".part")
            try:
                seen = self._download(archive, part, self._unpack)
            except InputError as error:
                at = Place(archive.url)
                failures += [replace(p, place=at) if p.place.file == str(part) else p for p in error.problems]
            else:
                fix = f"taken from {archive.url} instead"
                self.notes.extend(replace(failure, fix=fix, severity="warning") for failure in failures)
                return seen, archive.url
        raise InputError(failures)

    def _from_single_files(self) -> Seen:
        """Fill the staging folder with files that are published one by one."""
        wanted = [file for file in self.dataset.files if file.url]
        name = self.dataset.name
        if not wanted:
            what = f"no address of the corpus '{name}' is known"
            fix = f"get a copy by way of {self.dataset.page}, then errorbar data fetch {name} --from-file PATH"
            raise InputError(Problem("data-no-address", what, fix=fix))
        for file in wanted:
            target = self.staging / file.path
            target.parent.mkdir(parents=True, exist_ok=True)
            self._download(file, self.partial / (file.path + ".part"), partial(shutil.copyfile, dst=target))
        return self._check(self.staging)

    def _download(self, what: Archive | DataFile, part: Path, use: Callable[[Path], Result]) -> Result:
        """Download and use; where a resumed download turns out bad, once more from the start."""
        from errorbar.datasets.archives import MOST_BYTES  # noqa: PLC0415 - the network is rarely needed
        from errorbar.datasets.download import discard, download  # noqa: PLC0415

        while True:
            if what.sha256 is not None and part.is_file() and sha256_of(part) == what.sha256:
                return use(part)  # an earlier fetch got so far
            self.say(f"{self.dataset.name}: downloading {what.url}")
            resumed = download(what.url, part, limit=MOST_BYTES, progress=self.progress, say=self.say)
            try:
                _check_hash(part, what)
                return use(part)
            except InputError as error:
                discard(part)
                if not resumed:
                    raise
                self.say(f"{what.url}: the resumed download is bad ({error.code}); downloading it from the start")

    def _unpack(self, path: Path) -> Seen:
        """Fill the staging folder out of a folder or archive, at whatever depth the files stand there."""
        from errorbar.datasets.archives import open_contents  # noqa: PLC0415 - tar and zip are rarely needed

        shutil.rmtree(self.staging, ignore_errors=True)
        self.staging.mkdir()
        contents = open_contents(path)
        found = locate(self.dataset, contents.members(), Place(str(path)))
        contents.copy({name: self.staging / target for name, target in found.items()})
        return self._check(self.staging)

    def _check(self, folder: Path) -> Seen:
        """Compare a folder with the catalog, and unpinned files with what was recorded; every difference is said."""
        seen = look(self.dataset, folder)
        problems = Problems(limit=len(self.dataset.files) + 1)
        for file in self.dataset.files:
            place = Place(f"{self.dataset.name}/{file.path}")
            if file.path not in seen:
                if not file.optional:
                    problems.error("data-file-missing", "the file is not there", place, fix="the copy is incomplete")
                continue
            sha256, n_bytes = seen[file.path]
            recorded = self.recorded.get(file.path)
            if file.sha256 is not None:
                if sha256 != file.sha256:
                    what = f"sha256 {sha256}, {n_bytes:,} bytes"
                    size = "" if file.n_bytes is None else f", {file.n_bytes:,} bytes"
                    fix = _why(folder / file.path, file.sha256)
                    problems.error("data-hash", what, place, expected=file.sha256 + size, fix=fix)
            elif recorded is None:
                what = f"sha256 {sha256}, {n_bytes:,} bytes, could not be verified: no hash is published"
                problems.note("data-unverified", what, place, fix="recorded; a later change will be refused")
            elif recorded != sha256:
                what = f"sha256 {sha256} differs from the one first seen"
                if self.trust:
                    problems.note("data-changed", what, place, fix="accepted and recorded, as asked by --trust")
                else:
                    fix = "if the publisher changed it, repeat with --trust"
                    problems.error("data-changed", what, place, expected=recorded, fix=fix)
        problems.raise_errors()
        self.notes.extend(problems.notes)
        return seen


def locate(dataset: Dataset, members: Sequence[Member], place: Place) -> dict[str, str]:
    """Find the folder that holds most of the corpus's files: publishers and readers wrap them in folders at will.

    Args:
        dataset: The corpus.
        members: Everything there is.
        place: The folder or archive, for messages.

    Returns:
        Path in the corpus by name of the member. Other members (scripts, other corpora) are left where they are.

    Raises:
        InputError: With every file that is missing.
    """
    names = {member.name for member in members if member.is_file}
    by_last: dict[str, list[str]] = {}
    for file in dataset.files:
        by_last.setdefault(PurePosixPath(file.path).name, []).append(file.path)
    votes: Counter[str] = Counter()
    for name in names:
        for path in by_last.get(name.rsplit("/", 1)[-1], []):
            if name == path or name.endswith("/" + path):
                votes[name.removesuffix(path)] += 1
    if not votes:
        what = f"it has none of the {len(dataset.files)} files of the corpus '{dataset.name}'"
        fix = f"errorbar data show {dataset.name} lists them"
        raise InputError(Problem("data-file-missing", what, place, f"{dataset.files[0].path} and others", fix))
    # Most files first; among equals the folder that is nearest to the top.
    top = min(votes, key=lambda prefix: (-votes[prefix], len(prefix), prefix))
    problems = Problems(limit=len(dataset.files) + 1)
    for file in dataset.files:
        if top + file.path not in names and not file.optional:
            problems.error("data-file-missing", f"'{top}{file.path}' is not there", place, fix="the copy is incomplete")
    problems.raise_errors()
    return {top + file.path: file.path for file in dataset.files if top + file.path in names}


def look(dataset: Dataset, folder: Path) -> Seen:
    """Hash every file of the corpus that is in the folder."""
    there = [(file.path, folder / file.path) for file in dataset.files if (folder / file.path).is_file()]
    return {name: (sha256_of(file), file.stat().st_size) for name, file in there}


def sha256_of(file: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _check_hash(part: Path, published: Archive | DataFile) -> None:
    seen = sha256_of(part)
    if published.sha256 not in (None, seen):
        with part.open("rb") as file:
            page = file.read(512).lstrip().lower().startswith((b"<!doctype html", b"<html"))
        what = f"{'a web page: ' if page else ''}sha256 {seen}, {part.stat().st_size:,} bytes"
        fix = "the publisher changed the file, or something between here and there did"
        raise InputError(Problem("data-hash", what, Place(published.url), expected=published.sha256, fix=fix))


def _why(file: Path, sha256: str) -> str:
    unix = file.read_bytes().replace(b"\r\n", b"\n")
    if hashlib.sha256(unix).hexdigest() == sha256:
        return "its line ends were changed to CRLF; take a copy that no program has converted"
    return "the copy is damaged, or the publisher changed the file"
