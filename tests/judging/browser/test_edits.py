"""Span edits at the real page, by keys alone: nothing is lost, and what comes out is what annotators wrote."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import errorbar
from errorbar import Corpus, Edit, Problems
from errorbar.edits.texts import overlaps
from errorbar.formats import write_m2
from errorbar.judging import JudgedItem, Study, StudyRules, load_scheme
from errorbar.judging.question_kinds import PENDING
from errorbar.judging.scheme_files import with_types
from errorbar.judging.study.invitations import make_invite
from tests.browser.test_accessible import axe_source
from tests.judging.browser.live_study import LiveStudy
from tests.judging.browser.rater import Rater

if TYPE_CHECKING:
    from playwright.sync_api import Keyboard

NUCLE = load_scheme("edits")
UNTYPED = with_types(NUCLE, "none")
UNSEEN = "The answers were not on the screen."
CHANGED = """text => document.querySelector('#item .text')?.textContent !== text
    || !document.querySelector('#message').hidden"""
Serve = Callable[..., LiveStudy]
SitDown = Callable[..., Rater]
OWN = (
    ("He go to school every days .", (Edit(1, 2, ("goes",), "SVA"), Edit(5, 6, ("day",), "Nn"))),
    ("他 昨天 去 学校 了 。", (Edit(2, 2, ("已经",), "Vt"), Edit(4, 5, ("",), "Vt"))),
    ("Nothing is wrong here .", ()),
)


@pytest.fixture
def serve(tmp_path: Path) -> Iterator[Serve]:
    """Serves a study of texts to raters with links of their own."""
    made: list[LiveStudy] = []

    def make(items: Sequence[JudgedItem], raters: Sequence[str] = (), types: str = "none") -> LiveStudy:
        rules = StudyRules(raters_per_item=max(len(raters), 1), gold_per_page=0, policy="none")
        study = LiveStudy.make(tmp_path / f"study{len(made)}", with_types(NUCLE, types), items, rules)
        with Study.open(study.folder).store() as store:
            for name in raters:
                secret = Study.open(study.folder).secrets.cookie
                store.write(
                    partial(make_invite, key=secret, kind="personal", label=name, now=time.time(), limits=(None, None))
                )
        made.append(study)
        study.start()
        return study

    yield make
    for study in made:
        study.kill()


def problem(rater: Rater) -> str:
    return rater.page.locator("#problem").inner_text()


def go(keys: Keyboard, at: int, cell: int) -> int:
    """Walk forward to a cell: gap 0, word 0, gap 1, and so on."""
    if cell < at:
        keys.press("ArrowLeft")
        at -= 1
    while cell - at > at % 2:
        keys.press("Control+ArrowRight")
        at += 1 + at % 2
    if cell > at:
        keys.press("ArrowRight")
    return cell


def write(keys: Keyboard, edits: Sequence[Edit]) -> None:
    """Make the edits of a text at whose first word one is."""
    at = 1
    for edit in edits:
        at = go(keys, at, 2 * edit.start + (not edit.is_insertion))
        for _ in range(edit.start, edit.end - 1):
            keys.press("Shift+ArrowRight")
        (text,) = edit.replacements
        if not text:
            keys.press("Delete")
        else:
            if text[0] == "0" or not text.isascii():  # 0 says that there is no error; for others no key is sent here
                keys.press("F2")
                keys.press("Control+a")
            keys.type(text)
            keys.press("Enter")
        keys.type(edit.type)
        keys.press("Enter")
        at = 2 * edit.end - (not edit.is_insertion)
    if not edits:
        keys.press("0")


def work(rater: Rater, edits: dict[str, Sequence[Edit]]) -> None:
    """Edit every item that there is."""
    for _ in edits:
        text = rater.text
        write(rater.page.keyboard, edits[text])
        rater.press("Enter")
        if rater.page.locator("#toast").inner_text().startswith(UNSEEN):
            rater.press("Enter")
        assert problem(rater) == ""
        rater.page.wait_for_function(CHANGED, arg=text)
    rater.saved()


def blocks_of(m2: str, number: str) -> list[str]:
    """The sentences of M2 with the edits of one annotator, as a file of theirs alone has them."""
    blocks = []
    for block in m2.rstrip("\n").split("\n\n"):
        source, *lines = block.split("\n")
        own = [
            line.rpartition("|||")[0] + "|||0"
            for line in lines
            if line.endswith(f"|||{number}") and "|||noop|||" not in line
        ]
        blocks.append("\n".join([source, *own]))
    return blocks


def is_flawless(corpus: Corpus, essay: Sequence[int]) -> bool:
    """Whether no annotator of an essay has edits that overlap, or one twice, which a page does not let through."""
    flawed = {note.place.line for note in corpus.notes}
    annotations = [edits for n in essay for edits in corpus.sentences[n].annotations.values()]
    apart = not any(overlaps(second, first) for edits in annotations for first, second in pairwise(edits))
    first, last = (corpus.sentences[n].line for n in (essay[0], essay[-1]))
    return apart and not any(first <= line <= last + 100 for line in flawed)


def annotate(serve: Serve, sit_down: SitDown, data: Path, folder: Path, n_annotators: int) -> None:
    """Let scripted raters write what annotators of Bryant and Ng wrote of the shortest essay; compare every byte."""
    names = [f"A{k}" for k in range(1, n_annotators + 1)]
    files = {name: data / f"bn2015_10gec/{name}.m2" for name in names}
    corpus = errorbar.read_corpus({**files}, documents=data / "bn2015_10gec/A1.sgml", unmarked="all", lenient=True)
    essays = {
        name: [n for n, sentence in enumerate(corpus.sentences) if sentence.document == name]
        for name in {s.document for s in corpus.sentences}
    }
    at = min((own for own in essays.values() if is_flawless(corpus, own)), key=len)
    sentences = [corpus.sentences[n] for n in at]
    study = serve([JudgedItem(str(n), sentence.text) for n, sentence in enumerate(sentences, 1)], names, "nucle")
    for name in names:
        rater = sit_down(study, name)
        work(rater, {sentence.text: sentence.annotations.get(name, ()) for sentence in sentences})
    errorbar.judge_export(study.folder, folder / "out.m2")
    m2 = (folder / "out.m2").read_text(encoding="utf-8")
    for sentence in sentences:
        sentence.document = ""
    assert m2 == "".join(f"{line}\n" for line in write_m2(sentences, Problems(), names))
    for number, path in enumerate(files.values()):
        whole = path.read_text(encoding="utf-8").rstrip("\n").split("\n\n")
        assert blocks_of(m2, str(number)) == [whole[n] for n in at]


def test_two_annotators_of_an_essay_come_out_byte_for_byte(
    serve: Serve, sit_down: SitDown, data: Path, tmp_path: Path
) -> None:
    annotate(serve, sit_down, data, tmp_path, 2)


@pytest.mark.measured
def test_ten_annotators_of_an_essay_come_out_byte_for_byte(
    serve: Serve, sit_down: SitDown, data: Path, tmp_path: Path
) -> None:
    annotate(serve, sit_down, data, tmp_path, 10)


def test_edits_of_several_scripts_and_axe_finds_nothing(serve: Serve, sit_down: SitDown) -> None:
    arabic = "ذهب الولد إلى المدرسه ."
    study = serve([JudgedItem(str(n), text) for n, (text, _) in enumerate([*OWN, (arabic, ())])], types="nucle")
    rater = sit_down(study)
    keys, edits = rater.page.keyboard, dict(OWN)
    rater.page.evaluate(axe_source())

    def found() -> list[str]:
        wrong: list[str] = rater.page.evaluate(
            "async () => (await axe.run({ resultTypes: ['violations'] })).violations.map((each) => each.id)"
        )
        return wrong

    assert found() == []
    for _ in range(4):
        rater.page.wait_for_timeout(170)
        text = rater.text
        if text == arabic:
            for _ in range(6):
                keys.press("ArrowLeft")  # on, in a text that runs from right to left
            keys.press("F2")
            keys.press("Control+a")
            keys.type("المدرسة")
            assert found() == []
            keys.press("Enter")
            assert found() == []
            keys.type("spell")
            keys.press("Enter")
            keys.press("Control+ArrowDown")
            for key in ("?", "+"):
                keys.press(key)
            keys.type("مدرسة")
            keys.press("Enter")
            assert found() == []
            assert rater.page.locator(".corrected").inner_text() == "ذهب الولد إلى {المدرسة|مدرسة|المدرسه} ."
            keys.press("Escape")
        else:
            write(keys, edits[text])
        keys.press("Escape")  # out of the text: keys are the frame's again
        keys.press("?")
        assert rater.page.locator("#guidelines").is_visible()
        keys.press("Escape")
        rater.press("Enter")
    rater.saved()
    answers = {name: json.loads(answer)["edits"] for name, answer, _, _ in study.answers()}
    for number, (_, own) in enumerate(OWN):
        written = [
            (edit["start"], edit["end"], tuple(edit["corrections"]), edit["type"]) for edit in answers[str(number)]
        ]
        assert written == [(*edit.span, edit.replacements, edit.type) for edit in own]
    assert answers["3"] == [
        {"start": 3, "end": 4, "corrections": ["المدرسة", "مدرسة"], "type": "Mec", "optional": True}
    ]


@pytest.mark.measured
def test_500_edits_over_a_reload_without_the_server(serve: Serve, sit_down: SitDown) -> None:
    n = 500
    study = serve([JudgedItem("long", " ".join(f"w{k}" for k in range(2 * n)))])
    rater = sit_down(study, reads=True)
    keys = rater.page.keyboard
    for k in range(n):
        keys.type(f"x{k}")
        if k == n // 2:  # half written when the page goes, and the server is gone already
            study.kill()
            rater.page.reload()
            rater.settled()
            assert rater.page.locator("#words-edits").input_value() == f"x{k}"
        keys.press("Enter")
        keys.press("Control+ArrowRight")
        keys.press("Control+ArrowRight")
    for _ in range(30):
        keys.press("Control+z")
    assert rater.page.locator(".edit-list li").count() == n - 30
    for _ in range(30):
        keys.press("Control+y")
    while not rater.kept("out:"):  # the page scrolls to what was not on the screen yet
        rater.press("Enter")
    study.start()
    rater.page.evaluate("window.dispatchEvent(new Event('online'))")  # else it asks again after a while
    rater.saved()
    ((_, answer, version, _),) = study.answers()
    assert version == 1
    assert json.loads(answer)["edits"] == [
        {"start": 2 * k, "end": 2 * k + 1, "corrections": [f"x{k}"]} for k in range(n)
    ]


def test_what_will_not_do_is_said_and_nothing_is_lost(serve: Serve, sit_down: SitDown) -> None:
    proposed = [
        {"start": 4, "end": 5, "corrections": ["!"], PENDING: True},
        {"start": 0, "end": 1, "corrections": [""], PENDING: True},
    ]
    study = serve(
        [
            JudgedItem(
                "1", "I has a idea .", proposed={"edits": sorted(proposed, key=lambda edit: int(str(edit["start"])))}
            )
        ]
    )
    rater = sit_down(study)
    keys, page = rater.page.keyboard, rater.page
    rater.press("Enter")
    assert problem(rater) == "Edits to be decided on: 2. Accept, change or reject each of them."
    keys.press("Delete")  # of the first
    keys.press("Enter")  # accepts the second
    for _ in range(6):
        keys.press("ArrowLeft")
    keys.type("has")
    keys.press("Enter")
    assert problem(rater) == "That is what the text has: nothing would change."
    keys.press("Control+a")
    page.keyboard.insert_text("I have an idea . " * 200)  # a paste of the whole text, many times over
    keys.press("Enter")
    assert problem(rater).startswith("At most 500 characters, and these are 3,399.")
    assert len(page.locator("#words-edits").input_value()) == 3400
    keys.press("Control+a")
    keys.type("have")
    keys.press("Enter")
    keys.press("Shift+ArrowRight")
    keys.type("x")  # over "has a", of which "has" has an edit
    assert problem(rater) == "Edit 1 (has → have) is in the way: change it, or take it away first."
    keys.press("ArrowRight")
    keys.press("Delete")
    assert problem(rater) == "There is nothing to take away in a gap."
    assert page.locator(".corrected").inner_text() == "I have a idea !"
    rater.press("Enter")
    rater.saved()
    stored = json.loads(study.answers()[0][1])["edits"]
    assert stored == [{"start": 1, "end": 2, "corrections": ["have"]}, {"start": 4, "end": 5, "corrections": ["!"]}]
    assert rater.page.locator("#toast").inner_text().startswith("Answered: has → have, . → !.")
    rater.press("b")
    assert rater.page.locator(".edit-list li").count() == 2


def test_an_input_method_composes_in_its_own_time(serve: Serve, sit_down: SitDown) -> None:
    study = serve([JudgedItem("1", "他 去 学校 。")])
    rater = sit_down(study)
    keys, remote = rater.page.keyboard, rater.page.context.new_cdp_session(rater.page)

    def process(key: str) -> None:
        """What a browser sends of a key that its input method takes."""
        common = {"windowsVirtualKeyCode": 229, "key": key, "code": "KeyJ"}
        remote.send("Input.dispatchKeyEvent", {"type": "rawKeyDown", **common})

    keys.press("ArrowLeft")
    keys.press("ArrowRight")
    process("Process")
    for begun in ("w", "wo", "我"):
        remote.send(
            "Input.imeSetComposition", {"text": begun, "selectionStart": len(begun), "selectionEnd": len(begun)}
        )
    rater.page.evaluate("""document.activeElement.dispatchEvent(
        new KeyboardEvent('keydown', { key: 'Enter', bubbles: true, cancelable: true, isComposing: true }))""")
    assert rater.page.locator(".edit-list li").count() == 0, "that Enter ends the composition alone"
    assert rater.kept("draft:")[0]["typed"]["edits"].count("我") == 1
    remote.send("Input.insertText", {"text": "我"})
    keys.press("Enter")
    rater.press("Enter")
    rater.saved()
    ((_, answer, _, _),) = study.answers()
    assert json.loads(answer)["edits"] == [{"start": 0, "end": 1, "corrections": ["我"]}]


def test_an_essay_of_50_000_words_can_be_edited(serve: Serve, sit_down: SitDown) -> None:
    study = serve([JudgedItem("1", " ".join(["word"] * 50_000))])
    rater = sit_down(study)
    keys = rater.page.keyboard
    keys.press("End")
    keys.type("last")
    keys.press("Enter")
    keys.press("Control+z")
    keys.press("Control+y")
    rater.page.wait_for_timeout(300)
    assert [json.loads(json.dumps(kept["answer"])) for kept in rater.kept("draft:")] == [
        {"edits": [{"start": 50_000, "end": 50_000, "corrections": ["last"]}]}
    ]
