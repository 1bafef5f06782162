from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from errorbar.cli.data import command
from errorbar.datasets import catalog
from tests.cli.schema import validated
from tests.datasets.conftest import FILES, corpus, folder, tar
from tests.datasets.server import Page, Site
from tests.helpers.cli import CommandLine


@pytest.fixture
def tiny(site: Site, root: Path, monkeypatch: pytest.MonkeyPatch) -> Page:
    """A catalog of the small corpus alone."""
    page = Page(tar(FILES))
    only = corpus(site.put("/tiny.tar.gz", page))
    monkeypatch.setattr("errorbar.datasets.cards.catalog", lambda: {"tiny": only})
    return page


def test_list_is_the_default(errorbar: CommandLine, root: Path) -> None:
    (root / "jfleg").mkdir(parents=True)
    (root / "jfleg" / "dev.src").write_text("a\n")
    plain, named = errorbar("data"), errorbar("data", "list")
    assert plain.code == 0
    assert plain.out == named.out
    lines = {line.split()[0]: line for line in plain.out.splitlines() if line.split()}
    assert set(catalog()) < set(lines)
    assert lines["jfleg"].split()[-3:] == ["yes", "0.7", "MB"]
    assert lines["conll2013"].split()[-3:] == ["no", "1.9", "MB"]
    assert lines["cache"] == f"cache {root}"


def test_a_size_that_is_not_known(errorbar: CommandLine, root: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorbar.datasets.catalog", lambda: {"tiny": corpus(pinned=False)})
    (line,) = (row for row in errorbar("data").out.splitlines() if row.split()[:1] == ["tiny"])
    assert line.split()[-2:] == ["no", "–"]


def test_list_formats(root: Path) -> None:
    runner = CliRunner()
    rows = list(csv.DictReader(runner.invoke(command, ["--format", "csv", "list"]).stdout.splitlines()))
    assert [row["name"] for row in rows] == list(catalog())
    assert rows[2]["bytes"] == "3644221"
    document = json.loads(runner.invoke(command, ["--format", "json"]).stdout)
    assert document["schema"] == "errorbar.data.list/1"
    assert document["rows"][1] == {
        "name": "conll2013",
        "what": catalog()["conll2013"].title,
        "license": catalog()["conll2013"].license,
        "bytes": 1_875_325,
        "path": None,
    }
    assert runner.invoke(command, ["list", "--format", "markdown"]).stdout.startswith("| name | what |")


def test_show(errorbar: CommandLine, root: Path) -> None:
    shown = errorbar("data", "show", "hoo2011").out
    found = catalog()["hoo2011"]
    for text in (found.license, found.citation, found.page, *found.traps, "none known: fetch with --from-file"):
        assert text in shown
    assert "test/Gold/1062GE.xml (optional)" in shown
    assert all(file.sha256 in shown for file in found.files if file.sha256)
    head = dict(line.split(maxsplit=1) for line in shown.splitlines()[:4])
    assert head == {"name": "hoo2011", "what": found.title, "release": found.release or "–", "license": found.license}
    document = json.loads(errorbar("data", "show", "hoo2011", "--format", "json").out)
    assert len(document["files"]) == 76
    assert document["traps"] == list(found.traps)
    assert f"% trap      {found.traps[0]}" in errorbar("data", "show", "hoo2011", "--format", "latex").out


def test_fetch_prints_the_folder_and_talks_on_stderr(errorbar: CommandLine, tiny: Page, root: Path) -> None:
    done = errorbar("data", "fetch", "tiny")
    assert (done.code, done.out) == (0, f"{root / 'tiny'}\n")
    assert "tiny: 2 files, 0.0 MB, verified, from http://127.0.0.1" in done.err
    assert errorbar("data", "path", "tiny").out == f"{root / 'tiny'}\n"
    assert "already in the cache" in errorbar("data", "fetch", "tiny").err
    document = validated("data-fetch", errorbar("data", "fetch", "tiny", "--format", "json").out)
    assert document["rows"][0]["path"] == str(root / "tiny")
    assert document["rows"][0]["n_verified"] == 2
    assert errorbar("data", "fetch", "tiny", "--format", "csv").out.startswith("name,folder,source,files,bytes\ntiny,")


def test_failure_is_one_line_and_exit_2(errorbar: CommandLine, tiny: Page, root: Path) -> None:
    tiny.failures = [404]
    failed = errorbar("data", "fetch", "tiny")
    assert (failed.code, failed.out) == (2, "")
    assert failed.err.splitlines()[-1].startswith("error: http://127.0.0.1")
    assert failed.err.count("error:") == 1
    missing = errorbar("data", "path", "tiny")
    assert (missing.code, missing.out) == (2, "")
    assert missing.err.endswith("not in the cache; errorbar data fetch tiny [data-missing]\n")


def test_unverified_hash_is_shown(
    errorbar: CommandLine, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errorbar.datasets.cards.catalog", lambda: {"tiny": corpus(pinned=False)})
    done = errorbar("data", "fetch", "tiny", "--from-file", folder(tmp_path / "copy", FILES))
    assert "warning: tiny/a.txt: sha256" in done.err
    assert "could not be verified" in done.err
    assert "0 verified, 2 trusted on first use" in done.err


def test_again_and_trust_are_passed_on(
    errorbar: CommandLine, root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errorbar.datasets.cards.catalog", lambda: {"tiny": corpus(pinned=False)})
    assert errorbar("data", "fetch", "tiny", "--from-file", folder(tmp_path / "one", FILES)).code == 0
    other = ("data", "fetch", "tiny", "--from-file", folder(tmp_path / "two", {**FILES, "a.txt": b"second\n"}))
    kept = errorbar(*other)
    assert (kept.code, "already in the cache" in kept.err) == (0, True)
    refused = errorbar(*other, "--again")
    assert (refused.code, refused.out, "--trust" in refused.err) == (2, "", True)
    assert (root / "tiny/a.txt").read_bytes() == FILES["a.txt"]
    done = errorbar(*other, "--again", "--trust")
    assert (done.code, "[data-changed]" in done.err) == (0, True)
    assert (root / "tiny/a.txt").read_bytes() == b"second\n"


def test_bad_use(errorbar: CommandLine, root: Path, tmp_path: Path) -> None:
    two = errorbar("data", "fetch", "jfleg", "hoo2011", "--from-file", tmp_path)
    assert two.code == 2
    assert "--from-file fits one corpus, not 2" in two.err
    unknown = errorbar("data", "fetch", "jfleg", "bryant2015")
    assert unknown.code == 2
    assert "no corpus 'bryant2015'; did you mean 'bryant-ng2015'?" in unknown.err
    assert not root.exists()


def test_names_are_completed() -> None:
    from click.shell_completion import ShellComplete

    complete = ShellComplete(command, {}, "errorbar", "_ERRORBAR_COMPLETE")
    assert [item.value for item in complete.get_completions(["fetch"], "conll2014")] == [
        "conll2014",
        "conll2014-systems",
    ]
