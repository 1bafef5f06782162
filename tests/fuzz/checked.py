"""Kernels with every index checked, and every access to memory where the compiler has the address sanitizer.

``python -m tests.fuzz --checked`` builds them into ``build/checked``, and runs itself again with them in place of the
ordinary ones. They take memory and time of their own, so that nothing is measured, and a worker that dies has found
something.
"""

from __future__ import annotations

import importlib.abc
import importlib.util
import os
import shlex
import subprocess
import sys
import sysconfig
from collections.abc import Sequence
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).parents[2]
BUILT = ROOT / "build" / "checked"
VARIABLE = "ERRORBAR_CHECKED_KERNELS"
"""In the environment: the folder whose kernels are used."""
SANITIZED = "ERRORBAR_SANITIZER"
PROGRAM = ("-m", "tests.fuzz")


def is_checked() -> bool:
    """Whether this process has checked kernels."""
    return VARIABLE in os.environ


def run_again(arguments: Sequence[str]) -> int:
    """Build the kernels and run the fuzzer with them."""
    compiler = shlex.split(os.environ.get("CC") or sysconfig.get_config_var("CC") or "cc")[0]
    # The sanitizer looks for C++'s exceptions when it is loaded, before the libraries that bring them.
    libraries = [_library(compiler, name) for name in ("libasan.so", "libstdc++.so.6")]
    sanitizer = all(libraries)
    sys.stdout.write(f"indexes are checked{', and memory' if sanitizer else '; there is no address sanitizer'}\n")
    sys.stdout.flush()
    environment = {**os.environ, SANITIZED: str(int(sanitizer))}
    build = [
        sys.executable,
        "setup.py",
        "-q",
        "build_ext",
        "--build-lib",
        str(BUILT),
        "--build-temp",
        str(BUILT / "objects"),
    ]
    checks = environment | {"ERRORBAR_KERNEL_CHECKS": "1"}
    built = subprocess.run(build, cwd=ROOT, env=checks, capture_output=True, text=True, check=False, timeout=1500)
    if built.returncode:  # of what compiles, Cython only says how slow its checks are
        sys.stderr.write(built.stdout + built.stderr)
        return built.returncode
    environment |= {VARIABLE: str(BUILT)}
    if sanitizer:
        environment |= {"LD_PRELOAD": ":".join(libraries), "ASAN_OPTIONS": "detect_leaks=0:hard_rss_limit_mb=4000"}
    command = [sys.executable, *PROGRAM, *arguments]
    return subprocess.run(command, env=environment, check=False, timeout=None).returncode  # as many inputs as asked for


def _library(compiler: str, name: str) -> str:
    """Where the compiler has a library; nothing where it has none, as it then says the name alone."""
    said = subprocess.run(
        [compiler, f"-print-file-name={name}"], capture_output=True, text=True, check=False, timeout=1500
    ).stdout.strip()
    return said if Path(said).is_absolute() and Path(said).exists() else ""


class _Finder(importlib.abc.MetaPathFinder):
    """Finds a kernel in the folder of the checked ones."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """The module of that name, if it is a kernel."""
        place = BUILT / f"{fullname.replace('.', '/')}{sysconfig.get_config_var('EXT_SUFFIX')}"
        return importlib.util.spec_from_file_location(fullname, place) if place.exists() else None


def use_checked_kernels() -> None:
    """Take the checked kernels where the environment says so; before any is imported.

    What a kernel cannot raise, since it does not hold Python's lock there, ends the process instead.
    """
    if not is_checked():
        return
    sys.meta_path.insert(0, _Finder())

    def stop(raised: sys.UnraisableHookArgs) -> None:
        if isinstance(raised.exc_value, IndexError):
            sys.stderr.write(f"{raised.object}: {raised.exc_value}\n")
            sys.stderr.flush()
            os.abort()
        sys.__unraisablehook__(raised)

    sys.unraisablehook = stop
