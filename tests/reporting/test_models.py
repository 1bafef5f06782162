"""The section on language models among the raters: there where some are, and nothing else of the page changes."""

from __future__ import annotations

import csv
from pathlib import Path

import numpy as np
import pytest

from errorbar import crowd_models, report, sample_draw, sample_estimate


@pytest.fixture(scope="module")
def tables(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Judgments of people and two models, and those of people alone."""
    rng, rows = np.random.default_rng(0), []
    for number in range(60):
        truth = rng.random() < 0.4
        for rater, kind, accuracy in (
            *((f"h{person}", "human", 0.85) for person in rng.choice(6, 3, replace=False)),
            ("model:one@00000000", "model", 0.75),
            ("model:two@11111111", "model", 0.5),
        ):
            says = truth == (rng.random() < accuracy)
            rows.append((f"i{number}", rater, "error" if says else "ok", kind))
    folder = tmp_path_factory.mktemp("judgments")
    paths = folder / "mixed.csv", folder / "people.csv"
    for path, kinds in zip(paths, (("human", "model"), ("human",)), strict=True):
        with path.open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(("item", "rater", "label", "rater_kind"))
            writer.writerows(row for row in rows if row[3] in kinds)
    return paths


def section_of(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("## Language models as raters")[2].partition("\n## ")[0]


def test_the_section_has_the_numbers_of_the_command(tables: tuple[Path, Path], tmp_path: Path) -> None:
    report(judgments=tables[0], resamples=20).save(tmp_path / "page.md")
    section = section_of(tmp_path / "page.md")
    result = crowd_models(str(tables[0]))
    for row in result.measures:
        value, people = (f"{100 * (estimate.value or 0):.2f}" for estimate in (row.estimate, row.people))
        assert f"| {row.model} | {row.measure} | all | {row.n_judgments} |" in section
        assert f"| {value} | " in section
        assert f"| {people} | " in section
    assert section.count("model-only") == 2 + 1  # a row for each model, and the note


def test_what_people_say_is_the_same_with_and_without_models(tables: tuple[Path, Path], tmp_path: Path) -> None:
    pages = []
    for path in tables:
        report(judgments=path, resamples=20).save(tmp_path / "page.md")
        text = (tmp_path / "page.md").read_text(encoding="utf-8")
        pages.append(text.partition("## Agreement")[2].partition("\n## ")[0])
    assert pages[0] == pages[1] != ""
    assert not section_of(tmp_path / "page.md")


def test_the_page_has_a_chart_of_models_beside_people(tables: tuple[Path, Path], tmp_path: Path) -> None:
    report(judgments=tables[0], resamples=20).save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Language models as raters" in page
    assert "models-chart" in page


def test_a_judged_sample_has_its_estimates_without_and_with_a_model(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    truth = rng.random(400) < 0.2
    right = rng.random((2, 400)) < np.array([[0.8], [0.93]])
    flags, said = (np.where(row, truth, ~truth) for row in right)
    lines = [f"i{n},{int(flag)}\n" for n, flag in enumerate(flags)]
    (tmp_path / "flags.csv").write_text("item,flag\n" + "".join(lines), encoding="utf-8")
    lines = [f"i{n},m,{'error' if error else 'ok'},model\n" for n, error in enumerate(said)]
    (tmp_path / "model.csv").write_text("item,rater,label,rater_kind\n" + "".join(lines), encoding="utf-8")
    drawn = sample_draw(tmp_path / "flags.csv", budget=120, floor=20)
    drawn.save(str(tmp_path / "set.csv"), str(tmp_path / "key.json"))
    rows = (tmp_path / "set.csv").read_text(encoding="utf-8").splitlines()[1:]
    names = [row.split(",")[0] for row in rows]
    filled = [
        f"{row.rsplit(',', 2)[0]},x,{'error' if truth[int(name[1:])] else 'ok'}\n"
        for row, name in zip(rows, names, strict=True)
    ]
    (tmp_path / "done.csv").write_text("item,set,rater,label\n" + "".join(filled), encoding="utf-8")
    files = {"assist": str(tmp_path / "model.csv"), "drawn_from": [str(tmp_path / "flags.csv")]}
    page = report(sample_key=tmp_path / "key.json", judged=[tmp_path / "done.csv"], **files)  # type: ignore[arg-type]
    page.save(tmp_path / "page.md")
    section = (tmp_path / "page.md").read_text(encoding="utf-8").partition("### What the model adds")[2]
    estimated = sample_estimate(
        tmp_path / "done.csv",
        key=tmp_path / "key.json",
        assist=files["assist"],
        flags=files["drawn_from"],
    )
    for row in estimated.assistance:
        for estimate in (row.alone, row.assisted):
            assert estimate.value is not None
            assert f"{100 * estimate.value:.2f}" in section
