"""What estimating an audit gives."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from errorbar.core.corpus import Corpus
from errorbar.core.errors import Problem
from errorbar.sampling.audit_heard import Ends
from errorbar.sampling.audited import AuditedDifference, AuditedSystem
from errorbar.studies.audit_answers import accepted_answers, chosen
from errorbar.studies.audit_frame import AuditKey
from errorbar.studies.audit_judged import JudgedEdits, Raters
from errorbar.studies.audit_verdicts import GRADED, Rule
from errorbar.tables.records import value_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

FEW_JUDGES = 5
"""Fewer judges are few, where intervals are over judges too."""


@dataclass(frozen=True, slots=True, repr=False)
class AuditEstimation(Result):
    """Audited precision beside the official one.

    Attributes:
        key: What was drawn.
        judged: What was found.
        rule: For "valid".
        systems: The audited systems.
        differences: Of every two of them.
        ends: The lowest and highest that each system's audited precision may be, and each difference, whatever those
            who could not tell had said; None: all could tell.
        better: Of an edit what raters find better, and who.
        level: Confidence level of intervals.
        notes: Warnings and repairs.
        anytime: Whether intervals hold however often one looks; those over judges and of differences are left out then.
    """

    key: AuditKey
    judged: JudgedEdits
    rule: Rule
    systems: Sequence[AuditedSystem]
    differences: Sequence[AuditedDifference]
    ends: tuple[Sequence[Ends], Sequence[Ends]] | None = None
    better: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    level: float = 0.95
    notes: Sequence[Problem] = ()
    anytime: bool = False

    @property
    def spec(self) -> str:
        """What was computed: metric, rule for valid, seed of the draw; whether cheap votes helped."""
        assist = "" if self.judged.heard.assisted is None else "|assist:votes"
        drawn = f"set:{self.key.name}|seed:{self.key.seed}"
        looks = "|looks:anytime" if self.anytime else ""
        return f"audit|{self.key.frame.metric}|{self.rule.convention}{assist}{looks}|{drawn}"

    def to_dict(self) -> dict[str, object]:
        """Everything, fractions and all."""
        strata, (sample, assisted) = self.key.frame.strata, (self.judged.heard.sample, self.judged.heard.assisted)
        trust = [None] * len(strata.names) if assisted is None else assisted.trust.tolist()
        rows = zip(
            *(strata.names, strata.sizes.tolist(), self.key.n, sample.n.tolist(), sample.x.tolist(), trust), strict=True
        )
        names = ("name", "size", "drawn", "judged", "valid", "trust")
        alone: Sequence[Ends | None] = [None] * len(self.systems)
        apart: Sequence[Ends | None] = [None] * len(self.differences)
        if self.ends is not None:
            alone, apart = self.ends
        return {
            "spec": self.spec,
            "metric": self.key.frame.metric,
            "valid": self.rule.valid,
            "cannot_tell": self.rule.unclear,
            "strata": [dict(zip(names, row, strict=True)) for row in rows],
            "unclear": self.judged.unclear,
            "missing": self.judged.missing,
            "unchanged": self.key.frame.empty,
            "raters": _raters_record(self.judged.raters),
            "systems": [_record(system, pair) for system, pair in zip(self.systems, alone, strict=True)],
            "differences": [
                {
                    "first": one.first,
                    "second": one.second,
                    "official": one.official,
                    "audited": value_record(one.audited),
                    "with_judges": value_record(one.judges),
                    "cannot_tell": None if pair is None else dict(zip(("lowest", "highest"), pair, strict=True)),
                }
                for one, pair in zip(self.differences, apart, strict=True)
            ],
        }

    def tables(self) -> list[Table]:
        """The systems, their differences, what other judges would change, and what can be said of recall."""
        columns = [Column("system"), Column("P", "percent", "official_p"), Column("unmatched", "count")]
        columns += [Column("valid", "number", digits=1)]
        columns += [Column("audited P", "percent", interval="beside"), Column("R", "percent", "official_r")]
        columns += [Column("F", "percent", "official_f"), Column("audited F", "percent", interval="beside")]
        rows: list[list[Cell]] = [
            [
                *(one.system.name, one.official[0], one.system.proposed - one.system.correct, one.valid),
                *(one.precision, one.official[1], one.official[2], one.f),
            ]
            for one in self.systems
        ]
        tables = [Table(columns, rows, "Audited precision", "audit", self._remarks(), level=self.level)]
        if self.differences:
            columns = [Column("first"), Column("second"), Column("P", "percent", "official", signed=True)]
            columns.append(Column("audited P", "percent", "audited", interval="beside", signed=True))
            apart: list[list[Cell]] = [[one.first, one.second, one.official, one.audited] for one in self.differences]
            tables.append(Table(columns, apart, "Differences", "differences", ["first minus second"], level=self.level))
        if len(self.judged.raters.names) > 1 and not self.anytime:
            tables.append(self._with_judges())
        if self.ends is not None:
            tables.append(self._ends(*self.ends))
        return [*tables, self._recall()]

    def _remarks(self) -> list[str]:
        """What was judged, by whom, how well they agree."""
        sample, size, raters = self.judged.heard.sample, int(self.key.frame.strata.sizes.sum()), self.judged.raters
        valid = f"{sample.x.sum():,.1f}" if self.rule.valid == GRADED else f"{int(sample.x.sum()):,}"
        notes = [
            f"{int(sample.n.sum()):,} of {size:,} unmatched edits judged, {valid} of them valid (by {self.rule.words})"
        ]
        if len(raters.names) > 1:
            told = sum(raters.counts) / max(int(sample.n.sum()), 1)
            shares = sorted(share for share in raters.shares if share is not None)
            agreed = ""
            if raters.observed.value is not None:
                alpha = "" if raters.alpha.value is None else f", alpha {raters.alpha.value:.2f}"
                agreed = f"; two of them agree on {100 * raters.observed.value:.1f} % of edits{alpha}"
            ends = list(dict.fromkeys(f"{100 * share:.1f}" for share in (*shares[:1], *shares[-1:])))
            single = f"; single raters find {' to '.join(ends)} % valid" if shares else ""
            notes.append(f"{len(raters.names)} raters, {told:.1f} an edit{agreed}{single}")
        else:
            notes.append("one rater: intervals are over edits alone, as if every rater judged as this one")
        if (assisted := self.judged.heard.assisted) is not None:
            used = [trust for trust in assisted.trust.tolist() if trust > 0]
            weights = f", weights {min(used):.2f} to {max(used):.2f}" if used else ""
            notes.append(
                f"votes on {sum(assisted.voted):,} edits help in {len(used)} of {len(assisted.trust)} strata{weights}"
            )
        if self.anytime:
            notes.append("anytime: each interval holds at every look, whenever one stops, for labels that stay")
            notes.append("differences, and intervals over judges, hold for one look, and are left out")
        return [*notes, "audited F: with the official R, since errors that no system proposed stay unseen", self.spec]

    def _with_judges(self) -> Table:
        """Intervals over edits, and over edits and judges."""
        columns = [Column("system"), Column("audited P", "percent", "value", interval="hidden")]
        columns += [Column("edits", "percent", interval="only"), Column("edits and judges", "percent", interval="only")]
        pairs = [(one.system.name, one.precision, one.judges) for one in self.systems]
        pairs += [(f"{one.first} - {one.second}", one.audited, one.judges) for one in self.differences]
        rows: list[list[Cell]] = [
            [name, alone, alone.interval or alone.no_interval, both.interval or both.no_interval]
            for name, alone, both in pairs
        ]
        few, counts = len(self.judged.raters.names), self.judged.raters.counts
        alike = sum(counts) ** 2 / max(sum(count**2 for count in counts), 1)  # that many with equal numbers of edits
        notes = [
            f"{100 * self.level:g} % intervals; edits: with these judges; edits and judges: with others like them, too"
        ]
        if alike < FEW_JUDGES - 0.5:
            unequal = f", who judged as {alike:.1f} would with as many edits each," if alike < few - 0.5 else ""
            notes.append(f"{few} judges{unequal} tell little of how judges vary")
        return Table(columns, rows, "Edits and judges", "judges", notes, level=self.level)

    def _ends(self, systems: Sequence[Ends], differences: Sequence[Ends]) -> Table:
        """What those who could not tell could change."""
        columns = [Column("system"), Column("audited P", "percent", "value", interval="hidden")]
        columns += [Column("lowest", "percent"), Column("highest", "percent")]
        rows: list[list[Cell]] = [
            [one.system.name, one.precision, *pair] for one, pair in zip(self.systems, systems, strict=True)
        ]
        rows += [
            [f"{one.first} - {one.second}", one.audited, *pair]
            for one, pair in zip(self.differences, differences, strict=True)
        ]
        said, rule = (
            self.judged.raters,
            {"missing": "are left out"}.get(self.rule.unclear, f"count as {self.rule.unclear}"),
        )
        notes = [
            f"{said.unclear:,} of {said.judgments:,} judgments say 'cannot tell' and {rule}; these are the extremes, "
            "a difference's where all of them would speak for one system and against the other"
        ]
        return Table(columns, rows, "What raters could not tell", "unclear", notes, level=self.level)

    def _recall(self) -> Table:
        """The two ends of recall."""
        columns = [Column("system"), Column("R", "percent", "official_r")]
        columns += [
            Column("R, if new errors", "percent", "if_new"),
            Column("R, if other corrections", "percent", "if_other"),
        ]
        rows: list[list[Cell]] = [
            [one.system.name, one.official[1], one.recall_if_new, one.recall_if_other] for one in self.systems
        ]
        notes = ["if every valid edit corrects an error that no annotator marked, or each one that was marked"]
        return Table(columns, rows, "What can be said of recall", "recall", notes, level=self.level)

    def alternatives(self, gold: Corpus, *, better: int = 1) -> Corpus:
        """Answers with the edits that judges found valid, or better, for ``errorbar task alternatives``.

        For each system and annotator of a sentence: the annotator's edits, and in place of those that they overlap the
        valid edits of the system. The same with each correction that at least ``better`` raters gave as a better one;
        0: none. ``gold`` is the corpus that was audited.
        """
        return accepted_answers(self.key.frame, self.judged.valid, chosen(self.better, better), gold)


def _record(one: AuditedSystem, ends: Ends | None) -> dict[str, object]:
    names = ("precision", "recall", "f")
    return {
        "system": one.system.name,
        "correct": one.system.correct,
        "proposed": one.system.proposed,
        "gold": one.system.gold,
        "official": dict(zip(names, one.official, strict=True)),
        "valid": one.valid,
        "audited_precision": value_record(one.precision),
        "audited_f": value_record(one.f),
        "with_judges": value_record(one.judges),
        "cannot_tell": None if ends is None else dict(zip(("if_not_valid", "if_valid"), ends, strict=True)),
        "recall_if_new": one.recall_if_new,
        "recall_if_other": one.recall_if_other,
    }


def _raters_record(raters: Raters) -> dict[str, object]:
    rows = zip(raters.names, raters.counts, raters.shares, strict=True)
    return {
        "raters": [dict(zip(("rater", "judged", "valid"), row, strict=True)) for row in rows],
        "judgments": raters.judgments,
        "unclear": raters.unclear,
        "observed": raters.observed.value,
        "alpha": raters.alpha.value,
    }
