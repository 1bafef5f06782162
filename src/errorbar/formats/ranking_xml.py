"""Rankings in XML, as the WMT's annotation tool (Appraise) and Grundkiewicz et al. 2015 write them."""

from __future__ import annotations

from typing import NoReturn

from errorbar.core.errors import InputError, Place, Problem
from errorbar.core.problems import Problems
from errorbar.formats.ranking_pairs import Collected, Placed
from errorbar.formats.safe_xml import guarded_parser, parse

ITEM = "ranking-item"
OUTPUT = "translation"


def read_ranking_xml(content: bytes, name: str, collected: Collected, problems: Problems) -> None:
    """Read every ``ranking-item``, however deep it stands; other elements are passed by.

    Args:
        content: The file in UTF-8, whatever it declares.
        name: What it is called in messages.
        collected: Where the rankings go.
        problems: Where problems go.

    Raises:
        InputError: If it is not well-formed XML (line and column are named), or declares a document type or an entity.
    """

    def refuse(what: str, line: int) -> NoReturn:
        raise InputError(Problem("ranking-xml", what, Place(name, line), f"<{ITEM}> elements"))

    parse(_Reader(name, collected, problems).parser, content, refuse)


class _Reader:
    """Collects rankings from the events of the parser."""

    def __init__(self, name: str, collected: Collected, problems: Problems) -> None:
        self.name = name
        self.collected = collected
        self.problems = problems
        self.item: dict[str, str] | None = None
        self.placed: list[Placed] = []
        self.parser = guarded_parser(self._doctype, "utf-8")
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    @property
    def place(self) -> Place:
        return Place(self.name, self.parser.CurrentLineNumber)

    def _doctype(self, *_: object) -> NoReturn:
        what = "the file declares a document type or an entity"
        fix = "take the declaration out: rankings need none, and it can be used to do harm"
        raise InputError(Problem("ranking-xml-entity", what, self.place, fix=fix))

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if tag == ITEM:
            self.item, self.placed = attributes, []
        elif tag == OUTPUT and self.item is not None:
            missing = [name for name in ("rank", "system") if not attributes.get(name, "").strip()]
            if missing:
                what = f"a <{OUTPUT}> without {' and '.join(missing)}"
                repair = "it is left out of the ranking"
                self.problems.repairable("ranking-attribute", what, self.place, repair=repair)
                return
            rank = self.collected.rank(attributes["rank"], self.place)
            if rank is not None:
                self.placed.append(Placed(rank, tuple(attributes["system"].split()), self.place))

    def _end(self, tag: str) -> None:
        if tag != ITEM or self.item is None:
            return
        item, self.item = self.item, None
        if item.get("skipped") == "true" and not self.placed:
            self.collected.skip()
            return
        # The tool's ids come again in another judge's file, so the name alone does not tell items apart.
        name = item.get("id", f"line {self.parser.CurrentLineNumber}")
        self.collected.add((name, item.get("user", "judge"), item.get("src-id", name)), self.placed)
