"""``judge_adjudicate``: a study of what the raters of another one disagree on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, text

from errorbar.api.arguments import public
from errorbar.core.problems import Place, Problem, Problems, UsageError, nearest, shell_words
from errorbar.formats.look import Lines, Source
from errorbar.judging.scheme import JudgedItem, Scheme
from errorbar.judging.study.adjudication import AGREED, UNJUDGED, Origin, answer_key, collapse_answers, own_sides
from errorbar.judging.study.backup import describe
from errorbar.judging.study.folder import SCHEME, Study
from errorbar.judging.study.guidance import check_face, read_face
from errorbar.judging.study.make import fill_study
from errorbar.judging.study.rows import judgment_rows, rows
from errorbar.judging.study.rules import StudyInfo, StudyRules, read_about
from errorbar.tables.result import Result
from errorbar.tables.table import Column, Table
from errorbar.version import __version__

_LACKING = text(
    "SELECT count(*) FROM item i WHERE i.kind = 'work' AND i.stopped = '' AND (SELECT count(*) FROM assignment a"
    " WHERE a.item = i.id AND a.round = 'main' AND a.state = 'done') < :k"
)


@dataclass(frozen=True, slots=True, repr=False)
class JudgeAdjudicate(Result):
    """An adjudication that was made.

    Attributes:
        folder: Of the new study.
        n_contested: Items to adjudicate.
        n_agreed: Items on which no two raters differ, which are kept as they are.
        raters: Whose answers there are to choose from.
        notes: Warnings.
    """

    folder: Path
    n_contested: int
    n_agreed: int
    raters: tuple[str, ...]
    notes: Sequence[Problem] = ()

    def to_dict(self) -> dict[str, object]:
        """The parts of the new study."""
        counts = {"items": self.n_contested, "agreed_items": self.n_agreed}
        return {"study": str(self.folder), **counts, "raters": list(self.raters)}

    def tables(self) -> list[Table]:
        """One row."""
        names = ("items", "agreed items", "raters")
        columns = [Column("study"), *(Column(name, "count") for name in names)]
        return [Table(columns, [[str(self.folder), self.n_contested, self.n_agreed, len(self.raters)]])]


@public()
def judge_adjudicate(
    study: str | PathLike[str] | Study,
    folder: str | PathLike[str],
    *,
    all_items: bool = False,
    differing: str | Sequence[str] = (),
    show_counts: bool = False,
    guidelines: Source | None = None,
    about: Source | None = None,
    store: str = "",
) -> JudgeAdjudicate:
    """Make a study of the items on which the raters of another one differ, with their answers to choose from.

    The other study stays as it is. Raters who are excluded, answers beyond k, gold items and repeats are left out.

    Args:
        study: Its folder.
        folder: Of the adjudication, a new one.
        all_items: Ask about every item that somebody judged, also where no two raters differ.
        differing: A question on which raters must differ. Several can be given; none: on any question.
        show_counts: Show how many raters gave each answer.
        guidelines: Markdown for adjudicators, instead of the study's.
        about: TOML of what adjudicators read before and after the work: title, contact, time, pay, consent, breaks.
        store: A PostgreSQL database, ``postgresql://USER@HOST/DATABASE``. Empty: SQLite, in the folder.

    Raises:
        InputError: If there is no study, or a file is bad; then nothing is made.
        UsageError: If nobody judged anything, no two raters differ, or there is no such question.
    """
    opened, problems = Study.open(study), Problems()
    with opened.snapshot() as tx:
        known = read_about(tx)
        asked = _check_questions(known.scheme, [differing] if isinstance(differing, str) and differing else differing)
        items = list(_items_with_choices(tx, known.scheme, show_counts=show_counts))
        raters = [row.name for row in rows(tx, "SELECT name FROM rater ORDER BY id")]
        n_lacking = tx.scalar(_LACKING, {"k": known.rules.raters_per_item}) or 0
        origin = Origin(opened.folder.resolve().name, describe(tx).digest, _givers(items, raters))
    judged = [item for item in items if item.choices]
    contested = [item for item in judged if all_items or _is_contested(known.scheme, item, asked)]
    if not contested:
        raise _nothing_error(opened, judged)
    stopped = {item.name: AGREED if item.choices else UNJUDGED for item in items}
    for item in contested:
        del stopped[item.name]
    if n_lacking:
        message = f"{n_lacking:,} items lack judgments; they are adjudicated as they stand"
        problems.note("judge-unfinished", message, Place(), "adjudicate once errorbar judge status says all are judged")
    face: dict[str, Any] = {} if about is None else read_face(about)
    instructions = known.guidelines if guidelines is None else "\n".join(Lines(guidelines, problems))
    problems.raise_errors()
    info = StudyInfo(known.scheme, _rules(known.rules, face), instructions, __version__, "", origin.to_json())
    path = opened.folder / SCHEME
    scheme_toml = path.read_text(encoding="utf-8") if path.exists() else ""
    created = Study.create(
        folder, lambda new: fill_study(new, info, items, stopped), store=store, scheme_toml=scheme_toml
    )
    return JudgeAdjudicate(
        created.folder, len(contested), len(judged) - len(contested), origin.raters, tuple(problems.notes)
    )


def _items_with_choices(tx: Connection, scheme: Scheme, *, show_counts: bool) -> Iterator[JudgedItem]:
    """The items for work in the study's order, with the answers that count; none where nobody judged."""
    answers: dict[str, list[tuple[str, Mapping[str, Any]]]] = {}
    for row in judgment_rows(tx, ("beyond",)):
        if (answer := own_sides(scheme, row)) is not None:
            answers.setdefault(row.item.name, []).append((row.rater, answer))
    for (payload,) in rows(tx, "SELECT payload FROM item WHERE kind = 'work' ORDER BY id"):
        item = JudgedItem.from_json(payload)
        choices = collapse_answers(scheme, answers.get(item.name, ()), show_counts=show_counts)
        yield replace(item, choices=choices, proposed={})  # what a program proposed is behind the raters


def _is_contested(scheme: Scheme, item: JudgedItem, questions: Sequence[str]) -> bool:
    """Whether raters differ, on one of some questions; none: on any."""
    return len({answer_key(scheme, choice.answer, questions) for choice in item.choices}) > 1


def _check_questions(scheme: Scheme, names: Sequence[str]) -> Sequence[str]:
    known = [question.id for question in scheme.questions]
    for name in names:
        if name not in known:
            message = f"the scheme {scheme.name} has no question '{name}'"
            raise UsageError(Problem("judge-question", message, fix=nearest(name, known)))
    return names


def _givers(items: Sequence[JudgedItem], raters: Sequence[str]) -> tuple[str, ...]:
    """The raters whose answers there are, in the order of the study."""
    givers = {rater for item in items for choice in item.choices for rater in choice.raters}
    return tuple(rater for rater in raters if rater in givers)


def _nothing_error(study: Study, judged: Sequence[JudgedItem]) -> UsageError:
    if not judged:
        message = "nobody judged anything in this study yet"
        fix = f"errorbar judge status {shell_words(study.folder)} tells how it stands"
        return UsageError(Problem("judge-nothing", message, fix=fix))
    message = f"no two raters differ on any of the {len(judged):,} items"
    return UsageError(Problem("judge-no-difference", message, fix="--all asks about every item"))


def _rules(before: StudyRules, face: Mapping[str, Any]) -> StudyRules:
    """One adjudicator an item, and no gold; what raters agreed to and are paid is not for adjudicators."""
    kept = {name: getattr(before, name) for name in ("page", "lease_minutes", "contact", "language", "direction")}
    kept |= {"title": before.title, "break_minutes": before.break_minutes, "break_items": before.break_items}
    values = {"raters_per_item": 1, "gold_per_page": 0, "policy": "none", **kept, **face}
    values["eligibility"] = tuple(values.get("eligibility", ()))
    rules = StudyRules(**values)
    check_face(rules)
    return rules
