"""The kind of scheme in which a rater makes one system's output right, and who edits which outputs.

Designs
    With ``crossed`` editors each rater edits outputs of all systems, of every sentence one: as in a Latin square, in
    which the sentence of number b and the editor of row r meet the system (b + r) mod S, as long as places are free.
    With ``nested`` editors each rater edits outputs of one system. Neither shows anybody two systems' outputs of one
    sentence. With ``free`` ones any rater may get any output.
    Items of such a study have places b * S + s, b the number of the sentence in a random order, s that of the system.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from random import SystemRandom
from typing import Any, Literal

from errorbar.core.edit import Edit
from errorbar.core.problems import shorten_text
from errorbar.edits.texts import extract_edits
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.question_kinds import kind_of_question
from errorbar.judging.scheme import Scheme
from errorbar.judging.scheme_kind import SchemeKind

Editors = Literal["crossed", "nested", "free"]
LONGEST_TEXT = 20_000
"""Code points of a source or output that raters can edit in one piece: some 3,000 words."""


class PostEditKind(SchemeKind):
    """The writer's text and one system's output, which a rater makes right, changing as little as possible."""

    name = "post-edit"
    edits_systems = True

    def gives_corrections(self, scheme: Scheme) -> bool:
        """The text that a rater leaves."""
        del scheme
        return True

    def unfit(self, scheme: Scheme, item: JudgedItem) -> str:
        """Also refuses an item without an output, and what is too long to be edited in one piece."""
        del scheme
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
        del reversed_
        return item.text, item.candidates[0]

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: int) -> dict[str, Any]:
        """Both texts."""
        del scheme, reversed_
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
    SystemRandom().shuffle(numbers)
    number_of = dict(zip(blocks, numbers, strict=True))
    n = len(systems)
    return {item.name: number_of[sentence_of(item)] * n + systems.index(item.names[0]) for item in items}


def sentence_of(item: JudgedItem) -> tuple[str, str, str]:
    """The same for all outputs of one sentence."""
    return item.hidden.get("sentence", ""), item.hidden.get("document", ""), item.text
