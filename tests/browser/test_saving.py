"""Files that the sentence browser saves: read back by errorbar itself, and compared with what the page was made of."""

from __future__ import annotations

import csv
import json
from collections import Counter
from collections.abc import Callable
from io import StringIO
from pathlib import Path

import pytest

from errorbar import M2, Corpus, Edit, Hypothesis, Problems, Sentence
from errorbar.api import Browse
from errorbar.api.browse import browse_corpus
from errorbar.demo import demo_files
from errorbar.formats import read_corpus
from errorbar.metrics import ScoringPlan, score_corpus
from tests.browser.conftest import Opener, Watched
from tests.browser.pages import report_of, write

HARD = Corpus(
    [
        Sentence(
            "She go 𝒕𝒐 the =SUM(A1) school ,\x07 שלום",
            {
                "0": (
                    Edit(1, 2, ("goes", "", "went"), "SVA", comment="tense|||or number"),
                    Edit(2, 3, ("𝒊𝒏", "at the"), "Prep", optional=True),
                    Edit(5, 6, ("",), "Nn", group="plural"),
                    Edit(8, 8, (".",), "Mec"),
                ),
                "1": (),
                "7": (Edit(0, 0, ("But",), "Trans"), Edit(3, 5, ("-1", "@x"), "Um", comment="unclear")),
            },
            document='essay, "one"',
        ),
        Sentence("=1+2 is - a + formula", {"0": (Edit(0, 1, ("+A1", "-2"), "=X"),), "1": (Edit(4, 5, ("a",), "UNK"),)}),
        Sentence("Nobody looked here"),
        Sentence("", {"0": (Edit(0, 0, ("Word",), "Mec"),), "7": ()}),
    ],
    ("0", "1", "7"),
    "hard",
)
SYSTEMS = (
    Hypothesis("=HYPERLINK", ["She went 𝒕𝒐 the =SUM(A1) school ,\x07 שלום .", "=1+2 is a a + formula", "x", "Word"]),
    Hypothesis("copy", [sentence.text for sentence in HARD.sentences]),
)


def browsed(corpus: Corpus, systems: tuple[Hypothesis, ...]) -> Browse:
    return browse_corpus(corpus, systems, M2())


@pytest.fixture(scope="module")
def demo() -> tuple[Corpus, tuple[Hypothesis, ...]]:
    with demo_files() as (gold, files):
        texts = tuple(Hypothesis(file.stem, file.read_text(encoding="utf-8").splitlines()) for file in files)
        return read_corpus([gold]), texts


@pytest.fixture
def saved(opened: Opener, tmp_path: Path) -> Callable[..., tuple[Path, Watched]]:
    """Opens the page of a corpus at an address and saves what it shows."""

    def save(corpus: Corpus, systems: tuple[Hypothesis, ...], format_: str, at: str = "") -> tuple[Path, Watched]:
        watched = opened(write(report_of(browsed(corpus, systems)), tmp_path) + at)
        with watched.page.expect_download() as waiting:
            watched.page.get_by_role("button", name=format_, exact=True).click()
        path = tmp_path / waiting.value.suggested_filename
        waiting.value.save_as(path)
        return path, watched

    return save


Saved = Callable[..., tuple[Path, Watched]]


def m2_annotations(sentences: list[Sentence]) -> list[dict[str, list[Edit]]]:
    """Everybody's edits as M2 can hold them."""
    return [
        {
            name: [edit._replace(group="", comment=edit.comment.replace("|||", " ")) for edit in edits]
            for name, edits in sentence.annotations.items()
        }
        for sentence in sentences
    ]


@pytest.mark.parametrize("at", ["", "#sentences?system=greedy&verdict=missed&type=ArtOrDet&order=long"])
def test_m2_is_the_reference_of_what_is_shown(
    saved: Saved, demo: tuple[Corpus, tuple[Hypothesis, ...]], at: str
) -> None:
    path, watched = saved(*demo, "M2", at)
    corpus, back = demo[0], read_corpus([str(path)], unmarked="absent")
    assert path.name == ("sentences-18-of-63.m2" if at else "sentences.m2") or (at and "-of-63.m2" in path.name)
    assert len(back) == watched.count()
    assert bool(at) == (len(back) < len(corpus))
    wanted = {sentence.text: sentence for sentence in corpus.sentences}
    for sentence in back.sentences:
        known = m2_annotations([wanted[sentence.text]])[0]
        assert {name: list(edits) for name, edits in sentence.annotations.items()} == known


def test_m2_of_hard_edits(saved: Saved) -> None:
    path, watched = saved(HARD, SYSTEMS, "M2")
    back = read_corpus([str(path)], unmarked="absent")
    assert [sentence.tokens for sentence in back.sentences] == [sentence.tokens for sentence in HARD.sentences]
    assert m2_annotations(back.sentences) == m2_annotations(HARD.sentences)
    assert watched.page.locator("[data-part=saved]").inner_text() == "4 sentences saved as sentences.m2."


def test_m2_numbers_names_as_convert_does(saved: Saved) -> None:
    sentence = Sentence("a b", {"A2": (Edit(0, 1, (), "Um"),), "A10": (), "1": ()})
    path, watched = saved(Corpus([sentence], ("A2", "A10", "1")), (Hypothesis("s", ["a b"]),), "M2")
    text = watched.page.locator("[data-part=saved]").inner_text()
    assert text.startswith("1 sentence saved as sentences.m2. M2 numbers its annotators: 0 = A2, 2 = A10.")
    assert text.endswith("M2 cannot hold unknown corrections; 1 edit written as deletions.")
    assert path.read_text().splitlines()[1:] == [
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1",
        "A 0 1|||Um||||||REQUIRED|||-NONE-|||0",
        "A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||2",
        "",
    ]


def test_jsonl_is_a_corpus_with_systems(saved: Saved) -> None:
    path, _ = saved(HARD, SYSTEMS, "JSONL")
    back = read_corpus([str(path)], unmarked="absent")
    assert [s.annotations for s in back.sentences] == [s.annotations for s in HARD.sentences]
    assert [s.document for s in back.sentences] == [s.document for s in HARD.sentences]
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]
    assert [line["name"] for line in lines[1:]] == ["1", "2", "3", "4"]
    first = lines[1]["systems"]["=HYPERLINK"]
    assert first["against"] == "0"
    assert [(e["start"], e["end"], e["verdict"]) for e in first["edits"]] == [(1, 2, "right"), (8, 8, "right")]
    assert [(e["start"], e["type"]) for e in first["missed_edits"]] == [(2, "Prep"), (5, "Nn")]
    assert (first["right"], first["wrong"], first["missed"]) == (2, 0, 2)


def test_what_systems_missed_is_what_the_metric_says(saved: Saved, demo: tuple[Corpus, tuple[Hypothesis, ...]]) -> None:
    """By type and system, over all sentences: the numbers of the table of types."""
    path, _ = saved(*demo, "JSONL")
    lines = [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()[1:]]
    for system in demo[1]:
        missed = Counter(e.get("type", "") for line in lines for e in line["systems"][system.name]["missed_edits"])
        score = score_corpus(demo[0], [system], ScoringPlan([M2()], by_type=True), Problems())[0]
        wanted = {row.type: row.counts["gold"] - row.counts["correct"] for row in score.by_type}
        assert missed == Counter({name: n for name, n in wanted.items() if n})


def test_csv_is_quoted_and_runs_nothing(saved: Saved) -> None:
    path, _ = saved(HARD, SYSTEMS, "CSV")
    content = path.read_bytes()
    assert content.startswith(b"\xef\xbb\xbfsentence,document,text,")
    rows = list(csv.DictReader(StringIO(content.decode("utf-8-sig"), newline="")))
    assert not [cell for row in rows for cell in row.values() if len(cell) > 1 and cell[0] in "=+-@" and cell != "-1"]
    assert {row["sentence"] for row in rows} == {"1", "2", "3", "4"}
    first = [row for row in rows if row["sentence"] == "1" and row["name"] == "0"]
    assert [row["corrections"] for row in first] == ["goes ||  || went", "𝒊𝒏 || at the", "", "."]
    assert [(row["start_word"], row["end_word"], row["original"]) for row in first][1] == ("2", "3", "𝒕𝒐")
    assert first[0]["document"] == 'essay, "one"'
    assert first[1]["optional"] == "yes"
    said = {(row["sentence"], row["name"]): row["verdict"] for row in reversed(rows)}
    assert said["1", "1"] == "no error found"
    assert said["3", "0"] == "did not look"
    assert said["2", "'=HYPERLINK"] == "wrong"
    assert said["4", "'=HYPERLINK"] == "right"
    assert Counter(row["verdict"] for row in rows if row["sentence"] == "1" and row["name"] == "copy") == {
        "proposed nothing": 1  # the metric scores it against the annotator who found nothing
    }
    marked = Counter(row["verdict"] for row in rows if row["sentence"] == "1" and row["name"] == "'=HYPERLINK")
    assert marked == {"right": 2, "missed": 2}


def test_texts_with_line_ends(saved: Saved, opened: Opener, tmp_path: Path) -> None:
    """Of texts places are characters, and what a cell holds comes back with its line ends."""
    from errorbar.api import BrowseEdit, BrowseUnit

    text = 'A "text",\r\nof 😀 two\nlines'
    edit = BrowseEdit(14, 15, ("\n=cmd",), "T")
    unit = BrowseUnit(
        "0001", text, "", ((edit,),), ((BrowseEdit(14, 15, ("\n=cmd",), "T", matched=True),),), ((1, 1, 1),), (0,)
    )
    watched = opened(write(report_of(Browse(("gold",), ("run",), [unit], "text")), tmp_path))
    assert watched.page.get_by_role("button", name="M2", exact=True).count() == 0
    with watched.page.expect_download() as waiting:
        watched.page.get_by_role("button", name="CSV", exact=True).click()
    with Path(waiting.value.path()).open(encoding="utf-8-sig", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["text"] for row in rows] == [text, text]
    assert [(row["start_character"], row["original"], row["corrections"]) for row in rows] == [
        ("14", "😀", "'\n=cmd")
    ] * 2


@pytest.mark.parametrize("at", ["", "#sentences?type=ArtOrDet"])
def test_a_copied_link_opens_the_sentence(opened: Opener, demo_url: str, at: str) -> None:
    """Also of one that is not on the first page, and without the filters that led to it."""
    watched = opened(demo_url + at)
    watched.page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    watched.page.get_by_role("button", name="Next").click()
    card = watched.page.locator(".unit").nth(1)
    name = card.locator("h3").inner_text()
    card.get_by_role("button", name=f"Copy link to {name[0].lower()}{name[1:]}").click()
    watched.page.get_by_text("The link is copied.").wait_for()
    link = watched.page.evaluate("navigator.clipboard.readText()")
    again = opened(link)
    assert link.endswith(f"#s{name.split()[1]}")
    assert again.page.locator(".unit.current h3").inner_text() == name
    assert 0 <= again.page.locator(".unit.current").evaluate("e => e.getBoundingClientRect().top") < 500
    view_button = watched.page.locator("[data-part=copy-view]")
    watched.page.evaluate("() => { window.later = []; window.setTimeout = (call) => window.later.push(call); }")
    for clicks in (1, 2):  # the second one does not take the answer to the first for the button's own words
        view_button.click()
        watched.page.wait_for_function("clicks => window.later.length === clicks", arg=clicks)
        assert view_button.inner_text() == "Copied"
    watched.page.evaluate("() => { for (const call of window.later) call(); }")
    assert view_button.inner_text() == "Copy link to this view"
    view = opened(watched.page.evaluate("navigator.clipboard.readText()"))
    assert view.count() == watched.count()


def test_counts_follow_the_other_filters(opened: Opener, demo_url: str) -> None:
    """The count beside every choice is what is found once it is chosen."""
    watched = opened(f"{demo_url}#sentences?system=careful&verdict=missed&type=Prep")
    page = watched.page
    for part in ("type", "system", "verdict", "edits", "document"):
        control = page.locator(f"[data-part={part}]")
        before = control.input_value()
        texts = control.evaluate("e => [...e.options].map((o) => [o.value, o.textContent])")
        for value, text in texts[:8]:
            control.select_option(value=value)
            if "(" in text:
                assert watched.count() == int(text.rsplit("(", 1)[1].rstrip(")").replace(",", "")), (part, text)
        control.select_option(value=before)
    assert watched.count() > 0


def test_tables_are_saved_for_papers(opened: Opener, whole_url: str) -> None:
    """A table, and that of a chart, as ``--format latex`` writes it: the rows of the page, with the same cells."""
    page = opened(whole_url).page
    titles = {"scores": "Scores, in percent", "type-counts": "Edits found, of all edits of the type"}
    page.locator("summary", has_text="The same pairs in a table").click()
    titles["pairs"] = page.locator("#table-pairs caption").inner_text()
    for name, title in titles.items():
        with page.expect_download() as waiting:
            page.get_by_role("button", name=f"Save as LaTeX: {title}", exact=True).click()
        assert waiting.value.suggested_filename == f"{name}.tex"
        text = Path(waiting.value.path()).read_text(encoding="utf-8")
        assert r"\begin{tabular}{l" in text
        rows = page.locator(f"#table-{name} tbody tr")
        lines = text.partition("\\midrule\n")[2].partition("\\bottomrule")[0].splitlines()
        assert len(lines) == rows.count()
        cells = [cell.strip() for cell in lines[0].removesuffix(r" \\").split("&")]
        shown = rows.first.locator("th, td").all_inner_texts()
        assert [cell.replace("–", "--").replace("\\%", "%") for cell in cells] == [
            cell.replace("–", "--") for cell in shown
        ]
