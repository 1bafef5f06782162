"""How a language model is called, whatever it is asked: options, prices and caps, pace, and prompt files.

Light, as commands that can ask a model load it without one; the client and the ledger are imported when one is asked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, TypedDict

from errorbar.api.arguments import ArgumentDoc, Bounds, Count, Positive, Whole
from errorbar.core.problems import InputError, Place, Problem, Problems, UsageError
from errorbar.formats.look import Lines, Source

if TYPE_CHECKING:
    from errorbar.llm.asking import Pace
    from errorbar.llm.calls import Caps, Prices

Temperature = Annotated[float, Bounds(0, 2)]
Price = Annotated[float, Bounds(0, 1e6)]
TokenCount = Annotated[int, Bounds(1, 1_000_000_000)]


class ModelCalls(TypedDict, total=False):
    """How a language model is called."""

    temperature: Annotated[
        Temperature, ArgumentDoc(0.0, "Temperature of the model's draws; 0: the likeliest word each time.")
    ]
    decoding_seed: Annotated[
        Whole | None, ArgumentDoc(None, "Seed of the model's draws, for servers that take one. None: none is sent.")
    ]
    replay: Annotated[bool, ArgumentDoc(False, "Read the answers that the ledger has, and send nothing.")]
    most_calls: Annotated[
        Count | None, ArgumentDoc(None, "Requests that may be sent in all, with those before. None: no cap.")
    ]
    most_tokens: Annotated[Count | None, ArgumentDoc(None, "Tokens that may be used in all, both ways. None: no cap.")]
    most_cost: Annotated[
        Positive | None, ArgumentDoc(None, "Money that may be spent in all, by the prices. None: no cap.")
    ]
    price_in: Annotated[Price, ArgumentDoc(0.0, "Price of a million tokens that are sent.")]
    price_out: Annotated[Price, ArgumentDoc(0.0, "Price of a million tokens that come back.")]
    jobs: Annotated[Annotated[int, Bounds(1, 1000)], ArgumentDoc(4, "Requests under way at a time.")]
    per_minute: Annotated[
        Count | None,
        ArgumentDoc(None, "Requests that may be sent in a minute, by all processes with this ledger. None: no limit."),
    ]
    retries: Annotated[Whole, ArgumentDoc(5, "How often a call without a reply is made again.")]
    timeout: Annotated[Annotated[float, Bounds(0, 86_400, "low")], ArgumentDoc(60.0, "Seconds that a reply may take.")]


def prices_and_caps(options: ModelCalls) -> tuple[Prices, Caps]:
    """The prices of tokens, and what the calls may use.

    Raises:
        UsageError: If money is capped and tokens have no prices (``llm-prices``).
    """
    from errorbar.llm.calls import Caps, Prices  # noqa: PLC0415 - few ask a model

    prices = Prices(options["price_in"], options["price_out"])
    if options["most_cost"] is not None and not any(prices):
        message = "--most-cost needs the prices of tokens"
        raise UsageError(Problem("llm-prices", message, fix="give --price-in and --price-out, of a million tokens"))
    return prices, Caps(options["most_calls"], options["most_tokens"], options["most_cost"])


def pace_of(options: ModelCalls) -> Pace:
    """How many requests are under way, how many in a minute, and how often one is made again."""
    from errorbar.llm.asking import Pace  # noqa: PLC0415 - few ask a model

    return Pace(options["jobs"], options["retries"], options["per_minute"])


def read_prompt(path: Source) -> str:
    """The text of a prompt file.

    Raises:
        InputError: If it cannot be read, or is empty (``llm-prompt``).
    """
    problems = Problems()
    prompt = "\n".join(Lines(path, problems)).strip()
    problems.raise_errors()
    if not prompt:
        raise InputError(
            Problem("llm-prompt", "the prompt is empty", Place(str(path)), fix="write what the model is to do")
        )
    return prompt
