"""Items from tables: CSV, TSV or JSON lines, among them the blind sets of ``errorbar sample draw``.

Conventions
    Which part of the text is asked about is told by the first of these that a row has: the columns ``start`` and
    ``end``, code points; the column ``span``, ``3-5``, where an empty one is the whole text; the name of the item where
    it is ``sentence:start-end``, tokens, and these stand in brackets or are the ``word``; the column ``word``, with
    ``occurrence`` where there are several; one pair of brackets in the text, which are taken out.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace

from errorbar.core.errors import Place, nearest, shortened
from errorbar.core.problems import Problems
from errorbar.formats.look import Source
from errorbar.formats.tables import table_rows
from errorbar.formats.untrusted import whole_number
from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.schemes import Scheme, tokens

NAMES = ("item", "id")
_OWN = frozenset((*NAMES, "text", "before", "start", "end", "span"))
_OF_CHOICES = frozenset(("candidate1", "candidate2", "system1", "system2"))
_OF_JUDGMENTS = ("rater", "label")
_TOKENS = re.compile(r"\d+:(\d+)-(\d+)")
_SPAN = re.compile(r"(\d+)[-,:](\d+)")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
Row = Mapping[str, str]


def read_rows(path: Source, scheme: Scheme, problems: Problems) -> list[JudgedItem]:
    """Read items; what is wrong with a row is recorded, with its line. Rows of several raters are one item."""
    found: dict[str, JudgedItem] = {}
    lines: dict[str, tuple[Place, set[str]]] = {}
    labeled = 0
    for row, place in table_rows(path, problems):
        if not lines:
            _check_columns(row, scheme, place, problems)
        name = name_of(row)
        labeled += bool(row.get("label", "").strip())
        before = lines.get(name)
        if not name:
            problems.error("judge-item-name", "the row names no item", place, "a column 'item' or 'id'")
            continue
        if before is not None and not row.get("rater"):
            problems.error("judge-item-twice", f"item '{shortened(name)}' stands in line {before[0].line} too", place)
            continue
        item = item_of(row, scheme, place, problems)
        if before is None:
            lines[name] = place, {row.get("rater", "")}
            if item is not None:
                found[name] = item
            continue
        if row["rater"] in before[1] or (item is not None and item != found.get(name)):
            what = f"item '{shortened(name)}' stands in line {before[0].line} too, "
            what += "for the same rater" if row["rater"] in before[1] else "with another text or span"
            problems.error("judge-item-twice", what, place)
        before[1].add(row["rater"])
    if labeled:
        what = f"{labeled} rows have a label already; judgments are collected anew, and these are not read"
        problems.note("judge-labels", what, Place(str(path)), "crowd, agree and sample estimate read judgments")
    return [*found.values()]


def _check_columns(row: Row, scheme: Scheme, place: Place, problems: Problems) -> None:
    """Refuse a table, once, whose columns do not tell what items need."""
    choice = scheme.shows == "choice"
    for needed in (NAMES, ("text", "candidate1") if choice else ("text",), ("candidate2", "suggestion") * choice):
        if needed and not {*needed} & {*row}:
            what = f"no column '{needed[0]}'" + f" or '{needed[-1]}'" * (len(needed) > 1)
            fix = nearest(needed[0], [each for each in row if each][:50])
            problems.error("table-column", what, place, "item, text, and what tells the span", fix)
            problems.raise_errors()


def name_of(row: Row) -> str:
    """What the row calls its item; empty: nothing."""
    return next((row[key].strip() for key in NAMES if row.get(key, "").strip()), "")


def item_of(row: Row, scheme: Scheme, place: Place, problems: Problems) -> JudgedItem | None:
    """The item of a row; None, with the problems recorded, where it is bad."""
    candidates = tuple(row[key] for key in ("candidate1", "candidate2") if key in row)
    text = row.get("text", "") or (candidates[0] if candidates and scheme.shows == "choice" else "")
    if not text.strip():
        problems.error("judge-item-text", f"item '{shortened(name_of(row))}' has no text", place)
        return None
    try:
        text, span = _span(row, text)
    except ValueError as error:
        problems.error("judge-item-span", f"item '{shortened(name_of(row))}': {error}", place)
        return None
    known = {*_OWN, *_OF_JUDGMENTS, *(_OF_CHOICES if scheme.shows == "choice" else ())}
    hidden = {key: value for key, value in row.items() if key and key not in known}
    item = JudgedItem(name_of(row), text, span, row.get("before", ""), hidden=hidden)
    if scheme.shows == "choice":
        shown = text if span is None else text[slice(*span)]
        other = row.get("candidate2", row.get("suggestion"))
        said = (row.get("candidate1", shown), other) if other is not None else ()
        names = tuple(row.get(f"system{number}", "").strip() for number in (1, 2))
        item = replace(item, candidates=said, names=names if all(names) else ())
    wrong = unfit(scheme, item)
    if wrong:
        problems.error("judge-item-span" if "span" in wrong else "judge-item-candidates", wrong, place)
    return None if wrong else item


def unfit(scheme: Scheme, item: JudgedItem) -> str:
    """Why a scheme cannot ask about an item; empty: it can."""
    if item.span is None and (scheme.shows == "cloze" or scheme.context_words):
        return f"item '{shortened(item.name)}' has no span, and the scheme {scheme.name} asks about a part of the text"
    if scheme.shows == "choice":
        if len(item.candidates) != 2:
            return f"item '{shortened(item.name)}' has no two candidates: columns candidate1 and candidate2"
        if item.candidates[0] == item.candidates[1]:
            return (
                f"the two candidates of item '{shortened(item.name)}' are the same: {shortened(item.candidates[0])!r}"
            )
    return ""


def _span(row: Row, text: str) -> tuple[str, tuple[int, int] | None]:
    """The text without marks, and its span; a ``ValueError`` says what is wrong."""
    if row.get("start", "").strip() or row.get("end", "").strip():
        return text, _inside(text, row.get("start", "").strip(), row.get("end", "").strip())
    if "span" in row:
        said = row["span"].strip()
        match = _SPAN.fullmatch(said)
        if said and not match:
            raise ValueError(f"the span must be START-END in characters, got {shortened(said)!r}")
        return text, _inside(text, match[1], match[2]) if match else None
    word = row.get("word", "").strip()
    if (named := _TOKENS.fullmatch(name_of(row))) and (found := _of_tokens(text, int(named[1]), int(named[2]), word)):
        return found
    if word:
        return text, _of_word(text, word, row.get("occurrence", "").strip())
    marks = [*_BRACKETS.finditer(text)]
    if name_of(row).isdecimal() or not set(text) & set("[]"):
        return text, None
    if len(marks) != 1 or text.count("[") + text.count("]") != 2:
        raise ValueError("brackets must mark one place; with columns start and end, or span, they are text")
    return _unmarked(text, marks[0])


def _inside(text: str, start: str, end: str) -> tuple[int, int]:
    first, last = (0 if side == "0" else whole_number(side) for side in (start, end))
    if first is None or last is None or not first <= last <= len(text):
        raise ValueError(f"the span {start or '?'} to {end or '?'} is not inside the text of {len(text)} characters")
    return first, last


def _of_word(text: str, word: str, occurrence: str) -> tuple[int, int]:
    spans = [each.span() for each in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text)]
    spans = spans or [each.span() for each in re.finditer(rf"(?i)(?<!\w){re.escape(word)}(?!\w)", text)]
    number = whole_number(occurrence) if occurrence else None
    if occurrence and number is None:
        raise ValueError(f"the occurrence must be a whole number from 1, got {shortened(occurrence)!r}")
    if len(spans) > 1 and number is None:
        raise ValueError(f"the word '{shortened(word)}' stands {len(spans)} times in the text; add a column occurrence")
    if (number or 1) > len(spans):
        many = f"only {len(spans)} times" if spans else "not"
        raise ValueError(f"the word '{shortened(word)}' stands {many} in the text")
    return spans[(number or 1) - 1]


def _of_tokens(text: str, start: int, end: int, word: str) -> tuple[str, tuple[int, int]] | None:
    """The span that a name tells by numbers of tokens, where brackets or the word bear it out."""
    spans = tokens(text)
    if start < end <= len(spans):
        first, last = spans[start][0], spans[end - 1][1]
        if word and text[first:last] == word:
            return text, (first, last)
        if text[first] == "[" and text[last - 1] == "]":
            return f"{text[:first]}{text[first + 1 : last - 1]}{text[last:]}", (first, last - 2)
    if start == end < len(spans) and text[slice(*spans[start])] == "[]":
        first, last = spans[start]
        return _unmarked(text, _BRACKETS.match(text, first))
    return None


def _unmarked(text: str, mark: re.Match[str] | None) -> tuple[str, tuple[int, int]]:
    """The text without a pair of brackets; a gap goes with one of the spaces around it."""
    assert mark is not None
    first, last = mark.span()
    if mark[1]:
        return f"{text[:first]}{mark[1]}{text[last:]}", (first, last - 2)
    before, after = text[:first], text[last:]
    if before[-1:].isspace() and after[:1].isspace():
        after = after[1:]
    elif not before:
        after = after.lstrip()
    elif not after:
        before = before.rstrip()
    return before + after, (len(before), len(before))
