"""Items from a corpus, or from a source and systems' texts: its words, tokens, gaps, sentences, or what was changed.

Conventions
    ``edits`` has an item for each span that a system changes, or where there is no system, an annotator. In a choice
    test an item is a pair of texts for one place: the writer's against what somebody made of it, those who wrote the
    same together; or two systems' against each other wherever these differ. Names are ``sentence:start-end`` as
    everywhere, with ``/2`` and so on where a place has several pairs. A word that is put in or taken out goes with one
    of the spaces around it. What a system does at an item is in its hidden columns: ``flag:NAME``, 1 where it changes
    something there, and ``says:NAME``, its text.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from os import fspath
from typing import Literal, TypedDict, Unpack

from errorbar.api.inputs import ReadingOptions, Systems, load
from errorbar.api.read import read_corpus
from errorbar.core.corpus import Corpus, Hypothesis, Sentence
from errorbar.core.edit import Edit
from errorbar.core.labels import whole_number
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError, nearest, shorten_text
from errorbar.edits.items import edit_items, split_items
from errorbar.edits.texts import extract_edits
from errorbar.formats.look import Lines, Source, display_name, look
from errorbar.formats.tables import table_rows
from errorbar.formats.untrusted import json_record
from errorbar.judging.items.context import OUTPUTS, Context, ranked_items, with_context, with_outputs
from errorbar.judging.question_kinds import MOST_OUTPUTS
from errorbar.judging.scheme import SEVERAL, SIDES, JudgedItem, Scheme, fold_word, tokens
from errorbar.judging.scheme_kinds import OF_SENTENCES, kind_of, refuse_without_span

Against = Literal["writer", "systems"]
EDITS = "edits"
SAYS = "says:"
"""Before the name of a system in the hidden column of its text."""
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Changes:
    """Everybody's edits of one sentence, in text order, without overlaps."""

    tokens: Sequence[str]
    by: dict[str, list[Edit]]

    def text_of(self, name: str, span: Span) -> str | None:
        """Somebody's text for a span; None where an edit of theirs goes beyond it."""
        words, at = list[str](), span[0]
        for edit in self.touching(name, span):
            if edit.start < span[0] or edit.end > span[1]:
                return None
            words += [*self.tokens[at : edit.start], *edit.replacements[0].split()]
            at = edit.end
        return " ".join([*words, *self.tokens[at : span[1]]])

    def touching(self, name: str, span: Span) -> list[Edit]:
        """Somebody's edits that change something of a span; a gap is touched by what is put in there, or goes over."""
        start, end = span
        return [
            edit
            for edit in self.by.get(name, ())
            if (edit.start < end and start < edit.end)
            or edit.span == span
            or (edit.is_insertion and start < edit.start < end)
            or (start == end and edit.start < start < edit.end)
        ]


def corpus_items(
    corpus: Corpus,
    systems: Sequence[Hypothesis],
    scheme: Scheme,
    *,
    items: str = "",
    against: Against = "writer",
    context: Context = "sentence",
) -> list[JudgedItem]:
    """Items of a corpus, with the text around them.

    ``items`` says which, as ``edit_items`` has them, or ``edits``; empty: as fits the rest.
    """
    if kind_of(scheme).edits_systems:
        return with_context(_outputs(corpus, systems, scheme, items, against), corpus, scheme, context)
    return with_context(_places(corpus, systems, scheme, items, against), corpus, scheme, context)


def _outputs(
    corpus: Corpus, systems: Sequence[Hypothesis], scheme: Scheme, items: str, against: Against
) -> list[JudgedItem]:
    """One item for each sentence and system: the system's output of the sentence."""
    for name, is_set in (("items", items not in ("", "sentences")), ("against", against != "writer")):
        if is_set:
            message = (
                f"--{name} is for other schemes: items of {scheme.name} are the systems' outputs, sentence by sentence"
            )
            raise UsageError(Problem("useless-option", message, fix="leave it out"))
    if not systems:
        message = f"the scheme {scheme.name} is about systems' outputs, and no system is given"
        raise UsageError(Problem("judge-items", message, fix="give --system for each"))
    outputs: list[JudgedItem] = []
    for at, sentence in enumerate(corpus.sentences):
        text, before = _texts(corpus, at)
        if not text:  # nothing was there to correct
            continue
        for system in systems:
            output = system.lines[at].strip()
            hidden = _describe_place(corpus, at) | {"system": system.name}
            name = f"{at + 1}/{system.name}"
            item = JudgedItem(name, text, None, before, (output,), (system.name,), hidden=hidden)
            if wrong := kind_of(scheme).unfit(scheme, item):
                place = Place(corpus.name, sentence.line)
                raise InputError(Problem("judge-item-long", wrong, place, fix="cut the sentence in all files"))
            outputs.append(item)
    return outputs


def _places(
    corpus: Corpus, systems: Sequence[Hypothesis], scheme: Scheme, items: str, against: Against
) -> list[JudgedItem]:
    """Places in the sentences."""
    if kind_of(scheme).corrects_sentences:
        items = items or "sentences"
    items = items or (EDITS if systems or kind_of(scheme).compares else "words")
    names = [system.name for system in systems] or list(corpus.annotators)
    _check(scheme, items, against, names)
    changes = [
        _Changes(sentence.tokens, {name: _edits(corpus, systems, at, name) for name in names})
        for at, sentence in enumerate(corpus.sentences)
    ]
    if kind_of(scheme).compares:
        pairs = _against_writer if against == "writer" else _against_each_other
        choices = [item for at, change in enumerate(changes) for item in _choices(corpus, at, pairs(change, names))]
        if not choices:
            message = "nothing differs: there is nothing to choose between"
            raise UsageError(Problem("judge-no-items", message, fix="give texts that differ"))
        return choices
    places = _find_changed_spans(changes) if items == EDITS else _project_items(corpus, items)
    hide = names if systems else []
    judged_items = [_item(corpus, at, span, changes[at], hide) for at, span in places]
    if not judged_items:
        raise UsageError(Problem("judge-no-items", "nobody changes anything", fix="give items, e.g. words or tokens"))
    return judged_items


def _check(scheme: Scheme, items: str, against: Against, names: Sequence[str]) -> None:
    choice = kind_of(scheme).compares
    if choice and items != EDITS:
        message = f"a choice test compares what was changed, and items are '{items}'"
        raise UsageError(Problem("judge-items", message, fix="leave --items out"))
    if kind_of(scheme).ranks:
        message = "outputs are ranked, and this is a corpus without any"
        raise UsageError(Problem("judge-items", message, fix="give a table of items"))
    if items == EDITS and not names:
        message = "nobody changes anything here: there is no system and no annotator"
        raise UsageError(Problem("judge-items", message, fix="give --systems, or other --items"))
    if against == "systems" and (not choice or len(names) < 2):
        message = "two systems' texts can be set against each other only in a choice test of at least two"
        raise UsageError(Problem("judge-items", message, fix="leave --against out"))
    if bad := [name for name in names if SEVERAL in name]:
        raise UsageError(Problem("judge-items", f"a system's name must not have '{SEVERAL}', got '{bad[0]}'"))
    if items != "sentences" and kind_of(scheme).corrects_sentences:
        message = f"the scheme {scheme.name} asks for edits of whole sentences, and items are '{items}'"
        raise UsageError(Problem("judge-items", message, fix="leave --items out"))
    if items == "sentences" and kind_of(scheme).needs_span(scheme):
        message = f"the scheme {scheme.name} asks about a part of the text, and items are sentences"
        raise UsageError(Problem("judge-items", message, fix=f"give other --items; {OF_SENTENCES}"))


def _edits(corpus: Corpus, systems: Sequence[Hypothesis], at: int, name: str) -> list[Edit]:
    """Somebody's edits of a sentence; of alternatives the first, of edits that overlap the first in the text."""
    sentence = corpus.sentences[at]
    system = next((system for system in systems if system.name == name), None)
    if system is not None:
        return extract_edits(sentence.tokens, system.lines[at].split())
    kept: list[Edit] = []
    annotated = sentence.annotations.get(name, ())
    for edit in sorted((edit for edit in annotated if edit.applicable), key=lambda edit: edit.span):
        same = edit.replacements[0].split() == sentence.tokens[edit.start : edit.end]
        if not same and (not kept or edit.start >= kept[-1].end) and (not kept or edit.span != kept[-1].span):
            kept.append(edit)
    return kept


def _project_items(corpus: Corpus, items: str) -> Iterator[tuple[int, Span | None]]:
    projection, words = split_items(items)
    for name in edit_items(corpus, projection, words=words).judgments.items:
        number, _, span = name.partition(":")
        start, _, end = span.partition("-")
        yield int(number) - 1, (int(start), int(end)) if span else None


def _find_changed_spans(changes: Sequence[_Changes]) -> Iterator[tuple[int, Span | None]]:
    for at, change in enumerate(changes):
        yield from ((at, span) for span in sorted({edit.span for edits in change.by.values() for edit in edits}))


def _item(corpus: Corpus, at: int, span: Span | None, changes: _Changes, names: Sequence[str]) -> JudgedItem:
    text, before = _texts(corpus, at)
    hidden = _describe_place(corpus, at)
    whole = (0, len(changes.tokens)) if span is None else span
    for name in names:
        hidden[f"flag:{name}"] = str(int(bool(changes.by[name] if span is None else changes.touching(name, span))))
        written = changes.text_of(name, whole)
        hidden |= {} if written is None else {f"{SAYS}{name}": written}
    return JudgedItem(_name(at, span), text, None if span is None else _characters(text, span), before, hidden=hidden)


Pairs = Iterator[tuple[Span, tuple[str, str], tuple[str, str]]]


def _against_writer(changes: _Changes, names: Sequence[str]) -> Pairs:
    """Span, texts and who wrote them: the writer, and those who made the same of it."""
    authors: dict[tuple[Span, str], list[str]] = {}
    for name in names:
        for edit in changes.by[name]:
            authors.setdefault((edit.span, " ".join(edit.replacements[0].split())), []).append(name)
    for (span, text), who in sorted(authors.items()):
        yield span, (" ".join(changes.tokens[span[0] : span[1]]), text), ("writer", SEVERAL.join(who))


def _against_each_other(changes: _Changes, names: Sequence[str]) -> Pairs:
    """Span, two different texts, and which systems wrote them."""
    authors: dict[tuple[Span, str, str], tuple[list[str], list[str]]] = {}
    for first, second in combinations(names, 2):
        for span in _regions([*changes.by[first], *changes.by[second]]):
            texts = changes.text_of(first, span), changes.text_of(second, span)
            if texts[0] is None or texts[1] is None or texts[0] == texts[1]:
                continue
            turned = (span, texts[1], texts[0]) in authors
            key = (span, texts[1], texts[0]) if turned else (span, texts[0], texts[1])
            who = authors.setdefault(key, ([], []))
            for side, name in zip(who, (second, first) if turned else (first, second), strict=True):
                if name not in side:
                    side.append(name)
    for (span, left, right), (lefts, rights) in sorted(authors.items()):
        yield span, (left, right), (SEVERAL.join(lefts), SEVERAL.join(rights))


def _regions(edits: Sequence[Edit]) -> Iterator[Span]:
    """The stretches that edits of two cover, those that overlap or touch together."""
    open_: Span | None = None
    for start, end in sorted(edit.span for edit in edits):
        if open_ is not None and start <= open_[1]:
            open_ = open_[0], max(open_[1], end)
            continue
        if open_ is not None:
            yield open_
        open_ = start, end
    if open_ is not None:
        yield open_


def _choices(corpus: Corpus, at: int, pairs: Pairs) -> Iterator[JudgedItem]:
    text, before = _texts(corpus, at)
    count: dict[Span, int] = {}
    for span, texts, names in pairs:
        count[span] = count.get(span, 0) + 1
        name = _name(at, span) + f"/{count[span]}" * (count[span] > 1)
        where, candidates = _with_spaces(text, span, texts)
        yield JudgedItem(name, text, where, before, candidates, names, hidden=_describe_place(corpus, at))


def _with_spaces(text: str, span: Span, candidates: tuple[str, str]) -> tuple[Span, tuple[str, str]]:
    """Span in characters and the candidates, such that putting either there leaves single spaces between words."""
    start, end = _characters(text, span)
    if start < end and all(candidates):
        return (start, end), candidates
    if text[end : end + 1].isspace() and start < end:  # the word goes with the space after it
        end += 1
        return (start, end), _pad(candidates, "", " ")
    if start == end and start < len(text):
        return (start, end), _pad(candidates, "", " ")
    start -= text[start - 1 : start].isspace() and start < end
    return (start, end), _pad(candidates, " " if start else "", "")


def _pad(candidates: tuple[str, str], before: str, after: str) -> tuple[str, str]:
    """Both candidates with spaces around; nothing stays nothing."""
    first, second = (f"{before}{candidate}{after}" if candidate else "" for candidate in candidates)
    return first, second


def _texts(corpus: Corpus, at: int) -> tuple[str, str]:
    """A sentence, and the one before it in its document."""
    here = corpus.sentences[at]
    before = corpus.sentences[at - 1] if at else None
    known = before is not None and before.document == here.document
    return here.text.strip(), before.text.strip() if before is not None and known else ""


def _describe_place(corpus: Corpus, at: int) -> dict[str, str]:
    document = corpus.sentences[at].document
    return {"sentence": str(at + 1)} | ({"document": document} if document else {})


def _name(at: int, span: Span | None) -> str:
    return str(at + 1) if span is None else f"{at + 1}:{span[0]}-{span[1]}"


def _characters(text: str, span: Span) -> Span:
    """A span of tokens in code points; a gap stands before the token that follows it."""
    places = tokens(text)
    start, end = span
    if start == end:
        at = places[start][0] if start < len(places) else len(text)
        return at, at
    return places[start][0], places[end - 1][1]


# Items from tables: CSV, TSV or JSON lines, among them the blind sets of ``errorbar sample draw``.
#
# Conventions Which part of the text is asked about is told by the first of these that a row has: the columns ``start``
# and ``end``, code points; the column ``span``, ``3-5``, where an empty one is the whole text; the name of the item
# where it is ``sentence:start-end``, tokens, and these stand in brackets or are the ``word``; the column ``word``,
# with ``occurrence`` where there are several; one pair of brackets in the text, which are taken out.


NAMES = ("item", "id")
_OWN = frozenset((*NAMES, "text", "before", "start", "end", "span"))
_OF_CHOICES = frozenset(("candidate1", "candidate2", "system1", "system2"))
_OF_RANKINGS = frozenset(f"{column}{number}" for column in ("candidate", "system") for number in OUTPUTS)
_OF_JUDGMENTS = ("rater", "label")
_TOKENS = re.compile(r"\d+:(\d+)-(\d+)")
_SPAN = re.compile(r"(\d+)[-,:](\d+)")
_BRACKETS = re.compile(r"\[([^\[\]]*)\]")
Row = Mapping[str, str]


def read_rows(path: Source, scheme: Scheme, problems: Problems) -> list[JudgedItem]:
    """Read items; what is wrong with a row is recorded, with its line. Rows of several raters are one item."""
    items: dict[str, JudgedItem] = {}
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
            problems.error(
                "judge-item-twice", f"item '{shorten_text(name)}' stands in line {before[0].line} too", place
            )
            continue
        item = item_of(row, scheme, place, problems)
        if before is None:
            lines[name] = place, {row.get("rater", "")}
            if item is not None:
                items[name] = item
            continue
        if row["rater"] in before[1] or (item is not None and item != items.get(name)):
            message = f"item '{shorten_text(name)}' stands in line {before[0].line} too, "
            message += "for the same rater" if row["rater"] in before[1] else "with another text or span"
            problems.error("judge-item-twice", message, place)
        before[1].add(row["rater"])
    refuse_without_span([(item, lines[name][0]) for name, item in items.items()], scheme, problems)
    if labeled:
        message = f"{labeled} rows have a label already; judgments are collected anew, and these are not read"
        problems.note("judge-labels", message, Place(str(path)), "crowd, agree and sample estimate read judgments")
    return [*items.values()]


def _check_columns(row: Row, scheme: Scheme, place: Place, problems: Problems) -> None:
    """Refuse a table, once, whose columns do not tell what items need."""
    choice = kind_of(scheme).compares
    second = ("candidate2",) if kind_of(scheme).ranks else ("candidate2", "suggestion") * choice
    for needed in (NAMES, ("text", "candidate1") if choice else ("text",), second):
        if needed and not {*needed} & {*row}:
            message = f"no column '{needed[0]}'" + f" or '{needed[-1]}'" * (len(needed) > 1)
            fix = nearest(needed[0], [column for column in row if column][:50])
            problems.error("table-column", message, place, "item, text, and what tells the span", fix)
            problems.raise_errors()


def name_of(row: Row) -> str:
    """The name that the row gives its item; empty: none."""
    return next((row[key].strip() for key in NAMES if row.get(key, "").strip()), "")


def item_of(row: Row, scheme: Scheme, place: Place, problems: Problems) -> JudgedItem | None:
    """The item of a row; None, with the problems recorded, where it is bad."""
    candidates = tuple(row[key] for key in ("candidate1", "candidate2") if key in row)
    text = row.get("text", "") or (candidates[0] if candidates and kind_of(scheme).compares else "")
    if not text.strip():
        problems.error("judge-item-text", f"item '{shorten_text(name_of(row))}' has no text", place)
        return None
    try:
        text, span = _span(row, text)
    except ValueError as error:
        problems.error("judge-item-span", f"item '{shorten_text(name_of(row))}': {error}", place)
        return None
    kind = kind_of(scheme)
    columns = _OF_CHOICES if kind.compares else _OF_RANKINGS if kind.ranks else ()
    known = {*_OWN, *_OF_JUDGMENTS, *columns}
    hidden = {key: value for key, value in row.items() if key and key not in known}
    item = JudgedItem(name_of(row), text, span, row.get("before", ""), hidden=hidden)
    if kind_of(scheme).compares:
        shown = text if span is None else text[slice(*span)]
        other = row.get("candidate2", row.get("suggestion"))
        pair = (row.get("candidate1", shown), other) if other is not None else ()
        names = tuple(row.get(f"system{number}", "").strip() for number in (1, 2))
        item = replace(item, candidates=pair, names=names if all(names) else ())
    if kind.ranks:
        outputs = [(row.get(f"candidate{n}", ""), row.get(f"system{n}", "").strip()) for n in OUTPUTS]
        item = with_outputs(item, [output for output in outputs if any(output)])
    wrong = kind.unfit(scheme, item)
    if wrong:
        problems.error("judge-item-span" if kind.name == "edits" else "judge-item-candidates", wrong, place)
    return None if wrong else item


def _span(row: Row, text: str) -> tuple[str, tuple[int, int] | None]:
    """The text without marks, and its span; a ``ValueError`` says what is wrong."""
    if row.get("start", "").strip() or row.get("end", "").strip():
        return text, _inside(text, row.get("start", "").strip(), row.get("end", "").strip())
    if "span" in row:
        written = row["span"].strip()
        match = _SPAN.fullmatch(written)
        if written and not match:
            raise ValueError(f"the span must be START-END in characters, got {shorten_text(written)!r}")
        return text, _inside(text, match[1], match[2]) if match else None
    word = row.get("word", "").strip()
    if (named := _TOKENS.fullmatch(name_of(row))) and (result := _of_tokens(text, int(named[1]), int(named[2]), word)):
        return result
    if word:
        return text, _of_word(text, word, row.get("occurrence", "").strip())
    marks = [*_BRACKETS.finditer(text)]
    if name_of(row).isdecimal() or not set(text) & set("[]"):
        return text, None
    if len(marks) != 1 or text.count("[") + text.count("]") != 2:
        raise ValueError("brackets must mark one place; with columns start and end, or span, they are text")
    return _remove_mark(text, marks[0])


def _inside(text: str, start: str, end: str) -> tuple[int, int]:
    first, last = (0 if side == "0" else whole_number(side) for side in (start, end))
    if first is None or last is None or not first <= last <= len(text):
        raise ValueError(f"the span {start or '?'} to {end or '?'} is not inside the text of {len(text)} characters")
    return first, last


def _of_word(text: str, word: str, occurrence: str) -> tuple[int, int]:
    spans = [match.span() for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text)]
    spans = spans or [match.span() for match in re.finditer(rf"(?i)(?<!\w){re.escape(word)}(?!\w)", text)]
    number = whole_number(occurrence) if occurrence else None
    if occurrence and number is None:
        raise ValueError(f"the occurrence must be a whole number from 1, got {shorten_text(occurrence)!r}")
    if len(spans) > 1 and number is None:
        raise ValueError(
            f"the word '{shorten_text(word)}' stands {len(spans)} times in the text; add a column occurrence"
        )
    if (number or 1) > len(spans):
        many = f"only {len(spans)} times" if spans else "not"
        raise ValueError(f"the word '{shorten_text(word)}' stands {many} in the text")
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
        return _remove_mark(text, _BRACKETS.match(text, first))
    return None


def _remove_mark(text: str, mark: re.Match[str] | None) -> tuple[str, tuple[int, int]]:
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


# Where items come from: a table, a drawn set, a corpus, a source and systems' texts.


TABLES = (".csv", ".tsv", ".jsonl")
CORPORA = (".m2", ".sgml", ".json", ".md")


class Wanted(TypedDict, total=False):
    """Which items of a corpus are wanted.

    Attributes:
        items: Which words, tokens, gaps, sentences; ``edits``: what was changed.
        against: Of a choice test: whom a system's text is set against.
        context: How much of the text around an item is shown.
    """

    items: str
    against: Against
    context: Context


def read_items(
    source: Source | Corpus, scheme: Scheme, problems: Problems, *, systems: Systems = (), **wanted: Unpack[Wanted]
) -> list[JudgedItem]:
    """Read items for a scheme; what is wrong is recorded, and of a corpus repaired where ``problems`` are lenient.

    Args:
        source: A table of items, a corpus, or sentences, one a line.
        scheme: That asks about them.
        problems: Where problems and notes go.
        systems: Texts of systems for the sentences.
        wanted: Which items of a corpus.

    Raises:
        InputError: If a file is bad.
        UsageError: If arguments do not fit each other or the scheme.
    """
    listed = isinstance(systems, str) or bool(systems)
    if not isinstance(source, Corpus) and _is_table(source):
        usual = {"items": "", "against": "writer", "context": "sentence"}
        asked = {"systems": listed} | {name: wanted.get(name, value) != value for name, value in usual.items()}
        for name, value in asked.items():
            if value:
                message = f"--{name} is for a corpus or sentences, and this is a table of items"
                raise UsageError(Problem("useless-option", message, fix="leave it out"))
        judged_items = read_rows(source, scheme, problems)
    else:
        corpus, outputs = _read_outputs(source, problems, systems)
        judged_items = corpus_items(corpus, outputs, scheme, **wanted)
    problems.raise_errors()
    if not judged_items:
        raise UsageError(Problem("judge-no-items", "the file has no item", fix="give a table with a row for each"))
    return judged_items


def read_ranked_items(
    source: Source | Corpus, scheme: Scheme, problems: Problems, systems: Systems = (), outputs: int = MOST_OUTPUTS
) -> list[JudgedItem]:
    """Read items whose outputs are ranked; arguments and errors as ``read_items`` and ``ranked_items`` have them."""
    if not isinstance(source, Corpus) and _is_table(source):
        return read_items(source, scheme, problems, systems=systems)
    corpus, texts = _read_outputs(source, problems, systems)
    problems.raise_errors()
    return ranked_items(corpus, texts, outputs)


def _read_outputs(source: Source | Corpus, problems: Problems, systems: Systems) -> tuple[Corpus, Sequence[Hypothesis]]:
    """A corpus, and what systems made of it."""
    corpus = source if isinstance(source, Corpus) else _corpus(source, problems)
    listed = isinstance(systems, str) or bool(systems)
    return corpus, load(corpus, systems, ReadingOptions(lenient=problems.lenient)).systems if listed else ()


def _is_table(path: Source) -> bool:
    """Whether a file is a table of items; one that only looks like sentences has the name of a table."""
    first = look(path).peek()
    record = json_record(first)
    if record is not None:
        return bool({*NAMES} & record.keys()) and "annotations" not in record
    words = {word.strip().strip('"') for sign in ",\t;" for word in first.split(sign)}
    named = bool({*NAMES} & words) and bool({"text", "candidate1"} & words)
    return named or fspath(path).removesuffix(".gz").endswith(TABLES)


def _corpus(path: Source, problems: Problems) -> Corpus:
    """A corpus, or sentences without annotations."""
    first = look(path).peek()
    if first == "S" or first.startswith(("S ", "<", "{")) or fspath(path).removesuffix(".gz").endswith(CORPORA):
        corpus = read_corpus(path, lenient=problems.lenient)
        problems.take(corpus.notes)
        return corpus
    lines = Lines(path, problems)
    sentences = [Sentence(line.strip(), line=number) for number, line in enumerate(lines, 1)]
    problems.raise_errors()
    return Corpus(sentences, (), lines.name)


# Gold items: those whose answer is known, of the items themselves or brought along.


ANSWERS = ("answer", "answers", "label")
_EXPLANATION = "explanation"
UNEVEN = 0.75
"""From this share of one class on, a rater who always says it may pass for a good one."""


def with_gold(items: Sequence[JudgedItem], path: Source, scheme: Scheme, problems: Problems) -> list[JudgedItem]:
    """The items with those of a table of gold: columns ``item``, ``answer``, and ``explanation`` or none.

    Several right answers stand between ``|``. A row that names one of the items makes it gold; one with a ``text``
    brings an item of its own. What is wrong is recorded, with its line.
    """
    by_name = {item.name: item for item in items}
    lines: dict[str, int] = {}
    for row, place in table_rows(path, problems):
        if not lines and not ({*ANSWERS} & {*row}):
            fix = nearest("answer", [column for column in row if column][:50])
            problems.error("table-column", "no column 'answer'", place, "item, answer, explanation", fix)
            problems.raise_errors()
        name = name_of(row)
        if not name or name in lines:
            twice = f"gold item '{shorten_text(name)}' stands in line {lines.get(name)} too"
            message = twice if name else "the row names no item"
            problems.error("judge-item-twice" if name else "judge-item-name", message, place)
            continue
        lines[name] = place.line
        if (gold := _read_gold_item(row, by_name, scheme, place, problems)) is not None:
            by_name[name] = gold
    if not lines and not problems.errors:
        problems.error("judge-gold", "there is no gold item in the file", Place(display_name(path)))
    all_items = [*by_name.values()]
    gold_items = [item for item in all_items if item.kind == "gold"]
    placed = [(item, Place(display_name(path), lines[item.name])) for item in gold_items if item.name in lines]
    refuse_without_span(placed, scheme, problems)
    _note_balance(gold_items, scheme, Place(display_name(path)), problems)
    return all_items


def _read_gold_item(
    row: Row, items: dict[str, JudgedItem], scheme: Scheme, place: Place, problems: Problems
) -> JudgedItem | None:
    name, known = name_of(row), items.get(name_of(row))
    answers = _answers(row, scheme, place, problems)
    if row.get("text", "").strip() or (known is None and "candidate1" in row):
        item_row = {key: value for key, value in row.items() if key not in (*ANSWERS, _EXPLANATION)}
        own = item_of(item_row, scheme, place, problems)
        if own is None:
            return None
        if known is not None and own.asked() != known.asked():
            message = f"gold item '{shorten_text(name)}' has another text or span than the item of that name"
            problems.error("judge-gold", message, place, fix="name it otherwise, or leave its text out")
            return None
        known = known or own
    if known is None:
        message = f"gold for '{shorten_text(name)}', which is no item"
        problems.error("judge-gold", message, place, fix=_near(name, items))
        return None
    for answer in answers:
        if wrong := kind_of(scheme).unfit_gold(known, answer):
            message = f"the answer '{shorten_text(answer)}' of gold item '{shorten_text(name)}': {wrong}"
            problems.error("judge-gold", message, place, "systems from the best to the worst: A > B = C")
    return replace(known, kind="gold", answers=answers, explanation=row.get(_EXPLANATION, "").strip())


def _near(name: str, items: dict[str, JudgedItem]) -> str:
    """The item that may be meant; not every name of many."""
    suggestion = nearest(name, list(items)[:5000])
    return suggestion if suggestion.startswith("did") else "give it a text of its own, or correct the name"


def _answers(row: Row, scheme: Scheme, place: Place, problems: Problems) -> tuple[str, ...]:
    """The right answers as labels of the scheme; in a choice test ``first`` and ``second`` name the candidates."""
    text = next((row[key] for key in ANSWERS if row.get(key, "").strip()), "").strip()
    labels = scheme.labels()
    answers: list[str] = []
    for answer in filter(None, map(str.strip, text.split("|"))):
        same = [label for label in labels if fold_word(label) == fold_word(answer)]
        if labels and not same:
            name = shorten_text(name_of(row))
            sides = " (first is candidate1, wherever it stands)" if scheme.reversible and answer in SIDES else ""
            message = f"the answer '{shorten_text(answer)}' of gold item '{name}' is none of the scheme{sides}"
            problems.error("judge-gold", message, place, ", ".join(labels), nearest(answer, labels))
        answers.append(same[0] if same else answer)
    if not answers:
        message = f"gold item '{shorten_text(name_of(row))}' has no answer"
        problems.error("judge-gold", message, place, ", ".join(labels) or "a word")
    return tuple(dict.fromkeys(answers))


def _note_balance(gold: Sequence[JudgedItem], scheme: Scheme, place: Place, problems: Problems) -> None:
    """Warn where always saying the same would pass: raters are tested by class, and each needs gold items."""
    labels = [label for label in scheme.labels() if label not in scheme.abstaining()]
    counts = Counter(item.answers[0] for item in gold if item.answers)
    if not labels or not counts:
        return
    (most, n), total = counts.most_common(1)[0], counts.total()
    if n > UNEVEN * total and total > 1:
        message = f"{n} of {total} gold items have the answer '{most}': who always says so passes most of them"
        problems.note("judge-gold-uneven", message, place, "give about as many of each answer")
