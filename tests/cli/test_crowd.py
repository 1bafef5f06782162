"""The crowd commands, from files to tables, and what they say of bad ones."""

from __future__ import annotations

import csv
import io
import json
import tracemalloc
from pathlib import Path
from typing import Any

import click
import numpy as np
import pytest
from click.testing import CliRunner

from errorbar import ErrorbarError, Judgments, Problems, Resampling, read_judgments
from errorbar import crowd as crowd_scores
from errorbar import curve as follow
from errorbar.agreement import agreement_report
from errorbar.api import crowd_answers
from errorbar.api import crowd_answers as crowd_raters
from errorbar.cli import options as crowd_options
from errorbar.cli.crowd import command as crowd
from errorbar.cli.curve import command as curve
from errorbar.core import UsageError
from errorbar.edits.items import PROJECTIONS
from errorbar.formats import read_answers, read_flags
from errorbar.formats.judgments import read_batch, read_wide
from errorbar.testing import accurate, simulate
from tests.cli.schema import validated
from tests.cli.test_agree_tables import refused, table
from tests.helpers.cli import CommandLine
from tests.helpers.crowd import write_judgments

M2 = """S He go to to school .
A 1 2|||SVA|||goes|||REQUIRED|||-NONE-|||0
A 2 3|||Prep||||||REQUIRED|||-NONE-|||0
A 2 3|||Prep||||||REQUIRED|||-NONE-|||1

S Fine in summer .
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1
"""


def run(command: click.Command, *arguments: object) -> str:
    result = CliRunner().invoke(command, [str(a) for a in arguments], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout


def record(command: click.Command, *arguments: object) -> Any:  # noqa: ANN401 - what JSON holds is what each test says
    return json.loads(run(command, *arguments, "--format", "json"))


def fails(command: click.Command, *arguments: object) -> str:
    with pytest.raises(ErrorbarError) as caught:
        CliRunner().invoke(command, [str(a) for a in arguments], catch_exceptions=False)
    return str(caught.value)


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    made = simulate([accurate(0.85)] * 10, np.random.default_rng(1), n_items=120, per_item=10, prevalence=0.3)
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(write_judgments(made.judgments)) + "\n", encoding="utf-8")
    flags = [
        "item,flag",
        *(f"{item},{int(truth)}" for item, truth in zip(made.judgments.items, made.truth, strict=True)),
    ]
    (tmp_path / "flags.csv").write_text("\n".join(flags) + "\n", encoding="utf-8")
    gold = ["item,label", *(f"{item},{label}" for item, label in made.gold(range(120)).items())]
    (tmp_path / "gold.csv").write_text("\n".join(gold) + "\n", encoding="utf-8")
    return path


def test_score_has_both_estimands_with_n_k_and_signature(votes: Path) -> None:
    found = record(crowd, "score", votes, f"mine={votes.with_name('flags.csv')}")
    weighted, majority = found["rows"]
    assert (weighted["estimand"], majority["estimand"]) == ("weighted", "majority")
    assert majority["n_judgments"] == {"least": 10, "mean": 10.0, "most": 10}
    assert majority["P"]["value"] > weighted["P"]["value"]  # the truth is flagged: only the crowd's noise is in the way
    assert weighted["P"]["interval"]["low"] < weighted["P"]["value"] < weighted["P"]["interval"]["high"]
    assert weighted["signature"] != majority["signature"]
    again = record(crowd, "score", votes, f"mine={votes.with_name('flags.csv')}")
    assert again == found
    table = run(crowd, "score", votes, f"mine={votes.with_name('flags.csv')}", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(table)))
    assert float(rows[0]["P"]) == weighted["P"]["value"]


def test_a_corpus_takes_the_place_of_judgments(tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(M2, encoding="utf-8")
    (tmp_path / "out.txt").write_text("He go to school .\nFine in the summer .\n", encoding="utf-8")
    found = record(crowd, "score", tmp_path / "gold.m2", tmp_path / "out.txt", "--items", "words")
    weighted = found["rows"][0]
    # Three prepositions: to, to, in. One "to" is deleted by both annotators and by the system.
    assert weighted["n_items"] == 3
    assert weighted["hits"] + weighted["false_positives"] == 1
    tokens = record(crowd, "score", tmp_path / "gold.m2", tmp_path / "out.txt")["rows"][0]
    assert tokens["n_items"] == 10
    assert tokens["misses"] == pytest.approx(0.5 + (1 - tokens["hits"]))  # "go" is an error to one of two
    (tmp_path / "flags.csv").write_text("item,flag\n1:1-2,1\n", encoding="utf-8")
    text = fails(crowd, "score", tmp_path / "gold.m2", tmp_path / "flags.csv")
    assert "9 of 10 judged items have no flag" in text
    lenient = record(crowd, "score", tmp_path / "gold.m2", tmp_path / "flags.csv", "--lenient")["rows"][0]
    assert lenient["hits"] == 0.5


def test_curve_has_bins_and_kappa(votes: Path) -> None:
    found = record(curve, votes, f"mine={votes.with_name('flags.csv')}", "--resamples", 50)
    bins, points = found["rows"][0]["bins"], found["rows"][0]["curve"]
    assert [(b["low"], b["high"]) for b in bins] == [(0.5, 0.75), (0.75, 0.9), (0.9, 1.0)]
    assert sum(b["n_items"] for b in bins) == 120
    assert points[0]["kept"] >= points[-1]["kept"] > 0
    assert "kappa at 0.1" in run(curve, votes, votes.with_name("flags.csv"), "--kappa", "--resamples", 20)
    assert "numbers between commas" in fails(curve, votes, votes.with_name("flags.csv"), "--bins", "a,b")


def test_aggregate_shows_methods_next_to_each_other(votes: Path) -> None:
    found = record(crowd, "aggregate", votes)
    assert set(found["items"][0]) == {"item", "n_judgments", "majority", "trust", "one-coin", "dawid-skene"}
    assert len(found["summary"]["dawid-skene"]["starts"]) == 4
    differing = record(crowd, "aggregate", votes, "--differing")["items"]
    assert len(differing) == found["n_differing"]
    assert "log-likelihood" in run(crowd, "aggregate", votes, "--summary")


def test_raters_are_tested_and_the_rule_prints_its_error_rates(votes: Path) -> None:
    found = record(crowd, "raters", votes, "--gold", votes.with_name("gold.csv"))
    assert len(found["raters"]) == 10
    assert {rate["accuracy"] for rate in found["rates"]} == {0.85, 0.6, 0.5}
    text = run(crowd, "raters", votes, "--gold", votes.with_name("gold.csv"))
    assert "drops 2.36% and keeps 68.66% of raters with accuracy 0.85" in text
    assert "running(threshold=0.7,least=5)" in run(crowd, "raters", votes, "--rates")


def test_thresholds_and_rules_are_those_asked_for(votes: Path) -> None:
    call = (votes, "--gold", votes.with_name("gold.csv"))
    for rule, options, name in (
        ("sprt", ("--good", 0.9, "--bad", 0.5), "sprt(good=0.9,bad=0.5"),
        ("posterior", ("--threshold", 0.8), "posterior(threshold=0.8"),
        ("running", ("--threshold", 0.8), "running(threshold=0.8"),
        ("fixed", ("--threshold", 0.8), "fixed(threshold=0.8"),
    ):
        found = record(crowd, "raters", *call, "--rule", rule, *options, "--most", 7)
        assert found["rule"].startswith(name)
        assert {(rate["rule"], rate["most"]) for rate in found["rates"]} == {(found["rule"], 7)}
        for rate in found["rates"]:
            assert (rate["mean_items_dropped"] is None) == (rate["drop"] == 0)
    assert len({rate["rule"] for rate in record(crowd, "raters", *call, "--rates")["rates"]}) == 4
    both = [record(crowd, "raters", *call, *together)["raters"] for together in ((), ("--together",))]
    assert {len(row["verdict_by_label"]) for row in both[0]} == {2}
    assert both[0] != both[1]


def test_howmany_needs_somebody_to_compare_with(votes: Path) -> None:
    assert "either experts or truth" in fails(crowd, "howmany", votes)
    found = record(crowd, "howmany", votes, "--truth", votes.with_name("gold.csv"))
    curve_ = [point["accuracy"] for point in found["curve"]]
    assert curve_ == sorted(curve_)
    assert found["expert_accuracy"] is None
    experts = record(crowd, "howmany", votes, "--experts", "accurate-1,accurate-2,accurate-3")
    assert experts["n_experts"] == 3


def test_mine_builds_counts_and_keeps_the_set_blind(tmp_path: Path) -> None:
    good = tmp_path / "good.txt"
    good.write_text("we discuss the plan\nlook at the plan\n" * 5, encoding="utf-8")
    text = tmp_path / "text.txt"
    text.write_text("we discuss about the plan\nlook at the plan\n", encoding="utf-8")
    run(crowd, "mine", "--build", "--counts", tmp_path / "counts", good)
    key = tmp_path / "key.csv"
    table = run(crowd, "mine", "--counts", tmp_path / "counts", text, "--n", 1, "--key", key, "--format", "csv")
    assert "score" not in table
    assert "we discuss [about] the plan" in table
    assert key.read_text(encoding="utf-8").splitlines()[0] == "item,kind,score"
    assert {line.split(",")[1] for line in key.read_text(encoding="utf-8").splitlines()[1:]} == {"candidate", "correct"}
    assert "not a file of n-gram counts" in fails(crowd, "mine", "--counts", text, text)


@pytest.mark.parametrize(
    ("content", "options", "said"),
    [
        ("item,rater,label\nx,a,error\nx,a,ok\n", (), "rater 'a' judged item 'x' before, in line 2"),
        ("item,rater,label\nx,a,eror\nx,b,ok\n", ("--labels", "error,ok"), "did you mean 'error'?"),
        ("item,rater,label\nx,a,bad\nx,b,ok\n", (), "name the label that means an error"),
        ("item,rater,label\nx,a,ok\nx,b,ok\n", (), "no label is called 'error'"),
        ("item,rater,label\nx,a,error\n", ("--column", "who=b"), "ROLE=NAME"),
        ("HITId,WorkerId,Answer.a,Answer.b\nx,a,1,2\n", (), "2 columns could be the answer"),
    ],
)
def test_bad_judgments_are_one_clear_line(tmp_path: Path, content: str, options: tuple[str, ...], said: str) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(content, encoding="utf-8")
    (tmp_path / "flags.csv").write_text("item,flag\nx,1\n", encoding="utf-8")
    text = fails(crowd, "score", path, tmp_path / "flags.csv", *options)
    assert said in text
    assert len(text.splitlines()) == 1


def test_bad_flags_are_named_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("item,rater,label\nx,a,error\nx,b,ok\n", encoding="utf-8")
    (tmp_path / "f.csv").write_text("item,flag\nx,perhaps\nx,1\nx,0\n", encoding="utf-8")
    text = fails(crowd, "score", tmp_path / "v.csv", tmp_path / "f.csv")
    assert "f.csv:2: the flag is 'perhaps'" in text
    assert "f.csv:4: item 'x' was flagged before" in text


def test_wide_tables_and_batches(tmp_path: Path) -> None:
    (tmp_path / "wide.csv").write_text("item,ann,bob\nx,error,ok\ny,,ok\n", encoding="utf-8")
    table = read_wide(tmp_path / "wide.csv", Problems())
    assert table.to_columns() == {
        "item": ["x", "x", "y"],
        "rater": ["ann", "bob", "bob"],
        "label": ["error", "ok", "ok"],
    }
    batch = "HITId,WorkerId,AssignmentStatus,WorkTimeInSeconds,Input.text,Answer.q\n"
    batch += 'h1,w1,Approved,12,"a, b",error\nh1,w2,Rejected,3,"a, b",ok\nh2,w1,Submitted,,c,\nh2,w2,Submitted,7,c,ok\n'
    (tmp_path / "batch.csv").write_text(batch, encoding="utf-8")
    problems = Problems()
    found = read_batch(tmp_path / "batch.csv", problems)
    assert found.judgments.to_columns()["label"] == ["error", "ok"]
    assert found.seconds.tolist() == [12, 7]
    assert found.lines.tolist() == [2, 5]
    assert [note.what[:13] for note in problems.notes] == ["1 assignments", "1 assignments"]


def test_a_real_batch_and_ten_annotators(data: Path) -> None:
    batch = data / "crowd_corrections_choshen2018" / "confirmation_batch.pseudonymised.csv"
    found = read_batch(batch, Problems()).judgments
    counts = dict(zip(found.labels, np.bincount(found.label).tolist(), strict=True))
    # data/README.md: 3,264 judgments, 96 workers, 2,568 yes and 696 no.
    assert (len(found), len(found.raters), counts) == (3264, 96, {"No": 696, "Yes": 2568})
    system = data / "conll14_systems" / "official_submissions" / "CAMB"
    gold = data / "bn2015_10gec" / "A*.m2"
    rows = record(crowd, "score", gold, system, "--items", "words", "--lenient")["rows"]
    assert rows[0]["n_items"] == 3836
    assert rows[0]["n_judgments"] == {"least": 10, "mean": 10.0, "most": 10}
    assert rows[0]["hits"] + rows[0]["false_positives"] == 222


def test_columns_of_other_names_and_times(tmp_path: Path) -> None:
    lines = [
        "q,worker,said,time",
        *(f"{q},{w},{'error' if (q + w) % 3 else 'ok'},{w + 1}" for q in range(8) for w in range(3)),
    ]
    (tmp_path / "v.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    names = ["item=q", "rater=worker", "label=said", "seconds=time"]
    options = [word for name in names for word in ("--column", name)]
    rows = record(crowd, "raters", tmp_path / "v.csv", *options)["raters"]
    assert [row["median_seconds"] for row in rows] == [1, 2, 3]
    keys = '{"item": "x", "worker": "%s", "label": "error"}\n'
    (tmp_path / "v.jsonl").write_text(keys % "a" + keys % "b", encoding="utf-8")
    found = record(crowd, "aggregate", tmp_path / "v.jsonl", "--column", "rater=worker", "--method", "majority")
    assert found["items"] == [{"item": "x", "n_judgments": 2, "majority": {"answer": "error", "share": 1.0}}]


def test_a_blank_time_is_unknown_and_a_wrong_one_is_named(tmp_path: Path, errorbar: CommandLine) -> None:
    path = tmp_path / "v.csv"
    path.write_text("item,rater,label,time\nx,a,error,5\ny,a,ok,\nz,a,ok,  \nw,a,,3\nx,b,ok,\n")
    call = ("crowd", "raters", path, "--column", "seconds=time", "--format", "json")
    done = errorbar(*call)
    document = json.loads(done.out)
    assert [row["median_seconds"] for row in document["raters"]] == [5, None]
    assert [note["code"] for note in document["warnings"]] == ["judgments-no-label", "crowd-unjudged"]
    path.write_text("item,rater,label,time\nx,a,error,5\ny,a,ok,soon\n")
    assert "the time 'soon' will not do" in errorbar(*call).err
    document = json.loads(errorbar(*call, "--lenient").out)
    assert document["raters"][0]["median_seconds"] == 5
    assert [note["code"] for note in document["warnings"]] == ["judgments-seconds"]
    missing = errorbar("crowd", "raters", path, "--column", "seconds=tme")
    assert "no column 'tme' for the seconds" in missing.err


def test_one_class_suggests_to_declare_the_other(tmp_path: Path, errorbar: CommandLine) -> None:
    (tmp_path / "v.csv").write_text("item,rater,label\nx,a,ok\nx,b,ok\n")
    (tmp_path / "f.csv").write_text("item,flag\nx,1\n")
    refused = errorbar("crowd", "score", tmp_path / "v.csv", tmp_path / "f.csv")
    assert "--labels error=LABEL" in refused.err
    assert "--labels 'ok,error'" in refused.err
    declared = errorbar("crowd", "score", tmp_path / "v.csv", tmp_path / "f.csv", "--labels", "ok,error")
    assert (declared.code, "0.00" in declared.out) == (0, True)


def test_the_curve_counts_the_ties_that_it_leaves_out(tmp_path: Path, errorbar: CommandLine) -> None:
    lines = [f"i{k},r{r},{'error' if r < k % 5 else 'ok'}" for k in range(50) for r in range(4)]
    (tmp_path / "v.csv").write_text("item,rater,label\n" + "\n".join(lines) + "\n")
    (tmp_path / "f.csv").write_text("item,flag\n" + "".join(f"i{k},{k % 2}\n" for k in range(50)))
    for ties in ("half", "unknown", "error"):
        call = (
            "curve",
            tmp_path / "v.csv",
            tmp_path / "f.csv",
            "--metric",
            f"crowd(ties={ties})",
            "--resamples",
            "20",
            "--format",
            "json",
        )
        points = json.loads(errorbar(*call).out)["rows"][0]["curve"]
        # i2, i7 and so on have two of four: ten ties; the other forty are kept at .6 as well.
        assert [(p["threshold"], p["n_items"], p["n_ties"]) for p in points[:2]] == [(0.5, 40, 10), (0.6, 40, 0)]
    assert "no majority and are left out" in errorbar("curve", tmp_path / "v.csv", tmp_path / "f.csv", "--kappa").out


def test_the_best_start_is_the_first_of_those_that_end_alike(votes: Path, errorbar: CommandLine) -> None:
    out = errorbar("crowd", "aggregate", votes, "--summary").out
    rows = {line.split()[0]: line for line in out.splitlines() if line.startswith((" one-coin", " dawid"))}
    assert set(rows) == {"one-coin", "dawid-skene"}
    assert "vote shares" in rows["one-coin"]
    document = json.loads(errorbar("crowd", "aggregate", votes, "--summary", "--format", "json").out)
    for name in rows:
        found = document["summary"][name]
        objectives = [start["objective"] for start in found["starts"]]
        assert objectives[found["best"]] >= max(objectives) - 120 * 1e-6
        assert all(o < objectives[found["best"]] - 1e-9 for o in objectives[: found["best"]])


def test_runs_that_do_not_converge_are_named(votes: Path, errorbar: CommandLine) -> None:
    done = errorbar("crowd", "aggregate", votes, "--method", "dawid-skene", "--passes", "2", "--summary")
    assert "dawid-skene had not converged after 2 passes" in done.err
    assert "2+; 2+; 2+; 2+" in done.out


def test_mining_asks_once(tmp_path: Path, errorbar: CommandLine) -> None:
    (tmp_path / "good.txt").write_text("we discuss the plan\nlook at the plan\n" * 5)
    (tmp_path / "text.txt").write_text("we discuss about the plan\n" * 3 + "look at the plan\nlook at the plan .\n" * 2)
    assert errorbar("crowd", "mine", "--build", "--counts", tmp_path / "c", tmp_path / "good.txt").code == 0
    call = ("crowd", "mine", "--counts", tmp_path / "c", tmp_path / "text.txt", "--n", "5")
    document = json.loads(errorbar(*call, "--format", "json").out)
    assert len({item["text"] for item in document["items"]}) == len(document["items"]) == 2
    assert document["n_repeated"] == 4  # two of "discuss about", one each of the two "look at"
    assert "4 instances stand in a sentence that says the same elsewhere" in errorbar(*call).err


def test_the_seed_alone_does_not_undo_the_shuffling_of_questions(tmp_path: Path, errorbar: CommandLine) -> None:
    """Who knows the seed and how many questions there are, but not the counts, cannot tell which are which."""
    text = [f"we discuss about the {n}\nlook at the {n}\n" for n in range(20)]
    (tmp_path / "text.txt").write_text("".join(text), encoding="utf-8")
    kinds = []
    for plan in ("plan", "idea"):  # the scores are the same
        lines = [f"we discuss the {plan}\n", *(f"look at the {n}\ndiscuss the {n}\n" for n in range(20))]
        (tmp_path / "good.txt").write_text("".join(lines), encoding="utf-8")
        assert errorbar("crowd", "mine", "--build", "--counts", tmp_path / "c", tmp_path / "good.txt").code == 0
        call = ("crowd", "mine", "--counts", tmp_path / "c", tmp_path / "text.txt", "--n", "20", "--format", "json")
        kinds.append([item["kind"] for item in json.loads(errorbar(*call).out)["items"]])
    assert sorted(kinds[0]) == sorted(kinds[1]) == ["candidate"] * 20 + ["correct"] * 20
    assert kinds[0] != kinds[1]


def test_a_target_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("look at the plan\n", encoding="utf-8")
    missing = tmp_path / "nowhere" / "counts"
    assert "cannot be written" in fails(crowd, "mine", "--build", "--counts", missing, tmp_path / "good.txt")


def test_items_and_judgments_that_do_not_meet_are_noted(votes: Path) -> None:
    flags = votes.with_name("flags.csv")
    flags.write_text(flags.read_text(encoding="utf-8") + "elsewhere,1\n", encoding="utf-8")
    warnings = record(crowd, "score", votes, flags)["warnings"]
    assert [(note["code"], note["what"][:7]) for note in warnings] == [("crowd-not-judged", "1 item ")]


def test_the_majority_is_shown_where_no_model_applies(errorbar: CommandLine, tmp_path: Path) -> None:
    votes = tmp_path / "votes.csv"
    votes.write_text("item,rater,label\na,x,error\na,y,ok\na,z,error\nb,x,ok\nb,y,ok\nb,z,error\n")
    done = errorbar("crowd", "aggregate", votes)
    assert (done.code, "[crowd-few-judgments]" in done.err) == (0, True)
    assert "a     error" in done.out
    asked = errorbar("crowd", "aggregate", votes, "--method", "one-coin")
    assert (asked.code, asked.out) == (2, "")


@pytest.mark.parametrize("error", ["not both of an item", "both of an item"])
def test_a_model_that_gives_all_items_one_answer_is_warned_of(
    error: str, errorbar: CommandLine, tmp_path: Path
) -> None:
    """Who calls a tenth of the items errors, each other ones, tells a model nothing but that errors are mistakes."""
    rng = np.random.default_rng(0)
    rows = ["item,rater,label"]
    for item in range(200):
        raters = rng.choice(5, 2, replace=False).tolist()
        calls = rng.random() < 0.2
        said = ["error" if calls and (error == "both of an item" or k == item % 2) else "ok" for k in range(2)]
        rows += [f"i{item},r{rater},{label}" for rater, label in zip(raters, said, strict=True)]
    votes = tmp_path / "votes.csv"
    votes.write_text("\n".join(rows) + "\n")
    done = errorbar("crowd", "aggregate", votes, "--method", "majority", "--method", "one-coin", "--ties", "error")
    assert done.code == 0
    assert ("[crowd-one-answer]" in done.err) == (error == "not both of an item")
    if error == "not both of an item":
        n_ok = 200 - sum(row.endswith(",error") for row in rows)
        assert f"one-coin answers 'ok' for all 200 items, the majority for {n_ok}:" in done.err


def test_pseudo_counts_starts_and_passes_reach_the_models(votes: Path) -> None:
    usual, firm = (
        record(crowd, "aggregate", votes, "--method", "trust", "--method", "dawid-skene", *options)
        for options in ((), ("--prior", 200, 100, "--starts", 2))
    )
    assert "prior=200+100" in firm["signature"]
    assert len(firm["summary"]["dawid-skene"]["starts"]) == 2
    shares = [[item["dawid-skene"]["share"] for item in found["items"]] for found in (usual, firm)]
    # With so much said beforehand, that raters are right in two of three cases, no answer is as sure.
    assert min(shares[1]) < min(shares[0])


# One item that all call an error, one that nobody does, one that halves the raters; the first and last are flagged.
@pytest.mark.parametrize(
    ("ties", "hits", "false_positives", "n_items"),
    [("half", 1.5, 0.5, 3), ("error", 2, 0, 3), ("ok", 1, 1, 3), ("unknown", 1, 0, 2)],
)
def test_ties_are_what_was_asked_for(
    tmp_path: Path, ties: str, hits: float, false_positives: float, n_items: int
) -> None:
    said = {"e": "error error", "o": "ok ok", "t": "error ok"}
    rows = [f"{item},r{at},{label}\n" for item, both in said.items() for at, label in enumerate(both.split())]
    (tmp_path / "v.csv").write_text("item,rater,label\n" + "".join(rows), encoding="utf-8")
    (tmp_path / "f.csv").write_text("item,flag\ne,1\no,0\nt,1\n", encoding="utf-8")
    call = (tmp_path / "v.csv", tmp_path / "f.csv", "--metric", f"crowd(ties={ties})", "--no-ci")
    weighted, majority = record(crowd, "score", *call)["rows"]
    assert (weighted["hits"], weighted["false_positives"], weighted["n_items"]) == (1.5, 0.5, 3)
    assert (majority["hits"], majority["false_positives"], majority["n_items"]) == (hits, false_positives, n_items)
    low = record(curve, *call)["rows"][0]["bins"][0]
    assert low["majority"]["P"]["value"] == (None if ties == "unknown" else hits - 1)


def test_only_edits_of_the_type_asked_for_are_errors(tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(M2, encoding="utf-8")
    (tmp_path / "out.txt").write_text("He go to school .\nFine in summer .\n", encoding="utf-8")
    call = (tmp_path / "gold.m2", tmp_path / "out.txt")
    # "go" is an error to one of two, and the doubled "to" to both.
    errors = [
        sum(record(crowd, "score", *call, *kind)["rows"][0][name] for name in ("hits", "misses"))
        for kind in ((), ("--labels", "type=SVA"), ("--labels", "type=Prep"))
    ]
    assert errors == [1.5, 0.5, 1]


def test_kappa_is_standardised_to_the_share_asked_for(votes: Path) -> None:
    flags = votes.with_name("flags.csv")
    head, *rows = flags.read_text(encoding="utf-8").splitlines()
    wrong = [f"{row[:-1]}{1 - int(row[-1])}" if at % 7 == 0 else row for at, row in enumerate(rows)]
    flags.write_text("\n".join([head, *wrong]) + "\n", encoding="utf-8")
    call = (votes, flags, "--resamples", 20)
    first = record(curve, *call)["rows"][0]["curve"][0]
    assert first["kappa_at"]["value"] != pytest.approx(first["kappa"]["value"])
    found = record(curve, *call, "--prevalence", first["prevalence"])
    assert found["reference_prevalence"] == first["prevalence"]
    assert found["rows"][0]["curve"][0]["kappa_at"]["value"] == pytest.approx(first["kappa"]["value"])
    assert "kappa at 0.3 " in run(curve, *call, "--kappa", "--prevalence", 0.3)


def test_the_share_of_likely_errors_is_the_one_asked_for(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("we discuss the plan\nlook at the plan\n" * 5, encoding="utf-8")
    good = [f"{who} look at the plan" for who in ("you", "they", "we", "all", "some", "many", "I")]
    (tmp_path / "text.txt").write_text("\n".join(["we discuss about the plan", *good]) + "\n", encoding="utf-8")
    run(crowd, "mine", "--build", "--counts", tmp_path / "counts", tmp_path / "good.txt")
    for rate, n_items in ((0.5, 2), (0.25, 4)):
        call = ("--counts", tmp_path / "counts", tmp_path / "text.txt", "--n", 1, "--error-rate", rate)
        assert len(record(crowd, "mine", *call)["items"]) == n_items


def test_only_the_key_tells_what_was_mined(tmp_path: Path) -> None:
    (tmp_path / "good.txt").write_text("we discuss the plan\nlook at the plan\n" * 5, encoding="utf-8")
    (tmp_path / "text.txt").write_text("we discuss about the plan\nlook at the plan\n", encoding="utf-8")
    run(crowd, "mine", "--build", "--counts", tmp_path / "counts", tmp_path / "good.txt")
    call = ("--counts", tmp_path / "counts", tmp_path / "text.txt", "--n", 1)
    assert {frozenset(item) for item in record(crowd, "mine", *call)["items"]} == {
        frozenset({"item", "word", "text", "kind", "score"})
    }
    blind = record(crowd, "mine", *call, "--key", tmp_path / "key.csv")["items"]
    assert {frozenset(item) for item in blind} == {frozenset({"item", "word", "text"})}


def test_rare_ngrams_are_left_out_of_the_counts(tmp_path: Path, errorbar: CommandLine) -> None:
    (tmp_path / "good.txt").write_text("look at it\nlook at it\nwait for it\n", encoding="utf-8")
    call = ("crowd", "mine", "--build", "--counts", tmp_path / "counts", tmp_path / "good.txt")
    kept = []
    for least in ("1", "2"):
        assert errorbar(*call, "--min-count", least).code == 0
        kept.append(len((tmp_path / "counts").read_text(encoding="utf-8").splitlines()))
    assert kept[1] < kept[0]


def test_who_looked_at_an_unmarked_sentence(tmp_path: Path) -> None:
    (tmp_path / "gold.m2").write_text(M2 + "\nS Nobody looked .\n", encoding="utf-8")
    (tmp_path / "out.txt").write_text("He go to school .\nFine in summer .\nNobody looks .\n", encoding="utf-8")
    call = (tmp_path / "gold.m2", tmp_path / "out.txt", "--lenient")
    raters = [
        record(crowd, "score", *call, "--unmarked", unmarked)["rows"][0]["n_judgments"]["least"]
        for unmarked in ("official", "all")
    ]
    assert raters == [1, 2]


@pytest.mark.parametrize("line", [[], ["too", "many"]])
def test_a_system_with_other_lines_than_the_corpus(tmp_path: Path, errorbar: CommandLine, line: list[str]) -> None:
    (tmp_path / "gold.m2").write_text(M2, encoding="utf-8")
    (tmp_path / "out.txt").write_text("\n".join(["He go to school .", *line]) + "\n", encoding="utf-8")
    for verb in (("crowd", "score"), ("curve",)):
        done = errorbar(*verb, tmp_path / "gold.m2", tmp_path / "out.txt")
        assert (done.code, done.out, "for 2 sentences" in done.err) == (2, "", True)


def test_numbers_are_whole_in_csv_and_short_in_tables(votes: Path) -> None:
    call = (votes, votes.with_name("flags.csv"))
    found = record(crowd, "score", *call)["rows"]
    rows = list(csv.DictReader(io.StringIO(run(crowd, "score", *call, "--format", "csv"))))
    for row, each in zip(rows, found, strict=True):
        names = {"hits": "hits", "FP": "false_positives", "misses": "misses"}
        assert [float(row[name]) for name in names] == [each[name] for name in names.values()]
        interval = each["R"]["interval"]
        assert (float(row["R_low"]), float(row["R_high"])) == (interval["low"], interval["high"])
    assert f" {found[0]['hits']:.1f} " in run(crowd, "score", *call)


def test_fewer_draws_give_another_range(votes: Path) -> None:
    for who in (("--truth", votes.with_name("gold.csv")), ("--experts", "accurate-1,accurate-2")):
        ranges = [
            [(p["kappa_low"], p["kappa_high"]) for p in record(crowd, "howmany", votes, *who, "--draws", n)["curve"]]
            for n in (1, 40)
        ]
        assert ranges[0] != ranges[1]


def test_howmany_is_a_table_too(votes: Path) -> None:
    for who in (("--truth", votes.with_name("gold.csv")), ("--experts", "accurate-1,accurate-2,accurate-3")):
        found = record(crowd, "howmany", votes, *who, "--draws", 20)
        table = run(crowd, "howmany", votes, *who, "--draws", 20)
        rows = list(csv.DictReader(io.StringIO(run(crowd, "howmany", votes, *who, "--draws", 20, "--format", "csv"))))
        assert [row["k"] for row in rows] == [f"majority of {p['k']}" for p in found["curve"]]
        for row, point in zip(rows, found["curve"], strict=True):
            names = ("accuracy", "kappa", "kappa_low", "kappa_high")
            cells = (row["accuracy"], row["kappa"], row["draws_low"], row["draws_high"])
            assert cells == tuple("" if point[name] is None else str(point[name]) for name in names)
            assert f"{100 * point['accuracy']:.2f}" in table
        several = found["n_experts"] > 1
        assert ("an expert against the other experts, mean of 3" in table) == several
        assert ("as good as an expert from k = " in table) == several
        assert ("no expert line: it takes two experts" in table) == (not several)


@pytest.mark.parametrize("beta", [1, 2])
def test_f_weighs_recall_as_asked_for(votes: Path, beta: int) -> None:
    call = (votes, votes.with_name("flags.csv"), *(() if beta == 1 else ("--beta", beta)))
    for row in record(crowd, "score", *call)["rows"]:
        p, r = row["P"]["value"], row["R"]["value"]
        assert row["beta"] == beta
        assert row["F"]["value"] == pytest.approx((1 + beta**2) * p * r / (beta**2 * p + r))
    assert f" F{beta} " in run(crowd, "score", *call)


def test_bad_expert_answers_can_be_repaired(votes: Path, errorbar: CommandLine) -> None:
    gold = votes.with_name("gold.csv")
    gold.write_text(gold.read_text(encoding="utf-8") + "too,many,fields\n", encoding="utf-8")
    call = ("crowd", "howmany", votes, "--truth", gold, "--draws", "5")
    refused = errorbar(*call)
    assert (refused.code, refused.out, "use --lenient" in refused.err) == (2, "", True)
    assert errorbar(*call, "--lenient").code == 0


@pytest.mark.parametrize("option", [["--items", "gaps"], ["--items", "words:a,b"], ["--labels", "type=Det"]])
def test_a_table_needs_nothing_made_of_edits(votes: Path, errorbar: CommandLine, option: list[str]) -> None:
    done = errorbar("crowd", "aggregate", votes, *option)
    assert (done.code, done.out) == (2, "")
    said = "--labels type=" if option[0] == "--labels" else option[0]
    assert f"{said} is about edits that become judgments, and this is a table" in done.err


@pytest.mark.parametrize("option", [["--labels", "error,ok"], ["--repeats", "first"], ["--layout", "wide"]])
def test_a_corpus_is_no_table(tmp_path: Path, errorbar: CommandLine, option: list[str]) -> None:
    gold = tmp_path / "gold.m2"
    gold.write_text("S a b\nA 0 1|||Det|||x|||REQUIRED|||-NONE-|||0\n")
    done = errorbar("crowd", "aggregate", gold, *option)
    assert (done.code, done.out) == (2, "")
    assert f"{option[0]} is about tables of judgments, and this is a corpus" in done.err


def test_starts_and_passes_are_in_the_signature(votes: Path, errorbar: CommandLine) -> None:
    def signature(*options: str) -> str:
        out = errorbar("crowd", "aggregate", votes, "--method", "one-coin", "--format", "json", *options).out
        return str(json.loads(out)["signature"])

    assert "starts" not in signature()
    assert "|seed:0|starts:2|v:" in signature("--starts", "2")
    assert "|starts:2|passes:7|" in signature("--starts", "2", "--passes", "7")


def test_choices_are_those_of_the_library() -> None:
    """Commands write them out, so that help loads nothing."""
    assert crowd_options.PROJECTIONS == PROJECTIONS


def test_scores_have_intervals_unless_they_are_left_out(votes: Path, errorbar: CommandLine) -> None:
    call = (votes, votes.with_name("flags.csv"))
    usual = record(crowd, "score", *call)["rows"][0]
    assert "|ci:closed,0.95|" in usual["signature"]
    none = record(crowd, "score", *call, "--no-ci")["rows"][0]
    assert "intervals" not in run(crowd, "score", *call, "--no-ci")
    assert (none["P"]["interval"], "|ci:" in none["signature"]) == (None, False)
    assert none["P"]["value"] == usual["P"]["value"]
    narrow = record(crowd, "score", *call, "--confidence", 0.5)["rows"][0]["P"]["interval"]
    assert usual["P"]["interval"]["low"] < narrow["low"] < narrow["high"] < usual["P"]["interval"]["high"]
    for useless in (["--seed", 1], ["--no-ci", "--confidence", 0.9]):
        assert "useless-option" in errorbar("crowd", "score", *call, *useless).err
    assert errorbar("crowd", "score", *call, "--metric", "crowd(shares=dawid-skene)", "--seed", 1).code == 0


def test_bands_of_curves_are_made_up_to_some_size(votes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    call = (votes, votes.with_name("flags.csv"))
    usual = record(curve, *call, "--resamples", 50)["rows"][0]
    assert "|ci:percentile,0.95,50,by:item,seed:0|" in usual["signature"]
    assert record(curve, *call, "--resamples", 50, "--jobs", 2)["rows"][0] == usual
    monkeypatch.setattr("errorbar.stats.resampling.MOST_UNASKED", 100)
    many = record(curve, *call)
    assert many["rows"][0]["curve"][0]["kappa"]["interval"] is None
    assert [note["code"] for note in many["warnings"]] == ["no-intervals"]
    assert record(curve, *call, "--resamples", 50, "--ci")["rows"][0] == usual


def test_bins_alone_are_signed_with_what_made_them(votes: Path) -> None:
    """Whatever the resamples and their seed, which bins do not need."""
    flags = votes.with_name("flags.csv")
    (one,), (other,) = (follow(votes, [flags], view="bins", resamples=20, seed=seed).systems for seed in (1, 2))
    assert one == other
    assert "|ci:closed,0.95|" in one.signature


def test_python_gives_what_the_commands_print(votes: Path) -> None:
    flags, gold = votes.with_name("flags.csv"), votes.with_name("gold.csv")
    judgments = read_judgments(votes)
    by_item = read_flags(flags, Problems()).flags
    for given, systems in (
        (votes, [flags]),
        (str(votes), f"flags={flags}"),
        (judgments, {"flags": by_item}),
        (judgments, {"flags": np.array([by_item[item] for item in judgments.items])}),
    ):
        made = crowd_scores(given, systems)
        assert {**made.to_dict(), "schema": "errorbar.crowd.score/1", "warnings": []} == record(
            crowd, "score", votes, flags
        )
        assert "flags" in repr(made)
    found = follow(votes, [flags], resamples=20)
    assert {**found.to_dict(), "schema": "errorbar.curve/1", "warnings": []} == record(
        curve, votes, flags, "--resamples", 20
    )
    answers = crowd_answers.crowd_aggregate(judgments, method=["trust"])
    assert answers.to_dict()["items"] == record(crowd, "aggregate", votes, "--method", "trust")["items"]
    sizes = crowd_answers.crowd_howmany(votes, truth=read_answers(gold, Problems()), draws=20)
    assert sizes.to_dict()["curve"] == record(crowd, "howmany", votes, "--truth", gold, "--draws", 20)["curve"]
    rows = crowd_raters.crowd_raters(votes, gold=gold).to_dict()
    assert rows["raters"] == record(crowd, "raters", votes, "--gold", gold)["raters"]
    with pytest.raises(UsageError, match="no file of judgments is named"):
        crowd_scores([], [flags])
    bad_calls: tuple[Any, ...] = (7, [7], None)
    for bad in bad_calls:
        with pytest.raises(UsageError, match="must be a path"):
            crowd_scores(bad, [flags])
    with pytest.raises(UsageError, match="must be 120 truth values"):
        crowd_scores(judgments, {"s": [True]})
    with pytest.raises(UsageError, match="crowd has no argument 'layuot'"):
        crowd_scores(votes, [flags], layuot="wide")  # type: ignore[call-arg]  # what a user may type


def test_several_tables_are_one(tmp_path: Path, errorbar: CommandLine) -> None:
    """A pattern stands for several files; a rater who judged an item in two of them judged it twice."""
    head, rows = "item,rater,label\n", ["x,a,error", "x,b,ok", "y,a,ok", "y,b,error", "z,c,ok"]
    (tmp_path / "whole.txt").write_text(head + "\n".join(rows) + "\n")
    (tmp_path / "part1.csv").write_text(head + "\n".join(rows[:2]) + "\n")
    (tmp_path / "part2.csv").write_text("label;rater;item\nok;a;y\nerror;b;y\nok;c;z\n")
    call = ("crowd", "aggregate", "--method", "majority", "--format", "json")
    whole, parts = (errorbar(*call, tmp_path / name) for name in ("whole.txt", "part*.csv"))
    assert (parts.code, parts.out) == (0, whole.out)
    (tmp_path / "part3.csv").write_text(head + "x,a,ok\n")
    assert "first: 'a' of 'x'" in errorbar(*call, tmp_path / "part*.csv").err
    kept = json.loads(errorbar(*call, tmp_path / "part*.csv", "--repeats", "last").out)["items"][0]
    assert kept["majority"]["answer"] == "ok"
    (tmp_path / "part3.csv").write_text("item,rater,label,weight\nx,d,ok,2\n")
    assert "some tables have weights and some have none" in errorbar(*call, tmp_path / "part*.csv").err


# Small tables with many labels: memory that grows with judgments, or a refusal that names the limit.


class TestManyLabels:
    @pytest.fixture(autouse=True)
    def folder(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.chdir(tmp_path)

    @pytest.mark.parametrize("clustered", [False, True])
    def test_memory_grows_with_judgments(self, clustered: bool) -> None:
        """750 labels took 3.3 GB in a table of labels cubed; all that is allocated is now below 100 MB."""
        generator = np.random.default_rng(2)
        said = generator.integers(0, 750, 1500).tolist()
        judgments = Judgments.from_columns([n // 2 for n in range(1500)], ["a", "b"] * 750, said)
        clusters = np.arange(750) // 3 if clustered else None
        tracemalloc.start()
        report = agreement_report(judgments, clusters=clusters, resampling=Resampling("percentile", 20))
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 100_000_000
        assert report.coefficients["cohen"].value is not None
        assert (report.confusion, report.specific) == (None, {})

    @pytest.mark.slow
    def test_one_item_with_every_label(self, errorbar: CommandLine) -> None:
        rows = [("x", f"r{n}", str(n)) for n in range(1500)]
        tracemalloc.start()
        for scale in ("nominal", "ordinal", "interval"):
            done = errorbar("agree", table("v.csv", rows), "--scale", scale, "--resamples", "5", "--format", "json")
            # One item: what is expected by chance is what is observed, but for drawing without replacement.
            assert validated("agree", done.out)["coefficients"]["krippendorff"]["value"] == pytest.approx(0, abs=1e-6)
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert peak < 100_000_000
        assert "too many for a matrix" in errorbar("agree", "v.csv", "--scale", "ratio").err

    @pytest.mark.slow
    def test_views_that_are_too_large_are_refused(self, errorbar: CommandLine) -> None:
        rows = [(str(n // 2), "ab"[n % 2], f"L{n}") for n in range(3200)]
        path = table("v.csv", rows)
        crossed = refused(errorbar("agree", path, "--confusion"))
        assert "too many for specific agreement and a confusion matrix" in crossed
        assert "too many for a pairwise matrix" in refused(errorbar("agree", path, "--pairs"))

    @pytest.mark.parametrize("command", [("raters",), ("aggregate", "--method", "dawid-skene")])
    def test_rates_of_too_many_labels_are_refused(self, errorbar: CommandLine, command: tuple[str, ...]) -> None:
        rows = [(str(n // 2), "ab"[n % 2], f"L{n // 2}") for n in range(600)]
        line = refused(errorbar("crowd", *command, table("v.csv", rows)))
        assert "300 different labels are too many" in line

    def test_an_empty_table_of_items_and_labels_is_refused(self, errorbar: CommandLine) -> None:
        rows = [(str(n), "a", f"L{n}") for n in range(4000)]
        path = table("v.csv", rows)
        assert "has more than 5,000,000 cells" in refused(errorbar("crowd", "aggregate", path))
