"""A process beside the server for what takes seconds in a large study: raters share no thread of Python with it."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import threading
from collections.abc import Callable
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, Generic, TypeVar

from errorbar.judging.store_errors import store_error

S = TypeVar("S")
T = TypeVar("T")
_KIND = 15
"""How far it stands back behind the server where both want the machine."""


class Clerk(Generic[S]):
    """Starts when it is asked for the first time, does one thing after the other, and ends with the server.

    Args:
        prepare: Makes what its works are done with, in its process; a function of a module, as they are.
        arguments: Of ``prepare``.
    """

    def __init__(self, prepare: Callable[..., S], *arguments: object) -> None:
        self._prepare, self._arguments = prepare, arguments
        self._one = threading.Lock()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._closed = False

    def ask(self, work: Callable[..., T], *arguments: object) -> T:
        """``work`` of what was prepared, and of the arguments; what it raises is raised here.

        Raises:
            StoreError: If the process was ended meanwhile; the next that asks gets another one.
        """
        with self._one:
            try:
                pipe = self._reached()
                pipe.send((work, arguments))
                went_well, found = pipe.recv()
            except (EOFError, OSError):
                self._end()
                what = "the process that computes figures and exports has ended"
                raise store_error("store-failed", what, "try again") from None
        if not went_well:
            raise found
        result: T = found
        return result

    def close(self) -> None:
        """End it, whatever it is at; who waits for it is told."""
        self._closed = True
        self._end()

    def _reached(self) -> Connection:
        if self._closed:
            raise EOFError
        if self._process is not None and not self._process.is_alive():
            self._end()
        if self._pipe is None:
            context = multiprocessing.get_context("spawn")
            ours, theirs = context.Pipe()
            arguments = theirs, self._prepare, self._arguments
            started = context.Process(target=_serve, args=arguments, name="errorbar judge clerk", daemon=True)
            started.start()
            theirs.close()
            self._process, self._pipe = started, ours
            if self._closed:  # meanwhile, by another thread, which found no process to end
                raise EOFError
        return self._pipe

    def _end(self) -> None:
        process, self._process, self._pipe = self._process, None, None
        if process is not None and process.pid is not None:
            process.kill()  # it writes nothing but files that are complete or not there
            process.join(5)


def _serve(pipe: Connection, prepare: Callable[..., Any], arguments: tuple[object, ...]) -> None:
    """One thing after the other, until nobody is there to ask."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches all: the server says when it is over
    if hasattr(os, "nice"):
        os.nice(_KIND)
    threading.Thread(target=_end_with_the_server, daemon=True).start()
    prepared = None
    with contextlib.suppress(EOFError, BrokenPipeError, ConnectionResetError):
        while True:
            work, said = pipe.recv()
            try:
                prepared = prepare(*arguments) if prepared is None else prepared
                answer = True, work(prepared, *said)
            except Exception as error:  # noqa: BLE001 - whoever asked is told, whatever it was
                answer = False, error
            pipe.send(answer)


def _end_with_the_server() -> None:
    """Also in the middle of something."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os._exit(0)
