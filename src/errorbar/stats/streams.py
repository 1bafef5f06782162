"""One seed, named streams of random numbers.

Formula
    The names are written out with their lengths, so that ("ab", "c") and ("a", "bc") differ, and hashed by SHA-256;
    the eight 32-bit words of the hash (little endian) are the spawn key of a numpy SeedSequence whose entropy is
    the seed. The sequence starts a PCG64.
Conventions
    A stream depends on the seed and its names only, never on what was drawn before or on who draws. Long draws are
    cut into blocks of fixed size, each with its own number as its last name; so the digits are the same whatever
    the number of workers. numpy keeps the raw output of PCG64 for good; how a generator makes integers of it may
    change with a release of numpy.
Source
    numpy.random.SeedSequence (M. O'Neill's seed_seq design); spawn keys are numpy's own way to independent streams.
"""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

import numpy as np

from errorbar.core.errors import Problem, UsageError

BLOCK = 1000
"""Replicates drawn from one stream. A constant, since another block size would give other digits."""


def stream(seed: int, *names: str | int) -> np.random.Generator:
    """A generator of its own for every purpose, e.g. ``stream(seed, "bootstrap", "P", 3)``.

    Args:
        seed: The user's seed, not negative.
        names: What the numbers are for. The number 1 and the text "1" are different names.

    Raises:
        UsageError: The seed is negative.
    """
    if seed < 0:
        raise UsageError(Problem("seed", f"the seed is {seed}", expected="a whole number from 0"))
    parts = [f"{type(name).__name__}:{len(str(name))}:{name};" for name in names]
    words = np.frombuffer(sha256("".join(parts).encode()).digest(), "<u4")
    return np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed, spawn_key=words.tolist())))


def blocks(seed: int, *names: str | int, replicates: int) -> Iterator[tuple[int, np.random.Generator]]:
    """Cut many replicates into blocks: how many each has, and the stream it draws from.

    The blocks can be worked on in any order and by any number of workers.

    Raises:
        UsageError: The seed is negative, or no replicate is asked for.
    """
    if replicates < 1:
        raise UsageError(Problem("replicates", f"{replicates} replicates", expected="at least 1"))
    for number, start in enumerate(range(0, replicates, BLOCK)):
        yield min(BLOCK, replicates - start), stream(seed, *names, number)
