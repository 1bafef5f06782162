"""An adjudicator at the page: answers of raters side by side, names hidden, accepted by a digit or written anew."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

import errorbar
from errorbar import judge_adjudicate, judge_export, judge_init, judge_invite
from tests.browser.test_accessible import axe_source
from tests.judging.browser.conftest import MakeStudy
from tests.judging.browser.live_study import LiveStudy
from tests.judging.browser.rater import Rater
from tests.judging.simulated import work

Sit = Callable[..., Rater]
NAMES = ("First", "Second")
WORDS = {"An": "Art", "The": "Art", "One": "Art"}
"""What the first word becomes, and how the type is typed."""


@pytest.fixture
def serve() -> Iterator[Callable[[Path, tuple[str, ...]], LiveStudy]]:
    """Serves a study that is there, with links of its own."""
    served: list[LiveStudy] = []

    def start(folder: Path, names: tuple[str, ...]) -> LiveStudy:
        judge_invite(folder, names=names)
        (folder / "clock").write_text("0")
        study = LiveStudy(folder, errorbar.judge(folder).scheme)
        served.append(study)
        study.start()
        return study

    yield start
    for study in served:
        study.kill()


def exported(folder: Path) -> list[dict[str, str]]:
    out = folder.with_suffix(".csv")
    judge_export(folder, out)
    with out.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def number(rater: Rater) -> int:
    return int(rater.text.split()[-3])


def correct(rater: Rater, word: str) -> None:
    """Write a correction of the first word, and save; nothing: there is no error."""
    if not word:
        rater.press("0")
    else:
        rater.page.wait_for_timeout(170)
        rater.page.locator("#questions").wait_for()
        rater.type(word)
        rater.page.keyboard.press("Enter")
        rater.type(WORDS[word])
        rater.page.keyboard.press("Enter")
    rater.page.keyboard.press("Enter")


def said(rater: int, k: int) -> str:
    return (("An", "An"), ("An", ""), ("An", "The"))[k % 3][rater]


def decided(k: int) -> str:
    return "An" if k % 3 == 0 else (said(0, k), said(1, k), "One")[(k // 3 + k % 3) % 3]


@pytest.mark.parametrize("n", [6, pytest.param(30, marks=pytest.mark.slow)])
def test_two_raters_and_an_adjudicator(
    n: int, serve: Callable[[Path, tuple[str, ...]], LiveStudy], sit_down: Sit, tmp_path: Path
) -> None:
    """The export, agreement and ceiling are those of the files that somebody writes by hand."""
    texts = [f"A old man number {k} left ." for k in range(n)]
    (tmp_path / "sentences.txt").write_text("\n".join(texts) + "\n", encoding="utf-8")
    judge_init(tmp_path / "study", tmp_path / "sentences.txt", scheme="edits", raters_per_item=2)
    study = serve(tmp_path / "study", NAMES)
    raters = [sit_down(study, name) for name in NAMES]
    for _ in range(n):  # one after the other at each item, both studies open at once
        for at, rater in enumerate(raters):
            correct(rater, said(at, number(rater)))
    for rater in raters:
        rater.page.wait_for_selector("#message[data-standing=finished]")
        rater.saved()

    judge_adjudicate(study.folder, tmp_path / "decided")
    judge = sit_down(serve(tmp_path / "decided", ("Judge",)), "Judge")
    for _ in range(sum(k % 3 > 0 for k in range(n))):
        k = number(judge)
        cards = judge.page.locator("#choices .card dl").all_inner_texts()
        assert not [name for name in NAMES if name in judge.page.locator("main").inner_html()]
        wanted = f"A → {decided(k)} " if decided(k) else "no error"
        place = next((at for at, card in enumerate(cards) if wanted in card), None)
        if place is None:
            judge.press("w")
            correct(judge, decided(k))
        else:
            judge.press(str(place + 1))
        judge.page.wait_for_function(f"!document.querySelector('#item .text')?.textContent.includes(' {k} left')")
    judge.page.wait_for_selector("#message[data-standing=finished]")
    judge.saved()

    for name in ("study", "decided"):
        judge_export(tmp_path / name, tmp_path / f"{name}.m2")
    lines = []
    for k, text in enumerate(texts):
        lines.append(f"S {text}")
        of_each = {"adjudicated": decided(k), NAMES[0]: said(0, k), NAMES[1]: said(1, k)}
        numbers = {name: at for at, name in enumerate(sorted(of_each))}
        for name in (*NAMES, "adjudicated"):
            edit = f"0 1|||ArtOrDet|||{of_each[name]}" if of_each[name] else "-1 -1|||noop|||-NONE-"
            lines.append(f"A {edit}|||REQUIRED|||-NONE-|||{numbers[name]}")
        lines.append("")
    by_hand = "\n".join([*lines, ""])
    assert (tmp_path / "decided.m2").read_text(encoding="utf-8") == by_hand
    (tmp_path / "hand.m2").write_text(by_hand, encoding="utf-8")
    for figures in (errorbar.agree, errorbar.ceiling):
        ours, theirs = (str(figures(tmp_path / f"{name}.m2", ci=False).tables()) for name in ("decided", "hand"))
        assert ours == theirs.replace("hand.m2", "decided.m2")
    kinds = [row["provenance"] for row in exported(tmp_path / "decided") if row["rater"] == "adjudicated"]
    assert {kind: kinds.count(kind) for kind in kinds}["written"] == sum(decided(k) == "One" for k in range(n))


def test_an_answer_is_accepted_changed_taken_back(
    make_study: MakeStudy, serve: Callable[[Path, tuple[str, ...]], LiveStudy], sit_down: Sit, tmp_path: Path
) -> None:
    """While one chooses, the scheme's keys mean nothing; while one writes, digits are the scheme's."""
    study = make_study("preposition")
    study.kill()
    work(study.folder, 2)
    judge_adjudicate(study.folder, tmp_path / "decided", show_counts=True)
    live = serve(tmp_path / "decided", ("Judge",))
    judge = sit_down(live, "Judge")
    choices = judge.page.locator("#choices")
    assert choices.locator(".card").count() == 2
    assert "Given by 1 rater" in choices.inner_text()
    judge.page.evaluate(axe_source())
    assert judge.page.evaluate("() => axe.run({ resultTypes: ['violations'] })")["violations"] == []
    judge.press("l", "Enter", "h", "9")
    assert judge.page.locator("#questions").is_hidden()
    assert live.answers("Judge") == []

    first = judge.text
    contested = choices.locator(".card").nth(1).locator("dd").all_inner_texts()
    judge.press("2")
    judge.page.wait_for_function("text => document.querySelector('#item .text').textContent !== text", arg=first)
    judge.saved()
    (accepted,) = [row for row in exported(live.folder) if row["provenance"] == "accepted"]
    assert accepted["rating"] in " ".join(contested).lower()

    judge.press("z")  # back to it: the accepted answer is marked, and another can be taken
    assert judge.text == first
    assert choices.locator("[aria-current] kbd").inner_text() == "2"
    judge.press("w", "Enter", "2", "h")
    judge.saved()
    (written,) = [row for row in exported(live.folder) if row["version"] == "2"]
    assert (written["rating"], written["confidence"], written["rater"]) == ("correct", "high", "adjudicated")

    judge.press("w", "s", " ", "Enter", "z")
    assert judge.page.locator("#questions").is_visible()
    judge.press("z")
    assert judge.page.locator("#questions").is_hidden(), "undone to the choice, and not to the item before"
    choices.get_by_role("button", name="Start from answer 1 and change it").click()
    judge.page.reload()
    judge.settled()
    assert judge.page.locator("#questions").is_visible(), "what is being written is there again"
    choices.get_by_role("button", name="Back to the answers").click()
    assert judge.page.locator("#questions").is_hidden()


def test_a_choice_is_made_without_a_network(
    make_study: MakeStudy, serve: Callable[[Path, tuple[str, ...]], LiveStudy], sit_down: Sit, tmp_path: Path
) -> None:
    study = make_study("cloze", direction="rtl")
    study.kill()
    work(study.folder, 2)
    judge_adjudicate(study.folder, tmp_path / "decided")
    live = serve(tmp_path / "decided", ("Judge",))
    judge = sit_down(live, "Judge")
    assert judge.page.locator(".blank input").count() == 0, "one chooses, and does not type"
    judge.page.context.set_offline(True)
    judge.press("1", "w")
    judge.type("nearby")
    judge.page.keyboard.press("Enter")
    judge.page.wait_for_selector("#state[data-pending='2']")
    judge.page.context.set_offline(False)
    judge.saved()
    rows: list[dict[str, Any]] = [row for row in exported(live.folder) if row["rater"] == "adjudicated"]
    kinds = sorted(row["provenance"] for row in rows if row["provenance"] in ("accepted", "written"))
    assert kinds == ["accepted", "written"]
