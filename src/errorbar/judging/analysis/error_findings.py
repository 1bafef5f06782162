"""The findings of studies about errors: Error or OK, and the preposition scheme.

Formula
    Majorities: an item's majority share is the share of its most frequent label; bins are [50, 75), [75, 90) and
    [90, 100] %, with the share of items in each. How many raters equal an expert: ``errorbar.crowdsourcing.howmany``.
    Money: what a judgment pays, times the judgments of an item.
Conventions
    Labels that mean an error, of whatever kind, are merged for the comparison with experts. Items that one rater judged
    are in no bin. Pay is a number that is given, or the one in the words of the study's rules; of several none is.
    Prepositions: all items; items around which no rater marked an error (of spelling, determiner or grammar), and the
    others; four categories merged to three (correct and equally good are ok) and to two (error, ok); items by batch,
    which a hidden column of that name tells; items that all raters judged with high confidence, and the others. Where
    it is not said, categories are three.
Source
    Madnani, Tetreault, Chodorow and Rozovskaya 2011, sections 2 and 3; Snow et al. 2008. Tetreault and Chodorow 2008,
    sections 3 and 5, table 3.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.label_counts import item_counts
from errorbar.core.estimate import Estimate
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problem, UsageError
from errorbar.crowdsourcing.howmany import HowMany, against_experts, how_many
from errorbar.judging.analysis.findings import Finding, agreement_findings, count_figure, merge_labels, take_items
from errorbar.judging.items.item import JUDGED
from errorbar.judging.question_kinds import kind_of_question
from errorbar.judging.study.agreement import error_labels
from errorbar.judging.study.columns import StudyColumns
from errorbar.stats.proportion import proportion_estimate
from errorbar.stats.resampling import Resampling, stream

BINS = ((0.0, "below 50 %"), (0.5, "50 to 75 %"), (0.75, "75 to 90 %"), (0.9, "90 to 100 %"))
"""Low end of each bin of majority shares; the first can only be of three labels and more."""
EDGE = 1e-9
_NUMBER = re.compile(r"(?<![\d.,])[\d.,]*\d")


def majority_findings(judgments: Judgments, confidence: float) -> Iterator[Finding]:
    """How large the majorities are, of items with two judgments and more."""
    table = item_counts(judgments)
    n = table.n_raters
    largest = np.asarray(table.counts.max(axis=1).todense(), np.float64).ravel() / n
    times = table.units.frequency * (n >= 2)
    place = np.searchsorted([low - EDGE for low, _ in BINS], largest, side="right") - 1
    counts = np.bincount(place, times, minlength=len(BINS))
    total = int(times.sum())
    for (_, name), items in zip(BINS, counts.tolist(), strict=True):
        if items or name != BINS[0][1]:
            yield Finding("distribution", name, "items", count_figure(items), "count")
            share = proportion_estimate(int(items), total, confidence_level=confidence)
            yield Finding("distribution", name, "share", share, "percent")


def merge_errors(study: StudyColumns, judgments: Judgments) -> Judgments:
    """The judgments as Error or OK, whatever kinds of errors the scheme knows."""
    codes = error_labels(study)
    names = {label: "error" if code in codes else "ok" for code, label in enumerate(judgments.labels)}
    return merge_labels(judgments, names)


def compare_with_experts(
    study: StudyColumns, judgments: Judgments, experts: Sequence[str], truth: Mapping[str, str] | None, seed: int
) -> HowMany | None:
    """How good the majority of k raters is: against experts among them, a truth that is given, or the gold.

    Raises:
        UsageError: If experts or truth that were asked for do not fit.
    """
    generator = stream(seed, "judge", "analyze", "howmany")
    if experts:
        return against_experts(merge_errors(study, judgments), experts, generator)
    if truth is not None:
        labels = {str(label).casefold() for label in judgments.labels}
        if strange := [label for label in truth.values() if label.casefold() not in labels]:
            message = f"the truth has the label '{strange[0]}', which is not one of the scheme's"
            raise UsageError(Problem("howmany-truth", message, expected=", ".join(judgments.labels)))
        errors = {judgments.labels[code].casefold() for code in error_labels(study)}
        known = {item: "error" if label.casefold() in errors else "ok" for item, label in truth.items()}
        return how_many(merge_errors(study, judgments), [known], generator)
    rows = study.tested
    kept = rows[(study.right >= 0) & (study.label[rows] >= 0)]
    if not len(kept):
        return None
    names = [study.labels[code] for code in study.label[kept].tolist()]
    items = [study.items[at].name for at in study.item[kept].tolist()]
    codes = error_labels(study)
    kinds = [label for label in study.labels if label not in study.about.scheme.abstaining()]
    errors = {kinds[code] for code in codes}
    error_or_ok = ["error" if name in errors else "ok" for name in names]
    table = Judgments.from_columns(items, study.rater[kept].tolist(), error_or_ok, labels=("error", "ok"))
    gold = {item.name: "error" if item.gold in errors else "ok" for item in study.items if item.gold}
    return how_many(table, [gold], generator)


def read_pay(text: str) -> float | None:
    """The one number in what raters are told of their pay; None: there is none, or it cannot be told which."""
    numbers = _NUMBER.findall(text)
    if len(numbers) != 1:
        return None
    whole, sign, part = numbers[0].rpartition("," if numbers[0].rfind(",") > numbers[0].rfind(".") else ".")
    if sign and len(part) == 3 and whole.strip("0"):  # 1,000 and 1.000 are read in both ways
        return None
    plain = f"{whole.replace(',', '').replace('.', '')}.{part}" if sign else numbers[0]
    return float(plain)


def cost_findings(study: StudyColumns, pay: float | None, sizes: HowMany | None) -> Iterator[Finding]:
    """The cost of a judgment, an item and the whole study; nothing where no pay is known."""
    of_judgment = read_pay(study.about.rules.pay) if pay is None else pay
    n = len(study.judged)
    answered = len(study.rows("main", *JUDGED)) + len(study.rows("repeat", *JUDGED))
    if of_judgment is None or not n:
        return
    items = len(np.unique(study.item[study.judged]))
    costs = {
        "a judgment": of_judgment,
        "an item, as judged": of_judgment * n / items,
        "all answers, gold and repeats too": of_judgment * answered,
    }
    if sizes is not None and sizes.enough is not None:
        costs[f"an item, of the {sizes.enough} that equal an expert"] = of_judgment * sizes.enough
    for of, cost in costs.items():
        yield Finding("money", of, "cost", Estimate(cost, n))


THREE = {"correct": "ok", "equal": "ok"}
TWO = {**THREE, "extraneous": "error", "incorrect": "error"}
LOW = "low"


def preposition_findings(
    study: StudyColumns, judgments: Judgments, batch: str, intervals: Resampling | None
) -> Iterator[Finding]:
    """Agreement of items of some kinds, by some categories."""
    three = merge_labels(judgments, THREE)
    marks, unsure = find_marked_items(study), _with_answer(study, "confidence", LOW)
    parts = {
        "4 categories": judgments,
        "3 categories": three,
        "2 categories": merge_labels(judgments, TWO),
        "no context error": take_items(three, ~marks),
        "context errors": take_items(three, marks),
        "all sure": take_items(three, ~unsure),
        "somebody unsure": take_items(three, unsure),
    }
    batches = [study.items[at].hidden.get(batch, "") for at in study.work.tolist()]
    for name in dict.fromkeys(filter(None, batches)):
        parts[f"{batch} {name}"] = take_items(three, np.array([own == name for own in batches], np.bool_))
    for of, part in parts.items():
        yield from agreement_findings("categories", of, part, intervals)


def find_marked_items(study: StudyColumns) -> NDArray[np.bool_]:
    """Items for work around which a rater marked an error; shape (items,)."""
    questions = [question.id for question in study.about.scheme.questions if kind_of_question(question).marks_errors]
    return _items(study, [any(answer.get(name) for name in questions) for answer in study.answers])


def _with_answer(study: StudyColumns, question: str, value: str) -> NDArray[np.bool_]:
    return _items(study, [answer.get(question) == value for answer in study.answers])


def _items(study: StudyColumns, answers: list[bool]) -> NDArray[np.bool_]:
    """Items for work that have one of the answers, of judgments that count."""
    rows = study.judged
    chosen = np.array([*answers, False], np.bool_)[study.answer_number[rows]]
    has_answer = np.zeros(len(study.items), np.bool_)
    has_answer[study.item[rows[chosen]]] = True
    return np.asarray(has_answer[study.work], np.bool_)
