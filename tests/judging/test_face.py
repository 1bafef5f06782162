"""What a study says of itself before the first item and after the last one, and what its author may put there."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable
from html import escape, unescape
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

import errorbar
from errorbar.core import InputError, UsageError
from errorbar.judging import Study, StudyRules, set_value
from errorbar.judging.study.rules import get_value
from tests.helpers.cli import CommandLine
from tests.judging.served import Visitor, made_study, served

ITEMS = [{"item": f"i{n}", "text": f"Sentence {n} is [here] ."} for n in range(6)]
PROLIFIC = "https://app.prolific.com/submissions/complete?cc=C1A2B3C4"
HOSTILE = "<script>alert(1)</script>\"'&"
Make = Callable[..., Path]


@pytest.fixture
def make(tmp_path: Path) -> Make:
    """Makes a study by the public way in."""
    items = tmp_path / "items.jsonl"
    items.write_text("".join(f"{json.dumps(row)}\n" for row in ITEMS))

    def make_study(**rules: Any) -> Path:  # noqa: ANN401
        folder = tmp_path / "study"
        defaults = {"raters_per_item": 1, "gold_per_page": 0, "policy": "none"}
        errorbar.judge_init(folder, items, **{**defaults, **rules})
        return folder

    return make_study


def crowd(folder: Path) -> str:
    """The path of a link for many."""
    known = errorbar.judge_invite(folder).links or errorbar.judge_invite(folder, crowd="crowd").links
    return f"/j/{known[0].url.rpartition('/')[2]}"


def test_who_comes_reads_title_time_pay_and_contact_before_anything_is_taken(make: Make) -> None:
    about = {"title": "How good are corrections?", "minutes": 20, "pay": "$0.02", "pay_total": "$3.00"}
    folder = make(**about, contact="Jo Doe, jo@example.org, https://lab.example.org/study.")
    with served(Study.open(folder)) as url:
        page = Visitor(url).http.get(crowd(folder)).text
        assert "<title>How good are corrections?</title>" in page
        facts = re.findall(r"<dt>(.*?)</dt><dd[^>]*>(.*?)</dd>", page)
        assert facts[:3] == [("Time", "about 20 minutes"), ("Pay per item", "$0.02"), ("Pay in all", "$3.00")]
        mail = '<a href="mailto:jo@example.org">jo@example.org</a>'
        web = '<a href="https://lab.example.org/study">https://lab.example.org/study</a>'
        assert facts[3] == ("Questions to", f"Jo Doe, {mail}, {web}.")
        ann = Visitor(url)
        ann.enter(crowd(folder), participant="ann")
        for path in ("/work", "/guidelines"):
            assert "How good are corrections?" in ann.http.get(path).text
            assert mail in ann.http.get(path).text
        errorbar.judge_invite(folder, revoked="crowd")
        assert mail in Visitor(url).http.get(crowd(folder)).text  # whom to ask for another link


def test_a_study_that_says_nothing_has_its_scheme_as_title_and_no_facts(make: Make) -> None:
    folder = make()
    with served(Study.open(folder)) as url:
        page = Visitor(url).http.get(crowd(folder)).text
    assert "<title>Error or OK</title>" in page
    assert '<dl class="facts">' not in page
    assert "Questions to" not in page


def test_what_an_author_writes_is_text_and_never_markup(make: Make) -> None:
    consent = f"# Consent\n\n* you may stop {HOSTILE}"
    folder = make(title=HOSTILE, contact=HOSTILE, pay=HOSTILE, pay_total=HOSTILE, eligibility=HOSTILE, consent=consent)
    yes = {"consent": "yes", "eligible-0": "yes"}
    with served(Study.open(folder)) as url:
        ann = Visitor(url)
        welcome = ann.http.get(crowd(folder)).text
        assert "<h2>Consent</h2>" in welcome
        assert f"<li>you may stop {escape(HOSTILE)}</li>" in welcome
        ann.enter(crowd(folder), participant="ann", **yes)
        pages = [welcome, *(ann.http.get(path).text for path in ("/work", "/guidelines", "/done"))]
    for page in pages:
        assert "alert(1)" in page
        assert "<script>alert" not in page
        assert set(re.findall(r"<script[^>]*>", page)) <= {
            *re.findall(r'<script type="module" src="/static/judge\.js\?v=\w+&amp;kinds=[a-z.]*">', page),
            '<script type="application/json" id="study">',
        }


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        " javascript:alert(1)",
        "JAVASCRIPT://example.org/%0aalert(1)",
        "data:text/html,<script>alert(1)</script>",
        "http://example.org/done",
        "//example.org/done",
        "/done",
        "https://",
        "https://me:secret@example.org/",
        "https://{participant}.example.org/",
        "https://example.org/a b",
        'https://example.org/"onclick="alert(1)',
        "https://example.org:port/",
    ],
)
def test_an_address_to_which_no_rater_should_be_sent_is_refused(make: Make, url: str) -> None:
    with pytest.raises(UsageError, match="return_url must be an address that begins with https://") as refused:
        make(return_url=url)
    assert refused.value.problems[0].code == "judge-return-url"


def test_the_command_line_says_in_one_line_what_is_wrong_with_an_address(make: Make, errorbar: CommandLine) -> None:
    change = ["judge", "change", str(make()), "--rule"]
    refused = errorbar(*change, "return-url=javascript:alert(1)")
    assert refused.code == 2
    assert refused.err == (
        "error: --return-url must be an address that begins with https://, got 'javascript:alert(1)'"
        " [judge-return-url]\n"
    )
    refused = errorbar(*change, "return-url=https://example.org/?c={Code}")
    assert refused.code == 2
    assert refused.err == (
        "error: --return-url names {Code}, which no rater has; {code} stands for a rater's completion code, "
        "{participant} for their id [judge-return-url]\n"
    )
    refused = errorbar(*change, "title=one\ntwo")
    assert refused.code == 2
    assert "--title must be one line of at most 200 characters" in refused.err


ABOUT = """\
title = "How good are corrections?"
contact = "jo@example.org"
minutes = 20
pay_total = "$3.00"
return_url = "https://app.prolific.com/submissions/complete?cc=C1A2B3C4"
break_items = 50
eligibility = ["Is English your first language?", "Are you an adult?"]
consent = \"\"\"
# Taking part

You may stop at any time.
\"\"\"
"""


def test_a_file_holds_what_raters_read_for_a_new_study_and_for_one_that_runs(
    make: Make, tmp_path: Path, errorbar: CommandLine
) -> None:
    about = tmp_path / "about.toml"
    about.write_text(ABOUT)
    folder = make(about=about, pay="$0.02")
    shown = errorbar("judge", "change", folder, "--format", "json")
    rules = json.loads(shown.out)["rules"]
    assert {name: rules[name] for name in ("title", "contact", "minutes", "pay", "pay_total", "break_items")} == {
        "title": "How good are corrections?",
        "contact": "jo@example.org",
        "minutes": 20,
        "pay": "$0.02",
        "pay_total": "$3.00",
        "break_items": 50,
    }
    assert rules["eligibility"] == ["Is English your first language?", "Are you an adult?"]
    assert rules["consent"] == "# Taking part\n\nYou may stop at any time."
    about.write_text('title = "Corrections"\neligibility = "Is English your first language?"\n')
    changed = json.loads(errorbar("judge", "change", folder, "--about", about, "--format", "json").out)["rules"]
    assert changed == {**rules, "title": "Corrections", "eligibility": ["Is English your first language?"]}


def test_what_is_wrong_with_such_a_file_is_said_with_its_lines(
    make: Make, tmp_path: Path, errorbar: CommandLine
) -> None:
    about = tmp_path / "about.toml"
    about.write_text('titel = "Corrections"\nminutes = "20"\n')
    change = ("judge", "change", make(), "--about", about)
    refused = errorbar(*change)
    assert (refused.code, refused.err.splitlines()) == (
        2,
        [
            f"error: {about}:1: a study has no table or key 'titel'; did you mean 'title'? [study-key]",
            f"error: {about}:2: minutes must be a whole number from 0, got '20' [study-value]",
        ],
    )
    about.write_text('return_url = "javascript:alert(1)"\n')
    assert "[judge-return-url]" in errorbar(*change).err
    about.write_text('title = "One"\n')
    refused = errorbar(*change, "--rule", "title=Two")
    assert refused.code == 2
    assert refused.err == (
        f"error: {about}:1: --title and title in the file of --about; give one of them [two-choices]\n"
    )
    with pytest.raises(UsageError, match="give one of them"):
        make(about=about, title="Two")


def test_an_export_with_such_an_address_is_not_restored(make: Make, tmp_path: Path) -> None:
    folder = make(return_url=PROLIFIC)
    errorbar.judge_export(folder, tmp_path / "all.jsonl")
    text = (tmp_path / "all.jsonl").read_text().replace(PROLIFIC, "javascript:alert(1)")
    (tmp_path / "all.jsonl").write_text(text)
    with pytest.raises(InputError, match=r"all.jsonl:1: .* return_url must be an address that begins with https://"):
        errorbar.judge_init(tmp_path / "again", tmp_path / "all.jsonl")
    assert not (tmp_path / "again").exists()


def test_who_is_done_gets_a_code_and_the_way_back_and_nobody_before(make: Make) -> None:
    """Sona asks for the id that it gave (``survey_code``), others for the code."""
    folder = make(return_url="https://crowd.example.org/done?survey_code={participant}&code={code}", items_per_rater=2)
    with served(Study.open(folder)) as url:
        ann = Visitor(url)
        ann.enter(f"{crowd(folder)}?participant=ann%26x", participant="ann&x")
        work = ann.claim()
        pages = [ann.http.get(path).text for path in ("/work", "/done", "/guidelines")]
        assert not any("crowd.example.org" in page for page in (*pages, json.dumps(work)))
        work = ann.through()["work"]
        (address,) = re.findall(r'id="back" href="([^"]*)">Go back to crowd\.example\.org<', ann.http.get("/done").text)
    assert unescape(address) == work["back"]
    assert parse_qs(urlsplit(work["back"]).query) == {"survey_code": ["ann&x"], "code": [work["code"]]}


def test_consent_is_kept_with_who_when_and_to_which_text(make: Make, tmp_path: Path) -> None:
    """Also after the text was changed: those before keep what they agreed to, and both texts are in the export."""
    folder = make(consent="I agree to the first text.")
    with served(Study.open(folder)) as url:
        ann, ben = Visitor(url), Visitor(url)
        path = crowd(folder)
        ann.enter(path, participant="ann", consent="yes")
        errorbar.judge_change(folder, rules={"consent": "I agree to the second text."})
        ben.enter(path, participant="ben", consent="yes")
    raters = errorbar.judge_raters(folder)
    assert [rater.agreed for rater in raters.raters] == [rater.joined for rater in raters.raters]
    assert "agreed" in [column.title for column in raters.tables()[0].columns]
    errorbar.judge_export(folder, tmp_path / "all.jsonl")
    records = [json.loads(line) for line in (tmp_path / "all.jsonl").read_text().splitlines()]
    texts = [json.loads(record["data"])["consent"] for record in records if record.get("event") == "rules"]
    hashes = {hashlib.sha256(text.encode()).hexdigest(): text for text in texts}
    agreed = {record["rater"]: record["agreed"] for record in records if "agreed" in record}
    assert [hashes[each["consent"]] for each in agreed.values()] == [
        "I agree to the first text.",
        "I agree to the second text.",
    ]
    assert all(each["at"] > 0 for each in agreed.values())
    errorbar.judge_init(tmp_path / "again", tmp_path / "all.jsonl")
    assert [each.agreed for each in errorbar.judge_raters(tmp_path / "again").raters] == [
        each.agreed for each in raters.raters
    ]


def test_nobody_agrees_to_a_text_that_they_did_not_see(make: Make) -> None:
    folder = make(consent="The first text.")
    with served(Study.open(folder)) as url:
        ann = Visitor(url)
        page = ann.http.get(crowd(folder)).text
        (csrf,), (text,) = (re.findall(rf'name="{name}" value="([^"]+)"', page) for name in ("csrf", "text"))
        form = {"participant": "ann", "consent": "yes"}
        errorbar.judge_change(folder, rules={"consent": "The second text."})
        refused = ann.http.post(crowd(folder), data={**form, "csrf": csrf, "text": text})
        assert refused.status_code == 422
        assert "has changed meanwhile" in refused.text
        assert "The second text." in refused.text
        assert errorbar.judge_raters(folder).raters == []
        (csrf,), (text,) = (re.findall(rf'name="{name}" value="([^"]+)"', refused.text) for name in ("csrf", "text"))
        assert ann.http.post(crowd(folder), data={**form, "csrf": csrf, "text": text}).status_code == 303


def test_nobody_answers_a_question_that_they_did_not_see(make: Make) -> None:
    folder = make(eligibility=["Are you 18 or older?"])
    with served(Study.open(folder)) as url:
        ann = Visitor(url)
        page = ann.http.get(crowd(folder)).text
        form = dict(re.findall(r'name="(csrf|text)" value="([^"]+)"', page)) | {"eligible-0": "yes"}
        errorbar.judge_change(folder, rules={"eligibility": "Is English your first language?"})
        refused = ann.http.post(crowd(folder), data=form)
        assert (refused.status_code, "has changed meanwhile" in refused.text) == (422, True)
        assert errorbar.judge_raters(folder).raters == []
        form |= dict(re.findall(r'name="(csrf|text)" value="([^"]+)"', refused.text))
        assert ann.http.post(crowd(folder), data=form).status_code == 303


def test_without_a_consent_text_nobody_agreed_to_one(make: Make) -> None:
    folder = make()
    with served(Study.open(folder)) as url:
        Visitor(url).enter(crowd(folder), participant="ann")
    raters = errorbar.judge_raters(folder)
    assert [rater.agreed for rater in raters.raters] == [None]
    assert "agreed" not in [column.title for column in raters.tables()[0].columns]


def test_the_page_knows_about_how_many_items_are_the_raters(tmp_path: Path) -> None:
    """Of 6 items for one rater each: Ann holds 2, so that Ben can get 4; her own count does not change as she works."""
    study = made_study(tmp_path / "study", StudyRules(raters_per_item=1, gold_per_page=0, page=2), items=6)

    def total(visitor: Visitor) -> int:
        data = json.loads(unescape(re.findall(r'id="study">(.*?)</script>', visitor.http.get("/work").text)[0]))
        return int(data["total"])

    with served(study) as url:
        ann, ben = Visitor(url), Visitor(url)
        path = crowd(study.folder)
        ann.enter(path, participant="ann")
        ben.enter(path, participant="ben")
        assert (total(ann), total(ben)) == (6, 6)
        held = ann.claim(2)["items"]
        assert (total(ann), total(ben)) == (6, 4)
        ann.answer(held[:1])
        assert (total(ann), total(ben)) == (6, 3)  # a page is filled up at each answer
        errorbar.judge_change(study.folder, rules={"items_per_rater": 3})
        assert total(ann) == 0  # the study says it


def test_a_study_of_before_has_the_rules_of_today(make: Make) -> None:
    """Without a migration: rules that a store does not name are what they are by default."""
    folder = make(consent="Yes?")
    new = ("title", "contact", "minutes", "pay_total", "return_url", "break_minutes", "break_items")
    with Study.open(folder).store() as store, store.exclusive() as tx:
        kept = json.loads(get_value(tx, "rules") or "")
        set_value(tx, "rules", json.dumps({name: value for name, value in kept.items() if name not in new}))
    changed = errorbar.judge_change(folder, rules={"contact": "jo@example.org"}).rules
    assert (changed.consent, changed.contact, changed.title, changed.break_minutes) == (
        "Yes?",
        "jo@example.org",
        "",
        30,
    )
