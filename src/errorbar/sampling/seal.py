"""The seal of a model rater: what it was, and which items its prompt has seen, before its answers are calibrated.

Formula
    An item is for tuning where the first eight bytes of BLAKE2b(name; key = seed), as a share of 2⁶⁴, are below the
    share wanted: a coin of its own for each name, whatever the order of items.
    ``hash`` is the SHA-256 of all other fields as JSON with sorted keys and without spaces.
Conventions
    A seal that was changed after it was written is refused. The hash has no key: it guards against mistakes, not
    against somebody who writes a new seal. Labels of sealed items (for tuning, or examples in the prompt) say nothing
    of how the model does elsewhere: estimates refuse them by name; lenient reading leaves them out. What the model says
    of sealed items is never used. Both are harmless for items of the coin, and for examples where they are few.
Source
    Angelopoulos et al. 2023, Science 382: predictions must not depend on the labels that calibrate them.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from errorbar.core.labels import format_count
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError
from errorbar.formats.look import Source
from errorbar.formats.saving import save_lines
from errorbar.formats.untrusted import read_json

FORMAT = "errorbar seal 1"
NAMED = 20
"""So many items are named one by one in a message."""
_RANGE = float(2**64)
_FIELDS = {"identity": str, "model": dict, "sealed": str, "tune": list, "examples": list, "hash": str}


@dataclass(frozen=True, slots=True)
class Seal:
    """The state of a model rater before the labels that calibrate it were opened.

    Attributes:
        identity: Of the model rater: SHA-256 of what it is made of, in hexadecimal digits.
        model: What it is made of: server, model, prompt, decoding, scheme.
        sealed: The day, as ISO 8601 writes it.
        tune: Items whose human labels were open while the prompt was written.
        examples: Items that stand in the prompt.
    """

    identity: str
    model: Mapping[str, Any]
    sealed: str = field(default_factory=lambda: date.today().isoformat())
    tune: Sequence[str] = ()
    examples: Sequence[str] = ()

    @property
    def hash(self) -> str:
        """The SHA-256 of all that is sealed."""
        return hashlib.sha256(_canonical(self._record()).encode()).hexdigest()

    @property
    def short_identity(self) -> str:
        """The first eight digits, with which names of raters end: ``model:NAME@1a2b3c4d``."""
        return self.identity[:8]

    def _record(self) -> dict[str, object]:
        return {
            "format": FORMAT,
            "identity": self.identity,
            "model": dict(self.model),
            "sealed": self.sealed,
            "tune": sorted(self.tune),
            "examples": sorted(self.examples),
        }

    def save(self, path: str) -> None:
        """Write the seal, a new file."""
        record = self._record() | {"hash": self.hash}
        save_lines(json.dumps(record, ensure_ascii=False, indent=1).split("\n"), path)

    def refuse_models(self, models: Iterable[str], place: Place) -> None:
        """Refuse judgments of other models than the sealed one: an ``InputError``."""
        names = sorted(models)
        others = [name for name in names if not name.endswith(f"@{self.short_identity}")]
        if others or not names:
            message = f"judgments of {', '.join(others)}" if others else "no judgment of a model"
            expected = f"of the sealed model alone, whose name ends with @{self.short_identity}"
            raise InputError(Problem("seal-model", message, place, expected, "give the judgments of that model"))

    @property
    def items(self) -> frozenset[str]:
        """The items that the prompt has seen."""
        return frozenset((*self.tune, *self.examples))

    def note_unknown(self, judged: Iterable[str], problems: Problems, place: Place) -> None:
        """Warn of sealed items that the model did not judge: items are known by name, and may have another now."""
        if unknown := sorted(self.items.difference(judged)):
            of = f"{len(unknown):,} of {format_count(len(self.items), 'sealed items')}"
            message = f"the model did not judge {of}: {_listed(unknown)}"
            fix = "if items have other names now, seal with these: labels of sealed items are found by name alone"
            problems.note("seal-unknown", message, place, fix=fix)

    def seen(self, items: Iterable[str], problems: Problems, place: Place) -> frozenset[str]:
        """The labeled items that the prompt has seen: a problem that names them, or left out where reading is lenient.

        Raises:
            InputError: If there are some, and reading is not lenient.
        """
        labeled = {*items}
        used = self.items & labeled
        for names, use in ((self.tune, "tuned the prompt"), (self.examples, "stand in the prompt")):
            if both := sorted(labeled & {*names}):
                message = f"labels of {format_count(len(both), 'items')} {use}: {_listed(both)}"
                expected = "labels that the model has not seen"
                problems.repairable("seal-used", message, place, expected=expected)
        problems.raise_errors()
        return used


def read_seal(path: Source) -> Seal:
    """Read a seal and see that nobody changed it; raises ``InputError``."""
    record, place = read_json(path)
    whole = isinstance(record, dict) and record.get("format") == FORMAT
    whole = whole and all(isinstance(record.get(name), kind) for name, kind in _FIELDS.items())
    if not whole or not all(isinstance(item, str) for item in (*record["tune"], *record["examples"])):
        message = "not a seal of a model rater, or not whole"
        raise InputError(Problem("seal-format", message, place, f"a file of the format '{FORMAT}'"))
    fields: dict[str, Any] = {name: record[name] for name in _FIELDS if name != "hash"}
    seal = Seal(**fields)
    content = {name: value for name, value in record.items() if name != "hash"}
    if hashlib.sha256(_canonical(content).encode()).hexdigest() != record["hash"]:
        message = f"the seal of {seal.sealed} was changed after it was written"
        raise InputError(Problem("seal-broken", message, place, fix="use the file as it was written, or seal anew"))
    return seal


def split_items(items: Collection[str], share: float, seed: int) -> tuple[list[str], list[str]]:
    """Split items in those for tuning a prompt, an expected ``share``, and those for calibrating; each sorted.

    Raises:
        UsageError: If the share is not between 0 and 1, or the seed is negative.
    """
    if not 0 < share < 1:
        raise UsageError(Problem("seal-share", f"a share of {share:g} for tuning", expected="between 0 and 1"))
    if seed < 0:
        raise UsageError(Problem("seed", f"the seed is {seed}", expected="a whole number from 0"))
    tune = {name for name in items if _coin(name, seed) < share}
    return sorted(tune), sorted({*items} - tune)


def _coin(name: str, seed: int) -> float:
    digest = hashlib.blake2b(name.encode(), digest_size=8, key=str(seed).encode()).digest()
    return int.from_bytes(digest) / _RANGE


def _canonical(record: Mapping[str, object]) -> str:
    return json.dumps(record, ensure_ascii=False, sort_keys=True, separators=(",", ":"))


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return ", ".join(names[:NAMED]) + more
