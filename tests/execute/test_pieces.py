"""Files cut into pieces: whatever their size and whoever reads them, the scores and the complaints are the same."""

from __future__ import annotations

import gzip
import weakref
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from errorbar import M2, Corpus, Edit, ErrorbarError, Hypothesis, Problems, Resampling, Score, Sentence
from errorbar.core import InputError
from errorbar.edits import TextInspection
from errorbar.execute import Executor, Processes, Serial, choose_executor
from errorbar.formats import (
    UNMARKED,
    CutSystem,
    HypothesisReader,
    NamedFile,
    Unmarked,
    can_cut,
    cut_pieces,
    reference_chunks,
)
from errorbar.formats.m2 import m2_annotators
from errorbar.formats.text import Cutter
from errorbar.metrics import ScoringPlan, corpus_pieces, score_pieces
from errorbar.metrics.edit_metric import EditStatistics
from tests.execute.workloads import DyingPiece
from tests.helpers.effort import draw_examples
from tests.helpers.scoring import score

METRICS = (M2(), M2(beta=1.0, choose="sentence"), M2(max_unchanged=0))
PLAN = ScoringPlan(METRICS, by_type=True, by_unit=True)
Outcome = tuple[list[Score] | list[str], list[str]]


def named(*paths: Path) -> list[NamedFile]:
    return [NamedFile(str(path), path.stem) for path in paths]


def whole(gold: Sequence[Path], systems: Sequence[Path], unmarked: Unmarked, *, lenient: bool) -> Outcome:
    problems = Problems(lenient=lenient)
    try:
        readers = [HypothesisReader(file.path, file.name, problems) for file in named(*systems)]
        chunks = reference_chunks(named(*gold), problems, unmarked=unmarked)
        return score_pieces(corpus_pieces(chunks, readers), readers, PLAN, problems), [
            str(note) for note in problems.notes
        ]
    except ErrorbarError as error:
        return [str(problem) for problem in error.problems], []


def pieces(
    gold: Sequence[Path],
    systems: Sequence[Path],
    unmarked: Unmarked = "auto",
    *,
    size: int,
    lenient: bool = False,
    carry: bool = False,
    executor: Executor | None = None,
) -> Outcome:
    problems = Problems(lenient=lenient)
    try:
        assert can_cut(named(*gold), named(*systems))
        cut = [CutSystem(file, problems, carry=carry) for file in named(*systems)]
        return score_pieces(
            cut_pieces(named(*gold), cut, problems, unmarked=unmarked, size=size, carry=carry),
            cut,
            PLAN,
            problems,
            executor=executor,
        ), [str(note) for note in problems.notes]
    except ErrorbarError as error:
        return [str(problem) for problem in error.problems], []


def in_any_order(outcome: list[Score] | list[str]) -> list[Score] | list[str]:
    return sorted(outcome, key=str) if isinstance(outcome[0], str) else outcome


def write(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


A = "A 0 1|||Det|||x|||REQUIRED|||-NONE-|||{}"
GOLD = "\n\n".join(
    "\n".join([f"S w{n} b c d e", *(A.format(who) for who in ids)])
    for n, ids in enumerate([(), (0, 2), (10,), (2,), (), (0,), (0, 2, 10), (10, 2), ()])
)
SYSTEM = "\n".join(f"x{n % 2} b c d e" for n in range(9))

VARIANTS: dict[str, tuple[str | bytes, str | bytes]] = {
    "plain": (GOLD + "\n\n", SYSTEM + "\n"),
    "no line feed at the end": (GOLD, SYSTEM),
    "blank lines at the end": (GOLD + "\n\n\n\n", SYSTEM + "\n\n \n"),
    "blank lines at the start": ("\n \n" + GOLD, SYSTEM),
    "carriage returns": (GOLD.replace("\n", "\r\n"), SYSTEM.replace("\n", "\r\n")),
    "byte order mark": ("\ufeff" + GOLD, "\ufeff" + SYSTEM),
    "empty sentences": (GOLD.replace("S w4 b c d e", "S").replace("S w8 b c d e", "S "), SYSTEM),
    "blank line missing": (GOLD.replace("\n\nS w3", "\nS w3"), SYSTEM),
    "bad lines": (
        GOLD.replace("S w5", "A what\nS w5").replace("A 0 1|||Det|||x|||REQUIRED|||-NONE-|||10", "junk"),
        SYSTEM,
    ),
    "bad spans": (GOLD.replace("A 0 1", "A 7 9"), SYSTEM),
    "not UTF-8": (GOLD.encode().replace(b"w7", b"\xff"), SYSTEM.encode().replace(b"b", b"\xfe")),
    "annotators with names": (GOLD.replace("|||10", "|||zoe").replace("|||2", "|||ann"), SYSTEM),
    "one annotator": (GOLD.replace("|||10", "|||2").replace("|||0", "|||2"), SYSTEM),
    "no annotator": ("\n\n".join("S a b" for _ in range(9)), SYSTEM),
    "too few lines": (GOLD, "\n".join(SYSTEM.split("\n")[:7])),
    "too many lines": (GOLD, SYSTEM + "\n" + SYSTEM),
    "shifted lines": (
        "\n\n".join(f"S {' '.join(f'{w}{n}' for w in 'abcdef')}" for n in range(30)),
        "\n".join(" ".join(f"{w}{n + (3 < n < 9)}" for w in "abcdef") for n in range(30)),
    ),
}


@pytest.mark.parametrize("lenient", [False, True], ids=["strict", "lenient"])
@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize(
    ("unmarked", "cuts"),
    [
        ("auto", [(1, False), (4, True)]),
        *(
            pytest.param(choice, [*product((1, 2, 4, 100), (False, True))], marks=pytest.mark.slow)
            for choice in UNMARKED
        ),
    ],
)
def test_pieces_of_any_size_are_read_as_the_whole(
    tmp_path: Path, unmarked: Unmarked, cuts: Sequence[tuple[int, bool]], variant: str, lenient: bool
) -> None:
    gold, system = VARIANTS[variant]
    files = [write(tmp_path / "gold.m2", gold)], [write(tmp_path / "system.txt", system)]
    expected = whole(*files, unmarked, lenient=lenient)
    for size, carry in cuts:
        found = pieces(*files, unmarked, size=size, lenient=lenient, carry=carry)
        assert in_any_order(found[0]) == in_any_order(expected[0]), size  # files are read further ahead in one
        assert sorted(found[1]) == sorted(expected[1]), size


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.lists(
        st.tuples(st.sampled_from(["a b", "", "a  c d"]), st.lists(st.sampled_from("012"), max_size=3, unique=True)),
        min_size=1,
    ),
    st.integers(1, 5),
    st.sampled_from(UNMARKED),
)
def test_any_file(tmp_path: Path, sentences: list[tuple[str, list[str]]], size: int, unmarked: Unmarked) -> None:
    blocks = ["\n".join([f"S {text}".strip(), *(A.format(who) for who in ids if text)]) for text, ids in sentences]
    files = (
        [write(tmp_path / "gold.m2", "\n\n".join(blocks))],
        [write(tmp_path / "system.txt", "\n".join(text.replace("a", "x") or "y" for text, _ in sentences))],
    )
    assert pieces(*files, unmarked, size=size) == whole(*files, unmarked, lenient=False)


def test_several_reference_files(tmp_path: Path) -> None:
    second = GOLD.replace("|||0", "|||1").replace("Det", "Prep")
    gold = [write(tmp_path / "first.m2", GOLD), write(tmp_path / "second.m2", second + "\n\n")]
    systems = [write(tmp_path / "a.txt", SYSTEM), write(tmp_path / "b.txt", SYSTEM.replace("x0", "x"))]
    for unmarked in UNMARKED:
        expected = whole(gold, systems, unmarked, lenient=False)
        assert len(expected[0]) == 6
        for size in (1, 4, 9):
            assert pieces(gold, systems, unmarked, size=size) == expected


@pytest.mark.parametrize("other", [GOLD + "\n\nS one more", GOLD.replace("w5 b", "w5 B")], ids=["longer", "different"])
def test_references_that_do_not_fit(tmp_path: Path, other: str) -> None:
    gold = [write(tmp_path / "first.m2", GOLD), write(tmp_path / "second.m2", other)]
    systems = [write(tmp_path / "a.txt", SYSTEM)]
    expected = whole(gold, systems, "auto", lenient=False)
    assert len(expected[0]) == 1
    assert pieces(gold, systems, size=2) == expected


def test_gzipped_files_are_cut_too(tmp_path: Path) -> None:
    plain = [write(tmp_path / "gold.m2", GOLD)], [write(tmp_path / "system.txt", SYSTEM)]
    zipped = (
        [write(tmp_path / "gold.gz", gzip.compress(GOLD.encode()))],
        [write(tmp_path / "system.gz", gzip.compress(SYSTEM.encode()))],
    )
    assert pieces(*zipped, size=2) == whole(*plain, "auto", lenient=False)
    damaged = write(tmp_path / "damaged.gz", gzip.compress(GOLD.encode() * 9)[:-20])
    assert pieces([damaged], plain[1], size=2)[0] == whole([damaged], plain[1], "auto", lenient=False)[0]


def test_what_cannot_be_cut(tmp_path: Path) -> None:
    gold = write(tmp_path / "gold.m2", GOLD)
    assert can_cut(named(gold), named(gold))
    assert not can_cut(named(gold), [NamedFile("-", "it")])
    assert not can_cut(named(write(tmp_path / "x.jsonl", '{"format": "errorbar-corpus", "version": 1}\n')), [])


def test_stretches_are_the_file_and_memory_is_that_of_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("errorbar.formats.text.BLOCK", 7)
    text = (GOLD + "\n\n").encode()
    for sentences in (True, False):
        cutter = Cutter(str(write(tmp_path / "gold.m2", text)), sentences=sentences, carry=False)
        found, units = [], []
        while (taken := cutter.take(2))[1]:
            found.append(taken[0])
            units.append(taken[1])
            assert len(cutter._buffer) < 300
        assert b"".join(stretch.read() for stretch in found) == text
        assert sum(units) == (9 if sentences else text.count(b"\n"))
        assert [stretch.lines_before for stretch in found] == [text[: s.start].count(b"\n") for s in found]


def test_a_file_that_becomes_shorter(tmp_path: Path) -> None:
    path = write(tmp_path / "gold.m2", GOLD)
    stretch, _ = Cutter(str(path), sentences=True, carry=False).take(9)
    write(path, GOLD[:50])
    with pytest.raises(InputError) as caught:
        stretch.read()
    assert caught.value.code == "file-changed"
    path.unlink()
    with pytest.raises(InputError) as caught:
        stretch.read()
    assert caught.value.code == "cannot-open"


@pytest.mark.parametrize("ids", ["0", "00000", "0000010", "1002", "0010001"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_the_first_two_annotators(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, ids: str, end: str) -> None:
    monkeypatch.setattr("errorbar.formats.m2.BLOCK", 100)
    path = write(tmp_path / "gold.m2", end.join(f"S a|||0{end}{A.format(who)}{end}" for who in ids))
    everybody = list(dict.fromkeys(ids))
    assert (m2_annotators(path), m2_annotators(path, most=2)) == (everybody, everybody[:2])


@draw_examples(100)
@given(st.lists(st.integers(0, 8), min_size=1, max_size=40), st.integers(1, 9))
def test_shifted_lines_are_found_across_pieces(belongs: list[int], size: int) -> None:
    texts = [" ".join(f"{w}{n}" for w in "abcdef") for n in range(len(belongs))]
    lines = [texts[min(n + max(0, shift - 5), len(texts) - 1)] for n, shift in enumerate(belongs)]
    expected, joiner = TextInspection(), TextInspection()
    expected.add(texts, lines)
    for at in range(0, len(texts), size):
        piece = TextInspection()
        piece.add(texts[at : at + size], lines[at : at + size])
        joiner.join(piece)
    assert joiner.shifted == expected.shifted


def big(tmp_path: Path, n: int) -> tuple[list[Path], list[Path]]:
    """Files of ``n`` sentences, no two the same."""
    blocks = [f"S w{k} a b w{k % 97} c\n{A.format(k % 3)}\n" for k in range(n)]
    lines = [f"{'x' if k % 5 else f'w{k}'} a {'b' if k % 7 else 'd'} w{k % 97} c" for k in range(n)]
    return [write(tmp_path / "gold.m2", "\n".join(blocks))], [write(tmp_path / "system.txt", "\n".join(lines))]


@pytest.mark.slow
def test_processes_and_a_killed_one_change_nothing(tmp_path: Path) -> None:
    files = big(tmp_path, 3000)
    expected = whole(*files, "auto", lenient=False)
    for jobs, size in ((2, 500), (3, 311)):
        with Processes(jobs) as executor:
            assert pieces(*files, size=size, executor=executor) == expected
    with Processes(2) as executor:
        assert dying(tmp_path, files, executor) == expected[0]


@pytest.mark.slow
def test_a_dask_cluster_and_a_killed_worker_change_nothing(tmp_path: Path) -> None:
    pytest.importorskip("distributed", reason="needs the extra 'dask'")
    files = big(tmp_path, 3000)
    expected = whole(*files, "auto", lenient=False)
    with choose_executor(2, "local") as executor:
        assert executor.sees([str(path) for path in files[0]])
        for carry in (False, True):
            assert pieces(*files, size=500, carry=carry, executor=executor) == expected
        assert dying(tmp_path, files, executor) == expected[0]


def dying(tmp_path: Path, files: tuple[list[Path], list[Path]], executor: Executor) -> list[Score]:
    """Score while the reader of the fourth piece is killed."""
    (tmp_path / "deaths").mkdir()
    problems = Problems()
    cut = [CutSystem(file, problems, carry=False) for file in named(*files[1])]
    plain = cut_pieces(named(*files[0]), cut, problems, size=300, carry=False)
    mixed = (DyingPiece(piece, tmp_path / "deaths") if at == 3 else piece for at, piece in enumerate(plain))
    found = score_pieces(mixed, cut, PLAN, problems, executor=executor)
    assert len(list((tmp_path / "deaths").iterdir())) == 1
    return found


def test_a_corpus_in_memory_and_intervals_are_the_same_with_jobs() -> None:
    edits = {"0": (Edit(0, 1, ("x",)),), "1": ()}
    corpus = Corpus([Sentence(f"a b {n}", edits, f"essay {n // 10}") for n in range(400)], ("0", "1"))
    systems = [Hypothesis("it", [f"{'x' if n % 3 else 'a'} b {n}" for n in range(400)])] * 40
    resampling = Resampling("percentile", 200)
    expected = score(corpus, systems[:1], METRICS, resampling=resampling)
    with Processes(2) as executor:  # 40 systems make four pieces
        found = score(corpus, systems, METRICS, resampling=resampling, executor=executor)
    assert found[:3] == expected
    assert score(corpus, systems[:1], METRICS, resampling=resampling, executor=Serial()) == expected


def test_in_one_process_the_counts_of_one_system_are_kept_at_a_time(monkeypatch: pytest.MonkeyPatch) -> None:
    alive: list[weakref.ref[object]] = []
    most = 0
    original = M2.measure

    def watched(self: M2, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> EditStatistics:
        nonlocal most
        found = original(self, reference, output, by_type=by_type)
        alive.append(weakref.ref(found.counts))
        most = max(most, sum(each() is not None for each in alive))
        return found

    monkeypatch.setattr(M2, "measure", watched)
    corpus = Corpus([Sentence("a", {"0": ()})], ("0",))
    score(corpus, [Hypothesis(str(n), ["a"]) for n in range(20)], [M2()])
    assert len(alive) == 20
    assert most <= 2


@pytest.mark.parametrize("between", ["", "\u00a0", "\x1c", "\nSjunk"])
def test_whether_a_blank_line_stood_before_is_told_as_the_reader_tells_it(tmp_path: Path, between: str) -> None:
    gold, system = tmp_path / "gold.m2", tmp_path / "system.txt"
    gold.write_text(f"S a b\nA 0 1|||T|||x|||REQUIRED|||-NONE-|||0\n{between}\nS c\n")
    system.write_text("a b\nc\n")
    problems, other = Problems(lenient=True), Problems(lenient=True)
    reader = HypothesisReader(system, "system", problems)
    score_pieces(
        corpus_pieces(reference_chunks(named(gold), problems), [reader]), [reader], ScoringPlan(METRICS), problems
    )
    cut = [CutSystem(named(system)[0], other, carry=True)]
    score_pieces(cut_pieces(named(gold), cut, other, size=1, carry=True), cut, ScoringPlan(METRICS), other)
    assert other.notes == problems.notes
    assert "m2-no-blank" not in [note.code for note in problems.notes]
