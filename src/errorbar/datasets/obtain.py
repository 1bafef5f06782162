"""A corpus's files into a staging folder: downloaded or copied, unpacked, and compared with their hashes."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.datasets.corpora import Archive, DataFile, Dataset
from errorbar.datasets.locate import locate
from errorbar.datasets.verify import Seen, check, sha256_of

if TYPE_CHECKING:
    from errorbar.datasets.download import Progress

Result = TypeVar("Result")

PARTIAL = "partial"
"""The folder for unfinished downloads, in the cache folder."""


@dataclass(frozen=True, slots=True)
class Job:
    """What every step of one fetch needs.

    Attributes:
        dataset: The corpus.
        root: The cache folder.
        recorded: sha256 of its files as first accepted, by path.
        trust: Accept unpinned files that differ from those.
        progress: Opens a progress line.
        say: Is told what is going on.
        notes: What the user should know in the end.
    """

    dataset: Dataset
    root: Path
    recorded: dict[str, str]
    trust: bool
    progress: Progress
    say: Callable[[str], None]
    notes: list[Problem] = field(default_factory=list)

    @property
    def old(self) -> Path:
        """Where a folder waits that is being replaced."""
        return self.root / f".old-{self.dataset.name}"

    @property
    def staging(self) -> Path:
        """Where the new folder is made."""
        return self.root / f".new-{self.dataset.name}"

    @property
    def partial(self) -> Path:
        """Where unfinished downloads are."""
        return self.root / PARTIAL / self.dataset.name


def from_archives(job: Job) -> tuple[Seen, str]:
    """Fill the staging folder from the first archive that answers and holds what it should.

    Raises:
        InputError: With what is wrong with each of them.
    """
    failures: list[Problem] = []
    for archive in job.dataset.archives:
        part = job.partial / (archive.url.rsplit("/", 1)[-1] + ".part")
        try:
            seen = _download_and(job, archive.url, archive.sha256, part, partial(_use_archive, job, archive, part))
        except InputError as error:
            failures += [
                replace(p, place=Place(archive.url)) if p.place.file == str(part) else p for p in error.problems
            ]
        else:
            for failure in failures:
                job.notes.append(replace(failure, fix=f"taken from {archive.url} instead", severity="warning"))
            return seen, archive.url
    raise InputError(failures)


def from_single_files(job: Job) -> Seen:
    """Fill the staging folder with files that are published one by one.

    Raises:
        InputError: If there are none, or one cannot be had or verified.
    """
    wanted = [file for file in job.dataset.files if file.url]
    if not wanted:
        what = f"no address of the corpus '{job.dataset.name}' is known"
        fix = f"get a copy by way of {job.dataset.page}, then errorbar data fetch {job.dataset.name} --from-file PATH"
        raise InputError(Problem("data-no-address", what, fix=fix))
    for file in wanted:
        part = job.partial / (file.path + ".part")
        _download_and(job, file.url, file.sha256, part, partial(_use_file, job, file, part))
    return check_staging(job)


def _download_and(job: Job, url: str, sha256: str | None, part: Path, use: Callable[[], Result]) -> Result:
    """Download and use; where a resumed download turns out bad, once more from the start."""
    from errorbar.datasets.download import discard, download  # noqa: PLC0415 - the network is rarely needed
    from errorbar.datasets.safety import MOST_BYTES  # noqa: PLC0415

    while True:
        if sha256 is not None and part.is_file() and sha256_of(part) == sha256:
            return use()  # an earlier fetch got so far
        job.say(f"{job.dataset.name}: downloading {url}")
        resumed = download(url, part, limit=MOST_BYTES, progress=job.progress, say=job.say)
        try:
            return use()
        except InputError as error:
            discard(part)
            if not resumed:
                raise
            job.say(f"{url}: the resumed download is bad ({error.code}); downloading it from the start")


def _use_archive(job: Job, archive: Archive, part: Path) -> Seen:
    _check_hash(part, archive.sha256, archive.url)
    unpack(job, part)
    return check_staging(job)


def _use_file(job: Job, file: DataFile, part: Path) -> None:
    _check_hash(part, file.sha256, file.url)
    target = job.staging / file.path
    target.parent.mkdir(parents=True, exist_ok=True)
    shutil.copyfile(part, target)


def _check_hash(part: Path, sha256: str | None, url: str) -> None:
    if sha256 is None:
        return
    seen = sha256_of(part)
    if seen != sha256:
        with part.open("rb") as file:
            page = file.read(512).lstrip().lower().startswith((b"<!doctype html", b"<html"))
        what = f"{'a web page: ' if page else ''}sha256 {seen}, {part.stat().st_size:,} bytes"
        fix = "the publisher changed the file, or something between here and there did"
        raise InputError(Problem("data-hash", what, Place(url), expected=sha256, fix=fix))


def unpack(job: Job, path: Path) -> None:
    """Fill the staging folder out of a folder or archive, at whatever depth the files stand there.

    Raises:
        InputError: If it cannot be read, is not safe, or lacks files.
    """
    from errorbar.datasets.contents import open_contents  # noqa: PLC0415 - tar and zip are rarely needed

    shutil.rmtree(job.staging, ignore_errors=True)
    job.staging.mkdir()
    contents = open_contents(path)
    found = locate(job.dataset, contents.members(), Place(str(path)))
    contents.copy({name: job.staging / target for name, target in found.items()})


def check_staging(job: Job) -> Seen:
    """Compare the staging folder with the catalog and the records.

    Raises:
        InputError: With every file that is not what it should be.
    """
    problems = Problems(limit=len(job.dataset.files) + 1)
    seen = check(job.dataset, job.staging, job.recorded, problems, trust=job.trust)
    problems.raise_errors()
    job.notes.extend(problems.notes)
    return seen
