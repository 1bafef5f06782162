"""Arguments of the public functions: those that several of them take, and the check that each has its type.

A parameter ``**shared: Unpack[Drawing]`` stands for the keys of a TypedDict, each of which is annotated with its type
and ``ArgumentDoc``: default and description. ``public`` spells them out in the signature and the docstring.
"""

from __future__ import annotations

import inspect
import os
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence, Sized
from collections.abc import Set as AbstractSet
from dataclasses import replace
from functools import cache, wraps
from itertools import islice
from math import isfinite
from numbers import Integral, Real
from os import PathLike
from pathlib import Path
from textwrap import fill
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    Literal,
    NamedTuple,
    ParamSpec,
    TypedDict,
    TypeVar,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
)

from errorbar.api.in_memory import DataFrameLike, plain_data, right_call, series_name, take_sentences
from errorbar.core.estimate import REPLICATES, Method
from errorbar.core.problems import Problem, UsageError, nearest, shorten_text
from errorbar.core.spec import split_spec
from errorbar.formats.look import looking
from errorbar.formats.reference import Unmarked
from errorbar.metrics.base import Metric, Reads
from errorbar.metrics.registry import parse_metrics

if TYPE_CHECKING:
    from errorbar.stats.resampling import Resampling

P = ParamSpec("P")
R = TypeVar("R")
Progress = Callable[[int], object]
MANY = 1000
"""From so many elements of a list on, one of each type is looked at."""
WIDTH = 112


class ArgumentDoc(NamedTuple):
    """The description of an argument that several functions share."""

    default: object
    text: str


class Bounds(NamedTuple):
    """The numbers that an argument takes; ``excluded``: ``low``, ``high`` or both."""

    low: float | None = None
    high: float | None = None
    excluded: str = ""

    def __str__(self) -> str:
        low, high = (str(end) if end is None or end % 1 else f"{end:,.0f}" for end in (self.low, self.high))
        if self.low is not None and self.high is not None and not self.excluded:
            return f"from {low} to {high}"
        lowest = "" if self.low is None else f"{'above' if 'low' in self.excluded else 'at least'} {low}"
        highest = "" if self.high is None else f"{'below' if 'high' in self.excluded else 'at most'} {high}"
        return " and ".join(filter(None, (lowest, highest)))

    def has(self, number: Any) -> bool:  # noqa: ANN401 - of numpy, too
        """Whether a number is within; neither NaN nor infinity ever is."""
        above = self.low is None or (number > self.low if "low" in self.excluded else number >= self.low)
        below = self.high is None or (number < self.high if "high" in self.excluded else number <= self.high)
        return bool(above and below and isfinite(number))


Count = Annotated[int, Bounds(1)]
Whole = Annotated[int, Bounds(0)]
Port = Annotated[int, Bounds(0, 65535)]
Positive = Annotated[float, Bounds(0, None, "low")]
NotNegative = Annotated[float, Bounds(0)]
Confidence = Annotated[float, Bounds(0.5, 1, "high")]
Share = Annotated[float, Bounds(0, 1, "low high")]
HalfWidth = Annotated[float, Bounds(0, 1, "low")]


class Useless(NamedTuple):
    """A rule: of some arguments nothing would come ``when`` the others are what they are, so that they are refused.

    The reason, ``why``, may name arguments in braces.
    """

    names: str
    why: str
    when: Callable[[Mapping[str, Any]], bool]
    fix: str = "leave it out"

    def refuse(self, arguments: Mapping[str, Any], given: Container[str]) -> None:
        """Raise ``UsageError`` if one of the arguments was given all the same."""
        for name in self.names.split() if self.when(arguments) else ():
            if name in given:
                message = f"--{name.replace('_', '-')} {self.why.format(**arguments)}"
                raise UsageError(Problem("useless-option", message, fix=self.fix))


Metrics = Metric | str | Sequence[Metric | str] | None
SentenceMetric = Annotated[
    Metric | str | None,
    ArgumentDoc(None, "What is computed, e.g. ``m2(beta=1)`` (short: ``beta`` 1). None: m2; tokens of labels."),
]
Beta = Annotated[
    Positive | None,
    ArgumentDoc(
        None, "Weight recall B times as much as precision in F; short for the metric's parameter, as in ``m2(beta=1)``."
    ),
]


def refuse_without_intervals(names: str = "ci_method resamples confidence seed") -> Useless:
    """Make the rule on what is about intervals alone."""
    why = "is about intervals, and --no-ci asks for none"
    return Useless(names, why, lambda arguments: arguments["ci"] is False)


CLOSED = Useless(
    "resamples seed",
    "is about random draws, and --ci-method=closed makes none",
    lambda arguments: arguments["ci"] is not False and arguments["ci_method"] == "closed",
)

Lenient = Annotated[
    bool,
    ArgumentDoc(False, "Repair faults of the input where that is possible and report each repair, or stop at them."),
]
UnmarkedRule = Annotated[
    Unmarked,
    ArgumentDoc(
        "auto", "Who looked at sentences without any A line; ``everywhere``: everybody looked at every sentence."
    ),
]


class Resampled(TypedDict, total=False):
    """How intervals are made, where there always are some."""

    resamples: Annotated[Count, ArgumentDoc(REPLICATES, "Number of resamples that intervals rest on.")]
    confidence: Annotated[Confidence, ArgumentDoc(0.95, "Confidence level of intervals, a fraction.")]
    seed: Annotated[Whole, ArgumentDoc(0, "Seed of everything random.")]


class Drawing(Resampled, total=False):
    """How intervals are made."""

    ci: Annotated[
        bool | None,
        ArgumentDoc(
            None, "Compute confidence intervals, or leave them out. None: computed up to 20,000 sentences or items."
        ),
    ]


class Working(Drawing, total=False):
    """How intervals are made, by how many."""

    jobs: Annotated[Count, ArgumentDoc(1, "Number of processes to use; no digit depends on it.")]


def resampling(given: Resampled, method: Method = "percentile", jobs: int = 1) -> Resampling:
    """The resampling that the arguments ask for."""
    from errorbar.stats.resampling import Resampling  # noqa: PLC0415 - not every command makes intervals

    return Resampling(method, given["resamples"], given["confidence"], given["seed"], jobs)


def metrics_of(metric: Metrics, beta: float | None, reads: Reads) -> list[Metric]:
    """The metrics with the weight of recall, or the default for such input."""
    metrics = parse_metrics(metric, reads)
    if beta is None:
        return metrics
    requested = metric if isinstance(metric, list | tuple) else [metric]
    for one, each in zip(requested, metrics, strict=False):
        if "beta" not in {parameter.name for parameter in type(each).parameters}:
            message = f"--beta is for metrics that have an F, and {each.name} has no parameter 'beta'"
            raise UsageError(Problem("useless-option", message, fix="leave it out"))
        spec = one if isinstance(one, str) else str(each.spec)
        if "beta" in split_spec(spec)[1]:
            message = f"--beta={beta:g} and the metric {spec} both say what beta is"
            raise UsageError(Problem("two-choices", message, fix="give one of them"))
    return [replace(cast("Any", each), beta=beta) for each in metrics]


def sentence_metric(metric: Metrics, beta: float | None, command: str) -> Metric:
    """The one metric of a command that knows sentences alone; None: the default for them."""
    if metric is not None and parse_metrics(metric)[0].reads == "fragments":
        message = f"{command} needs sentences, and the metric scores fragments of HOO data"
        fix = (
            "errorbar score and errorbar report give the runs' scores with intervals; errorbar convert --to m2 makes M2"
        )
        raise UsageError(Problem("metric-input", message, fix=fix))
    return metrics_of(metric, beta, "sentences")[0].resampled


def part(kind: Any, given: Mapping[str, Any]) -> dict[str, Any]:  # noqa: ANN401 - a TypedDict is no type of its own
    """Those of the arguments that a TypedDict has."""
    return {name: given[name] for name in get_type_hints(kind) if name in given}


MOST_NUMBER = 2**63
"""Whole numbers from here on are no machine integers."""


def public(*useless: Useless, **defaults: object) -> Callable[[Callable[P, R]], Callable[P, R]]:
    """Make a function one of errorbar's: it refuses what is no argument, or none of its type, by an error of errorbar.

    Args:
        useless: Which arguments are refused beside which others, here and on the command line.
        defaults: Of shared arguments, where they are others than usual.
    """

    def decorate(function: Callable[P, R]) -> Callable[P, R]:
        signature, hints, texts, bounds = _spelled_out(function, defaults)
        paths = {name for name, hint in hints.items() if _is_path(hint)}

        @wraps(function)
        @looking()
        def entered(*args: P.args, **kwargs: P.kwargs) -> R:
            bound = _bound(function.__name__, signature, args, kwargs)
            named = {name: own for name, value in bound.arguments.items() if (own := series_name(value))}
            values = {name: plain_data(value, name) for name, value in bound.arguments.items()}
            if "gold" in signature.parameters and not {"source", "system"}.isdisjoint(signature.parameters):
                take_sentences(function.__name__, signature.parameters, values, named, len(args))
            bound.arguments = values
            for name, value in bound.arguments.items():
                if not fits(value, hints[name]):
                    raise _misfit(function.__name__, name, value, hints[name])
                if name in paths:
                    _refuse_impossible(name, value)
                if isinstance(value, int) and name != "seed" and abs(value) >= MOST_NUMBER:
                    message = f"{name} must be a number below 2^63, got one of {len(str(abs(value)))} digits"
                    raise UsageError(Problem("number-too-large", message))
                if name in bounds and name != "confidence":  # below
                    _refuse_outside(name, value, bounds[name])
                if isinstance(value, Iterator) and get_origin(hints[name]) in (Union, UnionType):
                    bound.arguments[name] = list(value)  # which of several forms it has is looked at more than once
            bound.apply_defaults()
            level = bound.arguments.get("confidence", 0.5)
            if not (level >= 0.5 and (1 + level) / 2 < 1):  # the upper end has a quantile too
                message = f"confidence must be a fraction from 0.5 to below 1, got {level}"
                raise UsageError(Problem("confidence-level", message, fix="95 % is 0.95"))
            changed = {
                name for name, value in values.items() if not _is_usual(value, signature.parameters[name].default)
            }
            for rule in useless:
                rule.refuse(bound.arguments, changed)
            return function(*bound.args, **bound.kwargs)

        entered.useless = useless  # type: ignore[attr-defined]  # functions may have attributes
        entered.__signature__ = signature  # type: ignore[attr-defined]  # functions may have one
        entered.__doc__ = _describe_arguments(inspect.getdoc(function) or "", signature, texts)
        return entered

    return decorate


def _is_usual(value: object, default: object) -> bool:
    return value is default or (type(value) is type(default) and value == default)


def _spelled_out(
    function: Callable[..., object], defaults: Mapping[str, object]
) -> tuple[inspect.Signature, dict[str, Any], dict[str, str], dict[str, Bounds]]:
    """The signature with shared arguments; type and description of each argument, and the numbers that it takes."""
    own = inspect.signature(function)
    hints, texts, _, bounds = map(dict, _read_hints(function))
    parameters = []
    for each in own.parameters.values():
        if each.kind is not each.VAR_KEYWORD:
            parameters.append(each)
            continue
        (shared,) = get_args(hints.pop(each.name))
        shared_hints, shared_texts, usual, shared_bounds = _read_hints(shared)
        hints |= shared_hints
        texts |= shared_texts
        bounds |= shared_bounds
        for name, hint in shared_hints.items():
            default = defaults.get(name, usual[name])
            parameters.append(inspect.Parameter(name, each.KEYWORD_ONLY, default=default, annotation=hint))
    return own.replace(parameters=parameters), hints, texts, bounds


def _find_bounds(hint: Any) -> Bounds | None:  # noqa: ANN401 - a type hint
    own = [extra for extra in getattr(hint, "__metadata__", ()) if isinstance(extra, Bounds)]
    return next(filter(None, (*own, *map(_find_bounds, get_args(hint)))), None)


def _is_path(hint: Any) -> bool:  # noqa: ANN401 - a type hint
    """Whether an argument is one path, or none, and nothing else."""
    parts = get_args(hint)
    return any(part in _PATHS for part in parts) and all(part in (str, NoneType, *_PATHS) for part in parts)


def _refuse_impossible(name: str, path: object) -> None:
    """Refuse a path that no file can have, whether it is read or written."""
    try:
        encoded = os.fsencode(path) if isinstance(path, str | PathLike) else b""
    except UnicodeEncodeError:
        encoded = b"\0"
    if b"\0" in encoded or any(len(part) > LONGEST_NAME for part in encoded.split(os.sep.encode())):
        message = f"{name}: no file has such a name: {shorten_text(str(path))!r}"
        raise UsageError(Problem("cannot-open", message, expected="a path, without character 0 and not too long"))


def _refuse_outside(name: str, value: object, bounds: Bounds) -> None:
    """Refuse numbers that an argument does not take."""
    for number in value if isinstance(value, Iterable) and not isinstance(value, str) else [value]:
        if isinstance(number, Real) and not bounds.has(number):
            code = {"resamples": "replicates", "jobs": "jobs", "seed": "seed"}.get(name, "bad-parameter")
            raise UsageError(Problem(code, f"{name} must be {bounds}, got {number}"))


def _without_extras(hint: Any) -> Any:  # noqa: ANN401 - a type hint
    kind, parts = get_origin(hint), get_args(hint)
    if kind is Annotated:
        return _without_extras(parts[0])
    if kind in (None, Literal, Callable):
        return hint
    inner = tuple(map(_without_extras, parts))
    if inner == parts:
        return hint
    return Union[inner] if kind in (Union, UnionType) else kind[inner]  # noqa: UP007 - of parts known at run time


@cache
def _read_hints(annotated: Any) -> tuple[dict[str, Any], dict[str, str], dict[str, object], dict[str, Bounds]]:  # noqa: ANN401
    """The types, descriptions, defaults and bounds in the annotations of a function or of a TypedDict, by argument."""
    hints: dict[str, Any] = {}
    docs: dict[str, ArgumentDoc] = {}
    bounds: dict[str, Bounds] = {}
    for name, hint in get_type_hints(annotated, include_extras=True).items():
        hints[name] = _without_extras(hint)
        if found := _find_bounds(hint):
            bounds[name] = found
        for extra in getattr(hint, "__metadata__", ()):
            if isinstance(extra, ArgumentDoc):
                docs[name] = extra
    texts, defaults = ({name: getattr(doc, part) for name, doc in docs.items()} for part in ("text", "default"))
    return hints, texts, defaults, bounds


def _describe_arguments(doc: str, signature: inspect.Signature, texts: Mapping[str, str]) -> str:
    """The docstring with shared arguments among the others, in the order of the signature; its own words win."""
    head, args, below = doc.partition("\nArgs:\n")
    own, blank, tail = below.partition("\n\n")
    entries: dict[str, str] = {}
    name = ""
    for line in own.splitlines():
        name = name if line.startswith(" " * 5) else line.strip().partition(":")[0]
        entries[name] = f"{entries[name]}\n{line}" if name in entries else line
    lines = [
        entries.get(name) or fill(f"    {name}: {texts.get(name, '')}", WIDTH, subsequent_indent=" " * 8)
        for name in signature.parameters
    ]
    return "".join((head, args, "\n".join(lines), blank, tail)) if args else doc


def _bound(
    function: str, signature: inspect.Signature, args: Sequence[object], kwargs: Mapping[str, Any]
) -> inspect.BoundArguments:
    """The arguments by name."""
    known, named = signature.parameters, dict(kwargs)
    by_name = {"gold", "reference_of"} & named.keys() and "systems" not in named
    if len(args) == 1 and by_name and [*known][:2] == ["gold", "systems"]:
        named, args = {"systems": args[0], **named}, ()  # the reference has its name, so that this is what it judges
    in_memory = not all(isinstance(value, str | PathLike) for value in (*args, *named.values()))
    for name in kwargs:
        if name not in known:
            near = nearest(name, known)
            fix = near if near.startswith("did") or not in_memory else right_call(function, known)
            raise UsageError(Problem("no-argument", f"{function} has no argument '{name}'", fix=fix))
    try:
        return signature.bind(*args, **named)
    except TypeError as error:
        fix = right_call(function, known) if in_memory else ""
        raise UsageError(Problem("no-argument", f"{function}: {error}", fix=fix)) from None


def _misfit(function: str, name: str, value: object, hint: Any) -> UsageError:  # noqa: ANN401 - a type hint
    choices = [each for kind in (hint, *get_args(hint)) if get_origin(kind) is Literal for each in get_args(kind)]
    message = f"{name} must be {describe_type(hint)}, got {describe_value(value)}"
    if not choices or not isinstance(value, str):
        table = name == "judgments" and DataFrameLike in get_args(hint) and isinstance(value, list | tuple)
        fix = right_call(function, [name]) if table else ""
        return UsageError(Problem("wrong-type", message, fix=fix))
    near = nearest(value, choices)
    return UsageError(Problem("bad-parameter", message, fix="" if near.startswith("known") else near))


def fits(value: object, hint: Any) -> bool:  # noqa: ANN401, PLR0911 - a type hint
    """Whether a value is of a type: a whole number does for a number, and any sequence but a text for a list."""
    kind, parts = get_origin(hint), get_args(hint)
    if kind in (Union, UnionType):
        return any(fits(value, each) for each in parts)
    if kind is Literal:
        return isinstance(value, str) and value in parts
    if kind is Mapping:
        return isinstance(value, Mapping) and all(
            fits(each, inner)
            for inner, side in zip(parts, (value, value.values()), strict=True)
            for each in _some(side)
        )
    if kind in (Sequence, Iterable):
        if isinstance(value, str | bytes | Mapping) or not isinstance(value, Iterable):
            return False
        if not isinstance(value, Sized):  # to look at it would use it up
            return kind is Iterable
        if isinstance(value, AbstractSet) and parts[0] in (object, int, float):  # values by place
            return False
        return all(fits(each, parts[0]) for each in _some(value))
    if hint in (int, float):
        return isinstance(value, Integral if hint is int else Real) and not isinstance(value, bool)
    if hint is bool:
        return type(value).__name__ in ("bool", "bool_")  # numpy's too
    is_instance: bool = isinstance(value, kind or hint)
    return is_instance


def _some(values: Iterable[object]) -> Iterable[object]:
    if isinstance(values, range):  # may be longer than anybody should look
        return values[:1]
    many = isinstance(values, Sized) and len(values) > MANY
    return {type(each): each for each in values}.values() if many else values


_WORDS = {
    DataFrameLike: "a data frame",
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "True or False",
    NoneType: "None",
}
_PATHS = (PathLike[str], Path)
LONGEST_NAME = 255
"""Bytes of the name of a file, or of a folder, on every usual file system."""
_SEVERAL = {
    object: "values",
    DataFrameLike: "data frames",
    str: "texts",
    int: "whole numbers",
    float: "numbers",
    bool: "truth values",
    NoneType: "None",
}


def describe_type(hint: Any, *, several: bool = False) -> str:  # noqa: ANN401, PLR0911 - a type hint
    """The name of a type in messages."""
    kind, parts = get_origin(hint), get_args(hint)
    if kind in (Union, UnionType):
        paths = str in parts and any(each in parts for each in _PATHS)
        words = ["paths" if several else "a path"] if paths else []
        words += [describe_type(each, several=several) for each in parts if not paths or each not in (str, *_PATHS)]
        alone = bool in parts or any(get_origin(each) is Literal for each in parts)
        return _either([word for text in words for word in text.split(" or ")] if alone and not several else words)
    if kind is Literal:
        return "them" if several else f"one of {_either(parts)}" if len(parts) > 1 else repr(parts[0])
    if kind is Mapping:
        inner = " to ".join(describe_type(each, several=True) for each in parts)
        return f"mappings of {inner}" if several else f"a mapping of {inner}"
    if kind in (Sequence, Iterable):
        return f"{'lists' if several else 'a list'} of {describe_type(parts[0], several=True)}"
    words_of = _SEVERAL if several else _WORDS
    if hint in words_of:
        return words_of[hint]
    name = "function" if kind is Callable else (kind or hint).__name__
    if several or (name.endswith("s") and name[-2] not in "ui"):
        return f"{name} objects" if several else name
    return f"{'an' if name[0] in 'AEIOaeio' else 'a'} {name}"


def _either(words: Sequence[str]) -> str:
    once = list(dict.fromkeys(words))
    return " or ".join(filter(None, (", ".join(once[:-1]), once[-1])))


def describe_value(value: object) -> str:
    """The name in messages of a value that does not fit."""
    if value is None or isinstance(value, str | bytes | int | float):
        return shorten_text(repr(value))
    inner = value.values() if isinstance(value, Mapping) else value
    if not isinstance(inner, Sized) or not isinstance(inner, Iterable):
        return type(value).__name__
    kinds = {type(each).__name__: each for each in inner}
    names = [
        describe_value(each) if isinstance(each, Sized) and not isinstance(each, str) else name
        for name, each in kinds.items()
    ]
    return f"{type(value).__name__}{' of ' * bool(names)}{' and '.join(islice(names, 3))}"
