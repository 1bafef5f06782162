"""A corpus into the cache: download or copy, unpack, verify, and only then put the folder in its place."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.datasets.cache import FOLDER, cache_root, is_cached, lock, read_recorded, write_recorded
from errorbar.datasets.corpora import Dataset, dataset
from errorbar.datasets.obtain import Job, check_staging, from_archives, from_single_files, unpack
from errorbar.datasets.verify import Seen, check

if TYPE_CHECKING:
    from errorbar.datasets.download import Progress


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
    say: Callable[[str], None] | None = None,
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
        with lock(root, say or _silent):
            job = Job(
                dataset=found,
                root=root,
                recorded=read_recorded(root, found.name),
                trust=trust,
                progress=progress or (lambda unit, total: nullcontext(lambda done: None)),
                say=say or _silent,
            )
            _tidy(job)
            if is_cached(found, root) and not again:
                return _verify_cached(job)
            return _fetch(job, from_file)
    except OSError as error:
        what = f"{error.strerror or error}"
        fix = f"look at the permissions and the space left; {FOLDER} names another folder for the cache"
        raise InputError(Problem("data-io", what, Place(str(error.filename or root)), fix=fix)) from error


def _fetch(job: Job, from_file: Path | None) -> Fetched:
    try:
        if from_file is not None:
            unpack(job, from_file.expanduser())
            seen, source = check_staging(job), str(from_file)
        elif job.dataset.archives:
            seen, source = from_archives(job)
        else:
            seen, source = from_single_files(job), job.dataset.page
        write_recorded(job.root, job.dataset.name, source, seen)
        _place(job)
    finally:
        shutil.rmtree(job.staging, ignore_errors=True)
    shutil.rmtree(job.partial, ignore_errors=True)
    return _fetched(job, seen, source)


def _verify_cached(job: Job) -> Fetched:
    problems = Problems(limit=len(job.dataset.files) + 1)
    seen = check(job.dataset, job.root / job.dataset.name, job.recorded, problems, trust=job.trust)
    if problems.errors:
        fix = f"the folder was changed; errorbar data fetch --again {job.dataset.name}"
        raise InputError([Problem(p.code, p.what, p.place, p.expected, fix) for p in problems.errors])
    if problems.notes:
        write_recorded(job.root, job.dataset.name, "cache", seen)
    job.notes.extend(problems.notes)
    return _fetched(job, seen, "cache")


def _fetched(job: Job, seen: Seen, source: str) -> Fetched:
    return Fetched(
        dataset=job.dataset,
        path=job.root / job.dataset.name,
        source=source,
        n_files=len(seen),
        n_bytes=sum(size for _, size in seen.values()),
        n_verified=sum(file.sha256 is not None for file in job.dataset.files if file.path in seen),
        notes=tuple(job.notes),
    )


def _place(job: Job) -> None:
    target = job.root / job.dataset.name
    if target.exists():  # the new folder is whole: between the two renames only a kill can hide the corpus
        target.replace(job.old)
    job.staging.replace(target)
    shutil.rmtree(job.old, ignore_errors=True)


def _tidy(job: Job) -> None:
    """Clear away what a killed process left."""
    target = job.root / job.dataset.name
    if job.old.exists() and not target.exists():
        job.old.replace(target)
    shutil.rmtree(job.old, ignore_errors=True)
    shutil.rmtree(job.staging, ignore_errors=True)


def _silent(line: str) -> None:
    """Say nothing."""
