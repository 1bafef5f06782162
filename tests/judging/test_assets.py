"""What pages load: one script of many parts, compressed, kept as long as it stays what it is."""

from __future__ import annotations

import gzip
import re
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import pytest

from errorbar.judging import Study, StudyRules
from errorbar.judging.web.pages import STATIC, bundle_script
from tests.judging.served import Visitor, made_study, served


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Study:
    return made_study(tmp_path_factory.mktemp("assets") / "study", StudyRules(raters_per_item=2), items=12)


@pytest.fixture(scope="module")
def url(study: Study) -> Iterator[str]:
    with served(study) as url:
        yield url


def link_of(study: Study) -> str:
    from errorbar import judge_invite

    known = judge_invite(study.folder).links
    return known[0].url if known else judge_invite(study.folder, crowd="crowd").links[0].url


def test_parts_of_a_script_keep_their_own_names_and_come_after_what_they_import(tmp_path: Path) -> None:
    (tmp_path / "low.js").write_text("// Says 1.\nconst own = 1;\nexport const low = () => own;\n")
    (tmp_path / "mid.js").write_text("import { low } from './low.js';\n\nconst own = 2;\nexport class Mid {}\n")
    (tmp_path / "top.js").write_text("import { low } from './low.js';\nimport { Mid } from './mid.js';\nlow(Mid);\n")
    script = bundle_script("top.js", tmp_path)
    assert re.findall(r"^const \$(\w+)", script, re.MULTILINE) == ["low", "mid"]
    assert "import" not in script
    assert "export" not in script
    assert "Says 1" not in script
    assert script.count("const own") == 2  # each in the braces of its part
    assert "return { Mid };\n})();\nconst { low } = $low;" in script


def test_a_part_that_takes_no_names_can_be_left_out_with_what_it_alone_imports(tmp_path: Path) -> None:
    (tmp_path / "low.js").write_text("export const low = 1;\n")
    (tmp_path / "own.js").write_text("export const own = 2;\n")
    (tmp_path / "kind.js").write_text("import { low } from './low.js';\nimport { own } from './own.js';\nlow(own);\n")
    (tmp_path / "top.js").write_text("import { low } from './low.js';\nimport './kind.js'; // or not\nlow;\n")
    whole, without = bundle_script("top.js", tmp_path), bundle_script("top.js", tmp_path, without=("kind.js",))
    assert re.findall(r"^const \$(\w+)", whole, re.MULTILINE) == ["low", "own", "kind"]
    assert re.findall(r"^const \$(\w+)", without, re.MULTILINE) == ["low"]
    assert without.endswith("const { low } = $low;\nlow;\n")


def test_the_script_of_a_study_has_the_kinds_of_its_questions(url: str) -> None:
    def script(kinds: str | None) -> str:
        address = "/static/judge.js" if kinds is None else f"/static/judge.js?kinds={kinds}"
        return str(Visitor(url).http.get(address).text)

    def kinds_in(text: str) -> list[str]:
        return re.findall(r"QUESTION_KINDS\.(\w+) = ", text)

    assert kinds_in(script(None)) == kinds_in(script("edits.ranks.rewrite")) == ["edits", "rewrite", "ranks"]
    assert kinds_in(script("")) == kinds_in(script("one.nothing")) == []
    assert kinds_in(script("ranks")) == ["ranks"]
    assert kinds_in(script("rewrite.edits")) == ["edits", "rewrite"]


def test_parts_that_import_each_other_are_refused(tmp_path: Path) -> None:
    (tmp_path / "one.js").write_text("import { two } from './two.js';\nexport const one = 1;\n")
    (tmp_path / "two.js").write_text("import { one } from './one.js';\nexport const two = 2;\n")
    with pytest.raises(ValueError, match=r"one\.js imports two\.js imports one\.js"):
        bundle_script("one.js", tmp_path)


def test_every_export_of_every_script_can_be_joined() -> None:
    """Forms of import and export that joining does not know would be left in the script."""
    for path in STATIC.glob("*.js"):
        script = bundle_script(path.name)
        assert re.findall(r"^(?:import|export)\b.*", script, re.MULTILINE) == [], path.name
        assert script.count("= (() => {\n") == len(re.findall(r"^const \$\w+ = \(\(\) => \{$", script, re.MULTILINE))


def test_a_page_names_versions_which_browsers_keep(study: Study, url: str) -> None:
    page = Visitor(url).http.get(f"/j/{link_of(study).rpartition('/')[2]}").text
    addresses = [unescape(address) for address in re.findall(r'(?:href|src)="(/static/[^"]+)"', page)]
    assert {address.partition("?")[0] for address in addresses} == {
        "/static/judge.css",
        "/static/judge.js",
        "/static/icon.svg",
    }
    for address in addresses:
        reply = Visitor(url).http.get(address)
        assert reply.headers["cache-control"] == "public, max-age=31536000, immutable"
        old = re.sub("v=[0-9a-f]+", "v=old", address)
        bare = Visitor(url).http.get(old)
        assert bare.headers["cache-control"] == "no-cache"
        assert bare.content == reply.content
        again = Visitor(url).http.get(old, headers={"If-None-Match": bare.headers["etag"]})
        assert (again.status_code, again.content) == (304, b"")


def test_what_raters_get_is_compressed_if_their_browser_can(study: Study, url: str) -> None:
    ann = Visitor(url)
    ann.enter(link_of(study), participant="ann")
    for path in ("/static/judge.js", "/work", "/guidelines"):
        plain = ann.http.get(path, headers={"Accept-Encoding": "identity"})
        assert "content-encoding" not in plain.headers
        with ann.http.stream("GET", path, headers={"Accept-Encoding": "gzip"}) as reply:
            sent = b"".join(reply.iter_raw())
        assert reply.headers["content-encoding"] == "gzip"
        assert "accept-encoding" in reply.headers["vary"].lower()
        assert gzip.decompress(sent) == plain.content
        assert len(sent) < 0.7 * len(plain.content)
    claimed = ann.post("/api/claim", {"want": 10})
    assert claimed.headers["content-encoding"] == "gzip"
    assert len(claimed.json()["work"]["items"]) == 10


def test_the_managers_pages_are_not_compressed(study: Study, url: str) -> None:
    """Raters' words stand there beside the word of the manager's posts: a length would tell of it (BREACH)."""
    manager = Visitor(url)
    manager.manage(study)
    reply = manager.http.get("/manage/raters")
    assert len(reply.content) > 1000
    assert 'name="csrf"' in reply.text
    assert "content-encoding" not in reply.headers


@pytest.mark.parametrize("name", ["nothing.js", "..%2fpages.py", "../pages.py", ""])
def test_nothing_else_is_a_file_of_the_pages(url: str, name: str) -> None:
    assert Visitor(url).http.get(f"/static/{name}").status_code == 404
