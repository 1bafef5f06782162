"""The coverage of intervals of samples is what docs/measurements/sampling.md shows."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest

from errorbar import read_corpus, sample_draw
from errorbar.edits import edit_items
from errorbar.sampling.frame import TARGETS
from tests.helpers.cli import CommandLine
from tests.helpers.page_rows import rows_of_page
from tests.sampling.coverage import (
    BUDGETS,
    DESIGNS,
    FORMS,
    assisted_row,
    design_coverage,
    difference_coverage,
    pilot_coverage,
    real_population,
    real_row,
)

MEASURED = (Path(__file__).resolve().parents[1] / "measured" / "sampling.md").read_text(encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize("design", DESIGNS)
def test_designs(design: str) -> None:
    for target in TARGETS:
        found = design_coverage(design, target)
        assert 0.93 <= found["reported"] <= 0.99  # the few errors of a small rate come in steps
        assert f"| {design}: {target} | {' | '.join(f'{value:.3f}' for value in found.values())} |" in MEASURED


@pytest.mark.slow
@pytest.mark.parametrize(("projection", "title"), [("words", "prepositions"), ("tokens", "all tokens")])
def test_real_data(projection: str, title: str, data: Path) -> None:
    strata, errors = real_population(data, projection)  # type: ignore[arg-type]  # a text that was chosen among the projections
    for budget in BUDGETS:
        for target, designs in real_row(strata, errors, budget).items():
            stratified, random = designs["stratified"], designs["simple random"]
            if stratified["half-width"] > 0:
                assert 0.93 <= stratified["coverage"] <= 0.98
            assert stratified["half-width"] < random["half-width"]
            cells = [f"{design[key]:{form}}" for design in designs.values() for key, form in FORMS.items()]
            assert f"| {title}, {budget}: {target} | {stratified['truth']:.3f} | {' | '.join(cells)} |" in MEASURED


def in_page(name: str, found: dict[str, float]) -> None:
    assert all(0.93 <= value <= 0.98 for value in found.values())
    (row,) = [line for line in MEASURED.splitlines() if line.startswith(f"| {name} |")]
    printed = [float(cell) for cell in row.split("|")[2:5]]
    assert printed == pytest.approx(list(found.values()), abs=0.00051)  # halves may be printed either way


@pytest.mark.slow
def test_difference() -> None:
    in_page("difference", difference_coverage())


@pytest.mark.parametrize("budget", rows_of_page(BUDGETS))
def test_pilot(budget: int) -> None:
    in_page(f"pilot, budget {budget}", pilot_coverage(budget))


@pytest.mark.parametrize("budget", rows_of_page(BUDGETS))
def test_votes(budget: int, data: Path) -> None:
    found = assisted_row(data, budget)
    for name, measured in found.items():
        assert 0.93 <= measured["coverage"] <= 0.99  # near-exact intervals hold more rather than less
        assert (
            f"| {budget}, {name} | {' | '.join(f'{measured[key]:{form}}' for key, form in FORMS.items())} |" in MEASURED
        )
    assert found["with votes"]["half-width"] < found["experts"]["half-width"]


# What docs/sampling.md says is the truth is that; tests/test_docs.py runs its commands with those of all pages.


PAGE = Path(__file__).resolve().parents[2] / "docs" / "sampling.md"


def test_the_truth_of_the_tutorial(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine) -> None:
    monkeypatch.chdir(tmp_path)
    assert errorbar("demo", "--save", "demo").code == 0
    frame = sample_draw("demo/greedy.txt", corpus="demo/gold.jsonl", budget=100).frame
    judgments = edit_items(read_corpus(["demo/gold.jsonl"]), "tokens").judgments
    votes = Counter(judgments.item[judgments.label == judgments.labels.index("error")].tolist())
    errors = {judgments.items[code] for code, n in votes.items() if n >= 2}  # of three annotators
    flagged = {item for item, flag in zip(frame.items, frame.flags[0].tolist(), strict=True) if flag}
    hits = len(errors & flagged)
    scores = hits / len(flagged), hits / len(errors), 2 * hits / (len(flagged) + len(errors))
    truth = ", ".join(f"{name} {100 * value:.2f}" for name, value in zip("PRF", scores, strict=True))
    said = " ".join(PAGE.read_text(encoding="utf-8").split())
    assert f"judged all {len(frame.items)} tokens, so the truth is known: {truth}." in said
