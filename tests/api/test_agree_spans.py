"""``errorbar.agree_spans``: unitizing alpha and gamma, through the public function and the command."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from pathlib import Path

import numpy as np
import pytest

import errorbar
from errorbar.agreement import gamma as gamma_room
from errorbar.core.spans import Span, merge_spans, spans_of_corpus
from tests.cli.schema import validated
from tests.helpers.cli import CommandLine
from tests.helpers.page_rows import rows_of_page

Marked = Mapping[str, Sequence[tuple[int, int, str]]]
"""Annotator to start, length and type of spans."""


def write_spans(path: Path, length: int, marked: Marked) -> Path:
    """A table of one text; an annotator without spans looked at it."""
    rows = ["item,rater,start,end,label,length"]
    for rater, spans in marked.items():
        rows += [f"t,{rater},{at},{at + size},{kind},{length}" for at, size, kind in spans]
        rows += [] if spans else [f"t,{rater},,,,{length}"]
    path.write_text("\n".join(rows) + "\n")
    return path


# Krippendorff 2004, p. 254, and the values that the tests of dkpro-statistics-agreement 2.x record
# (Krippendorff2004Test, UnitizingAgreementTest, Krippendorff1995Test), places counted from 0.
BOOK = {
    "i": [(75, 70, "c"), (220, 30, "c"), (30, 60, "k"), (150, 50, "k")],
    "j": [(70, 80, "c"), (205, 20, "c"), (250, 20, "c"), (30, 60, "k"), (150, 50, "k")],
}
FENCE = {"r0": [(1, 8, "A")], "r1": [(2, 1, "A"), (4, 1, "A"), (6, 1, "A")]}
LONG = {
    "x": [(2, 8), (14, 6)],
    "y": [(4, 4), (15, 2)],
}


class TestAlpha:
    def test_the_book_and_dkpro(self, tmp_path: Path) -> None:
        table = write_spans(tmp_path / "book.csv", 300, BOOK)
        result = errorbar.agree_spans(table, labels="type", ci=False)
        assert result.spans.values["alpha"].value == pytest.approx(0.8591, abs=5e-4)
        assert result.types["c"].values["alpha"].value == pytest.approx(0.7286, abs=1e-4)
        assert result.types["k"].values["alpha"].value == pytest.approx(1)

    def test_one_span_over_three(self, tmp_path: Path) -> None:
        result = errorbar.agree_spans(write_spans(tmp_path / "fence.csv", 10, FENCE), ci=False)
        assert result.spans.values["alpha"].value == pytest.approx(-0.7003, abs=1e-4)

    def test_one_span_of_one_annotator_of_three(self, tmp_path: Path) -> None:
        """0 in dkpro (testSingleAnnotationUnit): as often alone as by chance."""
        table = write_spans(tmp_path / "one.csv", 20, {"a": [(0, 1, "X")], "b": [], "c": []})
        assert errorbar.agree_spans(table, ci=False).spans.values["alpha"].value == pytest.approx(0, abs=1e-12)

    def test_the_limit_of_fine_places(self, tmp_path: Path) -> None:
        """Krippendorff 1995, p. 57, observer pair A: .553 where a place is ever smaller."""
        stretched = {rater: [(at * 50_000, n * 50_000, "A") for at, n in spans] for rater, spans in LONG.items()}
        result = errorbar.agree_spans(write_spans(tmp_path / "long.csv", 24 * 50_000, stretched), ci=False)
        assert result.spans.values["alpha"].value == pytest.approx(0.553, abs=5e-4)

    def test_any_texts_as_the_definition_says(self, tmp_path: Path) -> None:
        """Against a count of every place where chance can put a span, over texts with two or three annotators."""
        rng = np.random.default_rng(3)
        texts = [
            (12 + number, {rater: _random_spans(rng, 12 + number) for rater in "abc"[: 2 + number % 2]})
            for number in range(6)
        ]
        rows = ["item,rater,start,end,length"]
        for number, (length, marked) in enumerate(texts):
            for rater, spans in marked.items():
                rows += [f"{number},{rater},{start},{end},{length}" for start, end in spans] or [
                    f"{number},{rater},,,{length}"
                ]
        (tmp_path / "t.csv").write_text("\n".join(rows) + "\n")
        result = errorbar.agree_spans(tmp_path / "t.csv", ci=False)
        assert result.spans.values["alpha"].value == pytest.approx(_alpha_twin(texts))


Texts = Sequence[tuple[int, Mapping[str, Sequence[tuple[int, int]]]]]


def _random_spans(rng: np.random.Generator, length: int) -> list[tuple[int, int]]:
    cuts = sorted(rng.choice(length + 1, size=4, replace=False).tolist())
    return [(cuts[0], cuts[1]), (cuts[2], cuts[3])][: int(rng.integers(3))]


def _alpha_twin(texts: Texts) -> float:
    """1 - D_o / D_e, D_e the mean δ² of a span laid onto every place of all annotators but its own (1995, p. 59)."""
    total = sum(length for length, _ in texts)
    annotated = sum(length * len(marked) for length, marked in texts)
    observed = 0.0
    for _, marked in texts:
        pairs = [*combinations(marked.values(), 2)]
        observed += sum(_difference(a, b) for a, b in pairs) / len(pairs)
    spans = [(end - start) for _, marked in texts for own in marked.values() for start, end in own]
    gaps = [gap for length, marked in texts for own in marked.values() for gap in _gap_sizes(own, length)]
    meeting = 0.0
    for at, size in enumerate(spans):
        for other_at, other in enumerate(spans):
            if at != other_at:  # overlaps by 1 to all of the places, from either side; half of both orders
                meeting += sum((shift) ** 2 + (shift + size - other) ** 2 for shift in range(1 - size, other)) / 2
        meeting += sum(size**2 for gap in gaps for _ in range(gap - size + 1))
    expected = 2 * total * meeting / (annotated * (annotated - 1) - sum(size * (size - 1) for size in spans))
    return 1 - observed / expected


def _difference(first: Sequence[tuple[int, int]], second: Sequence[tuple[int, int]]) -> int:
    total = 0
    for a, b in product(first, second):
        if a[0] < b[1] and b[0] < a[1]:
            total += (a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2
    for own, others in ((first, second), (second, first)):
        total += sum((a[1] - a[0]) ** 2 for a in own if not any(a[0] < b[1] and b[0] < a[1] for b in others))
    return total


def _gap_sizes(own: Sequence[tuple[int, int]], length: int) -> list[int]:
    free = [not any(start <= place < end for start, end in own) for place in range(length)]
    return [len(run) for run in "".join("x" if f else " " for f in free).split()]


# pygamma-agreement 0.5.9, CombinedCategoricalDissimilarity(alpha=1, beta=1, delta_empty=1): the disorder of the best
# alignment; the mean disorder of 2,000 shuffled continua, and its standard error, by ShuffleContinuumSampler, whose
# _remove_pivot_segment was corrected: as published it forgets all pivots but the last (that of two annotators has one).
TWO = {
    "a": [(0, 4, "x"), (10, 2, "y"), (20, 7, "x"), (33, 1, "z"), (50, 10, "y")],
    "b": [(1, 3, "x"), (10, 3, "x"), (22, 5, "x"), (40, 2, "z")],
}
THREE = {
    "a": [(0, 5, "x"), (12, 8, "y"), (25, 1, "x"), (40, 12, "z"), (70, 10, "y")],
    "b": [(0, 4, "x"), (14, 6, "y"), (41, 9, "z"), (60, 2, "x"), (71, 8, "y")],
    "c": [(2, 5, "y"), (11, 4, "y"), (16, 5, "x"), (25, 2, "x"), (44, 8, "z")],
}
FOUR = {
    "a": [(0, 3, "x"), (5, 3, "x"), (12, 3, "y"), (30, 3, "x")],
    "b": [(1, 3, "x"), (6, 3, "y"), (13, 2, "y"), (58, 2, "y")],
    "c": [(2, 3, "x"), (5, 2, "x"), (29, 4, "x"), (40, 4, "y")],
    "d": [(0, 2, "y"), (8, 3, "x"), (12, 2, "y"), (31, 3, "x")],
}
RECORDED = (
    (60, TWO, 0.9084857, 1.45556, 0.00478),
    (80, THREE, 0.9107844, 1.65371, 0.00433),
    (60, FOUR, 1.2761424, 2.26040, 0.00542),
)


class TestGamma:
    @pytest.mark.parametrize(("length", "marked", "disorder", "expected", "error"), RECORDED)
    def test_pygamma(
        self,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        length: int,
        marked: Marked,
        disorder: float,
        expected: float,
        error: float,
    ) -> None:
        n_spans = sum(map(len, marked.values()))
        monkeypatch.setattr(gamma_room, "MOST_SPANS", 100 * n_spans)  # 100 draws are enough here
        result = errorbar.agree_spans(write_spans(tmp_path / "t.csv", length, marked), labels="type", ci=False)
        value = result.spans.values["gamma"].value
        assert value is not None
        ours = disorder / (1 - value)  # the disorder expected by chance, if that observed is pygamma's
        assert ours == pytest.approx(expected, abs=4 * error + 2 * result.precision * expected)
        aligned = gamma_room.best_alignment(
            [(n, Span(at, at + size, kind)) for n, own in enumerate(marked.values()) for at, size, kind in own],
            len(marked),
        )
        assert sum(cost for cost, _ in aligned) / (n_spans / len(marked)) == pytest.approx(disorder, rel=1e-6)

    def test_the_solver_finds_what_trying_all_finds(self, monkeypatch: pytest.MonkeyPatch) -> None:
        rng = np.random.default_rng(5)
        for number in range(20):
            n_annotators, n_spans = 3 + number % 2, 3 + number % 4
            spans = [
                (slot, Span(at, at + int(rng.integers(1, 4)), "xy"[int(rng.integers(2))]))
                for slot in range(n_annotators)
                for at in sorted(rng.choice(20, size=n_spans, replace=False).tolist())
            ]
            totals = []
            for most in (20_000, 0):
                gamma_room._align.cache_clear()
                monkeypatch.setattr(gamma_room, "MOST_WAYS", most)
                alignment = gamma_room.best_alignment(spans, n_annotators)
                assert sorted(at for _, chosen in alignment for at in chosen) == [*range(len(spans))]
                totals.append(sum(cost for cost, _ in alignment))
            assert totals[0] == pytest.approx(totals[1])

    @pytest.mark.parametrize("compared", [False, True])
    def test_too_many_alignments_leave_alpha_and_gamma_of_pairs(
        self, errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, compared: bool
    ) -> None:
        table = write_spans(tmp_path / "t.csv", 80, THREE)
        options = ("--no-ci", "--format", "json", *(("--against", table) if compared else ()))
        whole = validated("agree-spans", errorbar("agree", "--spans", table, *options).out)
        monkeypatch.setattr(gamma_room, "MOST_TUPLES", 20)
        gamma_room._align.cache_clear()
        document = validated("agree-spans", errorbar("agree", "--spans", table, *options).out)
        for part in ("coefficients", *(("against", "differences") if compared else ())):
            assert document[part]["alpha"] == whole[part]["alpha"]
            assert document[part]["gamma"]["value"] is not None
        assert document["gamma_of_pairs"] is True
        assert "gamma_of_pairs" not in whole
        assert document["types"]["z"]["coefficients"] == whole["types"]["z"]["coefficients"]  # two spans
        (warning,) = [row for row in document["warnings"] if row["code"] == "spans-alignment"]
        assert "gamma is that of pairs of annotators: more than 20 ways" in warning["what"]


def test_gamma_of_pairs_is_what_pairs_of_annotators_give(monkeypatch: pytest.MonkeyPatch) -> None:
    """Observed disorder is the mean of the pairs', each exactly aligned; of two annotators it is gamma itself."""
    texts = spans_of_corpus(_simulate(np.random.default_rng(5), SETTINGS[1], 30))
    texts = [replace(text, spans={name: merge_spans(own) for name, own in text.spans.items()}) for text in texts]
    of_pairs = gamma_room.GammaCounts(texts, np.random.default_rng(1), pairs=True)
    names = [*texts[0].spans]
    alone = [
        gamma_room.GammaCounts(
            [replace(text, spans={name: text.spans[name] for name in pair}) for text in texts], np.random.default_rng(1)
        )
        for pair in combinations(names, 2)
    ]
    assert of_pairs.observed == pytest.approx(np.mean([counts.observed for counts in alone], axis=0))
    assert of_pairs.spans == pytest.approx(np.mean([counts.spans for counts in alone], axis=0))
    two = [replace(text, spans={name: text.spans[name] for name in names[:2]}) for text in texts]
    once, again = (gamma_room.GammaCounts(two, np.random.default_rng(1), pairs=pairs) for pairs in (False, True))
    weights = np.ones((1, len(two)))
    assert once.kernel()(weights) == again.kernel()(weights)


# Three annotators of four sentences of our own. B agrees with A but for one end and one edit; C finds something else.
M2 = """S I has seen the the film yesterday .
{0}
S He go to school every days .
{1}
S All is well .
{2}
S They was at in home .
{3}
"""


def _line(start: int, end: int, kind: str) -> str:
    return f"A {start} {end}|||{kind}|||x|||REQUIRED|||-NONE-|||0\n"


EDITS = {
    "A": ((1, 2, "Verb"), (1, 2, "Verb"), None, (3, 4, "Prep")),
    "B": ((1, 2, "Verb"), (1, 3, "Verb"), None, (3, 4, "Prep")),
    "C": ((3, 4, "Det"), (5, 6, "Noun"), (0, 0, "Det"), (1, 2, "Verb")),
}


@pytest.fixture
def edited(tmp_path: Path) -> Callable[..., list[str]]:
    """Files of annotators' edits."""

    def write(*names: str) -> list[str]:
        for name in names:
            lines = ["" if edit is None else _line(*edit) for edit in EDITS[name]]
            (tmp_path / f"{name}.m2").write_text(M2.format(*lines))
        return [str(tmp_path / f"{name}.m2") for name in names]

    return write


class TestEdits:
    def test_against_has_paired_differences(self, errorbar: CommandLine, edited: Callable[..., list[str]]) -> None:
        files, others = edited("A", "B"), edited("A", "C")
        options = [part for file in others for part in ("--against", file)]
        done = errorbar("agree", "--spans", *files, *options, "--resamples", 200, "--format", "json")
        document = validated("agree-spans", done.out)
        for name, estimate in document["differences"].items():
            ours, theirs = (document[part][name]["value"] for part in ("coefficients", "against"))
            assert ours > theirs
            assert estimate["value"] == pytest.approx(ours - theirs)
        assert {kind: row["n_spans"] for kind, row in document["types"].items()} == {
            **{"Prep": 2, "Verb": 4},
            **{"Det": 0, "Noun": 0},
        }
        same = errorbar("agree", "--spans", *files, "--against", files[0], "--against", files[1], "--format", "json")
        document = json.loads(same.out)
        assert [estimate["value"] for estimate in document["differences"].values()] == [0, 0]

    def test_types_count_where_asked_for(self, edited: Callable[..., list[str]]) -> None:
        files = edited("A", "C")
        both = errorbar.agree_spans(files, ci=False)
        prepositions = errorbar.agree_spans(files, labels="type=Prep", ci=False)
        assert both.spans.n_spans == 7
        assert prepositions.spans.n_spans == 1
        assert both.types["Prep"].values["alpha"].value == prepositions.spans.values["alpha"].value

    def test_a_seed_and_the_order_of_files_change_what_they_should(self, edited: Callable[..., list[str]]) -> None:
        files = edited("A", "B")
        result, again = errorbar.agree_spans(files, resamples=100), errorbar.agree_spans(files[::-1], resamples=100)
        assert result.to_dict() == again.to_dict()
        assert errorbar.agree_spans(files, resamples=100, seed=1).signature != result.signature

    def test_runs_of_incorrect_tokens_are_spans(self, tmp_path: Path) -> None:
        labels = {"a": "ccii c", "b": "cciic "}
        for name, marks in labels.items():
            lines = "".join("\n" if mark == " " else f"word\t{mark}\n" for mark in marks)
            (tmp_path / f"{name}.tsv").write_text(lines + "\n")
        (tmp_path / "b.tsv").write_text("word\tc\nword\tc\nword\ti\nword\ti\n\nword\tc\n\n")
        result = errorbar.agree_spans([tmp_path / "a.tsv", tmp_path / "b.tsv"], ci=False)
        assert result.spans.n_spans == 2
        assert result.spans.values["alpha"].value == 1
        assert result.spans.values["gamma"].value == 1


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ("t,a,3,2,", (), "t.csv:2: a span from '3' to '2' (expected two whole numbers, the first smaller)"),
        ("t,a,1,99,10", (), "t.csv:2: a span that ends at 99 in a text of 10 (expected an end of at most 10)"),
        ("t,a,1,2,10\nt,b,1,2,11", (), "t.csv:3: text 't' is 11 long, and was 10 before"),
        ("t,a,1,2,10", (), "no text has two annotators"),
        ("t,a,1,2,10\nt,b,1,2,10", ("--scale", "ordinal"), "--scale is about labels, and --spans measures"),
        ("t,a,1,2,10\nt,b,1,2,10", ("--labels", "A,B"), "--labels A has no meaning for spans"),
    ],
)
def test_bad_input_is_one_line(
    errorbar: CommandLine, tmp_path: Path, rows: str, options: tuple[str, ...], message: str
) -> None:
    (tmp_path / "t.csv").write_text(f"item,rater,start,end,length\n{rows}\n")
    done = errorbar("agree", "--spans", tmp_path / "t.csv", *options)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    assert message in done.err


def test_one_text_is_counted_as_one(errorbar: CommandLine, tmp_path: Path) -> None:
    (tmp_path / "t.csv").write_text("item,rater,start,end\nt,a,0,2\nt,b,,\n")
    done = errorbar("agree", "--spans", tmp_path / "t.csv", "--no-ci")
    assert "\n1 text, 2 annotators, 1 span\n" in done.out
    assert "1 text has no length: it ends" in done.err


@dataclass(frozen=True)
class Setting:
    """Annotators who find each error of a text with a probability of their own text, and miss its ends at times.

    Attributes:
        texts: How many there are.
        annotators: How many look.
        types: How many types errors have; of several, an annotator takes one at random in 15 %.
        rate: Errors of a text, on average.
        found: The share of errors that an annotator finds.
        moved: The share of starts, and of ends, that are a token off.
        spread: How far texts differ in ``found``.
    """

    texts: int
    annotators: int
    types: int
    rate: float
    found: float
    moved: float
    spread: float


SETTINGS = (Setting(40, 2, 1, 1.5, 0.6, 0.3, 0.2), Setting(80, 3, 2, 0.9, 0.8, 0.1, 0.4))
N_SETS = 80


def _simulate(rng: np.random.Generator, setting: Setting, texts: int) -> errorbar.Corpus:
    sentences = []
    names = "abc"[: setting.annotators]
    for _ in range(texts):
        length = int(rng.integers(8, 31))
        found = setting.found + setting.spread * (rng.random() - 0.5)
        n = min(int(rng.poisson(setting.rate)), 4)
        starts = np.sort(rng.choice(length - 4, size=n, replace=False)).tolist()
        sizes, types = rng.integers(1, 4, size=n).tolist(), rng.integers(setting.types, size=n).tolist()
        annotations: dict[str, tuple[errorbar.Edit, ...]] = {}
        for name in names:
            edits: list[errorbar.Edit] = []
            for at, size, kind in zip(starts, sizes, types, strict=True):
                if rng.random() >= found:
                    continue
                start = max(0, at - int(rng.random() < setting.moved))
                end = at + size + int(rng.random() < setting.moved)
                other = int(rng.integers(setting.types)) if rng.random() < 0.15 else kind
                if not edits or edits[-1].end <= start:
                    edits.append(errorbar.Edit(start, end, (), type=f"T{other}"))
            annotations[name] = tuple(edits)
        sentences.append(errorbar.Sentence(" ".join(["w"] * length), annotations))
    return errorbar.Corpus(sentences, tuple(names))


@pytest.mark.parametrize("setting", rows_of_page(SETTINGS, in_ci=(1,)))
def test_intervals_cover(setting: Setting) -> None:
    """Of 95% intervals at least .93 hold what very many texts give; two standard errors of the sets below at worst."""
    labels = ("type",) if setting.types > 1 else ()
    large = errorbar.agree_spans(_simulate(np.random.default_rng(0), setting, 5_000), labels=labels, ci=False)
    truth = {name: estimate.value or 0.0 for name, estimate in large.spans.values.items()}
    hits = dict.fromkeys(truth, 0)
    for number in range(N_SETS):
        corpus = _simulate(np.random.default_rng([1, number]), setting, setting.texts)
        result = errorbar.agree_spans(corpus, labels=labels, resamples=400, seed=number)
        for name, estimate in result.spans.values.items():
            interval = estimate.interval
            assert interval is not None
            hits[name] += interval.low <= truth[name] <= interval.high
    least = 0.93 - 2 * (0.93 * 0.07 / N_SETS) ** 0.5
    assert {name: count / N_SETS for name, count in hits.items() if count / N_SETS < least} == {}
