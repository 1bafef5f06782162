"""The numbers of a report are those that the commands print for the same input, to the digit."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from errorbar.reporting import Report
from errorbar.testing import accurate, simulate
from tests.helpers.cli import CommandLine
from tests.helpers.crowd import write_judgments
from tests.helpers.standoff import edit_xml, edits_xml
from tests.reporting.pages import compute_studies, printed, report_of, tables, text_rows

pytest.importorskip("altair", reason="needs the extra 'report'")
SAME = ("--resamples", "200", "--seed", "7")
MARKDOWN = ("--format", "markdown")
Demo = tuple[list[str], Report]
METHODS = ("near-exact", "logit", "wald", "wald-z")


def headings_of(out: str) -> list[str]:
    """Headings of the table that a command printed."""
    return [cell.strip() for cell in out.splitlines()[0].strip("|").split("|")]


def test_scores_with_intervals(demo: Demo, errorbar: CommandLine) -> None:
    arguments, report = demo
    theirs = {row[0]: row[1:8] for row in printed(errorbar("score", *arguments, "--ci", *SAME, *MARKDOWN).out)}
    table = tables(report)["scores"]
    ours = text_rows(table)
    assert {row[0]: row[1:8] for row in ours} == theirs
    assert [float(row[5]) for row in ours] == sorted((float(row[5]) for row in ours), reverse=True)
    counts = {row[0]: row[4:7] for row in printed(errorbar("score", *arguments, "--no-ci", *MARKDOWN).out)}
    assert {row[0]: row[8:11] for row in ours} == counts


def test_groups_and_pairs(demo: Demo, errorbar: CommandLine) -> None:
    arguments, report = demo
    scores, pairs = errorbar("compare", *arguments, "--pairs", *SAME, *MARKDOWN).out.split("| first |")
    theirs = printed(scores)
    assert [[row[0], row[-1]] for row in text_rows(tables(report)["scores"])] == [[row[1], row[-1]] for row in theirs]
    assert text_rows(tables(report)["pairs"]) == printed("| first |" + pairs)


def test_pairs_adjusted_by_holm_with_other_swaps(demo: Demo, errorbar: CommandLine, tmp_path: Path) -> None:
    arguments, _ = demo
    options = [*arguments, "--seed", "7", "--resamples", "50"]
    pairs = errorbar("compare", *options, "--adjust", "holm", "--swaps", "40", "--pairs", *MARKDOWN).out.split(
        "| first |"
    )[1]
    page = tmp_path / "page.md"
    assert errorbar("report", *options, "--adjust", "holm(swaps=40)", "-o", page).code == 0
    text = page.read_text(encoding="utf-8").replace("\\>", ">")
    assert (
        "of no difference over texts and judges (t, Holm; of fewer than 25 texts no smaller than that of the swaps)"
        in text
    )
    assert "p:holm,40" in text
    for row in printed("| first |" + pairs):
        assert " | ".join(row[:7]) in text


def test_recall_by_type(demo: Demo, errorbar: CommandLine) -> None:
    arguments, report = demo
    done = errorbar("score", *arguments, "--by", "type", "--no-ci", *MARKDOWN).out
    theirs = printed(done)
    table = tables(report)["type-recall"]
    order = [table.columns.index(name) for name in ("careful", "greedy", "articles", "copy")]
    ours = {row[0]: {table.columns[at]: row[at] for at in order} for row in text_rows(table)}
    shown = headings_of(done)
    assert ours == {row[0]: dict(zip(shown[1:], row[1:], strict=True)) for row in theirs}
    # Frequent types first: the number of edits, or the larger one of a range, does not rise.
    sizes = [float(row[table.columns.index("edits")].split("–")[-1]) for row in text_rows(table)]
    assert sizes == sorted(sizes, reverse=True)


def test_ceiling_with_intervals(demo: Demo, errorbar: CommandLine) -> None:
    arguments, report = demo
    done = errorbar("ceiling", *arguments, "--ci", "--resamples", "20", "--seed", "7", *MARKDOWN).out
    done, shares = done.split("\n\n| system ")
    heading = headings_of(done)
    theirs = printed(done)
    scores, ratios = tables(report)["ceiling-scores"], tables(report)["ceiling-ratios"]
    for ours, row in zip(text_rows(scores), theirs, strict=True):
        assert ours[1:3] == row[2:4]  # human and its interval
        for name in ("careful", "greedy", "articles", "copy"):
            assert ours[scores.columns.index(name)] == row[heading.index(name)]
    last = text_rows(ratios)[-1]
    for name, _, *share in (row[:4] for row in printed(f"| system {shares}")):
        at = ratios.columns.index(name)
        assert last[at : at + 2] == share


def test_agreement_and_its_pairs(demo: Demo, errorbar: CommandLine) -> None:
    arguments, report = demo
    agree = ("agree", arguments[1], *SAME, *MARKDOWN)
    assert text_rows(tables(report)["agreement-coefficients"]) == printed(errorbar(*agree).out)
    assert text_rows(tables(report)["agreement-pairs"]) == printed(errorbar(*agree, "--pairs").out)


def test_another_choice_and_another_metric(demo: Demo, errorbar: CommandLine) -> None:
    arguments, report = demo

    def score(spec: str) -> str:
        return errorbar("score", *arguments, "--metric", spec, "--no-ci", *MARKDOWN).out

    sentence = ("m2(choose=sentence)", "choice-m2-choose-sentence", 3)
    for spec, name, at in (sentence, ("m2(beta=1)", "scores-m2-beta-1", 1)):
        theirs = {row[0]: row[1:4] for row in printed(score(spec))}
        assert {row[0]: row[at : at + 3] for row in text_rows(tables(report)[name])} == theirs


def test_signatures_are_those_of_the_commands(demo: Demo, errorbar: CommandLine) -> None:
    arguments, report = demo
    signatures = {row[1]: row[2] for row in text_rows(tables(report)["signatures"])}
    assert signatures["compare"] in errorbar("compare", *arguments, *SAME).out
    assert signatures["ceiling"] in errorbar("ceiling", *arguments, "--ci", "--resamples", "20", "--seed", "7").out
    assert signatures["agree"] in errorbar("agree", arguments[1], *SAME).out
    other = errorbar("score", *arguments, "--metric", "m2(choose=sentence)", "--no-ci", "--format", "json").out
    assert json.dumps(signatures["score: careful, m2(choose=sentence)"]) in other


@pytest.fixture
def votes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    made = simulate([accurate(0.85)] * 6, np.random.default_rng(1), n_items=80, per_item=6, prevalence=0.3)
    Path("votes.csv").write_text("\n".join(write_judgments(made.judgments)) + "\n", encoding="utf-8")
    both = list(zip(made.judgments.items, made.truth, strict=True))
    for name, every in (("a", 1), ("b", 3)):
        flags = [f"{i},{int(t or k % every == 1)}" for k, (i, t) in enumerate(both)]
        Path(f"{name}.csv").write_text("\n".join(["item,flag", *flags]) + "\n", encoding="utf-8")
    return tmp_path


def test_crowd(votes: Path, errorbar: CommandLine) -> None:
    flags = ("a=a.csv", "b=b.csv")
    report = report_of(compute_studies(judgments="votes.csv", systems=flags))
    call = ("votes.csv", *flags, *SAME, *MARKDOWN)
    scores = errorbar("crowd", "score", "votes.csv", *flags, *MARKDOWN).out
    assert text_rows(tables(report)["crowd-scores-values"]) == printed(scores)
    assert text_rows(tables(report)["crowd-bins-values"]) == printed(errorbar("curve", *call).out)
    curve = printed(errorbar("curve", *call, "--kappa").out)
    for at, name in enumerate(("crowd-kappa", "crowd-youden", "crowd-odds", "crowd-kappa-at")):
        ours = text_rows(tables(report)[f"{name}-values"])
        assert ours == [[*row[:6], *row[6 + 2 * at : 8 + 2 * at]] for row in curve]
    agree = printed(errorbar("agree", "votes.csv", *SAME, *MARKDOWN).out)
    assert text_rows(tables(report)["agreement-coefficients"]) == agree
    # Every item stands in the histogram once.
    assert sum(int(row[1]) for row in text_rows(tables(report)["crowd-agreement"])) == 80


def as_there(cell: str) -> str:
    """A cell of items with its interval as the command shows it, which has items and shares in one column."""
    return cell.replace(" to ", "–") if cell[:1].isdigit() or cell in METHODS else "–"


def test_sample(votes: Path, errorbar: CommandLine) -> None:
    drawn = errorbar("sample", "draw", "a.csv", "b.csv", "--budget", 75, "--out", "s.csv", "--key", "k.json")
    assert drawn.code == 0, drawn.err
    rows = list(csv.DictReader(Path("s.csv").read_text().splitlines()))
    with Path("done.csv").open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows({**row, "label": "ok" if k % 3 else "error"} for k, row in enumerate(rows))
    report = report_of(compute_studies(sample_key="k.json", judged=("done.csv",)))
    theirs = printed(errorbar("sample", "estimate", "done.csv", "--key", "k.json", "--seed", 7, *MARKDOWN).out)
    shown = tables(report)
    ours = [*text_rows(shown["sample-values"]), *text_rows(shown["sample-counts"])]
    values = {f"{row[0]}: {row[1]}": [as_there(cell) for cell in row[2:]] for row in ours}
    assert values == {row[0]: row[1:] for row in theirs[: len(ours)]}
    apart = text_rows(tables(report)["sample-differences"])
    assert [row[1:3] for row in apart] == [row[1:3] for row in theirs[len(ours) :]]
    first, *more = text_rows(tables(report)["sample-budget-values"])
    assert first[0] == "75"
    assert [float(row[2]) for row in more] == sorted((float(row[2]) for row in more), reverse=True)


def test_hoo(tmp_path: Path, errorbar: CommandLine) -> None:
    texts = {"1": "He go home.\nIt rain much here.\n", "2": "A dog ran.\n"}
    gold = [
        edit_xml('type="FV" index="1-0001" start="3" end="5"', "go", ("goes", "went")),
        edit_xml('type="RQ" index="1-0002" start="20" end="24"', "much", ("", "a lot")),
    ]
    for folder in ("set/Gold", "set/Raw", "UI/0", "UI/1"):
        (tmp_path / folder).mkdir(parents=True)
    for name, text in texts.items():
        (tmp_path / f"set/Raw/{name}.txt").write_text(text, encoding="utf-8")
        own = gold if name == "1" else []
        (tmp_path / f"set/Gold/{name}GE.xml").write_text(edits_xml(*own), encoding="utf-8")
        for run in ("0", "1"):
            said = text.replace("go", "goes") if run == "0" else text.replace("much", "a lot").replace("go", "gone")
            (tmp_path / f"UI/{run}/{name}.txt").write_text(said, encoding="utf-8")
    report = report_of(compute_studies(gold=(str(tmp_path / "set"),), systems=(str(tmp_path / "UI"),)))
    call = ("score", "--gold", str(tmp_path / "set"), str(tmp_path / "UI"), "--ci", *SAME, *MARKDOWN)
    theirs = {tuple(row[:3]): [cell.rstrip("*") for cell in row[3:]] for row in printed(errorbar(*call).out)}
    for condition, word in (("plain", "no bonus"), ("bonus", "bonus")):
        for run, measure, *values in text_rows(tables(report)[f"hoo-{condition}-values"]):
            assert [value.rstrip("*") for value in values] == theirs[run, measure, word]
    best = printed(errorbar(*call, "--by", "team").out)
    ours = text_rows(tables(report)["hoo-best"])
    assert [[cell.rstrip("*") for cell in (row[0], *row[2:])] for row in ours] == [
        [cell.rstrip("*") for cell in (row[0], *row[2:])] for row in best
    ]
    recall = printed(errorbar(*call[:4], "--by", "type", "--no-ci", *MARKDOWN).out)
    assert sorted(text_rows(tables(report)["hoo-recall-values"])) == sorted(row for row in recall if row[2] != "0")
