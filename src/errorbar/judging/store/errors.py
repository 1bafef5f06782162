"""The errors of a store, and its address as messages show it: without a password."""

from __future__ import annotations

import re

from errorbar.core.problems import ErrorbarError, Problem


class StoreError(ErrorbarError):
    """The store is missing, of another version, or cannot be written; of a failed write nothing is stored."""


class OutcomeUnknownError(StoreError):
    """Nobody can tell whether a commit was one: all of it is stored, or nothing."""


def store_error(code: str, what: str, fix: str = "") -> StoreError:
    """One line."""
    return StoreError(Problem(code, what, fix=fix))


def of_database(error: BaseException) -> bool:
    """Whether a driver raised it, by itself or through SQLAlchemy."""
    return type(error).__module__.split(".")[0] in ("sqlite3", "psycopg", "sqlalchemy")


def store_failed(error: BaseException) -> StoreError:
    """The message of the driver or the file system."""
    reason = _describe_error(error)
    if "NUL (0x00)" in reason:
        message = "a text has the character U+0000, which no store can hold; nothing of this was written"
        return store_error("store-text", message, "take it out")
    if "not a database" in reason or "malformed" in reason:
        return store_error("not-a-store", f"the store cannot be read: {reason}", "restore a backup")
    message = f"the store cannot be used just now, and nothing of this was written: {reason}"
    return store_error(
        "store-failed", message, "look at the disk's space and rights, or the database server; then again"
    )


PASSWORD_PLACE = "a password stands before the @, with %40 for @, %2F for /, %3F for ? and %23 for #"
_ELSEWHERE = re.compile("[?&][a-z]*password=", re.IGNORECASE)


def has_stray_password(url: str) -> bool:
    """Whether a URL has a password where none is looked for, so that it would be shown or taken for a host's name."""
    address, at, _ = url.rpartition("@")
    parts = address.split("://")[1:] if at else []
    # The slashes of a later "://" stand before the @ as well.
    misplaced = any("@" not in part for part in parts[:-1]) or any(
        re.search("[/?#]", part.partition("@")[0]) for part in parts
    )
    return misplaced or _ELSEWHERE.search(url) is not None


def shown_url(url: str) -> str:
    """A URL, or a path, without anything that may be a password; ``user:password/database`` lacks its host."""
    bare = re.sub(r"\?[A-Za-z_]+=.*", "", url)
    scheme, colon, after_scheme = bare.partition("://")
    if not colon:
        return bare
    if "@" in url:
        return f"{scheme}://...@{after_scheme.rpartition('@')[2]}" if "@" in after_scheme else f"{scheme}://..."
    return re.sub(r"://[^/\[]*:(?!\d*(/|$)).*", "://...", bare)


def outcome_unknown(error: BaseException) -> OutcomeUnknownError:
    """The message of the driver."""
    message = f"the database failed in the middle, so that this was done or was not: {_describe_error(error)}"
    fix = "once it works again, look (errorbar judge raters, invite, status) before you do it again"
    return OutcomeUnknownError(Problem("store-unknown", message, fix=fix))


def _describe_error(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
