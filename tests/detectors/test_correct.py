"""``errorbar correct`` with each corrector, and ``errorbar train`` of what they need, on a few sentences."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest

from errorbar import train
from errorbar.detectors.candidates import Proposals, Reader
from errorbar.detectors.detect import read_reader
from errorbar.detectors.model_file import Model, load_model, save_model
from tests.detectors.small_tables import change_member, shrink_tables
from tests.detectors.test_detect import TAGGED, record, treebank
from tests.helpers.cli import CommandLine

LABELED = """S She depends of him .
A 2 3|||Prep|||on|||REQUIRED|||-NONE-|||0
A -1 -1|||noop|||-NONE-|||REQUIRED|||-NONE-|||1

S They want to go to sea .
A 5 5|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0

S the cat sat on the mat .
A 0 1|||Mec|||The|||REQUIRED|||-NONE-|||1

S He lives in the city .

"""
MORE = """He/PRP lives/VBZ in/IN school/NN ./.
We/PRP sat/VBD on/IN mat/NN ./.
They/PRP can/MD go/VB ./.
A/DT girl/NN saw/VBD an/DT hour/NN ./.
"""
DOCS = Path(__file__).parents[2] / "docs"
ESSAY = "She depends of him .\nWe want to go to sea .\n\nHe lives in the city .\n"
SETTING = {"weight": 0, "threshold": 0}
LEARN = ("train", "--labels", "learners.m2", "--part", "correctors")


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("correct")
    tagged = TAGGED + "\n" + MORE
    plain = "\n".join(" ".join(t.rsplit("/", 1)[0] for t in line.split()) for line in tagged.splitlines())
    (folder / "native.txt").write_text(f"{plain}\n" * 30, encoding="utf-8")
    (folder / "bank.conllu").write_text(treebank(tagged), encoding="utf-8")
    (folder / "learners.m2").write_text(LABELED * 12, encoding="utf-8")
    (folder / "essay.txt").write_text(ESSAY, encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        shrink_tables(patch)
        files = {name: folder / name for name in ("native.txt", "bank.conllu", "learners.m2")}
        train(
            files["native.txt"],
            folder / "models",
            treebank=files["bank.conllu"],
            labels=files["learners.m2"],
            fallback=True,
        )
        yield folder


@pytest.fixture
def folder(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(trained, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


@pytest.fixture(scope="module")
def reader(trained: Path) -> Reader:
    return read_reader(trained / "models")


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("corrector", ["lm", "lm+classifiers", "ranked"])
def test_every_corrector(errorbar: CommandLine, corrector: str) -> None:
    found = errorbar("correct", "essay.txt", "--corrector", corrector, "-o", "corrected.txt")
    assert found.code == 0, found.err
    assert found.out == ""
    lines = Path("corrected.txt").read_text(encoding="utf-8").splitlines()
    assert lines[0] == "She depends on him ."
    assert lines[1] == "We want to go to the sea ."
    assert lines[2:] == ["", "He lives in the city ."]
    assert "2 of 4 sentences changed: " in found.err
    explained = [
        json.loads(line)
        for line in errorbar(
            "correct", "-", "--corrector", corrector, "--explain", stdin=ESSAY.encode()
        ).out.splitlines()
    ]
    assert [each["text"] for each in explained] == lines
    assert [each["source"] for each in explained] == ESSAY.splitlines()
    (change,) = explained[0]["changes"]
    assert {**change, "score": 0} == {"start": 2, "end": 3, "replacement": "on", "type": "Prep", "score": 0}
    assert change["score"] > 0
    assert [each["type"] for each in explained[1]["changes"]] == ["ArtOrDet"]


def test_the_help_and_the_page_say_what_they_do_on_other_text(errorbar: CommandLine) -> None:
    help_text = " ".join(errorbar("correct", "--help").out.split())
    page = (DOCS / "detectors" / "correctors.md").read_text(encoding="utf-8")
    rows = [[cell.strip() for cell in line.split("|")[1:-1]] for line in page.splitlines() if "| `ranked` |" in line]
    websites = [row for row in rows if row[-2:] in (["1,445", "91 %"], ["1,315", "95 %"])]
    assert [row[-3] for row in websites] == ["88.30", "90.75"]
    assert "GLEU falls from 91.5 to 88.3 and from 94.6 to 90.8" in help_text
    assert "91 to 95 % on websites" in help_text
    assert "--least" in help_text


@pytest.mark.usefixtures("folder")
def test_least_and_untokenized_text_at_the_command_line(errorbar: CommandLine) -> None:
    changed = errorbar("correct", "essay.txt", "--corrector", "ranked", "--least", "1000")
    assert changed.out == ESSAY
    assert "0 of 4 sentences changed" in changed.err
    assert "is not a finite number" in errorbar("correct", "essay.txt", "--least", "nan").err
    whole = b"She depends of him.\nHe lives in the city.\n"
    noted = errorbar("correct", "-", stdin=whole)
    assert "of 2 lines, 2 end in a word with a mark" in noted.err
    assert "[not-tokenized]" in noted.err
    cut = errorbar("correct", "-", "--retokenize", "--least", "1000", stdin=whole)
    assert cut.out == "She depends of him .\nHe lives in the city .\n"
    assert "not-tokenized" not in cut.err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    "text",
    [
        *("to", "can", "the", "The", "a A an", ".", "go", "I saw the\nbook"),
        "\u6211 \u6211 \u5403 \u3002",
        "\u042f \u043b\u044e\u0431\u043b\u044e",
        "the the the the",
        "acgt" * 3000,
        " ".join(["She depends of him ,"] * 1000),
    ],
    ids=lambda text: text[:12],
)
def test_odd_input(errorbar: CommandLine, text: str) -> None:
    for corrector in ("lm+classifiers", "ranked"):
        found = errorbar("correct", "-", "--corrector", corrector, stdin=f"{text}\n".encode())
        assert found.code == 0, found.err
        assert len(found.out.splitlines()) == len(text.splitlines())


@pytest.mark.usefixtures("folder")
def test_what_is_missing_is_one_line(errorbar: CommandLine) -> None:
    models = Path("models")
    (models / "correctors.model").rename("kept")
    found = errorbar("correct", "essay.txt", "--corrector", "ranked")
    assert found.code == 2
    assert "models/correctors.model: ranked is learned from labels, and there is none" in found.err
    assert errorbar("correct", "essay.txt").code == 0  # the settings of CoNLL-2013
    Path("kept").rename(models / "correctors.model")
    for name in ("articles", "forms", "me"):
        (models / f"{name}.model").unlink()
    assert errorbar("correct", "essay.txt").code == 0  # the language model alone needs no classifier
    assert "articles.model: no such model" in errorbar("correct", "essay.txt", "--corrector", "ranked").err
    (models / "words.model").unlink()
    assert (
        "models/words.model: no such model; train it: errorbar train --part=words"
        in errorbar("correct", "essay.txt").err
    )
    unknown = errorbar("correct", "essay.txt", "--corrector", "ranke")
    assert unknown.code == 2
    assert "ranked" in unknown.err


def remade(part: str, **made: object) -> None:
    """A model file with another header."""
    path = Path("models") / f"{part}.model"
    model = load_model(path, part)
    save_model(Model(part, {**model.made, **made}, model.text, model.arrays), path)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("part", "made", "code"),
    [
        ("correctors", {"features": "ranker-0"}, "model-features"),
        ("correctors", {"models": {}}, "model-parts"),
        ("correctors", {"threshold": "high"}, "model-damaged"),
        ("correctors", {"constant": float("nan")}, "model-damaged"),
        ("correctors", {"settings": {"lm": {}}}, "model-features"),
        (
            "correctors",
            {"settings": {"lm": {"R:X": SETTING}, "lm+classifiers": {}}},
            "model-features",
        ),
        ("correctors", {"settings": {"lm": {}, "lm+classifiers": {"R:Nn": {"weight": "0"}}}}, "model-features"),
        ("articles", {"features": "choices-0"}, "model-features"),
        ("forms", {"tagger": "another"}, "model-tagger"),
        ("forms", {"bits": 3}, "model-features"),
        ("words", {"seen": 1}, "model-parts"),
        ("me", {"seen": 1}, "model-parts"),
    ],
)
def test_models_that_do_not_fit(errorbar: CommandLine, part: str, made: dict[str, object], code: str) -> None:
    remade(part, **made)
    found = errorbar("correct", "essay.txt", "--corrector", "ranked")
    assert found.code == 2
    assert f"[{code}]" in found.err
    assert found.err.count("error:") == 1


@pytest.mark.usefixtures("folder")
def test_a_damaged_model_is_refused_and_made_again(errorbar: CommandLine) -> None:
    path = Path("models/correctors.model")
    path.unlink()
    assert errorbar(*LEARN).code == 0
    before = path.read_bytes()
    change_member(path, "weights.npy", lambda weights: weights[:-8] + bytes(7) + b"?")
    assert "[model-damaged]" in errorbar("correct", "essay.txt", "--corrector", "ranked").err
    (made,) = record(errorbar, *LEARN)["models"]  # no text: the other models are there
    assert (made["part"], made["found"]) == ("correctors", False)
    assert path.read_bytes() == before
    assert record(errorbar, *LEARN)["models"][0]["found"]


@pytest.mark.usefixtures("folder")
def test_correctors_are_learned_anew_where_something_changed(errorbar: CommandLine) -> None:
    parts = ("--part", "tagger", "--part", "words", "--part", "articles", "--part", "forms", "--part", "correctors")
    whole = ("train", "native.txt", "--treebank", "bank.conllu", "--fallback", "--labels", "learners.m2", *parts)

    def made(*words: object) -> list[str]:
        return [each["part"] for each in record(errorbar, *whole, *words)["models"] if not each["found"]]

    assert made() == []
    Path("models/forms.model").unlink()  # as if interrupted before it was written
    assert made() == ["forms"]
    Path("learners.m2").write_text(LABELED * 11, encoding="utf-8")
    assert made() == ["correctors"]
    Path("bank.conllu").write_text(treebank(TAGGED + "\n" + MORE + MORE), encoding="utf-8")
    assert made() == ["tagger", "articles", "forms", "correctors"]
    assert made() == []
    remade("articles", features="choices-0")  # of another version
    assert made() == ["articles"]
    Path("native.txt").write_text(Path("native.txt").read_text(encoding="utf-8") * 2, encoding="utf-8")
    assert made() == ["words", "articles", "forms", "correctors"]


@pytest.mark.usefixtures("folder")
def test_correctors_need_labels_and_the_other_models(errorbar: CommandLine) -> None:
    assert "there are no labels to learn from" in errorbar("train", "--part", "correctors").err
    Path("models/forms.model").unlink()
    assert "models/forms.model: no such model, and no text" in errorbar(*LEARN).err


def columns(said: Proposals) -> list[tuple[object, ...]]:
    of = (said.sentence, said.model, said.classifiers)
    rows = zip(said.candidates, *(each.tolist() for each in of), strict=True)
    return [(number, *one, model, str(margin)) for one, number, model, margin in rows]


SENTENCES = [line.split() for line in ("He saw the", "girl saw A", "book", "", "A", "sea depends of", "to", "can", ".")]


def test_a_sentence_is_read_alike_in_any_block(reader: Reader) -> None:
    alone = [columns(reader.read([each])) for each in SENTENCES]
    for order in (range(9), range(8, -1, -1), (2, 0, 0, 3, 5, 1)):
        expected = [(at, *row[1:]) for at, number in enumerate(order) for row in alone[number]]
        assert columns(reader.read([SENTENCES[number] for number in order])) == expected


def spoken(reader: Reader, text: str) -> dict[tuple[int, str, Sequence[str]], float]:
    said = reader.read([text.split()])
    return {
        (candidate.start, candidate.group, candidate.replacement): margin
        for candidate, margin in zip(said.candidates, said.classifiers.tolist(), strict=True)
    }


def test_what_classifiers_speak_of(reader: Reader) -> None:
    assert reader.classifiers is not None
    found = spoken(reader, "The cat sat of the mat .")
    assert found[3, "R:Prep", ("on",)] > found[3, "R:Prep", ("with",)]
    # What is gained by one of three articles for another, and by none, are differences of the same logarithms.
    a, none = found[4, "R:ArtOrDet", ("a",)], found[4, "U:ArtOrDet", ("mat",)]
    bare = spoken(reader, "The cat sat of mat .")
    assert bare[4, "M:ArtOrDet", ("the",)] == pytest.approx(-none, abs=1e-9)
    assert bare[4, "M:ArtOrDet", ("a",)] == pytest.approx(a - none, abs=1e-9)
    assert found[4, "R:ArtOrDet", ("an",)] == a
    # The last word of a text has no word after it, and "a" for "an" is no other class.
    assert np.isnan(spoken(reader, "She saw the")[2, "R:ArtOrDet", ("a",)])
    assert np.isnan(spoken(reader, "A girl saw a hour .")[3, "R:ArtOrDet", ("an",)])
