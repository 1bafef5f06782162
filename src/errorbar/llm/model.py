"""A language model as somebody who answers: who it is, what a call asks of it, and what its completion says.

Conventions
    A model rater is its endpoint, model, prompt, decoding and scheme together: whoever changes one of them has another
    rater. Its identity is the SHA-256 of these as canonical JSON; tables name it ``model:NAME@`` and the first eight
    digits of it.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from functools import cached_property
from typing import Any, Literal
from urllib.parse import urlsplit

from errorbar.core.problems import Problem, UsageError, shorten_text

Format = Literal["auto", "schema", "text"]
"""How answers are made JSON: by a schema that the server enforces, by words alone, or the first where it is there."""
MODEL_RATER = "model:"
"""Before the pseudonyms of model raters."""
_SPACES = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Decoding:
    """How a model writes its answers.

    Attributes:
        temperature: Of the draws; 0: the likeliest token each time.
        max_tokens: Tokens that an answer may have; longer ones are cut, and refused.
        seed: Of the draws, for servers that take one; None: none is sent.
        format: How it is made to answer in JSON.
    """

    temperature: float = 0.0
    max_tokens: int = 512
    seed: int | None = None
    format: Format = "auto"

    def __post_init__(self) -> None:
        object.__setattr__(self, "temperature", float(self.temperature))  # 1 and 1.0 are one rater


@dataclass(frozen=True)
class ModelRater:
    """A model with all that makes it another rater, or another system, than the next.

    Attributes:
        endpoint: Name of the endpoint (``endpoint_name``), which has no credentials.
        model: Its name at the endpoint.
        prompt: The instructions that come before every item.
        decoding: How it writes.
        scheme: What is asked: name and version of a scheme, or of another task.
    """

    endpoint: str
    model: str
    prompt: str
    decoding: Decoding = Decoding()
    scheme: str = ""

    @cached_property
    def identity(self) -> str:
        """The SHA-256 of all parts, in hexadecimal digits."""
        return hashlib.sha256(canonical_json(self.parts()).encode()).hexdigest()

    @property
    def pseudonym(self) -> str:
        """The name in tables: ``model:NAME@1a2b3c4d``, without spaces."""
        return f"{MODEL_RATER}{_SPACES.sub('-', self.model)}@{self.identity[:8]}"

    def parts(self) -> dict[str, Any]:
        """All that the identity is made of, as JSON has it."""
        return asdict(self)

    @classmethod
    def from_parts(cls, parts: Mapping[str, Any]) -> ModelRater:
        """Read the output of ``parts``."""
        return cls(**{**parts, "decoding": Decoding(**parts["decoding"])})


def canonical_json(value: object) -> str:
    """The one spelling of a value: keys in order, no spaces, ASCII alone."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"))


def endpoint_name(url: str) -> str:
    """The name of an endpoint: host, port and path of its URL.

    Raises:
        UsageError: If it is no URL of HTTP, or one with a user, a password or a query, where a key could be.
    """
    try:
        parts = urlsplit(url.strip())
        port = f":{parts.port}" if parts.port else ""
    except ValueError:
        parts, port = urlsplit(""), ""
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise UsageError(
            Problem("llm-endpoint", "--endpoint must be the URL of a server", expected="http://HOST:PORT/v1")
        )
    if parts.username is not None or parts.password is not None or parts.query or parts.fragment:
        message = f"--endpoint names {parts.hostname} with a user, a password or a query"
        fix = "give the key in the environment variable ERRORBAR_LLM_KEY, and the URL without it"
        raise UsageError(Problem("llm-endpoint", message, fix=fix))
    return f"{parts.hostname}{port}{parts.path.rstrip('/')}"


@dataclass(frozen=True)
class Call:
    """One question to a model, in a conversation of its own.

    Attributes:
        item: Name of what is asked about.
        content: The message after the instructions.
        arrangement: In which order candidates stand in the message, as a scheme numbers orders; 0: as they are.
        repeat: The how-manieth time the same is asked, counted from 0.
        schema: JSON schema of the answer; empty: the answer is plain text.
    """

    item: str
    content: str
    arrangement: int = 0
    repeat: int = 0
    schema: Mapping[str, Any] = field(default_factory=dict, compare=False)

    @cached_property
    def key(self) -> tuple[str, str, int, int]:
        """The key by which calls of one model differ: an item whose text changed is another item."""
        return self.item, hashlib.sha256(self.content.encode()).hexdigest()[:16], self.arrangement, self.repeat

    def most_tokens(self, rater: ModelRater) -> tuple[int, int]:
        """The most tokens that the server can count: of what is sent, and of what comes back.

        Every token of the usual vocabularies has a byte at least, so that there are never more tokens than bytes; some
        more mark where messages begin and end.
        """
        schema = canonical_json(self.schema) if self.schema else ""
        return len(f"{rater.prompt}{self.content}{schema}".encode()) + MOST_FRAME, rater.decoding.max_tokens


MOST_FRAME = 200
"""Tokens that a server may put around the messages of a conversation."""
MOST_COUNTED = 10**9
"""Tokens of a call that a server can have counted; what is above is no count."""
MOST_MODELS = 5
"""Names of models that a note lists."""
STREAMED = ("data:", "event:")
"""How server-sent events begin, in which a server may answer though it was not asked to."""


class MalformedReplyError(Exception):
    """The body of a reply is no completion; the message says what it is instead."""


@dataclass(frozen=True, slots=True)
class Completion:
    """The content of a reply.

    Attributes:
        content: What the model wrote.
        finish: Why it stopped: ``stop``, ``length``, ``content_filter`` or another word of the server's.
        refusal: What it wrote instead of an answer, where the server tells refusals apart.
        tokens: Of the prompt and of the completion, as the server counted them; None: it does not say.
        model: The model that wrote it, as the server calls it; empty: it does not say.
    """

    content: str
    finish: str
    refusal: str
    tokens: tuple[int, int] | None
    model: str = ""


def read_completion(raw: str) -> Completion:
    """Read the body of a reply.

    Raises:
        MalformedReplyError: If it is no JSON, or has no choice with a message.
    """
    try:
        body = json.loads(raw)
    except (ValueError, RecursionError):
        is_stream = raw.lstrip().startswith(STREAMED)
        kind = "a stream of events, which nobody asked for" if is_stream else "no JSON"
        raise MalformedReplyError(f"the reply is {kind}") from None
    if not isinstance(body, dict):
        raise MalformedReplyError("the reply is no JSON object")
    choices = body.get("choices")
    if not choices and body.get("error"):  # some gateways say so with a status of success
        raise MalformedReplyError(f"the reply is an error: {shorten_text(canonical_json(body['error']))}")
    first = choices[0] if isinstance(choices, list) and choices else None
    message = first.get("message") if isinstance(first, dict) else None
    if not isinstance(first, dict) or not isinstance(message, dict):
        raise MalformedReplyError("the reply has no choice with a message")
    texts = [message.get(name) for name in ("content", "refusal")]
    if not all(text is None or isinstance(text, str) for text in texts):
        raise MalformedReplyError("the message of the reply is no text")
    content, refusal = (text or "" for text in texts)
    finish, model = str(first.get("finish_reason") or ""), str(body.get("model") or "")
    return Completion(content, finish, refusal, _tokens(body.get("usage")), model)


def note_other_models(rater: ModelRater, completions: Iterable[Completion]) -> Iterator[Problem]:
    """Say where a server answers as another model than the one that was asked, or as several.

    A longer name is the same model: servers add a date, a folder or a vendor.
    """
    names = sorted({completion.model for completion in completions} - {""})
    if len(names) > 1 or any(rater.model.casefold() not in name.casefold() for name in names):
        listed = ", ".join(shorten_text(name) for name in names[:MOST_MODELS])
        message = f"'{rater.model}' was asked, and the replies name {listed}"
        fix = "ask the server which model this name stands for, and judge with one alone"
        yield Problem("llm-other-model", message, fix=fix, severity="warning")


def _tokens(usage: object) -> tuple[int, int] | None:
    """The counts of a reply's ``usage``; None where one is missing or no count."""
    if not isinstance(usage, dict):
        return None
    numbers = usage.get("prompt_tokens"), usage.get("completion_tokens")
    counts = [number for number in numbers if type(number) is int and 0 <= number <= MOST_COUNTED]
    return (counts[0], counts[1]) if len(counts) == 2 else None
