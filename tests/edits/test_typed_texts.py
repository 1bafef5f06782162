"""Texts on either side of a metric over edits: made anew by ERRANT, whose place a simpler maker takes here."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import pytest

import errorbar
from errorbar import M2, Corpus, Edit, Hypothesis, Sentence
from errorbar.core import CorrectedSentence, InputError, TextEdits, UsageError, system_record
from errorbar.edits import EditMaker, extract_edits
from errorbar.edits.errant import Edits, Pair
from errorbar.metrics import Errant
from tests.helpers.build import corpus, edit, sentence


@dataclass(frozen=True, slots=True)
class Whole(EditMaker):
    """One edit from the first to the last token that differs, as ``extract_edits`` would never merge them."""

    asked: ClassVar[list[Pair]] = []

    @property
    def signature(self) -> str:
        return f"{self.pipeline}:1"

    def edits(self, pairs: Iterable[Pair]) -> list[Edits]:
        found: list[Edits] = []
        for source, text in pairs:
            self.asked.append((source, text))
            parts = extract_edits(source.split(), text.split())
            tokens = text.split()
            if not parts:
                found.append(())
                continue
            start, rest = parts[0].start, len(source.split()) - parts[-1].end
            said = " ".join(tokens[start : len(tokens) - rest])
            found.append((Edit(start, parts[-1].end, (said,), "R:OTHER"),))
        return found


@pytest.fixture(autouse=True)
def _simple(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("ERRORBAR_DATA", str(tmp_path / "data"))
    monkeypatch.setattr("errorbar.edits.errant.EditMaker", Whole)
    Whole.asked.clear()


SOURCE = "he go to to school yesterday"
ANNA, BERT = "He go to school yesterday", "He went to school"


def of_texts() -> Corpus:
    said = {name: TextEdits(extract_edits(SOURCE.split(), text.split())) for name, text in (("a", ANNA), ("b", BERT))}
    return corpus(Sentence(SOURCE, dict(said)), Sentence("fine", {"a": TextEdits(), "b": TextEdits()}))


def test_edits_of_texts_are_made_anew_on_both_sides() -> None:
    found = Errant().measure(of_texts(), [ANNA, "fine"], by_type=True)
    # Of Anna's text there is one edit, 0-4, for the system and for her; Bert's is 0-6.
    assert found.counts[0].tolist() == [[1, 1, 1], [0, 1, 1]]
    assert found.counts[1].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert found.types == ("R:OTHER",)
    assert found.made_by == "reference-edits:errorbar_en:1"
    assert Errant().join([found, found]).made_by == found.take(slice(0, 1)).made_by == found.made_by


def test_edits_that_are_given_stay() -> None:
    given = corpus(sentence(SOURCE, {"a": [edit(0, 2, "He goes", kind="R:VERB")]}))
    own = CorrectedSentence("He goes to to school yesterday", [Edit(0, 2, ("He goes",), "R:VERB")], SOURCE)
    found = Errant(mode="cse").measure(given, [own])
    assert found.counts[0].tolist() == [[1, 1, 1]]
    assert not found.made_by
    assert not Whole.asked
    with pytest.raises(InputError, match="the system's edits are of another sentence: x"):
        Errant().measure(given, [CorrectedSentence("y", [Edit(0, 1, ("y",))], "x")])


def test_what_was_made_is_kept(tmp_path: Path) -> None:
    reference = of_texts()
    for _ in range(2):
        Errant().measure(reference, [BERT, "fine"])
    Errant().measure(of_texts(), [BERT, "fine"])
    assert sorted(Whole.asked) == sorted({(SOURCE, ANNA), (SOURCE, BERT), ("fine", "fine")})
    assert list((tmp_path / "data" / "edits").iterdir())


def test_m2_with_edits_of_errant() -> None:
    minimal, made = M2().measure(of_texts(), [ANNA, "fine"]), M2(edits="errant").measure(of_texts(), [ANNA, "fine"])
    assert minimal.counts[0, 0].tolist() == [2, 2, 2]
    assert made.counts[0, 0].tolist() == [1, 1, 1]
    assert (minimal.made_by, made.made_by) == ("", "reference-edits:errorbar_en:1")
    given = corpus(sentence("a b", {"a": [edit(0, 1, "x")]}))
    with pytest.raises(UsageError, match=r"the edits of this reference are given; leave edits=errant out"):
        M2(edits="errant").measure(given, ["a b"])
    with pytest.raises(UsageError, match="needs no pipeline"):
        M2(pipeline="en_core_web_sm")


def test_signatures_say_what_made_the_edits(tmp_path: Path) -> None:
    for name, lines in {"source": [SOURCE, "fine"], "a": [ANNA, "fine"], "b": [BERT, "fine"]}.items():
        (tmp_path / name).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    texts: Any = {"source": tmp_path / "source", "ci": False}
    gold, system = [tmp_path / "a", tmp_path / "b"], Hypothesis("it", [ANNA, "fine"])
    errant, m2 = errorbar.score(gold, system, ["errant(pipeline=mine)", "m2"], **texts)
    assert "|reference-edits:mine:1|" in str(errant.signature)
    assert "edits:" not in str(m2.signature)
    compared = errorbar.compare(gold, [system, Hypothesis("other", [SOURCE, "fine"])], "errant", swaps=10, **texts)
    assert "|reference-edits:errorbar_en:1|" in compared.signature
    reached = errorbar.ceiling(gold, metric="errant", **texts)
    assert "|reference-edits:errorbar_en:1|" in reached.signature
    (m2_file,) = errorbar.score(gold, system, "m2(edits=errant)", **texts)
    assert "m2(edits=errant)|" in str(m2_file.signature)


def test_signatures_tell_references_that_are_texts_from_their_smallest_edits() -> None:
    """Both references have the same record, and ERRANT makes other edits of the texts: so the digits differ."""
    texts = of_texts()
    given = corpus(*(Sentence(one.text, {k: tuple(v) for k, v in one.annotations.items()}) for one in texts.sentences))
    system = Hypothesis("it", [ANNA, "fine"])
    for metric in ("errant", "behavior(edits=errant)"):
        made, kept = (errorbar.score(each, system, metric, ci=False)[0] for each in (texts, given))
        assert made.signature.reference == kept.signature.reference
        assert made.counts != kept.counts or metric != "errant"
        assert made.signature != kept.signature
        assert "|edits:errorbar_en:1|" in str(kept.signature)


def test_a_part_without_annotators_hides_nothing() -> None:
    """Signatures must not depend on where a corpus is cut."""
    alone = corpus(Sentence("fine", {}))
    parts = [Errant().measure(alone, ["fine"]), Errant().measure(of_texts(), [ANNA, "fine"])]
    assert [part.made_by for part in parts] == ["edits:errorbar_en:1", "reference-edits:errorbar_en:1"]
    assert Errant().join(parts).made_by == parts[1].made_by


def test_the_edits_that_a_report_shows() -> None:
    given = corpus(sentence("a b c", {"a": [edit(0, 1, "x"), edit(2, 3, "z")]}), sentence("d", {}))
    own = CorrectedSentence("x b y", [Edit(0, 1, ("x",)), Edit(2, 3, ("y",))])
    (shown, nothing) = Errant().system_edits(given, [own, CorrectedSentence("e", [Edit(0, 1, ("e",))])], ["a", None])
    assert [(one.start, one.replacement, one.matched) for one in shown] == [(0, "x", True), (2, "y", False)]
    assert not nothing


def test_a_text_is_not_taken_for_edits_that_are_given() -> None:
    """Memories of what was measured go by the record: ERRANT makes other edits of the text."""
    edits = extract_edits(SOURCE.split(), ANNA.split())
    given, text = CorrectedSentence(ANNA, edits), CorrectedSentence(ANNA, TextEdits(edits))
    assert system_record(text) == system_record(ANNA) != system_record(given)


GERMAN = "wir sieht in der Garten , weil es schön ist ."
ENGLISH = "he go to the school and you are not there ."


@pytest.mark.parametrize(("line", "codes"), [(GERMAN, ["not-english"]), (ENGLISH, [])])
def test_texts_that_are_not_english_get_a_warning(
    line: str, codes: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errorbar.api.convert.EditMaker", Whole)
    (tmp_path / "source").write_text(f"{line}\n" * 10, encoding="utf-8")
    (tmp_path / "text").write_text(f"{line[1:]}\n" * 10, encoding="utf-8")
    source, text = tmp_path / "source", tmp_path / "text"
    scores = errorbar.score(gold=[text], systems=[text], source=source, metric="errant", ci=False)
    assert [note.code for note in scores.notes if note.code == "not-english"] == codes
    converted = errorbar.convert(text, source=source, edits="errant", to="jsonl")
    assert [note.code for note in converted.notes] == codes


def test_a_report_expects_no_types_of_attacks() -> None:
    of_system = Hypothesis("mine", [CorrectedSentence(ANNA, (edit(3, 4, kind="R:PREP"),))])
    gold = corpus(sentence(SOURCE, {"a": [edit(3, 4, kind="R:PREP")], "b": []}))
    report = errorbar.report(gold, [of_system], "errant")
    assert "types-differ" not in {note.code for note in report.notes}
