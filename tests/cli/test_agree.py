"""``errorbar agree``: corpora and tables of judgments, worked by hand."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

# Ten tokens in two sentences. A marks tokens 1, 2 of the first and inserts in the second; B marks 2 and 4 of the first.
A = """S a the c d e
A 1 2|||Det|||X|||REQUIRED|||-NONE-|||0
A 2 3|||Prep|||Y|||REQUIRED|||-NONE-|||0

S f g h i j
A 0 0|||Det|||Z|||REQUIRED|||-NONE-|||0

"""
B = """S a the c d e
A 2 3|||Det|||X|||REQUIRED|||-NONE-|||0
A 4 5|||Prep|||Y|||REQUIRED|||-NONE-|||0

S f g h i j

"""
VOTES = "item,rater,label\n" + "".join(
    f"{item},{rater},{label}\n"
    for item, labels in enumerate(["yyn", "yyy", "nnn", "nyn"])
    for rater, label in zip("pqr", labels, strict=True)
)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("A.m2").write_text(A)
    Path("B.m2").write_text(B)
    Path("votes.csv").write_text(VOTES)


def run(errorbar: CommandLine, *arguments: str) -> dict[str, Any]:
    done = errorbar("agree", *arguments, "--format", "json")
    assert (done.code, done.err) == (0, "")
    return validated("agree", done.out)


class TestCorpora:
    def test_tokens(self, errorbar: CommandLine) -> None:
        document = run(errorbar, "A.m2", "B.m2")
        # ok-ok 7, error-ok 1, ok-error 1, error-error 1: observed 8/10, expected .8 * .8 + .2 * .2 = .68.
        assert document["coefficients"]["observed"]["value"] == pytest.approx(0.8)
        assert document["coefficients"]["cohen"]["value"] == pytest.approx((0.8 - 0.68) / 0.32)
        assert document["coefficients"]["bennett"]["value"] == pytest.approx(2 * 0.8 - 1)
        (pair,) = document["pairs"]
        assert pair["counts"] == [[7, 1], [1, 1]]
        assert (document["n_items"], document["n_raters"], document["n_missing"]) == (10, 2, 0)
        # A's insertion touches no token; sentences, and tokens with an error, are few.
        assert [note["code"] for note in document["warnings"]] == ["items-untouched", *["agreement-few"] * 2]

    def test_projections_of_insertions(self, errorbar: CommandLine) -> None:
        """A's insertion before the first token: no token before it, the token after it, a gap."""
        counts = {
            items: run(errorbar, "A.m2", "B.m2", "--items", items)["pairs"][0]["counts"]
            for items in ("tokens-before", "tokens-after", "tokens-gaps", "gaps", "sentences")
        }
        assert counts == {
            "tokens-before": [[7, 1], [1, 1]],
            "tokens-after": [[6, 1], [2, 1]],
            "tokens-gaps": [[18, 1], [2, 1]],
            "gaps": [[11, 0], [1, 0]],
            "sentences": [[0, 0], [1, 1]],
        }

    def test_one_error_type_and_words(self, errorbar: CommandLine) -> None:
        (pair,) = run(errorbar, "A.m2", "B.m2", "--labels", "type=Det")["pairs"]
        assert pair["counts"] == [[8, 1], [1, 0]]
        (pair,) = run(errorbar, "A.m2", "B.m2", "--items", "words:articles")["pairs"]
        assert pair["counts"] == [[1, 0], [1, 0]]  # "a" and "the": only A marks "the"
        (pair,) = run(errorbar, "A.m2", "B.m2", "--items", "words:c,e")["pairs"]
        assert pair["counts"] == [[0, 1], [0, 1]]

    def test_views(self, errorbar: CommandLine) -> None:
        table = errorbar("agree", "A.m2", "B.m2")
        assert "Cohen's kappa" in table.out
        assert "0.3750" in table.out
        assert "10 items, 2 raters, 20 judgments, 0 missing" in table.out
        pairs = errorbar("agree", "A.m2", "B.m2", "--pairs", "--format", "csv").out.splitlines()
        assert pairs[0] == "first,second,items,observed,kappa,kappa_low,kappa_high,reason"
        first, second, items, observed, kappa, low, high, reason = pairs[1].split(",")
        assert (first, second, items, low, high) == ("A", "B", "10", "", "")
        assert reason == "the value is undefined in too many resamples"  # of two sentences one has no error of B
        assert (float(observed), float(kappa)) == pytest.approx((0.8, 0.375))
        confusion = errorbar("agree", "A.m2", "B.m2", "--confusion", "--format", "csv").out.splitlines()
        assert confusion[:3] == ["label,ok,error", "ok,14,2", "error,2,2"]  # each pair of judgments in both orders

    def test_who_looked_at_an_unmarked_sentence(self, errorbar: CommandLine) -> None:
        """The second sentence of B has no A line; unlike A, nobody says that it was looked at."""
        assert run(errorbar, "A.m2", "B.m2")["n_missing"] == 0
        document = json.loads(errorbar("agree", "A.m2", "B.m2", "--unmarked", "absent", "--format", "json").out)
        assert (document["n_missing"], document["pairs"][0]["n_items"]) == (5, 5)

    def test_a_missing_value_says_why(self, errorbar: CommandLine) -> None:
        Path("same.csv").write_text("item,rater,label\n1,p,y\n1,q,y\n2,p,y\n2,q,y\n")
        for view in ((), ("--pairs",)):
            out = errorbar("agree", "same.csv", "--resamples", "5", *view).out
            assert "–  every judgment has the same label" in out


class TestJudgments:
    def test_a_table_of_votes(self, errorbar: CommandLine) -> None:
        document = run(errorbar, "votes.csv")
        # Agreeing pairs: 1 of 3, 3, 3, 1 of 3 of 12 in all.
        assert document["coefficients"]["observed"]["value"] == pytest.approx(8 / 12)
        # Six of twelve votes are y, so pi expects 1/2. Alpha: each split item adds 2 / (3 - 1) to both unequal cells of
        # the coincidences, 4 in all, against 2 * 6 * 6 / (12 - 1) expected.
        assert document["coefficients"]["fleiss"]["value"] == pytest.approx((8 / 12 - 1 / 2) / (1 / 2))
        assert document["coefficients"]["krippendorff"]["value"] == pytest.approx(1 - 11 * 4 / (2 * 6 * 6))
        assert "cohen" not in document["coefficients"]
        assert len(document["pairs"]) == 3

    def test_json_lines(self, errorbar: CommandLine) -> None:
        rows = [dict(zip(("item", "rater", "label"), line.split(","), strict=True)) for line in VOTES.splitlines()[1:]]
        Path("votes.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert run(errorbar, "votes.jsonl") == run(errorbar, "votes.csv")

    def test_unknown_is_not_given(self, errorbar: CommandLine) -> None:
        Path("v.csv").write_text(VOTES + "9,p,?\n9,q,y\n9,r,y\n")
        document = run(errorbar, "v.csv", "--labels", "unknown=?")
        assert document["n_missing"] == 1
        assert "agreement-unknown" in [note["code"] for note in document["warnings"]]

    def test_a_corpus_whose_annotator_is_called_rater_is_a_corpus(self, errorbar: CommandLine) -> None:
        edits = [{"start": 0, "end": 1, "replacements": ["b"], "type": "T"}]
        line = json.dumps({"text": "a b", "annotations": {"rater": edits, "other": []}})
        Path("gold.jsonl").write_text(line + "\n")
        assert run(errorbar, "gold.jsonl")["pairs"][0]["counts"] in ([[1, 0], [1, 0]], [[1, 1], [0, 0]])


def test_where_everybody_says_the_same_there_is_a_reason(errorbar: CommandLine) -> None:
    Path("v.csv").write_text("item,rater,label\n1,p,y\n1,q,y\n2,p,y\n2,q,y\n")
    document = run(errorbar, "v.csv")
    kappa = document["coefficients"]["cohen"]
    assert kappa["value"] is None
    assert kappa["undefined"] == "every judgment has the same label"
    assert kappa["interval"] is None


def test_same_seed_same_bytes(errorbar: CommandLine) -> None:
    one, two, other = (
        errorbar("agree", "votes.csv", "--format", "json", "--resamples", "50", "--seed", seed).out for seed in "001"
    )
    assert one == two
    assert json.loads(one)["coefficients"] != json.loads(other)["coefficients"]


def said(option: Sequence[str]) -> str:
    """An option as messages name it: of a label's role together with it."""
    role, equals, _ = option[1].partition("=")
    return f"{option[0]} {role}=" if equals else option[0]


class TestBadInput:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["A.m2"], "agreement is between two raters at least"),
            (["A.m2", "B.m2", "--labels", "type=Dett"], "used the error type 'Dett'; did you mean 'Det'?"),
            (["A.m2", "B.m2", "--items", "words:zzz"], "--items sentences asks about whole sentences"),
            (["A.m2", "nowhere.m2"], "nowhere.m2: no such file"),
            (["A.m2", "B.m2", "--documents", "nowhere.sgml"], "nowhere.sgml: no such file"),
            (["votes.csv", "votes.csv"], "judgments repeat an item that the same rater had judged before"),
            *(
                (["votes.csv", *option], f"{said(option)} is about edits that become judgments, and this is a table")
                for option in (
                    ["--items", "gaps"],
                    ["--items", "words:articles"],
                    ["--labels", "type=Det"],
                    ["--labels", "type"],
                    ["--documents", "x.sgml"],
                    ["--unmarked", "all"],
                )
            ),
            (["A.m2", "B.m2", "--pairs", "--confusion"], "--pairs and --confusion cannot be combined"),
            (["A.m2", "./A.m2"], "two reference files are called 'A'"),
        ],
    )
    def test_misuse(self, errorbar: CommandLine, arguments: list[str], message: str) -> None:
        done = errorbar("agree", *arguments)
        assert (done.code, done.out) == (2, "")
        (line,) = done.err.splitlines()
        assert line.startswith("error: ")
        assert message in line

    def test_columns_of_other_names_are_guessed(self, errorbar: CommandLine) -> None:
        Path("named.csv").write_text("Sentence,Worker name,Answer\n1,r,ok\n1,s,ok\n2,r,error\n2,s,ok\n")
        told = errorbar("agree", "named.csv").err
        said = ("item=Sentence", "'rater=Worker name'", "label=Answer")
        assert [f"say what it is called: --column {each} [" in told for each in said] == [True] * 3
        roles = [word for each in said for word in ("--column", each.strip("'"))]
        assert "observed" in errorbar("agree", "named.csv", *roles).out

    def test_annotators_over_different_texts(self, errorbar: CommandLine) -> None:
        Path("B.m2").write_text(B.replace("f g", "f q"))
        done = errorbar("agree", "A.m2", "B.m2")
        assert (done.code, done.out) == (2, "")
        assert "B.m2:5: the sentence is not that of A: token 1 is 'q'" in done.err


def test_a_column_of_another_name_is_named_as_the_command_takes_it(tmp_path: Path, errorbar: CommandLine) -> None:
    """Of a table whose items are sentences the message has the option that makes the command work."""
    path = tmp_path / "table.csv"
    path.write_text("Sentence,rater,label\ns1,x,ok\ns1,y,ok\ns2,x,bad\ns2,y,ok\n", encoding="utf-8")
    assert "say what it is called: --column item=Sentence" in errorbar("agree", str(path)).err
    assert "2 items" in errorbar("agree", str(path), "--column", "item=Sentence").out
