"""A check that anybody can run: kernel and twin on the demo corpus, against numbers recorded once."""

from __future__ import annotations

from errorbar.core.corpus import Hypothesis
from errorbar.core.counts import Counts
from errorbar.demo import demo_files
from errorbar.edits.kernel import COMPILED
from errorbar.edits.matching import match_corpus
from errorbar.formats.reference import read_corpus
from errorbar.metrics.m2 import M2
from errorbar.metrics.scoring import score

RECORDED = {
    "careful": Counts(44, 46, 144),
    "greedy": Counts(151, 235, 183),
    "articles": Counts(36, 57, 143),
    "copy": Counts(0, 0, 134),
}
"""Counts on the demo corpus; recorded from the readable twin, whose every step the tests compare with the official
scorer's output on CoNLL-2014."""


def self_test() -> str:
    """Score the demo corpus with whatever implementations are there.

    Returns:
        ``passed (...)`` or ``FAILED (...)`` with what differs.
    """
    with demo_files() as (gold, files):
        corpus = read_corpus([gold])
        systems = [Hypothesis(file.stem, file.read_text(encoding="utf-8").splitlines()) for file in files]
    wrong = [row.system for row in score(corpus, systems, [M2()]) if row.counts != RECORDED[row.system]]
    if COMPILED:
        for system in systems:
            fast, slow = (match_corpus(corpus, system.lines, kernel=kernel).counts for kernel in (True, False))
            if (fast != slow).any():
                wrong.append(f"{system.name} (kernel and twin)")
    twins = "kernel and twin agree, " if COMPILED else ""
    return f"FAILED (other counts: {', '.join(wrong)})" if wrong else f"passed ({twins}demo counts as recorded)"
