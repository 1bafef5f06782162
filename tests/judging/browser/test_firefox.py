"""The same page in Firefox: other keys' events, another restoration of forms, another store."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from errorbar.judging import JudgedItem
from tests.helpers.needed import missing
from tests.judging.browser.conftest import MakeStudy
from tests.judging.browser.firefox import Firefox, firefox, program
from tests.judging.browser.items import marked
from tests.judging.browser.live_study import LiveStudy
from tests.judging.browser.rater import PATIENT
from tests.judging.browser.test_post_edit import output
from tests.judging.browser.test_rank import item as ranked_item
from tests.judging.browser.test_rank import orders

SHOWN = "document.querySelector('#item .text') && performance.now() > 400"
SAVED = "document.querySelector('#state[data-state=saved][data-pending=\"0\"]') !== null"
TEXT = "document.querySelector('#item .text')?.textContent"


@pytest.fixture
def fox(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Firefox]:
    if program() is None:
        missing("Firefox (apt-get install firefox-esr)")
    folder: Path = tmp_path_factory.mktemp("firefox")
    with firefox(folder) as browser:
        yield browser


def enter(fox: Firefox, study: LiveStudy) -> None:
    fox.goto(study.link())
    fox.run("document.querySelector('form button').click()")
    fox.until("location.pathname === '/work'")
    fox.until(SHOWN)
    fox.run(PATIENT)


def said(study: LiveStudy) -> list[dict[str, object]]:
    return [json.loads(answer) for _, answer, _, _ in study.answers()]


def test_error_ok_undo_and_back(make_study: MakeStudy, fox: Firefox) -> None:
    study = make_study("error-ok")
    enter(fox, study)
    fox.press("e", "ArrowDown", "u", "z", "o", "b", "Enter")
    fox.until(SAVED)
    assert [each["judgment"] for each in said(study)] == ["error", "ok", "unknown", "ok"]


def test_preposition(make_study: MakeStudy, fox: Firefox) -> None:
    study = make_study("preposition", [marked("one", "He depnds [of] the weather."), marked("two", "It is [on] it.")])
    enter(fox, study)
    fox.press("Enter", "2", "h")
    fox.press("d", " ", "Enter", "Enter", "1", *"into", "Enter", "Enter", "l")
    fox.until(SAVED)
    first, second = said(study)
    assert (first["rating"], first["confidence"]) == ("correct", "high")
    assert (second["determiner"], second["prepositions"], second["confidence"]) == ([2], ["into"], "low")


def test_choice(make_study: MakeStudy, fox: Firefox) -> None:
    study = make_study("choice")
    enter(fox, study)
    keys = fox.run(
        "[...document.querySelectorAll('[data-question=better] kbd')].map((k) => k.textContent.toLowerCase())"
    )
    fox.press(*keys)
    fox.until(SAVED)
    assert [each["better"] for each in said(study)] == ["top", "bottom", "equal", "neither"]


def test_cloze_and_forms_are_not_restored_into_other_items(make_study: MakeStudy, fox: Firefox) -> None:
    study = make_study("cloze")
    enter(fox, study)
    first = fox.run(TEXT)
    fox.press(*"half")
    fox.ask("WebDriver:Refresh")
    fox.until(SHOWN)
    assert (fox.run(TEXT), fox.run("document.querySelector('.blank input').value")) == (first, "half")
    fox.press("Enter")
    fox.until(SAVED)
    assert fox.run(TEXT) != first
    fox.ask("WebDriver:Refresh")
    fox.until(SHOWN)
    assert fox.run("document.querySelector('.blank input').value") == ""
    fox.press(*"other")
    fox.goto(f"{study.url}/guidelines")
    fox.ask("WebDriver:Back")
    fox.until(SHOWN)
    assert fox.run("document.querySelector('.blank input').value") == "other"
    fox.press("Enter")
    fox.until(SAVED)
    assert said(study) == [{"word": ["half"]}, {"word": ["other"]}]


def test_edits_by_keys_without_the_server(make_study: MakeStudy, fox: Firefox) -> None:
    study = make_study("edits", [JudgedItem("1", "He go to school every days .")])
    enter(fox, study)
    study.kill()
    fox.press("ArrowRight", "ArrowRight", *"goes", "Enter", *"SVA", "Enter", "z")
    assert fox.run("document.querySelector('.edit-form input').value") == "z", (
        "a letter at a word begins its correction"
    )
    fox.press("Escape", *["ArrowRight"] * 8, *"day", "Enter", *"Nn", "Enter", "Enter")
    fox.until("document.querySelector('#state[data-state=offline]') !== null")
    study.start()
    fox.until(SAVED)
    assert said(study) == [
        {
            "edits": [
                {"start": 1, "end": 2, "corrections": ["goes"], "type": "SVA"},
                {"start": 5, "end": 6, "corrections": ["day"], "type": "Nn"},
            ]
        }
    ]


def test_ranks_by_digits_with_ties_without_the_server(make_study: MakeStudy, fox: Firefox) -> None:
    study = make_study("rank", [ranked_item("1", 5)])
    enter(fox, study)
    fox.press("3", "1", "ArrowDown", "3", "Enter")
    assert "Still to be answered" in fox.run("document.querySelector('#problem').innerText")
    assert fox.run("document.activeElement.querySelector('.letter').textContent") == "C"
    study.kill()
    fox.press("5", "1", "z", "1")
    pressed = fox.run("[...document.querySelectorAll('.rank[aria-pressed=true]')].map((e) => e.textContent.trim())")
    assert pressed == ["3", "1", "5", "3", "1"]
    fox.press("Enter")
    fox.until("document.querySelector('#state[data-state=offline]') !== null")
    study.start()
    fox.until(SAVED)
    (answer,), (order,) = said(study), orders(study, 5)
    ranks = answer["ranks"]
    assert isinstance(ranks, list)
    assert [ranks[place] for place in order] == [3, 1, 5, 3, 1]


def test_of_two_outputs_one_key_says_which_is_better(make_study: MakeStudy, fox: Firefox) -> None:
    study = make_study("rank", [ranked_item(f"{n}", 2) for n in range(3)])
    enter(fox, study)
    fox.press("a", "b", "=")
    fox.until(SAVED)
    for answer, order, ranks in zip(said(study), orders(study, 2), ([1, 2], [2, 1], [1, 1]), strict=True):
        assert answer["ranks"] == [ranks[order.index(0)], ranks[order.index(1)]]


def test_an_output_is_made_right_and_a_draft_outlives_a_reload(make_study: MakeStudy, fox: Firefox) -> None:
    study = make_study("post-edit", [output(n) for n in range(1, 5)])
    enter(fox, study)
    fox.press("r", "n", "e")
    assert fox.run("document.activeElement.localName") == "textarea"
    marked = "[...document.querySelectorAll('.differences dd')].map((line) => line.textContent.trim() && "
    marked += "[...line.querySelectorAll('del, ins')].map((e) => e.localName + ' ' + e.textContent))"
    assert fox.run(marked)[1] == ["del go", "ins goes"]
    fox.press("Enter")
    assert "Nothing is changed" in fox.run("document.querySelector('#problem').innerText")
    fox.type(" Then she came home .")
    assert fox.run(marked)[0] == ["ins Then she came home ."]
    fox.ask("WebDriver:Refresh")
    fox.until(SHOWN)
    typed = "She goes to school yesterday . Then she came home ."
    assert fox.run("document.querySelector('textarea').value") == typed
    fox.run("document.querySelector('textarea').focus()")
    study.kill()
    fox.press("Enter")
    fox.until("document.querySelector('#state[data-state=offline]') !== null")
    assert fox.run("document.querySelector('textarea').value") != typed, "the next item has a field of its own"
    fox.press("r")
    study.start()
    fox.until(SAVED)
    verdicts = [{"verdict": "right"}, {"verdict": "unsavable"}, {"verdict": "edited", "text": typed}]
    assert said(study) == [*verdicts, {"verdict": "right"}]


def test_the_server_dies_and_comes_back(make_study: MakeStudy, fox: Firefox) -> None:
    study = make_study("error-ok")
    enter(fox, study)
    fox.press("e")
    fox.until(SAVED)
    fox.until("navigator.serviceWorker.controller !== null")
    study.kill()
    fox.press("o", "u")
    fox.until("document.querySelector('#state[data-state=offline]') !== null")
    fox.run("location.reload()")  # WebDriver:Refresh would go past the worker
    time.sleep(1)
    fox.until(SHOWN)
    fox.press("e")
    study.start()
    fox.until(SAVED)
    assert [each["judgment"] for each in said(study)] == ["error", "ok", "unknown", "error"]


def test_two_tabs(make_study: MakeStudy, fox: Firefox) -> None:
    study = make_study("error-ok")
    enter(fox, study)
    one, first = fox.handle, fox.run(TEXT)
    two = fox.tab(f"{study.url}/work")
    fox.until(SHOWN)
    assert fox.run(TEXT) == first
    fox.press("e")
    fox.until(SAVED)
    fox.look_at(one)
    fox.until(f"{TEXT} !== arguments[0]", first)
    fox.press("o")
    fox.until(SAVED)
    fox.look_at(two)
    fox.until(SAVED)
    assert [each["judgment"] for each in said(study)] == ["error", "ok"]
    assert study.rows("SELECT COUNT(*) FROM assignment WHERE state = 'done'") == [(2,)]
