"""The section of attacks: the numbers and sentences of ``errorbar attack``."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import errorbar
from errorbar import Hypothesis
from errorbar.api import AttackResult, CorpusStudy
from errorbar.api.attack import QUICK, SystemEstimate, rank_attacks
from errorbar.core import Estimate, Problem, UsageError
from errorbar.demo import demo_files
from errorbar.edits import Degenerate
from errorbar.metrics import Measure
from errorbar.metrics.gleu import Gleu
from errorbar.reporting import Section
from errorbar.reporting.sections.leaderboard import MOST_ATTACKED, attack
from errorbar.stats import MOST_UNASKED
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.expectations import require
from tests.reporting.pages import charts, drawn, prose, report_of, tables, text_rows
from tests.reporting.studies import score, study

pytest.importorskip("altair", reason="needs the extra 'report'")
HOW = {"resamples": 100, "seed": 5}
GOLD = corpus(sentence("x y", {"A": [edit(0, 1, "q")]}), sentence("z w", {"A": []}))
MINE = Hypothesis("mine", ["q y", "z w"])


@pytest.fixture(scope="module")
def demo() -> tuple[Path, list[Path]]:
    with demo_files() as (gold, systems):
        return gold, list(systems)


def reported(*arguments: object, **keywords: object) -> CorpusStudy:
    made = errorbar.report(*arguments, **{"browse": False, "resamples": 20, **keywords})  # type: ignore[arg-type]  # arguments of many types
    (found,) = made.studies
    assert isinstance(found, CorpusStudy)
    return found


def test_it_is_what_the_command_computes(demo: tuple[Path, list[Path]]) -> None:
    gold, systems = demo
    page = reported(gold, systems, ["m2", "gleu"], **HOW).attacked
    alone = errorbar.attack(gold, systems, ["m2", "gleu"], only=QUICK, ci=False)
    assert page is not None
    assert page.summaries() == alone.summaries()
    for spec in ("m2", "gleu"):
        for mine, theirs in zip(page[spec].attacks, alone[spec].attacks, strict=True):
            assert replace(mine.attack, signature=None) == replace(theirs.attack, signature=None)
            assert (mine.rank, mine.beats, mine.level, mine.above) == (
                theirs.rank,
                theirs.beats,
                theirs.level,
                theirs.above,
            )


def landed(values: dict[str, float], attacks: dict[str, float], n: int = 1) -> CorpusStudy:
    """A study with attacks under so many metrics."""
    made = [Degenerate(name, f"does {name}", "nothing", ()) for name in attacks]
    systems, degenerate = (
        [SystemEstimate(name, Estimate(value, 10)) for name, value in f_scores.items()]
        for f_scores in (values, attacks)
    )
    rankings = [rank_attacks(f"m{number}", Measure("f", "F0.5"), systems, degenerate) for number in range(n)]
    found = AttackResult(made, {"shuffled": "there is no other sentence"}, rankings, len(values))
    return replace(study([score(name, value) for name, value in values.items()]), attacked=found)


def section(corpus_study: CorpusStudy) -> Section:
    return require(attack(corpus_study))


def test_rows_sentences_and_notes() -> None:
    report = report_of([landed({"a": 0.4, "b": 0.2}, {"unchanged": 0.3, "empty": 0.1})])
    said = "Under m0 (F0.5), a system that does unchanged ranks 2nd of 3; of the others that see no reference, empty "
    assert prose(report, "attacks").endswith(f"{said}comes highest, 3rd of 3.")
    chart = charts(report)["attacks-chart"]
    assert [row[:3] for row in text_rows(chart.table)] == [
        ["unchanged", "does unchanged", "30.00"],
        ["empty", "does empty", "10.00"],
    ]
    assert "no shuffled: there is no other sentence" in chart.table.notes
    assert chart.description.endswith("An attack above systems is one that the metric prefers to their corrections.")
    shown = {row["name"]: row["note"] for row in drawn(chart) if "note" in row}
    assert shown == {"a": "", "unchanged (attack)": "2nd of 3", "b": "", "empty (attack)": "3rd of 3"}


def test_the_highest_of_those_that_know_the_answers_stands_for_all() -> None:
    one = landed({"a": 0.4}, {"pasted-A": 0.8, "pasted-B": 0.9})
    attacked = require(one.attacked)
    knowing = [replace(made, knows="answers") for made in attacked.attacks]
    report = report_of([replace(one, attacked=replace(attacked, attacks=knowing))])
    shown = {row["name"] for row in drawn(charts(report)["attacks-chart"]) if "note" in row}
    assert shown == {"a", "pasted-B (attack)"}
    said = "pasted-B is the highest of 2 that know the answers; the table has all."
    assert charts(report)["attacks-chart"].description.endswith(said)
    assert len(charts(report)["attacks-chart"].table.rows) == 2


def test_a_table_for_each_further_metric() -> None:
    report = report_of([landed({"a": 0.4}, {"unchanged": 0.3}, n=3)])
    assert {"attacks-2", "attacks-3"} <= set(tables(report))
    assert tables(report)["attacks-2"].title == "Attacks under m1"


def test_of_many_systems_the_chart_shows_the_best_and_the_attacks() -> None:
    values = {f"s{number}": number / 100 for number in range(40)}
    (_, chart) = section(landed(values, {"unchanged": 0.0})).blocks
    text = getattr(chart, "description", "")
    assert f"The chart shows the best {MOST_ATTACKED} of 40 systems." in text


def test_what_has_none() -> None:
    assert attack(study([score("a", 0.4)])) is None
    assert reported(GOLD).attacked is None  # no system
    assert reported(GOLD, MINE, attacks=False).attacked is None
    assert reported(GOLD, MINE).attacked is not None


def test_many_sentences_have_none_and_it_is_said() -> None:
    from errorbar.reporting.sections.methods import list_missing

    without_attacks = replace(study([score("a", 0.4)]), n_sentences=MOST_UNASKED + 1)
    assert "no section on attacks: of more than 20,000 sentences errorbar attack makes them" in [
        note.what for note in list_missing([without_attacks])
    ]


def test_a_metric_whose_maker_of_edits_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    count = Gleu.measure

    def measure(self: Gleu, reference: errorbar.Corpus, output: list[str], *, by_type: bool = False) -> object:
        if output != MINE.lines:
            raise UsageError(Problem("no-errant", "edits need errant", fix="install it"))
        return count(self, reference, output, by_type=by_type)

    monkeypatch.setattr(Gleu, "measure", measure)
    found = reported(GOLD, MINE, ["m2", "gleu"])
    assert [under.metric for under in require(found.attacked).rankings] == ["m2"]
    assert "no attack on gleu: edits need errant; install it [attack-no-score]" in [str(note) for note in found.notes]
