"""Schemes: the questions about each item, answers to choose from, keys and order."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, Self

from errorbar.judging.items.item import JudgedItem

FRAME_KEYS = frozenset("z?")
"""Of the frame that all schemes share: undo and guidelines. Back, comment and skip (``b``, ``f``, ``s``) give way to a
scheme that wants these keys, and take ``p``, ``c``, ``x`` then."""
SIDES = {"top": ("first", "second"), "bottom": ("second", "first")}
"""The candidates at the two sides of a choice test, as they stand and when they changed places."""
NOTHING = "∅"
"""Said where a question about words is answered by "none is needed"."""
_TOKEN = re.compile(r"\S+")


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose.

    Attributes:
        value: As stored and exported.
        label: As shown.
        key: That chooses it; empty: none.
        help: What it means, shown beside it.
        abstains: Whether it says that one cannot tell: it is wrong on no gold item.
    """

    value: str
    label: str
    key: str = ""
    help: str = ""
    abstains: bool = False


@dataclass(frozen=True, slots=True)
class Question:
    """One thing that is asked.

    Attributes:
        id: Names the answer in what is stored and exported.
        kind: What an answer is: the name of its kind (``question_kinds``).
        ask: The question as shown.
        options: To choose from.
        required: Whether it must be answered before the item is done. That no token is marked is an answer.
        when: Asked only if earlier questions have one of these values.
        most: Words or texts that an answer may have.
        key: That starts it (``marks``, ``token``); empty: none.
        help: Shown beside it.
        step: Questions of later steps stay locked until the earlier steps are confirmed.
        proposed: What a tagger may propose (``token``): ``verb``, that to which the span belongs; empty: nothing.
        nothing: What the answer is called that no word is needed (``words``, ``text``); empty: there is no such answer.
        types: Error types of which every edit has one (``edits``); empty: edits have no type.
    """

    id: str
    kind: str
    ask: str
    options: tuple[Option, ...] = ()
    required: bool = True
    when: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    most: int = 1
    key: str = ""
    help: str = ""
    step: int = 1
    proposed: Literal["", "verb"] = ""
    nothing: str = ""
    types: tuple[Option, ...] = ()

    def values(self) -> tuple[str, ...]:
        """Of the options."""
        return tuple(option.value for option in self.options)

    def asked(self, answer: Mapping[str, Any]) -> bool:
        """Whether it is asked of somebody who has given such answers."""
        return all(answer.get(earlier) in values for earlier, values in self.when.items())


@dataclass(frozen=True, slots=True)
class Scheme:
    """All that is asked about an item.

    Attributes:
        name: Of the scheme.
        title: For people.
        version: Counted up when its questions change; exported with every judgment.
        source: The paper that it follows.
        shows: How an item is shown: the name of its kind (``scheme_kinds``).
        main: Id of the question whose answer is the label of a judgment.
        questions: In order.
        guidelines: For raters, a small Markdown.
        context_words: Words on either side of the span that are set off, and may be marked.
        reversible: Whether the two candidates change places at random.
        headings: Of the two texts of a choice test that never change places; empty: A and B.
        needs_span: Whether no item may be a whole text; where words around the span are set off, none may anyway.
    """

    name: str
    title: str
    version: int
    source: str
    shows: str
    main: str
    questions: tuple[Question, ...]
    guidelines: str
    context_words: int = 0
    reversible: bool = False
    headings: tuple[str, ...] = ()
    needs_span: bool = False

    def question(self, name: str) -> Question:
        """The question of that id."""
        return next(question for question in self.questions if question.id == name)

    def abstaining(self) -> tuple[str, ...]:
        """Labels that say that one cannot tell."""
        return tuple(option.value for option in self.question(self.main).options if option.abstains)

    def labels(self) -> tuple[str, ...]:
        """All labels of judgments, in order; empty where they are words that raters type."""
        values = self.question(self.main).values()
        return tuple(SIDES.get(value, (value,))[0] for value in values) if self.reversible else values

    def to_json(self) -> str:
        """For the store."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the output of ``to_json``."""
        raw: dict[str, Any] = json.loads(text)
        for question in raw["questions"]:
            question["options"] = tuple(Option(**option) for option in question["options"])
            question["types"] = tuple(Option(**option) for option in question.get("types", ()))  # new in later versions
            question["when"] = {earlier: tuple(values) for earlier, values in question["when"].items()}
        raw["headings"] = tuple(raw.get("headings", ()))  # studies of older versions have none
        return cls(**{**raw, "questions": tuple(Question(**question) for question in raw["questions"])})


def fold_word(text: str) -> str:
    """A word as words are compared: NFC, without the difference of capital letters and of spaces."""
    return unicodedata.normalize("NFC", " ".join(unicodedata.normalize("NFC", text).casefold().split()))


def tokens(text: str) -> list[tuple[int, int]]:
    """Where each token of a text stands, in code points: what stands between white space."""
    return [match.span() for match in _TOKEN.finditer(text)]


def near(scheme: Scheme, item: JudgedItem) -> tuple[range, range]:
    """Numbers of the tokens that the item's span covers, and of these and the context words around them."""
    spans = tokens(item.text)
    if item.span is None:
        return range(len(spans)), range(len(spans))
    start, end = item.span
    first = sum(right <= start for _, right in spans)
    last = max(first, sum(left < end for left, _ in spans))
    return range(first, last), range(max(0, first - scheme.context_words), min(len(spans), last + scheme.context_words))


def turn_sides(scheme: Scheme, answer: Mapping[str, Any]) -> Mapping[str, Any]:
    """The answer as it reads once the candidates have changed places."""
    side = answer.get(scheme.main)
    if not scheme.reversible or side not in SIDES:
        return answer
    return {**answer, scheme.main: next(other for other in SIDES if other != side)}
