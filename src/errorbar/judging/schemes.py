"""The schemes that are shipped, and those of a user's own."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path

from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.judging.scheme import FRAME_KEYS, NOTHING, SIDES, Option, Question, Scheme, near, tokens
from errorbar.judging.scheme_answers import check_answer, folded, is_right, label_of
from errorbar.judging.scheme_files import read_scheme

__all__ = [
    "FRAME_KEYS",
    "NOTHING",
    "SIDES",
    "Option",
    "Question",
    "Scheme",
    "check_answer",
    "folded",
    "is_right",
    "label_of",
    "load_scheme",
    "near",
    "scheme_names",
    "scheme_text",
    "tokens",
]


def scheme_names() -> list[str]:
    """The schemes that are shipped."""
    return sorted(each.name.removesuffix(".toml") for each in _shipped().iterdir() if each.name.endswith(".toml"))


def load_scheme(named: str | Path) -> Scheme:
    """A scheme that is shipped, by its name, or one of a TOML file."""
    return read_scheme(_path(named))


def scheme_text(named: str | Path) -> str:
    """The TOML of a scheme, as it stands."""
    return _path(named).read_text(encoding="utf-8")


def _path(named: str | Path) -> Path:
    path = _shipped() / f"{named}.toml" if named in scheme_names() else Path(named)
    if not path.is_file():
        what = f"no scheme is called '{named}', and no file either"
        raise UsageError(Problem("judge-scheme", what, fix=nearest(named, scheme_names())))
    return path


def _shipped() -> Path:
    return Path(str(files("errorbar.judging") / "schemes"))
