"""``errorbar ceiling``: what humans score, and how near systems come."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
import numpy as np

from errorbar.cli.corpora import CorpusInput, corpus_options, load
from errorbar.cli.options import (
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
    from errorbar.ceiling import Ceiling, Study
    from errorbar.ceiling.spread import CeilingIntervals, EssaySpread

SCHEMA = "errorbar.ceiling/1"
NO_RATIO = "the human score is 0"


@click.command("ceiling")
@click.argument("systems", nargs=-1, type=click.Path(), metavar="[SYSTEM...]")
@corpus_options
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
    from errorbar.ceiling import ceiling, prepare_study
    from errorbar.ceiling.spread import ceiling_intervals, essay_spread
    from errorbar.metrics.resampling import Resampling

    data = load(corpus, systems, lenient=lenient)
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
        conventions.append(resampling.convention(data.documents.unit))
    if essays is not None:
        conventions.append(f"essays:{essays},{repeats},seed:{seed}")
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
        show(_type_table(study), style)
    else:
        show(_table(found, intervals, signature), style)
    if spread is not None:
        click.echo()
        show(_spread_table(spread, found), style)


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


def _interval(value: Interval | Undefined) -> str:
    return "–" if isinstance(value, Undefined) else f"{100 * value.low:.2f}–{100 * value.high:.2f}"


def _table(found: Ceiling, intervals: CeilingIntervals | None, signature: str) -> Table:
    columns = ["references", "subsets", "human"]
    if intervals:
        columns.append("95% CI")
    for name in found.systems:
        columns += [name, f"{name} / human %"] + ([f"{name} ratio 95% CI"] if intervals else [])
    rows: list[list[Cell]] = []
    for k, size in enumerate(found.sizes):
        row: list[Cell] = [
            str(size),
            f"{found.n_subsets[k]}{'' if found.exact[k] else ' drawn'}",
            percent(found.human[k, 2]),
        ]
        if intervals:
            row.append(_interval(intervals.human[k]))
        for s in range(len(found.systems)):
            row += [percent(found.scores[s, k, 2]), _share(found.ratio[s, k])]
            if intervals:
                row.append(_interval(intervals.ratios[s][k]))
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


def _type_rows(study: Study) -> tuple[list[str], list[str], list[list[float]]]:
    from errorbar.ceiling.types import human_type_recall, type_recall

    size = study.sizes[-1]
    columns = [human_type_recall(study, size), *(type_recall(study, text, size) for text in study.systems)]
    types = study.humans[0].statistics.types
    order = sorted(range(len(types)), key=lambda k: types[k])
    table = np.stack(columns, axis=1)
    return [types[k] for k in order], [text.name for text in study.systems], [table[k].tolist() for k in order]


def _type_table(study: Study) -> Table:
    types, systems, values = _type_rows(study)
    columns = ["type", "human", *(cell for name in systems for cell in (name, f"{name} / human %"))]
    rows: list[list[Cell]] = []
    for kind, (human, *others) in zip(types, values, strict=True):
        row: list[Cell] = [kind, _share(human)]
        for value in others:
            row += [_share(value), _share(value / human) if human > 0 else "–"]
        rows.append(row)
    footer = [f"recall by type against {study.sizes[-1]} references, in percent; – where there is nothing to find"]
    return Table(columns, rows, 1, footer)


def _share(value: float) -> str:
    return percent(_number(value))


def _number(value: float) -> float | None:
    return None if np.isnan(value) else value


def _type_records(study: Study) -> list[dict[str, object]]:
    types, systems, values = _type_rows(study)
    clean = [[_number(value) for value in row] for row in values]
    return [
        {"type": kind, "human": row[0], "systems": dict(zip(systems, row[1:], strict=True))}
        for kind, row in zip(types, clean, strict=True)
    ]


QUANTILES = {"lowest": 0.0, "5%": 0.05, "median": 0.5, "95%": 0.95, "highest": 1.0}


def _spread_table(spread: EssaySpread, found: Ceiling) -> Table:
    names = ["human F", *(f"{name} / human %" for name in found.systems)]
    table = np.concatenate([spread.human[:, None, :], spread.ratios], axis=1)
    whole = np.concatenate([found.human[None, :, 2], found.ratio])
    rows: list[list[Cell]] = []
    for s, name in enumerate(names):
        for k, size in enumerate(found.sizes):
            values = table[:, s, k]
            quantiles = [_share(float(np.quantile(values, q))) for q in QUANTILES.values()]
            rows.append([name, str(size), _share(whole[s, k]), *quantiles, _share(float(values.std(ddof=1)))])
    title = f"{len(spread.human)} random subsets of {spread.n_essays} of the {spread.n_available} essays"
    return Table(["what", "references", "all essays", *QUANTILES, "SD"], rows, 1, [title])


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
