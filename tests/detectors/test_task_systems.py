"""Baselines: systems that a task's file names and errorbar runs, once for each source and models."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import errorbar as library
from errorbar import Problems, Resampling
from errorbar.api import CorpusStudy
from errorbar.core import InputError
from errorbar.receipts.receipt import receipt_of_task
from errorbar.reporting import board_report
from errorbar.tasks import read_task, run_task, study_best
from tests.cli.schema import validated
from tests.detectors.small_tables import shrink_tables
from tests.detectors.test_detect import TAGGED, treebank
from tests.helpers.cli import CommandLine

SOURCE = ("She depends on him .", "He lives in a city .", "We looked of the book of the girl .")
CORRECTED = ("She depends on him .", "He lives in city .", "We looked at the book of the girl .")
GOLD = """\
S She depends on him .
A 1 2|||Vform|||depended|||REQUIRED|||-NONE-|||0

S He lives in a city .
A 3 4|||ArtOrDet|||the|||REQUIRED|||-NONE-|||0

S We looked of the book of the girl .
A 2 3|||Prep|||at|||REQUIRED|||-NONE-|||0
"""
HEAD = """\
[task]
name = "Small"
{metrics}

[[corpus]]
name = "test"
gold = "gold.m2"

[[team]]
name = "ours"
submissions = "ours.txt"

"""
BASELINE = """\
[[system]]
name = "baseline"
corrector = "lm"
models = "models"
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models of a few sentences."""
    folder = tmp_path_factory.mktemp("trained")
    plain = "\n".join(" ".join(t.rsplit("/", 1)[0] for t in line.split()) for line in TAGGED.splitlines())
    (folder / "native.txt").write_text(f"{plain}\n" * 30, encoding="utf-8")
    (folder / "bank.conllu").write_text(treebank(), encoding="utf-8")
    library.train(
        folder / "native.txt",
        folder / "models",
        treebank=folder / "bank.conllu",
        fallback=True,
        part=["tagger", "words", "ngrams", "majority"],
    )
    return folder


@pytest.fixture
def task(trained: Path, tmp_path: Path) -> Callable[..., Path]:
    """Makes a task file that names systems."""
    shutil.copytree(trained / "models", tmp_path / "models")
    (tmp_path / "gold.m2").write_text(GOLD, encoding="utf-8")
    (tmp_path / "ours.txt").write_text("\n".join((*SOURCE[:2], CORRECTED[2])) + "\n", encoding="utf-8")

    def write(systems: str = BASELINE, metrics: str = "", *, team: bool = True) -> Path:
        head = HEAD.format(metrics=metrics)
        path = tmp_path / "task.toml"
        path.write_text((head if team else head.partition("[[team]]")[0]) + systems, encoding="utf-8")
        return path

    return write


def test_a_corrector_is_scored_as_its_output_is(task: Callable[..., Path], tmp_path: Path) -> None:
    path = task()
    results = run_task(path)
    (found,) = results.corpora
    ours, baseline = found.runs
    assert (ours.submission.name, baseline.submission.name) == ("ours-1", "baseline")
    assert baseline.submission.path.read_text(encoding="utf-8").splitlines() == list(CORRECTED)
    (tmp_path / "same.txt").write_text("\n".join(CORRECTED) + "\n", encoding="utf-8")
    (plain,) = library.score(tmp_path / "gold.m2", tmp_path / "same.txt", ci=False).scores
    assert baseline.gold[0].estimates == plain.estimates
    signature = str(baseline.gold[0].signature)
    hypothesis = plain.signature.hypothesis
    assert f"|hyp:{hypothesis}(corrector=lm,models=" in signature
    assert baseline.gold[0].signature.comparable(ours.gold[0].signature)
    assert str(ours.gold[0].signature).count("models=") == 0


def test_a_baseline_that_knows_the_labels_is_warned_of_every_time(
    task: Callable[..., Path], trained: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shrink_tables(monkeypatch)
    path = task('[[system]]\nname = "best"\ndetector = "combined"\n', 'metrics = ["tokens"]', team=False)
    library.train(
        trained / "native.txt", path.parent / "models", labels=path.parent / "gold.m2", part="combiner", fallback=True
    )
    for _ in range(2):  # made, and found in the cache
        (note,) = [note for note in run_task(path).notes if note.code == "model-learned"]
        assert note.what == "the model learned from the labels of 3 of these 3 sentences"
        assert note.place.file == str(path)
    other = GOLD.replace("She", "He").replace("He lives", "She lives").replace("We", "They")
    (path.parent / "gold.m2").write_text(other, encoding="utf-8")
    assert "model-learned" not in {note.code for note in run_task(path).notes}


def test_it_is_made_once(task: Callable[..., Path], monkeypatch: pytest.MonkeyPatch) -> None:
    path = task()
    first = run_task(path)

    def never(*_: object, **__: object) -> None:
        pytest.fail("made a second time")

    with monkeypatch.context() as patched:
        patched.setattr("errorbar.detectors.registered.correct", never)
        again = run_task(path)
    assert (again.n_measured, again.n_found) == (0, first.n_measured)
    assert again.to_dict() == first.to_dict()
    # Another source, or a damaged output, is made anew.
    (output,) = path.parent.glob(".errorbar-task/*/*.output")
    output.write_text("damaged", encoding="utf-8")
    mended = run_task(path)
    assert "task-cache-damaged" in {note.code for note in mended.notes}
    assert mended.to_dict() == first.to_dict()
    (path.parent / "gold.m2").write_text(GOLD.replace("She", "He"), encoding="utf-8")
    (path.parent / "ours.txt").write_text("He depends on him .\n" + "\n".join(SOURCE[1:]) + "\n", encoding="utf-8")
    other = run_task(path, prune=True)
    assert other.corpora[0].runs[1].submission.path.read_text(encoding="utf-8").startswith("He depends")
    assert [file for file in path.parent.glob(".errorbar-task/*/*.output") if file == output] == []


def test_other_models_are_another_baseline(task: Callable[..., Path], trained: Path) -> None:
    path = task()
    before = run_task(path).corpora[0].runs[1]
    library.train(trained / "native.txt", path.parent / "models", part="ngrams", order=2, fallback=True)
    after = run_task(path).corpora[0].runs[1]
    assert after.submission.path != before.submission.path
    signatures = [str(run.gold[0].signature).partition("models=")[2][:12] for run in (before, after)]
    assert len(set(signatures)) == 2


def test_models_beside_the_file_need_not_be_named(task: Callable[..., Path]) -> None:
    path = task(BASELINE.replace('models = "models"\n', ""))
    assert run_task(path).corpora[0].runs[1].submission.name == "baseline"


def test_a_detector_is_scored_where_errors_are_looked_for(task: Callable[..., Path]) -> None:
    systems = '[[system]]\nname = "LM"\ndetector = "lm(threshold=1)"\n'
    path = task(systems, 'metrics = ["tokens(beta=1)"]', team=False)
    results = run_task(path)
    ((run,),) = (corpus.runs for corpus in results.corpora)
    # It flags the first `of` of the third sentence and nothing else; three tokens are wrong.
    assert [run.gold[0][name].value for name in ("precision", "recall")] == [1.0, pytest.approx(1 / 3)]
    assert "(detector=lm(threshold=1),models=" in str(run.gold[0].signature)
    assert run.n_changed == 1
    problems = Problems()
    (study,) = study_best(results, problems, Resampling(replicates=20))
    assert isinstance(study, CorpusStudy)
    assert study.detectors is not None
    (shown,) = study.detectors.detectors
    assert (shown.name, shown.n_flagged, shown.scores["any"].hits) == ("LM", 1, 1)
    assert "detector=lm(threshold=1)" in study.signatures["score: LM"]
    board = board_report(results, date="")
    assert board.summary[0] == "0 teams took part with 0 runs, beside 1 baseline."
    assert dict(board.facts)["baselines"] == "1"


def test_an_empty_sentence_has_no_labels(task: Callable[..., Path]) -> None:
    path = task('[[system]]\nname = "LM"\ndetector = "lm"\n', 'metrics = ["tokens"]', team=False)
    (path.parent / "gold.m2").write_text(f"{GOLD}\nS \n", encoding="utf-8")
    (refused,) = run_task(path).refused
    assert refused.problems[0].what == "sentence 4 is empty, and labels of tokens have no empty sentences"


def test_the_others_are_scored(task: Callable[..., Path], errorbar: CommandLine) -> None:
    path = task()
    (path.parent / "models" / "words.model").unlink()
    done = errorbar("task", "run", path, "--format", "json")
    assert done.code == 2
    assert "words.model: no such model" in done.err
    validated("task-run", done.out)
    (corpus,) = json.loads(done.out)["corpora"]
    assert [run["team"] for run in corpus["runs"]] == ["ours"]
    assert [run["team"] for run in corpus["refused"]] == ["baseline"]


@pytest.mark.parametrize(
    ("systems", "said"),
    [
        ('corrector = "lm"\ndetector = "me"\n', "system 'baseline' has a corrector and a detector"),
        (
            "",
            'system \'baseline\' has no corrector (expected corrector = "lm", or detector = "me", or command',
        ),
        ('detector = "me"\n', "me is a detector, which has no corrections, and the metric m2 needs them"),
        ('corrector = "ln"\n', "no corrector is called 'ln'"),
        ('corrector = "lm"\nmodels = "none"\n', "no such file: models = 'none'"),
        ('corrector = "lm"\nmodel = "models"\n', "[system] has no key 'model'; did you mean 'models'?"),
    ],
)
def test_what_will_not_do_is_said_with_its_line(
    task: Callable[..., Path], errorbar: CommandLine, systems: str, said: str
) -> None:
    path = task(f'[[system]]\nname = "baseline"\n{systems}')
    done = errorbar("task", "run", path)
    assert done.code == 2
    assert said in done.err
    assert "task.toml:" in done.err
    assert done.err.count("error:") == 1


def test_names_are_unique_and_texts_are_tokenized(task: Callable[..., Path]) -> None:
    path = task(BASELINE.replace("baseline", "ours"))
    with pytest.raises(InputError, match="a team or another system is called 'ours'"):
        run_task(path)
    (path.parent / "Gold").mkdir()
    (path.parent / "Gold" / "1GE.xml").write_text("<edits></edits>", encoding="utf-8")
    text = path.read_text(encoding="utf-8").replace("gold.m2", "Gold").replace('"ours"\ncor', '"other"\ncor')
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="corpus 'test' is of kind hoo"):
        run_task(path)


@pytest.mark.parametrize(
    ("said", "code", "fix"),
    [
        ('corrector = "ranks"', "unknown-corrector", "ranked"),
        ('detector = "mee"', "unknown-detector", "'me'"),
        ('detector = "me(threshold=much)"', "bad-parameter", ""),
    ],
)
def test_a_misspelled_system_is_told_when_the_file_is_read(
    said: str, code: str, fix: str, task: Callable[..., Path]
) -> None:
    path = task(f"[[system]]\nname = 'baseline'\n{said}\n", 'metrics = ["tokens"]')
    with pytest.raises(InputError) as refused:
        read_task(path)
    (problem,) = refused.value.problems
    assert (problem.code, problem.place.line) == (code, 15)
    assert fix in problem.fix


def test_a_receipt_has_its_models_and_makes_the_output_again(task: Callable[..., Path], tmp_path: Path) -> None:
    output = str(tmp_path / "scores.json")
    receipt_of_task(run_task(task()), output).save(output)
    found = library.verify(tmp_path / "scores.receipt.json")
    assert found.good
    assert "models/ngrams.model" in {file.record.name for file in found.files}
