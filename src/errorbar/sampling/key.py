"""The key of a sample: which stratum each drawn item is from. Private: raters must not see it.

The annotation set and its key carry one name, a hash of the key's contents, so that a set is never counted by the key
of another, and a key that was changed by hand is noticed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from hashlib import sha256

import numpy as np

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.json_text import NotJsonError, parse_json
from errorbar.formats.opening import Lines, Source
from errorbar.sampling.strata import Strata

FORMAT, VERSION = "errorbar-sample-key", 1
DIGITS = 16


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """Items drawn at one time.

    Attributes:
        name: What their annotation set is called, a hash.
        items: Item to the number of its stratum.
    """

    name: str
    items: Mapping[str, int]


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """What belongs to a drawn sample.

    Attributes:
        strata: What it was drawn from.
        edges: Score edges of the strata.
        frame: Content hash of the frame.
        seed: Seed of the draw.
        rounds: The pilot, if any, and what was drawn later; at least one.
    """

    strata: Strata
    edges: tuple[float, ...]
    frame: str
    seed: int
    rounds: tuple[Round, ...]

    def items(self) -> dict[str, int]:
        """Every drawn item and the number of its stratum."""
        return {item: stratum for drawn in self.rounds for item, stratum in drawn.items.items()}


def round_name(strata: Strata, edges: tuple[float, ...], frame: str, seed: int, items: Mapping[str, int]) -> str:
    """The name of an annotation set: a hash of all that its key says about it."""
    content = [*_strata_record(strata).items(), ("edges", list(edges)), ("frame", frame), ("seed", seed)]
    text = json.dumps([content, list(items.items())], ensure_ascii=True, sort_keys=True)
    return sha256(text.encode()).hexdigest()[:DIGITS]


def write_key(key: Key) -> Iterator[str]:
    """Yield the lines of a key file: JSON."""
    record = {
        "format": FORMAT,
        "version": VERSION,
        "frame": key.frame,
        "seed": key.seed,
        "edges": list(key.edges),
        **_strata_record(key.strata),
        "rounds": [{"set": drawn.name, "items": dict(drawn.items)} for drawn in key.rounds],
    }
    yield from json.dumps(record, ensure_ascii=False, indent=1).split("\n")


def read_key(path: Source) -> Key:
    """Read a key file.

    Raises:
        InputError: If it is no key, or was changed after the draw.
    """
    problems = Problems()
    lines = Lines(path, problems)
    text = "\n".join(lines)
    problems.raise_errors()
    place = Place(lines.name)
    try:
        record = parse_json(text)
    except NotJsonError:
        record = None
    if not isinstance(record, dict) or record.get("format") != FORMAT or record.get("version") != VERSION:
        what = "this is not the key of a sample"
        fix = "name the file that 'errorbar sample draw --key' wrote"
        raise InputError(Problem("sample-key", what, place, f"JSON of the format {FORMAT}, version {VERSION}", fix))
    try:
        key = _parse(record)
    except (KeyError, TypeError, ValueError, AttributeError, OverflowError) as error:
        what = f"the key is not whole: {type(error).__name__} at {error}"
        raise InputError(Problem("sample-key", what, place, fix="draw the sample again")) from None
    for drawn in key.rounds:
        if round_name(key.strata, key.edges, key.frame, key.seed, drawn.items) != drawn.name:
            what = f"the key was changed after the set {drawn.name} was drawn"
            fix = "use the key as it was written, or draw again"
            raise InputError(Problem("sample-key-changed", what, place, fix=fix))
    return key


def _strata_record(strata: Strata) -> dict[str, object]:
    rows = zip(strata.names, strata.sizes.tolist(), strata.flags.T.tolist(), strict=True)
    return {
        "systems": list(strata.systems),
        "strata": [{"name": name, "size": size, "flags": flags} for name, size, flags in rows],
    }


def _parse(record: Mapping[str, object]) -> Key:
    rows, rounds, edges = record["strata"], record["rounds"], record["edges"]
    systems, seed = record["systems"], record["seed"]
    if not (isinstance(rows, list) and isinstance(rounds, list) and isinstance(edges, list)):
        raise TypeError("strata, rounds, edges")
    if not (isinstance(systems, list) and isinstance(seed, int) and rounds):
        raise TypeError("systems, seed, rounds")
    strata = Strata(
        tuple(str(row["name"]) for row in rows),
        np.array([row["size"] for row in rows], np.int64),
        np.array([row["flags"] for row in rows], np.bool_).T,
        tuple(str(system) for system in systems),
    )
    drawn = tuple(
        Round(str(one["set"]), {str(item): int(stratum) for item, stratum in one["items"].items()}) for one in rounds
    )
    if any(not 0 <= stratum < len(strata) for one in drawn for stratum in one.items.values()):
        raise ValueError("a stratum that does not exist")
    return Key(strata, tuple(float(edge) for edge in edges), str(record["frame"]), seed, drawn)
