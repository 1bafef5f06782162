"""A scheme of a new kind touches three files: it is added to a copy of the package, which then makes a study of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import errorbar

KIND = """
class BareKind(SchemeKind):
    \"\"\"The words at the span alone, without the text around them.\"\"\"

    name = "bare"

    def needs_span(self, scheme: Scheme) -> bool:
        \"\"\"There is nothing else to show.\"\"\"
        return True

    def shown(self, item: JudgedItem, reversed_: bool) -> tuple[object, ...]:
        \"\"\"The words.\"\"\"
        return (own_text(item),)

    def content(self, scheme: Scheme, item: JudgedItem, reversed_: bool) -> dict[str, Any]:
        \"\"\"The same.\"\"\"
        return {"words": own_text(item)}


SCHEME_KINDS = {kind.name: kind for kind in (BareKind(), """
CHANGES = {
    "scheme_kinds.py": ("SCHEME_KINDS = {kind.name: kind for kind in (", KIND.lstrip()),
    "web/templates/item.html": (
        '{%- elif shows == "cloze" -%}',
        '{%- elif shows == "bare" -%}\n<p class="text" dir="auto"><mark class="target">{{ words }}</mark></p>\n'
        '{%- elif shows == "cloze" -%}',
    ),
    "analysis/schemes.py": (
        'FINDINGS = {"choice"',
        'FINDINGS = {"bare": lambda study, table, *_: iter([Finding("bare", "all", "n", count(len(table)))]), "choice"',
    ),
}
SCHEME = """
name = "bare"
title = "Is this a word?"
shows = "bare"
main = "word"
[[questions]]
id = "word"
kind = "one"
ask = "Is this a word of English?"
options = ["yes", "no"]
"""
PROGRAM = """
import csv, errorbar
from pathlib import Path
from errorbar.judging.scheme_kinds import shown_hash
from errorbar.judging.study.folder import Study
from errorbar.judging.study.rules import read_about, current_rules
from errorbar.judging.items.item import Submission
from errorbar.judging.protocol.claims import claim
from errorbar.judging.protocol.submissions import submit
from errorbar.judging.web.pages import fragment
from tests.judging.empty_stores import join
errorbar.judge_init("study", "items.csv", scheme="scheme.toml", raters_per_item=2, policy="none")
with Study.open("study").store() as store:
    for number in (1, 2):
        rater = join(store, number)
        def judge(tx):
            scheme, rules = read_about(tx).scheme, current_rules(tx)
            leases = claim(tx, rules, rater, 10, 0.0).leases
            print(*(fragment(scheme, lease.item) for lease in leases))
            sent = [Submission(f"{rater}-{n}", lease.token, shown_hash(scheme, lease.item, False), 0, {"word": "yes"})
                    for n, lease in enumerate(leases)]
            print([receipt.status for receipt in submit(tx, scheme, rules, rater, sent, 0.0)])
        store.write(judge)
errorbar.judge_export("study", "out.csv")
print(Path("out.csv").read_text())
print(errorbar.judge_analyze("study", ci=False).figure("bare", "all", "n").value)
"""


def test_a_scheme_of_a_new_kind_touches_three_files(tmp_path: Path) -> None:
    package = tmp_path / "src" / "errorbar"
    shutil.copytree(Path(errorbar.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    assert len(CHANGES) <= 3
    for name, (old, new) in CHANGES.items():
        path = package / "judging" / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1
        path.write_text(text.replace(old, new), encoding="utf-8")
    (tmp_path / "scheme.toml").write_text(SCHEME)
    (tmp_path / "items.csv").write_text("item,text,word\na,He sat on it .,sat\n")
    paths = os.pathsep.join([str(package.parent), str(Path(__file__).parents[2])])
    program, place = [sys.executable, "-c", PROGRAM], {**os.environ, "PYTHONPATH": paths}
    done = subprocess.run(program, check=False, cwd=tmp_path, env=place, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count('<mark class="target">sat</mark>') == 2
    assert done.stdout.count("['saved']") == 2
    assert done.stdout.count("a,r") == 2
    assert done.stdout.rstrip().endswith("2.0")
