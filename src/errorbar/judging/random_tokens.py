"""Random words that open something, random orders, and random numbers that follow from a seed."""

from __future__ import annotations

import hmac
import secrets
from base64 import urlsafe_b64encode
from collections.abc import MutableSequence
from hashlib import blake2b, sha256
from random import Random, SystemRandom
from typing import TypeVar

T = TypeVar("T")
_unpredictable: Random = SystemRandom()


def fresh_token() -> str:
    """256 random bits for a cookie or a key."""
    return secrets.token_urlsafe(32)


def fingerprint(token: str) -> str:
    """The fingerprint of a token that the store keeps: who reads the store cannot use it."""
    return sha256(token.encode()).hexdigest()


def derive_token(key: str, *parts: str) -> str:
    """A token of 192 bits that follows from a secret key, so that it need not be kept to be shown again."""
    message = "\0".join(parts).encode()
    return urlsafe_b64encode(hmac.digest(key.encode(), message, "sha256")[:24]).decode()


def same(token: str, other: str) -> bool:
    """Whether two tokens are equal, in a time that does not tell where they differ."""
    return hmac.compare_digest(token.encode(), other.encode())


def shuffle(values: MutableSequence[T]) -> None:
    """Bring values into an order that nobody can tell before."""
    _unpredictable.shuffle(values)


def fresh_seed() -> int:
    """A seed of 31 bits for ``draw``, which nobody can tell before."""
    return _unpredictable.randrange(2**31)


def draw(seed: int, *question: object) -> int:
    """A number of 64 bits that nobody can tell without the seed, the same each time for the same question."""
    return int.from_bytes(blake2b(repr((seed, *question)).encode(), digest_size=8).digest(), "big")
