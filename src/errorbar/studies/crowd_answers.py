"""What a crowd's judgments say: answers by several methods, and how many raters equal an expert."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, replace
from typing import Unpack

import numpy as np

from errorbar.core.errors import Place, Problem, UsageError
from errorbar.core.estimate import Interval
from errorbar.core.problems import Problems
from errorbar.crowdsourcing.answers import UNKNOWN, Answers
from errorbar.crowdsourcing.em import MAX_ITERATIONS, MIN_ITEMS, N_STARTS, Runs
from errorbar.crowdsourcing.howmany import HowMany, against_experts, how_many
from errorbar.crowdsourcing.rater_models import METHODS, Comparison, Method, Modeling, Prior, aggregate
from errorbar.formats.item_tables import read_answers
from errorbar.formats.look import Source
from errorbar.stats.resampling import stream
from errorbar.studies.door import public
from errorbar.studies.judgment_input import Reading, Votes, take_crowd
from errorbar.studies.signatures import crowd_signature
from errorbar.tables.result import Result
from errorbar.tables.shown import percent
from errorbar.tables.table import Cell, Column, Table

Answered = Source | Mapping[str, str]
"""A table ``item,label``, or item to label."""


@dataclass(frozen=True, slots=True, repr=False)
class CrowdAnswers(Result):
    """Answers by several methods next to each other.

    Attributes:
        made: The answers, item by item.
        chosen: Numbers of the items that tables show.
        summary: Tables show a summary in their place.
        signature: What was computed on which data how.
        notes: Warnings and repairs.
    """

    made: Comparison
    chosen: Sequence[int]
    summary: bool
    signature: str
    notes: Sequence[Problem]

    def to_dict(self) -> dict[str, object]:
        """Counts and runs of every method, and the items with their answers and shares."""
        return {
            "summary": {name: self._counted(name) for name in self.made.answers},
            "items": [] if self.summary else [self._item(item) for item in self.chosen],
            "n_differing": len(self.made.differing),
            "signature": self.signature,
        }

    def tables(self) -> list[Table]:
        """Items, or the summary where it was asked for."""
        return [self._summary_table() if self.summary else self._item_table()]

    def _counted(self, name: str) -> dict[str, object]:
        answers, fit = self.made.answers[name], self.made.fits.get(name)
        record: dict[str, object] = {"answers": dict(zip((*answers.labels, UNKNOWN), _counts(answers), strict=True))}
        if fit is not None:
            record["marginals"] = dict(zip(answers.labels, fit.marginals.tolist(), strict=True))
            record |= {"best": fit.best, "starts": [asdict(run) for run in fit.starts]}
        return record

    def _item(self, item: int) -> dict[str, object]:
        first = self.made.answers["majority"]
        answers = {
            name: {"answer": each.name(item), "share": self._share(name, item)}
            for name, each in self.made.answers.items()
        }
        return {"item": first.items[item], "n_judgments": int(first.n_judgments[item]), **answers}

    def _share(self, name: str, item: int) -> float | None:
        row = self.made.answers[name].shares[item]
        return None if np.isnan(row).any() else float(row.max(initial=0.0))

    def _item_table(self) -> Table:
        names, first = list(self.made.answers), self.made.answers["majority"]
        columns = [Column("item"), *map(Column, names), Column("judgments", "count")]
        columns += [Column(f"{name} share", "number") for name in names]
        rows: list[list[Cell]] = []
        for item in self.chosen:
            said = [each.name(item) for each in self.made.answers.values()]
            shares = [self._share(name, item) for name in names]
            rows.append([first.items[item], *said, int(first.n_judgments[item]), *shares])
        note = f"{len(self.made.differing):,} of {len(first.items):,} items get different answers"
        return Table(columns, rows, "Answers", "answers", [note])

    def _summary_table(self) -> Table:
        base = self.made.answers["majority"]
        columns = [Column("method"), *(Column(label, "count", label) for label in (*base.labels, UNKNOWN))]
        columns += [Column("differ from majority", "count"), Column("log-likelihood", "number", digits=3)]
        columns += [Column("best start"), Column("runs"), Column("passes")]
        rows: list[list[Cell]] = []
        for name, answers in self.made.answers.items():
            row: list[Cell] = [name, *_counts(answers), int((answers.answer != base.answer).sum())]
            if (fit := self.made.fits.get(name)) is None:
                rows.append([*row, None, None, None, None])
                continue
            runs = "; ".join(f"{run.objective:.3f}" for run in fit.starts)
            passes = "; ".join(f"{run.n_iterations}{'' if run.converged else '+'}" for run in fit.starts)
            rows.append([*row, fit.log_likelihood, fit.starts[fit.best].name, runs, passes])
        notes = [
            "runs: log-likelihood plus log-prior (less a constant) that each start of EM ended at; the largest is best",
            "passes: of each run; + where it had not converged",
        ]
        return Table(columns, rows, "Methods", "methods", notes if self.made.fits else [])


def _counts(answers: Answers) -> list[int]:
    """How many items get each label, and how many none."""
    none, *counts = np.bincount(answers.answer + 1, minlength=len(answers.labels) + 1).tolist()
    return [*counts, none]


@public()
def crowd_aggregate(
    judgments: Votes,
    *,
    method: Method | Sequence[Method] = (),
    ties: str = UNKNOWN,
    prior: Sequence[float] = astuple(Prior()),
    starts: int = N_STARTS,
    min_items: float = MIN_ITEMS,
    passes: int = MAX_ITERATIONS,
    differing: bool = False,
    summary: bool = False,
    seed: int = 0,
    **shared: Unpack[Reading],
) -> CrowdAnswers:
    """Turn judgments into answers: majority, trust-weighted, one-coin and Dawid-Skene next to each other.

    Args:
        judgments: As of ``crowd``.
        method: ``majority``, ``trust``, ``one-coin``, ``dawid-skene``, one or several; none: those that apply, of all.
        ties: The label that wins a tie it takes part in, or ``unknown``.
        prior: Pseudo-counts of the models, of right and of wrong judgments.
        starts: How often EM is started.
        min_items: Fewest judgments of a rater, on average, of items that others judged too, that the models accept.
        passes: Most passes of EM.
        differing: Only the items on which methods differ.
        summary: No items: counts of answers and runs of EM.
        seed: Of the random starts.
        shared: How judgments are read.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit, or a method that is named does not apply.
    """
    if len(prior) != 2:
        what = f"prior must be two numbers, of right and of wrong judgments, got {len(prior)}"
        raise UsageError(Problem("bad-parameter", what))
    believed, run = Prior(*prior), Runs(starts, max_iterations=passes)
    judged, problems = take_crowd(judgments, shared)
    table = judged.judgments

    def aggregated(names: Sequence[Method]) -> Comparison:
        how = Modeling(believed, run, min_items)
        return aggregate(table, stream(seed, "crowd", "aggregate"), names, how=how, ties=ties)

    try:
        made = aggregated(([method] if isinstance(method, str) else method) or METHODS)
    except UsageError as error:
        if method:
            raise
        # Not asked for by name: what does not apply here is said, and the majority is shown all the same.
        problems.notes += [replace(problem, severity="warning") for problem in error.problems]
        made = aggregated(["majority"])
    for name, fit in made.fits.items():
        best = fit.starts[fit.best]
        if not best.converged:
            what = f"{name} had not converged after {best.n_iterations} passes"
            problems.note("crowd-not-converged", what, Place(), fix="raise --passes, or trust the majority more")
        _warn_of_one_answer(made, name, problems)
    pseudo = f"{believed.diagonal:g}+{believed.off_diagonal:g}"
    spec = f"aggregate(methods={'+'.join(made.answers)},prior={pseudo},ties={ties})"
    said = [f"seed:{seed}", *([f"starts:{starts}"] if starts != N_STARTS else [])]
    said += [f"passes:{passes}"] if passes != MAX_ITERATIONS else []
    chosen = made.differing if differing else range(len(table.items))
    return CrowdAnswers(made, chosen, summary, crowd_signature(spec, table, None, said), tuple(problems.notes))


def _warn_of_one_answer(made: Comparison, name: str, problems: Problems) -> None:
    """Say where a model gives all items one answer, and the majority does not: it calls every other judgment wrong."""
    answers, base = made.answers[name], made.answers["majority"]
    given = {known: set(each.answer[each.n_judgments > 0].tolist()) - {-1} for known, each in made.answers.items()}
    if len(given[name]) == 1 < len(given["majority"]):
        (label,) = given[name]
        n, all_items = int((base.answer == label).sum()), int((base.n_judgments > 0).sum())
        what = (
            f"{name} answers '{answers.labels[label]}' for all {all_items:,} items, the majority for {n:,}: the model "
        )
        what += "takes every other judgment for an error of its rater"
        problems.note("crowd-one-answer", what, Place(), fix="trust the majority more; more judgments of an item help")


@dataclass(frozen=True, slots=True, repr=False)
class CrowdSizes(Result):
    """How good the majority of k raters is, for every k, and an expert.

    Attributes:
        found: The figures.
        seed: Of the drawn subsets.
        notes: Warnings and repairs.
    """

    found: HowMany
    seed: int
    notes: Sequence[Problem]

    def to_dict(self) -> dict[str, object]:
        """The curve and the expert's line."""
        names = ("k", "n_items", "accuracy", "kappa", "kappa_low", "kappa_high")
        curve = [dict(zip(names, astuple(p), strict=True)) for p in self.found.curve]
        facts = ("n_experts", "expert_accuracy", "expert_kappa", "enough", "enough_kappa")
        return {"curve": curve, **{name: getattr(self.found, name) for name in facts}, "seed": self.seed}

    def tables(self) -> list[Table]:
        """The curve."""
        columns = [Column("raters", "text", "k"), Column("items", "count"), Column("accuracy", "percent")]
        columns += [Column("kappa", "number"), Column("95% of draws", "number", "draws", interval="only")]
        rows: list[list[Cell]] = []
        for p in self.found.curve:
            drawn = None if p.low is None or p.high is None else Interval(p.low, p.high, 0.95, "drawn subsets")
            rows.append([f"majority of {p.k}", p.n_items, p.accuracy, p.kappa, drawn])
        return [Table(columns, rows, "The majority of k raters", "howmany", self._notes())]

    def _notes(self) -> list[str]:
        found = self.found
        if found.expert_accuracy is None:
            return ["no expert line: it takes two experts, as one alone is the truth"]
        kappa = "–" if found.expert_kappa is None else f"{found.expert_kappa:.4f}"
        line = f"an expert against the other experts, mean of {found.n_experts}: "
        line += f"accuracy {percent(found.expert_accuracy)}, kappa {kappa}"
        enough = f"{found.enough or '–'} (accuracy), {found.enough_kappa or '–'} (kappa)"
        return [line, *([f"as good as an expert from k = {enough}"] if found.n_experts > 1 else [])]


@public()
def crowd_howmany(
    judgments: Votes,
    *,
    experts: str | Sequence[str] = (),
    truth: Answered | None = None,
    draws: int = 200,
    seed: int = 0,
    **shared: Unpack[Reading],
) -> CrowdSizes:
    """Tell how many raters equal an expert: accuracy (exact) and kappa of the majority of k, and the expert's line.

    Args:
        judgments: As of ``crowd``; of two labels.
        experts: Raters among them who are experts; the rest is the crowd. Either these or ``truth``.
        truth: Answers of an expert: a table ``item,label``, or item to label.
        draws: Subsets drawn for kappa.
        seed: Of the draws.
        shared: How judgments are read.

    Raises:
        InputError: If a file is bad.
        UsageError: If an option does not fit, or there is nobody to compare with.
    """
    if bool(experts) == (truth is not None):
        what = "the crowd needs somebody to be compared with"
        raise UsageError(Problem("howmany-truth", what, expected="either --experts or --truth"))
    judged, problems = take_crowd(judgments, shared)
    generator = stream(seed, "crowd", "howmany")
    if truth is None:
        names = [name for name in experts.split(",") if name] if isinstance(experts, str) else experts
        found = against_experts(judged.judgments, names, generator, n_draws=draws)
    else:
        known = truth if isinstance(truth, Mapping) else read_answers(truth, problems)
        found = how_many(judged.judgments, [known], generator, n_draws=draws)
    return CrowdSizes(found, seed, tuple(problems.notes))
