"""Mutations of any text: its lines, its blocks of lines, its numbers and its words."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

from tests.fuzz.values import GENTLE_NUMBERS, GENTLE_WORDS, NUMBERS, WORDS

TextMutator = Callable[[Random, str], str]
MOST = 90_000
"""Characters: what grows stays below the 100 kB that every reader must take in its stride."""
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?")
_WORD = re.compile(r"[^\W_]+")
_BLOCK = re.compile(r"\n{2,}")


def pick(rng: Random, pattern: re.Pattern[str], text: str) -> re.Match[str] | None:
    """A match somewhere in a text, found without looking at all of it; None where there is none."""
    start = rng.randrange(len(text)) if text else 0
    return pattern.search(text, start) or pattern.search(text)


def splice(text: str, match: re.Match[str] | None, new: str) -> str:
    """The text with something else in place of a match."""
    return text if match is None else f"{text[: match.start()]}{new}{text[match.end() :]}"


def gentle_number(rng: Random, text: str) -> str:
    return splice(text, pick(rng, _NUMBER, text), rng.choice(GENTLE_NUMBERS))


def odd_number(rng: Random, text: str) -> str:
    return splice(text, pick(rng, _NUMBER, text), rng.choice(NUMBERS))


def gentle_word(rng: Random, text: str) -> str:
    return splice(text, pick(rng, _WORD, text), rng.choice(GENTLE_WORDS))


def odd_word(rng: Random, text: str) -> str:
    return splice(text, pick(rng, _WORD, text), rng.choice(WORDS))


def insert_word(rng: Random, text: str) -> str:
    at = rng.randint(0, len(text))
    return f"{text[:at]}{rng.choice(WORDS)}{text[at:]}"


def long_word(rng: Random, text: str) -> str:
    """One word of many letters."""
    return splice(text, pick(rng, _WORD, text), rng.choice("xé-1") * rng.randint(2, max(2, _room(text))))


def many_words(rng: Random, text: str) -> str:
    """One word becomes many: a long sentence, many alternatives, many columns."""
    match = pick(rng, _WORD, text)
    separator = rng.choice((" ", "||", ",", "\t", ";", "|||", " a ", '","'))
    times = rng.randint(2, max(2, _room(text) // (len(separator) + 6)))
    return splice(text, match, separator.join(_numbered(match, times, distinct=rng.random() < 0.7)))


def many_lines(rng: Random, text: str) -> str:
    """A line comes many times, as it is or with another word in each: many sentences, raters, labels or systems."""
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    match = pick(rng, _WORD, lines[at]) if rng.random() < 0.7 else None
    times = rng.randint(2, max(2, _room(text) // (len(lines[at]) + 6)))
    words = _numbered(match, times, distinct=True) if match else [""] * times
    lines[at : at + 1] = [splice(lines[at], match, word) for word in words]
    return "\n".join(lines)


def long_line(rng: Random, text: str) -> str:
    """Lines joined to one."""
    at = rng.randint(0, len(text))
    return text[:at] + text[at:].replace("\n", rng.choice((" ", "", "\x0b")))


def repeat_all(rng: Random, text: str) -> str:
    """The whole text several times."""
    return text * rng.randint(2, max(2, _room(text) // (len(text) + 1)))


def cut(rng: Random, text: str) -> str:
    """Only the start, or only the end."""
    at = rng.randint(0, len(text))
    return text[:at] if rng.random() < 0.7 else text[at:]


def _numbered(match: re.Match[str] | None, times: int, *, distinct: bool) -> list[str]:
    word = match[0][:20] if match else "w"
    return [f"{word}{number}" for number in range(times)] if distinct else [word] * times


def _room(text: str) -> int:
    return MOST - len(text)


def _swap(rng: Random, parts: list[str]) -> None:
    first, second = rng.randrange(len(parts)), rng.randrange(len(parts))
    parts[first], parts[second] = parts[second], parts[first]


def _duplicate(rng: Random, parts: list[str]) -> None:
    parts.insert(rng.randint(0, len(parts)), rng.choice(parts))


def _drop(rng: Random, parts: list[str]) -> None:
    if len(parts) > 1:
        del parts[rng.randrange(len(parts))]


def _on_parts(separator: str, change: Callable[[Random, list[str]], None]) -> TextMutator:
    def mutator(rng: Random, text: str) -> str:
        parts = text.split(separator)
        change(rng, parts)
        return separator.join(parts)

    return mutator


swap_lines, duplicate_line, drop_line = (_on_parts("\n", change) for change in (_swap, _duplicate, _drop))
swap_blocks, duplicate_block, drop_block = (_on_parts("\n\n", change) for change in (_swap, _duplicate, _drop))

GENTLE: tuple[TextMutator, ...] = (gentle_word, gentle_word, gentle_number, swap_blocks, duplicate_block, drop_block)
"""Most files are still read after these."""
WILD: tuple[TextMutator, ...] = (
    *(swap_lines, duplicate_line, drop_line, odd_number, odd_number, odd_word, odd_word, insert_word, cut),
    *GENTLE,
)
LARGE: tuple[TextMutator, ...] = (long_word, many_words, many_words, many_lines, many_lines, long_line, repeat_all)
"""These make as much of a file as 100 kB hold."""
