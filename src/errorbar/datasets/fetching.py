"""A corpus into the cache: download or copy, unpack, verify, and only then put the folder in its place."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.datasets.cards import (
    FOLDER,
    Archive,
    DataFile,
    Dataset,
    Talk,
    cache_root,
    dataset,
    is_cached,
    locate,
    lock,
    read_recorded,
    write_recorded,
)


@dataclass(frozen=True, slots=True)
class Fetched:
    """A corpus in the cache."""

    dataset: Dataset
    path: Path
    source: str  # addresses, a path, or "cache" if it was there already
    n_files: int
    n_bytes: int
    n_verified: int  # files that meet a published hash; the others are trusted on first use
    notes: tuple[Problem, ...]  # files that nothing could verify, addresses that did not answer


def fetch(
    corpus: str | Dataset,
    *,
    from_file: Path | None = None,
    root: Path | None = None,
    again: bool = False,
    trust: bool = False,
    talk: Talk | None = None,
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
        talk: Is told what is going on.

    Raises:
        UsageError: If there is no corpus of that name.
        InputError: If it cannot be had, read, verified or written; the cache is then as it was.
    """
    found = dataset(corpus) if isinstance(corpus, str) else corpus
    root, talk = root or cache_root(), talk or Talk()
    try:
        root.mkdir(parents=True, exist_ok=True)
        with lock(root, talk.say):
            job = _Job(found, root, trust, talk)
            job.tidy()
            source = job.verify_cached() if is_cached(found, root) and not again else job.fetch(from_file)
            n_verified = sum(file.sha256 is not None for file in found.files if file.path in job.seen)
            n_bytes = sum(size for _, size in job.seen.values())
            return Fetched(found, job.target, source, len(job.seen), n_bytes, n_verified, tuple(job.notes))
    except OSError as error:
        fix = f"look at the permissions and the space left; {FOLDER} names another folder for the cache"
        place = Place(str(error.filename or root))
        raise InputError(Problem("data-io", f"{error.strerror or error}", place, fix=fix)) from error


class _Job:
    """One fetch; ``fetch`` and ``verify_cached`` say where the files came from."""

    def __init__(self, dataset: Dataset, root: Path, trust: bool, talk: Talk) -> None:
        self.dataset, self.root, self.trust, self.talk = dataset, root, trust, talk
        self.recorded = read_recorded(root, dataset.name)  # sha256 of its files as first accepted
        self.seen: dict[str, tuple[str, int]] = {}  # (sha256, bytes) of the files that are there
        self.notes: list[Problem] = []
        self.target = root / dataset.name
        self.old = root / f".old-{dataset.name}"  # where a folder waits that is being replaced
        self.staging = root / f".new-{dataset.name}"
        self.partial = root / "partial" / dataset.name

    def tidy(self) -> None:
        """Clear away what a killed process left."""
        if self.old.exists() and not self.target.exists():
            self.old.replace(self.target)
        shutil.rmtree(self.old, ignore_errors=True)
        shutil.rmtree(self.staging, ignore_errors=True)

    def fetch(self, from_file: Path | None) -> str:
        try:
            if from_file is None:
                source = self._from_archives() if self.dataset.archives else self._from_single_files()
            else:
                source = str(from_file)
                self._unpack(from_file.expanduser())
            write_recorded(self.root, self.dataset.name, source, self.seen)
            if self.target.exists():  # the new folder is whole: between the two renames only a kill can hide the corpus
                self.target.replace(self.old)
            self.staging.replace(self.target)
        finally:
            self.tidy()
        shutil.rmtree(self.partial, ignore_errors=True)
        return source

    def verify_cached(self) -> str:
        try:
            self._check(self.target)
        except InputError as error:
            fix = f"the folder was changed; errorbar data fetch --again {self.dataset.name}"
            raise InputError([replace(each, fix=fix) for each in error.problems]) from None
        if self.notes:
            write_recorded(self.root, self.dataset.name, "cache", self.seen)
        return "cache"

    def _from_archives(self) -> str:
        """Fill the staging folder from the first archive that answers and holds what it should."""
        failures: list[Problem] = []
        for archive in self.dataset.archives:
            part = self.partial / (archive.url.rsplit("/", 1)[-1] + ".part")
            try:
                self._download(archive, part, self._unpack)
            except InputError as error:
                at = Place(archive.url)
                failures += [replace(p, place=at) if p.place.file == str(part) else p for p in error.problems]
            else:
                fix = f"taken from {archive.url} instead"
                self.notes += [replace(failure, fix=fix, severity="warning") for failure in failures]
                return archive.url
        raise InputError(failures)

    def _from_single_files(self) -> str:
        """Fill the staging folder with files that are published one by one."""
        name, page = self.dataset.name, self.dataset.page
        if not self.dataset.addresses:
            fix = f"get a copy by way of {page}, then errorbar data fetch {name} --from-file PATH"
            raise InputError(Problem("data-no-address", f"no address of the corpus '{name}' is known", fix=fix))
        for file in self.dataset.files:
            if file.url:
                target = self.staging / file.path
                target.parent.mkdir(parents=True, exist_ok=True)
                self._download(file, self.partial / (file.path + ".part"), partial(shutil.copyfile, dst=target))
        self._check(self.staging)
        return page

    def _download(self, what: Archive | DataFile, part: Path, use: Callable[[Path], object]) -> None:
        """Download and use; where a resumed download turns out bad, once more from the start."""
        from errorbar.datasets.archives import MOST_BYTES, is_page  # noqa: PLC0415 - the network is rarely needed
        from errorbar.datasets.download import discard, download  # noqa: PLC0415

        if what.sha256 and part.is_file() and what.sha256 == sha256_of(part):  # an earlier fetch got so far
            use(part)
            return
        while True:
            self.talk.say(f"{self.dataset.name}: downloading {what.url}")
            resumed = download(what.url, part, limit=MOST_BYTES, talk=self.talk)
            try:
                if what.sha256 not in (None, seen := sha256_of(part)):
                    said = f"{'a web page: ' if is_page(part) else ''}sha256 {seen}, {part.stat().st_size:,} bytes"
                    fix = "the publisher changed the file, or something between here and there did"
                    raise InputError(Problem("data-hash", said, Place(what.url), expected=what.sha256 or "", fix=fix))
                use(part)
                return
            except InputError as error:
                discard(part)
                if not resumed:
                    raise
                self.talk.say(f"{what.url}: the resumed download is bad ({error.code}); downloading it from the start")

    def _unpack(self, path: Path) -> None:
        """Fill the staging folder out of a folder or archive, at whatever depth the files stand there."""
        from errorbar.datasets.archives import copy, files_in  # noqa: PLC0415 - tar and zip are rarely needed

        shutil.rmtree(self.staging, ignore_errors=True)
        self.staging.mkdir()
        found = locate(self.dataset, set(files_in(path)), Place(str(path)))
        copy(path, {name: self.staging / target for name, target in found.items()})
        self._check(self.staging)

    def _check(self, folder: Path) -> None:
        """Compare a folder with the catalog, and unpinned files with what was recorded; every difference is said."""
        self.seen = look(self.dataset, folder)
        problems = Problems(limit=len(self.dataset.files) + 1)
        for file in self.dataset.files:
            place = Place(f"{self.dataset.name}/{file.path}")
            if file.path not in self.seen:
                if not file.optional:
                    problems.error("data-file-missing", "the file is not there", place, fix="the copy is incomplete")
                continue
            sha256, n_bytes = self.seen[file.path]
            known, what = file.sha256 or self.recorded.get(file.path), f"sha256 {sha256}, {n_bytes:,} bytes"
            if known is None:
                what += ", could not be verified: no hash is published"
                problems.note("data-unverified", what, place, fix="recorded; a later change will be refused")
            elif sha256 == known:
                continue
            elif file.sha256:
                size = "" if file.n_bytes is None else f", {file.n_bytes:,} bytes"
                problems.error("data-hash", what, place, expected=known + size, fix=_why(folder / file.path, known))
            elif self.trust:
                what += ", differs from the one first seen"
                problems.note("data-changed", what, place, fix="accepted and recorded, as asked by --trust")
            else:
                what += ", differs from the one first seen"
                fix = "if the publisher changed it, repeat with --trust"
                problems.error("data-changed", what, place, expected=known, fix=fix)
        problems.raise_errors()
        self.notes += problems.notes


def look(dataset: Dataset, folder: Path) -> dict[str, tuple[str, int]]:
    """(sha256, bytes) of every file of the corpus that is in the folder."""
    there = [(file.path, folder / file.path) for file in dataset.files if (folder / file.path).is_file()]
    return {name: (sha256_of(file), file.stat().st_size) for name, file in there}


def sha256_of(file: Path) -> str:
    """The sha256 of a file, in hexadecimal."""
    with file.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def _why(file: Path, sha256: str) -> str:
    unix = file.read_bytes().replace(b"\r\n", b"\n")
    if hashlib.sha256(unix).hexdigest() == sha256:
        return "its line ends were changed to CRLF; take a copy that no program has converted"
    return "the copy is damaged, or the publisher changed the file"
