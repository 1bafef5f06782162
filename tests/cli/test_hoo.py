"""What the commands do with HOO data, called as the commands call it."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from errorbar import Corpus, Edit, Problems, Resampling, Sentence, check, convert, score
from errorbar.api import HooRuns, hoo_score
from errorbar.cli.output import OutputOptions
from errorbar.core import InputError, UsageError
from errorbar.core.estimate import BootstrapMethod
from errorbar.edits import apply_standoff, corrected_text
from errorbar.formats import read_corpus, wants_hoo
from errorbar.reproduce.hoo2011 import recompute
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine
from tests.helpers.standoff import edit_xml, edits_xml, read_real

TEXTS = {"1": "She go home.\nIt rain much here.\n", "2": "A dog ran.\n"}
GOLD = {
    "1": [
        edit_xml('type="FV" index="1-0001" start="4" end="6" cset="1"', "go", ("goes", "went")),
        edit_xml('type="FV" index="1-0002" start="16" end="20" cset="1"', "rain", ("rains", "rained")),
        edit_xml('type="RQ" index="1-0003" start="21" end="25"', "much", ("", "a lot")),
    ],
    "2": [edit_xml('type="MP" index="2-0001" start="0" end="0"', corrections=("&quot;",))],
}


def score_hoo(
    runs: Sequence[str],
    gold: list[str],
    specs: list[str],
    *,
    style: str,
    by_type: bool = False,
    by_fragment: bool = False,
    best: bool = False,
    resampling: Resampling | None = None,
    lenient: bool = False,
    source: str | None = None,
) -> None:
    """Score and print, without the intervals that the command makes unasked."""
    given = HooRuns(gold, list(runs), source, lenient)
    found = hoo_score.score_hoo(given, specs or None, resampling=resampling)
    found = replace(found, by_type=by_type, by_sentence=by_fragment, best=best)
    OutputOptions(style).show(found, "errorbar.hoo-score/1")


def reproduce_hoo2011(data: str, *, style: str) -> None:
    found = recompute(data, Problems(lenient=True))
    OutputOptions(style).show(found, "errorbar.reproduce-hoo2011/1")


@pytest.fixture
def gold(tmp_path: Path) -> str:
    for folder in ("set/Gold", "set/Raw"):
        (tmp_path / folder).mkdir(parents=True)
    for name, text in TEXTS.items():
        (tmp_path / f"set/Raw/{name}.txt").write_text(text, encoding="utf-8")
        (tmp_path / f"set/Gold/{name}GE.xml").write_text(edits_xml(*GOLD[name]), encoding="utf-8")
    return str(tmp_path / "set")


@pytest.fixture
def team(tmp_path: Path, gold: str) -> str:
    """UI-0: corrected texts that change the first fragment; UI-1: edit files."""
    for run in ("0", "1"):
        (tmp_path / "UI" / run).mkdir(parents=True)
    (tmp_path / "UI/0/1.txt").write_text(TEXTS["1"].replace("go", "goes"))
    (tmp_path / "UI/0/2.txt").write_text(TEXTS["2"])
    (tmp_path / "UI/1/1UI1.xml").write_text(edits_xml(*GOLD["1"][:2]))
    (tmp_path / "UI/1/2UI1.xml").write_text(edits_xml())
    return str(tmp_path / "UI")


def records(
    capsys: pytest.CaptureFixture[str],
    *runs: str,
    gold: str,
    specs: Sequence[str] = (),
    resampling: Resampling | None = None,
) -> dict[str, list[dict[str, Any]]]:
    score_hoo(runs, [gold], list(specs), style="json", resampling=resampling)
    document: dict[str, list[dict[str, Any]]] = json.loads(capsys.readouterr().out)
    return document


class TestScore:
    def test_texts_and_edit_files(self, gold: str, team: str, capsys: pytest.CaptureFixture[str]) -> None:
        """UI-0 corrects 1 of 4 gold edits, UI-1 2 of 4; one optional edit is missing in both: R+ = (H + 1) / 4."""
        document = records(capsys, team, gold=gold)
        assert [(row["run"], row["team"]) for row in document["rows"]] == [("UI-0", "UI"), ("UI-1", "UI")]
        for row, found in zip(document["rows"], (1, 2), strict=True):
            figures = {(each["measure"], each["bonus"]): each for each in row["scores"]}
            assert figures["correction", False]["precision"] == 1.0
            assert figures["correction", False]["recall"] == found / 4
            assert figures["correction", True]["recall"] == (found + 1) / 4
            assert figures["correction", True]["precision"] == 1.0
        assert {(each["measure"], each["run"]) for each in document["best"]} == {
            (measure, "UI-1") for measure in ("detection", "recognition", "correction")
        }
        by_row = {each["type"]: each for each in document["rows"][1]["by_row"]}
        assert by_row["Verb"] == {"type": "Verb", "gold": 2, "detected": 2, "recognized": 2, "corrected": 2}

    @pytest.mark.parametrize("style", ["table", "csv", "markdown", "latex"])
    @pytest.mark.parametrize("view", ["", "by_type", "by_fragment", "best"])
    def test_every_view_in_every_style(
        self, gold: str, team: str, style: str, view: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        score_hoo(
            [team],
            [gold],
            ["hoo", "hoo(csets=together)"],
            style=style,
            by_type=view == "by_type",
            by_fragment=view == "by_fragment",
            best=view == "best",
        )
        out = capsys.readouterr().out
        assert "UI-1" in out.replace("\\", "")
        assert "correction" in out

    def test_intervals(self, gold: str, team: str, capsys: pytest.CaptureFixture[str]) -> None:
        document = records(capsys, team, gold=gold, resampling=Resampling(method="percentile", replicates=200))
        recall = document["rows"][1]["scores"][0]["intervals"]["recall"]
        assert 0 <= recall["low"] < recall["high"] <= 1
        score_hoo([team], [gold], [], style="table", resampling=Resampling(method="percentile", replicates=200))
        out = capsys.readouterr().out
        assert out.count("95% CI") == 3
        assert " UI-0  detection    bonus " in out

    def test_intervals_by_type_and_why_fragments_have_none(
        self, gold: str, team: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        resampling = Resampling(method="percentile", replicates=200)
        document = records(capsys, team, gold=gold, resampling=resampling)
        by_row = {each["type"]: each for each in document["rows"][1]["by_row"]}
        reason = "a single unit does not show how units vary"  # all verbs are in the first of the two fragments
        assert by_row["Verb"]["intervals"]["correction"] == {"low": None, "high": None, "reason": reason}
        assert {each["no_interval"] for each in document["rows"][1]["by_fragment"]} == {reason}
        score_hoo([team], [gold], [], style="table", by_type=True, resampling=resampling)
        (said,) = (line for line in capsys.readouterr().out.splitlines() if line.startswith("– no interval: "))
        assert reason in said
        score_hoo([team], [gold], [], style="table", by_fragment=True, resampling=resampling)
        assert f"no interval of a fragment: {reason}" in capsys.readouterr().out
        score_hoo([team], [gold], [], style="csv", by_type=True, resampling=resampling)
        assert capsys.readouterr().out.startswith("run,metric,type,gold,detection,detection_low,detection_high,")
        score_hoo([team], [gold], [], style="csv", resampling=resampling)
        assert ",precision,precision_low,precision_high," in capsys.readouterr().out.splitlines()[0]

    def test_json_follows_the_schema(self, gold: str, team: str, capsys: pytest.CaptureFixture[str]) -> None:
        for resampling in (None, Resampling(method="percentile", replicates=200)):
            score_hoo([team], [gold], ["hoo", "hoo(beta=0.5)"], style="json", resampling=resampling)
            assert len(validated("hoo-score", capsys.readouterr().out)["rows"]) == 4

    def test_the_signature_holds_the_types(self, gold: str, team: str, capsys: pytest.CaptureFixture[str]) -> None:
        def signature() -> tuple[list[str], list[str]]:
            parts = records(capsys, team, gold=gold)["rows"][0]["signature"].split("|")
            types = [part for part in parts if part.startswith("types:")]
            return [part for part in parts if part not in types], types

        rest, types = signature()
        for path in Path(gold).rglob("*.xml"):
            path.write_text(re.sub(' type="[^"]*"', ' type="MP"', path.read_text()))
        assert signature()[0] == rest
        assert len(types) == len(signature()[1]) == 1
        assert signature()[1] != types

    def test_a_missing_fragment(self, gold: str, team: str, capsys: pytest.CaptureFixture[str]) -> None:
        (Path(team) / "0/2.txt").unlink()
        with pytest.raises(InputError, match="UI-0: no file for fragment 2"):
            records(capsys, team, gold=gold)
        document = records(capsys, team, gold=gold, specs=["hoo(missing=empty)"])
        # It is said of the run that it is about.
        assert ["|missing:empty|" in row["signature"] for row in document["rows"]] == [True, False]
        assert [note["code"] for note in document["warnings"]].count("hoo-missing") == 1

    def test_a_text_that_is_no_correction(self, gold: str, team: str, capsys: pytest.CaptureFixture[str]) -> None:
        (Path(team) / "0/1.txt").write_text("Nothing of this has anything to do with the source at all.\n")
        with pytest.raises(InputError) as error:
            records(capsys, team, gold=gold)
        assert error.value.code == "hoo-not-a-correction"

    def test_every_bad_file_is_named_at_once(self, gold: str, team: str, capsys: pytest.CaptureFixture[str]) -> None:
        (Path(team) / "1/1UI1.xml").write_text(edits_xml(edit_xml('index="1" start="90" end="99"', "x")))
        (Path(team) / "0/2.txt").unlink()
        with pytest.raises(InputError) as error:
            records(capsys, team, gold=gold)
        # What is in no file comes last.
        assert [problem.code for problem in error.value.problems] == ["hoo-outside", "hoo-missing"]

    @pytest.mark.parametrize("option", ["gold", "source", "run"])
    def test_a_path_that_is_not_there(self, gold: str, team: str, errorbar: CommandLine, option: str) -> None:
        """Also a run: without any file it must not pass for one that proposes nothing."""
        paths = {"gold": f"{gold}/Gold", "source": f"{gold}/Raw", "run": f"{team}/0"}
        paths[option] += "x"
        done = errorbar(
            "score", "--metric", "hoo(missing=empty)", "--gold", paths["gold"], paths["run"],
            "--documents", paths["source"],
        )  # fmt: skip
        assert (done.code, done.out) == (2, "")
        assert (
            done.err == f"error: {paths[option]}: no such file; did you mean '{paths[option][:-1]}'? [no-such-file]\n"
        )

    def test_one_gold_file_needs_no_text_of_others(self, gold: str, team: str, errorbar: CommandLine) -> None:
        Path(gold, "Raw/1.txt").unlink()
        done = errorbar("score", "--metric", "hoo", "--gold", f"{gold}/Gold/1GE.xml", f"{team}/1/1UI1.xml")
        assert done.code == 0
        assert "hoo-no-text" not in done.err
        assert errorbar("check", f"{gold}/Gold/1GE.xml").code == 0
        whole = errorbar("check", gold)
        assert whole.code == 1
        assert "no source text for fragment 1" in whole.out

    def test_texts_of_another_set(self, gold: str, tmp_path: Path, errorbar: CommandLine) -> None:
        """Not a run that proposes nothing, whatever is asked for."""
        (tmp_path / "other").mkdir()
        (tmp_path / "other/7.txt").write_text("Something else.")
        done = errorbar("score", "--metric", "hoo(missing=empty)", "--gold", gold, str(tmp_path / "other"))
        assert (done.code, done.out) == (2, "")
        assert "no file of run other is about a fragment of the gold set (expected e.g. 1.txt)" in done.err

    def test_a_folder_called_by_a_number_is_a_run_of_its_team(
        self, gold: str, team: str, errorbar: CommandLine
    ) -> None:
        done = errorbar(
            "score", "--metric", "hoo", "--gold", gold, f"{team}/0", f"{team}/1", "--by", "team", "--format", "csv"
        )
        rows = [line.split(",") for line in done.out.splitlines()[1:]]
        assert {row[done.out.split("\n")[0].split(",").index("team")] for row in rows} == {"UI"}

    @pytest.mark.parametrize("command", ["compare", "ceiling"])
    def test_commands_that_do_not_know_hoo_say_so(
        self, gold: str, team: str, errorbar: CommandLine, command: str
    ) -> None:
        done = errorbar(command, "--gold", gold, f"{team}/0", f"{team}/1")
        assert (done.code, done.out) == (2, "")
        assert "is HOO data, which score, report, task, check and convert read" in done.err
        assert "is HOO data, which score, report, task, check and convert read" in errorbar("agree", gold).err

    def test_single_files_may_be_called_anything(
        self, gold: str, team: str, tmp_path: Path, errorbar: CommandLine
    ) -> None:
        """With one fragment there is no doubt what its text and its run are."""
        text, run = tmp_path / "before.txt", tmp_path / "after.txt"
        Path(gold, "Raw/1.txt").rename(text)
        Path(team, "0/1.txt").rename(run)
        done = errorbar(
            "score", "--metric", "hoo", "--gold", f"{gold}/Gold/1GE.xml", "--documents", str(text), str(run), "--no-ci"
        )
        assert (done.code, done.notes) == (0, "")
        assert "after  correction   no bonus   100.00" in done.out

    @pytest.mark.parametrize("source", [TEXTS["1"], TEXTS["1"].strip(), TEXTS["1"].replace("\n", "\r\n")])
    @pytest.mark.parametrize("end", ["\n", "\r\n"])
    def test_line_ends_of_a_corrected_text_are_no_edits(self, gold: str, tmp_path: Path, source: str, end: str) -> None:
        """An editor writes its own line ends, and one at the end of a file."""
        Path(gold, "Raw/1.txt").write_bytes(source.encode())
        (tmp_path / "1.txt").write_bytes(TEXTS["1"].replace("go", "goes").replace("\n", end).encode())
        (done,) = score(f"{gold}/Gold/1GE.xml", tmp_path / "1.txt", ci=False, lenient=True)
        assert (done.counts["system"], done.counts["detected"], done.counts["spurious"]) == (1, 1, 0)

    def test_edits_that_come_through_a_pipe(self, gold: str, team: str, errorbar: CommandLine) -> None:
        edits, text = Path(gold, "Gold/1GE.xml").read_bytes(), f"{gold}/Raw/1.txt"
        done = errorbar("score", "--gold", "-", "--source", text, f"{team}/0/1.txt", "--no-ci", stdin=edits)
        assert " 1    correction   no bonus   100.00  33.33  50.00" in done.out
        assert (
            "1 fragment, 1 fragment with a text, 3 edits" in errorbar("check", "-", "--source", text, stdin=edits).out
        )
        run = errorbar("score", "--gold", f"{gold}/Gold/1GE.xml", "me=-", "--no-ci", stdin=edits)
        assert " me   correction   no bonus   100.00  100.00  100.00" in run.out
        jsonl = errorbar("convert", "-", "--source", text, "--to", "jsonl", stdin=edits).out
        assert '"index": "1-0001"' in jsonl

    def test_more_than_ten_runs(self, gold: str, team: str, capsys: pytest.CaptureFixture[str]) -> None:
        runs = [f"A{k}={team}/1" for k in range(11)]
        document = records(capsys, *runs, gold=gold)
        assert [note["code"] for note in document["warnings"]].count("hoo-many-runs") == 1

    def test_types_in_other_rows(self, gold: str, team: str, capsys: pytest.CaptureFixture[str]) -> None:
        document = records(capsys, team, gold=gold, specs=['hoo(rows="FV=Noun")'])
        rows = {each["type"]: each["gold"] for each in document["rows"][0]["by_row"]}
        assert (rows["Noun"], rows["Verb"]) == (2, 0)

    def test_types_are_what_the_metric_says(self, gold: str, team: str) -> None:
        found = score(gold, [f"{team}/1"], ["hoo(by=code)", "hoo"], by="type", ci=False)
        assert [row.type for row in found.scores[0].by_type] == ["FV", "MP", "RQ"]
        assert re.findall(r"hoo(?:\(by=code\))? +(?:FV|Verb) ", str(found)) == [
            "hoo(by=code)  FV ",
            "hoo           Verb ",
        ]
        assert [len(row["by_row"]) for row in cast("Any", found.to_dict())["rows"]] == [13, 13]

    def test_gold_with_a_name(self, gold: str, team: str) -> None:
        assert score({"g": gold}, team, ci=False).scores == score(gold, team, ci=False).scores

    def test_no_edits_in_the_folder_of_gold(self, team: str, tmp_path: Path, errorbar: CommandLine) -> None:
        (tmp_path / "empty/Gold").mkdir(parents=True)
        done = errorbar("score", "--gold", tmp_path / "empty", f"{team}/0")
        assert done.err == f"error: {tmp_path}/empty/Gold: no file in the folder (expected *.xml) [hoo-no-files]\n"

    def test_options_that_do_not_go_together(self, gold: str, team: str) -> None:
        with pytest.raises(UsageError, match="by must be one of type, sentence, fragment, team or None, got 'both'"):
            score(gold, [team], by="both")  # type: ignore[arg-type]  # what a user may type
        with pytest.raises(UsageError, match="another refuses them"):
            score(gold, [team], ["hoo", "hoo(missing=empty)"])
        with pytest.raises(UsageError, match="2 gold sets"):
            score_hoo([team], [gold, gold], [], style="table")

    def test_what_is_scored_as_hoo(self, gold: str, tmp_path: Path) -> None:
        assert wants_hoo([gold], [])
        assert wants_hoo([gold], ["hoo(beta=0.5)"])
        assert not wants_hoo([str(tmp_path / "gold.m2")], ["m2"])
        with pytest.raises(UsageError, match="only the metric hoo"):
            wants_hoo([gold], ["m2"])
        with pytest.raises(UsageError, match="two commands"):
            wants_hoo(["gold.m2"], ["m2", "hoo"])
        (tmp_path / "gold.m2").write_text("S a\n")
        with pytest.raises(UsageError, match="no HOO edit file"):
            wants_hoo([str(tmp_path / "gold.m2")], ["hoo"])


class TestTables:
    def test_a_value_by_convention_is_marked(self, gold: str, tmp_path: Path, errorbar: CommandLine) -> None:
        (tmp_path / "silent").mkdir()
        for name, text in TEXTS.items():
            (tmp_path / f"silent/{name}.txt").write_text(text)
        silent = errorbar("score", "--gold", gold, f"silent={tmp_path / 'silent'}").out
        assert ("100.00*" in silent, "* by convention: " in silent) == (True, True)
        alone = errorbar("score", "--gold", gold, "--by", "fragment", f"silent={tmp_path / 'silent'}").out
        # The bonus of fragment 1 counts an optional edit as found, and P is 1/1 there.
        assert (alone.count("100.00*"), "* by convention: nothing was proposed" in alone) == (9, True)
        full = errorbar("score", "--gold", gold, f"self={gold}/Gold").out
        assert "*" not in full

    def test_one_signature_for_all_runs(self, gold: str, team: str, errorbar: CommandLine) -> None:
        out = errorbar("score", "--gold", gold, team).out
        assert len([line for line in out.splitlines() if line.startswith("signature ")]) == 1

    def test_intervals_in_csv_have_columns_of_their_own(self, gold: str, team: str, errorbar: CommandLine) -> None:
        call = ("score", "--gold", gold, team, "--format", "csv")
        plain = errorbar(*call, "--no-ci").out.splitlines()[0].split(",")
        asked = errorbar(*call, "--ci", "--resamples", "20").out.splitlines()[0].split(",")
        more = {f"{name}_{end}" for name in ("precision", "recall", "f") for end in ("low", "high")}
        assert set(asked) - set(plain) == {*more, "reason"}


class TestCheck:
    def test_counts_and_problems(self, gold: str) -> None:
        (found,) = check(gold).files
        assert found.counts == {
            "fragments": 2,
            "fragments with a text": 2,
            "edits": 4,
            "optional edits": 1,
            "edits in consistency sets": 2,
            "edits without a correction": 0,
        }
        assert found.problems == ()

    def test_what_is_wrong(self, gold: str) -> None:
        bad = [
            edit_xml('type="FV" index="1" start="4" end="7" cset="1"', "go"),
            edit_xml('type="QQ" index="2" start="90" end="91"', "x"),
            edit_xml('type="MD" index="1" start="0" end="0"'),
        ]
        (Path(gold) / "Gold/1GE.xml").write_text(edits_xml(*bad))
        (found,) = check(gold).files
        codes = sorted(problem.code for problem in found.problems)
        assert codes == ["hoo-index", "hoo-lone-set", "hoo-original", "hoo-outside", "hoo-type"]

    def test_gold_that_cannot_be_read_is_no_problem_of_each_run(self, gold: str, team: str) -> None:
        for name in TEXTS:
            Path(gold, f"Gold/{name}GE.xml").unlink()
        with pytest.raises(InputError, match="Gold: no file in the folder") as caught:
            check([f"{team}/0", f"{team}/1"], gold=gold)
        assert len(caught.value.problems) == 1

    def test_runs_against_gold_edits(self, gold: str, team: str) -> None:
        """As ``score`` reads them: a text that is another one, an edit outside of its text, a fragment that lacks."""
        good, other = check([f"{team}/0", f"{team}/1"], gold=gold).files
        assert (good.counts, good.problems) == ({"fragments": 2, "fragments changed": 1, "edits": 1}, ())
        assert [each.code for each in other.problems] == ["hoo-several"] * 2
        Path(team, "0/1.txt").write_text("Something else entirely stands in this file.")
        Path(team, "1/1UI1.xml").write_text(edits_xml(edit_xml('index="1" start="90" end="91"', "x")))
        Path(team, "1/2UI1.xml").unlink()
        found = check([f"{team}/0", f"{team}/1"], gold=gold)
        assert [[each.code for each in file.problems] for file in found.files] == [
            ["hoo-not-a-correction"],
            ["hoo-outside", "hoo-missing"],
        ]

    def test_problems_stand_by_file(self, gold: str) -> None:
        for name in TEXTS:
            bad = [edit_xml(f'type="QQ" index="{name}-{k}" start="0" end="0"') + "\n" for k in range(2)]
            Path(gold, f"Gold/{name}GE.xml").write_text(edits_xml(*bad))
        (found,) = check(gold).files
        assert [Path(each.place.file).name for each in found.problems] == ["1GE.xml"] * 2 + ["2GE.xml"] * 2


class TestConvert:
    def test_texts_become_edits_that_give_the_texts_back(self, gold: str, team: str, tmp_path: Path) -> None:
        out = tmp_path / "edits"
        convert(f"{team}/0", out, to="hoo", source=f"{gold}/Raw")
        convert(out, tmp_path, to="text", source=f"{gold}/Raw")
        for name in TEXTS:
            assert (tmp_path / f"{name}.txt").read_text() == (Path(team) / f"0/{name}.txt").read_text()
        assert (out / "2.xml").read_text().count("<edit ") == 0

    @pytest.mark.parametrize("style", ["m2", "jsonl"])
    def test_there_and_back(self, gold: str, tmp_path: Path, style: str) -> None:
        """Spans, types, optional edits and alternatives survive; sets in JSONL alone, and M2 says what it loses."""
        file = tmp_path / f"out.{style}"
        said = "\n".join(map(str, convert(gold, file).notes))
        assert ("M2 cannot hold consistency sets; left out (2: 1-0001, 1-0002)" in said) == (style == "m2")
        assert ("M2 cannot hold documents and writers; left out (2: 1, 2)" in said) == (style == "m2")
        assert ("the text of 2 of 2 fragments does not come back (1, 2)" in said) == (style == "m2")
        assert (said == "") == (style == "jsonl")
        corpus = read_corpus([file])
        assert [corrected_text(s, "0", Problems()) for s in corpus.sentences] == [
            "She goes home .",
            "It rains a lot here .",
            '" A dog ran .',
        ]
        convert(file, tmp_path / "back", to="hoo")
        back = (tmp_path / "back" / "Gold").iterdir()
        written = "".join(each.read_text() for each in sorted(back))
        assert written.count("<correction/>") == 1
        assert written.count("cset=") == (2 if style == "jsonl" else 0)
        assert written.count("<correction>went</correction>") == 1
        assert 'index="1-0003"' in written

    def test_jsonl_keeps_every_character(self, gold: str, tmp_path: Path) -> None:
        """HOO -> JSONL -> HOO gives what HOO -> HOO gives, texts and all, also one that ends without a line end."""
        texts = TEXTS | {"2": TEXTS["2"].strip()}
        Path(gold, "Raw/2.txt").write_text(texts["2"])
        convert(gold, tmp_path / "there", to="hoo")
        convert(gold, tmp_path / "x.jsonl.gz")
        convert(tmp_path / "x.jsonl.gz", tmp_path / "back", to="hoo")
        for name, text in texts.items():
            assert (tmp_path / f"back/Raw/{name}.txt").read_text() == text
            written = (tmp_path / f"back/Gold/{name}.xml").read_text()
            assert written == (tmp_path / f"there/{name}.xml").read_text()

    def test_sentences_changed_by_hand_are_refused(self, gold: str, tmp_path: Path) -> None:
        file = tmp_path / "x.jsonl"
        convert(gold, file)
        file.write_text(file.read_text().replace('"A dog ran ."', '"A cat ran ."'))
        with pytest.raises(InputError, match="fragment 2: its sentences are not those") as error:
            convert(file, tmp_path / "back", to="hoo")
        assert error.value.code == "hoo-changed"
        assert not (tmp_path / "back").exists()

    def test_another_annotator_than_that_of_the_records(self, gold: str, tmp_path: Path) -> None:
        convert(gold, tmp_path / "x.jsonl", annotator=["ann"])
        convert(tmp_path / "x.jsonl", tmp_path / "ann", to="hoo", annotator=["ann"])
        assert (tmp_path / "ann/Gold/1.xml").read_text().count("<edit ") == 3
        with pytest.raises(UsageError, match="no annotator 'bob' in the reference; known: ann"):
            convert(tmp_path / "x.jsonl", tmp_path / "bob", to="hoo", annotator=["bob"])

    def test_a_corpus_in_memory(self, tmp_path: Path) -> None:
        sentences = [Sentence("a b", {"ann": (Edit(0, 1, ("x",)),), "bob": ()})]
        done = convert(Corpus(sentences, ("ann", "bob")), tmp_path / "out", to="hoo")
        assert (tmp_path / "out/Gold/text.xml").read_text().count("<correction>x</correction>") == 1
        assert [note.what for note in done.notes] == ["HOO cannot hold annotator bob beside ann (1 time); left out"]

    def test_one_edit_file_to_standard_output(self, gold: str, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
        convert(f"{gold}/Gold/2GE.xml", "-", to="hoo")
        assert capfdbinary.readouterr().out.startswith(b"<?xml")

    def test_corrected_texts_go_where_they_are_told(self, gold: str, tmp_path: Path) -> None:
        """Several into a folder, made if need be, as edit files; one into a file, unless a folder is there."""
        convert(gold, tmp_path / "made/here", to="text")
        assert (tmp_path / "made/here/2.txt").read_text() == '"A dog ran.\n'
        assert (tmp_path / "made/here/1.txt").read_text().startswith("She goes home.")
        one = f"{gold}/Gold/2GE.xml"
        convert(one, tmp_path / "plain", to="text")
        convert(one, tmp_path, to="text")
        assert (tmp_path / "plain").read_text() == (tmp_path / "2.txt").read_text() == '"A dog ran.\n'

    def test_the_command_passes_on_annotators_and_names_what_a_run_lacks(
        self, gold: str, tmp_path: Path, errorbar: CommandLine
    ) -> None:
        named = errorbar("convert", gold, "--annotator", "ann", "--to", "jsonl")
        said = [json.loads(line).get("annotations", {}) for line in named.out.splitlines()]
        assert {name for each in said for name in each} == {"ann"}
        (tmp_path / "run").mkdir()
        (tmp_path / "run/2.txt").write_text("The dog ran.\n")
        call = ("convert", tmp_path / "run", "--source", f"{gold}/Raw", "--to", "hoo", "-o", tmp_path / "made")
        done = errorbar(*call)
        assert (done.code, "no corrected text of fragment 1; not written" in done.err) == (0, True)
        assert [each.name for each in (tmp_path / "made").iterdir()] == ["2.xml"]

    def test_what_cannot_be(self, gold: str, tmp_path: Path) -> None:
        (tmp_path / "there").write_text("")
        for to, out, error in (
            ("text", "-", "hoo-one-file"),
            ("text", str(tmp_path / "x.txt"), "hoo-one-file"),
            ("text", str(tmp_path / "there"), "hoo-one-file"),
            ("hoo", str(tmp_path / "x.xml"), "hoo-one-file"),
        ):
            with pytest.raises(InputError) as refused:
                convert(gold, out, to=to)
            assert refused.value.code == error
        with pytest.raises(UsageError, match="no format"):
            convert(gold, "-")
        with pytest.raises(UsageError, match="one set"):
            convert([gold, gold], "-", to="m2")


class TestThereAndBackWithRealData:
    @pytest.mark.parametrize(
        ("part", "n_fragments"), [("test", 18), pytest.param("develop", 19, marks=pytest.mark.slow)]
    )
    def test_good_sources_come_back_strictly(self, data: Path, tmp_path: Path, part: str, n_fragments: int) -> None:
        """The released files need repairs; once repaired, they go to JSONL and back without any."""
        real = str(data / "hoo2011" / part)
        convert(real, tmp_path / "x.jsonl", to="jsonl", lenient=True)
        convert(real, tmp_path / "there", to="hoo", lenient=True)
        convert(tmp_path / "x.jsonl", tmp_path / "back", to="hoo")
        names = sorted(each.name for each in (tmp_path / "there").iterdir())
        assert len(names) == n_fragments
        for name in names:
            assert (tmp_path / "back/Gold" / name).read_bytes() == (tmp_path / "there" / name).read_bytes()
        assert check(tmp_path / "back").good

    @pytest.mark.parametrize("part", ["test", "develop"])
    def test_m2_is_read_strictly(self, data: Path, tmp_path: Path, part: str) -> None:
        convert(data / "hoo2011" / part, tmp_path / "x.m2", lenient=True)
        convert(tmp_path / "x.m2", tmp_path / "back", to="hoo")
        assert read_corpus([tmp_path / "x.m2"]).annotators == ("0",)


class TestRealData:
    def test_reproduce(self, data: Path, capsys: pytest.CaptureFixture[str]) -> None:
        folder = str(data / "hoo2011/test")
        reproduce_hoo2011(folder, style="json")
        document = validated("reproduce-hoo2011", capsys.readouterr().out)
        # Nine rows as published, four short by the missing text 1062 (data/README.md).
        outcomes = {row["type"]: (row["ours"], row["outcome"]) for row in document["table8"]}
        assert outcomes["Noun"] == (113, "match")
        assert outcomes["Article"] == (243, "known")
        assert [outcome for _, outcome in outcomes.values()].count("match") == 9
        assert len(document["tables2_7"]) == 2 * 3 * 6
        assert len(document["tables9_21"]) == 13 * 6 * 3
        reproduce_hoo2011(folder, style="table")
        out = capsys.readouterr().out
        assert "1,057" in out
        assert "9 of 13 rows match" in out
        with pytest.raises(InputError, match="not the texts of the test set"):
            reproduce_hoo2011(str(data / "hoo2011/develop"), style="table")
        assert "simulated" in out

    def test_runs_of_the_whole_test_set(self, data: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        """That it is quick enough is measured by benchmarks/hoo.py."""
        for run in range(3):
            (tmp_path / "UI" / str(run)).mkdir(parents=True)
            for one in read_real(data, "test")[0]:
                chosen = [edit for k, edit in enumerate(one.edits) if k % 3 <= run]
                text = apply_standoff(one.text or "", chosen, problems=Problems(lenient=True))
                (tmp_path / "UI" / str(run) / f"{one.name}.txt").write_text(text)
        score_hoo([str(tmp_path / "UI")], [str(data / "hoo2011/test")], [], style="json", lenient=True)
        assert len(json.loads(capsys.readouterr().out)["rows"]) == 3


class TestCommands:
    """The commands themselves, on the 18 texts of the test set."""

    @pytest.fixture
    def test_set(self) -> Path:
        folder = Path(__file__).resolve().parents[3] / "shared" / "data" / "hoo2011" / "test"
        if not folder.is_dir():
            pytest.skip(f"the HOO 2011 test set is not at {folder}")
        return folder

    def test_score(self, errorbar: CommandLine, test_set: Path) -> None:
        done = errorbar(
            "score", "--metric", "hoo", "--gold", test_set, "--lenient", f"self={test_set / 'Gold'}", "--no-ci"
        )
        assert done.code == 0
        assert " self  detection    no bonus   100.00  100.00  100.00" in done.out

    def test_by_fragment(self, errorbar: CommandLine, test_set: Path) -> None:
        """``--by fragment`` and ``--by sentence`` are one option."""
        arguments = ("score", "--metric", "hoo", "--gold", test_set, "--lenient", f"self={test_set / 'Gold'}")
        done = errorbar(*arguments, "--by", "fragment")
        assert done.code == 0
        assert done.out.count(" recognition ") == 2 * 18
        assert done.out == errorbar(*arguments, "--by", "sentence").out

    def test_one_fragment_is_no_fragments(self, errorbar: CommandLine, test_set: Path) -> None:
        done = errorbar("check", test_set / "Gold/1004GE.xml")
        assert (done.code, "1 fragment, 1 fragment with a text, " in done.out) == (0, True)

    def test_check_with_texts_elsewhere(self, errorbar: CommandLine, test_set: Path, tmp_path: Path) -> None:
        lonely = tmp_path / "1004GE.xml"
        lonely.write_bytes((test_set / "Gold/1004GE.xml").read_bytes())
        assert "0 fragments with a text" in errorbar("check", lonely).out
        assert "1 fragment with a text" in errorbar("check", lonely, "--source", test_set / "Raw").out
        (tmp_path / "a.m2").write_text("S a\n")
        refused = errorbar("check", tmp_path / "a.m2", "--source", test_set / "Raw")
        assert (refused.code, "is-directory" in refused.out) == (1, True)

    def test_jsonl_with_records_into_m2_says_what_stays_behind(
        self, errorbar: CommandLine, test_set: Path, tmp_path: Path
    ) -> None:
        made = errorbar("convert", test_set, "--lenient", "-o", tmp_path / "x.jsonl")
        assert made.code == 0
        done = errorbar("convert", tmp_path / "x.jsonl", "-o", tmp_path / "x.m2")
        assert (done.code, "[jsonl-standoff-left]" in done.err) == (0, True)
        assert errorbar("check", tmp_path / "x.jsonl").code == 0

    @pytest.mark.parametrize("option", [("--as-written",), ("--force",), ("--unmarked", "all")])
    def test_options_of_other_data(self, errorbar: CommandLine, test_set: Path, option: tuple[str, ...]) -> None:
        done = errorbar("score", "--gold", test_set, *option, "x")
        assert (done.code, f"{option[0]} has no meaning for HOO data" in done.err) == (2, True)

    @pytest.mark.parametrize("option", [("--tokens", "x"), ("--no-optional",), ("--detach-stops",)])
    def test_options_of_other_conversions(self, errorbar: CommandLine, test_set: Path, option: tuple[str, ...]) -> None:
        done = errorbar("convert", test_set, "--to", "m2", *option)
        assert (done.code, f"{option[0]} has no meaning for HOO data" in done.err) == (2, True)

    def test_help_names_hoo(self, errorbar: CommandLine) -> None:
        for command in ("score", "check", "convert"):
            assert "HOO" in errorbar(command, "--help").out

    def test_check_names_the_inner_file_and_line(self, errorbar: CommandLine, test_set: Path) -> None:
        done = errorbar("check", test_set / "Gold")
        assert done.code == 1  # eight errors that strict reading refuses
        assert "1005GE.xml" in done.out
        assert "18 fragments" in done.out

    def test_convert_and_reproduce(self, errorbar: CommandLine, test_set: Path, tmp_path: Path) -> None:
        made = errorbar("convert", test_set, "--to", "m2", "--lenient", "-o", tmp_path / "hoo.m2")
        assert (made.code, (tmp_path / "hoo.m2").stat().st_size > 100_000) == (0, True)
        done = errorbar("reproduce", "hoo2011", "--data", test_set)
        assert done.code == 0
        assert " Article" in done.out  # table 8: 243 articles in the 18 texts (the issue and the data agree)
        assert "243" in done.out

    def test_m2_is_no_hoo_and_the_other_way_round(self, errorbar: CommandLine, test_set: Path) -> None:
        done = errorbar("score", "--metric", "m2", "--gold", test_set / "Gold", "x")
        assert (done.code, "[hoo-metric]" in done.err) == (2, True)


@pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
def test_an_interval_holds_a_precision_above_one(tmp_path: Path, method: BootstrapMethod) -> None:
    """Two gold edits of one word, met by one edit of the run: recognition has P = 4/3."""
    for folder in ("set/Gold", "set/Raw", "run"):
        (tmp_path / folder).mkdir(parents=True)
    twice = [edit_xml(f'type="FV" index="1-000{n}" start="4" end="6"', "go", ("goes",)) for n in (1, 2)]
    for number in range(12):
        (tmp_path / f"set/Raw/{number}.txt").write_text("She go home.\n")
        (tmp_path / f"set/Gold/{number}GE.xml").write_text(edits_xml(*twice))
        output = "She goes home.\n" if number % 3 else "She go house.\n"
        (tmp_path / f"run/{number}.txt").write_text(output)
    result = score(str(tmp_path / "set"), [str(tmp_path / "run")], "hoo", ci_method=method)
    text = str(result)
    row = next(line for line in text.splitlines() if "recognition" in line)
    value, low, high = (float(cell) for cell in re.findall(r"\d+\.\d\d", row)[:3])
    assert (value, low < value < high) == (133.33, True)
