"""The correctors and detectors of installed packages: entry points ``errorbar.correctors`` and ``errorbar.detectors``.

A corrector is a function that takes sentences, each a list of tokens, and gives a corrected line for each. A detector
takes the same and gives ``WordFlag`` values, in any order. Those with models and parameters, as our own, are
``TrainedSystem`` values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, NamedTuple, TypeVar, cast

from errorbar.core.entry_points import find_registered
from errorbar.core.problems import ErrorbarError, InputError, Place, Problem, Problems, UsageError, nearest
from errorbar.core.spec import split_spec

Item = TypeVar("Item")
SystemKind = Literal["corrector", "detector"]
UNKNOWN: Mapping[SystemKind, str] = {"corrector": "unknown-corrector", "detector": "unknown-detector"}
Tokens = Sequence[Sequence[str]]


class WordFlag(NamedTuple):
    """The judgment of a detector on one token.

    Attributes:
        sentence: The number of its sentence, from 0.
        token: The number of the token, from 0.
        flag: Whether the detector calls it an error.
        score: The higher, the surer it is that this is an error.
        suggestion: What to write instead; empty: nothing.
    """

    sentence: int
    token: int
    flag: bool
    score: float
    suggestion: str = ""


Correct = Callable[[Tokens], Iterable[str]]
Detect = Callable[[Tokens], Iterable[WordFlag]]


@dataclass(frozen=True, slots=True)
class TrainedSystem:
    """A corrector or a detector that reads parameters and a folder of models, whose output depends on nothing else.

    Attributes:
        check: Raises ``UsageError`` for a spec that it does not take.
        fingerprint: The folder of models that is used where one is named, or none, and a hash of the models in it.
        write: Writes the output for a text, a spec and a folder of models to a file: lines, or a table of judgments.
        code: Folder of this package with the code that the output depends on.
        warn: Notes to the problems if it learned from the labels of a text, given its sentences, a place, a spec and a
            folder of models.
    """

    check: Callable[[str], object]
    fingerprint: Callable[[Path | None], tuple[Path, str]]
    write: Callable[[Path, Path, str, Path], None]
    code: str
    warn: Callable[[Tokens, Place, str, Path, Problems], None]


def find_system(kind: SystemKind, spec: str) -> TrainedSystem | Correct | Detect:
    """The corrector or detector of a spec.

    Raises:
        UsageError: If no package registers it, or it does not take the parameters.
        InputError: If its package cannot be loaded.
    """
    known = find_registered(f"errorbar.{kind}s")
    name, parameters = (spec, None) if spec in known else split_spec(spec)
    if name not in known:
        fix = nearest(name, [*known]) if known else f"install a package that registers one in errorbar.{kind}s"
        raise UsageError(Problem(UNKNOWN[kind], f"no {kind} is called '{name}'", fix=fix))
    system = known[name].load()
    if isinstance(system, TrainedSystem):
        system.check(spec)
    elif parameters:
        message = f"the {kind} {name} takes no parameters, got {spec}"
        raise UsageError(Problem("bad-parameter", message, fix=f"name it alone: {name}"))
    return cast("TrainedSystem | Correct | Detect", system)


def correct_by(name: str, function: Correct, sentences: Tokens) -> list[str]:
    """The lines that the corrector of a package gives; refused if there is not one for each sentence."""
    lines = _run(name, function, sentences)
    check_lines(f"the corrector '{name}'", lines, len(sentences))
    outputs: list[object] = [*lines]
    if any(not isinstance(line, str) or len(line.splitlines()) > 1 for line in outputs):
        raise InputError(Problem("system-output", f"the corrector '{name}' gave something that is not one line"))
    return lines


def detect_by(name: str, function: Detect, sentences: Tokens) -> list[WordFlag]:
    """The flags that the detector of a package gives, in the order of the text; refused if one is of no token."""
    flags = sorted(_run(name, function, sentences))
    for flag in flags:
        if not (0 <= flag.sentence < len(sentences) and 0 <= flag.token < len(sentences[flag.sentence])):
            message = f"the detector '{name}' judges token {flag.token} of sentence {flag.sentence}, counted from 0"
            raise InputError(Problem("system-output", message, expected="a token of the text"))
    return flags


def check_lines(system: str, lines: Sequence[str], n_sentences: int, place: Place | None = None) -> None:
    """Refuse output that has more or fewer lines than there are sentences."""
    if len(lines) != n_sentences:
        message = f"{system} wrote {len(lines):,} lines for {n_sentences:,} sentences"
        raise InputError(Problem("system-lines", message, place or Place(), "one line for each sentence"))


def _run(name: str, function: Callable[[Tokens], Iterable[Item]], sentences: Tokens) -> list[Item]:
    try:
        return list(function(sentences))
    except ErrorbarError:
        raise
    except Exception as error:
        message = f"'{name}', of another package, failed: {type(error).__name__}: {error}"
        raise InputError(Problem("system-failed", message)) from error
