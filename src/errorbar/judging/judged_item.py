"""An item as a study keeps it: what raters see of it, and what they must not."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Literal, Self

Kind = Literal["work", "gold"]


@dataclass(frozen=True, slots=True)
class JudgedItem:
    """One question that is put to raters.

    Attributes:
        name: Of the item, as exports name it; never sent to a browser.
        text: The sentence; in a choice or cloze test with the writer's word where ``span`` is.
        span: Code points of ``text`` that are asked about, half-open; None: the whole text.
        before: The sentence before, shown in gray; empty: none.
        candidates: Of a choice test the two texts that may stand at ``span``: the writer's or first system's first.
        names: Who wrote the candidates; never sent to a browser.
        kind: ``gold``: the answer is known.
        answers: Of gold: the values of the scheme's main question that are right.
        explanation: Of gold: what the quiz says when an answer was wrong.
        proposed: Of questions of the kind ``token`` the number that a program proposes, shown as a proposal.
        hidden: Whatever else the item file said, for exports alone: strata, flags, votes.
    """

    name: str
    text: str
    span: tuple[int, int] | None = None
    before: str = ""
    candidates: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    kind: Kind = "work"
    answers: tuple[str, ...] = ()
    explanation: str = ""
    hidden: Mapping[str, str] = field(default_factory=dict)
    proposed: Mapping[str, int] = field(default_factory=dict)

    def asked(self) -> tuple[object, ...]:
        """All that makes up the question, also what a scheme hides."""
        return self.text, self.span, self.before, self.candidates

    def marked(self) -> str:
        """The text with what is asked about in brackets; of a choice test both candidates."""
        if self.span is None:
            return self.text
        start, end = self.span
        place = " | ".join(each or "∅" for each in self.candidates) or self.text[start:end]
        return f"{self.text[:start]}[{place}]{self.text[end:]}"

    @property
    def gold_class(self) -> str:
        """The first right answer; empty: it is no gold."""
        return (*self.answers, "")[0]

    def text_hash(self) -> str:
        """The hash of the whole question, for the store alone: ``screens.shown_hash`` is what browsers get."""
        content = dict(zip(("text", "span", "before", "candidates"), self.asked(), strict=True))
        return hashlib.sha256(json.dumps(content, ensure_ascii=False).encode()).hexdigest()[:16]

    def to_json(self) -> str:
        """For the store."""
        said = asdict(self)
        if not self.proposed:  # as it is in all studies but those that let a program propose
            del said["proposed"]
        return json.dumps(said, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """What ``to_json`` made."""
        raw: dict[str, Any] = json.loads(text)
        for name in ("candidates", "names", "answers"):
            raw[name] = tuple(raw[name])
        raw["span"] = None if raw["span"] is None else tuple(raw["span"])
        return cls(**{each.name: raw[each.name] for each in fields(cls) if each.name in raw or each.name != "proposed"})
