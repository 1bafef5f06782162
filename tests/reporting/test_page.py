"""The page as text: what it holds, that it is the same every time, and how it is written."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import re
import sys
from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path
from typing import cast, get_args

import pytest

from errorbar.api import Browse, BrowseEdit, BrowseUnit
from errorbar.core import InputError, MissingExtraError
from errorbar.reporting import Block, Chart, Prose, Report, Section, SentenceBrowser, page_html, save_report
from errorbar.reporting import export as assets
from errorbar.reporting.charts.vega import PALETTE
from errorbar.reporting.export import browser_data, chart_library
from errorbar.tables import Column, Table

TABLE = Table([Column("Name"), Column("Value", "count")], [["a", 1]], "Numbers", "numbers")
CHART = Chart("chart", "A chart", "It rises.", {"mark": "point", "data": {"values": [{"a": "</script>"}]}}, TABLE)


def unit(text: str, *edits: BrowseEdit, system: tuple[BrowseEdit, ...] = ()) -> BrowseUnit:
    return BrowseUnit("1", text, "essay", (edits, None), (system,), ((0, len(system), len(edits)),), (0,), 0.123456)


def report(*blocks: Prose | Table | Chart | SentenceBrowser) -> Report:
    return Report("A title", ["It is so."], [Section("one", "One", list(blocks))], [("sentences", "1")], "0.1")


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> str:
    """Something short for the chart library, so that most tests need not bundle it."""
    monkeypatch.setattr(assets, "chart_library", lambda: "window.vegaEmbed = null;")
    return "window.vegaEmbed = null;"


class Elements(HTMLParser):
    """Elements with attributes, and the text of scripts and styles."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.raw: list[tuple[str, dict[str, str | None], str]] = []
        self.inside = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.inside = tag in {"script", "style"}
        if self.inside:
            self.raw.append((tag, dict(attrs), ""))

    def handle_endtag(self, tag: str) -> None:
        self.inside = False

    def handle_data(self, data: str) -> None:
        if self.inside:
            tag, attrs, text = self.raw[-1]
            self.raw[-1] = (tag, attrs, text + data)


def test_the_same_report_gives_the_same_text(library: str) -> None:
    browse = Browse(("a", "b"), ("s",), [unit("One two .", BrowseEdit(0, 3, ("Two",), "T"))])
    assert page_html(report(CHART, SentenceBrowser(browse))) == page_html(report(CHART, SentenceBrowser(browse)))


def test_the_policy_names_every_script_and_style_and_nothing_else(library: str) -> None:
    elements = Elements(page_html(report(CHART)))
    [policy] = [a["content"] for tag, a in elements.elements if a.get("http-equiv") == "Content-Security-Policy"]
    rules = dict(rule.split(" ", 1) for rule in str(policy).split("; "))

    def hashes(tag: str) -> str:
        texts = [text for kind, attrs, text in elements.raw if kind == tag and "type" not in attrs]
        return " ".join(f"'sha256-{base64.b64encode(hashlib.sha256(t.encode()).digest()).decode()}'" for t in texts)

    assert rules == {
        "default-src": "'none'",
        "script-src": hashes("script"),
        "style-src": hashes("style"),
        "img-src": "data: blob:",
        "base-uri": "'none'",
        "form-action": "'none'",
    }
    assert len(rules["script-src"].split()) == 2


def test_nothing_is_loaded_and_no_element_carries_code_or_style(library: str) -> None:
    elements = Elements(page_html(report(CHART, TABLE))).elements
    assert [str(a["src"])[:26] for _, a in elements if "src" in a] == ["data:image/svg+xml;base64,"]
    assert [a["href"] for tag, a in elements if tag == "link"] == ["data:,"]
    assert [name for _, attrs in elements for name in attrs if name.startswith("on") or name == "style"] == []


def test_data_cannot_close_its_script(library: str) -> None:
    hostile = "</script><!--<script>"
    browse = Browse((hostile,), (hostile,), [unit(hostile, BrowseEdit(0, 1, (hostile,), hostile))])
    text = page_html(Report(hostile, [hostile], [Section("one", hostile, [CHART, SentenceBrowser(browse)])]))
    assert hostile not in text
    blocks = [json.loads(raw) for _, attrs, raw in Elements(text).raw if attrs.get("type") == "application/json"]
    assert blocks[0]["texts"] == [hostile]
    assert blocks[2]["specs"]["chart"]["data"]["values"] == [{"a": "</script>"}]


def test_without_charts_there_is_no_chart_library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    assert len(page_html(report(Prose(["Words."]), TABLE))) < 100_000


@pytest.mark.parametrize(("module", "blocks"), [("jinja2", ()), ("vl_convert", (CHART,))])
def test_a_missing_extra_is_named(monkeypatch: pytest.MonkeyPatch, module: str, blocks: tuple[Chart, ...]) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    with pytest.raises(MissingExtraError, match="make report") as caught:
        page_html(report(*blocks))
    assert "\n" not in str(caught.value)


def test_the_chart_library_is_kept_and_a_damaged_copy_is_not_used(tmp_path: Path) -> None:
    bundled = chart_library(tmp_path)
    [kept] = tmp_path.iterdir()
    assert "window.vegaEmbed=" in bundled
    assert "</script" not in bundled
    assert "\r" not in bundled
    kept.write_bytes(kept.read_bytes()[:-1])
    assert chart_library(tmp_path) == bundled
    before = kept.stat().st_mtime_ns
    assert chart_library(tmp_path) == bundled
    assert kept.stat().st_mtime_ns == before


def test_the_chart_library_needs_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "window.vegaEmbed=" in chart_library(tmp_path / "file" / "below")


def test_writes_the_page(tmp_path: Path, library: str) -> None:
    path = tmp_path / "report.html"
    size = save_report(report(CHART), str(path))
    assert path.stat().st_size == size
    assert path.read_text(encoding="utf-8") == page_html(report(CHART)).rstrip("\n") + "\n"
    assert [file.name for file in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize(
    ("name", "why"), [("no/such/folder.html", "No such file or directory"), (".", "Is a directory")]
)
def test_an_unwritable_target_is_one_clear_line(tmp_path: Path, name: str, why: str) -> None:
    with pytest.raises(InputError, match=why) as caught:
        save_report(report(), str(tmp_path / name))
    assert caught.value.code == "cannot-write"
    assert "\n" not in str(caught.value)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_must_not_be_written_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="Permission denied"):
        save_report(report(), str(tmp_path / "report.html"))


def test_a_failure_half_way_leaves_the_old_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "report.html"
    path.write_text("old")

    def interrupted(name: str, target: Path) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_report(report(), str(path))
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_what_no_page_can_hold_is_shown(tmp_path: Path) -> None:
    """Half a surrogate pair, as of a file name that is not UTF-8; and what would turn or hide the text beside it."""
    save_report(report(Prose(["\ud800\x1b\u202e"])), str(tmp_path / "report.html"))
    assert "\\ud800\\x1b\\u202e" in (tmp_path / "report.html").read_text(encoding="utf-8")


def columns(browse: Browse) -> Mapping[str, object]:
    """The data of a browser that names nothing more."""
    return browser_data(SentenceBrowser(browse))


def test_edits_shared_by_several_stand_once() -> None:
    edit = BrowseEdit(0, 3, ("Two", "Six"), "T", optional=True)
    other = BrowseEdit(3, 3, (), "")
    data = columns(Browse(("a", "b"), ("s",), [unit("One .", edit, other, system=(edit, edit))]))
    assert data["edits"] == [[0, 3, 0, 0, 1, 3, 0, 1, 1, 0]]
    assert data["annotations"] == [[[0, 1], 0]]
    assert data["proposals"] == [[[0, 0]]]
    assert (data["words"], data["replacements"], data["types"]) == (["Two", "Six"], [(0, 1), ()], ["T", ""])
    assert data["disagreement"] == [0.123]


def test_system_edits_say_whether_they_matched() -> None:
    system = tuple(BrowseEdit(0, 1, ("x",), matched=matched) for matched in (None, True, False))
    assert columns(Browse(("a", "b"), ("s",), [unit("One", system=system)]))["proposals"] == [[[0, 1, 2]]]


def test_offsets_count_as_web_pages_do() -> None:
    text = "a😀b😀c"
    data = columns(Browse(("a", "b"), ("s",), [unit(text, BrowseEdit(1, 2, ("",)), BrowseEdit(3, 5, ("",)))]))
    [numbers] = cast("list[list[int]]", data["edits"])
    start, length = numbers[5:7]
    encoded = text.encode("utf-16-le")
    assert numbers[:2] == [1, 2]
    assert encoded[2 * start : 2 * (start + length)].decode("utf-16-le") == "😀c"


def test_a_receipt_stands_in_the_page_and_cannot_leave_its_block() -> None:
    held = {"files": [{"name": "</script><b>.m2"}], "values": {"f": 0.5}}
    text = page_html(replace(report(TABLE), receipt=("r&d.receipt.json", held)))
    (block,) = re.findall(r'<script type="application/json" id="receipt-data">(.*?)</script>', text, re.DOTALL)
    assert json.loads(block) == held
    assert 'id="receipt" href="./r%26d.receipt.json" download="r&amp;d.receipt.json"' in text
    assert 'id="receipt' not in page_html(report(TABLE))


def test_templates_never_parse_data_as_markup() -> None:
    """Not a proof, but a tripwire: the ways by which text becomes markup or code do not occur."""
    own = assets.script()
    ways = r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|DOMParser|createContextual|\beval\(|new Function"
    assert re.findall(ways, own) == []
    for template in (Path(assets.__file__).parent / "templates").glob("*.html"):
        safe = re.findall(r"\{\{[^}]*\|\s*safe\s*\}\}", template.read_text(encoding="utf-8"))
        assert set(safe) <= {
            "{{ style | safe }}",
            "{{ without_scripts | safe }}",
            "{{ script | safe }}",
            "{{ data | safe }}",
            "{{ receipt_data | safe }}",
            "{{ chart_data | safe }}",
            "{{ latex_data | safe }}",
        }


def test_every_kind_of_block_has_its_template() -> None:
    names = {path.name for path in (Path(assets.__file__).parent / "templates").iterdir()}
    kinds = {kind.__name__ for kind in get_args(Block)}
    assert {f"block-{kind}.html" for kind in kinds} == {name for name in names if name.startswith("block-")}


def test_the_colors_of_the_page_are_those_of_the_charts() -> None:
    css = assets.style()
    for name, light in PALETTE["light"].items():
        assert re.findall(rf"--{name}: ([^;]*);", css) == [f"light-dark({light}, {PALETTE['dark'][name]})"]
    used = set(re.findall(r"var\(--([a-z]+)\)", css))
    assert used <= set(re.findall(r"--([a-z]+):", css))


def test_the_best_systems_are_shown_first() -> None:
    browse = Browse(tuple("A"), ("low", "high", "middle"), [])
    assert browser_data(SentenceBrowser(browse, ["high", "middle"]))["first"] == [1, 2]
    assert columns(browse)["first"] == []


def test_codes_of_error_types_stand_with_what_they_mean() -> None:
    browse = Browse(("a", "b"), ("s",), [unit("One", BrowseEdit(0, 1, ("x",), "Nn"), BrowseEdit(0, 1, ("y",), "Odd"))])
    data = browser_data(SentenceBrowser(browse, meanings={"Nn": "noun number", "Vt": "verb tense"}))
    assert data["meanings"] == {"Nn": "noun number"}
