"""How a language model is asked to correct or to detect, and what that came to: light, as every command loads it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from errorbar.api.arguments import ArgumentDoc
from errorbar.api.model_calls import ModelCalls, TokenCount
from errorbar.core.labels import format_count
from errorbar.core.problems import Problem
from errorbar.formats.look import Source

if TYPE_CHECKING:
    from errorbar.llm.calls import Spent
    from errorbar.llm.model import ModelRater


class ModelAsking(ModelCalls, total=False):
    """How a language model is asked, as a corrector or a detector."""

    model: Annotated[str, ArgumentDoc("", "Name of the model at the endpoint of --llm.")]
    prompt: Annotated[
        Source | None, ArgumentDoc(None, "A file whose text stands in the place of the usual instructions.")
    ]
    max_tokens: Annotated[TokenCount, ArgumentDoc(1024, "Tokens that an answer may have.")]
    calls: Annotated[
        Source | None, ArgumentDoc(None, "The ledger of calls, with every raw answer. None: ``llm.sqlite`` here.")
    ]
    answers: Annotated[
        Source | None,
        ArgumentDoc(None, "Write prompt, settings, cost and all raw answers to this JSON file, as a receipt."),
    ]


OF_MODELS = " ".join(ModelAsking.__annotations__)
"""Arguments of which nothing comes without ``llm``."""


@dataclass(frozen=True, slots=True)
class ModelUse:
    """The questions that a model was asked, and their cost.

    Attributes:
        rater: The model with its prompt and settings.
        n_calls: Calls whose answers were used or refused.
        refused: How many answers were refused, by reason.
        unanswered: Numbers of the sentences, from 1, whose answers were all refused.
        spent: What all calls of the ledger used, at most.
        notes: Warnings.
    """

    rater: ModelRater
    n_calls: int
    refused: Mapping[str, int]
    unanswered: Sequence[int]
    spent: Spent
    notes: Sequence[Problem]

    def to_dict(self) -> dict[str, object]:
        """The same, and the hash of the prompt."""
        return {
            "model": self.rater.pseudonym,
            "identity": self.rater.identity,
            "parts": self.rater.parts(),
            "prompt_sha256": hashlib.sha256(self.rater.prompt.encode()).hexdigest(),
            "calls": self.n_calls,
            "refused": dict(self.refused),
            "unanswered": list(self.unanswered),
            "spent": self.spent._asdict(),
        }

    def words(self) -> str:
        """The cost in a sentence."""
        cost = f", {self.spent.cost:.4f} in money" if self.spent.cost else ""
        refused = f"; {format_count(sum(self.refused.values()), 'answers')} refused" if self.refused else ""
        counts = format_count(self.spent.calls, "requests"), format_count(self.spent.tokens, "tokens")
        spent = f"{', '.join(counts)}{cost}, with all before"
        return f"{self.rater.pseudonym}: {format_count(self.n_calls, 'calls')}{refused}; spent {spent}"
