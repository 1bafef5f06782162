"""Exports of other annotation tools, as rows of a table of judgments or of spans.

Label Studio 1.x (JSON): a list of tasks; Argilla 2.x (``records.to_json``): a list of records; doccano 1.8 (JSONL): a
file for each member, who is its rater; Prodigy 1.x: JSONL of ``db-out``; Potato 2.x: ``user_state.json`` of each user,
or its CSV; brat 1.x: the ``.ann`` files of each annotator's
folder; Potato 1.x: ``annotated_instances.jsonl`` in the folder of each user; Appraise (``ExportSystemScoresToCSV``,
2022 to 2025): rows without a header. Rows have ``item``, ``rater`` and ``label``; of spans also ``start``, ``end`` and
``length``; and what the export says beside them, under its own names. Where raters answered several questions, each is
an item of its own, ``item:question``. Batch results of Mechanical Turk: ``formats.judgments``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from csv import reader as csv_reader
from datetime import datetime
from pathlib import Path, PurePath
from typing import Any

from errorbar.core.labels import format_count
from errorbar.core.problems import Place, Problems
from errorbar.formats.look import Lines
from errorbar.formats.tables import finite
from errorbar.formats.untrusted import NotJsonError, json_record, parse_json

Row = tuple[int, Mapping[str, object]]
EXPORT_CODE, VALUE_CODE = "export-json", "export-value"
RANKED, BETTER, EQUAL = "ranking", " > ", " = "
"""The column of a ranking, and what stands in it between names, best first."""
_APPRAISE_TYPES = frozenset(("TGT", "CHK", "REF", "BAD"))
_APPRAISE = ("rater", "system", "segment", "type", "source_language", "target_language", "label")
_APPRAISE_MIDDLE = ("document", "complete_document")
_SPAN_VIEWS = frozenset(("ner_manual", "spans_manual"))
_TIMES = ("start_time", "end_time")
_BRAT_SPAN = re.compile(r"T\d+\t(\S+) (\d+ \d+(?:;\d+ \d+)*)\t")
_BRAT_OTHER = re.compile(r"R\d+\t\S+ Arg1:|#\d+\tAnnotatorNotes |\*\t\S+ T\d")
_TIME_SPENT = re.compile(r"(?<!\d)(\d{1,6})d (\d{1,2})h (\d{1,2})m (\d{1,2})s")


def is_json_list(line: str) -> bool:
    """Whether a first line begins a list of tasks or records."""
    return line.strip() == "[" or (line.startswith("[{") and ('"annotations"' in line or '"responses"' in line))


def is_doccano(line: str) -> bool:
    """Whether a first line is a text with a list of labels or entities."""
    record = json_record(line) if line[:1] == "{" else None
    if record is None or "text" not in record or {"annotations", "edits", "rater"} & record.keys():
        return False
    return any(isinstance(record.get(key), list) for key in ("label", "labels", "entities"))


def is_prodigy(line: str) -> bool:
    """Whether a first line is an annotated task, which has hashes of what was shown and asked."""
    record = json_record(line) if line[:1] == "{" else None
    return record is not None and {"_input_hash", "_task_hash", "answer"} <= record.keys()


def is_potato(line: str) -> bool:
    """Whether a first line begins a user's state, or is an annotated instance."""
    if line.strip() == "{" or '"instance_id_to_label_to_value"' in line:
        return True
    record = json_record(line) if line[:1] == "{" else None
    return record is not None and {"id", "label_annotations"} <= record.keys()


def is_brat(line: str) -> bool:
    """Whether a first line is a span of brat, or what brat may write before one."""
    return bool(_BRAT_SPAN.match(line) or _BRAT_OTHER.match(line))


def is_appraise(line: str) -> bool:
    """Whether a first line is a score, which has a type of item between the segment and two languages."""
    cells = line.split(",")
    return len(cells) in (9, 11, 13) and cells[3] in _APPRAISE_TYPES and finite(cells[6]) is not None


class _Answers:
    """The answers of an export, question by question, until all are known."""

    def __init__(self, name: str, problems: Problems) -> None:
        self.place, self.problems = Place(name), problems
        self.rows: list[tuple[str, dict[str, object]]] = []
        self.n_left_out = 0

    def add(self, question: str, item: object, rater: object, label: object, **beside: object) -> None:
        """Add an answer; labels in a list are one label, a set."""
        if isinstance(label, list):
            label = "+".join(sorted(map(str, label)))
        self.rows.append((question, {"item": str(item), "rater": str(rater), "label": label, **beside}))

    def complain(self, message: str, expected: str) -> None:
        """Record an answer that cannot be read."""
        self.problems.repairable(VALUE_CODE, message, self.place, "it is left out", expected)

    def finish(self) -> Iterator[Row]:
        """The rows, with the same keys in all; their numbers are those of the answers, as JSON has no lines."""
        if self.n_left_out:
            message = f"{self.n_left_out:,} answers were cancelled, skipped or discarded"
            self.problems.note("export-left-out", message, self.place, "they are left out")
        if not self.rows and not self.problems.errors:
            self.problems.error("judgments-empty", "no answer in the file", self.place)
        questions = {question for question, _ in self.rows if question}
        several = len(questions) > 1
        if several:  # an annotation without any result is an answer to no question
            self.rows = [row for row in self.rows if row[0]]
        keys = dict.fromkeys(key for _, row in self.rows for key in row)
        for number, (question, row) in enumerate(self.rows, 1):
            item = {"item": f"{row['item']}:{question}"} if several else {}
            yield number, {**dict.fromkeys(keys), **row, **item}


def read_json_list(lines: Lines, problems: Problems) -> Iterator[Row]:
    """Read what Label Studio or Argilla wrote."""
    answers = _Answers(lines.name, problems)
    records = _parse("\n".join(lines), answers)
    if records is None:
        return
    if not isinstance(records, list) or not all(isinstance(record, dict) for record in records):
        problems.error(EXPORT_CODE, "not a list of objects", answers.place, "tasks of Label Studio, records of Argilla")
        return
    read = _read_argilla if any("responses" in record for record in records) else _read_label_studio
    for number, record in enumerate(records, 1):
        read(record, number, answers)
    yield from answers.finish()


def _parse(text: str, answers: _Answers) -> object | None:
    if not text.strip():
        answers.problems.error("export-empty", "the file is empty", answers.place)
        return None
    try:
        return parse_json(text)
    except NotJsonError as error:
        place = Place(answers.place.file, error.line or 1)
        answers.problems.error(EXPORT_CODE, f"not JSON: {error}", place, "the whole export, as it was downloaded")
        return None


def _flat(values: object) -> dict[str, object]:
    """The values that a row can hold."""
    known = values if isinstance(values, dict) else {}
    return {key: value for key, value in known.items() if isinstance(value, str | int | float)}


def _read_label_studio(task: Mapping[str, Any], number: int, answers: _Answers) -> None:
    annotations = task.get("annotations")
    if "id" not in task or not isinstance(annotations, list):
        answers.complain(f"task {number} has no id, or no list of annotations", "the format JSON, not JSON_MIN or CSV")
        return
    data = _flat(task.get("data"))
    for annotation in annotations:
        if not isinstance(annotation, dict) or not isinstance(annotation.get("result"), list):
            answers.complain(f"an annotation of task {task['id']} has no result", "a list")
            continue
        if annotation.get("was_cancelled"):
            answers.n_left_out += 1
            continue
        by = annotation.get("completed_by", "")
        rater = by.get("email") or by.get("id") if isinstance(by, dict) else by
        beside = {"seconds": annotation.get("lead_time"), "end_time": annotation.get("created_at")}
        beside |= {key: value for key, value in data.items() if key not in ("item", "rater", "label")}
        if not annotation["result"]:
            answers.add("", task["id"], rater, "", **beside)
        for result in annotation["result"]:
            _read_result(result, task, rater, beside, answers)


def _read_result(
    result: object, task: Mapping[str, Any], rater: object, beside: dict[str, object], answers: _Answers
) -> None:
    known: dict[str, Any] = result if isinstance(result, dict) else {}
    value = known.get("value")
    if not isinstance(value, dict):
        answers.complain(f"a result of task {task['id']} has no value", "an object")
        return
    kind = known.get("type")
    label = next((value[key] for key in (kind, "choices", "rating", "number", "text", "labels") if key in value), None)
    if isinstance(label, list) and len(label) == 1:
        (label,) = label
    if label is None or isinstance(label, dict):
        answers.complain(f"a result of task {task['id']} is {kind!r}", "choices, a rating, a number, labels or a text")
        return
    if {"start", "end"} <= value.keys():
        data = _flat(task.get("data"))
        text = str(data.get(str(known.get("to_name", "")), data.get("text", "")))
        beside = {"start": value["start"], "end": value["end"], "length": len(text) or None, **beside}
    answers.add(str(known.get("from_name", "")), task["id"], rater, label, **beside)


def _read_argilla(record: Mapping[str, Any], number: int, answers: _Answers) -> None:
    responses = record.get("responses") or {}
    if "id" not in record or not isinstance(responses, dict):
        answers.complain(f"record {number} has no id, or no responses by question", "what records.to_json writes")
        return
    beside = _flat(record.get("metadata")) | _flat(record.get("fields"))
    beside = {key: value for key, value in beside.items() if key not in ("item", "rater", "label")}
    text = next((value for value in _flat(record.get("fields")).values() if isinstance(value, str)), "")
    for question, listed in responses.items():
        for response in listed if isinstance(listed, list) else [None]:
            if not isinstance(response, dict) or "user_id" not in response:
                answers.complain(
                    f"a response to {question!r} of record {record['id']} has no user_id", "value, user_id"
                )
                continue
            if response.get("status") in ("discarded", "draft"):
                answers.n_left_out += 1
                continue
            value, rater = response.get("value"), response["user_id"]
            if (
                isinstance(value, list)
                and value
                and all(isinstance(choice, dict) and "rank" in choice for choice in value)
            ):
                order = _argilla_order(value)
                answers.add(question, record["id"], rater, order, **{RANKED: order}, **beside)
            elif isinstance(value, list) and all(isinstance(span, dict) for span in value):
                whole: dict[str, object] = {"length": len(text) or None, **beside}
                for span in value or [{}]:
                    ends = {"start": span.get("start"), "end": span.get("end")}
                    answers.add(question, record["id"], rater, span.get("label", ""), **ends, **whole)
            elif isinstance(value, dict):
                answers.complain(f"a response to {question!r} of record {record['id']}", "a label, a number or spans")
            else:
                answers.add(question, record["id"], rater, value, **beside)


def _argilla_order(value: object) -> str:
    """The values of a ranking question, best first; empty: the answer is to another question."""
    if not isinstance(value, list) or not all(isinstance(choice, dict) and "rank" in choice for choice in value):
        return ""
    by_rank: dict[float, list[str]] = {}
    for choice in value:
        by_rank.setdefault(finite(choice["rank"]) or 0.0, []).append(str(choice.get("value", "")))
    return BETTER.join(EQUAL.join(sorted(by_rank[rank])) for rank in sorted(by_rank))


def read_doccano(lines: Lines, problems: Problems) -> Iterator[Row]:
    """Read what a member of a doccano project annotated; the file has the member's name."""
    answers, rater = _Answers(lines.name, problems), _stem(lines.name)
    for number, record in _records(lines, problems):
        text, item = str(record.get("text", "")), record.get("id", number)
        kinds = record.get("cats")  # of a project of intents and slots, whose spans are the entities
        question = "entities" if isinstance(kinds, list) else ""
        marks = next(
            (record[key] for key in ("entities", "label", "labels") if isinstance(record.get(key), list)), None
        )
        beside = {key: value for key, value in _flat(record).items() if key not in ("id", "item", "rater", "label")}
        if marks is None:
            problems.repairable(
                VALUE_CODE, "a text without a list of labels", Place(lines.name, number), expected="label: [...]"
            )
            continue
        spans = [span for mark in marks if (span := _doccano_span(mark)) is not None]
        if len(spans) == len(marks) and (spans or "entities" in record):
            for start, end, label in spans or [(None, None, "")]:
                answers.add(question, item, rater, label, start=start, end=end, length=len(text), **beside)
            if isinstance(kinds, list):
                answers.add("cats", item, rater, kinds[0] if len(kinds) == 1 else kinds, **beside)
        elif not spans and all(isinstance(mark, str | int) for mark in marks):
            answers.add("", item, rater, marks[0] if len(marks) == 1 else marks, **beside)
        else:
            expected = "labels, or [start, end, label], or start_offset, end_offset and label"
            problems.repairable(VALUE_CODE, "a label that is none", Place(lines.name, number), expected=expected)
    spans_there = any("start" in row for _, row in answers.rows)
    for _, row in answers.rows if spans_there else ():
        row.setdefault("length", len(str(row.get("text", ""))))
    yield from answers.finish()


def _doccano_span(mark: object) -> tuple[object, object, object] | None:
    if isinstance(mark, dict) and {"start_offset", "end_offset", "label"} <= mark.keys():
        return mark["start_offset"], mark["end_offset"], mark["label"]
    if isinstance(mark, list) and len(mark) == 3:
        return mark[0], mark[1], mark[2]
    return None


def read_prodigy(lines: Lines, problems: Problems) -> Iterator[Row]:
    """Read annotated tasks: choices, spans that were marked, or yes and no to a label or to what was shown.

    An item is what was shown (``_input_hash``), so that annotators who marked other spans still judged the same; where
    yes or no is the answer it is the task (``_task_hash``), which has the label too. Spans of a task that was rejected,
    and tasks that were ignored, are left out.
    """
    answers = _Answers(lines.name, problems)
    for number, record in _records(lines, problems):
        place, verdict = Place(lines.name, number), record.get("answer")
        if verdict not in ("accept", "reject", "ignore") or "_task_hash" not in record or "_input_hash" not in record:
            expected = "an answer, _input_hash and _task_hash"
            problems.repairable(VALUE_CODE, "not an annotated task", place, "it is left out", expected)
            continue
        rater = record.get("_annotator_id") or record.get("_session_id") or _stem(lines.name)
        item, text, spans = record["_input_hash"], str(record.get("text", "")), record.get("spans")
        meta = record.get("meta")
        beside = (_flat(meta) if isinstance(meta, dict) else {}) | {"text": text, "end_time": record.get("_timestamp")}
        beside = {key: value for key, value in beside.items() if key not in ("item", "rater", "label")}
        asks_spans = record.get("_view_id") in _SPAN_VIEWS or (isinstance(spans, list) and "tokens" in record)
        chosen = record.get("accept")
        if verdict == "ignore" or (verdict == "reject" and (asks_spans or isinstance(chosen, list))):
            answers.n_left_out += 1
        elif isinstance(chosen, list):
            if spans:
                message = f"task {item} has {format_count(len(spans), 'spans')} beside its choice"
                problems.repairable(VALUE_CODE, message, place, "the choice alone is read", "one kind of answer")
            answers.add("", item, rater, chosen[0] if len(chosen) == 1 else chosen, **beside)
        elif asks_spans:
            for span in [mark for mark in spans or [] if isinstance(mark, dict)] or [{}]:
                ends = {"start": span.get("start"), "end": span.get("end"), "length": len(text)}
                answers.add("", item, rater, span.get("label", ""), **ends, **beside)
        else:
            asked = {"asked": record["label"]} if isinstance(record.get("label"), str) else {}
            answers.add("", record["_task_hash"], rater, verdict, **asked, **beside)
    yield from answers.finish()


def _records(lines: Lines, problems: Problems) -> Iterator[tuple[int, Mapping[str, Any]]]:
    """The objects of JSON lines; other lines are problems."""
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            record = parse_json(line)
        except NotJsonError as error:
            problems.error(EXPORT_CODE, f"not JSON: {error}", Place(lines.name, number), "an object in each line")
            continue
        if isinstance(record, dict):
            yield number, record
        else:
            problems.error(EXPORT_CODE, "not an object", Place(lines.name, number), "an object in each line")


def read_potato(lines: Lines, problems: Problems) -> Iterator[Row]:
    """Read a user's state, or the annotated instances of the user whose folder the file is in."""
    answers = _Answers(lines.name, problems)
    if '"label_annotations"' in lines.peek():
        rater = PurePath(lines.name).parent.name or _stem(lines.name)
        for _, record in _records(lines, problems):
            spent = _TIME_SPENT.search(str((record.get("behavioral_data") or {}).get("time_string", "")))
            days, hours, minutes, seconds = map(int, spent.groups()) if spent else (0, 0, 0, 0)
            time = {"seconds": ((days * 24 + hours) * 60 + minutes) * 60 + seconds} if spent else {}
            beside = {"displayed_text": str(record.get("displayed_text", "")), **time}
            _add_potato(record.get("id", ""), rater, record.get("label_annotations"), answers, beside)
        yield from answers.finish()
        return
    state = _parse("\n".join(lines), answers)
    if state is None:
        return
    labels = state.get("instance_id_to_label_to_value") if isinstance(state, dict) else None
    if not isinstance(state, dict) or not isinstance(labels, dict) or "user_id" not in state:
        expected = "user_id and instance_id_to_label_to_value"
        problems.error(EXPORT_CODE, "not the state of a user of Potato", answers.place, expected)
        return
    spans, seen = state.get("instance_id_to_span_to_value"), state.get("instance_id_to_behavioral_data")
    times = seen if isinstance(seen, dict) else {}
    for item, schemas in spans.items() if isinstance(spans, dict) else ():
        for question, span in _potato_spans(schemas):
            ends = {"start": span.get("start"), "end": span.get("end")}
            label = span.get("name", span.get("label", ""))
            answers.add(question, item, state["user_id"], label, **ends, **_potato_times(times.get(item)))
    if not answers.rows:
        for item, schemas in labels.items():
            _add_potato(item, state["user_id"], _potato_labels(schemas), answers, _potato_times(times.get(item)))
    yield from answers.finish()


def _potato_labels(schemas: object) -> object:
    """Scheme to label to value: Potato saves pairs of a label and its value; its page of formats shows objects."""
    if not isinstance(schemas, list):
        return schemas
    by_scheme: dict[str, dict[str, object]] = {}
    for label, value in _potato_pairs(schemas):
        by_scheme.setdefault(str(label.get("schema", "")), {})[str(label.get("name", ""))] = value
    return by_scheme


def _potato_spans(schemas: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Scheme and span: of pairs of a span and its value, or of objects with a list for each scheme."""
    if isinstance(schemas, list):
        yield from ((str(span.get("schema", "")), span) for span, _ in _potato_pairs(schemas))
    for question, marked in schemas.items() if isinstance(schemas, dict) else ():
        yield from ((question, span) for span in marked if isinstance(span, dict)) if isinstance(marked, list) else ()


def _potato_pairs(pairs: Sequence[object]) -> Iterator[tuple[Mapping[str, Any], object]]:
    for pair in pairs:
        if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], dict):
            yield pair[0], pair[1]


def _potato_times(seen: object) -> dict[str, object]:
    """When a user began and ended an instance, and the seconds between, where Potato recorded them."""
    known = seen if isinstance(seen, dict) else {}
    spent = finite(known.get("total_time_ms"))
    times = {"seconds": None if spent is None else spent / 1000}
    times |= {"start_time": known.get("session_start"), "end_time": known.get("session_end")}
    return {name: value for name, value in times.items() if value is not None}


def _add_potato(item: object, rater: str, schemas: object, answers: _Answers, beside: Mapping[str, object]) -> None:
    if not isinstance(schemas, dict):
        answers.complain(f"instance {item} has no labels by scheme", "an object")
        return
    for question, values in schemas.items():
        chosen = values.get("labels", values) if isinstance(values, dict) else None
        if not isinstance(chosen, dict):
            answers.complain(f"instance {item} has no labels for {question!r}", "an object")
            continue
        names = [name for name, value in chosen.items() if value not in (False, None, "")]
        answers.add(question, item, rater, names[0] if len(names) == 1 else names, **beside)


def read_brat(lines: Lines, problems: Problems) -> Iterator[Row]:
    """Read the spans of a document; its folder has the name of the annotator, as their collections in brat have.

    A span in pieces is several. A file without any is the answer of somebody who marked nothing. Relations, events,
    attributes and notes, which speak of spans, are left out. The text stands beside the file, with the ending ``.txt``.
    """
    answers, path = _Answers(lines.name, problems), Path(lines.name.removesuffix(".gz")).absolute()
    item, rater, length = path.stem, path.parent.name, None
    with suppress(OSError, UnicodeDecodeError):
        length = len(path.with_suffix(".txt").read_bytes().decode()) or None
    n_bad = 0
    for number, line in enumerate(lines, 1):
        if line[:1] != "T":
            continue
        span = _BRAT_SPAN.match(line)
        if span is None:
            expected = "T1, a tab, the type, start and end, a tab, the text"
            problems.repairable(VALUE_CODE, "no span of brat", Place(lines.name, number), "it is left out", expected)
            n_bad += 1
            continue
        for piece in span[2].split(";"):
            start, end = piece.split(" ")
            answers.add("", item, rater, span[1], start=start, end=end, length=length)
    if not answers.rows and not n_bad:
        answers.add("", item, rater, "", start=None, end=None, length=length)
    yield from answers.finish()


def read_appraise(lines: Lines, problems: Problems) -> Iterator[Row]:
    """Read scores of segments; an item is a segment of a system, and one of a control item is another."""
    number = 0
    for number, cells in enumerate(csv_reader(iter(lines)), 1):
        place = Place(lines.name, number)
        names = _appraise_names(cells)
        if names is None or finite(cells[6]) is None:
            expected = "rater, system, segment, type, two languages, score, and start and end, in 9, 11 or 13 fields"
            problems.repairable(VALUE_CODE, f"a row of {len(cells)} fields", place, expected=expected)
            continue
        row: dict[str, object] = dict(zip(names, cells, strict=True))
        start, end = (finite(row[name]) for name in _TIMES)
        seconds = end - start if start is not None and end is not None and end >= start else None
        control = "" if row["type"] == "TGT" else f":{row['type']}"
        document = f"{row['document']}:" if "document" in row else ""
        item = f"{document}{row['segment']}:{row['system']}{control}"
        yield number, {"item": item, **row, "seconds": seconds}
    if not number:
        problems.error("export-empty", "the file is empty", Place(lines.name))


def _appraise_names(cells: Sequence[str]) -> tuple[str, ...] | None:
    """The names of a row's fields, by their number; None where they are none of Appraise's."""
    n = len(cells)
    if n not in (9, 11, 13) or cells[3] not in _APPRAISE_TYPES:
        return None
    with_document = n == 13 or (n == 11 and cells[8] in ("True", "False"))
    middle = _APPRAISE_MIDDLE if with_document else ()
    last = ("batch", "item_id") if n == len(_APPRAISE) + len(middle) + len(_TIMES) + 2 else ()
    return (*_APPRAISE, *middle, *_TIMES, *last)


def moment(value: object) -> float | None:
    """Seconds since 1970 of a time as exports write it: a number, ISO 8601, or as Mechanical Turk does; else None."""
    number = finite(value)
    if number is not None or not isinstance(value, str) or not value:
        return number
    readers: Iterable[Callable[[str], datetime]] = (
        datetime.fromisoformat,
        lambda text: datetime.strptime(re.sub(r" [A-Z]{3} ", " ", text), "%a %b %d %H:%M:%S %Y"),
    )
    for read in readers:
        try:
            return read(value).timestamp()
        except ValueError:
            continue
    return None


def _stem(name: str) -> str:
    return PurePath(name.removesuffix(".gz")).stem
