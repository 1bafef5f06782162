"""The kinds of schemes, one object each: how an item is shown, which items fit, and what answers correct.

A new kind is a subclass of ``SchemeKind`` with its entry in ``SCHEME_KINDS``, its markup in ``web/templates/item.html``
and, where it has figures of its own, an entry in ``analysis.kind_findings.KIND_FINDINGS``.

A browser gets nothing but what is shown: no name, no kind, no answer. Offsets are code points of the text, so that the
element with the target holds ``text[start:end]``, character by character, carriage returns too.

Schemes in which raters write all edits of a sentence; and a system's edits, put before them to be decided on.

Conventions
    What a system proposes are the edits of the fewest tokens between the sentence and its text, without types. A share
    of the items may come without them, so that their effect can be measured: the items whose hash is smallest, so that
    the same items of the same study come blank however often it is made. All raters of an item get the same. Whether
    an item came with proposals is in its hidden column ``proposals``: ``shown`` or ``blank``; what the system said is
    in ``says:NAME`` of both. Nothing of this reaches a browser but the proposed edits themselves.

The kind of scheme in which a rater makes one system's output right, and who edits which outputs.

Designs
    With ``crossed`` editors each rater edits outputs of all systems, of every sentence one: as in a Latin square, in
    which the sentence of number b and the editor of row r meet the system (b + r) mod S, as long as places are free.
    With ``nested`` editors each rater edits outputs of one system. Neither shows anybody two systems' outputs of one
    sentence. With ``free`` ones any rater may get any output.
    Items of such a study have places b * S + s, b the number of the sentence in a random order, s that of the system.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any, Literal

from errorbar.core.edit import Edit
from errorbar.core.problems import Place, Problems, shorten_text
from errorbar.edits.texts import extract_edits
from errorbar.judging.question_kinds import (
    LETTERS,
    MOST_OUTPUTS,
    PENDING,
    arrange,
    as_edit,
    as_record,
    kind_of_question,
    ranks_of_label,
)
from errorbar.judging.random_tokens import shuffle
from errorbar.judging.scheme import NOTHING, SEVERAL, JudgedItem, Scheme, fold_word, near, tokens, turn_sides

Span = tuple[int, int]
_SPACES = " \t\u00a0"
_OPENING, _CLOSING = "\n\r([{“‘«¿¡-/", "\n\r.,;:!?…)]}”’»-/"
"""Characters after which, and before which, no space stands at a gap."""


@dataclass(frozen=True, slots=True)
class ShownPiece:
    """A stretch of the text that looks the same all over; ``token``: its number, None: space between tokens."""

    text: str
    token: int | None
    near: bool = False
    differs: bool = False


@dataclass(frozen=True, slots=True)
class ShownLine:
    """A text in three parts, of which the middle one is the target: highlighted, or the blank."""

    before: list[ShownPiece] = field(default_factory=list)
    target: list[ShownPiece] = field(default_factory=list)
    after: list[ShownPiece] = field(default_factory=list)


def cut_pieces(text: str, cut: Span, tinted: range = range(0), differing: frozenset[int] = frozenset()) -> ShownLine:
    """The text, cut where its tokens and the target begin and end."""
    spans = tokens(text)
    edges = sorted({0, len(text), *cut, *(edge for span in spans for edge in span)})
    line, numbers = ShownLine(), iter(enumerate(spans))
    number, (start, end) = next(numbers, (0, (len(text), len(text))))
    for first, last in pairwise(edges):
        while first >= end and first < len(text):
            number, (start, end) = next(numbers, (0, (len(text), len(text))))
        token = number if start <= first < end else None
        piece = ShownPiece(text[first:last], token, token in tinted, token in differing)
        part = line.before if last <= cut[0] else line.after if first >= cut[1] else line.target
        part.append(piece)
    return line


@dataclass(frozen=True, slots=True)
class ShownStretch:
    """Pieces that stand in both texts, or in one of them alone; a gap is where only the other text has words."""

    kind: Literal["same", "differs", "gap"]
    pieces: list[ShownPiece] = field(default_factory=list)


def differing_stretches(text: str, words: Sequence[str], others: Sequence[str]) -> Iterator[ShownStretch]:
    """A text of a choice, cut where it differs from the other one."""
    changes = SequenceMatcher(None, words, others, autojunk=False).get_opcodes()
    differing = frozenset(n for tag, start, end, *_ in changes if tag != "equal" for n in range(start, end))
    gaps = {start for tag, start, *_ in changes if tag == "insert"}
    pieces = cut_pieces(text, (0, len(text)), differing=differing).target
    stretch = ShownStretch("same")
    for at, piece in enumerate(pieces):
        if piece.token in gaps:
            yield from (stretch, ShownStretch("gap"))
            stretch = ShownStretch("same")
        is_space = stretch.kind == "differs" and piece.token is None
        differs = piece.differs or (is_space and any(following.differs for following in pieces[at + 1 : at + 2]))
        kind: Literal["same", "differs"] = "differs" if differs else "same"
        if kind != stretch.kind:
            yield stretch
            stretch = ShownStretch(kind)
        stretch.pieces.append(piece)
    yield stretch
    if len(words) in gaps:
        yield ShownStretch("gap")


def candidate_texts(item: JudgedItem, reversed_: bool) -> list[str]:
    """The whole text with each of the candidates in its place, top one first."""
    start, end = item.span or (0, len(item.text))
    left, right = item.text[:start], item.text[end:]
    texts = [left + candidate + right if candidate else _close_gap(left, right) for candidate in item.candidates]
    return texts[::-1] if reversed_ else texts


def _close_gap(left: str, right: str) -> str:
    """The two sides with nothing between: a second space would show that a word was taken out here."""
    if not right:
        return left.rstrip(_SPACES)
    return left + (right.lstrip(_SPACES) if not left or left[-1].isspace() else right)


def cloze_texts(item: JudgedItem) -> tuple[str, str]:
    """The text on either side of the gap, with the same spaces around it whether or not the writer put a word there."""
    start, end = item.span or (0, len(item.text))
    left, right = item.text[:start], item.text[end:]
    if left[-1:].isalnum() and right[:1].isalnum():  # within a word
        return left, right
    left, right = left.rstrip(_SPACES), right.lstrip(_SPACES)
    space_before = bool(left) and left[-1] not in _OPENING
    space_after = bool(right) and right[0] not in _CLOSING
    return left + " " * space_before, " " * space_after + right


def candidate_stretches(item: JudgedItem, reversed_: bool) -> Iterator[list[ShownStretch]]:
    """The texts with each candidate, cut where they differ from each other, top one first."""
    texts = candidate_texts(item, reversed_)
    words = [[text[slice(*span)] for span in tokens(text)] for text in texts]
    for n, text in enumerate(texts):
        yield list(differing_stretches(text, words[n], words[1 - n] if len(texts) == 2 else words[n]))


def own_text(item: JudgedItem) -> str:
    """The writer's words at the place that is asked about."""
    start, end = item.span or (0, len(item.text))
    return item.text[start:end]


class SchemeKind:
    """A kind of scheme; this one shows the text with its span set off."""

    name = "span"
    compares = False
    """Whether two texts are set against each other: items have two candidates, exports sides and pairs."""
    ranks = False
    """Whether outputs of systems are ranked: items have up to five candidates, exports rankings and pairs."""

    corrects_sentences = False
    """Whether an item is a whole sentence of which raters write all edits: its corpus can be exported as a whole."""

    edits_systems = False
    """Whether each item is one system's output, of which raters make a reference."""

    def hides_places(self, scheme: Scheme) -> bool:
        """Whether raters must not see what the writer wrote at a place that is asked about."""
        return False

    def needs_span(self, scheme: Scheme) -> bool:
        """Whether it asks about a part of the text."""
        return scheme.needs_span or bool(scheme.context_words)

    def unfit(self, scheme: Scheme, item: JudgedItem) -> str:
        """Why a scheme cannot ask about an item, but for a missing span; empty: it can."""
        return ""

    def shown(self, item: JudgedItem, reversed_: int) -> tuple[object, ...]:
        """All that a rater sees of an item besides the sentence before it; ``reversed_``: as a ``Lease`` has it."""
        return item.text, item.span

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: int) -> dict[str, Any]:
        """The values of the item's markup."""
        span = item.span or (0, len(item.text))
        tinted = near(scheme, item)[1] if item.span and scheme.context_words else range(0)
        return {"line": cut_pieces(item.text, span, tinted), "targeted": item.span is not None}

    def plain_texts(self, content: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The texts that ``content`` shows, with their headings, for readers who see no markup; empty: nothing."""
        if "line" not in content:
            return []
        line = content["line"]
        before, target, after = ("".join(p.text for p in part) for part in (line.before, line.target, line.after))
        return [("Text", f"{before}[[{target}]]{after}" if content["targeted"] else f"{before}{target}{after}")]

    def gives_corrections(self, scheme: Scheme) -> bool:
        """Whether answers say what to write instead."""
        return any(kind_of_question(question).names_replacements for question in scheme.questions)

    def is_about_writer(self, item: JudgedItem) -> bool:
        """Whether answers are about the writer's words: not where two other texts are compared."""
        return True

    def edits(self, scheme: Scheme, item: JudgedItem, label: str, answer: Mapping[str, Any]) -> list[Edit]:
        """The edits of the text's tokens that an answer makes."""
        start, end = item.span or (0, len(item.text))
        texts, optional = self.corrections(scheme, item, label, answer)
        if not texts:
            return []
        words_of = item.text[:start], item.text[end:]
        first, last, before, after = _around(item.text, start, end)
        replacements = [" ".join(f"{before}{_apart(text, words_of)}{after}".split()) for text in texts]
        return [Edit(first, last, tuple(dict.fromkeys(replacements)), optional=optional)]

    def corrections(
        self, scheme: Scheme, item: JudgedItem, label: str, answer: Mapping[str, Any]
    ) -> tuple[list[str], bool]:
        """The texts that an answer puts in place of the writer's words; and whether the writer's are as good."""
        replacing = (question for question in scheme.questions if kind_of_question(question).names_replacements)
        texts = [""] if label == "extraneous" else [*answer.get(next(replacing).id, ())]
        return texts_if_changed(texts, item), label == "equal"

    def unfit_gold(self, item: JudgedItem, right: str) -> str:
        """Why an answer cannot be right of a gold item; empty: it can."""
        return ""

    def agrees(self, item: JudgedItem, label: str, right: str) -> bool:
        """Whether a label is what is right of a gold item."""
        return fold_word(label) == fold_word(right)

    def told(self, item: JudgedItem, reversed_: int, right: str) -> str:
        """The right answer to a gold item, as the quiz tells it."""
        return right


def texts_if_changed(texts: list[str], item: JudgedItem) -> list[str]:
    """The texts, unless the first is what the writer wrote."""
    return [] if not texts or fold_word(texts[0]) == fold_word(own_text(item)) else texts


def _apart(word: str, around: tuple[str, str]) -> str:
    """A word with spaces where the text around it has some."""
    left, right = around
    return f"{' ' if left[-1:].isspace() or not left else ''}{word}{' ' if right[:1].isspace() or not right else ''}"


def _around(text: str, start: int, end: int) -> tuple[int, int, str, str]:
    """The tokens that a span lies in, and what of these stands before and after it."""
    spans = tokens(text)
    if start == end and not any(left < start < right for left, right in spans):
        at = sum(left < start for left, _ in spans)
        return at, at, "", ""
    first = sum(right <= start for _, right in spans)
    last = sum(left < end for left, _ in spans)
    inside = spans[first:last]
    return first, last, text[inside[0][0] : start] if inside else "", text[end : inside[-1][1]] if inside else ""


PROPOSALS = "proposals"
"""The hidden column that says whether the system's edits were shown."""
SHOWN, BLANK = "shown", "blank"


class EditsKind(SchemeKind):
    """The text as tokens and the gaps between them; a rater writes edits."""

    name = "edits"
    corrects_sentences = True

    def unfit(self, scheme: Scheme, item: JudgedItem) -> str:
        """Refuses an item with a span: edits may stand anywhere."""
        if item.span is not None:
            name = shorten_text(item.name)
            return f"item '{name}' has a span, and the scheme {scheme.name} asks for edits of the whole text"
        return ""

    def shown(self, item: JudgedItem, reversed_: int) -> tuple[object, ...]:
        """The text."""
        return (item.text,)

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: int) -> dict[str, Any]:
        """The text, which the page cuts into its tokens."""
        return {"text": item.text}

    def plain_texts(self, content: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The text."""
        return [("Text", content["text"])]

    def gives_corrections(self, scheme: Scheme) -> bool:
        """They are all that is asked for."""
        return True

    def edits(self, scheme: Scheme, item: JudgedItem, label: str, answer: Mapping[str, Any]) -> list[Edit]:
        """The rater's edits."""
        return [as_edit(record) for record in answer[scheme.main]]


def propose_edits(
    items: Sequence[JudgedItem], scheme: Scheme, texts: Mapping[str, str], blank: float
) -> list[JudgedItem]:
    """The items with a system's edits to decide on.

    Args:
        items: Whole sentences.
        scheme: Whose main question is about edits.
        texts: The system's text of each item, by its name; gold items have none.
        blank: The share of them that comes without.
    """
    drawn = sorted((item.name for item in items if item.name in texts), key=lambda name: _place(name, texts[name]))
    hidden_from = set(drawn[: round(blank * len(drawn))])
    proposing = []
    for item in items:
        if item.name not in texts:
            proposing.append(item)
            continue
        is_blank = item.name in hidden_from
        edits = [] if is_blank else extract_edits(item.text.split(), texts[item.name].split())
        records = [as_record(edit, **{PENDING: True}) for edit in edits]
        hidden = {**item.hidden, PROPOSALS: BLANK if is_blank else SHOWN}
        proposing.append(replace(item, hidden=hidden, proposed={scheme.main: records} if records else {}))
    return proposing


def _place(name: str, text: str) -> str:
    """Where an item stands among those of which the first come blank: as good as drawn, and always the same."""
    return hashlib.sha256(f"{name}\n{text}".encode(errors="surrogatepass")).hexdigest()


Editors = Literal["crossed", "nested", "free"]
LONGEST_TEXT = 20_000
"""Code points of a source or output that raters can edit in one piece: some 3,000 words."""


class PostEditKind(SchemeKind):
    """The writer's text and one system's output, which a rater makes right, changing as little as possible."""

    name = "post-edit"
    edits_systems = True

    def gives_corrections(self, scheme: Scheme) -> bool:
        """The text that a rater leaves."""
        return True

    def unfit(self, scheme: Scheme, item: JudgedItem) -> str:
        """Also refuses an item without an output, and what is too long to be edited in one piece."""
        name = shorten_text(item.name)
        if len(item.candidates) != 1 or len(item.names) != 1:
            return f"item '{name}' has no output of a system: give sentences, and --systems"
        for what, text in (("source", item.text), ("output", item.candidates[0])):
            if len(text) > LONGEST_TEXT:
                most = f"raters edit at most {LONGEST_TEXT:,} in one piece"
                return f"the {what} of item '{name}' has {len(text):,} characters, and {most}"
        return ""

    def shown(self, item: JudgedItem, reversed_: int) -> tuple[object, ...]:
        """Both texts."""
        return item.text, item.candidates[0]

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: int) -> dict[str, Any]:
        """Both texts."""
        return {"source": item.text, "output": item.candidates[0]}

    def plain_texts(self, content: Mapping[str, Any]) -> list[tuple[str, str]]:
        """Both texts."""
        return [("What the writer wrote", content["source"]), ("The text to make right", content["output"])]

    def edits(self, scheme: Scheme, item: JudgedItem, label: str, answer: Mapping[str, Any]) -> list[Edit]:
        """Those of the fewest tokens between the writer's text and the rater's; none where they could not."""
        reference = rater_text(scheme, item, label, answer)
        return [] if reference is None else extract_edits(item.text.split(), reference.split())


RIGHT = "right"
"""The label of an output that is right as it is. One that is neither that nor rewritten gets no reference."""


def rater_text(scheme: Scheme, item: JudgedItem, label: str, answer: Mapping[str, Any]) -> str | None:
    """The text that a rater made of an output, as tokens with single spaces; None: they could not."""
    if label == RIGHT:
        return " ".join(item.candidates[0].split())
    texts = (answer.get(question.id) for question in scheme.questions if kind_of_question(question).rewrites)
    return next((str(text) for text in texts if text is not None), None)


def draw_places_of_outputs(items: Sequence[JudgedItem], systems: Sequence[str], first: int) -> dict[str, int]:
    """A place for each item, by its name, the sentences in a random order; ``first``: the first place that is free."""
    blocks = list(dict.fromkeys(map(sentence_of, items)))
    start = -(-first // len(systems))
    numbers = list(range(start, start + len(blocks)))
    shuffle(numbers)
    number_of = dict(zip(blocks, numbers, strict=True))
    n = len(systems)
    return {item.name: number_of[sentence_of(item)] * n + systems.index(item.names[0]) for item in items}


def sentence_of(item: JudgedItem) -> tuple[str, str, str]:
    """The same for all outputs of one sentence."""
    return item.hidden.get("sentence", ""), item.hidden.get("document", ""), item.text


class RankKind(SchemeKind):
    """The source and the outputs under it, with what each changes; equal outputs are one."""

    name = "rank"
    ranks = True

    def unfit(self, scheme: Scheme, item: JudgedItem) -> str:
        """Refuses other numbers of outputs than 2 to 5, equal outputs, and those of nobody."""
        name, n = shorten_text(item.name), len(item.candidates)
        if not 2 <= n <= MOST_OUTPUTS:
            columns = f"columns candidate1 to candidate{MOST_OUTPUTS}"
            return f"item '{name}' has {n} outputs, not 2 to {MOST_OUTPUTS}: {columns}"
        if len({*item.candidates}) < n:
            return f"two outputs of item '{name}' are the same: name their systems together, A|B"
        if len(item.names) != n:
            return f"the outputs of item '{name}' have no systems: columns system1 to system{MOST_OUTPUTS}"
        return ""

    def shown(self, item: JudgedItem, reversed_: int) -> tuple[object, ...]:
        """The source, and the outputs in the order in which they stand."""
        return item.text, *(item.candidates[at] for at in arrange(len(item.candidates), reversed_))

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: int) -> dict[str, Any]:
        """The outputs, each cut where it differs from the source, with its number in the item's own order."""
        source = _words(item.text)
        outputs = [
            {
                "number": at,
                "parts": list(differing_stretches(item.candidates[at], _words(item.candidates[at]), source)),
                "same": _words(item.candidates[at]) == source,
            }
            for at in arrange(len(item.candidates), reversed_)
        ]
        return {"source": item.text, "outputs": outputs}

    def plain_texts(self, content: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The source, and the outputs with their letters."""
        texts = ("".join(piece.text for part in out["parts"] for piece in part.pieces) for out in content["outputs"])
        return [("Source", content["source"]), *zip(LETTERS, texts, strict=False)]

    def gives_corrections(self, scheme: Scheme) -> bool:
        """A rank says what is better, and not what to write."""
        return False

    def is_about_writer(self, item: JudgedItem) -> bool:
        """Outputs are compared with each other."""
        return False

    def unfit_gold(self, item: JudgedItem, right: str) -> str:
        """Refuses what is no order of the item's systems."""
        try:
            _tiers(item, right)
        except ValueError as error:
            return str(error)
        return ""

    def agrees(self, item: JudgedItem, label: str, right: str) -> bool:
        """Whether the outputs that are named stand in this order, and those between ``=`` are ties."""
        ranks = ranks_of_label(label)
        tiers = [{ranks[at] for at in tier} for tier in _tiers(item, right)]
        order = [next(iter(tier)) for tier in tiers]
        return all(len(tier) == 1 for tier in tiers) and order == sorted({*order})

    def told(self, item: JudgedItem, reversed_: int, right: str) -> str:
        """The same by the letters that the outputs have on this screen: ``B > A = D``."""
        shown = arrange(len(item.candidates), reversed_)
        tiers = _tiers(item, right)
        return " > ".join(" = ".join(sorted(LETTERS[shown.index(at)] for at in tier)) for tier in tiers)


def _tiers(item: JudgedItem, right: str) -> list[list[int]]:
    """Numbers of the outputs, best first, those that are equally good together; of several systems one is named."""
    number = {name: at for at, names in enumerate(item.names) for name in names.split(SEVERAL)}
    tiers = [[name.strip() for name in tier.split("=")] for tier in right.split(">")]
    named = [name for tier in tiers for name in tier]
    if unknown := [name for name in named if name not in number]:
        raise ValueError(f"'{shorten_text(unknown[0])}' wrote none of the outputs")
    if len(named) < 2 or len({number[name] for name in named}) < len(named):
        raise ValueError("the order must name two outputs or more, each once")
    return [[number[name] for name in tier] for tier in tiers]


def _words(text: str) -> list[str]:
    return [text[start:end] for start, end in tokens(text)]


class ChoiceKind(SchemeKind):
    """Two texts, each with one of the candidates at the place; a rater chooses."""

    name = "choice"
    compares = True

    def hides_places(self, scheme: Scheme) -> bool:
        """Where the sides change places at random, nothing may tell which is the writer's."""
        return scheme.reversible

    def unfit(self, scheme: Scheme, item: JudgedItem) -> str:
        """Refuses an item without two candidates that differ."""
        name = shorten_text(item.name)
        if len(item.candidates) != 2:
            return f"item '{name}' has no two candidates: columns candidate1 and candidate2"
        if item.candidates[0] == item.candidates[1]:
            return f"the two candidates of item '{name}' are the same: {shorten_text(item.candidates[0])!r}"
        return ""

    def shown(self, item: JudgedItem, reversed_: int) -> tuple[object, ...]:
        """Both sides in the order in which they stand, so that nothing tells which candidate is the first."""
        return (*candidate_texts(item, bool(reversed_)),)

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: int) -> dict[str, Any]:
        """The two texts, each cut where it differs from the other."""
        texts = list(candidate_stretches(item, bool(reversed_) and scheme.reversible))
        return {"texts": texts, "headings": scheme.headings}

    def plain_texts(self, content: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The two texts."""
        headings = content["headings"] or ("Top text", "Bottom text")
        texts = ("".join(piece.text for part in parts for piece in part.pieces) for parts in content["texts"])
        return [*zip(headings, texts, strict=True)]

    def gives_corrections(self, scheme: Scheme) -> bool:
        """The text that was chosen is one."""
        return True

    def is_about_writer(self, item: JudgedItem) -> bool:
        """Only where one of the two texts is the writer's."""
        return own_text(item) in item.candidates

    def corrections(
        self, scheme: Scheme, item: JudgedItem, label: str, answer: Mapping[str, Any]
    ) -> tuple[list[str], bool]:
        """The candidate that is better than the writer's; a capital letter may be all that it changes."""
        texts = [item.candidates[("first", "second").index(label)]] if label in ("first", "second") else []
        return [] if texts == [own_text(item)] else texts, False


class ClozeKind(SchemeKind):
    """The text with a gap; a rater writes what belongs there."""

    name = "cloze"

    def hides_places(self, scheme: Scheme) -> bool:
        """The gap."""
        return True

    def needs_span(self, scheme: Scheme) -> bool:
        """The gap is the span."""
        return True

    def shown(self, item: JudgedItem, reversed_: int) -> tuple[object, ...]:
        """The text without what belongs into its gap."""
        return cloze_texts(item)

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: int) -> dict[str, Any]:
        """The text on either side of the gap."""
        return {"sides": cloze_texts(item)}

    def plain_texts(self, content: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The text with its gap."""
        return [("Text", "____".join(content["sides"]))]

    def gives_corrections(self, scheme: Scheme) -> bool:
        """Another word than the writer's is one."""
        return True

    def corrections(
        self, scheme: Scheme, item: JudgedItem, label: str, answer: Mapping[str, Any]
    ) -> tuple[list[str], bool]:
        """The words of the answer where the first is not the writer's."""
        return texts_if_changed(["" if word == NOTHING else word for word in answer[scheme.main]], item), False


SCHEME_KINDS = {
    kind.name: kind for kind in (SchemeKind(), ChoiceKind(), ClozeKind(), RankKind(), EditsKind(), PostEditKind())
}
"""By what a scheme's file says it ``shows``."""


def kind_of(scheme: Scheme) -> SchemeKind:
    """The kind of a scheme."""
    return SCHEME_KINDS[scheme.shows]


OF_SENTENCES = "whole sentences: --scheme=edits, or a scheme of your own"
"""What to do with items that are whole texts, where the scheme asks about a part."""


def refuse_without_span(items: Sequence[tuple[JudgedItem, Place]], scheme: Scheme, problems: Problems) -> None:
    """Refuse items, in one line, that are whole texts where the scheme asks about a part."""
    whole = [(item, place) for item, place in items if item.span is None]
    if whole and kind_of(scheme).needs_span(scheme):
        item, place = whole[0]
        which = f"item '{shorten_text(item.name)}' has" if len(whole) == 1 else f"{len(whole):,} items have"
        message = f"{which} no span, and the scheme {scheme.name} asks about a part of the text"
        expected = "columns start and end, span or word, or brackets around the place"
        fix = OF_SENTENCES if len(whole) == len(items) else "say the place in each row"
        problems.error("judge-item-span", message, place, expected, fix)


def shown_hash(scheme: Scheme, item: JudgedItem, reversed_: int) -> str:
    """A hash of what the rater sees and of nothing else, which the browser sends back with the answer.

    It tells nobody the writer's word or which candidate comes first, as both sides of a choice are hashed in the
    order in which they stand, and a cloze text without what belongs into its gap; nor whose the answers of an
    adjudication are, which are hashed as they read on the screen, in an order of their own.
    """
    shown = [scheme.shows, item.before, *kind_of(scheme).shown(item, reversed_)]
    if item.after:
        shown.append(["after", item.after])
    if item.choices:
        answers = (turn_sides(scheme, choice.answer) if reversed_ else choice.answer for choice in item.choices)
        shown.append(sorted(json.dumps(answer, sort_keys=True) for answer in answers))
    return hashlib.sha256(json.dumps(shown).encode()).hexdigest()[:16]
