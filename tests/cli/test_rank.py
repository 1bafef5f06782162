"""``errorbar rank`` and ``errorbar meta``: what they print, and what they refuse."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

# A beats B 6 of 10, C 8 of 10; B beats C 7 of 10; and six ties: the example of the statistics notes.
WON = {("A", "B"): (6, 4, 2), ("A", "C"): (8, 2, 1), ("B", "C"): (7, 3, 3)}
PAIRS = "system1,system2,winner\n" + "".join(
    f"{one},{two},{winner}\n"
    for (one, two), counts in WON.items()
    for winner, n in zip((one, two, "tie"), counts, strict=True)
    for _ in range(n)
)
XML = """<r>
<ranking-item id="0" src-id="1" user="ann">
 <translation rank="1" system="A"/><translation rank="2" system="B C"/><translation rank="2" system="D"/>
</ranking-item>
<ranking-item id="1" src-id="1" user="bob">
 <translation rank="1" system="A"/><translation rank="2" system="B C"/><translation rank="3" system="D"/>
</ranking-item>
<ranking-item id="2" src-id="2" user="bob">
 <translation rank="2" system="A"/><translation rank="1" system="B"/><translation rank="3" system="C D"/>
</ranking-item>
</r>
"""
SYSTEM_SCORES = "system,metric,score\n" + "".join(
    f"{system},{metric},{score}\n"
    for metric, scores in {"good": (4, 3, 2, 1), "poor": (1, 3, 2, 4)}.items()
    for system, score in zip("ABCD", scores, strict=True)
)


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pairs.csv").write_text(PAIRS)
    Path("judgments.xml").write_text(XML)
    Path("metrics.csv").write_text(SYSTEM_SCORES)
    Path("human.csv").write_text("system,score\nA,.9\nB,.8\nC,.7\nD,.1\n")


def run(errorbar: CommandLine, command: str, *arguments: str) -> dict[str, Any]:
    done = errorbar(command, *arguments, "--format", "json")
    assert (done.code, done.err) == (0, "")
    return validated(command, done.out)


class TestRank:
    def test_every_method(self, errorbar: CommandLine) -> None:
        document = run(errorbar, "rank", "pairs.csv", "--method", "all", "--resamples", "20")
        scores = {each["method"]: {s["system"]: s["score"] for s in each["systems"]} for each in document["rankings"]}
        assert len(scores) == 7
        assert scores["expected-wins"] == pytest.approx({"A": 0.70, "B": 0.55, "C": 0.25})
        # choix 0.4.1; see tests/ranking/test_methods.py.
        expected = {"A": 0.59146768, "B": 0.14910226, "C": -0.74056994}
        assert scores["bradley-terry-no-ties"] == pytest.approx(expected, abs=1e-7)
        assert (document["n_comparisons"], document["n_ties"], document["n_identical"]) == (36, 6, 0)
        assert document["head_to_head"][0] == {"first": "A", "second": "B", "wins": 6, "losses": 4, "ties": 2}

    def test_ties_of_equal_texts_are_visible_and_can_go(self, errorbar: CommandLine) -> None:
        document = run(errorbar, "rank", "judgments.xml", "--resamples", "5")
        counts = {
            name: document[name] for name in ("n_comparisons", "n_ties", "n_identical", "n_shown", "n_shown_ties")
        }
        # Texts: A, BC, D twice, and A, B, CD; ties: BC, BD, CD of the first, BC of the second, CD of the third.
        assert counts == {"n_comparisons": 18, "n_ties": 5, "n_identical": 3, "n_shown": 9, "n_shown_ties": 1}
        less = run(errorbar, "rank", "judgments.xml", "--resamples", "5", "--without-identical")
        assert sum(pair["ties"] for pair in less["head_to_head"]) == 2
        # Ann and Bob on sentence 1: A over B, C, D agree; B and C against D do not; nobody was asked about B and C.
        assert less["judges"]["inter"]["observed"] == pytest.approx(3 / 5)
        assert less["judges"]["intra"]["undefined"] == "no item was judged by two raters"

    def test_table(self, errorbar: CommandLine) -> None:
        done = errorbar("rank", "pairs.csv", "--resamples", "50")
        assert done.out.splitlines()[0].split() == ["system", "cluster", "rank", "rank", "range", "score", "95%", "CI"]
        assert done.out.splitlines()[2].split()[:3] == ["A", "1", "1"]
        assert "36 items, 36 comparisons, 6 ties (16.7%), 0 of them of systems that wrote the same text" in done.out
        assert "|ci:percentile,0.95,50,by:item,seed:0|v:" in done.out

    def test_the_p_that_decides_is_called_p(self, errorbar: CommandLine) -> None:
        """In JSON and CSV as in ``compare``; that of one pair alone has a name of its own."""
        Path("many.csv").write_text("system1,system2,winner\n" + "A,B,A\n" * 18 + "A,C,A\n" * 12 + "B,C,B\n" * 5)
        records = run(errorbar, "rank", "many.csv", "--anytime")["anytime"]
        assert all(pair["p"] == min(1, k * pair["p_unadjusted"]) for pair, k in zip(records, (3, 2, 1), strict=True))
        assert all(pair["better"] == (pair["first"] if pair["p"] <= 0.05 else None) for pair in records)
        text = errorbar("rank", "many.csv", "--anytime", "--format", "csv").out
        rows = list(csv.DictReader(io.StringIO(text[text.index("first,") :])))
        for row, pair in zip(rows, records, strict=True):
            assert [float(row[name]) for name in ("p", "p_unadjusted")] == [pair["p"], pair["p_unadjusted"]]

    def test_what_judges_saw_is_said_where_it_is_less(self, errorbar: CommandLine) -> None:
        said = "judges saw 9 pairs of texts, 1 tie (11.1%)"
        assert said in errorbar("rank", "judgments.xml", "--resamples", "5").out
        assert "judges saw" not in errorbar("rank", "pairs.csv", "--resamples", "5").out

    def test_bad_rows_can_be_left_out(self, errorbar: CommandLine) -> None:
        Path("bad.csv").write_text(PAIRS + "A,B\n")
        refused = errorbar("rank", "bad.csv", "--resamples", "5")
        assert (refused.code, refused.out, "use --lenient" in refused.err) == (2, "", True)
        kept = json.loads(errorbar("rank", "bad.csv", "--resamples", "5", "--lenient", "--format", "json").out)
        assert (kept["n_comparisons"], [each["code"] for each in kept["warnings"]]) == (
            36,
            ["ranking-fields", "ranking-rows"],
        )

    def test_csv_is_at_full_precision(self, errorbar: CommandLine) -> None:
        done = errorbar("rank", "pairs.csv", "--resamples", "50", "--format", "csv", "--method", "bradley-terry")
        rows = list(csv.DictReader(io.StringIO(done.out)))
        assert [row["system"] for row in rows] == ["A", "B", "C"]
        assert sum(float(row["score"]) for row in rows) == pytest.approx(0, abs=1e-12)
        assert all(float(row["score_low"]) < float(row["score"]) < float(row["score_high"]) for row in rows)

    def test_head_to_head(self, errorbar: CommandLine) -> None:
        done = errorbar("rank", "pairs.csv", "--head-to-head", "--format", "csv")
        assert done.out == "first,second,wins,losses,ties\nA,B,6,4,2\nA,C,8,2,1\nB,C,7,3,3\n"

    def test_without_intervals_ranks_have_no_range(self, errorbar: CommandLine) -> None:
        document = run(errorbar, "rank", "pairs.csv", "--method", "all", "--no-ci")
        assert "|ci:" not in document["signature"]
        for ranking in document["rankings"]:
            for each in ranking["systems"]:
                assert (each["interval"], each["rank_low"], each["rank_high"], each["cluster"]) == (None,) * 4
        assert [each["rank"] for each in document["rankings"][0]["systems"]] == [1, 2, 3]
        table = errorbar("rank", "pairs.csv", "--no-ci").out
        assert table.splitlines()[0].split() == ["system", "rank", "score"]
        refused = errorbar("rank", "pairs.csv", "--no-ci", "--resamples", "5")
        assert (refused.code, "[useless-option]" in refused.err) == (2, True)

    def test_a_thousand_systems_head_to_head_are_the_pairs_that_met(self, errorbar: CommandLine) -> None:
        rows = [f"s{k},s{k + 1},{'tie' if k % 2 else f's{k}'}\n" for k in range(999)]
        Path("many.csv").write_text("system1,system2,winner\n" + "".join(rows))
        lines = errorbar("rank", "many.csv", "--head-to-head", "--format", "csv").out.splitlines()
        assert (len(lines), lines[1:3]) == (1000, ["s0,s1,1,0,0", "s1,s2,0,0,1"])
        refused = errorbar("rank", "many.csv", "--head-to-head", "--method", "trueskill")
        assert (refused.code, "[useless-option]" in refused.err) == (2, True)

    @pytest.mark.parametrize("method", ["trueskill", "trueskill-wmt"])
    def test_without_intervals_the_seed_is_that_of_random_orders(self, errorbar: CommandLine, method: str) -> None:
        """It was taken, and nothing came of it."""
        call = ("rank", "pairs.csv", "--method", method, "--no-ci")
        one, same, other = (run(errorbar, *call, "--seed", seed) for seed in ("0", "0", "5"))
        assert one == same
        assert one["rankings"] != other["rankings"]
        assert ("|seed:0|" in one["signature"], "|seed:5|" in other["signature"]) == (True, True)
        assert "seed" not in run(errorbar, "rank", "pairs.csv", "--no-ci")["signature"]

    def test_no_bradley_terry_without_a_chain(self, errorbar: CommandLine) -> None:
        Path("one.csv").write_text("system1,system2,winner\nA,B,A\nB,C,B\n")
        done = errorbar("rank", "one.csv", "--method", "bradley-terry", "--resamples", "5")
        assert done.code == 0
        assert "no chain of wins leads from each system to each other" in done.err
        assert "no chain of wins connects all systems" in done.out

    def test_check_knows_rankings(self, errorbar: CommandLine) -> None:
        Path("pairs.csv").write_text("system1,system2,winner\nA,B,A\nB,C,tie\n")
        assert "3 systems" in errorbar("check", "pairs.csv").out
        Path("bad.csv").write_text("system1,system2,winner\nA,A,A\n")
        done = errorbar("check", "bad.csv")
        assert (done.code, "A" in done.out) == (1, True)

    def test_refused(self, errorbar: CommandLine) -> None:
        done = errorbar("rank", "judgments.xml", "--systems", "A,B,CC,D")
        assert (done.code, done.out) == (2, "")
        line = "error: judgments.xml:3: no system is called 'C'; did you mean 'CC'? "
        assert done.err.startswith(line)
        Path("bomb.xml").write_text('<!DOCTYPE r [<!ENTITY a "aaaa">]>\n' + XML)
        done = errorbar("rank", "bomb.xml")
        assert (done.code, "[ranking-xml-entity]" in done.err) == (2, True)
        Path("empty.xml").write_text("")
        done = errorbar("rank", "empty.xml")
        assert (done.code, "[ranking-empty]" in done.err) == (2, True)


class TestMeta:
    def test_judgments(self, errorbar: CommandLine) -> None:
        document = run(errorbar, "meta", "judgments.xml", "metrics.csv", "--resamples", "40", "--show", "window=3")
        # Expected Wins, by hand: A beat B 2 of 3, C 3 of 3, D 3 of 3; and so on.
        assert document["human"]["scores"]["A"] == pytest.approx((2 / 3 + 1 + 1) / 3)
        good, poor = document["metrics"]
        assert [each["kind"] for each in good["correlations"]] == ["pearson", "spearman", "kendall-b"]
        assert good["correlations"][1]["value"] == pytest.approx(1)
        assert good["correlations"][1]["interval"] == {
            "low": None,
            "high": None,
            "reason": "the formula gives an interval of zero width here",
        }
        assert len(poor["correlations"][0]["windows"]) == 2
        (test,) = document["tests"]
        assert (test["first"], test["second"], test["swapped"]) == ("good", "poor", "systems")

    def test_scores(self, errorbar: CommandLine) -> None:
        document = run(errorbar, "meta", "human.csv", "metrics.csv")
        assert document["human"]["method"] is None
        # Ranks 1 2 3 4 against 4 2 3 1: Σ d² = 9 + 0 + 0 + 9, ρ = 1 − 6·18/60.
        assert document["metrics"][1]["correlations"][1]["value"] == pytest.approx(-0.8)
        assert {each["interval_judgments"] for each in document["metrics"][1]["correlations"]} == {None}

    def test_sentences(self, errorbar: CommandLine) -> None:
        scores = {"1": (3, 2, 2, 2), "2": (1, 2, 0, 0)}
        rows = [f"{s},{n},{value}" for n, each in scores.items() for s, value in zip("ABCD", each, strict=True)]
        Path("sentences.csv").write_text("\n".join(["system,sentence,score", *rows]) + "\n")
        document = run(errorbar, "meta", "judgments.xml", "sentences.csv", "--show", "sentences", "--resamples", "20")
        (found,) = document["sentences"]
        # Of 18 comparisons the metric says what judges said but for B and C over D, where Bob saw a difference.
        assert (found["plain"]["value"], found["metric"]) == (pytest.approx(16 / 18), "sentences")
        assert found["decided"]["value"] == pytest.approx((11 + 2 / 2) / 13)
        table = errorbar("meta", "judgments.xml", "sentences.csv", "--show", "sentences", "--resamples", "20")
        assert "88.89" in table.out

    def test_sentences_may_be_numbered_from_elsewhere(self, errorbar: CommandLine) -> None:
        """The judgments speak of sentences 1 and 2; sentence 1 of ``errorbar score`` is the second to them."""
        rows = [
            {
                "system": system,
                "metric": "m2",
                **dict.fromkeys(("precision", "recall", "f"), value / 4),
                "beta": 0.5,
                "by_sentence": [{"sentence": at, "correct": value, "proposed": 4, "gold": 4} for at in (1, 2)],
            }
            for system, value in zip("ABCD", (4, 3, 2, 1), strict=True)
        ]
        Path("scores.json").write_text(json.dumps({"schema": "errorbar.score/1", "rows": rows}))
        call = ("judgments.xml", "scores.json", "--show", "sentences", "--resamples", "5")
        assert run(errorbar, "meta", *call)["sentences"][0]["plain"]["n_units"] == 18
        later = errorbar("meta", *call, "--first-sentence", "2")
        assert "m2 lacks scores for 12 comparisons; they are left out" in later.err
        assert "see --first-sentence" in later.err

    @pytest.mark.parametrize(
        ("numbers", "n", "agreeing"), [("123", 18, 13), ("012", 18, 13), ("23", 6, 2.5), ("13", 12, 4)]
    )
    def test_a_table_that_numbers_all_lines_follows(
        self, numbers: str, n: int, agreeing: float, errorbar: CommandLine
    ) -> None:
        """Sentences 1 and 2 of the judgments are its second and third line; a table with other numbers has theirs.

        The second line puts A before B and C before D; the third B before A before C and D: all that judges decided.
        Where it says the same of all systems, half of that is right.
        """
        lines = {numbers[-2]: "3221", numbers[-1]: "2311"} if len(numbers) > 2 else dict.fromkeys(numbers, "1111")
        rows = [
            f"{system},{k},{score}" for k in numbers for system, score in zip("ABCD", lines.get(k, "1111"), strict=True)
        ]
        Path("table.csv").write_text("\n".join(["system,sentence,score", *rows]) + "\n")
        call = ("judgments.xml", "table.csv", "--show", "sentences", "--resamples", "5", "--first-sentence", "0")
        (found,) = json.loads(errorbar("meta", *call, "--format", "json").out)["sentences"]
        assert found["plain"]["n_units"] == n
        assert found["decided"]["value"] * found["decided"]["n_units"] == pytest.approx(agreeing)

    def test_tables(self, errorbar: CommandLine) -> None:
        done = errorbar("meta", "human.csv", "metrics.csv")
        # Σ xy = 1.25, Σ x² = .3875, Σ y² = 5 of the deviations: r = 1.25 / √1.9375.
        assert done.out.splitlines()[2].split()[:3] == ["good", "Pearson", "0.898"]
        done = errorbar("meta", "human.csv", "metrics.csv", "--show", "tests")
        assert "p-values are not corrected for the number of tests" in done.out
        done = errorbar("meta", "human.csv", "metrics.csv", "--show", "window=3")
        assert "A B C" in done.out
        both = errorbar("meta", "human.csv", "metrics.csv", "--show", "tests", "--show", "window=3")
        assert "p-values are not corrected for the number of tests" in both.out
        assert "A B C" in both.out
        done = errorbar("meta", "human.csv", "metrics.csv", "--format", "csv")
        assert len(list(csv.DictReader(io.StringIO(done.out)))) == 6

    def test_score_output_is_read(self, errorbar: CommandLine) -> None:
        rows = [
            {"system": s, "metric": "m2", "precision": p, "recall": 0.5, "f": p, "beta": 0.5}
            for s, p in zip("ABCD", (0.9, 0.5, 0.4, 0.3), strict=True)
        ]
        Path("scores.json").write_text(json.dumps({"schema": "errorbar.score/1", "rows": rows}))
        document = run(errorbar, "meta", "human.csv", "scores.json", "--beta", "1")
        assert [each["metric"] for each in document["metrics"]] == ["m2", "m2 F1"]

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (
                ("human.csv", "other.csv"),
                "other has no score for 'D', which humans ranked; did you mean 'DD'?",
            ),
            (("human.csv", "metrics.csv", "metrics.csv"), "two metrics are called 'good'"),
            (("human.csv", "metrics.csv", "--show", "sentences"), "HUMAN has scores of systems"),
            (("judgments.xml", "metrics.csv", "--show", "sentences"), "no metric has scores of sentences"),
            (("metrics.csv", "metrics.csv"), "2 columns of human scores: good, poor"),
            (("human.csv", "metrics.csv", "--show", "window=5"), "a window of 5 systems (expected 3 to 4"),
            (("human.csv", "nothing.csv"), "no such file"),
            (("human.csv", "metrics.csv", "--show", "tests", "--show", "window=3", "--format", "csv"), "CSV holds one"),
        ],
    )
    def test_refused(self, errorbar: CommandLine, arguments: tuple[str, ...], message: str) -> None:
        Path("other.csv").write_text("system,score\nA,1\nB,2\nC,3\nDD,4\n")
        done = errorbar("meta", *arguments)
        assert (done.code, done.out) == (2, "")
        assert message in done.err


def test_what_was_judged_is_counted_in_words(tmp_path: Path, errorbar: CommandLine) -> None:
    (tmp_path / "one.csv").write_text("item,system1,system2,winner\n1,A,B,A\n", encoding="utf-8")
    (tmp_path / "tie.csv").write_text("item,system1,system2,winner\n1,A,B,tie\n2,A,B,tie\n", encoding="utf-8")
    counts = "of them of systems that wrote the same text"
    assert f"\n1 item, 1 comparison, 0 ties (0.0%), 0 {counts}" in errorbar("rank", str(tmp_path / "one.csv")).out
    assert f"\n2 items, 2 comparisons, 2 ties (100.0%), 0 {counts}" in errorbar("rank", str(tmp_path / "tie.csv")).out
