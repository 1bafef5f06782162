"""The question after which a study may stop early, and whether it fits the study: its scheme, its items, its key."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Literal, Self, cast, get_args

from errorbar.api.audit_edits import GRADED, LABELS, AuditKey, ValidityRule
from errorbar.core.labels import as_number, quote_labels
from errorbar.core.problems import ErrorbarError, Problem, UsageError, nearest
from errorbar.core.spec import split_spec, write_value
from errorbar.judging.scheme import SEVERAL, JudgedItem, Scheme
from errorbar.judging.study.rules import StudyKey, names_of, parsed_key, systems_of
from errorbar.sampling import Key

# The question after which a study may stop early, as its rules have it: ``R(half_width=0.03)``.
#
# Conventions ``P``, ``R`` and ``F`` are estimated from a sample whose key the study has, ``precision`` from an
# audit's; ``share`` is the share of a label among the study's items; ``win`` the share of wins of one side of a choice
# test among the items that are no ties.


Of = Literal["P", "R", "F", "precision", "share", "win"]
Looking = Literal["anytime", "plain"]
SCORES = ("P", "R", "F")
OF_EACH = {
    **dict.fromkeys(SCORES, ("system", "error", "beta")),
    "precision": ("system", "valid"),
    "share": ("label",),
    "win": ("first", "second"),
}
"""The options that each question takes besides those that all take."""
OF_ALL = ("half_width", "threshold", "interval", "act")
EXAMPLE = "e.g. R(half_width=0.03), share(label=error,half_width=0.05), win(threshold=0.5)"


@dataclass(frozen=True, slots=True)
class StopQuestion:
    """When a study knows enough.

    Attributes:
        of: What is estimated.
        half_width: It is known once its interval is so narrow; None: ``threshold`` says when.
        threshold: It is decided once its interval does not hold this value.
        interval: ``anytime``: may be looked at always; ``plain``: of a single look.
        act: Whether the study halts by itself; else the manager is told.
        system: Of scores and precision: of which system; empty: the only one.
        error: Of scores: the label that means an error.
        beta: Of F: the weight of recall.
        valid: Of precision: by which rule edits are valid.
        label: Of share: which label.
        first: Of win: whose wins are counted; empty: the first candidate's.
        second: Against whom.
    """

    of: Of
    half_width: float | None = None
    threshold: float | None = None
    interval: Looking = "anytime"
    act: bool = False
    system: str = ""
    error: str = "error"
    beta: float = 1.0
    valid: str = "majority"
    label: str = ""
    first: str = ""
    second: str = ""

    @classmethod
    def parse(cls, text: str) -> Self:
        """Read a question; ``UsageError`` with the code ``judge-stop`` where it is none."""
        try:
            name, raw = split_spec(text)
        except UsageError:
            raise question_error(f"'{text[:60]}' is no question", EXAMPLE) from None
        if name not in get_args(Of):
            raise question_error(f"no question is called '{name}'", fix=nearest(name, get_args(Of)))
        known = (*OF_ALL, *OF_EACH[name])
        for key in raw:
            if key not in known:
                raise question_error(f"{name} has no '{key}'", fix=nearest(key, known))
        values = {key: _read_value(key, value) for key, value in raw.items()}
        return cls(cast("Of", name), **values)._checked()  # type: ignore[arg-type]  # each of its field's kind

    def _checked(self) -> Self:
        if (self.half_width is None) == (self.threshold is None):
            both = "a half-width and a threshold" if self.threshold is not None else "no half-width and no threshold"
            raise question_error(f"{self.of} has {both}", "one of half_width=0.05 and threshold=0.5")
        if self.of == "share" and not self.label:
            raise question_error("share says of no label", "share(label=error,half_width=0.05)")
        if bool(self.first) != bool(self.second):
            raise question_error("win names one side", "first=NAME,second=NAME, or neither of them")
        return self

    def __str__(self) -> str:
        """The shortest text that says the same."""
        usual, options = StopQuestion(self.of), []
        for key in (*OF_EACH[self.of], *OF_ALL):
            value = getattr(self, key)
            if value != getattr(usual, key):
                options.append(f"{key}={write_value(value)}")
        return f"{self.of}({','.join(options)})"

    def told(self) -> Self:
        """The same, for the manager to act on."""
        return replace(self, act=False)


_NUMBERS = {"half_width": 1.0, "threshold": 1.0, "beta": 10.0}
"""And below what they are."""


def _read_value(key: str, text: str) -> object:
    if key in _NUMBERS:
        number, most = as_number(text), _NUMBERS[key]
        if not 0 < number < most:
            raise question_error(f"{key} is '{text[:30]}'", f"a number above 0 and below {most:g}")
        return number
    choices = {"act": ("true", "false"), "interval": get_args(Looking)}.get(key, ())
    if choices and text not in choices:
        raise question_error(f"{key} is '{text[:30]}'", " or ".join(choices))
    return text == "true" if key == "act" else text


def question_error(message: str, expected: str = "", fix: str = "") -> UsageError:
    """Why a question cannot be asked of a study."""
    return UsageError(Problem("judge-stop", f"when to stop: {message}", expected=expected, fix=fix))


FIRST, SECOND = "first", "second"


def fitting(text: str, scheme: Scheme, items: Iterable[JudgedItem], key: str) -> str:
    """A question in its shortest text, or ``UsageError`` (``judge-stop``) where the study cannot answer it."""
    if not text.strip():
        return ""
    question = StopQuestion.parse(text)
    work = [item for item in items if item.kind == "work"]
    if question.of in (*SCORES, "precision"):
        _check_key(question, scheme, work, parsed_key(key) if key else None)
    elif question.of == "share":
        _check_label("label", question.label, scheme)
    else:
        _check_sides(question, scheme, work)
    return str(question)


def _check_key(question: StopQuestion, scheme: Scheme, work: list[JudgedItem], key: StudyKey | None) -> None:
    wanted, kind = (AuditKey, "an audit") if question.of == "precision" else (Key, "a sample")
    if not isinstance(key, wanted):
        message = f"{question.of} is estimated from {kind}, and the study has "
        raise question_error(
            message + ("no key" if key is None else "the key of another kind"), fix="--key=FILE, drawn with it"
        )
    drawn = names_of(key)
    if strangers := [item.name for item in work if item.name not in drawn]:
        raise question_error(
            f"{len(strangers):,} items were not drawn with the key, e.g. {quote_labels(strangers[:1])}"
        )
    systems = systems_of(key)
    if question.system and question.system not in systems:
        message = f"the key knows no system '{question.system}'"
        raise question_error(message, fix=nearest(question.system, systems))
    if not question.system and len(systems) > 1:
        raise question_error(
            f"the key has {len(systems)} systems", f"system={systems[0]} or another of {quote_labels(systems)}"
        )
    if question.of in SCORES:
        _check_label("error", question.error, scheme)
    else:
        try:
            ValidityRule.of(question.valid)
        except ErrorbarError as error:
            raise question_error(error.problems[0].what, error.problems[0].expected) from None
        if question.valid == GRADED:
            raise question_error(
                "shares of raters have no interval at any time", "valid=majority, any, all or a number"
            )
        if other := [label for label in scheme.labels() if label not in LABELS]:
            raise question_error(f"an audit has no label '{other[0]}'", fix="--scheme=edit-valid")


def _check_label(name: str, label: str, scheme: Scheme) -> None:
    """Raters must be able to say it, where there are labels to choose from."""
    options = scheme.question(scheme.main).options
    labels = [choice for choice, option in zip(scheme.labels(), options, strict=True) if not option.abstains]
    if labels and label not in labels:
        message = f"{name} is '{label[:30]}', which the scheme {scheme.name} has not"
        raise question_error(message, fix=nearest(label, labels))


def _check_sides(question: StopQuestion, scheme: Scheme, work: list[JudgedItem]) -> None:
    if not {FIRST, SECOND} <= {*scheme.labels()}:
        raise question_error(f"the scheme {scheme.name} has no winner", fix="--scheme=choice")
    pairs = {tuple(tuple(name.split(SEVERAL)) for name in item.names) for item in work}
    names = sorted({name for pair in pairs for side in pair for name in side})
    if not question.first:
        if len(pairs) > 1:
            raise question_error(
                f"the candidates are of {quote_labels(names)}", "win(first=NAME,second=NAME,...) of two of them"
            )
        return
    for name in (question.first, question.second):
        if name not in names:
            raise question_error(f"no candidate is of '{name[:30]}'", fix=nearest(name, names))
    if question.first == question.second:
        raise question_error("both sides are the same")
