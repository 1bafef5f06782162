"""The public names: each is what it says after everything was imported, is listed, and explains itself."""

from __future__ import annotations

import inspect
import pkgutil
from importlib import import_module

import pytest

import errorbar

FUNCTIONS = sorted(name for name in errorbar.__all__ if name[0].islower() and not name.startswith("__"))
CLASSES = sorted(name for name in errorbar.__all__ if name[0].isupper())
PACKAGES = ["errorbar", *(each.name for each in pkgutil.walk_packages(errorbar.__path__, "errorbar.") if each.ispkg)]
COMMANDS = {
    *("score", "compare", "ceiling", "agree", "crowd", "curve", "sample_plan", "sample_draw", "sample_estimate"),
    *("rank", "meta", "report", "run_task", "convert", "check", "read_corpus", "read_system", "read_judgments"),
}


@pytest.fixture(scope="module", autouse=True)
def _everything_imported() -> None:
    """A module of the package that has a public name would take its place once it is imported."""
    for module in pkgutil.walk_packages(errorbar.__path__, "errorbar."):
        if not module.name.endswith("__main__"):
            import_module(module.name)


def test_there_is_a_function_for_each_command() -> None:
    assert set(FUNCTIONS) >= COMMANDS


def test_all_is_what_is_found() -> None:
    assert set(errorbar.__all__) - {"__version__"} == errorbar._HOMES.keys()
    assert dir(errorbar) == sorted(errorbar.__all__)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_name_that_is_listed_is_found(package: str) -> None:
    """Also where a name's module stands in a string, which nothing else compares with the files."""
    module = import_module(package)
    lost = []
    for name in getattr(module, "__all__", ()):
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
