"""Audit edits that match no annotator: what ``errorbar audit`` does; formulas are in ``errorbar.sampling.audit``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Annotated, Unpack

import numpy as np

from errorbar.api.arguments import (
    Bounds,
    Confidence,
    Lenient,
    Metrics,
    Share,
    Useless,
    Whole,
    public,
    sentence_metric,
)
from errorbar.api.assistance import (
    SEAL_ALONE,
    Cheap,
    assistance_record,
    assistance_table,
    drop_seen,
    note_unsealed,
    read_cheap,
)
from errorbar.api.audit_edits import (
    GRADED,
    AuditKey,
    Filled,
    JudgedEdits,
    Raters,
    Types,
    Unclear,
    ValidityRule,
    Verdicts,
    accepted_answers,
    audit_frame,
    chosen,
    extremes,
    judge_edits,
    label_judgments,
    order_items,
    read_audit_key,
    read_verdicts,
    set_name,
    write_audit_key,
)
from errorbar.api.inputs import Gold, ReadingOptions, Systems, Taking, load
from errorbar.api.sample_results import save_set, style_of
from errorbar.core.corpus import Corpus
from errorbar.core.problems import Problem, Problems, UsageError
from errorbar.formats.look import Source
from errorbar.metrics.registry import parse_metrics
from errorbar.sampling import Anytime, anytime_audit
from errorbar.sampling.assistance import Assistance, weigh_audit
from errorbar.sampling.audit import (
    FLOOR,
    SUPPOSED,
    AuditedDifference,
    AuditedSystem,
    Ends,
    audit_allocation,
    audit_budget,
    audit_half_widths,
    audited_f,
    estimate_audit,
    extreme_values,
    order_key,
)
from errorbar.sampling.draw import name_raters, set_lines
from errorbar.sampling.seal import Seal
from errorbar.sampling.stopping import WANTED
from errorbar.tables.plain import value_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

# What drawing an audit gives.


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


# What estimating an audit gives.


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
        assistance: With cheap labels: the audited precision of each system in the other ways too.
        source: Whose cheap labels they are: ``model`` or ``votes``; empty: there are none.
    """

    key: AuditKey
    judged: JudgedEdits
    rule: ValidityRule
    systems: Sequence[AuditedSystem]
    differences: Sequence[AuditedDifference]
    ends: tuple[Sequence[Ends], Sequence[Ends]] | None = None
    better: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    level: float = 0.95
    notes: Sequence[Problem] = ()
    anytime: bool = False
    assistance: Sequence[Assistance] = ()
    source: str = ""

    @property
    def spec(self) -> str:
        """The spec of the result: metric, rule for valid, seed of the draw; whether cheap votes helped."""
        assist = "" if self.judged.heard.assisted is None else f"|assist:{self.source or 'votes'}"
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
            **({"assistance": assistance_record(self.assistance)} if self.assistance else {}),
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
        if self.assistance:
            tables.append(assistance_table(self.assistance, self.source, self.level))
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
        """The notes that say what was judged, by whom, and how well the raters agree."""
        sample, size, raters = self.judged.heard.sample, int(self.key.frame.strata.sizes.sum()), self.judged.raters
        valid = f"{sample.x.sum():,.1f}" if self.rule.valid == GRADED else f"{int(sample.x.sum()):,}"
        notes = [
            f"{int(sample.n.sum()):,} of {size:,} unmatched edits judged, {valid} of them valid (by {self.rule.words})"
        ]
        if len(raters.names) > 1:
            per_edit = sum(raters.counts) / max(int(sample.n.sum()), 1)
            shares = sorted(share for share in raters.shares if share is not None)
            agreed = ""
            if raters.observed.value is not None:
                alpha = "" if raters.alpha.value is None else f", alpha {raters.alpha.value:.2f}"
                agreed = f"; two of them agree on {100 * raters.observed.value:.1f} % of edits{alpha}"
            ends = list(dict.fromkeys(f"{100 * share:.1f}" for share in (*shares[:1], *shares[-1:])))
            single = f"; single raters find {' to '.join(ends)} % valid" if shares else ""
            notes.append(f"{len(raters.names)} raters, {per_edit:.1f} an edit{agreed}{single}")
        else:
            notes.append("one rater: intervals are over edits alone, as if every rater judged as this one")
        if (assisted := self.judged.heard.assisted) is not None:
            used = [trust for trust in assisted.trust.tolist() if trust > 0]
            votes = "labels of the model" if self.source == "model" else "votes"
            weights = f", weights {min(used):.2f} to {max(used):.2f}" if used else ""
            notes.append(
                f"{votes} on {sum(assisted.voted):,} edits help in {len(used)} of {len(assisted.trust)} strata{weights}"
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
        """The table of how far judgments of those who could not tell could move the results."""
        columns = [Column("system"), Column("audited P", "percent", "value", interval="hidden")]
        columns += [Column("lowest", "percent"), Column("highest", "percent")]
        rows: list[list[Cell]] = [
            [one.system.name, one.precision, *pair] for one, pair in zip(self.systems, systems, strict=True)
        ]
        rows += [
            [f"{one.first} - {one.second}", one.audited, *pair]
            for one, pair in zip(self.differences, differences, strict=True)
        ]
        panel, rule = (
            self.judged.raters,
            {"missing": "are left out"}.get(self.rule.unclear, f"count as {self.rule.unclear}"),
        )
        notes = [
            f"{panel.unclear:,} of {panel.judgments:,} judgments say 'cannot tell' and {rule}; these are the extremes, "
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


HALF_WIDTH = 0.03
MOST_EDITS = 1_000_000_000
"""Edits to judge: more than anybody has."""


@public()
def audit_draw(
    gold: Gold,
    systems: Systems,
    *,
    metric: Metrics = None,
    others: Systems = (),
    types: Types = "none",
    half_width: Share | None = None,
    budget: Annotated[int, Bounds(FLOOR, MOST_EDITS)] | None = None,
    supposed: float = SUPPOSED,
    rater: str | Sequence[str] = ("rater-1",),
    judged: Filled = (),
    seed: Whole = 0,
    **shared: Unpack[Taking],
) -> AuditDraw:
    """Draw edits that match no annotator, of one or several systems, to be judged valid or not.

    ``AuditDraw.save`` writes the set and its private key.

    Args:
        gold: Reference (M2 or JSONL) whose annotators the systems' edits are compared with.
        systems: The systems that are audited.
        metric: Metric that says which edits match: m2 or errant, with their parameters. None: m2.
        others: A system that is not audited: edits that it proposes too are likelier valid, and a stratum of their own.
        types: Also divide the strata by type of error: missing, unnecessary and replaced words (``operation``), or
            ERRANT's types.
        half_width: Half-width of the interval that every audited precision shall have. None: 0.03, unless there is a
            budget.
        budget: Number of edits to judge in all, in place of a half-width.
        supposed: Guessed share of valid edits; 0.5 is the most cautious.
        rater: Name of a rater, who gets every edit.
        judged: Filled-in set of an earlier audit, whose edits are not asked again.
        seed: Seed of everything random. The same in every audit, so that edits that are judged already come first.
        shared: How corpus and systems are read.

    Raises:
        InputError: If a file is bad.
        UsageError: If arguments do not fit, or there is nothing to audit.
    """
    chosen = sentence_metric(metric, None, "audit")
    _check(half_width, budget, supposed)
    options = ReadingOptions.of(shared, [chosen])
    data = load(gold, systems, options)
    proxies = load(data.corpus, others, options).systems if others else []
    frame = audit_frame(data.corpus, data.systems, proxies, chosen, types)
    problems = data.problems
    known = read_verdicts(judged, problems).items()
    strata = frame.strata
    if budget is None:
        n = audit_budget(strata, HALF_WIDTH if half_width is None else half_width, valid=supposed)
    else:
        n = audit_allocation(strata, budget)
    for h, drawn in enumerate(n.tolist()):
        n[h] = _with_judged([frame.items[at].name in known for at in order_items(frame, seed, h)], drawn)
    counts = tuple(n.tolist())
    key = AuditKey(frame, seed, counts, set_name(frame, seed, counts))
    raters = name_raters(rater)
    asked = [at for at in key.drawn() if frame.items[at].name not in known]
    halves = audit_half_widths(strata, np.asarray(n), valid=supposed).tolist()
    return AuditDraw(key, raters, tuple(asked), tuple(halves), tuple(problems.notes))


@public(
    Useless(
        "half_width",
        "is about --anytime",
        lambda arguments: not arguments["anytime"],
        fix="add --anytime, or leave it out",
    ),
    SEAL_ALONE,
)
def audit_estimate(
    judgments: Filled,
    *,
    key: Source | AuditKey,
    valid: str = "majority",
    unclear: Unclear = "missing",
    assist: Cheap | None = None,
    seal: Source | Seal | None = None,
    anytime: bool = False,
    half_width: Share | None = None,
    confidence: Confidence = 0.95,
    lenient: Lenient = False,
) -> AuditEstimation:
    """Audited precision of every system beside the official one, with intervals and differences.

    Args:
        judgments: The filled-in sets, this audit's and earlier ones, or an object; labels are valid, not-valid and
            cannot-tell.
        key: The key that was written with the set.
        valid: Rule for valid edits: ``majority``, ``any``, ``all`` or a number of the raters who could tell must find
            them valid; ``graded`` counts the share of raters. Decide on it beforehand.
        unclear: How a rater's "cannot tell" counts; the results of the two extremes are shown anyway.
        assist: Cheap judgments of many edits, by a crowd or a model, which make intervals narrower where they help. Of
            a table with models those of the models. In Python also a table in memory; a ``Judgments`` object is of a
            crowd.
        seal: With ``assist``: the seal of the model, whose prompt must not have seen the labels that people gave.
        anytime: Make intervals that hold however often you look, and whenever you stop. Differences and intervals over
            judges hold for one look, and are left out.
        half_width: With ``anytime``: the half-width of precision at which intervals are narrowest in comparison. None:
            0.05.
        confidence: Confidence level of intervals, a fraction.

    Raises:
        InputError: If a file is bad.
        UsageError: If nothing was judged, there is no such rule, or arguments do not fit.
    """
    problems, rule = Problems(lenient=lenient), ValidityRule.of(valid, unclear)
    how = _any_looks(half_width, rule, assisted=assist is not None) if anytime else None
    known = key if isinstance(key, AuditKey) else read_audit_key(key)
    verdicts, cheap, source = read_verdicts(judgments, problems), None, ""
    if assist is not None:
        cheap_table, sealed = read_cheap(assist, seal, problems)
        source = cheap_table.source
        verdicts = replace(verdicts, table=drop_seen(verdicts.table, sealed, problems))
        note_unsealed(cheap_table, sealed, problems)
        cheap = Verdicts(label_judgments(cheap_table.judgments, cheap_table.file)).shares()
    judged = judge_edits(known, verdicts, rule, problems, cheap)
    problems.raise_errors()
    beta, strata = float(getattr(parse_metrics(known.frame.metric)[0], "beta", 0.5)), known.frame.strata
    systems, differences = estimate_audit(strata, judged.heard, without=judged.without, beta=beta, level=confidence)
    if how is not None:
        systems = [_at_any_time(known, judged, at, one, (how, beta, confidence)) for at, one in enumerate(systems)]
        differences = []
    ends = None
    if judged.raters.unclear:
        values, apart = extreme_values(strata, [judged.heard, *extremes(known, verdicts, rule, cheap)])
        ends = values, apart[: len(differences)]
    notes = tuple(problems.notes)
    estimation = AuditEstimation(known, judged, rule, systems, differences, ends, verdicts.better, confidence, notes)
    weighed = weigh_audit(strata, judged.heard, systems, confidence)
    return replace(estimation, anytime=anytime, assistance=weighed, source=source)


def _any_looks(half_width: float | None, rule: ValidityRule, *, assisted: bool) -> Anytime:
    """Any number of looks, which intervals are to withstand."""
    if assisted:
        message = "--anytime and --assist: how far votes are trusted is tuned on what was judged"
        raise UsageError(Problem("two-choices", message, fix="leave one of them out"))
    if rule.valid == GRADED:
        message = "shares of raters have no interval at any time"
        raise UsageError(Problem("audit-rule", message, expected="majority, any, all or how many raters must say so"))
    return Anytime(WANTED if half_width is None else half_width)


def _at_any_time(
    key: AuditKey, found: JudgedEdits, at: int, one: AuditedSystem, how: tuple[Anytime, float, float]
) -> AuditedSystem:
    """A system with intervals that hold at every look; ``how``: with beta and the level."""
    if one.valid is None:
        return one
    looked, beta, level = how
    precision = anytime_audit(key.frame.strata, found.heard, at, how=looked, level=level)
    alone = replace(one.judges, interval=None, no_interval=None)
    return replace(one, precision=precision, f=audited_f(precision, one.official[1], beta), judges=alone)


def _with_judged(judged: Sequence[bool], drawn: int) -> int:
    """How many edits of a stratum an audit takes, of which were judged in earlier ones, in the order of drawing.

    Those that were judged cost nothing. Of a stratum of which only some edits were in an earlier audit the last that is
    taken is one to be judged: else runs of judged ones would be longer than their share.
    """
    if all(judged[:drawn]):
        return next((at for at in range(drawn, len(judged)) if not judged[at]), len(judged))
    return next((at for at in range(drawn, len(judged) + 1) if not judged[at - 1]), len(judged))


def _check(half_width: float | None, budget: int | None, supposed: float) -> None:
    """Refuse plans that cannot be."""
    if half_width is not None and budget is not None:
        message = "a budget and a half-width"
        raise UsageError(Problem("sample-budget", message, fix="give one of --budget and --half-width"))
    if not 0 < supposed < 1:
        message = f"the supposed share of valid edits is {supposed:g}"
        raise UsageError(Problem("sample-rates", message, expected="between 0 and 1, neither included"))
