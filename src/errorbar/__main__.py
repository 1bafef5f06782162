"""The program: ``errorbar`` and ``python -m errorbar``."""

from __future__ import annotations

import atexit
import gc
import os
import sys


def main() -> None:
    """Run the command line; Ctrl-C ends it in one line even while its modules are imported."""
    # Millions of small tuples and no cycles: collecting as often as Python does by default costs a fifth of the time,
    # the last collection, when the interpreter goes, a tenth.
    gc.set_threshold(200_000, 50, 100)
    atexit.register(gc.freeze)
    # Before numpy is loaded. Matrices are small here: threads would spend more time on waiting for each other than on
    # products, and how many cores there are could decide on last digits.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    try:
        from errorbar.cli.main import run  # noqa: PLC0415 - takes most of the time before anything is done

        run()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        sys.exit(130)


if __name__ == "__main__":
    main()
