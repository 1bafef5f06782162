"""The pages on quality and analysis say what the code does; figures of simulated raters depend on chance draws."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import errorbar
from errorbar.judging import StudyRules
from errorbar.tables import tables_text
from tests.helpers.expectations import require
from tests.judging.page_study import made
from tests.judging.policy_characteristic import policy_characteristic
from tests.pages import fits

PAGES = Path(__file__).parents[2] / "docs" / "judge"


def shown(page: str) -> list[str]:
    """The output that a page begins with."""
    text = (PAGES / page).read_text(encoding="utf-8")
    return text.partition("```console\n")[2].partition("\n```")[0].splitlines()[1:]


def stubs(lines: list[str]) -> list[str]:
    """What the lines begin with: headings whole, rows up to their first figure; notes and raters' reasons left out.

    ``...`` stays: there the page leaves lines out.
    """
    kept = [line for line in lines if line == "..." or (line.startswith(" ") and "─" not in line)]
    return [re.sub(r"\s+", " ", re.split(r"\s{2,}[-\d]", line.strip())[0]) for line in kept]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return made(tmp_path_factory.mktemp("pages"))


def test_the_status_has_the_form_that_the_page_shows(study: Path) -> None:
    found = errorbar.judge_status(study, resamples=200)
    text = tables_text(found.tables(), "text").splitlines()
    status = re.compile(r" (active|excluded)\b.*")
    ours, theirs = ("\n".join(status.sub("", x) for x in stubs(lines)) for lines in (text, shown("quality.md")))
    assert fits(theirs, ours)
    excluded = {rater.rater for rater in found.raters if rater.status == "excluded"}
    assert {"coin-7", "always-ok-8"} <= excluded
    assert require(found.agreement.alpha.interval).method == "bootstrap-bca"  # as of errorbar agree


def test_the_analysis_has_the_form_that_the_page_shows(study: Path) -> None:
    text = tables_text(errorbar.judge_analyze(study, resamples=200).tables(), "text").splitlines()
    ours, theirs = (
        "\n".join(x for x in stubs(lines) if not x.startswith(("majority of", "below")))
        for lines in (text, shown("analysis.md"))
    )
    assert fits(theirs, ours)


def test_the_exact_rates_of_the_page() -> None:
    text = (PAGES / "quality.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([\d.]+) / ([\d.]+) \| (.+) \|$", text, re.MULTILINE)
    assert len(rows) == 4
    for fine, wrong, cells in rows:
        policies = ("sequential", "posterior", "fixed")
        for policy, cell in zip(policies, cells.split(" | "), strict=True):
            exact = policy_characteristic(StudyRules(policy=policy), {"ok": float(fine), "error": float(wrong)}, 20)  # type: ignore[arg-type]
            percent, after = f"{100 * exact.excluded:.1f} (", f"after {exact.mean_gold:.1f}"
            assert cell.startswith(percent), (policy, fine, wrong)
            assert cell.endswith(after), (policy, fine, wrong)
    for classes, said in ((1, "2.4 %"), (2, "4.7 %"), (3, "6.9 %"), (4, "9.1 %")):
        exact = policy_characteristic(StudyRules(), {str(n): 0.85 for n in range(classes)}, 20)
        assert f"{100 * exact.excluded:.1f} %" == said
        assert said in text


# The table of recurrent failures names tests that there are, one at least for each.


HERE = Path(__file__).parent
PAGE = HERE.parents[1] / "docs" / "judge" / "guarantees.md"
FAILURES = HERE / "recurrent_failures.md"
NAMED = re.compile(r"`((?:browser/)?test_\w+\.py)::(test_\w+)`")


def test_every_failure_has_a_test_and_every_test_is_there() -> None:
    text = FAILURES.read_text(encoding="utf-8")
    assert f"tests/judging/{FAILURES.name}" in PAGE.read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| R(\d+) \|(.*)$", text, re.MULTILINE))
    assert [int(number) for number in rows] == [*range(1, 41)]
    assert [number for number, row in rows.items() if not NAMED.search(row)] == []
    missing = [
        f"{file}::{name}"
        for file, name in set(NAMED.findall(text))
        if not (HERE / file).exists() or f"def {name}(" not in (HERE / file).read_text(encoding="utf-8")
    ]
    assert missing == []


def test_programs_and_files_that_the_page_names_are_there() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for name in re.findall(r"`(\w+\.(?:py|c))[`:]", text):
        assert list(HERE.rglob(name)), name
    for module in re.findall(r"python -m (tests[\w.]+)", text):
        assert (HERE.parents[1] / f"{module.replace('.', '/')}.py").exists() or (
            HERE.parents[1] / module.replace(".", "/") / "__main__.py"
        ).exists(), module
