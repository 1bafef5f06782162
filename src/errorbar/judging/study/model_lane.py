"""``judge_llm``: language models as raters of a study, in a lane of their own beside the people.

Conventions
    The lane is a ledger of calls (``errorbar.llm.calls``) in the study's folder. The store of the study, its k places
    an item and its raters know nothing of it; an export has the lane's judgments where it is asked for them. An answer
    is what the kept reply says whenever it is read, so that a replay without network gives the same judgments.
    Of texts that are compared the first order is drawn by the item's name. Its first answer is the model's judgment, in
    the round ``main``; the first in the other order is of the round ``turned``, and all others are ``repeat``.
    A refused answer is a skipped judgment, with the name of the refusal.
    Gold items are asked as work is. A model fails them by the study's policy for people, and what it said is then left
    out of an export unless excluded raters are asked for.

A model gets what a browser gets, made of the same ``content``: no name of an item or of a system, no kind, no right
answer, no hidden column; gold items and work alike.
"""

from __future__ import annotations

import hashlib
import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from os import PathLike, fspath
from pathlib import Path
from typing import Any, Literal, Unpack

from sqlalchemy import Connection

from errorbar.api.arguments import Count, Share, Useless, public
from errorbar.api.model_calls import ModelCalls, TokenCount, pace_of, prices_and_caps, read_prompt
from errorbar.core.problems import InputError, Place, Problem, UsageError, nearest, shorten_text
from errorbar.formats.judgments import MODEL
from errorbar.judging.answers import check_answer, is_right
from errorbar.judging.protocol.assignments import HALTED
from errorbar.judging.quality import GoldAnswers, after_answer, class_of
from errorbar.judging.question_kinds import kind_of_question, n_arrangements
from errorbar.judging.scheme import NOTHING, JudgedItem, Question, Scheme, tokens
from errorbar.judging.scheme_kinds import kind_of
from errorbar.judging.study.folder import LEDGER, Study
from errorbar.judging.study.rows import JudgmentRow, Part, rows
from errorbar.judging.study.rules import StudyInfo, read_about
from errorbar.llm.asking import Asked, RefusedAnswerError, ask, read_object
from errorbar.llm.calls import KeptAnswer, Ledger, Spent, note_excess
from errorbar.llm.endpoint import Endpoint
from errorbar.llm.model import (
    Call,
    Completion,
    Decoding,
    Format,
    ModelRater,
    endpoint_name,
    note_other_models,
    read_completion,
)
from errorbar.sampling.seal import Seal, read_seal, split_items
from errorbar.tables.result import Result
from errorbar.tables.table import Cell, Column, Table

OPENING = "You are one of several raters of texts. Each message has one item, which you judge by these guidelines."
_MARKED = "The place that is asked about stands in [[double brackets]]."
_CLOSING = "Answer with one JSON object of these keys and nothing else: no other text, no comment."
_LONGEST_DETAIL = 200


def instructions(scheme: Scheme, guidelines: str, prompt: str = "") -> str:
    """The message before every item: guidelines or another prompt, the questions, and the form of answers."""
    parts = [prompt.strip() or f"{OPENING}\n\n{guidelines.strip()}"]
    if kind_of(scheme).name == "span":
        parts.append(_MARKED)
    asked = "\n".join(_describe_question(question) for question in scheme.questions)
    return "\n\n".join((*parts, f"Questions:\n{asked}", _CLOSING))


def _describe_question(question: Question) -> str:
    """A question, what answers it, and when it is asked."""
    lines = [f'* "{question.id}": {question.ask}']
    if question.most > 1 and not question.options:
        lines[0] += f" (at most {question.most}, the best first)"
    lines += [
        f'  "{option.value}": {": ".join(filter(None, (option.label, option.help)))}' for option in question.options
    ]
    if question.nothing:
        lines.append(f'  ["{NOTHING}"]: {question.nothing}')
    if question.types:
        lines.append("  Types: " + "; ".join(f"{option.value} ({option.label})" for option in question.types))
    if kind_of_question(question).takes_types:
        lines.append(
            "  A list of edits, empty where nothing is wrong. Tokens are numbered from 0; an edit replaces those from"
            ' "start" to before "end"; equal numbers insert before that token; the correction "" deletes.'
        )
    elif kind_of_question(question).counts_tokens:
        lines.append("  By the numbers of the tokens.")
    lines += [
        f'  Only if "{earlier}" is {" or ".join(values)}; else null.' for earlier, values in question.when.items()
    ]
    if not question.required and not question.when:
        lines.append("  May be null.")
    return "\n".join(lines)


def make_call(scheme: Scheme, item: JudgedItem, arrangement: int, repeat: int) -> Call:
    """The call that asks about an item, its candidates in one of their orders."""
    kind = kind_of(scheme)
    sections = kind.plain_texts(kind.content(scheme, item, arrangement))
    if not sections:
        raise _unaskable(f"items that are shown as '{scheme.shows}' have no plain text")
    if item.before:
        sections.insert(0, ("What stands before it", item.before))
    if item.after:
        sections.append(("What stands after it", item.after))
    if any(kind_of_question(question).counts_tokens for question in scheme.questions):
        words = (f"{number}:{item.text[start:end]}" for number, (start, end) in enumerate(tokens(item.text)))
        sections.append(("Its tokens", " ".join(words)))
    for name, proposal in item.proposed.items():
        shown = json.dumps(proposal, ensure_ascii=False)
        sections.append((f'Proposed by a program for "{name}", to be kept, changed or left out', shown))
    content = "\n\n".join(f"{heading}:\n{text}" for heading, text in sections)
    return Call(item.name, content, arrangement, repeat, _schema(scheme, item))


def _unaskable(reason: str) -> UsageError:
    message = f"no model can be asked: {reason}"
    return UsageError(Problem("llm-study", message, fix="ask people"))


def _schema(scheme: Scheme, item: JudgedItem) -> dict[str, Any]:
    """The JSON schema of an answer to all questions."""
    properties: dict[str, Any] = {}
    for question in scheme.questions:
        schema = kind_of_question(question).json_schema(question, item)
        if not schema:
            raise _unaskable(f"answers of the kind '{question.kind}' ({question.id}) have no form in JSON")
        is_sure = question.required and not question.when
        properties[question.id] = schema if is_sure else {"anyOf": [schema, {"type": "null"}]}
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def orders_of(scheme: Scheme, item: JudgedItem, *, both: bool) -> list[int]:
    """The orders in which an item's candidates are shown: one drawn by the item's name, and its reverse if ``both``."""
    kind = kind_of(scheme)
    n = 2 if scheme.reversible else n_arrangements(item) if kind.ranks else 1
    drawn = int.from_bytes(hashlib.sha256(f"order\0{item.name}".encode()).digest()[:8]) % n
    return [drawn] if n == 1 or not both else [drawn, n - 1 - drawn]


def read_answer(scheme: Scheme, item: JudgedItem, arrangement: int, completion: Completion) -> dict[str, Any]:
    """The answer that a completion gives, as a rater's is stored.

    Raises:
        RefusedAnswerError: If it gives none.
    """
    record = read_object(completion)
    known = {question.id: kind_of_question(question) for question in scheme.questions}
    answer = {
        name: known[name].read_json(item, value, arrangement) if name in known else value
        for name, value in record.items()
    }
    try:
        return check_answer(scheme, item, answer)
    except UsageError as error:
        raise RefusedAnswerError("unfit", error.problems[0].what[:_LONGEST_DETAIL]) from None


Orders = Literal["both", "drawn"]
MOST_NAMED = 1000
"""Items among which the one that was meant is looked for."""
_ITEMS = "SELECT payload, stopped FROM item ORDER BY id"


@dataclass(frozen=True)
class AskedItem:
    """An item with its calls; the first is the one that counts."""

    item: JudgedItem
    calls: Sequence[Call]


def read_asked_items(tx: Connection, about: StudyInfo, times: int = 1, orders: Orders = "both") -> Iterator[AskedItem]:
    """The items of a study, gold and work alike, and what a model is asked of each; those that were stopped are not."""
    for row in rows(tx, _ITEMS):
        if row.stopped and not row.stopped.startswith(HALTED):
            continue
        item = JudgedItem.from_json(row.payload)
        shown = orders_of(about.scheme, item, both=orders == "both")
        yield AskedItem(item, [make_call(about.scheme, item, at, n) for n in range(times) for at in shown])


@dataclass(frozen=True, slots=True)
class LaneRater:
    """The judgments of one model rater.

    Attributes:
        rater: Who it is.
        rows: Its judgments, refused ones as skipped, in the order of the items.
        gold: How many gold items it judged, and how many of these right.
        excluded: Why gold excludes it by the study's policy; empty: it does not.
        refusals: How many answers were refused, by the name of the refusal.
        notes: Warnings on the replies.
    """

    rater: ModelRater
    rows: Sequence[JudgmentRow]
    gold: tuple[int, int]
    excluded: str
    refusals: Mapping[str, int]
    notes: Sequence[Problem] = ()


def read_lane_rater(
    about: StudyInfo,
    rater: ModelRater,
    answers: Iterable[KeptAnswer],
    items: Sequence[JudgedItem],
) -> LaneRater:
    """The judgments that a model's kept replies give; replies on items that the study does not have are left alone."""
    scheme = about.scheme
    judgments, refusals, golds = [], Counter[str](), list[tuple[int, str, bool | None]]()
    completions, n_excess = list[Completion](), 0
    by_item: dict[str, list[KeptAnswer]] = {}
    for answer in answers:
        by_item.setdefault(answer.item, []).append(answer)
    for number, item in enumerate(items):
        first = orders_of(scheme, item, both=False)[0]
        kept = sorted(by_item.get(item.name, ()), key=lambda each: (each.repeat, each.arrangement != first))
        for answer in kept:
            call = make_call(scheme, item, answer.arrangement, answer.repeat)
            if call.key != answer.key:  # of another study, or of a text that was another one then
                continue
            n_excess += answer.exceeds(call, rater)
            parsed, skip, comment = None, "", ""
            completions.append(read_completion(answer.raw))
            try:
                parsed = read_answer(scheme, item, answer.arrangement, completions[-1])
            except RefusedAnswerError as error:
                refusals[error.name] += 1
                skip, comment = f"refused: {error.name}", error.detail
            is_first = answer.arrangement == first
            round_ = "repeat" if answer.repeat else "main" if is_first else "turned"
            state = "done" if parsed is not None else "skipped"
            fields = (round_, state, answer.arrangement, 1, parsed, skip, comment, 0)
            judgments.append(JudgmentRow(item, rater.pseudonym, *fields, rater_kind=MODEL, at=answer.at))
            if item.kind == "gold" and round_ == "main" and parsed is not None:
                right = is_right(scheme, item, answer.arrangement, parsed)
                golds.append((number, class_of(scheme, item.gold_class), right))
    counted = [right for _, _, right in golds if right is not None]
    why = after_answer(about.rules, GoldAnswers(tuple(golds))) or ""
    notes = [*note_other_models(rater, completions), *note_excess(n_excess)]
    return LaneRater(rater, judgments, (len(counted), sum(counted)), why, refusals, notes)


def read_lane(tx: Connection, ledger: Path, only: str = "") -> list[LaneRater]:
    """All model raters of a study with their judgments, at one moment of its store.

    Args:
        tx: Of the store.
        ledger: The file of calls.
        only: Pseudonym of the one that is wanted; empty: all.

    Raises:
        InputError: If there is no ledger, or it cannot be read.
        UsageError: If there is no such model rater (``llm-no-model``).
    """
    about = read_about(tx)
    items = [JudgedItem.from_json(row.payload) for row in rows(tx, _ITEMS)]
    with Ledger.open(ledger, read_only=True) as calls:
        raters = calls.raters()
        wanted = [rater for rater in raters if only in ("", rater.pseudonym)]
        if not wanted:
            raise _no_model(only, raters)
        return [read_lane_rater(about, rater, calls.answers(rater).values(), items) for rater in wanted]


def lane_rows(tx: Connection, ledger: Path, include: Sequence[Part]) -> Iterator[JudgmentRow]:
    """The judgments of a study's models that an export holds, as it holds those of people."""
    shown = {"main"} | ({"turned", "repeat"} if "repeats" in include else set())
    for lane in read_lane(tx, ledger):
        if lane.excluded and "excluded" not in include:
            continue
        for row in lane.rows:
            is_kind = row.item.kind == "work" or "gold" in include
            if is_kind and row.round in shown and (row.state == "done" or "skipped" in include):
                yield row


def _no_model(name: str, raters: Sequence[ModelRater]) -> UsageError:
    known = ", ".join(rater.pseudonym for rater in raters) or "none"
    message = f"the ledger has no calls of {name}" if name else "the ledger has no calls"
    fix = f"known: {known}; another prompt or setting makes another model"
    return UsageError(Problem("llm-no-model", message, fix=fix))


@dataclass(frozen=True, slots=True, repr=False)
class JudgeLLM(Result):
    """The questions that a model was asked, its answers, and their cost.

    Attributes:
        lane: Its judgments.
        ledger: The file of calls.
        n_calls: That were wanted in all.
        asked: What became of them now; None: of a replay, which asks nothing.
        spent: What all calls of the ledger used, at most.
        notes: Warnings.
    """

    lane: LaneRater
    ledger: Path
    n_calls: int
    asked: Asked | None
    spent: Spent
    notes: Sequence[Problem] = field(default=())

    def to_dict(self) -> dict[str, object]:
        """The same."""
        judged = [row for row in self.lane.rows if row.state == "done"]
        n_gold, n_right = self.lane.gold
        now = None
        if self.asked is not None:
            counts = {"answered": self.asked.n_answered, "known": self.asked.n_known}
            now = {**counts, "failed": self.asked.n_failed, "left": self.asked.n_left}
        return {
            "rater": self.lane.rater.pseudonym,
            "identity": self.lane.rater.identity,
            "parts": self.lane.rater.parts(),
            "ledger": str(self.ledger),
            "wanted": self.n_calls,
            "calls": now,
            "judgments": sum(row.round == "main" and row.item.kind == "work" for row in judged),
            "turned": sum(row.round == "turned" for row in judged),
            "repeats": sum(row.round == "repeat" for row in judged),
            "refused": dict(self.lane.refusals),
            "gold": {"judged": n_gold, "right": n_right, "excluded": self.lane.excluded or None},
            "spent": self.spent._asdict(),
        }

    def tables(self) -> list[Table]:
        """One row for each figure."""
        record = self.to_dict()
        refusals = ", ".join(f"{n:,} {name}" for name, n in sorted(self.lane.refusals.items()))
        n_gold, n_right = self.lane.gold
        gold = f"{n_right:,} of {n_gold:,} right" + (f"; excluded: {self.lane.excluded}" if self.lane.excluded else "")
        cells: list[list[Cell]] = [["rater", self.lane.rater.pseudonym]]
        cells += [[name, f"{record[name]:,}"] for name in ("judgments", "turned", "repeats")]
        cells += [["refused", refusals or "0"], ["gold items", gold]]
        if self.asked is not None:
            asked = self.asked
            calls = f"{asked.n_answered:,} answered now, {asked.n_known:,} before, {asked.n_failed:,} failed"
            cells.append([f"calls, {self.n_calls:,} wanted", calls])
        cost = f", {self.spent.cost:.4f} in money" if self.spent.cost else ""
        spent = f"{self.spent.calls:,} requests, {self.spent.tokens:,} tokens{cost}"
        cells.append(["spent in all", spent])
        columns = [Column("", key="figure"), Column("now", key="value")]
        return [Table(columns, cells, "A model's answers", "llm")]


_REPLAYED = Useless(
    "most_calls most_tokens most_cost price_in price_out jobs per_minute retries timeout",
    "is about requests, and --replay sends none",
    lambda arguments: arguments["replay"],
)
_UNSEALED = Useless("tune examples", "is about a seal", lambda arguments: arguments["seal"] is None, fix="give --seal")


@public(_REPLAYED, _UNSEALED)
def judge_llm(
    study: str | PathLike[str] | Study,
    *,
    endpoint: str,
    model: str,
    prompt: str | PathLike[str] | None = None,
    orders: Orders = "both",
    times: Count = 1,
    max_tokens: TokenCount = 512,
    answer_format: Format = "auto",
    calls: str | PathLike[str] | None = None,
    seal: str | PathLike[str] | None = None,
    tune: Share | None = None,
    examples: Sequence[str] = (),
    progress: Callable[[int], object] | None = None,
    **options: Unpack[ModelCalls],
) -> JudgeLLM:
    """Ask a language model all items of a study, as a rater beside the people, who takes none of their places.

    Args:
        study: Its folder.
        endpoint: URL of a server of OpenAI's interface, such as ``http://localhost:8000/v1``; its key is read from the
            environment alone, ERRORBAR_LLM_KEY or OPENAI_API_KEY.
        model: Its name at the endpoint.
        prompt: A file whose text stands in the place of the scheme's guidelines. None: the guidelines of the study.
        orders: In which orders texts that are compared are shown: each item in both, or in the one that is drawn.
        times: How often the same is asked of each item.
        max_tokens: Tokens that an answer may have.
        answer_format: How answers are made JSON: by a schema that the server enforces, by words alone, or auto: by a
            schema where the server has it.
        calls: The ledger of calls, with every raw answer. None: ``llm.sqlite`` in the study's folder.
        seal: A file that says what the model is and which items its prompt has seen. It is written before the first
            call; one that is there must be of this model, prompt and settings.
        tune: Of a new seal, the share of the items whose labels were open while the prompt was written; a coin for
            each item's name decides. None: no item.
        examples: Of a new seal, items that stand in the prompt; repeatable.
        progress: Takes the number of calls that are through.
        options: How it is called (``ModelCalls``).

    Raises:
        InputError: If there is no study, or the ledger cannot be used.
        UsageError: If the study is none for models, an argument does not fit, or the server refuses such requests.
    """
    opened = Study.open(study)
    prices, caps = prices_and_caps(options)
    ledger_path = opened.folder / LEDGER if calls is None else Path(calls)
    with opened.snapshot() as tx:
        about = read_about(tx)
        if bool(about.adjudicated):
            message = (
                f"a study that adjudicates ({about.scheme.name}) is for people: what they disagreed on, people decide"
            )
            raise UsageError(Problem("llm-study", message, fix="ask the model in the study whose raters disagreed"))
        wanted = list(read_asked_items(tx, about, times, orders))
    text = instructions(about.scheme, about.guidelines, "" if prompt is None else read_prompt(prompt))
    decoding = Decoding(options["temperature"], max_tokens, options["decoding_seed"], answer_format)
    scheme = f"{about.scheme.name} {about.scheme.version}"
    rater = ModelRater(endpoint_name(endpoint), model, text, decoding, scheme)
    if seal is not None:
        names = [each.item.name for each in wanted if each.item.kind == "work"]
        _seal(fspath(seal), rater, names, tune, examples)
    asked: Asked | None = None
    server = None if options["replay"] else Endpoint.open(endpoint, options["timeout"])
    with Ledger.open(ledger_path, caps, prices, read_only=server is None) as ledger:
        if server is not None:
            to_make = [call for item in wanted for call in item.calls]
            asked = ask(rater, to_make, ledger, server, pace_of(options), progress)
        elif rater not in (known := ledger.raters()):
            raise _no_model(rater.pseudonym, known)
        lane = read_lane_rater(about, rater, ledger.answers(rater).values(), [each.item for each in wanted])
        spent = ledger.spent()
    n_calls = sum(len(each.calls) for each in wanted)
    return JudgeLLM(lane, ledger_path, n_calls, asked, spent, list(_notes(asked, lane)))


def _notes(asked: Asked | None, lane: LaneRater) -> Iterator[Problem]:
    """Warnings on what is missing, and on answers that are none."""
    if asked is not None:
        yield from asked.notes()
    yield from lane.notes
    if lane.refusals:
        kinds = ", ".join(sorted(lane.refusals))
        message = f"{sum(lane.refusals.values()):,} answers are refused ({kinds}); they are kept, and count as skipped"
        yield Problem("llm-answers", message, fix="--include=skipped shows them", severity="warning")


def _seal(path: str, rater: ModelRater, items: Sequence[str], tune: float | None, examples: Sequence[str]) -> None:
    """Seal a model rater in a new file, or see that the seal that is there is its own."""
    if unknown := [name for name in examples if name not in {*items}]:
        message = f"the study has no item '{shorten_text(unknown[0])}'"
        raise UsageError(Problem("llm-seal", message, fix=nearest(unknown[0], items[:MOST_NAMED])))
    tuned = split_items(items, tune, 0)[0] if tune is not None else []
    own = Seal(rater.identity, rater.parts(), tune=tuned, examples=sorted(examples))
    if not Path(path).exists():
        own.save(path)
        return
    known = read_seal(path)
    if known.identity != rater.identity:
        parts = rater.parts()
        changed = ", ".join(name for name in parts if parts[name] != known.model.get(name))
        message = f"the seal of {known.sealed} is of another model rater: {changed} changed since"
        fix = "ask as it was sealed, or name a new file: the labels that were looked at meanwhile are for tuning"
        raise InputError(Problem("llm-seal", message, Place(path), fix=fix))
    is_same = (tune is None or [*known.tune] == tuned) and (not examples or [*known.examples] == sorted(examples))
    if not is_same:
        message = f"the seal of {known.sealed} names other items"
        raise InputError(Problem("llm-seal", message, Place(path), fix="leave --tune and --examples out"))
