"""The headline claims what the tests and the human ceiling show, and no more; each is derived by hand."""

from __future__ import annotations

import re
import shutil
import struct
from dataclasses import replace
from pathlib import Path

import pytest

import errorbar
from errorbar.api import CeilingResult, CorpusStudy, Study
from errorbar.core import Interval, Undefined
from errorbar.demo import demo_files
from errorbar.metrics import CeilingIntervals, JudgeRule
from errorbar.metrics.judges import JudgeSets
from errorbar.metrics.tokens import Tokens
from errorbar.reporting import Chart, build_report, page_html
from errorbar.reporting.export import MOST_LINES, SIZE, card_svg, wrap
from errorbar.reporting.sections.leaderboard import MOST_ON_CARD, card_chart, leaderboard
from errorbar.reporting.sections.summary import headline, terms
from tests.helpers.cli import CommandLine
from tests.helpers.expectations import require
from tests.reporting.pages import charts, report_of, text_rows
from tests.reporting.studies import ceiling, comparison, crowd_study, hoo_study, sample_study, score, study, systems

FIXED = "By the judgment of these 2 annotators, "
TWO = " Two annotators cannot show how well a person does."


def say(study: Study) -> str:
    return headline([study])


def with_humans(corpus_study: CorpusStudy, share: float, low: float, high: float, size: int = 9) -> CorpusStudy:
    """The study with annotators, drawn anew, of whom the first system reaches that share."""
    first = corpus_study.scores[0].system
    row = (Interval(0.4, 0.6, 0.95, "jackknife, t"),)
    over = CeilingIntervals(row, (row,), ((Interval(low, high, 0.95, "jackknife, t"),),))
    humans = CeilingResult(ceiling(0.5, {first: 0.5 * share}, size), over, None, None, "m2|human", judged=over)
    annotators = tuple(f"A{k}" for k in range(size + 1))
    return replace(judged_anew(corpus_study), ceiling=humans, annotators=annotators)


def judged_anew(corpus_study: CorpusStudy) -> CorpusStudy:
    """The study with a comparison that is about other judges too."""
    compared = corpus_study.comparison
    if compared is None:
        return corpus_study
    sets = JudgeSets(JudgeRule(10, 10, random=True), None, 1, exact=True)
    pairs = tuple(replace(p, test=replace(p.test, judges=sets)) for p in compared.found.pairs)
    return replace(corpus_study, comparison=replace(compared, found=replace(compared.found, pairs=pairs)))


THREE = {"CAMB": 0.54, "CUUI": 0.52, "AMU": 0.50}


def test_the_best_the_one_that_may_be_as_good_and_the_share_of_a_person() -> None:
    of_three = with_humans(systems(THREE, {("CAMB", "AMU"): 0.01}), 0.74, 0.69, 0.78)
    assert say(of_three) == (
        "CAMB corrects best of 3 systems, about three quarters as well as a person, but CUUI may be as good."
    )


@pytest.mark.parametrize(
    ("share", "low", "high", "words"),
    [
        (0.74, 0.7, 0.78, "about three quarters as well as a person"),
        (0.70, 0.66, 0.75, "about 70% as well as a person"),
        (0.65, 0.6, 0.7, "about two thirds as well as a person"),
        (0.9, 0.8, 1.05, "perhaps as well as a person"),
        (1.02, 0.95, 1.1, "about as well as a person"),
        (1.2, 1.1, 1.3, "better than a person"),
    ],
)
def test_shares_in_words(share: float, low: float, high: float, words: str) -> None:
    both = {("CAMB", "CUUI"): 0.01, ("CAMB", "AMU"): 0.01}
    assert say(with_humans(systems(THREE, both), share, low, high)) == f"CAMB corrects best of 3 systems, {words}."
    assert say(with_humans(study([score("mine", 0.5)]), share, low, high)) == f"mine corrects {words}."


def test_what_annotators_do_not_show_is_not_claimed() -> None:
    wide = with_humans(study([score("mine", 0.5)]), 0.84, 0.47, 1.49, size=2)
    assert say(wide) == "mine scores 50.00 of 100. 3 annotators cannot show how well a person does."
    assert [line for line in terms([wide]) if line.startswith("A person")] == []
    two = study([score("mine", 0.5)], humans=ceiling(0.5, {"mine": 0.5}, size=1))
    assert say(two) == f"mine scores 50.00 of 100.{TWO}"
    alone = study([score("mine", 0.5)], annotators=["A"])
    assert say(alone) == "mine scores 50.00 of 100. One annotator cannot show how well a person does."
    # Judges are fixed: nothing is claimed of other people.
    fixed = replace(systems(THREE, humans=ceiling(0.5, {"CAMB": 0.35})), annotators=tuple("ABCDEFGHIJ"))
    assert say(fixed).startswith(
        "By the judgment of these 10 annotators, CAMB corrects best of 3 systems, about 70% as"
    )
    assert "as well as one of them" in say(fixed)


def test_systems_that_may_be_as_good() -> None:
    assert say(systems(THREE)) == f"{FIXED}CAMB corrects best of 3 systems, but any of the other 2 may be as good."
    assert say(systems({"a": 0.4, "b": 0.3})) == f"{FIXED}a corrects best of the two systems, but b may be as good."
    many = {f"s{k}": 0.5 - k / 100 for k in range(9)}
    worst = {("s0", "s8"): 0.001}
    assert say(systems(many, worst)).endswith("but s1, s2, s3, s4 and 3 more may be as good.")
    both = {("a", "b"): 0.01}
    assert say(systems({"a": 0.4, "b": 0.3}, both)) == f"{FIXED}a corrects best of the two systems."


def test_too_little_data_and_no_test() -> None:
    floor = 105 / 2001
    tested = systems({"a": 0.4, "b": 0.3}, {("a", "b"): floor}, floor=floor)
    assert say(tested).endswith(
        "a corrects best of the two systems, but there is too little data to tell which is best."
    )
    untested = study([score("a", 0.4), score("b", 0.3)])
    assert say(untested) == "a corrects best of the two systems, but no test was run, so the lead may be chance."


def test_ties_zeros_and_values_that_are_undefined() -> None:
    alike = {("a", "b"): None}
    assert say(systems({"a": 0.4, "b": 0.4}, alike)) == f"{FIXED}a and b score alike."
    first = systems({"a": 0.4, "b": 0.4, "c": 0.1}, {**alike, ("a", "c"): 0.01, ("b", "c"): 0.01})
    assert say(first) == f"{FIXED}a and b share the first place among 3 systems."
    zero = study([score("a", 0.0), score("b", 0.0)], comparison({"a": 0.0, "b": 0.0}, alike))
    assert say(zero) == "No system of 2 corrects anything as the annotators do."
    assert say(study([score("a", 0.0)])) == "a corrects nothing as the annotators do."
    none = score("a", None, undefined=Undefined.NO_UNITS)
    assert say(study([none])) == "a has no score: no unit was scored."
    assert say(study([none, score("b", None)])) == "None of 2 systems has a score."
    assert say(study([])) == ""


def test_detection_and_other_kinds_of_data() -> None:
    detected = study([score("a", 0.4), score("b", 0.3)], metric=Tokens())
    assert say(detected).startswith("a detects errors best of the two systems")
    assert terms([detected])[0].startswith("F0.5 runs from 0 to 100 and joins precision (the share of a system's flags")
    assert say(hoo_study()).endswith(" corrects best of 3 runs, but no test was run, so the lead may be chance.")
    assert (say(crowd_study()), say(sample_study())) == ("", "")
    assert headline([crowd_study(), systems(THREE)]) == say(systems(THREE))


@pytest.mark.parametrize(
    ("beta", "weight"),
    [
        (0.5, "precision counts twice as much"),
        (1.0, "both count alike"),
        (2.0, "recall counts twice as much"),
        (0.25, "precision counts 4 times as much"),
    ],
)
def test_f_is_explained_where_it_first_stands(beta: float, weight: str) -> None:
    explained = terms([study([score("a", 0.4, beta=beta)])])
    assert explained[0].startswith(f"F{beta:g} runs from 0 to 100")
    assert explained[0].endswith(f"; {weight}.")


def test_a_person_is_100_on_the_leaderboard() -> None:
    of_three = with_humans(systems(THREE), 0.74, 0.69, 0.78)
    chart = charts(report_of([of_three]))["human-share"]
    ends = "(95% intervals 40.00–60.00 over texts, 40.00–60.00 over texts and judges)"
    assert f"The line is a person, F0.5 50.00 {ends}: the mean of the annotators" in chart.description
    assert text_rows(chart.table) == [["a person", "100.00", "–", "–"], ["CAMB", "74.00", "69.00–78.00", "69.00–78.00"]]
    # Two annotators do not show what a person scores, nor do ten whose interval leaves everything open.
    two = systems(THREE, humans=ceiling(0.5, {"CAMB": 0.35}, size=1))
    for unclear in (two, with_humans(systems(THREE), 0.84, 0.47, 1.49)):
        drawn = [block.name for block in require(leaderboard(unclear)).blocks if isinstance(block, Chart)]
        assert drawn == ["leaderboard-chart"]


# The share card, and what pages that show links read.


def test_a_card_has_headline_and_few_rows() -> None:
    many = systems({f"s{k}": 0.5 - k / 100 for k in range(9)})
    report = build_report([many], title="A & B", command="")
    svg = card_svg(report)
    assert f'width="{SIZE[0]}" height="{SIZE[1]}"' in svg
    assert "A &amp; B" in svg
    assert all(word in svg for word in report.headline.split())
    assert "s6" in svg
    assert "s7" not in svg
    assert f"best {MOST_ON_CARD} of 9 systems" in svg
    assert "A bar says how far a value may be from that on other texts." in svg
    (place,) = re.findall(r'<svg x="48" y="\d+" width="(\d+)" height="(\d+)".* viewBox="-\d+ 0 (\d+) (\d+)"', svg)
    wide, high, drawn_wide, drawn_high = map(int, place)
    assert drawn_wide / drawn_high == pytest.approx(wide / high, rel=0.02)  # as wide as the card
    assert card_chart(crowd_study()) is None
    assert "<text" in card_svg(replace(report, headline="", card=None))


def test_a_long_headline_ends_inside_the_card() -> None:
    report = build_report([systems(THREE)], title="T", command="")
    svg = card_svg(replace(report, headline="word " * 200, card=None))
    assert svg.count("<text") == 1 + MOST_LINES
    assert " …</text>" in svg
    assert wrap("one two", 1, 20) == ["one", "two"]


def test_the_card_is_a_picture_of_that_size(errorbar: CommandLine, tmp_path: Path) -> None:
    with demo_files() as (gold, files):
        card = tmp_path / "card.png"
        call = ("report", "--gold", str(gold), *map(str, files[:2]), "--resamples", "50", "--page", "attacks=no")
        done = errorbar(
            *call, "-o", str(tmp_path / "d.html"), "--card", str(card), "--page", "image=https://x.org/c.png"
        )
    assert done.code == 0, done.err
    assert done.err.rstrip().endswith(f", card {card}")
    content = card.read_bytes()
    assert content[:8] == b"\x89PNG\r\n\x1a\n"  # the PNG specification, 5.2; the size stands in the first chunk, 11.2.2
    assert struct.unpack(">II", content[16:24]) == SIZE
    page = (tmp_path / "d.html").read_text(encoding="utf-8")
    assert '<meta property="og:image" content="https://x.org/c.png">' in page


def test_a_card_that_is_no_png_and_an_address_that_is_none_are_refused(errorbar: CommandLine) -> None:
    for more, words in (
        (("--card", "c.jpg"), "name a file that ends in .png"),
        (("--page", "image=c.png"), "begins with https://"),
    ):
        done = errorbar("report", "--gold", "x.m2", *more)
        assert done.code == 2
        assert words in done.err


def test_what_pages_that_show_links_read() -> None:
    report = build_report([systems(THREE)], title="A & B", command="")
    page = page_html(report)
    assert '<meta property="og:title" content="A &amp; B">' in page
    assert f'<meta property="og:description" content="{report.headline}">' in page
    assert "og:image" not in page


# The title of data that the catalog knows.


def test_files_that_the_catalog_knows_by_content_title_the_page(data: Path, tmp_path: Path) -> None:
    gold = tmp_path / "any name.m2"
    shutil.copy(data / "bn2015_10gec" / "A1.m2", gold)

    def title(of: str) -> str:
        system = data / "conll14_systems" / "official_submissions" / "CAMB"
        made = errorbar.report(of, [system], resamples=20, attacks=False, browse=False, lenient=True)
        return made.report.title

    assert title(str(gold)) == "CoNLL-2014 test set: 1 system against 1 annotator"
    assert title(f"mine={gold}") == "mine"
    gold.write_text(gold.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert title(str(gold)) == "any name"
