"""The rules of a study: how many judge what, and what is asked of raters; kept in the store for all workers."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, fields
from math import ceil
from typing import Any, Literal, Self

Policy = Literal["sequential", "posterior", "fixed", "none"]


@dataclass(frozen=True, slots=True)
class Rules:
    """What a study fixes.

    Attributes:
        raters_per_item: k, judgments of each item by k different raters.
        items_per_rater: The most items of one rater, gold ones included; 0: as many as there are.
        page: Items that a browser leases at a time, at most 10, and in each of which one gold item is hidden.
        lease_minutes: How long a leased item is kept for its rater.
        gold_per_page: Gold items among ``page`` items.
        quiz: Gold items with explanations before the work; 0: no quiz.
        quiz_pass: The share of right answers that passes the quiz.
        policy: How raters are excluded by their gold answers: ``sequential``: a test for each class; ``posterior``:
            once the accuracy of a class is nearly certainly below ``policy_share``; ``fixed``: if below it after
            ``policy_gold`` answers, classes together; ``none``: by the manager alone.
        repeats: The share of items that a rater is shown again, reversed where there are sides.
        pay: What an item pays, shown to raters; empty: nothing is said.
        consent: Text that raters must agree to; empty: none.
        eligibility: Questions that must be answered with yes before the first item.
        language: Of the texts (``lang``).
        direction: Of the texts (``dir``).
        stop: The question after which the study may stop early (``stop_question``); empty: none.
    """

    raters_per_item: int = 3
    items_per_rater: int = 0
    page: int = 10
    lease_minutes: float = 60.0
    gold_per_page: int = 1
    quiz: int = 0
    quiz_pass: float = 0.7
    policy: Policy = "sequential"
    policy_share: float = 0.7
    policy_gold: int = 10
    repeats: float = 0.0
    pay: str = ""
    consent: str = ""
    eligibility: tuple[str, ...] = ()
    language: str = "en"
    direction: Literal["ltr", "rtl", "auto"] = "auto"
    stop: str = ""

    def quiz_needed(self, asked: int) -> int:
        """How many right answers pass a quiz of so many questions."""
        return ceil(self.quiz_pass * asked - 1e-9)

    def to_json(self) -> str:
        """For the store."""
        return json.dumps(asdict(self), ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What ``to_json`` made, also before a rule was there."""
        raw: dict[str, Any] = json.loads(text)
        raw["eligibility"] = tuple(raw["eligibility"])
        return cls(**{each.name: raw[each.name] for each in fields(cls) if each.name in raw or each.name not in _LATER})


_LATER = ("stop",)
"""Rules that studies of older versions do not have."""
