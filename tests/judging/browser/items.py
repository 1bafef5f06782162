"""Items for every scheme, and a scheme of a user's own."""

from __future__ import annotations

from pathlib import Path

from errorbar.judging import JudgedItem, Scheme, load_scheme

SENTENCES = (
    "It all depends [of] the weather in the North.",
    "She arrived [at] the airport before anybody else.",
    "They discussed [about] the plan for two hours.",
    "We are looking forward [to] the holidays.",
    "He is married [with] a doctor.",
    "The answer [to] this question is simple.",
    "I listened [at] the radio all evening.",
    "This is different [from] what we expected.",
    "The train leaves [in] Monday.",
    "Many people are afraid [of] spiders.",
    "She insisted [in] paying the bill.",
    "He apologized [for] being late.",
    "We congratulated him [for] his success.",
    "The book consists [of] three parts.",
)

FIFTH = """
name = "fluency"
title = "Fluency"
version = 1
source = "Made for a test"
shows = "span"
main = "grade"
guidelines = "# How fluent is it?"

[[questions]]
id = "grade"
kind = "one"
ask = "How fluent is the sentence?"
options = [
  { value = "1", label = "Broken", key = "1" },
  { value = "2", label = "Rough", key = "2" },
  { value = "3", label = "Fluent", key = "3" },
  { value = "4", label = "Polished", key = "4" },
]

[[questions]]
id = "first"
kind = "token"
ask = "The first word that disturbs"
key = "w"
when = { grade = ["1", "2"] }
step = 2

[[questions]]
id = "better"
kind = "text"
ask = "How would you say it?"
required = false
when = { grade = ["1"] }
most = 2
step = 3
"""


def marked(name: str, text: str, *, before: str = "", gold: str = "") -> JudgedItem:
    """An item whose target stands in brackets."""
    start, end = text.index("["), text.index("]") - 1
    plain = text.replace("[", "", 1).replace("]", "", 1)
    more = {"kind": "gold", "answers": (gold,), "explanation": f"Because it is {gold}."} if gold else {}
    return JudgedItem(name, plain, (start, end), before=before, **more)  # type: ignore[arg-type]


def items_of(scheme: Scheme, n: int = 14) -> list[JudgedItem]:
    """Items that fit a scheme."""
    items = [marked(f"i{k}", SENTENCES[k % len(SENTENCES)], before="Nobody knew it.") for k in range(n)]
    if scheme.shows == "post-edit":
        return [
            JudgedItem(
                f"{k}/s", item.text, None, item.before, (f"{item.text} Again .",), ("s",), hidden={"sentence": str(k)}
            )
            for k, item in enumerate(items, 1)
        ]
    if scheme.shows == "choice":
        return [
            JudgedItem(
                item.name, item.text, item.span, candidates=(item.text[slice(*item.span)], "upon"), names=("w", "s")
            )
            for item in items
            if item.span
        ]
    return items


def scheme_of(name: str, folder: Path) -> Scheme:
    """A shipped scheme, or the fifth one, from a file."""
    if name != "fluency":
        return load_scheme(name)
    path = folder / "fluency.toml"
    path.write_text(FIFTH, encoding="utf-8")
    return load_scheme(path)
