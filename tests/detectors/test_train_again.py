"""``errorbar train`` where models are already: what is kept, what is made anew, and what is said of damaged ones."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from errorbar import detect, train
from errorbar.detectors.model_file import load_model, save_model
from errorbar.detectors.tagger import PIPELINE
from tests.detectors.small_tables import shrink_tables
from tests.detectors.test_detect import TAGGED, TRAIN, record, treebank
from tests.helpers.cli import CommandLine

LABELED = "S She depends of him .\nA 2 3|||Prep|||on|||REQUIRED|||-NONE-|||0\n\nS He lives in the city .\n\n"


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    folder = tmp_path_factory.mktemp("again")
    plain = "\n".join(" ".join(t.rsplit("/", 1)[0] for t in line.split()) for line in TAGGED.splitlines())
    (folder / "native.txt").write_text(f"{plain}\n" * 30, encoding="utf-8")
    (folder / "bank.conllu").write_text(treebank(), encoding="utf-8")
    (folder / "learners.m2").write_text(LABELED * 5, encoding="utf-8")
    (folder / "essay.txt").write_text("She depends of him .\n", encoding="utf-8")
    with pytest.MonkeyPatch.context() as patch:
        shrink_tables(patch)
        files = {name: folder / name for name in ("native.txt", "bank.conllu")}
        models = folder / "models"
        train(files["native.txt"], models, treebank=files["bank.conllu"], fallback=True, license="our own")
        yield folder


@pytest.fixture(autouse=True)
def folder(trained: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    shutil.copytree(trained, tmp_path / "work")
    monkeypatch.chdir(tmp_path / "work")
    return tmp_path / "work"


def licenses() -> dict[str, str | None]:
    """What every model says of its license."""
    return {path.stem: load_model(path, path.stem).text.get("license") for path in Path("models").iterdir()}


def test_models_say_the_license_that_was_given_last(errorbar: CommandLine) -> None:
    assert errorbar(*TRAIN, "--license", "CC0").code == 0
    said = licenses()
    assert said.pop("tagger") is None  # what is said with a text is said of the text
    assert {*said.values()} == {"CC0"}
    kept = record(errorbar, "train", "native.txt", "--treebank", "bank.conllu", "--fallback")
    assert all(each["found"] for each in kept["models"])  # nothing is said: nothing is taken back
    about = ("--license", "BY-SA", "--provenance", "a bank")
    assert not record(errorbar, "train", "--treebank", "bank.conllu", *about)["models"][0]["found"]
    assert record(errorbar, "train", "--treebank", "bank.conllu", *about)["models"][0]["found"]
    assert licenses() == {**said, "tagger": "BY-SA"}
    labels = ("train", "--labels", "learners.m2", "--part", "combiner")
    assert record(errorbar, *labels, "--license", "mine")["models"][0]["found"] is False
    assert record(errorbar, *labels, "--license", "mine")["models"][0]["found"] is True
    assert record(errorbar, *labels, "--license", "ours")["models"][0]["found"] is False
    assert licenses() == {**said, "tagger": "BY-SA", "combiner": "ours"}


def test_models_that_no_longer_fit_are_named(errorbar: CommandLine) -> None:
    """Those of labels are not made of a text, and the other text changes what they are fitted to."""
    assert errorbar("train", "--labels", "learners.m2", "--part", "combiner").code == 0
    assert "models-stale" not in errorbar(*TRAIN, "--license", "CC0").err  # the same numbers with another license
    Path("native.txt").write_text(Path("native.txt").read_text(encoding="utf-8") * 2, encoding="utf-8")
    found = errorbar(*TRAIN)
    assert found.code == 0
    assert "warning: models: combiner of the folder fits the models before, not these; make them anew" in found.err
    assert errorbar("detect", "essay.txt", "--detector", "combined").code == 2
    again = errorbar("train", "native.txt", "--fallback", "--labels", "learners.m2", "--part", "combiner")
    assert (again.code, "models-stale" in again.err) == (0, False)
    assert errorbar("detect", "essay.txt", "--detector", "combined").code == 0


def test_a_damaged_model_is_not_called_missing(errorbar: CommandLine) -> None:
    whole = Path("models/me.model").read_bytes()
    Path("models/me.model").write_bytes(whole[:1000])
    found = errorbar("train", "--labels", "learners.m2", "--part", "combiner")
    assert found.code == 2
    assert "models/me.model: no model that errorbar can read" in found.err
    Path("models/me.model").write_bytes(whole)
    model = load_model("models/me.model", "me")
    save_model(replace(model, made={**model.made, "features": "older"}), "models/me.model")
    found = errorbar("train", "--labels", "learners.m2", "--part", "combiner")
    assert "models/me.model: it is of another version of errorbar, and no text to train it anew" in found.err
    Path("models/tagger.model").write_bytes(whole[:1000])
    found = errorbar("train", "native.txt", "--part", "me")
    assert found.code == 2
    assert "models/tagger.model: no model that errorbar can read" in found.err


def test_bad_labels_are_refused_before_anything_is_trained(errorbar: CommandLine) -> None:
    found = errorbar(*TRAIN, "-o", "new", "--labels", "essay.txt")
    assert found.code == 2
    assert "essay.txt:1" in found.err
    assert not any(Path("new").iterdir())


def test_a_tagger_that_is_asked_for_is_not_another_one(errorbar: CommandLine) -> None:
    found = errorbar("train", "native.txt", "--part", "me", "--tagger", "errorbar-en")
    assert found.code == 2
    assert "models/tagger.model: another tagger than this one is needed" in found.err


def test_a_pipeline_of_another_version_is_made_anew(errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    model = load_model("models/tagger.model", "tagger")
    version = "errorbar.detectors.training.pipeline_version"
    save_model(replace(model, made={"features": PIPELINE, "version": "0.9"}), "models/tagger.model")
    words = ("train", "--treebank", "bank.conllu", "--tagger", "errorbar-en")
    monkeypatch.setattr(version, lambda: "0.9")
    assert record(errorbar, *words)["models"][0]["found"]
    monkeypatch.setattr(version, lambda: "1.0")
    monkeypatch.setattr("errorbar.detectors.training.pipeline_tagger", lambda *_: _Made(model))
    assert not record(errorbar, *words)["models"][0]["found"]


class _Made:
    def __init__(self, model: object) -> None:
        self.model = lambda: model


def test_a_text_without_a_word_twice_serves_a_corrector(errorbar: CommandLine) -> None:
    Path("tiny.txt").write_text("a b c d .\n", encoding="utf-8")
    assert errorbar("train", "tiny.txt", "--part", "words", "--part", "ngrams", "--fallback", "-o", "tiny").code == 0
    shutil.copy("models/tagger.model", "tiny/tagger.model")
    found = errorbar("correct", "essay.txt", "--models", "tiny")
    assert (found.code, found.out) == (0, "She depends of him .\n")


@pytest.mark.parametrize("threshold", ["nan", "inf", "-inf", "1e999"])
def test_a_threshold_is_a_number(errorbar: CommandLine, threshold: str) -> None:
    found = errorbar("detect", "essay.txt", "--detector", f"me(threshold={threshold})")
    assert found.code == 2
    assert "neither nan nor infinite" in found.err
    assert detect("essay.txt", "me(threshold=0)").detector == "me(threshold=0)"
