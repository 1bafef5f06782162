"""meta that computes metrics itself: equal to what score gives, to ways to swap written out, and to the command."""

from __future__ import annotations

import json
from itertools import combinations, product
from pathlib import Path
from typing import Any

import pytest

from errorbar import Hypothesis, Problems, attack, meta, read_corpus, score
from errorbar.api import ReadingOptions
from errorbar.api.meta import Outputs
from errorbar.core import InputError, MetricScores, UsageError
from errorbar.metrics import parse_metrics
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine
from tests.ranking.test_soft_accuracy import chance
from tests.thirdparty.character_rate import CharacterRate

SENTENCES = [
    "a cats sat on mat .",
    "he go home now .",
    "they is late again .",
    "it rain all day .",
    "we was there once .",
]
FIXED = [
    "a cat sat on mat .",
    "he goes home now .",
    "they are late again .",
    "it rains all day .",
    "we were there once .",
]
SYSTEMS = {
    "good": [*FIXED[:4], SENTENCES[4]],
    "fair": [FIXED[0], SENTENCES[1], FIXED[2], "it rained all day .", SENTENCES[4]],
    "none": SENTENCES,
}
JUDGED = "system1,system2,winner,sentence\n" + "".join(
    f"{one},{two},{winner},{n}\n"
    for one, two, said in (("good", "fair", "11021"), ("good", "none", "11112"), ("fair", "none", "10110"))
    for n, winner in enumerate(({"1": one, "2": two, "0": "tie"}[each] for each in said), 1)
)
METRICS = ["m2", "gleu"]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    blocks = []
    for before, after in zip(SENTENCES, FIXED, strict=True):
        words, fixed = before.split(), after.split()
        (at,) = (k for k, (one, two) in enumerate(zip(words, fixed, strict=True)) if one != two)
        blocks.append(f"S {before}\nA {at} {at + 1}|||X|||{fixed[at]}|||REQUIRED|||-NONE-|||0\n\n")
    Path("gold.m2").write_text("".join(blocks))
    Path("judged.csv").write_text(JUDGED)
    for name, lines in SYSTEMS.items():
        Path(name).write_text("".join(f"{line}\n" for line in lines))
    Path("known.csv").write_text("system,score\ngood,3\nfair,2\nnone,1\n")


def main_value(metric: object, lines: list[str]) -> float:
    (found,) = score("gold.m2", Hypothesis("x", lines), metric, ci=False)  # type: ignore[arg-type]  # any metric
    value = found.estimates[found.main].value
    assert value is not None
    return value


@pytest.mark.parametrize("metric", [*METRICS, CharacterRate()], ids=str)
def test_soft_accuracy_is_of_all_ways_to_swap_sentences(metric: object) -> None:
    """Every mixture of two systems is scored on its own, as a system that wrote it."""
    found = meta("judged.csv", gold="gold.m2", systems=list(SYSTEMS), metric=metric, resamples=20)  # type: ignore[arg-type]  # any metric
    sign = -1 if isinstance(metric, CharacterRate) else 1
    losses = []
    for pair in combinations(SYSTEMS, 2):
        first, second = (SYSTEMS[each] for each in pair)
        differences = []
        for way in product((False, True), repeat=len(SENTENCES)):
            mixed = [b if swap else a for a, b, swap in zip(first, second, way, strict=True)]
            other = [a if swap else b for a, b, swap in zip(first, second, way, strict=True)]
            differences.append(sign * (main_value(metric, mixed) - main_value(metric, other)))
        observed = differences[0]
        above = sum(each > observed + 1e-9 for each in differences)
        equal = sum(abs(each - observed) <= 1e-9 for each in differences)
        p_metric = (above + equal / 2) / len(differences)
        rows = [line.split(",") for line in JUDGED.splitlines()[1:]]
        said = [(a == pair[0], winner == a) for a, b, winner, _ in rows if {a, b} == set(pair) and winner != "tie"]
        losses.append(abs(chance([1.0 if first == won else -1.0 for first, won in said]) - p_metric))
    (soft,) = found.soft
    assert soft.accuracy.value == pytest.approx(1 - sum(losses) / 3)
    assert soft.accuracy.interval is not None
    assert soft.accuracy.n_units == 3


def test_scores_are_those_of_score() -> None:
    found = meta("judged.csv", gold="gold.m2", systems=SYSTEMS, metric=METRICS, ci=False, tests=False)
    human = {name: MetricScores(name, {each: main_value(name, SYSTEMS[each]) for each in SYSTEMS}) for name in METRICS}
    alone = meta("judged.csv", [*human.values()], ci=False, tests=False)
    for one, two in zip(found.agreements, alone.agreements, strict=True):
        assert one == two
    assert [each.accuracy.value is None for each in alone.soft] == [True, True]
    assert all(signature is not None for signature in found.signatures.values())


def test_scores_of_sentences_are_those_of_sentences_alone() -> None:
    """Each sentence as a corpus of its own, scored by ``score``."""
    found = meta("judged.csv", gold="gold.m2", systems=SYSTEMS, sentences=True, ci=False)
    rows = []
    for n, line in enumerate(Path("gold.m2").read_text().split("\n\n")[:-1]):
        Path("one.m2").write_text(f"{line}\n\n")
        for name, lines in SYSTEMS.items():
            (alone,) = score("one.m2", Hypothesis("x", [lines[n]]), ci=False)
            rows.append((name, str(n + 1), alone.estimates[alone.main].value))
    sentences: dict[str, dict[str, float]] = {}
    for name, sentence, value in rows:
        assert value is not None
        sentences.setdefault(sentence, {})[name] = value
    recorded = MetricScores("m2", dict.fromkeys(SYSTEMS, 0.0) | {"good": 1.0}, sentences)
    known = meta("judged.csv", recorded, sentences=True, ci=False)
    assert found.by_sentence == known.by_sentence
    assert found.by_sentence is not None
    assert found.by_sentence[0].n_left_out == 0


@pytest.mark.parametrize("metric", ["m2", "tokens", "behavior"])
def test_a_sentence_that_nobody_looked_at_has_no_score(metric: str) -> None:
    corpus = read_corpus("gold.m2")
    corpus.sentences[1].annotations.clear()
    (measured,) = parse_metrics(metric)
    known = MetricScores("humans", {"good": 3.0, "fair": 2.0, "none": 1.0})
    outputs = Outputs(
        gold=corpus, systems=SYSTEMS, metrics=[measured], reading=ReadingOptions(), first_sentence=1, seed=0
    )
    (found,) = outputs.compute(known.systems, Problems())
    assert sorted(found.scores.sentences) == ["1", "3", "4", "5"]
    for sentence in corpus.sentences:
        sentence.annotations.clear()
    (found,) = outputs.compute(known.systems, Problems())
    assert not found.scores.sentences
    assert not found.scores.systems


def test_the_command_prints_what_the_function_returns(errorbar: CommandLine) -> None:
    words = (
        "--human",
        "judged.csv",
        "--gold",
        "gold.m2",
        "--metric",
        "m2",
        "--metric",
        "gleu",
        "--scores",
        "known.csv",
    )
    done = errorbar("meta", *words, *SYSTEMS, "--resamples", 30, "--show", "sentences", "--format", "json")
    assert done.code == 0, done.err
    found = validated("meta", done.out)
    given = {"gold": "gold.m2", "systems": [*SYSTEMS], "metric": METRICS, "resamples": 30, "sentences": True}
    expected = meta("judged.csv", "known.csv", **given)  # type: ignore[arg-type]  # of several kinds
    assert {key: found[key] for key in expected.to_dict()} == json.loads(json.dumps(expected.to_dict()))
    assert [each["metric"] for each in found["metrics"]] == ["m2", "gleu", "known"]
    assert found["metrics"][2]["soft_pairwise_accuracy"]["undefined"] == "no scores of sentences"
    assert found["metrics"][0]["signature"].startswith("m2|")
    table = errorbar("meta", *words, *SYSTEMS, "--resamples", 30).out
    assert [line.split()[1] for line in table.splitlines()[2:14]] == ["Pearson", "Spearman", "Kendall", "SPA"] * 3
    assert "SPA: soft pairwise accuracy over the 3 pairs of systems" in table
    rows = errorbar("meta", *words, *SYSTEMS, "--resamples", 30, "--format", "csv").out.splitlines()
    assert len(rows) == 13


def test_human_scores_of_sentences_are_swapped_as_metrics_are() -> None:
    sentences = {str(n): {"good": 2.0 + n % 2, "fair": 1.0 + n % 3, "none": float(n % 2)} for n in range(5)}
    human = MetricScores("human", {"good": 3.0, "fair": 2.0, "none": 1.0}, sentences)
    (same,) = meta(human, MetricScores("m", human.systems, sentences)).soft
    assert (same.accuracy.value, same.accuracy.n_units, same.accuracy.interval) == (1.0, 3, None)


def test_signatures_name_what_soft_accuracy_rests_on() -> None:
    """Swaps of recorded scores are random, and what is swapped of the judgments is said by ``by``."""
    known = {str(n): {name: float((n * at) % 7) for at, name in enumerate(SYSTEMS, 1)} for n in range(20)}
    scores = MetricScores("known", {"good": 3.0, "fair": 2.0, "none": 1.0}, known)
    systems = MetricScores("systems", scores.systems)

    Path("judged.csv").write_text(JUDGED + JUDGED.partition("\n")[2])  # each pair twice of a sentence

    def seen(**how: Any) -> tuple[object, ...]:  # noqa: ANN401 - as meta takes it
        found = meta("judged.csv", [scores, systems], ci=False, tests=False, **how)
        assert found.signatures["systems"] is None
        return found.soft[0].accuracy.value, found.signature, found.signatures["known"]

    usual, seeded, by = seen(by="sentence"), seen(by="sentence", seed=1), seen(by="comparison")
    assert usual[0] != seeded[0] != by[0] != usual[0]
    assert usual[2] != seeded[2]
    assert usual[1] != by[1]
    other = meta("judged.csv", MetricScores("known", scores.systems, known | {"0": {"good": 9.0}}), ci=False)
    assert other.signatures["known"] != usual[2]


def test_who_is_missing_is_named(errorbar: CommandLine) -> None:
    given = {"gold": "gold.m2", "ci": False}
    with pytest.raises(InputError) as refused:
        meta("judged.csv", systems=["good", "fair", "nome=none"], **given)  # type: ignore[arg-type]  # of several kinds
    assert [each.code for each in refused.value.problems] == ["meta-missing-system", "meta-unknown-system"]
    assert "there is no output of 'none', which humans ranked; did you mean 'nome'?" in str(refused.value)
    assert "no human ranked 'nome'; did you mean 'none'?" in str(refused.value)
    found = meta("judged.csv", systems=["good", "fair", "nome=none"], lenient=True, **given)  # type: ignore[arg-type]  # of several kinds
    assert found.human.systems == ("good", "fair")
    assert found.soft[0].accuracy.n_units == 1
    assert {each.code for each in found.notes} >= {"meta-missing-system", "meta-unknown-system"}
    done = errorbar("meta", "--human", "judged.csv", "--gold", "gold.m2", "good", "fair")
    assert (done.code, done.out) == (2, "")
    assert "error: there is no output of 'none', which humans ranked" in done.err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--gold", "gold.m2", "good", "fair", "none"), "nothing says how humans ranked the systems; name a file"),
        ((), "nothing says how humans ranked the systems"),
        (("judged.csv",), "there is no metric to look at"),
        (("judged.csv", "known.csv", "--metric", "m2"), "--metric is about SYSTEMS"),
        (("judged.csv", "known.csv", "--force"), "--force is about SYSTEMS"),
        (("--human", "judged.csv", "--gold", "gold.m2"), "there is no system to score"),
        (("--human", "judged.csv", "--gold", "gold.m2", "--metric", "m3", *SYSTEMS), "no metric is called 'm3'"),
        (("--human", "judged.csv", "--gold", "gold.m2", "--metric", "hoo", *SYSTEMS), "hoo"),
        (("--human", "judged.csv", "--gold", "gold.m2", "--metric", "m2", "--metric", "m2", *SYSTEMS), "metric"),
        (("--human", "judged.csv", "--gold", "gold.m2", "--beta", "1", *SYSTEMS), "--beta is about SCORES"),
        (("judged.csv", "known.csv", "--show", "test"), "--show must be sentences, tests, tests=N or window=N"),
        (("judged.csv", "known.csv", "--show", "tests=0"), "got 'tests=0'"),
        (("judged.csv", "known.csv", "--show", "tests", "--show", "window=3", "--format", "csv"), "CSV holds one"),
    ],
)
def test_refused(errorbar: CommandLine, words: tuple[str, ...], message: str) -> None:
    done = errorbar("meta", *words)
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_scores_in_a_folder_with_an_equals_sign_in_its_name() -> None:
    """As systems and references: what stands before it is a name only where it has no slash."""
    Path("run=1").mkdir()
    scores = Path("known.csv").rename(Path.cwd() / "run=1" / "known.csv")
    Path("human.csv").write_text("system,score\ngood,3\nfair,2\nnone,1\n")
    for given, name in ((str(scores), "known"), (scores, "known"), (f"mine={scores}", "mine")):
        assert [each.metric for each in meta("human.csv", given).agreements] == [name]
    assert [each.metric for each in attack("gold.m2", scores=str(scores), lenient=True).rankings] == ["known"]


def test_nothing_is_computed_without_a_reference() -> None:
    for given in ({"systems": ["good"]}, {"metric": "m2"}):
        with pytest.raises(UsageError, match="no reference to compute a metric with"):
            meta("judged.csv", "known.csv", **given)
