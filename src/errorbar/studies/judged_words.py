"""The words that detectors and annotators judge, where they stand, and what annotators write in their place.

Conventions
    A word that an edit deletes became "". Where an edit covers several words, these and its replacement are aligned
    with as few changes as can be: what the word is aligned with stands for it, the word itself where it stayed. Within
    a change of several words, words stand for each other in order where there are as many on both sides; else it is
    not known what became of one, as of an edit without a correction. Of several replacements the first counts.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from errorbar.core.edit import Edit
from errorbar.core.errors import InputError, Place
from errorbar.core.problems import Problems
from errorbar.edits.items import split_types
from errorbar.edits.texts import extract_edits
from errorbar.formats.item_tables import SystemFlags
from errorbar.studies.detector_result import Marked
from errorbar.studies.judgment_input import Judged

_ITEM = re.compile(r"(\d+):(\d+)-(\d+)")

UNKNOWN = None
"""It is an error, but what should stand there is not known."""


@dataclass(frozen=True, eq=False)
class JudgedWords:
    """The judged items of a crowd.

    Attributes:
        judged: Who judged them.
        tables: Detectors' tables, which tell words and texts where there is no corpus.
        kind: Only edits of this type count, or of several, between commas; "": all.
    """

    judged: Judged
    tables: Sequence[SystemFlags]
    kind: str = ""

    @property
    def names(self) -> Sequence[str]:
        """What they are called."""
        return self.judged.judgments.items

    @cached_property
    def spans(self) -> list[tuple[int, int, int] | None]:
        """Sentence, from 0, and span of tokens of each item; None where the name does not tell."""
        found = [_ITEM.fullmatch(name) for name in self.names]
        return [None if one is None else (int(one[1]) - 1, int(one[2]), int(one[3])) for one in found]

    def tokens(self, number: int) -> list[str]:
        """The tokens of the sentence of an item; none where there is no corpus."""
        span, corpus = self.spans[number], self.judged.corpus
        return [] if span is None or corpus is None else list(corpus.sentences[span[0]].tokens)

    @cached_property
    def words(self) -> list[str]:
        """What is judged in each item: of a corpus its tokens, of a table what detectors say stands there."""
        found = []
        for number, name in enumerate(self.names):
            span = self.spans[number]
            if span is not None and self.judged.corpus is not None:
                found.append(" ".join(self.tokens(number)[span[1] : span[2]]))
            else:
                said = (table.told[name].word for table in self.tables if name in table.told)
                found.append(next((word for word in said if word), ""))
        return found

    @cached_property
    def written(self) -> list[Counter[str]]:
        """What annotators write instead of each word, how many."""
        corpus = self.judged.corpus
        return [Counter() if corpus is None else self._written(number) for number in range(len(self.names))]

    def _written(self, number: int) -> Counter[str]:
        span, corpus = self.spans[number], self.judged.corpus
        found: Counter[str] = Counter()
        if span is None or corpus is None or span[2] != span[1] + 1:
            return found
        sentence, kinds = corpus.sentences[span[0]], split_types(self.kind)
        for edits in sentence.annotations.values():
            counted = [edit for edit in edits if not kinds or edit.type in kinds]
            if said := written_instead(sentence.tokens, counted, span[1]):
                found.update(word for word in said[:1] if word is not None)
        return found

    def text(self, number: int) -> Marked | None:
        """The sentence of an item."""
        span, name = self.spans[number], self.names[number]
        if span is not None and self.judged.corpus is not None:
            tokens, (_, start, end) = self.tokens(number), span
            return " ".join(tokens[:start]), " ".join(tokens[start:end]), " ".join(tokens[end:])
        said = next((table.told[name] for table in self.tables if name in table.told and table.told[name].text), None)
        if said is None or said.text is None:
            return None
        before, bracket, after = said.text.partition(f"[{said.word}]")
        return (before.strip(), said.word or "", after.strip()) if bracket else (said.text, "", "")

    def check(self, table: SystemFlags, problems: Problems) -> None:
        """See that a table has items that were judged, and the words of the same text."""
        if table.flags.keys().isdisjoint(self.names):
            own, ours = next(iter(table.flags), ""), next(iter(self.names), "")
            what = f"none of its items, such as '{own}', was judged; those that were are called such as '{ours}'"
            what = what if table.flags else "there is no item in it"
            fix = "say what it judges: --items=WHAT; or name who judged it: --judgments=FILE"
            problems.error("detector-items", what, Place(table.name), fix=fix)
        if self.judged.corpus is None:
            return
        for number, name in enumerate(self.names):
            said = table.told.get(name)
            if said is not None and said.word not in (None, self.words[number]):
                what = f"item {name} is '{said.word}' here, and '{self.words[number]}' in the reference"
                fix = "detect on the text of the reference, or name the reference of this text"
                problems.error("detector-word", what, Place(table.name), "the words of one text", fix)
                return


def written_instead(tokens: Sequence[str], edits: Sequence[Edit], at: int) -> list[str | None]:
    """What each edit that touches a token makes of it: words in lower case, "" where it goes, ``UNKNOWN``."""
    return [_became(tokens, edit, at) for edit in edits if edit.start <= at < edit.end]


def _became(tokens: Sequence[str], edit: Edit, at: int) -> str | None:
    if not edit.applicable:
        return UNKNOWN
    span, new = tokens[edit.start : edit.end], edit.replacements[0].split()
    if len(span) == 1:
        return " ".join(new).casefold()
    try:
        parts = extract_edits(span, new)
    except InputError:  # too long to compare
        return UNKNOWN
    place = at - edit.start
    part = next((one for one in parts if one.start <= place < one.end), None)
    if part is None:
        return span[place].casefold()
    words = part.replacements[0].split()
    if not words or part.end - part.start == 1:
        return " ".join(words).casefold()
    return words[place - part.start].casefold() if len(words) == part.end - part.start else UNKNOWN
