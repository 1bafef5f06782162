"""Fragments of items: what is in them, and what must not be."""

from __future__ import annotations

import re
from dataclasses import replace
from html.parser import HTMLParser

import pytest
from hypothesis import given
from hypothesis import strategies as st

from errorbar.judging import JudgedItem, load_scheme
from errorbar.judging.scheme import tokens
from errorbar.judging.web.pages import STATIC, TEMPLATES, fragment
from tests.judging.browser.items import marked

SPAN, CHOICE, CLOZE = load_scheme("preposition"), load_scheme("choice"), load_scheme("cloze")
TEXTS = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=40)


class Parsed(HTMLParser):
    """The text of a fragment: all of it, of the target, and of each token."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.open: list[dict[str, str | None]] = []
        self.text = self.target = ""
        self.tokens: dict[int, str] = {}
        self.tags: set[str] = set()
        self.names: set[str] = set()
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(dict(attrs))
        self.tags.add(tag)
        self.names |= {name for name, _ in attrs}

    def handle_endtag(self, tag: str) -> None:
        self.open.pop()

    def handle_data(self, data: str) -> None:
        if not any(each.get("class") == "text" for each in self.open):
            return
        self.text += data
        if any(each.get("class") == "target" for each in self.open):
            self.target += data
        for each in self.open:
            if (token := each.get("data-token")) is not None:
                self.tokens[int(token)] = self.tokens.get(int(token), "") + data


@given(TEXTS, st.data())
def test_the_target_is_the_slice_and_tokens_are_those_that_answers_number(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))
    parsed = Parsed(fragment(SPAN, JudgedItem("x", text, (start, end))))
    assert (parsed.text, parsed.target) == (text, text[start:end])
    assert parsed.tokens == {n: text[slice(*span)] for n, span in enumerate(tokens(text))}
    assert parsed.tags <= {"p", "span", "mark"}
    assert parsed.names <= {"class", "dir", "data-token"}


def test_carriage_returns_are_references() -> None:
    """A parser of HTML would make line feeds of them."""
    assert "a&#13;\nb" in re.sub("<[^>]*>", "", fragment(SPAN, JudgedItem("x", "a\r\nb")))


def test_two_words_on_either_side_are_tinted() -> None:
    html = fragment(SPAN, marked("x", "one two three [four] five six seven"))
    assert re.findall(r'near" data-token="(\d)"', html) == ["1", "2", "3", "4", "5"]
    assert "near" not in fragment(load_scheme("error-ok"), marked("x", "one two three [four] five six seven"))


@pytest.mark.parametrize("scheme", [SPAN, CHOICE, CLOZE])
def test_gold_work_and_names_leave_no_trace(scheme: object) -> None:
    work = JudgedItem("name-of-it", "He goes in home.", (8, 10), candidates=("in", "to"), names=("writer", "system-7"))
    gold = replace(work, name="g1", kind="gold", answers=("first",), explanation="Because.", hidden={"stratum": "hard"})
    assert fragment(scheme, work) == fragment(scheme, gold)  # type: ignore[arg-type]
    assert not re.search("name-of-it|writer|system-7|gold|Because|hard", fragment(scheme, gold))  # type: ignore[arg-type]


def test_sides_change_places_and_nothing_else_does() -> None:
    item = JudgedItem("x", "He goes in home.", (8, 10), candidates=("in", "to the"))
    straight, turned = (re.findall(r"<p.*?</p>", fragment(CHOICE, item, side)) for side in (False, True))
    assert straight == turned[::-1]
    assert re.findall(r'differs" data-token="\d">(\w+)', fragment(CHOICE, item)) == ["in", "to", "the"]


def heard(html: str) -> list[str]:
    """The texts of a fragment as they are read out, without what is hidden from readers."""
    shown = re.sub(r'<span aria-hidden="true">.*?</span>', "", html)
    return [" ".join(re.sub("<[^>]*>", "", each).split()) for each in re.findall(r'<p class="text".*?</p>', shown)]


def test_an_audit_names_its_texts_and_marks_what_was_taken_away_and_put_there() -> None:
    scheme = load_scheme("edit-valid")
    html = fragment(scheme, JudgedItem("x", "He goes in the home.", (8, 14), candidates=("in the", "to")))
    assert re.findall(r'class="letter">(.*?)<', html) == ["The writer&#39;s text", "With the correction"]
    assert heard(html) == ["He goes taken away: in the (end) home.", "He goes put there: to (end) home."]
    assert [html.count(f"<{tag} ") for tag in ("del", "ins")] == [1, 1]


def test_the_writers_text_of_an_audit_is_always_the_first() -> None:
    """Sides are drawn for every assignment, also where the scheme knows none."""
    scheme = load_scheme("edit-valid")
    item = JudgedItem("x", "He goes in the home.", (8, 14), candidates=("in the", "to"))
    assert fragment(scheme, item, True) == fragment(scheme, item, False)


@pytest.mark.parametrize("scheme", ["edit-valid", "choice"])
@pytest.mark.parametrize("text", ["He goes [in] home .", "[Well] he goes .", "He goes home [now]"])
def test_a_deletion_and_an_insertion_leave_a_mark_in_the_text_that_lacks_the_words(scheme: str, text: str) -> None:
    start, end = text.index("["), text.index("]") - 1
    plain = text.replace("[", "").replace("]", "")
    for candidates in ((plain[start:end], ""), ("", plain[start:end])):
        written = plain[:start] + candidates[0] + plain[end:]
        item = JudgedItem("x", written, (start, start + len(candidates[0])), candidates=candidates)
        lines = re.findall("<li.*?</li>", fragment(load_scheme(scheme), item))
        assert [line.count('class="gap differs"') for line in lines] == [int(not each) for each in candidates]
        assert [line.count('class="difference"') for line in lines] == [int(bool(each)) for each in candidates]
        assert ["nothing here" in each for each in heard("".join(lines))] == [not each for each in candidates]


def test_a_choice_test_does_not_tell_which_text_is_the_writers() -> None:
    item = JudgedItem("x", "He goes in home.", (8, 10), candidates=("in", ""))
    straight, turned = (re.findall(r"<p.*?</p>", fragment(CHOICE, item, side)) for side in (False, True))
    assert straight == turned[::-1]
    assert not re.search("<del|<ins|writer|correction", "".join(straight))


@pytest.mark.parametrize("length", [1, 9])
def test_a_gap_tells_nothing_of_the_word(length: int) -> None:
    word = "q" * length
    html = fragment(CLOZE, marked("x", f"He goes [{word}] home."))
    assert html == '<p class="text" dir="auto">He goes <span class="blank"></span> home.</p>'


def test_the_worker_keeps_every_file_that_the_page_loads() -> None:
    worker = (STATIC / "service-worker.js").read_text(encoding="utf-8")
    parts = ("frame.html", "work.html", "script.html")
    shell = "".join((TEMPLATES / part).read_text(encoding="utf-8") for part in parts)
    loaded = set(re.findall(r"/static/([\w.]+)", shell))
    assert set(re.findall(r"'([\w.]+\.(?:js|css|svg))'", worker)) == loaded


def test_nothing_is_loaded_from_elsewhere_and_nothing_is_inline() -> None:
    """The policy of the server would refuse it; this says so earlier."""
    for path in [*STATIC.iterdir(), *TEMPLATES.iterdir()]:
        text = path.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert not re.search(r"https?://|@import|\beval\(|new Function", text), path.name
        assert not re.search(r"<style|\sstyle=|\son\w+=|<script(?! type)", text), path.name
