"""The spec: one string that says what is computed, e.g. ``m2(beta=0.5,max_unchanged=2)``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from errorbar.core.problems import Problem, UsageError, nearest

Value = bool | int | float | str

_SPEC = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:\((.*)\)\s*)?", re.DOTALL)
_PARAMETER = re.compile(
    r"""\s*(?P<key>[A-Za-z_]\w*)\s*=\s*
        (?:"(?P<quoted>(?:[^"\\]|\\.)*)"|(?P<bare>[^\s,()"=\\]+))\s*(?:,|$)""",
    re.VERBOSE,
)
_BARE = re.compile(r"[^\s,()\"=\\]+")
_KINDS: Mapping[type, str] = {bool: "true or false", int: "a whole number", float: "a number", str: "a text"}
_TRUTH = {"true": True, "false": False}


class Parameter(NamedTuple):
    """A named parameter of a metric."""

    name: str
    kind: type[Value]  # decides how its text is read
    default: Value
    doc: str  # what it changes, in one sentence
    check: Callable[[Value], str] = lambda _: ""  # returns what was expected of a value that is not taken, else ""
    aliases: tuple[str, ...] = ()  # other names in specs, e.g. that of an official scorer; never written


class Spec(NamedTuple):
    """A metric's name and the parameters that differ from their defaults; ``parse(str(spec)) == spec``."""

    name: str
    parameters: tuple[tuple[str, Value], ...] = ()

    def __str__(self) -> str:
        inside = ",".join(f"{key}={write_value(value)}" for key, value in self.parameters)
        return f"{self.name}({inside})" if inside else self.name


def split_spec(text: str) -> tuple[str, dict[str, str]]:
    """A spec's name and the raw text of its parameters; what is no ``name(key=value,...)`` is a ``UsageError``."""
    match = _SPEC.fullmatch(text)
    if not match:
        raise _bad_spec(text)
    name, inside = match.group(1), match.group(2) or ""
    raw: dict[str, str] = {}
    at = 0
    while inside[at:].strip():
        item = _PARAMETER.match(inside, at)
        if not item or item.group("key") in raw:
            raise _bad_spec(text)
        quoted = item.group("quoted")
        raw[item.group("key")] = re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else item.group("bare")
        at = item.end()
    return name, raw


def read_parameters(metric: str, declared: Sequence[Parameter], raw: Mapping[str, str]) -> dict[str, Value]:
    """Turn raw parameter texts into typed values, defaults filled in."""
    known = {name: p.name for p in declared for name in (p.name, *p.aliases)}
    texts: dict[str, str] = {}
    for key, text in raw.items():
        if key not in known:
            message = f"'{metric}' has no parameter '{key}'"
            raise UsageError(Problem("unknown-parameter", message, fix=nearest(key, known)))
        if known[key] in texts:
            message = f"{metric} is given {known[key]} under two names"
            raise UsageError(Problem("bad-spec", message, expected="each parameter once"))
        texts[known[key]] = text
    read = {p.name: check_value(metric, p, _read_value(metric, p, texts[p.name])) for p in declared if p.name in texts}
    return {p.name: read.get(p.name, p.default) for p in declared}


def check_value(metric: str, parameter: Parameter, value: Value) -> Value:
    """The value, if it is taken; a whole number where a number is wanted becomes one."""
    if parameter.kind is float and type(value) is int:
        value = float(value)
    is_kind = isinstance(value, parameter.kind) and isinstance(value, bool) == (parameter.kind is bool)
    expected = parameter.check(value) if is_kind else _KINDS[parameter.kind]
    if expected:
        raise _bad_value(metric, parameter, str(value), expected)
    return value


def make_spec(name: str, declared: Sequence[Parameter], values: Mapping[str, Value]) -> Spec:
    """The short form: parameters in declared order, defaults omitted."""
    return Spec(name, tuple((p.name, values[p.name]) for p in declared if values[p.name] != p.default))


def _read_value(metric: str, parameter: Parameter, text: str) -> Value:
    if parameter.kind is str:
        return text
    try:
        return _TRUTH[text.lower()] if parameter.kind is bool else parameter.kind(text)
    except (KeyError, ValueError):
        raise _bad_value(metric, parameter, text, _KINDS[parameter.kind]) from None


def write_value(value: Value) -> str:
    """A value as a spec has it; a number in as few digits as give the same number again."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return value if _BARE.fullmatch(value) else '"' + value.replace("\\", "\\\\").replace('"', '\\"') + '"'
    return f"{value:g}" if isinstance(value, float) and float(f"{value:g}") == value else repr(value)


def _bad_spec(text: str) -> UsageError:
    expected = "name or name(key=value,...), each key once"
    return UsageError(Problem("bad-spec", f"cannot read '{text}'", expected=expected))


def _bad_value(metric: str, parameter: Parameter, text: str, expected: str) -> UsageError:
    return UsageError(Problem("bad-parameter", f"{metric}: {parameter.name} must be {expected}, got {text}"))


MAX_BETA = 1000
"""Larger weights make F the recall to the last digit, and beta squared overflow in the end."""


def beta_parameter(default: float) -> Parameter:
    """The weight of recall in F."""
    expected = f"a number above 0, at most {MAX_BETA}"

    def check(value: Value) -> str:
        return "" if isinstance(value, float) and 0 < value <= MAX_BETA else expected

    return Parameter("beta", float, default, "Weight of recall against precision in F.", check)


def word_parameter(name: str, doc: str, *words: str) -> Parameter:
    """A parameter that is one of some words, by default the first."""
    return Parameter(name, str, words[0], doc, lambda value: "" if value in words else " or ".join(words))


def unchanged_parameter(doc: str, *aliases: str) -> Parameter:
    """How many unchanged words an edit may span."""

    def check(value: Value) -> str:
        return "" if isinstance(value, int) and 0 <= value <= 100 else "a whole number from 0 to 100"

    return Parameter("max_unchanged", int, 2, doc, check, aliases)
