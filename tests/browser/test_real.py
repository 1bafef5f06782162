"""The page at the size that it is made for: 1,312 sentences, twelve systems, ten annotators."""

from __future__ import annotations

import re
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from errorbar import Hypothesis, Problems
from errorbar.api import Browse
from errorbar.formats import read_corpus
from errorbar.reporting import page_html
from tests.browser.conftest import Opener
from tests.browser.pages import corpus_browse, report_of, write


@pytest.fixture(scope="module")
def browse(data: Path) -> Browse:
    references = [data / "bn2015_10gec" / f"A{number}.m2" for number in range(1, 11)]
    corpus = read_corpus(references, Problems(lenient=True))
    outputs = sorted(path for path in (data / "conll14_systems/official_submissions").iterdir() if path.name != "INPUT")
    systems = [Hypothesis(path.name, path.read_text(encoding="utf-8").split("\n")) for path in outputs]
    return corpus_browse(corpus.sentences, corpus.annotators, systems)


def test_small_and_quick(opened: Opener, browse: Browse, tmp_path: Path) -> None:
    url = write(report_of(browse), tmp_path)
    assert (len(browse.units), len(browse.systems), len(browse.annotators)) == (1312, 12, 10)
    size = Path(unquote(urlsplit(url).path)).stat().st_size
    # Five megabytes are promised; the sentences may take half of them.
    assert size < 1_100_000 + 2_500_000
    watched = opened(url)
    paint = "performance.getEntriesByName('first-contentful-paint')[0]?.startTime"
    first = watched.page.wait_for_function(paint).json_value()  # told some frames after it
    took = watched.page.evaluate(
        "() => { const box = document.querySelector('[data-part=search]'); box.value = 'the';"
        " const begin = performance.now(); box.dispatchEvent(new Event('input')); document.body.offsetHeight;"
        " return performance.now() - begin; }"
    )
    print(f"{size / 1e6:.2f} MB, first view after {first:.0f} ms, search in {took:.0f} ms")  # noqa: T201 - not judged
    assert watched.count() > 900
    assert watched.page.evaluate("document.documentElement.scrollWidth") == 1440


def test_a_report_of_twelve_systems_is_small_and_fits_on_sixteen_pages(opened: Opener, twelve_url: str) -> None:
    assert Path(unquote(urlsplit(twelve_url).path)).stat().st_size < 3_000_000
    page = opened(twelve_url, height=300).page
    page.wait_for_timeout(500)
    assert (
        len(re.findall(rb"/Type\s*/Page\b", page.pdf(format="A4", print_background=True))) <= 16
    )  # ISO 32000, 7.7.3.3


def test_the_same_bytes(browse: Browse) -> None:
    assert page_html(report_of(browse)) == page_html(report_of(browse))
