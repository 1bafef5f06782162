"""Items to rank, from a source and systems' texts: of each sentence up to five outputs, or each two systems' outputs.

Conventions
    Systems that wrote the same text, spaces apart, have one output together. Of a sentence with more outputs than one
    item takes, some are drawn, each as likely as the others, always the same ones. A sentence of which all systems
    wrote the same gives no item. Items are called by the number of their sentence; those of two systems besides by
    their names, ``12/A/B``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import combinations
from random import Random

from errorbar.core.corpus import Corpus, Hypothesis
from errorbar.core.problems import Problem, UsageError
from errorbar.judging.items.item import SEVERAL, JudgedItem
from errorbar.judging.question_kinds import MOST_OUTPUTS, order_outputs

EACH_PAIR = 0
"""In the place of a number of outputs: each two systems have items of their own."""
OUTPUTS = range(1, MOST_OUTPUTS + 1)
"""Numbers of the columns of a table: ``candidate1``, ``system1`` and so on."""


def ranked_items(corpus: Corpus, systems: Sequence[Hypothesis], outputs: int = MOST_OUTPUTS) -> list[JudgedItem]:
    """Items of outputs that differ, one for each sentence.

    Args:
        corpus: The source.
        systems: Two of them at least.
        outputs: The most that an item has; ``EACH_PAIR``: an item for each two systems instead.

    Raises:
        UsageError: If there are fewer systems, ``outputs`` is not from 2 to 5, or nothing differs.
    """
    if len(systems) < 2:
        message = "a ranking compares the outputs of at least two systems"
        raise UsageError(Problem("judge-items", message, fix="give --system for each of them"))
    if outputs != EACH_PAIR and not 2 <= outputs <= MOST_OUTPUTS:
        message = f"--outputs must be from 2 to {MOST_OUTPUTS}, got {outputs}"
        raise UsageError(Problem("bad-parameter", message))
    items = [
        _item(corpus, at, name, chosen)
        for at in range(len(corpus.sentences))
        for name, chosen in (_pairs(at, systems) if outputs == EACH_PAIR else _drawn(at, systems, outputs))
    ]
    if not items:
        message = "all systems wrote the same: there is nothing to rank"
        raise UsageError(Problem("judge-no-items", message, fix="give texts that differ"))
    return items


Outputs = list[tuple[str, str]]
"""Texts, and the names of their writers."""


def _texts(at: int, systems: Sequence[Hypothesis]) -> Outputs:
    """The different texts of a sentence, and who wrote each."""
    writers: dict[str, list[str]] = {}
    for system in systems:
        writers.setdefault(" ".join(system.lines[at].split()), []).append(system.name)
    return [(text, SEVERAL.join(names)) for text, names in writers.items()]


def _drawn(at: int, systems: Sequence[Hypothesis], most: int) -> Iterator[tuple[str, Outputs]]:
    texts = _texts(at, systems)
    if len(texts) > most:
        texts = Random(f"outputs of sentence {at + 1}").sample(texts, most)
    if len(texts) > 1:
        yield str(at + 1), texts


def _pairs(at: int, systems: Sequence[Hypothesis]) -> Iterator[tuple[str, Outputs]]:
    for two in combinations(sorted(systems, key=lambda system: system.name), 2):
        texts = _texts(at, two)
        if len(texts) > 1:
            yield f"{at + 1}/{two[0].name}/{two[1].name}", texts


def _item(corpus: Corpus, at: int, name: str, outputs: Outputs) -> JudgedItem:
    sentence, before = corpus.sentences[at], corpus.sentences[at - 1] if at else None
    hidden = {"sentence": str(at + 1)} | ({"document": sentence.document} if sentence.document else {})
    told = before.text.strip() if before is not None and before.document == sentence.document else ""
    return with_outputs(JudgedItem(name, sentence.text.strip(), None, told, hidden=hidden), outputs)


def with_outputs(item: JudgedItem, outputs: Outputs) -> JudgedItem:
    """The item with outputs in an order that tells nothing of their writers."""
    ordered = order_outputs(item.name, outputs)
    texts, names = [text for text, _ in ordered], [name for _, name in ordered]
    return replace(item, candidates=tuple(texts), names=tuple(names) if all(names) else ())
