"""Shared tasks: teams, their runs, scores that are computed once, and what a team should check before sending."""

from errorbar.tasks.config import Submission, Task, TaskCorpus, Team
from errorbar.tasks.reading import read_task
from errorbar.tasks.running import run_task
from errorbar.tasks.task_results import CorpusResults, Refused, RunScores, TaskResults

__all__ = [
    "CorpusResults",
    "Refused",
    "RunScores",
    "Submission",
    "Task",
    "TaskCorpus",
    "TaskResults",
    "Team",
    "read_task",
    "run_task",
]
