"""The section on references that were made for systems: the numbers of ``references``, a sentence, the receipt."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import errorbar as package
from errorbar.api import CorpusStudy
from errorbar.metrics.golds import GoldPair
from errorbar.reporting import MadeReport, format_markdown, page_html, report
from errorbar.reporting.sections.annotators import references, references_sentence
from errorbar.tables import Table
from tests.helpers.cli import CommandLine
from tests.helpers.expectations import require

pytest.importorskip("altair", reason="needs the extra 'report'")
DEMO = Path(package.__file__).parent / "demo"
SYSTEMS = [str(DEMO / f"{name}.txt") for name in ("careful", "greedy")]
OWN = [f"{name}={DEMO / 'edited' / name}.m2" for name in ("careful", "greedy")]


@pytest.fixture(scope="module")
def made() -> MadeReport:
    return report(str(DEMO / "gold.jsonl"), SYSTEMS, reference_of=OWN, resamples=100, browse=False, attacks=False)


def test_the_numbers_are_those_of_references(made: MadeReport) -> None:
    (study,) = made.studies
    assert isinstance(study, CorpusStudy)
    alone = package.references(str(DEMO / "gold.jsonl"), SYSTEMS, reference_of=OWN, resamples=100)
    result = require(study.references)
    assert result.found == alone.found
    assert study.signatures["references"] == alone.signature
    section = require(references(study))
    tables = [block for block in section.blocks if isinstance(block, Table)]
    assert [table.rows for table in tables] == [table.rows for table in alone.tables()]
    assert [table.name for table in tables] == ["references-golds", "references-measures", "references-cost"]
    assert "## References made for the systems" in format_markdown(made.report)


def test_the_summary_says_whether_the_order_depends_on_the_references(made: MadeReport) -> None:
    (study,) = made.studies
    assert isinstance(study, CorpusStudy)
    result = require(study.references)
    same = "Against references of their own no two systems change places, as far as differences are significant."
    assert references_sentence(result) == same
    assert same in " ".join(made.report.summary)

    def ahead(pair: GoldPair) -> GoldPair:
        return replace(pair, ahead=pair.first if pair.gold == "own" else "")

    turned = replace(result, found=replace(result.found, pairs=[ahead(pair) for pair in result.pairs]))
    lead = "careful is ahead of greedy under their own references, not under the common gold."
    assert references_sentence(turned) == lead
    more = [*turned.pairs, *(replace(pair, second="other") for pair in turned.pairs)]
    both = replace(turned, found=replace(turned.found, pairs=more))
    assert (
        references_sentence(both)
        == f"{lead} For 1 more pair, too, it depends on the references who is significantly ahead."
    )


def test_of_one_system_the_summary_has_its_score_and_of_untested_ones_nothing() -> None:
    result = package.references(
        str(DEMO / "gold.jsonl"), SYSTEMS[0], reference_of={"careful": str(DEMO / "edited/careful.m2")}, resamples=100
    )
    ends = require(result.scores[1].estimates["f"].interval)
    score = f"F0.5 64.90 (95% interval {100 * ends.low:.2f}–{100 * ends.high:.2f})"
    assert references_sentence(result) == f"Against references of its own careful scores {score}."
    untested = package.references(str(DEMO / "gold.jsonl"), SYSTEMS, reference_of=OWN, ci=False)
    assert references_sentence(untested) == ""


@pytest.mark.slow
def test_twelve_systems_with_own_references_and_pools_of_ten_annotators(data: Path) -> None:
    gold, systems = data / "bn2015_10gec", data / "conll14_systems/official_submissions"
    teams = [path.name for path in sorted(systems.iterdir()) if path.name != "UMC"]
    made = report(
        str(gold / "A*.m2"),
        [str(systems / team) for team in teams],
        reference_of=dict.fromkeys(teams, str(gold / "A1.m2")),
        pools={"first": "A[1-5]", "second": ["A6", "A7", "A8", "A9", "A10"]},
        lenient=True,
        force=True,
    )
    page = page_html(made.report)
    assert len(teams) == 12
    assert "References made for the systems" in page
    assert "Pools of judges" in page


def test_a_receipt_names_the_references(errorbar: CommandLine, tmp_path: Path) -> None:
    own = (OWN[0], f"greedy=ann={DEMO / 'edited' / 'greedy.m2'}")
    words = [word for text in own for word in ("--reference-of", text)]
    page = tmp_path / "r.md"
    fast = ("--resamples", "20", "--page", "attacks=no", "--page", "sentences=no", "--judges", "fixed")
    done = errorbar("report", "--gold", DEMO / "gold.jsonl", *words, *SYSTEMS, "-o", page, *fast)
    assert done.code == 0
    assert "careful.m2" in (tmp_path / "r.receipt.json").read_text(encoding="utf-8")
    verified = errorbar("verify", tmp_path / "r.receipt.json", "--data", DEMO)
    assert (verified.code, "are the same" in verified.out) == (0, True)


def test_hoo_data_has_no_own_references(errorbar: CommandLine, tmp_path: Path) -> None:
    refused = errorbar(
        "report", "--gold", DEMO / "hoo", "--reference-of", OWN[0], DEMO / "hoo/careful", "-o", tmp_path / "r.md"
    )
    assert (refused.code, "[useless-option]" in refused.err) == (2, True)
