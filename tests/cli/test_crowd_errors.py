"""Labels that mean an error, by name or by rule; and signatures of crowds that change exactly if a digit may."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from errorbar import crowd_aggregate, curve
from errorbar.core import UsageError
from errorbar.crowdsourcing import error_codes, error_convention
from tests.cli.test_agree_tables import refused
from tests.helpers.cli import CommandLine

# Ratings from 1 (bad) to 4 (good) by two raters; errors by the rule <3: both, one, none, one, of items a to d.
RATINGS = [("a", 1, 2), ("b", 2, 3), ("c", 4, 4), ("d", 4, 1)]


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    rows = [f"{item},{rater},{label}\n" for item, *labels in RATINGS for rater, label in zip("pq", labels, strict=True)]
    Path("v.csv").write_text("item,rater,label\n" + "".join(rows))
    Path("f.csv").write_text("item,flag\na,1\nb,0\nc,0\nd,1\n")


def score(errorbar: CommandLine, *options: str, judgments: str = "v.csv") -> dict[str, Any]:
    done = errorbar("crowd", "score", judgments, "f.csv", *options, "--format", "json")
    assert done.code == 0, done.err
    first: dict[str, Any] = json.loads(done.out)["rows"][0]
    return first


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("crowd howmany v.csv --experts ,", "the crowd needs somebody to be compared with"),
        ("crowd aggregate v.csv --min-items nan", "'--min-items': nan is not a finite number"),
        ("crowd raters v.csv --good nan", "'--good': nan is not a finite number"),
        ("curve v.csv f.csv --prevalence nan", "'--prevalence': nan is not a finite number"),
        ("curve v.csv f.csv --bins nan", "--bins nan (expected numbers between commas) [curve-numbers]"),
        ("curve v.csv f.csv --thresholds 0.5,inf", "--thresholds 0.5,inf (expected numbers between commas)"),
    ],
)
def test_what_is_no_number_and_nobody_are_refused(errorbar: CommandLine, call: str, message: str) -> None:
    done = errorbar(*call.split())
    assert (done.code, done.out) == (2, "")
    assert message in done.err


def test_python_refuses_what_is_no_number(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="the edges of bins are nan, 1"):
        curve(tmp_path / "v.csv", [tmp_path / "f.csv"], bins=[float("nan"), 1.0], error="1")
    with pytest.raises(UsageError, match="min_items must be a number, got nan"):
        crowd_aggregate(tmp_path / "v.csv", min_items=float("nan"))


class TestErrorLabels:
    @pytest.mark.parametrize(
        "options",
        [
            ["--labels", "error=<3"],
            ["--labels", "error=<=2"],
            ["--labels", "error=1", "--labels", "error=2"],
            ["--labels", "error=< 2.5"],
        ],
    )
    def test_several_labels_or_a_rule(self, errorbar: CommandLine, options: list[str]) -> None:
        """Shares of errors 1, 1/2, 0, 1/2 and flags 1, 0, 0, 1: weighted hits 1.5, false positives .5, misses .5."""
        found = score(errorbar, *options)
        assert (found["hits"], found["false_positives"], found["misses"]) == pytest.approx((1.5, 0.5, 0.5))

    def test_every_command_that_has_it(self, errorbar: CommandLine, tmp_path: Path) -> None:
        assert errorbar("curve", "v.csv", "f.csv", "--labels", "error=<3", "--resamples", "5").code == 0
        page = (
            "report",
            "--judgments",
            "v.csv",
            "f.csv",
            "--labels",
            "error=<3",
            "--resamples",
            "10",
            "-o",
            "page.html",
        )
        assert errorbar(*page).code == 0
        assert (tmp_path / "page.html").stat().st_size

    def test_of_a_sample(self, errorbar: CommandLine) -> None:
        Path("flags.csv").write_text("item,flag\n" + "".join(f"i{n},{n % 2}\n" for n in range(60)))
        plan = ("sample", "draw", "flags.csv", "--budget", "60", "--out", "set.csv", "--key", "key.json")
        assert errorbar(*plan).code == 0
        for name, yes, no in (("words.csv", "error", "ok"), ("numbers.csv", "2", "4")):
            lines = Path("set.csv").read_text().splitlines()
            at = lines[0].split(",").index("item"), lines[0].split(",").index("set")
            drawn = [(line.split(",")[at[0]], line.split(",")[at[1]]) for line in lines[1:]]
            rows = [f"{i},a,{yes if int(i[1:]) % 3 == 0 else no},{s}\n" for i, s in drawn]
            Path(name).write_text("item,rater,label,set\n" + "".join(rows))
        estimate = ("sample", "estimate", "--key", "key.json", "--format", "json")
        words = errorbar(*estimate, "words.csv")
        rule = ("--labels", "error=<4", "--labels", "ok=>=4")
        numbers = errorbar(*estimate, "numbers.csv", *rule)
        assert words.code == numbers.code == 0
        assert json.loads(words.out)["systems"] == json.loads(numbers.out)["systems"]
        line = refused(errorbar(*estimate, "numbers.csv", "--labels", "error=<4", "--labels", "ok=>1"))
        assert "the label '2' means an error and none" in line
        assert "no rater was to say '4'" in errorbar(*estimate, "numbers.csv", "--labels", "error=<4").err

    def test_rules_that_do_not_fit(self, errorbar: CommandLine) -> None:
        assert "no label is <0" in refused(errorbar("crowd", "score", "v.csv", "f.csv", "--labels", "error=<0"))
        Path("v.csv").write_text(Path("v.csv").read_text() + "a,r,?\n")
        line = refused(errorbar("crowd", "score", "v.csv", "f.csv", "--labels", "error=<3"))
        assert "the rule <3 is about numbers, and '?' is none" in line
        assert score(errorbar, "--labels", "error=<3", "--labels", "unknown=?")["hits"] == pytest.approx(1.5)

    def test_names_come_before_rules_and_case_does_not_matter(self) -> None:
        assert error_codes(["ok", "Error"]) == [1]
        assert error_codes(["ok", "Error"], "ERROR") == [1]
        assert error_codes(["<4", "1"], "<4") == [0]
        assert error_codes(["1", "3", "5"], [">=3", "1"]) == [0, 1, 2]
        with pytest.raises(UsageError, match="no label is called 'eror'; name the label"):
            error_codes(["ok", "error"], "eror")


class TestSignatures:
    def test_what_an_error_is(self, errorbar: CommandLine) -> None:
        names = {score(errorbar, "--labels", f"error={text}")["signature"] for text in ("<3", "<2", ">2")}
        assert len(names) == 3
        same = {
            score(errorbar, *o)["signature"]
            for o in (["--labels", "error=<3"], ["--labels", "error=2", "--labels", "error=1"])
        }
        assert len(same) == 1

    @pytest.mark.parametrize(
        ("labels", "one", "other"),
        [
            ([f"severity rating number {n}" for n in range(4)], (0, 1, 2), (0, 1, 3)),  # longer than a signature shows
            (["error", "Error", "ok"], (0,), (1,)),
            (["a+b", "a", "b"], (0,), (1, 2)),
        ],
    )
    def test_two_choices_of_labels_have_two_signatures(
        self, errorbar: CommandLine, labels: list[str], one: tuple[int, ...], other: tuple[int, ...]
    ) -> None:
        """By construction: label k is said k + 1 times of item a, so that different labels are different shares."""
        votes = [("a", label) for k, label in enumerate(labels) for _ in range(k + 1)] + [("b", labels[-1])]
        rows = [f"{item},r{n},{label}\n" for n, (item, label) in enumerate(votes)]
        Path("w.csv").write_text("item,rater,label\n" + "".join(rows))
        Path("f.csv").write_text("item,flag\na,1\nb,0\n")
        found = [
            score(errorbar, *[part for k in codes for part in ("--labels", f"error={labels[k]}")], judgments="w.csv")
            for codes in (one, other)
        ]
        assert found[0]["hits"] != found[1]["hits"]
        assert found[0]["signature"] != found[1]["signature"]

    def test_an_option_that_changes_nothing_is_not_signed(self, errorbar: CommandLine) -> None:
        Path("w.csv").write_text("item,rater,label\na,p,error\na,q,Error\nb,p,ok\nc,p,error\nd,p,ok\n")
        assert score(errorbar, judgments="w.csv") == score(errorbar, "--labels", "error=error", judgments="w.csv")

    @pytest.mark.parametrize("name", ["a|b", "a#b", "long" * 20])
    def test_names_that_are_signed_by_a_hash(self, name: str) -> None:
        """A bar parts a signature, and the mark of a hash must not be a name's."""
        (signed,) = error_convention(["a", "b", name], [2])
        assert re.fullmatch("error:#[0-9a-f]{12}", signed)
        assert error_convention(["a", "b", signed.removeprefix("error:")], [2]) != (signed,)
        assert error_convention(["a", "b", name], [0, 1]) == ("error:a+b",)

    def test_what_is_drawn_together(self, errorbar: CommandLine) -> None:
        """With documents other clusters are drawn: other intervals from the same judgments and flags."""
        text = "".join(f"S a b c\nA {n % 3} {n % 3 + 1}|||T|||x|||REQUIRED|||-NONE-|||0\n\n" for n in range(6))
        Path("A.m2").write_text(text)
        Path("B.m2").write_text(text.replace("A 0 1", "A 1 2"))
        Path("f.csv").write_text("a x c\n" * 6)
        essay = '<DOC nid="{}"><TEXT><P>a b c\na b c\na b c\n</P></TEXT></DOC>\n'
        Path("d.sgml").write_text(essay.format(1) + essay.format(2))
        found = [score(errorbar, *options, judgments="[AB].m2") for options in ([], ["--documents", "d.sgml"])]
        assert found[0]["P"]["value"] == found[1]["P"]["value"]
        assert found[0]["P"]["interval"] != found[1]["P"]["interval"]
        assert found[0]["signature"] != found[1]["signature"]

    def test_who_comes_first_is_not_in_it(self, errorbar: CommandLine) -> None:
        before = {command: self.document(errorbar, command) for command in ("score", "aggregate", "curve")}
        head, *rows = Path("v.csv").read_text().splitlines()
        items = sorted(range(len(rows)), key=lambda at: (at // 2, -at))  # the raters of each item the other way round
        Path("v.csv").write_text("\n".join([head, *(rows[at] for at in items)]) + "\n")
        assert {command: self.document(errorbar, command) for command in before} == before

    @staticmethod
    def document(errorbar: CommandLine, command: str) -> object:
        options = {
            "score": ("crowd", "score", "v.csv", "f.csv", "--labels", "error=<3"),
            "aggregate": ("crowd", "aggregate", "v.csv", "--min-items", "1"),
            "curve": ("curve", "v.csv", "f.csv", "--labels", "error=<3", "--resamples", "20"),
        }
        return json.loads(errorbar(*options[command], "--format", "json").out)

    def test_a_curve_has_one(self, errorbar: CommandLine) -> None:
        call = ("curve", "v.csv", "f.csv", "--resamples", "5", "--format", "json")
        options: tuple[list[str], ...] = (
            [],
            ["--seed", "1"],
            ["--bins", "0.5,1"],
            ["--prevalence", "0.2"],
            ["--metric", "crowd(ties=ok)"],
        )
        found = [json.loads(errorbar(*call, "--labels", "error=<3", *o).out)["rows"][0]["signature"] for o in options]
        assert len(set(found)) == len(options)


@pytest.mark.parametrize("option", [["--documents", "d.sgml"], ["--unmarked", "all"]])
@pytest.mark.parametrize("command", ["score", "aggregate", "raters"])
def test_options_about_a_corpus_are_refused_of_a_table(errorbar: CommandLine, command: str, option: list[str]) -> None:
    files = ["v.csv", "f.csv"] if command == "score" else ["v.csv"]
    line = refused(errorbar("crowd", command, *files, *option))
    assert f"{option[0]} is about edits that become judgments, and this is a table" in line


def test_a_sweep_needs_the_score_of_every_judged_item(errorbar: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text("item,rater,label\nx,a,error\ny,a,ok\n", encoding="utf-8")
    (tmp_path / "some.csv").write_text("item,flag,score\nx,1,0.5\ny,0,\n", encoding="utf-8")
    found = errorbar("crowd", "sweep", tmp_path / "votes.csv", f"s={tmp_path / 'some.csv'}")
    assert "s: 1 of 2 judged items have no score, first 'y'" in found.err
    assert (
        "--recalls 2,x (expected numbers between commas)"
        in errorbar("crowd", "sweep", tmp_path / "votes.csv", tmp_path / "some.csv", "--recalls", "2,x").err
    )


def test_a_sweep_takes_the_policy_for_ties_and_nothing_without_effect(errorbar: CommandLine, tmp_path: Path) -> None:
    """a is an error to both raters, b to one of two, c to none: with a tie as no error, P at a recall of 1 is 1/1."""
    rows = "a,1,e\na,2,e\nb,1,e\nb,2,ok\nc,1,ok\nc,2,ok\n"
    (tmp_path / "votes.csv").write_text(f"item,rater,label\n{rows}")
    (tmp_path / "s.csv").write_text("item,flag,score\na,1,3\nb,0,2\nc,0,1\n")
    words = (
        "crowd",
        "sweep",
        tmp_path / "votes.csv",
        tmp_path / "s.csv",
        "--recalls",
        "1",
        "--no-ci",
        "--labels",
        "error=e",
    )

    def sweep(*more: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(errorbar(*words, *more, "--format", "json").out)["rows"][0]
        return found

    half = sweep("--truth", "majority")
    assert (half["n_items"], half["errors"], half["points"][0]["n_flagged"]) == (3, 1.5, 2)
    for policy, said in {"ok": (3, 1.0, 1), "error": (3, 2.0, 2), "unknown": (2, 1.0, 1)}.items():
        found = sweep("--truth", "majority", "--metric", f"crowd(ties={policy})")
        assert (found["n_items"], found["errors"], found["points"][0]["n_flagged"]) == said
        assert f"ties={policy}" in found["signature"] != half["signature"]
    for metric, truth in (("ties=ok", "weighted"), ("beta=2", "majority"), ("shares=dawid-skene", "any")):
        done = errorbar(*words, "--metric", f"crowd({metric})", "--truth", truth)
        assert (done.code, done.err.count("error: "), "[useless-option]" in done.err) == (2, 1, True)
