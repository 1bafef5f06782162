"""``errorbar ceiling``: what humans score, and how near systems come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
import numpy as np

from errorbar.cli.admission import admission_options
from errorbar.cli.corpora import CorpusInput, corpus_options, load
from errorbar.cli.options import (
    INPUT,
    format_option,
    jobs_option,
    lenient_option,
    note_record,
    seed_option,
    show_notes,
)
from errorbar.cli.progress import progress_bar
from errorbar.cli.render import Cell, Table, percent, show, show_json
from errorbar.core.estimate import Interval, Undefined
from errorbar.metrics.registry import DEFAULT, parse_metric

if TYPE_CHECKING:
    from errorbar.ceilings import Ceiling, Study
    from errorbar.ceilings.spread import CeilingIntervals, EssaySpread
    from errorbar.edits.admission import Admission

SCHEMA = "errorbar.ceiling/1"
NO_RATIO = "the human score is 0"


@click.command("ceiling")
@click.argument("systems", nargs=-1, type=INPUT, metavar="[SYSTEM...]")
@corpus_options
@admission_options
@click.option("--metric", "spec", default=DEFAULT, metavar="SPEC", show_default=True, help="What is computed.")
@click.option("--sizes", metavar="A-B", help="Numbers of references, e.g. 1-9 or 2. [default: all]")
@click.option(
    "--most",
    type=click.IntRange(1),
    default=1000,
    show_default=True,
    help="Subsets of one size that are enumerated; of more, as many are drawn.",
)
@click.option("--by-type", is_flag=True, help="Recall of each error type at the largest size.")
@click.option("--ci", type=click.IntRange(2), metavar="RESAMPLES", help="95% intervals from so many resamples.")
@click.option("--essays", type=click.IntRange(1), metavar="N", help="Repeat on random subsets of N essays.")
@click.option("--repeats", type=click.IntRange(2), default=100, show_default=True, help="How many such subsets.")
@seed_option
@jobs_option
@lenient_option
@format_option
def command(
    systems: tuple[str, ...],
    corpus: CorpusInput,
    admission: Admission,
    spec: str,
    sizes: str | None,
    most: int,
    by_type: bool,
    ci: int | None,
    essays: int | None,
    repeats: int,
    seed: int,
    jobs: int,
    lenient: bool,
    style: str,
) -> None:
    """Score annotators against each other, and systems beside them, by number of references.

    Each annotator's own text is scored against every subset of the others; a system against every subset of as
    many. The ratio says how much of what a human scores the system reaches.

    \b
    errorbar ceiling --gold 'A*.m2' --lenient CAMB AMU
    errorbar ceiling --gold 'A*.m2' --lenient --essays 10 --documents essays.sgml CAMB
    """
    from errorbar.ceilings import ceiling, prepare_study
    from errorbar.ceilings.spread import ceiling_intervals, essay_spread
    from errorbar.stats.resampling import Resampling

    data = load(corpus, systems, lenient=lenient, admission=admission)
    study = prepare_study(
        data.corpus,
        data.systems,
        parse_metric(spec),
        data.problems,
        sizes=parse_sizes(sizes),
        most=most,
        seed=seed,
        jobs=jobs,
        by_type=by_type,
        force=True,  # who read the files has looked at them
    )
    found = ceiling(study, jobs=jobs)
    intervals = spread = None
    resampling = Resampling("percentile", ci or 1, 0.95, seed, jobs)
    if ci is not None:
        with progress_bar("resamples", ci) as progress:
            intervals = ceiling_intervals(study, data.documents.clusters(), resampling, progress)
    if essays is not None:
        with progress_bar("subsets", repeats) as progress:
            documents = data.need_documents("--essays")
            spread = essay_spread(study, documents, essays, repeats, seed=seed, jobs=jobs, progress=progress)
    notes = data.problems.notes
    conventions = [] if all(found.exact) else [f"most:{most}"]
    if not all(found.exact):
        conventions.append(f"seed:{seed}")
    if ci is not None:
        data.documents.warn(data.problems)
        conventions.append(resampling.convention(data.documents.clustering))
    if essays is not None:
        conventions.append(f"essays:{essays},{repeats},by:{data.documents.clustering},seed:{seed}")
    if by_type:
        conventions += [f"size:{study.sizes[-1]}", data.types()]
    signature = data.signature(str(study.metric.spec), *conventions)
    if style == "json":
        show_json(
            {
                "schema": SCHEMA,
                "rows": _records(found, intervals),
                "by_type": _type_records(study) if by_type else [],
                "essays": _spread_record(spread, found) if spread else None,
                "signature": signature,
                "warnings": [note_record(note) for note in notes],
            }
        )
        return
    show_notes(notes)
    if by_type:
        show(_type_table(study, signature, style), style)
    else:
        show(_table(found, intervals, signature, style), style)
    if spread is not None:
        click.echo()
        show(_spread_table(spread, found, style), style)


def parse_sizes(text: str | None) -> Sequence[int]:
    """Read ``3`` or ``1-9``; nothing: all sizes."""
    if text is None:
        return ()
    first, dash, last = text.partition("-")
    if not first.isdecimal() or (dash and not last.isdecimal()):
        raise click.BadParameter(f"{text!r} is neither a number nor a range such as 1-9", param_hint="--sizes")
    if int(first) > int(last or first):
        raise click.BadParameter(f"{text!r} runs backwards; say {last}-{first}", param_hint="--sizes")
    return range(int(first), int(last or first) + 1)


def _interval_columns(name: str, title: str, style: str) -> list[str]:
    return [f"{name} low", f"{name} high"] if style == "csv" else [title]


def _interval(value: Interval | Undefined, style: str) -> list[Cell]:
    if style == "csv":
        return [None, None] if isinstance(value, Undefined) else [value.low, value.high]
    return ["–" if isinstance(value, Undefined) else f"{100 * value.low:.2f}–{100 * value.high:.2f}"]


def _table(found: Ceiling, intervals: CeilingIntervals | None, signature: str, style: str) -> Table:
    columns = ["references", "subsets", *(["exact"] if style == "csv" else []), "human"]
    if intervals:
        columns += _interval_columns("human", "95% CI", style)
    for name in found.systems:
        columns += [name, _of_human(name, style)]
        if intervals:
            columns += _interval_columns(f"{name} ratio", f"{name} ratio 95% CI", style)
    rows: list[list[Cell]] = []
    for k, size in enumerate(found.sizes):
        row: list[Cell] = [str(size), f"{found.n_subsets[k]}{'' if found.exact[k] else ' drawn'}"]
        if style == "csv":
            row = [size, found.n_subsets[k], str(found.exact[k]).lower()]
        row.append(_fraction(found.human[k, 2].item(), style))
        if intervals:
            row += _interval(intervals.human[k], style)
        for s in range(len(found.systems)):
            row.append(_fraction(found.scores[s, k, 2].item(), style))
            row.append(_fraction(_number(found.ratio[s, k].item()), style))
            if intervals:
                row += _interval(intervals.ratios[s][k], style)
        rows.append(row)
    footer = [
        f"F of {len(found.annotators)} annotators, each against subsets of the others, and of systems",
        *([f"– no ratio: {NO_RATIO}"] if np.isnan(found.ratio).any() else []),
        *([f"– no interval: {', '.join(_reasons(intervals))}"] if intervals and _reasons(intervals) else []),
        f"signature {signature}",
    ]
    return Table(columns, rows, 0, footer)


def _reasons(intervals: CeilingIntervals) -> list[str]:
    shown = [*intervals.human, *(value for row in intervals.ratios for value in row)]
    return list(dict.fromkeys(str(value) for value in shown if isinstance(value, Undefined)))


def _records(found: Ceiling, intervals: CeilingIntervals | None) -> list[dict[str, object]]:
    records: list[dict[str, object]] = []
    for k, size in enumerate(found.sizes):
        systems: dict[str, dict[str, object]] = {}
        for s, name in enumerate(found.systems):
            p, r, f = found.scores[s, k].tolist()
            ratio = _number(float(found.ratio[s, k]))
            systems[name] = {"precision": p, "recall": r, "f": f, "ratio": ratio}
            if ratio is None:
                systems[name]["undefined"] = {"ratio": NO_RATIO}
            if intervals:
                systems[name]["ratio_interval"] = _ends(intervals.ratios[s][k])
                systems[name]["f_interval"] = _ends(intervals.systems[s][k])
        record: dict[str, object] = {
            "n_references": size,
            "n_subsets": found.n_subsets[k],
            "exact": found.exact[k],
            "human": dict(zip(("precision", "recall", "f"), found.human[k].tolist(), strict=True)),
            "annotators": dict(zip(found.annotators, found.humans[:, k, 2].tolist(), strict=True)),
            "systems": systems,
        }
        if intervals:
            record["human_interval"] = _ends(intervals.human[k])
        records.append(record)
    return records


def _ends(value: Interval | Undefined) -> object:
    return {"reason": str(value)} if isinstance(value, Undefined) else {"low": value.low, "high": value.high}


def _type_table(study: Study, signature: str, style: str) -> Table:
    from errorbar.ceilings.types import type_rows

    names = [text.name for text in study.systems]
    columns = ["type", "human", *(cell for name in names for cell in (name, _of_human(name, style)))]
    rows: list[list[Cell]] = []
    for one in type_rows(study, study.sizes[-1]):
        pairs = [value for pair in zip(one.systems, one.ratios, strict=True) for value in pair]
        rows.append([one.type, *(_fraction(value, style) for value in (one.human, *pairs))])
    footer = [f"recall by type against {study.sizes[-1]} references, in percent; – where there is nothing to find"]
    footer.append(f"signature {signature}")
    return Table(columns, rows, 1, footer)


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


def _type_records(study: Study) -> list[dict[str, object]]:
    from errorbar.ceilings.types import type_rows

    names = [text.name for text in study.systems]
    return [
        {"type": one.type, "human": one.human, "systems": dict(zip(names, one.systems, strict=True))}
        for one in type_rows(study, study.sizes[-1])
    ]


SPREAD = ("lowest", "5%", "median", "95%", "highest", "SD")


def _spread_table(spread: EssaySpread, found: Ceiling, style: str) -> Table:
    names = ["human F", *(_of_human(name, style) for name in found.systems)]
    whole = np.concatenate([found.human[None, :, 2], found.ratio])
    rows: list[list[Cell]] = []
    for s, (name, summaries) in enumerate(zip(names, spread.summaries(), strict=True)):
        for k, (size, one) in enumerate(zip(found.sizes, summaries, strict=True)):
            values = (one.lowest, one.low, one.median, one.high, one.highest, one.deviation)
            shown = [_fraction(_number(float(whole[s, k])), style), *(_fraction(value, style) for value in values)]
            rows.append([name, str(size), *shown])
    title = f"{len(spread.human)} random subsets of {spread.n_essays} of the {spread.n_available} essays"
    return Table(["what", "references", "all essays", *SPREAD], rows, 1, [title])


def _of_human(name: str, style: str) -> str:
    return f"{name} / human" if style == "csv" else f"{name} / human %"


def _fraction(value: float | None, style: str) -> Cell:
    return value if style == "csv" else percent(value)


def _spread_record(spread: EssaySpread, found: Ceiling) -> dict[str, object]:
    return {
        "n_essays": spread.n_essays,
        "n_available": spread.n_available,
        "human_f": spread.human.tolist(),
        "ratios": {
            name: [[_number(value) for value in row] for row in spread.ratios[:, s].tolist()]
            for s, name in enumerate(found.systems)
        },
    }
