"""Pools of judges through the public way in: score, compare, ceiling and agree, files and refusals."""

from __future__ import annotations

import json
import re
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import errorbar
from errorbar import Corpus, Edit, ErrorbarError, Hypothesis, Problems, Sentence
from errorbar.core import InputError, Undefined, UsageError
from errorbar.formats import write_jsonl
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine

TEXT = "he go to school and buy book"
EIGHT = tuple(f"A{i}" for i in range(1, 9))
POOLS = {"minimal": ["A1", "A2", "A3", "A4"], "fluent": "A[5-8]"}
Pools = dict[str, str | list[str]]


def study(n: int = 40, names: tuple[str, ...] = EIGHT, seed: int = 7, half: int = 4) -> Corpus:
    """Judges of whom the first half corrects verbs, and the second nouns; nearly always."""
    rng, sentences = np.random.default_rng(seed), []
    for _ in range(n):
        own = {}
        for number, name in enumerate(names):
            verb, noun = rng.random() < (0.9 if number < half else 0.2), rng.random() < (0.2 if number < half else 0.9)
            edits = [Edit(1, 2, ("goes",), "V")] * verb + [Edit(6, 7, ("books",), "N")] * noun
            own[name] = tuple(edits)
        sentences.append(Sentence(TEXT, own))
    return Corpus(sentences, names)


def systems(n: int = 40) -> list[Hypothesis]:
    verbs, nouns = TEXT.replace("go ", "goes "), TEXT.replace("book", "books")
    lazy = [verbs if k % 2 else TEXT for k in range(n)]
    return [Hypothesis("verbs", [verbs] * n), Hypothesis("nouns", [nouns] * n), Hypothesis("lazy", lazy)]


score: Any = partial(errorbar.score, resamples=20)
compare: Any = partial(errorbar.compare, resamples=20)
ceiling: Any = errorbar.ceiling
agree: Any = errorbar.agree


def test_the_row_of_a_pool_has_the_digits_of_a_score_against_that_pool_alone() -> None:
    gold = study()
    scores = score(gold, systems(), pools=POOLS, judges="random")
    for at, names in enumerate((EIGHT[:4], EIGHT[4:])):
        alone = score(gold.only(names), systems(), judges="random")
        for pooled, own in zip(scores, alone, strict=True):
            assert pooled.pools is not None
            assert own.judges is not None
            row = pooled.pools.rows[at]
            assert row.rule.k == row.rule.n_judges == 4
            for name, joint in row.measures.items():
                assert joint.estimate.value == own.estimates[name].value
                assert joint.components == own.judges.measures[name].components
    assert scores[0].pools.rows[0].over == "over texts and the judges of pool minimal"


def test_pools_change_no_digit_of_the_scores_themselves() -> None:
    gold = study()
    for pooled, plain in zip(score(gold, systems(), pools=POOLS), score(gold, systems()), strict=True):
        assert (pooled.estimates, pooled.judges) == (plain.estimates, plain.judges)
        assert "pools:fixed,4+4," in str(pooled.signature)
        assert "pools" not in str(plain.signature)
        assert plain.pools is None


def test_of_pools_of_different_sizes_scores_are_against_as_many_judges() -> None:
    pools: Pools = {"few": ["A1", "A2"], "many": ["A3", "A4", "A5"]}
    scores = score(study(), systems(), pools=pools)
    assert {note.code for note in scores.notes} >= {"pool-sizes", "pool-none"}
    for scored in scores:
        few, many = scored.pools.rows
        assert (few.rule.k, many.rule.k, many.rule.n_judges) == (2, 2, 3)
        of_pairs = [
            errorbar.score(study().only(pair), [next(s for s in systems() if s.name == scored.system)], ci=False)[0].f
            for pair in combinations(("A3", "A4", "A5"), 2)
        ]
        assert many.measures["f"].estimate.value == pytest.approx(np.mean([f.value for f in of_pairs]))


def test_a_pool_of_one_judge_has_intervals_over_texts_and_says_so() -> None:
    pools: Pools = {"one": ["A1"], "three": ["A2", "A3", "A4"]}
    scores = score(study(), systems(), pools=pools, judges="random(population=none)")
    one, three = scores[0].pools.rows
    assert one.over == "over texts, against the judge of pool one"
    assert three.over == "over texts and the judges of pool three"
    assert one.measures["f"].components.judges == 0
    assert any(note.code == "judges-fixed" and "pool one's" in note.what for note in scores.notes)


def test_without_intervals_there_are_values_alone() -> None:
    pools: Any = POOLS
    scores: Any = errorbar.score(study(), systems(), pools=pools, ci=False)
    estimates = [row.measures["f"].estimate for row in scores[0].pools.rows]
    assert all(estimate.value is not None and estimate.interval is None for estimate in estimates)
    assert "CI" not in str(scores)
    without = str(errorbar.compare(study(), systems(), pools=pools, ci=False))
    assert "CI" not in without
    assert "\np is adjusted for the 3 pairs of a pool\n" in without
    assert {estimate.n_units for estimate in estimates} == {40}


def test_many_sentences_are_counted_though_they_are_left_out_in_groups() -> None:
    n, pools = 2010, dict[str, Any]({"a": ["A1", "A2"], "b": ["A3", "A5"], "c": ["A7", "A8"]})
    own = score(study(n), systems(n)[2:], pools=pools, pools_random=True)["lazy"].pools
    assert {one.estimate.n_units for row in own.rows for one in row.measures.values()} == {n}
    assert own.mean["f"].estimate.n_units == n
    pair: Any = compare(study(n), systems(n)[1:], pools=pools, pools_random=True, swaps=20).to_dict()["pools"]["pairs"][
        0
    ]
    assert pair["mean"]["n_units"] == n
    rows: Any = ceiling(study(40), systems()[:1], pools=pools, sizes=1).to_dict()["pools"]["rows"]
    assert {row["score"]["n_units"] for row in rows} == {40}


def test_fixed_pools_show_their_range_and_random_ones_a_mean_over_pools() -> None:
    pools: Pools = {"a": ["A1", "A2"], "b": ["A3", "A4"], "c": ["A5", "A6"], "d": ["A7", "A8"]}
    fixed = score(study(), systems(), pools=pools)
    values = [row.measures["f"].estimate.value for row in fixed[0].pools.rows]
    assert fixed[0].pools.mean is None
    assert fixed[0].pools.range_of("f") == (min(values), max(values))
    assert "range of F0.5 over the pools: verbs" in str(fixed)
    drawn = score(study(), systems(), pools=pools, pools_random=True)
    mean = drawn[0].pools.mean["f"]
    assert mean.estimate.value == pytest.approx(np.mean(values))
    assert mean.components.between == pytest.approx(np.var(values, ddof=1) / 4)
    assert mean.components.n_pools == 4
    assert "over texts, judges and pools, which are a random sample" in str(drawn)
    assert "pools:random,2+2+2+2" in str(drawn[0].signature)


def test_the_order_of_two_systems_depends_on_the_pool_where_each_is_ahead_in_one() -> None:
    result = compare(study(), systems(), pools=POOLS)
    pair = result.pools.pairs[0]
    assert [test.difference > 0 for test in pair.tests] == [True, False]
    assert pair.interaction.n_ways == 35
    assert pair.interaction.p == pair.interaction.smallest_p == 1 / 35
    assert result.pools.sentence(pair) == (
        "the order of verbs and nouns depends on the pool: "
        "verbs is ahead in pool minimal, nouns is ahead in pool fluent"
    )
    assert [result.pools.winner(at)[0] for at in range(2)] == ["verbs", "nouns"]
    assert "the best score is that of verbs in pool minimal and of nouns in pool fluent" in str(result)


def test_so_few_judges_that_no_test_could_decide_are_undecided() -> None:
    pools: Pools = {"minimal": ["A1", "A2"], "fluent": ["A5", "A6"]}
    result = compare(study(), systems()[:2], pools=pools)
    (pair,) = result.pools.pairs
    assert (pair.interaction.smallest_p, pair.result(result.alpha)) == (1 / 3, "undecided")
    assert "so few judges cannot show that it depends on the pool (p >= 0.33)" in result.pools.sentence(pair)
    assert "depends on the pool:" not in result.pools.sentence(pair)


def test_lines_on_pools_name_each_system_once_and_count_right() -> None:
    result = str(compare(study(), systems()[:2], pools={"a": ["A1"], "b": ["A2"], "c": ["A5"]}))
    assert "the best score is that of verbs in pools a and b and of nouns in pool c\n" in result
    assert "from the only way to deal the judges into such pools" in result
    three: Pools = {"a": "A[1-3]", "b": "A[45]", "c": "A[6-8]"}
    assert "from all 280 ways to deal the judges into such pools" in str(compare(study(), systems()[:2], pools=three))
    names = tuple(f"A{i}" for i in range(1, 15))
    sevens = {"a": names[:7], "b": names[7:]}
    many = str(compare(study(12, names, half=7), systems(12), pools=sevens, judges="random(k=1)"))
    assert "from all 1,716 ways" in many
    three_of_many = {"a": names[:4], "b": names[4:8], "c": names[8:]}
    many = str(compare(study(12, names, half=7), systems(12), pools=three_of_many, judges="random(k=1)"))
    assert "from 2,000 random ways to deal the judges into such pools" in many
    assert "only p is adjusted for the 3 pairs of a pool" in many


def test_no_system_is_best_that_scores_like_another() -> None:
    verbs, twin = systems()[0], Hypothesis("twin", systems()[0].lines)
    for result in (score(study(), [verbs, twin], pools=POOLS), compare(study(), [verbs, twin], pools=POOLS)):
        assert "verbs and twin have the best score in every pool" in str(result)
    (in_pools,) = [table for table in result.tables() if table.name == "pools"]
    assert [row[-1] for row in in_pools.rows] == ["best"] * 4


def test_of_many_pairs_the_results_are_counted() -> None:
    gold, some = study(), [*systems(), *(Hypothesis(f"{one.name} too", one.lines) for one in systems()[:1])]
    line = "\npairs whose difference depends on the pool, of 6: shown 5, not tested 1"
    assert line in str(compare(gold, some, pools=POOLS))


def test_pools_under_two_metrics_have_their_common_heading_and_a_line_on_each() -> None:
    pools: Any = POOLS
    shown = str(errorbar.score(study(), systems()[:2], ["m2", "m2(beta=1)"], pools=pools, ci=False))
    assert "pool judges system metric P R F\n" in re.sub(" +", " ", shown)
    for metric, title in (("m2", "F0.5"), ("m2(beta=1)", "F1")):
        assert f"\n{metric}: the best score is that of verbs in pool minimal and of nouns in pool fluent; " in shown
        assert f"\n{metric}: range of {title} over the pools: verbs " in shown


def test_the_rows_of_pools_name_the_empty_case_that_a_convention_fills() -> None:
    copy = Hypothesis("copy", [TEXT] * 40)
    pools: Pools = {"a": ["A1", "A2"], "b": ["A3"], "c": "A[4-8]"}
    scores = score(study(), [copy, systems()[0]], pools=pools, pools_random=True)
    for row in (*scores["copy"].pools.rows, scores["copy"].pools):
        measures = row.measures if hasattr(row, "measures") else row.mean
        assert measures["precision"].estimate.value == 1
        assert measures["precision"].estimate.undefined == Undefined.NOTHING_PROPOSED
    assert {one.estimate.undefined for row in scores["verbs"].pools.rows for one in row.measures.values()} == {None}
    assert str(scores).count("100.00*") == 5


def test_where_nothing_depends_on_the_pool_the_sentence_says_what_is_known() -> None:
    gold = study(half=8)  # all correct verbs
    result = compare(gold, systems()[:2], pools=POOLS)
    (pair,) = result.pools.pairs
    assert result.pools.sentence(pair) == (
        "verbs and nouns: verbs is ahead in every pool; that their difference depends on the pool is not shown"
    )


def test_a_result_that_leans_on_judges_who_vary_alike_has_a_warning() -> None:
    pools: Pools = {"few": ["A1", "A2"], "many": "A[3-8]"}
    verbs = dict(zip(EIGHT, (1.0, 0.6, 0.1, 0.12, 0.08, 0.1, 0.1, 0.12), strict=True))  # how often each corrects them
    rng, sentences = np.random.default_rng(3), []
    for _ in range(40):
        own = {who: ((Edit(1, 2, ("goes",), "V"),) if rng.random() < often else ()) for who, often in verbs.items()}
        both = {who: (*edits, Edit(6, 7, ("books",), "N")) for who, edits in own.items()}
        sentences.append(Sentence(TEXT, both))
    result = compare(Corpus(sentences, EIGHT), systems()[:2], pools=pools)
    (pair,) = result.pools.pairs
    assert pair.interaction.p <= 0.05 < pair.interaction.p_welch
    (note,) = [note for note in result.notes if note.code == "pool-spreads"]
    assert note.what.endswith("(verbs and nouns)")
    sure = compare(study(), systems()[:2], pools=POOLS)
    assert sure.pools.pairs[0].interaction.p_welch <= 0.05
    assert "pool-spreads" not in [note.code for note in sure.notes]


def test_the_test_is_over_the_texts_that_every_judge_looked_at() -> None:
    gold = study()
    for sentence in gold.sentences[:5]:
        sentence.annotations = {name: own for name, own in sentence.annotations.items() if name != "A5"}
    result = compare(gold, systems()[:2], pools=POOLS)
    assert result.pools.n_units == 35
    assert "pool-parts" in {note.code for note in result.notes}
    parts = Corpus(gold.sentences[5:], gold.annotators)
    only = compare(parts, [Hypothesis(s.name, s.lines[5:]) for s in systems()[:2]], pools=POOLS)
    assert result.pools.pairs[0].interaction == only.pools.pairs[0].interaction


def test_random_pools_give_a_difference_over_pools() -> None:
    pools: Pools = {"a": ["A1", "A2"], "b": ["A3", "A4"], "c": ["A5", "A6"], "d": ["A7", "A8"]}
    result = compare(study(half=8), systems(), pools=pools, pools_random=True)
    pair = result.pools.pairs[0]
    assert pair.mean.estimate.value == pytest.approx(np.mean([test.difference for test in pair.tests]))
    assert 0 < pair.p_mean < 0.05
    assert "all pools" in str(result)


def test_ceilings_within_a_pool_are_those_of_its_annotators_alone() -> None:
    result = ceiling(study(), systems(), pools=POOLS, sizes=2)
    assert result.pools.k == 2
    for pool, names in (("minimal", EIGHT[:4]), ("fluent", EIGHT[4:])):
        alone = ceiling(study().only(names), systems(), sizes=2)
        rows = {row.text: row for row in result.pools.rows if row.pool == pool}
        assert rows[pool].score.value == pytest.approx(alone.found.human[0, alone.found.main])
        for number, system in enumerate(alone.found.systems):
            assert rows[system].score.value == pytest.approx(alone.found.scores[number, 0, alone.found.main])
            assert rows[system].ratio.value == pytest.approx(alone.found.ratio[number, 0])
    within, between = result.pools.rows[0], result.pools.rows[1]
    assert (within.text, between.text) == ("minimal", "fluent")
    assert within.score.value > between.score.value


def test_a_ceiling_within_a_pool_of_two_has_no_interval_over_annotators() -> None:
    result = ceiling(study(), pools={"a": ["A1", "A2"], "b": ["A5", "A6", "A7"]}, sizes=1)
    within = result.pools.rows[0]
    assert (within.score.interval, str(within.score.no_interval)) == (
        None,
        "without one of the judges there is no value",
    )


def votes(n: int = 60, raters: int = 6, seed: int = 3) -> list[dict[str, object]]:
    rng, rows = np.random.default_rng(seed), []
    for item in range(n):
        truth = rng.random() < 0.4
        for rater in range(raters):
            right = rng.random() < (0.9 if rater < raters // 2 else 0.7)
            pool = "x" if rater < raters // 2 else "y"
            rows.append({"item": item, "rater": f"r{rater}", "label": "no" if truth == right else "yes", "pool": pool})
    return rows


def test_agreement_within_a_pool_is_fleiss_kappa_and_between_two_raters_cohens() -> None:
    rows = votes()
    result = agree(rows)
    for at, pool in ((0, "x"), (2, "y")):
        own = [{k: v for k, v in row.items() if k != "pool"} for row in rows if row["pool"] == pool]
        fleiss = agree(own, ci=False).report.coefficients["fleiss"]
        assert result.pools[at].pools == (pool, pool)
        assert result.pools[at].kappa.value == pytest.approx(fleiss.value)
    two = [row for row in rows if row["rater"] in ("r0", "r5")]
    between = next(row for row in agree(two).pools if not row.within)
    cohen = agree([{k: v for k, v in row.items() if k != "pool"} for row in two], ci=False)
    assert between.kappa.value == pytest.approx(cohen.report.coefficients["cohen"].value)
    first, middle, last = result.pools
    assert middle.gap.value == pytest.approx((first.kappa.value + last.kappa.value) / 2 - middle.kappa.value)


def test_agreement_of_ranks_weighs_labels_as_cohens_kappa() -> None:
    rng = np.random.default_rng(1)
    truth = rng.integers(1, 5, size=50)
    table = {name: np.clip(truth + rng.integers(-1, 2, size=50), 1, 5).tolist() for name in ("a", "b")}
    rows = [{"item": i, "rater": name, "label": table[name][i]} for i in range(50) for name in table]
    result = agree(rows, scale="ordinal", pools={"one": "a", "two": "b"})
    between = next(row for row in result.pools if not row.within)
    assert between.kappa.value == pytest.approx(result.report.coefficients["cohen"].value)


def test_agreement_over_raters_has_wider_intervals_and_a_pool_of_one_has_none() -> None:
    fixed, random = agree(votes()), agree(votes(), judges="random")
    assert [row.kappa.value for row in fixed.pools] == [row.kappa.value for row in random.pools]
    for one, other in zip(fixed.pools, random.pools, strict=True):
        assert other.kappa.interval.high - other.kappa.interval.low > one.kappa.interval.high - one.kappa.interval.low
    alone = agree(votes(), judges="random", pools={"one": "r0", "rest": "r[1-5]"})
    between = next(row for row in alone.pools if not row.within)
    assert str(between.kappa.no_interval) == "a single judge does not show how judges vary"
    assert alone.pools[0].kappa.value is None


def test_a_column_of_pools_is_read_from_a_table(tmp_path: Path, errorbar: CommandLine) -> None:
    rows = votes(30)
    path = tmp_path / "votes.csv"
    path.write_text(
        "\n".join(["item,rater,label,pool", *(f"{r['item']},{r['rater']},{r['label']},{r['pool']}" for r in rows)]),
        encoding="utf-8",
    )
    out = errorbar("agree", path, "--format", "json", "--no-ci")
    pools = json.loads(out.out)["pools"]
    assert [(row["first"], row["second"]) for row in pools] == [("x", "x"), ("x", "y"), ("y", "y")]
    assert "Agreement" not in out.err
    bad = path.read_text(encoding="utf-8").replace("29,r0,", "29,r5,").replace("29,r5,no,x", "29,r5,no,x", 1)
    path.write_text(bad, encoding="utf-8")
    out = errorbar("agree", path)
    assert out.code == 2
    assert "rater r5 is in pool 'x', and was in pool 'y' before" in out.err
    assert ":176:" in out.err


FILE = """random = true

[pools]
a = ["A1", "A2"]
b = "A[34]"
c = ["A5", "A6", "A7", "A8"]

[described]
a = "teachers who change as little as possible"
"""


def test_a_file_of_pools_is_the_same_as_names_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "pools.toml"
    path.write_text(FILE, encoding="utf-8")
    named: Pools = {"a": ["A1", "A2"], "b": ["A3", "A4"], "c": "A[5678]"}
    from_file = score(study(), systems(), pools=path)
    in_memory = score(study(), systems(), pools=named, pools_random=True)
    assert [str(own.signature) for own in from_file] == [str(own.signature) for own in in_memory]
    assert from_file.to_dict()["rows"][0]["pools"]["mean"] == in_memory.to_dict()["rows"][0]["pools"]["mean"]
    for result in (from_file, compare(study(), systems()[:2], pools=path), ceiling(study(), pools=path, sizes=1)):
        assert str(result).count("pool a: teachers who change as little as possible") == 1


@pytest.mark.parametrize(
    ("old", "new", "code", "words"),
    [
        ('"A1", "A2"', '"A1", "A9"', "pool-nobody", "pools.toml:4: pool a: no annotator is called 'A9'"),
        ('"A1", "A2"', '"A1", "A3"', "pool-twice", "annotator A3 is in 2 pools: a and b"),
        ("[described]", "[describe]", "pool-file-key", "a pool-file has no table or key 'describe'"),
        ("random = true", "random = 1", "pool-file-value", "pools.toml:1: random must be true or false"),
        ('b = "A[34]"', "b = 3", "pool-file-value", "pools.toml:5: b must be a text or a list of texts"),
        ('b = "A[34]"\n', "", "pool-few", "2 pools: too few to show how pools vary"),
        ("[pools]", "[pools", "pool-file-toml", "not valid TOML"),
    ],
)
def test_a_file_that_will_not_do_is_refused_with_its_place(
    tmp_path: Path, old: str, new: str, code: str, words: str
) -> None:
    path = tmp_path / "pools.toml"
    path.write_text(FILE.replace(old, new), encoding="utf-8")
    with pytest.raises(ErrorbarError) as caught:
        score(study(4), systems(4), pools=path)
    assert caught.value.code == code
    assert words in str(caught.value)
    assert isinstance(caught.value, InputError | UsageError)


@pytest.mark.parametrize(
    ("pools", "options", "code"),
    [
        ({"a": ["A1"]}, {}, "pool-few"),
        ({"a": ["A1"], "b": []}, {}, "pool-few"),
        ({"a": ["A1"], "all pools": ["A2"]}, {}, "reserved-name"),
        ({"a": ["A1"], "b": ["A2"]}, {"pools_random": True}, "pool-few"),
        ({"a": ["A1"], "b": ["A2", "A3"]}, {"judges": "random(k=2)"}, "pool-nobody"),
        ({"a": ["A1"], "b": ["B*"]}, {}, "pool-nobody"),
        ({"a": ["A1"], "b": ["A2"]}, {"metric": "m2(choose=A1)"}, "metric-lacks"),
        ({"a": ["A1"], "b": ["A2"]}, {"ci_method": "closed"}, "useless-option"),
        ({"a": ["A1"], "b": ["A2"]}, {"by": "type"}, "useless-option"),
        (None, {"pools_random": True}, "useless-option"),
    ],
)
def test_pools_in_memory_that_will_not_do_are_refused(
    pools: Pools | None, options: dict[str, object], code: str
) -> None:
    with pytest.raises(UsageError) as caught:
        score(study(4), systems(4), pools=pools, **options)
    assert caught.value.code == code
    assert " 1 pools" not in f" {caught.value}"


def test_runs_are_averaged_in_fixed_pools_and_refused_in_random_ones(tmp_path: Path) -> None:
    runs = [tmp_path / f"{system.name}.txt" for system in systems()]
    for path, system in zip(runs, systems(), strict=True):
        path.write_text("\n".join(system.lines) + "\n", encoding="utf-8")
    pools: Pools = {"a": ["A1", "A2"], "b": ["A3", "A4"], "c": ["A5", "A6"]}
    mean = f"mean={runs[0]},{runs[1]}"
    (pooled,) = score(study(), [mean], pools=pools)
    alone = [own.pools.rows[0].measures["f"].estimate.value for own in score(study(), runs[:2], pools=pools)]
    assert pooled.pools.rows[0].measures["f"].estimate.value == pytest.approx(np.mean(alone))
    near = tmp_path / "near.txt"
    near.write_text("\n".join([*systems()[0].lines[:-1], TEXT]) + "\n", encoding="utf-8")
    like = f"like={runs[0]},{near}"
    assert "CI of pool a: over texts, runs and the judges of pool a (" in str(score(study(), [like], pools=pools))
    both = compare(study(), [like, runs[2]], pools=pools, judges="fixed")
    assert "and p of pool a: over texts and runs, against the judges of pool a (" in str(both)
    again = tmp_path / "again.txt"
    again.write_bytes(runs[0].read_bytes())
    alike = compare(study(), [f"alike={runs[0]},{again}", runs[2]], pools=pools, judges="fixed")
    assert "over texts and runs, against the judges of pool a (" in str(alike)
    for function in (score, compare):
        with pytest.raises(UsageError, match="several-runs"):
            function(study(), [mean, runs[2]], pools=pools, pools_random=True)


@pytest.mark.parametrize("random", [[], ["--pools-random"]])
@pytest.mark.parametrize("ci", [[], ["--no-ci"]])
def test_json_is_as_its_schemas_say(
    tmp_path: Path, errorbar: CommandLine, random: list[str], ci: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    gold = study(12)
    Path("gold.jsonl").write_text("\n".join(write_jsonl(gold.sentences, Problems(), EIGHT)) + "\n", encoding="utf-8")
    for system in systems(12):
        Path(f"{system.name}.txt").write_text("\n".join(system.lines) + "\n", encoding="utf-8")
    Path("pools.toml").write_text(FILE.replace("random = true\n", ""), encoding="utf-8")
    given = ("--gold", "gold.jsonl", "verbs.txt", "nouns.txt", "--pools", "pools.toml", *ci, "--format", "json")
    rows = validated("score", errorbar("score", *given, *random).out)["rows"]
    assert [row["pools"]["random"] for row in rows] == [bool(random)] * 2
    assert [row["over"] is None for row in rows[0]["pools"]["rows"]] == [bool(ci)] * 3
    assert validated("compare", errorbar("compare", *given, *random).out)["pools"]["pairs"][0]["first"] == "verbs"
    assert len(validated("ceiling", errorbar("ceiling", *given, "--sizes", "1").out)["pools"]["rows"]) == 15
    in_csv = errorbar("compare", *given[:-2], "--format", "csv").out
    ends = "" if ci else "difference_low,difference_high,"
    assert f"\nfirst,second,pool,difference,{ends}p,ahead,p_interaction," in in_csv
    assert "\npool,judges,system,f,standing\n" in in_csv
    assert "–" not in in_csv
    out = errorbar("agree", "gold.jsonl", "--pools", "pools.toml", *ci, "--format", "json").out
    assert len(validated("agree", out)["pools"]) == 6


def test_a_report_has_a_section_on_pools_and_its_receipt_holds(
    tmp_path: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    gold = study()
    Path("gold.jsonl").write_text("\n".join(write_jsonl(gold.sentences, Problems(), EIGHT)) + "\n", encoding="utf-8")
    for system in systems():
        Path(f"{system.name}.txt").write_text("\n".join(system.lines) + "\n", encoding="utf-8")
    Path("pools.toml").write_text('[pools]\nminimal = "A[1-4]"\nfluent = "A[5-8]"\n', encoding="utf-8")
    given = ("--gold", "gold.jsonl", "verbs.txt", "nouns.txt", "--pools", "pools.toml", "--resamples", "100")
    assert errorbar("report", *given, "--jobs", "1", "--page", "attacks=no", "-o", "page.md").code == 0
    page = Path("page.md").read_text(encoding="utf-8")
    assert "The best score is that of verbs in pool minimal and of nouns in pool fluent." in page
    assert "The order of verbs and nouns depends on the pool: verbs is ahead in pool minimal" in page
    section = page.partition("## Pools of judges")[2].partition("\n## ")[0]
    titles = ("Scores in each pool", "Every pair of systems in each pool", "Humans and systems", "Agreement within")
    assert [title for title in titles if title not in section] == []
    assert errorbar("report", *given, "lazy.txt", "--page", "attacks=no", "-o", "third.md").code == 0
    third = Path("third.md").read_text(encoding="utf-8")
    assert "\nverbs and lazy: verbs is ahead" in third  # a name keeps its first letter
    assert ".." not in third.partition("## Pools of judges")[2].partition("\n## ")[0]
    (receipt,) = Path().glob("page*.json")
    assert json.loads(receipt.read_text(encoding="utf-8"))["arguments"]["pools"] == {"file": "pools.toml"}
    assert errorbar("verify", receipt).code == 0


@pytest.mark.slow
def test_the_ten_annotators_in_pools_of_five(data: Path, errorbar: CommandLine, tmp_path: Path) -> None:
    path = tmp_path / "pools.toml"
    path.write_text('[pools]\nfirst = "A[1-5]"\nsecond = ["A6", "A7", "A8", "A9", "A10"]\n', encoding="utf-8")
    golds = [part for k in range(1, 11) for part in ("--gold", data / f"bn2015_10gec/A{k}.m2")]
    names = [data / "conll14_systems/official_submissions" / name for name in ("CAMB", "CUUI")]
    options = ["--lenient", "--documents", data / "conll14/noalt/official-2014.0.sgml", "--format", "json"]
    found = json.loads(errorbar("compare", *golds, *names, *options, "--pools", path).out)["pools"]
    assert found["pairs"][0]["interaction"]["n_ways"] == 126
    # errorbar score --gold A1.m2 ... --gold A5.m2 CAMB CUUI, without pools
    assert found["pools"][0]["scores"] == pytest.approx({"CAMB": 0.4864766, "CUUI": 0.4623824}, abs=5e-5)
