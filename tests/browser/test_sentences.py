"""The sentence browser: what it finds is counted again here, from the data."""

from __future__ import annotations

from collections.abc import Callable
from urllib.parse import quote

import pytest

from errorbar.api import Browse, BrowseUnit
from tests.browser.conftest import Opener, Watched, n_matches
from tests.browser.pages import demo_browse, far_apart

BROWSE = demo_browse()
GO = "at => new Promise((done) => { addEventListener('hashchange', done, { once: true }); location.hash = at })"


def count(holds: Callable[[BrowseUnit], bool], browse: Browse = BROWSE) -> int:
    return sum(holds(unit) for unit in browse.units)


def pick(watched: Watched, part: str, label: str) -> None:
    """Choose by the words of an option, with or without the count after them."""
    control = watched.page.locator(f"[data-part={part}]")
    values = control.evaluate("e => [...e.options].map((o) => [o.value, o.textContent])")
    control.select_option(value=next(v for v, text in values if text == label or text.startswith(f"{label} (")))


def has_text(unit: BrowseUnit, text: str) -> bool:
    edits = [edit for edits in (*unit.annotators, *unit.systems) for edit in edits or ()]
    return any(text in part.lower() for part in (unit.text, *(r for edit in edits for r in edit.replacements)))


def has_type(unit: BrowseUnit, error_type: str) -> bool:
    return any(edit.type == error_type for edits in unit.annotators for edit in edits or ())


@pytest.mark.parametrize("query", ["the", "UNIVERSITY", "at the", "in college", "no such words", "  The "])
def test_search_finds_texts_and_corrections(opened: Opener, demo_url: str, query: str) -> None:
    watched = opened(demo_url)
    watched.page.get_by_label("Search texts and corrections").fill(query)
    assert watched.count() == count(lambda unit: has_text(unit, query.strip().lower()))


def test_a_search_is_quick(opened: Opener, demo_url: str) -> None:
    """Measured inside the page, from the key to the sentences in the document; printed, not judged."""
    page = opened(demo_url).page
    took = page.evaluate(
        "() => { const box = document.querySelector('[data-part=search]'); box.value = 'the';"
        " const begin = performance.now();"
        " box.dispatchEvent(new Event('input')); return performance.now() - begin; }"
    )
    print(f"search took {took:.0f} ms")  # noqa: T201 - measured, not judged
    assert page.locator(".unit mark").count() > 0


def test_search_marks_what_it_found(opened: Opener, demo_url: str) -> None:
    watched = opened(demo_url)
    watched.page.get_by_label("Search texts and corrections").fill("Village")
    marks = watched.page.locator(".unit mark").all_inner_texts()
    assert marks
    assert {mark.lower() for mark in marks} == {"village"}


def test_filters_by_type(opened: Opener, demo_url: str) -> None:
    watched = opened(demo_url)
    for error_type in ("ArtOrDet", "Vt", "Prep"):
        found = count(lambda unit, wanted=error_type: has_type(unit, wanted))  # type: ignore[misc]  # mypy cannot tell the type of a default
        pick(watched, "type", f"{error_type} ({found})")
        assert watched.count() == found


@pytest.mark.parametrize(
    ("outcome", "holds"),
    [
        ("got everything right", lambda c, p, g: c == p == g),
        ("got something right", lambda c, p, g: c > 0),
        ("proposed something wrong", lambda c, p, g: p > c),
        ("proposed nothing", lambda c, p, g: p == 0),
        ("missed something", lambda c, p, g: g > c),
    ],
)
def test_filters_by_who_got_it_right(
    opened: Opener, demo_url: str, outcome: str, holds: Callable[[int, int, int], bool]
) -> None:
    watched = opened(demo_url)
    pick(watched, "verdict", outcome)
    assert watched.count() == count(lambda u: any(holds(*c) for c in u.counts))
    pick(watched, "system", "every system")
    assert watched.count() == count(lambda u: all(holds(*c) for c in u.counts))
    pick(watched, "system", "no system")
    assert watched.count() == count(lambda u: not any(holds(*c) for c in u.counts))
    pick(watched, "system", "greedy")
    assert watched.count() == count(lambda u: holds(*u.counts[BROWSE.systems.index("greedy")]))


def test_filters_and_sorts_by_disagreement(opened: Opener, demo_url: str) -> None:
    watched = opened(demo_url)
    watched.page.locator("[data-part=least]").fill("0.5")
    assert watched.count() == count(lambda u: u.disagreement is not None and u.disagreement >= 0.5)
    pick(watched, "order", "annotators differ most")
    ranked = sorted(BROWSE.units, key=lambda u: -(u.disagreement or 0))
    assert watched.shown() == [f"Sentence {unit.name}" for unit in ranked[: len(watched.shown())]]
    watched.page.get_by_role("button", name="Clear all filters").click()
    assert watched.count() == len(BROWSE.units)


def test_those_in_which_systems_differ_most_come_first(opened: Opener, demo_url: str) -> None:
    watched = opened(demo_url)
    ranked = sorted(BROWSE.units, key=lambda unit: -far_apart(unit))
    assert watched.shown() == [f"Sentence {unit.name}" for unit in ranked[: len(watched.shown())]]
    assert far_apart(ranked[0]) > far_apart(BROWSE.units[0])
    pick(watched, "order", "as in the corpus")
    assert watched.shown() == [f"Sentence {unit.name}" for unit in BROWSE.units[: len(watched.shown())]]
    assert watched.page.url.endswith("?order=corpus")


def test_the_system_that_is_asked_for_comes_first(opened: Opener, demo_url: str) -> None:
    page = opened(demo_url).page
    titles = page.locator(".unit").first.locator(".kind")
    assert titles.all_inner_texts() == ["Annotators", "Systems"]
    page.evaluate(GO, "#sentences?system=greedy&verdict=missed")
    assert titles.all_inner_texts() == ["System", "Annotators", "Other systems"]
    assert page.locator(".unit").first.locator("dt").first.inner_text().startswith("greedy")


def test_what_a_system_missed_is_marked(opened: Opener, demo_url: str) -> None:
    """Those edits of the annotator that it is scored against that are not its own; counted as its missed ones."""
    page = opened(f"{demo_url}#sentences?system=copy&order=corpus").page
    at = BROWSE.systems.index("copy")
    for unit in BROWSE.units[:5]:
        edits = unit.annotators[unit.chosen[at]] or ()
        missed = page.locator(f".unit[data-unit='{BROWSE.units.index(unit)}'] dd").first.locator(".missed .edit")
        assert missed.count() == len(edits)
        shown = [edit.replacements[0] for edit in edits if edit.replacements and edit.replacements[0]]
        assert missed.locator("ins").all_inner_texts() == shown


def test_what_is_chosen_gets_the_focus(opened: Opener, demo_url: str) -> None:
    """By a chart or a link; a filter keeps the focus, so that it can be changed again."""
    page = opened(f"{demo_url}#sentences?system=greedy").page
    assert page.evaluate("document.activeElement === document.querySelector('.unit')")
    page.evaluate(GO, "#sentences?search=nothing%20has%20this")
    assert page.evaluate("document.activeElement.dataset.part") == "status"


def test_filters_by_document(opened: Opener, demo_url: str) -> None:
    watched = opened(demo_url)
    pick(watched, "document", "essay-2")
    assert watched.count() == count(lambda u: u.document == "essay-2")


def test_the_number_of_matches_is_announced(opened: Opener, demo_url: str) -> None:
    page = opened(demo_url).page
    status = page.locator("[data-part=status]")  # charts have a status of their own
    assert status.get_attribute("role") == "status"
    assert status.get_attribute("aria-live") == "polite"
    assert status.inner_text() == f"All {len(BROWSE.units)} sentences"
    page.get_by_label("Search texts and corrections").fill("no sentence has this")
    status.filter(has_text="None of").wait_for()
    assert status.inner_text() == f"None of the {len(BROWSE.units)} sentences matches"


def test_filters_are_in_the_address_and_come_back(opened: Opener, demo_url: str) -> None:
    watched = opened(demo_url)
    watched.page.get_by_label("Search texts and corrections").fill("the & ?#")
    watched.page.get_by_label("Search texts and corrections").fill("the")
    pick(watched, "verdict", "missed something")
    pick(watched, "system", "greedy")
    pick(watched, "order", "hardest for systems")
    watched.page.locator("[data-part=least]").fill("0.2")
    found, shown = watched.count(), watched.shown()
    again = opened(watched.page.url)
    assert (again.count(), again.shown()) == (found, shown)
    assert 0 < found < len(BROWSE.units)
    assert again.page.get_by_label("Search texts and corrections").input_value() == "the"


def test_the_hardest_items_of_a_detector_go_to_their_sentence(opened: Opener, whole_url: str) -> None:
    page = opened(whole_url, width=360).page
    link = page.locator("#detectors .items a").first
    name = link.inner_text()
    assert link.evaluate("e => e.closest('li').querySelector('mark').textContent") != ""
    link.click()
    assert page.locator(".unit.current h3").inner_text() == name
    assert 0 <= page.locator(".unit.current").evaluate("e => e.getBoundingClientRect().top") < 500


def test_a_link_goes_to_its_sentence(opened: Opener, demo_url: str) -> None:
    watched = opened(f"{demo_url}#s37")
    card = watched.page.locator(".unit.current")
    assert card.locator("h3").inner_text() == "Sentence 37"
    assert card.evaluate("e => e === document.activeElement")
    assert 0 <= card.evaluate("e => e.getBoundingClientRect().top") < 500
    watched.page.evaluate("location.hash = '#s5'")
    watched.page.locator(".unit.current h3", has_text="Sentence 5").wait_for()
    watched.page.evaluate(GO, "#methods")
    assert watched.page.locator("#methods").is_visible()


@pytest.mark.parametrize(
    "hash_",
    ["#s999999", "#s%E0%A4%A", "#sentences?least=x&order=no&system=&document=x&edits=x&type=%3Cb%3E", "#b2:1", "#"],
)
def test_an_address_that_is_none_shows_everything(opened: Opener, demo_url: str, hash_: str) -> None:
    assert opened(demo_url + hash_).count() == len(BROWSE.units)


def test_keys_walk_over_all_sentences_and_leave(opened: Opener, demo_url: str) -> None:
    page = opened(f"{demo_url}#s1?order=corpus").page
    focused = "document.activeElement.closest('.unit')?.querySelector('h3').textContent"
    for number in range(2, 16):
        page.keyboard.press("j" if number % 2 else "ArrowRight")
        assert page.evaluate(focused) == f"Sentence {number}"
    for number in range(14, 0, -1):
        page.keyboard.press("k" if number % 2 else "ArrowLeft")
        assert page.evaluate(focused) == f"Sentence {number}"
    page.keyboard.press("k")
    assert page.evaluate(focused) == "Sentence 1"
    page.keyboard.press("/")
    assert page.evaluate("document.activeElement.type") == "search"
    page.keyboard.type("j/k")
    assert page.evaluate("document.activeElement.value") == "j/k"


def test_tab_passes_through(opened: Opener, demo_url: str) -> None:
    """From the search field to behind the browser with the Tab key alone."""
    page = opened(demo_url).page
    page.get_by_label("Search texts and corrections").focus()
    for _ in range(60):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.closest('#methods') !== null"):
            return
    pytest.fail("the focus never left the sentences")


def test_turns_pages(opened: Opener, demo_url: str) -> None:
    watched = opened(f"{demo_url}#sentences?order=corpus")
    seen = watched.shown()
    button = watched.page.get_by_role("button", name="Next")
    while button.is_enabled():
        button.click()
        seen += watched.shown()
    assert seen == [f"Sentence {unit.name}" for unit in BROWSE.units]
    watched.page.get_by_role("button", name="Previous").click()
    assert watched.shown()[-1] != seen[-1]


def test_shows_edits_of_everybody(opened: Opener, demo_url: str) -> None:
    """Sentence by sentence: what is deleted, inserted, offered instead, typed, optional, matched."""
    watched = opened(f"{demo_url}#sentences?order=corpus")
    for unit in BROWSE.units[:3]:
        card = watched.page.locator(".unit").nth(int(unit.name) - 1)
        edits = [e for who in {*unit.annotators, *unit.systems} for e in who or ()]
        wanted = sorted(unit.text[e.start : e.end] for e in edits if e.start < e.end)
        # Annotators or systems that did the same share a row; a system and an annotator never do.
        assert set(card.locator("del").all_inner_texts()) == set(wanted)
        assert set(card.locator("ins").all_inner_texts()) == {e.replacements[0] for e in edits if e.replacements[0]}
        others = {f"or {other or '(nothing)'}" for e in edits for other in e.replacements[1:]}
        assert {text.strip() for text in card.locator(".or").all_inner_texts()} == others
        tags = {e.type for e in edits if e.type} | ({"optional"} if any(e.optional for e in edits) else set())
        assert set(card.locator(".edit > .tag").all_inner_texts()) == tags
    first = watched.page.locator(".unit").first
    assert first.locator(".mark.right").count() > 0
    assert first.locator(".mark.wrong").count() > 0


def test_chosen_systems_are_shown(opened: Opener, demo_url: str) -> None:
    watched = opened(demo_url)
    first = watched.page.locator(".unit").first
    watched.page.get_by_text("Shown: 3 of 3 annotators, 4 of 4 systems").click()
    watched.page.get_by_role("button", name="None systems").click()
    assert first.locator("dt").count() == 3
    watched.page.get_by_label("greedy", exact=True).check()
    assert first.locator("dt").count() == 4
    watched.page.get_by_role("button", name="None annotators").click()
    assert first.locator("dt").count() == 1
    assert "greedy" in first.locator("dt").inner_text()


def test_only_the_words_around_edits(opened: Opener, demo_url: str) -> None:
    watched = opened(demo_url)
    before = watched.page.locator(".rows").first.inner_text()
    watched.page.get_by_label("Only around edits").check()
    assert len(watched.page.locator(".rows").first.inner_text()) <= len(before)
    assert watched.page.locator(".gap").count() > 0


def test_a_type_and_a_verdict_are_of_one_edit(opened: Opener, whole_url: str) -> None:
    """The target of a cell of the heat map: there are sentences exactly where the table of types has edits."""
    page = opened(whole_url).page
    rows = page.locator("#table-type-counts").evaluate(
        "e => [...e.querySelectorAll('tr')].map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"
    )
    systems = [name.rstrip("↕").strip() for name in rows[0][2:]]
    wanted = {}
    for name, _, *cells in rows[1:]:
        for system, cell in zip(systems, cells, strict=True):
            found, gold = map(int, cell.split(" / "))
            for verdict, n_edits in (("found", found), ("missed", gold - found)):
                wanted[f"#sentences?system={system}&type={quote(name)}&verdict={verdict}"] = n_edits
    said = page.evaluate(
        f"async (all) => {{ const go = {GO}; const said = []; for (const at of all) {{ await go(at);"
        " said.push(document.querySelector('[data-part=status]').textContent); } return said; }",
        list(wanted),
    )
    assert len(said) == len(wanted) > 80
    for (address, n_edits), status in zip(wanted.items(), said, strict=True):
        n_units = n_matches(status)
        assert 0 < n_units <= n_edits if n_edits else n_units == 0, address


def test_what_a_system_misses_most_is_read_without_counting(opened: Opener, whole_url: str) -> None:
    """The row of each system begins with the type of which the table of counts says that it misses most edits."""
    page = opened(whole_url).page
    grid = "e => [...e.querySelectorAll('tr')].map((row) => [...row.cells].map((cell) => cell.textContent.trim()))"
    heading, *counts = page.locator("#table-type-counts").evaluate(grid)
    rows = page.locator("#table-type-missed tbody").evaluate(grid)
    assert [name.rstrip("↕").strip() for name in heading[2:]] == [system for system, *_ in rows]
    for at, (system, n_missed, most) in enumerate(rows, 2):
        pairs = [tuple(map(int, row[at].split(" / "))) for row in counts]
        missed = [gold - found for found, gold in pairs]
        assert int(n_missed) == sum(missed), system
        first = missed.index(max(missed))
        assert most.startswith(f"{counts[first][1]} ({counts[first][0]}): {max(missed)} of {pairs[first][1]}"), system


@pytest.mark.parametrize("width", [360, 768, 1440])
def test_filters_stand_in_lines(opened: Opener, whole_url: str, width: int) -> None:
    """Fields to choose or type in have one top, one bottom and one height in each line, and nothing is cut off."""
    page = opened(whole_url, width=width).page
    found = page.evaluate(
        "() => [...document.querySelectorAll('.field:not([hidden], .shown, .check)')].map((field) => {"
        " const box = field.querySelector('input, select, button').getBoundingClientRect();"
        " return [field.getBoundingClientRect().bottom, box.top, box.bottom, field.scrollWidth - field.clientWidth] })"
    )
    assert len(found) > 7
    lines: dict[int, set[tuple[float, float]]] = {}
    for bottom, top, low, cut in found:
        lines.setdefault(round(bottom), set()).add((round(top), round(low)))
        assert cut <= 0
    assert {len(boxes) for boxes in lines.values()} == {1}, lines


def test_the_table_of_counts_chooses(opened: Opener, demo_url: str) -> None:
    watched = opened(demo_url)
    page = watched.page
    page.get_by_text("Counts by system and outcome").click()
    cell = page.get_by_role("button", name="greedy missed something")
    wanted = int(cell.inner_text())
    cell.click()
    assert (
        watched.count()
        == wanted
        == count(lambda u: u.counts[BROWSE.systems.index("greedy")][2] > u.counts[BROWSE.systems.index("greedy")][0])
    )
    assert cell.get_attribute("aria-pressed") == "true"
    assert cell.evaluate("e => e === document.activeElement")
    assert page.url.endswith("#sentences?system=greedy&verdict=missed")
    cell.click()
    assert watched.count() == len(BROWSE.units)


def test_who_is_filtered_by_is_shown(opened: Opener, demo_url: str) -> None:
    page = opened(demo_url).page
    page.get_by_text("Shown: 3 of 3 annotators, 4 of 4 systems").click()
    page.get_by_role("button", name="None systems").click()
    page.evaluate(GO, "#sentences?system=greedy&verdict=missed")
    page.get_by_text("Shown: 3 of 3 annotators, 1 of 4 systems").wait_for()
    assert page.get_by_label("greedy", exact=True).is_checked()
