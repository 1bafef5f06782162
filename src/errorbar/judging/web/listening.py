"""Where a study is served: the socket, the names that it answers to, the addresses that people open."""

from __future__ import annotations

import errno
import os
import re
import socket
from collections.abc import Iterator
from dataclasses import dataclass
from ipaddress import ip_address
from pathlib import Path
from urllib.parse import urlsplit

from errorbar.core.problems import Problem, UsageError

try:
    import resource
except ImportError:  # Windows: open files have no such limit
    resource = None  # type: ignore[assignment]  # a module elsewhere

MOST_FILES = 65_536
OWN_FILES = 200
"""Files that a process needs besides its connections: the store, pages, the log."""
LOCAL = ("127.0.0.1", "localhost", "[::1]")
EVERYWHERE = ("0.0.0.0", "::", "")


@dataclass(frozen=True, slots=True)
class Reach:
    """How a server is reached.

    Attributes:
        host: That it listens on.
        port: That it listens on.
        public_url: How browsers call it, where that is not host and port; empty: it is.
        proxy: Address of a reverse proxy whose word on where requests come from counts; empty: none.
    """

    host: str = "127.0.0.1"
    port: int = 8765
    public_url: str = ""
    proxy: str = ""

    @property
    def url(self) -> str:
        """The address that people open, without a slash at its end."""
        return (
            self.public_url
            or f"http://{_format_host(_own_address() if self.host in EVERYWHERE else self.host)}:{self.port}"
        )

    @property
    def root(self) -> str:
        """The path under which it is reached."""
        return urlsplit(self.public_url).path.rstrip("/")

    @property
    def is_local(self) -> bool:
        """Whether only this machine reaches it."""
        try:
            return ip_address(self.host).is_loopback
        except ValueError:
            return self.host == "localhost"

    def hosts(self) -> tuple[str, ...] | None:
        """Names that it answers to; None: any, as nobody said by which it is known."""
        if not self.is_local and not self.public_url:
            return None
        public = _format_host(urlsplit(self.public_url).hostname or "")
        return tuple(dict.fromkeys(filter(None, (*LOCAL, _format_host(self.host), public))))


def check_url(url: str) -> str:
    """A public address without a slash at its end.

    Raises:
        UsageError: If it is none.
    """
    try:
        parts = urlsplit(url)
        fits = parts.scheme in ("http", "https") and parts.hostname and not parts.query and not parts.fragment
        fits = fits and parts.username is None and not re.search(r"\s", url) and (parts.port is None or parts.port > 0)
    except ValueError:
        fits = False
    if url and not fits:
        message = f"--public-url must be an address such as https://judge.example.org, got '{url}'"
        raise UsageError(Problem("judge-url", message))
    return url.rstrip("/")


def bind(host: str, port: int) -> socket.socket:
    """Listen, before anything else starts.

    Raises:
        UsageError: If the port is taken or forbidden, or the host is not this machine.
    """
    try:
        kind, _, _, _, where = socket.getaddrinfo(host or None, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)[
            0
        ]
    except socket.gaierror:
        raise UsageError(Problem("judge-host", f"there is no host '{host}'", fix="leave --host out")) from None
    listener = socket.socket(kind, socket.SOCK_STREAM)
    try:
        if os.name == "posix":
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(where)
        listener.listen(2048)
    except OSError as error:
        listener.close()
        raise _cannot_listen(error, host, port) from None
    listener.setblocking(False)
    return listener


def raise_open_files() -> None:
    """Let this process and those it starts open as many files as the system allows, up to ``MOST_FILES``."""
    if resource is not None:
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        wanted = MOST_FILES if hard == resource.RLIM_INFINITY else min(hard, MOST_FILES)
        if soft != resource.RLIM_INFINITY and soft < wanted:
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))


def spare_files() -> int:
    """How many files this process can open for connections."""
    if resource is None:
        return MOST_FILES
    soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MOST_FILES if soft == resource.RLIM_INFINITY else min(soft, MOST_FILES)
    return max(most - OWN_FILES, most // 2)


def _cannot_listen(error: OSError, host: str, port: int) -> UsageError:
    if error.errno == errno.EADDRINUSE:
        message = f"port {port} is in use: another server, perhaps of this study, is running"
        return UsageError(Problem("judge-port", message, fix=f"stop it, or give another one: --port={port + 1}"))
    if error.errno in (errno.EACCES, errno.EPERM):
        message = f"port {port} may not be listened on by this user"
        return UsageError(Problem("judge-port", message, fix="give one above 1023, with a reverse proxy before it"))
    message = f"'{host}' is not an address of this machine ({error.strerror})"
    return UsageError(Problem("judge-host", message, fix="leave --host out"))


def warnings_of(reach: Reach, folder: Path) -> Iterator[Problem]:
    """Warnings before others come."""
    if not reach.is_local and not reach.public_url.startswith("https://"):
        message = f"the server listens on {reach.host}, and what browsers send can be read on the way"
        fix = "to face the internet, put a reverse proxy with TLS before it: --public-url='https://...'"
        yield Problem("judge-open", message, fix=fix, severity="warning")
    if in_container() and folder.stat().st_dev == Path("/").stat().st_dev:
        message = f"the study in {folder} is inside a container and goes with it"
        yield Problem("judge-no-volume", message, fix="mount a volume and keep the study there", severity="warning")


def in_container() -> bool:
    """Whether this runs in a container, as far as it can be told."""
    return any(Path(mark).exists() for mark in ("/.dockerenv", "/run/.containerenv"))


def _format_host(host: str) -> str:
    """As browsers name it: addresses of IPv6 in brackets, other letters than ASCII by their code."""
    if ":" in host:
        return f"[{host}]"
    try:
        return host.lower().encode("idna").decode("ascii")
    except UnicodeError:
        return host.lower()


def _own_address() -> str:
    """By which other machines of the network may reach this one; no packet is sent."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # of documentation: nobody has it
            return str(probe.getsockname()[0])
        except OSError:
            return "127.0.0.1"
