"""What kind of file an input is, and how such files are mutated."""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

from tests.fuzz import archives, jsonish, markup, models, plain, raw, tables
from tests.fuzz.plain import TextMutator
from tests.fuzz.raw import ByteMutator

LARGE_SHARE = 0.05
"""Of the inputs: they take long to make and to read."""
PACKED_SHARE = 0.05
SWOLLEN_SHARE = 0.002
MOST_BYTES = 100_000


@dataclass(frozen=True, slots=True)
class Shape:
    """Mutations that fit a kind of file.

    Attributes:
        gentle: After these a file is mostly still read.
        wild: After these it mostly is not.
        large: They make the file as large as is allowed.
        binary: Mutations of bytes that know the kind; a file with any is no text.
        packs: Whether it may be gzipped.
        most: Bytes of a file.
    """

    gentle: tuple[TextMutator, ...] = ()
    wild: tuple[TextMutator, ...] = ()
    large: tuple[TextMutator, ...] = ()
    binary_gentle: tuple[ByteMutator, ...] = ()
    binary: tuple[ByteMutator, ...] = ()
    packs: bool = True
    most: int = MOST_BYTES


TEXT = Shape(plain.GENTLE, plain.WILD, plain.LARGE)
TABLE = Shape(tables.GENTLE, (*tables.WILD, *plain.WILD), (*tables.LARGE, *plain.LARGE))
MARKUP = Shape(
    (*markup.GENTLE, plain.gentle_word), (*markup.WILD, *markup.WILD, *plain.WILD), (*markup.LARGE, *plain.LARGE)
)
JSON = Shape(jsonish.GENTLE, (*jsonish.WILD, *jsonish.WILD, *plain.WILD), (*jsonish.LARGE, *plain.LARGE))
JSON_LINES = Shape(
    (*jsonish.GENTLE, plain.swap_lines), (*jsonish.WILD, *jsonish.WILD, *plain.WILD), (*jsonish.LARGE, *plain.LARGE)
)
PARQUET = Shape(binary_gentle=(tables.parquet_columns,), binary=tables.PARQUET, packs=False)
MODEL = Shape(binary_gentle=models.GENTLE, binary=models.WILD, packs=False)
CACHE = Shape(binary_gentle=models.CACHE_GENTLE, binary=models.CACHE_WILD, packs=False)
STORE = Shape(binary_gentle=models.STORE_GENTLE, binary=models.STORE_WILD, packs=False, most=400_000)
ARCHIVE = Shape(binary_gentle=archives.GENTLE, binary=archives.WILD, packs=False)


def mutate(rng: Random, data: bytes, shape: Shape) -> bytes:
    """A file like the given one, no larger than its shape allows: half are changed gently, the others anyhow."""
    gentle = rng.random() < 0.5
    made = data
    for _ in range(rng.choice((0, 1, 1, 2)) if gentle else rng.choice((1, 1, 2, 3))):
        made = _gently(rng, made, shape) if gentle else _wildly(rng, made, shape)
    if shape.large and rng.random() < LARGE_SHARE:
        made = _on_text(rng, made, shape.large)
    made = made[: shape.most]
    if not shape.packs:
        return made
    roll = rng.random()
    if roll < SWOLLEN_SHARE:
        return raw.swollen(rng, made)[:MOST_BYTES]
    if roll < PACKED_SHARE:
        return (raw.packed if rng.random() < 0.7 else raw.damaged)(rng, made)[:MOST_BYTES]
    return made


def _gently(rng: Random, data: bytes, shape: Shape) -> bytes:
    if shape.binary:
        return rng.choice(shape.binary_gentle)(rng, data)
    return rng.choice(raw.GENTLE)(rng, data) if rng.random() < 0.2 else _on_text(rng, data, shape.gentle)


def _wildly(rng: Random, data: bytes, shape: Shape) -> bytes:
    if shape.binary:
        return rng.choice(shape.binary)(rng, data)
    return rng.choice(raw.WILD)(rng, data) if rng.random() < 0.2 else _on_text(rng, data, shape.wild)


def _on_text(rng: Random, data: bytes, mutators: tuple[TextMutator, ...]) -> bytes:
    text = data.decode("utf-8", "surrogateescape")
    return rng.choice(mutators)(rng, text).encode("utf-8", "surrogateescape")
