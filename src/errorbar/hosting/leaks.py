"""Whether what participants get gives away what they are scored against."""

from __future__ import annotations

from collections.abc import Mapping

from errorbar.core.errors import Place
from errorbar.core.problems import Problems
from errorbar.tasks.config import Task
from errorbar.tasks.task_data import FragmentData, TaskData

LEAST = 4  # words of a sentence that is not the same by chance


def warn_of_leaks(task: Task, data: Mapping[str, TaskData], problems: Problems) -> None:
    """Note test data whose gold edits are public: its sentences also stand in development data with gold edits."""
    for test in task.with_role("test"):
        if not test.gold:
            continue
        secret = _texts(data[test.name])
        for dev in task.with_role("dev"):
            both = secret & _texts(data[dev.name]) if dev.gold else set()
            if both:
                what = (
                    f"{len(both):,} of {len(secret):,} texts of corpus '{test.name}' stand in corpus '{dev.name}' too"
                )
                what += ", whose gold edits participants get"
                problems.note("bundle-public-gold", what, Place(str(task.file), test.line), "take them out of one")


def _texts(data: TaskData) -> set[str]:
    """The different sentences or texts that are long enough to be told apart."""
    if isinstance(data, FragmentData):
        found = {each.text for each in data.units if each.text is not None}
    else:
        found = {sentence.text for sentence in data.units}
    return {" ".join(text.split()) for text in found if len(text.split()) >= LEAST}
