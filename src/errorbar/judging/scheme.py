"""Schemes: the questions about each item, answers to choose from, keys and order; and the items that they ask about.

Items are as a study keeps them; beside them stand the messages between a rater's browser and the protocol.
"""

from __future__ import annotations

import hashlib
import json
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self

# An item as a study keeps it: what raters see of it, and what they must not.


Kind = Literal["work", "gold"]
SEVERAL = "|"
"""Between the names of those who wrote the same."""


@dataclass(frozen=True, slots=True)
class AnswerChoice:
    """An answer that raters gave to an item, which an adjudicator may accept.

    Attributes:
        answer: By the ids of the scheme's questions, with candidates at their own sides.
        raters: Who gave it; never sent to a browser.
        shown_count: How many gave it, where adjudicators see that; 0: they do not.
    """

    answer: Mapping[str, Any]
    raters: tuple[str, ...]
    shown_count: int = 0


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """One question that is put to raters.

    Attributes:
        name: Of the item, as exports name it; never sent to a browser.
        text: The sentence; in a choice or cloze test with the writer's word where ``span`` is.
        span: Code points of ``text`` that are asked about, half-open; None: the whole text.
        before: The text before it, shown in gray, paragraphs in lines; empty: none.
        candidates: Of a choice test the two texts that may stand at ``span``: the writer's or first system's first. Of
            a ranking the outputs, in an order that tells nothing of their writers (``question_kinds.order_outputs``).
            Of a text to post-edit the one system's output.
        names: Who wrote the candidates; never sent to a browser.
        kind: ``gold``: the answer is known.
        answers: Of gold: the values of the scheme's main question that are right.
        explanation: Of gold: what the quiz says when an answer was wrong.
        proposed: What a program proposes, shown as a proposal: of questions of the kind ``token`` a number, of
            ``edits`` edits that are pending.
        hidden: Whatever else the item file said, for exports alone: strata, flags, votes.
        choices: Of an adjudication: the answers of raters, each once.
        after: The text after it, as ``before``.
    """

    name: str
    text: str
    span: tuple[int, int] | None = None
    before: str = ""
    candidates: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    kind: Kind = "work"
    answers: tuple[str, ...] = ()
    explanation: str = ""
    hidden: Mapping[str, str] = field(default_factory=dict)
    proposed: Mapping[str, Any] = field(default_factory=dict)
    choices: tuple[AnswerChoice, ...] = ()
    after: str = ""

    def asked(self) -> tuple[object, ...]:
        """All that makes up the question, also what a scheme hides."""
        return self.text, self.span, self.before, self.candidates, self.after

    def marked(self) -> str:
        """The text with what is asked about in brackets; of a choice test both candidates."""
        if self.span is None:
            return self.text
        start, end = self.span
        place = " | ".join(candidate or "∅" for candidate in self.candidates) or self.text[start:end]
        return f"{self.text[:start]}[{place}]{self.text[end:]}"

    @property
    def gold_class(self) -> str:
        """The first right answer; empty: it is no gold."""
        return (*self.answers, "")[0]

    def text_hash(self) -> str:
        """The hash of the whole question, for the store alone: ``scheme_kinds.shown_hash`` is what browsers get."""
        content = dict(zip(("text", "span", "before", "candidates", "after"), self.asked(), strict=True))
        if not self.after:  # as it is in studies without a wider context
            del content["after"]
        return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """For the store."""
        record = asdict(self)
        for name in _RARE:
            if not record[name]:
                del record[name]
        return json.dumps(record, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """Read the output of ``to_json``."""
        raw: dict[str, Any] = json.loads(text)
        for name in ("candidates", "names", "answers"):
            raw[name] = tuple(raw[name])
        raw["span"] = None if raw["span"] is None else tuple(raw["span"])
        if "choices" in raw:
            raw["choices"] = tuple(
                AnswerChoice(choice["answer"], tuple(choice["raters"]), choice["shown_count"])
                for choice in raw["choices"]
            )
        return cls(
            **{field.name: raw[field.name] for field in fields(cls) if field.name in raw or field.name not in _RARE}
        )


_RARE = ("proposed", "choices", "after")
"""Fields that few studies use, and that are written only there."""


Round = Literal["main", "quiz", "repeat"]
State = Literal["open", "done", "expired", "skipped", "extra", "aside"]
"""Of an assignment: ``open`` and ``done`` take one of the item's k places (of items for work in the main round, while
their rater is not excluded); ``aside``: done by a rater who is excluded now; ``extra``: answered when all were
taken."""
JUDGED: tuple[State, ...] = ("done", "extra", "aside")
"""States of assignments that were answered."""
Status = Literal["saved", "extra", "conflict", "refused"]
Standing = Literal[
    "check", "training", "quiz", "work", "waiting", "paused", "finished", "failed", "excluded", "withdrawn"
]
"""Of a rater: ``check``: the questions on the guidelines are due, or were failed; ``waiting``: nothing is free just now
but leases of others may come back; ``paused``: the manager paused the study, which has work for them (told to pages
alone: to the protocol they are ``finished``, and get their code); ``finished``: nothing is left, or the rater's quota
is reached; ``failed``: the quiz."""


@dataclass(frozen=True, slots=True)
class Lease:
    """An item that a rater holds.

    Attributes:
        token: Of the assignment: random, the only name of it that a browser knows.
        item: What is asked.
        round: Of the assignment.
        reversed: In which order the candidates stand on the screen (``question_kinds.arrange``); of two, 1: reversed.
        version: Of the rater's answer so far; 0: none.
        answer: The answer so far.
    """

    token: str
    item: JudgedItem
    round: Round
    reversed: int
    version: int = 0
    answer: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer on its way.

    Attributes:
        id: Chosen by the browser, unique: the same id again changes nothing and gets the same receipt.
        token: Of the assignment.
        text_hash: Of what was shown (``scheme_kinds.shown_hash``).
        base_version: Of the answer that this one replaces; 0: none.
        answer: By the ids of the scheme's questions; None: skipped.
        skip: Why the item is skipped; empty: it is not.
        comment: The rater's remark on the item.
        milliseconds: From the item's first paint to the answer, by the browser's monotonic clock, pauses left out.
        trail: What was pressed when, for schemes that ask several questions: milliseconds per question.
    """

    id: str
    token: str
    text_hash: str
    base_version: int
    answer: Mapping[str, Any] | None
    skip: str = ""
    comment: str = ""
    milliseconds: int = 0
    trail: Mapping[str, int] | None = None


@dataclass(frozen=True, slots=True)
class SubmissionReceipt:
    """The receipt of a submission, once it is on disk.

    Attributes:
        id: The submission's.
        status: ``conflict``: another version was saved meanwhile, ``stored`` tells it, and nothing was overwritten;
            ``refused``: it can never be stored, ``why`` says so (no such assignment, another text, an unfit answer).
        version: Of the rater's answer that is stored now.
        stored: With ``conflict``: the answer that is stored.
        why: With ``refused``.
        feedback: In the quiz: whether it was right, the right answers and the explanation.
    """

    id: str
    status: Status
    version: int
    stored: Mapping[str, Any] | None = None
    why: str = ""
    feedback: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Work:
    """The page of items that a rater has.

    Attributes:
        standing: What they are to do.
        leases: Items that they hold, in the order in which they are to be judged.
        done: Items of this round that they have judged.
        of: How many there are for them, gold ones included; 0: not said.
        code: Their completion code, once it is due.
    """

    standing: Standing
    leases: tuple[Lease, ...]
    done: int
    of: int
    code: str = ""


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
