"""``errorbar audit``: from systems' outputs to audited precision, and what it refuses."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from random import Random
from typing import Any

import pytest

import errorbar as library
from errorbar import Corpus, Edit, Problems, Sentence
from errorbar.api.audit_edits import AuditItem, accepted_answers, operation, read_audit_key, stratify_items
from errorbar.edits import apply_edits, apply_pieces, minimal_pieces
from errorbar.formats import NamedFile
from errorbar.judging import Lease, Scheme, load_scheme
from errorbar.sampling.audit import OfficialCounts
from errorbar.sampling.seal import Seal
from errorbar.tasks import read_answers, with_answers
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine, Outcome
from tests.judging.simulated import work

BUDGET = ("--budget", "40")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, errorbar: CommandLine) -> Path:
    """The demo corpus, and an audit of two of its systems."""
    monkeypatch.chdir(tmp_path)
    assert errorbar("demo", "--save", "demo").code == 0
    assert draw(errorbar, "set.csv", "key.json").code == 0
    return tmp_path


def draw(errorbar: CommandLine, out: str, key: str, *options: object, systems: str = "greedy careful") -> Outcome:
    names = [f"demo/{name}.txt" for name in systems.split()]
    return errorbar(
        "audit", "draw", "--gold", "demo/gold.jsonl", *names, *(options or BUDGET), "--out", out, "--key", key
    )


def fill(source: str, target: str, label: str = "") -> None:
    """A rater who finds every other edit valid."""
    rows = list(csv.DictReader(Path(source).read_text(encoding="utf-8").splitlines()))
    with Path(target).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, rows[0])
        writer.writeheader()
        for row in rows:
            writer.writerow({**row, "label": label or ("valid" if int(row["item"], 16) % 2 else "not-valid")})


def test_the_whole_way(folder: Path, errorbar: CommandLine) -> None:
    fill("set.csv", "done.csv")
    done = errorbar("audit", "estimate", "done.csv", "--key", "key.json", "--format", "json")
    assert done.code == 0, done.err
    document = validated("audit-estimate", done.out)
    official = library.score("demo/gold.jsonl", ["demo/greedy.txt", "demo/careful.txt"], ci=False).to_dict()["rows"]
    assert isinstance(official, list)
    for system, row in zip(document["systems"], official, strict=True):
        assert system["official"] == {name: pytest.approx(row[name]) for name in ("precision", "recall", "f")}
        audited = system["audited_precision"]
        assert audited["value"] > system["official"]["precision"]
        if system["system"] == "greedy":  # of the other everything was judged
            assert audited["interval"]["low"] <= audited["value"] <= audited["interval"]["high"]
        assert system["recall_if_other"] >= system["recall_if_new"] >= system["official"]["recall"]
    assert len(document["differences"]) == 1
    table = errorbar("audit", "estimate", "done.csv", "--key", "key.json")
    assert "audited P" in table.out
    assert "valid:majority" in table.out
    assert (folder / "set.csv").read_text().startswith("item,text,span,word,suggestion,set,rater,label\n")


def test_the_set_tells_nothing_of_systems(folder: Path) -> None:
    text = (folder / "set.csv").read_text(encoding="utf-8")
    assert "greedy" not in text
    assert "careful" not in text
    for row in csv.DictReader(text.splitlines()):
        start, end = map(int, row["span"].split("-"))
        assert row["text"][start:end] == row["word"]
        assert row["word"] != row["suggestion"]


def test_what_was_judged_is_not_asked_again(folder: Path, errorbar: CommandLine) -> None:
    fill("set.csv", "done.csv")
    again = draw(errorbar, "more.csv", "more.json", *BUDGET, "--judged", "done.csv", systems="greedy careful")
    assert again.code == 0, again.err
    assert "set" in again.err
    old, new = read_audit_key("key.json"), read_audit_key("more.json")
    assert {old.frame.items[at].name for at in old.drawn()} == {new.frame.items[at].name for at in new.drawn()}
    assert "0 edits written" in again.err
    third = draw(
        errorbar, "third.csv", "third.json", "--budget", "60", "--judged", "done.csv", systems="greedy articles"
    )
    assert third.code == 0, third.err
    known = {row["item"] for row in csv.DictReader(Path("done.csv").read_text(encoding="utf-8").splitlines())}
    asked = {row["item"] for row in csv.DictReader(Path("third.csv").read_text(encoding="utf-8").splitlines())}
    assert asked
    assert not asked & known
    assert "were judged in earlier audits" in third.err
    fill("third.csv", "third-done.csv")
    both = errorbar("audit", "estimate", "done.csv", "third-done.csv", "--key", "third.json", "--format", "json")
    assert both.code == 0, both.err
    assert json.loads(both.out)["missing"] == 0


def test_answers_for_a_shared_task(folder: Path, errorbar: CommandLine) -> None:
    fill("set.csv", "done.csv", "valid")
    gold = ("--gold", "demo/gold.jsonl", "--alternatives")
    done = errorbar("audit", "estimate", "done.csv", "--key", "key.json", *gold, "answers.m2")
    assert done.code == 0, done.err
    corpus, problems = library.read_corpus("demo/gold.jsonl"), Problems()
    answers = read_answers([NamedFile.parse("audit=answers.m2")], corpus, problems)
    assert answers
    assert not problems.errors
    more = with_answers(corpus, answers)
    old, new = (library.score(one, "demo/greedy.txt", ci=False).to_dict()["rows"] for one in (corpus, more))
    assert isinstance(old, list)
    assert isinstance(new, list)
    assert new[0]["precision"] > old[0]["precision"]
    repeated = errorbar("audit", "estimate", "done.csv", "--key", "key.json", *gold, "answers.m2")
    assert "[audit-exists]" in repeated.err


def judge(target: str, raters: dict[str, dict[str, str]], better: dict[str, str] | None = None) -> None:
    """A file of judgments: rater to item to label; what the first rater finds better."""
    with Path(target).open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(["item", "rater", "label", "better"])
        for at, (rater, said) in enumerate(raters.items()):
            writer.writerows(
                [item, rater, label, "" if at else (better or {}).get(item, "")] for item, label in said.items()
            )


def asked(path: str = "set.csv") -> list[str]:
    """The edits of a set."""
    return [row["item"] for row in csv.DictReader(Path(path).read_text(encoding="utf-8").splitlines())]


def estimated(errorbar: CommandLine, *arguments: object) -> dict[str, Any]:
    done = errorbar("audit", "estimate", *arguments, "--key", "key.json", "--format", "json")
    assert done.code == 0, done.err
    return validated("audit-estimate", done.out)


def test_several_raters(folder: Path, errorbar: CommandLine) -> None:
    """Their agreement, the interval over them, and what those who cannot tell could change."""
    items = asked()
    odd = {item: "valid" if int(item, 16) % 2 else "not-valid" for item in items}
    third = {item: "valid" if int(item, 16) % 3 else "not-valid" for item in items}
    judge("done.csv", {"ann": odd, "bob": third, "cid": {**odd, items[0]: "cannot-tell"}})
    found = estimated(errorbar, "done.csv")
    assert [one["rater"] for one in found["raters"]["raters"]] == ["ann", "bob", "cid"]
    assert found["raters"]["unclear"] == 1
    assert found["raters"]["raters"][2]["judged"] == len(items) - 1
    assert 0 < found["raters"]["observed"] < 1
    for system in found["systems"]:
        alone, both = system["audited_precision"], system["with_judges"]
        assert both["value"] == alone["value"]
        if alone["interval"]["low"] is not None:
            assert (
                both["interval"]["high"] - both["interval"]["low"]
                > alone["interval"]["high"] - alone["interval"]["low"]
            )
        ends = system["cannot_tell"]
        assert ends["if_not_valid"] <= alone["value"] <= ends["if_valid"]
    table = errorbar("audit", "estimate", "done.csv", "--key", "key.json").out
    assert "edits and judges" in table
    assert "say 'cannot tell'" in table


def test_what_cannot_tell_counts_as(folder: Path, errorbar: CommandLine) -> None:
    items = asked()
    odd = {item: "valid" if int(item, 16) % 2 else "cannot-tell" for item in items}
    judge("done.csv", {"ann": odd})
    left, worst, best = (estimated(errorbar, "done.csv", "--unclear", how) for how in ("missing", "not-valid", "valid"))
    assert left["unclear"] == sum(label == "cannot-tell" for label in odd.values())
    assert (worst["unclear"], best["unclear"]) == (0, 0)
    for at, system in enumerate(left["systems"]):
        ends = worst["systems"][at]["audited_precision"]["value"], best["systems"][at]["audited_precision"]["value"]
        assert system["cannot_tell"] == {"if_not_valid": pytest.approx(ends[0]), "if_valid": pytest.approx(ends[1])}
    assert "|valid:majority|unclear:not-valid|" in worst["spec"]


def test_extremes_of_differences(folder: Path, errorbar: CommandLine) -> None:
    """An edit that one system alone proposes is against it and for the other: each way of saying so lies between."""
    items, key = asked(), read_audit_key("key.json")
    by_name = {item.name: item.systems for item in key.frame.items}
    alone = [next(item for item in items if by_name[item] == flags) for flags in ((True, False), (False, True))]
    odd = {item: "valid" if int(item, 16) % 2 else "not-valid" for item in items}
    judge("done.csv", {"ann": {**odd, **dict.fromkeys(alone, "cannot-tell")}})
    (found,) = estimated(errorbar, "done.csv")["differences"]
    values = []
    for labels in (("valid", "valid"), ("valid", "not-valid"), ("not-valid", "valid"), ("not-valid", "not-valid")):
        judge("said.csv", {"ann": {**odd, **dict(zip(alone, labels, strict=True))}})
        values.append(estimated(errorbar, "said.csv")["differences"][0]["audited"]["value"])
    assert found["cannot_tell"] == {"lowest": pytest.approx(min(values)), "highest": pytest.approx(max(values))}
    assert values.index(max(values)) == 1  # not where all say the same
    assert "greedy - careful" in errorbar("audit", "estimate", "done.csv", "--key", "key.json").out


def test_a_rule_that_wants_more_raters_than_there_are(folder: Path, errorbar: CommandLine) -> None:
    """Nothing could be valid by it, which would look like a precise result."""
    items = asked()
    odd = {item: "valid" if int(item, 16) % 2 else "not-valid" for item in items}
    judge("done.csv", {"ann": odd, "bob": dict.fromkeys(items[3:], "valid")})
    none = errorbar("audit", "estimate", "done.csv", "--key", "key.json", "--valid", 3)
    assert (none.code, none.out) == (2, "")
    assert "expected at most 2, as many as judged an edit" in none.err
    assert "[audit-few-raters]" in none.err
    some = errorbar("audit", "estimate", "done.csv", "--key", "key.json", "--valid", 2)
    assert f"of 3 of {len(items)} judged edits fewer than 2 raters could tell" in some.err
    both, every = (estimated(errorbar, "done.csv", "--valid", rule) for rule in ("2", "all"))
    for two, all_of_them in zip(both["systems"], every["systems"], strict=True):
        ends, others = two["with_judges"]["interval"], all_of_them["with_judges"]["interval"]
        assert ends["high"] - ends["low"] > 0.5 * (others["high"] - others["low"])  # as if no judge differed, before


def test_one_judge_who_has_most_edits_is_nearly_alone(folder: Path, errorbar: CommandLine) -> None:
    items = asked()
    said = {item: "valid" if int(item, 16) % 2 else "not-valid" for item in items}
    judge("done.csv", {"ann": said, **{f"r{at}": {items[at]: "valid"} for at in range(5)}})
    table = errorbar("audit", "estimate", "done.csv", "--key", "key.json").out
    assert "6 judges, who judged as 1.3 would with as many edits each, tell little of how judges vary" in table
    judge("done.csv", {f"r{at}": dict(list(said.items())[at:]) for at in range(6)})
    assert "tell little" not in errorbar("audit", "estimate", "done.csv", "--key", "key.json").out


def test_ties_of_others_stay_where_a_judge_is_left_out(folder: Path, errorbar: CommandLine) -> None:
    """Ann and Bob disagree on everything; Cid and Dan, who are not asked of these edits, change nothing of that."""
    items = asked()
    half = len(items) // 2
    ann, bob = dict.fromkeys(items[:half], "valid"), dict.fromkeys(items[:half], "not-valid")
    rest = dict.fromkeys(items[half:], "not-valid")
    judge("done.csv", {"ann": ann, "bob": bob, "cid": rest, "dan": rest})
    key = read_audit_key("key.json")
    found = library.audit_estimate("done.csv", key=key).judged
    for at in (2, 3):
        assert found.raters.names[at] in {"cid", "dan"}
        assert found.without[at].sample.x.tolist() == found.heard.sample.x.tolist()


def test_a_rater_who_never_could_tell_has_a_say_where_that_counts(folder: Path, errorbar: CommandLine) -> None:
    items = asked()
    odd = {item: "valid" if int(item, 16) % 2 else "not-valid" for item in items}
    judge("done.csv", {"ann": odd, "bob": dict.fromkeys(items, "cannot-tell")})
    assert len(estimated(errorbar, "done.csv")["raters"]["raters"]) == 1
    counted = estimated(errorbar, "done.csv", "--unclear", "valid", "--valid", "all")
    assert [(one["judged"], one["valid"] is None) for one in counted["raters"]["raters"]] == [
        (len(items), False),
        (0, True),
    ]
    assert counted["systems"][0]["with_judges"]["interval"]["low"] is not None
    judge("done.csv", {"bob": dict.fromkeys(items, "cannot-tell"), "cid": dict.fromkeys(items, "cannot-tell")})
    assert "2 raters" in errorbar("audit", "estimate", "done.csv", "--key", "key.json", "--unclear", "valid").out


def test_shares_of_raters(folder: Path, errorbar: CommandLine) -> None:
    items = asked()
    judge("done.csv", {"ann": dict.fromkeys(items, "valid"), "bob": dict.fromkeys(items, "not-valid")})
    graded, majority = (estimated(errorbar, "done.csv", "--valid", rule) for rule in ("graded", "majority"))
    for system, other in zip(graded["systems"], majority["systems"], strict=True):
        unmatched = system["proposed"] - system["correct"]
        assert system["valid"] == pytest.approx(unmatched / 2, abs=1)  # but for edits that change nothing
        assert other["valid"] == 0


def test_votes_of_a_crowd_help(folder: Path, errorbar: CommandLine) -> None:
    """Votes on every edit, which are right; and such as say nothing."""
    assert draw(errorbar, "all.csv", "all.json", "--budget", "10000", systems="greedy").code == 0
    (folder / "key.json").unlink()
    assert draw(errorbar, "part.csv", "key.json", "--budget", "45", systems="greedy").code == 0
    fill("part.csv", "done.csv")
    fill("all.csv", "good.csv")
    fill("all.csv", "same.csv", "valid")
    plain, good, same = (
        estimated(errorbar, "done.csv", *more) for more in ((), ("--assist", "good.csv"), ("--assist", "same.csv"))
    )
    widths = []
    for found in (plain, good, same):
        made = found["systems"][0]["audited_precision"]["interval"]
        widths.append(made["high"] - made["low"])
    assert widths[1] < 0.7 * widths[0]
    assert widths[2] == pytest.approx(widths[0])
    every = estimated_all(errorbar)
    assert good["systems"][0]["audited_precision"]["value"] == pytest.approx(every)
    assert good["strata"][0]["trust"] == 1
    assert same["strata"][0]["trust"] == 0
    assert plain["strata"][0]["trust"] is None
    assert "|assist:votes|" in good["spec"]


def test_a_model_helps_and_never_judges(folder: Path, errorbar: CommandLine) -> None:
    """One table of people and a sealed model, which is right but for every ninth edit."""
    assert draw(errorbar, "all.csv", "all.json", "--budget", "10000", systems="greedy").code == 0
    (folder / "key.json").unlink()
    assert draw(errorbar, "part.csv", "key.json", "--budget", "45", systems="greedy").code == 0
    fill("part.csv", "done.csv")
    fill("all.csv", "good.csv")
    people, answers = (
        {row["item"]: row["label"] for row in csv.DictReader((folder / name).read_text().splitlines())}
        for name in ("done.csv", "good.csv")
    )
    seal = Seal("0123456789abcdef" * 4, {"model": "m"}, tune=["of no audit"])
    other = {"valid": "not-valid", "not-valid": "valid"}
    lines = [f"{item},ann,{label},human" for item, label in people.items()]
    lines += [
        f"{item},model:m@{seal.short_identity},{other[label] if at % 9 == 0 else label},model"
        for at, (item, label) in enumerate(answers.items())
    ]
    (folder / "both.csv").write_text("\n".join(["item,rater,label,rater_kind", *lines]) + "\n")
    seal.save("seal.json")
    plain = estimated(errorbar, "done.csv")["systems"][0]["audited_precision"]
    helped = estimated(errorbar, "both.csv", "--assist", "both.csv", "--seal", "seal.json")
    (row,) = helped["assistance"]
    assert row["alone"]["value"] == pytest.approx(plain["value"])
    assert row["alone"]["interval"] == pytest.approx(plain["interval"])
    assert row["assisted"] == helped["systems"][0]["audited_precision"]
    assert row["saved"]["value"] > 5
    assert "|assist:model|" in helped["spec"]
    shown = errorbar("audit", "estimate", "both.csv", "--key", "key.json", "--assist", "both.csv").out
    assert "model-only" in shown
    Seal(seal.identity, seal.model, examples=[*people][:1]).save("seen.json")
    call = ("audit", "estimate", "both.csv", "--key", "key.json", "--assist", "both.csv", "--seal", "seen.json")
    assert f"labels of 1 item stand in the prompt: {next(iter(people))}" in errorbar(*call).err


def estimated_all(errorbar: CommandLine) -> float:
    """The audited precision where everything is judged."""
    done = errorbar("audit", "estimate", "good.csv", "--key", "all.json", "--format", "json")
    return float(json.loads(done.out)["systems"][0]["audited_precision"]["value"])


def test_strata_by_type(folder: Path, errorbar: CommandLine) -> None:
    typed = draw(errorbar, "typed.csv", "typed.json", *BUDGET, "--types", "operation", systems="greedy")
    assert typed.code == 0, typed.err
    key = read_audit_key("typed.json")
    kinds = {item.type for item in key.frame.items}
    assert kinds == {"missing", "replaced", "unnecessary"}
    assert sum(key.frame.strata.sizes) == len(key.frame.items)
    assert {name.partition(", ")[2] for name in key.frame.strata.names} <= {*kinds, "other types", ""}
    fill("typed.csv", "done.csv")
    assert errorbar("audit", "estimate", "done.csv", "--key", "typed.json").code == 0


def test_operations() -> None:
    assert operation([(1, 1, "the")]) == "missing"
    assert operation([(1, 2, ""), (3, 4, "")]) == "unnecessary"
    assert operation([(1, 2, ""), (3, 3, "a")]) == "replaced"


def test_something_better_is_an_answer(folder: Path, errorbar: CommandLine) -> None:
    items = read_audit_key("key.json").frame.items
    item = next(one for one in items if one.name in asked() and one.pieces[0][1] > one.pieces[0][0])
    said = dict.fromkeys(asked(), "not-valid")
    judge("done.csv", {"ann": said, "bob": said}, {item.name: "quite other words"})
    gold = ("--gold", "demo/gold.jsonl", "--alternatives")
    done = errorbar("audit", "estimate", "done.csv", "--key", "key.json", *gold, "answers.jsonl")
    assert done.code == 0, done.err
    assert "judgments-extra" not in done.err
    corpus = library.read_corpus("demo/gold.jsonl")
    answers = read_answers([NamedFile.parse("audit=answers.jsonl")], corpus, Problems())
    assert {answer.sentence for answer in answers} == {item.sentence + 1}
    assert all("quite other words" in answer.text for answer in answers)
    both = errorbar("audit", "estimate", "done.csv", "--key", "key.json", *gold, "two.jsonl", "--better", 2)
    assert "0 answers" in both.err  # one rater alone said so
    alone = errorbar("audit", "estimate", "done.csv", "--key", "key.json", "--better", 2)
    assert "[useless-option]" in alone.err


@pytest.mark.parametrize(
    ("gold", "valid", "answer"),
    [
        ((3, 4, "the cat"), (3, 3, "a"), "yesterday he saw a cat there"),  # the annotator's carries a word along
        ((3, 3, "the"), (3, 4, "a dog"), "yesterday he saw a dog there"),
        ((3, 4, "the dog"), (3, 3, "a"), "yesterday he saw a cat there"),
        ((3, 4, "cat ,"), (4, 4, ";"), "yesterday he saw cat ; there"),
        ((3, 4, "dog"), (3, 3, "a"), "yesterday he saw a dog there"),  # both can stand
        ((2, 3, "looked at"), (3, 4, "cats"), "yesterday he looked at cats there"),
    ],
)
def test_answers_do_not_insert_twice_at_one_place(
    gold: tuple[int, int, str], valid: tuple[int, int, str], answer: str
) -> None:
    tokens = ("yesterday", "he", "saw", "cat", "there")
    sentence = Sentence(" ".join(tokens), {"1": (Edit(gold[0], gold[1], (gold[2],)),)})
    item = AuditItem("x", 0, (valid,), " ".join(tokens), (True,))
    frame = stratify_items([item], [OfficialCounts("ours", 1, 2, 3)], "m2", empty=0, bands=False)
    (made,) = accepted_answers(frame, ["x"], {}, Corpus([sentence], ("1",))).sentences
    assert " ".join(apply_edits(tokens, made.annotations["ours.1"])) == answer


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("--valid", "most"), "audit-rule"),
        (("--valid", "0"), "audit-rule"),
        (("--alternatives", "a.m2"), "audit-alternatives"),
        (("--gold", "demo/gold.jsonl"), "audit-alternatives"),
    ],
)
def test_refused(folder: Path, errorbar: CommandLine, arguments: tuple[str, ...], code: str) -> None:
    fill("set.csv", "done.csv")
    done = errorbar("audit", "estimate", "done.csv", "--key", "key.json", *arguments)
    assert done.code == 2
    assert f"[{code}]" in done.err


def test_bad_files(folder: Path, errorbar: CommandLine) -> None:
    fill("set.csv", "done.csv", "perhaps")
    assert "[audit-label]" in errorbar("audit", "estimate", "done.csv", "--key", "key.json").err
    fill("set.csv", "unclear.csv", "cannot tell")
    assert "[audit-no-judgments]" in errorbar("audit", "estimate", "unclear.csv", "--key", "key.json").err
    fill("set.csv", "good.csv")
    assert "[audit-key]" in errorbar("audit", "estimate", "good.csv", "--key", "good.csv").err
    (folder / "changed.json").write_text((folder / "key.json").read_text().replace('"seed": 0', '"seed": 1'))
    assert "[audit-key]" in errorbar("audit", "estimate", "good.csv", "--key", "changed.json").err
    (folder / "same.csv").write_text((folder / "good.csv").read_text())
    assert "[audit-twice]" in errorbar("audit", "estimate", "good.csv", "same.csv", "--key", "key.json").err
    assert "[sample-key-exists]" in draw(errorbar, "other.csv", "key.json").err
    assert "[audit-metric]" in draw(errorbar, "x.csv", "x.json", "--metric", "gleu").err
    assert "[sample-budget]" in draw(errorbar, "x.csv", "x.json", "--budget", 9, "--half-width", 0.1).err


def test_missing_judgments_are_counted(folder: Path, errorbar: CommandLine) -> None:
    fill("set.csv", "done.csv")
    lines = (folder / "done.csv").read_text(encoding="utf-8").splitlines()
    (folder / "part.csv").write_text("\n".join(lines[:-3]) + "\n", encoding="utf-8")
    done = errorbar("audit", "estimate", "part.csv", "--key", "key.json")
    assert "3 have no judgment" in done.err
    assert "[audit-unjudged]" in done.err


def test_a_system_none_of_whose_edits_was_judged_has_no_figures(tmp_path: Path, errorbar: CommandLine) -> None:
    assert errorbar("demo", "--crowd", "--save", tmp_path).code == 0
    key = json.loads((tmp_path / "audit-key.json").read_text(encoding="utf-8"))
    of_careful = {item["name"] for item in key["items"] if item["systems"][0]}
    with (tmp_path / "audit.csv").open(encoding="utf-8", newline="") as judged:
        rows = [row for row in csv.DictReader(judged) if row["item"] not in of_careful]
    with (tmp_path / "some.csv").open("w", encoding="utf-8", newline="") as out:
        writer = csv.DictWriter(out, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    call = ("audit", "estimate", tmp_path / "some.csv", "--key", tmp_path / "audit-key.json", "--format", "json")
    for more in ((), ("--anytime",)):
        record = json.loads(errorbar(*call, *more).out)
        careful, greedy = record["systems"]
        assert careful["system"] == "careful"
        assert (careful["valid"], careful["audited_precision"]["value"], careful["audited_f"]["value"]) == (None,) * 3
        assert careful["official"]["precision"] is not None
        assert greedy["audited_precision"]["value"] is not None
        assert [difference["audited"]["value"] for difference in record["differences"]] == ([] if more else [None])
    assert "–" in next(line for line in errorbar(*call[:-2]).out.splitlines() if line.startswith(" careful"))


def test_a_system_without_a_miss_has_nothing_to_audit(folder: Path, errorbar: CommandLine) -> None:
    lines = [sentence.text for sentence in library.read_corpus("demo/gold.jsonl").sentences]
    (folder / "demo/same.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert "[audit-nothing]" in draw(errorbar, "x.csv", "x.json", systems="same").err


def test_pieces() -> None:
    tokens = ["he", "go", "to", "the", "school", "yesterday"]
    pieces = minimal_pieces(tokens, 0, 5, "he went to school")
    assert pieces == ((1, 2, "went"), (3, 4, ""))
    assert apply_pieces(tokens, 0, 6, pieces) == "he went to school yesterday"
    assert apply_pieces(tokens, 1, 4, pieces) == "went to"
    assert minimal_pieces(tokens, 1, 2, "go") == ()
    assert minimal_pieces(tokens, 4, 4, "big") == ((4, 4, "big"),)


def test_the_scheme_says_what_estimates_read() -> None:
    from errorbar.api import LABELS

    assert load_scheme("edit-valid").labels() == LABELS


def test_from_the_set_to_raters_to_answers(folder: Path, errorbar: CommandLine) -> None:
    """A study of the set, two raters at work, its export, the estimate, and what they found better."""
    done = draw(errorbar, "few.csv", "few.json", "--budget", "12", systems="greedy careful")
    assert done.code == 0, done.err
    made = errorbar("judge", "init", "study", "--scheme", "edit-valid", "--from", "few.csv", "--raters-per-item", 2)
    assert made.code == 0, made.err

    def answer(_: Scheme, lease: Lease, __: Random) -> dict[str, Any]:
        if int(lease.item.name, 16) % 2:
            return {"validity": "valid"}
        return {"validity": "not-valid", "better": "quite other words"}

    work(folder / "study", 2, answer=answer)
    assert errorbar("judge", "export", "study", "-o", "judged.csv").code == 0
    gold = ("--gold", "demo/gold.jsonl", "--alternatives", "answers.jsonl", "--better", 2)
    found = errorbar("audit", "estimate", "judged.csv", "--key", "few.json", *gold, "--format", "json")
    assert found.code == 0, found.err
    document = validated("audit-estimate", found.out)
    key = read_audit_key("few.json")
    asked = [key.frame.items[at] for at in key.drawn()]
    assert document["missing"] == 0
    assert document["raters"]["judgments"] == 2 * len(asked)
    assert document["raters"]["observed"] == 1
    assert sum(one["valid"] for one in document["strata"]) == sum(int(item.name, 16) % 2 for item in asked)
    corpus = library.read_corpus("demo/gold.jsonl")
    answers = read_answers([NamedFile.parse("audit=answers.jsonl")], corpus, Problems())
    better = {answer.sentence - 1 for answer in answers if "quite other words" in answer.text}
    assert better == {item.sentence for item in asked if not int(item.name, 16) % 2}
