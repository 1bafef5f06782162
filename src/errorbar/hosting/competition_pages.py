"""A competition on Codabench in words: its settings, as ``competition.yaml`` has them, and its pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from importlib import import_module
from types import ModuleType
from typing import Any

from errorbar.core.errors import MissingExtraError
from errorbar.hosting.columns import LeaderColumn
from errorbar.hosting.submission_form import Form
from errorbar.tasks.config import Task, TaskCorpus
from errorbar.version import __version__

ALWAYS = datetime(2020, 1, 1, tzinfo=UTC)  # when a competition begins of which nothing is said: it is open
SECONDS = 600  # that scoring a submission may take
RULE = "Force_Best"  # a participant's best run is shown, as on errorbar's own boards


@dataclass(frozen=True, slots=True)
class Phase:
    """A time in which runs are taken, for which corpora."""

    name: str
    description: str
    start: datetime
    end: datetime | None
    corpora: tuple[TaskCorpus, ...]
    kit: str


def phases_of(task: Task) -> list[Phase]:
    """The test phase until the deadline; where it has a start and there are gold edits for it, a development phase."""
    said = task.competition
    dev = tuple(corpus for corpus in task.with_role("dev") if corpus.gold)
    test = tuple(corpus for corpus in task.with_role("test") if corpus.gold)
    found = []
    if said.start is not None and dev:
        about = "Runs on the development data, whose gold edits are in the starting kit."
        found.append(Phase("Development", about, said.dev_start or ALWAYS, said.start, dev, "starting_kit_dev.zip"))
    about = "Runs on the test data."
    found.append(Phase("Test", about, said.start or ALWAYS, task.deadline, test, "starting_kit.zip"))
    return found


def competition_yaml(
    task: Task, image: str, forms: Mapping[str, Form], columns: Sequence[LeaderColumn], pages: Sequence[tuple[str, str]]
) -> bytes:
    """The settings; ``pages`` are titles and files."""
    said, phases = task.competition, phases_of(task)
    corpora = [corpus for phase in phases for corpus in phase.corpora]
    numbers = {corpus.name: at for at, corpus in enumerate(corpora)}
    top: dict[str, Any] = {
        "version": 2,
        "title": task.name,
        "description": said.description or f"{task.name}: submissions are scored by errorbar {__version__}.",
        "image": "logo.png",
        "terms": "pages/terms.md",
        "registration_auto_approve": False,
        "docker_image": image,
        "make_programs_available": False,
        "make_input_data_available": False,
        "enable_detailed_results": True,
        "show_detailed_results_in_submission_panel": True,
        "show_detailed_results_in_leaderboard": True,
    }
    if said.contact_email:
        top["contact_email"] = said.contact_email
    top["pages"] = [{"title": title, "file": file} for title, file in pages]
    top["phases"] = [
        {
            "index": at,
            "name": phase.name,
            "description": phase.description,
            "start": _time(phase.start),
            **({} if phase.end is None else {"end": _time(phase.end)}),
            "max_submissions": task.runs_per_team,
            "max_submissions_per_day": said.submissions_per_day or task.runs_per_team,
            "execution_time_limit": SECONDS,
            "accepts_only_result_submissions": True,
            "starting_kit": phase.kit,
            "tasks": [numbers[corpus.name] for corpus in phase.corpora],
        }
        for at, phase in enumerate(phases)
    ]
    top["tasks"] = [
        {
            "index": at,
            "name": f"{task.name}: {corpus.name}",
            "description": f"A submission holds {forms[corpus.name].name}: {forms[corpus.name].said}.",
            "scoring_program": "scoring_program.zip",
            "reference_data": f"reference_{forms[corpus.name].slug}.zip",
        }
        for at, corpus in enumerate(corpora)
    ]
    listed = [
        {
            "title": column.title,
            "key": column.key,
            "index": at,
            "sorting": "asc" if column.better == "lower" else "desc",
            "precision": column.digits,
        }
        for at, column in enumerate(columns)
    ]
    top["leaderboards"] = [{"title": "Results", "key": "main", "submission_rule": RULE, "columns": listed}]
    text: str = load_yaml().safe_dump(top, allow_unicode=True, sort_keys=False, width=math.inf)
    return text.encode()


def load_yaml() -> ModuleType:
    """Import PyYAML; raises ``MissingExtraError`` if it is not installed."""
    try:
        return import_module("yaml")
    except ModuleNotFoundError:
        raise MissingExtraError("codabench", "a competition bundle") from None


def _time(moment: datetime) -> str:
    """As text: of what YAML itself takes for a time, hosts have kept the day alone."""
    return moment.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S")


def overview_page(task: Task, forms: Mapping[str, Form]) -> str:
    """What the task is, and how to take part."""
    asked = {corpus.name: f"`{forms[corpus.name].name}`" for phase in phases_of(task) for corpus in phase.corpora}
    rows = [
        f"| {_cell(one.name)} | {one.role} | {forms[one.name].n_units:,} | {asked.get(one.name, '')} |"
        for one in task.corpora
    ]
    said = [task.competition.description, ""] if task.competition.description else []
    return "\n".join(
        [
            f"# {_cell(task.name)}",
            "",
            *said,
            "| data | role | sentences or texts | name in a submission |",
            "|---|---|---:|---|",
            *rows,
            "",
            "The starting kit of a phase has the data, a submission that changes nothing, and what checks a run before",
            "it is sent.",
            "",
        ]
    )


def submission_page(phases: Sequence[Phase], forms: Mapping[str, Form], runs: int) -> str:
    """What a submission is."""
    lines = [
        "# Submissions",
        "",
        f"A submission is one run, in a zip. Each participant has {runs} in a phase; one that could not be scored does",
        "not count. The zip holds, at its top and not in a folder of its own:",
        "",
    ]
    for phase in phases:
        lines += [f"{phase.name} phase:", ""]
        lines += [f"- `{forms[one.name].name}`: {forms[one.name].said}" for one in phase.corpora] + [""]
    lines += [
        "Texts are UTF-8. What is wrong with a submission stands in one line, with the file and the line, in the log",
        "of the scoring step, and on its page of detailed results. Other files in the zip are not looked at.",
        "",
    ]
    return "\n".join(lines)


def evaluation_page(task: Task, columns: Sequence[LeaderColumn], signatures: Mapping[str, Sequence[str]]) -> str:
    """Which columns there are, which one ranks, and what exactly was computed."""
    rows = [f"| {_cell(column.title)} | `{column.key}` | {column.better or '–'} |" for column in columns]
    listed = [f"{at}. `{spec}`" * (len(task.metrics) > 1) or f"`{spec}`" for at, spec in enumerate(task.metrics, 1)]
    said = [f"- {_cell(name)}: `{each}`" for name, found in signatures.items() for each in found]
    return "\n".join(
        [
            "# Evaluation",
            "",
            f"Runs are scored by errorbar {__version__} under {', '.join(listed)}.",
            f"**{_cell(columns[0].title)}** ranks; of equal runs the next columns decide. Scores are fractions: 0.4567",
            "is 45.67 percent. A score that is undefined is left empty.",
            "",
            "| column | name in scores.json | better |",
            "|---|---|---|",
            *rows,
            "",
            "What was computed on which data (`src` and `ref` are hashes of the source and the gold edits):",
            "",
            *said,
            "",
        ]
    )


def _cell(text: str) -> str:
    """Text of an organizer in Markdown: no mark of it is one."""
    return "".join(f"\\{each}" if each in "\\`*_[]<>|#" else each for each in text)
