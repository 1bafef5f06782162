"""Detectors in the report: curves and scores as the commands have them, word by word, and the hardest items."""

from __future__ import annotations

import csv
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

import errorbar as library
from errorbar.api import CorpusStudy, CrowdStudy
from errorbar.metrics import Truth
from errorbar.reporting import ItemList, Prose, format_markdown, page_html
from errorbar.tables import estimate_record
from tests.helpers.cli import CommandLine
from tests.helpers.expectations import require
from tests.reporting.pages import charts, compute_studies, report_of, tables, text_rows

pytest.importorskip("jinja2", reason="needs the extra 'report'")

SENTENCES = (
    "She depends of him .",
    "He lives in <b>Rome</b> since May .",
    "They talk about of it .",
    "It is on the table .",
)
EDITS = {  # sentence, start, end, replacement of each annotator
    "A": ((0, 2, 3, "on"), (2, 3, 4, "")),
    "B": ((0, 1, 3, "relies on"), (2, 2, 4, "of"), (3, 2, 3, "upon")),
    "C": ((0, 2, 3, "upon"), (2, 2, 4, "about")),
}
ROWS = (  # item, flag, score, word, suggestion
    ("1:2-3", 0, 1.5, "of", "on"),
    ("2:2-3", 1, 5.0, "in", "at"),
    ("2:4-5", 0, -1000.0, "since", "for"),
    ("3:2-3", 1, 4.5, "about", "of"),
    ("3:3-4", 1, 6.0, "of", ""),
    ("4:2-3", 0, -2.0, "on", "in"),
)
HEAD = "item,flag,score,word,suggestion,text"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for annotator, edits in EDITS.items():
        Path(f"{annotator}.m2").write_text(m2(edits), encoding="utf-8")
    write("me.csv", [(*row, "") for row in ROWS])
    write("other.csv", [(item, 1 - flag, -score, word, "", "") for item, flag, score, word, _ in ROWS])
    return tmp_path


def m2(edits: Sequence[tuple[int, int, int, str]]) -> str:
    """The sentences with one annotator's edits; those of one word are of type Prep."""
    lines = []
    for number, text in enumerate(SENTENCES):
        lines.append(f"S {text}")
        own = [(start, end, new) for at, start, end, new in edits if at == number]
        for start, end, new in own or [(-1, -1, "-NONE-")]:
            kind = "noop" if start < 0 else "Prep" if end - start == 1 else "Wform"
            lines.append(f"A {start} {end}|||{kind}|||{new}|||REQUIRED|||-NONE-|||0")
        lines.append("")
    return "\n".join(lines)


def write(name: str, rows: Sequence[tuple[object, ...]], head: str = HEAD) -> None:
    with Path(name).open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([head.split(","), *rows])


def study(**given: Any) -> CorpusStudy:  # noqa: ANN401 - arguments of report
    (corpus_study,) = compute_studies(**{"gold": "*.m2", "systems": ["me=me.csv"], "attacks": False, **given})
    assert isinstance(corpus_study, CorpusStudy)
    return corpus_study


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("truth", ["any", "majority", "weighted"])
def test_curves_are_those_of_crowd_sweep(errorbar: CommandLine, truth: Truth) -> None:
    corpus_study = study(systems=["me=me.csv", "other=other.csv"])
    same = ("--resamples", 200, "--seed", 7, "--ci", "--format", "json")
    call = ("crowd", "sweep", "*.m2", "me=me.csv", "other=other.csv", "--items", "words", "--truth", truth, *same)
    rows = json.loads(errorbar(*call).out)["rows"]
    assert require(corpus_study.detectors).sweeps[truth].to_dict()["rows"] == rows
    shown = text_rows(tables(report_of([corpus_study]))[f"detector-curve-{truth}-values"])
    assert len(shown) == 2 * len(rows[0]["points"])


@pytest.mark.usefixtures("folder")
def test_flags_score_as_crowd_score_has_it(errorbar: CommandLine) -> None:
    corpus_study = study()
    call = ("crowd", "score", "*.m2", "me.csv", "--items", "words")
    weighted, majority = json.loads(errorbar(*call, "--format", "json").out)["rows"]
    (me,) = require(corpus_study.detectors).detectors
    rows: tuple[tuple[Truth, Any], ...] = (("weighted", weighted), ("majority", majority))
    for truth, row in rows:
        score = me.scores[truth]
        for estimate, name in ((score.precision, "P"), (score.recall, "R"), (score.f, "F")):
            made, printed = estimate_record(estimate), row[name]
            assert made.pop("interval") == pytest.approx(printed.pop("interval"))  # sums come out a last bit beside
            assert made == printed
    # Against any of three annotators: 1:2-3, both words of sentence 3, and 4:2-3 are errors.
    assert (me.n_flagged, me.scores["any"].hits, me.scores["any"].misses) == (3, 2, 2)


@pytest.mark.usefixtures("folder")
def test_word_by_word() -> None:
    corpus_study = study()
    made = tables(report_of([corpus_study]))
    words = {row[0]: row[1:5] for row in text_rows(made["detector-words-me-values"])}
    # Items, flagged, errors to anybody, precision: one of two `of` is flagged, and both are errors.
    assert words["of"] == ["2", "1", "2.0", "100.00"]
    assert words["in"] == ["1", "1", "0.0", "0.00"]
    assert words["since"][3] == "–"
    confused = {tuple(row[:2]): row[2:] for row in text_rows(made["detector-confusion-me-values"])}
    # B writes `of` for `about of`, which keeps `of` and deletes `about`; C keeps `about` and deletes `of`, as A does.
    assert confused[("of", "(nothing)")] == ["1", "1", "1"]
    assert confused[("about", "of")] == ["1", "1", "0"]
    assert confused[("in", "at")] == ["1", "0", "0"]
    written = {tuple(row[:2]): row[2] for row in text_rows(made["detector-written-values"])}
    assert written[("of", "on")] == "2"  # A's, and B's `relies on`
    assert written[("of", "(nothing)")] == "2"
    assert written[("about", "(nothing)")] == "1"
    assert written[("on", "upon")] == "1"


@pytest.mark.usefixtures("folder")
def test_the_hardest_items_are_escaped_and_lead_to_their_sentence() -> None:
    corpus_study = study(browse=True)
    report = report_of([corpus_study])
    alarms, misses = (block for block in report.blocks if isinstance(block, ItemList))
    assert [(line.label, line.link) for line in alarms.lines] == [("Sentence 2", "s2")]
    assert alarms.lines[0].text == ("He lives", "in", "<b>Rome</b> since May .")
    assert alarms.lines[0].facts == "score 5.00, suggests “at”, marked by 0 of 3 annotators"
    assert [line.label for line in misses.lines] == ["Sentence 1"]
    assert misses.lines[0].facts.endswith("marked by 3 of 3 annotators, they write “on” (2) and “upon” (1)")
    page = page_html(report)
    assert '<p class="text" dir="auto">He lives <mark>in</mark> &lt;b&gt;Rome&lt;/b&gt; since May .</p>' in page
    assert '<a href="#s2">Sentence 2</a>' in page
    assert "<b>Rome" not in page


@pytest.mark.usefixtures("folder")
def test_without_sentences_no_text_is_told() -> None:
    report = report_of([study(browse=False)])
    for text in (page_html(report), format_markdown(report)):
        assert "Rome" not in text
        assert "lives" not in text
        assert "#s2" not in text
    assert "| 2:2-3 | in | at |" in format_markdown(report)


@pytest.mark.usefixtures("folder")
def test_only_edits_of_a_type() -> None:
    everything, of_type = study(), study(labels=["type=Prep"])
    assert everything.detectors is not None
    assert of_type.detectors is not None
    # B's edits of several words are of another type.
    hits = [
        corpus_study.detectors.detectors[0].scores["weighted"].hits
        for corpus_study in (everything, of_type)
        if corpus_study.detectors
    ]
    assert hits == [pytest.approx(2 / 3 + 3 / 3), pytest.approx(1 / 3)]


@pytest.mark.usefixtures("folder")
def test_beside_systems(errorbar: CommandLine) -> None:
    Path("same.txt").write_text("\n".join(SENTENCES) + "\n", encoding="utf-8")
    call = ("report", "--gold", "*.m2", "same.txt", "me=me.csv", "--resamples", 50, "--page", "attacks=no")
    assert errorbar(*call, "-o", "r.md").code == 0
    text = Path("r.md").read_text(encoding="utf-8")
    assert "## Leaderboard" in text
    assert "## Detectors" in text
    assert "- detectors: 1" in text
    assert "1 detector judged 6 items; the average precision of me against any annotator is" in text
    # The same from Python, where systems are named by keys.
    made = library.report("*.m2", {"same": "same.txt", "me": "me.csv"}, resamples=50, attacks=False)
    (corpus_study,) = made.studies
    assert isinstance(corpus_study, CorpusStudy)
    assert corpus_study.detectors is not None
    assert [score.system for score in corpus_study.scores] == ["same"]


@pytest.mark.usefixtures("folder")
def test_a_table_without_scores_has_no_curve() -> None:
    write("me.csv", [row[:2] for row in ROWS], "item,flag")
    corpus_study = study()
    assert "detector-no-score" in {note.code for note in corpus_study.notes}
    made = report_of([corpus_study])
    assert [name for name in charts(made) if name.startswith("detector")] == ["detector-scores", "detector-words-me"]
    (section,) = (section for section in made.sections if section.name == "detectors")
    assert section.blocks[0] == Prose(
        ["A detector flags some items. No table has a score of every item, so there is no threshold curve."]
    )
    (alarms,) = (block for block in section.blocks if isinstance(block, ItemList) and "false alarms" in block.title)
    assert alarms.title.startswith("me: false alarms, flagged, and no annotator marks it (")
    assert "1 detector judged 6 items, without scores of every item." in made.summary


@pytest.mark.usefixtures("folder")
def test_judgments_of_raters() -> None:
    votes = [
        (item, rater, "error" if item.startswith("1") or rater == "x" else "ok") for item, *_ in ROWS for rater in "xyz"
    ]
    write("votes.csv", votes, "item,rater,label")
    write("me.csv", [(*row, SENTENCES[int(row[0][0]) - 1].replace(row[3], f"[{row[3]}]", 1)) for row in ROWS])
    (crowd_study,) = compute_studies(judgments="votes.csv", systems=["me=me.csv"], browse=True)
    assert isinstance(crowd_study, CrowdStudy)
    assert crowd_study.detectors is not None
    assert not crowd_study.detectors.annotated
    (me,) = crowd_study.detectors.detectors
    assert [miss.text for miss in me.misses] == [("She depends", "of", "him .")]
    assert me.false_alarms == []  # the rater x finds everything wrong
    assert all(confusion.n_agreed is None for confusion in me.confusions)
    made = report_of([crowd_study])
    assert "detector-written" not in charts(made)
    assert "any rater" in charts(made)["detector-curve-any"].title
    assert all(not line.link for block in made.blocks if isinstance(block, ItemList) for line in block.lines)


@pytest.mark.usefixtures("folder")
def test_one_annotator_is_one_truth() -> None:
    report = report_of([study(gold="A.m2")])
    assert [name for name in charts(report) if name.startswith("detector-curve")] == ["detector-curve-any"]
    assert charts(report)["detector-curve-any"].title == "Precision and recall against the annotator"


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("rows", "more", "said"),
    [
        ([("1:2-3", 1, 1.0, "on", "", "")], (), "item 1:2-3 is 'on' here, and 'of' in the reference"),
        ([("i1", 1, 1.0, "of", "", "")], (), "none of its items, such as 'i1', was judged"),
        ([("1:2-3", 1, 1.0, "of", "", "")], (), "5 of 6 judged items have no flag, first '2:2-3'"),
        ([("1:2-3", 1, 1.0, "of", "", "")], ("--labels", "type=Verb"), "used the error type 'Verb'"),
        ([("1:2-3", 1, 1.0, "of", "", "")], ("--items", "words:at"), "the items are words, and none of them occurs"),
    ],
)
def test_refused_in_one_line(
    errorbar: CommandLine, rows: list[tuple[object, ...]], more: tuple[str, ...], said: str
) -> None:
    write("me.csv", rows)
    done = errorbar("report", "--gold", "*.m2", "me.csv", *more, "-o", "r.md", "--resamples", 20)
    assert done.code == 2
    assert said in done.err
    assert done.err.count("error:") == 1
    assert not Path("r.md").exists()
