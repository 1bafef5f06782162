"""Tables in which judgments of people and of models stand together, with what is known of each judgment and item.

Conventions
    ``rater_kind`` says who is a model. ``at`` is when a judgment was given: seconds since 1970, or a date and time as
    ISO 8601 has it. ``top`` is the output that stood first, ``first`` or ``second``; ``system1`` and ``system2`` wrote
    the two. A ranking has ``shown``, ``A / B / C``, and ``ranking``, ``A > B|C = D``, as ``errorbar judge export``
    writes them: each two of its outputs become an item of their own, with the labels ``first``, ``second`` and
    ``equal``. Lengths are those of ``candidate1`` and ``candidate2``, in code points. Facts of items may come from a
    second table, or from a study's export as JSON lines, which has the texts of all outputs.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from itertools import combinations
from math import nan

from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.formats.judgments import RATER_KIND, models_of, note_rater
from errorbar.formats.look import Lines, Source, look
from errorbar.formats.tables import table_rows
from errorbar.formats.untrusted import json_record

GROUPS = ("stratum", "type")
"""Columns whose values are groups of items, where nobody names others."""
AT = "at"
"""A column of when each judgment was given."""
SHOWN, RANKING = "shown", "ranking"
STUDY = "errorbar-judge"
"""The name that the first line of a study's export has."""


@dataclass(frozen=True, slots=True)
class ItemOutputs:
    """The outputs of an item: how long each is, by who wrote it, and of two the first and the second."""

    lengths: Mapping[str, int] = field(default_factory=dict)
    pair: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class ModelRow:
    """One judgment; of a ranking, what it says of two outputs.

    Attributes:
        item: Its item.
        cluster: The item that it varies with: the ranking that a pair is from.
        rater: Who gave it.
        label: What it says.
        top: The label that prefers the output that stood first; empty: not known.
        writers: Who wrote the first and the second output; empty: not known.
        at: When, in seconds; NaN: not known.
    """

    item: str
    cluster: str
    rater: str
    label: str
    top: str = ""
    writers: tuple[str, str] = ("", "")
    at: float = nan


@dataclass(frozen=True, slots=True)
class ModelRows:
    """Judgments, who is a model, and what is known of items."""

    rows: Sequence[ModelRow]
    models: frozenset[str]
    outputs: Mapping[str, ItemOutputs]  # by cluster
    groups: Mapping[str, Mapping[str, str]]  # of each column its value by cluster


def collect_rows(
    table: Iterable[tuple[Mapping[str, str], Place]],
    problems: Problems,
    *,
    columns: Mapping[str, str],
    unknown: Sequence[str] = (),
    groups: Sequence[str] = (),
    about: Source | None = None,
) -> ModelRows:
    """Collect the judgments of a table.

    Args:
        table: Its rows, each with its place.
        problems: Where what is wrong with a row goes; the caller raises.
        columns: The name of the column of an item, rater or label, where it has another.
        unknown: Labels that mean "cannot say"; such judgments count as not given.
        groups: Columns that group items; (): those of ``GROUPS`` that there are.
        about: A table of items, or a study's export.

    Raises:
        UsageError: If a column that is to group items does not exist.
    """
    item_name, rater_name, label_name = (columns.get(role, role) for role in ("item", "rater", "label"))
    kinds: dict[str, str] = {}
    facts: dict[str, dict[str, str]] = {}
    outputs: dict[str, ItemOutputs] = {}
    rows: list[ModelRow] = []
    for values, place in table:
        item, rater, label = (values.get(name, "").strip() for name in (item_name, rater_name, label_name))
        if not item or not rater:
            problems.repairable("judgments-name", f"the row names no {'rater' if item else 'item'}", place)
            continue
        note_rater(rater, {RATER_KIND: values.get(RATER_KIND, "")}, ({}, kinds), place, problems)
        facts.setdefault(item, {}).update({name: value for name, value in values.items() if value})
        if label and label not in unknown:
            at = _read_time(values.get(AT, ""), place, problems)
            rows += (
                _pairs_of(item, rater, values, at) if values.get(RANKING) else [_row(item, rater, label, values, at)]
            )
    if about is not None:
        for item, own in _item_facts(about, outputs, problems):
            facts.setdefault(item, {}).update(own)
    for item, own in facts.items():
        if item not in outputs and own.get("candidate1") and own.get("candidate2"):
            outputs[item] = ItemOutputs(pair=(len(own["candidate1"]), len(own["candidate2"])))
    there = dict.fromkeys(name for own in facts.values() for name in own)
    if missing := [name for name in groups if name not in there]:
        message = f"no column '{missing[0]}' groups the items"
        raise UsageError(Problem("judgments-column", message, fix=f"name one of: {', '.join(there)}"))
    chosen = groups or [name for name in GROUPS if name in there]
    by_column = {name: {item: own.get(name, "") for item, own in facts.items()} for name in chosen}
    return ModelRows(rows, models_of(kinds), outputs, by_column)


def _row(item: str, rater: str, label: str, values: Mapping[str, str], at: float) -> ModelRow:
    writers = values.get("system1", ""), values.get("system2", "")
    return ModelRow(item, item, rater, label, values.get("top", ""), writers, at)


def _pairs_of(item: str, rater: str, values: Mapping[str, str], at: float) -> Iterator[ModelRow]:
    """The preferences of a ranking between two outputs each; which is the first does not depend on the screen."""
    shown = values.get(SHOWN, "").split(" / ")
    ranks: dict[str, int] = {}
    for rank, tied in enumerate(values[RANKING].split(" > ")):
        ranks |= dict.fromkeys(tied.split(" = "), rank)
    for one, two in combinations(sorted(ranks), 2):
        label = "equal" if ranks[one] == ranks[two] else "first" if ranks[one] < ranks[two] else "second"
        top = "" if not {one, two} <= {*shown} else "first" if shown.index(one) < shown.index(two) else "second"
        yield ModelRow(f"{item}: {one} / {two}", item, rater, label, top, (one, two), at)


def _read_time(text: str, place: Place, problems: Problems) -> float:
    if not text:
        return nan
    try:
        return float(text)
    except ValueError:
        pass
    try:
        return datetime.fromisoformat(text).timestamp()
    except ValueError:
        expected = "seconds since 1970, or a date and time such as 2026-01-31T12:00:00Z"
        problems.repairable("judgments-time", f"the time '{text}' will not do", place, "it counts as unknown", expected)
        return nan


def _item_facts(
    about: Source, outputs: dict[str, ItemOutputs], problems: Problems
) -> Iterator[tuple[str, Mapping[str, str]]]:
    """Facts of items by column; what is known of outputs' lengths is kept in ``outputs``."""
    head = json_record(look(about).peek())
    if head is None or head.get("format") != STUDY:
        for values, _ in table_rows(about, problems, ("item",)):
            yield values["item"], values
        return
    for line in Lines(about, problems):
        payload = json.loads(line).get("item")
        if isinstance(payload, dict):
            lengths = [*map(len, payload["candidates"])]
            by_writer = dict(zip(payload["names"], lengths, strict=False))
            outputs[payload["name"]] = ItemOutputs(by_writer, (lengths[0], lengths[1]) if len(lengths) == 2 else None)
            yield payload["name"], payload["hidden"]
