"""What drawing an audit gives."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from errorbar.core.errors import Problem
from errorbar.sampling.audit_plan import order_key
from errorbar.sampling.draw import set_lines
from errorbar.studies.audit_frame import AuditKey, write_audit_key
from errorbar.studies.sample_results import save_set, style_of
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table


@dataclass(frozen=True, slots=True, repr=False)
class AuditDraw(Result):
    """A drawn audit.

    Attributes:
        key: What was drawn, to be kept private.
        raters: Who is to judge.
        asked: Numbers of the items that nobody has judged yet.
        half_widths: Expected, of each system's audited precision.
        notes: Warnings and repairs.
    """

    key: AuditKey
    raters: Sequence[str]
    asked: Sequence[int]
    half_widths: Sequence[float]
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """The set, its items in their blind order, and what to expect."""
        frame = self.key.frame
        strata = zip(frame.strata.names, frame.strata.sizes.tolist(), self.key.n, strict=True)
        systems = zip(frame.strata.systems, self.half_widths, strict=True)
        return {
            "set": self.key.name,
            "items": [frame.items[at].name for at in self.shuffled()],
            "reused": sum(self.key.n) - len(self.asked),
            "strata": [{"name": name, "size": size, "n": n} for name, size, n in strata],
            "expected": [{"system": system.name, "half_width": half} for system, half in systems],
        }

    def tables(self) -> list[Table]:
        """The strata, and what to expect of them."""
        frame = self.key.frame
        columns = [Column("proposed by"), Column("edits", "count", "size"), Column("to judge", "count", "n")]
        rows: list[list[Cell]] = [
            list(row) for row in zip(frame.strata.names, frame.strata.sizes.tolist(), self.key.n, strict=True)
        ]
        rows.append(["all", int(frame.strata.sizes.sum()), sum(self.key.n)])
        notes = [
            f"audited precision of {system.name}: expected half-width {100 * half:.2f}"
            for system, half in zip(frame.strata.systems, self.half_widths, strict=True)
        ]
        notes.append(f"{sum(self.key.n) - len(self.asked)} of them were judged in earlier audits")
        if frame.empty:
            notes.append(f"{frame.empty} unmatched edits change nothing, and are not valid")
        return [Table(columns, rows, "Edits that match no annotator", "audit", notes)]

    def shuffled(self) -> list[int]:
        """Numbers of the items to be judged, in an order that tells nothing."""
        return sorted(self.asked, key=lambda at: order_key(self.key.seed, f"shown {self.key.frame.items[at].name}"))

    def save(self, out: str, key: str) -> None:
        """Write the set (.csv or .jsonl, maybe .gz) and its private key; neither overwrites a file."""
        items = [self.key.frame.items[at].shown() for at in self.shuffled()]
        save_set(set_lines(items, self.key.name, self.raters, style_of(out)), write_audit_key(self.key), out, key)
