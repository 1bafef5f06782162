"""``errorbar ceiling``: the numbers of ``tests/ceilings/test_definitions.py``, and what goes wrong."""

from __future__ import annotations

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.ceilings.examples import TEXT, random_corpus
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

X, Y, Z = ((0, "X", "Det"), (5, "Y", "Prep"), (10, "Z", "Det"))
GOLD = ("--gold", "A*.m2", "--no-ci")


def m2(*sentences: tuple[tuple[int, str, str], ...], text: str = TEXT) -> str:
    return "".join(
        f"S {text}\n"
        + "".join(f"A {at} {at + 1}|||{kind}|||{new}|||REQUIRED|||-NONE-|||0\n" for at, new, kind in edits)
        + "\n"
        for edits in sentences
    )


@pytest.fixture(autouse=True)
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Annotators {X, Y}, {X}, {Y, Z} of one sentence, as worked by hand; beta = 1."""
    monkeypatch.chdir(tmp_path)
    for name, edits in (("A1", (X, Y)), ("A2", (X,)), ("A3", (Y, Z))):
        Path(f"{name}.m2").write_text(m2(edits))
    Path("sys").write_text("X" + TEXT[1:] + "\n")


@pytest.fixture
def many(tmp_path: Path) -> tuple[str, ...]:
    """Thirty sentences of six documents, four annotators, two systems; the arguments that name them."""
    data, systems = random_corpus()
    with Path("gold.jsonl").open("w") as stream:
        for s in data.sentences:
            edits = {
                name: [
                    {"start": e.start, "end": e.end, "replacements": list(e.replacements), "type": e.type} for e in made
                ]
                for name, made in s.annotations.items()
            }
            stream.write(json.dumps({"text": s.text, "document": s.document, "annotations": edits}) + "\n")
    for system in systems:
        Path(system.name).write_text("\n".join(system.lines) + "\n")
    return ("--gold", "gold.jsonl", "s0", "s1", "--no-ci")


def run(errorbar: CommandLine, *arguments: str) -> dict[str, Any]:
    done = errorbar("ceiling", *arguments, "--format", "json")
    assert done.code == 0, done.err
    assert done.err == ""
    return validated("ceiling", done.out)


class TestOutput:
    def test_json(self, errorbar: CommandLine) -> None:
        document = run(errorbar, *GOLD, "sys", "--metric", "m2(beta=1)")
        one, two = document["rows"]
        assert one["human"]["f"] == pytest.approx(7 / 18)
        assert two["human"]["f"] == pytest.approx(11 / 18)
        assert one["annotators"] == pytest.approx({"A1": 7 / 12, "A2": 1 / 3, "A3": 1 / 4})
        assert one["systems"]["sys"]["f"] == pytest.approx(5 / 9)
        assert one["systems"]["sys"]["ratio"] == pytest.approx(10 / 7)
        assert two["systems"]["sys"]["ratio"] == pytest.approx(16 / 11)
        assert [(row["n_references"], row["n_subsets"], row["exact"]) for row in (one, two)] == [
            (1, 2, True),
            (2, 1, True),
        ]
        assert document["by_type"] == []
        assert document["essays"] is None
        assert document["signature"].startswith("m2(beta=1.0)|src:") or document["signature"].startswith(
            "m2(beta=1)|src:"
        )
        assert "seed" not in document["signature"]  # no digit depends on it

    def test_table(self, errorbar: CommandLine) -> None:
        done = errorbar("ceiling", *GOLD, "sys", "--metric", "m2(beta=1)")
        rows = [line.split() for line in done.out.splitlines() if line.strip()]
        assert rows[0] == ["references", "subsets", "human", "sys", "sys", "/", "human", "%"]
        assert rows[2] == ["1", "2", "38.89", "55.56", "142.86"]
        assert rows[3] == ["2", "1", "61.11", "88.89", "145.45"]

    def test_csv_columns_have_names_of_their_own(self, errorbar: CommandLine, many: tuple[str, ...]) -> None:
        done = errorbar("ceiling", *many, "--ci", "--resamples", "20", "--format", "csv")
        header, *rows = csv.reader(io.StringIO(done.out))
        assert len(set(header)) == len(header) == 21
        assert header[-1] == "reason"
        assert [row[0] for row in rows] == ["1", "2", "3"]
        document = json.loads(errorbar("ceiling", *many, "--ci", "--resamples", "20", "--format", "json").out)
        for row, record in zip((dict(zip(header, row, strict=True)) for row in rows), document["rows"], strict=True):
            assert float(row["human"]) == record["human"]["f"]  # all digits
            assert float(row["human_low"]) == record["human_interval"]["low"]
            assert float(row["s1_ratio_high"]) == record["systems"]["s1"]["ratio_interval"]["high"]
            assert (row["subsets"], row["exact"]) == (str(record["n_subsets"]), str(record["exact"]).lower())

    def test_by_type(self, errorbar: CommandLine) -> None:
        document = run(errorbar, *GOLD, "sys", "--metric", "m2(beta=1)", "--by", "type", "--sizes", "1")
        # The system finds X in 1 (1 of 1 Det) and 2, and not Z in 3; no Y in 1 and 3.
        det = {"human": pytest.approx(1 / 3), "systems": {"sys": pytest.approx(2 / 3)}}
        prep = {"human": pytest.approx(2 / 3), "systems": {"sys": 0}}
        assert document["by_type"] == [
            {"type": "Det", **det, "by_references": [{"n_references": 1, **det}]},
            {"type": "Prep", **prep, "by_references": [{"n_references": 1, **prep}]},
        ]
        shown = errorbar(
            "ceiling", *GOLD, "sys", "--metric", "m2(beta=1)", "--by", "type", "--sizes", "1"
        ).out.splitlines()
        assert shown[0].split() == ["type", "human", "sys", "sys", "/", "human", "%"]
        assert [line.split() for line in shown[2:4]] == [
            ["Det", "33.33", "66.67", "200.00"],
            ["Prep", "66.67", "0.00", "0.00"],
        ]
        assert shown[5].startswith("recall by type against 1 reference, in percent")
        done = errorbar("ceiling", *GOLD, "sys", "--by", "type", "--sizes", "1", "--format", "csv")
        assert f"Det,{1 / 3},{2 / 3},2.0" in done.out

    def test_a_type_of_which_humans_find_nothing_has_no_ratio(self, errorbar: CommandLine) -> None:
        line = "A {0} {1}|||Det|||x|||REQUIRED|||-NONE-|||{0}"
        Path("apart.m2").write_text("\n".join(["S a b .", line.format(0, 1), line.format(1, 2), "", ""]) * 2)
        Path("one").write_text("x b .\n" * 2)
        call = ("ceiling", "--gold", "apart.m2", "one", "--metric", "m2(beta=1)", "--by", "type")
        assert ", and no ratio where humans find nothing" in errorbar(*call).out
        assert "no ratio" not in errorbar("ceiling", *GOLD, "sys", "--by", "type").out

    def test_by_type_at_every_number_of_references(self, errorbar: CommandLine) -> None:
        call = (*GOLD, "sys", "--by", "type")
        document = run(errorbar, *call)
        for row in document["by_type"]:
            assert [each["n_references"] for each in row["by_references"]] == [1, 2]
            assert row["by_references"][-1] == {"n_references": 2, "human": row["human"], "systems": row["systems"]}
            for each in row["by_references"]:
                alone = run(errorbar, *call, "--sizes", str(each["n_references"]))["by_type"]
                assert {one["type"]: one["human"] for one in alone}[row["type"]] == each["human"]
        shown = errorbar("ceiling", *call).out
        assert "recall of humans by type and number of references" in shown
        assert "recall of sys by type and number of references" in shown

    def test_a_type_that_nobody_can_find_has_a_dash(self, errorbar: CommandLine) -> None:
        """Against both others of size 2, text 1 and text 3 have no Noun to find; only A2 has one."""
        Path("A2.m2").write_text(m2((X, (8, "N", "Noun"))))
        Path("A1.m2").write_text(m2((X,)))
        document = run(errorbar, "--gold", "A1.m2", "--gold", "A3.m2", "--by", "type")
        assert [row["type"] for row in document["by_type"]] == ["Det", "Prep"]
        Path("A3.m2").write_text(m2(()))
        document = run(errorbar, "--gold", "A1.m2", "--gold", "A3.m2", "--by", "type", "A=sys")
        (row,) = document["by_type"]
        assert (row["type"], row["human"], row["systems"]) == ("Det", 0, {"A": 1})

    def test_intervals(self, errorbar: CommandLine, many: tuple[str, ...]) -> None:
        document = run(errorbar, *many, "--ci", "--resamples", "50")
        for row in document["rows"]:
            assert row["human_interval"]["low"] < row["human"]["f"] < row["human_interval"]["high"]
            for system in row["systems"].values():
                assert system["ratio_interval"]["low"] < system["ratio"] < system["ratio_interval"]["high"]
                assert system["f_interval"]["low"] < system["f"] < system["f_interval"]["high"]
        assert re.search(r"\|ci:percentile,0\.95,50,by:document:[0-9a-f]{12},seed:0\|", document["signature"])

    def test_intervals_are_made_unasked_where_that_takes_seconds(
        self, errorbar: CommandLine, many: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """16 subsets without 6 documents: each of four annotators meets the three others, the system all four."""
        unasked = (*many[:3], "--sizes", "1")
        monkeypatch.setattr("errorbar.api.ceiling.MOST_FOLDED", 96 * 30 // 2 - 1)  # groups may fold twice as many
        done = errorbar("ceiling", *unasked)
        assert "96 folds of 30 sentences take a while; add --ci; in a report" in done.err
        assert done.out == errorbar("ceiling", *unasked, "--no-ci").out
        monkeypatch.setattr("errorbar.api.ceiling.MOST_FOLDED", 96 * 30 // 2)
        assert "95% CI" in errorbar("ceiling", *unasked).out

    def test_texts_go_in_groups_where_one_by_one_would_take_long(
        self, errorbar: CommandLine, many: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("errorbar.metrics.ceiling.GROUPS", 3)
        monkeypatch.setattr("errorbar.api.ceiling.MOST_FOLDED", 16 * 3 * 30 // 2)
        done = run(errorbar, *many[:3], "--sizes", "1")
        assert ",seed:0,groups:3|" in done["signature"]
        assert done["rows"][0]["human_interval"]["low"] < done["rows"][0]["human"]["f"]

    def test_essays(self, errorbar: CommandLine, many: tuple[str, ...]) -> None:
        document = run(errorbar, *many, "--n-documents", "3x7")
        essays = document["essays"]
        assert (essays["n_essays"], essays["n_available"], len(essays["human_f"])) == (3, 6, 7)
        assert {len(row) for row in essays["human_f"]} == {3}
        assert set(essays["ratios"]) == {"s0", "s1"}
        assert re.search(r"\|documents:3,7,by:document:[0-9a-f]{12},seed:0\|", document["signature"])
        done = errorbar("ceiling", *many, "--n-documents", "3x7")
        assert "7 random subsets of 3 of the 6 documents" in done.out

    def test_drawn_subsets_say_so(self, errorbar: CommandLine, many: tuple[str, ...]) -> None:
        document = run(errorbar, *many, "--most", "2", "--seed", "5")
        assert [row["exact"] for row in document["rows"]] == [False, False, False]
        assert "|most:2|seed:5|" in document["signature"]
        assert "2 drawn" in errorbar("ceiling", *many, "--most", "2").out

    def test_humans_who_never_agree(self, errorbar: CommandLine) -> None:
        Path("A3.m2").write_text(m2((Z,)))
        arguments = ("--gold", "A2.m2", "--gold", "A3.m2", "sys")
        (row,) = run(errorbar, *arguments)["rows"]
        assert row["systems"]["sys"]["ratio"] is None
        assert row["systems"]["sys"]["undefined"] == {"ratio": "the human score is 0"}
        done = errorbar("ceiling", *arguments)
        assert (done.code, done.err) == (0, "")
        assert "– no ratio: the human score is 0" in done.out


class TestDigits:
    OPTIONS = ("--ci", "--resamples", "30", "--most", "2", "--n-documents", "2x5", "--format", "json")

    def test_workers_change_none_and_seeds_do(self, errorbar: CommandLine, many: tuple[str, ...]) -> None:
        one = errorbar("ceiling", *many, *self.OPTIONS).out
        assert errorbar("ceiling", *many, *self.OPTIONS, "--jobs", "2").out == one
        other = json.loads(errorbar("ceiling", *many, *self.OPTIONS, "--seed", "1").out)
        assert other["rows"] != json.loads(one)["rows"]
        assert other["essays"] != json.loads(one)["essays"]
        assert "seed:1" in other["signature"]


class TestPlaces:
    def test_an_edit_is_where_its_annotators_own_file_has_it(self, errorbar: CommandLine) -> None:
        """The second sentence is in another line of each file."""
        Path("A2.m2").write_text(m2((X, Y), (X, (0, "W", "Det"))))
        Path("A1.m2").write_text(m2((X,), (X,)))
        Path("A3.m2").write_text(m2((), ()))
        Path("sys").write_text(f"{TEXT}\n" * 2)
        done = errorbar("ceiling", *GOLD, "sys", "--lenient")
        (line,) = [line for line in done.err.splitlines() if "[apply-overlap]" in line]
        assert line.startswith("note: A2.m2:5: the edit 0 1 overlaps the edit 0 1 ")
        done = errorbar("ceiling", *GOLD, "sys")
        assert (done.code, done.out) == (2, "")

    def test_one_file_of_several_annotators(self, errorbar: CommandLine) -> None:
        Path("A1.m2").write_text(
            m2((X,))[:-1] + m2((X, (0, "W", "Det")))[len(f"S {TEXT}\n") :].replace("|||0\n", "|||1\n")
        )
        done = errorbar("ceiling", "--no-ci", "--gold", "A1.m2", "sys", "--lenient")
        (line,) = [line for line in done.err.splitlines() if "[apply-overlap]" in line]
        assert line.startswith("note: A1:1: the edit 0 1 overlaps")


class TestOneDocument:
    """Beside the reason why there are no intervals nothing speaks of intervals that are short or rough."""

    @pytest.fixture
    def single(self, many: tuple[str, ...]) -> tuple[str, ...]:
        rows = [json.loads(line) for line in Path("gold.jsonl").read_text().splitlines()]
        Path("gold.jsonl").write_text("".join(json.dumps(row | {"document": "d"}) + "\n" for row in rows))
        return many[:-1]

    @pytest.mark.parametrize("command", ["score", "ceiling"])
    def test_no_intervals_and_why(self, errorbar: CommandLine, single: tuple[str, ...], command: str) -> None:
        done = errorbar(command, *single)
        assert done.code == 0
        assert [line.split()[-1] for line in done.notes.splitlines()] == ["[one-unit]"]
        assert "warning: no intervals: all sentences are of one document" in done.err
        assert "95% CI:" not in done.out
        assert "– no interval: " in done.out


class TestOneSentence:
    def test_an_interval_names_the_reason(self, errorbar: CommandLine) -> None:
        document = run(errorbar, *GOLD, "sys", "--ci", "--resamples", "10")
        why = "a single unit does not show how units vary"
        assert document["rows"][0]["human_interval"] == {"reason": why}
        assert document["rows"][0]["systems"]["sys"]["ratio_interval"] == {"reason": why}
        assert f"– no interval: {why}" in errorbar("ceiling", *GOLD, "sys", "--ci", "--resamples", "10").out


class TestBadInput:
    """One line on stderr, nothing on stdout, exit code 2."""

    def refused(self, errorbar: CommandLine, *arguments: str, stdin: bytes = b"") -> str:
        done = errorbar("ceiling", *arguments, stdin=stdin)
        assert (done.code, done.out) == (2, "")
        (line,) = [line for line in done.err.splitlines() if "rror: " in line]
        return line

    @pytest.mark.parametrize(
        ("arguments", "message"),
        [
            (["--gold", "A1.m2", "sys"], "a human ceiling needs at least two annotators"),
            (
                [*GOLD, "--sizes", "3"],
                "--sizes 3 with 2 annotators besides the author of a text (expected 1 to 2)",
            ),
            ([*GOLD, "--sizes", "0"], "--sizes 0 with 2 annotators besides the author of a text"),
            ([*GOLD, "--sizes", "2-9999999999999"], "--sizes 3 with 2 annotators"),
            ([*GOLD, "--sizes", "2-1"], "'2-1' runs backwards; say 1-2"),
            ([*GOLD, "--sizes", "two"], "'two' is neither a number nor a range such as 1-9"),
            ([*GOLD, "--sizes", "1-"], "'1-' is neither a number nor a range"),
            ([*GOLD, "--metric", "m2(choose=A1)"], "scores against one annotator only"),
            (
                [*GOLD, "--n-documents", "1"],
                "--n-documents needs to know which essay each sentence is from; add --documents",
            ),
            ([*GOLD, "--documents", "nowhere.sgml"], "nowhere.sgml: no such file"),
            (["--gold", "B*.m2"], "B*.m2: no file has such a name"),
            ([*GOLD, "sys", "./sys"], "two systems are called 'sys'; rename one: name=path"),
            (["--gold", "-", "--gold", "A1.m2", "-"], "standard input can be read only once"),
        ],
    )
    def test_misuse(self, errorbar: CommandLine, arguments: list[str], message: str) -> None:
        assert message in self.refused(errorbar, *arguments)

    def test_annotators_over_different_texts(self, errorbar: CommandLine) -> None:
        Path("A2.m2").write_text(m2((X,), text=TEXT.replace("c", "q")))
        assert "A2.m2:1: the sentence is not that of A1: token 2 is 'q'" in self.refused(errorbar, *GOLD)
        Path("A2.m2").write_text(m2((X,), (Y,)))
        assert "different numbers of sentences (A1: 1, A2: 2, A3: 1)" in self.refused(errorbar, *GOLD)

    def test_more_essays_than_there_are(self, errorbar: CommandLine, many: tuple[str, ...]) -> None:
        said = self.refused(errorbar, *many, "--n-documents", "7")
        assert "--n-documents 7 with 6 documents (expected 1 to 6)" in said


def test_an_annotator_who_did_not_look_is_warned_of(errorbar: CommandLine) -> None:
    both = m2((X,), (Y,)).replace("|||0\n", "|||1\n", 1)  # annotator 1 has the first sentence, 0 the second
    Path("both.m2").write_text(both)
    done = errorbar("ceiling", "--gold", "both.m2", "--no-ci")
    assert done.code == 0
    assert [line.split(" has ")[0] for line in done.err.splitlines()] == [
        "warning: both: annotator 0",
        "warning: both: annotator 1",
    ]


def test_the_shares_of_many_systems_have_a_table_of_their_own(errorbar: CommandLine) -> None:
    names = ["s1", "s2", "s3", "s4"]
    for name in names:
        Path(name).write_text(Path("sys").read_text())
    few = errorbar("ceiling", *GOLD, *names[:3]).out
    assert "s3 / human %" in few.splitlines()[0]
    by_references, shares = errorbar("ceiling", *GOLD, *names).out.split("\n system ")
    assert by_references.split("\n")[0].split() == ["references", "subsets", "human", *names]
    first = few.splitlines()[3].split()
    assert [line.split() for line in shares.splitlines()[2:6]] == [[name, *first[3:5]] for name in names]
    assert "systems against 2 references" in shares
    table = errorbar("ceiling", *GOLD, *names, "--format", "csv").out
    assert table.splitlines()[0].endswith(",s4,s4_ratio")
