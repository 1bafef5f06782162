"""``errorbar score``: systems against annotators."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, cast

import click

from errorbar.cli.admission import admission_options
from errorbar.cli.hoo_routing import wants_hoo
from errorbar.cli.options import (
    INPUT,
    as_written_option,
    dask_option,
    format_option,
    lenient_option,
    note_record,
    resampling_options,
    show_notes,
)
from errorbar.cli.render import Cell, Table, interval_record, interval_text, percent, show, show_json
from errorbar.cli.score_files import score_files
from errorbar.cli.score_tables import (
    interval_title,
    no_interval_lines,
    row_labels,
    sentence_table,
    signature_lines,
    type_record,
    type_table,
)
from errorbar.core.errors import Problem, UsageError
from errorbar.core.estimate import Estimate, Undefined
from errorbar.formats.reference import UNMARKED, UNMARKED_HELP, Unmarked
from errorbar.metrics.base import Metric
from errorbar.metrics.choice import RUNNING, SENTENCE
from errorbar.metrics.m2 import M2
from errorbar.metrics.registry import DEFAULT, parse_metric
from errorbar.metrics.score import Score
from errorbar.studies.inputs import ReadingOptions

if TYPE_CHECKING:
    from errorbar.edits.admission import Admission
    from errorbar.stats.resampling import Method, Resampling

SCHEMA = "errorbar.score/1"
SHORT_HASH = 8
"""Digits of a hypothesis hash shown in tables, so that a row fits in 80 columns; JSON and CSV have all."""


@click.command("score")
@click.argument("systems", nargs=-1, type=INPUT, required=True, metavar="SYSTEM...")
@click.option(
    "--gold",
    type=INPUT,
    multiple=True,
    required=True,
    metavar="FILE",
    help="Reference (M2 or JSONL; HOO: the folder of edits); repeatable.",
)
@click.option("--metric", "specs", multiple=True, metavar="SPEC", help="E.g. 'm2(beta=1)'; repeatable. [default: m2]")
@click.option("--annotator", metavar="NAME", help="Score against this annotator alone.")
@click.option("--by-type", is_flag=True, help="Recall of each error type.")
@click.option(
    "--by-sentence",
    "--by-fragment",
    is_flag=True,
    help="Counts and chosen annotator of each sentence; HOO: scores of each fragment.",
)
@click.option(
    "--unmarked",
    type=click.Choice(UNMARKED),
    default="auto",
    show_default=True,
    help=UNMARKED_HELP,
)
@click.option("--documents", type=INPUT, metavar="FILE", help="NUCLE SGML that tells the essay of each sentence.")
@click.option("--source", type=INPUT, metavar="FOLDER", help="HOO: the source texts, if not in Raw beside Gold.")
@click.option("--types", type=INPUT, metavar="FILE", help="HOO: JSON that counts error types in other rows.")
@click.option("--best", is_flag=True, help="HOO: the best run of each team and measure.")
@click.option("--missing-as-empty", is_flag=True, help="HOO: a fragment that a run lacks counts as nothing proposed.")
@click.option("--ci", is_flag=True, help="Add confidence intervals to P, R and F.")
@resampling_options
@admission_options
@dask_option
@as_written_option
@lenient_option
@format_option
def command(
    systems: tuple[str, ...],
    gold: tuple[str, ...],
    specs: tuple[str, ...],
    annotator: str | None,
    by_type: bool,
    by_sentence: bool,
    unmarked: Unmarked,
    documents: str | None,
    source: str | None,
    types: str | None,
    best: bool,
    missing_as_empty: bool,
    ci: bool,
    ci_method: Method,
    resamples: int,
    confidence: float,
    seed: int,
    jobs: int,
    admission: Admission,
    dask: str | None,
    as_written: bool,
    lenient: bool,
    style: str,
) -> None:
    """Score systems against one or several annotators.

    A SYSTEM is a file with one corrected sentence per line, or name=file; '-' is standard input. Gzipped files
    are read as they are.

    \b
    errorbar score --gold official-2014.combined.m2 CAMB AMU CUUI
    errorbar score --gold A1.m2 --gold A2.m2 --metric 'm2(beta=1)' mine=output.txt
    errorbar score --metric hoo --gold Gold/ team=corrected_texts/
    """
    if by_type and by_sentence:
        raise UsageError(Problem("two-views", "--by-type and --by-sentence cannot be combined", fix="give one of them"))
    resampling = make_resampling(ci_method, resamples, confidence, seed, jobs) if ci else None
    if wants_hoo(gold, specs):
        unused = {"--annotator": annotator, "--documents": documents, "--unmarked": unmarked != "auto"}
        unused |= {"--as-written": as_written, "--force": admission.force, "--retokenize": admission.retokenize}
        _refuse(unused, "has no meaning for HOO data", "leave it out")
        from errorbar.cli.hoo import score_hoo

        score_hoo(
            systems,
            gold,
            specs,
            style=style,
            lenient=lenient,
            by_type=by_type,
            by_fragment=by_sentence,
            best=best,
            source=source,
            types=types,
            missing_as_empty=missing_as_empty,
            resampling=resampling,
            jobs=jobs,
            dask=dask,
        )
        return
    hoo_options = {"--source": source, "--types": types, "--best": best, "--missing-as-empty": missing_as_empty}
    _refuse(hoo_options, "is for HOO data", "leave it out, or score a HOO folder")
    metrics = [parse_metric(spec) for spec in specs or (DEFAULT,)]
    if annotator is not None:
        metrics = [_against(metric, annotator) for metric in metrics]
    scores, notes = score_files(
        gold,
        systems,
        metrics,
        ReadingOptions(unmarked, documents, lenient, as_written, admission),
        by_type=by_type,
        by_sentence=by_sentence,
        resampling=resampling,
        jobs=jobs,
        dask=dask,
    )
    show_scores(scores, notes, style, by_type=by_type, by_sentence=by_sentence)


def show_scores(
    scores: Sequence[Score],
    notes: list[Problem],
    style: str,
    *,
    by_type: bool = False,
    by_sentence: bool = False,
) -> None:
    """Print scores on stdout and notes on stderr."""
    if style == "json":
        document = {
            "schema": SCHEMA,
            "rows": [_record(score, by_type=by_type, by_sentence=by_sentence) for score in scores],
            "warnings": [note_record(note) for note in notes],
        }
        show_json(document)
        return
    show_notes(notes)
    asked = any(score.f.interval or score.f.no_interval for score in scores)
    if by_sentence:
        show(sentence_table(scores, asked=asked), style)
    elif by_type:
        show(type_table(scores, style), style)
    elif style == "csv":
        show(_data_table(scores), style)
    elif asked:
        show(_interval_table(scores), style)
    else:
        show(_score_table(scores), style)


def _refuse(options: Mapping[str, object], why: str, fix: str) -> None:
    for name, value in options.items():
        if value:
            raise UsageError(Problem("useless-option", f"{name} {why}", fix=fix))


def make_resampling(method: Method, resamples: int, confidence: float, seed: int, jobs: int) -> Resampling:
    """How intervals are made, from the options."""
    from errorbar.stats.resampling import Resampling

    return Resampling(method, resamples, confidence, seed, jobs)


def _against(metric: Metric, annotator: str) -> Metric:
    if not isinstance(metric, M2) or metric.choose != RUNNING:
        what = f"--annotator {annotator} and the metric {metric.spec} both say who is scored against"
        raise UsageError(Problem("two-choices", what, fix="give one of them"))
    if annotator in (RUNNING, SENTENCE):
        what = f"'{annotator}' is the name of a rule for choosing annotators"
        raise UsageError(Problem("reserved-name", what, fix="rename the annotator: --gold name=path"))
    return replace(metric, choose=annotator)


def _record(score: Score, *, by_type: bool, by_sentence: bool) -> dict[str, object]:
    record: dict[str, object] = {
        "system": score.system,
        "metric": score.metric,
        "precision": score.precision.value,
        "recall": score.recall.value,
        "f": score.f.value,
        "beta": score.beta,
        "correct": score.counts.correct,
        "proposed": score.counts.proposed,
        "gold": score.counts.gold,
        "n_sentences": score.n_sentences,
        "n_annotators": len(score.annotators),
        "undefined": {
            name: str(estimate.undefined)
            for name, estimate in (("precision", score.precision), ("recall", score.recall), ("f", score.f))
            if estimate.undefined is not None
        },
        "signature": str(score.type_signature if by_type else score.signature),
    }
    estimates = (("precision", score.precision), ("recall", score.recall), ("f", score.f))
    asked = any(estimate.interval or estimate.no_interval for _, estimate in estimates)
    if asked:
        record["intervals"] = {name: interval_record(estimate) for name, estimate in estimates}
    if by_type:
        record["by_type"] = [type_record(row) for row in score.by_type]
    if by_sentence:
        why = {"no_interval": str(Undefined.ONE_UNIT)} if asked else {}
        record["by_sentence"] = [
            {"sentence": row.sentence, "annotator": row.annotator, **row.counts._asdict(), **why}
            for row in score.by_sentence
        ]
    return record


def _data_table(scores: Sequence[Score]) -> Table:
    """The columns of the JSON rows, at full precision: CSV is read by programs."""
    records = [_record(score, by_type=False, by_sentence=False) for score in scores]
    for record in records:
        ends = cast("dict[str, dict[str, float]]", record.pop("intervals", {}))
        record |= {f"{name}_{end}": values.get(end) for name, values in ends.items() for end in ("low", "high")}
    columns = [name for name in records[0] if name != "undefined"]
    return Table(columns, [[cast("Cell", record[name]) for name in columns] for record in records])


def _interval_table(scores: Sequence[Score]) -> Table:
    names, labels = row_labels(scores)
    plain = _score_table(scores)
    estimates = [each for score in scores for each in (score.precision, score.recall, score.f)]
    rows = []
    for label, score in zip(labels, scores, strict=True):
        cells = [
            cell
            for estimate in (score.precision, score.recall, score.f)
            for cell in (_value(estimate), interval_text(estimate))
        ]
        rows.append([*label, *cells, score.n_sentences])
    ci = interval_title(estimates)
    columns = [*names, "P", ci, "R", ci, plain.columns[len(names) + 2], ci, "sentences"]
    footer = [*no_interval_lines(estimates), *plain.footer]
    return Table(columns, rows, len(names), footer)


def _score_table(scores: Sequence[Score]) -> Table:
    names, labels = row_labels(scores)
    betas = {score.beta for score in scores}
    f_name = f"F{betas.pop():g}" if len(betas) == 1 else "F"
    rows: list[list[Cell]] = []
    for label, score in zip(labels, scores, strict=True):
        values = [_value(estimate) for estimate in (score.precision, score.recall, score.f)]
        rows.append([*label, *values, *score.counts, score.n_sentences, score.signature.hypothesis[:SHORT_HASH]])
    columns = [*names, "P", "R", f_name, "correct", "proposed", "gold", "sentences", "hyp"]
    footer = []
    reasons = dict.fromkeys(
        str(e.undefined) for score in scores for e in (score.precision, score.recall) if e.undefined is not None
    )
    if reasons:
        footer.append(f"* by convention: {', '.join(reasons)}")
    footer += signature_lines(score.signature for score in scores)
    return Table(columns, rows, len(names), footer)


def _value(estimate: Estimate) -> str:
    by_convention = estimate.undefined is not None and bool(estimate.value)
    return percent(estimate.value) + ("*" if by_convention else "")
