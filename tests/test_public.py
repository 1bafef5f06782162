"""The public names: each is what it says after everything was imported, is listed, and explains itself."""

from __future__ import annotations

import inspect
import json
import pkgutil
import pydoc
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, get_type_hints

import numpy as np
import pytest

import errorbar
from errorbar.api.arguments import fits
from errorbar.api.crowd import FlagSource
from errorbar.core import MissingExtraError, UsageError
from errorbar.core.public_names import read_stub
from tests.helpers.cli import CommandLine

FUNCTIONS = sorted(name for name in errorbar.__all__ if name[0].islower() and not name.startswith("__"))
CLASSES = sorted(name for name in errorbar.__all__ if name[0].isupper())
PACKAGES = ["errorbar", *(each.name for each in pkgutil.walk_packages(errorbar.__path__, "errorbar.") if each.ispkg)]
COMMANDS = {
    *("score", "compare", "ceiling", "agree", "crowd", "curve", "sample_plan", "sample_draw", "sample_estimate"),
    *("sample_rehearse", "audit_draw", "audit_estimate", "references"),
    *("rank", "meta", "report", "run_task", "convert", "check", "read_corpus", "read_system", "read_judgments"),
    *("attack", "crowd_aggregate", "crowd_raters", "crowd_howmany", "crowd_mine", "crowd_sweep", "crowd_judgments"),
    *("train", "detect", "correct"),
    *("judge", "judge_init", "judge_export", "judge_status", "judge_analyze"),
    "plan_judging",
    "fit_judges",
    "verify",
}


@pytest.fixture(scope="module", autouse=True)
def _everything_imported() -> None:
    """A module of the package that has a public name would take its place once it is imported."""
    for module in pkgutil.walk_packages(errorbar.__path__, "errorbar."):
        if not module.name.endswith("__main__"):
            with suppress(MissingExtraError):  # modules that a harness imports, which not everybody has
                import_module(module.name)


def test_there_is_a_function_for_each_command() -> None:
    assert set(FUNCTIONS) >= COMMANDS


def test_all_is_what_is_found() -> None:
    assert dir(errorbar) == sorted(errorbar.__all__)


def test_help_fits_on_a_screen_and_names_everything() -> None:
    """A reader pages no further than the description, which 24 lines hold."""
    text = pydoc.plain(pydoc.render_doc(errorbar))
    description = text.partition("PACKAGE CONTENTS")[0]
    assert len(text.splitlines()) <= 60
    assert len(description.splitlines()) <= 24
    assert [name for name in errorbar.__all__ if name not in description.split() and name[0] != "_"] == [
        "ErrorbarError",
        "Problems",
    ]  # in its last sentences


def _explained() -> Iterator[type]:
    """Classes that are public, or that a public function returns, and whose fields are attributes."""
    for name in FUNCTIONS + CLASSES:
        found = getattr(errorbar, name)
        given = found if inspect.isclass(found) else get_type_hints(inspect.unwrap(found)).get("return")
        if inspect.isclass(given) and (hasattr(given, "_fields") or is_dataclass(given)):
            yield given


@pytest.mark.parametrize("cls", dict.fromkeys(_explained()), ids=lambda cls: cls.__name__)
def test_help_says_what_every_attribute_is(cls: type) -> None:
    names = [one.name for one in fields(cls)] if is_dataclass(cls) else list(getattr(cls, "_fields", ()))
    _, _, said = (inspect.getdoc(cls) or "").partition("\nAttributes:\n")
    assert [name for name in names if f"    {name}: " not in said] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_that_is_listed_is_found(package: str) -> None:
    """Also where a name's module stands in a string, which nothing else compares with the files."""
    module = import_module(package)
    assert module.__spec__ is not None
    assert module.__file__ is not None
    has_stub = Path(module.__file__).with_suffix(".pyi").exists()
    lost = []
    for name in read_stub(module.__spec__) if has_stub else getattr(module, "__all__", ()):
        try:
            getattr(module, name)
        except (AttributeError, ImportError):
            lost.append(name)
    assert lost == []


@pytest.mark.parametrize("name", FUNCTIONS)
def test_functions_are_functions_and_say_what_they_take_and_raise(name: str) -> None:
    function = getattr(errorbar, name)
    assert inspect.isfunction(function)
    text = inspect.getdoc(function) or ""
    assert "\nArgs:\n" in text
    assert "\nRaises:\n" in text or "\nReturns:\n" in text
    missing = [each for each in inspect.signature(function).parameters if f"\n    {each}: " not in text]
    assert missing == []


@pytest.mark.parametrize("name", CLASSES)
def test_classes_are_classes_with_a_description(name: str) -> None:
    found = getattr(errorbar, name)
    assert inspect.isclass(found)
    assert len((inspect.getdoc(found) or "").split()) > 2


# What users may get wrong is refused by errorbar's own error, in one line, where it enters

GOLD = Path(__file__).parents[1] / "src/errorbar/demo/gold.jsonl"
SYSTEM = GOLD.with_name("careful.txt")
DEMO = GOLD.with_name("crowd")
VOTES = errorbar.Judgments.from_matrix([["error", "ok", "ok"], ["error", "error", "ok"]])
FLAGS: dict[str, Any] = {"mine": [True, False]}


@pytest.mark.parametrize(
    ("name", "arguments", "keywords", "said"),
    [
        ("crowd", (VOTES, FLAGS), {"error": 1}, "error must be a text or a list of texts, got 1"),
        ("curve", (VOTES, FLAGS), {"bins": 3}, "bins must be a list of numbers, got 3"),
        ("curve", (VOTES, FLAGS), {"bins": "0.5,1"}, "bins must be a list of numbers, got '0.5,1'"),
        ("crowd", (VOTES, {"mine": 1}), {}, "got dict of int"),
        ("score", (GOLD, {"a": [1] * 63}), {}, "got dict of list of int"),
        ("score", (GOLD, SYSTEM), {"metric": 3}, "metric must be a Metric, a text, a list of Metric objects or texts"),
        ("score", (GOLD, SYSTEM), {"ci": "no"}, "ci must be True, False or None, got 'no'"),
        ("score", (GOLD, SYSTEM), {"seed": 1.5}, "seed must be a whole number, got 1.5"),
        ("score", (GOLD, SYSTEM), {"resamples": True}, "resamples must be a whole number, got True"),
        (
            "score",
            (GOLD, SYSTEM),
            {"by": "both"},
            "by must be one of type, sentence, fragment, team or None, got 'both'",
        ),
        ("score", (GOLD, SYSTEM), {"progress": 1}, "progress must be a function, got 1"),
        ("score", (GOLD, b"out.txt"), {}, "systems must be a path, a Hypothesis, a Corpus, a list of "),
        (
            "compare",
            (GOLD, [SYSTEM] * 2),
            {"confidence": 0.3},
            "confidence must be a fraction from 0.5 to below 1, got 0.3",
        ),
        (
            "sample_estimate",
            (),
            {"confidence": 95},
            "confidence must be a fraction from 0.5 to below 1, got 95; 95 % is 0.95",
        ),
        (
            "report",
            (GOLD, SYSTEM),
            {"confidence": 0.9999999999999999},  # below 1, and its upper end has no quantile
            "confidence must be a fraction from 0.5 to below 1, got 0.9999999999999999",
        ),
        ("meta", ("human.csv", "scores.csv"), {"beta": "x"}, "beta must be a number or a list of numbers, got 'x'"),
        ("sample_plan", (), {"flagged": "x"}, "flagged must be a whole number or None, got 'x'"),
        ("convert", (GOLD, 3), {}, "out must be a path or None, got 3"),
        ("run_task", (3,), {}, "task must be a path or a Task, got 3"),
        ("convert", (GOLD, "\0"), {}, r"out: no file has such a name: '\x00' (expected"),
        ("attack", (GOLD,), {"write": "\ud800"}, r"write: no file has such a name: '\ud800'"),
        ("score_submission", ("ref", "sub", "x" * 256), {}, "out: no file has such a name: 'xxx"),
        ("judge_init", ("new", "items.csv"), {"scheme": "x" * 3000}, "scheme: no file has such a name"),
        ("train", ("text.txt", "models"), {"license": "CC\ud800"}, r"license must be text, got half of a character"),
        ("agree", (VOTES,), {"clusters": {1, 2, 3}}, "clusters must be a list of values"),
        ("crowd_sweep", (VOTES, "s.csv"), {"recalls": {0.5}}, "recalls must be a list of numbers, got set"),
        ("score", (), {"source": {"a b"}, "gold": ["a c"], "systems": ["a c"]}, "source must be one list of sentences"),
        ("audit_estimate", (DEMO / "audit.csv",), {"key": DEMO / "audit-key.json", "assist": []}, "[no-files]"),
        ("judge_import", ([],), {}, "no export is named"),
        ("meta", ("h.csv", "s.csv"), {"source": "source.txt"}, "source is about outputs that are scored here"),
        ("report", (GOLD, SYSTEM), {"title": 3}, "title must be a text, got 3"),
        (
            "attack",
            (GOLD, SYSTEM),
            {"only": "past"},
            "got 'past'; did you mean 'pasted'? [bad-parameter]",
        ),
        ("check", (errorbar.Corpus([], ()),), {}, "files must be a path, a Hypothesis, a list of "),
        (
            "ceiling",
            (GOLD,),
            {"sizes": ["1"]},
            "sizes must be a whole number or a list of whole numbers, got list of str",
        ),
        ("read_corpus", (GOLD,), {"unmarked": "al"}, "absent, got 'al'; did you mean 'all'? [bad-parameter]"),
        ("agree", (VOTES,), {"colum": {}}, "agree has no argument 'colum'; did you mean 'column'? [no-argument]"),
        ("score", (GOLD,), {}, "there is no system to score (expected at least one) [no-systems]"),
        ("score", (GOLD, []), {}, "there is no system to score (expected at least one) [no-systems]"),
        ("crowd", (VOTES, {}), {}, "[no-systems]"),
        ("curve", (VOTES, []), {}, "[no-systems]"),
        ("compare", (GOLD, [SYSTEM] * 2, "hoo"), {}, "errorbar score and errorbar report give the runs' scores"),
        ("ceiling", (GOLD, SYSTEM, "hoo"), {}, "ceiling needs sentences, and the metric scores fragments of HOO data"),
    ],
)
def test_what_does_not_fit_is_refused_at_the_door(
    name: str, arguments: tuple[object, ...], keywords: dict[str, object], said: str
) -> None:
    function: Callable[..., object] = getattr(errorbar, name)
    with pytest.raises(UsageError) as refused:
        function(*arguments, **keywords)
    assert said in str(refused.value)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_every_argument_of_every_function_is_looked_at(name: str) -> None:
    """A value of a type that no function takes is refused, whichever argument it is."""

    class Odd:
        pass

    function: Callable[..., object] = getattr(errorbar, name)
    parameters = list(inspect.signature(function).parameters.values())
    needed = {each.name: str(GOLD) for each in parameters if each.default is each.empty}
    for each in parameters:
        with pytest.raises(UsageError, match=f"{each.name} must be .*, got Odd"):
            function(**{**needed, each.name: Odd()})


def test_numbers_and_arrays_of_numpy_fit() -> None:
    assert fits(np.int64(3), int)
    assert fits(np.float64(0.5), float)
    assert fits(1, float)
    assert fits(np.True_, bool)
    assert fits(np.array([True, False]), FlagSource)
    assert not fits(float("nan"), int)
    assert not fits(True, int)
    assert fits(range(10**18), errorbar.api.ceiling.Sequence[int])  # type: ignore[attr-defined]  # imported there, not exported


# Python has the command's words


@pytest.mark.parametrize(
    ("metric", "beta", "code"),
    [
        ("m2(beta=2)", 1.0, "two-choices"),
        (["m2", "m2(beta=1)"], 1.0, "two-choices"),
        ("m2", -1.0, "bad-parameter"),
        ("m2", 0.0, "bad-parameter"),
    ],
)
def test_beta_is_said_once_and_above_zero(metric: Any, beta: float, code: str) -> None:  # noqa: ANN401 - one or several
    with pytest.raises(UsageError, match=code):
        errorbar.score(GOLD, SYSTEM, metric, beta=beta)


@pytest.mark.parametrize(
    ("name", "keywords", "said"),
    [
        ("agree", {"judgments": VOTES, "ci": False, "jobs": 0}, "jobs must be at least 1, got 0 [jobs]"),
        ("attack", {"gold": GOLD, "ci": False, "seed": -1}, "seed must be at least 0, got -1 [seed]"),
        ("convert", {"inputs": GOLD, "to": "text", "alternative": 0}, "alternative must be at least 1, got 0"),
        ("judge_import", {"exports": "x.csv", "per_item": -1}, "per_item must be at least 1, got -1"),
        (
            "plan_judging",
            {"gold": GOLD, "systems": SYSTEM, "minutes": float("nan")},
            "minutes must be above 0, got nan",
        ),
        ("sample_plan", {"flagged": 9, "unflagged": 9, "price": float("inf")}, "from 0 to 1,000,000,000, got inf"),
        ("sample_rehearse", {"flags": "f.csv", "judged": VOTES, "repetitions": 1}, "from 2 to 1,000,000, got 1"),
        ("curve", {"judgments": VOTES, "systems": FLAGS, "prevalence": 1.0}, "above 0 and below 1, got 1.0"),
        ("meta", {"human": "h.csv", "scores": "s.csv", "beta": [0.5, float("nan")]}, "at most 1,000, got nan"),
    ],
)
def test_numbers_have_the_bounds_of_the_command_whether_they_matter_or_not(
    name: str, keywords: dict[str, Any], said: str
) -> None:
    with pytest.raises(UsageError) as refused:
        getattr(errorbar, name)(**keywords)
    assert said in str(refused.value)


def test_order_is_that_of_the_tables() -> None:
    systems = [GOLD.with_name("copy.txt"), SYSTEM]
    best, given = (errorbar.score(GOLD, systems, order=order, ci=False) for order in ("best", "input"))
    assert [row[0] for row in best.tables()[0].rows] == ["careful", "copy"]
    assert [row[0] for row in given.tables()[0].rows] == ["copy", "careful"]


def test_labels_and_columns_are_said_as_on_the_command_line(tmp_path: Path, errorbar: CommandLine) -> None:
    import errorbar as library

    votes, flags = tmp_path / "votes.csv", tmp_path / "mine.csv"
    votes.write_text("item,worker,label\na,r,yes\na,s,no\nb,r,no\nb,s,?\nc,r,yes\nc,s,yes\n")
    flags.write_text("item,flag\na,1\nb,0\nc,1\n")
    said = ["--column", "rater=worker", "--labels", "error=yes", "--labels", "unknown=?", "--no-ci"]
    printed = json.loads(errorbar("crowd", "score", votes, flags, *said, "--format", "json").out)["rows"]
    ways: list[dict[str, Any]] = [
        {"column": "rater=worker", "labels": ["error=yes", "unknown=?"]},
        {"column": {"rater": "worker"}, "error": "yes", "unknown": "?"},
        {"column": ["rater=worker"], "error": ["yes"], "labels": "unknown=?"},
    ]
    for keywords in ways:
        assert library.crowd(votes, flags, ci=False, **keywords).to_dict()["rows"] == printed
    agree: Callable[..., Any] = library.agree
    ranks = {"scale": "ordinal", "column": "rater=worker", "unknown": "?", "ci": False}
    assert agree(votes, labels="no,yes", **ranks).signature == agree(votes, labels=["no", "yes"], **ranks).signature
    with pytest.raises(UsageError, match="has no meaning here"):
        library.agree(votes, labels="error=yes")


def test_labels_that_nobody_declared_are_named_with_what_to_do(tmp_path: Path, errorbar: CommandLine) -> None:
    import errorbar as library

    flags, judged, key = tmp_path / "flags.csv", tmp_path / "set.csv", tmp_path / "key.json"
    flags.write_text("item,flag\n" + "".join(f"i{k},{k % 2}\n" for k in range(20)))
    library.sample_draw(flags, budget=20, floor=2).save(str(judged), str(key))
    lines = judged.read_text().splitlines()
    judged.write_text("\n".join([lines[0], *(f"{line}yes" for line in lines[1:])]) + "\n")
    with pytest.raises(UsageError, match=r"was to say 'yes'; say what it means: error='?\"?yes"):
        library.sample_estimate(judged, key=key)
    shown = errorbar("sample", "estimate", judged, "--key", key).err
    assert "say what it means: --labels error='yes', --labels ok='yes' or --labels unknown='yes'" in shown
    assert library.sample_estimate(judged, key=key, labels="error=yes").found.systems
    with pytest.raises(UsageError, match="must say what the label means"):
        library.sample_estimate(judged, key=key, labels="yes")
