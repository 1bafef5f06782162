"""The public functions of crowds: answers by several methods, and how many raters equal an expert."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from math import isnan
from typing import Literal, Unpack

import numpy as np

from errorbar.api.arguments import Count, Lenient, Whole, public
from errorbar.api.judgment_input import JudgmentReading, VotesSource, take_crowd
from errorbar.api.signatures import crowd_signature
from errorbar.core.csv_cells import csv_line
from errorbar.core.estimate import Interval
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.crowdsourcing.answers import UNKNOWN, Answers
from errorbar.crowdsourcing.hidden_labels import (
    MAX_ITERATIONS,
    METHODS,
    MIN_ITEMS,
    N_STARTS,
    PRIOR,
    EMRuns,
    Method,
    MethodComparison,
    Modeling,
    RaterPrior,
    aggregate,
)
from errorbar.crowdsourcing.howmany import (
    HowMany,
    ModelWorth,
    against_experts,
    expert_truths,
    how_many,
    model_worths,
    others_than,
)
from errorbar.crowdsourcing.mining import MinedItem, NgramCounts, mine
from errorbar.crowdsourcing.rater_table import (
    Characteristic,
    RaterRow,
    RaterRule,
    RaterVerdict,
    characteristic,
    fixed,
    posterior,
    rater_rows,
    running,
    sprt,
)
from errorbar.edits.items import WORD_CLASSES
from errorbar.formats.judgments import HUMAN, MODEL, read_answers
from errorbar.formats.look import Lines, Source
from errorbar.stats.resampling import stream
from errorbar.tables.plain import attributes, estimate_record, records
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table, percent

_UNTESTED = "nobody was tested: give --gold=FILE; of a study its table of gold items, with judge export --include=gold"
AnswerSource = Source | Mapping[str, str]
"""A table ``item,label``, or item to label."""


@dataclass(frozen=True, slots=True, repr=False)
class CrowdAnswers(Result):
    """Answers by several methods next to each other.

    Attributes:
        comparison: The answers of each method, item by item.
        chosen: Numbers of the items that tables show.
        summary: Tables show a summary in their place.
        signature: What was computed on which data how.
        notes: Warnings and repairs.
    """

    comparison: MethodComparison
    chosen: Sequence[int]
    summary: bool
    signature: str
    notes: Sequence[Problem]

    def to_dict(self) -> dict[str, object]:
        """Counts and runs of every method, and the items with their answers and shares."""
        return {
            "summary": {name: self._counted(name) for name in self.comparison.answers},
            "items": [] if self.summary else [self._item(item) for item in self.chosen],
            "n_differing": len(self.comparison.differing),
            "signature": self.signature,
        }

    def tables(self) -> list[Table]:
        """Items, or the summary where it was asked for."""
        return [self._summary_table() if self.summary else self._item_table()]

    def _counted(self, name: str) -> dict[str, object]:
        answers, fit = self.comparison.answers[name], self.comparison.fits.get(name)
        record: dict[str, object] = {"answers": dict(zip((*answers.labels, UNKNOWN), _counts(answers), strict=True))}
        if fit is not None:
            record["marginals"] = dict(zip(answers.labels, fit.marginals.tolist(), strict=True))
            record |= {"best": fit.best, "starts": [asdict(run) for run in fit.starts]}
        return record

    def _item(self, item: int) -> dict[str, object]:
        first = self.comparison.answers["majority"]
        answers = {
            name: {"answer": answer.name(item), "share": self._share(name, item)}
            for name, answer in self.comparison.answers.items()
        }
        return {"item": first.items[item], "n_judgments": int(first.n_judgments[item]), **answers}

    def _share(self, name: str, item: int) -> float | None:
        row = self.comparison.answers[name].shares[item]
        return None if np.isnan(row).any() else float(row.max(initial=0.0))

    def _item_table(self) -> Table:
        names, first = list(self.comparison.answers), self.comparison.answers["majority"]
        columns = [Column("item"), *map(Column, names), Column("judgments", "count")]
        columns += [Column(f"{name} share", "number") for name in names]
        rows: list[list[Cell]] = []
        for item in self.chosen:
            answers = [answer.name(item) for answer in self.comparison.answers.values()]
            shares = [self._share(name, item) for name in names]
            rows.append([first.items[item], *answers, int(first.n_judgments[item]), *shares])
        note = f"{len(self.comparison.differing):,} of {len(first.items):,} items get different answers"
        return Table(columns, rows, "Answers", "answers", [note])

    def _summary_table(self) -> Table:
        base = self.comparison.answers["majority"]
        columns = [Column("method"), *(Column(label, "count", label) for label in (*base.labels, UNKNOWN))]
        columns += [Column("differ from majority", "count"), Column("log-likelihood", "number", digits=3)]
        columns += [Column("best start"), Column("runs"), Column("passes")]
        rows: list[list[Cell]] = []
        for name, answers in self.comparison.answers.items():
            row: list[Cell] = [name, *_counts(answers), int((answers.answer != base.answer).sum())]
            if (fit := self.comparison.fits.get(name)) is None:
                rows.append([*row, None, None, None, None])
                continue
            runs = "; ".join(f"{run.objective:.3f}" for run in fit.starts)
            passes = "; ".join(f"{run.n_iterations}{'' if run.converged else '+'}" for run in fit.starts)
            rows.append([*row, fit.log_likelihood, fit.starts[fit.best].name, runs, passes])
        notes = [
            "runs: log-likelihood plus log-prior (less a constant) that each start of EM ended at; the largest is best",
            "passes: of each run; + where it had not converged",
        ]
        return Table(columns, rows, "Methods", "methods", notes if self.comparison.fits else [])


def _counts(answers: Answers) -> list[int]:
    """How many items get each label, and how many none."""
    none, *counts = np.bincount(answers.answer + 1, minlength=len(answers.labels) + 1).tolist()
    return [*counts, none]


@public()
def crowd_aggregate(
    judgments: VotesSource,
    *,
    method: Method | Sequence[Method] = (),
    ties: str = UNKNOWN,
    prior: Sequence[float] = PRIOR,
    starts: Count = N_STARTS,
    min_items: float = MIN_ITEMS,
    passes: Count = MAX_ITERATIONS,
    differing: bool = False,
    summary: bool = False,
    seed: Whole = 0,
    **shared: Unpack[JudgmentReading],
) -> CrowdAnswers:
    """Turn judgments into answers: majority, trust-weighted, one-coin and Dawid-Skene next to each other.

    Args:
        judgments: As of ``crowd``.
        method: Method that turns judgments into labels. Empty: all. Without a choice those that apply.
        ties: The label that wins ties.
        prior: Pseudo-counts of right and of wrong judgments.
        starts: How often EM is started.
        min_items: Refuse models where raters have fewer judgments of shared items than this on average.
        passes: Most passes of EM.
        differing: Only the items on which methods differ.
        summary: Counts of answers and runs of EM in place of items.
        seed: Seed of everything random.
        shared: How judgments are read.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit, or a method that is named does not apply.
    """
    if len(prior) != 2:
        message = f"prior must be two numbers, of right and of wrong judgments, got {len(prior)}"
        raise UsageError(Problem("bad-parameter", message))
    if isnan(min_items):
        raise UsageError(Problem("bad-parameter", "min_items must be a number, got nan"))
    believed, run = RaterPrior(*prior), EMRuns(starts, max_iterations=passes)
    judged, problems = take_crowd(judgments, shared)
    table = judged.judgments

    def aggregated(names: Sequence[Method]) -> MethodComparison:
        how = Modeling(believed, run, min_items)
        return aggregate(table, stream(seed, "crowd", "aggregate"), names, how=how, ties=ties)

    try:
        comparison = aggregated(([method] if isinstance(method, str) else method) or METHODS)
    except UsageError as error:
        if method:
            raise
        # Not asked for by name: what does not apply here is said, and the majority is shown all the same.
        problems.notes += [replace(problem, severity="warning") for problem in error.problems]
        comparison = aggregated(["majority"])
    for name, fit in comparison.fits.items():
        best = fit.starts[fit.best]
        if not best.converged:
            message = f"{name} had not converged after {best.n_iterations} passes"
            problems.note("crowd-not-converged", message, Place(), fix="raise --passes, or trust the majority more")
        _warn_of_one_answer(comparison, name, problems)
    pseudo = f"{believed.diagonal:g}+{believed.off_diagonal:g}"
    spec = f"aggregate(methods={'+'.join(comparison.answers)},prior={pseudo},ties={ties})"
    conventions = [f"seed:{seed}", *([f"starts:{starts}"] if starts != N_STARTS else [])]
    conventions += [f"passes:{passes}"] if passes != MAX_ITERATIONS else []
    chosen = comparison.differing if differing else range(len(table.items))
    return CrowdAnswers(
        comparison, chosen, summary, crowd_signature(spec, table, None, conventions), tuple(problems.notes)
    )


def _warn_of_one_answer(comparison: MethodComparison, name: str, problems: Problems) -> None:
    """Note a model that gives all items one answer where the majority does not: it calls all other judgments wrong."""
    answers, base = comparison.answers[name], comparison.answers["majority"]
    labels_of = {
        known: set(answer.answer[answer.n_judgments > 0].tolist()) - {-1}
        for known, answer in comparison.answers.items()
    }
    if len(labels_of[name]) == 1 < len(labels_of["majority"]):
        (label,) = labels_of[name]
        n, all_items = int((base.answer == label).sum()), int((base.n_judgments > 0).sum())
        message = (
            f"{name} answers '{answers.labels[label]}' for all {all_items:,} items, the majority for {n:,}: the model "
        )
        message += "takes every other judgment for an error of its rater"
        problems.note(
            "crowd-one-answer", message, Place(), fix="trust the majority more; more judgments of an item help"
        )


@dataclass(frozen=True, slots=True, repr=False)
class CrowdSizes(Result):
    """How good the majority of k raters is, for every k, and an expert.

    Attributes:
        sizes: The figures of every k.
        seed: Of the drawn subsets.
        notes: Warnings and repairs.
        worths: How many people each model among the raters is worth.
    """

    sizes: HowMany
    seed: int
    notes: Sequence[Problem]
    worths: Sequence[ModelWorth] = ()

    def to_dict(self) -> dict[str, object]:
        """The curve and the expert's line."""
        names = ("k", "n_items", "accuracy", "kappa", "kappa_low", "kappa_high")
        curve = [dict(zip(names, astuple(p), strict=True)) for p in self.sizes.curve]
        facts = attributes(self.sizes, "n_experts", "expert_accuracy", "expert_kappa", "enough", "enough_kappa")
        worths = [
            {
                "model": worth.model,
                "accuracy": estimate_record(worth.accuracy),
                "people": estimate_record(worth.people),
                "most": worth.most,
            }
            for worth in self.worths
        ]
        return {"curve": curve, **facts, "seed": self.seed, **({"models": worths} if worths else {})}

    def tables(self) -> list[Table]:
        """The curve, and what models are worth."""
        columns = [Column("raters", "text", "k"), Column("items", "count"), Column("accuracy", "percent")]
        columns += [Column("kappa", "number"), Column("95% of draws", "number", "draws", interval="only")]
        rows: list[list[Cell]] = []
        for p in self.sizes.curve:
            drawn = None if p.low is None or p.high is None else Interval(p.low, p.high, 0.95, "drawn subsets")
            rows.append([f"majority of {p.k}", p.n_items, p.accuracy, p.kappa, drawn])
        curve = Table(columns, rows, "The majority of k raters", "howmany", self._notes())
        return [curve, self._worth_table()] if self.worths else [curve]

    def _worth_table(self) -> Table:
        columns = [Column("model"), Column("items", "count"), Column("accuracy", "percent", interval="beside")]
        columns += [Column("worth people", "number", "people", digits=1, interval="beside")]
        rows: list[list[Cell]] = [[row.model, row.accuracy.n_units, row.accuracy, row.people] for row in self.worths]
        most = max(row.most for row in self.worths)
        notes = [f"as accurate as the majority of so many people, {most} at most: no item has more judgments of people"]
        return Table(columns, rows, "How many people a model is worth", "worth", notes)

    def _notes(self) -> list[str]:
        sizes = self.sizes
        if sizes.expert_accuracy is None:
            return ["no expert line: it takes two experts, as one alone is the truth"]
        kappa = "–" if sizes.expert_kappa is None else f"{sizes.expert_kappa:.4f}"
        line = f"an expert against the other experts, mean of {sizes.n_experts}: "
        line += f"accuracy {percent(sizes.expert_accuracy)}, kappa {kappa}"
        enough = f"{sizes.enough or '–'} (accuracy), {sizes.enough_kappa or '–'} (kappa)"
        return [line, *([f"as good as an expert from k = {enough}"] if sizes.n_experts > 1 else [])]


@public()
def crowd_howmany(
    judgments: VotesSource,
    *,
    experts: str | Sequence[str] = (),
    truth: AnswerSource | None = None,
    draws: Count = 200,
    seed: Whole = 0,
    **shared: Unpack[JudgmentReading],
) -> CrowdSizes:
    """Tell how many raters equal an expert: accuracy (exact) and kappa of the majority of k, and the expert's line.

    Args:
        judgments: As of ``crowd``; of two labels.
        experts: Raters of JUDGMENTS who are experts; the rest is the crowd. Either these or ``truth``.
        truth: Table item,label of expert answers. In Python also a mapping of items to labels.
        draws: Subsets drawn for kappa.
        seed: Seed of everything random.
        shared: How judgments are read.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit, or there is nobody to compare with.
    """
    names = [name for name in experts.split(",") if name] if isinstance(experts, str) else experts
    if bool(names) == (truth is not None):
        message = "the crowd needs somebody to be compared with"
        raise UsageError(Problem("howmany-truth", message, expected="either --experts or --truth"))
    judged, problems = take_crowd(judgments, shared, with_models=True)
    people, models = judged.apart()
    generator = stream(seed, "crowd", "howmany")
    if truth is None:
        sizes = against_experts(people, names, generator, n_draws=draws)
        truths: Sequence[Mapping[str, str]] = expert_truths(people, names) if models.raters else ()
        crowd = others_than(names, people)
    else:
        truths = [truth if isinstance(truth, Mapping) else read_answers(truth, problems)]
        sizes, crowd = how_many(people, truths, generator, n_draws=draws), people
    worths = model_worths(crowd, models, truths, stream(seed, "crowd", "worth")) if models.raters else ()
    return CrowdSizes(sizes, seed, tuple(problems.notes), worths)


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
        models: The raters that are models.
    """

    rule: str
    rates: Sequence[Characteristic]
    raters: Sequence[RaterRow]
    labels: Sequence[str]
    only_rates: bool
    notes: Sequence[Problem]
    models: frozenset[str] = frozenset()

    def to_dict(self) -> dict[str, object]:
        """The rule with its error rates, and every rater; where there are models, who is one."""
        rates = [*map(_rate_record, self.rates)]
        raters = [{**_rater_record(row), **({"kind": self._kind(row)} if self.models else {})} for row in self.raters]
        return {"rule": self.rule, "rates": rates, "raters": raters}

    def _kind(self, row: RaterRow) -> str:
        return MODEL if row.rater in self.models else HUMAN

    def tables(self) -> list[Table]:
        """Raters, or error rates where they were asked for."""
        return [self._rate_table() if self.only_rates else self._rater_table()]

    def _rater_table(self) -> Table:
        tested = [label for label in self.labels if any(label in row.gold_by_label for row in self.raters)]
        kinds = [Column("kind")] if self.models else []
        columns = [Column("rater"), *kinds, Column("verdict"), Column("judgments", "count"), Column("gold", "count")]
        columns += [Column(name, "percent", name, interval="beside") for name in ("right", *tested)]
        columns += [Column(name, "percent") for name in ("trust", "rest")]
        columns += [Column(f"bias {label}", "percent", f"bias {label}") for label in self.labels]
        columns += [Column("seconds", "count")]
        rows: list[list[Cell]] = []
        for row in self.raters:
            by_label = [row.gold_by_label[label] for label in tested]
            bias = [row.bias[label] if row.bias else None for label in self.labels]
            name = [row.rater, *([self._kind(row)] if self.models else [])]
            start: list[Cell] = [*name, str(row.verdict), row.n_judgments, row.gold.n_units, row.gold, *by_label]
            rows.append([*start, row.trust, row.rest, *bias, row.median_seconds])
        verdicts = (RaterVerdict.KEEP, RaterVerdict.WATCH, RaterVerdict.DROP)
        counts = (f"{verdict} {sum(row.verdict == verdict for row in self.raters)}" for verdict in verdicts)
        notes = [f"{', '.join(counts)} of {len(rows)} raters"]
        for rate in self.rates:
            line = f"{rate.rule} drops {percent(rate.drop)}% and keeps {percent(rate.keep)}% of raters with accuracy "
            notes.append(f"{line}{rate.accuracy:g} within {rate.most} gold items of a class")
        notes += [] if tested else [_UNTESTED]
        notes += ["rest and bias: against people, whom models never count among"] if self.models else []
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


def _rate_record(rate: Characteristic) -> dict[str, object]:
    values = attributes(rate, "rule", "accuracy", "most", "keep", "drop", "mean_items")
    return {**values, "mean_items_dropped": rate.mean_items_dropped if rate.drop else None}


def _rater_record(row: RaterRow) -> dict[str, object]:
    return {
        "rater": row.rater,
        "verdict": str(row.verdict),
        "verdict_by_label": {label: str(verdict) for label, verdict in row.by_label.items()},
        "n_judgments": row.n_judgments,
        "gold": estimate_record(row.gold),
        "gold_by_label": {label: estimate_record(estimate) for label, estimate in row.gold_by_label.items()},
        **attributes(row, "trust", "rest", "n_rest", "bias", "median_seconds"),
    }


@public()
def crowd_raters(
    judgments: VotesSource,
    *,
    gold: AnswerSource | None = None,
    rule: RuleName = "sprt",
    good: float = 0.85,
    bad: float = 0.60,
    threshold: float = 0.70,
    together: bool = False,
    most: Count = 20,
    rates: bool = False,
    **shared: Unpack[JudgmentReading],
) -> CrowdRaters:
    """Describe raters: how much, how well, how fast, with what leaning; keep, watch or drop.

    Args:
        judgments: As of ``crowd``.
        gold: Table item,label of items whose answer is known, or that of a study's gold items (item,answer). In Python
            also a mapping of items to labels. Without it nobody can be tested, and all are watched.
        rule: Which test keeps or drops raters.
        good: Accuracy of a rater to keep, for sprt.
        bad: Accuracy of a rater to drop, for sprt.
        threshold: The other rules drop raters below this accuracy.
        together: Run the rule through all gold items, not for each true label alone.
        most: Most gold items that a rater sees, for the error rates.
        rates: Error rates of all rules in place of raters.
        shared: How judgments are read.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit.
    """
    rules: dict[str, RaterRule] = {"sprt": sprt(good, bad), "posterior": posterior(threshold)}
    rules |= {"running": running(threshold), "fixed": fixed(threshold)}
    chosen = list(rules.values()) if rates else [rules[rule]]
    errors = [characteristic(test, accuracy, most) for test in chosen for accuracy in (good, bad, 0.5)]
    crowd, problems = take_crowd(judgments, shared, with_models=True)
    known = gold if gold is None or isinstance(gold, Mapping) else read_answers(gold, problems)
    names, models = crowd.judgments.raters, crowd.models
    people = [name for name in names if name not in models]
    rows: list[RaterRow] = []
    # A model stands beside people as one more of them, and changes nothing in how these agree with each other.
    for more in ([], *([name] for name in names if name in models)):
        kept = np.isin(np.asarray(names, np.str_), [*people, *more])[crowd.judgments.rater]
        seconds = None if crowd.seconds is None else crowd.seconds[kept]
        table = crowd.judgments.take(kept)
        described = rater_rows(table, known, rule=rules[rule], per_label=not together, seconds=seconds)
        rows += [row for row in described if row.rater in more or not more]
    return CrowdRaters(rules[rule].name, errors, rows, crowd.judgments.labels, rates, tuple(problems.notes), models)


@dataclass(frozen=True, slots=True, repr=False)
class CrowdQuestions(Result):
    """Words to ask about in random order.

    Attributes:
        items: The words, in the order in which they are asked about.
        n_repeated: How many are asked twice.
        blind: Scores and kinds are kept back.
        notes: Warnings and repairs.
    """

    items: Sequence[MinedItem]
    n_repeated: int
    blind: bool
    notes: Sequence[Problem]

    def to_dict(self) -> dict[str, object]:
        """The items."""
        return {"items": records(self.tables()[0]), "n_repeated": self.n_repeated}

    def tables(self) -> list[Table]:
        """One table."""
        columns = [*map(Column, ("item", "word", "text", "kind")), Column("score", "number", digits=3)]
        shown = 3 if self.blind else len(columns)
        rows: list[list[Cell]] = [[item.item, item.word, item.text(), item.kind, item.score] for item in self.items]
        return [Table(columns[:shown], [row[:shown] for row in rows], "Words to ask about", "mined")]

    def key(self) -> list[str]:
        """Scores and kinds as lines of CSV, for who judges the answers."""
        return ["item,kind,score", *(csv_line((item.item, item.kind, item.score)) for item in self.items)]


@public()
def crowd_mine(
    corpus: Source,
    counts: Source,
    *,
    words: str = "prepositions",
    n: Count = 500,
    error_rate: float = 0.5,
    blind: bool = False,
    seed: Whole = 0,
    lenient: Lenient = False,
) -> CrowdQuestions:
    """Find words that the text does better without, mixed with likely correct ones, to put before raters.

    Args:
        corpus: One tokenized sentence per line.
        counts: Counts of n-grams around the same words, which ``errorbar crowd mine --build`` wrote.
        words: Words to look at: ``prepositions``, ``articles``, or words between commas.
        n: Number of likely errors.
        error_rate: Share of likely errors in the set.
        blind: Keep scores and kinds back.
        seed: Seed of everything random.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit, or there is nothing to ask.
    """
    problems, targets = Problems(lenient=lenient), _target_words(words)
    digest = hashlib.sha256()  # of the counts, which raters do not have: who knows the seed cannot undo the shuffling

    def count_lines() -> Iterator[str]:
        for line in Lines(counts, problems):
            digest.update(f"{line}\n".encode("utf-8", "surrogatepass"))
            yield line

    table = NgramCounts.parse(count_lines(), str(counts))
    sentences = [line.split() for line in Lines(corpus, problems)]
    problems.raise_errors()
    mined = mine(
        sentences, table, targets, stream(seed, "crowd", "mine", digest.hexdigest()), n=n, error_rate=error_rate
    )
    if mined.n_repeated:
        message = f"{mined.n_repeated} instances stand in a sentence that says the same elsewhere; each is asked once"
        problems.note("mine-repeated", message, Place(str(corpus)))
    return CrowdQuestions(mined.items, mined.n_repeated, blind, tuple(problems.notes))


def crowd_counts(lines: Iterable[str], *, words: str = "prepositions", min_count: int = 1) -> NgramCounts:
    """Count the n-grams around some words in text of good writers, one tokenized sentence per line.

    N-grams that occur less than ``min_count`` times are not kept; ``words`` is as of ``crowd_mine``.

    Raises:
        UsageError: If there is no word.
    """
    counts, targets = NgramCounts(), _target_words(words)
    for line in lines:
        if tokens := line.split():
            counts.add(tokens, targets)
    counts.prune(min_count)
    return counts


def _target_words(words: str) -> frozenset[str]:
    """The words of a class, or those between commas."""
    targets = WORD_CLASSES[words] if words in WORD_CLASSES else frozenset(words.lower().replace(",", " ").split())
    if not targets:
        raise UsageError(Problem("mine-options", "no word to ask about", expected="--words a,b,c"))
    return targets
