"""A check that anybody can run: kernel and twin on the demo corpus, against numbers recorded once."""

from __future__ import annotations

from errorbar.core.corpus import Hypothesis
from errorbar.demo import demo_files
from errorbar.edits.matching import COMPILED, match_corpus
from errorbar.edits.maxmatch import MatchRules
from errorbar.formats.reference import read_corpus
from errorbar.metrics.m2 import M2

RECORDED = {
    "careful": (44, 46, 144),
    "greedy": (151, 235, 183),
    "articles": (36, 57, 143),
    "copy": (0, 0, 134),
}
"""Counts on the demo corpus; recorded from the readable twin, whose every step the tests compare with the official
scorer's output on CoNLL-2014."""


def self_test() -> str:
    """Score the demo corpus with whatever implementations are there.

    Returns:
        ``passed (...)`` or ``FAILED (...)`` with the systems that differ.
    """
    with demo_files() as (gold, files):
        corpus = read_corpus([gold])
        systems = [Hypothesis(file.stem, file.read_text(encoding="utf-8").splitlines()) for file in files]
    counted = {system.name: M2().fold(M2().measure(corpus, system.lines)).counts[0] for system in systems}
    wrong = [name for name, counts in counted.items() if tuple(counts.tolist()) != RECORDED[name]]
    if COMPILED:
        for system in systems:
            fast, slow = (
                match_corpus(corpus, system.lines, MatchRules(kernel=kernel)).counts for kernel in (True, False)
            )
            if (fast != slow).any():
                wrong.append(f"{system.name} (kernel and twin)")
    twins = "kernel and twin agree, " if COMPILED else ""
    return f"FAILED (other counts: {', '.join(wrong)})" if wrong else f"passed ({twins}demo counts as recorded)"
