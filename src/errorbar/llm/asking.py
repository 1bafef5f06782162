"""Many calls, some at a time: reserved, sent, settled, and made again where there was no reply.

Whoever is killed here loses nothing that was paid for but the replies on their way; the next run goes on from the
ledger. Ctrl-C waits for the replies on their way.

Answers of models as JSON objects: read strictly, or refused by name.

A model that was asked for JSON may write prose, another language, half an object, or nothing. None of it is guessed at:
a completion is an object of the keys that were asked for, or a refusal with a name, and either stays in the ledger.
"""

from __future__ import annotations

import json
import random
import re
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from threading import Event, Lock
from typing import Any, Literal, get_args

from errorbar.core.labels import format_count
from errorbar.core.problems import Problem, shorten_text
from errorbar.llm.calls import CapReached, Ledger, Reservation, Taken
from errorbar.llm.endpoint import Endpoint, NoReplyError, refused_error
from errorbar.llm.model import Call, Completion, MalformedReplyError, ModelRater, read_completion

FIRST_WAIT, LONGEST_WAIT = 0.5, 60.0
"""Seconds before a call is made again: doubled each time, and drawn from the upper half so that threads part."""
MOST_WAIT = 600.0
"""Seconds that a server may ask to wait; where it asks for more, the run ends and says so."""
MOST_GIVEN_UP = 10
"""Calls in a row that are given up before the whole run is: the server is not there."""
TICK = 0.05
LONGEST_REASON = 160


@dataclass(frozen=True, slots=True)
class Pace:
    """How calls are made.

    Attributes:
        jobs: Requests under way at a time.
        retries: How often a call without a reply is made again.
        per_minute: Requests in a minute of all processes with this ledger; None: as many as there can be.
    """

    jobs: int = 4
    retries: int = 5
    per_minute: int | None = None


@dataclass
class Asked:
    """The outcome of many calls.

    Attributes:
        n_answered: That got their reply now.
        n_known: That had it before.
        n_failed: Without a reply, however often they were made.
        n_left: That were not made any more, as a cap was reached or the server is not there.
        reasons: Of requests without a reply, and how many there were of each.
        cap: The cap that was reached; empty: none.
    """

    n_answered: int = 0
    n_known: int = 0
    n_failed: int = 0
    n_left: int = 0
    reasons: dict[str, int] = field(default_factory=dict)
    ended: str = ""  # why the server ended the run; empty: it did not
    cap: str = ""

    def notes(self) -> Iterator[Problem]:
        """Warnings on what is missing."""
        if self.cap:
            message = f"the cap on {self.cap} is reached, and {format_count(self.n_left, 'calls')} could not be made"
            yield Problem("llm-cap", message, fix="a larger cap goes on from here", severity="warning")
        if self.n_failed:
            why = self.ended or f"most often: {max(self.reasons, key=lambda each: self.reasons[each])}"
            message = f"{format_count(self.n_failed, 'calls')} got no reply, {why}"
            if not self.cap and self.n_left:
                message += f"; {format_count(self.n_left, 'other calls')} could not be made any more"
            yield Problem("llm-no-reply", message, fix="the same command asks them again", severity="warning")


def ask(
    rater: ModelRater,
    calls: Iterable[Call],
    ledger: Ledger,
    endpoint: Endpoint,
    pace: Pace = Pace(),
    progress: Callable[[int], object] | None = None,
) -> Asked:
    """Make all calls that have no answer in the ledger yet.

    Args:
        rater: Who is asked.
        calls: What is asked, each once.
        ledger: Open, to be written.
        endpoint: Where they are sent.
        pace: How.
        progress: Takes the number of calls that are through, now and then.

    Raises:
        UsageError: If the server refuses such requests for good (``llm-refused``).
        InputError: If the ledger cannot be written.
    """
    ledger.introduce(rater)
    waiting = deque(calls)
    waiting.rotate(random.randrange(len(waiting) or 1))  # processes at the same calls begin at different ones
    run = _Run(rater, waiting, ledger, endpoint, pace, progress or (lambda number: None))
    with ThreadPoolExecutor(pace.jobs, "errorbar-llm") as pool:
        try:
            workers = [pool.submit(run.work) for _ in range(pace.jobs)]
            for worker in workers:
                worker.result()
        except BaseException:
            run.stop.set()
            raise
    run.asked.n_left += len(run.waiting)
    return run.asked


@dataclass
class _Run:
    """The state that the threads of one run share."""

    rater: ModelRater
    waiting: deque[Call]
    ledger: Ledger
    endpoint: Endpoint
    pace: Pace
    progress: Callable[[int], object]
    asked: Asked = field(default_factory=Asked)
    stop: Event = field(default_factory=Event)
    lock: Lock = field(default_factory=Lock)
    n_sent: int = 0
    n_given_up: int = 0
    not_before: float = 0.0

    def work(self) -> None:
        """Take calls until there are none; the first error of one thread stops the others."""
        try:
            while not self.stop.is_set() and (call := self._next()) is not None:
                self._make(call)
        except BaseException:
            self.stop.set()
            raise

    def _next(self) -> Call | None:
        with self.lock:
            return self.waiting.popleft() if self.waiting else None

    def _make(self, call: Call) -> None:
        """Bring one call to its end."""
        n_tries = 0
        while not self.stop.is_set():
            reserved = self._reserve(call)
            if isinstance(reserved, Taken):  # by another process, which may answer it, or be dead
                with self.lock:
                    self.waiting.append(call)
                self.stop.wait(TICK)
                return
            if isinstance(reserved, CapReached):
                with self.lock:
                    self.waiting.appendleft(call)
                    self.asked.cap = reserved.cap
                self.stop.set()
                return
            if reserved is None:
                self._count(known=True)
                return
            error = self._send(reserved)
            if error is None:
                self._count()
                return
            if error.is_final:
                raise refused_error(error, self.rater.endpoint)
            if not error.is_adapted:
                if self._gives_up(error, n_tries):
                    return
                n_tries += 1
        with self.lock:
            self.waiting.append(call)

    def _gives_up(self, error: NoReplyError, n_tries: int) -> bool:
        """Whether a call that failed is not made again after so many tries; otherwise wait until it may be."""
        reason = error.reason[:LONGEST_REASON]
        is_far = error.retry_after is not None and error.retry_after > MOST_WAIT
        if is_far:
            reason += f"; the server asks to wait {error.retry_after:,.0f} seconds"
        with self.lock:
            self.asked.reasons[reason] = self.asked.reasons.get(reason, 0) + 1
            if is_far or n_tries >= self.pace.retries:
                self.asked.n_failed += 1
                self.n_given_up += 1
                if is_far:
                    self.asked.ended = f"and the run ended: {reason}"
                if is_far or self.n_given_up >= MOST_GIVEN_UP:
                    self.stop.set()
                return True
        wait = min(LONGEST_WAIT, FIRST_WAIT * 2**n_tries) * random.uniform(0.5, 1)
        if error.retry_after is not None:  # all threads wait: the server speaks of requests, not of this call
            wait = error.retry_after
            self.not_before = max(self.not_before, time.monotonic() + wait)
        self.stop.wait(wait)
        return False

    def _reserve(self, call: Call) -> Reservation | Taken | CapReached | None:
        """Reserve a call when a request may be sent; where a cap is near, once the requests under way are settled."""
        while True:
            if (wait := self.not_before - time.monotonic()) > 0:
                self.stop.wait(wait)
            with self.lock:
                reserved = self.ledger.reserve(self.rater, call, self.endpoint.lease, self.pace.per_minute)
                if isinstance(reserved, Reservation):
                    self.n_sent += 1
                may_pass = isinstance(reserved, CapReached) and self.n_sent > 0
            is_full = isinstance(reserved, Taken) and reserved.all_are
            if self.stop.is_set() or not (may_pass or is_full):
                return reserved
            self.stop.wait(max(TICK, min(reserved.until - time.time(), 1.0)) if isinstance(reserved, Taken) else TICK)

    def _send(self, reservation: Reservation) -> NoReplyError | None:
        """Send a reserved call and settle it, whatever comes; the error, where there is no whole reply."""
        try:
            raw = self.endpoint.send(self.rater, reservation.call)
            tokens = read_completion(raw).tokens
        except NoReplyError as error:
            tokens = None if error.may_be_billed else (0, 0)
            self.ledger.settle(reservation, "failed", error.raw, tokens, error.reason)
            return error
        except MalformedReplyError as error:
            self.ledger.settle(reservation, "failed", raw, None, str(error))
            return NoReplyError(str(error))
        else:
            self.ledger.settle(reservation, "answered", raw, tokens)
            return None
        finally:
            with self.lock:
                self.n_sent -= 1

    def _count(self, *, known: bool = False) -> None:
        with self.lock:
            self.asked.n_known += known
            self.asked.n_answered += not known
            self.n_given_up = 0
            self.progress(self.asked.n_known + self.asked.n_answered)


Refusal = Literal["declined", "cut", "empty", "not-json", "unfit"]
"""Why a completion is no answer: the model or a filter declined; it was cut off at the limit of tokens; it is empty; it
is not one JSON object; it is one, and does not answer the questions."""
REFUSALS: tuple[Refusal, ...] = get_args(Refusal)
_FENCED = re.compile(r"```(?:json)?[ \t]*\n(.*)\n[ \t]*```", re.DOTALL)
_UNTEXT = re.compile(r"[\0\ud800-\udfff]")
_NO_TEXT = "the answer has a zero or half of a surrogate pair, which JSON can spell and no text can hold"


class RefusedAnswerError(Exception):
    """A completion is no answer.

    Attributes:
        name: Why, in a word.
        detail: The same in a sentence, for people.
    """

    def __init__(self, name: Refusal, detail: str) -> None:
        self.name, self.detail = name, detail
        super().__init__(f"{name}: {detail}")


def read_text(completion: Completion) -> str:
    """The whole text of a completion.

    Raises:
        RefusedAnswerError: If the model declined, or its text is empty, was cut off or cannot be written.
    """
    if _UNTEXT.search(completion.content + completion.refusal):
        raise RefusedAnswerError("not-json", _NO_TEXT)
    if completion.refusal or completion.finish == "content_filter":
        raise RefusedAnswerError("declined", shorten_text(completion.refusal) or "a filter of the server's stopped it")
    if completion.finish == "length":
        raise RefusedAnswerError("cut", "the answer reached the limit of tokens")
    if not completion.content.strip():
        raise RefusedAnswerError("empty", "the answer is empty")
    return completion.content


def read_object(completion: Completion) -> dict[str, Any]:
    """The JSON object that a completion is; one fence around all of it is taken off.

    Raises:
        RefusedAnswerError: If it is anything else, or has a key twice.
    """
    text = read_text(completion).strip()
    fenced = _FENCED.fullmatch(text)
    try:
        value = json.loads(fenced[1] if fenced else text, object_pairs_hook=_once, parse_constant=_refuse_constant)
        texts = [*_texts_in(value)]
    except (ValueError, RecursionError):
        value, texts = None, []
    if not isinstance(value, dict):
        raise RefusedAnswerError("not-json", f"the answer is not one JSON object: {shorten_text(text)}")
    if any(map(_UNTEXT.search, texts)):
        raise RefusedAnswerError("not-json", _NO_TEXT)
    return value


def _texts_in(value: object) -> Iterator[str]:
    """All texts in a value of JSON, keys too."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, (dict, list)):
        for part in (*value, *value.values()) if isinstance(value, dict) else value:
            yield from _texts_in(part)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    record = dict(pairs)
    if len(record) < len(pairs):
        raise ValueError("a key stands twice")
    return record


def _refuse_constant(name: str) -> object:
    raise ValueError(f"{name} is no JSON")
