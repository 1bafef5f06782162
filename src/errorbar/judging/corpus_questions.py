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

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.edit import Edit
from errorbar.core.errors import Problem, UsageError
from errorbar.edits.items import edit_items, split_items
from errorbar.edits.texts import extract_edits
from errorbar.judging.judged_item import JudgedItem
from errorbar.judging.schemes import Scheme, tokens

Against = Literal["writer", "systems"]
EDITS = "edits"
SEVERAL = "|"
"""Between the names of those who wrote the same."""
SAYS = "says:"
"""Before the name of a system in the hidden column of its text."""
Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Changes:
    """What everybody made of one sentence: edits in text order that do not overlap."""

    tokens: Sequence[str]
    by: dict[str, list[Edit]]

    def said(self, name: str, span: Span) -> str | None:
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
    corpus: Corpus, systems: Sequence[Hypothesis], scheme: Scheme, *, items: str = "", against: Against = "writer"
) -> list[JudgedItem]:
    """Items of a corpus; ``items``: which, as ``edit_items`` has them, or ``edits``; empty: as fits the rest."""
    items = items or (EDITS if systems or scheme.shows == "choice" else "words")
    names = [system.name for system in systems] or list(corpus.annotators)
    _check(scheme, items, against, names)
    changes = [
        _Changes(sentence.tokens, {name: _edits(corpus, systems, at, name) for name in names})
        for at, sentence in enumerate(corpus.sentences)
    ]
    if scheme.shows == "choice":
        pairs = _against_writer if against == "writer" else _against_each_other
        made = [item for at, each in enumerate(changes) for item in _choices(corpus, at, pairs(each, names))]
        if not made:
            what = "nothing differs: there is nothing to choose between"
            raise UsageError(Problem("judge-no-items", what, fix="give texts that differ"))
        return made
    places = _changed(changes) if items == EDITS else _projected(corpus, items)
    hide = names if systems else []
    found = [_item(corpus, at, span, changes[at], hide) for at, span in places]
    if not found:
        raise UsageError(Problem("judge-no-items", "nobody changes anything", fix="give items, e.g. words or tokens"))
    return found


def _check(scheme: Scheme, items: str, against: Against, names: Sequence[str]) -> None:
    choice = scheme.shows == "choice"
    if choice and items != EDITS:
        what = f"a choice test compares what was changed, and items are '{items}'"
        raise UsageError(Problem("judge-items", what, fix="leave --items out"))
    if items == EDITS and not names:
        what = "nobody changes anything here: there is no system and no annotator"
        raise UsageError(Problem("judge-items", what, fix="give --systems, or other --items"))
    if against == "systems" and (not choice or len(names) < 2):
        what = "two systems' texts can be set against each other only in a choice test of at least two"
        raise UsageError(Problem("judge-items", what, fix="leave --against out"))
    if bad := [name for name in names if SEVERAL in name]:
        raise UsageError(Problem("judge-items", f"a system's name must not have '{SEVERAL}', got '{bad[0]}'"))
    if items == "sentences" and (scheme.shows == "cloze" or scheme.context_words):
        what = f"the scheme {scheme.name} asks about a part of the text, and items are sentences"
        raise UsageError(Problem("judge-items", what, fix="give other --items"))


def _edits(corpus: Corpus, systems: Sequence[Hypothesis], at: int, name: str) -> list[Edit]:
    """What somebody changed in a sentence; of alternatives the first, of edits that overlap the first in the text."""
    sentence = corpus.sentences[at]
    system = next((system for system in systems if system.name == name), None)
    if system is not None:
        return extract_edits(sentence.tokens, system.lines[at].split())
    kept: list[Edit] = []
    said = sentence.annotations.get(name, ())
    for edit in sorted((each for each in said if each.applicable), key=lambda each: each.span):
        same = edit.replacements[0].split() == sentence.tokens[edit.start : edit.end]
        if not same and (not kept or edit.start >= kept[-1].end) and (not kept or edit.span != kept[-1].span):
            kept.append(edit)
    return kept


def _projected(corpus: Corpus, items: str) -> Iterator[tuple[int, Span | None]]:
    projection, words = split_items(items)
    for name in edit_items(corpus, projection, words=words).judgments.items:
        number, _, span = name.partition(":")
        start, _, end = span.partition("-")
        yield int(number) - 1, (int(start), int(end)) if span else None


def _changed(changes: Sequence[_Changes]) -> Iterator[tuple[int, Span | None]]:
    for at, each in enumerate(changes):
        yield from ((at, span) for span in sorted({edit.span for edits in each.by.values() for edit in edits}))


def _item(corpus: Corpus, at: int, span: Span | None, changes: _Changes, names: Sequence[str]) -> JudgedItem:
    text, before = _texts(corpus, at)
    hidden = _where(corpus, at)
    whole = (0, len(changes.tokens)) if span is None else span
    for name in names:
        hidden[f"flag:{name}"] = str(int(bool(changes.by[name] if span is None else changes.touching(name, span))))
        said = changes.said(name, whole)
        hidden |= {} if said is None else {f"{SAYS}{name}": said}
    return JudgedItem(_name(at, span), text, None if span is None else _characters(text, span), before, hidden=hidden)


Pairs = Iterator[tuple[Span, tuple[str, str], tuple[str, str]]]


def _against_writer(changes: _Changes, names: Sequence[str]) -> Pairs:
    """Span, texts and who wrote them: the writer, and those who made the same of it."""
    found: dict[tuple[Span, str], list[str]] = {}
    for name in names:
        for edit in changes.by[name]:
            found.setdefault((edit.span, " ".join(edit.replacements[0].split())), []).append(name)
    for (span, text), who in sorted(found.items()):
        yield span, (" ".join(changes.tokens[span[0] : span[1]]), text), ("writer", SEVERAL.join(who))


def _against_each_other(changes: _Changes, names: Sequence[str]) -> Pairs:
    """Span, two different texts, and which systems wrote them."""
    found: dict[tuple[Span, str, str], tuple[list[str], list[str]]] = {}
    for first, second in combinations(names, 2):
        for span in _regions([*changes.by[first], *changes.by[second]]):
            texts = changes.said(first, span), changes.said(second, span)
            if texts[0] is None or texts[1] is None or texts[0] == texts[1]:
                continue
            turned = (span, texts[1], texts[0]) in found
            key = (span, texts[1], texts[0]) if turned else (span, texts[0], texts[1])
            who = found.setdefault(key, ([], []))
            for side, name in zip(who, (second, first) if turned else (first, second), strict=True):
                if name not in side:
                    side.append(name)
    for (span, left, right), (lefts, rights) in sorted(found.items()):
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
    for span, said, names in pairs:
        count[span] = count.get(span, 0) + 1
        name = _name(at, span) + f"/{count[span]}" * (count[span] > 1)
        where, candidates = _with_spaces(text, span, said)
        yield JudgedItem(name, text, where, before, candidates, names, hidden=_where(corpus, at))


def _with_spaces(text: str, span: Span, said: tuple[str, str]) -> tuple[Span, tuple[str, str]]:
    """Span in characters and the candidates, such that putting either there leaves single spaces between words."""
    start, end = _characters(text, span)
    if start < end and all(said):
        return (start, end), said
    if text[end : end + 1].isspace() and start < end:  # the word goes with the space after it
        end += 1
        return (start, end), _each(said, "", " ")
    if start == end and start < len(text):
        return (start, end), _each(said, "", " ")
    start -= text[start - 1 : start].isspace() and start < end
    return (start, end), _each(said, " " if start else "", "")


def _each(said: tuple[str, str], before: str, after: str) -> tuple[str, str]:
    """Both candidates with spaces around; nothing stays nothing."""
    first, second = (f"{before}{each}{after}" if each else "" for each in said)
    return first, second


def _texts(corpus: Corpus, at: int) -> tuple[str, str]:
    """A sentence, and the one before it in its document."""
    here = corpus.sentences[at]
    before = corpus.sentences[at - 1] if at else None
    known = before is not None and before.document == here.document
    return here.text.strip(), before.text.strip() if before is not None and known else ""


def _where(corpus: Corpus, at: int) -> dict[str, str]:
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
