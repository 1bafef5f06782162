"""What the commands do with HOO data: score, check and convert it, and reproduce the tables of the 2011 pilot."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from errorbar.cli.hoo_render import best_records, best_table, fragment_table, score_record, score_table, type_table
from errorbar.cli.hoo_routing import HOO
from errorbar.cli.options import note_record, show_notes
from errorbar.cli.render import Cell, Table, percent, show, show_json
from errorbar.core.corpus import Sentence
from errorbar.core.errors import InputError, Place, Problem, UsageError
from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment
from errorbar.edits.standoff import apply_standoff
from errorbar.edits.standoff_runs import run_edits, text_edits
from errorbar.edits.standoff_tokens import fragment_sentences, sentences_fragments
from errorbar.formats.hoo_detect import is_hoo
from errorbar.formats.hoo_folder import expand_runs, read_gold, read_run, read_source
from errorbar.formats.hoo_write import save_fragments, save_text
from errorbar.formats.reference import NamedFile, reference_chunks
from errorbar.formats.registry import find_format
from errorbar.formats.saving import STANDARD_OUTPUT, save_lines
from errorbar.metrics.hoo import Hoo, parse_hoo
from errorbar.metrics.hoo_score import MOST_RUNS, HooScore, score_runs
from errorbar.metrics.hoo_types import check_overrides
from errorbar.reproduce.cells import Cell as PublishedCell
from errorbar.reproduce.cells import Outcome, published

if TYPE_CHECKING:
    from errorbar.metrics.resampling import Resampling

SCHEMA = "errorbar.hoo-score/1"
ANNOTATOR = "0"
"""What the annotators of HOO are called in other formats: they worked as one."""


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

    Raises:
        InputError: If a file is bad or a run lacks a fragment.
        UsageError: If an option does not fit.
    """
    if len(gold) != 1:
        raise UsageError(Problem("hoo-one-gold", f"{len(gold)} gold sets", expected="one folder or file of edits"))
    if by_type + by_fragment + best > 1:
        what = "--by-type, --by-sentence and --best cannot be combined"
        raise UsageError(Problem("two-views", what, fix="give one of them"))
    metrics = [parse_hoo(spec) for spec in specs or (HOO,)]
    overrides = _overrides(types) if types else {}
    problems = Problems(lenient=lenient)
    fragments = read_gold(gold[0], problems, source=source)
    runs = expand_runs(systems)
    edits = {
        name: run_edits(
            read_run(path, name, fragments, problems), fragments, problems, missing_as_empty=missing_as_empty
        )
        for name, path in runs
    }
    problems.raise_errors()
    conventions = ("missing:empty",) if any(note.code == "hoo-missing" for note in problems.notes) else ()
    scores = score_runs(fragments, edits, metrics, problems, resampling=resampling, conventions=conventions)
    for team, count in _team_sizes(scores).items():
        if count > MOST_RUNS:
            what = f"{count} runs of team {team}; the shared task took {MOST_RUNS}"
            problems.note("hoo-many-runs", what, Place(), fix="the best run is picked among all of them")
    if style == "json":
        document = {
            "schema": SCHEMA,
            "rows": [score_record(score, overrides) for score in scores],
            "best": best_records(scores),
            "warnings": [note_record(note) for note in problems.notes],
        }
        show_json(document)
        return
    show_notes(problems.notes)
    if by_type:
        show(type_table(scores, overrides, style), style)
    elif by_fragment:
        show(fragment_table(scores, style), style)
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


def convert_hoo(
    inputs: Sequence[str],
    to: str | None,
    out: str = STANDARD_OUTPUT,
    *,
    source: str | None = None,
    annotators: Sequence[str] = (),
    lenient: bool = False,
) -> None:
    """Convert HOO data to M2, JSONL or corrected text, or one of these to HOO.

    Args:
        inputs: One file or folder.
        to: ``hoo``, ``m2``, ``jsonl`` or ``text``; None: by the ending of ``out``.
        out: Where to write.
        source: Source texts: corrected texts are compared with them, gold edits are of them.
        annotators: To HOO, whose edits to take; the first of the file where none is named.
        lenient: Repair what can be repaired.

    Raises:
        InputError: If a file is bad.
        UsageError: If the options do not fit together.
    """
    if len(inputs) != 1 or len(annotators) > 1:
        what = "HOO data is converted one set and one annotator at a time"
        raise UsageError(Problem("hoo-one-gold", what, fix="give one INPUT and at most one --annotator"))
    problems = Problems(lenient=lenient)
    path = NamedFile.parse(inputs[0]).path
    if is_hoo(path):
        _from_hoo(path, _target(to, out), out, source, annotators, problems)
    elif source is not None:
        fragments = read_source(source, problems)
        run = read_run(path, NamedFile.parse(inputs[0]).name, fragments, problems)
        made = [
            Fragment(one.name, tuple(text_edits(one, run.texts[one.name], Place(path), problems)), one.text)
            for one in fragments
            if one.name in run.texts
        ]
        for name in [one.name for one in fragments if one.name not in run.texts]:
            problems.note("hoo-missing", f"no corrected text of fragment {name}; not written", Place(path))
        save_fragments(made, out, problems)
    else:
        save_fragments(_from_corpus(inputs[0], annotators, problems), out, problems, texts=True)
    show_notes(problems.notes)


def _target(to: str | None, out: str) -> str:
    endings = {".m2": "m2", ".jsonl": "jsonl", ".txt": "text", ".xml": HOO}
    found = to or next((name for ending, name in endings.items() if out.removesuffix(".gz").endswith(ending)), None)
    if found is None:
        raise UsageError(Problem("no-format", "no format to write was given", fix="give --to m2|jsonl|text|hoo"))
    return found


def _from_hoo(path: str, to: str, out: str, source: str | None, annotators: Sequence[str], problems: Problems) -> None:
    fragments = read_gold(path, problems, source=source, need_text=True)
    problems.raise_errors()
    if to == HOO:
        save_fragments(fragments, out, problems)
        return
    if to == "text":
        texts = {
            one.name: apply_standoff(one.text or "", one.edits, problems=problems, place=Place(one.file))
            for one in fragments
        }
        problems.raise_errors()
        if len(texts) > 1 and (out == STANDARD_OUTPUT or not Path(out).is_dir()):
            what = f"{len(texts)} corrected texts cannot go into one file"
            raise InputError(Problem("hoo-one-file", what, Place(out), fix="name a folder that exists: --out FOLDER"))
        for name, text in texts.items():
            save_text(text, str(Path(out) / f"{name}.txt") if len(texts) > 1 else out)
        return
    target = find_format(to)
    assert target.write is not None  # every format but nucle can be written, and convert offers these alone
    sentences = _sentences(fragments, annotators[0] if annotators else ANNOTATOR, problems)
    lines = list(target.write(sentences, problems))
    problems.raise_errors()
    save_lines(lines, out)


def _sentences(fragments: Sequence[Fragment], annotator: str, problems: Problems) -> Iterator[Sentence]:
    for fragment in fragments:
        yield from fragment_sentences(fragment, annotator, problems)


def _from_corpus(argument: str, annotators: Sequence[str], problems: Problems) -> list[Fragment]:
    file = NamedFile.parse(argument)
    sentences: list[Sentence] = []
    names: dict[str, None] = {}
    for chunk in reference_chunks([file], problems):
        sentences += chunk.sentences
        names.update(dict.fromkeys(chunk.annotators))
    wanted = annotators[0] if annotators else next(iter(names), ANNOTATOR)
    return sentences_fragments(sentences, wanted, problems, name=file.name)


def _overrides(path: str) -> Mapping[str, str]:
    try:
        given = json.loads(Path(path).read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise InputError(Problem("hoo-types-file", f"cannot be read: {error}", Place(path), '{"ID": "Noun"}')) from None
    if not isinstance(given, dict) or not all(isinstance(row, str) for row in given.values()):
        what = "not a JSON object of type to row"
        raise InputError(Problem("hoo-types-file", what, Place(path), '{"ID": "Noun"}'))
    check_overrides(given)
    return given


def _team_sizes(scores: Sequence[HooScore]) -> dict[str, int]:
    sizes: dict[str, set[str]] = {}
    for score in scores:
        sizes.setdefault(score.team, set()).add(score.run)
    return {team: len(runs) for team, runs in sizes.items()}


TEST_SET = "1"
MISSING_TEXT = "text 1062 is missing from the data"


def _table8(counts: Mapping[str, int]) -> list[PublishedCell]:
    """Table 8 beside ours; a row that is short by the missing text is a known difference."""
    return [
        PublishedCell(
            "table 8",
            row["error_type"],
            "edits",
            float(row["count"]),
            float(counts.get(row["error_type"], 0)),
            0,
            MISSING_TEXT if counts.get(row["error_type"], 0) < float(row["count"]) else "",
        )
        for row in published("hoo2011_table08_edits_by_type")
    ]


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
    from errorbar.datasets import path as dataset_path
    from errorbar.metrics.hoo_tables import best_recalls, simulated_scores
    from errorbar.metrics.hoo_types import count_rows

    problems = Problems(lenient=True)
    folder = Path(data) if data else dataset_path("hoo2011") / "test"
    inside = [folder / "hoo2011" / "test", folder / "test"]
    folder = next((place for place in inside if place.is_dir()), folder)
    fragments = read_gold(str(folder), problems, need_text=True)
    problems.raise_errors()
    if not all(fragment.name.startswith(TEST_SET) for fragment in fragments):
        what = "these are not the texts of the test set, whose numbers begin with 1"
        raise InputError(Problem("hoo-not-test-set", what, Place(str(folder)), fix="name the folder of the test set"))
    counts = count_rows(edit.type for fragment in fragments for edit in fragment.edits)
    scores = simulated_scores(fragments, Hoo(), problems, seed=seed)
    cells = best_recalls(scores)
    table8 = _table8(counts)
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
    matched = sum(c.outcome == Outcome.MATCH for c in table8)
    total = (
        f"table 8 on {len(fragments)} fragments, {sum(counts.values()):,} edits: {matched} of {len(table8)} rows match"
    )
    notes = [total, "the paper's rows (19 fragments) add up to 1,066, its text says 1,057"]
    show(Table(["type", "reason", "published", "ours", "difference", "outcome"], rows, 2, notes), style)
    table = best_table(scores, style)
    table.footer = ["in the shape of tables 2 to 7; simulated teams, not those of 2011", *table.footer]
    show(table, style)
    grid: list[list[Cell]] = [[c.row, c.team, c.measure, percent(c.recall), c.run] for c in cells]
    footer = ["in the shape of tables 9 to 21: each simulated team's best recall, in percent"]
    show(Table(["type", "team", "measure", "recall", "run"], grid, 3, footer), style)
