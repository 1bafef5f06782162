"""Studies whose raters say Error or OK: how far they agree item by item, and how many of them equal an expert.

Formula
    Distribution: an item's majority share is the share of its most frequent label; bins are [50, 75), [75, 90) and
    [90, 100] %, with the share of items in each. How many raters equal an expert: ``errorbar.crowdsourcing.howmany``.
    Money: what a judgment pays, times the judgments of an item.
Conventions
    Labels that mean an error, of whatever kind, are merged for the comparison with experts. Items that one rater judged
    are in no bin. Pay is a number that is given, or the one in the words of the study's rules; of several none is.
Source
    Madnani, Tetreault, Chodorow and Rozovskaya 2011, sections 2 and 3; Snow et al. 2008.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from errorbar.agreement.label_counts import item_counts
from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate
from errorbar.core.judgments import Judgments
from errorbar.crowdsourcing.howmany import HowMany, against_experts, how_many
from errorbar.judging.analysis.findings import Finding, count, merged
from errorbar.judging.exchange import JUDGED
from errorbar.judging.study_agreement import error_labels
from errorbar.judging.study_columns import StudyColumns
from errorbar.stats.proportion import proportion_estimate
from errorbar.stats.resampling import stream

BINS = ((0.0, "below 50 %"), (0.5, "50 to 75 %"), (0.75, "75 to 90 %"), (0.9, "90 to 100 %"))
"""Low end of each bin of majority shares; the first can only be of three labels and more."""
EDGE = 1e-9
_NUMBER = re.compile(r"(?<![\d.,])[\d.,]*\d")


def distribution(judgments: Judgments, confidence: float) -> Iterator[Finding]:
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
            yield Finding("distribution", name, "items", count(items), "count")
            share = proportion_estimate(int(items), total, confidence_level=confidence)
            yield Finding("distribution", name, "share", share, "percent")


def two_labels(study: StudyColumns, judgments: Judgments) -> Judgments:
    """The judgments as Error or OK, whatever kinds of errors the scheme knows."""
    codes = error_labels(study)
    names = {label: "error" if code in codes else "ok" for code, label in enumerate(judgments.labels)}
    return merged(judgments, names)


def raters_like_experts(
    study: StudyColumns, judgments: Judgments, experts: Sequence[str], truth: Mapping[str, str] | None, seed: int
) -> HowMany | None:
    """How good the majority of k raters is: against experts among them, a truth that is given, or the gold.

    Raises:
        UsageError: If experts or truth that were asked for do not fit.
    """
    generator = stream(seed, "judge", "analyze", "howmany")
    if experts:
        return against_experts(two_labels(study, judgments), experts, generator)
    if truth is not None:
        labels = {str(label).casefold() for label in judgments.labels}
        if strange := [label for label in truth.values() if label.casefold() not in labels]:
            what = f"the truth has the label '{strange[0]}', which is not one of the scheme's"
            raise UsageError(Problem("howmany-truth", what, expected=", ".join(judgments.labels)))
        errors = {judgments.labels[code].casefold() for code in error_labels(study)}
        known = {item: "error" if label.casefold() in errors else "ok" for item, label in truth.items()}
        return how_many(two_labels(study, judgments), [known], generator)
    rows = study.tested
    kept = rows[(study.right >= 0) & (study.label[rows] >= 0)]
    if not len(kept):
        return None
    names = [study.labels[code] for code in study.label[kept].tolist()]
    items = [study.items[at].name for at in study.item[kept].tolist()]
    codes = error_labels(study)
    kinds = [label for label in study.labels if label not in study.about.scheme.abstaining()]
    errors = {kinds[code] for code in codes}
    said = ["error" if name in errors else "ok" for name in names]
    table = Judgments.from_columns(items, study.rater[kept].tolist(), said, labels=("error", "ok"))
    gold = {each.name: "error" if each.gold in errors else "ok" for each in study.items if each.gold}
    return how_many(table, [gold], generator)


def paid(said: str) -> float | None:
    """The one number in what raters are told of their pay; None: there is none, or it cannot be told which."""
    found = _NUMBER.findall(said)
    if len(found) != 1:
        return None
    whole, sign, part = found[0].rpartition("," if found[0].rfind(",") > found[0].rfind(".") else ".")
    if sign and len(part) == 3 and whole.strip("0"):  # 1,000 and 1.000 are read in both ways
        return None
    plain = f"{whole.replace(',', '').replace('.', '')}.{part}" if sign else found[0]
    return float(plain)


def money(study: StudyColumns, pay: float | None, sizes: HowMany | None) -> Iterator[Finding]:
    """What a judgment, an item and the whole study cost; nothing where no pay is known."""
    each = paid(study.about.rules.pay) if pay is None else pay
    n = len(study.judged)
    answered = len(study.rows("main", *JUDGED)) + len(study.rows("repeat", *JUDGED))
    if each is None or not n:
        return
    items = len(np.unique(study.item[study.judged]))
    costs = {
        "a judgment": each,
        "an item, as judged": each * n / items,
        "all answers, gold and repeats too": each * answered,
    }
    if sizes is not None and sizes.enough is not None:
        costs[f"an item, of the {sizes.enough} that equal an expert"] = each * sizes.enough
    for of, cost in costs.items():
        yield Finding("money", of, "cost", Estimate(cost, n))
