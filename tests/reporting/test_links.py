"""Pages that stand beside each other: links are relative, escaped, and lead nowhere else."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest

from errorbar.reporting.blocks import Links, Report, Section, latex, markdown
from errorbar.reporting.export import page_html
from tests.helpers.cli import CommandLine
from tests.tasks.small import make_task

pytest.importorskip("jinja2", reason="needs the extra 'report'")

HERE = "file:///folder/index.html"


def report(targets: dict[str, str]) -> Report:
    return Report("links", [], [Section("first", "First", [Links("A page for each", targets)])])


def hrefs(page: str) -> list[str]:
    nav = re.search(r'<nav class="links".*?</nav>', page, re.DOTALL)
    assert nav is not None
    return [unescape(found) for found in re.findall(r'href="([^"]*)"', nav[0])]


@pytest.mark.parametrize(
    "target",
    [
        "teams/AMU.html",
        "../index.html",
        "teams/a b.html",
        'teams/"><script>alert(1)</script>.html',
        "teams/ü?x=1#y.html",
        "javascript:alert(1)",
        "https://example.org/",
        "//example.org/x",
    ],
)
def test_a_link_leads_to_a_file_beside_the_page(target: str) -> None:
    page = page_html(report({"one": target}))
    (href,) = hrefs(page)
    assert "<script>alert" not in page
    assert urljoin(HERE, href).startswith("file:///")
    # What a browser makes of it is the file of that name; nothing of it is a query or a fragment.
    assert unquote(href) == f"./{target}"
    assert not set("?#") & set(href)


def test_texts_name_what_the_links_lead_to() -> None:
    one = report({"A_1": "teams/A_1.html", "B": "teams/B.html"})
    assert "A page for each: A\\_1, B" in markdown(one)
    assert "A page for each: A\\_1, B" in latex(one)


def test_the_text_of_a_link_is_shown_literally() -> None:
    page = page_html(report({"<b>bold</b>": "x.html"}))
    assert "&lt;b&gt;bold&lt;/b&gt;" in page
    assert "<b>bold</b>" not in page


def test_the_pages_of_a_board_lead_to_each_other(tmp_path: Path, errorbar: CommandLine) -> None:
    pytest.importorskip("vl_convert", reason="needs the extra 'report'")
    out = tmp_path / "board"
    assert errorbar("task", "board", make_task(tmp_path), "-o", out, "--resamples", "50").code == 0
    teams = hrefs((out / "index.html").read_text(encoding="utf-8"))
    assert sorted(teams) == ["./teams/one.html", "./teams/two.html"]
    for team in teams:
        (back,) = hrefs((out / team).read_text(encoding="utf-8"))
        assert (out / team).parent.joinpath(back).resolve() == out / "index.html"
