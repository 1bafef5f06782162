"""Processes that ask at once, and are killed: ``python -m tests.llm.workers URL LEDGER ROUNDS PROCESSES MOST_TOKENS``.

All libraries are loaded once, and each process is a fork of this one, which has no threads of its own.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import time
from pathlib import Path

from errorbar.core import InputError
from errorbar.llm.asking import Pace, ask
from errorbar.llm.calls import Caps, Ledger
from errorbar.llm.endpoint import Endpoint
from errorbar.llm.model import Call, Decoding, ModelRater, endpoint_name

N_CALLS = 120
SCHEMA = {
    "type": "object",
    "properties": {"label": {"type": "string", "enum": ["error", "ok"]}},
    "required": ["label"],
    "additionalProperties": False,
}
CALLS = [Call(f"item-{n}", f"Text number {n}", schema=SCHEMA) for n in range(N_CALLS)]
TIMEOUT = 2.0


def make_rater(url: str) -> ModelRater:
    return ModelRater(endpoint_name(url), "tiny", "Judge.", Decoding(max_tokens=64))


def work(url: str, ledger: Path, most_tokens: int) -> None:
    caps = Caps(tokens=most_tokens or None)
    with Ledger.open(ledger, caps) as calls:
        ask(make_rater(url), CALLS, calls, Endpoint.open(url, TIMEOUT), Pace(jobs=2, retries=20))


def start(url: str, ledger: Path, most_tokens: int) -> int:
    process = os.fork()
    if not process:
        try:
            work(url, ledger, most_tokens)
            os._exit(0)
        except BaseException as error:  # noqa: BLE001 - a fork must never return into its parent's work
            print(repr(error), file=sys.stderr, flush=True)  # noqa: T201 - seen by the test
            os._exit(1)
    return process


def _wait_for_requests(ledger: Path) -> None:
    """Wait until somebody has reserved two calls more, or for a second: a cap may be reached."""
    first, end = _count_calls(ledger), time.monotonic() + 1
    while _count_calls(ledger) < first + 2 and time.monotonic() < end:
        time.sleep(0.01)


def _count_calls(ledger: Path) -> int:
    try:
        with Ledger.open(ledger, read_only=True) as calls:
            return calls.spent().calls
    except InputError:  # not made yet
        return 0


def main(url: str, ledger: Path, rounds: int, processes: int, most_tokens: int) -> int:
    """Kill so many rounds of processes at random moments, then let the last ones work to their end."""
    draws = random.Random(7)
    from openai import OpenAI  # here alone: tests that import this module's calls need not load it

    OpenAI(api_key="none", base_url=url).chat.completions  # noqa: B018 - loads what a first request needs
    for _ in range(rounds):
        killed = [start(url, ledger, most_tokens) for _ in range(processes)]
        _wait_for_requests(ledger)
        time.sleep(draws.uniform(0, 0.2))
        for process in killed:
            os.kill(process, signal.SIGKILL)
            os.waitpid(process, 0)
    last = [start(url, ledger, most_tokens) for _ in range(processes)]
    return max(os.waitstatus_to_exitcode(os.waitpid(process, 0)[1]) for process in last)


if __name__ == "__main__":
    url, ledger, *numbers = sys.argv[1:]
    sys.exit(main(url, Path(ledger), *map(int, numbers)))
