"""LM and PERC against ten annotators, as Madnani et al. 2011 show theirs: the numbers, their page, and the charts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path

import numpy as np
import pytest

import errorbar as library
from errorbar import Problems
from errorbar.agreement import PairTable, cohen_kappa
from errorbar.detectors.detect import read_tagger
from errorbar.detectors.figures import (
    AT_RECALL,
    BALANCED,
    BINS,
    BOTH,
    FIGURES,
    HISTOGRAM,
    PLOT,
    TABLE,
    _histogram,
    figures,
    judged_cells,
    judged_detectors,
)
from errorbar.detectors.prepositions import find_prepositions, is_tagged_infinitive
from errorbar.edits import PREPOSITIONS
from errorbar.formats import read_corpus
from errorbar.metrics import Votes
from errorbar.reproduce import Cell, Outcome, Sources, reproduce
from tests.helpers.cli import CommandLine

MEASURED = Path(__file__).parents[2] / "tests/measured/judged-detectors.md"


@pytest.fixture(scope="module")
def small(data: Path, tmp_path_factory: pytest.TempPathFactory) -> Sources:
    """The real essays and annotators, and detectors of a few pages."""
    folder = tmp_path_factory.mktemp("small")
    with (data / "openstax_ccby_text" / "american-government.txt").open(encoding="utf-8") as book:
        (folder / "native.txt").write_text("".join(islice(book, 400)), encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("errorbar.detectors.training.BITS", 16)  # not the tagger's: it is read without the patch
        library.train(
            folder / "native.txt",
            folder / "models",
            treebank=data / "ud_english_ewt" / "en_ewt-ud-dev.conllu",
            part=["tagger", "ngrams", "majority", "perc"],
            fallback=True,
        )
    return Sources(data, folder / "models")


def by_hand(data: Path) -> Iterator[tuple[str, int, int]]:
    """Item, how many of ten annotators delete it, and how many touch it by an edit of type Prep; edit by edit."""
    files = [data / "bn2015_10gec" / f"A{k}.m2" for k in range(1, 11)]
    for number, sentence in enumerate(read_corpus(files, Problems(lenient=True)).sentences, 1):
        for at, token in enumerate(sentence.tokens):
            if token.lower() not in PREPOSITIONS:
                continue
            deleted = touched = 0
            for edits in sentence.annotations.values():
                around = [edit for edit in edits if edit.start <= at < edit.end]
                touched += any(edit.type == "Prep" for edit in around)
                deleted += any(edit.replacements[:1] == ("",) and edit.type != "Um" for edit in around)
            yield f"{number}:{at}-{at + 1}", deleted, touched


@pytest.mark.slow
def test_the_scores_are_those_of_the_flags_and_the_edits(small: Sources, data: Path, tmp_path: Path) -> None:
    text = tmp_path / "essays.txt"
    library.convert(data / "bn2015_10gec" / "A1.m2", text, to="text", lenient=True)
    assert small.models is not None
    judged = judged_detectors(small)
    assert judged is not None
    hand = {item: counts for item, *counts in by_hand(data)}
    sentences = [line.split() for line in text.read_text(encoding="utf-8").splitlines()]
    blocks = find_prepositions(read_tagger(small.models), sentences, every=True)
    marks = np.concatenate([is_tagged_infinitive(block) for block in blocks]).tolist()
    for one in judged:
        found = library.detect(text, one.detector.lower(), models=small.models)
        kept = [row for row, is_mark in zip(found.rows, marks, strict=True) if not is_mark]
        assert len(found.rows) == len(hand) == 3836
        assert 0 < len(kept) < 3836
        flags = np.array([row.flag for row in kept])
        votes = np.array([hand[row.item][one.question == "any error"] for row in kept])
        score = one.scores["weighted"]
        if one.question == "any error":
            assert score.hits == pytest.approx(votes[flags].sum() / 10)
            assert score.precision.value == pytest.approx(votes[flags].mean() / 10)
            assert score.recall.value == pytest.approx(votes[flags].sum() / votes.sum())
            kappa = PairTable.of(
                [
                    [int((flags & (votes > 5)).sum()), int((flags & (votes < 5)).sum())],
                    [int((~flags & (votes > 5)).sum()), int((~flags & (votes < 5)).sum())],
                ]
            )
            assert one.curve[0].kappa.value == pytest.approx(cohen_kappa(kappa).estimate.value)
            assert [part.n_items for part in one.bins] == [
                int(((agree := np.maximum(votes, 10 - votes)) < 7.5).sum()),
                int(((agree >= 7.5) & (agree < 9)).sum()),
                int((agree >= 9).sum()),
            ]
            caught = votes[flags].sum() / votes.sum()
            alarms = (10 - votes)[flags].sum() / (10 - votes).sum()
            assert one.balanced["weighted"].value == pytest.approx(caught / (caught + alarms))
        else:  # by hand only whole edits count, and longer ones delete a preposition too: 12 % more
            assert votes[flags].sum() / 10 < score.hits < 1.3 * votes[flags].sum() / 10
            errors = score.hits + score.misses
            assert votes.sum() / 10 < errors < 1.3 * votes.sum() / 10
        assert score.precision.interval is not None
        assert score.precision.n_clusters == 50


@pytest.mark.slow
def test_cells_have_intervals_and_what_is_published_beside_them(small: Sources) -> None:
    cells = [*judged_cells(small)]
    theirs = {(cell.table, cell.row, cell.column): cell.published for cell in cells if cell.published is not None}
    assert theirs == {
        (TABLE, "LM, extraneous, unweighted", "precision"): 0.957,
        (TABLE, "LM, extraneous, unweighted", AT_RECALL): 0.957,
        (TABLE, "LM, extraneous, unweighted", "recall"): 0.384,
        (TABLE, "LM, extraneous, weighted", "precision"): 0.9,
        (TABLE, "LM, extraneous, weighted", AT_RECALL): 0.9,
        (TABLE, "LM, extraneous, weighted", "recall"): 0.371,
        (TABLE, "PERC, extraneous, unweighted", "precision"): 0.813,
        ("bins, LM and PERC, ten annotators", "50–75 %", "items"): 93,
        ("bins, LM and PERC, ten annotators", "75–90 %", "items"): 114,
        ("bins, LM and PERC, ten annotators", "90–100 %", "items"): 716,
    }
    assert {cell.outcome for cell in cells} == {Outcome.KNOWN, Outcome.ADDED}
    values = {(cell.table, cell.row, cell.column): cell.ours for cell in cells}
    lows = {where: value for where, value in values.items() if where[2].endswith(", low")}
    assert len(lows) > 100
    for (table, row, column), low in lows.items():
        name = column.removesuffix(", low")
        value, high = values[table, row, name], values[table, row, f"{name}, high"]
        assert low is not None
        assert value is not None
        assert high is not None
        assert low <= value <= high, (table, row, column)


def test_without_models_it_is_said(data: Path) -> None:
    cells = [*judged_cells(Sources(data))]
    assert {cell.outcome for cell in cells} == {Outcome.NOT_COMPUTABLE}
    assert {cell.known for cell in cells} == {"not run: it takes trained detectors (--models)"}
    assert {cell.table for cell in cells} >= {TABLE, PLOT, HISTOGRAM, *FIGURES.values()}


def test_figures_have_the_numbers_of_the_paper() -> None:
    """Figure 1 is the histogram of agreement, figure 2 the bins, which section 4.2 does not weight."""
    assert HISTOGRAM == "figure 1, ten annotators"
    assert FIGURES["majority"] == "figure 2, ten annotators"
    assert "not in the paper" in FIGURES["weighted"]


def test_the_histogram_counts_items_by_the_share_that_agrees() -> None:
    votes = Votes(np.array([0.0, 0.5, 0.9, 0.3, 0.7, 1.0]), np.full(6, 10, np.int64))
    assert _histogram(votes) == {0.5: 1, 0.7: 2, 0.9: 1, 1.0: 2}


@pytest.mark.slow
def test_the_command_draws_the_figures(small: Sources, errorbar: CommandLine, tmp_path: Path) -> None:
    judged = judged_detectors(small)
    assert judged is not None
    made = figures(judged)
    assert [*made] == ["1", "2", "weighted", "kappa", "kappa-at"]
    bars = [row for rows in made["1"]["datasets"].values() for row in rows]  # type: ignore[attr-defined]  # JSON
    assert {row["name"]: row["count"] for row in bars} == {f"{s:.0%}": n for s, n in judged[0].agreement.items()}
    names = {row["name"] for rows in made["2"]["datasets"].values() for row in rows if "name" in row}  # type: ignore[attr-defined]  # JSON
    assert names >= {f"{detector}, {name}" for detector in ("LM", "PERC") for name in BINS.values()}
    pytest.importorskip("vl_convert")
    words = ("reproduce", "madnani2011", "--data", small.data, "--models", small.models)
    done = errorbar(*words, "--chart", tmp_path / "figure.svg")
    assert done.code == 0, done.err
    assert {path.name for path in tmp_path.iterdir()} == {f"figure-{name}.svg" for name in made}
    assert "LM, extraneous" in (tmp_path / "figure-kappa.svg").read_text(encoding="utf-8")
    for more, said in ((("--text", "native.txt"), "--text"), (("--treebank", "bank.conllu"), "--treebank")):
        refused = errorbar(*words, *more)
        assert refused.code == 2
        assert said in refused.err
    refused = errorbar("reproduce", "madnani2011", "--chart", "figure.svg")
    assert (refused.code, "--chart needs models; add --models DIR" in refused.err) == (2, True)
    refused = errorbar("reproduce", "conll2014", "--chart", "figure.svg")
    assert (refused.code, "[useless-option]" in refused.err) == (2, True)


def page_rows(cells: list[Cell]) -> Iterator[str]:
    """The rows of the page's tables."""
    values = {(cell.table, cell.row, cell.column): cell.ours for cell in cells}

    def shown(table: str, row: str, column: str) -> str:
        ends = [values.get((table, row, f"{column}, {end}")) for end in ("low", "high")]
        if values.get((table, row, column)) is None:
            return "–"
        return f"{values[table, row, column]:.3f}" + (f" ({ends[0]:.3f}–{ends[1]:.3f})" if None not in ends else "")

    for row in dict.fromkeys(cell.row for cell in cells if cell.table == TABLE and "weighted" in cell.row):
        columns = ("precision", "recall", BALANCED, AT_RECALL, BOTH)
        yield f"| {row} | {' | '.join(shown(TABLE, row, column) for column in columns)} |"
    one, two = FIGURES.values()
    for row in dict.fromkeys(cell.row for cell in cells if cell.table == one and "extraneous" in cell.row):
        made = (shown(figure, row, column) for figure in (one, two) for column in ("precision", "recall"))
        yield f"| {row} | {' | '.join(made)} |"
    for row in dict.fromkeys(cell.row for cell in cells if cell.table == PLOT):
        if not row.endswith(" 0.6"):  # with ten judgments as from 0.5
            made = (shown(PLOT, row, column) for column in ("kappa", "kappa at 10 % errors"))
            yield f"| {row} | {values[PLOT, row, 'items']:,.0f} | {' | '.join(made)} |"


@pytest.mark.measured
def test_the_page_is_what_trained_detectors_score(data: Path, trained: Path) -> None:
    text = MEASURED.read_text(encoding="utf-8")
    rows = [*page_rows([*reproduce("madnani2011", Sources(data, trained))])]
    assert len(rows) == 8 + 6 + 20
    assert [row for row in rows if row not in text] == []
