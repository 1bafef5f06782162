"""A virtual environment outside the checkout that knows nothing of it, and what is installed and run in it."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

ROOT = Path(__file__).parents[2]
CONSTRAINTS = ROOT / "constraints.txt"
UV = shutil.which("uv")
OURS = ("PYTHON", "PYTEST", "ERRORBAR", "VIRTUAL_ENV", "COVERAGE")
"""Starts of the names of variables that a stranger's shell has not."""
PATIENCE = 300.0


def variables(path: str | None = None) -> dict[str, str]:
    """Variables of a shell that never heard of this checkout; path: the folders in which programs are found."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    here = str(Path(sys.executable).parent)
    folders = [folder for folder in kept.get("PATH", "").split(os.pathsep) if folder != here]
    return {**kept, "PATH": os.pathsep.join(folders) if path is None else path}


def said(words: list[str], folder: Path, env: Mapping[str, str], *, code: int = 0) -> str:
    """What a program printed; the whole of it is in the failure where it ended otherwise than by this code."""
    done = subprocess.run(words, cwd=folder, env=env, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert done.returncode == code, f"{' '.join(words)}: exit {done.returncode}\n{done.stdout}\n{done.stderr}"
    return done.stdout + (done.stderr if code else "")


class Clean:
    """An environment in a folder, which is also where its programs run; new unless it is there."""

    def __init__(self, folder: Path, python: str = sys.executable) -> None:
        self.folder, self.bin = folder, folder / "venv" / "bin"
        self.python = str(self.bin / "python")
        if not self.bin.exists():
            folder.mkdir(parents=True, exist_ok=True)
            made = [UV, "venv", "--quiet", "--python", python] if UV else [python, "-m", "venv", "--without-pip"]
            said([*made, str(folder / "venv")], folder, variables())

    def install(self, *what: str | Path, path: str | None = None) -> None:
        """Install, in the versions that all of CI has; path: where a build finds programs such as compilers."""
        installer = [UV, "pip", "install", "--python", self.python] if UV else _pip(self.python)
        words = [*installer, "--quiet", "--constraint", str(CONSTRAINTS), *map(str, what)]
        said(words, self.folder, variables(path))

    def run(self, *words: str | Path, code: int = 0) -> str:
        """What the command line says."""
        return self.program("errorbar", *map(str, words), code=code)

    def program(self, name: str, *words: str, code: int = 0) -> str:
        """What any program of this environment says."""
        return said([str(self.bin / name), *words], self.folder, variables(), code=code)

    def doctor(self) -> dict[str, str]:
        """What is installed, as ``errorbar doctor`` finds it; the self-test must have passed."""
        found: dict[str, str] = json.loads(self.run("doctor", "--format", "json"))
        assert found["self-test"].startswith("passed"), found
        return found

    def extras(self) -> dict[str, str]:
        """Of each extra the first word that ``errorbar doctor`` says of it."""
        extra = "extra '"
        return {
            name[len(extra) : -1]: text.split()[0] for name, text in self.doctor().items() if name.startswith(extra)
        }


def _pip(python: str) -> list[str]:
    """The pip of the tests' own environment, which installs into another: no time goes into a pip for each."""
    return [sys.executable, "-m", "pip", "--python", python, "install", "--no-compile"]
