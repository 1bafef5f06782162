"""Mutations of JSON, of one value a file or one a line: members, values, texts, nesting."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from random import Random
from typing import Any

from tests.fuzz.plain import MOST, TextMutator
from tests.fuzz.values import GENTLE_WORDS, JSON_TEXTS, JSON_VALUES

_RAW = "\x1araw\x1a"
_SURROGATE = re.compile("[\ud800-\udfff]")
_Slot = tuple[Any, Any]  # a container and a key or index of it


def gentle_text(rng: Random, text: str) -> str:
    def change(slots: list[_Slot], _: list[str]) -> None:
        texts = [slot for slot in slots if isinstance(slot[0][slot[1]], str)]
        if texts:
            container, key = rng.choice(texts)
            container[key] = f"{container[key]} {rng.choice(GENTLE_WORDS)}"

    return _on_value(rng, text, change)


def odd_value(rng: Random, text: str) -> str:
    return _replaced(rng, text, lambda: rng.choice(JSON_VALUES))


def odd_text(rng: Random, text: str) -> str:
    return _replaced(rng, text, lambda: f'"{rng.choice(JSON_TEXTS)}"', only=str)


def longer_text(rng: Random, text: str) -> str:
    return _replaced(
        rng, text, lambda: '"' + "x " * rng.randint(100, max(101, (MOST - len(text)) // 2)) + '"', only=str
    )


def nested(rng: Random, text: str) -> str:
    times = rng.choice((5, 500, 5_000, 40_000))
    return _replaced(
        rng, text, lambda: rng.choice(("[" * times + "]" * times, '{"a":' * (times // 3) + "1" + "}" * (times // 3)))
    )


def drop_member(rng: Random, text: str) -> str:
    def change(slots: list[_Slot], _: list[str]) -> None:
        if slots:
            container, key = rng.choice(slots)
            del container[key]

    return _on_value(rng, text, change)


def rename_member(rng: Random, text: str) -> str:
    def change(slots: list[_Slot], raw: list[str]) -> None:
        named = [slot for slot in slots if isinstance(slot[0], dict)]
        if named:
            container, key = rng.choice(named)
            raw.append(f'"{rng.choice(JSON_TEXTS)}"')
            container[_RAW] = container.pop(key)

    return _on_value(rng, text, change)


def repeat_element(rng: Random, text: str) -> str:
    """Elements of a list come again, maybe very often; members of an object come again under other names."""

    def change(slots: list[_Slot], _: list[str]) -> None:
        if not slots:
            return
        container, key = rng.choice(slots)
        size = len(json.dumps(container[key])) + 10
        times = rng.choice((1, 1, 2, 20, max(1, (MOST - len(text)) // size)))
        if isinstance(container, list):
            container += [container[key]] * times
        else:
            container |= {f"{key}{number}": container[key] for number in range(times)}

    return _on_value(rng, text, change)


def repeat_member(rng: Random, text: str) -> str:
    """One name twice in an object."""
    at = text.find('"', rng.randint(0, len(text)))
    end = text.find(",", at)
    return f"{text[: end + 1]}{text[at : end + 1]}{text[end + 1 :]}" if 0 <= at < end else text


def _replaced(rng: Random, text: str, new: Callable[[], str], only: type | None = None) -> str:
    def change(slots: list[_Slot], raw: list[str]) -> None:
        fitting = [slot for slot in slots if only is None or isinstance(slot[0][slot[1]], only)]
        if fitting:
            container, key = rng.choice(fitting)
            container[key] = _RAW
            raw.append(new())

    return _on_value(rng, text, change)


def _on_value(rng: Random, text: str, change: Callable[[list[_Slot], list[str]], None]) -> str:
    """Change the value of the file, or of one of its lines; what is not JSON stays as it is."""
    lines = [text] if _parsed(text) is not None else text.split("\n")
    at = rng.randrange(len(lines))
    value = _parsed(lines[at])
    if value is None:
        return text
    raw: list[str] = []
    change(_slots(value), raw)
    escaped = rng.random() < 0.5
    written = json.dumps(value, ensure_ascii=escaped)
    if _SURROGATE.search(written):  # they stand in files as escapes only
        written = json.dumps(value)
    for literal in raw:  # numbers of thousands of digits and lone surrogates, which no encoder writes
        written = written.replace(json.dumps(_RAW), literal, 1)
    lines[at] = written
    return "\n".join(lines)


def _parsed(text: str) -> Any:  # noqa: ANN401 - it is any JSON
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict | list) else None


def _slots(value: Any) -> list[_Slot]:  # noqa: ANN401
    found: list[_Slot] = []
    waiting = [value]
    while waiting:
        container = waiting.pop()
        pairs = container.items() if isinstance(container, dict) else enumerate(container)
        for key, inner in pairs:
            found.append((container, key))
            if isinstance(inner, dict | list):
                waiting.append(inner)
    return found


GENTLE: tuple[TextMutator, ...] = (gentle_text, gentle_text, repeat_element)
WILD: tuple[TextMutator, ...] = (
    *(odd_value, odd_value, odd_text, odd_text, drop_member, rename_member, repeat_member),
    *GENTLE,
)
LARGE: tuple[TextMutator, ...] = (longer_text, nested, repeat_element)
