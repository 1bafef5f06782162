"""The scoring program of a Codabench bundle, and the recipe of the image that it runs in."""

from __future__ import annotations

import re
import sys
import zipfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.resources import files
from pathlib import Path

from errorbar.codabench.task_files import read_bytes
from errorbar.core.problems import Place, Problem, UsageError
from errorbar.version import __version__


def fill_template(file: str, /, **values: str) -> bytes:
    """The content of a file in which each value stands for its name: ``version`` for ``@VERSION@``."""
    content = (files("errorbar.codabench") / "templates" / file).read_bytes()
    for key, value in values.items():
        content = content.replace(f"@{key.upper()}@".encode(), value.encode())
    return content


COMMAND = "python3 /app/program/score.py /app/input /app/output"
PINNED = ("numpy", "scipy", "click", "jinja2", "vl-convert-python", "errant", "spacy")
PIPELINE = "errorbar-en"  # what the metric errant tags and parses with
OF_EXTRAS = {"errant": "errant", "spacy": "errant"}
_WHEEL = re.compile(
    r"(?P<name>[A-Za-z0-9_.]+)-(?P<version>[^-]+)(-[^-]+)?-(?P<python>[^-]+)-[^-]+-(?P<platform>[^-]+)\.whl"
)
_CPYTHON = re.compile(r"cp(\d)(\d+)")


@dataclass(frozen=True, slots=True)
class Wheel:
    """A built package."""

    file: str
    name: str
    version: str
    python: str  # ``3.12``; empty where any will do
    content: bytes


def program_files() -> dict[str, bytes]:
    """The scoring program as a folder."""
    return {
        "metadata.yaml": f"command: {COMMAND}\n".encode(),
        "score.py": fill_template("score_py.txt", version=__version__),
    }


def read_wheel(path: Path) -> Wheel:
    """Read a wheel; one of another version of errorbar would score otherwise.

    Raises:
        UsageError: If it is none, or errorbar's own of another version.
    """
    content = read_bytes(path)
    match = _WHEEL.fullmatch(path.name)
    if match is None or not zipfile.is_zipfile(path):
        message = "this is no wheel"
        raise UsageError(
            Problem("bundle-wheel", message, Place(str(path)), "NAME-VERSION-...whl", "pip wheel makes one")
        )
    name = match["name"].replace("_", "-").lower()
    if name == "errorbar" and match["version"] != __version__:
        message = f"this is errorbar {match['version']}, and version {__version__} makes the bundle"
        raise UsageError(Problem("bundle-wheel", message, Place(str(path)), fix="make both by one version"))
    if match["platform"] != "any" and "linux" not in match["platform"]:
        message = f"this is for {match['platform']}, and the image is Linux"
        raise UsageError(Problem("bundle-wheel", message, Place(str(path)), fix="make it on Linux"))
    python = _CPYTHON.fullmatch(match["python"])
    return Wheel(path.name, name, match["version"], f"{python[1]}.{python[2]}" if python else "", content)


def container_files(image: str, wheels: Sequence[Wheel], metrics: Sequence[str]) -> dict[str, bytes]:
    """The recipe of an image in which the task's metrics run, with the versions that are installed here."""
    extras = ["report", *(["errant"] if needs_errant(metrics) else [])]
    required = [f"errorbar[{','.join(extras)}]=={__version__}"]
    numbers = {wheel.name: wheel.version for wheel in wheels if wheel.name != "errorbar"}
    if needs_errant(metrics):  # the pipeline is no requirement of the extra
        numbers.setdefault(PIPELINE, _version(PIPELINE))
    required += [f"{name}=={number}" if number else name for name, number in numbers.items()]
    required += [
        f"{name}=={number}" for name in PINNED if OF_EXTRAS.get(name, "report") in extras if (number := _version(name))
    ]
    own = next((wheel.python for wheel in wheels if wheel.python), "") or f"{sys.version_info[0]}.{sys.version_info[1]}"
    return {
        "Dockerfile": fill_template("Dockerfile", version=__version__, image=image, python=own),
        "requirements.txt": ("\n".join(required) + "\n").encode(),
        "wheels/README.txt": fill_template("wheels.txt"),
        **{f"wheels/{wheel.file}": wheel.content for wheel in wheels},
    }


def needs_errant(metrics: Sequence[str]) -> bool:
    """Whether a metric makes edits by ERRANT."""
    return any(spec.partition("(")[0] == "errant" for spec in metrics)


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return ""
