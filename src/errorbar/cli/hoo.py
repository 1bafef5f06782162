"""What the commands do with HOO data: score, check and convert it, and reproduce the tables of the 2011 pilot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from errorbar.cli.hoo_render import best_records, best_table, fragment_table, score_record, score_table, type_table
from errorbar.cli.hoo_routing import HOO
from errorbar.cli.options import note_record, show_notes
from errorbar.cli.progress import progress_bar
from errorbar.cli.render import Cell, Table, percent, show, show_json
from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.core.plural import counted
from errorbar.core.problems import Problems
from errorbar.edits.standoff_pieces import cut_fragments
from errorbar.execute import choose_executor
from errorbar.formats.hoo_files import every_path, expand_runs, list_gold, list_run
from errorbar.formats.hoo_folder import read_gold
from errorbar.formats.json_text import NotJsonError, parse_json
from errorbar.formats.opening import Lines
from errorbar.metrics.hoo import parse_hoo
from errorbar.metrics.hoo_pieces import count_pieces
from errorbar.metrics.hoo_score import MOST_RUNS, HooScore, score_counts
from errorbar.metrics.hoo_types import check_overrides

if TYPE_CHECKING:
    from errorbar.stats.resampling import Resampling

SCHEMA = "errorbar.hoo-score/1"


def score_hoo(
    systems: Sequence[str],
    gold: Sequence[str],
    specs: Sequence[str],
    *,
    style: str,
    lenient: bool = False,
    by_type: bool = False,
    by_fragment: bool = False,
    best: bool = False,
    source: str | None = None,
    types: str | None = None,
    missing_as_empty: bool = False,
    resampling: Resampling | None = None,
    jobs: int = 1,
    dask: str | None = None,
) -> None:
    """Score runs against HOO gold edits and print the result.

    Args:
        systems: Runs: folders of edit files or corrected texts, single files, or folders of runs; ``name=path``.
        gold: The gold folder or file; one.
        specs: Specs of the metric; none: ``hoo``.
        style: How to print.
        lenient: Repair what can be repaired.
        by_type: Recall by the rows of table 8.
        by_fragment: Scores of every fragment.
        best: The best run of each team.
        source: Folder of the source texts, if it is not beside the gold edits.
        types: JSON file that puts error types into other rows.
        missing_as_empty: Score a fragment that a run lacks as if nothing were proposed there.
        resampling: Intervals over fragments; None: none.
        jobs: Processes that read and count.
        dask: Address of a Dask scheduler for that, or ``local``; None: no Dask.

    Raises:
        InputError: If a file is bad or a run lacks a fragment.
        UsageError: If an option does not fit.
    """
    if len(gold) != 1:
        raise UsageError(Problem("hoo-one-gold", f"{len(gold)} gold sets", expected="one folder or file of edits"))
    if by_type + by_fragment + best > 1:
        what = "--by-type, --by-fragment and --best cannot be combined"
        raise UsageError(Problem("two-views", what, fix="give one of them"))
    metrics = [parse_hoo(spec) for spec in specs or (HOO,)]
    problems = Problems(lenient=lenient)
    overrides = _overrides(types, problems) if types else {}
    fragments = list_gold(gold[0], source=source)
    names = [each.name for each in fragments]
    runs = [list_run(path, name, names, problems) for name, path in expand_runs(systems)]
    with choose_executor(jobs, dask) as executor, progress_bar("fragments", len(fragments)) as progress:
        carry = not executor.sees(every_path(fragments, runs))
        counts = count_pieces(
            cut_fragments(fragments, runs, lenient=lenient, carry=carry),
            {run.name: run.lacking(names) for run in runs},
            metrics,
            problems,
            missing_as_empty=missing_as_empty,
            progress=progress,
            executor=executor,
        )
    conventions = ("missing:empty",) if any(note.code == "hoo-missing" for note in problems.notes) else ()
    scores = score_counts(counts, problems, resampling=resampling, conventions=conventions)
    for team, count in _team_sizes(scores).items():
        if count > MOST_RUNS:
            what = f"{counted(count, 'runs')} of team {team}; the shared task took {MOST_RUNS}"
            problems.note("hoo-many-runs", what, Place(), fix="the best run is picked among all of them")
    if style == "json":
        document = {
            "schema": SCHEMA,
            "rows": [score_record(score, overrides, resampling) for score in scores],
            "best": best_records(scores),
            "warnings": [note_record(note) for note in problems.notes],
        }
        show_json(document)
        return
    show_notes(problems.notes)
    if by_type:
        show(type_table(scores, overrides, style, resampling), style)
    elif by_fragment:
        show(fragment_table(scores, style, asked=resampling is not None), style)
    else:
        show(best_table(scores, style) if best else score_table(scores, style), style)


def check_hoo(path: str, problems: Problems, *, source: str | None = None) -> dict[str, int]:
    """Check gold edits against their texts; problems are recorded, what was seen is counted."""
    fragments = read_gold(path, problems, source=source)
    edits = [edit for fragment in fragments for edit in fragment.edits]
    return {
        "fragments": len(fragments),
        "fragments with a text": sum(fragment.text is not None for fragment in fragments),
        "edits": len(edits),
        "optional edits": sum(edit.optional for edit in edits),
        "edits in consistency sets": sum(bool(edit.group) for edit in edits),
        "edits without a correction": sum(edit.unknown for edit in edits),
    }


def _overrides(path: str, problems: Problems) -> Mapping[str, str]:
    lines = Lines(path, problems, last=True)
    text = "\n".join(lines)
    problems.raise_errors()
    try:
        given = parse_json(text)
    except NotJsonError as error:
        place = Place(lines.name, error.line)
        raise InputError(Problem("hoo-types-file", f"not JSON: {error}", place, '{"ID": "Noun"}')) from None
    if not isinstance(given, dict) or not all(isinstance(row, str) for row in given.values()):
        what = "not a JSON object of type to row"
        raise InputError(Problem("hoo-types-file", what, Place(lines.name), '{"ID": "Noun"}'))
    check_overrides(given)
    return given


def _team_sizes(scores: Sequence[HooScore]) -> dict[str, int]:
    sizes: dict[str, set[str]] = {}
    for score in scores:
        sizes.setdefault(score.team, set()).add(score.run)
    return {team: len(runs) for team, runs in sizes.items()}


def reproduce_hoo2011(data: str | None, *, style: str, seed: int = 0) -> None:
    """Print table 8 of the HOO 2011 paper, and tables 2 to 7 and 9 to 21 for simulated teams.

    Args:
        data: The test set, a folder with ``Gold`` and ``Raw``, or a folder that has it in ``hoo2011/test``; None: that
            of ``errorbar data``.
        style: How to print.
        seed: Of the simulated teams.

    Raises:
        InputError: If the data is not there or not readable.
    """
    from errorbar.reproduce.cells import Outcome
    from errorbar.reproduce.hoo2011 import recompute

    problems = Problems(lenient=True)
    found = recompute(data, problems, seed=seed)
    table8, scores, cells = found.table8, found.scores, found.recalls
    if style == "json":
        document = {
            "schema": "errorbar.reproduce-hoo2011/1",
            "table8": [
                {
                    "type": c.row,
                    "published": c.published,
                    "ours": c.ours,
                    "outcome": c.outcome.name.lower(),
                    "reason": c.known,
                }
                for c in table8
            ],
            "tables2_7": best_records(scores),
            "tables9_21": [
                {"type": c.row, "team": c.team, "measure": c.measure, "recall": c.recall, "run": c.run} for c in cells
            ],
            "warnings": [note_record(note) for note in problems.notes],
        }
        show_json(document)
        return
    show_notes(problems.notes)
    rows: list[list[Cell]] = [
        [
            c.row,
            c.known if c.outcome == Outcome.KNOWN else "",
            f"{c.published:g}",
            f"{c.ours:g}",
            f"{c.difference:+g}",
            str(c.outcome),
        ]
        for c in table8
    ]
    total = (
        f"table 8 on {counted(found.n_fragments, 'fragments')}, {counted(found.n_edits, 'edits')}: "
        f"{found.n_matched} of {len(table8)} rows match"
    )
    notes = [total, "the paper's rows (19 fragments) add up to 1,066, its text says 1,057"]
    show(Table(["type", "reason", "published", "ours", "difference", "outcome"], rows, 2, notes), style)
    table = best_table(scores, style)
    table.footer = ["in the shape of tables 2 to 7; simulated teams, not those of 2011", *table.footer]
    show(table, style)
    grid: list[list[Cell]] = [[c.row, c.team, c.measure, percent(c.recall), c.run] for c in cells]
    footer = ["in the shape of tables 9 to 21: each simulated team's best recall, in percent"]
    show(Table(["type", "team", "measure", "recall", "run"], grid, 3, footer), style)
