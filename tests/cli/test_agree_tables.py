"""``errorbar agree`` of tables: every way in, every scale, and signatures that change exactly if a digit may."""

from __future__ import annotations

import gzip
import json
import os
import random
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from errorbar import Judgments
from tests.agreement.examples import KRIPPENDORFF, PREPOSITION_RATERS
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine, Outcome

VOTES = [(f"i{item}", rater, label) for item, labels in enumerate(["yyn", "yyy", "nnn", "nyn"]) for rater, label in
         zip("pqr", labels, strict=True)]  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def table(path: str, rows: list[tuple[str, str, str]]) -> str:
    Path(path).write_text("".join(f"{','.join(row)}\n" for row in [("item", "rater", "label"), *rows]))
    return path


def run(errorbar: CommandLine, *arguments: object) -> dict[str, Any]:
    done = errorbar("agree", *arguments, "--format", "json", "--resamples", "50")
    assert (done.code, done.err) == (0, "")
    return validated("agree", done.out)


def refused(done: Outcome) -> str:
    """The one line that a refusal is, with nothing printed before."""
    assert (done.code, done.out) == (2, "")
    (line,) = done.err.splitlines()
    assert line.startswith("error: ")
    return line


def rows_of(judgments: Judgments) -> list[tuple[str, str, str]]:
    columns = judgments.to_columns()
    return [
        (str(i), str(r), str(k)) for i, r, k in zip(columns["item"], columns["rater"], columns["label"], strict=True)
    ]


class TestScales:
    @pytest.mark.parametrize(
        ("scale", "alpha"), [("nominal", 0.743421), ("ordinal", 0.815388), ("interval", 0.849107), ("ratio", 0.797403)]
    )
    def test_krippendorffs_example(self, errorbar: CommandLine, scale: str, alpha: float) -> None:
        """Krippendorff 2011, section C: 4 observers, 12 units (he prints three digits; six by krippendorff 0.8)."""
        document = run(errorbar, table("k.csv", rows_of(KRIPPENDORFF)), "--scale", scale)
        assert document["coefficients"]["krippendorff"]["value"] == pytest.approx(alpha, abs=5.1e-7)
        assert document["scale"] == scale

    @pytest.mark.parametrize(
        ("options", "kappa"),
        [
            (["--scale", "ordinal"], 0.655420),
            (["--scale", "ordinal", "--weights", "quadratic"], 0.685179),
            (["--scale", "interval"], 0.685179),
            (["--scale", "interval", "--weights", "linear"], 0.655420),
        ],
    )
    def test_weighted_kappa(self, errorbar: CommandLine, options: list[str], kappa: float) -> None:
        """Tetreault and Chodorow 2008, table 3, labels 0, 1, 2; scikit-learn cohen_kappa_score(weights=...)."""
        cells = [(a, b, int(n)) for a, row in enumerate(PREPOSITION_RATERS.counts) for b, n in enumerate(row)]
        pairs = [(str(a), str(b)) for a, b, n in cells for _ in range(n)]
        rows = [(f"i{at}", rater, label) for at, pair in enumerate(pairs) for rater, label in zip("ab", pair)]  # noqa: B905
        document = run(errorbar, table("p.csv", rows), *options)
        assert document["coefficients"]["cohen"]["value"] == pytest.approx(kappa, abs=5.1e-7)
        assert document["weights"] == (
            options[3] if len(options) > 2 else "linear" if "ordinal" in options else "quadratic"
        )
        assert "scott" not in document["coefficients"]

    def test_what_is_defined_on_which_scale(self, errorbar: CommandLine) -> None:
        rows = [row for row in rows_of(KRIPPENDORFF) if row[1] in "AB"]
        found = {
            scale: set(run(errorbar, table("k.csv", rows), "--scale", scale)["coefficients"])
            for scale in ("nominal", "ordinal", "interval", "ratio")
        }
        names = {"observed", "krippendorff", "cohen"}
        assert found == {
            "nominal": names | {"fleiss", "gwet", "bennett", "scott"},
            "ordinal": names,
            "interval": names,
            "ratio": names - {"cohen"},
        }

    def test_numbers_compared_as_names_are_remarked(self, errorbar: CommandLine) -> None:
        said = run(errorbar, table("k.csv", rows_of(KRIPPENDORFF)))["remarks"]
        assert any("the labels are numbers and were compared as names" in remark for remark in said)
        two = [(item, rater, {"y": "1", "n": "0"}[label]) for item, rater, label in VOTES]
        assert run(errorbar, table("two.csv", two))["remarks"] == []

    def test_ranks_may_be_called_like_kinds_of_edits(self, errorbar: CommandLine) -> None:
        votes = [(item, rater, {"y": "error", "n": "ok"}[label]) for item, rater, label in VOTES]
        path = table("v.csv", votes)
        assert run(errorbar, path, "--scale", "ordinal", "--labels", "ok,type,error")["scale"] == "ordinal"

    def test_ranks_that_are_no_numbers_need_an_order(self, errorbar: CommandLine) -> None:
        words = dict(zip("12345", ["bad", "poor", "fair", "good", "best"], strict=True))
        rows = [(item, rater, words[label]) for item, rater, label in rows_of(KRIPPENDORFF)]
        path = table("w.csv", rows)
        assert "name them in order" in refused(errorbar("agree", path, "--scale", "ordinal"))
        document = run(errorbar, path, "--scale", "ordinal", "--labels", "bad,poor,fair,good,best")
        assert document["coefficients"]["krippendorff"]["value"] == pytest.approx(0.815388, abs=5.1e-7)
        assert "which is not declared" in errorbar("agree", path, "--scale", "ordinal", "--labels", "bad,good").err
        assert "is not a number" in refused(errorbar("agree", path, "--scale", "interval"))

    @pytest.mark.parametrize("other", ["2.0", "02", "+2", "2e0"])
    def test_one_number_has_one_rank(self, errorbar: CommandLine, other: str) -> None:
        """Written in two ways it was two ranks; interval and ratio, where the difference is 0, know it as one."""
        rows = [*rows_of(KRIPPENDORFF), ("13", "A", "2"), ("13", "B", other)]
        path = table("k.csv", rows)
        line = refused(errorbar("agree", path, "--scale", "ordinal"))
        first, second = sorted(["2", other])
        assert f"the labels '{first}' and '{second}' are the same number" in line
        assert "write them the same way" in line
        assert line.endswith("[agreement-order]")
        same = table("same.csv", [*rows_of(KRIPPENDORFF), ("13", "A", "2"), ("13", "B", "2")])
        for scale in ("interval", "ratio"):
            found = [run(errorbar, each, "--scale", scale)["coefficients"]["krippendorff"] for each in (path, same)]
            assert found[0]["value"] == pytest.approx(found[1]["value"], abs=1e-12)
        assert run(errorbar, path, "--scale", "ordinal", "--labels", f"unknown={other}")["scale"] == "ordinal"
        order = f"1,2,{other},3,4,5"
        assert run(errorbar, path, "--scale", "ordinal", "--labels", order)["scale"] == "ordinal"

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            (["--weights", "linear"], "weights 'linear' of Cohen's kappa on the nominal scale"),
            (["--scale", "ratio", "--weights", "linear"], "on the ratio scale"),
            (["--scale", "ratio", "--pairs"], "has no weights for ratios"),
            (["--labels", "1,2", "--scale", "interval"], "an order is of labels that are ranks"),
            (["--labels", "1,2,3,4"], "which is not declared"),
        ],
    )
    def test_what_is_not_defined_is_refused(self, errorbar: CommandLine, options: list[str], message: str) -> None:
        rows = [row for row in rows_of(KRIPPENDORFF) if row[1] in "AB"]
        assert message in refused(errorbar("agree", table("k.csv", rows), *options))

    def test_large_and_near_numbers_overflow_nothing(self, errorbar: CommandLine) -> None:
        """Interval and ratio alpha do not change when every label is multiplied by one number."""
        rows = rows_of(KRIPPENDORFF)
        for scale in ("interval", "ratio"):
            values = {
                factor: run(
                    errorbar, table("x.csv", [(i, r, f"{label}{factor}") for i, r, label in rows]), "--scale", scale
                )
                for factor in ("", "e300", "e-300")
            }
            plain, *others = (each["coefficients"]["krippendorff"]["value"] for each in values.values())
            assert others == pytest.approx([plain, plain], rel=1e-12)


class TestSignature:
    def test_the_order_of_rows_changes_nothing(self, errorbar: CommandLine) -> None:
        rows = [*VOTES, *((f"j{n}", "p", "maybe") for n in range(3)), *((f"j{n}", "q", "yn?"[n]) for n in range(3))]
        first = run(errorbar, table("v.csv", rows))
        for seed in range(5):
            shuffled = random.Random(seed).sample(rows, len(rows))
            assert run(errorbar, table("v.csv", shuffled)) == first

    def test_the_order_of_annotators_changes_nothing(self, errorbar: CommandLine) -> None:
        for name, edits in (("A2", "0 1"), ("A10", "1 2"), ("B", "2 3")):
            Path(f"{name}.m2").write_text(f"S a b c d\nA {edits}|||T|||x|||REQUIRED|||-NONE-|||0\n\nS e f\n\n")
        first, second = (
            run(errorbar, *(f"{name}.m2" for name in names)) for names in (("A2", "A10", "B"), ("B", "A10", "A2"))
        )
        assert first == second
        assert [(pair["first"], pair["second"]) for pair in first["pairs"]] == [
            ("A2", "A10"),
            ("A2", "B"),
            ("A10", "B"),
        ]

    def test_documents_are_in_it(self, errorbar: CommandLine) -> None:
        """Sentences of one essay are drawn together: other intervals, so another signature."""
        sentences = "".join(f"S a b c\nA {n % 3} {n % 3 + 1}|||T|||x|||REQUIRED|||-NONE-|||0\n\n" for n in range(6))
        Path("A.m2").write_text(sentences)
        Path("B.m2").write_text(sentences.replace("A 0 1", "A 1 2"))
        essay = '<DOC nid="{}"><TEXT><P>{}</P></TEXT></DOC>\n'
        found = []
        for size in (2, 3):
            Path("d.sgml").write_text("".join(essay.format(n, "a b c\n" * size) for n in range(6 // size)))
            found.append(run(errorbar, "A.m2", "B.m2", "--documents", "d.sgml"))
        found.append(run(errorbar, "A.m2", "B.m2"))
        assert len({json.dumps(each["coefficients"]["krippendorff"]["interval"]) for each in found}) == 3
        assert len({each["signature"] for each in found}) == 3
        # The judgments are the same, and say so.
        assert len({each["signature"].split("|")[1] for each in found}) == 1

    @pytest.mark.parametrize("options", [["--scale", "ordinal"], ["--seed", "1"], ["--labels", "unknown=3"]])
    def test_options_that_change_digits_are_in_it(self, errorbar: CommandLine, options: list[str]) -> None:
        path = table("k.csv", rows_of(KRIPPENDORFF))
        plain, other = (json.loads(errorbar("agree", path, "--format", "json", *o).out) for o in ([], options))
        assert plain["coefficients"] != other["coefficients"]
        assert plain["signature"] != other["signature"]


class TestShares:
    def test_a_share_of_the_judgments_is_one(self, errorbar: CommandLine) -> None:
        """One item with 8 judgments and three with 2: of the judgments 8/14 are y, as a mean over items 1/4 are."""
        rows = [("a", f"r{n}", "y") for n in range(8)] + [(i, r, "n") for i in "bcd" for r in ("r0", "r1")]
        document = run(errorbar, table("v.csv", rows))
        assert document["prevalence"] == pytest.approx({"n": 6 / 14, "y": 8 / 14})
        assert "shares of the judgments: n 42.86%, y 57.14%" in errorbar("agree", "v.csv", "--resamples", "5").out

    def test_the_remark_counts_judgments(self, errorbar: CommandLine) -> None:
        """40 items with two votes, all ok, and one with ten, two of them error: 88 of 90 judgments are ok."""
        rows = [(f"i{n}", r, "ok") for n in range(40) for r in ("r0", "r1")]
        rows += [("x", f"r{n}", "error" if n < 2 else "ok") for n in range(10)]
        (remark,) = run(errorbar, table("v.csv", rows))["remarks"]
        assert "'ok' is 0.978 of the judgments," in remark


def as_jsonl(path: Path) -> None:
    keys = ("item", "rater", "label")
    path.write_text("".join(json.dumps(dict(zip(keys, row, strict=True))) + "\n" for row in VOTES))


def as_tsv(path: Path) -> None:
    path.write_text("".join("\t".join(row) + "\r\n" for row in [("item", "rater", "label"), *VOTES]))


def as_gzip(path: Path) -> None:
    path.write_bytes(gzip.compress(Path(table("plain.csv", VOTES)).read_bytes()))


def as_parquet(path: Path) -> None:
    arrow = pytest.importorskip("pyarrow")
    columns = dict(zip(("item", "rater", "label"), map(list, zip(*VOTES, strict=True)), strict=True))
    arrow.parquet.write_table(arrow.table(columns), path)


def as_batch(path: Path) -> None:
    rows = [("HITId", "WorkerId", "AssignmentStatus", "Answer.Q"), *((i, r, "Approved", k) for i, r, k in VOTES)]
    path.write_text("".join(f"{','.join(row)}\n" for row in rows))


WAYS = [("v.jsonl", as_jsonl), ("v.tsv", as_tsv), ("v.csv.gz", as_gzip), ("v.parquet", as_parquet), ("b.csv", as_batch)]


class TestWaysIn:
    @pytest.mark.parametrize("through", ["file", "pipe", "-"])
    @pytest.mark.parametrize(("name", "write"), WAYS)
    def test_every_format_through_every_door(
        self, errorbar: CommandLine, name: str, write: Callable[[Path], None], through: str
    ) -> None:
        pytest.importorskip("pyarrow.parquet") if name.endswith("parquet") else None
        expected = run(errorbar, table("expected.csv", VOTES))
        write(Path(name))
        if through == "-":
            done = errorbar("agree", "-", "--format", "json", "--resamples", "50", stdin=Path(name).read_bytes())
            assert json.loads(done.out) == expected
            return
        path = name
        if through == "pipe":
            path = "pipe"
            os.mkfifo(path)
            threading.Thread(target=lambda: Path("pipe").write_bytes(Path(name).read_bytes()), daemon=True).start()
        assert run(errorbar, path) == expected

    def test_nothing_of_a_large_pipe_is_lost(self, errorbar: CommandLine) -> None:
        """A pipe that was opened twice lost what the first look had buffered: 55,904 of 60,000 judgments were read."""
        lines = [
            f'{{"item": "i{n // 3}", "rater": "{"abc"[n % 3]}", "label": "{"yn"[n % 2]}"}}\n' for n in range(60_000)
        ]
        os.mkfifo("pipe")
        threading.Thread(target=lambda: Path("pipe").write_text("".join(lines)), daemon=True).start()
        done = errorbar("agree", "pipe", "--format", "json", "--resamples", "1")
        assert json.loads(done.out)["n_judgments"] == 60_000

    def test_wide_tables(self, errorbar: CommandLine) -> None:
        items = list(dict.fromkeys(row[0] for row in VOTES))
        said = {(item, rater): label for item, rater, label in VOTES}
        lines = ["item,p,q,r", *(",".join([item, *(said[item, rater] for rater in "pqr")]) for item in items)]
        Path("wide.csv").write_text("\n".join(lines) + "\n")
        assert run(errorbar, "wide.csv", "--layout", "wide") == run(errorbar, table("v.csv", VOTES))

    def test_columns_of_other_names_and_repeats(self, errorbar: CommandLine) -> None:
        expected = run(errorbar, table("v.csv", VOTES))
        again = [*VOTES, ("i0", "p", "n")]
        Path("w.csv").write_text("hit,worker,said\n" + "".join(f"{','.join(row)}\n" for row in again))
        named = ["--column", "item=hit", "--column", "rater=worker", "--column", "label=said"]
        assert run(errorbar, "w.csv", *named, "--repeats", "first") == expected
        assert "judged item 'i0' before" in refused(errorbar("agree", "w.csv", *named))
        assert "--layout is about tables" in self.of_corpus(errorbar, "--layout", "wide")

    @staticmethod
    def of_corpus(errorbar: CommandLine, *options: str) -> str:
        Path("A.m2").write_text("S a\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||0\n\n")
        return refused(errorbar("agree", "A.m2", *options))


class TestBadCells:
    @pytest.mark.parametrize("cell", ["[3, 3, 4]", "[3]", "['ok', 'error']", "[1 2 3]", "[]"])
    def test_a_list_is_not_one_label(self, errorbar: CommandLine, cell: str) -> None:
        Path("long.csv").write_text(f'item,rater,label\nx,a,3\nx,b,"{cell}"\n')
        assert "long.csv:3: the label" in (line := refused(errorbar("agree", "long.csv")))
        assert "is a list of labels (expected one label" in line
        Path("wide.csv").write_text(f'item,a,b\nx,3,"{cell}"\n')
        assert "is a list of labels" in refused(errorbar("agree", "wide.csv", "--layout", "wide"))
        Path("batch.csv").write_text(f'HITId,WorkerId,Answer.Q\nx,a,3\nx,b,"{cell}"\n')
        assert "is a list of labels" in refused(errorbar("agree", "batch.csv"))
        Path("stream.csv").write_text(f'item,rater,label\nx,a,3\nx,b,"{cell}"\n')
        assert "is a list of labels" in refused(errorbar("crowd", "aggregate", "stream.csv"))

    def test_a_label_in_brackets_is_a_label(self, errorbar: CommandLine) -> None:
        rows = [(item, rater, f"[{label}]") for item, rater, label in VOTES]
        assert set(run(errorbar, table("v.csv", rows))["prevalence"]) == {"[y]", "[n]"}

    def test_half_a_character_is_refused_before_anything_is_printed(self, errorbar: CommandLine) -> None:
        for field in ("item", "rater", "label"):
            row = {"item": "i", "rater": "a", "label": "ok", field: "\ud800"}
            Path("v.jsonl").write_text(json.dumps(row) + '\n{"item": "i", "rater": "b", "label": "ok"}\n')
            assert "v.jsonl:1: not JSON: it has half a character" in refused(errorbar("agree", "v.jsonl"))
        Path("c.jsonl").write_text(json.dumps({"text": "a \udc00", "annotations": {"A": [], "B": []}}) + "\n")
        assert "half a character" in refused(errorbar("agree", "c.jsonl"))
        rows = [{"item": "i", "rater": rater, "label": "\U0001f600"} for rater in "ab"]  # a whole one, in two halves
        Path("v.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        assert "\U0001f600" in errorbar("agree", "v.jsonl", "--resamples", "5").out

    def test_names_of_thousands_of_digits(self, errorbar: CommandLine) -> None:
        """Python makes no number of more than 4,300 digits: ids are compared as texts, labels are names."""
        long = "7" * 5000
        rows = [(item, {"p": long}.get(rater, rater), {"y": long}.get(label, label)) for item, rater, label in VOTES]
        assert run(errorbar, table("v.csv", rows))["prevalence"][long] == pytest.approx(0.5)
        shown = errorbar("agree", "v.csv", "--resamples", "5").out
        assert max(map(len, shown.splitlines())) < 1000
        assert "is not a number" in refused(errorbar("agree", "v.csv", "--scale", "interval"))
        Path("gold.m2").write_text(
            f"S a b\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||{long}\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||1\n"
        )
        assert run(errorbar, "gold.m2")["n_raters"] == 2

    def test_damaged_parquet(self, errorbar: CommandLine) -> None:
        """Damage anywhere is one line about the file; a page that cannot be unpacked was told as unwritable output."""
        arrow = pytest.importorskip("pyarrow")
        pytest.importorskip("pyarrow.parquet")
        rows = [(f"item {n}", f"rater {n % 7}", f"label {n % 3}") for n in range(3000)]
        columns = dict(zip(("item", "rater", "label"), map(list, zip(*rows, strict=True)), strict=True))
        arrow.parquet.write_table(arrow.table(columns), "whole.parquet", compression="gzip")
        whole = Path("whole.parquet").read_bytes()
        for at in (0, 40, len(whole) // 3, len(whole) // 2, len(whole) - 6):
            Path("v.parquet").write_bytes(whole[:at] + b"\xff" * 30 + whole[at + 30 :])
            for command in (("agree",), ("crowd", "aggregate")):
                assert "v.parquet: cannot be read as Parquet" in refused(errorbar(*command, "v.parquet"))
        binary = arrow.array([b"x\xff", b"y"], arrow.binary()).cast(arrow.string(), safe=False)
        arrow.parquet.write_table(arrow.table({"item": ["1", "2"], "rater": ["a", "b"], "label": binary}), "v.parquet")
        for command in (("agree",), ("crowd", "aggregate")):
            assert "v.parquet: cannot be read as Parquet" in refused(errorbar(*command, "v.parquet"))
