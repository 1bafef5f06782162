"""Signatures as people read them: what all of them share is said once, and of each only what differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from errorbar.reporting.blocks import Block, Fold, Prose
from errorbar.reporting.sections.figures import plural
from errorbar.studies.model import CorpusStudy, CrowdStudy, HooStudy, Study
from errorbar.tables.table import Cell, Column, Table

TOGETHER = (
    "Every number rests on what its signature names: two rows may be ranked together only if their signatures agree in "
    "all but the hypothesis (hyp). What the signatures share stands here once, and of each what is its own."
)
HYPOTHESIS, VERSION = "hyp:", "v:"
MEANING = {
    "src": "content of the source texts",
    "ref": "content of the reference",
    "n": "sentences, fragments or items",
    "ann": "annotators or raters",
    "ci": "intervals: method, level, resamples, what is drawn, seed",
    "v": "version of errorbar",
}
"""What the parts of a signature are."""


class Signed(NamedTuple):
    """Something that was computed, of one system (empty: of all), and its signature."""

    what: str
    system: str
    signature: str

    @property
    def title(self) -> str:
        """What it is called among whole signatures."""
        what, comma, more = self.what.partition(", ")
        return f"{what}: {self.system}{comma}{more}" if self.system else self.what


def signature_blocks(studies: Sequence[Study]) -> list[Block]:
    """What signatures share and what is each one's own; and folded, every one whole."""
    signed = [(study.name, _signed(study)) for study in studies]
    every = [(name, one) for name, those in signed for one in those]
    rows: list[list[Cell]] = [[name, one.title, one.signature] for name, one in every]
    columns = [Column("data"), Column("what"), Column("signature")]
    whole = Table(columns, rows, "What was computed on which data how", "signatures")
    if len(every) < 2:
        return [Prose([TOGETHER.split(". What", maxsplit=1)[0] + "."]), whole]
    blocks: list[Block] = [Prose([TOGETHER])]
    for name, those in signed:
        blocks += _shared(name, those)
    return [*blocks, Fold(f"All {plural(len(every), 'signature')}, whole, to copy", whole)]


def _signed(study: Study) -> list[Signed]:
    every = dict(study.signatures)
    found = []
    if isinstance(study, CorpusStudy | HooStudy):
        found = [Signed("score", one.system, every.pop(f"score: {one.system}")) for one in study.scores]
    if isinstance(study, CrowdStudy):
        rows = [(row.system, row.score.estimand) for row in study.scores.rows]
        found = [Signed(f"crowd score, {how}", name, every.pop(f"crowd score: {name}, {how}")) for name, how in rows]
    found += [Signed(title, "", signature) for title, signature in every.items()]
    if isinstance(study, CorpusStudy):  # the scores beside the main ones too
        others = [score for scores in study.others.values() for score in scores]
        found += [Signed(f"score, {one.metric}", one.system, str(one.signature)) for one in others]
    return found


def _shared(name: str, signed: Sequence[Signed]) -> list[Block]:
    """Of one study the parts that stand in most signatures, then what each computation has beside them."""
    parts = [one.signature.split("|") for one in signed]
    on_data = [own for own in parts if any(part.startswith("src:") for part in own)] or parts
    common = [part for part in on_data[0] if all(part in own for own in on_data) and not part.startswith(HYPOTHESIS)]
    rows = [[*_named(part)] for part in common]
    columns = [Column("part"), Column("value"), Column("what it is")]
    others = [one.title for one, each in zip(signed, parts, strict=True) if each not in on_data]
    notes = [f"{', '.join(others)}: other data, named below"] if others else []
    shared = Table(columns, rows, f"What signatures share: {name}", "signature-parts", notes)
    version = [part for part in common if part.startswith(VERSION)]
    own: dict[tuple[str, str], list[str]] = {}
    hypotheses: dict[tuple[str, str], None] = {}
    for one, each in zip(signed, parts, strict=True):
        left = [part for part in each if part not in (common if each in on_data else version)]
        if one.system:
            hypotheses |= dict.fromkeys((one.system, part) for part in left if part.startswith(HYPOTHESIS))
            left = [part for part in left if not part.startswith(HYPOTHESIS)]
        own.setdefault((one.what, "|".join(left)), []).append(one.system)
    made: list[list[Cell]] = [
        [f"{what}, {plural(len(names), 'system')}" if names[0] else what, rest or "nothing else"]
        for (what, rest), names in own.items()
    ]
    blocks: list[Block] = [shared] if rows else []
    columns = [Column("what"), Column("parts of its own")]
    blocks.append(Table(columns, made, f"What each has of its own: {name}", "signature-own"))
    if hypotheses:
        columns = [Column("system"), Column("hyp")]
        each_system = [(system, part.removeprefix(HYPOTHESIS)) for system, part in hypotheses]
        blocks.append(Table(columns, each_system, f"Content of each system's output: {name}", "signature-systems"))
    return blocks


def _named(part: str) -> tuple[str, str, str | None]:
    key, colon, value = part.partition(":")
    if not colon or "(" in key:
        return "metric", part, "what was computed, with its parameters"
    return key, value, MEANING.get(key)
