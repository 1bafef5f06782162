"""Pages in other languages: every phrase that is said anywhere has a translation, and no translation is left over."""

from __future__ import annotations

import json
import re
from html import unescape
from pathlib import Path

import pytest

import errorbar
from errorbar.core import UsageError
from errorbar.judging import StudyRules
from errorbar.judging.page_languages import page_language, read_language
from tests.helpers.phrases import JUDGING, phrases_of_pages
from tests.judging.served import Visitor, made_study, served

LANGUAGES = ("ar", "de", "es", "fr", "zh")
PLACE = re.compile(r"\{(\w+)((?:\|[^{}|]*)*)\}")


@pytest.mark.parametrize("name", LANGUAGES)
def test_every_phrase_is_translated_and_no_other(name: str) -> None:
    known, said = read_language(name).phrases, phrases_of_pages()
    missing = "".join(f'\n  {json.dumps(phrase)}: "",  from {said[phrase]}' for phrase in said.keys() - known.keys())
    assert not missing, f"add these to src/errorbar/judging/languages/{name}.json:{missing}"
    assert not known.keys() - said.keys(), f"nobody says these of {name}.json any more"
    assert all(known.values())


@pytest.mark.parametrize("name", LANGUAGES)
def test_translations_name_the_same_values_and_have_all_forms_of_a_plural(name: str) -> None:
    language = read_language(name)
    for english, translated in language.phrases.items():
        wanted = {place for place, forms in PLACE.findall(english) if not forms}
        places = PLACE.findall(translated)
        assert wanted <= {place for place, forms in places if not forms}, translated
        assert {place for place, _ in places} <= {place for place, _ in PLACE.findall(english)}, translated
        assert {forms.count("|") for _, forms in places} <= {0, len(language.plurals)}, translated
        assert not re.search(r"[{}|]", PLACE.sub("", translated)), translated
        assert translated == translated.strip()


SCRIPTS = {*(JUDGING / "web" / "static").glob("*.js")}
SCRIPTS -= {path for path in SCRIPTS if path.name in ("manage.js", "service-worker.js")}
"""Those of raters' pages: the manager's are in English."""


@pytest.mark.parametrize("path", sorted(SCRIPTS), ids=lambda path: path.name)
def test_scripts_say_nothing_past_the_catalogues(path: Path) -> None:
    """A sentence, or a word with a capital on a button or in a label, that no ``say`` has around it."""
    source = re.sub(r"//[^\n]*|/\*.*?\*/", "", path.read_text(encoding="utf-8"), flags=re.DOTALL)
    source = re.sub(r"throw new Error\([^\n]*", "", source)  # for developers
    source = re.sub(r"(?:say|phrase)\(\s*'(?:[^'\\]|\\.)*'", "", source)
    assert (
        re.findall(r"'[A-Z][a-z]+ [a-z][^'\n]*'|`[A-Z][a-z]+ [a-z$][^`\n]*`|(?:button|form|open)\('[A-Z]\w+'", source)
        == []
    )


def test_templates_say_nothing_past_the_catalogues() -> None:
    names = "welcome work done notice guidelines check withdraw frame item script"
    for name in names.split():
        source = (JUDGING / "web" / "templates" / f"{name}.html").read_text(encoding="utf-8")
        source = re.sub(r"\{% block body_attributes %\}.*?\n", "", source)
        bare = re.sub(r"\{#.*?#\}|\{%.*?%\}|\{\{.*?\}\}", "", source, flags=re.DOTALL)
        labels = re.findall(r'aria-label="([^"]+)"', bare)
        assert re.findall(r"[A-Za-z]{2,}", " ".join([*labels, re.sub(r"<[^>]*>", " ", bare)])) == [], name


# Numbers of CLDR's examples for each category (Unicode, "Language Plural Rules", release 44).
PLURALS = {
    "ar": {0: "zero", 1: "one", 2: "two", 3: "few", 110: "few", 11: "many", 199: "many", 100: "other", 302: "other"},
    "de": {0: "other", 1: "one", 2: "other"},
    "es": {0: "other", 1: "one", 2: "other"},
    "fr": {0: "one", 1: "one", 2: "other"},
    "zh": {0: "other", 1: "other", 2: "other"},
}


@pytest.mark.parametrize("name", LANGUAGES)
def test_plurals_are_those_of_the_language(name: str) -> None:
    language = read_language(name)
    assert {n: language.category(n) for n in PLURALS[name]} == PLURALS[name]
    assert {*PLURALS[name].values()} == {*language.plurals}


def test_numbers_and_values_are_written_as_the_language_writes_them() -> None:
    counts = [read_language(name).say("{n} at most", n=12345) for name in LANGUAGES]
    assert counts == [
        "12,345 على الأكثر",
        "höchstens 12.345",
        "12.345 como máximo",
        "12\u202f345 au plus",
        "最多 12,345 题",
    ]
    assert read_language("es").say("{n} at most", n=1234) == "1234 como máximo"
    minutes = [read_language("ar").say("about {n} {n|minute|minutes}", n=n) for n in (2, 20, 5)]
    assert minutes == ["نحو 2 دقيقتين", "نحو 20 دقيقة", "نحو 5 دقائق"]
    assert read_language("ar").say("Go back to {host}", host="a.org") == "العودة إلى \u2068a.org\u2069"
    assert read_language("de").say("Remove {word}", word="{n}") == "{n} entfernen"


def test_pages_follow_the_language_of_the_texts_unless_the_study_says_otherwise() -> None:
    tag = {"de-AT": "de", "zh-Hant": "zh-Hans", "AR": "ar", "pt-BR": "en", "ger": "en"}
    assert {language: page_language(StudyRules(language=language)).tag for language in tag} == tag
    assert page_language(StudyRules(language="de", page_language="fr")).tag == "fr"
    assert page_language(StudyRules.from_json(StudyRules(language="de").to_json())).tag == "de"


def test_all_pages_of_the_server_are_in_the_language_of_the_study(tmp_path: Path) -> None:
    rules = StudyRules(raters_per_item=1, policy="none", gold_per_page=0, language="de", contact="Jo, jo@example.org")
    study = made_study(tmp_path / "study", rules, items=2)
    link = errorbar.judge_invite(study.folder, names=["ann"]).links[0].url
    with served(study) as url:
        ann = Visitor(url)
        path = f"/j/{link.rpartition('/')[2]}"
        pages = {"welcome": ann.http.get(path), "home": ann.http.get("/"), "none": ann.http.get("/j/none")}
        ann.enter(path)
        pages |= {name: ann.http.get(f"/{name}") for name in ("work", "guidelines", "done", "withdraw", "nowhere")}
        items = ann.claim()["items"]
        stale = {"submission": "s", "assignment": items[0]["assignment"], "text_hash": "other", "base_version": 0}
        receipts = ann.post("/api/answer", {"answers": [stale], "want": 0}).json()["receipts"]
        ann.answer(items)
        pages["code"] = ann.http.get("/done")
        errorbar.judge_change(study.folder, rules={"page-language": "en"})
        english = ann.http.get("/done").text
        manager = ann.http.get("/manage/login").text
    for name, page in pages.items():
        assert '<html lang="de">' in page.text, name
        assert not re.search(
            r"\b(the|you|your|is)\b", re.sub(r"(?s)<script.*?</script>|<[^>]+>", " ", in_own_words(page.text))
        ), name
    assert "Um zu urteilen" in pages["home"].text
    assert "Fragen an Jo, <a" in pages["work"].text
    assert "Diesen Link gibt es nicht." in pages["none"].text
    assert "die Seite zeigte einen anderen Text" in receipts[0]["why"]
    assert "Your completion code" in english
    assert '<html lang="en">' in english
    assert 'id="phrases"' not in english
    assert '<html lang="en">' in manager


def in_own_words(page: str) -> str:
    """A page without the texts of the scheme, which are the study's own."""
    page = re.sub(r'(?s)<div class="prose" dir="auto">.*?</div>', "", unescape(page))
    return page.replace("is the marked place an error?", "").replace("Is the marked place an error?", "")


def test_only_languages_that_there_are_can_be_chosen(tmp_path: Path) -> None:
    study = made_study(tmp_path / "study", StudyRules())
    with pytest.raises(UsageError, match="page_language must be one of auto, ar, de, en, es, fr, zh, got 'it'"):
        errorbar.judge_change(study.folder, rules={"page_language": "it"})
