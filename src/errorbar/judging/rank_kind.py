"""The scheme kind of rankings: a source with up to five outputs of systems, each to be given a rank."""

from __future__ import annotations

from typing import Any

from errorbar.core.problems import shorten_text
from errorbar.judging.items.item import JudgedItem
from errorbar.judging.ranks_answer import MOST_OUTPUTS, arrange
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

    def gives_corrections(self, scheme: Scheme) -> bool:
        """A rank says what is better, and not what to write."""
        del scheme
        return False

    def is_about_writer(self, item: JudgedItem) -> bool:
        """Outputs are compared with each other."""
        del item
        return False


def _words(text: str) -> list[str]:
    return [text[start:end] for start, end in tokens(text)]
