"""A study of HOO data holds what ``errorbar score`` prints, and texts with edits that can be looked at."""

from __future__ import annotations

from pathlib import Path

import pytest

from errorbar import Problems, Resampling
from errorbar.api import BrowseEdit, HooData, HooStudy, study_hoo
from errorbar.api.corpus_results import browse_hoo
from errorbar.core import Fragment, InputError, StandoffEdit
from errorbar.edits import read_run
from errorbar.formats import expand_runs, read_gold, save_fragments
from errorbar.metrics import CONDITIONS, Hoo, parse_hoo, prf
from tests.api.examples import document, interval_of, only_ends
from tests.helpers.cli import CommandLine

TEXT = "They goes to school every days ."
FRAGMENTS = [
    Fragment(
        "1001",
        (
            StandoffEdit("1", 5, 9, "goes", ("go", "went"), type="AGV"),
            StandoffEdit("2", 13, 19, "school", ("the school",), optional=True, type="MD"),
            StandoffEdit("3", 26, 30, "days", ("day",), type="AGN"),
        ),
        TEXT,
    ),
    Fragment("1002", (StandoffEdit("1", 0, 0, "", ("The ",), type="MD"),), "Cat sat ."),
    Fragment("1003", (StandoffEdit("1", 0, 4, "Whot", (), type="S"),), "Whot is it ?"),
]
RUNS = {
    "AA0": [
        [StandoffEdit("1", 5, 9, "goes", ("went",)), StandoffEdit("2", 26, 30, "days", ("dayz",))],
        [StandoffEdit("1", 0, 0, "", ("The ",))],
        [],
    ],
    "BB0": [[], [StandoffEdit("1", 0, 3, "Cat", ("Dog",))], []],
}


@pytest.fixture(scope="module")
def study() -> HooStudy:
    return study_hoo(HooData(FRAGMENTS, RUNS, "small"), Hoo(), Problems(), Resampling(replicates=50))


def test_scores_and_recall(study: HooStudy) -> None:
    first = study.scores[0]
    assert [score.system for score in study.scores] == ["AA0", "BB0"]
    assert (first.counts["gold"], first.counts["system"]) == (5, 3)
    assert (first.counts["detected"], first.counts["corrected"]) == (3, 2)
    assert sum(row[0] for row in study.recall["AA0"].values()) == 5
    assert study.signatures["score: BB0"] == str(study.scores[1].signature)


def test_variants_are_the_other_conventions_and_maxmatch(study: HooStudy) -> None:
    assert list(study.variants) == [
        "hoo(conventions=hoo2011-tool)",
        "hoo(conventions=hoo2012-tool)",
        "hoo(matching=maxmatch)",
    ]
    for spec, scores in study.variants.items():
        assert [score.system for score in scores] == ["AA0", "BB0"]
        assert {score.signature.spec for score in scores} == {spec}


def test_texts(study: HooStudy) -> None:
    browse = study.browse
    assert browse is not None
    assert (browse.systems, browse.unit) == (("AA0", "BB0"), "text")
    first, second, third = browse.units
    assert (first.name, first.text) == ("1001", TEXT)
    assert first.annotators == (
        (
            BrowseEdit(5, 9, ("go", "went"), "AGV"),
            BrowseEdit(13, 19, ("the school",), "MD", optional=True),
            BrowseEdit(26, 30, ("day",), "AGN"),
        ),
    )
    assert first.systems == (
        (BrowseEdit(5, 9, ("went",), matched=True), BrowseEdit(26, 30, ("dayz",), matched=False)),
        (),
    )
    assert first.counts == ((1, 2, 3), (0, 0, 3))
    assert second.systems[0] == (BrowseEdit(0, 0, ("The ",), matched=True),)
    assert third.annotators == ((BrowseEdit(0, 4, (), "S"),),)
    assert first.disagreement is None


def test_matched_edits_are_those_of_the_matching() -> None:
    """MaxMatch cuts one edit of a system in two, so that one of them is a gold edit."""
    gold = [Fragment("1", (StandoffEdit("1", 0, 1, "a", ("x",)),), "a b c d e f .")]
    runs = {"R0": [[StandoffEdit("1", 0, 11, "a b c d e f", ("x b c d e y",))]]}
    resampling = Resampling(replicates=10)
    plain = study_hoo(HooData(gold, runs), Hoo(), Problems(), resampling).browse
    assert plain is not None
    assert [[edit.matched for edit in edits] for edits in plain.units[0].systems] == [[False]]
    cut = study_hoo(HooData(gold, runs), parse_hoo("hoo(matching=maxmatch)"), Problems(), resampling).browse
    assert cut is not None
    assert sum(bool(edit.matched) for edit in cut.units[0].systems[0]) == cut.units[0].counts[0][0] == 1


def test_without_texts_there_is_nothing_to_look_at() -> None:
    bare = [Fragment(one.name, one.edits) for one in FRAGMENTS]
    study = study_hoo(HooData(bare, RUNS), Hoo(), Problems(), Resampling(replicates=10))
    assert study.browse is None
    assert list(study.variants) == ["hoo(conventions=hoo2011-tool)"]
    assert [note.code for note in study.notes] == ["hoo-no-text"]
    assert study.notes[0].what.startswith("3 of 3 fragments have no source text")
    with pytest.raises(InputError, match="hoo-no-text"):
        study_hoo(HooData(bare, RUNS), Hoo(edge_space=True), Problems(), Resampling(replicates=10))


def test_a_fragment_without_a_text_is_not_shown() -> None:
    some = [FRAGMENTS[0], Fragment(FRAGMENTS[1].name, FRAGMENTS[1].edits), FRAGMENTS[2]]
    assert [unit.name for unit in browse_hoo(some, RUNS, Hoo()).units] == [FRAGMENTS[0].name, FRAGMENTS[2].name]
    study = study_hoo(HooData(some, RUNS), Hoo(), Problems(), Resampling(replicates=10))
    assert study.notes[0].what.startswith("1 of 3 fragments have no source text")


def test_real_data_equal_the_command(data: Path, errorbar: CommandLine, tmp_path: Path) -> None:
    """The gold edits of the test set as a run against themselves, with every second one left out."""
    gold = str(data / "hoo2011/test")
    problems = Problems(lenient=True)
    fragments = read_gold(gold, problems, need_text=True)
    half = [Fragment(fragment.name, fragment.edits[::2], fragment.text) for fragment in fragments]
    run = tmp_path / "HALF0"
    run.mkdir()
    save_fragments(half, str(run), Problems(lenient=True))
    runs = {name: read_run(path, name, fragments, problems) for name, path in expand_runs([str(run)])}
    study = study_hoo(HooData(fragments, runs), Hoo(), problems, Resampling())
    (row,) = document(errorbar, "score", "--gold", gold, run, "--lenient", "--ci")["rows"]
    (score,) = study.scores
    assert str(score.type_signature) == row["signature"]
    for shown in row["scores"]:
        figures = prf(score, CONDITIONS[shown["bonus"]], shown["measure"])
        assert [figure.value for figure in figures] == [shown["precision"], shown["recall"], shown["f"]]
        assert interval_of(figures.f) == only_ends(shown["intervals"]["f"])
    assert {name: counts[0] for name, counts in study.recall["HALF0"].items()} == {
        each["type"]: each["gold"] for each in row["by_row"]
    }
    assert study.browse is not None
    for unit in study.browse.units:
        assert all(0 <= edit.start <= edit.end <= len(unit.text) for edit in unit.systems[0])
        assert sum(bool(edit.matched) for edit in unit.systems[0]) == unit.counts[0][0]
