"""The public names, each with its module: for type checkers and editors, and for ``__init__.py``."""

from errorbar.tasks.alternatives import AlternativeAnswer as AlternativeAnswer
from errorbar.tasks.alternatives import propose as propose
from errorbar.tasks.alternatives import read_answers as read_answers
from errorbar.tasks.alternatives import with_answers as with_answers
from errorbar.tasks.config import Task as Task
from errorbar.tasks.config import read_task as read_task
from errorbar.tasks.config import write_template as write_template
from errorbar.tasks.running import run_task as run_task
from errorbar.tasks.running import study_best as study_best
from errorbar.tasks.task_results import CorpusResults as CorpusResults
from errorbar.tasks.task_results import RunScores as RunScores
from errorbar.tasks.task_results import TaskResults as TaskResults
from errorbar.tasks.validation import validate as validate
