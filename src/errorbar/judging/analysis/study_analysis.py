"""The analysis of a study: ``errorbar judge analyze`` and ``errorbar.judge_analyze``.

An adjudication: how far raters agree before, and with what was decided after.

Formula
    Agreement, kappa and alpha are those of ``errorbar.agreement``, of labels: before, of the raters with each other;
    after, of each rater with the adjudicated answer. Upheld: the share of the items that were decided on which a
    rater's answer was accepted, with Wilson's interval.
Conventions
    Items on which no two raters differ count before and after, with what raters said. Before, all items count, after,
    those that have an adjudicated answer. Where several adjudicators decided an item the first answer counts.
Source
    The papers that ``errorbar.agreement`` and ``errorbar.stats.proportion`` name.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from os import PathLike
from typing import Annotated, Unpack

import numpy as np

from errorbar.agreement.coefficients import MAX_LABELS, PairTable, pair_table
from errorbar.agreement.krippendorff import LabelConfusion, confusion
from errorbar.api.arguments import Bounds, NotNegative, Working, public, resampling
from errorbar.api.crowd import Systems
from errorbar.api.crowd_answers import AnswerSource, CrowdSizes
from errorbar.api.signatures import crowd_signature
from errorbar.core.corpus import ContentHash
from errorbar.core.estimate import Estimate
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Place, Problem, Problems, UsageError
from errorbar.crowdsourcing.howmany import HowMany
from errorbar.formats.judgments import read_answers
from errorbar.judging.analysis.findings import (
    Finding,
    agreement_findings,
    count_figure,
    label_shares,
    merge_labels,
    section_tables,
)
from errorbar.judging.analysis.kind_findings import (
    KIND_FINDINGS,
    THREE,
    compare_with_experts,
    cost_findings,
    majority_findings,
    position_findings,
    preposition_findings,
    read_pay,
)
from errorbar.judging.answers import label_of
from errorbar.judging.protocol.exclusions import leaving_note
from errorbar.judging.question_kinds import kind_of_question
from errorbar.judging.scheme import JudgedItem, turn_sides
from errorbar.judging.scheme_kinds import kind_of
from errorbar.judging.study.adjudication import ADJUDICATED, AGREED, Origin, Provenance, answer_provenance
from errorbar.judging.study.columns import StudyColumns, read_study
from errorbar.judging.study.figures import error_labels, gold_kappa, rater_figures, system_scores
from errorbar.judging.study.folder import Study
from errorbar.metrics.crowd_weighted import CrowdScore
from errorbar.stats.proportion import proportion_estimate
from errorbar.stats.resampling import Resampling
from errorbar.tables.plain import estimate_record
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table


@dataclass(frozen=True, slots=True)
class _Decision:
    """The decision on an item."""

    item: JudgedItem
    label: str
    provenance: Provenance
    upheld: tuple[str, ...]

    @property
    def raters(self) -> set[str]:
        """Who judged it before."""
        return {rater for choice in self.item.choices for rater in choice.raters}


def adjudication_findings(study: StudyColumns, intervals: Resampling | None, level: float) -> Iterator[Finding]:
    """Agreement before and after, what became of the items, and how often each rater was upheld.

    Args:
        study: An adjudication, read whole.
        intervals: How intervals of agreement are made.
        level: Of Wilson's intervals, as a fraction.
    """
    origin, decisions = Origin.from_json(study.about.adjudicated), list(_decisions(study))
    items = [item.whole for item in study.items if item.whole is not None and item.whole.choices]
    before = [
        (item.name, rater, label_of(study.about.scheme, False, choice.answer))
        for item in items
        for choice in item.choices
        for rater in choice.raters
    ]
    yield from agreement_findings("adjudication", "raters, before", _judgments(study, before), intervals)
    decided = [(decision.item.name, ADJUDICATED, decision.label) for decision in decisions]
    names = {name for name, _, _ in decided}
    for rater in origin.raters:
        own = [row for row in before if row[1] == rater and row[0] in names]
        yield from agreement_findings("adjudication", f"{rater}, after", _judgments(study, own + decided), intervals)
    counts = {"agreed": 0, "accepted": 0, "written": 0}
    for decision in decisions:
        counts[decision.provenance] += 1
    for name, count in (counts | {"not yet": len(items) - len(names)}).items():
        yield Finding("decisions", name, "items", count_figure(count), "count")
    contested = [decision for decision in decisions if decision.provenance != "agreed"]
    for rater in origin.raters:
        own_decisions = [decision for decision in contested if rater in decision.raters]
        n_upheld, n = sum(rater in decision.upheld for decision in own_decisions), len(own_decisions)
        yield Finding("upheld", rater, "items", count_figure(n), "count")
        upheld = proportion_estimate(n_upheld, n, confidence_level=level)
        yield Finding("upheld", rater, "upheld", upheld, "percent")


def _decisions(study: StudyColumns) -> Iterator[_Decision]:
    """The items that have an adjudicated answer."""
    scheme = study.about.scheme
    first = {int(study.item[row]): row for row in reversed(study.judged.tolist())}
    for number, facts in enumerate(study.items):
        item = facts.whole
        if item is None or not item.choices:
            continue
        if number in first:
            row = first[number]
            answer = study.answers[study.answer_number[row]]
            answer = turn_sides(scheme, answer) if study.reversed[row] else answer
            provenance, raters = answer_provenance(scheme, item, answer)
        elif study.stopped[number] == AGREED:
            answer, raters, provenance = item.choices[0].answer, item.choices[0].raters, "agreed"
        else:
            continue
        yield _Decision(item, label_of(scheme, False, answer), provenance, raters)


def _judgments(study: StudyColumns, rows: list[tuple[str, str, str]]) -> Judgments:
    """Labels as a table; those that say that one cannot tell are not given."""
    abstaining = study.about.scheme.abstaining()
    kept = [row for row in rows if row[2] and row[2] not in abstaining]
    known = tuple(label for label in study.labels if label not in abstaining)
    items, raters, labels = zip(*kept, strict=True) if kept else ((), (), ())
    return Judgments.from_columns(items, raters, labels, labels=known)


TITLES = {
    "agreement": "Agreement",
    "adjudication": "Agreement before and after",
    "decisions": "What became of the items",
    "upheld": "Raters whose answer was accepted",
    "labels": "Shares of labels",
    "distribution": "How large majorities are",
    "seconds": "Seconds of an answer",
    "preferences": "Which is better",
    "accuracy": "Before and after what is as good counts",
    "consistency": "Sides and repeats",
    "edits": "Edits",
    "proposals": "Items with a system's edits, and without",
    "pairs": "Writer, raters and systems",
    "ranking": "How the systems rank",
    "adaptive": "Which order is known, at any look",
    "categories": "Agreement by categories and items",
    "money": "What it cost",
    "systems": "Systems against the raters",
}
QUARTILES = {"first quarter": 0.25, "median": 0.5, "third quarter": 0.75}


@dataclass(frozen=True, slots=True, repr=False)
class StudyAnalysis(Result):
    """The findings of a study's judgments.

    Attributes:
        scheme: Name of its scheme.
        findings: Figures, in sections.
        confusion: Which labels meet: counts by raters of an item, or of two raters by one and the other; None: too
            many labels, or a ranking.
        raters: The two raters of the confusion; none: it is of more.
        sizes: How good the majority of k raters is; None: nobody to compare them with.
        signature: What was computed on which data how.
        seed: Of the random draws.
        notes: Warnings.
    """

    scheme: str
    findings: Sequence[Finding]
    confusion: LabelConfusion | PairTable | None
    raters: tuple[str, ...]
    sizes: HowMany | None
    signature: str
    seed: int = 0
    notes: Sequence[Problem] = ()

    def figure(self, section: str, of: str, measure: str) -> Estimate:
        """One figure.

        Raises:
            UsageError: If there is no such figure.
        """
        for finding in self.findings:
            if (finding.section, finding.of, finding.measure) == (section, of, measure):
                return finding.estimate
        raise UsageError(Problem("no-figure", f"there is no figure '{measure}' of '{of}' in '{section}'"))

    def to_dict(self) -> dict[str, object]:
        """Figures by section, the confusion and the curve."""
        crossed = self.confusion
        return {
            "scheme": self.scheme,
            "findings": [
                {
                    "section": finding.section,
                    "of": finding.of,
                    "measure": finding.measure,
                    "value": estimate_record(finding.estimate),
                }
                for finding in self.findings
            ],
            "confusion": crossed
            and {"raters": list(self.raters), "labels": list(crossed.labels), "counts": crossed.counts.tolist()},
            "howmany": None if self.sizes is None else CrowdSizes(self.sizes, self.seed, ()).to_dict(),
            "signature": self.signature,
        }

    def tables(self) -> Sequence[Table]:
        """A table for each section, the ``confusion``, and ``howmany``."""
        tables = section_tables(self.findings, TITLES)
        tables += [] if self.confusion is None else [self._crossed(self.confusion)]
        tables += [] if self.sizes is None else CrowdSizes(self.sizes, self.seed, ()).tables()
        last = tables[-1]
        noted = Table(last.columns, last.rows, last.title, last.name, [*last.notes, f"signature {self.signature}"])
        return [*tables[:-1], noted]

    def _crossed(self, crossed: LabelConfusion | PairTable) -> Table:
        columns = [Column("", key="label"), *(Column(label, "count", label) for label in crossed.labels)]
        rows: list[list[Cell]] = [
            [label, *(int(cell) if cell == int(cell) else cell for cell in row)]
            for label, row in zip(crossed.labels, crossed.counts.tolist(), strict=True)
        ]
        note = "ordered pairs of judgments of one item; with more than two raters each item weighs as its judgments"
        if self.raters:
            note = f"rows: {self.raters[0]}, columns: {self.raters[1]}"
        return Table(columns, rows, "Which labels meet", "confusion", [note])


@public()
def judge_analyze(
    study: str | PathLike[str] | Study,
    *,
    experts: str | Sequence[str] = (),
    truth: AnswerSource | None = None,
    systems: Systems | None = None,
    accuracy: Annotated[float, Bounds(0, 1)] | None = None,
    pay: NotNegative | None = None,
    batch: str = "batch",
    **shared: Unpack[Working],
) -> StudyAnalysis:
    """Compute from a study what the papers computed from such studies, with intervals.

    Args:
        study: Its folder.
        experts: A rater who is an expert, with whom the others are compared; of Error and OK. Several can be given.
        truth: Or the answers of an expert: a table ``item,label``, or item to label. None: the gold items.
        systems: Flags of systems, as of ``crowd``. None: hidden columns of the items, ``flag`` or ``flag:NAME``.
        accuracy: Of a choice test, the share of all instances on which the two writers agree, so that nobody was asked.
        pay: What a judgment costs. None: the number that the study's rules say, if there is one.
        batch: The hidden column that names the batch of an item.
        shared: How intervals are made.

    Raises:
        InputError: If there is no study, or it or a file cannot be read.
        UsageError: If an argument will not do, or nothing was judged.
    """
    if experts and truth is not None:
        raise UsageError(Problem("howmany-truth", "experts and truth are both given", expected="one of them"))
    problems = Problems()
    known = None if truth is None else dict(truth) if isinstance(truth, Mapping) else read_answers(truth, problems)
    with Study.open(study).snapshot() as tx:
        columns = read_study(tx, whole=True)
    intervals = None if shared["ci"] is False else resampling(shared, jobs=shared["jobs"])
    names = [name for name in experts.split(",") if name] if isinstance(experts, str) else list(experts)
    asked = AnalysisOptions(names, known, systems, accuracy, pay, batch, shared["seed"])
    return analysis_of(columns, asked, intervals, problems)


@dataclass(frozen=True, slots=True)
class AnalysisOptions:
    """The arguments of an analysis besides the study; see ``judge_analyze``."""

    experts: Sequence[str] = ()
    truth: dict[str, str] | None = None
    systems: Systems | None = None
    accuracy: float | None = None
    pay: float | None = None
    batch: str = "batch"
    seed: int = 0


def analysis_of(
    study: StudyColumns,
    asked: AnalysisOptions = AnalysisOptions(),
    intervals: Resampling | None = None,
    problems: Problems | None = None,
) -> StudyAnalysis:
    """The analysis of a study that was read whole.

    Raises:
        UsageError: If nothing was judged.
    """
    if not len(study.judged):
        message = "nobody judged anything in this study yet"
        raise UsageError(Problem("judge-nothing", message, fix="errorbar judge status tells how it stands"))
    all_problems = Problems() if problems is None else problems
    raters = [(rater.status, rater.forgotten) for rater in study.raters]
    all_problems.take(leaving_note(raters, removed=study.about.rules.withdrawal == "remove"))
    judgments = study.judgments(study.judged)
    level = 0.95 if intervals is None else intervals.confidence_level
    if study.about.adjudicated:
        return _analyze_adjudication(study, judgments, asked, intervals, level)
    errors, sizes, flags = error_labels(study), None, ContentHash()
    _refuse_useless(study, asked, asks_about_errors=bool(errors))
    if errors:
        sizes = _sizes(study, judgments, asked, all_problems)
    findings = [
        *_common(study, judgments, intervals, level),
        *_special(study, judgments, asked, intervals, level),
        *_systems(system_scores(study, asked.systems, intervals, all_problems, complete=True, content=flags)),
        *cost_findings(study, asked.pay, sizes),
    ]
    shown = merge_labels(judgments, THREE) if study.about.scheme.name == "preposition" else judgments
    names = tuple(judgments.raters[code] for code in np.unique(judgments.rater))
    crossed: LabelConfusion | PairTable | None = None
    ranks = kind_of(study.about.scheme).ranks  # first and second are other systems in every item
    if len(shown.labels) <= MAX_LABELS and len(shown) and not ranks:
        crossed = pair_table(shown, *names) if len(names) == 2 else confusion(shown)
    conventions = _conventions(study, asked, intervals)
    if asked.systems is not None:
        conventions.append(f"systems:{flags.short()}")
    name = f"judge-analyze(scheme={study.about.scheme.name}/{study.about.scheme.version})"
    signature = crowd_signature(name, judgments, None, conventions)
    pair = names if len(names) == 2 else ()
    return StudyAnalysis(
        study.about.scheme.name, findings, crossed, pair, sizes, signature, asked.seed, tuple(all_problems.notes)
    )


def _conventions(study: StudyColumns, asked: AnalysisOptions, intervals: Resampling | None) -> list[str]:
    """The parts of a signature besides the judgments: what else of the study the figures rest on, and the arguments."""
    content, truth = ContentHash(), ContentHash()
    for item in study.items:
        content.add([json.dumps([item.name, item.gold, item.names, dict(item.hidden)], sort_keys=True)])
    content.add(json.dumps([rater.name, rater.status]) for rater in study.raters)
    content.add(json.dumps(answer, sort_keys=True) for answer in study.answers)
    rows = (study.item, study.rater, study.round, study.state, study.reversed, study.answer_number, study.milliseconds)
    content.add(json.dumps(column.astype(int).tolist()) for column in rows)
    content.add([] if study.probability is None else [json.dumps(study.probability.tolist())])
    truth.add(json.dumps(pair) for pair in sorted((asked.truth or {}).items()))
    experts = ContentHash()
    experts.add([json.dumps(list(asked.experts))])
    pay = read_pay(study.about.rules.pay) if asked.pay is None else asked.pay
    return [
        f"study:{content.short()}",
        *([f"experts:{experts.short()}"] if asked.experts else []),
        *([] if asked.truth is None else [f"truth:{truth.short()}"]),
        *([] if asked.accuracy is None else [f"accuracy:{asked.accuracy}"]),
        *([] if pay is None else [f"pay:{pay}"]),
        *([f"batch:{json.dumps(asked.batch)}"] if asked.batch != AnalysisOptions().batch else []),
        *([f"seed:{asked.seed}"] if intervals is None or intervals.method == "closed" else []),
        *([] if intervals is None else [intervals.convention("item")]),
    ]


def _refuse_useless(study: StudyColumns, asked: AnalysisOptions, *, asks_about_errors: bool) -> None:
    """Refuse arguments that would change nothing, as the scheme asks another question."""
    scheme = study.about.scheme
    compared = asked.experts or asked.truth is not None or asked.systems is not None
    has_accuracy = asked.accuracy is not None
    for is_useless, meant, fix in (
        (
            compared and not asks_about_errors,
            "experts, truth and systems are for schemes that ask about errors",
            "them",
        ),
        (has_accuracy and not kind_of(scheme).compares, "accuracy is for choice tests", "it"),
    ):
        if is_useless:
            message = f"{meant}, and the scheme is {scheme.name}"
            raise UsageError(Problem("useless-option", message, fix=f"leave {fix} out"))


def _analyze_adjudication(
    study: StudyColumns, judgments: Judgments, asked: AnalysisOptions, intervals: Resampling | None, level: float
) -> StudyAnalysis:
    """The analysis of decisions alone; raters' answers are for the analysis of the study that is adjudicated."""
    if asked.experts or asked.truth is not None or asked.systems is not None or asked.accuracy is not None:
        message = "experts, truth, systems and accuracy are for the raters' judgments, and this is an adjudication"
        raise UsageError(Problem("useless-option", message, fix="analyze the study that is adjudicated"))
    scheme, origin = study.about.scheme, Origin.from_json(study.about.adjudicated)
    name = f"judge-analyze(scheme={scheme.name}/{scheme.version},adjudicated={origin.digest[:12]})"
    signature = crowd_signature(name, judgments, None, _conventions(study, asked, intervals))
    findings = [*adjudication_findings(study, intervals, level), *_time_findings(study)]
    return StudyAnalysis(scheme.name, findings, None, (), None, signature, asked.seed)


def _common(study: StudyColumns, judgments: Judgments, intervals: Resampling | None, level: float) -> Iterator[Finding]:
    """The sections of every scheme: agreement, labels, distribution of agreement, time."""
    gold = gold_kappa(study, intervals) if any(item.gold for item in study.items) else None
    yield from agreement_findings("agreement", "all judgments", judgments, intervals, gold)
    if study.about.scheme.labels():
        for label, share in label_shares(judgments, intervals).items():
            yield Finding("labels", label, "share", share, "percent")
    yield from majority_findings(judgments, level)
    yield from _time_findings(study)


def _time_findings(study: StudyColumns) -> Iterator[Finding]:
    times = study.milliseconds[study.judged]
    known = times[times > 0] / 1000
    for name, at in QUARTILES.items():
        if len(known):
            yield Finding("seconds", name, "seconds", Estimate(float(np.quantile(known, at)), len(known)))


def _special(
    study: StudyColumns, judgments: Judgments, asked: AnalysisOptions, intervals: Resampling | None, level: float
) -> Iterator[Finding]:
    """The figures that the papers computed of such a scheme."""
    scheme = study.about.scheme
    if kind_findings := KIND_FINDINGS.get(scheme.shows):
        yield from kind_findings(study, judgments, intervals, level, asked.accuracy)
    if any(kind_of_question(question).marks_errors for question in scheme.questions) and scheme.labels():
        yield from preposition_findings(study, judgments, asked.batch, intervals)
    yield from position_findings(rater_figures(study, level), level)


def _systems(scores: Sequence[tuple[str, CrowdScore]]) -> Iterator[Finding]:
    for name, score in scores:
        of = f"{name}, {score.estimand}"
        yield Finding("systems", of, "items", count_figure(score.n_items), "count")
        for measure, value in (("P", score.precision), ("R", score.recall), (f"F{score.beta:g}", score.f)):
            yield Finding("systems", of, measure, value, "percent")


def _sizes(study: StudyColumns, judgments: Judgments, asked: AnalysisOptions, problems: Problems) -> HowMany | None:
    """How many raters equal an expert; where nobody asked and it cannot be told, a note says why."""
    try:
        return compare_with_experts(study, judgments, asked.experts, asked.truth, asked.seed)
    except UsageError as error:
        if asked.experts or asked.truth is not None:
            raise
        for problem in error.problems:
            problems.note(problem.code, problem.what, Place())
        return None
