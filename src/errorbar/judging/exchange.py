"""What a rater's browser and the protocol tell each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from errorbar.judging.judged_item import JudgedItem

Round = Literal["main", "quiz", "repeat"]
State = Literal["open", "done", "expired", "skipped", "extra", "aside"]
"""Of an assignment: ``open`` and ``done`` take one of the item's k places (of items for work in the main round, while
their rater is not excluded); ``aside``: done by a rater who is excluded now; ``extra``: answered when all were
taken."""
JUDGED: tuple[State, ...] = ("done", "extra", "aside")
"""States of assignments that were answered."""
Status = Literal["saved", "extra", "conflict", "refused"]
Standing = Literal["quiz", "work", "waiting", "finished", "failed", "excluded"]
"""Of a rater: ``waiting``: nothing is free just now but leases of others may come back; ``finished``: nothing is left,
or the rater's quota is reached; ``failed``: the quiz."""


@dataclass(frozen=True, slots=True)
class Lease:
    """An item that a rater holds.

    Attributes:
        token: Of the assignment: random, the only name of it that a browser knows.
        item: What is asked.
        round: Of the assignment.
        reversed: Whether the two candidates change places on the screen.
        version: Of the rater's answer so far; 0: none.
        answer: The answer so far.
    """

    token: str
    item: JudgedItem
    round: Round
    reversed: bool
    version: int = 0
    answer: Mapping[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Submission:
    """An answer on its way.

    Attributes:
        id: Chosen by the browser, unique: the same id again changes nothing and gets the same receipt.
        token: Of the assignment.
        text_hash: Of what was shown (``screens.shown_hash``).
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
class Receipt:
    """What became of a submission, once it is on disk.

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
    """What a rater has before them.

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
