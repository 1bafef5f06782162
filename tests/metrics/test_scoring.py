"""Scoring over a stream: chunks change no digit, parts add up to the whole, and whoever may share measures once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from errorbar import M2, Corpus, Hypothesis, Problems, Score, Sentence
from errorbar.execute import Serial
from errorbar.formats import UNMARKED, HypothesisReader, NamedFile, Unmarked, reference_chunks
from errorbar.metrics import ScoringPlan, corpus_pieces, score_pieces, scoring
from errorbar.metrics.edit_metric import EditStatistics
from errorbar.metrics.scoring import SystemLines
from tests.helpers.build import corpus, edit, sentence
from tests.helpers.effort import draw_examples
from tests.helpers.scoring import counts_of, score
from tests.strategies import corpora

METRICS = (M2(), M2(beta=1.0, choose="sentence"), M2(choose="0"), M2(max_unchanged=0))


class InMemory:
    """A system's lines, as the stream takes them."""

    def __init__(self, lines: Sequence[str]) -> None:
        self.name = "system"
        self.rest = list(lines)

    def take_for(self, sentences: Sequence[Sentence]) -> list[str]:
        size = len(sentences)
        taken, self.rest = self.rest[:size], self.rest[size:]
        return taken

    def finish(self, n_sentences: int) -> None:
        assert not self.rest


def chunks(reference: Corpus, size: int) -> Iterator[Corpus]:
    for at in range(0, len(reference), size):
        yield Corpus(reference.sentences[at : at + size], reference.annotators)


def streamed(reference: Corpus, lines: Sequence[str], size: int) -> list[Score]:
    systems: list[SystemLines] = [InMemory(lines)]
    pieces = corpus_pieces(chunks(reference, size), systems)
    return score_pieces(
        pieces, systems, ScoringPlan(METRICS, by_type=True, by_unit=True, conventions=("x",)), Problems()
    )


@draw_examples(40)
@given(corpora(min_size=2, max_size=10))
def test_chunks_change_nothing(example: tuple[Corpus, list[str]]) -> None:
    reference, lines = example
    whole = streamed(reference, lines, 4096)
    for size in (1, 7):
        assert streamed(reference, lines, size) == whole  # signature, types and sentences included


@draw_examples(40)
@given(corpora(min_size=1))
def test_sentences_and_types_add_up_to_the_totals(example: tuple[Corpus, list[str]]) -> None:
    reference, lines = example
    for result in score(reference, [Hypothesis("it", lines)], METRICS, by_type=True, by_sentence=True):
        assert len(result.by_unit) == len(reference)
        sums = [sum(column) for column in zip(*(row.counts.values() for row in result.by_unit), strict=True)]
        assert sums == list(result.counts.values())
        assert sum(row.annotator is not None for row in result.by_unit) == result.n_units
        assert sum(row.counts["gold"] for row in result.by_type) == result.counts["gold"]
        assert sum(row.counts["correct"] for row in result.by_type) == result.counts["correct"]
        assert [row.type for row in result.by_type] == sorted(row.type for row in result.by_type)


def test_recall_of_a_type() -> None:
    """Det: one of two is found; Prep is used by annotator 1 alone, who is not chosen."""
    edits = [edit(0, 1, "X", kind="Det"), edit(2, 3, "Y", kind="Det")]
    reference = corpus(sentence("a b c", {"0": edits, "1": [edit(1, 2, "Z", kind="Prep")]}))
    (result,) = score(reference, [Hypothesis("it", ["X b c"])], [M2()], by_type=True)
    assert [(row.type, row.counts["correct"], row.counts["gold"], row["recall"].value) for row in result.by_type] == [
        ("Det", 1, 2, 1 / 2),
        ("Prep", 0, 0, None),
    ]


def test_parts_are_left_out_unless_asked_for() -> None:
    (result,) = score(corpus(sentence("a", {"0": [edit(0, 1, "b", kind="Det")]})), [Hypothesis("it", ["b"])], [M2()])
    assert list(result.by_type) == []
    assert list(result.by_unit) == []
    systems: list[SystemLines] = [InMemory(["b"])]
    reference = corpus(sentence("a", {"0": [edit(0, 1, "b", kind="Det")]}))
    (streamed,) = score_pieces(corpus_pieces([reference], systems), systems, ScoringPlan([M2()]), Problems())
    assert replace(streamed, system="it") == result


def test_a_chunk_without_a_sentence_changes_nothing() -> None:
    reference = corpus(sentence("a", {"0": [edit(0, 1, "b")]}), sentence("c", {"0": []}))
    first, second = chunks(reference, 1)
    systems: list[SystemLines] = [InMemory(["b", "c"])]
    pieces = corpus_pieces([first, Corpus([], reference.annotators), second], systems)
    assert score_pieces(pieces, systems, ScoringPlan([M2()]), Problems()) == score(
        reference, [Hypothesis("system", ["b", "c"])], [M2()]
    )


class TwoWorkers(Serial):
    """Works here, and says that it is two."""

    n_workers = 2


def test_several_workers_get_smaller_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 6 system sentences: 6 of one system, 3 of each of two; never less than 2."""
    monkeypatch.setattr(scoring, "PIECE", 6)
    monkeypatch.setattr(scoring, "SMALLEST_PIECE", 2)
    words = [f"w{k}" for k in range(7)]
    reference = corpus(*[sentence(word, {"0": [edit(0, 1, "x")]}) for word in words])
    for n_systems, sizes in ((1, [6, 1]), (2, [3, 3, 1]), (5, [2, 2, 2, 1])):
        systems = [InMemory(words) for _ in range(n_systems)]
        pieces = list(corpus_pieces([reference], systems, TwoWorkers()))
        assert [len(piece.corpus) for piece in pieces] == sizes
        assert [[line for piece in pieces for line in piece.lines[k]] for k in range(n_systems)] == [words] * n_systems
        alone = corpus_pieces([reference], [InMemory(words)], Serial())
        assert [len(piece.corpus) for piece in alone] == [7]
    lines = [*words[:6], "x"]
    told = [score(reference, [Hypothesis("it", lines)], METRICS, executor=who) for who in (None, TwoWorkers())]
    assert told[0] == told[1]
    assert counts_of(told[0][0]) == (1, 1, 7)


def test_metrics_that_differ_in_beta_or_choice_share_one_measure(monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[str] = []
    original = M2.measure

    def counted(self: M2, reference: Corpus, output: Sequence[str], *, by_type: bool = False) -> EditStatistics:
        measured.append(self.measure_key)
        return original(self, reference, output, by_type=by_type)

    monkeypatch.setattr(M2, "measure", counted)
    results = score(corpus(sentence("a", {"0": []})), [Hypothesis("it", ["a"])], METRICS)
    assert [result.metric for result in results] == [str(metric.spec) for metric in METRICS]
    assert measured == ["m2", "m2(max_unchanged=0)"]


def test_metrics_that_differ_in_what_they_count_do_not() -> None:
    """The -> the is an edit unless case is ignored, and so is one edit over a kept word unless none may be kept."""
    reference = corpus(sentence("the a b c", {"0": []}))
    metrics = [M2(), M2(ignore_case_space=True), M2(max_unchanged=0)]
    found = score(reference, [Hypothesis("it", ["The a X c"])], metrics)
    assert [(result.counts["proposed"], result.metric) for result in found] == [
        (1, "m2"),
        (1, "m2(ignore_case_space=true)"),
        (2, "m2(max_unchanged=0)"),
    ]
    found = score(reference, [Hypothesis("it", ["The a b c"])], metrics)
    assert [result.counts["proposed"] for result in found] == [1, 0, 1]


def test_scores_come_systems_outermost() -> None:
    reference = corpus(sentence("a", {"0": []}))
    results = score(reference, [Hypothesis("x", ["a"]), Hypothesis("y", ["a"])], METRICS[:2])
    assert [(r.system, r.beta) for r in results] == [("x", 0.5), ("x", 1.0), ("y", 0.5), ("y", 1.0)]


class TestSignature:
    REFERENCE = corpus(sentence("a b", {"0": [edit(0, 1, "X", kind="Det")]}))

    def signature(self, reference: Corpus, line: str, metric: M2 | None = None) -> str:
        return str(score(reference, [Hypothesis("it", [line])], [metric or M2()])[0].signature)

    def test_it_names_what_can_change_a_digit(self) -> None:
        base = self.signature(self.REFERENCE, "X b")
        assert base.startswith("m2|src:")
        others = [
            self.signature(self.REFERENCE, "Y b"),
            self.signature(self.REFERENCE, "X b", M2(beta=1.0)),
            self.signature(corpus(sentence("a c", {"0": [edit(0, 1, "X", kind="Det")]})), "X b"),
            self.signature(corpus(sentence("a b", {"0": [edit(0, 1, "Z", kind="Det")]})), "X b"),
            self.signature(corpus(sentence("a b", {"1": [edit(0, 1, "X", kind="Det")]})), "X b"),
        ]
        assert len({base, *others}) == 6

    def test_and_nothing_else(self) -> None:
        same = corpus(sentence("  a \t b ", {"0": [edit(0, 1, "X", kind="Prep")]}))
        same.name = "another name"
        assert self.signature(same, "X  b ") == self.signature(self.REFERENCE, "X b")

    def test_rows_are_comparable_unless_more_than_the_hypothesis_differs(self) -> None:
        systems = [Hypothesis("x", ["X b"]), Hypothesis("y", ["a b"])]
        first, second = score(self.REFERENCE, systems, [M2()])
        assert first.signature != second.signature
        assert first.signature.comparable(second.signature)
        assert not first.signature.comparable(second.signature._replace(conventions=("unmarked:all",)))


class TestWarnings:
    def test_an_annotator_without_lines_for_some_sentences(self) -> None:
        problems = Problems()
        reference = corpus(sentence("a", {"0": [], "1": []}), *[sentence("b", {"0": []}) for _ in range(2)])
        score(reference, [Hypothesis("it", ["a", "b", "b"])], [M2(choose="1")], problems=problems)
        (note,) = problems.notes
        assert note.code == "annotator-absent"
        assert "no line for 2 of 3 sentences" in note.what

    @pytest.mark.parametrize(("shifted", "said"), [((0,), "lines 1 look"), ((0, 1, 5), "lines 1-2, 6 look")])
    def test_lines_that_belong_to_the_next_sentence(self, shifted: tuple[int, ...], said: str) -> None:
        texts = [" ".join(f"{letter}{k}" for letter in "abcd") for k in range(7)]
        lines = [texts[k + 1] if k in shifted else text for k, text in enumerate(texts)]
        problems = Problems()
        score(
            corpus(*[sentence(text, {"0": []}) for text in texts]), [Hypothesis("it", lines)], [M2()], problems=problems
        )
        (note,) = problems.notes
        assert (note.code, str(note.place)) == ("shifted-lines", "it")
        assert note.what.startswith(said)

    def test_pairs_too_large(self) -> None:
        problems = Problems()
        source, line = " ".join(f"old{i}" for i in range(100)), " ".join(f"new{i}" for i in range(100))
        score(corpus(sentence(source, {"0": []})), [Hypothesis("it", [line])], list(METRICS[:2]), problems=problems)
        unlike, note = problems.notes  # the two metrics share their pairs
        assert (unlike.code, note.code) == ("unlike-lines", "large-pairs")
        assert note.what.endswith(": 1")


M2_FILE = """S a b c
{first}
S d e f
A 0 1|||Det|||D|||REQUIRED|||-NONE-|||1

S g h i
A 0 1|||Prep|||G|||REQUIRED|||-NONE-|||0
A 0 1|||Det|||H|||REQUIRED|||-NONE-|||1

S j k l

"""


class TestFiles:
    """Files read in chunks score as files read at once, also where the first chunks do not show every annotator."""

    def scores(self, folder: Path, size: int, unmarked: Unmarked, metric: M2) -> Score:
        problems = Problems()
        gold, system = folder / "gold.m2", folder / "system"
        reader = HypothesisReader(system, system.stem, problems)
        stream = reference_chunks([NamedFile.parse(str(gold))], problems, unmarked=unmarked, size=size)
        pieces = corpus_pieces(stream, [reader])
        return score_pieces(pieces, [reader], ScoringPlan([metric], by_type=True, by_unit=True), problems)[0]

    @pytest.mark.parametrize("unmarked", ["auto", "official", "all", "absent"])
    @pytest.mark.parametrize("first", ["", "A 2 3|||Um||||||REQUIRED|||-NONE-|||1\n"], ids=["bare", "by-one"])
    def test_two_annotators(self, tmp_path: Path, unmarked: Unmarked, first: str) -> None:
        (tmp_path / "gold.m2").write_text(M2_FILE.format(first=first))
        (tmp_path / "system").write_text("a b c\nD e f\nH h i\nj k X\n")
        for metric in (M2(), M2(choose="1")):
            whole = self.scores(tmp_path, 4096, unmarked, metric)
            for size in (1, 2, 3):
                assert self.scores(tmp_path, size, unmarked, metric) == whole, f"{size} a chunk"

    def test_sentences_keep_their_numbers_before_a_named_annotator_appears(self, tmp_path: Path) -> None:
        """Annotator 1 looks at the fourth sentence first, which is in the second chunk of three."""
        a_line = "A 0 1|||Det|||X|||REQUIRED|||-NONE-|||{}\n"
        blocks = [f"S a b\n{a_line.format(0 if k < 3 else 1)}" for k in range(4)]
        (tmp_path / "gold.m2").write_text("\n".join(blocks))
        (tmp_path / "system").write_text("X b\n" * 4)
        found = self.scores(tmp_path, 3, "absent", M2(choose="1"))
        assert [(row.unit, row.annotator) for row in found.by_unit] == [
            (1, None),
            (2, None),
            (3, None),
            (4, "1"),
        ]

    def test_the_only_annotator_is_not_number_0_and_found_nothing_at_first(self, tmp_path: Path) -> None:
        (tmp_path / "gold.m2").write_text("S a b\n\nS c d\nA 0 1|||Det|||C|||REQUIRED|||-NONE-|||1\n\n")
        (tmp_path / "system").write_text("a b\nC d\n")
        assert self.scores(tmp_path, 1, "auto", M2()) == self.scores(tmp_path, 4096, "auto", M2())

    def test_a_type_that_only_others_use_is_listed_for_a_named_annotator_too(self, tmp_path: Path) -> None:
        """Also where the named annotator first appears in a later chunk than the type."""
        a_line = "A 0 1|||{}|||C|||REQUIRED|||-NONE-|||{}\n"
        (tmp_path / "gold.m2").write_text("S a b\n" + a_line.format("Det", 0) + "\nS c d\n" + a_line.format("Prep", 1))
        (tmp_path / "system").write_text("a b\nC d\n")
        for unmarked in UNMARKED:
            whole = self.scores(tmp_path, 4096, unmarked, M2(choose="1"))
            assert [(row.type, row.counts["gold"]) for row in whole.by_type] == [("Det", 0), ("Prep", 1)]
            assert self.scores(tmp_path, 1, unmarked, M2(choose="1")) == whole
