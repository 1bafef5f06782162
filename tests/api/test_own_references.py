"""References that were made for a system: scored as a common gold is where they are one, refused where they do not fit.

The editors here are simulated: what a demo annotator says of the source, or their text with the system's words kept.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pytest

import errorbar
from errorbar import Corpus
from errorbar.core import InputError, UsageError
from errorbar.demo import demo_files
from tests.helpers.cli import CommandLine

SYSTEMS = ("careful", "greedy", "articles")
METRICS = (
    *("m2", "m2(beta=1, choose=sentence)", "tokens", "gleu"),
    *(pytest.param(metric, marks=pytest.mark.slow) for metric in ("behavior", "errant")),
)


@pytest.fixture
def errorbar_command(monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> CommandLine:
    return CommandLine(monkeypatch, capfd)


@pytest.fixture
def demo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Corpus:
    """The demo's gold, in a folder with its systems."""
    monkeypatch.chdir(tmp_path)
    with demo_files() as (gold, systems):
        for path in (gold, *systems):
            Path(path.name).write_bytes(path.read_bytes())
    return errorbar.read_corpus("gold.jsonl")


def renamed(corpus: Corpus, name: str) -> Corpus:
    """The corpus of one annotator, who has another name."""
    kept = [replace(each, annotations={name: each.annotations[corpus.annotators[0]]}) for each in corpus.sentences]
    return Corpus(kept, (name,), corpus.name)


def paths(*names: str) -> list[str]:
    return [f"{name}.txt" for name in names]


@pytest.mark.parametrize("metric", METRICS)
def test_one_reference_for_all_scores_as_the_common_gold(demo: Corpus, metric: str) -> None:
    """The same digits and the same intervals over texts, also by type; only the signature says whose it is."""
    if metric == "errant":
        pytest.importorskip("errant")
    by: Literal["type"] | None = None if "types" in errorbar.parse_metric(metric).lacks else "type"
    one = demo.only(["1"])
    common = errorbar.score(one, paths(*SYSTEMS), metric, by=by, ci=True, resamples=60, judges="fixed")
    own = errorbar.score(
        systems=paths(*SYSTEMS), metric=metric, reference_of=dict.fromkeys(SYSTEMS, one), by=by, ci=True, resamples=60
    )
    assert len(common) == len(own) == len(SYSTEMS)
    for score, expected in zip(own, common, strict=True):
        assert score.own
        conventions = (f"references-of:{score.system}", *expected.signature.conventions)
        signature = expected.signature._replace(conventions=conventions)
        assert score == replace(expected, own=True, signature=signature)


REFUSED: dict[str, tuple[Any, type[errorbar.ErrorbarError], str, str]] = {
    "nobody": ({"careful": "1.m2", "greedy": "1.m2", "gredy": "1.m2"}, UsageError, "reference-of-system", "'greedy'?"),
    "missing": ({"careful": "1.m2"}, UsageError, "reference-of-missing", "greedy"),
    "form": (["careful=1.m2", "1.m2"], UsageError, "reference-of-form", "SYSTEM=FILE"),
    "shorter": ({"careful": "1.m2", "greedy": "short.m2"}, InputError, "reference-lengths", "short.m2: "),
    "other text": ({"careful": "1.m2", "greedy": "other.m2"}, InputError, "source-mismatch", "other.m2:8: sentence 2 "),
    "text": ({"careful": "1.m2", "greedy": "greedy.txt"}, InputError, "unknown-format", "source="),
    "same editor": ({"careful": "1.m2", "greedy": ["1.m2", "1.m2"]}, UsageError, "same-name", "called '1'"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_references_that_do_not_fit_are_refused_with_their_place(demo: Corpus, case: str) -> None:
    annotated = errorbar.convert(demo, to="m2", annotator="1").text
    Path("1.m2").write_text(annotated)
    Path("short.m2").write_text(annotated[: annotated.rindex("\nS ") + 1])
    Path("other.m2").write_text(annotated.replace("\nS ", "\nS So ", 1))
    reference_of, kind, code, words = REFUSED[case]
    with pytest.raises(kind) as error:
        errorbar.score(paths("careful", "greedy"), reference_of=reference_of)
    assert code in str(error.value)
    assert words in str(error.value)


def test_references_are_made_of_one_output(demo: Corpus) -> None:
    with pytest.raises(UsageError, match="both has several runs, which only score and compare against one gold take"):
        errorbar.score(systems="both=careful.txt,greedy.txt", reference_of={"both": demo})


def test_a_common_gold_beside_own_references_is_refused_however_it_is_given(demo: Corpus) -> None:
    own = {"careful": demo}
    for call in (
        lambda: errorbar.score(demo, systems=paths("careful"), reference_of=own),
        lambda: errorbar.score(demo, paths("careful"), reference_of=own),
        lambda: errorbar.compare(gold=demo, systems=paths("careful"), reference_of=own),
    ):
        with pytest.raises(UsageError, match="two-choices"):
            call()
    with pytest.raises(UsageError, match="no-argument"):
        errorbar.score(demo, gold=demo, systems=paths("careful"))  # type: ignore[misc]  # two golds, as it should not be


@pytest.mark.parametrize("metric", ["m2", "gleu"])
def test_one_reference_for_all_compares_as_the_common_gold(demo: Corpus, metric: str) -> None:
    """Pairs, p-values, intervals and power, whatever the editors are called."""
    one = demo.only(["1"])
    how: dict[str, Any] = {"metric": metric, "resamples": 60, "swaps": 200}
    common = errorbar.compare(one, paths(*SYSTEMS), judges="fixed", **how)
    own = errorbar.compare(systems=paths(*SYSTEMS), reference_of=dict.fromkeys(SYSTEMS, one), **how)
    assert own.pairs == common.pairs
    assert own.ranking() == common.ranking()
    other = errorbar.compare(
        systems=paths(*SYSTEMS), reference_of={name: renamed(one, name) for name in SYSTEMS}, **how
    )
    assert own.pairs == other.pairs
    assert other.editors == {name: (name,) for name in SYSTEMS}
    assert "|references-of:careful=1|references-of:greedy=1|" in other.signature


def test_an_output_and_its_references_are_swapped_together(demo: Corpus) -> None:
    """Two systems of the same output, each with the text of it as its reference, differ nowhere."""
    Path("again.txt").write_bytes(Path("greedy.txt").read_bytes())
    both = {"greedy": "greedy.txt", "again": "again.txt"}
    (pair,) = errorbar.compare(systems=["greedy.txt", "again.txt"], source="copy.txt", reference_of=both).pairs
    assert (pair.difference, pair.verdict.result) == (0, "score alike")
    # Every output is right by its own reference, and far from right by that of another.
    right = {"greedy": "greedy.txt", "careful": "careful.txt"}
    (pair,) = errorbar.compare(systems=right, source="copy.txt", reference_of=right).pairs
    assert (pair.difference, pair.swaps.alone.p_value) == (0, 1)


def test_editors_of_other_systems_are_nested_and_the_same_ones_are_paired(demo: Corpus) -> None:
    """F against single editors (k = 1): V_e(a)/2 + V_e(b)/2, or the variance of two differences by halves."""
    against = {who: errorbar.score(demo.only([who]), paths(*SYSTEMS), ci=False) for who in demo.annotators}
    f = {(row.system, who): row.f.value or 0.0 for who, rows in against.items() for row in rows}

    def pair(first: tuple[str, str], second: tuple[str, str]) -> Any:  # noqa: ANN401 - JSON
        own = {"careful": demo.only(first), "greedy": demo.only(second)}
        result = errorbar.compare(
            systems=paths(*own), reference_of=own, judges="random(k=1)", resamples=60, swaps=60, documents=None
        )
        document: Any = result.to_dict()
        return document["pairs"][0]["editors"]

    def variance(values: list[float]) -> float:
        return float(np.var(values, ddof=1)) / len(values)

    nested, paired = pair(("0", "1"), ("1", "2")), pair(("0", "1"), ("0", "1"))
    ours, theirs = [f["careful", who] for who in "01"], [f["greedy", who] for who in "12"]
    assert nested["value"] == pytest.approx(np.mean(ours) - np.mean(theirs))
    assert nested["variance_judges"] == pytest.approx(variance(ours) + variance(theirs))
    same = [f["careful", who] - f["greedy", who] for who in "01"]
    assert paired["value"] == pytest.approx(np.mean(same))
    assert paired["variance_judges"] == pytest.approx(variance(same))
    assert nested["variance_both"] is None
    assert paired["variance_both"] > 0


def test_a_table_says_how_many_editors_a_system_has(demo: Corpus) -> None:
    one, two = demo.only(["1"]), demo.only(["0", "2"])
    result = errorbar.score(
        systems=paths("careful", "greedy"), reference_of={"careful": one, "greedy": two}, resamples=60
    )
    alone, judged = result
    assert (alone.judges, judged.judges is None) == (None, False)
    text = str(result)
    assert "made for each system of its own output, " in text
    assert "greedy by 2 editors" in text
    assert "careful by 1 editor" in text
    assert "; one editor does not show how editors vary" in text
    assert "texts+editors: other texts and other editors" in text
    assert [note.code for note in result.notes] == ["reference-numbers", "few-documents", "two-judges"]
    for sentence in ("The output of careful was corrected, as little as possible, by 1 ", "The output of greedy was "):
        assert sentence in result.for_paper().judges
    with pytest.raises(UsageError, match="each is measured alone"):
        errorbar.score(systems=paths("careful"), reference_of={"careful": one}, metric="gotoscorer", ci=False)
    compared = errorbar.compare(
        systems=paths("careful", "greedy"), reference_of={"careful": one, "greedy": two}, swaps=60
    )
    assert not compared.pairs[0].test.by_t  # nobody knows how the editor of the first would vary
    with pytest.raises(UsageError, match="references are written from the source"):
        errorbar.score(
            systems=paths("careful"),
            reference_of={"careful": two},
            judges="random(population=bn2015)",
            resamples=60,
        )


@pytest.mark.parametrize(("metric", "warned"), [("m2", True), ("gleu", False)])
def test_texts_and_edits_side_by_side_have_a_warning(demo: Corpus, metric: str, warned: bool) -> None:
    """Of two systems, and of a common gold that is texts and own references that are edits."""
    own: dict[str, Any] = {"careful": demo.only(["1"]), "greedy": "careful.txt"}
    results = [
        errorbar.score(paths(*own), metric=metric, reference_of=own, source="copy.txt", ci=False),
        errorbar.references(demo, paths(*own), metric, reference_of=own, ci=False),
        errorbar.references(
            "articles.txt", paths(*own), metric, source="copy.txt", reference_of=dict.fromkeys(own, demo), ci=False
        ),
        errorbar.score(
            "greedy.txt", metric=metric, reference_of={"greedy": "careful.txt"}, source="copy.txt", ci=False
        ),
    ]
    notes = [[note.what for note in result.notes if note.code == "reference-kinds"] for result in results]
    assert [len(own) for own in notes] == ([1, 1, 1, 0] if warned else [0] * 4)
    if warned:
        assert "texts (of greedy) than against annotators' own edits (of careful)" in notes[0][0]
        assert "texts (of the common gold) than against annotators' own edits (of careful and greedy)" in notes[2][0]


def test_editors_are_called_as_they_are_named(demo: Corpus) -> None:
    """Several files of a system by their files, as reference files are; EDITOR=FILE by that; a file's own ids else."""
    Path("b.m2").write_text(errorbar.convert(demo, to="m2", annotator="0").text)
    Path("both.m2").write_text(errorbar.convert(demo.only(["0", "2"]), to="m2").text)
    calls: dict[str, list[str]] = {
        "0 2": ["greedy=both.m2"],
        "anna anna.2": ["greedy=anna=both.m2"],
        "b careful": ["greedy=b.m2", "greedy=careful.txt"],
        "b bob bob.2": ["greedy=b.m2", "greedy=bob=both.m2"],
    }
    for names, references in calls.items():
        source = "copy.txt" if "careful" in names else None
        (score,) = errorbar.score(systems="greedy.txt", reference_of=references, source=source, ci=False)
        assert score.annotators == tuple(names.split())


def test_the_report_says_who_edited_and_its_receipt_makes_it_again(demo: Corpus, errorbar_command: CommandLine) -> None:
    for name in ("0", "1"):
        Path(f"{name}.m2").write_text(errorbar.convert(demo, to="m2", annotator=name).text)
    references = "--reference-of", "careful=0.m2", "--reference-of", "greedy=b=1.m2"
    done = errorbar_command("report", *references, "careful.txt", "greedy.txt", "--resamples", 50, "-o", "own.html")
    assert done.code == 0, done.err
    assert "no sections on the human ceiling" in done.err
    page = Path("own.html").read_text()
    assert "Own references of careful and greedy" in page
    assert "References were made for each system of its own output, by 1 editor each" in page
    assert errorbar.verify("own.receipt.json").good
    for name in ("0", "1"):
        assert f'"{name}.m2"' in Path("own.receipt.json").read_text()


def test_references_can_be_in_memory(demo: Corpus) -> None:
    lines = {name: Path(f"{name}.txt").read_text().splitlines() for name in ("copy", *SYSTEMS)}
    systems = {"greedy": lines["greedy"], "careful": lines["careful"]}
    own: dict[str, Any] = {"greedy": lines["careful"], "careful": {"ann": lines["articles"], "bob": lines["greedy"]}}
    found = errorbar.score(systems=systems, reference_of=own, source=lines["copy"], ci=False)
    files: dict[str, Any] = {"greedy": ["careful.txt"], "careful": {"ann": "articles.txt", "bob": "greedy.txt"}}
    expected = errorbar.score(systems=paths("greedy", "careful"), reference_of=files, source="copy.txt", ci=False)
    assert [(score.system, score.counts) for score in found] == [(score.system, score.counts) for score in expected]
    assert found["careful"].annotators == ("ann", "bob")
    with pytest.raises(UsageError, match="what they correct must be given too"):
        errorbar.score(systems=systems, reference_of=dict.fromkeys(systems, lines["articles"]))
