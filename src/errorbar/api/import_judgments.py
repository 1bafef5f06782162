"""Judgments that other tools collected, and what can be known of their independence: ``errorbar judge import``."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, pairwise

from errorbar.api.arguments import Count, Lenient, public
from errorbar.core.csv_cells import csv_line
from errorbar.core.labels import natural_order
from errorbar.core.problems import Place, Problem, Problems, UsageError, shorten_text
from errorbar.formats.catalog import format_of
from errorbar.formats.exports import moment
from errorbar.formats.judgments import ANSWER, HIT, WORKER, is_batch
from errorbar.formats.look import Source, display_name, list_paths, look
from errorbar.formats.reference import expand_files
from errorbar.formats.saving import save_lines
from errorbar.formats.tables import finite, header_of, table_rows
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

ROLES = ("item", "rater", "label", "start", "end", "length", "seconds")
STARTS = ("start_time", "AcceptTime", "started_at")
ENDS = ("end_time", "SubmitTime", "completed_at", "created_at", "updated_at")
POTATO = ("instance_id", "user_id")
PROLIFIC = "Participant id"
GAVE_UP = frozenset(("RETURNED", "TIMED-OUT", "TIMED OUT"))
FEWEST_SHARED = 10
"""Items that two raters must share before one can be said to copy or to follow the other."""
FOLLOWS = 0.9
"""Share of the items on which a rater answers next after another who is said to be followed."""


@dataclass(frozen=True, slots=True)
class IndependenceAudit:
    """An audit of how independent the judgments of an export are, and what it cannot tell.

    Attributes:
        per_item: How many judgments an item was to have; None: nobody said.
        sizes: How many items have how many raters.
        more: Items with more raters than they were to have.
        fewer: Items with fewer.
        copied: Pairs of raters who gave the same answers to the same items in the same order.
        overlapping: Rater to how many of their judgments were begun before the one before was ended; None: times are
            not known.
        followers: Pairs of a rater and whom they nearly always follow next; None: times are not known.
        gave_up: Raters who returned the work or ran out of time; None: the export does not say.
        unknown: What cannot be known.
    """

    per_item: int | None
    sizes: Mapping[int, int]
    more: Sequence[str]
    fewer: Sequence[str]
    copied: Sequence[tuple[str, str]]
    overlapping: Mapping[str, int] | None
    followers: Sequence[tuple[str, str]] | None
    gave_up: Sequence[str] | None
    unknown: Sequence[str]

    def to_dict(self) -> dict[str, object]:
        """As JSON has it."""
        pairs = (None if rows is None else [list(pair) for pair in rows] for rows in (self.copied, self.followers))
        return {
            "per_item": self.per_item,
            "sizes": {str(size): n for size, n in self.sizes.items()},
            "more": list(self.more),
            "fewer": list(self.fewer),
            **dict(zip(("copied", "followers"), pairs, strict=True)),
            "overlapping": None if self.overlapping is None else dict(self.overlapping),
            "gave_up": None if self.gave_up is None else list(self.gave_up),
            "unknown": list(self.unknown),
        }

    def rows(self) -> list[list[Cell]]:
        """One row for each question."""
        usual = "" if self.per_item is None else f" than {self.per_item}"
        return [
            ["items with more raters" + usual, len(self.more), _some(self.more)],
            ["items with fewer raters" + usual, len(self.fewer), _some(self.fewer)],
            ["raters with copied answers", len(self.copied), _some([f"{a} and {b}" for a, b in self.copied])],
            _known("judgments that overlap in time", self.overlapping),
            _known("raters who follow another", self.followers),
            _known("raters who gave up", self.gave_up),
        ]


def _known(title: str, found: Mapping[str, int] | Sequence[object] | None) -> list[Cell]:
    if found is None:
        return [title, None, "not known"]
    names = [" after ".join(each) if isinstance(each, tuple) else str(each) for each in found]
    n = sum(found.values()) if isinstance(found, Mapping) else len(found)
    return [title, n, _some(names)]


def _some(names: Sequence[str], most: int = 3) -> str:
    return ", ".join(names[:most]) + (", …" if len(names) > most else "")


@dataclass(frozen=True, slots=True, repr=False)
class ImportedJudgments(Result):
    """Judgments of another tool.

    Attributes:
        rows: A row for each judgment, or each span; columns by name.
        audit: What can be known of their independence.
        out: The file that was written; None: none.
        notes: Warnings and repairs.
    """

    rows: Sequence[Mapping[str, str]]
    audit: IndependenceAudit
    out: str | None = None
    notes: Sequence[Problem] = field(default=())

    def to_dict(self) -> dict[str, object]:
        """Counts and the audit."""
        names = {role: len({row[role] for row in self.rows}) for role in ("item", "rater")}
        return {
            "out": self.out,
            "n_rows": len(self.rows),
            "n_items": names["item"],
            "n_raters": names["rater"],
            "columns": [*self.rows[0]],
            "audit": self.audit.to_dict(),
        }

    def tables(self) -> Sequence[Table]:
        """The audit of independence."""
        counts = self.to_dict()
        sizes = ", ".join(f"{n:,} of {size}" for size, n in self.audit.sizes.items())
        notes = [
            f"{counts['n_rows']:,} rows, {counts['n_items']:,} items, {counts['n_raters']} raters",
            f"items by their raters: {sizes}",
            *(f"not known: {text}" for text in self.audit.unknown),
            *([f"written: {self.out}"] if self.out else []),
        ]
        columns = [Column("", key="question"), Column("found", "count"), Column("which")]
        return [Table(columns, self.audit.rows(), "Audit of independence", "independence", notes)]

    def lines(self) -> Iterator[str]:
        """The rows as CSV: item, rater, label, those of spans, seconds, then what the export has beside them."""
        yield csv_line(self.rows[0])
        yield from (csv_line(row.values()) for row in self.rows)


@public()
def judge_import(
    exports: Source | Sequence[Source],
    *,
    out: Source | None = None,
    demographics: Source | None = None,
    per_item: Count | None = None,
    lenient: Lenient = False,
) -> ImportedJudgments:
    """Bring judgments of another tool to errorbar's table, and audit their independence.

    Args:
        exports: Exports of Label Studio, Argilla, doccano, Prodigy, Potato, brat, Appraise or Mechanical Turk, or
            tables of judgments; several are read as one, e.g. a file for each annotator.
        out: File of judgments (CSV) to write, which agree, crowd and sample read. None: none is written.
        demographics: Prolific's demographic export (CSV), whose columns come beside those of its raters.
        per_item: How many judgments each item was to have. None: as most items have.
        lenient: Leave out answers that cannot be read, with a note, or stop at them.

    Raises:
        InputError: If an export is malformed.
        UsageError: If a table has no columns of judgments.
    """
    problems = Problems(lenient=lenient)
    files = expand_files(list_paths(exports))
    if not files:
        raise UsageError(Problem("no-files", "no export is named", expected="at least one"))
    rows = [row for file in files for row in _read_export(file.path, problems)]
    if not (rows or problems.errors):  # all work was rejected, or nothing could be read and was left out
        place = Place(display_name(files[0].path)) if len(files) == 1 else Place()
        problems.error("judgments-empty", "no judgment in the file" if len(files) == 1 else "no judgment", place)
    problems.raise_errors()
    gave_up = None if demographics is None else _add_demographics(rows, demographics, problems)
    keys = dict.fromkeys(key for row in rows for key in row)
    order = [*(role for role in ROLES if role in keys), *(key for key in keys if key not in ROLES)]
    rows = [{key: row.get(key, "") for key in order} for row in rows]
    result = ImportedJudgments(rows, audit_independence(rows, per_item, gave_up), None if out is None else str(out))
    if out is not None:
        save_lines(result.lines(), str(out))
    return ImportedJudgments(result.rows, result.audit, result.out, problems.notes)


def _read_export(path: str, problems: Problems) -> Iterator[dict[str, str]]:
    source = look(path)
    if not source.is_parquet and format_of(source).holds == "rows":
        yield from _rename(path, problems, {})
        return
    header = header_of(path)
    place = Place(display_name(path))
    if is_batch(header):
        yield from _rename(path, problems, _batch_names(header))
    elif {*POTATO} <= {*header}:
        questions = [name for name in header if name not in POTATO]
        if len(questions) > 1 and len({name.partition(".")[0] for name in questions}) == 1:
            yield from _read_potato_choices(path, problems, questions)
            return
        if len(questions) != 1:
            message = f"the table has {len(questions)} columns that could be the label"
            fix = "keep one of them beside instance_id and user_id"
            raise UsageError(Problem("export-columns", message, place, fix=fix))
        yield from _rename(path, problems, {"instance_id": "item", "user_id": "rater", questions[0]: "label"})
    elif {"item", "rater", "label"} <= {*header}:
        yield from _rename(path, problems, {})
    else:
        message = f"no export that errorbar knows; its columns are {shorten_text(', '.join(header))}"
        expected = (
            "Label Studio or Argilla (JSON), doccano, Prodigy, Potato, brat, Appraise, Mechanical Turk, "
            "or item, rater, label"
        )
        raise UsageError(Problem("export-columns", message, place, expected))


def _read_potato_choices(path: str, problems: Problems, columns: Sequence[str]) -> Iterator[dict[str, str]]:
    """Rows of a table with a column ``question.label`` for each label; where it was not chosen it is empty."""
    for row in _rename(path, problems, {"instance_id": "item", "user_id": "rater"}):
        labels = [name.partition(".")[2] for name in columns if row[name].lower() not in ("", "false")]
        yield {"item": row["item"], "rater": row["rater"], "label": "+".join(sorted(labels))}


def _rename(path: str, problems: Problems, names: Mapping[str, str]) -> Iterator[dict[str, str]]:
    """Rows of a table under errorbar's names; rejected work of Mechanical Turk is left out."""
    for values, place in table_rows(path, problems):
        row = {names.get(key, key): value.strip() for key, value in values.items()}
        if row.get("AssignmentStatus") == "Rejected":
            continue
        if not row["item"] or not row["rater"]:
            message = f"the row names no {'rater' if row['item'] else 'item'}"
            problems.repairable("judgments-name", message, place)
            continue
        yield row


def _batch_names(header: Sequence[str]) -> dict[str, str]:
    answers = [name for name in header if name.startswith(ANSWER)]
    if len(answers) != 1:
        message = f"{len(answers)} columns could be the answer: {', '.join(answers)}"
        raise UsageError(Problem("batch-answer", message, fix="keep one of them"))
    hit, worker = (next((name for name in choices if name in header), "") for choices in (HIT, WORKER))
    return {hit: "item", worker: "rater", answers[0]: "label", "WorkTimeInSeconds": "seconds"}


def _add_demographics(rows: Sequence[dict[str, str]], path: Source, problems: Problems) -> list[str]:
    """Put what Prolific knows of raters beside their rows; the names of those who gave up."""
    people: dict[str, dict[str, str]] = {}
    gave_up = []
    for values, place in table_rows(path, problems, (PROLIFIC,)):
        name = values[PROLIFIC]
        if values.get("Status", "").upper() in GAVE_UP:
            gave_up.append(name)
        elif name in people:
            problems.repairable("export-value", f"participant {name} stands twice", place, "the first row is kept")
        else:
            people[name] = {key if key not in ROLES else f"prolific {key}": value for key, value in values.items()}
    problems.raise_errors()
    raters = {row["rater"] for row in rows}
    if missing := natural_order(raters - people.keys()):
        message = f"{len(missing)} of {len(raters)} raters are not in Prolific's export, e.g. {missing[0]}"
        problems.note("export-demographics", message, Place(display_name(path)), "raters are named by Participant id")
    for row in rows:
        row |= {key: value for key, value in people.get(row["rater"], {}).items() if key not in row}
    return gave_up


def audit_independence(
    rows: Sequence[Mapping[str, str]], per_item: int | None = None, gave_up: Sequence[str] | None = None
) -> IndependenceAudit:
    """Audit rows of judgments, in the order in which they were exported.

    Args:
        rows: With ``item``, ``rater``, ``label``, and maybe times.
        per_item: How many raters an item was to have; None: as most items have.
        gave_up: Raters who gave up, where that is known.
    """
    raters: defaultdict[str, dict[str, None]] = defaultdict(dict)
    answers: defaultdict[str, list[tuple[str, ...]]] = defaultdict(list)
    for row in rows:
        raters[row["item"]][row["rater"]] = None
        answers[row["rater"]].append((row["item"], row["label"], row.get("start", ""), row.get("end", "")))
    n_raters = {item: len(names) for item, names in raters.items()}
    sizes = Counter(n_raters.values())
    usual = per_item or max(sizes, key=lambda size: (sizes[size], size))
    by_answers: defaultdict[tuple[tuple[str, ...], ...], list[str]] = defaultdict(list)
    for rater, own in answers.items():
        if len({item for item, *_ in own}) >= FEWEST_SHARED:
            by_answers[tuple(own)].append(rater)
    times = [(_first_time(row, STARTS), _first_time(row, ENDS)) for row in rows]
    unknown = ["who saw an item and left it out", "in which order raters saw items, but for the order of rows"]
    if gave_up is None:
        unknown.append("who gave up")
    ended = any(end is not None for _, end in times)
    begun = any(start is not None and end is not None for start, end in times) or (
        ended and any(finite(row.get("seconds")) is not None for row in rows)
    )
    if not begun:
        unknown.append("when judgments began and ended")
    return IndependenceAudit(
        usual,
        dict(sorted(sizes.items())),
        [item for item, n in n_raters.items() if n > usual],
        [item for item, n in n_raters.items() if n < usual],
        [pair for names in by_answers.values() for pair in combinations(names, 2)],
        _overlapping(rows, times) if begun else None,
        _followers(rows, times) if ended else None,
        gave_up,
        unknown,
    )


Times = Sequence[tuple[float | None, float | None]]


def _first_time(row: Mapping[str, str], names: Sequence[str]) -> float | None:
    return next((time for name in names if (time := moment(row.get(name, ""))) is not None), None)


def _overlapping(rows: Sequence[Mapping[str, str]], times: Times) -> dict[str, int]:
    """Rater to how many judgments began before the one before ended: two windows, or two people."""
    own: defaultdict[str, set[tuple[float, float]]] = defaultdict(set)
    for row, (start, end) in zip(rows, times, strict=True):
        seconds = finite(row.get("seconds"))
        begun = end - seconds if start is None and end is not None and seconds is not None else start
        if begun is not None and end is not None:
            own[row["rater"]].add((begun, end))
    counts = {
        rater: sum(later[0] < before[1] for before, later in pairwise(sorted(spans))) for rater, spans in own.items()
    }
    return {rater: n for rater, n in counts.items() if n}


def _followers(rows: Sequence[Mapping[str, str]], times: Times) -> list[tuple[str, str]]:
    """Raters who answer next after the same other one, on nearly all items that they share."""
    by_item: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for row, (_, end) in zip(rows, times, strict=True):
        if end is not None:
            by_item[row["item"]].setdefault(row["rater"], end)
    shared: Counter[tuple[str, str]] = Counter()
    next_after: Counter[tuple[str, str]] = Counter()
    for ends in by_item.values():
        order = sorted(ends, key=lambda rater: ends[rater])
        shared.update((later, before) for before in order for later in order if before != later)
        # Of two raters one is always the other's next: that says nothing unless others could have been.
        next_after.update((later, before) for before, later in pairwise(order) if len(order) > 2)
    return [pair for pair, n in next_after.items() if shared[pair] >= FEWEST_SHARED and n >= FOLLOWS * shared[pair]]
