"""Fifteen systems on the CoNLL-2014 test set: a floor of p is no finding (section 6 of the notes on judges).

The twelve submissions, INPUT, the tuned system JMGR and a mixture of two submissions, sentence by sentence; essays are
swapped. With Holm's adjustment and 2,000 swaps no p-value of 105 pairs can be below 105 / 2001 = .0525, and all fifteen
were shown as one group: JMGR with F0.5 49.52 and the unchanged source with 0.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from errorbar import M2, Hypothesis, Problems, Resampling
from errorbar.formats import NamedFile, add_documents, read_named
from errorbar.metrics import Comparison, Documents, SwapPlan, System, compare_systems, warn_hopeless
from tests.helpers.pairs import with_test

NOT_SIGNIFICANT = {
    "AMU": "CAMB CUUI MIX NTHU POST",
    "CAMB": "CUUI MIX",
    "CUUI": "MIX",
    "IITB": "IPN UFC",
    "IPN": "UFC",
    "NTHU": "PKU POST RAC UMC",
    "PKU": "POST RAC UMC",
    "POST": "RAC UMC",
    "RAC": "UMC",
    "SJTU": "UFC",
}
"""The official gold: the 22 of 105 pairs that do not differ significantly by Holm's adjustment with 50,000 swaps,
recorded with this program (30 s, errorbar 0.1.0); at the 5 % level and at the 1 % level they are the same."""
ALPHA = 1 - 0.95


def fifteen(data: Path, *golds: str) -> tuple[list[System], Documents]:
    problems = Problems(lenient=True)
    corpus = read_named([NamedFile.parse(str(data / gold)) for gold in golds], problems)
    add_documents(corpus, str(data / "conll14/noalt/official-2014.0.sgml"), problems)
    folder = data / "conll14_systems"
    paths = [*sorted((folder / "official_submissions").iterdir()), folder / "extra" / "JMGR"]
    lines = {path.name: path.read_text(encoding="utf-8").splitlines() for path in paths}
    both = zip(lines["CAMB"], lines["CUUI"], strict=True)
    lines["MIX"] = [pair[number % 2] for number, pair in enumerate(both)]
    documents = Documents()
    documents.add(corpus.sentences)
    metric = M2()
    return [
        System(name, metric.measure(corpus, Hypothesis(name, each).lines)) for name, each in lines.items()
    ], documents


@pytest.fixture(scope="module")
def official(data: Path) -> Comparison:
    systems, documents = fifteen(data, "conll14/noalt/official-2014.combined.m2")
    return compare_systems(M2(), systems, documents.clusters(), Resampling(replicates=50, jobs=2))


@pytest.mark.slow
@pytest.mark.parametrize("alpha", [ALPHA, 0.01])
def test_the_decisions_are_those_of_holm_with_50_000_swaps(official: Comparison, alpha: float) -> None:
    alike = {frozenset((first, second)) for first, rest in NOT_SIGNIFICANT.items() for second in rest.split()}
    assert len(alike) == 22
    found = {frozenset((p.first, p.second)) for p in official.pairs if not with_test(p, alpha=alpha).significant}
    assert found == alike
    assert not any(with_test(pair, alpha=alpha).undecided for pair in official.pairs)


def test_the_best_and_the_unchanged_source_share_no_letter(official: Comparison) -> None:
    rows = official.ranking()
    assert (rows[0].name, rows[-1].name) == ("JMGR", "INPUT")
    assert len(rows[0].better) == 14
    assert not set(rows[0].group) & set(rows[-1].group)
    problems = Problems()
    warn_hopeless(official, problems)
    assert problems.notes == []


def test_the_floor_is_that_of_one_pair(official: Comparison) -> None:
    assert min(pair.p_swaps or 0 for pair in official.pairs) == 1 / 2001
    best = next(pair for pair in official.pairs if {pair.first, pair.second} == {"JMGR", "INPUT"})
    assert (best.swaps.at_floor, best.p_swaps) == (True, 1 / 2001)


@pytest.mark.slow
def test_holm_with_2_000_swaps_decides_nothing_and_says_so(data: Path) -> None:
    systems, documents = fifteen(data, "conll14/noalt/official-2014.combined.m2")
    plan = SwapPlan("holm", 2000)
    found = compare_systems(M2(), systems, documents.clusters(), Resampling(replicates=20, jobs=2), plan)
    assert all(pair.undecided for pair in found.pairs)
    assert {row.group for row in found.ranking()} == {"?"}
    problems = Problems()
    warn_hopeless(found, problems)
    (note,) = problems.notes
    assert (note.code, note.what) == (
        "few-swaps",
        "2,000 ways to swap are few for 105 pairs at the 5% level: none of 105 pairs could be significant, however "
        "large the difference",
    )
    assert "--swaps=41999" in note.fix  # section 6: R at K = 105


@pytest.mark.slow
def test_a_pair_whose_largest_difference_is_too_few_deviations_is_undecided(data: Path) -> None:
    """IPN and UFC against A1 and A2 of ten: alone p <= 1 / 2001 (Holm, 50,000 swaps: .0021), 2.31 deviations.

    The swapped F differs by one of two values, so to speak (their kurtosis is 1.43), and no way to swap gives more than
    2.84 deviations, which the largest of 105 pairs exceeds by chance more often than once in twenty. No finding.
    """
    systems, documents = fifteen(data, "bn2015_10gec/A1.m2", "bn2015_10gec/A2.m2")
    found = compare_systems(M2(), systems, documents.clusters(), Resampling(replicates=50, jobs=2))
    pair = next(pair for pair in found.pairs if (pair.first, pair.second) == ("IPN", "UFC"))
    assert pair.swaps.alone.at_floor
    assert pair.undecided
    # As in the notes on judges, where Holm with 50,000 swaps has 90 (here 89: their mixture is not known).
    assert np.sum([one.significant for one in found.pairs]) == 90
