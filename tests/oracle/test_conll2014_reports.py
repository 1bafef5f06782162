"""The official scorer's verbose reports: every sentence, every annotator, every choice.

Who computed the expected values: the official M2 scorer, release 3.2, for 12 submissions and INPUT of CoNLL-2014
against ``official-2014.combined.m2`` (13 x 1,312 sentences).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
import pytest

from errorbar import M2, Corpus, Hypothesis
from errorbar.formats import read_corpus
from tests.helpers.folds import chosen as chosen_columns
from tests.helpers.official import Report, read_lines, read_report
from tests.helpers.scoring import score

SYSTEMS = ("AMU", "CAMB", "CUUI", "IITB", "INPUT", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC")
N_SENTENCES = 1312
every_system = pytest.mark.parametrize(
    "system",
    [pytest.param(name, marks=[pytest.mark.slow] * (name not in {"CAMB", "INPUT", "UFC"})) for name in SYSTEMS],
)


@cache
def combined(data: Path) -> Corpus:
    return read_corpus([data / "conll14/noalt/official-2014.combined.m2"])


@cache
def report(data: Path, system: str) -> Report:
    return read_report(data / f"conll14_systems/m2scorer_reports/{system}.m2-report")


def submission(data: Path, system: str) -> list[str]:
    return read_lines(data / "conll14_systems/official_submissions" / system)


@every_system
def test_every_sentence_has_the_official_counts_and_choice(data: Path, system: str) -> None:
    corpus, metric = combined(data), M2()
    statistics = metric.measure(corpus, submission(data, system))
    chosen = chosen_columns(metric, statistics)
    lines = report(data, system).lines
    assert len(lines) == len(corpus) == N_SENTENCES
    so_far = np.zeros(3, np.int64)
    for unit, line in enumerate(lines):
        cumulative = {
            name: tuple((so_far + statistics.counts[unit, column]).tolist())
            for column, name in enumerate(corpus.annotators)
            if statistics.present[unit, column]
        }
        assert cumulative == line.cumulative, f"sentence {unit + 1}"
        assert corpus.annotators[chosen[unit]] == line.chosen, f"sentence {unit + 1}"
        so_far += statistics.counts[unit, chosen[unit]]


@every_system
def test_the_totals_are_the_reports_to_the_last_printed_digit(data: Path, system: str) -> None:
    (result,) = score(combined(data), [Hypothesis(system, submission(data, system))], [M2()])
    expected = report(data, system)
    assert tuple(result.counts.values()) == expected.totals
    printed = tuple(f"{estimate.value:.4f}" for estimate in (result.precision, result.recall, result.f))
    assert printed == expected.printed
