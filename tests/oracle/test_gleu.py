"""GLEU against the published script under Python 2.7 (published/gleu_recorded.csv), and against draws."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import product
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

import errorbar
from errorbar import Corpus, Hypothesis, Resampling
from errorbar.core.estimate import BootstrapMethod
from errorbar.edits import parallel_sentences
from errorbar.formats import ParallelLine, read_corpus
from errorbar.metrics.gleu import Gleu, draw_moments, expected_gleu, gleu_counts, gleu_value
from tests.helpers.official import read_lines, read_table
from tests.helpers.scoring import score


@cache
def conll(data: Path) -> Corpus:
    return read_corpus([data / "conll14/noalt/official-2014.combined.m2"])


def of_texts(source: Sequence[str], references: Mapping[str, Sequence[str]]) -> Corpus:
    lines = [
        ParallelLine(k, text, tuple(said))
        for k, (text, *said) in enumerate(zip(source, *references.values(), strict=True), 1)
    ]
    return Corpus(list(parallel_sentences(lines, list(references))), tuple(references))


def shown(corpus: Corpus, lines: Sequence[str]) -> str:
    (result,) = score(corpus, [Hypothesis("it", lines)], [Gleu(draws="published")])
    assert result["gleu"].value is not None
    return f"{result['gleu'].value:.6f}"


@pytest.mark.parametrize("number", [3, pytest.param(13, marks=pytest.mark.slow)])
def test_conll2014(data: Path, published: Path, number: int) -> None:
    rows = [row for row in read_table(published / "gleu_recorded.csv") if row["corpus"] == "conll14"]
    assert len(rows) == 13
    for row in rows[:number]:
        lines = read_lines(data / "conll14_systems/official_submissions" / row["hypothesis"])
        assert shown(conll(data), lines) == row["gleu"], row


def test_jfleg(data: Path, published: Path) -> None:
    rows = [row for row in read_table(published / "gleu_recorded.csv") if row["corpus"] == "jfleg_dev"]
    assert len(rows) == 6
    folder = data / "jfleg_dev"
    source = read_lines(folder / "dev.src")
    texts = {str(k): read_lines(folder / f"dev.ref{k}") for k in range(4)}
    for row in rows:
        against = {name: text for name, text in texts.items() if row["hypothesis"] != f"dev.ref{name}"}
        assert shown(of_texts(source, against), read_lines(folder / row["hypothesis"])) == row["gleu"], row


def many_draws(counts: NDArray[np.float64], n_draws: int) -> tuple[float, float]:
    """Mean GLEU of random draws and its standard error; what is linear in the sums has a known mean."""
    rng, means = np.random.default_rng(0), counts.mean(axis=1).sum(axis=0)
    slopes = [
        (gleu_value(means + step) - gleu_value(means - step)) / (2 * step.max())
        for step in np.eye(counts.shape[2]) * 0.01
    ]
    values = []
    for _ in range(n_draws // 1000):
        picks = rng.integers(0, counts.shape[1], (1000, len(counts)))
        sums = sum((picks == k).astype(float) @ counts[:, k] for k in range(counts.shape[1]))
        values.append(gleu_value(sums) - (sums - means) @ np.array(slopes))
    found = np.concatenate(values)
    return float(found.mean()), float(found.std() / np.sqrt(len(found)))


@pytest.mark.parametrize(("n_sentences", "near"), [(754, 1e-6), (300, 1e-5), (100, 5e-5)])
def test_the_form_without_draws_against_draws(data: Path, n_sentences: int, near: float) -> None:
    folder = data / "jfleg_dev"
    source = read_lines(folder / "dev.src")[:n_sentences]
    references = zip(*(read_lines(folder / f"dev.ref{k}")[:n_sentences] for k in range(4)), strict=True)
    counts = np.array(
        [
            [gleu_counts(text, reference, text) for reference in its_references]
            for text, its_references in zip(source, references, strict=True)
        ],
        float,
    )
    value = float(expected_gleu(draw_moments(counts, np.ones(counts.shape[:2], bool)).sum(axis=0)))
    mean, error = many_draws(counts, 20_000)
    assert error < near
    assert abs(value - mean) < near + 3 * error


@pytest.mark.parametrize(("n_sentences", "missed"), [(1, 0.03), (5, 0.01)])
def test_of_few_sentences_the_form_without_draws_is_rough(data: Path, n_sentences: int, missed: float) -> None:
    """By as much as the page of the metric says: root mean square, beside all ways to draw."""
    folder = data / "jfleg_dev"
    source, *references = (read_lines(folder / name) for name in ("dev.src", *(f"dev.ref{k}" for k in range(4))))
    ways, errors = np.array([*product(range(4), repeat=n_sentences)]), []
    for at in range(0, 750, 5):
        units = range(at, at + n_sentences)
        counts = np.array([[gleu_counts(source[u], own[u], source[u]) for own in references] for u in units], float)
        value = float(expected_gleu(draw_moments(counts, np.ones(counts.shape[:2], bool)).sum(axis=0)))
        errors.append(value - gleu_value(counts[np.arange(n_sentences), ways].sum(axis=1)).mean())
    assert np.sqrt(np.mean(np.square(errors))) == pytest.approx(missed, rel=0.25)


def test_sentences_have_the_mean_over_their_references() -> None:
    """By hand; the script's smoothing puts 1 for each 0."""
    corpus = of_texts(["a b c d"], {"one": ["a b c d"], "two": ["a b c e"]})
    (result,) = score(corpus, [Hypothesis("it", ["a b c d"])], [Gleu()], by_sentence=True)
    # The n-grams with d are the source's, and gone from the second reference: 3 - 1, 2 - 1, 1 - 1 -> 1, 0 -> 1.
    second = (2 / 4 * 1 / 3 * 1 / 2 * 1 / 1) ** 0.25
    assert result.by_unit[0].values["gleu"] == pytest.approx((1 + second) / 2, abs=1e-12)


def test_what_nobody_wrote_counts_with_no_reference() -> None:
    corpus = of_texts(["a b c d e", "f"], {"one": ["a b c d f", "f"], "two": ["a b x d e", "f"]})
    corpus.sentences[1].annotations = {}
    (result,) = score(corpus, [Hypothesis("it", ["a b c d e", "g"])], [Gleu(draws="published")])
    assert result.n_units == 1


def test_an_output_without_words_scores_nothing() -> None:
    corpus = of_texts(["a b c d e"], {"one": ["a b c d f"]})
    results = score(corpus, [Hypothesis("it", [""])], [Gleu(), Gleu(draws="published")])
    assert [result["gleu"].value for result in results] == [0.0, 0.0]


def test_comparisons_and_ceilings_are_without_draws_and_say_so() -> None:
    gold = of_texts(
        ["a b c d e", "f g h i"] * 3, {"one": ["a b c d f", "f g h j"] * 3, "two": ["a b x d e", "f g h i"] * 3}
    )
    systems = {"it": ["a b c d f", "f g h i"] * 3, "other": ["a b c d e", "f g h j"] * 3}
    for name in ("compare", "ceiling"):
        made = [getattr(errorbar, name)(gold, systems, spec, ci=False) for spec in ("gleu(draws=published)", "gleu")]
        assert made[0].to_dict() == made[1].to_dict()
        assert str(made[0].signature).startswith("gleu|")


@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
def test_both_forms_have_the_intervals_of_the_value_without_draws(method: BootstrapMethod) -> None:
    """The published draws are some way off: they shift no interval."""
    rng = np.random.default_rng(3)
    source, lines = ([" ".join(rng.choice(list("abcd"), 12)) for _ in range(40)] for _ in range(2))
    references = {who: [" ".join(rng.choice(list("abcd"), 12)) for _ in source] for who in ("one", "two", "three")}
    metrics = [Gleu(), Gleu(draws="published")]
    resampling = Resampling(method=method, replicates=200)
    gold = of_texts(source, references)
    exact, drawn = score(gold, [Hypothesis("it", lines)], metrics, resampling=resampling)
    assert exact.estimate.value != drawn.estimate.value
    assert exact.estimate.interval is not None
    assert exact.estimate.interval == drawn.estimate.interval
