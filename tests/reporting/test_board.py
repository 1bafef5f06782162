"""The board of a shared task and its teams' pages show the scores of the runs, each in its row and column."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape
from pathlib import Path
from typing import Any, cast
from urllib.parse import unquote, urljoin

import pytest

import errorbar
from errorbar import Problems, Resampling, Score
from errorbar.api import CorpusStudy
from errorbar.core import Estimate, Place, Problem
from errorbar.demo import demo_files
from errorbar.reporting import (
    Chart,
    Code,
    Links,
    Prose,
    Report,
    Section,
    board_report,
    format_markdown,
    latex,
    page_html,
    team_report,
)
from errorbar.reporting.board import OWN, add_links, board_page
from errorbar.reporting.board_tables import BY_TYPE, Standing, shared_ranks
from errorbar.tables import Table
from errorbar.tasks import CorpusResults, RunScores, TaskResults, run_task, study_best
from errorbar.tasks.running import score_further_runs
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine
from tests.helpers.expectations import require
from tests.reporting.pages import tables, text_rows
from tests.tasks.small import TASK, make_task

DESCRIBED = TASK.replace(
    'name = "one"\n',
    'name = "one"\nfull_name = "First Team"\naffiliation = "A University"\napproach = "rules"\nresources = "none"\n',
)


@pytest.fixture
def results(tmp_path: Path) -> TaskResults:
    return run_task(make_task(tmp_path, DESCRIBED))


def prf(score: Score) -> list[str]:
    """P, R and F as they are shown."""
    return [f"{100 * (estimate.value or 0):.2f}" for estimate in (score.precision, score.recall, score.f)]


def runs_of(results: TaskResults) -> list[RunScores]:
    (found,) = results.corpora
    assert isinstance(found, CorpusResults)
    return list(found.runs)


def best_of(results: TaskResults) -> list[RunScores]:
    """The run of each team with the highest F, teams in the order of the task."""

    def f(run: RunScores) -> float:
        return run.gold[0].f.value or 0

    return [max((run for run in runs_of(results) if run.submission.team == team), key=f) for team in ("one", "two")]


def test_who_takes_part(results: TaskResults) -> None:
    report = board_report(results, date="2026-11-21")
    table = tables(report)["teams"]
    assert table.columns == ["team", "name", "affiliation", "approach", "resources", "runs"]
    assert text_rows(table) == [
        ["one", "First Team", "A University", "rules", "none", "2"],
        ["two", "–", "–", "–", "–", "1"],
    ]
    best = max(runs_of(results), key=lambda run: run.gold[0].f.value or 0)
    assert report.summary == [
        "2 teams took part with 3 runs.",
        f"The best run for test is {best.submission.name}, with F0.5 of {prf(best.gold[0])[2]}.",
    ]
    assert report.facts == (("teams", "2"), ("metrics", "m2, m2(beta=1)"), ("data, test", "4 sentences, 2 annotators"))
    assert (report.title, report.date) == ("Small", "2026-11-21")


def test_every_run_and_the_best_of_each_team(results: TaskResults) -> None:
    found, runs = tables(board_report(results)), runs_of(results)
    every = found["overview-all-runs"]
    assert every.columns == ["run", "late", "changed", "P", "R", "F0.5"]
    assert text_rows(every) == [[run.submission.name, "", str(run.n_changed), *prf(run.gold[0])] for run in runs]
    assert len({tuple(row[2:]) for row in text_rows(every)}) == 3  # else a swap would not show
    for name, at in (("overview-scores", 0), ("overview-scores-m2-beta-1", 1)):
        by_f = [(run.gold[at].f.value or 0.0, run) for run in best_of(results)]
        ranked = [run for _, run in sorted(by_f, key=lambda pair: -pair[0])]
        assert text_rows(found[name]) == [
            [str(rank), run.submission.team, str(run.submission.run), "", *prf(run.gold[at])]
            for rank, run in enumerate(ranked, 1)
        ]
        assert found[name].columns == ["rank", "team", "run", "late", "P", "R", ("F0.5", "F1")[at]]
        assert found[name].notes[0] == "P, R and F in percent"
        assert found[name].notes[-1].startswith(("signature m2|src:", "signature m2(beta=1)|src:")[at])


def test_recall_by_type_has_a_column_for_each_team(results: TaskResults) -> None:
    table = tables(board_report(results))["overview-types"]
    recalls = {
        run.submission.team: {row.type: row["recall"].value for row in run.gold[0].by_type} for run in best_of(results)
    }
    assert table.columns == ["type", "one", "two"]
    assert [row[0] for row in text_rows(table)] == ["Nn", "SVA", "Vt", "Wci"]
    for kind, *shown in text_rows(table):
        values = [recalls[team].get(kind) for team in ("one", "two")]
        assert shown == ["–" if value is None else f"{100 * value:.2f}" for value in values]


def test_single_annotators(results: TaskResults) -> None:
    (found,), best = results.corpora, best_of(results)
    assert isinstance(found, CorpusResults)
    names = list(best[0].single)
    shown = tables(board_report(results))
    table = shown["overview-single"]
    assert table.columns == ["team", *(f"{figure}, {name}" for name in names for figure in ("P", "R", "F0.5"))]
    assert text_rows(table) == [
        [run.submission.team, *(cell for name in names for cell in prf(run.single[name]))] for run in best
    ]
    assert text_rows(shown["overview-pairs"]) == [[writer, judge, *prf(score)] for writer, judge, score in found.pairs]


def test_the_page_of_a_team(results: TaskResults) -> None:
    team, other = results.task.teams
    report = team_report(results, team, date="2026-11-21")
    assert (report.title, report.date) == ("one in Small", "2026-11-21")
    best = {run.submission.team: run for run in best_of(results)}
    value = prf(best["one"].gold[0])[2]
    assert report.summary == [
        "First Team took part with 2 runs.",
        f"It ranks 1 of 2 on test, with F0.5 {value} by {best['one'].submission.name}.",
    ]
    assert team_report(results, other).summary == [
        "two took part with 1 run.",
        f"It ranks 2 of 2 on test, with F0.5 {prf(best['two'].gold[0])[2]} by two-1.",
    ]
    assert report.facts == (
        ("task", "Small"),
        ("name", "First Team"),
        ("affiliation", "A University"),
        ("approach", "rules"),
        ("resources", "none"),
    )
    assert [section.title for section in report.sections] == ["Runs for test", "How to submit"]
    mine = [run for run in runs_of(results) if run.submission.team == "one"]
    mine.sort(key=lambda run: run.submission != best["one"].submission)
    assert mine[0].submission.run == 2  # the best run comes first, though it was sent second
    shown = tables(report)
    assert [row[0] for row in text_rows(shown["test-runs"])] == [run.submission.name for run in mine]
    table = shown["test-types"]
    assert table.columns == ["type", *(run.submission.name for run in mine), f"found by {mine[0].submission.name}"]
    for row, *types in zip(text_rows(table), *(run.gold[0].by_type for run in mine), strict=True):
        recalls = ["–" if score["recall"].value is None else f"{100 * score['recall'].value:.2f}" for score in types]
        assert row == [types[0].type, *recalls, f"{types[0].counts['correct']} of {types[0].counts['gold']}"]
    assert text_rows(shown["test-single"]) == [
        [run.submission.name, name, *prf(score)] for run in mine for name, score in run.single.items()
    ]


def test_a_metric_without_error_types(tmp_path: Path) -> None:
    results = run_task(make_task(tmp_path, TASK.replace('"m2", "m2(beta=1)"', '"gleu"')))
    report = board_report(results)
    assert [section.title for section in report.sections] == ["Teams", "Scores", "Single annotators", "Every run"]
    table = tables(report)["overview-scores"]
    assert (table.columns[-1], table.notes[0]) == ("GLEU", "GLEU in percent")
    assert set(tables(team_report(results, results.task.teams[0]))) == {"test-runs", "test-single"}
    nobody = TASK.replace('"m2", "m2(beta=1)"', '"gleu"').replace('ons = "one"', "ons = {}")
    empty = run_task(make_task(tmp_path, nobody.replace('ons = "two"', "ons = {}")))
    assert tables(board_report(empty))["overview-scores"].columns[-1] == "GLEU"


def test_a_team_without_a_run(tmp_path: Path) -> None:
    text = DESCRIBED.replace('submissions = "two"', "submissions = {}")
    results = run_task(make_task(tmp_path, text))
    table = tables(board_report(results))["overview-scores"]
    assert text_rows(table)[-1] == ["–", "two", "–", "", "–", "–", "–"]
    assert "–: no run was handed in, or none was released" in table.notes
    runs, submit = team_report(results, results.task.teams[1]).sections
    assert runs.blocks == [Prose(["No run was handed in, or none was released."])]
    assert submit.title == "How to submit"


def test_how_to_submit(results: TaskResults) -> None:
    *_, section = team_report(results, results.task.teams[0]).sections
    assert section.blocks == [
        Prose(
            [
                "A run is a text file of 4 lines: one corrected sentence in each line, in the order of the source. "
                "Up to 10 runs may be sent for test; 2 came."
            ]
        ),
        Code("errorbar task validate task.toml RUN", "Check a run before it is sent"),
    ]
    deadline = datetime(2026, 12, 24, 23, 59, tzinfo=UTC)
    late = replace(results, task=replace(results.task, deadline=deadline))
    page = team_report(late, results.task.teams[0])
    assert ("deadline", "2026-12-24 23:59 UTC") in page.facts
    assert ("deadline", "2026-12-24 23:59 UTC") in board_report(late).facts
    *_, section = page.sections
    (prose, _) = section.blocks
    assert isinstance(prose, Prose)
    assert prose.paragraphs[-1] == "Runs that come after 2026-12-24 23:59 UTC are marked late."
    told = replace(results, task=replace(results.task, submit="Send runs to the chair."))
    *_, section = team_report(told, results.task.teams[0]).sections
    (prose, _) = section.blocks
    assert isinstance(prose, Prose)
    assert prose.paragraphs[0] == "Send runs to the chair."
    baseline = replace(results.task.teams[0], baseline=True)
    for bare in (team_report(results, baseline), team_report(results, results.task.teams[0], submit=False)):
        assert [each.title for each in bare.sections] == ["Runs for test"]


def test_equal_scores_share_a_rank(results: TaskResults) -> None:
    first, second, _ = (run.gold[0] for run in runs_of(results))
    assert shared_ranks([second, first, second]) == [1, 3, 1]  # run 2 of the first team is the better one


@pytest.fixture
def standings(results: TaskResults) -> list[Standing]:
    how = Resampling(replicates=100)
    (study,) = study_best(results, Problems(), how)
    (corpus,) = results.corpora
    return [Standing(corpus, study, score_further_runs(results.task, corpus, how))]


def test_a_warning_on_a_team_has_its_sign_behind_the_team_not_the_rank(
    results: TaskResults, standings: list[Standing]
) -> None:
    (standing,) = standings
    assert isinstance(standing.study, CorpusStudy)
    team = standing.study.scores[0].system
    notes = [Problem("shifted-lines", "lines look shifted", Place(team), severity="warning")]
    warned = replace(standing, study=replace(standing.study, notes=notes))
    page = page_html(board_page(board_report(results), results.task, [warned]))
    assert re.findall(r'dir="auto">([^<]+) <a class="sign"', page) == [team]


def test_the_page_opens_with_intervals_and_says_nothing_twice(results: TaskResults, standings: list[Standing]) -> None:
    page = board_page(board_report(results), results.task, standings)
    first = page.sections[0]
    chart = first.blocks[0]
    assert isinstance(chart, Chart)
    assert (first.title, chart.title) == ("Leaderboard", "F0.5 with 95% intervals")
    best = sorted(best_of(results), key=lambda run: run.gold[0].rank_key)
    rows = text_rows(chart.table)
    assert [row[:3] for row in rows] == [
        [str(rank), run.submission.team, str(run.submission.run)] for rank, run in enumerate(best, 1)
    ]
    assert re.fullmatch(r"[\d.]+–[\d.]+", rows[1][4])  # the interval of P, in percent
    titles = [section.title for section in page.sections]
    assert titles[-4:] == ["Sentences", "Teams", "How to submit", "Methods"]
    assert page.sections[-2].blocks[0] == Prose(
        [
            "A run is a text file of 4 lines: one corrected sentence in each line, in the order of the source. "
            "Up to 10 runs may be sent for test."
        ]
    )
    assert page.headline.startswith(f"{best[0].submission.team} corrects best of the two systems, but ")
    assert {"Scores", "Every run", BY_TYPE}.isdisjoint(titles)
    tables_shown = [block for section in page.sections for block in section.blocks if isinstance(block, Table)]
    assert len({table.name for table in tables_shown}) == len(tables_shown)
    assert page.summary[0].startswith(f"{best[0].submission.team} has the higher F0.5 of the two systems, ")
    assert page.facts[:2] == (("teams", "2"), ("runs", "3"))


def test_further_runs_are_those_that_are_not_the_best(results: TaskResults, standings: list[Standing]) -> None:
    """With the intervals that ``errorbar score`` gives them."""
    page = board_page(board_report(results), results.task, standings)
    (section,) = [section for section in page.sections if section.title == "Further runs"]
    (table,) = section.blocks
    assert isinstance(table, Table)
    (row,) = table.rows
    assert row[0] == "one-1"
    (run,) = [run for run in runs_of(results) if run.submission.name == "one-1"]
    source = results.corpora[0].corpus
    (scored,) = errorbar.score(list(map(str, source.gold)), [str(run.submission.path)], resamples=100)
    assert list(row[3:6]) == [scored.precision, scored.recall, scored.f]


def test_a_team_sees_its_runs_among_the_best_of_the_others(results: TaskResults, standings: list[Standing]) -> None:
    team = results.task.teams[0]
    report = team_report(results, team, standings=standings)
    chart = report.sections[0].blocks[0]
    assert isinstance(chart, Chart)
    runs = sorted(runs_of(results), key=lambda run: run.gold[0].rank_key)  # two of its own, one of the other team
    assert [row[0] for row in text_rows(chart.table)] == [run.submission.name for run in runs]
    datasets = cast("Mapping[str, Any]", chart.spec["datasets"]).values()
    marked = {row["name"]: row["note"] for values in datasets for row in values}
    assert marked == {"one-1": OWN, "one-2": OWN, "two-1": ""}
    assert "Whether one is better than two is undecided" in report.summary[-1]
    other = team_report(results, results.task.teams[1], standings=standings)
    assert "95% interval" in other.summary[1]  # the first team's score is the same in every resample


@pytest.mark.parametrize("second", ['"two"', "{}"])
def test_a_page_of_two_corpora(tmp_path: Path, second: str) -> None:
    """Every name on it is unique, also where nobody sent a run for one of them."""
    text = TASK.replace('role = "dev"', "").replace('submissions = "one"', 'submissions = { test = "one" }')
    two = "{ dev = " + second + " }" if second != "{}" else "{}"
    results = run_task(make_task(tmp_path, text.replace('submissions = "two"', f"submissions = {two}")))
    how = Resampling(replicates=50)
    studies = {study.name: study for study in study_best(results, Problems(), how)}
    assert list(studies) == (["test", "dev"] if second != "{}" else ["test"])
    standings = [Standing(corpus, studies.get(corpus.corpus.name)) for corpus in results.corpora]
    page = board_page(board_report(results), results.task, standings)
    blocks = [block.table if isinstance(block, Chart) else block for block in page.blocks]
    names = [section.name for section in page.sections]
    names += [block.name for block in blocks if isinstance(block, Table)]
    assert len(set(names)) == len(names)
    titles = [section.title for section in page.sections]
    shown = ["Leaderboard: test", "Leaderboard: dev"] if second != "{}" else ["Leaderboard", "dev: Scores"]
    assert [title for title in titles if title in shown] == shown


HOO_TASK = """\
[task]
name = "Pilot"
metrics = ["hoo"]
[[corpus]]
name = "test"
kind = "hoo"
gold = "hoo"
source = "hoo/Raw"
[[team]]
name = "careful"
submissions = "one"
[[team]]
name = "greedy"
submissions = "two"
"""


@pytest.mark.parametrize("several", [False, True])
def test_fragments(tmp_path: Path, errorbar: CommandLine, *, several: bool) -> None:
    """Tables of best runs repeat those of the report unless a team has several runs."""
    errorbar("demo", "--hoo", "--save", tmp_path / "hoo")
    runs = [("one", "careful"), ("two", "greedy"), *([("two", "careful")] if several else [])]
    for number, (team, system) in enumerate(runs):
        shutil.copytree(tmp_path / "hoo" / system, tmp_path / team / f"run{number}")
    (tmp_path / "task.toml").write_text(HOO_TASK)
    results = run_task(tmp_path / "task.toml")
    how = Resampling(replicates=50)
    (study,) = study_best(results, Problems(), how)
    (corpus,) = results.corpora
    standing = Standing(corpus, study, score_further_runs(results.task, corpus, how))
    page = board_page(board_report(results), results.task, [standing])
    assert ("Scores" in [section.title for section in page.sections]) == several
    names = {run.submission.name: run.gold[0].estimate.value for run in corpus.runs}
    report = team_report(results, results.task.teams[1], standings=[standing])
    chart, *_ = report.sections[0].blocks
    assert isinstance(chart, Chart)
    assert chart.title == "F of correction, no bonus: greedy and the best runs of other teams"
    shown = {row[0]: cast("Estimate", row[1]) for row in chart.table.rows}
    assert {name: estimate.value for name, estimate in shown.items()} == pytest.approx(names)
    assert all(estimate.interval is not None for estimate in shown.values())
    (prose, _) = report.sections[-1].blocks
    assert isinstance(prose, Prose)
    assert prose.paragraphs[0].startswith("A run is a folder that has a file for each of 8 texts: ")


def test_links_stand_first_and_leave_the_rest_alone(results: TaskResults) -> None:
    targets = {"one": "teams/one.html", "two": "teams/two.html"}
    for report in (board_report(results), team_report(results, results.task.teams[0])):
        linked = add_links(report, "A page for each team", targets)
        links, *others = linked.sections[0].blocks
        assert isinstance(links, Links)
        assert links.targets == targets
        assert others == list(report.sections[0].blocks)
        assert isinstance(others[0], Table)
        assert linked.sections[1:] == report.sections[1:]


# Pages that stand beside each other: links are relative, escaped, and lead nowhere else.


pytest.importorskip("jinja2", reason="needs the extra 'report'")

HERE = "file:///folder/index.html"


def report(targets: dict[str, str]) -> Report:
    return Report("links", [], [Section("first", "First", [Links("A page for each", targets)])])


def hrefs(page: str) -> list[str]:
    nav = require(re.search(r'<nav class="links".*?</nav>', page, re.DOTALL))
    return [unescape(found) for found in re.findall(r'href="([^"]*)"', nav[0])]


@pytest.mark.parametrize(
    "target",
    [
        "teams/AMU.html",
        "../index.html",
        "teams/a b.html",
        'teams/"><script>alert(1)</script>.html',
        "teams/ü?x=1#y.html",
        "javascript:alert(1)",
        "https://example.org/",
        "//example.org/x",
    ],
)
def test_a_link_leads_to_a_file_beside_the_page(target: str) -> None:
    page = page_html(report({"one": target}))
    (href,) = hrefs(page)
    assert "<script>alert" not in page
    assert urljoin(HERE, href).startswith("file:///")
    # What a browser makes of it is the file of that name; nothing of it is a query or a fragment.
    assert unquote(href) == f"./{target}"
    assert not set("?#") & set(href)


def test_texts_name_what_the_links_lead_to() -> None:
    overview = report({"A_1": "teams/A_1.html", "B": "teams/B.html"})
    assert "A page for each: A\\_1, B" in format_markdown(overview)
    assert "A page for each: A\\_1, B" in latex(overview)


def test_the_text_of_a_link_is_shown_literally() -> None:
    page = page_html(report({"<b>bold</b>": "x.html"}))
    assert "&lt;b&gt;bold&lt;/b&gt;" in page
    assert "<b>bold</b>" not in page


def test_tables_alone_have_no_use_for_how_intervals_are_made(tmp_path: Path, errorbar: CommandLine) -> None:
    done = errorbar("task", "board", make_task(tmp_path), "--tables-only", "--seed", "3", "-o", tmp_path / "board")
    assert (done.code, "--seed is about pages, and --tables-only makes none" in done.err) == (2, True)
    assert not (tmp_path / "board").exists()


def test_the_pages_of_a_board_lead_to_each_other(tmp_path: Path, errorbar: CommandLine) -> None:
    pytest.importorskip("vl_convert", reason="needs the extra 'report'")
    out = tmp_path / "board"
    assert errorbar("task", "board", make_task(tmp_path), "-o", out, "--resamples", "50").code == 0
    teams = hrefs((out / "index.html").read_text(encoding="utf-8"))
    assert sorted(teams) == ["./teams/one.html", "./teams/two.html"]
    for team in teams:
        (back,) = hrefs((out / team).read_text(encoding="utf-8"))
        assert (out / team).parent.joinpath(back).resolve() == out / "index.html"


@pytest.mark.parametrize("metric", ["m2", "errant", "green", "imeasure", "behavior", "behavior(average=sentence)"])
def test_every_metric_can_rank(metric: str, tmp_path: Path, errorbar: CommandLine) -> None:
    """With three annotators the page begins with shares of a person; a team has two runs, types are the metric's."""
    pytest.importorskip("vl_convert", reason="needs the extra 'report'")
    if metric == "errant":
        pytest.importorskip("errant")
    with demo_files() as (gold, _):
        for name, system in {"one/1.txt": "careful", "one/2.txt": "greedy", "two/1.txt": "articles"}.items():
            (tmp_path / name).parent.mkdir(exist_ok=True)
            shutil.copy(gold.parent / f"{system}.txt", tmp_path / name)
        assert errorbar("convert", gold, "-o", tmp_path / "gold.m2").code == 0
        assert errorbar("convert", gold, "-o", tmp_path / "source.txt").code == 0
    task = tmp_path / "task.toml"
    task.write_text(TASK.replace('"m2", "m2(beta=1)"', f'"{metric}"'))
    ran = validated("task-run", errorbar("task", "run", task, "--format", "json").out)
    assert {run["gold"][0]["metric"] for run in ran["corpora"][0]["runs"]} == {metric}
    done = errorbar("task", "board", task, "-o", tmp_path / "board", "--resamples", "50")
    assert done.code == 0, done.err
    pages = [(tmp_path / "board" / name).read_text() for name in ("index.html", "teams/one.html")]
    title = {"m2": "Recall", "errant": "Recall", "green": "", "imeasure": ""}.get(metric, "Hit")
    assert [f"{title} by error type" in page for page in pages] == [bool(title)] * 2
