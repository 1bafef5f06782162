"""``judge_demo``: a study of a corpus that systems corrected, served with a simulated crowd at work."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import replace
from os import PathLike
from pathlib import Path

from errorbar.judging.judge_serving import Doors, judge_serve
from errorbar.judging.simulated_crowd import Crowd, flagged
from errorbar.judging.study_folder import Study
from errorbar.judging.study_making import Ruling, judge_init
from errorbar.studies.door import public

RATERS = 5
AHEAD = 45
"""Judgments of each simulated rater that come fast: some items have two, so that there is agreement to see."""
PAY, CONSENT = "$0.02", "This is a demonstration. Your answers stay on this machine."


@public()
def judge_demo(
    source: str | PathLike[str],
    systems: Sequence[str | PathLike[str]],
    *,
    gold_items: str | PathLike[str] | None = None,
    folder: str | PathLike[str] | None = None,
    port: int = 8765,
    pause: float = 2.0,
    ready: Callable[[Doors], object] | None = None,
) -> None:
    """Make a study of what systems change in a corpus, and serve it while a simulated crowd judges; Ctrl-C ends it.

    Args:
        source: The corpus.
        systems: Their texts; the crowd takes what the first one changes for errors.
        gold_items: A table of items whose answers are known, of which the crowd knows them as well; None: none.
        folder: Of the study, a new one; None: one that goes when the demonstration ends.
        port: Port to listen on; 0: one that is free.
        pause: Seconds between two answers of a simulated rater.
        ready: Called once, when the server listens.

    Raises:
        ErrorbarError: If the folder is taken, the corpus cannot be read, or the port is in use.
    """
    with ExitStack() as after:
        made = folder or Path(after.enter_context(tempfile.TemporaryDirectory(prefix="errorbar-judge-"))) / "study"
        gold = None if gold_items is None else str(gold_items)
        rules: Ruling = {"raters_per_item": RATERS, "pay": PAY, "consent": CONSENT}
        judge_init(made, str(source), systems=list(map(str, systems)), gold_items=gold, **rules)
        truth = flagged(Study.open(made))

        def listening(doors: Doors) -> None:
            if ready is not None:  # what goes at the end is on no volume, on purpose
                ready(
                    doors if folder else replace(doors, notes=[n for n in doors.notes if n.code != "judge-no-volume"])
                )
            crowd = Crowd(doors.link, truth, pause, AHEAD)
            crowd.start()
            after.callback(crowd.stop, 0.5)

        judge_serve(made, port=port, ready=listening)
