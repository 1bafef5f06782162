"""``errorbar.toml``: names and defaults, below the folder that has it; the command line always wins."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.helpers.cli import CommandLine

GOLD = """\
S A cat sat on mat .
A 4 4|||Det|||the|||REQUIRED|||-NONE-|||0

"""
TEXT = {"good": "A cat sat on the mat .\n", "idle": "A cat sat on mat .\n"}


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a corpus of two annotators and two systems; commands run in a folder below it."""
    (tmp_path / "a.m2").write_text(GOLD)
    (tmp_path / "b.m2").write_text(GOLD.replace("the", "a"))
    for name, text in TEXT.items():
        (tmp_path / f"{name}.txt").write_text(text)
    (tmp_path / "below").mkdir()
    monkeypatch.chdir(tmp_path / "below")
    return tmp_path


def write(place: Path, text: str) -> None:
    (place / "errorbar.toml").write_text(text)


def test_names_of_corpora_and_systems(place: Path, errorbar: CommandLine) -> None:
    write(place, '[corpora]\nboth = ["a.m2", "b.m2"]\n[systems]\nmine = "good.txt"\n')
    done = errorbar("score", "--gold", "both", "mine", "--format", "json")
    assert done.code == 0, done.err
    (row,) = json.loads(done.out)["rows"]
    assert (row["system"], row["n_annotators"], row["correct"]) == ("mine", 2, 1)
    assert errorbar("check", "--gold", "both", "../good.txt").code == 0
    one = errorbar("check", "--source", "both", "../good.txt")
    assert "'both' is a corpus of 2 files, and one is read here" in one.err


def test_defaults_hold_unless_the_command_line_says_otherwise(place: Path, errorbar: CommandLine) -> None:
    write(
        place, '[defaults]\nformat = "json"\nconfidence = 0.9\n[defaults.score]\nmetric = "m2(beta=1)"\ngold = "a.m2"\n'
    )
    done = errorbar("score", "../good.txt")
    assert json.loads(done.out)["rows"][0]["metric"] == "m2(beta=1)"
    said = f"{place / 'errorbar.toml'}: set here: --gold {place / 'a.m2'}, --metric m2(beta=1), "
    assert said in done.err
    assert "--format json [config]" in done.err
    other = errorbar("score", "../good.txt", "--metric", "m2", "--format", "csv")
    assert ",m2," in other.out
    assert "--metric" not in other.err
    assert errorbar("score", "../good.txt", "--metric", "m2", "--format", "csv").out == other.out
    assert "m2(beta=1)" in errorbar("score", "--help").out


def test_another_file_or_none(place: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    write(place, "[defaults.score]\nwrong = 1\n")
    (place / "other.toml").write_text('[defaults.score]\ngold = "a.m2"\n')
    assert errorbar("--config", "../other.toml", "score", "../good.txt").code == 0
    assert errorbar("--config", "", "score", "--gold", "../a.m2", "../good.txt", "--no-ci").notes == ""
    monkeypatch.setenv("ERRORBAR_CONFIG", str(place / "other.toml"))
    assert errorbar("score", "../good.txt").code == 0
    missing = errorbar("--config", "no.toml", "score", "../good.txt")
    assert missing.err == "error: no.toml: no such file [no-such-file]\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("corpora = 3", "1: 'corpora' is not a table (expected [corpora]) [config-value]"),
        ("[corpus]\nx = 'a.m2'", "1: a config has no table or key 'corpus'; did you mean 'corpora'? [config-key]"),
        ("[corpora]\nx = 3", "2: x must be a file or a list of files, got 3 [config-value]"),
        ("[corpora]\nx = []", "2: x must be a file or a list of files, got [] [config-value]"),
        ("[systems]\nx = ['a', 'b']", "2: x must be a file, got ['a', 'b'] [config-value]"),
        (
            "[defaults]\nseed = 1\nsed = 1",
            "3: [defaults] sed is not a setting of errorbar; did you mean 'seed'? [config-key]",
        ),
        (
            "[defaults.scor]\nseed = 1",
            "1: [defaults] scor is not a setting of errorbar; did you mean 'score'? [config-key]",
        ),
        (
            "[defaults.score]\nmetrik = 'm2'",
            "2: [defaults.score] metrik is not a setting of errorbar; did you mean 'metric'?",
        ),
        ("[defaults]\nscore.metrik = 'm2'", "2: [defaults.score] metrik is not a setting of errorbar"),
        ("[defaults]\nseed = 'x'", "2: the default of 'seed' is not taken: 'x' is not a valid integer range"),
        ("[defaults", "1: not valid TOML: expected ']' at the end of a table declaration"),
    ],
)
def test_what_nothing_reads_is_refused(place: Path, errorbar: CommandLine, text: str, message: str) -> None:
    write(place, text)
    done = errorbar("score", "--gold", "../a.m2", "../good.txt")
    assert done.code == 2
    assert done.err.startswith(f"error: {place / 'errorbar.toml'}:{message}"), done.err
    assert len(done.err.splitlines()) == 1


def test_doctor_names_the_file_and_looks_through_every_command(
    place: Path, errorbar: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("errorbar.demo.selftest.self_test", lambda: "passed")
    assert json.loads(errorbar("doctor", "--format", "json").out)["config"].startswith("none: no errorbar.toml")
    write(place, "[corpora]\nx = 'a.m2'\n[defaults]\nseed = 1\n[defaults.crowd.score]\nlayout = 'long'\n")
    found = json.loads(errorbar("doctor", "--format", "json").out)["config"]
    assert found == f"{place / 'errorbar.toml'}; corpora: x; defaults: all commands, crowd score"
    write(place, "[defaults.crowd.score]\nlayuot = 'long'\n")
    assert (
        "[defaults.crowd.score] layuot is not a setting of errorbar; did you mean 'layout'?" in errorbar("doctor").err
    )
    write(place, "[defaults.crowd.scor]\nlayout = 'long'\n")
    assert "[defaults.crowd] scor is not a setting of errorbar; did you mean 'score'?" in errorbar("doctor").err
    write(place, "[defaults.score.x]\nseed = 1\n")
    assert "[defaults.score] x is not a setting of errorbar" in errorbar("doctor").err


def test_no_config_file_names_an_output(place: Path, errorbar: CommandLine) -> None:
    """It may lie in any folder above and be a stranger's: it must not choose a file that is overwritten."""
    write(place, f"[defaults.score]\noutput = {str(place / 'victim.csv')!r}\n")
    done = errorbar("score", "--gold", "../a.m2", "../good.txt")
    assert (done.code, done.out) == (2, "")
    assert "[defaults.score] output names an output, which only a command line may do; give --output" in done.err
    assert not (place / "victim.csv").exists()


def test_a_population_of_judges_is_found_beside_the_config(
    errorbar: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    below = tmp_path / "below"
    below.mkdir()
    config = tmp_path / "errorbar.toml"
    config.write_text('[defaults.score]\njudges = "random(population=wide.json)"\n', encoding="utf-8")
    monkeypatch.chdir(below)
    (below / "a.m2").write_text("S a b .\nA 0 1|||R|||x|||REQUIRED|||-NONE-|||0\n\n" * 2, encoding="utf-8")
    (below / "s.txt").write_text("x b .\n" * 2, encoding="utf-8")
    done = errorbar("score", "--gold", "a.m2", "s.txt")
    assert f"{tmp_path}/wide.json: no such file" in done.err
    config.write_text('[defaults.score]\njudges = "random(population=bn2015)"\n', encoding="utf-8")
    assert errorbar("score", "--gold", "a.m2", "s.txt").code == 0
