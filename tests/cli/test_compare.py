"""``errorbar compare``: tables, letters, JSON, and what cannot be compared."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from errorbar import ErrorbarError, compare
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

N = 12
GOLD_FIXED = ("compare", "--gold", "gold.m2", "--judges", "fixed")  # the one annotator: swaps decide
FEW = ("--resamples", "200")
FLOOR = (*GOLD_FIXED, "all", "none", "--swaps", "300", *FEW)
GOLD = "S a b c .\nA 0 1|||Det|||X|||REQUIRED|||-NONE-|||0\n\n" * N
ESSAYS = "".join(
    f'<DOC nid="{k}">\n<TEXT>\n<P>\n{"a b c. " * 3}\n</P>\n</TEXT>\n'
    '<ANNOTATION teacher_id="0">\n</ANNOTATION>\n</DOC>\n'
    for k in range(N // 3)
)


def system(name: str, found: str) -> None:
    """A system that makes the one edit where there is a 1."""
    Path(name).write_text("".join("X b c .\n" if mark == "1" else "a b c .\n" for mark in found))


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("gold.m2").write_text(GOLD)
    Path("essays.sgml").write_text(ESSAYS)
    system("all", "1" * 12)
    system("most", "1" * 9 + "0" * 3)
    system("none", "0" * 12)


def run(errorbar: CommandLine, *arguments: str, warned: Sequence[str] | None = None) -> dict[str, Any]:
    done = errorbar(*GOLD_FIXED, *arguments, "--format", "json")
    assert (done.code, done.err) == (0, "")
    document: dict[str, Any] = validated("compare", done.out)
    if warned is not None:
        assert [note["code"] for note in document["warnings"]] == [*warned]
    return document


class TestOutput:
    def test_json(self, errorbar: CommandLine) -> None:
        document = run(errorbar, "all", "none", "--resamples", "300", "--swaps", "4096")
        (pair,) = document["pairs"]
        assert pair["difference"] == 1.0
        assert (pair["p_unadjusted"], pair["n_replicates"], pair["exact"]) == (
            2 / 2**12,
            2**12,
            True,
        )  # the two pure ways
        assert document["unit"] == "sentence"
        assert "|ci:bca,0.95,300,by:sentence,seed:0|p:max-t,4096|" in document["signature"]

    def test_a_value_by_convention_is_marked(self, errorbar: CommandLine) -> None:
        """The system ``none`` proposes nothing, so that its P is 100 by convention, as ``score`` says too."""
        first, second = run(errorbar, "all", "none")["systems"]
        assert "undefined" not in first
        assert second["undefined"] == {"precision": "nothing was proposed", "f": "nothing was proposed"}
        table = errorbar(*GOLD_FIXED, "all", "none").out
        assert (table.count("100.00*"), "* by convention: nothing was proposed" in table) == (1, True)

    def test_essays_are_swapped_whole(self, errorbar: CommandLine) -> None:
        document = run(errorbar, "all", "none", "--documents", "essays.sgml")
        (pair,) = document["pairs"]
        assert (pair["p_unadjusted"], pair["n_replicates"]) == (2 / 2**4, 2**4)
        assert document["unit"] == "document"
        assert ",by:document:" in document["signature"]
        assert [note["code"] for note in document["warnings"]] == ["few-documents", "few-to-swap"]

    def test_holm(self, errorbar: CommandLine) -> None:
        document = run(
            errorbar, "all", "most", "none", "--adjust", "holm", "--swaps", "5000", *FEW, warned=["few-to-swap"]
        )
        pairs = document["pairs"]
        assert [(p["first"], p["second"]) for p in pairs] == [("all", "most"), ("all", "none"), ("most", "none")]
        # all against most: three sentences differ, two ways of eight. most against none: two of 2^9.
        assert [p["p_unadjusted"] for p in pairs] == [2 / 8, 2 / 2**12, 2 / 2**9]
        assert [p["p"] for p in pairs] == pytest.approx([2 / 8, 3 * 2 / 2**12, 2 * 2 / 2**9])
        assert [p["result"] for p in pairs] == ["undecided", "significant", "significant"]
        assert (document["adjust"], document["swaps"]) == ("holm", 5000)
        assert "|p:holm,5000|" in document["signature"]

    def test_max_t_is_the_default(self, errorbar: CommandLine) -> None:
        """All 4,096 ways. all and none differ in 12 sentences, t = √12 but for the curve of F: only they reach it, in
        two. Next is most and none with 9: of its own 2 ways of 2^9 and those of all and most, √3 at most: 2 / 2^9.
        """
        document = run(errorbar, "all", "most", "none", "--swaps", "4096", *FEW, warned=["few-to-swap"])
        assert [p["p"] for p in document["pairs"]] == [2 / 8, 2 / 2**12, 2 / 2**9]
        assert (document["adjust"], document["swaps"]) == ("max-t", 4096)
        assert [p["smallest_p_swaps"] for p in document["pairs"]] == [2 / 8, 2 / 2**12, 2 / 2**9]

    def test_letters(self, errorbar: CommandLine) -> None:
        done = errorbar(*GOLD_FIXED, "none", "most", "all", *FEW, "--format", "csv")
        header, *rows = csv.reader(io.StringIO(done.out))
        assert header == ["number", "system", "precision", "recall", "f", "better_than", "undecided", "group"]
        assert [(row[0], row[1], *row[5:]) for row in rows] == [
            ("1", "all", "3", "2", "?"),
            ("2", "most", "3", "1", "?"),
            ("3", "none", "", "", "a"),
        ]

    @pytest.mark.parametrize("style", ["table", "markdown", "latex"])
    def test_two_and_three_systems_always_show_their_pairs(self, errorbar: CommandLine, style: str) -> None:
        for names in (["all", "none"], ["all", "most", "none"]):
            out = errorbar(*GOLD_FIXED, *names, *FEW, "--swaps", "500", "--format", style).out
            assert out.count("F diff:") == 1  # what the columns are
            rows = [line.strip("| ") for line in out.splitlines()]
            assert any(row.startswith("all") and "none" in row and "+100.00" in row for row in rows)
            assert "100.00" in next(row for row in rows if row.startswith("1 ") and "all" in row)  # the scores too
            said = "all is significantly better than none at the 5% level." in out.replace("\\%", "%")
            assert said == (len(names) == 2)
        system("fourth", "1" * 6 + "0" * 6)
        four = ("all", "most", "none", "fourth", *FEW, "--swaps", "500")
        arguments = (*GOLD_FIXED, *four, "--format", style)
        assert "F diff" not in errorbar(*arguments).out
        both = errorbar(*arguments, "--pairs").out
        assert "F diff" in both
        assert both.startswith(errorbar(*arguments).out.split("systems that share")[0].rstrip("% \n"))
        assert "every pair," not in both
        assert both.count("signature m2") == 1 + (style == "latex")  # once more in the caption

    def test_csv_is_one_table(self, errorbar: CommandLine) -> None:
        arguments = ("compare", "--gold", "gold.m2", "all", "none", *FEW, "--swaps", "500", "--format", "csv")
        plain, pairs = (list(csv.reader(io.StringIO(errorbar(*arguments, *more).out))) for more in ([], ["--pairs"]))
        assert [row[1] for row in plain] == ["system", "all", "none"]
        assert [row[:2] for row in pairs] == [["first", "second"], ["all", "none"]]
        assert all(len(row) == len(pairs[0]) for row in pairs)

    def test_pairs(self, errorbar: CommandLine) -> None:
        done = errorbar(*GOLD_FIXED, "all", "none", "--pairs", *FEW, "--swaps", "5000")
        row = next(line.split() for line in done.out.splitlines() if line.lstrip().startswith("all"))
        assert row[:3] == ["all", "none", "+100.00"]
        assert "0.0005" in row
        assert "exact" in row

    def test_at_the_floor(self, errorbar: CommandLine) -> None:
        """300 of 4,096 ways, of which two are as extreme: none is met with this seed. 1 / 301 is .00332, rounded up."""
        row = next(line.split() for line in errorbar(*FLOOR).out.splitlines() if line.lstrip().startswith("all"))
        assert row.count("≤0.0034") == 1
        assert "0.0000" not in errorbar(*FLOOR).out
        assert r"\ensuremath{\leq}0.0034" in errorbar(*FLOOR, "--format", "latex").out
        assert "| ≤0.0034 |" in errorbar(*FLOOR, "--format", "markdown").out
        (pair,) = run(errorbar, *FLOOR[len(GOLD_FIXED) :], warned=["few-swaps"])["pairs"]
        assert (pair["p"], pair["p_at_floor"], pair["p_swaps_at_floor"]) == (1 / 301, True, True)
        (values,) = csv.DictReader(io.StringIO(errorbar(*FLOOR, "--pairs", "--format", "csv").out))
        assert (values["p"], values["p_at_floor"]) == (repr(1 / 301), "true")

    def test_undecided_is_no_finding(self, errorbar: CommandLine) -> None:
        """Four essays: p cannot be below 2 / 2^4. F is 100 against 0, and nothing says that it is the same."""
        out = errorbar(*GOLD_FIXED, "--documents", "essays.sgml", "all", "none", *FEW).out
        assert "undecided" in out
        for claim in ("not significant", "told apart", "significantly better than none"):
            assert claim not in out
        rows = [line.split() for line in out.splitlines()]
        assert [row[-1] for row in rows if row[1:2] in (["all"], ["none"])][:2] == ["?", "?"]
        assert (
            "Whether all is better than none is undecided: with these documents and swaps no difference, however "
            "large, could be significant at the 5% level." in out
        )

    def test_csv_has_all_digits(self, errorbar: CommandLine) -> None:
        arguments = ("compare", "--gold", "gold.m2", "all", "most", "none", *FEW, "--swaps", "500", "--format")
        document = json.loads(errorbar(*arguments, "json").out)
        rows = list(csv.DictReader(io.StringIO(errorbar(*arguments, "csv").out)))
        names = ("precision", "recall", "f")
        scores = {row["system"]: [float(row[name]) for name in names] for row in rows}
        assert scores == {s["system"]: [s[name] for name in names] for s in document["systems"]}
        pairs = list(csv.DictReader(io.StringIO(errorbar(*arguments, "csv", "--pairs").out)))
        for row, pair in zip(pairs, document["pairs"], strict=True):
            assert (row["first"], row["second"]) == (pair["first"], pair["second"])
            assert float(row["difference"]) == pair["difference"]
            assert row["exact"] == str(pair["exact"]).lower()
            for name in ("p", "p_unadjusted", "p_swaps", "power_at_one_point", "detectable_difference"):
                assert (float(row[name]) if row[name] else None) == pair[name]
            ends = [float(row[name]) if row[name] else None for name in ("difference_low", "difference_high")]
            assert ends == [pair["interval"]["low"], pair["interval"]["high"]]

    def test_systems_that_did_the_same(self, errorbar: CommandLine) -> None:
        document = run(errorbar, "most", "again=most", *FEW)
        (pair,) = document["pairs"]
        assert (pair["difference"], pair["p"], pair["p_unadjusted"]) == (0, None, None)
        assert pair["undefined"] == "the two score alike everywhere"
        assert pair["interval"] == {"low": None, "high": None, "reason": "all resamples give the same value"}
        done = errorbar("compare", "--gold", "gold.m2", "most", "again=most", *FEW, "--pairs")
        assert "– most, again: the two score alike everywhere, all resamples give the same value" in done.out

    @pytest.mark.parametrize("method", ["bca", "percentile", "basic"])
    def test_methods(self, errorbar: CommandLine, method: str) -> None:
        (pair,) = run(errorbar, "all", "most", "--ci-method", method, *FEW, "--swaps", "500")["pairs"]
        assert pair["interval"].get("method") == f"bootstrap-{method}"


class TestDigits:
    def test_workers_change_none_and_seeds_do(self, errorbar: CommandLine) -> None:
        system("other", "010101101101")
        arguments = (
            "compare",
            "--gold",
            "gold.m2",
            "most",
            "other",
            "none",
            *FEW,
            "--swaps",
            "1100",
            "--format",
            "json",
        )
        one = errorbar(*arguments).out
        assert errorbar(*arguments, "--jobs", "2").out == one
        other = json.loads(errorbar(*arguments, "--seed", "9").out)
        assert [p["interval"] for p in other["pairs"]] != [p["interval"] for p in json.loads(one)["pairs"]]
        assert ",seed:9|" in other["signature"]


class TestBadInput:
    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["all"], "a comparison needs at least two systems"),
            (["all", "./all"], "two systems are called 'all'"),
            (["all", "nome"], "nome: no such file; did you mean 'none'?"),
            (["all", "none", "--documents", "nowhere.sgml"], "nowhere.sgml: no such file"),
            (["all", "none", "--metric", "m2(choose=7)"], "no annotator '7' in the reference; known: 0"),
            (["all", "none", "--metric", "m3"], "no metric is called 'm3'"),
            (["-", "-"], "standard input can be read only once"),
        ],
    )
    def test_misuse(self, errorbar: CommandLine, arguments: list[str], message: str) -> None:
        done = errorbar("compare", "--gold", "gold.m2", *arguments)
        assert (done.code, done.out) == (2, "")
        (line,) = done.err.splitlines()
        assert line.startswith("error: ")
        assert message in line

    @pytest.mark.parametrize("found", ["1" * 11, "1" * 13])
    def test_lines_missing_or_left_over(self, errorbar: CommandLine, found: str) -> None:
        system("other", found)
        done = errorbar("compare", "--gold", "gold.m2", "all", "other")
        assert (done.code, done.out) == (2, "")
        assert f"{len(found)} lines for 12 sentences of the source" in done.err

    def test_no_closed_formula_is_offered(self, errorbar: CommandLine) -> None:
        done = errorbar("compare", "--gold", "gold.m2", "all", "none", "--ci-method", "closed")
        assert (done.code, done.out) == (2, "")
        assert "'closed' is not one of 'bca', 'percentile', 'basic'" in done.err
        assert "closed" not in errorbar("compare", "--help").out

    def test_one_sentence(self, errorbar: CommandLine) -> None:
        Path("one.m2").write_text(GOLD[: len(GOLD) // N])
        system("yes", "1")
        system("no", "0")
        done = errorbar("compare", "--gold", "one.m2", "yes", "no")
        assert (done.code, done.out) == (2, "")
        assert done.err == (
            "error: a single sentence does not show how sentences vary (expected at least two); add others; "
            "errorbar score gives the scores alone [one-unit]\n"
        )


def test_two_metrics_are_refused(errorbar: CommandLine) -> None:
    done = errorbar("compare", "--gold", "gold.m2", "all", "none", "--metric", "m2", "--metric=m2(beta=1)")
    assert (done.code, done.out) == (2, "")
    assert done.err == "error: --metric is given twice, and takes one value; leave one of them out [option-twice]\n"


def test_outputs_that_differ_in_every_sentence_are_not_said_never_to_differ(errorbar: CommandLine) -> None:
    """Both change only words that nobody marked: each proposes one wrong edit a sentence, and M2 counts them alike."""
    for name, word in (("one", "Y"), ("other", "Z")):
        Path(name).write_text(f"a {word} c .\n" * N)
    done = errorbar("compare", "--gold", "gold.m2", "one", "other", *FEW)
    assert "one and other score alike in every sentence." in done.out
    assert "never differ" not in done.out


def test_four_systems_are_told_where_their_pairs_are(errorbar: CommandLine) -> None:
    system("fourth", "1" * 6 + "0" * 6)
    four = errorbar("compare", "--gold", "gold.m2", "all", "most", "none", "fourth", *FEW, "--swaps", "500")
    assert "every pair, with difference, interval and p: --pairs; in Python pair_table() (6)" in four.out
    three = errorbar("compare", "--gold", "gold.m2", "all", "most", "none", *FEW, "--swaps", "500")
    assert "--pairs" not in three.out
    assert "intervals are of one pair alone; only p is adjusted for the 2 of 3 pairs with a p-value" in three.out
    assert "only p is adjusted" not in errorbar("compare", "--gold", "gold.m2", "all", "none", *FEW).out


def test_a_thousand_systems_are_refused_before_anything_is_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorbar.metrics.m2.M2.measure", None)  # nobody asks for it
    lines = Path("all").read_text().splitlines()
    names = [f"s{k}" for k in range(1000)]
    for name in names:
        Path(name).write_text("\n".join(lines) + "\n")
    with pytest.raises(ErrorbarError, match="1,000 systems are 499,500 pairs"):
        compare("gold.m2", names)


class TestOneJudge:
    """The default: judges are drawn anew, leaning on how the ten annotators of CoNLL-2014's essays vary."""

    def compared(self, errorbar: CommandLine, *words: str) -> dict[str, Any]:
        done = errorbar("compare", "--gold", "gold.m2", *words, *FEW, "--format", "json")
        assert (done.code, done.err) == (0, "")
        return validated("compare", done.out)

    def test_of_few_texts_swaps_bound_p_too(self, errorbar: CommandLine) -> None:
        """Of all and most, three sentences decide: 2 of 8 ways of swapping them differ as much, and none more."""
        document = self.compared(errorbar, "all", "most", "none")
        assert [note["code"] for note in document["warnings"]] == ["one-judge", "few-to-swap"]
        hopeless, unknown, clear = document["pairs"]
        assert (hopeless["result"], hopeless["smallest_p_swaps"]) == ("undecided", 2 / 8)
        assert hopeless["p"] > hopeless["p_swaps"] == 2 / 8
        assert (unknown["result"], unknown["p"], unknown["judges"]["replication"]) == ("undecided", None, None)
        assert (clear["result"], clear["judges"]["replication"] > 0.99) == ("significant", True)
        assert clear["p"] >= clear["p_swaps"]
        said = errorbar("compare", "--gold", "gold.m2", "all", "most", "none", *FEW)
        assert (
            "nothing can be said: no difference, however large, could be significant, or how they vary over texts and "
            "judges is not known" in said.out
        )
        assert "(t, max-T; of fewer than 25 texts no smaller than that of the swaps)" in said.out
        pair = errorbar("compare", "--gold", "gold.m2", "all", "most", *FEW)
        assert "with these sentences and swaps no difference, however large, could be significant" in pair.out

    def test_of_many_texts_the_t_alone_decides(self, errorbar: CommandLine) -> None:
        Path("gold.m2").write_text(GOLD * 3)
        for name in ("all", "most", "none"):
            Path(name).write_text(Path(name).read_text() * 3)
        document = self.compared(errorbar, "all", "most", "none")
        assert [note["code"] for note in document["warnings"]] == ["one-judge"]
        assert [pair["result"] for pair in document["pairs"]] == ["not significant", "undecided", "significant"]
        assert "of fewer than 25 texts" not in errorbar("compare", "--gold", "gold.m2", "all", "most", *FEW).out

    def test_systems_that_score_alike_have_no_p(self, errorbar: CommandLine) -> None:
        (pair,) = self.compared(errorbar, "most", "again=most")["pairs"]
        assert (pair["p"], pair["p_unadjusted"], pair["judges"]["p"]) == (None, None, None)
        assert (pair["result"], pair["judges"]["replication"]) == ("score alike", None)
        said = errorbar("compare", "--gold", "gold.m2", "most", "again=most", *FEW).out
        assert "most and again score alike in every sentence." in said

    def test_a_metric_of_which_no_population_is_known_keeps_its_judge(self, errorbar: CommandLine) -> None:
        document = self.compared(errorbar, "all", "none", "--metric", "m2(beta=0.7)")
        assert "judges" not in document
        (note,) = document["warnings"]
        assert note["code"] == "judges-fixed"
        assert "a single judge does not show how judges vary, and no population is known" in note["what"]

    def test_without_a_population_it_is_taken_as_it_is(self, errorbar: CommandLine) -> None:
        document = self.compared(errorbar, "all", "none", "--judges", "random(population=none)")
        (note,) = document["warnings"]
        assert note["what"].endswith("how judges vary, and intervals are to lean on no population")
        assert "judges" not in document
