"""One download over HTTP: resumed where it stopped, tried again where that may help. The caller checks the hash."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from contextlib import AbstractContextManager
from email.message import Message
from http.client import HTTPException, HTTPMessage, HTTPResponse
from itertools import count
from pathlib import Path
from typing import IO
from urllib.error import HTTPError, URLError
from urllib.request import HTTPRedirectHandler, Request, build_opener

from errorbar.core.errors import ErrorbarError, InputError, Place, Problem, visible
from errorbar.version import __version__

Progress = Callable[[str, int], AbstractContextManager[Callable[[int], None]]]
"""Opens a progress line for (unit, total) and yields a function that is told how much is done."""

ATTEMPTS = 4
"""Failures in a row, without a byte gained, after which a download is given up."""
UNREACHED = 2
"""The same, where no server has answered: offline, a second look is enough."""
MOST_CONNECTIONS = 50
"""Connections of one download, however much each of them brings."""
SLOW_AFTER = 120.0
"""Seconds after which a connection must have brought ``SLOWEST`` bytes for each of its seconds."""
SLOWEST = 100
PAUSE = 1.0
"""Seconds before the second attempt; doubled before each further one."""
TIMEOUT = 30.0
"""Seconds of silence after which a connection counts as lost."""
TEMPORARY = frozenset({408, 425, 429, 500, 502, 503, 504})
_CHUNK = 64 * 1024
_DIGITS = 18
"""Digits of a number that are looked at: more than any file has bytes."""
_MOST_SAID = 200
"""Characters of what a server says that are repeated."""


class _TryAgainError(Exception):
    """A failure that may pass."""


class _UnreachedError(_TryAgainError):
    """No server has answered."""


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
        self, req: Request, fp: IO[bytes], code: int, msg: str, headers: Message, newurl: str
    ) -> Request | None:
        known = ("https:",) if req.full_url.startswith("https:") else ("https:", "http:")
        if not newurl.startswith(known):
            raise _refusal(req.full_url, f"the server redirects to the unencrypted address {_plain(newurl)}")
        # The type hints of the standard library ask for more than its own caller gives.
        return super().redirect_request(req, fp, code, msg, headers, newurl)  # type: ignore[arg-type]


def download(url: str, part: Path, *, limit: int, progress: Progress, say: Callable[[str], object]) -> bool:
    """Download into a file, or complete it where an earlier download stopped.

    Args:
        url: The address.
        part: The file; what it holds already is taken as the beginning. It stays as it is when the download fails.
        limit: The largest size accepted, in bytes.
        progress: Opens a progress line.
        say: Is told what is tried again and why.

    Returns:
        Whether any of the bytes came from an earlier connection, which the publisher may have changed since.

    Raises:
        InputError: If the server refuses, cannot be reached, or sends more than the limit.
        OSError: If the file cannot be written.
    """
    part.parent.mkdir(parents=True, exist_ok=True)
    resumed = False
    failures = 0
    for connection in count(1):
        before = _size(part)
        resumed = resumed or before > 0
        try:
            _transfer(url, part, limit, progress)
        except _TryAgainError as error:
            failures = 1 if _size(part) > before else failures + 1
            if failures >= (UNREACHED if isinstance(error, _UnreachedError) else ATTEMPTS):
                raise _refusal(url, f"{error}, {failures} times in a row") from None
            if connection >= MOST_CONNECTIONS:
                raise _refusal(url, f"{error}, after {connection} connections") from None
            say(f"{url}: {error}; trying again")
            time.sleep(PAUSE * 2 ** (failures - 1))
        else:
            return resumed
    raise AssertionError  # the count has no end


def discard(part: Path) -> None:
    """Forget what was downloaded."""
    part.unlink(missing_ok=True)
    _validator(part).unlink(missing_ok=True)


def _transfer(url: str, part: Path, limit: int, progress: Progress) -> None:
    have = _size(part)
    request = Request(url, headers={"User-Agent": f"errorbar/{__version__}", "Accept-Encoding": "identity"})
    if have:
        request.add_header("Range", f"bytes={have}-")
        if version := _remembered(part):  # the server sends the whole file where it has changed since
            request.add_header("If-Range", version)
    response = _open(request, part, have)
    if response is None:
        return
    with response:
        if response.status == 206:
            first, total = _content_range(response)
            if first != have:
                discard(part)
                raise _TryAgainError("the server sent another part than asked for")
        else:
            have, total = 0, _number(response.headers.get("Content-Length"))
            discard(part)
            _remember(part, response)
        if total > limit:
            raise _refusal(url, f"it has {total:,} bytes, more than the {limit:,} that are accepted")
        with progress(f"bytes of {part.name.removesuffix('.part')}", total) as show, part.open("ab") as out:
            begun, gained = time.monotonic(), 0
            while chunk := _read(response):
                out.write(chunk)
                have += len(chunk)
                if have > limit:
                    break
                show(have)
                gained += len(chunk)
                passed = time.monotonic() - begun
                if passed > SLOW_AFTER and gained < SLOWEST * passed:
                    raise _TryAgainError(f"fewer than {SLOWEST} bytes a second")
    if have > limit:
        discard(part)
        raise _refusal(url, f"it sends more than the {limit:,} bytes that are accepted")
    if have < total:
        raise _TryAgainError(f"the connection ended after {have:,} of {total:,} bytes")


def _open(request: Request, part: Path, have: int) -> HTTPResponse | None:
    """The answer, or None where the file at hand is whole already."""
    try:
        response = build_opener(_SafeRedirects).open(request, timeout=TIMEOUT)
    except HTTPError as error:
        with error:
            if error.code == 416:  # nothing stands after what we have
                if (error.headers.get("Content-Range") or "").strip() == f"bytes */{have}":
                    return None
                discard(part)
                raise _TryAgainError("what was downloaded before does not fit") from None
            what = f"the server says {error.code} {_plain(error.reason)}"
            if error.code in TEMPORARY:
                raise _TryAgainError(what) from None
            raise _refusal(request.full_url, what) from None
    except URLError as error:
        raise _UnreachedError(f"no connection ({_plain(error.reason)})") from None
    except (OSError, HTTPException, ValueError) as error:  # ValueError: an address that a redirect made up
        raise _UnreachedError(f"no connection ({_plain(error) or type(error).__name__})") from None
    assert isinstance(response, HTTPResponse)
    return response


def _read(response: HTTPResponse) -> bytes:
    try:
        return response.read1(_CHUNK)  # what has come, so that a trickle is noticed
    except (OSError, HTTPException, ValueError) as error:  # ValueError: the size of a chunk
        raise _TryAgainError(f"the connection was lost ({_plain(error) or type(error).__name__})") from None


def _content_range(response: HTTPResponse) -> tuple[int, int]:
    found = re.fullmatch(r"bytes ([0-9]+)-[0-9]+/([0-9]+|\*)", (response.headers.get("Content-Range") or "").strip())
    if found is None:
        return -1, 0
    return _number(found[1]), 0 if found[2] == "*" else _number(found[2])


def _number(said: str | None) -> int:
    """A size that a server says; 0 where it says none, or none that is a number."""
    digits = (said or "").strip()
    return int(digits[:_DIGITS]) if digits.isascii() and digits.isdecimal() else 0


def _plain(said: object) -> str:
    """What a server says, on one line and without what a terminal would obey."""
    return visible(" ".join(str(said).split()))[:_MOST_SAID]


def _remember(part: Path, response: HTTPResponse) -> None:
    """Keep what tells this version of the file from a later one; a weak ETag is no good for byte ranges."""
    tag = response.headers.get("ETag") or ""
    validator = response.headers.get("Last-Modified") if not tag or tag.startswith("W/") else tag
    if validator and _plain(validator) == validator and validator.isascii():
        _validator(part).write_text(validator, "utf-8")


def _remembered(part: Path) -> str:
    if not _validator(part).is_file():
        return ""
    version = _validator(part).read_text("utf-8", errors="replace")
    return version if version.isascii() and _plain(version) == version else ""


def _validator(part: Path) -> Path:
    return part.with_name(part.name + ".version")


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0


def _refusal(url: str, what: str) -> InputError:
    fix = "see 'errorbar data show' for the publisher's page; a copy at hand serves with --from-file"
    return InputError(Problem("data-download", what, Place(url), fix=fix))
