"""Choices of prepositions in native text: a small text through every step, and the textbooks as the pages have it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from errorbar import train
from errorbar.core import InputError, UsageError
from errorbar.detectors.learning import PREPOSITIONS
from errorbar.detectors.published_tables import AHEAD, HELD, OTHER, RESAMPLING, curves, make_selection
from errorbar.detectors.selection import ChoiceSelection, study_selection
from errorbar.reproduce import Cell, Outcome, Sources, reproduce
from tests.detectors.small_tables import shrink_tables

PLACES = {"town": "to", "house": "in", "sea": "by", "table": "on", "hill": "over", "friends": "with"}
STUDY = "tetreault-chodorow2008"


def sentence(k: int) -> str:
    """One of some sentences in which the noun tells the preposition, but for one in seven."""
    nouns = list(PLACES)
    noun = nouns[k * k % 11 % len(nouns)]
    preposition = "of" if k % 7 == 0 else PLACES[noun]
    return f"{('He', 'She', 'They')[k % 3]} went {preposition} the {noun} ."


def conllu(sentences: list[str]) -> str:
    lines = []
    for each in sentences:
        for number, (form, tag) in enumerate(zip(each.split(), ("PRP", "VBD", "IN", "DT", "NN", "."), strict=True), 1):
            lines.append("\t".join((str(number), form, form.lower(), "_", tag, *"_____")))
        lines.append("")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def trained_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A text of 1,200 sentences, a treebank, a tagger, and models."""
    folder = tmp_path_factory.mktemp("trained")
    (folder / "text.txt").write_text("".join(f"{sentence(k)}\n" for k in range(1200)), encoding="utf-8")
    (folder / "bank.conllu").write_text(conllu([sentence(k) for k in range(150)]), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        shrink_tables(patch)
        train(
            folder / "text.txt",
            folder / "models",
            part=["tagger", "me", "me-paper"],
            treebank=folder / "bank.conllu",
        )
    return folder


@pytest.fixture
def folder(trained_folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of its own, for a test with small tables: the textbooks, in this file too, have real ones."""
    shrink_tables(monkeypatch)
    monkeypatch.setattr("errorbar.detectors.selection.SIZES", (100, 300))
    return Path(shutil.copytree(trained_folder, tmp_path / "copy"))


def small(folder: Path, told: list[str] | None = None, seed: int = 0) -> ChoiceSelection:
    tell = (lambda _: None) if told is None else told.append
    return study_selection([folder / "text.txt"], folder / "models", [folder / "bank.conllu"], seed=seed, tell=tell)


def same(one: ChoiceSelection, other: ChoiceSelection) -> bool:
    return all(
        np.array_equal(a.by[who], b.by[who])
        for a, b in ((one.held, other.held), (one.other, other.other))
        if a is not None and b is not None
        for who in a.by
    )


def test_every_step_on_a_small_text(folder: Path) -> None:
    found = small(folder)
    held = found.held
    assert found.n_examples == 1200 - len(held.text.right)
    assert len(held.text.right) in (300, 400)  # whole blocks of one preposition a sentence
    assert sorted(held.runs) == [100, 300, found.n_examples]
    assert [len(held.runs[n]) for n in sorted(held.runs)] == [5, 2, 1]
    assert len(found.most_frequent) == 5
    assert set(held.five.right.tolist()) == set(found.most_frequent.tolist())
    accuracy = {
        who: held.text.accuracy(held.by[who], RESAMPLING).value or 0
        for who in ("majority", "me", "me-paper", "perc", "ensemble")
    }
    assert accuracy["majority"] < 0.5
    for who in ("me", "me-paper", "perc", "ensemble"):  # the noun says all that can be known
        assert accuracy[who] == pytest.approx(6 / 7, abs=0.03)
    assert found.other is not None
    assert len(found.other.text.right) == 150
    assert len(found.weights) == 3


def test_what_is_there_is_not_made_again(folder: Path) -> None:
    first: list[str] = []
    found = small(folder, first)
    assert first[0] == "reading text"
    assert "training me of the paper's features" in first
    assert "training me on 300 examples" in first
    again: list[str] = []
    assert same(small(folder, again), found)
    assert again == ["reading text"]
    small(folder, again := [], seed=1)
    assert len(again) == len(first)


def test_an_interrupted_study_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = small(folder)
    (folder / "models" / "selection.model").unlink()

    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("errorbar.detectors.selection.fit_log_linear", interrupted)
        with pytest.raises(KeyboardInterrupt):
            small(folder)
    told: list[str] = []
    assert same(small(folder, told), whole)
    assert told == ["reading text", "training the ensemble"]


def test_a_damaged_file_is_made_anew(folder: Path) -> None:
    whole = small(folder)
    (folder / "models" / "selection.model").write_bytes(b"damaged")
    assert same(small(folder), whole)


def test_cells_of_a_small_text(folder: Path, data: Path) -> None:
    texts, banks = (str(folder / "text.txt"),), (str(folder / "bank.conllu"),)
    cells = list(reproduce(STUDY, Sources(data, folder / "models", texts, banks)))
    assert not [cell for cell in cells if cell.outcome == Outcome.MISMATCH]
    ours = {(cell.table, cell.row, cell.column): cell for cell in cells}
    assert ours["selection", "ME", HELD].published == 0.774
    assert ours["selection", "ME", HELD].ours == pytest.approx(6 / 7, abs=0.03)
    assert ours["selection", "ME", OTHER].published is None
    paper = ours["selection", "ME, the paper's features", HELD]
    assert (str(paper.published), paper.outcome) == ("0.774", Outcome.KNOWN)
    assert ours[f"table 1, {HELD}", "in", "F"].published == 0.845
    ahead = ours["learning curve", f"{AHEAD:,} examples by a line over log2(n)", HELD]
    assert (ahead.published, ahead.outcome) == (0.774, Outcome.KNOWN)
    assert "extrapolation" in ahead.known
    judges = [cell for cell in cells if cell.table == "table 4, ten annotators"]
    assert {f"A{k}" for k in range(1, 11)} < {cell.row for cell in judges}
    of_paper = [cell for cell in cells if cell.table == "table 4, ten annotators, me(features=paper)"]
    assert [(cell.row, cell.column) for cell in of_paper] == [(cell.row, cell.column) for cell in judges]
    assert {"flags of me(features=paper,threshold=4)" in cell.known for cell in of_paper} == {True}
    (folder / "models" / "me-paper.model").unlink()
    cells = list(reproduce(STUDY, Sources(data, folder / "models")))
    of_paper = [cell for cell in cells if cell.table == "table 4, ten annotators, me(features=paper)"]
    assert {cell.outcome for cell in of_paper} == {Outcome.NOT_COMPUTABLE}
    assert "errorbar train --part me-paper" in of_paper[0].known


def test_too_little_text(folder: Path) -> None:
    (folder / "short.txt").write_text("He went to the town .\n" * 400, encoding="utf-8")
    with pytest.raises(UsageError, match="4 blocks of 100 sentences") as error:
        study_selection([folder / "short.txt"], folder / "models")
    assert error.value.code == "text-short"
    far = "He went to the town .\n" * 450 + "He went .\n" * 40_000  # what has prepositions is not held out
    (folder / "far.txt").write_text(far, encoding="utf-8")
    with pytest.raises(UsageError, match="0 of them held out"):
        study_selection([folder / "far.txt"], folder / "models", seed=2)
    (folder / "empty.txt").write_text("", encoding="utf-8")
    with pytest.raises(InputError):
        study_selection([folder / "empty.txt"], folder / "models")
    with pytest.raises(InputError, match="errorbar train"):
        study_selection([folder / "text.txt"], folder / "nowhere")


@pytest.mark.measured
def test_the_textbooks(data: Path, tmp_path: Path) -> None:
    """As docs/measurements/detectors.md has it, seed 0: about four minutes and 2.3 GB."""
    banks = {part: data / f"ud_english_ewt/en_ewt-ud-{part}.conllu" for part in ("train.rebuilt", "dev", "test")}
    books = [book for book in sorted((data / "openstax_ccby_text").glob("*.txt")) if "LICENSE" not in book.name]
    train(books, tmp_path, part="tagger", treebank=banks["train.rebuilt"])
    sources = Sources(data, tmp_path, tuple(map(str, books)), (str(banks["dev"]), str(banks["test"])))
    found = make_selection(sources)
    assert found is not None
    assert [PREPOSITIONS[k] for k in found.most_frequent] == ["of", "in", "to", "for", "as"]
    for chosen, ranges in (
        (
            found.held,
            {
                "me": (0.715, 0.735),
                "me-paper": (0.695, 0.71),
                "perc": (0.715, 0.735),
                "ensemble": (0.73, 0.745),
                "five": (0.855, 0.87),
            },
        ),
        (
            found.other,
            {
                "me": (0.485, 0.52),
                "me-paper": (0.47, 0.52),
                "perc": (0.495, 0.53),
                "ensemble": (0.505, 0.54),
                "five": (0.7, 0.735),
            },
        ),
    ):
        assert chosen is not None
        for who, (low, high) in ranges.items():
            text = chosen.five if who == "five" else chosen.text
            assert low < (text.accuracy(chosen.by[who], RESAMPLING).value or 0) < high, who
    curve = curves(found)[HELD]
    assert curve.doubling is not None
    assert 0.034 < (curve.doubling.value or 0) < 0.04
    ahead = {fit.form: fit.ahead.value or 0 for fit in curve.fits}
    assert 0.81 < ahead["line"] < 0.85
    assert 0.77 < ahead["power"] < 0.81


def cell_of(cells: list[Cell], *where: str) -> Cell:
    (found,) = [cell for cell in cells if (cell.table, cell.row, cell.column) == where]
    return found


def test_what_was_not_asked_for_says_what_it_takes(data: Path) -> None:
    cells = list(reproduce(STUDY, Sources(data)))
    for where, option in (
        ((f"table 1, {HELD}", "in", "F"), "--text"),
        (("selection", "ME", HELD), "--text"),
        (("table 4, ten annotators", "difference of two raters, mean", "precision"), "--models"),
    ):
        cell = cell_of(cells, *where)
        assert cell.outcome == Outcome.NOT_COMPUTABLE
        assert cell.published is not None
        assert option in cell.known
