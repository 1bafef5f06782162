"""What a competition on Codabench says that a task does not: the table ``[codabench]`` of a task's file."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from errorbar.formats import toml_tables as toml
from errorbar.formats.toml_tables import Field, Table


@dataclass(frozen=True, slots=True)
class Competition:
    """What a competition on Codabench says that the task does not."""

    docker_image: str = ""  # in which submissions are scored; empty: one is made up, which nobody has
    description: str = ""
    contact_email: str = ""
    start: datetime | None = None  # from when on test data is handed out and runs are taken; None: from the beginning
    dev_start: datetime | None = None  # of the development phase
    submissions_per_day: int | None = None
    terms: Path | None = None  # a Markdown file
    pages: tuple[Path, ...] = ()  # Markdown files, behind the pages that are made
    logo: Path | None = None


FIELDS = {
    **{key: Field(toml.text, "") for key in ("docker_image", "description", "contact_email")},
    "start": Field(toml.beginning),
    "dev_start": Field(toml.beginning),
    "submissions_per_day": Field(toml.whole),
    "terms": Field(toml.path),
    "pages": Field(toml.paths, ()),
    "logo": Field(toml.path),
}


def read_competition(top: Table, deadline: datetime | None) -> Competition:
    """Read the table ``[codabench]``, which may be missing."""
    table = top.table("codabench")
    made = Competition(**table.read(FIELDS))
    ends = (("start", made.start, deadline, "the deadline"), ("dev_start", made.dev_start, made.start, "start"))
    for key, begin, end, name in ends:
        if begin is not None and end is not None and begin >= end:
            what = f"{key} must be before {name}, {end.isoformat()}, got {begin.isoformat()}"
            table.error("task-value", what, key)
    if made.dev_start is not None and made.start is None:
        table.error("task-value", "dev_start without start, when the development phase ends", "dev_start")
    return made
