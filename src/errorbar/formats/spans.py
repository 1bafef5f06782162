"""Tables of spans: a row for each stretch that an annotator marked in a text.

Columns are ``item``, the text; ``rater``, the annotator; ``start`` and ``end``, a half-open stretch of its characters
or tokens; and maybe ``label``, its type; ``length``, that of the text; ``document``. A row with neither start nor end
says that the annotator looked and marked nothing. Other columns are not read.
"""

from __future__ import annotations

from collections.abc import Mapping

from errorbar.core.labels import format_count
from errorbar.core.problems import Place, Problems, shorten_text
from errorbar.core.spans import Span, SpannedText
from errorbar.formats.look import Source, display_name
from errorbar.formats.tables import TableFields, header_of, table_rows

NEEDED = ("item", "rater", "start", "end")


def is_span_table(path: Source) -> bool:
    """Whether a table has the columns of spans."""
    return {*NEEDED} <= {*header_of(path)}


def read_span_table(path: Source, problems: Problems) -> list[SpannedText]:
    """Read a table of spans: CSV, JSON lines or Parquet; texts come in the order of their first rows.

    Raises:
        InputError: If a row is bad, or a text has two lengths or documents.
    """
    fields = TableFields(NEEDED, {"item": "text", "rater": "annotator"}, "spans", "spans-column")
    spans: dict[str, dict[str, list[Span]]] = {}
    lengths: dict[str, int] = {}
    documents: dict[str, str] = {}
    for values, place in table_rows(path, problems, fields):
        item, rater = values["item"], values["rater"]
        if not item or not rater:
            problems.repairable("spans-name", f"the row names no {'annotator' if item else 'text'}", place)
            continue
        known = lengths.get(item)
        length = _length(values, known, place, problems)
        if length is not None:
            lengths[item] = length
        document = values.get("document", "")
        if documents.setdefault(item, document) != document:
            message = f"text '{item}' is of document '{document}', and was of '{documents[item]}' before"
            problems.error("spans-document", message, place, "one document for each text")
        own = spans.setdefault(item, {}).setdefault(rater, [])
        if (values["start"], values["end"]) != ("", "") and (span := _span(values, length, place, problems)):
            own.append(span)
    if not spans and not problems.errors:
        problems.error("spans-empty", "no row in the file", Place(display_name(path)), ", ".join(NEEDED))
    problems.raise_errors()
    if unknown := sum(item not in lengths for item in spans):
        have, each = ("has", "it") if unknown == 1 else ("have", "each")
        message = (
            f"{format_count(unknown, 'texts')} {have} no length: {each} ends with the last span that anybody marked"
        )
        problems.note("spans-length", message, Place(display_name(path)), "add a column length")
    return [
        SpannedText(item, _whole_length(own, lengths.get(item)), _in_order(own), documents[item])
        for item, own in spans.items()
    ]


def _in_order(own: Mapping[str, list[Span]]) -> dict[str, tuple[Span, ...]]:
    return {rater: tuple(sorted(marked)) for rater, marked in own.items()}


def _whole_length(own: Mapping[str, list[Span]], length: int | None) -> int:
    return length or max((span.end for marked in own.values() for span in marked), default=1)


def _length(values: Mapping[str, str], known: int | None, place: Place, problems: Problems) -> int | None:
    """The length of the row's text, which may stand in any of its rows."""
    text = values.get("length", "")
    if not text:
        return known
    if not text.isdecimal() or int(text) < 1:
        message = f"the length {shorten_text(text)!r} is no number of at least 1"
        problems.repairable("spans-place", message, place, "the length counts as unknown")
        return known
    if known not in (None, int(text)):
        message = f"text '{values['item']}' is {text} long, and was {known} before"
        problems.error("spans-length", message, place, "one length for each text")
    return int(text)


def _span(values: Mapping[str, str], length: int | None, place: Place, problems: Problems) -> Span | None:
    """The span of a row; None, with the problem recorded, where it is bad."""
    start, end = values["start"], values["end"]
    if not start.isdecimal() or not end.isdecimal() or int(start) >= int(end):
        message = f"a span from {shorten_text(start)!r} to {shorten_text(end)!r}"
        problems.repairable(
            "spans-place", message, place, "the row is left out", "two whole numbers, the first smaller"
        )
        return None
    if length is not None and int(end) > length:
        message = f"a span that ends at {end} in a text of {length}"
        problems.repairable("spans-place", message, place, "the row is left out", f"an end of at most {length}")
        return None
    return Span(int(start), int(end), values.get("label", ""))
