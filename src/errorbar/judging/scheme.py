"""Schemes: the questions about each item, answers to choose from, keys and order."""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from itertools import islice
from typing import Any, Literal, Self, get_args

from errorbar.core.problems import Problem, UsageError, nearest, shortened
from errorbar.judging.items.item import JudgedItem

QuestionKind = Literal["one", "marks", "words", "text", "token"]
"""``one``: one of the options; ``marks``: numbers of tokens, counted from 0; ``words``: words in order of preference,
of the options where there are some; ``text``: what is typed, in order of preference; ``token``: the number of one."""
KINDS: tuple[QuestionKind, ...] = get_args(QuestionKind)
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
        kind: What an answer is.
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
    """

    id: str
    kind: QuestionKind
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
        for each in raw["questions"]:
            each["options"] = tuple(Option(**option) for option in each["options"])
            each["when"] = {earlier: tuple(values) for earlier, values in each["when"].items()}
        raw["headings"] = tuple(raw.get("headings", ()))  # studies of older versions have none
        return cls(**{**raw, "questions": tuple(Question(**each) for each in raw["questions"])})


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


# Answers to a scheme's questions: whether they are whole, what label they give, whether they are right.


LONGEST = 500
"""Code points of one word or text of an answer."""
_RAW = 4 * LONGEST  # as it was sent: to bring a million combining marks into NFC takes minutes
_TOLD = 5  # questions that there are not


def check_answer(scheme: Scheme, item: JudgedItem, answer: Mapping[str, Any]) -> dict[str, Any]:
    """The answer as it is stored: in the order of the questions, texts in NFC, what was not asked left out.

    ``one`` is a value, ``token`` a number, ``marks`` a list of numbers, ``words`` and ``text`` are lists of texts. What
    is not answered has no key.

    Raises:
        UsageError: With everything that is missing or unfit.
    """
    wrong: list[Problem] = []
    checked: dict[str, Any] = {}
    known = [question.id for question in scheme.questions]
    unknown = islice((key for key in answer if key not in known), _TOLD)
    wrong += [_unfit(f"no question '{shortened(str(key))}'", nearest(key, known)) for key in unknown]
    for question in scheme.questions:
        if not question.asked(checked):
            continue
        raw = answer.get(question.id)
        try:
            value = None if raw is None else _value(question, item, raw)
        except _UnfitError as error:
            wrong.append(_unfit(f"{question.id} must be {error}, got {shortened(repr(raw))}"))
            continue
        if value is None or (value == [] and question.kind != "marks"):
            if question.required:
                wrong.append(_unfit(f"{question.id} is not answered", question.ask))
        else:
            checked[question.id] = value
    if wrong:
        raise UsageError(wrong)
    return checked


def label_of(scheme: Scheme, item: JudgedItem, reversed: bool, answer: Mapping[str, Any]) -> str:
    """The answer to the main question in the item's own terms; empty: it was not asked.

    Where candidates change places, ``top`` and ``bottom`` are ``first`` or ``second`` of the item's candidates. Of
    words that were typed the first counts, in NFC and without the difference of capital letters.
    """
    main_answer = answer.get(scheme.main)
    if main_answer is None:
        return ""
    if isinstance(main_answer, list):
        if scheme.question(scheme.main).kind == "marks":
            return " ".join(map(str, main_answer)) or NOTHING
        return folded(main_answer[0]) if main_answer else ""
    value = str(main_answer)
    return SIDES[value][bool(reversed)] if scheme.reversible and value in SIDES else value


def is_right(scheme: Scheme, item: JudgedItem, reversed: bool, answer: Mapping[str, Any]) -> bool | None:
    """Whether an answer to a gold item is right; None: it says that one cannot tell, or nothing is known."""
    label = label_of(scheme, item, reversed, answer)
    if not label or not item.answers:
        return None
    if label in scheme.abstaining():
        return True if label in item.answers else None
    return folded(label) in {folded(right) for right in item.answers}


def folded(text: str) -> str:
    """A word as words are compared: NFC, without the difference of capital letters and of spaces."""
    return unicodedata.normalize("NFC", " ".join(unicodedata.normalize("NFC", text).casefold().split()))


class _UnfitError(Exception):
    """A value does not fit its question: the message says how it must be."""


def _value(question: Question, item: JudgedItem, said: object) -> object:
    if question.kind == "one":
        return _chosen(question, said)
    if question.kind in ("words", "text"):
        return _texts(question, said)
    n_tokens = len(tokens(item.text))
    numbers = said if question.kind == "marks" else [said]
    if not isinstance(numbers, list | tuple) or not all(type(each) is int and 0 <= each < n_tokens for each in numbers):
        expected = "numbers of tokens" if question.kind == "marks" else "the number of a token"
        raise _UnfitError(f"{expected} from 0 to {n_tokens - 1}")
    return sorted(set(numbers)) if question.kind == "marks" else numbers[0]


def _chosen(question: Question, said: object) -> str:
    """The value of an option, also where it was said in other capital letters."""
    plain = folded(said) if isinstance(said, str) and len(said) <= _RAW else None
    matches = [value for value in question.values() if folded(value) == plain]
    if not matches:
        raise _UnfitError(f"one of {', '.join(question.values())}")
    return said if isinstance(said, str) and said in matches else matches[0]


def _texts(question: Question, said: object) -> list[str]:
    raw_texts = [said] if isinstance(said, str) else said
    if not isinstance(raw_texts, list | tuple) or not all(isinstance(each, str) for each in raw_texts):
        raise _UnfitError("a list of texts")
    if len(raw_texts) > max(_RAW, question.most) or any(len(each) > _RAW for each in raw_texts):
        raise _UnfitError(f"at most {question.most}, at most {LONGEST} characters long")
    texts = list(dict.fromkeys(filter(None, (unicodedata.normalize("NFC", each).strip() for each in raw_texts))))
    if len(texts) > question.most:
        raise _UnfitError(f"at most {question.most}")
    if any(len(each) > LONGEST for each in texts):
        raise _UnfitError(f"at most {LONGEST} characters long")
    if NOTHING in texts and (len(texts) > 1 or not question.nothing):
        raise _UnfitError(f"words, or {NOTHING} alone" if question.nothing else "words")
    if question.options and question.kind == "words":
        known = {*question.values(), NOTHING}
        if any(each not in known for each in texts):
            raise _UnfitError(f"words of its list ({len(question.options)})")
    return texts


def _unfit(what: str, fix: str = "") -> Problem:
    return Problem("judge-answer", what, fix=fix)
