"""What Codabench's worker does with a submission, as its documentation and its source describe it, without a container.

The submission is unpacked; it has no metadata, so its files are the predictions, to which the worker adds a file
``metadata``. Program, reference data and predictions are unpacked into the layout below ``/app``, the command of
``metadata.yaml`` is run in the program's folder without standard input, and ``scores.json`` is what is read.
"""

from __future__ import annotations

import io
import json
import os
import shlex
import subprocess
import sys
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

NO_SCORES = "Could not find scores file, did the scoring program output it?"


@dataclass(frozen=True)
class Worked:
    """What became of a submission."""

    code: int
    out: str
    err: str
    scores: dict[str, Any] | None  # None: the submission failed
    output: Path


def pack(files: dict[str, bytes | str]) -> bytes:
    """A submission as somebody zips it."""
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return content.getvalue()


def inner(bundle: Path, name: str) -> bytes:
    """A file of a bundle."""
    with zipfile.ZipFile(bundle) as archive:
        return archive.read(name)


def unpack(content: bytes, folder: Path) -> Path:
    """Unpack a zip as the worker does; links in it become files, and names that lead out of the folder stay inside."""
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        archive.extractall(folder)
    return folder


def layout(bundle: Path, submission: bytes, root: Path, task: int = 0) -> tuple[list[str], Path]:
    """The folders of a scoring step, and the command with ``/app`` where they are."""
    settings = yaml.safe_load(inner(bundle, "competition.yaml"))["tasks"][task]
    unpack(inner(bundle, settings["scoring_program"]), root / "program")
    unpack(inner(bundle, settings["reference_data"]), root / "input" / "ref")
    unpack(submission, root / "input" / "res")
    (root / "input" / "res").mkdir(exist_ok=True)
    (root / "input" / "res" / "metadata").write_text("exitCode: null\n")
    (root / "output").mkdir(parents=True)
    command = yaml.safe_load((root / "program" / "metadata.yaml").read_text())["command"]
    return shlex.split(command.replace("/app/", f"{root}/")), root / "program"


def work(
    bundle: Path, submission: bytes, root: Path, task: int = 0, *, stdin: int | None = subprocess.DEVNULL
) -> Worked:
    """Score a submission; the environment is that of a container: nothing but what finds the programs."""
    command, folder = layout(bundle, submission, root, task)
    programs = str(Path(sys.executable).parent)
    environment = {"PYTHONUNBUFFERED": "1", "PATH": f"{programs}{os.pathsep}{os.environ['PATH']}"}
    environment |= {name: os.environ[name] for name in ("PYTHONPATH",) if name in os.environ}
    how: dict[str, Any] = {"cwd": folder, "env": environment, "capture_output": True, "timeout": 600}
    done = subprocess.run(command, stdin=subprocess.DEVNULL, text=True, check=False, **how)
    written = root / "output" / "scores.json"
    scores = json.loads(written.read_text()) if written.exists() else None
    return Worked(done.returncode, done.stdout, done.stderr, scores, root / "output")
