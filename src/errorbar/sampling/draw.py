"""Draw a sample and write the blind annotation set.

Conventions
    Each stratum has its own stream, named by the stratum, which puts its items in an order once and for all; a sample
    of n items is the first n. So a later round with the same seed goes on where the pilot stopped, and both together
    are a simple random sample of the stratum. Another stream shuffles the set, so that the order tells nothing. It is
    named by the contents of the frame, which raters do not have: who knows the seed alone cannot undo the shuffling.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Sequence
from typing import Literal

import numpy as np

from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.sampling.frame import Frame
from errorbar.sampling.key import Key, Round, round_name
from errorbar.sampling.strata import Counts, stratify
from errorbar.stats.streams import stream

SetFormat = Literal["csv", "jsonl"]


def draw_sample(frame: Frame, n: Counts, *, edges: Sequence[float] = (), seed: int = 0) -> Key:
    """Draw items of each stratum without replacement.

    Args:
        frame: What to draw from.
        n: Items of each stratum, in the order of ``stratify(frame, edges)``.
        edges: Score edges of the strata.
        seed: Seed of the streams.

    Raises:
        UsageError: If a stratum has fewer items than are to be drawn, or nothing is to be drawn.
    """
    return _draw(frame, n, tuple(edges), seed, ())


def draw_more(frame: Frame, n: Counts, key: Key) -> Key:
    """Go on with a sample.

    Args:
        frame: What the first sample was drawn from.
        n: Items of each stratum in all, those drawn before among them.
        key: What was drawn before.

    Returns:
        A key with one round more.

    Raises:
        InputError: If the frame is another one.
        UsageError: If a stratum has fewer items than are to be drawn, or nothing is to be drawn.
    """
    check_frame(frame, key)
    return _draw(frame, n, key.edges, key.seed, key.rounds)


def check_frame(frame: Frame, key: Key) -> None:
    """See that a sample was drawn from this frame.

    Raises:
        InputError: If not.
    """
    if frame.content_hash() != key.frame:
        what = (
            f"the sample was drawn from other items, flags or scores (frame {key.frame}, here {frame.content_hash()})"
        )
        raise InputError(Problem("sample-frame-other", what, fix="give the flags that the sample was drawn from"))


def _draw(frame: Frame, n: Counts, edges: tuple[float, ...], seed: int, before: tuple[Round, ...]) -> Key:
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
    frame_hash = frame.content_hash()
    shuffled = stream(seed, "sample", "order", len(before), frame_hash).permutation(len(chosen)).tolist()
    items = dict(chosen[at] for at in shuffled)
    drawn = Round(round_name(strata, edges, frame_hash, seed, items), items)
    return Key(strata, edges, frame_hash, seed, (*before, drawn))


def blind_set(key: Key, frame: Frame, raters: Sequence[str], kind: SetFormat = "csv") -> Iterator[str]:
    """Yield the lines of the last round's annotation set: a row for each item and rater, the label to be filled in.

    Columns: item, text (if the frame has texts), set (its name), rater, label. Nothing tells the stratum.

    Raises:
        InputError: If an item's name has a line break.
    """
    drawn = key.rounds[-1]
    text = {} if frame.texts is None else dict(zip(frame.items, frame.texts, strict=True))
    names = ["item", *(["text"] if text else []), "set", "rater", "label"]
    if kind == "csv":
        yield _csv(names)
    for rater in raters:
        for item in drawn.items:
            if "\n" in item or "\r" in item:
                what = f"the name of item {item!r} has a line break"
                raise InputError(Problem("sample-item", what, Place(), fix="rename the item"))
            # A line break in a text would tear the row apart for readers that go by lines.
            shown = [" ".join(text[item].split())] if text else []
            values = [item, *shown, drawn.name, rater, ""]
            yield (
                _csv(values) if kind == "csv" else json.dumps(dict(zip(names, values, strict=True)), ensure_ascii=False)
            )


def _csv(fields: Sequence[str]) -> str:
    buffer = io.StringIO()
    csv.writer(buffer, lineterminator="").writerow(fields)
    return buffer.getvalue()
