"""Judgments as rows, for tables that other commands read: one snapshot, one order, some rows at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, groupby, pairwise, product
from os import PathLike
from typing import Any, Literal, get_args

import numpy as np
from sqlalchemy import Connection, Row, text

from errorbar.api.arguments import public
from errorbar.core.csv_cells import csv_line
from errorbar.core.judgments import Judgments
from errorbar.core.problems import Problem, UsageError
from errorbar.core.rankings import Comparisons
from errorbar.formats.judgments import HUMAN, RATER_KIND
from errorbar.formats.model_rows import AT
from errorbar.formats.rankings import TIE, JudgedRanking, comparisons_of, ranking_rows, ranking_xml
from errorbar.judging.answers import label_of
from errorbar.judging.protocol.changes import counted_items
from errorbar.judging.question_kinds import arrange, close_gaps, kind_of_question
from errorbar.judging.scheme import JUDGED, SEVERAL, SIDES, JudgedItem, Question, Round, Scheme, State
from errorbar.judging.scheme_kinds import kind_of
from errorbar.judging.study.columns import RaterFacts, read_study
from errorbar.judging.study.folder import Study
from errorbar.judging.study.rules import StudyInfo, StudyRules, read_about
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

# Everything that a store tells of its study, as records in one order: what an export holds, and is restored of.
#
# First what the study is and how many records follow, as a file may be cut at the end of a line; then items, raters,
# exclusions, judgments and events, each in the order in which they came. Raters are named by pseudonym. Who they are
# to an invitation, links, sessions and completion codes stay behind. An event names its judgment by rater and
# ``seq``, the rater's order, as numbers of rows are nobody's business. Times are seconds since 1970. A judgment has
# all versions of its answer; ``answer`` is null where the item was skipped, and a judgment without answers was never
# given.


FORMAT, VERSION = "errorbar-judge", 1
Record = dict[str, Any]
_ITEMS = "SELECT payload, place, taken, stopped FROM item ORDER BY id"
_RATERS = "SELECT name, seed, status, quiz, claims, answered, judged, joined, agreed FROM rater ORDER BY id"
_EXCLUSIONS = (
    'SELECT r.name AS rater, x.reason, x."by", x.since, x.until, x.undone_by FROM exclusion x'
    " JOIN rater r ON r.id = x.rater ORDER BY x.id"
)
_JUDGMENTS = (
    "SELECT a.id, i.name AS item, i.payload, r.name AS rater, a.round, a.seq, a.answered, a.reversed, a.state,"
    " a.version AS counts, a.lease_until, n.submission, n.version, n.answer, n.skip, n.comment, n.milliseconds,"
    " n.trail, n.status, n.at FROM assignment a JOIN item i ON i.id = a.item JOIN rater r ON r.id = a.rater"
    " LEFT JOIN answer n ON n.assignment = a.id ORDER BY a.id, n.version"
)
_EVENTS = (
    "SELECT e.at, e.kind, r.name AS rater, a.seq, e.submission, e.data FROM event e"
    " LEFT JOIN assignment a ON a.id = e.assignment LEFT JOIN rater r ON r.id = e.rater ORDER BY e.id"
)
_COUNT = "SELECT " + " + ".join(
    f"(SELECT count(*) FROM {table})" for table in ("item", "rater", "exclusion", "assignment", "event")
)
SECRET = ("code", "redeemed", "invited", "revoked", "joined")
"""Events whose data tell of links and codes."""


def rows(tx: Connection, statement: str, **values: object) -> Iterator[Row[Any]]:
    """The rows of a statement, some at a time, so that memory does not grow with them."""
    yield from tx.execute(text(statement), values, execution_options={"stream_results": True, "yield_per": 1000})


def study_records(tx: Connection) -> Iterator[Record]:
    """Everything of one snapshot."""
    about = read_about(tx)
    head: Record = {"format": FORMAT, "version": VERSION, "made_by": about.made_by, "guidelines": about.guidelines}
    head |= {name: json.loads(written) for name in ("key", "adjudicated") if (written := getattr(about, name))}
    head |= {"scheme": json.loads(about.scheme.to_json()), "rules": json.loads(about.rules.to_json())}
    yield head | {"records": tx.execute(text(_COUNT)).scalar_one()}
    for row in rows(tx, _ITEMS):
        yield {"item": json.loads(row.payload), "place": row.place, "taken": row.taken, "stopped": row.stopped}
    for row in rows(tx, _RATERS):
        fields = row._asdict()
        yield {"rater": fields.pop("name"), **fields, "agreed": json.loads(row.agreed)}
    for row in rows(tx, _EXCLUSIONS):
        yield {"excluded": row.rater, **{name: getattr(row, name) for name in row._fields[1:]}}
    for _, group in groupby(rows(tx, _JUDGMENTS), key=lambda row: row.id):
        versions = list(group)
        first = versions[0]
        answers = [_answer(row) for row in versions if row.submission is not None]
        counts = next((answer for answer in answers if answer["version"] == first.counts), None)
        label = ""
        if counts is not None and counts["answer"] is not None:
            label = label_of(about.scheme, bool(first.reversed), counts["answer"])
        yield {
            "judgment": first.item,
            **{name: getattr(first, name) for name in ("rater", "round", "seq", "answered")},
            "reversed": first.reversed if first.reversed > 1 else bool(first.reversed),
            "state": first.state,
            "version": first.counts,
            "label": label or None,
            "lease_until": first.lease_until,
            "answers": answers,
        }
    for row in rows(tx, _EVENTS):
        data = "" if row.kind in SECRET else row.data
        yield {
            "event": row.kind,
            "at": row.at,
            "rater": row.rater,
            "seq": row.seq,
            "submission": row.submission,
            "data": data,
        }


def _answer(row: Row[Any]) -> Record:
    return {
        "version": row.version,
        "submission": row.submission,
        "answer": json.loads(row.answer),
        "skip": row.skip,
        "comment": row.comment,
        "milliseconds": row.milliseconds,
        "trail": json.loads(row.trail) if row.trail else None,
        "status": row.status,
        "at": row.at,
    }


Part = Literal["extra", "excluded", "repeats", "gold", "quiz", "skipped", "beyond"]
PARTS: tuple[Part, ...] = get_args(Part)
"""The rows that tables leave out unless they are asked for: answers that came when all places were taken; those of
raters who are excluded; repeated items; gold items; the quiz; items that were skipped; of a study with a question,
judgments on which its estimate does not rest."""
FIXED = ("item", "rater", "label", "seconds", "round", "state", "version")
SIDED = ("top", "system1", "system2")
"""Of a choice test: which candidate stood at the top, and whose they are."""
RANKED = ("shown", "ranking")
"""Of rankings: the order in which the outputs stood, and the systems from the best to the worst."""
MODEL_COLUMNS = (RATER_KIND, AT)
"""Where models are among the raters: what each rater is, and when a model's answer came."""
AFTER = ("skip", "comment")
PROVENANCE = ("provenance", "accepted_of")
"""Of an adjudication."""
_PROPOSED = "_proposed"
"""After the name of a question: the column of what a program proposed, before raters confirmed or changed it."""
_ITEM = "item_"
"""Before a hidden column that is called as one of an export."""


@dataclass(frozen=True, slots=True)
class JudgmentRow:
    """A judgment whose answer, or skip, is the one that counts.

    In exports of an adjudication ``provenance`` says whose it is (``adjudication.Provenance``), and ``accepted_of``
    names the raters who gave the answer that was accepted, or on which all agreed.
    """

    item: JudgedItem
    rater: str
    round: str
    state: str
    reversed: int
    version: int
    answer: Mapping[str, Any] | None
    skip: str
    comment: str
    milliseconds: int
    provenance: str = ""
    accepted_of: tuple[str, ...] = ()
    rater_kind: str = HUMAN
    at: float | None = None  # when a model's reply came, in seconds since 1970; None: of a person, not told

    def label(self, scheme: Scheme) -> str:
        """In the item's own terms; empty: skipped."""
        return "" if self.answer is None else label_of(scheme, self.reversed, self.answer)

    @property
    def seconds(self) -> float | None:
        """That it took; None: not known."""
        return self.milliseconds / 1000 if self.milliseconds else None

    def sides(self) -> list[str]:
        """The candidate at the top, and who wrote the first and the second."""
        return [SIDES["top"][bool(self.reversed)], *(self.item.names or ("", ""))]

    def ranked(self, scheme: Scheme) -> list[tuple[int, tuple[str, ...]]]:
        """The rank of each output, 1 is best and no number is left out, and who wrote it; empty: skipped."""
        if self.answer is None:
            return []
        ranks = close_gaps(self.answer[scheme.main])
        return [(rank, tuple(names.split(SEVERAL))) for rank, names in zip(ranks, self.item.names, strict=True)]

    def ranking(self, scheme: Scheme) -> list[str]:
        """The order in which the outputs stood, and what was said of them: ``A > B|C = D``."""
        names = self.item.names
        shown = " / ".join(names[at] for at in arrange(len(names), self.reversed))
        placed = sorted((rank, SEVERAL.join(systems)) for rank, systems in self.ranked(scheme))
        ranking = placed[0][1] if placed else ""
        for (before, _), (rank, name) in pairwise(placed):
            ranking += f" {'=' if rank == before else '>'} {name}"
        return [shown, ranking]


def judgment_rows(tx: Connection, include: Sequence[Part] = ()) -> Iterator[JudgmentRow]:
    """Those that count, and what is asked for beside them, by item and then rater, in the order in which these came."""
    last, item = "", JudgedItem("", "")
    counted = "TRUE" if "beyond" in include else counted_items(tx)
    for row in rows(tx, _STATEMENT.format(where=f"{_where_clause(include)} AND (i.kind = 'gold' OR {counted})")):
        if row.payload != last:
            last, item = row.payload, JudgedItem.from_json(row.payload)
        answer = json.loads(row.answer)
        first_fields = row.rater, row.round, row.state, row.reversed, row.version
        yield JudgmentRow(item, *first_fields, answer, row.skip, row.comment, row.milliseconds)


_STATEMENT = (
    "SELECT i.payload, r.name AS rater, a.round, a.state, a.reversed, a.version, n.answer, n.skip, n.comment,"
    " n.milliseconds FROM item i JOIN assignment a ON a.item = i.id JOIN rater r ON r.id = a.rater"
    " JOIN answer n ON n.assignment = a.id AND n.version = a.version WHERE {where}"
    " ORDER BY a.item, a.rater, a.round"
)


def _where_clause(include: Sequence[Part]) -> str:
    states = ["done", *{"extra": "extra", "excluded": "aside", "skipped": "skipped"}.keys() & {*include}]
    named = [{"excluded": "aside"}.get(state, state) for state in sorted(states)]
    rounds = ["main", *(["repeat"] if "repeats" in include else []), *(["quiz"] if "quiz" in include else [])]
    kinds = ["work", *(["gold"] if {"gold", "quiz"} & {*include} else [])]
    listed = (("a.state", named), ("a.round", rounds), ("i.kind", kinds))
    parts = [f"{column} IN ({', '.join(repr(value) for value in values)})" for column, values in listed]
    if "quiz" in include and "gold" not in include:
        parts.append("(i.kind = 'work' OR a.round = 'quiz')")
    if "excluded" in include:  # their extra judgments with the others of theirs
        parts[0] = f"({parts[0]} OR (r.status = 'excluded' AND a.state = 'extra'))"
    else:
        parts.append("r.status <> 'excluded'")
    return " AND ".join(parts)


def hidden_columns(tx: Connection, scheme: Scheme, added: Sequence[str] = ()) -> dict[str, str]:
    """The hidden columns of all items, in order of appearance, and what an export with ``added`` columns calls each."""
    taken = {*FIXED, *SIDED, *RANKED, *AFTER, *added, *(question.id for question in scheme.questions)}
    taken |= {f"{question.id}{_PROPOSED}" for question in scheme.questions}
    known: dict[str, None] = {}
    for row in rows(tx, "SELECT payload FROM item ORDER BY id"):
        known |= dict.fromkeys(json.loads(row.payload)["hidden"])
    return {name: f"{_ITEM}{name}" if name in taken else name for name in known}


def proposed_questions(tx: Connection) -> list[str]:
    """Questions for which a program proposed something, of any item."""
    known: dict[str, None] = {}
    for row in rows(tx, "SELECT payload FROM item ORDER BY id"):
        known |= dict.fromkeys(json.loads(row.payload).get("proposed", ()))
    return [*known]


def table_lines(
    tx: Connection, about: StudyInfo, judgments: Iterable[JudgmentRow], *, has_models: bool = False
) -> Iterator[str]:
    """CSV, a row for each judgment: fixed columns, one for each question, remarks, the items' hidden columns.

    With models among the raters, a column says of each rater what they are, and one when a model's answer came.
    """
    scheme, provenance = about.scheme, PROVENANCE if about.adjudicated else ()
    of_models = MODEL_COLUMNS if has_models else ()
    hidden = hidden_columns(tx, scheme, (*provenance, *of_models))
    questions = {question.id: question for question in scheme.questions}
    kind = kind_of(scheme)
    sides = SIDED if kind.compares else RANKED if kind.ranks else ()
    proposals = proposed_questions(tx)
    names = [f"{name}{_PROPOSED}" for name in proposals]
    yield csv_line([*FIXED, *of_models, *questions, *sides, *AFTER, *provenance, *names, *hidden.values()])
    for row in judgments:
        answer = row.answer or {}
        seconds = "" if row.seconds is None else f"{row.seconds:.3f}"
        fixed = [row.item.name, row.rater, row.label(scheme), seconds, row.round, row.state, str(row.version)]
        own = [row.rater_kind, "" if row.at is None else str(row.at)] if has_models else []
        own += [_cell(question, answer.get(name)) for name, question in questions.items()]
        own += row.sides() if kind.compares else row.ranking(scheme) if kind.ranks else []
        own += [row.skip, row.comment]
        own += [row.provenance, " | ".join(row.accepted_of)] if provenance else []
        own += [_cell(questions[name], row.item.proposed.get(name)) for name in proposals]
        yield csv_line([*fixed, *own, *(row.item.hidden.get(name, "") for name in hidden)])


def pair_lines(tx: Connection, about: StudyInfo, judgments: Iterable[JudgmentRow]) -> Iterator[str]:
    """CSV for ``rank``: a row for each two whose texts were compared; who wrote the same shares an item's rows."""
    scheme = about.scheme
    if kind_of(scheme).ranks:
        yield from _ranked_pair_lines(scheme, judgments)
        return
    if not kind_of(scheme).compares:
        message = f"pairs are of choice tests and rankings, and the scheme is {scheme.name}"
        raise UsageError(Problem("judge-export-kind", message, fix="--to=csv"))
    yield csv_line(["item", "judge", "system1", "system2", "winner"])
    for row in judgments:
        if row.answer is None:
            continue
        firsts, seconds = (name.split(SEVERAL) for name in (row.item.names or ("first", "second")))
        label = row.label(scheme)
        for first in firsts:
            for second in seconds:
                winner = {"first": first, "second": second}.get(label, TIE)
                yield csv_line([row.item.name, row.rater, first, second, winner])


def _ranked_pair_lines(scheme: Scheme, judgments: Iterable[JudgmentRow]) -> Iterator[str]:
    yield csv_line(["item", "judge", "sentence", "system1", "system2", "winner"])
    for one in rankings_of(judgments, scheme):
        for (rank, firsts), (other, seconds) in combinations(one.texts, 2):
            for first, second in product(firsts, seconds):
                winner = TIE if rank == other else first if rank < other else second
                yield csv_line([one.item, one.judge, one.sentence, first, second, winner])


def ranking_lines(scheme: Scheme, judgments: Iterable[JudgmentRow], *, xml: bool) -> Iterator[str]:
    """XML as the WMT's annotation tool writes it, or CSV with a row for each system in a ranking.

    Raises:
        UsageError: If the scheme ranks nothing, or a name has a space, which stands between names in the XML.
    """
    _check_ranks(scheme)
    rankings = rankings_of(judgments, scheme)
    return ranking_xml(map(_spaceless, rankings)) if xml else map(csv_line, ranking_rows(rankings))


def rankings_of(rows: Iterable[JudgmentRow], scheme: Scheme) -> Iterator[JudgedRanking]:
    """The rankings of judgments, those that were skipped left out."""
    for row in rows:
        if texts := row.ranked(scheme):
            sentence = row.item.hidden.get("sentence", row.item.name)
            yield JudgedRanking(row.item.name, row.rater, sentence, texts, row.seconds)


def _check_ranks(scheme: Scheme) -> None:
    if not kind_of(scheme).ranks:
        message = f"rankings are of outputs that were ranked, and the scheme is {scheme.name}"
        raise UsageError(Problem("judge-export-kind", message, fix="--to=csv"))


def _spaceless(one: JudgedRanking) -> JudgedRanking:
    bad = next((name for _, names in one.texts for name in names if name.split() != [name]), None)
    if bad is not None:
        message = f"the XML has spaces between names of systems, and one is called '{bad}'"
        raise UsageError(Problem("judge-export-kind", message, fix="--to=ranks"))
    return one


def set_lines(tx: Connection, about: StudyInfo, judgments: Iterable[JudgmentRow]) -> Iterator[str]:
    """CSV as ``sample draw`` wrote it, filled in: for ``sample estimate``."""
    yield csv_line(["item", "text", "set", "rater", "label"])
    for row in judgments:
        if "set" not in row.item.hidden:
            message = f"item '{row.item.name}' is of no set that sample draw wrote"
            raise UsageError(Problem("judge-export-kind", message, fix="--to=csv"))
        told = row.item.hidden["set"], row.rater, row.label(about.scheme)
        yield csv_line([row.item.name, _mark_span(row.item), *told])


def _mark_span(item: JudgedItem) -> str:
    """The text with its span in brackets, as sets have it."""
    if item.span is None:
        return " ".join(item.text.split())
    start, end = item.span
    gap = " " if start == end else ""
    return " ".join(f"{item.text[:start]}{gap}[{item.text[start:end]}]{gap}{item.text[end:]}".split())


def _cell(question: Question, answer: object) -> str:
    """An answer in a cell; no answer is empty."""
    return "" if answer is None else kind_of_question(question).cell(answer)


# ``judge``: a study as judgments, read-only, as it stands at one moment.


@dataclass(frozen=True, slots=True, repr=False)
class StudyJudgments(Result):
    """The judgments of a study at one moment, as ``agree``, ``crowd`` and ``curve`` take them.

    Tables of judgments know all labels of the scheme, also those that nobody gave.

    Attributes:
        scheme: What is asked.
        rules: Who judges how much.
        judgments: Those that count: of items for work, k at most of each, by raters who are not excluded.
        extra: Those that came when all places of their item were taken.
        excluded: Those of raters who are excluded.
        gold: Those of hidden gold items.
        repeats: Those of items that a rater judged a second time.
        answers: What is right of each gold item.
        raters: Who judges, with status and reason of an exclusion.
        rows: Every judgment that has an answer, those that were skipped too, with all that was said.
        notes: Warnings.
    """

    scheme: Scheme
    rules: StudyRules
    judgments: Judgments
    extra: Judgments
    excluded: Judgments
    gold: Judgments
    repeats: Judgments
    answers: dict[str, tuple[str, ...]]
    raters: Sequence[RaterFacts]
    rows: Sequence[JudgmentRow] = field(repr=False)
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """How many there are of each kind."""
        kinds = ("judgments", "extra", "excluded", "gold", "repeats")
        return {"scheme": self.scheme.name, "raters": len(self.raters)} | {
            name: len(getattr(self, name)) for name in kinds
        }

    def comparisons(self) -> Comparisons:
        """The comparisons of the rankings that count, for ``rank`` and ``meta``.

        Raises:
            UsageError: If the scheme ranks nothing (``judge-export-kind``).
            InputError: If nothing is judged yet (``ranking-empty``).
        """
        _check_ranks(self.scheme)
        counted = (row for row in self.rows if row.item.kind == "work" and (row.round, row.state) == ("main", "done"))
        return comparisons_of(rankings_of(counted, self.scheme))

    def tables(self) -> list[Table]:
        """A row for each judgment, as ``judge_export`` writes them, those that do not count too."""
        columns = [*map(Column, ("item", "rater", "label")), Column("seconds", "number", digits=3)]
        columns += [*map(Column, ("round", "state")), Column("version", "count")]
        cell_rows: list[list[Cell]] = []
        for row in self.rows:
            first_cells = row.item.name, row.rater, row.label(self.scheme), row.seconds
            cell_rows.append([*first_cells, row.round, row.state, row.version])
        return [Table(columns, cell_rows)]


@public()
def judge(study: str | PathLike[str] | Study) -> StudyJudgments:
    """Open a study read-only as judgments, at any moment, also while raters work on it.

    Args:
        study: Its folder.

    Raises:
        InputError: If there is no study, or it cannot be read.
    """
    with Study.open(study).snapshot() as tx:
        columns = read_study(tx, whole=True)
        rows = list(judgment_rows(tx, PARTS))
    gold = columns.is_gold[columns.item]

    def table(round_: Round, *states: State, of_gold: bool = False, aside: bool | None = None) -> Judgments:
        kept = columns.rows(round_, *states)
        kept = kept[(gold[kept] == of_gold) & (columns.label[kept] >= 0)]
        kept = kept if aside is None else kept[columns.set_aside[kept] == aside]
        names = tuple(item.name for item in columns.items), tuple(rater.name for rater in columns.raters)
        item, rater, label = (
            np.asarray(column[kept], np.int32) for column in (columns.item, columns.rater, columns.label)
        )
        return _of_kind(Judgments(item, rater, label, *names, columns.labels), gold=columns.is_gold == of_gold)

    about = columns.about
    answers = {item.name: item.whole.answers for item in columns.items if item.gold and item.whole is not None}
    parts = table("main"), table("main", "extra", aside=False), table("main", "extra", "aside", aside=True)
    tested = table("main", *JUDGED, of_gold=True)
    repeats = table("repeat", "done", "extra")
    return StudyJudgments(about.scheme, about.rules, *parts, tested, repeats, answers, columns.raters, rows)


def _of_kind(table: Judgments, gold: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Judgments:
    """The table with the items of one kind alone."""
    place = np.cumsum(gold, dtype=np.int32) - 1
    names = tuple(name for name, kept in zip(table.items, gold.tolist(), strict=True) if kept)
    return Judgments(place[table.item], table.rater, table.label, names, table.raters, table.labels)
