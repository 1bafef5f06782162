"""CAMB against each of ten annotators (Bryant & Ng 2015, table 3).

The files of six annotators hold overlapping or repeated edits, so they are read leniently. Repeated edits (one in
A1, one in A4) are dropped, where the official scorer counts them: those two annotators have one reference edit less.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar import M2, Hypothesis, Problems
from errorbar.core import InputError
from errorbar.formats import read_corpus
from tests.helpers.official import percents, read_lines, read_table
from tests.helpers.scoring import score

ONE_EDIT_LESS = ("A1", "A4")
M2_EDITS = {"A1": 5560, "A2": 3982, "A3": 3317, "A4": 3528, "A5": 4016, "A6": 3959, "A7": 2391, "A8": 3286}
M2_EDITS |= {"A9": 3397, "A10": 4231}


@pytest.mark.parametrize(
    "annotator",
    [pytest.param(name, marks=[pytest.mark.slow] * (name not in {"A1", "A5", *ONE_EDIT_LESS})) for name in M2_EDITS],
)
def test_camb_against_one_annotator(data: Path, published: Path, annotator: str) -> None:
    rows = read_table(published / "bryant_ng2015_camb_by_annotator.csv")
    row = next(row for row in rows if row["annotator"] == annotator)
    corpus = read_corpus([data / f"bn2015_10gec/{annotator}.m2"], Problems(lenient=True))
    camb = Hypothesis("CAMB", read_lines(data / "conll14_systems/official_submissions/CAMB"))
    (result,) = score(corpus, [camb], [M2()])
    assert result.counts["gold"] == M2_EDITS[annotator] - (annotator in ONE_EDIT_LESS)
    ours = percents([result.precision.value, result.recall.value, result.f.value])
    theirs = [row["precision"], row["recall"], row["f0.5"]]
    if annotator in ONE_EDIT_LESS:
        assert [float(figure) for figure in ours] == pytest.approx([float(figure) for figure in theirs], abs=0.0101)
    else:
        assert ours == theirs


@pytest.mark.parametrize("annotator", M2_EDITS)
def test_strict_reading_refuses_the_files_that_repeat_or_overlap(data: Path, annotator: str) -> None:
    file = data / f"bn2015_10gec/{annotator}.m2"
    if annotator not in ("A1", "A4", "A5", "A8", "A9", "A10"):
        assert len(read_corpus([file])) == 1312
        return
    with pytest.raises(InputError) as refused:
        read_corpus([file])
    assert {problem.code for problem in refused.value.problems} <= {"edit-overlap", "edit-duplicate"}
