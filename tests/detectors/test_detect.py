"""From plain text to a detector's judgments and back into the commands that take judgments, on a few sentences."""

from __future__ import annotations

import csv
import json
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from errorbar import correct, detect, train
from errorbar.core import UsageError
from errorbar.detectors.model_file import load_model
from tests.cli.schema import validated
from tests.detectors.small_tables import change_member, shrink_tables
from tests.helpers.cli import CommandLine

TAGGED = """The/DT cat/NN sat/VBD on/IN the/DT mat/NN ./.
She/PRP depends/VBZ on/IN him/PRP ./.
He/PRP lives/VBZ in/IN the/DT city/NN ./.
They/PRP want/VBP to/TO go/VB to/IN the/DT sea/NN ./.
We/PRP looked/VBD at/IN the/DT book/NN of/IN the/DT girl/NN ./."""
ESSAY = "She depends of him .\nThey want to go to the sea .\nHe lives in the city .\n\n"

LABELED = """S She depends of him .
A 2 3|||Prep|||on|||REQUIRED|||-NONE-|||0

S They go to the sea .

S He lives in the city .
"""


def treebank(tagged: str = TAGGED) -> str:
    """CoNLL-U of tagged sentences."""
    lines = []
    for sentence in tagged.splitlines():
        for number, token in enumerate(sentence.split(), 1):
            form, tag = token.rsplit("/", 1)
            lines.append("\t".join((str(number), form, form.lower(), "_", tag, "_", "_", "_", "_", "_")))
        lines.append("")
    return "\n".join(lines) + "\n"


def write_texts(folder: Path) -> None:
    plain = "\n".join(" ".join(t.rsplit("/", 1)[0] for t in line.split()) for line in TAGGED.splitlines())
    (folder / "native.txt").write_text(f"{plain}\n" * 30, encoding="utf-8")
    (folder / "bank.conllu").write_text(treebank(), encoding="utf-8")
    (folder / "learners.m2").write_text(f"{LABELED}\n" * 5, encoding="utf-8")
    (folder / "essay.txt").write_text(ESSAY, encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    shrink_tables(monkeypatch)
    monkeypatch.setattr("errorbar.detectors.detect.INSTALLED", "no_such_models")  # whatever is installed here
    write_texts(tmp_path)
    return tmp_path


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models of the texts, made once; the tests of training make their own."""
    folder = tmp_path_factory.mktemp("detect")
    write_texts(folder)
    with pytest.MonkeyPatch.context() as patch:
        shrink_tables(patch)
        train(
            folder / "native.txt",
            folder / "models",
            treebank=folder / "bank.conllu",
            labels=folder / "learners.m2",
            fallback=True,
            license="our own",
        )
    return folder / "models"


@pytest.fixture
def trained(folder: Path, models: Path) -> Path:
    shutil.copytree(models, folder / "models")
    return folder


def test_the_help_says_what_detectors_are_good_at(errorbar: CommandLine) -> None:
    help_text = " ".join(errorbar("detect", "--help").out.split())
    assert "the first 12 to 18 % hold half of an annotator's preposition errors" in help_text
    assert "--prior" in help_text


TRAIN = ("train", "native.txt", "--treebank", "bank.conllu", "--fallback", "--license", "our own")


def record(errorbar: CommandLine, *words: object) -> Any:  # noqa: ANN401 - JSON
    found = errorbar(*words, "--format", "json")
    assert found.code == 0, found.err
    return json.loads(found.out)


@pytest.mark.usefixtures("folder")
def test_training_goes_on_where_it_was(errorbar: CommandLine) -> None:
    first = record(errorbar, *TRAIN, "--part", "tagger", "--part", "ngrams")
    assert [(each["part"], each["found"]) for each in first["models"]] == [("tagger", False), ("ngrams", False)]
    second = record(errorbar, *TRAIN)
    validated("train", json.dumps(second))
    assert [each["part"] for each in second["models"] if each["found"]] == ["tagger", "ngrams"]
    new = ["words", "majority", "perc", "me", "articles", "forms"]
    assert [each["part"] for each in second["models"] if not each["found"]] == new
    assert second["text"]["license"] == "our own"
    third = record(errorbar, *TRAIN)
    assert all(each["found"] for each in third["models"])
    before = {path.name: path.read_bytes() for path in Path("models").iterdir()}
    Path("models/me.model").write_bytes(b"damaged")  # the same seed makes the same bytes again
    assert [each["part"] for each in record(errorbar, *TRAIN)["models"] if not each["found"]] == ["me"]
    assert {path.name: path.read_bytes() for path in Path("models").iterdir()} == before
    other = record(errorbar, *TRAIN, "--seed", 1, "--order", 3)
    assert [each["part"] for each in other["models"] if each["found"]] == ["words"]
    refused = errorbar("train", "native.txt", "--license", "our own", "--part", "ngrams")
    assert "fallback" in refused.err  # a model with fixed discounts is not taken for one with its own


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("named", ["name=native.txt", "name=*.txt"])
def test_a_text_has_no_name_but_its_path(errorbar: CommandLine, named: str) -> None:
    Path("name=native.txt").write_text("One sentence .\n", encoding="utf-8")
    assert record(errorbar, "train", named, "--part", "words")["text"]["tokens"] == 3


@pytest.mark.usefixtures("folder")
def test_defaults_of_a_config_file_are_no_options_of_other_parts(errorbar: CommandLine) -> None:
    Path("errorbar.toml").write_text("[defaults]\nseed = 7\n[defaults.train]\norder = 5\n", encoding="utf-8")
    assert errorbar("train", "native.txt", "--part", "words").code == 0


@pytest.mark.usefixtures("trained")
@pytest.mark.parametrize("detector", ["me(threshold=0.5)", "perc(threshold=1)", "lm(threshold=-100)", "majority"])
def test_every_detector(errorbar: CommandLine, detector: str) -> None:
    found = record(errorbar, "detect", "essay.txt", "--detector", detector)
    validated("detect", json.dumps(found))
    assert [each["item"] for each in found["rows"]] == ["1:2-3", "2:2-3", "2:4-5", "3:2-3"]
    assert [each["word"] for each in found["rows"]] == ["of", "to", "to", "in"]
    infinitive = found["rows"][1]
    assert (infinitive["score"], infinitive["label"], infinitive["flag"]) == (-1000, "ok", False)
    assert found["rows"][0]["text"] == "She depends [of] him ."
    if detector.startswith(("me", "perc")):
        assert (found["rows"][0]["suggestion"], found["rows"][0]["label"]) == ("on", "error")
        assert found["rows"][3]["label"] == "ok"
    if detector.startswith("lm"):
        assert {each["suggestion"] for each in found["rows"]} == {""}
        assert [each["flag"] for each in found["rows"]] == [True, False, True, True]


@pytest.mark.usefixtures("trained")
def test_a_prior_moves_combined_from_the_share_of_its_own_labels() -> None:
    made = load_model("models/combiner.model", "combiner").made
    plain = detect("essay.txt", "combined")
    same, half = (detect("essay.txt", "combined", prior=prior) for prior in (made["errors"] / made["examples"], 0.5))
    assert [row.score for row in same.rows] == pytest.approx([row.score for row in plain.rows])
    odds = made["errors"] / (made["examples"] - made["errors"])  # by Bayes' rule; half the words wrong has odds of 1
    assert [row.score + np.log(odds) for row in half.rows] == pytest.approx([row.score for row in plain.rows])


@pytest.mark.usefixtures("trained")
def test_a_text_is_not_corrected_in_place() -> None:
    with pytest.raises(UsageError, match="overwrite an input"):
        correct("essay.txt", "essay.txt")
    assert Path("essay.txt").read_text(encoding="utf-8") == ESSAY


@pytest.mark.usefixtures("trained")
def test_text_that_was_learned_from_is_warned_of() -> None:
    for result in (detect("essay.txt", "combined"), correct("essay.txt"), correct("essay.txt", "out.txt")):
        (note,) = result.notes
        assert (note.code, note.what) == (
            "model-learned",
            "the model learned from the labels of 2 of these 3 sentences",
        )
    assert not detect("essay.txt", "me").notes  # knows native text alone
    Path("other.txt").write_text("He depends of the girl .\nHe lives .\n", encoding="utf-8")
    assert not detect("other.txt", "combined").notes
    assert not correct("other.txt").notes


@pytest.mark.usefixtures("trained")
def test_its_judgments_are_taken_everywhere(errorbar: CommandLine) -> None:
    assert errorbar("detect", "essay.txt", "--detector", "me(threshold=0.5)", "-o", "me.csv").code == 0
    rows = list(csv.DictReader(Path("me.csv").read_text(encoding="utf-8").splitlines()))
    assert list(rows[0]) == ["item", "rater", "label", "flag", "score", "word", "suggestion", "text"]
    assert {row["rater"] for row in rows} == {"me(threshold=0.5)"}
    votes = "item,rater,label\n" + "".join(
        f"{row['item']},{rater},{'error' if row['item'] == '1:2-3' else 'ok'}\n" for row in rows for rater in "ab"
    )
    Path("votes.csv").write_text(votes, encoding="utf-8")
    (weighted, _) = record(errorbar, "crowd", "score", "votes.csv", "me.csv", "--no-ci")["rows"]
    assert (weighted["hits"], weighted["misses"]) == (1, 0)
    (swept,) = record(errorbar, "crowd", "sweep", "votes.csv", "me.csv", "--no-ci", "--recalls", "1")["rows"]
    assert swept["points"][0]["P"]["value"] == 1.0
    assert errorbar("curve", "votes.csv", "me.csv", "--no-ci").code == 0
    assert errorbar("agree", "votes.csv", "me.csv", "--no-ci").code == 0
    drawn = errorbar("sample", "draw", "me.csv", "--budget", 4, "--out", "set.csv", "--key", "key.json")
    assert drawn.code == 0, drawn.err


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("train", "none.txt"), "none.txt: no such file"),
        (("train", "native.txt", "--part", "me"), "the classifiers need a tagger, and there is none"),
        (("train", "native.txt"), "fallback"),  # too small for discounts of its own
        (("train", "native.txt", "--treebank", "native.txt", "--fallback"), "native.txt:1: 1 columns"),
        (("train", "native.txt", "--fallback", "-o", "native.txt"), "would overwrite an input"),
        (("train", "--part", "combiner"), "there are no labels to learn from"),
        (("train", "--part", "combiner", "--labels", "learners.m2"), "models/me.model: no such model, and no text"),
        (("train", "native.txt", "--part", "words", "--labels", "learners.m2"), "--labels is for combiner"),
        (("train", "native.txt", "nat*.txt", "--part", "words"), "native.txt: the file is named twice"),
        (("train", "native.txt", "--part", "words", "--treebank", "bank.conllu"), "--treebank is for tagger"),
        (("train", "native.txt", "--part", "me", "--order", "5"), "--order is for ngrams"),
        (("train", "native.txt", "--part", "words", "--fallback"), "--fallback is for ngrams"),
        (("train", "native.txt", "--part", "words", "--small"), "--small is for ngrams, perc, me"),
        (("train", "native.txt", "--part", "ngrams", "--seed", "1"), "--seed is for tagger"),
        (("train",), "no text to train on is named"),
        (
            ("detect", "essay.txt"),
            "none in a folder 'models' here, and errorbar-models is not installed",
        ),
        (("correct", "essay.txt"), "train some: errorbar train TEXT"),
        (("detect", "essay.txt", "--models", "other"), "other/tagger.model: no such model"),
        (("detect", "essay.txt", "--detector", "mee"), "no detector is called 'mee'; did you mean 'me'?"),
        (("detect", "essay.txt", "--detector", "me(treshold=3)"), "threshold"),
        (("detect", "empty.txt"), "there is no word in it"),
    ],
)
def test_bad_input_is_one_line(errorbar: CommandLine, words: tuple[str, ...], said: str) -> None:
    Path("empty.txt").touch()
    Path("learners.m2").write_text(LABELED, encoding="utf-8")
    found = errorbar(*words)
    assert found.code == 2
    assert said in found.err
    assert found.err.count("error:") == 1


@pytest.mark.usefixtures("folder")
def test_labels_teach_a_combiner(errorbar: CommandLine) -> None:
    made = record(errorbar, *TRAIN, "--labels", "learners.m2")
    combiner = next(each for each in made["models"] if each["part"] == "combiner")
    assert (combiner["learned_from"], combiner["found"]) == (15, False)
    found = record(errorbar, "detect", "essay.txt", "--detector", "combined")
    validated("detect", json.dumps(found))
    rows = {row["item"]: row for row in found["rows"]}
    assert [*rows] == ["1:2-3", "2:2-3", "2:4-5", "3:2-3"]
    assert (rows["1:2-3"]["label"], rows["1:2-3"]["suggestion"]) == ("error", "on")
    assert rows["3:2-3"]["label"] == "ok"
    assert rows["2:2-3"]["score"] > -1000  # the mark of an infinitive is judged too
    alone = record(errorbar, "train", "--labels", "learners.m2", "--part", "combiner")  # without the text
    assert [(each["part"], each["found"]) for each in alone["models"]] == [("combiner", True)]
    Path("more.m2").write_text(LABELED, encoding="utf-8")
    two = record(errorbar, "train", "--labels", "learners.m2", "--labels", "mo*.m2", "--part", "combiner")
    assert [(each["learned_from"], each["found"]) for each in two["models"]] == [(18, False)]


@pytest.mark.usefixtures("trained")
def test_a_combiner_of_other_models_is_refused(errorbar: CommandLine) -> None:
    other = ("train", "native.txt", "--fallback", "--seed", 1, "--order", 2, "--part", "perc", "--part", "ngrams")
    assert errorbar(*other).code == 0
    found = errorbar("detect", "essay.txt", "--detector", "combined")
    assert found.code == 2
    assert "models/combiner.model: it was fitted to another model of kind perc, ngrams" in found.err
    again = record(errorbar, "train", "--labels", "learners.m2", "--part", "combiner")
    assert not again["models"][0]["found"]
    assert errorbar("detect", "essay.txt", "--detector", "combined").code == 0


DETECTORS = ("lm", "me", "perc", "combined", "majority")
OTHER = "我 喜欢 在 北京 的 生活 。\nОн живёт в городе .\nكتاب 😀\n"


@pytest.mark.slow
@pytest.mark.usefixtures("trained")
def test_texts_that_nobody_expects(errorbar: CommandLine) -> None:
    Path("other.txt").write_text(OTHER, encoding="utf-8")
    Path("word.txt").write_text("of\n", encoding="utf-8")
    Path("long.txt").write_text("She depends of him , and".replace(" ", " " * 2) + " so on" * 2_497 + "\n")
    Path("blank.txt").write_text("\n\n")
    for detector in DETECTORS:
        other = errorbar("detect", "other.txt", "--detector", detector)
        assert (other.code, "there is no preposition in it" in other.out) == (0, True), other.err
        (word,) = record(errorbar, "detect", "word.txt", "--detector", detector)["rows"]
        assert (word["item"], word["text"]) == ("1:0-1", "[of]")
        long = record(errorbar, "detect", "long.txt", "--detector", detector)["rows"]
        assert [each["item"] for each in long] == ["1:2-3", *(f"1:{at}-{at + 1}" for at in range(7, 5_000, 2))]
        blank = errorbar("detect", "blank.txt", "--detector", detector)
        assert (blank.code, "there is no word in it" in blank.err) == (2, True)
    for name, lines in {"other": OTHER.splitlines(), "word": ["of"], "blank": ["", ""]}.items():
        found = errorbar("correct", f"{name}.txt")
        assert (found.code, found.out.splitlines()) == (0, lines), found.err
        assert f"0 of {len(lines)} sentences changed" in found.err
    found = errorbar("correct", "long.txt")
    assert found.code == 0, found.err
    assert len(found.out.split()) > 4_000


@pytest.mark.usefixtures("trained")
@pytest.mark.parametrize(
    "part",
    ["tagger", "words", *(pytest.param(each, marks=pytest.mark.slow) for each in ("ngrams", "me", "combiner"))],
)
def test_models_of_another_version_are_refused(errorbar: CommandLine, part: str) -> None:
    path = Path("models", f"{part}.model")
    change_member(path, "header.json", lambda header: header.replace(b'"version": 1', b'"version": 2'))
    words = ("correct", "essay.txt") if part == "words" else ("detect", "essay.txt", "--detector", "combined")
    found = errorbar(*words)
    assert found.code == 2
    assert found.err.startswith(
        f"error: models/{part}.model: a model of version 2 (expected version 1); train it again"
    )


@pytest.mark.usefixtures("folder")
def test_small_models(errorbar: CommandLine) -> None:
    assert errorbar(*TRAIN, "--labels", "learners.m2", "--part", "tagger", "--part", "combiner").code == 0
    large = len(load_model("models/me.model", "me").arrays["values"])
    made = record(errorbar, *TRAIN, "--labels", "learners.m2", "--small")["models"]
    assert [each["part"] for each in made if each["found"]] == ["tagger"]
    assert 0 < len(load_model("models/me.model", "me").arrays["values"]) < large
    assert load_model("models/ngrams.model", "ngrams").made["least"] == [1, 2, 2]
    for detector in ("me(threshold=0.5)", "perc(threshold=1)", "combined"):
        (first, *_) = record(errorbar, "detect", "essay.txt", "--detector", detector)["rows"]
        assert (first["label"], first["suggestion"]) == ("error", "on")
    assert all(each["found"] for each in record(errorbar, *TRAIN, "--labels", "learners.m2", "--small")["models"])
    again = record(errorbar, *TRAIN)["models"]  # small ones are not taken for the others
    assert [each["part"] for each in again if each["found"]] == ["tagger", "words", "majority"]


@pytest.mark.usefixtures("trained")
def test_installed_models_are_found(errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    package = Path("site", "models_of_a_test")
    package.mkdir(parents=True)
    Path("models").rename(package / "models")
    source = Path(__file__).parents[2] / "packages" / "errorbar-models" / "errorbar_models" / "__init__.py"
    said = source.read_text(encoding="utf-8").replace('__version__ = "', '__version__ = "7')
    package.joinpath("__init__.py").write_text(said, encoding="utf-8")
    monkeypatch.syspath_prepend("site")
    monkeypatch.setattr("errorbar.detectors.detect.INSTALLED", "models_of_a_test")
    found = errorbar("detect", "essay.txt", "--detector", "me(threshold=0.5)")
    assert "1 of 4 prepositions" in found.out
    noted = "note: the small models of errorbar-models 70.1.0 are used; --models DIR names others"
    assert noted in found.err
    assert noted in errorbar("correct", "essay.txt").err
    Path("models").mkdir()  # of something else
    assert noted in errorbar("detect", "essay.txt").err
    Path("models/me.model").write_bytes(b"")  # models that are here come first
    assert "models/tagger.model: no such model" in errorbar("detect", "essay.txt").err
    del sys.modules["models_of_a_test"]
