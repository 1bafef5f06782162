"""Questions whose answer is a list of edits of the item's tokens; an empty list says that there is no error.

Conventions
    Tokens are what stands between white space, counted from 0; spans are half-open, and an empty one is a gap, before
    the token of its number. An edit is a record of ``start``, ``end`` and ``corrections``, the best first (``""``
    deletes the span), and where they say something ``type``, ``optional`` (the span may as well stay), ``group`` (the
    edits of one name belong together) and ``note``. Records are stored in text order. Into one gap several edits may
    put words, in their order, as annotators of published corpora do.
    Edits that a program proposes are ``pending`` until the rater accepts or changes them.
"""

from __future__ import annotations

import json
import unicodedata
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, cast

from errorbar.core.edit import UNCLEAR, Edit
from errorbar.core.problems import shorten_text
from errorbar.edits.texts import overlaps
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.question_kind import LONGEST, LONGEST_RAW, QuestionKind, UnfitError, is_index
from errorbar.judging.scheme import NOTHING, Question

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
        del item
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
