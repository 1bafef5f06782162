"""Pairs too large for the official search order: they finish, say so, and both twins agree. No test is timed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from errorbar import Corpus, Edit
from errorbar.core import InputError
from errorbar.edits import Matches, MatchRules, match_corpus, matching, maxmatch, proposed_edits
from errorbar.edits.matching import COMPILED
from errorbar.edits.maxmatch import MAX_ARCS
from tests.conftest import ROOT
from tests.helpers.build import corpus, edit, sentence

needs_kernel = pytest.mark.skipif(not COMPILED, reason="the kernel is not compiled")


def run(reference: Corpus, line: str, *, kernel: bool | None = None, arc_limit: int = MAX_ARCS) -> Matches:
    return match_corpus(reference, [line], MatchRules(kernel=kernel, arc_limit=arc_limit))


def nothing_kept() -> tuple[Corpus, str]:
    """100 tokens of which none is kept; two of the substitutions are reference edits."""
    source = [f"old{i}" for i in range(100)]
    edits = [edit(3, 4, "new3"), edit(50, 52, "new50 new51"), edit(70, 71, "other")]
    return corpus(sentence(" ".join(source), {"0": edits, "1": []})), " ".join(f"new{i}" for i in range(100))


def repetition() -> tuple[Corpus, str]:
    """227 x 680 tokens of one phrase over and over: more than 40,000 vertices."""
    phrase = ("of", "the", "social")
    source = [phrase[i % 3] for i in range(227)]
    line = [phrase[i % 3] for i in range(680)]
    return corpus(sentence(" ".join(source), {"0": [edit(227, 227, "of the"), edit(5, 6, "media")]})), " ".join(line)


def test_no_word_kept() -> None:
    reference, line = nothing_kept()
    result = run(reference, line)
    assert result.large.tolist() == [1]
    # Two hits cut the line in five: rest, hit, rest, hit, rest.
    assert result.counts[0].tolist() == [[2, 5, 3], [0, 1, 0]]


def test_endless_repetition() -> None:
    result = run(*repetition())
    assert result.large.tolist() == [1]
    correct, proposed, gold = result.counts[0, 0].tolist()
    assert gold == 2
    assert 0 <= correct <= 1  # "media" is nowhere in the hypothesis
    assert proposed >= 1


@needs_kernel
@pytest.mark.parametrize("pair", [nothing_kept, pytest.param(repetition, marks=pytest.mark.slow)])
def test_both_twins_agree(pair: object) -> None:
    assert callable(pair)
    reference, line = pair()
    kernel, twin = run(reference, line, kernel=True), run(reference, line, kernel=False)
    assert kernel.counts.tolist() == twin.counts.tolist()
    assert kernel.matched.tolist() == twin.matched.tolist()
    assert kernel.large.tolist() == twin.large.tolist() == [1]


@pytest.mark.parametrize("kernel", [pytest.param(True, marks=needs_kernel), False])
def test_the_large_search_agrees_with_the_official_one_where_both_can_run(kernel: bool) -> None:
    """Without ties or repeated list entries between them, both objectives want the same edits."""
    reference = corpus(sentence("a b c d e f", {"0": [edit(0, 1, "X"), edit(4, 5, "Z")], "1": []}))
    for line in ("X b c d Y f", "X b c Y e f", "a b c d e f", "a b c"):
        official = run(reference, line, kernel=kernel)
        large = run(reference, line, kernel=kernel, arc_limit=-1)
        assert official.large.tolist() == [0]
        assert large.large.tolist() == [1]
        assert official.counts.tolist() == large.counts.tolist()


@pytest.mark.parametrize("kernel", [pytest.param(True, marks=needs_kernel), False])
def test_a_pair_beyond_all_bounds_is_refused_with_its_place(kernel: bool) -> None:
    line = "a " * 6000
    reference = corpus(sentence("b", {"0": []}), sentence(line, {"0": []}))
    with pytest.raises(InputError, match=r"sentence 2 has 6000 tokens and its hypothesis 6000") as refused:
        match_corpus(reference, ["b", line], MatchRules(kernel=kernel))
    assert refused.value.code == "pair-too-large"


def test_one_pair_beyond_all_bounds_is_refused_in_one_line() -> None:
    with pytest.raises(InputError, match=r"^the source has 6000 tokens and its hypothesis 6000: too many to compare"):
        maxmatch.max_match(["a"] * 6000, ["b"] * 6000, [])


@pytest.mark.parametrize(("start", "end"), [(2**40, 2**40 + 1), (-(2**40), 1), (0, 10**30)])
def test_a_span_that_no_machine_integer_holds_is_refused(start: int, end: int) -> None:
    with pytest.raises(InputError) as refused:
        match_corpus(corpus(sentence("a b c", {"0": [edit(start, end, "x")]})), ["x"], MatchRules())
    assert refused.value.code == "span-outside"


@pytest.mark.parametrize(("start", "end"), [(-1, 0), (3, 4), (2, 1)])
def test_a_span_outside_the_sentence_is_refused_with_its_place(start: int, end: int) -> None:
    reference = corpus(sentence("", {"0": []}), sentence("a b c", {"0": [edit(0, 3, "x"), edit(start, end, "y")]}))
    reference.name, reference.sentences[1].line = "gold", 7
    with pytest.raises(InputError, match=rf"gold:7: the span {start} {end} is outside the sentence of 3 tokens"):
        match_corpus(reference, ["", "x"], MatchRules(kernel=False))


@pytest.mark.parametrize("kernel", [pytest.param(True, marks=needs_kernel), False])
@pytest.mark.parametrize(("n", "m"), [(3, 2), (2, 3)])
def test_the_bound_is_the_number_of_cells(monkeypatch: pytest.MonkeyPatch, kernel: bool, n: int, m: int) -> None:
    """(3 + 1) * (2 + 1) = 12 cells of the distance table."""
    reference, line = corpus(sentence(" ".join("abc"[:n]), {"0": []})), " ".join("xyz"[:m])
    for module in (matching, maxmatch):
        monkeypatch.setattr(module, "MAX_CELLS", 12)
    assert match_corpus(reference, [line], MatchRules(kernel=kernel)).counts[0, 0, 0] == 0
    assert not any(edit.matched for edit in proposed_edits(reference, [line], [0], MatchRules(kernel=kernel))[0])
    for module in (matching, maxmatch):
        monkeypatch.setattr(module, "MAX_CELLS", 11)
    with pytest.raises(InputError, match=f"sentence 1 has {n} tokens and its hypothesis {m}"):
        match_corpus(reference, [line], MatchRules(kernel=kernel))
    with pytest.raises(InputError, match=f"sentence 1 has {n} tokens and its hypothesis {m}"):
        proposed_edits(reference, [line], [0], MatchRules(kernel=kernel))


@pytest.mark.parametrize("kernel", [pytest.param(True, marks=needs_kernel), False])
@pytest.mark.parametrize(
    ("annotators", "states", "fits"), [(1, 96, True), (1, 95, False), (5, 479, False), (5, 480, True)]
)
def test_the_bound_of_the_large_search(
    monkeypatch: pytest.MonkeyPatch, kernel: bool, annotators: int, states: int, fits: bool
) -> None:
    """(4 source tokens + 1 + 3 insertions) * (2 + 1) * (2 + 2) = 96 for each annotator."""
    edits = [edit(0, 0, "p"), edit(0, 0, "q"), edit(2, 2, "r"), edit(1, 2, "x")]
    reference = corpus(sentence("a b c d", {str(number): edits for number in range(annotators)}))
    for module in (matching, maxmatch):
        monkeypatch.setattr(module, "MAX_STATES", states)
    for columns in ([0], None):
        if fits or columns is None or states < 96:
            find = (
                (lambda: match_corpus(reference, ["a x"], MatchRules(kernel=kernel, arc_limit=-1)))
                if columns is None
                else (lambda: proposed_edits(reference, ["a x"], [0], MatchRules(kernel=kernel, arc_limit=-1)))
            )
            if fits:
                find()
            else:
                with pytest.raises(
                    InputError, match="sentence 1 has 4 tokens and its hypothesis 2: too many to compare"
                ):
                    find()


@needs_kernel
@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="the memory of a process is read from /proc")
def test_thousands_of_tokens_fit_in_little_memory() -> None:
    """3,000 tokens of which none is kept, and 2,000 reference deletions: with 5,000 tokens this took more than 5 GB."""
    code = (
        "from pathlib import Path\n"
        "from errorbar.edits.matching import match_corpus\n"
        "from tests.helpers.build import corpus, edit, sentence\n"
        "edits = [edit(k, k + 1, '') for k in range(2000)]\n"
        "source, line = (' '.join(f'{side}{k}' for k in range(3000)) for side in 'ab')\n"
        "print(match_corpus(corpus(sentence(source, {'0': edits})), [line]).counts.tolist())\n"
        "status = dict(line.split(':', 1) for line in Path('/proc/self/status').read_text().splitlines())\n"
        "print(int(status['VmHWM'].split()[0]) // 1024)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False, cwd=ROOT, timeout=1500
    )
    counts, megabytes = done.stdout.splitlines()
    # The 2,000 deletions stand side by side and each is matched; what is left is one edit.
    assert counts == "[[[2000, 2001, 2000]]]"
    assert int(megabytes) < 300


# Readers refuse such spans, but a Corpus can be built in memory by anybody.
OUTSIDE = """
from errorbar.core.problems import InputError
from errorbar.edits.matching import match_corpus
from errorbar.edits.maxmatch import MatchRules
from tests.helpers.build import corpus, edit, sentence

for start, end in [(-1, -1), (-(10**8), 0), (4, 4), (10**8, 10**8), (0, 10**8), (2, 1)]:
    reference = corpus(sentence("a b c", {"0": [edit(start, end, "x")]}))
    for arc_limit in (1 << 18, -1):
        try:
            print(match_corpus(reference, ["a x c"], MatchRules(arc_limit=arc_limit)).counts.tolist(), flush=True)
        except InputError as error:
            print(error.code, flush=True)
"""


def test_a_span_outside_the_sentence_matches_nothing_or_is_refused() -> None:
    """In a process of its own: the kernel must not write where it has no business."""
    command = [sys.executable, "-c", OUTSIDE]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT, timeout=1500)
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 12), done.stdout + done.stderr
    assert {*done.stdout.splitlines()} <= {"[[[0, 1, 1]]]", "span-outside", "span-backwards"}


@pytest.mark.parametrize("kernel", [pytest.param(True, marks=needs_kernel), False])
@pytest.mark.parametrize("arc_limit", [MAX_ARCS, -1])
@pytest.mark.parametrize(
    ("edits", "counts"),
    [
        # The official scorer's scan, from left to right: what matches a repeated edit counts twice (P = 2), and an edit
        # after one that stands further right is not looked at again.
        ([edit(0, 1, "X"), edit(0, 1, "X")], [2, 1, 2]),
        ([edit(3, 4, "Y"), edit(0, 1, "X")], [1, 2, 2]),
        ([edit(0, 1, "X"), edit(3, 4, "Y")], [2, 2, 2]),
    ],
)
def test_edits_as_they_are_written(kernel: bool, arc_limit: int, edits: list[Edit], counts: list[int]) -> None:
    line = "X b c d e f" if edits[0] == edits[1] else "X b c Y e f"
    reference = corpus(sentence("a b c d e f", {"0": edits}))
    assert run(reference, line, kernel=kernel, arc_limit=arc_limit).counts[0, 0].tolist() == counts
