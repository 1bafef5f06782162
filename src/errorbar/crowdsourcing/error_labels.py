"""Which labels mean "this is an error": named one by one, or by a rule about numbers such as ``<4``."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Callable, Sequence

from errorbar.core.corpus import ContentHash
from errorbar.core.errors import Problem, UsageError, nearest
from errorbar.core.labels import as_number, named

USUAL = "error"
_RULE = re.compile(r"\s*(<=|>=|<|>)\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*")
_COMPARE: dict[str, Callable[[float, float], bool]] = {
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
_LONGEST_SIGNED = 60
_SIGNED_AS_IT_IS = re.compile(r"[^+|#]+")
"""A name that cannot be taken for two names, for another part of a signature or for a hash."""


def error_codes(labels: Sequence[str], wanted: str | Sequence[str] = ()) -> list[int]:
    """Codes of the labels that mean an error, ascending.

    Args:
        labels: The labels there are.
        wanted: Labels, in any case, or rules (``<4``, ``<=3``, ``>1``, ``>=2``) that numbers satisfy; none: ``error``.

    Raises:
        UsageError: If there is no such label, or a rule meets a label that is no number.
    """
    texts = (wanted,) if isinstance(wanted, str) else tuple(wanted)
    found: set[int] = set()
    for text in texts or (USUAL,):
        codes = _called(text, labels)
        if not codes and _RULE.fullmatch(text):
            known = set(labels_of_rule(text, labels))
            codes = [code for code, label in enumerate(labels) if label in known]
            if not codes:
                what, fix = f"no label is {text}", f"known: {named(labels)}"
                raise UsageError(Problem("crowd-error-label", what, fix=fix))
        elif len(codes) != 1:
            raise UsageError(_no_label(text, labels))
        found.update(codes)
    return sorted(found)


def labels_of_rule(text: str, labels: Sequence[str], *, numbers_only: bool = True) -> tuple[str, ...]:
    """The labels that satisfy a rule; the text itself where it is no rule, or is one of the labels.

    Args:
        text: A label or a rule.
        labels: The labels there are.
        numbers_only: Refuse labels that are no numbers; else pass them over.

    Raises:
        UsageError: If a rule meets a label that is no number.
    """
    rule = _RULE.fullmatch(text)
    if rule is None or text in labels:
        return (text,)
    bound = as_number(rule[2])
    numbers = {label: as_number(label) for label in labels}
    strange = [label for label, number in numbers.items() if number != number]  # noqa: PLR0124 - NaN is no number
    if bound != bound or (strange and numbers_only):  # noqa: PLR0124 - as above
        what = f"the rule {text} is about numbers, and '{named(strange[:1]) or rule[2]}' is none"
        fix = "name the labels one by one, or say which mean 'cannot say' (--unknown=LABEL)"
        raise UsageError(Problem("crowd-error-label", what, fix=fix))
    compare = _COMPARE[rule[1]]
    return tuple(label for label, number in numbers.items() if compare(number, bound))


def error_convention(labels: Sequence[str], codes: Sequence[int]) -> tuple[str, ...]:
    """What a signature says of the labels that mean an error; nothing where no option would choose the same.

    Two choices never say the same: names that are long together, or that hold a character which tells parts of a
    signature apart, are signed by the hash of their list.
    """
    if list(codes) == _called(USUAL, labels) and len(codes) == 1:
        return ()
    names = [labels[code] for code in codes]
    said = "+".join(names)
    if len(said) <= _LONGEST_SIGNED and all(map(_SIGNED_AS_IT_IS.fullmatch, names)):
        return (f"error:{said}",)
    content = ContentHash()
    content.add([json.dumps(names)])
    return (f"error:#{content.short()}",)


def _called(text: str, labels: Sequence[str]) -> list[int]:
    """Codes of the labels of a name: of the one spelled so, else of those spelled so but for case."""
    codes = [code for code, label in enumerate(labels) if label == text]
    return codes or [code for code, label in enumerate(labels) if label.lower() == text.lower()]


def _no_label(wanted: str, labels: Sequence[str]) -> Problem:
    fix = f"name the label that means an error: --error=LABEL; {nearest(wanted, labels[:50])}"
    if len(labels) == 1:
        fix = f"name it with --error=LABEL, or where nothing was called an error: --labels='{labels[0]},{wanted}'"
    return Problem("crowd-error-label", f"no label is called '{wanted}'", fix=fix)
