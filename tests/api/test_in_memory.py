"""Calls that somebody would guess who knows sacrebleu, evaluate, ERRANT and pandas: they work, or one line says how.

What is expected of data in memory is what the same sentences give when they are read from files.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any, cast

import numpy as np
import pyarrow
import pytest

import errorbar as library
from errorbar import ErrorbarError
from errorbar.core import InputError, UsageError
from tests.helpers.cli import CommandLine

SOURCES = ["I likes cats .", "He go home .", "They is here .", "We was late ."]
T5 = ["I like cats .", "He go home .", "They are here .", "We were late ."]
RULES = ["I like cats .", "He goes home .", "They are here .", "We was late ."]
A = ["I like cats .", "He goes home .", "They are here .", "We were late ."]
B = ["I like a cat .", "He went home .", "They are here .", "We were late ."]
CALL = 'errorbar.{}(source=sources, gold=references, systems={{"NAME": sentences}})'
QUICK: dict[str, Any] = {"ci": False}


@dataclass(eq=False)
class Column:
    """A column as pandas has it: neither a list nor a sequence, with a name and without a truth value."""

    values: Sequence[object]
    name: str | None = None

    def __len__(self) -> int:
        return len(self.values)

    def __iter__(self) -> Iterator[object]:
        return iter(self.values)

    def __bool__(self) -> bool:
        raise ValueError("The truth value of a Series is ambiguous")

    def tolist(self) -> list[object]:
        return list(self.values)


class Frame:
    """A data frame as pandas has it: its columns are attributes too, whatever they are called."""

    def __init__(self, **columns: Sequence[object]) -> None:
        self._columns = columns

    @property
    def columns(self) -> list[str]:
        return list(self._columns)

    def __getattr__(self, name: str) -> Column:
        if name.startswith("_") or name not in self._columns:
            raise AttributeError(name)
        return Column(self._columns[name], name)

    def __getitem__(self, key: str | list[str]) -> Any:  # noqa: ANN401 - a column or a frame
        return Column(self._columns[key], key) if isinstance(key, str) else Frame(**{k: self._columns[k] for k in key})

    def __len__(self) -> int:
        return len(SOURCES)


TABLE = {"source": SOURCES, "A": A, "B": B, "T5": T5, "rules": RULES, "name": SOURCES, "tolist": A, "readline": A}


def pandas_frame() -> Any:  # noqa: ANN401 - of a library that may be missing
    pandas = pytest.importorskip("pandas", reason="pandas is not installed: 86 MB, for what the stand-in shows too")
    return pandas.DataFrame(TABLE)


FRAMES: dict[str, Callable[[], Any]] = {
    "stand-in": lambda: Frame(**TABLE),
    "pandas": pandas_frame,
    "pyarrow": lambda: pyarrow.table(TABLE),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same sentences in files."""
    path = tmp_path_factory.mktemp("texts")
    for name, lines in {"source": SOURCES, "A": A, "B": B, "T5": T5, "rules": RULES}.items():
        (path / name).write_text("".join(f"{line}\n" for line in lines))
    return path


def values(scores: Any) -> list[tuple[object, ...]]:  # noqa: ANN401 - a result
    return [(score.counts, score["precision"].value, score["recall"].value) for score in scores]


def from_files(folder: Path, references: str = "A", systems: str = "T5") -> list[tuple[object, ...]]:
    gold, outputs = ([folder / name for name in names.split()] for names in (references, systems))
    return values(library.score(gold, outputs, source=folder / "source", **QUICK))


def by_sentence(*references: Sequence[str]) -> list[list[str]]:
    return [list(texts) for texts in zip(*references, strict=True)]


# References as sacrebleu and evaluate take them: one list, or lists of lists


@pytest.mark.parametrize(
    ("arguments", "references"),
    [
        ({"source": SOURCES, "systems": T5, "gold": A}, "A"),
        ({"source": SOURCES, "systems": T5, "gold": [A]}, "A"),
        ({"source": SOURCES, "systems": T5, "gold": [A, B]}, "A B"),
        ({"source": SOURCES, "systems": T5, "gold": by_sentence(A, B)}, "A B"),
        ({"source": SOURCES, "systems": T5, "gold": by_sentence(A)}, "A"),
        ({"source": SOURCES, "systems": {"T5": T5}, "gold": {"A": A, "B": B}}, "A B"),
        ({"source": tuple(SOURCES), "systems": tuple(T5), "gold": tuple(A)}, "A"),
        ({"source": np.array(SOURCES), "systems": np.array(T5), "gold": np.array(A, dtype=object)}, "A"),
        ({"source": iter(SOURCES), "systems": iter(T5), "gold": iter(A)}, "A"),
        ({"source": SOURCES, "systems": [T5], "gold": [B]}, "B"),
        ({"source": SOURCES, "systems": {"T5": iter(T5)}, "gold": {"A": iter(A), "B": map(str, B)}}, "A B"),
        ({"source": SOURCES, "systems": {"T5": T5}.values(), "gold": (iter(texts) for texts in (A, B))}, "A B"),
    ],
)
def test_sentences_have_the_scores_of_the_same_files(folder: Path, arguments: dict[str, Any], references: str) -> None:
    found: Callable[..., Any] = library.score
    assert values(found(**arguments, **QUICK)) == from_files(folder, references)


@pytest.mark.parametrize("mark", [".", "..", "/", "-", "?"])
def test_a_sentence_of_a_mark_alone_is_no_folder(mark: str) -> None:
    data: dict[str, Any] = {"source": [*SOURCES, mark], "gold": [*A, mark], "systems": [*T5, mark]}
    assert library.score(**data, **QUICK)[0].n_units == 5
    assert library.score(source=[mark], gold={"A": [mark]}, systems={"T5": [mark]}, **QUICK)[0].n_units == 1


def test_half_a_character_is_refused_where_a_metric_cannot_take_it() -> None:
    data: dict[str, Any] = {"source": ["a \ud83d"], "gold": ["b \ud83d"], "systems": ["b \ud83d"], **QUICK}
    assert library.score(**data)[0].f.value == 1
    pytest.importorskip("errant")
    with pytest.raises(UsageError, match=r"a sentence whose edits ERRANT makes must be text, got half .*'\\ud83d'"):
        library.score(**data, metric="errant")


def test_corrections_may_come_first_where_the_references_have_their_name(folder: Path) -> None:
    score: Callable[..., Any] = library.score
    assert values(score(T5, gold=[A, B], source=SOURCES, **QUICK)) == from_files(folder, "A B")


def test_files_and_sentences_go_together(folder: Path) -> None:
    wanted = from_files(folder, "A B", "T5 rules")
    forms: list[tuple[Any, Any, Any]] = [
        (folder / "source", {"A": A, "B": B}, {"T5": T5, "rules": RULES}),
        (SOURCES, [folder / "A", folder / "B"], [folder / "T5", folder / "rules"]),
        (str(folder / "source"), {"A": str(folder / "A"), "B": B}, {"T5": T5, "rules": folder / "rules"}),
    ]
    for source, gold, systems in forms:
        assert values(library.score(gold, source=source, systems=systems, **QUICK)) == wanted


def test_sentences_are_scored_against_a_corpus_or_its_file(folder: Path) -> None:
    corpus = library.read_corpus([folder / "A"], source=folder / "source")
    library.convert(corpus, folder / "gold.m2")
    for gold in (corpus, folder / "gold.m2", str(folder / "gold.m2")):
        assert values(library.score(gold, T5, **QUICK)) == from_files(folder)
        assert [one.system for one in library.score(gold, [T5, RULES], **QUICK)] == ["system 1", "system 2"]


def test_one_sentence_is_enough() -> None:
    (found,) = library.score(source=["Yes ."], gold=["Yes !"], systems=["Yes !"], **QUICK)
    assert (found.f.value, found.n_units) == (1.0, 1)


@pytest.mark.parametrize("kind", FRAMES)
def test_columns_and_frames_are_taken(folder: Path, kind: str) -> None:
    frame, wanted = FRAMES[kind](), from_files(folder, "A B", "T5 rules")
    both, outputs = (
        (frame.select(names) if kind == "pyarrow" else frame[names]) for names in (["A", "B"], ["T5", "rules"])
    )
    scores = library.score(source=frame["source"], gold=both, systems=outputs, **QUICK)
    assert values(scores) == wanted
    assert [score.system for score in scores] == ["T5", "rules"]
    assert scores[0].annotators == ("A", "B")
    gold = {"A": frame["A"], "B": frame["B"]}
    assert values(library.score(source=frame["source"], gold=gold, systems={"T5": frame["T5"]}, **QUICK)) == wanted[:1]
    single = library.score(source=frame["source"], gold=frame["A"], systems=frame["T5"], **QUICK)
    assert values(single) == from_files(folder)
    assert single[0].system == ("system" if kind == "pyarrow" else "T5")  # whose columns have no name


def test_who_has_no_sentence_did_not_look() -> None:
    some = [None, float("nan"), *B[2:]]
    corpus = library.read_corpus({"A": A, "B": some}, source=SOURCES)
    assert [sorted(sentence.annotations) for sentence in corpus.sentences] == [["A"], ["A"], ["A", "B"], ["A", "B"]]
    ragged = library.read_corpus(
        [[a] for a in A[:2]] + [[a, b] for a, b in zip(A[2:], B[2:], strict=True)], source=SOURCES
    )
    assert [len(sentence.annotations) for sentence in ragged.sentences] == [1, 1, 2, 2]


def test_documents_are_a_name_for_each_sentence() -> None:
    names = {"source": SOURCES, "gold": A, "systems": {"T5": T5, "rules": RULES}}
    compared = library.compare(**names, documents=Column(["x", "x", "y", "z"]))  # type: ignore[arg-type]  # a series
    assert (compared.unit, "by:document" in compared.signature) == ("document", True)
    with pytest.raises(UsageError, match=r"documents: 3 names for 4 sentences of the source"):
        library.score(**names, documents=[1, 1, 2])  # type: ignore[arg-type]  # as above


def test_every_function_takes_them() -> None:
    texts: dict[str, Any] = {"source": SOURCES, "gold": {"A": A, "B": B}}
    systems = {"T5": T5, "rules": RULES}
    assert [one.name for one in library.compare(**texts, systems=systems).ranking()] == ["T5", "rules"]
    assert library.ceiling([A, B], source=SOURCES, ci=False).tables()[0].rows
    page = library.report(**texts, systems=systems, attacks=False, resamples=50)
    assert "rules" in page._repr_html_()
    assert library.check(T5, gold=A, source=SOURCES).good
    assert library.attack(**texts, systems=systems).tables()


def test_an_annotator_is_a_system_too() -> None:
    corpus = library.read_corpus({"A": A, "B": B}, source=SOURCES)
    for systems in (corpus.only(["B"]), {"B": corpus.only(["B"])}):
        (found,) = library.score(corpus.only(["A"]), systems, **QUICK)
        (text,) = library.score(corpus.only(["A"]), {"B": B}, **QUICK)
        assert (found.system, found.counts) == ("B", text.counts)


# What could be meant in several ways is refused, and the right call stands in the message


@pytest.mark.parametrize(
    ("name", "arguments", "keywords", "code"),
    [
        ("score", (SOURCES, T5, A), {}, "which-sentences"),
        ("score", (SOURCES, A, T5), {}, "which-sentences"),
        ("score", (T5, A, SOURCES), {}, "which-sentences"),
        ("score", (T5, [A]), {}, "which-sentences"),
        ("score", (T5, [A]), {"source": SOURCES}, "which-sentences"),
        ("score", (SOURCES, {"T5": T5}, A), {}, "which-sentences"),
        ("compare", (T5, RULES, A), {}, "which-sentences"),
        ("score", (), {"predictions": T5, "references": A}, "no-argument"),
        ("ceiling", ([A, B],), {}, "no-source"),
        ("score", (), {"source": SOURCES, "gold": A}, "no-systems"),
        ("score", (Frame(**TABLE), "source", "A", "T5"), {}, "no-argument"),
        ("score", (), {"source": Frame(**TABLE), "gold": A, "systems": T5}, "wrong-type"),
    ],
)
def test_the_right_call_is_shown(name: str, arguments: Any, keywords: Any, code: str) -> None:  # noqa: ANN401 - wrong ones
    with pytest.raises(UsageError) as refused:
        getattr(library, name)(*arguments, **keywords)
    assert refused.value.code == code
    assert CALL.format(name) in str(refused.value)
    assert "\n" not in str(refused.value)


LONG_TABLE: dict[str, Any] = {"item": [1, 1, 2, 2], "rater": list("ABAB"), "label": ["error", "ok", "ok", "ok"]}
LONG = f"I likes {'very ' * 2000}much ."


@pytest.mark.parametrize(
    ("name", "arguments", "keywords", "message"),
    [
        ("score", (), {"source": SOURCES[:2], "gold": [A[:2], B[:2]], "systems": T5[:2]}, "name the annotators"),
        ("score", (), {"source": SOURCES, "gold": [*A, "One more ."], "systems": T5}, "reference: 5 lines for 4"),
        ("score", (), {"source": SOURCES, "gold": A, "systems": T5[:3]}, "3 lines for 4 sentences"),
        (
            "score",
            (),
            {"source": SOURCES, "gold": A, "systems": [*T5[:3], None]},
            "sentence 4 of system must be a text",
        ),
        ("score", (), {"source": [1, 2], "gold": A, "systems": T5}, "sentence 1 of source must be a text, got 1"),
        ("score", (), {"source": A, "gold": library.Corpus([], ()), "systems": T5}, "it has its own source"),
        ("score", (), {"source": SOURCES, "gold": [], "systems": T5}, "no reference is given"),
        ("score", (), {"source": SOURCES, "gold": {}, "systems": T5}, "no reference is given"),
        ("score", (), {"source": SOURCES, "gold": [None] * 4, "systems": T5}, "none of the annotators looked"),
        ("score", (), {"source": SOURCES, "gold": A, "systems": {1: T5, "1": RULES}}, "two of systems are called '1'"),
        ("score", (), {"source": SOURCES, "gold": {1: A, "1": B}, "systems": T5}, "two of gold are called '1'"),
        ("score", (), {"source": library.Hypothesis("s", SOURCES), "gold": A, "systems": T5}, "got Hypothesis"),
        ("score", (), {"source": SOURCES, "gold": [library.Hypothesis("A", A)], "systems": T5}, "got Hypothesis"),
        ("score", (), {"source": SOURCES, "gold": A, "systems": StringIO("x")}, "give its lines, as a list"),
        ("score", (), {"source": SOURCES, "systems": {"T5": T5}, "reference_of": {"T5": 3}}, "must be a text, got 3"),
        ("rank", ([{"system1": "A", "system2": "B", "winner": "A"}],), {}, r"got list of dict of str \[wrong-type"),
        ("crowd_raters", ({"A": ["x"], "B": ["x"]},), {"gold": {"item": [1], "label": ["x"]}}, "gold must be a path"),
        ("score", (LONG, LONG), {}, "too long for the path of a file: .{43}; give a text"),
        (
            "score",
            (),
            {"gold": f"{LONG},{LONG}", "systems": f"{LONG}*"},
            "too long for|no file has such a name",
        ),
        ("score", ("\0", "\0"), {}, "cannot be opened: no file has such a name"),
        ("score", ("no-such.m2", "no-such file.txt"), {}, "no such file"),
        ("score", (["no such.m2"], ["no-such file.txt"]), {}, "no such file"),
        ("compare", (LONG, [LONG, T5[0]]), {}, "cannot|name|file"),
        ("agree", ([["error", "ok"], ["ok", "ok"]],), {}, r'errorbar.agree\({"A": labels, "B": labels}\)'),
        ("agree", (["error", "ok"], ["ok", "ok"]), {}, r'errorbar.agree\({"A": labels, "B": labels}\)'),
        ("agree", (A,), {}, "name the columns"),
        ("agree", ({"A": ["x"], "B": []},), {}, "differ in length"),
        ("agree", ({"worker": ["r", "s"], "text": ["t", "t"], "answer": ["x", "x"]},), {}, "say which is which"),
        ("agree", ({"item": ["r", "s"], "rater": ["t", "t"], "answer": ["x", "x"]},), {}, "no column 'label'"),
        ("agree", ({"A": ["x", "y"], "B": ["x", "y"]},), {"column": {"rater": "who"}}, "no column 'who'"),
        ("agree", ({"A": ["x", "y"], "B": ["x", "y"]},), {"column": {"who": "A"}}, "expected ROLE=NAME"),
        ("agree", ({"A": [], "B": []},), {}, "nobody judged anything"),
        ("agree", ({"item": [1, 1], "rater": ["t", None], "label": ["x", "x"]},), {}, "row 2 has no rater"),
        ("agree", ({"item": [1, float("nan")], "rater": ["t", "t"], "label": ["x", "x"]},), {}, "row 2 has no item"),
        ("agree", ({**LONG_TABLE, "weight": [1, 1, 1, "x"]},), {}, "'weight' has something else than numbers"),
        ("agree", ({**LONG_TABLE, "seconds": [1, 1, 1, "x"]},), {}, "'seconds' has something else than numbers"),
        ("check", (T5,), {}, "add source or gold"),
        ("convert", (T5,), {"source": SOURCES}, "source must be a path"),
    ],
)
def test_all_else_is_refused_by_name(name: str, arguments: Any, keywords: Any, message: str) -> None:  # noqa: ANN401 - wrong ones
    with pytest.raises(ErrorbarError, match=message) as refused:
        getattr(library, name)(*arguments, **keywords)
    assert "\n" not in str(refused.value)


def test_an_open_file_and_a_file_for_a_metric_are_named(folder: Path) -> None:
    with (folder / "T5").open() as file, pytest.raises(UsageError, match=r"got one that is open; give '.*T5'"):
        library.score(folder / "A", file)
    (folder / "A.txt").write_text("a\n")
    with pytest.raises(UsageError, match=r"what is compared with what must be named; errorbar\.score\(source="):
        library.score(folder / "source", folder / "T5", str(folder / "A.txt"))


def test_references_that_correct_something_else_are_refused() -> None:
    others = [
        f"Nothing of number {k} stands in what should be corrected here at all , not even once ." for k in range(9)
    ]
    sources = [f"Some {k} learners writes the long essays about many different thing in a school ." for k in range(9)]
    with pytest.raises(InputError, match="not a correction of the source"):
        library.score(source=sources, gold=others, systems=sources)
    assert library.score(source=sources, gold=others, systems=sources, force=True, **QUICK)


def test_documents_are_in_an_array_and_a_sentence_without_one_is_one_of_its_own() -> None:
    data: dict[str, Any] = {"source": SOURCES, "gold": A, "systems": T5}
    wanted = library.score(**data, documents=["x", "x", "y", "y"])
    assert library.score(**data, documents=cast("Any", np.array([1, 1, 2, 2]))) == wanted
    alone = library.score(**data, documents=["x", "x", "y", "z"])
    for missing in (None, Decimal("NaN")):
        assert library.score(**data, documents=["x", "x", missing, float("nan")]).to_dict() == alone.to_dict()


# Judgments


class Missing:
    """A missing value as pandas has it, of which nothing can be asked."""

    def __str__(self) -> str:
        return "<NA>"

    def __eq__(self, other: object) -> Any:  # noqa: ANN401 - itself
        return self

    def __hash__(self) -> int:
        return 0

    def __bool__(self) -> bool:
        raise TypeError("boolean value of NA is ambiguous")


def test_whole_numbers_are_the_same_labels_in_columns_of_numbers_with_missing_ones() -> None:
    wanted = library.read_judgments({"A": [1, 0, 1, 1], "B": [1, None, 0, 1], "C": [0, 1, None, 1]})
    floats: dict[str, Any] = {"A": [1, 0, 1, 1], "B": [1.0, float("nan"), 0.0, 1.0], "C": [0, 1, Missing(), 1]}
    assert library.read_judgments(floats) == wanted
    assert library.read_judgments({**floats, "A": np.array([1, 0, 1, 1])}) == wanted
    assert library.read_judgments({"A": [1.0, 0.0], "B": [1.0, 1.0]}).labels == ("0.0", "1.0")


def test_missing_labels_take_no_times_with_them() -> None:
    table = {**LONG_TABLE, "label": ["error", None, "ok", "ok"], "seconds": [1, 2, 5, 40]}
    assert [row.median_seconds for row in library.crowd_raters(table).raters] == [3, 40]


@pytest.mark.parametrize(
    "judgments",
    [
        LONG_TABLE,
        Frame(**LONG_TABLE),
        [dict(zip(LONG_TABLE, row, strict=True)) for row in zip(*LONG_TABLE.values(), strict=True)],
        {"A": ["error", "ok"], "B": ["ok", "ok"]},
        {"item": ["x", "y"], "A": ["error", "ok"], "B": ["ok", "ok"]},
        Frame(A=np.array(["error", "ok"]), B=["ok", "ok"]),  # type: ignore[arg-type]  # an array is a column too
        pyarrow.table(LONG_TABLE),
    ],
    ids=["columns", "frame", "rows", "raters", "items and raters", "frame of raters", "pyarrow"],
)
def test_judgments_are_tables_in_memory(judgments: Any) -> None:  # noqa: ANN401 - in many forms
    wanted = library.agree(library.Judgments.from_columns(*LONG_TABLE.values()), ci=False)
    assert library.agree(judgments, ci=False).report.coefficients == wanted.report.coefficients
    read = library.read_judgments(judgments)
    assert (len(read), read.raters) == (4, ("A", "B"))


def test_columns_of_judgments_have_the_names_that_are_said() -> None:
    table: dict[str, Any] = {
        "sentence": [1, 1, 2, 2],
        "worker": list("ABAB"),
        "answer": [1, 0, 0, 0],
        "seconds": [1.0, 2.0, 3.0, 4.0],
    }
    roles = {"item": "sentence", "rater": "worker", "label": "answer"}
    assert library.agree(table, column=roles, ci=False).report.n_judgments == 4
    apart = {"A": ["x", "y"], "B": ["v", "w"]}
    with pytest.raises(UsageError, match='layout="wide"'):
        library.agree(apart)
    assert library.agree(apart, layout="wide", ci=False).report.n_items == 2
    crowd = library.crowd({"A": ["error", "ok"], "B": ["ok", "ok"]}, {"mine": [True, False]}, ci=False)
    assert crowd.rows[0].score.hits == 0.5


# What comes back


@pytest.mark.parametrize(
    ("command", "references", "systems"), [("score", "A", "T5"), ("compare", "A B", "T5 rules"), ("ceiling", "A B", "")]
)
def test_a_result_prints_as_its_command(
    folder: Path, errorbar: CommandLine, command: str, references: str, systems: str
) -> None:
    gold, outputs = ([folder / name for name in names.split()] for names in (references, systems))
    options = [each for path in gold for each in ("--gold", path)]
    printed = errorbar(command, "--source", folder / "source", *options, *outputs)
    result = getattr(library, command)(gold, outputs, source=folder / "source")
    assert printed.out == f"{result}\n"


def test_agreement_prints_its_coefficients(folder: Path, errorbar: CommandLine) -> None:
    table = folder / "votes.csv"
    table.write_text("item,rater,label\n1,A,error\n1,B,ok\n2,A,ok\n2,B,ok\n")
    assert errorbar("agree", table).out == f"{library.agree(table)}\n"


def test_a_score_is_one_line() -> None:
    (found,) = library.score(source=SOURCES, gold=A, systems={"T5": T5})
    assert repr(found) == str(found) == "Score(T5, m2: F0.5 = 0.9375 [0.6250, 1.0000])"
    (empty,) = library.score(source=SOURCES, gold=[None] * 4, systems={"T5": SOURCES}, **QUICK)  # type: ignore[arg-type]  # nobody looked
    assert repr(empty) == "Score(T5, m2: F0.5 = undefined)"
