"""A study of a crowd holds what ``crowd score``, ``curve`` and ``agree`` print."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errorbar import Judgments, Problems, Resampling
from errorbar.api import CrowdStudy, ReadJudgments, study_crowd
from errorbar.core import Place, UsageError
from tests.api.examples import assert_printed, document
from tests.helpers.cli import CommandLine
from tests.helpers.crowd import read_judgments

N, RATERS = 40, 5


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Five raters, of whom the k-th calls every item with k or more wrong; one item has four judgments."""
    monkeypatch.chdir(tmp_path)
    rng = np.random.default_rng(5)
    hard = rng.integers(0, RATERS + 1, N).tolist()
    rows = [f"i{i:02},r{r},{'error' if r < hard[i] else 'ok'}" for i in range(N) for r in range(RATERS)][:-1]
    Path("votes.csv").write_text("item,rater,label\n" + "\n".join(rows) + "\n")
    flags = [f"i{i:02},{int(hard[i] > 2) if i % 4 else 1}" for i in range(N)]
    Path("mine.csv").write_text("item,flag\n" + "\n".join(flags) + "\n")
    return tmp_path


def flags_of(judgments: Judgments) -> np.ndarray[Any, np.dtype[np.bool_]]:
    given = dict(line.split(",") for line in Path("mine.csv").read_text().splitlines()[1:])
    return np.array([given[item] == "1" for item in judgments.items])


def study_of(confidence_level: float = 0.95) -> CrowdStudy:
    judgments = read_judgments("votes.csv", Problems())
    flags = {"mine": flags_of(judgments)}
    return study_crowd(
        ReadJudgments(judgments),
        flags,
        Problems(),
        name="votes",
        resampling=Resampling(confidence_level=confidence_level),
    )


@pytest.mark.usefixtures("files")
def test_same_as_the_commands(errorbar: CommandLine) -> None:
    study = study_of()
    assert_printed(study.scores, document(errorbar, "crowd", "score", "votes.csv", "mine=mine.csv"))
    assert study.signatures["crowd score: mine, weighted"] == study.scores.rows[0].signature
    assert_printed(study.curves, document(errorbar, "curve", "votes.csv", "mine=mine.csv"))
    assert study.agreement is not None
    assert_printed(study.agreement, document(errorbar, "agree", "votes.csv"))


@pytest.mark.usefixtures("files")
def test_counts_and_histogram() -> None:
    study = study_of()
    assert (study.n_items, study.n_raters, study.n_judgments) == (N, RATERS, N * RATERS - 1)
    assert sum(study.histogram.values()) == N
    judgments = read_judgments("votes.csv", Problems())
    wrong = np.bincount(judgments.item, judgments.label == judgments.labels.index("error"))
    share = wrong / np.bincount(judgments.item)
    agree = np.maximum(share, 1 - share)
    assert study.histogram[0.5, 0.6] == int((agree < 0.6).sum())
    assert study.histogram[0.9, 1.0] == int((agree >= 0.9).sum())


def test_one_rater_has_no_agreement() -> None:
    one = Judgments.from_columns(["a", "b"], ["r", "r"], ["error", "ok"])
    study = study_crowd(ReadJudgments(one), {}, Problems(), resampling=Resampling(replicates=10))
    assert (study.agreement, study.scores.rows, study.curves.systems) == (None, (), ())


@pytest.mark.usefixtures("files")
def test_the_level_is_that_of_every_interval_and_stands_in_the_signatures() -> None:
    usual, other = study_of(), study_of(confidence_level=0.8)
    score, narrow = (one.scores.rows[0].score.f.interval for one in (usual, other))
    assert score is not None
    assert narrow is not None
    assert score.low < narrow.low <= narrow.high < score.high
    assert other.agreement is not None
    estimates = [
        *(e for row in other.scores.rows for e in (row.score.precision, row.score.recall, row.score.f)),
        *(e for part in other.curves.systems[0].bins for s in part.scores.values() for e in (s.precision, s.recall)),
        *(e for point in other.curves.systems[0].curve for e in (point.kappa, point.youden, point.kappa_at)),
        *other.agreement.report.coefficients.values(),
        *(pair.kappa.estimate for pair in other.agreement.report.pairwise),
    ]
    assert {e.interval.confidence_level for e in estimates if e.interval is not None} == {0.8}
    assert all("0.8" in signature for signature in other.signatures.values())
    assert not set(usual.signatures.values()) & set(other.signatures.values())


def test_no_label_means_an_error() -> None:
    one = Judgments.from_columns(["a", "b"], ["r", "r"], ["wrong", "ok"])
    with pytest.raises(UsageError, match="crowd-error-label"):
        study_crowd(ReadJudgments(one), {}, Problems(), Resampling())
    assert study_crowd(ReadJudgments(one), {}, Problems(), Resampling(replicates=10), error="Wrong").n_items == 2


@pytest.mark.usefixtures("files")
def test_shares_are_those_of_the_votes_whatever_the_case_of_the_label() -> None:
    judgments = read_judgments("votes.csv", Problems())
    shouted = replace(judgments, labels=tuple(label.upper() for label in judgments.labels))
    for made in (judgments, shouted):
        study = study_crowd(
            ReadJudgments(made), {"mine": flags_of(judgments)}, Problems(), resampling=Resampling(replicates=10)
        )
        score = study.scores.rows[0].score
        wrong = np.bincount(judgments.item, judgments.label == judgments.labels.index("error"))
        share = wrong / np.bincount(judgments.item)
        assert score.hits == pytest.approx(share[flags_of(judgments)].sum())
        assert score.misses == pytest.approx(share[~flags_of(judgments)].sum())


@pytest.mark.usefixtures("files")
def test_clusters_are_resampled_in_agreement_too() -> None:
    judgments = read_judgments("votes.csv", Problems())
    flags = {"mine": flags_of(judgments)}
    items, essays = (
        study_crowd(ReadJudgments(judgments, clusters), flags, Problems(), resampling=Resampling(replicates=200))
        for clusters in (None, np.arange(N) // 10)
    )
    assert "by:item," in items.signatures["agree"]
    assert "by:cluster," in essays.signatures["agree"]
    for name in ("krippendorff", "fleiss"):
        one, other = (study.agreement.report.coefficients[name] for study in (items, essays) if study.agreement)
        assert one.value == other.value
        assert one.interval != other.interval


def test_items_that_nobody_judged_do_not_count() -> None:
    one = Judgments.from_columns(["a", "b"], ["r", "s"], ["error", "ok"])
    unjudged = replace(one, items=("a", "b", "c"))
    study = study_crowd(ReadJudgments(unjudged), {}, Problems(), resampling=Resampling(replicates=10))
    assert (study.n_items, sum(study.histogram.values())) == (2, 2)


def test_notes_of_agreement_are_notes_of_the_study() -> None:
    problems = Problems()
    problems.note("before", "said by the reader", Place("file"))
    one = Judgments.from_columns(["a", "a", "b"], ["r", "s", "r"], ["error", "ok", "ok"])
    study = study_crowd(ReadJudgments(one), {}, problems, resampling=Resampling(replicates=10))
    assert study.agreement is not None
    assert study.agreement.notes
    assert [note.code for note in study.notes] == ["before", *(note.code for note in study.agreement.notes)]


def test_a_label_that_is_nearly_right_is_named() -> None:
    one = Judgments.from_columns(["a", "b"], ["r", "r"], ["eror", "ok"])
    with pytest.raises(UsageError, match=r"no label is called 'error'.*eror"):
        study_crowd(ReadJudgments(one), {}, Problems(), Resampling())
