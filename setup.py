"""Builds the Cython kernels where a C compiler is there; everything else is in pyproject.toml."""

import os

from Cython.Build import cythonize
from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

# `optional`: a machine without a compiler still gets a working errorbar (the Python twins give the same numbers).
# -ffp-contract=off: fused multiply-add would change the last bit, and with it ties, on some processors. -g0: what a
# debugger would need makes a wheel three times as large.
KERNELS = {
    "errorbar.formats._m2": "src/errorbar/formats/_m2.pyx",
    "errorbar.edits._encode": "src/errorbar/edits/_encode.pyx",
    "errorbar.edits._lattice": "src/errorbar/edits/_lattice.pyx",
    "errorbar.edits._search": "src/errorbar/edits/_search.pyx",
    "errorbar.edits._large": "src/errorbar/edits/_large.pyx",
    "errorbar.edits._kernel": "src/errorbar/edits/_kernel.pyx",
    "errorbar.edits._minimal": "src/errorbar/edits/_minimal.pyx",
    "errorbar.edits._aligned": "src/errorbar/edits/_aligned.pyx",
    "errorbar.metrics._whole": "src/errorbar/metrics/_whole.pyx",
    "errorbar.metrics._rounded": "src/errorbar/metrics/_rounded.pyx",
    "errorbar.metrics._tally": "src/errorbar/metrics/_tally.pyx",
    "errorbar.metrics._left_out": "src/errorbar/metrics/_left_out.pyx",
    "errorbar.metrics._fold": "src/errorbar/metrics/_fold.pyx",
    "errorbar.ranking._skill": "src/errorbar/ranking/_skill.pyx",
    "errorbar.detectors._learn": "src/errorbar/detectors/_learn.pyx",
    "errorbar.detectors._ngrams": "src/errorbar/detectors/_ngrams.pyx",
}


# With ERRORBAR_KERNEL_CHECKS=1 every index is checked, with ERRORBAR_SANITIZER=1 memory too: for the fuzzer, which
# builds these kernels into a folder of their own (tests/fuzz/checked.py).
CHECKED = os.environ.get("ERRORBAR_KERNEL_CHECKS") == "1"
DIRECTIVES = {
    "language_level": 3,
    "boundscheck": CHECKED,
    "initializedcheck": CHECKED,
    "wraparound": False,
    "cdivision": True,
}
SANITIZER = ["-fsanitize=address", "-fno-omit-frame-pointer"] if os.environ.get("ERRORBAR_SANITIZER") == "1" else []


class SideBySide(build_ext):
    """Compiles as many kernels at a time as there are cores: half of what an installation takes."""

    def finalize_options(self) -> None:
        """Where ``-j`` says nothing else."""
        super().finalize_options()
        self.parallel = self.parallel or os.cpu_count() or 1

    def build_extensions(self) -> None:
        """Cython first, one file after the other: nothing says that it may run in several threads."""
        for kernel in self.extensions:
            written = self.build_temp if CHECKED else None  # beside their sources are those of ordinary kernels
            kernel.sources = cythonize(
                kernel, quiet=True, force=self.force, compiler_directives=DIRECTIVES, build_dir=written
            )[0].sources
        super().build_extensions()


setup(
    cmdclass={"build_ext": SideBySide},
    ext_modules=[
        Extension(
            name,
            [source],
            optional=True,
            extra_compile_args=["-O2", "-g0", "-ffp-contract=off", *SANITIZER],
            extra_link_args=SANITIZER,
        )
        for name, source in KERNELS.items()
        if os.path.exists(source)  # noqa: PTH110 - a folder such as detectors may be left out
    ],
)
