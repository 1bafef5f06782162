"""Pairs of systems tested by common swaps: against every way tried by hand, and what the floor of p decides."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from numpy.typing import NDArray

from errorbar import M2, Problems, Resampling
from errorbar.core import UsageError
from errorbar.metrics import Adjust, Comparison, SwapPlan, System, check_size, compare_systems, warn_hopeless
from errorbar.metrics.edit_metric import EditStatistics, score_totals
from errorbar.stats import random_swaps, stream
from tests.helpers.pairs import with_test, with_tests
from tests.metrics.test_comparison import compared, finds
from tests.stats.test_step_down import twin

DOCUMENTS = np.array([0, 0, 1, 2, 2, 2, 3, 4, 4])


def systems(n: int, seed: int = 0) -> list[System]:
    """Systems with random counts on nine sentences of five documents."""
    rng = stream(seed, "systems")
    present = np.ones((9, 2), np.uint8)
    made = []
    for k in range(n):
        gold = stream(seed, "gold").integers(1, 4, size=(9, 2))
        proposed = rng.integers(0, 4, size=(9, 2))
        counts = np.stack([np.minimum(rng.integers(0, 4, size=(9, 2)), np.minimum(gold, proposed)), proposed, gold], -1)
        made.append(System(f"s{k}", EditStatistics(counts.astype(np.int32), present, ("A", "B"))))
    return made


def f_of(counts: np.ndarray[tuple[int, ...], np.dtype[np.int32]]) -> float:
    statistics = EditStatistics(counts, np.ones(counts.shape[:2], np.uint8), ("A", "B"))
    return float(score_totals(M2().fold(statistics).counts[0], 0.5)[2])


@pytest.mark.parametrize("seed", range(3))
def test_all_ways_one_by_one(seed: int) -> None:
    """32 ways for five documents: every corpus is put together and folded on its own, and the twin adjusts."""
    four = systems(4, seed)
    found = compare_systems(M2(), four, DOCUMENTS, Resampling(replicates=5), SwapPlan(swaps=32))
    table = []
    for a, b in combinations(range(4), 2):
        first, second = four[a].statistics.counts, four[b].statistics.counts
        row = []
        for way in product((False, True), repeat=5):
            swapped = np.array(way)[DOCUMENTS][:, None, None]
            row.append(f_of(np.where(swapped, second, first)) - f_of(np.where(swapped, first, second)))
        table.append(row)
    differences = np.array(table)
    observed = differences[:, 0]  # nothing swapped
    for pair, row, p in zip(found.pairs, differences, twin(observed, differences, exact=True), strict=True):
        assert pair.swaps.alone.exact
        assert pair.swaps.alone.p_value == np.mean(np.abs(row) >= abs(row[0]) - 1e-12)
        assert pair.p_swaps == pytest.approx(p)
        assert pair.p_swaps is not None
        assert pair.swaps.alone.p_value is not None
        assert pair.p_swaps >= pair.swaps.alone.p_value


def test_random_ways_are_near_all_of_them() -> None:
    """15 sentences have 32,768 ways. The standard error of a share of 4,000 is at most .008; four of them."""
    rng = stream(3, "marks")
    three = [
        finds(name, "".join(rng.choice(["0", "1"], 15, p=[q, 1 - q])))
        for name, q in (("a", 0.1), ("b", 0.5), ("c", 0.6))
    ]
    every, some = (compared(*three, plan=SwapPlan(swaps=n)) for n in (2**15, 4000))
    for one, other in zip(every.pairs, some.pairs, strict=True):
        assert other.swaps.alone.p_value == pytest.approx(one.swaps.alone.p_value, abs=0.032)
        assert other.p_swaps == pytest.approx(one.p_swaps, abs=0.032)


def test_ways_are_drawn_in_blocks_that_do_not_grow_with_the_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    """At most 640 swaps at once: 64 ways of 10 sentences, and as few of 1,000, of which 64 still share a fold."""
    sizes: list[tuple[int, ...]] = []

    def spy(n: int, replicates: int, rng: np.random.Generator) -> NDArray[np.bool_]:
        sizes.append((replicates, n))
        return random_swaps(n, replicates, rng)

    monkeypatch.setattr("errorbar.metrics.swaps.random_swaps", spy)
    monkeypatch.setattr("errorbar.metrics.swaps.MOST_DRAWN", 640)
    for n in (10, 1000):
        sizes.clear()
        found = compared(finds("a", "10" * (n // 2)), finds("b", "01" * (n // 2)), plan=SwapPlan(swaps=300))
        assert sum(rows for rows, _ in sizes) == 300
        assert max(rows for rows, _ in sizes) == 64
        assert found.pairs[0].swaps.alone.n_replicates == 300


class TestUndecided:
    def test_few_documents_of_one_pair(self) -> None:
        """a and b differ in 3 of 40 sentences: p cannot be below 2 / 2^3. Others differ in many, and are decided."""
        marks = {"a": "1" * 40, "b": "1" * 37 + "000", "c": "1" * 8 + "0" * 32}
        found = compared(*(finds(*one) for one in marks.items()))
        assert [pair.undecided for pair in found.pairs] == [True, False, False]
        assert [pair.significant for pair in found.pairs] == [False, True, True]
        assert found.pairs[0].swaps.smallest_p == 0.25
        assert not with_test(found.pairs[0], alpha=0.3).undecided

    def test_few_documents_beside_many_pairs(self) -> None:
        """Eight sentences, all in favor of a: alone p = 2 / 2^8 = .0078, and t about √8 = 2.83, which it cannot exceed.

        The largest of 44 other pairs, which differ in some 30 of 60 sentences, exceeds it by chance more often than
        once in twenty.
        """
        rng = stream(5, "marks")
        many = ["".join(rng.choice(["0", "1"], 60)) for _ in range(9)]
        flipped = "".join("1" if k < 8 else mark for k, mark in enumerate(many[0]))
        base = "".join("0" if k < 8 else mark for k, mark in enumerate(many[0]))
        alone = compared(finds("a", flipped), finds("b", base)).pairs[0]
        assert (alone.p_swaps, alone.swaps.smallest_p) == (2 / 2**8, 2 / 2**8)
        systems = [finds("a", flipped), finds("b", base), *(finds(f"m{k}", mark) for k, mark in enumerate(many[1:]))]
        pair = compared(*systems).pairs[0]
        assert (pair.first, pair.second) == ("a", "b")
        assert pair.swaps.alone.p_value == 2 / 2**8
        assert pair.undecided

    def test_systems_that_wrote_the_same_have_no_p_and_are_not_undecided(self) -> None:
        copies = compared(finds("a", "111111"), finds("copy", "111111"), finds("none", "000000"))
        assert [each.p_swaps for each in copies.pairs] == [None, 2 / 2**6, 2 / 2**6]
        assert [each.swaps.smallest_p for each in copies.pairs] == [None, 2 / 2**6, 2 / 2**6]
        assert not any(with_test(each, alpha=0.01).undecided for each in copies.pairs[:1])
        holm = compared(finds("a", "111111"), finds("copy", "111111"), finds("none", "000000"), plan=SwapPlan("holm"))
        assert [each.p_swaps for each in holm.pairs] == [None, 4 / 2**6, 4 / 2**6]

    def test_at_the_floor(self) -> None:
        """No random way was as extreme: all that is known is p <= 1 / 100, by Holm of three pairs 3 / 100."""
        marks = {"a": "1" * 40, "b": "1" * 20 + "0" * 20, "c": "0" * 40}
        for plan, expected in ((SwapPlan("max-t", 99), 1 / 100), (SwapPlan("holm", 99), 3 / 100)):
            found = compared(*(finds(*one) for one in marks.items()), plan=plan)
            assert [pair.p_swaps for pair in found.pairs] == pytest.approx([expected] * 3)
            assert all(pair.swaps.at_floor and pair.swaps.alone.at_floor for pair in found.pairs)
        exact = compared(finds("a", "111"), finds("b", "000")).pairs[0]
        assert (exact.swaps.at_floor, exact.swaps.alone.at_floor) == (False, False)  # 2 / 2^3 is known


def warned(found: Comparison, alpha: float = 0.05) -> list[tuple[str, str, str]]:
    problems = Problems()
    warn_hopeless(with_tests(found, alpha=alpha), problems, unit="sentence")
    return [(note.code, note.what, note.fix) for note in problems.notes]


class TestWarnings:
    MARKS = ("1" * 40, "1" * 20 + "0" * 20, "0" * 40)

    def found(self, plan: SwapPlan | None = None) -> Comparison:
        return compared(*(finds(str(k), marks) for k, marks in enumerate(self.MARKS)), plan=plan)

    def test_none(self) -> None:
        assert warned(self.found()) == []
        assert warned(self.found(SwapPlan("holm"))) == []
        assert warned(compared(finds("a", "101"), finds("b", "101"))) == []  # nothing to swap

    def test_holm_with_too_few_swaps(self) -> None:
        """3 / 51 = .0588 for three pairs; 20 · 3 / .05 − 1 = 1,199 are fewer than 2,000."""
        ((code, what, fix),) = warned(self.found(SwapPlan("holm", 50)))
        assert code == "few-swaps"
        assert what == (
            "50 ways to swap are few for 3 pairs at the 5% level: none of 3 pairs could be significant, however large "
            "the difference"
        )
        assert fix == "take 2000 (--swaps=2000), or adjust by max-T (--adjust=max-t)"

    def test_max_t_with_too_few_swaps(self) -> None:
        """1 / 19 = .0526 for any number of pairs, 1 / 20 is the level itself."""
        ((code, what, fix),) = warned(self.found(SwapPlan(swaps=18)))
        assert (code, fix) == ("few-swaps", "take 2000 (--swaps=2000)")
        assert "none of 3 pairs could be significant" in what
        ((code, what, _),) = warned(self.found(SwapPlan(swaps=19)))
        assert (code, what) == ("few-swaps", "19 ways to swap are few for 3 pairs at the 5% level")

    def test_few_sentences(self) -> None:
        two = compared(finds("a", "111"), finds("b", "000"))
        assert warned(two) == [
            (
                "few-to-swap",
                "so few sentences decide between systems that the only pair could not be significant at the 5% level, "
                "however large the difference: a and b",
                "more sentences decide",
            )
        ]
        three = compared(finds("a", "111"), finds("b", "000"), finds("c", "110"))
        assert "none of 3 pairs could be significant at the 5% level" in warned(three)[0][1]

    def test_few_sentences_of_some_pairs(self) -> None:
        marks = [*self.MARKS, "1" * 39 + "0", "1" * 38 + "00", "1" * 37 + "000"]
        found = compared(*(finds(str(k), each) for k, each in enumerate(marks)))
        ((code, what, _),) = warned(found)
        assert code == "few-to-swap"
        assert "6 of 15 pairs could not be significant" in what
        assert what.endswith(": 0 and 3; 0 and 4; 0 and 5; and 3 more")


def test_another_seed_and_another_number_of_swaps_are_in_the_signature() -> None:
    assert SwapPlan().convention(15, 0.05) == "p:max-t,2000"
    assert SwapPlan("holm").convention(15, 0.05) == "p:holm,41999"
    assert SwapPlan("holm", 500).convention(15, 0.05) == "p:holm,500"


def test_more_than_max_t_can_keep_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorbar.metrics.swaps.MOST_KEPT", 29)
    few = Resampling(replicates=10)
    with pytest.raises(UsageError, match=r"10 ways to swap 3 pairs .*adjust=.holm.*compare-too-large"):
        compare_systems(M2(), systems(3), DOCUMENTS, few, SwapPlan(swaps=10))
    compare_systems(M2(), systems(3), DOCUMENTS, few, SwapPlan(swaps=9))
    compare_systems(M2(), systems(3), DOCUMENTS, few, SwapPlan("holm", 10))


def test_misuse_is_named() -> None:
    with pytest.raises(UsageError, match=r"no adjustment is called 'hom'.*holm.*\[adjust-method\]"):
        SwapPlan("hom")  # type: ignore[arg-type]  # wrong on purpose
    with pytest.raises(UsageError, match=r"\[replicates\]"):
        SwapPlan(swaps=0)


def test_more_ways_than_can_be_tried_are_refused() -> None:
    for plan, level in ((SwapPlan(), 1e-9), (SwapPlan("holm"), 1e-9)):  # 20 over the level
        with pytest.raises(UsageError, match="ways to swap must be at most 10,000,000, got 19,999,999,999"):
            plan.number(2, level)
    with pytest.raises(UsageError, match=r"\[replicates\]"):
        SwapPlan(swaps=10**12)
    assert SwapPlan(swaps=10**7).number(2, 0.05) == 10**7


@pytest.mark.parametrize("adjust", ["max-t", "holm"])
def test_more_pairs_than_a_minute_compares_are_refused_however_few_the_documents(adjust: Adjust) -> None:
    """Six documents have 64 ways to swap, of which max-T keeps any number: a thousand systems took minutes."""
    check_size(SwapPlan(adjust, 10), 316, 6, 0.05)
    with pytest.raises(UsageError, match=r"317 systems are 50,086 pairs .*at most 50,000.*\[compare-too-large\]"):
        check_size(SwapPlan(adjust, 10), 317, 6, 0.05)
