"""errorbar's own lossless format: one JSON object per line, a header first, then one line per sentence.

A HOO fragment is a stand-off record, its text and edits by character, before the sentences made of its text. Only the
way back to HOO reads it, so that neither white space, nor offsets inside of words, nor edits that overlap are lost.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from errorbar.core.corpus import Annotation, Sentence
from errorbar.core.edit import (
    OVERLAPPING,
    Edit,
    Fragment,
    StandoffEdit,
    check_annotation,
    check_span,
    check_white_space,
    in_text_order,
)
from errorbar.core.problems import Place, Problems
from errorbar.formats.look import Lines, Source, look
from errorbar.formats.m2 import NOOP
from errorbar.formats.untrusted import NotJsonError, json_record, parse_json

FORMAT = "errorbar-corpus"
VERSION = 1
OVERLAP, ALLOWED = "overlap", "allowed"  # in the header: edits of one annotator may overlap, by their scheme
STANDOFF = "standoff"  # the key of a record that is no sentence but a text with character edits

_Record = dict[str, Any]
# Of each kind of record the keys, those that are needed first, and the types of their values.
_SENTENCE_KEYS = {"text": str, "annotations": dict, "document": str, "writer": str, "paragraph": int}
_SENTENCE_KEYS |= {"name": str, "systems": dict}  # of sentences saved from a report, for their readers: skipped here
_EDIT_KEYS = {"start": int, "end": int, "replacements": list, "type": str, "optional": bool, "group": str}
_EDIT_KEYS |= {"comment": str}
_STANDOFF_KEYS = {STANDOFF: str, "annotator": str, "text": str, "edits": list}
_STANDOFF_EDIT_KEYS = {"start": int, "end": int, "corrections": list, "index": str, "type": str, "group": str}
_STANDOFF_EDIT_KEYS |= {"optional": bool, "null_at": int}


def read_jsonl(
    lines: Lines, problems: Problems, standoff: list[tuple[Place, _Record]] | None = None
) -> Iterator[Sentence]:
    """Read an errorbar corpus; stand-off records go into ``standoff``: the sentences after each say the same."""
    n_sentences = 0
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
            problems.error("jsonl-record", "not a JSON object", place, '{"text": ..., "annotations": ...}')
        elif n_sentences == 0 and "format" in record:
            if record["format"] != FORMAT or record.get("version") != VERSION:
                message = f"format {record['format']!r}, version {record.get('version')!r}"
                problems.error("jsonl-header", message, place, f"format {FORMAT!r}, version {VERSION}")
            elif record.get(OVERLAP) == ALLOWED:
                problems.ignored = {*problems.ignored, OVERLAPPING}
        elif STANDOFF in record:
            if standoff is not None:
                standoff.append((place, record))
        elif (sentence := _sentence(record, place, problems)) is not None:
            n_sentences += 1
            yield sentence
    if not n_sentences and not problems.errors:
        problems.error("jsonl-empty", "no sentence in the file", Place(lines.name))


def write_jsonl(sentences: Iterable[Sentence], problems: Problems, annotators: Sequence[str] = ()) -> Iterator[str]:
    """Yield the lines of an errorbar corpus, without line ends. Nothing is lost.

    The header says that edits may overlap where the first sentence was read from a file that says so.
    """
    rows = iter(sentences)
    first = list(islice(rows, 1))
    header: _Record = {"format": FORMAT, "version": VERSION}
    header |= {"annotators": list(annotators)} if annotators else {}
    header |= {OVERLAP: ALLOWED} if OVERLAPPING in problems.ignored else {}
    yield json.dumps(header)
    yield from map(_sentence_line, chain(first, rows))


def _sentence_line(sentence: Sentence) -> str:
    fields = {"document": sentence.document, "writer": sentence.writer, "paragraph": sentence.paragraph}
    annotations = {name: [_edit_record(edit) for edit in edits] for name, edits in sentence.annotations.items()}
    return json.dumps({"text": sentence.text} | _drop_empty(fields) | {"annotations": annotations}, ensure_ascii=False)


def _edit_record(edit: Edit | StandoffEdit) -> dict[str, object]:
    """Span and texts, and of the others those that say something."""
    texts, fields = "replacements", ["type", "optional", "group", "comment"]
    if isinstance(edit, StandoffEdit):
        texts, fields = "corrections", ["index", "type", "group", "optional", "null_at"]
    record: dict[str, object] = {"start": edit.start, "end": edit.end, texts: list(getattr(edit, texts))}
    return record | _drop_empty({key: getattr(edit, key) for key in fields})


def _drop_empty(record: Mapping[str, object]) -> dict[str, object]:
    return {key: value for key, value in record.items() if value}


def _sentence(record: _Record, place: Place, problems: Problems) -> Sentence | None:
    annotations: dict[str, Annotation] = {}
    if not _good_keys(record, _SENTENCE_KEYS, 2, place, problems):
        return None
    tokens = record["text"].split()
    for name, items in record["annotations"].items():
        if not isinstance(items, list):
            problems.error("jsonl-record", f"the edits of annotator '{name}' are not a list", place)
            return None
        edits = []
        for item in _edits(items, _EDIT_KEYS, place, problems):
            if item.get("type") == NOOP:
                message = f"an edit of type '{NOOP}', which M2 takes for none"
                expected, fix = "another type, or no edit", "an annotator who changed nothing has an empty list"
                problems.repairable("jsonl-noop", message, place, "it is left out", expected, hint=fix)
            elif check_span(item["start"], item["end"], len(tokens), place, problems):
                item["replacements"] = tuple(text.strip() for text in item["replacements"])
                check_white_space(item["replacements"], place, problems)
                edits.append(Edit(**item))
        annotations[name] = tuple(check_annotation(edits, tokens, lambda _: place, problems))
    about = record.get("document", ""), record.get("writer", ""), place.line, max(0, record.get("paragraph", 0))
    return Sentence(record["text"], annotations, *about)


def _edits(items: Sequence[object], keys: Mapping[str, type], place: Place, problems: Problems) -> Iterator[_Record]:
    """The edits of a record that have the right keys, of which the third are the texts."""
    texts = list(keys)[2]
    for item in items:
        if not isinstance(item, dict):
            problems.error("jsonl-record", "an edit is not a JSON object", place)
        elif _good_keys(item, keys, 3, place, problems):
            if all(isinstance(text, str) for text in item[texts]):
                yield item
            else:
                problems.error("jsonl-record", f"a {texts.removesuffix('s')} is not text", place)


def _good_keys(record: _Record, known: Mapping[str, type], n_needed: int, place: Place, problems: Problems) -> bool:
    """Whether a record has the first keys, no unknown one, and values of the right type; if not, record why."""
    missing = [(f"'{key}' is missing", "") for key in list(known)[:n_needed] if key not in record]
    unknown = [(f"unknown key '{key}'", ", ".join(known)) for key in record if key not in known]
    odd = [(key, type(value)) for key, value in record.items() if key in known and type(value) is not known[key]]
    wrong = [(f"'{key}' is {kind.__name__}", known[key].__name__) for key, kind in odd]
    for fault, expected in (missing + unknown + wrong)[:1]:
        problems.error("jsonl-record", fault, place, expected)
    return not (missing or unknown or wrong)


def has_standoff(path: Source) -> bool:
    """Whether a file's first line is the header of a JSONL corpus with stand-off records."""
    header = json_record(look(path).peek()) or {}
    return header.get("format") == FORMAT and header.get(STANDOFF) is True


def write_standoff(fragments: Iterable[tuple[Fragment, Sequence[Sentence]]], annotator: str) -> Iterator[str]:
    """Yield the lines of a corpus: one annotator's edits of fragments with texts, and the sentences made of each."""
    yield json.dumps({"format": FORMAT, "version": VERSION, STANDOFF: True})
    for fragment, sentences in fragments:
        edits = [_edit_record(edit) for edit in fragment.edits]
        record = {STANDOFF: fragment.name, "annotator": annotator, "text": fragment.text or "", "edits": edits}
        yield json.dumps(record, ensure_ascii=False)
        yield from map(_sentence_line, sentences)


def read_standoff(lines: Lines, problems: Problems) -> tuple[list[Fragment], list[Sentence], str]:
    """Read a corpus that has stand-off records: the fragments, the sentences beside them, and whose edits they are."""
    records: list[tuple[Place, _Record]] = []
    sentences = list(read_jsonl(lines, problems, records))
    fragments: dict[str, Fragment] = {}
    annotator = ""
    for place, record in records:
        if not _good_keys(record, _STANDOFF_KEYS, 4, place, problems):
            continue
        name, text = record[STANDOFF], record["text"]
        annotator = annotator or record["annotator"]
        if name in fragments or record["annotator"] != annotator:
            message = f"a second stand-off record of fragment '{name}', or of another annotator than '{annotator}'"
            problems.error("jsonl-standoff", message, place, "one annotator, one record for each text")
            continue
        edits = []
        for item in _edits(record["edits"], _STANDOFF_EDIT_KEYS, place, problems):
            start, end = item["start"], item["end"]
            if 0 <= start <= end <= len(text):
                item |= {"original": text[start:end], "corrections": tuple(item["corrections"])}
                edits.append(StandoffEdit(**{"index": "", **item}))
            else:
                message = f"the characters {start} {end} are not in the text"
                problems.error("jsonl-standoff", message, place, f"0 <= start <= end <= {len(text)}")
        fragments[name] = Fragment(name, in_text_order(edits), text, lines.name)
    return list(fragments.values()), sentences, annotator
