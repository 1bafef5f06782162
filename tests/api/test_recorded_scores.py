"""``compare(scores=...)``: recorded scores of sentences, compared as those of any metric, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from math import nan
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errorbar
from errorbar import ErrorbarError, compare
from errorbar.core import InputError, Interval, MetricScores, UsageError
from errorbar.metrics import Adjust
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

VALUES = {
    "a": [1.0, 0.5, 0.75, 1.0, 0.5, 0.25],
    "b": [0.0, 0.5, 0.25, 0.5, 0.0, 0.5],
    "c": [0.0, 0.5, 0.0, 0.0, 0.5, 0.0],
}
TEXTS: dict[str, Any] = {"source": ["a c"], "gold": ["a b"], "systems": {"mine": ["a b"]}}
COLUMNS = ("system", "metric", "sentence", "score")
ROWS = [f"{name},it,{n},{value}" for name, own in VALUES.items() for n, value in enumerate(own, 1)]


def recorded(**systems: list[float]) -> MetricScores:
    """Scores in memory, the systems' own being the means."""
    n = len(next(iter(systems.values())))
    sentences = {str(k + 1): {name: own[k] for name, own in systems.items()} for k in range(n)}
    return MetricScores("it", {name: float(np.mean(own)) for name, own in systems.items()}, sentences)


def write(path: Path, rows: list[str]) -> Path:
    path.write_text("\n".join([",".join(COLUMNS), *rows, ""]))
    return path


def test_means_differences_and_all_ways_to_swap() -> None:
    """a - b: the signed differences 1, 0, .5, .5, .5, -.25 add up to 2.25; of 32 ways 2 + 2 reach it: all but -.25."""
    result = errorbar.compare(scores=recorded(a=VALUES["a"], b=VALUES["b"]), resamples=200)
    assert result.found.values.tolist() == pytest.approx([4 / 6, 1.75 / 6])
    (pair,) = result.pairs
    assert pair.difference == pytest.approx(2.25 / 6)
    assert pair.swaps.alone.exact
    assert pair.p == 4 / 32
    assert result.signature.startswith("it|scores:")
    assert "recorded" in result.for_paper().captions[0]


def test_a_file_is_what_is_in_memory(tmp_path: Path) -> None:
    path = write(tmp_path / "it.csv", ROWS)
    one = errorbar.compare(scores=path, resamples=200, jobs=2)
    assert one.to_dict() == errorbar.compare(scores=recorded(**VALUES), resamples=200).to_dict()


@pytest.mark.parametrize("name", ["my scores", "é", "1", "it(v2)", "a,b", "m2"])
def test_any_name_will_do_for_recorded_scores(errorbar: CommandLine, tmp_path: Path, name: str) -> None:
    """It need not be a spec of ours, and where it is one, it says nothing of how they were made."""
    path = write(tmp_path / f"{name}.csv", [row.replace(",it,", ",,") for row in ROWS])
    done = errorbar("compare", "--scores", str(path), "--resamples", "200")
    assert (done.code, f"caption: {name} of 3 systems by recorded scores" in done.err) == (0, True), done.err


@pytest.mark.parametrize(
    "text",
    [
        "\n".join([", ".join(COLUMNS), *(row.replace(",", ", ") for row in ROWS)]),
        "\n".join(json.dumps(dict(zip(COLUMNS, row.split(","), strict=True))) for row in ROWS),
    ],
    ids=["spaces", "json lines"],
)
def test_every_kind_of_table_on_standard_input(errorbar: CommandLine, text: str) -> None:
    done = errorbar("compare", "--scores", "-", "--resamples", "200", "--format", "json", stdin=text.encode())
    signature = compare(scores=recorded(**VALUES), resamples=200).signature
    assert (done.code, validated("compare", done.out)["signature"]) == (0, signature)
    unnamed = "\n".join(["system,sentence,score", *(row.replace(",it,", ",") for row in ROWS)])
    done = errorbar("compare", "--scores", "-", "--resamples", "200", stdin=unnamed.encode())
    assert (done.code, "caption: stdin of 3 systems" in done.err) == (0, True), done.err


def test_wins_of_recorded_scores() -> None:
    """a beats b in four sentences and loses one; a beats c in four and loses none; b beats c in three, loses one."""
    result = errorbar.compare(scores=recorded(**VALUES), resamples=200, aggregate="expected-wins")
    expected = [(4 / 5 + 1) / 2, (1 / 5 + 3 / 4) / 2, (0 + 1 / 4) / 2]
    assert result.found.values.tolist() == pytest.approx(expected)
    assert "|wins:expected-wins|" in result.signature


def test_scores_of_sentences_need_no_means() -> None:
    bare = MetricScores("it", {}, recorded(**VALUES).sentences)
    assert errorbar.compare(scores=bare, ci=False).found.names == ("a", "b", "c")


def test_documents_are_swapped_as_one() -> None:
    documents = ["x", "x", "y", "y", "z", "z"]
    result = errorbar.compare(scores=recorded(**VALUES), documents=documents, resamples=200)
    assert result.unit == "document"
    assert "by:document:" in result.signature
    assert [note.code for note in result.notes] == ["few-documents", "few-to-swap"]  # as of any metric


def test_two_identical_systems_score_alike() -> None:
    (pair,) = errorbar.compare(scores=recorded(a=VALUES["a"], b=VALUES["a"]), resamples=200).pairs
    assert pair.verdict.result == "score alike"


@pytest.mark.parametrize(("adjust", "p"), [("holm", 4 / 16), ("max-t", 2 / 16)])
def test_pairs_that_score_alike_count_in_no_adjustment_and_the_notes_say_so(adjust: Adjust, p: float) -> None:
    """c is below a and b, which are alike, in each of four sentences: 2/16 of one pair, by Holm twice that."""
    ahead, behind = [1.0, 0.75, 0.5, 1.0], [0.5, 0.5, 0.25, 0.0]
    result = errorbar.compare(scores=recorded(a=ahead, b=ahead, c=behind), adjust=adjust)
    assert [pair.p for pair in result.pairs] == [None, p, p]
    notes = " ".join(result.pair_table().notes)
    assert "adjusted for the 2 of 3 pairs with a p-value, which decides" in notes
    assert "only p is adjusted for the 2 of 3 pairs with a p-value" in notes


@pytest.mark.parametrize(
    ("rows", "code", "place"),
    [
        (ROWS[:7] + ROWS[8:], "scores-missing", "sentence 2 of 'b'"),
        ([row for row in ROWS if ",it,3," not in row], "scores-missing", "sentence 3"),
        ([*ROWS[:3], "a,it,4,nan", *ROWS[4:]], "scores-number", ":5"),
        ([*ROWS, ROWS[-1]], "scores-twice", ":20"),
        ([*ROWS, ",it,1,0.5"], "scores-line", ":20"),
        (["a,it,,0.5", "b,it,,0.25"], "scores-missing", "no scores of sentences"),
        (ROWS[:6], "one-system", ""),
        ([*ROWS, *(row.replace(",it,", ",other,") for row in ROWS)], "scores-missing", "2 metrics"),
        (ROWS[::6], "one-unit", ""),
    ],
)
def test_bad_scores_are_refused_with_their_place(tmp_path: Path, rows: list[str], code: str, place: str) -> None:
    with pytest.raises(ErrorbarError) as caught:
        errorbar.compare(scores=write(tmp_path / "it.csv", rows))
    assert caught.value.code == code
    assert place in str(caught.value)


def test_a_column_in_other_letters_is_named(tmp_path: Path) -> None:
    path = tmp_path / "it.csv"
    path.write_text("System,Sentence,Score\na,1,0\nb,1,1\n")
    with pytest.raises(ErrorbarError, match=r"no column 'system'.*did you mean 'System'"):
        errorbar.compare(scores=path)


def test_scores_in_memory_must_be_numbers() -> None:
    with pytest.raises(ErrorbarError, match="sentence 2 of 'b'") as caught:
        errorbar.compare(scores=recorded(a=[1.0, 0.5], b=[0.5, nan]))
    assert caught.value.code == "scores-number"


@pytest.mark.parametrize("score", ["0.5", None, 1e308, 10**400, nan], ids=["text", "none", "large", "whole", "nan"])
def test_what_is_in_memory_is_checked_as_a_file_is(score: Any) -> None:  # noqa: ANN401
    """Wherever it is used: a score of a sentence, or of a system."""
    rows = {str(k): {"a": 1.0, "b": score if k == 2 else 0.5} for k in range(1, 8)}
    known = {"a": 1.0, "b": 0.5}
    uses: list[Callable[[], object]] = [
        lambda: errorbar.compare(scores=MetricScores("it", {}, rows)),
        lambda: errorbar.meta(MetricScores("human", known), MetricScores("it", known, rows)),
        lambda: errorbar.meta(MetricScores("human", known), MetricScores("it", {"a": 1.0, "b": score})),
        lambda: errorbar.meta(MetricScores("human", {"a": 1.0, "b": score}), MetricScores("it", known)),
        lambda: errorbar.attack(**TEXTS, only="unchanged", scores=MetricScores("it", {"b": score})),
    ]
    for use in uses:
        with pytest.raises(InputError) as caught:
            use()
        assert {problem.code for problem in caught.value.problems} == {"scores-number"}


def test_scores_of_sentences_are_enough_everywhere() -> None:
    """In memory as in a file: the score of a system is the mean of its sentences."""
    bare = MetricScores("it", {}, recorded(**VALUES).sentences)
    human = MetricScores("human", {"a": 3.0, "b": 1.0, "c": 2.0})
    whole = errorbar.meta(human, recorded(**VALUES), tests=False).to_dict()
    assert errorbar.meta(human, bare, tests=False).to_dict() == whole
    rows = {"1": {"unchanged": 0.5, "mine": 0.75}, "2": {"unchanged": 0.5, "mine": 0.0}}
    (ranked,) = errorbar.attack(**TEXTS, only="unchanged", scores=MetricScores("it", {}, rows))["it"].attacks
    assert (ranked.attack.estimate.value, ranked.rank) == (0.5, 1)


def test_numbers_of_sentences_can_be_numbers() -> None:
    rows: Any = {k + 1: row for k, row in enumerate(recorded(**VALUES).sentences.values())}
    same = errorbar.compare(scores=recorded(**VALUES), ci=False).to_dict()
    assert errorbar.compare(scores=MetricScores("it", {}, rows), ci=False).to_dict() == same


def test_the_order_of_rows_changes_no_digit(tmp_path: Path) -> None:
    """Nor the signature; that of sentences with names does, and the signature says so."""
    whole = errorbar.compare(scores=write(tmp_path / "it.csv", ROWS), resamples=200).to_dict()
    turned = errorbar.compare(scores=write(tmp_path / "it.csv", [*ROWS[:6][::-1], *ROWS[6:]]), resamples=200).to_dict()
    assert turned == whole
    named = {f"s{name}": row for name, row in recorded(**VALUES).sentences.items()}
    one, other = (
        errorbar.compare(scores=MetricScores("it", {}, rows), ci=False).signature
        for rows in (named, dict(reversed(named.items())))
    )
    assert one != other


@pytest.mark.parametrize("scale", [1e-5, 1e3, 1e6, 1e12])
def test_scores_of_any_size_are_compared_alike(scale: float) -> None:
    """At a large scale no corpus shows a difference of .01, which is no reason to compare nothing."""
    one = errorbar.compare(scores=recorded(**VALUES), resamples=200)
    other = errorbar.compare(
        scores=recorded(**{name: [scale * value for value in own] for name, own in VALUES.items()}), resamples=200
    )
    assert [pair.p for pair in other.pairs] == [pair.p for pair in one.pairs]
    for pair, same in zip(other.pairs, one.pairs, strict=True):
        assert isinstance(pair.interval, Interval)
        assert isinstance(same.interval, Interval)
        assert pair.interval.low == pytest.approx(scale * same.interval.low)
        assert pair.power.standard_deviation == pytest.approx(scale * (same.power.standard_deviation or nan))


def test_scores_that_rounding_would_blur_are_refused() -> None:
    """Their wins are counted all the same."""
    tiny = recorded(**{name: [1e-13 * value for value in own] for name, own in VALUES.items()})
    with pytest.raises(UsageError, match="too small to tell differences from rounding") as caught:
        errorbar.compare(scores=tiny)
    assert caught.value.code == "scores-tiny"
    wins = errorbar.compare(scores=recorded(**VALUES), aggregate="expected-wins", ci=False).found.values.tolist()
    assert errorbar.compare(scores=tiny, aggregate="expected-wins", ci=False).found.values.tolist() == wins


def test_the_name_of_a_metric_keeps_its_digits() -> None:
    scores = MetricScores("gpt-4", {}, recorded(**VALUES).sentences)
    assert errorbar.compare(scores=scores, ci=False).pair_table().columns[2].title == "gpt-4 diff"


def test_a_number_of_a_sentence_that_is_too_long_is_a_name(tmp_path: Path) -> None:
    rows = [row.replace("it,6,", f"it,{'9' * 5000},") for row in ROWS]
    assert errorbar.compare(scores=write(tmp_path / "it.csv", rows), ci=False).data.n_units == 6


def test_documents_of_another_number_are_refused() -> None:
    with pytest.raises(ErrorbarError, match="2 documents are named, and 6 sentences have scores"):
        errorbar.compare(scores=recorded(**VALUES), documents=["x", "y"])


def test_options_about_outputs_are_refused() -> None:
    with pytest.raises(UsageError) as caught:
        errorbar.compare(scores=recorded(**VALUES), metric="gleu")
    assert caught.value.code == "useless-option"


def test_a_score_that_is_no_mean_is_noted(tmp_path: Path) -> None:
    result = errorbar.compare(scores=write(tmp_path / "it.csv", ["a,it,,0.9", *ROWS]), resamples=200)
    assert [note.code for note in result.notes if note.code == "scores-not-mean"] == ["scores-not-mean"]


def test_the_command(errorbar: CommandLine, tmp_path: Path) -> None:
    path = write(tmp_path / "it.csv", ROWS)
    done = errorbar("compare", "--scores", f"mine={path}", "--resamples", "200", "--format", "json")
    assert [row["system"] for row in validated("compare", done.out)["systems"]] == ["a", "b", "c"]
    gate = errorbar("compare", "--scores", str(path), "--resamples", "200", "--fail-if-worse", "0.01")
    assert gate.code == 1
    alike = write(path, [f"{name},it,{n},{value}" for n in range(1, 9) for name, value in (("a", 0.5), ("b", 0.25))])
    undecided = errorbar("compare", "--scores", str(alike), "--fail-if-worse", "0.01")
    assert (undecided.code, "[gate-undecided]" in undecided.err) == (2, True)
    assert "--judges" not in undecided.err  # there are none to fix


@pytest.mark.parametrize(
    ("options", "ways"),
    [
        ({}, 200),
        ({"adjust": "holm"}, 599),
        ({"confidence": 0.999}, 1999),
        ({"swaps": 300}, 300),
        ({"systems": 4}, 2000),
    ],
)
def test_fewer_ways_to_swap_can_still_decide(options: dict[str, Any], ways: int) -> None:
    """By TrueSkill a tenth of the ways is tried of more than four systems, whatever the level and the adjustment."""
    more = dict(options)
    names = "abcdef"[: more.pop("systems", 6)]
    rows = recorded(**{name: [float(k) for _ in range(25)] for k, name in enumerate(names)})
    result = errorbar.compare(scores=rows, aggregate="trueskill", ci=False, **more)
    assert result.to_dict()["swaps"] == ways
    assert not any(pair.undecided for pair in result.pairs)
