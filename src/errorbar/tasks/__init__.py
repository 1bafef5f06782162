"""Shared tasks: teams, their runs, scores that are computed once, and what a team should check before sending."""

from errorbar.tasks.config import Submission, Task, TaskCorpus, Team
from errorbar.tasks.reading import read_task
from errorbar.tasks.results import CorpusResults, HooResults, RunScores, TaskResults
from errorbar.tasks.running import run_task

__all__ = [
    "CorpusResults",
    "HooResults",
    "RunScores",
    "Submission",
    "Task",
    "TaskCorpus",
    "TaskResults",
    "Team",
    "read_task",
    "run_task",
]
