"""``judge_init``: a new study, of items or of an export; it is made whole or not at all."""

from __future__ import annotations

import json
import re
import secrets
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from math import isfinite
from operator import index
from os import PathLike
from pathlib import Path
from typing import Annotated, Any, TypedDict, Unpack, get_args, get_type_hints

from sqlalchemy import Connection, insert, text
from sqlalchemy import Table as SqlTable
from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

from errorbar.api.arguments import ArgumentDoc, Bounds, Count, Whole, public
from errorbar.api.inputs import Systems
from errorbar.core.corpus import Corpus
from errorbar.core.labels import format_count
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, shorten_text
from errorbar.formats.look import Lines, Source, look
from errorbar.formats.untrusted import NotJsonError, json_record, parse_json
from errorbar.judging.answers import check_answer
from errorbar.judging.items.context import EACH_PAIR, Context, with_verbs
from errorbar.judging.items.sources import SAYS, Against, read_items, read_ranked_items, with_gold
from errorbar.judging.protocol.changes import add_items, set_rules, stop_item
from errorbar.judging.quality import TOGETHER, class_of, count_gold_of_rater, fewest_to_fail
from errorbar.judging.question_kinds import MOST_OUTPUTS, kind_of_question
from errorbar.judging.scheme import JudgedItem, Scheme
from errorbar.judging.scheme_files import load_scheme, scheme_text, with_types
from errorbar.judging.scheme_kinds import Editors, kind_of, propose_edits, sentence_of
from errorbar.judging.stopping.question import fitting
from errorbar.judging.store.store import Store
from errorbar.judging.store.tables import ANSWER, ASSIGNMENT, EVENT, EXCLUSION, ITEM, METADATA, RATER
from errorbar.judging.study.adjudication import Origin
from errorbar.judging.study.backup import check_rows
from errorbar.judging.study.folder import Study
from errorbar.judging.study.guidance import check_face, check_questions, read_face
from errorbar.judging.study.rows import FORMAT, VERSION, Record
from errorbar.judging.study.rules import (
    Direction,
    PageTongue,
    Policy,
    StudyInfo,
    StudyRules,
    Withdrawing,
    parsed_key,
    read_study_key,
    study_clock,
    write_about,
)
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table
from errorbar.version import __version__


@contextmanager
def emptied_if_failed(study: Study) -> Iterator[Store]:
    """Make a study's store; what fails in it takes the tables with it, as a database is not in the study's folder."""
    with Store.create(study.url, clock=study_clock()) as store:
        try:
            yield store
        except BaseException:
            if study.address:
                store.write(_drop)
            raise


def _drop(tx: Connection) -> None:
    METADATA.drop_all(tx)
    tx.execute(text("DROP TABLE alembic_version"))


# A study restored from its export: the same records, so that its export is the same again.


CHUNK = 5000
KINDS = ("item", "rater", "excluded", "judgment", "event")
_DAMAGE = (KeyError, TypeError, ValueError, AttributeError, StopIteration, OverflowError, UsageError)
"""What comes of a value that no export of ours has."""


@dataclass(frozen=True, slots=True)
class Restored:
    """The study that was restored."""

    about: StudyInfo
    n_items: int
    n_gold: int


def is_export(path: Source) -> bool:
    """Whether a file is the whole of a study."""
    record = json_record(look(path).peek())
    return record is not None and record.get("format") == FORMAT


def restore(study: Study, source: Source) -> Restored:
    """Make a study's store of an export.

    Raises:
        InputError: If the export is damaged, or says what cannot be of a study; nothing is made.
    """
    name = str(source)
    lines = Lines(source, Problems())
    with emptied_if_failed(study) as store, store.exclusive() as tx:
        number = 0
        try:
            records = _records(lines)
            number, head = next(records)
            about = _study_info(head)
            write_about(tx, about)
            into = _Restoring(tx, about.scheme)
            for number, record in records:  # noqa: B007 - of the line that is wrong
                into.take(record)
            expected = head.get("records", number - 1)  # exports had no count before
            if number - 1 != expected:
                raise ValueError(f"{number - 1} records behind the first line, which says {expected}")
            into.finish()
        except (*_DAMAGE, IntegrityError, DataError) as error:
            reason = error.problems[0].what if isinstance(error, UsageError) else f"{type(error).__name__} at {error}"
            if isinstance(error, DBAPIError):  # of one among the rows that were put down together
                reason = f"the store refuses its rows: {error.orig}"
            message = f"the export is damaged: {reason}"
            raise InputError(
                Problem("judge-export", message, Place(name, number), fix="export the study again")
            ) from None
        if broken := check_rows(tx):
            message = f"the export contradicts itself: {broken[0]}"
            raise InputError(Problem("judge-export", message, Place(name), fix="export the study again"))
    return Restored(about, into.n_items, into.n_gold)


def _records(lines: Iterable[str]) -> Iterator[tuple[int, Record]]:
    for number, line in enumerate(lines, 1):
        record: object = None
        with suppress(NotJsonError):
            record = parse_json(line)
        if not isinstance(record, dict):
            raise ValueError(f"line {number}, which is no JSON object")
        yield number, record


def _study_info(head: Record) -> StudyInfo:
    if head["version"] != VERSION:
        raise ValueError(f"version {head['version']}, and this errorbar reads version {VERSION}")
    scheme, rules = (json.dumps(head[name], ensure_ascii=False) for name in ("scheme", "rules"))
    key, adjudicated = (
        json.dumps(head[name], ensure_ascii=False) if name in head else "" for name in ("key", "adjudicated")
    )
    if key:
        parsed_key(key)
    if adjudicated:
        Origin.from_json(adjudicated)
    known, known_scheme = StudyRules.from_json(rules), Scheme.from_json(scheme)
    check_rules(asdict(known))
    kind_of(known_scheme)
    if known_scheme.main not in [question.id for question in known_scheme.questions]:
        raise ValueError(f"the scheme, which has no question '{shorten_text(known_scheme.main)}'")
    for question in known_scheme.questions:
        kind_of_question(question)
    return StudyInfo(known_scheme, known, head["guidelines"], head["made_by"], key, adjudicated)


class _Restoring:
    """Puts records into tables, many rows at a time; rows are numbered as they come."""

    def __init__(self, tx: Connection, scheme: Scheme) -> None:
        self.tx, self.scheme = tx, scheme
        self.items: dict[str, tuple[int, JudgedItem]] = {}
        self.raters: dict[str, int] = {}
        self.assignments: dict[tuple[int, int], int] = {}  # rater and seq
        self.waiting: dict[SqlTable, list[Mapping[str, Any]]] = {}
        self.n_items = self.n_gold = 0

    def take(self, record: Record) -> None:
        """Put a record where it belongs."""
        kind = next(iter(record))
        if kind not in KINDS:
            raise ValueError(f"a record of '{kind}'")
        getattr(self, f"_{kind}")(record.pop(kind), record)

    def finish(self) -> None:
        """Put down what is still waiting."""
        for table in (ITEM, RATER, EXCLUSION, ASSIGNMENT, ANSWER, EVENT):
            self._flush(table)

    def _add(self, table: SqlTable, row: Mapping[str, Any]) -> None:
        _check_row(table, row)
        waiting = self.waiting.setdefault(table, [])
        waiting.append(row)
        if len(waiting) == CHUNK:
            for before in (ITEM, RATER, ASSIGNMENT):  # to which others point
                self._flush(before)
            self._flush(table)

    def _flush(self, table: SqlTable) -> None:
        if waiting := self.waiting.pop(table, []):
            self.tx.execute(insert(table), waiting)

    def _item(self, payload: Mapping[str, Any], fields: Record) -> None:
        item = JudgedItem.from_json(json.dumps(payload, ensure_ascii=False))
        _check_item(item)
        place, taken, stopped = (fields[name] for name in ("place", "taken", "stopped"))
        self.items[item.name] = len(self.items) + 1, item
        self.n_items, self.n_gold = self.n_items + (item.kind == "work"), self.n_gold + (item.kind == "gold")
        row = {"name": item.name, "kind": item.kind, "gold_class": item.gold_class}
        row |= {"payload": item.to_json(), "text_hash": item.text_hash(), "place": place}
        self._add(ITEM, row | {"taken": taken, "stopped": stopped})

    def _rater(self, name: str, fields: Record) -> None:
        self.raters[name] = len(self.raters) + 1
        agreed = json.dumps(_object(fields.pop("agreed")), ensure_ascii=False)
        self._add(RATER, {"name": name, "participant": f"restored:{name}", "agreed": agreed, "gold": None, **fields})

    def _excluded(self, rater: str, fields: Record) -> None:
        self._add(EXCLUSION, {"rater": self.raters[rater], **fields})

    def _judgment(self, item: str, fields: Record) -> None:
        fields.pop("label")
        answers, rater = fields.pop("answers"), self.raters[fields.pop("rater")]
        key = self.assignments[rater, fields["seq"]] = len(self.assignments) + 1
        token, (number, asked) = secrets.token_urlsafe(16), self.items[item]
        row = {"token": token, "item": number, "rater": rater, **fields, "reversed": int(fields["reversed"])}
        self._add(ASSIGNMENT, row)
        for answer in answers:
            trail = json.dumps(_object(answer["trail"]), ensure_ascii=False) if answer["trail"] else ""
            if answer["answer"] is not None:
                check_answer(self.scheme, asked, _object(answer["answer"]))
            answer_json = json.dumps(answer["answer"], ensure_ascii=False)
            self._add(ANSWER, answer | {"assignment": key, "answer": answer_json, "trail": trail})

    def _event(self, kind: str, fields: Record) -> None:
        seq, rater = fields.pop("seq"), None if fields["rater"] is None else self.raters[fields["rater"]]
        assignment = None if seq is None or rater is None else self.assignments[rater, seq]
        self._add(EVENT, {**fields, "kind": kind, "rater": rater, "assignment": assignment})


_TYPES: Mapping[type, tuple[type, ...]] = {int: (int,), float: (int, float), str: (str,)}


def _check_row(table: SqlTable, row: Mapping[str, Any]) -> None:
    """See that the values of a row are those of its columns; databases do not, or say it of their disk."""
    for name, value in row.items():
        column = table.columns[name]
        fits = isinstance(value, _TYPES[column.type.python_type]) and not isinstance(value, bool)
        if value is None:
            fits = bool(column.nullable)
        elif fits and isinstance(value, float):
            fits = isfinite(value)
        if not fits:
            raise ValueError(f"{name} = {shorten_text(repr(value))}")
    for column in table.columns:
        if not (column.name in row or column.nullable or column.server_default is not None or column.primary_key):
            raise KeyError(column.name)


def _check_item(item: JudgedItem) -> None:
    """See that an item is one that raters can be shown."""
    texts = (item.name, item.text, item.before, item.after, item.explanation, *item.candidates, *item.names)
    texts += (*item.answers, *item.hidden, *item.hidden.values())
    if not all(isinstance(value, str) for value in texts) or item.kind not in ("work", "gold"):
        raise TypeError(f"the item '{shorten_text(str(item.name))}'")
    if item.span is not None:
        start, end = map(index, item.span)
        if not 0 <= start <= end <= len(item.text):
            raise ValueError(f"the span {start} to {end} of the item '{shorten_text(item.name)}'")
    _object(item.proposed)


def _object(value: Any) -> Mapping[str, Any]:  # noqa: ANN401 - of JSON
    """A value that is an object of JSON."""
    if not isinstance(value, dict):
        raise TypeError(shorten_text(repr(value)))
    return value


# ``judge_init``: a new study, whole or not at all.


_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(-[A-Za-z0-9]{1,8})*")
MOST = 10**9
_Raters = Annotated[int, Bounds(1, 10_000)]
_Page = Annotated[int, Bounds(1, 10)]
_GoldPerPage = Annotated[int, Bounds(0, 10)]
_Minutes = Annotated[float, Bounds(0.01)]
_Portion = Annotated[float, Bounds(0, 1)]


class Ruling(TypedDict, total=False):
    """The rules of a study."""

    raters_per_item: Annotated[_Raters, ArgumentDoc(3, "Judgments of each item, by different raters.")]
    items_per_rater: Annotated[Whole, ArgumentDoc(0, "The most items of one rater; 0: all there are.")]
    page: Annotated[_Page, ArgumentDoc(10, "Items that a browser holds at a time.")]
    lease_minutes: Annotated[_Minutes, ArgumentDoc(60.0, "How long an item is kept for the rater who holds it.")]
    gold_per_page: Annotated[_GoldPerPage, ArgumentDoc(1, "Hidden gold items among those of a page.")]
    quiz: Annotated[Whole, ArgumentDoc(0, "Gold items with explanations before the work; 0: none.")]
    quiz_pass: Annotated[_Portion, ArgumentDoc(0.7, "The share of right answers that passes the quiz.")]
    policy: Annotated[Policy, ArgumentDoc("sequential", "How raters are excluded by their answers to gold items.")]
    policy_share: Annotated[_Portion, ArgumentDoc(0.7, "The least accuracy of ``posterior`` and ``fixed``.")]
    policy_gold: Annotated[Count, ArgumentDoc(10, "Answers to gold items before ``fixed`` decides.")]
    repeats: Annotated[_Portion, ArgumentDoc(0.0, "The share of a rater's items that are shown once more.")]
    pay: Annotated[str, ArgumentDoc("", "What an item pays, e.g. ``$0.02``, as raters read it.")]
    consent: Annotated[str, ArgumentDoc("", "Text that raters must agree to.")]
    eligibility: Annotated[str | Sequence[str], ArgumentDoc((), "A question that raters must answer with yes.")]
    title: Annotated[str, ArgumentDoc("", "The title that raters see; empty: the scheme's.")]
    contact: Annotated[str, ArgumentDoc("", "To whom raters can write, e.g. ``Jo Doe, jo@example.org``.")]
    minutes: Annotated[Whole, ArgumentDoc(0, "How long the work takes a rater, as they read it; 0: nothing is said.")]
    pay_total: Annotated[str, ArgumentDoc("", "What the whole work pays, e.g. ``$3``, as raters read it.")]
    return_url: Annotated[str, ArgumentDoc("", "Where raters go in the end; may name {code}, {participant}.")]
    break_minutes: Annotated[Whole, ArgumentDoc(30, "Minutes at work after which a break is suggested; 0: never.")]
    break_items: Annotated[Whole, ArgumentDoc(0, "Items after which a break is suggested; 0: never.")]
    language: Annotated[str, ArgumentDoc("en", "The language of the texts, e.g. ``pt-BR``.")]
    direction: Annotated[Direction, ArgumentDoc("auto", "The direction in which the texts are written.")]
    withdrawal: Annotated[
        Withdrawing, ArgumentDoc("keep", "Whether answers of a rater who withdraws are kept, or removed.")
    ]
    training: Annotated[Whole, ArgumentDoc(0, "Gold items with explanations before all else, no test; 0: none.")]
    page_language: Annotated[
        PageTongue, ArgumentDoc("auto", "The language of raters' pages; ``auto``: that of the texts, else English.")
    ]
    stop: Annotated[str, ArgumentDoc("", "When judging may stop early, e.g. ``R(half_width=0.03)``.")]
    adaptive: Annotated[bool, ArgumentDoc(False, "Of rankings: pairs of systems, the least known order next.")]


_ARGUMENTS = {name: get_args(hint)[1:] for name, hint in get_type_hints(Ruling, include_extras=True).items()}
_DEFAULTS = {name: text.default for name, (*_, text) in _ARGUMENTS.items()}
BOUNDS = [(name, bounds) for name, (bounds, *_) in _ARGUMENTS.items() if isinstance(bounds, Bounds)]
"""The numbers that rules may have; what has no upper bound is at most ``MOST``."""


@dataclass(frozen=True, slots=True, repr=False)
class JudgeInit(Result):
    """A study that was made.

    Attributes:
        folder: Of the study.
        scheme: What is asked.
        rules: Who judges how much.
        n_items: Items for work.
        n_gold: Gold items.
        notes: Warnings.
    """

    folder: Path
    scheme: Scheme
    rules: StudyRules
    n_items: int
    n_gold: int
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """The parts of the study."""
        return {
            "study": str(self.folder),
            "scheme": self.scheme.name,
            "items": self.n_items,
            "gold_items": self.n_gold,
            "raters_per_item": self.rules.raters_per_item,
            "judgments": self.n_items * self.rules.raters_per_item,
        }

    def tables(self) -> list[Table]:
        """One row."""
        k = self.rules.raters_per_item
        row: list[Cell] = [str(self.folder), self.scheme.name, self.n_items, self.n_gold, k, k * self.n_items]
        columns = [Column("study"), Column("scheme")]
        names = ("items", "gold items", "raters per item", "judgments")
        return [Table([*columns, *(Column(name, "count") for name in names)], [row])]


@public()
def judge_init(
    folder: str | PathLike[str],
    items_from: Source | Corpus,
    *,
    scheme: str | Path = "error-ok",
    systems: Systems = (),
    items: str = "",
    against: Against = "writer",
    outputs: int = MOST_OUTPUTS,
    context: Context = "sentence",
    editors: Editors | None = None,
    gold_items: Source | None = None,
    guidelines: Source | None = None,
    about: Source | None = None,
    key: Source | None = None,
    tagger: Source | None = None,
    types: str = "",
    blank: _Portion = 0.0,
    store: str = "",
    lenient: bool = False,
    **rules: Unpack[Ruling],
) -> JudgeInit:
    """Make a study: a folder with what is asked, of how many, and the store of the judgments. All of it, or nothing.

    Args:
        folder: Of the study, a new one.
        items_from: What is judged: a table of items, a set of ``sample draw``, a corpus, sentences one a line; or
            everything that ``judge export`` wrote of another study (JSONL), which is restored.
        scheme: What is asked: ``error-ok``, ``choice``, ``cloze``, ``preposition``, ``rank``, ``edits``, ``post-edit``,
            or a TOML file.
        systems: A system's text for the sentences: what it changes is judged, in the scheme ``edits`` put before raters
            to be accepted, changed or rejected; in ``post-edit`` the text is edited. Several can be given, of ``edits``
            one.
        items: Of a corpus: ``words:CLASS``, ``tokens``, ``gaps``, ``sentences``, ..., or ``edits``, what was changed.
        against: Of a choice test: a system's text is set against the writer's, or two systems' against each other.
        outputs: Of rankings: the most outputs that stand on one screen, 2 to 5.
        context: Of a corpus: how much raters see around an item: the sentence before, its paragraph, its document.
        editors: Of systems' outputs: ``crossed``: each rater edits all systems, of a sentence one; ``nested``: each
            edits one system; ``free``: any output to anybody. None: crossed.
        gold_items: A table of items whose answers are known.
        guidelines: Markdown for raters, instead of the scheme's.
        about: TOML of what raters read before and after the work: title, contact, time, pay, consent, breaks, the
            address to go back to.
        key: Key of the sample or audit that the items are: what ``stop`` asks is estimated with it. No rater sees it.
        tagger: A folder of models whose tagger proposes the verb of each preposition; ``auto``: ``models`` here, else
            those of errorbar-models. None: nothing is proposed.
        types: Of the scheme ``edits``, the types of errors: ``nucle``, ``errant``, ``none``, or a file with a code and
            its description in each line. Empty: the scheme's.
        blank: Of the scheme ``edits``, the share of the items that come without the system's edits, so that their
            effect can be measured.
        store: A PostgreSQL database, ``postgresql://USER@HOST/DATABASE``. Empty: SQLite, in the folder.
        lenient: Repair what can be repaired of a corpus or table and note it; otherwise refuse it.
        rules: Who judges how much.

    Raises:
        InputError: If a file is bad: with all that is wrong, and nothing is made.
        UsageError: If arguments do not fit each other.
    """
    options = {name: rule for name, rule in rules.items() if rule != _DEFAULTS[name]}
    if not isinstance(items_from, Corpus) and is_export(items_from):
        is_set = {"systems": bool(systems), "items": bool(items), "against": against != "writer"}
        is_set |= {"outputs": outputs != MOST_OUTPUTS}
        is_set |= {
            "context": context != "sentence",
            "editors": editors is not None,
            "gold_items": gold_items is not None,
            "guidelines": guidelines is not None,
            "about": about is not None,
            "key": key is not None,
            "tagger": tagger is not None,
            "types": bool(types),
            "blank": blank != 0,
        }
        is_set |= {"scheme": scheme != "error-ok"} | {name: name in options for name in rules}
        return _restore_study(Path(folder), items_from, store, is_set)
    problems = Problems(lenient=lenient)
    face = {} if about is None else read_face(about, options)
    chosen, ruling = load_scheme(scheme), check_rules({**rules, **face})
    chosen = with_types(chosen, types) if types else chosen
    _check_ranks(
        chosen, ruling, {"outputs": outputs != MOST_OUTPUTS, "items": bool(items), "against": against != "writer"}
    )
    if kind_of(chosen).ranks:
        wanted = EACH_PAIR if ruling.adaptive else outputs
        judged = read_ranked_items(items_from, chosen, problems, systems, wanted)
    else:
        judged = read_items(
            items_from, chosen, problems, systems=systems, items=items, against=against, context=context
        )
    judged = _with_proposals(judged, chosen, blank)
    if gold_items is not None:
        judged = with_gold(judged, gold_items, chosen, problems)
    if tagger is not None:
        problems.raise_errors()
        judged = with_verbs(judged, chosen, tagger, problems)
    text = chosen.guidelines if guidelines is None else "\n".join(Lines(guidelines, problems))
    problems.raise_errors()
    ruling = check_rules({**asdict(ruling), **_choose_editors(chosen, judged, editors)})
    gold = [item for item in judged if item.kind == "gold"]
    _check_gold(ruling, gold, len(judged))
    problems.take(_warn_of_little_gold(chosen, ruling, gold, len(judged) - len(gold)))
    known = "" if key is None else read_study_key(key, problems)
    ruling = replace(ruling, stop=fitting(ruling.stop, chosen, judged, known))
    info = StudyInfo(chosen, ruling, text, __version__, known)
    created = Study.create(
        folder, lambda study: fill_study(study, info, judged), store=store, scheme_toml=scheme_text(scheme)
    )
    return JudgeInit(created.folder, chosen, ruling, len(judged) - len(gold), len(gold), tuple(problems.notes))


def _check_ranks(scheme: Scheme, rules: StudyRules, is_set: Mapping[str, bool]) -> None:
    """Refuse options that have no effect on rankings, or on anything else."""
    ranks = kind_of(scheme).ranks
    useless = ("items", "against", *(["outputs"] if rules.adaptive else [])) if ranks else ("outputs",)
    for name in useless:
        if is_set[name]:
            message = f"--{name} has no effect on {'pairs' if rules.adaptive else f'the scheme {scheme.name}'}"
            raise UsageError(Problem("useless-option", message, fix="leave it out"))
    if rules.adaptive and not ranks:
        message = f"--adaptive chooses between pairs of systems, and the scheme {scheme.name} ranks none"
        raise UsageError(Problem("judge-adaptive", message, fix="--scheme=rank"))
    if rules.adaptive and rules.stop:
        message = "--adaptive takes pairs as they are least known, and --stop wants items in their order"
        raise UsageError(Problem("two-choices", message, fix="give one of them"))


def _with_proposals(items: list[JudgedItem], scheme: Scheme, blank: float) -> list[JudgedItem]:
    """The items with the edits of the system whose text they have, where raters write edits."""
    names = {name for item in items for name in item.hidden if name.startswith(SAYS)}
    if not names or not kind_of(scheme).corrects_sentences:
        if blank:
            message = "--blank is for edits that a system proposes, and none are proposed here"
            raise UsageError(Problem("useless-option", message, fix="--scheme=edits with --system"))
        return items
    if not 0 <= blank < 1:
        raise UsageError(Problem("bad-parameter", f"--blank must be from 0 to less than 1, got {blank:g}"))
    if len(names) > 1:
        message = f"{len(names)} systems' edits cannot be proposed at once"
        raise UsageError(Problem("judge-items", message, fix="give one --system"))
    (name,) = names
    return propose_edits(items, scheme, {item.name: item.hidden[name] for item in items}, blank)


def fill_study(
    study: Study, about: StudyInfo, items: Sequence[JudgedItem], stopped: Mapping[str, str] | None = None
) -> None:
    """Make the store of a new study.

    Args:
        study: Unfinished.
        about: What is asked of whom.
        items: Of the study.
        stopped: Why no judgments are wanted of some of them, by name.
    """
    with emptied_if_failed(study) as store, store.exclusive() as tx:
        now = store.clock()
        write_about(tx, about)
        set_rules(tx, about.rules, now)
        add_items(tx, items, now)
        for name, reason in (stopped or {}).items():
            stop_item(tx, name, reason, now)


def _restore_study(folder: Path, source: Source, store: str, arguments: Mapping[str, bool]) -> JudgeInit:
    """A study of an export, which says all there is to say of it."""
    for name, is_set in arguments.items():
        if is_set:
            message = f"--{name.replace('_', '-')} is for new studies, and this is the export of one, which is restored"
            raise UsageError(Problem("useless-option", message, fix="leave it out"))
    results: list[Restored] = []
    scheme_toml = "# Restored from an export: the scheme is in the store.\n"
    created = Study.create(
        folder, lambda study: results.append(restore(study, source)), store=store, scheme_toml=scheme_toml
    )
    (restored,) = results
    message = "raters come back by new links, and completion codes are new: neither is in an export"
    note = Problem("judge-restored", message, fix="errorbar judge invite --back RATER", severity="warning")
    about = restored.about
    return JudgeInit(created.folder, about.scheme, about.rules, restored.n_items, restored.n_gold, (note,))


def check_rules(rules_by_name: Mapping[str, Any]) -> StudyRules:
    """The rules, each within its bounds."""
    values: dict[str, Any] = {**rules_by_name}
    eligibility = values["eligibility"]
    rules = StudyRules(
        **values
        | {"eligibility": (eligibility,) if isinstance(eligibility, str) and eligibility else tuple(eligibility)}
    )
    for name, (low, high, _) in BOUNDS:
        value = getattr(rules, name)
        if not low <= value <= (MOST if high is None else high):
            expected = f"at least {low:g}" if high is None else f"from {low:g} to {high:g}"
            message = f"--{name.replace('_', '-')} must be {expected}, got {value:g}"
            raise UsageError(Problem("bad-parameter", message))
    if not _LANGUAGE.fullmatch(rules.language):
        message = f"--language must be the code of a language, got '{shorten_text(rules.language)}'"
        raise UsageError(Problem("bad-parameter", message, fix="for example en, pt-BR or zh-Hant"))
    check_face(rules)
    check_questions(rules.comprehension)
    if rules.stop and rules.systems:
        message = f"a study that may stop early takes items in one order, and editors are {rules.editors}"
        raise UsageError(Problem("two-choices", message, fix="leave --stop out, or give --editors=free"))
    if rules.gold_per_page > rules.page:
        message = f"--gold-per-page must be at most the {rules.page} items of a page, got {rules.gold_per_page}"
        raise UsageError(Problem("bad-parameter", message))
    return rules


def _choose_editors(scheme: Scheme, items: Sequence[JudgedItem], editors: Editors | None) -> dict[str, Any]:
    """The rules of who edits which system's outputs."""
    if not kind_of(scheme).edits_systems:
        if editors is not None:
            message = f"--editors is for systems' outputs that are edited, and the scheme is {scheme.name}"
            raise UsageError(Problem("useless-option", message, fix="leave it out, or give --scheme=post-edit"))
        return {}
    if editors == "free":
        return {"editors": editors}
    of_kind = {kind: {sentence_of(item): item for item in items if item.kind == kind} for kind in ("work", "gold")}
    if both := [item for sentence, item in of_kind["gold"].items() if sentence in of_kind["work"]]:
        message = (
            f"gold item '{shorten_text(both[0].name)}' is an output of a sentence of which raters edit another output"
        )
        raise UsageError(Problem("judge-gold", message, fix="make all outputs of the sentence gold, or --editors=free"))
    systems = tuple(dict.fromkeys(item.names[0] for item in items if item.kind == "work"))
    return {"editors": editors or "crossed", "systems": systems}


def _warn_of_little_gold(scheme: Scheme, rules: StudyRules, gold: Sequence[JudgedItem], n_work: int) -> list[Problem]:
    """A warning, where a rater gets fewer gold items than the policy needs to exclude anybody."""
    needed = fewest_to_fail(rules)
    if not gold or needed is None:
        return []
    counts = Counter(TOGETHER if rules.policy == "fixed" else class_of(scheme, item.gold_class) for item in gold)
    seen = count_gold_of_rater(rules, counts, n_work)
    few = {label: n for label, n in seen.items() if n < needed}
    if not few:
        return []
    each = ", ".join(f"{n} where '{label}' is right" for label, n in few.items() if label != TOGETHER)
    met = f"a rater meets at most {format_count(sum(seen.values()), 'gold items')}{f' ({each})' if each else ''}"
    of_class = " of a class" if each else ""
    effect = "so it excludes nobody" if len(few) == len(seen) else "so nobody is excluded by these"
    message = f"{met}, and the policy {rules.policy} needs {needed}{of_class}, {effect}"
    fix = (
        "raise --items-per-rater or --gold-per-page, give more --gold-items, or look at raters yourself: --policy=none"
    )
    return [Problem("judge-little-gold", message, fix=fix, severity="warning")]


def _check_gold(rules: StudyRules, gold: Sequence[JudgedItem], n_all: int) -> None:
    """Refuse a quiz with too little gold, where raters may get one output of a sentence: with too few sentences."""
    n_apart = len({sentence_of(item) for item in gold}) if rules.systems else len(gold)
    if rules.quiz + rules.training > n_apart:
        training = f" and a training of {rules.training}" if rules.training else ""
        of_sentences = " of different sentences" if rules.systems else ""
        message = f"a quiz of {rules.quiz}{training} needs as many gold items{of_sentences}, and there are {n_apart}"
        raise UsageError(Problem("judge-gold", message, fix="give --gold-items, or a shorter quiz"))
    if len(gold) == n_all:
        message = "every item is gold: there is nothing left to judge"
        raise UsageError(Problem("judge-gold", message, fix="add items whose answer is not known"))
