"""The scheme kind of rankings: a source with up to five outputs of systems, each to be given a rank."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from errorbar.core.problems import shorten_text
from errorbar.judging.items.item import SEVERAL, JudgedItem
from errorbar.judging.ranks_answer import LETTERS, MOST_OUTPUTS, arrange, ranks_of_label
from errorbar.judging.scheme import Scheme, tokens
from errorbar.judging.scheme_kind import SchemeKind
from errorbar.judging.shown_texts import differing_stretches


class RankKind(SchemeKind):
    """The source and the outputs under it, with what each changes; equal outputs are one."""

    name = "rank"
    ranks = True

    def unfit(self, scheme: Scheme, item: JudgedItem) -> str:
        """Refuses other numbers of outputs than 2 to 5, equal outputs, and those of nobody."""
        del scheme
        name, n = shorten_text(item.name), len(item.candidates)
        if not 2 <= n <= MOST_OUTPUTS:
            columns = f"columns candidate1 to candidate{MOST_OUTPUTS}"
            return f"item '{name}' has {n} outputs, not 2 to {MOST_OUTPUTS}: {columns}"
        if len({*item.candidates}) < n:
            return f"two outputs of item '{name}' are the same: name their systems together, A|B"
        if len(item.names) != n:
            return f"the outputs of item '{name}' have no systems: columns system1 to system{MOST_OUTPUTS}"
        return ""

    def shown(self, item: JudgedItem, reversed_: int) -> tuple[object, ...]:
        """The source, and the outputs in the order in which they stand."""
        return item.text, *(item.candidates[at] for at in arrange(len(item.candidates), reversed_))

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: int) -> dict[str, Any]:
        """The outputs, each cut where it differs from the source, with its number in the item's own order."""
        del scheme
        source = _words(item.text)
        outputs = [
            {
                "number": at,
                "parts": list(differing_stretches(item.candidates[at], _words(item.candidates[at]), source)),
                "same": _words(item.candidates[at]) == source,
            }
            for at in arrange(len(item.candidates), reversed_)
        ]
        return {"source": item.text, "outputs": outputs}

    def plain_texts(self, content: Mapping[str, Any]) -> list[tuple[str, str]]:
        """The source, and the outputs with their letters."""
        texts = ("".join(piece.text for part in out["parts"] for piece in part.pieces) for out in content["outputs"])
        return [("Source", content["source"]), *zip(LETTERS, texts, strict=False)]

    def gives_corrections(self, scheme: Scheme) -> bool:
        """A rank says what is better, and not what to write."""
        del scheme
        return False

    def is_about_writer(self, item: JudgedItem) -> bool:
        """Outputs are compared with each other."""
        del item
        return False

    def unfit_gold(self, item: JudgedItem, right: str) -> str:
        """Refuses what is no order of the item's systems."""
        try:
            _tiers(item, right)
        except ValueError as error:
            return str(error)
        return ""

    def agrees(self, item: JudgedItem, label: str, right: str) -> bool:
        """Whether the outputs that are named stand in this order, and those between ``=`` are ties."""
        ranks = ranks_of_label(label)
        tiers = [{ranks[at] for at in tier} for tier in _tiers(item, right)]
        order = [next(iter(tier)) for tier in tiers]
        return all(len(tier) == 1 for tier in tiers) and order == sorted({*order})

    def told(self, item: JudgedItem, reversed_: int, right: str) -> str:
        """The same by the letters that the outputs have on this screen: ``B > A = D``."""
        shown = arrange(len(item.candidates), reversed_)
        tiers = _tiers(item, right)
        return " > ".join(" = ".join(sorted(LETTERS[shown.index(at)] for at in tier)) for tier in tiers)


def _tiers(item: JudgedItem, right: str) -> list[list[int]]:
    """Numbers of the outputs, best first, those that are equally good together; of several systems one is named."""
    number = {name: at for at, names in enumerate(item.names) for name in names.split(SEVERAL)}
    tiers = [[name.strip() for name in tier.split("=")] for tier in right.split(">")]
    named = [name for tier in tiers for name in tier]
    if unknown := [name for name in named if name not in number]:
        raise ValueError(f"'{shorten_text(unknown[0])}' wrote none of the outputs")
    if len(named) < 2 or len({number[name] for name in named}) < len(named):
        raise ValueError("the order must name two outputs or more, each once")
    return [[number[name] for name in tier] for tier in tiers]


def _words(text: str) -> list[str]:
    return [text[start:end] for start, end in tokens(text)]
