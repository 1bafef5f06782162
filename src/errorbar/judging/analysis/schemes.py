"""Analyses by scheme: figures in sections, and how they become tables.

Formula
    Share of a label: the mean over items of the item's own share of it, so that an item counts once however many
    judged it. Its interval resamples items with all their judgments.
Conventions
    A judgment that says that one cannot tell is not given. Without a judgment there is no share.
Source
    The label shares of ``errorbar.agreement``, as its coefficients take them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.coefficients import estimates
from errorbar.agreement.cohen import cohen_kappa
from errorbar.agreement.label_counts import MAX_LABELS, Shares, item_counts, pair_table
from errorbar.core.estimate import Estimate, Interval, Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problem, UsageError
from errorbar.crowdsourcing.howmany import HowMany, against_experts, how_many
from errorbar.judging.items.item import JUDGED
from errorbar.judging.items.sources import SAYS, SEVERAL
from errorbar.judging.question_kinds import kind_of_question
from errorbar.judging.scheme import NOTHING, folded
from errorbar.judging.study.columns import StudyColumns
from errorbar.judging.study.figures import RaterFigures, agreement_of, error_labels
from errorbar.stats.proportion import proportion_estimate
from errorbar.stats.resampling import Resampling, stream
from errorbar.tables.table import Cell, Column, Table

FigureKind = Literal["percent", "number", "count"]
NO_GOLD = Estimate(None, 0, undefined=Undefined.NO_UNITS)


@dataclass(frozen=True, slots=True)
class Finding:
    """One figure.

    Attributes:
        section: What it belongs to: a table.
        of: What it is a figure of: a row.
        measure: What it measures: a column.
        estimate: The figure.
        kind: ``percent``: a share; ``number``; ``count``.
    """

    section: str
    of: str
    measure: str
    estimate: Estimate
    kind: FigureKind = "number"


def section_tables(findings: Sequence[Finding], titles: Mapping[str, str]) -> list[Table]:
    """A table for each section, in order of appearance."""
    tables = []
    for section in dict.fromkeys(each.section for each in findings):
        own = [each for each in findings if each.section == section]
        measures = {each.measure: each.kind for each in own}
        cells = {(each.of, each.measure): each.estimate for each in own}
        columns = [Column("", key="of")]
        for name, kind in measures.items():
            of_measure = [each for each in own if each.measure == name]
            some = any(each.estimate.interval or each.estimate.no_interval for each in of_measure)
            columns.append(Column(name, kind, interval="beside" if some else "hidden"))
        rows: list[list[Cell]] = []
        for of in dict.fromkeys(each.of for each in own):
            row: list[Cell] = [of]
            for name, kind in measures.items():
                cell = cells.get((of, name))
                whole = kind == "count" and cell is not None and cell.value is not None
                row.append(int(cell.value) if whole and cell is not None and cell.value is not None else cell)
            rows.append(row)
        tables.append(Table(columns, rows, titles.get(section, section), section))
    return tables


def count(value: float) -> Estimate:
    """A count, as a figure."""
    return Estimate(float(value), int(value))


def agreement_findings(
    section: str, of: str, judgments: Judgments, drawn: Resampling | None, gold: Estimate | None = None
) -> Iterator[Finding]:
    """Items, observed agreement, kappa and alpha of some judgments."""
    agreement = agreement_of(judgments, gold or NO_GOLD, drawn)
    yield Finding(section, of, "items", count(agreement.n_paired), "count")
    yield Finding(section, of, "agreement", agreement.observed)
    yield Finding(section, of, "kappa", agreement.kappa)
    yield Finding(section, of, "alpha", agreement.alpha)
    if gold is not None:
        yield Finding(section, of, "kappa with the gold", gold)


def label_shares(judgments: Judgments, drawn: Resampling | None) -> dict[str, Estimate]:
    """The share of each label."""
    if not len(judgments):
        return dict.fromkeys(judgments.labels, NO_GOLD)
    table = item_counts(judgments)
    n_items = int(table.units.frequency.sum())
    results = estimates(
        table.units, {"shares": Shares(table).labels}, n_items, Undefined.NO_UNITS, drawn, len(table.labels)
    )
    return dict(zip(table.labels, results["shares"], strict=True))


def merged(judgments: Judgments, groups: Mapping[str, str]) -> Judgments:
    """The judgments with labels grouped: label to the name of its group; one that is not named keeps its name."""
    names = [groups.get(label, label) for label in judgments.labels]
    known = list(dict.fromkeys(names))
    codes = np.array([known.index(name) for name in names], np.int32)
    return replace(judgments, label=codes[judgments.label], labels=tuple(known))


def of_items(judgments: Judgments, items: NDArray[np.bool_]) -> Judgments:
    """The judgments of some items; ``items`` says which, shape (items,)."""
    return judgments.take(items[judgments.item])


def used_labels(judgments: Judgments) -> Judgments:
    """The judgments with the labels alone that somebody gave."""
    used, codes = np.unique(judgments.label, return_inverse=True)
    return replace(judgments, label=codes.astype(np.int32), labels=tuple(judgments.labels[at] for at in used.tolist()))


# Choice tests: how often the second candidate is better, equally good, or worse than the first.
#
# Formula s is the share of items' judgments that find the second candidate equally good or better; a the share of all
# instances on which the two writers agree, so that nobody was asked about them. Counting what is as good, accuracy is
# a + (1 - a) s: the agreed ones, and that share of the others. Its interval is that of s, a being known. Position:
# P(top) of all answers that chose a side, with Wilson's interval; one half where raters do not lean. Conventions An
# item counts once, however many judged it. Pairs of writers are told apart by the names of the candidates; a text that
# several wrote counts for each of them, as in pairs for ``rank``, and once for all together. Answers to hidden gold
# items count for sides and repeats. Source Tetreault and Chodorow 2008, section 4.


WORDS = {"first": "first better", "equal": "equally good", "second": "second better", "neither": "equally bad"}
AS_GOOD = "second as good or better"


def choice_findings(
    study: StudyColumns, judgments: Judgments, drawn: Resampling | None, confidence: float, accuracy: float | None
) -> Iterator[Finding]:
    """Shares for all items, and for each pair of writers where there are several."""
    del confidence
    if "first" not in judgments.labels:
        return
    pairs: dict[tuple[str, ...], dict[int, bool]] = {}  # places, and whether the two stand the other way round there
    for place, at in enumerate(study.work.tolist()):
        whole = study.items[at].whole
        names = [each.split(SEVERAL) for each in whole.names] if whole is not None else []
        for pair in product(*names):
            other = bool(pair) and pair[::-1] in pairs
            pairs.setdefault(pair[::-1] if other else pair, {})[place] = other
    for pair, places in pairs.items():
        chosen, turned = (np.zeros(len(study.work), np.bool_) for _ in range(2))
        chosen[[*places]] = True
        turned[[*places]] = [*places.values()]
        of = " and ".join(pair) or "all"
        yield from _shares(of, _turned(of_items(judgments, chosen), turned), accuracy, drawn)
    if len(pairs) > 1:
        yield from _shares("all", judgments, accuracy, drawn)


def _turned(judgments: Judgments, items: NDArray[np.bool_]) -> Judgments:
    """The judgments with first and second exchanged at some items."""
    first, second = (judgments.labels.index(side) for side in ("first", "second"))
    codes = np.arange(len(judgments.labels), dtype=np.int32)
    codes[[first, second]] = second, first
    return replace(judgments, label=np.where(items[judgments.item], codes[judgments.label], judgments.label))


def _shares(of: str, judgments: Judgments, accuracy: float | None, drawn: Resampling | None) -> Iterator[Finding]:
    shares = label_shares(judgments, drawn)
    yield Finding("preferences", of, "items", count(len(np.unique(judgments.item))), "count")
    for label, name in WORDS.items():
        if label in shares:
            yield Finding("preferences", of, name, shares[label], "percent")
    groups = {"second": AS_GOOD, "equal": AS_GOOD, "first": "worse", "neither": "worse"}
    good = label_shares(merged(judgments, groups), drawn).get(AS_GOOD)
    if good is None:
        return
    yield Finding("accuracy", of, AS_GOOD, good, "percent")
    if accuracy is not None:
        yield Finding("accuracy", of, "before", Estimate(accuracy, good.n_units), "percent")
        yield Finding("accuracy", of, "after", raised(accuracy, good), "percent")


def raised(accuracy: float, good: Estimate) -> Estimate:
    """Accuracy once what is as good counts as right."""
    if good.value is None:
        return good

    def after(share: float) -> float:
        return accuracy + (1 - accuracy) * share

    estimate = Estimate(after(good.value), good.n_units)
    if good.interval is None:
        return estimate if good.no_interval is None else estimate.with_interval(good.no_interval)
    inner = good.interval
    interval = Interval(after(inner.low), after(inner.high), inner.confidence_level, inner.method)
    return estimate.with_interval(interval, n_clusters=good.n_clusters)


def position_findings(raters: list[RaterFigures], confidence: float) -> Iterator[Finding]:
    """P(top) and self-consistency, of each rater who says something about them, and of all."""
    for measure, name in (("P(top)", "top"), ("alike when repeated", "repeats")):
        known = [(each.rater, getattr(each, name)) for each in raters]
        known = [(rater, estimate) for rater, estimate in known if estimate is not None and estimate.n_units]
        total = sum(estimate.n_units for _, estimate in known)
        right = sum(round(estimate.value * estimate.n_units) for _, estimate in known)
        if total:
            everyone = proportion_estimate(right, total, confidence_level=confidence)
            yield Finding("consistency", "all raters", measure, everyone, "percent")
        for rater, estimate in known:
            yield Finding("consistency", rater, measure, estimate, "percent")


# Cloze tests: how often raters write what the writer wrote, before and after other good words count.
#
# Formula
#     Every pair of writer, raters and systems: the share of items where both have the same word, and Cohen's kappa over
#     all words. Accuracy of a rater before: their first word is the writer's; after: one of their words is.
# Conventions
#     Words are compared in NFC and without the difference of capital letters; a gap that needs nothing is the word ∅. A
#     system's word is a hidden column ``says:NAME``, or one that begins with ``system`` or ``word``; ``word`` itself is
#     the writer's, as it tells the span of a table's items.
# Source
#     Tetreault and Chodorow 2008, section 4 and table 2.


WRITER = "writer"
MOST_PAIRED = 20
"""Raters, at most, of whom all pairs are shown; of more, each with the writer and the systems."""


def cloze_findings(
    study: StudyColumns, judgments: Judgments, drawn: Resampling | None, confidence: float, accuracy: float | None
) -> Iterator[Finding]:
    """Pairs, and accuracy of each rater."""
    del judgments, accuracy
    table, others = _words(study)
    present = [table.raters[code] for code in np.unique(table.rater)]
    raters = [name for name in present if name not in others]
    pairs = [*combinations(others, 2), *product(others, raters)]
    pairs += combinations(raters, 2) if len(raters) <= MOST_PAIRED else ()
    for first, second in pairs:
        of = f"{first} and {second}"
        crossed = used_labels(table.only([first, second]))
        if len(crossed.labels) > MAX_LABELS:
            yield Finding("pairs", of, "kappa", Estimate(None, len(crossed), undefined=Undefined.TOO_FEW_UNITS))
            continue
        kappa = cohen_kappa(pair_table(crossed, first, second), resampling=drawn)
        if not kappa.estimate.n_units:
            continue
        n = kappa.estimate.n_units
        same = proportion_estimate(round((kappa.observed or 0) * n), n, confidence_level=confidence)
        yield Finding("pairs", of, "items", count(n), "count")
        yield Finding("pairs", of, "agreement", same, "percent")
        yield Finding("pairs", of, "kappa", kappa.estimate)
    yield from _accuracy(study, confidence)


def _words(study: StudyColumns) -> tuple[Judgments, list[str]]:
    """First words of raters, the writer and systems; and who of these is no rater."""
    rows = study.judged
    items = [study.items[at].name for at in study.item[rows].tolist()]
    raters = [study.raters[at].name for at in study.rater[rows].tolist()]
    words = [study.labels[at] for at in study.label[rows].tolist()]
    known = {rater.name for rater in study.raters}
    others = dict[str, str]()  # column to its name in the table, which is no rater's
    for at in study.work.tolist():
        item = study.items[at]
        column_words = {WRITER: written(study, at)}
        column_words |= {column: folded(word) or NOTHING for column, word in item.hidden.items() if _of_system(column)}
        for column, word in column_words.items():
            name = column.removeprefix(SAYS)
            others.setdefault(column, f"{name} (no rater)" if name in known else name)
            items.append(item.name)
            raters.append(others[column])
            words.append(word)
    return Judgments.from_columns(items, raters, words), [*others.values()]


def _of_system(column: str) -> bool:
    """Whether a hidden column is what a system wrote."""
    return column.startswith(SAYS) or (column.casefold().startswith(("system", "word")) and column != "word")


def written(study: StudyColumns, at: int) -> str:
    """The writer's word of an item."""
    whole = study.items[at].whole
    if whole is None or whole.span is None:
        return NOTHING
    return folded(whole.text[slice(*whole.span)]) or NOTHING


def _accuracy(study: StudyColumns, confidence: float) -> Iterator[Finding]:
    main = study.about.scheme.main
    scores: dict[str, list[tuple[bool, bool]]] = {}
    for row in study.judged.tolist():
        answer = study.answers[int(study.said[row])].get(main) or []
        words = [folded(each) for each in answer] if isinstance(answer, list) else [folded(str(answer))]
        wanted = written(study, int(study.item[row]))
        who = study.raters[int(study.rater[row])].name
        scores.setdefault(who, []).append((words[:1] == [wanted], wanted in words))
    everyone = [each for some in scores.values() for each in some]
    for who, each in {"all raters": everyone, **scores}.items():
        for name, at in (("before", 0), ("after", 1)):
            share = proportion_estimate(sum(x[at] for x in each), len(each), confidence_level=confidence)
            yield Finding("accuracy", who, name, share, "percent")


FINDINGS = {"choice": choice_findings, "cloze": cloze_findings}
"""The figures that only one kind of scheme has, by its name."""


# Studies whose raters say Error or OK: how far they agree item by item, and how many of them equal an expert.
#
# Formula Distribution: an item's majority share is the share of its most frequent label; bins are [50, 75), [75, 90)
# and [90, 100] %, with the share of items in each. How many raters equal an expert:
# ``errorbar.crowdsourcing.howmany``. Money: what a judgment pays, times the judgments of an item. Conventions Labels
# that mean an error, of whatever kind, are merged for the comparison with experts. Items that one rater judged are in
# no bin. Pay is a number that is given, or the one in the words of the study's rules; of several none is. Source
# Madnani, Tetreault, Chodorow and Rozovskaya 2011, sections 2 and 3; Snow et al. 2008.


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
            message = f"the truth has the label '{strange[0]}', which is not one of the scheme's"
            raise UsageError(Problem("howmany-truth", message, expected=", ".join(judgments.labels)))
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
    error_or_ok = ["error" if name in errors else "ok" for name in names]
    table = Judgments.from_columns(items, study.rater[kept].tolist(), error_or_ok, labels=("error", "ok"))
    gold = {each.name: "error" if each.gold in errors else "ok" for each in study.items if each.gold}
    return how_many(table, [gold], generator)


def paid(said: str) -> float | None:
    """The one number in what raters are told of their pay; None: there is none, or it cannot be told which."""
    numbers = _NUMBER.findall(said)
    if len(numbers) != 1:
        return None
    whole, sign, part = numbers[0].rpartition("," if numbers[0].rfind(",") > numbers[0].rfind(".") else ".")
    if sign and len(part) == 3 and whole.strip("0"):  # 1,000 and 1.000 are read in both ways
        return None
    plain = f"{whole.replace(',', '').replace('.', '')}.{part}" if sign else numbers[0]
    return float(plain)


def money(study: StudyColumns, pay: float | None, sizes: HowMany | None) -> Iterator[Finding]:
    """The cost of a judgment, an item and the whole study; nothing where no pay is known."""
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


# The preposition scheme: how agreement depends on what is asked, and on what stands around the preposition.
#
# Conventions Rows: all items; items around which no rater marked an error (of spelling, determiner or grammar), and
# the others; four categories merged to three (correct and equally good are ok) and to two (error, ok); items by batch,
# which a hidden column of that name tells; items that all raters judged with high confidence, and the others. Where it
# is not said, categories are three. Source Tetreault and Chodorow 2008, sections 3 and 5, table 3.


THREE = {"correct": "ok", "equal": "ok"}
TWO = {**THREE, "extraneous": "error", "incorrect": "error"}
LOW = "low"


def preposition_findings(
    study: StudyColumns, judgments: Judgments, batch: str, drawn: Resampling | None
) -> Iterator[Finding]:
    """Agreement of items of some kinds, by some categories."""
    three = merged(judgments, THREE)
    marks, unsure = marked(study), _with_answer(study, "confidence", LOW)
    parts = {
        "4 categories": judgments,
        "3 categories": three,
        "2 categories": merged(judgments, TWO),
        "no context error": of_items(three, ~marks),
        "context errors": of_items(three, marks),
        "all sure": of_items(three, ~unsure),
        "somebody unsure": of_items(three, unsure),
    }
    batches = [study.items[at].hidden.get(batch, "") for at in study.work.tolist()]
    for name in dict.fromkeys(filter(None, batches)):
        parts[f"{batch} {name}"] = of_items(three, np.array([each == name for each in batches], np.bool_))
    for of, part in parts.items():
        yield from agreement_findings("categories", of, part, drawn)


def marked(study: StudyColumns) -> NDArray[np.bool_]:
    """Items for work around which a rater marked an error; shape (items,)."""
    questions = [question.id for question in study.about.scheme.questions if kind_of_question(question).marks_errors]
    return _items(study, [any(answer.get(name) for name in questions) for answer in study.answers])


def _with_answer(study: StudyColumns, question: str, value: str) -> NDArray[np.bool_]:
    return _items(study, [answer.get(question) == value for answer in study.answers])


def _items(study: StudyColumns, answers: list[bool]) -> NDArray[np.bool_]:
    """Items for work that have one of the answers, of judgments that count."""
    rows = study.judged
    chosen = np.array([*answers, False], np.bool_)[study.said[rows]]
    has_answer = np.zeros(len(study.items), np.bool_)
    has_answer[study.item[rows[chosen]]] = True
    return np.asarray(has_answer[study.work], np.bool_)
