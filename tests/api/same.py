"""Every number of a study against what the commands print for the same input, digit for digit."""

from __future__ import annotations

from typing import Any

from errorbar.api import CorpusStudy
from errorbar.core import Interval
from tests.api.examples import interval_of, only_ends

Document = dict[str, Any]


def same_scores(study: CorpusStudy, printed: Document) -> None:
    """As ``errorbar score --ci``."""
    assert [score.system for score in study.scores] == [row["system"] for row in printed["rows"]]
    for score, row in zip(study.scores, printed["rows"], strict=True):
        assert score.counts == {name: row[name] for name in ("correct", "proposed", "gold")}
        assert str(score.signature) == row["signature"]
        for name in ("precision", "recall", "f"):
            estimate = getattr(score, name)
            assert estimate.value == row[name]
            shown = row["intervals"][name]
            assert interval_of(estimate) == (only_ends(shown) if shown.get("low") is not None else None)


def same_types(study: CorpusStudy, printed: Document) -> None:
    """As ``errorbar score --by type``."""
    ours = [[(row.type, row.counts["correct"], row.counts["gold"]) for row in score.by_type] for score in study.scores]
    assert ours == [[(t["type"], t["correct"], t["gold"]) for t in row["by_type"]] for row in printed["rows"]]


def same_sentences(study: CorpusStudy, printed: Document) -> None:
    """As ``errorbar score --by sentence``."""
    ours = [[(row.annotator, *row.counts.values()) for row in score.by_unit] for score in study.scores]
    assert ours == [
        [(s["annotator"], s["correct"], s["proposed"], s["gold"]) for s in row["by_sentence"]]
        for row in printed["rows"]
    ]


def same_comparison(study: CorpusStudy, printed: Document) -> None:
    """As ``errorbar compare``."""
    assert study.comparison is not None
    found = study.comparison.found
    assert study.unit == printed["unit"]
    assert study.signatures["compare"] == printed["signature"]
    assert [[name, *row] for name, row in zip(found.names, found.scores.tolist(), strict=True)] == [
        [row["system"], row["precision"], row["recall"], row["f"]] for row in printed["systems"]
    ]
    for pair, row in zip(found.pairs, printed["pairs"], strict=True):
        assert (pair.first, pair.second, pair.difference) == (row["first"], row["second"], row["difference"])
        assert (pair.p, pair.p_unadjusted, pair.p_swaps) == (row["p"], row["p_unadjusted"], row["p_swaps"])
        assert (pair.power.power, pair.power.detectable) == (row["power_at_one_point"], row["detectable_difference"])
        if isinstance(pair.interval, Interval):
            assert {"low": pair.interval.low, "high": pair.interval.high} == only_ends(row["interval"])
        else:
            assert row["interval"]["reason"] == str(pair.interval)


def same_ceiling(study: CorpusStudy, printed: Document) -> None:
    """As ``errorbar ceiling``."""
    assert study.ceiling is not None
    found = study.ceiling.found
    assert study.signatures["ceiling"] == printed["signature"]
    assert list(found.sizes) == [row["n_references"] for row in printed["rows"]]
    for k, row in enumerate(printed["rows"]):
        assert found.n_subsets[k] == row["n_subsets"]
        assert found.human[k].tolist() == list(row["human"].values())
        assert dict(zip(found.annotators, found.humans[:, k, 2].tolist(), strict=True)) == row["annotators"]
        for s, name in enumerate(found.systems):
            shown = row["systems"][name]
            assert [*found.scores[s, k].tolist(), float(found.ratio[s, k])] == [
                shown["precision"],
                shown["recall"],
                shown["f"],
                shown["ratio"],
            ]


def same_agreement(study: CorpusStudy, printed: Document) -> None:
    """As ``errorbar agree``."""
    assert study.agreement is not None
    found = study.agreement.report
    assert study.signatures["agree"] == printed["signature"]
    assert (found.n_items, found.n_raters, found.n_judgments) == (
        printed["n_items"],
        printed["n_raters"],
        printed["n_judgments"],
    )
    assert dict(found.prevalence) == printed["prevalence"]
    for name, estimate in found.coefficients.items():
        assert estimate.value == printed["coefficients"][name]["value"]
        shown = printed["coefficients"][name]["interval"]
        assert interval_of(estimate) == (only_ends(shown) if shown and shown.get("low") is not None else None)
    assert [pair.kappa.estimate.value for pair in found.pairwise] == [p["kappa"]["value"] for p in printed["pairs"]]
