"""A corpus into the cache: download or copy, unpack, verify, and only then put the folder in its place."""

from __future__ import annotations

import hashlib
import re
import shutil
import time
from dataclasses import dataclass, replace
from functools import partial
from http.client import HTTPConnection, HTTPException, HTTPMessage, HTTPResponse
from io import BufferedReader, RawIOBase
from pathlib import Path
from typing import IO, TYPE_CHECKING
from urllib.error import HTTPError, URLError
from urllib.request import HTTPHandler, HTTPRedirectHandler, HTTPSHandler, Request, build_opener

from errorbar.core.problems import ErrorbarError, InputError, Place, Problem, Problems, visible
from errorbar.datasets.cards import (
    FOLDER,
    Archive,
    CorpusFile,
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
from errorbar.version import __version__

if TYPE_CHECKING:
    from collections.abc import Callable
    from socket import socket

    from _typeshed import WriteableBuffer


@dataclass(frozen=True, slots=True)
class FetchedCorpus:
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
) -> FetchedCorpus:
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
    card = dataset(corpus) if isinstance(corpus, str) else corpus
    root, talk = root or cache_root(), talk or Talk()
    try:
        root.mkdir(parents=True, exist_ok=True)
        with lock(root, talk.say):
            job = _Job(card, root, trust, talk)
            job.tidy()
            source = job.verify_cached() if is_cached(card, root) and not again else job.fetch(from_file)
            n_verified = sum(file.sha256 is not None for file in card.files if file.path in job.seen)
            n_bytes = sum(size for _, size in job.seen.values())
            return FetchedCorpus(card, job.target, source, len(job.seen), n_bytes, n_verified, tuple(job.notes))
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
            raise InputError([replace(problem, fix=fix) for problem in error.problems]) from None
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

    def _download(self, item: Archive | CorpusFile, part: Path, use: Callable[[Path], object]) -> None:
        """Download and use; where a resumed download turns out bad, once more from the start."""
        from errorbar.datasets.archives import MOST_BYTES, is_page  # noqa: PLC0415 - the network is rarely needed

        if item.sha256 and part.is_file() and item.sha256 == sha256_of(part):  # an earlier fetch got so far
            use(part)
            return
        while True:
            self.talk.say(f"{self.dataset.name}: downloading {item.url}")
            resumed = download(item.url, part, limit=MOST_BYTES, talk=self.talk)
            try:
                if item.sha256 not in (None, seen := sha256_of(part)):
                    contents = f"{'a web page: ' if is_page(part) else ''}sha256 {seen}, {part.stat().st_size:,} bytes"
                    fix = "the publisher changed the file, or something between here and there did"
                    raise InputError(
                        Problem("data-hash", contents, Place(item.url), expected=item.sha256 or "", fix=fix)
                    )
                use(part)
                return
            except InputError as error:
                discard(part)
                if not resumed:
                    raise
                self.talk.say(f"{item.url}: the resumed download is bad ({error.code}); downloading it from the start")

    def _unpack(self, path: Path) -> None:
        """Fill the staging folder out of a folder or archive, at whatever depth the files stand there."""
        from errorbar.datasets.archives import copy, files_in  # noqa: PLC0415 - tar and zip are rarely needed

        shutil.rmtree(self.staging, ignore_errors=True)
        self.staging.mkdir()
        places = locate(self.dataset, set(files_in(path)), Place(str(path)))
        copy(path, {name: self.staging / target for name, target in places.items()})
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
            known, observed = file.sha256 or self.recorded.get(file.path), f"sha256 {sha256}, {n_bytes:,} bytes"
            if known is None:
                observed += ", could not be verified: no hash is published"
                headline = "could not be verified: no hash is published"
                fix = "recorded; a later change will be refused"
                problems.note("data-unverified", observed, place, fix=fix, headline=headline)
            elif sha256 == known:
                continue
            elif file.sha256:
                size = "" if file.n_bytes is None else f", {file.n_bytes:,} bytes"
                problems.error(
                    "data-hash",
                    observed,
                    place,
                    expected=known + size,
                    fix=_describe_mismatch(folder / file.path, known),
                )
            elif self.trust:
                observed += ", differs from the one first seen"
                problems.note("data-changed", observed, place, fix="accepted and recorded, as asked by --trust")
            else:
                observed += ", differs from the one first seen"
                fix = "if the publisher changed it, repeat with --trust"
                problems.error("data-changed", observed, place, expected=known, fix=fix)
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


def _describe_mismatch(file: Path, sha256: str) -> str:
    unix = file.read_bytes().replace(b"\r\n", b"\n")
    if hashlib.sha256(unix).hexdigest() == sha256:
        return "its line ends were changed to CRLF; take a copy that no program has converted"
    return "the copy is damaged, or the publisher changed the file"


ATTEMPTS = 4  # failures in a row, each with less gained than GRACE asks for, after which a download is given up
UNREACHED = 2  # the same, where no server has answered: offline, a second look is enough
MOST_CONNECTIONS = 50  # of one download, however much each of them brings
GRACE = 60.0  # seconds of waiting for a server, in which it must send SLOWEST bytes for each of them; again and again
SLOWEST = 1000
PAUSE = 1.0  # seconds before the second attempt; doubled before each further one
TIMEOUT = 30.0  # seconds of silence after which a connection counts as lost
TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})
_CHUNK = 64 * 1024
_DIGITS = 18  # of a number that are looked at: more than any file has bytes
_MOST_SAID = 200  # characters of what a server says that are repeated
_LOST = (OSError, HTTPException, ValueError)  # ValueError: an address that a redirect made up, or the size of a chunk


class _TryAgainError(Exception):
    """A failure that may pass."""

    def __init__(self, what: str, attempts: int = ATTEMPTS) -> None:
        super().__init__(what)
        self.attempts = attempts


class _SafeRedirects(HTTPRedirectHandler):
    """Follows redirects, but never from an encrypted address to an unencrypted one."""

    def http_error_302(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage
    ) -> IO[bytes] | HTTPResponse | None:
        try:
            return super().http_error_302(req, fp, code, msg, headers)
        except (ErrorbarError, ValueError):  # an address that is none: the library would leave the connection open
            fp.close()
            raise

    http_error_301 = http_error_303 = http_error_307 = http_error_308 = http_error_302

    def redirect_request(
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: HTTPMessage, newurl: str
    ) -> Request | None:
        known = ("https:",) if req.full_url.startswith("https:") else ("https:", "http:")
        if not newurl.startswith(known):
            raise _refusal(req.full_url, f"the server redirects to the unencrypted address {_plain(newurl)}")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


class _Meter(HTTPSHandler, HTTPHandler):
    """Opens connections, and gives up a server that dribbles: a byte now and then never is a silence of TIMEOUT.

    Whatever is received counts, also the headers, the sizes of chunks and the bodies of redirects.
    """

    def __init__(self, url: str) -> None:
        super().__init__()
        self.url, self.n_bytes, self.seconds = url, 0, 0.0

    def do_open(
        self, http_class: Callable[..., HTTPConnection], req: Request, **http_conn_args: object
    ) -> HTTPResponse:
        meter = self

        class MeteredResponse(HTTPResponse):
            def __init__(self, sock: socket, debuglevel: int = 0, method: str | None = None) -> None:
                super().__init__(sock, debuglevel, method)
                self.fp = BufferedReader(_MeteredStream(self.fp.detach(), meter))

        def connect(host: str, /, **options: object) -> HTTPConnection:
            connection = http_class(host, **options)
            connection.response_class = MeteredResponse
            return connection

        return super().do_open(connect, req, **http_conn_args)

    def count(self, n_bytes: int, seconds: float) -> None:
        """Add what was received and how long it was waited for; at the end of a grace time, compare the two."""
        self.n_bytes += n_bytes
        self.seconds += seconds
        if self.seconds < GRACE:
            return
        if self.n_bytes < SLOWEST * self.seconds:
            got = f"the server sent {self.n_bytes:,} bytes in {self.seconds:,.1f} seconds"
            message = f"{got}, and must send {SLOWEST:,} a second"
            raise _refusal(self.url, message, "try later: what has come is kept")
        self.n_bytes, self.seconds = 0, 0.0


class _MeteredStream(RawIOBase):
    """The bytes that come out of a socket, by way of a meter."""

    def __init__(self, raw: RawIOBase, meter: _Meter) -> None:
        self._raw, self._meter = raw, meter

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer, /) -> int | None:
        begun = time.monotonic()
        n_bytes = self._raw.readinto(buffer)
        self._meter.count(n_bytes or 0, time.monotonic() - begun)
        return n_bytes

    def close(self) -> None:
        self._raw.close()
        super().close()


def download(url: str, part: Path, *, limit: int, talk: Talk) -> bool:
    """Download into a file, or complete it where an earlier download stopped; try again where that may help.

    What the file holds already is taken as the beginning; it stays as it is when the download fails. ``limit`` is the
    largest size accepted, in bytes. The caller checks the hash.

    Returns:
        Whether any of the bytes came from an earlier connection, which the publisher may have changed since.

    Raises:
        InputError: If the server refuses, cannot be reached, or sends more than the limit.
        OSError: If the file cannot be written.
    """
    part.parent.mkdir(parents=True, exist_ok=True)
    resumed, failures = False, 0
    for connection in range(1, MOST_CONNECTIONS + 1):
        before = _size(part)
        resumed = resumed or before > 0
        try:
            _transfer(url, part, limit, talk)
        except _TryAgainError as error:
            failures = 1 if _size(part) - before >= SLOWEST * GRACE else failures + 1
            if failures >= error.attempts:
                raise _refusal(url, f"{error}, {failures} times in a row") from None
            if connection == MOST_CONNECTIONS:
                raise _refusal(url, f"{error}, after {connection} connections") from None
            talk.say(f"{url}: {error}; trying again")
            time.sleep(PAUSE * 2 ** (failures - 1))
        else:
            break
    return resumed


def discard(part: Path) -> None:
    """Forget what was downloaded."""
    part.unlink(missing_ok=True)
    _version_file(part).unlink(missing_ok=True)


def _transfer(url: str, part: Path, limit: int, talk: Talk) -> None:
    have = _size(part)
    request = Request(url, headers={"User-Agent": f"errorbar/{__version__}", "Accept-Encoding": "identity"})
    if have:
        request.add_header("Range", f"bytes={have}-")
        if version := _read_version(part):  # the server sends the whole file where it has changed since
            request.add_header("If-Range", version)
    response = _open(request, part, have)
    if response is None:
        return
    with response:
        if response.status == 206:
            header = re.fullmatch(
                r"bytes ([0-9]+)-[0-9]+/([0-9]+|\*)", (response.headers.get("Content-Range") or "").strip()
            )
            first, total = (_number(header[1]), _number(header[2])) if header else (-1, 0)
            if first != have:
                discard(part)
                raise _TryAgainError("the server sent another part than asked for")
        else:
            have, total = 0, _number(response.headers.get("Content-Length"))
            discard(part)
            _remember(part, response)
        if total > limit:
            raise _refusal(url, f"it has {total:,} bytes, more than the {limit:,} that are accepted")
        with talk.progress(f"bytes of {part.name.removesuffix('.part')}", total) as show, part.open("ab") as out:
            while chunk := _read_response(response):
                out.write(chunk)
                have += len(chunk)
                if have > limit:
                    break
                show(have)
    if have > limit:
        discard(part)
        raise _refusal(url, f"it sends more than the {limit:,} bytes that are accepted")
    if have < total:
        raise _TryAgainError(f"the connection ended after {have:,} of {total:,} bytes")


def _open(request: Request, part: Path, have: int) -> HTTPResponse | None:
    """The answer, or None where the file at hand is whole already."""
    try:
        response = build_opener(_SafeRedirects, _Meter(request.full_url)).open(request, timeout=TIMEOUT)
    except HTTPError as error:
        with error:
            if error.code == 416 and (error.headers.get("Content-Range") or "").strip() == f"bytes */{have}":
                return None  # nothing stands after what we have
            if error.code == 416:
                discard(part)
                raise _TryAgainError("what was downloaded before does not fit") from None
            message = f"the server says {error.code} {_plain(error.reason)}"
            if error.code in TEMPORARY:
                raise _TryAgainError(message) from None
            raise _refusal(request.full_url, message) from None
    except _LOST as error:
        reason = error.reason if isinstance(error, URLError) else error
        raise _TryAgainError(f"no connection ({_plain(reason) or type(error).__name__})", UNREACHED) from None
    assert isinstance(response, HTTPResponse)
    return response


def _read_response(response: HTTPResponse) -> bytes:
    try:
        return response.read1(_CHUNK)  # what has come, so that it is kept
    except _LOST as error:
        raise _TryAgainError(f"the connection was lost ({_plain(error) or type(error).__name__})") from None


def _number(text: str | None) -> int:
    """A size that a server says; 0 where it says none, or none that is a number."""
    digits = (text or "").strip()
    return int(digits[:_DIGITS]) if digits.isascii() and digits.isdecimal() else 0


def _plain(text: object) -> str:
    """A server's message, on one line and without control characters, which a terminal would obey."""
    return visible(" ".join(str(text).split()))[:_MOST_SAID]


def _remember(part: Path, response: HTTPResponse) -> None:
    """Keep what tells this version of the file from a later one; a weak ETag is no good for byte ranges."""
    tag = response.headers.get("ETag") or ""
    version = response.headers.get("Last-Modified") if not tag or tag.startswith("W/") else tag
    if version and version.isascii() and _plain(version) == version:
        _version_file(part).write_text(version, "utf-8")


def _read_version(part: Path) -> str:
    file = _version_file(part)
    version = file.read_text("utf-8", errors="replace") if file.is_file() else ""
    return version if version.isascii() and _plain(version) == version else ""


def _version_file(part: Path) -> Path:
    return part.with_name(part.name + ".version")


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def _refusal(url: str, what: str, fix: str = "see 'errorbar data show' for the publisher's page") -> InputError:
    fix += "; a copy at hand serves with --from-file"
    return InputError(Problem("data-download", what, Place(url), fix=fix))
