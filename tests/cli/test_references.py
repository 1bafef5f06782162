"""References that are texts: the same numbers as of the edits that convert makes of them, in every command."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import errorbar
from errorbar import Problems
from errorbar.core import UsageError
from errorbar.edits import corrected_text
from errorbar.formats import CHUNK
from tests.helpers.cli import CommandLine
from tests.helpers.untokenized import untokenized

DEMO = Path(errorbar.__file__).parent / "demo"
JSON = ("--format", "json")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The demo corpus: its source, what each annotator makes of it, two systems."""
    made = tmp_path_factory.mktemp("texts")
    corpus = errorbar.read_corpus(DEMO / "gold.jsonl")
    problems = Problems(lenient=True)
    for name in ("0", "1", "2"):
        texts = [corrected_text(sentence, name, problems) for sentence in corpus.sentences]
        (made / f"ref{name}").write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    for name in ("copy", "careful", "greedy"):
        (made / name).write_bytes((DEMO / f"{name}.txt").read_bytes())
    return made


def test_texts_of_the_official_annotators_score_other_than_their_edits(data: Path, tmp_path: Path) -> None:
    """The figures of the warning; 37.33 is published for CAMB (Ng et al. 2014, table 7)."""
    folder, camb = data / "conll14/noalt", data / "conll14_systems/official_submissions/CAMB"
    texts = {name: tmp_path / name for name in "01"}
    for name, path in texts.items():
        errorbar.convert(folder / f"official-2014.{name}.m2", path, to="text", annotator="0")
    source = camb.with_name("INPUT")
    official = errorbar.score(folder / "official-2014.combined.m2", camb, ci=False)[0]
    assert round(100 * (official.f.value or 0), 2) == 37.33
    scores = errorbar.score(texts, camb, source=source, ci=False)
    assert round(100 * (scores[0].f.value or 0), 2) == 33.59
    assert "reference-texts" in [note.code for note in scores.notes]
    notes = errorbar.score(texts, camb, "gleu", source=source, ci=False).notes
    assert "reference-texts" not in [note.code for note in notes]
    pytest.importorskip("errant")
    (typed,) = errorbar.score(texts, camb, "m2(edits=errant)", source=source, ci=False)
    assert round(100 * (typed.f.value or 0), 1) == 37.3


@pytest.mark.parametrize("metric", ["m2", "gleu", "errant"])
def test_untokenized_references_get_the_tokens_of_the_source(
    errorbar: CommandLine, folder: Path, tmp_path: Path, metric: str
) -> None:
    """The demo's texts have no word that only tokens tell from another, so that nothing is lost by the way back."""
    if metric == "errant":
        pytest.importorskip("errant")
    raw, ask = (
        tmp_path / "ref0",
        ("score", "--source", folder / "copy", "--metric", metric, "--no-ci", folder / "careful"),
    )
    raw.write_text("".join(f"{untokenized(line)}\n" for line in (folder / "ref0").read_text().splitlines()))
    warned = errorbar(*ask, "--gold", raw)
    assert "looks untokenized" in warned.err
    assert "or use --retokenize" in warned.err
    expected, found = (
        record(errorbar, *ask, *more)["rows"][0]
        for more in (["--gold", folder / "ref0"], ["--gold", raw, "--retokenize"])
    )
    kept = set(expected) - {"signature"}
    assert {name: found[name] for name in kept} == {name: expected[name] for name in kept}
    assert "retokenized" in found["signature"]


def test_types_of_texts_are_made_by_errant(errorbar: CommandLine, folder: Path) -> None:
    texts = ("--source", folder / "copy", "--gold", folder / "ref0", "--gold", folder / "ref1", folder / "careful")
    advice = "errorbar convert --source SOURCE --edits errant makes edits with types; --metric errant has its own"
    for command in ("score", "ceiling"):
        told = errorbar(command, *texts, "--by", "type", "--no-ci")
        assert (told.code, told.err.count(advice)) == (0, 1)
        assert (
            "[no-types]"
            not in errorbar(command, "--gold", DEMO / "gold.jsonl", folder / "careful", "--by", "type", "--no-ci").err
        )


def record(errorbar: CommandLine, *arguments: object) -> Any:  # noqa: ANN401 - JSON
    found = errorbar(*arguments, *JSON)
    assert found.code == 0, found.err
    return json.loads(found.out)


@pytest.mark.parametrize(
    "words",
    [
        ("score", "--metric", "m2", "--metric", "gleu", "--resamples", "20"),
        ("compare", "--resamples", "20", "--swaps", "50"),
        ("ceiling", "--resamples", "5"),
    ],
)
def test_texts_are_as_good_as_their_edits(errorbar: CommandLine, folder: Path, words: tuple[str, ...]) -> None:
    texts = [f"{folder}/ref{k}" for k in range(3)]
    systems = [folder / "careful", folder / "greedy"]
    edits = folder / "edits.jsonl"
    assert errorbar("convert", "--source", folder / "copy", *texts, "-o", edits).code == 0
    expected = record(errorbar, *words, "--gold", edits, *systems)
    references = [word for text in texts for word in ("--reference", text)]
    found = record(errorbar, *words, "--source", folder / "copy", *references, *systems)
    note = found["warnings"].pop(0)  # of files of edits nobody knows who made them
    assert note["code"] == "reference-texts"
    assert found == expected
    found["warnings"].insert(0, note)
    pattern = ("--gold", f"{folder}/ref[0-9]")
    assert record(errorbar, *words, "--source", folder / "copy", *pattern, *systems) == found


def test_a_report_of_texts(errorbar: CommandLine, folder: Path) -> None:
    words = ("--source", folder / "copy", "--reference", folder / "ref0", "--reference", folder / "ref1")
    how = ("--resamples", "20", "--page", "format=markdown", "-o", "-")
    found = errorbar("report", *words, folder / "careful", *how)
    assert found.code == 0, found.err
    assert "careful" in found.out
    alone = errorbar("report", "--source", folder / "copy", "--judgments", folder / "copy", *how)
    assert "--source is about data that is not given" in alone.err


def test_python_takes_texts_too(folder: Path) -> None:
    texts = {"A": folder / "ref0", "B": folder / "ref1"}
    (found,) = errorbar.score(texts, folder / "careful", source=folder / "copy", ci=False)
    assert errorbar.read_corpus(texts, source=folder / "copy").annotators == ("A", "B")
    assert found.n_units == 63
    with pytest.raises(UsageError, match="this corpus is in memory"):
        errorbar.score(errorbar.read_corpus(DEMO / "gold.jsonl"), folder / "careful", source=folder / "copy")


@pytest.mark.parametrize("jobs", [1, 2])
def test_long_texts_are_read_in_pieces(errorbar: CommandLine, folder: Path, tmp_path: Path, jobs: int) -> None:
    copies = CHUNK // 63 + 2
    for name in ("copy", "ref0", "ref1", "careful"):
        (tmp_path / name).write_bytes((folder / name).read_bytes() * copies)
    counts = []
    for there in (tmp_path, folder):
        words = ("--source", there / "copy", "--gold", there / "ref0", "--gold", there / "ref1", there / "careful")
        found = record(errorbar, "score", *words, "--metric", "m2(choose=ref1)", "--no-ci", "--jobs", jobs)
        counts.append([found["rows"][0][name] for name in ("correct", "proposed", "gold")])
    assert counts[0] == [n * copies for n in counts[1]]


class TestBadInput:
    """One line that says where, and what to do."""

    def failed(self, errorbar: CommandLine, folder: Path, *words: object) -> str:
        found = errorbar("score", "--source", folder / "copy", *words, folder / "careful", "--no-ci")
        assert found.code != 0
        assert not found.out
        return found.err

    @pytest.mark.parametrize(("n", "said"), [(62, "62 lines for 63"), (0, "0 lines for 63"), (64, "64 lines for 63")])
    def test_another_number_of_lines(
        self, errorbar: CommandLine, folder: Path, tmp_path: Path, n: int, said: str
    ) -> None:
        (tmp_path / "ref").write_text("a b\n" * n, encoding="utf-8")
        err = self.failed(errorbar, folder, "--reference", folder / "ref0", "--reference", tmp_path / "ref")
        assert f"{said} sentences of the source" in err
        assert str(tmp_path / "ref") in err

    def test_an_annotated_file(self, errorbar: CommandLine, folder: Path) -> None:
        err = self.failed(errorbar, folder, "--reference", DEMO / "gold.jsonl")
        assert "this is jsonl, and with --source references are texts" in err
        assert "leave --source out" in err

    def test_an_empty_source(self, errorbar: CommandLine, folder: Path, tmp_path: Path) -> None:
        (tmp_path / "empty").touch()
        found = errorbar("score", "--source", tmp_path / "empty", "--gold", folder / "ref0", folder / "careful")
        assert "the file is empty (expected one sentence per line)" in found.err

    def test_two_of_one_name(self, errorbar: CommandLine, folder: Path) -> None:
        err = self.failed(errorbar, folder, "--reference", folder / "ref0", "--reference", folder / "ref0")
        assert "two references are called 'ref0'; rename one: --reference name=path" in err

    def test_options_for_annotated_files(self, errorbar: CommandLine, folder: Path) -> None:
        err = self.failed(errorbar, folder, "--reference", folder / "ref0", "--as-written")
        assert "--as-written" in err
        assert "leave them out" in err

    def test_a_pair_that_is_too_large(self, errorbar: CommandLine, tmp_path: Path) -> None:
        (tmp_path / "source").write_text("x\n" + "a " * 2001 + "\n", encoding="utf-8")
        (tmp_path / "ref").write_text("x\n" + "b " * 2001 + "\n", encoding="utf-8")
        words = ("--source", tmp_path / "source", "--gold", tmp_path / "ref", tmp_path / "source")
        assert f"{tmp_path / 'source'}:2: a pair of texts" in errorbar("score", *words).err


@pytest.mark.parametrize(
    ("change", "code"),
    [
        (
            lambda lines: [f"quite another text of number {n} with words of its own" for n, _ in enumerate(lines)],
            "not-this-source",
        ),
        (lambda lines: [*lines[1:], lines[0]], "shifted-lines"),
        (lambda lines: [*lines[:40], *[""] * 23], "empty-lines"),
        (lambda lines: [line.replace(" .", ".").replace(" ,", ",") for line in lines], "not-tokenized"),
    ],
)
def test_a_reference_is_looked_at_as_a_system_is(
    errorbar: CommandLine, folder: Path, tmp_path: Path, change: Callable[[list[str]], list[str]], code: str
) -> None:
    lines = (folder / "ref0").read_text(encoding="utf-8").splitlines()
    (tmp_path / "ref").write_text("".join(f"{line}\n" for line in change(lines)), encoding="utf-8")
    words = ("score", "--source", folder / "copy", "--reference", tmp_path / "ref", folder / "careful", "--no-ci")
    found = errorbar(*words)
    assert f"[{code}]" in found.err
    assert (found.code == 2) == (code == "not-this-source")
    assert ("--retokenize" in found.err) == (code == "not-tokenized")
    assert errorbar(*words, "--force").code == 0
