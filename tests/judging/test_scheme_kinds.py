"""A scheme of a new kind touches three files, a question of a new kind two: a copy of the package gets both."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import errorbar
from errorbar.judging.question_kinds import QUESTION_KINDS
from errorbar.judging.scheme_kinds import SCHEME_KINDS

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


SCHEME_KINDS = {
    kind.name: kind for kind in (BareKind(), """
CHANGES = {
    "scheme_kinds.py": ("SCHEME_KINDS = {\n    kind.name: kind for kind in (", KIND.lstrip()),
    "web/templates/item.html": (
        '{%- elif shows == "cloze" -%}',
        '{%- elif shows == "bare" -%}\n<p class="text" dir="auto"><mark class="target">{{ words }}</mark></p>\n'
        '{%- elif shows == "cloze" -%}',
    ),
    "analysis/kind_findings.py": (
        "KIND_FINDINGS = {",
        'KIND_FINDINGS = {"bare": lambda study, table, *_:'
        ' iter([Finding("bare", "all", "n", count_figure(len(table)))]),',
    ),
}
QUESTION_KIND = """
class PercentKind(QuestionKind):
    \"\"\"A number from 0 to 100.\"\"\"

    name = "percent"

    def read(self, question: Question, item: JudgedItem, value: object) -> object:
        \"\"\"The number.\"\"\"
        if not is_index(value, 101):
            raise UnfitError("a number from 0 to 100")
        return value


QUESTION_KINDS: dict[str, QuestionKind] = {"percent": PercentKind()} | {"""
PERCENT_FIELD = """
class PercentKind extends QuestionKind {
  build(panel, question, field) {
    const input = Object.assign(document.createElement('input'), { type: 'range' });
    input.addEventListener('change', () => panel.on.choose(question, Number(input.value)));
    field.append(input);
  }
}

const QUESTION_KINDS = { percent: new PercentKind(),"""
QUESTION_CHANGES = {
    "question_kinds.py": ("QUESTION_KINDS: dict[str, QuestionKind] = {", QUESTION_KIND.lstrip()),
    "web/static/question_kinds.js": ("const QUESTION_KINDS = {", PERCENT_FIELD.lstrip()),
}
PAGE = """
globalThis.document = { createElement: () => new EventTarget(), getElementById: () => null };
const { kindOf } = await import('./question_kinds.js');
const question = { id: 'sure', kind: 'percent' }, fields = [], chosen = [];
const panel = { on: { choose: (asked, value) => chosen.push([asked.id, value]) } };
kindOf(question).build(panel, question, { append: (input) => fields.push(input) }, {});
fields[0].value = '60';
fields[0].dispatchEvent(new Event('change'));
kindOf(question).show(panel, question, fields[0], {}, null);
console.log(JSON.stringify([chosen, kindOf(question).isAnswered(0), kindOf(question).namesTokens]));
"""
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
[[questions]]
id = "sure"
kind = "percent"
ask = "How sure are you?"
"""
PROGRAM = """
import csv, errorbar
from pathlib import Path
from errorbar.judging.scheme_kinds import shown_hash
from errorbar.judging.study.folder import Study
from errorbar.judging.study.rules import read_about, current_rules
from errorbar.judging.scheme import Submission
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
            answer = {"word": "yes", "sure": 60}
            sent = [Submission(f"{rater}-{n}", lease.token, shown_hash(scheme, lease.item, False), 0, answer)
                    for n, lease in enumerate(leases)]
            print([receipt.status for receipt in submit(tx, scheme, rules, rater, sent, 0.0)])
        store.write(judge)
errorbar.judge_export("study", "out.csv")
print(Path("out.csv").read_text())
print(errorbar.judge_analyze("study", ci=False).figure("bare", "all", "n").value)
"""


def test_a_scheme_of_a_new_kind_touches_three_files_and_a_question_two(tmp_path: Path) -> None:
    package = tmp_path / "src" / "errorbar"
    shutil.copytree(Path(errorbar.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    assert (len(CHANGES), len(QUESTION_CHANGES)) == (3, 2)
    for name, (old, new) in {**CHANGES, **QUESTION_CHANGES}.items():
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
    assert re.findall(r"^a,r\d,yes,.*,yes,60,", done.stdout, re.MULTILINE)
    assert done.stdout.count("a,r") == 2
    assert done.stdout.rstrip().endswith("2.0")
    if node := shutil.which("node"):  # the page's half, where something can run it
        static = package / "judging" / "web" / "static"
        (static / "package.json").write_text('{"type": "module"}')
        program = [node, "--input-type=module", "--eval", PAGE]
        shown = subprocess.run(program, check=False, cwd=static, capture_output=True, text=True, timeout=60)
        assert shown.stdout.strip() == '[[["sure",60]],true,false]', shown.stderr


def test_no_other_file_asks_for_a_kind_by_its_name() -> None:
    """Neither ``shows == "choice"`` nor ``question.kind === 'marks'``: the object of the kind knows."""
    names = "|".join([*SCHEME_KINDS, *QUESTION_KINDS])
    asks = re.compile(rf"""(shows|kind)\b *[!=]==? *['"]({names})['"]|\bshows (not )?in """)
    judging = Path(errorbar.__file__).parent / "judging"
    files = [*judging.rglob("*.py"), *judging.rglob("*.js")]
    assert [(path.name, match[0]) for path in files for match in asks.finditer(path.read_text(encoding="utf-8"))] == []
