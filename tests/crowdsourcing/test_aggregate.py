"""Aggregation against published numbers, hand-made examples and simulated truth."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errorbar import Judgments
from errorbar.core import UsageError
from errorbar.crowdsourcing import (
    METHODS,
    Answers,
    EMRuns,
    Modeling,
    RaterPrior,
    aggregate,
    dawid_skene,
    majority,
    rater_rows,
    trust_weighted,
)
from errorbar.crowdsourcing.answers import agreement_trust
from errorbar.crowdsourcing.hidden_labels import EMFit, EMVotes, one_coin
from errorbar.testing import accurate, biased, simulate, sleepy, spammer
from tests.crowdsourcing.examples import patients, toy
from tests.helpers.cli import CommandLine
from tests.helpers.expectations import expect_refusal

Model = Callable[..., tuple[Answers, EMFit]]


def rng() -> np.random.Generator:
    return np.random.default_rng(1)


def test_dawid_skene_gives_the_published_marginals_and_the_local_optimum() -> None:
    # Marginals: Dawid and Skene 1979, table 2 (.40 .42 .11 .07); other digits: STATISTICS.md section 4.
    answers, fit = dawid_skene(patients(), rng(), Modeling(prior=RaterPrior(0, 0), runs=EMRuns(2)))
    assert fit.marginals == pytest.approx([0.3996, 0.4220, 0.1118, 0.0667], abs=5e-5)
    assert fit.log_likelihood == pytest.approx(-192.8909, abs=5e-5)
    assert np.bincount(answers.answer).tolist() == [18, 19, 5, 3]
    assert answers.shares[37, 1] == pytest.approx(0.0212, abs=5e-5)
    assert [run.name for run in fit.starts] == ["vote shares", "majority"]
    assert fit.starts[1].log_likelihood == pytest.approx(-193.9746, abs=5e-5)
    assert all(run.converged for run in fit.starts)


def test_one_coin_gives_the_reference_accuracies() -> None:
    _, fit = one_coin(patients(), rng(), Modeling(prior=RaterPrior(0, 0)))  # STATISTICS.md section 4
    assert fit.rates[:, 0, 0] == pytest.approx([0.8854, 0.7007, 0.8115, 0.8531, 0.8089], abs=5e-5)
    assert fit.log_likelihood == pytest.approx(-242.506, abs=5e-4)


def test_small_data_needs_a_prior_and_is_refused_by_default() -> None:
    assert majority(toy()).labels[majority(toy()).answer[2]] == "O"
    with pytest.raises(UsageError, match="too few to model") as caught:
        dawid_skene(toy(), rng())
    assert caught.value.code == "crowd-few-judgments"
    # Without prior and minimum t3 is turned against its majority. STATISTICS.md gives P(E) .9988, which is where its EM
    # stopped: the likelihood grows towards P(E) = 1, so a stricter tolerance ends above it and a laxer one below.
    runs = (EMRuns(1, tolerance, 20_000) for tolerance in (1e-9, 1e-12))
    ends = [dawid_skene(toy(), rng(), Modeling(prior=RaterPrior(0, 0), min_items=1, runs=run))[0] for run in runs]
    assert 0.99 < ends[0].shares[2, 0] < 0.9988 < ends[1].shares[2, 0]
    coin, fit = one_coin(toy(), rng(), Modeling(prior=RaterPrior(0, 0), min_items=1))
    assert coin.shares[2, 0] == pytest.approx(1.0)  # STATISTICS.md: 1.0, with rater a never wrong
    assert fit.rates[0, 0, 0] == pytest.approx(1.0)
    mild, _ = dawid_skene(toy(), rng(), Modeling(prior=RaterPrior(20.0, 5.0), min_items=1))
    assert mild.shares[2, 0] < 0.5


def test_trust_is_agreement_with_the_majority() -> None:
    assert agreement_trust(toy()) == pytest.approx([0.8, 0.8, 0.8])  # STATISTICS.md section 4, Wawa
    assert trust_weighted(toy()).shares[0] == pytest.approx([2 / 3, 1 / 3])


def test_answer_confidence_with_given_trust() -> None:
    # CrowdFlower's help page, by STATISTICS.md section 6: 4.4703 / (4.4703 + 1.8571 + .9231) = .6166.
    table = Judgments.from_columns(["x"] * 3, ["a", "b", "c"], ["1", "2", "3"])
    answers = trust_weighted(table, {"a": 4.4703, "b": 1.8571, "c": 0.9231})
    assert answers.shares[0, 0] == pytest.approx(0.6166, abs=5e-5)
    with pytest.raises(UsageError, match="'b' has no trust"):
        trust_weighted(table, {"a": 1.0})
    for bad in (-0.1, np.nan, np.inf):
        with pytest.raises(UsageError, match=r"the trust of rater 'c' is .*expected a number of at least 0"):
            trust_weighted(table, {"a": 1.0, "b": 0.0, "c": bad})


def test_without_judgments_nothing_is_said() -> None:
    nothing = toy().take(np.empty(0, np.int64))
    for way in (majority, agreement_trust, trust_weighted):
        with pytest.raises(UsageError, match="there is no judgment"):
            way(nothing)


def test_ties_follow_the_policy_and_never_the_order_of_labels() -> None:
    table = Judgments.from_columns("xxyy", "abab", ["E", "O", "O", "E"])
    assert majority(table).answer.tolist() == [-1, -1]
    assert majority(table, ties="E").answer.tolist() == [0, 0]
    assert majority(table, ties="O").answer.tolist() == [1, 1]
    with pytest.raises(UsageError, match="no label 'Q'"):
        majority(table, ties="Q")


def test_items_without_judgments_have_no_answer_in_any_method() -> None:
    made = simulate([accurate(0.8)] * 6, rng(), n_items=60, per_item=3)
    table = made.judgments.take(made.judgments.item != 7)
    found = aggregate(table, rng(), how=Modeling(min_items=1))
    for answers in found.answers.values():
        assert answers.answer[7] == -1
        assert np.isnan(answers.shares[7]).all()
    assert 7 not in found.differing


def test_an_item_judged_once_may_differ() -> None:
    # Nobody trusts c, so that z has no answer by trust.
    table = Judgments.from_columns("xxyyz", "ababc", "EEOOE", labels="EO")
    found = aggregate(table, rng(), methods=["trust"], trust={"a": 1.0, "b": 1.0, "c": 0.0})
    assert list(found.answers) == ["majority", "trust"]
    assert found.differing == (2,)


def test_models_beat_the_majority_where_raters_differ() -> None:
    raters = [biased(0.6, 0.97)] * 27 + [spammer()] * 3
    made = simulate(raters, rng(), n_items=1500, per_item=9)
    found = aggregate(made.judgments, rng())
    right = {name: float((answers.answer == made.truth).mean()) for name, answers in found.answers.items()}
    assert right["dawid-skene"] > right["majority"] + 0.02
    assert list(found.answers) == list(METHODS)
    rates = found.fits["dawid-skene"].rates
    assert rates[:27, 1, 1].mean() == pytest.approx(0.6, abs=0.05)
    assert rates[:27, 0, 0].mean() == pytest.approx(0.97, abs=0.02)
    assert rates[27:, 1, 1].mean() == pytest.approx(0.5, abs=0.12)
    differing = [i for i in range(1500) if len({int(a.answer[i]) for a in found.answers.values()}) > 1]
    assert list(found.differing) == differing


def test_one_rater_and_one_label_are_refused() -> None:
    with expect_refusal("crowd-one-rater"):
        dawid_skene(Judgments.from_columns("xy", "aa", "EO"), rng(), Modeling(min_items=1))
    with expect_refusal("crowd-one-label"):
        one_coin(Judgments.from_columns("xy", "ab", "EE"), rng(), Modeling(min_items=1))
    with pytest.raises(UsageError) as caught:
        aggregate(toy(), rng(), methods=["majorty"])  # type: ignore[list-item]  # wrong on purpose
    assert "did you mean 'majority'?" in str(caught.value)


def test_repeats_follow_the_policy() -> None:
    table = Judgments.from_columns("xxxy", "aaba", "EOOE")
    assert table.take(table.settled("first")).label.tolist() == [0, 1, 0]
    assert table.take(table.settled("last")).label.tolist() == [1, 1, 0]
    assert table.settled("keep").all()
    with pytest.raises(UsageError, match="first: 'a' of 'x'"):
        table.settled("refuse")


def test_simulation_is_reproducible_and_has_the_stated_rates() -> None:
    raters = [biased(0.7, 0.9), sleepy(1.0, 10), accurate(0.8)]
    first = simulate(raters, rng(), n_items=4000, per_item=3, prevalence=0.3)
    again = simulate(raters, rng(), n_items=4000, per_item=3, prevalence=0.3)
    assert (first.judgments.label == again.judgments.label).all()
    said = first.judgments.label.reshape(-1, 3)
    assert first.truth.mean() == pytest.approx(0.3, abs=0.03)
    assert said[first.truth == 1, 0].mean() == pytest.approx(0.7, abs=0.04)
    assert said[first.truth == 0, 0].mean() == pytest.approx(0.1, abs=0.03)
    assert (said[:10, 1] == first.truth[:10]).all()
    assert (said[10:, 1] == first.truth[10:]).mean() == pytest.approx(0.5, abs=0.03)
    with pytest.raises(UsageError):
        simulate(raters, rng(), n_items=10, per_item=4)


def noise() -> Judgments:
    """Judgments that say nothing about the items, on which plain EM takes hundreds of passes."""
    g = np.random.default_rng(4)
    item, rater = np.repeat(np.arange(400), 8).astype(np.int32), g.integers(0, 20, 3200).astype(np.int32)
    label = (g.random(3200) < 0.3).astype(np.int32)
    names = tuple(map(str, range(400)))
    return Judgments(item, rater, label, names, names[:20], ("ok", "error"))


@pytest.mark.parametrize("model", [dawid_skene, one_coin])
def test_leaps_end_where_plain_passes_end(model: Model, monkeypatch: pytest.MonkeyPatch) -> None:
    """The twin is EM without the extrapolation: the same optimum from every start, in more passes."""
    made = simulate([accurate(0.6)] * 30, np.random.default_rng(1), n_items=500, per_item=5).judgments
    runs = EMRuns(3, 1e-11, 20_000)
    _, fast = model(made, rng(), Modeling(runs=runs))
    monkeypatch.setattr("errorbar.crowdsourcing.hidden_labels.PLAIN", 10**9)
    _, plain = model(made, rng(), Modeling(runs=runs))
    for ours, theirs in zip(fast.starts, plain.starts, strict=True):
        assert ours.converged
        assert theirs.converged
        assert ours.objective == pytest.approx(theirs.objective, abs=1e-4)
    assert sum(s.n_iterations for s in fast.starts) < sum(s.n_iterations for s in plain.starts)
    assert fast.truth == pytest.approx(plain.truth, abs=1e-3)


def test_noise_ends_at_the_limit_of_passes_and_says_so() -> None:
    answers, fit = dawid_skene(noise(), rng(), Modeling(prior=RaterPrior(0, 0)))
    assert max(start.n_iterations for start in fit.starts) <= 200
    assert all(start.converged == (start.n_iterations < 200) for start in fit.starts)
    short = dawid_skene(noise(), rng(), Modeling(prior=RaterPrior(0, 0), runs=EMRuns(1, max_iterations=7)))[1].starts[0]
    assert (short.n_iterations, short.converged) == (7, False)
    assert len(answers.answer) == 400


@pytest.mark.parametrize("wrong", [{"n_starts": 0}, {"n_starts": 10**12}, {"tolerance": 0.0}, {"max_iterations": 0}])
def test_runs_are_checked(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="expected all above 0"):
        EMRuns(**wrong)


@pytest.mark.parametrize("model", [dawid_skene, one_coin])
def test_runs_are_those_asked_for(model: Model) -> None:
    _, fit = model(patients(), rng(), Modeling(runs=EMRuns(3, max_iterations=2)))
    assert [(run.name, run.n_iterations) for run in fit.starts] == [
        ("vote shares", 2),
        ("majority", 2),
        ("random 1", 2),
    ]


def test_starts_are_probabilities_of_what_was_judged() -> None:
    table = Judgments.from_columns("xxxxyyz", "abcdabd", "EEOOEOE", labels="EOQ")
    starts = dict(EMVotes(table.take(table.item < 2), 1).starts(4, rng()))
    assert list(starts) == ["vote shares", "majority", "random 1", "random 2"]
    assert starts["vote shares"].tolist() == [[0.5, 0.5, 0], [0.5, 0.5, 0], [0, 0, 0]]
    assert starts["majority"].tolist() == starts["vote shares"].tolist(), "a tie is divided"
    for name, truth in starts.items():
        assert truth.sum(axis=1) == pytest.approx([1, 1, 0]), name


@pytest.mark.parametrize("wrong", [(-1.0, 0.5), (2.0, -0.1), (np.inf, 0.5), (2.0, np.nan)])
def test_a_prior_is_checked(wrong: tuple[float, float]) -> None:
    with pytest.raises(UsageError, match="expected pseudo-counts of at least 0"):
        RaterPrior(*wrong)
    assert RaterPrior() == RaterPrior(2.0, 0.5)


def test_models_want_twenty_judgments_of_a_rater_on_average() -> None:
    table = Judgments.from_columns([str(n) for n in range(20)] * 2, "a" * 20 + "b" * 20, "EO" * 20)
    assert len(dawid_skene(table, rng())[0].answer) == 20
    with pytest.raises(
        UsageError,
        match=r"19\.0 judgments of a rater on average, of items that others judged too, .*expected 20 or more",
    ):
        dawid_skene(table.take(np.arange(39)), rng())


def test_one_judgment_an_item_says_nothing_about_raters() -> None:
    """Three raters, 100 items each of their own: by EM one label is the truth of all, and who said the other erred."""
    items, raters = [str(n) for n in range(300)], ["a", "b", "c"] * 100
    table = Judgments.from_columns(items, raters, "OOEOOOOEOO" * 30)
    for model in (dawid_skene, one_coin):
        with pytest.raises(UsageError, match="no item was judged by two raters") as caught:
            model(table, rng(), Modeling(min_items=0))
        assert caught.value.code == "crowd-no-overlap"


def test_raters_who_judged_once_or_never() -> None:
    """a and b agree on six items; c says the same of one of them, an E; d is known by name only."""
    table = Judgments.from_columns("uvwxyzuvwxyzuv", "aaaaaabbbbbbcd", "EEEOOOEEEOOOEE").take(np.arange(13))
    assert table.raters == tuple("abcd")
    _, coin = one_coin(table, rng(), Modeling(prior=RaterPrior(0, 0), min_items=1))
    assert coin.rates[:, 0, 0] == pytest.approx([1, 1, 1, 0.5])
    _, fit = dawid_skene(table, rng(), Modeling(prior=RaterPrior(0, 0), min_items=1))
    assert fit.rates[2] == pytest.approx(np.array([[1, 0], [0.5, 0.5]]))  # of c no item is truly O
    assert fit.rates[3] == pytest.approx(np.full((2, 2), 0.5))


# One is said as one, and what nobody knows is not shown as a number.


VOTES = "item,rater,label\nx,a,error\nx,b,ok\ny,a,error\ny,b,error\nz,a,ok\n"


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES, encoding="utf-8")
    return path


def test_without_gold_nobody_has_trust(votes: Path, errorbar: CommandLine) -> None:
    table = Judgments.from_columns("xxyy", "abab", ["E", "O", "E", "E"])
    assert [row.trust for row in rater_rows(table)] == [None, None]
    assert [row.trust for row in rater_rows(table, {"x": "E"})] == pytest.approx([2 / 3, 1 / 3])
    done = errorbar("crowd", "raters", votes, "--format", "json")
    assert done.code == 0
    assert [row["trust"] for row in json.loads(done.out)["raters"]] == [None, None]
    shown = errorbar("crowd", "raters", votes, "--format", "csv").out.splitlines()
    at = shown[0].split(",").index("trust")
    assert [row.split(",")[at] for row in shown[1:3]] == ["", ""]
    assert "50.00" not in errorbar("crowd", "raters", votes).out.splitlines()[2].split("–")[0]


def test_rater_without_gold_items_among_others_with(votes: Path, errorbar: CommandLine) -> None:
    gold = votes.with_name("gold.csv")
    gold.write_text("item,label\nz,ok\n", encoding="utf-8")
    done = errorbar("crowd", "raters", votes, "--gold", gold, "--format", "json")
    assert [row["trust"] for row in json.loads(done.out)["raters"]] == [pytest.approx(2 / 3), None]


def test_one_judgment_and_one_item(votes: Path, errorbar: CommandLine) -> None:
    rare = VOTES + "q,a,unsure\n"
    votes.write_text(rare, encoding="utf-8")
    done = errorbar("crowd", "aggregate", votes, "--labels", "unknown=unsure", "--method", "majority")
    assert done.code == 0
    assert "1 judgment has a label that means unknown; it counts as not given" in done.err
    assert "1 item has no judgment; it does not count" in done.err
    refused = errorbar("crowd", "aggregate", votes, "--labels", "error,ok", "--method", "majority")
    assert refused.code == 2
    assert "1 judgment says 'unsure', which is not declared" in refused.err
    votes.write_text(rare + "r,b,unsure\n", encoding="utf-8")
    done = errorbar("crowd", "aggregate", votes, "--labels", "unknown=unsure", "--method", "majority")
    assert "2 judgments have a label that means unknown; they count as not given" in done.err
    assert "2 items have no judgment; they do not count" in done.err


def test_one_flag(votes: Path, errorbar: CommandLine) -> None:
    flags = votes.with_name("flags.csv")
    flags.write_text("item,flag\nx,1\ny,0\nextra,1\n", encoding="utf-8")
    refused = errorbar("crowd", "score", votes, flags)
    assert refused.code == 2
    assert "the judged item 'z' has no flag" in refused.err
    done = errorbar("crowd", "score", votes, flags, "--lenient")
    assert "it counts as not flagged" in done.err
    assert "1 item of the system was not judged, 'extra'; it does not count" in done.err


def test_one_repeat() -> None:
    table = Judgments.from_columns("xxy", "aab", "EOE")
    with pytest.raises(UsageError, match=r"1 judgment repeats an item .*: 'a' of 'x'"):
        table.settled("refuse")
    several = Judgments.from_columns("xxxy", "aaab", "EOEE")
    with pytest.raises(UsageError, match="2 judgments repeat an item"):
        several.settled("refuse")
