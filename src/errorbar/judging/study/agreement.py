"""How far the raters of a study agree with each other and with its gold, and how systems do against them.

Formula
    Those of ``errorbar.agreement`` and ``errorbar.metrics.crowd_weighted``.
Conventions
    Agreement is of judgments that count, of items for work; Unknown is a judgment not given. Intervals resample items
    with all their judgments. Kappa between raters is Cohen's of two raters, Fleiss' of more. Against gold every answer
    to a hidden gold item is one: what the rater said, and the class of the item; a right answer is one of the class.
    Its interval resamples raters with all their gold answers. A system's flags are a hidden column of the items that is
    called ``flag``, ``flagged`` or ``flag:NAME`` (or with another sign than the colon) and says yes or no of every item
    for work; or they are passed. Labels that mean an error are called Error, Extraneous or Incorrect.
Source
    The papers that ``errorbar.agreement`` and ``errorbar.metrics.crowd_weighted`` name.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from errorbar.agreement.coefficients import estimates, kernel_of
from errorbar.agreement.cohen import cohen_kappa
from errorbar.agreement.krippendorff import alpha_kernel
from errorbar.agreement.label_counts import MAX_LABELS, item_counts, pair_table
from errorbar.api.crowd import Against, Systems, read_systems
from errorbar.api.judgment_input import JudgmentOptions, ReadJudgments
from errorbar.core.estimate import Estimate, Undefined
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Place, Problems
from errorbar.formats.judgments import NO, SET, YES
from errorbar.judging.study.columns import StudyColumns
from errorbar.metrics.crowd_weighted import Crowd, CrowdScore, score_kinds
from errorbar.stats.resampling import Resampling

_FLAGS = re.compile(r"(?i)flag(s|ged)?|flag[\W_]+(?P<name>.+)")
ERRORS = ("error", "extraneous", "incorrect")
"""The labels that mean an error."""
DRAWN = ("stratum", "weight", "probability")
"""Hidden columns that tell that items were drawn from strata; ``set`` does too, where ``sample draw`` named it."""


@dataclass(frozen=True, slots=True)
class StudyAgreement:
    """How far raters agree.

    Attributes:
        observed: The share of pairs of judgments of an item that agree.
        alpha: Krippendorff's alpha, nominal.
        kappa: Cohen's kappa of two raters, Fleiss' of more.
        gold: Cohen's kappa of the raters with the gold.
        n_items: Items with a judgment.
        n_paired: Items with two or more.
        n_raters: Raters with a judgment.
        n_judgments: Judgments.
    """

    observed: Estimate
    alpha: Estimate
    kappa: Estimate
    gold: Estimate
    n_items: int
    n_paired: int
    n_raters: int
    n_judgments: int


def study_agreement(study: StudyColumns, intervals: Resampling | None) -> StudyAgreement:
    """Agreement as it stands."""
    return agreement_of(study.judgments(study.judged), gold_kappa(study, intervals), intervals)


def agreement_of(judgments: Judgments, gold: Estimate, intervals: Resampling | None) -> StudyAgreement:
    """Agreement of some judgments; ``gold`` is their kappa with the gold."""
    if not len(judgments):
        none = Estimate(None, 0, undefined=Undefined.NO_UNITS)
        return StudyAgreement(none, none, none, gold, 0, 0, 0, 0)
    raters = np.unique(judgments.rater)
    table, two = item_counts(judgments), len(raters) == 2 and len(judgments.labels) <= MAX_LABELS
    kernels = {"observed": kernel_of("observed", table), "alpha": alpha_kernel(table, "nominal")}
    kernels["kappa"] = kernel_of("fleiss", table)
    results = estimates(table.units, kernels, table.n_paired, table.reason, intervals, len(table.labels))
    kappa = results["kappa"][0]
    if two:
        first, second = (judgments.raters[code] for code in raters)
        kappa = cohen_kappa(pair_table(judgments, first, second), resampling=intervals).estimate
    n_items = int(table.units.frequency.sum())
    sizes = n_items, table.n_paired, len(raters), len(judgments)
    return StudyAgreement(results["observed"][0], results["alpha"][0], kappa, gold, *sizes)


def gold_kappa(study: StudyColumns, intervals: Resampling | None) -> Estimate:
    """Kappa of the raters with the gold."""
    right = study.right
    rows = study.tested[right >= 0]
    truth = [study.items[item].gold for item in study.item[rows].tolist()]
    labels = [study.labels[label] for label in study.label[rows].tolist()]
    answers = [true if ok else label for true, ok, label in zip(truth, right[right >= 0].tolist(), labels, strict=True)]
    numbers = list(range(len(rows)))
    known = tuple(name for name in study.labels if name not in study.about.scheme.abstaining())
    table = Judgments.from_columns(
        [*numbers, *numbers], ["raters"] * len(rows) + ["gold"] * len(rows), [*answers, *truth], labels=known
    )
    if len(table.labels) > MAX_LABELS or not len(rows):
        why = Undefined.NO_UNITS if len(rows) else Undefined.NO_GOLD
        return Estimate(None, len(rows), undefined=why)
    return cohen_kappa(pair_table(table, "raters", "gold", study.rater[rows]), resampling=intervals).estimate


def error_labels(study: StudyColumns) -> list[int]:
    """Codes of the labels that mean an error; none in a scheme that has no such labels."""
    kept = [label for label in study.labels if label not in study.about.scheme.abstaining()]
    return [code for code, label in enumerate(kept) if label.casefold() in ERRORS]


def hidden_flags(study: StudyColumns, problems: Problems) -> dict[str, NDArray[np.bool_]]:
    """The flags of systems among the hidden columns, for the items for work; a note says which will not do."""
    hidden, flags = _hidden(study), {}
    for name in dict.fromkeys(name for row in hidden for name in row):
        called = _FLAGS.fullmatch(name)
        if called is None:
            continue
        lacking = [at for at, row in enumerate(hidden) if row.get(name, "?").strip().casefold() not in YES | NO]
        if lacking:
            first = study.items[study.work[lacking[0]]].name
            message = f"the column '{name}' says neither yes nor no of {len(lacking):,} of {len(hidden):,} items"
            problems.note("judge-flags", f"{message}, first '{first}'; its system has no score", Place(), "--system")
            continue
        flags[called["name"] or name] = np.array([row[name].strip().casefold() in YES for row in hidden], np.bool_)
    return flags


def _hidden(study: StudyColumns) -> list[Mapping[str, str]]:
    """The hidden columns of the items for work."""
    return [study.items[at].hidden for at in study.work.tolist()]


def system_scores(
    study: StudyColumns, systems: Systems | None, intervals: Resampling | None, problems: Problems
) -> list[tuple[str, CrowdScore]]:
    """Every system against the raters by both estimands; none where labels are of another kind, or nothing is judged.

    Args:
        study: The study.
        systems: Their flags; None: those of the hidden columns.
        intervals: How intervals are made.
        problems: Where notes go.
    """
    codes = error_labels(study)
    flags = hidden_flags(study, problems) if systems is None else systems
    judgments = study.judgments(study.judged)
    if not codes or not flags or not len(judgments):
        return []
    judged = ReadJudgments(judgments, options=JudgmentOptions())
    names = [judged.judgments.labels[code] for code in codes]
    against = Against.of(judged, Crowd(), names, 0)
    if any({*DRAWN} & row.keys() or SET.fullmatch(row.get("set", "")) for row in _hidden(study)):
        message = "the items were drawn from strata, in which flagged items have another share than in the corpus"
        problems.note("crowd-drawn", message, Place(), fix="scores of the corpus: errorbar sample estimate")
    return [
        (name, score_kinds(metric, table, resampling=intervals))
        for name, of_items in read_systems(flags, judged, problems).items()
        for metric, table in against.counted(of_items).items()
    ]
