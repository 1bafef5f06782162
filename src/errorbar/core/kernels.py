"""Whether compiled kernels are to serve, where errorbar was installed with a C compiler."""

from __future__ import annotations

from os import environ

SWITCH = "ERRORBAR_KERNEL"
"""In the environment: ``off`` makes the readable twins serve where there is a kernel."""

WANTED = environ.get(SWITCH, "").lower() != "off"
"""Whether kernels are to serve where there are any."""
