"""The edits of systems that match no annotator, as items of an audit, and the key that tells their strata."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from hashlib import sha256
from typing import Any

import numpy as np

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.edits.minimal_pieces import Piece, changed_text, minimal_pieces
from errorbar.formats.look import Source
from errorbar.formats.untrusted import read_json
from errorbar.metrics.base import Metric
from errorbar.metrics.choice import EDITS
from errorbar.sampling.audit_plan import Audited, AuditStrata, order_key
from errorbar.sampling.key_file import KeyFormat
from errorbar.studies.audit_types import Types, edit_types

AUDIT_KEY = KeyFormat("errorbar-audit-key", 1, "audit", "audit-key")
DIGITS = 16
WITH_OTHERS, ALONE, REST = "others too", "no other", "other types"
LEAST = 50
"""The fewest edits of a type that are a stratum of their own among those of the same systems."""


@dataclass(frozen=True, slots=True)
class AuditItem:
    """An edit that matches no annotator, and who proposes it."""

    name: str  # a hash of sentence and pieces, the same in every audit
    sentence: int  # counted from 0
    pieces: tuple[Piece, ...]
    text: str  # the sentence, tokens with a space between
    systems: tuple[bool, ...]  # whether each proposes it
    others: bool = False  # whether a system that is not audited does
    type: str = ""  # of error, where strata are by type

    def shown(self) -> dict[str, str]:
        """What raters see: the sentence, where it is changed (characters), what stands there, and what would."""
        tokens, start, end = self.text.split(), self.pieces[0][0], self.pieces[-1][1]
        ahead = len(" ".join(tokens[:start])) + bool(start)
        first, word = min(ahead, len(self.text)), " ".join(tokens[start:end])
        span = f"{first}-{first + len(word)}"
        changed = changed_text(tokens, start, end, self.pieces)
        return {"item": self.name, "text": self.text, "span": span, "word": word, "suggestion": changed}


@dataclass(frozen=True, slots=True, eq=False)
class AuditFrame:
    """All items, and their strata."""

    items: tuple[AuditItem, ...]
    strata: AuditStrata
    codes: tuple[int, ...]  # the number of each item's stratum
    metric: str  # its spec
    empty: int = 0  # unmatched edits that change nothing
    bands: bool = False  # whether systems that are not audited make strata


@dataclass(frozen=True, slots=True, eq=False)
class AuditKey:
    """What belongs to a drawn audit."""

    frame: AuditFrame
    seed: int
    n: tuple[int, ...]  # items of each stratum that are to be judged, the first of its order
    name: str  # of the set

    def drawn(self) -> list[int]:
        """Numbers of the items to be judged, by stratum."""
        return [at for h, n in enumerate(self.n) for at in ordered(self.frame, self.seed, h)[:n]]


def audit_frame(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    others: Sequence[Hypothesis],
    metric: Metric,
    types: Types = "none",
) -> AuditFrame:
    """The union of unmatched edits of systems; ``others`` are not audited, and say which edits are likelier valid."""
    if tuple(metric.counted) != tuple(EDITS):
        what = f"the metric {metric.spec} does not count edits"
        raise UsageError(Problem("audit-metric", what, expected="m2 or errant"))
    occurrence, known = Counter[str](), list[str]()
    for sentence in corpus.sentences:
        known.append(f"{sentence.text}\x1f{occurrence[sentence.text]}")
        occurrence[sentence.text] += 1
    proposed: dict[tuple[int, tuple[Piece, ...]], set[int]] = {}
    audited, empty = [], 0
    for at, system in enumerate([*systems, *others]):
        statistics = metric.measure(corpus, system.lines)
        parts = metric.parts(statistics)
        edits = metric.system_edits(corpus, system.lines, parts.annotators) or ()
        if at < len(systems):
            correct, n, gold = (int(total) for total in parts.counts.sum(axis=0))
            audited.append(Audited(system.name, correct, n, gold))
        for number, found in enumerate(edits):
            tokens = corpus.sentences[number].tokens
            for edit in (one for one in found if at >= len(systems) or not one.matched):
                pieces = minimal_pieces(tokens, edit.start, edit.end, edit.replacement)
                if not pieces:
                    empty += at < len(systems)
                elif at < len(systems):
                    proposed.setdefault((number, pieces), set()).add(at)
                elif (number, pieces) in proposed:
                    proposed[number, pieces].add(len(systems))
    items = []
    for (number, pieces), who in proposed.items():
        name = sha256(f"{known[number]}\x1f{pieces!r}".encode("utf-8", "surrogatepass")).hexdigest()[:DIGITS]
        flags = tuple(at in who for at in range(len(systems)))
        text = " ".join(corpus.sentences[number].tokens)
        items.append(AuditItem(name, number, pieces, text, flags, len(systems) in who))
    if not items:
        what = "no system proposes an edit that matches no annotator"
        raise UsageError(Problem("audit-nothing", what, fix="there is nothing to audit"))
    kinds = edit_types([(item.text, item.pieces) for item in items], types)
    items = [replace(item, type=kind) for item, kind in zip(items, kinds, strict=True)]
    return stratified(items, audited, str(metric.spec), empty=empty, bands=bool(others))


def stratified(
    items: Sequence[AuditItem], systems: Sequence[Audited], metric: str, *, empty: int, bands: bool
) -> AuditFrame:
    """Items in strata: who proposes them, whether others do, and of which type they are, where it is not a rare one."""
    often = Counter((item.systems, item.others, item.type) for item in items)
    kinds_of = [
        (item.systems, item.others, item.type if often[item.systems, item.others, item.type] >= LEAST else "")
        for item in items
    ]
    kinds = sorted(set(kinds_of), key=lambda kind: (*(not flag for flag in (*kind[0], kind[1])), not kind[2], kind[2]))
    codes = {kind: at for at, kind in enumerate(kinds)}
    coded = tuple(codes[kind] for kind in kinds_of)
    typed = {kind[:2] for kind in kinds if kind[2]}
    names = tuple(
        " + ".join(each.name for each, said in zip(systems, flags, strict=True) if said)
        + f", {WITH_OTHERS if other else ALONE}" * bands
        + f", {kind or REST}" * ((flags, other) in typed)
        for flags, other, kind in kinds
    )
    sizes = np.bincount(coded, minlength=len(kinds)).astype(np.int64)
    flags = np.array([flags for flags, _, _ in kinds], np.bool_).T
    return AuditFrame(tuple(items), AuditStrata(names, sizes, flags, tuple(systems)), coded, metric, empty, bands)


def ordered(frame: AuditFrame, seed: int, stratum: int) -> list[int]:
    """Numbers of the items of a stratum, in the order in which they are drawn."""
    own = (at for at, code in enumerate(frame.codes) if code == stratum)
    return sorted(own, key=lambda at: order_key(seed, frame.items[at].name))


def write_audit_key(key: AuditKey) -> Iterator[str]:
    """Yield the lines of a key file: JSON."""
    frame = key.frame
    record = {
        **AUDIT_KEY.record,
        "set": key.name,
        "seed": key.seed,
        "metric": frame.metric,
        "empty": frame.empty,
        "bands": frame.bands,
        "systems": [asdict(system) for system in frame.strata.systems],
        "n": list(key.n),
        "items": [asdict(item) for item in frame.items],
    }
    yield from json.dumps(record, ensure_ascii=False, indent=1).split("\n")


def read_audit_key(path: Source) -> AuditKey:
    """Read a key file."""
    return audit_key_of(*read_json(path))


def audit_key_of(record: Any, place: Place) -> AuditKey:  # noqa: ANN401 - of JSON
    """The key that the JSON of a file is; an ``InputError`` where it is none, not whole, or was changed."""
    key = AUDIT_KEY.parse(record, place, _parse)
    if set_name(key.frame, key.seed, key.n) != key.name:
        what = "the key was changed after the audit was drawn"
        raise InputError(Problem("audit-key", what, place, fix="use it as it was written, or draw again"))
    return key


def set_name(frame: AuditFrame, seed: int, n: Sequence[int]) -> str:
    """The name of a set: a hash of what its key says."""
    systems = [asdict(system) for system in frame.strata.systems]
    said = [seed, frame.metric, list(n), systems, [(item.name, item.systems, item.others) for item in frame.items]]
    said += [[item.type for item in frame.items]] * any(item.type for item in frame.items)
    return sha256(json.dumps(said, ensure_ascii=True).encode()).hexdigest()[:DIGITS]


def _parse(record: Mapping[str, Any]) -> AuditKey:
    items = [
        AuditItem(
            str(each["name"]),
            int(each["sentence"]),
            tuple((int(start), int(end), str(text)) for start, end, text in each["pieces"]),
            str(each["text"]),
            tuple(map(bool, each["systems"])),
            bool(each["others"]),
            str(each.get("type", "")),
        )
        for each in record["items"]
    ]
    systems = [
        Audited(str(one["name"]), *(int(one[k]) for k in ("correct", "proposed", "gold"))) for one in record["systems"]
    ]
    frame = stratified(items, systems, str(record["metric"]), empty=int(record["empty"]), bands=bool(record["bands"]))
    n = tuple(map(int, record["n"]))
    if len(n) != len(frame.strata.names) or any(
        not 0 <= k <= size for k, size in zip(n, frame.strata.sizes.tolist(), strict=True)
    ):
        raise ValueError("n")
    return AuditKey(frame, int(record["seed"]), n, str(record["set"]))
