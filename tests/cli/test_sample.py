"""``errorbar sample``: from flags to an estimate, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import pytest

from errorbar.cli import main
from tests.helpers.cli import CommandLine

COUNTS = ("--counts", "flagged:1000:750:600", "--counts", "unflagged:9000:1500:450")


@pytest.fixture(autouse=True)
def registered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(main.COMMANDS, "sample", "Estimate P and R from a few hundred judgments.")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Flags and truth of 1,000 items; every fifth is flagged, most of those and a few others are errors."""
    monkeypatch.chdir(tmp_path)
    rows = [(f"i{k}", k % 5 == 0, k % 5 == 0 and k % 15 != 0, k % 4 == 0) for k in range(1000)]
    (tmp_path / "a.csv").write_text(
        "item,flag,score\n" + "".join(f"{i},{int(f)},{k / 1000}\n" for k, (i, f, _, _) in enumerate(rows))
    )
    (tmp_path / "b.csv").write_text("item,flag\n" + "".join(f"{i},{int(g)}\n" for i, _, _, g in rows))
    return tmp_path


def is_error(item: str) -> bool:
    k = int(item[1:])
    return (k % 5 == 0 and k % 15 != 0) or k % 41 == 0


def fill(source: Path, target: Path) -> None:
    rows = list(csv.DictReader(source.read_text().splitlines()))
    with target.open("w", newline="") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        writer.writerows({**row, "label": "error" if is_error(row["item"]) else "ok"} for row in rows)


def test_counts_of_table_5(errorbar: CommandLine) -> None:
    done = errorbar("sample", "estimate", *COUNTS, "--format", "json")
    assert done.code == 0, done.err
    (system,) = json.loads(done.out)["systems"]
    found = {row["name"]: row for row in system["estimates"]}
    assert found["R"]["value"] == pytest.approx(0.228571, abs=1e-6)
    assert found["R"]["interval"]["method"] == "near-exact"
    assert found["misses"]["value"] == 2700
    table = errorbar("sample", "estimate", *COUNTS)
    assert "22.86" in table.out
    assert table.err == ""


def test_the_whole_way(folder: Path, errorbar: CommandLine) -> None:
    plan = errorbar("sample", "plan", "a.csv", "--budget", 200, "--price", 0.02, "--format", "json")
    assert plan.code == 0, plan.err
    record = json.loads(plan.out)
    assert sum(row["n"] for row in record["strata"]) == record["cost"]["items"] == 200
    assert record["cost"]["money"] == pytest.approx(4)
    pilot = errorbar("sample", "draw", "a.csv", "--budget", 80, "--out", "pilot.csv", "--key", "pilot.json")
    assert pilot.code == 0, pilot.err
    assert pilot.out == ""
    fill(folder / "pilot.csv", folder / "pilot-done.csv")
    after = ("--after", "pilot.json", "--judged", "pilot-done.csv")
    rest = errorbar("sample", "draw", "a.csv", "--budget", 300, *after, "--out", "rest.csv", "--key", "key.json")
    assert rest.code == 0, rest.err
    assert "220 items" in rest.err
    fill(folder / "rest.csv", folder / "rest-done.csv")
    done = errorbar("sample", "estimate", "pilot-done.csv", "rest-done.csv", "--key", "key.json", "--format", "json")
    assert done.code == 0, done.err
    record = json.loads(done.out)
    assert sum(row["judged"] for row in record["strata"]) == 300
    truth = [is_error(f"i{k}") for k in range(1000)]
    hits = sum(truth[k] for k in range(0, 1000, 5))
    expected = {"P": hits / 200, "R": hits / sum(truth)}
    found = {row["name"]: row for row in record["systems"][0]["estimates"]}
    for name, value in expected.items():
        assert found[name]["interval"]["low"] <= value <= found[name]["interval"]["high"]
    for bad, code in (
        (("rest-done.csv", "--key", "pilot.json"), "sample-other-set"),
        (("rest-done.csv",), "sample-key"),
    ):
        refused = errorbar("sample", "estimate", *bad)
        assert refused.code == 2
        assert f"[{code}]" in refused.err
        assert refused.out == ""


def test_votes_narrow_the_interval(folder: Path, errorbar: CommandLine) -> None:
    assert errorbar("sample", "draw", "a.csv", "--budget", 200, "--out", "s.csv", "--key", "k.json").code == 0
    fill(folder / "s.csv", folder / "done.csv")
    # Two raters of all items: one is right, one says error at every seventh item.
    lines = [
        f"i{k},x,{'error' if is_error(f'i{k}') else 'ok'}\ni{k},y,{'error' if k % 7 == 0 else 'ok'}"
        for k in range(1000)
    ]
    (folder / "votes.csv").write_text("item,rater,label\n" + "\n".join(lines) + "\n")
    widths = []
    for extra in ((), ("--assist", "votes.csv", "--flags", "a.csv")):
        done = errorbar("sample", "estimate", "done.csv", "--key", "k.json", *extra, "--format", "json")
        assert done.code == 0, done.err
        record = json.loads(done.out)
        interval = next(row for row in record["systems"][0]["estimates"] if row["name"] == "R")["interval"]
        widths.append(interval["high"] - interval["low"])
    assert widths[1] < widths[0]
    assert max(record["votes"]["trust"]) > 0.3


def test_two_systems(folder: Path, errorbar: CommandLine) -> None:
    assert (
        errorbar("sample", "draw", "a.csv", "b.csv", "--budget", 300, "--out", "s.jsonl", "--key", "k.json").code == 0
    )
    rows = [json.loads(line) for line in (folder / "s.jsonl").read_text().splitlines()]
    filled = [json.dumps({**row, "label": "error" if is_error(row["item"]) else "ok"}) for row in rows]
    (folder / "done.jsonl").write_text("\n".join(filled) + "\n")
    done = errorbar("sample", "estimate", "done.jsonl", "--key", "k.json", "--format", "json")
    assert done.code == 0, done.err
    record = json.loads(done.out)
    assert [one["system"] for one in record["systems"]] == ["a", "b"]
    recalls = [next(r for r in one["estimates"] if r["name"] == "R")["value"] for one in record["systems"]]
    apart = next(row for row in record["differences"] if row["name"] == "R")
    assert apart["value"] == pytest.approx(recalls[0] - recalls[1])
    assert "R, a − b" in errorbar("sample", "estimate", "done.jsonl", "--key", "k.json").out


@pytest.mark.parametrize("truth", ["majority", "graded"])
def test_votes_help_with_two_systems_and_graded_truths(folder: Path, errorbar: CommandLine, truth: str) -> None:
    """Votes on every item make both recalls and their paired difference narrower, by the same totals."""
    assert errorbar("sample", "draw", "a.csv", "b.csv", "--budget", 300, "--out", "s.csv", "--key", "k.json").code == 0
    drawn = [row["item"] for row in csv.DictReader((folder / "s.csv").read_text().splitlines())]
    lines = [
        # Two experts; the second misses every seventh error, so that some graded truths are a half.
        f"{item},{rater},{'error' if is_error(item) and not (rater and int(item[1:]) % 7 == 0) else 'ok'}"
        for item in drawn
        for rater in range(2)
    ]
    (folder / "done.csv").write_text("item,rater,label\n" + "\n".join(lines) + "\n")
    votes = [f"i{k},v,{'error' if is_error(f'i{k}') != (k % 11 == 0) else 'ok'}" for k in range(1000)]
    (folder / "votes.csv").write_text("item,rater,label\n" + "\n".join(votes) + "\n")
    frames = ("--flags", "a.csv", "--flags", "b.csv", "--assist", "votes.csv")
    found = []
    for extra in ((), frames):
        call = ("sample", "estimate", "done.csv", "--key", "k.json", "--truth", truth, *extra)
        done = errorbar(*call, "--format", "json")
        assert done.code == 0, done.err
        found.append(json.loads(done.out))
        assert "R, a − b" in errorbar(*call).out
    alone, helped = found
    assert max(helped["votes"]["trust"]) > 0.3
    apart = {row["name"]: row for row in helped["differences"]}
    recalls = [{row["name"]: row["value"] for row in one["estimates"]}["R"] for one in helped["systems"]]
    assert apart["R"]["value"] == pytest.approx(recalls[0] - recalls[1])
    before = {row["name"]: row for row in alone["differences"]}
    assert apart["R"]["standard_error"] < before["R"]["standard_error"]


def test_an_item_of_a_stratum_may_cost_more(folder: Path, errorbar: CommandLine) -> None:
    plans = []
    for costs in ((), ("--costs", "9,1")):
        done = errorbar("sample", "plan", "a.csv", "--budget", 400, "--floor", 10, *costs, "--format", "json")
        assert done.code == 0, done.err
        plans.append(json.loads(done.out))
    flagged, unflagged = ([row["n"] for row in plan["strata"]] for plan in plans)
    assert 9 * unflagged[0] + unflagged[1] == plans[1]["spent"] <= 400
    # n is in proportion to a / sqrt(cost): nine times the price, a third of the items for each of the other side.
    assert unflagged[0] / unflagged[1] == pytest.approx(flagged[0] / flagged[1] / 3, rel=0.1)
    assert "cost 400" in errorbar("sample", "plan", "a.csv", "--budget", 400, "--floor", 10, "--costs", "9,1").out
    drawn = errorbar(
        *("sample", "draw", "a.csv", "--budget", 400, "--floor", 10, "--costs", "9,1"),
        *("--out", "s.csv", "--key", "k.json"),
    )
    assert f"{sum(unflagged)} items" in drawn.err


def test_bands_and_designs(folder: Path, errorbar: CommandLine) -> None:
    plan = errorbar("sample", "plan", "a.csv", "--bands", 3, "--budget", 300, "--format", "csv")
    assert plan.code == 0, plan.err
    assert "unflagged 3/3" in plan.out
    compare = errorbar("sample", "compare", "a.csv", "--budget", 300, "--format", "json")
    designs = {one["name"]: one["half_widths"] for one in json.loads(compare.out)["designs"]}
    assert designs["best for R"]["R"] < designs["simple random"]["R"]
    assert designs["verification"]["R"] is None
    wide = errorbar("sample", "plan", "--flagged", 1000, "--unflagged", 9000, "--half-width", 0.05, "--format", "json")
    recall = next(one for one in json.loads(wide.out)["expected"] if one["name"] == "R")
    assert 0.045 < recall["half_width"] <= 0.05


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("plan", "a.csv"), "sample-budget"),
        (("plan", "a.csv", "--budget", 5000), "sample-budget"),
        (("plan", "--budget", 50), "sample-systems"),
        (("plan", "--flagged", 10, "--budget", 50), "sample-systems"),
        (("plan", "b.csv", "--bands", 2, "--budget", 100), "sample-bands"),
        (("plan", "a.csv", "--budget", 100, "--precision", 1), "sample-rates"),
        (("plan", "a.csv", "--budget", 100, "--costs", "1"), "sample-cost"),
        (("plan", "a.csv", "--budget", 100, "--costs", "1,0"), "sample-cost"),
        (("plan", "a.csv", "--budget", 100, "--costs", "1,x"), "sample-cost"),
        (("plan", "a.csv", "--half-width", 0.1, "--costs", "1,2"), "sample-cost"),
        (("compare", "a.csv", "--budget", 300, "--costs", "1,2"), "sample-cost"),
        (("estimate", "--counts", "flaged:1:2:3"), "sample-counts"),
        (("estimate", *(word for k in range(201) for word in ("--counts", f"flagged:{k + 9}:7:6"))), "sample-counts"),
        (("estimate", "a.csv", *COUNTS), "sample-counts"),
        (("estimate", "a.csv", "--key", "a.csv"), "sample-key"),
        (("draw", "a.csv", "--budget", 80, "--judged", "b.csv", "--out", "o.csv", "--key", "k.json"), "sample-key"),
    ],
)
def test_refusals(folder: Path, errorbar: CommandLine, arguments: tuple[object, ...], code: str) -> None:
    done = errorbar("sample", *arguments)
    assert done.code == 2
    assert f"[{code}]" in done.err
    assert done.out == ""
    assert not (folder / "o.csv").exists()


def test_a_key_is_never_overwritten(folder: Path, errorbar: CommandLine) -> None:
    draw = ("sample", "draw", "a.csv", "--budget", 80, "--out", "s.csv", "--key", "k.json")
    assert errorbar(*draw).code == 0
    before = (folder / "k.json").read_bytes(), (folder / "s.csv").read_bytes()
    again = errorbar(*draw, "--seed", 5)
    assert again.code == 2
    assert "[sample-key-exists]" in again.err
    assert ((folder / "k.json").read_bytes(), (folder / "s.csv").read_bytes()) == before


def test_neither_judgments_nor_the_key_are_overwritten_by_a_set(folder: Path, errorbar: CommandLine) -> None:
    assert errorbar("sample", "draw", "a.csv", "--budget", 80, "--out", "s.csv", "--key", "k.json").code == 0
    fill(folder / "s.csv", folder / "done.csv")
    (folder / "done.csv").replace(folder / "s.csv")
    before = (folder / "s.csv").read_bytes()
    for out, code in (("s.csv", "sample-set-exists"), ("k2.json", "two-outputs"), ("./k2.json", "two-outputs")):
        done = errorbar("sample", "draw", "a.csv", "--budget", 80, "--out", out, "--key", "k2.json")
        assert done.code == 2
        assert f"[{code}]" in done.err
    assert (folder / "s.csv").read_bytes() == before
    assert not (folder / "k2.json").exists()


def test_a_set_that_cannot_be_written_leaves_no_key(folder: Path, errorbar: CommandLine) -> None:
    draw = ("sample", "draw", "a.csv", "--budget", 80, "--key", "k.json", "--out")
    refused = errorbar(*draw, "nowhere/s.csv")
    assert refused.code == 2
    assert "[cannot-write]" in refused.err
    assert not (folder / "k.json").exists()
    assert errorbar(*draw, "s.csv").code == 0


@pytest.mark.parametrize("verb", ["plan", "compare", "draw"])
def test_a_corpus_with_mistakes_can_be_repaired(folder: Path, errorbar: CommandLine, verb: str) -> None:
    words = " ".join(["He go in school"] * 30)
    twice = "A 0 1|||X|||y|||REQUIRED|||-NONE-|||0\n" * 2
    (folder / "gold.m2").write_text(f"S {words}\n{twice}\n")
    (folder / "s.txt").write_text(words.replace("go in", "goes to", 20) + "\n")
    files = ("--out", "o.csv", "--key", "o.json") if verb == "draw" else ()
    call = ("sample", verb, "--corpus", "gold.m2", "s.txt", "--budget", 70, *files)
    refused = errorbar(*call)
    assert refused.code == 2
    assert "use --lenient" in refused.err
    assert errorbar(*call, "--lenient").code == 0


def test_flags_from_parquet_or_its_extra_is_named(folder: Path, errorbar: CommandLine) -> None:
    try:
        import pyarrow.parquet
    except ImportError:
        done = errorbar("sample", "plan", "a.parquet", "--budget", 300)
        assert (done.code, "make parquet" in done.err) == (2, True)
        return
    rows = list(csv.DictReader((folder / "a.csv").read_text().splitlines()))
    columns = {"item": [r["item"] for r in rows], "flag": [int(r["flag"]) for r in rows]}
    pyarrow.parquet.write_table(pyarrow.table({**columns, "score": [float(r["score"]) for r in rows]}), "a.parquet")
    for bands in (1, 2):
        call = ("--budget", 300, "--bands", bands)
        assert errorbar("sample", "plan", "a.parquet", *call).out == errorbar("sample", "plan", "a.csv", *call).out
    pyarrow.parquet.write_table(pyarrow.table({"item": columns["item"], "flg": columns["flag"]}), "b.parquet")
    assert "no column 'flag'" in errorbar("sample", "plan", "b.parquet", "--budget", 300).err


def judged(folder: Path, labels: dict[str, tuple[str, ...]]) -> None:
    """Fill in every drawn item: the labels that several raters give an error, and another item."""
    drawn = [row["item"] for row in csv.DictReader((folder / "s.csv").read_text().splitlines())]
    rows = [
        f"{item},r{at},{label}"
        for item in drawn
        for at, label in enumerate(labels["error" if is_error(item) else "ok"])
    ]
    (folder / "done.csv").write_text("item,rater,label\n" + "\n".join(rows) + "\n")


def test_labels_mean_what_is_said(folder: Path, errorbar: CommandLine) -> None:
    draw = ("sample", "draw", "a.csv", "--budget", 100, "--out", "s.csv", "--key", "k.json")
    assert errorbar(*draw).code == 0
    call = ("sample", "estimate", "done.csv", "--key", "k.json", "--format", "json")
    judged(folder, {"error": ("error",), "ok": ("ok",)})
    plain = json.loads(errorbar(*call).out)
    judged(folder, {"error": ("bad", "skip"), "ok": ("fine", "skip")})
    named = ("--labels", "error=bad", "--labels", "ok=fine", "--labels", "unknown=skip")
    for left_out in range(0, len(named), 2):
        refused = errorbar(*call, *named[:left_out], *named[left_out + 2 :])
        assert (refused.code, refused.out, "[sample-label]" in refused.err) == (2, "", True)
    found = json.loads(errorbar(*call, *named).out)
    assert found["systems"] == plain["systems"]
    assert sum(row["errors"] for row in found["strata"]) > 0


@pytest.mark.parametrize(("truth", "share"), [("majority", 0), ("any", 1), ("graded", 1 / 3)])
def test_several_raters_make_the_truth_that_is_asked_for(
    folder: Path, errorbar: CommandLine, truth: str, share: float
) -> None:
    """One of three raters sees each error; so it is none to most, one to any, and a third of one in grades."""
    assert errorbar("sample", "draw", "a.csv", "--budget", 100, "--out", "s.csv", "--key", "k.json").code == 0
    judged(folder, {"error": ("ok", "error", "ok"), "ok": ("ok",) * 3})
    drawn = [row["item"] for row in csv.DictReader((folder / "s.csv").read_text().splitlines())]
    call = ("sample", "estimate", "done.csv", "--key", "k.json", "--truth", truth)
    record = json.loads(errorbar(*call, "--format", "json").out)
    assert record["truth"] == truth
    assert sum(row["errors"] for row in record["strata"]) == pytest.approx(share * sum(map(is_error, drawn)))
    assert f"truth: {truth} of the raters" in errorbar(*call).out


@pytest.mark.parametrize(
    ("words", "code"),
    [
        (("--rater", "ann", "--rater", "ann", "--out", "s.csv"), "sample-rater"),
        (("--rater", "", "--out", "s.csv"), "sample-rater"),
        (("--rater", "a\nb", "--out", "s.csv"), "sample-rater"),
        (("--out", "s.xlsx"), "output-format"),
    ],
)
def test_a_set_that_nobody_could_read_again_is_refused(
    folder: Path, errorbar: CommandLine, words: tuple[str, ...], code: str
) -> None:
    refused = errorbar("sample", "draw", "a.csv", "--budget", 100, "--key", "k.json", *words)
    assert (refused.code, f"[{code}]" in refused.err) == (2, True), refused.err
    assert not (folder / "k.json").exists()


def test_bad_rows_of_judgments_can_be_left_out(folder: Path, errorbar: CommandLine) -> None:
    assert errorbar("sample", "draw", "a.csv", "--budget", 100, "--out", "s.csv", "--key", "k.json").code == 0
    judged(folder, {"error": ("error",), "ok": ("ok",)})
    rows = (folder / "done.csv").read_text()
    (folder / "done.csv").write_text(rows + rows.splitlines()[1] + "\n")  # the same judgment twice
    call = ("sample", "estimate", "done.csv", "--key", "k.json", "--format", "json")
    refused = errorbar(*call)
    assert (refused.code, refused.out, "use --lenient" in refused.err) == (2, "", True)
    assert "--repeats" not in refused.err, "an option of other commands"
    repaired = json.loads(errorbar(*call, "--lenient").out)
    assert sum(row["judged"] for row in repaired["strata"]) == 100
    assert "judgments-repeated" in {note["code"] for note in repaired["warnings"]}


def test_bands_are_drawn_and_kept_in_the_key(folder: Path, errorbar: CommandLine) -> None:
    draw = ("sample", "draw", "a.csv", "--budget", 200, "--bands", 2)
    assert errorbar(*draw, "--out", "s.csv", "--key", "k.json").code == 0
    judged(folder, {"error": ("error",), "ok": ("ok",)})
    done = errorbar("sample", "estimate", "done.csv", "--key", "k.json", "--format", "json")
    strata = json.loads(done.out)["strata"]
    planned = json.loads(errorbar("sample", "plan", *draw[2:], "--format", "json").out)["strata"]
    assert len(strata) == 4
    assert [(row["name"], row["judged"]) for row in strata] == [(row["name"], row["n"]) for row in planned]
    more = ("sample", "draw", "a.csv", "--budget", 260, "--after", "k.json", "--judged", "done.csv")
    rest = errorbar(*more, "--out", "rest.csv", "--key", "rest.json")
    assert (rest.code, "60 items" in rest.err) == (0, True)


def test_only_the_words_asked_for_are_items(folder: Path, errorbar: CommandLine) -> None:
    """Three prepositions and two articles; the system changes one of each."""
    text = "He go in the school at a time of joy"
    (folder / "gold.m2").write_text(f"S {text}\n\n" * 40)
    (folder / "s.txt").write_text(f"{text}\n".replace("in the", "to a") * 40)
    sizes = []
    for words in ("words", "words:articles", "words:in,at,of,a"):
        call = ("sample", "plan", "--corpus", "gold.m2", "s.txt", "--items", words, "--budget", 20)
        record = json.loads(errorbar(*call, "--floor", 5, "--format", "json").out)
        sizes.append([row["size"] for row in record["strata"]])
    assert sizes == [[40, 80], [40, 40], [40, 120]]


@pytest.mark.parametrize("options", [("--target", "P"), ("--target", "F", "--beta", 0.2), ("--floor", 90)])
def test_going_on_after_a_pilot_is_planned_as_asked_for(
    folder: Path, errorbar: CommandLine, options: tuple[object, ...]
) -> None:
    """Most is learned of P from flagged items, of R from the others; a floor holds for either."""
    assert errorbar("sample", "draw", "a.csv", "--budget", 80, "--out", "s.csv", "--key", "k.json").code == 0
    judged(folder, {"error": ("error",), "ok": ("ok",)})
    flagged = []
    for at, extra in enumerate(((), options)):
        call = ("sample", "draw", "a.csv", "--budget", 200, "--after", "k.json", "--judged", "done.csv", *extra)
        assert errorbar(*call, "--out", f"s{at}.csv", "--key", f"k{at}.json").code == 0
        rounds = json.loads((folder / f"k{at}.json").read_text())["rounds"]
        flagged.append(sum(int(item[1:]) % 5 == 0 for one in rounds for item in one["items"]))
    assert flagged[1] > flagged[0]


DRAW = ("sample", "draw", "a.csv", "--budget", "300", "--out", "rest.csv", "--key", "key.json")
AFTER = (*DRAW, "--after", "pilot.json")
PLAN = ("sample", "plan", "a.csv", "--budget", "200")
SIZES = ("sample", "plan", "--flagged", "1000", "--unflagged", "9000", "--budget", "200")
JUDGED = ("sample", "estimate", "pilot.csv", "--key", "pilot.json")


@pytest.mark.parametrize(
    ("command", "option"),
    [
        # Going on after a pilot: its key says how the strata are cut and in which order they are drawn.
        (AFTER, ("--bands", "2")),
        (AFTER, ("--seed", "3")),
        (AFTER, ("--precision", "0.3")),
        (AFTER, ("--miss-rate", "0.3")),
        (DRAW, ("--labels", "error=bad")),
        (PLAN, ("--items", "gaps")),
        (SIZES, ("--bands", "2")),
        (SIZES, ("--corpus", "gold.m2")),
        (("sample", "estimate", *COUNTS), ("--flags", "a.csv")),
        (("sample", "estimate", *COUNTS), ("--truth", "any")),
        (("sample", "estimate", *COUNTS), ("--labels", "unknown=?")),
        (JUDGED, ("--flags", "a.csv")),
    ],
)
def test_options_of_which_nothing_would_come_are_refused(
    command: tuple[str, ...], option: tuple[str, str], folder: Path, errorbar: CommandLine
) -> None:
    pilot = errorbar("sample", "draw", "a.csv", "--budget", 80, "--out", "pilot.csv", "--key", "pilot.json")
    assert pilot.code == 0
    done = errorbar(*command, *option)
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith(f"error: {option[0]} ")
    assert "[useless-option]" in done.err
    assert not (folder / "rest.csv").exists()


NINES = "9" * 401


@pytest.mark.parametrize(
    "command",
    [
        ("sample", "estimate", "--counts", f"flagged:{NINES}:10:1", "--counts", "unflagged:100:10:1"),
        ("sample", "estimate", "--counts", f"flagged:{2**63}:10:1", "--counts", "unflagged:100:10:1"),
        ("sample", "estimate", *COUNTS, "--beta", "1e200"),
        ("sample", "estimate", *COUNTS, "--beta", "inf"),
        ("sample", "estimate", *COUNTS, "--confidence", "nan"),
        ("sample", "plan", "--flagged", NINES, "--unflagged", "9", "--budget", "10"),
        ("sample", "plan", "--flagged", str(2**63 - 1), "--unflagged", str(2**63 - 1), "--budget", "100"),
        (*SIZES, "--price", "inf"),
        (*SIZES, "--minutes", "nan"),
        (*SIZES, "--price", "1", "--raters", NINES),
        (*SIZES, "--floor", NINES),
        (*SIZES, "--costs", f"{NINES},1"),
        (*SIZES, "--costs", "1e308,1e-308"),
        (*SIZES[:-2], "--half-width", "nan"),
        (*PLAN, "--bands", NINES),
    ],
)
def test_numbers_without_end_are_refused(command: tuple[str, ...], folder: Path, errorbar: CommandLine) -> None:
    assert folder.is_dir()
    done = errorbar(*command)
    assert (done.code, done.out) == (2, "")
    assert "nternal" not in done.err


class TestStopping:
    def test_a_plain_interval_of_several_rounds_is_named_so(self, folder: Path, errorbar: CommandLine) -> None:
        errorbar("sample", "draw", "a.csv", "--budget", 80, "--out", "pilot.csv", "--key", "pilot.json")
        fill(folder / "pilot.csv", folder / "one.csv")
        one = errorbar("sample", "estimate", "one.csv", "--key", "pilot.json")
        assert "plain intervals at round" not in one.out
        more = ("--after", "pilot.json", "--judged", "one.csv", "--out", "rest.csv", "--key", "key.json")
        assert errorbar("sample", "draw", "a.csv", "--budget", 200, *more).code == 0
        fill(folder / "rest.csv", folder / "two.csv")
        both = ("sample", "estimate", "one.csv", "two.csv", "--key", "key.json")
        assert "plain intervals at round 2 of this sample" in errorbar(*both).out
        said = json.loads(errorbar(*both, "--half-width", "0.99", "--format", "json").out)["stopping"]
        assert said == {"intervals": "plain", "rounds": 2, "half_width": 0.99, "narrow_enough": ["P", "R", "F"]}
        for options, kind in ((("--anytime",), "anytime"), (("--looks", "2/5"), "look 2 of 5")):
            assert "plain intervals" not in errorbar(*both, *options).out
            document = json.loads(errorbar(*both, *options, "--format", "json").out)
            assert document["stopping"]["intervals"] == kind
            assert {row["bayes"] for system in document["systems"] for row in system["estimates"]} == {None}

    def test_the_width_rule_goes_on(self, errorbar: CommandLine) -> None:
        assert (
            "wanted: ± 0.10; not reached: go on" in errorbar("sample", "estimate", *COUNTS, "--half-width", "0.001").out
        )
        assert (
            "wanted: ± 2.00; reached for P, R, F" in errorbar("sample", "estimate", *COUNTS, "--half-width", "0.02").out
        )

    @pytest.mark.parametrize(
        ("options", "code"),
        [
            (("--looks", "6/5"), "look-number"),
            (("--looks", "2"), "look-number"),
            (("--looks", "2/5", "--anytime"), "two-choices"),
            (("--anytime", "--method", "wald"), "useless-option"),
            (("--looks", "2/5", "--seed", "4"), "useless-option"),
        ],
    )
    def test_refused(self, options: tuple[str, ...], code: str, errorbar: CommandLine) -> None:
        done = errorbar("sample", "estimate", *COUNTS, *options)
        assert done.code == 2
        assert f"[{code}]" in done.err

    def test_looks_of_a_plan(self, errorbar: CommandLine) -> None:
        sizes = ("sample", "plan", "--flagged", 1000, "--unflagged", 9000, "--budget", 300, "--format", "json")
        document = json.loads(errorbar(*sizes, "--looks", 5).out)
        assert [round(look["boundary"], 3) for look in document["looks"]] == [4.562, 3.226, 2.634, 2.281, 2.040]
        assert sum(document["looks"][-1]["n"]) == 300
        assert json.loads(errorbar(*sizes).out)["looks"] == []


@pytest.mark.parametrize(("given", "missing"), [("flagged", "unflagged"), ("unflagged", "flagged")])
def test_counts_of_one_stratum_lack_the_other(errorbar: CommandLine, given: str, missing: str) -> None:
    done = errorbar("sample", "estimate", "--counts", f"{given}:329:100:80")
    said = f"no stratum is {missing}; give --counts {missing}:ITEMS:JUDGED:ERRORS too [sample-one-class]"
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: --counts {given}:329:100:80: {said}\n"
