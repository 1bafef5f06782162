"""The languages of raters' pages: what the pages say, by its English; for scripts see ``web/static/phrases.js``.

A phrase has names in braces where values go. Behind a name there may be the forms for its plurals, as in
``{n} {n|answer is|answers are} kept``: one for each category of the language (Unicode CLDR, "Language Plural Rules").
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, get_args

from errorbar.judging.study.rules import PageTongue, StudyRules

CATALOGUES = Path(__file__).parent / "languages"
_PLACE = re.compile(r"\{(\w+)((?:\|[^{}|]*)*)\}")
_FIRST_STRONG, _POP = "\u2068", "\u2069"


def _one_or_other(n: int) -> str:
    return "one" if n == 1 else "other"


def _french(n: int) -> str:
    return "one" if n < 2 else "other"


def _arabic(n: int) -> str:
    if n < 3:
        return ("zero", "one", "two")[n]
    return "few" if 3 <= n % 100 <= 10 else "many" if n % 100 >= 11 else "other"


def _only_other(n: int) -> str:
    return "other"


@dataclass(frozen=True, slots=True, eq=False)  # each is one object, by which results are kept
class PageLanguage:
    """A language of pages.

    Attributes:
        tag: As HTML names it.
        numbers: As browsers name the way in which it writes numbers.
        grouping: What stands between thousands.
        least_grouped: The first number that is grouped.
        plurals: The categories of its plurals, in the order in which a phrase gives its forms.
        category: The category of a number.
        phrases: Translations by their English; of English none.
        direction: Of its script.
    """

    tag: str
    numbers: str
    grouping: str
    plurals: tuple[str, ...]
    category: Callable[[int], str]
    phrases: Mapping[str, str]
    direction: Literal["ltr", "rtl"] = "ltr"
    least_grouped: int = 1000

    def say(self, english: str, **values: str | int) -> str:
        """A phrase in this language; without a translation it is the English one."""
        return self.fill(self.phrases.get(english, english), values)

    def fill(self, phrase: str, values: Mapping[str, str | int]) -> str:
        """Put values into a phrase of this language; a text stands apart where it may run against the sentence."""

        def value_of(place: re.Match[str]) -> str:
            name, forms = place.groups()
            value = values.get(name)
            if value is None:
                return place[0]
            if isinstance(value, str):
                return f"{_FIRST_STRONG}{value}{_POP}" if self.direction == "rtl" else value
            if forms:
                return str(forms[1:].split("|")[self.plurals.index(self.category(value))])
            return f"{value:,}".replace(",", self.grouping) if value >= self.least_grouped else str(value)

        return _PLACE.sub(value_of, phrase)

    def for_script(self, source: str) -> dict[str, object]:
        """The part that a script needs: the phrases that stand in its source."""
        phrases = {english: text for english, text in self.phrases.items() if english in source}
        names = {"language": self.tag, "numbers": self.numbers, "direction": self.direction}
        return {**names, "plurals": self.plurals, "phrases": phrases}


def phrase(english: str) -> str:
    """Mark a phrase that is said later, by a name that holds it."""
    return english


ENGLISH = PageLanguage("en", "en", ",", ("one", "other"), _one_or_other, {})


def page_language(rules: StudyRules) -> PageLanguage:
    """The language of a study's pages: what the study says, else that of the texts where we have it, else English."""
    chosen = rules.page_language
    wanted = rules.language.partition("-")[0].lower() if chosen == "auto" else chosen
    return read_language(wanted) if wanted in get_args(PageTongue) else ENGLISH


@cache
def read_language(name: str) -> PageLanguage:
    """A language by its code, with its catalogue."""
    if name in ("auto", "en"):
        return ENGLISH
    phrases = json.loads((CATALOGUES / f"{name}.json").read_text(encoding="utf-8"))
    one_other = ("one", "other")
    if name == "de":
        return PageLanguage("de", "de", ".", one_other, _one_or_other, phrases)
    if name == "es":
        return PageLanguage("es", "es", ".", one_other, _one_or_other, phrases, least_grouped=10_000)
    if name == "fr":
        return PageLanguage("fr", "fr", "\u202f", one_other, _french, phrases)
    if name == "ar":
        categories = ("zero", "one", "two", "few", "many", "other")
        return PageLanguage("ar", "ar-u-nu-latn", ",", categories, _arabic, phrases, "rtl")
    return PageLanguage("zh-Hans", "zh", ",", ("other",), _only_other, phrases)
