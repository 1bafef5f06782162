"""Builds the Cython kernels where a C compiler is there; everything else is in pyproject.toml."""

from setuptools import Extension, setup

# `optional`: a machine without a compiler still gets a working errorbar (the Python twins give the same numbers).
# -ffp-contract=off: fused multiply-add would change the last bit, and with it ties, on some processors. -g0: what a
# debugger would need makes a wheel three times as large.
KERNELS = {
    "errorbar.edits._lattice": "src/errorbar/edits/_lattice.pyx",
    "errorbar.edits._search": "src/errorbar/edits/_search.pyx",
    "errorbar.edits._large": "src/errorbar/edits/_large.pyx",
    "errorbar.edits._kernel": "src/errorbar/edits/_kernel.pyx",
    "errorbar.edits._minimal": "src/errorbar/edits/_minimal.pyx",
    "errorbar.edits._aligned": "src/errorbar/edits/_aligned.pyx",
    "errorbar.metrics._whole": "src/errorbar/metrics/_whole.pyx",
    "errorbar.metrics._rounded": "src/errorbar/metrics/_rounded.pyx",
    "errorbar.metrics._tally": "src/errorbar/metrics/_tally.pyx",
    "errorbar.metrics._fold": "src/errorbar/metrics/_fold.pyx",
    "errorbar.detectors._learn": "src/errorbar/detectors/_learn.pyx",
    "errorbar.detectors._ngrams": "src/errorbar/detectors/_ngrams.pyx",
}

setup(
    ext_modules=[
        Extension(name, [source], optional=True, extra_compile_args=["-O2", "-g0", "-ffp-contract=off"])
        for name, source in KERNELS.items()
    ]
)
