"""HOO fragments in errorbar JSONL: beside the sentences the text itself, and the edits by character.

A stand-off record stands before the sentences made of its text, which every command reads; only the way back to HOO
reads the record. So nothing is lost: neither white space, nor offsets inside of words, nor edits that overlap.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from errorbar.core.corpus import Sentence
from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.core.standoff import Fragment, StandoffEdit, in_text_order
from errorbar.formats.jsonl import FORMAT, STANDOFF, VERSION, check_keys, read_jsonl, sentence_line
from errorbar.formats.opening import Lines, Source

_RECORD_KEYS = {STANDOFF: str, "annotator": str, "text": str, "edits": list}
_EDIT_KEYS = {
    "start": int,
    "end": int,
    "corrections": list,
    "index": str,
    "type": str,
    "group": str,
    "optional": bool,
    "null_at": int,
}


def has_standoff(path: Source) -> bool:
    """Whether a file's first line is the header of a JSONL corpus with stand-off records.

    Raises:
        InputError: If the file cannot be opened.
    """
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
            "edits": [_edit_record(edit) for edit in fragment.edits],
        }
        yield json.dumps(record, ensure_ascii=False)
        yield from map(sentence_line, sentences)


def _edit_record(edit: StandoffEdit) -> dict[str, object]:
    record: dict[str, object] = {"start": edit.start, "end": edit.end, "corrections": list(edit.corrections)}
    more: dict[str, object] = {"index": edit.index, "type": edit.type, "group": edit.group}
    more |= {"optional": edit.optional, "null_at": edit.null_at}
    return record | {key: value for key, value in more.items() if value}


def read_standoff(lines: Lines, problems: Problems) -> tuple[list[Fragment], list[Sentence], str]:
    """Read the fragments of a corpus that has stand-off records.

    Args:
        lines: The file.
        problems: Where problems are recorded; the caller raises them.

    Returns:
        The fragments; the sentences beside them; whose edits they are.
    """
    records: list[tuple[Place, dict[str, Any]]] = []
    sentences = list(read_jsonl(lines, problems, records))
    fragments: dict[str, Fragment] = {}
    annotator = ""
    for place, record in records:
        if not check_keys(record, _RECORD_KEYS, tuple(_RECORD_KEYS), place, problems):
            continue
        name, text = record[STANDOFF], record["text"]
        annotator = annotator or record["annotator"]
        if name in fragments or record["annotator"] != annotator:
            what = f"a second stand-off record of fragment '{name}', or of another annotator than '{annotator}'"
            problems.error("jsonl-standoff", what, place, expected="one annotator, one record for each text")
            continue
        found = (_edit(item, text, place, problems) for item in record["edits"])
        edits = in_text_order(edit for edit in found if edit is not None)
        fragments[name] = Fragment(name, edits, text, lines.name)
    return list(fragments.values()), sentences, annotator


def _edit(item: object, text: str, place: Place, problems: Problems) -> StandoffEdit | None:
    if not isinstance(item, dict):
        problems.error("jsonl-record", "an edit is not a JSON object", place)
        return None
    if not check_keys(item, _EDIT_KEYS, ("start", "end", "corrections"), place, problems):
        return None
    start, end, corrections = item["start"], item["end"], item["corrections"]
    if not all(isinstance(each, str) for each in corrections):
        problems.error("jsonl-record", "a correction is not text", place)
        return None
    if not 0 <= start <= end <= len(text):
        what = f"the characters {start} {end} are not in the text"
        problems.error("jsonl-standoff", what, place, expected=f"0 <= start <= end <= {len(text)}")
        return None
    return StandoffEdit(**{"index": "", **item, "original": text[start:end], "corrections": tuple(corrections)})
