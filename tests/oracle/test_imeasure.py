"""The I-measure against the authors' program, on systems of CoNLL-2014 (imeasure.csv).

Recorded with the functions of the repository mfelice/imeasure (commit a1fb6ea; ``Alignment`` of align.py, and counts,
scores and choice of ieval.py with ``-nomix -opt:sent``), taken out of it by hand, in Python 3 with lists for arrays, on
texts that errorbar makes of the official M2: of each sentence the texts of the annotators who looked at it. Its FP and
FN contain FPN. ``mean`` is that of the I of single sentences.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar.formats import read_corpus
from errorbar.metrics.imeasure import IMeasure
from tests.helpers.official import read_lines, read_table

ROWS = read_table(Path(__file__).with_name("imeasure.csv"))


@pytest.mark.slow
@pytest.mark.parametrize("row", ROWS, ids=[row["system"] for row in ROWS])
def test_every_count_and_the_values(data: Path, row: dict[str, str]) -> None:
    metric = IMeasure()
    reference = read_corpus([data / "conll14/noalt/official-2014.combined.m2"])
    lines = read_lines(data / "conll14_systems/official_submissions" / row["system"])
    statistics = metric.measure(reference, lines)
    folded = metric.fold(statistics)
    tp, tn, fp, fn, fpn = folded.counts[0].tolist()
    assert [tp, tn, fp + fpn, fn + fpn, fpn] == [int(row[name]) for name in ("tp", "tn", "fp", "fn", "fpn")]
    assert folded.values[0].tolist() == pytest.approx([float(row["wacc"]), float(row["i"])], abs=1e-11)
    alone = metric.parts(statistics).values
    assert alone is not None
    assert alone[:, 1].mean() == pytest.approx(float(row["mean"]), abs=1e-11)
