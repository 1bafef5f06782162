"""Draw a sample, write the blind annotation set, keep the key.

Conventions
    Each stratum has its own stream, named by the stratum, which puts its items in an order once and for all; a sample
    of n items is the first n. So a later round with the same seed goes on where the pilot stopped, and both together
    are a simple random sample of the stratum. Another stream shuffles the set, so that the order tells nothing. It is
    named by the contents of the frame, which raters do not have: who knows the seed alone cannot undo the shuffling.
    The key tells which stratum each drawn item is from; raters must not see it. The set and its key carry one name, a
    hash of the key's contents, so that a set is never counted by the key of another, and a key that was changed by
    hand is noticed.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Literal

import numpy as np

from errorbar.core.csv_cells import csv_line
from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.formats.look import Source
from errorbar.formats.untrusted import read_json
from errorbar.sampling.frame import Counts, Frame, Strata, stratify
from errorbar.sampling.key_file import KeyFormat
from errorbar.stats.resampling import stream

SetFormat = Literal["csv", "jsonl"]
SAMPLE_KEY = KeyFormat("errorbar-sample-key", 1, "sample", "sample-key")
DIGITS = 16


@dataclass(frozen=True, slots=True, eq=False)
class Round:
    """Items drawn at one time."""

    name: str  # of their annotation set, a hash
    items: Mapping[str, int]  # to the number of the stratum


@dataclass(frozen=True, slots=True, eq=False)
class Key:
    """What belongs to a drawn sample."""

    strata: Strata
    edges: tuple[float, ...]  # of score
    frame: str  # content hash
    seed: int
    rounds: tuple[Round, ...]  # the pilot, if any, and what was drawn later; at least one

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
    record = {**SAMPLE_KEY.record, "frame": key.frame, "seed": key.seed, "edges": list(key.edges)}
    record |= _strata_record(key.strata)
    record["rounds"] = [{"set": drawn.name, "items": dict(drawn.items)} for drawn in key.rounds]
    yield from json.dumps(record, ensure_ascii=False, indent=1).split("\n")


def read_key(path: Source) -> Key:
    """Read a key file."""
    return key_of(*read_json(path))


def key_of(record: Any, place: Place) -> Key:  # noqa: ANN401 - of JSON
    """The key that the JSON of a file is; an ``InputError`` where it is none, not whole, or was changed."""
    key = SAMPLE_KEY.parse(record, place, _parse)
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


def _parse(record: Mapping[str, Any]) -> Key:
    rows, rounds, edges, systems = lists = [record[name] for name in ("strata", "rounds", "edges", "systems")]
    if not (all(isinstance(each, list) for each in lists) and isinstance(record["seed"], int) and rounds):
        raise TypeError("strata, rounds, edges, systems, seed")
    strata = Strata(
        tuple(str(row["name"]) for row in rows),
        np.array([row["size"] for row in rows], np.int64),
        np.array([row["flags"] for row in rows], np.bool_).T,
        tuple(map(str, systems)),
    )
    drawn = [Round(str(one["set"]), {item: int(stratum) for item, stratum in one["items"].items()}) for one in rounds]
    if any(not 0 <= stratum < len(strata) for one in drawn for stratum in one.items.values()):
        raise ValueError("a stratum that does not exist")
    return Key(strata, tuple(map(float, edges)), str(record["frame"]), record["seed"], tuple(drawn))


def check_frame(frame: Frame, key: Key) -> None:
    """Raise ``InputError`` unless the sample was drawn from this frame."""
    if (here := frame.content_hash) != key.frame:
        what = f"the sample was drawn from other items, flags or scores (frame {key.frame}, here {here})"
        raise InputError(Problem("sample-frame-other", what, fix="give the flags that the sample was drawn from"))


def draw_sample(
    frame: Frame, n: Counts, *, edges: Sequence[float] = (), seed: int = 0, after: Key | None = None
) -> Key:
    """Draw ``n`` items of each stratum, those drawn ``after`` a sample among them, whose score edges and seed stay."""
    edges, before = tuple(edges), tuple[Round, ...]()
    if after is not None:
        check_frame(frame, after)
        edges, seed, before = after.edges, after.seed, after.rounds
    strata, codes = stratify(frame, edges)
    known = {item for drawn in before for item in drawn.items}
    if n.shape != (len(strata),) or (n < 0).any():
        what = f"items to draw from {len(strata)} strata: {n.tolist()}"
        raise UsageError(Problem("sample-strata", what, expected="a number from 0 for each stratum"))
    chosen: list[tuple[str, int]] = []
    for at, (name, size) in enumerate(zip(strata.names, strata.sizes.tolist(), strict=True)):
        if n[at] > size:
            what = f"{n[at]} items of stratum '{name}' cannot be drawn: it has {size}"
            raise UsageError(Problem("sample-size", what, expected=f"at most {size}"))
        members = np.flatnonzero(codes == at)
        order = stream(seed, "sample", "stratum", name).permutation(len(members))
        names = [frame.items[row] for row in members[order[: n[at]]].tolist()]
        chosen += [(item, at) for item in names if item not in known]
    if not chosen:
        what = "no item is to be drawn" if not before else "every item of this sample has been drawn before"
        raise UsageError(Problem("sample-budget", what, fix="raise the budget"))
    frame_hash = frame.content_hash
    shuffled = stream(seed, "sample", "order", len(before), frame_hash).permutation(len(chosen)).tolist()
    items = dict(chosen[at] for at in shuffled)
    drawn = Round(round_name(strata, edges, frame_hash, seed, items), items)
    return Key(strata, edges, frame_hash, seed, (*before, drawn))


def blind_set(key: Key, frame: Frame, raters: Sequence[str], kind: SetFormat = "csv") -> Iterator[str]:
    """Yield the lines of the last round's annotation set: each item and rater, an empty label, and no stratum."""
    drawn = key.rounds[-1]
    text = {} if frame.texts is None else dict(zip(frame.items, frame.texts, strict=True))
    shown = [{"item": item, **({"text": text[item]} if text else {})} for item in drawn.items]
    return set_lines(shown, drawn.name, raters, kind)


def set_lines(
    shown: Sequence[Mapping[str, str]], name: str, raters: Sequence[str], kind: SetFormat = "csv"
) -> Iterator[str]:
    """Yield the lines of an annotation set: of each rater and item what is shown, the set's name, an empty label."""
    if kind == "csv":
        yield csv_line([*shown[0], "set", "rater", "label"] if shown else ["item", "set", "rater", "label"])
    for rater in raters:
        for one in shown:
            if "\n" in one["item"] or "\r" in one["item"]:
                what = f"the name of item {one['item']!r} has a line break"
                raise InputError(Problem("sample-item", what, fix="rename the item"))
            # A line break in a text would tear the row apart for readers that go by lines.
            told = {column: text if column == "item" else " ".join(text.split()) for column, text in one.items()}
            row = {**told, "set": name, "rater": rater, "label": ""}
            yield csv_line(list(row.values())) if kind == "csv" else json.dumps(row, ensure_ascii=False)
