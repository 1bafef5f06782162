"""Who is signed in: random words in cookies, their fingerprints in the store."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sqlalchemy import Connection, delete, insert, select, update

from errorbar.judging.random_tokens import derived, fingerprint, fresh_token, same
from errorbar.judging.store_tables import SESSION

DAY = 86400.0
LIFE, MANAGER_LIFE = 30 * DAY, DAY
"""How long a session lasts after it was last used: an idle page must lose nothing."""
PROOF = 400 * DAY
"""How long a cookie stays in a browser: a session that is over still proves whose it was."""
RATER_COOKIE, MANAGER_COOKIE, FORM_COOKIE = "errorbar_judge", "errorbar_manage", "errorbar_form"
"""How names of cookies begin; behind comes what tells the studies of one host apart (``Desk.cookie_name``)."""
_TRUSTED = 5.0
"""Seconds for which a process believes what it read of a session."""
_MOST = 20_000


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who is signed in; ``rater`` is None for the manager."""

    token: str
    rater: int | None
    expires: float

    @property
    def csrf(self) -> str:
        """What every post of this session's pages must bring."""
        return csrf_of(self.token)

    @property
    def device(self) -> str:
        """The word by which the same browser signs in again."""
        return device_of(self.token)


def device_of(cookie: str) -> str:
    """A word that follows from a cookie, which a rater's page keeps to sign in again where the cookie is lost."""
    return fingerprint(f"device {cookie}")


def csrf_of(cookie: str) -> str:
    """A word that follows from a cookie, which no page of elsewhere can read."""
    return fingerprint(f"csrf {cookie}")[:32]


def csrf_fits(cookie: str, brought: str) -> bool:
    """Whether a post brought the word of its cookie."""
    return bool(cookie) and same(csrf_of(cookie), brought)


def form_word(key: str, cookie: str) -> str:
    """A new word for a form of somebody who is not signed in: only the server makes one, for this cookie alone.

    A session follows from it, and not from the cookie, which somebody else may have put into the browser.
    """
    fresh = fresh_token()
    return f"{fresh}.{derived(key, 'form', cookie, fresh)}"


def form_fits(key: str, cookie: str, brought: str) -> bool:
    """Whether a form brought a word that the server made for its cookie."""
    fresh, _, mark = brought.partition(".")
    return bool(cookie) and same(derived(key, "form", cookie, fresh), mark)


def open_session(tx: Connection, rater: int | None, now: float, token: str = "") -> Session:
    """Sign somebody in; by the same ``token`` again it is the same session. A device's word lasts longer."""
    token = token or fresh_token()
    close_session(tx, token)
    expires = now + (MANAGER_LIFE if rater is None else LIFE)
    rows = [{"token_hash": fingerprint(token), "rater": rater, "made": now, "expires": expires}]
    if rater is not None:
        rows.append({**rows[0], "token_hash": fingerprint(device_of(token)), "expires": now + PROOF})
    tx.execute(insert(SESSION), rows)
    return Session(token, rater, expires)


def read_session(tx: Connection, token: str) -> Session | None:
    """The session of a cookie, be it over."""
    row = tx.execute(
        select(SESSION.c.rater, SESSION.c.expires).where(SESSION.c.token_hash == fingerprint(token))
    ).one_or_none()
    return None if row is None else Session(token, row.rater, row.expires)


def prolong(tx: Connection, session: Session, now: float) -> None:
    """Let a session last from now on."""
    life = MANAGER_LIFE if session.rater is None else LIFE
    tx.execute(update(SESSION).where(SESSION.c.token_hash == fingerprint(session.token)).values(expires=now + life))


def close_sessions_of(tx: Connection, rater: int) -> None:
    """Sign a rater out of every browser."""
    tx.execute(delete(SESSION).where(SESSION.c.rater == rater))


def close_session(tx: Connection, token: str) -> None:
    """Sign somebody out, on their device too."""
    tx.execute(delete(SESSION).where(SESSION.c.token_hash.in_([fingerprint(token), fingerprint(device_of(token))])))


def is_stale(session: Session, now: float) -> bool:
    """Whether it is time to prolong: once a day, not at each request."""
    life = MANAGER_LIFE if session.rater is None else LIFE
    return session.expires - now < life - min(DAY, life / 24)


@dataclass(slots=True)
class KnownSessions:
    """What a process read of sessions a moment ago, so that an answer needs no look-up of its own."""

    clock: Callable[[], float]
    _known: dict[str, tuple[float, Session]] = field(default_factory=dict)

    def get(self, token: str) -> Session | None:
        """A session that was read within the last seconds."""
        at, session = self._known.get(token, (0.0, None))
        return session if session is not None and 0 <= self.clock() - at < _TRUSTED else None

    def keep(self, session: Session) -> None:
        """Remember what was read."""
        if len(self._known) >= _MOST:
            self._known.clear()
        self._known[session.token] = (self.clock(), session)

    def forget(self, token: str) -> None:
        """Of somebody who signed out."""
        self._known.pop(token, None)
