"""``judge_serve``: a study in the browser, until it is told to stop."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from os import PathLike

from sqlalchemy import Connection

from errorbar.core.errors import Problem, UsageError
from errorbar.judging.invitations import all_invites
from errorbar.judging.inviting import ADDRESS, standing_link
from errorbar.judging.listening import Reach, bind, checked_url, warnings_of
from errorbar.judging.serving import serve
from errorbar.judging.study_clock import study_clock
from errorbar.judging.study_folder import Study
from errorbar.judging.study_values import get_value, set_value
from errorbar.studies.door import public

MOST_WORKERS = 64


@dataclass(frozen=True, slots=True)
class Doors:
    """What there is to open once the server listens.

    Attributes:
        link: For everybody who is to judge; empty: raters have links of their own.
        manager: The manager's page.
        token: That opens it.
        notes: Warnings.
    """

    link: str
    manager: str
    token: str
    notes: Sequence[Problem]


@public()
def judge_serve(
    study: str | PathLike[str],
    *,
    host: str = "127.0.0.1",
    port: int = 8765,
    workers: int = 1,
    public_url: str = "",
    proxy: str = "",
    ready: Callable[[Doors], object] | None = None,
) -> None:
    """Serve a study until a signal (Ctrl-C) stops it; answers in flight are finished.

    Args:
        study: Its folder.
        host: Address to listen on.
        port: Port to listen on; 0: one that is free.
        workers: Processes that answer.
        public_url: How browsers reach it through a reverse proxy: ``https://judge.example.org``.
        proxy: Address of that proxy, whose ``X-Forwarded-For`` counts then.
        ready: Called once, when the server listens.

    Raises:
        ErrorbarError: If there is no study, the port is in use, or workers keep dying.
    """
    if not 1 <= workers <= MOST_WORKERS:
        raise UsageError(Problem("bad-parameter", f"--workers must be from 1 to {MOST_WORKERS}, got {workers}"))
    if not 0 <= port <= 65535:
        raise UsageError(Problem("bad-parameter", f"--port must be from 0 to 65535, got {port}"))
    url = checked_url(public_url)
    opened = Study.open(study)
    token = opened.secrets.manager
    with opened.store() as store, bind(host, port) as listener:
        reach = Reach(host, listener.getsockname()[1], url, proxy)

        def work(tx: Connection) -> tuple[str, list[Problem]]:
            moved = _moved(tx, reach)
            set_value(tx, ADDRESS, reach.url)
            return standing_link(opened, tx, study_clock()(), reach.url), moved

        link, moved = store.write(work)
        store.close()
        if ready is not None:
            ready(Doors(link, f"{reach.url}/manage", token, [*moved, *warnings_of(reach, opened.folder)]))
        if problems := serve(opened.folder, reach, workers, listener):
            raise UsageError(problems)


def _moved(tx: Connection, reach: Reach) -> list[Problem]:
    """A warning, where links that were made before begin with another address."""
    before = get_value(tx, ADDRESS) or Reach().url
    if before == reach.url or not all_invites(tx):
        return []
    what = f"links made so far begin with {before}, and the study is at {reach.url} now"
    return [Problem("judge-moved", what, fix="errorbar judge invite STUDY lists the new ones", severity="warning")]
