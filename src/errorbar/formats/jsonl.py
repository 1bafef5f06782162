"""errorbar's own lossless format: one JSON object per line, a header first, then one line per sentence.

A HOO fragment is a stand-off record, its text and the edits by character, before the sentences made of its text. Every
command reads those; only the way back to HOO reads the record. So nothing is lost: neither white space, nor offsets
inside of words, nor edits that overlap.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from errorbar.core.corpus import Annotation, Sentence
from errorbar.core.edit import Edit, check_annotation, check_span, check_white_space
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment, StandoffEdit, in_text_order
from errorbar.formats.opening import Lines, Source
from errorbar.formats.untrusted import NotJsonError, parse_json

FORMAT = "errorbar-corpus"
VERSION = 1
STANDOFF = "standoff"
"""The key of a record that is no sentence but a text with character edits."""

_SENTENCE_KEYS = {"text": str, "annotations": dict, "document": str, "writer": str}
_EDIT_KEYS = {"start": int, "end": int, "replacements": list, "type": str, "optional": bool, "group": str}
_EDIT_KEYS |= {"comment": str}
_STANDOFF_KEYS = {STANDOFF: str, "annotator": str, "text": str, "edits": list}
_STANDOFF_EDIT_KEYS = {"start": int, "end": int, "corrections": list, "index": str, "type": str, "group": str}
_STANDOFF_EDIT_KEYS |= {"optional": bool, "null_at": int}


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
    said = (("type", edit.type), ("optional", edit.optional), ("group", edit.group), ("comment", edit.comment))
    record: dict[str, object] = {"start": edit.start, "end": edit.end, "replacements": list(edit.replacements)}
    return record | {key: value for key, value in said if value}


def _check_header(record: dict[str, Any], place: Place, problems: Problems) -> None:
    if record["format"] != FORMAT or record.get("version") != VERSION:
        what = f"format {record['format']!r}, version {record.get('version')!r}"
        problems.error("jsonl-header", what, place, expected=f"format {FORMAT!r}, version {VERSION}")


def _sentence(record: dict[str, Any], place: Place, problems: Problems) -> Sentence | None:
    annotations: dict[str, Annotation] = {}
    if not _check_keys(record, _SENTENCE_KEYS, 2, place, problems):
        return None
    tokens = record["text"].split()
    for name, items in record["annotations"].items():
        if not isinstance(items, list):
            problems.error("jsonl-record", f"the edits of annotator '{name}' are not a list", place)
            return None
        edits = []
        for item in _edits(items, _EDIT_KEYS, place, problems):
            if check_span(item["start"], item["end"], len(tokens), place, problems):
                item["replacements"] = tuple(text.strip() for text in item["replacements"])
                check_white_space(item["replacements"], place, problems)
                edits.append(Edit(**item))
        annotations[name] = tuple(check_annotation(edits, tokens, lambda _: place, problems))
    return Sentence(record["text"], annotations, record.get("document", ""), record.get("writer", ""), line=place.line)


def _edits(
    items: Sequence[object], keys: Mapping[str, type], place: Place, problems: Problems
) -> Iterator[dict[str, Any]]:
    """The edits of a record that have the right keys, of which the third are the texts."""
    texts = list(keys)[2]
    for item in items:
        if not isinstance(item, dict):
            problems.error("jsonl-record", "an edit is not a JSON object", place)
        elif _check_keys(item, keys, 3, place, problems):
            if all(isinstance(text, str) for text in item[texts]):
                yield item
            else:
                problems.error("jsonl-record", f"a {texts.removesuffix('s')} is not text", place)


def _check_keys(
    record: dict[str, Any], known: Mapping[str, type], n_needed: int, place: Place, problems: Problems
) -> bool:
    """Whether a record has the first keys, no unknown one, and values of the right type; if not, record why."""
    for what, expected in _wrong_keys(record, known, n_needed):
        problems.error("jsonl-record", what, place, expected=expected)
        return False
    return True


def _wrong_keys(record: dict[str, Any], known: Mapping[str, type], n_needed: int) -> Iterator[tuple[str, str]]:
    for key in list(known)[:n_needed]:
        if key not in record:
            yield f"'{key}' is missing", ""
    for key, value in record.items():
        if key not in known:
            yield f"unknown key '{key}'", ", ".join(known)
        elif type(value) is not known[key]:
            yield f"'{key}' is {type(value).__name__}", known[key].__name__


def has_standoff(path: Source) -> bool:
    """Whether a file's first line is the header of a JSONL corpus with stand-off records."""
    try:
        header = json.loads(Lines(path, Problems(lenient=True)).peek())
    except (ValueError, RecursionError):  # no JSON: another format
        return False
    return isinstance(header, dict) and header.get("format") == FORMAT and header.get(STANDOFF) is True


def write_standoff(fragments: Iterable[tuple[Fragment, Sequence[Sentence]]], annotator: str) -> Iterator[str]:
    """Yield the lines of a JSONL corpus, without line ends.

    Args:
        fragments: Fragments with texts, each with the sentences made of it.
        annotator: Whose edits they are.
    """
    yield json.dumps({"format": FORMAT, "version": VERSION, STANDOFF: True})
    for fragment, sentences in fragments:
        record = {
            STANDOFF: fragment.name,
            "annotator": annotator,
            "text": fragment.text or "",
            "edits": [_standoff_edit_record(edit) for edit in fragment.edits],
        }
        yield json.dumps(record, ensure_ascii=False)
        yield from map(sentence_line, sentences)


def _standoff_edit_record(edit: StandoffEdit) -> dict[str, object]:
    said = {key: getattr(edit, key) for key in ("index", "type", "group", "optional", "null_at")}
    record: dict[str, object] = {"start": edit.start, "end": edit.end, "corrections": list(edit.corrections)}
    return record | {key: value for key, value in said.items() if value}


def read_standoff(lines: Lines, problems: Problems) -> tuple[list[Fragment], list[Sentence], str]:
    """Read the fragments of a corpus that has stand-off records.

    Returns:
        The fragments; the sentences beside them; whose edits they are.
    """
    records: list[tuple[Place, dict[str, Any]]] = []
    sentences = list(read_jsonl(lines, problems, records))
    fragments: dict[str, Fragment] = {}
    annotator = ""
    for place, record in records:
        if not _check_keys(record, _STANDOFF_KEYS, 4, place, problems):
            continue
        name, text = record[STANDOFF], record["text"]
        annotator = annotator or record["annotator"]
        if name in fragments or record["annotator"] != annotator:
            what = f"a second stand-off record of fragment '{name}', or of another annotator than '{annotator}'"
            problems.error("jsonl-standoff", what, place, expected="one annotator, one record for each text")
            continue
        edits = []
        for item in _edits(record["edits"], _STANDOFF_EDIT_KEYS, place, problems):
            start, end = item["start"], item["end"]
            if 0 <= start <= end <= len(text):
                item |= {"original": text[start:end], "corrections": tuple(item["corrections"])}
                edits.append(StandoffEdit(**{"index": "", **item}))
            else:
                what = f"the characters {start} {end} are not in the text"
                problems.error("jsonl-standoff", what, place, expected=f"0 <= start <= end <= {len(text)}")
        fragments[name] = Fragment(name, in_text_order(edits), text, lines.name)
    return list(fragments.values()), sentences, annotator
