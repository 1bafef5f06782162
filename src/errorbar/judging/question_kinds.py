"""The kinds of questions, one object each: what answers it, which options it takes, which label an answer gives.

A new kind is a subclass of ``QuestionKind`` with its entry in ``QUESTION_KINDS``, and its field on the page in
``web/static/question_kinds.js``.

Questions whose answer is a list of edits of the item's tokens; an empty list says that there is no error.

Conventions
    Tokens are what stands between white space, counted from 0; spans are half-open, and an empty one is a gap, before
    the token of its number. An edit is a record of ``start``, ``end`` and ``corrections``, the best first (``""``
    deletes the span), and where they say something ``type``, ``optional`` (the span may as well stay), ``group`` (the
    edits of one name belong together) and ``note``. Records are stored in text order. Into one gap several edits may
    put words, in their order, as annotators of published corpora do.
    Edits that a program proposes are ``pending`` until the rater accepts or changes them.

Answers that rank outputs: a rank for each, 1 is best, equal ranks are ties.

An item's outputs stand in an order that follows from their texts alone (``order_outputs``), so that the number of an
output tells nobody who wrote it; on the screen they stand in an order that is drawn for rater and item.
"""

from __future__ import annotations

import hashlib
import json
import unicodedata
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from math import factorial
from typing import Any, cast

from errorbar.core.edit import UNCLEAR, Edit
from errorbar.core.problems import shorten_text
from errorbar.edits.texts import overlaps
from errorbar.judging.scheme import NOTHING, JudgedItem, Question, fold_word, tokens

LONGEST = 500
"""Code points of one word or text of an answer."""
LONGEST_RAW = 4 * LONGEST
"""The same as it was sent: to bring a million combining marks into NFC takes minutes."""


class UnfitError(Exception):
    """A value does not fit its question; the message completes "it must be"."""


class QuestionKind(ABC):
    """A kind of question."""

    name: str
    takes_options = False
    least_options = 0
    takes_proposal = False
    """Whether a program may propose an answer."""
    takes_types = False
    """Whether answers may name error types."""
    counts_empty = False
    """Whether an empty list is an answer."""
    has_classes = False
    """Whether right answers are few enough to test raters on each of them."""
    marks_errors = False
    """Whether answers name tokens that are wrong."""
    rewrites = False
    """Whether an answer is the whole text of the item, as it should be."""
    names_replacements = False
    """Whether answers are words that belong in the place of the writer's."""
    counts_tokens = False
    """Whether answers name tokens by their numbers."""

    @abstractmethod
    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        """Read an answer as it is stored.

        Raises:
            UnfitError: If it does not fit.
        """

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """The JSON schema of an answer, for those who are asked in JSON: language models; empty: they cannot be."""
        return {}

    def read_json(self, item: JudgedItem, value: object, arrangement: int) -> object:
        """An answer of that schema as ``read`` takes it; what does not fit stays as it is."""
        return value

    def label(self, answer: object) -> str:
        """The label that an answer gives a judgment; empty: none."""
        return str(answer)

    def without_remarks(self, answer: object) -> object:
        """The part of an answer that is about the item: answers that differ in nothing else are the same."""
        return answer

    def cell(self, answer: object) -> str:
        """An answer in a cell of a table: that nothing was marked is an answer."""
        if isinstance(answer, list):
            return " | ".join(map(str, answer)) if answer else NOTHING
        return str(answer)


def is_index(value: object, n: int) -> bool:
    """Whether a value of JSON is an index of ``n`` things: ``true`` is none."""
    return type(value) is int and 0 <= value < n


def as_list(answer: object) -> Sequence[object]:
    """An answer as a list, of one where it is none."""
    return answer if isinstance(answer, list) else [answer]


EditRecord = dict[str, Any]
MOST_CORRECTIONS = 9
LONGEST_GROUP = 20
PENDING = "pending"
"""The key of an edit that a program proposes and that the rater has not decided on."""
_KEYS = frozenset(("start", "end", "corrections", "type", "optional", "group", "note"))


class EditsQuestion(QuestionKind):
    """Edits of the text; that there is none is an answer."""

    name = "edits"
    takes_types = True
    counts_empty = True
    counts_tokens = True

    def read(self, question: Question, item: JudgedItem, value: object) -> list[EditRecord]:
        """The records in text order, texts in NFC."""
        words = item.text.split()
        if not isinstance(value, list | tuple) or not all(isinstance(record, Mapping) for record in value):
            raise UnfitError("a list of edits")
        if len(value) > 2 * len(words) + 1:
            raise UnfitError(f"at most one edit for each of the {len(words)} tokens and the gaps around them")
        n_pending = sum(bool(record.get(PENDING)) for record in value)
        if n_pending:
            raise UnfitError(f"edits that are all decided on; {n_pending} are still pending")
        records = sorted((_read_edit(record, question, words) for record in value), key=_span)
        for first, second in pairwise(records):
            if overlaps(as_edit(second), as_edit(first)):
                raise UnfitError(f"edits that do not overlap; {span_text(first)} and {span_text(second)} do")
            if _span(first) == _span(second) and {*first["corrections"]} & {*second["corrections"]}:
                raise UnfitError(f"edits that differ; the same stands twice at {span_text(first)}")
        members = Counter(record.get("group", "") for record in records)
        return [
            {key: value for key, value in record.items() if key != "group" or members[value] > 1} for record in records
        ]

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """A list of records of span, corrections and, where the scheme has types, a type."""
        record: dict[str, Any] = {name: {"type": "integer"} for name in ("start", "end")}
        record["corrections"] = {"type": "array", "items": {"type": "string"}}
        if question.types:
            record["type"] = {"type": "string", "enum": [option.value for option in question.types]}
        keys = {"properties": record, "required": [*record], "additionalProperties": False}
        return {"type": "array", "items": {"type": "object", **keys}}

    def label(self, answer: object) -> str:
        """All spans and corrections, without types, as in ``3-4:diseases; 6-6:a|the``; ``∅`` where there is no edit."""
        return "; ".join(_describe_edit(record) for record in cast("Sequence[EditRecord]", answer)) or NOTHING

    def without_remarks(self, answer: object) -> object:
        """The records without notes, and with groups numbered in text order."""
        groups: dict[str, str] = {}
        return [
            {key: value for key, value in record.items() if key not in ("group", "note")}
            | ({"group": groups.setdefault(record["group"], str(len(groups)))} if "group" in record else {})
            for record in cast("Sequence[EditRecord]", answer)
        ]

    def cell(self, answer: object) -> str:
        """The records as JSON."""
        return json.dumps(answer, ensure_ascii=False)


def _read_edit(record: Mapping[str, Any], question: Question, words: Sequence[str]) -> EditRecord:
    """One edit, checked, with the keys that say something."""
    if unknown := sorted(map(str, record.keys() - _KEYS)):
        raise UnfitError(
            f"edits with the keys {', '.join(sorted(_KEYS))}; '{shorten_text(unknown[0])}' is none of them"
        )
    start, end = record.get("start"), record.get("end")
    n = len(words)
    if not (is_index(start, n + 1) and is_index(end, n + 1)) or cast("int", start) > cast("int", end):
        raise UnfitError(f"edits with 0 <= start <= end <= {n}")
    checked: EditRecord = {"start": start, "end": end}
    corrections = record.get("corrections")
    if not isinstance(corrections, list | tuple) or not 1 <= len(corrections) <= MOST_CORRECTIONS:
        raise UnfitError(f"edits with 1 to {MOST_CORRECTIONS} corrections; {span_text(checked)} has others")
    texts = [_text(text, "a correction") for text in corrections]
    kind = _text(record.get("type", ""), "a type")
    original = " ".join(words[start:end])
    if len(set(texts)) < len(texts):
        raise UnfitError(f"edits with corrections that differ; {span_text(checked)} has one twice")
    if original in texts and kind != UNCLEAR:
        raise UnfitError(f"edits that change something; a correction of {span_text(checked)} is what the text has")
    known = [option.value for option in question.types]
    if known and kind not in known:
        raise UnfitError(
            f"edits with a type of the list ({len(known)}); {span_text(checked)} has '{shorten_text(kind)}'"
        )
    if kind and not known:
        raise UnfitError(f"edits without types; {span_text(checked)} has '{shorten_text(kind)}'")
    optional = record.get("optional", False)
    if not isinstance(optional, bool):
        raise UnfitError("edits that are optional or not: true or false")
    group, note = _text(record.get("group", ""), "a group"), _text(record.get("note", ""), "a note")
    if len(group) > LONGEST_GROUP:
        raise UnfitError(f"edits in groups with names of at most {LONGEST_GROUP} characters")
    optional_keys = {"type": kind, "optional": optional, "group": group, "note": note}
    return checked | {"corrections": texts} | {key: value for key, value in optional_keys.items() if value}


def _text(value: object, what: str) -> str:
    """A text in NFC with single spaces."""
    if not isinstance(value, str):
        raise UnfitError(f"edits of texts; {what} is none")
    if len(value) > LONGEST_RAW or len(text := " ".join(unicodedata.normalize("NFC", value).split())) > LONGEST:
        raise UnfitError(f"edits of short texts; {what} has more than {LONGEST} characters")
    return text


def _span(record: Mapping[str, Any]) -> tuple[int, int]:
    return record["start"], record["end"]


def span_text(record: Mapping[str, Any]) -> str:
    """The span as items are named: ``3-4``."""
    return f"{record['start']}-{record['end']}"


def _describe_edit(record: Mapping[str, Any]) -> str:
    return f"{span_text(record)}:{'|'.join(text or NOTHING for text in record['corrections'])}"


def as_edit(record: Mapping[str, Any]) -> Edit:
    """The edit of a record; its note is the comment."""
    fields = (record.get("type", ""), record.get("optional", False), record.get("group", ""), record.get("note", ""))
    return Edit(record["start"], record["end"], tuple(record["corrections"]), *fields)


def as_record(edit: Edit, **more: object) -> EditRecord:
    """The record of an edit."""
    record: EditRecord = {"start": edit.start, "end": edit.end, "corrections": list(edit.replacements)}
    fields = {"type": edit.type, "optional": edit.optional, "group": edit.group, "note": edit.comment, **more}
    return record | {key: value for key, value in fields.items() if value}


MOST_OUTPUTS = 5
"""On one screen: more are hard to keep in mind."""
LETTERS = "ABCDE"
"""Of the outputs on a screen, from the top."""
FIRST, SECOND, EQUAL = "first", "second", "equal"
_OF_TWO: dict[tuple[int, ...], str] = {(1, 2): FIRST, (2, 1): SECOND, (1, 1): EQUAL}


class RanksKind(QuestionKind):
    """A rank for each output of the item."""

    name = "ranks"

    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        """The ranks as they were given, in the item's order of the outputs."""
        n = len(item.candidates)
        ranks = value if isinstance(value, list | tuple) else ()
        if len(ranks) != n or not all(is_index(rank, n + 1) and rank for rank in ranks):
            raise UnfitError(f"a rank from 1 to {n} for each of the {n} outputs")
        return list(ranks)

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """A rank for each letter on the screen."""
        letters = LETTERS[: len(item.candidates)]
        ranks = {letter: {"type": "integer"} for letter in letters}
        return {"type": "object", "properties": ranks, "required": [*letters], "additionalProperties": False}

    def read_json(self, item: JudgedItem, value: object, arrangement: int) -> object:
        """The ranks in the item's own order."""
        shown = arrange(len(item.candidates), arrangement)
        if not isinstance(value, Mapping) or value.keys() != {*LETTERS[: len(shown)]}:
            return value
        rank_of = dict(zip(shown, (value[letter] for letter in LETTERS[: len(shown)]), strict=True))
        return [rank_of[at] for at in range(len(shown))]

    def label(self, answer: object) -> str:
        """Of two outputs ``first``, ``second`` or ``equal``; of more all ranks without gaps, in the item's order."""
        ranks = tuple(close_gaps([int(str(rank)) for rank in as_list(answer)]))
        return _OF_TWO.get(ranks, " ".join(map(str, ranks)))


def ranks_of_label(label: str) -> list[int]:
    """The ranks that a label tells."""
    of_two = {name: list(ranks) for ranks, name in _OF_TWO.items()}
    return of_two[label] if label in of_two else [int(rank) for rank in label.split()]


def close_gaps(ranks: Sequence[int]) -> list[int]:
    """The same order with ranks that leave out no number: 1, 4, 4 becomes 1, 2, 2."""
    place = {rank: at for at, rank in enumerate(sorted(set(ranks)), 1)}
    return [place[rank] for rank in ranks]


def order_outputs(name: str, outputs: Sequence[tuple[str, str]]) -> list[tuple[str, str]]:
    """Texts and their writers in an order that depends on the item's name and the texts, and on no writer."""
    return sorted(outputs, key=lambda output: hashlib.sha256(f"{name}\0{output[0]}".encode()).digest())


def n_arrangements(item: JudgedItem) -> int:
    """In how many orders an item's candidates can stand on the screen; 1: there are none."""
    return factorial(len(item.candidates))


def arrange(n: int, arrangement: int) -> list[int]:
    """The numbers 0 to n - 1 in the order of an arrangement, 0 to n! - 1: 0 is as they stand; of two, 1 is reversed."""
    left, order = list(range(n)), list[int]()
    for size in range(n, 0, -1):
        place, arrangement = divmod(arrangement, factorial(size - 1))
        order.append(left.pop(place % size))
    return order


class OneKind(QuestionKind):
    """One of the options."""

    name = "one"
    takes_options = True
    least_options = 2
    has_classes = True

    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        """The value of an option, also where it was sent in other capital letters."""
        plain = fold_word(value) if isinstance(value, str) and len(value) <= LONGEST_RAW else None
        matches = [option for option in question.values() if fold_word(option) == plain]
        if not matches:
            raise UnfitError(f"one of {', '.join(question.values())}")
        return value if value in matches else matches[0]

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """One of the values."""
        return {"type": "string", "enum": [*question.values()]}


class MarksKind(QuestionKind):
    """Numbers of tokens, counted from 0; that none is marked is an answer."""

    name = "marks"
    counts_empty = True
    marks_errors = True
    counts_tokens = True

    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        """The numbers in order, each once."""
        n_tokens = len(tokens(item.text))
        if not isinstance(value, list | tuple) or not all(is_index(number, n_tokens) for number in value):
            raise UnfitError(f"numbers of tokens from 0 to {n_tokens - 1}")
        return sorted(set(value))

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """A list of numbers."""
        return {"type": "array", "items": {"type": "integer"}}

    def label(self, answer: object) -> str:
        """All numbers; ``NOTHING`` where none is marked."""
        return " ".join(map(str, as_list(answer))) or NOTHING


class TextKind(QuestionKind):
    """Words or texts that are typed, in order of preference."""

    name = "text"

    def read(self, question: Question, item: JudgedItem, value: object) -> list[str]:
        """The texts in NFC, each once."""
        raw_texts = [value] if isinstance(value, str) else value
        if not isinstance(raw_texts, list | tuple) or not all(isinstance(text, str) for text in raw_texts):
            raise UnfitError("a list of texts")
        if len(raw_texts) > max(LONGEST_RAW, question.most) or any(len(text) > LONGEST_RAW for text in raw_texts):
            raise UnfitError(f"at most {question.most}, at most {LONGEST} characters long")
        texts = list(dict.fromkeys(filter(None, (unicodedata.normalize("NFC", text).strip() for text in raw_texts))))
        if len(texts) > question.most:
            raise UnfitError(f"at most {question.most}")
        if any(len(text) > LONGEST for text in texts):
            raise UnfitError(f"at most {LONGEST} characters long")
        if NOTHING in texts and (len(texts) > 1 or not question.nothing):
            raise UnfitError(f"words, or {NOTHING} alone" if question.nothing else "words")
        return texts

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """A list of texts, of the options where there are some."""
        values = [*question.values(), *([NOTHING] if question.nothing else [])]
        return {"type": "array", "items": {"type": "string", **({"enum": values} if question.options else {})}}

    def label(self, answer: object) -> str:
        """The first text, as words are compared."""
        texts = as_list(answer)
        return fold_word(str(texts[0])) if texts else ""


class WordsKind(TextKind):
    """Words in order of preference, of the options where there are some."""

    name = "words"
    takes_options = True
    names_replacements = True

    def read(self, question: Question, item: JudgedItem, value: object) -> list[str]:
        """The words in NFC, each once."""
        words = super().read(question, item, value)
        if question.options and not {*words} <= {*question.values(), NOTHING}:
            raise UnfitError(f"words of its list ({len(question.options)})")
        return words


class TokenKind(QuestionKind):
    """The number of one token."""

    name = "token"
    takes_proposal = True
    counts_tokens = True

    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        """The number."""
        n_tokens = len(tokens(item.text))
        if not is_index(value, n_tokens):
            raise UnfitError(f"the number of a token from 0 to {n_tokens - 1}")
        return value

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """A number."""
        return {"type": "integer"}


class RewriteKind(QuestionKind):
    """The text of the item as it should be, white space as single spaces."""

    name = "rewrite"
    rewrites = True

    def read(self, question: Question, item: JudgedItem, value: object) -> str:
        """The text in NFC."""
        most = longest_rewrite(item)
        if not isinstance(value, str) or not value.strip():
            raise UnfitError("a text")
        if len(value) > 4 * most:
            raise UnfitError(f"at most {most:,} characters long")
        text = " ".join(unicodedata.normalize("NFC", value).split())
        if len(text) > most:
            raise UnfitError(f"at most {most:,} characters long")
        return text

    def json_schema(self, question: Question, item: JudgedItem) -> dict[str, Any]:
        """A text."""
        return {"type": "string"}


def longest_rewrite(item: JudgedItem) -> int:
    """Code points that a rater may make of an item: the double of what is shown, and a sentence more."""
    return 2 * len((*item.candidates, item.text)[0]) + LONGEST


QUESTION_KINDS: dict[str, QuestionKind] = {
    kind.name: kind
    for kind in (
        *(OneKind(), MarksKind(), WordsKind(), TextKind(), TokenKind(), RanksKind(), EditsQuestion()),
        RewriteKind(),
    )
}
"""By the ``kind`` of a question in a scheme's file."""


def kind_of_question(question: Question) -> QuestionKind:
    """The kind of a question."""
    return QUESTION_KINDS[question.kind]
