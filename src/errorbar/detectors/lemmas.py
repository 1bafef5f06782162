"""Lemmas of tagged words: endings cut by a few rules, and a treebank's exceptions to them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from errorbar.detectors.treebank import Treebank

# By Penn tag: endings, and what stands in their place; the first that fits.
_PLURAL = (
    ("sses", "ss"),
    ("shes", "sh"),
    ("ches", "ch"),
    ("xes", "x"),
    ("ies", "y"),
    ("ss", "ss"),
    ("us", "us"),
    ("s", ""),
)
_PAST = (("ied", "y"), ("eed", "ee"), ("ed", ""))
_ING = (("ying", "y"), ("ing", ""))
RULES = {"NNS": _PLURAL, "NNPS": _PLURAL, "VBZ": _PLURAL, "VBD": _PAST, "VBN": _PAST, "VBG": _ING}
_ARRAYS = ("lemma_forms", "lemma_tags", "lemmas")
_DOUBLED = frozenset("bdgmnprt")
_SHORTEST = 2  # letters of a stem
_LONGEST = 100  # letters of a word that is an exception: a model file has as much room for each as the longest needs
_VOWELS = frozenset("aeiouy")


def lemma_by_rule(form: str, tag: str) -> str:
    """The lemma that the rules give a form in lower case."""
    for ending, instead in RULES.get(tag, ()):
        stem = form[: len(form) - len(ending)]
        if form.endswith(ending) and len(stem) >= _SHORTEST and _VOWELS & set(stem + instead):
            cut = tag in ("VBD", "VBN", "VBG") and not instead
            return _verb(stem) if cut else stem + instead
    return form


def _verb(stem: str) -> str:
    """The verb of a stem without -ed or -ing: one letter of two taken, or an e put back."""
    if stem[-1] == stem[-2] and stem[-1] in _DOUBLED:
        return stem[:-1]
    ends = (stem[-1] in "cgsuvz" and stem[-2:] not in ("ss", "zz", "ng")) or stem[-2:] in (
        "at",
        "ut",
        "bl",
        "pl",
        "tl",
        "dl",
    )
    return stem + "e" if ends else stem


def learn_lemmas(bank: Treebank) -> Lemmas:
    """Take the most frequent lemma of every form and tag of a treebank where the rules give another."""
    seen: dict[tuple[str, str], Counter[str]] = {}
    for forms, tags, lemmas in zip(bank.forms, bank.tags, bank.lemmas, strict=True):
        for form, tag, lemma in zip(forms, tags, lemmas, strict=True):
            if tag in RULES and max(len(form), len(lemma)) <= _LONGEST:
                seen.setdefault((form.lower(), tag), Counter())[lemma.lower()] += 1
    best = {key: min(found, key=lambda lemma: (-found[lemma], lemma)) for key, found in seen.items()}
    return Lemmas({key: lemma for key, lemma in best.items() if lemma_by_rule(*key) != lemma})


@dataclass(frozen=True, slots=True)
class Lemmas:
    """Rules and exceptions.

    Attributes:
        exceptions: The lemma of a form in lower case and its tag.
    """

    exceptions: Mapping[tuple[str, str], str]

    def lemma(self, form: str, tag: str) -> str:
        """The lemma of a form with a Penn tag, in lower case; a form the rules do not speak of is its own."""
        form = form.lower()
        return self.exceptions.get((form, tag)) or lemma_by_rule(form, tag)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """What a model file holds: three parallel columns of words."""
        columns = [(form, tag, lemma) for (form, tag), lemma in sorted(self.exceptions.items())]
        return {name: np.array([row[at] for row in columns], "U") for at, name in enumerate(_ARRAYS)}

    @classmethod
    def of_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> Lemmas:
        """The lemmas of a model file."""
        forms, tags, lemmas = (arrays[name].tolist() for name in _ARRAYS)
        return cls(dict(zip(zip(forms, tags, strict=True), lemmas, strict=True)))
