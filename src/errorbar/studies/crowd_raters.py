"""Whom to ask and what: raters tested by gold items, and likely errors to put before them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, Unpack

from errorbar.core.csv_cells import csv_line
from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.mining import Mined, NgramCounts, mine
from errorbar.crowdsourcing.rater_table import (
    Characteristic,
    RaterRow,
    RaterVerdict,
    Rule,
    characteristic,
    fixed,
    posterior,
    rater_rows,
    running,
    sprt,
)
from errorbar.edits.items import WORD_CLASSES
from errorbar.formats.item_tables import read_answers
from errorbar.formats.look import Lines, Source
from errorbar.stats.resampling import stream
from errorbar.studies.crowd_answers import Answered
from errorbar.studies.door import public
from errorbar.studies.judgment_input import Reading, Votes, take_crowd
from errorbar.tables.records import estimate_record
from errorbar.tables.result import Result
from errorbar.tables.shown import percent
from errorbar.tables.table import Cell, Column, Table

RuleName = Literal["sprt", "posterior", "running", "fixed"]


@dataclass(frozen=True, slots=True, repr=False)
class CrowdRaters(Result):
    """Raters, and how often the rule about them is wrong.

    Attributes:
        rule: The rule.
        rates: How the rule, or each rule, treats raters of some accuracies.
        raters: What it says of each.
        labels: The labels that were given.
        only_rates: Tables show the rates of each rule in place of the raters.
        notes: Warnings and repairs.
    """

    rule: str
    rates: Sequence[Characteristic]
    raters: Sequence[RaterRow]
    labels: Sequence[str]
    only_rates: bool
    notes: Sequence[Problem]

    def to_dict(self) -> dict[str, object]:
        """The rule with its error rates, and every rater."""
        rates = list(map(_rate_record, self.rates))
        return {"rule": self.rule, "rates": rates, "raters": list(map(_rater_record, self.raters))}

    def tables(self) -> list[Table]:
        """Raters, or error rates where they were asked for."""
        return [self._rate_table() if self.only_rates else self._rater_table()]

    def _rater_table(self) -> Table:
        tested = [label for label in self.labels if any(label in row.gold_by_label for row in self.raters)]
        columns = [Column("rater"), Column("verdict"), Column("judgments", "count"), Column("gold", "count")]
        columns += [Column(name, "percent", name, interval="beside") for name in ("right", *tested)]
        columns += [Column(name, "percent") for name in ("trust", "rest")]
        columns += [Column(f"bias {label}", "percent", f"bias {label}") for label in self.labels]
        columns += [Column("seconds", "count")]
        rows: list[list[Cell]] = []
        for row in self.raters:
            by_label = [row.gold_by_label[label] for label in tested]
            bias = [row.bias[label] if row.bias else None for label in self.labels]
            start: list[Cell] = [row.rater, str(row.verdict), row.n_judgments, row.gold.n_units, row.gold, *by_label]
            rows.append([*start, row.trust, row.rest, *bias, row.median_seconds])
        counts = (f"{each} {sum(row.verdict == each for row in self.raters)}" for each in _VERDICTS)
        notes = [f"{', '.join(counts)} of {len(rows)} raters"]
        for rate in self.rates:
            said = f"{rate.rule} drops {percent(rate.drop)}% and keeps {percent(rate.keep)}% of raters with accuracy "
            notes.append(f"{said}{rate.accuracy:g} within {rate.most} gold items of a class")
        return Table(columns, rows, "Raters", "raters", notes)

    def _rate_table(self) -> Table:
        columns = [Column("rule"), Column("true accuracy", "number", digits=2)]
        columns += [Column("keep %", "percent", "keep"), Column("drop %", "percent", "drop")]
        columns += [Column(name, "number", digits=1) for name in ("gold items", "gold items of the dropped")]
        rows: list[list[Cell]] = []
        for rate in self.rates:
            dropped = rate.mean_items_dropped if rate.drop else None
            rows.append([rate.rule, rate.accuracy, rate.keep, rate.drop, rate.mean_items, dropped])
        return Table(columns, rows, "Rules", "rates", ["exact; who is neither kept nor dropped is watched"])


_VERDICTS = (RaterVerdict.KEEP, RaterVerdict.WATCH, RaterVerdict.DROP)


def _rate_record(rate: Characteristic) -> dict[str, object]:
    names = ("rule", "accuracy", "most", "keep", "drop", "mean_items")
    values = {name: getattr(rate, name) for name in names}
    return {**values, "mean_items_dropped": rate.mean_items_dropped if rate.drop else None}


def _rater_record(row: RaterRow) -> dict[str, object]:
    return {
        "rater": row.rater,
        "verdict": str(row.verdict),
        "verdict_by_label": {label: str(verdict) for label, verdict in row.by_label.items()},
        "n_judgments": row.n_judgments,
        "gold": estimate_record(row.gold),
        "gold_by_label": {label: estimate_record(estimate) for label, estimate in row.gold_by_label.items()},
        **{name: getattr(row, name) for name in ("trust", "rest", "n_rest", "bias", "median_seconds")},
    }


@public()
def crowd_raters(
    judgments: Votes,
    *,
    gold: Answered | None = None,
    rule: RuleName = "sprt",
    good: float = 0.85,
    bad: float = 0.60,
    threshold: float = 0.70,
    together: bool = False,
    most: int = 20,
    rates: bool = False,
    **shared: Unpack[Reading],
) -> CrowdRaters:
    """Describe raters: how much, how well, how fast, with what leaning; keep, watch or drop.

    Args:
        judgments: As of ``crowd``.
        gold: True labels of gold items: a table ``item,label``, or item to label; None: nobody can be tested, all are
            watched.
        rule: Keeps or drops: ``sprt``, ``posterior``, ``running`` or ``fixed``.
        good: Accuracy to keep, of ``sprt``.
        bad: Accuracy to drop, of ``sprt``.
        threshold: Accuracy that divides, of the other rules.
        together: Run the rule through all gold items, not for each true label alone.
        most: Gold items, for the error rates.
        rates: Show error rates of all rules in place of raters.
        shared: How judgments are read.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit.
    """
    rules: dict[str, Rule] = {"sprt": sprt(good, bad), "posterior": posterior(threshold)}
    rules |= {"running": running(threshold), "fixed": fixed(threshold)}
    chosen = list(rules.values()) if rates else [rules[rule]]
    errors = [characteristic(each, accuracy, most) for each in chosen for accuracy in (good, bad, 0.5)]
    crowd, problems = take_crowd(judgments, shared)
    known = gold if gold is None or isinstance(gold, Mapping) else read_answers(gold, problems)
    rows = rater_rows(crowd.judgments, known, rule=rules[rule], per_label=not together, seconds=crowd.seconds)
    return CrowdRaters(rules[rule].name, errors, rows, crowd.judgments.labels, rates, tuple(problems.notes))


@dataclass(frozen=True, slots=True, repr=False)
class CrowdQuestions(Result):
    """Words to ask about in random order.

    Attributes:
        items: The words, in the order in which they are asked about.
        n_repeated: How many are asked twice.
        blind: Scores and kinds are kept back.
        notes: Warnings and repairs.
    """

    items: Sequence[Mined]
    n_repeated: int
    blind: bool
    notes: Sequence[Problem]

    def to_dict(self) -> dict[str, object]:
        """The items."""
        (table,) = self.tables()
        names = [column.title for column in table.columns]
        return {"items": [dict(zip(names, row, strict=True)) for row in table.rows], "n_repeated": self.n_repeated}

    def tables(self) -> list[Table]:
        """One table."""
        columns = [*map(Column, ("item", "word", "text", "kind")), Column("score", "number", digits=3)]
        shown = 3 if self.blind else len(columns)
        rows: list[list[Cell]] = [[each.item, each.word, each.text(), each.kind, each.score] for each in self.items]
        rows = [row[:shown] for row in rows]
        return [Table(columns[:shown], rows, "Words to ask about", "mined")]

    def key(self) -> list[str]:
        """Scores and kinds as lines of CSV, for who judges the answers."""
        return ["item,kind,score", *(csv_line((each.item, each.kind, each.score)) for each in self.items)]


@public()
def crowd_mine(
    corpus: Source,
    counts: Source,
    *,
    words: str = "prepositions",
    n: int = 500,
    error_rate: float = 0.5,
    blind: bool = False,
    seed: int = 0,
    lenient: bool = False,
) -> CrowdQuestions:
    """Find words that the text does better without, mixed with likely correct ones, to put before raters.

    Args:
        corpus: One tokenized sentence per line.
        counts: Counts of n-grams, which ``crowd_counts`` made.
        words: ``prepositions``, ``articles``, or words between commas.
        n: Likely errors.
        error_rate: Their share in the set.
        blind: Keep scores and kinds back.
        seed: Of the choice and the order.
        lenient: Repair what can be repaired and note it.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit, or there is nothing to ask.
    """
    problems, targets = Problems(lenient=lenient), _target_words(words)
    table = NgramCounts.parse(Lines(counts, problems), str(counts))
    sentences = [line.split() for line in Lines(corpus, problems)]
    problems.raise_errors()
    made = mine(sentences, table, targets, stream(seed, "crowd", "mine"), n=n, error_rate=error_rate)
    if made.n_repeated:
        what = f"{made.n_repeated} instances stand in a sentence that says the same elsewhere; each is asked once"
        problems.note("mine-repeated", what, Place(str(corpus)))
    return CrowdQuestions(made.items, made.n_repeated, blind, tuple(problems.notes))


def crowd_counts(lines: Iterable[str], *, words: str = "prepositions", min_count: int = 1) -> NgramCounts:
    """Count the n-grams around some words in text of good writers, one tokenized sentence per line.

    N-grams that occur less than ``min_count`` times are not kept; ``words`` is as of ``crowd_mine``.

    Raises:
        UsageError: If there is no word.
    """
    made, targets = NgramCounts(), _target_words(words)
    for line in lines:
        if tokens := line.split():
            made.add(tokens, targets)
    made.prune(min_count)
    return made


def _target_words(words: str) -> frozenset[str]:
    """The words of a class, or those between commas."""
    targets = WORD_CLASSES[words] if words in WORD_CLASSES else frozenset(w.lower() for w in words.split(",") if w)
    if not targets:
        raise UsageError(Problem("mine-options", "no word to ask about", expected="--words a,b,c"))
    return targets
