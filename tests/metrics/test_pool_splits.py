"""Ten annotators of one guideline, split into five and five: no more splits are told apart than chance allows."""

from __future__ import annotations

from itertools import combinations
from pathlib import Path

import numpy as np
import pytest

from errorbar import M2
from errorbar.api import ReadingOptions, load
from errorbar.metrics import Selection
from errorbar.metrics.judge_sets import annotator_subsets, fold_without_each, values_of
from errorbar.stats import stream
from errorbar.stats.pools import Dealing, deal_judges
from tests.helpers.synthetic_judges import F

SYSTEMS = ("AMU", "CAMB", "CUUI", "IITB", "IPN", "NTHU", "PKU", "POST", "RAC", "SJTU", "UFC", "UMC")

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("k", [1, 5])
def test_few_splits_of_the_ten_are_told_apart(data: Path, k: int) -> None:
    """Of 126 splits 6 may have a p of .05; any of the 66 pairs, adjusted, and each pair alone."""
    files = [data / f"bn2015_10gec/A{i}.m2" for i in range(1, 11)]
    how = ReadingOptions(documents=data / "conll14/noalt/official-2014.0.sgml", lenient=True)
    read = load(files, [data / "conll14_systems/official_submissions" / name for name in SYSTEMS], how)
    clusters = read.documents.clusters()
    masks = annotator_subsets(10, [k - 1, k] if k > 1 else [k], lambda size: stream(0, "pools", size)).masks
    tables = []
    for system in read.systems:
        kept = M2().measure(read.corpus, system.lines)
        whole = values_of(M2(), kept, Selection(annotators=masks))[None, :, F]
        tables.append(np.concatenate([whole, fold_without_each(M2(), kept, masks, clusters)[:, :, F]]))
    pairs = [tables[a] - tables[b] for a, b in combinations(range(len(SYSTEMS)), 2)]
    ways, _ = deal_judges((5, 5))
    any_pair, alone = [], []
    for first, second in ways:
        tests = Dealing.of(masks[:, [*sorted(first), *sorted(second)]], k, (5, 5)).test(pairs)
        any_pair.append(min(test.p for test in tests if test.p is not None) <= 0.05)
        alone.append([test.p_unadjusted is not None and test.p_unadjusted <= 0.05 for test in tests])
    assert len(ways) == 126
    assert np.mean(any_pair) <= 0.05
    assert (np.mean(alone, axis=0) <= 0.05).all()
    assert np.mean(alone) > 0.02  # the test can be significant
