"""Tests of errorbar."""

import os

# Before anything loads numpy: a run has as many processes as cores already, and threads that wait for each other spin.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
