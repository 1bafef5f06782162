"""Options that several commands share."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from errorbar.api import metrics_of
from errorbar.cli import convert
from errorbar.core import UsageError
from errorbar.formats import FORMATS
from errorbar.metrics import parse_metrics
from tests.helpers.cli import CommandLine


@pytest.fixture
def files(tmp_path: Path) -> tuple[str, str, str]:
    """``--gold``, a reference and a system of five sentences."""
    gold, system = tmp_path / "gold.m2", tmp_path / "system.txt"
    gold.write_text("S A cat sat on mat .\nA 4 4|||Det|||the|||REQUIRED|||-NONE-|||0\n\n" * 5)
    system.write_text("A cat sat on the mat .\n" * 3 + "A cat sat on mat .\n" * 2)
    return "--gold", str(gold), str(system)


class TestBeta:
    @pytest.mark.parametrize(
        ("spec", "made"),
        [
            ("m2", "m2(beta=1.0)"),
            ("m2()", "m2(beta=1.0)"),
            (" m2(max_unchanged=3, ) ", "m2(max_unchanged=3,beta=1.0)"),
            ("m2(choose=A1)", "m2(choose=A1,beta=1.0)"),
        ],
    )
    def test_joins_the_spec(self, spec: str, made: str) -> None:
        assert metrics_of([spec], 1.0, "sentences") == parse_metrics([made])
        assert metrics_of(spec, None, "sentences") == parse_metrics([spec])

    def test_is_said_once(self) -> None:
        with pytest.raises(
            UsageError, match=r"beta=2 and the metric m2\(beta=1\) both say what beta is; give one of them"
        ):
            metrics_of(["m2", "m2(beta=1)"], 2.0, "sentences")

    def test_is_the_metric_of_the_row(self, errorbar: CommandLine, files: tuple[str, ...]) -> None:
        long = errorbar("score", *files, "--metric", "m2(beta=2)", "--format", "json")
        assert errorbar("score", *files, "--beta", 2, "--format", "json").out == long.out
        assert json.loads(long.out)["rows"][0]["metric"] == "m2(beta=2)"
        assert "is not a finite number" in errorbar("score", *files, "--beta", "nan").err


def test_official_names_are_names_of_parameters(errorbar: CommandLine, files: tuple[str, ...]) -> None:
    ours = errorbar("score", *files, "--metric", "m2(max_unchanged=1,ignore_case_space=true)", "--format", "csv")
    theirs = ("--metric", "m2(ignore_whitespace_casing=true,max_unchanged_words=1)", "--format", "csv")
    assert errorbar("score", *files, *theirs).out == ours.out
    assert ours.code == 0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (("--no-ci", "--confidence", 0.9), "--confidence is about intervals, and --no-ci asks for none"),
        (("--no-ci", "--resamples", 10), "--resamples is about intervals, and --no-ci asks for none"),
        (
            ("--ci-method", "closed", "--resamples", 10),
            "--resamples is about random draws, and --ci-method closed makes none",
        ),
    ],
)
def test_options_of_which_nothing_would_come_are_refused(
    errorbar: CommandLine, files: tuple[str, ...], given: tuple[object, ...], message: str
) -> None:
    done = errorbar("score", *files, *given)
    assert (done.code, done.out) == (2, "")
    assert done.err == f"error: {message}; leave it out [useless-option]\n"


def test_a_default_of_the_config_file_is_not_refused(
    errorbar: CommandLine, files: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "errorbar.toml").write_text("[defaults]\nconfidence = 0.9\n")
    assert errorbar("score", *files, "--no-ci", "--config", tmp_path / "errorbar.toml").code == 0


def test_options_offer_what_the_library_takes() -> None:
    corpora = [name for name, known in FORMATS.items() if known.holds != "rows"]
    assert (*corpora, "hoo") == convert.READABLE
    assert (*(name for name, known in FORMATS.items() if known.write is not None), "hoo") == convert.WRITABLE


def test_help_offers_no_value_of_python_alone(errorbar: CommandLine) -> None:
    """A mapping of pools is a name of a file to the command line, and there is none of that name."""
    for command in ("agree", "score", "compare", "ceiling"):
        done = errorbar(command, "--help")
        assert "--pools" in done.out
        assert '{"' not in done.out
