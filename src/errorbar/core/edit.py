"""Edits of tokens and of characters: a source span and what may stand there instead; what must hold of edits."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, NamedTuple

from errorbar.core.problems import InputError, Place, Problem, Problems, shorten_text, wrong_type

OWN_PIPELINE = "errorbar_en"  # for spaCy, from the extra ``errant``: makes ERRANT's edits where no other is named
OVERLAPPING = "edit-overlap"  # the code of edits that overlap, which some schemes allow
UNCLEAR = "Um"  # NUCLE's type for unclear meaning: marked as an error, but no correction can be given


class Edit(NamedTuple):
    """A source token span plus its replacement(s).

    Attributes:
        start: First token of the span, counted from 0.
        end: One past the last token; ``start == end`` is an insertion before token ``start``.
        replacements: Alternative corrections in the order of the file, each a string of tokens joined by one space;
            ``""`` deletes the span. An empty tuple means: wrong, but no correction is known. Readers keep other white
            space inside of a correction as it is written; no hypothesis matches it.
        type: Error type, a code of some inventory; ``""`` where the format has none.
        optional: The span may as well stay as it is.
        group: Name of the consistency set the edit belongs to, or ``""``.
        comment: The annotator's remark, or ``""``.
    """

    start: int
    end: int
    replacements: tuple[str, ...]
    type: str = ""
    optional: bool = False
    group: str = ""
    comment: str = ""

    @property
    def span(self) -> tuple[int, int]:
        """The half-open token span."""
        return self.start, self.end

    @property
    def is_insertion(self) -> bool:
        """Whether nothing of the source is replaced."""
        return self.start == self.end

    @property
    def applicable(self) -> bool:
        """Whether the edit says what the text should become (unclear meaning and unknown corrections do not)."""
        return bool(self.replacements) and self.type != UNCLEAR


class StandoffEdit(NamedTuple):
    """A source character span plus what may stand there instead.

    Without corrections only leaving the span as it is will do (``optional``), or none is known (``unknown``).
    """

    index: str  # type: ignore[assignment]  # hides tuple.index, which nobody calls: the name in its file, or ""
    start: int  # first character, counted from 0
    end: int  # one past the last; ``start == end`` is an insertion
    original: str  # the source text of the span
    corrections: tuple[str, ...] = ()  # alternatives in the order given; "" deletes the span
    optional: bool = False  # the span may as well stay as it is
    null_at: int = 0  # where among the corrections the empty one stood that says so
    type: str = ""  # a code of some inventory
    group: str = ""  # its consistency set, or ""

    @property
    def is_insertion(self) -> bool:
        """Whether nothing of the source is replaced."""
        return self.start == self.end

    @property
    def called(self) -> str:
        """Its name in messages: its index, or its span."""
        return self.index or f"{self.start} {self.end}"

    @property
    def unknown(self) -> bool:
        """Whether the span is wrong but no correction is known."""
        return not self.corrections and not self.optional


@dataclass(frozen=True, slots=True)
class Fragment:
    """A text and one set of edits of it, in text order; the unit of HOO scores."""

    name: str  # what joins it with other files about the same text, e.g. 1005
    edits: tuple[StandoffEdit, ...]
    text: str | None = None  # None where only the edits were read
    file: str = ""  # where the edits are from, for messages


def in_text_order(edits: Iterable[StandoffEdit]) -> tuple[StandoffEdit, ...]:
    """Sort by span; an insertion stands before a span that starts at the same point."""
    return tuple(sorted(edits, key=lambda edit: (edit.start, edit.end)))


def edits_record(name: str, edits: Iterable[StandoffEdit]) -> str:
    """A line of all that counts in a fragment's edits, for content hashes: not types, nor indexes."""
    rows = sorted((e.start, e.end, e.corrections, e.optional, e.null_at, e.group) for e in edits)
    return f"{name!r} {rows!r}"


def text_record(fragment: Fragment) -> str:
    """A fragment's source text in a line, for content hashes; of one without a text the name alone."""
    digest = hashlib.sha256((fragment.text or "").encode("utf-8", "surrogatepass")).hexdigest()
    return f"{fragment.name!r} {digest}"


_TYPES = (int, int, tuple, str, bool, str, str)
_SAID = {int: "a whole number", tuple: "a tuple of texts", str: "a text", bool: "True or False"}


def check_tokens(what: str, tokens: object) -> None:
    """Refuse one text, or anything else, in place of a list of tokens."""
    if isinstance(tokens, str) or not isinstance(tokens, Sequence):
        raise wrong_type(what, "a list of tokens", tokens)
    if not all(issubclass(kind, str) for kind in set(map(type, tokens))):
        raise wrong_type(f"a token of {what}", "a text", next(token for token in tokens if not isinstance(token, str)))


def are_edits(edits: Sequence[Any]) -> bool:
    """Whether these are edits with spans, replacements and types as they should be: a quick look at whole columns."""
    if set(map(type, edits)) - {Edit}:
        return False
    columns = [*zip(*edits, strict=True)][:4]
    fit = all(set(map(type, column)) == {kind} for column, kind in zip(columns, _TYPES, strict=False))
    return fit and set(map(type, chain.from_iterable(chain.from_iterable(columns[2:3])))) <= {str}


def check_edits(what: str, edits: object) -> None:
    """Refuse what is no list of edits, or an edit with fields of other types."""
    if type(edits) is not tuple and (isinstance(edits, str | Edit) or not isinstance(edits, Sequence)):
        raise wrong_type(what, "a list of edits", edits)
    for edit in () if are_edits(edits) else edits:
        if type(edit) is not Edit:
            raise wrong_type(f"an edit of {what}", "an Edit", edit)
        for name, value, wanted in zip(Edit._fields, edit, _TYPES, strict=True):
            is_number = wanted is int and hasattr(value, "__index__")  # numpy's are as good
            if not isinstance(value, wanted) and not is_number:
                raise wrong_type(f"{name} of an edit of {what}", _SAID[wanted], value)
        for text in edit.replacements:
            if not isinstance(text, str):
                raise wrong_type(f"a replacement of an edit of {what}", "a text", text)


def check_span(start: int, end: int, n_tokens: int, place: Place, problems: Problems) -> bool:
    """Whether a span lies in a sentence; if not, record why (lenient reading drops the edit)."""
    if 0 <= start <= end <= n_tokens:
        return True
    span, expected, repair = shorten_text(f"{start} {end}"), f"0 <= start <= end <= {n_tokens}", "the edit is dropped"
    if start > end:
        problems.repairable("span-backwards", f"the span {span} runs backwards", place, repair, expected)
    else:
        message = f"the span {span} is outside the sentence of {n_tokens} tokens"
        problems.repairable("span-outside", message, place, repair, expected)
    return False


def span_error(start: int, end: int, n_tokens: int, place: Place) -> InputError:
    """The refusal of a span that is not in its sentence, where edits did not come through a reader."""
    message = f"the span {start} {end} is outside the sentence of {n_tokens} tokens"
    return InputError(Problem("span-outside", message, place, f"0 <= start <= end <= {n_tokens}"))


def check_white_space(replacements: Iterable[str], place: Place, problems: Problems) -> bool:
    """Whether corrections are tokens joined by one space; if not, note it: compared as written, they match nothing."""
    odd = [text for text in replacements if " ".join(text.split()) != text]
    for text in odd:
        message = f"the correction {text!r} has other white space than one space between two words; nothing matches it"
        problems.note("edit-white-space", message, place)
    return not odd


def check_annotation(
    edits: list[Edit], tokens: list[str], place_of: Callable[[int], Place], problems: Problems
) -> list[Edit]:
    """Look for edits that overlap, repeat, change nothing or stand out of order; the edits in text order.

    Overlap: the spans share a token, an insertion lies strictly inside a span, or two edits replace the same span.
    Several insertions at one point do not. In lenient mode the repeated ones are dropped; overlapping ones are kept, as
    a scorer can match at most one of them. Where edits are read as they are written, these are the same edits.
    """
    tidy = True
    last_start, last_end = -1, -1
    for index, (start, end, replacements, kind, _, _, _) in enumerate(edits):
        if (tokens[start] if end - start == 1 else " ".join(tokens[start:end])) in replacements and kind != UNCLEAR:
            message = f"the edit {start} {end} ({kind}) changes nothing; it counts in recall, nothing matches it"
            problems.note("edit-no-change", message, place_of(index))
        if start < last_end or (start == last_start and end == last_end):
            tidy = False
        last_start, last_end = start, end
    return edits if tidy else _mend(edits, place_of, problems)


def _mend(edits: list[Edit], place_of: Callable[[int], Place], problems: Problems) -> list[Edit]:
    order = sorted(range(len(edits)), key=lambda i: edits[i].span)
    if order != list(range(len(edits))):
        read = "kept so, and matches are lost" if problems.as_written else "they are read in text order"
        problems.note("edits-unsorted", f"the edits of one annotator are not in text order; {read}", place_of(0))

    def clash(code: str, message: str, place: Place, effect: str, repair: str, hint: str) -> None:
        if problems.as_written:
            problems.note(code, f"{message}; {effect}", place)
        else:
            problems.repairable(code, message, place, repair, hint=hint)

    kept: list[Edit] = []
    # Of each span: what stands there, in which kept edit first.
    standing: dict[tuple[int, int], dict[str | None, int]] = {}
    wide = 0  # where among the kept ones the first one stands that reaches beyond the current point
    for i in order:
        edit, place = edits[i], place_of(i)
        here = standing.setdefault(edit.span, {})
        # One hypothesis edit would match both, and count twice.
        texts = edit.replacements or (None,)
        twin = min((here[text] for text in texts if text in here), default=-1)
        if twin >= 0:
            types = f"{kept[twin].type}, {edit.type}"
            message = f"the edit {edit.start} {edit.end} stands twice for one annotator ({types})"
            hint = "errant_compare and the M2 scorer count both: --as-written"
            clash("edit-duplicate", message, place, "what matches it counts twice", "the second is dropped", hint)
            if problems.lenient and not problems.as_written:
                continue
        else:
            # In text order, whatever starts earlier and ends later overlaps; an insertion does not.
            while wide < len(kept) and kept[wide].end <= edit.start:
                wide += 1
            if wide < len(kept):
                message = f"the edit {edit.start} {edit.end} overlaps the edit {kept[wide].start} {kept[wide].end}"
                both = "both are kept; at most one can match"
                hint = "if their scheme allows it: errorbar convert --from 'm2(overlap=allowed)'"
                clash(OVERLAPPING, f"{message} of the same annotator", place, both, both, hint)
        for text in texts:
            here.setdefault(text, len(kept))
        kept.append(edit)
    return edits if problems.as_written else kept
