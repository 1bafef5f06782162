"""errorbar's own lossless format: one JSON object per line, a header first, then one line per sentence."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from errorbar.core.corpus import Annotation, Sentence
from errorbar.core.edit import Edit
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.core.validate import check_annotation, check_span, check_white_space
from errorbar.formats.opening import Lines
from errorbar.formats.untrusted import NotJsonError, parse_json

FORMAT = "errorbar-corpus"
VERSION = 1
STANDOFF = "standoff"
"""The key of a record that is no sentence but a text with character edits: ``errorbar.formats.hoo_jsonl``."""

_SENTENCE_KEYS = {"text": str, "annotations": dict, "document": str, "writer": str}
_EDIT_KEYS = {
    "start": int,
    "end": int,
    "replacements": list,
    "type": str,
    "optional": bool,
    "group": str,
    "comment": str,
}


def read_jsonl(
    lines: Lines, problems: Problems, standoff: list[tuple[Place, dict[str, Any]]] | None = None
) -> Iterator[Sentence]:
    """Read an errorbar corpus sentence by sentence.

    Args:
        lines: The file.
        problems: Where problems are recorded; the caller raises them after the last sentence.
        standoff: Where stand-off records are collected, each with its place. None: they are passed over, as the
            sentences after each say the same in tokens.
    """
    count = 0
    for number, line in enumerate(lines, 1):
        place = Place(lines.name, number)
        if not line.strip():
            continue
        try:
            record = parse_json(line)
        except NotJsonError as error:
            problems.error("jsonl-syntax", f"not JSON: {error}", place)
            continue
        if not isinstance(record, dict):
            problems.error("jsonl-record", "not a JSON object", place, expected='{"text": ..., "annotations": ...}')
            continue
        if count == 0 and "format" in record:
            _check_header(record, place, problems)
            continue
        if STANDOFF in record:
            if standoff is not None:
                standoff.append((place, record))
            continue
        sentence = _sentence(record, place, problems)
        if sentence is not None:
            count += 1
            yield sentence
    if not count and not problems.errors:
        problems.error("jsonl-empty", "no sentence in the file", Place(lines.name))


def write_jsonl(sentences: Iterable[Sentence], problems: Problems, annotators: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of an errorbar corpus, without line ends. Nothing is lost."""
    header: dict[str, object] = {"format": FORMAT, "version": VERSION}
    if annotators:
        header["annotators"] = list(annotators)
    yield json.dumps(header)
    yield from map(sentence_line, sentences)


def sentence_line(sentence: Sentence) -> str:
    """The line of one sentence."""
    record: dict[str, object] = {"text": sentence.text}
    if sentence.document:
        record["document"] = sentence.document
    if sentence.writer:
        record["writer"] = sentence.writer
    record["annotations"] = {
        name: [_edit_record(edit) for edit in edits] for name, edits in sentence.annotations.items()
    }
    return json.dumps(record, ensure_ascii=False)


def _edit_record(edit: Edit) -> dict[str, object]:
    record: dict[str, object] = {
        "start": edit.start,
        "end": edit.end,
        "replacements": list(edit.replacements),
    }
    optional = {"type": edit.type, "optional": edit.optional, "group": edit.group, "comment": edit.comment}
    record.update({key: value for key, value in optional.items() if value})
    return record


def _check_header(record: dict[str, Any], place: Place, problems: Problems) -> None:
    if record["format"] != FORMAT or record.get("version") != VERSION:
        what = f"format {record['format']!r}, version {record.get('version')!r}"
        problems.error("jsonl-header", what, place, expected=f"format {FORMAT!r}, version {VERSION}")


def _sentence(record: dict[str, Any], place: Place, problems: Problems) -> Sentence | None:
    annotations: dict[str, Annotation] = {}
    if not check_keys(record, _SENTENCE_KEYS, ("text", "annotations"), place, problems):
        return None
    tokens = record["text"].split()
    for name, items in record["annotations"].items():
        if not isinstance(items, list):
            problems.error("jsonl-record", f"the edits of annotator '{name}' are not a list", place)
            return None
        edits = [edit for item in items if (edit := _edit(item, len(tokens), place, problems)) is not None]
        annotations[name] = tuple(check_annotation(edits, tokens, lambda _: place, problems))
    return Sentence(record["text"], annotations, record.get("document", ""), record.get("writer", ""), line=place.line)


def _edit(item: object, n_tokens: int, place: Place, problems: Problems) -> Edit | None:
    if not isinstance(item, dict):
        problems.error("jsonl-record", "an edit is not a JSON object", place)
        return None
    if not check_keys(item, _EDIT_KEYS, ("start", "end", "replacements"), place, problems):
        return None
    if not all(isinstance(text, str) for text in item["replacements"]):
        problems.error("jsonl-record", "a replacement is not text", place)
        return None
    if not check_span(item["start"], item["end"], n_tokens, place, problems):
        return None
    replacements = tuple(text.strip() for text in item["replacements"])
    check_white_space(replacements, place, problems)
    return Edit(**{**item, "replacements": replacements})


def check_keys(
    record: dict[str, Any], known: Mapping[str, type], needed: tuple[str, ...], place: Place, problems: Problems
) -> bool:
    """Whether a record has the keys it needs, no unknown one, and values of the right type; if not, record why."""
    for key in needed:
        if key not in record:
            problems.error("jsonl-record", f"'{key}' is missing", place)
            return False
    for key, value in record.items():
        if key not in known:
            problems.error("jsonl-record", f"unknown key '{key}'", place, expected=", ".join(known))
            return False
        if type(value) is not known[key]:
            problems.error("jsonl-record", f"'{key}' is {type(value).__name__}", place, expected=known[key].__name__)
            return False
    return True
